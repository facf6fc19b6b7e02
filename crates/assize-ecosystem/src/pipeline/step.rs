//! What every reader of a pipeline gives and gets.

use std::collections::BTreeMap;

/// What stands for a part of a command that only the system knows which runs it.
pub(super) const UNKNOWN: &str = "${{}}";

/// The texts of manifests and of files that configure tools, by path.
pub(super) type ManifestTexts = BTreeMap<String, String>;

/// A step of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct PipelineStep {
    /// What it runs, for a shell.
    pub script: String,
    /// The folder that it runs in; `None` where that is not known.
    pub folder: Option<String>,
    /// Where it stands: the file, and the job.
    pub source: String,
    /// Whether it runs with a nightly compiler of Rust.
    pub is_nightly: bool,
}
