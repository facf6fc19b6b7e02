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
use assize_gate::gate::GateCommand;

use super::{PreparedWorktree, RunTerms};
use crate::sandbox::{Sandbox, SandboxJob};
use crate::work_copy::{CopyError, WorkCopy, copy_tree};

/// The most packages of a project that are looked for.
pub const PACKAGES_MAX: usize = 100;
/// Says which packages are found below a folder, one a line with where they are.
const WHERE: &str = "import importlib.util, os, sys\n\
    here = os.path.realpath(os.getcwd())\n\
    sys.path[:0] = [here, os.path.join(here, 'src')]\n\
    for name in sys.argv[2:]:\n    \
    spec = importlib.util.find_spec(name)\n    \
    places = list(spec.submodule_search_locations or []) or [spec.origin or ''] if spec else []\n    \
    for place in places[:1]:\n        \
    if os.path.realpath(place).startswith(os.path.realpath(sys.argv[1]) + os.sep):\n            \
    print(name + ' is found at ' + place)\n";

impl PreparedWorktree {
    /// Puts the folders with dependencies into a copy. Returns why a command must not run in it: what it would import is
    /// not that of the copy.
    ///
    /// # Errors
    ///
    /// Fails if a folder cannot be copied.
    pub(super) fn bring_dependencies(
        &self,
        copy: &WorkCopy,
        command: &GateCommand,
        sandbox: &Sandbox,
        terms: &RunTerms,
    ) -> Result<Option<String>, CopyError> {
        for (host, folder) in &self.dependencies {
            let inside = copy.path().join(folder);
            let failed = |error| CopyError::Io { path: inside.clone(), error };
            if fs::symlink_metadata(&inside).is_err() {
                fs::create_dir_all(copy.path().join(parent(folder))).map_err(failed)?;
                let brought = if is_environment(host) { symlink(host, &inside) } else { copy_tree(host, &inside) };
                brought.map_err(failed)?;
            }
            if let Some(link) = self.leads_back(&inside).filter(|_| !is_environment(host)) {
                return Ok(Some(format!("{folder}/{link} leads to the tree itself, not to its copy")));
            }
        }
        self.imported_from_elsewhere(copy, command, sandbox, terms)
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
        let packages = self.own_packages();
        if packages.is_empty() {
            return Ok(None);
        }
        let root = self.place.to_string_lossy().into_owned();
        let asked = ["-I", "-c", WHERE].map(str::to_owned).into_iter().chain([root]).chain(packages);
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
