//! A definition went, and something still uses it.

use assize_core::finding::{Certainty, Severity};
use assize_core::text::{listed, quote};
use assize_ecosystem::{Language, is_code, is_test};

use super::failing_check::is_alone;
use super::{Findings, Needs, Rule};
use crate::evidence::Evidence;
use crate::names::{NameKind, NameSource};

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
        for sighting in evidence.names.iter().filter(|sighting| sighting.name.source == NameSource::Removed) {
            let uses = sighting.places.iter().filter(|path| is_code(path) || !path.contains('.') && !path.contains("LICENSE"));
            let (tests, sources): (Vec<&String>, Vec<&String>) = uses.partition(|path| is_test(path));
            let places: Vec<String> = sources.iter().chain(&tests).map(|path| quote(path)).collect();
            if places.is_empty() {
                continue;
            }
            let places: Vec<&str> = places.iter().map(String::as_str).collect();
            // What no prompt names can be a library's or made by a framework; a method may be inherited.
            let is_named = evidence.directives.iter().flat_map(|directive| directive.all_text()).any(|text| text.contains(&sighting.name.text));
            // Where a compiler resolves names, what is left can be another thing of that name.
            let unchecked = sources.iter().any(|path| Language::of(path).is_none_or(is_resolved_at_run));
            let is_own = matches!(sighting.name.kind, NameKind::Function | NameKind::Method);
            findings.file(
                Severity::Error,
                if sure && unchecked && is_named && is_own { Certainty::Certain } else { Certainty::Likely },
                format!(
                    "The change removes the definition of {}, and {} still has the name. Change what uses it, or keep it.",
                    quote(&sighting.name.text),
                    listed(&places, NAMED_MAX)
                ),
            );
        }
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
}
