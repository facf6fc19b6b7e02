//! The version of Node that a project is made for, where another one is installed.
//!
//! A project says it in a file for version managers, in its pipeline, or in its manifest. It names several: each is one
//! that its maintainers run it with. This module must not know which versions there are.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use assize_core::path::is_ci;
use regex::Regex;
use serde_json::Value;

use crate::document::{at, node_manifest, text, yaml};

/// Files of version managers that hold nothing but a version.
const VERSION_FILES: [&str; 2] = [".nvmrc", ".node-version"];
/// Keys of pipelines with versions of Node, in small letters, without hyphens and underscores.
const KEYS: [&str; 6] = ["node", "nodejs", "nodejsversion", "nodejsversions", "nodeversion", "nodeversions"];
/// Names of the newest version with long support, and of the newest one, which does as well.
const NEWEST: [&str; 8] = ["lts/*", "lts", "lts/latest", "latest", "current", "node", "stable", "lts/krypton"];
/// That version since October 2025; it is supported until April 2028.
const NEWEST_LTS: u32 = 24;
/// Package managers, from a major version on, with the version of Node that they need.
const MANAGERS: [(&str, u32, (u32, u32)); 2] = [("pnpm@", 11, (22, 13)), ("npm@", 12, (22, 0))];
/// The oldest and the newest major version that is taken for one.
const MAJORS: std::ops::RangeInclusive<u32> = 4..=99;
/// The most levels of a pipeline that are looked through.
const DEPTH_MAX: usize = 24;

/// A version of Node that a project names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedNode {
    /// Its major version.
    pub major: u32,
    /// The file that names it.
    pub source: String,
    /// Whether the project names versions, and the installed one is none of them.
    pub replaces_installed: bool,
}

/// Returns another version of Node to run a project with than the installed one, such as `v20.11.1`, if it names any: the
/// next newer one, or else the next older one. If the installed one is among several, the older one comes first.
pub fn named_node(
    files: &BTreeSet<String>,
    text_of: &dyn Fn(&str) -> Option<String>,
    installed: &str,
) -> Option<NamedNode> {
    let installed = versions(installed).next()?;
    let manifest = text_of("package.json").and_then(|text| node_manifest(&text)).unwrap_or_default();
    let mut named: Vec<(u32, String)> = Vec::new();
    for file in VERSION_FILES {
        named.extend(
            text_of(file).as_deref().and_then(|text| majors(text).next()).map(|major| (major, file.to_owned())),
        );
    }
    for way in [&["volta", "node"][..], &["devEngines", "runtime", "version"]] {
        named.extend(majors(text(&manifest, way)).take(1).map(|major| (major, "package.json".to_owned())));
    }
    if named.is_empty() {
        for path in files.iter().filter(|path| is_ci(path)) {
            let Some(pipeline) = text_of(path).and_then(|text| yaml(&text)) else { continue };
            let mut found = BTreeSet::new();
            collect(&pipeline, DEPTH_MAX, &mut found);
            named.extend(found.into_iter().map(|major| (major, path.clone())));
        }
    }
    let needed = needed_by_manager(text(&manifest, &["packageManager"])).filter(|needed| installed < *needed);
    if let Some((major, _)) = needed {
        let fitting = named.iter().filter(|(named, _)| *named >= major).min().cloned();
        let (major, source) = fitting.unwrap_or((major, "package.json".to_owned()));
        return Some(NamedNode { major, source, replaces_installed: true });
    }
    if !named.is_empty() {
        let is_installed = named.iter().any(|(major, _)| *major == installed.0);
        let newer = named.iter().filter(|(major, _)| *major > installed.0).min();
        let older = named.iter().filter(|(major, _)| *major < installed.0).max();
        let chosen = if is_installed { older.or(newer) } else { newer.or(older) };
        return chosen.map(|(major, source)| NamedNode {
            major: *major,
            source: source.clone(),
            replaces_installed: !is_installed,
        });
    }
    let engines = at(&manifest, &["engines", "node"])?.as_str()?;
    let major = unless_satisfied(engines, installed)?;
    Some(NamedNode { major, source: "package.json".to_owned(), replaces_installed: true })
}

/// The version of Node that a package manager needs, such as `pnpm@11.2.0`.
fn needed_by_manager(manager: &str) -> Option<(u32, u32)> {
    let of = |(name, from, needed): &(&str, u32, (u32, u32))| {
        let major: u32 = manager.strip_prefix(name)?.split(['.', '+']).next()?.parse().ok()?;
        (major >= *from).then_some(*needed)
    };
    MANAGERS.iter().find_map(of)
}

/// Finds the majors below the keys that hold versions of Node.
fn collect(value: &Value, depth: usize, found: &mut BTreeSet<u32>) {
    if depth == 0 {
        return;
    }
    match value {
        Value::Object(entries) => {
            for (key, value) in entries {
                let key: String = key.chars().filter(|c| !matches!(c, '-' | '_')).collect::<String>().to_lowercase();
                if KEYS.contains(&&*key) {
                    scalars(value, found);
                }
                collect(value, depth - 1, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, depth - 1, found)),
        _ => {}
    }
}

/// Adds the majors of a version or of a list of versions.
fn scalars(value: &Value, found: &mut BTreeSet<u32>) {
    match value {
        Value::String(text) if !text.contains("${{") => found.extend(majors(text)),
        Value::Number(number) => found.extend(majors(&number.to_string())),
        Value::Array(items) => items.iter().filter(|item| !item.is_array()).for_each(|item| scalars(item, found)),
        _ => {}
    }
}

/// The major versions that a text names, separated by spaces, commas or brackets.
fn majors(text: &str) -> impl Iterator<Item = u32> {
    versions(text).map(|(major, _)| major).filter(|major| MAJORS.contains(major))
}

/// The major and minor versions that a text names.
fn versions(text: &str) -> impl Iterator<Item = (u32, u32)> {
    let words = text.split(|c: char| c.is_whitespace() || ",[]\"'^~".contains(c));
    words.filter_map(|word| {
        if NEWEST.contains(&word) {
            return Some((NEWEST_LTS, 0));
        }
        let mut parts = word.strip_prefix('v').unwrap_or(word).split('.');
        let major = parts.next()?.parse().ok()?;
        Some((major, parts.next().and_then(|minor| minor.parse().ok()).unwrap_or(0)))
    })
}

/// Returns a major version that fits a range of `engines`, if the given version does not fit it.
fn unless_satisfied(range: &str, installed: (u32, u32)) -> Option<u32> {
    static COMPARATOR: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(>=|<=|>|<|\^|~|=)?\s*v?(\d{1,3})(?:\.(\d{1,3}))?[.\dx*]*").ok());
    let comparator = COMPARATOR.as_ref()?;
    let mut least = None;
    for alternative in range.split("||") {
        let mut fits = true;
        let mut bounds = comparator.captures_iter(alternative).peekable();
        bounds.peek()?;
        for bound in bounds {
            let number = |index| bound.get(index).and_then(|part| part.as_str().parse::<u32>().ok());
            let (major, minor) = (number(2)?, number(3));
            let asked = (major, minor.unwrap_or(0));
            let sign = bound.get(1).map_or("", |sign| sign.as_str());
            fits &= match sign {
                ">=" => installed >= asked,
                ">" => minor.map_or(installed.0 > major, |_| installed >= asked),
                "<" => installed < asked,
                "<=" => minor.map_or(installed.0 <= major, |_| installed <= asked),
                "^" => installed.0 == major && installed >= asked,
                _ => installed.0 == major && minor.is_none_or(|minor| installed.1 == minor),
            };
            if !sign.starts_with('<') {
                least = least.max(Some(major + u32::from(sign == ">" && minor.is_none())));
            }
        }
        if fits {
            return None;
        }
    }
    least.filter(|major| MAJORS.contains(major))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(files: &[(&str, &str)]) -> Option<(u32, String)> {
        let names = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        let text = |path: &str| files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned());
        named_node(&names, &text, "v20.11.1").map(|node| (node.major, node.source))
    }

    #[test]
    fn another_version_of_the_pipeline_is_taken() {
        let workflow = |versions: &str| {
            format!(
                "on: push\njobs:\n  a:\n    strategy:\n      matrix:\n        node: {versions}\n    steps:\n      - uses: actions/setup-node@v4\n        with: {{node-version: '${{{{ matrix.node }}}}'}}\n"
            )
        };
        for (versions, expected) in [
            ("[22, 24]", Some(22)),
            ("[10.x, '12.x', 14]", Some(14)),
            ("[18, 22]", Some(22)),
            ("[16, 18, 20, 22]", Some(18)),
            ("[20, 22]", Some(22)),
            ("[20]", None),
            ("['lts/*', current]", Some(NEWEST_LTS)),
            ("'22.15, 24'", Some(22)),
        ] {
            let found = named(&[(".github/workflows/ci.yml", &workflow(versions))]);
            assert_eq!(found, expected.map(|major| (major, ".github/workflows/ci.yml".to_owned())), "{versions}");
        }
        let called = "on: push\njobs:\n  a:\n    uses: x/y/.github/workflows/a.yml@v1\n    with:\n      node-versions: '22.15, 22, 25'\n";
        assert_eq!(named(&[(".github/workflows/a.yml", called)]).map(|(major, _)| major), Some(22));
        assert_eq!(
            named(&[(".travis.yml", "language: node_js\nnode_js:\n  - '8'\n  - 10\n")]).map(|it| it.0),
            Some(10)
        );
    }

    #[test]
    fn a_file_with_the_version_decides() {
        let ci = (".github/workflows/ci.yml", "on: push\njobs: {a: {steps: [{with: {node-version: 20}}]}}\n");
        assert_eq!(named(&[ci, (".nvmrc", "v22.1.0\n")]), Some((22, ".nvmrc".to_owned())));
        assert_eq!(named(&[ci, (".nvmrc", "20\n")]), None);
        assert_eq!(
            named(&[ci, ("package.json", r#"{"volta": {"node": "18.2.0"}}"#)]),
            Some((18, "package.json".to_owned()))
        );
        assert_eq!(named(&[ci, (".nvmrc", "lts/iron\n")]), None);
    }

    #[test]
    fn the_newest_version_has_names() {
        for name in ["lts/*", "latest", "node"] {
            let ci = format!("on: push\njobs: {{a: {{strategy: {{matrix: {{node_version: ['{name}']}}}}}}}}\n");
            let named = named(&[(".github/workflows/ci.yml", &ci)]);
            assert_eq!(named, Some((NEWEST_LTS, ".github/workflows/ci.yml".to_owned())), "{name}");
        }
    }

    #[test]
    fn a_package_manager_needs_a_version() {
        for (manager, expected) in [("pnpm@11.13.1+sha512.x", Some(22)), ("pnpm@10.9.0", None), ("yarn@4.0.0", None)] {
            let manifest = format!(r#"{{"packageManager": "{manager}"}}"#);
            assert_eq!(named(&[("package.json", &manifest)]).map(|(major, _)| major), expected, "{manager}");
        }
        let ci = (".github/workflows/ci.yml", "on: push\njobs: {a: {steps: [{with: {node-version: [20, 24]}}]}}\n");
        let manifest = ("package.json", r#"{"packageManager": "pnpm@11.0.0"}"#);
        assert_eq!(named(&[ci, manifest]), Some((24, ci.0.to_owned())), "the installed one does not do");
    }

    #[test]
    fn a_range_is_held_against_the_installed_version() {
        for (range, expected) in [
            (">=22.6", Some(22)),
            (">=20.11", None),
            (">=20.12", Some(20)),
            ("^18 || >=20", None),
            ("16.x", Some(16)),
            ("^14.17.0 || ^16.0.0", Some(16)),
            (">=10 <20", Some(10)),
            ("*", None),
            ("20", None),
            (">20", Some(21)),
        ] {
            let manifest = format!(r#"{{"engines": {{"node": "{range}"}}}}"#);
            assert_eq!(named(&[("package.json", &manifest)]).map(|(major, _)| major), expected, "{range}");
        }
    }
}
