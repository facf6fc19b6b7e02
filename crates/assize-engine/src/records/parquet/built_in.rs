//! Reads and writes Parquet with the `parquet` crate.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use assize_core::text::quote;
use assize_eval::record::RECORD_BYTES_MAX;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader as _, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::super::cell::{Cell, CellKind, Column};
use super::super::{EachItem, RawContent, RawRecord, RecordPosition, RecordsError};

/// The limits of a file.
#[derive(Debug, Clone, Copy)]
struct ParquetLimits {
    /// Uncompressed bytes of a row group, as the file states them.
    group_bytes: i64,
    /// Values of one column in a row group: a few bytes can encode any number of them.
    column_values: i64,
    /// How deep groups of columns may be nested.
    depth: usize,
}

const LIMITS: ParquetLimits = ParquetLimits { group_bytes: 4 << 30, column_values: 100_000_000, depth: 48 };
/// Rows that are written together.
const GROUP_ROWS: usize = 4_096;

/// Reads the rows of a file one after the other.
///
/// # Errors
///
/// Says which row cannot be read, and why; also if `each` rejects one.
pub fn read(file: File, each: EachItem<'_>) -> Result<(), RecordsError> {
    let as_a_whole = |what: String| RecordsError { place: "as a whole".to_owned(), what };
    let unreadable = |error: ParquetError| as_a_whole(format!("is no Parquet that can be read: {error}"));
    if !file.metadata().is_ok_and(|metadata| metadata.is_file()) {
        return Err(as_a_whole("Parquet is read from a file alone, since its end is read first".to_owned()));
    }
    let reader = caught(|| SerializedFileReader::new(file).map_err(unreadable)).unwrap_or_else(|| {
        Err(as_a_whole("is no Parquet that can be read: what it says of itself makes no sense".to_owned()))
    })?;
    check(reader.metadata(), LIMITS).map_err(as_a_whole)?;
    let rows = caught(|| reader.get_row_iter(None).map_err(unreadable));
    let mut rows = rows.unwrap_or_else(|| Err(as_a_whole("has columns of a shape that cannot be read".to_owned())))?;
    for number in 1_u64.. {
        let place = RecordPosition::Row(number);
        let at = |what: String| place.error(what);
        let row = caught(|| Some(rows.next()?.map(|row| row.to_json_value())));
        let Some(row) = row.ok_or_else(|| at("holds a value that cannot be read".to_owned()))? else { break };
        let value = row.map_err(|error| at(format!("cannot be read: {error}")))?;
        let mut size = CountingSink(0);
        if serde_json::to_writer(&mut size, &value).is_err() {
            return Err(at(format!("has more than {RECORD_BYTES_MAX} bytes")));
        }
        each(RawRecord { place, content: RawContent::Cells(value, size.0) })?;
    }
    Ok(())
}

/// Calls a function of the library that may panic for an invalid file. Returns `None` if it does.
fn caught<T>(act: impl FnOnce() -> T) -> Option<T> {
    panic::catch_unwind(AssertUnwindSafe(act)).ok()
}

fn check(metadata: &ParquetMetaData, limits: ParquetLimits) -> Result<(), String> {
    check_names(metadata.file_metadata().schema(), limits.depth)?;
    for group in metadata.row_groups() {
        let sizes = group.columns().iter().map(ColumnChunkMetaData::uncompressed_size);
        let bytes = sizes.fold(0_i64, i64::saturating_add);
        if bytes > limits.group_bytes {
            return Err(format!("a group of rows has {bytes} bytes where {} is the most", limits.group_bytes));
        }
        if let Some(column) = group.columns().iter().find(|column| column.num_values() > limits.column_values) {
            let (name, values) = (quote(&column.column_path().string()), column.num_values());
            let most = limits.column_values;
            return Err(format!("a group of rows has {values} values of {name} where {most} is the most"));
        }
    }
    Ok(())
}

/// Checks the columns of a group and of nested groups. Two columns must not have the same name, because only one of
/// them would be read.
fn check_names(group: &Type, depth: usize) -> Result<(), String> {
    let Some(depth) = depth.checked_sub(1) else { return Err("its columns lie too deep within each other".to_owned()) };
    let mut names = HashSet::new();
    for field in group.get_fields() {
        if !names.insert(field.name()) {
            return Err(format!("there are two columns {}", quote(field.name())));
        }
        if field.is_group() {
            check_names(field, depth)?;
        }
    }
    Ok(())
}

/// Counts bytes up to the size of the largest record.
struct CountingSink(usize);

impl Write for CountingSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        if self.0 > RECORD_BYTES_MAX { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes.len()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A table that is being written.
pub struct ParquetWriter<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    rows: Vec<Vec<Cell>>,
}

impl<W: Write + Send> ParquetWriter<W> {
    /// Begins a table.
    ///
    /// # Errors
    ///
    /// Fails if nothing can be written.
    pub fn begin(sink: W, columns: &[Column]) -> io::Result<Self> {
        let column = |column: &Column| {
            let (physical, logical) = match column.kind {
                CellKind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
                CellKind::Whole => (Physical::INT64, None),
                CellKind::Amount => (Physical::DOUBLE, None),
            };
            let kind = Type::primitive_type_builder(&column.name, physical);
            kind.with_repetition(Repetition::OPTIONAL).with_logical_type(logical).build().map(Arc::new)
        };
        let fields = columns.iter().map(column).collect::<Result<Vec<_>, _>>()?;
        let schema = Type::group_type_builder("rows").with_fields(fields).build()?;
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = SerializedFileWriter::new(sink, Arc::new(schema), Arc::new(properties))?;
        Ok(Self { writer, rows: Vec::new() })
    }

    /// Writes the next row, which has a cell for each column.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written.
    pub fn write(&mut self, row: Vec<Cell>) -> io::Result<()> {
        self.rows.push(row);
        if self.rows.len() < GROUP_ROWS { Ok(()) } else { self.write_group() }
    }

    fn write_group(&mut self) -> io::Result<()> {
        let mut group = self.writer.next_row_group()?;
        let mut at = 0;
        while let Some(mut column) = group.next_column()? {
            let cells = self.rows.iter().map(|row| row.get(at).unwrap_or(&Cell::Blank));
            let levels: Vec<i16> = cells.clone().map(|cell| i16::from(*cell != Cell::Blank)).collect();
            let levels = Some(levels.as_slice());
            match column.untyped() {
                ColumnWriter::Int64ColumnWriter(writer) => writer.write_batch(&whole(cells), levels, None)?,
                ColumnWriter::DoubleColumnWriter(writer) => writer.write_batch(&amounts(cells), levels, None)?,
                ColumnWriter::ByteArrayColumnWriter(writer) => writer.write_batch(&texts(cells), levels, None)?,
                _ => return Err(io::ErrorKind::Unsupported.into()),
            };
            column.close()?;
            at += 1;
        }
        group.close()?;
        self.rows.clear();
        Ok(())
    }

    /// Ends the table and returns the sink.
    ///
    /// # Errors
    ///
    /// Fails if the rest cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        if !self.rows.is_empty() {
            self.write_group()?;
        }
        Ok(self.writer.into_inner()?)
    }
}

fn whole<'a>(cells: impl Iterator<Item = &'a Cell>) -> Vec<i64> {
    let number = |cell: &Cell| if let Cell::Whole(number) = cell { Some(*number) } else { None };
    cells.filter_map(number).collect()
}

fn amounts<'a>(cells: impl Iterator<Item = &'a Cell>) -> Vec<f64> {
    let number = |cell: &Cell| if let Cell::Amount(number) = cell { Some(*number) } else { None };
    cells.filter_map(number).collect()
}

fn texts<'a>(cells: impl Iterator<Item = &'a Cell>) -> Vec<ByteArray> {
    let text = |cell: &Cell| if let Cell::Text(text) = cell { Some(ByteArray::from(text.as_str())) } else { None };
    cells.filter_map(text).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::cell::tests::columns;
    use super::super::super::table::{TableFormat, TableWriter};
    use super::super::super::{DataFormat, read_file};
    use super::*;
    use serde_json::{Value, json};
    use std::io::Seek as _;

    fn written(rows: Vec<Vec<Cell>>, columns: &[Column]) -> File {
        let file = tempfile::tempfile().expect("a file");
        let mut writer = TableWriter::begin(file, TableFormat::Parquet, columns).expect("a table");
        rows.into_iter().for_each(|row| writer.write(row).expect("written"));
        let mut file = writer.finish().expect("ended");
        file.rewind().expect("rewound");
        file
    }

    fn rows(file: File) -> Result<Vec<Value>, String> {
        let mut rows = Vec::new();
        let mut each = |value| {
            rows.push(value);
            Ok(())
        };
        read_file(file, None, &mut each).map_err(|error| error.to_string())?;
        Ok(rows)
    }

    #[test]
    fn what_is_written_is_read_back_over_many_groups() {
        let row = |at: usize| {
            let blank = at.is_multiple_of(3);
            let usd = if blank { Cell::Blank } else { Cell::Amount(at as f64 / 8.0) };
            vec![Cell::Text(format!("n{at}")), Cell::Whole(at as i64), usd]
        };
        for count in [0, 1, GROUP_ROWS, GROUP_ROWS + 1] {
            let read = rows(written((0..count).map(row).collect(), &columns())).expect("rows");
            assert_eq!(read.len(), count);
            for (at, value) in read.iter().enumerate() {
                let usd = if at.is_multiple_of(3) { Value::Null } else { json!(at as f64 / 8.0) };
                assert_eq!(*value, json!({"id": format!("n{at}"), "count": at, "usd": usd}));
            }
        }
    }

    #[test]
    fn a_file_that_is_cut_off_or_is_none_is_refused() {
        let file = written(vec![vec![Cell::Text("a".to_owned())]], &columns());
        let length = file.metadata().expect("a file").len();
        file.set_len(length - 1).expect("cut");
        assert!(rows(file).expect_err("cut off").contains("is no Parquet that can be read"));
        let mut other = tempfile::tempfile().expect("a file");
        other.write_all(b"{}").expect("written");
        other.rewind().expect("rewound");
        let error = read_file(other, Some(DataFormat::Parquet), &mut |_| Ok(())).expect_err("no Parquet");
        assert!(error.to_string().contains("is no Parquet"), "{error}");
    }

    #[test]
    fn a_row_has_a_largest_size() {
        let columns = || vec![Column { name: "id".to_owned(), kind: CellKind::Text }];
        let of = |bytes: usize| vec![vec![Cell::Text("x".repeat(bytes - r#"{"id":""}"#.len()))]];
        assert_eq!(rows(written(of(RECORD_BYTES_MAX), &columns())).expect("a row").len(), 1);
        let error = rows(written(of(RECORD_BYTES_MAX + 1), &columns())).expect_err("too large");
        assert!(error.contains("row 1: has more than"), "{error}");
    }

    /// A file that pyarrow wrote, with lists, structures, dates, decimals and blanks.
    #[test]
    fn what_others_wrote_is_read() {
        let mut file = tempfile::tempfile().expect("a file");
        let seed = include_bytes!("../../../../../fuzz/seeds/records/parquet-none");
        file.write_all(&seed[1..]).expect("written");
        file.rewind().expect("rewound");
        let read = rows(file).expect("rows");
        let expected = [
            json!({"id": "a", "steps": ["x", "y"], "meta": {"k": 1, "tags": ["p", null]}, "n": 1, "f": 0.5, "b": true,
                "t": "2024-01-02 03:04:05.678000 +00:00", "d": "2024-01-02", "dec": "1.20", "nul": null}),
            json!({"id": "b", "steps": [], "meta": null, "n": null, "f": null, "b": null, "t": null, "d": null,
                "dec": null, "nul": null}),
            json!({"id": "c", "steps": null, "meta": {"k": null, "tags": []}, "n": -5, "f": 1e300, "b": false,
                "t": "1969-01-02 03:04:05.000000 +00:00", "d": "1900-01-02", "dec": "-99.99", "nul": null}),
        ];
        assert_eq!(read, expected);
    }

    #[test]
    fn a_file_has_its_limits() {
        let row = || vec![Cell::Text("a".to_owned()), Cell::Whole(1), Cell::Amount(0.5)];
        let file = written(vec![row(), row()], &columns());
        let reader = SerializedFileReader::new(file).expect("Parquet");
        let bytes: i64 =
            reader.metadata().row_group(0).columns().iter().map(ColumnChunkMetaData::uncompressed_size).sum();
        let limits = ParquetLimits { group_bytes: bytes, column_values: 2, depth: 1 };
        assert_eq!(check(reader.metadata(), limits), Ok(()));
        for (limits, says) in [
            (ParquetLimits { group_bytes: bytes - 1, ..limits }, "bytes where"),
            (ParquetLimits { column_values: 1, ..limits }, "2 values of `id` where 1 is the most"),
            (ParquetLimits { depth: 0, ..limits }, "too deep"),
        ] {
            let error = check(reader.metadata(), limits).expect_err(says);
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn two_columns_of_one_name_are_refused() {
        let column = || Column { name: "id".to_owned(), kind: CellKind::Text };
        let file = written(vec![vec![Cell::Blank, Cell::Blank]], &[column(), column()]);
        assert_eq!(rows(file).expect_err("twice"), "as a whole: there are two columns `id`");
    }
}
