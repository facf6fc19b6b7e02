//! Finds what a change removes: functions, types and constants that code of the base declares, and that code of the change does not.
//!
//! This module must not know who still asks for them.

use std::collections::{BTreeMap, BTreeSet};

use crate::facts::{DeclaredName, NameTable, Role};
use crate::language;

/// Something that a change removes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RemovedDeclaration {
    /// The file of the base in which it was declared.
    pub path: String,
    /// Its name.
    pub name: String,
    /// The line at which it is declared, counted from 1.
    pub line: u32,
    /// The lines of the base at which functions begin that are gone with it, counted from 1.
    pub lines: BTreeSet<u32>,
}

/// Returns what files of the base declare and the same files of the change do not, each by its path and text, unless
/// another one declares it instead.
pub fn removed_declarations<T: AsRef<str>>(base: &[(&str, T)], change: &[(&str, T)]) -> Vec<RemovedDeclaration> {
    let read = |(path, text): &(&'_ str, T)| Some((path.to_string(), language::read(path, text.as_ref())?.names));
    let (before, now): (Vec<_>, Vec<_>) =
        (base.iter().filter_map(read).collect(), change.iter().filter_map(read).collect());
    let mut removed = Vec::new();
    for (path, names) in &before {
        let here = |files: &'_ [(String, NameTable)]| files.iter().position(|(other, _)| other == path);
        let is_gone = |name: &DeclaredName<'_>| {
            let Some(place) = place_of(name) else { return false };
            let count = |names: &NameTable| names.iter().filter(|other| place_of(other) == Some(place)).count();
            let all = |files: &[(String, NameTable)]| files.iter().map(|(_, names)| count(names)).sum::<usize>();
            let left = here(&now).map_or(0, |at| count(&now[at].1));
            left < count(names) && all(&now) < all(&before)
        };
        for name in names.iter().filter(is_gone) {
            let is_part = |other: &DeclaredName<'_>| is_type(name.role) && other.owner == Some(name.text);
            let parts = names.iter().filter(|other| is_function(other.role) && is_part(other));
            let own = is_function(name.role).then_some(name.line);
            removed.push(RemovedDeclaration {
                path: path.clone(),
                name: name.text.to_owned(),
                line: name.line,
                lines: own.into_iter().chain(parts.map(|part| part.line)).collect(),
            });
        }
    }
    removed
}

/// Returns what has another name after a change, from the old name to the new one: the line that declares it differs in nothing
/// else, and in one file no other line does.
pub fn renamed_declarations<T: AsRef<str>>(base: &[(&str, T)], change: &[(&str, T)]) -> BTreeMap<String, String> {
    let line_of = |files: &[(&str, T)], it: &RemovedDeclaration| {
        let (_, text) = files.iter().find(|(path, _)| *path == it.path)?;
        let line = text.as_ref().lines().nth(usize::try_from(it.line).ok()?.checked_sub(1)?)?;
        Some(with_name(line, &it.name, "\0"))
    };
    let declared = |files: &[(&str, T)], others: &[(&str, T)]| {
        let mut found: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
        for it in removed_declarations(files, others) {
            if let Some(line) = line_of(files, &it) {
                found.entry((it.path, line)).or_default().insert(it.name);
            }
        }
        found
    };
    let (gone, came) = (declared(base, change), declared(change, base));
    let pairs = gone.into_iter().filter_map(|(line, old)| Some((old, came.get(&line)?.clone())));
    let alone = pairs.filter(|(old, new)| old.len() == 1 && new.len() == 1);
    alone.flat_map(|(old, new)| old.into_iter().zip(new)).collect()
}

/// Returns a text in which a name, as a whole word, is another one.
pub fn with_name(text: &str, name: &str, other: &str) -> String {
    let mut changed = String::with_capacity(text.len());
    let mut end = 0;
    for at in words(text, name) {
        changed.push_str(&text[end..at]);
        changed.push_str(other);
        end = at + name.len();
    }
    changed + &text[end..]
}

/// Returns whether a name stands in a text as a whole word.
pub fn has_word(text: &str, name: &str) -> bool {
    words(text, name).next().is_some()
}

/// Returns where a name begins in a text as a whole word.
fn words<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    let begins = text.match_indices(name).map(|(at, _)| at);
    begins.filter(move |at| !text[..*at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
}

/// Returns under what a function, type or constant is found: its name, and the type that it belongs to.
fn place_of<'t>(name: &DeclaredName<'t>) -> Option<(Option<&'t str>, &'t str)> {
    let owner = name.owner.filter(|_| name.role == Role::Method);
    let counts = is_function(name.role) || is_type(name.role) || name.role == Role::Constant;
    counts.then_some((owner, name.text))
}

fn is_function(role: Role) -> bool {
    matches!(role, Role::Function | Role::Method | Role::Component)
}

fn is_type(role: Role) -> bool {
    matches!(role, Role::Type | Role::Interface | Role::Enum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_declared_nowhere_any_more_is_removed() {
        let base = [
            (
                "a.py",
                "LIMIT = 3\ndef strip(text):\n    return text\n\n\nclass Old:\n    def run(self):\n        pass\n",
            ),
            ("b.py", "def moved():\n    pass\n"),
        ];
        let change =
            [("a.py", "def moved():\n    pass\n\n\nclass New:\n    def strip(self):\n        pass\n"), ("b.py", "")];
        let removed = removed_declarations(&base, &change);
        let shown: Vec<(&str, &str, Vec<u32>)> =
            removed.iter().map(|it| (&*it.path, &*it.name, it.lines.iter().copied().collect())).collect();
        assert_eq!(
            shown,
            [("a.py", "LIMIT", vec![]), ("a.py", "strip", vec![2]), ("a.py", "Old", vec![7]), ("a.py", "run", vec![7])]
        );
        assert_eq!(removed_declarations(&base, &base), []);
    }

    #[test]
    fn every_language_says_what_it_declares() {
        for (path, text, name) in [
            ("a.js", "export function strip(text) {\n  return text;\n}\n", "strip"),
            ("a.ts", "export class Old {\n  run(): void {}\n}\n", "Old"),
            ("a.rs", "pub fn strip(text: &str) -> &str {\n    text\n}\n", "strip"),
            ("a.go", "package a\n\nfunc Strip(text string) string {\n\treturn text\n}\n", "Strip"),
            ("A.java", "class A {\n    static String strip(String text) { return text; }\n}\n", "strip"),
        ] {
            let removed = removed_declarations(&[(path, text)], &[]);
            let found = removed.iter().find(|it| it.name == name).expect(path);
            assert_eq!(found.lines.len(), 1, "{path}");
        }
    }

    #[test]
    fn what_differs_in_its_name_alone_is_renamed() {
        let renamed = |path: &'static str, base: &str, change: &str| {
            let found = renamed_declarations(&[(path, base)], &[(path, change)]);
            found.into_iter().map(|(old, new)| format!("{old} {new}")).collect::<Vec<_>>().join(", ")
        };
        for (path, base, change, expected) in [
            ("a.py", "def strip(text):\n    return text\n", "def trim(text):\n    return ''\n", "strip trim"),
            ("a.py", "def strip(text):\n    pass\n", "def trim(text, other):\n    pass\n", ""),
            ("a.go", "package a\n\nconst Max = 100\n", "package a\n\nconst Upper = 100\n", "Max Upper"),
            ("a.rs", "pub fn strip(a: u8) {}\n", "pub fn trim(a: u8) {}\n", "strip trim"),
            ("a.js", "export class Old {}\n", "export class New {}\n", "Old New"),
            ("a.py", "def a1():\n    pass\n\ndef a2():\n    pass\n", "def b1():\n    pass\n", ""),
            ("a.py", "def a1():\n    pass\n", "def a1():\n    pass\n\ndef b1():\n    pass\n", ""),
        ] {
            assert_eq!(renamed(path, base, change), expected, "{base}{change}");
        }
        assert_eq!(with_name("a.b = ab + a + $a", "a", "xyz"), "xyz.b = ab + xyz + $a");
    }
}
