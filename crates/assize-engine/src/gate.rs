//! Runs gates in copies of a tree, within the sandbox.
//!
//! `assize-gate` defines which gates there are, how they are called and how their reports are read. This module runs
//! the commands and returns what they leave behind. It must not decide anything.

mod base_build;
mod base_cache;
mod completion_markers;
mod node_runtime;
pub mod preparation;
mod project_build;
mod rust_toolchain;
mod without_mounts;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assize_core::text::make_visible;
use assize_ecosystem::{cache_folders, is_code, is_setting, is_test, scratch_folders};
use assize_gate::comparison::leave_out_made;
use assize_gate::excuse;
use assize_gate::gate::completion_marker;
use assize_gate::gate::{
    BUILD, Canary, Dimension, GO_LANGUAGE, Gate, GateCommand, GateOutput, GateRun, GateState, GateTrouble, Project,
    REPORTS, Setup, TEST_SECONDS, imported_as,
};
use assize_gate::packages::reaches;
use assize_gate::parser;
use assize_report::REPORT_BYTES_MAX;
use serde::{Deserialize, Serialize};

use self::completion_markers::CompletionMarkers;
use crate::process::{self, ProcessLimits};
use crate::sandbox::{JobResult, LentFolder, LimitKind, Sandbox, SandboxJob, SandboxLimits, read_written, remove};
use crate::work_copy::{CopyError, WorkCopy, dependency_folders};

pub use self::base_build::{BUILD_BYTES_MAX, BaseBuild, BuildStore, STORE_BYTES_MAX, StoredBuild};
pub use self::base_cache::{BaseCache, LENT_ENTRIES_MAX, is_missing_tool};
pub use self::project_build::ProjectBuild;

/// The version of Go's language that a module is shown with where the tool does not say its own.
const GO_LANGUAGE_DEFAULT: &str = "1.16";
/// How long a tool may take to say its version.
const VERSION_TIME: Duration = Duration::from_secs(10);
/// The largest manifest that is read, in bytes.
pub const MANIFEST_BYTES_MAX: u64 = 1024 * 1024;
/// The most files that are read from a report folder.
pub const REPORTS_MAX: usize = 2_000;
/// Where a job finds the folder for build output if folders can be mounted.
const BUILD_INSIDE: &str = "/assize/build";

/// A gate that is due, with its setup.
#[derive(Clone, Copy)]
pub struct Planned<'a> {
    /// The gate.
    pub gate: &'a dyn Gate,
    /// How the project uses it.
    pub setup: &'a Setup,
}

/// How a test runner itself is put to the test while it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunnerTest<'a> {
    /// Not at all.
    None,
    /// By completion markers alone.
    Markers,
    /// By completion markers and by a canary that is named with this word, which must be unpredictable.
    Canary(&'a str),
    /// By completion markers and by a canary of this name that is itself put to the test, on the base.
    CanaryOnBase(&'a str),
}

/// The result of running a gate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateExecution {
    /// What the run is worth.
    pub run: GateRun,
    /// How long it took, in milliseconds.
    pub time_ms: u64,
    /// The command, for a shell.
    pub command: String,
    /// Its output: standard output, then standard error.
    pub output: String,
    /// The command that installs what it depends on, where one is known.
    #[serde(default)]
    pub ready_by: Option<String>,
}

/// A copy of a tree with everything that gates need to run in it.
#[derive(Debug)]
pub struct PreparedWorktree {
    /// The copy.
    pub copy: WorkCopy,
    /// The facts by which gates are recognized.
    pub project: Project,
    /// The root of the user's project, where the copy stands inside the sandbox.
    place: PathBuf,
    /// Folders with dependencies: their path on this machine, and their path within the copy.
    dependencies: Vec<(PathBuf, String)>,
    /// The folders in which programs are found.
    search_path: Vec<PathBuf>,
    /// The folder for build output, which the copies of one review share. Each tool has its own folder in it, so that
    /// tests cannot alter what another tool has built.
    build: PathBuf,
    /// Whether programs were brought that stand in front of the installed ones.
    brings_programs: bool,
}

/// What git says in a copy, which has no history.
const NO_REPOSITORY: &str = "not a git repository";

impl PreparedWorktree {
    /// Prepares a copy of the user's tree at `root`. In the sandbox it stands at that path. Its dependencies come from
    /// the user's tree and are read-only. Programs are found on `search_path`.
    pub fn new(copy: WorkCopy, root: &Path, search_path: &str, build: PathBuf) -> Self {
        let dependencies: Vec<(PathBuf, String)> =
            dependency_folders(root, copy.files()).into_iter().map(|folder| (root.join(&folder), folder)).collect();
        let manifests = manifests(&copy);
        let search_path: Vec<PathBuf> =
            std::env::split_paths(search_path).filter(|folder| leads_outside(folder, root)).collect();
        let programs: BTreeSet<String> = search_path.iter().flat_map(|folder| executables(folder)).collect();
        let mut project = Project::new(copy.files().clone(), manifests, programs);
        let text_of = |path: &str| copy.text(path, MANIFEST_BYTES_MAX);
        project.reaches = reaches(&project.files, &project.manifests, text_of);
        project.imported_as = imported_as(&project.files, text_of);
        let mut prepared = Self {
            copy,
            project,
            place: root.to_owned(),
            dependencies: Vec::new(),
            search_path,
            build,
            brings_programs: false,
        };
        prepared.add_dependencies(dependencies);
        prepared
    }

    /// Returns whether packages of Node are installed for the copy.
    pub fn has_node_packages(&self) -> bool {
        self.dependencies.iter().any(|(_, inside)| inside.ends_with("node_modules"))
    }

    /// Shows gates folders with dependencies.
    fn add_dependencies(&mut self, dependencies: Vec<(PathBuf, String)>) {
        for (host, inside) in &dependencies {
            for bin in [".bin", "bin"] {
                let found = executables(&host.join(bin)).map(|name| format!("{inside}/{bin}/{name}"));
                self.project.programs.extend(found);
            }
        }
        self.dependencies.extend(dependencies);
    }

    /// Has gates called as the maintainers of the base call them, and as those of this tree do beside that.
    pub fn calls_as(&mut self, base: &Self) {
        self.project.take_makefiles(&base.project);
        let own = std::mem::take(&mut self.project.pipeline);
        self.project.pipeline = own.after(&base.project.pipeline);
    }

    /// The folder for build output.
    pub fn build(&self) -> &Path {
        &self.build
    }

    /// Returns whether another tree has the same dependencies.
    pub fn has_dependencies_of(&self, other: &Self) -> bool {
        self.dependencies == other.dependencies
    }

    /// Prepares another copy of the same project.
    pub fn with_copy(&self, copy: WorkCopy, build: PathBuf) -> Self {
        let (place, dependencies) = (self.place.clone(), self.dependencies.clone());
        let programs = self.project.programs.clone();
        let mut project = Project::new(copy.files().clone(), manifests(&copy), programs);
        project.take_makefiles(&self.project);
        project.pipeline = self.project.pipeline.clone();
        project.reaches = self.project.reaches.clone();
        project.imported_as = self.project.imported_as.clone();
        Self {
            copy,
            project,
            place,
            dependencies,
            search_path: self.search_path.clone(),
            build,
            brings_programs: self.brings_programs,
        }
    }

    /// Runs a gate, and puts its test runner to the test.
    ///
    /// # Errors
    ///
    /// Fails if the copy cannot be used. A gate that fails or cannot be started is not an error.
    pub fn run(
        &mut self,
        planned: Planned<'_>,
        sandbox: &Sandbox,
        terms: &RunTerms,
        test: RunnerTest<'_>,
        printed: &mut dyn FnMut(&str),
    ) -> Result<GateExecution, CopyError> {
        let Planned { gate, setup } = planned;
        let mut command = gate.command(setup, &self.project).with_test_seconds(terms.test_seconds);
        let shown = command.again(gate.id());
        if !self.has_program(&command) {
            let detail = format!("{} is not installed, though {}", command.program, setup.because);
            let ready_by = self.ready_by(setup, &command, &detail);
            return Ok(GateExecution {
                run: without_result(GateTrouble::MissingTool, detail),
                time_ms: 0,
                command: shown,
                output: String::new(),
                ready_by,
            });
        }
        let mut markers = CompletionMarkers::default();
        if test != RunnerTest::None {
            markers = CompletionMarkers::insert(&mut self.copy, gate, setup, &self.project, &command)?;
            command.provided.extend(markers.provided(&sandbox.work_inside(&self.copy.path(), &self.place)));
        }
        let canary = match test {
            RunnerTest::Canary(word) => gate.canary(setup, &self.project, word),
            RunnerTest::CanaryOnBase(word) => {
                gate.canary(setup, &self.project, word).map(|canary| Canary { on_base: true, ..canary })
            }
            RunnerTest::None | RunnerTest::Markers => None,
        };
        for (path, contents) in canary.iter().flat_map(|canary| canary.give_to(&mut command)) {
            self.copy.write(path, contents)?;
        }
        let before = self.tests_as_they_are(&markers);
        let checks = RunnerChecks { canary: canary.as_ref(), markers: &markers };
        let mut ran = self.carry_out((planned, &self.copy), &command, checks, sandbox, terms, printed);
        if let (Ok(ran), Some(path)) = (&mut ran, self.first_changed(&before)) {
            let detail = format!("{path} was rewritten while the gate ran");
            ran.run = GateRun { report: ran.run.report.take(), ..without_result(GateTrouble::Forged, detail) };
        }
        for path in canary.iter().flat_map(|canary| canary.files.keys()) {
            self.copy.remove(path)?;
        }
        markers.dismiss(&mut self.copy)?;
        ran
    }

    /// Runs only the tests of some files, where the gate can be held to them. The runner itself is not put to the test.
    ///
    /// # Errors
    ///
    /// Fails if the copy cannot be used. A gate that fails or cannot be started is not an error.
    pub fn run_some(
        &self,
        planned: Planned<'_>,
        files: &[&str],
        sandbox: &Sandbox,
        terms: &RunTerms,
        printed: &mut dyn FnMut(&str),
    ) -> Result<Option<GateExecution>, CopyError> {
        let Planned { gate, setup } = planned;
        let Some(command) = gate.judging_command_for(setup, &self.project, files) else { return Ok(None) };
        if !self.has_program(&command) {
            return Ok(None);
        }
        self.carry_out_untested((planned, &self.copy), command, sandbox, terms, printed).map(Some)
    }

    /// Runs a gate with which warnings of deprecation are no errors, where it can be told so. Neither the runner nor the tests are put
    /// to the test.
    ///
    /// # Errors
    ///
    /// Fails if the copy cannot be used. A gate that fails or cannot be started is not an error.
    pub fn run_despite_deprecations(
        &self,
        planned: Planned<'_>,
        sandbox: &Sandbox,
        terms: &RunTerms,
        printed: &mut dyn FnMut(&str),
    ) -> Result<Option<GateExecution>, CopyError> {
        let Planned { gate, setup } = planned;
        let Some(command) = gate.despite_deprecations(gate.command(setup, &self.project)) else { return Ok(None) };
        self.carry_out_untested((planned, &self.copy), command, sandbox, terms, printed).map(Some)
    }

    /// Runs the tests of some files in another copy of the same project, with the build output of this one. Neither the
    /// runner nor the tests are put to the test.
    ///
    /// # Errors
    ///
    /// Fails if the copy cannot be used. A gate that fails or cannot be started is not an error.
    pub fn run_files(
        &self,
        planned: Planned<'_>,
        files: &[&str],
        copy: &WorkCopy,
        sandbox: &Sandbox,
        terms: &RunTerms,
        printed: &mut dyn FnMut(&str),
    ) -> Result<GateExecution, CopyError> {
        let Planned { gate, setup } = planned;
        let command = gate.command_for(setup, &self.project, files);
        let command = command.unwrap_or_else(|| gate.command(setup, &self.project));
        self.carry_out_untested((planned, copy), command, sandbox, terms, printed)
    }

    /// Runs a command of a gate without putting its runner to the test.
    fn carry_out_untested(
        &self,
        on: (Planned<'_>, &WorkCopy),
        command: GateCommand,
        sandbox: &Sandbox,
        terms: &RunTerms,
        printed: &mut dyn FnMut(&str),
    ) -> Result<GateExecution, CopyError> {
        let command = command.with_test_seconds(terms.test_seconds);
        let checks = RunnerChecks { canary: None, markers: &CompletionMarkers::default() };
        self.carry_out(on, &command, checks, sandbox, terms, printed)
    }

    /// Lets a gate's tool rewrite files instead of checking them. Returns whether there is such a tool and it
    /// finished: a tool that was stopped may have written half a file. Whether the result is better must be checked.
    ///
    /// # Errors
    ///
    /// Fails if the copy cannot be used.
    pub fn rewrite(
        &self,
        Planned { gate, setup }: Planned<'_>,
        files: &[&str],
        sandbox: &Sandbox,
        terms: &RunTerms,
    ) -> Result<bool, CopyError> {
        let Some(command) = gate.rewrite(setup, &self.project, files) else { return Ok(false) };
        if !self.has_program(&command) {
            return Ok(false);
        }
        let reports = self.copy.beside("rewriting")?;
        if self.bring_dependencies(&self.copy, (gate, &command), sandbox, terms)?.is_some() {
            return Ok(false);
        }
        let ran =
            sandbox.run(&self.job((build_folder(gate), &command, &self.copy), &reports, sandbox, terms)?, &mut |_| {});
        let is_ordinary = |status: i32| gate.ordinary_statuses().contains(&status);
        Ok(ran.is_ok_and(|ran| ran.limit_reached.is_none() && ran.status.is_some_and(is_ordinary)))
    }

    /// Returns whether the parser of its own language takes a file of the copy; `None` where there is none.
    ///
    /// # Errors
    ///
    /// Fails if the copy cannot be used.
    pub fn parses(&self, path: &str, sandbox: &Sandbox, terms: &RunTerms) -> Result<Option<bool>, CopyError> {
        let Some(command) = parser::command(path).filter(|command| self.has_program(command)) else { return Ok(None) };
        let reports = self.copy.beside("parsing")?;
        let ran = sandbox.run(&self.job(("parser", &command, &self.copy), &reports, sandbox, terms)?, &mut |_| {});
        Ok(ran.ok().map(|ran| ran.status == Some(0)))
    }

    /// Returns whether a command's program is there: on the search path, among the dependencies, in the copy, or, given
    /// by its absolute path, on this machine.
    fn has_program(&self, command: &GateCommand) -> bool {
        let program = command.program.as_str();
        let in_copy = || {
            let path = program.trim_start_matches("./");
            self.copy.files().contains(path) && is_program(&self.copy.path().join(path))
        };
        self.project.programs.contains(program)
            || program.starts_with('/') && is_program(Path::new(program))
            || program.contains('/') && in_copy()
    }

    /// Hashes the code of the tests: a build script must not rewrite the files by which the build is judged. For a
    /// file with completion markers, the original is accepted too.
    fn tests_as_they_are(&self, markers: &CompletionMarkers) -> BTreeMap<String, Vec<blake3::Hash>> {
        let tests = self.copy.files().iter().filter(|path| is_test(path) && is_code(path)).map(String::as_str);
        let tests = tests.chain(markers.originals().map(|(path, _)| path));
        let mut hashes: BTreeMap<String, Vec<blake3::Hash>> =
            tests.filter_map(|path| Some((path.to_owned(), vec![self.hash(path)?]))).collect();
        for (path, original) in markers.originals() {
            hashes.entry(path.to_owned()).or_default().push(blake3::hash(original.as_bytes()));
        }
        hashes
    }

    fn first_changed<'a>(&self, before: &'a BTreeMap<String, Vec<blake3::Hash>>) -> Option<&'a str> {
        let is_known = |path: &str, hashes: &[blake3::Hash]| self.hash(path).is_some_and(|hash| hashes.contains(&hash));
        before.iter().find(|(path, hashes)| !is_known(path, hashes)).map(|(path, _)| path.as_str())
    }

    fn hash(&self, path: &str) -> Option<blake3::Hash> {
        read_written(&self.copy.path(), Path::new(path), REPORT_BYTES_MAX as u64).ok().map(|bytes| blake3::hash(&bytes))
    }

    fn carry_out(
        &self,
        (planned, copy): (Planned<'_>, &WorkCopy),
        command: &GateCommand,
        checks: RunnerChecks<'_>,
        sandbox: &Sandbox,
        terms: &RunTerms,
        printed: &mut dyn FnMut(&str),
    ) -> Result<GateExecution, CopyError> {
        let reports = copy.beside(&format!("reports-{}", crate::random::fresh_word()))?;
        for (name, contents) in &command.provided {
            let path = reports.join(name);
            let folder = path.parent().unwrap_or(&reports);
            fs::create_dir_all(folder).map_err(|error| CopyError::Io { path: folder.to_owned(), error })?;
            let mut contents = contents.replace(REPORTS, &sandbox.reports_inside(&reports).to_string_lossy());
            if contents.contains(GO_LANGUAGE) {
                contents = contents
                    .replace(GO_LANGUAGE, &self.go_language().unwrap_or_else(|| GO_LANGUAGE_DEFAULT.to_owned()));
            }
            fs::write(&path, contents).map_err(|error| CopyError::Io { path, error })?;
        }
        let shown = command.again(planned.gate.id());
        if let Some(why) = self.bring_dependencies(copy, (planned.gate, command), sandbox, terms)? {
            let run = without_result(GateTrouble::Machine, why);
            return Ok(GateExecution { run, time_ms: 0, command: shown, output: String::new(), ready_by: None });
        }
        let job = self.job((build_folder(planned.gate), command, copy), &reports, sandbox, terms)?;
        let result = sandbox.run(&job, &mut |chunk| printed(&String::from_utf8_lossy(chunk.bytes)));
        let result = match result {
            Ok(result) => result,
            Err(error) => {
                let run = without_result(GateTrouble::NoSandbox, format!("it could not be started: {error}"));
                return Ok(GateExecution { run, time_ms: 0, command: shown, output: String::new(), ready_by: None });
            }
        };
        let time_ms = u64::try_from(result.wall.as_millis()).unwrap_or(u64::MAX);
        let output = output_of(result, &reports, command, &sandbox.work_inside(&job.work, &job.place));
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push('\n');
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        if let Some(command) = planned.gate.instead(planned.setup, command, &output) {
            return self.carry_out((planned, copy), &command, checks, sandbox, terms, printed);
        }
        let mut run = GateRun::of(planned.gate, planned.setup, &output, checks.canary);
        if planned.gate.dimensions().iter().all(|dimension| *dimension == Dimension::Style) {
            // A path that leads nowhere is of a tool that counts from elsewhere.
            leave_out_made(&mut run, |path| !copy.files().contains(path) && copy.path().join(path).is_file());
        }
        let report_file = |name: &str| output.reports.get(name).map(Vec::as_slice).unwrap_or_default();
        let report_file = completion_marker::RunArtifacts {
            words: report_file(completion_marker::REPORT),
            rewritten: report_file(completion_marker::REWRITTEN),
        };
        completion_marker::hear(&checks.markers.markers, report_file, &mut run);
        // The reports are not needed any more. If they cannot be removed, they only take space.
        let _ = remove(&reports);
        let complaint = run.trouble.as_ref().map_or("", |(_, detail)| detail.as_str());
        let ready_by = self.ready_by(planned.setup, command, complaint);
        let ran = GateExecution { run, time_ms, command: shown, output: make_visible(&text).into_owned(), ready_by };
        let wants_repository = ran.run.state != GateState::Passed && text.contains(NO_REPOSITORY);
        if wants_repository && copy.begin_repository()? {
            let again = self.carry_out((planned, copy), command, checks, sandbox, terms, printed)?;
            if again.run.state == GateState::Passed || excuse::says_more(&again.run, &ran.run) {
                return Ok(again);
            }
        }
        Ok(ran)
    }

    /// What an installed program says in one line when it is asked for its version.
    fn said_by(&self, program: &str, arguments: &[&str]) -> Option<String> {
        let mut command = std::process::Command::new(self.program(program)?);
        command.args(arguments).env("GOFLAGS", "").env("GOTOOLCHAIN", "local");
        let limits = ProcessLimits { time: VERSION_TIME, stdout_bytes_max: 100, stderr_bytes_max: 0 };
        let result = process::run(command, b"", &limits).ok().filter(process::ProcessResult::succeeded)?;
        Some(String::from_utf8(result.stdout).ok()?.trim().to_owned())
    }

    /// The version of the language that the installed Go has.
    fn go_language(&self) -> Option<String> {
        let text = self.said_by("go", &["env", "GOVERSION"])?;
        let mut parts = text.strip_prefix("go")?.split('.');
        let minor: String = parts.nth(1)?.chars().take_while(char::is_ascii_digit).collect();
        (!minor.is_empty()).then(|| format!("1.{minor}"))
    }

    /// Puts programs that were brought in front of the installed ones.
    fn show_brought(&self, job: &mut SandboxJob) {
        if self.brings_programs {
            let path = std::env::join_paths(&self.search_path).unwrap_or_default().to_string_lossy().into_owned();
            job.environment.entry("PATH".to_owned()).or_insert(path);
        }
    }

    fn job(
        &self,
        (build, command, copy): (&str, &GateCommand, &WorkCopy),
        reports: &Path,
        sandbox: &Sandbox,
        terms: &RunTerms,
    ) -> Result<SandboxJob, CopyError> {
        let work = copy.path();
        let mut job = SandboxJob::new(&command.program, &[], &work, reports);
        job.place.clone_from(&self.place);
        job.folder.clone_from(&command.folder);
        job.limits = terms.limits.clone();
        job.network = terms.network;
        let inside_work = sandbox.work_inside(&work, &self.place);
        let inside_reports = sandbox.reports_inside(reports);
        let namespaces = sandbox.level().tier.has_namespaces();
        let build = self.build.join(build);
        fs::create_dir_all(&build).map_err(|error| CopyError::Io { path: build.clone(), error })?;
        let build_inside = if namespaces { PathBuf::from(BUILD_INSIDE) } else { build.clone() };
        job.writable.push((build, build_inside.clone()));
        for (host, folder) in &self.dependencies {
            // Without namespaces the copy has what it needs of them in it, or leads there.
            if namespaces {
                lend(&mut job, host, inside_work.join(folder));
            } else {
                job.read_only.push((host.clone(), host.clone()));
            }
        }
        let outside = self.dependencies.iter().flat_map(|(host, _)| links_out(host, &self.place));
        let outside: BTreeSet<PathBuf> = outside.filter(|folder| !sandbox.shows(folder)).collect();
        job.read_only.extend(outside.into_iter().map(|folder| (folder.clone(), folder)));
        let tools: BTreeSet<PathBuf> = self.search_path.iter().flat_map(|folder| tool_folders(folder)).collect();
        job.read_only.extend(tools.into_iter().map(|folder| (folder.clone(), folder)));
        let program = Path::new(&command.program);
        if program.is_absolute() && !sandbox.shows(program) {
            job.read_only.push((program.to_owned(), program.to_owned()));
        }
        if command.program.contains('/') && !program.is_absolute() {
            job.program = inside_work.join(&command.program).to_string_lossy().into_owned();
        }
        let reports = inside_reports.to_string_lossy();
        let filled =
            |argument: &String| argument.replace(REPORTS, &reports).replace(BUILD, &build_inside.to_string_lossy());
        job.arguments = command.arguments.iter().map(filled).collect();
        job.environment = command.environment.iter().map(|(name, value)| (name.clone(), filled(value))).collect();
        // Tests may call programs of the project's environment by their names.
        let environment = self.dependencies.iter().filter(|(host, _)| host.join("pyvenv.cfg").is_file());
        if let Some((_, folder)) = environment.into_iter().find(|(_, folder)| command.program.starts_with(&**folder)) {
            let own = inside_work.join(folder);
            let path = [own.join("bin")].into_iter().chain(self.search_path.iter().cloned());
            let path = std::env::join_paths(path).unwrap_or_default().to_string_lossy().into_owned();
            job.environment.entry("PATH".to_owned()).or_insert(path);
            job.environment.entry("VIRTUAL_ENV".to_owned()).or_insert_with(|| own.to_string_lossy().into_owned());
        }
        self.show_brought(&mut job);
        if let Some(toolchain) = rust_toolchain::chosen_by(copy) {
            job.environment.entry("RUSTUP_TOOLCHAIN".to_owned()).or_insert(toolchain);
        }
        let build = |name: &str| build_inside.join(name).to_string_lossy().into_owned();
        for (name, folder) in [("CARGO_TARGET_DIR", "cargo"), ("GOCACHE", "go")] {
            job.environment.entry(name.to_owned()).or_insert_with(|| build(folder));
        }
        Ok(job)
    }
}

/// The folder below that for build output which a gate uses.
fn build_folder(gate: &dyn Gate) -> &str {
    gate.builds_in().unwrap_or(gate.id())
}

/// Reads the files by which gates are recognized.
fn manifests(copy: &WorkCopy) -> BTreeMap<String, String> {
    let settings = copy.files().iter().filter(|path| is_setting(path));
    settings.filter_map(|path| Some((path.clone(), copy.text(path, MANIFEST_BYTES_MAX)?))).collect()
}

/// The checks of a test runner itself.
#[derive(Clone, Copy)]
struct RunnerChecks<'a> {
    canary: Option<&'a Canary>,
    markers: &'a CompletionMarkers,
}

/// The terms of gate runs.
#[derive(Debug, Clone)]
pub struct RunTerms {
    /// The limits of each run.
    pub limits: SandboxLimits,
    /// Whether runs may use the network.
    pub network: bool,
    /// The most seconds for one test.
    pub test_seconds: u32,
}

impl Default for RunTerms {
    fn default() -> Self {
        Self { limits: SandboxLimits::default(), network: false, test_seconds: TEST_SECONDS }
    }
}

fn without_result(trouble: GateTrouble, detail: String) -> GateRun {
    GateRun { state: GateState::Errored, trouble: Some((trouble, detail)), report: None }
}

fn output_of(result: JobResult, reports: &Path, command: &GateCommand, work: &Path) -> GateOutput {
    GateOutput {
        status: result.status,
        timed_out: result.timed_out(),
        limit: result.limit_reached.map(limit_text),
        cut: result.cut,
        reports: read_reports(reports, command),
        stdout: result.stdout,
        stderr: result.stderr,
        root: work.to_string_lossy().into_owned(),
    }
}

fn limit_text(limit: LimitKind) -> String {
    format!("{} ({limit})", limit.meaning())
}

/// Reads the files that a tool left in its report folder, without the files that were provided to it. Links are not
/// followed.
fn read_reports(top: &Path, command: &GateCommand) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![(top.to_owned(), String::new())];
    while let Some((folder, prefix)) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if found.len() >= REPORTS_MAX {
                return found;
            }
            if is_folder {
                folders.push((entry.path(), format!("{name}/")));
            } else if !command.provided.contains_key(&name)
                && let Ok(bytes) = read_written(top, Path::new(&name), REPORT_BYTES_MAX as u64)
            {
                found.insert(name, bytes);
            }
        }
    }
    found
}

/// Returns whether a folder of the search path is used: it must be absolute and outside the tree.
fn leads_outside(folder: &Path, root: &Path) -> bool {
    folder.is_absolute() && folder.is_dir() && !folder.starts_with(root)
}

/// Returns what must be visible of a search path folder for its programs to run; nothing if the sandbox shows it
/// anyway. Programs of a virtual environment need the whole environment under its original path, because their first
/// lines contain it.
pub(crate) fn tool_folders(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let is_shown = |folder: &Path| ["/usr", "/bin", "/sbin", "/opt"].iter().any(|shown| folder.starts_with(shown));
    let whole = folder.parent().filter(|parent| parent.join("pyvenv.cfg").is_file()).unwrap_or(folder).to_owned();
    let real = whole.canonicalize().ok().filter(|real| *real != whole);
    [Some(whole), real].into_iter().flatten().filter(move |folder| !is_shown(folder))
}

/// The most links of one dependency folder that are followed.
const LINKS_MAX: usize = 1_000;

/// Shows a job a folder of dependencies, read-only but for what its packages write beside others while they run.
pub(crate) fn lend(job: &mut SandboxJob, host: &Path, inside: PathBuf) {
    let name = host.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mut scratch = scratch_folders(|package| host.join(package).exists());
    scratch.extend(cache_folders(name).filter(|folder| host.join(folder).is_dir()));
    if scratch.is_empty() {
        job.read_only.push((host.to_owned(), inside));
    } else {
        job.lent.push(LentFolder { host: host.to_owned(), inside, scratch });
    }
}

/// Finds the folders outside of a project that links in a dependency folder lead to: the installation of an
/// environment's interpreter, and packages that are developed elsewhere. Judged code can read them, so a link to
/// anything else is not followed.
fn links_out(folder: &Path, root: &Path) -> BTreeSet<PathBuf> {
    let outside = |path: &Path| path.is_absolute() && !path.starts_with(root);
    let mut found = BTreeSet::new();
    if folder.join("pyvenv.cfg").is_file() {
        // The link may lead over others, each of which is needed.
        let mut program = folder.join("bin/python");
        for _ in 0..8 {
            let Ok(target) = fs::read_link(&program) else { break };
            program = program.parent().unwrap_or(folder).join(target);
            let whole = program.parent().and_then(Path::parent);
            found.extend(whole.filter(|whole| outside(whole) && whole.join("lib").is_dir()).map(Path::to_owned));
            let real = whole.and_then(|whole| whole.canonicalize().ok());
            found.extend(real.filter(|whole| outside(whole) && whole.join("lib").is_dir()));
        }
        return found;
    }
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let scoped =
        entries(folder).filter(|path| path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"@")));
    let links = entries(folder).chain(scoped.flat_map(|scope| entries(&scope).collect::<Vec<_>>()));
    for link in links.filter(|path| path.is_symlink()).take(LINKS_MAX) {
        let target = link.canonicalize().ok().filter(|target| outside(target) && target.join("package.json").is_file());
        found.extend(target);
    }
    found
}

fn executables(folder: &Path) -> impl Iterator<Item = String> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| is_program(&entry.path())).filter_map(|entry| entry.file_name().into_string().ok())
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_lead_out_to_interpreters_and_packages_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |path: &str| folder.path().join(path);
        for path in [
            "project/.venv/bin",
            "project/node_modules/@own",
            "python-3.12/bin",
            "python-3.12/lib",
            "package",
            "secret",
        ] {
            fs::create_dir_all(at(path)).expect("a folder");
        }
        for path in ["project/.venv/pyvenv.cfg", "python-3.12/bin/python3", "package/package.json"] {
            fs::write(at(path), "").expect("written");
        }
        for (target, link) in [
            (at("python-3.12"), "python"),
            (at("python/bin/python3"), "project/.venv/bin/python3"),
            (PathBuf::from("python3"), "project/.venv/bin/python"),
            (at("package"), "project/node_modules/@own/linked"),
            (at("secret"), "project/node_modules/linked"),
        ] {
            symlink(target, at(link)).expect("a link");
        }
        let out = |name: &str| links_out(&at("project").join(name), &at("project"));
        assert_eq!(out(".venv"), BTreeSet::from([at("python"), at("python-3.12")]));
        assert_eq!(out("node_modules"), BTreeSet::from([at("package")]));
    }
}
