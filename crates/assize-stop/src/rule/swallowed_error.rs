//! An error is caught and nothing is done about it.

use std::sync::LazyLock;

use regex::Regex;
use assize_core::diff::{DiffLineKind, FileChange};
use assize_core::finding::{Certainty, Severity};
use assize_ecosystem::{Language, is_code, is_generated, is_test};
use assize_core::path::is_example;
use assize_core::text::quote;

use super::reading::{DirectiveWish, CodeLine, MovedLines, DiffSide, is_reason, read, remarks};
use super::{Findings, Needs, Rule};
use crate::claim::sentences;
use crate::evidence::Evidence;

/// See the module.
///
/// To ignore an error can be right, and only a reader can tell: a finding is certain only where a
/// directive asks for the error to be dealt with, and the change drops whatever goes wrong.
pub struct SwallowedError;

impl Rule for SwallowedError {
    fn id(&self) -> &'static str {
        "swallowed-error"
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(diff) = evidence.diff.get() else { return };
        let asked = DirectiveWish::new(evidence, &WANTED);
        let demanded = DirectiveWish::new(evidence, &DEMANDED);
        let mut moved = MovedLines::new(diff);
        let outside = |file: &&FileChange| {
            is_code(&file.path) && !is_generated(&file.path) && !is_test(&file.path) && !is_example(&file.path)
        };
        // A handler that was emptied may itself be unchanged.
        let glance = findings.glance;
        for file in glance.adding_or_near(&HINTS).filter(outside) {
            check_file(file, &asked, &demanded, &mut moved, findings);
            drops_reported(file, evidence, findings);
        }
        if reports_an_end(evidence) {
            for file in diff.files.iter().filter(outside) {
                if matches!(Language::of(&file.path), Some(Language::Rust | Language::Go)) {
                    leaves_out(file, findings);
                }
            }
        }
    }
}

static WANTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:ignor|swallow|suppress|silenc|silently|discard|best.effort|tolerat)[a-z]*\b",
        r"|\bcatch all\b|\b(?:don[’']?t|do not|never) (?:fail|crash|throw|raise|panic)",
    ))
    .expect("valid pattern")
});

/// Wording that asks for errors to be dealt with, or for their cause.
static DEMANDED: LazyLock<Regex> = LazyLock::new(|| {
    let deal = "(?:handl(?:e|es|ed|ing)|show|report|log|display|surface|propagate|find out|figure out|root.cause|investigat(?:e|ing)|diagnos(?:e|ing)|why)";
    let trouble = "(?:errors?|exceptions?|fail(?:s|ed|ing|ures?)?|crash(?:es|ed|ing)?|throws?|[A-Z][A-Za-z]*Error)";
    Regex::new(&format!(r"(?i)\b(?:{deal}\b[^\n]{{0,120}}\b{trouble}|{trouble}\b[^\n]{{0,120}}\b{deal})\b"))
        .expect("valid pattern")
});

/// At least one of these stands in every handler.
const HINTS: [&str; 6] = ["except", "catch", "rescue", "Err(", "err != nil", "error != nil"];

/// What is caught.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Catch {
    /// Whatever goes wrong.
    All,
    /// One kind of error.
    Some,
}

/// A handler that does nothing: the line that opens it and the one that ends it.
struct Swallow {
    open: usize,
    close: usize,
    catch: Catch,
}

fn check_file(
    file: &FileChange,
    asked: &DirectiveWish<'_>,
    demanded: &DirectiveWish<'_>,
    moved: &mut MovedLines<'_>,
    findings: &mut Findings<'_>,
) {
    let language = Language::of(&file.path);
    for lines in &read(file, DiffSide::New) {
        for index in 0..lines.len() {
            let Some(swallow) = swallow(lines, index, language) else { continue };
            if lines[index].in_test || !is_new(lines, &swallow, moved) {
                continue;
            }
            let Some((severity, certainty)) = weigh(lines, &swallow, demanded) else { continue };
            let Some(certainty) = asked.soften(certainty) else { continue };
            let line = &lines[swallow.open];
            let message = format!(
                "After {} an error is dropped without a trace. Handle it, pass it on or log it; if it may be ignored, say why in a comment.",
                quote(line.raw)
            );
            findings.at(file, Some(line.number), severity, certainty, message);
        }
    }
}

/// An error that the user reported, and that a new handler now drops: the fault is out of sight and still there.
fn drops_reported(file: &FileChange, evidence: &Evidence, findings: &mut Findings<'_>) {
    static KIND: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)\b(?:except|catch|rescue)\b[ (]+(?:final |const |let )?\(?([A-Za-z_:.]*[A-Z][A-Za-z]*(?:Error|Exception|Failure|NotFound|Invalid|Timeout)|Throwable|Exception)\b").expect("valid pattern")
    });
    static PASTED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)\b[A-Z][a-z]+[A-Za-z]*(?:Error|Exception): ").expect("valid pattern")
    });
    static RETURNS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?-u)^return [a-z]\w*;?$").expect("valid pattern"));
    static DROPS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?-u)^(?:next|continue|pass|break|return(?: (?:nil|null|None|false|False|true|True|undefined|\[\]|\{\}|\x22\x22|''))?|nil|null)?;?$|",
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
        Regex::new(r"(?i-u)\b(?:ignor|swallow|suppress|skip|drop|default|fall ?back|optional|tolerat|best[- ]effort|instead of (?:raising|throwing|crashing|failing|dying)|(?:not|n't|never|stop) (?:raise|throw|crash|fail|die|dying|crashing|throwing|raising)|return(?:s|ing)? (?:none|null|nil|false|an? empty|empty)|catch|keep going|go on|carry on|move on)").expect("valid pattern")
    });
    static TROUBLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:errors?|exceptions?|crash\w*|fail\w*|dies|throws?|rais\w+|invalid|malformed|missing|broken|bad|corrupt\w*|unknown|absent|not (?:there|found|exist\w*))\b").expect("valid pattern")
    });
    let speaks_of_it = |sentence: &str| sentence.contains(kind) || TROUBLE.is_match(sentence);
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
            if ended && line.kind == DiffLineKind::Added && LEFT_OUT.is_match(text) && !has_other() {
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

fn weigh(lines: &[CodeLine<'_>], swallow: &Swallow, demanded: &DirectiveWish<'_>) -> Option<(Severity, Certainty)> {
    match (swallow.catch, is_reasoned(lines, swallow)) {
        (Catch::Some, true) => None,
        (Catch::All, true) => Some((Severity::Note, Certainty::Likely)),
        (Catch::Some, false) => Some((Severity::Warning, Certainty::Likely)),
        (Catch::All, false) if demanded.is_asked() => Some((Severity::Error, Certainty::Certain)),
        (Catch::All, false) => Some((Severity::Error, Certainty::Likely)),
    }
}

/// Returns whether the change brought the handler, or emptied it.
fn is_new(lines: &[CodeLine<'_>], swallow: &Swallow, moved: &mut MovedLines<'_>) -> bool {
    let own = &lines[swallow.open..=swallow.close];
    let emptied = own[1..].iter().any(|line| line.after_gap);
    let came: Vec<&str> =
        own.iter().filter(|line| line.changed && !is_brace(&line.code)).map(|line| line.raw).collect();
    emptied || !came.is_empty() && !moved.take_all(&came)
}

fn is_brace(code: &str) -> bool {
    code.trim().chars().all(|character| matches!(character, '}' | ')' | ';' | ','))
}

fn is_reasoned(lines: &[CodeLine<'_>], swallow: &Swallow) -> bool {
    let inside = lines[swallow.open + 1..=swallow.close].iter().any(|line| is_reason(&line.comment));
    inside || is_reason(&remarks(lines, swallow.open))
}

fn swallow(lines: &[CodeLine<'_>], open: usize, language: Option<Language>) -> Option<Swallow> {
    let code = lines[open].code.trim();
    match language? {
        Language::Python => python(lines, open),
        Language::Ruby => ruby(lines, open),
        Language::Go => {
            let checks = code.starts_with("if ") && (code.contains("err != nil") || code.contains("error != nil"));
            checks.then(|| empty_block(lines, open, Catch::Some)).flatten()
        }
        Language::Rust => {
            static ERR: LazyLock<Regex> = LazyLock::new(|| {
                Regex::new(r"^if let Err\([^)]*\) = .*\{|^(?:\|\s*)?Err\([^)]*\)(?: \| .*)? => (?:\{|\(\))")
                    .expect("valid pattern")
            });
            if !code.contains("Err(") || !ERR.is_match(code) {
                return None;
            }
            if code.ends_with("=> (),") || code.ends_with("=> ()") {
                return Some(Swallow { open, close: open, catch: Catch::Some });
            }
            empty_block(lines, open, Catch::Some)
        }
        Language::Shell => None,
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            promise(lines, open).or_else(|| catch_block(lines, open))
        }
        _ => catch_block(lines, open),
    }
}

/// `except …: pass`, on one line or two.
fn python(lines: &[CodeLine<'_>], open: usize) -> Option<Swallow> {
    let heading = lines[open].code.trim();
    let rest = heading.strip_prefix("except")?;
    if !rest.starts_with([':', ' ', '(', '*']) {
        return None;
    }
    let (what, same_line) = rest.split_once(':')?;
    let what = what.trim().trim_start_matches('*').trim();
    let broad =
        what.is_empty() || what.split([' ', '(', ')', ',']).any(|word| matches!(word, "Exception" | "BaseException"));
    // To pass over one kind of error is the usual way to ask whether something is there; only to
    // empty a handler that was there before is not.
    if !broad && lines[open].changed {
        return None;
    }
    let catch = if broad { Catch::All } else { Catch::Some };
    let nothing = |code: &str| matches!(code.trim(), "pass" | "...");
    if !same_line.trim().is_empty() {
        return nothing(same_line).then_some(Swallow { open, close: open, catch });
    }
    let close = next_code(lines, open)?;
    let alone = next_code(lines, close).is_none_or(|next| lines[next].indent() < lines[close].indent());
    (nothing(&lines[close].code) && alone).then_some(Swallow { open, close, catch })
}

/// `… rescue nil`, or a `rescue` that `end` follows.
fn ruby(lines: &[CodeLine<'_>], open: usize) -> Option<Swallow> {
    let code = lines[open].code.trim();
    if code.ends_with(" rescue nil") {
        return Some(Swallow { open, close: open, catch: Catch::All });
    }
    let rest = code.strip_prefix("rescue")?;
    if !rest.is_empty() && !rest.starts_with(' ') {
        return None;
    }
    let catch = if rest.is_empty()
        || rest.starts_with(" =>")
        || rest.contains("StandardError")
        || rest.contains(" Exception")
    {
        Catch::All
    } else {
        Catch::Some
    };
    let mut close = next_code(lines, open)?;
    if lines[close].code.trim() == "nil" {
        close = next_code(lines, close)?;
    }
    (lines[close].code.trim() == "end").then_some(Swallow { open, close, catch })
}

/// `catch (e) {}`, over as many lines as it takes.
fn catch_block(lines: &[CodeLine<'_>], open: usize) -> Option<Swallow> {
    static CATCH: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?:^|[}\s])catch\s*(\([^)]*\)|[A-Za-z. ]*)?\s*(?:when .*)?\{").expect("valid pattern")
    });
    let code = lines[open].code.as_str();
    if !code.contains("catch") {
        return None;
    }
    let found = CATCH.captures(code)?;
    let what = found.get(1).map_or("", |what| what.as_str());
    // What is thrown on purpose to end a wait says nothing went wrong.
    if ["Interrupted", "Cancel", "Abort", "NumberFormat", "NotFound"].iter().any(|kind| what.contains(kind)) {
        return None;
    }
    let narrow = what.contains("Exception")
        && !["(Exception", "(\\Exception", "(final Exception", ": Exception"].iter().any(|all| what.contains(all));
    empty_block(lines, open, if narrow { Catch::Some } else { Catch::All })
}

/// `.catch(() => {})` and its relatives.
fn promise(lines: &[CodeLine<'_>], open: usize) -> Option<Swallow> {
    static PROMISE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\.catch\(\s*(?:(?:async\s*)?(?:\([^)]*\)|[A-Za-z_$]+)\s*=>\s*(?:\{\s*\}|null|undefined|void 0)\s*\)|noop\s*\)|(?:async\s*)?function\s*\([^)]*\)\s*\{\s*\}\s*\))")
            .expect("valid pattern")
    });
    static OPENS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\.catch\(\s*(?:async\s*)?(?:(?:\([^)]*\)|[A-Za-z_$]+)\s*=>|function\s*\([^)]*\))\s*\{\s*$")
            .expect("valid pattern")
    });
    let code = lines[open].code.as_str();
    if !code.contains(".catch(") {
        return None;
    }
    if PROMISE.is_match(code) {
        return Some(Swallow { open, close: open, catch: Catch::All });
    }
    OPENS.is_match(code).then(|| empty_block(lines, open, Catch::All)).flatten()
}

/// A block that opens at the end of a line, or right after the given one, and holds no statement.
fn empty_block(lines: &[CodeLine<'_>], open: usize, catch: Catch) -> Option<Swallow> {
    let code = lines[open].code.trim_end().trim_end_matches([',', ';']);
    if code.ends_with("{}") || code.ends_with("{ }") {
        return Some(Swallow { open, close: open, catch });
    }
    if !code.ends_with('{') {
        return None;
    }
    let close = next_code(lines, open)?;
    lines[close].code.trim_start().starts_with('}').then_some(Swallow { open, close, catch })
}

fn next_code(lines: &[CodeLine<'_>], after: usize) -> Option<usize> {
    lines.iter().enumerate().skip(after + 1).find(|(_, line)| !line.is_bare()).map(|(index, _)| index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::Directive;
    use crate::rule::testing::{changed, found, grades};
    use Certainty::{Certain, Likely};

    fn check(path: &str, lines: &str) -> Vec<Certainty> {
        grades(&SwallowedError, &changed(path, lines))
    }

    #[test]
    fn dropped_errors_are_likely() {
        for (path, lines) in [
            ("src/a.py", "+    try:\n+        save()\n+    except:\n+        pass\n+    return 1\n"),
            ("src/a.py", "+    except Exception: pass\n"),
            ("src/a.py", "+    except (OSError, Exception) as error:\n+        ...\n+\n+def g():\n"),
            ("src/a.py", "     except ValueError:\n-        raise\n+        pass\n"),
            ("src/a.ts", "+  } catch (error) {}\n"),
            ("src/a.ts", "+  } catch {\n+  }\n"),
            ("src/a.ts", "   } catch (error) {\n-    report(error);\n   }\n"),
            ("src/a.js", "+  fetch(url).catch(() => {});\n"),
            ("src/a.js", "+  save().catch((error) => {\n+  });\n"),
            ("src/a.js", "+  const x = await load().catch(() => null);\n"),
            ("src/A.java", "+        } catch (Exception e) {\n+        }\n"),
            ("src/A.cs", "+        catch (Exception) { }\n"),
            ("src/A.kt", "+    } catch (e: Exception) {\n+    }\n"),
            ("src/a.cpp", "+  } catch (...) {}\n"),
            ("pkg/a.go", "+\tif err != nil {\n+\t}\n"),
            ("pkg/a.go", "+\tif err := save(); err != nil {}\n"),
            ("app/a.rb", "+    value = load rescue nil\n"),
            ("app/a.rb", "+  rescue => e\n+  end\n"),
            ("src/a.rs", "+    if let Err(_) = save() {}\n"),
            ("src/a.rs", "+        Err(_) => {}\n"),
            ("src/a.php", "+        } catch (\\Exception $e) {\n+            // ignore\n+        }\n"),
        ] {
            assert_eq!(check(path, lines), [Likely], "{lines}");
        }
    }

    #[test]
    fn a_reason_makes_it_a_note_or_nothing() {
        let bare =
            found(&SwallowedError, &changed("src/a.py", "+    except Exception:\n+        pass\n+    return 1\n"));
        assert_eq!(bare[0].severity, Severity::Error);
        let reasoned =
            "+    except Exception:\n+        # The metrics must never stop a request.\n+        pass\n+    return 1\n";
        assert_eq!(found(&SwallowedError, &changed("src/a.py", reasoned))[0].severity, Severity::Note);
        assert_eq!(
            check(
                "src/a.rs",
                "+        // Nobody listens any more when the receiver is gone.\n+        Err(_) => {}\n"
            ),
            []
        );
    }

    #[test]
    fn to_drop_the_very_error_that_was_to_be_dealt_with_is_certain() {
        let asked = |directive: &str, path: &str, lines: &str| {
            let mut evidence = changed(path, lines);
            evidence.directives.extend(Directive::from_prompt(directive, 1, Vec::new()));
            grades(&SwallowedError, &evidence)
        };
        let python = "+    except:\n+        pass\n+    return 1\n";
        assert_eq!(asked("import crashes with a ValueError, find out why and fix it", "src/a.py", python), [Certain]);
        assert_eq!(asked("Handle the error and show a message", "src/a.ts", "+  } catch (error) {}\n"), [Certain]);
        assert_eq!(
            asked("Handle errors", "src/a.py", "     except ValueError:\n-        raise\n+        pass\n"),
            [Likely]
        );
        assert_eq!(asked("Storage throws in private mode, make it work", "src/a.ts", "+  } catch {}\n"), [Likely]);
        assert_eq!(asked("Report errors, but ignore those of the metrics", "src/a.py", python), [Likely]);
    }

    #[test]
    fn what_was_asked_for_is_dropped() {
        let mut evidence = changed("src/a.py", "+    except Exception:\n+        pass\n+    return 1\n");
        evidence.directives.extend(Directive::from_prompt("Ignore errors of the metrics client", 1, Vec::new()));
        assert_eq!(grades(&SwallowedError, &evidence), []);
    }

    #[test]
    fn counter_examples() {
        for (path, lines) in [
            ("src/a.py", "+    except Exception:\n+        log.exception('save')\n"),
            ("src/a.py", "+    except Exception:\n+        pass\n+        retry()\n"),
            ("src/a.py", "+    except (KeyError, ValueError):\n+        pass\n+    return 1\n"),
            ("src/a.py", "+try:\n+    import tomllib\n+except ImportError:\n+    pass\n+x = 1\n"),
            ("src/a.py", "-    except Exception:\n-        pass\n+        except Exception:\n+            pass\n"),
            ("src/a.py", "     except Exception:\n         pass\n+    x = 1\n"),
            ("tests/test_a.py", "+    except Exception:\n+        pass\n"),
            ("src/a.py", "+    text = 'except: pass'\n"),
            ("src/a.ts", "+  } catch (error) {\n+    throw new Failure(error);\n+  }\n"),
            ("src/a.ts", "+  save().catch((error) => report(error));\n"),
            ("src/a.ts", "+  // catch (e) {}\n"),
            ("pkg/a.go", "+\tif err != nil {\n+\t\treturn err\n+\t}\n"),
            ("pkg/a.go", "+\tif err != nil {\n"),
            ("src/a.rs", "+    let _ = sender.send(1);\n+    let x = y.unwrap_or_default();\n"),
            ("src/a.rs", "+        Err(error) => return Err(error),\n"),
            ("src/A.java", "+        } catch (InterruptedException e) {\n+        }\n"),
            ("examples/a.py", "+    except Exception:\n+        pass\n"),
            ("app/a.rb", "+  rescue ActiveRecord::RecordNotFound => e\n+    render_not_found\n+  end\n"),
        ] {
            assert_eq!(check(path, lines), [], "{path}: {lines}");
        }
    }

    #[test]
    fn an_error_that_was_reported_and_is_dropped_is_certain() {
        use crate::rule::testing::asked;
        let check = |prompt: &str, path: &str, lines: &str| {
            grades(&SwallowedError, &Evidence { directives: asked(prompt, "").directives, ..changed(path, lines) })
        };
        let report = "The sync dies every hour:\n\nKeyError: key not found: \"amount\"\n\nRefunded ones we skip, that is right.";
        let ruby = "+    rescue KeyError\n+      next\n     end\n";
        assert_eq!(check(report, "app/sync.rb", ruby), [Certain]);
        assert_eq!(check("The sync is slow.", "app/sync.rb", ruby), []);
        assert_eq!(check(&format!("{report} Skip payments with a missing amount."), "app/sync.rb", ruby), []);
        let python = " for payment in payments:\n     try:\n         book(payment)\n+    except KeyError:\n+        continue\n     done(payment)\n";
        assert_eq!(check(report, "sync.py", python), [Certain]);
        let mended = " for payment in payments:\n     try:\n         book(payment)\n+    except KeyError:\n+        book(old(payment))\n     done(payment)\n";
        assert_eq!(check(report, "sync.py", mended), []);
        let city = "We crash since station 31: java.nio.charset.MalformedInputException: Input length = 1";
        let java = |kind: &str| format!("+        try {{\n+            lines = Files.readAllLines(path);\n+        }} catch ({kind} e) {{\n+            return names;\n+        }}\n");
        assert_eq!(check(city, "src/Directory.java", &java("IOException")), [Certain]);
        assert_eq!(check(city, "src/Directory.java", &java("NoSuchFileException")), []);
        assert_eq!(check("Start empty where there is no file.", "src/Directory.java", &java("IOException")), []);
        let bill = "import panicks on the march file: called `Result::unwrap()` on an `Err` value: ParseFloatError";
        let rust = "-        let kwh: f64 = cell.parse().unwrap();\n-        readings.push(kwh);\n+        if let Ok(kwh) = cell.parse() {\n+            readings.push(kwh);\n+        }\n";
        let told = rust.replace("+        }\n", "+        } else {\n+            eprintln!(\"{cell}\");\n+        }\n");
        assert_eq!(check(bill, "src/main.rs", rust), [Certain]);
        assert_eq!(check(bill, "src/main.rs", &told), []);
        assert_eq!(check("Read the march file.", "src/main.rs", rust), []);
        assert_eq!(check(&format!("{bill}. Skip broken lines."), "src/main.rs", rust), []);
        let go = " \tv, err := strconv.Atoi(cell)\n \tif err != nil {\n-\t\treturn nil, err\n+\t\tcontinue\n \t}\n";
        assert_eq!(check("It ends with: strconv.Atoi: parsing \"1.2\": invalid syntax", "a.go", go), [Certain]);
    }
}
