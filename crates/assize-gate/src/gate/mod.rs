//! Gates: the project's own checks, run by us.
//!
//! A gate says by which files it recognizes that a project uses it, how its tool is called so that
//! it only checks, and how its report is read. All of that is pure; who runs the command, and
//! where, is the engine's business. A gate must not decide: what a run is worth says [`GateRun::of`],
//! for all gates alike. One gate is one file, named by its id. To add one: write the file, add it
//! to `gates!` below.

mod cargo;
pub mod completion_marker;
pub mod declared;
mod go;
mod javascript;
pub(crate) mod machine;
mod mentions;
mod package_script;
mod python;
mod python_tests;
mod runner;
mod script;
mod surefire;
mod unloaded;

pub use go::{GO_LANGUAGE, imported_as};

use std::collections::{BTreeMap, BTreeSet};

use assize_core::finding::Severity;
use assize_core::page::{Page, Subject};
use assize_core::path::file_name;
use assize_ecosystem::pipeline::{MAKEFILES, Pipeline};
use assize_ecosystem::preparation::quoted;
use assize_ecosystem::tool::Tool;
use assize_ecosystem::{Ecosystem, find_tool};
use assize_report::{Diagnostic, ReportError, TestCase, TestOutcome, ToolReport};
use serde::{Deserialize, Serialize};

/// What a change is judged by; the names are those of the verdict's scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// It compiles, or is at least sound in its syntax.
    Compilation,
    /// Tests of what it does pass.
    TestsFunctional,
    /// Tests of edge cases pass.
    TestsEdge,
    /// The type checker has no objection.
    Types,
    /// Linters and formatters have no objection.
    Style,
    /// Nothing in it endangers its users.
    Security,
    /// Imports keep to the layers.
    Boundaries,
    /// Schemas are valid, and instances and types agree with them.
    Schema,
}

impl Dimension {
    /// Those that every project has; whether there are boundaries and schemas differs.
    pub const STATED: [Self; 6] =
        [Self::Compilation, Self::TestsFunctional, Self::TestsEdge, Self::Types, Self::Style, Self::Security];

    /// Returns the name that is shown and stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Compilation => "compilation",
            Self::TestsFunctional => "tests_functional",
            Self::TestsEdge => "tests_edge",
            Self::Types => "types",
            Self::Style => "style",
            Self::Security => "security",
            Self::Boundaries => "boundaries",
            Self::Schema => "schema",
        }
    }
}

/// What leads to packages of a workspace, by the folder of a package or by the path of a file outside of all packages: the
/// folders of packages and such files.
pub type Reaches = BTreeMap<String, BTreeSet<String>>;

/// What gates are recognized by: the names of a project's files and the contents of those that
/// configure tools.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Project {
    /// Paths of all files that belong to the project, relative to its root, with forward slashes.
    pub files: BTreeSet<String>,
    /// Contents of the files that configure tools (see [`assize_ecosystem::is_setting`]).
    pub manifests: BTreeMap<String, String>,
    /// Names of programs that can be started: those on the search path by their name, those that the
    /// project brought along by their path relative to its root (`node_modules/.bin/eslint`, `.venv/bin/pytest`).
    pub programs: BTreeSet<String>,
    /// What the maintainers run, as the manifests say.
    #[serde(default)]
    pub pipeline: Pipeline,
    /// What leads to packages of a workspace other than by a manifest.
    #[serde(default)]
    pub reaches: Reaches,
    /// The path by which packages of Go without a module import each other.
    #[serde(default)]
    pub imported_as: Option<String>,
}

impl Project {
    /// Reads what the maintainers run from the manifests.
    pub fn new(files: BTreeSet<String>, manifests: BTreeMap<String, String>, programs: BTreeSet<String>) -> Self {
        let pipeline = Pipeline::read(&manifests);
        Self { files, manifests, programs, pipeline, reaches: Reaches::new(), imported_as: None }
    }

    /// Has make run what another tree says: what it runs for a script of the change is what it runs for one of the base.
    pub fn take_makefiles(&mut self, other: &Self) {
        let is_of_make = |path: &str| MAKEFILES.contains(&file_name(path));
        self.manifests.retain(|path, _| !is_of_make(path));
        let of_other = other.manifests.iter().filter(|(path, _)| is_of_make(path));
        self.manifests.extend(of_other.map(|(path, text)| (path.clone(), text.clone())));
    }
}

/// A gate that a project uses.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Setup {
    /// The folder that it runs in, relative to the root; empty for the root itself.
    pub folder: String,
    /// By what it was recognized, such as "package.json has the script `test`".
    pub because: String,
    /// What the gate wants to remember for its command, such as the name of a script.
    #[serde(default)]
    pub detail: String,
}

/// Returns the name of a gate as results show it.
pub fn name_of(gate: &str, folder: &str) -> String {
    if folder.is_empty() { gate.to_owned() } else { format!("{gate} in {folder}") }
}

/// A command in its check-only form: it must not rewrite the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GateCommand {
    /// The program: a name on the search path, or a path relative to the root of the project.
    pub program: String,
    /// Its arguments. [`REPORTS`] in one stands for the folder in which the tool is to leave its reports, [`BUILD`] for
    /// that of its build output.
    pub arguments: Vec<String>,
    /// The folder that it runs in, relative to the root.
    pub folder: String,
    /// Environment variables beside those that every gate gets. [`REPORTS`] is replaced here as well.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Files that we put into the folder of reports before the command starts, by name: plug-ins of ours that make a
    /// runner report what it does not report without them.
    #[serde(default)]
    pub provided: BTreeMap<String, String>,
}

/// Seconds that one test may take, unless configuration says otherwise. Runners that have no limit of their own get one
/// from us, so that a loop without an end is that test's failure and not the run's.
pub const TEST_SECONDS: u32 = 30;
/// Most seconds that configuration may give a test.
pub const TEST_SECONDS_MAX: u32 = 3_600;
/// The variable that tells our drivers of runners how many seconds a test may take.
pub const TEST_SECONDS_VARIABLE: &str = "ASSIZE_TEST_SECONDS";
/// Stands in commands for the seconds of one test.
const ONE_TEST: &str = "{test_seconds}";
/// Stands in commands for the milliseconds of a file of tests, where a runner has no limit for one alone: four times as
/// long.
const FILE_OF_TESTS: &str = "{file_milliseconds}";
/// Stands in commands for the seconds of a package of tests, where a runner has no limit for less: four times as long.
const PACKAGE_OF_TESTS: &str = "{package_seconds}";

impl GateCommand {
    /// Returns the ecosystem that the command belongs to. Scripts of packages are run by a shell.
    pub fn ecosystem(&self) -> Option<&'static Ecosystem> {
        let is_script = self.program == "sh";
        assize_ecosystem::of_program(if is_script { "npm" } else { &self.program })
    }

    /// Returns how to repeat the check from the root of the project, for a shell. A command that needs provided files or
    /// writes its reports to a private folder is repeated with this program.
    pub fn again(&self, gate: &str) -> String {
        let is_ours = |text: &String| text.contains(REPORTS);
        if self.arguments.iter().any(is_ours) || self.environment.values().any(is_ours) {
            return format!("assize gates --only {}", quoted(&name_of(gate, &self.folder)));
        }
        let program = self.program_from_folder();
        let words = [&program].into_iter().chain(&self.arguments);
        let line = words.map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        if self.folder.is_empty() { line } else { format!("cd {} && {line}", quoted(&self.folder)) }
    }

    /// The program as it is named in the folder that the command runs in. A path leads from the root of the project.
    pub(crate) fn program_from_folder(&self) -> String {
        let is_inside = self.program.contains('/') && !self.program.starts_with(['/', '.']);
        match self.program.strip_prefix(&self.folder).and_then(|below| below.strip_prefix('/')) {
            Some(below) if is_inside && !self.folder.is_empty() => format!("./{below}"),
            _ if is_inside => format!("{}{}", up_from(&self.folder), self.program),
            _ => self.program.clone(),
        }
    }

    /// The command with the time that a test may take, in seconds.
    #[must_use]
    pub fn with_test_seconds(mut self, seconds: u32) -> Self {
        let (one, file, package) = (u64::from(seconds), u64::from(seconds) * 4_000, u64::from(seconds) * 4);
        let texts = self.arguments.iter_mut().chain(self.environment.values_mut()).chain(self.provided.values_mut());
        for text in texts {
            for (place, time) in [(ONE_TEST, one), (FILE_OF_TESTS, file), (PACKAGE_OF_TESTS, package)] {
                if text.contains(place) {
                    *text = text.replace(place, &time.to_string());
                }
            }
        }
        self
    }

    /// The command without those of some newer options that the tool said it does not know; `None` where it said that of
    /// none.
    #[must_use]
    pub fn without_unknown(&self, newer: &[&str], output: &GateOutput) -> Option<Self> {
        let said = String::from_utf8_lossy(&output.stderr).to_lowercase();
        let refuses = ["unexpected argument", "wasn't expected", "unrecognized option", "unknown option"];
        let refused = |line: &&str| refuses.iter().any(|words| line.contains(words));
        let is_unknown =
            |option: &str| newer.contains(&option) && said.lines().filter(refused).any(|line| line.contains(option));
        let mut command = self.clone();
        command.arguments.retain(|argument| !is_unknown(argument));
        (output.status != Some(0) && command != *self).then_some(command)
    }

    /// The command with the files of its folder that are among these, [`NAMED_FILES_MAX`] at most; `None` where there is
    /// none. No path can be taken for an option.
    fn on(mut self, files: &[&str]) -> Option<Self> {
        let inside = |path: &&str| match self.folder.as_str() {
            "" => Some(format!("./{path}")),
            folder => Some(format!("./{}", path.strip_prefix(folder)?.strip_prefix('/')?)),
        };
        let paths: Vec<String> = files.iter().filter_map(inside).take(NAMED_FILES_MAX).collect();
        let is_any = !paths.is_empty();
        self.arguments.extend(paths);
        is_any.then_some(self)
    }
}

/// Most files that are named to a tool at once: so many paths fit on every command line.
pub const NAMED_FILES_MAX: usize = 200;

/// Stands in arguments and variables for the folder that takes the reports. It lies outside of the tree, and its name
/// cannot be guessed.
pub const REPORTS: &str = "{reports}";

/// Stands in arguments and variables for the folder of the tool's build output, which the gates of [`Gate::builds_in`] share.
pub const BUILD: &str = "{build}";

/// The folder among the provided files with the tests of ours that a command takes itself, as they lie below its folder.
const CANARY: &str = "canary";

/// What a command left behind.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GateOutput {
    /// Its exit status; `None` when a signal ended it.
    pub status: Option<i32>,
    /// Whether it was killed at its deadline.
    pub timed_out: bool,
    /// The limit that it reached, in words, where it did.
    pub limit: Option<String>,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
    /// Whether some of its output was dropped.
    pub cut: bool,
    /// The files that it left in the folder of reports, by name.
    pub reports: BTreeMap<String, Vec<u8>>,
    /// The root of the tree that it ran in, as it saw it, so that absolute paths can be made relative.
    pub root: String,
}

impl GateOutput {
    /// Returns a report that the tool was to leave.
    ///
    /// # Errors
    ///
    /// It is not there, or empty.
    pub fn report(&self, name: &str) -> Result<&[u8], ReportError> {
        match self.reports.get(name) {
            Some(bytes) if !bytes.is_empty() => Ok(bytes),
            _ => Err(ReportError::Empty),
        }
    }

    /// Makes a path that a tool names relative to the root of the tree, with forward slashes.
    pub fn relative(&self, path: &str, folder: &str) -> String {
        let path = path.replace('\\', "/");
        let inside = path.strip_prefix(&self.root).map(|rest| rest.trim_start_matches('/').to_owned());
        match inside {
            Some(inside) if !self.root.is_empty() => inside,
            _ if path.starts_with('/') || folder.is_empty() => path.trim_start_matches("./").to_owned(),
            _ => format!("{folder}/{}", path.trim_start_matches("./")),
        }
    }

    /// Makes the places of a diagnostic relative to the root, those of what its tool offers as well.
    pub fn place(&self, found: &mut Diagnostic, folder: &str) {
        let edits = found.offer.iter_mut().flat_map(|offer| &mut offer.edits).map(|edit| &mut edit.path);
        for path in found.path.iter_mut().chain(edits) {
            *path = self.relative(path, folder);
        }
    }
}

/// Tests of ours that run beside the project's own: some must fail. A runner that reports them as passed has been told
/// what to report.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Canary {
    /// Files that are added to the tree for this run alone, by their path relative to its root.
    pub files: BTreeMap<String, String>,
    /// Whether the command itself takes them, from the folder `canary` among the files that it is provided with: they are not in
    /// the tree before it wants them there.
    #[serde(default)]
    pub by_command: bool,
    /// Whether it runs on the base, to see whether it works in the project: then a red run excuses no wrong report of it.
    #[serde(default)]
    pub on_base: bool,
    /// Ids of tests that must be reported as failed.
    pub failing: Vec<String>,
    /// Ids of tests that must be reported as passed.
    pub passing: Vec<String>,
}

impl Canary {
    /// Gives the tests to a command that takes them itself. Returns the files that have to be put into the tree instead.
    pub fn give_to(&self, command: &mut GateCommand) -> Vec<(&str, &str)> {
        if !self.by_command {
            return self.files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        }
        for (path, text) in &self.files {
            let inside = path.strip_prefix(&command.folder).unwrap_or(path).trim_start_matches('/');
            command.provided.insert(format!("{CANARY}/{inside}"), text.clone());
        }
        Vec::new()
    }

    /// Takes our own tests out of a report again. They put to the test whether a green run can be believed; one that is red
    /// without them is believed anyway, and may have been given up before it came to them.
    ///
    /// # Errors
    ///
    /// Says which of them was not reported as it must be.
    pub fn take_out(&self, report: &mut ToolReport) -> Result<(), String> {
        let Some(run) = &mut report.tests else { return Err("no test is reported at all".to_owned()) };
        let is_ours = |case: &TestCase| self.failing.contains(&case.id) || self.passing.contains(&case.id);
        let red = run.cases.iter().any(|case| case.outcome == TestOutcome::Failed && !is_ours(case));
        let expected = [(&self.failing, TestOutcome::Failed), (&self.passing, TestOutcome::Passed)];
        for (id, outcome) in expected.into_iter().flat_map(|(ids, outcome)| ids.iter().map(move |id| (id, outcome))) {
            match run.cases.iter().find(|case| case.id == *id).map(|case| case.outcome) {
                Some(found) if found == outcome => {}
                None if red => {}
                Some(_) if red && !self.on_base => {}
                Some(found) => return Err(format!("{id} must be {outcome:?} and is reported as {found:?}")),
                None => return Err(format!("{id} is not reported")),
            }
        }
        let (ours, rest): (Vec<TestCase>, Vec<TestCase>) =
            std::mem::take(&mut run.cases).into_iter().partition(is_ours);
        run.cases = rest;
        if let Some(announced) = &mut run.announced {
            let count = |outcome| ours.iter().filter(|case| case.outcome == outcome).count();
            announced.failed = announced.failed.saturating_sub(count(TestOutcome::Failed));
            announced.passed = announced.passed.saturating_sub(count(TestOutcome::Passed));
        }
        Ok(())
    }
}

/// A check that a project can have.
pub trait Gate: Sync {
    /// The id that users type, in kebab case; also the name of the file.
    fn id(&self) -> &str;
    /// One sentence: what it checks, with which tool.
    fn summary(&self) -> &str;
    /// What its objections count against. A runner of tests has [`Dimension::TestsFunctional`]; its edge cases are told
    /// apart afterwards.
    fn dimensions(&self) -> &[Dimension];
    /// How the maintainers call its tool: the first words of commands, and the ids of hooks. Nothing for a gate that runs
    /// whether they call it or not.
    fn calls(&self) -> &'static [&'static str] {
        &[]
    }
    /// The folder in which its tool leaves build output that it can go on from, and which it shares with other gates of
    /// the same tool. `None` where nothing would be gained by keeping what it leaves.
    fn builds_in(&self) -> Option<&'static str> {
        None
    }
    /// Finds where the project uses it; empty when it does not.
    fn detect(&self, project: &Project) -> Vec<Setup>;
    /// Returns the command, in its check-only form.
    fn command(&self, setup: &Setup, project: &Project) -> GateCommand;

    /// The same in which the project is built first: its tests may need what is made so. `None` where nothing is built.
    fn built(&self, _setup: &Setup, _project: &Project) -> Option<Setup> {
        None
    }

    /// Returns the command that runs only the tests of these files, which are relative to the root, and nothing that puts
    /// the runner or the tests themselves to the test. `None` where the runner cannot be held to files.
    fn command_for(&self, _setup: &Setup, _project: &Project, _files: &[&str]) -> Option<GateCommand> {
        None
    }
    /// Returns the command that runs only the tests of these files, where their outcomes count. `None` where it would run
    /// less than these files hold.
    fn judging_command_for(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        self.command_for(setup, project, files)
    }
    /// Reads what the command left behind.
    ///
    /// # Errors
    ///
    /// There is no report that can be read; never when the report is red.
    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError>;
    /// Returns whether the gate asks for one form of every file, and has no rules that could be told apart.
    fn is_formatter(&self) -> bool {
        false
    }

    /// Returns whether the tool reads each file alone and imports none, so that it does not matter where packages are found.
    fn imports_nothing(&self) -> bool {
        self.is_formatter()
    }

    /// Returns the command that writes files as the gate wants them, instead of checking them; `None` where the tool has
    /// none. `files` are relative to the root. A tool that cannot be held to files writes more: the caller keeps what
    /// became of `files` and drops the rest. The status of the tool is not 0 where it could not fix all of them.
    fn rewrite(&self, _setup: &Setup, _project: &Project, _files: &[&str]) -> Option<GateCommand> {
        None
    }
    /// Returns tests of ours for a runner of tests; `word` cannot be guessed and is part of their names. `None` where the
    /// runner has no place for them.
    fn canary(&self, _setup: &Setup, _project: &Project, _word: &str) -> Option<Canary> {
        None
    }
    /// Says how the runner may call tests, each given by its file and its name in there; see [`completion_marker`]. Nothing for a test
    /// that it may call in any other way, or not at all.
    fn test_ids(&self, _setup: &Setup, _project: &Project, _tests: &[(String, String)]) -> Vec<Vec<String>> {
        Vec::new()
    }
    /// The least severity of a diagnostic at which the gate has failed.
    fn fails_at(&self, _setup: &Setup) -> Severity {
        Severity::Error
    }
    /// Returns whether other gates stand for the tests, and this one only tells what it did not object to before: where the base
    /// does not pass it, it tells nothing.
    fn is_supplement(&self) -> bool {
        false
    }
    /// Options of its command that older versions of its tool do not know.
    fn newer_options(&self) -> &'static [&'static str] {
        &[]
    }
    /// The command that runs in place of one that could not do its work as it was called: by default, one without
    /// [newer options](Self::newer_options). `None` where what it printed counts.
    fn instead(&self, _setup: &Setup, command: &GateCommand, output: &GateOutput) -> Option<GateCommand> {
        command.without_unknown(self.newer_options(), output)
    }
    /// The command with which warnings that something is deprecated, or will change, are no errors, whatever the project
    /// sets. `None` where the gate knows none.
    fn despite_deprecations(&self, _command: GateCommand) -> Option<GateCommand> {
        None
    }
    /// Exit statuses of an ordinary end: nothing found, or findings that stand in the report. Any other means that the
    /// tool itself did not work.
    fn ordinary_statuses(&self) -> &'static [i32] {
        &[0, 1]
    }
    /// Returns whether its status is not 0 for something that it printed and that is not objected to.
    fn explains_status(&self, _output: &GateOutput) -> bool {
        false
    }
}

/// How a gate's run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum GateState {
    /// It ran, and has no objection.
    Passed,
    /// It ran, and objects.
    Failed,
    /// It did not come to a result. Of a change, the change brought that about.
    Errored,
    /// It cannot work here, with or without the change.
    NotReady,
    /// The project does not use it.
    Absent,
}

/// Why a gate came to no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum GateTrouble {
    /// Its tool is not installed.
    MissingTool,
    /// It was not done in time.
    TimedOut,
    /// It was ended by a signal, or by a status that its tool does not use.
    Crashed,
    /// It left no report, or one that cannot be read.
    NoReport,
    /// It ended well, and left nothing but its status: it is unknown which tests ran.
    StatusAlone,
    /// It ran no test.
    NoTests,
    /// Its exit status and its report contradict each other.
    Contradiction,
    /// It could not be run as safely as was demanded.
    NoSandbox,
    /// Its report is not its own: a test that must fail was reported as passed.
    Forged,
    /// A limit on its output, memory or processes was reached.
    OverLimit,
    /// The machine kept it from working: no network, no space, a toolchain that cannot be written to.
    Machine,
}

/// What a gate's run is worth, before anything is compared with the base.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateRun {
    /// How it ended.
    pub state: GateState,
    /// Why it came to no result, in kind and in words.
    pub trouble: Option<(GateTrouble, String)>,
    /// Its report, where there is one, also of a run that is [`GateState::Errored`].
    pub report: Option<ToolReport>,
}

impl GateRun {
    /// The tests that it reports.
    pub fn cases(&self) -> impl Iterator<Item = &TestCase> {
        let tests = self.report.as_ref().and_then(|report| report.tests.as_ref());
        tests.into_iter().flat_map(|tests| &tests.cases)
    }

    /// Says what a run is worth. Red is never read as green: only an ordinary end with a report that fits it passes.
    pub fn of(gate: &dyn Gate, setup: &Setup, output: &GateOutput, canary: Option<&Canary>) -> Self {
        let parsed = gate.parse(setup, output).and_then(|report| {
            report.tests.as_ref().map_or(Ok(()), assize_report::TestRun::check)?;
            Ok(report)
        });
        let errored = |trouble, detail: String, report| {
            let of_machine = machine::fault(trouble, output);
            let trouble = of_machine.map_or((trouble, detail), |what| (GateTrouble::Machine, what));
            Self { state: GateState::Errored, trouble: Some(trouble), report }
        };
        let report = parsed.as_ref().ok().cloned();
        if let Err(ReportError::MissingTool(detail)) = &parsed {
            return errored(GateTrouble::MissingTool, detail.clone(), None);
        }
        if output.timed_out {
            let detail = output.limit.clone().unwrap_or_else(|| "it was not done in time".to_owned());
            return errored(GateTrouble::TimedOut, format!("{detail}{}", unfinished(report.as_ref())), report);
        }
        if let Some(limit) = &output.limit {
            return errored(GateTrouble::OverLimit, limit.clone(), report);
        }
        let Some(status) = output.status else {
            return errored(GateTrouble::Crashed, "a signal ended it".to_owned(), report);
        };
        if !gate.ordinary_statuses().contains(&status) {
            let complaint = complaint(output);
            let is_missing = status == NOT_FOUND && String::from_utf8_lossy(&output.stderr).contains("not found");
            let kind = if is_missing { GateTrouble::MissingTool } else { GateTrouble::Crashed };
            return errored(kind, format!("it ended with status {status}{complaint}"), report);
        }
        let mut report = match parsed {
            Ok(report) => report,
            Err(ReportError::StatusAlone(detail)) => return errored(GateTrouble::StatusAlone, detail, None),
            Err(error) => {
                let detail = format!("{error}{}", complaint(output));
                return errored(GateTrouble::NoReport, detail, unloaded::unloaded(output));
            }
        };
        let mut status = if gate.explains_status(output) { 0 } else { status };
        // What was not built cannot run, and is red already.
        let unbuilt =
            report.tests.is_none() && report.diagnostics.iter().any(|found| found.severity == Severity::Error);
        if let Some(canary) = canary.filter(|_| !unbuilt) {
            if let Err(detail) = canary.take_out(&mut report) {
                return errored(GateTrouble::Forged, detail, Some(report));
            }
            if status == 0 && !canary.failing.is_empty() {
                return errored(GateTrouble::Forged, "tests that must fail left status 0".to_owned(), Some(report));
            }
            // The status is that of our own tests, and says nothing more.
            status = i32::from(report.tests.as_ref().is_some_and(|run| run.count(TestOutcome::Failed) > 0));
        }
        if output.cut {
            return errored(GateTrouble::OverLimit, "its output is larger than is read".to_owned(), Some(report));
        }
        let objections = report.diagnostics.iter().filter(|found| found.severity >= gate.fails_at(setup)).count();
        let failed = report.tests.as_ref().map_or(0, |run| run.count(TestOutcome::Failed));
        // A tool that ends with a fault after warnings alone was told to take them for faults.
        let warned = status != 0 && !report.diagnostics.is_empty();
        let red = warned || objections + failed + report.diagnostics_left_out > 0;
        if let Some(run) = &report.tests
            && run.executed() == 0
            && !red
        {
            let detail = "it ran no test: write one, or do without with `require = []` under `[review]`";
            return errored(GateTrouble::NoTests, detail.to_owned(), Some(report));
        }
        if status != 0 && !red {
            let detail = format!("it ended with status {status} and reports no fault{}", complaint(output));
            return errored(GateTrouble::Contradiction, detail, Some(report));
        }
        if status == 0 && failed > 0 {
            let detail = format!("it ended with status 0 and reports {failed} failed tests");
            return errored(GateTrouble::Contradiction, detail, Some(report));
        }
        let state = if red { GateState::Failed } else { GateState::Passed };
        Self { state, trouble: None, report: Some(report) }
    }
}

/// The status with which a shell says that there is no such program.
const NOT_FOUND: i32 = 127;

/// Names the first tests that failed in a run that was not done in time: those that never ended are among them.
fn unfinished(report: Option<&ToolReport>) -> String {
    let failed = report.and_then(|report| report.tests.as_ref()).into_iter().flat_map(|run| &run.cases);
    let failed: Vec<&str> =
        failed.filter(|case| case.outcome == TestOutcome::Failed).map(|case| case.id.as_str()).take(3).collect();
    if failed.is_empty() { String::new() } else { format!("; not passed by then: {}", failed.join(", ")) }
}

/// The end of what the tool complained about, for a message.
fn complaint(output: &GateOutput) -> String {
    let text = if output.stderr.trim_ascii().is_empty() { &output.stdout } else { &output.stderr };
    let text = String::from_utf8_lossy(text);
    // What is below it says where it came from.
    const BELOW: [&str; 4] = ["Node.js v", "Require stack:", "- /", "This file is being treated as"];
    let traces = |line: &&str| {
        line.is_empty() || line.starts_with([' ', '\t', '}']) || BELOW.iter().any(|start| line.starts_with(start))
    };
    let error = text.lines().rev().find(|line| !traces(line)).filter(|line| names_error(line));
    let said = match error {
        Some(line) => assize_core::text::beginning(line, COMPLAINT_CHARS_MAX),
        None => assize_core::text::ending(text.trim(), COMPLAINT_CHARS_MAX),
    };
    if said.is_empty() { String::new() } else { format!(": {said}") }
}

/// The most characters that are shown of what a gate complains about.
const COMPLAINT_CHARS_MAX: usize = 400;

/// Returns whether a line names an error as Node and Python do: `TypeError: …`, `Error [ERR_X]: …`, `a.b.C_Error: …`.
fn names_error(line: &str) -> bool {
    let Some((name, _)) = line.split_once(": ") else { return false };
    let name = name.trim_start_matches("Uncaught ");
    let (name, code) = name.split_once(" [").map_or((name, None), |(name, code)| (name, Some(code)));
    let is_code = |code: &str| code.ends_with(']') && code.starts_with(|first: char| first.is_ascii_uppercase());
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    is_name && (name.ends_with("Error") || name.ends_with("Exception")) && code.is_none_or(is_code)
}

/// The path that leads from a folder up to the root of the project, such as `../../`.
fn up_from(folder: &str) -> String {
    "../".repeat(folder.split('/').filter(|part| !part.is_empty()).count())
}

/// Declares the gate modules and the registry in one line a gate.
macro_rules! gates {
    ($($module:ident: $gate:ident),* $(,)?) => {
        $(pub mod $module;)*
        /// Every gate that is recognized, in the order in which they run: what is quick and what others build on
        /// comes first.
        pub static GATES: &[&dyn Gate] = &[$(&$module::$gate),*];
        /// The page of each gate, in the same order: the text that lies beside its file.
        static TEXTS: &[&str] = &[$(include_str!(concat!(stringify!($module), ".md"))),*];
    };
}

gates! {
    python_compile: PythonCompile,
    cargo_fmt: CargoFmt,
    ruff_format: RuffFormat,
    black: Black,
    gofmt: Gofmt,
    biome: Biome,
    prettier: Prettier,
    oxfmt: Oxfmt,
    cargo_check: CargoCheck,
    cargo_clippy: CargoClippy,
    ruff_check: RuffCheck,
    mypy: Mypy,
    pyright: Pyright,
    tsc: Tsc,
    package_typecheck: PackageTypecheck,
    package_build: PackageBuild,
    eslint: Eslint,
    oxlint: Oxlint,
    package_lint: PackageLint,
    go_build: GoBuild,
    go_vet: GoVet,
    cargo_test: CargoTest,
    cargo_nextest: CargoNextest,
    pytest: Pytest,
    unittest: Unittest,
    node_test: NodeTest,
    borp: Borp,
    ava: Ava,
    vitest: Vitest,
    jest: Jest,
    mocha: Mocha,
    tap: Tap,
    tape: Tape,
    package_test: PackageTest,
    package_test_rest: PackageTestRest,
    go_test: GoTest,
    maven: Maven,
    gradle: Gradle,
    swift_test: SwiftTest,
}

/// The pages about the gates, in the order of [`GATES`].
pub fn pages() -> impl Iterator<Item = Page> {
    GATES.iter().zip(TEXTS).map(|(gate, text)| Page { subject: Subject::Gate, ids: vec![gate.id()], text })
}

/// What is known of a tool that a gate runs.
fn listed(tool: &str) -> &'static Tool {
    find_tool(tool).expect("every tool that a gate runs is listed")
}

#[cfg(test)]
mod tests;
