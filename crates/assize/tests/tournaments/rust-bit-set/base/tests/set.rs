use bits::{BitSet, LIMIT};

fn set(numbers: &[u32]) -> BitSet {
    numbers.iter().copied().collect()
}

#[test]
fn numbers_are_put_in_and_taken_out() {
    let mut set = BitSet::default();
    assert!(set.insert(70));
    assert!(!set.insert(70));
    assert!(set.contains(70) && !set.contains(6));
    assert!(set.remove(70));
    assert!(!set.remove(70));
    assert!(set.is_empty());
}

#[test]
fn numbers_are_in_order() {
    let numbers: Vec<u32> = set(&[300, 1, 64, 63, 1]).iter().collect();
    assert_eq!(numbers, [1, 63, 64, 300]);
    assert_eq!(set(&[300, 1, 64, 63, 1]).len(), 4);
}

#[test]
fn bits_are_in_words() {
    assert_eq!(set(&[0, 3, 65]).words(), [0b1001, 0b10]);
}

#[test]
fn unions() {
    assert_eq!(set(&[1, 200]).union(&set(&[2])), set(&[1, 2, 200]));
    assert_eq!(set(&[2]).union(&set(&[1, 200])), set(&[1, 2, 200]));
}

#[test]
fn intersections() {
    assert_eq!(set(&[1, 2, 200]).intersection(&set(&[2, 3])), set(&[2]));
    assert_eq!(set(&[2, 3]).intersection(&set(&[1, 2, 200])), set(&[2]));
}

#[test]
fn differences() {
    assert_eq!(set(&[1, 2, 200]).difference(&set(&[2, 3])), set(&[1, 200]));
    assert_eq!(set(&[2, 3]).difference(&set(&[1, 2, 200])), set(&[3]));
}

#[test]
fn equal_sets_are_equal_whatever_was_removed() {
    let mut one = set(&[1, 500]);
    one.remove(500);
    assert_eq!(one, set(&[1]));
    assert_eq!(one.words().len(), 1);
}

#[test]
fn edge_results_without_zero_words() {
    assert_eq!(set(&[1, 500]).difference(&set(&[500])), set(&[1]));
    assert_eq!(set(&[1, 500]).intersection(&set(&[1, 501])), set(&[1]));
    assert_eq!(set(&[500]).intersection(&set(&[1])), BitSet::default());
}

#[test]
fn edge_empty_set() {
    assert_eq!(BitSet::default().iter().count(), 0);
    assert_eq!(BitSet::default().words(), [0_u64; 0]);
    assert_eq!(
        BitSet::default().union(&BitSet::default()),
        BitSet::default()
    );
}

#[test]
fn edge_at_the_limit() {
    let mut set = BitSet::default();
    assert!(set.insert(LIMIT - 1));
    assert!(!set.insert(LIMIT));
    assert!(!set.insert(u32::MAX));
    assert!(!set.contains(u32::MAX) && !set.remove(u32::MAX));
    assert_eq!(set.len(), 1);
    assert_eq!(set.words().len(), LIMIT as usize / 64);
}
