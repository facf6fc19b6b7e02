//! A function that came leaves a parameter unused, and its own words say that something is to come.

use std::sync::LazyLock;

use assize_core::diff::FileChange;
use assize_core::finding::{Certainty, Severity};
use assize_core::text::{listed, quote};
use assize_ecosystem::Language;
use regex::Regex;

use super::empty_body::{EMPTY_WANTED, FunctionContext, is_productive, place};
use super::function_shape::{WholeFunction, whole_function};
use super::reading::{CodeLine, DiffSide, DirectiveWish, MovedLines, has_word, is_reason, read};
use super::{Findings, Needs, Rule};
use crate::claim::{claims_remaining_work, sentences, defers_work, leaves_undone};
use crate::evidence::Evidence;

/// See the module.
pub struct UnusedParameter;

impl Rule for UnusedParameter {
    fn id(&self) -> &'static str {
        "unused-parameter"
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(diff) = evidence.diff.get() else { return };
        let asked = DirectiveWish::new(evidence, &EMPTY_WANTED);
        let mut moved = MovedLines::new(diff);
        for file in diff.files.iter().filter(|file| is_productive(&file.path) && adds_comment(file)) {
            check_file(file, evidence, &asked, &mut moved, findings);
        }
    }
}

/// Returns whether a line came that may hold a comment of some words. A look before the file is read.
fn adds_comment(file: &FileChange) -> bool {
    file.added_lines().any(|(_, line)| {
        let comment = ["//", "# ", "/*", "* "].iter().find_map(|mark| line.split_once(mark));
        comment.is_some_and(|(_, said)| said.split_whitespace().nth(2).is_some())
    })
}

/// What stands in a body that fails when it is called.
const FAILING: [&str; 8] = ["todo!", "unimplemented!", "panic", "throw ", "raise ", "NotImplemented", "UnsupportedOperation", "fatalError"];

/// Lines of code in a body that may be a stub.
const BODY_LINES_MAX: usize = 8;

fn check_file(
    file: &FileChange,
    evidence: &Evidence,
    asked: &DirectiveWish<'_>,
    moved: &mut MovedLines<'_>,
    findings: &mut Findings<'_>,
) {
    let Some(language) = Language::of(&file.path) else { return };
    for lines in &read(file, DiffSide::New) {
        for open in (0..lines.len()).filter(|open| !lines[*open].in_test && !lines[*open].is_bare()) {
            let Some(function) = whole_function(lines, open, language) else { continue };
            let came = function.body.iter().filter(|line| !line.is_bare()).any(|line| line.changed) || function.body.is_empty() && function.heading[0].changed;
            let unused = unused(&function);
            // Of a long body more is written than is left out.
            let length = function.body.iter().filter(|line| !line.is_bare()).count();
            // What fails when it is called is no secret, and the business of another rule.
            let fails = function.body.iter().any(|line| FAILING.iter().any(|word| line.code.contains(word)));
            if unused.is_empty() || !came || fails || length > BODY_LINES_MAX {
                continue;
            }
            let promised = place(lines, open, language) == FunctionContext::Contract;
            let Some(said) = promise(&function, &lines[..open], promised) else { continue };
            if moved.take(said.raw) {
                continue;
            }
            // What the message admits is no secret.
            let message = evidence.message();
            let admits = leaves_undone(message).is_some() || claims_remaining_work(message).is_some() || defers_work(message).is_some();
            let certainty = if admits || message.trim().is_empty() { Certainty::Likely } else { Certainty::Certain };
            let certainty = if is_wished(evidence, asked, &function.name) { asked.soften(certainty) } else { Some(certainty) };
            let Some(certainty) = certainty else { continue };
            let names: Vec<String> = unused.iter().map(|name| quote(name)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            findings.at(
                file,
                Some(lines[open].number),
                Severity::Error,
                certainty,
                format!(
                    "{} takes {} and does not use {}, and says: {}. Write what is missing, or say in the final message that it is.",
                    quote(&function.name),
                    listed(&names, 3),
                    if names.len() == 1 { "it" } else { "them" },
                    quote(said.raw.trim())
                ),
            );
        }
    }
}

/// Returns whether the user asked for a function that does nothing: this one, where functions are named.
fn is_wished(evidence: &Evidence, asked: &DirectiveWish<'_>, name: &str) -> bool {
    let wishes = evidence.user_texts().flat_map(sentences).filter(|sentence| EMPTY_WANTED.is_match(sentence));
    let names_another = |sentence: &str| {
        let mut quoted = sentence.split('`').skip(1).step_by(2).peekable();
        quoted.peek().is_some() && !quoted.any(|span| has_word(span, name))
    };
    asked.is_asked() && !wishes.into_iter().all(names_another)
}

/// The parameters of which the body says nothing.
fn unused(function: &WholeFunction<'_, '_>) -> Vec<String> {
    let is_used = |name: &str| {
        let own = function.body.iter().any(|line| has_word(line.without_comment(), name));
        // What stands behind the heading on its last line belongs to the body.
        let beside = function.heading.last().is_some_and(|line| line.code.rsplit_once(['{', '=']).is_some_and(|(_, rest)| has_word(rest, name)));
        own || beside
    };
    function.parameters.iter().filter(|name| !is_used(name)).cloned().collect()
}

/// The comment in which a function says that something is to come, or what it does though it does nothing. Where a type promises the
/// function, it may be there for that alone: then it has to speak of a value that it has.
fn promise<'l, 'a>(function: &WholeFunction<'l, 'a>, lines: &'l [CodeLine<'a>], promised: bool) -> Option<&'l CodeLine<'a>> {
    static LATER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:todo|fixme|later|for now|not yet|once|placeholder|stub|first|eventually|(?:will|would|should) (?:be|come|go|follow|need|do|use|call)|to be (?:done|added|written|filled)|",
            r"(?:follows?|goes|go|comes?|plugs? in|hooks? in|belongs?|lives?) here|left (?:to|for)|leaves? (?:it |this )?(?:to|for)|real (?:implementation|version|one|call|check)|in (?:a )?(?:production|real)|",
            r"simplif|simulat|pretend|dummy|fake|missing|still|next (?:step|version)|nachher|später|plus tard)\b",
        ))
        .expect("valid pattern")
    });
    static NOTHING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:nothing|no-?op|not (?:needed|necessary|supported|required|used|applicable|relevant)|does(?:n't| not)|do(?:n't| not)|ignor|unused|always|never|intention|deliberate|by design|because|since|no [a-z]+ (?:in|for|here|to)|nop|required by|only|compat|deprecat|part of the|called (?:when|by|on|after|before|once)|use this|override|see also|restart)").expect("valid pattern")
    });
    // A comment of several lines explains something; a stub says in one what it lacks.
    let comments = |line: Option<&CodeLine<'_>>| line.is_some_and(|line| !line.comment.trim().is_empty());
    let is_alone = |at: usize| !comments(at.checked_sub(1).and_then(|above| function.body.get(above))) && !comments(function.body.get(at + 1));
    let commented = |(at, line): &(usize, &CodeLine<'_>)| line.changed && is_reason(&line.comment) && is_alone(*at);
    let own = || function.body.iter().enumerate().filter(commented).map(|(_, line)| line);
    if let Some(line) = own().find(|line| LATER.is_match(&line.comment) && !NOTHING.is_match(&line.comment)) {
        return Some(line);
    }
    if !is_constant(function) {
        return None;
    }
    let above = lines.iter().rev().take_while(|line| line.is_bare() && !line.comment.trim().is_empty());
    let mut above = above.filter(|line| line.changed);
    above.find(|line| LATER.is_match(&line.comment) && !NOTHING.is_match(&line.comment)).or_else(|| {
        let speaks_of_own = |comment: &str| ["this.", "self."].iter().any(|word| comment.contains(word));
        own().find(|line| !NOTHING.is_match(&line.comment) && (!promised || speaks_of_own(&line.comment)))
    })
}

/// Returns whether a body does nothing but return something constant.
fn is_constant(function: &WholeFunction<'_, '_>) -> bool {
    static CONSTANT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^(?:return\s*)?(?:true|false|True|False|None|null|nil|undefined|-?[0-9]+|[\x22'][\x22']|\[\]|\{\}|Ok\((?:\(\)|true|false|None)?\)|Some\(\(\)\)|Unit|pass|\.\.\.|",
            r"Promise\.resolve\(\)|String::new\(\)|Vec::new\(\)|vec!\[\]|Default::default\(\)|)\s*;?$",
        ))
        .expect("valid pattern")
    });
    let beside = function.heading.last().and_then(|line| line.code.split_once('{')).map_or("", |(_, rest)| rest);
    let lines = function.body.iter().map(|line| line.code.as_str()).chain([beside]);
    lines.map(|code| code.trim().trim_matches(['{', '}', ' '])).all(|code| CONSTANT.is_match(code))
}

#[cfg(test)]
mod tests {
    use assize_core::text::Untrusted;

    use super::*;
    use crate::rule::testing::{changed, grades};
    use Certainty::{Certain, Likely};

    fn check(path: &str, lines: &str, message: &str) -> Vec<Certainty> {
        let evidence = changed(path, lines);
        grades(&UnusedParameter, &Evidence { final_message: Some(Untrusted::new(message)), ..evidence })
    }

    #[test]
    fn what_a_function_takes_and_leaves_for_later_is_found() {
        for (path, lines) in [
            ("a.py", "+def valid(headers, body):\n+    if not headers:\n+        return False\n+    # The comparison plugs in here.\n+    return True\n"),
            ("src/a.rs", "+fn row(&self, _out: &mut W, _r: &Reading) -> io::Result<()> {\n+    // needs string escaping first\n+    Ok(())\n+}\n"),
            ("a.ts", "+  allow(ip: string): boolean {\n+    // sliding window over this.tries\n+    return true;\n+  }\n"),
            ("a.ts", "+export async function send(mailer: Mailer, posts: Post[]): Promise<number> {\n+  // hand over to the mailer once templates are settled\n+  return posts.length;\n+}\n"),
            ("a.go", "+// Delete satisfies Store. Files are left to the cleanup.\n+func (d DirStore) Delete(key string) error { return nil }\n"),
        ] {
            assert_eq!(check(path, lines, "Implemented."), [Certain], "{path}: {lines}");
            assert_eq!(check(path, lines, "Implemented. The rest is not yet done."), [Likely], "{path}: {lines}");
        }
    }

    #[test]
    fn counter_examples() {
        for (path, lines) in [
            ("a.py", "+def valid(headers, body):\n+    # later ones go first\n+    return check(headers, body)\n"),
            ("src/a.rs", "+/// No header in this format.\n+fn begin(&self, _out: &mut W) -> io::Result<()> {\n+    Ok(())\n+}\n"),
            ("a.ts", "+  flush(key: string): void {\n+    // nothing to do, writes are not buffered\n+  }\n"),
            ("a.go", "+// Close does nothing.\n+func (d DirStore) Close(now bool) error { return nil }\n"),
            ("a.py", "+def render(name):\n+    return f\"hello {name}\"  # for now in English\n"),
            ("a.swift", "+class AppDelegate: UIResponder, UIApplicationDelegate {\n+    func applicationDidBecomeActive(_ application: UIApplication) {\n+        // Refresh the user interface that was left in the background\n+    }\n+}\n"),
            ("a.ts", "+// The rest lands later, once they can be had.\n+export function reason(repo: {\n+  provider: string;\n+}): string | null {\n+  if (repo.provider === 'x') return null;\n+  return 'none';\n+}\n"),
            ("a_test.go", "+func fake(key string) error {\n+\t// later\n+\treturn nil\n+}\n"),
        ] {
            assert_eq!(check(path, lines, "Implemented."), [], "{path}: {lines}");
        }
    }
}
