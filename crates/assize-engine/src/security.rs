//! The built-in look at what a change brings in: weaknesses, and code that deceives its tests.
//!
//! What counts is what the base has not. The patterns themselves are found in the syntax tree, by the brief; here texts are
//! handed over and what is found becomes findings. Must not decide what a finding costs.

use std::collections::BTreeMap;

use assize_brief::weakness::{Family, Severity as Weight, Weakness, find};
use assize_core::diff::{Diff, FileChange, FileStatus};
use assize_core::finding::{Certainty, Finding, Severity};
use assize_core::path::{is_example, is_generated, is_test};
use assize_core::text::quote;

use crate::work_copy::WorkCopy;

/// Looks at every changed file. `base` is where the old texts are; without one, everything is new.
pub fn findings(diff: &Diff, change: &WorkCopy, base: Option<&WorkCopy>) -> Vec<Finding> {
    let read = |copy: &WorkCopy, path: &str| copy.text(path, assize_brief::weakness::FILE_BYTES_MAX as u64);
    let present = diff.files.iter().filter(|file| file.status != FileStatus::Deleted && !is_generated(&file.path));
    present
        .flat_map(|file| {
            let after = read(change, &file.path).unwrap_or_default();
            let old_path = file.old_path.as_deref().unwrap_or(&file.path);
            let before =
                base.and_then(|base| read(base, old_path)).map(|text| find(old_path, &text)).unwrap_or_default();
            new_ones(find(&file.path, &after), &before)
                .into_iter()
                .filter_map(|found| finding(file, &found))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Leaves out what stood in the file before, as often as it stood there.
fn new_ones(after: Vec<Weakness>, before: &[Weakness]) -> Vec<Weakness> {
    let mut known: BTreeMap<(String, String), usize> = BTreeMap::new();
    let key = |found: &Weakness| (found.rule.clone(), found.excerpt.clone());
    for old in before {
        *known.entry(key(old)).or_default() += 1;
    }
    let is_new = |found: &Weakness| match known.get_mut(&key(found)) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    };
    after.into_iter().filter(is_new).collect()
}

/// Says it as a finding. What deceives tests is an ordinary means within them, and in tests and examples nobody is endangered
/// for sure.
fn finding(file: &FileChange, found: &Weakness) -> Option<Finding> {
    let in_test = found.in_test || is_test(&file.path);
    let (prefix, sure) = match found.family {
        Family::Interference if in_test => return None,
        Family::Interference => ("interference", true),
        Family::Weakness => ("security", !in_test && !is_example(&file.path)),
    };
    Some(Finding {
        rule: format!("{prefix}-{}", found.rule),
        severity: match found.severity {
            Weight::Note => Severity::Note,
            Weight::Warning => Severity::Warning,
            Weight::Error => Severity::Error,
        },
        certainty: if found.certain && sure && file.old_known { Certainty::Certain } else { Certainty::Likely },
        path: Some(file.path.clone()),
        line: Some(found.line),
        message: format!("{} {}", quote(&found.excerpt), found.message),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_core::diff::parse_git_patch;

    fn looked_at(path: &str, before: Option<&str>, after: &str) -> Vec<(String, Certainty)> {
        let copy = |text: &str| {
            let mut copy = WorkCopy::of_folder(std::path::Path::new("/"), Vec::new()).expect("a copy");
            copy.write(path, text).expect("written");
            copy
        };
        let patch = format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n");
        let diff = Diff { files: parse_git_patch(patch.as_bytes()), ..Diff::default() };
        let base = before.map(copy);
        findings(&diff, &copy(after), base.as_ref()).into_iter().map(|found| (found.rule, found.certainty)).collect()
    }

    const UNVERIFIED: &str = "import requests\nrequests.get('https://a.example', verify=False)\n";
    const ALWAYS_EQUAL: &str = "class A:\n    def __eq__(self, other):\n        return True\n";

    #[test]
    fn only_what_the_base_has_not_is_found() {
        let found = vec![("security-tls-unverified".to_owned(), Certainty::Certain)];
        assert_eq!(looked_at("a.py", None, UNVERIFIED), found);
        assert_eq!(looked_at("a.py", Some("import requests\n"), UNVERIFIED), found);
        assert_eq!(looked_at("a.py", Some(UNVERIFIED), &format!("# more\n{UNVERIFIED}")), []);
        let twice = format!("{UNVERIFIED}requests.get('https://a.example', verify=False)\n");
        assert_eq!(looked_at("a.py", Some(UNVERIFIED), &twice), found);
    }

    #[test]
    fn what_tests_do_is_no_interference_and_endangers_nobody_for_sure() {
        assert_eq!(
            looked_at("a.py", None, ALWAYS_EQUAL),
            [("interference-always-equal".to_owned(), Certainty::Certain)]
        );
        assert_eq!(looked_at("tests/test_a.py", None, ALWAYS_EQUAL), []);
        assert_eq!(
            looked_at("tests/test_a.py", None, UNVERIFIED),
            [("security-tls-unverified".to_owned(), Certainty::Likely)]
        );
    }
}
