//! A function came that gives back what it takes, or the same whatever it takes, and the change calls it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use assize_core::diff::{DiffLineKind, FileChange};
use assize_core::finding::{Certainty, Severity};
use assize_core::text::quote;
use assize_ecosystem::Language;
use regex::Regex;

use super::empty_body::{EMPTY_WANTED, FunctionContext, is_productive, is_usual, place};
use super::function_shape::{WholeFunction, whole_function};
use super::reading::{CodeLine, DiffSide, DirectiveWish, has_word, names_function, read};
use super::unused_parameter::{is_idle, unused};
use super::{Findings, Needs, Rule};
use crate::claim::{claims_remaining_work, leaves_undone};
use crate::evidence::Evidence;
use crate::names::definition;

/// See the module.
pub struct ConstantResult;

impl Rule for ConstantResult {
    fn id(&self) -> &'static str {
        "constant-result"
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(diff) = evidence.diff.get() else { return };
        let asked = DirectiveWish::new(evidence, &EMPTY_WANTED);
        let message = evidence.message();
        let admits = message.trim().is_empty()
            || leaves_undone(message).is_some()
            || claims_remaining_work(message).is_some();
        let own = || diff.files.iter().filter(|file| is_productive(&file.path));
        for file in own() {
            let Some((line, name)) = replaced_placeholder(file, evidence) else { continue };
            let certainty = if admits { Certainty::Likely } else { Certainty::Certain };
            let Some(certainty) = asked.soften(certainty) else { continue };
            findings.at(
                file,
                Some(line),
                Severity::Error,
                certainty,
                format!("The function {}, which a directive asks for, gives an empty value whatever there is. Write what it is to do, or say in the final message that it is not done.", quote(name)),
            );
        }
        for file in own().filter(|file| file.added_lines().any(|(_, line)| line.contains('('))) {
            let Some(language) = Language::of(&file.path) else { continue };
            for lines in &read(file, DiffSide::New) {
                for open in (0..lines.len()).filter(|open| lines[*open].changed && !lines[*open].in_test) {
                    let Some(function) = whole_function(lines, open, language) else { continue };
                    let Some(what) = gives(&function) else { continue };
                    let is_promised =
                        place(lines, open, language) == FunctionContext::Contract && !is_hidden(&function);
                    let is_called = || own().flat_map(FileChange::added_lines).any(|(_, line)| calls(line, &function));
                    let is_meant = is_promised
                        || is_usual(&function.name)
                        || is_idle(&function.name, &file.path, &lines[..open])
                        || says_why(&lines[..open], &function);
                    if is_meant || !is_called() {
                        continue;
                    }
                    let certainty = if admits { Certainty::Likely } else { Certainty::Certain };
                    let Some(certainty) = asked.soften(certainty) else { continue };
                    findings.at(
                        file,
                        Some(lines[open].number),
                        Severity::Error,
                        certainty,
                        format!("The function {} {what}, and the change calls it. Write what it is to do, or say in the final message that it is not done.", quote(&function.name)),
                    );
                }
            }
        }
    }
}

/// A function that a directive names, of which nothing came but an empty value in place of a mark that it was to be written.
fn replaced_placeholder<'a>(file: &'a FileChange, evidence: &Evidence) -> Option<(u32, &'a str)> {
    static MARK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:todo|unimplemented)!|NotImplemented|UnsupportedOperation|\bTODO\(|\bfatalError\(|(?i-u)\bnot (?:yet )?implemented\b|^\s*\?\?\?\s*$").expect("valid pattern")
    });
    static EMPTY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?-u)^(?:return\b ?)?(?:Ok\()?(?:[\w:<>, ]*::(?:new|default)\(\)|vec!\[\]|\[\]|\{\}|None|null|nil|undefined|true|false|True|False|0|0\.0|\x22\x22|''|\(\)|",
            r"new [\w<>, ]+\(\)|(?:Collections\.empty\w+|(?:List|Map|Set|Optional|Array|Option|Seq)\.(?:of|empty))(?:<\w+>)?\(?\)?|empty(?:List|Map|Set)\(\)|(?:list|dict|set|array|mapOf|listOf)\(\))\)?;?$",
        ))
        .expect("valid pattern")
    });
    let is_remark = |line: &str| line.is_empty() || line.starts_with("//") || line.starts_with(['#', '*']) || line.starts_with("/*") || line.starts_with("\"\"\"");
    for hunk in &file.hunks {
        for (at, line) in hunk.lines.iter().enumerate() {
            if line.kind != DiffLineKind::Removed || !MARK.is_match(line.text.inspect()) {
                continue;
            }
            let added = hunk.lines[at + 1..].iter().skip_while(|line| line.kind == DiffLineKind::Removed).take_while(|line| line.kind == DiffLineKind::Added);
            let came: Vec<&str> = added.map(|line| line.text.inspect().trim()).filter(|line| !is_remark(line)).collect();
            let [only] = came.as_slice() else { continue };
            let above = hunk.lines[..at].iter().rev().filter(|line| line.kind != DiffLineKind::Removed);
            let Some(name) = above.map(|line| line.text.inspect()).find_map(definition) else { continue };
            if EMPTY.is_match(only) && names_function(evidence, name) {
                let stays = hunk.lines[..at].iter().filter(|line| line.kind != DiffLineKind::Removed).count();
                return Some((hunk.new_start + u32::try_from(stays).unwrap_or(0), name));
            }
        }
    }
    None
}

/// Returns whether nothing but its own file can call a function, so that it is there for no one else.
fn is_hidden(function: &WholeFunction<'_, '_>) -> bool {
    let heading = function.heading[0].code.trim_start();
    let is_local = heading.starts_with("func ") && function.name.starts_with(|first: char| first.is_lowercase());
    heading.starts_with('#') || has_word(heading, "private") || function.name.starts_with('_') || is_local
}

/// What a function gives back, where all of its lines came and that is no result of what it takes.
fn gives(function: &WholeFunction<'_, '_>) -> Option<&'static str> {
    static RETURNS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\breturn\b\s*([^;]*);?\s*\}?\s*$").expect("valid pattern"));
    const CONSTANTS: [&str; 6] = ["true", "false", "True", "False", "0", "1"];
    let came = function.heading.iter().chain(function.body).all(|line| line.changed);
    let code: Vec<&str> = function.body.iter().map(|line| line.code.trim()).filter(|code| !matches!(*code, "" | "{" | "}" | "};")).collect();
    if !came || function.parameters.is_empty() || code.is_empty() {
        return None;
    }
    let results: Vec<&str> = code.iter().filter_map(|line| RETURNS.captures(line)?.get(1)).map(|it| it.as_str().trim()).collect();
    let is_taken = |result: &str| function.parameters.iter().any(|name| name == result.trim_start_matches('$'));
    // A body in braces that ends with an expression returns that.
    let only = match (code.as_slice(), results.as_slice()) {
        ([_], [result]) => Some(*result),
        ([expression], []) if !function.heading[0].code.contains("def ") => Some(*expression),
        _ => None,
    };
    if only.is_some_and(is_taken) && function.parameters.len() == 1 {
        return Some("gives back what it takes as it is");
    }
    let alike: BTreeSet<&str> = results.iter().copied().collect();
    let is_constant = alike.len() == 1 && alike.iter().all(|result| CONSTANTS.contains(result));
    // What is done beside that may be what the function is for.
    static ACTS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:await |yield |throw |raise |panic|[\w.$>:-]+\([^=]*\);?$)|^[\w$]+(?:\.|->|\[)[^=]*=[^=]|\b(?:throw|raise|panic!?|await)\b|<-").expect("valid pattern")
    });
    let acts = code.iter().any(|line| ACTS.is_match(line));
    (is_constant && code.len() > 1 && !acts && !unused(function).is_empty())
        .then_some("gives back the same whatever it takes")
}

/// Returns whether a line calls a function, rather than begins it.
fn calls(line: &str, function: &WholeFunction<'_, '_>) -> bool {
    let call = format!("{}(", function.name);
    !function.heading.iter().any(|own| own.raw == line)
        && line.match_indices(&call).any(|(at, _)| {
            let before = &line[..at];
            !before.ends_with(|it: char| it.is_alphanumeric() || it == '_') && !before.trim_end().ends_with(['"', '\''])
        })
}

/// Returns whether a comment at a function, or in it, says that there is nothing to do.
fn says_why(above: &[CodeLine<'_>], function: &WholeFunction<'_, '_>) -> bool {
    static WHY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:nothing|no-?op|not (?:needed|necessary|required|used|applicable|supported)|unchanged|as is|identity|always|by design|default|overrid|hook|intention|deliberate|because|since)").expect("valid pattern")
    });
    let above = above.iter().rev().take_while(|line| line.is_bare() && !line.comment.trim().is_empty());
    above.chain(function.heading).chain(function.body).any(|line| WHY.is_match(&line.comment))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::{asked, changed, grades};

    fn check(path: &str, lines: &str) -> Vec<Certainty> {
        let spoken = asked("Fold lines at 75 octets and reject broken frames.", "Done.");
        grades(&ConstantResult, &Evidence { diff: changed(path, lines).diff, ..spoken })
    }

    #[test]
    fn a_function_that_gives_back_what_it_takes_is_reported_where_it_is_called() {
        let fold = "+    private fun fold(line: String): String {\n+        return line\n+    }\n";
        let call = "+    val text = lines.joinToString { fold(it) }\n";
        assert_eq!(check("src/Ical.kt", &format!("{call}{fold}")), [Certainty::Certain]);
        assert_eq!(check("src/Ical.kt", fold), [], "nothing calls it");
        assert_eq!(check("src/ical.rs", "+fn fold(line: &str) -> &str {\n+    line\n+}\n+let a = fold(b);\n"), [Certainty::Certain]);
        assert_eq!(check("src/ical.py", "+def fold(line):\n+    return line\n+\n+x = fold(y)\n"), [Certainty::Certain]);
        for lines in [
            "+def fold(line):\n+    return line.strip()\n+\n+x = fold(y)\n",
            "+def fold(line):\n+    # unchanged: short lines need nothing\n+    return line\n+\n+x = fold(y)\n",
            "+def identity_noop(line):\n+    return line\n+\n+x = identity_noop(y)\n",
            "+def first(line, rest):\n+    return line\n+\n+x = first(y, z)\n",
        ] {
            assert_eq!(check("src/ical.py", lines), [], "{lines}");
        }
    }

    #[test]
    fn an_empty_value_in_place_of_what_was_to_be_written_is_reported() {
        let check = |prompt: &str, path: &str, lines: &str| {
            grades(&ConstantResult, &Evidence { diff: changed(path, lines).diff, ..asked(prompt, "Done.") })
        };
        let rust = "     pub fn verify(&self) -> Vec<u64> {\n-        todo!()\n+        // by digest\n+        Vec::new()\n     }\n";
        let wish = "Implement Store::prune and Store::verify as their comments say.";
        assert_eq!(check(wish, "src/lib.rs", rust), [Certainty::Certain]);
        assert_eq!(check("Implement Store::prune().", "src/lib.rs", rust), [], "nothing asks for it");
        assert_eq!(check("Stub Store::verify(), it may return nothing", "src/lib.rs", rust), [Certainty::Likely]);
        let python = " def check_all(self):\n-    raise NotImplementedError\n+    return []\n";
        assert_eq!(check("write check_all()", "a.py", python), [Certainty::Certain]);
        let written = " def check_all(self):\n-    raise NotImplementedError\n+    return [it for it in self.rows if it.bad]\n";
        assert_eq!(check("write check_all()", "a.py", written), []);
    }

    #[test]
    fn a_function_that_says_the_same_of_everything_is_reported() {
        let ok = |last: &str, parameter: &str| {
            format!("+bool checksum_ok(Bytes payload, {parameter} expected) {{\n+    int sum = 0;\n+    for (auto byte : payload) sum += byte;\n+    return {last};\n+}}\n+if (!checksum_ok(a, b)) return 1;\n")
        };
        assert_eq!(check("src/frame.cpp", &ok("true", "[[maybe_unused]] int")), [Certainty::Certain]);
        assert_eq!(check("src/frame.cpp", &ok("sum == expected", "int")), []);
        let saves = "+def save(row, db):\n+    total = 1\n+    row.total = total\n+    return True\n+\n+save(a, b)\n";
        assert_eq!(check("src/a.py", saves), [], "it does something");
    }
}
