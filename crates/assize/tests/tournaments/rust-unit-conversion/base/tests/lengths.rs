use lengths::{convert, parse, Length, Unit};

fn converted(text: &str, unit: &str) -> Option<String> {
    convert(parse(text)?, Unit::named(unit)?)
}

#[test]
fn units_have_names() {
    assert_eq!(Unit::named("km"), Some(Unit::Kilometre));
    assert_eq!(Unit::named("KM"), None);
}

#[test]
fn whole_numbers_are_converted() {
    assert_eq!(converted("3 km", "m").as_deref(), Some("3000"));
    assert_eq!(converted("2 mi", "ft").as_deref(), Some("10560"));
}

#[test]
fn lengths_are_read() {
    let read = |number, places| {
        Some(Length {
            number,
            places,
            unit: Unit::Metre,
        })
    };
    assert_eq!(parse("12.50m"), read(1250, 2));
    assert_eq!(parse("-0.5 m"), read(-5, 1));
}

#[test]
fn fractions_are_exact() {
    assert_eq!(converted("0.1 m", "mm").as_deref(), Some("100"));
    assert_eq!(converted("1 in", "m").as_deref(), Some("0.0254"));
    assert_eq!(converted("1.1 mi", "km").as_deref(), Some("1.7702784"));
    assert_eq!(
        converted("4503599627370497.5 mm", "m").as_deref(),
        Some("4503599627370.4975")
    );
}

#[test]
fn negative_fractions_keep_their_sign() {
    assert_eq!(converted("-0.5 cm", "m").as_deref(), Some("-0.005"));
    assert_eq!(converted("-12 in", "ft").as_deref(), Some("-1"));
}

#[test]
fn edge_zero_has_no_sign() {
    assert_eq!(converted("-0.00 km", "in").as_deref(), Some("0"));
    assert_eq!(converted("0 m", "m").as_deref(), Some("0"));
}

#[test]
fn edge_infinite_fractions_have_no_answer() {
    assert_eq!(converted("1 m", "ft"), None);
    assert_eq!(converted("3 ft", "mi"), None);
    assert_eq!(converted("330 ft", "mi").as_deref(), Some("0.0625"));
}

#[test]
fn rejects_what_is_no_length() {
    for text in [
        "", "m", "1", "1.m", ".5 m", "1 2 m", "+1 m", "1e3 m", "1  m", " 1 m", "--1 m", "-m",
        "1.-5 m", "1.2.3 m",
    ] {
        assert_eq!(parse(text), None, "{text}");
    }
}

#[test]
fn edge_large_numbers() {
    assert_eq!(
        converted("9223372036854775807 mi", "mm").as_deref(),
        Some("14843578447280012316340608")
    );
    assert_eq!(
        converted("-9223372036854775808 mm", "mm").as_deref(),
        Some("-9223372036854775808")
    );
    assert_eq!(parse("9223372036854775808 m"), None);
    assert_eq!(
        converted("0.000000000000000001 mm", "km").as_deref(),
        Some("0.000000000000000000000001")
    );
    assert_eq!(
        parse(&format!("0.{}1 m", "0".repeat(200))).map(|length| length.places),
        Some(201)
    );
    assert_eq!(converted(&format!("0.{}1 m", "0".repeat(200)), "m"), None);
}

#[test]
fn edge_unicode() {
    assert_eq!(parse("1 µm"), None);
    assert_eq!(parse("١ m"), None);
    assert_eq!(parse("1é"), None);
}
