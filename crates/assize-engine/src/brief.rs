//! Looks at a tree for its brief: walks it, reads what is worth reading, keeps what it found out.
//!
//! What a file says is kept by the hash of its contents, in one file for each project. A file with the same size
//! and times as before is not read again, one with the same contents not parsed again. What the files mean together is
//! worked out anew each time, by the crate `assize-brief`; this module must not know how.

mod cache;
mod scene;
mod structure;
#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;

use assize_brief::brief::{Brief, Limit};
use assize_brief::facts::FileFacts;
use assize_brief::schema_type::SchemaFile;
use assize_brief::tree::{Tree, TreeFile};

use crate::work_copy::WorkCopy;
use cache::{Digest, Kept};
use scene::{Bounds, Earlier, Scene};

pub use scene::{COUNTED_BYTES_MAX, PATHS_MAX, SURVEY_BYTES_MAX};
pub use structure::{COPY_FILES_MAX, Look, PROMPT_TOKENS, Reader, boundary_findings, look};

/// What was found in a tree.
#[derive(Debug, Default)]
pub struct Survey {
    /// In the order of the paths.
    files: Vec<Surveyed>,
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
        Tree::new(self.files.iter().map(|file| {
            let said = file.said.as_ref().map(|(_, said)| said.as_ref());
            TreeFile {
                path: &file.path,
                facts: said.and_then(|said| said.facts.as_ref()),
                schema: said.and_then(|said| said.schema.as_ref()),
                text: said.and_then(|said| said.text.as_deref()),
                lines: said.map(|said| said.lines),
            }
        }))
    }

    /// Makes the brief, with the limits that the survey itself came to.
    pub fn brief(&self) -> Brief {
        let mut brief = Brief::of(&self.tree());
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

    fn find(&self, path: &str) -> Option<&(Digest, Arc<Said>)> {
        let place = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        self.files[place].said.as_ref()
    }
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
    if let Some(place) = place.filter(|_| looked.is_news_to(&kept)) {
        // That it cannot be kept costs time and nothing else.
        let _ = cache::keep(&place, &looked.files);
    }
    looked.survey()
}

/// Looks at the files of a copy.
pub fn survey_copy(copy: &WorkCopy) -> Survey {
    survey_paths(copy, Earlier::Nothing)
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
