use verso::Version;

fn version(text: &str) -> Version {
    text.parse().expect("a version")
}

#[test]
fn metadata_is_kept() {
    assert_eq!(version("1.0.0-rc.1+x").build.as_deref(), Some("x"));
    assert_eq!(version("1.0.0").build, None);
}

#[test]
fn metadata_makes_no_difference() {
    assert_eq!(version("1.0.0+a"), version("1.0.0+b"));
    assert_ne!(version("1.0.0+a"), version("1.0.1+a"));
}
