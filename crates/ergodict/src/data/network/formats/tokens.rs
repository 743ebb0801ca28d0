//! GML as a stream of keys, values and brackets.

use super::graph::shown;
use crate::{Error, Result};
use std::io::BufRead;
use std::path::Path;

/// Bytes of the longest word or text.
const LONGEST: usize = 1 << 20;

/// What follows.
#[derive(Debug, PartialEq)]
pub(super) enum Token {
    Open,
    Close,
    /// A key or a number.
    Word(String),
    /// What stands in quotation marks.
    Text(String),
}

/// The tokens of a file.
pub(super) struct Tokens<'a, R> {
    path: &'a Path,
    input: R,
    line: u64,
    at_start: bool,
}

impl<'a, R: BufRead> Tokens<'a, R> {
    pub(super) fn new(path: &'a Path, input: R) -> Self {
        Self { path, input, line: 1, at_start: true }
    }

    /// An error here.
    pub(super) fn bad(&self, problem: impl Into<String>) -> Error {
        Error::format(self.path, Some(self.line), problem.into())
    }

    fn peek(&mut self) -> Result<Option<u8>> {
        Ok(self.input.fill_buf().map_err(Error::io(self.path))?.first().copied())
    }

    fn take(&mut self) -> Result<Option<u8>> {
        let byte = self.peek()?;
        if let Some(byte) = byte {
            self.input.consume(1);
            self.line += u64::from(byte == b'\n');
            self.at_start = byte == b'\n' || self.at_start && byte.is_ascii_whitespace();
        }
        Ok(byte)
    }

    /// The next token; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Token>> {
        loop {
            let start = self.at_start;
            match self.take()? {
                None => return Ok(None),
                Some(b'#') if start => while !matches!(self.take()?, None | Some(b'\n')) {},
                Some(b'[') => return Ok(Some(Token::Open)),
                Some(b']') => return Ok(Some(Token::Close)),
                Some(b'"') => return self.quoted().map(Some),
                Some(byte) if byte.is_ascii_whitespace() || byte == 0xef || byte == 0xbb || byte == 0xbf => {}
                Some(byte) => return self.word(byte).map(Some),
            }
        }
    }

    fn quoted(&mut self) -> Result<Token> {
        let mut text = Vec::new();
        loop {
            match self.take()? {
                Some(b'"') => break,
                Some(byte) if text.len() < LONGEST => text.push(byte),
                Some(_) => return Err(self.bad("has a text that is too long")),
                None => return Err(self.bad("ends within quotation marks: it is cut off")),
            }
        }
        let text = String::from_utf8(text).map_err(|_| self.bad("is not UTF-8 text"))?;
        Ok(Token::Text(unescape(&text)))
    }

    fn word(&mut self, first: u8) -> Result<Token> {
        let mut word = vec![first];
        while let Some(byte) = self.peek()? {
            if byte.is_ascii_whitespace() || matches!(byte, b'[' | b']' | b'"') {
                break;
            }
            if word.len() == LONGEST {
                return Err(self.bad("has a word that is too long"));
            }
            word.push(byte);
            self.take()?;
        }
        let word = String::from_utf8(word).map_err(|_| self.bad("is not UTF-8 text"))?;
        if word.bytes().any(|byte| byte < b' ') {
            return Err(self.bad(format!("has `{}`, which is no text", shown(&word))));
        }
        Ok(Token::Word(word))
    }
}

/// Letters that are written as `&#233;` or `&quot;`.
fn unescape(text: &str) -> String {
    let (mut found, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('&') {
        found += &rest[..at];
        rest = &rest[at..];
        let letter = rest.bytes().take(12).position(|byte| byte == b';').and_then(|end| {
            let name = &rest[1..end];
            let code = |code: &str, radix| u32::from_str_radix(code, radix).ok().and_then(char::from_u32);
            let letter = match name {
                "quot" => Some('"'),
                "amp" => Some('&'),
                "lt" => Some('<'),
                "gt" => Some('>'),
                "apos" => Some('\''),
                _ => match name.strip_prefix('#') {
                    Some(hex) if hex.starts_with(['x', 'X']) => code(&hex[1..], 16),
                    Some(decimal) => code(decimal, 10),
                    None => None,
                },
            };
            letter.map(|letter| (letter, end + 1))
        });
        let (letter, length) = letter.unwrap_or(('&', 1));
        found.push(letter);
        rest = &rest[length..];
    }
    found + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_their_lines() {
        let text = "# c\ngraph\n[ id -1.5e3 label \"a &quot;b&#233;&amp;\n&x\" ]";
        let mut tokens = Tokens::new(Path::new("x.gml"), text.as_bytes());
        let word = |text: &str| Token::Word(text.into());
        let expected = [
            word("graph"),
            Token::Open,
            word("id"),
            word("-1.5e3"),
            word("label"),
            Token::Text("a \"b\u{e9}&\n&x".into()),
            Token::Close,
        ];
        for token in expected {
            assert_eq!(tokens.next().unwrap(), Some(token));
        }
        assert_eq!((tokens.next().unwrap(), tokens.line), (None, 4));
        assert!(Tokens::new(Path::new("x"), &b"\"a"[..]).next().is_err());
    }
}
