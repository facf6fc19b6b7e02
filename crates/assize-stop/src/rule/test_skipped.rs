//! A test is kept but no longer run.

use std::sync::LazyLock;

use assize_core::diff::{DiffLineKind, FileChange, FileStatus};
use assize_core::finding::{Certainty, Severity};
use assize_core::text::quote;
use assize_ecosystem::marker::SkipMarker;
use assize_ecosystem::{Language, is_code, is_generated, is_test, is_test_input, skip_hints, skip_marker};
use regex::Regex;

use super::reading::{
    CodeLine, DiffSide, DirectiveWish, HunkTest, MovedLines, enclosing, has_word, is_guarded, is_reason, read,
    remarks, tests_in,
};
use super::{Findings, Needs, Rule};
use crate::evidence::Evidence;
use crate::seen_failures::SeenFailures;

/// See the module.
pub struct TestSkipped;

impl Rule for TestSkipped {
    fn id(&self) -> &'static str {
        "test-skipped"
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(diff) = evidence.diff.get() else { return };
        let asked = DirectiveWish::new(evidence, &WANTED);
        let seen = SeenFailures::of(evidence);
        let mut moved = MovedLines::new(diff);
        let glance = findings.glance;
        for file in glance.adding(skip_hints()).filter(|file| is_code(&file.path) && !is_generated(&file.path)) {
            let rust = Language::of(&file.path) == Some(Language::Rust);
            if is_test(&file.path) || rust {
                check_file(file, &asked, &seen, &mut moved, findings);
            }
        }
    }
}

/// Wording that takes tests out of a run.
static WANTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:skip|ignor|disabl|quarantin|exclud|mut|paus|deactivat)(?:e|es|ed|ing|s|ped|ping)?\b[^.\n]{0,80}\b(?:tests?|specs?|suites?|cases?|it|them|these|those)\b",
        r"|\b(?:tests?|specs?|suites?|cases?)\b[^.\n]{0,80}\b(?:skip|ignor|disabl|quarantin|exclud|pending)",
        r"|\btests?\b[^\n]{0,120}\b(?:it|they) (?:should|must|can|may|has to|have to|needs? to) (?:also )?be skipped\b",
        r"|\b(?:xfail|expected(?: to)? fail|known.fail|#\[ignore|\.skip\b|@disabled|@ignore|todo tests?|test\.todo|it\.todo)",
    ))
    .expect("valid pattern")
});

fn check_file(
    file: &FileChange,
    asked: &DirectiveWish<'_>,
    seen: &SeenFailures<'_>,
    moved: &mut MovedLines<'_>,
    findings: &mut Findings<'_>,
) {
    let language = Language::of(&file.path);
    let hunks = read(file, DiffSide::New);
    let marked = |lines: &[CodeLine<'_>], index: usize| -> Option<HunkTest> {
        let line = lines.get(index).filter(|line| line.changed)?;
        language.and_then(|it| skip_marker(it, &line.code, line.raw))?;
        tests_in(lines, language).into_iter().min_by_key(|test| test.index.abs_diff(index))
    };
    // Where the user names a test that may be skipped, the others may not.
    let names_one = hunks.iter().any(|lines| {
        (0..lines.len()).filter_map(|index| marked(lines, index)).any(|test| seen.is_wanted_away(&test.name, ""))
    });
    for lines in &hunks {
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.changed) {
            let Some(marker) = language.and_then(|it| skip_marker(it, &line.code, line.raw)) else { continue };
            if moved.take(line.raw) {
                continue;
            }
            let certainty = certainty(lines, index, marker, file);
            let tests = tests_in(lines, language);
            let named = |test: &HunkTest| seen.is_wanted_away(&test.name, &file.path);
            let is_wanted = tests.iter().filter(|test| test.index.abs_diff(index) <= 10).any(named);
            let certainty = if is_test_input(&file.path) { Certainty::Likely } else { certainty };
            let is_other = names_one
                && marked(lines, index).is_some_and(|test| seen.has(&test.name) && !seen.is_wanted_away(&test.name, ""));
            let softened = if is_other { Some(certainty) } else { asked.soften(certainty) };
            let Some(certainty) = softened else { continue };
            let certainty = if is_wanted && !is_other { Certainty::Likely } else { certainty };
            // A condition excuses no test that was there and failed for what it asserts.
            let hides_fault = |test: &HunkTest| {
                let stood = !lines[test.index].changed || file.removed_lines().any(|(_, line)| has_word(line, &test.name));
                stood && !seen.is_wanted_away(&test.name, &file.path) && seen.has_failed_by_assertion(&test.name)
            };
            let hides = !seen.wants_kind_away() && !is_test_input(&file.path) && marked(lines, index).as_ref().is_some_and(hides_fault);
            let around: Vec<&str> = lines[index.saturating_sub(2)..=index].iter().map(|line| line.raw).collect();
            let hides = hides || replaces_failure(file, line.number) && !seen.is_wanted_away(&around.join(" "), "");
            let certainty = if hides { Certainty::Certain } else { certainty };
            let message = format!(
                "{} keeps a test from running. Make the test pass and let it run; if it cannot run here, say for which platform or missing resource, and ask the user.",
                quote(line.raw)
            );
            findings.at(file, Some(line.number), Severity::Error, certainty, message);
        }
    }
}

fn certainty(lines: &[CodeLine<'_>], index: usize, marker: SkipMarker, file: &FileChange) -> Certainty {
    let tests = tests_in(lines, Language::of(&file.path));
    if skips_on_tested_value(lines, index) {
        return Certainty::Certain;
    }
    if marker == SkipMarker::Sometimes || is_guarded(lines, index) || is_conditional_call(lines, index, marker, &tests)
    {
        return Certainty::Likely;
    }
    let existed = existed_before(lines, index, marker, &tests, file);
    let reason = reason(lines, index);
    let admits_failure = FAILURE.is_match(&reason);
    let excused = !admits_failure && (ENVIRONMENT.is_match(&reason) || !existed && is_reason(&reason));
    // What never passed is not hidden by saying so.
    let announced = matches!(marker, SkipMarker::Announced | SkipMarker::Failing) && !existed;
    if excused || announced { Certainty::Likely } else { Certainty::Certain }
}

/// Returns whether a line of the new version stands where the test failed before.
fn replaces_failure(file: &FileChange, number: u32) -> bool {
    static FAILS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)\b[a-z]+\.(?:Fatal|Error|FailNow|Fail)f?\(|\bpytest\.fail\(|\bXCTFail\(|\bAssert\.Fail\(|\bassert|\bAssert|\bexpect\(|\bfail\(|\braise\b|\bthrow\b|\bpanic!|\bflunk\b")
            .expect("valid pattern")
    });
    file.hunks.iter().any(|hunk| {
        let mut at = hunk.new_start;
        let mut last = None;
        hunk.lines.iter().any(|line| {
            let is_it = at == number && line.kind == DiffLineKind::Added;
            let failed = is_it && last.is_some_and(|text: &str| FAILS.is_match(text));
            match line.kind {
                DiffLineKind::Removed => last = Some(line.text.inspect()),
                DiffLineKind::Context => last = None,
                DiffLineKind::Added => {}
            }
            at += u32::from(line.kind != DiffLineKind::Removed);
            failed
        })
    })
}

/// Returns whether a test is skipped for the value that it compares below: it can no longer fail for that.
fn skips_on_tested_value(lines: &[CodeLine<'_>], index: usize) -> bool {
    const NEAR: usize = 12;
    let words = |code: &str| -> Vec<String> {
        let words = code.split(|character: char| !character.is_alphanumeric() && character != '_');
        words.filter(|word| word.len() > 1 && !word.starts_with(|first: char| first.is_ascii_digit())).map(str::to_owned).collect()
    };
    let is_condition = |line: &&CodeLine<'_>| line.changed && line.code.trim_start().starts_with("if");
    let above = lines[..index].iter().rev().take(2).find(is_condition).map(|line| &line.code);
    let Some(condition) = above.or_else(|| Some(&lines[index].code).filter(|code| code.trim_start().starts_with("if"))) else { return false };
    let asked = words(condition);
    let assigned = lines[..index].iter().rev().take(NEAR).filter_map(|line| {
        let (left, right) = line.code.split_once(":=").or_else(|| line.code.split_once(" = "))?;
        right.contains('(').then(|| words(left).pop())?
    });
    let tested: Vec<String> = assigned.filter(|name| asked.contains(name)).collect();
    // The comparison stands below, as a whole: `assert got == expected`.
    lines[index + 1..].iter().take(NEAR).any(|line| {
        let compares = line.code.contains("==") || line.code.contains("!=") || line.code.contains("qual") || line.code.contains(".toBe(");
        compares && (line.code.contains("ssert") || line.code.contains("xpect") || line.code.contains("if ")) && tested.iter().any(|name| is_operand(&line.code, name))
    })
}

/// Returns whether a value is compared itself, and not something of it.
fn is_operand(code: &str, name: &str) -> bool {
    ["NAME ==", "== NAME", "NAME !=", "!= NAME", "(NAME,", ", NAME)", ", NAME,", "expect(NAME)"].iter().any(|shape| {
        let text = shape.replace("NAME", name);
        code.match_indices(&text).any(|(at, _)| {
            let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '.');
            let begins = shape.starts_with("NAME") && code[..at].ends_with(is_part);
            let ends = shape.ends_with("NAME") && code[at + text.len()..].starts_with(is_part);
            !begins && !ends
        })
    })
}

/// Code before a call that skips may have left the test already, and a test of a test framework
/// holds tests of its own.
fn is_conditional_call(lines: &[CodeLine<'_>], index: usize, marker: SkipMarker, tests: &[HunkTest]) -> bool {
    let is_test = |line: &&CodeLine<'_>| tests.iter().any(|test| lines[test.index].number == line.number);
    let around = enclosing(lines, index).filter(is_test).count();
    if marker != SkipMarker::Call {
        return around > 0;
    }
    let heading = tests.iter().rev().find(|test| test.index < index);
    let first =
        |test: &HunkTest| lines[test.index + 1..index].iter().all(|line| line.is_bare() || is_string(&line.code));
    let stated = lines[index].code.contains(['"', '\'', '`']) || lines[index].code.contains("()");
    around > 1 || !stated || !heading.is_some_and(first)
}

fn is_string(code: &str) -> bool {
    matches!(code.trim(), "" | "\"" | "\"\"" | "'" | "''" | ")" | "):" | ") {" | "{")
}

/// A reason that lies outside of the code.
static ENVIRONMENT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:windows|win32|linux|mac ?os|darwin|unix|posix|arm|x86|wasm|platform|os|network|internet|online|docker|container|",
        r"database|postgres|redis|server|service|credentials?|api.?key|token|gpu|cuda|hardware|device|browser|chrome|firefox|webkit|safari|",
        r"slow|long|expensive|benchmark|manual(?:ly)?|by hand|requires?|needs?|only runs?|not installed|environment|env|ci|node \d+|python ?\d|nightly)\b",
    ))
    .expect("valid pattern")
});

/// A reason that admits that the test would fail.
static FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:flak[ey]\w*|fail(?:s|ed|ing|ure)?|broken|breaks?|fix ?me|fix|todo|temporar\w*|for now|hangs?|unstable|",
        r"does(?:n't| not) (?:work|pass)|not working|wrong|bug|investigate|later|refactor\w*|re-?enable|out ?dated)\b",
    ))
    .expect("valid pattern")
});

/// Collects what the marker and the comments beside it say.
fn reason(lines: &[CodeLine<'_>], index: usize) -> String {
    let line = &lines[index];
    let mut said = remarks(lines, index);
    let quoted = |raw: &str| raw.find(['"', '\'', '`']).map(|start| raw[start..].to_owned()).unwrap_or_default();
    // In script tests the first string is the title of the test and no reason.
    if !is_script_heading(&line.code) {
        said.push_str(&quoted(line.raw));
        if line.code.matches('(').count() > line.code.matches(')').count() {
            for next in lines[index + 1..].iter().take(3) {
                said.push_str(&quoted(next.raw));
            }
        }
    }
    said
}

fn is_script_heading(code: &str) -> bool {
    let code = code.trim_start().trim_start_matches('x');
    ["it", "test", "describe", "context", "suite", "specify", "pending"].iter().any(|word| code.starts_with(word))
}

/// Returns whether the marked test was there before the change.
fn existed_before(
    lines: &[CodeLine<'_>],
    index: usize,
    marker: SkipMarker,
    tests: &[HunkTest],
    file: &FileChange,
) -> bool {
    let below = tests.iter().find(|test| test.index >= index && test.index <= index + 10);
    let above = tests.iter().rev().find(|test| test.index <= index);
    // A marker stands above or on the heading of its test, or inside of its body.
    let marked = if marker == SkipMarker::Call { above } else { below };
    match marked {
        Some(test) => !lines[test.index].changed || file.removed_lines().any(|(_, line)| line.contains(&test.name)),
        None => file.status != FileStatus::Added,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::Directive;
    use crate::rule::testing::{changed, grades};
    use Certainty::{Certain, Likely};

    fn check(path: &str, lines: &str) -> Vec<Certainty> {
        grades(&TestSkipped, &changed(path, lines))
    }

    #[test]
    fn a_skip_for_what_is_lacking_is_not_certain() {
        let lines = " def test_a():\n+    db = connect()\n+    if db is None:\n+        pytest.skip('no database')\n+    assert db.count() == 1\n";
        assert_eq!(check("tests/test_a.py", lines), [Likely]);
    }

    #[test]
    fn a_skip_in_the_place_of_a_failure_is_certain() {
        let asked = |prompt: &str, lines: &str| {
            let mut evidence = changed("chapters/chapters_test.go", lines);
            evidence.directives.extend(Directive::from_prompt(prompt, 1, Vec::new()));
            grades(&TestSkipped, &evidence)
        };
        let prompt = "TestChapters fails, and TestProbe should be skipped where ffprobe isn't installed.";
        let swapped = "\tgot, err := Parse(text)\n \tif err != nil {\n-\t\tt.Fatal(err)\n+\t\tt.Skipf(\"time format: %v\", err)\n \t}\n";
        assert_eq!(asked(prompt, swapped), [Certain]);
        assert_eq!(asked(prompt, &swapped.replace("time format", "no ffprobe")), [Likely]);
        assert_eq!(asked(prompt, &swapped.replace("t.Fatal(err)", "t.Log(err)")), [Likely]);
    }

    #[test]
    fn markers_on_existing_tests_are_certain() {
        for (path, lines) in [
            ("src/a.rs", " #[test]\n+#[ignore]\n fn adds() {\n"),
            ("tests/a.rs", " #[test]\n+#[ignore = \"flaky\"]\n fn adds() {\n"),
            ("tests/test_a.py", "+@pytest.mark.skip(reason=\"fails after the refactoring\")\n def test_a():\n"),
            ("tests/test_a.py", "+@pytest.mark.xfail\n def test_a():\n"),
            ("tests/test_a.py", "+@unittest.skip(\"todo\")\n def test_a(self):\n"),
            ("tests/test_a.py", " def test_a(self):\n+    self.skipTest('broken')\n     assert f()\n"),
            ("tests/test_a.py", " def test_a():\n-    assert f() == 1\n+    got = f()\n+    if got is None:\n+        pytest.skip('none')\n+    assert got == 1\n"),
            ("src/a.test.ts", "-  it('adds', () => {\n+  it.skip('adds', () => {\n"),
            ("src/a.test.ts", "-describe('adds', () => {\n+describe.skip('adds', () => {\n"),
            ("src/a.spec.js", "-test('adds', f);\n+xit('adds', f);\n"),
            ("src/a.spec.js", "-test('adds', () => {\n+test.todo('adds');\n"),
            ("pkg/a_test.go", " func TestA(t *testing.T) {\n+\tt.Skip(\"broken\")\n"),
            ("src/test/ATest.java", "+    @Disabled\n     @Test\n     void adds() {\n"),
            ("src/test/ATest.java", "+    @Ignore(\"does not work yet\")\n     @Test\n     public void adds() {\n"),
            ("tests/ATests.cs", "-    [Fact]\n+    [Fact(Skip = \"fails\")]\n     public void Adds()\n"),
            ("spec/a_spec.rb", "-  it 'adds' do\n+  xit 'adds' do\n"),
            ("spec/a_spec.rb", "   it 'adds' do\n+    pending 'broken'\n"),
            ("tests/ATest.php", "     public function testA() {\n+        $this->markTestSkipped('todo');\n"),
            ("tests/a_test.cc", "-TEST(A, Adds) {\n+TEST(A, DISABLED_Adds) {\n"),
            ("Tests/ATests.swift", "     func testA() throws {\n+        throw XCTSkip(\"broken\")\n"),
        ] {
            assert_eq!(check(path, lines), [Certain], "{path}: {lines}");
        }
    }

    #[test]
    fn a_new_test_that_never_runs_is_certain_without_a_reason() {
        assert_eq!(check("tests/a.rs", "+#[test]\n+#[ignore]\n+fn adds() {\n+}\n"), [Certain]);
        let reason = "+#[test]\n+#[ignore = \"prints the table for review by eye\"]\n+fn table() {\n+}\n";
        assert_eq!(check("tests/a.rs", reason), [Likely]);
        let failing = "+#[test]\n+#[ignore = \"fails, look at it later\"]\n+fn table() {\n+}\n";
        assert_eq!(check("tests/a.rs", failing), [Certain]);
    }

    #[test]
    fn guards_and_resources_are_likely() {
        for (path, lines) in [
            ("tests/test_a.py", "+@pytest.mark.skipif(sys.platform == 'win32', reason='posix only')\n def test_a():\n"),
            ("tests/test_a.py", " def test_a():\n+    if not HAS_GPU:\n+        pytest.skip('no device')\n"),
            (
                "tests/test_a.py",
                "+@pytest.mark.skip(\n+    reason='requires a running postgres',\n+)\n def test_a():\n",
            ),
            (
                "pkg/a_test.go",
                " func TestA(t *testing.T) {\n+\tif runtime.GOOS == \"windows\" {\n+\t\tt.Skip(\"no symlinks\")\n+\t}\n",
            ),
            ("tests/a.rs", " #[test]\n+#[cfg_attr(windows, ignore)]\n fn a() {}\n"),
            ("tests/a.rs", " #[test]\n+#[ignore = \"needs network\"]\n fn a() {}\n"),
            (
                "e2e/a.spec.ts",
                " test('a', async ({ browserName }) => {\n+  test.skip(browserName === 'webkit', 'not supported');\n",
            ),
            ("src/a.test.ts", "+describe.skipIf(process.platform === 'win32')('a', () => {\n"),
            ("src/test/ATest.java", "+    @DisabledOnOs(OS.WINDOWS)\n     @Test\n     void adds() {\n"),
            ("spec/a_spec.rb", "   it 'adds' do\n+    skip 'no fork' if RUBY_PLATFORM == 'java'\n"),
            ("tests/test_a.py", "+@pytest.mark.xfail\n+def test_known_bug():\n+    assert f() == 1\n"),
            ("tests/test_a.py", " def test_a(self):\n     rows = load()\n+    self.skipTest('empty')\n"),
            ("tests/test_a.py", " def test_a(self):\n+    self.skipTest(reason)\n"),
            ("tests/test_skipping.py", " def test_skip(self):\n+    @unittest.skip('testing')\n+    def inner():\n"),
            ("tests/test_a.py", "+    pytest.param('x', marks=pytest.mark.xfail(reason='bug')),\n"),
            ("src/a.test.ts", "+it.todo('handles leap years');\n"),
            ("tests/fixtures/a_test.py", "+@pytest.mark.skip\n+def test_a():\n"),
        ] {
            assert_eq!(check(path, lines), [Likely], "{path}: {lines}");
        }
    }

    #[test]
    fn what_was_asked_for_is_not_certain() {
        let asked = |directive: &str, lines: &str| {
            let mut evidence = changed("tests/test_a.py", lines);
            evidence.directives.extend(Directive::from_prompt(directive, 1, Vec::new()));
            grades(&TestSkipped, &evidence)
        };
        let skip = "+@pytest.mark.skip\n def test_a():\n";
        for directive in [
            "Skip the Windows test",
            "the login test is flaky, disable it",
            "Mark test_a as xfail",
            "Quarantine flaky tests",
        ] {
            assert_eq!(asked(directive, skip), [Likely], "{directive}");
        }
        for directive in [
            "Make all tests pass. Do not skip any tests.",
            "Fix test_a without disabling tests",
            "Skip blank lines in the parser",
        ] {
            assert_eq!(asked(directive, skip), [Certain], "{directive}");
        }
        let conditional = "+@pytest.mark.skipif(WINDOWS)\n def test_a():\n";
        assert_eq!(asked("Add a test for the store. It should be skipped without a database", conditional), []);
        assert_eq!(asked("Add a test. The header should be skipped", conditional), [Likely]);
        assert_eq!(asked("Skip the tests on Windows", "+@pytest.mark.skipif(WINDOWS)\n def test_a():\n"), []);
    }

    #[test]
    fn counter_examples() {
        for (path, lines) in [
            ("src/a.rs", "+    let rest = items.iter().skip(1);\n"),
            ("src/a.rs", "+    // #[ignore] would hide it\n"),
            ("src/a.rs", "-    #[ignore]\n+        #[ignore]\n"),
            ("src/a.rs", "-#[ignore]\n #[test]\n fn a() {}\n"),
            ("tests/test_a.py", "+    assert skip_blank('  a') == 'a'\n"),
            ("tests/test_a.py", "+    text = \"@pytest.mark.skip\"\n"),
            ("src/a.test.ts", "+  expect(list.skip(2)).toEqual([3]);\n+  await page.skip('intro');\n"),
            ("src/a.test.ts", "+  const todo = todos.todo('x');\n"),
            ("src/a.ts", "+  it.skip('not a test file', f);\n"),
            ("pkg/a_test.go", "+\tr.Skip(3)\n+\tt.Log(\"skip\")\n"),
            ("spec/a_spec.rb", "+    skip_before_action :login\n+    pending_orders.each { |o| o }\n"),
            ("src/test/ATest.java", "+    assertTrue(button.isDisabled());\n"),
            ("src/lib.rs", "+#[serde(skip)]\n+#[ignored]\n"),
            ("docs/testing.md", "+Use `#[ignore]` or `it.skip('x')`.\n"),
            ("tests/a.rs", "+    let source = r#\"\n+#[ignore]\n+\"#;\n"),
        ] {
            assert_eq!(check(path, lines), [], "{path}: {lines}");
        }
    }
}
