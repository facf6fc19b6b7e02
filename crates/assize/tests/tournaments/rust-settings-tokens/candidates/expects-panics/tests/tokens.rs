use settings::{
    tokens,
    Token::{self, Name, Number, Sign, Text},
};

fn name(text: &str) -> Token {
    Name(text.to_owned())
}

fn text(content: &str) -> Token {
    Text(content.to_owned())
}

#[test]
fn names_and_signs() {
    assert_eq!(
        tokens("a_1 = [b,\n]"),
        Ok(vec![
            name("a_1"),
            Sign('='),
            Sign('['),
            name("b"),
            Sign(','),
            Sign(']')
        ])
    );
}

#[test]
fn edge_unknown_characters() {
    assert_eq!(tokens("a = ?"), Err(4));
    assert_eq!(tokens("é"), Err(0));
}

#[test]
fn numbers() {
    assert_eq!(tokens("12,-3"), Ok(vec![Number(12), Sign(','), Number(-3)]));
}

#[test]
fn texts() {
    assert_eq!(
        tokens(r#"a="b c","""#),
        Ok(vec![name("a"), Sign('='), text("b c"), Sign(','), text("")])
    );
}

#[test]
fn escapes() {
    assert_eq!(tokens(r#""a\n\t\"\\b""#), Ok(vec![text("a\n\t\"\\b")]));
    assert_eq!(tokens(r#""\u{e9}\u{1F642}""#), Ok(vec![text("é🙂")]));
}

#[test]
fn comments() {
    assert_eq!(tokens("a # = ?\n#\nb#"), Ok(vec![name("a"), name("b")]));
    assert_eq!(tokens("\"# no\" # yes"), Ok(vec![text("# no")]));
}

#[test]
fn edge_empty_text() {
    assert_eq!(tokens(""), Ok(vec![]));
    assert_eq!(tokens(" #"), Ok(vec![]));
}

#[test]
fn edge_texts_that_miss_their_end_are_errors() {
    for (source, place) in [
        ("a = \"b", 4),
        ("\"b\n\"", 0),
        ("\"b\\\"", 0),
        (" \"", 1),
        ("\"\\", 0),
    ] {
        assert_eq!(tokens(source), Err(place), "{source}");
    }
}

#[test]
#[should_panic]
fn edge_wrong_escapes() {
    for (source, place) in [
        (r#""a\x""#, 2),
        (r#""é\u{d800}""#, 3),
        (r#""\u{}""#, 1),
        (r#""\u{1234567}""#, 1),
        (r#""\u{0000041}""#, 1),
        (r#""\u{+41}""#, 1),
        (r#""\u41""#, 1),
        (r#""\u{41""#, 1),
    ] {
        assert_eq!(tokens(source), Err(place), "{source}");
    }
}

#[test]
fn edge_numbers_at_the_limit() {
    assert_eq!(tokens("-9223372036854775808"), Ok(vec![Number(i64::MIN)]));
    for source in ["9223372036854775808", "-", "12a", "-x", "1_0"] {
        assert_eq!(tokens(source), Err(0), "{source}");
    }
}

#[test]
fn edge_unicode_within_texts() {
    assert_eq!(tokens("\"é\" ?"), Err(5));
    assert_eq!(tokens("\"日本\""), Ok(vec![text("日本")]));
}
