//! A function was added that does nothing.

use std::sync::LazyLock;

use regex::Regex;
use assize_core::diff::{Diff, FileChange, DiffLineKind};
use assize_core::finding::{Certainty, Severity};
use assize_ecosystem::{Language, is_code, is_generated, is_test};
use assize_core::path::is_example;
use assize_core::text::quote;

use super::reading::{DirectiveWish, CodeLine, MovedLines, DiffSide, has_word, is_reason, joined, names_function, read};
use super::function_shape::{end_of_heading, function_name, is_docstring, next_code};
use super::{Findings, Needs, Rule};
use crate::evidence::Evidence;
use crate::names::definition;

/// See the module.
pub struct EmptyBody;

impl Rule for EmptyBody {
    fn id(&self) -> &'static str {
        "empty-body"
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(diff) = evidence.diff.get() else { return };
        let reader = BodyScanner {
            evidence,
            diff,
            empty: DirectiveWish::new(evidence, &EMPTY_WANTED),
            open: DirectiveWish::new(evidence, &OPEN_WANTED),
        };
        let mut moved = MovedLines::new(diff);
        for file in diff.files.iter().filter(|file| is_productive(&file.path) && may_be_empty(file)) {
            check_file(file, &reader, &mut moved, findings);
        }
    }
}

/// Wording that asks for functions that do nothing.
pub(super) static EMPTY_WANTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:no-?ops?|empty|stub(?:s|bed)?|skeletons?|scaffold(?:ing)?|placeholders?|mock(?:s|ed)?|do(?:es)? nothing|does not do|",
        r"returns? (?:null|none|nil|undefined)|gut(?:ted)?)\b",
    ))
    .expect("valid pattern")
});

/// Wording that asks for places to be filled in elsewhere.
static OPEN_WANTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:outline|signatures?|interfaces?|abstract|protocols?|traits?|hooks?|callbacks?|overrid(?:e|es|den|able)|subclass(?:es)?|",
        r"extension points?|base class(?:es)?|default implementation|disabl(?:e|es|ed)|deprecat(?:e|ed)|plug-?ins?)\b",
    ))
    .expect("valid pattern")
});

static HINT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\bfn |\bdef |\bfunc |\bfun |function|\) ?\{|\): |\bvoid\b|=> ?\{").expect("valid pattern")
});

fn may_be_empty(file: &FileChange) -> bool {
    if !(Language::of(&file.path) == Some(Language::Python) || shows_empty_block(file)) {
        return false;
    }
    // A function that was emptied may have kept its heading.
    let holds = |kind| HINT.is_match(&joined(file, kind));
    holds(DiffLineKind::Added) || file.removed_lines().next().is_some() && holds(DiffLineKind::Context)
}

/// Returns whether a block with nothing in it, or with nothing but a short `return`, may stand among
/// the lines. Reads them as they are, and says yes when in doubt.
fn shows_empty_block(file: &FileChange) -> bool {
    file.hunks.iter().any(|hunk| {
        let mut open = false;
        hunk.lines.iter().filter(|line| line.kind != DiffLineKind::Removed).any(|line| {
            let text = line.text.inspect().trim();
            let remark = text.is_empty() || text.starts_with("//") || text.starts_with(['*', '#']);
            if open && remark {
                return false;
            }
            if open && is_empty_declaration(text) {
                return true;
            }
            if open && (text.starts_with(['}', '/']) || text.starts_with("return") && text.len() < RETURN_BYTES_MAX) {
                return true;
            }
            open = false;
            // What comes after the mark of a comment may be one, or a string may hold the mark.
            for code in [text, before_comment(text)] {
                if code.ends_with("{}")
                    || code.ends_with("{ }")
                    || code.ends_with("{};")
                    || code.ends_with('}') && code.contains("return")
                {
                    return true;
                }
                open |= code.ends_with('{');
            }
            false
        })
    })
}

/// Returns whether a line may declare a value that is empty.
fn is_empty_declaration(text: &str) -> bool {
    const EMPTY: [&str; 11] = ["0", "0.0", "false", "[]", "{}", "nil", "null", "None", "\"\"", "''", "()"];
    let text = text.trim_end_matches(';');
    let value = text.rsplit_once("= ").map(|(_, value)| value);
    text.starts_with("var ") || value.is_some_and(|value| EMPTY.contains(&value) || value.ends_with("::new()"))
}

/// A `return` of nothing with a remark is not longer than this.
const RETURN_BYTES_MAX: usize = 200;

fn before_comment(text: &str) -> &str {
    let slashes = text.find("//").unwrap_or(text.len());
    let comment = [text.find("/*"), text.find(" #")].into_iter().flatten().min().unwrap_or(text.len());
    text[..slashes.min(comment)].trim_end()
}

pub(super) fn is_productive(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let declares =
        lower.ends_with(".pyi") || lower.ends_with(".d.ts") || lower.ends_with(".h") || lower.ends_with(".hpp");
    let aside = ["mock", "fake", "stub", "noop"].iter().any(|word| lower.contains(word));
    is_code(path) && !is_generated(path) && !is_test(path) && !is_example(path) && !declares && !aside
}

/// What a body amounts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyContent {
    /// Nothing at all.
    Empty,
    /// Nothing but `return null`.
    Nothing,
    /// A value that is declared and returned, and nothing in between.
    Untouched,
}

/// A function that does nothing: its heading, its last line and its name.
struct EmptyFunction {
    open: usize,
    close: usize,
    name: String,
    body: BodyContent,
}

/// What is asked of each function.
struct BodyScanner<'a> {
    evidence: &'a Evidence,
    diff: &'a Diff,
    empty: DirectiveWish<'a>,
    open: DirectiveWish<'a>,
}

fn check_file(file: &FileChange, reader: &BodyScanner<'_>, moved: &mut MovedLines<'_>, findings: &mut Findings<'_>) {
    let Some(language) = Language::of(&file.path) else { return };
    for lines in &read(file, DiffSide::New) {
        for index in 0..lines.len() {
            let Some(idle) = idle(lines, index, language) else { continue };
            let is_meant = is_meant(lines, &idle) && !reader.is_own_and_called(&lines[index], &idle);
            if lines[index].in_test || !is_new(lines, &idle, moved) || is_meant {
                continue;
            }
            let named = names_function(reader.evidence, &idle.name);
            let Some(certainty) = reader.certainty(lines, &idle, language, named) else { continue };
            let message = message(&idle, named);
            findings.at(file, Some(lines[index].number), Severity::Error, certainty, message);
        }
    }
}

impl BodyScanner<'_> {
    fn certainty(&self, lines: &[CodeLine<'_>], idle: &EmptyFunction, language: Language, named: bool) -> Option<Certainty> {
        let certainty = match place(lines, idle.open, language) {
            FunctionContext::Contract => return None,
            _ if idle.body != BodyContent::Nothing && self.is_own_and_called(&lines[idle.open], idle) => Certainty::Certain,
            FunctionContext::Unknown => named.then_some(Certainty::Likely)?,
            FunctionContext::Plain if is_usual(&idle.name) => named.then_some(Certainty::Likely)?,
            FunctionContext::Plain if idle.body != BodyContent::Nothing && (named || self.is_relied_on(lines, idle)) => Certainty::Certain,
            FunctionContext::Plain => Certainty::Likely,
        };
        // What was to do nothing returns no value that was to be found out.
        let is_sure = idle.body == BodyContent::Untouched && certainty == Certainty::Certain;
        let certainty = if is_sure { certainty } else { self.empty.soften(certainty)? };
        Some(if self.open.is_asked() { Certainty::Likely } else { certainty })
    }

    /// Returns whether the change brings a function that nothing outside can reach, and calls it: that it does nothing serves no one.
    fn is_own_and_called(&self, heading: &CodeLine<'_>, idle: &EmptyFunction) -> bool {
        let code = heading.code.trim_start();
        let is_hidden = code.starts_with('#')
            || has_word(code, "private")
            || idle.name.starts_with('_') && !idle.name.starts_with("__")
            || code.starts_with("func ") && idle.name.starts_with(|first: char| first.is_lowercase());
        // A record holds values, and a constructor may only keep others from making one.
        if has_word(code, "record") || idle.name == "constructor" {
            return false;
        }
        let call = format!("{}(", idle.name);
        let mut added = self.diff.files.iter().filter(|file| is_productive(&file.path)).flat_map(FileChange::added_lines);
        // A method of this name that another type has is no call.
        heading.changed && is_hidden && added.any(|(_, text)| text.contains(&call) && definition(text) != Some(&*idle.name))
    }

    /// Returns whether the change calls a new function that stands on its own and takes arguments
    /// which it does not mark as unused.
    fn is_relied_on(&self, lines: &[CodeLine<'_>], idle: &EmptyFunction) -> bool {
        let heading = &lines[idle.open];
        let parameters = heading.code.split_once('(').map_or("", |(_, rest)| rest);
        let takes = parameters
            .split(',')
            .any(|parameter| parameter.trim_start().starts_with(|first: char| first.is_alphabetic()));
        let call = format!("{}(", idle.name);
        let mut added = self.diff.files.iter().flat_map(FileChange::added_lines);
        heading.changed
            && heading.indent() == 0
            && takes
            && added.any(|(_, text)| {
                text.trim() != heading.raw.trim() && text.contains(&call) && has_word(text, &idle.name)
            })
    }
}

fn message(idle: &EmptyFunction, named: bool) -> String {
    let does = match idle.body {
        BodyContent::Empty => "has an empty body",
        BodyContent::Nothing => "does nothing but return nothing",
        BodyContent::Untouched => "returns the value that it begins with, whatever is there",
    };
    let asked = if named { ", although a directive names it" } else { "" };
    format!(
        "The function {} {does}{asked}. Write what it is to do, or say in a comment why it does nothing.",
        quote(&idle.name)
    )
}

fn is_new(lines: &[CodeLine<'_>], idle: &EmptyFunction, moved: &mut MovedLines<'_>) -> bool {
    let own = &lines[idle.open..=idle.close];
    let emptied = own[1..].iter().any(|line| line.after_gap);
    let came: Vec<&str> =
        own.iter().filter(|line| line.changed && line.code.trim() != "}").map(|line| line.raw).collect();
    emptied || own[0].changed && !moved.take_all(&came)
}

/// Returns whether a comment says why there is nothing to do.
fn is_meant(lines: &[CodeLine<'_>], idle: &EmptyFunction) -> bool {
    let unfinished = |comment: &str| {
        let lower = comment.to_ascii_lowercase();
        ["todo", "fixme", "implement", "later", "placeholder", "for now"].iter().any(|word| lower.contains(word))
    };
    let own = lines[idle.open..=idle.close].iter().map(|line| line.comment.as_str());
    let mut own = own.filter(|comment| !comment.is_empty());
    own.any(|comment| is_reason(comment) && !unfinished(comment))
}

/// Names under which functions without a body are ordinary.
pub(super) fn is_usual(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let usual =
        ["noop", "no_op", "nop", "dummy", "null", "empty", "ignore", "nothing", "stub", "default", "object_safe"];
    let hooks = [
        "on_",
        "visit",
        "enter",
        "exit",
        "before",
        "after",
        "setup",
        "set_up",
        "teardown",
        "tear_down",
        "close",
        "flush",
        "dispose",
        "cleanup",
        "shutdown",
        "did",
        "will",
        "assert",
        "_",
    ];
    let handler =
        name.strip_prefix("on").is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()));
    handler || usual.iter().any(|word| lower.contains(word)) || hooks.iter().any(|word| lower.starts_with(word))
}

/// Where a function stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FunctionContext {
    /// On its own, or in a class that promises nothing.
    Plain,
    /// In an interface, or under a promise to some other type.
    Contract,
    /// The hunk does not show.
    Unknown,
}

/// Returns where a function stands.
pub(super) fn place(lines: &[CodeLine<'_>], open: usize, language: Language) -> FunctionContext {
    static CONTRACT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"\bimpl\b.*\bfor\b|\btrait\b|\binterface\b|\babstract\b|\bimplements\b|\bextends\b|\bProtocol\b|\bABC\b|\bprotocol\b|\bextension\b|\bobject\b|\bnew\b|",
            r"#\[cfg|\bclass\s+[A-Za-z0-9_<>]+\s*(?:\([^)]*\))?\s*:\s*[A-Z]|\bclass\s+[A-Za-z0-9_]+\([^)]+\)|\b(?:Noop|NoOp|Null|Dummy|Stub|Fake)",
        ))
        .expect("valid pattern")
    });
    let own = &lines[open];
    let promised = ["override", "abstract", "virtual", "extern", "declare", "@", "default "]
        .iter()
        .any(|word| own.code.contains(word));
    let above = lines[..open].iter().rev().take(6).take_while(|line| {
        line.code.trim_start().starts_with(['@', '#', '[']) || line.is_bare() && !line.raw.trim().is_empty()
    });
    let marked = above.map(|line| line.code.as_str()).any(|code| {
        [
            "@Override",
            "abstract",
            "overload",
            "@override",
            "@typing",
            "#[cfg",
            "@property",
            "@pytest",
            "@HostListener",
            "@click",
            "@app",
        ]
        .iter()
        .any(|mark| code.contains(mark))
    });
    if promised || marked {
        return FunctionContext::Contract;
    }
    if own.indent() == 0 {
        let receiver = language == Language::Go && own.code.starts_with("func (");
        return if receiver { FunctionContext::Unknown } else { FunctionContext::Plain };
    }
    match container(lines, open) {
        Some(container) if CONTRACT.is_match(&container) => FunctionContext::Contract,
        Some(_) => FunctionContext::Plain,
        None => FunctionContext::Unknown,
    }
}

/// The heading of what holds a function, with its attributes, from the inside out.
fn container(lines: &[CodeLine<'_>], open: usize) -> Option<String> {
    let own = lines[open].indent();
    let index = lines[..open].iter().rposition(|line| !line.is_bare() && line.indent() < own)?;
    let indent = lines[index].indent();
    let mut heading = String::new();
    let mut complete = false;
    for line in lines[..=index].iter().rev().take(12).filter(|line| !line.is_bare() && line.indent() >= indent) {
        let code = line.code.trim();
        let attribute = code.starts_with(['#', '@', '[']);
        if complete && !attribute {
            break;
        }
        heading.push_str(code);
        heading.push('\n');
        complete |= !attribute && code != "{" && !code.starts_with("where") && !code.ends_with(',');
    }
    Some(heading)
}

fn idle(lines: &[CodeLine<'_>], open: usize, language: Language) -> Option<EmptyFunction> {
    let name = function_name(&lines[open].code, language)?;
    let end = end_of_heading(lines, open)?;
    let (close, body) =
        if language == Language::Python { python_body(lines, open, end)? } else { brace_body(lines, end)? };
    Some(EmptyFunction { open, close, name, body })
}

fn brace_body(lines: &[CodeLine<'_>], end: usize) -> Option<(usize, BodyContent)> {
    let code = lines[end].code.trim_end();
    if code.ends_with("{}") || code.ends_with("{ }") || code.ends_with("{};") {
        return Some((end, BodyContent::Empty));
    }
    if let Some((_, inside)) = code.split_once('{')
        && inside.trim_end().ends_with('}')
    {
        return returns_nothing(inside.trim_end().trim_end_matches('}')).then_some((end, BodyContent::Nothing));
    }
    let brace = if code.ends_with('{') {
        end
    } else {
        next_code(lines, end).filter(|next| lines[*next].code.trim() == "{" && code.ends_with(')'))?
    };
    let first = next_code(lines, brace)?;
    let closes = |index: usize| lines[index].code.trim_start().starts_with('}');
    if closes(first) {
        return Some((first, BodyContent::Empty));
    }
    let second = next_code(lines, first)?;
    if returns_nothing(&lines[first].code) && closes(second) {
        return Some((second, BodyContent::Nothing));
    }
    let third = next_code(lines, second)?;
    (closes(third) && is_untouched(&lines[first].code, &lines[second].code)).then_some((third, BodyContent::Untouched))
}

/// Returns whether a value is declared empty and returned as it is.
fn is_untouched(declaration: &str, end: &str) -> bool {
    static DECLARES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?-u)^\s*(?:var|let|let mut|const|val|auto|int|long|double|float|bool|boolean|\$|[A-Z]\w*(?:<[\w, <>]*>)?)?\s*\$?([A-Za-z_]\w*)",
            r"(?:\s*:\s*[\w<>\[\], ]+|\s+[\w.\[\]]+)?\s*(?::?=\s*(?:0(?:\.0)?|false|\[\]|\{\}|\x22\x22|''|nil|null|None|vec!\[\]|(?:Vec|String|HashMap)::new\(\)|new [A-Z]\w*(?:<[\w, ]*>)?\(\)))?;?$",
        ))
        .expect("valid pattern")
    });
    static ENDS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)^\s*(?:return\s+)?(?:Ok\(|Some\()?\$?([A-Za-z_]\w*)\)?(?:, nil)?;?$").expect("valid pattern")
    });
    let declared = DECLARES.captures(declaration).and_then(|found| found.get(1)).map(|name| name.as_str());
    let returned = ENDS.captures(end).and_then(|found| found.get(1)).map(|name| name.as_str());
    declared.is_some() && declared == returned
}

fn returns_nothing(statement: &str) -> bool {
    matches!(
        statement.trim().trim_end_matches(';').trim(),
        "return null" | "return nil" | "return undefined" | "return nullptr" | "return None" | "return"
    )
}

fn python_body(lines: &[CodeLine<'_>], open: usize, end: usize) -> Option<(usize, BodyContent)> {
    let judge = |statement: &str| match statement.trim() {
        "pass" | "..." => Some(BodyContent::Empty),
        "return None" | "return" => Some(BodyContent::Nothing),
        _ => None,
    };
    let heading = lines[end].code.trim_end();
    if !heading.ends_with(':') {
        let (_, statement) = heading.rsplit_once(": ")?;
        return judge(statement).map(|body| (end, body));
    }
    let mut last = end;
    let mut next = next_code(lines, end);
    while let Some(index) = next.filter(|index| is_docstring(&lines[*index])) {
        last = index;
        next = next_code(lines, index);
    }
    let outside = |index: Option<usize>| index.is_none_or(|index| lines[index].indent() <= lines[open].indent());
    let Some(index) = next.filter(|index| !outside(Some(*index))) else {
        // A function of which the hunk shows only the heading may go on below it.
        return (last > end && next.is_some()).then_some((last, BodyContent::Empty));
    };
    let next = next_code(lines, index);
    if let Some(end) = next.filter(|_| judge(&lines[index].code).is_none()) {
        let is_all = !outside(Some(end)) && outside(next_code(lines, end));
        return (is_all && is_untouched(&lines[index].code, &lines[end].code)).then_some((end, BodyContent::Untouched));
    }
    let body = judge(&lines[index].code)?;
    outside(next).then_some((index, body))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::Directive;
    use crate::rule::testing::{changed, grades};
    use Certainty::{Certain, Likely};

    fn check(path: &str, lines: &str) -> Vec<Certainty> {
        grades(&EmptyBody, &changed(path, lines))
    }

    fn asked(directive: &str, path: &str, lines: &str) -> Vec<Certainty> {
        let mut evidence = changed(path, lines);
        evidence.directives.extend(Directive::from_prompt(directive, 1, Vec::new()));
        grades(&EmptyBody, &evidence)
    }

    #[test]
    fn empty_functions_are_likely() {
        for (path, lines) in [
            ("src/a.rs", "+pub fn load_config(path: &Path) {}\n"),
            ("src/a.rs", "+fn validate(\n+    input: &str,\n+) {\n+}\n"),
            ("src/a.py", "+def load_config(path):\n+    pass\n+\n+x = 1\n"),
            ("src/a.py", "+async def load_config(path) -> None: ...\n"),
            ("src/a.py", "+def load_config(path):\n+    \"\"\"Loads the configuration.\"\"\"\n+\n+x = 1\n"),
            ("src/a.py", "+def load(path):\n+    \"\"\"\n+    Loads.\n+    \"\"\"\n+    return None\n+\n+x = 1\n"),
            ("src/a.ts", "+export function loadConfig(path: string): void {}\n"),
            ("src/a.ts", "+export async function loadConfig() {\n+  return null;\n+}\n"),
            ("src/a.ts", "+export const loadConfig = async (path: string) => {\n+};\n"),
            ("src/a.ts", " class Loader {\n+  load(path: string): void {\n+  }\n"),
            ("src/a.go", "+func LoadConfig(path string) error {\n+\treturn nil\n+}\n"),
            ("src/A.java", " public class Loader {\n+    public void load(String path) {\n+    }\n"),
            ("src/A.cs", " public class Loader\n {\n+    public void Load(string path)\n+    {\n+    }\n"),
            ("src/a.php", "+function load_config($path)\n+{\n+}\n"),
            ("src/a.cpp", "+void load_config(const char* path) {}\n"),
            ("src/A.kt", "+fun loadConfig(path: String) {}\n"),
            ("src/a.swift", "+func loadConfig(path: String) {\n+    // TODO: implement this later\n+}\n"),
        ] {
            assert_eq!(check(path, lines), [Likely], "{lines}");
        }
    }

    #[test]
    fn a_function_that_was_emptied_is_found() {
        assert_eq!(
            check("src/a.py", " def validate(x):\n-    if not x:\n-        raise ValueError\n+    pass\n \n x = 1\n"),
            [Likely]
        );
        assert_eq!(check("src/a.rs", " fn validate(x: u8) {\n-    assert!(x > 0);\n }\n"), [Likely]);
    }

    #[test]
    fn a_function_that_was_asked_for_by_name_is_certain() {
        assert_eq!(asked("Implement `load_config`", "src/a.rs", "+pub fn load_config(path: &Path) {}\n"), [Certain]);
        assert_eq!(asked("write loadConfig in a.ts", "src/a.ts", "+export function loadConfig() {\n+}\n"), [Certain]);
        assert_eq!(
            asked("Add save_user to the store", "src/a.py", "+def save_user(user):\n+    pass\n+\n+x = 1\n"),
            [Certain]
        );
        assert_eq!(
            asked("Implement `LoadConfig`", "src/a.go", "+func LoadConfig() error {\n+\treturn nil\n+}\n"),
            [Likely]
        );
        assert_eq!(asked("Load the config", "src/a.rs", "+fn load() {}\n"), [Likely]);
        assert_eq!(asked("Add a no-op `load_config`", "src/a.rs", "+fn load_config() {}\n"), [Likely]);
        assert_eq!(asked("Add an empty function", "src/a.rs", "+fn load_config() {}\n"), []);
        assert_eq!(asked("Add a `load_config` hook", "src/a.rs", "+fn load_config() {}\n"), [Likely]);
        let method = "+class Cache:\n+    def purge(self):\n+        \"\"\"Purges.\"\"\"\n+        pass\n+\n+    def size(self):\n+        return 1\n";
        assert_eq!(asked("Write a Cache with get, delete and a purge()", "src/a.py", method), [Certain]);
    }

    #[test]
    fn a_new_function_that_the_change_relies_on_is_certain() {
        let lines =
            "+async function approve(id: string): Promise<void> {}\n+  <button onClick={() => approve(review.id)}>\n";
        assert_eq!(check("src/a.tsx", lines), [Certain]);
        assert_eq!(check("src/a.py", "+def approve(review):\n+    pass\n+\n+approve(x)\n"), [Certain]);
        for (path, lines) in [
            ("src/a.rs", "+fn approve(_id: u8) {}\n+fn main() { approve(1) }\n"),
            ("src/a.ts", "+function approve() {}\n+approve();\n"),
            (
                "src/a.py",
                "+class A:\n+    def prepare(self, x):\n+        pass\n+\n+    def run(self):\n+        self.prepare(1)\n",
            ),
        ] {
            assert_eq!(check(path, lines), [Likely], "{lines}");
        }
    }

    #[test]
    fn nothing_excuses_what_none_can_reach_and_the_change_calls() {
        let live = |heading: &str| format!(" class Live {{\n+  open() {{ this.{}; }}\n+  {heading} {{\n+    // the listeners are kept\n+  }}\n }}\n", heading.trim_start_matches("private "));
        for (path, lines, expected) in [
            ("src/a.js", live("#resubscribe()"), &[Certain][..]),
            ("src/a.ts", live("private resubscribe()"), &[Certain]),
            ("src/a.js", live("resubscribe()"), &[]),
            ("src/a.ts", " class A {\n+  private constructor() {}\n+  static of() { return new A(); }\n".to_owned(), &[]),
            ("src/A.java", "+ private record Entry(String name) {}\n+ var x = new Entry(\"a\");\n".to_owned(), &[]),
            ("s.go", "+func (s *S) used() (int64, error) {\n+\tvar total int64\n+\treturn total, nil\n+}\n+\tused, err := s.used()\n".to_owned(), &[Certain]),
            ("s.go", "+func (s *S) used() (int64, error) {\n+\tvar total int64\n+\ttotal += s.n\n+\treturn total, nil\n+}\n+\tused, err := s.used()\n".to_owned(), &[]),
            ("a.py", "+def _used(folder):\n+    total = 0\n+    return total\n+\n+full = _used(x) > 3\n".to_owned(), &[Certain]),
            ("a.rs", "+pub fn used(folder: &Path) -> u64 {\n+    let total = 0;\n+    total\n+}\n".to_owned(), &[Likely]),
        ] {
            assert_eq!(check(path, &lines), expected, "{lines}");
        }
    }

    #[test]
    fn counter_examples() {
        for (path, lines) in [
            ("src/a.rs", " impl Visitor for Quiet {\n+    fn visit_item(&mut self) {}\n"),
            ("src/a.rs", " trait Plugin {\n+    fn start(&mut self) {}\n"),
            ("src/a.rs", "+    fn start(&mut self) {}\n"),
            ("src/a.rs", " impl<F> Tracker for F\n where\n     F: Fn(),\n {\n+    fn tick(&mut self) {}\n"),
            ("src/a.rs", " #[cfg(not(feature = \"fork\"))]\n impl Output {\n+    fn ping(&mut self) {}\n"),
            ("src/a.rs", "+fn assert_send<T: Send>() {}\n"),
            ("src/A.cs", " public class A : IStore\n {\n+    public void Save()\n+    {\n+    }\n"),
            ("src/a.rs", "+#[cfg(not(unix))]\n+fn set_mode(_path: &Path) {}\n"),
            ("src/a.rs", "+fn load() {\n+    read();\n+}\n"),
            ("src/a.py", " class Store(Protocol):\n+    def save(self): ...\n"),
            ("src/a.py", " class Store(ABC):\n+    @abstractmethod\n+    def save(self):\n+        pass\n+\n"),
            ("src/a.py", "+def noop(*args):\n+    pass\n+\n+x = 1\n"),
            ("src/a.py", "+def close(self):\n+    # The pool owns the connection.\n+    pass\n+\n+x = 1\n"),
            ("src/a.py", "+def load():\n"),
            ("src/a.py", "+def load():\n+    \"\"\"Loads.\"\"\"\n+    return read()\n"),
            ("src/a.ts", "+const noop = () => {};\n"),
            ("src/a.ts", " class A {\n+  constructor(private readonly x: X) {}\n"),
            ("src/a.ts", "+  if (ready) {\n+  }\n"),
            ("src/a.tsx", "+<Button onClick={() => {}} />\n"),
            ("src/A.java", "+    @Override\n+    public void close() {\n+    }\n"),
            ("src/A.java", " public class A {\n+    public A() {\n+    }\n"),
            ("src/A.cs", " class A : IDisposable\n+    public void Dispose() {}\n"),
            ("src/a.go", "+func (s *Store) Close() error {\n+\treturn nil\n+}\n"),
            ("errors.go", "+func (e NoFile) lookup() {}\n+\n+func (e NoKey) lookup() {}\n"),
            ("src/a.go", "+func Load() error {\n+\tif x {\n+\t\treturn nil\n+\t}\n+}\n"),
            ("tests/a.rs", "+fn helper() {}\n"),
            ("stubs/a.pyi", "+def load() -> None: ...\n"),
            ("src/a.rs", "-fn load() {}\n+    fn load() {}\n"),
            ("src/a.rs", "+    let text = \"fn load() {}\";\n"),
        ] {
            assert_eq!(check(path, lines), [], "{path}: {lines}");
        }
    }
}
