//! Matrix Market files (`.mtx`): the matrix of a network as text, an entry a line.
//!
//! | in the file | here |
//! |---|---|
//! | `coordinate` / `array` | entries `row column value` / all values by columns, zeros are no edges |
//! | `real`, `integer` / `pattern` | weights / none |
//! | `symmetric` / `general` | undirected / undirected where the matrix is symmetric, else directed |
//! | index `i`, from 1 | the node called `i`; also where it has no edge |

use super::NodeIds;
use super::matrix_list::{self, Entries};
use super::read::negative;
use crate::data::Input;
use crate::data::npy_header::shorten;
use crate::{Error, Result};
use rayon::prelude::*;
use std::io::Read;
use std::path::Path;

/// Bytes read at a time, and how they are parted among threads.
#[derive(Clone, Copy)]
struct Blocks {
    bytes: usize,
    piece: usize,
}

const BLOCKS: Blocks = Blocks { bytes: 16 << 20, piece: 1 << 20 };
/// The longest line; nothing that is an entry comes near, comments may.
const LONGEST_LINE: usize = 1 << 20;

/// Reads the network of a Matrix Market file.
///
/// # Errors
/// [`Error::Format`] with the line that is wrong, or with a negative weight unless weights are ignored; [`Error::Io`].
pub(crate) fn read(path: &Path, input: Input, ignore_weights: bool) -> Result<Entries> {
    read_blocks(path, input, ignore_weights, BLOCKS)
}

/// The same, to be read some entries at a time, out of about that many bytes of text.
pub(super) fn stream(
    path: &Path,
    input: Input,
    ignore_weights: bool,
    bytes: usize,
) -> Result<Stream<'_, Input>> {
    let bytes = bytes.min(BLOCKS.bytes);
    Stream::open(path, input, ignore_weights, Blocks { bytes, piece: BLOCKS.piece.min(bytes.div_ceil(4)) })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Banner {
    dense: bool,
    pattern: bool,
    symmetric: bool,
}

/// The size line, and how many lines of entries follow.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    nodes: usize,
    entries: u64,
}

fn read_blocks(path: &Path, input: impl Read, ignore_weights: bool, blocks: Blocks) -> Result<Entries> {
    let mut stream = Stream::open(path, input, ignore_weights, blocks)?;
    let mut ends: Vec<(u32, u32)> = Vec::with_capacity(stream.sizes.entries.min(1 << 24) as usize);
    let mut weights: Vec<f64> = Vec::new();
    while let Some(pieces) = stream.next()? {
        for (some, their) in pieces {
            ends.extend_from_slice(&some);
            weights.extend_from_slice(&their);
        }
    }
    let ids = NodeIds::integers((1..=stream.sizes.nodes as i64).collect());
    let weights = stream.is_weighted().then_some(weights);
    if stream.is_symmetric() {
        return Ok(matrix_list::triangle(ids, ends, weights, ignore_weights));
    }
    matrix_list::edges(ids, ends, weights, ignore_weights)
}

/// Entries of a matrix, some at a time.
pub(super) struct Stream<'a, R> {
    path: &'a Path,
    lines: Lines<'a, R>,
    banner: Banner,
    sizes: Sizes,
    ignore_weights: bool,
    piece: usize,
    dense: Dense,
    /// Entries so far.
    count: u64,
}

/// Some entries: their places, and their weights where there are any.
pub(super) type Part = (Vec<(u32, u32)>, Vec<f64>);

impl<'a, R: Read> Stream<'a, R> {
    fn open(path: &'a Path, input: R, ignore_weights: bool, blocks: Blocks) -> Result<Self> {
        let mut lines = Lines { path, input, blocks, bytes: Vec::new(), taken: 0, line: 0, ended: false };
        let banner =
            lines.next()?.ok_or_else(|| Error::format(path, None, "is empty: expected %%MatrixMarket"))?;
        let banner = banner.strip_prefix(b"\xef\xbb\xbf").unwrap_or(banner);
        let banner = parse_banner(banner).map_err(|problem| Error::format(path, Some(1), problem))?;
        let sizes = loop {
            let Some(line) = lines.next()? else {
                return Err(Error::format(path, None, "ends before the line of its sizes"));
            };
            let blank = line.trim_ascii().is_empty() || line.starts_with(b"%");
            let parsed = if blank { None } else { Some(parse_sizes(line, banner.dense)) };
            if let Some(parsed) = parsed {
                let at = Some(lines.line);
                let (rows, columns, entries) = parsed.map_err(|problem| Error::format(path, at, problem))?;
                let nodes = matrix_list::nodes(path, at, rows, columns, entries)?;
                let triangle = rows * (rows + 1) / 2;
                let entries = if banner.dense && banner.symmetric { triangle } else { entries };
                break Sizes { nodes, entries };
            }
        };
        let dense = Dense { nodes: sizes.nodes as u64, symmetric: banner.symmetric, row: 0, column: 0 };
        let piece = blocks.piece;
        Ok(Self { path, lines, banner, sizes, ignore_weights, piece, dense, count: 0 })
    }

    /// Number of nodes.
    pub(super) fn nodes(&self) -> u64 {
        self.sizes.nodes as u64
    }

    /// Whether entries have weights.
    pub(super) fn is_weighted(&self) -> bool {
        !self.banner.pattern
    }

    /// Whether the matrix is said to be symmetric, so that one triangle of it is there.
    pub(super) fn is_symmetric(&self) -> bool {
        self.banner.symmetric
    }

    /// The next entries; none at the end.
    ///
    /// # Errors
    /// As [`read`].
    pub(super) fn next(&mut self) -> Result<Option<Vec<Part>>> {
        let (path, banner, sizes) = (self.path, self.banner, self.sizes);
        let Some((block, first)) = self.lines.block()? else {
            if self.count < sizes.entries {
                let (expected, count) = (sizes.entries, self.count);
                let problem = format!("is truncated: expected {expected} entries, found {count}");
                return Err(Error::format(path, None, problem));
            }
            return Ok(None);
        };
        let parse = |text| {
            if banner.dense { parse_values(text) } else { parse_entries(text, banner, sizes.nodes) }
        };
        let pieces: Vec<Piece> = cut(block, self.piece).into_par_iter().map(parse).collect();
        let (mut line, mut found) = (first, Vec::with_capacity(pieces.len()));
        for piece in pieces {
            let before = self.count;
            self.count += if banner.dense { piece.weights.len() } else { piece.ends.len() } as u64;
            let surplus =
                (self.count > sizes.entries).then(|| piece.line_of((sizes.entries - before) as usize));
            if let Some((at, weight)) = piece.negative.filter(|_| !self.ignore_weights)
                && surplus.is_none_or(|surplus| at < surplus)
            {
                return Err(Error::format(path, Some(line + at), negative(weight)));
            }
            if let Some(at) = surplus {
                let at = line + at;
                let entries = sizes.entries;
                let problem =
                    format!("comes after the last of {entries} entries: expected the end of the file");
                return Err(Error::format(path, Some(at), problem));
            }
            if let Some((at, problem)) = piece.wrong {
                return Err(Error::format(path, Some(line + at), problem));
            }
            line += piece.lines;
            found.push(if banner.dense {
                self.dense.places(&piece.weights)
            } else {
                (piece.ends, piece.weights)
            });
        }
        Ok(Some(found))
    }
}

fn parse_banner(line: &[u8]) -> std::result::Result<Banner, String> {
    let text = String::from_utf8_lossy(line).to_ascii_lowercase();
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    let ["%%matrixmarket", object, format, field, symmetry] = words[..] else {
        return Err("is no Matrix Market banner: expected `%%MatrixMarket matrix coordinate real general` \
                    or the like"
            .into());
    };
    if object != "matrix" {
        return Err(format!("holds a {}: expected a matrix", shorten(object)));
    }
    let dense = match format {
        "coordinate" => false,
        "array" => true,
        other => return Err(format!("has the format `{}`: expected coordinate or array", shorten(other))),
    };
    let pattern = match field {
        "real" | "double" | "integer" | "unsigned-integer" => false,
        "pattern" if !dense => true,
        "complex" => return Err("holds complex numbers: the weights of a network are real".into()),
        other => {
            return Err(format!("has the field `{}`: expected real, integer or pattern", shorten(other)));
        }
    };
    let symmetric = match symmetry {
        "general" => false,
        "symmetric" => true,
        "skew-symmetric" => {
            return Err(
                "is skew-symmetric, so that each edge has a negative weight in one direction: expected \
                        general or symmetric"
                    .into(),
            );
        }
        "hermitian" => return Err("is hermitian, of complex numbers: expected general or symmetric".into()),
        other => return Err(format!("has the symmetry `{}`: expected general or symmetric", shorten(other))),
    };
    Ok(Banner { dense, pattern, symmetric })
}

/// Rows, columns and entries.
fn parse_sizes(line: &[u8], dense: bool) -> std::result::Result<(u64, u64, u64), String> {
    let text = String::from_utf8_lossy(line);
    let numbers: Vec<Option<u64>> = text.split_ascii_whitespace().map(|word| word.parse().ok()).collect();
    let sizes = match numbers[..] {
        [Some(rows), Some(columns)] if dense => {
            rows.checked_mul(columns).map(|entries| (rows, columns, entries))
        }
        [Some(rows), Some(columns), Some(entries)] if !dense => Some((rows, columns, entries)),
        _ => None,
    };
    let expected = if dense { "`rows columns`" } else { "`rows columns entries`" };
    sizes.ok_or_else(|| format!("is `{}`: expected the sizes {expected}", shorten(text.trim())))
}

/// Where the next value of an array goes: down the columns, of symmetric ones from the diagonal.
struct Dense {
    nodes: u64,
    symmetric: bool,
    row: u64,
    column: u64,
}

impl Dense {
    /// The places of values that are not zero, with them.
    fn places(&mut self, values: &[f64]) -> Part {
        let placed = values.iter().map(|&value| (self.next(), value));
        placed.filter(|(_, value)| *value != 0.0).unzip()
    }

    fn next(&mut self) -> (u32, u32) {
        let place = (self.row as u32, self.column as u32);
        self.row += 1;
        if self.row == self.nodes {
            self.column += 1;
            self.row = if self.symmetric { self.column } else { 0 };
        }
        place
    }
}

/// What a thread made out of some lines.
#[derive(Default)]
struct Piece {
    ends: Vec<(u32, u32)>,
    weights: Vec<f64>,
    /// Lines, whatever they hold.
    lines: u64,
    /// Lines from the first of the piece that are no entries, ascending.
    skipped: Vec<u64>,
    /// The first weight below zero, with its line from 0.
    negative: Option<(u64, f64)>,
    /// The first line that is wrong, from 0, and why.
    wrong: Option<(u64, String)>,
}

impl Piece {
    fn push_weight(&mut self, weight: f64) {
        if weight < 0.0 {
            self.negative.get_or_insert((self.lines, weight));
        }
        self.weights.push(weight);
    }

    /// The line, from 0, of an entry.
    fn line_of(&self, entry: usize) -> u64 {
        self.skipped.iter().fold(entry as u64, |line, skipped| line + u64::from(*skipped <= line))
    }

    fn each_line(
        text: &[u8],
        mut entry: impl FnMut(&mut Self, &[u8]) -> std::result::Result<(), String>,
    ) -> Self {
        let mut piece = Self::default();
        let lines = text.strip_suffix(b"\n").unwrap_or(text).split(|b| *b == b'\n');
        for line in lines {
            let content = line.trim_ascii();
            if content.is_empty() || content[0] == b'%' {
                piece.skipped.push(piece.lines);
            } else if let Err(problem) = entry(&mut piece, content) {
                piece.wrong = Some((piece.lines, problem));
                return piece;
            }
            piece.lines += 1;
        }
        piece
    }
}

fn parse_entries(text: &[u8], banner: Banner, nodes: usize) -> Piece {
    Piece::each_line(text, |piece, line| {
        let mut rest = line;
        let mut end = || {
            let word = word(&mut rest);
            index(word).filter(|i| (1..=nodes as u64).contains(i)).map(|i| (i - 1) as u32).ok_or_else(|| {
                format!("has the index `{}`: expected a whole number from 1 to {nodes}", lossy(word))
            })
        };
        let ends = (end()?, end()?);
        if !banner.pattern {
            piece.push_weight(number(word(&mut rest))?);
        }
        if !rest.trim_ascii_start().is_empty() {
            let expected = if banner.pattern { "`row column`" } else { "`row column value`" };
            return Err(format!("is `{}`: expected {expected}", lossy(line)));
        }
        piece.ends.push(ends);
        Ok(())
    })
}

fn parse_values(text: &[u8]) -> Piece {
    Piece::each_line(text, |piece, line| {
        piece.push_weight(number(line)?);
        Ok(())
    })
}

fn lossy(word: &[u8]) -> String {
    shorten(&String::from_utf8_lossy(word))
}

/// The next word, which is taken away; empty at the end.
fn word<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    let text = rest.trim_ascii_start();
    let length = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    let (word, after) = text.split_at(length);
    *rest = after;
    word
}

/// A whole number of at most 18 digits.
fn index(word: &[u8]) -> Option<u64> {
    if word.is_empty() || word.len() > 18 {
        return None;
    }
    word.iter()
        .try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + u64::from(digit - b'0')))
}

fn number(word: &[u8]) -> std::result::Result<f64, String> {
    // Most values are small whole numbers, which need no decimal conversion.
    if word.len() <= 15
        && let Some(whole) = index(word)
    {
        return Ok(whole as f64);
    }
    let value = std::str::from_utf8(word).ok().and_then(|text| text.parse::<f64>().ok());
    value
        .filter(|x| x.is_finite())
        .ok_or_else(|| format!("has the value `{}`: expected a finite number", lossy(word)))
}

/// Text that ends with a line, cut into pieces that do.
fn cut(mut text: &[u8], size: usize) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    while text.len() > size {
        let end = text[size - 1..].iter().position(|b| *b == b'\n').map_or(text.len(), |at| size + at);
        let (piece, rest) = text.split_at(end);
        pieces.push(piece);
        text = rest;
    }
    if !text.is_empty() {
        pieces.push(text);
    }
    pieces
}

/// Gives lines one at a time, then whole blocks of them.
struct Lines<'a, R> {
    path: &'a Path,
    input: R,
    blocks: Blocks,
    bytes: Vec<u8>,
    /// Bytes that were handed out already.
    taken: usize,
    /// Lines that were handed out already.
    line: u64,
    ended: bool,
}

impl<R: Read> Lines<'_, R> {
    /// Forgets what was handed out and reads on; false at the end.
    fn more(&mut self, bytes: usize) -> Result<bool> {
        self.bytes.drain(..self.taken);
        self.taken = 0;
        let read = (&mut self.input).take(bytes as u64).read_to_end(&mut self.bytes);
        self.ended |= read.map_err(Error::io(self.path))? < bytes;
        Ok(!self.ended)
    }

    fn next(&mut self) -> Result<Option<&[u8]>> {
        let mut searched = 0;
        let length = loop {
            let rest = &self.bytes[self.taken..];
            if let Some(at) = rest[searched..].iter().position(|b| *b == b'\n') {
                break searched + at + 1;
            }
            searched = rest.len();
            if self.ended {
                break searched;
            }
            if searched > LONGEST_LINE {
                return Err(self.too_long());
            }
            self.more(self.blocks.bytes.min(1 << 16))?;
        };
        if length == 0 {
            return Ok(None);
        }
        let line = &self.bytes[self.taken..self.taken + length];
        self.taken += length;
        self.line += 1;
        Ok(Some(line))
    }

    fn too_long(&self) -> Error {
        let problem = format!("is longer than {LONGEST_LINE} bytes: expected an entry a line");
        Error::format(self.path, Some(self.line + 1), problem)
    }

    /// The next whole lines, and the number of the first.
    fn block(&mut self) -> Result<Option<(&[u8], u64)>> {
        // What `next` read already is not parted from the block that follows it.
        let length = loop {
            let more = self.more(self.blocks.bytes)?;
            match self.bytes.iter().rposition(|b| *b == b'\n') {
                _ if !more => break self.bytes.len(),
                Some(at) => break at + 1,
                None if self.bytes.len() > LONGEST_LINE => return Err(self.too_long()),
                None => {}
            }
        };
        if length == 0 {
            return Ok(None);
        }
        let block = &self.bytes[..length];
        let first = self.line + 1;
        self.line += block.iter().map(|b| u64::from(*b == b'\n')).sum::<u64>();
        self.taken = length;
        Ok(Some((block, first)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Build, EdgeList, Network};
    use super::*;

    fn list(text: &str) -> Result<EdgeList> {
        read_blocks(Path::new("m.mtx"), text.as_bytes(), true, BLOCKS)?;
        Ok(read_blocks(Path::new("m.mtx"), text.as_bytes(), false, BLOCKS)?.list)
    }

    #[test]
    fn entries_become_edges_of_nodes_called_as_in_the_file() {
        let text =
            "%%MatrixMarket matrix coordinate real general\r\n% note\n\n3 3 2\r\n1 2 0.5\n % x\n3 1 2e0";
        let found = list(text).unwrap();
        assert_eq!(found.ends, [(0, 1), (2, 0)]);
        assert_eq!((found.weights, found.directed), (Some(vec![0.5, 2.0]), Some(true)));
        assert_eq!(found.ids, NodeIds::integers(vec![1, 2, 3]));
        let text = "%%matrixmarket MATRIX Coordinate Pattern Symmetric\n4 4 2\n2 1\n4 4\n";
        let found = list(text).unwrap();
        assert_eq!(
            (&found.ends[..], found.weights, found.directed),
            (&[(1, 0), (3, 3)][..], None, Some(false))
        );
        assert_eq!(found.ids.len(), 4);
        let text = "%%MatrixMarket matrix coordinate integer general\n2 2 3\n1 2 7\n2 1 7\n1 1 0\n";
        let found = list(text).unwrap();
        assert_eq!(
            (&found.ends[..], found.weights, found.directed),
            (&[(0, 1)][..], Some(vec![7.0]), Some(false))
        );
        assert!(list("%%MatrixMarket matrix coordinate real general\n0 0 0\n").unwrap().ids.is_empty());
    }

    #[test]
    fn arrays_run_down_the_columns() {
        let found = list("\u{feff}%%MatrixMarket matrix array real general\n2 2\n0\n1.5\n0\n3\n").unwrap();
        assert_eq!(
            (&found.ends[..], found.weights, found.directed),
            (&[(1, 0), (1, 1)][..], Some(vec![1.5, 3.0]), Some(true))
        );
        let found = list("%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n").unwrap();
        assert_eq!(found.ends, [(0, 0), (1, 0), (2, 0), (1, 1), (2, 1), (2, 2)]);
        assert_eq!(found.directed, Some(false));
        let (network, _) = Network::from_list(found, Build::default()).unwrap();
        assert_eq!(network.weight(1, 2), 5.0);
    }

    #[test]
    fn every_cut_gives_the_same_edges_and_the_same_lines_of_errors() {
        let mut text = String::from("%%MatrixMarket matrix coordinate real general\n%\n 50 50 60\n");
        for i in 1..=60 {
            use std::fmt::Write;
            writeln!(
                text,
                "{} {}\t{}{}",
                i % 50 + 1,
                i % 7 + 1,
                f64::from(i) / 8.0,
                ["", " \n%c", "\n"][i as usize % 3]
            )
            .unwrap();
        }
        let expected = list(&text).unwrap();
        let last =
            text.trim_end().rsplit('\n').find(|l| !l.starts_with('%') && !l.is_empty()).unwrap().to_owned();
        let wrong = text.replace(&last, "1 2 x");
        let below_zero = text.replace(&last, "1 2 -2");
        let negative = list(&below_zero).unwrap_err().to_string();
        let line = 1 + below_zero.lines().position(|l| l == "1 2 -2").unwrap();
        assert!(negative.starts_with(&format!("m.mtx:{line}: has the weight -2")), "{negative}");
        let surplus = text.clone() + "1 1 -1\n";
        let (message, too_many) =
            (list(&wrong).unwrap_err().to_string(), list(&surplus).unwrap_err().to_string());
        let line = 1 + wrong.lines().position(|l| l == "1 2 x").unwrap();
        assert_eq!(message, format!("m.mtx:{line}: has the value `x`: expected a finite number"));
        let line = surplus.lines().count();
        assert_eq!(
            too_many,
            format!("m.mtx:{line}: comes after the last of 60 entries: expected the end of the file")
        );
        for bytes in 1..90 {
            for piece in [1, 5, 17, 64] {
                let blocks = Blocks { bytes, piece };
                let read = |text: &str| read_blocks(Path::new("m.mtx"), text.as_bytes(), false, blocks);
                let found = read(&text).unwrap().list;
                assert_eq!((&found.ends, &found.weights), (&expected.ends, &expected.weights));
                assert_eq!(read(&below_zero).unwrap_err().to_string(), negative);
                assert_eq!(read(&wrong).unwrap_err().to_string(), message);
                assert_eq!(read(&surplus).unwrap_err().to_string(), too_many);
            }
        }
    }
}
