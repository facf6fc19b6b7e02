//! Go.
//!
//! A capital letter makes a name public. Receivers are no parameters: each type has a name of its own for them,
//! and the project has none.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use assize_ecosystem::holds_tests;
use tree_sitter::{Node, Tree};

use super::{LanguageReader, ResolutionFamily};
use super::walk::{self, Grammar, INTO, Notes, PAST, ScopeStack, Visitor, child, children, named_children};
use crate::facts::{ImportKind, Role};

walk::grammar! {
    kinds {
        Const = "const_spec",
        Field = "field_declaration",
        Function = "function_declaration",
        FunctionLiteral = "func_literal",
        Import = "import_spec",
        Method = "method_declaration",
        MethodElement = "method_elem",
        Package = "package_clause",
        Parameter = "parameter_declaration",
        ParameterList = "parameter_list",
        Range = "range_clause",
        Receive = "receive_statement",
        ShortVariable = "short_var_declaration",
        String = "interpreted_string_literal",
        TypeAlias = "type_alias",
        TypeParameter = "type_parameter_declaration",
        TypeSpec = "type_spec",
        TypeSwitch = "type_switch_statement",
        Variable = "var_spec",
        VariadicParameter = "variadic_parameter_declaration",
    }
    fields {
        alias = "alias",
        left = "left",
        name = "name",
        path = "path",
        receiver = "receiver",
        type_ = "type",
    }
}

/// Words that mean something to the language itself.
const KEYWORDS: &[&str] = &[
    "any",
    "append",
    "bool",
    "break",
    "byte",
    "cap",
    "case",
    "chan",
    "close",
    "const",
    "continue",
    "copy",
    "default",
    "defer",
    "delete",
    "else",
    "error",
    "fallthrough",
    "false",
    "for",
    "func",
    "go",
    "goto",
    "if",
    "import",
    "int",
    "interface",
    "iota",
    "len",
    "make",
    "map",
    "new",
    "nil",
    "package",
    "panic",
    "range",
    "return",
    "rune",
    "select",
    "string",
    "struct",
    "switch",
    "true",
    "type",
    "var",
];

static GRAMMAR: LazyLock<Grammar<NodeKind, NodeFieldSet>> = LazyLock::new(|| Grammar::new(&Go::grammar()));

/// Go.
pub(super) struct Go;

impl LanguageReader for Go {
    const KEYWORDS: &'static [&'static str] = KEYWORDS;
    const FAMILY: ResolutionFamily = ResolutionFamily::Go;

    fn grammar() -> tree_sitter::Language {
        tree_sitter_go::LANGUAGE.into()
    }

    fn read<'t>(tree: &'t Tree, notes: &mut Notes<'t>) {
        walk::walk(tree, &mut GoVisitor { receiver: None, entered: 0 }, notes);
    }
}

struct GoVisitor {
    /// The receiver of the method that is being entered.
    receiver: Option<usize>,
    /// How many functions were entered.
    entered: u32,
}

/// What a node stands in.
#[derive(Clone, Copy)]
enum GoScope<'t> {
    /// A function, by its number.
    Function(u32),
    /// A type with its name.
    Type(&'t str),
}

impl<'t> Visitor<'t> for GoVisitor {
    type Kind = NodeKind;
    type Fields = NodeFieldSet;
    type Scope = GoScope<'t>;

    fn grammar(&self) -> &'static Grammar<NodeKind, NodeFieldSet> {
        &GRAMMAR
    }

    fn enter(
        &mut self,
        kind: NodeKind,
        node: Node<'t>,
        scopes: &mut ScopeStack<GoScope<'t>>,
        notes: &mut Notes<'t>,
    ) -> ControlFlow<()> {
        let field = &GRAMMAR.field;
        let top = scopes.top().copied();
        let is_local = scopes.inner_first().any(|scope| matches!(scope, GoScope::Function(_)));
        let owner = if let Some(GoScope::Type(owner)) = top { Some(owner) } else { None };
        match kind {
            NodeKind::String => return PAST,
            NodeKind::ParameterList if self.receiver == Some(node.id()) => return PAST,
            NodeKind::ParameterList => {}
            NodeKind::Package => notes.package = named_children(node).next().map(|name| notes.text(name).to_owned()),
            NodeKind::Import => {
                if let Some(path) = child(node, field.path) {
                    let path = notes.text(path).trim_matches(['"', '`']);
                    notes.import(node, path, Vec::new(), ImportKind::Plain);
                }
                return PAST;
            }
            NodeKind::Function | NodeKind::Method => self.function(node, scopes, notes),
            NodeKind::FunctionLiteral => self.open(scopes),
            NodeKind::TypeSpec | NodeKind::TypeAlias => {
                let Some(name) = child(node, field.name) else { return INTO };
                let of = child(node, field.type_).map(|of| of.kind());
                let role = if of == Some("interface_type") { Role::Interface } else { Role::Type };
                let text = notes.text(name);
                notes.declare(name, role, !is_local && is_exported(text), None);
                scopes.open(GoScope::Type(text));
            }
            NodeKind::MethodElement => names(node, Role::Method, true, owner, notes),
            NodeKind::Field => names(node, Role::Field, !is_local, owner, notes),
            NodeKind::Const if is_local => names(node, Role::Constant, false, None, notes),
            NodeKind::Const => names(node, Role::Constant, true, None, notes),
            NodeKind::Variable if is_local => names(node, Role::Variable, false, None, notes),
            NodeKind::Variable => names(node, Role::Variable, true, None, notes),
            NodeKind::TypeParameter => names(node, Role::TypeParameter, false, None, notes),
            NodeKind::Parameter | NodeKind::VariadicParameter => names(node, Role::Parameter, false, None, notes),
            NodeKind::ShortVariable | NodeKind::Range | NodeKind::Receive => {
                // `range` and `<-` may also assign to what there is.
                let declares = kind == NodeKind::ShortVariable || children(node).any(|part| part.kind() == ":=");
                if declares {
                    locals(child(node, field.left), scopes, notes);
                }
            }
            NodeKind::TypeSwitch => locals(child(node, field.alias), scopes, notes),
        }
        INTO
    }
}

impl GoVisitor {
    fn open(&mut self, scopes: &mut ScopeStack<GoScope<'_>>) {
        self.entered += 1;
        scopes.open(GoScope::Function(self.entered));
    }

    fn function<'t>(&mut self, node: Node<'t>, scopes: &mut ScopeStack<GoScope<'t>>, notes: &mut Notes<'t>) {
        let field = &GRAMMAR.field;
        let receiver = child(node, field.receiver);
        let owner = receiver.and_then(|receiver| first_type_identifier(receiver, notes));
        if let Some(name) = child(node, field.name) {
            let text = notes.text(name);
            let test = ["Test", "Benchmark", "Fuzz", "Example"].iter().any(|prefix| {
                text.strip_prefix(prefix).is_some_and(|rest| !rest.starts_with(|next: char| next.is_lowercase()))
            });
            let role = match receiver {
                Some(_) => Role::Method,
                None if test && holds_tests(notes.path) => Role::Test,
                None => Role::Function,
            };
            let public = role != Role::Test && is_exported(text) && owner.is_none_or(is_exported);
            if !matches!(text, "init" | "main") {
                notes.declare(name, role, public, owner);
            }
        }
        self.receiver = receiver.map(|receiver| receiver.id());
        self.open(scopes);
    }
}

/// Notes down the names of a node: it may have several.
fn names<'t>(node: Node<'t>, role: Role, may_be_public: bool, owner: Option<&'t str>, notes: &mut Notes<'t>) {
    let mut cursor = node.walk();
    let mut left = cursor.goto_first_child();
    while left {
        let name = cursor.node();
        let text = notes.text(name);
        if cursor.field_id().is_some_and(|id| id.get() == GRAMMAR.field.name) && name.is_named() {
            notes.declare(name, role, may_be_public && is_exported(text), owner);
        }
        left = cursor.goto_next_sibling();
    }
}

/// Notes down what `:=` declares: a name that it shares with an earlier one counts once.
fn locals<'t>(list: Option<Node<'t>>, scopes: &ScopeStack<GoScope<'t>>, notes: &mut Notes<'t>) {
    let function = scopes.inner_first().find_map(|scope| match scope {
        GoScope::Function(number) => Some(*number),
        GoScope::Type(_) => None,
    });
    for name in list.into_iter().flat_map(named_children).filter(|name| name.kind() == "identifier") {
        let text = notes.text(name);
        if notes.first_in(function.unwrap_or(0), text) {
            notes.declare(name, Role::Variable, false, None);
        }
    }
}

/// The type of a receiver: `(l *Ledger[K])`.
fn first_type_identifier<'t>(receiver: Node<'t>, notes: &Notes<'t>) -> Option<&'t str> {
    let mut left = vec![receiver];
    while let Some(node) = left.pop() {
        if node.kind() == "type_identifier" {
            return Some(notes.text(node));
        }
        let place = left.len();
        left.extend(named_children(node));
        left[place..].reverse();
    }
    None
}

fn is_exported(name: &str) -> bool {
    name.starts_with(|first: char| first.is_uppercase())
}
