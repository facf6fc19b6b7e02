//! Measures the brief of a large tree beside other programs that look at all of its files.
//!
//! The tree is made of what lies on the machine: crates of cargo's registry, Python's own library, npm. All programs
//! see the same files, round after round; the disk is warm for all of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use super::measure;
use crate::shell::{self, Result, cargo, command, root};

/// Lines of source code that the tree has at least.
const LINES_MIN: usize = 520_000;
/// Lines that are taken of each language but Rust, which makes up the rest.
const LINES_OF_OTHERS: usize = 100_000;
/// A crate beyond this is mostly bindings that a program made, in bytes.
const CRATE_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Endings of what counts as source code here.
const SOURCES: [&str; 5] = ["rs", "py", "js", "mjs", "ts"];

/// Makes the tree, runs everything and prints the table.
pub fn run(rounds: usize) -> Result {
    shell::run(cargo(&["build", "--release", "--package", "assize"]))?;
    install(&[("rg", "ripgrep"), ("ctags", "universal-ctags")]);
    let place = tempfile::Builder::new().prefix("assize-bench-").tempdir().map_err(|error| error.to_string())?;
    let tree = place.path().join("tree");
    let made = make_tree(&tree)?;
    println!("{} files, {} lines of source code, {} MiB", made.files, made.lines, made.bytes / (1024 * 1024));
    // A file that has just been written is read once more, in case that it is written again within one tick of the clock.
    thread::sleep(Duration::from_secs(3));
    let mut rows = rows(&tree, place.path());
    for row in &mut rows {
        // The disk's cache and the program's own pages are warm from here on.
        row.once(None);
    }
    for round in 0..rounds {
        for row in &mut rows {
            row.once(Some(round));
        }
    }
    report(&mut rows);
    Ok(())
}

/// A program that is measured.
struct Row {
    name: &'static str,
    command: Command,
    before: Box<dyn Fn(usize)>,
    millis: Vec<f64>,
    peak_kib: u64,
    /// Why there is nothing to show.
    absent: Option<String>,
}

impl Row {
    fn new(name: &'static str, command: Command) -> Self {
        let absent = (!is_there(&command)).then(|| "absent".to_owned());
        Self { name, command, before: Box::new(|_| ()), millis: Vec::new(), peak_kib: 0, absent }
    }

    fn once(&mut self, round: Option<usize>) {
        if self.absent.is_some() {
            return;
        }
        (self.before)(round.unwrap_or(usize::MAX));
        match measure(&self.command, "") {
            Ok((millis, peak_kib)) => {
                self.peak_kib = self.peak_kib.max(peak_kib);
                self.millis.extend(round.map(|_| millis));
            }
            Err(error) => self.absent = Some(error),
        }
    }
}

fn rows(tree: &Path, place: &Path) -> Vec<Row> {
    let within = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(tree);
        command
    };
    let assize = root().join("target/release/assize").to_string_lossy().into_owned();
    let ours = |name: &'static str, cache: &str| {
        let mut command = within(&assize, &["brief", "--format", "json"]);
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("XDG_CACHE_HOME", place.join(cache));
        Row::new(name, command)
    };
    let mut cold = ours("assize brief, cold", "cold");
    let forgotten = place.join("cold");
    cold.before = Box::new(move |_| {
        // It is not there before the first round.
        let _ = fs::remove_dir_all(&forgotten);
    });
    let mut warm = ours("assize brief, warm, one file changed", "warm");
    let changed = tree.join("changed.py");
    warm.before = Box::new(move |round| {
        let written = fs::write(&changed, format!("def changed_{round}():\n    return {round}\n"));
        written.expect("the tree is ours");
    });
    let tags = place.join("tags").to_string_lossy().into_owned();
    let packed = place.join("packed.xml").to_string_lossy().into_owned();
    vec![
        Row::new("rg --files", within("rg", &["--files"])),
        Row::new("rg -c '' (reads every line)", within("rg", &["-c", ""])),
        cold,
        warm,
        Row::new("ctags -R", within("ctags", &["-R", "-f", &tags])),
        Row::new("repomix", within("repomix", &["--quiet", "--output", &packed])),
        Row::new("aider, repository map", within("aider", &["--show-repo-map", "--yes-always", "--no-check-update"])),
    ]
}

fn report(rows: &mut [Row]) {
    for row in &mut *rows {
        row.millis.sort_by(f64::total_cmp);
    }
    let median = |row: &Row| row.millis.get(row.millis.len() / 2).copied();
    let listing = median(&rows[0]);
    println!("\n{:40} {:>8} {:>8} {:>8} {:>14} {:>9}", "", "min s", "p50 s", "max s", "of rg --files", "peak MiB");
    for row in &*rows {
        let (Some(p50), Some(min), Some(max)) = (median(row), row.millis.first(), row.millis.last()) else {
            println!("{:40} {}", row.name, row.absent.as_deref().unwrap_or("not run"));
            continue;
        };
        let ratio = listing.map_or_else(|| "-".to_owned(), |listing| format!("{:.1}", p50 / listing));
        println!(
            "{:40} {:>8.2} {:>8.2} {:>8.2} {ratio:>14} {:>9.0}",
            row.name,
            min / 1_000.0,
            p50 / 1_000.0,
            max / 1_000.0,
            row.peak_kib as f64 / 1024.0
        );
    }
}

fn is_there(command: &Command) -> bool {
    let mut asked = Command::new(command.get_program());
    asked.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null());
    asked.status().is_ok_and(|status| status.success())
}

/// Installs what is missing, where that can be done. What stays missing is shown as absent.
fn install(programs: &[(&str, &str)]) {
    for (program, package) in programs {
        if !is_there(&Command::new(program)) {
            let _ = shell::run(command("apt-get", &["install", "--yes", "--quiet", package]));
        }
    }
}

/// How large a tree is.
#[derive(Default)]
struct Size {
    files: usize,
    lines: usize,
    bytes: u64,
}

fn make_tree(tree: &Path) -> Result<Size> {
    let mut size = Size::default();
    let ask = |program: &str, arguments: &[&str]| {
        shell::read(command(program, arguments)).ok().map(|text| PathBuf::from(text.trim()))
    };
    let python = ask("python3", &["-c", "import sysconfig; print(sysconfig.get_paths()['stdlib'])"]);
    let npm = ask("npm", &["root", "--global"]).map(|folder| folder.join("npm"));
    for (name, from) in [("python", python), ("npm", npm)] {
        let Some(from) = from.filter(|from| from.is_dir()) else { continue };
        let enough = size.lines + LINES_OF_OTHERS;
        copy(&from, &tree.join(name), enough, &mut size)?;
    }
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo"))).ok_or("there is no home folder")?;
    for registry in sorted(&home.join("registry/src"))? {
        for folder in sorted(&registry)? {
            if size.lines >= LINES_MIN {
                return Ok(size);
            }
            if bytes_of(&folder)? <= CRATE_BYTES_MAX {
                copy(&folder, &tree.join("rust").join(folder.file_name().unwrap_or_default()), usize::MAX, &mut size)?;
            }
        }
    }
    if size.lines >= LINES_MIN { Ok(size) } else { Err(format!("cargo's registry has only {} lines", size.lines)) }
}

fn sorted(folder: &Path) -> Result<Vec<PathBuf>> {
    let wrong = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .map_err(wrong)?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| !is_hidden(path))
        .collect();
    entries.sort();
    Ok(entries)
}

/// Hidden files are left out: not all programs look at them.
fn is_hidden(path: &Path) -> bool {
    path.file_name().is_none_or(|name| name.to_string_lossy().starts_with('.')) || path.ends_with("__pycache__")
}

fn bytes_of(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for path in sorted(folder)? {
        let meta = fs::symlink_metadata(&path).map_err(|error| error.to_string())?;
        bytes += if meta.is_dir() { bytes_of(&path)? } else { meta.len() };
    }
    Ok(bytes)
}

/// Copies a folder, until there are enough lines.
fn copy(from: &Path, to: &Path, enough: usize, size: &mut Size) -> Result {
    fs::create_dir_all(to).map_err(|error| format!("{}: {error}", to.display()))?;
    for path in sorted(from)? {
        if size.lines >= enough {
            return Ok(());
        }
        let target = to.join(path.file_name().unwrap_or_default());
        let meta = fs::symlink_metadata(&path).map_err(|error| error.to_string())?;
        if meta.is_dir() {
            copy(&path, &target, enough, size)?;
        } else if meta.is_file() && meta.len() <= CRATE_BYTES_MAX {
            let contents = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            size.files += 1;
            size.bytes += meta.len();
            if path.extension().is_some_and(|ending| SOURCES.iter().any(|source| ending == *source)) {
                size.lines += contents.iter().filter(|byte| **byte == b'\n').count();
            }
            fs::write(&target, contents).map_err(|error| format!("{}: {error}", target.display()))?;
        }
    }
    Ok(())
}
