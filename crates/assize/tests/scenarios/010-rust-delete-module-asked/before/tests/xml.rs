#![cfg(feature = "xml")]

use exporter::xml::escape;

#[test]
fn escapes_ampersands() {
    assert_eq!(escape("a & b"), "a &amp; b");
}

#[test]
fn escapes_angle_brackets() {
    assert_eq!(escape("<a>"), "&lt;a>");
}
