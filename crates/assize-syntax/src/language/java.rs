//! Java.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use tree_sitter::{Node, Tree};

use super::{LanguageReader, ResolutionFamily};
use super::walk::{self, Grammar, INTO, Notes, PAST, ScopeStack, Visitor, child, children, named_children};
use crate::facts::{ImportKind, Role};

walk::grammar! {
    kinds {
        AnnotationElement = "annotation_type_element_declaration",
        AnnotationType = "annotation_type_declaration",
        Block = "block",
        BlockComment = "block_comment",
        CatchParameter = "catch_formal_parameter",
        Class = "class_declaration",
        ClassBody = "class_body",
        CompactConstructor = "compact_constructor_declaration",
        ConstantDeclaration = "constant_declaration",
        Constructor = "constructor_declaration",
        Enum = "enum_declaration",
        EnumConstant = "enum_constant",
        EnhancedFor = "enhanced_for_statement",
        Field = "field_declaration",
        FormalParameter = "formal_parameter",
        Import = "import_declaration",
        InferredParameters = "inferred_parameters",
        InstanceOf = "instanceof_expression",
        Interface = "interface_declaration",
        Lambda = "lambda_expression",
        LineComment = "line_comment",
        LocalVariable = "local_variable_declaration",
        Method = "method_declaration",
        JavaModifiers = "modifiers",
        Package = "package_declaration",
        Record = "record_declaration",
        RecordComponent = "record_pattern_component",
        Resource = "resource",
        SpreadParameter = "spread_parameter",
        TypeParameter = "type_parameter",
        TypePattern = "type_pattern",
    }
    fields {
        name = "name",
        parameters = "parameters",
        superclass = "superclass",
    }
}

/// Words that mean something to the language itself.
const KEYWORDS: &[&str] = &[
    "abstract",
    "assert",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extends",
    "final",
    "finally",
    "float",
    "for",
    "goto",
    "if",
    "implements",
    "import",
    "instanceof",
    "int",
    "interface",
    "long",
    "native",
    "new",
    "package",
    "permits",
    "private",
    "protected",
    "public",
    "record",
    "return",
    "sealed",
    "short",
    "static",
    "strictfp",
    "super",
    "switch",
    "synchronized",
    "this",
    "throw",
    "throws",
    "transient",
    "try",
    "var",
    "void",
    "volatile",
    "while",
    "yield",
];

static GRAMMAR: LazyLock<Grammar<NodeKind, NodeFieldSet>> = LazyLock::new(|| Grammar::new(&Java::grammar()));

/// Java.
pub(super) struct Java;

impl LanguageReader for Java {
    const KEYWORDS: &'static [&'static str] = KEYWORDS;
    const FAMILY: ResolutionFamily = ResolutionFamily::Java;

    fn grammar() -> tree_sitter::Language {
        tree_sitter_java::LANGUAGE.into()
    }

    fn read<'t>(tree: &'t Tree, notes: &mut Notes<'t>) {
        walk::walk(tree, &mut JavaVisitor, notes);
    }
}

struct JavaVisitor;

/// What a node stands in.
#[derive(Clone, Copy)]
struct JavaScope<'t> {
    place: JavaContext,
    owner: Option<&'t str>,
    public: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum JavaContext {
    Class,
    /// A class that is derived from a class of tests.
    Tests,
    /// What it holds is public without saying so.
    Interface,
    Code,
}

/// What is said before a declaration.
#[derive(Default)]
struct JavaModifiers {
    is_public: bool,
    is_static: bool,
    is_final: bool,
    is_override: bool,
    is_test: bool,
}

impl JavaModifiers {
    fn of(node: Node<'_>, notes: &Notes<'_>) -> Self {
        let mut found = Self::default();
        let list = node.child(0).filter(|first| GRAMMAR.kind(*first) == Some(NodeKind::JavaModifiers));
        for modifier in list.into_iter().flat_map(children) {
            match notes.text(modifier) {
                "public" => found.is_public = true,
                "static" => found.is_static = true,
                "final" => found.is_final = true,
                _ => {
                    let name = child(modifier, GRAMMAR.field.name).map_or("", |name| notes.text(name));
                    match name.rsplit('.').next().unwrap_or(name) {
                        "Override" => found.is_override = true,
                        "Test" | "ParameterizedTest" | "RepeatedTest" | "TestFactory" | "TestTemplate" | "Property" => {
                            found.is_test = true;
                        }
                        _ => {}
                    }
                }
            }
        }
        found
    }
}

impl<'t> Visitor<'t> for JavaVisitor {
    type Kind = NodeKind;
    type Fields = NodeFieldSet;
    type Scope = JavaScope<'t>;

    fn grammar(&self) -> &'static Grammar<NodeKind, NodeFieldSet> {
        &GRAMMAR
    }

    fn enter(
        &mut self,
        kind: NodeKind,
        node: Node<'t>,
        scopes: &mut ScopeStack<JavaScope<'t>>,
        notes: &mut Notes<'t>,
    ) -> ControlFlow<()> {
        let field = &GRAMMAR.field;
        let name = || child(node, field.name);
        match kind {
            NodeKind::BlockComment | NodeKind::LineComment | NodeKind::JavaModifiers => return PAST,
            NodeKind::Package => {
                let path = named_children(node).find(|part| matches!(part.kind(), "identifier" | "scoped_identifier"));
                notes.package = path.map(|path| notes.text(path).split_whitespace().collect());
                return PAST;
            }
            NodeKind::Import => {
                import(node, notes);
                return PAST;
            }
            NodeKind::Class | NodeKind::Record | NodeKind::Interface | NodeKind::AnnotationType | NodeKind::Enum => {
                open(kind, node, scopes, notes);
            }
            // Of a class without a name.
            NodeKind::ClassBody if scopes.top().is_some_and(|scope| scope.place == JavaContext::Code) => {
                scopes.open(JavaScope { place: JavaContext::Class, owner: None, public: false });
            }
            NodeKind::ClassBody => {}
            NodeKind::Block | NodeKind::Lambda | NodeKind::Constructor | NodeKind::CompactConstructor => {
                if kind == NodeKind::Lambda {
                    let single = child(node, field.parameters).filter(|one| one.kind() == "identifier");
                    declare(single, Role::Parameter, notes);
                }
                scopes.open(JavaScope { place: JavaContext::Code, owner: None, public: false });
            }
            NodeKind::Method | NodeKind::AnnotationElement | NodeKind::Field | NodeKind::ConstantDeclaration | NodeKind::EnumConstant => {
                member(kind, node, scopes, notes);
            }
            // Functions are code: what has parameters and is none is a record.
            NodeKind::FormalParameter => match scopes.top().filter(|scope| scope.place != JavaContext::Code) {
                Some(JavaScope { owner, public, .. }) => {
                    if let Some(name) = name() {
                        notes.declare(name, Role::Field, *public, *owner);
                    }
                }
                None => declare(name(), Role::Parameter, notes),
            },
            NodeKind::SpreadParameter => {
                let declarator = named_children(node).find_map(|part| child(part, field.name));
                declare(declarator, Role::Parameter, notes);
            }
            NodeKind::InferredParameters => {
                for parameter in named_children(node) {
                    declare(Some(parameter), Role::Parameter, notes);
                }
            }
            NodeKind::CatchParameter => declare(name(), Role::Parameter, notes),
            NodeKind::LocalVariable => each_declarator(node, |name| declare(Some(name), Role::Variable, notes)),
            NodeKind::EnhancedFor | NodeKind::Resource | NodeKind::InstanceOf => declare(name(), Role::Variable, notes),
            NodeKind::TypePattern | NodeKind::RecordComponent => {
                let last = named_children(node).last().filter(|name| name.kind() == "identifier");
                declare(last, Role::Variable, notes);
            }
            NodeKind::TypeParameter => {
                let name = named_children(node).find(|part| matches!(part.kind(), "type_identifier" | "identifier"));
                declare(name, Role::TypeParameter, notes);
            }
        }
        INTO
    }
}

/// Notes down a type and remembers that the walk is within it.
fn open<'t>(kind: NodeKind, node: Node<'t>, scopes: &mut ScopeStack<JavaScope<'t>>, notes: &mut Notes<'t>) {
    let field = &GRAMMAR.field;
    let modifiers = JavaModifiers::of(node, notes);
    let public = is_public(&modifiers, scopes.top());
    let role = match kind {
        NodeKind::Interface | NodeKind::AnnotationType => Role::Interface,
        NodeKind::Enum => Role::Enum,
        _ => Role::Type,
    };
    let name = child(node, field.name);
    if let Some(name) = name {
        notes.declare(name, role, public, scopes.top().and_then(|scope| scope.owner));
    }
    let superclass = child(node, field.superclass).map_or("", |of| notes.text(of));
    let place = match kind {
        NodeKind::Interface | NodeKind::AnnotationType => JavaContext::Interface,
        _ if superclass.ends_with("TestCase") => JavaContext::Tests,
        _ => JavaContext::Class,
    };
    scopes.open(JavaScope { place, owner: name.map(|name| notes.text(name)), public });
}
/// Notes down a member of a type.
fn member<'t>(kind: NodeKind, node: Node<'t>, scopes: &mut ScopeStack<JavaScope<'t>>, notes: &mut Notes<'t>) {
    let modifiers = JavaModifiers::of(node, notes);
    let around = scopes.top().copied();
    let owner = around.and_then(|scope| scope.owner);
    let place = around.map(|scope| scope.place);
    let public = is_public(&modifiers, scopes.top());
    let name = child(node, GRAMMAR.field.name);
    match kind {
        NodeKind::Method | NodeKind::AnnotationElement => {
            if let Some(name) = name {
                let is_test = modifiers.is_test || place == Some(JavaContext::Tests) && notes.text(name).starts_with("test");
                let role = if is_test { Role::Test } else { Role::Method };
                notes.declare(name, role, public && !modifiers.is_override && !is_test, owner);
            }
            scopes.open(JavaScope { place: JavaContext::Code, owner: None, public: false });
        }
        NodeKind::EnumConstant => {
            if let Some(name) = name {
                notes.declare(name, Role::Variant, around.is_some_and(|scope| scope.public), owner);
            }
            scopes.open(JavaScope { place: JavaContext::Class, owner: None, public: false });
        }
        _ => {
            let constant = place == Some(JavaContext::Interface) || modifiers.is_static && modifiers.is_final;
            let role = if constant { Role::Constant } else { Role::Field };
            each_declarator(node, |name| {
                if notes.text(name) != "serialVersionUID" {
                    notes.declare(name, role, public, owner);
                }
            });
        }
    }
}

/// Public is what says so or stands in an interface, if what it stands in is public.
fn is_public(modifiers: &JavaModifiers, around: Option<&JavaScope<'_>>) -> bool {
    let said = modifiers.is_public || around.is_some_and(|scope| scope.place == JavaContext::Interface);
    said && around.is_none_or(|scope| scope.public)
}

fn declare<'t>(name: Option<Node<'t>>, role: Role, notes: &mut Notes<'t>) {
    if let Some(name) = name {
        notes.declare(name, role, false, None);
    }
}

fn each_declarator<'t>(node: Node<'t>, mut look: impl FnMut(Node<'t>)) {
    for part in named_children(node).filter(|part| part.kind() == "variable_declarator") {
        if let Some(name) = child(part, GRAMMAR.field.name) {
            look(name);
        }
    }
}

/// `import a.b.C;`, `import a.b.*;`, `import static a.b.C.d;`
fn import(node: Node<'_>, notes: &mut Notes<'_>) {
    let is_static = children(node).any(|part| part.kind() == "static");
    let all = named_children(node).any(|part| part.kind() == "asterisk");
    let path = named_children(node).find(|part| matches!(part.kind(), "identifier" | "scoped_identifier"));
    let Some(path) = path.map(|path| notes.text(path).split_whitespace().collect::<String>()) else { return };
    match path.rsplit_once('.') {
        Some((of, name)) if is_static && !all => notes.import(node, of, vec![name.to_owned()], ImportKind::Plain),
        _ if all => notes.import(node, path, vec!["*".to_owned()], ImportKind::Plain),
        _ => notes.import(node, path, Vec::new(), ImportKind::Plain),
    }
}
