//! Surveys a tree for its brief: walks it, reads the relevant files, and caches the results.
//!
//! The results for a file are cached under the hash of its contents, in one cache file for each project. The counts of
//! all names are cached there too. A file with unchanged size and times is not read again. A file with unchanged
//! contents is neither parsed nor counted again. The crate `assize-brief` computes the relations between files anew
//! each time; this module must not know how.

mod cache;
mod scan;
mod structure;
mod tally;
#[cfg(test)]
mod tests;
mod uses;

use std::path::Path;
use std::sync::Arc;

use assize_brief::brief::{Analysis, Brief, ReachedLimit};
use assize_brief::public::{PublicName, public_names};
use assize_brief::relevance::{COMMITS_MAX, ChangeHistory, PastChange, RelevantFile};
use assize_brief::tally::NameTally;
use assize_syntax::facts::FileFacts;
use assize_syntax::schema_type::SchemaFile;
use assize_syntax::tree::{SourceTree, TreeFile};

use crate::git::Repository;
use crate::work_copy::WorkCopy;
use cache::{CachedSurvey, ContentDigest};
use scan::{PriorSurvey, ScanBounds, ScanContext};
use tally::CountedNames;

pub use scan::{COUNTED_BYTES_MAX, PATHS_MAX, SURVEY_BYTES_MAX};
pub use structure::{BriefAudience, COPY_FILES_MAX, PROMPT_TOKENS, StructureReport, boundary_findings, look};
pub use uses::{SETTING_BYTES_MAX, uses};

/// The result of scanning a tree.
#[derive(Debug, Default)]
pub struct TreeSurvey {
    /// Sorted by path.
    files: Vec<Surveyed>,
    /// The counts of their names, if they are cached or will be cached.
    tally: Option<NameTally>,
    limits: Vec<ReachedLimit>,
    effort: Effort,
}

#[derive(Debug)]
struct Surveyed {
    path: String,
    /// `None` for a file that is not read.
    summary: Option<(ContentDigest, Arc<FileSummary>)>,
}

/// How much work a survey was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// The number of files that were read.
    pub read: usize,
    /// The number of files that were parsed.
    pub parsed: usize,
}

/// The extracted content of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct FileSummary {
    facts: Option<FileFacts>,
    schema: Option<SchemaFile>,
    text: Option<String>,
    lines: u32,
}

/// Returns the earlier changes of a project; none without git.
pub fn change_history(root: &Path) -> ChangeHistory {
    let repository = Repository::discover(root).ok().flatten();
    let commits = repository.and_then(|repository| repository.history(COMMITS_MAX).ok()).unwrap_or_default();
    ChangeHistory { commits: commits.into_iter().map(|(subject, paths)| PastChange { subject, paths }).collect() }
}

impl TreeSurvey {
    /// Returns the tree as `assize-brief` takes it.
    pub fn tree(&self) -> SourceTree<'_> {
        tree_of(
            self.files
                .iter()
                .map(|file| (file.path.as_str(), file.summary.as_ref().map(|(_, summary)| summary.as_ref()))),
        )
    }

    /// Makes the brief. Its limits begin with those that the survey reached.
    pub fn brief(&self) -> Brief {
        let tree = self.tree();
        self.brief_of(&Analysis::of(&tree))
    }

    /// Makes the brief, and ranks the files for a task.
    pub fn brief_for_task(&self, history: &ChangeHistory, task: &str) -> (Brief, Vec<RelevantFile>) {
        let tree = self.tree();
        let analysis = Analysis::of(&tree);
        (self.brief_of(&analysis), analysis.relevant_files(history, task))
    }

    fn brief_of(&self, analysis: &Analysis<'_, '_>) -> Brief {
        let mut brief = match &self.tally {
            Some(tally) => analysis.brief_of(tally),
            None => analysis.brief(),
        };
        brief.limits.splice(0..0, self.limits.iter().cloned());
        brief
    }

    /// Returns the limits that the survey reached, with the files left out.
    pub fn limits(&self) -> &[ReachedLimit] {
        &self.limits
    }

    /// Returns how much work the survey was.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// Returns whether the file exists, including files that are not read.
    pub fn has(&self, path: &str) -> bool {
        self.place(path).is_some()
    }

    /// Returns the public names of a file.
    pub fn public_names_of(&self, path: &str) -> Vec<PublicName> {
        let facts = self.find(path).and_then(|(_, summary)| summary.facts.as_ref());
        facts.map_or_else(Vec::new, |facts| public_names([(path, facts)]).names)
    }

    fn place(&self, path: &str) -> Option<usize> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()
    }

    fn find(&self, path: &str) -> Option<&(ContentDigest, Arc<FileSummary>)> {
        self.files[self.place(path)?].summary.as_ref()
    }
}

fn tree_of<'a>(files: impl Iterator<Item = (&'a str, Option<&'a FileSummary>)>) -> SourceTree<'a> {
    SourceTree::new(files.map(|(path, summary)| TreeFile {
        path,
        facts: summary.and_then(|summary| summary.facts.as_ref()),
        schema: summary.and_then(|summary| summary.schema.as_ref()),
        text: summary.and_then(|summary| summary.text.as_deref()),
        lines: summary.map(|summary| summary.lines),
    }))
}

/// Surveys the files below a folder that git does not ignore, including hidden files.
///
/// Results of earlier surveys are read from a file in the folder `cache`; the new results are written there.
pub fn survey(root: &Path, cache: Option<&Path>) -> TreeSurvey {
    survey_within(root, cache, ScanBounds::default())
}

fn survey_within(root: &Path, cache: Option<&Path>, bounds: ScanBounds) -> TreeSurvey {
    let place = cache.map(|cache| cache::place(cache, root));
    let bytes = place.as_deref().map(cache::load).unwrap_or_default();
    let cached = CachedSurvey::of(&bytes);
    let context = ScanContext::new(root, PriorSurvey::Cached(&cached), bounds);
    context.walk();
    let outcome = context.finish();
    let Some(place) = place else { return outcome.survey() };
    let names = CountedNames::of(&outcome.files, &cached);
    if !names.is_cached || outcome.differs_from(&cached) {
        // If the cache cannot be written, the next survey only takes longer.
        let entries = outcome.files.iter().zip(&names.counted).filter_map(|(file, counted)| file.entry(*counted));
        let _ = cache::keep(&place, entries, &names.tally);
    }
    TreeSurvey { tally: Some(names.tally), ..outcome.survey() }
}

/// Surveys the files of a copy.
pub fn survey_copy(copy: &WorkCopy) -> TreeSurvey {
    survey_paths(copy, PriorSurvey::Nothing)
}

/// Surveys the files of a copy. Returns `None` if there are more than [`COPY_FILES_MAX`].
pub fn survey_copy_within_limit(copy: &WorkCopy) -> Option<TreeSurvey> {
    structure::is_within_limit(copy.files().len()).then(|| survey_copy(copy))
}

/// Surveys the files of a copy, and reuses the results of a survey of a similar copy.
pub fn survey_copy_like(copy: &WorkCopy, like: &TreeSurvey) -> TreeSurvey {
    survey_paths(copy, PriorSurvey::Survey(like))
}

fn survey_paths(copy: &WorkCopy, earlier: PriorSurvey<'_>) -> TreeSurvey {
    let root = copy.path();
    let context = ScanContext::new(&root, earlier, ScanBounds::default());
    context.go_through(copy.files());
    context.finish().survey()
}
