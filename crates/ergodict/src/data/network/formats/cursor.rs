//! The bytes of a text file one by one, with the line that they are on.

use crate::{Error, Result};
use std::io::BufRead;
use std::path::Path;

/// Bytes of the longest word or text.
const LONGEST: usize = 1 << 20;

/// Where a text is read.
pub(super) struct Cursor<'a, R> {
    path: &'a Path,
    input: R,
    /// The line, from 1.
    pub(super) line: u64,
    /// Whether nothing of the line was taken.
    pub(super) at_start: bool,
    /// Whether nothing but blanks was.
    pub(super) in_margin: bool,
}

impl<'a, R: BufRead> Cursor<'a, R> {
    pub(super) fn new(path: &'a Path, input: R) -> Self {
        Self { path, input, line: 1, at_start: true, in_margin: true }
    }

    /// An error on a line.
    pub(super) fn bad(&self, line: u64, problem: impl Into<String>) -> Error {
        Error::format(self.path, Some(line), problem.into())
    }

    /// The next byte, which stays; none at the end.
    pub(super) fn peek(&mut self) -> Result<Option<u8>> {
        Ok(self.input.fill_buf().map_err(Error::io(self.path))?.first().copied())
    }

    /// The next byte; none at the end.
    pub(super) fn take(&mut self) -> Result<Option<u8>> {
        let byte = self.peek()?;
        if let Some(byte) = byte {
            self.input.consume(1);
            self.line += u64::from(byte == b'\n');
            self.at_start = matches!(byte, b'\n' | b'\r');
            self.in_margin = self.at_start || self.in_margin && byte.is_ascii_whitespace();
        }
        Ok(byte)
    }

    /// Takes the rest of the line.
    pub(super) fn skip_line(&mut self) -> Result<()> {
        while !matches!(self.take()?, None | Some(b'\n' | b'\r')) {}
        Ok(())
    }

    /// Adds a byte to a word or text, which may be too long.
    pub(super) fn push(&self, text: &mut Vec<u8>, byte: u8) -> Result<()> {
        if text.len() == LONGEST {
            return Err(self.bad(self.line, "has a word or text that is too long"));
        }
        text.push(byte);
        Ok(())
    }

    /// Bytes as text.
    pub(super) fn text(&self, bytes: Vec<u8>) -> Result<String> {
        String::from_utf8(bytes).map_err(|_| self.bad(self.line, "is not UTF-8 text"))
    }

    /// For a text whose closing quotation mark is missing.
    pub(super) fn unclosed(&self) -> Error {
        self.bad(self.line, "ends within quotation marks: it is cut off")
    }
}
