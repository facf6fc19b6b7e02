//! A changed file no longer parses.

use assize_core::diff::FileChange;
use assize_core::finding::{Certainty, Severity};
use assize_ecosystem::{is_generated, is_test_input};
use assize_core::path::parent;
use assize_core::text::quote;

use super::{Findings, Needs, Rule};
use crate::evidence::Evidence;

/// See the module.
pub struct SyntaxError;

impl Rule for SyntaxError {
    fn id(&self) -> &'static str {
        "syntax-error"
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(diff) = evidence.diff.get() else { return };
        for file in diff.files.iter().filter(|file| !is_generated(&file.path)) {
            // One slip makes a parser stumble many times; the first place is the one to look at.
            let Some(error) = file.syntax_errors.first() else { continue };
            let message =
                format!("The file does not parse, from {} on. Correct its syntax.", quote(error.text.inspect()));
            findings.at(file, Some(error.line), Severity::Error, certainty(file), message);
        }
    }
}

fn certainty(file: &FileChange) -> Certainty {
    // What lies in a folder of data is read by something, not run.
    let is_data = parent(&file.path).split('/').any(|folder| matches!(folder, "data" | "samples" | "corpus" | "golden"));
    if is_data || is_test_input(&file.path) || is_template(file) { Certainty::Likely } else { Certainty::Certain }
}

/// A template in the clothes of the language that it generates is not meant to parse.
fn is_template(file: &FileChange) -> bool {
    let in_folder = file.path.split('/').any(|part| {
        let part = part.to_ascii_lowercase();
        part.contains("template") || part.contains("cookiecutter") || part.contains("{{") || part.contains("scaffold")
    });
    in_folder
        || file.added_lines().any(|(_, line)| line.contains("{%") || line.contains("<%") || line.contains("@flow"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_core::diff::{FileStatus, NewSyntaxError};
    use crate::rule::testing::{found, grades, modified, with_files};
    use assize_core::text::Untrusted;

    fn broken(path: &str, lines: &str) -> FileChange {
        let mut file = modified(path, lines);
        for line in [3, 9] {
            file.syntax_errors.push(NewSyntaxError { line, text: Untrusted::new("fn main( {") });
        }
        file
    }

    fn check(file: FileChange) -> Vec<Certainty> {
        grades(&SyntaxError, &with_files(vec![file]))
    }

    #[test]
    fn a_syntax_error_is_certain_and_told_once_a_file() {
        for path in ["src/a.rs", "src/a.py", "src/a.ts", "src/a.tsx", "cmd/a.go", "src/A.java", "tests/a.rs"] {
            assert_eq!(check(broken(path, "+x")), [Certainty::Certain], "{path}");
        }
        let finding = &found(&SyntaxError, &with_files(vec![broken("a.rs", "")]))[0];
        assert_eq!(finding.place().as_deref(), Some("a.rs:3"));
        assert!(!finding.message.contains('3'), "{}", finding.message);
    }

    #[test]
    fn files_that_may_be_broken_on_purpose_are_likely() {
        for (path, lines) in [
            ("tests/fixtures/bad.py", "+x"),
            ("parser/testdata/broken.go", "+x"),
            ("templates/main.rs", "+x"),
            ("project_template/setup.py", "+x"),
            ("src/page.js", "+<% if (x) { %>"),
            ("gen/{{name}}/main.py", "+x"),
            ("src/typed.js", "+// @flow"),
        ] {
            assert_eq!(check(broken(path, lines)), [Certainty::Likely], "{path}");
        }
        let unknown = FileChange { old_known: false, ..broken("src/a.rs", "+x") };
        assert_eq!(check(unknown), [Certainty::Likely]);
    }

    #[test]
    fn counter_examples() {
        for path in [
            "vendor/a.go",
            "dist/a.js",
            "node_modules/a/b.js",
            "third_party/x.py",
            "src/__generated__/a.ts",
            "a_pb2.py",
            "a.min.js",
            "api.pb.go",
        ] {
            assert_eq!(check(broken(path, "+x")), [], "{path}");
        }
        assert_eq!(check(modified("src/a.rs", "+fn main( {")), []);
        assert_eq!(check(FileChange::new("src/a.rs", FileStatus::Deleted)), []);
    }
}
