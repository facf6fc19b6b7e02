//! A test asserts less than it did, or nothing.

mod broken_value;
mod looser;
mod lost_value;
mod shown_value;
mod snapshot_value;
mod tolerance;

use std::cell::LazyCell;
use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;
use assize_core::diff::{Diff, FileChange, FileStatus, DiffLineKind};
use assize_core::finding::{Certainty, Severity};
use assize_ecosystem::{Language, is_code, is_generated, is_test, is_test_input};
use assize_core::path::{file_name, is_prose};
use assize_core::text::quote;

use super::reading::{
    DirectiveWish, CodeLine, MovedLines, DiffSide, code_of, enclosing, is_guarded, opens_function, opens_rust_tests, read, tests_in,
};
use self::looser::{Loosening, common, compares_beginning, is_unordered, share_a_beginning, wider};
use self::shown_value::ShownValues;
use self::tolerance::Tolerated;
use super::failing_check::is_alone;
use super::{Findings, Needs, Rule};
use crate::evidence::Evidence;
use crate::seen_failures::SeenFailures;

/// See the module.
pub struct AssertionWeakened;

impl Rule for AssertionWeakened {
    fn id(&self) -> &'static str {
        "assertion-weakened"
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(diff) = evidence.diff.get() else { return };
        let asked = DirectiveWish::new(evidence, &WANTED);
        let mut moved = MovedLines::new(diff);
        let glance = findings.glance;
        for file in glance.adding(&HINTS).filter(|file| may_assert(file)) {
            check_tautologies(file, &asked, &mut moved, findings);
        }
        for file in &diff.files {
            let Some(found) = broken_value::expected(file) else { continue };
            // What the message or a prompt speaks of is no oversight.
            if evidence.message().contains(found.shown) || evidence.user_texts().any(|text| text.contains(found.shown)) {
                continue;
            }
            let message = format!("{} expects {} where {} was expected. Correct the code that makes it, or say why this is right.", quote(found.new.trim()), quote(found.shown), quote(found.old.trim()));
            findings.at(file, Some(found.line), Severity::Error, Certainty::Certain, message);
        }
        if let Some((file, line, old, new)) = snapshot_value::taken_over(diff, evidence)
            && !SeenFailures::of(evidence).is_empty()
        {
            let is_told = evidence.message().contains(new.trim());
            let sure = is_alone(evidence) && evidence.directives.len() == 1 && !is_told;
            let message = format!("{} stands in a snapshot where {} stood, no directive gives that number, and the change alters texts of the code at most. Correct the code that makes it, or say where the number comes from.", quote(new.trim()), quote(old.trim()));
            findings.at(file, Some(line), Severity::Error, if sure { Certainty::Certain } else { Certainty::Likely }, message);
        }
        // Only Rust keeps tests in other files than those of tests, and marks them.
        let tests = glance.showing(&["mod tests", "#["]).filter(|file| !is_test(&file.path));
        for file in tests.chain(diff.files.iter().filter(|file| is_test(&file.path))).filter(|file| may_assert(file)) {
            check_blocks(file, evidence, &asked, findings);
        }
    }
}

static WANTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:updat|adjust|adapt|relax|loosen|weaken|chang|rewrit|remov|delet|drop|simplif|clean)[a-z]*\b[^.\n]{0,80}\b(?:tests?|specs?|assert[a-z]*|expect[a-z]*|snapshots?|golden)\b",
        r"|\b(?:tests?|assertions?|expectations?|expected (?:value|output|result)s?)\b[^.\n]{0,40}\b(?:is|are|was|were) (?:wrong|outdated|too strict|incorrect|brittle)",
        r"|\b(?:smoke|sample|placeholder|dummy|scaffold[a-z]*|trivial|example) tests?\b|\ba (?:dummy|placeholder) (?:is|will be|would be) (?:enough|fine|ok(?:ay)?)\b",
    ))
    .expect("valid pattern")
});

/// At least one of these stands in every assertion that cannot fail.
const HINTS: [&str; 6] = ["ssert", "xpect", "EXPECT", "ASSERT", "True", "true"];

fn may_assert(file: &FileChange) -> bool {
    let rust = Language::of(&file.path) == Some(Language::Rust);
    is_code(&file.path)
        && !is_generated(&file.path)
        && !is_test_input(&file.path)
        && !file.path.split('/').any(|folder| folder == "samples")
        && (is_test(&file.path) || rust)
        && file.status != FileStatus::Deleted
}

fn check_tautologies(file: &FileChange, asked: &DirectiveWish<'_>, moved: &mut MovedLines<'_>, findings: &mut Findings<'_>) {
    for lines in &read(file, DiffSide::New) {
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.changed && line.in_test) {
            let Some(certainty) = tautology(lines, index, Language::of(&file.path)) else { continue };
            if moved.take(line.raw) {
                continue;
            }
            let Some(certainty) = asked.soften(certainty) else { continue };
            let message = format!(
                "{} cannot fail and so checks nothing. Assert what the code under test does, or drop the line.",
                quote(line.raw)
            );
            findings.at(file, Some(line.number), Severity::Error, certainty, message);
        }
    }
}

/// Returns how sure it is that an assertion cannot fail.
fn tautology(lines: &[CodeLine<'_>], index: usize, language: Option<Language>) -> Option<Certainty> {
    static TRUE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"\b(?:assert|assertTrue|assert_true|assert\.ok|assert\.isTrue|XCTAssert|XCTAssertTrue|ASSERT_TRUE|EXPECT_TRUE|Assert\.True|Assert\.IsTrue|Assert\.That)!?\s*\(\s*(?:true|True|TRUE)\s*[,)]",
            r"|\.True\(\s*t,\s*true\s*[,)]",
            r"|^\s*assert\s+(?:True|not False)\s*(?:,|$)|^\s*assert\s.*\bor\s+True\s*(?:,|$)|\bassert!\(.*\|\|\s*true\s*[,)]",
            r"|\bexpect\(\s*true\s*\)\.?\s*(?:toBe\(\s*true|toEqual\(\s*true|toStrictEqual\(\s*true|toBeTruthy\(|to\.be\.true|to\.be\.ok|to\.(?:be\.)?(?:equal|eq)\(\s*true|to\s*\(?\s*(?:eq|be)[\s(]+true|to be_truthy|to be true)",
            r"|\bexpect\(\s*false\s*\)\.(?:toBe\(\s*false|toEqual\(\s*false|toBeFalsy\(|to\.be\.false)",
        ))
        .expect("valid pattern")
    });
    let line = &lines[index];
    let same = same_operands(line);
    if !(may_be_true(&line.code) && TRUE.is_match(&line.code)) && same != Some(Certainty::Certain) {
        return same;
    }
    // `assertTrue(true)` after a call says "it did not throw", which runners of PHP want said. Tests
    // of test frameworks hold assertions as their input.
    let reached = language == Some(Language::Php) || is_guarded(lines, index) || in_handler(lines, index);
    let nested = enclosing(lines, index).filter(|line| line.code.trim_start().starts_with("def ")).count() > 1;
    Some(if reached || nested { Certainty::Likely } else { Certainty::Certain })
}

fn may_be_true(code: &str) -> bool {
    ["true", "True", "TRUE", "false", "False"].iter().any(|word| code.contains(word))
}

fn in_handler(lines: &[CodeLine<'_>], index: usize) -> bool {
    let mut blocks = enclosing(lines, index).take_while(|line| !opens_function(&line.code));
    blocks.any(|line| ["catch", "except", "rescue", ".on(", "done", "=> {"].iter().any(|word| line.code.contains(word)))
}

/// Compares the two operands of an equality.
fn same_operands(line: &CodeLine<'_>) -> Option<Certainty> {
    static EQUALITY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?:\bassert_eq!|\bassertEquals?|\bassertSame|\bassert\.(?:equal|strictEqual|deepEqual)|\bAssert\.(?:Equal|AreEqual)|\bXCTAssertEqual|\b(?:EXPECT|ASSERT)_EQ)\s*\(\s*(?P<a>[^,()]+?)\s*,\s*(?P<b>[^,()]+?)\s*[,)]",
            r"|\bexpect\(\s*(?P<c>[^,()]+?)\s*\)\.(?:toBe|toEqual|toStrictEqual|to\.equal|to\.eql)\(\s*(?P<d>[^,()]+?)\s*\)",
            r"|^\s*assert\s+(?P<e>[^,()=]+?)\s*==\s*(?P<f>[^,()=]+?)\s*(?:,|$)",
        ))
        .expect("valid pattern")
    });
    if !line.code.contains("ssert") && !line.code.contains("xpect") && !line.code.contains("_EQ") {
        return None;
    }
    let operands = |text: &str| {
        let found = EQUALITY.captures(text)?;
        let operand = |names: [&str; 3]| {
            names.iter().find_map(|name| found.name(name)).map(|operand| operand.as_str().to_owned())
        };
        Some((found.get(0)?.start(), operand(["a", "c", "e"])?, operand(["b", "d", "f"])?))
    };
    // The code tells whether the line asserts, the line itself what its strings hold.
    let (start, code_left, code_right) = operands(&line.code)?;
    let (raw_start, left, right) = operands(line.raw)?;
    if start != raw_start || code_left != code_right || left != right {
        return None;
    }
    let literal = left.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '"' | '\''))
        || matches!(left.as_str(), "true" | "false" | "True" | "False" | "null" | "None" | "nil");
    Some(if literal { Certainty::Certain } else { Certainty::Likely })
}

/// Neighbouring lines that went and came.
#[derive(Default)]
struct ChangeBlock<'a> {
    removed: Vec<&'a str>,
    added: Vec<(u32, &'a str)>,
    in_test: bool,
}

fn blocks(file: &FileChange) -> Vec<ChangeBlock<'_>> {
    let mut in_test = is_test(&file.path);
    let mut blocks: Vec<ChangeBlock<'_>> = Vec::new();
    for hunk in &file.hunks {
        let mut number = hunk.new_start;
        let mut block = ChangeBlock::default();
        for line in &hunk.lines {
            let text = line.text.inspect();
            in_test |= Language::of(&file.path) == Some(Language::Rust) && opens_rust_tests(text);
            match line.kind {
                DiffLineKind::Removed => block.removed.push(text),
                DiffLineKind::Added => block.added.push((number, text)),
                DiffLineKind::Context => blocks.push(ChangeBlock { in_test, ..std::mem::take(&mut block) }),
            }
            number += u32::from(line.kind != DiffLineKind::Removed);
        }
        blocks.push(ChangeBlock { in_test, ..block });
    }
    blocks.retain(|block| !block.removed.is_empty() || !block.added.is_empty());
    blocks
}

/// Any statement that checks something.
static ASSERTION: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?:^|[^.A-Za-z0-9_])expect[A-Za-z_.]*\s*\(|\b(?:assert|Assert|ASSERT|EXPECT|XCTAssert|verify|should|require\.|check|must)[A-Za-z_.]*!?\s*[({]|^\s*assert\s|\.should\b",
        r"|\bt\.(?:Error|Fatal)f?\(|\bis_expected\b|\bpytest\.raises\b|\.(?:is|deepEqual|true|false|throws)\(",
    ))
    .expect("valid pattern")
});
/// An assertion that accepts one value only.
static EXACT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\bassert_eq!|\bassert(?:Equals?|Same|Equal|ListEqual|DictEqual)\(|\bassert\.(?:equal|strictEqual|deepEqual|deepStrictEqual|Equal)\(|\brequire\.Equal\(|",
        r"\.(?:toBe|toEqual|toStrictEqual|toHaveLength|toThrow|toMatchInlineSnapshot)\([^)]|\.to\.(?:deep\.)?(?:equal|eql|eq)\(|\bto\s+eq[\s(]|\bAssert\.(?:Equal|AreEqual)\(|",
        r"\b(?:EXPECT|ASSERT)_EQ\(|\bXCTAssertEqual\(|^\s*assert\b.*==|\bassert!\(.*==|\.isEqualTo\(",
    ))
    .expect("valid pattern")
});
/// An assertion that accepts many values.
static LOOSE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\.(?:toBeTruthy|toBeDefined|toThrow)\(\)|\.not\.toBe(?:Null|Undefined)?\(|\bexpect\.any(?:thing)?\(|\.toBe(?:Greater|Less)Than|\.to\.(?:exist|be\.ok)\b|",
        r"\bassert(?:True|IsNotNone|NotNull|IsInstance|NotEquals?|IsNot|In|Greater\w*)\(|\bAssert\.(?:NotNull|True|IsNotNull|IsTrue)\(|\.(?:NotNil|NotEmpty|True|NoError)\(|",
        r"\bassert!\(.*(?:is_ok\(|is_some\(|is_err\(|!=|>|<|is_empty\(|contains\(|starts_with\(|matches!)|^\s*assert\s+[^=<>!]*$|^\s*assert\b.*(?: is not | != | >=? | <=? | in )|",
        r"\bbe_truthy\b|not_to be_nil|\b(?:EXPECT|ASSERT)_(?:TRUE|NE|GE|GT|LE|LT)\(|\.isNotNull\(",
    ))
    .expect("valid pattern")
});


fn check_blocks(file: &FileChange, evidence: &Evidence, asked: &DirectiveWish<'_>, findings: &mut Findings<'_>) {
    let Some(diff) = evidence.diff.get() else { return };
    if file.removed_lines().next().is_none() {
        return;
    }
    let language = Language::of(&file.path);
    let blocks = blocks(file);
    let surviving: Vec<&ChangeBlock<'_>> =
        blocks.iter().filter(|block| block.in_test && !loses_test(block, language)).collect();
    let mut loosened = false;
    let seen = SeenFailures::of(evidence);
    let shown = LazyCell::new(|| seen.reports().flat_map(ShownValues::of).collect::<Vec<_>>());
    for block in &surviving {
        let may_show = block.removed.iter().any(|old| EXACT.is_match(old)) && !block.added.is_empty();
        let lets_pass = if may_show { lets_shown_pass(block, &shown) } else { None };
        if let Some((line, old, new)) = lets_pass.filter(|(.., new)| !is_wished(&seen, new)) {
            loosened = true;
            let message = format!("{} failed in this session with another value, and {} lets that value pass. Correct the code, or say where the new expectation comes from.", quote(old), quote(new));
            findings.at(file, Some(line), Severity::Error, Certainty::Certain, message);
            continue;
        }
        if let Some((line, old, new)) = lost_value::found(block, language)
            && test_of(file, line).is_some_and(|test| seen.has(&test) && !seen.may_accept_more([&test, ""]))
            && !asked.is_asked()
            && !is_wished(&seen, new)
        {
            loosened = true;
            let message = format!("{} no longer holds all values that {} expected, and the test failed in this session. Correct the code, or say why these values do not matter.", quote(new), quote(old));
            findings.at(file, Some(line), Severity::Error, Certainty::Certain, message);
            continue;
        }
        let Some(loosening) = judge(block, language, diff) else { continue };
        loosened = true;
        let admits = |it: &Tolerated| seen.reports().any(|report| it.admits_one_of(report));
        // A tolerance for noise is none.
        let is_tolerated = !loosening.tolerated.is_empty();
        if is_tolerated && !loosening.tolerated.iter().any(admits) {
            continue;
        }
        // A test that failed, and now accepts what the code does: that it passes shows nothing.
        let test = test_at(file, loosening.line);
        let has_failed = || seen.has(file_name(&file.path)) || test.as_ref().is_some_and(|name| seen.has(name));
        // That the order is of no matter lets nothing be missing.
        static PART: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?i-u)<= ?(?:set\(|\{|frozenset)|\bissubset\b|issuperset\b|arrayContaining|containsAll\b|\bsubset\b").expect("valid pattern")
        });
        let takes_part = || block.added.iter().any(|(line, new)| *line == loosening.line && PART.is_match(new));
        static CHANCE: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?i-u)\bflak|intermittent|random|determinis|sometimes|every other|now and then|\b(?:un)?stable\b|manchmal|parfois|a veces").expect("valid pattern")
        });
        let by_chance = || block.added.iter().any(|(_, new)| is_unordered(new)) && seen.wishes_match(&CHANCE);
        // How exact the result has to be, the user has said.
        static PRECISION: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?i-u)\bfloat(?:16|32)\b|\bf(?:16|32)\b|\bhalf (?:a|an) \w+ (?:off|is|more|less|does)|\b(?:single|half|lower|less) precision\b|\boff (?:is|by [ -~]{1,20}is) (?:no problem|fine|ok)\b|\bquanti[sz]").expect("valid pattern")
        });
        let is_granted = || {
            is_tolerated && seen.wishes_match(&PRECISION) || by_chance() || loosening.value.is_some_and(|value| seen.names_value(value))
                || !takes_part() && seen.may_accept_more([test.as_deref().unwrap_or_default(), loosening.subject])
        };
        let hides = (has_failed() || is_tolerated) && !is_granted();
        let certainty = if hides { Certainty::Certain } else { Certainty::Likely };
        static ORDER: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"(?i-u)\border\b|\bReihenfolge\b|\bordre\b|\borden\b").expect("valid pattern"));
        let is_beside_the_wish = hides && takes_part() && seen.wishes_match(&ORDER);
        let certainty = if is_beside_the_wish { Some(certainty) } else { asked.soften(certainty) };
        if let Some(certainty) = certainty {
            let severity = if certainty == Certainty::Certain { Severity::Error } else { Severity::Warning };
            findings.at(file, Some(loosening.line), severity, certainty, loosening.message);
        }
    }
    if loosened {
        return;
    }
    if let Some(gone) = unreplaced(&surviving, language, diff)
        && !asked.is_asked()
    {
        let message = format!(
            "Assertions were removed and none took their place, such as {}. Put them back, or say in the final message why the tests need them no longer.",
            quote(gone)
        );
        findings.at(file, None, Severity::Warning, Certainty::Likely, message);
    }
}

/// A line that expected a value, and the one in its place that lets another one pass, with which the first was seen to fail.
fn lets_shown_pass<'a>(block: &ChangeBlock<'a>, shown: &[ShownValues]) -> Option<(u32, &'a str, &'a str)> {
    let alike = |old: &str, new: &str| old.chars().zip(new.chars()).take_while(|(old, new)| old == new).count();
    block.removed.iter().find_map(|old| {
        let old = old.trim();
        let (line, new) = block.added.iter().map(|(line, new)| (*line, new.trim())).max_by_key(|(_, new)| alike(old, new))?;
        let is_replaced = share_a_beginning(old, new) && shown.iter().any(|it| it.are_let_pass(old, new));
        is_replaced.then_some((line, old, new))
    })
}

/// Returns whether the user let expectations be looser, or named a value that a new one has.
fn is_wished(seen: &SeenFailures<'_>, new: &str) -> bool {
    static LOOSER_WANTED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:relax|loosen|weaken|less strict|too strict|strict|brittle|flaky|toleran|approx|roughly|at least|at most|between|range|any value|random|uuid|unpredictable|unguessable|not (?:be )?exact|don't care|doesn't matter|does not matter)").expect("valid pattern")
    });
    let numbers = new.split(|character: char| !character.is_ascii_digit() && character != '.').filter(|number| number.len() > 2);
    numbers.into_iter().any(|number| seen.names_value(number)) || seen.wishes_match(&LOOSER_WANTED)
}

/// Whole tests that went are the business of another rule.
fn loses_test(block: &ChangeBlock<'_>, language: Option<Language>) -> bool {
    let heading = |text: &&str| is_heading(text, language);
    let came = block.added.iter().filter(|(_, text)| heading(text)).count();
    block.removed.iter().filter(|text| heading(text)).count() > came
}

fn is_heading(text: &str, language: Option<Language>) -> bool {
    let text = text.trim_start();
    match language {
        Some(language) if language.is_script() => {
            ["it(", "test(", "it.", "test.", "describe("].iter().any(|word| text.starts_with(word))
        }
        Some(Language::Ruby) => text.starts_with("it ") || text.starts_with("def test"),
        _ => ["fn ", "async fn ", "pub fn ", "def ", "async def ", "func ", "void ", "public ", "fun ", "TEST"]
            .iter()
            .any(|word| text.starts_with(word)),
    }
}

/// The test that a line belongs to, as far as the change shows it.
fn test_at(file: &FileChange, line: u32) -> Option<String> {
    let language = Language::of(&file.path);
    let hunks = read(file, DiffSide::New);
    let lines = hunks.iter().find(|lines| lines.iter().any(|read| read.number == line))?;
    tests_in(lines, language).into_iter().rfind(|test| lines[test.index].number <= line).map(|test| test.name)
}

/// The name of the test that a line belongs to; where the language is not read, that of its file.
fn test_of(file: &FileChange, line: u32) -> Option<String> {
    let stem = || file_name(&file.path).split('.').next().map(str::to_owned);
    if Language::of(&file.path).is_some() { test_at(file, line) } else { stem() }
}

/// Compares what a block asserted with what it asserts now.
fn judge<'a>(block: &ChangeBlock<'a>, language: Option<Language>, diff: &Diff) -> Option<Loosening<'a>> {
    let removed: Vec<(String, &str)> = block.removed.iter().map(|text| (code_of(text, language), *text)).collect();
    let added: Vec<(String, u32, &'a str)> =
        block.added.iter().map(|(number, text)| (code_of(text, language), *number, *text)).collect();
    let pairs = block.removed.iter().flat_map(|old| block.added.iter().map(move |(line, new)| (old, *line, new)));
    let mut tolerated = pairs.clone().map(|(old, line, new)| (old, line, *new, Tolerated::of(old, new)));
    if let Some((old, line, new, tolerated)) = tolerated.find(|(.., tolerated)| !tolerated.is_empty()) {
        return Some(Loosening {
            line,
            message: format!("{} lets pass what failed {} in this session. Correct the code, or say where the tolerance comes from.", quote(new), quote(old)),
            value: None,
            tolerated,
            subject: common(old, new),
        });
    }
    if let Some((old, line, new)) = pairs.clone().find(|(old, _, new)| compares_beginning(old, new)) {
        return Some(Loosening {
            line,
            message: format!("{} compares only the beginning of what {} compared. Compare the whole, or say why the rest does not matter.", quote(new), quote(old)),
            value: None,
            tolerated: Vec::new(),
            subject: common(old, new),
        });
    }
    if let Some(found) = pairs.filter(|(old, _, new)| share_a_beginning(old, new)).find_map(|(old, line, new)| wider(old, new, line)) {
        return Some(found);
    }
    let exact = |code: &str| EXACT.is_match(code) && !LOOSE.is_match(code);
    let were: Vec<_> = removed.iter().filter(|(code, _)| exact(code)).collect();
    let are: Vec<_> = added.iter().filter(|(code, ..)| exact(code)).collect();
    if are.len() < were.len() {
        let subjects: HashSet<&str> = were.iter().flat_map(|(code, _)| words(code)).collect();
        let loose =
            added.iter().find(|(code, ..)| LOOSE.is_match(code) && words(code).any(|word| subjects.contains(word)));
        return loose.map(|(_, line, text)| Loosening {
            line: *line,
            message: format!("{} accepts more than {}, which it replaces. Assert the exact value, or say why it cannot be known.", quote(text), quote(were[0].1)),
            value: None,
            tolerated: Vec::new(),
            subject: "",
        });
    }
    if source_changed(diff) {
        return None;
    }
    were.iter().zip(&are).find(|((old, old_text), (new, _, new_text))| old_text != new_text && without_values(old) == without_values(new)).map(
        |((_, old), (_, line, new))| Loosening {
            line: *line,
            message: format!("The expected value in {} was changed to {}, and nothing else in the change explains it. Correct the code instead, or say why the test was wrong.", quote(old), quote(new)),
            value: None,
            tolerated: Vec::new(),
            subject: "",
        },
    )
}

/// The names in a line, those of the assertions themselves left out.
fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|character: char| !character.is_alphanumeric() && character != '_').filter(|word| {
        let known = [
            "assert",
            "Assert",
            "expect",
            "EXPECT",
            "ASSERT",
            "XCTAssert",
            "self",
            "this",
            "toBe",
            "toEqual",
            "require",
        ];
        word.len() > 2
            && !word.starts_with(|first: char| first.is_ascii_digit())
            && !known.iter().any(|known| word.starts_with(known))
    })
}

fn without_values(code: &str) -> String {
    static VALUE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:[0-9][0-9A-Fa-fx_.]*|true|false|True|False|null|None|nil)\b").expect("valid pattern")
    });
    VALUE.replace_all(code, "0").trim().to_owned()
}

/// Returns whether the change touches anything but tests and prose.
fn source_changed(diff: &Diff) -> bool {
    diff.files
        .iter()
        .filter(|file| !is_test(&file.path) && !is_prose(&file.path))
        .any(|file| Language::of(&file.path) != Some(Language::Rust) || blocks(file).iter().any(|block| !block.in_test))
}

/// Finds an assertion that went when more went than came, in the file and in the whole change.
fn unreplaced<'a>(blocks: &[&ChangeBlock<'a>], language: Option<Language>, diff: &Diff) -> Option<&'a str> {
    let asserts = |text: &str| ASSERTION.is_match(&code_of(text, language));
    let went: Vec<&str> =
        blocks.iter().flat_map(|block| block.removed.iter().copied()).filter(|text| asserts(text)).collect();
    let came = blocks.iter().flat_map(|block| &block.added).filter(|(_, text)| asserts(text)).count();
    if went.len() <= came {
        return None;
    }
    let elsewhere: HashSet<&str> =
        diff.files.iter().flat_map(FileChange::added_lines).map(|(_, text)| text.trim()).collect();
    went.into_iter().find(|text| !elsewhere.contains(text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::Directive;
    use crate::rule::testing::{changed, grades, modified, with_files};
    use Certainty::{Certain, Likely};

    fn check(path: &str, lines: &str) -> Vec<Certainty> {
        grades(&AssertionWeakened, &changed(path, lines))
    }

    #[test]
    fn assertions_that_cannot_fail_are_certain() {
        for (path, lines) in [
            ("tests/a.rs", "+    assert!(true);\n"),
            ("src/a.rs", " mod tests {\n+    assert!(parses(x) || true);\n"),
            ("tests/test_a.py", "+    assert True\n"),
            ("tests/test_a.py", "+    assert parse(x) == 3 or True\n"),
            ("tests/test_a.py", "+        self.assertTrue(True)\n"),
            ("tests/test_a.py", "+    assert 1 == 1\n"),
            ("src/a.test.ts", "+    expect(true).toBe(true);\n"),
            ("src/a.test.ts", "+    expect(true).toBeTruthy();\n"),
            ("src/a.test.ts", "+    expect(1).toEqual(1);\n"),
            ("src/a.test.js", "+    assert.ok(true);\n"),
            ("pkg/a_test.go", "+\tassert.True(t, true)\n"),
            ("src/test/ATest.java", "+        assertTrue(true);\n"),
            ("tests/ATests.cs", "+        Assert.True(true);\n"),
            ("spec/a_spec.rb", "+    expect(true).to eq(true)\n"),
            ("tests/a.rs", "+    assert_eq!(\"x\", \"x\");\n"),
        ] {
            assert_eq!(check(path, lines), [Certain], "{lines}");
        }
    }

    #[test]
    fn reached_marks_and_reflexive_comparisons_are_likely() {
        for (path, lines) in [
            ("src/a.test.ts", "+    } catch (error) {\n+      expect(true).toBe(true);\n"),
            ("tests/ATest.php", "+        $this->assertTrue(true);\n"),
            ("tests/a.rs", "+    assert_eq!(first, first);\n"),
            ("tests/test_a.py", "+    assert point == point\n"),
        ] {
            assert_eq!(check(path, lines), [Likely], "{lines}");
        }
    }

    #[test]
    fn loosened_and_removed_assertions_are_likely() {
        for (path, lines) in [
            ("src/a.test.ts", "-    expect(total(cart)).toBe(42);\n+    expect(total(cart)).toBeTruthy();\n"),
            ("src/a.test.ts", "-    expect(user).toEqual({ id: 1 });\n+    expect(user).toEqual(expect.anything());\n"),
            ("tests/test_a.py", "-    assert len(rows) == 3\n+    assert len(rows) > 0\n"),
            ("tests/test_a.py", "-    self.assertEqual(total, 42)\n+    self.assertIsNotNone(total)\n"),
            ("tests/a.rs", "-    assert_eq!(parse(input), Ok(3));\n+    assert!(parse(input).is_ok());\n"),
            ("pkg/a_test.go", "-\trequire.Equal(t, 3, count)\n+\trequire.NotNil(t, count)\n"),
            (
                "tests/test_a.py",
                "     rows = load()\n-    assert rows[0].name == 'a'\n-    assert rows[1].name == 'b'\n     close()\n",
            ),
            ("src/a.test.ts", "   render();\n-  expect(screen.getByText('Saved')).toBeVisible();\n   cleanup();\n"),
        ] {
            assert_eq!(check(path, lines), [Likely], "{lines}");
        }
    }

    #[test]
    fn expected_values_changed_alone_are_likely() {
        let lines = "-    assert total(cart) == 42\n+    assert total(cart) == 41\n";
        assert_eq!(check("tests/test_a.py", lines), [Likely]);
        let rust = " mod tests {\n-        assert_eq!(name(), \"a\");\n+        assert_eq!(name(), \"b\");\n";
        assert_eq!(check("src/a.rs", rust), [Likely]);
        let source = modified("src/a.py", "-    return 42\n+    return 41\n");
        assert_eq!(grades(&AssertionWeakened, &with_files(vec![source, modified("tests/test_a.py", lines)])), []);
    }

    #[test]
    fn what_was_asked_for_is_softened() {
        let asked = |directive: &str, path: &str, lines: &str| {
            let mut evidence = changed(path, lines);
            evidence.directives.extend(Directive::from_prompt(directive, 1, Vec::new()));
            grades(&AssertionWeakened, &evidence)
        };
        let loosened = "-    assert len(rows) == 3\n+    assert len(rows) > 0\n";
        assert_eq!(asked("Relax the assertion in test_a", "tests/test_a.py", loosened), []);
        assert_eq!(
            asked(
                "Update the tests to the new total",
                "tests/test_a.py",
                "-    assert f() == 1\n+    assert f() == 2\n"
            ),
            []
        );
        assert_eq!(
            asked("Set up vitest with a sample test", "src/a.test.ts", "+  expect(true).toBe(true);\n"),
            [Likely]
        );
        assert_eq!(asked("Fix it. Do not weaken any assertion.", "tests/test_a.py", loosened), [Likely]);
    }

    #[test]
    fn counter_examples() {
        for (path, lines) in [
            ("src/a.rs", " mod tests {\n+    assert_eq!(check(\"+ expect(true).toBe(true);\"), [Certain]);\n"),
            ("tests/a.rs", "-    let value = load().expect(\"a value\");\n+    let value = load();\n"),
            ("tests/test_a.py", "+    assert greet('a') == greet('a ')\n"),
            ("tests/a.rs", "+    assert!(ok);\n+    assert!(is_true(x));\n"),
            ("tests/a.rs", "+    assert_eq!(hash(x), hash(x));\n"),
            ("tests/a.rs", "-    assert!(true);\n+        assert!(true);\n"),
            ("tests/a.rs", "+    // assert!(true) would be no test\n"),
            ("src/a.py", "+    assert True\n"),
            ("src/lint.test.ts", "+    const code = 'expect(true).toBe(true)';\n"),
            ("src/a.test.ts", "-    expect(total(cart)).toBeTruthy();\n+    expect(total(cart)).toBe(42);\n"),
            (
                "src/a.test.ts",
                "-    expect(a).toBe(1);\n-    expect(b).toBe(2);\n+    expect({ a, b }).toEqual({ a: 1, b: 2 });\n+    expect(c).toBe(3);\n",
            ),
            ("tests/test_a.py", "-    assert parse('a') == 1\n+    check('a', 1)\n"),
            ("tests/test_a.py", "+    assert len(rows) > 0\n"),
            ("tests/test_a.py", "-    rows = load()\n+    rows = load(limit=3)\n     assert len(rows) == 3\n"),
            ("tests/test_a.py", "-def test_a():\n-    assert f() == 1\n"),
            ("tests/a.rs", "-    assert_eq!(a, 1);\n \n+    assert_eq!(a, 1);\n"),
            ("tests/fixtures/a.py", "+assert True\n"),
            ("src/a.test.ts", "+    expect(props.enabled).toBe(true);\n"),
        ] {
            assert_eq!(check(path, lines), [], "{path}: {lines}");
        }
    }
}
