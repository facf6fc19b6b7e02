//! Looks at a tree for its brief: walks it, reads what is worth reading, keeps what it found out.
//!
//! What a file says is kept by the hash of its contents, in one file for each project, and with it the counts of all
//! names. A file with the same size and times as before is not read again, one with the same contents neither parsed nor
//! counted again. How the files hang together is worked out anew each time, by the crate `assize-brief`; this module
//! must not know how.

mod cache;
mod scene;
mod structure;
mod tally;
#[cfg(test)]
mod tests;
mod uses;

use std::path::Path;
use std::sync::Arc;

use assize_brief::brief::{Analysis, Brief, Limit};
use assize_brief::facts::FileFacts;
use assize_brief::public::{PublicName, public_names};
use assize_brief::schema_type::SchemaFile;
use assize_brief::tally::NameTally;
use assize_brief::tree::{Tree, TreeFile};

use crate::work_copy::WorkCopy;
use cache::{Digest, Kept};
use scene::{Bounds, Earlier, Scene};
use tally::CountedNames;

pub use scene::{COUNTED_BYTES_MAX, PATHS_MAX, SURVEY_BYTES_MAX};
pub use structure::{COPY_FILES_MAX, Look, PROMPT_TOKENS, Reader, boundary_findings, look};
pub use uses::{SETTING_BYTES_MAX, uses};

/// What was found in a tree.
#[derive(Debug, Default)]
pub struct Survey {
    /// In the order of the paths.
    files: Vec<Surveyed>,
    /// The counts of their names, where they were kept or are to be kept.
    tally: Option<NameTally>,
    limits: Vec<Limit>,
    effort: Effort,
}

#[derive(Debug)]
struct Surveyed {
    path: String,
    /// Nothing for a file that nobody wants to read.
    said: Option<(Digest, Arc<Said>)>,
}

/// How much work a survey was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// Files that were read.
    pub read: usize,
    /// Files that were parsed.
    pub parsed: usize,
}

/// What one file says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Said {
    facts: Option<FileFacts>,
    schema: Option<SchemaFile>,
    text: Option<String>,
    lines: u32,
}

impl Survey {
    /// Lends the tree that a brief is made of.
    pub fn tree(&self) -> Tree<'_> {
        tree_of(self.files.iter().map(|file| (file.path.as_str(), file.said.as_ref().map(|(_, said)| said.as_ref()))))
    }

    /// Makes the brief, with the limits that the survey itself came to.
    pub fn brief(&self) -> Brief {
        let tree = self.tree();
        let analysis = Analysis::of(&tree);
        let mut brief = match &self.tally {
            Some(tally) => analysis.brief_of(tally),
            None => analysis.brief(),
        };
        brief.limits.splice(0..0, self.limits.iter().cloned());
        brief
    }

    /// Returns what was left out, and why.
    pub fn limits(&self) -> &[Limit] {
        &self.limits
    }

    /// Returns how much work it was.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// Returns whether there is a file, whether or not anybody wants to read it.
    pub fn has(&self, path: &str) -> bool {
        self.place(path).is_some()
    }

    /// Returns what a file offers to others.
    pub fn public_names_of(&self, path: &str) -> Vec<PublicName> {
        let facts = self.find(path).and_then(|(_, said)| said.facts.as_ref());
        facts.map_or_else(Vec::new, |facts| public_names([(path, facts)]).names)
    }

    fn place(&self, path: &str) -> Option<usize> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()
    }

    fn find(&self, path: &str) -> Option<&(Digest, Arc<Said>)> {
        self.files[self.place(path)?].said.as_ref()
    }
}

fn tree_of<'a>(files: impl Iterator<Item = (&'a str, Option<&'a Said>)>) -> Tree<'a> {
    Tree::new(files.map(|(path, said)| TreeFile {
        path,
        facts: said.and_then(|said| said.facts.as_ref()),
        schema: said.and_then(|said| said.schema.as_ref()),
        text: said.and_then(|said| said.text.as_deref()),
        lines: said.map(|said| said.lines),
    }))
}

/// Looks at the tree below a folder: what git would not ignore, hidden files included.
///
/// What is known from earlier surveys is taken from a file in the folder `cache`, and kept there for the next one.
pub fn survey(root: &Path, cache: Option<&Path>) -> Survey {
    survey_within(root, cache, Bounds::default())
}

fn survey_within(root: &Path, cache: Option<&Path>, bounds: Bounds) -> Survey {
    let place = cache.map(|cache| cache::place(cache, root));
    let bytes = place.as_deref().map(cache::load).unwrap_or_default();
    let kept = Kept::of(&bytes);
    let scene = Scene::new(root, Earlier::Kept(&kept), bounds);
    scene.walk();
    let looked = scene.finish();
    let Some(place) = place else { return looked.survey() };
    let names = CountedNames::of(&looked.files, &kept);
    if !names.is_kept || looked.is_news_to(&kept) {
        // That it cannot be kept costs time and nothing else.
        let _ = cache::keep(&place, &looked.files, &names);
    }
    Survey { tally: Some(names.tally), ..looked.survey() }
}

/// Looks at the files of a copy.
pub fn survey_copy(copy: &WorkCopy) -> Survey {
    survey_paths(copy, Earlier::Nothing)
}

/// Looks at the files of a copy, unless there are more than [`COPY_FILES_MAX`].
pub fn survey_copy_within_limit(copy: &WorkCopy) -> Option<Survey> {
    structure::is_within_limit(copy.files().len()).then(|| survey_copy(copy))
}

/// Looks at the files of a copy that is much like another one, of which there is a survey already.
pub fn survey_copy_like(copy: &WorkCopy, like: &Survey) -> Survey {
    survey_paths(copy, Earlier::Survey(like))
}

fn survey_paths(copy: &WorkCopy, earlier: Earlier<'_>) -> Survey {
    let root = copy.path();
    let scene = Scene::new(&root, earlier, Bounds::default());
    scene.go_through(copy.files());
    scene.finish().survey()
}
