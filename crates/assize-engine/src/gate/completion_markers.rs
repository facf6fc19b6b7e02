//! Inserts completion markers into the tests of a copy, and removes them again.
//!
//! A file has its markers for the build only. Before the first test runs, the driver restores the original. Tests that
//! read their own sources therefore see no change, and code that searches for the marker words does not find them.
//! `assize-gate` judges the reported words.

use std::collections::BTreeMap;
use std::path::Path;

use assize_gate::gate::completion_marker::{CompletionMarker, LIST, MARKED, ORIGINAL, VARIABLE};
use assize_gate::gate::{Gate, GateCommand, Project, Setup};
use assize_syntax::completion_marker::with_completion_markers;
use assize_syntax::inline_tests::FILE_BYTES_MAX;

use crate::random::fresh_word;
use crate::work_copy::{CopyError, WorkCopy};

/// The completion markers of one run, and their files.
#[derive(Debug, Default)]
pub(super) struct CompletionMarkers {
    /// The markers.
    pub markers: Vec<CompletionMarker>,
    files: Vec<InstrumentedFile>,
}

/// A file before and after its markers were inserted.
#[derive(Debug)]
struct InstrumentedFile {
    path: String,
    original: String,
    instrumented: String,
}

impl CompletionMarkers {
    /// Inserts markers into the tests of a copy, if the gate's command supports them.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be written.
    pub fn insert(
        copy: &mut WorkCopy,
        gate: &dyn Gate,
        setup: &Setup,
        project: &Project,
        command: &GateCommand,
    ) -> Result<Self, CopyError> {
        let mut markers = Self::default();
        if !command.environment.contains_key(VARIABLE) {
            return Ok(markers);
        }
        let paths: Vec<String> =
            copy.files().iter().filter(|path| path.ends_with(".rs") && !path.contains('\n')).cloned().collect();
        for path in paths {
            let Some(original) = copy.text(&path, FILE_BYTES_MAX as u64) else { continue };
            let Some((instrumented, found)) = with_completion_markers(&original, VARIABLE, &mut fresh_word) else {
                continue;
            };
            let tests: Vec<(String, String)> = found.iter().map(|marker| (path.clone(), marker.name.clone())).collect();
            let ids = gate.test_ids(setup, project, &tests);
            // A file that belongs to no test program may be test data.
            if ids.iter().all(Vec::is_empty) {
                continue;
            }
            copy.write(&path, &instrumented)?;
            markers.files.push(InstrumentedFile { path, original, instrumented });
            let usable = found.into_iter().zip(ids).filter(|(_, ids)| !ids.is_empty());
            markers.markers.extend(usable.map(|(marker, ids)| CompletionMarker {
                ids,
                ended: marker.ended,
                panicked: marker.panicked,
                silent: marker.silent,
                should_panic: marker.should_panic,
            }));
        }
        Ok(markers)
    }

    /// Returns the files that the driver needs to restore the originals; `work` is the copy as the driver sees it.
    pub fn provided(&self, work: &Path) -> BTreeMap<String, String> {
        let mut provided = BTreeMap::new();
        let mut list = String::new();
        for (number, file) in self.files.iter().enumerate() {
            list.push_str(&format!("{number} {}\n", work.join(&file.path).display()));
            provided.insert(format!("{ORIGINAL}{number}"), file.original.clone());
            provided.insert(format!("{MARKED}{number}"), file.instrumented.clone());
        }
        if !list.is_empty() {
            provided.insert(LIST.to_owned(), list);
        }
        provided
    }

    /// Returns the instrumented files with their original text.
    pub fn originals(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|file| (file.path.as_str(), file.original.as_str()))
    }

    /// Restores the files that the driver did not restore.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be written.
    pub fn dismiss(&self, copy: &mut WorkCopy) -> Result<(), CopyError> {
        for (path, original) in self.originals() {
            if copy.text(path, FILE_BYTES_MAX as u64).as_deref() != Some(original) {
                copy.write(path, original)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use assize_gate::gate::GATES;
    use assize_testkit::repo::Repo;

    use super::*;

    const TESTED: &str = "#[test]\nfn a() {}\n";

    fn copy_of(files: &[(&str, &str)]) -> WorkCopy {
        let repo = Repo::with_commit(files);
        let paths: Vec<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        WorkCopy::of_folder(&repo.path(), paths).expect("a copy")
    }

    fn called(copy: &mut WorkCopy, gate: &str) -> CompletionMarkers {
        let gate = GATES.iter().copied().find(|other| other.id() == gate).expect("a gate");
        let manifest = copy.text("Cargo.toml", 1000).expect("a manifest");
        let project = Project {
            files: copy.files().clone(),
            manifests: [("Cargo.toml".to_owned(), manifest)].into(),
            ..Project::default()
        };
        let setup = Setup { folder: String::new(), because: String::new(), detail: String::new() };
        let command = gate.command(&setup, &project);
        CompletionMarkers::insert(copy, gate, &setup, &project, &command).expect("files that can be written")
    }

    #[test]
    fn markers_are_inserted_and_removed() {
        let manifest = "[package]\nname = \"p\"\nedition = \"2021\"\n";
        let mut copy = copy_of(&[
            ("Cargo.toml", manifest),
            ("src/lib.rs", "pub fn a() {}\n"),
            ("tests/api.rs", TESTED),
            ("tests/ui/fails.rs", TESTED),
        ]);
        let markers = called(&mut copy, "cargo-test");
        assert_eq!(markers.markers.iter().map(|marker| marker.ids.clone()).collect::<Vec<_>>(), [["p::api a"]]);
        assert!(copy.text("tests/api.rs", 10_000).expect("there").contains(&markers.markers[0].ended));
        assert_eq!(copy.text("tests/ui/fails.rs", 10_000).as_deref(), Some(TESTED));
        let provided = markers.provided(Path::new("/w"));
        assert_eq!(provided["marked.list"], "0 /w/tests/api.rs\n");
        assert_eq!(provided["original.0"], TESTED);
        assert_eq!(copy.text("tests/api.rs", 10_000).as_deref(), Some(provided["marked.0"].as_str()));
        markers.dismiss(&mut copy).expect("files that can be written");
        assert_eq!(copy.text("tests/api.rs", 10_000).as_deref(), Some(TESTED));
    }

    #[test]
    fn nobody_is_called_where_nobody_listens() {
        let manifest = "[package]\nname = \"p\"\nedition = \"2021\"\n";
        let mut copy = copy_of(&[("Cargo.toml", manifest), ("tests/api.rs", TESTED)]);
        let markers = called(&mut copy, "cargo-clippy");
        assert!(markers.markers.is_empty() && markers.provided(Path::new("/w")).is_empty());
        assert_eq!(copy.text("tests/api.rs", 10_000).as_deref(), Some(TESTED));
    }
}
