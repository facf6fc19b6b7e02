//! Brings a version of Node that a project names, out of the registry of npm.
//!
//! It is kept in the cache and shown to gates in front of the installed one. This module must not decide when that is
//! wanted.

use std::fs;
use std::path::{Path, PathBuf};

use assize_ecosystem::node_version::{NamedNode, named_node};

use super::preparation::{PreparationTerms, SourceState, variables};
use super::{MANIFEST_BYTES_MAX, PreparedWorktree, tool_folders};
use crate::sandbox::{Sandbox, SandboxJob, SandboxLimits, remove};
use crate::work_copy::CopyError;

/// Seconds that fetching may take.
const FETCH_SECONDS: u64 = 300;

impl PreparedWorktree {
    /// The version of Node that runs here, such as `v20.11.1`.
    pub fn node_version(&self) -> Option<String> {
        self.said_by("node", &["--version"])
    }

    /// The version of Node that the project names in place of that one.
    pub fn other_node(&self, installed: &str) -> Option<NamedNode> {
        named_node(self.copy.files(), &|path| self.copy.text(path, MANIFEST_BYTES_MAX), installed)
    }

    /// Makes the same with another version of Node in front of the installed one; nothing is installed yet for it. `None`
    /// where it cannot be had.
    ///
    /// # Errors
    ///
    /// Fails if the copy cannot be used.
    pub fn with_node(
        &self,
        major: u32,
        sandbox: &Sandbox,
        terms: &PreparationTerms,
    ) -> Result<Option<Self>, CopyError> {
        let Some(folder) = self.fetched_node(major, sandbox, terms)? else { return Ok(None) };
        let path = std::iter::once(folder.clone()).chain(self.search_path.iter().cloned());
        let path = std::env::join_paths(path).unwrap_or_default();
        let mut other = Self::new(self.copy.again()?, &self.place, &path.to_string_lossy(), self.build.clone());
        other.project.pipeline = self.project.pipeline.clone();
        other.brings_programs = true;
        Ok(other.search_path.contains(&folder).then_some(other))
    }

    /// Returns the folder of the program, and fetches it where it is not known yet.
    fn fetched_node(
        &self,
        major: u32,
        sandbox: &Sandbox,
        terms: &PreparationTerms,
    ) -> Result<Option<PathBuf>, CopyError> {
        let (Some(cache), Some(package)) = (terms.usable_cache(sandbox), package()) else { return Ok(None) };
        let folder = cache.join("runtimes-1").join(format!("{package}-{major}"));
        if folder.join("node").is_file() {
            return Ok(Some(folder));
        }
        let (work, reports) = (self.copy.beside("runtime")?, self.copy.beside("runtime-reports")?);
        let script = format!(
            "npm install --no-save --no-package-lock --ignore-scripts --prefix . {package}@{major} && \
             cp node_modules/{package}/bin/node node && chmod 755 node && ./node --version"
        );
        let mut job = SandboxJob::new("/bin/sh", &["-c", &script], &work, &reports);
        job.network = true;
        job.limits = SandboxLimits { wall_seconds: FETCH_SECONDS, ..SandboxLimits::default() };
        job.environment = variables(terms, &SourceState::default());
        job.environment.insert("npm_config_cache".to_owned(), "/tmp/npm".to_owned());
        let tools = self.search_path.iter().flat_map(|folder| tool_folders(folder));
        job.read_only.extend(tools.map(|folder| (folder.clone(), folder)));
        let ran = sandbox.run(&job, &mut |_| {}).is_ok_and(|result| result.status == Some(0));
        let kept = if ran { keep(&work.join("node"), &folder) } else { Ok(()) };
        let _ = remove(&work);
        kept.map_err(|error| CopyError::Io { path: folder.clone(), error })?;
        Ok(folder.join("node").is_file().then_some(folder))
    }
}

/// The package of npm with the program for this machine.
fn package() -> Option<String> {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        system => system,
    };
    let machine = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        _ => return None,
    };
    Some(format!("node-{system}-{machine}"))
}

/// Moves a program to where it is kept. Another process may be faster.
fn keep(program: &Path, folder: &Path) -> std::io::Result<()> {
    let half = folder.with_extension(crate::random::fresh_word());
    fs::create_dir_all(&half)?;
    fs::copy(program, half.join("node"))?;
    if fs::rename(&half, folder).is_err() {
        let _ = remove(&half);
    }
    Ok(())
}
