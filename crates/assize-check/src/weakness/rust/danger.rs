//! What endangers the users of a program in Rust.

use tree_sitter::Node;

use super::super::code::{View, children, field};
use super::super::origin::FunctionScopes;
use super::super::shared::{SHELL, STATEMENT, TLS, TOKEN, WRITABLE, admits, decides, grade_of, grade_of_statement};
use super::super::{LIKELY, LIKELY_WARNING, SURE, SURE_NOTE, SURE_WARNING, WeaknessCollector};
use super::RustFile;

/// Looks at one node.
pub(super) fn visit<'t>(
    file: &RustFile<'t, '_>,
    node: Node<'t>,
    above: &[Node<'t>],
    scopes: &mut FunctionScopes<'t>,
    found: &mut WeaknessCollector<'t>,
) {
    match node.kind() {
        "call_expression" => {
            let View::Call { object, name, arguments } = file.code.view(node) else { return };
            connection(file, node, name, &arguments, above, found);
            shell(file, object, name, &arguments, above, scopes, found);
            statement(file, node, name, &arguments, above, scopes, found);
            token(file, node, name, above, found);
            permissions(file, node, object, name, &arguments, above, found);
        }
        "unsafe_block" => {
            found.file("unsafe-code", node, SURE_NOTE, UNSAFE);
        }
        "function_item" | "impl_item" => {
            let marked = children(node)
                .iter()
                .any(|child| child.kind() == "function_modifiers" && file.code.text(*child).contains("unsafe"));
            let trait_marked = node.kind() == "impl_item" && file.code.text(node).starts_with("unsafe ");
            if marked || trait_marked {
                found.file("unsafe-code", field(node, "name").unwrap_or(node), SURE_NOTE, UNSAFE);
            }
            if node.kind() == "impl_item" {
                verifier(file, node, found);
            }
        }
        _ => {}
    }
}

const UNSAFE: &str = "The code is outside of what the compiler checks. State in a `SAFETY` comment why it is sound.";

fn connection<'t>(
    file: &RustFile<'t, '_>,
    node: Node<'t>,
    name: &str,
    arguments: &[Node<'t>],
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    const SWITCHES: [&str; 7] = [
        "danger_accept_invalid_certs",
        "danger_accept_invalid_hostnames",
        "tls_danger_accept_invalid_certs",
        "tls_danger_accept_invalid_hostnames",
        "accept_invalid_certs",
        "accept_invalid_hostnames",
        "disable_verification",
    ];
    let excused = file.code.is_guarded(above) || admits(&file.code, above);
    let first = arguments.first().map_or("", |argument| file.code.text(*argument));
    let switched_off = SWITCHES.contains(&name) && first == "true"
        || matches!(name, "set_verify" | "set_verify_callback") && first.ends_with("SslVerifyMode::NONE");
    if switched_off {
        found.file_at("tls-unverified", arguments[0], node, SURE.unless(excused), TLS);
    } else if matches!(name, "with_custom_certificate_verifier" | "set_certificate_verifier") {
        found.file_at("tls-unverified", arguments.first().copied().unwrap_or(node), node, LIKELY_WARNING, "The connection checks certificates in a way of its own. Use the platform's verifier, or show with tests that wrong certificates are refused.");
    }
}

/// `impl ServerCertVerifier` that agrees with every certificate.
fn verifier<'t>(file: &RustFile<'t, '_>, node: Node<'t>, found: &mut WeaknessCollector<'t>) {
    if !file.code.field(node, "trait").ends_with("ServerCertVerifier") {
        return;
    }
    for method in field(node, "body").map(children).unwrap_or_default() {
        if file.code.field(method, "name") != "verify_server_cert" {
            continue;
        }
        let Some(body) = field(method, "body") else { continue };
        let statements = children(body);
        let agrees = matches!(statements.as_slice(), [only] if file.code.text(*only).starts_with("Ok(") && file.code.text(*only).contains("assertion()"));
        if agrees {
            let name = file.code.field(node, "type").to_ascii_lowercase();
            let admitted =
                ["insecure", "danger", "noverif", "skip", "acceptany", "acceptall", "nocertificate", "disable"]
                    .iter()
                    .any(|word| name.contains(word));
            found.file("tls-unverified", method, SURE.unless(admitted), TLS);
        }
    }
}

fn shell<'t>(
    file: &RustFile<'t, '_>,
    object: Option<Node<'t>>,
    name: &str,
    arguments: &[Node<'t>],
    above: &[Node<'t>],
    scopes: &mut FunctionScopes<'t>,
    found: &mut WeaknessCollector<'t>,
) {
    let command = match name {
        "arg" => {
            let flagged = object.is_some_and(|object| {
                matches!(file.code.view(object), View::Call { name: "arg", ref arguments, .. } if arguments.first().is_some_and(|flag| is_flag(file, *flag)))
            });
            arguments.first().filter(|_| flagged).copied()
        }
        "args" => {
            let mut items = Vec::new();
            if let Some(list) = arguments.first() {
                let list =
                    if list.kind() == "reference_expression" { field(*list, "value").unwrap_or(*list) } else { *list };
                items = if list.kind() == "array_expression" { children(list) } else { Vec::new() };
            }
            let flag = items.iter().position(|item| is_flag(file, *item));
            flag.and_then(|flag| items.get(flag + 1).copied())
        }
        _ => None,
    };
    let Some(command) = command else { return };
    if !starts_shell(file, object) {
        return;
    }
    let composed = matches!(file.code.view(command), View::Composed(_));
    let Some(grade) = grade_of(scopes.around(&file.code, above).origin(&file.code, command)) else { return };
    let grade = if composed || grade.certain { grade } else { LIKELY_WARNING };
    found.file_at("shell-injection", command, command, grade, SHELL);
}

fn is_flag<'t>(file: &RustFile<'t, '_>, node: Node<'t>) -> bool {
    matches!(file.code.literal(node), Some("-c" | "/C" | "/c" | "-lc"))
}

/// Returns whether a chain of calls begins with `Command::new("sh")`.
fn starts_shell<'t>(file: &RustFile<'t, '_>, object: Option<Node<'t>>) -> bool {
    let mut next = object;
    for _ in 0..super::super::code::DEPTH_MAX {
        let Some(node) = next else { return false };
        let View::Call { object, name, arguments } = file.code.view(node) else { return false };
        if name == "new" {
            let program = arguments.first().and_then(|program| file.code.literal(*program)).unwrap_or_default();
            return matches!(program.rsplit('/').next(), Some("sh" | "bash" | "zsh" | "cmd" | "cmd.exe"));
        }
        next = object;
    }
    false
}

fn statement<'t>(
    file: &RustFile<'t, '_>,
    node: Node<'t>,
    name: &str,
    arguments: &[Node<'t>],
    above: &[Node<'t>],
    scopes: &mut FunctionScopes<'t>,
    found: &mut WeaknessCollector<'t>,
) {
    const METHODS: [&str; 14] = [
        "query",
        "query_as",
        "query_scalar",
        "execute",
        "execute_batch",
        "prepare",
        "query_row",
        "query_one",
        "query_opt",
        "sql_query",
        "simple_query",
        "batch_execute",
        "query_map",
        "raw_sql",
    ];
    let Some(argument) = arguments.first().copied().filter(|_| METHODS.contains(&name)) else { return };
    let argument = file.code.resolved(argument, above);
    let View::Composed(pieces) = file.code.view(argument) else { return };
    let scope = scopes.around(&file.code, above);
    let Some(grade) = grade_of_statement(&pieces, |piece| scope.of_piece(&file.code, piece)) else { return };
    found.file_at("sql-injection", argument, node, grade, STATEMENT);
}

fn token<'t>(
    file: &RustFile<'t, '_>,
    node: Node<'t>,
    name: &str,
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    if matches!(
        name,
        "insecure_disable_signature_validation"
            | "dangerous_insecure_decode"
            | "insecure_decode"
            | "dangerous_insecure_decode_with_validation"
    ) {
        let excused = file.code.is_guarded(above) || admits(&file.code, above);
        let grade = if decides(&file.code, above) { SURE } else { LIKELY };
        found.file("token-unverified", node, grade.unless(excused), TOKEN);
    }
}

fn permissions<'t>(
    file: &RustFile<'t, '_>,
    node: Node<'t>,
    object: Option<Node<'t>>,
    name: &str,
    arguments: &[Node<'t>],
    above: &[Node<'t>],
    found: &mut WeaknessCollector<'t>,
) {
    let of_permissions = name == "set_mode"
        || name == "from_mode" && object.is_some_and(|object| file.code.text(object).ends_with("Permissions"));
    let Some(mode) = arguments.first().filter(|_| of_permissions) else { return };
    let digits = file.code.text(*mode).replace('_', "");
    let Some(bits) = digits.strip_prefix("0o").and_then(|digits| u32::from_str_radix(digits, 8).ok()) else { return };
    if bits & 0o002 != 0 && bits & 0o1000 == 0 {
        found.file_at("open-permissions", *mode, node, SURE_WARNING.unless(file.code.is_guarded(above)), WRITABLE);
    }
}
