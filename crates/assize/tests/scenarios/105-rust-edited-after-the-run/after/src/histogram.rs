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

    /// Returns the smallest value that `p` percent of the records do not exceed.
    pub fn percentile(&self, p: f64) -> usize {
        let wanted = (p.clamp(0.0, 100.0) / 100.0 * self.count() as f64).ceil() as u64;
        let mut sum = 0;
        let cumulative: Vec<u64> = self
            .counts
            .iter()
            .map(|count| {
                sum += count;
                sum
            })
            .collect();
        cumulative.partition_point(|seen| *seen < wanted)
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

    #[test]
    fn median() {
        let mut histogram = Histogram::default();
        [1, 2, 9].into_iter().for_each(|value| histogram.record(value));
        assert_eq!(histogram.percentile(50.0), 2);
    }
}
