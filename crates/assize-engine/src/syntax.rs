//! Syntax errors, as tree-sitter sees them.
//!
//! A grammar is loaded only when a changed file needs it. Reports where the parser stumbles; it
//! must not judge.

use assize_core::diff::SyntaxError;
use assize_core::path::Language;
use assize_core::text::{Untrusted, head};
use tree_sitter::{Node, Parser};

/// Errors that are reported of one file.
pub const ERRORS_MAX: usize = 3;
/// Largest file that is parsed, in bytes.
pub const FILE_BYTES_MAX: usize = 1024 * 1024;

fn grammar(language: Language) -> Option<tree_sitter::Language> {
    Some(match language {
        Language::Rust => tree_sitter_rust::LANGUAGE.into(),
        Language::Python => tree_sitter_python::LANGUAGE.into(),
        Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
        Language::Go => tree_sitter_go::LANGUAGE.into(),
        Language::Java => tree_sitter_java::LANGUAGE.into(),
        _ => return None,
    })
}

/// Finds the syntax errors of a file; empty where there is no grammar for its language or it is
/// larger than [`FILE_BYTES_MAX`].
pub fn errors(path: &str, text: &str) -> Vec<SyntaxError> {
    let mut found = Vec::new();
    if text.len() > FILE_BYTES_MAX {
        return found;
    }
    let Some(language) = Language::of(path).and_then(grammar) else { return found };
    let mut parser = Parser::new();
    if parser.set_language(&language).is_err() {
        return found;
    }
    let Some(tree) = parser.parse(text, None) else { return found };
    if tree.root_node().has_error() {
        collect(tree.root_node(), text, &mut found);
    }
    found
}

fn collect(root: Node<'_>, text: &str, found: &mut Vec<SyntaxError>) {
    let mut left = vec![root];
    while let Some(node) = left.pop() {
        if found.len() == ERRORS_MAX {
            return;
        }
        if node.is_error() || node.is_missing() {
            let at = node.start_position();
            let line = text.lines().nth(at.row).unwrap_or_default();
            found.push(SyntaxError {
                line: u32::try_from(at.row + 1).unwrap_or(u32::MAX),
                text: Untrusted::new(head(line.trim(), 200)),
            });
            continue;
        }
        let mut cursor = node.walk();
        let mut children: Vec<Node<'_>> = node.children(&mut cursor).filter(|child| child.has_error() || child.is_missing()).collect();
        children.reverse();
        left.extend(children);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<u32> {
        errors(path, text).into_iter().map(|error| error.line).collect()
    }

    #[test]
    fn each_grammar_finds_an_error_and_accepts_sound_code() {
        for (path, sound, broken) in [
            ("a.rs", "fn a() {}\n", "fn a() {\n"),
            ("a.py", "def a():\n    pass\n", "def a(:\n    pass\n"),
            ("a.js", "function a() {}\n", "function a( {}\n"),
            ("a.ts", "let a: number = 1;\n", "let a: = ;\n"),
            ("a.tsx", "const a = <b>c</b>;\n", "const a = <b>c;\n"),
            ("a.go", "package a\n\nfunc a() {}\n", "package a\n\nfunc a( {}\n"),
            ("A.java", "class A { void a() {} }\n", "class A { void a( {} }\n"),
        ] {
            assert!(lines(path, sound).is_empty(), "{path}");
            assert!(!lines(path, broken).is_empty(), "{path}");
        }
    }

    #[test]
    fn files_without_a_grammar_and_large_ones_are_passed_over() {
        assert!(lines("a.txt", "fn a( {").is_empty());
        let padded = |bytes: usize| format!("fn a( {{{}", " ".repeat(bytes - 7));
        assert!(!lines("a.rs", &padded(FILE_BYTES_MAX)).is_empty());
        assert!(lines("a.rs", &padded(FILE_BYTES_MAX + 1)).is_empty());
    }
}
