//! Tables in text.

pub mod text;

/// Returns a row.
pub fn row(cells: &[&str]) -> String {
    format!( "| {} |",cells.join( " | " ) )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stand_between_bars() {
        assert_eq!(row(&["a", "b"]), "| a | b |");
    }

    #[test]
    fn edge_one_cell() {
        assert_eq!(row(&["a"]), "| a |");
    }
}
