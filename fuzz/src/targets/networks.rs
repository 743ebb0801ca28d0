//! Networks in every format, motifs, and conversions that are resumed.

use crate::support::{as_file, in_folder, network, network_in, walk};
use ergodict::chain::Motif;
use ergodict::data::{
    Conversion, ReadOptions, TableForm, TableOptions, TimeOptions, WindowOptions, Windows, parse_network,
    parse_timed, read_network, seal_json,
};
use std::time::{Duration, SystemTime};

/// Edge lists from memory.
pub(crate) fn edge_list(bytes: &[u8]) {
    if let Ok((network, _)) = parse_network(bytes, &ReadOptions::default()) {
        walk(&network);
    }
}

/// Adjacency matrices as tables.
pub(crate) fn adjacency(bytes: &[u8]) {
    let table = TableOptions { form: TableForm::Adjacency, ..TableOptions::default() };
    if let Ok((network, _)) = parse_network(bytes, &ReadOptions { table, ..ReadOptions::default() }) {
        walk(&network);
    }
}

/// Time-stamped edge lists from memory, and the windows they are cut into.
pub(crate) fn timed(bytes: &[u8]) {
    let Ok((rows, decisions)) = parse_timed(bytes, &TimeOptions::default()) else { return };
    let _ = decisions.to_string();
    let Ok(windows) = Windows::new(rows.into(), WindowOptions::default()) else { return };
    for at in 0..windows.len() {
        let _ = windows.name(at);
        if let Ok(network) = windows.network(at) {
            walk(&network);
        }
    }
}

/// Matrix Market files; a banner is put before what does not begin with one.
pub(crate) fn matrix_market(bytes: &[u8]) {
    if bytes.starts_with(b"%%MatrixMarket") {
        return network(b"", bytes);
    }
    for kind in ["coordinate real general", "coordinate pattern symmetric", "array integer symmetric"] {
        network(format!("%%MatrixMarket matrix {kind}\n").as_bytes(), bytes);
    }
}

/// `.egr` files, as they are and with checksums made right, so that what follows them is reached.
pub(crate) fn egr(bytes: &[u8]) {
    network(b"", bytes);
    if bytes.len() >= 128 {
        let mut bytes = bytes.to_vec();
        bytes[..8].copy_from_slice(b"EGR1\x01\0\0\0");
        let digest = blake3::hash(&bytes[128..]);
        bytes[64..96].copy_from_slice(digest.as_bytes());
        let check = blake3::hash(&bytes[..96]);
        bytes[96..128].copy_from_slice(check.as_bytes());
        network(b"", &bytes);
    }
}

/// scipy's archives.
pub(crate) fn sparse_npz(bytes: &[u8]) {
    network(b"", bytes);
}

/// GraphML.
pub(crate) fn graphml(bytes: &[u8]) {
    network(b"<", bytes);
}

/// GEXF.
pub(crate) fn gexf(bytes: &[u8]) {
    network(b"<", bytes);
}

/// GML.
pub(crate) fn gml(bytes: &[u8]) {
    network(b"graph [", bytes);
}

/// Pajek's `.net` files.
pub(crate) fn pajek(bytes: &[u8]) {
    network(b"*Vertices ", bytes);
}

/// Graphviz DOT.
pub(crate) fn dot(bytes: &[u8]) {
    network(b"graph ", bytes);
}

/// Cytoscape's simple interaction format.
pub(crate) fn sif(bytes: &[u8]) {
    as_file(bytes, ".sif", |path| network_in(path, bytes));
}

/// Node-link and Cytoscape JSON.
pub(crate) fn json(bytes: &[u8]) {
    network(b"{", bytes);
}

/// MATLAB's `.mat` files.
pub(crate) fn mat(bytes: &[u8]) {
    network(b"MATLAB 5.0", bytes);
}

/// Motif files.
pub(crate) fn motif(bytes: &[u8]) {
    as_file(bytes, ".txt", |path| {
        if let Ok(motif) = Motif::read(path) {
            assert!(motif.edges().iter().all(|&(i, j)| (i.max(j) as usize) < motif.k() && i != j));
        }
    });
}

/// The network that [`conversion`] converts, and when it was written.
pub(crate) const CONVERTED: &str = "1 2\n2 3\n3 1\n3 4\n";
/// See [`CONVERTED`].
pub(crate) const WRITTEN: Duration = Duration::from_secs(1_000_000_000);

/// What the files of its sorted runs hold: its first two edges, and the same turned.
pub(crate) fn sorted() -> [Vec<u8>; 2] {
    let arcs = |arcs: [(u64, u64); 2]| arcs.iter().flat_map(|(u, v)| (u << 32 | v).to_le_bytes()).collect();
    [arcs([(1, 2), (2, 3)]), arcs([(2, 1), (3, 2)])]
}

/// The list of runs that an interrupted conversion left, as it is and with the digests of its lines made right. What follows a zero is in both
/// files of runs instead of the seeds' arcs, and its digest takes the place of each `$`.
pub(crate) fn conversion(bytes: &[u8]) {
    let mut parts = bytes.splitn(2, |byte| *byte == 0);
    let (list, arcs) = (parts.next().unwrap_or_default(), parts.next());
    let files = arcs.map_or_else(sorted, |arcs| [arcs.to_vec(), arcs.to_vec()]);
    let list = String::from_utf8_lossy(list).replace('$', &blake3::hash(&files[0]).to_hex());
    let line = |line: &str| match line.split_once("\",") {
        Some((start, rest)) if start.starts_with("{\"digest\":") => format!("{{{rest}"),
        _ => line.to_owned(),
    };
    let made_right: Vec<String> = list.lines().map(|text| seal_json(&line(text)) + "\n").collect();
    for list in [list.as_bytes(), made_right.concat().as_bytes()] {
        resumed(list, &files);
    }
}

fn resumed(list: &[u8], [forward, backward]: &[Vec<u8>; 2]) {
    in_folder(|folder| {
        let (input, out) = (folder.join("converted.txt"), folder.join("converted.egr"));
        let kept = Conversion::folder(&out);
        let prepare = || -> std::io::Result<()> {
            std::fs::write(&input, CONVERTED)?;
            std::fs::File::options()
                .write(true)
                .open(&input)?
                .set_modified(SystemTime::UNIX_EPOCH + WRITTEN)?;
            std::fs::create_dir_all(&kept)?;
            std::fs::write(kept.join("forward"), forward)?;
            std::fs::write(kept.join("backward"), backward)?;
            std::fs::write(kept.join("runs.jsonl"), list)
        };
        prepare().expect("room for the folder");
        let conversion = Conversion { memory: 1 << 20, keep: true, resume: true };
        if let Ok(Some(_)) = conversion.run(&input, &ReadOptions::default(), &out, &mut |_| true) {
            // What was forged may be out of order, which a reader finds.
            if let Ok((network, _)) = read_network(&out, &ReadOptions::default()) {
                walk(&network);
            }
        }
    });
}
