use cards::luhn::{check_digit, is_valid};
use cards::mask::mask;

#[test]
fn numbers_are_masked() {
    assert_eq!(mask("4539148803436467"), "************6467");
    assert_eq!(mask("467"), "467");
}

#[test]
fn right_numbers() {
    for number in ["4539148803436467", "79927398713", "18", "00"] {
        assert!(is_valid(number), "{number}");
    }
}

#[test]
fn numbers_with_a_slip() {
    for number in ["4539148803436466", "79927398710", "4539148803436476", "19"] {
        assert!(!is_valid(number), "{number}");
    }
}

#[test]
fn separators_between_digits() {
    assert!(is_valid("4539 1488-0343 6467"));
    assert!(is_valid("1 8"));
}

#[test]
fn check_digits() {
    assert_eq!(check_digit("7992739871"), Some(3));
    assert_eq!(check_digit("4539 1488 0343 646"), Some(7));
    assert_eq!(check_digit("0"), Some(0));
}

#[test]
fn what_gets_its_check_digit_is_valid() {
    for number in 0..500 {
        let number = format!("{number:03}");
        let digit = check_digit(&number).expect("a digit");
        assert!(is_valid(&format!("{number}{digit}")), "{number}");
    }
}

#[test]
fn rejects_separators_in_other_places() {
    for number in [" 18", "18 ", "1--8", "1 - 8", "-", "18-", "1\t8"] {
        assert!(!is_valid(number), "{number:?}");
    }
    for number in ["1 ", " 1", "1  2", ""] {
        assert_eq!(check_digit(number), None, "{number:?}");
    }
}

#[test]
fn edge_empty_and_single() {
    assert!(!is_valid(""));
    assert!(!is_valid("0"));
}

#[test]
fn edge_unicode_digits_are_none() {
    assert!(!is_valid("１８"));
    assert!(!is_valid("1\u{a0}8"));
    assert_eq!(check_digit("٣"), None);
}

#[test]
fn edge_large_numbers_do_not_overflow() {
    assert!(is_valid(&"0".repeat(1000)));
    assert!(is_valid(&"91".repeat(500)));
    assert!(!is_valid(&format!("{}2", "91".repeat(500))));
}
