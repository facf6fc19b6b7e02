//! The schema language of GraphQL: whether a file can be read, and whether its types are there, each once.
//!
//! Files of queries are only read. Several files may make up one schema, so that a type counts as known wherever in the
//! tree it is defined.

use std::collections::BTreeSet;

use assize_core::finding::Certainty;
use assize_core::text::{make_visible, quote};
use assize_syntax::schema_type::graphql::{GraphqlDefinition, read};

use super::{Aspect, Checked, SchemaTree};

const BUILT_IN: [&str; 5] = ["Boolean", "Float", "ID", "Int", "String"];

/// A file that was read.
struct TypesFile<'a> {
    path: &'a str,
    definitions: Vec<GraphqlDefinition>,
    /// Whether another system brings types along that stand nowhere.
    open: bool,
}

/// Looks at every file.
pub(super) fn check(tree: &SchemaTree<'_>, checked: &mut Checked) {
    let is_graphql = |path: &str| [".graphql", ".graphqls", ".gql"].iter().any(|ending| path.ends_with(ending));
    let mut files = Vec::new();
    // What a file declares that was not read is not known.
    let mut open = tree.paths.iter().any(|path| is_graphql(path) && !tree.texts.contains_key(path));
    for (path, text) in tree.texts.iter().filter(|(path, _)| is_graphql(path)) {
        match types_file(path, text, checked) {
            Some(file) => files.push(file),
            None => open = true,
        }
    }
    files.retain(|file| !file.definitions.is_empty());
    let known: BTreeSet<&str> = files
        .iter()
        .flat_map(|file| &file.definitions)
        .filter(|of| is_definition(of))
        .map(|of| of.name.as_str())
        .collect();
    open |= files.iter().any(|file| file.open);
    for file in &files {
        checked.saw(Aspect::Graphql);
        duplicates(file, checked);
        if !open {
            unknown(file, &known, checked);
        }
    }
}

/// Reads a file; nothing where it cannot be read.
fn types_file<'a>(path: &'a str, text: &str, checked: &mut Checked) -> Option<TypesFile<'a>> {
    let file = read(text);
    if let Some(fault) = file.fault {
        if fault.is_limit {
            checked.limit(format!("{} was not looked at: it is beyond the limits of GraphQL files", quote(path)));
            return None;
        }
        let only_types = !file.has_queries && !file.definitions.is_empty();
        let certainty = if only_types { Certainty::Certain } else { Certainty::Likely };
        checked.saw(Aspect::Graphql);
        checked.fault(
            Aspect::Graphql,
            "unreadable",
            (path, fault.line),
            certainty,
            make_visible(&fault.message).into_owned(),
        );
        return None;
    }
    let federated = ["@key", "@link", "@external", "@shareable", "@aws_", "@model", "AWS"];
    let open = federated.iter().any(|mark| text.contains(mark));
    Some(TypesFile { path, definitions: file.definitions, open })
}

/// Returns whether it defines a type by this name.
fn is_definition(of: &GraphqlDefinition) -> bool {
    of.kind.is_some() && !of.is_extension && !of.name.is_empty()
}

fn duplicates(file: &TypesFile<'_>, checked: &mut Checked) {
    let mut seen = BTreeSet::new();
    for definition in &file.definitions {
        if is_definition(definition) && !seen.insert(&definition.name) {
            let message = format!("the type {} is defined twice", quote(&definition.name));
            let place = (file.path, definition.line);
            checked.fault(Aspect::Graphql, "duplicate-type", place, Certainty::Certain, message);
        }
        let mut fields = BTreeSet::new();
        for field in &definition.fields {
            if !fields.insert(&field.name) {
                let message = format!("{} stands twice in one type", quote(&field.name));
                let place = (file.path, field.line);
                checked.fault(Aspect::Graphql, "duplicate-field", place, Certainty::Certain, message);
            }
        }
    }
}

fn unknown(file: &TypesFile<'_>, known: &BTreeSet<&str>, checked: &mut Checked) {
    let mut told = BTreeSet::new();
    for (name, line) in file.definitions.iter().flat_map(|definition| &definition.uses) {
        let is_known = known.contains(name.as_str()) || BUILT_IN.contains(&name.as_str()) || name.starts_with("__");
        if !is_known && told.insert(name) {
            let message = format!("no file defines the type {}", quote(name));
            checked.fault(Aspect::Graphql, "unknown-type", (file.path, *line), Certainty::Certain, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use assize_syntax::schema_type::graphql::{DEPTH_MAX, TOKENS_MAX};

    use super::*;
    use crate::schema::tests::looked;

    fn look(files: &[(&str, &str)]) -> Vec<String> {
        looked(files, check)
    }

    #[test]
    fn types_are_there_and_each_once() {
        for (text, expected) in [
            ("type Query { a(b: In): [Order!]! }\ninput In { a: Int = 1 }\ntype Order { id: ID! }", &[][..]),
            ("type Query {\n  a: Order\n}", &["2 unknown-type"]),
            ("type Query { a: Int }\ntype Query { b: Int }", &["2 duplicate-type"]),
            ("type Query { a: Int }\nextend type Query { b: Int }", &[]),
            ("type Query {\n  a: Int\n  # again\n  a: Int\n}", &["4 duplicate-field"]),
            ("enum Kind { A\nA }", &["2 duplicate-field"]),
            ("type Query {\n  a: \n}", &["3 unreadable"]),
            ("union Both = A | B\ntype A { a: Int }", &["1 unknown-type"]),
            ("type A implements Node { id: ID }", &["1 unknown-type"]),
            ("schema { query: Root }\ntype Root { a: Int }", &[]),
            ("scalar Date\ntype Query { a: Date @deprecated(reason: \"b\") }", &[]),
            ("type A @key(fields: \"id\") { id: _Any }", &[]),
            ("query Q($a: Unknown) { b }", &[]),
            ("query Q { b", &["1 unreadable?"]),
        ] {
            assert_eq!(look(&[("a.graphql", text)]), expected, "{text}");
        }
        let two = [("a.graphql", "type Query { a: Order }"), ("b.gql", "type Order { a: Int }")];
        assert_eq!(look(&two), [""; 0]);
    }

    #[test]
    fn limits_hold() {
        let deep = |depth: usize| {
            let text = format!("type A {{ a: {}Unknown{} }}", "[".repeat(depth), "]".repeat(depth));
            look(&[("a.graphql", &text)]).len()
        };
        let most = (1..2 * DEPTH_MAX).take_while(|depth| deep(*depth) == 1).last();
        assert_eq!((most, deep(20_000)), (Some(DEPTH_MAX), 0));
        // A token each: the words, the blanks between them, and the end.
        let many =
            |tokens: usize| look(&[("a.graphql", &format!("type A {{ a: Unknown }}{}", " #\n".repeat(tokens)))]).len();
        assert_eq!((many(1), many(TOKENS_MAX)), (1, 0));
    }
}
