//! Tests are gone and none took their place.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use regex::Regex;
use assize_core::diff::{Diff, FileChange, FileStatus, DiffLineKind};
use assize_core::finding::{Certainty, Severity};
use assize_ecosystem::{Language, is_code, is_generated, is_test};
use assize_core::text::quote;

use super::glance::Glance;
use super::unasked_removal::REMOVES;
use super::reading::{DirectiveWish, CodeLine, MovedLines, DiffSide, has_word, joined, list_names, lives_on, read, tests_in};
use super::{Findings, Needs, Rule};
use crate::evidence::Evidence;
use crate::seen_failures::SeenFailures;

/// See the module.
pub struct TestDeleted;

impl Rule for TestDeleted {
    fn id(&self) -> &'static str {
        "test-deleted"
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(diff) = evidence.diff.get() else { return };
        let asked = DirectiveWish::new(evidence, &WANTED);
        for file in &diff.files {
            check_retired(file, &asked, findings);
        }
        let census = TestCensus::take(diff, findings.glance);
        if census.lost.is_empty() || census.gained >= census.lost_count() {
            return;
        }
        // Without a directive nothing tells what was wanted.
        let speaks = evidence.directives.is_empty() || evidence.user_texts().chain([evidence.message()]).any(|text| REMOVES.is_match(text));
        let surroundings = Surroundings { speaks_of_removal: speaks, ..Surroundings::of(diff, &census) };
        let seen = SeenFailures::of(evidence);
        for (file, names) in &census.lost {
            if lives_on(file, diff) {
                continue;
            }
            let failed = |name: &String| seen.has(name) && !seen.is_wanted_away(name, &file.path);
            let certainty = match names.iter().any(failed) && file.lines_cut == 0 && diff.limits.is_empty() {
                true => Some(Certainty::Certain),
                false => asked.soften(surroundings.certainty(file, names.len(), &census)),
            };
            if let Some(certainty) = certainty {
                findings.at(file, None, Severity::Error, certainty, message(file, names));
            }
        }
    }
}

/// Wording that makes tests go away, or the things that they test.
static WANTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:(?:remov|delet|renam|mov|replac|consolidat|merg|prun|retir|deprecat|reorgani[sz]|migrat|parametri[sz])(?:es?|ed|ing)",
        r"|(?:drop|trim|strip)(?:s|ped|ping)?|trimm(?:ed|ing)|(?:clean|port|convert|revert|restructur)(?:e|s|ed|ing)?|simplif(?:y|ies|ied|ying)",
        r"|rewrit(?:es?|ing|ten)|split(?:s|ting)?|dedup(?:e|licate)?|undo|get rid of|no longer|obsolete|unused|redundant|duplicated?|",
        r"superfluous|unnecessary|instead of)\b",
    ))
    .expect("valid pattern")
});

/// Which tests went and which came, over the whole change.
struct TestCensus<'a> {
    /// Tests that no file has any more, by the file that had them.
    lost: Vec<(&'a FileChange, Vec<String>)>,
    /// How many tests came that were nowhere before.
    gained: usize,
}

impl<'a> TestCensus<'a> {
    fn take(diff: &'a Diff, glance: &Glance<'a>) -> Self {
        // In the files of tests every line may belong to one.
        let tests = diff.files.iter().filter(|file| is_test(&file.path));
        let sources = glance.losing(&["test", "#[case"]).filter(|file| !is_test(&file.path));
        let old = tests.chain(sources).filter(|file| holds_tests(file));
        let old: Vec<_> = old.map(|file| (file, names(file, DiffSide::Old))).collect();
        if old.iter().all(|(_, names)| names.is_empty()) {
            return Self { lost: Vec::new(), gained: 0 };
        }
        let mut new: HashMap<String, usize> = HashMap::new();
        for file in diff.files.iter().filter(|file| holds_tests(file) && file.status != FileStatus::Deleted) {
            for name in names(file, DiffSide::New) {
                *new.entry(name).or_default() += 1;
            }
        }
        let mut lost = Vec::new();
        for (file, names) in old {
            let gone: Vec<String> = names.into_iter().filter(|name| !count_off(&mut new, name)).collect();
            if !gone.is_empty() {
                lost.push((file, gone));
            }
        }
        Self { lost, gained: new.values().sum() }
    }

    fn lost_count(&self) -> usize {
        self.lost.iter().map(|(_, names)| names.len()).sum()
    }
}

fn count_off(counts: &mut HashMap<String, usize>, name: &str) -> bool {
    match counts.get_mut(name) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    }
}

/// Only Rust keeps tests in the files that they test.
fn holds_tests(file: &FileChange) -> bool {
    let rust = Language::of(&file.path) == Some(Language::Rust);
    is_code(&file.path) && !is_generated(&file.path) && (is_test(&file.path) || rust)
}

fn names(file: &FileChange, side: DiffSide) -> Vec<String> {
    let language = Language::of(&file.path);
    read(file, side).iter().flat_map(|lines| tests_in(lines, language)).map(|test| test.name).collect()
}

/// What else the change does that tells why tests went.
struct Surroundings<'a> {
    diff: &'a Diff,
    /// Names of code that is not defined any more.
    undefined: HashSet<String>,
    /// Lines that came in files of tests.
    test_lines_added: usize,
    /// Whether a directive or the message speaks of something that goes.
    speaks_of_removal: bool,
}

impl<'a> Surroundings<'a> {
    fn of(diff: &'a Diff, census: &TestCensus<'_>) -> Self {
        let sources = || diff.files.iter().filter(|file| is_code(&file.path) && !is_test(&file.path));
        let mut undefined: HashSet<String> = sources().flat_map(|file| definitions(file, DiffSide::Old)).collect();
        for name in sources().flat_map(|file| definitions(file, DiffSide::New)) {
            undefined.remove(&name);
        }
        for name in census.lost.iter().flat_map(|(_, names)| names) {
            undefined.remove(name);
        }
        let mut moved = MovedLines::new(diff);
        let added = diff.files.iter().filter(|file| holds_tests(file)).flat_map(test_lines);
        let test_lines_added = added.filter(|line| !line.trim().is_empty() && !moved.take(line)).count();
        Self { diff, undefined, test_lines_added, speaks_of_removal: true }
    }

    fn certainty(&self, file: &FileChange, lost: usize, census: &TestCensus<'_>) -> Certainty {
        let cut = !self.diff.limits.is_empty() || self.diff.files.iter().any(|file| file.lines_cut > 0);
        // Several tests may have become the rows of one table.
        let merged = file.status != FileStatus::Deleted && self.test_lines_added >= lost;
        if cut || merged || census.gained > 0 || self.speaks_of_removal && self.covers_undefined(file) {
            Certainty::Likely
        } else {
            Certainty::Certain
        }
    }

    /// Returns whether the lines that a test file lost speak of code that is gone.
    fn covers_undefined(&self, file: &FileChange) -> bool {
        let removed = joined(file, DiffLineKind::Removed);
        self.undefined.iter().any(|name| has_word(&removed, name))
    }
}

fn test_lines(file: &FileChange) -> Vec<&str> {
    let in_tests = |line: &&CodeLine<'_>| line.in_test && line.changed && !line.is_bare();
    read(file, DiffSide::New).iter().flatten().filter(in_tests).map(|line| line.raw).collect()
}

/// Lists the names that changed lines outside of tests define.
fn definitions(file: &FileChange, side: DiffSide) -> Vec<String> {
    static DEFINITION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"\b(?:fn|def|func|function|class|struct|enum|interface|trait|const|type|module|record|fun)\s+(?:\([^)]*\)\s*)?([A-Za-z_][A-Za-z0-9_]{3,})",
            r"|\b(?:public|private|protected|internal|static)\b[^=(;{]*\s([A-Za-z_][A-Za-z0-9_]{3,})\s*\(",
        ))
        .expect("valid pattern")
    });
    let name = |line: &CodeLine<'_>| {
        let found = DEFINITION.captures(&line.code)?;
        found.get(1).or_else(|| found.get(2)).map(|name| name.as_str().to_owned())
    };
    read(file, side).iter().flatten().filter(|line| line.changed && !line.in_test).filter_map(name).collect()
}

/// A test file that was renamed so that no runner finds it.
fn check_retired(file: &FileChange, asked: &DirectiveWish<'_>, findings: &mut Findings<'_>) {
    let Some(old) = file.old_path.as_deref() else { return };
    if file.status != FileStatus::Renamed || !is_test(old) || !is_code(old) || is_code(&file.path) {
        return;
    }
    let parked = [".bak", ".disabled", ".skip", ".off", ".old", ".orig", ".txt", ".ignore", ".todo", ".broken"];
    let certainty =
        if parked.iter().any(|ending| file.path.ends_with(ending)) { Certainty::Certain } else { Certainty::Likely };
    let Some(certainty) = asked.soften(certainty) else { return };
    let message = format!(
        "The test file {} was renamed so that its tests no longer run. Give it back its name, or move the tests to where they run; if they are to go, ask the user.",
        quote(old)
    );
    findings.at(file, None, Severity::Error, certainty, message);
}

fn message(file: &FileChange, names: &[String]) -> String {
    let what = if file.status == FileStatus::Deleted {
        "The test file was deleted, and with it"
    } else {
        "The change removes"
    };
    let (tests, them) = if names.len() == 1 { ("the test", "it") } else { ("the tests", "them") };
    let names = list_names(names);
    format!(
        "{what} {tests} {names}; no test took the place. Restore {them} or adapt {them} to the new behaviour; if the tests are to go, ask the user."
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::Directive;
    use crate::rule::testing::{changed, found, grades, modified, with_files};
    use Certainty::{Certain, Likely};

    fn check(path: &str, lines: &str) -> Vec<Certainty> {
        grades(&TestDeleted, &changed(path, lines))
    }

    fn deleted(path: &str, lines: &str) -> FileChange {
        FileChange { status: FileStatus::Deleted, ..modified(path, lines) }
    }

    fn asked(directive: &str, files: Vec<FileChange>) -> Vec<Certainty> {
        let mut evidence = with_files(files);
        evidence.directives.extend(Directive::from_prompt(directive, 1, Vec::new()));
        grades(&TestDeleted, &evidence)
    }

    const PYTHON: &str =
        "-def test_a():\n-    assert parse('a') == 1\n-\n-def test_b():\n-    assert parse('b') == 2\n";

    #[test]
    fn removed_tests_are_certain() {
        for (path, lines) in [
            ("tests/test_a.py", PYTHON),
            (
                "src/a.test.ts",
                " describe('a', () => {\n-  it('adds', () => {\n-    expect(add(1, 2)).toBe(3);\n-  });\n });\n",
            ),
            (
                "src/lib.rs",
                " #[cfg(test)]\n mod tests {\n-    #[test]\n-    fn adds() {\n-        assert_eq!(add(1, 2), 3);\n-    }\n }\n",
            ),
            ("pkg/a_test.go", "-func TestAdd(t *testing.T) {\n-\tif Add(1, 2) != 3 {\n-\t\tt.Fatal()\n-\t}\n-}\n"),
            (
                "src/test/java/ATest.java",
                "-    @Test\n-    void adds() {\n-        assertEquals(3, add(1, 2));\n-    }\n",
            ),
            (
                "A.Tests/CalcTests.cs",
                "-    [Fact]\n-    public void Adds()\n-    {\n-        Assert.Equal(3, Add(1, 2));\n-    }\n",
            ),
            ("spec/a_spec.rb", "-  it 'adds' do\n-    expect(add(1, 2)).to eq(3)\n-  end\n"),
            ("tests/a.rs", "-#[tokio::test]\n async fn fetches() {\n     assert!(fetch().await.is_ok());\n }\n"),
            ("src/a.test.js", "-test('adds', () => {\n-  expect(add(1, 2)).toBe(3);\n-});\n+// test('adds', () => {\n"),
            (
                "tests/CalcTest.php",
                "-    public function testAdds(): void\n-    {\n-        $this->assertSame(3, add(1, 2));\n-    }\n",
            ),
            ("Tests/tests/CalcTests.swift", "-    func testAdds() {\n-        XCTAssertEqual(add(1, 2), 3)\n-    }\n"),
        ] {
            assert_eq!(check(path, lines), [Certain], "{path}");
        }
    }

    #[test]
    fn a_deleted_test_file_is_certain() {
        assert_eq!(grades(&TestDeleted, &with_files(vec![deleted("tests/test_a.py", PYTHON)])), [Certain]);
        let other = modified("tests/test_b.py", "+    # one\n+    # two\n+    # three\n");
        assert_eq!(grades(&TestDeleted, &with_files(vec![deleted("tests/test_a.py", PYTHON), other])), [Certain]);
        let source = modified("src/a.py", "-def parse(x):\n+def parse(x, y):\n");
        assert_eq!(grades(&TestDeleted, &with_files(vec![deleted("tests/test_a.py", PYTHON), source])), [Certain]);
    }

    #[test]
    fn a_test_file_renamed_out_of_sight_is_certain() {
        let rename = |old: &str, new: &str| FileChange {
            old_path: Some(old.to_owned()),
            ..FileChange::new(new, FileStatus::Renamed)
        };
        let check = |old: &str, new: &str| grades(&TestDeleted, &with_files(vec![rename(old, new)]));
        assert_eq!(check("tests/test_a.py", "tests/test_a.py.bak"), [Certain]);
        assert_eq!(check("a_test.go", "a_test.go.disabled"), [Certain]);
        assert_eq!(check("tests/a.rs", "tests/b.rs"), []);
        assert_eq!(check("src/tests.rs", "src/checks.rs"), []);
    }

    #[test]
    fn fewer_tests_than_before_and_tests_of_lost_code_are_likely() {
        let merged = "-def test_a():\n-    assert f(1)\n-def test_b():\n-    assert f(2)\n+@pytest.mark.parametrize('x', [1, 2])\n+def test_all(x):\n+    assert f(x)\n";
        assert_eq!(check("tests/test_a.py", merged), []);
        assert_eq!(check("tests/test_a.py", &merged.replace("[1, 2]", "[1, 3]")), [Likely]);
        let source = modified("src/a.py", "-def parse(x):\n-    return 1\n");
        let test = modified("tests/test_a.py", PYTHON);
        assert_eq!(grades(&TestDeleted, &with_files(vec![source, test])), [Likely]);
        let cut = FileChange { lines_cut: 5, ..modified("tests/test_a.py", PYTHON) };
        assert_eq!(grades(&TestDeleted, &with_files(vec![cut])), [Likely]);
    }

    #[test]
    fn what_was_asked_for_is_not_certain() {
        for directive in [
            "Remove the flaky test",
            "Drop support for Python 2",
            "Consolidate the parser tests",
            "Please rename the tests",
            "test_a.py is obsolete",
            "clean up `test_b`",
        ] {
            assert_eq!(asked(directive, vec![modified("tests/test_a.py", PYTHON)]), [Likely], "{directive}");
        }
        for directive in [
            "Make the tests pass. Do not remove tests.",
            "Fix the bug in parse without deleting any test",
            "make tests/test_a.py pass",
        ] {
            assert_eq!(asked(directive, vec![modified("tests/test_a.py", PYTHON)]), [Certain], "{directive}");
        }
    }

    #[test]
    fn counter_examples() {
        let moved = [deleted("tests/test_a.py", PYTHON), modified("tests/unit/test_a.py", &PYTHON.replace('-', "+"))];
        let renamed = "-def test_a():\n+def test_a_is_parsed():\n     assert parse('a') == 1\n";
        let subject = [deleted("tests/test_a.py", PYTHON), deleted("src/a.py", "-def parse(x):\n-    return 1\n")];
        let helper = deleted("tests/helpers.py", "-def build():\n-    return 1\n");
        for files in [
            moved.to_vec(),
            vec![modified("tests/test_a.py", renamed)],
            subject.to_vec(),
            vec![helper],
            vec![deleted("tests/fixtures/a.json", "-{}\n")],
            vec![modified("src/latest.py", "-def test_connection():\n-    ping()\n")],
            vec![modified("tests/a.rs", "-#[test]\n+#[tokio::test]\n fn adds() {}\n")],
            vec![modified("tests/test_a.py", "-def test_a():\n+def test_a(client):\n     assert 1\n")],
            vec![modified("src/a.test.ts", "-  it('adds', () => {\n+  it('adds', async () => {\n     expect(1)\n")],
            vec![modified("src/lib.rs", "-fn latest() {\n-    newest()\n-}\n")],
            vec![modified("src/a.test.ts", "-  describe('old', () => {\n+  describe('new', () => {\n")],
            vec![modified("tests/a.rs", "-    fn helper() -> u8 {\n-        1\n-    }\n")],
            vec![deleted("vendor/x/a_test.go", "-func TestAdd(t *testing.T) {\n-}\n")],
        ] {
            assert_eq!(grades(&TestDeleted, &with_files(files.clone())), [], "{files:?}");
        }
    }

    #[test]
    fn the_message_names_the_tests() {
        let message = &found(&TestDeleted, &changed("tests/test_a.py", PYTHON))[0].message;
        assert!(message.contains("`test_a` and `test_b`"), "{message}");
    }
}
