//! Ports.

/// Reads a port.
pub fn parse_port(text: &str) -> Result<u16, String> {
    todo!("ranges")
}
