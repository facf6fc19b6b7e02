//! One way through a syntax tree, and the notes that are taken on it.
//!
//! Every language goes through its trees here: with one cursor, in the order of the text, without
//! recursion, by the numbers of node kinds and not by their names. It knows no language.

use std::iter;
use std::ops::ControlFlow;

use foldhash::{HashSet, HashSetExt};
use tree_sitter::{Node, Tree};

use crate::facts::{DeclaredName, FileFacts, Import, ImportKind, NamesBuilder, Role};

/// The node kinds that a language looks at.
pub(super) trait Kinds: Copy + 'static {
    /// Each with the name that the grammar gives it.
    const NAMED: &'static [(&'static str, Self)];
}

/// The fields of nodes that a language asks for.
pub(super) trait NodeFields: 'static {
    /// Looks up their numbers.
    fn of(grammar: &tree_sitter::Language) -> Self;
}

/// A field's number; 0 is none.
pub(super) type FieldNumber = u16;

/// Declares the node kinds and fields that a language looks at.
macro_rules! grammar {
    (kinds { $($kind:ident = $name:literal,)* } fields { $($field:ident = $field_name:literal,)* }) => {
        /// The node kinds that are looked at.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum NodeKind { $($kind,)* }

        impl $crate::language::walk::Kinds for NodeKind {
            const NAMED: &'static [(&'static str, Self)] = &[$(($name, Self::$kind),)*];
        }

        /// The fields that are asked for.
        pub(super) struct NodeFieldSet { $($field: $crate::language::walk::FieldNumber,)* }

        impl $crate::language::walk::NodeFields for NodeFieldSet {
            fn of(grammar: &tree_sitter::Language) -> Self {
                let number = |name: &str| grammar.field_id_for_name(name).map_or(0, std::num::NonZero::get);
                Self { $($field: number($field_name),)* }
            }
        }
    };
}
pub(super) use grammar;

/// A grammar with what is looked up in it once.
pub(super) struct Grammar<K, F> {
    /// By kind number.
    kinds: Vec<Option<K>>,
    /// The fields that are asked for.
    pub(super) field: F,
}

impl<K: Kinds, F: NodeFields> Grammar<K, F> {
    /// Looks up the kinds and fields.
    pub(super) fn new(grammar: &tree_sitter::Language) -> Self {
        let kinds = (0..grammar.node_kind_count())
            .map(|id| {
                let id = u16::try_from(id).ok().filter(|id| grammar.node_kind_is_named(*id))?;
                let name = grammar.node_kind_for_id(id)?;
                K::NAMED.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
            })
            .collect();
        Self { kinds, field: F::of(grammar) }
    }

    /// What kind of node it is, as far as the language looks at it.
    pub(super) fn kind(&self, node: Node<'_>) -> Option<K> {
        self.kinds.get(usize::from(node.kind_id())).copied().flatten()
    }
}

/// Goes through a tree for one language.
pub(super) trait Visitor<'t> {
    /// The kinds that it looks at.
    type Kind: Kinds;
    /// What it looks up once.
    type Fields: NodeFields;
    /// What it remembers about the nodes around the present one.
    type Scope;

    /// Its grammar.
    fn grammar(&self) -> &'static Grammar<Self::Kind, Self::Fields>;

    /// Looks at a node. [`ControlFlow::Break`] passes over what is in it.
    fn enter(
        &mut self,
        kind: Self::Kind,
        node: Node<'t>,
        scopes: &mut ScopeStack<Self::Scope>,
        notes: &mut Notes<'t>,
    ) -> ControlFlow<()>;
}

/// The answer of [`Visitor::enter`] that makes the walk visit the nodes inside this node.
pub(super) const INTO: ControlFlow<()> = ControlFlow::Continue(());
/// The answer of [`Visitor::enter`] that makes the walk skip the nodes inside this node.
pub(super) const PAST: ControlFlow<()> = ControlFlow::Break(());

/// Goes through a tree, every node before what is in it.
pub(super) fn walk<'t, V: Visitor<'t>>(tree: &'t Tree, visitor: &mut V, notes: &mut Notes<'t>) {
    let grammar = visitor.grammar();
    let mut scopes = ScopeStack { open: Vec::new(), depth: 0 };
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        scopes.leave();
        let kind = grammar.kind(node);
        let answer = kind.map_or(INTO, |kind| visitor.enter(kind, node, &mut scopes, notes));
        if answer == INTO && cursor.goto_first_child() {
            scopes.depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            scopes.depth -= 1;
        }
    }
}

/// What is remembered about the nodes around the present one, innermost last.
pub(super) struct ScopeStack<S> {
    open: Vec<(u32, S)>,
    depth: u32,
}

impl<S> ScopeStack<S> {
    /// Remembers something for as long as the walk is within the present node.
    pub(super) fn open(&mut self, scope: S) {
        self.open.push((self.depth, scope));
    }

    /// The innermost one.
    pub(super) fn top(&self) -> Option<&S> {
        self.open.last().map(|(_, scope)| scope)
    }

    /// All of them, innermost first.
    pub(super) fn inner_first(&self) -> impl Iterator<Item = &S> {
        self.open.iter().rev().map(|(_, scope)| scope)
    }

    /// How deep the present node stands; the root at 0.
    pub(super) fn depth(&self) -> u32 {
        self.depth
    }

    /// Forgets those whose node has been left.
    fn leave(&mut self) {
        while self.open.last().is_some_and(|(depth, _)| *depth >= self.depth) {
            self.open.pop();
        }
    }
}

/// What is noted down about a file.
pub(super) struct Notes<'t> {
    /// Its path.
    pub(super) path: &'t str,
    text: &'t str,
    names: NamesBuilder<'t>,
    imports: Vec<Import>,
    /// Files that it takes in, as it writes their paths.
    pub(super) includes: Vec<String>,
    /// The package that it says it belongs to.
    pub(super) package: Option<String>,
    /// Variables by the function that they were seen in.
    seen: HashSet<(u32, &'t str)>,
}

impl<'t> Notes<'t> {
    /// Begins the notes on a file.
    pub(super) fn new(path: &'t str, text: &'t str) -> Self {
        Self {
            path,
            text,
            names: NamesBuilder::default(),
            imports: Vec::new(),
            includes: Vec::new(),
            package: None,
            seen: HashSet::new(),
        }
    }

    /// The text of a node.
    pub(super) fn text(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The text between two places.
    pub(super) fn between(&self, start: usize, end: usize) -> &'t str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// The text from a place on.
    pub(super) fn from(&self, start: usize) -> &'t str {
        self.text.get(start..).unwrap_or_default()
    }

    /// Notes a name down; returns its row, for [`Notes::revise`].
    pub(super) fn declare(
        &mut self,
        node: Node<'t>,
        role: Role,
        public: bool,
        owner: Option<&'t str>,
    ) -> Option<usize> {
        self.declare_as(self.text(node), node, role, public, owner)
    }

    /// Notes a name down whose text is not all of its node.
    pub(super) fn declare_as(
        &mut self,
        text: &'t str,
        node: Node<'t>,
        role: Role,
        public: bool,
        owner: Option<&'t str>,
    ) -> Option<usize> {
        // `_` means that there is no name. A test is never public, since only its runner calls it.
        let name = DeclaredName { text, owner, role, public: public && role != Role::Test, line: line(node) };
        (text != "_").then(|| self.names.push(name)).flatten()
    }

    /// Returns whether the text was not yet seen in the function (or other place) with this number:
    /// where an assignment declares a variable, the first one counts.
    pub(super) fn first_in(&mut self, function: u32, text: &'t str) -> bool {
        self.seen.insert((function, text))
    }

    /// Notes an import down.
    pub(super) fn import(&mut self, node: Node<'_>, path: impl Into<String>, names: Vec<String>, kind: ImportKind) {
        self.imports.push(Import { path: path.into(), names, kind, line: line(node), test_only: false });
    }

    /// The import that was noted down last.
    pub(super) fn last_import(&mut self) -> Option<&mut Import> {
        self.imports.last_mut()
    }

    /// All imports so far.
    pub(super) fn imports(&mut self) -> &mut Vec<Import> {
        &mut self.imports
    }

    /// Looks at a name again when more of the file is known.
    pub(super) fn revise(&mut self, row: usize, revision: impl FnOnce(DeclaredName<'_>) -> (Role, bool)) {
        self.names.revise(row, revision);
    }

    /// Ends the notes: what belongs to a type that is not public is not public either.
    pub(super) fn finish(mut self, lines: u32, has_errors: bool) -> FileFacts {
        self.names.hide_members_of_hidden_types();
        FileFacts {
            lines,
            package: self.package,
            names: self.names.finish(),
            imports: self.imports,
            includes: self.includes,
            has_errors,
            passed_over: None,
        }
    }
}

/// The line of a node, counted from 1.
pub(super) fn line(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX)
}

/// The child in a field.
pub(super) fn child<'t>(node: Node<'t>, field: FieldNumber) -> Option<Node<'t>> {
    // The library takes 0 for a field number as any other.
    (field != 0).then(|| node.child_by_field_id(field)).flatten()
}

/// The named children of a node.
pub(super) fn named_children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    children(node).filter(Node::is_named)
}

/// The children of a node, its punctuation and keywords included.
///
/// With a cursor of its own: asking a node for its n-th child takes n steps, and a list in a file
/// from outside may be long.
pub(super) fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    let mut left = cursor.goto_first_child();
    iter::from_fn(move || {
        let child = left.then(|| cursor.node())?;
        left = cursor.goto_next_sibling();
        Some(child)
    })
}
