//! `cargo clippy`: lints, where the project has them run.

use assize_core::finding::Severity;
use assize_core::path::file_name;
use assize_ecosystem::pipeline::PipelineCommand;
use assize_report::{ToolReport, ReportError, rustc_json};

use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, cargo, mentions};

/// The detail of a setup: the maintainers call clippy so that warnings do not fail.
const LET_PASS: &str = "warnings pass";

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

    fn builds_in(&self) -> Option<&'static str> {
        Some("cargo")
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        let mut setups = because(project).map_or_else(Vec::new, |because| cargo::setups(project, &because));
        let passes = |setup: &&mut Setup| {
            project.pipeline.lets_rust_warnings_pass && !calls(project, &setup.folder).is_empty()
        };
        setups.iter_mut().filter(passes).for_each(|setup| setup.detail = LET_PASS.to_owned());
        setups
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let calls = calls(project, &setup.folder);
        let start = ["clippy", "--workspace", "--message-format=json", cargo::KEEP_GOING];
        let mut command = cargo::command(setup, project, &[&start[..], &targets(&calls)].concat());
        // What they let pass, whatever else they ask for.
        let allowed = calls.first().into_iter().flat_map(|call| call.words.iter().skip_while(|word| *word != "--").skip(1));
        let allowed: Vec<String> = allowed.filter(|word| word.starts_with("-A")).cloned().collect();
        if !allowed.is_empty() {
            command.arguments.push("--".to_owned());
            command.arguments.extend(allowed);
        }
        command
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        cargo::is_there(output)?;
        let report = rustc_json::parse(&output.stdout)?;
        Ok(cargo::place(cargo::explain(report, output), setup, output))
    }

    fn fails_at(&self, setup: &Setup) -> Severity {
        if setup.detail == LET_PASS { Severity::Error } else { Severity::Warning }
    }

    fn newer_options(&self) -> &'static [&'static str] {
        &[cargo::KEEP_GOING]
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        &[0, 101]
    }
}

/// The maintainers' calls of it in a folder.
fn calls<'p>(project: &'p Project, folder: &str) -> Vec<&'p PipelineCommand> {
    project.pipeline.calls(|command| command.folder == folder && command.begins_with("cargo clippy"))
}

/// The options for the targets that the maintainers have linted: all if they call it nowhere.
fn targets(calls: &[&PipelineCommand]) -> Vec<&'static str> {
    let named = |option: &str| calls.iter().any(|call| call.words.iter().any(|word| word == option));
    let options = ["--tests", "--examples", "--benches"];
    let is_bare = |call: &&PipelineCommand| !call.words.iter().any(|word| options.contains(&word.as_str()));
    let bare = calls.iter().copied().filter(is_bare).count();
    // One call alone would leave out what the others look at.
    let is_mixed = bare > 0 && bare < calls.len();
    if calls.is_empty() || named("--all-targets") || is_mixed {
        return vec!["--all-targets"];
    }
    options.into_iter().filter(|option| named(option)).collect()
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
    fn it_lints_what_the_maintainers_lint() {
        let arguments = |call: &str| {
            let workflow = format!("on: push\njobs:\n  a:\n    steps:\n      - run: {call}\n");
            let project = project(&[("Cargo.toml", PACKAGE), (".github/workflows/ci.yml", &workflow)], &[]);
            let setup = Setup { folder: String::new(), because: String::new(), detail: String::new() };
            CargoClippy.command(&setup, &project).arguments.join(" ")
        };
        let start = "clippy --workspace --message-format=json --keep-going";
        assert_eq!(arguments("ls"), format!("{start} --all-targets --offline"));
        assert_eq!(arguments("cargo clippy -- -D warnings"), format!("{start} --offline"));
        let more = "cargo clippy --all-features --tests -- -Aclippy::needless_return -Dwarnings";
        assert_eq!(
            arguments(more),
            format!("{start} --tests --all-features --offline -- -Aclippy::needless_return")
        );
        let twice = "cargo clippy --examples\n      - run: cargo clippy --tests";
        assert_eq!(arguments(twice), format!("{start} --tests --examples --offline"));
        assert_eq!(arguments("cargo clippy --tests --all-targets"), format!("{start} --all-targets --offline"));
        let bare_as_well = "cargo clippy\n      - run: cargo clippy --tests";
        assert_eq!(arguments(bare_as_well), format!("{start} --all-targets --offline"), "the bare one lints what they leave out");
    }

    #[test]
    fn warnings_count_unless_the_maintainers_let_them_pass() {
        let fails_at = |files: &[(&str, &str)]| {
            let project = project(&[&[("Cargo.toml", PACKAGE), ("clippy.toml", "")], files].concat(), &["clippy.toml"]);
            CargoClippy.fails_at(&CargoClippy.detect(&project)[0])
        };
        let workflow = |variables: &str, call: &str| {
            format!("on: push\nenv:\n  A: b\n{variables}jobs:\n  a:\n    steps:\n      - run: {call}\n")
        };
        let path = ".github/workflows/ci.yml";
        assert_eq!(fails_at(&[]), Severity::Warning);
        assert_eq!(fails_at(&[(path, &workflow("", "cargo test"))]), Severity::Warning);
        assert_eq!(fails_at(&[(path, &workflow("", "cargo clippy --tests"))]), Severity::Error);
        let of_rustdoc = ["  RUSTDOCFLAGS: -Dwarnings\n", "  RUSTDOCFLAGS: \"-D warnings\"\n"];
        for variables in of_rustdoc {
            assert_eq!(fails_at(&[(path, &workflow(variables, "cargo clippy"))]), Severity::Error, "{variables}");
        }
        let in_a_call = "RUSTDOCFLAGS='-D warnings' cargo doc\n      - run: cargo clippy";
        assert_eq!(fails_at(&[(path, &workflow("", in_a_call))]), Severity::Error);
        for (variables, call) in [
            ("", "cargo clippy -- -D warnings"),
            ("", "cargo clippy -- -Dclippy::all"),
            ("", "cargo clippy -- --deny=warnings"),
            ("  RUSTDOCFLAGS: a\n", "RUSTDOCFLAGS=b cargo clippy -- -D warnings"),
            ("  RUSTDOCFLAGS: -Dwarnings\n  RUSTFLAGS: -Dwarnings\n", "cargo clippy"),
            ("  RUSTFLAGS: -Dwarnings\n", "cargo clippy"),
            ("  RUSTFLAGS: \"--cfg a -D warnings\"\n", "cargo clippy"),
            ("  CARGO_BUILD_WARNINGS: deny\n", "cargo clippy"),
            ("", "cargo clippy\n      - uses: actions-rust-lang/setup-rust-toolchain@v1"),
        ] {
            assert_eq!(fails_at(&[(path, &workflow(variables, call))]), Severity::Warning, "{variables}{call}");
        }
        // A change does not let its own warnings pass.
        let base = project(&[("Cargo.toml", PACKAGE), ("clippy.toml", "")], &["clippy.toml"]);
        let mut change = project(&[("Cargo.toml", PACKAGE), (path, &workflow("", "cargo clippy"))], &["clippy.toml"]);
        change.pipeline = change.pipeline.after(&base.pipeline);
        assert_eq!(CargoClippy.fails_at(&CargoClippy.detect(&change)[0]), Severity::Warning);
        let config = "[build]\nrustflags = [\"-D\", \"warnings\"]\n";
        assert_eq!(fails_at(&[(path, &workflow("", "cargo clippy")), (".cargo/config.toml", config)]), Severity::Warning);
    }

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
