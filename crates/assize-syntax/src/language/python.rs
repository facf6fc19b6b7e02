//! Python.
//!
//! The language has no declarations of variables: the first assignment in a function counts. What stands
//! at the top of a module and is bound to a literal is a constant, unless a function rebinds it with
//! `global`; casing is not asked, it is what shall be found out.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use tree_sitter::{Node, Tree};
use assize_ecosystem::FileRole;

use super::{LanguageReader, ResolutionFamily};
use super::walk::{self, Grammar, INTO, Notes, PAST, ScopeStack, Visitor, child, named_children};
use crate::facts::{ImportKind, Role};

walk::grammar! {
    kinds {
        AsPattern = "as_pattern_target",
        Assignment = "assignment",
        AugmentedAssignment = "augmented_assignment",
        Block = "block",
        Call = "call",
        Class = "class_definition",
        Comment = "comment",
        Except = "except_clause",
        For = "for_statement",
        ForIn = "for_in_clause",
        Function = "function_definition",
        FutureImport = "future_import_statement",
        Global = "global_statement",
        If = "if_statement",
        Import = "import_statement",
        ImportFrom = "import_from_statement",
        Lambda = "lambda",
        LambdaParameters = "lambda_parameters",
        NamedExpression = "named_expression",
        Nonlocal = "nonlocal_statement",
        Parameters = "parameters",
        String = "string",
        TypeAlias = "type_alias_statement",
    }
    fields {
        alias = "alias",
        arguments = "arguments",
        attribute = "attribute",
        condition = "condition",
        consequence = "consequence",
        function = "function",
        left = "left",
        module_name = "module_name",
        name = "name",
        object = "object",
        right = "right",
        superclasses = "superclasses",
        type_ = "type",
        type_parameters = "type_parameters",
        value = "value",
    }
}

/// Words that mean something to the language itself.
const KEYWORDS: &[&str] = &[
    "and", "as", "assert", "async", "await", "break", "case", "class", "continue", "def", "del", "elif", "else",
    "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "match", "nonlocal", "not",
    "or", "pass", "raise", "return", "self", "try", "type", "while", "with", "yield",
];

static GRAMMAR: LazyLock<Grammar<NodeKind, NodeFieldSet>> = LazyLock::new(|| Grammar::new(&Python::grammar()));

/// Python.
pub(super) struct Python;

impl LanguageReader for Python {
    const KEYWORDS: &'static [&'static str] = KEYWORDS;
    const FAMILY: ResolutionFamily = ResolutionFamily::Python;

    fn grammar() -> tree_sitter::Language {
        tree_sitter_python::LANGUAGE.into()
    }

    fn read<'t>(tree: &'t Tree, notes: &mut Notes<'t>) {
        let mut visitor = PythonVisitor::new(FileRole::of(notes.path).is_for_tests());
        walk::walk(tree, &mut visitor, notes);
        visitor.finish(notes);
    }
}

struct PythonVisitor<'t> {
    test_file: bool,
    /// The block of an `if TYPE_CHECKING`.
    type_checking: Option<usize>,
    /// How many functions and classes were entered: their numbers.
    entered: u32,
    /// What `__all__` lists.
    exported: Option<HashSet<&'t str>>,
    /// Names that functions rebind.
    rebound: HashSet<&'t str>,
    /// Rows of names at the top of the file.
    top: Vec<usize>,
    /// Names that imports at the top of the file bring in, each with its import.
    brought_in: HashMap<&'t str, usize>,
}

/// What a node stands in.
#[derive(Clone, Copy)]
struct PythonScope<'t> {
    place: PythonContext,
    /// How many functions and classes were entered before it.
    number: u32,
    /// The innermost class around it: its number and name.
    class: Option<(u32, &'t str)>,
    public: bool,
    /// Whether it is within an `if TYPE_CHECKING`.
    type_checking: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PythonContext {
    /// The top of the file.
    Module,
    Function,
    Class,
    /// A class that is an enumeration.
    Enum,
    /// A class of tests.
    Tests,
}

impl<'t> PythonScope<'t> {
    fn of(scopes: &ScopeStack<Self>) -> Self {
        let top = Self { place: PythonContext::Module, number: 0, class: None, public: true, type_checking: false };
        scopes.top().copied().unwrap_or(top)
    }

    fn is_class(&self) -> bool {
        matches!(self.place, PythonContext::Class | PythonContext::Enum | PythonContext::Tests)
    }
}

impl<'t> Visitor<'t> for PythonVisitor<'t> {
    type Kind = NodeKind;
    type Fields = NodeFieldSet;
    type Scope = PythonScope<'t>;

    fn grammar(&self) -> &'static Grammar<NodeKind, NodeFieldSet> {
        &GRAMMAR
    }

    fn enter(
        &mut self,
        kind: NodeKind,
        node: Node<'t>,
        scopes: &mut ScopeStack<PythonScope<'t>>,
        notes: &mut Notes<'t>,
    ) -> ControlFlow<()> {
        let field = &GRAMMAR.field;
        match kind {
            NodeKind::Comment => return PAST,
            NodeKind::String if node.child_count() <= 3 => return PAST,
            NodeKind::String => {}
            NodeKind::Block => {
                if self.type_checking == Some(node.id()) {
                    scopes.open(PythonScope { type_checking: true, ..PythonScope::of(scopes) });
                }
            }
            NodeKind::If => {
                let condition = child(node, field.condition).map_or("", |condition| notes.text(condition));
                if condition == "TYPE_CHECKING" || condition.ends_with(".TYPE_CHECKING") {
                    self.type_checking = child(node, field.consequence).map(|block| block.id());
                }
            }
            NodeKind::Function | NodeKind::Class | NodeKind::Lambda => self.open(kind, node, scopes, notes),
            NodeKind::Parameters | NodeKind::LambdaParameters => {
                let function = PythonScope::of(scopes).number;
                for parameter in named_children(node) {
                    parameter_of(parameter, function, notes);
                }
            }
            NodeKind::Import | NodeKind::ImportFrom | NodeKind::FutureImport => {
                self.import(kind, node, PythonScope::of(scopes), notes);
                return PAST;
            }
            NodeKind::Global | NodeKind::Nonlocal => {
                let function = PythonScope::of(scopes).number;
                for name in named_children(node) {
                    let text = notes.text(name);
                    self.rebound.insert(text);
                    notes.first_in(function, text);
                }
            }
            NodeKind::Call => self.call(node, PythonScope::of(scopes), notes),
            NodeKind::TypeAlias => {
                let around = PythonScope::of(scopes);
                let left = child(node, field.left).map(|left| (left, notes.text(left)));
                if let Some((left, text)) = left {
                    self.declare(leading_identifier(text), left, Role::Type, around, notes);
                }
            }
            NodeKind::Assignment => self.assignment(node, PythonScope::of(scopes), notes),
            NodeKind::AugmentedAssignment => self.export_more(node, PythonScope::of(scopes), notes),
            NodeKind::For | NodeKind::ForIn => self.local(child(node, field.left), scopes, notes),
            NodeKind::NamedExpression => self.local(child(node, field.name), scopes, notes),
            NodeKind::AsPattern => self.local(named_children(node).next(), scopes, notes),
            NodeKind::Except => self.local(child(node, field.alias), scopes, notes),
        }
        INTO
    }
}

impl<'t> PythonVisitor<'t> {
    fn new(test_file: bool) -> Self {
        Self {
            test_file,
            type_checking: None,
            entered: 0,
            exported: None,
            rebound: HashSet::new(),
            top: Vec::new(),
            brought_in: HashMap::new(),
        }
    }

    /// Notes down a function or class and remembers that the walk is within it.
    fn open(&mut self, kind: NodeKind, node: Node<'t>, scopes: &mut ScopeStack<PythonScope<'t>>, notes: &mut Notes<'t>) {
        let around = PythonScope::of(scopes);
        self.entered += 1;
        let name = child(node, GRAMMAR.field.name);
        let text = name.map_or("", |name| notes.text(name));
        let (place, role) = match kind {
            NodeKind::Class => class_of(node, notes),
            _ if text.starts_with("test") && (self.test_file || around.place == PythonContext::Tests) => {
                (PythonContext::Function, Role::Test)
            }
            _ if around.is_class() => (PythonContext::Function, Role::Method),
            _ => (PythonContext::Function, Role::Function),
        };
        if let Some(name) = name {
            self.declare(text, name, role, around, notes);
        }
        for parameter in child(node, GRAMMAR.field.type_parameters).into_iter().flat_map(named_children) {
            let text = leading_identifier(notes.text(parameter).trim_start_matches('*'));
            notes.declare_as(text, parameter, Role::TypeParameter, false, None);
        }
        let is_class = kind == NodeKind::Class;
        scopes.open(PythonScope {
            place,
            number: self.entered,
            // A method knows its class: `self.x = …` declares a field of it.
            class: if is_class { Some((self.entered, text)) } else { around.class },
            public: if is_class { is_public(text, around) } else { around.public },
            type_checking: around.type_checking,
        });
    }

    /// Notes a name down that stands at the top of the file, in a class or in a function.
    fn declare(&mut self, text: &'t str, node: Node<'t>, role: Role, around: PythonScope<'t>, notes: &mut Notes<'t>) {
        let owner = around.class.filter(|_| around.is_class()).map(|(_, name)| name);
        let row = notes.declare_as(text, node, role, is_public(text, around), owner);
        if around.place == PythonContext::Module {
            self.top.extend(row);
        }
    }

    fn assignment(&mut self, node: Node<'t>, around: PythonScope<'t>, notes: &mut Notes<'t>) {
        let field = &GRAMMAR.field;
        let left = child(node, field.left);
        let right = child(node, field.right);
        if around.place == PythonContext::Module && left.is_some_and(|left| notes.text(left) == "__all__") {
            self.exported.get_or_insert_default().extend(right.map(|list| strings(list, notes)).unwrap_or_default());
            return;
        }
        let annotation = child(node, field.type_).map(|of| notes.text(of));
        self.targets(left, annotation, right, around, notes);
    }

    fn export_more(&mut self, node: Node<'t>, around: PythonScope<'t>, notes: &mut Notes<'t>) {
        let left = child(node, GRAMMAR.field.left);
        if around.place == PythonContext::Module && left.is_some_and(|left| notes.text(left) == "__all__") {
            let list = child(node, GRAMMAR.field.right).map(|list| strings(list, notes));
            self.exported.get_or_insert_default().extend(list.unwrap_or_default());
        }
    }

    /// Notes down the names that a loop, an `as` or a `:=` binds. Code outside is not meant to use them.
    fn local(&mut self, target: Option<Node<'t>>, scopes: &ScopeStack<PythonScope<'t>>, notes: &mut Notes<'t>) {
        let around = PythonScope { place: PythonContext::Function, public: false, ..PythonScope::of(scopes) };
        self.targets(target, None, None, around, notes);
    }

    /// Notes down what an assignment binds.
    fn targets(
        &mut self,
        target: Option<Node<'t>>,
        annotation: Option<&'t str>,
        value: Option<Node<'t>>,
        around: PythonScope<'t>,
        notes: &mut Notes<'t>,
    ) {
        let mut left: Vec<Node<'t>> = target.into_iter().collect();
        while let Some(node) = left.pop() {
            match node.kind() {
                "identifier" => {
                    let text = notes.text(node);
                    // `except ImportError: a = None` takes the place of an import.
                    let imported = around.place == PythonContext::Module && self.brought_in.contains_key(text);
                    if !is_dunder(text) && !imported && notes.first_in(around.number, text) {
                        let role = variable_role(text, annotation, value, around, notes);
                        self.declare(text, node, role, around, notes);
                    }
                }
                "attribute" => field_of_self(node, around, notes),
                "pattern_list" | "tuple_pattern" | "list_pattern" | "list_splat_pattern" => {
                    let place = left.len();
                    left.extend(named_children(node));
                    left[place..].reverse();
                }
                _ => {}
            }
        }
    }

    fn import(&mut self, kind: NodeKind, node: Node<'t>, around: PythonScope<'t>, notes: &mut Notes<'t>) {
        let import_kind = match around.place {
            _ if around.type_checking => ImportKind::TypeOnly,
            PythonContext::Function => ImportKind::Dynamic,
            _ => ImportKind::Plain,
        };
        // `import a as a` and `from a import b as b` say that it is passed on.
        let name_and_alias = |part: Node<'t>| {
            let name = child(part, GRAMMAR.field.name).map_or_else(|| notes.text(part), |name| notes.text(name));
            (name, child(part, GRAMMAR.field.alias).map(|alias| notes.text(alias)))
        };
        let parts = || named_children(node).filter(|part| matches!(part.kind(), "dotted_name" | "aliased_import"));
        let passed_on =
            |again| if again && import_kind == ImportKind::Plain { ImportKind::ReExport } else { import_kind };
        let mut found = Vec::new();
        if kind == NodeKind::Import {
            for (name, alias) in parts().map(name_and_alias) {
                let local = alias.or(name.split('.').next()).unwrap_or(name);
                found.push((name, Vec::new(), vec![local], passed_on(alias == Some(name))));
            }
        } else {
            let module = child(node, GRAMMAR.field.module_name);
            let path = module.map_or("__future__", |module| notes.text(module));
            let taken: Vec<_> = parts().filter(|part| Some(*part) != module).map(name_and_alias).collect();
            let mut names: Vec<&str> = taken.iter().map(|(name, _)| *name).collect();
            if named_children(node).any(|part| part.kind() == "wildcard_import") {
                names.push("*");
            }
            let local = taken.iter().map(|(name, alias)| alias.unwrap_or(name)).collect();
            let again = taken.iter().any(|(name, alias)| *alias == Some(name));
            found.push((path, names, local, passed_on(again)));
        }
        for (path, names, local, kind) in found {
            let path: String = path.split_whitespace().collect();
            if around.place == PythonContext::Module {
                let import = notes.imports().len();
                self.brought_in.extend(local.into_iter().map(|name| (name, import)));
            }
            notes.import(node, path, names.into_iter().map(str::to_owned).collect(), kind);
        }
    }

    /// Looks at `importlib.import_module("a")`, `__import__("a")` and `__all__.extend([…])`.
    fn call(&mut self, node: Node<'t>, around: PythonScope<'t>, notes: &mut Notes<'t>) {
        let Some(function) = child(node, GRAMMAR.field.function) else { return };
        let Some(arguments) = child(node, GRAMMAR.field.arguments) else { return };
        match notes.text(function) {
            "importlib.import_module" | "import_module" | "__import__" => {
                let first = named_children(arguments).next();
                let path = first.and_then(|first| string(first, notes)).filter(|path| {
                    !path.is_empty() && path.chars().all(|letter| is_identifier(letter) || letter == '.')
                });
                if let Some(path) = path {
                    notes.import(node, path, Vec::new(), ImportKind::Dynamic);
                }
            }
            "__all__.extend" if around.place == PythonContext::Module => {
                let list = named_children(arguments).next().map(|list| strings(list, notes));
                self.exported.get_or_insert_default().extend(list.unwrap_or_default());
            }
            _ => {}
        }
    }

    /// Looks again at what stands at the top of the file, now that all of it is known.
    fn finish(self, notes: &mut Notes<'t>) {
        for row in self.top {
            notes.revise(row, |name| {
                let rebound = name.role == Role::Constant && self.rebound.contains(name.text);
                let role = if rebound { Role::Variable } else { name.role };
                (role, self.exported.as_ref().map_or(name.public, |exported| exported.contains(name.text)))
            });
        }
        let Some(exported) = self.exported else { return };
        for (_, import) in self.brought_in.into_iter().filter(|(name, _)| exported.contains(name)) {
            let import = &mut notes.imports()[import];
            if import.kind == ImportKind::Plain {
                import.kind = ImportKind::ReExport;
            }
        }
    }
}

/// What kind of class it is, by what it is derived from.
fn class_of(node: Node<'_>, notes: &Notes<'_>) -> (PythonContext, Role) {
    let bases = child(node, GRAMMAR.field.superclasses);
    let mut found = (PythonContext::Class, Role::Type);
    for base in bases.into_iter().flat_map(named_children) {
        let text = notes.text(base);
        let text = text.split('[').next().unwrap_or(text);
        let name = text.rsplit(['.', '=']).next().unwrap_or(text).trim();
        found = match name {
            "ABC" | "ABCMeta" => (PythonContext::Class, Role::Interface),
            // Others have protocols as well.
            "Protocol"
                if matches!(text, "Protocol" | "typing.Protocol" | "typing_extensions.Protocol" | "t.Protocol") =>
            {
                (PythonContext::Class, Role::Interface)
            }
            _ if name.ends_with("Enum") || matches!(name, "Flag" | "IntFlag") => (PythonContext::Enum, Role::Enum),
            _ if name.ends_with("TestCase") => (PythonContext::Tests, Role::Type),
            _ => continue,
        };
        break;
    }
    let name = child(node, GRAMMAR.field.name).map_or("", |name| notes.text(name));
    if found.0 == PythonContext::Class && name.starts_with("Test") && FileRole::of(notes.path).is_for_tests() {
        found.0 = PythonContext::Tests;
    }
    found
}

/// What an assignment declares.
fn variable_role(
    name: &str,
    annotation: Option<&str>,
    value: Option<Node<'_>>,
    around: PythonScope<'_>,
    notes: &Notes<'_>,
) -> Role {
    let annotated = |word: &str| annotation.is_some_and(|annotation| annotation.contains(word));
    match around.place {
        PythonContext::Enum if !name.starts_with('_') && annotation.is_none() => Role::Variant,
        PythonContext::Class | PythonContext::Enum | PythonContext::Tests => {
            if annotated("Final") || annotated("ClassVar") {
                Role::Constant
            } else {
                Role::Field
            }
        }
        PythonContext::Function => Role::Variable,
        _ if annotated("TypeAlias") => Role::Type,
        _ if annotated("Final") => Role::Constant,
        _ => value.map_or(Role::Variable, |value| value_role(value, notes)),
    }
}

/// What a name at the top of a module is, by its value.
fn value_role(value: Node<'_>, notes: &Notes<'_>) -> Role {
    let callee = |of: Node<'_>| {
        let text = notes.text(of);
        text.rsplit('.').next().unwrap_or(text)
    };
    match value.kind() {
        "call" => match child(value, GRAMMAR.field.function).map(callee) {
            Some("TypeVar" | "ParamSpec" | "TypeVarTuple") => Role::TypeParameter,
            Some("NewType" | "namedtuple" | "NamedTuple" | "TypedDict" | "make_dataclass") => Role::Type,
            Some("Enum" | "IntEnum" | "StrEnum" | "Flag") => Role::Enum,
            _ => Role::Variable,
        },
        "subscript" => match child(value, GRAMMAR.field.value).map(callee) {
            Some(
                "Union" | "Optional" | "Callable" | "Literal" | "Annotated" | "Dict" | "List" | "Tuple" | "Set"
                | "Type" | "Mapping" | "Sequence" | "Iterable" | "Awaitable" | "dict" | "list" | "tuple" | "type",
            ) => Role::Type,
            _ => Role::Variable,
        },
        _ if is_literal(value) => Role::Constant,
        _ => Role::Variable,
    }
}

/// Returns whether a value is written out. An empty list is there to be filled.
fn is_literal(value: Node<'_>) -> bool {
    match value.kind() {
        "string" | "concatenated_string" | "integer" | "float" | "true" | "false" | "none" => true,
        "list" | "dictionary" | "set" | "tuple" => value.named_child_count() > 0,
        "unary_operator" | "parenthesized_expression" | "binary_operator" => {
            // The first operand tells: `60 * 60`, `(1 << 20)`.
            let mut inner = value;
            while matches!(inner.kind(), "unary_operator" | "parenthesized_expression" | "binary_operator") {
                let Some(first) = inner.named_child(0) else { return false };
                inner = first;
            }
            matches!(inner.kind(), "string" | "concatenated_string" | "integer" | "float")
        }
        _ => false,
    }
}

/// Notes down `self.x = …`, once for each class.
fn field_of_self<'t>(node: Node<'t>, around: PythonScope<'t>, notes: &mut Notes<'t>) {
    let field = &GRAMMAR.field;
    let is_self = child(node, field.object).is_some_and(|object| notes.text(object) == "self");
    let (Some((class, owner)), true, Some(name)) = (around.class, is_self, child(node, field.attribute)) else {
        return;
    };
    let text = notes.text(name);
    if around.place == PythonContext::Function && notes.first_in(class, text) {
        let public = around.public && !text.starts_with('_');
        notes.declare_as(text, name, Role::Field, public, Some(owner));
    }
}

fn parameter_of<'t>(parameter: Node<'t>, function: u32, notes: &mut Notes<'t>) {
    let named = child(parameter, GRAMMAR.field.name).unwrap_or(parameter);
    let mut node = named;
    // `a: int`, `*a`, `*a: int`
    while !matches!(node.kind(), "identifier") {
        match node.named_child(0) {
            Some(first) if !matches!(node.kind(), "keyword_separator" | "positional_separator") => node = first,
            _ => return,
        }
    }
    let text = notes.text(node);
    // What is assigned to it later declares nothing.
    notes.first_in(function, text);
    if !matches!(text, "self" | "cls") {
        notes.declare_as(text, node, Role::Parameter, false, None);
    }
}

fn is_public(name: &str, around: PythonScope<'_>) -> bool {
    around.public && !name.starts_with('_') && around.place != PythonContext::Function
}

fn is_dunder(name: &str) -> bool {
    name.starts_with("__") && name.ends_with("__")
}

fn is_identifier(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The text of a plain string.
fn string<'t>(node: Node<'_>, notes: &Notes<'t>) -> Option<&'t str> {
    if node.kind() != "string" {
        return None;
    }
    let content = named_children(node).find(|part| part.kind() == "string_content")?;
    Some(notes.text(content))
}

/// The plain strings of a list or tuple, or of several put together: `a.__all__ + ["b"]`.
fn strings<'t>(list: Node<'_>, notes: &Notes<'t>) -> Vec<&'t str> {
    let mut found = Vec::new();
    let mut left = vec![list];
    while let Some(node) = left.pop() {
        match node.kind() {
            "list" | "tuple" | "set" | "binary_operator" => left.extend(named_children(node)),
            _ => found.extend(string(node, notes)),
        }
    }
    found
}

fn leading_identifier(text: &str) -> &str {
    let end = text.find(|letter: char| !is_identifier(letter)).unwrap_or(text.len());
    &text[..end]
}
