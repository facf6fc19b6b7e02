//! Areas of rectangles.

use shapes::{rectangle, square};

#[test]
fn width_times_height() {
    assert_eq!(rectangle(2, 3), 6);
}

#[test]
fn side_times_side() {
    assert_eq!(square(3), 9);
}

#[test]
fn edge_no_height() {
    assert_eq!(rectangle(2, 0), 0);
}
