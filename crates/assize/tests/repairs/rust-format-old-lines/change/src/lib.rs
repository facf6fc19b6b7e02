//! Tables in text.

pub mod text;

/// Returns a row.
pub fn row(cells: &[&str]) -> String {
    format!( "| {} |",cells.join( " | " ) )
}

/// Returns the line below the head of a table.
pub fn rule(columns: usize) -> String {
    let cells = vec!["---"; columns];
    row(&cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stand_between_bars() {
        assert_eq!(row(&["a", "b"]), "| a | b |");
        assert_eq!(rule(2), "| --- | --- |");
    }

    #[test]
    fn edge_one_cell() {
        assert_eq!(row(&["a"]), "| a |");
    }

    #[test]
    fn edge_no_column() {
        assert_eq!( rule(0),"|  |" );
    }
}
