//! Points of a plane.

/// A point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Upwards.
    pub y: f64,
}

/// Returns a point moved to the right and upwards.
pub fn moved(point: Point, right: f64, up: f64) -> Point {
    let (x, y) = (point.x + right, point.y + up);
    Point { x, y }
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
    fn points_move() {
        assert_eq!(moved(Point { x: 1.0, y: 1.0 }, 2.0, -1.0), Point { x: 3.0, y: 0.0 });
    }

    #[test]
    fn edge_the_same_point() {
        let one = Point { x: 1.5, y: -2.0 };
        assert_eq!(middle(one, one), one);
    }
}
