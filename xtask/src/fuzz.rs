//! Runs the fuzz targets under `fuzz/`.

use crate::shell::{self, Result, cargo, command, read, root, target};

/// The version of cargo-fuzz that is used.
const FUZZ: &str = "0.13.2";

/// Runs each target for this many seconds.
pub fn run(seconds: u32) -> Result {
    let tools = target("tools");
    let fuzz = tools.join("bin/cargo-fuzz");
    if !read(command(&fuzz, &["--version"])).is_ok_and(|version| version.contains(FUZZ)) {
        let tools = tools.to_string_lossy();
        shell::run(cargo(&["install", "cargo-fuzz", "--version", FUZZ, "--locked", "--debug", "--root", &tools]))?;
    }
    for name in targets()? {
        let corpus = format!("fuzz/corpus/{name}");
        std::fs::create_dir_all(root().join(&corpus)).map_err(|error| format!("{corpus}: {error}"))?;
        let (seeds, time) = (format!("fuzz/seeds/{name}"), format!("-max_total_time={seconds}"));
        let mut arguments = vec!["fuzz", "run", "--sanitizer", "none", &name, &corpus, &seeds, "--", &time];
        arguments.extend(["-timeout=10", "-rss_limit_mb=2048", "-max_len=65536"]);
        let dictionary = format!("fuzz/{name}.dict");
        let with_dictionary = format!("-dict={dictionary}");
        if root().join(&dictionary).is_file() {
            arguments.push(&with_dictionary);
        }
        shell::run(command(&fuzz, &arguments))?;
    }
    Ok(())
}

fn targets() -> Result<Vec<String>> {
    let folder = root().join("fuzz/fuzz_targets");
    let entries = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.path().file_stem().map(|stem| stem.to_string_lossy().into_owned()))
        .collect();
    names.sort();
    Ok(names)
}
