//! Ranges of ports.

/// Returns whether a port is one that needs rights.
pub fn is_privileged(port: u16) -> bool {
    port < 1024
}

/// Returns whether a port is given out by the system.
pub fn is_dynamic(port: u16) -> bool {
    (49152..=65000).contains(&port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_ports_need_rights() {
        assert!(is_privileged(80));
        assert!(is_dynamic(50000));
    }

    #[test]
    fn edge_the_first_that_does_not() {
        assert!(!is_privileged(1024));
        assert!(is_dynamic(65000));
        assert!(!is_dynamic(65001));
    }
}
