//! Areas.

/// Returns the area of a rectangle.
pub fn rectangle(width: u32, height: u32) -> u32 {
    width * height
}

/// Returns the area of a square.
pub fn square(side: u32) -> u32 {
    rectangle(side, side)
}
