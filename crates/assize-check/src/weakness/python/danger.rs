//! What endangers the users of a program in Python.

use tree_sitter::Node;

use super::super::code::{View, children, field};
use super::super::origin::{FunctionScopes, ValueOrigin};
use super::super::shared::{
    CORS, OPENED, SHELL, STATEMENT, TLS, TOKEN, WRITABLE, admits, decides, grade_of, grade_of_statement, protects,
};
use super::super::{LIKELY, LIKELY_WARNING, SURE, SURE_WARNING, WeaknessCollector};
use super::{PythonFile, positional};

/// Looks at one node.
pub(super) fn visit<'t>(
    file: &PythonFile<'t, '_>,
    node: Node<'t>,
    above: &[Node<'t>],
    scopes: &mut FunctionScopes<'t>,
    found: &mut WeaknessCollector<'t>,
) {
    match node.kind() {
        "call" => {
            let Some(callee) = file.callee(node) else { return };
            // A path that begins with a module is meant only where that module is imported.
            let callee = if file.is_own_name(&callee) { format!("self.{callee}") } else { callee };
            connection(file, node, &callee, above, found);
            shell(file, node, &callee, above, scopes, found);
            evaluation(file, node, &callee, above, scopes, found);
            deserialization(file, node, &callee, above, scopes, found);
            statement(file, node, &callee, above, scopes, found);
            opened_file(file, node, &callee, above, scopes, found);
            hash(file, node, &callee, above, found);
            server(file, node, &callee, above, found);
            token(file, node, &callee, above, found);
            permissions(file, node, &callee, above, found);
            if matches!(callee.as_str(), "tempfile.mktemp" | "os.tempnam" | "os.tmpnam") {
                found.file("temporary-name", node, SURE_WARNING, "The file is named here and made later: somebody else can make it in between. Use `tempfile.mkstemp` or `NamedTemporaryFile`.");
            }
        }
        "assignment" => assigned(file, node, above, found),
        _ => {}
    }
}

fn connection<'t>(
    file: &PythonFile<'t, '_>,
    node: Node<'t>,
    callee: &str,
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    const VERBS: [&str; 12] = [
        "get",
        "post",
        "put",
        "patch",
        "delete",
        "head",
        "options",
        "request",
        "send",
        "stream",
        "Client",
        "AsyncClient",
    ];
    let excused = file.code.is_guarded(above) || admits(&file.code, above);
    let method = callee.rsplit('.').next().unwrap_or(callee);
    let is_false = |name: &str| file.keyword(node, name).filter(|value| value.kind() == "false");
    let client = callee.starts_with("requests.")
        || callee.starts_with("httpx.")
        || (VERBS.contains(&method) && (file.imports("requests") || file.imports("httpx")));
    if client && let Some(value) = is_false("verify") {
        found.file_at("tls-unverified", value, node, SURE.unless(excused), TLS);
    }
    if file.imports("aiohttp")
        && let Some(value) = is_false("ssl").or_else(|| is_false("verify_ssl"))
    {
        found.file_at("tls-unverified", value, node, SURE.unless(excused), TLS);
    }
    if callee == "ssl._create_unverified_context" {
        found.file("tls-unverified", node, SURE.unless(excused), TLS);
    }
    let none = file.keyword(node, "cert_reqs").filter(|value| is_cert_none(file, *value));
    if let Some(value) = none {
        found.file_at("tls-unverified", value, node, SURE.unless(excused), TLS);
    }
    if method == "set_missing_host_key_policy"
        && positional(node).first().is_some_and(|policy| file.code.text(*policy).contains("AutoAddPolicy"))
    {
        found.file("tls-unverified", node, LIKELY_WARNING, "The connection trusts any host key that it has not seen before. Load the known keys and use `RejectPolicy`.");
    }
}

fn is_cert_none<'t>(file: &PythonFile<'t, '_>, value: Node<'t>) -> bool {
    file.code.path(value).is_some_and(|path| path == "ssl.CERT_NONE") || file.code.literal(value) == Some("CERT_NONE")
}

/// Assignments: `context.verify_mode = ssl.CERT_NONE`, `session.verify = False` and their like.
fn assigned<'t>(file: &PythonFile<'t, '_>, node: Node<'t>, above: &[Node<'t>], found: &mut WeaknessCollector<'t>) {
    let (Some(left), Some(right)) = (field(node, "left"), field(node, "right")) else { return };
    let excused = file.code.is_guarded(above) || admits(&file.code, above);
    match file.code.view(left) {
        View::Member { object, name } => {
            let whole = file.code.path(left).unwrap_or_default();
            if name == "verify_mode" && is_cert_none(file, right) {
                found.file("tls-unverified", node, SURE.unless(excused), TLS);
            } else if name == "check_hostname" && right.kind() == "false" && file.imports("ssl") {
                found.file(
                    "tls-unverified",
                    node,
                    LIKELY.unless(excused),
                    "The connection takes a certificate that was issued for any other host. Leave `check_hostname` on.",
                );
            } else if name == "verify" && right.kind() == "false" && (file.imports("requests") || file.imports("httpx"))
            {
                let session = file.code.text(object).to_ascii_lowercase();
                let grade = if session.contains("session") || session.contains("client") { SURE } else { LIKELY };
                found.file("tls-unverified", node, grade.unless(excused), TLS);
            } else if whole == "ssl._create_default_https_context" {
                let off = file.code.path(right).is_some_and(|path| path == "ssl._create_unverified_context");
                if off {
                    found.file("tls-unverified", node, SURE.unless(excused), TLS);
                }
            }
        }
        View::Index { object, key: Some(key) } => {
            let environment = file.code.path(object).is_some_and(|path| path == "os.environ");
            let switch = matches!(file.code.literal(key), Some("PYTHONHTTPSVERIFY" | "NODE_TLS_REJECT_UNAUTHORIZED"));
            if environment && switch && file.code.literal(right) == Some("0") {
                found.file("tls-unverified", node, SURE.unless(excused), TLS);
            }
        }
        View::Name("DEBUG") if right.kind() == "true" && above.len() <= 2 && file.path.ends_with("settings.py") => {
            found.file("debug-server", node, LIKELY_WARNING, "The settings switch debugging on for every user. Read it from the environment, with `False` as the default.");
        }
        _ => {}
    }
}

fn shell<'t>(
    file: &PythonFile<'t, '_>,
    node: Node<'t>,
    callee: &str,
    above: &[Node<'t>],
    scopes: &mut FunctionScopes<'t>,
    found: &mut WeaknessCollector<'t>,
) {
    const ALWAYS: [&str; 7] = [
        "os.system",
        "os.popen",
        "subprocess.getoutput",
        "subprocess.getstatusoutput",
        "asyncio.create_subprocess_shell",
        "commands.getoutput",
        "popen2.popen3",
    ];
    const IF_ASKED: [&str; 5] =
        ["subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output", "subprocess.Popen"];
    let asked = IF_ASKED.contains(&callee) && file.keyword(node, "shell").is_some_and(|shell| shell.kind() == "true");
    if !asked && !ALWAYS.contains(&callee) {
        return;
    }
    let Some(command) = file.argument(node, 0, "args").or_else(|| file.argument(node, 0, "cmd")) else { return };
    let scope = scopes.around(&file.code, above);
    let origin = scope.origin(&file.code, command);
    // A command that comes as a whole is the caller's to answer for.
    let whole = !matches!(file.code.view(command), View::Composed(_));
    let grade = match grade_of(origin) {
        Some(grade) if !whole || origin == ValueOrigin::Outside => grade,
        Some(_) => LIKELY_WARNING,
        None => return,
    };
    found.file_at("shell-injection", command, node, grade, SHELL);
}

fn evaluation<'t>(
    file: &PythonFile<'t, '_>,
    node: Node<'t>,
    callee: &str,
    above: &[Node<'t>],
    scopes: &mut FunctionScopes<'t>,
    found: &mut WeaknessCollector<'t>,
) {
    if !matches!(callee, "eval" | "exec" | "builtins.eval" | "builtins.exec") {
        return;
    }
    let Some(code) = positional(node).first().copied() else { return };
    let origin = scopes.around(&file.code, above).origin(&file.code, code);
    let Some(grade) = grade_of(origin) else { return };
    let grade = if grade.certain { grade } else { LIKELY_WARNING };
    found.file(
        "code-injection",
        node,
        grade,
        "Text that is not fixed is run as code. Use `ast.literal_eval` for values, or a table of what is allowed.",
    );
}

fn deserialization<'t>(
    file: &PythonFile<'t, '_>,
    node: Node<'t>,
    callee: &str,
    above: &[Node<'t>],
    scopes: &mut FunctionScopes<'t>,
    found: &mut WeaknessCollector<'t>,
) {
    const LOADERS: [&str; 12] = [
        "pickle.load",
        "pickle.loads",
        "pickle.Unpickler",
        "cPickle.load",
        "cPickle.loads",
        "_pickle.loads",
        "dill.load",
        "dill.loads",
        "cloudpickle.load",
        "cloudpickle.loads",
        "jsonpickle.decode",
        "marshal.loads",
    ];
    const YAML: &str = "The loader makes any object that the text names, and so runs its code. Use `yaml.safe_load`.";
    match callee {
        "yaml.load" | "yaml.load_all" => {
            let guarded = file.code.is_guarded(above);
            let loader = file.argument(node, 1, "Loader");
            let name = loader.and_then(|loader| file.code.path(loader));
            match (loader, name.as_deref()) {
                (_, Some("yaml.Loader" | "yaml.UnsafeLoader" | "yaml.CLoader" | "yaml.loader.UnsafeLoader")) => {
                    found.file("unsafe-deserialization", node, SURE.unless(guarded), YAML);
                }
                (None, _) if field(node, "arguments").is_some_and(|list| !file.code.text(list).contains("**")) => {
                    found.file("unsafe-deserialization", node, SURE.unless(guarded), YAML);
                }
                _ => {}
            }
        }
        "yaml.unsafe_load" | "yaml.unsafe_load_all" => found.file("unsafe-deserialization", node, SURE, YAML),
        _ if LOADERS.contains(&callee) => {
            let Some(bytes) = positional(node).first().copied() else { return };
            let origin = scopes.around(&file.code, above).origin(&file.code, bytes);
            let grade = if origin == ValueOrigin::Outside { SURE } else { LIKELY_WARNING };
            found.file(
                "unsafe-deserialization",
                node,
                grade,
                "The author of these bytes can run any code here. Use a format that holds data alone, such as JSON.",
            );
        }
        _ => {}
    }
}

fn statement<'t>(
    file: &PythonFile<'t, '_>,
    node: Node<'t>,
    callee: &str,
    above: &[Node<'t>],
    scopes: &mut FunctionScopes<'t>,
    found: &mut WeaknessCollector<'t>,
) {
    let method = callee.rsplit('.').next().unwrap_or(callee);
    if !matches!(
        method,
        "execute"
            | "executemany"
            | "executescript"
            | "raw"
            | "text"
            | "read_sql"
            | "read_sql_query"
            | "fetch"
            | "fetchrow"
            | "fetchval"
    ) {
        return;
    }
    let Some(argument) = positional(node).first().copied() else { return };
    let argument = file.code.resolved(argument, above);
    let View::Composed(pieces) = file.code.view(argument) else { return };
    let scope = scopes.around(&file.code, above);
    let Some(grade) = grade_of_statement(&pieces, |piece| scope.of_piece(&file.code, piece)) else { return };
    found.file_at("sql-injection", argument, node, grade, STATEMENT);
}

fn opened_file<'t>(
    file: &PythonFile<'t, '_>,
    node: Node<'t>,
    callee: &str,
    above: &[Node<'t>],
    scopes: &mut FunctionScopes<'t>,
    found: &mut WeaknessCollector<'t>,
) {
    const OPENERS: [&str; 10] = [
        "open",
        "io.open",
        "flask.send_file",
        "send_file",
        "os.remove",
        "os.unlink",
        "shutil.rmtree",
        "shutil.copy",
        "fastapi.responses.FileResponse",
        "starlette.responses.FileResponse",
    ];
    let Some(argument) = positional(node).first().copied() else { return };
    if !OPENERS.contains(&callee) {
        return;
    }
    let scope = scopes.around(&file.code, above);
    let joined = joined_path(file, argument);
    if joined.iter().any(|part| scope.origin(&file.code, *part) == ValueOrigin::Outside) {
        found.file_at("path-traversal", argument, node, SURE, OPENED);
    }
}

/// The parts of `os.path.join(a, b)`, `Path(a) / b`, or the thing itself.
fn joined_path<'t>(file: &PythonFile<'t, '_>, node: Node<'t>) -> Vec<Node<'t>> {
    if file.callee(node).is_some_and(|callee| matches!(callee.as_str(), "os.path.join" | "pathlib.Path")) {
        return positional(node);
    }
    if node.kind() == "binary_operator" && field(node, "operator").is_some_and(|operator| operator.kind() == "/") {
        return field(node, "left").into_iter().chain(field(node, "right")).collect();
    }
    vec![node]
}

fn hash<'t>(
    file: &PythonFile<'t, '_>,
    node: Node<'t>,
    callee: &str,
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    let named = matches!(callee, "hashlib.new")
        && positional(node)
            .first()
            .and_then(|name| file.code.literal(*name))
            .is_some_and(|name| matches!(name.to_ascii_lowercase().as_str(), "md5" | "sha1"));
    if !named && !matches!(callee, "hashlib.md5" | "hashlib.sha1" | "Crypto.Hash.MD5.new" | "Crypto.Hash.SHA.new") {
        return;
    }
    if file.keyword(node, "usedforsecurity").is_some_and(|value| value.kind() == "false") {
        return;
    }
    let assigned =
        above.iter().rev().find(|node| node.kind() == "assignment").map_or("", |node| file.code.field(*node, "left"));
    let function = file.code.function(above).map_or("", |function| file.code.field(function, "name"));
    let arguments = field(node, "arguments").map_or("", |list| file.code.text(list));
    if protects(&format!("{assigned} {function} {arguments}")) {
        found.file("weak-hash", node, LIKELY_WARNING, "MD5 and SHA-1 do not protect passwords, keys or signatures any more. Use `hashlib.scrypt` for passwords and SHA-256 with `hmac` for signatures.");
    }
}

fn server<'t>(
    file: &PythonFile<'t, '_>,
    node: Node<'t>,
    callee: &str,
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    let on = |name: &str| file.keyword(node, name).filter(|value| value.kind() == "true");
    let method = callee.rsplit('.').next().unwrap_or(callee);
    if method == "run"
        && (file.imports("flask") || file.imports("quart") || file.imports("bottle"))
        && let Some(value) = on("debug")
    {
        let grade =
            if file.is_main_guarded(above) { LIKELY_WARNING } else { SURE_WARNING.unless(file.code.is_guarded(above)) };
        found.file_at("debug-server", value, node, grade, "The server runs with its debugger, which runs code for every caller. Read the switch from the environment, off by default.");
    }
    let any = |name: &str| {
        file.keyword(node, name).is_some_and(|value| {
            let text = file.code.text(value).replace(['"', '\'', ' ', '[', ']', '(', ')', ','], "");
            text == "*"
        })
    };
    let cors = callee.ends_with("CORS")
        || method == "add_middleware"
            && positional(node).first().is_some_and(|first| file.code.text(*first).ends_with("CORSMiddleware"))
        || method == "CORSMiddleware";
    let open = any("origins")
        || any("allow_origins")
        || file.keyword(node, "allow_origin_regex").and_then(|value| file.code.literal(value)) == Some(".*");
    if cors
        && open
        && let Some(value) = on("supports_credentials").or_else(|| on("allow_credentials"))
    {
        found.file_at("open-cors", value, node, SURE.unless(file.code.is_guarded(above)), CORS);
    }
}

fn token<'t>(
    file: &PythonFile<'t, '_>,
    node: Node<'t>,
    callee: &str,
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    if !matches!(callee, "jwt.decode" | "jose.jwt.decode" | "jwt.api_jwt.decode") {
        return;
    }
    if let Some(value) = file.keyword(node, "algorithms")
        && children(value)
            .iter()
            .chain(std::iter::once(&value))
            .any(|item| file.code.literal(*item).is_some_and(|name| name.eq_ignore_ascii_case("none")))
    {
        found.file_at("token-unverified", value, node, SURE, TOKEN);
        return;
    }
    let off = file.keyword(node, "verify").filter(|value| value.kind() == "false").or_else(|| {
        let options = file.keyword(node, "options")?;
        let pair = children(options).into_iter().find(|pair| {
            pair.kind() == "pair"
                && field(*pair, "key").and_then(|key| file.code.literal(key)) == Some("verify_signature")
        })?;
        field(pair, "value").filter(|value| value.kind() == "false")
    });
    if let Some(value) = off {
        // Who reads a token to look up its key verifies it afterwards.
        let again =
            file.code.function(above).is_some_and(|function| file.code.text(function).matches(".decode(").count() > 1);
        let grade = if decides(&file.code, above) && !again && !admits(&file.code, above) { SURE } else { LIKELY };
        found.file_at("token-unverified", value, node, grade, TOKEN);
    }
}

fn permissions<'t>(
    file: &PythonFile<'t, '_>,
    node: Node<'t>,
    callee: &str,
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    let method = callee.rsplit('.').next().unwrap_or(callee);
    if !matches!(method, "chmod" | "fchmod" | "lchmod") {
        return;
    }
    let place = usize::from(callee.starts_with("os."));
    let Some(mode) = file.argument(node, place, "mode").filter(|mode| mode.kind() == "integer") else { return };
    let text = file.code.text(mode).to_ascii_lowercase().replace('_', "");
    let Some(bits) = text.strip_prefix("0o").and_then(|digits| u32::from_str_radix(digits, 8).ok()) else { return };
    if bits & 0o002 != 0 && bits & 0o1000 == 0 {
        found.file_at("open-permissions", mode, node, SURE_WARNING.unless(file.code.is_guarded(above)), WRITABLE);
    }
}
