//! Runs gates in copies of a tree, within the sandbox.
//!
//! Which gates there are, how they are called and how their reports are read is said in the core;
//! here commands are run and what they leave behind is handed back. Must not decide anything.

mod base_cache;
mod witnesses;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use assize_core::gate::witness;
use assize_core::gate::{
    Canary, GATES, Gate, GateCommand, GateOutput, GateRun, GateState, GateTrouble, Project, REPORTS, Setup,
    TEST_SECONDS, is_manifest,
};
use assize_core::path::{is_code, is_test};
use assize_core::report::REPORT_BYTES_MAX;
use assize_core::text::make_visible;
use serde::{Deserialize, Serialize};

pub use self::base_cache::{BaseCache, LENT_ENTRIES_MAX};
use self::witnesses::Witnesses;
use crate::sandbox::{Job, JobResult, Limit, Sandbox, SandboxLimits, read_written, remove};
use crate::work_copy::{CopyError, WorkCopy, dependency_folders};

/// Largest manifest that is read, in bytes.
pub const MANIFEST_BYTES_MAX: u64 = 1024 * 1024;
/// Most files in the folder of reports that are read.
pub const REPORTS_MAX: usize = 2_000;
/// Where a job finds the folder for what build tools make, when folders can be mounted.
const BUILD_INSIDE: &str = "/assize/build";

/// A gate that is to be run, and where.
#[derive(Clone, Copy)]
pub struct Planned<'a> {
    /// The gate.
    pub gate: &'a dyn Gate,
    /// How the project uses it.
    pub setup: &'a Setup,
}

/// Finds the gates that a project uses, in the order in which they run.
pub fn detect<'a>(
    project: &Project,
    declared: &'a [Box<dyn Gate>],
    off: &BTreeSet<String>,
) -> Vec<(&'a dyn Gate, Setup)> {
    let built_in = GATES.iter().copied();
    let all = built_in.chain(declared.iter().map(AsRef::as_ref));
    all.filter(|gate| !off.contains(gate.id()))
        .flat_map(|gate| gate.detect(project).into_iter().map(move |setup| (gate, setup)))
        .collect()
}

/// What a run of a gate yields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ran {
    /// What it is worth.
    pub run: GateRun,
    /// How long it took, in milliseconds.
    pub time_ms: u64,
    /// The command, for a shell.
    pub command: String,
    /// What it printed, the errors last.
    pub output: String,
}

/// A copy of a tree with everything that is needed to run gates in it.
#[derive(Debug)]
pub struct Bench {
    /// The copy.
    pub copy: WorkCopy,
    /// What gates are recognized by.
    pub project: Project,
    /// Folders with dependencies: where they lie, and where below the copy they belong.
    dependencies: Vec<(PathBuf, String)>,
    /// Where programs are looked for.
    search_path: Vec<PathBuf>,
    /// Where build tools put what they make, shared by the copies of one review.
    build: PathBuf,
}

impl Bench {
    /// Sets up a copy. Dependencies come from the user's tree at `root`, read-only; `search_path` is where programs are
    /// looked for.
    pub fn new(copy: WorkCopy, root: &Path, search_path: &str, build: PathBuf) -> Self {
        let dependencies: Vec<(PathBuf, String)> =
            dependency_folders(root, copy.files()).into_iter().map(|folder| (root.join(&folder), folder)).collect();
        let manifests = copy.files().iter().filter(|path| is_manifest(path));
        let manifests =
            manifests.filter_map(|path| Some((path.clone(), copy.text(path, MANIFEST_BYTES_MAX)?))).collect();
        let search_path: Vec<PathBuf> =
            std::env::split_paths(search_path).filter(|folder| leads_outside(folder, root)).collect();
        let mut programs: BTreeSet<String> = search_path.iter().flat_map(|folder| executables(folder)).collect();
        for (host, inside) in &dependencies {
            for bin in [".bin", "bin"] {
                programs.extend(executables(&host.join(bin)).map(|name| format!("{inside}/{bin}/{name}")));
            }
        }
        let project = Project { files: copy.files().clone(), manifests, programs };
        Self { copy, project, dependencies, search_path, build }
    }

    /// Runs a gate. `word` is a fresh one that nobody can guess: with it the runner's own honesty is put to the test.
    ///
    /// # Errors
    ///
    /// Fails when the copy cannot be used. A gate that fails or cannot be started is no error.
    pub fn run(
        &mut self,
        planned: Planned<'_>,
        sandbox: &Sandbox,
        terms: &RunTerms,
        word: Option<&str>,
        printed: &mut dyn FnMut(&str),
    ) -> Result<Ran, CopyError> {
        let Planned { gate, setup } = planned;
        let mut command = gate.command(setup, &self.project).with_test_seconds(terms.test_seconds);
        let shown = again(gate, &command);
        if !self.project.programs.contains(&command.program) {
            let detail = format!("{} is not installed, though {}", command.program, setup.because);
            return Ok(Ran {
                run: without_result(GateTrouble::MissingTool, detail),
                time_ms: 0,
                command: shown,
                output: String::new(),
            });
        }
        let mut witnesses = Witnesses::default();
        if word.is_some() {
            witnesses = Witnesses::call(&mut self.copy, gate, setup, &self.project, &command)?;
            command.provided.extend(witnesses.provided(&sandbox.work_inside(&self.copy.path())));
        }
        let canary = word.and_then(|word| gate.canary(setup, &self.project, word));
        for (path, contents) in canary.iter().flat_map(|canary| &canary.files) {
            self.copy.write(path, contents)?;
        }
        let before = self.tests_as_they_are(&witnesses);
        let aids = Aids { canary: canary.as_ref(), witnesses: &witnesses };
        let mut ran = self.carry_out(planned, &command, aids, sandbox, terms, printed);
        if let (Ok(ran), Some(path)) = (&mut ran, self.first_changed(&before)) {
            let detail = format!("{path} was rewritten while the gate ran");
            ran.run = GateRun { report: ran.run.report.take(), ..without_result(GateTrouble::Forged, detail) };
        }
        for path in canary.iter().flat_map(|canary| canary.files.keys()) {
            self.copy.remove(path)?;
        }
        witnesses.dismiss(&mut self.copy)?;
        ran
    }

    /// Has a gate's tool write files as the gate wants them, instead of checking them. Says whether there is such a tool
    /// and it came to its end: one that was cut short may have left half of a file. What it wrote tells whether it helped.
    ///
    /// # Errors
    ///
    /// Fails when the copy cannot be used.
    pub fn rewrite(
        &self,
        Planned { gate, setup }: Planned<'_>,
        files: &[&str],
        sandbox: &Sandbox,
        terms: &RunTerms,
    ) -> Result<bool, CopyError> {
        let Some(command) = gate.rewrite(setup, &self.project, files) else { return Ok(false) };
        if !self.project.programs.contains(&command.program) {
            return Ok(false);
        }
        let reports = self.copy.beside("rewriting")?;
        let ran = sandbox.run(&self.job(&command, &reports, sandbox, terms), &mut |_| {});
        let is_ordinary = |status: i32| gate.ordinary_statuses().contains(&status);
        Ok(ran.is_ok_and(|ran| ran.limit_reached.is_none() && ran.status.is_some_and(is_ordinary)))
    }

    /// The code of the tests, by hash: a build script must not rewrite what the build is judged by. A file with witnesses
    /// may have lost them.
    fn tests_as_they_are(&self, witnesses: &Witnesses) -> BTreeMap<String, Vec<blake3::Hash>> {
        let tests = self.copy.files().iter().filter(|path| is_test(path) && is_code(path)).map(String::as_str);
        let tests = tests.chain(witnesses.originals().map(|(path, _)| path));
        let mut known: BTreeMap<String, Vec<blake3::Hash>> =
            tests.filter_map(|path| Some((path.to_owned(), vec![self.hash(path)?]))).collect();
        for (path, original) in witnesses.originals() {
            known.entry(path.to_owned()).or_default().push(blake3::hash(original.as_bytes()));
        }
        known
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
        planned: Planned<'_>,
        command: &GateCommand,
        aids: Aids<'_>,
        sandbox: &Sandbox,
        terms: &RunTerms,
        printed: &mut dyn FnMut(&str),
    ) -> Result<Ran, CopyError> {
        let reports = self.copy.beside(&format!("reports-{}", crate::court::fresh_word()))?;
        for (name, contents) in &command.provided {
            let path = reports.join(name);
            fs::write(&path, contents).map_err(|error| CopyError::Io { path, error })?;
        }
        let job = self.job(command, &reports, sandbox, terms);
        let result = sandbox.run(&job, &mut |chunk| printed(&String::from_utf8_lossy(chunk.bytes)));
        let shown = again(planned.gate, command);
        let result = match result {
            Ok(result) => result,
            Err(error) => {
                let run = without_result(GateTrouble::NoSandbox, format!("it could not be started: {error}"));
                return Ok(Ran { run, time_ms: 0, command: shown, output: String::new() });
            }
        };
        let time_ms = u64::try_from(result.wall.as_millis()).unwrap_or(u64::MAX);
        let output = output_of(result, &reports, command, &sandbox.work_inside(&job.work));
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push('\n');
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        let mut run = GateRun::of(planned.gate, planned.setup, &output, aids.canary);
        let left = |name: &str| output.reports.get(name).map(Vec::as_slice).unwrap_or_default();
        let left = witness::Left { words: left(witness::REPORT), rewritten: left(witness::REWRITTEN) };
        witness::hear(&aids.witnesses.called, left, &mut run);
        // What a tool left is of no use any more; that it cannot be removed costs space and no more.
        let _ = remove(&reports);
        Ok(Ran { run, time_ms, command: shown, output: make_visible(&text).into_owned() })
    }

    fn job(&self, command: &GateCommand, reports: &Path, sandbox: &Sandbox, terms: &RunTerms) -> Job {
        let work = self.copy.path();
        let mut job = Job::new(&command.program, &[], &work, reports);
        job.folder.clone_from(&command.folder);
        job.limits = terms.limits.clone();
        job.network = terms.network;
        let inside_work = sandbox.work_inside(&work);
        let inside_reports = sandbox.reports_inside(reports);
        let namespaces = sandbox.level().tier.has_namespaces();
        let build_inside = if namespaces { PathBuf::from(BUILD_INSIDE) } else { self.build.clone() };
        job.writable.push((self.build.clone(), build_inside.clone()));
        for (host, folder) in &self.dependencies {
            job.read_only.push((host.clone(), inside_work.join(folder)));
        }
        let tools: BTreeSet<PathBuf> = self.search_path.iter().flat_map(|folder| tool_folders(folder)).collect();
        job.read_only.extend(tools.into_iter().map(|folder| (folder.clone(), folder)));
        if command.program.contains('/') && !command.program.starts_with('/') {
            job.program = inside_work.join(&command.program).to_string_lossy().into_owned();
        }
        let reports = inside_reports.to_string_lossy();
        job.arguments = command.arguments.iter().map(|argument| argument.replace(REPORTS, &reports)).collect();
        let own = command.environment.iter().map(|(name, value)| (name.clone(), value.replace(REPORTS, &reports)));
        job.environment = own.collect();
        let build = |name: &str| build_inside.join(name).to_string_lossy().into_owned();
        for (name, folder) in [("CARGO_TARGET_DIR", "cargo"), ("GOCACHE", "go")] {
            job.environment.entry(name.to_owned()).or_insert_with(|| build(folder));
        }
        job
    }
}

/// What puts a runner of tests to the test.
#[derive(Clone, Copy)]
struct Aids<'a> {
    canary: Option<&'a Canary>,
    witnesses: &'a Witnesses,
}

/// Under what terms gates run.
#[derive(Debug, Clone)]
pub struct RunTerms {
    /// What each of them may take.
    pub limits: SandboxLimits,
    /// Whether they may reach the network.
    pub network: bool,
    /// Seconds that one test may take.
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
        limit: result.limit_reached.map(said),
        cut: result.cut,
        reports: read_reports(reports, command),
        stdout: result.stdout,
        stderr: result.stderr,
        root: work.to_string_lossy().into_owned(),
    }
}

fn said(limit: Limit) -> String {
    format!("{} ({limit})", limit.meaning())
}

/// Reads what a tool left in its folder; what we put there ourselves is not among it. Links are not followed.
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

/// Returns a command that looks at the same once more, from the root of the project. One that needs files of ours, or leaves
/// its reports where nobody else looks, is run by this program.
fn again(gate: &dyn Gate, command: &GateCommand) -> String {
    let is_ours = |text: &String| text.contains(REPORTS);
    if command.arguments.iter().any(is_ours) || command.environment.values().any(is_ours) {
        return format!("assize gates --only {}", gate.id());
    }
    for_shell(command)
}

/// Writes a command so that a shell runs it again, from the root of the project.
fn for_shell(command: &GateCommand) -> String {
    let quoted = |text: &str| {
        let plain = |character: char| character.is_ascii_alphanumeric() || "-_./=:,+@%".contains(character);
        if !text.is_empty() && text.chars().all(plain) {
            text.to_owned()
        } else {
            format!("'{}'", text.replace('\'', "'\\''"))
        }
    };
    let mut line = String::new();
    if !command.folder.is_empty() {
        line.push_str(&format!("cd {} && ", quoted(&command.folder)));
    }
    line.push_str(&quoted(&command.program));
    for argument in &command.arguments {
        line.push(' ');
        line.push_str(&quoted(argument));
    }
    line
}

/// Returns whether programs are looked for in a folder of the search path: it is absolute, and not within the tree.
fn leads_outside(folder: &Path, root: &Path) -> bool {
    folder.is_absolute() && folder.is_dir() && !folder.starts_with(root)
}

/// Returns what has to be seen of a folder of the search path so that its programs run; nothing where the sandbox shows it
/// anyway. Those of a virtual environment need all of that, and by the name that it was made under: their first lines say it.
pub(crate) fn tool_folders(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let is_shown = |folder: &Path| ["/usr", "/bin", "/sbin", "/opt"].iter().any(|shown| folder.starts_with(shown));
    let whole = folder.parent().filter(|parent| parent.join("pyvenv.cfg").is_file()).unwrap_or(folder).to_owned();
    let real = whole.canonicalize().ok().filter(|real| *real != whole);
    [Some(whole), real].into_iter().flatten().filter(move |folder| !is_shown(folder))
}

fn executables(folder: &Path) -> impl Iterator<Item = String> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| is_program(&entry.path())).filter_map(|entry| entry.file_name().into_string().ok())
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
