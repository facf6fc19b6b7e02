//! `cargo clippy`: lints, where the project has them run.

use assize_core::finding::Severity;
use assize_core::path::file_name;
use assize_report::{ToolReport, ReportError, rustc_json};

use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, cargo, mentions};

/// Rust's linter.
pub struct CargoClippy;

impl Gate for CargoClippy {
    fn id(&self) -> &'static str {
        "cargo-clippy"
    }

    fn summary(&self) -> &'static str {
        "runs clippy on every target of a Cargo workspace"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Style]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["cargo clippy", "cargo-clippy", "clippy"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        because(project).map_or_else(Vec::new, |because| cargo::setups(project, &because))
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        cargo::command(setup, project, &["clippy", "--workspace", "--all-targets", "--message-format=json"])
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        cargo::is_there(output)?;
        let report = rustc_json::parse(&output.stdout)?;
        Ok(cargo::place(cargo::explain(report, output), setup, output))
    }

    fn fails_at(&self) -> Severity {
        Severity::Warning
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        &[0, 101]
    }
}

fn because(project: &Project) -> Option<String> {
    let file = project.files.iter().find(|path| matches!(file_name(path), "clippy.toml" | ".clippy.toml"));
    if let Some(path) = file {
        return Some(format!("there is a {path}"));
    }
    for (path, text) in project.manifests.iter().filter(|(path, _)| file_name(path) == "Cargo.toml") {
        let manifest: toml::Table = toml::from_str(text).unwrap_or_default();
        let lints = |table: Option<&toml::Value>| table.and_then(|table| table.get("lints")?.get("clippy")).is_some();
        let own = manifest.get("lints").and_then(|lints| lints.get("clippy")).is_some();
        if own || lints(manifest.get("workspace")) {
            return Some(format!("{path} sets lints of clippy"));
        }
    }
    mentions::mentioned(project, &["cargo clippy", "clippy"])
}

#[cfg(test)]
mod tests {
    use super::super::cargo::tests::project;
    use super::*;

    const PACKAGE: &str = "[package]\nname = \"p\"\n";

    #[test]
    fn it_is_used_where_it_is_spoken_of() {
        for (path, text, used) in [
            ("Cargo.toml", PACKAGE, false),
            ("Cargo.toml", "[package]\nname = \"p\"\n[lints.clippy]\nall = \"warn\"\n", true),
            ("Cargo.toml", "[workspace.lints.clippy]\nall = \"warn\"\n", true),
            ("Cargo.toml", "[package]\nname = \"p\"\n[lints.rust]\nunused = \"warn\"\n", false),
            (".github/workflows/ci.yml", "on: push\njobs:\n  a:\n    steps:\n      - run: cargo clippy -- -D warnings\n", true),
        ] {
            let project = project(&[("sub/Cargo.toml", PACKAGE), (path, text)], &[]);
            assert_eq!(!CargoClippy.detect(&project).is_empty(), used, "{path}: {text}");
        }
        assert!(!CargoClippy.detect(&project(&[("Cargo.toml", PACKAGE)], &["clippy.toml"])).is_empty());
        assert!(CargoClippy.detect(&project(&[], &["clippy.toml"])).is_empty());
    }
}
