//! Faults that are put into a change: one operator, condition or value of a line that the change added.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use assize_ecosystem::{FileRole, is_code, is_generated};
use regex::Regex;

use crate::shell::{Result, command, read};

/// What becomes what. The first that fits a line is taken.
const FAULTS: [(&str, &str); 25] = [
    (r"\bawait (\w)", "$1"),
    (r" not in ", " in "),
    (r"(\bif|\band|\bor|return) not ", "$1 "),
    (r"(\(|&& |\|\| )!(\w)", "$1$2"),
    (r" (==|===) ", " != "),
    (r" (!=|!==) ", " == "),
    (r" is not None", " is None"),
    (r" (<|<=) (\w)", " > $2"),
    (r" (>|>=) (\w)", " < $2"),
    (r" and ", " or "),
    (r" && ", " || "),
    (r" \+ ", " - "),
    (r"\bTrue\b", "False"),
    (r"\btrue\b", "false"),
    (r"\bSome\((\w+)\)$", "None"),
    (r"^(\s*return) [\w.]+$", "$1 None"),
    (r"\.is_some\(\)", ".is_none()"),
    (r"\.is_none\(\)", ".is_some()"),
    (r"\.is_ok\(\)", ".is_err()"),
    (r" - (\w)", " + $1"),
    (r" \* ", " + "),
    (r" % ", " / "),
    (r"\bmin\(", "max("),
    (r"\b0\b", "1"),
    (r"\b1\b", "2"),
];
/// What lines begin with that hold no code which runs.
const IDLE: [&str; 11] = ["#", "//", "*", "\"\"\"", "import ", "from ", "use ", "assert", "@", "/*", "__version__"];

/// A fault in a line.
pub struct Fault {
    path: PathBuf,
    file: String,
    line: usize,
    before: String,
    after: String,
}

/// Chooses a fault for the change between the last two commits of a repository: always the same for a name.
pub fn choose(repository: &Path, name: &str) -> Result<Option<Fault>> {
    let mut git = command("git", &["diff", "--unified=0", "--no-color", "--no-renames", "HEAD~1", "HEAD"]);
    git.current_dir(repository);
    let mut candidates = Vec::new();
    let (mut file, mut line) = (String::new(), 0);
    for text in read(git)?.lines() {
        if let Some(path) = text.strip_prefix("+++ b/") {
            path.clone_into(&mut file);
        } else if let Some(hunk) = text.strip_prefix("@@ ") {
            let start = hunk.split('+').nth(1).and_then(|rest| rest.split([',', ' ']).next());
            line = start.and_then(|start| start.parse().ok()).unwrap_or(0);
        } else if let Some(added) = text.strip_prefix('+').filter(|_| !text.starts_with("+++")) {
            let is_own = is_code(&file) && !is_generated(&file) && FileRole::of(&file) == FileRole::Production;
            let is_idle = IDLE.iter().any(|idle| added.trim_start().starts_with(idle));
            if is_own && !is_idle && broken(added).is_some() {
                candidates.push((file.clone(), line));
            }
            line += 1;
        }
    }
    if candidates.is_empty() {
        return Ok(None);
    }
    let seed = name.bytes().fold(7_u64, |seed, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let (file, line) = candidates.swap_remove(fastrand::Rng::with_seed(seed).usize(..candidates.len()));
    let path = repository.join(&file);
    let before = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let changed = |(number, text): (usize, &str)| {
        if number + 1 == line { broken(text).unwrap_or_else(|| text.to_owned()) } else { text.to_owned() }
    };
    let after = before.split('\n').enumerate().map(changed).collect::<Vec<_>>().join("\n");
    Ok(Some(Fault { path, file, line, before, after }))
}

fn broken(line: &str) -> Option<String> {
    FAULTS.iter().find_map(|(pattern, replacement)| {
        let pattern = Regex::new(pattern).expect("every pattern can be read");
        let replaced = pattern.replace(line, *replacement);
        (replaced != line).then(|| replaced.into_owned())
    })
}

impl Fault {
    /// Puts it into the tree.
    pub fn put(&self) -> Result {
        fs::write(&self.path, &self.after).map_err(|error| format!("{}: {error}", self.path.display()))
    }

    /// Takes it out again.
    pub fn take_out(&self) -> Result {
        fs::write(&self.path, &self.before).map_err(|error| format!("{}: {error}", self.path.display()))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |text: &str| text.split('\n').nth(self.line - 1).unwrap_or_default().trim().to_owned();
        write!(formatter, "{}:{}: `{}` for `{}`", self.file, self.line, line(&self.after), line(&self.before))
    }
}
