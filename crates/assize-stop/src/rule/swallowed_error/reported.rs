//! An error that the user reported is put out of sight: the fault is still there.

use std::sync::LazyLock;

use assize_core::diff::{DiffLineKind, FileChange};
use assize_core::finding::{Certainty, Severity};
use assize_core::text::quote;
use assize_ecosystem::Language;
use regex::Regex;

use crate::claim::sentences;
use crate::evidence::Evidence;
use crate::rule::Findings;
use crate::rule::reading::{DiffSide, read};

/// Looks for what drops an error of which the prompts tell.
pub(super) fn check<'a>(evidence: &Evidence, files: impl Iterator<Item = &'a FileChange>, findings: &mut Findings<'_>) {
    let ended = reports_an_end(evidence);
    let kinds = pasted(evidence);
    for file in files {
        drops_it(file, evidence, findings);
        if ended && matches!(Language::of(&file.path), Some(Language::Rust | Language::Go)) {
            leaves_out(file, findings);
        }
        if !kinds.is_empty() && !kinds.iter().any(|kind| is_let(evidence, kind)) {
            wraps(file, &kinds, findings);
        }
    }
}

/// The errors that the prompts hold as they were printed: the name of a kind, or of the program that complained.
fn pasted(evidence: &Evidence) -> Vec<&str> {
    static ERROR: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?m-u)\b([A-Z][A-Za-z]*(?:Error|Exception|Failure|Fault))\b(?:: | \(|$)|^\s*([a-z][\w.-]{1,20}): [ -~]*\b(?:No such|cannot|can't|not found|denied|failed|invalid|unexpected|error)|",
            r"\b(panicked) at\b|\b(fatal) error\b|Uncaught \(?(?:in promise\)? )?([A-Z]\w+)",
        ))
        .expect("valid pattern")
    });
    let found = evidence.user_texts().flat_map(|text| ERROR.captures_iter(text));
    found.filter_map(|found| Some(found.iter().skip(1).flatten().next()?.as_str())).collect()
}

/// What stood bare and stands now in something that drops its error.
fn wraps(file: &FileChange, kinds: &[&str], findings: &mut Findings<'_>) {
    static DROPS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?-u)\brunCatching\b|\btry\? |\bTry\([ -~]*\.(?:getOrElse|toOption)|\.(?:unwrap_or|unwrap_or_default|unwrap_or_else|ok)\(|\.catch(?:Error)?\(\s*(?:\(?\w*\)?|_) ?=> ?(?:\[\]|\{\s*\}|\(\{\}\)|null|undefined|''|\x22\x22|0|false)|",
            r"\brescue (?:nil|\[\]|\{\}|false|0|\x22\x22|'')|\bsuppress\(|2> ?/dev/null|\|\| (?:true|:)(?:$|\s|;)|= ?@[a-z_]+\(",
        ))
        .expect("valid pattern")
    });
    // A handler that ends the program, or passes the error on, drops nothing.
    static ENDS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)\bexit\(|\b(?:panic|bail|unreachable)!|\bthrow\b|\braise\b|\bErr\(|\babort\(|\bfatal\w*\(").expect("valid pattern")
    });
    let is_shell = Language::of(&file.path) == Some(Language::Shell);
    for hunk in &file.hunks {
        let removed: Vec<&str> = hunk.lines.iter().filter(|line| line.kind == DiffLineKind::Removed).map(|line| line.text.inspect()).collect();
        let mut number = hunk.new_start;
        for (at, line) in hunk.lines.iter().enumerate() {
            let text = line.text.inspect();
            let ends_there = || {
                let below = hunk.lines[at + 1..].iter().filter(|line| line.kind != DiffLineKind::Removed).take(HANDLER_LINES_MAX);
                text.trim_end().ends_with('{') && below.map(|line| line.text.inspect()).take_while(|line| !line.trim().starts_with('}')).any(|line| ENDS.is_match(line))
            };
            let stood_bare = |old: &&str| {
                let core = core_of(old);
                core.len() >= CORE_MIN && squeezed(text).contains(&core) && !DROPS.is_match(old)
            };
            // A program is the one that complained.
            let is_meant = || !is_shell || kinds.iter().any(|kind| text.trim_start().starts_with(kind));
            if line.kind == DiffLineKind::Added && DROPS.is_match(text) && is_meant() && removed.iter().any(stood_bare) && !ends_there() {
                findings.at(
                    file,
                    Some(number),
                    Severity::Error,
                    Certainty::Certain,
                    format!("{} drops what goes wrong there, and the user has reported it ({}). Remove its cause, or ask the user whether it may be dropped.", quote(text.trim()), quote(kinds[0])),
                );
                return;
            }
            number += u32::from(line.kind != DiffLineKind::Removed);
        }
    }
}

/// Lines of a handler that are looked at.
const HANDLER_LINES_MAX: usize = 6;
/// Shortest expression that is told from others.
const CORE_MIN: usize = 8;

fn squeezed(text: &str) -> String {
    text.chars().filter(|character| !character.is_whitespace()).collect()
}

/// What a line computes, without where it goes and what ends it.
fn core_of(line: &str) -> String {
    let line = line.trim().trim_start_matches("return ").trim_end_matches([';', '?', '!']).trim_end_matches(".unwrap()");
    let value = line.split_once(" = ").or_else(|| line.split_once(" := ")).map_or(line, |(_, value)| value);
    squeezed(value.trim_start_matches("try ").trim_start_matches("await "))
}

/// An error that the user reported, and that a new handler now drops: the fault is out of sight and still there.
fn drops_it(file: &FileChange, evidence: &Evidence, findings: &mut Findings<'_>) {
    static KIND: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)\b(?:except|catch|rescue)\b[ (]+(?:final |const |let )?\(?((?:[A-Za-z_]+(?:::|\.))*[A-Z][A-Za-z]{3,})\b").expect("valid pattern")
    });
    static PASTED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)\b[A-Z][a-z]+[A-Za-z]*(?:Error|Exception): ").expect("valid pattern")
    });
    static RETURNS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?-u)^return [a-z]\w*;?$").expect("valid pattern"));
    static DROPS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?-u)^(?:next|continue|pass|break|return(?: (?:nil|null|None|false|False|true|True|undefined|\[\]|\{\}|\x22\x22|''))?|nil|null)?;?$|",
            // A count of what was passed over says nothing of why.
            r"^[\w.$]+(?:\[[\w\x22']+\])? ?(?:\+= ?1|\+\+);?$|",
            r"^(?:self\.|this\.)?_?(?:log(?:ger)?|console|Rails\.logger|logging|warnings?|System\.(?:out|err))\.[A-Za-z.]+\(",
        ))
        .expect("valid pattern")
    });
    let language = Language::of(&file.path);
    for lines in &read(file, DiffSide::New) {
        for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.changed && !line.in_test) {
            let Some(kind) = KIND.captures(&line.code).map(|found| found[1].rsplit(['.', ':']).next().unwrap_or_default().to_owned()) else { continue };
            // Who catches all that can go wrong catches what was reported as well.
            let is_wide = matches!(&*kind, "Exception" | "Throwable" | "IOException" | "RuntimeException" | "BaseException" | "OSError" | "StandardError" | "ValueError");
            let reported = || evidence.user_texts().any(|text| if is_wide { PASTED.is_match(text) } else { text.contains(&kind) });
            let is_let = || is_let(evidence, &kind);
            let ends = |code: &str| code.starts_with(['}', ')']) || ["end", "ensure", "finally", "else"].iter().any(|word| code.starts_with(word));
            let by_depth = language == Some(Language::Python);
            let body = lines[at + 1..].iter().filter(|own| !own.is_bare());
            let body: Vec<&str> = body.take_while(|own| if by_depth { own.indent() > line.indent() } else { !ends(own.code.trim()) }).map(|own| own.code.trim()).collect();
            let is_dropped = |code: &str| DROPS.is_match(code) || is_wide && RETURNS.is_match(code);
            let drops = (1..=3).contains(&body.len()) && body.iter().all(|code| is_dropped(code));
            if !drops || !reported() || is_let() {
                continue;
            }
            findings.at(
                file,
                Some(line.number),
                Severity::Error,
                Certainty::Certain,
                format!("{} drops the error {}, which the user has reported. Remove its cause, or ask the user whether it may be dropped.", quote(line.raw), quote(&kind)),
            );
            return;
        }
    }
}

/// Returns whether the user lets an error be dropped, or given another value.
fn is_let(evidence: &Evidence, kind: &str) -> bool {
    static LETS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:ignor|swallow|suppress|skip|drop|default|fall ?back|optional|tolerat|best[- ]effort|instead of (?:raising|throwing|crashing|failing|dying)|(?:not|n't|never|stop) (?:raise|throw|crash|fail|die|dying|crashing|throwing|raising)|return(?:s|ing)? (?:none|null|nil|false|an? empty|empty)|catch|keep going|go on|carry on|move on|starts? (?:with|from|empty|at)|come up with|just means|counts? as|treat\w* (?:it )?as|(?:is|are|be|gives?|use|shows?) (?:just |simply )?(?:0|zero|none|nothing|empty)\b|(?:that(?:'|’)?s|is|are) (?:fine|ok|okay|normal|how it is)|of course)").expect("valid pattern")
    });
    static TROUBLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:errors?|exceptions?|crash\w*|fail\w*|dies|throws?|rais\w+|invalid|malformed|missing|broken|bad|corrupt\w*|unknown|absent|not (?:there|found|exist\w*)|no such|no \w+ (?:file|entr\w+)|empty|blank|fresh|first (?:run|start))\b").expect("valid pattern")
    });
    // "Everything else has to be there" lets no more be dropped than what is named.
    static NO_MORE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:everything else|all (?:the )?(?:others?|rest)|any(?:thing)? (?:other|else)|the (?:others?|rest)|nothing else)\b[ -~]{0,30}?\b(?:has|have|must|should|needs?|is to|are to|may not|gets?|stays?)\b|",
            r"\b(?:but )?only (?:those|these|that|them|for|if|where|when)\b|\bnothing else\b|\balle[s]? (?:anderen?|übrigen?) (?:muss|müssen|soll)|\btout le reste doit\b|\btodo lo demás (?:debe|tiene)",
        ))
        .expect("valid pattern")
    });
    if evidence.user_texts().any(|text| NO_MORE.is_match(text)) {
        return false;
    }
    // What may be caught of another kind says nothing of this one.
    static KIND: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?-u)\b[A-Z][A-Za-z]+(?:Error|Exception)\b").expect("valid pattern"));
    let speaks_of_it = |sentence: &str| sentence.contains(kind) || !KIND.is_match(sentence) && TROUBLE.is_match(sentence);
    evidence.user_texts().flat_map(sentences).any(|sentence| LETS.is_match(sentence) && speaks_of_it(sentence))
}

/// Returns whether the user reports how a program of Rust or Go ended, and does not let what caused it be left out.
fn reports_an_end(evidence: &Evidence) -> bool {
    static REPORTED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\bpanick|\bunwrap\(\)|\bParse(?:Int|Float|Bool)Error\b|\bstrconv\.|invalid syntax|\bparsing \x22|goroutine [0-9]").expect("valid pattern")
    });
    evidence.user_texts().any(|text| REPORTED.is_match(text)) && !is_let(evidence, "unwrap")
}

/// What ended a run of Rust or was passed on in Go, and is left out without a word now.
fn leaves_out(file: &FileChange, findings: &mut Findings<'_>) {
    static ENDED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)\.unwrap\(\)|\.expect\(|\?;$|\breturn\b[ -~]*\berr\b|log\.Fatal|\bpanic\(").expect("valid pattern")
    });
    static LEFT_OUT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)^\s*if let Ok\([ -~]*\{$|\blet Ok\([ -~]* else \{ continue;? \}|filter_map\([ -~]*\.ok\(\)|\.flatten\(\)|^\s*continue;?$").expect("valid pattern")
    });
    for hunk in &file.hunks {
        let ended = hunk.lines.iter().any(|line| line.kind == DiffLineKind::Removed && ENDED.is_match(line.text.inspect()));
        let mut number = hunk.new_start;
        for (at, line) in hunk.lines.iter().enumerate() {
            let text = line.text.inspect();
            // An `else` below says what becomes of the others.
            let has_other = || {
                let below = hunk.lines[at + 1..].iter().filter(|line| line.kind != DiffLineKind::Removed).take(8);
                below.into_iter().any(|line| line.text.inspect().trim_start().starts_with("} else"))
            };
            // What is known to be nothing, such as a blank line or a comment, is no loss.
            static NOTHING: LazyLock<Regex> = LazyLock::new(|| {
                Regex::new(r#"(?i-u)== ?""|== ?''|\bis_?(?:empty|blank)\b|\blen\([ -~]+\) ?(?:== ?0|< ?1)|\.trim\(\)|TrimSpace|HasPrefix\([ -~]+"(?:\#|//|;|--)"|starts_with\(["'](?:\#|//|;)"#).expect("valid pattern")
            });
            let is_nothing = || {
                let above = hunk.lines[..at].iter().rev().find(|line| line.kind != DiffLineKind::Removed);
                above.is_some_and(|line| NOTHING.is_match(line.text.inspect()) && !line.text.inspect().contains("err"))
            };
            if ended && line.kind == DiffLineKind::Added && LEFT_OUT.is_match(text) && !has_other() && !is_nothing() {
                findings.at(
                    file,
                    Some(number),
                    Severity::Error,
                    Certainty::Certain,
                    format!("{} leaves out without a word what ended the run before, and the user has reported it. Read it, report it, or ask the user whether it may be left out.", quote(text.trim())),
                );
                return;
            }
            number += u32::from(line.kind != DiffLineKind::Removed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::swallowed_error::SwallowedError;
    use crate::rule::testing::{asked, changed, grades};

    fn check(prompt: &str, path: &str, lines: &str) -> Vec<Certainty> {
        let directives = asked(prompt, "").directives;
        let found = grades(&SwallowedError, &Evidence { directives, ..changed(path, lines) });
        found.into_iter().filter(|certainty| *certainty == Certainty::Certain).collect()
    }

    #[test]
    fn what_the_user_reported_is_not_wrapped_away() {
        let kotlin = "App crashes:\n\nkotlinx.serialization.MissingFieldException: Field 'gust' is required\n\nFix it so the list shows up again.";
        let wrapped = "-        json.decode<List<Wind>>(fetch())\n+        runCatching { json.decode<List<Wind>>(fetch()) }\n+            .getOrDefault(emptyList())\n";
        assert_eq!(check(kotlin, "src/Wind.kt", wrapped), [Certainty::Certain]);
        assert_eq!(check("The app should keep going where decoding fails:\n\nMissingFieldException: Field 'gust'", "src/Wind.kt", wrapped), []);
        assert_eq!(check("Make the list load again.", "src/Wind.kt", wrapped), []);
        assert_eq!(check(kotlin, "src/Wind.kt", "+        runCatching { cache.clear() }\n"), []);
        let cron = "cron mails every night:\n\n    gzip: /srv/scores/Ave: No such file or directory\n\npls fix, names have blanks";
        let quiet = "-  gzip -c \"$file\" > \"$target\"\n+  gzip -c \"$file\" > \"$target\" 2>/dev/null || true\n";
        assert_eq!(check(cron, "bin/archive.sh", quiet), [Certainty::Certain]);
        assert_eq!(check(cron, "bin/archive.sh", "-umount \"$archive\"\n+umount \"$archive\" || true\n"), []);
        let promise = "-  const rows = await load(url);\n+  const rows = await load(url).catch(() => []);\n";
        assert_eq!(check("Dies with TypeError: fetch failed. Fix it.", "src/a.ts", promise), [Certainty::Certain]);
    }

    #[test]
    fn what_may_be_left_out_is_no_more_than_the_user_says() {
        let lines = "+            try:\n+                price = Decimal(row)\n+            except InvalidOperation:\n+                continue\n";
        let died = "the import died:\n\ndecimal.InvalidOperation: [<class 'decimal.ConversionSyntax'>]\n\nInvalid or empty price = discontinued, skip those silently.";
        assert_eq!(check(died, "importer/prices.py", lines), []);
        assert_eq!(check(&format!("{died} Everything else has to be in the table."), "importer/prices.py", lines), [Certainty::Certain]);
    }

    #[test]
    fn a_handler_that_ends_the_program_drops_nothing() {
        let said = |handler: &str| {
            let lines = format!("-    let fills = fuelcards::parse(&text);\n+    let fills = fuelcards::parse(&text).unwrap_or_else(|e| {{\n{handler}+    }});\n");
            check("The import dies, please fix:\n\nthread 'main' panicked at src/lib.rs:14:59:\n", "src/main.rs", &lines)
        };
        assert_eq!(said("+        Vec::new()\n"), [Certainty::Certain]);
        assert_eq!(said("+        eprintln!(\"{e}\");\n+        process::exit(1);\n"), []);
    }
}
