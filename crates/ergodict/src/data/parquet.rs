//! Parquet tables: the columns are features, read in lockstep one row group after the other.

use super::batch::Batch;
use super::{InputFile, parquet_seal};
use crate::linalg::Scalar;
use crate::{Error, Result};
use parquet::basic::{ConvertedType, LogicalType, Repetition, Type as PhysicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use parquet::schema::types::{ColumnDescriptor, Type};
use std::cell::Cell;
use std::fs::File;
use std::panic;
use std::path::{Path, PathBuf};
use std::sync::Once;

/// Numbers of a column decoded at a time: 64 KiB of f64.
const STEP: usize = 8192;

/// A matrix from a Parquet table.
pub(crate) struct Table {
    path: PathBuf,
    /// Watched as long as it is read.
    _input: InputFile,
    file: SerializedFileReader<File>,
    names: Vec<String>,
    columns: Vec<Column>,
    /// Rows of each row group.
    groups: Vec<u64>,
    /// The next row group to open.
    next_group: usize,
    /// The columns of the row group at hand, and how many of its rows are left.
    readers: Vec<ColumnReader>,
    left: u64,
    buffers: Buffers,
}

#[derive(Clone, Copy)]
struct Column {
    unsigned: bool,
    /// The definition level of a cell that is not null.
    present: i16,
}

#[derive(Default)]
struct Buffers {
    levels: Vec<i16>,
    bools: Vec<bool>,
    i32s: Vec<i32>,
    i64s: Vec<i64>,
    f32s: Vec<f32>,
    f64s: Vec<f64>,
    /// What was decoded, whatever the type of the column.
    numbers: Vec<f64>,
}

impl Table {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let input = parquet_seal::open(path)?;
        let file = input.handle()?;
        let file = guarded(path, || SerializedFileReader::new(file).map_err(damaged(path)))?;
        let metadata = file.metadata();
        let schema = metadata.file_metadata().schema_descr();
        let (mut names, mut columns) = (Vec::new(), Vec::new());
        for column in schema.columns() {
            let name = column.path().string();
            let unsigned = numeric(column).map_err(|what| {
                let problem = format!(
                    "column `{name}` holds {what}: expected numbers (float, \
                 double, integer or boolean); select the numeric columns when writing the file"
                );
                Error::format(path, None, problem)
            })?;
            names.push(name);
            columns.push(Column { unsigned, present: column.max_def_level() });
        }
        if columns.is_empty() {
            return Err(Error::format(
                path,
                None,
                "has no columns: expected a table whose columns are features",
            ));
        }
        // The crate asserts this when it opens a column.
        let chunks = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns);
        let negative = |chunk: &ColumnChunkMetaData| {
            chunk.dictionary_page_offset().unwrap_or(0) < 0
                || chunk.data_page_offset() < 0
                || chunk.compressed_size() < 0
        };
        if chunks.into_iter().any(negative) {
            return Err(Error::format(path, None, "has a column at a negative offset: it is damaged"));
        }
        let rows = |group: &RowGroupMetaData| u64::try_from(group.num_rows()).ok();
        let groups: Option<Vec<u64>> = metadata.row_groups().iter().map(rows).collect();
        let groups =
            groups.filter(|groups| groups.iter().try_fold(0_u64, |sum, n| sum.checked_add(*n)).is_some());
        let Some(groups) = groups else {
            return Err(Error::format(
                path,
                None,
                "has a row group of a negative number of rows: it is damaged",
            ));
        };
        let (readers, buffers) = (Vec::new(), Buffers::default());
        Ok(Self {
            path: path.to_owned(),
            _input: input,
            file,
            names,
            columns,
            groups,
            next_group: 0,
            readers,
            left: 0,
            buffers,
        })
    }

    pub(crate) fn features(&self) -> usize {
        self.columns.len()
    }

    pub(crate) fn samples(&self) -> u64 {
        self.groups.iter().sum()
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn rewind(&mut self) {
        self.readers.clear();
        (self.next_group, self.left) = (0, 0);
    }

    /// Opens the next row group that has rows; false at the end.
    fn advance(&mut self) -> Result<bool> {
        while self.left == 0 {
            let Some(rows) = self.groups.get(self.next_group) else { return Ok(false) };
            let (file, path, index, columns) = (&self.file, &self.path, self.next_group, self.columns.len());
            self.readers.clear();
            self.readers = guarded(path, || {
                let group = file.get_row_group(index).map_err(damaged(path))?;
                let reader = |column| group.get_column_reader(column).map_err(damaged(path));
                (0..columns).map(reader).collect()
            })?;
            self.left = *rows;
            self.next_group += 1;
        }
        Ok(true)
    }

    pub(crate) fn fill<T: Scalar>(&mut self, mut count: usize, batch: &mut Batch<T>) -> Result<()> {
        while count > 0 && self.advance()? {
            let step = self.left.min(count.min(STEP) as u64) as usize;
            let (out, stride) = batch.extend(step)?;
            for (feature, reader) in self.readers.iter_mut().enumerate() {
                let column = self.columns[feature];
                guarded(&self.path, || {
                    decode(reader, column, step, &mut self.buffers).map_err(|problem| {
                        let problem =
                            format!("column `{}` cannot be decoded: {problem}", self.names[feature]);
                        Error::format(&self.path, None, problem)
                    })
                })?;
                let out = out.iter_mut().skip(feature).step_by(stride);
                out.zip(&self.buffers.numbers).for_each(|(out, x)| *out = T::from_f64(*x));
            }
            self.left -= step as u64;
            count -= step;
        }
        Ok(())
    }

    pub(crate) fn skip(&mut self, mut count: u64) -> Result<()> {
        while count > 0 {
            // Whole row groups are passed over unopened.
            if self.left == 0 && self.groups.get(self.next_group).is_some_and(|rows| *rows <= count) {
                count -= self.groups[self.next_group];
                self.next_group += 1;
                continue;
            }
            if !self.advance()? {
                break;
            }
            let step = self.left.min(count);
            for reader in &mut self.readers {
                let skipped = guarded(&self.path, || {
                    match reader {
                        ColumnReader::BoolColumnReader(reader) => reader.skip_records(step as usize),
                        ColumnReader::Int32ColumnReader(reader) => reader.skip_records(step as usize),
                        ColumnReader::Int64ColumnReader(reader) => reader.skip_records(step as usize),
                        ColumnReader::FloatColumnReader(reader) => reader.skip_records(step as usize),
                        ColumnReader::DoubleColumnReader(reader) => reader.skip_records(step as usize),
                        _ => Ok(0),
                    }
                    .map_err(damaged(&self.path))
                })?;
                if skipped as u64 != step {
                    let problem = "has a column shorter than its row group: it is damaged";
                    return Err(Error::format(&self.path, None, problem));
                }
            }
            self.left -= step;
            count -= step;
        }
        Ok(())
    }
}

/// The note in the metadata of a table, if it has one.
///
/// # Errors
/// [`Error::Format`] for a damaged table of ours; [`Error::Io`].
pub(super) fn note(path: &Path) -> Result<Option<String>> {
    let file = parquet_seal::open(path)?.handle()?;
    let Ok(reader) = guarded(path, || SerializedFileReader::new(file).map_err(damaged(path))) else {
        return Ok(None);
    };
    let notes = reader.metadata().file_metadata().key_value_metadata().into_iter().flatten();
    Ok(notes.filter(|note| note.key == super::note::KEY).find_map(|note| note.value.clone()))
}

/// The names of the columns of a table, and its rows as text, each to `take`: as many fields as there are names.
///
/// # Errors
/// [`Error::Format`] for a damaged table, a column of groups or lists, and for a cell without a value, at the line that
/// the row would have in a text with a header; [`Error::Io`]; those of `take`.
pub(super) fn rows(path: &Path, mut take: impl FnMut(&[String]) -> Result<()>) -> Result<Vec<String>> {
    let input = parquet_seal::open(path)?;
    let file = input.handle()?;
    guarded(path, || {
        let reader = SerializedFileReader::new(file).map_err(damaged(path))?;
        // Rows have a field for each column of the top level, of which the leaves of a group would be several.
        let columns = reader.metadata().file_metadata().schema_descr().root_schema().get_fields();
        if let Some(column) = columns.iter().find(|column| !is_plain(column)) {
            let problem = format!(
                "column `{}` holds groups or lists: expected one number or text in each cell; leave it out when \
                 writing the file",
                column.name()
            );
            return Err(Error::format(path, None, problem));
        }
        let names: Vec<String> = columns.iter().map(|column| column.name().to_owned()).collect();
        let mut fields = Vec::new();
        for (line, row) in (2..).zip(reader.get_row_iter(None).map_err(damaged(path))?) {
            let row = row.map_err(damaged(path))?;
            fields.clear();
            for (name, field) in row.get_column_iter() {
                fields.push(match field {
                    Field::Null => {
                        let problem = format!("has no value in column `{name}`: expected one in each cell");
                        return Err(Error::format(path, Some(line), problem));
                    }
                    Field::Str(text) => text.clone(),
                    Field::Double(x) => x.to_string(),
                    Field::Float(x) => x.to_string(),
                    other => other.to_string(),
                });
            }
            take(&fields)?;
        }
        Ok(names)
    })
}

/// Whether a column has one cell in each row, and no parts.
fn is_plain(column: &Type) -> bool {
    let info = column.get_basic_info();
    column.is_primitive() && !(info.has_repetition() && info.repetition() == Repetition::REPEATED)
}

fn damaged(path: &Path) -> impl Fn(ParquetError) -> Error + '_ {
    move |e| Error::format(path, None, format!("is not a Parquet file that can be read: {e}"))
}

/// Puts the hook in place that says nothing of panics which become errors.
static HUSH: Once = Once::new();

thread_local! {
    /// Whether this thread is reading, so that its panics become errors.
    static HUSHED: Cell<bool> = const { Cell::new(false) };
}

/// Makes an error of a panic, and nothing is printed of it: the crate checks much of a damaged file by assertions (169 of 18 753
/// single-byte changes of a small table panicked in version 60.1).
fn guarded<R>(path: &Path, read: impl FnOnce() -> Result<R>) -> Result<R> {
    HUSH.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // A thread that is ending has no flag any more, and is not reading.
            if !HUSHED.try_with(Cell::get).unwrap_or(false) {
                before(info);
            }
        }));
    });
    let outer = HUSHED.replace(true);
    let caught = panic::catch_unwind(panic::AssertUnwindSafe(read));
    HUSHED.set(outer);
    caught
        .unwrap_or_else(|_| Err(Error::format(path, None, "cannot be decoded: the Parquet file is damaged")))
}

/// Whether a column of numbers is unsigned; otherwise what it holds.
fn numeric(column: &ColumnDescriptor) -> std::result::Result<bool, String> {
    let physical = column.physical_type();
    if column.max_rep_level() > 0 {
        return Err(format!("lists of {physical}"));
    }
    if let Some(logical) = column.logical_type_ref() {
        match logical {
            LogicalType::Integer { .. } => {}
            other => return Err(format!("{physical} as {other:?}")),
        }
    }
    let unsigned = match column.converted_type() {
        ConvertedType::UINT_8 | ConvertedType::UINT_16 | ConvertedType::UINT_32 | ConvertedType::UINT_64 => {
            true
        }
        ConvertedType::NONE
        | ConvertedType::INT_8
        | ConvertedType::INT_16
        | ConvertedType::INT_32
        | ConvertedType::INT_64 => false,
        other => return Err(format!("{physical} as {other}")),
    };
    match physical {
        PhysicalType::BOOLEAN
        | PhysicalType::INT32
        | PhysicalType::INT64
        | PhysicalType::FLOAT
        | PhysicalType::DOUBLE => Ok(unsigned),
        other => Err(other.to_string()),
    }
}

/// Decodes exactly `count` cells into `buffers.numbers`, nulls as NaN. Not generic: the decoders of the crate are compiled here, once.
fn decode(
    reader: &mut ColumnReader,
    column: Column,
    count: usize,
    buffers: &mut Buffers,
) -> std::result::Result<(), String> {
    let Buffers { levels, bools, i32s, i64s, f32s, f64s, numbers } = buffers;
    let Column { unsigned, present } = column;
    match reader {
        ColumnReader::BoolColumnReader(r) => {
            cells(r, present, count, levels, bools, |x| f64::from(u8::from(x)), numbers)
        }
        ColumnReader::Int32ColumnReader(r) if unsigned => {
            cells(r, present, count, levels, i32s, |x| f64::from(x as u32), numbers)
        }
        ColumnReader::Int32ColumnReader(r) => cells(r, present, count, levels, i32s, f64::from, numbers),
        ColumnReader::Int64ColumnReader(r) if unsigned => {
            cells(r, present, count, levels, i64s, |x| x as u64 as f64, numbers)
        }
        ColumnReader::Int64ColumnReader(r) => cells(r, present, count, levels, i64s, |x| x as f64, numbers),
        ColumnReader::FloatColumnReader(r) => cells(r, present, count, levels, f32s, f64::from, numbers),
        ColumnReader::DoubleColumnReader(r) => cells(r, present, count, levels, f64s, |x| x, numbers),
        _ => Err("it is not numeric".into()),
    }
}

fn cells<D: DataType>(
    reader: &mut ColumnReaderImpl<D>,
    present: i16,
    count: usize,
    levels: &mut Vec<i16>,
    values: &mut Vec<D::T>,
    number: fn(D::T) -> f64,
    out: &mut Vec<f64>,
) -> std::result::Result<(), String>
where
    D::T: Copy,
{
    levels.clear();
    values.clear();
    let (rows, found, _) =
        reader.read_records(count, Some(levels), None, values).map_err(|e| e.to_string())?;
    let expected =
        if present == 0 { count } else { levels.iter().filter(|level| **level == present).count() };
    if rows != count
        || found != expected
        || values.len() != expected
        || (present > 0 && levels.len() != count)
    {
        return Err(format!("it has {rows} rows where {count} are expected; the file is damaged"));
    }
    let mut values = values.iter();
    out.clear();
    out.extend((0..count).map(|index| {
        let null = present > 0 && levels[index] != present;
        let value = if null { None } else { values.next() };
        value.map_or(f64::NAN, |value| number(*value))
    }));
    Ok(())
}
