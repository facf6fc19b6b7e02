//! The Caesar cipher.

/// Moves the letters of `text` by `by` places through the alphabet.
pub fn shift(text: &str, by: i32) -> String {
    text.chars().map(|letter| turn(letter, by)).collect()
}

fn turn(letter: char, by: i32) -> char {
    let first = match letter {
        'a'..='z' => b'a',
        'A'..='Z' => b'A',
        _ => return letter,
    };
    let place = i32::from(letter as u8 - first) + by.rem_euclid(26);
    char::from(first + (place % 26) as u8)
}

/// Undoes [`shift`].
pub fn unshift(text: &str, by: i32) -> String {
    shift(text, -(by % 26))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_letters() {
        assert_eq!(shift("abc", 3), "def");
    }

    #[test]
    fn comes_round_at_the_end() {
        assert_eq!(shift("xyz XYZ", 3), "abc ABC");
    }

    #[test]
    fn keeps_other_characters() {
        assert_eq!(shift("a-1 b!", 1), "b-1 c!");
    }

    #[test]
    fn unshift_undoes_shift() {
        assert_eq!(unshift(&shift("Attack at dawn", 11), 11), "Attack at dawn");
    }

    #[test]
    fn edge_empty_text() {
        assert_eq!(shift("", 5), "");
    }

    #[test]
    fn edge_zero_and_full_turns() {
        for by in [0, 26, -26, 52] {
            assert_eq!(shift("Zebra", by), "Zebra");
        }
    }

    #[test]
    fn edge_negative_shift_goes_back() {
        assert_eq!(shift("abc", -3), "xyz");
    }

    #[test]
    fn edge_minimum_and_maximum_shift() {
        assert_eq!(shift("a", i32::MAX), "x");
        assert_eq!(shift("a", i32::MIN), "c");
    }

    #[test]
    fn edge_unicode_stays() {
        assert_eq!(shift("zażółć 日", 1), "abżółć 日");
    }
}
