//! A parsed file, seen the same way in every language.
//!
//! Grammars call the same things by different names. [`View`] reduces an expression to what rules ask about:
//! a name, a member, a call, a text put together of parts. What stands here knows no rule.

use std::cell::Cell;
use std::collections::HashMap;

use tree_sitter::{Node, TreeCursor};

/// Deepest expression that is looked into; what lies deeper counts as unknown.
pub(super) const DEPTH_MAX: usize = 24;
/// Longest path of members and calls that is spelled; no rule knows a longer one.
pub(super) const PATH_PARTS_MAX: usize = 8;
/// Most parts of a text put together that are looked at.
pub(super) const PIECES_MAX: usize = 64;

/// An expression, reduced to what rules ask about.
#[derive(Debug, Clone)]
pub(super) enum View<'t> {
    /// A number, a truth value, or a text without values in it.
    Literal,
    /// A plain name.
    Name(&'t str),
    /// `object.name`, `object::name`.
    Member { object: Node<'t>, name: &'t str },
    /// `object[key]`.
    Index { object: Node<'t>, key: Option<Node<'t>> },
    /// `object.name(arguments)`, or `name(arguments)` without an object.
    Call { object: Option<Node<'t>>, name: &'t str, arguments: Vec<Node<'t>> },
    /// A text put together of parts.
    Composed(Vec<TextPiece<'t>>),
    /// Something around an expression that does not change what it is: parentheses, `await`, a cast.
    Wrapped(Node<'t>),
    /// Anything else.
    Other,
}

/// A part of a text that is put together.
#[derive(Debug, Clone, Copy)]
pub(super) enum TextPiece<'t> {
    /// It stands there.
    Text(&'t str),
    /// A value that is inserted.
    Value(Node<'t>),
    /// A variable that a format text names.
    Variable(&'t str),
}

/// A parameter of a function.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parameter<'t> {
    /// Its name.
    pub(super) name: &'t str,
    /// Whether its type can hold no harmful text, such as a number.
    pub(super) harmless: bool,
    /// Whether a framework fills it with what a stranger sent.
    pub(super) outside: bool,
}

/// What a language calls the things that rules ask about.
pub(super) trait LanguageDialect: Sync {
    /// Reduces an expression.
    fn view<'t>(&self, node: Node<'t>, text: &'t str) -> View<'t>;
    /// Node kinds of functions.
    fn functions(&self) -> &'static [&'static str];
    /// Node kinds below which code runs only under a condition.
    fn conditions(&self) -> &'static [&'static str];
    /// Node kinds of names.
    fn identifiers(&self) -> &'static [&'static str];
    /// Lists the parameters of a function.
    fn parameters<'t>(&self, function: Node<'t>, code: &SourceCode<'t>) -> Vec<Parameter<'t>>;
    /// Returns target and value, where the node assigns.
    fn assignment<'t>(&self, node: Node<'t>) -> Option<(Node<'t>, Node<'t>)>;
    /// Returns whether a path, such as `flask.request.args`, holds what a stranger sent.
    fn is_outside(&self, path: &str) -> bool;
}

/// Most work that is spent on looking around in one file, in nodes or their like. What a stranger wrote could else be
/// made so that everything is looked at for everything.
pub(super) const WORK_MAX: usize = 5_000_000;

/// A file with the names that it imports.
pub(super) struct SourceCode<'t> {
    /// Its text.
    pub(super) text: &'t str,
    /// Its syntax tree.
    pub(super) root: Node<'t>,
    /// What a name stands for that was imported, in full: `get` may be `requests.get`.
    pub(super) names: HashMap<&'t str, String>,
    /// The language.
    pub(super) dialect: &'static dyn LanguageDialect,
    work: Cell<usize>,
}

impl<'t> SourceCode<'t> {
    /// Takes a parsed file; its imports are added by its language.
    pub(super) fn new(text: &'t str, root: Node<'t>, dialect: &'static dyn LanguageDialect) -> Self {
        Self { text, root, names: HashMap::new(), dialect, work: Cell::new(0) }
    }

    /// Counts work; returns whether there is any left to do more.
    fn spend(&self, work: usize) -> bool {
        self.work.set(self.work.get().saturating_add(work));
        !self.is_exhausted()
    }

    /// Returns whether [`WORK_MAX`] is used up, so that not everything was looked at.
    pub(super) fn is_exhausted(&self) -> bool {
        self.work.get() > WORK_MAX
    }

    /// Visits the nodes below a node, as long as there is work left to spend.
    pub(super) fn explore(&self, root: Node<'t>, visit: &mut dyn FnMut(Node<'t>, &[Node<'t>]) -> bool) {
        if self.spend(1) {
            walk(root, &mut |node, above| self.spend(1) && visit(node, above));
        }
    }

    /// Lends the text of the function that a node stands in; nothing outside of functions.
    pub(super) fn around(&self, above: &[Node<'t>]) -> &'t str {
        let text = self.function(above).map_or("", |function| self.text(function));
        if self.spend(text.len() / 16) { text } else { "" }
    }

    /// Lends the text of the function that a node stands in, or of the file.
    pub(super) fn around_or_file(&self, above: &[Node<'t>]) -> &'t str {
        let text = self.function(above).map_or(self.text, |function| self.text(function));
        if self.spend(text.len() / 16) { text } else { "" }
    }

    /// Lends the text of a node.
    pub(super) fn text(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Lends the text of a node's field, or nothing.
    pub(super) fn field(&self, node: Node<'_>, field: &str) -> &'t str {
        node.child_by_field_name(field).map_or("", |child| self.text(child))
    }

    /// Reduces an expression, looking through what only stands around it.
    pub(super) fn view(&self, node: Node<'t>) -> View<'t> {
        let mut node = node;
        for _ in 0..DEPTH_MAX {
            match self.dialect.view(node, self.text) {
                View::Wrapped(inner) => node = inner,
                view => return view,
            }
        }
        View::Other
    }

    /// Spells a name or a chain of members and calls as a path, imports resolved: `requests.get`.
    pub(super) fn path(&self, node: Node<'t>) -> Option<String> {
        let mut parts = Vec::new();
        let mut node = node;
        for _ in 0..PATH_PARTS_MAX {
            self.spend(1);
            match self.view(node) {
                View::Name(name) => {
                    parts.push(self.names.get(name).map_or(name, String::as_str));
                    parts.reverse();
                    return Some(parts.join("."));
                }
                View::Member { object, name } | View::Call { object: Some(object), name, .. } => {
                    parts.push(name);
                    node = object;
                }
                View::Call { object: None, name, .. } => {
                    parts.push(self.names.get(name).map_or(name, String::as_str));
                    parts.reverse();
                    return Some(parts.join("."));
                }
                View::Index { object, key } => {
                    if let Some(key) = key.and_then(|key| self.literal(key)) {
                        parts.push(key);
                    }
                    node = object;
                }
                _ => return None,
            }
        }
        None
    }

    /// Returns the text of a literal text without values in it.
    pub(super) fn literal(&self, node: Node<'t>) -> Option<&'t str> {
        if !matches!(self.view(node), View::Literal) {
            return None;
        }
        let text = self.text(unwrapped(node, self));
        let start = text.find(['"', '\'', '`'])?;
        let quote = text[start..].chars().next()?;
        let inner = text[start..].trim_start_matches(quote).trim_end_matches('#').trim_end_matches(quote);
        (text[..start].len() <= 3).then_some(inner)
    }

    /// Returns whether a node stands below a condition inside of its function. The user who runs the program may then
    /// have asked for the code.
    pub(super) fn is_guarded(&self, above: &[Node<'t>]) -> bool {
        self.spend(above.len());
        above
            .iter()
            .rev()
            .take_while(|node| !self.dialect.functions().contains(&node.kind()))
            .any(|node| self.dialect.conditions().contains(&node.kind()))
    }

    /// Returns what a variable stands for that is assigned once in its function; anything else stands for itself.
    pub(super) fn resolved(&self, node: Node<'t>, above: &[Node<'t>]) -> Node<'t> {
        let (View::Name(name), Some(function)) = (self.view(node), self.function(above)) else { return node };
        let mut values = Vec::new();
        self.explore(function, &mut |inner, _| {
            if let Some((target, value)) = self.dialect.assignment(inner)
                && self.text(target) == name
            {
                values.push((inner, value));
            }
            true
        });
        match values.as_slice() {
            // A text that grows is not read.
            [(statement, value)]
                if !statement.kind().starts_with("augmented") && !statement.kind().starts_with("compound") =>
            {
                unwrapped(*value, self)
            }
            _ => node,
        }
    }

    /// Returns the function that a node stands in.
    pub(super) fn function(&self, above: &[Node<'t>]) -> Option<Node<'t>> {
        if !self.spend(above.len()) {
            return None;
        }
        above.iter().rev().find(|node| self.dialect.functions().contains(&node.kind())).copied()
    }
}

/// Looks through what only stands around an expression.
pub(super) fn unwrapped<'t>(node: Node<'t>, code: &SourceCode<'t>) -> Node<'t> {
    let mut node = node;
    for _ in 0..DEPTH_MAX {
        match code.dialect.view(node, code.text) {
            View::Wrapped(inner) => node = inner,
            _ => break,
        }
    }
    node
}

/// Visits every node below a root, in the order of the text, with the nodes that it stands in.
///
/// `visit` says whether to go into the node. Nothing here recurses: text from outside may be nested deeply.
pub(super) fn walk<'t>(root: Node<'t>, visit: &mut dyn FnMut(Node<'t>, &[Node<'t>]) -> bool) {
    let mut cursor: TreeCursor<'t> = root.walk();
    let mut above: Vec<Node<'t>> = Vec::new();
    loop {
        let node = cursor.node();
        if visit(node, &above) && cursor.goto_first_child() {
            above.push(node);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if above.pop().is_none() || !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// Lists the named children of a node without comments.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| !child.is_extra()).collect()
}

/// Returns a child by its field.
pub(super) fn field<'t>(node: Node<'t>, name: &str) -> Option<Node<'t>> {
    node.child_by_field_name(name)
}

/// Returns the first child of a kind.
pub(super) fn child_of_kind<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| child.kind() == kind)
}

/// Returns the line of a node's beginning, counted from 1.
pub(super) fn line(node: Node<'_>) -> u32 {
    u32::try_from(node.start_position().row + 1).unwrap_or(u32::MAX)
}

/// Takes a sum of texts apart; one without values in it is a literal. Works without recursion, since a sum may be long
/// and nested deeply. `text_of` gives the parts of a node that is a text on its own.
pub(super) fn sum<'t>(node: Node<'t>, text_of: &dyn Fn(Node<'t>) -> Option<Vec<TextPiece<'t>>>) -> View<'t> {
    let is_sum = |node: Node<'t>| {
        node.kind().starts_with("binary_") && field(node, "operator").is_some_and(|operator| operator.kind() == "+")
    };
    if !is_sum(node) && node.kind() != "concatenated_string" {
        return View::Other;
    }
    let mut pieces = Vec::new();
    let mut has_text = false;
    let mut left = vec![node];
    for _ in 0..PIECES_MAX * 2 {
        let Some(part) = left.pop() else { break };
        match part.kind() {
            "parenthesized_expression" | "reference_expression" => left.extend(children(part).last()),
            "concatenated_string" => left.extend(children(part).into_iter().rev()),
            _ if is_sum(part) => left.extend(field(part, "right").into_iter().chain(field(part, "left"))),
            "number" | "integer" | "float" | "int_literal" | "integer_literal" | "decimal_integer_literal" => {}
            _ => match text_of(part) {
                Some(inner) => {
                    has_text = true;
                    pieces.extend(inner);
                }
                None => pieces.push(TextPiece::Value(part)),
            },
        }
    }
    match (has_text, pieces.iter().any(|piece| !matches!(piece, TextPiece::Text(_)))) {
        (true, true) => View::Composed(pieces),
        (true, false) => View::Literal,
        (false, _) => View::Other,
    }
}

/// Splits a format text at its places and puts the values in: `%s` in the manner of C, `{}` in that of Python and Rust.
pub(super) fn formatted<'t>(format: &'t str, values: &[Node<'t>], style: PlaceholderStyle) -> Vec<TextPiece<'t>> {
    let mut pieces = Vec::new();
    let mut values = values.iter();
    let mut rest = format;
    while pieces.len() < PIECES_MAX {
        let Some((before, name, after)) = next_place(rest, style) else { break };
        pieces.push(TextPiece::Text(before));
        if name.is_empty() {
            pieces.extend(values.next().map(|value| TextPiece::Value(*value)));
        } else if style == PlaceholderStyle::Braces {
            pieces.push(TextPiece::Variable(name));
        }
        rest = after;
    }
    pieces.push(TextPiece::Text(rest));
    pieces.extend(values.take(PIECES_MAX).map(|value| TextPiece::Value(*value)));
    pieces
}

/// How a format text marks its places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlaceholderStyle {
    /// `%s`.
    Percent,
    /// `{}` and `{name}`.
    Braces,
}

/// Finds the next place: what stands before it, its name, what stands after it.
fn next_place(text: &str, style: PlaceholderStyle) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    loop {
        let mark = if style == PlaceholderStyle::Percent { '%' } else { '{' };
        let start = from + text.get(from..)?.find(mark)?;
        let rest = &text[start + 1..];
        if rest.starts_with(mark) {
            from = start + 2;
            continue;
        }
        if style == PlaceholderStyle::Percent {
            let end = rest.find(|character: char| character.is_ascii_alphabetic())?;
            return Some((&text[..start], "", &rest[end + 1..]));
        }
        let end = rest.find('}')?;
        let name = rest[..end].split([':', '!', '.', '[']).next().unwrap_or_default().trim();
        let name = if name.chars().all(|character| character.is_ascii_digit()) { "" } else { name };
        return Some((&text[..start], name, &rest[end + 1..]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_texts_are_split_at_their_places() {
        let split = |text, style| -> Vec<(String, String)> {
            let mut found = Vec::new();
            let mut rest = text;
            while let Some((before, name, after)) = next_place(rest, style) {
                found.push((before.to_owned(), name.to_owned()));
                rest = after;
            }
            found.push((rest.to_owned(), "end".to_owned()));
            found
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(
            split("a %s b %-5d%%", PlaceholderStyle::Percent),
            [pair("a ", ""), pair(" b ", ""), pair("%%", "end")]
        );
        assert_eq!(
            split("{{x}} {} {0} {name:>3}", PlaceholderStyle::Braces),
            [pair("{{x}} ", ""), pair(" ", ""), pair(" ", "name"), pair("", "end")]
        );
        assert_eq!(split("100 %", PlaceholderStyle::Percent), [pair("100 %", "end")]);
    }
}
