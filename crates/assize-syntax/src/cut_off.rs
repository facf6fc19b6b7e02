//! Makes functions fail as soon as they are called, and modules as soon as they are loaded, to find out by running who
//! does that.
//!
//! What a test says of a changed file is told by no name: it may reach the change over many others. A test that still
//! says the same when every changed function fails does not depend on the change. This module must not know who runs
//! the tests.

use std::collections::BTreeMap;
use std::collections::BTreeSet;

use assize_ecosystem::Language;
use tree_sitter::Node;

use crate::language;

/// Returns the text with a statement in each function that holds one of these lines (counted from 1), which makes the
/// function fail with `word`. The text itself does not hold the word, so that who prints it has come there.
///
/// `None` where that says nothing of the lines: one of them is code outside of a function, the language has no such
/// statement here, or the text cannot be parsed. Comments, imports and types run nowhere and do not count. The text
/// is unchanged where no line counts.
pub fn with_functions_cut_off(path: &str, text: &str, lines: &BTreeSet<u32>, word: &str) -> Option<String> {
    let parts = FunctionsCutOff::of(path, text, lines, word)?;
    (!parts.leaves_code).then(|| parts.apply(text))
}

/// The same where a line may be code outside of a function: it is passed over, or the whole module is cut off if no line is
/// within one.
pub fn with_code_cut_off(path: &str, text: &str, lines: &BTreeSet<u32>, word: &str) -> Option<String> {
    let parts = FunctionsCutOff::of(path, text, lines, word)?;
    if parts.insertions.is_empty() && parts.leaves_code {
        return with_module_cut_off(path, text, word);
    }
    Some(parts.apply(text))
}

/// What has to be written into a text so that functions fail.
struct FunctionsCutOff {
    /// Statements, by where they go.
    insertions: BTreeMap<usize, String>,
    /// Whether a line is code outside of a function.
    leaves_code: bool,
}

impl FunctionsCutOff {
    fn of(path: &str, text: &str, lines: &BTreeSet<u32>, word: &str) -> Option<Self> {
        let parsed = language::parse(path, text)?;
        if parsed.tree.root_node().has_error() {
            return None;
        }
        let (mut insertions, mut leaves_code) = (BTreeMap::new(), false);
        for line in lines {
            let row = usize::try_from(*line).ok()?.checked_sub(1)?;
            let Some(code) = text.lines().nth(row) else { continue };
            let Some(column) = code.find(|character: char| !character.is_whitespace()) else { continue };
            let at = tree_sitter::Point { row, column };
            let node = parsed.tree.root_node().descendant_for_point_range(at, at)?;
            let above = || std::iter::successors(Some(node), Node::parent);
            if above().any(|node| RUNS_NOWHERE.contains(&node.kind())) || is_closing(code) {
                continue;
            }
            match above().find_map(|node| cut(parsed.language, node, text, word)) {
                Some((place, statement)) => drop(insertions.insert(place, statement)),
                None => leaves_code = true,
            }
        }
        Some(Self { insertions, leaves_code })
    }

    fn apply(&self, text: &str) -> String {
        let mut changed = text.to_owned();
        for (place, statement) in self.insertions.iter().rev() {
            changed.insert_str(*place, statement);
        }
        changed
    }
}

/// Returns the text with a statement that makes the module fail with `word` as soon as it is loaded. `None` where the
/// language has no such statement, or the text cannot be parsed.
pub fn with_module_cut_off(path: &str, text: &str, word: &str) -> Option<String> {
    let parsed = language::parse(path, text)?;
    let root = parsed.tree.root_node();
    if root.has_error() {
        return None;
    }
    let statement = failing(parsed.language, word)?;
    match parsed.language {
        Language::Go => return Some(format!("{text}\nfunc init() {{ {statement} }}\n")),
        Language::Rust | Language::Java => return None,
        _ => {}
    }
    // What has to stand before all else: comments, texts such as `'use strict'`, and what Python takes from the future.
    let mut cursor = root.walk();
    let is_prologue = |node: &Node<'_>| {
        ["comment", "hash_bang_line", "future_import_statement"].contains(&node.kind())
            || node.kind() == "expression_statement" && node.named_child(0).is_some_and(|it| it.kind() == "string")
    };
    let prologue = root.named_children(&mut cursor).take_while(is_prologue).last();
    Some(match prologue.map(|node| text.split_at(node.end_byte())) {
        Some((before, after)) => format!("{before}\n{statement}{after}"),
        None => format!("{statement}\n{text}"),
    })
}

/// Returns the statement that fails with a word which does not stand in it as a whole.
fn failing(language: Language, word: &str) -> Option<String> {
    let (first, second) = word.split_at(word.floor_char_boundary(word.len() / 2));
    Some(match language {
        Language::Python => format!("raise type('CutOff', (BaseException,), {{}})({first:?} {second:?})"),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            format!("throw new Error({first:?} + {second:?});")
        }
        Language::Rust => format!("panic!(\"{{}}{{}}\", {first:?}, {second:?});"),
        Language::Go => format!("panic({first:?} + {second:?});"),
        Language::Java => format!("if (true) throw new RuntimeException({first:?} + {second:?});"),
        _ => return None,
    })
}

/// Kinds of nodes that run nowhere.
const RUNS_NOWHERE: &[&str] = &[
    "comment",
    "line_comment",
    "block_comment",
    "import_statement",
    "import_from_statement",
    "future_import_statement",
    "import_declaration",
    "package_declaration",
    "package_clause",
    "use_declaration",
    "extern_crate_declaration",
    "interface_declaration",
    "type_alias_declaration",
    "type_declaration",
    "type_item",
    "struct_item",
    "enum_item",
    "trait_item",
];

/// Returns whether a line only closes what others have opened.
fn is_closing(code: &str) -> bool {
    code.chars().all(|character| character.is_whitespace() || ")]};,".contains(character))
}

/// Returns where a function is cut off, and by which statement; `None` for a node that is no function.
fn cut(language: Language, node: Node<'_>, text: &str, word: &str) -> Option<(usize, String)> {
    let node = declared(node)?;
    let body = || node.child_by_field_name("body");
    let inside = |statement: String| Some((body()?.start_byte() + 1, statement));
    match (language, node.kind()) {
        (Language::Python, "function_definition") => {
            let first = body()?.named_child(0)?;
            let indentation = text[..first.start_byte()].rsplit('\n').next()?;
            let separator = if is_compound(first) { format!("\n{indentation}") } else { "; ".to_owned() };
            Some((first.start_byte(), failing(language, word)? + &separator))
        }
        (Language::JavaScript | Language::TypeScript | Language::Tsx, kind) if SCRIPT_FUNCTIONS.contains(&kind) => {
            let body = body()?;
            let statement = format!(" {} ", failing(language, word)?);
            if body.kind() == "statement_block" {
                Some((body.start_byte() + 1, statement))
            } else {
                Some((body.start_byte(), format!("(() => {{{statement}}})() ?? ")))
            }
        }
        (Language::Rust, "function_item")
        | (Language::Go, "function_declaration" | "method_declaration" | "func_literal")
        | (Language::Java, "method_declaration") => inside(format!(" {} ", failing(language, word)?)),
        _ => None,
    }
}

/// Returns what a node declares, where it only stands around that.
fn declared(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "decorated_definition" => node.child_by_field_name("definition"),
        "export_statement" => declared(node.child_by_field_name("declaration")?),
        "lexical_declaration" | "variable_declaration" if node.named_child_count() == 1 => {
            node.named_child(0)?.child_by_field_name("value")
        }
        _ => Some(node),
    }
}

/// Kinds of functions in JavaScript and TypeScript.
const SCRIPT_FUNCTIONS: &[&str] = &[
    "function_declaration",
    "function_expression",
    "generator_function",
    "generator_function_declaration",
    "arrow_function",
    "method_definition",
];

/// Returns whether a statement of Python cannot follow another one on its line.
fn is_compound(statement: Node<'_>) -> bool {
    statement.kind().ends_with("_definition") || {
        let kinds = ["if_", "for_", "while_", "try_", "with_", "match_"];
        kinds.iter().any(|kind| statement.kind().starts_with(kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut_off(path: &str, text: &str, lines: &[u32]) -> Option<String> {
        with_functions_cut_off(path, text, &lines.iter().copied().collect(), "word")
    }

    #[test]
    fn a_function_fails_where_a_line_of_it_changed() {
        for (path, text, line, expected) in [
            (
                "a.py",
                "def f(a):\n    b = a\n    return b\n",
                3,
                "def f(a):\n    raise type('CutOff', (BaseException,), {})(\"wo\" \"rd\"); b = a\n    return b\n",
            ),
            (
                "a.py",
                "class A:\n    @x\n    def f(self): return 1\n",
                2,
                "class A:\n    @x\n    def f(self): raise type('CutOff', (BaseException,), {})(\"wo\" \"rd\"); return 1\n",
            ),
            (
                "a.js",
                "function f() {\n  return 1;\n}\n",
                2,
                "function f() { throw new Error(\"wo\" + \"rd\"); \n  return 1;\n}\n",
            ),
            (
                "a.js",
                "export function f() {\n  return 1;\n}\n",
                1,
                "export function f() { throw new Error(\"wo\" + \"rd\"); \n  return 1;\n}\n",
            ),
            (
                "a.js",
                "export const f = (a) => {\n  return a;\n};\n",
                1,
                "export const f = (a) => { throw new Error(\"wo\" + \"rd\"); \n  return a;\n};\n",
            ),
            (
                "a.ts",
                "const f = (a: number) =>\n  a + 1;\n",
                2,
                "const f = (a: number) =>\n  (() => { throw new Error(\"wo\" + \"rd\"); })() ?? a + 1;\n",
            ),
            (
                "a.tsx",
                "export const F = () => {\n  return <b>1</b>;\n};\n",
                2,
                "export const F = () => { throw new Error(\"wo\" + \"rd\"); \n  return <b>1</b>;\n};\n",
            ),
            (
                "a.rs",
                "impl A {\n    fn f() -> u8 {\n        1\n    }\n}\n",
                3,
                "impl A {\n    fn f() -> u8 { panic!(\"{}{}\", \"wo\", \"rd\"); \n        1\n    }\n}\n",
            ),
            (
                "a.go",
                "package a\nfunc f() int {\n\treturn 1\n}\n",
                3,
                "package a\nfunc f() int { panic(\"wo\" + \"rd\"); \n\treturn 1\n}\n",
            ),
            (
                "A.java",
                "class A {\n  int f() {\n    return 1;\n  }\n}\n",
                3,
                "class A {\n  int f() { if (true) throw new RuntimeException(\"wo\" + \"rd\"); \n    return 1;\n  }\n}\n",
            ),
        ] {
            assert_eq!(cut_off(path, text, &[line]).as_deref(), Some(expected), "{path}");
        }
    }

    #[test]
    fn what_runs_nowhere_does_not_count_and_what_runs_elsewhere_says_nothing() {
        let text = "import os\n# why\n\nLIMIT = 1\n\ndef f():\n    return os\n";
        assert_eq!(cut_off("a.py", text, &[1, 2, 3]).as_deref(), Some(text));
        assert_eq!(cut_off("a.py", text, &[4, 7]), None, "a value of the module");
        assert_eq!(cut_off("a.py", "def f(:\n    return 1\n", &[2]), None, "no Python");
        assert_eq!(cut_off("a.rb", "def f\n  1\nend\n", &[2]), None);
        assert_eq!(cut_off("a.py", text, &[99]).as_deref(), Some(text), "past the end");
    }

    #[test]
    fn a_block_comes_after_the_statement_on_its_own_line() {
        let cut = cut_off("a.py", "def f(a):\n    if a:\n        return 1\n    return 2\n", &[3]);
        let expected = "def f(a):\n    raise type('CutOff', (BaseException,), {})(\"wo\" \"rd\")\n    if a:\n        return 1\n    return 2\n";
        assert_eq!(cut.as_deref(), Some(expected));
    }

    #[test]
    fn code_outside_of_functions_is_passed_over_unless_there_is_no_other() {
        let text = "let a = 1;\nexports.f = () => {\n  return a;\n};\n";
        let cut = |lines: &[u32]| with_code_cut_off("a.js", text, &lines.iter().copied().collect(), "word");
        let of_function = "let a = 1;\nexports.f = () => { throw new Error(\"wo\" + \"rd\"); \n  return a;\n};\n";
        assert_eq!(cut(&[1, 3]).as_deref(), Some(of_function));
        assert_eq!(cut(&[1]), with_module_cut_off("a.js", text, "word"));
        assert_eq!(cut(&[4]).as_deref(), Some(text));
    }

    #[test]
    fn a_module_fails_where_it_is_loaded() {
        for (path, text, expected) in [
            ("a.js", "'use strict';\nlet a = 1;\n", "'use strict';\nthrow new Error(\"wo\" + \"rd\");\nlet a = 1;\n"),
            ("a.mts", "let a: number = 1;\n", "throw new Error(\"wo\" + \"rd\");\nlet a: number = 1;\n"),
            ("a.js", "#!/usr/bin/env node\n// why", "#!/usr/bin/env node\n// why\nthrow new Error(\"wo\" + \"rd\");"),
            (
                "a.py",
                "\"\"\"Text\n\"\"\"\nfrom __future__ import annotations\nA = 1\n",
                "\"\"\"Text\n\"\"\"\nfrom __future__ import annotations\nraise type('CutOff', (BaseException,), {})(\"wo\" \"rd\")\nA = 1\n",
            ),
            ("a.go", "package a\n", "package a\n\nfunc init() { panic(\"wo\" + \"rd\"); }\n"),
        ] {
            assert_eq!(with_module_cut_off(path, text, "word").as_deref(), Some(expected), "{path}");
        }
        for (path, text) in
            [("a.rs", "const A: u8 = 1;\n"), ("A.java", "class A {}\n"), ("a.py", "def f(:\n"), ("a.rb", "")]
        {
            assert_eq!(with_module_cut_off(path, text, "word"), None, "{path}");
        }
    }
}
