//! Small faults that are put into code to find out whether tests notice them.
//!
//! This is mutation testing (DeMillo, Lipton and Sayward, "Hints on Test Data Selection", 1978). A mutant is one edit in
//! a line that a change wrote. Nothing is mutated that no test is expected to see: messages, types, annotations, imports
//! and tests. This module must not know who runs the tests.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use assize_ecosystem::Language;
use serde::{Deserialize, Serialize};
use tree_sitter::Node;

use crate::inline_tests::test_ranges;
use crate::language;

/// The most mutants of one line.
pub const MUTANTS_PER_LINE_MAX: usize = 2;
/// How many edits are tried for each mutant that is asked for. Each is parsed.
pub const TRIES_PER_MUTANT: usize = 8;
/// The longest part of a line that is shown of a mutant, in bytes.
pub const SHOWN_BYTES_MAX: usize = 120;

/// What a mutant does to the code, the most telling first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum MutationOperator {
    /// Every changed function fails at once: shows whether tests come there at all.
    CutOff,
    /// A comparison becomes its opposite, or a negation is dropped.
    Negate,
    /// A condition never holds.
    ConditionFalse,
    /// A function returns nothing, zero, false or empty.
    DefaultReturn,
    /// An error is not raised.
    DropThrow,
    /// A number is one more, or a truth value the other one.
    Constant,
    /// `+` becomes `-`, `*` becomes `/`, and the other way round.
    Arithmetic,
    /// `and` becomes `or`, and the other way round.
    Logical,
}

impl fmt::Display for MutationOperator {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::CutOff => "functions cut off",
            Self::Negate => "negated",
            Self::ConditionFalse => "never true",
            Self::DefaultReturn => "empty result",
            Self::DropThrow => "error dropped",
            Self::Constant => "other constant",
            Self::Arithmetic => "other arithmetic",
            Self::Logical => "and for or",
        })
    }
}

/// One edit of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mutant {
    /// The line, counted from 1.
    pub line: u32,
    /// What it does.
    pub operator: MutationOperator,
    /// The bytes that it replaces.
    range: Range<usize>,
    /// What stands there instead.
    replacement: String,
}

impl Mutant {
    /// Returns the text with the fault in it.
    pub fn apply(&self, text: &str) -> String {
        format!("{}{}{}", &text[..self.range.start], self.replacement, &text[self.range.end..])
    }

    /// Returns the line as it is, and as it is with the fault. Of an edit over several lines, the first is shown.
    pub fn shown(&self, text: &str) -> (String, String) {
        let line = |text: &str| {
            let begin = text[..self.range.start].rfind('\n').map_or(0, |at| at + 1);
            let line = text[begin..].lines().next().unwrap_or_default().trim();
            line[..line.floor_char_boundary(SHOWN_BYTES_MAX)].to_owned()
        };
        (line(text), line(&self.apply(text)))
    }
}

/// A file that a change wrote in.
#[derive(Debug, Clone)]
pub struct WrittenFile {
    /// Its path.
    pub path: String,
    /// Its text, as the change has it.
    pub text: String,
    /// The lines that the change wrote, counted from 1.
    pub lines: BTreeSet<u32>,
}

impl WrittenFile {
    /// Returns the edits that its language has for these lines, in the order of the text. None where the text cannot be
    /// parsed without errors.
    fn candidates(&self) -> Vec<Mutant> {
        let Some(parsed) = language::parse(&self.path, &self.text) else { return Vec::new() };
        let Some(table) = table(parsed.language) else { return Vec::new() };
        if parsed.tree.root_node().has_error() {
            return Vec::new();
        }
        let tests = if parsed.language == Language::Rust { test_ranges(&self.text) } else { Vec::new() };
        let (text, lines) = (&self.text, &self.lines);
        let mut finder = MutantFinder { language: parsed.language, table, text, lines, tests, found: Vec::new() };
        finder.find(parsed.tree.root_node());
        let mut found = finder.found;
        found.sort_by_key(|mutant| (mutant.range.start, mutant.operator));
        // A literal may be two nodes, and an empty result the other truth value.
        found.dedup_by(|next, one| (&next.range, &next.replacement) == (&one.range, &one.replacement));
        found
    }

    /// Returns whether the text with the fault is another one that can be parsed: what a grammar reads in an unusual way
    /// must not end as a text that nothing can read.
    fn is_sound(&self, mutant: &Mutant) -> bool {
        let changed = mutant.apply(&self.text);
        changed != self.text
            && language::parse(&self.path, &changed).is_some_and(|parsed| !parsed.tree.root_node().has_error())
    }
}

/// Chooses at most `most` mutants of several files, each with its path: the most telling one of every line before the second
/// of any, and at most [`MUTANTS_PER_LINE_MAX`] of a line. After [`TRIES_PER_MUTANT`] edits for each that is asked for,
/// no more are tried.
pub fn choose(files: &[WrittenFile], most: usize) -> Vec<(String, Mutant)> {
    let mut by_line: BTreeMap<(&str, u32), (&WrittenFile, Vec<Mutant>)> = BTreeMap::new();
    for file in files {
        for mutant in file.candidates() {
            by_line.entry((&file.path, mutant.line)).or_insert_with(|| (file, Vec::new())).1.push(mutant);
        }
    }
    let mut ranked = Vec::new();
    for (file, mut mutants) in by_line.into_values() {
        mutants.sort_by_key(|mutant| mutant.operator);
        ranked.extend(mutants.into_iter().enumerate().map(|(place, mutant)| (place, file, mutant)));
    }
    ranked.sort_by_key(|(place, _, mutant)| (*place, mutant.operator));
    let mut of_line: BTreeMap<(&str, u32), usize> = BTreeMap::new();
    let mut chosen = Vec::new();
    for (_, file, mutant) in ranked.into_iter().take(most.saturating_mul(TRIES_PER_MUTANT)) {
        let of_line = of_line.entry((&file.path, mutant.line)).or_default();
        if chosen.len() < most && *of_line < MUTANTS_PER_LINE_MAX && file.is_sound(&mutant) {
            *of_line += 1;
            chosen.push((file.path.clone(), mutant));
        }
    }
    chosen
}

/// What the nodes of a language are called.
struct MutationTable {
    /// Comparisons, arithmetic and logical connections.
    binary: &'static [&'static str],
    /// Negations, whose last child is what is negated.
    not: &'static str,
    /// Nodes with a field `condition`.
    conditions: &'static [&'static str],
    /// How two conditions are joined, the second of which never holds.
    and_false: &'static str,
    /// Statements that return a value.
    returns: &'static str,
    /// Statements that raise an error, and what takes their place.
    throws: Option<(&'static str, &'static str)>,
    /// Whole numbers.
    integers: &'static str,
    /// Truth values, with the other one.
    truths: [(&'static str, &'static str); 2],
}

const SCRIPT: MutationTable = MutationTable {
    binary: &["binary_expression"],
    not: "unary_expression",
    conditions: &["if_statement", "ternary_expression"],
    and_false: " && false",
    returns: "return_statement",
    throws: Some(("throw_statement", ";")),
    integers: "number",
    truths: [("true", "false"), ("false", "true")],
};

fn table(language: Language) -> Option<MutationTable> {
    Some(match language {
        Language::Python => MutationTable {
            binary: &["comparison_operator", "binary_operator", "boolean_operator"],
            not: "not_operator",
            conditions: &["if_statement", "elif_clause"],
            and_false: " and False",
            throws: Some(("raise_statement", "pass")),
            integers: "integer",
            truths: [("True", "False"), ("False", "True")],
            ..SCRIPT
        },
        Language::JavaScript | Language::TypeScript => SCRIPT,
        Language::Rust => MutationTable {
            conditions: &["if_expression"],
            returns: "return_expression",
            throws: None,
            integers: "integer_literal",
            ..SCRIPT
        },
        Language::Go => {
            MutationTable { conditions: &["if_statement"], throws: None, integers: "int_literal", ..SCRIPT }
        }
        Language::Java => MutationTable { integers: "decimal_integer_literal", ..SCRIPT },
        _ => return None,
    })
}

/// Kinds of nodes in which nothing is mutated: no test is expected to see it.
const LEFT_ALONE: &[&str] = &[
    "annotation",
    "assert_statement",
    "attribute_item",
    "comment",
    "decorator",
    "enum_item",
    "extern_crate_declaration",
    "future_import_statement",
    "import_declaration",
    "import_from_statement",
    "import_statement",
    "inner_attribute_item",
    "interface_declaration",
    "macro_invocation",
    "marker_annotation",
    "package_clause",
    "package_declaration",
    "raise_statement",
    "string",
    "struct_item",
    "template_string",
    "throw_statement",
    "trait_item",
    "type",
    "type_alias_declaration",
    "type_annotation",
    "type_arguments",
    "type_declaration",
    "type_item",
    "type_parameters",
    "use_declaration",
];

/// Beginnings of the names of functions that only write messages.
const WRITERS: &[&str] =
    &["print", "console.", "log", "warn", "fmt.Print", "System.out", "System.err", "debug", "panic"];

/// Comparisons, each with its opposite.
const OPPOSITES: &[(&str, &str)] = &[
    ("===", "!=="),
    ("!==", "==="),
    ("==", "!="),
    ("!=", "=="),
    ("<", ">="),
    (">=", "<"),
    (">", "<="),
    ("<=", ">"),
    ("in", "not in"),
    ("not in", "in"),
    ("is", "is not"),
    ("is not", "is"),
];

/// Arithmetic, each with another one.
const ARITHMETIC: &[(&str, &str)] = &[("+", "-"), ("-", "+"), ("*", "/"), ("/", "*"), ("//", "*")];

/// Connections, each with the other one.
const CONNECTIONS: &[(&str, &str)] = &[("and", "or"), ("or", "and"), ("&&", "||"), ("||", "&&")];

struct MutantFinder<'t> {
    language: Language,
    table: MutationTable,
    text: &'t str,
    lines: &'t BTreeSet<u32>,
    tests: Vec<Range<usize>>,
    found: Vec<Mutant>,
}

impl<'t> MutantFinder<'t> {
    fn find(&mut self, root: Node<'t>) {
        let mut left = vec![root];
        while let Some(node) = left.pop() {
            if self.tests.iter().any(|test| test.start <= node.start_byte() && node.end_byte() <= test.end) {
                continue;
            }
            self.mutate(node);
            if LEFT_ALONE.contains(&node.kind()) || self.writes_message(node) {
                continue;
            }
            let mut cursor = node.walk();
            left.extend(node.children(&mut cursor));
        }
    }

    fn text(&self, node: Node<'_>) -> &'t str {
        &self.text[node.byte_range()]
    }

    fn writes_message(&self, node: Node<'_>) -> bool {
        let is_call = ["call", "call_expression", "method_invocation"].contains(&node.kind());
        is_call && WRITERS.iter().any(|writer| self.text(node).starts_with(writer))
    }

    fn add(&mut self, operator: MutationOperator, node: Node<'_>, replacement: String) {
        self.replace(operator, node.byte_range(), node.start_position().row, replacement);
    }

    fn replace(&mut self, operator: MutationOperator, range: Range<usize>, row: usize, replacement: String) {
        let Ok(line) = u32::try_from(row + 1) else { return };
        if self.lines.contains(&line) {
            self.found.push(Mutant { line, operator, range, replacement });
        }
    }

    fn mutate(&mut self, node: Node<'t>) {
        let kind = node.kind();
        if self.table.binary.contains(&kind) {
            self.binary(node);
        } else if kind == self.table.not && self.text(node).starts_with(['!', 'n']) {
            if let Some(inner) = last_named(node) {
                self.add(MutationOperator::Negate, node, self.text(inner).to_owned());
            }
        } else if kind == self.table.returns {
            self.returned(node);
        } else if let Some((_, instead)) = self.table.throws.filter(|(throws, _)| *throws == kind) {
            self.add(MutationOperator::DropThrow, node, instead.to_owned());
        } else if kind == self.table.integers {
            self.integer(node);
        } else if node.child_count() == 0 || kind == "boolean_literal" {
            let text = self.text(node);
            let is_truth = ["true", "false", "boolean_literal"].contains(&kind);
            if let Some((_, other)) = self.table.truths.iter().find(|(one, _)| is_truth && *one == text) {
                self.add(MutationOperator::Constant, node, (*other).to_owned());
            }
        }
        if self.table.conditions.contains(&kind) {
            self.condition(node.child_by_field_name("condition"));
        } else if self.language == Language::Python && kind == "conditional_expression" {
            self.condition(node.named_child(1));
        } else if self.language == Language::Rust && kind == "function_item" {
            self.tail(node);
        }
    }

    fn condition(&mut self, condition: Option<Node<'t>>) {
        let Some(condition) = condition.filter(|node| !node.kind().starts_with("let_")) else { return };
        let (text, and_false) = (self.text(condition), self.table.and_false);
        // Brackets around it may be part of the statement.
        let never = match condition.kind() {
            "parenthesized_expression" if self.language != Language::Python => format!("({text}{and_false})"),
            _ => format!("({text}){and_false}"),
        };
        self.add(MutationOperator::ConditionFalse, condition, never);
    }

    fn binary(&mut self, node: Node<'t>) {
        let operands: Vec<Node<'t>> =
            (0..node.named_child_count() as u32).filter_map(|at| node.named_child(at)).collect();
        let [left, right] = operands[..] else { return };
        let between = left.end_byte()..right.start_byte();
        let operator = self.text[between.clone()].trim();
        let find =
            |table: &[(&str, &'static str)]| table.iter().find(|(one, _)| *one == operator).map(|(_, other)| *other);
        let is_text = |node: Node<'_>| node.kind().contains("string");
        let (kind, other) = if let Some(other) = find(OPPOSITES) {
            (MutationOperator::Negate, other)
        } else if let Some(other) = find(CONNECTIONS) {
            (MutationOperator::Logical, other)
        } else if let Some(other) = find(ARITHMETIC).filter(|_| !is_text(left) && !is_text(right)) {
            (MutationOperator::Arithmetic, other)
        } else {
            return;
        };
        let replacement = self.text[between.clone()].replacen(operator, other, 1);
        self.replace(kind, between, node.start_position().row, replacement);
    }

    fn integer(&mut self, node: Node<'t>) {
        let text = self.text(node);
        let digits = text.len() - text.trim_start_matches(|one: char| one.is_ascii_digit()).len();
        let is_plain = text.starts_with(|first: char| first != '0') || digits == 1;
        // The rest may be the type of the number, but no fraction, exponent or other base.
        let rest = &text[digits..];
        let has_type = rest.is_empty() || rest.starts_with(['u', 'i', 'L']);
        if let Some(next) = text[..digits].parse::<u64>().ok().and_then(|value| value.checked_add(1))
            && is_plain
            && has_type
        {
            self.add(MutationOperator::Constant, node, format!("{next}{rest}"));
        }
    }

    fn returned(&mut self, node: Node<'t>) {
        let Some(value) = node.named_child(0) else { return };
        let empty = match self.language {
            Language::Python => Some("None".to_owned()),
            Language::JavaScript | Language::TypeScript => Some("undefined".to_owned()),
            _ => enclosing_function(node).and_then(|function| self.empty_value(function)),
        };
        let is_single = value.kind() != "expression_list" || value.named_child_count() == 1;
        if let Some(empty) = empty.filter(|empty| is_single && empty != self.text(value)) {
            self.add(MutationOperator::DefaultReturn, value, empty);
        }
    }

    /// The last expression of a function of Rust is its value.
    fn tail(&mut self, function: Node<'t>) {
        let value = function.child_by_field_name("body").and_then(last_named);
        let is_value = |node: &Node<'_>| {
            !node.kind().ends_with("_statement")
                && !node.kind().ends_with("comment")
                && node.kind() != "let_declaration"
        };
        let Some(value) = value.filter(is_value) else { return };
        if let Some(empty) = self.empty_value(function).filter(|empty| empty != self.text(value)) {
            self.add(MutationOperator::DefaultReturn, value, empty);
        }
    }

    /// The least that a function can return, where its type says what that is.
    fn empty_value(&self, function: Node<'t>) -> Option<String> {
        const RUST_NUMBERS: [&str; 12] =
            ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];
        let field = match self.language {
            Language::Rust => "return_type",
            Language::Go => "result",
            _ => "type",
        };
        let of = function.child_by_field_name(field)?;
        let text = self.text(of);
        let empty = match (self.language, text) {
            (Language::Rust, "bool") | (Language::Java, "boolean") => "false".to_owned(),
            (Language::Rust, "String") => "String::new()".to_owned(),
            (Language::Rust, number) if RUST_NUMBERS.contains(&number) => "0".to_owned(),
            (Language::Rust, "f32" | "f64") => "0.0".to_owned(),
            (Language::Rust, generic) if generic.starts_with("Option<") => "None".to_owned(),
            (Language::Rust, generic) if generic.starts_with("Vec<") => "Vec::new()".to_owned(),
            (Language::Go, _) if of.kind() != "parameter_list" => format!("*new({text})"),
            (Language::Java, "void") => return None,
            (Language::Java, "int" | "long" | "short" | "byte" | "char" | "float" | "double") => "0".to_owned(),
            (Language::Java, _) => "null".to_owned(),
            _ => return None,
        };
        Some(empty)
    }
}

fn last_named(node: Node<'_>) -> Option<Node<'_>> {
    let count = u32::try_from(node.named_child_count()).ok()?;
    node.named_child(count.checked_sub(1)?)
}

/// The function that a node stands in.
fn enclosing_function(node: Node<'_>) -> Option<Node<'_>> {
    const FUNCTIONS: [&str; 6] = [
        "closure_expression",
        "func_literal",
        "function_declaration",
        "function_item",
        "lambda_expression",
        "method_declaration",
    ];
    std::iter::successors(node.parent(), Node::parent).find(|node| FUNCTIONS.contains(&node.kind()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(path: &str, text: &str, lines: impl IntoIterator<Item = u32>) -> WrittenFile {
        WrittenFile { path: path.to_owned(), text: text.to_owned(), lines: lines.into_iter().collect() }
    }

    /// All mutants of these lines.
    fn mutants(path: &str, text: &str, lines: impl IntoIterator<Item = u32>) -> Vec<Mutant> {
        let file = written(path, text, lines);
        file.candidates().into_iter().filter(|mutant| file.is_sound(mutant)).collect()
    }

    /// The changed lines of all mutants of a text.
    fn lines_of(path: &str, text: &str) -> Vec<(MutationOperator, String)> {
        let found = mutants(path, text, 1..=u32::try_from(text.lines().count()).unwrap());
        found.iter().map(|mutant| (mutant.operator, mutant.shown(text).1)).collect()
    }

    fn has(path: &str, text: &str, expected: &[(MutationOperator, &str)]) {
        let found = lines_of(path, text);
        let expected: Vec<_> = expected.iter().map(|(operator, line)| (*operator, (*line).to_owned())).collect();
        assert_eq!(found, expected, "{path}");
    }

    #[test]
    fn python_has_mutants() {
        use MutationOperator::*;
        let text = "import a\n\ndef f(n: int = 3):\n    if n < 2 and not a:\n        raise ValueError(f\"{n - 1} < 2\")\n    return n + 1\n";
        has(
            "a.py",
            text,
            &[
                (Constant, "def f(n: int = 4):"),
                (ConditionFalse, "if (n < 2 and not a) and False:"),
                (Negate, "if n >= 2 and not a:"),
                (Constant, "if n < 3 and not a:"),
                (Logical, "if n < 2 or not a:"),
                (Negate, "if n < 2 and a:"),
                (DropThrow, "pass"),
                (DefaultReturn, "return None"),
                (Arithmetic, "return n - 1"),
                (Constant, "return n + 2"),
            ],
        );
        has(
            "a.py",
            "x = a if b in c else d\n",
            &[(ConditionFalse, "x = a if (b in c) and False else d"), (Negate, "x = a if b not in c else d")],
        );
        has("a.py", "x = 'a' + b\nprint(1)\nassert x == 1\n", &[]);
        has("a.py", "x = (\n", &[]);
    }

    #[test]
    fn scripts_have_mutants() {
        use MutationOperator::*;
        let text = "export function f(n: number) {\n  if (!n || n === 1) {\n    throw new Error(`${n + 1}`);\n  }\n  return true;\n}\n";
        has(
            "a.ts",
            text,
            &[
                (ConditionFalse, "if ((!n || n === 1) && false) {"),
                (Negate, "if (n || n === 1) {"),
                (Logical, "if (!n && n === 1) {"),
                (Negate, "if (!n || n !== 1) {"),
                (Constant, "if (!n || n === 2) {"),
                (DropThrow, ";"),
                (DefaultReturn, "return undefined;"),
                (Constant, "return false;"),
            ],
        );
    }

    #[test]
    fn compiled_languages_have_mutants_that_can_be_built() {
        use MutationOperator::*;
        let rust = "fn f(n: u8) -> bool {\n    if n > 2 {\n        return true;\n    }\n    n == 1\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {\n        assert!(2 > 1);\n        let _ = 1 < 2;\n    }\n}\n";
        has(
            "a.rs",
            rust,
            &[
                (ConditionFalse, "if (n > 2) && false {"),
                (Negate, "if n <= 2 {"),
                (Constant, "if n > 3 {"),
                (DefaultReturn, "return false;"),
                (DefaultReturn, "false"),
                (Negate, "n != 1"),
                (Constant, "n == 2"),
            ],
        );
        let go = "package a\n\nfunc F(n int) int {\n\tif n != 0 {\n\t\treturn n\n\t}\n\treturn 1\n}\n";
        has(
            "a.go",
            go,
            &[
                (ConditionFalse, "if (n != 0) && false {"),
                (Negate, "if n == 0 {"),
                (Constant, "if n != 1 {"),
                (DefaultReturn, "return *new(int)"),
                (DefaultReturn, "return *new(int)"),
                (Constant, "return 2"),
            ],
        );
        let java = "class A {\n  boolean f(int n) {\n    if (n >= 2) {\n      throw new Error();\n    }\n    return n * 2 > 1;\n  }\n}\n";
        has(
            "A.java",
            java,
            &[
                (ConditionFalse, "if ((n >= 2) && false) {"),
                (Negate, "if (n < 2) {"),
                (Constant, "if (n >= 3) {"),
                (DropThrow, ";"),
                (DefaultReturn, "return false;"),
                (Arithmetic, "return n / 2 > 1;"),
                (Constant, "return n * 3 > 1;"),
                (Negate, "return n * 2 <= 1;"),
                (Constant, "return n * 2 > 2;"),
            ],
        );
    }

    #[test]
    fn only_these_lines_are_mutated() {
        let text = "a = 1\nb = 2\n";
        let found = mutants("a.py", text, [2]);
        assert_eq!(found.iter().map(|mutant| mutant.apply(text)).collect::<Vec<_>>(), ["a = 1\nb = 3\n"]);
        assert_eq!(mutants("a.txt", text, [2]), []);
        assert_eq!(mutants("a.rb", text, [2]), []);
    }

    #[test]
    fn the_best_of_each_line_comes_first_and_two_are_enough() {
        let text = "a = b < 1 and c\nd = 2\n";
        assert_eq!(mutants("a.py", text, [1, 2]).len(), 4);
        let chosen = |most| {
            let chosen = choose(&[written("a.py", text, [1, 2])], most);
            chosen.into_iter().map(|(_, mutant)| mutant.shown(text).1).collect::<Vec<_>>()
        };
        assert_eq!(chosen(9), ["a = b >= 1 and c", "d = 3", "a = b < 2 and c"]);
        assert_eq!(chosen(1), ["a = b >= 1 and c"]);
        assert_eq!(chosen(0), [""; 0]);
    }

    #[test]
    fn a_long_change_is_parsed_for_the_mutants_that_are_asked_for_alone() {
        let text = "a = 1\n".repeat(20_000);
        let chosen = choose(&[written("a.py", &text, 1..=20_000)], 3);
        assert_eq!(chosen.iter().map(|(_, mutant)| mutant.line).collect::<Vec<_>>(), [1, 2, 3]);
    }
}
