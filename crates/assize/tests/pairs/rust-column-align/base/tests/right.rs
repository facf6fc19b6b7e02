use columns::right;

#[test]
fn pads_on_the_left() {
    assert_eq!(right("12", 5), "   12");
}

#[test]
fn lines_up_a_column() {
    let column: Vec<String> = ["1", "20", "300"].iter().map(|n| right(n, 3)).collect();
    assert_eq!(column, ["  1", " 20", "300"]);
}

#[test]
fn too_long_text_stays() {
    assert_eq!(right("123456", 3), "123456");
}

#[test]
fn edge_empty_text() {
    assert_eq!(right("", 3), "   ");
}

#[test]
fn edge_zero_width() {
    assert_eq!(right("x", 0), "x");
}

#[test]
fn edge_unicode_counts_characters() {
    assert_eq!(right("12 €", 6), "  12 €");
    assert_eq!(right("日本", 3), " 日本");
}
