//! Dependencies of a change: packages that are added, removed or come from elsewhere, and the code that runs when they
//! are installed.
//!
//! A manifest says which packages are wanted, a lock file says which were found. Both are read before and after the
//! change. New packages are notes for a reader. A lock file that leads elsewhere than its registry, or that lost its
//! check sums, is a fault: no package manager writes that unless it is told to. One language is one file.

mod cargo;
mod go;
mod jvm;
mod lookalike;
mod manifest;
mod npm;
mod python;
mod registry;
mod script;

use std::collections::{BTreeMap, BTreeSet};

use assize_core::finding::Certainty;
use assize_core::path::file_name;
use assize_core::text::quote;
use assize_ecosystem::{Ecosystem, Language, of_language, of_manifest};

use super::{FileVersions, FindingCollector, RequestedChanges, SecurityChange, listed};
use crate::security::address::{host_of, place_of, without_login};
use assize_ecosystem::document::line_with;

/// Manifests and lock files that are read here.
const READ: [&str; 18] = [
    "Cargo.lock",
    "Cargo.toml",
    "Pipfile",
    "Pipfile.lock",
    "build.gradle",
    "build.gradle.kts",
    "go.mod",
    "go.sum",
    "libs.versions.toml",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "package.json",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pom.xml",
    "pyproject.toml",
    "uv.lock",
    "yarn.lock",
];

/// The ecosystem that a manifest or lock file belongs to, and whether it is a lock file.
fn ecosystem_of(path: &str) -> Option<(&'static Ecosystem, bool)> {
    let name = file_name(path);
    let requirements = || python::is_requirements(path).then(|| (of_language(Language::Python), false));
    of_manifest(path).filter(|_| READ.contains(&name)).or_else(requirements)
}

/// Returns whether an address is that of the registry that everybody uses.
fn is_registry(ecosystem: &Ecosystem, source: &str) -> bool {
    let place = place_of(source);
    let is_host = |host: &&str| place.strip_prefix(*host).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    ecosystem.registries.iter().any(is_host)
}

/// Says why a file may not change unless the specification asks for it. `None` where it may.
pub(super) fn guard(path: &str, asked: &RequestedChanges) -> Option<&'static str> {
    let (_, is_lock) = ecosystem_of(path)?;
    let words = ["dependency", "dependencie", "package", "crate", "module", "lock file", "lockfile"];
    (is_lock && !asked.names(path) && !asked.speaks_of(&words))
        .then_some("is written by a package manager and says what is installed")
}

/// Where a package is to come from.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PackageSource {
    /// A registry, by its name and version.
    Registry,
    /// A repository.
    Git(String),
    /// An address.
    Address(String),
    /// A folder or file beside it.
    Folder,
}

impl PackageSource {
    fn describe(&self) -> String {
        match self {
            Self::Registry => "a registry".to_owned(),
            Self::Git(address) => format!("the repository {}", quote(&without_login(address))),
            Self::Address(address) => format!("the address {}", quote(&without_login(address))),
            Self::Folder => "a folder".to_owned(),
        }
    }
}

/// What a manifest wants.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DeclaredDependency {
    name: String,
    /// The version, as it is written.
    version: String,
    origin: PackageSource,
}

impl DeclaredDependency {
    /// Neither name nor version keeps what logs in.
    fn new(name: impl Into<String>, version: impl Into<String>, origin: PackageSource) -> Self {
        Self { name: without_login(&name.into()), version: without_login(&version.into()), origin }
    }
}

/// What a lock file holds fast.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct LockedPackage {
    name: String,
    version: String,
    /// Where it comes from; empty where the file does not say.
    source: String,
    /// Check sums, each with its algorithm.
    sums: BTreeSet<String>,
    /// Whether the file says that it runs a script when it is installed.
    script: bool,
}

/// Returns whether the file of a path is looked at here.
pub(super) fn reads(path: &str) -> bool {
    ecosystem_of(path).is_some() || registry::reads(path) || script::reads(path)
}

/// Looks at the dependencies of a change.
pub(super) fn look(change: &SecurityChange, asked: &RequestedChanges, report: &mut FindingCollector) {
    for file in &change.files {
        match ecosystem_of(&file.path) {
            Some((ecosystem, false)) => manifest::look(file, ecosystem, change, report),
            Some((ecosystem, true)) => lock(file, ecosystem, change, asked, report),
            None => {}
        }
        registry::look(file, asked, report);
        script::look(file, asked, report);
    }
}

/// Reads a manifest; `None` where it cannot be read.
fn wanted(path: &str, text: &str) -> Option<Vec<DeclaredDependency>> {
    match file_name(path) {
        "Cargo.toml" => cargo::manifest(text),
        "package.json" => npm::manifest(text),
        "go.mod" => Some(go::manifest(text)),
        "pom.xml" | "build.gradle" | "build.gradle.kts" | "libs.versions.toml" => jvm::manifest(path, text),
        _ => python::manifest(path, text),
    }
}

/// Reads a lock file; `None` where it cannot be read.
fn locked(path: &str, text: &str) -> Option<Vec<LockedPackage>> {
    match file_name(path) {
        "Cargo.lock" => cargo::lock(text),
        "package-lock.json" | "npm-shrinkwrap.json" => npm::package_lock(text),
        "yarn.lock" => npm::yarn_lock(text),
        "pnpm-lock.yaml" => npm::pnpm_lock(text),
        "Pipfile.lock" => python::pipfile_lock(text),
        "poetry.lock" | "uv.lock" => python::lock(text),
        "go.sum" => Some(go::sums(text)),
        _ => None,
    }
}

fn lock(
    file: &FileVersions,
    ecosystem: &'static Ecosystem,
    change: &SecurityChange,
    asked: &RequestedChanges,
    report: &mut FindingCollector,
) {
    let path = &file.path;
    let Some(after) = &file.after else {
        report.warn(
            "lock-changed",
            path,
            None,
            "The lock file is gone: nothing says any more which versions belong to this tree.".to_owned(),
        );
        return;
    };
    let Some(now) = locked(path, after) else {
        report.warn(
            "lock-changed",
            path,
            None,
            "The lock file cannot be read, so the packages that it installs are unknown.".to_owned(),
        );
        return;
    };
    let before = file.before.as_deref().and_then(|text| locked(path, text)).unwrap_or_default();
    let known: BTreeSet<(&str, &str)> = before.iter().map(LockedPackage::id).collect();
    let new: Vec<&LockedPackage> = now.iter().filter(|entry| !known.contains(&entry.id())).collect();
    if !new.is_empty() {
        let names = listed(new.iter().map(|entry| format!("{} {}", entry.name, entry.version)));
        let what = if new.len() == 1 { "1 version".to_owned() } else { format!("{} versions", new.len()) };
        report.note("lock-changed", path, None, format!("The lock file brings {what} that the base has not: {names}."));
    }
    let old_scripts: BTreeSet<&str> = before.iter().filter(|entry| entry.script).map(|entry| &*entry.name).collect();
    let scripts = new.iter().filter(|entry| entry.script && !old_scripts.contains(&*entry.name));
    let scripts: Vec<String> = scripts.map(|entry| format!("{} {}", entry.name, entry.version)).collect();
    if !scripts.is_empty() {
        let message = format!("Packages that run a script when they are installed are new: {}.", listed(scripts));
        report.note("install-script", path, None, message);
    }
    if file.before.is_some() && !new.is_empty() && !manifest_changes(ecosystem, change) {
        let message =
            "The lock file changed and no manifest did: see that this is an update that was meant.".to_owned();
        report.note("lock-alone", path, None, message);
    }
    sources(path, after, ecosystem, (&before, &now), (change, asked), report);
    sums(path, after, (&before, &now), asked, report);
}

fn is_manifest_of(ecosystem: &Ecosystem, path: &str) -> bool {
    ecosystem_of(path).is_some_and(|(of_path, is_lock)| of_path.id == ecosystem.id && !is_lock)
}

fn manifest_changes(ecosystem: &'static Ecosystem, change: &SecurityChange) -> bool {
    change.files.iter().any(|file| is_manifest_of(ecosystem, &file.path))
}

impl LockedPackage {
    fn id(&self) -> (&str, &str) {
        (&self.name, &self.version)
    }

    fn line(&self, text: &str) -> Option<u32> {
        line_with(text, &[&self.name, &self.version]).or_else(|| line_with(text, &[&self.name]))
    }
}

/// Words by which a specification asks for a change of lock files.
const LOCK_WORDS: [&str; 8] =
    ["lock", "lockfile", "registry", "registries", "mirror", "integrity", "checksum", "vendored"];

/// Finds entries that lead elsewhere than to the registry, without anything that says so.
fn sources(
    path: &str,
    text: &str,
    ecosystem: &'static Ecosystem,
    (before, now): (&[LockedPackage], &[LockedPackage]),
    (change, asked): (&SecurityChange, &RequestedChanges),
    report: &mut FindingCollector,
) {
    let old: BTreeMap<(&str, &str), &str> = before.iter().map(|entry| (entry.id(), &*entry.source)).collect();
    let hosts: BTreeSet<&str> = before.iter().map(|entry| host_of(&entry.source)).collect();
    let mut told = BTreeSet::new();
    for entry in now.iter().filter(|entry| entry.source.contains("://")) {
        let host = host_of(&entry.source);
        let same = old.get(&entry.id()).is_some_and(|source| host_of(source) == host);
        if same || is_registry(ecosystem, &entry.source) || hosts.contains(host) || !told.insert(host.to_owned()) {
            continue;
        }
        let address = quote(&without_login(&entry.source));
        let moved = if old.contains_key(&entry.id()) { ", and did not in the base" } else { "" };
        let message = format!(
            "The lock file takes {} from {address}, which is not the registry{moved}. Lock it anew from the registry, or say in a manifest or in the package manager's settings that it comes from there.",
            quote(&format!("{} {}", entry.name, entry.version)),
        );
        let certainty = if declares(change, host) { Certainty::Likely } else { asked.soften(path, &LOCK_WORDS) };
        report.fault("lock-source", certainty, path, entry.line(text), message);
    }
}

/// Returns whether a manifest or the package manager's settings speak of a host, before or after the change.
fn declares(change: &SecurityChange, host: &str) -> bool {
    let changed = change.files.iter().flat_map(|file| {
        let texts = [file.before.as_deref(), file.after.as_deref()];
        texts.into_iter().flatten().map(|text| (&*file.path, text))
    });
    let beside = change.beside.iter().map(|(path, text)| (&**path, &**text));
    changed.chain(beside).any(|(path, text)| {
        let manifest = ecosystem_of(path).is_some_and(|(_, lock)| !lock);
        // `owner/name` and `github:owner/name` are repositories of GitHub.
        (manifest || registry::reads(path)) && (text.contains(host) || host == "github.com" && text.contains("github:"))
    })
}

/// Finds entries whose check sums went, or became others for the same version.
fn sums(
    path: &str,
    text: &str,
    (before, now): (&[LockedPackage], &[LockedPackage]),
    asked: &RequestedChanges,
    report: &mut FindingCollector,
) {
    let mut old: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for entry in before {
        old.entry(entry.id()).or_default().extend(entry.sums.iter().map(String::as_str));
    }
    let mut new: BTreeMap<(&str, &str), BTreeSet<&str>> = BTreeMap::new();
    for entry in now {
        new.entry(entry.id()).or_default().extend(entry.sums.iter().map(String::as_str));
    }
    // A package that comes from a folder now needs none; npm itself has been seen to drop source and sum together.
    let fetched = |id: &(&str, &str)| now.iter().any(|entry| entry.id() == *id && !is_local(&entry.source));
    let changed: Vec<((&str, &str), ChecksumLoss)> = new
        .iter()
        .filter_map(|(id, sums)| {
            let old = old.get(id).filter(|old| !old.is_empty())?;
            let loss = match sums.is_empty() {
                true if fetched(id) => ChecksumLoss::Gone,
                true => ChecksumLoss::Perhaps,
                false if contradict(old, sums) => ChecksumLoss::Other,
                false => return None,
            };
            Some((*id, loss))
        })
        .collect();
    for loss in [ChecksumLoss::Gone, ChecksumLoss::Perhaps, ChecksumLoss::Other] {
        let of_kind: Vec<(&str, &str)> = changed.iter().filter(|(_, kind)| *kind == loss).map(|(id, _)| *id).collect();
        let Some((name, version)) = of_kind.first() else { continue };
        let names = listed(of_kind.iter().map(|(name, version)| format!("{name} {version}")));
        let line = line_with(text, &[name, version]).or_else(|| line_with(text, &[name]));
        let message = match loss {
            ChecksumLoss::Other => format!(
                "The check sums of {names} became others although the version is the same: a registry does not do that. Lock it anew, and look at what is delivered."
            ),
            _ => format!(
                "The lock file has lost the check sums of {names}: whatever is delivered would be installed. Lock it anew."
            ),
        };
        match loss {
            ChecksumLoss::Perhaps => report.warn("lock-integrity", path, line, message),
            _ => report.fault("lock-integrity", asked.soften(path, &LOCK_WORDS), path, line, message),
        }
    }
}

/// What became of a check sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChecksumLoss {
    /// It is gone from a package that is fetched.
    Gone,
    /// It is gone, and so is where the package comes from.
    Perhaps,
    /// It is another one.
    Other,
}

fn is_local(source: &str) -> bool {
    source.is_empty() || source.starts_with("file:") || source.starts_with("link:") || source.starts_with("git")
}

/// Returns whether check sums of one algorithm have nothing in common. More of them, or a better algorithm, is progress.
fn contradict(old: &BTreeSet<&str>, new: &BTreeSet<&str>) -> bool {
    fn algorithm(sum: &str) -> &str {
        sum.split_once([':', '-']).map_or("", |(algorithm, _)| algorithm)
    }
    let shared = |algorithm_of: &str| old.iter().any(|sum| algorithm(sum) == algorithm_of);
    let comparable: Vec<&&str> = new.iter().filter(|sum| shared(algorithm(sum))).collect();
    !comparable.is_empty() && !comparable.iter().any(|sum| old.contains(**sum))
}

#[cfg(test)]
mod tests;
