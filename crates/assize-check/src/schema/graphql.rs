//! The schema language of GraphQL: whether a file can be read, and whether its types are there, each once.
//!
//! The crate `apollo-parser` reads. Files of queries are only read. Several files may make up one schema, so that a type
//! counts as known wherever in the tree it is defined.

use std::collections::BTreeSet;

use apollo_parser::Parser;
use apollo_parser::cst::{
    CstNode, Definition, EnumValuesDefinition, FieldsDefinition, InputFieldsDefinition, NamedType,
};
use assize_core::finding::Certainty;
use assize_core::text::quote;

use super::{Aspect, Checked, SchemaTree};

/// Most tokens of one file.
pub const TOKENS_MAX: usize = 500_000;
/// How deep types and values may be nested.
pub const DEPTH_MAX: usize = 200;

const BUILT_IN: [&str; 5] = ["Boolean", "Float", "ID", "Int", "String"];

/// A file that was read.
struct GraphqlFile<'a> {
    path: &'a str,
    text: &'a str,
    ends: Vec<usize>,
    definitions: Vec<Definition>,
    /// Whether another system brings types along that stand nowhere.
    open: bool,
}

/// Looks at every file.
pub(super) fn check(tree: &SchemaTree<'_>, checked: &mut Checked) {
    let mut files = Vec::new();
    for (path, text) in tree.texts {
        if [".graphql", ".graphqls", ".gql"].iter().any(|ending| path.ends_with(ending))
            && let Some(file) = read(path, text, checked)
        {
            files.push(file);
        }
    }
    let known: BTreeSet<String> = files.iter().flat_map(|file| &file.definitions).filter_map(defined).collect();
    let open = files.iter().any(|file| file.open);
    for file in &files {
        checked.saw(Aspect::Graphql);
        duplicates(file, checked);
        if !open {
            unknown(file, &known, checked);
        }
    }
}

/// Reads a file; nothing where it has no types, or cannot be read.
fn read<'a>(path: &'a str, text: &'a str, checked: &mut Checked) -> Option<GraphqlFile<'a>> {
    let tree = Parser::new(text).recursion_limit(DEPTH_MAX).token_limit(TOKENS_MAX).parse();
    let definitions: Vec<Definition> = tree.document().definitions().collect();
    let is_types = |definition: &Definition| {
        !matches!(definition, Definition::OperationDefinition(_) | Definition::FragmentDefinition(_))
    };
    let only_types = definitions.iter().all(is_types);
    if let Some(error) = tree.errors().next() {
        if error.is_limit() {
            checked.limit(format!("{} was not looked at: it is beyond the limits of GraphQL files", quote(path)));
            return None;
        }
        let certainty = if only_types && !definitions.is_empty() { Certainty::Certain } else { Certainty::Likely };
        checked.saw(Aspect::Graphql);
        let message = first_line(error.message());
        checked.fault(Aspect::Graphql, "unreadable", (path, line(&ends(text), error.index())), certainty, message);
        return None;
    }
    if !definitions.iter().any(is_types) {
        return None;
    }
    let federated = ["@key", "@link", "@external", "@shareable", "@aws_", "@model", "AWS"];
    Some(GraphqlFile {
        path,
        text,
        ends: ends(text),
        open: federated.iter().any(|mark| text.contains(mark)),
        definitions,
    })
}

fn first_line(message: &str) -> String {
    assize_core::text::make_visible(message.lines().next().unwrap_or_default()).chars().take(300).collect()
}

/// The ends of the lines of a text.
fn ends(text: &str) -> Vec<usize> {
    text.match_indices('\n').map(|(at, _)| at).collect()
}

fn line(ends: &[usize], offset: usize) -> u32 {
    u32::try_from(ends.partition_point(|end| *end < offset) + 1).unwrap_or(u32::MAX)
}

fn place<'f>(file: &GraphqlFile<'f>, node: &impl CstNode) -> (&'f str, u32) {
    // What stands before a name are blanks and comments.
    let start = usize::from(node.syntax().text_range().start());
    let rest = file.text.get(start..).unwrap_or_default();
    (file.path, line(&file.ends, start + rest.len() - rest.trim_start().len()))
}

/// The name of a type that is defined, not extended.
fn defined(definition: &Definition) -> Option<String> {
    let name = match definition {
        Definition::ScalarTypeDefinition(of) => of.name(),
        Definition::ObjectTypeDefinition(of) => of.name(),
        Definition::InterfaceTypeDefinition(of) => of.name(),
        Definition::UnionTypeDefinition(of) => of.name(),
        Definition::EnumTypeDefinition(of) => of.name(),
        Definition::InputObjectTypeDefinition(of) => of.name(),
        _ => None,
    };
    name.map(|name| name.text().to_string())
}

fn duplicates(file: &GraphqlFile<'_>, checked: &mut Checked) {
    let mut seen = BTreeSet::new();
    for definition in &file.definitions {
        if let Some(name) = defined(definition)
            && !seen.insert(name.clone())
        {
            let message = format!("the type {} is defined twice", quote(&name));
            let at = name_place(file, definition);
            checked.fault(Aspect::Graphql, "duplicate-type", at, Certainty::Certain, message);
        }
        for node in definition.syntax().descendants() {
            let names: Vec<(String, (&str, u32))> = if let Some(list) = FieldsDefinition::cast(node.clone()) {
                named(list.field_definitions().map(|field| (field.name(), place(file, &field))))
            } else if let Some(list) = InputFieldsDefinition::cast(node.clone()) {
                named(list.input_value_definitions().map(|field| (field.name(), place(file, &field))))
            } else if let Some(list) = EnumValuesDefinition::cast(node) {
                let values = list.enum_value_definitions();
                named(values.map(|value| (value.enum_value().and_then(|value| value.name()), place(file, &value))))
            } else {
                continue;
            };
            let mut seen = BTreeSet::new();
            for (name, at) in names {
                if !seen.insert(name.clone()) {
                    let message = format!("{} stands twice in one type", quote(&name));
                    checked.fault(Aspect::Graphql, "duplicate-field", at, Certainty::Certain, message);
                }
            }
        }
    }
}

type DefinitionPlace<'p> = (&'p str, u32);

fn named<'p>(
    list: impl Iterator<Item = (Option<apollo_parser::cst::Name>, DefinitionPlace<'p>)>,
) -> Vec<(String, DefinitionPlace<'p>)> {
    list.filter_map(|(name, place)| Some((name?.text().to_string(), place))).collect()
}

fn name_place<'f>(file: &GraphqlFile<'f>, definition: &Definition) -> DefinitionPlace<'f> {
    let name = definition.syntax().children().find_map(apollo_parser::cst::Name::cast);
    name.map_or_else(|| place(file, definition), |name| place(file, &name))
}

fn unknown(file: &GraphqlFile<'_>, known: &BTreeSet<String>, checked: &mut Checked) {
    let mut told = BTreeSet::new();
    for definition in &file.definitions {
        if matches!(definition, Definition::OperationDefinition(_) | Definition::FragmentDefinition(_)) {
            continue;
        }
        for used in definition.syntax().descendants().filter_map(NamedType::cast) {
            let Some(name) = used.name().map(|name| name.text().to_string()) else { continue };
            let is_known = known.contains(&name) || BUILT_IN.contains(&&*name) || name.starts_with("__");
            if !is_known && told.insert(name.clone()) {
                let message = format!("no file defines the type {}", quote(&name));
                checked.fault(Aspect::Graphql, "unknown-type", place(file, &used), Certainty::Certain, message);
            }
        }
    }
}

#[cfg(test)]
mod tests {

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
