//! Installs what a project depends on, in a copy of it, and keeps the result.
//!
//! `assize-ecosystem` plans the commands. They run in the sandbox with the network on, where the project stands, once for
//! all files that shape the result. What they leave is kept in the cache: folders of dependencies, which gates get
//! read-only, and other files that were not in the tree, such as compiled modules. If the plan of the change is that of
//! the base, both have what was installed for the base: code of the change has no part in it. This module must not know
//! any package manager.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use assize_core::path::within;
use assize_core::text::make_visible;
use assize_ecosystem::preparation::{PreparationPlan, ProjectView};
use assize_ecosystem::{ECOSYSTEMS, cache_folders, installs, scratch_folders};
use assize_gate::gate::{Gate, GateCommand, Setup};

use super::PreparedWorktree;
use crate::sandbox::{Sandbox, SandboxJob, SandboxLimits, remove};
use crate::work_copy::{CopyError, WorkCopy, copy_tree};

/// Seconds that an installation may take.
pub const PREPARATION_SECONDS: u64 = 900;
/// The most files outside of dependency folders that are kept.
pub const CREATED_FILES_MAX: usize = 5_000;
/// The most bytes of such a file.
pub const CREATED_FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Where an installation finds the packages that earlier ones downloaded.
const PACKAGES_INSIDE: &str = "/assize/packages";
/// Variables that say where packages come from, beside those of every job. One with a password in its value is left out.
const SOURCES: [&str; 22] = [
    "ALL_PROXY",
    "CARGO_HTTP_CAINFO",
    "CURL_CA_BUNDLE",
    "GONOSUMDB",
    "GOPROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NODE_EXTRA_CA_CERTS",
    "NO_PROXY",
    "PIP_CERT",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "PIP_INDEX_URL",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "UV_DEFAULT_INDEX",
    "UV_INDEX",
    "UV_INDEX_URL",
    "http_proxy",
    "https_proxy",
    "npm_config_registry",
];
/// The variable by which pip, from version 26 on, takes nothing newer than a day.
const NEWEST_FOR_PIP: &str = "PIP_UPLOADED_PRIOR_TO";
/// Makes an environment, whose pip may know nothing of that.
const ENVIRONMENT: &str = "python3 -m venv .venv";
/// Has it a pip that does.
const NEW_PIP: &str =
    "env -u PIP_UPLOADED_PRIOR_TO .venv/bin/python -m pip install --quiet --upgrade pip || echo 'pip stays as it is'";
/// Has the package of pyright download what it needs while there is a network.
const PYRIGHT: &str = "[ ! -x .venv/bin/pyright ] || env PYRIGHT_PYTHON_CACHE_DIR=\"$PWD/.venv/pyright\" .venv/bin/pyright \
     --version || echo 'pyright stays as it is'";
/// Keeps a package manager that was fetched for the installation at hand, as `$2`: scripts of the project call it.
const MANAGER: &str = "{ npm install --silent --no-save --no-package-lock --prefix node_modules/.manager $1 && \
     mkdir -p node_modules/.bin && ln -sf ../.manager/node_modules/.bin/$2 node_modules/.bin/$2; } || echo '$2 stays away'";
/// Has npm install what it can, where packages that serve the development alone are gone from the registry: a linter's
/// settings must not keep the tests from running. Versions are those of a lock file that npm reads. `$1` is what the usual
/// installation said, `$2` the folder with the manifest of the base, where a change is installed: it does not choose what is
/// left out. `$3` is an option for what other package managers let pass.
const WITHOUT_GONE_PACKAGES: &str = r#"
gone_of() {
  sed -n "s/.* 404 .*'\(@\{0,1\}[^'@ ]*\)@[^']*' .*/\1/p; s/.*No matching version found for \(@\{0,1\}[^@ ]*\)@.*/\1/p" | head -n 1
}
wanted() { npm pkg get "devDependencies[$1]"; }
is_gone_in_base() {
  before=$(cd "$base" && wanted "$1" | sed -n 's/^"\(.*\)"$/\1/p')
  [ -n "$before" ] && { [ "$(wanted "$1")" = "\"$before\"" ] || [ -z "$(npm view "$1@$before" version 2>/dev/null)" ]; }
}
base=$2
grep -qE '\b404\b|ETARGET|No matching version|NO_MATCHING_VERSION' "$1" || exit 1
own=package-lock.json
[ ! -e $own ] || own=
for _ in 1 2 3; do
  said=$(npm install --ignore-scripts $3 2>&1) && rm -f $own && exit 0
  printf '%s\n' "$said" >&2
  gone=$(printf '%s\n' "$said" | gone_of)
  [ -n "$gone" ] && wanted "$gone" | grep -q '"' || exit 1
  [ -z "$2" ] || is_gone_in_base "$gone" || exit 1
  echo "$gone is gone from the registry and is left out"
  npm pkg delete "devDependencies[$gone]"
done
exit 1
"#;
/// Where builds are told the version of a project in place of asking git.
const VERSIONS: [&str; 5] = [
    "SETUPTOOLS_SCM_PRETEND_VERSION",
    "PBR_VERSION",
    "PDM_BUILD_SCM_VERSION",
    "POETRY_DYNAMIC_VERSIONING_BYPASS",
    "UV_DYNAMIC_VERSIONING_BYPASS",
];
/// The version of a project whose tags name none.
const NO_VERSION: &str = "0.0.0";
/// Caches of package managers, by the variables that place them.
const CACHES: [(&str, &str); 6] = [
    ("PIP_CACHE_DIR", "pip"),
    ("UV_CACHE_DIR", "uv"),
    ("npm_config_cache", "npm"),
    ("YARN_CACHE_FOLDER", "yarn"),
    ("npm_config_store_dir", "pnpm"),
    // Version 11 of pnpm has variables of its own.
    ("pnpm_config_store_dir", "pnpm"),
];
/// Ecosystems whose packages are fetched into a store of the user's without running code of the project. Others that
/// have no folder of their own for packages are not prepared: their build scripts could write into the store.
const FETCHED: [&str; 2] = ["cargo", "go"];
/// Parts of a store of packages that an installation adds to.
const STORES: [&str; 3] = ["registry", "git", "pkg/mod"];

/// How dependencies are installed.
#[derive(Debug, Clone)]
pub struct PreparationTerms {
    /// Whether they are.
    pub mode: PreparationMode,
    /// Where results are kept. Without a folder nothing is installed.
    pub cache: Option<PathBuf>,
    /// Further variables of this process that installations get.
    pub variables: BTreeSet<String>,
    /// How long one installation may take, in seconds.
    pub seconds: u64,
}

impl PreparationTerms {
    /// Returns where results are kept, if anything is installed: environments hold the path at which they were made.
    pub(super) fn usable_cache(&self, sandbox: &Sandbox) -> Option<&Path> {
        let is_wanted = self.mode == PreparationMode::Auto && sandbox.level().tier.has_namespaces();
        self.cache.as_deref().filter(|_| is_wanted)
    }
}

/// Whether dependencies are installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PreparationMode {
    /// Where the tree has none.
    #[default]
    Auto,
    /// Never.
    Off,
}

/// What is known of the source whose dependencies are installed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceState {
    /// Its version, as its tags say.
    pub version: Option<String>,
    /// The end of the day on which it was written, as `2024-05-31T23:59:59Z`, if that was long ago: what was published
    /// later was not meant.
    pub day: Option<String>,
}

/// What an installation came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparationResult {
    /// The plan.
    pub plan: PreparationPlan,
    /// Why it failed, if it did.
    pub failure: Option<String>,
}

/// The list of what is kept of an installation.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
struct PreparedEntry {
    /// Dependency folders, relative to the root.
    folders: Vec<String>,
    /// Other files.
    files: Vec<String>,
}

impl PreparedWorktree {
    /// Returns the command that installs what a gate depends on, and what it says that it lacks.
    pub(super) fn ready_by(&self, setup: &Setup, command: &GateCommand, complaint: &str) -> Option<String> {
        Some(self.plan(setup, command)?.line_with_missing(complaint))
    }

    fn plan(&self, setup: &Setup, command: &GateCommand) -> Option<PreparationPlan> {
        let view = ProjectView {
            files: &self.project.files,
            text: &|path| self.project.manifests.get(path).map(String::as_str),
            has_program: &|name| self.project.programs.contains(name),
        };
        PreparationPlan::of(command.ecosystem()?, &setup.folder, &view)
    }

    /// Plans what has to be installed for gates. What the user's tree has already is not planned.
    pub fn plans(&self, gates: &[(&dyn Gate, Setup)]) -> BTreeSet<PreparationPlan> {
        let planned = |(gate, setup): &(&dyn Gate, Setup)| self.plan(setup, &gate.command(setup, &self.project));
        let is_there = |plan: &PreparationPlan| {
            let ecosystem = ECOSYSTEMS.iter().find(|it| it.id == plan.ecosystem);
            ecosystem.is_some_and(|it| {
                it.dependency_folders.iter().any(|name| {
                    let path =
                        if plan.folder.is_empty() { (*name).to_owned() } else { format!("{}/{name}", plan.folder) };
                    self.dependencies.iter().any(|(_, inside)| *inside == path)
                })
            })
        };
        let is_safe = |plan: &PreparationPlan| !plan.creates.is_empty() || FETCHED.contains(&plan.ecosystem);
        gates.iter().filter_map(planned).filter(|plan| is_safe(plan) && !is_there(plan)).collect()
    }

    /// Installs what is planned, or takes what was installed for the same before.
    ///
    /// # Errors
    ///
    /// Fails if the copy cannot be used. An installation that fails is not an error.
    pub fn prepare(
        &mut self,
        plans: &BTreeSet<PreparationPlan>,
        sandbox: &Sandbox,
        terms: &PreparationTerms,
        (source, base): (&SourceState, Option<&WorkCopy>),
        printed: &mut dyn FnMut(&PreparationPlan, &str),
    ) -> Result<Vec<PreparationResult>, CopyError> {
        let Some(cache) = terms.usable_cache(sandbox) else { return Ok(Vec::new()) };
        let mut results = Vec::new();
        for plan in plans {
            let folder = cache.join("prepared-5").join(self.preparation_key(plan, source));
            let mut printed = |text: &str| printed(plan, text);
            let mut failure = None;
            if !folder.join("kept.json").is_file() {
                for (source, makes_do) in attempts(plan, source) {
                    let is_gone = failure.as_ref().is_some_and(|failure: &InstallFailure| failure.names_gone);
                    if makes_do && plan.makeshift.is_empty() && !is_gone {
                        break;
                    }
                    let variables = variables(terms, &source);
                    failure = self.install(
                        (plan, base),
                        (sandbox, terms.seconds),
                        variables,
                        &folder,
                        makes_do,
                        &mut printed,
                    )?;
                    if failure.is_none() {
                        break;
                    }
                }
            }
            if failure.is_none() {
                self.take(&folder)?;
            }
            results.push(PreparationResult { plan: plan.clone(), failure: failure.map(|failure| failure.said) });
        }
        Ok(results)
    }

    /// Hashes everything that shapes the result of an installation.
    fn preparation_key(&self, plan: &PreparationPlan, source: &SourceState) -> String {
        let mut hash = blake3::Hasher::new();
        let mut add = |part: &[u8]| {
            hash.update(&(part.len() as u64).to_le_bytes()).update(part);
        };
        for part in [plan.ecosystem, &plan.folder, &plan.because, std::env::consts::ARCH, std::env::consts::OS] {
            add(part.as_bytes());
        }
        add(self.place.as_os_str().as_encoded_bytes());
        plan.commands.iter().for_each(|command| add(command.as_bytes()));
        for path in &plan.inputs {
            add(path.as_bytes());
            add(self.hash(path).map_or([0; 32], |hash| *hash.as_bytes()).as_slice());
        }
        add(source.version.as_deref().unwrap_or_default().as_bytes());
        add(source.day.as_deref().unwrap_or_default().as_bytes());
        for folder in &self.search_path {
            for name in ["python3", "node", "cargo"] {
                let Ok(real) = folder.join(name).canonicalize() else { continue };
                add(real.as_os_str().as_encoded_bytes());
                add(&fs::metadata(&real).map_or(0, |meta| meta.len()).to_le_bytes());
            }
        }
        hash.finalize().to_hex().to_string()
    }

    /// Runs the commands of a plan in a copy, and keeps what they leave. Returns why that failed, if it did.
    fn install(
        &self,
        (plan, base): (&PreparationPlan, Option<&WorkCopy>),
        (sandbox, seconds): (&Sandbox, u64),
        variables: BTreeMap<String, String>,
        folder: &Path,
        makes_do: bool,
        printed: &mut dyn FnMut(&str),
    ) -> Result<Option<InstallFailure>, CopyError> {
        let io = |path: &Path| {
            let path = path.to_owned();
            move |error| CopyError::Io { path, error }
        };
        let copy = match base {
            Some(base) => self.declared_in(base, plan)?,
            None => self.copy.again()?,
        };
        let reports = copy.beside("prepared")?;
        let work = copy.path();
        let commands = if makes_do && !plan.makeshift.is_empty() { &plan.makeshift } else { &plan.commands };
        let mut commands: Vec<&str> = commands.iter().map(|command| without_scripts(command, base.is_some())).collect();
        if let Some(at) = commands.iter().position(|command| *command == ENVIRONMENT)
            && variables.contains_key(NEWEST_FOR_PIP)
        {
            commands.insert(at + 1, NEW_PIP);
        }
        if plan.ecosystem == "python" {
            commands.push(PYRIGHT);
        }
        let manager = commands.first().and_then(|command| kept_manager(command));
        commands.extend(manager.as_deref());
        let script = if plan.ecosystem == "node" && !commands.is_empty() {
            let inside = sandbox.reports_inside(&reports).display().to_string();
            let of_base =
                base.and_then(|base| base.text(&within(&plan.folder, "package.json"), CREATED_FILE_BYTES_MAX));
            let of_base = of_base.map(|text| {
                let folder = reports.join("base");
                let path = folder.join("package.json");
                fs::create_dir_all(&folder).and_then(|()| fs::write(&path, text)).map_err(io(&path))
            });
            let base_inside = of_base.transpose()?.map_or_else(String::new, |()| format!("{inside}/base"));
            node_script(&commands, &inside, &base_inside, makes_do)
        } else {
            format!("set -e\n{}\n", commands.join("\n"))
        };
        let mut job = SandboxJob::new("/bin/sh", &["-c", &script], &work, &reports);
        job.place.clone_from(&self.place);
        job.folder.clone_from(&plan.folder);
        job.network = true;
        job.limits = SandboxLimits { wall_seconds: seconds, ..SandboxLimits::default() };
        job.environment = variables;
        self.show_brought(&mut job);
        if let Some(toolchain) = super::rust_toolchain::chosen_by(&self.copy) {
            job.environment.entry("RUSTUP_TOOLCHAIN".to_owned()).or_insert(toolchain);
        }
        // Packages that code of one project has downloaded are of no use to another one.
        let of_project = blake3::hash(self.place.as_os_str().as_encoded_bytes()).to_hex();
        let around = folder.parent().and_then(Path::parent).unwrap_or(folder);
        let packages = match base {
            Some(_) => copy.beside("packages")?,
            None => around.join("packages-1").join(&of_project[..16]),
        };
        fs::create_dir_all(&packages).map_err(io(&packages))?;
        job.writable.push((packages, PathBuf::from(PACKAGES_INSIDE)));
        for store in self.stores(plan) {
            fs::create_dir_all(&store).map_err(io(&store))?;
            job.writable.push((store.clone(), store));
        }
        let tools: BTreeSet<PathBuf> = self.search_path.iter().flat_map(|folder| super::tool_folders(folder)).collect();
        job.read_only.extend(tools.into_iter().map(|folder| (folder.clone(), folder)));
        let result = match sandbox.run(&job, &mut |chunk| printed(&String::from_utf8_lossy(chunk.bytes))) {
            Ok(result) => result,
            Err(error) => return Ok(Some(InstallFailure { said: error.to_string(), names_gone: false })),
        };
        if result.status != Some(0) {
            let text = [result.stdout.as_slice(), b"\n", result.stderr.as_slice()].concat();
            let limit = result.limit_reached.map(|limit| format!("{limit} was reached; "));
            let text = String::from_utf8_lossy(&text);
            let said = format!("{}{}", limit.unwrap_or_default(), complaint(&text));
            return Ok(Some(InstallFailure { said, names_gone: names_gone(&text) }));
        }
        let half = folder.with_extension(crate::random::fresh_word());
        // What the base has and the change deletes was not installed.
        let known: BTreeSet<String> = self.copy.files().union(copy.files()).cloned().collect();
        let kept = match keep(&work, &known, &half) {
            Ok(kept) => kept,
            Err(error) => {
                let _ = remove(&half);
                let said = format!("what was installed cannot be kept: {error}");
                return Ok(Some(InstallFailure { said, names_gone: false }));
            }
        };
        let list = serde_json::to_vec(&kept).unwrap_or_default();
        fs::write(half.join("kept.json"), list).map_err(io(&half))?;
        if fs::rename(&half, folder).is_err() {
            // Another process was faster.
            let _ = remove(&half);
        }
        Ok(None)
    }

    /// Makes the copy in which the dependencies of a change are installed: the base with what the change declares. No
    /// code of the change runs there: what it installs could reach the runner of the tests that it is judged by. What it
    /// declares may name files that the base does not have, such as a package or a text about it: they are there, and empty.
    fn declared_in(&self, base: &WorkCopy, plan: &PreparationPlan) -> Result<WorkCopy, CopyError> {
        let mut copy = base.again()?;
        for path in self.copy.files().difference(base.files()).filter(|path| !plan.inputs.contains(*path)) {
            copy.write(path, "")?;
        }
        for path in plan.inputs.iter().filter(|path| !path.ends_with(".py")) {
            copy.take_from(&self.copy, path)?;
        }
        Ok(copy)
    }

    /// Returns the stores that a plan adds packages to, where it fills no folder of the project.
    fn stores(&self, plan: &PreparationPlan) -> Vec<PathBuf> {
        let ecosystem = ECOSYSTEMS.iter().find(|it| it.id == plan.ecosystem);
        let Some(ecosystem) = ecosystem.filter(|it| FETCHED.contains(&it.id)) else {
            return Vec::new();
        };
        let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        let own = |variable: &str| ecosystem.installs.iter().any(|install| install.variable == variable);
        let stores = installs().filter(|install| ecosystem.installs.iter().any(|of| of.folder == install.folder));
        stores
            .filter(|install| install.variable.is_empty() || own(install.variable))
            .flat_map(|install| {
                let named = std::env::var_os(install.variable).filter(|value| !value.is_empty()).map(PathBuf::from);
                let root = named.unwrap_or_else(|| home.join(install.folder));
                let parts = install.parts.iter().filter(|part| STORES.contains(part));
                parts.map(move |part| root.join(part)).collect::<Vec<_>>()
            })
            .filter(|path| path.is_absolute())
            .collect()
    }

    /// Shows gates what was kept of an installation.
    fn take(&mut self, folder: &Path) -> Result<(), CopyError> {
        let list = folder.join("kept.json");
        let kept: PreparedEntry = fs::read(&list)
            .and_then(|bytes| serde_json::from_slice(&bytes).map_err(io::Error::from))
            .map_err(|error| CopyError::Io { path: list, error })?;
        for file in kept.files {
            let (from, to) = (folder.join("tree").join(&file), self.copy.path().join(&file));
            if let Some(parent) = to.parent() {
                fs::create_dir_all(parent).map_err(|error| CopyError::Io { path: parent.to_owned(), error })?;
            }
            fs::copy(&from, &to).map_err(|error| CopyError::Io { path: to, error })?;
        }
        let folders = kept.folders.into_iter().map(|inside| (folder.join("tree").join(&inside), inside));
        self.add_dependencies(folders.collect());
        Ok(())
    }
}

/// Returns the script that runs commands of npm or another manager of its packages. It keeps what they say in a folder of
/// reports, and may then leave out what is gone, unless the base says that it is not.
fn node_script(commands: &[&str], reports: &str, base: &str, leaves_out: bool) -> String {
    let is_npm = commands.iter().all(|command| command.starts_with("npm "));
    let peers = if is_npm { "" } else { "--legacy-peer-deps" };
    let fallback = if leaves_out { WITHOUT_GONE_PACKAGES } else { "exit 1" };
    // What one command tries in place of another is its own matter.
    let commands: Vec<String> = commands.iter().map(|command| format!("{{ {command}; }}")).collect();
    format!(
        "{{ {{ {}; }} 2>&1; echo $? > '{reports}/status'; }} | tee '{reports}/said'\n\
         [ \"$(cat '{reports}/status')\" != 0 ] || exit 0\nset -- '{reports}/said' '{base}' {peers}\n{fallback}",
        commands.join(" && ")
    )
}

/// Returns the command that keeps the package manager of an installation, if it was fetched for it.
fn kept_manager(command: &str) -> Option<String> {
    let package = command.strip_prefix("npx --yes ")?.split(' ').next()?;
    let name = if package.starts_with("@yarnpkg/") { "yarn" } else { package.split('@').next()? };
    Some(MANAGER.replace("$1", package).replace("$2", name))
}

/// Returns the part of a command that runs no scripts of packages, if there is one and it is wanted.
fn without_scripts(command: &str, is_wanted: bool) -> &str {
    let runs_none = |command: &str| ["--ignore-scripts", "--mode=skip-build"].iter().any(|it| command.contains(it));
    let quiet = command.split_once(" || ").filter(|(_, quiet)| is_wanted && runs_none(quiet));
    quiet.map_or(command, |(_, quiet)| quiet)
}

/// How an installation is tried, one after the other: with the versions of the day on which the source was written, if no lock
/// file says which there are; with those of today, since registries may not know when they got what they have; and at last
/// making do with what can be had: without packages of npm that are gone, for one may only seem too new, and without building
/// the project.
fn attempts(plan: &PreparationPlan, source: &SourceState) -> Vec<(SourceState, bool)> {
    let of_today = SourceState { day: None, ..source.clone() };
    let is_dated = source.day.is_some() && !plan.because.contains("lock");
    let sources: Vec<_> = is_dated.then(|| source.clone()).into_iter().chain([of_today]).collect();
    let may_make_do = plan.ecosystem == "node" || !plan.makeshift.is_empty();
    let ways = [false, true].into_iter().filter(|makes_do| may_make_do || !makes_do);
    ways.flat_map(|makes_do| sources.iter().cloned().map(move |source| (source, makes_do))).collect()
}

/// Why an installation failed.
struct InstallFailure {
    /// What it said.
    said: String,
    /// Whether that was a package or a version that the registry does not know.
    names_gone: bool,
}

/// Returns whether an installation says that the registry does not know a package or a version.
fn names_gone(failure: &str) -> bool {
    ["404", "ETARGET", "No matching version", "NO_MATCHING_VERSION"].iter().any(|word| failure.contains(word))
}

/// The variables of an installation. `version` is that of the project, for tools that ask git for it.
pub(super) fn variables(terms: &PreparationTerms, source: &SourceState) -> BTreeMap<String, String> {
    let mut variables: BTreeMap<String, String> = SOURCES
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), std::env::var(name).ok()?)))
        .filter(|(_, value)| !value.contains('@'))
        .collect();
    let named = terms.variables.iter().filter_map(|name| Some((name.clone(), std::env::var(name).ok()?)));
    variables.extend(named);
    variables.extend(CACHES.map(|(name, folder)| (name.to_owned(), format!("{PACKAGES_INSIDE}/{folder}"))));
    let fixed = [
        ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
        ("PIP_NO_INPUT", "1"),
        ("PYTHONDONTWRITEBYTECODE", "1"),
        ("UV_PYTHON_DOWNLOADS", "never"),
        ("npm_config_audit", "false"),
        ("npm_config_fund", "false"),
        ("npm_config_update_notifier", "false"),
        ("HUSKY", "0"),
        ("LEFTHOOK", "0"),
    ];
    variables.extend(fixed.map(|(name, value)| (name.to_owned(), value.to_owned())));
    // A copy has no history that a build could ask for its version.
    let version = source.version.as_deref().unwrap_or(NO_VERSION);
    for name in VERSIONS {
        variables.entry(name.to_owned()).or_insert_with(|| version.to_owned());
    }
    if let Some(day) = source.day.as_deref() {
        for name in [NEWEST_FOR_PIP, "UV_EXCLUDE_NEWER", "npm_config_before"] {
            variables.entry(name.to_owned()).or_insert_with(|| day.to_owned());
        }
    }
    variables
}

/// Returns the lines of an output that say what went wrong.
fn complaint(text: &str) -> String {
    let text = make_visible(text);
    let is_telling = |line: &&str| line.to_lowercase().contains("error");
    let telling: Vec<&str> = text.lines().map(str::trim).filter(is_telling).take(2).collect();
    let said = if telling.is_empty() { assize_core::text::ending(text.trim(), 300).into() } else { telling.join("; ") };
    assize_core::text::beginning(&said, 400).into_owned()
}

/// Moves what an installation made out of a tree.
fn keep(work: &Path, before: &BTreeSet<String>, to: &Path) -> io::Result<PreparedEntry> {
    const LEFT: [&str; 6] = ["__pycache__", ".git", "target", "build", "dist", ".gradle"];
    let names: BTreeSet<&str> = assize_ecosystem::dependency_folders().collect();
    let mut kept = PreparedEntry::default();
    let tree = to.join("tree");
    fs::create_dir_all(&tree)?;
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(work.join(&folder))?.flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            let path = within(&folder, &name);
            let meta = fs::symlink_metadata(entry.path())?;
            let was_there =
                || before.range(format!("{path}/")..).next().is_some_and(|it| it.starts_with(&format!("{path}/")));
            if meta.is_dir() && names.contains(name.as_str()) && !was_there() {
                let target = tree.join(&path);
                fs::create_dir_all(target.parent().unwrap_or(&tree))?;
                if fs::rename(entry.path(), &target).is_err() {
                    copy_tree(&entry.path(), &target)?;
                }
                // Once it is read-only, nothing can be shown at a path that is not there.
                let scratch = scratch_folders(|package| target.join(package).exists());
                for scratch in scratch.into_iter().chain(cache_folders(&name)) {
                    fs::create_dir_all(target.join(scratch))?;
                }
                kept.folders.push(path);
            } else if meta.is_dir() && !LEFT.contains(&name.as_str()) {
                folders.push(path);
            } else if meta.is_file() && !before.contains(&path) && meta.len() <= CREATED_FILE_BYTES_MAX {
                if kept.files.len() == CREATED_FILES_MAX {
                    continue;
                }
                let target = tree.join(&path);
                fs::create_dir_all(target.parent().unwrap_or(&tree))?;
                fs::copy(entry.path(), target)?;
                kept.files.push(path);
            }
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the fallback with an npm that knows no `@a/gone`. `base` is the manifest of the base of a change.
    fn without_gone(manifest: &str, base: Option<&str>, says: &str, has_lock: bool) -> (bool, String, bool) {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().expect("a folder");
        let at = |path: &str| folder.path().join(path);
        let npm = format!(
            "#!/bin/sh\ncase \"$1 $2\" in\n\"pkg get\") sed -n 's/^ *\"@a.gone\": *\\(\"[^\"]*\"\\).*/\\1/p' package.json ;;\n\
             \"pkg delete\") sed -i '/gone/d' package.json ;;\n\
             \"view \"*) [ \"$2\" != @a/gone@^6 ] || echo 6.0.0 ;;\n\
             *) ! grep -q gone package.json || {{ echo \"npm error {says}\"; exit 1; }}\nmkdir node_modules; echo > package-lock.json ;;\nesac\n"
        );
        fs::write(at("npm"), npm).expect("a file");
        fs::set_permissions(at("npm"), fs::Permissions::from_mode(0o755)).expect("a program");
        fs::write(at("package.json"), manifest).expect("a file");
        fs::write(at("said"), says).expect("a file");
        fs::create_dir(at("base")).expect("a folder");
        fs::write(at("base/package.json"), base.unwrap_or_default()).expect("a file");
        if has_lock {
            fs::write(at("package-lock.json"), "{}").expect("a file");
        }
        let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap_or_default());
        let of_base = if base.is_some() { "base" } else { "" };
        let mut shell = std::process::Command::new("/bin/sh");
        shell.args(["-c", WITHOUT_GONE_PACKAGES, "sh", "said", of_base]).env("PATH", path).current_dir(folder.path());
        let ran = shell.output().expect("a shell");
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        (ran.status.success() && at("node_modules").is_dir(), said, at("package-lock.json").exists())
    }

    #[test]
    fn an_installation_makes_do_only_where_none_of_today_helps() {
        let tried = |ecosystem, because: &str, day: Option<&str>| {
            let makeshift = (because == "setup.py").then_some("false");
            let plan = PreparationPlan {
                ecosystem,
                folder: String::new(),
                because: because.to_owned(),
                commands: Vec::new(),
                makeshift: makeshift.into_iter().map(str::to_owned).collect(),
                creates: Vec::new(),
                inputs: Vec::new(),
            };
            let source = SourceState { version: None, day: day.map(str::to_owned) };
            let attempts = attempts(&plan, &source).into_iter();
            attempts.map(|(source, makes_do)| (source.day.is_some(), makes_do)).collect::<Vec<_>>()
        };
        let day = Some("2024-05-31T23:59:59Z");
        assert_eq!(tried("node", "package.json", day), [(true, false), (false, false), (true, true), (false, true)]);
        assert_eq!(tried("node", "package.json", None), [(false, false), (false, true)]);
        assert_eq!(tried("node", "package-lock.json", day), [(false, false), (false, true)]);
        assert_eq!(tried("python", "requirements.txt", day), [(true, false), (false, false)]);
        assert_eq!(tried("python", "setup.py", day), [(true, false), (false, false), (true, true), (false, true)]);
    }

    #[test]
    fn a_manager_that_was_fetched_stays_at_hand() {
        for (command, package, name) in [
            ("npx --yes yarn@1 install --frozen-lockfile || x", "yarn@1", "yarn"),
            ("npx --yes @yarnpkg/cli-dist@4 install", "@yarnpkg/cli-dist@4", "yarn"),
            ("npx --yes pnpm@9.1.0 install", "pnpm@9.1.0", "pnpm"),
        ] {
            let kept = kept_manager(command).expect("a command");
            assert!(kept.contains(&format!("--prefix node_modules/.manager {package} &&")), "{kept}");
            assert!(kept.contains(&format!("node_modules/.bin/{name} node_modules/.bin/{name};")), "{kept}");
        }
        for command in ["npm ci", "pnpm install --frozen-lockfile"] {
            assert_eq!(kept_manager(command), None);
        }
    }

    #[test]
    fn an_installation_that_fails_is_not_well_because_its_manager_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let status = |commands: &[&str]| {
            let script = node_script(commands, ".", "", false);
            let mut shell = std::process::Command::new("/bin/sh");
            shell.args(["-c", &script]).current_dir(folder.path()).output().expect("a shell").status.code()
        };
        assert_eq!(status(&["false || false", "false || echo 'pnpm stays away'"]), Some(1));
        assert_eq!(status(&["false || true", "false || echo 'pnpm stays away'"]), Some(0));
        assert_eq!(status(&["true", "false || echo 'pnpm stays away'"]), Some(0));
    }

    #[test]
    fn packages_that_are_gone_keep_no_others_away() {
        let manifest = "{\n\"devDependencies\": {\n  \"@a/gone\": \"^7\",\n  \"b\": \"1\"\n}\n}\n";
        let notarget = "notarget No matching version found for @a/gone@^7.";
        let forbidden = "404  The requested resource '@a/gone@^7' could not be found or you do not have permission";
        for says in ["404  '@a/gone@^7' is not in this registry.", forbidden, notarget] {
            let (installed, said, locked) = without_gone(manifest, None, says, false);
            assert!(installed && !locked, "{says}: {said}");
            assert!(said.contains("@a/gone is gone from the registry and is left out"), "{said}");
        }
        assert!(without_gone(manifest, None, notarget, true).2, "a lock file of the project stays");
        assert!(without_gone(manifest, Some(manifest), notarget, false).0, "the base lacks it as well");
        for (before, is_installed) in [("^6", false), ("^5", true)] {
            let base = manifest.replace("^7", before);
            let (installed, ..) = without_gone(manifest, Some(&base), notarget, false);
            assert_eq!(installed, is_installed, "the base's {before} is there, or gone as well");
        }
        assert!(!without_gone(manifest, Some("{}"), notarget, false).0, "the base does not ask for it");
        assert!(!without_gone(manifest, None, "code ENOSPC", false).0, "it is not gone");
        assert!(!without_gone(manifest, None, "code ERESOLVE", false).0, "it is not gone");
        let of_another = "{ \"devDependencies\": { \"needs-gone\": \"1\" } }";
        assert!(!without_gone(of_another, None, notarget, false).0, "the project does not name it");
    }

    #[test]
    fn scripts_of_packages_are_left_out_where_a_change_is_installed() {
        for (command, is_of_change, run) in [
            ("npm ci || npm ci --ignore-scripts", true, "npm ci --ignore-scripts"),
            ("npm ci || npm ci --ignore-scripts", false, "npm ci || npm ci --ignore-scripts"),
            ("yarn install || yarn install --mode=skip-build", true, "yarn install --mode=skip-build"),
            ("cargo fetch --offline || cargo fetch", true, "cargo fetch --offline || cargo fetch"),
        ] {
            assert_eq!(without_scripts(command, is_of_change), run);
        }
    }

    #[test]
    fn old_sources_get_what_there_was() {
        let terms = PreparationTerms {
            mode: PreparationMode::Auto,
            cache: None,
            variables: BTreeSet::new(),
            seconds: PREPARATION_SECONDS,
        };
        for day in [Some("2024-05-31T23:59:59Z"), None] {
            let source = SourceState { version: None, day: day.map(str::to_owned) };
            assert_eq!(variables(&terms, &source).remove(NEWEST_FOR_PIP).as_deref(), day);
        }
    }

    #[test]
    fn what_a_change_declares_finds_its_files_and_none_of_its_code() {
        let folder = tempfile::tempdir().expect("a folder");
        let copy_of = |name: &str, files: &[(&str, &str)]| {
            for (path, text) in files {
                let path = folder.path().join(name).join(path);
                fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
                fs::write(path, text).expect("written");
            }
            let paths = files.iter().map(|(path, _)| (*path).to_owned());
            WorkCopy::of_folder(&folder.path().join(name), paths).expect("a copy")
        };
        let base = copy_of("base", &[("pyproject.toml", "old"), ("shop.py", "old"), ("setup.py", "old")]);
        let own = [("pyproject.toml", "new"), ("shop/__init__.py", "new"), ("README.md", "new"), ("setup.py", "new")];
        let change = PreparedWorktree::new(copy_of("change", &own), folder.path(), "", PathBuf::new());
        let inputs = vec!["pyproject.toml".to_owned(), "setup.py".to_owned()];
        let (folder, because, commands, creates) = (String::new(), String::new(), Vec::new(), Vec::new());
        let makeshift = Vec::new();
        let plan = PreparationPlan { ecosystem: "python", folder, because, commands, makeshift, creates, inputs };
        let copy = change.declared_in(&base, &plan).expect("a copy");
        let found: Vec<_> =
            copy.files().iter().map(|path| (path.as_str(), copy.text(path, 9).expect("text"))).collect();
        let expected = [
            ("README.md", ""),
            ("pyproject.toml", "new"),
            ("setup.py", "old"),
            ("shop.py", "old"),
            ("shop/__init__.py", ""),
        ];
        assert_eq!(found, expected.map(|(path, text)| (path, text.to_owned())));
    }

    #[test]
    fn what_an_installation_makes_is_kept_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |path: &str| folder.path().join(path);
        for path in
            ["work/.venv/bin/tool", "work/src/a.py", "work/src/_a.so", "work/build/x.o", "work/web/node_modules/b/c.js"]
        {
            fs::create_dir_all(at(path).parent().expect("a parent")).expect("a folder");
            fs::write(at(path), "x").expect("written");
        }
        std::os::unix::fs::symlink(at("secret"), at("work/link")).expect("a link");
        let before = BTreeSet::from(["src/a.py".to_owned()]);
        let mut kept = keep(&at("work"), &before, &at("kept")).expect("kept");
        kept.folders.sort();
        assert_eq!(
            (kept.folders, kept.files),
            (vec![".venv".to_owned(), "web/node_modules".to_owned()], vec!["src/_a.so".to_owned()])
        );
        assert!(at("kept/tree/web/node_modules/b/c.js").is_file() && !at("work/.venv").exists());
    }

    #[test]
    fn a_complaint_is_what_speaks_of_an_error() {
        let text = "Collecting a\nERROR: No matching distribution for b\nnote: c\n";
        assert_eq!(complaint(text), "ERROR: No matching distribution for b");
        assert_eq!(complaint("gone\n"), "gone");
    }
}
