//! The window.

/// Values of the last ticks.
#[derive(Debug)]
pub struct Window {
    span: u64,
    newest: u64,
    largest: Option<(u64, f64)>,
}

impl Window {
    /// Makes a window of a number of ticks.
    pub fn new(span: u64) -> Self {
        Self {
            span,
            newest: 0,
            largest: None,
        }
    }

    /// Puts in a value and returns whether it was taken.
    pub fn push(&mut self, tick: u64, value: f64) -> bool {
        if value.is_nan() || !self.advance(tick) {
            return false;
        }
        if self.span > 0 && self.largest().is_none_or(|largest| largest <= value) {
            self.largest = Some((tick, value));
        }
        true
    }

    /// Lets time pass and returns whether it did not go backwards.
    pub fn advance(&mut self, tick: u64) -> bool {
        let forwards = tick >= self.newest;
        if forwards {
            self.newest = tick;
            self.largest = self.largest.filter(|(old, _)| tick - old < self.span);
        }
        forwards
    }

    /// Returns the largest value.
    pub fn largest(&self) -> Option<f64> {
        self.largest.map(|(_, value)| value)
    }
}
