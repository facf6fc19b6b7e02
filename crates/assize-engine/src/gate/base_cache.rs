//! The cache of gate results on base trees.
//!
//! A run on the same tree has the same result as long as everything else that shapes it is the same: the command, its
//! program, the dependencies of the user's tree, and the limits. If something were missing from the key, a review
//! would be compared with the result of another tool version. This module must not know what a result is worth.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use assize_gate::gate::{GateRun, GateState, GateTrouble};
use assize_gate::status_alone::is_status_alone;
use assize_report::REPORT_BYTES_MAX;

use super::{GateExecution, Planned, PreparedWorktree, RunTerms, is_program};
use crate::private_file;

/// The most entries of dependency folders that are hashed. For a project with more, nothing is cached.
pub const LENT_ENTRIES_MAX: usize = 50_000;
/// How long it counts that a base was not done in time: the machine may have been busy.
pub const TIMEOUT_KEPT: Duration = Duration::from_secs(3_600);
/// Programs that run other programs or are run by them. A gate's own program may be a script that does not change with
/// them.
const RUNTIMES: [&str; 12] = [
    "bun",
    "cargo",
    "cargo-clippy",
    "clippy-driver",
    "deno",
    "go",
    "java",
    "node",
    "python",
    "python3",
    "rustc",
    "rustfmt",
];
/// Variables that select one of several versions of a tool.
const CHOICES: [&str; 3] = ["RUSTUP_TOOLCHAIN", "JAVA_HOME", "GOROOT"];

/// Cached gate results on base trees.
#[derive(Debug)]
pub struct BaseCache {
    folder: Option<PathBuf>,
}

impl BaseCache {
    /// Opens the cache. Without a folder, nothing is cached.
    pub fn new(folder: Option<&Path>) -> Self {
        Self { folder: folder.map(|folder| folder.join("gates-2")) }
    }

    /// Returns the key of a gate's run on a tree, which hashes everything that shapes its result. `sandbox` names the
    /// sandbox; `variable` looks up an environment variable of this process. Returns `None` if something cannot be
    /// determined.
    pub fn key(
        tree: &str,
        planned: Planned<'_>,
        worktree: &PreparedWorktree,
        terms: &RunTerms,
        sandbox: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Option<String> {
        let Planned { gate, setup } = planned;
        let command = gate.command(setup, &worktree.project).with_test_seconds(terms.test_seconds);
        let mut key = BaseCacheKey::default();
        for part in [gate.id(), &setup.folder, &serde_json::to_string(&command).ok()?] {
            key.add(part.as_bytes());
        }
        key.add(serde_json::to_string(&terms.limits).ok()?.as_bytes());
        key.add(&[u8::from(terms.network)]);
        key.surroundings(tree, Some(&command.program), worktree, sandbox, variable)?;
        Some(key.finish())
    }

    /// Returns the key of the build output of a tree, which hashes what surrounds a build.
    pub fn build_key(
        tree: &str,
        worktree: &PreparedWorktree,
        sandbox: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Option<String> {
        let mut key = BaseCacheKey::default();
        key.surroundings(tree, None, worktree, sandbox, variable)?;
        Some(key.finish())
    }

    /// Returns the cached result.
    pub fn get(&self, key: &str) -> Option<GateExecution> {
        let path = self.path(key)?;
        let bytes = crate::regular_file::read(&path, REPORT_BYTES_MAX as u64).ok()?;
        let ran: GateExecution = serde_json::from_slice(&bytes).ok()?;
        let age = || path.metadata().ok()?.modified().ok()?.elapsed().ok();
        let is_current = !is_timeout(&ran.run) || age().is_some_and(|age| age < TIMEOUT_KEPT);
        is_current.then_some(ran)
    }

    /// Caches a result, unless the gate came to none. A base that was not done in time is not waited for again in the next
    /// hour. A program of the dependencies cannot find its tool until they change, which the key shows. If the result cannot be
    /// written, the next review only takes longer.
    pub fn put(&self, key: &str, ran: &GateExecution, is_dependency: bool) {
        let Some(path) = self.path(key) else { return };
        let is_settled =
            is_status_alone(&ran.run) || is_timeout(&ran.run) || is_dependency && is_missing_tool(&ran.run);
        if ran.run.state == GateState::Errored && !is_settled {
            return;
        }
        let _ = write_whole(&path, &serde_json::to_vec(ran).unwrap_or_default());
    }

    fn path(&self, key: &str) -> Option<PathBuf> {
        Some(self.folder.as_ref()?.join(key))
    }
}

/// Returns whether the tool is not there.
pub fn is_missing_tool(run: &GateRun) -> bool {
    run.trouble.as_ref().is_some_and(|(kind, _)| *kind == GateTrouble::MissingTool)
}

fn is_timeout(run: &GateRun) -> bool {
    run.trouble.as_ref().is_some_and(|(kind, _)| *kind == GateTrouble::TimedOut)
}

impl PreparedWorktree {
    /// Finds the file of a program as the sandbox does: on the search path, or among the dependencies.
    pub(super) fn program(&self, name: &str) -> Option<PathBuf> {
        if !name.contains('/') {
            return self.search_path.iter().map(|folder| folder.join(name)).find(|file| is_program(file));
        }
        let lent = |(host, inside): &(PathBuf, String)| Some(host.join(name.strip_prefix(inside)?.strip_prefix('/')?));
        self.dependencies.iter().find_map(lent)
    }

    /// Returns whether a program lies among the dependencies.
    pub fn is_dependency(&self, program: &str) -> bool {
        program.contains('/') && self.program(program).is_some()
    }
}

/// A key under construction.
#[derive(Default)]
struct BaseCacheKey(blake3::Hasher);

impl BaseCacheKey {
    fn add(&mut self, part: &[u8]) {
        self.0.update(&(part.len() as u64).to_le_bytes()).update(part);
    }

    fn finish(self) -> String {
        self.0.finalize().to_hex().to_string()
    }

    /// Adds the tree, where it stands, its dependencies, the tools, and `program` beside them. Returns `None` if something
    /// cannot be determined.
    fn surroundings(
        &mut self,
        tree: &str,
        program: Option<&str>,
        worktree: &PreparedWorktree,
        sandbox: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Option<()> {
        for part in [tree, &worktree.place.to_string_lossy(), sandbox, env!("CARGO_PKG_VERSION")] {
            self.add(part.as_bytes());
        }
        for folder in &worktree.search_path {
            self.add(folder.as_os_str().as_bytes());
        }
        for name in CHOICES {
            self.add(variable(name).unwrap_or_default().as_bytes());
        }
        let mut real = BTreeSet::new();
        for name in RUNTIMES.into_iter().chain(program) {
            self.add(name.as_bytes());
            real.extend(worktree.program(name).and_then(|program| self.stamp(&program)));
        }
        if real.iter().any(|program| program.ends_with("rustup")) {
            let home = variable("RUSTUP_HOME").map(PathBuf::from);
            let home = home.or_else(|| Some(Path::new(&variable("HOME")?).join(".rustup")))?;
            self.toolchains(&home);
        }
        let mut entries_left = LENT_ENTRIES_MAX;
        for (folder, inside) in &worktree.dependencies {
            self.add(inside.as_bytes());
            self.lent(folder, &mut entries_left)?;
        }
        Some(())
    }

    /// Adds the size, times and real path of a file, and returns that path. A change of the contents always changes
    /// one of the times.
    fn stamp(&mut self, path: &Path) -> Option<PathBuf> {
        self.add(path.file_name()?.as_bytes());
        let real = fs::canonicalize(path).ok()?;
        let meta = fs::metadata(&real).ok()?;
        self.add(real.as_os_str().as_bytes());
        self.add(&meta.len().to_le_bytes());
        for time in [meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec()] {
            self.add(&time.to_le_bytes());
        }
        Some(real)
    }

    /// Adds what rustup has installed and selected. Its proxies stay the same, whatever they lead to.
    fn toolchains(&mut self, home: &Path) {
        self.stamp(&home.join("settings.toml"));
        for toolchain in entries(&home.join("toolchains")) {
            for program in entries(&toolchain.join("bin")) {
                self.stamp(&program);
            }
        }
    }

    /// Adds the contents of a dependency folder, down to the folders of packages. Internal files of tools are skipped.
    /// Returns `None` beyond the limit.
    fn lent(&mut self, folder: &Path, entries_left: &mut usize) -> Option<()> {
        for entry in entries(folder) {
            *entries_left = entries_left.checked_sub(1)?;
            let name = entry.file_name().unwrap_or_default().to_string_lossy();
            let is_folder = fs::symlink_metadata(&entry).is_ok_and(|meta| meta.is_dir());
            let holds_packages = is_folder && holds_packages(&name);
            if is_folder && !holds_packages && (name.starts_with('.') || name == "__pycache__") {
                continue;
            }
            self.stamp(&entry);
            if holds_packages {
                self.lent(&entry, entries_left)?;
            }
        }
        Some(())
    }
}

/// Returns whether a folder inside a dependency folder contains packages or programs, and is not a package itself.
fn holds_packages(name: &str) -> bool {
    const NAMES: [&str; 5] = [".bin", ".pnpm", "bin", "lib", "site-packages"];
    NAMES.contains(&name) || name.starts_with('@') || name.starts_with("python")
}

/// The sorted entries of a folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// Writes a file atomically.
fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(path.parent().unwrap_or(path))?;
    private_file::replace(path, bytes)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use assize_gate::gate::Setup;
    use assize_gate::gate::declared::DeclaredGate;

    use super::*;
    use crate::sandbox::SandboxLimits;
    use crate::work_copy::WorkCopy;

    /// A machine with tools, and a tree with dependencies.
    struct BaseCacheFixture(tempfile::TempDir);

    #[test]
    fn a_base_that_was_not_done_in_time_is_not_waited_for_again_for_an_hour() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = BaseCache::new(Some(folder.path()));
        fs::create_dir_all(folder.path().join("gates-2")).expect("made");
        let ran = |kind| GateExecution {
            run: GateRun { state: GateState::Errored, trouble: Some((kind, "it hangs".to_owned())), report: None },
            time_ms: 1,
            command: String::new(),
            output: String::new(),
            ready_by: None,
        };
        for (kind, expected) in
            [(GateTrouble::TimedOut, true), (GateTrouble::Crashed, false), (GateTrouble::Machine, false)]
        {
            let key = format!("{kind:?}");
            cache.put(&key, &ran(kind), false);
            assert_eq!(cache.get(&key).is_some(), expected, "{kind:?}");
        }
        for is_dependency in [false, true] {
            cache.put("missing", &ran(GateTrouble::MissingTool), is_dependency);
            assert_eq!(cache.get("missing").is_some(), is_dependency, "another program may be installed at any time");
        }
        let file = fs::File::options().write(true).open(folder.path().join("gates-2/TimedOut")).expect("cached");
        for (age, expected) in [(TIMEOUT_KEPT - Duration::from_secs(60), true), (TIMEOUT_KEPT, false)] {
            file.set_modified(std::time::SystemTime::now() - age).expect("dated");
            assert_eq!(cache.get("TimedOut").is_some(), expected, "{age:?}");
        }
    }

    impl BaseCacheFixture {
        fn new() -> Self {
            let world = Self(tempfile::tempdir().expect("a folder"));
            for program in ["bin/lint", "cargo/rustup", "rustup/toolchains/stable/bin/rustc"] {
                world.write(program, "#!/bin/sh\n");
            }
            symlink("rustup", world.at("cargo/cargo")).expect("a link");
            world.write("rustup/settings.toml", "stable");
            world.write("tree/package.json", "{}");
            world.write("tree/.venv/pyvenv.cfg", "");
            world.write("tree/node_modules/@a/b/package.json", "{}");
            world.write("tree/node_modules/.bin/eslint", "#!/bin/sh\n");
            world
        }

        fn at(&self, path: &str) -> PathBuf {
            self.0.path().join(path)
        }

        fn write(&self, path: &str, text: &str) {
            let path = self.at(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(&path, text).expect("written");
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("set");
        }

        fn key_of(&self, tree: &str, program: &str, terms: &RunTerms, toolchain: &str) -> Option<String> {
            let files = vec!["package.json".to_owned()];
            let copy = WorkCopy::of_folder(&self.at(tree), files).expect("a copy");
            let path = std::env::join_paths([self.at("bin"), self.at("cargo")]).expect("a path");
            let path = path.to_str().expect("text");
            let mut worktree = PreparedWorktree::new(copy, &self.at(tree), path, PathBuf::new());
            worktree.place = self.at("place");
            let gate = DeclaredGate {
                id: "lint".to_owned(),
                command: vec![program.to_owned()],
                dimension: assize_gate::gate::Dimension::Style,
                report: "ruff".to_owned(),
                folder: String::new(),
            };
            let setup = Setup { folder: String::new(), because: String::new(), detail: String::new() };
            let home = self.at("rustup").to_string_lossy().into_owned();
            let variable = |name: &str| match name {
                "RUSTUP_HOME" => Some(home.clone()),
                "RUSTUP_TOOLCHAIN" => Some(toolchain.to_owned()),
                _ => None,
            };
            BaseCache::key("tree", Planned { gate: &gate, setup: &setup }, &worktree, terms, "none", &variable)
        }

        fn key(&self, program: &str) -> Option<String> {
            self.key_of("tree", program, &RunTerms::default(), "")
        }
    }

    #[test]
    fn what_shapes_a_result_is_in_the_key_and_nothing_else_is() {
        let cases: [(&str, &str, bool); 13] = [
            ("lint", "tree/package.json", false),
            ("lint", "bin/something-else", false),
            ("lint", "tree/node_modules/@a/b/package.json", false),
            ("lint", "tree/node_modules/.vite-temp/a", false),
            ("lint", "tree/node_modules/.package-lock.json", true),
            ("lint", "tree/.venv/lib/python3/site-packages/a-1.dist-info/METADATA", true),
            ("lint", "bin/lint", true),
            ("lint", "bin/node", true),
            ("cargo", "rustup/toolchains/stable/bin/rustc", true),
            ("cargo", "rustup/toolchains/nightly/bin/rustc", true),
            ("cargo", "rustup/settings.toml", true),
            ("node_modules/.bin/eslint", "tree/node_modules/.bin/eslint", true),
            ("node_modules/.bin/eslint", "tree/node_modules/@a/c/package.json", true),
        ];
        for (program, changed, differs) in cases {
            let world = BaseCacheFixture::new();
            let before = world.key(program).expect("a key");
            assert_eq!(world.key(program), Some(before.clone()), "{program}: nothing changed");
            world.write(changed, "another!!");
            assert_eq!(world.key(program) != Some(before), differs, "{program}: {changed}");
        }
    }

    #[test]
    fn what_a_run_may_take_is_in_the_key() {
        let world = BaseCacheFixture::new();
        let plain = RunTerms::default();
        let longer = SandboxLimits { wall_seconds: 601, ..SandboxLimits::default() };
        let keys = [
            world.key_of("tree", "lint", &plain, ""),
            world.key_of("tree", "lint", &plain, "nightly"),
            world.key_of("tree", "lint", &RunTerms { network: true, ..plain.clone() }, ""),
            world.key_of("tree", "lint", &RunTerms { limits: longer, ..plain }, ""),
        ];
        assert!(keys.iter().all(Option::is_some));
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len());
    }

    #[test]
    fn the_same_dependencies_may_be_lent_to_several_trees() {
        let world = BaseCacheFixture::new();
        for tree in ["one", "other"] {
            world.write(&format!("{tree}/package.json"), "{}");
            symlink("../tree/node_modules", world.at(&format!("{tree}/node_modules"))).expect("a link");
        }
        let key = |tree: &str| world.key_of(tree, "node_modules/.bin/eslint", &RunTerms::default(), "");
        assert_eq!(key("one"), key("other"));
    }

    #[test]
    fn shared_dependencies_are_hashed_up_to_a_limit() {
        let world = BaseCacheFixture::new();
        // `.bin` and its entry, `@a` and its entry.
        let within =
            |mut entries_left: usize| BaseCacheKey::default().lent(&world.at("tree/node_modules"), &mut entries_left);
        assert_eq!((within(4), within(3)), (Some(()), None));
    }
}
