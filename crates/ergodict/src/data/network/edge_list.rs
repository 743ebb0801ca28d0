//! Reads edge lists: two ids a line and, where wanted, a weight.
//!
//! | step | where |
//! |---|---|
//! | separator, header and columns from the first lines | `layout` |
//! | blocks of whole lines, one read while the one before is parsed in parallel pieces | here |
//! | a line's fields; the lines of a piece | `line`, `chunk` |
//! | indices in ascending order of the ids | `indices` |
//!
//! What is read does not depend on blocks, pieces or threads, and of several faults the one on the first line is told.

mod blocks;
mod chunk;
mod indices;
mod layout;
mod line;

use super::NodeIds;
use crate::data::Input;
use crate::{Error, Result};
pub(super) use blocks::Blocks;
use chunk::Chunk;
use layout::{Layout, Weight};
use rayon::prelude::*;
use std::io::Read;
use std::path::Path;

/// Edges as a file lists them: loops, repeated edges and weights of any sign are still there.
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
pub(super) struct Parsed {
    pub(super) list: EdgeList,
    /// The line of the header.
    pub(super) header: Option<u64>,
    /// Whether there are weights that were not looked at.
    pub(super) ignored_weights: bool,
    /// The first weight below zero, with its line.
    pub(super) negative: Option<(u64, f64)>,
}

/// Reads the edges of a text file: two ids a line and, where wanted, a third field with a finite number.
///
/// Blanks, tabs, commas or semicolons separate; ids with such characters in them stand in `"`. Lines that begin with
/// `#`, `%` or `//` are comments; one that begins with the word `directed` or `undirected` says which it is. A first
/// line that names columns is a header. Lines as networkx writes them, `a b {'weight': 0.5}`, are understood. `-` is
/// standard input; gzip and zstd are recognised by content.
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
    Ok(read(path, crate::data::open(path)?, false)?.list)
}

/// Bytes of a block and of a piece of it that one thread parses. With blocks of 4 to 32 MiB and pieces of 0.25 to 2 MiB
/// there is no difference that could be measured.
#[derive(Clone, Copy)]
struct Sizes {
    block: usize,
    piece: usize,
}

const SIZES: Sizes = Sizes { block: 8 << 20, piece: 1 << 20 };

/// Reads an edge list from an input that was opened.
pub(super) fn read(path: &Path, input: Input, ignore_weights: bool) -> Result<Parsed> {
    read_sized(path, input, ignore_weights, SIZES)
}

/// Reads an edge list from memory; `path` is for messages.
pub(super) fn parse(path: &Path, text: &[u8], ignore_weights: bool) -> Result<Parsed> {
    let mut parser = Parser::new(path, ignore_weights, SIZES.piece);
    parser.block(text)?;
    parser.finish()
}

/// One block is read, and decompressed, while the one before is parsed.
fn read_sized(
    path: &Path,
    mut input: impl Read + Send,
    ignore_weights: bool,
    sizes: Sizes,
) -> Result<Parsed> {
    let mut parser = Parser::new(path, ignore_weights, sizes.piece);
    let (mut now, mut next) = (Vec::new(), Vec::new());
    let mut more = fill(&mut input, &mut now, sizes.block).map_err(Error::io(path))?;
    loop {
        // What follows the last whole line belongs to the next block; a line that fills a block is too long anyway.
        let end = if more {
            now.iter().rposition(|&byte| byte == b'\n').map_or(now.len(), |at| at + 1)
        } else {
            now.len()
        };
        next.clear();
        next.extend_from_slice(&now[end..]);
        let (parsed, filled) = rayon::join(
            || parser.block(&now[..end]),
            || if more { fill(&mut input, &mut next, sizes.block) } else { Ok(false) },
        );
        parsed?;
        if !more {
            return parser.finish();
        }
        more = filled.map_err(Error::io(path))?;
        std::mem::swap(&mut now, &mut next);
    }
}

/// Reads until the buffer has that many bytes; false at the end of the input.
fn fill(input: &mut (impl Read + Send), buffer: &mut Vec<u8>, bytes: usize) -> std::io::Result<bool> {
    let wanted = bytes.saturating_sub(buffer.len()).max(1);
    buffer.reserve_exact(wanted);
    Ok(input.by_ref().take(wanted as u64).read_to_end(buffer)? == wanted)
}

/// The state between blocks.
struct Parser<'a> {
    path: &'a Path,
    ignore_weights: bool,
    piece: usize,
    layout: Option<Layout>,
    chunks: Vec<Chunk>,
    /// Lines of all blocks so far.
    lines: u64,
    bytes: u64,
    directed: Option<bool>,
    negative: Option<(u64, f64)>,
}

impl<'a> Parser<'a> {
    fn new(path: &'a Path, ignore_weights: bool, piece: usize) -> Self {
        let (layout, chunks, directed, negative) = (None, Vec::new(), None, None);
        Self { path, ignore_weights, piece, layout, chunks, lines: 0, bytes: 0, directed, negative }
    }

    /// Parses a block of whole lines.
    fn block(&mut self, mut text: &[u8]) -> Result<()> {
        if self.bytes == 0 {
            text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        }
        self.bytes += text.len() as u64;
        if self.layout.is_none() {
            self.directed = self.directed.or_else(|| direction(text));
            let layout = Layout::find(text, self.lines + 1, self.ignore_weights);
            self.layout = layout.map_err(|(line, problem)| Error::format(self.path, Some(line), problem))?;
            if let Some(header) = self.layout.as_ref().and_then(|layout| layout.header) {
                while self.lines < header {
                    let end = text.iter().position(|&byte| byte == b'\n').map_or(text.len(), |at| at + 1);
                    text = &text[end..];
                    self.lines += 1;
                }
            }
        }
        let Some(layout) = &self.layout else {
            self.lines += text.iter().filter(|&&byte| byte == b'\n').count() as u64;
            return Ok(());
        };
        let pieces = pieces(text, self.piece);
        let chunks: Vec<Chunk> = pieces.into_par_iter().map(|piece| Chunk::parse(piece, layout)).collect();
        for chunk in chunks {
            if let (None, Some((line, weight))) = (self.negative, chunk.negative) {
                self.negative = Some((self.lines + line + 1, weight));
            }
            self.lines += chunk.lines;
            if let Some(problem) = chunk.problem {
                return Err(Error::format(self.path, Some(self.lines + 1), problem));
            }
            if chunk.ends.len() > 0 {
                self.chunks.push(chunk);
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Parsed> {
        let path = self.path;
        let bad = |problem: &str| Err(Error::format(path, None, problem));
        if self.bytes == 0 {
            return bad("is empty: expected lines such as `a b` or `a b 0.5`");
        }
        if self.chunks.is_empty() {
            return bad("holds no edge: expected lines such as `a b` or `a b 0.5`");
        }
        let layout = self.layout;
        let weight = layout.as_ref().map_or(Weight::None, |layout| layout.weight);
        let weights = matches!(weight, Weight::Column(_) | Weight::Attribute).then(|| {
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
        let list = EdgeList { ids, ends, weights, directed: self.directed };
        let header = layout.and_then(|layout| layout.header);
        Ok(Parsed { list, header, ignored_weights: weight == Weight::Ignored, negative: self.negative })
    }
}

/// Whether comments before the first edge say that edges have a direction, as ours do and those of the SNAP collection.
fn direction(text: &[u8]) -> Option<bool> {
    for line in text.split(|&byte| byte == b'\n') {
        if line::content(line).is_some() {
            return None;
        }
        let said = line.trim_ascii_start();
        let said = said.trim_ascii_start().strip_prefix(b"#").or(said.strip_prefix(b"%")).unwrap_or_default();
        let word = said.trim_ascii_start().split(|byte| !byte.is_ascii_alphabetic()).next();
        match word.unwrap_or_default().to_ascii_lowercase().as_slice() {
            b"directed" => return Some(true),
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
