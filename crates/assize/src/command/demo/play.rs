//! Runs the commands of a part and picks the lines that are shown.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anstream::adapter::strip_str;
use assize_core::ruling::Outcome;
use assize_core::text::quote;
use assize_engine::search_path::PATH_DEFAULT;
use assize_stop::court::StopRecord;
use serde_json::{Value, json};

use crate::demo_repository::DemoRepository;
use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::output::{Format, is_styled};
use crate::render;

/// Most characters of a line that is shown, unless one word has more.
const LINE_CHARS_MAX: usize = 96;
/// Spaces before what follows a line that was wrapped, beside its own.
const FOLLOWING_INDENT: usize = 2;
/// The program as its user types it.
const PROGRAM: &str = "assize";

/// What a step has to come to.
pub struct Expected {
    /// The exit code.
    pub exit: Exit,
    /// Words of the lines that are shown, in their order; each has to be there.
    pub lines: &'static [&'static str],
}

/// What was typed, and what came of it.
pub struct Step {
    /// What was typed.
    pub command: String,
    /// The exit code; `None` where the program was killed.
    pub exit: Option<i32>,
    /// The lines of the output that are shown.
    pub lines: Vec<String>,
    /// The documents that were printed, where those were asked for.
    pub result: Value,
    unexpected: Vec<String>,
}

impl Step {
    /// Lists what is not as expected.
    pub fn unexpected(&self) -> Vec<String> {
        self.unexpected.iter().map(|what| format!("`{}`: {what}", self.command)).collect()
    }

    /// Makes a step of what a command printed for people.
    fn of_text(command: String, exit: Option<i32>, text: &str, expected: &Expected) -> Self {
        let (mut lines, mut unexpected) = (Vec::new(), unexpected_exit(exit, expected.exit));
        let mut rest = text.lines();
        for words in expected.lines {
            match rest.find(|line| strip_str(line).to_string().contains(words)) {
                Some(line) => lines.extend(wrapped(&without_times(line))),
                None => unexpected.push(format!("no line has {}", quote(words))),
            }
        }
        // What went wrong is shown as well.
        if !unexpected.is_empty() {
            lines = text.lines().flat_map(wrapped).collect();
        }
        Self { command, exit, lines, result: Value::Null, unexpected }
    }

    /// Makes a step of what a command printed for programs.
    fn of_json(command: String, exit: Option<i32>, text: &str, expected: &Expected) -> Self {
        let documents: std::result::Result<Vec<Value>, _> = text.lines().map(serde_json::from_str).collect();
        let mut unexpected = unexpected_exit(exit, expected.exit);
        let result = documents.unwrap_or_else(|error| {
            unexpected.push(format!("its output is no JSON: {error}"));
            Vec::new()
        });
        let result = if let [one] = result.as_slice() { one.clone() } else { json!(result) };
        Self { command, exit, lines: Vec::new(), result, unexpected }
    }
}

fn unexpected_exit(exit: Option<i32>, expected: Exit) -> Vec<String> {
    let name = |code: Option<i32>| code.map_or("none".to_owned(), |code| code.to_string());
    let wanted = Some(expected.code());
    if exit == wanted { Vec::new() } else { vec![format!("exit code {} instead of {}", name(exit), name(wanted))] }
}

/// Plays the parts.
pub struct Player<'a> {
    host: &'a Host,
    path: String,
    format: Format,
    program: PathBuf,
}

impl<'a> Player<'a> {
    /// Finds the program that is running. `first` is the folder in which programs are looked for first.
    ///
    /// # Errors
    ///
    /// Fails when the program is no longer there.
    pub fn new(host: &'a Host, first: Option<&Path>, format: Format) -> Result<Self> {
        let program = std::env::current_exe().map_err(|error| Failure::new(format!("the program itself: {error}")))?;
        let first = first.map(|folder| folder.display().to_string());
        let rest = host.variable("PATH").unwrap_or(PATH_DEFAULT).to_owned();
        let path = first.into_iter().chain([rest]).collect::<Vec<_>>().join(":");
        Ok(Self { host, path, format, program })
    }

    /// Returns a world with a search path, a home folder beside a repository, and nothing else.
    pub fn host(&self, repository: &DemoRepository) -> Host {
        let home = repository.beside("home").display().to_string();
        let environment = [("PATH".to_owned(), self.path.clone()), ("HOME".to_owned(), home)];
        Host { environment: environment.into(), ..self.host.clone() }
    }

    /// Runs `assize` in a repository, with a home folder beside it.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be started.
    pub fn assize(&self, repository: &DemoRepository, arguments: &[&str], expected: &Expected) -> Result<Step> {
        let format = if self.format == Format::Json { "json" } else { "human" };
        let color = if is_styled() { "always" } else { "never" };
        let output = Command::new(&self.program)
            .args(["--format", format, "--color", color])
            .args(arguments)
            .current_dir(repository.root())
            .env_clear()
            .envs(&self.host(repository).environment)
            .env("TMPDIR", std::env::temp_dir())
            .stdin(Stdio::null())
            .output()
            .map_err(|error| Failure::new(format!("{}: {error}", self.program.display())))?;
        let command = [&[PROGRAM], arguments].concat().join(" ");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if self.format == Format::Json {
            return Ok(Step::of_json(command, output.status.code(), &text, expected));
        }
        let mut step = Step::of_text(command, output.status.code(), &text, expected);
        if !step.unexpected.is_empty() {
            step.lines.extend(String::from_utf8_lossy(&output.stderr).lines().flat_map(wrapped));
        }
        Ok(step)
    }

    /// Makes a step of what an agent's hook ruled; `when` says on what. A hook itself exits with 0 whatever the ruling is.
    pub fn hook(&self, when: &str, record: &StopRecord, outcome: Outcome, lines: &'static [&'static str]) -> Step {
        let (command, exit) = (format!("{PROGRAM} hook claude-code  # {when}"), Some(Exit::Done.code()));
        let expected = Expected { exit: Exit::Done, lines };
        let mut step = if self.format == Format::Json {
            Step::of_json(command, exit, &render::stop_envelope(record).to_string(), &expected)
        } else {
            Step::of_text(command, exit, &render::stop_record(record), &expected)
        };
        let ruled = record.decision.ruling.outcome;
        if ruled != outcome {
            step.unexpected.push(format!("the ruling is {ruled} instead of {outcome}"));
        }
        step
    }
}

/// Takes out what no two runs have in common: ` (0.3 s)`, `, 0.3 s` and `(0.0 s, `.
fn without_times(line: &str) -> String {
    let mut rest = line;
    let mut text = String::new();
    while let Some((at, end)) = time_in(rest) {
        let (before, after) = (&rest[..at], &rest[end..]);
        let (before, after) = match (before.strip_suffix(", "), after.strip_prefix(", "), before.strip_suffix('(')) {
            (Some(before), _, _) => (before, after),
            (None, Some(after), _) => (before, after),
            (None, None, Some(before)) => (before.trim_end(), after.strip_prefix(')').unwrap_or(after)),
            (None, None, None) => (before, after),
        };
        text.push_str(before);
        rest = after;
    }
    text + rest
}

/// Finds the first time in seconds, such as `12.3 s`.
fn time_in(text: &str) -> Option<(usize, usize)> {
    text.match_indices(" s").find_map(|(end, _)| {
        if text[end + 2..].starts_with(|next: char| next.is_alphanumeric()) {
            return None;
        }
        let number = text[..end].trim_end_matches(|character: char| character.is_ascii_digit() || character == '.');
        (number.len() < end && text[number.len()..end].contains('.')).then_some((number.len(), end + 2))
    })
}

/// Wraps a line between its words, and indents what follows. A row of a table stays whole.
fn wrapped(line: &str) -> Vec<String> {
    let line = line.trim_end();
    let words = line.trim_start_matches(' ');
    if words.contains("   ") {
        return vec![line.to_owned()];
    }
    let indent = line.len() - words.len();
    let (mut lines, mut current, mut width) = (Vec::new(), " ".repeat(indent), indent);
    for (at, word) in words.split(' ').enumerate() {
        let chars = strip_str(word).to_string().chars().count();
        if at > 0 && width + 1 + chars > LINE_CHARS_MAX {
            width = indent + FOLLOWING_INDENT;
            lines.push(std::mem::replace(&mut current, " ".repeat(width)));
        } else if at > 0 {
            current.push(' ');
            width += 1;
        }
        current.push_str(word);
        width += chars;
    }
    lines.push(current);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_taken_out() {
        for (line, expected) in [
            ("✓ pytest (0.3 s)", "✓ pytest"),
            ("✗ pytest (2 passed, 1 failed, 12.3 s)", "✗ pytest (2 passed, 1 failed)"),
            ("reviewer did not judge (0.0 s, $0.0000)", "reviewer did not judge ($0.0000)"),
            ("  6.3 s, cost unknown", "  cost unknown"),
            ("in 2 s steps of 0.5 seconds", "in 2 s steps of 0.5 seconds"),
            ("\u{1b}[2m(1 new, 1.2 s)\u{1b}[0m", "\u{1b}[2m(1 new)\u{1b}[0m"),
        ] {
            assert_eq!(without_times(line), expected, "{line}");
        }
    }

    #[test]
    fn a_line_is_wrapped_at_its_limit_and_a_row_is_not() {
        let fits = format!("  a {}", "x".repeat(LINE_CHARS_MAX - 4));
        assert_eq!(wrapped(&fits), [fits.as_str()]);
        assert_eq!(wrapped(&format!("{fits}y")), ["  a", &format!("    {}y", "x".repeat(LINE_CHARS_MAX - 4))]);
        let styled = format!("  \u{1b}[1ma\u{1b}[0m {}", "x".repeat(LINE_CHARS_MAX - 4));
        assert_eq!(wrapped(&styled), [styled.as_str()]);
        let row = format!("  a   {}", "x".repeat(LINE_CHARS_MAX));
        assert_eq!(wrapped(&row), [row.as_str()]);
        assert_eq!(wrapped(""), [""]);
    }

    #[test]
    fn what_is_expected_is_shown_and_anything_else_is_named() {
        let step = |exit, text: &str| {
            let expected = Expected { exit: Exit::NotAccepted, lines: &["one", "two"] };
            Step::of_text("assize x".to_owned(), exit, text, &expected)
        };
        let good = step(Some(1), "one 1\nother\ntwo 2\n");
        assert_eq!((good.lines, good.unexpected), (vec!["one 1".to_owned(), "two 2".to_owned()], Vec::new()));
        let bad = step(None, "two\none\n");
        assert_eq!(
            bad.unexpected(),
            ["`assize x`: exit code none instead of 1", "`assize x`: no line has `two`"]
        );
        assert_eq!(bad.lines, ["two", "one"]);
    }
}
