//! Python.
//!
//! `danger.rs` holds the rules that protect users, `deceit.rs` those that protect tests.

mod danger;
mod deceit;

use std::collections::HashMap;

use tree_sitter::Node;

use super::WeaknessCollector;
use super::code::{
    LanguageDialect, PIECES_MAX, Parameter, PlaceholderStyle, SourceCode, TextPiece, View, child_of_kind, children,
    field, formatted, line, sum, walk,
};
use super::origin::FunctionScopes;

/// The dialect.
struct PythonDialect;

/// Searches a file.
pub(super) fn search<'t>(root: Node<'t>, text: &'t str, path: &str, found: &mut WeaknessCollector<'t>) -> bool {
    let names = imports(root, text);
    let mut file = PythonFile { code: SourceCode::new(text, root, &PythonDialect), path };
    file.code.names = names;
    aliases(&mut file);
    let mut scopes = FunctionScopes::default();
    walk(root, &mut |node, above| {
        danger::visit(&file, node, above, &mut scopes, found);
        deceit::visit(&file, node, above, found);
        true
    });
    for class in tests_in(&file) {
        found.mark_test(line(class), u32::try_from(class.end_position().row + 1).unwrap_or(u32::MAX));
    }
    !file.code.is_exhausted()
}

/// A file of Python.
struct PythonFile<'t, 'p> {
    code: SourceCode<'t>,
    path: &'p str,
}

impl<'t> PythonFile<'t, '_> {
    /// Spells the function that a call calls, imports resolved.
    fn callee(&self, call: Node<'t>) -> Option<String> {
        let path = self.code.path(field(call, "function")?)?;
        // `sys.modules["m"].f` is `m.f`.
        let module = path.strip_prefix("sys.modules.").filter(|rest| deceit::is_runner(rest));
        Some(module.map_or(path.clone(), str::to_owned))
    }

    /// Returns whether a path begins with the name of a module that the file does not import.
    fn is_own_name(&self, path: &str) -> bool {
        const MODULES: [&str; 16] = [
            "yaml",
            "os",
            "subprocess",
            "pickle",
            "cPickle",
            "_pickle",
            "dill",
            "cloudpickle",
            "jsonpickle",
            "marshal",
            "jwt",
            "jose",
            "ssl",
            "hashlib",
            "tempfile",
            "shutil",
        ];
        let first = path.split('.').next().unwrap_or(path);
        MODULES.contains(&first) && !self.imports(first)
    }

    /// Returns the value of an argument that is given by name.
    fn keyword(&self, call: Node<'t>, name: &str) -> Option<Node<'t>> {
        let arguments = children(field(call, "arguments")?);
        let named =
            |argument: &&Node<'t>| argument.kind() == "keyword_argument" && self.code.field(**argument, "name") == name;
        arguments.iter().find(named).and_then(|argument| field(*argument, "value"))
    }

    /// Returns an argument by its place or its name.
    fn argument(&self, call: Node<'t>, place: usize, name: &str) -> Option<Node<'t>> {
        positional(call).get(place).copied().or_else(|| self.keyword(call, name))
    }

    /// Returns whether the file imports a module or something of it.
    fn imports(&self, module: &str) -> bool {
        self.code.names.values().any(|path| path == module || path.starts_with(&format!("{module}.")))
    }

    /// Returns whether code stands below `if __name__ == "__main__"`.
    fn is_main_guarded(&self, above: &[Node<'t>]) -> bool {
        above.iter().any(|node| {
            node.kind() == "if_statement" && {
                let condition = self.code.field(*node, "condition");
                condition.contains("__name__") && condition.contains("__main__")
            }
        })
    }
}

/// Lists the arguments of a call that are given by their place.
fn positional(call: Node<'_>) -> Vec<Node<'_>> {
    let Some(arguments) = field(call, "arguments").filter(|arguments| arguments.kind() == "argument_list") else {
        return Vec::new();
    };
    children(arguments).into_iter().filter(|argument| argument.kind() != "keyword_argument").collect()
}

/// What each imported name stands for.
fn imports<'t>(root: Node<'t>, text: &'t str) -> HashMap<&'t str, String> {
    let of = |node: Node<'_>| -> &'t str { text.get(node.byte_range()).unwrap_or_default() };
    let mut names = HashMap::new();
    walk(root, &mut |node, _| {
        let module = match node.kind() {
            "import_statement" => None,
            "import_from_statement" => field(node, "module_name").map(of),
            _ => return !node.kind().contains("expression") && node.kind() != "string",
        };
        let mut cursor = node.walk();
        for name in node.children_by_field_name("name", &mut cursor) {
            let aliased = name.kind() == "aliased_import";
            let full = if aliased { field(name, "name").map_or("", of) } else { of(name) };
            let first = full.split('.').next().unwrap_or(full);
            match (module, field(name, "alias").map(of)) {
                (Some(module), alias) => names.insert(alias.unwrap_or(full), format!("{module}.{full}")),
                (None, Some(alias)) => names.insert(alias, full.to_owned()),
                (None, None) => names.insert(first, first.to_owned()),
            };
        }
        false
    });
    names
}

/// Learns the names that stand for modules of test runners by an assignment: `result = unittest.TextTestResult`,
/// `rewrite = sys.modules["_pytest.assertion.rewrite"]`.
fn aliases(file: &mut PythonFile<'_, '_>) {
    let mut found = Vec::new();
    walk(file.code.root, &mut |node, _| {
        if node.kind() == "assignment"
            && let (Some(left), Some(right)) = (field(node, "left"), field(node, "right"))
            && left.kind() == "identifier"
        {
            let path =
                module_named_by(file, right).or_else(|| file.code.path(right).filter(|_| right.kind() == "attribute"));
            found.extend(path.filter(|path| deceit::is_runner(path)).map(|path| (file.code.text(left), path)));
        }
        true
    });
    file.code.names.extend(found);
}

/// The module that `sys.modules["m"]`, `sys.modules.get("m")` or `import_module("m")` stands for.
fn module_named_by<'t>(file: &PythonFile<'t, '_>, node: Node<'t>) -> Option<String> {
    let name = match file.code.view(node) {
        View::Index { object, key } if file.code.path(object).as_deref() == Some("sys.modules") => key?,
        View::Call { arguments, .. } => {
            let callee = file.callee(node)?;
            let loads = matches!(callee.as_str(), "sys.modules.get" | "importlib.import_module" | "__import__");
            *arguments.first().filter(|_| loads)?
        }
        _ => return None,
    };
    file.code.literal(name).map(str::to_owned)
}

/// Classes that are test cases by their base, wherever they stand.
fn tests_in<'t>(file: &PythonFile<'t, '_>) -> Vec<Node<'t>> {
    let mut found = Vec::new();
    walk(file.code.root, &mut |node, _| {
        if node.kind() == "class_definition" {
            let bases = file.code.field(node, "superclasses");
            if bases.contains("TestCase") {
                found.push(node);
            }
        }
        matches!(node.kind(), "module" | "block" | "class_definition" | "decorated_definition" | "if_statement")
    });
    found
}

impl LanguageDialect for PythonDialect {
    fn view<'t>(&self, node: Node<'t>, text: &'t str) -> View<'t> {
        let of = |node: Node<'_>| -> &'t str { text.get(node.byte_range()).unwrap_or_default() };
        match node.kind() {
            "integer" | "float" | "true" | "false" | "none" => View::Literal,
            "identifier" => View::Name(of(node)),
            "string" => string(node, text),
            "concatenated_string" => sum(node, &|part| text_of(part, text)),
            "attribute" => match (field(node, "object"), field(node, "attribute")) {
                (Some(object), Some(name)) => View::Member { object, name: of(name) },
                _ => View::Other,
            },
            "subscript" => match field(node, "value") {
                Some(object) => View::Index { object, key: field(node, "subscript") },
                None => View::Other,
            },
            "call" => call(node, text),
            "binary_operator" => binary(node, text),
            "parenthesized_expression" | "await" => {
                children(node).first().map_or(View::Other, |inner| View::Wrapped(*inner))
            }
            "named_expression" => field(node, "value").map_or(View::Other, View::Wrapped),
            _ => View::Other,
        }
    }

    fn functions(&self) -> &'static [&'static str] {
        &["function_definition", "lambda"]
    }

    fn conditions(&self) -> &'static [&'static str] {
        &[
            "if_statement",
            "elif_clause",
            "else_clause",
            "conditional_expression",
            "except_clause",
            "case_clause",
            "while_statement",
            "boolean_operator",
        ]
    }

    fn identifiers(&self) -> &'static [&'static str] {
        &["identifier"]
    }

    fn parameters<'t>(&self, function: Node<'t>, code: &SourceCode<'t>) -> Vec<Parameter<'t>> {
        let Some(list) = field(function, "parameters") else { return Vec::new() };
        let route = route_of(function, code);
        children(list)
            .into_iter()
            .filter_map(|parameter| {
                let name = match parameter.kind() {
                    "identifier" => code.text(parameter),
                    "typed_parameter" => children(parameter).first().map(|name| code.text(*name))?,
                    _ => code.field(parameter, "name"),
                };
                if matches!(name, "self" | "cls" | "") {
                    return None;
                }
                let kind = code.field(parameter, "type").trim();
                let plain = kind.is_empty() || matches!(kind, "str" | "Optional[str]" | "str | None" | "list[str]");
                let number = route.is_some_and(|route| {
                    ["int:", "float:", "uuid:"].iter().any(|converter| route.contains(&format!("<{converter}{name}>")))
                });
                let service = matches!(name, "request" | "db" | "session" | "response" | "conn" | "background_tasks");
                Some(Parameter {
                    name,
                    harmless: number || is_harmless_type(kind),
                    outside: route.is_some() && plain && !number && !service,
                })
            })
            .collect()
    }

    fn assignment<'t>(&self, node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
        match node.kind() {
            "assignment" | "augmented_assignment" | "for_statement" => {
                Some((field(node, "left")?, field(node, "right")?))
            }
            "named_expression" => Some((field(node, "name")?, field(node, "value")?)),
            _ => None,
        }
    }

    fn is_outside(&self, path: &str) -> bool {
        const PARTS: [&str; 24] = [
            "args",
            "form",
            "values",
            "json",
            "data",
            "files",
            "cookies",
            "get_json",
            "view_args",
            "query_string",
            "GET",
            "POST",
            "body",
            "COOKIES",
            "FILES",
            "query_params",
            "path_params",
            "matchdict",
            "match_info",
            "get_data",
            "stream",
            "rel_url",
            "query",
            "params",
        ];
        if path == "self.get_argument" || path == "self.get_body_argument" || path == "self.get_query_argument" {
            return true;
        }
        let Some((holder, part)) = path.rsplit_once('.') else { return false };
        PARTS.contains(&part) && (holder == "request" || holder.ends_with(".request"))
    }
}

/// The path of the route that a function serves, where a decorator says so.
fn route_of<'t>(function: Node<'t>, code: &SourceCode<'t>) -> Option<&'t str> {
    const METHODS: [&str; 8] = ["get", "post", "put", "patch", "delete", "route", "websocket", "api_route"];
    let decorated = function.parent().filter(|parent| parent.kind() == "decorated_definition")?;
    let decorators: Vec<Node<'t>> =
        children(decorated).into_iter().filter(|child| child.kind() == "decorator").collect();
    decorators.into_iter().find_map(|decorator| {
        let call = *children(decorator).first()?;
        let View::Call { object: Some(_), name, arguments } = code.view(call) else { return None };
        let path = code.literal(*arguments.first()?)?;
        (METHODS.contains(&name) && path.starts_with('/')).then_some(path)
    })
}

fn is_harmless_type(kind: &str) -> bool {
    let kind = kind.strip_prefix("Optional[").and_then(|inner| inner.strip_suffix(']')).unwrap_or(kind);
    let kind = kind.strip_suffix(" | None").unwrap_or(kind).rsplit('.').next().unwrap_or(kind);
    matches!(kind, "int" | "float" | "bool" | "UUID" | "date" | "datetime" | "Decimal") || kind.starts_with("Literal[")
}

fn string<'t>(node: Node<'t>, text: &'t str) -> View<'t> {
    if child_of_kind(node, "interpolation").is_none() {
        return View::Literal;
    }
    View::Composed(string_pieces(node, text))
}

fn string_pieces<'t>(node: Node<'t>, text: &'t str) -> Vec<TextPiece<'t>> {
    children(node)
        .into_iter()
        .take(PIECES_MAX)
        .filter_map(|part| match part.kind() {
            "string_content" => Some(TextPiece::Text(text.get(part.byte_range()).unwrap_or_default())),
            "interpolation" => field(part, "expression").map(TextPiece::Value),
            _ => None,
        })
        .collect()
}

/// The parts of a node that is a text on its own; `None` for any other node.
fn text_of<'t>(node: Node<'t>, text: &'t str) -> Option<Vec<TextPiece<'t>>> {
    if node.kind() == "string" { Some(string_pieces(node, text)) } else { formatted_text(node, text) }
}

fn operator(node: Node<'_>) -> &'static str {
    field(node, "operator").map_or("", |operator| match operator.kind() {
        "+" => "+",
        "%" => "%",
        _ => "",
    })
}

/// `"…" % …` and `"…".format(…)`.
fn formatted_text<'t>(node: Node<'t>, text: &'t str) -> Option<Vec<TextPiece<'t>>> {
    let is_text = |node: &Node<'t>| matches!(node.kind(), "string" | "concatenated_string");
    if node.kind() == "binary_operator" && operator(node) == "%" {
        let format = field(node, "left").filter(is_text)?;
        let right = field(node, "right")?;
        let values = match right.kind() {
            "tuple" => children(right),
            "dictionary" => children(right).into_iter().filter_map(|pair| field(pair, "value")).collect(),
            _ => vec![right],
        };
        return Some(formatted(content(format, text), &values, PlaceholderStyle::Percent));
    }
    let function = field(node, "function").filter(|_| node.kind() == "call")?;
    let object = field(function, "object").filter(is_text)?;
    let name = field(function, "attribute").map_or("", |name| text.get(name.byte_range()).unwrap_or_default());
    let arguments = field(node, "arguments").map(children).unwrap_or_default();
    match name {
        "format" => {
            let values: Vec<Node<'t>> = arguments.into_iter().map(value_of_argument).collect();
            Some(formatted(content(object, text), &values, PlaceholderStyle::Braces))
        }
        "join" => {
            let list = *arguments.first()?;
            let parts = if matches!(list.kind(), "list" | "tuple") { children(list) } else { vec![list] };
            Some(parts.into_iter().take(PIECES_MAX).map(TextPiece::Value).collect())
        }
        _ => None,
    }
}

fn call<'t>(node: Node<'t>, text: &'t str) -> View<'t> {
    let of = |node: Node<'_>| -> &'t str { text.get(node.byte_range()).unwrap_or_default() };
    let Some(function) = field(node, "function") else { return View::Other };
    let arguments = positional(node);
    if function.kind() != "attribute" {
        let name = if function.kind() == "identifier" { of(function) } else { "" };
        let object = if name.is_empty() { Some(function) } else { None };
        return View::Call { object, name, arguments };
    }
    let (Some(object), Some(name)) = (field(function, "object"), field(function, "attribute")) else {
        return View::Other;
    };
    if let Some(pieces) = formatted_text(node, text) {
        return View::Composed(pieces);
    }
    let name = of(name);
    View::Call { object: Some(object), name, arguments }
}

fn value_of_argument(argument: Node<'_>) -> Node<'_> {
    if argument.kind() == "keyword_argument" { field(argument, "value").unwrap_or(argument) } else { argument }
}

/// The text between the quotes of a plain string.
fn content<'t>(string: Node<'t>, text: &'t str) -> &'t str {
    let of = |node: Node<'_>| -> &'t str { text.get(node.byte_range()).unwrap_or_default() };
    child_of_kind(string, "string_content").map_or("", of)
}

fn binary<'t>(node: Node<'t>, text: &'t str) -> View<'t> {
    match operator(node) {
        "%" => formatted_text(node, text).map_or(View::Other, View::Composed),
        "+" => sum(node, &|part| text_of(part, text)),
        _ => View::Other,
    }
}
