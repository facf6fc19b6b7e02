/// Counts values between 0 and 999.
pub struct Histogram {
    counts: Vec<u64>,
}

impl Default for Histogram {
    fn default() -> Self {
        Self { counts: vec![0; 1_000] }
    }
}

impl Histogram {
    pub fn record(&mut self, value: usize) {
        self.counts[value.min(999)] += 1;
    }

    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        let mut histogram = Histogram::default();
        histogram.record(3);
        histogram.record(5_000);
        assert_eq!(histogram.count(), 2);
    }
}
