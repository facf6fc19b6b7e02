//! Speeds.

/// Returns metres per second for kilometres per hour.
pub fn metres(kilometres: f64) -> f64 {
    kilometres / 3.6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kilometres_become_metres() {
        assert_eq!(metres(36.0), 10.0);
    }

    #[test]
    fn edge_at_rest() {
        assert_eq!(metres(0.0), 0.0);
    }
}
