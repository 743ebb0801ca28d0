//! MATLAB's `.mat` files of version 5 to 7: the square matrix in them, sparse or dense, is the network.
//!
//! A file is a header of 128 bytes, then elements: a tag with a type and a number of bytes, the bytes, and padding to a multiple of eight.
//! A matrix is an element of elements: flags, dimensions, name, and of a sparse one the rows of its entries, where columns begin, and the
//! entries. Compressed elements are zlib streams of one element, which may hold a thousand times their own length: lists must be as long as
//! the shape of their matrix says, and what is kept of all of them is bounded ([`Expansion`]).

use super::graph::shown;
use crate::data::Input;
use crate::data::network::NodeIds;
use crate::data::network::matrix_list::{self, Entries};
use crate::{Error, Result};
use std::cell::Cell;
use std::io::{self, Read};
use std::path::Path;

const MATRIX: u32 = 14;
const COMPRESSED: u32 = 15;
/// Bytes that are decoded at a time.
const BLOCK: usize = 1 << 16;
/// Numbers that are kept of any file; a few hundred megabytes.
const KEPT: u64 = 1 << 24;
/// Numbers that are kept for each byte of the file besides. Entries of networks take a byte or more each, compressed; zlib can make a thousand
/// bytes of one.
const KEPT_OF_BYTE: u64 = 16;

/// How many numbers are kept of how many bytes of the file.
#[derive(Default)]
struct Expansion {
    bytes: Cell<u64>,
    numbers: Cell<u64>,
}

impl Expansion {
    /// Counts a number that is kept.
    fn add(&self) -> Read1<()> {
        self.numbers.set(self.numbers.get() + 1);
        if self.numbers.get() <= KEPT + KEPT_OF_BYTE * self.bytes.get() {
            return Ok(());
        }
        Err(Fault::Form(format!(
            "has more than {} entries in the first {} bytes, which is more than a compressed network holds: expected no more than 2²⁴ \
             entries and {KEPT_OF_BYTE} for each byte (saved without compression, there is no limit)",
            self.numbers.get() - 1,
            self.bytes.get()
        )))
    }
}

/// A reader whose bytes are counted.
struct CountingReader<'a, R> {
    inner: R,
    held: &'a Expansion,
}

impl<R: Read> Read for CountingReader<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.held.bytes.set(self.held.bytes.get() + read as u64);
        Ok(read)
    }
}

/// A square matrix.
struct SquareMatrix {
    name: String,
    sparse: bool,
    nodes: u64,
    ends: Vec<(u32, u32)>,
    weights: Vec<f64>,
}

/// Reads the network of a file.
pub(super) fn read(path: &Path, input: Input, ignore_weights: bool) -> Result<Entries> {
    let held = Expansion::default();
    let mut input = CountingReader { inner: input, held: &held };
    let bad = |problem: String| Error::format(path, None, problem);
    let problem = |fault: Fault| match fault {
        Fault::Io(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            bad("ends within a variable: it is cut off".into())
        }
        Fault::Io(error)
            if error.kind() == io::ErrorKind::InvalidInput || error.kind() == io::ErrorKind::InvalidData =>
        {
            bad(format!("has a compressed variable that is damaged: {error}"))
        }
        Fault::Io(error) => Error::io(path)(error),
        Fault::Form(problem) => bad(problem),
    };
    let mut header = [0; 128];
    input.read_exact(&mut header).map_err(|error| problem(error.into()))?;
    let big = match &header[126..] {
        b"IM" => false,
        b"MI" => true,
        _ => return Err(bad("has no mark of its byte order: it is no MATLAB file, or damaged".into())),
    };
    let mut found: Vec<SquareMatrix> = Vec::new();
    let mut others = Vec::new();
    loop {
        let mut tag = [0; 8];
        match input.read(&mut tag[..1]) {
            Ok(0) => break,
            Ok(_) => input.read_exact(&mut tag[1..]).map_err(|error| problem(error.into()))?,
            Err(error) => return Err(Error::io(path)(error)),
        }
        let (kind, bytes) = (word(&tag[..4], big), u64::from(word(&tag[4..], big)));
        let matrix = match kind {
            MATRIX => {
                let mut element = Bytes { inner: input.by_ref().take(bytes), held: &held, big };
                let matrix = element.matrix().map_err(problem)?;
                let left = element.inner.limit();
                skip(&mut input, left).map_err(|error| problem(error.into()))?;
                matrix
            }
            COMPRESSED => {
                let mut stream = flate2::read::ZlibDecoder::new(input.by_ref().take(bytes));
                let matrix = inflated(&mut stream, &held, big).map_err(problem)?;
                let left = stream.into_inner().limit();
                skip(&mut input, left).map_err(|error| problem(error.into()))?;
                matrix
            }
            other => {
                return Err(bad(format!(
                    "has an element of type {other}, where a variable is expected: it is damaged"
                )));
            }
        };
        match matrix {
            Variable::Square(matrix) => found.push(matrix),
            Variable::Other(name) => others.push(format!("`{}`", shown(&name))),
        }
    }
    if found.iter().any(|matrix| matrix.sparse) {
        found.retain(|matrix| matrix.sparse);
    }
    if found.len() > 1 {
        let usual = |matrix: &SquareMatrix| {
            matches!(matrix.name.to_ascii_lowercase().as_str(), "a" | "adj" | "adjacency" | "network" | "net")
        };
        if found.iter().filter(|matrix| usual(matrix)).count() == 1 {
            found.retain(usual);
        }
    }
    let names: Vec<String> = found.iter().map(|matrix| format!("`{}`", shown(&matrix.name))).collect();
    match (found.pop(), found.len()) {
        (Some(SquareMatrix { nodes, ends, weights, .. }), 0) => {
            let n = matrix_list::nodes(path, None, nodes, nodes, ends.len() as u64)?;
            matrix_list::edges(NodeIds::numbered(n), ends, Some(weights), ignore_weights)
        }
        (None, _) => {
            let others = if others.is_empty() { "none".into() } else { others.join(", ") };
            Err(bad(format!("has no variable that is a square matrix: its variables are {others}")))
        }
        (Some(_), _) => Err(bad(format!(
            "has several square matrices, {}: expected one, or one called A",
            names.join(", ")
        ))),
    }
}

/// What is wrong.
enum Fault {
    Io(io::Error),
    Form(String),
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

type Read1<T> = std::result::Result<T, Fault>;

/// A variable.
enum Variable {
    Square(SquareMatrix),
    Other(String),
}

fn word(bytes: &[u8], big: bool) -> u32 {
    let bytes = [bytes[0], bytes[1], bytes[2], bytes[3]];
    if big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
}

fn skip(input: &mut impl Read, bytes: u64) -> io::Result<()> {
    let skipped = io::copy(&mut input.take(bytes), &mut io::sink())?;
    if skipped < bytes { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
}

/// The one element of a zlib stream.
fn inflated(stream: &mut impl Read, held: &Expansion, big: bool) -> Read1<Variable> {
    let mut tag = [0; 8];
    stream.read_exact(&mut tag)?;
    if word(&tag[..4], big) != MATRIX {
        return Err(Fault::Form("has a compressed element that is no variable".into()));
    }
    let bytes = u64::from(word(&tag[4..], big));
    let mut element = Bytes { inner: stream.take(bytes), held, big };
    element.matrix()
}

/// The bytes of an element.
struct Bytes<'a, R> {
    inner: io::Take<R>,
    held: &'a Expansion,
    big: bool,
}

/// A list of numbers: their type, how many bytes, and the padding after them.
struct Numbers {
    kind: u32,
    bytes: u64,
    padding: u64,
    /// The data itself, where it stands in the tag.
    small: Option<[u8; 4]>,
}

impl Numbers {
    fn size(&self) -> Read1<usize> {
        Ok(match self.kind {
            1 | 2 => 1,
            3 | 4 => 2,
            5..=7 => 4,
            9 | 12 | 13 => 8,
            other => {
                return Err(Fault::Form(format!(
                    "has numbers of type {other}, which is none of MATLAB's: it is damaged"
                )));
            }
        })
    }
}

impl<R: Read> Bytes<'_, R> {
    fn numbers(&mut self) -> Read1<Numbers> {
        let mut tag = [0; 8];
        self.inner.read_exact(&mut tag)?;
        let first = word(&tag[..4], self.big);
        if first >> 16 != 0 {
            let bytes = u64::from(first >> 16);
            if bytes > 4 {
                return Err(Fault::Form("has a short element of more than four bytes: it is damaged".into()));
            }
            return Ok(Numbers {
                kind: first & 0xffff,
                bytes,
                padding: 0,
                small: Some([tag[4], tag[5], tag[6], tag[7]]),
            });
        }
        let bytes = u64::from(word(&tag[4..], self.big));
        Ok(Numbers { kind: first, bytes, padding: (8 - bytes % 8) % 8, small: None })
    }

    /// Hands over all numbers of a list, one after the other, if their number passes `check`.
    fn each(
        &mut self,
        check: impl FnOnce(u64) -> Read1<()>,
        mut take: impl FnMut(f64) -> Read1<()>,
    ) -> Read1<()> {
        let numbers = self.numbers()?;
        let size = numbers.size()?;
        if numbers.bytes % size as u64 != 0 {
            return Err(Fault::Form("has a list of numbers with a part of one: it is damaged".into()));
        }
        check(numbers.bytes / size as u64)?;
        let mut value = |bytes: &[u8], big: bool, kind: u32| take(decoded(bytes, big, kind));
        if let Some(small) = numbers.small {
            for bytes in small[..numbers.bytes as usize].chunks_exact(size) {
                value(bytes, self.big, numbers.kind)?;
            }
            return Ok(());
        }
        let (mut left, mut buffer) = (numbers.bytes, vec![0; BLOCK]);
        while left > 0 {
            let some = left.min(BLOCK as u64) as usize;
            self.inner.read_exact(&mut buffer[..some])?;
            for bytes in buffer[..some].chunks_exact(size) {
                value(bytes, self.big, numbers.kind)?;
            }
            left -= some as u64;
        }
        // The last element of a variable need not be padded.
        skip(&mut self.inner, numbers.padding).or_else(|error| {
            if error.kind() == io::ErrorKind::UnexpectedEof { Ok(()) } else { Err(error) }
        })?;
        Ok(())
    }

    fn list(&mut self, most: u64) -> Read1<Vec<f64>> {
        let mut found = Vec::new();
        let check = |count| {
            if count <= most {
                return Ok(());
            }
            Err(Fault::Form("has a list that is too long for what it is: it is damaged".into()))
        };
        self.each(check, |x| {
            found.push(x);
            Ok(())
        })?;
        Ok(found)
    }

    /// A variable.
    fn matrix(&mut self) -> Read1<Variable> {
        let flags = self.list(2)?;
        let class = flags.first().map_or(0, |flags| *flags as u32 & 0xff);
        let complex = flags.first().is_some_and(|flags| *flags as u32 & 0x800 != 0);
        let shape = self.list(64)?;
        let name: String = self.list(1 << 10)?.iter().map(|letter| char::from(*letter as u8)).collect();
        let square = shape.len() == 2 && shape[0] == shape[1] && shape[0] > 1.0;
        // Doubles, singles and integers, or sparse ones.
        if !square || complex || !matches!(class, 5..=15) {
            return Ok(Variable::Other(name));
        }
        let nodes = shape[0] as u64;
        if nodes > u64::from(u32::MAX) {
            return Err(Fault::Form(format!("has a matrix of {nodes} rows: expected fewer than 2³²")));
        }
        let (mut ends, mut weights) = (Vec::new(), Vec::new());
        let (held, cells) = (self.held, nodes.saturating_mul(nodes));
        // A list of another length than the shape asks for.
        let wrong = |count: u64, what: &str, expected: String| {
            Err(Fault::Form(format!(
                "has {count} {what} in the matrix `{}` of {nodes} rows: expected {expected}",
                shown(&name)
            )))
        };
        if class == 5 {
            let mut rows: Vec<u32> = Vec::new();
            let check = |count| {
                if count <= cells { Ok(()) } else { wrong(count, "entries", format!("no more than {cells}")) }
            };
            self.each(check, |row| {
                held.add()?;
                rows.push(row as u32);
                Ok(())
            })?;
            let mut starts: Vec<u64> = Vec::new();
            let check = |count| {
                if count == nodes + 1 {
                    Ok(())
                } else {
                    wrong(count, "starts of columns", format!("{}", nodes + 1))
                }
            };
            self.each(check, |start| {
                held.add()?;
                if start < 0.0 || starts.last().is_some_and(|last| (start as u64) < *last) {
                    return Err(Fault::Form(format!(
                        "has a sparse matrix `{}` whose columns do not ascend",
                        shown(&name)
                    )));
                }
                starts.push(start as u64);
                Ok(())
            })?;
            let entries = starts.last().copied().unwrap_or(0);
            if starts[0] != 0 || entries > rows.len() as u64 {
                return Err(Fault::Form(format!(
                    "has a sparse matrix `{}` whose parts do not fit together",
                    shown(&name)
                )));
            }
            let (mut at, mut column) = (0u64, 0usize);
            let check =
                |count| if count >= entries { Ok(()) } else { wrong(count, "numbers", format!("{entries}")) };
            self.each(check, |weight| {
                if at < entries {
                    while starts[column + 1] <= at {
                        column += 1;
                    }
                    let row = rows[at as usize];
                    if u64::from(row) >= nodes || !weight.is_finite() {
                        return Err(Fault::Form(format!("has {weight} in row {row} of `{}`: expected finite numbers in rows below {nodes}", shown(&name))));
                    }
                    ends.push((row, column as u32));
                    weights.push(weight);
                }
                at += 1;
                Ok(())
            })?;
        } else {
            let mut at = 0u64;
            let check =
                |count| if count == cells { Ok(()) } else { wrong(count, "numbers", format!("{cells}")) };
            self.each(check, |weight| {
                if !weight.is_finite() {
                    return Err(Fault::Form(format!(
                        "has {weight} in `{}`: expected {nodes} × {nodes} finite numbers",
                        shown(&name)
                    )));
                }
                if weight != 0.0 {
                    held.add()?;
                    ends.push(((at % nodes) as u32, (at / nodes) as u32));
                    weights.push(weight);
                }
                at += 1;
                Ok(())
            })?;
        }
        Ok(Variable::Square(SquareMatrix { name, sparse: class == 5, nodes, ends, weights }))
    }
}

/// A number of that type.
fn decoded(bytes: &[u8], big: bool, kind: u32) -> f64 {
    let mut eight = [0; 8];
    for (at, &byte) in bytes.iter().enumerate() {
        eight[if big { bytes.len() - 1 - at } else { at }] = byte;
    }
    let whole = u64::from_le_bytes(eight);
    match kind {
        1 => f64::from(whole as i8),
        3 => f64::from(whole as i16),
        5 => f64::from(whole as i32),
        7 => f64::from(f32::from_bits(whole as u32)),
        9 => f64::from_bits(whole),
        12 => whole as i64 as f64,
        _ => whole as f64,
    }
}
