//! Which tools check code or run tests, and where they are told how.
//!
//! A linter that is told less objects to less. So what tools are told comes from the base, and a change that adds a file
//! for one must not overrule what the base says elsewhere: see [`overrules`]. It must not know how a tool is called.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::path::file_name;

use super::{find, sections};
use assize_ecosystem::is_setting;

/// A linter, formatter, type checker or runner of tests.
pub(super) struct CheckTool {
    /// What people call it.
    pub name: &'static str,
    /// Files that tell it what to do. A star at the end stands for any ending.
    files: &'static [&'static str],
    /// Settings of manifests that do so.
    tables: &'static [(&'static str, &'static [&'static str])],
    /// Sections of `setup.cfg` and `tox.ini` that do so.
    pub sections: &'static [&'static str],
    /// The manifest of those projects that use it without a word.
    unasked: Option<&'static str>,
}

const fn tool(
    name: &'static str,
    files: &'static [&'static str],
    tables: &'static [(&'static str, &'static [&'static str])],
) -> CheckTool {
    CheckTool { name, files, tables, sections: &[], unasked: None }
}

const NODE: &str = "package.json";
const PYTHON: &str = "pyproject.toml";
const RUST: &str = "Cargo.toml";

/// What lints, formats, or checks types.
static CHECKERS: [CheckTool; 14] = [
    tool("ruff", &["ruff.toml", ".ruff.toml"], &[(PYTHON, &["tool", "ruff"])]),
    CheckTool { sections: &["mypy"], ..tool("mypy", &["mypy.ini", ".mypy.ini"], &[(PYTHON, &["tool", "mypy"])]) },
    tool("pyright", &["pyrightconfig.json"], &[(PYTHON, &["tool", "pyright"]), (PYTHON, &["tool", "basedpyright"])]),
    tool("black", &[], &[(PYTHON, &["tool", "black"])]),
    CheckTool { sections: &["flake8"], ..tool("flake8", &[".flake8"], &[(PYTHON, &["tool", "flake8"])]) },
    CheckTool { sections: &["pylint"], ..tool("pylint", &[".pylintrc", "pylintrc"], &[(PYTHON, &["tool", "pylint"])]) },
    CheckTool { unasked: Some(RUST), ..tool("rustfmt", &["rustfmt.toml", ".rustfmt.toml"], &[]) },
    CheckTool {
        unasked: Some(RUST),
        ..tool("clippy", &["clippy.toml", ".clippy.toml"], &[(RUST, &["lints"]), (RUST, &["workspace", "lints"])])
    },
    tool("biome", &["biome.json", "biome.jsonc"], &[]),
    tool("eslint", &[".eslintrc*", "eslint.config.*", ".eslintignore"], &[(NODE, &["eslintConfig"]), (NODE, &["xo"])]),
    tool(
        "prettier",
        &[".prettierrc*", "prettier.config.*", ".prettierignore", ".editorconfig"],
        &[(NODE, &["prettier"])],
    ),
    tool("golangci-lint", &[".golangci.yml", ".golangci.yaml"], &[]),
    tool("cargo-deny", &["deny.toml"], &[]),
    tool("checkstyle", &["checkstyle.xml"], &[]),
];

/// What runs tests, as far as a specification may name it to have its settings changed.
static RUNNERS: [CheckTool; 6] = [
    CheckTool {
        sections: &["tool:pytest", "pytest"],
        ..tool("pytest", &["pytest.ini", ".pytest.ini"], &[(PYTHON, &["tool", "pytest"])])
    },
    CheckTool {
        sections: &["coverage:run", "coverage:report"],
        ..tool("coverage", &[".coveragerc"], &[(PYTHON, &["tool", "coverage"]), (NODE, &["c8"]), (NODE, &["nyc"])])
    },
    tool("jest", &["jest.config.*", "jest.setup.*"], &[(NODE, &["jest"])]),
    tool("vitest", &["vitest.*"], &[(NODE, &["vitest"])]),
    tool("mocha", &[".mocharc*"], &[(NODE, &["mocha"])]),
    tool("ava", &["ava.config.*"], &[(NODE, &["ava"])]),
];

/// All tools that are known.
pub(super) fn tools() -> impl Iterator<Item = &'static CheckTool> {
    CHECKERS.iter().chain(&RUNNERS)
}

/// Finds a runner of tests by its name.
pub(super) fn is_runner(name: &str) -> bool {
    RUNNERS.iter().any(|tool| tool.name == name)
}

/// Returns whether a file tells a linter, formatter or type checker what to object to.
pub fn is_check_configuration(path: &str) -> bool {
    CHECKERS.iter().any(|tool| tool.has_file(path))
}

/// The settings of a manifest that tell tools what to do.
pub(super) fn tables(manifest: &str) -> impl Iterator<Item = &'static [&'static str]> {
    let manifest = file_name(manifest).to_owned();
    tools().flat_map(|tool| tool.tables).filter(move |(name, _)| *name == manifest).map(|(_, table)| *table)
}

/// Returns whether a file of checks that a change adds would overrule the base, so that nothing may run with it.
///
/// It does where the base configures the same tool, in the same folder or above: by another file, or by a table of a
/// manifest. It does as well where the base uses the tool as it comes: a manifest or a pipeline names it, or projects of that kind
/// use it without a word (`rustfmt` and `clippy`). Then the change would loosen what the base has chosen to be judged by. A manifest whose
/// text is not known counts as one that does both.
///
/// What is left is the first configuration of a tool that the base does not know. It stays: there is nothing that it could
/// loosen. So does every `tsconfig.json`, since the compiler reads the one that it is told to read.
pub(super) fn overrules(path: &str, base_files: &BTreeSet<String>, settings: &BTreeMap<String, String>) -> bool {
    let above = |other: &&String| {
        let folder = other.strip_suffix(file_name(other)).unwrap_or_default();
        path.starts_with(folder)
    };
    let unknown = base_files.iter().any(|other| is_setting(other) && !settings.contains_key(other));
    CHECKERS.iter().filter(|tool| tool.has_file(path)).any(|tool| {
        unknown
            || base_files.iter().any(|other| tool.unasked == Some(file_name(other)))
            || base_files.iter().filter(above).any(|other| tool.is_configured(other, settings))
            || settings.iter().any(|(_, text)| names(text, tool.name))
    })
}

/// Returns whether a text names a tool, other than in a comment.
fn names(text: &str, tool: &str) -> bool {
    let edge = |character: Option<char>| character.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    text.lines().filter(|line| !line.trim_start().starts_with('#')).any(|line| {
        let mut found = line.match_indices(tool);
        found.any(|(at, _)| edge(line[..at].chars().next_back()) && edge(line[at + tool.len()..].chars().next()))
    })
}

impl CheckTool {
    /// Returns whether a file is there for this tool alone.
    fn has_file(&self, path: &str) -> bool {
        let name = file_name(path);
        self.files.iter().any(|file| file.strip_suffix('*').map_or(*file == name, |start| name.starts_with(start)))
    }

    /// Returns whether a file may tell this tool what to do.
    pub fn may_read(&self, path: &str) -> bool {
        let name = file_name(path);
        self.has_file(path)
            || self.tables.iter().any(|(manifest, _)| *manifest == name)
            || !self.sections.is_empty() && matches!(name, "setup.cfg" | "tox.ini")
    }

    /// Returns whether a file of the base tells this tool what to do.
    fn is_configured(&self, path: &str, settings: &BTreeMap<String, String>) -> bool {
        let name = file_name(path);
        if self.has_file(path) {
            return true;
        }
        let Some(text) = settings.get(path).filter(|_| self.may_read(path)) else { return false };
        let mut own = self.tables.iter().filter(|(manifest, _)| *manifest == name).map(|(_, table)| *table);
        match name {
            NODE => serde_json::from_str(text).map_or(true, |manifest: serde_json::Value| {
                own.any(|table| table.iter().try_fold(&manifest, |value, key| value.get(key)).is_some())
            }),
            PYTHON | RUST => toml::from_str(text)
                .map_or(true, |manifest: toml::Table| own.any(|table| find(&manifest, table).is_some())),
            _ => sections(text).iter().any(|(section, _)| {
                self.sections.iter().any(|own| section == own || section.starts_with(&format!("{own}-")))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that is added, the base's files with what they say, and whether the new one goes.
    type OverruleCase = (&'static str, &'static [(&'static str, &'static str)], bool);

    #[test]
    fn an_added_configuration_must_not_overrule_the_base() {
        let rows: [OverruleCase; 32] = [
            // The same tool, configured elsewhere.
            ("ruff.toml", &[("pyproject.toml", "[tool.ruff]\nline-length = 100\n")], true),
            (".ruff.toml", &[("pyproject.toml", "[tool.ruff.lint]\nselect = ['E']\n")], true),
            (".ruff.toml", &[("ruff.toml", "")], true),
            ("spans/ruff.toml", &[("pyproject.toml", "[tool.ruff]\n")], true),
            ("a/b/.ruff.toml", &[("a/ruff.toml", "")], true),
            ("mypy.ini", &[("pyproject.toml", "[tool.mypy]\nstrict = true\n")], true),
            ("mypy.ini", &[("setup.cfg", "[metadata]\n[mypy]\nstrict = true\n")], true),
            (".mypy.ini", &[("setup.cfg", "[mypy-spans.*]\nstrict = true\n")], true),
            (".flake8", &[("tox.ini", "[flake8]\n")], true),
            ("pyrightconfig.json", &[("pyproject.toml", "[tool.basedpyright]\n")], true),
            (".eslintrc.json", &[("eslint.config.mjs", "")], true),
            ("lib/.eslintrc", &[("package.json", r#"{"eslintConfig":{}}"#)], true),
            (".eslintignore", &[(".eslintrc.cjs", "")], true),
            (".prettierrc", &[("package.json", r#"{"prettier":{}}"#)], true),
            (".editorconfig", &[(".prettierrc", "")], true),
            ("biome.jsonc", &[("biome.json", "{}")], true),
            ("clippy.toml", &[("Cargo.toml", "[lints.clippy]\n")], true),
            (".golangci.yaml", &[(".golangci.yml", "")], true),
            // Used as it comes.
            ("rustfmt.toml", &[("tools/Cargo.toml", "[package]\n")], true),
            ("crates/a/clippy.toml", &[("Cargo.toml", "[workspace]\n")], true),
            (".prettierignore", &[("package.json", r#"{"scripts":{"lint":"prettier --check ."}}"#)], true),
            ("ruff.toml", &[("pyproject.toml", "[dependency-groups]\ndev = ['ruff>=0.9']\n")], true),
            ("mypy.ini", &[(".github/workflows/ci.yml", "    - run: mypy spans\n")], true),
            // Nobody can say.
            ("ruff.toml", &[("pyproject.toml", "?")], true),
            ("ruff.toml", &[("pyproject.toml", "[tool.ruff")], true),
            // The first one of a tool that the base does not know.
            ("ruff.toml", &[("pyproject.toml", "[project]\nname = 'truffle'\n[tool.mypy]\n")], false),
            ("mypy.ini", &[("setup.cfg", "[flake8]\n"), (".github/workflows/ci.yml", "# - run: mypy\n")], false),
            (".eslintrc.json", &[("package.json", r#"{"name":"a"}"#), ("biome.json", "{}")], false),
            // Only below it, or beside it.
            ("ruff.toml", &[("kit/ruff.toml", "")], false),
            ("a/ruff.toml", &[("ab/ruff.toml", "")], false),
            // The compiler reads the one that it is told to read; code is no configuration.
            ("src/tsconfig.json", &[("tsconfig.json", "{}")], false),
            ("src/ruff.py", &[("ruff.toml", "")], false),
        ];
        for (path, base, expected) in rows {
            let files = base.iter().map(|(path, _)| (*path).to_owned()).collect();
            let known = base.iter().filter(|(_, text)| *text != "?");
            let settings = known.map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
            assert_eq!(overrules(path, &files, &settings), expected, "{path} beside {base:?}");
        }
    }
}
