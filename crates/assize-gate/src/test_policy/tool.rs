//! Where the tools that check code or run tests are told how.
//!
//! A linter that is told less objects to less. So what tools are told comes from the base, and a change that adds a file
//! for one must not overrule what the base says elsewhere: see [`overrules`]. It must not know how a tool is called.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::path::{file_name, parent};
use assize_ecosystem::tool::{Sign, Tool, ToolKind};
use assize_ecosystem::{calls_tools, of_manifest, tools};

use super::{find, sections};

/// The tools by whose settings a change is judged: linters, formatters, type checkers, runners of tests, measures of coverage.
pub(super) fn guarded_tools() -> impl Iterator<Item = &'static Tool> {
    tools().filter(|tool| is_judged_by(tool)).filter(|tool| has_settings(tool))
}

fn is_judged_by(tool: &Tool) -> bool {
    tool.is_checker() || tool.is_runner() || tool.kinds.contains(&ToolKind::Coverage)
}

fn has_settings(tool: &Tool) -> bool {
    let tells = |sign: &Sign| matches!(sign, Sign::Setting(_) | Sign::AlsoReads(_) | Sign::Key(..) | Sign::Section(_));
    tool.signs.iter().any(tells)
}

/// Returns whether a name is that of a runner of tests.
pub(super) fn is_runner(name: &str) -> bool {
    guarded_tools().any(|tool| tool.id == name && tool.is_runner())
}

/// The settings of a manifest that tell tools what to do.
pub(super) fn tables(manifest: &str) -> impl Iterator<Item = &'static [&'static str]> {
    keys_in(manifest, guarded_tools())
}

/// The settings of a manifest that tell runners of tests what to do.
pub(super) fn runner_tables(manifest: &str) -> impl Iterator<Item = &'static [&'static str]> {
    keys_in(manifest, guarded_tools().filter(|tool| tool.is_runner()))
}

pub(super) fn keys_in(
    manifest: &str,
    tools: impl Iterator<Item = &'static Tool>,
) -> impl Iterator<Item = &'static [&'static str]> {
    let name = file_name(manifest).to_owned();
    tools.flat_map(Tool::keys).filter(move |(manifest, _)| *manifest == name).map(|(_, keys)| keys)
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
    let is_unknown = |tool: &Tool, other: &String| {
        let may_tell =
            tool.may_read(other) || calls_tools(other) || of_manifest(other).is_some_and(|(_, is_lock)| !is_lock);
        may_tell && !settings.contains_key(other)
    };
    guarded_tools().filter(|tool| tool.is_checker() && tool.has_file(path)).any(|tool| {
        base_files.iter().any(|other| is_unknown(tool, other) || tool.is_unasked(other))
            || base_files.iter().filter(above).any(|other| is_configured(tool, other, settings))
            || settings.iter().any(|(_, text)| names(text, tool.id))
    })
}

/// Returns the tools that a manifest which a change adds may tell something, and that the base tells something in another file
/// of that folder: some read one file alone, and the new one may come first.
pub(super) fn told_beside(
    path: &str,
    base_files: &BTreeSet<String>,
    settings: &BTreeMap<String, String>,
) -> BTreeSet<&'static str> {
    let beside = |other: &&String| parent(other) == parent(path);
    let may_tell = |tool: &&Tool| tool.may_read(path) && !tool.has_file(path);
    let told = |tool: &&Tool| base_files.iter().filter(beside).any(|other| is_configured(tool, other, settings));
    guarded_tools().filter(may_tell).filter(told).map(|tool| tool.id).collect()
}

/// Returns whether a text names a tool, other than in a comment.
fn names(text: &str, tool: &str) -> bool {
    let edge = |character: Option<char>| character.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    text.lines().filter(|line| !line.trim_start().starts_with('#')).any(|line| {
        let mut found = line.match_indices(tool);
        found.any(|(at, _)| edge(line[..at].chars().next_back()) && edge(line[at + tool.len()..].chars().next()))
    })
}

/// Returns whether a file of the base tells a tool what to do.
fn is_configured(tool: &Tool, path: &str, settings: &BTreeMap<String, String>) -> bool {
    let name = file_name(path);
    if tool.has_file(path) {
        return true;
    }
    let Some(text) = settings.get(path).filter(|_| tool.may_read(path)) else { return false };
    let mut own = tool.keys().filter(|(manifest, _)| *manifest == name).map(|(_, table)| table);
    if name.ends_with(".json") {
        serde_json::from_str(text).map_or(true, |manifest: serde_json::Value| {
            own.any(|table| table.iter().try_fold(&manifest, |value, key| value.get(key)).is_some())
        })
    } else if name.ends_with(".toml") {
        toml::from_str(text).map_or(true, |manifest: toml::Table| own.any(|table| find(&manifest, table).is_some()))
    } else {
        sections(text)
            .iter()
            .any(|(section, _)| tool.sections().any(|own| *section == own || section.starts_with(&format!("{own}-"))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_of_other_tools_says_nothing_of_this_one() {
        for (base, expected) in [
            (&["phpstan-baseline.neon"][..], false),
            (&[".clang-format"], false),
            (&["pyproject.toml"], true),
            (&["Makefile"], true),
        ] {
            let files = base.iter().map(|path| (*path).to_owned()).collect();
            assert_eq!(overrules("ruff.toml", &files, &BTreeMap::new()), expected, "{base:?}");
        }
        let xo = BTreeMap::from([("package.json".to_owned(), r#"{"xo":{}}"#.to_owned())]);
        assert!(overrules(".eslintrc.json", &xo.keys().cloned().collect(), &xo));
    }

    #[test]
    fn a_new_manifest_must_not_tell_what_the_base_tells_beside_it() {
        for (path, base, expected) in [
            ("pyproject.toml", ("setup.cfg", "[tool:pytest]\nfilterwarnings = error\n"), &["pytest"][..]),
            ("tox.ini", ("setup.cfg", "[tool:pytest]\nfilterwarnings = error\n"), &["pytest"]),
            ("pyproject.toml", ("setup.cfg", "[mypy]\nstrict = true\n[flake8]\n"), &["flake8", "mypy"]),
            ("pyproject.toml", ("pytest.ini", ""), &["pytest"]),
            ("pyproject.toml", ("setup.cfg", "[metadata]\nname = a\n"), &[]),
            ("kit/pyproject.toml", ("setup.cfg", "[mypy]\n"), &[]),
            ("src/a.py", ("setup.cfg", "[mypy]\n"), &[]),
        ] {
            let settings = BTreeMap::from([(base.0.to_owned(), base.1.to_owned())]);
            let files = settings.keys().cloned().collect();
            let tools: Vec<&str> = told_beside(path, &files, &settings).into_iter().collect();
            assert_eq!(tools, expected, "{path} beside {base:?}");
        }
    }

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
            // The base's file cannot be parsed.
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
