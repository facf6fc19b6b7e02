//! Small projects, and the gates that are run on them: `tests/reports/record.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use assize_ecosystem::is_setting;
use assize_gate::gate::declared::DeclaredGate;
use assize_gate::gate::{Canary, GATES, Gate, GateCommand, GateOutput, Project, REPORTS, TEST_SECONDS};
use serde::Deserialize;

/// What comes of something that may fail in any way.
pub type Done<T = ()> = Result<T, Box<dyn Error>>;

/// The word in the names of our own tests.
const WORD: &str = "kestrel";
/// Where packages of Node have their programs, and how projects see them.
const INSTALLED: &str = "node_modules/.bin";
/// Seconds that a run may take, where its case says nothing.
const SECONDS: u64 = 300;

/// All projects and cases.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordingPlan {
    /// How each tool is had; that is the business of who installs them.
    #[serde(rename = "tool")]
    _tool: BTreeMap<String, toml::Table>,
    project: BTreeMap<String, BTreeMap<String, String>>,
    /// What is run.
    pub case: Vec<RecordingCase>,
}

/// One gate on one project.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordingCase {
    /// `tool/{version}-name`.
    pub folder: String,
    /// The id of a gate, or `declared`.
    gate: String,
    /// A gate as a project declares it in its configuration.
    declared: Option<toml::Table>,
    project: String,
    /// Tools and versions, such as `pytest-8.3.5`; what stands after the last hyphen is the version.
    pub tools: Vec<String>,
    /// Whether our own tests run along.
    #[serde(default)]
    canary: bool,
    /// Variables beside those of the gate.
    #[serde(default)]
    environment: BTreeMap<String, String>,
    /// The deadline, in seconds.
    seconds: Option<u64>,
    /// Seconds for one test.
    test_seconds: Option<u32>,
    /// Whether line feeds of both streams become those of Windows, as a terminal in between would have it.
    #[serde(default)]
    crlf: bool,
    expected: toml::Table,
    /// What is different with some tools.
    #[serde(default)]
    pub differently: BTreeMap<String, toml::Table>,
}

/// What a run left behind.
pub struct RecordedRun {
    /// The output; its root is the project's folder.
    pub output: GateOutput,
    /// What is expected of it, as it stands in `expected.toml`.
    pub expected: toml::Table,
}

impl RecordingPlan {
    /// Reads the plan.
    pub fn load() -> Done<Self> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reports/record.toml");
        Ok(toml::from_str(&fs::read_to_string(path)?)?)
    }

    /// Runs a case with the tools of a folder, in `top`, which is emptied.
    pub fn carry_out(&self, case: &RecordingCase, tool: &str, bin: &Path, top: &Path) -> Done<RecordedRun> {
        let files = self.project.get(&case.project).ok_or_else(|| format!("no project {}", case.project))?;
        let _ = fs::remove_dir_all(top);
        let (work, reports) = (top.join("project"), top.join("reports"));
        fs::create_dir_all(&reports)?;
        for (path, text) in files {
            write(&work.join(path), text)?;
        }
        let declared: Option<DeclaredGate> = case.declared.clone().map(toml::Table::try_into).transpose()?;
        let gate: &dyn Gate = match &declared {
            Some(declared) => declared,
            None => *GATES.iter().find(|gate| gate.id() == case.gate).ok_or("no such gate")?,
        };
        let project = project(files, bin)?;
        if bin.ends_with(INSTALLED) {
            std::os::unix::fs::symlink(bin.parent().ok_or("no folder")?, work.join("node_modules"))?;
        }
        let setup = gate.detect(&project).into_iter().next().ok_or("the gate finds nothing to do")?;
        let mut command = gate.command(&setup, &project).with_test_seconds(case.test_seconds.unwrap_or(TEST_SECONDS));
        let canary = if case.canary { gate.canary(&setup, &project, WORD) } else { None };
        for (path, text) in canary.iter().flat_map(|canary| canary.give_to(&mut command)) {
            write(&work.join(path), text)?;
        }
        for (name, text) in &command.provided {
            write(&reports.join(name), text)?;
        }
        let mut output = case.run(&command, bin, top)?;
        output.root = work.to_string_lossy().into_owned();
        let ours = |name: &str| command.provided.contains_key(name) || name == "cargo_test_runner" || name == "found";
        for (name, bytes) in files_below(&reports, "")? {
            if !ours(&name) {
                output.reports.insert(name, bytes);
            }
        }
        Ok(RecordedRun { output, expected: case.expected(tool, &setup.folder, canary.as_ref()) })
    }
}

/// The files below a folder, but for what tools keep for their next run.
fn files_below(folder: &Path, prefix: &str) -> Done<Vec<(String, Vec<u8>)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let cache = ["mypy", "black"].contains(&name.as_str());
        if entry.file_type()?.is_file() {
            found.push((name, fs::read(entry.path())?));
        } else if entry.file_type()?.is_dir() && !cache {
            found.extend(files_below(&entry.path(), &format!("{name}/"))?);
        }
    }
    Ok(found)
}

fn project(files: &BTreeMap<String, String>, bin: &Path) -> Done<Project> {
    let mut programs = BTreeSet::new();
    for folder in [bin, Path::new("/usr/bin"), Path::new("/bin")] {
        for entry in fs::read_dir(folder)? {
            programs.insert(entry?.file_name().to_string_lossy().into_owned());
        }
    }
    if bin.ends_with(INSTALLED) {
        let names = fs::read_dir(bin)?.map(|entry| Ok(format!("{INSTALLED}/{}", entry?.file_name().to_string_lossy())));
        programs.extend(names.collect::<Done<Vec<_>>>()?);
    }
    let manifests = files.iter().filter(|(path, _)| is_setting(path));
    let manifests = manifests.map(|(path, text)| (path.clone(), text.clone())).collect();
    Ok(Project::new(files.keys().cloned().collect(), manifests, programs))
}

impl RecordingCase {
    fn run(&self, command: &GateCommand, bin: &Path, top: &Path) -> Done<GateOutput> {
        let inside = top.join("reports").to_string_lossy().into_owned();
        let own = bin.join(&command.program);
        let program = if own.exists() { own } else { PathBuf::from(&command.program) };
        let (stdout, stderr) = (top.join("stdout"), top.join("stderr"));
        let mut process = Command::new(program);
        process
            .args(command.arguments.iter().map(|argument| argument.replace(REPORTS, &inside)))
            .current_dir(top.join("project").join(&command.folder))
            .envs(command.environment.iter().map(|(name, value)| (name, value.replace(REPORTS, &inside))))
            .env("PATH", format!("{}:{}", bin.display(), std::env::var("PATH")?))
            .env("CARGO_TARGET_DIR", top.join("target"))
            .envs(&self.environment)
            .stdin(Stdio::null())
            .stdout(fs::File::create(&stdout)?)
            .stderr(fs::File::create(&stderr)?);
        // What cargo tells this program says nothing of the ones that it starts.
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            let told = text.starts_with("CARGO_") || text == "RUSTUP_TOOLCHAIN" || text == "RUST_BACKTRACE";
            let wanted = text == "CARGO_HOME" || self.environment.contains_key(&*text);
            if told && !wanted && text != "CARGO_TARGET_DIR" && !command.environment.contains_key(&*text) {
                process.env_remove(&name);
            }
        }
        let mut output = GateOutput::default();
        let mut child = process.spawn()?;
        let end = Instant::now() + Duration::from_secs(self.seconds.unwrap_or(SECONDS));
        loop {
            if let Some(status) = child.try_wait()? {
                output.status = status.code();
                break;
            }
            if Instant::now() > end {
                child.kill()?;
                child.wait()?;
                output.timed_out = true;
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let lines = |bytes: Vec<u8>| {
            let text = String::from_utf8_lossy(&bytes).replace('\n', "\r\n").into_bytes();
            if self.crlf { text } else { bytes }
        };
        (output.stdout, output.stderr) = (lines(fs::read(stdout)?), lines(fs::read(stderr)?));
        Ok(output)
    }

    fn expected(&self, tool: &str, folder: &str, canary: Option<&Canary>) -> toml::Table {
        let mut expected = toml::Table::new();
        expected.insert("gate".to_owned(), self.gate.as_str().into());
        if !folder.is_empty() {
            expected.insert("folder".to_owned(), folder.into());
        }
        if let Some(declared) = &self.declared {
            expected.insert("declared".to_owned(), declared.clone().into());
        }
        expected.extend(self.expected.clone());
        expected.extend(self.differently.get(tool).cloned().unwrap_or_default());
        if let Some(canary) = canary {
            let ids = |ids: &[String]| toml::Value::from(ids.to_vec());
            let table = [("failing".to_owned(), ids(&canary.failing)), ("passing".to_owned(), ids(&canary.passing))];
            expected.insert("canary".to_owned(), toml::Value::Table(table.into_iter().collect()));
        }
        expected
    }
}

/// Writes a file, and the folders above it.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Done {
    fs::create_dir_all(path.parent().ok_or("no folder")?)?;
    Ok(fs::write(path, bytes)?)
}
