use verso::Version;

#[test]
fn versions_are_sorted() {
    let mut versions: Vec<Version> = ["2.0.0", "1.0.0", "1.0.0-rc.10", "1.0.0-rc.9"]
        .iter()
        .map(|text| text.parse().expect("a version"))
        .collect();
    versions.sort();
    let pre: Vec<String> = versions
        .iter()
        .map(|version| version.pre.join("."))
        .collect();
    assert_eq!(pre, ["rc.9", "rc.10", "", ""]);
}
