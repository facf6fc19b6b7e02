//! Dependencies of a project where no folder can be mounted over its copy.
//!
//! Without namespaces a copy stands elsewhere than the project, and what is installed may lead back: an editable install,
//! or a link to a package of the same workspace, would have the user's own tree tested. So packages of npm are copied,
//! environments of Python are linked, and before a gate runs it is shown that the project's own packages are found in the
//! copy. This module must not decide what a gate is worth that cannot run.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use assize_core::path::{file_name, parent};
use assize_ecosystem::FileRole;
use assize_gate::gate::{Gate, GateCommand};

use super::{PreparedWorktree, RunTerms};
use crate::sandbox::{Sandbox, SandboxJob};
use crate::work_copy::{CopyError, WorkCopy, copy_tree};

/// The file by which the driver of Python's tests is told from other programs.
const DRIVER: &str = "supervise.py";
/// The most packages of a project that are looked for.
pub const PACKAGES_MAX: usize = 100;
/// Says what leads back to a tree instead of to the copy that the interpreter runs in: entries of the import path, and
/// packages. `ahead` says that the copy stands first on the import path, so that entries behind it do no harm where the
/// packages are found in the copy. A folder that cannot be read has no packages: that proves nothing.
const LEADS_BACK: &str = r#"
import importlib.util, os, sys
copy, tree, ahead, names = os.path.realpath(os.getcwd()), os.path.realpath(sys.argv[1]), sys.argv[2] == 'ahead', sys.argv[3:]
def below(place, folder):
    return (os.path.realpath(place) + os.sep).startswith(os.path.realpath(folder) + os.sep)
def leads_back(place):
    return bool(place) and below(place, tree) and not below(place, sys.prefix) and not below(place, copy)
entries = [entry for entry in sys.path if leads_back(entry)]
if ahead:
    sys.path[:0] = [copy, os.path.join(copy, 'src')]
elif entries:
    print('the import path leads to ' + entries[0])
for name in names:
    spec = importlib.util.find_spec(name)
    places = list(spec.submodule_search_locations or []) or [spec.origin] if spec else []
    if places and leads_back(places[0]):
        print(name + ' is found at ' + places[0])
    elif not places and entries:
        print(name + ' is not found in the copy, and the import path leads to ' + entries[0])
"#;

impl PreparedWorktree {
    /// Puts the folders with dependencies into a copy, where no mount does it. Returns why the command of a gate must not run in it: what it
    /// would import is not that of the copy.
    ///
    /// # Errors
    ///
    /// Fails if a folder cannot be copied.
    pub(super) fn bring_dependencies(
        &self,
        copy: &WorkCopy,
        (gate, command): (&dyn Gate, &GateCommand),
        sandbox: &Sandbox,
        terms: &RunTerms,
    ) -> Result<Option<String>, CopyError> {
        if sandbox.level().tier.has_namespaces() {
            return Ok(None);
        }
        for (host, folder) in &self.dependencies {
            let inside = copy.path().join(folder);
            let failed = |error| CopyError::Io { path: inside.clone(), error };
            if fs::symlink_metadata(&inside).is_err() {
                fs::create_dir_all(copy.path().join(parent(folder))).map_err(failed)?;
                let brought = if is_environment(host) { symlink(host, &inside) } else { copy_tree(host, &inside) };
                brought.map_err(failed)?;
            }
            if let Some(link) = self.leads_back(&inside).filter(|_| !is_environment(host) && !gate.imports_nothing()) {
                return Ok(Some(format!("{folder}/{link} leads to the tree itself, not to its copy")));
            }
        }
        if gate.imports_nothing() { Ok(None) } else { self.imported_from_elsewhere(copy, command, sandbox, terms) }
    }

    /// Finds a link in a folder of packages that leads to the user's own tree.
    fn leads_back(&self, folder: &Path) -> Option<String> {
        let root = self.place.canonicalize().unwrap_or_else(|_| self.place.clone());
        let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let of_scopes =
            entries(folder).filter(|path| path.is_dir() && !path.is_symlink()).flat_map(|path| entries(&path));
        let back =
            |path: &PathBuf| path.is_symlink() && path.canonicalize().is_ok_and(|target| target.starts_with(&root));
        let found = entries(folder).chain(of_scopes).find(back)?;
        Some(found.strip_prefix(folder).ok()?.to_string_lossy().into_owned())
    }

    /// Asks the interpreter of the project's environment where it finds the packages of the project.
    fn imported_from_elsewhere(
        &self,
        copy: &WorkCopy,
        command: &GateCommand,
        sandbox: &Sandbox,
        terms: &RunTerms,
    ) -> Result<Option<String>, CopyError> {
        let environment = self
            .dependencies
            .iter()
            .find(|(host, folder)| is_environment(host) && Path::new(&command.program).starts_with(folder));
        let Some((_, folder)) = environment else { return Ok(None) };
        let root = self.place.to_string_lossy().into_owned();
        // Our own driver puts the copy first; a program of the environment does not.
        let order = if command.provided.contains_key(DRIVER) { "ahead" } else { "behind" };
        let asked = ["-I", "-c", LEADS_BACK, &root, order].map(str::to_owned).into_iter().chain(self.own_packages());
        let ask = GateCommand {
            program: format!("{folder}/bin/python"),
            arguments: asked.collect(),
            provided: Default::default(),
            ..command.clone()
        };
        let reports = copy.beside("packages")?;
        let job: SandboxJob = self.job(("imports", &ask, copy), &reports, sandbox, terms)?;
        let result = match sandbox.run(&job, &mut |_| {}) {
            Ok(result) => result,
            Err(error) => return Ok(Some(format!("its packages cannot be looked for: {error}"))),
        };
        let said = String::from_utf8_lossy(&result.stdout).into_owned();
        Ok(match said.lines().next() {
            Some(elsewhere) => Some(format!("without namespaces {elsewhere}, and not in the copy that is tested")),
            None if result.status == Some(0) => None,
            None => Some("its interpreter cannot say where the project's packages are".to_owned()),
        })
    }

    /// The outermost packages of Python that the project brings along, wherever they stand.
    fn own_packages(&self) -> BTreeSet<String> {
        let outermost = |path: &String| {
            let folder = path.strip_suffix("/__init__.py")?;
            let is_inner = self.project.files.contains(&format!("{}/__init__.py", parent(folder)));
            let is_own = FileRole::of(path) == FileRole::Production && !is_inner;
            is_own.then(|| file_name(folder).to_owned())
        };
        self.project.files.iter().filter_map(outermost).take(PACKAGES_MAX).collect()
    }
}

fn is_environment(folder: &Path) -> bool {
    folder.join("pyvenv.cfg").is_file()
}
