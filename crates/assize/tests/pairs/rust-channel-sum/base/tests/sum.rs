use channel_sum::sum;

#[test]
fn one_thread() {
    assert_eq!(sum(&[1, 2, 3], 1), 6);
}

#[test]
fn several_threads() {
    let numbers: Vec<i32> = (1..=1000).collect();
    assert_eq!(sum(&numbers, 4), 500_500);
}

#[test]
fn uneven_shares() {
    assert_eq!(sum(&[1, 2, 3, 4, 5, 6, 7], 3), 28);
}

#[test]
fn edge_no_numbers() {
    assert_eq!(sum(&[], 4), 0);
}

#[test]
fn edge_more_threads_than_numbers() {
    assert_eq!(sum(&[5, 6], 8), 11);
}

#[test]
fn edge_zero_threads() {
    assert_eq!(sum(&[5, 6], 0), 11);
}

#[test]
fn edge_negative_numbers() {
    assert_eq!(sum(&[-5, 2, -7], 2), -10);
}

#[test]
fn edge_maximum() {
    assert_eq!(sum(&[i32::MAX; 4], 2), 4 * i64::from(i32::MAX));
}
