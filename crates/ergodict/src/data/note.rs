//! Notes in files: how a file was made, where its format has a place for it that other readers pass over.
//!
//! | format | place |
//! |---|---|
//! | edge list, Matrix Market | a comment at the head, `# ergodict {…}`, `% ergodict {…}` |
//! | `.npz` | a member `ergodict`, one byte string |
//! | `.parquet` | key-value metadata, key `ergodict` |
//! | `.png` | a `tEXt` chunk, keyword `ergodict` |
//!
//! Notes are JSON in ASCII: all of these places take it as it is. Those of our programs begin with their digest.

use super::sealed_line;
use crate::{Error, Result};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// The name that a note goes by, in whatever format.
pub(crate) const KEY: &str = "ergodict";
/// Longer notes are not looked for.
const LONGEST: usize = 1 << 24;
/// Signature and header of a PNG file, after which a note stands.
const PNG_HEAD: usize = 33;
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// JSON in ASCII: all other characters, which stand in strings only, are escaped.
///
/// ```
/// assert_eq!(ergodict::data::ascii_json(r#"{"λ":"😀"}"#), r#"{"\u03bb":"\ud83d\ude00"}"#);
/// ```
pub fn ascii_json(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() {
            text.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(text, "\\u{unit:04x}");
            }
        }
    }
    text
}

/// A picture with a note in it; bytes that are no PNG file stay as they are.
///
/// ```
/// # #[cfg(feature = "image")] {
/// use ergodict::data::{Image, png_with_note, read_note};
/// let png = Image::new((1, 1), 1, vec![0.5])?.png().unwrap();
/// let path = std::env::temp_dir().join(format!("ergodict-noted-{}.png", std::process::id()));
/// std::fs::write(&path, png_with_note(png, r#"{"seed":7}"#)).unwrap();
/// assert_eq!(read_note(&path)?.as_deref(), Some(r#"{"seed":7}"#));
/// # std::fs::remove_file(&path).unwrap();
/// # }
/// # Ok::<(), ergodict::Error>(())
/// ```
pub fn png_with_note(png: Vec<u8>, note: &str) -> Vec<u8> {
    if !png.starts_with(PNG) || png.len() < PNG_HEAD {
        return png;
    }
    let mut chunk = b"tEXt".to_vec();
    chunk.extend_from_slice(KEY.as_bytes());
    chunk.push(0);
    chunk.extend_from_slice(note.as_bytes());
    let mut noted = png[..PNG_HEAD].to_vec();
    noted.extend_from_slice(&(chunk.len() as u32 - 4).to_be_bytes());
    noted.extend_from_slice(&chunk);
    noted.extend_from_slice(&crc32fast::hash(&chunk).to_be_bytes());
    noted.extend_from_slice(&png[PNG_HEAD..]);
    noted
}

/// The note in a file, where there is one. Text may be compressed.
///
/// ```
/// use ergodict::data::{Network, read_note, write_network_with_note};
/// let path = std::env::temp_dir().join(format!("ergodict-note-{}.txt", std::process::id()));
/// write_network_with_note(&path, &Network::simple(2, &[(0, 1)])?, Some(r#"{"seed":7}"#))?;
/// assert_eq!(read_note(&path)?.as_deref(), Some(r#"{"seed":7}"#));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Io`]; [`Error::Format`] for a note that does not match its digest. Other files that are damaged have no note.
pub fn read_note(path: &Path) -> Result<Option<String>> {
    let mut input = super::open(path)?;
    let mut head = Vec::new();
    input.by_ref().take(8).read_to_end(&mut head).map_err(Error::io(path))?;
    let note = match head[..] {
        [b'P', b'K', ..] => of_archive(path),
        #[cfg(feature = "parquet")]
        [b'P', b'A', b'R', b'1', ..] => super::parquet::note(path)?,
        _ if head == PNG => of_png(input),
        _ => of_text(std::io::Cursor::new(head).chain(input)),
    };
    note.map(|note| open_note(path, note)).transpose()
}

/// What a note says, after its digest is found to be right, where it has one.
///
/// ```
/// use ergodict::data::{open_note, seal_json};
/// let path = std::path::Path::new("scores.tsv");
/// assert_eq!(open_note(path, seal_json(r#"{"seed":7}"#))?, r#"{"seed":7}"#);
/// assert!(open_note(path, seal_json(r#"{"seed":7}"#).replace('7', "8")).is_err());
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Format`] for a damaged note.
pub fn open_note(path: &Path, note: String) -> Result<String> {
    if !sealed_line::has_digest(&note) {
        return Ok(note);
    }
    let damaged = || Error::format(path, None, "has a damaged note: it does not match its digest");
    sealed_line::open_json(&note).ok_or_else(damaged)
}

fn of_archive(path: &Path) -> Option<String> {
    let mut archive = zip::ZipArchive::new(BufReader::new(std::fs::File::open(path).ok()?)).ok()?;
    let member = archive.by_name("ergodict.npy").ok()?;
    let mut bytes = Vec::new();
    member.take(LONGEST as u64).read_to_end(&mut bytes).ok()?;
    let header = 10 + usize::from(u16::from_le_bytes([*bytes.get(8)?, *bytes.get(9)?]));
    String::from_utf8(bytes.get(header..)?.to_vec()).ok()
}

fn of_png(mut input: impl Read) -> Option<String> {
    loop {
        let mut head = [0; 8];
        input.read_exact(&mut head).ok()?;
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        if length > LONGEST || &head[4..] == b"IDAT" {
            return None;
        }
        let mut chunk = Vec::new();
        input.by_ref().take(length as u64 + 4).read_to_end(&mut chunk).ok()?;
        if chunk.len() < length + 4 {
            return None;
        }
        chunk.truncate(length);
        let text = chunk.strip_prefix(KEY.as_bytes()).and_then(|rest| rest.strip_prefix(b"\0"));
        if let Some(text) = text.filter(|_| &head[4..] == b"tEXt") {
            return String::from_utf8(text.to_vec()).ok();
        }
    }
}

/// Among the comments at the head.
fn of_text(input: impl Read) -> Option<String> {
    let mut lines = BufReader::new(input.take(LONGEST as u64));
    let mut line = Vec::new();
    loop {
        line.clear();
        lines.read_until(b'\n', &mut line).ok()?;
        let comment =
            line.trim_ascii().strip_prefix(b"#").or_else(|| line.trim_ascii().strip_prefix(b"%"))?;
        let note = comment.trim_ascii().strip_prefix(KEY.as_bytes()).map(<[u8]>::trim_ascii);
        if let Some(note) = note.filter(|note| note.starts_with(b"{")) {
            return String::from_utf8(note.to_vec()).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Network, NpzWriter, write_network_with_note};

    const SAID: &str = r#"{"command":"network generate er","config":{"seed":7}}"#;

    #[test]
    fn every_format_gives_its_note_back() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let network = Network::simple(3, &[(0, 1), (1, 2)]).unwrap();
        for name in ["a.txt", "a.txt.gz", "a.tsv.zst", "a.mtx", "a.mtx.gz", "a.npz"] {
            write_network_with_note(&at(name), &network, Some(SAID)).unwrap();
            assert_eq!(read_note(&at(name)).unwrap().as_deref(), Some(SAID), "{name}");
            let (again, _) =
                crate::data::read_network(&at(name), &crate::data::ReadOptions::default()).unwrap();
            assert_eq!((again.nodes(), again.edges()), (3, 2), "{name}");
            write_network_with_note(&at(name), &network, None).unwrap();
            assert_eq!(read_note(&at(name)).unwrap(), None, "{name}");
        }
        let mut npz = NpzWriter::new();
        npz.note(SAID);
        npz.save(&at("w.npz")).unwrap();
        assert_eq!(read_note(&at("w.npz")).unwrap().as_deref(), Some(SAID));
    }

    #[cfg(feature = "image")]
    #[test]
    fn a_picture_gives_its_note_back() {
        use crate::data::Image;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let png = Image::new((1, 2), 1, vec![0.0, 1.0]).unwrap().png().unwrap();
        std::fs::write(at("p.png"), png_with_note(png.clone(), SAID)).unwrap();
        assert_eq!(read_note(&at("p.png")).unwrap().as_deref(), Some(SAID));
        assert_eq!(Image::open(&at("p.png"), false).unwrap().0.shape(), (1, 2));
        std::fs::write(at("p.png"), png).unwrap();
        assert_eq!(read_note(&at("p.png")).unwrap(), None);
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn a_parquet_table_gives_its_note_back() {
        use crate::data::{NodeIds, write_pairs_parquet};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.parquet");
        let mut file = Vec::new();
        let pairs = [(0, 1, 0.5, 1)].into_iter();
        write_pairs_parquet(pairs, &NodeIds::numbered(2), Some(SAID), &mut file, Path::new("p")).unwrap();
        std::fs::write(&path, file).unwrap();
        assert_eq!(read_note(&path).unwrap().as_deref(), Some(SAID));
    }

    #[test]
    fn what_has_no_note_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x");
        for bytes in [&b""[..], b"1 2\n", b"# ergodict\n1 2\n", b"PK\x03\x04", b"PAR1", PNG, b"\x89PNG", b"#"]
        {
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(read_note(&path).unwrap(), None, "{bytes:?}");
        }
    }
}
