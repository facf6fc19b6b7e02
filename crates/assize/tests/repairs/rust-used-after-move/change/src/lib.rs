//! Queues of names.

/// Returns who is first.
pub fn first(queue: &[String]) -> Option<&str> {
    queue.first().map(String::as_str)
}

/// Returns how long a queue is, in letters.
pub fn letters(queue: Vec<String>) -> usize {
    queue.iter().map(String::len).sum()
}

/// Returns the mean number of letters.
pub fn mean(queue: Vec<String>) -> usize {
    let all = letters(queue);
    all.checked_div(queue.len()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_comes_first() {
        assert_eq!(first(&["a".to_owned(), "b".to_owned()]), Some("a"));
        assert_eq!(letters(vec!["ab".to_owned()]), 2);
        assert_eq!(mean(vec!["ab".to_owned(), "abcd".to_owned()]), 3);
    }

    #[test]
    fn edge_nobody() {
        assert_eq!(first(&[]), None);
    }
}
