//! Ranges of ports.

/// Returns whether a port is one that needs rights.
pub fn is_privileged(port: u16) -> bool {
    port < 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_ports_need_rights() {
        assert!(is_privileged(80));
    }

    #[test]
    fn edge_the_first_that_does_not() {
        assert!(!is_privileged(1024));
    }
}
