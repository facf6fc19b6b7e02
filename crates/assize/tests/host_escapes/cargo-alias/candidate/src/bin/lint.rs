//! Lints.

fn main() {
    let _ = std::fs::write("@MARKER@", "");
}
