//! What the hook answers, read as the agent's harness reads it.

use std::process::Output;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// The answer to an event.
#[derive(Debug, Clone, PartialEq)]
pub enum SimulatedAnswer {
    /// The hook was killed before it answered.
    Killed,
    /// Nothing: the agent does as it would.
    Silent,
    /// The agent has to continue, for these findings.
    Blocked(Vec<BlockingFinding>),
    /// The person is told something.
    Notice(String),
    /// Facts for the agent, at the beginning of a session.
    Context,
}

/// A finding of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockingFinding {
    /// The rule.
    pub rule: String,
    /// The file.
    pub path: Option<String>,
    /// The line, from 1.
    pub line: Option<usize>,
    /// All of it.
    pub text: String,
}

/// The beginning of the notice that what was found may be of another session.
const UNCERTAIN: &str = "Assize let this stop pass and is not certain (";

/// Beginnings of notices that let an agent stop and say loudly why, by what they count as in the table.
const RELEASES: [(&str, &str, &str); 7] = [
    ("Assize lets the agent stop although its work was not accepted: ", "released", ". Still open"),
    (UNCERTAIN, "released", " at the same time"),
    ("Assize could not judge this stop (", "unjudged", ")."),
    ("Assize did not judge this stop (", "unjudged", ")."),
    ("Assize did not judge this stop: ", "unjudged", "."),
    ("Assize is paused", "unjudged", "."),
    ("Assize could not record this", "unjudged", ":"),
];

impl SimulatedAnswer {
    /// Reads an answer.
    ///
    /// # Errors
    ///
    /// Says why an agent would not understand it.
    pub fn of(output: &Output) -> Result<Self, String> {
        let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if stderr.contains("panicked at") {
            return Err(format!("it panics: {}", one_line(&stderr)));
        }
        if output.status.code() != Some(0) {
            return Err(format!("it ends with {}: {}", output.status, one_line(&stderr)));
        }
        if stdout.trim().is_empty() {
            return Ok(if stderr.trim().is_empty() { Self::Silent } else { Self::Notice(stderr.trim().to_owned()) });
        }
        let answer: Value = serde_json::from_str(&stdout).map_err(|error| format!("{error}: {}", one_line(&stdout)))?;
        let text = |key: &str| answer[key].as_str().map(str::to_owned);
        match (text("decision").as_deref(), text("reason"), text("systemMessage")) {
            (Some("block"), Some(reason), _) => Ok(Self::Blocked(findings(&reason))),
            (None, _, Some(notice)) => Ok(Self::Notice(notice)),
            (None, _, None) if answer["hookSpecificOutput"].is_object() => Ok(Self::Context),
            _ => Err(format!("no such answer: {}", one_line(&stdout))),
        }
    }

    /// Returns whether the work may count as accepted after it.
    pub fn is_settled(&self) -> bool {
        let is_uncertain = || matches!(self, Self::Notice(notice) if is_uncertain_about(notice, ""));
        !matches!(self, Self::Blocked(_)) && (self.release().is_none() || is_uncertain())
    }

    /// Returns how a notice lets the agent stop: under which heading it is counted, and why. `None` if it says nothing of
    /// the kind.
    pub fn release(&self) -> Option<(&'static str, String)> {
        let Self::Notice(notice) = self else { return None };
        RELEASES.iter().find_map(|(begin, heading, end)| {
            let rest = notice.lines().find_map(|line| line.strip_prefix(begin))?;
            let why = rest.split(end).next().unwrap_or(rest);
            Some((*heading, if why.is_empty() { begin.trim().to_owned() } else { without_names(why) }))
        })
    }
}

/// Returns whether a notice says that what was found in a file may be of another session.
pub fn is_uncertain_about(notice: &str, path: &str) -> bool {
    notice.contains(UNCERTAIN) && notice.contains(path)
}

/// A reason without what differs from session to session.
fn without_names(why: &str) -> String {
    static NAMES: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?:[\w.-]*/)+[\w.-]+|(?:/[^:;,)]*)|\b[0-9a-f]{7,40}\b|\d+").expect("a pattern"));
    NAMES.replace_all(&one_line(why), "…").into_owned()
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(300).collect()
}

/// Reads the findings out of the reason of a block.
fn findings(reason: &str) -> Vec<BlockingFinding> {
    static FINDING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^- (?:(?P<path>[\w./-]+)(?::(?P<line>\d+))?: )?.* \[(?P<rule>[a-z-]+)\]$").expect("a pattern")
    });
    let list = reason.split("\n\nNot finished:").nth(1).unwrap_or_default();
    let list = list.split("\n\n").next().unwrap_or_default();
    list.lines()
        .filter_map(|line| {
            let found = FINDING.captures(line)?;
            Some(BlockingFinding {
                rule: found["rule"].to_owned(),
                path: found.name("path").map(|path| path.as_str().to_owned()),
                line: found.name("line").and_then(|line| line.as_str().parse().ok()),
                text: line.trim_start_matches("- ").to_owned(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;

    use super::*;

    fn answer(status: i32, stdout: &str, stderr: &str) -> Result<SimulatedAnswer, String> {
        let status = ExitStatus::from_raw(status);
        SimulatedAnswer::of(&Output { status, stdout: stdout.into(), stderr: stderr.into() })
    }

    #[test]
    fn what_an_agent_does_not_understand_is_no_answer() {
        assert_eq!(answer(0, "\n", ""), Ok(SimulatedAnswer::Silent));
        assert_eq!(answer(0, "", "assize: told\n"), Ok(SimulatedAnswer::Notice("assize: told".to_owned())));
        for (status, stdout, stderr) in [
            (256, "", ""),
            (9, "", ""),
            (0, "{", ""),
            (0, "{\"decision\":\"no\"}", ""),
            (0, "", "thread 'main' panicked at x.rs"),
        ] {
            assert!(answer(status, stdout, stderr).is_err(), "{status} {stdout} {stderr}");
        }
    }

    #[test]
    fn the_findings_of_a_block_are_read() {
        let reason = "No.\\n\\nNot finished:\\n- src/a.rs:7: `todo!()` is there. [placeholder-added]\\n- No file. [nothing-changed]\\n\\nWorth a look, may be fine:\\n- b.rs:1: x [secret]";
        let Ok(SimulatedAnswer::Blocked(findings)) =
            answer(0, &format!("{{\"decision\":\"block\",\"reason\":\"{reason}\"}}"), "")
        else {
            panic!("a block");
        };
        let read: Vec<_> = findings.iter().map(|one| (one.rule.as_str(), one.path.as_deref(), one.line)).collect();
        assert_eq!(read, [("placeholder-added", Some("src/a.rs"), Some(7)), ("nothing-changed", None, None)]);
    }

    #[test]
    fn a_release_says_why() {
        let why = |notice: &str| {
            SimulatedAnswer::Notice(notice.to_owned()).release().map(|(heading, why)| format!("{heading}: {why}"))
        };
        for (notice, expected) in [
            (
                "Assize could not judge this stop (evidence_missing: transcript: /home/a/t.jsonl: gone). The agent may stop; nothing counts as done.",
                Some("unjudged: evidence_missing: transcript: …: gone"),
            ),
            (
                "Assize lets the agent stop although its work was not accepted: nothing changed. Still open: a",
                Some("released: nothing changed"),
            ),
            (
                "Assize is paused and did not judge this stop. `assize resume` ends the pause.",
                Some("unjudged: and did not judge this stop"),
            ),
            ("Assize cannot use its configuration: assize.toml: no", None),
        ] {
            assert_eq!(why(notice).as_deref(), expected, "{notice}");
        }
    }
}
