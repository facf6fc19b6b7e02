//! A check that guards the tree was switched off or told to look away.

mod reported_rule;

use std::collections::{BTreeSet, HashSet};
use std::sync::LazyLock;

use assize_core::diff::{Diff, DiffLineKind, FileChange, FileStatus};
use assize_core::finding::{Certainty, Severity};
use assize_core::path::{file_name, is_ci, is_example, is_prose};
use assize_core::text::quote;
use assize_ecosystem::tool::Tool;
use assize_ecosystem::{Language, is_code, is_generated, is_setting, is_test, is_test_input, tools};
use regex::Regex;

use self::reported_rule::ReportedRules;
use super::reading::{
    CodeLine, DiffSide, DirectiveWish, MovedLines, adds_any, is_reason, joined, read, remarks, takes_out_of_check,
};
use super::{Findings, Needs, Rule};
use crate::evidence::Evidence;

/// See the module.
pub struct CheckDisabled;

impl Rule for CheckDisabled {
    fn id(&self) -> &'static str {
        "check-disabled"
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(diff) = evidence.diff.get() else { return };
        let asked = DirectiveWish::new(evidence, &WANTED);
        let mut moved = MovedLines::new(diff);
        let reported = ReportedRules::of(evidence);
        let glance = findings.glance;
        let mut suppressing = glance.adding(&SUPPRESSION_HINTS).peekable();
        for file in &diff.files {
            let suppresses = suppressing.next_if(|other| std::ptr::eq(*other, file)).is_some();
            if is_generated(&file.path) || is_prose(&file.path) {
                continue;
            }
            let mut told = BTreeSet::new();
            for hit in hits(file, diff, suppresses) {
                if hit.raw.is_some_and(|raw| moved.take(raw)) {
                    continue;
                }
                let is_hidden = hit.raw.is_some_and(|raw| reported.are_hidden_by(file, raw));
                let softened = if is_hidden { Some(Certainty::Certain) } else { asked.soften(hit.certainty) };
                let Some(certainty) = softened.filter(|_| !is_taken_out(evidence, file)) else { continue };
                told.extend(hit.line);
                findings.at(file, hit.line, hit.severity, certainty, hit.message);
            }
            // Of any tool, in any file.
            let hidden = file.added_lines().filter(|(line, raw)| !told.contains(line) && reported.are_named_by(file, raw));
            for (line, raw) in hidden.filter(|_| !is_taken_out(evidence, file)) {
                let message = format!("{} takes out what a check of this session reported. Correct what it complains of, or say that it was taken out and why.", quote(raw.trim()));
                findings.at(file, Some(line), Severity::Error, Certainty::Certain, message);
            }
        }
    }
}

/// Returns whether the user has taken a file of code out of a check.
fn is_taken_out(evidence: &Evidence, file: &FileChange) -> bool {
    is_code(&file.path) && evidence.user_texts().any(|text| text.contains(&*file.path) && takes_out_of_check(&[text], &[&file.path]))
}

/// Wording that lifts or moves a check.
static WANTED: LazyLock<Regex> = LazyLock::new(|| {
    let check = concat!(
        r"(?:lint[a-z]*|eslint|clippy|mypy|pyright|pylint|ruff|flake8|rubocop|golangci|shellcheck|biome|type.?check[a-z]*|types?|strict(?:ness)?|",
        r"coverage|thresholds?|pre-?commit|husky|hooks?|ci|workflows?|pipelines?|github actions?|steps?|jobs?|warnings?|errors?|dead.code|nolint|noqa|",
        r"ts-ignore|ts-nocheck|no-verify)",
    );
    let lift = concat!(
        r"(?:disabl|suppress|ignor|silenc|allow|remov|delet|drop|skip|lower|reduc|relax|loosen|turn(?:ed|ing)? off|switch(?:ed|ing)? off|migrat|mov|",
        r"replac|switch(?:ed|ing)? (?:from|to)|instead of|consolidat|non-?blocking|optional|not fail|without|informational)[a-z]*",
    );
    Regex::new(&format!(r"(?i)\b(?:{check}\b[^.\n]{{0,80}}\b{lift}|{lift}\b[^.\n]{{0,80}}\b{check})\b"))
        .expect("valid pattern")
});

/// One way in which a file switches a check off.
struct Hit<'a> {
    line: Option<u32>,
    /// The line that does it, where it could be one that only moved.
    raw: Option<&'a str>,
    severity: Severity,
    certainty: Certainty,
    message: String,
}

impl<'a> Hit<'a> {
    fn at(line: &CodeLine<'a>, severity: Severity, certainty: Certainty, message: String) -> Self {
        Self { line: Some(line.number), raw: Some(line.raw), severity, certainty, message }
    }

    fn without_place(certainty: Certainty, message: String) -> Self {
        Self { line: None, raw: None, severity: Severity::Error, certainty, message }
    }
}

fn hits<'a>(file: &'a FileChange, diff: &Diff, suppresses: bool) -> Vec<Hit<'a>> {
    let mut hits = Vec::new();
    if is_code(&file.path) && !is_test_input(&file.path) && suppresses {
        hits.extend(suppressions(file));
    }
    if is_ci(&file.path) {
        hits.extend(ci_hits(file, diff));
    }
    if is_ci(&file.path) || is_setting(&file.path) {
        hits.extend(lowered_thresholds(file));
        hits.extend(lifted_strictness(file));
        if has_rules(&file.path) {
            hits.extend(rules_off(file));
        }
        hits.extend(neutered_scripts(file));
    }
    hits
}

/// Returns whether a setting that is `off` can be a rule: not in the settings of runners and formatters.
fn has_rules(path: &str) -> bool {
    let mut owners = tools().filter(|tool| tool.has_file(path)).peekable();
    owners.peek().is_none() || owners.any(Tool::has_rules)
}

// Suppressions in code.

/// At least one of these stands in every suppression.
const SUPPRESSION_HINTS: [&str; 14] = [
    "disable",
    "ignore",
    "allow",
    "nocheck",
    "noqa",
    "pragma",
    "nolint",
    "NOLINT",
    "nosec",
    "Suppress",
    "suppress",
    "skip-file",
    "expect-error",
    "no-verify",
];

/// How much of the code a suppression hides from its check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// All rules in the whole file.
    File,
    /// Some rules, or some lines.
    Part,
}

fn suppressions(file: &FileChange) -> Vec<Hit<'_>> {
    // Packages of Python re-export what they seem not to use.
    let exports = file.path.ends_with(".d.ts") || file_name(&file.path) == "__init__.py";
    let aside = is_test(&file.path) || is_example(&file.path);
    let generated =
        adds_any(file, &["DO NOT EDIT", "do not edit", "@generated", "enerated by", "utogenerated", "uto-generated"]);
    let mut hits = Vec::new();
    for lines in &read(file, DiffSide::New) {
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.changed) {
            let Some(reach) = suppression(line, Language::of(&file.path)) else { continue };
            if (aside || line.in_test) && reach == Reach::Part {
                continue;
            }
            let excused = aside || exports || generated || is_excused(lines, index);
            hits.push(suppression_hit(line, reach, excused));
        }
    }
    hits
}

fn suppression_hit<'a>(line: &CodeLine<'a>, reach: Reach, excused: bool) -> Hit<'a> {
    let what = quote(line.raw);
    let (severity, certainty, message) = match reach {
        Reach::File => (
            Severity::Error,
            if excused { Certainty::Likely } else { Certainty::Certain },
            format!(
                "{what} switches a check off for the whole file. Correct what the check complains of, or name the rule and the reason where it must be broken."
            ),
        ),
        Reach::Part => (
            if excused { Severity::Note } else { Severity::Warning },
            Certainty::Likely,
            format!(
                "{what} tells a check to look away. Correct what it complains of, or state beside it why the check is wrong here."
            ),
        ),
    };
    Hit::at(line, severity, certainty, message)
}

fn suppression(line: &CodeLine<'_>, language: Option<Language>) -> Option<Reach> {
    let by_code = match language? {
        Language::Rust => rust_allow(&line.code),
        Language::Java | Language::Kotlin => {
            (line.code.contains("@SuppressWarnings(") || line.code.contains("Suppress(")).then_some(Reach::Part)
        }
        Language::CSharp => (line.code.contains("#pragma warning disable") || line.code.contains("[SuppressMessage("))
            .then_some(Reach::Part),
        Language::Cpp => (line.code.contains("#pragma") && line.code.contains("ignored")).then_some(Reach::Part),
        Language::Shell => (line.code.contains("git ") && line.code.contains("--no-verify")).then_some(Reach::Part),
        _ => None,
    };
    by_code.or_else(|| comment_suppression(&line.comment, line.number == 1 && line.is_bare()))
}

fn rust_allow(code: &str) -> Option<Reach> {
    let code = code.trim_start();
    let (inner, lints) = match code.strip_prefix("#![allow(") {
        Some(lints) => (true, lints),
        None => (false, code.strip_prefix("#[allow(")?),
    };
    let all = ["warnings", "clippy::all"].iter().any(|lint| lints.starts_with(lint));
    Some(if inner && all { Reach::File } else { Reach::Part })
}

/// Reads a comment that begins with the name of a check.
fn comment_suppression(comment: &str, heads_file: bool) -> Option<Reach> {
    static PART: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^(?:eslint-disable|oxlint-disable|tslint:disable|stylelint-disable|@ts-ignore|@ts-expect-error|biome-ignore|istanbul ignore|[cv]8 ignore|",
            r"type: ?ignore|noqa|ruff: noqa|mypy: disable|pylint: ?disable|pyright: ?ignore|pragma: no ?cover|nosec|nolint|lint:ignore|NOLINT|cppcheck-suppress|",
            r"rubocop: ?disable|@phpstan-ignore|phpcs:(?:ignore|disable)|@psalm-suppress|shellcheck disable=|swiftlint:disable|ktlint-disable)",
        ))
        .expect("valid pattern")
    });
    static FILE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^(?:(?:eslint|oxlint|tslint:|stylelint)-?disable\s*(?:--.*)?$|@ts-nocheck\b|biome-ignore-all\b|(?:ruff|flake8): noqa\s*$|mypy: ignore-errors|",
            r"pylint: ?(?:skip-file|disable=all)|lint:file-ignore|rubocop: ?disable all|phpcs:ignoreFile|swiftlint:disable all)",
        ))
        .expect("valid pattern")
    });
    let comment = comment.trim();
    if FILE.is_match(comment) || heads_file && comment.starts_with("type: ignore") && !comment.contains('[') {
        return Some(Reach::File);
    }
    PART.is_match(comment).then_some(Reach::Part)
}

/// Returns whether a reason is stated beside a suppression.
fn is_excused(lines: &[CodeLine<'_>], index: usize) -> bool {
    let line = &lines[index];
    // Rule names are no reason; plain words are.
    let plain =
        |word: &&str| word.len() > 1 && word.chars().all(|character| character.is_alphabetic() || character == '\'');
    let own = line.comment.split([' ', '\t']).skip(1).map(|word| word.trim_end_matches(['.', ',', ':', ';']));
    let above = remarks(lines, index);
    let above = above.strip_suffix(line.comment.as_str()).unwrap_or(&above);
    let attribute = lines[index..]
        .iter()
        .take(5)
        .take_while(|line| line.code.contains(['#', ',', '=']))
        .any(|line| line.code.contains("reason"));
    own.filter(plain).count() >= 3 || is_reason(above) || attribute || line.code.contains("Justification")
}

// Continuous integration.

/// A command or name of a step that checks something.
static CHECK: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"\b(?:(?P<test>[Tt]ests?|pytest|tox|nox|jest|vitest|mocha|playwright|cypress|rspec|phpunit|nextest|ctest)|",
        r"(?P<lint>[Ll]int|clippy|eslint|ruff|flake8|pylint|vet|golangci-lint|staticcheck|rubocop|phpstan|psalm|swiftlint|ktlint|detekt|shellcheck|hadolint|biome)|",
        r"(?P<types>mypy|pyright|tsc|typecheck|type-check)|(?P<format>fmt|prettier|black|isort|gofmt|rustfmt|clang-format)|",
        r"(?P<audit>audit|deny|bandit|semgrep|codeql|trivy|gitleaks)|(?P<other>[Cc]overage|verify|check))\b",
    ))
    .expect("valid pattern")
});

/// Steps that tell of results instead of producing them.
static TELLS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)upload|report|publish|comment|notif|slack|deploy|cache|artifact|codecov|coveralls|summary|badge|experimental")
        .expect("valid pattern")
});

/// The kind of check that a line speaks of.
fn check_kind(line: &str) -> Option<&'static str> {
    let found = CHECK.captures(line)?;
    ["test", "lint", "types", "format", "audit", "other"].into_iter().find(|kind| found.name(kind).is_some())
}

fn ci_hits<'a>(file: &'a FileChange, diff: &Diff) -> Vec<Hit<'a>> {
    if file.status == FileStatus::Deleted {
        return deleted_ci(file, diff).into_iter().collect();
    }
    let mut hits = Vec::new();
    for lines in &read(file, DiffSide::New) {
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.changed) {
            hits.extend(weakened_step(file, lines, index));
            if is_commented_out(file, line) {
                hits.push(Hit::at(
                    line,
                    Severity::Error,
                    Certainty::Certain,
                    format!(
                        "The step {} of CI was commented out. Let it run again, and correct what it complains of.",
                        quote(&line.comment)
                    ),
                ));
            }
        }
    }
    if hits.is_empty() {
        hits.extend(dropped_check(file, diff));
    }
    hits
}

fn deleted_ci<'a>(file: &FileChange, diff: &Diff) -> Option<Hit<'a>> {
    let ran = file.removed_lines().any(|(_, line)| check_kind(line).is_some() && !TELLS.is_match(line));
    let elsewhere = added_checks(diff).next().is_some();
    let certainty = if elsewhere || !diff.limits.is_empty() { Certainty::Likely } else { Certainty::Certain };
    ran.then(|| Hit::without_place(certainty, "The file was deleted, and with it the checks that it ran. Restore it, or run the checks elsewhere; if they are to go, ask the user.".to_owned()))
}

/// Walks over the lines that bring a check into CI or the scripts that it runs.
fn added_checks(diff: &Diff) -> impl Iterator<Item = &str> {
    let runs = |file: &&FileChange| {
        let plain = [".yml", ".yaml", ".toml", ".json"].iter().any(|ending| file.path.ends_with(ending));
        plain || is_ci(&file.path) || is_setting(&file.path) || Language::of(&file.path) == Some(Language::Shell)
    };
    let added = diff.files.iter().filter(runs).flat_map(FileChange::added_lines).map(|(_, line)| line);
    added.filter(|line| !line.trim_start().starts_with('#') && check_kind(line).is_some())
}

/// A step that can no longer fail, or no longer runs.
fn weakened_step<'a>(file: &FileChange, lines: &[CodeLine<'a>], index: usize) -> Option<Hit<'a>> {
    static KEY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\s*(?:-\s+)?(?:continue-on-error|allow_failure|soft_fail)\s*:\s*(?:true|yes)\s*$|^\s*(?:-\s+)?if\s*:\s*(?:false|\$\{\{\s*false\s*\}\})\s*$")
            .expect("valid pattern")
    });
    let line = &lines[index];
    let code = without_yaml_comment(line.raw);
    let certain = if KEY.is_match(code) {
        guards_check(file, step_around(lines, index))
    } else {
        let command = masked_command(code)?;
        check_kind(command)?;
        was_decisive(file, command)
    };
    let reasoned = is_reason(&remarks(lines, index));
    let certainty = if certain && !reasoned && file.status == FileStatus::Modified {
        Certainty::Certain
    } else {
        Certainty::Likely
    };
    Some(Hit::at(
        line,
        Severity::Error,
        certainty,
        format!(
            "{} lets CI pass although a step fails or does not run. Let the step decide again, and correct what it complains of.",
            quote(line.raw)
        ),
    ))
}

/// The command in front of what hides its failure.
fn masked_command(line: &str) -> Option<&str> {
    static MASK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\s*(?:\|\|\s*(?:true|:|exit 0|echo\b.*)|;\s*(?:true|exit 0)|--exit-zero)\s*[\x22']?,?\s*$")
            .expect("valid pattern")
    });
    if !["||", ";", "--exit-zero"].iter().any(|mark| line.contains(mark)) {
        return None;
    }
    MASK.find(line).map(|mask| line[..mask.start()].trim())
}

/// Returns whether a command checked something, and its failure counted, before the change.
fn was_decisive(file: &FileChange, command: &str) -> bool {
    let bare = |removed: &str| removed.trim().trim_end_matches(['"', '\'', ',']) == command;
    check_kind(command).is_some_and(|kind| kind != "other")
        && !TELLS.is_match(command)
        && file.removed_lines().any(|(_, removed)| bare(removed))
}

fn without_yaml_comment(raw: &str) -> &str {
    raw.find(" #").map_or(raw, |start| &raw[..start]).trim_end()
}

/// The lines of the step or job that a line belongs to, as far as the hunk shows.
fn step_around<'b, 'a>(lines: &'b [CodeLine<'a>], index: usize) -> &'b [CodeLine<'a>] {
    let depth = lines[index].indent();
    let is_head = |line: &CodeLine<'_>| {
        let indent = line.indent();
        line.raw.trim_start().starts_with("- ") && indent <= depth
            || indent < depth && line.raw.trim_end().ends_with(':')
    };
    let start = (0..=index).rev().find(|at| is_head(&lines[*at])).unwrap_or(0);
    let head = lines[start].indent();
    let after = lines[index + 1..].iter().position(|line| !line.raw.trim().is_empty() && line.indent() <= head);
    &lines[start..after.map_or(lines.len(), |after| index + 1 + after)]
}

/// Returns whether a step checked something before the change.
fn guards_check(file: &FileChange, step: &[CodeLine<'_>]) -> bool {
    let tells = step.iter().any(|line| TELLS.is_match(line.raw));
    let removed: HashSet<&str> = file.removed_lines().map(|(_, line)| line.trim()).collect();
    let old = step.iter().filter(|line| !line.changed || removed.contains(line.raw.trim()));
    !tells && old.into_iter().any(|line| check_kind(line.raw).is_some_and(|kind| kind != "other"))
}

fn is_commented_out(file: &FileChange, line: &CodeLine<'_>) -> bool {
    let Some(text) = line.raw.trim().strip_prefix('#') else { return false };
    let text = text.trim();
    let command =
        text.contains("run:") || text.contains("uses:") || text.starts_with("- ") || file.path.starts_with(".husky/");
    command && check_kind(text).is_some() && file.removed_lines().any(|(_, removed)| removed.trim() == text)
}

/// A check that CI or a commit hook ran and that nothing runs any more.
fn dropped_check<'a>(file: &FileChange, diff: &Diff) -> Option<Hit<'a>> {
    let added: HashSet<&str> = added_checks(diff).filter_map(check_kind).collect();
    let hooks = file.path == ".pre-commit-config.yaml";
    let runs = |line: &str| {
        let line = line.trim_start();
        let step = ["run:", "uses:", "- "].iter().any(|word| line.starts_with(word));
        if hooks { line.starts_with("- id:") } else { step || file.path.starts_with(".husky/") }
    };
    let unreplaced = |line: &str| hooks || check_kind(line).is_some_and(|kind| !added.contains(kind));
    let mut removed = file.removed_lines().map(|(_, line)| line);
    let gone = removed.find(|line| runs(line) && !TELLS.is_match(line) && unreplaced(line))?;
    if hooks && joined(file, DiffLineKind::Added).contains("- id:") {
        return None;
    }
    // A step of CI can be one of several that do the same; a hook is there once.
    let certain = hooks && added.is_empty() && file.status == FileStatus::Modified;
    let certainty = if certain { Certainty::Certain } else { Certainty::Likely };
    Some(Hit::without_place(
        certainty,
        format!(
            "The check {} was taken out and nothing in the change runs it instead. Put it back; if it is to go, ask the user.",
            quote(gone)
        ),
    ))
}

// Settings of checks.

/// Files in which `lines` and `branches` are shares of covered code.
fn is_coverage_setting(name: &str) -> bool {
    ["jest.config.", "vitest.config.", "vite.config.", ".nycrc", ".c8rc", "karma.conf.", "codecov.y", ".codecov.y"]
        .iter()
        .any(|start| name.starts_with(start))
        || matches!(name, "package.json" | "pom.xml" | "build.gradle" | "build.gradle.kts")
}

/// At least one of these stands in every threshold.
const THRESHOLD_HINTS: [&str; 10] = [
    "fail_under",
    "fail-under",
    "minimum",
    "max-warnings",
    "branches",
    "functions",
    "lines",
    "statements",
    "target",
    "overage",
];

fn lowered_thresholds(file: &FileChange) -> Vec<Hit<'_>> {
    static THRESHOLD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?:^|[\s\x22'<_.-])(?P<key>fail_under|(?:cov-)?fail-under(?:-[a-z]+)?|minimum_coverage|max-warnings|branches|functions|lines|statements|target|minimum|coverage_?[tT]hreshold)",
            r"[\x22']?\s*[:=>(\s]\s*[\x22']?(?P<value>[0-9]+(?:\.[0-9]+)?)",
        ))
        .expect("valid pattern")
    });
    let name = file_name(&file.path);
    let counts = |key: &str| match key {
        "branches" | "functions" | "lines" | "statements" => is_coverage_setting(name),
        "target" => name.contains("codecov"),
        "minimum" => name == "pom.xml" || name.starts_with("build.gradle"),
        _ => true,
    };
    let read_line = |line: &str| {
        if !line.bytes().any(|byte| byte.is_ascii_digit()) || !THRESHOLD_HINTS.iter().any(|hint| line.contains(hint)) {
            return None;
        }
        let found = THRESHOLD.captures(line)?;
        counts(&found["key"]).then_some((found["key"].to_owned(), found["value"].parse::<f64>().ok()?))
    };
    let mut olds: Vec<(String, f64)> = file.removed_lines().filter_map(|(_, line)| read_line(line)).collect();
    let mut hits = Vec::new();
    for (number, raw) in file.added_lines() {
        let Some((key, new)) = read_line(raw) else { continue };
        let Some(position) = olds.iter().position(|(old, _)| *old == key) else { continue };
        let (_, old) = olds.remove(position);
        let lowered = if key == "max-warnings" { new > old } else { new < old };
        if lowered {
            let message = format!(
                "The threshold `{key}` was lowered from {old} to {new}. Put it back and meet it; if it has to be lower, ask the user."
            );
            hits.push(Hit {
                line: Some(number),
                raw: None,
                severity: Severity::Error,
                certainty: Certainty::Certain,
                message,
            });
        }
    }
    if let Some((key, old)) = olds.first() {
        hits.push(Hit::without_place(
            Certainty::Likely,
            format!("The threshold `{key}` of {old} was taken out. Put it back; if it has to go, ask the user."),
        ));
    }
    hits
}

/// At least one of these stands in every setting of a strict mode.
const STRICT_HINTS: [&str; 12] = [
    "forbidOnly",
    "strict",
    "Strict",
    "noImplicit",
    "noUnused",
    "noUnchecked",
    "noFallthrough",
    "useUnknown",
    "exactOptional",
    "disallow_",
    "check_untyped_defs",
    "warn_",
];

/// A strict mode that was on and is off.
fn lifted_strictness(file: &FileChange) -> Vec<Hit<'_>> {
    static STRICT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^\s*[\x22']?(?P<key>strict[A-Za-z]*|noImplicit[A-Za-z]*|noUnused[A-Za-z]*|noUnchecked[A-Za-z]*|noFallthrough[A-Za-z]*|alwaysStrict|useUnknownInCatchVariables|",
            r"exactOptionalPropertyTypes|disallow_[a-z_]+|check_untyped_defs|warn_(?:return_any|unused_[a-z]+|unreachable)|forbidOnly)[\x22']?\s*[:=]\s*(?P<value>[Tt]rue|[Ff]alse)\b",
        ))
        .expect("valid pattern")
    });
    let may_set = |line: &str| STRICT_HINTS.iter().any(|hint| line.contains(hint));
    let settings = |on: &str, lines: &mut dyn Iterator<Item = (u32, &str)>| -> Vec<(u32, String)> {
        lines
            .filter_map(|(number, line)| {
                let found = may_set(line).then(|| STRICT.captures(line)).flatten()?;
                found["value"].eq_ignore_ascii_case(on).then(|| (number, found["key"].to_owned()))
            })
            .collect()
    };
    let were_on = settings("true", &mut file.removed_lines());
    let still_on = settings("true", &mut file.added_lines());
    let off = settings("false", &mut file.added_lines());
    let mut hits = Vec::new();
    for (number, key) in &off {
        let certainty = if were_on.iter().any(|(_, on)| on == key) { Certainty::Certain } else { Certainty::Likely };
        let message = format!(
            "`{key}` is switched off. Switch it on and correct what it complains of; if it has to be off, ask the user."
        );
        hits.push(Hit { line: Some(*number), raw: None, severity: Severity::Error, certainty, message });
    }
    let known = |key: &String| off.iter().chain(&still_on).any(|(_, other)| other == key);
    if file.status != FileStatus::Deleted
        && let Some((_, key)) = were_on.iter().find(|(_, key)| !known(key))
    {
        hits.push(Hit::without_place(
            Certainty::Likely,
            format!("`{key}` was on and was taken out. Put it back, or say in the final message what sets it now."),
        ));
    }
    hits
}

/// Scripts that ran a check and can no longer fail.
fn neutered_scripts(file: &FileChange) -> Vec<Hit<'_>> {
    static IDLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"^\s*("[a-z:_-]+")\s*:\s*"\s*(?:true|:|exit 0|echo [^&|;]*)\s*"\s*,?\s*$"#).expect("valid pattern")
    });
    let may_idle = |line: &str| ["true", ":\"", " : ", "exit 0", "echo"].iter().any(|word| line.contains(word));
    let idle = |line: &str| {
        if !may_idle(line) {
            return false;
        }
        let Some(key) = IDLE.captures(line).and_then(|found| found.get(1)) else { return false };
        let ran = |removed: &str| {
            removed.trim_start().starts_with(key.as_str()) && check_kind(removed).is_some() && !IDLE.is_match(removed)
        };
        check_kind(key.as_str()).is_some() && file.removed_lines().any(|(_, removed)| ran(removed))
    };
    let neutered = |line: &str| masked_command(line).is_some_and(|command| was_decisive(file, command)) || idle(line);
    if is_ci(&file.path) {
        return Vec::new();
    }
    file.added_lines()
        .filter(|(_, line)| neutered(line))
        .map(|(number, line)| Hit {
            line: Some(number),
            raw: Some(line),
            severity: Severity::Error,
            certainty: Certainty::Certain,
            message: format!(
                "{} can no longer fail. Let the check decide again, and correct what it complains of.",
                quote(line)
            ),
        })
        .collect()
}

/// Single rules that the settings of a check switch off.
fn rules_off(file: &FileChange) -> Vec<Hit<'_>> {
    static OFF: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\s*[\x22']?[@A-Za-z][A-Za-z0-9@/_-]*[\x22']?\s*:\s*\[?\s*[\x22']off[\x22']|^\s*ignore_(?:errors|missing_imports)\s*=\s*[Tt]rue|--no-verify\b")
            .expect("valid pattern")
    });
    static ALLOW: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"^\s*[a-z_:]+\s*=\s*(?:"allow"|\{.*level\s*=\s*"allow")"#).expect("valid pattern")
    });
    if file.status == FileStatus::Added {
        return Vec::new();
    }
    let cargo = file_name(&file.path) == "Cargo.toml";
    let mut hits = Vec::new();
    for lines in &read(file, DiffSide::New) {
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.changed) {
            let may_be_off = ["off", "ignore_", "--no-verify"].iter().any(|word| line.raw.contains(word));
            if !(may_be_off && OFF.is_match(line.raw)
                || cargo && line.raw.contains("allow") && ALLOW.is_match(line.raw))
            {
                continue;
            }
            let severity = if is_reason(&remarks(lines, index)) { Severity::Note } else { Severity::Warning };
            hits.push(Hit::at(line, severity, Certainty::Likely, format!("{} switches a check off. Correct what it complains of, or state beside it why the check is wrong here.", quote(line.raw))));
        }
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::Directive;
    use crate::rule::testing::{changed, found, grades, modified, with_files};
    use Certainty::{Certain, Likely};

    fn check(path: &str, lines: &str) -> Vec<Certainty> {
        grades(&CheckDisabled, &changed(path, lines))
    }

    #[test]
    fn file_wide_suppressions_are_certain() {
        for (path, lines) in [
            ("src/a.ts", "+/* eslint-disable */\n"),
            ("src/a.ts", "+// @ts-nocheck\n"),
            ("src/a.py", "+# ruff: noqa\n"),
            ("src/a.py", "+# flake8: noqa\n"),
            ("src/a.py", "+# mypy: ignore-errors\n"),
            ("src/a.py", "+# pylint: disable=all\n"),
            ("src/a.py", "+# type: ignore\n import x\n"),
            ("src/lib.rs", "+#![allow(warnings)]\n"),
            ("src/lib.rs", "+#![allow(clippy::all)]\n"),
            ("app/a.rb", "+# rubocop:disable all\n"),
        ] {
            assert_eq!(check(path, lines), [Certain], "{lines}");
        }
    }

    #[test]
    fn single_suppressions_are_likely() {
        for (path, lines) in [
            ("src/a.ts", "+  // eslint-disable-next-line no-console\n"),
            ("src/a.ts", "+/* eslint-disable no-console */\n"),
            ("src/a.ts", "+  // @ts-ignore\n"),
            ("src/a.py", " x\n+    value = f()  # type: ignore\n"),
            ("src/a.py", "+import os  # noqa: F401\n"),
            ("src/a.py", "+    if debug:  # pragma: no cover\n"),
            ("src/a.rs", "+#[allow(dead_code)]\n"),
            ("src/a.go", "+\tdefer f.Close() //nolint:errcheck\n"),
            ("src/A.java", "+    @SuppressWarnings(\"unchecked\")\n"),
            ("app/a.rb", "+  def f # rubocop:disable Metrics/AbcSize\n"),
            ("src/a.cc", "+  f();  // NOLINT\n"),
            ("run.sh", "+git commit --no-verify -m x\n"),
        ] {
            assert_eq!(check(path, lines), [Likely], "{lines}");
        }
        let reasoned = changed("src/a.rs", "+// The field is read by the C side only.\n+#[allow(dead_code)]\n");
        assert_eq!(found(&CheckDisabled, &reasoned)[0].severity, Severity::Note);
        let reasoned = "+/* eslint-disable -- the table below is pasted from the standard */\n";
        assert_eq!(check("src/a.ts", reasoned), [Likely]);
        assert_eq!(check("pkg/__init__.py", "+# flake8: noqa\n"), [Likely]);
        assert_eq!(check("src/a.ts", "+// Code generated by protoc. DO NOT EDIT.\n+/* eslint-disable */\n"), [Likely]);
    }

    const STEP: &str = "       - name: Test\n         run: cargo test\n";

    #[test]
    fn ci_that_can_no_longer_fail_is_certain() {
        for (path, lines) in [
            (".github/workflows/ci.yml", format!("{STEP}+        continue-on-error: true\n")),
            (".github/workflows/ci.yml", format!("{STEP}+        if: false\n")),
            (".github/workflows/ci.yml", "-      - run: cargo clippy\n+      - run: cargo clippy || true\n".to_owned()),
            (".github/workflows/ci.yml", "-      - run: npm test\n+#      - run: npm test\n".to_owned()),
            (".gitlab-ci.yml", " lint:\n   script:\n     - eslint src\n+  allow_failure: true\n".to_owned()),
            (".husky/pre-commit", "-npm run lint\n+npm run lint || true\n".to_owned()),
            (".pre-commit-config.yaml", "-  - repo: https://x.org/mypy\n-    hooks:\n-      - id: mypy\n".to_owned()),
        ] {
            assert_eq!(check(path, &lines), [Certain], "{lines}");
        }
        let gone = FileChange {
            status: FileStatus::Deleted,
            ..modified(".github/workflows/ci.yml", "-      - run: cargo test\n")
        };
        assert_eq!(grades(&CheckDisabled, &with_files(vec![gone])), [Certain]);
    }

    #[test]
    fn scripts_that_can_no_longer_fail_are_certain() {
        for (path, lines) in [
            ("package.json", "-    \"test\": \"mocha\",\n+    \"test\": \"mocha || true\",\n"),
            ("package.json", "-    \"lint\": \"eslint src\"\n+    \"lint\": \"echo ok\"\n"),
            ("Makefile", "-\tpytest tests\n+\tpytest tests || true\n"),
        ] {
            assert_eq!(check(path, lines), [Certain], "{lines}");
        }
        for (path, lines) in [
            ("package.json", "+    \"clean\": \"rm -r dist || true\",\n"),
            ("package.json", "-    \"test\": \"mocha\",\n+    \"test\": \"vitest run\",\n"),
            ("package.json", "-    \"test\": \"echo none\",\n+    \"test\": \"echo nothing\",\n"),
        ] {
            assert_eq!(check(path, lines), [], "{lines}");
        }
    }

    #[test]
    fn ci_that_may_still_do_its_work_is_likely() {
        for (path, lines) in [
            (".github/workflows/ci.yml", "       - name: Upload test report\n+        continue-on-error: true\n"),
            (".github/workflows/ci.yml", "+      - run: cargo audit\n+        continue-on-error: true\n"),
            (".github/workflows/ci.yml", "-      - run: cargo test\n"),
            (".pre-commit-config.yaml", "-      - id: mypy\n+  # checked by CI\n+      - run: mypy src\n"),
            (".github/workflows/ci.yml", "+      - run: npm run lint || true\n"),
        ] {
            assert_eq!(check(path, lines), [Likely], "{lines}");
        }
        let flaky = format!(
            "{STEP}+        # Nightly breaks on its own account every week.\n+        continue-on-error: true\n"
        );
        assert_eq!(check(".github/workflows/ci.yml", &flaky), [Likely]);
    }

    #[test]
    fn lowered_thresholds_and_lifted_strictness_are_certain() {
        for (path, lines) in [
            ("pyproject.toml", "-fail_under = 90\n+fail_under = 70\n"),
            ("jest.config.js", "-      branches: 80,\n+      branches: 60,\n"),
            (
                ".github/workflows/ci.yml",
                "-      - run: pytest --cov-fail-under=90\n+      - run: pytest --cov-fail-under=50\n",
            ),
            (
                "package.json",
                "-    \"lint\": \"eslint . --max-warnings 0\"\n+    \"lint\": \"eslint . --max-warnings 50\"\n",
            ),
            ("codecov.yml", "-        target: 85%\n+        target: 60%\n"),
            ("tsconfig.json", "-    \"strict\": true,\n+    \"strict\": false,\n"),
            ("tsconfig-base.json", "-    \"strict\": true,\n+    \"strict\": false,\n"),
            ("tsconfig.base.json", "-    \"noImplicitAny\": true\n+    \"noImplicitAny\": false\n"),
            ("mypy.ini", "-strict = True\n+strict = False\n"),
            ("spec/spec_helper.rb", "-  minimum_coverage 95\n+  minimum_coverage 80\n"),
        ] {
            assert_eq!(check(path, lines), [Certain], "{lines}");
        }
        for (path, lines) in [
            ("tsconfig.json", "+    \"strict\": false,\n"),
            ("tsconfig.json", "-    \"strict\": true,\n"),
            ("pyproject.toml", "-fail_under = 90\n"),
            ("eslint.config.js", "+    'no-unused-vars': 'off',\n"),
            ("Cargo.toml", "+unwrap_used = \"allow\"\n"),
            ("config/eslint.json", "+    \"no-eval\": \"off\",\n"),
            ("mypy.ini", "+ignore_errors = True\n"),
        ] {
            assert_eq!(check(path, lines), [Likely], "{lines}");
        }
    }

    #[test]
    fn what_was_asked_for_is_softened() {
        let asked = |directive: &str, path: &str, lines: &str| {
            let mut evidence = changed(path, lines);
            evidence.directives.extend(Directive::from_prompt(directive, 1, Vec::new()));
            grades(&CheckDisabled, &evidence)
        };
        let lowered = "-fail_under = 90\n+fail_under = 70\n";
        assert_eq!(asked("Lower the coverage threshold to 70", "pyproject.toml", lowered), [Likely]);
        assert_eq!(
            asked("Turn off strict mode for now", "tsconfig.json", "-\"strict\": true\n+\"strict\": false\n"),
            [Likely]
        );
        assert_eq!(asked("Suppress the dead code warning", "src/a.rs", "+#[allow(dead_code)]\n"), []);
        assert_eq!(asked("Make CI green. Do not lower the coverage threshold.", "pyproject.toml", lowered), [Certain]);
    }

    #[test]
    fn counter_examples() {
        for (path, lines) in [
            ("src/a.ts", "+  // we used to eslint-disable this\n"),
            ("src/a.ts", "+const marker = '/* eslint-disable */';\n"),
            ("src/a.ts", "-  // @ts-ignore\n+    // @ts-ignore\n"),
            ("src/a.ts", "+/* eslint-enable */\n"),
            ("src/a.rs", "+#[expect(dead_code, reason = \"read by C\")]\n"),
            ("tests/common/mod.rs", "+#[allow(dead_code)]\n"),
            ("tests/test_a.py", "+    f(None)  # type: ignore\n"),
            ("docs/lint.md", "+Add `// eslint-disable-line` to a line.\n"),
            ("vendor/a.js", "+/* eslint-disable */\n"),
            (".github/workflows/ci.yml", "-      - run: npm test\n+      - run: npm run test:ci\n"),
            (".github/workflows/ci.yml", "-      - run: cargo test\n+      - run: cargo nextest run\n"),
            (".github/workflows/ci.yml", "+      - run: docker rm -f db || true\n"),
            (".github/workflows/ci.yml", "+        continue-on-error: ${{ matrix.experimental }}\n"),
            (".github/workflows/ci.yml", "+      - run: pytest --cov-fail-under=90\n"),
            (".pre-commit-config.yaml", "-      - id: black\n-      - id: isort\n+      - id: ruff\n"),
            ("pyproject.toml", "-fail_under = 70\n+fail_under = 90\n"),
            ("pom.xml", "-      <target>17</target>\n+      <target>11</target>\n"),
            (".gitlab-ci.yml", "     - if: $CI_PIPELINE_SOURCE == 'schedule'\n+      when: never\n"),
            ("src/config.py", "-lines = 90\n+lines = 80\n"),
            ("package.json", "-  \"version\": \"2.0.0\",\n+  \"version\": \"1.9.0\",\n"),
            // What is off there is no rule.
            ("playwright.config.ts", "+    trace: 'off',\n"),
            (".prettierrc", "+  \"embeddedLanguageFormatting\": \"off\",\n"),
            ("src/a.go", "+\tallowed := ignore(disable)\n"),
            ("scripts/a.sh", "+rm -f x || true\n"),
        ] {
            assert_eq!(check(path, lines), [], "{path}: {lines}");
        }
    }
}
