//! Queues of names.

/// Returns who is first.
pub fn first(queue: &[String]) -> Option<&str> {
    queue.first().map(String::as_str)
}

/// Returns how long a queue is, in letters.
pub fn letters(queue: Vec<String>) -> usize {
    queue.iter().map(String::len).sum()
}

/// A desk that gives out numbers.
#[derive(Debug)]
pub struct Desk {
    given: u32,
}

impl Desk {
    /// Makes one that has given nothing.
    pub fn new() -> Self {
        Self { given: 0 }
    }

    /// Gives the next number.
    pub fn next_number(&mut self) -> u32 {
        self.given = self.given + 1;
        self.given
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_comes_first() {
        assert_eq!(first(&["a".to_owned(), "b".to_owned()]), Some("a"));
        assert_eq!(letters(vec!["ab".to_owned()]), 2);
        assert_eq!(Desk::new().next_number(), 1);
    }

    #[test]
    fn edge_nobody() {
        assert_eq!(first(&[]), None);
    }
}
