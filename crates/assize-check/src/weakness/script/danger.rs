//! What endangers the users of a program in JavaScript or TypeScript.

use tree_sitter::Node;

use super::super::code::{View, children, field};
use super::super::origin::{FunctionScopes, ValueOrigin};
use super::super::shared::{
    CORS, OPENED, SHELL, STATEMENT, TLS, TOKEN, WRITABLE, admits, decides, grade_of, grade_of_statement, protects,
};
use super::super::{LIKELY, LIKELY_WARNING, SURE, SURE_WARNING, WeaknessCollector};
use super::ScriptFile;

/// Looks at one node.
pub(super) fn visit<'t>(
    file: &ScriptFile<'t, '_>,
    node: Node<'t>,
    above: &[Node<'t>],
    scopes: &mut FunctionScopes<'t>,
    found: &mut WeaknessCollector<'t>,
) {
    match node.kind() {
        "pair" => option(file, node, above, found),
        "assignment_expression" => assigned(file, node, above, found),
        "call_expression" | "new_expression" => {
            let Some(callee) = file.code.path(node) else { return };
            let context = CallContext { file, node, above };
            shell(&context, &callee, scopes, found);
            evaluation(&context, &callee, scopes, found);
            deserialization(&context, &callee, scopes, found);
            statement(&context, &callee, scopes, found);
            opened_file(&context, &callee, scopes, found);
            hash(&context, &callee, found);
            cors(&context, &callee, found);
            token(&context, &callee, scopes, found);
            permissions(&context, &callee, found);
        }
        _ => {}
    }
}

/// A call and where it stands.
struct CallContext<'a, 't, 'p> {
    file: &'a ScriptFile<'t, 'p>,
    node: Node<'t>,
    above: &'a [Node<'t>],
}

impl<'t> CallContext<'_, 't, '_> {
    fn argument(&self, place: usize) -> Option<Node<'t>> {
        self.file.arguments(self.node).get(place).copied()
    }

    fn origin(&self, node: Node<'t>, scopes: &mut FunctionScopes<'t>) -> ValueOrigin {
        scopes.around(&self.file.code, self.above).origin(&self.file.code, node)
    }

    fn last_options(&self) -> Option<Node<'t>> {
        self.file.arguments(self.node).into_iter().rev().find(|argument| argument.kind() == "object")
    }
}

/// `rejectUnauthorized: false` and its like.
fn option<'t>(file: &ScriptFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    let (Some(key), Some(value)) = (file.key(node), field(node, "value")) else { return };
    let off = match key {
        "rejectUnauthorized" | "strictSSL" => value.kind() == "false",
        "checkServerIdentity" => says_nothing(file, value),
        _ => false,
    };
    if !off {
        return;
    }
    // A server that asks for certificates may look at them itself.
    let of_server = above.iter().rev().take(4).any(|outer| {
        let calls = outer.kind() == "call_expression"
            && file.code.path(*outer).is_some_and(|path| path.contains("reateServer"));
        calls || outer.kind() == "object" && file.property(*outer, "requestCert").is_some()
    });
    let excused = of_server || file.code.is_guarded(above) || admits(&file.code, above);
    found.file("tls-unverified", node, SURE.unless(excused), TLS);
}

/// `() => undefined`, `() => {}`.
fn says_nothing<'t>(file: &ScriptFile<'t, '_>, function: Node<'t>) -> bool {
    let Some(body) = field(function, "body").filter(|_| file.code.dialect.functions().contains(&function.kind()))
    else {
        return false;
    };
    let inner = children(body);
    match body.kind() {
        "statement_block" => {
            inner.is_empty() || inner.len() == 1 && file.code.text(inner[0]).trim_end_matches(';') == "return undefined"
        }
        _ => matches!(file.code.text(body), "undefined" | "null"),
    }
}

fn assigned<'t>(file: &ScriptFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else { return };
    let excused = file.code.is_guarded(above) || admits(&file.code, above);
    let path = file.code.path(left).unwrap_or_default();
    let zero = file.code.literal(right) == Some("0") || matches!(file.code.text(right), "0" | "'0'");
    let off = path == "process.env.NODE_TLS_REJECT_UNAUTHORIZED" && zero
        || path.ends_with(".rejectUnauthorized") && right.kind() == "false";
    if off {
        found.file("tls-unverified", node, SURE.unless(excused), TLS);
    }
}

fn shell<'t>(
    context: &CallContext<'_, 't, '_>,
    callee: &str,
    scopes: &mut FunctionScopes<'t>,
    found: &mut WeaknessCollector<'t>,
) {
    const ALWAYS: [&str; 5] =
        ["child_process.exec", "child_process.execSync", "shelljs.exec", "execa.command", "execa.commandSync"];
    const IF_ASKED: [&str; 6] = [
        "child_process.spawn",
        "child_process.spawnSync",
        "child_process.execFile",
        "child_process.execFileSync",
        "execa",
        "cross-spawn",
    ];
    let file = context.file;
    let Some(first) = context.argument(0) else { return };
    let asked = context
        .last_options()
        .and_then(|options| file.property(options, "shell"))
        .is_some_and(|shell| shell.kind() == "true");
    let command = if ALWAYS.contains(&callee) || IF_ASKED.contains(&callee) && asked {
        Some(first)
    } else if IF_ASKED.contains(&callee) && is_shell(file.code.literal(first)) {
        let list = context.argument(1).filter(|list| list.kind() == "array").map(children).unwrap_or_default();
        let flag = list.iter().position(|item| matches!(file.code.literal(*item), Some("-c" | "/c" | "-lc")));
        flag.and_then(|flag| list.get(flag + 1).copied())
    } else {
        None
    };
    let Some(command) = command else { return };
    let origin = context.origin(command, scopes);
    let whole = !matches!(file.code.view(command), View::Composed(_));
    let grade = match grade_of(origin) {
        Some(grade) if !whole || origin == ValueOrigin::Outside => grade,
        Some(_) => LIKELY_WARNING,
        None => return,
    };
    found.file_at("shell-injection", command, context.node, grade, SHELL);
}

/// Returns whether a program is a shell.
fn is_shell(program: Option<&str>) -> bool {
    program.is_some_and(|program| matches!(program.rsplit('/').next(), Some("sh" | "bash" | "zsh" | "cmd" | "cmd.exe")))
}

fn evaluation<'t>(
    context: &CallContext<'_, 't, '_>,
    callee: &str,
    scopes: &mut FunctionScopes<'t>,
    found: &mut WeaknessCollector<'t>,
) {
    const EVALUATORS: [&str; 8] = [
        "eval",
        "Function",
        "vm.runInThisContext",
        "vm.runInNewContext",
        "vm.runInContext",
        "vm.Script",
        "globalThis.eval",
        "window.eval",
    ];
    if !EVALUATORS.contains(&callee) {
        return;
    }
    let Some(code) = context.file.arguments(context.node).last().copied() else { return };
    let first = context.argument(0).unwrap_or(code);
    let origin = context.origin(code, scopes).max(context.origin(first, scopes));
    let Some(grade) = grade_of(origin) else { return };
    let grade = if grade.certain { grade } else { LIKELY_WARNING };
    found.file(
        "code-injection",
        context.node,
        grade,
        "Text that is not fixed is run as code. Use `JSON.parse` for values, or a table of what is allowed.",
    );
}

fn deserialization<'t>(
    context: &CallContext<'_, 't, '_>,
    callee: &str,
    scopes: &mut FunctionScopes<'t>,
    found: &mut WeaknessCollector<'t>,
) {
    let unsafe_module =
        ["node-serialize.", "serialize-to-js.", "funcster."].iter().any(|module| callee.starts_with(module));
    if !unsafe_module || !["unserialize", "deserialize", "deepDeserialize"].iter().any(|name| callee.ends_with(name)) {
        return;
    }
    let Some(bytes) = context.argument(0) else { return };
    let grade = if context.origin(bytes, scopes) == ValueOrigin::Outside { SURE } else { LIKELY };
    found.file(
        "unsafe-deserialization",
        context.node,
        grade,
        "The author of these bytes can run any code here. Use `JSON.parse`.",
    );
}

fn statement<'t>(
    context: &CallContext<'_, 't, '_>,
    callee: &str,
    scopes: &mut FunctionScopes<'t>,
    found: &mut WeaknessCollector<'t>,
) {
    const METHODS: [&str; 12] = [
        "query",
        "execute",
        "raw",
        "$queryRawUnsafe",
        "$executeRawUnsafe",
        "exec",
        "all",
        "get",
        "run",
        "prepare",
        "each",
        "unsafe",
    ];
    let method = callee.rsplit('.').next().unwrap_or(callee);
    if !METHODS.contains(&method) || !callee.contains('.') {
        return;
    }
    let Some(argument) = context.argument(0) else { return };
    let argument = context.file.code.resolved(argument, context.above);
    let View::Composed(pieces) = context.file.code.view(argument) else { return };
    let scope = scopes.around(&context.file.code, context.above);
    let Some(grade) = grade_of_statement(&pieces, |piece| scope.of_piece(&context.file.code, piece)) else { return };
    found.file_at("sql-injection", argument, context.node, grade, STATEMENT);
}

fn opened_file<'t>(
    context: &CallContext<'_, 't, '_>,
    callee: &str,
    scopes: &mut FunctionScopes<'t>,
    found: &mut WeaknessCollector<'t>,
) {
    const OPENERS: [&str; 14] = [
        "readFile",
        "readFileSync",
        "writeFile",
        "writeFileSync",
        "createReadStream",
        "createWriteStream",
        "unlink",
        "unlinkSync",
        "rm",
        "rmSync",
        "appendFile",
        "appendFileSync",
        "readdir",
        "readdirSync",
    ];
    let file = context.file;
    let (holder, method) = callee.rsplit_once('.').unwrap_or(("", callee));
    let opens = OPENERS.contains(&method)
        && (holder == "fs" || holder.starts_with("fs.") || holder.starts_with("fs/") || holder == "fs-extra");
    let sends = matches!(method, "sendFile" | "download") && matches!(holder, "res" | "response" | "reply");
    if !opens && !sends {
        return;
    }
    // With a root, the server itself confines the path.
    if sends && context.last_options().and_then(|options| file.property(options, "root")).is_some() {
        return;
    }
    let Some(argument) = context.argument(0) else { return };
    let parts = match file.code.path(argument) {
        Some(joined)
            if matches!(joined.as_str(), "path.join" | "path.resolve") && argument.kind() == "call_expression" =>
        {
            file.arguments(argument)
        }
        _ => vec![argument],
    };
    if parts.into_iter().any(|part| context.origin(part, scopes) == ValueOrigin::Outside) {
        found.file_at("path-traversal", argument, context.node, SURE, OPENED);
    }
}

fn hash<'t>(context: &CallContext<'_, 't, '_>, callee: &str, found: &mut WeaknessCollector<'t>) {
    if !callee.ends_with("createHash") && callee != "createHash" {
        return;
    }
    let name = context.argument(0).and_then(|name| context.file.code.literal(name)).unwrap_or_default();
    if !matches!(name.to_ascii_lowercase().as_str(), "md5" | "sha1") {
        return;
    }
    let code = &context.file.code;
    let assigned = context
        .above
        .iter()
        .rev()
        .find(|node| node.kind() == "variable_declarator")
        .map_or("", |node| code.field(*node, "name"));
    let function = code.function(context.above).map_or("", |function| code.field(function, "name"));
    let chain = context
        .above
        .iter()
        .rev()
        .find(|node| node.kind().ends_with("statement") || node.kind().ends_with("declaration"));
    let near = chain.map_or("", |node| code.text(*node));
    if protects(&format!("{assigned} {function}")) || near.contains(".update(") && near.len() < 300 && protects(near) {
        found.file("weak-hash", context.node, LIKELY_WARNING, "MD5 and SHA-1 do not protect passwords, keys or signatures any more. Use `scrypt` for passwords and `createHmac('sha256', …)` for signatures.");
    }
}

fn cors<'t>(context: &CallContext<'_, 't, '_>, callee: &str, found: &mut WeaknessCollector<'t>) {
    let file = context.file;
    let named = callee == "cors"
        || callee.starts_with("cors.")
        || callee.ends_with("enableCors")
        || callee.contains("Cors")
        || callee.contains("/cors");
    for argument in file.arguments(context.node).into_iter().filter(|argument| argument.kind() == "object") {
        let options = if named { Some(argument) } else { file.property(argument, "cors") };
        let Some(options) = options.filter(|options| options.kind() == "object") else { continue };
        let Some(credentials) = file.property(options, "credentials").filter(|value| value.kind() == "true") else {
            continue;
        };
        let open = file.property(options, "origin").is_some_and(|origin| {
            origin.kind() == "true" || file.code.literal(origin) == Some("*") || allows_all(file, origin)
        });
        if open {
            found.file_at("open-cors", credentials, options, SURE.unless(file.code.is_guarded(context.above)), CORS);
        }
    }
}

/// `(origin, callback) => callback(null, true)`.
fn allows_all<'t>(file: &ScriptFile<'t, '_>, function: Node<'t>) -> bool {
    let Some(body) = field(function, "body").filter(|_| file.code.dialect.functions().contains(&function.kind()))
    else {
        return false;
    };
    let text: String = file.code.text(body).chars().filter(|character| !character.is_whitespace()).collect();
    let text = text.trim_matches(['{', '}', ';']).trim_start_matches("return");
    text.ends_with("(null,true)") && !text.contains(['?', '&', '|']) && !text.contains("if(")
}

fn token<'t>(
    context: &CallContext<'_, 't, '_>,
    callee: &str,
    scopes: &mut FunctionScopes<'t>,
    found: &mut WeaknessCollector<'t>,
) {
    let file = context.file;
    let none = context.last_options().and_then(|options| file.property(options, "algorithms")).filter(|list| {
        children(*list)
            .iter()
            .any(|item| file.code.literal(*item).is_some_and(|name| name.eq_ignore_ascii_case("none")))
    });
    if let Some(list) = none
        && callee.to_ascii_lowercase().contains("verify")
    {
        found.file_at("token-unverified", list, context.node, SURE, TOKEN);
    }
    if callee == "jsonwebtoken.decode"
        && let Some(argument) = context.argument(0)
        && !file.code.function(context.above).is_some_and(|function| file.code.text(function).contains("verify("))
    {
        let outside = context.origin(argument, scopes) == ValueOrigin::Outside;
        let grade = if outside || decides(&file.code, context.above) { LIKELY } else { LIKELY_WARNING };
        found.file("token-unverified", context.node, if outside { SURE } else { grade }, TOKEN);
    }
}

fn permissions<'t>(context: &CallContext<'_, 't, '_>, callee: &str, found: &mut WeaknessCollector<'t>) {
    let method = callee.rsplit('.').next().unwrap_or(callee);
    if !matches!(method, "chmod" | "chmodSync" | "fchmod" | "lchmod") {
        return;
    }
    let Some(mode) = context.argument(1) else { return };
    let text = context.file.code.literal(mode).unwrap_or_else(|| context.file.code.text(mode));
    let digits = text.strip_prefix("0o").unwrap_or(text);
    let octal = text.starts_with("0o") || matches!(mode.kind(), "string");
    let Some(bits) = u32::from_str_radix(digits, 8).ok().filter(|_| octal) else { return };
    if bits & 0o002 != 0 && bits & 0o1000 == 0 {
        found.file_at(
            "open-permissions",
            mode,
            context.node,
            SURE_WARNING.unless(context.file.code.is_guarded(context.above)),
            WRITABLE,
        );
    }
}
