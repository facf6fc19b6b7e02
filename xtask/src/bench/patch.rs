//! Measures how long it takes to apply a patch, beside other programs that do it and beside writing the same files
//! alone.
//!
//! Each row of each round has a tree of its own, made and flushed to the disk beforehand. No tree is removed before the
//! end, since a file system that has just removed many files is slower in making others. The trees are repositories, so
//! that every program takes them for what they are.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use super::measure;
use crate::shell::{self, Result, cargo, command, root};

/// Files of the tree, each with one edit in it.
const FILES: usize = 1_000;
const LINES: usize = 80;

/// How a patch is applied.
#[derive(Clone, Copy)]
enum PatchMethod {
    /// By a program, whose arguments these are; `DIFF` and `OPS` stand for the patch.
    Program(&'static [&'static str]),
    /// Here, file by file.
    Written(fn(&Path, &str) -> std::io::Result<()>),
}

const ROWS: [(&str, PatchMethod); 6] = [
    ("git apply (makes nothing durable)", PatchMethod::Program(&["git", "apply", "DIFF"])),
    ("patch -p1 (makes nothing durable)", PatchMethod::Program(&["patch", "-p1", "--silent", "--input", "DIFF"])),
    (
        "assize patch apply, of a diff (all or nothing, durable)",
        PatchMethod::Program(&["ASSIZE", "patch", "apply", "DIFF", "--ops-max", "1000", "--bytes-max", "10000000"]),
    ),
    (
        "assize patch apply, of edits (all or nothing, durable)",
        PatchMethod::Program(&["ASSIZE", "patch", "apply", "OPS", "--ops-max", "1000", "--bytes-max", "10000000"]),
    ),
    ("each file written, synced, moved (durable one by one)", PatchMethod::Written(durable)),
    ("each file written, and nothing else", PatchMethod::Written(plain)),
];

/// Makes the trees, runs everything and prints the table.
pub fn run(rounds: usize) -> Result {
    shell::run(cargo(&["build", "--release", "--package", "assize"]))?;
    let place = tempfile::Builder::new().prefix("assize-bench-").tempdir_in(root().join("target"));
    let place = place.map_err(|error| error.to_string())?;
    write_patch(place.path()).map_err(|error| error.to_string())?;
    let mut millis = vec![Vec::new(); ROWS.len()];
    for round in 0..rounds {
        let trees: Vec<PathBuf> = (0..ROWS.len()).map(|row| place.path().join(format!("{round}-{row}"))).collect();
        for tree in &trees {
            make_tree(tree)?;
        }
        shell::read(command("sync", &[]))?;
        // Each row goes first in turn.
        for row in (0..ROWS.len()).map(|row| (row + round) % ROWS.len()) {
            let (tree, (name, how)) = (&trees[row], ROWS[row]);
            millis[row].push(once(how, tree, place.path())?);
            let is_done =
                (0..FILES).all(|file| fs::read_to_string(tree.join(path(file))).is_ok_and(|it| it == text(file, true)));
            if !is_done {
                return Err(format!("{name} did not change every file"));
            }
            // The time of a row does not include what an earlier row left to be written.
            shell::read(command("sync", &[]))?;
        }
    }
    report(&mut millis);
    Ok(())
}

fn report(millis: &mut [Vec<f64>]) {
    millis.iter_mut().for_each(|millis| millis.sort_by(f64::total_cmp));
    let median = |millis: &[f64]| millis[millis.len() / 2];
    let git = median(&millis[0]);
    println!(
        "\n{:56} {:>8} {:>8} {:>8} {:>13}",
        "1,000 edits in 1,000 files", "min ms", "p50 ms", "max ms", "of git apply"
    );
    for ((name, _), millis) in ROWS.iter().zip(millis) {
        let (first, last) = (millis[0], millis[millis.len() - 1]);
        println!("{name:56} {first:>8.0} {:>8.0} {last:>8.0} {:>13.2}", median(millis), median(millis) / git);
    }
}

/// Puts the patch in once; returns the milliseconds.
fn once(how: PatchMethod, tree: &Path, place: &Path) -> Result<f64> {
    match how {
        PatchMethod::Program(words) => {
            let word = |word: &str| match word {
                "ASSIZE" => root().join("target/release/assize"),
                "DIFF" => place.join("patch.diff"),
                "OPS" => place.join("patch.json"),
                word => PathBuf::from(word),
            };
            let mut command = Command::new(word(words[0]));
            command.args(words[1..].iter().map(|argument| word(argument))).current_dir(tree);
            measure(&command, "").map(|(millis, _)| millis)
        }
        PatchMethod::Written(write) => {
            let began = Instant::now();
            (0..FILES)
                .try_for_each(|file| write(&tree.join(path(file)), &text(file, true)))
                .map_err(|error| error.to_string())?;
            Ok(began.elapsed().as_secs_f64() * 1_000.0)
        }
    }
}

fn plain(path: &Path, text: &str) -> std::io::Result<()> {
    fs::write(path, text)
}

fn durable(path: &Path, text: &str) -> std::io::Result<()> {
    let beside = path.with_extension("new");
    let mut file = File::create(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_data()?;
    fs::rename(&beside, path)
}

fn path(file: usize) -> String {
    format!("src/m{:02}/p{}/file_{file}.txt", file / 50, file / 10 % 5)
}

fn line(file: usize, line: usize) -> String {
    format!("    let value_{line} = compute(input[{line}], {file});\n")
}

fn text(file: usize, is_changed: bool) -> String {
    (0..LINES).map(|at| if is_changed && at == LINES / 2 { changed(file) } else { line(file, at) }).collect()
}

fn changed(file: usize) -> String {
    format!("    let value = checked(&input, {file})?;\n")
}

fn make_tree(tree: &Path) -> Result {
    for file in 0..FILES {
        let path = tree.join(path(file));
        fs::create_dir_all(path.parent().unwrap_or(tree)).map_err(|error| error.to_string())?;
        fs::write(path, text(file, false)).map_err(|error| error.to_string())?;
    }
    let mut git = command("git", &["init", "--quiet"]);
    git.current_dir(tree);
    shell::read(git).map(|_| ())
}

/// Writes the patch down, as a diff and as operations.
fn write_patch(place: &Path) -> std::io::Result<()> {
    let mut diff = String::new();
    let mut ops = Vec::new();
    for file in 0..FILES {
        let (path, at) = (path(file), LINES / 2);
        let around = |lines: std::ops::Range<usize>| lines.map(|at| format!(" {}", line(file, at))).collect::<String>();
        let (above, below) = (around(at - 3..at), around(at + 1..at + 4));
        diff.push_str(&format!(
            "diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n@@ -{first},7 +{first},7 @@\n{above}-{}+{}{below}",
            line(file, at),
            changed(file),
            first = at - 2,
        ));
        ops.push(serde_json::json!({"kind": "edit", "path": path, "find": line(file, at), "replace": changed(file)}));
    }
    fs::write(place.join("patch.diff"), diff)?;
    fs::write(place.join("patch.json"), serde_json::json!({ "ops": ops }).to_string())
}
