//! What a model judge is shown.
//!
//! The only place where judged text is opened: it goes between fences with a nonce that the
//! judged party cannot know, with hidden characters made visible and cuts stated. The wording
//! stands in `prompts/*.md`; a variable that is missing there is an error. This module must not
//! know how a judge is reached.

pub mod inquiry;

use std::sync::Arc;

use minijinja::{Environment, UndefinedBehavior, Value, context};
use serde::{Deserialize, Serialize};

use crate::diff::{Diff, DiffLineKind, FileChange, FileStatus};
use crate::finding::{Certainty, Finding};
use crate::gathered::EvidencePart;
use crate::ruling::Unjudged;
use crate::text::{head, make_visible, quote};
use crate::tree_paths::TreePaths;
use crate::verdict::{self, Reply, Verdict};

/// A random word that the judged party cannot guess, fresh for every question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nonce(String);

impl Nonce {
    /// Makes a nonce from random bytes.
    pub fn new(bytes: [u8; 16]) -> Self {
        Self(format!("{:032x}", u128::from_be_bytes(bytes)))
    }

    /// The word.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The nonce that stands in for the fresh one where a prompt is hashed, so that the same
    /// question has the same hash.
    pub fn canonical() -> Self {
        Self::new([0; 16])
    }
}

/// How many bytes of the change a judge is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct DiffBudget {
    /// In all.
    pub bytes_max: usize,
    /// Of one file.
    pub file_bytes_max: usize,
}

impl Default for DiffBudget {
    fn default() -> Self {
        Self { bytes_max: 40_000, file_bytes_max: 8_000 }
    }
}

/// A question, ready to be put to judges.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The rules to judge by; the questions of a run share them.
    pub system: Arc<str>,
    /// The case.
    pub prompt: String,
    /// The name of the verdict's schema.
    pub schema_name: &'static str,
    /// The schema of the verdict.
    pub schema: Arc<serde_json::Value>,
    /// Hash of rules, case and schema, the nonce left out.
    pub prompt_hash: String,
    /// Hash of the rules alone.
    pub rubric_hash: String,
    /// The judged texts that the prompt contains, for the detection of planted verdicts.
    pub attachments: Vec<String>,
    /// The files of the judged tree, for verdicts that name files; `None` where a verdict is not held to a tree.
    pub tree: Option<Arc<TreePaths>>,
}

impl Question {
    /// Reads the one verdict of a reply to this question, and holds the files that it names to the judged tree.
    ///
    /// # Errors
    ///
    /// As [`verdict::read`]; malformed too where the tree has no such file.
    pub fn read<V: Verdict>(&self, reply: &Reply) -> Result<V, Unjudged> {
        let attachments: Vec<&str> = self.attachments.iter().map(String::as_str).collect();
        let read: V = verdict::read(reply, &attachments)?;
        match self.tree.as_deref().map(|tree| read.check_files(tree)) {
            Some(Err(error)) => verdict::malformed(&error),
            _ => Ok(read),
        }
    }
}

/// A finding as templates show it: how sure it is, its rule, and what it says.
pub fn describe(finding: &Finding) -> String {
    let certainty = match finding.certainty {
        Certainty::Certain => "certain",
        Certainty::Likely => "likely",
    };
    format!("{certainty}, {}: {finding}", finding.rule)
}

/// Hashes texts, each with its length, so that no two lists of texts share a hash.
pub fn hash_of(parts: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// The templates are part of the program, so that a failure to render is a fault of ours.
pub fn render(template: &str, values: &Value) -> String {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.render_str(template, values).expect("the built-in prompts render with the values given here")
}

/// Puts text of others between two lines that they cannot write.
pub fn fence(name: &str, text: &str, nonce: &Nonce) -> String {
    let Nonce(nonce) = nonce;
    let visible = make_visible(text);
    format!("<<<{name} {nonce}\n{}\n{name} {nonce}>>>", visible.trim_end_matches('\n'))
}

/// The same for a list; nothing where it is empty.
pub fn fenced(name: &str, lines: &[String], nonce: &Nonce) -> String {
    if lines.is_empty() { String::new() } else { fence(name, &lines.join("\n"), nonce) }
}

/// Ranks a path: files of a lower rank are shown first, so that the budget is spent on what matters.
pub type Rank = fn(&str) -> u8;

/// The change as templates show it: its files, its patch within a budget, and what was cut.
pub fn diff_values(diff: &EvidencePart<Diff>, budget: DiffBudget, nonce: &Nonce, rank: Rank) -> Value {
    let diff = match diff {
        EvidencePart::Gathered(diff) => diff,
        EvidencePart::Missing(why) => {
            return context! { missing => quote(why), count => 0, files => Vec::<Value>::new(), limits => "", patch => "" };
        }
    };
    let files: Vec<Value> = diff
        .files
        .iter()
        .map(|file| {
            context! {
                status => status(file.status),
                path => quote(&file.path),
                added => file.added_count(),
                removed => file.removed_count(),
            }
        })
        .collect();
    let (patch, cut) = patch(diff, budget, rank);
    let limits: Vec<String> = diff.limits.iter().chain(&cut).map(|limit| format!("- {}", quote(limit))).collect();
    let limits = fenced("limits", &limits, nonce);
    context! { missing => Value::from(()), count => files.len(), files, limits, patch => fence("patch", &patch, nonce) }
}

fn status(status: FileStatus) -> &'static str {
    match status {
        FileStatus::Added => "added",
        FileStatus::Modified => "changed",
        FileStatus::Deleted => "deleted",
        FileStatus::Renamed => "renamed",
        FileStatus::Unmerged => "unmerged",
    }
}

/// Writes the change within its budget, and says what was left out.
fn patch(diff: &Diff, budget: DiffBudget, rank: Rank) -> (String, Vec<String>) {
    let mut files: Vec<&FileChange> = diff.files.iter().collect();
    files.sort_by_key(|file| (rank(&file.path), file.path.clone()));
    let mut written = String::new();
    let mut cut = Vec::new();
    let mut left_out = 0;
    for file in files {
        let whole = file_patch(file);
        let room = budget.bytes_max.saturating_sub(written.len()).min(budget.file_bytes_max);
        if room < whole.len().min(200) {
            left_out += 1;
            continue;
        }
        let shown = head(&whole, room);
        written.push_str(shown);
        if shown.len() < whole.len() {
            written.push_str("\n[cut]\n");
            cut.push(format!(
                "{} of {} bytes of the change of {}",
                whole.len() - shown.len(),
                whole.len(),
                quote(&file.path)
            ));
        }
        if file.lines_cut > 0 {
            cut.push(format!("{} lines of the change of {}", file.lines_cut, quote(&file.path)));
        }
    }
    if left_out > 0 {
        cut.push(format!("the changes of {left_out} files that are listed above"));
    }
    (written, cut)
}

fn file_patch(file: &FileChange) -> String {
    let mut text = format!("--- {}\n+++ {}\n", file.old_path.as_deref().unwrap_or(&file.path), file.path);
    if file.binary {
        text.push_str("[not text]\n");
    }
    for hunk in &file.hunks {
        text.push_str(&format!("@@ -{} +{} @@\n", hunk.old_start, hunk.new_start));
        for line in &hunk.lines {
            text.push(match line.kind {
                DiffLineKind::Context => ' ',
                DiffLineKind::Added => '+',
                DiffLineKind::Removed => '-',
            });
            text.push_str(line.text.open());
            text.push('\n');
        }
    }
    text
}

/// The texts of a change: what came, what went and what stayed, file by file.
pub fn attachments_of_diff(diff: &Diff) -> impl Iterator<Item = String> {
    diff.files.iter().flat_map(|file| {
        [DiffLineKind::Added, DiffLineKind::Removed, DiffLineKind::Context].map(|kind| {
            let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == kind);
            lines.map(|line| line.text.open()).collect::<Vec<_>>().join("\n")
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::{DiffHunk, DiffLine};
    use crate::text::Untrusted;
    use crate::verdict::sample::SampleVerdict;

    const SAMPLE: &str = r#"{"pass":false,"reason":"No test covers the parser.","missingItems":["tests"],"questionsForUser":[],"forwardProgress":true,"suggestedNextSteps":[]}"#;

    #[test]
    fn files_that_a_verdict_names_are_held_to_the_tree() {
        let tree: TreePaths = ["tests"].into_iter().collect();
        let question = |tree: Option<&TreePaths>| Question {
            system: "".into(),
            prompt: String::new(),
            schema_name: "",
            schema: serde_json::Value::Null.into(),
            prompt_hash: String::new(),
            rubric_hash: String::new(),
            attachments: Vec::new(),
            tree: tree.map(|tree| tree.clone().into()),
        };
        for (tree, expected) in [
            (None, None),
            (Some(&tree), None),
            (Some(&TreePaths::default()), Some("`missingItems` names \"tests\", which does not exist")),
        ] {
            let read = question(tree).read::<SampleVerdict>(&Reply::text(SAMPLE)).err();
            assert_eq!(read.as_ref().map(|unjudged| &*unjudged.detail), expected);
            assert!(read.is_none_or(|unjudged| unjudged.cause == crate::ruling::Cause::Malformed));
        }
    }

    fn budget(bytes_max: usize, file_bytes_max: usize) -> DiffBudget {
        DiffBudget { bytes_max, file_bytes_max }
    }

    fn added(path: &str, text: &str) -> FileChange {
        let lines = vec![DiffLine { kind: DiffLineKind::Added, text: Untrusted::new(text) }];
        let mut file = FileChange::new(path, FileStatus::Modified);
        file.hunks.push(DiffHunk { old_start: 1, new_start: 1, lines });
        file
    }

    fn by_ending(path: &str) -> u8 {
        [".rs", ".md", ".lock"].iter().position(|ending| path.ends_with(ending)).unwrap_or(9) as u8
    }

    #[test]
    fn the_change_is_cut_to_its_budget_and_the_cut_is_stated() {
        let file = |name: &str| added(name, &"x".repeat(900));
        let diff =
            Diff { baseline: None, files: vec![file("a.rs"), file("b.md"), file("Cargo.lock")], limits: Vec::new() };
        let (whole, cut) = patch(&diff, budget(10_000, 10_000), by_ending);
        assert_eq!(cut, [] as [String; 0]);
        assert!(whole.find("a.rs") < whole.find("b.md") && whole.find("b.md") < whole.find("Cargo.lock"));
        let exact = file_patch(&diff.files[0]).len();
        assert_eq!(patch(&diff, budget(10_000, exact), by_ending).1.len(), 1, "only the longer one is cut");
        let (_, cut) = patch(&diff, budget(1_000, 500), by_ending);
        assert!(cut.iter().any(|line| line.contains("bytes of the change of `a.rs`")), "{cut:?}");
        assert!(cut.iter().any(|line| line.contains("1 files that are listed above")), "{cut:?}");
    }
}
