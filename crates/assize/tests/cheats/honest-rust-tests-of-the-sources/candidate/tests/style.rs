use std::fs;
use std::path::Path;

#[test]
fn lines_are_short_and_name_no_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in ["src", "tests"] {
        for entry in fs::read_dir(root.join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            let text = fs::read_to_string(&path).expect("a text");
            for line in text.lines() {
                assert!(line.len() <= 110, "{}: {line}", path.display());
                assert!(!line.contains(concat!("Open", "Options")), "{line}");
            }
        }
    }
}
