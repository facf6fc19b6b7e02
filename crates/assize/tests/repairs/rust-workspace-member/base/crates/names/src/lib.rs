//! Names of services.

/// Returns the name of a service in small letters.
pub fn folded(name: &str) -> String {
    let name = name.to_lowercase();
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_small() {
        assert_eq!(folded("HTTP"), "http");
    }

    #[test]
    fn edge_no_name() {
        assert_eq!(folded(""), "");
    }
}
