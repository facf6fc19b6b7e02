//! Keeps the last samples of a signal.

/// One measured value. `origin` is for people who look at core dumps.
#[derive(Debug)]
pub struct Sample {
    pub value: f64,
    #[expect(dead_code, reason = "read in core dumps, never by code")]
    origin: &'static str,
}

pub struct Ring {
    samples: Vec<Sample>,
    capacity: usize,
    drop_nan: bool,
}

impl Ring {
    pub fn new(capacity: usize, drop_nan: bool) -> Self {
        Self { samples: Vec::with_capacity(capacity), capacity, drop_nan }
    }

    pub fn push(&mut self, value: f64, origin: &'static str) -> bool {
        if self.drop_nan && value.is_nan() {
            return false;
        }
        if self.samples.len() == self.capacity {
            self.samples.remove(0);
        }
        self.samples.push(Sample { value, origin });
        true
    }

    pub fn mean(&self) -> Option<f64> {
        let sum: f64 = self.samples.iter().map(|sample| sample.value).sum();
        (!self.samples.is_empty()).then(|| sum / self.samples.len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_the_oldest() {
        let mut ring = Ring::new(2, true);
        for value in [1.0, 2.0, 4.0] {
            assert!(ring.push(value, "test"));
        }
        assert_eq!(ring.mean(), Some(3.0));
    }

    #[test]
    fn refuses_nan() {
        assert!(!Ring::new(2, true).push(f64::NAN, "test"));
    }
}
