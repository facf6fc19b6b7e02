//! Java.

use std::collections::HashMap;

use assize_ecosystem::is_test;
use tree_sitter::Node;

use super::code::{
    LanguageDialect, Parameter, PlaceholderStyle, SourceCode, TextPiece, View, child_of_kind, children, field,
    formatted, sum, walk,
};
use super::origin::{FunctionScopes, ValueOrigin};
use super::shared::{
    CALLER, CORS, DETECTED, ENDED, EQUAL, OPENED, SHELL, STATEMENT, TLS, TOKEN, WRITABLE, admits, decides, grade_of,
    grade_of_statement, imitated, is_tool, protects,
};
use super::{LIKELY, LIKELY_WARNING, SURE, SURE_NOTE, SURE_WARNING, WeaknessCollector};

/// The dialect.
struct JavaDialect;

/// Searches a file.
pub(super) fn search<'t>(root: Node<'t>, text: &'t str, path: &str, found: &mut WeaknessCollector<'t>) -> bool {
    let mut file = JavaFile { code: SourceCode::new(text, root, &JavaDialect), path };
    imports(&mut file.code);
    let mut scopes = FunctionScopes::default();
    walk(root, &mut |node, above| {
        visit(&file, node, above, &mut scopes, found);
        true
    });
    !file.code.is_exhausted()
}

/// A file of Java.
struct JavaFile<'t, 'p> {
    code: SourceCode<'t>,
    path: &'p str,
}

/// A call and where it stands.
struct JavaCall<'a, 't, 'p> {
    file: &'a JavaFile<'t, 'p>,
    node: Node<'t>,
    above: &'a [Node<'t>],
    object: Option<Node<'t>>,
    name: &'t str,
    arguments: Vec<Node<'t>>,
}

impl<'t> JavaCall<'_, 't, '_> {
    fn text(&self, place: usize) -> &'t str {
        self.arguments.get(place).map_or("", |argument| self.file.code.text(*argument))
    }

    fn literal(&self, place: usize) -> Option<&'t str> {
        self.arguments.get(place).and_then(|argument| self.file.code.literal(*argument))
    }

    fn holder(&self) -> &'t str {
        self.object.map_or("", |object| self.file.code.text(object))
    }

    fn origin(&self, node: Node<'t>, scopes: &mut FunctionScopes<'t>) -> ValueOrigin {
        scopes.around(&self.file.code, self.above).origin(&self.file.code, node)
    }

    fn function_text(&self) -> &'t str {
        let method =
            self.above.iter().rev().find(|outer| {
                outer.kind().ends_with("method_declaration") || outer.kind() == "constructor_declaration"
            });
        method.map_or("", |method| self.file.code.text(*method))
    }
}

fn visit<'t>(
    file: &JavaFile<'t, '_>,
    node: Node<'t>,
    above: &[Node<'t>],
    scopes: &mut FunctionScopes<'t>,
    found: &mut WeaknessCollector<'t>,
) {
    match node.kind() {
        "method_invocation" | "object_creation_expression" => {
            let View::Call { object, name, arguments } = file.code.view(node) else { return };
            let call = JavaCall { file, node, above, object, name, arguments };
            connection(&call, found);
            shell(&call, scopes, found);
            evaluation(&call, scopes, found);
            deserialization(&call, scopes, found);
            statement(&call, scopes, found);
            opened_file(&call, scopes, found);
            hash(&call, found);
            cors(&call, found);
            token(&call, found);
            permissions(&call, found);
            detected(&call, found);
            ended(&call, found);
        }
        "method_declaration" => method(file, node, above, found),
        "annotation" => {
            let text: String = file.code.text(node).chars().filter(|character| !character.is_whitespace()).collect();
            if text.starts_with("@CrossOrigin(") && text.contains("\"*\"") && text.contains("allowCredentials=\"true\"")
            {
                found.file("open-cors", node, SURE, CORS);
            }
        }
        "field_access" => {
            let text = file.code.text(node);
            if text == "NoopHostnameVerifier.INSTANCE"
                || text.ends_with(".ALLOW_ALL_HOSTNAME_VERIFIER")
                || text == "TrustAllStrategy.INSTANCE"
            {
                let excused = file.code.is_guarded(above) || admits(&file.code, above);
                found.file("tls-unverified", node, SURE.unless(excused), TLS);
            }
        }
        "import_declaration" => {
            let text = file.code.text(node);
            let runner = text.contains(" org.junit.") || text.contains(" org.testng.");
            if runner && !is_test(file.path) {
                found.file(
                    "runner-touched",
                    node,
                    SURE_NOTE,
                    "Code outside of tests imports the test runner. What only tests need belongs to the tests.",
                );
            }
        }
        "string_literal" => imitated(&file.code, file.path, node, above, found),
        _ => {}
    }
}

fn imports<'t>(code: &mut SourceCode<'t>) {
    let mut names = HashMap::new();
    walk(code.root, &mut |node, _| {
        if node.kind() == "import_declaration"
            && let Some(path) = child_of_kind(node, "scoped_identifier")
        {
            let full = code.text(path);
            names.insert(full.rsplit('.').next().unwrap_or(full), full.to_owned());
        }
        matches!(node.kind(), "program")
    });
    code.names = names;
}

impl LanguageDialect for JavaDialect {
    fn view<'t>(&self, node: Node<'t>, text: &'t str) -> View<'t> {
        let of = |node: Node<'_>| -> &'t str { text.get(node.byte_range()).unwrap_or_default() };
        match node.kind() {
            "string_literal"
            | "decimal_integer_literal"
            | "octal_integer_literal"
            | "hex_integer_literal"
            | "true"
            | "false"
            | "null_literal"
            | "character_literal"
            | "decimal_floating_point_literal" => View::Literal,
            "identifier" | "this" | "type_identifier" => View::Name(of(node)),
            "field_access" => match (field(node, "object"), field(node, "field")) {
                (Some(object), Some(name)) => View::Member { object, name: of(name) },
                _ => View::Other,
            },
            "array_access" => match field(node, "array") {
                Some(object) => View::Index { object, key: field(node, "index") },
                None => View::Other,
            },
            "method_invocation" => invocation(node, text),
            "object_creation_expression" => {
                let arguments = field(node, "arguments").map(children).unwrap_or_default();
                let name = field(node, "type").map_or("", of).split('<').next().unwrap_or_default();
                View::Call { object: None, name, arguments }
            }
            "binary_expression" => sum(node, &|part| text_of(part, text)),
            "cast_expression" => field(node, "value").map_or(View::Other, View::Wrapped),
            "parenthesized_expression" => children(node).first().map_or(View::Other, |inner| View::Wrapped(*inner)),
            _ => View::Other,
        }
    }

    fn functions(&self) -> &'static [&'static str] {
        &["method_declaration", "constructor_declaration", "lambda_expression"]
    }

    fn conditions(&self) -> &'static [&'static str] {
        &["if_statement", "ternary_expression", "switch_block_statement_group", "switch_rule", "catch_clause"]
    }

    fn identifiers(&self) -> &'static [&'static str] {
        &["identifier"]
    }

    fn parameters<'t>(&self, function: Node<'t>, code: &SourceCode<'t>) -> Vec<Parameter<'t>> {
        let listed = field(function, "parameters").map(children).unwrap_or_default();
        listed
            .into_iter()
            .filter(|parameter| parameter.kind() == "formal_parameter")
            .map(|parameter| {
                let kind = code.field(parameter, "type");
                let harmless = matches!(
                    kind,
                    "int"
                        | "long"
                        | "short"
                        | "byte"
                        | "double"
                        | "float"
                        | "boolean"
                        | "char"
                        | "Integer"
                        | "Long"
                        | "Boolean"
                        | "UUID"
                        | "Double"
                        | "LocalDate"
                        | "Instant"
                );
                let marks = child_of_kind(parameter, "modifiers").map_or("", |marks| code.text(marks));
                let sent = [
                    "@RequestParam",
                    "@PathVariable",
                    "@RequestHeader",
                    "@QueryParam",
                    "@PathParam",
                    "@CookieValue",
                    "@FormParam",
                ]
                .iter()
                .any(|mark| marks.contains(mark));
                Parameter { name: code.field(parameter, "name"), harmless, outside: sent && kind == "String" }
            })
            .collect()
    }

    fn assignment<'t>(&self, node: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
        match node.kind() {
            "variable_declarator" => Some((field(node, "name")?, field(node, "value")?)),
            "assignment_expression" => Some((field(node, "left")?, field(node, "right")?)),
            _ => None,
        }
    }

    fn is_outside(&self, path: &str) -> bool {
        const PARTS: [&str; 7] = [
            "getParameter",
            "getHeader",
            "getQueryString",
            "getInputStream",
            "getReader",
            "getCookies",
            "getParameterValues",
        ];
        path.split_once('.').is_some_and(|(holder, part)| {
            matches!(holder, "request" | "req" | "httpRequest" | "servletRequest") && PARTS.contains(&part)
        })
    }
}

fn invocation<'t>(node: Node<'t>, text: &'t str) -> View<'t> {
    let of = |node: Node<'_>| -> &'t str { text.get(node.byte_range()).unwrap_or_default() };
    let (object, name) = (field(node, "object"), field(node, "name").map_or("", of));
    let arguments = field(node, "arguments").map(children).unwrap_or_default();
    let is_text = |node: &Node<'t>| node.kind() == "string_literal";
    if name == "format" && object.is_some_and(|object| of(object) == "String") {
        if let Some((format, values)) = arguments.split_first()
            && is_text(format)
        {
            return View::Composed(formatted(of(*format).trim_matches('"'), values, PlaceholderStyle::Percent));
        }
    } else if name == "formatted"
        && let Some(format) = object.filter(is_text)
    {
        return View::Composed(formatted(of(format).trim_matches('"'), &arguments, PlaceholderStyle::Percent));
    }
    View::Call { object, name, arguments }
}

/// The parts of a node that is a text on its own; `None` for any other node.
fn text_of<'t>(node: Node<'t>, text: &'t str) -> Option<Vec<TextPiece<'t>>> {
    let content = || text.get(node.byte_range()).unwrap_or_default().trim_matches('"');
    (node.kind() == "string_literal").then(|| vec![TextPiece::Text(content())])
}

/// The supertypes of the class that a method stands in, written out, and the name of the class.
fn class_of<'t>(file: &JavaFile<'t, '_>, above: &[Node<'t>]) -> (&'t str, &'t str) {
    for outer in above.iter().rev() {
        match outer.kind() {
            "class_declaration" | "enum_declaration" | "record_declaration" => {
                let parents = field(*outer, "interfaces").or_else(|| field(*outer, "superclass"));
                return (parents.map_or("", |parents| file.code.text(parents)), file.code.field(*outer, "name"));
            }
            "object_creation_expression" => return (file.code.field(*outer, "type"), ""),
            _ => {}
        }
    }
    ("", "")
}

/// Methods by which a class decides: whom to trust, what is equal.
fn method<'t>(file: &JavaFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    let name = file.code.field(node, "name");
    if !matches!(name, "checkServerTrusted" | "verify" | "equals" | "isTrusted") {
        return;
    }
    let Some(body) = field(node, "body") else { return };
    let statements = children(body);
    let agrees = matches!(statements.as_slice(), [only] if file.code.text(*only) == "return true;");
    let (parents, class) = class_of(file, above);
    let class = class.to_ascii_lowercase();
    let admitted = ["insecure", "unsafe", "trustall", "noop", "naive", "dummy", "allowall", "acceptall", "anyhost"]
        .iter()
        .any(|word| class.contains(word))
        || admits(&file.code, above)
        || file.code.is_guarded(above);
    match name {
        "checkServerTrusted" if statements.is_empty() && parents.contains("TrustManager") => {
            found.file("tls-unverified", node, SURE.unless(admitted), TLS);
        }
        "verify" if agrees && parents.contains("HostnameVerifier") => {
            found.file("tls-unverified", node, SURE.unless(admitted), TLS);
        }
        "isTrusted" if agrees && parents.contains("TrustStrategy") => {
            found.file("tls-unverified", node, SURE.unless(admitted), TLS);
        }
        "equals" if agrees && field(node, "parameters").is_some_and(|list| children(list).len() == 1) => {
            let alone = class.contains("null") || class.contains("none") || class.contains("singleton");
            found.file("always-equal", node, SURE.unless(alone), EQUAL);
        }
        _ => {}
    }
}

fn connection<'t>(call: &JavaCall<'_, 't, '_>, found: &mut WeaknessCollector<'t>) {
    const SETTERS: [&str; 6] = [
        "setHostnameVerifier",
        "setDefaultHostnameVerifier",
        "hostnameVerifier",
        "setSSLHostnameVerifier",
        "loadTrustMaterial",
        "sslHostnameVerifier",
    ];
    if !SETTERS.contains(&call.name) {
        return;
    }
    let agrees = call.arguments.iter().find(|argument| {
        argument.kind() == "lambda_expression"
            && field(**argument, "body").is_some_and(|body| {
                let text: String =
                    call.file.code.text(body).chars().filter(|character| !character.is_whitespace()).collect();
                matches!(text.as_str(), "true" | "{returntrue;}")
            })
    });
    if let Some(lambda) = agrees {
        let excused = call.file.code.is_guarded(call.above) || admits(&call.file.code, call.above);
        found.file_at("tls-unverified", *lambda, call.node, SURE.unless(excused), TLS);
    }
}

fn shell<'t>(call: &JavaCall<'_, 't, '_>, scopes: &mut FunctionScopes<'t>, found: &mut WeaknessCollector<'t>) {
    let is_shell = |program: Option<&str>| {
        program.is_some_and(|program| matches!(program.rsplit('/').next(), Some("sh" | "bash" | "cmd" | "cmd.exe")))
    };
    let code = &call.file.code;
    let (command, through_shell) = match call.name {
        "exec" if call.holder().contains("getRuntime()") || call.holder() == "runtime" => {
            let Some(first) = call.arguments.first().copied() else { return };
            let list = child_of_kind(first, "array_initializer").map(children).unwrap_or_default();
            match list.as_slice() {
                [program, _, command, ..] if is_shell(code.literal(*program)) => (*command, true),
                [] => (first, false),
                _ => return,
            }
        }
        "ProcessBuilder" | "of" | "asList" if is_shell(call.literal(0)) => match call.arguments.get(2) {
            Some(command) if matches!(call.literal(1), Some("-c" | "/c" | "/C")) => (*command, true),
            _ => return,
        },
        _ => return,
    };
    if !matches!(code.view(command), View::Composed(_)) && call.origin(command, scopes) != ValueOrigin::Outside {
        return;
    }
    let Some(grade) = grade_of(call.origin(command, scopes)) else { return };
    found.file_at(
        "shell-injection",
        command,
        call.node,
        if through_shell || grade.certain { grade } else { LIKELY_WARNING },
        SHELL,
    );
}

fn evaluation<'t>(call: &JavaCall<'_, 't, '_>, scopes: &mut FunctionScopes<'t>, found: &mut WeaknessCollector<'t>) {
    let script = call.name == "eval" && call.file.code.text.contains("javax.script");
    let expression = call.name == "parseExpression" && call.file.code.text.contains("springframework.expression");
    let groovy = call.name == "evaluate" && call.file.code.text.contains("GroovyShell");
    let Some(first) = call.arguments.first().copied().filter(|_| script || expression || groovy) else { return };
    let Some(grade) = grade_of(call.origin(first, scopes)) else { return };
    found.file(
        "code-injection",
        call.node,
        if grade.certain { grade } else { LIKELY_WARNING },
        "Text that is not fixed is run as code. Use a table of what is allowed.",
    );
}

fn deserialization<'t>(
    call: &JavaCall<'_, 't, '_>,
    scopes: &mut FunctionScopes<'t>,
    found: &mut WeaknessCollector<'t>,
) {
    if !matches!(call.name, "ObjectInputStream" | "XMLDecoder") || call.node.kind() != "object_creation_expression" {
        return;
    }
    let Some(stream) = call.arguments.first().copied() else { return };
    let grade = if call.origin(stream, scopes) == ValueOrigin::Outside { SURE } else { LIKELY_WARNING };
    // A class that is made from the stream itself guards what it makes.
    if child_of_kind(call.node, "class_body").is_none() {
        found.file("unsafe-deserialization", call.node, grade, "The author of these bytes can run any code here. Use a format that holds data alone, or an `ObjectInputFilter`.");
    }
}

fn statement<'t>(call: &JavaCall<'_, 't, '_>, scopes: &mut FunctionScopes<'t>, found: &mut WeaknessCollector<'t>) {
    const METHODS: [&str; 13] = [
        "execute",
        "executeQuery",
        "executeUpdate",
        "prepareStatement",
        "createQuery",
        "createNativeQuery",
        "query",
        "queryForObject",
        "queryForList",
        "update",
        "batchUpdate",
        "rawQuery",
        "execSQL",
    ];
    let Some(first) = call.arguments.first().copied().filter(|_| METHODS.contains(&call.name)) else { return };
    let first = call.file.code.resolved(first, call.above);
    let View::Composed(pieces) = call.file.code.view(first) else { return };
    let scope = scopes.around(&call.file.code, call.above);
    if let Some(grade) = grade_of_statement(&pieces, |piece| scope.of_piece(&call.file.code, piece)) {
        found.file_at("sql-injection", first, call.node, grade, STATEMENT);
    }
}

fn opened_file<'t>(call: &JavaCall<'_, 't, '_>, scopes: &mut FunctionScopes<'t>, found: &mut WeaknessCollector<'t>) {
    let made = matches!(call.name, "File" | "FileInputStream" | "FileOutputStream" | "FileReader" | "FileWriter");
    let named = matches!(call.name, "get" | "of") && matches!(call.holder(), "Paths" | "Path");
    if !made && !named {
        return;
    }
    let outside =
        call.arguments.iter().copied().find(|argument| call.origin(*argument, scopes) == ValueOrigin::Outside);
    if let Some(argument) = outside {
        found.file_at("path-traversal", argument, call.node, SURE, OPENED);
    }
}

fn hash<'t>(call: &JavaCall<'_, 't, '_>, found: &mut WeaknessCollector<'t>) {
    if call.name != "getInstance"
        || call.holder() != "MessageDigest"
        || !matches!(call.literal(0), Some("MD5" | "SHA-1" | "SHA1"))
    {
        return;
    }
    let function = call
        .above
        .iter()
        .rev()
        .find(|outer| outer.kind() == "method_declaration")
        .map_or("", |method| call.file.code.field(*method, "name"));
    let (_, class) = class_of(call.file, call.above);
    if protects(&format!("{function} {class}")) {
        found.file("weak-hash", call.node, LIKELY_WARNING, "MD5 and SHA-1 do not protect passwords, keys or signatures any more. Use bcrypt or PBKDF2 for passwords and HMAC with SHA-256 for signatures.");
    }
}

fn cors<'t>(call: &JavaCall<'_, 't, '_>, found: &mut WeaknessCollector<'t>) {
    if !matches!(call.name, "allowCredentials" | "setAllowCredentials") || call.text(0) != "true" {
        return;
    }
    let function: String = call.function_text().chars().filter(|character| !character.is_whitespace()).collect();
    let open = [
        "allowedOrigins(\"*\")",
        "allowedOriginPatterns(\"*\")",
        "addAllowedOrigin(\"*\")",
        "addAllowedOriginPattern(\"*\")",
        "setAllowedOrigins(List.of(\"*\"))",
        "setAllowedOriginPatterns(List.of(\"*\"))",
        "setAllowedOriginPatterns(Collections.singletonList(\"*\"))",
    ]
    .iter()
    .any(|way| function.contains(way));
    if open {
        found.file("open-cors", call.node, SURE.unless(call.file.code.is_guarded(call.above)), CORS);
    }
}

fn token<'t>(call: &JavaCall<'_, 't, '_>, found: &mut WeaknessCollector<'t>) {
    let none = call.name == "none" && call.holder() == "Algorithm";
    let skipped =
        matches!(call.name, "setSkipSignatureVerification" | "setSkipAllValidators") && call.arguments.is_empty();
    let function = call.function_text();
    if skipped || none && function.contains("require(") {
        found.file("token-unverified", call.node, SURE.unless(call.file.code.is_guarded(call.above)), TOKEN);
    } else if call.name == "decode" && call.holder() == "JWT" && !function.contains(".verify(") {
        let grade = if decides(&call.file.code, call.above) { LIKELY } else { LIKELY_WARNING };
        found.file("token-unverified", call.node, grade, TOKEN);
    }
}

fn permissions<'t>(call: &JavaCall<'_, 't, '_>, found: &mut WeaknessCollector<'t>) {
    let everybody = call.name == "setWritable" && call.text(0) == "true" && call.text(1) == "false";
    let spelled = call.name == "fromString"
        && call.holder() == "PosixFilePermissions"
        && call.literal(0).is_some_and(|mode| mode.len() == 9 && mode.as_bytes()[7] == b'w');
    if everybody || spelled {
        found.file("open-permissions", call.node, SURE_WARNING.unless(call.file.code.is_guarded(call.above)), WRITABLE);
    }
}

/// Code that asks whether it is tested, or by whom it is called.
fn detected<'t>(call: &JavaCall<'_, 't, '_>, found: &mut WeaknessCollector<'t>) {
    const RUNNERS: [&str; 4] = ["org.junit", "org.testng", "junit.framework", "surefire"];
    let names_runner = call.literal(0).is_some_and(|text| RUNNERS.iter().any(|runner| text.contains(runner)));
    if call.name == "forName" && call.holder() == "Class" && names_runner
        || call.name == "getProperty" && call.holder() == "System" && names_runner
    {
        found.file("test-detected", call.node, SURE, DETECTED);
        return;
    }
    let asks = matches!(call.name, "contains" | "startsWith" | "endsWith" | "equals" | "matches");
    let names_tests = names_runner
        || call
            .literal(0)
            .is_some_and(|text| text.contains("junit") || text.ends_with("Test") || text.ends_with("Tests"));
    if asks && names_tests {
        let function = call.function_text();
        let looks =
            ["getStackTrace()", "StackWalker", "getAllStackTraces"].iter().any(|source| function.contains(source));
        if looks {
            found.file("caller-inspected", call.node, SURE.unless(is_tool(call.file.path)), CALLER);
        }
    }
}

fn ended<'t>(call: &JavaCall<'_, 't, '_>, found: &mut WeaknessCollector<'t>) {
    let zero = call.text(0) == "0";
    let in_main = call
        .above
        .iter()
        .any(|outer| outer.kind() == "method_declaration" && call.file.code.field(*outer, "name") == "main");
    let hook = call
        .above
        .iter()
        .any(|outer| outer.kind() == "method_invocation" && call.file.code.field(*outer, "name") == "addShutdownHook");
    let halts = call.name == "halt" && (call.holder().contains("getRuntime()") || call.holder() == "runtime");
    if zero && halts {
        found.file("process-ended", call.node, SURE.unless(in_main && !hook), ENDED);
    } else if zero && call.name == "exit" && call.holder() == "System" && !in_main {
        let (_, class) = class_of(call.file, call.above);
        let started = call.above.iter().any(|outer| outer.kind() == "static_initializer");
        if started {
            found.file("process-ended", call.node, SURE, ENDED);
        } else if !class.contains("Main") && !class.contains("Cli") {
            found.file("process-ended", call.node, LIKELY_WARNING, ENDED);
        }
    }
}
