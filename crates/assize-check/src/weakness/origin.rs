//! Where a value comes from: out of the program, from a caller, or from a stranger.
//!
//! The reading stays inside of one function and follows plain assignments only. Whatever it does not understand is
//! unknown: rules may be sure only about what was seen to come from outside, unchecked.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use tree_sitter::Node;

use super::code::{DEPTH_MAX, SourceCode, TextPiece, View};

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ValueOrigin {
    /// It cannot carry harm: a constant, a number, or a text that was made safe.
    Harmless,
    /// It cannot be told.
    Unknown,
    /// The caller of the function hands it over.
    Parameter,
    /// A stranger sent it, and nothing was seen that checks it.
    Outside,
}

/// What is known of the names within one function.
#[derive(Debug, Default)]
pub(super) struct FunctionScope<'t> {
    parameters: HashSet<&'t str>,
    harmless: HashSet<&'t str>,
    outside: HashSet<&'t str>,
    checked: HashSet<&'t str>,
}

/// The scopes of a file, each read once.
#[derive(Default)]
pub(super) struct FunctionScopes<'t> {
    known: HashMap<usize, Rc<FunctionScope<'t>>>,
}

impl<'t> FunctionScopes<'t> {
    /// Reads the function that a node stands in, or the file where it stands in none.
    pub(super) fn around(&mut self, code: &SourceCode<'t>, above: &[Node<'t>]) -> Rc<FunctionScope<'t>> {
        let function = code.function(above);
        let key = function.map_or(usize::MAX, |function| function.id());
        let read = || Rc::new(FunctionScope::read(code, function));
        self.known.entry(key).or_insert_with(read).clone()
    }
}

/// Calls that give back what they are given, in another dress.
const PASSING: [&str; 34] = [
    "get",
    "getlist",
    "get_json",
    "getFirst",
    "first",
    "strip",
    "lstrip",
    "rstrip",
    "trim",
    "lower",
    "upper",
    "toLowerCase",
    "toUpperCase",
    "toString",
    "String",
    "str",
    "decode",
    "encode",
    "format",
    "split",
    "pop",
    "Get",
    "as_str",
    "as_ref",
    "to_string",
    "to_owned",
    "clone",
    "into",
    "into_inner",
    "text",
    "json",
    "unwrap",
    "unwrap_or_default",
    "Bytes",
];

/// Words in the names of calls after which a value is no longer what was sent.
const CHECKING: [&str; 26] = [
    "valid",
    "check",
    "sanit",
    "secure",
    "safe",
    "allow",
    "clean",
    "escape",
    "quote",
    "normal",
    "basename",
    "verify",
    "whitelist",
    "assert",
    "require",
    "resolve",
    "relative",
    "match",
    "isin",
    "includes",
    "contains",
    "startswith",
    "starts_with",
    "parse",
    "filter",
    "strip_prefix",
];

/// Calls whose result is a number, a truth value or quoted.
const DISARMING: [&str; 34] = [
    "int",
    "float",
    "bool",
    "len",
    "abs",
    "round",
    "ord",
    "hash",
    "id",
    "quote",
    "escape",
    "escape_string",
    "quote_identifier",
    "quoteIdent",
    "escapeId",
    "Number",
    "parseInt",
    "parseFloat",
    "Boolean",
    "Atoi",
    "ParseInt",
    "strconv.Itoa",
    "Itoa",
    "valueOf",
    "getpid",
    "time",
    "now",
    "uuid4",
    "randint",
    "hexdigest",
    "secure_filename",
    "shellescape",
    "quoted",
    "join_quoted",
];

impl<'t> FunctionScope<'t> {
    fn read(code: &SourceCode<'t>, function: Option<Node<'t>>) -> Self {
        let mut scope = Self::default();
        let Some(function) = function else { return scope };
        for parameter in code.dialect.parameters(function, code) {
            scope.parameters.insert(parameter.name);
            if parameter.harmless {
                scope.harmless.insert(parameter.name);
            }
            if parameter.outside {
                scope.outside.insert(parameter.name);
            }
        }
        code.explore(function, &mut |node, above| {
            if let Some((target, value)) = code.dialect.assignment(node)
                && let View::Name(name) = code.view(target)
            {
                scope.assign(code, name, value);
            }
            if code.dialect.identifiers().contains(&node.kind()) && is_looked_at(code, node, above) {
                scope.checked.insert(code.text(node));
            }
            true
        });
        scope
    }

    fn assign(&mut self, code: &SourceCode<'t>, name: &'t str, value: Node<'t>) {
        match self.origin(code, value) {
            ValueOrigin::Outside => {
                self.outside.insert(name);
                self.harmless.remove(name);
            }
            ValueOrigin::Harmless if !self.outside.contains(name) && !self.parameters.contains(name) => {
                self.harmless.insert(name);
            }
            _ => {
                self.harmless.remove(name);
            }
        }
    }

    /// Tells where a value comes from; the worst part of a text that is put together decides.
    pub(super) fn origin(&self, code: &SourceCode<'t>, node: Node<'t>) -> ValueOrigin {
        self.origin_within(code, node, DEPTH_MAX)
    }

    fn origin_within(&self, code: &SourceCode<'t>, node: Node<'t>, depth: usize) -> ValueOrigin {
        let Some(depth) = depth.checked_sub(1) else { return ValueOrigin::Unknown };
        match code.view(node) {
            View::Literal => ValueOrigin::Harmless,
            View::Name(name) => self.of_name(name),
            View::Member { object, name } => {
                if code.path(node).is_some_and(|path| code.dialect.is_outside(&path)) {
                    ValueOrigin::Outside
                } else if is_constant_name(name) {
                    ValueOrigin::Harmless
                } else {
                    self.of_holder(code, object, depth)
                }
            }
            View::Index { object, .. } => self.of_holder(code, object, depth),
            View::Composed(pieces) => pieces
                .iter()
                .map(|piece| self.of_piece_within(code, *piece, depth))
                .max()
                .unwrap_or(ValueOrigin::Harmless),
            View::Call { object, name, arguments } => self.of_call(code, node, object, name, &arguments, depth),
            View::Wrapped(_) | View::Other => ValueOrigin::Unknown,
        }
    }

    fn of_call(
        &self,
        code: &SourceCode<'t>,
        node: Node<'t>,
        object: Option<Node<'t>>,
        name: &str,
        arguments: &[Node<'t>],
        depth: usize,
    ) -> ValueOrigin {
        if DISARMING.contains(&name) {
            return ValueOrigin::Harmless;
        }
        if code.path(node).is_some_and(|path| code.dialect.is_outside(&path)) {
            return ValueOrigin::Outside;
        }
        if !PASSING.contains(&name) {
            return ValueOrigin::Unknown;
        }
        let held = object.map(|object| self.of_holder(code, object, depth));
        // `str(x)` gives its argument back; the default of `x.get(key, default)` says nothing.
        let given = || arguments.first().map(|argument| self.origin_within(code, *argument, depth));
        match held {
            Some(ValueOrigin::Harmless) | None => given().unwrap_or(ValueOrigin::Unknown),
            Some(origin) => origin,
        }
    }

    /// Where a thing comes from of which a part is taken: a part of something constant need not be constant.
    fn of_holder(&self, code: &SourceCode<'t>, object: Node<'t>, depth: usize) -> ValueOrigin {
        match self.origin_within(code, object, depth) {
            ValueOrigin::Harmless if !matches!(code.view(object), View::Literal | View::Composed(_)) => {
                ValueOrigin::Unknown
            }
            origin => origin,
        }
    }

    fn of_name(&self, name: &str) -> ValueOrigin {
        if self.outside.contains(name) && !self.checked.contains(name) {
            ValueOrigin::Outside
        } else if self.harmless.contains(name) || is_constant_name(name) {
            ValueOrigin::Harmless
        } else if self.parameters.contains(name) && !self.checked.contains(name) {
            ValueOrigin::Parameter
        } else {
            ValueOrigin::Unknown
        }
    }

    /// Tells where a part of a text comes from.
    pub(super) fn of_piece(&self, code: &SourceCode<'t>, piece: TextPiece<'t>) -> ValueOrigin {
        self.of_piece_within(code, piece, DEPTH_MAX)
    }

    fn of_piece_within(&self, code: &SourceCode<'t>, piece: TextPiece<'t>, depth: usize) -> ValueOrigin {
        match piece {
            TextPiece::Text(_) => ValueOrigin::Harmless,
            TextPiece::Variable(name) => self.of_name(name),
            TextPiece::Value(node) => self.origin_within(code, node, depth),
        }
    }
}

/// `TABLE`, `MAX_2`: written once, by the project itself.
fn is_constant_name(name: &str) -> bool {
    name.len() > 1
        && name
            .chars()
            .all(|character| character.is_ascii_uppercase() || character.is_ascii_digit() || character == '_')
}

/// Returns whether a name stands where it is compared, or handed to something that checks it.
fn is_looked_at<'t>(code: &SourceCode<'t>, node: Node<'t>, above: &[Node<'t>]) -> bool {
    let mut below = node;
    for parent in above.iter().rev().take(DEPTH_MAX) {
        if code.dialect.functions().contains(&parent.kind()) {
            return false;
        }
        let condition = parent.child_by_field_name("condition").is_some_and(|condition| condition.id() == below.id());
        let compared = parent.kind().contains("comparison")
            || parent.kind() == "binary_expression"
                && parent.child_by_field_name("operator").is_some_and(|operator| {
                    matches!(code.text(operator), "==" | "!=" | "===" | "!==" | "in" | "instanceof")
                });
        if condition || compared || calls_check(code, *parent) {
            return true;
        }
        below = *parent;
    }
    false
}

fn calls_check<'t>(code: &SourceCode<'t>, node: Node<'t>) -> bool {
    if !node.kind().contains("call") && !node.kind().contains("invocation") {
        return false;
    }
    let View::Call { name, .. } = code.view(node) else { return false };
    let name = name.to_ascii_lowercase();
    // These run what they are given.
    if name.contains("unsafe") || matches!(name.as_str(), "check_output" | "check_call") {
        return false;
    }
    CHECKING.iter().any(|word| name.contains(word))
}
