use verso::{Span, Version};

fn version(text: &str) -> Version {
    text.parse().expect("a version")
}

#[test]
fn a_span_contains_its_first_version_and_not_its_last() {
    let span = Span {
        from: version("1.0.0"),
        to: version("2.0.0"),
    };
    assert!(span.contains(&version("1.0.0")));
    assert!(!span.contains(&version("2.0.0")));
    assert!(!span.contains(&version("1.0.0-rc.1")));
}

#[test]
fn the_newest_version_is_found() {
    let span = Span {
        from: version("1.0.0-rc.1"),
        to: version("1.1.0"),
    };
    let versions = ["1.0.0-rc.2", "1.0.0-rc.10", "1.1.0"].map(version);
    assert_eq!(span.newest(&versions), Some(&version("1.0.0-rc.10")));
}
