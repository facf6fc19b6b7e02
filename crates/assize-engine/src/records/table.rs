//! Writes rows to a table: CSV, or Parquet if it is built in.
//!
//! Rows are written as they arrive, so that memory does not grow with their number. This module must not know what a
//! column means.

use std::io::{self, Write};

use super::cell::{Cell, Column};
use super::parquet;

/// The format of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableFormat {
    /// A row on each line, with a header.
    Csv,
    /// Parquet.
    Parquet,
}

/// A table that is being written.
pub enum TableWriter<W: Write + Send> {
    /// As CSV.
    Csv(Box<csv::Writer<W>>),
    /// As Parquet.
    Parquet(Box<parquet::ParquetWriter<W>>),
}

impl<W: Write + Send> TableWriter<W> {
    /// Begins a table.
    ///
    /// # Errors
    ///
    /// Fails if nothing can be written, or if this program was built without the format.
    pub fn begin(sink: W, format: TableFormat, columns: &[Column]) -> io::Result<Self> {
        match format {
            TableFormat::Csv => {
                let mut writer = csv::Writer::from_writer(sink);
                writer.write_record(columns.iter().map(|column| &column.name)).map_err(of_csv)?;
                Ok(Self::Csv(Box::new(writer)))
            }
            TableFormat::Parquet => Ok(Self::Parquet(Box::new(parquet::ParquetWriter::begin(sink, columns)?))),
        }
    }

    /// Writes the next row, which has a cell for each column.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be written.
    pub fn write(&mut self, row: Vec<Cell>) -> io::Result<()> {
        match self {
            Self::Csv(writer) => writer.write_record(row.into_iter().map(text_of)).map_err(of_csv),
            Self::Parquet(writer) => writer.write(row),
        }
    }

    /// Ends the table and returns the sink.
    ///
    /// # Errors
    ///
    /// Fails if the rest cannot be written.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Self::Csv(writer) => writer.into_inner().map_err(csv::IntoInnerError::into_error),
            Self::Parquet(writer) => writer.finish(),
        }
    }
}

/// Returns the I/O error inside an error of the CSV library.
fn of_csv(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// The first characters of cells that spreadsheets evaluate. An apostrophe before such a cell makes it text.
const FORMULAS: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

fn text_of(cell: Cell) -> String {
    match cell {
        Cell::Blank => String::new(),
        Cell::Text(text) if text.starts_with(FORMULAS) => format!("'{text}"),
        Cell::Text(text) => text,
        Cell::Whole(number) => number.to_string(),
        Cell::Amount(number) => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::cell::tests::columns;
    use super::*;

    #[test]
    fn a_table_is_read_back_as_it_was_written() {
        let mut writer = TableWriter::begin(Vec::new(), TableFormat::Csv, &columns()).expect("a table");
        writer.write(vec![Cell::Text("a,\"b\"\nc".to_owned()), Cell::Whole(-7), Cell::Amount(0.1)]).expect("written");
        writer.write(vec![Cell::Text("d".to_owned()), Cell::Blank, Cell::Blank]).expect("written");
        writer.write(vec![Cell::Text("=1+1".to_owned()), Cell::Blank, Cell::Amount(-1.0)]).expect("written");
        let table = String::from_utf8(writer.finish().expect("ended")).expect("a text");
        assert_eq!(table, "id,count,usd\n\"a,\"\"b\"\"\nc\",-7,0.1\nd,,\n'=1+1,,-1\n");
    }
}
