//! What a project offers to others: its public names, each with its place.

use assize_ecosystem::FileRole;
use assize_syntax::facts::{FileFacts, Role};
use serde::{Deserialize, Serialize};

/// Public names that are listed at most.
pub const PUBLIC_NAMES_MAX: usize = 5_000;

/// A name that a project offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PublicName {
    /// The name.
    pub name: String,
    /// The type that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// What it names.
    pub role: Role,
    /// The file.
    pub path: String,
    /// The line, counted from 1.
    pub line: u32,
}

/// The public names of a project.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PublicNames {
    /// The names, by file and line.
    pub names: Vec<PublicName>,
    /// How many there are, those beyond the limit included.
    pub total: usize,
}

/// Collects what files offer, in the order in which they are given.
///
/// What types are made of (fields, variants) is left to the place where the type stands; tests offer nothing. Of more
/// than [`PUBLIC_NAMES_MAX`] names those that stand for themselves come before those that belong to a type.
pub fn public_names<'a>(files: impl IntoIterator<Item = (&'a str, &'a FileFacts)>) -> PublicNames {
    let mut names: Vec<PublicName> = Vec::new();
    for (path, facts) in files.into_iter().filter(|(path, _)| !FileRole::of(path).is_for_tests()) {
        let offered = facts.names.iter().filter(|name| name.public && is_offered(name.role));
        names.extend(offered.map(|name| PublicName {
            name: name.text.to_owned(),
            owner: name.owner.map(str::to_owned),
            role: name.role,
            path: path.to_owned(),
            line: name.line,
        }));
    }
    let total = names.len();
    if total > PUBLIC_NAMES_MAX {
        let own = names.iter().filter(|name| name.owner.is_none()).count();
        let mut members = PUBLIC_NAMES_MAX.saturating_sub(own);
        names.retain(|name| {
            let keep = name.owner.is_none() || members > 0;
            members -= usize::from(name.owner.is_some() && keep);
            keep
        });
        names.truncate(PUBLIC_NAMES_MAX);
    }
    PublicNames { names, total }
}

fn is_offered(role: Role) -> bool {
    match role {
        Role::Function
        | Role::Method
        | Role::Type
        | Role::Interface
        | Role::Enum
        | Role::Constant
        | Role::Variable
        | Role::Module
        | Role::Component => true,
        Role::Variant | Role::Parameter | Role::Field | Role::TypeParameter | Role::Test => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_syntax::facts::DeclaredName;
    use assize_syntax::language::read;

    fn listed(files: &[(&str, &str)]) -> Vec<String> {
        let facts: Vec<_> =
            files.iter().map(|(path, text)| (*path, read(path, text).expect("a known language"))).collect();
        public_names(facts.iter().map(|(path, facts)| (*path, facts)))
            .names
            .into_iter()
            .map(|name| {
                let owner = name.owner.map(|owner| format!("{owner}.")).unwrap_or_default();
                format!("{}:{} {} {owner}{}", name.path, name.line, name.role.id(), name.name)
            })
            .collect()
    }

    #[test]
    fn public_names_have_a_place() {
        let rust = "pub struct Ledger { pub path: u8 }\nimpl Ledger {\n    pub fn open() {}\n    fn close() {}\n}\nfn own() {}\n";
        let python = "LIMIT = 3\n_own = 4\ndef open_it(path):\n    pass\n";
        assert_eq!(
            listed(&[
                ("src/a.rs", rust),
                ("b.py", python),
                ("tests/c.rs", "pub fn help() {}"),
                ("d.rs", "pub enum E { A }")
            ]),
            [
                "src/a.rs:1 type Ledger",
                "src/a.rs:3 method Ledger.open",
                "b.py:1 constant LIMIT",
                "b.py:3 function open_it",
                "d.rs:1 enum E",
            ]
        );
    }

    #[test]
    fn the_list_is_bounded_and_members_go_first() {
        let with = |own: usize, members: usize| {
            let name = |owner, line: usize| DeclaredName {
                text: "open",
                owner,
                role: if owner.is_some() { Role::Method } else { Role::Function },
                public: true,
                line: u32::try_from(line).expect("a small number"),
            };
            let names =
                (0..members).map(|line| name(Some("Ledger"), line)).chain((0..own).map(|line| name(None, line)));
            let facts = FileFacts { names: names.collect(), ..FileFacts::default() };
            let found = public_names([("a.rs", &facts)]);
            let kept = found.names.iter().filter(|name| name.owner.is_none()).count();
            (found.total, found.names.len(), kept)
        };
        assert_eq!(with(PUBLIC_NAMES_MAX - 10, 10), (PUBLIC_NAMES_MAX, PUBLIC_NAMES_MAX, PUBLIC_NAMES_MAX - 10));
        assert_eq!(with(10, PUBLIC_NAMES_MAX), (PUBLIC_NAMES_MAX + 10, PUBLIC_NAMES_MAX, 10));
        assert_eq!(with(PUBLIC_NAMES_MAX + 1, 1), (PUBLIC_NAMES_MAX + 2, PUBLIC_NAMES_MAX, PUBLIC_NAMES_MAX));
    }
}
