//! The window.

use std::collections::BTreeMap;

/// Values of the last ticks.
#[derive(Debug)]
pub struct Window {
    SpanOfTicks: u64,
    NewestTick: u64,
    ValuesByTick: BTreeMap<u64, f64>,
}

impl Window {
    /// Makes a window of a number of ticks.
    pub fn new(span: u64) -> Self {
        Self {
            SpanOfTicks: span,
            NewestTick: 0,
            ValuesByTick: BTreeMap::new(),
        }
    }

    /// Puts in a value and returns whether it was taken.
    pub fn push(&mut self, tick: u64, value: f64) -> bool {
        if value.is_nan() {
            return false;
        }
        if !self.advance(tick) {
            return false;
        }
        if self.SpanOfTicks == 0 {
            return true;
        }
        let LargestOfTick = match self.ValuesByTick.get(&tick) {
            Some(Before) => Before.max(value),
            None => value,
        };
        self.ValuesByTick.insert(tick, LargestOfTick);
        true
    }

    /// Lets time pass and returns whether it did not go backwards.
    pub fn advance(&mut self, tick: u64) -> bool {
        if tick < self.NewestTick {
            return false;
        }
        self.NewestTick = tick;
        let Span = self.SpanOfTicks;
        self.ValuesByTick.retain(|Old, _| tick - Old < Span);
        true
    }

    /// Returns the largest value.
    pub fn largest(&self) -> Option<f64> {
        let mut LargestValue = None;
        for Value in self.ValuesByTick.values() {
            LargestValue = match LargestValue {
                None => Some(*Value),
                Some(Before) if *Value > Before => Some(*Value),
                Some(Before) => Some(Before),
            };
        }
        LargestValue
    }
}
