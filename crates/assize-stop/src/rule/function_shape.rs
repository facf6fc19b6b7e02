//! Where a function begins and ends in the lines that a change shows, its name and its parameters.

use std::sync::LazyLock;

use assize_ecosystem::Language;
use regex::Regex;

use super::reading::CodeLine;

/// Functions, exported constants that hold one, and methods.
static SCRIPT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*([A-Za-z0-9_$]+)\s*[(<]",
        r"|^\s*export\s+const\s+([A-Za-z0-9_$]+)\s*(?::[^=]+)?=\s*(?:async\s*)?\([^)]*\)\s*(?::[^=]+)?=>\s*\{",
        r"|^\s*(?:(?:public|private|protected|static|async)\s+)*#?([A-Za-z0-9_$]+)\s*\([^()]*\)\s*(?::\s*[^{=]+)?\{",
    ))
    .expect("valid pattern")
});
/// Functions that begin with the type of their result.
static TYPED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"^\s*((?:[A-Za-z_][A-Za-z0-9_:<>,*&\[\]?.]*\s+)+)\**([A-Za-z_][A-Za-z0-9_]*)\s*\([^;=]*$")
        .expect("valid pattern")
});

/// Returns the name of the function that a line begins.
pub(super) fn function_name(code: &str, language: Language) -> Option<String> {
    let after = |keyword: &str| {
        let start = code.trim_start();
        let rest = &start[start.find(keyword)? + keyword.len()..];
        let end = rest.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(rest.len());
        let heading =
            start[..start.find(keyword)?].split(' ').all(|word| !word.contains(['=', '.', ';', '"', ':', ',']));
        (end > 0 && heading).then(|| rest[..end].to_owned())
    };
    match language {
        Language::Rust => after("fn "),
        Language::Python => (code.trim_start().starts_with("def ") || code.trim_start().starts_with("async def "))
            .then(|| after("def "))
            .flatten(),
        Language::Go if code.starts_with("func (") => {
            let rest = code.split_once(") ")?.1;
            Some(rest[..rest.find('(')?].to_owned())
        }
        Language::Go | Language::Swift => after("func "),
        Language::Kotlin => after("fun "),
        Language::Php => after("function "),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let found = SCRIPT.captures(code)?;
            let name = found.get(1).or_else(|| found.get(2)).or_else(|| found.get(3))?.as_str();
            (!is_keyword(name)).then(|| name.to_owned())
        }
        Language::Java | Language::CSharp | Language::Cpp => {
            let found = TYPED.captures(code)?;
            let words: Vec<&str> = found[1].split_whitespace().collect();
            // Without a type before the name it is a constructor.
            let constructs = words.last().is_some_and(|word| {
                matches!(*word, "public" | "private" | "protected" | "internal" | "static" | "explicit" | "inline")
            });
            (!constructs && !words.iter().any(|word| is_keyword(word))).then(|| found[2].to_owned())
        }
        Language::Ruby | Language::Shell => None,
    }
}

fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "if" | "for"
            | "while"
            | "switch"
            | "catch"
            | "function"
            | "return"
            | "constructor"
            | "with"
            | "else"
            | "new"
            | "throw"
            | "await"
            | "using"
            | "do"
            | "try"
            | "case"
            | "describe"
            | "it"
            | "test"
            | "class"
            | "super"
    )
}

/// The line on which the parameters end.
pub(super) fn end_of_heading(lines: &[CodeLine<'_>], open: usize) -> Option<usize> {
    const LINES_MAX: usize = 16;
    let mut depth = 0_i32;
    for (index, line) in lines.iter().enumerate().skip(open).take(LINES_MAX) {
        for character in line.code.chars() {
            depth += match character {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
        }
        if depth <= 0 {
            return Some(index);
        }
    }
    None
}

/// The next line with code on it.
pub(super) fn next_code(lines: &[CodeLine<'_>], after: usize) -> Option<usize> {
    lines.iter().enumerate().skip(after + 1).find(|(_, line)| !line.is_bare()).map(|(index, _)| index)
}

/// Returns whether a line is, or belongs to, a string that documents code.
pub(super) fn is_docstring(line: &CodeLine<'_>) -> bool {
    let code = line.code.trim();
    let text = code.strip_prefix('r').filter(|text| text.starts_with(['"', '\''])).unwrap_or(code);
    text.chars().all(|character| matches!(character, '"' | '\''))
}

/// A function that a change shows whole.
pub(super) struct WholeFunction<'l, 'a> {
    pub(super) name: String,
    pub(super) parameters: Vec<String>,
    /// The lines of its heading.
    pub(super) heading: &'l [CodeLine<'a>],
    /// The lines of its body, without that of its heading; empty where it stands on one line.
    pub(super) body: &'l [CodeLine<'a>],
}

/// Reads the function that begins at a line, if its end is shown as well.
pub(super) fn whole_function<'l, 'a>(
    lines: &'l [CodeLine<'a>],
    open: usize,
    language: Language,
) -> Option<WholeFunction<'l, 'a>> {
    let name = function_name(&lines[open].code, language)?;
    let end = end_of_heading(lines, open)?;
    let close =
        if language == Language::Python { end_by_indent(lines, open, end)? } else { end_by_braces(lines, end)? };
    let code: String = lines[open..=end].iter().map(|line| line.code.as_str()).collect::<Vec<_>>().join(" ");
    let parameters = parameters(code.split_once(&*name)?.1, language);
    let body = if close > end { &lines[end + 1..=close] } else { &[] };
    Some(WholeFunction { name, parameters, heading: &lines[open..=end], body })
}

fn end_by_indent(lines: &[CodeLine<'_>], open: usize, end: usize) -> Option<usize> {
    if !lines[end].code.trim_end().ends_with(':') {
        return Some(end);
    }
    let below = lines.iter().enumerate().skip(end + 1).filter(|(_, line)| !line.raw.trim().is_empty());
    let mut last = end;
    for (index, line) in below {
        if line.indent() <= lines[open].indent() {
            return Some(last);
        }
        last = index;
    }
    // A hunk that ends here may go on in the file, unless nothing stands below the change.
    (last > end && lines.last().is_some_and(|line| line.changed)).then_some(last)
}

fn end_by_braces(lines: &[CodeLine<'_>], end: usize) -> Option<usize> {
    let mut depth = 0_i32;
    let mut opened = false;
    for (index, line) in lines.iter().enumerate().skip(end) {
        let code = line.code.trim_end();
        // Braces of types stand in a heading as well; the last one on its last line begins the body.
        let own = if index > end {
            code
        } else if code.ends_with('{') {
            "{"
        } else {
            code.rfind(')').map_or(code, |at| &code[at..])
        };
        for character in own.chars() {
            depth += match character {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            opened |= character == '{';
            if opened && depth <= 0 {
                return Some(index);
            }
        }
        // Without a body it is a declaration, or an expression.
        if !opened && line.code.trim_end().ends_with(';') {
            return None;
        }
    }
    None
}

/// The names of the parameters in the first pair of parentheses.
fn parameters(code: &str, language: Language) -> Vec<String> {
    let Some((_, rest)) = code.split_once('(') else { return Vec::new() };
    let (mut depth, mut part, mut parts) = (0_i32, String::new(), Vec::new());
    for character in rest.chars() {
        match character {
            ')' if depth == 0 => break,
            ',' if depth == 0 => parts.push(std::mem::take(&mut part)),
            _ => {
                depth += match character {
                    '(' | '[' | '{' | '<' => 1,
                    ')' | ']' | '}' | '>' => -1,
                    _ => 0,
                };
                part.push(character);
            }
        }
    }
    parts.push(part);
    parts.iter().filter_map(|part| parameter_name(part, language)).collect()
}

fn parameter_name(part: &str, language: Language) -> Option<String> {
    let declared = part.split('=').next().unwrap_or_default().trim();
    let before_type = declared.split(':').next().unwrap_or_default().trim();
    let word = match language {
        Language::Go => declared.split_whitespace().next(),
        Language::Java | Language::CSharp | Language::Cpp | Language::Php => declared.split_whitespace().next_back(),
        _ => before_type.split_whitespace().next_back(),
    };
    let name = word?.trim_start_matches(['*', '&', '$', '.']).trim_end_matches('?');
    let is_name = !name.is_empty() && name.chars().all(|character| character.is_alphanumeric() || character == '_');
    (is_name
        && !matches!(name, "self" | "this" | "cls" | "_" | "void" | "mut")
        && !name.starts_with(|first: char| first.is_ascii_digit()))
    .then(|| name.to_owned())
}
