//! One type name means one thing in the whole workspace.

use std::collections::BTreeMap;

use crate::syntax::{RustSource, line};

/// Names that may be defined more than once, each for a reason.
const KEPT: [&str; 4] = [
    // One role: the arguments of the command that the file implements.
    "Arguments",
    // The alias of `std::result::Result` with the error of its own program.
    "Result",
    // Two alternatives of one type: with and without a feature.
    "ParquetWriter",
    "TableWriter",
];

/// Names every type that is defined more than once, with the places.
pub fn duplicates(sources: &[RustSource]) -> Vec<String> {
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for source in sources {
        for (name, line) in definitions(source) {
            places.entry(name).or_default().push(format!("{}:{line}", source.path));
        }
    }
    let twice = places.into_iter().filter(|(name, places)| places.len() > 1 && !KEPT.contains(name));
    twice.map(|(name, places)| format!("`{name}`: {}", places.join(", "))).collect()
}

/// The structs, enums, unions, traits and aliases of a file, wherever in it they are defined. What belongs to
/// a trait and the bodies of `macro_rules!` do not count.
fn definitions(source: &RustSource) -> Vec<(&str, usize)> {
    let mut found = Vec::new();
    source.visit(&mut |node| {
        let is_alias = node.kind() == "type_item" && !is_associated(node);
        let is_type = matches!(node.kind(), "struct_item" | "enum_item" | "union_item" | "trait_item") || is_alias;
        if let Some(name) = node.child_by_field_name("name").filter(|_| is_type) {
            found.push((source.of(name), line(name)));
        }
        // In what a macro is given, a definition is a word and a name.
        let keyword = node.parent().filter(|parent| parent.kind() == "token_tree").and_then(|_| node.prev_sibling());
        if node.kind() == "identifier" && keyword.is_some_and(|word| matches!(source.of(word), "struct" | "enum")) {
            found.push((source.of(node), line(node)));
        }
        node.kind() != "macro_definition"
    });
    found
}

/// Whether an alias belongs to a trait, or to what implements one.
fn is_associated(alias: tree_sitter::Node<'_>) -> bool {
    let holder = alias.parent().filter(|list| list.kind() == "declaration_list").and_then(|list| list.parent());
    holder.is_some_and(|holder| matches!(holder.kind(), "impl_item" | "trait_item"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse_all;

    fn duplicates_of(texts: &[&str]) -> Vec<String> {
        let files: Vec<_> =
            texts.iter().enumerate().map(|(at, text)| (format!("{at}.rs"), (*text).to_owned())).collect();
        duplicates(&parse_all(&files).expect("parsed"))
    }

    #[test]
    fn a_name_is_defined_once_wherever_it_is() {
        for texts in [
            ["struct Line;", "fn f() { enum Line { A } }"],
            ["pub trait Line {}", "mod tests { type Line = u8; }"],
            ["union Line { a: u8 }", "make! { pub struct Line { a: u8 } }"],
        ] {
            assert_eq!(duplicates_of(&texts), ["`Line`: 0.rs:1, 1.rs:1"], "{texts:?}");
        }
    }

    #[test]
    fn uses_associated_types_and_bodies_of_macros_define_nothing() {
        for texts in [
            ["struct Line;", "use a::Line; fn f(line: Line) {}"],
            ["struct Item;", "trait A { type Item; } impl A for B { type Item = u8; }"],
            ["struct Line;", "macro_rules! a { () => { struct Line; } }"],
            ["struct Line;", "// struct Line;\nconst A: &str = \"struct Line;\";"],
            ["struct Arguments;", "struct Arguments;"],
        ] {
            assert_eq!(duplicates_of(&texts), [""; 0], "{texts:?}");
        }
    }
}
