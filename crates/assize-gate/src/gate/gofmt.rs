//! `gofmt -l`: is Go code formatted.
//!
//! Newer versions have rules for comments that older ones do not have. Where the module is of before that, what they say of
//! comments is not taken up.

use std::collections::BTreeMap;

use assize_core::finding::Severity;
use assize_report::{Diagnostic, ToolReport, ReportError, go_vet};
use assize_report::plain::plain;

use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, go};

/// The formatter that comes with Go.
pub struct Gofmt;

impl Gate for Gofmt {
    fn id(&self) -> &'static str {
        "gofmt"
    }

    fn summary(&self) -> &'static str {
        "checks that Go code is formatted as gofmt would"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Style]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["go fmt", "gofmt", "gofumpt"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        go::setups(project, go::is_code)
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let is_of_today = go::version(project, &setup.folder).is_some_and(|version| version >= COMMENTS_SINCE);
        go::command(setup, "gofmt", if is_of_today { &["-l", "."] } else { &["-l", "-d", "."] })
    }

    fn is_formatter(&self) -> bool {
        true
    }

    fn rewrite(&self, setup: &Setup, _project: &Project, files: &[&str]) -> Option<GateCommand> {
        go::command(setup, "gofmt", &["-w"]).on(files)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        // Files that are not formatted are listed on one stream, those that cannot be parsed complained of on the other.
        let mut report = go_vet::parse(&output.stderr)?;
        let printed = plain(&output.stdout)?;
        let (listed, differences) = read(&printed);
        let of_comments = |path: &str| {
            differences.get(path).is_some_and(|lines| lines.iter().all(|line| line.is_empty() || line.starts_with("//")))
        };
        for line in listed.into_iter().filter(|path| !of_comments(path)) {
            report.object(Diagnostic {
                code: "format".to_owned(),
                severity: Severity::Error,
                path: Some(line.replace('\\', "/")),
                line: None,
                message: "gofmt would write this file differently".to_owned(),
                offer: None,
            });
        }
        Ok(go::place(report, setup, output))
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        // 2: a file cannot be parsed.
        &[0, 1, 2]
    }

    fn explains_status(&self, output: &GateOutput) -> bool {
        // Newer versions have a status for differences.
        let differs = |printed: &str| read(printed).1.values().any(|lines| !lines.is_empty());
        output.status == Some(1) && output.stderr.is_empty() && plain(&output.stdout).is_ok_and(|it| differs(&it))
    }
}

/// The version of Go since which gofmt has a form for comments that are documentation. Since 1.17 it has one for those
/// that say where a file is built.
const COMMENTS_SINCE: (u32, u32) = (1, 19);

/// Reads which files are not formatted, and, where that was asked for, the lines that would go or come in each.
fn read(printed: &str) -> (Vec<&str>, BTreeMap<&str, Vec<&str>>) {
    let (mut listed, mut differences) = (Vec::<&str>::new(), BTreeMap::<&str, Vec<&str>>::new());
    let mut is_difference = false;
    for line in printed.lines() {
        match line.as_bytes().first() {
            Some(b'@' | b' ' | b'\\') if is_difference => {}
            // The head has two lines of these.
            Some(b'+' | b'-') if is_difference => {
                let is_head = line.starts_with("--- ") || line.starts_with("+++ ");
                if let Some(path) = listed.last().filter(|_| !is_head) {
                    differences.entry(*path).or_default().push(line[1..].trim());
                }
            }
            Some(_) if line.starts_with("diff ") => is_difference = true,
            _ if line.ends_with(".go") => {
                is_difference = false;
                listed.push(line);
            }
            _ => {}
        }
    }
    (listed, differences)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_of_comments_alone_are_those_of_newer_versions() {
        let project = |of: &str| Project {
            files: ["go.mod", "a.go"].map(str::to_owned).into(),
            manifests: [("go.mod".to_owned(), format!("module m\n\n{of}\n"))].into(),
            ..Project::default()
        };
        let setup = Setup { folder: String::new(), because: String::new(), detail: String::new() };
        let asks = |of: &str| Gofmt.command(&setup, &project(of)).arguments.contains(&"-d".to_owned());
        for (of, expected) in [("go 1.18", true), ("go 1.19", false), ("go 1.24.1 // now", false), ("", true)] {
            assert_eq!(asks(of), expected, "{of}");
        }
        let head = |path: &str| format!("{path}\ndiff {path}.orig {path}\n--- {path}.orig\n+++ {path}\n@@ -1,8 +1,9 @@\n");
        let comments = head("a.go") + "+//go:build linux\n // +build linux\n \n package a\n \n-//  * one\n+//   - one\n func A() {}\n";
        let code = head("b/b.go") + " package b\n-func  B( ) {}\n+\n+func B() {}\n";
        let found = |stdout: &str| {
            let output = GateOutput { stdout: stdout.into(), status: Some(1), ..GateOutput::default() };
            let report = Gofmt.parse(&setup, &output).unwrap();
            report.diagnostics.into_iter().filter_map(|it| it.path).collect::<Vec<_>>()
        };
        assert_eq!(found(&comments), Vec::<String>::new());
        assert_eq!(found(&(comments + &code)), ["b/b.go"]);
        assert_eq!(found("a.go\nb/b.go\n"), ["a.go", "b/b.go"]);
    }
}
