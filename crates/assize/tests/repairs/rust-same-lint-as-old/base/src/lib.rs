//! Prices in cents.

/// Returns a price with a tax in percent.
pub fn taxed(cents: u64, percent: u64) -> u64 {
    return cents + cents * percent / 100;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tax_is_added() {
        assert_eq!(taxed(1000, 19), 1190);
    }

    #[test]
    fn edge_no_tax() {
        assert_eq!(taxed(1000, 0), 1000);
    }
}
