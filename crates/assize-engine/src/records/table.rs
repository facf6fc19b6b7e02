//! Writes rows to a table: CSV, or Parquet where it is built in.
//!
//! Rows are written as they come, so that memory does not grow with their number. What a column stands for must not be known here.

use std::io::{self, Write};

use super::parquet;

/// In which form a table is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableFormat {
    /// A row a line, with a header.
    Csv,
    /// Parquet.
    Parquet,
}

/// What the cells of a column hold, where they are not blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// Texts.
    Text,
    /// Whole numbers.
    Whole,
    /// Numbers.
    Amount,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name; no two have the same.
    pub name: String,
    /// What its cells hold.
    pub kind: CellKind,
}

/// One cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing.
    Blank,
    /// A text.
    Text(String),
    /// A whole number.
    Whole(i64),
    /// A number.
    Amount(f64),
}

/// A table that is being written.
pub enum TableWriter<W: Write + Send> {
    /// As CSV.
    Csv(Box<csv::Writer<W>>),
    /// As Parquet.
    Parquet(Box<parquet::TableWriter<W>>),
}

impl<W: Write + Send> TableWriter<W> {
    /// Begins a table.
    ///
    /// # Errors
    ///
    /// Fails when nothing can be written, or when this program was built without the form.
    pub fn begin(sink: W, format: TableFormat, columns: &[Column]) -> io::Result<Self> {
        match format {
            TableFormat::Csv => {
                let mut writer = csv::Writer::from_writer(sink);
                writer.write_record(columns.iter().map(|column| &column.name)).map_err(of_csv)?;
                Ok(Self::Csv(Box::new(writer)))
            }
            TableFormat::Parquet => Ok(Self::Parquet(Box::new(parquet::TableWriter::begin(sink, columns)?))),
        }
    }

    /// Writes the next row, which has a cell for each column.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be written.
    pub fn write(&mut self, row: Vec<Cell>) -> io::Result<()> {
        match self {
            Self::Csv(writer) => writer.write_record(row.into_iter().map(text_of)).map_err(of_csv),
            Self::Parquet(writer) => writer.write(row),
        }
    }

    /// Ends the table and returns where it was written.
    ///
    /// # Errors
    ///
    /// Fails when the rest of it cannot be written.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Self::Csv(writer) => writer.into_inner().map_err(csv::IntoInnerError::into_error),
            Self::Parquet(writer) => writer.finish(),
        }
    }
}

/// Takes an error of the disk or the pipe out of what the library wraps it in.
fn of_csv(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// With what a cell begins that spreadsheets compute; an apostrophe before it makes it a text for them.
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
pub(super) mod tests {
    use super::*;

    pub fn columns() -> Vec<Column> {
        let column = |name: &str, kind| Column { name: name.to_owned(), kind };
        vec![column("id", CellKind::Text), column("count", CellKind::Whole), column("usd", CellKind::Amount)]
    }

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
