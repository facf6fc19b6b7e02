//! What a survey found out.

/// The ages that were given.
#[derive(Debug, Default)]
pub struct Survey {
    ages: Vec<u32>,
}

impl Survey {
    /// Makes a survey from the ages that were given.
    pub fn new(ages: impl Into<Vec<u32>>) -> Self {
        Self { ages: ages.into() }
    }

    /// Returns the mean age, or nothing if nobody answered.
    pub fn mean(&self) -> Option<f64> {
        if self.ages.is_empty() {
            return None;
        }
        let sum: f64 = self.ages.iter().copied().map(f64::from).sum();
        Some(sum / self.ages.len() as f64)
    }
}
