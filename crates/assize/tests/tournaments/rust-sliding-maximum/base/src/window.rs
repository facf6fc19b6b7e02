//! The window.

/// Values of the last ticks.
#[derive(Debug)]
pub struct Window {
    span: u64,
    values: Vec<(u64, f64)>,
}

impl Window {
    /// Makes a window of a number of ticks.
    pub fn new(span: u64) -> Self {
        Self {
            span,
            values: Vec::new(),
        }
    }

    /// Puts in a value and returns whether it was taken.
    pub fn push(&mut self, tick: u64, value: f64) -> bool {
        self.values.push((tick, value));
        self.advance(tick)
    }

    /// Lets time pass and returns whether it did not go backwards.
    pub fn advance(&mut self, tick: u64) -> bool {
        self.values.retain(|(old, _)| old + self.span > tick);
        true
    }

    /// Returns the largest value.
    pub fn largest(&self) -> Option<f64> {
        self.values.iter().map(|(_, value)| *value).reduce(f64::max)
    }
}
