//! Shapes.

pub struct Rect {
    pub w: f64,
    pub h: f64,
}

impl Rect {
    pub fn area(&self) -> f64 {
        return self.w * self.h;
    }

    pub fn is_square(&self) -> bool {
        if self.w == self.h { true } else { false }
    }
}
