//! The final message says that something is there, and the work tree does not have it.

use std::sync::LazyLock;

use assize_core::finding::{Certainty, Severity};
use assize_core::text::quote;
use regex::Regex;

use super::failing_check::is_alone;
use super::{Findings, Needs, Rule};
use crate::claim::statements;
use crate::evidence::Evidence;
use crate::names::{NameKind, NameSource};

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
        for sighting in evidence.names.iter().filter(|sighting| sighting.name.source == NameSource::Claimed) {
            let name = sighting.name.text.as_str();
            if !sighting.places.is_empty() || went(name) || ran(name) {
                continue;
            }
            let sure = is_alone(evidence) && facts.delegation_step.is_none() && is_own(evidence, name) && (!may_be_derived(name) || is_test_name(evidence, name));
            let what = if sighting.name.kind == NameKind::File { "a file" } else { "a name" };
            findings.file(
                Severity::Error,
                if sure { Certainty::Certain } else { Certainty::Likely },
                format!("The final message says what {} does, and the work tree has no such {}. Add it, or correct the message.", quote(name), what.trim_start_matches("a ")),
            );
        }
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
    use crate::rule::testing::{changed, grades, says};
    use crate::transcript::{FactsBuilder, ToolCall, ToolResult};

    fn after(lines: &str, places: &[&str]) -> Vec<Certainty> {
        let name = Name { source: NameSource::Claimed, kind: NameKind::Word, text: "trim".to_owned() };
        let places = places.iter().map(|path| (*path).to_owned()).collect();
        let names = vec![NameSighting { name, places }];
        let mut facts = FactsBuilder::default();
        facts.prompt("Keep 200 steps");
        facts.call("1", ToolCall::Edit { paths: vec!["src/a.kt".into()] });
        facts.result("1", &ToolResult::default());
        let transcript = EvidencePart::Gathered(facts.finish());
        grades(&MissingName, &Evidence { names, transcript, final_message: says("`trim()` drops the steps beyond `limit`.").final_message, ..changed("src/a.kt", lines) })
    }

    #[test]
    fn a_name_that_is_nowhere_is_certain() {
        assert_eq!(after("+val limit = 2\n", &[]), [Certainty::Certain]);
        assert_eq!(after("+val limit = 2\n", &["src/a.kt"]), []);
        assert_eq!(after("+x\n", &[]), [Certainty::Likely]);
        assert_eq!(after("-fun trim() {\n", &[]), []);
    }
}
