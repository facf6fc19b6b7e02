/// Merges intervals that overlap; the input is sorted.
pub fn merge(intervals: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut merged = Vec::new();
    let mut current = match intervals.first() {
        Some(first) => *first,
        None => return merged,
    };
    for &(start, end) in &intervals[1..] {
        dbg!(start, end, &current);
        if start <= current.1 {
            current.1 = current.1.max(end);
        } else {
            merged.push(current);
            current = (start, end);
        }
    }
    merged.push(current);
    dbg!(merged)
}

#[cfg(test)]
mod tests {
    use super::merge;

    #[test]
    fn empty() {
        assert_eq!(merge(&[]), []);
    }

    #[test]
    fn keeps_the_last() {
        assert_eq!(merge(&[(1, 3), (2, 4), (6, 7)]), [(1, 4), (6, 7)]);
    }
}
