//! Parquet, which is built in by the feature `parquet`: it takes long to build, and not everybody needs it.
//!
//! Records are read row by row, and a group of rows is written when it is full, so that memory does not grow with their number. Where
//! the feature is off, everything here says so.

#[cfg(feature = "parquet")]
mod built_in;
#[cfg(not(feature = "parquet"))]
mod left_out;

#[cfg(feature = "parquet")]
pub use built_in::{TableWriter, read};
#[cfg(not(feature = "parquet"))]
pub use left_out::{TableWriter, read};

/// How a Parquet file begins, and ends.
pub const MAGIC: &[u8] = b"PAR1";
