/// Merges intervals that overlap; the input is sorted.
pub fn merge(intervals: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut merged = Vec::new();
    let mut current = match intervals.first() {
        Some(first) => *first,
        None => return merged,
    };
    for &(start, end) in &intervals[1..] {
        if start <= current.1 {
            current.1 = current.1.max(end);
        } else {
            merged.push(current);
            current = (start, end);
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::merge;

    #[test]
    fn empty() {
        assert_eq!(merge(&[]), []);
    }
}
