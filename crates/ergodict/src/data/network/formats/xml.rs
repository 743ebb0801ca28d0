//! XML as a stream of tags and text; the only file that names the parser. Document types, entities of their own and deep nesting are refused.

use super::graph::shown;
use crate::{Error, Result};
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;
use std::io::{self, BufRead, Read};
use std::path::Path;

/// The deepest nesting; graphs need six levels.
const DEEPEST: usize = 64;
/// Bytes of the longest tag or text.
const LONGEST: usize = 1 << 24;

/// What follows in a document.
#[derive(Debug, PartialEq)]
pub(super) enum Piece {
    /// A tag is opened: its name without a prefix, and its attributes.
    Start(String, Attributes),
    /// A tag is closed.
    End(String),
    /// Text between tags.
    Text(String),
}

/// The attributes of a tag, by their names without a prefix.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Attributes(Vec<(String, String)>);

impl Attributes {
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// A document.
pub(super) struct Xml<'a, R> {
    path: &'a Path,
    reader: Reader<BoundedReader<R>>,
    buffer: Vec<u8>,
    depth: usize,
    /// The line on which the last tag or text begins.
    line: u64,
    /// The end of a tag that has no content.
    closed: Option<String>,
}

impl<'a, R: BufRead> Xml<'a, R> {
    pub(super) fn new(path: &'a Path, inner: R) -> Self {
        let reader = Reader::from_reader(BoundedReader { inner, read: 0, lines: 1 });
        Self { path, reader, buffer: Vec::new(), depth: 0, line: 1, closed: None }
    }

    /// An error in the tag or text that was last read.
    pub(super) fn bad(&self, problem: impl Into<String>) -> Error {
        Error::format(self.path, Some(self.line), problem)
    }

    /// The name of the first tag.
    pub(super) fn root(&mut self) -> Result<String> {
        loop {
            match self.next()? {
                Some(Piece::Start(name, _)) => return Ok(name),
                Some(_) => {}
                None => return Err(self.bad("is XML without any tag")),
            }
        }
    }

    /// What follows; none at the end.
    ///
    /// # Errors
    /// [`Error::Format`] for what is not well-formed or not allowed; [`Error::Io`].
    pub(super) fn next(&mut self) -> Result<Option<Piece>> {
        if let Some(name) = self.closed.take() {
            self.depth -= 1;
            return Ok(Some(Piece::End(name)));
        }
        loop {
            self.buffer.clear();
            self.reader.get_mut().read = 0;
            self.line = self.reader.get_ref().lines;
            let event = match self.reader.read_event_into(&mut self.buffer) {
                Ok(event) => event,
                Err(quick_xml::Error::Io(error)) => {
                    return Err(Error::io(self.path)(io::Error::new(error.kind(), error.to_string())));
                }
                Err(error) => {
                    return Err(self.bad(format!("is not well-formed XML: {}", shown(&error.to_string()))));
                }
            };
            let place = (self.path, self.line);
            let bad = |problem: String| Err(Error::format(place.0, Some(place.1), problem));
            return Ok(Some(match event {
                Event::Start(tag) | Event::Empty(tag) if self.depth >= DEEPEST => {
                    return bad(format!(
                        "nests tags deeper than {DEEPEST} levels, at `{}`",
                        shown(&name(&tag))
                    ));
                }
                Event::Start(tag) => {
                    self.depth += 1;
                    Piece::Start(name(&tag), attributes(place, &tag)?)
                }
                Event::Empty(tag) => {
                    self.depth += 1;
                    self.closed = Some(name(&tag));
                    Piece::Start(name(&tag), attributes(place, &tag)?)
                }
                Event::End(tag) => {
                    self.depth = self.depth.saturating_sub(1);
                    Piece::End(plain(tag.name().into_inner()))
                }
                Event::Text(text) => Piece::Text(text.xml10_content().into_owned()),
                Event::CData(text) => Piece::Text(text.xml10_content().into_owned()),
                Event::GeneralRef(reference) => match reference.resolve_char_ref() {
                    Ok(Some(letter)) => Piece::Text(letter.to_string()),
                    _ => match quick_xml::escape::resolve_xml_entity(&reference) {
                        Some(text) => Piece::Text(text.to_owned()),
                        None => {
                            return bad(format!(
                                "refers to the entity `{}`, which XML does not have",
                                shown(&reference)
                            ));
                        }
                    },
                },
                Event::DocType(kind) if kind.trim_ascii().to_ascii_lowercase().starts_with("html") => {
                    return bad("is a web page (HTML): expected a network".into());
                }
                Event::DocType(_) => {
                    return bad("has a document type (DOCTYPE), which is not read: delete that line".into());
                }
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => continue,
                Event::Eof if self.depth > 0 => return bad("ends within a tag: it is cut off".into()),
                Event::Eof => return Ok(None),
            }));
        }
    }

    /// The text up to the end of the tag that was just opened; tags in it are refused.
    pub(super) fn text(&mut self) -> Result<String> {
        let mut text = String::new();
        loop {
            match self.next()? {
                Some(Piece::Text(some)) => {
                    text += &some;
                    if text.len() > LONGEST {
                        return Err(self.bad("has a text that is too long"));
                    }
                }
                Some(Piece::End(_)) | None => return Ok(text),
                // Drawing programs put whole documents into attributes.
                Some(Piece::Start(..)) => self.skip()?,
            }
        }
    }

    /// Everything up to the end of the tag that was just opened.
    pub(super) fn skip(&mut self) -> Result<()> {
        let mut open = 1;
        while open > 0 {
            match self.next()? {
                Some(Piece::Start(..)) => open += 1,
                Some(Piece::End(_)) => open -= 1,
                Some(Piece::Text(_)) => {}
                None => return Ok(()),
            }
        }
        Ok(())
    }
}

/// A name without its prefix.
fn plain(name: &str) -> String {
    name.rsplit(':').next().unwrap_or(name).to_owned()
}

fn name(tag: &BytesStart<'_>) -> String {
    plain(tag.name().into_inner())
}

fn attributes((path, line): (&Path, u64), tag: &BytesStart<'_>) -> Result<Attributes> {
    let bad = |problem: String| {
        Error::format(path, Some(line), format!("has a tag `{}` {problem}", shown(&name(tag))))
    };
    let mut found = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| bad(format!("that is not well-formed: {error}")))?;
        let value = attribute
            .normalized_value(XmlVersion::Implicit1_0)
            .map_err(|error| bad(format!("with an attribute that is not well-formed: {error}")))?;
        found.push((plain(attribute.key.into_inner()), value.into_owned()));
    }
    Ok(Attributes(found))
}

/// A reader that gives up on what has no end.
struct BoundedReader<R> {
    inner: R,
    /// Bytes since the last tag or text.
    read: usize,
    /// The line that is read, from 1.
    lines: u64,
}

impl<R: BufRead> Read for BoundedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer)
    }
}

impl<R: BufRead> BufRead for BoundedReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.read > LONGEST {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a tag or text of XML that is too long"));
        }
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.read += amount;
        // What is consumed was looked at before, so that it is there.
        if let Ok(bytes) = self.inner.fill_buf() {
            self.lines += bytes.iter().take(amount).filter(|byte| **byte == b'\n').count() as u64;
        }
        self.inner.consume(amount);
    }
}
