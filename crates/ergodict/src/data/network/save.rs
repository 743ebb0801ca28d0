//! Writes a network in the format of the file's name.

use super::{Network, NetworkFormat, NodeIds, egr, formats, write_edge_list};
use crate::data::note::KEY;
use crate::data::npy_write::{npy_header, scalar_header};
use crate::data::write_atomic;
use crate::{Error, Result};
use std::io::{self, BufWriter, Write};
use std::path::Path;
use zip::write::{SimpleFileOptions, StreamWriter};

/// What became of a network that was written.
///
/// ```
/// use ergodict::data::{Network, write_network};
/// // An edge list has no line for node 2, which has no edge.
/// let path = std::env::temp_dir().join(format!("ergodict-saved-{}.txt", std::process::id()));
/// let saved = write_network(&path, &Network::simple(3, &[(0, 1)])?)?;
/// assert!(saved.lost.is_some());
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Saved {
    /// What the format could not keep, as a sentence; none when reading the file gives the same network.
    pub lost: Option<String>,
}

/// Formats by the end of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Egr,
    MatrixMarket,
    Npz,
    GraphMl,
    NodeLink,
    EdgeList,
}

/// How a file is compressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Packing {
    None,
    Gzip,
    Zstd,
}

/// Finds out before the work whether the name of a file is one that [`write_network`] can write.
///
/// ```
/// use ergodict::data::check_network_name;
/// assert!(check_network_name("a.txt.gz".as_ref()).is_ok());
/// assert!(check_network_name("a.egr.gz".as_ref()).is_err() && check_network_name("a.html".as_ref()).is_err());
/// ```
///
/// # Errors
/// [`Error::Format`] for `.egr.gz` and the like, which nothing could open, and for names of reports, pictures and tables.
pub fn check_network_name(path: &Path) -> Result<()> {
    format(path).map(|_| ())
}

impl NetworkFormat {
    /// Those that are written, by the names of files.
    pub const WRITTEN: &'static str = ".egr, .mtx, .npz, .graphml, .json (node-link), or an edge list";
}

/// Whether the name is that of an `.egr` file.
pub(super) fn is_egr(path: &Path) -> Result<bool> {
    Ok(format(path)?.0 == Format::Egr)
}

fn format(path: &Path) -> Result<(Format, Packing)> {
    let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let (stem, packing) = match name.rsplit_once('.') {
        Some((stem, "gz")) => (stem, Packing::Gzip),
        Some((stem, "zst")) => (stem, Packing::Zstd),
        _ => (name.as_str(), Packing::None),
    };
    let format = match stem.rsplit_once('.') {
        Some((_, "egr")) => Format::Egr,
        Some((_, "mtx")) => Format::MatrixMarket,
        Some((_, "npz")) => Format::Npz,
        Some((_, "graphml" | "xml")) => Format::GraphMl,
        Some((_, "json")) => Format::NodeLink,
        Some((_, other @ ("gexf" | "gml" | "net" | "mat" | "dot" | "gv" | "cyjs"))) => {
            let written = NetworkFormat::WRITTEN;
            let problem =
                format!("cannot be written: .{other} is only read; expected a name that ends in {written}");
            return Err(Error::format(path, None, problem));
        }
        Some((_, other @ ("html" | "svg" | "png" | "pdf" | "npy" | "parquet" | "safetensors" | "xlsx"))) => {
            let written = NetworkFormat::WRITTEN;
            let problem = format!(
                "cannot be written: .{other} is not a format of networks; expected a name that ends in {written}"
            );
            return Err(Error::format(path, None, problem));
        }
        _ => Format::EdgeList,
    };
    if packing != Packing::None && matches!(format, Format::Egr | Format::Npz) {
        let (kind, why) = if format == Format::Egr {
            (".egr", "a compressed one cannot be mapped")
        } else {
            (".npz", "numpy would not open a compressed one")
        };
        return Err(Error::format(
            path,
            None,
            format!("cannot be written: {why}; expected a name that ends in {kind}"),
        ));
    }
    Ok((format, packing))
}

/// Writes a network, whole or not at all, in the format of the name: `.egr`, `.mtx` (Matrix Market), `.npz` (opened by
/// `scipy.sparse.load_npz`), `.graphml`, `.json` (node-link, as networkx has it); any other name is an edge list. Text is compressed when `.gz` or `.zst` follows. `-` is
/// standard output and an edge list.
///
/// ```
/// use ergodict::data::{Network, write_network};
/// let path = std::env::temp_dir().join(format!("ergodict-save-{}.mtx", std::process::id()));
/// let saved = write_network(&path, &Network::simple(3, &[(0, 1), (1, 2)])?)?;
/// assert_eq!(saved.lost.unwrap(), "nodes 0 to 2 are called 1 to 3 in a .mtx file");
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// As [`write_atomic`]; [`Error::Format`] for `.egr.gz` and the like, which nothing could open.
pub fn write_network(path: &Path, network: &Network) -> Result<Saved> {
    write_network_with_note(path, network, None)
}

/// The same with a note of how it was made, JSON in ASCII that [`read_note`](crate::data::read_note) finds again. `.egr`, GraphML and JSON
/// have no place for one.
///
/// ```
/// use ergodict::data::{Network, ReadOptions, read_network, write_network_with_note};
/// let path = std::env::temp_dir().join(format!("ergodict-with-note-{}.txt", std::process::id()));
/// let network = Network::simple(3, &[(0, 1), (1, 2)])?;
/// write_network_with_note(&path, &network, Some(r#"{"by":"hand"}"#))?;
/// assert_eq!(read_network(&path, &ReadOptions::default())?.0, network);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// As [`write_network`].
pub fn write_network_with_note(path: &Path, network: &Network, note: Option<&str>) -> Result<Saved> {
    write(path, network, note, |out| {
        note.map_or(Ok(()), |note| writeln!(out, "# {KEY} {note}"))?;
        write_edge_list(network, out)
    })
}

/// The same with an edge list in words of the caller's.
#[cfg(feature = "fetch")]
pub(in crate::data) fn write_network_as(
    path: &Path,
    network: &Network,
    list: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<Saved> {
    write(path, network, None, list)
}

fn write(
    path: &Path,
    network: &Network,
    note: Option<&str>,
    list: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<Saved> {
    let (format, packing) = format(path)?;
    write_atomic(path, |out| {
        packed(out, packing, |out| match format {
            Format::Egr => egr::write(network, out),
            Format::MatrixMarket => matrix_market(network, note, out),
            Format::Npz => sparse_npz(network, note, out),
            Format::GraphMl => formats::write_graphml(network, out),
            Format::NodeLink => formats::write_node_link(network, out),
            Format::EdgeList => list(out),
        })
        .map_err(Error::io(path))
    })?;
    Ok(Saved { lost: lost(network, format) })
}

fn packed(
    out: &mut dyn Write,
    packing: Packing,
    fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    match packing {
        Packing::None => fill(out),
        Packing::Gzip => {
            let gzip = flate2::write::GzEncoder::new(out, flate2::Compression::default());
            let mut gzip = BufWriter::with_capacity(1 << 16, gzip);
            fill(&mut gzip)?;
            gzip.into_inner().map_err(io::IntoInnerError::into_error)?.finish().map(|_| ())
        }
        Packing::Zstd => {
            let mut zstd = BufWriter::with_capacity(1 << 16, zstd::stream::write::Encoder::new(out, 0)?);
            fill(&mut zstd)?;
            zstd.into_inner().map_err(io::IntoInnerError::into_error)?.finish().map(|_| ())
        }
    }
}

/// What reading the file will not give back.
fn lost(network: &Network, format: Format) -> Option<String> {
    let (n, ids) = (network.nodes(), network.ids());
    let called = |first: usize, kind: &str| {
        let kept = *ids == NodeIds::integers((first as i64..(first + n) as i64).collect());
        (!kept && n > 0).then(|| {
            let from = format!("{} to {}", ids.name(0), ids.name(n - 1));
            format!("nodes {from} are called {first} to {} in a {kind} file", first + n - 1)
        })
    };
    let names = match format {
        Format::Egr | Format::GraphMl | Format::NodeLink => return None,
        Format::MatrixMarket => called(1, ".mtx"),
        Format::Npz => called(0, ".npz"),
        Format::EdgeList => {
            let isolated = network.isolated();
            (isolated > 0).then(|| format!("{isolated} nodes without edges are not in an edge list"))
        }
    };
    let matrix = matches!(format, Format::MatrixMarket | Format::Npz);
    let symmetric = || {
        (0..n).all(|u| {
            network.neighbors(u) == network.incoming().neighbors(u)
                && network.rows().weights(u) == network.incoming().weights(u)
        })
    };
    let direction = (matrix && network.directed && symmetric())
        .then(|| "the matrix is symmetric, so that it will be read as an undirected network".to_owned());
    match (names, direction) {
        (Some(names), Some(direction)) => Some(format!("{names}; {direction}")),
        (one, other) => one.or(other),
    }
}

/// Of an undirected network the lower triangle, as the format wants it.
fn matrix_market(network: &Network, note: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
    let field = if network.is_weighted() { "real" } else { "pattern" };
    let symmetry = if network.directed { "general" } else { "symmetric" };
    let n = network.nodes();
    writeln!(out, "%%MatrixMarket matrix coordinate {field} {symmetry}")?;
    note.map_or(Ok(()), |note| writeln!(out, "% {KEY} {note}"))?;
    writeln!(out, "{n} {n} {}", network.edges())?;
    for u in 0..n {
        for (v, weight) in network.rows().entries(u) {
            if !network.directed && v as usize > u {
                break;
            }
            if network.is_weighted() {
                writeln!(out, "{} {} {weight:?}", u + 1, u64::from(v) + 1)?;
            } else {
                writeln!(out, "{} {}", u + 1, u64::from(v) + 1)?;
            }
        }
    }
    Ok(())
}

/// A csr matrix of doubles as scipy saves it: indices of 32 bits while they suffice for all entries.
fn sparse_npz(network: &Network, note: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
    let mut zip = zip::ZipWriter::new_stream(out);
    let (rows, n, stored) = (network.rows(), network.nodes() as u64, network.stored());
    let wide = stored.max(n) > i32::MAX as u64;
    let (descr, size) = if wide { ("<i8", 8) } else { ("<i4", 4) };
    // The number type of the last two bytes follows from `wide` alone.
    let narrow = |x: u64, bytes: &mut Vec<u8>| bytes.extend_from_slice(&x.to_le_bytes()[..size]);
    let count = rows.neighbors.len();
    member(&mut zip, "indices", &npy_header(descr, stored, &[]), count, size, |i, bytes| {
        narrow(u64::from(rows.neighbors[i]), bytes);
    })?;
    let starts = rows.starts.len();
    member(&mut zip, "indptr", &npy_header(descr, starts as u64, &[]), starts, size, |i, bytes| {
        narrow(rows.starts[i], bytes);
    })?;
    member(&mut zip, "format", &scalar_header("|S3"), 1, 3, |_, bytes| bytes.extend_from_slice(b"csr"))?;
    member(&mut zip, "shape", &npy_header("<i8", 2, &[]), 2, 8, |_, bytes| {
        bytes.extend_from_slice(&n.to_le_bytes());
    })?;
    let weight = |i: usize| rows.weights.as_ref().map_or(1.0, |weights| weights[i]);
    member(&mut zip, "data", &npy_header("<f8", stored, &[]), count, 8, |i, bytes| {
        bytes.extend_from_slice(&weight(i).to_le_bytes());
    })?;
    if let Some(note) = note {
        let header = scalar_header(&format!("|S{}", note.len()));
        let one = |_, bytes: &mut Vec<u8>| bytes.extend_from_slice(note.as_bytes());
        member(&mut zip, KEY, &header, 1, note.len(), one)?;
    }
    zip.finish()?;
    Ok(())
}

/// One array of the archive, stored as it is: `count` numbers of `size` bytes each.
fn member(
    zip: &mut zip::ZipWriter<StreamWriter<&mut dyn Write>>,
    name: &str,
    header: &[u8],
    count: usize,
    size: usize,
    append: impl Fn(usize, &mut Vec<u8>),
) -> io::Result<()> {
    let options = SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Stored)
        .last_modified_time(zip::DateTime::default())
        .large_file(u32::try_from(header.len() + count * size).is_err());
    zip.start_file(format!("{name}.npy"), options)?;
    zip.write_all(header)?;
    let mut bytes = Vec::with_capacity(1 << 16);
    for i in 0..count {
        append(i, &mut bytes);
        if bytes.len() >= (1 << 16) - 8 {
            zip.write_all(&bytes)?;
            bytes.clear();
        }
    }
    zip.write_all(&bytes)
}
