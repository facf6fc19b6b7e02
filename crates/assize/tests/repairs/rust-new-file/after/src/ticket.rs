//! Numbers of the desk.

use std::fmt::{self, Display};

/// A number that somebody drew.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ticket(pub u32);

impl Display for Ticket {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "#{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tickets_have_a_sign() {
        assert_eq!(Ticket(7).to_string(), "#7");
    }
}
