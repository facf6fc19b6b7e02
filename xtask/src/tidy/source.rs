//! What one source file must have and must not have.

use super::layers;

/// Longest function, in lines. Tables may be long; functions that decide may not.
const FUNCTION_LINES_MAX: usize = 100;

/// Looks at a file line by line.
pub fn check(path: &str, text: &str, wrong: &mut Vec<String>) {
    if !text.starts_with("//!") && !path.starts_with("fuzz/") {
        wrong.push(format!("{path}: it does not open with why it exists (`//!`)"));
    }
    let is_pure = layers::is_pure(path);
    for (index, line) in text.lines().enumerate() {
        let place = format!("{path}:{}", index + 1);
        let code = line.trim_start();
        if is_pure && !code.starts_with("//") {
            for word in layers::FORBIDDEN_WORDS.iter().filter(|word| names(code, word)) {
                wrong.push(format!("{place}: a pure crate names {word}"));
            }
        }
        if code == "#[ignore]" {
            wrong.push(format!("{place}: a test is ignored without a reason"));
        }
        if code.starts_with("#[allow(") || code.starts_with("#![allow(") {
            wrong.push(format!("{place}: use #[expect(…, reason = …)]"));
        }
    }
    for (name, line, length) in functions(text) {
        if length > FUNCTION_LINES_MAX && !path.contains("/tests") {
            wrong.push(format!("{path}:{line}: `{name}` has {length} lines, more than {FUNCTION_LINES_MAX}"));
        }
    }
}

/// Whole words only, and not inside a string.
fn names(code: &str, word: &str) -> bool {
    let Some(at) = code.find(word) else { return false };
    let before = code[..at].chars().next_back();
    let after = code[at + word.len()..].chars().next();
    let edge = |character: Option<char>| character.is_none_or(|c| !c.is_alphanumeric() && c != '_');
    edge(before) && edge(after) && !code[..at].contains('"')
}

/// Finds functions by their indentation, which rustfmt makes dependable.
fn functions(text: &str) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    let mut open: Option<(String, usize, usize)> = None;
    for (index, line) in text.lines().enumerate() {
        let indent = line.len() - line.trim_start().len();
        let code = line.trim_start();
        if let Some((name, start, depth)) = &open {
            if indent == *depth && code.starts_with('}') {
                found.push((name.clone(), start + 1, index - start + 1));
                open = None;
            }
            continue;
        }
        let words = ["pub(crate) ", "pub(super) ", "pub ", "const ", "async ", "unsafe "];
        let bare = words.iter().fold(code, |code, word| code.strip_prefix(word).unwrap_or(code));
        if let Some(rest) = bare.strip_prefix("fn ")
            && !code.ends_with([';', '}'])
        {
            let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            open = Some((name.to_owned(), index, indent));
        }
    }
    found
}
