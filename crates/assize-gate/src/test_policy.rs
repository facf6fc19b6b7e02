//! Decides with which files of a change the tests are run.
//!
//! The author of the code must not also write what the code is judged by. Tests, and the files that
//! tell runners and checkers what to do, come from the base, unless the specification asks to change
//! them. Tests that the change adds run in a second run, with their own configuration: they can fail
//! a change, and prove little. This module says which file belongs where; it must not know how copies
//! of a tree are made.

mod helper;
mod opened;
mod tool;

use std::collections::{BTreeMap, BTreeSet};

use assize_core::diff::{Diff, FileStatus};
use assize_core::path::file_name;
use assize_ecosystem::tool::Tool;
use assize_ecosystem::{ECOSYSTEMS, FileRole, is_checker_setting, is_runner_configuration, is_test, pattern};

pub use helper::{Use, Used, Uses, is_setting};
pub use opened::sentences;
pub use opened::{WritableScope, asked_files};

/// Returns whether a file holds what tests expect or read.
fn is_expectation(path: &str) -> bool {
    path.ends_with(".snap") || FileRole::of(path) == FileRole::Fixture
}

/// Returns whether a file belongs to the tests by its path: what the base decides.
fn is_held(path: &str) -> bool {
    is_test(path) || is_expectation(path) || is_runner_configuration(path)
}

/// Returns whether a file may belong to the tests, so that a specification has to open it.
fn may_be_held(path: &str) -> bool {
    is_held(path) || helper::is_named_as_helper(path)
}

/// Returns whether a file tells runners and checks what to do, and holds nothing for tests to use: no specification asks for it by
/// asking for tests. What lies among the data of tests is such data.
fn is_setting_of_runs(path: &str) -> bool {
    let name = file_name(path);
    let helps = ECOSYSTEMS.iter().any(|ecosystem| pattern::any(ecosystem.runner_code, name));
    let steers = is_runner_configuration(path) && !helps || is_checker_setting(path) || guarded(path).is_some();
    steers && !is_expectation(path)
}

/// What has to be done to copies of the changed tree before anything is run in them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CopyPlan {
    /// Files that the copy in which the base's tests run gets back from the base.
    pub held_restore: BTreeSet<String>,
    /// Files that this copy must not have.
    pub held_remove: BTreeSet<String>,
    /// Files that every copy gets back from the base: the configuration of checks. A copy has none of those that the base
    /// does not have.
    pub restore: BTreeSet<String>,
    /// Files of which only some settings are the base's: see [`merge`].
    pub merge: BTreeSet<String>,
    /// New manifests, with the tools that the base tells in another file what to do: see [`without_tools`].
    pub overruling: BTreeMap<String, BTreeSet<&'static str>>,
    /// Whether tests of the change have to run apart from those of the base.
    pub apart: bool,
    /// Files among those that come from the base which are no tests by their paths, and belong to them all the same.
    pub test_helpers: BTreeSet<String>,
    /// Files whose paths sound like tests, and that the base shows to be part of the product: the change's own are used.
    pub product: BTreeSet<String>,
}

/// Says which files come from the base. `base_files` are the paths that the base has, `uses` is how they use each other.
pub fn plan(diff: &Diff, base_files: &BTreeSet<String>, uses: &Uses, opened: &WritableScope) -> CopyPlan {
    let mut plan = CopyPlan::default();
    let test_helpers = helper::test_helpers(base_files, uses);
    for file in &diff.files {
        let paths = [Some(&file.path), file.old_path.as_ref()];
        for path in paths.into_iter().flatten().filter(|path| !opened.opens(path)) {
            let in_base = base_files.contains(path);
            let is_helper = test_helpers.contains(path) || !in_base && helper::shadows(path, &test_helpers);
            if is_checker_setting(path) && !is_expectation(path) {
                if in_base || tool::overrules(path, base_files, &uses.settings) {
                    plan.restore.insert(path.clone());
                }
            } else if is_held(path) && (uses.production.contains(path) || helper::is_under_test(path, base_files)) {
                plan.product.insert(path.clone());
            } else if is_held(path) || uses.tests.contains(path) || is_helper {
                plan.apart = true;
                if is_helper {
                    plan.test_helpers.insert(path.clone());
                }
                if in_base { &mut plan.held_restore } else { &mut plan.held_remove }.insert(path.clone());
            } else if guarded(path).is_some() && in_base && file.status != FileStatus::Added {
                plan.merge.insert(path.clone());
            } else if !in_base {
                let tools = tool::told_beside(path, base_files, &uses.settings);
                if !tools.is_empty() {
                    plan.overruling.insert(path.clone(), tools);
                }
            }
        }
    }
    plan
}

/// The settings of a manifest that say how tests and checks run.
fn guarded(path: &str) -> Option<Vec<&'static [&'static str]>> {
    let name = file_name(path);
    let more = ECOSYSTEMS.iter().flat_map(|ecosystem| ecosystem.guarded_keys).filter(|(manifest, _)| *manifest == name);
    let keys: Vec<_> = tool::tables(path).chain(more.map(|(_, keys)| *keys)).collect();
    (!keys.is_empty() || is_ini(path)).then_some(keys)
}

/// Returns whether a section of an INI file says how tests and checks run.
fn is_guarded_section(name: &str) -> bool {
    is_one_of(name, tool::guarded_tools().flat_map(Tool::sections).chain(["options.entry_points"]))
}

/// Returns whether a section of an INI file is one of these, or of a part of it: `mypy-a.*` is one of `mypy`.
fn is_one_of<'a>(name: &str, mut sections: impl Iterator<Item = &'a str>) -> bool {
    sections.any(|own| name.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')))
}

/// Returns whether a manifest is an INI file.
pub fn is_ini(path: &str) -> bool {
    matches!(file_name(path), "setup.cfg" | "tox.ini")
}

/// Takes a manifest of the change with the base's settings for tests and checks. `None` where nothing differs that
/// matters, so that the file stays as it was handed in, and where one of the two cannot be read: a gate will say so.
pub fn merge(path: &str, base: &str, change: &str) -> Option<String> {
    let settings = guarded(path)?;
    match file_name(path) {
        "package.json" => merge_json(base, change, &settings),
        "setup.cfg" | "tox.ini" => merge_ini(base, change),
        _ => merge_toml(base, change, &settings),
    }
}

/// Takes a manifest without what it tells some tools. `None` where it tells them nothing, or cannot be read.
pub fn without_tools(path: &str, text: &str, tools: &BTreeSet<&str>) -> Option<String> {
    let named = || tool::guarded_tools().filter(|tool| tools.contains(tool.id));
    let tables = || tool::keys_in(path, named());
    match file_name(path) {
        "package.json" => {
            let mut manifest: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).ok()?;
            let before = manifest.len();
            tables().filter_map(<[_]>::first).for_each(|name| drop(manifest.shift_remove(*name)));
            (manifest.len() < before).then(|| serde_json::to_string_pretty(&manifest).ok())?
        }
        "setup.cfg" | "tox.ini" => {
            let kept = sections(text).into_iter();
            let kept = kept.filter(|(name, _)| !is_one_of(name, named().flat_map(Tool::sections)));
            let kept: String = kept.map(|(_, text)| text).collect();
            (kept != text).then_some(kept)
        }
        _ => {
            let mut manifest: toml::Table = toml::from_str(text).ok()?;
            let before = manifest.clone();
            tables().for_each(|table| set(&mut manifest, table, None));
            (manifest != before).then(|| toml::to_string(&manifest).ok())?
        }
    }
}

/// Takes a manifest without what it tells runners of tests. `None` where it tells them nothing, or cannot be read.
pub fn without_runners(path: &str, text: &str) -> Option<String> {
    guarded(path)?;
    without_tools(path, text, &tool::guarded_tools().filter(|tool| tool.is_runner()).map(|tool| tool.id).collect())
}

/// Returns whether a change of a manifest touches its settings for tests and checks, scripts of packages left out, or has a type
/// checker object to less.
pub fn changes_settings(path: &str, base: &str, change: &str) -> bool {
    match guarded(path) {
        _ if is_typescript_setting(path) => loosens_types(base, change),
        Some(settings) if file_name(path) == "package.json" => {
            let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
            let is_other = |base: serde_json::Value, change: serde_json::Value| {
                settings.iter().filter_map(|setting| setting.first()).any(|name| base.get(*name) != change.get(*name))
            };
            read(base).zip(read(change)).is_some_and(|(base, change)| is_other(base, change))
        }
        Some(_) => merge(path, base, change).is_some(),
        None => false,
    }
}

/// Returns whether a file tells the compiler of TypeScript what to object to, beside much else.
fn is_typescript_setting(path: &str) -> bool {
    let name = file_name(path);
    name.ends_with(".json") && (name.starts_with("tsconfig") || name.starts_with("jsconfig"))
}

/// Options with which the compiler of TypeScript objects to less.
const LOOSENING: [&str; 6] = [
    "allowUnreachableCode",
    "allowUnusedLabels",
    "noCheck",
    "skipDefaultLibCheck",
    "skipLibCheck",
    "suppressImplicitAnyIndexErrors",
];

/// Returns whether the compiler of TypeScript objects to less by the second of two settings: an option that is strict went, one that is
/// lenient came, or files are left out.
fn loosens_types(base: &str, change: &str) -> bool {
    let read = |text: &str| {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        jsonc_parser::parse_to_serde_value::<serde_json::Value>(text, &jsonc_parser::ParseOptions::default()).ok()
    };
    let Some((base, change)) = read(base).zip(read(change)) else { return false };
    let options = |of: &serde_json::Value| {
        of.get("compilerOptions").and_then(serde_json::Value::as_object).cloned().unwrap_or_default()
    };
    let (before, after) = (options(&base), options(&change));
    let is_strict = |name: &str| {
        ["strict", "alwaysStrict", "checkJs", "exactOptionalPropertyTypes"].contains(&name)
            || ["strict", "noImplicit", "noUnused", "noUnchecked", "noFallthrough", "noPropertyAccess"]
                .iter()
                .any(|start| name.starts_with(start))
    };
    let is_on =
        |options: &serde_json::Map<String, serde_json::Value>, name: &str| options.get(name) == Some(&true.into());
    let is_off = |name: &str| after.get(name) == Some(&false.into());
    let loosened = before.keys().any(|name| is_strict(name) && is_on(&before, name) && !is_on(&after, name))
        || after.keys().any(|name| is_strict(name) && is_off(name) && before.get(name) != Some(&false.into()))
        || LOOSENING.iter().any(|name| is_on(&after, name) && !is_on(&before, name));
    let listed = |of: &serde_json::Value, key: &str| -> BTreeSet<String> {
        of.get(key)
            .and_then(serde_json::Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|it| it.as_str().map(str::to_owned))
            .collect()
    };
    loosened
        || !listed(&change, "exclude").is_subset(&listed(&base, "exclude"))
        || !listed(&base, "include").is_subset(&listed(&change, "include"))
}

/// Where pytest is told which markers there are. A name that is declared changes no outcome, and one that is not may be an
/// error: tests of a change have theirs.
const MARKERS: [&[&str]; 2] = [&["tool", "pytest", "ini_options", "markers"], &["tool", "pytest", "markers"]];

fn merge_json(base: &str, change: &str, settings: &[&[&str]]) -> Option<String> {
    let base: serde_json::Value = serde_json::from_str(base).ok()?;
    let before: serde_json::Value = serde_json::from_str(change).ok()?;
    let mut merged = before.clone();
    let object = merged.as_object_mut()?;
    for name in settings.iter().filter_map(|setting| setting.first()) {
        match base.get(*name) {
            Some(value) => drop(object.insert((*name).to_owned(), value.clone())),
            None => drop(object.shift_remove(*name)),
        }
    }
    if let Some(scripts) = base.get("scripts").and_then(serde_json::Value::as_object) {
        let mut own: serde_json::Map<_, _> =
            object.get("scripts").and_then(serde_json::Value::as_object).cloned().unwrap_or_default();
        // What the base calls stays what it was, and nothing new runs before or after it.
        own.retain(|name, _| {
            let hooked = name.strip_prefix("pre").or_else(|| name.strip_prefix("post"));
            scripts.contains_key(name) || hooked.is_none_or(|name| !scripts.contains_key(name))
        });
        own.extend(scripts.clone());
        object.insert("scripts".to_owned(), own.into());
        keep_called(&base, scripts, object);
    }
    if merged == before { None } else { serde_json::to_string_pretty(&merged).ok() }
}

/// Gives a manifest back what it no longer asks for and the base's scripts call.
fn keep_called(
    base: &serde_json::Value,
    scripts: &serde_json::Map<String, serde_json::Value>,
    merged: &mut serde_json::Map<String, serde_json::Value>,
) {
    const SECTIONS: [&str; 4] = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
    let is_part = |character: char| character.is_alphanumeric() || "-_.".contains(character);
    let texts = scripts.values().filter_map(serde_json::Value::as_str);
    let words: BTreeSet<&str> = texts.flat_map(|text| text.split(|character| !is_part(character))).collect();
    for section in SECTIONS {
        for (name, range) in base.get(section).and_then(serde_json::Value::as_object).into_iter().flatten() {
            let is_called = words.contains(name.rsplit('/').next().unwrap_or(name));
            let is_there =
                SECTIONS.iter().any(|section| merged.get(*section).is_some_and(|all| all.get(name).is_some()));
            if is_called && !is_there {
                let all = merged.entry(section).or_insert_with(|| serde_json::Map::new().into());
                if let Some(all) = all.as_object_mut() {
                    all.insert(name.clone(), range.clone());
                }
            }
        }
    }
}

fn merge_toml(base: &str, change: &str, settings: &[&[&str]]) -> Option<String> {
    let base: toml::Table = toml::from_str(base).ok()?;
    let before: toml::Table = toml::from_str(change).ok()?;
    let mut merged = before.clone();
    for setting in settings {
        set(&mut merged, setting, find(&base, setting).cloned());
    }
    for (table, key) in MARKERS.iter().filter_map(|path| path.split_last().map(|(key, table)| (table, *key))) {
        let declared = |table: &toml::Value| match table.get(key) {
            Some(toml::Value::Array(all)) => all.iter().filter_map(|one| one.as_str().map(str::to_owned)).collect(),
            Some(toml::Value::String(all)) => all.lines().map(|one| one.trim().to_owned()).collect(),
            _ => Vec::new(),
        };
        // Without a table of the base, a new one would tell the runner where its settings are.
        let (Some(own), Some(held)) = (find(&before, table), find(&merged, table).cloned()) else { continue };
        let known = declared(&held);
        let more: Vec<String> =
            declared(own).into_iter().filter(|one| is_marker(one) && !known.contains(one)).collect();
        if let (false, toml::Value::Table(mut held)) = (more.is_empty(), held) {
            let all = known.into_iter().filter(|one| !one.is_empty()).chain(more);
            held.insert(key.to_owned(), all.collect::<Vec<_>>().into());
            set(&mut merged, table, Some(held.into()));
        }
    }
    keep_helpers(&base, &mut merged);
    if merged == before { None } else { toml::to_string(&merged).ok() }
}

/// Gives crates that tests alone need, and that lie in the tree, back to their names: another one under the same name
/// would decide what the tests hold. One that was moved is still the same.
fn keep_helpers(base: &toml::Table, merged: &mut toml::Table) {
    let name_of = |value: &toml::Value| {
        let path = value.get("path")?.as_str()?.trim_end_matches('/');
        Some(path.rsplit('/').next().unwrap_or(path).to_owned())
    };
    let helpers = base.get("dev-dependencies").and_then(toml::Value::as_table);
    let Some(own) = merged.get_mut("dev-dependencies").and_then(toml::Value::as_table_mut) else { return };
    for (name, value) in helpers.into_iter().flatten() {
        if let Some(other) = own.get_mut(name)
            && name_of(value).is_some()
            && name_of(value) != name_of(other)
        {
            *other = value.clone();
        }
    }
}

fn find<'a>(table: &'a toml::Table, setting: &[&str]) -> Option<&'a toml::Value> {
    let (last, parents) = setting.split_last()?;
    let parent = parents.iter().try_fold(table, |table, name| table.get(*name)?.as_table())?;
    parent.get(*last)
}

fn set(table: &mut toml::Table, setting: &[&str], value: Option<toml::Value>) {
    match (setting, value) {
        ([last], Some(value)) => drop(table.insert((*last).to_owned(), value)),
        ([last], None) => drop(table.remove(*last)),
        ([first, rest @ ..], value) => {
            if value.is_some() && !table.contains_key(*first) {
                table.insert((*first).to_owned(), toml::Table::new().into());
            }
            if let Some(inner) = table.get_mut(*first).and_then(toml::Value::as_table_mut) {
                set(inner, rest, value);
            }
        }
        ([], _) => {}
    }
}

fn merge_ini(base: &str, change: &str) -> Option<String> {
    let (base, change) = (sections(base), sections(change));
    let theirs: BTreeMap<&str, &str> =
        base.iter().filter(|(name, _)| is_guarded_section(name)).map(|(name, text)| (*name, *text)).collect();
    let ours: BTreeMap<&str, &str> =
        change.iter().filter(|(name, _)| is_guarded_section(name)).map(|(name, text)| (*name, *text)).collect();
    if theirs == ours {
        return None;
    }
    let kept = change.iter().filter(|(name, _)| !is_guarded_section(name)).map(|(_, text)| (*text).to_owned());
    let restored = base.iter().filter(|(name, _)| is_guarded_section(name));
    let restored = restored.map(|(name, text)| with_markers_of(text, ours.get(name).copied().unwrap_or_default()));
    let mut merged = String::new();
    for text in kept.chain(restored) {
        merged.push_str(&text);
        if !text.is_empty() && !text.ends_with('\n') {
            merged.push('\n');
        }
    }
    Some(merged)
}

/// A section of an INI file with the markers that another version of it declares as well.
fn with_markers_of(section: &str, other: &str) -> String {
    let declared = |text: &str| {
        let lines: Vec<&str> = text.lines().collect();
        let Some(range) = markers_of(&lines) else { return Vec::new() };
        let value = lines[range.start].split_once(['=', ':']).map_or("", |(_, value)| value);
        let entries = [value].into_iter().chain(lines[range.start + 1..range.end].iter().copied());
        entries.map(|entry| entry.trim().to_owned()).filter(|entry| is_marker(entry)).collect()
    };
    let own = declared(section);
    let more: Vec<String> = declared(other).into_iter().filter(|entry| !own.contains(entry)).collect();
    if more.is_empty() {
        return section.to_owned();
    }
    let more = more.iter().map(|entry| format!("    {entry}"));
    let mut text: Vec<String> = section.lines().map(str::to_owned).collect();
    match markers_of(&section.lines().collect::<Vec<_>>()) {
        Some(range) => drop(text.splice(range.end..range.end, more)),
        None => text.extend(["markers =".to_owned()].into_iter().chain(more)),
    }
    text.join("\n") + "\n"
}

/// Returns whether a text is one marker. What readers of INI files take for the end of a line would begin another setting.
fn is_marker(text: &str) -> bool {
    let ends_line = |character: char| character.is_control() || matches!(character, '\u{2028}' | '\u{2029}');
    !text.is_empty() && !text.starts_with(['#', ';']) && !text.contains(ends_line)
}

/// The lines of a section that declare markers, the first of them with the key.
fn markers_of(lines: &[&str]) -> Option<std::ops::Range<usize>> {
    let is_key = |line: &&str| {
        line.strip_prefix("markers").is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with(['=', ':']))
    };
    let start = lines.iter().position(is_key)?;
    let is_part = |line: &&&str| line.trim().is_empty() || line.starts_with([' ', '\t']);
    let count = lines[start + 1..].iter().take_while(is_part).count();
    let blank = lines[start + 1..start + 1 + count].iter().rev().take_while(|line| line.trim().is_empty()).count();
    Some(start..start + 1 + count - blank)
}

/// Cuts an INI file into its sections, each with its heading; what comes before the first has no name.
fn sections(text: &str) -> Vec<(&str, &str)> {
    let mut starts = vec![(0, "")];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        // A comment may stand behind a heading.
        let heading = line.strip_prefix('[').and_then(|rest| rest.split(['#', ';']).next()?.rsplit_once(']'));
        if let Some((name, _)) = heading {
            starts.push((at, name.trim()));
        }
        at += line.len();
    }
    let end = |index: usize| starts.get(index + 1).map_or(text.len(), |(start, _)| *start);
    starts.iter().enumerate().map(|(index, (start, name))| (*name, &text[*start..end(index)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_core::diff::FileChange;

    fn planned(paths: &[(&str, FileStatus)], base: &[&str], opened: &WritableScope) -> CopyPlan {
        let files = paths.iter().map(|(path, status)| FileChange::new(*path, *status)).collect();
        let base = base.iter().map(|path| (*path).to_owned()).collect();
        plan(&Diff { files, ..Diff::default() }, &base, &Uses::default(), opened)
    }

    #[test]
    fn markers_of_a_change_are_declared_and_nothing_else_of_its_settings_holds() {
        let toml = |settings: &str| format!("[project]\nname = \"a\"\n\n{settings}");
        let own = "[tool.pytest.ini_options]\naddopts = \"-k nothing\"\nmarkers = [\"slow: takes long\", \"thin\"]\n";
        for (base, expected) in [
            (
                "[tool.pytest.ini_options]\naddopts = \"-q\"\n",
                "addopts = \"-q\"\nmarkers = [\"slow: takes long\", \"thin\"]",
            ),
            (
                "[tool.pytest.ini_options]\nmarkers = [\"thin\", \"old\"]\n",
                "markers = [\"thin\", \"old\", \"slow: takes long\"]",
            ),
            ("", ""),
        ] {
            let merged = merge("pyproject.toml", &toml(base), &toml(own)).expect("it differs");
            let tables = |text: &str| toml::from_str::<toml::Table>(text).expect("TOML");
            let wanted = tables(&toml(&format!("{}\n{expected}\n", base.lines().next().unwrap_or("[tool]"))));
            assert_eq!(tables(&merged), wanted, "{base}");
        }
        let own =
            "[tool:pytest]\naddopts = -k nothing\nmarkers =\n    slow: takes long\n    thin\n\n[metadata]\nname = a\n";
        for (base, expected) in [
            (
                "[tool:pytest]\naddopts = -q\n",
                "[tool:pytest]\naddopts = -q\nmarkers =\n    slow: takes long\n    thin\n",
            ),
            (
                "[tool:pytest]\nmarkers = old\n  thin\naddopts = -q\n",
                "[tool:pytest]\nmarkers = old\n  thin\n    slow: takes long\naddopts = -q\n",
            ),
            (
                "[tool:pytest] # settings\nmarkers: old\n\n",
                "[tool:pytest] # settings\nmarkers: old\n    slow: takes long\n    thin\n\n",
            ),
            ("[flake8]\n", "[flake8]\n"),
        ] {
            assert_eq!(merge("setup.cfg", base, own).as_deref(), Some(&*format!("[metadata]\nname = a\n{expected}")));
        }
    }

    #[test]
    fn a_marker_brings_no_other_setting() {
        let base = "[tool:pytest]\naddopts = -q\n";
        for end in ["\u{c}", "\r", "\u{b}", "\u{85}", "\u{2028}", "\u{1e}"] {
            let change = format!("{base}markers =\n    slow: x{end}addopts = -W ignore\n");
            assert_eq!(merge("setup.cfg", base, &change).as_deref(), Some(base), "{end:?}");
        }
        let list = "markers = one\n\n    two\n    # three\n\naddopts = -k x\n";
        let merged = merge("setup.cfg", base, &format!("[tool:pytest]\n{list}"));
        assert_eq!(merged.as_deref(), Some("[tool:pytest]\naddopts = -q\nmarkers =\n    one\n    two\n"));
        // A heading with a comment is one.
        assert_eq!(merge("tox.ini", "[tox]\n", "[tox]\n[pytest] # x\naddopts = -k x\n").as_deref(), Some("[tox]\n"));
        let toml = |markers: &str| format!("[tool.pytest.ini_options]\nmarkers = {markers}\n");
        let merged = merge("pyproject.toml", &toml("\"\"\"a\nb\"\"\""), &toml("\"\"\"a\nb\nc\"\"\""));
        assert!(merged.expect("it differs").contains(r#"["a", "b", "c"]"#));
    }

    #[test]
    fn what_scripts_of_the_base_call_is_still_asked_for() {
        let base = r#"{"scripts":{"test":"standard && tap --no-cov","types":"tsd"},
            "devDependencies":{"standard":"^17","tap":"^16","@a/tsd":"1","left":"1"}}"#;
        let change = r#"{"scripts":{"test":"borp"},"dependencies":{"standard":"^18"},"devDependencies":{"borp":"1"}}"#;
        let merged = merge("package.json", base, change).expect("it differs");
        let merged: serde_json::Value = serde_json::from_str(&merged).expect("JSON");
        let expected = serde_json::json!({
            "scripts": {"test": "standard && tap --no-cov", "types": "tsd"},
            "dependencies": {"standard": "^18"},
            "devDependencies": {"borp": "1", "tap": "^16", "@a/tsd": "1"},
        });
        assert_eq!(merged, expected);
    }

    #[test]
    fn a_new_manifest_does_not_tell_tools_what_the_base_tells_them() {
        let tools = BTreeSet::from(["pytest", "jest"]);
        for (path, text, expected) in [
            (
                "pyproject.toml",
                "[project]\nname = \"a\"\n\n[tool.pytest.ini_options]\naddopts = \"-q\"\n\n[tool.ruff]\n",
                "[project]\nname = \"a\"\n\n[tool.ruff]\n",
            ),
            ("tox.ini", "[tox]\n[pytest]\naddopts = -q\n[mypy]\n", "[tox]\n[mypy]\n"),
            ("package.json", r#"{"name":"a","jest":{}}"#, "{\n  \"name\": \"a\"\n}"),
        ] {
            assert_eq!(without_tools(path, text, &tools).as_deref(), Some(expected), "{path}");
        }
        let of_all = "[tool.pytest.ini_options]\ntestpaths = [\"tests\"]\n[tool.ruff]\nline-length = 1\n";
        let of_checks = "[tool.ruff]\nline-length = 1\n";
        assert_eq!(without_runners("pyproject.toml", of_all).as_deref(), Some(of_checks));
        assert_eq!(without_runners("a.toml", of_all), None);
        for text in ["[tool", "[tool.ruff]\nline-length=1\n"] {
            assert_eq!(without_tools("pyproject.toml", text, &tools), None);
        }
    }

    #[test]
    fn a_helper_crate_keeps_its_name() {
        let manifest = |dependency: &str| format!("[package]\nname = \"a\"\n\n[dev-dependencies]\n{dependency}\n");
        let base = manifest("proof = { path = \"../proof\" }\nrand = \"0.9\"");
        for (change, kept) in [
            ("proof = { package = \"proofs\", path = \"../proofs\" }\nrand = \"0.9\"", true),
            ("proof = \"1.0\"\nrand = \"0.9\"", true),
            // Moved, newer, no longer needed.
            ("proof = { path = \"../../tools/proof\" }\nrand = \"0.9\"", false),
            ("proof = { path = \"../proof\" }\nrand = \"0.10\"", false),
            ("rand = \"0.9\"", false),
        ] {
            let merged = merge("Cargo.toml", &base, &manifest(change));
            assert_eq!(merged.is_some(), kept, "{change}");
            assert!(merged.is_none_or(|merged| merged.contains("path = \"../proof\"")), "{change}");
        }
    }

    #[test]
    fn helpers_of_the_tests_come_from_the_base() {
        use FileStatus::{Added, Modified};
        let change = |path: &str, status| FileChange::new(path, status);
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        let diff = Diff {
            files: vec![
                change("lib/split.js", Modified),
                change("support/same.js", Modified),
                change("support/same.json", Added),
                change("support/more.js", Added),
                change("src/__snapshots__/a.snap", Modified),
            ],
            ..Diff::default()
        };
        let base = set(&["lib/split.js", "support/same.js", "test/a.test.js", "src/__snapshots__/a.snap"]);
        let link = |to: &str| Use { from: "test/a.test.js".into(), to: Used::File(to.into()), in_test: false };
        let uses = Uses { imports: vec![link("lib/split.js"), link("support/same.js")], ..Uses::default() };
        let closed = plan(&diff, &base, &uses, &WritableScope::None);
        assert_eq!(closed.held_restore, set(&["src/__snapshots__/a.snap", "support/same.js"]));
        assert_eq!((closed.held_remove, closed.apart), (set(&["support/same.json"]), true));
        assert_eq!(closed.test_helpers, set(&["support/same.js", "support/same.json"]));
        let opened = WritableScope::by("Change `support/same.js` so that it ignores order.");
        assert_eq!(opened, WritableScope::Named(set(&["support/same.js"])));
        assert!(!plan(&diff, &base, &uses, &opened).held_restore.contains("support/same.js"));
        assert_eq!(plan(&diff, &base, &uses, &WritableScope::All), CopyPlan::default());
    }

    #[test]
    fn tests_and_their_configuration_come_from_the_base() {
        use FileStatus::{Added, Deleted, Modified};
        let paths = [
            ("src/a.py", Modified),
            ("tests/test_a.py", Modified),
            ("tests/test_b.py", Deleted),
            ("tests/test_c.py", Added),
            ("conftest.py", Added),
            ("ruff.toml", Modified),
            ("pyproject.toml", Modified),
        ];
        let base = ["src/a.py", "tests/test_a.py", "tests/test_b.py", "ruff.toml", "pyproject.toml"];
        let closed = planned(&paths, &base, &WritableScope::None);
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(closed.held_restore, set(&["tests/test_a.py", "tests/test_b.py"]));
        assert_eq!(closed.held_remove, set(&["conftest.py", "tests/test_c.py"]));
        assert_eq!((closed.restore, closed.merge, closed.apart), (set(&["ruff.toml"]), set(&["pyproject.toml"]), true));
        let open = planned(&paths, &base, &WritableScope::All);
        assert_eq!((open.restore, open.merge), (set(&["ruff.toml"]), set(&["pyproject.toml"])));
        assert!(!open.apart && open.held_restore.is_empty() && open.held_remove.is_empty());
        assert_eq!(planned(&paths[5..6], &base, &WritableScope::by("Loosen the ruff rules.")), CopyPlan::default());
        assert!(!planned(&paths[..1], &base, &WritableScope::None).apart);
    }

    #[test]
    fn settings_of_runs_are_opened_by_their_names_alone() {
        use FileStatus::{Added, Modified, Renamed};
        let base = ["pyproject.toml", "mypy.ini", "pytest.ini", "tests/ruff.toml"];
        let adapt = "Rename it and adapt the tests.";
        for (specification, path, status, restored, apart) in [
            (adapt, "mypy.ini", Modified, true, false),
            (adapt, "tests/ruff.toml", Modified, true, false),
            (adapt, ".ruff.toml", Added, true, false),
            (adapt, "pytest.ini", Modified, false, true),
            (adapt, ".pytest.ini", Added, false, true),
            (adapt, "tests/conftest.py", Added, false, false),
            (adapt, "tests/fixtures/ruff.toml", Added, false, false),
            ("Add a parser.", ".mypy.ini", Renamed, true, false),
            ("Add a parser.", "tests/fixtures/ruff.toml", Added, false, true),
            ("Loosen mypy.ini, please.", "mypy.ini", Modified, false, false),
            ("Set up ruff.", "ruff.toml", Added, false, false),
        ] {
            let plan = planned(&[(path, status)], &base, &WritableScope::by(specification));
            assert_eq!((plan.restore.contains(path), plan.apart), (restored, apart), "{specification} {path}");
        }
    }

    #[test]
    fn a_manifest_keeps_the_settings_of_the_base_and_the_dependencies_of_the_change() {
        let base = r#"{"scripts":{"test":"vitest run"},"dependencies":{"a":"1"}}"#;
        let change =
            r#"{"scripts":{"test":"true","pretest":"rm x","gen":"y"},"dependencies":{"a":"1","b":"2"},"jest":{}}"#;
        let merged: serde_json::Value =
            serde_json::from_str(&merge("package.json", base, change).expect("differs")).expect("JSON");
        assert_eq!(merged["scripts"], serde_json::json!({"test": "vitest run", "gen": "y"}));
        assert_eq!((merged["dependencies"]["b"].as_str(), merged.get("jest")), (Some("2"), None));
        let harmless = r#"{"scripts":{"test":"vitest run","gen":"y"},"dependencies":{"b":"2"}}"#;
        assert_eq!(merge("package.json", base, harmless), None);

        let base = "[project]\nname = 'a'\n[tool.pytest.ini_options]\ntestpaths = ['tests']\n";
        let change = "[project]\nname = 'b'\n[tool.pytest.ini_options]\naddopts = '--co'\n[tool.ruff]\nselect = []\n";
        let merged: toml::Table =
            toml::from_str(&merge("pyproject.toml", base, change).expect("differs")).expect("TOML");
        assert_eq!(merged["project"]["name"].as_str(), Some("b"));
        assert!(
            merged["tool"]["pytest"]["ini_options"].get("addopts").is_none() && merged["tool"].get("ruff").is_none()
        );

        let base = "[package]\nname = 'a'\n";
        let change = "[package]\nname = 'a'\nautotests = false\n[lib]\ntest = false\nname = 'b'\n";
        let merged: toml::Table = toml::from_str(&merge("x/Cargo.toml", base, change).expect("differs")).expect("TOML");
        assert!(merged["package"].get("autotests").is_none() && merged["lib"].get("test").is_none());
        assert_eq!(merged["lib"]["name"].as_str(), Some("b"));

        let base = "[metadata]\nname = a\n\n[tool:pytest]\ntestpaths = tests\n";
        let change = "[metadata]\nname = b\n[tool:pytest]\naddopts = -k nothing\n[mypy-x]\nignore_errors = true\n";
        let merged = merge("setup.cfg", base, change).expect("differs");
        assert_eq!(merged, "[metadata]\nname = b\n[tool:pytest]\ntestpaths = tests\n");
        assert_eq!(merge("setup.cfg", base, &base.replace("name = a", "name = c")), None);
        assert_eq!(merge("src/a.py", "a", "b"), None);
    }
}
