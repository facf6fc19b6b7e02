//! Which formatter a project has: what the brief says, and what the gates run, with the real program.

use std::path::Path;

use assize_testkit::change;
use assize_testkit::repo::Repo;
use serde_json::Value;

/// The gates that run a formatter, and what people call it.
const GATES: [(&str, &str); 7] = [
    ("biome", "biome"),
    ("black", "black"),
    ("cargo-fmt", "rustfmt"),
    ("gofmt", "gofmt"),
    ("oxfmt", "oxfmt"),
    ("prettier", "prettier"),
    ("ruff-format", "ruff format"),
];

fn told(repo: &Repo, arguments: &[&str]) -> Value {
    let output = change::command(Path::new(env!("CARGO_BIN_EXE_assize")), repo, &[], arguments).output();
    let output = output.expect("the program runs");
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// The formatters that the brief names, and those that gates run, each with a comma between.
fn formatters(files: &[(&str, &str)]) -> (String, String) {
    let repo = Repo::with_commit(files);
    let brief = told(&repo, &["brief", "--no-cache", "--format", "json"]);
    let tools = brief["capabilities"]["tools"].as_array().expect("tools");
    let named = tools.iter().filter(|tool| tool["kind"] == "formatter").filter_map(|tool| tool["id"].as_str());
    let gates = told(&repo, &["gates", "--list", "--format", "json"]);
    let used = gates["used"].as_array().expect("gates");
    let is_used = |id: &str| used.iter().any(|gate| gate["id"] == id);
    let run = GATES.iter().filter(|(id, _)| is_used(id)).map(|(_, name)| *name);
    (named.collect::<Vec<_>>().join(", "), run.collect::<Vec<_>>().join(", "))
}

const HOOK: &str = "repos:\n- repo: https://github.com/psf/black\n  rev: 24.1.0\n  hooks:\n  - id: black\n";
const RUFF_HOOK: &str =
    "repos:\n- repo: https://github.com/astral-sh/ruff-pre-commit\n  rev: v0.9.1\n  hooks:\n  - id: ruff-format\n";
const CHECKING: &str =
    "{\"devDependencies\": {\"prettier\": \"3\"}, \"scripts\": {\"lint\": \"prettier --check .\"}}\n";
const PYTHON: &str = "[project]\nname = \"shop\"\nversion = \"1\"\n";

#[test]
fn gates_run_the_formatter_that_the_brief_names() {
    let python = |settings: &str| format!("{PYTHON}{settings}");
    let (black, ruff, linted) = (
        python("\n[tool.black]\nline-length = 100\n"),
        python("\n[tool.ruff.format]\nquote-style = \"double\"\n"),
        python("\n[tool.ruff]\nline-length = 100\n"),
    );
    let both = format!("{ruff}\n[tool.black]\n");
    let beside = format!("{ruff}\n[dependency-groups]\ndev = [\"black\"]\n");
    for (files, expected) in [
        (&[("pyproject.toml", PYTHON), ("a.py", "a = 1\n")][..], ""),
        (&[("pyproject.toml", &black), ("a.py", "a = 1\n")], "black"),
        (&[("pyproject.toml", &ruff), ("a.py", "a = 1\n")], "ruff format"),
        // A linter is no formatter, though its program can format.
        (&[("pyproject.toml", &linted), ("a.py", "a = 1\n")], ""),
        (&[("pyproject.toml", &both), ("a.py", "a = 1\n")], "black, ruff format"),
        // A formatter among the dependencies, beside one that is configured; one that hooks call.
        (&[("pyproject.toml", &beside), ("a.py", "a = 1\n")], "ruff format"),
        (&[("pyproject.toml", PYTHON), (".pre-commit-config.yaml", HOOK), ("a.py", "a = 1\n")], "black"),
        (&[("pyproject.toml", PYTHON), (".pre-commit-config.yaml", RUFF_HOOK), ("a.py", "a = 1\n")], "ruff format"),
        (&[("pyproject.toml", PYTHON), ("ruff.toml", "[format]\n"), ("a.py", "a = 1\n")], "ruff format"),
        (&[("package.json", CHECKING), ("a.js", "1;\n")], "prettier"),
        (&[("package.json", "{}\n"), (".prettierrc", "{}\n"), ("a.js", "1;\n")], "prettier"),
        (&[("package.json", "{\"prettier\": {}}\n"), ("a.js", "1;\n")], "prettier"),
        (&[("package.json", "{}\n"), ("biome.json", "{}\n"), ("a.js", "1;\n")], "biome"),
        (&[("go.mod", "module shop\n\ngo 1.21\n"), ("a.go", "package shop\n")], "gofmt"),
        (
            &[
                ("Cargo.toml", "[package]\nname = \"shop\"\nversion = \"1.0.0\"\n"),
                ("rustfmt.toml", "max_width = 100\n"),
                ("src/lib.rs", ""),
            ],
            "rustfmt",
        ),
    ] {
        assert_eq!(formatters(files), (expected.to_owned(), expected.to_owned()), "{files:?}");
    }
}

#[test]
fn the_brief_knows_oxfmt_by_its_settings_and_as_a_dependency() {
    let manifest = "{\"devDependencies\": {\"oxfmt\": \"1\"}}\n";
    for (files, gate) in [
        (&[("package.json", "{}\n"), (".oxfmtrc.json", "{}\n"), ("a.js", "1;\n")][..], "oxfmt"),
        (&[("package.json", "{}\n"), (".oxfmtrc.jsonc", "{}\n"), ("a.js", "1;\n")], "oxfmt"),
        (&[("package.json", manifest), ("a.js", "1;\n")], ""),
    ] {
        assert_eq!(formatters(files), ("oxfmt".to_owned(), gate.to_owned()), "{files:?}");
    }
}
