//! Prepares the build.

fn main() {
    let _ = std::fs::write("@MARKER@", "");
}
