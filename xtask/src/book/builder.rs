//! mdBook: its version, and how the book is built with it.

use std::fs;
use std::path::Path;

use crate::shell::{Result, cargo, command, read, root, run, target};

/// The version of mdBook that builds the book.
const MDBOOK: &str = "0.5.4";

/// What it is built with. Its server, which it has by default, is not needed.
const FEATURES: &str = "search";

/// Builds the book from the sources in a folder, as HTML beside them.
pub fn build(folder: &Path) -> Result {
    let mdbook = target("tools").join("bin/mdbook");
    if !read(command(&mdbook, &["--version"])).is_ok_and(|version| version.contains(MDBOOK)) {
        install()?;
    }
    let settings = folder.join("book.toml");
    fs::copy(root().join("docs/book.toml"), &settings).map_err(|error| format!("{}: {error}", settings.display()))?;
    let html = folder.join("html");
    run(command(&mdbook, &["build", &folder.to_string_lossy(), "--dest-dir", &html.to_string_lossy()]))?;
    println!("book: built with mdBook {MDBOOK} in {}", html.strip_prefix(root()).unwrap_or(&html).display());
    Ok(())
}

/// Installs mdBook below `target`. Unoptimized, it is there in less than half of the time, and builds the
/// book in seconds.
fn install() -> Result {
    let tools = target("tools");
    let mut install = cargo(&["install", "mdbook", "--version", MDBOOK, "--locked", "--debug"]);
    install.args(["--no-default-features", "--features", FEATURES, "--root"]).arg(&tools);
    run(install)
}
