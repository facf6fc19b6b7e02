//! Rust.
//!
//! `danger.rs` holds the rules that protect users, `deceit.rs` and `detection.rs` those that protect tests.

mod danger;
mod deceit;
mod detection;

use std::collections::HashMap;

use assize_syntax::cfg::is_test_only;
use tree_sitter::Node;

use super::WeaknessCollector;
use super::code::{
    LanguageDialect, PIECES_MAX, Parameter, PlaceholderStyle, SourceCode, TextPiece, View, child_of_kind, children,
    field, formatted, line, sum, walk,
};
use super::origin::FunctionScopes;

/// The dialect.
struct RustDialect;

/// Searches a file.
pub(super) fn search<'t>(root: Node<'t>, text: &'t str, path: &str, found: &mut WeaknessCollector<'t>) -> bool {
    let mut file =
        RustFile { code: SourceCode::new(text, root, &RustDialect), path, attributes: attributes(root, text) };
    file.code.names = imports(root, text);
    let mut scopes = FunctionScopes::default();
    let mut tests = Vec::new();
    walk(root, &mut |node, above| {
        if matches!(node.kind(), "mod_item" | "function_item") && file.is_test(node) {
            tests.push(node);
        }
        danger::visit(&file, node, above, &mut scopes, found);
        deceit::visit(&file, node, above, found);
        detection::visit(&file, node, above, found);
        true
    });
    for test in tests {
        found.mark_test(line(test), u32::try_from(test.end_position().row + 1).unwrap_or(u32::MAX));
    }
    !file.code.is_exhausted()
}

/// A file of Rust.
struct RustFile<'t, 'p> {
    code: SourceCode<'t>,
    path: &'p str,
    /// The attributes of items, by the id of the item's node.
    attributes: HashMap<usize, Vec<&'t str>>,
}

impl<'t> RustFile<'t, '_> {
    fn attributes(&self, item: Node<'t>) -> &[&'t str] {
        self.attributes.get(&item.id()).map_or(&[], Vec::as_slice)
    }

    /// Returns whether an item is compiled for tests only.
    fn is_test(&self, item: Node<'t>) -> bool {
        self.attributes(item).iter().any(|attribute| {
            let inner = attribute.trim_start_matches("#[").trim_end_matches(']');
            let name = inner.split('(').next().unwrap_or(inner).trim();
            let last = name.rsplit("::").next().unwrap_or(name);
            matches!(last, "test" | "rstest" | "test_case" | "bench") || is_test_only(inner)
        })
    }
}

/// Collects the attributes that stand before each item.
fn attributes<'t>(root: Node<'t>, text: &'t str) -> HashMap<usize, Vec<&'t str>> {
    let mut found = HashMap::new();
    walk(root, &mut |node, _| {
        if matches!(node.kind(), "source_file" | "declaration_list" | "block") {
            let mut pending: Vec<&'t str> = Vec::new();
            for child in children(node) {
                if child.kind() == "attribute_item" {
                    pending.push(text.get(child.byte_range()).unwrap_or_default());
                } else if !pending.is_empty() {
                    found.insert(child.id(), std::mem::take(&mut pending));
                }
            }
        }
        true
    });
    found
}

/// Learns what each imported name stands for, as a path with dots.
fn imports<'t>(root: Node<'t>, text: &'t str) -> HashMap<&'t str, String> {
    let of = |node: Node<'_>| -> &'t str { text.get(node.byte_range()).unwrap_or_default() };
    let dotted = |path: &str| path.replace("::", ".").replace(' ', "");
    let mut names = HashMap::new();
    walk(root, &mut |node, _| {
        if node.kind() != "use_declaration" {
            return true;
        }
        let mut left: Vec<(Node<'t>, String)> =
            field(node, "argument").into_iter().map(|tree| (tree, String::new())).collect();
        while let Some((tree, prefix)) = left.pop() {
            let join = |path: &str| if prefix.is_empty() { dotted(path) } else { format!("{prefix}.{}", dotted(path)) };
            match tree.kind() {
                "scoped_use_list" => {
                    let prefix = join(field(tree, "path").map_or("", of));
                    left.extend(
                        field(tree, "list")
                            .map(children)
                            .unwrap_or_default()
                            .into_iter()
                            .map(|part| (part, prefix.clone())),
                    );
                }
                "use_list" => left.extend(children(tree).into_iter().map(|part| (part, prefix.clone()))),
                "use_as_clause" => {
                    let path = field(tree, "path").map_or("", of);
                    let full = if path == "self" { prefix.clone() } else { join(path) };
                    names.insert(field(tree, "alias").map_or("", of), full);
                }
                "self" => {
                    // The prefix itself is imported, under its last part; that part lies in the text before the list.
                    let last = prefix.rsplit('.').next().unwrap_or_default().to_owned();
                    if let Some(start) = text[..tree.start_byte()].rfind(&last) {
                        names.insert(&text[start..start + last.len()], prefix.clone());
                    }
                }
                "identifier" | "scoped_identifier" => {
                    let path = of(tree);
                    let last = path.rsplit("::").next().unwrap_or(path);
                    names.insert(last, join(path));
                }
                _ => {}
            }
        }
        false
    });
    names
}

impl LanguageDialect for RustDialect {
    fn view<'t>(&self, node: Node<'t>, text: &'t str) -> View<'t> {
        let of = |node: Node<'_>| -> &'t str { text.get(node.byte_range()).unwrap_or_default() };
        match node.kind() {
            "string_literal" | "raw_string_literal" | "integer_literal" | "float_literal" | "boolean_literal"
            | "char_literal" => View::Literal,
            "identifier" | "self" | "type_identifier" | "crate" | "super" => View::Name(of(node)),
            "scoped_identifier" | "scoped_type_identifier" => match (field(node, "path"), field(node, "name")) {
                (Some(object), Some(name)) => View::Member { object, name: of(name) },
                (None, Some(name)) => View::Name(of(name)),
                _ => View::Other,
            },
            "field_expression" => match (field(node, "value"), field(node, "field")) {
                (Some(object), Some(name)) => View::Member { object, name: of(name) },
                _ => View::Other,
            },
            "call_expression" => call(node, text),
            "macro_invocation" => macro_call(node, text),
            "index_expression" => children(node)
                .first()
                .map_or(View::Other, |object| View::Index { object: *object, key: children(node).get(1).copied() }),
            "binary_expression" => sum(node, &|part| text_of(part, text)),
            "reference_expression" => field(node, "value").map_or(View::Other, View::Wrapped),
            "type_cast_expression" => field(node, "value").map_or(View::Other, View::Wrapped),
            "try_expression" | "await_expression" | "parenthesized_expression" | "generic_function" => {
                children(node).first().map_or(View::Other, |inner| View::Wrapped(*inner))
            }
            _ => View::Other,
        }
    }

    fn functions(&self) -> &'static [&'static str] {
        &["function_item", "closure_expression"]
    }

    fn conditions(&self) -> &'static [&'static str] {
        &["if_expression", "match_arm", "else_clause", "while_expression"]
    }

    fn identifiers(&self) -> &'static [&'static str] {
        &["identifier"]
    }

    fn parameters<'t>(&self, function: Node<'t>, code: &SourceCode<'t>) -> Vec<Parameter<'t>> {
        const NUMBERS: [&str; 18] = [
            "u8",
            "u16",
            "u32",
            "u64",
            "u128",
            "usize",
            "i8",
            "i16",
            "i32",
            "i64",
            "i128",
            "isize",
            "f32",
            "f64",
            "bool",
            "char",
            "Uuid",
            "NonZeroU64",
        ];
        let listed = field(function, "parameters").map(children).unwrap_or_default();
        listed
            .into_iter()
            .filter_map(|parameter| {
                let pattern = field(parameter, "pattern")?;
                let kind = code.field(parameter, "type").trim_start_matches('&');
                let harmless =
                    NUMBERS.contains(&kind) || NUMBERS.iter().any(|number| kind == format!("Option<{number}>"));
                match pattern.kind() {
                    "identifier" => Some(Parameter { name: code.text(pattern), harmless, outside: false }),
                    // `Path(name): Path<String>` is how web frameworks hand over what was sent.
                    "tuple_struct_pattern" => {
                        let extractor = code.field(pattern, "type").rsplit("::").next().unwrap_or_default();
                        let inner = *children(pattern).get(1)?;
                        let outside = matches!(extractor, "Path" | "Query" | "Form" | "Json");
                        let text = kind.ends_with("<String>");
                        (inner.kind() == "identifier").then_some(Parameter {
                            name: code.text(inner),
                            harmless: outside
                                && !text
                                && NUMBERS.iter().any(|number| kind.ends_with(&format!("<{number}>"))),
                            outside: outside && !NUMBERS.iter().any(|number| kind.ends_with(&format!("<{number}>"))),
                        })
                    }
                    _ => None,
                }
            })
            .collect()
    }

    fn assignment<'t>(&self, node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
        match node.kind() {
            "let_declaration" => Some((field(node, "pattern")?, field(node, "value")?)),
            "assignment_expression" | "compound_assignment_expr" => Some((field(node, "left")?, field(node, "right")?)),
            _ => None,
        }
    }

    fn is_outside(&self, path: &str) -> bool {
        matches!(path, "req.match_info" | "req.query_string" | "request.query_string")
    }
}

fn call<'t>(node: Node<'t>, text: &'t str) -> View<'t> {
    let of = |node: Node<'_>| -> &'t str { text.get(node.byte_range()).unwrap_or_default() };
    let Some(mut function) = field(node, "function") else { return View::Other };
    if function.kind() == "generic_function" {
        let Some(inner) = field(function, "function") else { return View::Other };
        function = inner;
    }
    let arguments = field(node, "arguments").map(children).unwrap_or_default();
    let (object, name) = match function.kind() {
        "identifier" => return View::Call { object: None, name: of(function), arguments },
        "field_expression" => (field(function, "value"), field(function, "field")),
        "scoped_identifier" => (field(function, "path"), field(function, "name")),
        _ => (Some(function), None),
    };
    View::Call { object, name: name.map_or("", of), arguments }
}

/// `format!("…", a, b)` puts a text together; other macros are opaque.
fn macro_call<'t>(node: Node<'t>, text: &'t str) -> View<'t> {
    let of = |node: Node<'_>| -> &'t str { text.get(node.byte_range()).unwrap_or_default() };
    let name = field(node, "macro").map_or("", of).rsplit("::").next().unwrap_or_default();
    let Some(tokens) = child_of_kind(node, "token_tree").filter(|_| matches!(name, "format" | "format_args")) else {
        return View::Other;
    };
    let parts = children(tokens);
    let Some(format) = parts.first().filter(|first| first.kind().ends_with("string_literal")) else {
        return View::Other;
    };
    let content = child_of_kind(*format, "string_content").map_or("", of);
    // Tokens are no expressions: each group between commas stands for its first token, or for nothing known.
    let mut values = Vec::new();
    let mut cursor = tokens.walk();
    let mut group: Vec<Node<'t>> = Vec::new();
    for token in tokens.children(&mut cursor).skip(2) {
        match token.kind() {
            "," | ")" | "]" | "}" => values.extend(std::mem::take(&mut group).first().copied()),
            _ => group.push(token),
        }
    }
    View::Composed(formatted(content, &values, PlaceholderStyle::Braces).into_iter().take(PIECES_MAX).collect())
}

/// The parts of a node that is a text on its own, such as `"a"` or `"a".to_owned()`; `None` for any other node.
fn text_of<'t>(node: Node<'t>, text: &'t str) -> Option<Vec<TextPiece<'t>>> {
    let node = match node.kind() {
        "call_expression" => match RustDialect.view(node, text) {
            View::Call { object: Some(object), name: "to_owned" | "to_string" | "into", .. } => object,
            _ => return None,
        },
        _ => node,
    };
    let inner = node.kind().ends_with("string_literal").then(|| child_of_kind(node, "string_content"))?;
    Some(vec![TextPiece::Text(inner.map_or("", |inner| text.get(inner.byte_range()).unwrap_or_default()))])
}
