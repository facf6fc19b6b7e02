//! The window.

use std::collections::VecDeque;

/// Values of the last ticks.
#[derive(Debug)]
pub struct Window {
    span: u64,
    newest: u64,
    /// Those that can still become the largest, which goes first: ticks ascend, values descend.
    values: VecDeque<(u64, f64)>,
}

impl Window {
    /// Makes a window of a number of ticks.
    pub fn new(span: u64) -> Self {
        Self {
            span,
            newest: 0,
            values: VecDeque::new(),
        }
    }

    /// Puts in a value and returns whether it was taken.
    pub fn push(&mut self, tick: u64, value: f64) -> bool {
        if value.is_nan() || tick < self.newest {
            return false;
        }
        while self.values.back().is_some_and(|(_, last)| *last <= value) {
            self.values.pop_back();
        }
        self.values.push_back((tick, value));
        self.advance(tick)
    }

    /// Lets time pass and returns whether it did not go backwards.
    pub fn advance(&mut self, tick: u64) -> bool {
        if tick < self.newest {
            return false;
        }
        self.newest = tick;
        while self
            .values
            .front()
            .is_some_and(|(old, _)| tick - old + 1 >= self.span)
        {
            self.values.pop_front();
        }
        true
    }

    /// Returns the largest value.
    pub fn largest(&self) -> Option<f64> {
        self.values.front().map(|(_, value)| *value)
    }
}
