use basis::{decode, encode, Error};

const PAIRS: [(&str, &str); 7] = [
    ("", ""),
    ("f", "Zg=="),
    ("fo", "Zm8="),
    ("foo", "Zm9v"),
    ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
];

#[test]
fn bytes_are_written() {
    for (plain, coded) in PAIRS {
        assert_eq!(encode(plain.as_bytes()), coded);
    }
}

#[test]
fn bytes_are_read() {
    for (plain, coded) in PAIRS {
        assert_eq!(decode(coded), Ok(plain.as_bytes().to_vec()));
    }
}

#[test]
fn every_byte_comes_back() {
    for length in 250..256 {
        let bytes: Vec<u8> = (0..length).map(|number| number as u8).collect();
        assert_eq!(decode(&encode(&bytes)), Ok(bytes));
    }
}

#[test]
fn characters_of_other_alphabets_are_refused() {
    for (text, place) in [
        ("Zm9-", 3),
        ("_m9v", 0),
        ("Zm9v\n", 4),
        ("Zm 9", 2),
        ("Zm9vZg==\0", 8),
    ] {
        assert_eq!(decode(text), Err(Error::Character(place)), "{text:?}");
    }
}

#[test]
fn edge_length_is_wrong() {
    for text in ["Z", "Zg", "Zm8", "Zm9vYg=", "Zm9vY"] {
        assert_eq!(decode(text), Err(Error::Length), "{text}");
    }
}

#[test]
fn edge_padding_outside_of_the_end() {
    for (text, place) in [
        ("Zg==Zg==", 2),
        ("====", 0),
        ("Z===", 1),
        ("Zg=v", 2),
        ("Zm8=Zm9v", 3),
        ("Zm9v====", 4),
    ] {
        assert_eq!(decode(text), Err(Error::Padding(place)), "{text}");
    }
}

#[test]
fn edge_trailing_bits_are_an_error() {
    for text in ["Zh==", "Zn==", "Zm9=", "Zm9vYmF="] {
        assert_eq!(decode(text), Err(Error::TrailingBits), "{text}");
    }
}

#[test]
fn edge_unicode() {
    assert_eq!(decode("Zmé9"), Err(Error::Character(2)));
    assert_eq!(decode("é"), Err(Error::Character(0)));
}

#[test]
fn edge_the_wrong_character_is_reported_first() {
    assert_eq!(decode("Z=!"), Err(Error::Character(2)));
    assert_eq!(decode("Zg==?"), Err(Error::Character(4)));
}
