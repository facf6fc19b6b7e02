//! Areas of rectangles.

use shapes::rectangle;

#[test]
fn width_times_height() {
    assert_eq!(rectangle(2, 3), 6);
}

#[test]
fn edge_no_height() {
    assert_eq!(rectangle(2, 0), 0);
}
