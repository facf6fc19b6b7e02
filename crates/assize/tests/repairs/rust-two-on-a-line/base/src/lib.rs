//! Points of a plane.

/// A point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Upwards.
    pub y: f64,
}

/// Returns the point in the middle of two others.
pub fn middle(one: Point, other: Point) -> Point {
    Point { x: (one.x + other.x) / 2.0, y: (one.y + other.y) / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_lies_between() {
        let (one, other) = (Point { x: 0.0, y: 2.0 }, Point { x: 4.0, y: 4.0 });
        assert_eq!(middle(one, other), Point { x: 2.0, y: 3.0 });
    }

    #[test]
    fn edge_the_same_point() {
        let one = Point { x: 1.5, y: -2.0 };
        assert_eq!(middle(one, one), one);
    }
}
