//! Edge lists: the graph of an Ising model as text, an edge a line.

use super::open;
use crate::{Error, Result};
use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;

/// The longest line; nothing that is an edge comes near.
const LONGEST_LINE: u64 = 1 << 16;

/// The edges of a graph, as they stand in the file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Edges {
    /// The nodes' names, in the order in which they first appear.
    pub names: Vec<String>,
    /// Both ends, as indices into the names, and the coupling where the line tells it. Loops and repeated edges are
    /// kept.
    pub edges: Vec<(u32, u32, Option<f64>)>,
}

/// Reads an edge list: two names a line and, where wanted, a coupling, separated by blanks, tabs or commas. Names are
/// numbers or words; lines that begin with `#` or `%` are comments. `-` is standard input; gzip and zstd are
/// recognised by content.
///
/// ```
/// let path = std::env::temp_dir().join(format!("ergodict-{}.edges", std::process::id()));
/// std::fs::write(&path, "# a path\na b\nb c -0.5\n").unwrap();
/// let graph = ergodict::data::read_edges(&path)?;
/// assert_eq!(graph.names, ["a", "b", "c"]);
/// assert_eq!(graph.edges, [(0, 1, None), (1, 2, Some(-0.5))]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Format`] with the line that is no edge, or when there is none; [`Error::Io`].
pub fn read_edges(path: &Path) -> Result<Edges> {
    let mut input = open(path)?;
    let mut edges = Edges::default();
    let mut indices = HashMap::new();
    let mut bytes = Vec::new();
    for line in 1.. {
        bytes.clear();
        let bad = |problem: String| Error::format(path, Some(line), problem);
        let read = std::io::Read::take(&mut input, LONGEST_LINE).read_until(b'\n', &mut bytes);
        if read.map_err(Error::io(path))? == 0 {
            break;
        }
        if bytes.len() as u64 == LONGEST_LINE && !bytes.ends_with(b"\n") {
            return Err(bad(format!("is longer than {LONGEST_LINE} bytes: expected an edge a line")));
        }
        let text = std::str::from_utf8(&bytes).map_err(|_| {
            bad("is not UTF-8 text: expected an edge a line, such as `a b` or `a b 0.5`".into())
        })?;
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() || text.starts_with(['#', '%']) {
            continue;
        }
        let mut fields = text.split(|c: char| c == ',' || c.is_whitespace()).filter(|f| !f.is_empty());
        let (Some(from), Some(to)) = (fields.next(), fields.next()) else {
            return Err(bad("has one name: expected both ends of an edge, such as `a b`".into()));
        };
        let coupling = fields.next().map(|field| {
            let number: Option<f64> = field.parse().ok().filter(|x: &f64| x.is_finite());
            let field = super::npy_header::shorten(field);
            number.ok_or_else(|| bad(format!("has the coupling `{field}`: expected a finite number")))
        });
        let coupling = coupling.transpose()?;
        if fields.next().is_some() {
            return Err(bad(
                "has more than three fields: expected two names and, where wanted, a coupling".into()
            ));
        }
        let mut index = |name: &str| {
            if let Some(&index) = indices.get(name) {
                return Ok(index);
            }
            let index = u32::try_from(edges.names.len())
                .map_err(|_| bad("brings more than 2³² nodes, which is too many".into()))?;
            indices.insert(name.to_owned(), index);
            edges.names.push(name.to_owned());
            Ok(index)
        };
        let (from, to) = (index(from)?, index(to)?);
        edges.edges.push((from, to, coupling));
    }
    if edges.edges.is_empty() {
        return Err(Error::format(path, None, "holds no edge: expected lines such as `a b` or `a b 0.5`"));
    }
    Ok(edges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn read(bytes: &[u8]) -> Result<Edges> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        read_edges(file.path())
    }

    #[test]
    fn every_separator_comment_and_compression_is_understood() {
        let text = "\u{feff}% header\n10 7\n\n7\tx,3e-1\r\n# note\n  x , 10 , -2 \nx x";
        let expected = Edges {
            names: ["10", "7", "x"].map(String::from).to_vec(),
            edges: vec![(0, 1, None), (1, 2, Some(0.3)), (2, 0, Some(-2.0)), (2, 2, None)],
        };
        assert_eq!(read(text.as_bytes()).unwrap(), expected);
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(text.as_bytes()).unwrap();
        assert_eq!(read(&gzip.finish().unwrap()).unwrap(), expected);
    }

    #[test]
    fn what_is_no_edge_is_named_with_its_line() {
        for (text, line, words) in [
            (&b"a b\nc\n"[..], ":2:", "both ends"),
            (b"a b c d\n", ":1:", "finite number"),
            (b"a b 1 d\n", ":1:", "more than three"),
            (b"#\n\na b inf\n", ":3:", "`inf`"),
            (b"a b\n\xff\xfe b\n", ":2:", "UTF-8"),
            (b"# nothing\n", ": ", "holds no edge"),
            (b"", ": ", "holds no edge"),
        ] {
            let message = read(text).unwrap_err().to_string();
            assert!(message.contains(line) && message.contains(words), "{message}");
        }
        let long = read(&vec![b'a'; 1 << 20]).unwrap_err().to_string();
        assert!(long.contains("longer than"), "{long}");
        assert!(matches!(read_edges(Path::new("no such file")), Err(Error::Io { .. })));
    }
}
