//! Parquet tables of pairs of nodes: the seam to the crate's writer.

use super::NodeIds;
use super::note::KEY;
use super::parquet_seal::{Sealing, made_by};
use crate::{Error, Result};
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// Rows of a row group.
const GROUP: usize = 1 << 18;

/// Writes a table of the columns `u`, `v` (the names of nodes: integers or words), `weight` and `count`, a group of rows at a time;
/// `path` is for errors. A note of how it was made, JSON in ASCII, goes into the metadata, and so does the digest of the file.
///
/// # Errors
/// [`Error::Io`].
///
/// # Panics
/// When a pair is of nodes that have no name.
pub(crate) fn write_pairs_parquet(
    mut pairs: impl Iterator<Item = (u32, u32, f64, u64)>,
    ids: &NodeIds,
    note: Option<&str>,
    out: &mut (impl Write + Send),
    path: &Path,
) -> Result<()> {
    let refused = |problem: ParquetError| Error::io(path)(std::io::Error::other(problem));
    let name = if ids.are_words() { "BINARY {} (STRING)" } else { "INT64 {}" };
    let (u, v) = (name.replace("{}", "u"), name.replace("{}", "v"));
    let schema = format!(
        "message pairs {{ REQUIRED {u}; REQUIRED {v}; REQUIRED DOUBLE weight; REQUIRED INT64 count (INTEGER(64, false)); }}"
    );
    let schema = parse_message_type(&schema).map_err(refused)?;
    let note = note.map(|note| vec![KeyValue::new(KEY.to_owned(), note.to_owned())]);
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
    let properties = properties.set_key_value_metadata(note).set_created_by(made_by()).build();
    let mut file = SerializedFileWriter::new(Sealing::new(out), Arc::new(schema), Arc::new(properties))
        .map_err(refused)?;
    let mut rows = Vec::with_capacity(GROUP);
    loop {
        rows.clear();
        rows.extend(pairs.by_ref().take(GROUP));
        if rows.is_empty() {
            break;
        }
        let mut group = file.next_row_group().map_err(refused)?;
        write_group(&rows, ids, &mut group).map_err(refused)?;
        group.close().map_err(refused)?;
    }
    file.into_inner().map_err(refused)?.finish().map_err(Error::io(path))
}

fn write_group<W: Write + Send>(
    rows: &[(u32, u32, f64, u64)],
    ids: &NodeIds,
    group: &mut SerializedRowGroupWriter<'_, W>,
) -> std::result::Result<(), ParquetError> {
    for first in [true, false] {
        let nodes = rows.iter().map(|&(u, v, ..)| if first { u } else { v } as usize);
        let Some(mut column) = group.next_column()? else { return Ok(()) };
        if ids.are_words() {
            let names: Vec<ByteArray> = nodes.map(|node| ByteArray::from(&*ids.name(node))).collect();
            column.typed::<ByteArrayType>().write_batch(&names, None, None)?;
        } else {
            let names: Vec<i64> = nodes.filter_map(|node| ids.integer(node)).collect();
            assert_eq!(names.len(), rows.len(), "names of all nodes");
            column.typed::<Int64Type>().write_batch(&names, None, None)?;
        }
        column.close()?;
    }
    if let Some(mut column) = group.next_column()? {
        let weights: Vec<f64> = rows.iter().map(|&(.., weight, _)| weight).collect();
        column.typed::<DoubleType>().write_batch(&weights, None, None)?;
        column.close()?;
    }
    if let Some(mut column) = group.next_column()? {
        let counts: Vec<i64> = rows.iter().map(|&(.., count)| count as i64).collect();
        column.typed::<Int64Type>().write_batch(&counts, None, None)?;
        column.close()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};

    fn read_back(pairs: &[(u32, u32, f64, u64)], ids: &NodeIds) -> Vec<String> {
        let mut file = tempfile::tempfile().unwrap();
        write_pairs_parquet(pairs.iter().copied(), ids, None, &mut file, Path::new("pairs")).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        assert_eq!(reader.num_row_groups(), pairs.len().div_ceil(GROUP));
        reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect()
    }

    #[test]
    fn rows_are_read_back() {
        let pairs = [(0, 1, 0.25, 3), (1, 2, 1e-300, u64::MAX)];
        let numbers = read_back(&pairs, &NodeIds::integers(vec![-7, 4, 1 << 40]));
        assert_eq!(numbers[0], "{u: -7, v: 4, weight: 0.25, count: 3}");
        assert!(
            numbers[1].contains("v: 1099511627776") && numbers[1].contains("count: 18446744073709551615")
        );
        let words = read_back(&pairs, &NodeIds::words(["a", "b", "é"]));
        assert_eq!(words[1].split(", w").next(), Some("{u: \"b\", v: \"é\""));
        assert!(read_back(&[], &NodeIds::numbered(0)).is_empty());
        let many: Vec<_> = (0..GROUP as u32 + 5).map(|i| (i, i + 1, f64::from(i), 1)).collect();
        let rows = read_back(&many, &NodeIds::numbered(GROUP + 6));
        assert_eq!(rows.len(), many.len());
        assert!(rows[GROUP + 4].starts_with(&format!("{{u: {}, ", GROUP + 4)));
    }
}
