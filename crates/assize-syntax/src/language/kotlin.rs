//! Kotlin.
//!
//! What says nothing about who may use it is public. A function or property that extends a type
//! has that type as its owner, but it is declared by its package and imported from there.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use tree_sitter::{Node, Tree};

use super::walk::{self, Grammar, INTO, Notes, PAST, ScopeStack, Visitor, child, children, named_children};
use super::{LanguageReader, ResolutionFamily};
use crate::facts::{ImportKind, Role};

walk::grammar! {
    kinds {
        Annotated = "annotated_expression",
        AnonymousFunction = "anonymous_function",
        Block = "block",
        BlockComment = "block_comment",
        Catch = "catch_block",
        Class = "class_declaration",
        ClassParameter = "class_parameter",
        Companion = "companion_object",
        Constructor = "secondary_constructor",
        EnumEntry = "enum_entry",
        For = "for_statement",
        Function = "function_declaration",
        Getter = "getter",
        Import = "import",
        Lambda = "lambda_literal",
        LambdaParameters = "lambda_parameters",
        LineComment = "line_comment",
        KotlinModifiers = "modifiers",
        Object = "object_declaration",
        ObjectLiteral = "object_literal",
        Package = "package_header",
        Parameters = "function_value_parameters",
        Property = "property_declaration",
        Setter = "setter",
        Source = "source_file",
        TypeAlias = "type_alias",
        TypeParameter = "type_parameter",
        WhenSubject = "when_subject",
    }
    fields {
        name = "name",
        type_ = "type",
    }
}

/// Words that mean something to the language itself.
const KEYWORDS: &[&str] = &[
    "abstract",
    "actual",
    "annotation",
    "as",
    "break",
    "by",
    "catch",
    "class",
    "companion",
    "const",
    "constructor",
    "continue",
    "crossinline",
    "data",
    "delegate",
    "do",
    "dynamic",
    "else",
    "enum",
    "expect",
    "external",
    "false",
    "field",
    "final",
    "finally",
    "for",
    "fun",
    "get",
    "if",
    "import",
    "in",
    "infix",
    "init",
    "inline",
    "inner",
    "interface",
    "internal",
    "is",
    "it",
    "lateinit",
    "noinline",
    "null",
    "object",
    "open",
    "operator",
    "out",
    "override",
    "package",
    "private",
    "protected",
    "public",
    "reified",
    "return",
    "sealed",
    "set",
    "super",
    "suspend",
    "tailrec",
    "this",
    "throw",
    "true",
    "try",
    "typealias",
    "typeof",
    "val",
    "value",
    "var",
    "vararg",
    "when",
    "where",
    "while",
];

static GRAMMAR: LazyLock<Grammar<NodeKind, NodeFieldSet>> = LazyLock::new(|| Grammar::new(&Kotlin::grammar()));

/// Kotlin.
pub(super) struct Kotlin;

impl LanguageReader for Kotlin {
    const KEYWORDS: &'static [&'static str] = KEYWORDS;
    const FAMILY: ResolutionFamily = ResolutionFamily::Java;
    // The grammar stumbles over sound code, such as nested classes of one line each and `{ open() }`.
    const ERRORS_ARE_RELIABLE: bool = false;
    // Many declarations with two annotations each take its parser a time that grows with their square.
    const BYTES_MAX: usize = 128 * 1024;

    fn grammar() -> tree_sitter::Language {
        tree_sitter_kotlin_ng::LANGUAGE.into()
    }

    fn read<'t>(tree: &'t Tree, notes: &mut Notes<'t>) {
        walk::walk(tree, &mut KotlinVisitor { looked_at: 0 }, notes);
    }
}

struct KotlinVisitor {
    /// Up to where annotations of expressions were looked at.
    looked_at: usize,
}

/// What a node stands in.
#[derive(Clone, Copy)]
struct KotlinScope<'t> {
    place: KotlinContext,
    owner: Option<&'t str>,
    public: bool,
}

impl KotlinScope<'_> {
    /// The body of a function, or a block.
    const CODE: Self = Self { place: KotlinContext::Code, owner: None, public: false };
    /// A class without a name.
    const NAMELESS: Self = Self { place: KotlinContext::Class, owner: None, public: false };
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum KotlinContext {
    File,
    /// A class, an interface or an object.
    Class,
    /// A class that is derived from a class of tests.
    Tests,
    /// A declaration that the grammar takes for an expression, and its body for a lambda: that of a class has an
    /// owner.
    Misread,
    Code,
}

impl KotlinContext {
    /// Returns whether what stands there is a member.
    fn is_class(self) -> bool {
        matches!(self, Self::Class | Self::Tests)
    }
}

/// What is said before a declaration.
#[derive(Default)]
struct KotlinModifiers {
    is_hidden: bool,
    is_override: bool,
    is_const: bool,
    is_enum: bool,
    is_test: bool,
    is_composable: bool,
}

impl KotlinModifiers {
    /// Reads those of a declaration.
    fn of(node: Node<'_>, notes: &Notes<'_>) -> Self {
        let mut found = Self::default();
        let list = named_children(node).find(|part| GRAMMAR.kind(*part) == Some(NodeKind::KotlinModifiers));
        for modifier in list.into_iter().flat_map(named_children) {
            match modifier.kind() {
                "annotation" => found.add_annotation(modifier, notes),
                _ => found.add_word(notes.text(modifier)),
            }
        }
        found
    }

    /// Takes in a modifier.
    fn add_word(&mut self, word: &str) {
        match word {
            "private" | "protected" | "internal" => self.is_hidden = true,
            "override" => self.is_override = true,
            "const" => self.is_const = true,
            "enum" => self.is_enum = true,
            _ => {}
        }
    }

    /// Takes in `@Name`, `@a.b.Name`, `@get:Name`, `@Name(1)` or `@[Name Other]`.
    fn add_annotation(&mut self, node: Node<'_>, notes: &Notes<'_>) {
        for part in named_children(node).filter(|part| matches!(part.kind(), "user_type" | "constructor_invocation")) {
            let text = notes.text(part);
            let name = &text[..text.find(['(', '<']).unwrap_or(text.len())];
            match name.rsplit('.').next().unwrap_or(name) {
                "Test" | "ParameterizedTest" | "RepeatedTest" | "TestFactory" | "TestTemplate" | "Property" => {
                    self.is_test = true;
                }
                "Composable" => self.is_composable = true,
                _ => {}
            }
        }
    }

    /// Public is what does not say otherwise, if what it stands in is public. An override fulfils the contract of
    /// another type.
    fn is_public(&self, around: Option<&KotlinScope<'_>>) -> bool {
        !self.is_hidden && !self.is_override && around.is_none_or(|scope| scope.public)
    }
}

impl<'t> Visitor<'t> for KotlinVisitor {
    type Kind = NodeKind;
    type Fields = NodeFieldSet;
    type Scope = KotlinScope<'t>;

    fn grammar(&self) -> &'static Grammar<NodeKind, NodeFieldSet> {
        &GRAMMAR
    }

    fn enter(
        &mut self,
        kind: NodeKind,
        node: Node<'t>,
        scopes: &mut ScopeStack<KotlinScope<'t>>,
        notes: &mut Notes<'t>,
    ) -> ControlFlow<()> {
        match kind {
            NodeKind::BlockComment | NodeKind::LineComment | NodeKind::KotlinModifiers => return PAST,
            NodeKind::Package => {
                notes.package = path_of(node, notes);
                return PAST;
            }
            NodeKind::Import => {
                import(node, notes);
                return PAST;
            }
            NodeKind::Source => {
                // Nothing can use what a script declares.
                let public = !notes.path.ends_with(".kts");
                scopes.open(KotlinScope { place: KotlinContext::File, owner: None, public });
            }
            NodeKind::Class | NodeKind::Object | NodeKind::Companion => open(kind, node, scopes, notes),
            NodeKind::ObjectLiteral => scopes.open(KotlinScope::NAMELESS),
            NodeKind::EnumEntry => {
                let around = scopes.top().copied();
                let public = around.is_some_and(|scope| scope.public);
                declare(identifier(node), Role::Variant, public, around.and_then(|scope| scope.owner), notes);
                scopes.open(KotlinScope::NAMELESS);
            }
            NodeKind::Function => function(node, scopes, notes),
            NodeKind::Property => property(node, scopes, notes),
            NodeKind::TypeAlias => {
                let public = KotlinModifiers::of(node, notes).is_public(scopes.top());
                let owner = scopes.top().and_then(|scope| scope.owner);
                declare(child(node, GRAMMAR.field.type_), Role::Type, public, owner, notes);
            }
            NodeKind::ClassParameter => class_parameter(node, scopes, notes),
            NodeKind::Parameters => {
                for parameter in named_children(node).filter(|part| part.kind() == "parameter") {
                    declare(identifier(parameter), Role::Parameter, false, None, notes);
                }
            }
            NodeKind::LambdaParameters => {
                bindings(node, |name| declare(Some(name), Role::Parameter, false, None, notes));
            }
            NodeKind::For | NodeKind::WhenSubject => {
                bindings(node, |name| declare(Some(name), Role::Variable, false, None, notes));
            }
            NodeKind::Catch => declare(identifier(node), Role::Parameter, false, None, notes),
            NodeKind::Setter => {
                declare(identifier(node), Role::Parameter, false, None, notes);
                scopes.open(KotlinScope::CODE);
            }
            NodeKind::AnonymousFunction | NodeKind::Block | NodeKind::Constructor | NodeKind::Getter => {
                scopes.open(KotlinScope::CODE);
            }
            NodeKind::Lambda => {
                let is_class =
                    |scope: &&KotlinScope<'_>| scope.place == KotlinContext::Misread && scope.owner.is_some();
                let class = scopes.top().filter(is_class).copied();
                scopes.open(class.map_or(KotlinScope::CODE, |of| KotlinScope { place: KotlinContext::Class, ..of }));
            }
            NodeKind::Annotated => self.annotated(node, scopes, notes),
            NodeKind::TypeParameter => declare(identifier(node), Role::TypeParameter, false, None, notes),
        }
        INTO
    }
}

impl KotlinVisitor {
    /// Notes down a declaration that the grammar takes for an expression, and remembers that the walk is within it.
    ///
    /// It does so with some annotated ones: `class A {}` is a call of `class` with a name and a lambda then,
    /// `private fun a() {}` one of `fun`, and `const val A = 1` assigns to one of `val`.
    fn annotated<'t>(&mut self, node: Node<'t>, scopes: &mut ScopeStack<KotlinScope<'t>>, notes: &mut Notes<'t>) {
        if node.start_byte() < self.looked_at {
            return;
        }
        let mut modifiers = KotlinModifiers::default();
        let mut inner = node;
        while GRAMMAR.kind(inner) == Some(NodeKind::Annotated) {
            for annotation in named_children(inner).filter(|part| part.kind() == "annotation") {
                modifiers.add_annotation(annotation, notes);
            }
            let Some(last) = named_children(inner).last() else { return };
            inner = last;
        }
        self.looked_at = inner.start_byte();
        let words = words(inner);
        let is_keyword = |word: &Node<'_>| matches!(notes.text(*word), "class" | "interface" | "fun" | "val" | "var");
        let Some(keyword) = words.iter().rposition(is_keyword) else { return };
        let Some(&name) = words.get(keyword + 1) else { return };
        words[..keyword].iter().for_each(|word| modifiers.add_word(notes.text(*word)));
        // Where a comment comes between two of them, the second is a part of the first.
        let around = scopes.inner_first().find(|scope| scope.place != KotlinContext::Misread).copied();
        let public = modifiers.is_public(around.as_ref());
        let owner = around.and_then(|scope| scope.owner);
        let role = match notes.text(words[keyword]) {
            "fun" => function_role(&modifiers, around.as_ref(), true, notes.text(name)),
            "val" | "var" => property_role(&modifiers, around.as_ref()),
            "interface" => Role::Interface,
            _ => Role::Type,
        };
        declare(Some(name), role, public, owner, notes);
        let own = matches!(role, Role::Type | Role::Interface).then(|| bare(notes.text(name)));
        scopes.open(KotlinScope { place: KotlinContext::Misread, owner: own, public });
    }
}

/// The names that an expression of names without dots consists of, but for the arguments of calls.
fn words(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut left = vec![node];
    while let Some(node) = left.pop() {
        match node.kind() {
            "identifier" => found.push(node),
            "infix_expression" | "call_expression" => {
                let place = left.len();
                left.extend(named_children(node));
                left[place..].reverse();
            }
            _ => {}
        }
    }
    found
}

/// Notes down a type and remembers that the walk is within it.
fn open<'t>(kind: NodeKind, node: Node<'t>, scopes: &mut ScopeStack<KotlinScope<'t>>, notes: &mut Notes<'t>) {
    let modifiers = KotlinModifiers::of(node, notes);
    let public = modifiers.is_public(scopes.top());
    let around = scopes.top().and_then(|scope| scope.owner);
    let role = match kind {
        NodeKind::Class if modifiers.is_enum => Role::Enum,
        NodeKind::Class if children(node).any(|part| part.kind() == "interface") => Role::Interface,
        _ => Role::Type,
    };
    let name = child(node, GRAMMAR.field.name);
    declare(name, role, public, around, notes);
    // What a companion holds is called as if its class held it.
    let owner = if kind == NodeKind::Companion { around } else { name.map(|name| bare(notes.text(name))) };
    let place = if extends_tests(node, notes) { KotlinContext::Tests } else { KotlinContext::Class };
    scopes.open(KotlinScope { place, owner, public });
}

/// Returns whether a class says that it is derived from one of tests, as JUnit 3 wants it.
fn extends_tests(node: Node<'_>, notes: &Notes<'_>) -> bool {
    let list = named_children(node).find(|part| part.kind() == "delegation_specifiers");
    list.into_iter().flat_map(named_children).any(|base| {
        let text = notes.text(base);
        text[..text.find(['(', '<']).unwrap_or(text.len())].ends_with("TestCase")
    })
}

/// Notes down a function, and that what is in it is code.
fn function<'t>(node: Node<'t>, scopes: &mut ScopeStack<KotlinScope<'t>>, notes: &mut Notes<'t>) {
    let modifiers = KotlinModifiers::of(node, notes);
    if let Some(name) = child(node, GRAMMAR.field.name) {
        let role = function_role(&modifiers, scopes.top(), gives_nothing(node, notes), notes.text(name));
        let owner = owner_of(node, name, scopes.top(), notes);
        declare(Some(name), role, modifiers.is_public(scopes.top()), owner, notes);
    }
    scopes.open(KotlinScope::CODE);
}

/// What a function is. What a composable one returns is no part of a user interface.
fn function_role(modifiers: &KotlinModifiers, around: Option<&KotlinScope<'_>>, gives_nothing: bool, name: &str) -> Role {
    match around.map_or(KotlinContext::File, |scope| scope.place) {
        _ if modifiers.is_test => Role::Test,
        KotlinContext::Tests if name.starts_with("test") => Role::Test,
        _ if modifiers.is_composable && gives_nothing => Role::Component,
        place if place.is_class() => Role::Method,
        _ => Role::Function,
    }
}

/// Returns whether a function says nothing about what it returns, or that it is nothing.
fn gives_nothing(node: Node<'_>, notes: &Notes<'_>) -> bool {
    let mut left = children(node).skip_while(|part| GRAMMAR.kind(*part) != Some(NodeKind::Parameters)).skip(1);
    let said = left.find(|part| part.kind() == ":").and_then(|_| left.next());
    said.is_none_or(|said| notes.text(said) == "Unit")
}

/// Notes down what a property declares.
fn property<'t>(node: Node<'t>, scopes: &ScopeStack<KotlinScope<'t>>, notes: &mut Notes<'t>) {
    let modifiers = KotlinModifiers::of(node, notes);
    let role = property_role(&modifiers, scopes.top());
    let public = modifiers.is_public(scopes.top());
    bindings(node, |name| {
        let owner = owner_of(node, name, scopes.top(), notes);
        declare(Some(name), role, public, owner, notes);
    });
}

/// What a property is.
fn property_role(modifiers: &KotlinModifiers, around: Option<&KotlinScope<'_>>) -> Role {
    match around {
        _ if modifiers.is_const => Role::Constant,
        Some(scope) if scope.place.is_class() => Role::Field,
        _ => Role::Variable,
    }
}

/// `val` and `var` make a parameter of a class a property of it.
fn class_parameter<'t>(node: Node<'t>, scopes: &ScopeStack<KotlinScope<'t>>, notes: &mut Notes<'t>) {
    if children(node).any(|part| matches!(part.kind(), "val" | "var")) {
        let public = KotlinModifiers::of(node, notes).is_public(scopes.top());
        let owner = scopes.top().and_then(|scope| scope.owner);
        declare(identifier(node), Role::Field, public, owner, notes);
    } else {
        declare(identifier(node), Role::Parameter, false, None, notes);
    }
}

/// The type that a function or property belongs to: the one around it, else the one that it extends.
fn owner_of<'t>(
    node: Node<'t>,
    name: Node<'t>,
    around: Option<&KotlinScope<'t>>,
    notes: &Notes<'t>,
) -> Option<&'t str> {
    if let Some(around) = around.filter(|around| around.place.is_class()) {
        return around.owner;
    }
    let before = || named_children(node).take_while(|part| part.start_byte() < name.start_byte());
    let receiver = before().filter_map(type_name).last().map(|name| bare(notes.text(name)))?;
    let parameters = before().filter(|part| part.kind() == "type_parameters").flat_map(named_children);
    // What extends every type belongs to none.
    let mut parameters = parameters.filter_map(identifier).map(|name| bare(notes.text(name)));
    parameters.all(|parameter| parameter != receiver).then_some(receiver)
}

/// The last name of a type, without what it is generic over.
fn type_name(mut node: Node<'_>) -> Option<Node<'_>> {
    while node.kind() == "nullable_type" || node.kind() == "parenthesized_type" {
        node = named_children(node).find(|part| part.kind().ends_with("_type"))?;
    }
    let parts = (node.kind() == "user_type").then(|| named_children(node).filter(|part| part.kind() == "identifier"));
    parts.and_then(Iterator::last)
}

/// Looks at each name that a declaration of variables binds, those that take a value apart included.
fn bindings<'t>(node: Node<'t>, mut look: impl FnMut(Node<'t>)) {
    for part in named_children(node) {
        match part.kind() {
            "variable_declaration" => identifier(part).into_iter().for_each(&mut look),
            "multi_variable_declaration" => named_children(part).filter_map(identifier).for_each(&mut look),
            _ => {}
        }
    }
}

/// The first name in a node.
fn identifier(node: Node<'_>) -> Option<Node<'_>> {
    named_children(node).find(|part| part.kind() == "identifier")
}

/// Notes down a name that may be missing in broken code.
fn declare<'t>(name: Option<Node<'t>>, role: Role, public: bool, owner: Option<&'t str>, notes: &mut Notes<'t>) {
    if let Some(name) = name {
        notes.declare_as(bare(notes.text(name)), name, role, public, owner);
    }
}

/// A name without the marks that let it hold what other names can't.
fn bare(name: &str) -> &str {
    name.strip_prefix('`').and_then(|name| name.strip_suffix('`')).unwrap_or(name)
}

/// The path of a package or import.
fn path_of(node: Node<'_>, notes: &Notes<'_>) -> Option<String> {
    let path = named_children(node).find(|part| part.kind() == "qualified_identifier")?;
    let parts = named_children(path).filter(|part| part.kind() == "identifier");
    Some(parts.map(|part| bare(notes.text(part))).collect::<Vec<_>>().join("."))
}

/// `import a.b.C`, `import a.b.*`, `import a.b.c as d`
fn import(node: Node<'_>, notes: &mut Notes<'_>) {
    let Some(path) = path_of(node, notes) else { return };
    let all = children(node).any(|part| part.kind() == "*");
    notes.import(node, path, if all { vec!["*".to_owned()] } else { Vec::new() }, ImportKind::Plain);
}

#[cfg(test)]
mod tests {
    use crate::import::tests::check;
    use crate::language::{errors, read};

    #[test]
    fn who_may_use_a_name_is_said_by_modifiers() {
        for (path, text, name, public) in [
            ("a.kt", "fun open() {}", "open", true),
            ("a.kt", "internal fun open() {}", "open", false),
            ("a.kt", "class A { fun open() {} }", "open", true),
            ("a.kt", "private class A { fun open() {} }", "open", false),
            ("a.kt", "class A : B { override fun open() {} }", "open", false),
            ("a.kt", "class A { protected val state = 1 }", "state", false),
            ("a.kt", "class A {\nprivate companion object { fun open() {} }\n}", "open", false),
            ("a.kt", "internal class A\nfun A.open() {}", "open", false),
            ("a.kt", "val state = run { val inside = 1 }", "inside", false),
            ("a.kts", "fun open() {}", "open", false),
        ] {
            let facts = read(path, text).expect("the extension is known");
            let found = facts.names.iter().find(|found| found.text == name).expect("it is declared");
            assert_eq!(found.public, public, "{path}: {text}");
        }
    }

    #[test]
    fn errors_tell_nothing() {
        assert_eq!(errors("a.kt", "fun a( {"), []);
        assert!(!read("a.kt", "fun a( {").expect("the extension is known").has_errors);
    }

    #[test]
    fn what_a_file_declares_is_found_whatever_the_file_is_called() {
        let tree = [
            ("core/src/main/kotlin/cart.kt", "package org.shop.cart\nclass Cart\nclass Line\ndef open"),
            ("core/src/main/kotlin/Text.kt", "package org.shop.cart\ndef shorten"),
            ("core/src/main/java/org/shop/cart/Total.java", "package org.shop.cart\nclass Total"),
        ];
        let uses = [
            ("use org.shop.cart.Line", "core/src/main/kotlin/cart.kt"),
            ("use org.shop.cart.Line.Kind.A", "core/src/main/kotlin/cart.kt"),
            ("use org.shop.cart.open", "core/src/main/kotlin/cart.kt"),
            ("use org.shop.cart.shorten", "core/src/main/kotlin/Text.kt"),
            ("use org.shop.cart.Total", "core/src/main/java/org/shop/cart/Total.java"),
            ("use org.shop.cart.cart", "? no such file"),
            ("use org.shop.cart.TextKt {shorten}", "core/src/main/kotlin/Text.kt"),
            ("use org.shop.cart {*}", "core/src/main/java/org/shop/cart/ core/src/main/kotlin/"),
            ("use kotlin.math.min", "<kotlin.math>"),
        ];
        check(&tree, "web/src/main/kotlin/Page.kt", &uses);
        check(&tree, "web/src/main/java/org/shop/web/Page.java", &uses);
    }
}
