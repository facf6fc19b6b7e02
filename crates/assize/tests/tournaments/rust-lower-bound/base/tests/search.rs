use search::{first_at_least, nearest, span};

#[test]
fn the_first_of_different_values() {
    let values = [1, 3, 5, 7];
    for (wanted, place) in [(0, 0), (1, 0), (2, 1), (7, 3), (8, 4)] {
        assert_eq!(first_at_least(&values, wanted), place);
    }
}

#[test]
fn the_first_of_equal_values() {
    let values = [1, 3, 3, 3, 3, 3, 3, 5];
    assert_eq!(first_at_least(&values, 3), 1);
    assert_eq!(first_at_least(&[2; 1000], 2), 0);
}

#[test]
fn spans() {
    let values = [1, 3, 3, 3, 5];
    assert_eq!(span(&values, 3), 1..4);
    assert_eq!(span(&values, 1), 0..1);
    assert_eq!(span(&values, 4), 4..4);
}

#[test]
fn nearest_values() {
    let values = [0, 10, 20, 20, 40];
    for (wanted, place) in [
        (1, 0),
        (9, 1),
        (15, 1),
        (16, 2),
        (30, 2),
        (31, 4),
        (20, 2),
        (99, 4),
    ] {
        assert_eq!(nearest(&values, wanted), Some(place), "{wanted}");
    }
}

#[test]
fn edge_empty_slices() {
    assert_eq!(first_at_least(&[], 5), 0);
    assert_eq!(span(&[], 5), 0..0);
    assert_eq!(nearest(&[], 5), None);
}

#[test]
fn edge_outside_of_the_bounds() {
    assert_eq!(span(&[1, 2], 0), 0..0);
    assert_eq!(span(&[1, 2], 9), 2..2);
    assert_eq!(nearest(&[7, 7], -9), Some(0));
    assert_eq!(nearest(&[7, 7], 9), Some(0));
}

#[test]
fn edge_extreme_values_do_not_overflow() {
    let values = [i64::MIN, 0, i64::MAX];
    assert_eq!(nearest(&values, -1), Some(1));
    assert_eq!(nearest(&values, i64::MAX - 1), Some(2));
    assert_eq!(nearest(&[i64::MIN, i64::MAX], 0), Some(1));
    assert_eq!(nearest(&[i64::MIN, i64::MAX], -1), Some(0));
    assert_eq!(span(&values, i64::MAX), 2..3);
}

#[test]
fn edge_large_slices_take_no_time() {
    let values = vec![5; 2_000_000];
    for wanted in 0..3000 {
        let expected = if wanted == 5 {
            0..2_000_000
        } else if wanted < 5 {
            0..0
        } else {
            2_000_000..2_000_000
        };
        assert_eq!(span(&values, wanted), expected);
    }
}
