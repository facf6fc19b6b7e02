//! Parquet, behind the feature `parquet`, because it takes long to build and is not always needed.
//!
//! Records are read row by row, and a row group is written when it is full, so that memory does not grow with their
//! number. Without the feature, every function returns an error that says so.

#[cfg(feature = "parquet")]
mod built_in;
#[cfg(not(feature = "parquet"))]
mod not_built_in;

#[cfg(feature = "parquet")]
pub use built_in::{ParquetWriter, read};
#[cfg(not(feature = "parquet"))]
pub use not_built_in::{ParquetWriter, read};

/// The first and last bytes of a Parquet file.
pub const MAGIC: &[u8] = b"PAR1";
