//! Replaces Parquet if it is not built in.

use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Write};
use std::marker::PhantomData;

use super::super::cell::{Cell, Column};
use super::super::{EachItem, RecordsError};

const LEFT_OUT: &str = "this program was built without Parquet; `cargo install … --features parquet` builds it in";

/// Returns that Parquet cannot be read.
///
/// # Errors
///
/// Always.
pub fn read(_: File, _: EachItem<'_>) -> Result<(), RecordsError> {
    Err(RecordsError { place: "as a whole".to_owned(), what: LEFT_OUT.to_owned() })
}

/// A table that cannot be begun.
pub struct ParquetWriter<W> {
    never: Infallible,
    sink: PhantomData<W>,
}

impl<W: Write> ParquetWriter<W> {
    /// Returns that Parquet cannot be written.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn begin(_: W, _: &[Column]) -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::Unsupported, LEFT_OUT))
    }

    /// Is never called.
    ///
    /// # Errors
    ///
    /// Never.
    pub fn write(&mut self, _: Vec<Cell>) -> io::Result<()> {
        match self.never {}
    }

    /// Is never called.
    ///
    /// # Errors
    ///
    /// Never.
    pub fn finish(self) -> io::Result<W> {
        let Self { never, sink: PhantomData } = self;
        match never {}
    }
}
