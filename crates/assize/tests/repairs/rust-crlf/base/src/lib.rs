//! Switches of a board.

/// A switch.
#[derive(Debug, Clone, PartialEq)]
pub struct Switch {
    /// What is written below it.
    pub label: String,
    /// Whether it is on.
    pub on: bool,
}

/// Returns how many switches are on.
pub fn lit(board: &[Switch]) -> usize {
    board.iter().filter(|switch| switch.on).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board() -> Vec<Switch> {
        let switch = |label: &str, on| Switch { label: label.to_owned(), on };
        vec![switch("hall", true), switch("cellar", false)]
    }

    #[test]
    fn those_that_are_on_are_counted() {
        assert_eq!(lit(&board()), 1);
    }

    #[test]
    fn edge_no_switch() {
        assert_eq!(lit(&[]), 0);
    }
}
