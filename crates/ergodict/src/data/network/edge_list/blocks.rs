//! Reads an edge list a block at a time, for what does not fit in memory.

use super::{EdgeList, Parser, SIZES, Weight, fill, indices};
use crate::data::Input;
use crate::{Error, Result};
use std::path::Path;

/// The blocks of an edge list, each with ids of its own.
pub(in crate::data::network) struct Blocks<'a> {
    /// None after the end.
    parser: Option<Parser<'a>>,
    input: Input,
    text: Vec<u8>,
    bytes: usize,
    some: bool,
    more: bool,
    /// The line of the header.
    pub(in crate::data::network) header: Option<u64>,
    /// The column of the weights, counted from 1.
    pub(in crate::data::network) weight_column: Option<usize>,
    /// Whether there are weights that were not looked at.
    pub(in crate::data::network) ignored_weights: bool,
    /// The first weight below zero, with its line.
    pub(in crate::data::network) negative: Option<(u64, f64)>,
}

impl<'a> Blocks<'a> {
    /// Blocks of about that many bytes of text.
    pub(in crate::data::network) fn new(
        path: &'a Path,
        input: Input,
        ignore_weights: bool,
        bytes: usize,
    ) -> Self {
        let parser = Some(Parser::new(path, ignore_weights, SIZES.piece.min(bytes.div_ceil(4))));
        let (header, weight_column, negative, ignored_weights) = (None, None, None, false);
        Self {
            parser,
            input,
            text: Vec::new(),
            bytes,
            some: false,
            more: true,
            header,
            weight_column,
            ignored_weights,
            negative,
        }
    }

    /// The edges of the next block that has any; none at the end.
    ///
    /// # Errors
    /// As reading the list whole.
    pub(in crate::data::network) fn next(&mut self) -> Result<Option<EdgeList>> {
        while let Some(parser) = &mut self.parser {
            let path = parser.path;
            if !self.more {
                let parser = self.parser.take();
                // A list without edges is told as such.
                return if self.some {
                    Ok(None)
                } else {
                    parser.map_or(Ok(None), |p| p.finish().map(|p| Some(p.list)))
                };
            }
            self.more = fill(&mut self.input, &mut self.text, self.bytes).map_err(Error::io(path))?;
            let last = self.text.iter().rposition(|&byte| byte == b'\n').map_or(self.text.len(), |at| at + 1);
            let end = if self.more { last } else { self.text.len() };
            parser.block(&self.text[..end])?;
            self.text.drain(..end);
            let weight = parser.layout.as_ref().map_or(Weight::None, |layout| layout.weight);
            self.header = parser.layout.as_ref().and_then(|layout| layout.header);
            self.weight_column = if let Weight::Column(at) = weight { Some(at + 1) } else { None };
            self.ignored_weights = weight == Weight::Ignored;
            self.negative = parser.negative;
            let chunks = std::mem::take(&mut parser.chunks);
            if chunks.is_empty() {
                continue;
            }
            self.some = true;
            let weights = matches!(weight, Weight::Column(_) | Weight::Attribute)
                .then(|| chunks.iter().flat_map(|chunk| chunk.weights.iter().copied()).collect());
            let Some((ids, ends)) = indices::indices(chunks) else {
                return Err(Error::format(path, None, "holds more than 2³² nodes, which is too many"));
            };
            return Ok(Some(EdgeList { ids, ends, weights, directed: parser.directed }));
        }
        Ok(None)
    }
}
