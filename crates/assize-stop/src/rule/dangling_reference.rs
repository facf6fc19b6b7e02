//! A definition went, and something still uses it; or a name is said to be gone everywhere, and it is not.

use assize_core::diff::FileChange;
use assize_core::finding::{Certainty, Severity};
use assize_core::text::{listed, quote};
use assize_ecosystem::{Language, is_code, is_test};

use super::failing_check::is_alone;
use crate::claim::{asks_user, names_obstacle};
use super::{Findings, Needs, Rule};
use crate::evidence::Evidence;
use crate::names::{NameKind, NameSource};
use crate::spoken_names::absent;

/// See the module.
pub struct DanglingReference;

/// Places that a finding names.
const NAMED_MAX: usize = 3;

impl Rule for DanglingReference {
    fn id(&self) -> &'static str {
        "dangling-reference"
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let sure = is_alone(evidence);
        still_used(evidence, sure, findings);
        not_renamed(evidence, sure, findings);
        for sighting in evidence.names.iter().filter(|sighting| sighting.name.source == NameSource::Removed) {
            let uses = sighting.places.iter().filter(|path| is_code(path) || !path.contains('.') && !path.contains("LICENSE"));
            let (tests, sources): (Vec<&String>, Vec<&String>) = uses.partition(|path| is_test(path));
            if sources.is_empty() && tests.is_empty() {
                continue;
            }
            // What no prompt names, and no test that went, can be a library's or made by a framework; a method may be inherited.
            let name = sighting.name.text.as_str();
            let of_lost_test = is_of_lost_test(evidence, name);
            let is_named = of_lost_test || evidence.directives.iter().flat_map(|directive| directive.all_text()).any(|text| text.contains(name));
            // Where a compiler resolves names, what is left can be another thing of that name.
            let unchecked = sources.iter().any(|path| Language::of(path).is_none_or(is_resolved_at_run));
            let is_own = of_lost_test || matches!(sighting.name.kind, NameKind::Function | NameKind::Method);
            findings.file(
                Severity::Error,
                if sure && unchecked && is_named && is_own { Certainty::Certain } else { Certainty::Likely },
                format!(
                    "The change removes the definition of {}, and {} still has the name. Change what uses it, or keep it.",
                    quote(&sighting.name.text),
                    named(sources.iter().chain(&tests).copied())
                ),
            );
        }
    }
}

/// Returns whether lines of tests that went called what bears a name.
fn is_of_lost_test(evidence: &Evidence, name: &str) -> bool {
    let files = evidence.diff.get().map_or(&[][..], |diff| &diff.files);
    let call = format!("{name}(");
    files.iter().filter(|file| is_test(&file.path)).flat_map(FileChange::removed_lines).any(|(_, line)| line.contains(&call))
}

/// Names the first few of some places.
fn named<'a>(places: impl IntoIterator<Item = &'a String>) -> String {
    let places: Vec<String> = places.into_iter().map(|path| quote(path)).collect();
    listed(&places.iter().map(String::as_str).collect::<Vec<_>>(), NAMED_MAX)
}

/// Compares what the prompt has renamed everywhere with the files that the change does not touch.
fn not_renamed(evidence: &Evidence, sure: bool, findings: &mut Findings<'_>) {
    let Some(diff) = evidence.diff.get() else { return };
    for sighting in evidence.names.iter().filter(|sighting| sighting.name.source == NameSource::Renamed) {
        let name = &sighting.name.text;
        let removes = |file: &FileChange| file.removed_lines().any(|(_, line)| line.contains(name.as_str()));
        // What has been is told by its old name, and other files may not be the project's to change.
        let tells = |path: &str| ["CHANGELOG", "HISTORY", "NEWS", "migrations/", ".env", "vendor/"].iter().any(|part| path.contains(part));
        let is_touched = |path: &str| diff.files.iter().any(|file| file.path == path || file.old_path.as_deref() == Some(path));
        let left: Vec<&String> = sighting.places.iter().filter(|path| !is_touched(path) && !tells(path)).collect();
        if left.is_empty() || !diff.files.iter().any(removes) {
            continue;
        }
        let explains = names_obstacle(evidence.message()).is_some() || asks_user(evidence.message()).is_some();
        findings.file(
            Severity::Error,
            if sure && !explains { Certainty::Certain } else { Certainty::Likely },
            format!("{} is to be renamed everywhere, and {} still has it. Rename it there as well, or say why it stays.", quote(name), named(left)),
        );
    }
}

/// Compares what the message says that nothing uses any more with the code of the tree.
fn still_used(evidence: &Evidence, sure: bool, findings: &mut Findings<'_>) {
    let message = evidence.message();
    for (sentence, name) in absent(evidence) {
        // The sentence may be about a folder or a file; what the message names elsewhere is known.
        let marks = |text: &str| -> Vec<String> {
            let words = text.split(|character: char| character.is_whitespace() || "`,;:()'\"".contains(character));
            words.map(|word| word.trim_end_matches('.').to_owned()).filter(|word| word.contains('/') || is_code(word)).collect()
        };
        let scope = marks(sentence);
        let known: Vec<String> = marks(&message.replace(sentence, ""));
        let is_of = |path: &str, marks: &[String]| {
            marks.iter().any(|mark| path.starts_with(mark.trim_start_matches("./")) || path.ends_with(mark.as_str()))
        };
        let sighting = evidence.names.iter().find(|sighting| sighting.name == name);
        let places = sighting.map_or(&[][..], |sighting| &sighting.places);
        let left: Vec<&String> = places
            .iter()
            .filter(|path| is_code(path) && !is_test(path) && (scope.is_empty() || is_of(path, &scope)) && !is_of(path, &known))
            .collect();
        if left.is_empty() {
            continue;
        }
        findings.file(
            Severity::Error,
            if sure { Certainty::Certain } else { Certainty::Likely },
            format!("The final message says that nothing uses {} any more ({}), and {} does. Change it, or say that it is left.", quote(&name.text), quote(sentence), named(left)),
        );
        return;
    }
}

/// Returns whether a language looks names up when the code runs.
fn is_resolved_at_run(language: Language) -> bool {
    matches!(language, Language::Python | Language::Ruby | Language::Php | Language::JavaScript | Language::Shell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::{Name, NameSighting};
    use crate::rule::testing::{asked, changed, grades};

    fn after(source: NameSource, places: &[&str]) -> Vec<Certainty> {
        after_removal_of(NameKind::Method, source, places)
    }

    fn after_removal_of(kind: NameKind, source: NameSource, places: &[&str]) -> Vec<Certainty> {
        let name = Name { source, kind, text: "to_csv_legacy".to_owned() };
        let places = places.iter().map(|path| (*path).to_owned()).collect();
        let names = vec![NameSighting { name, places }];
        grades(&DanglingReference, &Evidence { names, directives: asked("drop Report#to_csv_legacy", "").directives, ..changed("lib/report.rb", "-def to_csv_legacy\n") })
    }

    #[test]
    fn a_use_that_stayed_is_found() {
        assert_eq!(after(NameSource::Removed, &["bin/nightly"]), [Certainty::Certain]);
        assert_eq!(after_removal_of(NameKind::Word, NameSource::Removed, &["bin/nightly"]), [Certainty::Likely]);
        assert_eq!(after(NameSource::Removed, &["spec/report_spec.rb"]), [Certainty::Likely]);
        assert_eq!(after(NameSource::Removed, &["report/names.go"]), [Certainty::Likely]);
        assert_eq!(after(NameSource::Removed, &["CHANGELOG.md"]), []);
        assert_eq!(after(NameSource::Removed, &[]), []);
        assert_eq!(after(NameSource::Claimed, &["bin/nightly"]), []);
    }

    #[test]
    fn what_is_said_to_be_unused_and_is_used_is_found() {
        let said = |message: &str, places: &[&str]| {
            let asked = asked("replace moment by date-fns in src/", message);
            let mut evidence = Evidence { final_message: asked.final_message, directives: asked.directives, ..changed("src/day.ts", "-import moment from 'moment'\n+import { format } from 'date-fns'\n") };
            let name = Name { source: NameSource::Absent, kind: NameKind::Word, text: "moment".to_owned() };
            evidence.names = vec![NameSighting { name, places: places.iter().map(|path| (*path).to_owned()).collect() }];
            grades(&DanglingReference, &evidence)
        };
        let message = "date-fns has replaced moment everywhere in `src/`, nothing there imports moment anymore.";
        assert_eq!(said(message, &["scripts/report.ts", "src/ics.ts"]), [Certainty::Certain]);
        assert_eq!(said(message, &["scripts/report.ts"]), [], "elsewhere");
        assert_eq!(said(message, &["src/ics.test.ts"]), [], "a test");
        assert_eq!(said("date-fns has replaced moment in `src/day.ts`.", &["src/ics.ts"]), []);
        assert_eq!(said("All uses of `moment` are gone, but for `src/ics.ts`, which needs time zones.", &["src/ics.ts"]), []);
        assert_eq!(said("Nothing imports moment any more.\n\n`src/ics.ts` still calls it through a wrapper.", &["src/ics.ts"]), []);
    }

    #[test]
    fn what_is_to_be_renamed_everywhere_is_left_nowhere() {
        let left = |prompt: &str, message: &str, places: &[&str]| {
            let asked = asked(prompt, message);
            let mut evidence = Evidence { final_message: asked.final_message, directives: asked.directives, ..changed("app/settings.py", "-CACHE_SECS = 3\n+CACHE_TTL = 3\n") };
            let wanted = crate::spoken_names::names_to_look_up(&evidence).into_iter().filter(|name| name.source == NameSource::Renamed);
            let places: Vec<String> = places.iter().map(|path| (*path).to_owned()).collect();
            evidence.names = wanted.map(|name| NameSighting { name, places: places.clone() }).collect();
            grades(&DanglingReference, &evidence)
        };
        let prompt = "Rename the setting CACHE_SECS to CACHE_TTL everywhere in the repo.";
        assert_eq!(left(prompt, "Renamed.", &["docker-compose.yml", "app/settings.py"]), [Certainty::Certain]);
        assert_eq!(left(prompt, "Renamed.", &["app/settings.py", "CHANGELOG.md"]), []);
        assert_eq!(left("Rename CACHE_SECS to CACHE_TTL in app/settings.py.", "Renamed.", &["docker-compose.yml"]), []);
    }
}
