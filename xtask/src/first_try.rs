//! Reviews releases of public packages as changes, prepared by Assize alone: what the projects' own CI let in should be
//! accepted here as well.
//!
//! `first-try.toml` lists the packages with two successive versions. Their sources come from the registries and are
//! committed one after the other. Nothing is set up for them. Commits of clones are reviewed alike.

pub mod clones;
mod fault;
mod fixable;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde::Deserialize;

use crate::shell::{Result, command, program, read, run as execute, target};

/// The table of projects.
const TABLE: &str = include_str!("../first-try.toml");

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    project: Vec<FirstTryProject>,
}

/// A package in two versions. Of most there are two such pairs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FirstTryProject {
    registry: PackageRegistry,
    name: String,
    old: String,
    new: String,
    /// Whether it is looked at only once, at the end, rather than worked with.
    #[serde(default)]
    kept: bool,
    /// Why the change is not accepted, where that is known.
    #[serde(default)]
    not_accepted: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PackageRegistry {
    Pypi,
    Npm,
    Crates,
}

/// Which projects are reviewed.
#[derive(Clone, Copy)]
pub struct FirstTrySelection<'a> {
    /// Those whose name contains this.
    pub only: Option<&'a str>,
    /// Those that are kept for the end.
    pub kept: bool,
    /// The share and the number of shares.
    pub share: Option<(u32, u32)>,
    /// A folder of clones whose commits are reviewed in place of the packages.
    pub clones: Option<&'a Path>,
    /// What is put into each change first.
    pub faults: FaultKind,
}

/// What is reviewed.
enum MergedChange<'p> {
    /// A release of a package over the one before.
    Release(&'p FirstTryProject),
    /// A commit of a clone.
    Commit(clones::MergedCommit),
}

impl MergedChange<'_> {
    fn name(&self) -> &str {
        match self {
            Self::Release(project) => &project.name,
            Self::Commit(commit) => &commit.name,
        }
    }

    /// The versions, or the commit.
    fn version(&self) -> String {
        match self {
            Self::Release(project) => format!("{}..{}", project.old, project.new),
            Self::Commit(commit) => commit.commit.clone(),
        }
    }

    /// Whether it is known not to be accepted.
    fn is_known_not_accepted(&self) -> bool {
        matches!(self, Self::Release(project) if project.not_accepted.is_some())
    }

    /// Makes its repository, unless it is there: the change on what was before.
    fn repository(&self) -> Result<PathBuf> {
        match self {
            Self::Release(project) => repository(project),
            Self::Commit(commit) => commit.repository(),
        }
    }
}

/// What is put into a change before it is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum FaultKind {
    /// Nothing.
    #[default]
    None,
    /// A fault that tests can tell: it must not be accepted.
    Wrong,
    /// Faults that the package's own tools fix: they are to be fixed.
    Fixable,
}

fn projects() -> Result<Vec<FirstTryProject>> {
    let table: Table = toml::from_str(TABLE).map_err(|error| format!("first-try.toml: {error}"))?;
    Ok(table.project)
}

/// Reviews the changes, and prints a line for each. Fails if more than one in ten is not as it is listed.
pub fn run(selection: &FirstTrySelection<'_>) -> Result {
    let projects = projects()?;
    let program = program()?;
    let of_share = |index: usize| {
        selection.share.is_none_or(|(share, of)| u32::try_from(index).is_ok_and(|index| index % of == share))
    };
    let all: Vec<MergedChange<'_>> = match selection.clones {
        Some(folder) => clones::choose(folder)?.into_iter().map(MergedChange::Commit).collect(),
        None => projects.iter().filter(|project| project.kept == selection.kept).map(MergedChange::Release).collect(),
    };
    let chosen = all
        .iter()
        .filter(|change| selection.only.is_none_or(|part| change.name().contains(part)))
        .enumerate()
        .filter(|(index, _)| of_share(*index))
        .map(|(_, change)| change);
    let accepted = chosen.clone().filter(|change| !change.is_known_not_accepted());
    match selection.faults {
        FaultKind::None => reviewed(&program, chosen),
        FaultKind::Wrong => with_faults(&program, accepted),
        FaultKind::Fixable => {
            // The older releases of a package have the same tools.
            let is_newest = |one: &&MergedChange<'_>| {
                all.iter().rfind(|other| other.name() == one.name()).is_some_and(|last| last.version() == one.version())
            };
            with_fixable(&program, accepted.filter(is_newest))
        }
    }
}

/// Reviews the changes as they are.
fn reviewed<'p>(program: &Path, changes: impl Iterator<Item = &'p MergedChange<'p>>) -> Result {
    let (mut reviewed, mut accepted, mut unexpected) = (0, 0, Vec::new());
    for change in changes {
        let began = Instant::now();
        let (outcome, why) = review(program, &change.repository()?)?;
        let (name, version) = (change.name(), change.version());
        println!("{outcome:8} {:5.0} s  {name} {version}  {why}", began.elapsed().as_secs_f64());
        reviewed += 1;
        accepted += usize::from(outcome == "accept");
        if (outcome == "accept") == change.is_known_not_accepted() {
            unexpected.push(format!("{name} {version}: {outcome}"));
        }
    }
    println!("{accepted} of {reviewed} accepted");
    println!("{} passed, {} failed", reviewed - unexpected.len(), unexpected.len());
    for change in &unexpected {
        println!("not as listed: {change}");
    }
    // What registries hold, and what compilers warn of, changes from day to day.
    let is_good = unexpected.len() * 10 <= reviewed;
    if is_good { Ok(()) } else { Err("more than one in ten is not as listed".to_owned()) }
}

/// Puts a fault into each change, and reviews those that the project's own tests tell from the change as it is.
fn with_faults<'p>(program: &Path, changes: impl Iterator<Item = &'p MergedChange<'p>>) -> Result {
    let (mut told, mut sent_back) = (0, 0);
    for change in changes {
        let folder = change.repository()?;
        let name = format!("{} {}", change.name(), change.version());
        let Some(fault) = fault::choose(&folder, change.name())? else {
            println!("{name}: no line of its code takes a fault");
            continue;
        };
        let before = failing(&assize(program, &folder, &["gates"])?);
        fault.put()?;
        let gates = assize(program, &folder, &["gates"]);
        let reviewed = assize(program, &folder, &["review", "--base", "HEAD~1"]);
        fault.take_out()?;
        let new: Vec<String> = failing(&gates?).difference(&before).cloned().collect();
        let Some(first) = new.first() else {
            println!("{name}: {fault}: its tests do not tell");
            continue;
        };
        told += 1;
        let (outcome, why) = outcome_of(&reviewed?);
        sent_back += u32::from(matches!(outcome.as_str(), "revise" | "reject"));
        println!("{name}: {fault}: {outcome}: {why} ({} tests tell, {first})", new.len());
    }
    println!("{sent_back} of {told} faults that tests tell are not accepted");
    if sent_back * 100 >= told * 95 { Ok(()) } else { Err("more than 5 % of the faults get by".to_owned()) }
}

/// Puts faults into packages that their own tools fix.
fn with_fixable<'p>(program: &Path, changes: impl Iterator<Item = &'p MergedChange<'p>>) -> Result {
    let mut count = fixable::FixCount::default();
    for change in changes {
        fixable::fix(program, &change.repository()?, change.name(), &mut count)?;
    }
    let fixable::FixCount { told, fixed, elsewhere } = count;
    println!("{fixed} of {told} faults fixed, {elsewhere} times something else was changed");
    let is_good = fixed * 100 >= told * 80 && elsewhere == 0;
    if is_good { Ok(()) } else { Err("less than 80 % were fixed, or something else was changed".to_owned()) }
}

/// What fails in a run of gates: tests, and what does not build.
fn failing(envelope: &serde_json::Value) -> BTreeSet<String> {
    let gates = envelope["exec"]["gates"].as_array().into_iter().flatten();
    let named = gates.flat_map(|gate| {
        let id = gate["id"].as_str().unwrap_or_default();
        let tests = gate["tests"]["failing"].as_array().into_iter().flatten();
        let tests = tests.filter_map(|test| test["id"].as_str()).map(move |test| format!("{id} {test}"));
        let broken = matches!(id, "python-compile" | "cargo-check" | "go-build").then_some(&gate["new"]);
        let broken = broken.and_then(|new| new.as_array()).into_iter().flatten();
        tests.chain(broken.filter_map(|found| found["message"].as_str()).map(move |what| format!("{id} {what}")))
    });
    named.collect()
}

/// Runs a command of the program in a folder, with a state of its own.
fn assize(program: &Path, folder: &Path, arguments: &[&str]) -> Result<serde_json::Value> {
    let state = target("first-try").join("state");
    let output = Command::new(program)
        .args(arguments)
        .args(["--format", "json"])
        .current_dir(folder)
        .env("XDG_STATE_HOME", &state)
        .env("XDG_CACHE_HOME", state.join("cache"))
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("{}: {error}: {}", folder.display(), String::from_utf8_lossy(&output.stderr)))
}

fn review(program: &Path, repository: &Path) -> Result<(String, String)> {
    Ok(outcome_of(&assize(program, repository, &["review", "--base", "HEAD~1"])?))
}

fn outcome_of(envelope: &serde_json::Value) -> (String, String) {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().chars().take(300).collect::<String>();
    let outcome = text(&envelope["outcome"]);
    let why = match outcome.as_str() {
        "accept" => String::new(),
        "unjudged" => text(&envelope["unjudged"]["detail"]),
        _ => text(&envelope["verdict"]["explanations"]["root_cause"]),
    };
    (outcome, why)
}

/// Makes the repository of the newest release of this name, unless it is there: the older release, and the newer one on it.
pub fn repository_of(name: &str) -> Result<PathBuf> {
    let projects = projects()?;
    let project = projects.iter().rfind(|project| project.name == name);
    repository(project.ok_or_else(|| format!("first-try.toml has no {name}"))?)
}

/// Makes the repository of a project, unless it is there.
fn repository(project: &FirstTryProject) -> Result<PathBuf> {
    let folder = target("first-try").join(format!("{}-{}", project.name, project.new));
    let stamp = folder.join(".git/first-try");
    let wanted = format!("{} {}, dated", project.old, project.new);
    if fs::read_to_string(&stamp).is_ok_and(|have| have == wanted) {
        return Ok(folder);
    }
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(failed)?;
    }
    fs::create_dir_all(&folder).map_err(failed)?;
    git(&folder, &["init", "--quiet"])?;
    for version in [&project.old, &project.new] {
        for entry in fs::read_dir(&folder).map_err(failed)?.flatten().filter(|entry| entry.file_name() != ".git") {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let gone = if is_folder { fs::remove_dir_all(entry.path()) } else { fs::remove_file(entry.path()) };
            gone.map_err(failed)?;
        }
        fetch(project, version, &folder)?;
        git(&folder, &["add", "--all", "--force", "."])?;
        commit(&folder, version, published(project, version)?.as_deref())?;
        git(&folder, &["tag", &format!("v{version}")])?;
    }
    fs::write(stamp, wanted).map_err(failed)?;
    Ok(folder)
}

fn git(folder: &Path, arguments: &[&str]) -> Result {
    execute(git_command(folder, arguments))
}

fn git_command(folder: &Path, arguments: &[&str]) -> Command {
    let mut git = command("git", &["-c", "user.name=first-try", "-c", "user.email=first-try@example.org"]);
    git.args(arguments).current_dir(folder);
    git
}

/// Commits a version as of the day on which it was published, where the registry says so.
fn commit(folder: &Path, version: &str, day: Option<&str>) -> Result {
    let mut commit = git_command(folder, &["commit", "--quiet", "--message", version]);
    if let Some(day) = day {
        commit.env("GIT_COMMITTER_DATE", day).env("GIT_AUTHOR_DATE", day);
    }
    execute(commit)
}

/// When a version was published.
fn published(project: &FirstTryProject, version: &str) -> Result<Option<String>> {
    let FirstTryProject { name, .. } = project;
    let text = match project.registry {
        PackageRegistry::Pypi => return Ok(source_file(name, version)?["upload-time"].as_str().map(str::to_owned)),
        PackageRegistry::Npm => read(command("npm", &["view", name, "time", "--json"]))?,
        PackageRegistry::Crates => return Ok(None),
    };
    let times: serde_json::Value = serde_json::from_str(&text).map_err(|error| format!("{name}: {error}"))?;
    Ok(times[version].as_str().map(str::to_owned))
}

/// Unpacks the sources of a version into a folder.
fn fetch(project: &FirstTryProject, version: &str, into: &Path) -> Result {
    let FirstTryProject { name, .. } = project;
    let archives = target("first-try").join("archives").join(format!("{name}-{version}"));
    let failed = |error: std::io::Error| format!("{}: {error}", archives.display());
    fs::create_dir_all(&archives).map_err(failed)?;
    if project.registry == PackageRegistry::Crates {
        return copy_crate(name, version, &archives, into);
    }
    let found = || fs::read_dir(&archives).into_iter().flatten().flatten().map(|entry| entry.path()).next();
    if found().is_none() {
        let mut download = match project.registry {
            PackageRegistry::Pypi => {
                command("curl", &["--fail", "--silent", "--show-error", "--location", "--remote-name"])
            }
            _ => command("npm", &["pack", "--silent"]),
        };
        let source = match project.registry {
            PackageRegistry::Pypi => source_archive(name, version)?,
            _ => format!("{name}@{version}"),
        };
        download.arg(source).current_dir(&archives);
        execute(download)?;
    }
    let archive = found().ok_or_else(|| format!("{name} {version}: nothing was downloaded"))?;
    let mut unpack = command("tar", &["--extract", "--gzip", "--strip-components=1", "--file"]);
    unpack.arg(archive).arg("--directory").arg(into);
    execute(unpack)
}

/// Finds the address of the sources of a version. (`pip download` builds what it downloads.)
fn source_archive(name: &str, version: &str) -> Result<String> {
    let file = source_file(name, version)?;
    file["url"].as_str().map(str::to_owned).ok_or_else(|| format!("{name} {version}: it has no sources"))
}

/// What the registry says of the sources of a version.
fn source_file(name: &str, version: &str) -> Result<serde_json::Value> {
    let json = "Accept: application/vnd.pypi.simple.v1+json";
    let index = format!("https://pypi.org/simple/{name}/");
    let index = read(command("curl", &["--fail", "--silent", "--show-error", "--location", "--header", json, &index]))?;
    let index: serde_json::Value = serde_json::from_str(&index).map_err(|error| format!("{name}: {error}"))?;
    let mut files = index["files"].as_array().into_iter().flatten();
    let is_it = |file: &&serde_json::Value| {
        file["filename"].as_str().is_some_and(|file| file.ends_with(&format!("-{version}.tar.gz")))
    };
    files.find(is_it).cloned().ok_or_else(|| format!("{name} {version}: it has no sources"))
}

/// Copies the sources of a crate out of Cargo's store, as a workspace of its own.
fn copy_crate(name: &str, version: &str, scratch: &Path, into: &Path) -> Result {
    let failed = |error: std::io::Error| format!("{}: {error}", scratch.display());
    let manifest = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[lib]\npath = \"lib.rs\"\n\n[dependencies]\n{name} = \"={version}\"\n\n[workspace]\n"
    );
    fs::write(scratch.join("Cargo.toml"), manifest)
        .and_then(|()| fs::write(scratch.join("lib.rs"), ""))
        .map_err(failed)?;
    let mut vendor = command("cargo", &["vendor", "--quiet", "--versioned-dirs"]);
    vendor.current_dir(scratch);
    execute(vendor)?;
    let source = scratch.join("vendor").join(format!("{name}-{version}"));
    let mut copy = command("cp", &["--recursive", "--no-target-directory"]);
    copy.arg(&source).arg(into);
    execute(copy)?;
    for file in [".cargo-checksum.json", ".cargo_vcs_info.json"] {
        let _ = fs::remove_file(into.join(file));
    }
    let original = into.join("Cargo.toml.orig");
    let path = into.join("Cargo.toml");
    if original.exists() {
        fs::rename(original, &path).map_err(failed)?;
    }
    let text = fs::read_to_string(&path).map_err(failed)?;
    if !text.contains("[workspace]") {
        fs::write(&path, format!("{text}\n[workspace]\n")).map_err(failed)?;
    }
    Ok(())
}
