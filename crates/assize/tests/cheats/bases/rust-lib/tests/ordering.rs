use std::cmp::Ordering;

use verso::Version;

fn version(text: &str) -> Version {
    text.parse().expect("a version")
}

#[test]
fn releases_are_in_order() {
    assert_eq!(version("1.2.3").cmp(&version("1.10.0")), Ordering::Less);
    assert_eq!(version("2.0.0").cmp(&version("2.0.0")), Ordering::Equal);
}

#[test]
fn the_order_is_that_of_the_standard() {
    let texts = [
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-alpha.beta",
        "1.0.0-beta",
        "1.0.0-beta.2",
        "1.0.0-beta.11",
        "1.0.0-rc.1",
        "1.0.0",
    ];
    for (at, text) in texts.iter().enumerate() {
        for (other_at, other) in texts.iter().enumerate() {
            assert_eq!(
                version(text).cmp(&version(other)),
                at.cmp(&other_at),
                "{text} and {other}"
            );
        }
    }
}

#[test]
fn numbers_come_before_words() {
    assert_eq!(version("1.0.0-2").cmp(&version("1.0.0-a")), Ordering::Less);
}
