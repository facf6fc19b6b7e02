//! JavaScript and TypeScript.
//!
//! `danger.rs` holds the rules that protect users, `deceit.rs` those that protect tests.

mod danger;
mod deceit;

use std::collections::HashMap;

use tree_sitter::Node;

use super::WeaknessCollector;
use super::code::{
    LanguageDialect, PIECES_MAX, Parameter, SourceCode, TextPiece, View, child_of_kind, children, field, sum, walk,
};
use super::origin::FunctionScopes;

/// The dialect.
struct ScriptDialect;

/// Searches a file.
pub(super) fn search<'t>(root: Node<'t>, text: &'t str, path: &str, found: &mut WeaknessCollector<'t>) -> bool {
    let mut file = ScriptFile { code: SourceCode::new(text, root, &ScriptDialect), path };
    imports(&mut file.code);
    let mut scopes = FunctionScopes::default();
    walk(root, &mut |node, above| {
        danger::visit(&file, node, above, &mut scopes, found);
        deceit::visit(&file, node, above, found);
        true
    });
    !file.code.is_exhausted()
}

/// A file of JavaScript or TypeScript.
struct ScriptFile<'t, 'p> {
    code: SourceCode<'t>,
    path: &'p str,
}

impl<'t> ScriptFile<'t, '_> {
    /// Returns the arguments of a call or of `new`.
    fn arguments(&self, call: Node<'t>) -> Vec<Node<'t>> {
        field(call, "arguments").filter(|list| list.kind() == "arguments").map(children).unwrap_or_default()
    }

    /// Returns the value of a property of an object that is written out.
    fn property(&self, object: Node<'t>, name: &str) -> Option<Node<'t>> {
        if object.kind() != "object" {
            return None;
        }
        let named = |pair: &Node<'t>| pair.kind() == "pair" && self.key(*pair) == Some(name);
        children(object).into_iter().find(named).and_then(|pair| field(pair, "value"))
    }

    /// Returns the name of a property, written plainly, quoted, or as `Symbol.x`.
    fn key(&self, pair: Node<'t>) -> Option<&'t str> {
        let key = field(pair, "key").or_else(|| field(pair, "name"))?;
        match key.kind() {
            "string" => self.code.literal(key),
            "computed_property_name" => {
                let inner = *children(key).first()?;
                self.code.literal(inner).or_else(|| Some(self.code.text(inner)))
            }
            _ => Some(self.code.text(key)),
        }
    }
}

/// Learns what each imported name stands for; `node:` before a module's name says nothing.
fn imports<'t>(code: &mut SourceCode<'t>) {
    let mut names = HashMap::new();
    walk(code.root, &mut |node, _| match node.kind() {
        "import_statement" => {
            imported(code, node, &mut names);
            false
        }
        "variable_declarator" => {
            required(code, node, &mut names);
            true
        }
        _ => true,
    });
    code.names = names;
}

fn imported<'t>(code: &SourceCode<'t>, node: Node<'t>, names: &mut HashMap<&'t str, String>) {
    let Some(module) = field(node, "source").and_then(|source| code.literal(source)) else { return };
    let module = module.trim_start_matches("node:");
    let Some(clause) = child_of_kind(node, "import_clause") else { return };
    for part in children(clause) {
        match part.kind() {
            "identifier" => {
                names.insert(code.text(part), module.to_owned());
            }
            "namespace_import" => {
                if let Some(name) = children(part).first() {
                    names.insert(code.text(*name), module.to_owned());
                }
            }
            "named_imports" => {
                for specifier in children(part) {
                    let name = code.field(specifier, "name");
                    let alias = code.field(specifier, "alias");
                    let local = if alias.is_empty() { name } else { alias };
                    let full = if name == "default" { module.to_owned() } else { format!("{module}.{name}") };
                    names.insert(local, full);
                }
            }
            _ => {}
        }
    }
}

/// `const x = require("m")`, `const { a: b } = require("m")` and `const x = promisify(a)`.
fn required<'t>(code: &SourceCode<'t>, node: Node<'t>, names: &mut HashMap<&'t str, String>) {
    let (Some(target), Some(value)) = (field(node, "name"), field(node, "value")) else { return };
    let View::Call { object, name, arguments } = code.view(value) else { return };
    let Some(argument) = arguments.first() else { return };
    if name == "promisify" {
        let wrapped = match code.view(*argument) {
            View::Name(inner) => names.get(inner).cloned(),
            View::Member { object, name: member } => match code.view(object) {
                View::Name(module) => names.get(module).map(|module| format!("{module}.{member}")),
                _ => None,
            },
            _ => None,
        };
        if let (Some(wrapped), "identifier") = (wrapped, target.kind()) {
            names.insert(code.text(target), wrapped);
        }
        return;
    }
    let (None, "require" | "import", Some(module)) = (object, name, code.literal(*argument)) else { return };
    let module = module.trim_start_matches("node:");
    match target.kind() {
        "identifier" => {
            names.insert(code.text(target), module.to_owned());
        }
        "object_pattern" => {
            for part in children(target) {
                match part.kind() {
                    "shorthand_property_identifier_pattern" => {
                        names.insert(code.text(part), format!("{module}.{}", code.text(part)));
                    }
                    "pair_pattern" => {
                        names.insert(code.field(part, "value"), format!("{module}.{}", code.field(part, "key")));
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

impl LanguageDialect for ScriptDialect {
    fn view<'t>(&self, node: Node<'t>, text: &'t str) -> View<'t> {
        let of = |node: Node<'_>| -> &'t str { text.get(node.byte_range()).unwrap_or_default() };
        match node.kind() {
            "number" | "string" | "true" | "false" | "null" | "undefined" | "regex" => View::Literal,
            "template_string" => match child_of_kind(node, "template_substitution") {
                None => View::Literal,
                Some(_) => View::Composed(template(node, text)),
            },
            "identifier" | "this" | "shorthand_property_identifier" => View::Name(of(node)),
            "member_expression" => match (field(node, "object"), field(node, "property")) {
                (Some(object), Some(name)) => View::Member { object, name: of(name) },
                _ => View::Other,
            },
            "subscript_expression" => match field(node, "object") {
                Some(object) => View::Index { object, key: field(node, "index") },
                None => View::Other,
            },
            "call_expression" => call(node, field(node, "function"), text),
            "new_expression" => call(node, field(node, "constructor"), text),
            "binary_expression" => sum(node, &|part| text_of(part, text)),
            "type_assertion" => children(node).last().map_or(View::Other, |inner| View::Wrapped(*inner)),
            "parenthesized_expression"
            | "await_expression"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression" => children(node).first().map_or(View::Other, |inner| View::Wrapped(*inner)),
            _ => View::Other,
        }
    }

    fn functions(&self) -> &'static [&'static str] {
        &[
            "function_declaration",
            "function_expression",
            "arrow_function",
            "method_definition",
            "generator_function_declaration",
            "generator_function",
        ]
    }

    fn conditions(&self) -> &'static [&'static str] {
        &["if_statement", "else_clause", "ternary_expression", "switch_case", "catch_clause", "while_statement"]
    }

    fn identifiers(&self) -> &'static [&'static str] {
        &["identifier", "shorthand_property_identifier"]
    }

    fn parameters<'t>(&self, function: Node<'t>, code: &SourceCode<'t>) -> Vec<Parameter<'t>> {
        let single = field(function, "parameter").map(|name| Parameter {
            name: code.text(name),
            harmless: false,
            outside: false,
        });
        let listed = field(function, "parameters").map(children).unwrap_or_default();
        let mut found: Vec<Parameter<'t>> = single.into_iter().collect();
        for parameter in listed {
            let kind = code.field(parameter, "type").trim_start_matches(':').trim();
            let harmless = matches!(kind, "number" | "boolean" | "bigint" | "Date");
            let decorator = child_of_kind(parameter, "decorator").map_or("", |decorator| code.text(decorator));
            let outside = ["@Query(", "@Body(", "@Param(", "@Headers("].iter().any(|mark| decorator.starts_with(mark));
            let name = match parameter.kind() {
                "identifier" => Some(parameter),
                "assignment_pattern" => field(parameter, "left"),
                _ => field(parameter, "pattern"),
            };
            let Some(name) = name else { continue };
            let parts = if name.kind() == "object_pattern" { children(name) } else { vec![name] };
            for part in parts {
                let part = field(part, "value").unwrap_or(part);
                let outside = outside && matches!(kind, "" | "string" | "any");
                found.push(Parameter { name: code.text(part), harmless, outside });
            }
        }
        found
    }

    fn assignment<'t>(&self, node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
        match node.kind() {
            "variable_declarator" => Some((field(node, "name")?, field(node, "value")?)),
            "assignment_expression" | "augmented_assignment_expression" => {
                Some((field(node, "left")?, field(node, "right")?))
            }
            _ => None,
        }
    }

    fn is_outside(&self, path: &str) -> bool {
        let Some((holder, part)) = path.rsplit_once('.') else { return false };
        let request = matches!(holder, "req" | "request" | "ctx" | "ctx.request" | "this.req" | "c.req" | "ctx.req");
        let event = holder == "event" && matches!(part, "queryStringParameters" | "pathParameters" | "body");
        event
            || request && matches!(part, "query" | "body" | "params" | "headers" | "cookies" | "queries" | "param")
            || holder.ends_with("nextUrl") && part == "searchParams"
    }
}

fn template<'t>(node: Node<'t>, text: &'t str) -> Vec<TextPiece<'t>> {
    children(node)
        .into_iter()
        .take(PIECES_MAX)
        .filter_map(|part| match part.kind() {
            "string_fragment" => Some(TextPiece::Text(text.get(part.byte_range()).unwrap_or_default())),
            "template_substitution" => children(part).first().map(|value| TextPiece::Value(*value)),
            _ => None,
        })
        .collect()
}

fn call<'t>(node: Node<'t>, function: Option<Node<'t>>, text: &'t str) -> View<'t> {
    let of = |node: Node<'_>| -> &'t str { text.get(node.byte_range()).unwrap_or_default() };
    let Some(function) = function else { return View::Other };
    let arguments =
        field(node, "arguments").filter(|list| list.kind() == "arguments").map(children).unwrap_or_default();
    match function.kind() {
        "identifier" | "import" => View::Call { object: None, name: of(function), arguments },
        "member_expression" => match (field(function, "object"), field(function, "property")) {
            (Some(object), Some(name)) => View::Call { object: Some(object), name: of(name), arguments },
            _ => View::Other,
        },
        _ => View::Call { object: Some(function), name: "", arguments },
    }
}

/// The parts of a node that is a text on its own; `None` for any other node.
fn text_of<'t>(node: Node<'t>, text: &'t str) -> Option<Vec<TextPiece<'t>>> {
    match node.kind() {
        "template_string" => Some(template(node, text)),
        "string" => {
            let inner = child_of_kind(node, "string_fragment");
            Some(vec![TextPiece::Text(inner.map_or("", |inner| text.get(inner.byte_range()).unwrap_or_default()))])
        }
        _ => None,
    }
}
