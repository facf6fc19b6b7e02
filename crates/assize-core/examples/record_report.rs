//! Records what tools leave behind, for `tests/recorded_reports.rs`.
//!
//! `cargo run -p assize-core --example record_report -- --bin pytest-8.3.5=/venvs/8/bin [WORD]...` reads
//! `tests/reports/record.toml`, writes each case's project to a folder, asks the gate for its command, runs
//! that with the given folder first on the search path, and writes what came of it. Only cases whose folder holds one of
//! the words are recorded, and only with tools that are given. Nothing is checked here: the
//! expectations in `record.toml` are written by hand.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use assize_core::gate::{GATES, Gate, GateCommand, Project, REPORTS, TEST_SECONDS_VARIABLE, is_manifest};
use serde::Deserialize;

type Done<T = ()> = Result<T, Box<dyn Error>>;

/// The word in the names of our own tests.
const WORD: &str = "kestrel";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Plan {
    project: BTreeMap<String, BTreeMap<String, String>>,
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// `tool/{version}-name`.
    folder: String,
    gate: String,
    project: String,
    /// Tools and versions, such as `pytest-8.3.5`; what stands after the last hyphen is the version.
    tools: Vec<String>,
    /// Whether our own tests run along.
    #[serde(default)]
    canary: bool,
    /// Variables beside those of the gate.
    #[serde(default)]
    environment: BTreeMap<String, String>,
    /// The deadline, in seconds.
    seconds: Option<u64>,
    /// Seconds for one test.
    test_seconds: Option<f64>,
    /// Whether line feeds become those of Windows afterwards, as a terminal in between would have it.
    #[serde(default)]
    crlf: bool,
    expected: toml::Table,
    /// What is different with some tools.
    #[serde(default)]
    differently: BTreeMap<String, toml::Table>,
}

fn main() -> Done {
    let mut bins: BTreeMap<String, PathBuf> = BTreeMap::new();
    let mut words = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--bin" {
            let pair = arguments.next().ok_or("--bin needs NAME=FOLDER")?;
            let (name, folder) = pair.split_once('=').ok_or("--bin needs NAME=FOLDER")?;
            bins.insert(name.to_owned(), folder.into());
        } else {
            words.push(argument);
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reports");
    let plan: Plan = toml::from_str(&fs::read_to_string(root.join("record.toml"))?)?;
    let top = std::env::temp_dir().join(format!("record-{}", std::process::id()));
    for case in &plan.case {
        for tool in &case.tools {
            let version = tool.rsplit_once('-').map_or("", |(_, version)| version);
            let folder = case.folder.replace("{version}", version);
            let wanted = words.is_empty() || words.iter().any(|word| folder.contains(word.as_str()));
            if let (true, Some(bin)) = (wanted, bins.get(tool)) {
                let files = plan.project.get(&case.project).ok_or_else(|| format!("no project {}", case.project))?;
                let recorder = Recorder { case, tool, bin, top: &top, out: &root.join(&folder) };
                recorder.record(files).map_err(|error| format!("{folder}: {error}"))?;
            }
        }
    }
    fs::remove_dir_all(&top)?;
    Ok(())
}

struct Recorder<'a> {
    case: &'a Case,
    tool: &'a str,
    bin: &'a Path,
    top: &'a Path,
    out: &'a Path,
}

impl Recorder<'_> {
    fn record(&self, files: &BTreeMap<String, String>) -> Done {
        let _ = fs::remove_dir_all(self.top);
        let work = self.top.join("project");
        let reports = self.top.join("reports");
        fs::create_dir_all(&reports)?;
        for (path, text) in files {
            write(&work.join(path), text)?;
        }
        let gate = GATES.iter().find(|gate| gate.id() == self.case.gate).ok_or("no such gate")?;
        let project = self.project(files)?;
        let setup = gate.detect(&project).into_iter().next().ok_or("the gate finds nothing to do")?;
        let command = gate.command(&setup, &project);
        for (name, text) in &command.provided {
            write(&reports.join(name), text)?;
        }
        let canary = if self.case.canary { gate.canary(&setup, &project, WORD) } else { None };
        for (path, text) in canary.iter().flat_map(|canary| &canary.files) {
            write(&work.join(path), text)?;
        }
        let status = self.run(&command, &work, &reports)?;
        self.keep(*gate, &setup.folder, &status, &command, canary.as_ref(), &work, &reports)?;
        Ok(())
    }

    fn project(&self, files: &BTreeMap<String, String>) -> Done<Project> {
        let mut programs = BTreeSet::new();
        for folder in [self.bin, Path::new("/usr/bin"), Path::new("/bin")] {
            for entry in fs::read_dir(folder)? {
                programs.insert(entry?.file_name().to_string_lossy().into_owned());
            }
        }
        let manifests = files.iter().filter(|(path, _)| is_manifest(path));
        let manifests = manifests.map(|(path, text)| (path.clone(), text.clone())).collect();
        Ok(Project { files: files.keys().cloned().collect(), manifests, programs })
    }

    fn run(&self, command: &GateCommand, work: &Path, reports: &Path) -> Done<String> {
        let inside = reports.to_string_lossy();
        let path = format!("{}:{}", self.bin.display(), std::env::var("PATH")?);
        let own = self.bin.join(&command.program);
        let program = if own.exists() { own } else { PathBuf::from(&command.program) };
        let mut process = Command::new(program);
        process
            .args(command.arguments.iter().map(|argument| argument.replace(REPORTS, &inside)))
            .current_dir(work.join(&command.folder))
            .envs(command.environment.iter().map(|(name, value)| (name, value.replace(REPORTS, &inside))))
            .env("PATH", path)
            .env("CARGO_TARGET_DIR", self.top.join("target"))
            .env_remove("RUST_BACKTRACE")
            .envs(&self.case.environment)
            .stdin(Stdio::null())
            .stdout(fs::File::create(self.top.join("stdout"))?)
            .stderr(fs::File::create(self.top.join("stderr"))?);
        // What cargo tells this program says nothing of the ones that it starts.
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("CARGO_")) {
            if name != "CARGO_HOME" && name != "CARGO_TARGET_DIR" && name != "CARGO_TERM_COLOR" {
                process.env_remove(name);
            }
        }
        if let Some(seconds) = self.case.test_seconds {
            process.env(TEST_SECONDS_VARIABLE, seconds.to_string());
        }
        let mut child = process.spawn()?;
        let end = Instant::now() + Duration::from_secs(self.case.seconds.unwrap_or(300));
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(status.code().map_or_else(|| "signal".to_owned(), |code| code.to_string()));
            }
            if Instant::now() > end {
                child.kill()?;
                child.wait()?;
                return Ok("timeout".to_owned());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[expect(clippy::too_many_arguments, reason = "all of it is what one run left behind")]
    fn keep(
        &self,
        gate: &dyn Gate,
        folder: &str,
        status: &str,
        command: &GateCommand,
        canary: Option<&assize_core::gate::Canary>,
        work: &Path,
        reports: &Path,
    ) -> Done {
        let _ = fs::remove_dir_all(self.out);
        let home = std::env::var("HOME").unwrap_or_default();
        let top = self.top.to_string_lossy();
        let tool = self.bin.parent().unwrap_or(self.bin).to_string_lossy();
        let plain = |bytes: Vec<u8>| {
            let mut text = bytes;
            for (from, to) in [
                (&*work.to_string_lossy(), "/project"),
                (&*reports.to_string_lossy(), "/reports"),
                (&*top, "/build"),
                (&*tool, "/tool"),
                (&*home, "/home"),
            ] {
                text = replace(&text, from.as_bytes(), to.as_bytes());
            }
            if self.case.crlf { replace(&text, b"\n", b"\r\n") } else { text }
        };
        for name in ["stdout", "stderr"] {
            let bytes = plain(fs::read(self.top.join(name))?);
            if !bytes.is_empty() {
                write(&self.out.join(name), bytes)?;
            }
        }
        write(&self.out.join("status"), format!("{status}\n"))?;
        for entry in fs::read_dir(reports)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.file_type()?.is_file() && !command.provided.contains_key(&name) && name != "cargo_test_runner" {
                write(&self.out.join("reports").join(name), plain(fs::read(entry.path())?))?;
            }
        }
        let mut expected = toml::Table::new();
        expected.insert("gate".to_owned(), gate.id().into());
        if !folder.is_empty() {
            expected.insert("folder".to_owned(), folder.into());
        }
        expected.extend(self.case.expected.clone());
        expected.extend(self.case.differently.get(self.tool).cloned().unwrap_or_default());
        if let Some(canary) = canary {
            let ids = |ids: &[String]| toml::Value::from(ids.to_vec());
            let table = [("failing".to_owned(), ids(&canary.failing)), ("passing".to_owned(), ids(&canary.passing))];
            expected.insert("canary".to_owned(), toml::Value::Table(table.into_iter().collect()));
        }
        write(&self.out.join("expected.toml"), toml::to_string(&expected)?)
    }
}

fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Done {
    fs::create_dir_all(path.parent().ok_or("no folder")?)?;
    Ok(fs::write(path, bytes)?)
}

fn replace(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    if from.is_empty() {
        return text.to_vec();
    }
    let mut replaced = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.windows(from.len()).position(|window| window == from) {
        replaced.extend_from_slice(&rest[..at]);
        replaced.extend_from_slice(to);
        rest = &rest[at + from.len()..];
    }
    replaced.extend_from_slice(rest);
    replaced
}
