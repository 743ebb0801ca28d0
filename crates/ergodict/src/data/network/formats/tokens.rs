//! GML as a stream of keys, values and brackets.

use super::cursor::Cursor;
use super::graph::shown;
use crate::{Error, Result};
use std::io::BufRead;
use std::path::Path;

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
pub(super) struct Tokens<'a, R>(Cursor<'a, R>);

impl<'a, R: BufRead> Tokens<'a, R> {
    pub(super) fn new(path: &'a Path, input: R) -> Self {
        Self(Cursor::new(path, input))
    }

    /// An error here.
    pub(super) fn bad(&self, problem: impl Into<String>) -> Error {
        self.0.bad(self.0.line, problem)
    }

    /// The next token; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Token>> {
        loop {
            let start = self.0.in_margin;
            match self.0.take()? {
                None => return Ok(None),
                Some(b'#') if start => self.0.skip_line()?,
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
            match self.0.take()? {
                Some(b'"') => return Ok(Token::Text(unescape(&self.0.text(text)?))),
                Some(byte) => self.0.push(&mut text, byte)?,
                None => return Err(self.0.unclosed()),
            }
        }
    }

    fn word(&mut self, first: u8) -> Result<Token> {
        let mut word = vec![first];
        let ends = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'[' | b']' | b'"');
        while let Some(byte) = self.0.peek()?.filter(|&byte| !ends(byte)) {
            self.0.push(&mut word, byte)?;
            self.0.take()?;
        }
        let word = self.0.text(word)?;
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
        assert_eq!((tokens.next().unwrap(), tokens.0.line), (None, 4));
        assert!(Tokens::new(Path::new("x"), &b"\"a"[..]).next().is_err());
    }
}
