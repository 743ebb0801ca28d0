//! Tables of pairs of nodes: scores, labels, or pairs alone, one a line, in the order of the file.

use super::Network;
use super::edge_list::line::{Separator, content, split};
use crate::{Error, Result};
use std::io::Read;
use std::path::{Path, PathBuf};

/// First columns of tables that have a header and nothing but names below it.
const HEADS: [(&str, &str); 7] = [
    ("u", "v"),
    ("i", "j"),
    ("source", "target"),
    ("from", "to"),
    ("src", "dst"),
    ("node1", "node2"),
    ("head", "tail"),
];

/// Bytes of text that are read between two looks at how much memory there is, and what a byte of them takes: lines such as `1 2` have an index of
/// 24 bytes.
const BLOCK: u64 = 32 << 20;
const BYTE: u64 = 8;

/// A table whose first two columns are nodes, as text or `.parquet`.
///
/// Fields are separated by tabs, commas or semicolons where the first line has such, else by blanks; `#` begins a comment, and a name with
/// blanks stands in quotation marks. The first line is a header when its third field is no number, or when the first two are usual
/// names of such columns (`u v`, `source target`, …).
#[derive(Clone, Debug)]
pub struct PairTable {
    path: PathBuf,
    header: Option<Vec<String>>,
    /// Columns, with the two of the nodes.
    columns: usize,
    /// All fields one after another, and where each ends.
    text: String,
    ends: Vec<usize>,
    /// The line of each row.
    lines: Vec<u64>,
}

impl PairTable {
    /// Reads a table; `-` is standard input, and files may be compressed.
    ///
    /// ```
    /// # use ergodict::data::PairTable;
    /// let path = std::env::temp_dir().join(format!("ergodict-pairs-{}", std::process::id()));
    /// std::fs::write(&path, "u\tv\tscore\n1\t2\t0.5\n2\t3\t-1\n").unwrap();
    /// let table = PairTable::read(&path)?;
    /// assert_eq!((table.len(), table.pair(1), table.numbers(2)?), (2, ("2", "3"), vec![0.5, -1.0]));
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Format`] with the line that has another number of fields than the first, is no text, or when there is no
    /// row; [`Error::Io`].
    pub fn read(path: &Path) -> Result<Self> {
        let mut input = crate::data::open(path)?;
        #[cfg(feature = "parquet")]
        if input.head().starts_with(b"PAR1") && path.is_file() {
            return Self::of_parquet(path);
        }
        let mut bytes = Vec::new();
        while input.by_ref().take(BLOCK).read_to_end(&mut bytes).map_err(Error::io(path))? > 0 {
            let what = format!("{}: the first {} bytes of a table", path.display(), bytes.len());
            crate::memory::check(bytes.len() as u64 * BYTE, &what, "expected fewer pairs")?;
        }
        Self::parse(path, &bytes)
    }

    /// The same from a parquet file, whose first two columns are the nodes, and which has a value in each cell. Its rows are numbered as the lines of the same table in text
    /// would be, after one for the header.
    #[cfg(feature = "parquet")]
    fn of_parquet(path: &Path) -> Result<Self> {
        let mut table = Self::none(path);
        let names = crate::data::parquet::rows(path, |fields| {
            for field in fields {
                table.text.push_str(field);
                table.ends.push(table.text.len());
            }
            table.lines.push(table.lines.len() as u64 + 2);
            Ok(())
        })?;
        if names.len() < 2 {
            let problem = format!("has the columns {}: expected two nodes first", names.join(", "));
            return Err(Error::format(path, None, problem));
        }
        table.columns = names.len();
        table.header = Some(names);
        table.some()
    }

    fn none(path: &Path) -> Self {
        let (text, ends, lines) = (String::new(), Vec::new(), Vec::new());
        Self { path: path.to_owned(), header: None, columns: 0, text, ends, lines }
    }

    /// The table, unless it has no row.
    fn some(self) -> Result<Self> {
        if self.lines.is_empty() {
            return Err(Error::format(&self.path, None, "has no pair: expected lines such as `1 2 0.5`"));
        }
        Ok(self)
    }

    /// The same from memory; `path` is for messages.
    ///
    /// # Errors
    /// [`Error::Format`].
    pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<Self> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let mut table = Self::none(path);
        let (mut separator, mut fields) = (None, Vec::new());
        for (number, line) in (1u64..).zip(bytes.split(|&byte| byte == b'\n')) {
            let Some(line) = content(line) else { continue };
            let refuse = |problem: String| Error::format(path, Some(number), problem);
            let line = std::str::from_utf8(line).map_err(|_| refuse("is no UTF-8 text".into()))?;
            let separator = *separator.get_or_insert_with(|| {
                let only = [b'\t', b',', b';'].into_iter().find(|&byte| line.as_bytes().contains(&byte));
                only.map_or(Separator::Mixed, Separator::Only)
            });
            split(line, separator, &mut fields).map_err(|problem| refuse(problem.into()))?;
            if table.columns == 0 {
                if fields.len() < 2 {
                    return Err(refuse("has one field: expected two nodes and a value".into()));
                }
                table.columns = fields.len();
                if is_header(&fields) {
                    table.header = Some(fields.iter().map(ToString::to_string).collect());
                    continue;
                }
            }
            if fields.len() != table.columns {
                let problem = format!("has {} fields, but the first line {}", fields.len(), table.columns);
                return Err(refuse(problem));
            }
            for field in &fields {
                table.text.push_str(field);
                table.ends.push(table.text.len());
            }
            table.lines.push(number);
        }
        table.some()
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Never: a table without pairs is refused.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Number of columns, with those of the nodes.
    #[cfg(test)]
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Names of the columns, where the table has them.
    pub fn header(&self) -> Option<&[String]> {
        self.header.as_deref()
    }

    /// The column of this name, in whatever case.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.header.as_ref()?.iter().position(|column| column.eq_ignore_ascii_case(name))
    }

    /// A field.
    pub fn field(&self, row: usize, column: usize) -> &str {
        assert!(column < self.columns, "column {column} of {}", self.columns);
        let at = row * self.columns + column;
        &self.text[if at == 0 { 0 } else { self.ends[at - 1] }..self.ends[at]]
    }

    /// The names of the nodes of a row.
    pub fn pair(&self, row: usize) -> (&str, &str) {
        (self.field(row, 0), self.field(row, 1))
    }

    /// An error at a row.
    pub fn refuse(&self, row: usize, problem: impl Into<String>) -> Error {
        Error::format(&self.path, Some(self.lines[row]), problem)
    }

    /// A column of numbers.
    ///
    /// # Errors
    /// [`Error::Format`] with the line whose field is no finite number, or when there is no such column.
    pub fn numbers(&self, column: usize) -> Result<Vec<f64>> {
        self.check_column(column)?;
        (0..self.len()).map(|row| self.number(row, column)).collect()
    }

    /// A column of numbers that some pairs do not have: none where the field is empty or NaN.
    ///
    /// ```
    /// # use ergodict::data::PairTable;
    /// let path = std::env::temp_dir().join(format!("ergodict-some-{}", std::process::id()));
    /// std::fs::write(&path, "u\tv\tscore\tn\n1\t2\t0.5\t3\n2\t3\t\t4\n").unwrap();
    /// assert_eq!(PairTable::read(&path)?.numbers_or_none(2)?, [Some(0.5), None]);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), ergodict::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`numbers`](Self::numbers), for other fields.
    pub fn numbers_or_none(&self, column: usize) -> Result<Vec<Option<f64>>> {
        let none = |row: &usize| {
            let field = self.field(*row, column).trim();
            field.is_empty() || field.eq_ignore_ascii_case("nan")
        };
        self.check_column(column)?;
        (0..self.len())
            .map(|row| if none(&row) { Ok(None) } else { self.number(row, column).map(Some) })
            .collect()
    }

    fn check_column(&self, column: usize) -> Result<()> {
        if column >= self.columns {
            let problem = format!("has {} columns: expected a number after the two nodes", self.columns);
            return Err(Error::format(&self.path, None, problem));
        }
        Ok(())
    }

    fn number(&self, row: usize, column: usize) -> Result<f64> {
        let field = self.field(row, column);
        let number = field.parse().ok().filter(|x: &f64| x.is_finite());
        number.ok_or_else(|| self.refuse(row, format!("has `{field}` where a number is expected")))
    }

    /// The pairs as nodes of a network.
    ///
    /// # Errors
    /// [`Error::Format`] with the line of a node that the network does not have.
    pub fn nodes(&self, network: &Network) -> Result<Vec<(u32, u32)>> {
        let find = |row: usize, name: &str| {
            let node = network.ids().find(name).map(|v| v as u32);
            node.ok_or_else(|| {
                self.refuse(row, format!("has the node `{name}`, which the network does not have"))
            })
        };
        let pair = |row| {
            let (u, v) = self.pair(row);
            Ok((find(row, u)?, find(row, v)?))
        };
        (0..self.len()).map(pair).collect()
    }
}

/// Whether the first fields are names of columns.
fn is_header(fields: &[std::borrow::Cow<'_, str>]) -> bool {
    let is = |field: &str, name: &str| field.eq_ignore_ascii_case(name);
    let usual = HEADS.iter().any(|(u, v)| is(&fields[0], u) && is(&fields[1], v));
    usual || fields.get(2).is_some_and(|field| field.parse::<f64>().is_err())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Build, NodeIds};

    fn parse(text: &str) -> Result<PairTable> {
        PairTable::parse(Path::new("pairs.tsv"), text.as_bytes())
    }

    #[test]
    fn tables_of_every_kind_are_read() {
        for (text, columns, header) in [
            ("1 2\n3 4\n", 2, None),
            ("# pairs\n1\t2\n\n3\t4", 2, None),
            ("u,v\n1,2\n3,4\n", 2, Some("u")),
            ("u v score\r\n1 2 0.5\r\n3 4 1e-3\r\n", 3, Some("u")),
            ("\u{feff}a\tb\tlabel\tkind\n1\t2\t0.5\ttrue\n3\t4\t0.001\tadded\n", 4, Some("a")),
            ("1;2;0.5\n3;4;1e-3", 3, None),
        ] {
            let table = parse(text).unwrap();
            assert_eq!((table.columns(), table.header().map(|h| &*h[0])), (columns, header), "{text}");
            assert_eq!((table.len(), table.pair(0), table.pair(1)), (2, ("1", "2"), ("3", "4")), "{text}");
            if columns > 2 {
                assert_eq!(table.numbers(2).unwrap(), [0.5, 1e-3], "{text}");
            } else {
                assert!(table.numbers(2).unwrap_err().to_string().contains("2 columns"), "{text}");
            }
        }
        let table = parse("u\tv\tlabel\tkind\na b\t\"c\"\"d\"\t1\tx\n").unwrap();
        assert_eq!((table.pair(0), table.field(0, 3)), (("a b", "c\"d"), "x"));
        assert_eq!((table.column("Kind"), table.column("score")), (Some(3), None));
    }

    #[test]
    fn what_is_no_table_is_refused_with_its_line() {
        for (text, line, problem) in [
            ("", None, "no pair"),
            ("u v score\n", None, "no pair"),
            ("1\n2\n", Some(1), "one field"),
            ("1 2 3\n4 5\n", Some(2), "has 2 fields, but the first line 3"),
            ("1,2\n\"3,4\n", Some(2), "not closed"),
        ] {
            let said = parse(text).unwrap_err().to_string();
            let at = line.map_or("pairs.tsv".into(), |line| format!("pairs.tsv:{line}"));
            assert!(said.contains(&at) && said.contains(problem), "{text:?}: {said}");
        }
        let said = parse("1 2 0.5\n1 3 nan\n").unwrap().numbers(2).unwrap_err().to_string();
        assert!(said.contains("pairs.tsv:2") && said.contains("`nan`"), "{said}");
        let network = Network::simple(3, &[(0, 1), (1, 2)]).unwrap();
        let said = parse("0 1\n1 7\n").unwrap().nodes(&network).unwrap_err().to_string();
        assert!(said.contains("pairs.tsv:2") && said.contains("`7`"), "{said}");
        assert!(PairTable::parse(Path::new("x"), b"1 2\n\xff 3\n").unwrap_err().to_string().contains("x:2"));
    }

    #[test]
    #[cfg(feature = "parquet")]
    fn parquet_is_the_same_table() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let (ids, mut bytes) = (NodeIds::words(["a", "b b", "c"]), Vec::new());
        let rows = [(0, 1, 0.25, 7), (2, 0, 1e-9, 1)].into_iter();
        crate::data::write_pairs_parquet(rows, &ids, None, &mut bytes, file.path()).unwrap();
        std::fs::write(file.path(), &bytes).unwrap();
        let table = PairTable::read(file.path()).unwrap();
        assert_eq!((table.len(), table.pair(0), table.pair(1)), (2, ("a", "b b"), ("c", "a")));
        assert_eq!((table.column("weight"), table.column("count")), (Some(2), Some(3)));
        assert_eq!(table.numbers(2).unwrap(), [0.25, 1e-9]);
        std::fs::write(file.path(), &bytes[..bytes.len() / 2]).unwrap();
        assert!(PairTable::read(file.path()).is_err());
    }

    /// A table of one row, whose columns of whole numbers have the given definition levels; a level below the highest is null.
    #[cfg(feature = "parquet")]
    fn written(schema: &str, columns: &[Option<i16>]) -> tempfile::NamedTempFile {
        use parquet::data_type::Int64Type;
        let schema = parquet::schema::parser::parse_message_type(schema).unwrap();
        let mut bytes = Vec::new();
        let mut writer = parquet::file::writer::SerializedFileWriter::new(
            &mut bytes,
            std::sync::Arc::new(schema),
            std::sync::Arc::default(),
        )
        .unwrap();
        let mut group = writer.next_row_group().unwrap();
        for (value, level) in (1i64..).zip(columns) {
            let mut column = group.next_column().unwrap().unwrap();
            let values = if *level == Some(0) { Vec::new() } else { vec![value] };
            let levels = level.map(|level| vec![level]);
            column.typed::<Int64Type>().write_batch(&values, levels.as_deref(), None).unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
        writer.close().unwrap();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &bytes).unwrap();
        file
    }

    #[test]
    #[cfg(feature = "parquet")]
    fn parquet_with_groups_or_without_values_is_refused() {
        let plain = written(
            "message m { required int64 u; optional int64 v; required int64 x; }",
            &[None, Some(1), None],
        );
        let table = PairTable::read(plain.path()).unwrap();
        assert_eq!((table.pair(0), table.field(0, 2), table.columns()), (("1", "2"), "3", 3));
        let group = written(
            "message m { required group where { required int64 x; required int64 y; } required int64 u; required int64 v; }",
            &[None; 4],
        );
        let said = PairTable::read(group.path()).unwrap_err().to_string();
        assert!(said.contains("column `where` holds groups or lists"), "{said}");
        let null = written("message m { required int64 u; optional int64 v; }", &[None, Some(0)]);
        let said = PairTable::read(null.path()).unwrap_err().to_string();
        assert!(said.contains(":2") && said.contains("no value in column `v`"), "{said}");
        let list = "message m { required int64 u; required int64 v; repeated int64 more; }";
        let schema = parquet::schema::parser::parse_message_type(list).unwrap();
        let mut bytes = Vec::new();
        let (schema, properties) = (std::sync::Arc::new(schema), std::sync::Arc::default());
        let empty = parquet::file::writer::SerializedFileWriter::new(&mut bytes, schema, properties).unwrap();
        empty.close().unwrap();
        std::fs::write(null.path(), &bytes).unwrap();
        let said = PairTable::read(null.path()).unwrap_err().to_string();
        assert!(said.contains("column `more`"), "{said}");
    }

    #[test]
    fn names_become_nodes() {
        let ids = NodeIds::words(["a", "b b", "c"]);
        let (network, _) = Network::build(ids, &[(0, 1, 1.0), (1, 2, 1.0)], false, Build::default()).unwrap();
        let table = parse("c\ta\nb b\tc\n").unwrap();
        assert_eq!(table.nodes(&network).unwrap(), [(2, 0), (1, 2)]);
    }
}
