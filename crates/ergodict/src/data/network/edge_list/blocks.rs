//! Reads an edge list a block at a time, for what does not fit in memory.

use super::chunk::{Chunk, Ends};
use super::{EdgeList, Layout, ListNotes, Parser, SIZES, fill, indices};
use crate::data::Input;
use crate::data::network::ReadOptions;
use crate::data::network::line_ends::LineEnds;
use crate::{Error, Result};
use std::path::Path;

/// Edges between integers, with their weights where there are any.
pub(in crate::data::network) type IntegerEdges = (Vec<(u32, u32)>, Vec<f64>);

/// The edges of a block.
pub(in crate::data::network) enum EdgeBlock {
    /// Edges between integers below 2³², as they are written.
    Integers(Vec<IntegerEdges>),
    /// Edges between nodes that have names of their own in every block.
    Names(EdgeList),
}

/// The blocks of an edge list.
pub(in crate::data::network) struct Blocks<'a> {
    /// None after the end.
    parser: Option<Parser<'a>>,
    input: LineEnds<Input>,
    text: Vec<u8>,
    bytes: usize,
    some: bool,
    more: bool,
    kind: (bool, Option<bool>),
    /// What was noticed so far.
    pub(in crate::data::network) noticed: ListNotes,
}

impl<'a> Blocks<'a> {
    /// Blocks of about that many bytes of text, which must be more than the longest line.
    pub(in crate::data::network) fn new(
        path: &'a Path,
        input: Input,
        options: &'a ReadOptions,
        bytes: usize,
    ) -> Self {
        let parser = Some(Parser::new(path, options, SIZES.piece.min(bytes.div_ceil(4))));
        let (noticed, input) = (ListNotes::default(), LineEnds::new(input));
        Self { parser, input, text: Vec::new(), bytes, some: false, more: true, kind: (false, None), noticed }
    }

    /// Whether edges have weights, and a direction where the file says so, once a block was read.
    pub(in crate::data::network) fn kind(&self) -> (bool, Option<bool>) {
        self.kind
    }

    /// The edges of the next block that has any, as integers where they are and that is wanted; none at the end.
    ///
    /// # Errors
    /// As reading the list whole.
    pub(in crate::data::network) fn next(&mut self, integers: bool) -> Result<Option<EdgeBlock>> {
        while let Some(parser) = &mut self.parser {
            let path = parser.path;
            if !self.more {
                let parser = self.parser.take();
                // A list without edges is reported as such.
                return if self.some {
                    parser.map_or(Ok(()), |parser| parser.check_directions())?;
                    Ok(None)
                } else {
                    parser.map_or(Ok(None), |p| p.finish().map(|p| Some(EdgeBlock::Names(p.list))))
                };
            }
            let mut wanted = self.bytes;
            let end = loop {
                self.more = fill(&mut self.input, &mut self.text, wanted).map_err(Error::io(path))?;
                let last = self.text.iter().rposition(|&byte| byte == b'\n');
                let end = last.filter(|_| self.more).map_or(self.text.len(), |at| at + 1);
                // The first lines with edges determine the layout, as many of them as when the list is read whole.
                let enough = parser.layout.is_some() || !Layout::needs_more(&self.text[..end]);
                if enough || !self.more || wanted >= SIZES.block {
                    break end;
                }
                wanted *= 2;
            };
            parser.block(&self.text[..end])?;
            self.text.drain(..end);
            self.noticed = parser.noticed();
            let chunks = std::mem::take(&mut parser.chunks);
            if chunks.is_empty() {
                continue;
            }
            self.some = true;
            self.kind = (parser.is_weighted(), parser.directed);
            if integers && chunks.iter().all(|chunk| matches!(chunk.ends, Ends::Small(_))) {
                let plain = |chunk: Chunk| match chunk.ends {
                    Ends::Small(ends) => Some((ends, chunk.weights)),
                    Ends::Wide(_) | Ends::Words(..) => None,
                };
                return Ok(Some(EdgeBlock::Integers(chunks.into_iter().filter_map(plain).collect())));
            }
            let weights = parser
                .is_weighted()
                .then(|| chunks.iter().flat_map(|chunk| chunk.weights.iter().copied()).collect());
            let Some((ids, ends)) = indices::indices(chunks) else {
                return Err(Error::format(path, None, "holds more than 2³² nodes, which is too many"));
            };
            return Ok(Some(EdgeBlock::Names(EdgeList { ids, ends, weights, directed: parser.directed })));
        }
        Ok(None)
    }
}
