//! Graphviz DOT as a stream of ids and signs.

use super::graph::shown;
use crate::{Error, Result};
use std::io::BufRead;
use std::path::Path;

/// Bytes of the longest id.
const LONGEST: usize = 1 << 20;

/// What follows.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// An id without quotation marks, which may be a keyword.
    Word(String),
    /// An id in quotation marks, or HTML with its brackets.
    Text(String),
    /// `{`, `}`, `[`, `]`, `=`, `;`, `,` or `:`.
    Sign(u8),
    /// `->` (true) or `--`.
    Edge(bool),
}

impl Token {
    /// In a message.
    pub(super) fn words(&self) -> String {
        match self {
            Self::Word(word) | Self::Text(word) => shown(word),
            Self::Sign(sign) => char::from(*sign).to_string(),
            Self::Edge(directed) => if *directed { "->" } else { "--" }.into(),
        }
    }
}

/// The tokens of a file, with one to look at before it is taken.
pub(super) struct Tokens<'a, R> {
    path: &'a Path,
    input: R,
    line: u64,
    at_start: bool,
    /// The next token, once it was looked at, and the line before it.
    next: Option<(Option<Token>, u64)>,
}

impl<'a, R: BufRead> Tokens<'a, R> {
    pub(super) fn new(path: &'a Path, input: R) -> Self {
        Self { path, input, line: 1, at_start: true, next: None }
    }

    /// An error at the token that was taken last.
    pub(super) fn bad(&self, problem: impl Into<String>) -> Error {
        let line = self.next.as_ref().map_or(self.line, |(_, line)| *line);
        Error::format(self.path, Some(line), problem.into())
    }

    /// The next token, which stays; none at the end.
    pub(super) fn look(&mut self) -> Result<Option<&Token>> {
        if self.next.is_none() {
            let line = self.line;
            self.next = Some((self.read()?, line));
        }
        Ok(self.next.as_ref().and_then(|(token, _)| token.as_ref()))
    }

    /// The next token; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Token>> {
        self.next.take().map_or_else(|| self.read(), |(token, _)| Ok(token))
    }

    /// Takes the next token if it is this one.
    pub(super) fn accept(&mut self, token: &Token) -> Result<bool> {
        let same = self.look()? == Some(token);
        if same {
            self.next = None;
        }
        Ok(same)
    }

    fn peek(&mut self) -> Result<Option<u8>> {
        Ok(self.input.fill_buf().map_err(Error::io(self.path))?.first().copied())
    }

    fn take(&mut self) -> Result<Option<u8>> {
        let byte = self.peek()?;
        if let Some(byte) = byte {
            self.input.consume(1);
            self.line += u64::from(byte == b'\n');
            self.at_start = matches!(byte, b'\n' | b'\r');
        }
        Ok(byte)
    }

    fn read(&mut self) -> Result<Option<Token>> {
        loop {
            let start = self.at_start;
            let Some(byte) = self.take()? else { return Ok(None) };
            match byte {
                // What a preprocessor left.
                b'#' if start => self.skip_line()?,
                b'/' => self.skip_comment()?,
                b'{' | b'}' | b'[' | b']' | b'=' | b';' | b',' | b':' => return Ok(Some(Token::Sign(byte))),
                b'"' => return self.quoted().map(Some),
                b'<' => return self.html().map(Some),
                b'-' if matches!(self.peek()?, Some(b'-' | b'>')) => {
                    return Ok(self.take()?.map(|second| Token::Edge(second == b'>')));
                }
                byte if byte.is_ascii_whitespace() => {}
                byte => return self.word(byte).map(Some),
            }
        }
    }

    fn skip_line(&mut self) -> Result<()> {
        while !matches!(self.take()?, None | Some(b'\n' | b'\r')) {}
        Ok(())
    }

    /// A comment whose first slash was taken.
    fn skip_comment(&mut self) -> Result<()> {
        match self.take()? {
            Some(b'/') => self.skip_line(),
            Some(b'*') => {
                let mut before = 0;
                loop {
                    match self.take()? {
                        Some(b'/') if before == b'*' => return Ok(()),
                        Some(byte) => before = byte,
                        None => return Err(self.bad("ends within a comment: it is cut off")),
                    }
                }
            }
            _ => Err(self.bad("has a `/` outside of quotation marks and comments")),
        }
    }

    fn push(&self, text: &mut Vec<u8>, byte: u8) -> Result<()> {
        if text.len() == LONGEST {
            return Err(self.bad("has an id that is too long"));
        }
        text.push(byte);
        Ok(())
    }

    fn text(&self, text: Vec<u8>) -> Result<String> {
        String::from_utf8(text).map_err(|_| self.bad("is not UTF-8 text"))
    }

    /// An id whose first quotation mark was taken. Of backslashes only those before a quotation mark or a line end mean something here; the
    /// others are for drawing.
    fn quoted(&mut self) -> Result<Token> {
        let mut text = Vec::new();
        loop {
            match self.take()? {
                Some(b'"') => break,
                Some(b'\\') => match self.peek()? {
                    Some(b'"') => {
                        self.take()?;
                        self.push(&mut text, b'"')?;
                    }
                    Some(b'\n') => {
                        self.take()?;
                    }
                    // The second of two is no longer one before what follows.
                    Some(b'\\') => {
                        self.take()?;
                        self.push(&mut text, b'\\')?;
                        self.push(&mut text, b'\\')?;
                    }
                    _ => self.push(&mut text, b'\\')?,
                },
                Some(byte) => self.push(&mut text, byte)?,
                None => return Err(self.bad("ends within quotation marks: it is cut off")),
            }
        }
        Ok(Token::Text(self.text(text)?))
    }

    /// HTML whose first bracket was taken, as it is.
    fn html(&mut self) -> Result<Token> {
        let (mut text, mut open) = (vec![b'<'], 1u64);
        while open > 0 {
            let Some(byte) = self.take()? else {
                return Err(self.bad("ends within an id in angle brackets: it is cut off"));
            };
            open = if byte == b'<' { open + 1 } else { open - u64::from(byte == b'>') };
            self.push(&mut text, byte)?;
        }
        Ok(Token::Text(self.text(text)?))
    }

    /// A name or a number.
    fn word(&mut self, first: u8) -> Result<Token> {
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        let number = first.is_ascii_digit() || matches!(first, b'.' | b'-');
        let mut word = vec![first];
        while let Some(byte) = self.peek()?.filter(|&byte| letter(byte) || number && byte == b'.') {
            self.push(&mut word, byte)?;
            self.take()?;
        }
        let word = self.text(word)?;
        let digits = word.strip_prefix('-').unwrap_or(&word);
        let numeral = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
            && digits.bytes().any(|byte| byte.is_ascii_digit())
            && digits.bytes().filter(|byte| *byte == b'.').count() < 2;
        if !(if number { numeral } else { letter(first) }) {
            let problem =
                format!("has `{}`: expected a name, a number or an id in quotation marks", shown(&word));
            return Err(self.bad(problem));
        }
        Ok(Token::Word(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_and_their_lines() {
        let text = "# c\n/* a\n * b */ a_1--.5 ->-2.50 // x\n\"q \\\"\\n\\\\\" <a <b>\nc> :é";
        let mut tokens = Tokens::new(Path::new("x.dot"), text.as_bytes());
        let word = |text: &str| Token::Word(text.into());
        let expected = [
            word("a_1"),
            Token::Edge(false),
            word(".5"),
            Token::Edge(true),
            word("-2.50"),
            Token::Text("q \"\\n\\\\".into()),
            Token::Text("<a <b>\nc>".into()),
            Token::Sign(b':'),
            word("é"),
        ];
        for token in expected {
            assert_eq!(tokens.look().unwrap(), Some(&token));
            assert_eq!(tokens.next().unwrap(), Some(token));
        }
        assert_eq!((tokens.next().unwrap(), tokens.line), (None, 5));
        for wrong in ["\"a", "<a", "/* a", "/", "1a", "1.2.3", "-", "$", "a.b"] {
            let mut tokens = Tokens::new(Path::new("x"), wrong.as_bytes());
            assert!(tokens.next().is_err() || tokens.next().is_err(), "{wrong}");
        }
    }
}
