//! Failing tests that are not held against a change: known red ones, and flaky ones.
//!
//! A test that fails on the base with the same words is known red if it does not depend on what changed. Whether it does
//! is found out by running it with every changed function cut off: a test that then says the same as before does not
//! reach the change. This module compares runs; it must not know who makes them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use assize_report::{TestCase, TestOutcome};
use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::comparison::{own_name, take_one};
use crate::gate::{GateRun, GateState, machine};
use crate::missing_name::{missing_modules, missing_names};

/// Why a failing test is not held against the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Excuse {
    /// It fails on the base as well, and does not depend on what changed.
    KnownRed,
    /// It passed when it was run again on the same tree.
    Flaky,
    /// The change rewrites it, and nothing says that it must not: the new version passes, and fails on the base.
    Adapted,
    /// It says the same on the base, and the change rewrites it so that it passes there as well.
    RedAdapted,
    /// The change removes what it tests, and nothing says that it must not.
    Removed,
    /// It fails for warnings that something is deprecated, and the change touches it.
    Deprecated,
}

impl Excuse {
    /// Returns whether the change does it, rather than that it was so before.
    pub fn is_by_change(self) -> bool {
        matches!(self, Self::Adapted | Self::RedAdapted | Self::Removed | Self::Deprecated)
    }
}

/// The tests that are excused, by their ids.
pub type Excuses = BTreeMap<String, Excuse>;

/// A run that came to no test.
pub fn no_run() -> GateRun {
    GateRun { state: GateState::Errored, trouble: None, report: None }
}

fn failing(run: &GateRun) -> impl Iterator<Item = &TestCase> {
    run.cases().filter(|case| case.outcome == TestOutcome::Failed)
}

fn messages(run: &GateRun) -> BTreeMap<&str, String> {
    failing(run).map(|case| (case.id.as_str(), gist(case.message.as_deref().unwrap_or_default()))).collect()
}

/// Returns failing tests that lack a fixture of pytest which tests of the base lack as well: a plug-in is not installed.
pub fn without_plugin(run: &GateRun, base: &GateRun) -> BTreeSet<String> {
    let missing = |case: &TestCase| {
        let (_, from) = case.message.as_deref()?.split_once("fixture '")?;
        let (name, rest) = from.split_once('\'')?;
        rest.starts_with(" not found").then(|| name.to_owned())
    };
    let known: BTreeSet<String> = failing(base).filter_map(missing).collect();
    failing(run)
        .filter(|case| missing(case).is_some_and(|name| known.contains(&name)))
        .map(|it| it.id.clone())
        .collect()
}

/// The most characters of a message that are compared.
const GIST_CHARS_MAX: usize = 2_000;

/// Returns a message without what differs from run to run: numbers, addresses, times, names of temporary folders, where a test was
/// ended that had no end, and how a runner of JavaScript came to the test.
fn gist(message: &str) -> String {
    static UNIQUE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b").expect("valid pattern")
    });
    gist_of(&UNIQUE.replace_all(message, "#"))
}

fn gist_of<'m>(message: &'m str) -> String {
    let is_of_others = |line: &&str| {
        let within = |place| line.contains(place);
        line.trim_start().starts_with("at ") && (within("node_modules/") || within("node:") || within("<anonymous>"))
    };
    // Where it was ended is chance.
    let without_place = |line: &'m str| {
        let end = |words: &&str| line.find(*words).map(|at| at + words.len());
        &line[..NOT_DONE[..2].iter().find_map(end).unwrap_or(line.len())]
    };
    let mut text = String::new();
    let own = message.split_inclusive('\n').filter(|line| !is_of_others(line)).map(without_place).flat_map(str::chars);
    let mut characters = own.take(GIST_CHARS_MAX).peekable();
    while let Some(character) = characters.next() {
        match character {
            '0'..='9' if text.ends_with('#') => {}
            '0'..='9' => text.push('#'),
            // The rest of a number to base 16.
            'a'..='f' | 'A'..='F' | 'x' if text.ends_with('#') => {}
            '/' if text.ends_with("/tmp") => {
                text.push_str("/#");
                while characters.next_if(|next| next.is_alphanumeric() || "-_.".contains(*next)).is_some() {}
            }
            other => text.push(other),
        }
    }
    text
}

/// Finds tests of the base that seem to be gone while others came whose names differ in numbers alone, and returns what each may
/// be called now. A name that says the time, or where something lies in memory, is another one in each run; a runner that has
/// to begin again has several for one test.
pub fn renumbered(run: &GateRun, base: &GateRun) -> BTreeMap<String, String> {
    let ids = |of: &GateRun| of.cases().map(|case| case.id.clone()).collect::<BTreeSet<String>>();
    let (now, before) = (ids(run), ids(base));
    let executed: BTreeSet<String> =
        run.cases().filter(|case| case.outcome.was_executed()).map(|case| case.id.clone()).collect();
    let by_gist = |ids: &BTreeSet<String>, others: &BTreeSet<String>| {
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for id in ids.difference(others) {
            found.entry(gist(id)).or_default().push(id.clone());
        }
        found
    };
    let came = by_gist(&executed, &before);
    let gone = by_gist(&before, &now).into_iter();
    gone.filter_map(|(gist, gone)| Some((gone, came.get(&gist)?)))
        .flat_map(|(gone, came)| gone.into_iter().zip(came.iter().cloned().cycle()))
        .collect()
}

/// Calls these tests of the base as they are called now, but for those that were called the same in another run of the base.
pub fn rename(base: &mut GateRun, names: &BTreeMap<String, String>, again: &GateRun) {
    let steady: BTreeSet<&str> = again.cases().map(|case| case.id.as_str()).collect();
    let tests = base.report.as_mut().and_then(|report| report.tests.as_mut());
    let unsteady = |case: &&mut TestCase| !steady.contains(case.id.as_str());
    for case in tests.into_iter().flat_map(|tests| &mut tests.cases).filter(unsteady) {
        if let Some(now) = names.get(&case.id) {
            case.id.clone_from(now);
        }
    }
}

/// Returns the tests that fail on both sides and say the same. Where a name says on which lines a test stands, those above it may have
/// moved it: then as many fail under names that differ in numbers alone.
pub fn red_alike(run: &GateRun, base: &GateRun) -> BTreeSet<String> {
    let (before, now) = (messages(base), messages(run));
    let mut alike: BTreeSet<String> =
        now.iter().filter(|(id, message)| before.get(**id) == Some(message)).map(|(id, _)| (*id).to_owned()).collect();
    let moved = |these: &BTreeMap<&str, String>, others: &GateRun| {
        let there = Endings::of(others);
        let mut found: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
        for (id, message) in these.iter().filter(|(id, _)| !there.0.contains_key(**id)) {
            found.entry((gist(id), message.clone())).or_default().push((*id).to_owned());
        }
        found
    };
    let gone = moved(&before, run);
    let came = moved(&now, base).into_iter();
    alike.extend(
        came.filter(|(what, ids)| gone.get(what).is_some_and(|gone| gone.len() == ids.len())).flat_map(|(_, ids)| ids),
    );
    alike
}

/// Those of failing tests that say that the machine keeps them from passing, such as for want of a network. Where they said so on the base,
/// they tell nothing of a change, whatever they depend on.
pub fn kept_by_machine(ids: &BTreeSet<String>, run: &GateRun) -> BTreeSet<String> {
    let says_so = |case: &&TestCase| case.message.as_deref().is_some_and(machine::is_said_in);
    failing(run).filter(says_so).map(|case| case.id.clone()).filter(|id| ids.contains(id)).collect()
}

/// Words of tests and of what they say that tell nothing of what is tested.
const COMMON: [&str; 30] = [
    "assert",
    "assertionerror",
    "called",
    "error",
    "exception",
    "expected",
    "fail",
    "failed",
    "false",
    "file",
    "from",
    "import",
    "line",
    "module",
    "none",
    "null",
    "panicked",
    "python",
    "raise",
    "raised",
    "return",
    "self",
    "should",
    "test",
    "tests",
    "thread",
    "true",
    "value",
    "when",
    "with",
];

/// Returns which of these failing tests the specification does not speak of: it shares no telling word with the name of
/// the test or with what the test says. A test that it speaks of is asked to pass.
pub fn unasked(ids: BTreeSet<String>, run: &GateRun, specification: &str) -> BTreeSet<String> {
    let words = |text: &str| -> BTreeSet<String> {
        let parts = text.split(|character: char| !character.is_alphanumeric());
        parts.filter(|word| word.chars().count() > 3).map(str::to_lowercase).collect()
    };
    let asked: BTreeSet<String> = words(specification).into_iter().filter(|word| !COMMON.contains(&&**word)).collect();
    let says: BTreeMap<&str, &TestCase> = failing(run).map(|case| (case.id.as_str(), case)).collect();
    let is_asked = |id: &String| {
        let name = id.rsplit(['/', ':', '>', ' ']).next().unwrap_or(id);
        let message = says.get(&**id).and_then(|case| case.message.as_deref()).unwrap_or_default();
        !words(name).union(&words(message)).all(|word| !asked.contains(word))
    };
    ids.into_iter().filter(|id| !is_asked(id)).collect()
}

/// Returns which of these tests do not depend on what changed: they say the same with every changed function cut off.
/// That run must have come to its tests.
pub fn independent_of_change(ids: &BTreeSet<String>, run: &GateRun, cut_off: &GateRun) -> BTreeSet<String> {
    let alike = red_alike(run, cut_off);
    ids.intersection(&alike).cloned().collect()
}

/// How our drivers and runners of tests say of a test that it came to no end in its time.
const NOT_DONE: [&str; 6] = [
    "it was not done in time",
    "it was not done within",
    "test timed out after",
    "Test timed out in",
    "Exceeded timeout of",
    "Timeout of",
];

/// The most tests that are waited for again, if each has a short time.
const WAITED_FOR_MAX: usize = 3;

/// The most milliseconds that a test may be waited for again.
const SHORT_MS: u32 = 5_000;

/// Returns whether a text begins with a time that may be waited for again, such as `1000ms`: a busy machine is slower.
fn names_a_short_time(text: &str) -> bool {
    let text = text.trim_start();
    let (digits, unit) = text.split_at(text.len() - text.trim_start_matches(|it: char| it.is_ascii_digit()).len());
    unit.trim_start().starts_with("ms") && digits.parse::<u32>().is_ok_and(|time| time <= SHORT_MS)
}

/// Returns the tests that fail with the change and do not fail on the base, where running them again can excuse them: one
/// that comes to no end would be waited for each time, and while it fails nothing else matters.
pub fn newly_failing(run: &GateRun, base: &GateRun) -> BTreeSet<String> {
    let waited_for = failing(run).filter_map(|case| {
        let message = case.message.as_deref()?;
        NOT_DONE.iter().find_map(|words| message.split_once(words)).map(|(_, rest)| names_a_short_time(rest))
    });
    let waited_for: Vec<bool> = waited_for.collect();
    if waited_for.contains(&false) || waited_for.len() > WAITED_FOR_MAX {
        return BTreeSet::new();
    }
    let before: BTreeMap<&str, TestOutcome> = base.cases().map(|case| (case.id.as_str(), case.outcome)).collect();
    let is_new = |case: &&TestCase| before.get(case.id.as_str()).is_none_or(|outcome| *outcome == TestOutcome::Passed);
    failing(run).filter(is_new).map(|case| case.id.clone()).collect()
}

/// The tests that were ended for their time, where it is ours: by our drivers, or by Node, which is told how long a file may take.
fn ended_by_us(run: &GateRun) -> impl Iterator<Item = &TestCase> {
    let is_ended = |message: &str| NOT_DONE[..3].iter().any(|words| message.contains(words));
    failing(run).filter(move |case| case.message.as_deref().is_some_and(is_ended))
}

/// Returns whether a test that passed on the base was ended for its time, which is ours.
pub fn is_overdue(run: &GateRun, base: &GateRun) -> bool {
    let passed = Endings::of(base);
    ended_by_us(run).any(|case| passed.is(&case.id, TestOutcome::Passed))
}

/// Returns whether a test was ended for its time, which is ours, that was not ended for it on the base.
pub fn hangs_anew(run: &GateRun, base: &GateRun) -> bool {
    let before: BTreeSet<&str> = ended_by_us(base).map(|case| case.id.as_str()).collect();
    ended_by_us(run).any(|case| !before.contains(case.id.as_str()))
}

/// The least seconds that a test has beside one that hangs on the base.
const SHORT_WAIT_SECONDS_MIN: u64 = 5;

/// Returns the seconds after which a test that hangs on the base need not be waited for any longer: three times what all tests took
/// that came to an end, where that is less than the seconds that a test has. Where a runner does not say how long tests take, that is what
/// is left of the milliseconds of its whole run. `None` where none hangs.
pub fn short_wait(base: &GateRun, time_ms: u64, test_seconds: u32) -> Option<u32> {
    let hanging: BTreeSet<&str> = ended_by_us(base).map(|case| case.id.as_str()).collect();
    let others = base.cases().filter(|case| !hanging.contains(case.id.as_str()));
    let times: Vec<u64> = others.filter_map(|case| case.time_ms).collect();
    let waited = u64::from(test_seconds) * 1_000 * hanging.len() as u64;
    let took = if times.is_empty() { time_ms.saturating_sub(waited) } else { times.iter().sum() };
    let seconds = (3 * took).div_ceil(1_000).max(SHORT_WAIT_SECONDS_MIN);
    u32::try_from(seconds).ok().filter(|seconds| !hanging.is_empty() && *seconds < test_seconds)
}

/// Returns whether a run came to its tests, and none fails that does not fail on the base.
pub fn fails_no_more(run: &GateRun, base: &GateRun) -> bool {
    let before = Endings::of(base);
    run.state != GateState::Errored
        && run.cases().next().is_some()
        && failing(run).all(|case| before.is(&case.id, TestOutcome::Failed))
}

/// Returns which of these tests passed in a run.
pub fn passed_in(ids: &BTreeSet<String>, run: &GateRun) -> BTreeSet<String> {
    let passed = run.cases().filter(|case| case.outcome == TestOutcome::Passed && ids.contains(&case.id));
    passed.map(|case| case.id.clone()).collect()
}

/// Returns whether one run of the same tests says more than another: more of them came to an end of their own, or fewer only
/// miss a name.
pub fn says_more(run: &GateRun, other: &GateRun) -> bool {
    let said = |run: &GateRun| {
        let tests = run.report.as_ref().and_then(|report| report.tests.as_ref());
        let ended = tests.map_or(0, |tests| tests.executed() - tests.faults.len().min(tests.executed()));
        let misses = |case: &&TestCase| case.message.as_deref().is_some_and(|said| !missing_names(said).is_empty());
        (ended, Reverse(failing(run).filter(misses).count()))
    };
    said(run) > said(other)
}

/// Takes over from a run of the same tests which of them passed there.
pub fn take_passes(run: &mut GateRun, of: &GateRun) {
    let passed = Endings::of(of);
    let Some(tests) = run.report.as_mut().and_then(|report| report.tests.as_mut()) else { return };
    let failed = tests.cases.iter_mut().filter(|case| case.outcome == TestOutcome::Failed);
    let mut taken = 0;
    for case in failed.filter(|case| passed.is(&case.id, TestOutcome::Passed)) {
        (case.outcome, case.message) = (TestOutcome::Passed, None);
        taken += 1;
    }
    if let Some(announced) = &mut tests.announced {
        announced.passed += taken;
        announced.failed = announced.failed.saturating_sub(taken);
    }
    let is_red = run.report.as_ref().is_some_and(|report| !report.diagnostics.is_empty());
    if taken > 0 && run.state == GateState::Failed && !is_red && failing(run).next().is_none() {
        run.state = GateState::Passed;
    }
}

/// The runs that show whether a change adapts tests or weakens them.
#[derive(Debug, Clone, Copy)]
pub struct AdaptationRuns<'a> {
    /// The base.
    pub base: &'a GateRun,
    /// The code of the change with the tests of the base.
    pub held: &'a GateRun,
    /// The change.
    pub change: &'a GateRun,
    /// The code of the base with the tests of the change.
    pub swapped: &'a GateRun,
    /// The files of tests that the change touches.
    pub touched: &'a BTreeSet<String>,
    /// Tests of the base that the change removes with what they test.
    pub removed: &'a BTreeSet<String>,
    /// Names of what the change removes, and that no code speaks of any more.
    pub gone: &'a BTreeSet<String>,
}

/// The runs of tests on the code of the change without one part of it.
#[derive(Debug, Clone, Copy)]
pub struct PartRuns<'a> {
    /// Those of the base.
    pub held: &'a GateRun,
    /// Those of the change.
    pub change: &'a GateRun,
}

/// How the tests of one run ended, by their ids.
struct Endings<'a>(BTreeMap<&'a str, &'a TestCase>);

impl<'a> Endings<'a> {
    fn of(run: &'a GateRun) -> Self {
        Self(run.cases().map(|case| (case.id.as_str(), case)).collect())
    }

    fn is(&self, id: &str, outcome: TestOutcome) -> bool {
        self.0.get(id).is_some_and(|case| case.outcome == outcome)
    }

    /// Returns whether nothing is said of a test in a run that came to others, or to none: its file cannot be loaded or built.
    fn is_silent(&self, id: &str) -> bool {
        !self.0.is_empty() && !self.0.contains_key(id)
    }

    /// Returns whether the file of a test cannot be loaded for a module that is not there, or since its files are modules of
    /// another kind now.
    fn is_unloaded_for_a_module(&self, case: &TestCase) -> bool {
        let is_of_file = |other: &&TestCase| file_of(case).is_some_and(|file| other.id == file);
        self.is_silent(&case.id) && self.0.values().copied().filter(is_of_file).any(misses_a_module)
    }

    /// Returns whether a test fails for a module that is not there, which one of these files asks for.
    fn asks_for_a_module(&self, id: &str, files: &BTreeSet<String>) -> bool {
        let said = self.0.get(id).filter(|case| misses_a_module(case)).and_then(|case| case.message.as_deref());
        said.is_some_and(|said| files.iter().any(|path| said.contains(path.as_str())))
    }

    fn passed(&self) -> impl Iterator<Item = &'a TestCase> {
        self.0.values().copied().filter(|case| case.outcome == TestOutcome::Passed)
    }

    fn executed(&self) -> usize {
        self.0.values().filter(|case| case.outcome.was_executed()).count()
    }
}

/// What a run has of files of tests that the base does not have, where all tests that passed on the base in such a file are settled.
fn unloaded_for<'a>(
    base: &Endings<'_>,
    run: &Endings<'a>,
    is_settled: impl Fn(&TestCase) -> bool,
) -> impl Iterator<Item = &'a TestCase> {
    run.0.values().copied().filter(move |case| {
        let file = file_of(case).unwrap_or(&case.id);
        let mut tests = base.passed().filter(|case| file_of(case) == Some(file)).peekable();
        !base.0.contains_key(&*case.id) && tests.peek().is_some() && tests.all(&is_settled)
    })
}

/// Returns whether a test, or a file of tests, says that a module is not there, or is of another kind.
fn misses_a_module(case: &TestCase) -> bool {
    const SAYINGS: [&str; 8] = [
        "No module named '",
        "Cannot find module '",
        "Cannot find package '",
        "Directory import '",
        "require() of ES Module",
        "in ES module scope",
        "Cannot use import statement outside a module",
        "Unexpected token 'export'",
    ];
    case.message.as_deref().is_some_and(|said| SAYINGS.iter().any(|saying| said.contains(saying)))
}

/// Returns whether a test fails, or its file cannot be loaded, because a name is not there.
fn is_only_a_missing_name(run: &Endings<'_>, case: &TestCase) -> bool {
    let misses = |case: &TestCase| {
        case.outcome == TestOutcome::Failed
            && case.message.as_deref().is_some_and(|message| !missing_names(message).is_empty())
    };
    match run.0.get(case.id.as_str()) {
        Some(own) => misses(own),
        // A file that cannot be loaded is reported by its path, and a package that cannot be built by what names of its
        // tests begin with.
        None => run.0.values().any(|other| match (file_of(other), file_of(case)) {
            (None, None) => case.id.starts_with(&*other.id) && misses(other),
            (file, of) => file == of && misses(other),
        }),
    }
}

/// The tests that pass with the change and not with the code of the base.
#[derive(Default)]
struct NewTests<'a> {
    /// Where there are any.
    places: BTreeSet<Option<&'a str>>,
    /// How many of each place the base does not have, and say something of it.
    telling: BTreeMap<Option<&'a str>, usize>,
    /// How many of each place only miss a name there.
    of_new_names: BTreeMap<Option<&'a str>, usize>,
    /// Functions whose cases say something of the base.
    functions: BTreeSet<&'a str>,
}

/// Finds the tests that pass with the change and not with the code of the base, with the tests of the change.
fn new_tests<'a>(base: &Endings<'_>, change: &Endings<'a>, swapped: &Endings<'_>) -> NewTests<'a> {
    let mut new = NewTests::default();
    for case in change.passed().filter(|case| !swapped.is(&case.id, TestOutcome::Passed)) {
        let place = place_of(case, change);
        new.places.insert(place);
        let speaks = !swapped.is_silent(&case.id) && !is_only_a_missing_name(swapped, case);
        new.functions.extend(function_of(&case.id, change).filter(|_| speaks && swapped.0.contains_key(&*case.id)));
        if !base.0.contains_key(&*case.id) {
            let counts = if speaks { &mut new.telling } else { &mut new.of_new_names };
            *counts.entry(place).or_insert(0) += 1;
        }
    }
    new
}

/// Returns the function of which a test is one case: pytest names it `test[case]`, and Go `test/case` beside `test` itself.
fn function_of<'a>(id: &'a str, run: &Endings<'_>) -> Option<&'a str> {
    if let Some((_, name)) = id.rsplit_once("::").filter(|_| id.ends_with(']')) {
        return name.find('[').map(|at| &id[..id.len() - name.len() + at]);
    }
    let above = id.match_indices('/').map(|(at, _)| &id[..at]);
    above.into_iter().find(|function| run.0.contains_key(function))
}

/// Returns the file of a test: as the runner says, or as its id begins.
pub fn file_of(case: &TestCase) -> Option<&str> {
    let begins = |separator: &str| case.id.split(separator).next().filter(|path| assize_ecosystem::is_code(path));
    case.path.as_deref().or_else(|| begins("::")).or_else(|| begins(" > "))
}

/// Returns where a test stands: in a file, or in a package of Go or a program of Rust, as its id begins.
fn place_of<'a>(case: &'a TestCase, run: &Endings<'_>) -> Option<&'a str> {
    let of_rust = || case.id.split_once(' ').map(|(program, _)| program);
    let of_go = || function_of(&case.id, run).unwrap_or(&case.id).rsplit_once('.').map(|(package, _)| package);
    file_of(case).or_else(of_rust).or_else(of_go)
}

impl AdaptationRuns<'_> {
    /// Returns the names that the tests of the base, or their build, miss with the code of the change.
    pub fn missed_names(&self) -> BTreeSet<&str> {
        let faults = self.held.report.iter().flat_map(|report| &report.diagnostics).map(|fault| fault.message.as_str());
        let said = failing(self.held).filter_map(|case| case.message.as_deref());
        faults.chain(said).flat_map(missing_names).collect()
    }

    /// Returns the modules that the tests of the base, or their build, miss with the code of the change.
    pub fn missed_modules(&self) -> BTreeSet<&str> {
        let faults = self.held.report.iter().flat_map(|report| &report.diagnostics).map(|fault| fault.message.as_str());
        let said = failing(self.held).filter_map(|case| case.message.as_deref());
        faults.chain(said).flat_map(missing_modules).collect()
    }

    /// Returns the tests of the base that may be gone because the change removes what they test, and the files of tests
    /// that cannot be loaded for that: they, their files or their build say that one of these names is not there. Whether
    /// they come to what is removed has to be found out with [`AdaptationRuns::removed_with_their_subject`].
    pub fn gone_with_a_name(&self) -> BTreeSet<String> {
        let [base, held, change] = [self.base, self.held, self.change].map(Endings::of);
        let is_gone = |names: BTreeSet<&str>| names.iter().any(|name| self.gone.contains(*name));
        let misses = |said: &str| is_gone(missing_names(said)) || is_gone(missing_modules(said));
        let misses_one = |case: &TestCase| case.message.as_deref().is_some_and(misses);
        let is_unbuilt = || {
            let mut faults = self.held.report.iter().flat_map(|report| &report.diagnostics);
            held.executed() == 0 && faults.any(|fault| misses(&fault.message))
        };
        let unloaded: BTreeSet<&str> = held
            .0
            .values()
            .filter(|case| !base.0.contains_key(&*case.id) && case.outcome == TestOutcome::Failed && misses_one(case))
            .map(|case| file_of(case).unwrap_or(&case.id))
            .collect();
        let is_unloaded = |case: &TestCase| file_of(case).is_some_and(|file| unloaded.contains(file));
        let is_gone_with_it = |case: &TestCase| match held.0.get(&*case.id) {
            Some(held) => held.outcome == TestOutcome::Failed && misses_one(held),
            None => is_unloaded(case) || is_unbuilt(),
        };
        let gone = base
            .passed()
            .filter(|case| !change.0.contains_key(&*case.id) && self.is_touched_file(case) && is_gone_with_it(case));
        gone.map(|case| case.id.clone()).collect()
    }

    /// Returns those of the tests which fail on the base when all that the change removes is cut off with a word, and the
    /// files that cannot be loaded for nothing but them.
    pub fn removed_with_their_subject(
        &self,
        gone: &BTreeSet<String>,
        cut_off: &GateRun,
        word: &str,
    ) -> BTreeSet<String> {
        let [base, held, change] = [self.base, self.held, self.change].map(Endings::of);
        let comes_to_it = failing(cut_off).filter(|case| case.message.as_deref().is_some_and(|it| it.contains(word)));
        let mut removed: BTreeSet<String> =
            comes_to_it.map(|case| &case.id).filter(|id| gone.contains(*id)).cloned().collect();
        let is_settled = |case: &TestCase| removed.contains(&case.id) || change.is(&case.id, TestOutcome::Passed);
        let unloaded: Vec<String> = unloaded_for(&base, &held, is_settled).map(|case| case.id.clone()).collect();
        removed.extend(unloaded);
        removed
    }

    /// Returns whether tests that passed on the base are gone, and each of them is removed with what it tests.
    pub fn removes_all_that_are_gone(&self) -> bool {
        let [base, change] = [self.base, self.change].map(Endings::of);
        let mut gone = base.passed().filter(|case| !change.0.contains_key(&*case.id)).peekable();
        gone.peek().is_some() && gone.all(|case| self.removed.contains(&case.id))
    }

    /// Returns the tests of the base that the change adapts: they do not pass with its code, it touches their files,
    /// and what stands there now passes with its code and not with that of the base. A test that is gone is adapted if
    /// its file has another new one for it.
    ///
    /// A weakened test passes on the base as well, so it is none of these, unless its file has another new one for what it no
    /// longer says, it is one case of a function of which others tell the change from the base, or it misses nothing but what the
    /// change removes. Nor is one that fails on the base for nothing but a name that is not there, unless the old version misses a name
    /// as well: anything fails on the base that uses a name which the change brings. So a new test of something new does
    /// not stand for one that is gone.
    pub fn adapted(&self) -> BTreeSet<String> {
        let [base, held, change, swapped] = [self.base, self.held, self.change, self.swapped].map(Endings::of);
        let mut new = new_tests(&base, &change, &swapped);
        let says_more = |case: &TestCase| {
            let is_silent = held.0.contains_key(&*case.id) && swapped.is_silent(&case.id);
            !is_only_a_missing_name(&held, case) && (is_silent || is_only_a_missing_name(&swapped, case))
        };
        let broken =
            held.0.values().filter(|case| case.outcome == TestOutcome::Failed && !base.0.contains_key(&*case.id));
        // One that fails on the base for another reason may be rewritten as well, so that it passes now.
        let red = base
            .0
            .values()
            .filter(|case| case.outcome == TestOutcome::Failed && change.is(&case.id, TestOutcome::Passed));
        let candidates = base.passed().chain(broken.copied()).chain(red.copied()).filter(|case| {
            let is_touched = self.is_touched(case) || held.asks_for_a_module(&case.id, self.touched);
            !held.is(&case.id, TestOutcome::Passed) && !held.is(&case.id, TestOutcome::Skipped) && is_touched
        });
        let mut found = BTreeSet::new();
        for case in candidates.filter(|case| !self.removed.contains(&case.id)) {
            let id = case.id.as_str();
            let adapted = match change.0.get(id).map(|case| case.outcome) {
                Some(TestOutcome::Passed) if swapped.is(id, TestOutcome::Passed) => {
                    let is_case = function_of(id, &change).is_some_and(|function| new.functions.contains(function));
                    is_case
                        || held.is_unloaded_for_a_module(case)
                        || held.asks_for_a_module(id, self.touched)
                        || self.misses_what_is_gone(&held, id)
                        || take_one(&mut new.telling, &place_of(case, &change))
                }
                Some(TestOutcome::Passed) => !says_more(case),
                Some(_) => false,
                // A file that cannot be loaded is reported by its path.
                None if !base.0.contains_key(id) => {
                    new.places.contains(&place_of(case, &change)) || new.places.contains(&Some(id))
                }
                None => {
                    let place = place_of(case, &change);
                    let misses_a_name = is_only_a_missing_name(&held, case);
                    take_one(&mut new.telling, &place) || misses_a_name && take_one(&mut new.of_new_names, &place)
                }
            };
            if adapted {
                found.insert(id.to_owned());
            }
        }
        // A file that cannot be loaded says nothing that its tests do not say.
        let is_settled = |case: &TestCase| found.contains(&case.id) || self.removed.contains(&case.id);
        let is_file = |case: &&TestCase| file_of(case).is_none_or(|file| case.id == file);
        let settled = unloaded_for(&base, &held, is_settled).filter(|case| case.outcome == TestOutcome::Failed);
        let settled: Vec<String> = settled.filter(is_file).map(|case| case.id.clone()).collect();
        found.extend(settled);
        found
    }

    /// Returns the tests of the base that fail with the code of the change, where the change rewrites them so that they pass on the base
    /// as well, or removes them, and nothing has explained that so far.
    pub fn unexplained(&self, adapted: &BTreeSet<String>) -> BTreeSet<String> {
        let [held, change, swapped] = [self.held, self.change, self.swapped].map(Endings::of);
        let is_settled = |id: &str| adapted.contains(id) || self.removed.contains(id);
        let says_less = |id: &str| {
            !change.0.contains_key(id) || change.is(id, TestOutcome::Passed) && swapped.is(id, TestOutcome::Passed)
        };
        let fails = |case: &&TestCase| {
            held.is(&case.id, TestOutcome::Failed) && !is_only_a_missing_name(&held, case) && self.is_touched_file(case)
        };
        let open = Endings::of(self.base).passed().filter(fails).map(|case| case.id.clone()).collect::<Vec<_>>();
        open.into_iter().filter(|id| !is_settled(id) && says_less(id)).collect()
    }

    /// Returns the tests of the change that its own code passes, and that the code of the base fails for more than a name.
    pub fn telling(&self) -> BTreeSet<String> {
        let [change, swapped] = [self.change, self.swapped].map(Endings::of);
        let tells =
            |case: &&TestCase| swapped.is(&case.id, TestOutcome::Failed) && !is_only_a_missing_name(&swapped, case);
        change.passed().filter(tells).map(|case| case.id.clone()).collect()
    }

    /// Returns which of some unexplained tests fail for nothing but a part of the change that as many of its telling tests ask for:
    /// without that part the one pass and the others fail. The latter are taken.
    pub fn called_for(
        &self,
        unexplained: &BTreeSet<String>,
        telling: &mut BTreeSet<String>,
        without: PartRuns<'_>,
    ) -> BTreeSet<String> {
        let [held, change] = [without.held, without.change].map(Endings::of);
        let asks = |id: &&String| {
            let case = change.0.get(id.as_str());
            case.is_some_and(|case| case.outcome == TestOutcome::Failed && !is_only_a_missing_name(&change, case))
        };
        let freed = unexplained.iter().filter(|id| held.is(id, TestOutcome::Passed));
        let asking: Vec<String> = telling.iter().filter(asks).cloned().collect();
        let paid: Vec<(&String, String)> = freed.zip(asking).collect();
        telling.retain(|id| !paid.iter().any(|(_, taken)| taken == id));
        paid.into_iter().map(|(id, _)| id.clone()).collect()
    }

    /// Returns whether a test fails with the code of the change for names alone that the change removes.
    fn misses_what_is_gone(&self, held: &Endings<'_>, id: &str) -> bool {
        let said = held.0.get(id).and_then(|case| case.message.as_deref());
        let missing = said.map(missing_names).unwrap_or_default();
        !missing.is_empty() && missing.iter().all(|name| self.gone.contains(*name))
    }

    /// Returns the tests that say the same on the base and with the code of the change, and that the change rewrites so that its
    /// own code passes them. They told nothing of its code, whatever it is. The new versions may pass on the base as well, or miss
    /// a name there; those that fail for more are adapted.
    pub fn red_adapted(&self) -> BTreeSet<String> {
        let [change, swapped] = [self.change, self.swapped].map(Endings::of);
        let alike = red_alike(self.held, self.base);
        let passes = |case: &TestCase| {
            let of_base = swapped.is(&case.id, TestOutcome::Passed) || is_only_a_missing_name(&swapped, case);
            change.is(&case.id, TestOutcome::Passed) && of_base
        };
        let found = failing(self.held).filter(|case| alike.contains(&case.id) && self.is_touched(case));
        found.filter(|case| passes(case)).map(|case| case.id.clone()).collect()
    }

    /// Returns the tests that the change touches and that may fail with its code for nothing but a warning: they passed on the base, and
    /// all of its own pass, with the same settings. Whether they pass without the warning has to be found out by running them.
    pub fn warned(&self) -> BTreeSet<String> {
        let base = Endings::of(self.base);
        let warns = |case: &&TestCase| case.message.as_deref().is_some_and(|said| said.contains("Warning"));
        let is_own = |case: &&TestCase| base.is(&case.id, TestOutcome::Passed) && self.is_touched_file(case);
        let warned = failing(self.held).filter(|case| self.change.state == GateState::Passed && warns(case));
        warned.filter(is_own).map(|case| case.id.clone()).collect()
    }

    /// Returns whether the change moves all tests of the base: none of them runs where it was, and each runs under the
    /// same name elsewhere.
    pub fn is_moved(&self) -> bool {
        let [base, held, change] = [self.base, self.held, self.change].map(Endings::of);
        let names: BTreeSet<&str> = change.0.keys().map(|id| own_name(id)).collect();
        let is_moved = |case: &TestCase| {
            self.is_touched(case) && !change.0.contains_key(&*case.id) && names.contains(own_name(&case.id))
        };
        held.executed() == 0
            && self.change.state == GateState::Passed
            && base.passed().next().is_some()
            && base.passed().all(is_moved)
    }

    /// Returns whether the tests of the base cannot be built with the code of the change for faults in files that the
    /// change rewrites, while its own can. These cannot be built or fail with the code of the base, or each test of the
    /// base is still there and passes.
    pub fn is_rebuilt(&self) -> bool {
        let executed = |run: &GateRun| {
            let tests = run.report.as_ref().and_then(|report| report.tests.as_ref());
            tests.map_or(0, assize_report::TestRun::executed)
        };
        let faults = || self.held.report.iter().flat_map(|report| &report.diagnostics);
        let placed = faults().filter_map(|fault| fault.path.as_deref()).all(|path| self.touched.contains(path));
        let passed = self.change.state == GateState::Passed && executed(self.change) > 0;
        executed(self.held) == 0
            && faults().any(|fault| fault.path.is_some())
            && placed
            && passed
            && (self.swapped.state != GateState::Passed || self.keeps_all_tests())
    }

    /// Returns the files of tests in which the build of a run has faults.
    pub fn unbuilt_files(&self, run: &GateRun) -> BTreeSet<String> {
        let faults = run.report.iter().flat_map(|report| &report.diagnostics);
        faults.filter_map(|fault| fault.path.clone()).filter(|path| self.touched.contains(path)).collect()
    }

    /// Returns whether a test that passed on the base fails in a run.
    pub fn breaks_one(&self, run: &GateRun) -> bool {
        let base = Endings::of(self.base);
        failing(run).any(|case| base.is(&case.id, TestOutcome::Passed))
    }

    /// Returns whether every test that passed on the base passes with the change, under the same name, here or in another
    /// file, but for those that are removed with what they test.
    fn keeps_all_tests(&self) -> bool {
        let [base, change] = [self.base, self.change].map(Endings::of);
        let mut came: BTreeMap<&str, usize> = BTreeMap::new();
        for case in change.passed().filter(|case| !base.0.contains_key(&*case.id)) {
            *came.entry(own_name(&case.id)).or_insert(0) += 1;
        }
        base.passed().all(|case| {
            change.is(&case.id, TestOutcome::Passed)
                || self.removed.contains(&case.id)
                || !change.0.contains_key(&*case.id) && take_one(&mut came, &own_name(&case.id))
        })
    }

    /// Returns whether the change touches the file of a test: whatever is gone stood there.
    fn is_touched_file(&self, case: &TestCase) -> bool {
        file_of(case).is_none_or(|file| self.touched.contains(file))
    }

    fn is_touched(&self, case: &TestCase) -> bool {
        if self.touched.is_empty() {
            return false;
        }
        let by_helper = self.touched.iter().any(|path| !assize_ecosystem::holds_tests(path));
        by_helper || self.is_touched_file(case)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec_report::testing::tested;

    fn red(says: &[(&str, &str)]) -> GateRun {
        let mut run = tested(&says.iter().map(|(id, _)| (*id, TestOutcome::Failed)).collect::<Vec<_>>());
        let tests = run.report.as_mut().and_then(|report| report.tests.as_mut()).expect("tests");
        for (case, (_, message)) in tests.cases.iter_mut().zip(says) {
            case.message = Some((*message).to_owned());
        }
        run
    }

    #[test]
    fn a_new_name_does_not_make_a_weakened_test_an_adapted_one() {
        use TestOutcome::Passed;
        let (base, change) = (tested(&[("t.py::a", Passed)]), tested(&[("t.py::a", Passed)]));
        let touched = BTreeSet::from(["t.py".to_owned()]);
        let none = BTreeSet::new();
        let (asserts, misses) = ("assert 1 == 3", "AttributeError: module 'shop' has no attribute 'CURRENCY'");
        let gone = "ImportError: cannot import name 'fmt' from 'shop'";
        for (held, swapped, expected) in [
            // The behaviour changed, and the new version checks the new one.
            (red(&[("t.py::a", asserts)]), red(&[("t.py::a", "assert 3 == 1")]), true),
            // A rename: both say that a name is not there, the test itself or its file.
            (red(&[("t.py::a", misses)]), red(&[("t.py::a", misses)]), true),
            (red(&[("t.py", gone)]), red(&[("t.py", misses)]), true),
            // The new version is only about a name that the change brings.
            (red(&[("t.py::a", asserts)]), red(&[("t.py::a", misses)]), false),
            (red(&[("t.py::a", asserts)]), red(&[("t.py", gone)]), false),
            // Nothing is said of the new version, though something is of the old one.
            (red(&[("t.py::a", asserts)]), red(&[("t.py", "E: No module named 'new'")]), false),
            // Neither can be told where the old one tests a module that is gone.
            (red(&[("t.py", "E: No module named 'old'")]), red(&[("t.py", "E: No module named 'new'")]), true),
            (red(&[("t.py", "E: No module named 'old'")]), tested(&[("t.py::a", Passed)]), true),
            (red(&[("t.py", "Directory import '.' is not supported")]), tested(&[("t.py::a", Passed)]), true),
            (red(&[("t.py::a", "Cannot find package 'tap' imported from t.py")]), tested(&[("t.py::a", Passed)]), true),
            (
                red(&[("t.py::a", "Cannot find package 'tap' imported from u.py")]),
                tested(&[("t.py::a", Passed)]),
                false,
            ),
            (red(&[("t.py", "SyntaxError: invalid syntax")]), tested(&[("t.py::a", Passed)]), false),
            (red(&[("t.py::a", asserts)]), tested(&[("t.py::a", Passed)]), false),
        ] {
            let runs = AdaptationRuns {
                base: &base,
                held: &held,
                change: &change,
                swapped: &swapped,
                touched: &touched,
                removed: &none,
                gone: &none,
            };
            let says = |run: &GateRun| run.cases().map(|case| case.message.clone()).collect::<Vec<_>>();
            let adapted = runs.adapted();
            assert_eq!(adapted.contains("t.py::a"), expected, "{:?} and {:?}", says(&held), says(&swapped));
            let is_unloaded = held.cases().any(|case| case.id == "t.py");
            assert_eq!(adapted.contains("t.py"), expected && is_unloaded, "{:?} and {:?}", says(&held), says(&swapped));
            assert!(runs.breaks_one(&held) == held.cases().any(|case| case.id == "t.py::a"));
        }
    }

    #[test]
    fn a_warning_may_be_all_that_a_test_fails_for_where_the_change_touches_it() {
        use TestOutcome::Passed;
        let (warning, fault) = ("E: DeprecationWarning: use other()", "assert 1 == 3");
        let (one, passed) = (["t.py::a"], tested(&[("t.py::a", Passed)]));
        let (touched, untouched, none) = (BTreeSet::from(["t.py".to_owned()]), BTreeSet::new(), BTreeSet::new());
        for (base, said, change, touched, expected) in [
            (&passed, warning, &passed, &touched, &one[..]),
            (&passed, fault, &passed, &touched, &[]),
            (&red(&[("t.py::a", fault)]), warning, &passed, &touched, &[]),
            (&passed, warning, &red(&[("t.py::b", fault)]), &touched, &[]),
            (&passed, warning, &passed, &untouched, &[]),
        ] {
            let held = red(&[("t.py::a", said)]);
            let swapped = no_run();
            let (removed, gone) = (&none, &none);
            let runs = AdaptationRuns { base, held: &held, change, swapped: &swapped, touched, removed, gone };
            let found = runs.warned();
            assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected, "{said}");
        }
    }

    #[test]
    fn a_plug_in_that_the_base_lacks_is_no_fault_of_new_tests() {
        let lacking = |tests: &[(&str, &str)]| {
            let mut run = tested(&tests.iter().map(|(id, _)| (*id, TestOutcome::Failed)).collect::<Vec<_>>());
            let cases = &mut run.report.as_mut().expect("a report").tests.as_mut().expect("tests").cases;
            for (case, (_, message)) in cases.iter_mut().zip(tests) {
                case.message = Some((*message).to_owned());
            }
            run
        };
        let base = lacking(&[("old", "fixture 'mocker' not found")]);
        let run = lacking(&[("new", "fixture 'mocker' not found"), ("typo", "fixture 'moker' not found"), ("x", "no")]);
        assert_eq!(without_plugin(&run, &base), BTreeSet::from(["new".to_owned()]));
    }

    #[test]
    fn a_run_says_more_where_more_tests_end_or_fewer_miss_a_name() {
        let misses = "NameError: name 'x' is not defined";
        let (one, two) = (red(&[("a", "1 != 2")]), red(&[("a", "1 != 2"), ("b", misses)]));
        let named = red(&[("a", misses)]);
        for (run, other, expected) in
            [(&two, &one, true), (&one, &two, false), (&one, &named, true), (&named, &one, false), (&one, &one, false)]
        {
            assert_eq!(says_more(run, other), expected);
        }
    }

    #[test]
    fn what_passed_once_of_the_same_tests_passes() {
        use TestOutcome::{Failed, Passed};
        let mut run = tested(&[("a", Failed), ("b", Failed), ("c", Passed)]);
        take_passes(&mut run, &tested(&[("a", Passed), ("c", Failed)]));
        let ended: Vec<TestOutcome> = run.cases().map(|case| case.outcome).collect();
        assert_eq!((ended, run.state), (vec![Passed, Failed, Passed], GateState::Failed));
        take_passes(&mut run, &tested(&[("b", Passed)]));
        assert_eq!(run.state, GateState::Passed);
    }

    #[test]
    fn only_tests_that_say_the_same_are_alike() {
        let base = red(&[("a", "refused at 0x7f3a, /tmp/x-dwtd/a after 12 s"), ("b", "1 != 2"), ("c", "no such file")]);
        let now = red(&[("a", "refused at 0x81bb, /tmp/x-q_y/a after 9 s"), ("b", "None != 2"), ("d", "no such file")]);
        assert_eq!(red_alike(&now, &base), BTreeSet::from(["a".to_owned()]));
        let docs =
            |first: u32| red(&[(&format!("docs[a.md:{first}-{}]", first + 9), &format!("a.md:{first}: no azure"))]);
        assert_eq!(red_alike(&docs(64), &docs(21)), BTreeSet::from(["docs[a.md:64-73]".to_owned()]));
        assert_eq!(red_alike(&docs(64), &red(&[("docs[a.md:21-30]", "a.md:21: 3 != 4")])), BTreeSet::new());
        assert_eq!(red_alike(&docs(64), &red(&[])), BTreeSet::new());
        let thrown = |at: &str, by: &str| format!("Error: 1\n    at own (test/{at}.js:2:1)\n    at {by}\n");
        let says = |by: &str| thrown("a", by);
        let hangs = |what: &str, rest: &str| format!("{what}it was not done within {rest}");
        for (now, before, expected) in [
            (says("run (node_modules/jest/a.js:1:2)"), says("new Promise (<anonymous>)"), true),
            (says("run (node_modules/jest/a.js:1:2)"), thrown("b", "run (node_modules/jest/a.js:1:2)"), false),
            (says("run (lib/a.js:1:2)"), says("go (lib/b.js:1:2)"), false),
            (
                hangs("imported: ", "5 s (at <assize>:69 in say)"),
                hangs("imported: ", "30 s (at a.py:7 in <module>)"),
                true,
            ),
            (hangs("", "5 s (at a.py:1 in f)"), hangs("imported: ", "5 s (at a.py:1 in f)"), false),
        ] {
            assert_eq!(!red_alike(&red(&[("a", &now)]), &red(&[("a", &before)])).is_empty(), expected, "{now}{before}");
        }
    }

    #[test]
    fn a_test_that_reaches_a_function_says_so_when_it_is_cut_off() {
        let now = red(&[("a", "refused"), ("b", "1 != 2")]);
        let cut_off = red(&[("a", "refused"), ("b", "RuntimeError: w")]);
        let both = BTreeSet::from(["a".to_owned(), "b".to_owned()]);
        assert_eq!(independent_of_change(&both, &now, &cut_off), BTreeSet::from(["a".to_owned()]));
        assert_eq!(independent_of_change(&both, &now, &tested(&[])), BTreeSet::new(), "it came to no test");
    }

    #[test]
    fn tests_that_come_to_no_end_are_waited_for_again_if_their_time_is_short_and_they_are_few() {
        let base = tested(&[("a", TestOutcome::Passed), ("b", TestOutcome::Passed)]);
        let newly = |says: &[(&str, &str)]| newly_failing(&red(says), &base).len();
        assert_eq!(newly(&[("a", "Error: Timeout of 1000ms exceeded."), ("b", "3 != 4")]), 2);
        assert_eq!(newly(&[("a", "Exceeded timeout of 5000 ms for a test")]), 1);
        for said in ["Timeout of 5001ms exceeded.", "Test timed out in 1h", "it was not done in time"] {
            assert_eq!(newly(&[("a", said), ("b", "3 != 4")]), 0, "{said}");
        }
        let many: Vec<(&str, &str)> = ["a", "b", "c", "d"].map(|id| (id, "Timeout of 10ms exceeded.")).into();
        assert_eq!((newly(&many[..3]), newly(&many)), (3, 0));
    }

    #[test]
    fn a_test_is_overdue_that_we_ended_and_that_passed_on_the_base() {
        let base = tested(&[("a", TestOutcome::Passed), ("b", TestOutcome::Failed)]);
        for (id, said, expected) in [
            ("a", "it was not done in time", true),
            ("a", "it was not done within 30 seconds", true),
            ("a", "Timeout of 2000ms exceeded", false),
            ("b", "it was not done in time", false),
            ("c", "it was not done in time", false),
        ] {
            assert_eq!(is_overdue(&red(&[(id, said)]), &base), expected, "{id}: {said}");
        }
    }

    #[test]
    fn what_hangs_on_the_base_is_waited_for_as_long_as_the_others_take() {
        let of = |times: &[(&str, Option<u64>)], says: &[(&str, &str)]| {
            let mut run = red(says);
            let cases = &mut run.report.as_mut().and_then(|report| report.tests.as_mut()).expect("tests").cases;
            cases.extend(times.iter().map(|(id, time_ms)| TestCase {
                id: (*id).to_owned(),
                path: None,
                outcome: TestOutcome::Passed,
                message: None,
                time_ms: *time_ms,
            }));
            run
        };
        let hangs = [("h", "it was not done within 30 s"), ("n", "test timed out after 120000ms")];
        let wait = |times: &[(&str, Option<u64>)]| short_wait(&of(times, &hangs), 68_000, 30);
        assert_eq!(wait(&[("a", Some(10)), ("b", None)]), Some(5));
        assert_eq!(wait(&[("a", Some(1_666)), ("b", Some(0))]), Some(5));
        assert_eq!(wait(&[("a", Some(1_667)), ("b", Some(0))]), Some(6));
        assert_eq!(wait(&[("a", None)]), Some(24));
        assert_eq!((wait(&[("a", Some(9_666))]), wait(&[("a", Some(9_667))])), (Some(29), None));
        assert_eq!(short_wait(&of(&[("a", Some(10))], &[("h", "3 != 4")]), 68_000, 30), None);
        let base = of(&[("a", Some(10))], &hangs[..1]);
        let anew = |says: &[(&str, &str)]| hangs_anew(&red(says), &base);
        assert!(!anew(&[("h", "it was not done within 5 s"), ("a", "3 != 4")]));
        assert!(anew(&[("a", "it was not done within 5 s")]) && anew(&[("new", "it was not done in time")]));
    }

    #[test]
    fn a_test_is_adapted_where_its_new_version_tells_the_change_from_the_base() {
        use TestOutcome::{Failed, Passed};
        let touched = BTreeSet::from(["test_a.py".to_owned()]);
        let adapted = |held: &[_], change: &[_], swapped: &[_]| {
            let base = tested(&[("test_a.py::x", Passed), ("test_a.py::y", Passed), ("test_b.py::z", Passed)]);
            let [held, change, swapped] = [held, change, swapped].map(tested);
            let runs = AdaptationRuns {
                base: &base,
                held: &held,
                change: &change,
                swapped: &swapped,
                touched: &touched,
                removed: &BTreeSet::new(),
                gone: &BTreeSet::new(),
            };
            runs.adapted().into_iter().collect::<Vec<_>>().join(" ")
        };
        let (x, y, z, new) = ("test_a.py::x", "test_a.py::y", "test_b.py::z", "test_a.py::new");
        let sound = [(y, Passed), (z, Passed)];
        let with = |id, outcome| [&[(id, outcome)][..], &sound].concat();
        assert_eq!(adapted(&with(x, Failed), &with(x, Passed), &with(x, Failed)), x);
        assert_eq!(adapted(&with(x, Failed), &with(x, Passed), &with(x, Passed)), "", "it was weakened");
        assert_eq!(adapted(&with(x, Failed), &with(x, Failed), &with(x, Failed)), "", "it fails still");
        assert_eq!(adapted(&with(x, Failed), &sound, &sound), "", "it is gone");
        assert_eq!(adapted(&with(x, Failed), &with(new, Passed), &with(new, Failed)), x, "another one stands for it");
        assert_eq!(adapted(&with(x, Failed), &with(new, Passed), &with(new, Passed)), "");
        let beside = |outcome| [with(x, Passed), vec![(new, outcome)]].concat();
        assert_eq!(
            adapted(&with(x, Failed), &beside(Passed), &beside(Failed)),
            x,
            "what it no longer says has its own"
        );
        assert_eq!(adapted(&with(x, Failed), &beside(Passed), &beside(Passed)), "");
        let untouched = [(x, Passed), (y, Passed), (z, Failed)];
        assert_eq!(adapted(&untouched, &[(z, Passed)], &[(z, Failed)]), "", "its file is as it was");
        // A file that cannot be loaded with the change's code.
        let broken = [("test_a.py", Failed), (z, Passed)];
        let all = [(x, Passed), (y, Passed), (z, Passed)];
        assert_eq!(adapted(&broken, &all, &broken), "test_a.py test_a.py::x test_a.py::y");
        let red = tested(&[(x, Failed), (y, Passed)]);
        let fixed = tested(&[(x, Passed), (y, Passed)]);
        let of_red = |swapped: &GateRun, touched: &str| {
            let held = tested(&[(x, Failed), (y, Passed)]);
            let touched = &BTreeSet::from([touched.to_owned()]);
            let removed = &BTreeSet::new();
            let runs = AdaptationRuns {
                base: &red,
                held: &held,
                change: &fixed,
                swapped,
                touched,
                removed,
                gone: &BTreeSet::new(),
            };
            [runs.adapted(), runs.red_adapted()].map(|ids| ids.into_iter().collect::<Vec<_>>().join(" "))
        };
        assert_eq!(of_red(&red, "test_a.py"), [x, ""], "it failed on the base for another reason");
        assert_eq!(of_red(&fixed, "test_a.py"), ["", x], "it passes on the base now");
        assert_eq!(of_red(&fixed, "test_b.py"), ["", ""], "its file is as it was");
    }

    #[test]
    fn a_red_test_may_use_names_that_the_change_brings() {
        let x = "test_a.py::x";
        let (touched, none) = (BTreeSet::from(["test_a.py".to_owned()]), BTreeSet::new());
        let (base, change) = (red(&[(x, "assert 1 == 2")]), tested(&[(x, TestOutcome::Passed)]));
        let of = |held: &str, swapped: &str| {
            let (held, swapped) = (red(&[(x, held)]), red(&[(x, swapped)]));
            let (base, change, touched) = (&base, &change, &touched);
            let runs =
                AdaptationRuns { base, held: &held, change, swapped: &swapped, touched, removed: &none, gone: &none };
            !runs.red_adapted().is_empty()
        };
        assert!(of("assert 1 == 2", "NameError: name 'strip' is not defined"));
        assert!(!of("assert 3 == 'a'", "NameError: name 'strip' is not defined"), "it says something of the change");
        assert!(!of("assert 1 == 2", "assert 1 == 7"), "then it is adapted");
    }

    #[test]
    fn a_test_goes_with_a_part_of_the_change_that_others_ask_for() {
        use TestOutcome::{Failed, Passed};
        let (x, y, new) = ("test_a.py::x", "test_a.py::y", "test_b.py::new");
        let touched = BTreeSet::from(["test_a.py".to_owned(), "test_b.py".to_owned()]);
        let none = BTreeSet::new();
        let base = tested(&[(x, Passed), (y, Passed)]);
        let held = tested(&[(x, Failed), (y, Failed)]);
        let change = tested(&[(x, Passed), (new, Passed)]);
        let swapped = tested(&[(x, Passed), (new, Failed)]);
        let runs = AdaptationRuns {
            base: &base,
            held: &held,
            change: &change,
            swapped: &swapped,
            touched: &touched,
            removed: &none,
            gone: &none,
        };
        let ids = |ids: &BTreeSet<String>| ids.iter().cloned().collect::<Vec<_>>().join(" ");
        let open = runs.unexplained(&runs.adapted());
        assert_eq!((ids(&open), ids(&runs.telling())), (format!("{x} {y}"), new.to_owned()));
        assert_eq!(ids(&runs.unexplained(&BTreeSet::from([x.to_owned()]))), y);
        let called = |held: &[(&str, TestOutcome)], change: &GateRun| {
            let (held, mut telling) = (tested(held), runs.telling());
            let called = runs.called_for(&open, &mut telling, PartRuns { held: &held, change });
            assert_eq!(telling.is_empty(), !called.is_empty());
            ids(&called)
        };
        let fails = tested(&[(new, Failed)]);
        assert_eq!(called(&[(x, Passed), (y, Failed)], &fails), x);
        assert_eq!(called(&[(x, Passed), (y, Passed)], &fails), x, "one asks for it, and pays for one");
        assert_eq!(called(&[(x, Failed), (y, Failed)], &fails), "", "they fail for another part");
        assert_eq!(called(&[(x, Passed)], &tested(&[(new, Passed)])), "", "no test asks for this part");
        let misses = red(&[(new, "NameError: name 'rate' is not defined")]);
        assert_eq!(called(&[(x, Passed)], &misses), "", "it misses a name of another part");
    }

    #[test]
    fn what_is_new_pays_for_what_stands_beside_it() {
        use TestOutcome::{Failed, Passed};
        let (x, touched) = ("test_a.py::x", BTreeSet::from(["test_a.py".to_owned()]));
        for (one, other) in
            [("m/a.TestX", "m/b.TestY"), ("m::a x", "m::b y"), ("test/a.js > [a] x", "test/a.js > [b] y")]
        {
            // What is new in one package, and a test that says less in another.
            let [base, held, swapped] =
                [(Passed, None), (Failed, None), (Passed, Some(Failed))].map(|(outcome, new)| {
                    let new = new.map(|outcome| ("m/b.TestNew", outcome));
                    tested(
                        &[Some((one, outcome)), Some((other, Passed)), new].into_iter().flatten().collect::<Vec<_>>(),
                    )
                });
            let change = tested(&[(one, Passed), (other, Passed), ("m/b.TestNew", Passed)]);
            let (removed, gone) = (&BTreeSet::new(), &BTreeSet::new());
            let touched = &BTreeSet::from(["test/a.js".to_owned()]);
            let (base, held, change, swapped) = (&base, &held, &change, &swapped);
            let runs = AdaptationRuns { base, held, change, swapped, touched, removed, gone };
            assert_eq!(runs.adapted(), BTreeSet::new(), "{one}");
        }
        for (one, other, expected) in [
            ("m/a.TestX/one", "m/a.TestX/other", "m/a.TestX/one"),
            ("m/a.TestX/one", "m/a.TestY/other", ""),
            ("test_a.py::x[1]", "test_a.py::x[2]", "test_a.py::x[1]"),
        ] {
            // Go reports the functions themselves as well.
            let run =
                |mine, others| tested(&[("m/a.TestX", Passed), ("m/a.TestY", Passed), (one, mine), (other, others)]);
            let [base, held] = [Passed, Failed].map(|outcome| run(outcome, Failed));
            let [change, swapped] = [Passed, Failed].map(|outcome| run(Passed, outcome));
            let (removed, gone, touched) = (&BTreeSet::new(), &BTreeSet::new(), &touched);
            let (base, held, change, swapped) = (&base, &held, &change, &swapped);
            let runs = AdaptationRuns { base, held, change, swapped, touched, removed, gone };
            let found = runs.adapted();
            assert_eq!(found.iter().filter(|id| *id == one).cloned().collect::<String>(), expected, "{one}");
        }
        let base = tested(&[(x, Passed)]);
        for (said, gone, expected) in [
            ("undefined: Old", &["Old"][..], x),
            ("undefined: Old", &["Other"], ""),
            ("undefined: Old\nundefined: Kept", &["Old"], ""),
            ("1 != 2", &["Old"], ""),
        ] {
            let held = red(&[(x, said)]);
            let (removed, gone) = (&BTreeSet::new(), &gone.iter().map(|name| (*name).to_owned()).collect());
            let (change, swapped, touched) = (&base, &base, &touched);
            let runs = AdaptationRuns { base: &base, held: &held, change, swapped, touched, removed, gone };
            assert_eq!(runs.adapted().into_iter().collect::<String>(), expected, "{said}");
        }
    }

    #[test]
    fn tests_that_cannot_be_built_any_more_are_adapted_where_the_change_rewrites_them() {
        use crate::exec_report::testing::unbuilt;
        let passed = tested(&[("x", TestOutcome::Passed)]);
        let (broken, elsewhere) = (unbuilt("tests/a.rs"), unbuilt("src/lib.rs"));
        let touched = BTreeSet::from(["tests/a.rs".to_owned()]);
        let runs = AdaptationRuns {
            base: &passed,
            held: &broken,
            change: &passed,
            swapped: &elsewhere,
            touched: &touched,
            removed: &BTreeSet::new(),
            gone: &BTreeSet::new(),
        };
        assert!(runs.is_rebuilt());
        assert!(!AdaptationRuns { held: &elsewhere, ..runs }.is_rebuilt(), "the code itself does not build");
        assert!(!AdaptationRuns { change: &broken, ..runs }.is_rebuilt());
        assert!(AdaptationRuns { swapped: &passed, ..runs }.is_rebuilt(), "they pass on the base, and none is gone");
        let more = tested(&[("x", TestOutcome::Passed), ("y", TestOutcome::Passed)]);
        let gone = AdaptationRuns { base: &more, swapped: &passed, ..runs };
        assert!(!gone.is_rebuilt(), "the new tests pass on the base, and one is gone");
        let [was, is] = ["tests/a.mjs > y", "tests/a.js > y"].map(|id| tested(&[(id, TestOutcome::Passed)]));
        assert!(
            AdaptationRuns { base: &was, change: &is, swapped: &is, ..runs }.is_rebuilt(),
            "its file has another name"
        );
        let removed = BTreeSet::from(["y".to_owned()]);
        assert!(AdaptationRuns { removed: &removed, ..gone }.is_rebuilt(), "what it tests is gone as well");
        assert!(!AdaptationRuns { touched: &BTreeSet::new(), ..runs }.is_rebuilt());
    }

    #[test]
    fn tests_go_with_what_they_test() {
        use TestOutcome::{Failed, Passed};
        let touched = BTreeSet::from(["test_a.py".to_owned()]);
        let base = tested(&[("test_a.py::strip", Passed), ("test_a.py::other", Passed), ("test_b.py::x", Passed)]);
        let names = BTreeSet::from(["strip".to_owned()]);
        let removed = |held: &GateRun, change: &[(&str, TestOutcome)], cut_off: &[(&str, &str)]| {
            let (change, swapped) = (tested(change), no_run());
            let nothing = BTreeSet::new();
            let touched = &touched;
            let runs = AdaptationRuns {
                base: &base,
                held,
                change: &change,
                swapped: &swapped,
                touched,
                removed: &nothing,
                gone: &names,
            };
            let gone = runs.gone_with_a_name();
            let removed = runs.removed_with_their_subject(&gone, &red(cut_off), "w0rd");
            removed.into_iter().collect::<Vec<_>>().join(" ")
        };
        let unloaded = red(&[("test_a.py", "ImportError: cannot import name 'strip' from 'a'")]);
        let kept = [("test_a.py::other", Passed), ("test_b.py::x", Passed)];
        let reached = [("test_a.py::strip", "CutOff: w0rd")];
        assert_eq!(removed(&unloaded, &kept, &reached), "test_a.py test_a.py::strip");
        // One more is gone that does not come to what is removed: the file is not settled.
        assert_eq!(removed(&unloaded, &kept[1..], &reached), "test_a.py::strip");
        // It does not come to it, or says something else, or its file is untouched, or it is still there and fails.
        assert_eq!(removed(&unloaded, &kept, &[("test_a.py::strip", "1 != 2")]), "");
        let elsewhere = red(&[("test_a.py::strip", "assert 'strip' == 'strap'")]);
        assert_eq!(removed(&elsewhere, &kept, &reached), "");
        let other = red(&[("test_b.py::x", "NameError: name 'strip' is not defined")]);
        assert_eq!(removed(&other, &kept[..1], &[("test_b.py::x", "w0rd")]), "");
        let failing = [("test_a.py::strip", Failed), kept[0], kept[1]];
        assert_eq!(removed(&unloaded, &failing, &reached), "");
    }

    #[test]
    fn names_that_differ_in_numbers_alone_are_paired() {
        let run = |ids: &[&str]| tested(&ids.iter().map(|id| (*id, TestOutcome::Passed)).collect::<Vec<_>>());
        let pairs = |before: &[&str], now: &[&str]| {
            renumbered(&run(now), &run(before)).into_iter().map(|(was, is)| format!("{was}={is}")).collect::<Vec<_>>()
        };
        assert_eq!(pairs(&["a 12:30", "b"], &["a 12:31", "b"]), ["a 12:30=a 12:31"]);
        assert_eq!(pairs(&["t[<x at 0x7f00>]", "u"], &["t[<x at 0x81ab>]"]), ["t[<x at 0x7f00>]=t[<x at 0x81ab>]"]);
        assert_eq!(pairs(&["a 1", "a 2"], &["a 3"]), ["a 1=a 3", "a 2=a 3"]);
        assert_eq!(pairs(&["a 1", "a 2"], &["a 2", "a 3"]), ["a 1=a 3"]);
        let (one, two) = ("t[deed272a-ecf7-11f1-98f9-35a16e4035c7]", "t[0a0fbbb0-ed02-11f1-8d7f-6d5e518acd78]");
        assert_eq!(pairs(&[one], &[two]), [format!("{one}={two}")], "unique in each run");
        assert_eq!(pairs(&["a one"], &["a two"]), [""; 0]);
        let names = |again: &[&str]| {
            let (mut base, now) = (run(&["a 1", "b 1"]), run(&["a 2", "b 2"]));
            let names = renumbered(&now, &base);
            rename(&mut base, &names, &run(again));
            base.cases().map(|case| case.id.clone()).collect::<Vec<_>>()
        };
        assert_eq!(names(&["a 3", "b 1"]), ["a 2", "b 1"], "the base calls one of them the same each time");
        let (mut base, now) = (run(&["a 1", "a 2"]), run(&["a 3"]));
        let found = renumbered(&now, &base);
        rename(&mut base, &found, &run(&["a 1", "a 2"]));
        let left: Vec<&str> = base.cases().map(|case| case.id.as_str()).collect();
        assert_eq!(left, ["a 1", "a 2"], "two are gone, and one has another number");
    }

    #[test]
    fn tests_that_run_elsewhere_under_their_names_are_moved() {
        use TestOutcome::Passed;
        let touched = BTreeSet::from(["a/test_a.py".to_owned(), "test_a.py".to_owned()]);
        let (base, held) = (tested(&[("a/test_a.py::x", Passed), ("a/test_a.py::y", Passed)]), no_run());
        let is_moved = |cases: &[_], held: &GateRun| {
            let change = tested(cases);
            let swapped = no_run();
            AdaptationRuns {
                base: &base,
                held,
                change: &change,
                swapped: &swapped,
                touched: &touched,
                removed: &BTreeSet::new(),
                gone: &BTreeSet::new(),
            }
            .is_moved()
        };
        let both = [("test_a.py::x", Passed), ("test_a.py::y", Passed)];
        assert!(is_moved(&both, &held));
        assert!(!is_moved(&both[..1], &held), "one is gone");
        assert!(!is_moved(&both, &base), "they run where they were");
        assert!(!is_moved(&[("a/test_a.py::x", Passed), ("test_a.py::y", Passed)], &held));
    }

    #[test]
    fn a_test_that_the_specification_speaks_of_is_asked_to_pass() {
        let run = red(&[
            ("t.py::test_median", "1 != 2"),
            ("t.py::test_b", "no attribute 'median'"),
            ("t.py::test_net", "timed out"),
        ]);
        let ids = || ["t.py::test_median", "t.py::test_b", "t.py::test_net"].map(str::to_owned).into();
        let left = |spec: &str| unasked(ids(), &run, spec).into_iter().collect::<Vec<_>>().join(" ");
        assert_eq!(left("Add a function `median`."), "t.py::test_net");
        assert_eq!(left("The test should pass."), "t.py::test_b t.py::test_median t.py::test_net");
    }

    #[test]
    fn a_test_is_flaky_where_it_passes_again() {
        let base = tested(&[("a", TestOutcome::Passed), ("b", TestOutcome::Failed)]);
        let new = newly_failing(&red(&[("a", ""), ("b", ""), ("c", "")]), &base);
        assert_eq!(new, ["a", "c"].map(str::to_owned).into());
        let new = BTreeSet::from(["a".to_owned()]);
        assert!(newly_failing(&red(&[("a", ""), ("c", "it was not done within 30 s (at a.py:3)")]), &base).is_empty());
        assert_eq!((passed_in(&new, &base), passed_in(&new, &red(&[("a", "")]))), (new, BTreeSet::new()));
    }
}
