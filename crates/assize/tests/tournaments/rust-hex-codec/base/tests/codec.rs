use hexes::{decode, encode, Error};

#[test]
fn bytes_are_written() {
    assert_eq!(encode(&[0, 10, 255]), "000aff");
}

#[test]
fn bytes_are_read() {
    assert_eq!(decode("000aff"), Ok(vec![0, 10, 255]));
    assert_eq!(decode("DeadBEEF"), Ok(vec![0xde, 0xad, 0xbe, 0xef]));
}

#[test]
fn every_byte_comes_back() {
    let bytes: Vec<u8> = (0..=255).collect();
    assert_eq!(decode(&encode(&bytes)), Ok(bytes));
}

#[test]
fn white_space_between_bytes_is_skipped() {
    assert_eq!(decode(" 00 0a\n\tff "), Ok(vec![0, 10, 255]));
}

#[test]
fn edge_empty_text() {
    assert_eq!(decode(""), Ok(vec![]));
    assert_eq!(decode("  "), Ok(vec![]));
}

#[test]
fn edge_error_for_what_is_no_digit() {
    assert_eq!(decode("0g"), Err(Error::Digit(1)));
    assert_eq!(decode("00 x0"), Err(Error::Digit(3)));
    assert_eq!(decode("+f"), Err(Error::Digit(0)));
    assert_eq!(decode("0x00"), Err(Error::Digit(1)));
}

#[test]
fn edge_white_space_within_a_byte_is_wrong() {
    assert_eq!(decode("0 0"), Err(Error::Digit(1)));
}

#[test]
fn edge_missing_digit() {
    assert_eq!(decode("000"), Err(Error::Odd));
    assert_eq!(decode("0"), Err(Error::Odd));
    assert_eq!(decode("g"), Err(Error::Digit(0)));
}

#[test]
fn edge_unicode() {
    assert_eq!(decode("00é"), Err(Error::Digit(2)));
    assert_eq!(decode("0é"), Err(Error::Digit(1)));
    assert_eq!(decode("００"), Err(Error::Digit(0)));
}
