//! Reads edge lists: two ids a line and, where wanted, a weight.
//!
//! | step | where |
//! |---|---|
//! | separator, header and columns from the first lines | `layout` |
//! | blocks of whole lines, one read while the one before is parsed in parallel pieces | here |
//! | lists in another syntax, which are refused | `syntax` |
//! | a line's fields; the lines of a piece; their numbers | `line`, `chunk`, `numbers` |
//! | indices in ascending order of the ids | `indices` |
//!
//! What is read does not depend on blocks, pieces or threads, and of several faults the one on the first line is reported.

mod blocks;
mod chunk;
mod indices;
mod konect;
mod layout;
pub(super) mod line;
mod names;
mod numbers;
mod syntax;

use super::columns::{Directions, Doubt};
use super::line_ends::LineEnds;
use super::{NodeIds, ReadOptions};
use crate::error::Problem;
use crate::{Error, Result};
pub(super) use blocks::{Blocks, EdgeBlock, IntegerEdges};
use chunk::Chunk;
pub(super) use chunk::LONGEST_LINE;
pub(super) use indices::integer_indices;
pub(super) use konect::konect;
pub(super) use layout::separator;
use layout::{Layout, Weight};

pub use line::TYPOGRAPHIC;
pub(super) use line::canonical as integer_of;
pub(super) use line::{Separator, content, split};
pub(super) use names::NodeNames;
use rayon::prelude::*;
use std::io::Read;
use std::path::Path;
pub(super) use syntax::other as other_syntax;

/// Edges as a file lists them: loops, repeated edges and weights of any sign are still there.
///
/// ```
/// use ergodict::data::{Build, EdgeList, Network};
/// let list = EdgeList::of_integers(vec![(10, 20), (20, 30)], &[40], None, None).expect("few nodes");
/// let (network, _) = Network::from_list(list, Build::default())?;
/// assert_eq!((network.nodes(), network.ids().name(3)), (4, "40".into()));
/// # Ok::<(), ergodict::Error>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct EdgeList {
    /// The nodes that occur.
    pub ids: NodeIds,
    /// Both ends of every edge, as nodes.
    pub ends: Vec<(u32, u32)>,
    /// A finite number for every edge, where the file has them.
    pub weights: Option<Vec<f64>>,
    /// Whether edges have a direction, where the file says so.
    pub directed: Option<bool>,
}

/// An edge list with what was noticed in it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct EdgeListText {
    pub(super) list: EdgeList,
    pub(super) noticed: ListNotes,
}

/// What was noticed in an edge list.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct ListNotes {
    /// The line of the header.
    pub(super) header: Option<u64>,
    /// The column of the weights, from 1, where it is one that they are in.
    pub(super) weight_column: Option<usize>,
    /// Whether there are weights that were not looked at.
    pub(super) ignored_weights: bool,
    /// Columns that the header names and nothing is made of.
    pub(super) unused: Vec<String>,
    /// An unused column without a name that has times.
    pub(super) times: Option<String>,
    /// The first line, where it is taken for an edge but could be a header.
    pub(super) doubts: Vec<Doubt>,
    /// The first weight below zero, with its line.
    pub(super) negative: Option<(u64, f64)>,
    /// Edges that were listed before and are left out already.
    pub(super) repeated: u64,
}

/// Reads the edges of a text file: two ids a line and, where wanted, a third field with a finite number.
///
/// Blanks, tabs, commas or semicolons separate; ids with such characters in them stand in `"`. Lines that begin with
/// `#`, `%` or `//` are comments; one that begins with the word `directed` or `undirected` says which it is. A first
/// line that names columns is a header. Lines as networkx writes them, `a b {'weight': 0.5}`, are understood. `-` is
/// standard input; gzip and zstd are recognized by content.
///
/// ```
/// let path = std::env::temp_dir().join(format!("ergodict-{}.edges", std::process::id()));
/// std::fs::write(&path, "# a path\na b 1\nb c -0.5\n").unwrap();
/// let list = ergodict::data::read_edge_list(&path)?;
/// assert_eq!(list.ids.name(2), "c");
/// assert_eq!((list.ends, list.weights), (vec![(0, 1), (1, 2)], Some(vec![1.0, -0.5])));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), ergodict::Error>(())
/// ```
///
/// # Errors
/// [`Error::Format`] with the line that is no edge, or when there is none; [`Error::Io`].
pub fn read_edge_list(path: &Path) -> Result<EdgeList> {
    Ok(read(path, crate::data::open(path)?, &ReadOptions::default())?.list)
}

/// Bytes of a block and of a piece of it that one thread parses.
#[derive(Clone, Copy)]
struct Sizes {
    block: usize,
    piece: usize,
}

/// Two blocks are in memory at a time. Pieces are large in addition to the work of handing one out, and small enough for every
/// thread to have some.
const SIZES: Sizes = Sizes { block: 8 << 20, piece: 1 << 20 };

/// Bytes read before it is known that there are many.
const FIRST: usize = 1 << 16;

/// Bytes that an edge takes until it is in a network, at most: its ends as read and as indices, and entries of both rows, twice while they are sorted.
const EDGE: u64 = 48;

/// Reads an edge list from an input that was opened.
fn read(path: &Path, input: impl Read + Send, options: &ReadOptions) -> Result<EdgeListText> {
    read_sized(path, LineEnds::new(input), Parser::new(path, options, SIZES.piece), SIZES)
}

/// The same for a network, in which an edge without a weight is there or not: where most lines repeat others they are counted and left out.
pub(super) fn read_united(
    path: &Path,
    input: impl Read + Send,
    options: &ReadOptions,
) -> Result<EdgeListText> {
    let parser = Parser { unites: true, ..Parser::new(path, options, SIZES.piece) };
    read_sized(path, LineEnds::new(input), parser, SIZES)
}

/// Reads an edge list from memory; `path` is for messages.
pub(super) fn parse(path: &Path, text: &[u8], options: &ReadOptions) -> Result<EdgeListText> {
    let mut parser = Parser::new(path, options, SIZES.piece);
    if text.contains(&b'\r') {
        let mut lines = Vec::with_capacity(text.len());
        LineEnds::new(text).read_to_end(&mut lines).map_err(Error::io(path))?;
        parser.block(&lines)?;
    } else {
        parser.block(text)?;
    }
    parser.finish()
}

/// One block is read, and decompressed, while the one before is parsed.
fn read_sized(
    path: &Path,
    mut input: impl Read + Send,
    mut parser: Parser<'_>,
    sizes: Sizes,
) -> Result<EdgeListText> {
    let (mut now, mut next) = (Vec::new(), Vec::new());
    let mut more = fill(&mut input, &mut now, sizes.block).map_err(Error::io(path))?;
    loop {
        // What follows the last whole line belongs to the next block; a line that fills a block is too long anyway.
        let end = now.iter().rposition(|&byte| byte == b'\n').map_or(now.len(), |at| at + 1);
        // Waking threads takes longer than a small file.
        if !more {
            parser.block(&now)?;
            return parser.finish();
        }
        next.clear();
        next.extend_from_slice(&now[end..]);
        let (parsed, filled) =
            rayon::join(|| parser.block(&now[..end]), || fill(&mut input, &mut next, sizes.block));
        parsed?;
        more = filled.map_err(Error::io(path))?;
        std::mem::swap(&mut now, &mut next);
    }
}

/// Reads until the buffer has that many bytes; false at the end of the input.
fn fill(input: &mut (impl Read + Send), buffer: &mut Vec<u8>, bytes: usize) -> std::io::Result<bool> {
    let wanted = bytes.saturating_sub(buffer.len()).max(1);
    let first = wanted.min(FIRST);
    // A small file should not take a large buffer.
    for part in [first, wanted - first] {
        buffer.reserve_exact(part);
        if input.by_ref().take(part as u64).read_to_end(buffer)? < part {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The state between blocks.
struct Parser<'a> {
    path: &'a Path,
    options: &'a ReadOptions,
    piece: usize,
    layout: Option<Layout>,
    chunks: Vec<Chunk>,
    /// Lines of all blocks so far.
    lines: u64,
    bytes: u64,
    directed: Option<bool>,
    directions: Directions,
    negative: Option<(u64, f64)>,
    /// Whether edges that are listed again may be left out, how many were, and how many are held.
    unites: bool,
    repeated: u64,
    held: u64,
}

impl<'a> Parser<'a> {
    fn new(path: &'a Path, options: &'a ReadOptions, piece: usize) -> Self {
        let (layout, chunks, directed, negative) = (None, Vec::new(), None, None);
        let directions = Directions::default();
        let (lines, bytes, unites, repeated, held) = (0, 0, false, 0, 0);
        Self {
            path,
            options,
            piece,
            layout,
            chunks,
            lines,
            bytes,
            directed,
            directions,
            negative,
            unites,
            repeated,
            held,
        }
    }

    /// Parses a block of whole lines.
    fn block(&mut self, mut text: &[u8]) -> Result<()> {
        if self.bytes == 0 {
            text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        }
        self.bytes += text.len() as u64;
        if self.layout.is_none() {
            self.directed = self.directed.or_else(|| direction(text));
            let layout = Layout::find(text, self.lines + 1, self.options);
            self.layout = layout.map_err(|(line, problem)| problem.at(self.path, Some(line)))?;
            let told = self.layout.as_ref().and_then(|layout| layout.direction.as_ref());
            self.directed = self.directed.or(told.map(|direction| direction.directed));
            if let Some(header) = self.layout.as_ref().and_then(|layout| layout.header) {
                while self.lines < header {
                    let end = text.iter().position(|&byte| byte == b'\n').map_or(text.len(), |at| at + 1);
                    text = &text[end..];
                    self.lines += 1;
                }
            }
        }
        let Some(layout) = &self.layout else {
            self.lines += text.split_inclusive(|&byte| byte == b'\n').count() as u64;
            return Ok(());
        };
        let unites = self.unites && matches!(layout.weight, Weight::None | Weight::Ignored);
        let parse = |piece, above| {
            let mut chunk = Chunk::parse(piece, layout, above);
            let repeated = if unites { chunk.ends.unite() } else { 0 };
            (chunk, repeated)
        };
        let mut pieces = pieces(text, self.piece).into_iter();
        let mut chunks: Vec<(Chunk, u64)> = Vec::new();
        // Comments above the first edge are read by other rules: until it is found, one piece after the other.
        if self.chunks.is_empty() {
            for piece in pieces.by_ref() {
                chunks.push(parse(piece, true));
                if chunks.last().is_some_and(|(chunk, _)| chunk.ends.len() > 0 || chunk.problem.is_some()) {
                    break;
                }
            }
        }
        let rest: Vec<&[u8]> = pieces.collect();
        chunks.par_extend(rest.into_par_iter().map(|piece| parse(piece, false)));
        for (chunk, repeated) in chunks {
            self.repeated += repeated;
            self.held += chunk.ends.len() as u64;
            if let (None, Some((line, weight))) = (self.negative, chunk.negative) {
                self.negative = Some((self.lines + line + 1, weight));
            }
            self.directions.append(&chunk.directions);
            self.lines += chunk.lines;
            if let Some(problem) = chunk.problem {
                return Err(problem.at(self.path, Some(self.lines + 1)));
            }
            if chunk.ends.len() > 0 {
                self.chunks.push(chunk);
            }
        }
        let what = format!("{}: a network of the first {} edges", self.path.display(), self.held);
        crate::memory::check(self.held * EDGE, &what, "convert it to .egr, which takes little memory")
    }

    /// Refuses edges of both kinds, once all lines were read.
    fn check_directions(&self) -> Result<()> {
        let hint = |problem| Problem::hinting(problem, "undirected", "true").at(self.path, None);
        self.directions.check().map_err(hint)
    }

    fn finish(mut self) -> Result<EdgeListText> {
        self.check_directions()?;
        let path = self.path;
        let bad = |problem: &str| Err(Error::format(path, None, problem));
        if self.bytes == 0 {
            return bad("is empty: expected lines such as `a b` or `a b 0.5`");
        }
        if self.chunks.is_empty() {
            return bad("holds no edge: expected lines such as `a b` or `a b 0.5`");
        }
        let noticed = self.noticed();
        let weights = self.is_weighted().then(|| {
            let mut weights = Vec::with_capacity(self.chunks.iter().map(|chunk| chunk.weights.len()).sum());
            for chunk in &mut self.chunks {
                weights.append(&mut chunk.weights);
                chunk.weights = Vec::new();
            }
            weights
        });
        let Some((ids, ends)) = indices::indices(self.chunks) else {
            return bad("holds more than 2³² nodes, which is too many");
        };
        Ok(EdgeListText { list: EdgeList { ids, ends, weights, directed: self.directed }, noticed })
    }

    fn is_weighted(&self) -> bool {
        self.layout.as_ref().is_some_and(|l| matches!(l.weight, Weight::Column(_) | Weight::Attribute))
    }

    fn noticed(&self) -> ListNotes {
        let Some(layout) = &self.layout else { return ListNotes::default() };
        ListNotes {
            header: layout.header,
            weight_column: if let Weight::Column(at) = layout.weight { Some(at + 1) } else { None },
            ignored_weights: layout.weight == Weight::Ignored,
            unused: layout.unused.clone(),
            times: layout.times.clone(),
            doubts: layout.doubts.clone(),
            negative: self.negative,
            repeated: self.repeated,
        }
    }
}

/// Whether comments before the first edge say that edges have a direction, as ours and KONECT's do. The SNAP collection writes
/// `# Directed graph (each unordered pair of nodes is saved once)` above undirected networks too, so that says nothing.
pub(super) fn direction(text: &[u8]) -> Option<bool> {
    if let Ok(Some(directed)) = konect(text) {
        return Some(directed);
    }
    for line in text.split(|&byte| byte == b'\n') {
        if line::content(line).is_some() {
            return None;
        }
        let said = line.trim_ascii().to_ascii_lowercase();
        let said = said.strip_prefix(b"#").or(said.strip_prefix(b"%")).unwrap_or_default();
        let word = said.trim_ascii_start().split(|byte| !byte.is_ascii_alphabetic()).next();
        let unsure = || said.windows(14).any(|words| words == b"unordered pair");
        match word.unwrap_or_default() {
            b"directed" if !unsure() => return Some(true),
            b"undirected" => return Some(false),
            _ => {}
        }
    }
    None
}

/// Parts of about that many bytes, of whole lines.
fn pieces(mut text: &[u8], bytes: usize) -> Vec<&[u8]> {
    let mut pieces = Vec::with_capacity(text.len() / bytes + 1);
    while text.len() > bytes {
        let Some(end) = text[bytes - 1..].iter().position(|&byte| byte == b'\n') else { break };
        let (piece, rest) = text.split_at(bytes + end);
        pieces.push(piece);
        text = rest;
    }
    if !text.is_empty() {
        pieces.push(text);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PATH: &str = "net.txt";

    fn read(text: &str) -> Result<EdgeListText> {
        parse(Path::new(PATH), text.as_bytes(), &ReadOptions::default())
    }

    fn message(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    /// The edges by name.
    fn named(parsed: &EdgeListText) -> Vec<(String, String, Option<f64>)> {
        let list = &parsed.list;
        let name = |v: u32| list.ids.name(v as usize).into_owned();
        let weight = |i: usize| list.weights.as_ref().map(|weights| weights[i]);
        list.ends.iter().enumerate().map(|(i, &(u, v))| (name(u), name(v), weight(i))).collect()
    }

    fn edges(text: &str) -> Vec<(String, String, Option<f64>)> {
        named(&read(text).unwrap())
    }

    fn expected(edges: &[(&str, &str, Option<f64>)]) -> Vec<(String, String, Option<f64>)> {
        edges.iter().map(|&(u, v, weight)| (u.into(), v.into(), weight)).collect()
    }

    #[test]
    fn separators_comments_and_ends_of_lines() {
        let plain = expected(&[("10", "7", None), ("7", "3", None)]);
        for text in [
            "10 7\n7 3\n",
            "\u{feff}# c\n% c\n// c\n\n10\t7\r\n   \r\n7\t3",
            "10,7\n7, 3\n",
            " 10 ; 7 \n7;3",
            "10 7\n7\t3\n",
            "10,7\n7 3\n",
            "\"10\",\"7\"\n\"7\",\"3\"\n",
            "10 7 {}\n7 3 {}\n",
            "10,7,{'color': 'red', 'n': 1}\n7,3,{}\n",
        ] {
            let parsed = read(text).unwrap();
            assert_eq!(named(&parsed), plain, "{text:?}");
            assert_eq!((parsed.noticed.header, parsed.list.directed), (None, None), "{text:?}");
            assert!(!parsed.list.ids.are_words());
        }
        let weighted = expected(&[("1", "2", Some(0.5)), ("2", "3", Some(-2.0))]);
        for text in [
            "1 2 0.5\n2 3 -2\n",
            "1,2,5e-1\n2,3,-2.0\n",
            "1 2,0.5\n2 3,-2\n",
            "1;2;.5\n2;3;-2.\n",
            "1 2 {'weight': 0.5}\n2 3 {'weight': -2, 'x': 1}\n",
        ] {
            let parsed = read(text).unwrap();
            assert_eq!(
                (named(&parsed), parsed.noticed.negative),
                (weighted.clone(), Some((2, -2.0))),
                "{text:?}"
            );
        }
    }

    #[test]
    fn words_may_hold_blanks_where_something_else_separates() {
        let towns = expected(&[("New York", "Boston", None), ("Boston", "Los Angeles", None)]);
        for text in [
            "New York,Boston\nBoston,Los Angeles\n",
            "New York ; Boston\nBoston;Los Angeles",
            "New York\tBoston\nBoston\tLos Angeles",
            "\"New York\" Boston\nBoston \"Los Angeles\"\n",
            "\"New York\",\"Boston\"\r\n\"Boston\",\"Los Angeles\"\r\n",
        ] {
            assert_eq!(edges(text), towns, "{text:?}");
        }
        // One id that is no canonical integer makes all of them words, in the order of bytes.
        let parsed = read("9 10\n10 07\n").unwrap();
        let names: Vec<_> = (0..3).map(|v| parsed.list.ids.name(v)).collect();
        assert_eq!((names, parsed.list.ids.are_words()), (vec!["07".into(), "10".into(), "9".into()], true));
    }

    #[test]
    fn headers_are_recognized_and_obeyed() {
        let two = expected(&[("1", "2", None), ("2", "3", None)]);
        let three = expected(&[("1", "2", Some(0.5)), ("2", "3", Some(1.5))]);
        for (text, expected, line) in [
            ("source,target\n1,2\n2,3\n", &two, 1),
            ("# c\n\nfrom\tto\n1\t2\n2\t3\n", &two, 3),
            ("u v\n1 2\n2 3\n", &two, 1),
            ("\"Source Node\",\"Target Node\"\n1,2\n2,3\n", &two, 1),
            ("a b w\n1 2 0.5\n2 3 1.5\n", &three, 1),
            ("weight,source,target\n0.5,1,2\n1.5,2,3\n", &three, 1),
            ("Source,Target,Type,Id,Label,Weight\n1,2,Undirected,0,,0.5\n2,3,Undirected,1,,1.5\n", &three, 1),
            (",source,target,weight\n0,1,2,0.5\n1,2,3,1.5\n", &three, 1),
            ("who,whom,year,weight\n1,2,1999,0.5\n2,3,2000,1.5\n", &three, 1),
            ("source,target,year\n1,2,0.5\n2,3,1.5\n", &two, 1),
            ("who,whom,year\n1,2,1999\n2,3,2000\n", &two, 1),
            ("u,v,value\n1,2,0.5\n2,3,1.5\n", &three, 1),
            ("node1,node2\n1,2\n2,3\n", &two, 1),
            ("v w\n1 2\n2 3\n", &two, 1),
            ("v w weight\n1 2 0.5\n2 3 1.5\n", &three, 1),
            ("i j J\n1 2 0.5\n2 3 1.5\n", &three, 1),
        ] {
            let parsed = read(text).unwrap();
            assert_eq!((&named(&parsed), parsed.noticed.header), (expected, Some(line)), "{text:?}");
        }
        // Words all along are no header.
        assert_eq!(read("a b\nc d\n").unwrap().noticed.header, None);
        assert_eq!(read("a b\n").unwrap().noticed.header, None);
        assert_eq!(read("a b 1\nc d 2\n").unwrap().noticed.header, None);
        assert!(message("source,target\n").contains("holds no edge"));
        assert!(
            message("source,target\n1,2,3\n").starts_with("net.txt:2: has 3 fields, but the header names 2")
        );
    }

    #[test]
    fn data_are_never_a_header() {
        for (text, first) in [
            ("node1 node2\nnode2 node3\n", ("node1", "node2", None)),
            ("node1 node2\nnode3 node4\n", ("node1", "node2", None)),
            ("from to\nto from\n", ("from", "to", None)),
            ("source target 1\na b 1\n", ("source", "target", Some(1.0))),
            ("0001 0002\n1000 1001\n", ("0001", "0002", None)),
            ("1.5 2.5\n1000 1001\n", ("1.5", "2.5", None)),
            ("x y 3\n1 2 3\n", ("x", "y", Some(3.0))),
        ] {
            let parsed = read(text).unwrap();
            assert_eq!(
                (named(&parsed)[0].clone(), parsed.noticed.header),
                (expected(&[first])[0].clone(), None),
                "{text:?}"
            );
            assert_eq!(parsed.list.ends.len(), 2);
        }
        for text in [
            "alice bob NA\nalice carol 2\n",
            "alice bob nan\nbob carol 2\n",
            "a b friend\nc d 2\n",
            "a b w\na c 2\n",
        ] {
            let message = message(text);
            assert!(
                message.starts_with("net.txt:1: has ") && message.ends_with("(unweighted=true)"),
                "{message}"
            );
        }
    }

    #[test]
    fn columns_that_are_no_weights_are_noted() {
        let parsed = read("source,target,year,a\u{7}b\n1,2,1999,x\n").unwrap();
        assert_eq!(
            (parsed.list.weights, parsed.noticed.unused),
            (None, vec!["year".to_owned(), "a\\u{7}b".to_owned()])
        );
        assert!(read("source,target,weight\n1,2,3\n").unwrap().noticed.unused.is_empty());
    }

    #[test]
    fn edges_of_both_kinds_in_one_table_are_refused_with_their_numbers() {
        let rows = |other: &str| {
            let rows = (0..300).fold(String::new(), |rows, at| rows + &format!("{at},{},Directed\n", at + 1));
            format!("Source,Target,Type\n{rows}5,2,{other}\n7,2,{other}\n")
        };
        let read = |text: &str, directed| {
            let options = ReadOptions { directed, ..ReadOptions::default() };
            crate::data::parse_network(text.as_bytes(), &options)
        };
        for directed in [None, Some(true)] {
            let message = read(&rows("Undirected"), directed).unwrap_err().to_string();
            assert!(message.contains("has 300 directed and 2 undirected edges"), "{message}");
        }
        assert_eq!(read(&rows("Undirected"), Some(false)).unwrap().0.edges(), 302);
        assert!(read(&rows("Directed"), None).unwrap().0.is_directed());
        let message = read(&rows("friend"), None).unwrap_err().to_string();
        assert!(message.contains("has `friend` in the column `Type`"), "{message}");
        let (folder, options) = (tempfile::tempdir().unwrap(), ReadOptions::default());
        let (path, out) = (folder.path().join("x.csv"), folder.path().join("x.egr"));
        std::fs::write(&path, rows("Undirected")).unwrap();
        let message =
            crate::data::convert_network(&path, &options, &out, 1 << 20, &mut |_| true).unwrap_err();
        assert!(message.to_string().contains("has 300 directed and 2 undirected edges"), "{message}");
        let timed = "Source,Target,Type,time\na,b,Directed,1\nb,c,Undirected,2\n";
        let times = crate::data::TimeOptions::default();
        let message = crate::data::parse_timed(timed.as_bytes(), &times).unwrap_err().to_string();
        assert!(message.contains("has 1 directed and 1 undirected edges"), "{message}");
        let undirected = ReadOptions { directed: Some(false), ..ReadOptions::default() };
        let times = crate::data::TimeOptions { read: undirected, ..times };
        assert_eq!(crate::data::parse_timed(timed.as_bytes(), &times).unwrap().0.len(), 2);
    }

    #[test]
    fn a_comment_may_say_the_direction() {
        assert_eq!(
            read("# Directed graph (each pair once): x.txt\n1 2\n").unwrap().list.directed,
            Some(true)
        );
        let snap = "# Directed graph (each unordered pair of nodes is saved once): CA-GrQc.txt\n1 2\n2 1\n";
        assert_eq!(read(snap).unwrap().list.directed, None);
        assert_eq!(read("# Undirected graph: x.txt\n1 2\n").unwrap().list.directed, Some(false));
        assert_eq!(read("#\n%undirected\n1 2\n").unwrap().list.directed, Some(false));
        assert_eq!(read("% asym unweighted\n1 2\n").unwrap().list.directed, Some(true));
        assert!(
            read("% bip unweighted\n1 1\n").unwrap_err().to_string().contains("bipartite network of KONECT")
        );
        // KONECT's fourth column has times.
        let timed = read("% sym positive\n1 2 3 1082040961\n2 3 1 1082155839\n").unwrap();
        assert_eq!((timed.list.weights, timed.noticed.unused), (Some(vec![3.0, 1.0]), vec!["4".to_owned()]));
        assert_eq!(read("# a directed graph\n1 2\n# directed\n").unwrap().list.directed, None);
    }

    #[test]
    fn ids_of_any_size_are_in_order() {
        for text in
            ["5 -3\n1099511627776 5\n", "9223372036854775807 -9223372036854775808\n0 9223372036854775807\n"]
        {
            let list = read(text).unwrap().list;
            let ids: Vec<i64> = (0..list.ids.len()).map(|v| list.ids.integer(v).unwrap()).collect();
            assert!(ids.is_sorted() && ids.len() == 3, "{ids:?}");
        }
        assert_eq!(
            edges("5 -3\n1099511627776 5\n"),
            expected(&[("5", "-3", None), ("1099511627776", "5", None)])
        );
        let beyond = read("9223372036854775808 1\n").unwrap();
        assert!(beyond.list.ids.are_words());
    }

    #[test]
    fn ignored_weights_may_be_anything() {
        let parsed = parse(
            Path::new(PATH),
            b"a b friend\nb c\nc d -1\n",
            &ReadOptions { weighted: Some(false), ..ReadOptions::default() },
        )
        .unwrap();
        assert_eq!(
            (parsed.list.weights, parsed.noticed.ignored_weights, parsed.list.ends.len()),
            (None, true, 3)
        );
    }

    #[test]
    fn an_empty_file_is_distinguished_from_one_without_edges() {
        assert!(message("").contains("net.txt: is empty"));
        assert!(message("\n# c\n").contains("net.txt: holds no edge"));
    }

    /// A file with every kind of line, `kind` deciding about ids and weights.
    fn file(kind: u8, choices: &[(u8, u16, u16)]) -> String {
        let mut text = String::new();
        let weighted = kind & 1 == 1;
        for &(choice, u, v) in choices {
            let name = |x: u16| match kind >> 1 {
                1 if x.is_multiple_of(7) => (i64::from(x) * 1_000_003 - 4_000_000_000).to_string(),
                2 if x.is_multiple_of(5) => format!("ø{x}"),
                _ => x.to_string(),
            };
            let weight = if weighted { format!("\t{}", f64::from(choice) / 8.0) } else { String::new() };
            let line = match choice % 8 {
                0 => "# a comment".into(),
                // An edge as a comment, or a comment as an edge.
                5 if choice == 61 => format!("#{} {}{weight}", name(u), name(v)),
                1 => String::new(),
                2 => format!("  {} ,{}{weight} ", name(u), name(v)),
                3 => format!("{}\t{}{weight}\r", name(u), name(v)),
                _ => format!("{} {}{weight}", name(u), name(v)),
            };
            text += &line;
            text.push('\n');
        }
        text
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
        #[test]
        fn nothing_depends_on_blocks_pieces_or_threads(
            kind in 0u8..6,
            choices in proptest::collection::vec((0u8..64, 0u16..400, 0u16..400), 33..80),
            fault in proptest::option::of(129usize..180),
        ) {
            // The first lines determine the layout; they must be in the first block.
            let mut text = file(kind, &[(4, 1, 2); 129]);
            let head = text.len();
            text += &file(kind, &choices);
            if let Some(line) = fault {
                let mut lines: Vec<&str> = text.lines().collect();
                lines.insert(line.min(lines.len()), "fault");
                lines.push("1 2 3 4");
                text = lines.join("\n");
            }
            let told = |result: Result<EdgeListText>| result.map_err(|error| error.to_string());
            let (path, options) = (Path::new(PATH), ReadOptions::default());
            let whole = told(parse(path, text.as_bytes(), &options));
            if let Some(line) = fault {
                let place = format!("{PATH}:{}: has one field", line.min(129 + choices.len()) + 1);
                prop_assert!(whole.as_ref().unwrap_err().starts_with(&place), "{whole:?} {place}");
            }
            for piece in [1, 2, 3, 7, 16, 61] {
                for block in [head + 64, head + 65 + piece, 1 << 20] {
                    let sizes = Sizes { block, piece };
                    let parts = told(read_sized(path, LineEnds::new(text.as_bytes()), Parser::new(path, &options, sizes.piece), sizes));
                    prop_assert_eq!(&parts, &whole);
                }
            }
            let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
            let sizes = Sizes { block: head + 99, piece: 50 };
            prop_assert_eq!(told(one.install(|| read_sized(path, LineEnds::new(text.as_bytes()), Parser::new(path, &options, sizes.piece), sizes))), whole);
        }
    }
}
