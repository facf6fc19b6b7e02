//! Calls witnesses into the tests of a copy, and sends them away again.
//!
//! A file gets its witnesses for the build alone: before the first test runs the driver puts back what stood there, so
//! that tests which look at their own sources see nothing, and whoever looks for the words does not find them. What
//! is heard is judged in the core.

use std::collections::BTreeMap;
use std::path::Path;

use assize_brief::inline_tests::FILE_BYTES_MAX;
use assize_brief::witness::with_witnesses;
use assize_core::gate::witness::{LIST, ORIGINAL, VARIABLE, WITNESSED, Witness};
use assize_core::gate::{Gate, GateCommand, Project, Setup};

use crate::court::fresh_word;
use crate::work_copy::{CopyError, WorkCopy};

/// The witnesses of one run, and the files that they stand in.
#[derive(Debug, Default)]
pub(super) struct Witnesses {
    /// The witnesses.
    pub called: Vec<Witness>,
    files: Vec<Changed>,
}

/// A file as it was, and as it is for the build.
#[derive(Debug)]
struct Changed {
    path: String,
    original: String,
    witnessed: String,
}

impl Witnesses {
    /// Puts witnesses into the tests of a copy, where the gate's command takes them.
    ///
    /// # Errors
    ///
    /// Fails when a file cannot be written.
    pub fn call(
        copy: &mut WorkCopy,
        gate: &dyn Gate,
        setup: &Setup,
        project: &Project,
        command: &GateCommand,
    ) -> Result<Self, CopyError> {
        let mut witnesses = Self::default();
        if !command.environment.contains_key(VARIABLE) {
            return Ok(witnesses);
        }
        let paths: Vec<String> =
            copy.files().iter().filter(|path| path.ends_with(".rs") && !path.contains('\n')).cloned().collect();
        for path in paths {
            let Some(original) = copy.text(&path, FILE_BYTES_MAX as u64) else { continue };
            let Some((witnessed, found)) = with_witnesses(&original, VARIABLE, &mut fresh_word) else { continue };
            let tests: Vec<(String, String)> =
                found.iter().map(|witness| (path.clone(), witness.name.clone())).collect();
            let ids = gate.test_ids(setup, project, &tests);
            // A file that belongs to no program may be there to be looked at.
            if ids.iter().all(Vec::is_empty) {
                continue;
            }
            copy.write(&path, &witnessed)?;
            witnesses.files.push(Changed { path, original, witnessed });
            let heard = found.into_iter().zip(ids).filter(|(_, ids)| !ids.is_empty());
            witnesses.called.extend(heard.map(|(witness, ids)| Witness {
                ids,
                ended: witness.ended,
                panicked: witness.panicked,
                silent: witness.silent,
                should_panic: witness.should_panic,
            }));
        }
        Ok(witnesses)
    }

    /// What the driver needs to put the files back; `work` is where it sees the copy.
    pub fn provided(&self, work: &Path) -> BTreeMap<String, String> {
        let mut provided = BTreeMap::new();
        let mut list = String::new();
        for (number, file) in self.files.iter().enumerate() {
            list.push_str(&format!("{number} {}\n", work.join(&file.path).display()));
            provided.insert(format!("{ORIGINAL}{number}"), file.original.clone());
            provided.insert(format!("{WITNESSED}{number}"), file.witnessed.clone());
        }
        if !list.is_empty() {
            provided.insert(LIST.to_owned(), list);
        }
        provided
    }

    /// The files, each with what stood there.
    pub fn originals(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|file| (file.path.as_str(), file.original.as_str()))
    }

    /// Puts back what the driver did not.
    ///
    /// # Errors
    ///
    /// Fails when a file cannot be written.
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
    use assize_core::gate::GATES;
    use assize_testkit::repo::Repo;

    use super::*;

    const TESTED: &str = "#[test]\nfn a() {}\n";

    fn copy_of(files: &[(&str, &str)]) -> WorkCopy {
        let repo = Repo::with_commit(files);
        let paths: Vec<String> = files.iter().map(|(path, _)| (*path).to_owned()).collect();
        WorkCopy::of_folder(&repo.path(), paths).expect("a copy")
    }

    fn called(copy: &mut WorkCopy, gate: &str) -> Witnesses {
        let gate = GATES.iter().copied().find(|known| known.id() == gate).expect("a gate");
        let manifest = copy.text("Cargo.toml", 1000).expect("a manifest");
        let project = Project {
            files: copy.files().clone(),
            manifests: [("Cargo.toml".to_owned(), manifest)].into(),
            ..Project::default()
        };
        let setup = Setup { folder: String::new(), because: String::new(), detail: String::new() };
        let command = gate.command(&setup, &project);
        Witnesses::call(copy, gate, &setup, &project, &command).expect("files that can be written")
    }

    #[test]
    fn tests_of_programs_get_witnesses_and_lose_them_again() {
        let manifest = "[package]\nname = \"p\"\nedition = \"2021\"\n";
        let mut copy = copy_of(&[
            ("Cargo.toml", manifest),
            ("src/lib.rs", "pub fn a() {}\n"),
            ("tests/api.rs", TESTED),
            ("tests/ui/fails.rs", TESTED),
        ]);
        let witnesses = called(&mut copy, "cargo-test");
        assert_eq!(witnesses.called.iter().map(|witness| witness.ids.clone()).collect::<Vec<_>>(), [["p::api a"]]);
        assert!(copy.text("tests/api.rs", 10_000).expect("there").contains(&witnesses.called[0].ended));
        assert_eq!(copy.text("tests/ui/fails.rs", 10_000).as_deref(), Some(TESTED));
        let provided = witnesses.provided(Path::new("/w"));
        assert_eq!(provided["witnessed.list"], "0 /w/tests/api.rs\n");
        assert_eq!(provided["original.0"], TESTED);
        assert_eq!(copy.text("tests/api.rs", 10_000).as_deref(), Some(provided["witnessed.0"].as_str()));
        witnesses.dismiss(&mut copy).expect("files that can be written");
        assert_eq!(copy.text("tests/api.rs", 10_000).as_deref(), Some(TESTED));
    }

    #[test]
    fn nobody_is_called_where_nobody_listens() {
        let manifest = "[package]\nname = \"p\"\nedition = \"2021\"\n";
        let mut copy = copy_of(&[("Cargo.toml", manifest), ("tests/api.rs", TESTED)]);
        let witnesses = called(&mut copy, "cargo-clippy");
        assert!(witnesses.called.is_empty() && witnesses.provided(Path::new("/w")).is_empty());
        assert_eq!(copy.text("tests/api.rs", 10_000).as_deref(), Some(TESTED));
    }
}
