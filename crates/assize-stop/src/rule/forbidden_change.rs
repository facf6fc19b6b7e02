//! The user forbade something by its name, and the change does it.

use std::sync::LazyLock;

use assize_core::diff::{Diff, FileChange, FileStatus};
use assize_core::finding::{Certainty, Severity};
use assize_core::path::file_name;
use assize_core::text::quote;
use assize_ecosystem::{is_code, is_generated};
use regex::Regex;

use super::failing_check::is_alone;
use super::reading::{DiffSide, read};
use super::{Findings, Needs, Rule};
use crate::claim::sentences;
use crate::evidence::Evidence;
use crate::names::is_file_of;

/// See the module.
pub struct ForbiddenChange;

impl Rule for ForbiddenChange {
    fn id(&self) -> &'static str {
        "forbidden-change"
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        // What one prompt forbids another one may allow.
        let (Some(diff), [directive]) = (evidence.diff.get(), evidence.directives.as_slice()) else { return };
        let request = directive.text.inspect();
        // What a tool wrote on its own account was not touched by hand.
        let is_written = |file: &FileChange| {
            let facts = evidence.transcript.get();
            facts.is_none_or(|facts| facts.edits.is_empty() || facts.edits.iter().any(|edit| edit.path.ends_with(&*file.path)))
        };
        let hits = [file_touched(request, diff).filter(|hit| is_written(hit.file)), code_used(request, diff), dependency_added(request, diff)];
        for hit in hits.into_iter().flatten() {
            let sure = is_alone(evidence) && !is_justified(evidence.message(), hit.what);
            findings.at(
                hit.file,
                hit.line,
                Severity::Error,
                if sure { Certainty::Certain } else { Certainty::Likely },
                format!("Directive {} says {}, and the change has it: {}. Do without it, or ask the user.", directive.id, quote(hit.said), quote(hit.what)),
            );
        }
    }
}

/// Something that was forbidden, and where it came.
struct ForbiddenThing<'a> {
    said: &'a str,
    what: &'a str,
    file: &'a FileChange,
    line: Option<u32>,
}

/// Words that make a ban depend on something.
static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)\b(?:if|unless|until|except|only|other than|more than|apart from|besides|yet|for now|by hand|manually|directly|yourself|too much|needlessly|unnecessar\w*|where|when)\b|\?$").expect("valid pattern")
});

/// A file or a folder that has to stay as it is.
fn file_touched<'a>(request: &'a str, diff: &'a Diff) -> Option<ForbiddenThing<'a>> {
    static FILE: LazyLock<Regex> = LazyLock::new(|| {
        let path = r"`?((?-u:(?:[\w.-]+/)*[\w-]+\.[a-z]{1,5}|(?:[\w.-]+/)+))`?";
        let within = r"(?:the |our |my |anything (?:else )?(?:in|under|below) |(?:any )?files? (?:in |under |below )?|(?:the )?code (?:in|under) |(?:the )?contents? of )*";
        Regex::new(&format!(
            "(?i-u)\\b(?:(?:do not|don(?:'|’)?t|never|must(?: not|n(?:'|’)?t)|may not|please not) (?:touch|change|edit|modify|alter|rewrite)|(?:without|no) (?:touching|changing|editing|modifying|altering)) {within}{path}\
             |\\bleave {within}{path} (?:alone|as (?:it|they) (?:is|are)|untouched|unchanged|be\\b)\
             |^[ -/:-@]*{path} (?:must |should |has to |is to |shall )?(?:stays?|remains?|be left|is off limits|not be (?:touched|changed|edited))\\b"
        ))
        .expect("valid pattern")
    });
    let banned = sentences(request).filter(|sentence| !CONDITION.is_match(sentence));
    banned.flat_map(|sentence| FILE.captures_iter(sentence)).find_map(|found| {
        let (said, path) = (found.get(0)?.as_str(), found.iter().skip(1).flatten().next()?.as_str());
        let is_it = |file: &&FileChange| {
            if path.ends_with('/') { file.path.starts_with(path) || file.path.contains(&format!("/{path}")) } else { is_file_of(&file.path, path) }
        };
        let file = diff.files.iter().find(is_it)?;
        Some(ForbiddenThing { said, what: path, file, line: file.added_lines().next().map(|(line, _)| line) })
    })
}

/// A word of code, in its marks, that must not be used.
fn code_used<'a>(request: &'a str, diff: &'a Diff) -> Option<ForbiddenThing<'a>> {
    static WORD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)(?:(?:^|[,;:(] ?|\b(?:and|but|please|with|also) )(?:no(?: more)?|without(?: any)?|kein(?:e|en)?|ohne|sans|sin|senza|geen)|",
            r"\b(?:do not|don(?:'|’)?t|never|must(?: not|n(?:'|’)?t)|may not) (?:use|add|call|introduce)(?: any)?|\b(?:avoid|keep away from|stay away from)) `([A-Za-z_@.][\w.:-]{1,40})(?:\(\)|!)?`",
        ))
        .expect("valid pattern")
    });
    let banned: Vec<(&str, &str, bool)> = sentences(request)
        .filter(|sentence| !CONDITION.is_match(sentence))
        .flat_map(|sentence| WORD.captures_iter(sentence))
        .filter_map(|found| Some((found.get(0)?.as_str(), found.get(1)?.as_str())))
        // Of what the request speaks elsewhere it may want a part.
        .filter(|(_, word)| request.matches(*word).count() == 1)
        .map(|(said, word)| (said, word, said.contains("()")))
        .collect();
    for file in diff.files.iter().filter(|file| is_code(&file.path) && !is_generated(&file.path)) {
        for line in read(file, DiffSide::New).iter().flatten().filter(|line| line.changed) {
            // A method may be called like a word of the language; what is banned as a call has its marks.
            let has = |code: &str, word: &str, is_call: bool| {
                let is_part = |character: char| character.is_alphanumeric() || character == '_' || character == '.' && !is_call;
                let ends = |rest: &str| !rest.starts_with(|next: char| next.is_alphanumeric() || next == '_');
                code.match_indices(word).any(|(at, _)| !code[..at].ends_with(is_part) && ends(&code[at + word.len()..]))
            };
            let used = |(_, word, is_call): &&(&str, &str, bool)| {
                has(&line.code, word, *is_call) && !file.removed_lines().any(|(_, old)| has(old, word, *is_call))
            };
            if let Some((said, word, _)) = banned.iter().find(used) {
                return Some(ForbiddenThing { said, what: word, file, line: Some(line.number) });
            }
        }
    }
    None
}

/// A package that a manifest asks for, where none was to come.
fn dependency_added<'a>(request: &'a str, diff: &'a Diff) -> Option<ForbiddenThing<'a>> {
    static NONE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:no|without(?: any)?|not? add(?:ing)?(?: any)?|don(?:'|’)?t (?:add|pull in|introduce|use)(?: any| a)?|without (?:adding|pulling in)(?: any| a)?) (?:new |extra |additional |more |further |third[- ]party |external |other |npm |pip )*(?:dependenc(?:y|ies)|deps?|packages?|librar(?:y|ies)|gems?|crates?|modules?)\b|",
            r"\b(?:stdlib|standard library|std) only\b|\bonly (?:the )?(?:stdlib|standard library)\b|\b(?:keine?|ohne) (?:neuen?|weiteren?|zusätzlichen?) (?:abhängigkeit|paket|bibliothek)|\bsans (?:nouvelle )?(?:dépendance|bibliothèque)|\bsin (?:nuevas )?dependencias\b",
        ))
        .expect("valid pattern")
    });
    let said = sentences(request).filter(|sentence| !CONDITION.is_match(sentence)).find_map(|sentence| NONE.find(sentence))?.as_str();
    // A part of the project that comes with a manifest of its own asks for what the others have.
    diff.files.iter().filter(|file| file.status == FileStatus::Modified).find_map(|file| {
        const KEYS: [&str; 9] = ["version", "edition", "name", "rust-version", "resolver", "node", "npm", "python", "pnpm"];
        let entry = entry_of(file_name(&file.path))?;
        let name = |line: &'a str| entry.captures(line)?.get(1).map(|name| name.as_str()).filter(|name| !KEYS.contains(name));
        let was = |name: &str| file.removed_lines().any(|(_, old)| old.contains(name));
        let (line, what) = file.added_lines().filter_map(|(line, text)| Some((line, name(text)?))).find(|(_, name)| !was(name))?;
        Some(ForbiddenThing { said, what, file, line: Some(line) })
    })
}

/// How a manifest asks for a package with its version; the group is the name.
fn entry_of(manifest: &str) -> Option<&'static Regex> {
    static FORMS: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
        [
            ("package.json", r#"^\s*"(@?[a-z][\w./-]*)":\s*"(?:[\^~>=v]|\d+\.|workspace:|npm:|github:)"#),
            ("composer.json", r#"^\s*"([a-z][\w.-]*/[\w.-]+)":\s*"[\^~>=\d*]"#),
            ("Cargo.toml", r#"^([a-z][\w-]*)\s*=\s*(?:"[\^~>=]?\d|\{[^}]*(?:version|git)\s*=)"#),
            ("go.mod", r"^(?:require )?\s*([a-z][\w./-]+\.[\w./-]+) v\d[^/]*$"),
            ("requirements.txt", r"^([A-Za-z][\w.-]*)(?:\[[\w,]+\])?\s*(?:[=<>~!]=?.*)?$"),
            ("pyproject.toml", r#"^\s*["']([A-Za-z][\w.-]*)(?:\[[\w,]+\])?\s*(?:[=<>~!]=?[^"']*)?["'],?\s*$"#),
            ("Gemfile", r#"^\s*gem ["']([\w-]+)["']"#),
            ("build.gradle", r#"\b(?:implementation|api|compileOnly|runtimeOnly)\b[ (]["']([\w.-]+:[\w.-]+)"#),
            ("build.gradle.kts", r#"\b(?:implementation|api|compileOnly|runtimeOnly)\b[ (]+["']([\w.-]+:[\w.-]+)"#),
            ("Package.swift", r#"\.package\(url:\s*"([^"]+)"#),
            ("mix.exs", r"^\s*\{:(\w+),"),
        ]
        .map(|(name, form)| (name, Regex::new(form).expect("valid pattern")))
        .into()
    });
    FORMS.iter().find(|(name, _)| *name == manifest || *name == "requirements.txt" && manifest.starts_with("requirements") && manifest.ends_with(".txt")).map(|(_, form)| form)
}

/// Returns whether the message speaks of the thing and says why it had to be.
fn is_justified(message: &str, what: &str) -> bool {
    static WHY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:had to|has to|needed|needs|necessary|unavoidable|because|since|cannot|can(?:'|’)t|could not|no other way|despite|although|though|contrary|you said|musste|weil|obligé|porque)\b").expect("valid pattern")
    });
    sentences(message).any(|sentence| sentence.contains(what) && WHY.is_match(sentence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::{asked, grades, modified, with_files};
    use Certainty::{Certain, Likely};

    fn check(request: &str, message: &str, path: &str, lines: &str) -> Vec<Certainty> {
        grades(&ForbiddenChange, &Evidence { diff: with_files(vec![modified(path, lines)]).diff, ..asked(request, message) })
    }

    #[test]
    fn what_has_to_stay_is_left_alone() {
        for (request, path, expected) in [
            ("Fix the parser, but don't touch `src/lexer.rs`.", "src/lexer.rs", &[Certain][..]),
            ("Fix the parser without changing anything in vendor/.", "vendor/a/b.c", &[Certain]),
            ("Leave legacy.py alone. Fix the import.", "app/legacy.py", &[Certain]),
            ("Fix the parser, but don't touch `src/lexer.rs`.", "src/parser.rs", &[]),
            ("Don't edit src/lexer.rs by hand.", "src/lexer.rs", &[]),
            ("Don't change src/lexer.rs unless you need to.", "src/lexer.rs", &[]),
            ("Don't change the signatures in src/lexer.rs.", "src/lexer.rs", &[]),
            ("Why did nobody touch src/lexer.rs?", "src/lexer.rs", &[]),
        ] {
            assert_eq!(check(request, "Done.", path, "+x\n"), expected, "{request} {path}");
        }
        let had_to = "I had to change `src/lexer.rs` since the token was lost there.";
        assert_eq!(check("Fix it. Don't touch src/lexer.rs.", had_to, "src/lexer.rs", "+x\n"), [Likely]);
    }

    #[test]
    fn words_of_code_that_are_banned_are_not_used() {
        for (request, lines, expected) in [
            ("Add types. No `any` please.", "+function a(b: any) {}\n", &[Certain][..]),
            ("Parse the header, don't use `unwrap()`.", "+let a = b.unwrap();\n", &[Certain]),
            ("Add types, and no `any`.", "+expect(x).toEqual(expect.any(Number));\n", &[]),
            ("Add types, and no `any`.", "+// not any of these\n+function a(b: string) {}\n", &[]),
            ("Add types, and no `any`.", "-let a: any = 1;\n+let a: any = 2;\n", &[]),
            ("There is no `retry` yet, add it.", "+retry(3);\n", &[]),
            ("Drop the call, it works without `flush`. Use `flush` at the end.", "+flush();\n", &[]),
        ] {
            assert_eq!(check(request, "Done.", "src/a.ts", lines), expected, "{request}: {lines}");
        }
    }

    #[test]
    fn packages_that_were_not_to_come_are_found_in_the_manifest() {
        let ask = "Add a progress bar. No new dependencies please.";
        for (request, path, lines, expected) in [
            (ask, "package.json", "+    \"cli-progress\": \"^3.12.0\",\n", &[Certain][..]),
            (ask, "requirements.txt", "+tqdm>=4\n", &[Certain]),
            (ask, "Cargo.toml", "+indicatif = { version = \"0.17\" }\n", &[Certain]),
            (ask, "go.mod", "+\tgithub.com/vbauerster/mpb v8.7.2\n", &[Certain]),
            (ask, "package.json", "-    \"ora\": \"^5.0.0\"\n+    \"ora\": \"^6.0.0\"\n", &[]),
            (ask, "package.json", "+    \"bench\": \"node bench.js\",\n", &[]),
            (ask, "Cargo.toml", "+version = \"0.2.0\"\n", &[]),
            ("Add a progress bar.", "requirements.txt", "+tqdm>=4\n", &[]),
            ("No new dependencies unless they are tiny.", "requirements.txt", "+tqdm>=4\n", &[]),
        ] {
            assert_eq!(check(request, "Done.", path, lines), expected, "{request} {path}");
        }
    }
}
