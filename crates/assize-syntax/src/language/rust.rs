//! Rust.
//!
//! Paths are noted down relative to the module that the file is: what stands in an inline module
//! loses a `super` for each that it is within. A path that begins with `crate`, `super` or `self` in the
//! middle of code is an import that saved its `use` line. What stands in the arguments of a macro is
//! tokens to the grammar: such paths are found there as well, declarations are not.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use foldhash::{HashSet, HashSetExt};
use tree_sitter::{Node, Tree};

use super::{LanguageReader, ResolutionFamily};
use super::walk::{self, Grammar, INTO, Notes, PAST, ScopeStack, Visitor, child, named_children};
use crate::cfg::is_test_only;
use crate::facts::{ImportKind, Role};

walk::grammar! {
    kinds {
        Associated = "associated_type",
        Attribute = "attribute_item",
        Closure = "closure_parameters",
        Const = "const_item",
        ConstParameter = "const_parameter",
        Crate = "crate",
        Enum = "enum_item",
        ExternCrate = "extern_crate_declaration",
        FieldDeclaration = "field_declaration",
        For = "for_expression",
        Function = "function_item",
        FunctionSignature = "function_signature_item",
        Impl = "impl_item",
        InnerAttribute = "inner_attribute_item",
        Let = "let_declaration",
        LetCondition = "let_condition",
        Macro = "macro_definition",
        MacroCall = "macro_invocation",
        MatchPattern = "match_pattern",
        Mod = "mod_item",
        Parameter = "parameter",
        SelfKeyword = "self",
        Static = "static_item",
        Struct = "struct_item",
        Super = "super",
        Trait = "trait_item",
        TypeAlias = "type_item",
        TypeParameter = "type_parameter",
        Union = "union_item",
        Use = "use_declaration",
        Variant = "enum_variant",
        Visibility = "visibility_modifier",
    }
    fields {
        argument = "argument",
        body = "body",
        list = "list",
        macro_ = "macro",
        name = "name",
        path = "path",
        pattern = "pattern",
        trait_ = "trait",
        type_ = "type",
    }
}

/// Words that mean something to the language itself.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

static GRAMMAR: LazyLock<Grammar<NodeKind, NodeFieldSet>> = LazyLock::new(|| Grammar::new(&Rust::grammar()));

/// Rust.
pub(super) struct Rust;

impl LanguageReader for Rust {
    const KEYWORDS: &'static [&'static str] = KEYWORDS;
    const FAMILY: ResolutionFamily = ResolutionFamily::Rust;

    fn grammar() -> tree_sitter::Language {
        tree_sitter_rust::LANGUAGE.into()
    }

    fn read<'t>(tree: &'t Tree, notes: &mut Notes<'t>) {
        let mut visitor = RustVisitor { pending: None, test_file: false, modules: Vec::new(), paths: HashSet::new() };
        walk::walk(tree, &mut visitor, notes);
    }
}

struct RustVisitor<'t> {
    /// Attributes whose item comes next, and where they end.
    pending: Option<(usize, Attributes<'t>)>,
    /// Whether the file as a whole is for tests.
    test_file: bool,
    /// The inline modules around the present node.
    modules: Vec<&'t str>,
    /// Paths in code that were noted down.
    paths: HashSet<String>,
}

/// What the attributes before an item say.
#[derive(Default)]
struct Attributes<'t> {
    test_only: bool,
    is_test: bool,
    exported: bool,
    path: Option<&'t str>,
}

/// What a node stands in.
#[derive(Clone, Copy)]
struct RustScope<'t> {
    place: RustContext,
    owner: Option<&'t str>,
    public: bool,
    test_only: bool,
    /// How many inline modules are around it.
    modules: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum RustContext {
    Module,
    Function,
    /// A struct, enum or union.
    Type,
    Trait,
    /// An `impl` of a type's own.
    Impl,
    /// An `impl` of a trait.
    Contract,
    /// A variant of an enum.
    Variant,
}

impl<'t> Visitor<'t> for RustVisitor<'t> {
    type Kind = NodeKind;
    type Fields = NodeFieldSet;
    type Scope = RustScope<'t>;

    fn grammar(&self) -> &'static Grammar<NodeKind, NodeFieldSet> {
        &GRAMMAR
    }

    fn enter(
        &mut self,
        kind: NodeKind,
        node: Node<'t>,
        scopes: &mut ScopeStack<RustScope<'t>>,
        notes: &mut Notes<'t>,
    ) -> ControlFlow<()> {
        let field = &GRAMMAR.field;
        self.modules.truncate(scopes.top().map_or(0, |scope| scope.modules));
        match kind {
            NodeKind::Attribute => {
                self.attribute(node, notes);
                return PAST;
            }
            NodeKind::InnerAttribute => {
                self.test_file |= scopes.depth() == 1 && is_test_only(notes.text(node).trim_start_matches("#!["));
                return PAST;
            }
            NodeKind::Visibility => return PAST,
            NodeKind::MacroCall if !self.is_in_tests(scopes) => notes.includes.extend(included(node, notes)),
            NodeKind::MacroCall => {}
            NodeKind::Crate | NodeKind::Super | NodeKind::SelfKeyword => {
                self.path_in_code(node, scopes, notes);
                return INTO;
            }
            NodeKind::Parameter => self.bindings(child(node, field.pattern), Role::Parameter, notes),
            NodeKind::Closure => {
                for pattern in named_children(node).filter(|pattern| GRAMMAR.kind(*pattern) != Some(NodeKind::Parameter)) {
                    self.bindings(Some(pattern), Role::Parameter, notes);
                }
            }
            NodeKind::Let | NodeKind::LetCondition | NodeKind::For => {
                self.bindings(child(node, field.pattern), Role::Variable, notes);
            }
            NodeKind::MatchPattern => self.bindings(named_children(node).next(), Role::Variable, notes),
            NodeKind::TypeParameter | NodeKind::ConstParameter => {
                self.declare(node, Role::TypeParameter, false, None, notes);
            }
            _ => return self.item(kind, node, scopes, notes),
        }
        INTO
    }
}

impl<'t> RustVisitor<'t> {
    /// Looks at what stands in a module, a type or an implementation.
    fn item(
        &mut self,
        kind: NodeKind,
        node: Node<'t>,
        scopes: &mut ScopeStack<RustScope<'t>>,
        notes: &mut Notes<'t>,
    ) -> ControlFlow<()> {
        let field = &GRAMMAR.field;
        let attributes = self.attributes_of(node, notes);
        let place = scopes.top().map_or(RustContext::Module, |scope| scope.place);
        let owner = scopes.top().and_then(|scope| scope.owner);
        let test_only = attributes.test_only || attributes.is_test || self.is_in_tests(scopes);
        // What a trait or an enum holds is as public as itself; what an implementation of a trait holds is
        // not public of itself.
        let inherited = scopes.top().is_some_and(|scope| scope.public);
        let public = match place {
            RustContext::Module | RustContext::Impl => is_public(node, notes),
            RustContext::Type => is_public(node, notes) && inherited,
            RustContext::Trait | RustContext::Variant => inherited,
            RustContext::Function | RustContext::Contract => false,
        };
        let modules = self.modules.len();
        let scope = |place, owner, public| RustScope { place, owner, public, test_only, modules };
        match kind {
            NodeKind::Use => {
                self.use_declaration(node, test_only, notes);
                return PAST;
            }
            NodeKind::ExternCrate => {
                if let Some(name) = child(node, field.name) {
                    let kind = if has_visibility(node) { ImportKind::ReExport } else { ImportKind::Plain };
                    import(node, notes.text(name).to_owned(), Vec::new(), kind, test_only, notes);
                }
                return PAST;
            }
            NodeKind::Mod => {
                let Some(name) = child(node, field.name).map(|name| bare(notes.text(name))) else { return INTO };
                self.declare(node, Role::Module, public, None, notes);
                if child(node, field.body).is_some() {
                    scopes.open(RustScope { modules: modules + 1, ..scope(RustContext::Module, None, public) });
                    self.modules.push(name);
                } else {
                    let modules = self.modules.iter().copied().chain([name]);
                    let path = modules.collect::<Vec<_>>().join("::");
                    let names = attributes.path.map(str::to_owned).into_iter().collect();
                    import(node, path, names, ImportKind::Declaration, test_only, notes);
                }
            }
            NodeKind::Function | NodeKind::FunctionSignature => {
                let role = match place {
                    _ if attributes.is_test => Role::Test,
                    RustContext::Trait | RustContext::Impl | RustContext::Contract => Role::Method,
                    _ => Role::Function,
                };
                self.declare(node, role, public, owner.filter(|_| role == Role::Method), notes);
                scopes.open(scope(RustContext::Function, None, false));
            }
            NodeKind::Struct | NodeKind::Union | NodeKind::Enum | NodeKind::Trait => {
                let (role, place) = match kind {
                    NodeKind::Enum => (Role::Enum, RustContext::Type),
                    NodeKind::Trait => (Role::Interface, RustContext::Trait),
                    _ => (Role::Type, RustContext::Type),
                };
                self.declare(node, role, public, None, notes);
                scopes.open(scope(place, child(node, field.name).map(|name| notes.text(name)), public));
            }
            NodeKind::Impl => {
                let owner = child(node, field.type_).map(|of| type_name(notes.text(of)));
                let contract = child(node, field.trait_).is_some();
                scopes.open(scope(if contract { RustContext::Contract } else { RustContext::Impl }, owner, false));
            }
            NodeKind::Variant => {
                self.declare(node, Role::Variant, inherited, owner, notes);
                scopes.open(scope(RustContext::Variant, owner, inherited));
            }
            NodeKind::FieldDeclaration => self.declare(node, Role::Field, public, owner, notes),
            NodeKind::Const | NodeKind::Static => self.declare(node, Role::Constant, public, owner, notes),
            NodeKind::TypeAlias | NodeKind::Associated => self.declare(node, Role::Type, public, owner, notes),
            NodeKind::Macro => self.declare(node, Role::Function, attributes.exported, None, notes),
            _ => {}
        }
        INTO
    }

    fn declare(&self, node: Node<'t>, role: Role, public: bool, owner: Option<&'t str>, notes: &mut Notes<'t>) {
        if let Some(name) = child(node, GRAMMAR.field.name) {
            notes.declare_as(bare(notes.text(name)), name, role, public, owner);
        }
    }

    /// Notes down what a pattern binds.
    fn bindings(&self, pattern: Option<Node<'t>>, role: Role, notes: &mut Notes<'t>) {
        let Some(pattern) = pattern else { return };
        if pattern.kind() == "identifier" {
            let text = bare(notes.text(pattern));
            // A match arm that is a name alone may mean a constant or a unit variant.
            if role == Role::Parameter || begins_lower(text) {
                notes.declare_as(text, pattern, role, false, None);
            }
            return;
        }
        let mut left = vec![pattern];
        while let Some(node) = left.pop() {
            let place = left.len();
            match node.kind() {
                "identifier" if begins_lower(notes.text(node)) => {
                    notes.declare_as(bare(notes.text(node)), node, role, false, None);
                }
                "tuple_struct_pattern" | "struct_pattern" | "generic_pattern" => {
                    let name = child(node, GRAMMAR.field.type_).map(|name| name.id());
                    left.extend(named_children(node).filter(|part| Some(part.id()) != name));
                }
                // A shorthand binds the name of its field. That name was not chosen here, so it is left out.
                "field_pattern" => left.extend(child(node, GRAMMAR.field.pattern)),
                // Every alternative binds the same.
                "or_pattern" => left.extend(named_children(node).next()),
                "tuple_pattern" | "slice_pattern" | "ref_pattern" | "mut_pattern" | "captured_pattern"
                | "reference_pattern" => left.extend(named_children(node)),
                _ => {}
            }
            left[place..].reverse();
        }
    }

    fn attribute(&mut self, node: Node<'t>, notes: &Notes<'t>) {
        let mut attributes = match self.pending.take() {
            Some((end, attributes)) if is_gap(notes.between(end, node.start_byte())) => attributes,
            _ => Attributes::default(),
        };
        let text = notes.text(node).trim_start_matches(['#', '[', ' ']);
        let name = text.split(|letter: char| !(letter.is_alphanumeric() || letter == '_' || letter == ':')).next();
        let name = name.unwrap_or_default();
        let last = name.rsplit("::").next().unwrap_or_default();
        match last {
            "cfg" => attributes.test_only |= is_test_only(text),
            "macro_export" => attributes.exported = true,
            "path" => attributes.path = text.split('"').nth(1),
            "rstest" | "test_case" | "quickcheck" | "bench" | "test_log" => attributes.is_test = true,
            _ => attributes.is_test |= last == "test" || last.ends_with("_test"),
        }
        self.pending = Some((node.end_byte(), attributes));
    }

    fn attributes_of(&mut self, node: Node<'t>, notes: &Notes<'t>) -> Attributes<'t> {
        match self.pending.take() {
            Some((end, attributes)) if is_gap(notes.between(end, node.start_byte())) => attributes,
            _ => Attributes::default(),
        }
    }

    fn is_in_tests(&self, scopes: &ScopeStack<RustScope<'t>>) -> bool {
        self.test_file || scopes.top().is_some_and(|scope| scope.test_only)
    }

    fn use_declaration(&mut self, node: Node<'t>, test_only: bool, notes: &mut Notes<'t>) {
        let kind = if has_visibility(node) { ImportKind::ReExport } else { ImportKind::Plain };
        let Some(argument) = child(node, GRAMMAR.field.argument) else { return };
        for (path, names) in use_tree(argument, notes) {
            let path = self.path_from_file(&path);
            import(node, path, names, kind, test_only, notes);
        }
    }

    /// Notes down `crate::a::b` in the middle of code.
    fn path_in_code(&mut self, node: Node<'t>, scopes: &ScopeStack<RustScope<'t>>, notes: &mut Notes<'t>) {
        let path = path_at(notes.from(node.start_byte()));
        let Some((path, name)) = path.rsplit_once("::") else { return };
        // `self.a` is no path, and `a::super` has been seen from its beginning.
        if notes.between(node.start_byte().saturating_sub(2), node.start_byte()) == "::" {
            return;
        }
        let path = self.path_from_file(path);
        let test_only = self.is_in_tests(scopes);
        if path != "self" && self.paths.insert(format!("{path}::{name} {test_only}")) {
            import(node, path, vec![bare(name).to_owned()], ImportKind::Plain, test_only, notes);
        }
    }

    /// Makes a path relative to the module that the file is.
    fn path_from_file(&self, path: &str) -> String {
        let path = path.strip_prefix("::").unwrap_or(path);
        let mut rest: Vec<&str> = path.split("::").map(bare).collect();
        let relative = matches!(rest[0], "self" | "super");
        if !relative || self.modules.is_empty() {
            return rest.join("::");
        }
        if rest[0] == "self" {
            rest.remove(0);
        }
        let supers = rest.iter().take_while(|segment| **segment == "super").count();
        let left = self.modules.len().saturating_sub(supers);
        let beyond = supers.saturating_sub(self.modules.len());
        let mut segments = if beyond == 0 { vec!["self"] } else { vec!["super"; beyond] };
        segments.extend(&self.modules[..left]);
        segments.extend(&rest[supers..]);
        segments.join("::")
    }
}

fn import(node: Node<'_>, path: String, names: Vec<String>, kind: ImportKind, test_only: bool, notes: &mut Notes<'_>) {
    notes.import(node, path, names, kind);
    if let Some(import) = notes.last_import() {
        import.test_only = test_only;
    }
}

/// Takes a tree of imports apart: each path with the names that are taken out of it.
fn use_tree(argument: Node<'_>, notes: &Notes<'_>) -> Vec<(String, Vec<String>)> {
    let field = &GRAMMAR.field;
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let mut take = |path: &str, name: Option<&str>| {
        let path = path.strip_prefix("::").unwrap_or(path);
        let place = found.iter().position(|(known, names)| known == path && !names.is_empty() && name.is_some());
        match place {
            Some(place) => found[place].1.extend(name.map(str::to_owned)),
            None => found.push((path.to_owned(), name.map(str::to_owned).into_iter().collect())),
        }
    };
    let mut left = vec![(String::new(), argument)];
    while let Some((prefix, node)) = left.pop() {
        let within = |path: &str| match (prefix.as_str(), path) {
            ("", path) => path.to_owned(),
            (prefix, "") => prefix.to_owned(),
            (prefix, path) => format!("{prefix}::{path}"),
        };
        let path_of = |node: Node<'_>| child(node, field.path).map_or(String::new(), |path| joined(notes.text(path)));
        match node.kind() {
            "use_list" => {
                let place = left.len();
                left.extend(named_children(node).map(|part| (prefix.clone(), part)));
                left[place..].reverse();
            }
            "scoped_use_list" => left.extend(child(node, field.list).map(|list| (within(&path_of(node)), list))),
            "use_wildcard" => {
                let path = named_children(node).next().map_or(String::new(), |path| joined(notes.text(path)));
                take(&within(&path), Some("*"));
            }
            "use_as_clause" => left.extend(child(node, field.path).map(|path| (prefix.clone(), path))),
            "scoped_identifier" => {
                let name = child(node, field.name).map_or("", |name| notes.text(name));
                take(&within(&path_of(node)), Some(bare(name)));
            }
            "identifier" | "self" | "super" | "crate" | "metavariable" => {
                let name = bare(notes.text(node));
                if prefix.is_empty() { take(name, None) } else { take(&prefix, Some(name)) }
            }
            _ => {}
        }
    }
    // `use ::a;` takes nothing out of an unnamed place: it is `a` that is meant.
    for (path, names) in &mut found {
        if path.is_empty() && names.len() == 1 {
            *path = names.remove(0);
        }
    }
    found
}

/// A path without blanks, comments and `r#`.
fn joined(path: &str) -> String {
    path.split("::").map(|segment| bare(segment.trim())).collect::<Vec<_>>().join("::")
}

/// The path that a text begins with.
fn path_at(text: &str) -> &str {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '#';
    let mut end = 0;
    loop {
        let rest = &text[end..];
        let segment = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        if segment == 0 {
            // It ended with `::`, before `{`, `<` or `*`.
            return text[..end].strip_suffix("::").unwrap_or_default();
        }
        end += segment;
        if !text[end..].starts_with("::") {
            return &text[..end];
        }
        end += 2;
    }
}

/// The name of a type, without what it is generic over and where it comes from.
fn type_name(text: &str) -> &str {
    let text = text.trim_start_matches(['&', '*', '(', '[', ' ']);
    let text = text.strip_prefix("dyn ").unwrap_or(text);
    let end =
        text.find(|letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | ':'))).unwrap_or(text.len());
    text[..end].rsplit("::").next().unwrap_or(text)
}

fn bare(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}

fn begins_lower(name: &str) -> bool {
    !bare(name).trim_start_matches('_').starts_with(|first: char| first.is_uppercase())
}

/// Returns the path that `include_str!` and its like name.
fn included(call: Node<'_>, notes: &Notes<'_>) -> Option<String> {
    let name = notes.text(child(call, GRAMMAR.field.macro_)?);
    if !matches!(name.rsplit("::").next(), Some("include" | "include_bytes" | "include_str")) {
        return None;
    }
    let arguments = notes.text(call).split_once('!')?.1.trim_start_matches(['(', '[', '{']).trim_start();
    let path = arguments.strip_prefix('"')?.split_once('"')?.0;
    Some(path.to_owned())
}

/// Returns whether there is nothing but blanks and comments, so that an attribute is of what follows.
fn is_gap(text: &str) -> bool {
    let text = text.trim_start();
    text.is_empty() || text.starts_with("//") || text.starts_with("/*")
}

fn visibility(node: Node<'_>) -> Option<Node<'_>> {
    node.child(0).filter(|first| GRAMMAR.kind(*first) == Some(NodeKind::Visibility))
}

fn has_visibility(node: Node<'_>) -> bool {
    visibility(node).is_some()
}

fn is_public(node: Node<'_>, notes: &Notes<'_>) -> bool {
    visibility(node).is_some_and(|visibility| notes.text(visibility) == "pub")
}
