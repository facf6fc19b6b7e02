//! What JavaScript and its relatives have in common: three grammars, one way to read their trees.
//!
//! `const` says little here, everything is bound with it: a constant is what stands at the top of a file and
//! is bound to a literal. A name is public when it is exported, wherever in the file that is said.

use std::ops::ControlFlow;

use foldhash::{HashSet, HashSetExt};
use tree_sitter::{Node, Tree};

use super::walk::{self, Grammar, INTO, Notes, PAST, ScopeStack, Visitor, child, children, named_children};
use crate::facts::{ImportKind, Role};

walk::grammar! {
    kinds {
        AbstractClass = "abstract_class_declaration",
        AbstractMethod = "abstract_method_signature",
        ArrowFunction = "arrow_function",
        Assignment = "assignment_expression",
        Call = "call_expression",
        Catch = "catch_clause",
        Class = "class_declaration",
        ClassExpression = "class",
        Comment = "comment",
        Enum = "enum_declaration",
        EnumAssignment = "enum_assignment",
        EnumBody = "enum_body",
        Export = "export_statement",
        Field = "field_definition",
        ForIn = "for_in_statement",
        FormalParameters = "formal_parameters",
        Function = "function_declaration",
        FunctionExpression = "function_expression",
        FunctionSignature = "function_signature",
        FunctionType = "function_type",
        GeneratorExpression = "generator_function",
        GeneratorFunction = "generator_function_declaration",
        Import = "import_statement",
        Interface = "interface_declaration",
        InternalModule = "internal_module",
        JsxElement = "jsx_element",
        JsxSelfClosing = "jsx_self_closing_element",
        LexicalDeclaration = "lexical_declaration",
        Method = "method_definition",
        MethodSignature = "method_signature",
        Module = "module",
        ObjectType = "object_type",
        Pair = "pair",
        PropertySignature = "property_signature",
        PublicField = "public_field_definition",
        String = "string",
        TypeAlias = "type_alias_declaration",
        TypeAnnotation = "type_annotation",
        TypeArguments = "type_arguments",
        TypeParameter = "type_parameter",
        TypeQuery = "type_query",
        VariableDeclaration = "variable_declaration",
        VariableDeclarator = "variable_declarator",
    }
    fields {
        arguments = "arguments",
        declaration = "declaration",
        function = "function",
        key = "key",
        kind = "kind",
        left = "left",
        name = "name",
        object = "object",
        parameter = "parameter",
        pattern = "pattern",
        property = "property",
        right = "right",
        source = "source",
        value = "value",
    }
}

/// Words that mean something to the language itself.
pub(super) const KEYWORDS: &[&str] = &[
    "any",
    "as",
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "declare",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "from",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "infer",
    "instanceof",
    "interface",
    "is",
    "keyof",
    "let",
    "module",
    "namespace",
    "new",
    "null",
    "of",
    "package",
    "private",
    "protected",
    "public",
    "readonly",
    "require",
    "return",
    "satisfies",
    "static",
    "super",
    "switch",
    "symbol",
    "this",
    "throw",
    "true",
    "try",
    "type",
    "typeof",
    "undefined",
    "unknown",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// A grammar of the family, with what is looked up in it.
pub(super) type ScriptGrammar = Grammar<NodeKind, NodeFieldSet>;

/// Notes down what a tree of the family declares and imports.
pub(super) fn read<'t>(grammar: &'static ScriptGrammar, tree: &'t Tree, notes: &mut Notes<'t>) {
    let mut visitor = ScriptVisitor { grammar, exported: HashSet::new(), top: Vec::new(), entered: 0, constant: false };
    walk::walk(tree, &mut visitor, notes);
    for row in visitor.top {
        notes.revise(row, |name| (name.role, name.public || visitor.exported.contains(name.text)));
    }
}

struct ScriptVisitor<'t> {
    grammar: &'static ScriptGrammar,
    /// Names that are exported somewhere in the file.
    exported: HashSet<&'t str>,
    /// Rows of names at the top of the file.
    top: Vec<usize>,
    /// How many classes were entered.
    entered: u32,
    /// Whether what is being declared is bound for good.
    constant: bool,
}

/// What a node stands in.
#[derive(Clone, Copy)]
struct ScriptScope<'t> {
    place: ScriptContext,
    /// The innermost class, interface or enum around it, by number and name.
    owner: Option<(u32, &'t str)>,
    public: bool,
    /// The row of the innermost name that it belongs to: it may turn out to be a component.
    row: Option<usize>,
}

impl<'t> ScriptScope<'t> {
    fn of(scopes: &ScopeStack<Self>) -> Self {
        scopes.top().copied().unwrap_or(Self { place: ScriptContext::Top, owner: None, public: false, row: None })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ScriptContext {
    /// The top of a file.
    Top,
    /// `export`: what is declared right in it is public.
    Export,
    Namespace,
    /// A class, interface or type made of members.
    Type,
    Function,
    /// The value of a variable whose name begins with a capital letter.
    Binding,
    /// A type alias, which may have members.
    Alias,
    /// A type that is written out where something is declared.
    Annotation,
}

impl<'t> Visitor<'t> for ScriptVisitor<'t> {
    type Kind = NodeKind;
    type Fields = NodeFieldSet;
    type Scope = ScriptScope<'t>;

    fn grammar(&self) -> &'static ScriptGrammar {
        self.grammar
    }

    fn enter(
        &mut self,
        kind: NodeKind,
        node: Node<'t>,
        scopes: &mut ScopeStack<ScriptScope<'t>>,
        notes: &mut Notes<'t>,
    ) -> ControlFlow<()> {
        let field = &self.grammar.field;
        match kind {
            NodeKind::Comment | NodeKind::String => return PAST,
            NodeKind::Import => {
                self.import(node, notes);
                return PAST;
            }
            NodeKind::Export => self.export(node, scopes, notes),
            NodeKind::Call => self.call(node, scopes, notes),
            NodeKind::TypeAnnotation | NodeKind::TypeArguments | NodeKind::TypeQuery => {
                scopes.open(ScriptScope { place: ScriptContext::Annotation, ..ScriptScope::of(scopes) });
            }
            NodeKind::LexicalDeclaration => {
                self.constant = child(node, field.kind).is_some_and(|kind| kind.kind() == "const");
            }
            NodeKind::VariableDeclaration => self.constant = false,
            NodeKind::Function | NodeKind::GeneratorFunction | NodeKind::FunctionSignature => {
                let row = self.declare(child(node, field.name), Role::Function, scopes, notes);
                scopes.open(ScriptScope { place: ScriptContext::Function, row, ..ScriptScope::of(scopes) });
            }
            NodeKind::ArrowFunction => {
                self.bindings(child(node, field.parameter), Role::Parameter, notes);
                scopes.open(ScriptScope { place: ScriptContext::Function, ..ScriptScope::of(scopes) });
            }
            NodeKind::FunctionExpression | NodeKind::GeneratorExpression | NodeKind::FunctionType => {
                scopes.open(ScriptScope { place: ScriptContext::Function, ..ScriptScope::of(scopes) });
            }
            NodeKind::FormalParameters => self.parameters(node, scopes, notes),
            NodeKind::Catch => self.bindings(child(node, field.parameter), Role::Parameter, notes),
            NodeKind::ForIn => {
                if child(node, field.kind).is_some() {
                    self.bindings(child(node, field.left), Role::Variable, notes);
                }
            }
            NodeKind::TypeParameter => {
                if let Some(name) = child(node, field.name) {
                    notes.declare(name, Role::TypeParameter, false, None);
                }
            }
            NodeKind::VariableDeclarator => self.variable(node, scopes, notes),
            NodeKind::Assignment => self.assignment(node, scopes, notes),
            NodeKind::Pair => {
                let is_function = child(node, field.value).is_some_and(is_function);
                self.property(child(node, field.key).filter(|_| is_function), Role::Method, false, None, notes);
            }
            NodeKind::JsxElement | NodeKind::JsxSelfClosing => mark_component(scopes, notes),
            _ => self.type_or_member(kind, node, scopes, notes),
        }
        INTO
    }
}

impl<'t> ScriptVisitor<'t> {
    fn type_or_member(
        &mut self,
        kind: NodeKind,
        node: Node<'t>,
        scopes: &mut ScopeStack<ScriptScope<'t>>,
        notes: &mut Notes<'t>,
    ) {
        let field = &self.grammar.field;
        let name = child(node, field.name).or_else(|| child(node, field.property));
        match kind {
            NodeKind::Class | NodeKind::AbstractClass => {
                self.open_type(name, Role::Type, ScriptContext::Type, scopes, notes);
            }
            NodeKind::Interface => self.open_type(name, Role::Interface, ScriptContext::Type, scopes, notes),
            NodeKind::TypeAlias => self.open_type(name, Role::Type, ScriptContext::Alias, scopes, notes),
            NodeKind::Enum => self.open_type(name, Role::Enum, ScriptContext::Type, scopes, notes),
            NodeKind::ClassExpression => {
                self.entered += 1;
                let owner = self.owner(scopes);
                let around = ScriptScope::of(scopes);
                let public = around.place == ScriptContext::Binding && around.public;
                scopes.open(ScriptScope { place: ScriptContext::Type, owner, public, row: None });
            }
            // Only a declared type owns members. Those of a type that is written into a signature have no owner.
            NodeKind::ObjectType
                if !matches!(ScriptScope::of(scopes).place, ScriptContext::Type | ScriptContext::Alias) =>
            {
                scopes.open(ScriptScope { place: ScriptContext::Type, owner: None, public: false, row: None });
            }
            NodeKind::InternalModule | NodeKind::Module => {
                let name = name.filter(|name| name.kind() == "identifier");
                self.declare(name, Role::Module, scopes, notes);
                scopes.open(ScriptScope { place: ScriptContext::Namespace, owner: None, public: false, row: None });
            }
            NodeKind::EnumBody => {
                let (owner, public) = members(scopes);
                for name in named_children(node).filter(|part| part.kind() == "property_identifier") {
                    self.property(Some(name), Role::Variant, public, owner, notes);
                }
            }
            NodeKind::EnumAssignment => {
                let (owner, public) = members(scopes);
                self.property(name, Role::Variant, public, owner, notes);
            }
            NodeKind::Method | NodeKind::MethodSignature | NodeKind::AbstractMethod => {
                let (owner, public) = members(scopes);
                if name.is_none_or(|name| notes.text(name) != "constructor") {
                    let public = public && !is_restricted(node, notes);
                    self.property(name, Role::Method, public, owner, notes);
                }
                scopes.open(ScriptScope { place: ScriptContext::Function, ..ScriptScope::of(scopes) });
            }
            NodeKind::Field | NodeKind::PublicField | NodeKind::PropertySignature => {
                let (owner, public) = members(scopes);
                let public = public && !is_restricted(node, notes);
                let words = || children(node).map(|part| notes.text(part));
                let fixed = words().any(|word| word == "static") && words().any(|word| word == "readonly");
                let role = match child(node, field.value) {
                    Some(value) if is_function(value) => Role::Method,
                    _ if fixed => Role::Constant,
                    _ => Role::Field,
                };
                self.property(name, role, public, owner, notes);
            }
            _ => {}
        }
    }

    /// Notes down a type and remembers that the walk is within it.
    fn open_type(
        &mut self,
        name: Option<Node<'t>>,
        role: Role,
        place: ScriptContext,
        scopes: &mut ScopeStack<ScriptScope<'t>>,
        notes: &mut Notes<'t>,
    ) {
        self.entered += 1;
        let row = self.declare(name, role, scopes, notes);
        let owner = name.map(|name| (self.entered, notes.text(name)));
        // Whether it is exported may turn out later: members are hidden at the end if it is not.
        let public = matches!(ScriptScope::of(scopes).place, ScriptContext::Top | ScriptContext::Export);
        scopes.open(ScriptScope { place, owner, public, row });
    }

    fn owner(&self, scopes: &ScopeStack<ScriptScope<'t>>) -> Option<(u32, &'t str)> {
        let name = scopes.top().filter(|scope| scope.place == ScriptContext::Binding)?.owner?.1;
        Some((self.entered, name))
    }

    /// Notes down what is declared at the top of a file or in a function.
    fn declare(
        &mut self,
        name: Option<Node<'t>>,
        role: Role,
        scopes: &ScopeStack<ScriptScope<'t>>,
        notes: &mut Notes<'t>,
    ) -> Option<usize> {
        let public = scopes.top().is_some_and(|scope| scope.place == ScriptContext::Export);
        let row = notes.declare(name?, role, public, None);
        if is_top(scopes) {
            self.top.extend(row);
        }
        row
    }

    fn property(
        &self,
        name: Option<Node<'t>>,
        role: Role,
        public: bool,
        owner: Option<&'t str>,
        notes: &mut Notes<'t>,
    ) {
        if let Some(name) =
            name.filter(|name| matches!(name.kind(), "property_identifier" | "private_property_identifier"))
        {
            let text = notes.text(name);
            let public = public && !text.starts_with('#');
            notes.declare_as(text.trim_start_matches('#'), name, role, public, owner);
        }
    }

    fn variable(&mut self, node: Node<'t>, scopes: &mut ScopeStack<ScriptScope<'t>>, notes: &mut Notes<'t>) {
        let field = &self.grammar.field;
        let Some(name) = child(node, field.name) else { return };
        if name.kind() != "identifier" {
            self.bindings(Some(name), Role::Variable, notes);
            return;
        }
        let value = child(node, field.value);
        let role = match value {
            Some(value) if is_function(value) => Role::Function,
            Some(value) if value.kind() == "class" => Role::Type,
            Some(value) if self.constant && is_top(scopes) && is_literal(value, notes) => Role::Constant,
            _ => Role::Variable,
        };
        let row = self.declare(Some(name), role, scopes, notes);
        let text = notes.text(name);
        if is_capital(text) && value.is_some() {
            let public = is_top(scopes);
            scopes.open(ScriptScope { place: ScriptContext::Binding, owner: Some((0, text)), public, row });
        }
    }

    fn parameters(&mut self, node: Node<'t>, scopes: &ScopeStack<ScriptScope<'t>>, notes: &mut Notes<'t>) {
        let field = &self.grammar.field;
        for parameter in named_children(node) {
            let pattern = child(parameter, field.pattern).unwrap_or(parameter);
            // `constructor(private readonly a: A)` declares a field.
            let modifier = parameter.child(0).filter(|first| first.kind() == "accessibility_modifier");
            let owner = scopes.top().and_then(|scope| scope.owner).filter(|_| modifier.is_some());
            if let (Some((_, owner)), "identifier") = (owner, pattern.kind()) {
                let public = modifier.is_some_and(|modifier| notes.text(modifier) == "public");
                notes.declare(pattern, Role::Field, public, Some(owner));
            } else {
                self.bindings(Some(pattern), Role::Parameter, notes);
            }
        }
    }

    /// Notes down what a pattern binds. What it takes out of an object under the object's own name is no
    /// name that anyone chose here.
    fn bindings(&self, pattern: Option<Node<'t>>, role: Role, notes: &mut Notes<'t>) {
        let field = &self.grammar.field;
        let mut left: Vec<Node<'t>> = pattern.into_iter().collect();
        while let Some(node) = left.pop() {
            match node.kind() {
                "identifier" => {
                    notes.declare(node, role, false, None);
                }
                "assignment_pattern" => left.extend(child(node, field.left)),
                "pair_pattern" => left.extend(child(node, field.value)),
                "rest_pattern" | "array_pattern" | "object_pattern" => {
                    let place = left.len();
                    left.extend(named_children(node));
                    left[place..].reverse();
                }
                _ => {}
            }
        }
    }

    fn assignment(&mut self, node: Node<'t>, scopes: &ScopeStack<ScriptScope<'t>>, notes: &mut Notes<'t>) {
        let field = &self.grammar.field;
        let (Some(left), Some(right)) = (child(node, field.left), child(node, field.right)) else { return };
        if left.kind() != "member_expression" {
            return;
        }
        let object = child(left, field.object).map_or("", |object| notes.text(object));
        let Some(property) = child(left, field.property) else { return };
        match object {
            "module" if notes.text(property) == "exports" => self.export_value(right, notes),
            "exports" | "module.exports" if is_top(scopes) => {
                if right.kind() == "identifier" {
                    self.exported.insert(notes.text(right));
                } else {
                    let role = match right.kind() {
                        "class" => Role::Type,
                        _ if is_function(right) => Role::Function,
                        _ => return,
                    };
                    self.property(Some(property), role, true, None, notes);
                }
            }
            "this" => {
                let owner = ScriptScope::of(scopes).owner.filter(|(class, _)| *class > 0);
                if let Some((class, owner)) = owner
                    && notes.first_in(class, notes.text(property))
                {
                    let role = if is_function(right) { Role::Method } else { Role::Field };
                    self.property(Some(property), role, true, Some(owner), notes);
                }
            }
            _ if is_function(right) => {
                if let Some(owner) = object.strip_suffix(".prototype") {
                    self.property(Some(property), Role::Method, true, Some(owner), notes);
                }
            }
            _ => {}
        }
    }

    /// Notes down what `module.exports = …` or `export default …` passes on.
    fn export_value(&mut self, value: Node<'t>, notes: &Notes<'t>) {
        match value.kind() {
            "identifier" => {
                self.exported.insert(notes.text(value));
            }
            "object" => {
                for part in named_children(value) {
                    let named = match part.kind() {
                        "shorthand_property_identifier" => Some(part),
                        "pair" => child(part, self.grammar.field.value).filter(|value| value.kind() == "identifier"),
                        _ => None,
                    };
                    self.exported.extend(named.map(|named| notes.text(named)));
                }
            }
            _ => {}
        }
    }

    fn export(&mut self, node: Node<'t>, scopes: &mut ScopeStack<ScriptScope<'t>>, notes: &mut Notes<'t>) {
        let field = &self.grammar.field;
        let clause = named_children(node).find(|part| part.kind() == "export_clause");
        if let Some(source) = child(node, field.source).and_then(|source| string(source, notes)) {
            let names = match clause {
                Some(clause) => specifiers(clause, field, notes).map(str::to_owned).collect(),
                None => vec!["*".to_owned()],
            };
            notes.import(node, source, names, ImportKind::ReExport);
            return;
        }
        if let Some(clause) = clause {
            self.exported.extend(specifiers(clause, field, notes));
        } else if let Some(value) = child(node, field.value) {
            self.export_value(value, notes);
        } else if child(node, field.declaration).is_none() {
            // `export = a`
            let value = named_children(node).find(|part| part.kind() == "identifier");
            self.exported.extend(value.map(|value| notes.text(value)));
        }
        if is_top(scopes) || scopes.top().is_some_and(|scope| scope.place == ScriptContext::Namespace) {
            scopes.open(ScriptScope { place: ScriptContext::Export, owner: None, public: true, row: None });
        }
    }

    fn import(&self, node: Node<'t>, notes: &mut Notes<'t>) {
        let field = &self.grammar.field;
        let mut names = Vec::new();
        let mut type_only = children(node).any(|part| matches!(notes.text(part), "type" | "typeof"));
        let mut source = child(node, field.source);
        for part in named_children(node) {
            match part.kind() {
                "import_require_clause" => source = child(part, field.source),
                "import_clause" => {
                    for part in named_children(part) {
                        match part.kind() {
                            "identifier" => names.push("default"),
                            "namespace_import" => names.push("*"),
                            _ => {
                                let specifiers =
                                    || named_children(part).filter(|part| part.kind() == "import_specifier");
                                let of_type =
                                    |part: Node<'_>| part.child(0).is_some_and(|first| first.kind() == "type");
                                type_only |=
                                    names.is_empty() && specifiers().next().is_some() && specifiers().all(of_type);
                                names.extend(specifiers().map(|part| {
                                    child(part, field.name)
                                        .map_or("", |name| notes.text(name).trim_matches(['"', '\'']))
                                }));
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        if let Some(source) = source.and_then(|source| string(source, notes)) {
            let kind = if type_only { ImportKind::TypeOnly } else { ImportKind::Plain };
            notes.import(node, source, names.into_iter().map(str::to_owned).collect(), kind);
        }
    }

    /// Looks at `require("a")` and `import("a")`.
    fn call(&self, node: Node<'t>, scopes: &ScopeStack<ScriptScope<'t>>, notes: &mut Notes<'t>) {
        let field = &self.grammar.field;
        let Some(function) = child(node, field.function) else { return };
        let kind = match function.kind() {
            "import" if matches!(ScriptScope::of(scopes).place, ScriptContext::Alias | ScriptContext::Annotation) => {
                ImportKind::TypeOnly
            }
            "import" => ImportKind::Dynamic,
            "identifier" if notes.text(function) == "require" => {
                let in_function = scopes.inner_first().any(|scope| scope.place == ScriptContext::Function);
                if in_function { ImportKind::Dynamic } else { ImportKind::Plain }
            }
            _ => return,
        };
        let argument = child(node, field.arguments).and_then(|list| named_children(list).next());
        if let Some(path) = argument.and_then(|argument| string(argument, notes)) {
            notes.import(node, path, Vec::new(), kind);
        }
    }
}

/// The type that members belong to, and whether they may be public.
fn members<'t>(scopes: &ScopeStack<ScriptScope<'t>>) -> (Option<&'t str>, bool) {
    match scopes.top() {
        Some(scope) if matches!(scope.place, ScriptContext::Type | ScriptContext::Alias) => {
            (scope.owner.map(|(_, name)| name), scope.public)
        }
        _ => (None, false),
    }
}

/// Returns whether a node stands at the top of a file, not within a function, class or namespace.
fn is_top(scopes: &ScopeStack<ScriptScope<'_>>) -> bool {
    matches!(ScriptScope::of(scopes).place, ScriptContext::Top | ScriptContext::Export)
}

/// A function that draws something is a component, if its name says so.
fn mark_component(scopes: &ScopeStack<ScriptScope<'_>>, notes: &mut Notes<'_>) {
    let Some(row) = ScriptScope::of(scopes).row else { return };
    notes.revise(row, |name| {
        let drawn = is_capital(name.text) && matches!(name.role, Role::Function | Role::Variable);
        (if drawn { Role::Component } else { name.role }, name.public)
    });
}

/// The names of `{a, b as c}`, as they are called on the left.
fn specifiers<'t>(clause: Node<'t>, field: &NodeFieldSet, notes: &Notes<'t>) -> impl Iterator<Item = &'t str> {
    named_children(clause).filter_map(|part| child(part, field.name)).map(|name| notes.text(name))
}

/// Returns whether a member is kept from others: `private a`, `protected a`.
fn is_restricted(node: Node<'_>, notes: &Notes<'_>) -> bool {
    children(node)
        .find(|part| part.kind() == "accessibility_modifier")
        .is_some_and(|modifier| notes.text(modifier) != "public")
}

fn is_function(value: Node<'_>) -> bool {
    matches!(value.kind(), "arrow_function" | "function_expression" | "generator_function")
}

/// Returns whether a value is written out: `1`, `-1`, `"a"`, `[1] as const`, `Object.freeze({…})`.
fn is_literal(value: Node<'_>, notes: &Notes<'_>) -> bool {
    match value.kind() {
        "number" | "string" | "true" | "false" | "null" | "regex" | "template_string" => true,
        "unary_expression" | "binary_expression" | "parenthesized_expression" => {
            let mut inner = value;
            while matches!(inner.kind(), "unary_expression" | "binary_expression" | "parenthesized_expression") {
                let Some(first) = inner.named_child(0) else { return false };
                inner = first;
            }
            matches!(inner.kind(), "number" | "string")
        }
        "as_expression" => notes.text(value).ends_with("as const"),
        "call_expression" => notes.text(value).starts_with("Object.freeze("),
        _ => false,
    }
}

fn is_capital(name: &str) -> bool {
    name.starts_with(|first: char| first.is_uppercase())
}

/// The text of a string without escapes and substitutions.
fn string<'t>(node: Node<'_>, notes: &Notes<'t>) -> Option<&'t str> {
    if !matches!(node.kind(), "string" | "template_string") {
        return None;
    }
    let text = notes.text(node).trim_matches(['"', '\'', '`']);
    (!text.is_empty() && !text.contains(['\\', '$', '\n'])).then_some(text)
}
