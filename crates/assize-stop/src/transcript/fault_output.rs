//! The faults that linters, checkers of types and compilers print, each with its place.
//!
//! The forms are those that many tools share: a path, a line and words on one line; the path above and the lines below
//! it; the words first and the place below them. What fits none of them is left out.

use std::sync::LazyLock;

use regex::Regex;

/// A fault that a tool printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintedFault<'a> {
    /// The file, as the tool writes it.
    pub path: &'a str,
    /// The line, counted from 1.
    pub line: u32,
    /// What the tool says, with the name of its rule where it gives one.
    pub message: &'a str,
}

/// Faults that are read of one output.
const FAULTS_MAX: usize = 200;

/// Reads the faults in an output.
pub fn faults(output: &str) -> Vec<PrintedFault<'_>> {
    static ON_ONE_LINE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^(?:\[ERROR\] |\[(?:error|warn)\] |error: |\s*)?(?P<path>[^\s:()\[\]]+\.[A-Za-z]+)",
            r"(?::(?P<line>\d+)(?::\d+)?:?\s|\((?P<row>\d+),\d+\): |:\[(?P<at>\d+)(?:,\d+)?\] )(?P<message>\S.*)$",
        ))
        .expect("valid pattern")
    });
    static BELOW_PATH: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\s+(\d+):\d+\s+(error\s+\S.*)$").expect("valid pattern"));
    static BELOW_WORDS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\s*-->\s(\S+?):(\d+):\d+$").expect("valid pattern"));
    // A row of a table below the path: PHP_CodeSniffer's and PHPStan's.
    static ROW: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\s+(\d+)\s+(?:\|\s+ERROR\s+\|\s+(?:\[[ x]\]\s+)?)?([^|\s].*)$").expect("valid pattern")
    });
    static TABLE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^(?:FILE: |\s+Line\s+)(\S+\.[A-Za-z]+)\s*$").expect("valid pattern"));
    // SpotBugs says first what it found.
    static AT_LINE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\[ERROR\] .* At (\S+\.[A-Za-z]+):\[lines? (\d+)").expect("valid pattern"));
    // ShellCheck quotes the line between the place and the words.
    static IN_LINE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^In (\S+) line (\d+):$").expect("valid pattern"));
    static BELOW_QUOTE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^\s*\^-*\^?\s+(SC\d+ \S.*)$").expect("valid pattern"));
    let mut found = Vec::new();
    let (mut above, mut heading, mut table) = ("", "", None);
    let mut place: Option<(&str, Option<regex::Match<'_>>)> = None;
    for line in output.lines() {
        if found.len() >= FAULTS_MAX {
            break;
        }
        if let Some(place) = AT_LINE.captures(line) {
            found.extend(at(place.get(1).map_or("", |path| path.as_str()), place.get(2), line));
        } else if let Some(path) = TABLE.captures(line) {
            table = path.get(1).map(|path| path.as_str());
        } else if let Some((path, row)) = table.zip(ROW.captures(line)) {
            found.extend(fault_of(path, row.get(1), row.get(2)));
        } else if let Some(at) = IN_LINE.captures(line) {
            place = at.get(1).map(|path| (path.as_str(), at.get(2)));
        } else if let Some(((path, number), words)) = place.zip(BELOW_QUOTE.captures(line)) {
            found.extend(fault_of(path, number, words.get(1)));
        } else if let Some(fault) = BELOW_PATH.captures(line).filter(|_| !heading.is_empty()) {
            found.extend(fault_of(heading, fault.get(1), fault.get(2)));
        } else if let Some(fault) = BELOW_WORDS.captures(line) {
            let message = above.strip_prefix("error").filter(|_| !above.is_empty());
            if let (Some(path), Some(message)) = (fault.get(1), message) {
                found.extend(at(path.as_str(), fault.get(2), message));
            }
        } else if let Some(fault) = ON_ONE_LINE.captures(line) {
            let number = fault.name("line").or_else(|| fault.name("row")).or_else(|| fault.name("at"));
            let is_remark =
                |said: &str| ["note", "warning", "warn", "info", "help"].iter().any(|word| said.starts_with(word));
            let said = fault.name("message").filter(|said| !is_remark(said.as_str()));
            if let Some(path) = fault.name("path") {
                found.extend(fault_of(path.as_str(), number, said));
            }
        } else if line.starts_with(|first: char| !first.is_whitespace()) {
            above = line;
        }
        if !line.starts_with(char::is_whitespace) {
            heading = line.trim();
        }
    }
    found
}

fn fault_of<'a>(
    path: &'a str,
    line: Option<regex::Match<'a>>,
    message: Option<regex::Match<'a>>,
) -> Option<PrintedFault<'a>> {
    at(path, line, message?.as_str())
}

fn at<'a>(path: &'a str, line: Option<regex::Match<'a>>, message: &'a str) -> Option<PrintedFault<'a>> {
    Some(PrintedFault { path, line: line?.as_str().parse().ok()?, message })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_forms_are_read() {
        for (output, expected) in [
            (
                "kitchen/ticket.py:6: error: Incompatible types  [assignment]\nFound 1 error in 1 file",
                &[("kitchen/ticket.py", 6)][..],
            ),
            ("a.py:1:80: E501 line too long", &[("a.py", 1)]),
            ("src/a.ts(3,5): error TS2322: Type 'x'", &[("src/a.ts", 3)]),
            (
                "/src/Depot/Roster.cs(12,19): error CS8602: Dereference. [/src/Depot/Depot.csproj]",
                &[("/src/Depot/Roster.cs", 12)],
            ),
            (
                "/home/dev/app/src/route.js\n   8:9   error  Expected '==='  eqeqeq\n  18:30  error  'p' is not defined  no-undef\n\n✖ 2 problems",
                &[("/home/dev/app/src/route.js", 8), ("/home/dev/app/src/route.js", 18)],
            ),
            ("/home/dev/app/src/route.js\n   8:9   warning  Expected '==='  eqeqeq\n", &[]),
            (
                "error: used `unwrap()` on a `Result` value\n  --> src/lib.rs:20:9\n   |\n20 |     x",
                &[("src/lib.rs", 20)],
            ),
            ("warning: unneeded `return` statement\n  --> src/lib.rs:21:5", &[]),
            ("writer.go:16:16: Error return value is not checked (errcheck)", &[("writer.go", 16)]),
            ("[ERROR] /src/App.java:[12,5] cannot find symbol", &[("/src/App.java", 12)]),
            ("a.c:3:2: warning: unused variable", &[]),
            (
                "[warn] /home/n/lending/Desk.scala:8:5: match may not be exhaustive.\n[warn]     status match {\n",
                &[("/home/n/lending/Desk.scala", 8)],
            ),
            ("[ERROR] Medium: Possible null in a.B.next(String) [a.B] At B.java:[line 21] NP_NULL", &[("B.java", 21)]),
            ("[ERROR] src/Wash.java:[14] (coding) MagicNumber: '42' is a magic number.", &[("src/Wash.java", 14)]),
            (
                "FILE: /app/src/Cart.php\n----\nFOUND 2 ERRORS\n----\n  3 | ERROR   | [x] Expected 1 space\n 12 | WARNING | Line too long\n 14 | ERROR   | Missing comment\n----\n",
                &[("/app/src/Cart.php", 3), ("/app/src/Cart.php", 14)],
            ),
            (
                " ------ ----\n  Line   src/Cart.php\n ------ ----\n  12     Cannot access property $cents on null.\n ------ ----\n [ERROR] Found 1 error",
                &[("src/Cart.php", 12)],
            ),
            (
                "In ci/ship.sh line 9:\ncp -r $new $target\n      ^--^ SC2086 (info): Double quote to prevent globbing.\n",
                &[("ci/ship.sh", 9)],
            ),
            ("2 passed in 0.03s", &[]),
        ] {
            let found: Vec<(&str, u32)> = faults(output).iter().map(|fault| (fault.path, fault.line)).collect();
            assert_eq!(found, expected, "{output}");
        }
    }
}
