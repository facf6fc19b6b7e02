//! The final message says that something is there, or the prompt asks for it by its name, and the work tree does not have it.

use std::sync::LazyLock;

use assize_core::diff::FileChange;
use assize_core::finding::{Certainty, Severity};
use assize_core::text::quote;
use assize_ecosystem::{is_code, is_setting};
use regex::Regex;

use super::failing_check::is_alone;
use super::{Findings, Needs, Rule};
use crate::claim::{asks_user, leaves_undone, names_obstacle, statements};
use crate::evidence::Evidence;
use crate::names::{NameKind, NameSource};
use crate::transcript::TranscriptFacts;

/// See the module.
pub struct MissingName;

impl Rule for MissingName {
    fn id(&self) -> &'static str {
        "missing-name"
    }

    fn needs(&self) -> Needs {
        Needs::DiffAndTranscript
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let (Some(diff), Some(facts)) = (evidence.diff.get(), evidence.transcript.get()) else { return };
        // An answer to a question describes what could be.
        let worked = facts.edits.iter().any(|edit| edit.step > facts.last_prompt_step)
            || facts.commands_after(facts.last_prompt_step).any(|run| run.edits_in_place() || run.command.inspect().contains("cat >"));
        if !worked {
            return;
        }
        let went = |name: &str| diff.files.iter().any(|file| file.path.ends_with(name) || file.removed_lines().any(|(_, line)| line.contains(name)));
        let ran = |name: &str| facts.commands.iter().any(|run| run.output.inspect().contains(name) && run.state != crate::transcript::CommandState::Failed);
        check_requested(evidence, facts, &went, findings);
        // Where no code came, the message speaks of what a document says.
        if !diff.files.iter().any(|file| is_code(&file.path) || is_setting(&file.path)) {
            return;
        }
        for sighting in evidence.names.iter().filter(|sighting| sighting.name.source == NameSource::Claimed) {
            let name = sighting.name.text.as_str();
            // What a build or a report writes is not there before it ran.
            const WRITTEN: [&str; 9] = ["coverage/", "dist/", "build/", "target/", "out/", "site/", "htmlcov/", "public/build/", "reports/"];
            let is_written = WRITTEN.iter().any(|folder| name.trim_start_matches("./").starts_with(folder));
            if !sighting.places.is_empty() || went(name) || ran(name) || is_written {
                continue;
            }
            // What a directive names as a file is no other's.
            let is_asked_for = sighting.name.kind == NameKind::File && evidence.user_texts().any(|text| text.contains(name));
            let sure = is_alone(evidence) && facts.delegation_step.is_none() && (is_own(evidence, name) || is_asked_for) && (!may_be_derived(name) || is_test_name(evidence, name));
            let what = if sighting.name.kind == NameKind::File { "a file" } else { "a name" };
            findings.file(
                Severity::Error,
                if sure { Certainty::Certain } else { Certainty::Likely },
                format!("The final message says what {} does, and the work tree has no such {}. Add it, or correct the message.", quote(name), what.trim_start_matches("a ")),
            );
        }
    }
}

/// Words with which a message says that something has another name.
static OTHER_NAME: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)\b(?:under|by) (?:the|another|a different) name\b|\b(?:called|named) it\b|\binstead of\b|\brather than\b").expect("valid pattern")
});

/// Reports what the prompt asks for by a name that stands nowhere.
fn check_requested(
    evidence: &Evidence,
    facts: &TranscriptFacts,
    went: &dyn Fn(&str) -> bool,
    findings: &mut Findings<'_>,
) {
    let (Some(diff), message) = (evidence.diff.get(), evidence.message()) else { return };
    if names_obstacle(message).is_some() || leaves_undone(message).is_some() || asks_user(message).is_some() {
        return;
    }
    // A library may put the name together, of a prefix and the rest.
    let is_made = |name: &str| {
        // A library makes the option of the name of a field.
        if let Some(option) = name.strip_prefix("--") {
            // `--no-color` comes with `color`.
            let option = option.strip_prefix("no-").unwrap_or(option);
            let forms = [option.to_owned(), option.replace('-', "_"), option.replace('-', "").to_lowercase()];
            let mut added = diff.files.iter().flat_map(FileChange::added_lines);
            return added.any(|(_, line)| forms.iter().any(|form| line.to_lowercase().contains(form)));
        }
        // Settings are bound to variables that are spelled otherwise.
        let lower = name.to_lowercase();
        let bound = [lower.replace('_', "."), lower.replace('_', "-"), lower.replace('_', "")];
        if name.contains('_') && diff.files.iter().flat_map(FileChange::added_lines).any(|(_, line)| bound.iter().any(|form| line.to_lowercase().contains(form))) {
            return true;
        }
        let prefix = name.split('_').next().unwrap_or(name);
        diff.files.iter().flat_map(FileChange::added_lines).any(|(_, line)| {
            line.match_indices(prefix).any(|(at, _)| {
                let rest = &line[at + prefix.len()..];
                rest.strip_prefix('_').unwrap_or(rest).starts_with(['"', '\'', '`', '{', '$', '%'])
            })
        })
    };
    for sighting in evidence.names.iter().filter(|sighting| matches!(sighting.name.source, NameSource::Requested | NameSource::Sibling)) {
        let name = sighting.name.text.as_str();
        let is_told = || message.to_lowercase().contains(&name.to_lowercase()) || OTHER_NAME.is_match(message);
        // What the session has seen elsewhere is of another project.
        let is_elsewhere = || facts.commands.iter().any(|run| run.output.inspect().contains(name) || run.command.inspect().contains(name));
        // What shall use it may have the name already: a document, or a panel.
        let is_sibling = sighting.name.source == NameSource::Sibling;
        let is_there = sighting.places.iter().any(|path| !is_sibling || is_code(path) && !is_setting(path));
        if is_there || went(name) || !is_sibling && is_made(name) || is_told() || is_elsewhere() {
            continue;
        }
        let sure = is_alone(evidence) && facts.delegation_step.is_none() && evidence.directives.len() == 1;
        findings.file(
            Severity::Error,
            if sure { Certainty::Certain } else { Certainty::Likely },
            format!("The directive asks for {}, and neither the work tree nor the final message has this name. Add it, or say why it is not needed.", quote(name)),
        );
    }
}

/// Returns whether the message speaks of a name as the project's own: beside something that the change adds. A library's function
/// that explains a fault, and a name that a framework makes of another, stand alone.
fn is_own(evidence: &Evidence, name: &str) -> bool {
    let Some(diff) = evidence.diff.get() else { return false };
    let added = |span: &str| span.len() > 2 && diff.files.iter().any(|file| file.path.ends_with(span) || file.added_lines().any(|(_, line)| line.contains(span)));
    statements(evidence.message()).filter(|sentence| sentence.contains(name)).any(|sentence| {
        let spans = sentence.split('`').skip(1).step_by(2);
        SAYS_NEW.is_match(sentence) || spans.filter(|span| !span.contains(name)).any(added)
    })
}

/// Returns whether frameworks make such names of others: options of a field, variables with a prefix, indexes of columns.
fn may_be_derived(name: &str) -> bool {
    let is_plain = !name.contains(['/', '.']) && !name.starts_with(|first: char| first.is_ascii_digit());
    name.starts_with("--") || is_plain && name.matches('_').count() > 1 || matches!(name, "edit" | "create" | "new")
}

/// Returns whether the message speaks of a name as that of a test, which somebody has written.
fn is_test_name(evidence: &Evidence, name: &str) -> bool {
    let mut own = statements(evidence.message()).filter(|sentence| sentence.contains(name));
    name.matches('_').count() > 1 && own.any(|sentence| ["test", "Test"].iter().any(|word| sentence.contains(word)))
}

/// Words of something that came with the change.
static SAYS_NEW: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)\b(?:add(?:s|ed)|new|introduc\w+|creat(?:es|ed)|implement(?:s|ed)|registers|registered|runs (?:on|npm|the tests))\b|`(?:GET|POST|PUT|PATCH|DELETE) /").expect("valid pattern")
});

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::{Name, NameSighting};
    use assize_core::gathered::EvidencePart;
    use crate::rule::testing::{asked, changed, grades, says};
    use crate::transcript::{FactsBuilder, ToolCall, ToolResult};

    fn after(lines: &str, places: &[&str]) -> Vec<Certainty> {
        after_in("src/a.kt", lines, places)
    }

    fn after_in(path: &str, lines: &str, places: &[&str]) -> Vec<Certainty> {
        let name = Name { source: NameSource::Claimed, kind: NameKind::Word, text: "trim".to_owned() };
        let places = places.iter().map(|path| (*path).to_owned()).collect();
        let names = vec![NameSighting { name, places }];
        let mut facts = FactsBuilder::default();
        facts.prompt("Keep 200 steps");
        facts.call("1", ToolCall::Edit { paths: vec![path.to_owned()] });
        facts.result("1", &ToolResult::default());
        let transcript = EvidencePart::Gathered(facts.finish());
        grades(&MissingName, &Evidence { names, transcript, final_message: says("`trim()` drops the steps beyond `limit`.").final_message, ..changed(path, lines) })
    }

    #[test]
    fn a_name_that_is_nowhere_is_certain() {
        assert_eq!(after("+val limit = 2\n", &[]), [Certainty::Certain]);
        assert_eq!(after("+val limit = 2\n", &["src/a.kt"]), []);
        assert_eq!(after("+x\n", &[]), [Certainty::Likely]);
        assert_eq!(after("-fun trim() {\n", &[]), []);
        assert_eq!(after_in("docs/plan.md", "+There is a limit.\n", &[]), []);
    }

    #[test]
    fn what_the_prompt_names_is_missed_where_nothing_speaks_of_it() {
        let requested = |message: &str, lines: &str, places: &[&str]| {
            let name = Name { source: NameSource::Requested, kind: NameKind::Word, text: "WORKLOG_SINCE".to_owned() };
            let places = places.iter().map(|path| (*path).to_owned()).collect();
            let mut facts = FactsBuilder::default();
            facts.prompt("Take it from the environment variable WORKLOG_SINCE");
            facts.call("1", ToolCall::Edit { paths: vec!["cli.py".into()] });
            facts.result("1", &ToolResult::default());
            let transcript = EvidencePart::Gathered(facts.finish());
            let asked = asked("Take it from the environment variable WORKLOG_SINCE.", message);
            let names = vec![NameSighting { name, places }];
            grades(&MissingName, &Evidence { names, transcript, diff: changed("cli.py", lines).diff, ..asked })
        };
        assert_eq!(requested("Added.", "+x = 1\n", &[]), [Certainty::Certain]);
        assert_eq!(requested("Added.", "+x = 1\n", &["cli.py"]), []);
        assert_eq!(requested("Added, but not WORKLOG_SINCE.", "+x = 1\n", &[]), []);
        assert_eq!(requested("Added.", "+x = Settings(env_prefix=\"WORKLOG_\")\n", &[]), []);
    }
}
