//! Go.

use std::collections::HashMap;

use assize_ecosystem::{holds_tests, is_test};
use tree_sitter::Node;

use super::code::{
    LanguageDialect, Parameter, PlaceholderStyle, SourceCode, TextPiece, View, children, field, formatted, sum, walk,
};
use super::origin::{FunctionScopes, ValueOrigin};
use super::shared::{
    CALLER, CORS, DETECTED, ENDED, OPENED, SHELL, STATEMENT, TLS, TOKEN, WRITABLE, admits, decides, grade_of,
    grade_of_statement, imitated, is_tool, protects,
};
use super::{LIKELY, LIKELY_WARNING, SURE, SURE_NOTE, SURE_WARNING, WeaknessCollector};

/// The dialect.
struct GoDialect;

/// Searches a file.
pub(super) fn search<'t>(root: Node<'t>, text: &'t str, path: &str, found: &mut WeaknessCollector<'t>) -> bool {
    let mut file = GoFile { code: SourceCode::new(text, root, &GoDialect), path };
    imports(&mut file.code);
    let mut scopes = FunctionScopes::default();
    walk(root, &mut |node, above| {
        visit(&file, node, above, &mut scopes, found);
        true
    });
    if holds_tests(path) {
        found.mark_test(1, u32::try_from(root.end_position().row + 1).unwrap_or(u32::MAX));
    }
    !file.code.is_exhausted()
}

/// A file of Go.
struct GoFile<'t, 'p> {
    code: SourceCode<'t>,
    path: &'p str,
}

/// A call and where it stands.
struct GoCall<'a, 't, 'p> {
    file: &'a GoFile<'t, 'p>,
    node: Node<'t>,
    above: &'a [Node<'t>],
    /// The function in full: `os/exec.Command`.
    path: String,
    name: &'t str,
    arguments: Vec<Node<'t>>,
}

impl<'t> GoCall<'_, 't, '_> {
    fn literal(&self, place: usize) -> Option<&'t str> {
        self.arguments.get(place).and_then(|argument| self.file.code.literal(*argument))
    }

    fn origin(&self, node: Node<'t>, scopes: &mut FunctionScopes<'t>) -> ValueOrigin {
        scopes.around(&self.file.code, self.above).origin(&self.file.code, node)
    }
}

fn visit<'t>(
    file: &GoFile<'t, '_>,
    node: Node<'t>,
    above: &[Node<'t>],
    scopes: &mut FunctionScopes<'t>,
    found: &mut WeaknessCollector<'t>,
) {
    match node.kind() {
        "keyed_element" => option(file, node, above, found),
        "assignment_statement" => assigned(file, node, above, found),
        "call_expression" => {
            let View::Call { name, arguments, .. } = file.code.view(node) else { return };
            let call = GoCall { file, node, above, path: file.code.path(node).unwrap_or_default(), name, arguments };
            shell(&call, scopes, found);
            statement(&call, scopes, found);
            opened_file(&call, scopes, found);
            hash(&call, found);
            token(&call, found);
            permissions(&call, found);
            detected(&call, found);
            ended(&call, found);
            if call.path.ends_with("ssh.InsecureIgnoreHostKey") {
                let excused = file.code.is_guarded(above) || admits(&file.code, above);
                found.file("tls-unverified", node, SURE.unless(excused), "The connection trusts any host key, so that anybody on the way can read and change it. Check it against known hosts.");
            }
        }
        "composite_literal" => cors(file, node, above, found),
        "selector_expression" if file.code.text(node).ends_with("UnsafeAllowNoneSignatureType") => {
            found.file("token-unverified", node, SURE, TOKEN);
        }
        "import_spec" => {
            let module = field(node, "path").and_then(|path| file.code.literal(path)).unwrap_or_default();
            if module == "testing" && !is_test(file.path) {
                found.file(
                    "runner-touched",
                    node,
                    SURE_NOTE,
                    "Code outside of tests imports the test runner. What only tests need belongs to the tests.",
                );
            }
        }
        "interpreted_string_literal" | "raw_string_literal" => imitated(&file.code, file.path, node, above, found),
        _ => {}
    }
}

/// Learns the packages by their names; the path stays as it is written.
fn imports<'t>(code: &mut SourceCode<'t>) {
    let mut names = HashMap::new();
    walk(code.root, &mut |node, _| {
        if node.kind() == "import_spec"
            && let Some(path) = field(node, "path").and_then(|path| code.literal(path))
        {
            let alias = code.field(node, "name");
            let parts: Vec<&'t str> = path.split('/').collect();
            let is_version = |part: &&&str| {
                part.starts_with('v') && part[1..].chars().all(|digit| digit.is_ascii_digit()) && part.len() > 1
            };
            let last = parts.iter().rev().find(|part| !is_version(part)).copied().unwrap_or(path);
            names.insert(if alias.is_empty() { last } else { alias }, path.to_owned());
        }
        matches!(node.kind(), "source_file" | "import_declaration" | "import_spec_list")
    });
    code.names = names;
}

impl LanguageDialect for GoDialect {
    fn view<'t>(&self, node: Node<'t>, text: &'t str) -> View<'t> {
        let of = |node: Node<'_>| -> &'t str { text.get(node.byte_range()).unwrap_or_default() };
        match node.kind() {
            "interpreted_string_literal"
            | "raw_string_literal"
            | "int_literal"
            | "float_literal"
            | "rune_literal"
            | "true"
            | "false"
            | "nil" => View::Literal,
            "identifier" | "package_identifier" | "type_identifier" => View::Name(of(node)),
            "selector_expression" => match (field(node, "operand"), field(node, "field")) {
                (Some(object), Some(name)) => View::Member { object, name: of(name) },
                _ => View::Other,
            },
            "qualified_type" => match (field(node, "package"), field(node, "name")) {
                (Some(object), Some(name)) => View::Member { object, name: of(name) },
                _ => View::Other,
            },
            "index_expression" => match field(node, "operand") {
                Some(object) => View::Index { object, key: field(node, "index") },
                None => View::Other,
            },
            "call_expression" => call(node, text),
            "binary_expression" => sum(node, &|part| text_of(part, text)),
            "unary_expression" => field(node, "operand").map_or(View::Other, View::Wrapped),
            "parenthesized_expression" | "literal_element" => {
                children(node).first().map_or(View::Other, |inner| View::Wrapped(*inner))
            }
            "expression_list" => match children(node).as_slice() {
                [only] => View::Wrapped(*only),
                [first, ..] => View::Wrapped(*first),
                [] => View::Other,
            },
            _ => View::Other,
        }
    }

    fn functions(&self) -> &'static [&'static str] {
        &["function_declaration", "method_declaration", "func_literal"]
    }

    fn conditions(&self) -> &'static [&'static str] {
        &["if_statement", "expression_case", "default_case", "type_case"]
    }

    fn identifiers(&self) -> &'static [&'static str] {
        &["identifier"]
    }

    fn parameters<'t>(&self, function: Node<'t>, code: &SourceCode<'t>) -> Vec<Parameter<'t>> {
        let listed = field(function, "parameters").map(children).unwrap_or_default();
        let mut found = Vec::new();
        for parameter in listed {
            let kind = code.field(parameter, "type").trim_start_matches('*');
            let number = ["int", "uint", "float"].iter().any(|number| kind.starts_with(number))
                || matches!(kind, "bool" | "byte" | "time.Time" | "time.Duration" | "uuid.UUID");
            let mut cursor = parameter.walk();
            for name in parameter.children_by_field_name("name", &mut cursor) {
                found.push(Parameter { name: code.text(name), harmless: number, outside: false });
            }
        }
        found
    }

    fn assignment<'t>(&self, node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
        match node.kind() {
            "short_var_declaration" | "assignment_statement" => Some((field(node, "left")?, field(node, "right")?)),
            "var_spec" => Some((field(node, "name")?, field(node, "value")?)),
            _ => None,
        }
    }

    fn is_outside(&self, path: &str) -> bool {
        const REQUEST: [&str; 9] = [
            "URL.Query",
            "FormValue",
            "PostFormValue",
            "PathValue",
            "Form",
            "PostForm",
            "URL.Path",
            "URL.RawQuery",
            "Header.Get",
        ];
        const CONTEXT: [&str; 6] = ["Query", "Param", "PostForm", "DefaultQuery", "FormValue", "QueryParam"];
        let Some((holder, part)) = path.split_once('.') else { return false };
        matches!(holder, "r" | "req" | "request") && REQUEST.contains(&part)
            || matches!(holder, "c" | "ctx") && CONTEXT.contains(&part)
    }
}

fn call<'t>(node: Node<'t>, text: &'t str) -> View<'t> {
    let of = |node: Node<'_>| -> &'t str { text.get(node.byte_range()).unwrap_or_default() };
    let Some(function) = field(node, "function") else { return View::Other };
    let arguments = field(node, "arguments").map(children).unwrap_or_default();
    if of(function) == "fmt.Sprintf"
        && let Some((format, values)) = arguments.split_first()
        && format.kind().ends_with("string_literal")
    {
        return View::Composed(formatted(content(*format, text), values, PlaceholderStyle::Percent));
    }
    match function.kind() {
        "identifier" => View::Call { object: None, name: of(function), arguments },
        "selector_expression" => match (field(function, "operand"), field(function, "field")) {
            (Some(object), Some(name)) => View::Call { object: Some(object), name: of(name), arguments },
            _ => View::Other,
        },
        _ => View::Call { object: Some(function), name: "", arguments },
    }
}

fn content<'t>(string: Node<'t>, text: &'t str) -> &'t str {
    let of = |node: Node<'_>| -> &'t str { text.get(node.byte_range()).unwrap_or_default() };
    of(string).trim_matches(['"', '`'])
}

/// The parts of a node that is a text on its own; `None` for any other node.
fn text_of<'t>(node: Node<'t>, text: &'t str) -> Option<Vec<TextPiece<'t>>> {
    node.kind().ends_with("string_literal").then(|| vec![TextPiece::Text(content(node, text))])
}

/// `InsecureSkipVerify: true`.
fn option<'t>(file: &GoFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    let is = |name: &str, expected: &str| field(node, name).is_some_and(|part| file.code.text(part) == expected);
    if !is("key", "InsecureSkipVerify") || !is("value", "true") {
        return;
    }
    // Who checks certificates by a function of his own has to switch the usual check off.
    let own_check = above.last().is_some_and(|literal| {
        let text = file.code.text(*literal);
        text.contains("VerifyPeerCertificate") || text.contains("VerifyConnection")
    });
    let excused = own_check || file.code.is_guarded(above) || admits(&file.code, above);
    found.file("tls-unverified", node, SURE.unless(excused), TLS);
}

fn assigned<'t>(file: &GoFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    let (left, right) = (file.code.field(node, "left"), file.code.field(node, "right"));
    if left.ends_with(".InsecureSkipVerify") && right == "true" {
        let function = file.code.around(above);
        let own_check = function.contains("VerifyPeerCertificate") || function.contains("VerifyConnection");
        let excused = own_check || file.code.is_guarded(above) || admits(&file.code, above);
        found.file("tls-unverified", node, SURE.unless(excused), TLS);
    }
}

fn shell<'t>(call: &GoCall<'_, 't, '_>, scopes: &mut FunctionScopes<'t>, found: &mut WeaknessCollector<'t>) {
    let first = match call.path.as_str() {
        "os/exec.Command" => 0,
        "os/exec.CommandContext" => 1,
        _ => return,
    };
    let shell = call
        .literal(first)
        .is_some_and(|program| matches!(program.rsplit('/').next(), Some("sh" | "bash" | "zsh" | "cmd" | "cmd.exe")));
    let flag = matches!(call.literal(first + 1), Some("-c" | "/C" | "/c" | "-lc"));
    let Some(command) = call.arguments.get(first + 2).filter(|_| shell && flag).copied() else { return };
    let composed = matches!(call.file.code.view(command), View::Composed(_));
    let Some(grade) = grade_of(call.origin(command, scopes)) else { return };
    found.file_at(
        "shell-injection",
        command,
        call.node,
        if composed || grade.certain { grade } else { LIKELY_WARNING },
        SHELL,
    );
}

fn statement<'t>(call: &GoCall<'_, 't, '_>, scopes: &mut FunctionScopes<'t>, found: &mut WeaknessCollector<'t>) {
    const METHODS: [&str; 14] = [
        "Query",
        "QueryContext",
        "QueryRow",
        "QueryRowContext",
        "Exec",
        "ExecContext",
        "Prepare",
        "PrepareContext",
        "Raw",
        "Queryx",
        "Get",
        "Select",
        "MustExec",
        "NamedExec",
    ];
    if !METHODS.contains(&call.name) {
        return;
    }
    for argument in call.arguments.iter().take(3) {
        let resolved = call.file.code.resolved(*argument, call.above);
        let View::Composed(pieces) = call.file.code.view(resolved) else { continue };
        let scope = scopes.around(&call.file.code, call.above);
        if let Some(grade) = grade_of_statement(&pieces, |piece| scope.of_piece(&call.file.code, piece)) {
            found.file_at("sql-injection", resolved, call.node, grade, STATEMENT);
            return;
        }
    }
}

fn opened_file<'t>(call: &GoCall<'_, 't, '_>, scopes: &mut FunctionScopes<'t>, found: &mut WeaknessCollector<'t>) {
    let place = match call.path.as_str() {
        "os.Open" | "os.ReadFile" | "os.Create" | "os.Remove" | "os.RemoveAll" | "os.WriteFile"
        | "io/ioutil.ReadFile" | "os.OpenFile" => 0,
        _ => return,
    };
    let Some(argument) = call.arguments.get(place).copied() else { return };
    let joined =
        matches!(call.file.code.path(argument).as_deref(), Some("path/filepath.Join" | "filepath.Join" | "path.Join"));
    let parts = match call.file.code.view(argument) {
        View::Call { arguments, .. } if joined => arguments,
        _ => vec![argument],
    };
    if parts.into_iter().any(|part| call.origin(part, scopes) == ValueOrigin::Outside) {
        found.file_at("path-traversal", argument, call.node, SURE, OPENED);
    }
}

fn hash<'t>(call: &GoCall<'_, 't, '_>, found: &mut WeaknessCollector<'t>) {
    if !matches!(call.path.as_str(), "crypto/md5.New" | "crypto/md5.Sum" | "crypto/sha1.New" | "crypto/sha1.Sum") {
        return;
    }
    let function = call.file.code.function(call.above).map_or("", |function| call.file.code.field(function, "name"));
    let arguments: Vec<&str> = call.arguments.iter().map(|argument| call.file.code.text(*argument)).collect();
    if protects(&format!("{function} {}", arguments.join(" "))) {
        found.file("weak-hash", call.node, LIKELY_WARNING, "MD5 and SHA-1 do not protect passwords, keys or signatures any more. Use bcrypt for passwords and HMAC with SHA-256 for signatures.");
    }
}

/// `cors.Options{AllowedOrigins: []string{"*"}, AllowCredentials: true}`.
fn cors<'t>(file: &GoFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    let kind = file.code.field(node, "type");
    if !kind.starts_with("cors.") {
        return;
    }
    let body: String = file.code.field(node, "body").chars().filter(|character| !character.is_whitespace()).collect();
    let open = [
        "AllowedOrigins:[]string{\"*\"}",
        "AllowOrigins:[]string{\"*\"}",
        "AllowAllOrigins:true",
        "AllowOrigins:\"*\"",
    ]
    .iter()
    .any(|way| body.contains(way))
        || body.contains("AllowOriginFunc:func(") && body.contains("bool{returntrue}");
    if open && body.contains("AllowCredentials:true") {
        found.file("open-cors", node, SURE.unless(file.code.is_guarded(above)), CORS);
    }
}

fn token<'t>(call: &GoCall<'_, 't, '_>, found: &mut WeaknessCollector<'t>) {
    if call.name == "ParseUnverified" || call.path.ends_with("jwt.ParseInsecure") {
        let function = call.file.code.around(call.above);
        let again =
            function.contains("ParseWithClaims(") || function.contains(".Verify(") || function.contains("jwt.Parse(");
        let grade = if decides(&call.file.code, call.above) && !again && !admits(&call.file.code, call.above) {
            SURE
        } else {
            LIKELY
        };
        found.file("token-unverified", call.node, grade, TOKEN);
    }
}

fn permissions<'t>(call: &GoCall<'_, 't, '_>, found: &mut WeaknessCollector<'t>) {
    if call.path != "os.Chmod" && call.name != "Chmod" {
        return;
    }
    let Some(mode) = call.arguments.last().filter(|mode| mode.kind() == "int_literal") else { return };
    let text = call.file.code.text(*mode).replace('_', "");
    let digits = text.strip_prefix("0o").or_else(|| text.strip_prefix('0')).unwrap_or_default();
    let Ok(bits) = u32::from_str_radix(digits, 8) else { return };
    if bits & 0o002 != 0 && bits & 0o1000 == 0 {
        found.file_at(
            "open-permissions",
            *mode,
            call.node,
            SURE_WARNING.unless(call.file.code.is_guarded(call.above)),
            WRITABLE,
        );
    }
}

/// Code that asks whether it is tested, or by whom it is called.
fn detected<'t>(call: &GoCall<'_, 't, '_>, found: &mut WeaknessCollector<'t>) {
    if holds_tests(call.file.path) {
        return;
    }
    let flag = call.path == "flag.Lookup" && call.literal(0).is_some_and(|name| name.starts_with("test."));
    if flag || call.path == "testing.Testing" {
        found.file("test-detected", call.node, SURE, DETECTED);
        return;
    }
    let asks = matches!(call.path.as_str(), "strings.Contains" | "strings.HasSuffix" | "strings.HasPrefix");
    let names_tests = call
        .literal(1)
        .is_some_and(|text| ["_test", ".test", "testing.", "/test"].iter().any(|word| text.contains(word)));
    if !asks || !names_tests {
        return;
    }
    let function = call.file.code.around(call.above);
    let subject = call.arguments.first().map_or("", |subject| call.file.code.text(*subject));
    if subject.contains("os.Args") {
        found.file("test-detected", call.node, SURE, DETECTED);
    } else if ["runtime.Caller", "FuncForPC", "debug.Stack", "runtime.Stack"]
        .iter()
        .any(|source| function.contains(source))
    {
        found.file("caller-inspected", call.node, SURE.unless(is_tool(call.file.path)), CALLER);
    }
}

fn ended<'t>(call: &GoCall<'_, 't, '_>, found: &mut WeaknessCollector<'t>) {
    let zero = call.arguments.first().is_some_and(|status| call.file.code.text(*status) == "0");
    if !zero || !matches!(call.path.as_str(), "os.Exit" | "syscall.Exit") {
        return;
    }
    let inside = |name: &str| {
        call.above
            .iter()
            .any(|outer| outer.kind() == "function_declaration" && call.file.code.field(*outer, "name") == name)
    };
    let program = call.file.code.text.contains("package main") || inside("main");
    if inside("init") && !program {
        found.file("process-ended", call.node, SURE.unless(call.file.code.is_guarded(call.above)), ENDED);
    } else if !program {
        found.file("process-ended", call.node, LIKELY_WARNING, ENDED);
    }
}
