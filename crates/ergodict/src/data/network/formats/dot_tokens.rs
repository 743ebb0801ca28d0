//! Graphviz DOT as a stream of ids and signs.

use super::cursor::Cursor;
use super::graph::shown;
use crate::{Error, Result};
use std::io::BufRead;
use std::path::Path;

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
    cursor: Cursor<'a, R>,
    /// The next token, once it was looked at, and the line before it.
    next: Option<(Option<Token>, u64)>,
}

impl<'a, R: BufRead> Tokens<'a, R> {
    pub(super) fn new(path: &'a Path, input: R) -> Self {
        Self { cursor: Cursor::new(path, input), next: None }
    }

    /// An error at the token that was taken last.
    pub(super) fn bad(&self, problem: impl Into<String>) -> Error {
        let line = self.next.as_ref().map_or(self.cursor.line, |(_, line)| *line);
        self.cursor.bad(line, problem)
    }

    /// The next token, which stays; none at the end.
    pub(super) fn look(&mut self) -> Result<Option<&Token>> {
        if self.next.is_none() {
            let line = self.cursor.line;
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

    fn read(&mut self) -> Result<Option<Token>> {
        loop {
            let start = self.cursor.at_start;
            let Some(byte) = self.cursor.take()? else { return Ok(None) };
            match byte {
                // What a preprocessor left.
                b'#' if start => self.cursor.skip_line()?,
                b'/' => self.skip_comment()?,
                b'{' | b'}' | b'[' | b']' | b'=' | b';' | b',' | b':' => return Ok(Some(Token::Sign(byte))),
                b'"' => return self.quoted().map(Some),
                b'<' => return self.html().map(Some),
                b'-' if matches!(self.cursor.peek()?, Some(b'-' | b'>')) => {
                    return Ok(self.cursor.take()?.map(|second| Token::Edge(second == b'>')));
                }
                byte if byte.is_ascii_whitespace() => {}
                byte => return self.word(byte).map(Some),
            }
        }
    }

    /// A comment whose first slash was taken.
    fn skip_comment(&mut self) -> Result<()> {
        match self.cursor.take()? {
            Some(b'/') => self.cursor.skip_line(),
            Some(b'*') => {
                let mut before = 0;
                loop {
                    match self.cursor.take()? {
                        Some(b'/') if before == b'*' => return Ok(()),
                        Some(byte) => before = byte,
                        None => return Err(self.bad("ends within a comment: it is cut off")),
                    }
                }
            }
            _ => Err(self.bad("has a `/` outside of quotation marks and comments")),
        }
    }

    /// An id whose first quotation mark was taken. Of backslashes only those before a quotation mark or a line end mean something here; the
    /// others are for drawing.
    fn quoted(&mut self) -> Result<Token> {
        let mut text = Vec::new();
        loop {
            match self.cursor.take()? {
                Some(b'"') => break,
                Some(b'\\') => match self.cursor.peek()? {
                    Some(b'"') => {
                        self.cursor.take()?;
                        self.cursor.push(&mut text, b'"')?;
                    }
                    Some(b'\n') => {
                        self.cursor.take()?;
                    }
                    // The second of two is no longer one before what follows.
                    Some(b'\\') => {
                        self.cursor.take()?;
                        self.cursor.push(&mut text, b'\\')?;
                        self.cursor.push(&mut text, b'\\')?;
                    }
                    _ => self.cursor.push(&mut text, b'\\')?,
                },
                Some(byte) => self.cursor.push(&mut text, byte)?,
                None => return Err(self.cursor.unclosed()),
            }
        }
        Ok(Token::Text(self.cursor.text(text)?))
    }

    /// HTML whose first bracket was taken, as it is.
    fn html(&mut self) -> Result<Token> {
        let (mut text, mut open) = (vec![b'<'], 1u64);
        while open > 0 {
            let Some(byte) = self.cursor.take()? else {
                return Err(self.bad("ends within an id in angle brackets: it is cut off"));
            };
            open = if byte == b'<' { open + 1 } else { open - u64::from(byte == b'>') };
            self.cursor.push(&mut text, byte)?;
        }
        Ok(Token::Text(self.cursor.text(text)?))
    }

    /// A name or a number.
    fn word(&mut self, first: u8) -> Result<Token> {
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        let number = first.is_ascii_digit() || matches!(first, b'.' | b'-');
        let mut word = vec![first];
        while let Some(byte) = self.cursor.peek()?.filter(|&byte| letter(byte) || number && byte == b'.') {
            self.cursor.push(&mut word, byte)?;
            self.cursor.take()?;
        }
        let word = self.cursor.text(word)?;
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
        assert_eq!((tokens.next().unwrap(), tokens.cursor.line), (None, 5));
        for wrong in ["\"a", "<a", "/* a", "/", "1a", "1.2.3", "-", "$", "a.b"] {
            let mut tokens = Tokens::new(Path::new("x"), wrong.as_bytes());
            assert!(tokens.next().is_err() || tokens.next().is_err(), "{wrong}");
        }
    }
}
