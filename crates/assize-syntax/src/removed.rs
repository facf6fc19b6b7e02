//! Finds what a change removes: functions, types and constants that code of the base declares, and that code of the change does not.
//!
//! This module must not know who still asks for them.

use std::collections::BTreeSet;

use crate::facts::{DeclaredName, NameTable, Role};
use crate::language;

/// Something that a change removes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RemovedDeclaration {
    /// The file of the base in which it was declared.
    pub path: String,
    /// Its name.
    pub name: String,
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
                lines: own.into_iter().chain(parts.map(|part| part.line)).collect(),
            });
        }
    }
    removed
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
}
