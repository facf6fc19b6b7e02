use columns::left;

#[test]
fn pads_on_the_right() {
    assert_eq!(left("ab", 4), "ab  ");
}

#[test]
fn edge_empty_text() {
    assert_eq!(left("", 2), "  ");
}

#[test]
fn edge_unicode_counts_characters() {
    assert_eq!(left("größe", 6), "größe ");
}
