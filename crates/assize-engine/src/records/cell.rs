//! Columns and cells of a table, for every output format.

/// The type of a column's cells that are not blank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// Text.
    Text,
    /// Whole numbers.
    Whole,
    /// Numbers.
    Amount,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its unique name.
    pub name: String,
    /// The type of its cells.
    pub kind: CellKind,
}

/// One cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing.
    Blank,
    /// Text.
    Text(String),
    /// A whole number.
    Whole(i64),
    /// A number.
    Amount(f64),
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Returns a column of each kind.
    pub fn columns() -> Vec<Column> {
        let column = |name: &str, kind| Column { name: name.to_owned(), kind };
        vec![column("id", CellKind::Text), column("count", CellKind::Whole), column("usd", CellKind::Amount)]
    }
}
