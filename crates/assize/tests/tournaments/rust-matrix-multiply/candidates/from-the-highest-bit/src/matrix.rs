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
        let place = |index| (index % self.rows) * self.columns + index / self.rows;
        Self {
            rows: self.columns,
            columns: self.rows,
            numbers: (0..self.numbers.len())
                .map(|index| self.numbers[place(index)])
                .collect(),
        }
    }

    /// Returns the product of two matrices.
    pub fn multiply(&self, other: &Self) -> Result<Self, Error> {
        if self.columns != other.rows {
            return Err(Error::Shape);
        }
        let mut numbers = Vec::new();
        for row in 0..self.rows {
            for column in 0..other.columns {
                let mut sum = 0_i64;
                for middle in 0..self.columns {
                    let left = self.numbers[row * self.columns + middle];
                    let right = other.numbers[middle * other.columns + column];
                    let product = left.checked_mul(right).ok_or(Error::Overflow)?;
                    sum = sum.checked_add(product).ok_or(Error::Overflow)?;
                }
                numbers.push(sum);
            }
        }
        Self::new(self.rows, other.columns, &numbers)
    }

    /// Returns the matrix multiplied by itself.
    pub fn power(&self, exponent: u32) -> Result<Self, Error> {
        if self.rows != self.columns {
            return Err(Error::Shape);
        }
        let mut result = self.identity();
        let bits = u32::BITS - exponent.leading_zeros();
        for bit in (0..bits).rev() {
            result = result.multiply(&result)?;
            if exponent & (1 << bit) != 0 {
                result = result.multiply(self)?;
            }
        }
        Ok(result)
    }

    fn identity(&self) -> Self {
        let mut identity = self.clone();
        for (index, number) in identity.numbers.iter_mut().enumerate() {
            *number = i64::from(index / self.columns == index % self.columns);
        }
        identity
    }
}
