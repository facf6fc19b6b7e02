use roman::{from_roman, to_roman};

#[test]
fn numbers_are_written() {
    assert_eq!(to_roman(1994).as_deref(), Some("MCMXCIV"));
    assert_eq!(to_roman(3999).as_deref(), Some("MMMCMXCIX"));
}

#[test]
fn edge_numbers_without_a_numeral() {
    assert_eq!(to_roman(0), None);
    assert_eq!(to_roman(4000), None);
}

#[test]
fn letters_add_up() {
    assert_eq!(from_roman("MDCLXVI"), Some(1666));
    assert_eq!(from_roman("XXIII"), Some(23));
}

#[test]
fn smaller_letters_are_subtracted() {
    assert_eq!(from_roman("XIV"), Some(14));
    assert_eq!(from_roman("MCMXCIV"), Some(1994));
}

#[test]
fn small_letters_are_letters() {
    assert_eq!(from_roman("xlii"), Some(42));
    assert_eq!(from_roman("Mm"), Some(2000));
}

#[test]
fn everything_that_is_written_can_be_read() {
    for number in 1..=3999 {
        let text = to_roman(number).expect("a numeral");
        assert_eq!(from_roman(&text), Some(number), "{text}");
    }
}

#[test]
fn rejects_what_is_never_written() {
    for text in [
        "IIX", "VV", "IIII", "IC", "VX", "IVI", "CMC", "XCX", "LL", "MMMM", "IXI",
    ] {
        assert_eq!(from_roman(text), None, "{text}");
    }
}

#[test]
fn edge_empty_and_unicode() {
    for text in ["", " ", " X", "Ⅻ", "ı", "X\u{301}"] {
        assert_eq!(from_roman(text), None, "{text}");
    }
}

#[test]
fn edge_large_text_does_not_overflow() {
    assert_eq!(from_roman(&"M".repeat(100_000)), None);
}
