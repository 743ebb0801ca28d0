//! Numbers as text: comma-, tab-, semicolon- or space-separated, one sample a line.
//!
//! A first line of names, or of the numbers 0, 1, 2, … of columns, is the header; numbers in a header ascend. Blank lines and lines that begin with `#` are
//! skipped. Empty cells, `NA` and `nan` are NaN, which the factorizer decides about.

use super::batch::Batch;
use super::npy_header::shorten;
use super::open::{Input, open};
use crate::linalg::Scalar;
use crate::{Error, Result};
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

/// A longer line (about ten million numbers) is taken for a file that is not text.
const LONGEST_LINE: usize = 256 << 20;

/// What stands between the cells of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Delimiter {
    Byte(u8),
    /// Any number of spaces and tabs.
    Whitespace,
}

/// A matrix from text.
pub(crate) struct Text {
    path: PathBuf,
    lines: Lines,
    delimiter: Delimiter,
    names: Option<Vec<String>>,
    features: usize,
    /// Of the header or the first sample.
    first_line: u64,
    /// Whether the line at hand is a sample that was not handed out yet.
    pending: bool,
}

/// The lines that count, with their numbers.
struct Lines {
    path: PathBuf,
    input: Input,
    line: Vec<u8>,
    number: u64,
    delimiter: Option<Delimiter>,
}

impl Lines {
    /// Goes to the next line that is neither blank nor a comment; false at the end.
    fn advance(&mut self) -> Result<bool> {
        loop {
            self.line.clear();
            let mut part = self.input.by_ref().take(LONGEST_LINE as u64);
            part.read_until(b'\n', &mut self.line).map_err(Error::io(&self.path))?;
            if self.line.is_empty() {
                return Ok(false);
            }
            self.number += 1;
            if self.line.pop_if(|b| *b == b'\n').is_some() {
                self.line.pop_if(|b| *b == b'\r');
            } else if self.line.len() >= LONGEST_LINE {
                let problem = format!("is longer than {LONGEST_LINE} bytes: expected one sample a line");
                return Err(Error::format(&self.path, Some(self.number), problem));
            }
            if self.number == 1 && self.line.starts_with(b"\xef\xbb\xbf") {
                self.line.drain(..3);
            }
            // A line of tabs alone is a sample of empty cells where tabs separate.
            let tabs = self.delimiter != Some(Delimiter::Byte(b'\t'));
            let first = self.line.iter().find(|b| !(**b == b' ' || (tabs && **b == b'\t')));
            if first.is_some_and(|b| *b != b'#') {
                return Ok(true);
            }
        }
    }
}

impl Text {
    pub(crate) fn open(path: &Path, input: Input) -> Result<Self> {
        let named = Named::from_path(path);
        let delimiter = (named == Named::Tab).then_some(Delimiter::Byte(b'\t'));
        let mut lines = Lines { path: path.to_owned(), input, line: Vec::new(), number: 0, delimiter };
        if !lines.advance()? {
            return Err(Error::format(path, None, "holds no numbers: expected one sample a line"));
        }
        if let Some(byte) = lines.line.iter().find(|b| **b < b' ' && !matches!(**b, b'\t' | b'\r')) {
            let problem = format!(
                "holds the byte {byte:#04x}, so it is not text: expected a matrix as .npy, .npz, \
                 .csv, .tsv or .parquet"
            );
            return Err(Error::format(path, Some(lines.number), problem));
        }
        let delimiter = delimiter.unwrap_or_else(|| sniff(&lines.line, named));
        lines.delimiter = Some(delimiter);
        let (mut names, mut numbers) = (Vec::new(), true);
        for field in Fields::new(&lines.line, delimiter) {
            let field = field.map_err(|problem| Error::format(path, Some(lines.number), problem))?;
            numbers &= parse_number(field).is_some();
            names.push(String::from_utf8_lossy(field).replace("\"\"", "\""));
        }
        let (features, first_line) = (names.len(), lines.number);
        // `0,1,2`, which pandas writes over columns without names, and `,0,1,2` with an index.
        let is_counted =
            |names: &[String]| names.iter().enumerate().all(|(at, name)| *name == at.to_string());
        let counted =
            names.len() > 2 && (is_counted(&names) || names[0].is_empty() && is_counted(&names[1..]));
        if !numbers && let Some(at) = bad_cell(&names) {
            let problem = format!(
                "column {} holds `{}` next to numbers: expected a number, or a header with a name in each column",
                at + 1,
                shorten(&names[at])
            );
            return Err(Error::format(path, Some(first_line), problem));
        }
        let names = (!numbers || counted).then_some(names);
        let is_unnamed = |name: &String| name.trim().is_empty();
        let lone = |names: &Vec<String>| is_unnamed(&names[0]) && !names[1..].iter().any(is_unnamed);
        if names.as_ref().is_some_and(|names| names.len() > 1 && lone(names)) {
            let problem = "the first column has no name, as an index that pandas writes: it would count as a feature. Write the table without \
                           it (index=False), or give it a name";
            return Err(Error::format(path, Some(first_line), problem));
        }
        let path = path.to_owned();
        Ok(Self { path, lines, delimiter, pending: names.is_none(), names, features, first_line })
    }

    pub(crate) fn features(&self) -> usize {
        self.features
    }

    pub(crate) fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// Number of the line that was read last.
    pub(crate) fn line(&self) -> u64 {
        self.lines.number
    }

    pub(crate) fn rewind(&mut self) -> Result<()> {
        self.lines.input = open(&self.path)?;
        self.lines.number = 0;
        self.pending = false;
        if self.names.is_some() {
            self.lines.advance()?;
        }
        Ok(())
    }

    fn advance(&mut self) -> Result<bool> {
        if self.pending {
            self.pending = false;
            return Ok(true);
        }
        self.lines.advance()
    }

    pub(crate) fn fill<T: Scalar>(&mut self, count: usize, batch: &mut Batch<T>) -> Result<()> {
        for _ in 0..count {
            if !self.advance()? {
                break;
            }
            let column = batch.push()?;
            if let Err(problem) = parse_line(&self.lines.line, self.delimiter, column) {
                batch.pop();
                return Err(self.explain(problem));
            }
        }
        Ok(())
    }

    /// Passes over samples; gives how many there were.
    pub(crate) fn skip(&mut self, count: u64) -> Result<u64> {
        for skipped in 0..count {
            if !self.advance()? {
                return Ok(skipped);
            }
        }
        Ok(count)
    }

    fn explain(&self, problem: Problem) -> Error {
        let line = &self.lines.line;
        let fields: std::result::Result<Vec<&[u8]>, String> = Fields::new(line, self.delimiter).collect();
        let problem = match (fields, problem) {
            (Err(problem), _) => problem,
            // A wrong number of cells explains a cell that is no number better than the cell does.
            (Ok(fields), _) if fields.len() != self.features => format!(
                "has {} fields, but {} are expected, as on line {}",
                fields.len(),
                self.features,
                self.first_line
            ),
            (Ok(fields), Problem::NoNumber(index)) => {
                let cell =
                    fields.get(index).map_or_else(String::new, |f| shorten(&String::from_utf8_lossy(f)));
                let name = self.names.as_ref().and_then(|names| names.get(index));
                let name = name.map_or_else(String::new, |name| format!(" (`{}`)", shorten(name)));
                format!(
                    "column {}{name} holds `{cell}`: expected a number, or nothing, NA or nan where \
                     it is missing",
                    index + 1
                )
            }
            (Ok(_), Problem::Fields) => "cannot be understood".into(),
        };
        Error::format(&self.path, Some(self.lines.number), problem)
    }
}

/// The cell of a first line that is no number, where most of the others are numbers that no header has: those of columns ascend, as years do.
fn bad_cell(cells: &[String]) -> Option<usize> {
    let values: Vec<Option<f64>> = cells.iter().map(|cell| parse_number(cell.as_bytes())).collect();
    let numbers: Vec<f64> = values.iter().flatten().copied().filter(|x| !x.is_nan()).collect();
    let ascend = numbers.windows(2).all(|pair| pair[0] < pair[1]);
    if ascend || 2 * numbers.len() <= cells.len() { None } else { values.iter().position(Option::is_none) }
}

enum Problem {
    /// The number or the quoting of the cells.
    Fields,
    /// The cell of this index.
    NoNumber(usize),
}

fn parse_line<T: Scalar>(
    line: &[u8],
    delimiter: Delimiter,
    column: &mut [T],
) -> std::result::Result<(), Problem> {
    let mut fields = Fields::new(line, delimiter);
    for (index, out) in column.iter_mut().enumerate() {
        let Some(Ok(field)) = fields.next() else { return Err(Problem::Fields) };
        *out = T::from_f64(parse_number(field).ok_or(Problem::NoNumber(index))?);
    }
    if fields.next().is_some() { Err(Problem::Fields) } else { Ok(()) }
}

/// What the name says about the delimiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Comma,
    Tab,
    Other,
}

impl Named {
    fn from_path(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let packed = [".gz", ".zst", ".zstd"].iter().find_map(|end| name.strip_suffix(end));
        match Path::new(packed.unwrap_or(&name)).extension().and_then(|end| end.to_str()) {
            Some("csv") => Self::Comma,
            Some("tsv" | "tab") => Self::Tab,
            _ => Self::Other,
        }
    }
}

/// The delimiter by the first line. A `.csv` may have semicolons or tabs after all, as some spreadsheets
/// write.
fn sniff(line: &[u8], named: Named) -> Delimiter {
    let mut quoted = false;
    let mut has = [false; 3];
    for byte in line {
        quoted ^= *byte == b'"';
        if !quoted {
            has[0] |= *byte == b',';
            has[1] |= *byte == b'\t';
            has[2] |= *byte == b';';
        }
    }
    match (named, has) {
        (Named::Comma, [true, ..]) => Delimiter::Byte(b','),
        (_, [_, true, _]) => Delimiter::Byte(b'\t'),
        // Before the comma, which may be a decimal comma then; the message about `1,5` says more.
        (_, [_, _, true]) => Delimiter::Byte(b';'),
        (_, [true, ..]) | (Named::Comma, _) => Delimiter::Byte(b','),
        _ => Delimiter::Whitespace,
    }
}

/// The cells of a line, without the spaces around them and without their quotes.
struct Fields<'a> {
    rest: Option<&'a [u8]>,
    delimiter: Delimiter,
}

impl<'a> Fields<'a> {
    fn new(line: &'a [u8], delimiter: Delimiter) -> Self {
        Self { rest: Some(line), delimiter }
    }

    fn ends(&self, byte: u8) -> bool {
        match self.delimiter {
            Delimiter::Byte(delimiter) => byte == delimiter,
            Delimiter::Whitespace => byte == b' ' || byte == b'\t',
        }
    }

    /// Splits at the first delimiter at or after `from`.
    fn split(&mut self, line: &'a [u8], from: usize) -> &'a [u8] {
        if let Some(length) = line[from..].iter().position(|b| self.ends(*b)) {
            self.rest = Some(&line[from + length + 1..]);
            &line[..from + length]
        } else {
            self.rest = None;
            line
        }
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = std::result::Result<&'a [u8], String>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.rest?;
        let is_space = |b: &u8| *b == b' ' || (*b == b'\t' && self.delimiter != Delimiter::Byte(b'\t'));
        let line = &line[line.iter().take_while(|b| is_space(b)).count()..];
        if line.is_empty() && self.delimiter == Delimiter::Whitespace {
            return None;
        }
        if line.first() != Some(&b'"') {
            let mut cell = self.split(line, 0);
            while let [before @ .., b' ' | b'\t'] = cell {
                cell = before;
            }
            return Some(Ok(cell));
        }
        // The closing quote is the first that is not doubled.
        let mut end = 1;
        loop {
            match (line.get(end), line.get(end + 1)) {
                (Some(b'"'), Some(b'"')) => end += 2,
                (Some(b'"'), _) => break,
                (Some(_), _) => end += 1,
                (None, _) => {
                    self.rest = None;
                    return Some(Err("has a quote that is not closed on the same line".into()));
                }
            }
        }
        let after = self.split(line, end + 1);
        if after[end + 1..].iter().any(|b| *b != b' ') {
            self.rest = None;
            return Some(Err("has text after a closing quote: expected a delimiter there".into()));
        }
        Some(Ok(&line[1..end]))
    }
}

/// The number in a cell; NaN where it is missing.
fn parse_number(cell: &[u8]) -> Option<f64> {
    if let Some(x) = parse_short(cell) {
        return Some(x);
    }
    if cell.is_empty() || cell.eq_ignore_ascii_case(b"na") {
        return Some(f64::NAN);
    }
    std::str::from_utf8(cell).ok()?.trim_ascii().parse().ok()
}

/// Decimals of at most 15 digits without exponent: both the digits and the power of ten are exact, so that
/// one division rounds correctly.
fn parse_short(cell: &[u8]) -> Option<f64> {
    const POWERS: [f64; 16] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
    let (negative, digits) = match cell {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.len() > 16 {
        return None;
    }
    let (mut number, mut count, mut point) = (0_u64, 0_usize, None);
    for byte in digits {
        match byte {
            b'0'..=b'9' => {
                number = number * 10 + u64::from(byte - b'0');
                count += 1;
            }
            b'.' if point.is_none() => point = Some(count),
            _ => return None,
        }
    }
    if count == 0 || count > 15 {
        return None;
    }
    let x = number as f64 / POWERS[point.map_or(0, |point| count - point)];
    Some(if negative { -x } else { x })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cells(line: &str, delimiter: Delimiter) -> std::result::Result<Vec<String>, String> {
        let fields = Fields::new(line.as_bytes(), delimiter);
        fields.map(|f| f.map(|f| String::from_utf8_lossy(f).into_owned())).collect()
    }

    #[test]
    fn lines_are_split_into_cells() {
        let comma = Delimiter::Byte(b',');
        assert_eq!(cells("1, 2 ,\t3", comma).unwrap(), ["1", "2", "3"]);
        assert_eq!(cells("1,,", comma).unwrap(), ["1", "", ""]);
        assert_eq!(cells("\"a,b\" , \"c\"\"d\",\"\"", comma).unwrap(), ["a,b", "c\"\"d", ""]);
        assert_eq!(cells("  1 \t 2  ", Delimiter::Whitespace).unwrap(), ["1", "2"]);
        assert_eq!(cells("\t\t", Delimiter::Byte(b'\t')).unwrap(), ["", "", ""]);
        assert!(cells("1,\"2", comma).unwrap_err().contains("not closed"));
        assert!(cells("\"1\"2,3", comma).unwrap_err().contains("after a closing quote"));
    }

    #[test]
    fn delimiters_are_found() {
        for (path, line, expected) in [
            ("x.csv", "1,2;3", Delimiter::Byte(b',')),
            ("x.csv.gz", "1;2", Delimiter::Byte(b';')),
            ("x.csv", "my feature", Delimiter::Byte(b',')),
            ("x.txt", "1,5;2,5", Delimiter::Byte(b';')),
            ("x.txt", "1, 2", Delimiter::Byte(b',')),
            ("x.txt", "\"a,b\"\t2", Delimiter::Byte(b'\t')),
            ("-", "1 2", Delimiter::Whitespace),
        ] {
            assert_eq!(sniff(line.as_bytes(), Named::from_path(Path::new(path))), expected, "{path} {line}");
        }
        assert_eq!(Named::from_path(Path::new("a/x.TSV.zst")), Named::Tab);
    }

    #[test]
    fn missing_numbers_are_nan_and_words_are_none() {
        for cell in ["", "NA", "na", "nan", "NaN", "-nan"] {
            assert!(parse_number(cell.as_bytes()).unwrap().is_nan(), "{cell}");
        }
        for cell in ["x", "1,5", "1e", "--1", ".", "-", "+", "0x10", "1 2", "\u{661}"] {
            assert_eq!(parse_number(cell.as_bytes()), None, "{cell}");
        }
        assert_eq!(parse_number(b"-0").unwrap().to_bits(), (-0.0_f64).to_bits());
        assert_eq!(parse_number(b"+1.5E3"), Some(1500.0));
    }

    proptest! {
        #[test]
        fn short_decimals_are_rounded_as_the_standard_library_does(cell in "-?[0-9]{0,9}\\.?[0-9]{0,9}") {
            if let Some(x) = parse_short(cell.as_bytes()) {
                prop_assert_eq!(x.to_bits(), cell.parse::<f64>().unwrap().to_bits());
            } else {
                prop_assert!(cell.len() > 15 || cell.parse::<f64>().is_err());
            }
        }

        #[test]
        fn every_number_is_read_back(x in any::<f64>()) {
            let read = parse_number(format!("{x:?}").as_bytes()).unwrap();
            prop_assert!(read.to_bits() == x.to_bits() || (read.is_nan() && x.is_nan()));
        }
    }
}
