//! Prices in cents.

/// Returns a price less a discount in percent.
pub fn reduced(cents: u64, percent: u64) -> u64 {
    return cents - cents * percent / 100;
}

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
        assert_eq!(reduced(1000, 10), 900);
    }

    #[test]
    fn edge_no_tax() {
        assert_eq!(taxed(1000, 0), 1000);
    }
}
