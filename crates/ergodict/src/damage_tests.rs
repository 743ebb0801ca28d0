//! Every file that we write and read again, with each byte changed and cut off at each length: an error, or the same as before.

use crate::data::{
    NodeIds, PairTable, ReadOptions, read_network, write_network_with_note, write_pairs_parquet,
};
use crate::data::{NpzWriter, embedded, read_note, seal_json, write_network};
use crate::factor::{FactorSettings, Factorizer};
use crate::linalg::Mat;
use crate::model::Model;
use crate::reconstruct::network::{PairSum, PairSums, SortedSums, merged_sums};
use crate::run::{Checkpoint, Identity, Sections};
use std::fmt::Debug;
use std::path::Path;

/// Reads a file of some kind: all of what is in it, in words, or an error.
type Read = dyn Fn(&Path) -> Result<String, String>;

fn words<T: Debug, E: ToString>(result: Result<T, E>) -> Result<String, String> {
    result.map(|value| format!("{value:?}")).map_err(|error| error.to_string())
}

/// Damages the file in every way, reads `opened` after each, and puts it back: how many changes were detected, and how many did no harm.
fn damage(kind: &str, path: &Path, opened: &Path, read: &Read) -> [usize; 2] {
    let whole = std::fs::read(path).unwrap();
    let before = read(opened).unwrap();
    let mut counts = [0; 2];
    let mut look = |what: String, bytes: &[u8]| {
        std::fs::write(path, bytes).unwrap();
        match read(opened) {
            Err(_) => counts[0] += 1,
            Ok(now) => {
                assert_eq!(now, before, "{kind}: {what} is not detected");
                counts[1] += 1;
            }
        }
    };
    for at in 0..whole.len() {
        for bits in [1 << (at % 8), 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= bits;
            look(format!("byte {at} of {} changed by {bits:#04x}", whole.len()), &bytes);
        }
    }
    for length in 0..whole.len() {
        look(format!("a cut at {length} of {}", whole.len()), &whole[..length]);
    }
    std::fs::write(path, &whole).unwrap();
    assert_eq!(read(opened).unwrap(), before, "{kind}");
    eprintln!("{kind}: {} bytes, {} detected, {} without harm", whole.len(), counts[0], counts[1]);
    counts
}

#[test]
fn a_model_is_right_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.safetensors");
    let mut learned = Factorizer::<f64>::random(FactorSettings::new(2), 3, 0).unwrap();
    learned.step(&Mat::from_fn(3, 4, |i, j| (1 + i * j) as f64)).unwrap();
    Model::from_factorizer(&learned, "factor", 0).save(&path).unwrap();
    let [_, harmless] = damage("model", &path, &path, &|path| words(Model::load(path)));
    assert_eq!(harmless, 0);
}

#[test]
fn a_checkpoint_and_its_spool_are_right_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    let run = Identity { command: "test".into(), settings: "x".into(), inputs: Vec::new(), seed: 0 };
    let (mut checkpoint, _) = Checkpoint::open(&path, false, &run).unwrap();
    let spool = checkpoint.spool("rows", None).unwrap();
    spool.write(b"some rows").unwrap();
    let mut sections: Sections = checkpoint.sections();
    sections.put_json("step", &[1.5, 2.5]).unwrap();
    checkpoint.save(&sections).unwrap();
    drop((checkpoint, spool, sections));
    let opened = move |path: &Path| {
        let resumed = Checkpoint::open(path, true, &run).and_then(|(mut checkpoint, sections)| {
            let length = checkpoint.spool("rows", None)?.len();
            let step: Vec<f64> = sections.map_or(Ok(Vec::new()), |sections| sections.json("step"))?;
            Ok((length, step))
        });
        words(resumed)
    };
    assert_eq!(damage("checkpoint", &path, &path, &opened)[1], 0);
    assert_eq!(damage("spool", &Checkpoint::spool_path(&path, "rows"), &path, &opened)[1], 0);
}

#[test]
fn a_network_of_ours_is_right_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let karate = embedded("karate").unwrap();
    let path = folder.path().join("net.egr");
    write_network(&path, &karate).unwrap();
    let read = |path: &Path| {
        let read = read_network(path, &ReadOptions::default());
        words(read.map(|(network, _)| (network.is_directed(), network.each_edge().collect::<Vec<_>>())))
    };
    assert_eq!(damage("egr", &path, &path, &read)[1], 0);
    // An archive says several things twice, one of which is looked at.
    let path = folder.path().join("net.npz");
    write_network(&path, &crate::data::Network::simple(4, &[(0, 1), (1, 2), (2, 3)]).unwrap()).unwrap();
    damage("network in npz", &path, &path, &read);
}

#[test]
fn sums_are_right_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (path, karate) = (folder.path().join("sums"), embedded("karate").unwrap());
    let pairs = (0..9).map(|u| PairSum { u, v: u + 7, sum: 0.1 + f64::from(u), count: 2 });
    let sums = PairSums::of_pairs(&karate, None, pairs, 1 << 20).unwrap();
    SortedSums::write(&path, &sums).unwrap();
    let read = |path: &Path| {
        let read = SortedSums::open(path)
            .and_then(|file| merged_sums(&[file], 0..34)?.collect::<Result<Vec<PairSum>, _>>());
        words(read)
    };
    assert_eq!(damage("sums", &path, &path, &read)[1], 0);
}

#[cfg(feature = "parquet")]
#[test]
fn a_table_in_parquet_is_right_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    for ids in [NodeIds::numbered(9), NodeIds::words(["a", "b", "c", "d", "e", "f", "g", "h", "i"])] {
        let (path, mut bytes) = (folder.path().join("pairs.parquet"), Vec::new());
        let rows = (0..8).map(|u| (u, u + 1, 1.0 / f64::from(u + 3), u64::from(u)));
        let note = seal_json(r#"{"command":"test","config":{"seed":7}}"#);
        write_pairs_parquet(rows, &ids, Some(&note), &mut bytes, &path).unwrap();
        std::fs::write(&path, &bytes).unwrap();
        let table = |path: &Path| {
            let table = PairTable::read(path);
            words(table.map(|table| {
                let row = |row| (0..4).map(|column| table.field(row, column).to_owned()).collect::<Vec<_>>();
                (table.header().map(<[String]>::to_vec), (0..table.len()).map(row).collect::<Vec<_>>())
            }))
        };
        // Harmless is only what makes it look like someone else's.
        let [detected, harmless] = damage("parquet", &path, &path, &table);
        assert!(harmless < 100 && detected > 2 * bytes.len(), "{detected} {harmless}");
        let note = |path: &Path| read_note(path).map_err(|e| e.to_string())?.ok_or("no note".to_owned());
        damage("note in parquet", &path, &path, &note);
    }
}

#[test]
fn notes_are_right_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let note = seal_json(r#"{"command":"network generate er","config":{"seed":7,"edges":1000}}"#);
    // The flags of a note are all that anybody takes from it.
    let read = |path: &Path| {
        let note = read_note(path).map_err(|e| e.to_string())?.ok_or("no note")?;
        let note: serde_json::Value = serde_json::from_str(&note).map_err(|e| e.to_string())?;
        note.get("config").map(ToString::to_string).ok_or("no flags".to_owned())
    };
    let network = crate::data::Network::simple(2, &[(0, 1)]).unwrap();
    for name in ["a.txt", "a.mtx", "a.npz", "a.txt.gz"] {
        let path = folder.path().join(name);
        write_network_with_note(&path, &network, Some(&note)).unwrap();
        damage(name, &path, &path, &read);
    }
    let path = folder.path().join("w.npz");
    let mut npz = NpzWriter::new();
    npz.note(&note);
    npz.save(&path).unwrap();
    damage("npz", &path, &path, &read);
    #[cfg(feature = "image")]
    {
        let path = folder.path().join("p.png");
        let png = crate::data::Image::new((1, 1), 1, vec![0.5]).unwrap().png().unwrap();
        std::fs::write(&path, crate::data::png_with_note(png, &note)).unwrap();
        damage("png", &path, &path, &read);
    }
}
