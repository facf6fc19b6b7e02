//! An error is caught and nothing is done about it.

mod reported;

use std::sync::LazyLock;

use regex::Regex;
use assize_core::diff::FileChange;
use assize_core::finding::{Certainty, Severity};
use assize_ecosystem::{Language, is_code, is_generated, is_test};
use assize_core::path::is_example;
use assize_core::text::quote;

use super::reading::{DirectiveWish, CodeLine, MovedLines, DiffSide, is_reason, read, remarks};
use super::{Findings, Needs, Rule};
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
        }
        reported::check(evidence, diff.files.iter().filter(outside), findings);
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
