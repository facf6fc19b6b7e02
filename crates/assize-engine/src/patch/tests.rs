//! Patches in real folders: what is written, what is rejected, and what an interruption leaves.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use assize_patch::{Op, PatchLimits};

use super::*;

struct PatchFixture {
    folder: tempfile::TempDir,
}

impl PatchFixture {
    fn new(files: &[(&str, &str)]) -> Self {
        let world = Self { folder: tempfile::tempdir().expect("a folder") };
        for (path, text) in files {
            world.write(path, text);
        }
        world
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("tree")
    }

    fn at(&self, path: &str) -> PathBuf {
        self.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, text).expect("written");
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.at(path)).ok()
    }

    fn patcher(&self) -> Patcher {
        Patcher::open(&self.path()).expect("a tree")
    }

    fn apply(&self, ops: &[Op]) -> Result<PreparedPatch, PatchError> {
        self.apply_patch(Patch { ops: ops.to_vec() })
    }

    fn apply_patch(&self, patch: Patch) -> Result<PreparedPatch, PatchError> {
        self.patcher().apply(&PatchTerms::default(), &PatchInput::Operations(patch))
    }

    fn changes(&self, patch: Patch) -> Vec<FileTransition> {
        let prepared = self.patcher().prepare(&PatchTerms::default(), &PatchInput::Operations(patch)).expect("it fits");
        prepared.plan.changes
    }

    /// Leaves a journal as an interruption does, before the first of its changes.
    fn leave_journal(&self, changes: &[FileTransition]) {
        let root = OpenTree::open(&self.path(), Fuse::default()).expect("a tree");
        let state = StateFolder::open(&root, &self.path()).expect("opened").expect("free");
        let record = PatchJournalRecord { nonce: NONCE, changes: changes.into() };
        state.journal().write(&record, &Fuse::default()).expect("written");
    }

    /// Returns every file with its text, and what should not exist: empty folders and leftovers of an apply.
    fn all(&self) -> (BTreeMap<String, String>, Vec<String>) {
        fn list(folder: &Path, root: &Path, into: &mut (BTreeMap<String, String>, Vec<String>)) {
            let names: Vec<_> = fs::read_dir(folder).expect("a folder").flatten().collect();
            let shown = |path: &Path| path.strip_prefix(root).expect("below").to_string_lossy().into_owned();
            if names.is_empty() && folder.file_name() != Some(STATE_FOLDER.as_ref()) {
                into.1.push(shown(folder));
            }
            for entry in names {
                let path = entry.path();
                if entry.file_type().expect("a kind").is_dir() {
                    list(&path, root, into);
                } else if shown(&path).contains(STATE_FOLDER) {
                    into.1.push(shown(&path));
                } else {
                    let mode = fs::metadata(&path).expect("there").permissions().mode() & 0o777;
                    let text = fs::read_to_string(&path).expect("read");
                    into.0.insert(shown(&path), format!("{mode:o} {text}"));
                }
            }
        }
        let mut all = Default::default();
        list(&self.path(), &self.path(), &mut all);
        all
    }

    /// Returns every file with its text, without the state folder.
    fn files(&self) -> Vec<String> {
        fn list(folder: &Path, into: &mut Vec<String>, root: &Path) {
            for entry in fs::read_dir(folder).expect("a folder").flatten() {
                let path = entry.path();
                if entry.file_type().expect("a kind").is_dir() {
                    if entry.file_name() != STATE_FOLDER {
                        list(&path, into, root);
                    }
                } else {
                    into.push(path.strip_prefix(root).expect("below").to_string_lossy().into_owned());
                }
            }
        }
        let mut files = Vec::new();
        list(&self.path(), &mut files, &self.path());
        files.sort();
        files
    }
}

fn edit(path: &str, find: &str, replace: &str) -> Op {
    Op::Edit { path: path.into(), find: find.into(), replace: replace.into(), occurrences: None }
}

fn add(path: &str, content: &str) -> Op {
    Op::Add { path: path.into(), content: content.into(), encoding: None, executable: None }
}

fn remove(path: &str) -> Op {
    Op::Remove { path: path.into() }
}

#[test]
fn a_patch_is_carried_out_and_taken_back() {
    let world = PatchFixture::new(&[("a.txt", "one\n"), ("d/b.txt", "two\n")]);
    let ops = [edit("a.txt", "one", "1"), remove("d/b.txt"), add("n/m/c.txt", "three\n")];
    let applied = world.apply(&ops).expect("applied");
    assert_eq!(world.files(), ["a.txt", "n/m/c.txt"]);
    assert_eq!(world.read("a.txt").as_deref(), Some("1\n"));
    assert!(!world.at("d").exists(), "an empty folder goes");
    assert!(world.apply(&ops).expect("recognized").plan.is_applied);
    world.apply_patch(applied.inverse).expect("taken back");
    assert_eq!(world.files(), ["a.txt", "d/b.txt"]);
    assert_eq!(world.read("d/b.txt").as_deref(), Some("two\n"));
    assert!(!world.at(".assize/patch.journal").exists());
}

#[test]
fn a_patch_that_does_not_fit_changes_nothing() {
    let world = PatchFixture::new(&[("a", "one\n"), ("b", "two\n")]);
    let failed = world.apply(&[edit("a", "one", "1"), edit("b", "three", "3")]);
    let Err(PatchError::Unfit(faults)) = failed else { panic!("{failed:?}") };
    assert_eq!(faults.len(), 1);
    assert_eq!(world.read("a").as_deref(), Some("one\n"));
}

#[test]
fn modes_survive() {
    let world = PatchFixture::new(&[("run", "one\n"), ("quiet", "one\n")]);
    for (name, mode) in [("run", 0o751), ("quiet", 0o600)] {
        fs::set_permissions(world.at(name), fs::Permissions::from_mode(mode)).expect("mode");
    }
    let script = Op::Add { path: "new".into(), content: "x".into(), encoding: None, executable: Some(true) };
    world.apply(&[edit("run", "one", "1"), edit("quiet", "one", "1"), script]).expect("applied");
    let mode = |name: &str| fs::metadata(world.at(name)).expect("there").permissions().mode() & 0o777;
    assert_eq!((mode("run"), mode("quiet")), (0o751, 0o600));
    assert_eq!(mode("new") & 0o100, 0o100);
}

#[test]
fn nothing_is_followed_out_of_the_tree() {
    let world = PatchFixture::new(&[("a", "x"), ("d/b", "x")]);
    let outside = world.folder.path().join("outside");
    fs::create_dir(&outside).expect("a folder");
    fs::write(outside.join("secret"), "x").expect("written");
    symlink(outside.join("secret"), world.at("link")).expect("a link");
    symlink(&outside, world.at("folder")).expect("a link");
    symlink("nowhere", world.at("dangling")).expect("a link");
    symlink("d", world.at("inner")).expect("a link");
    fs::hard_link(outside.join("secret"), world.at("second-name")).expect("a link");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        world.at("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .expect("a pipe");
    let before = world.files();
    for (op, what) in [
        (edit("link", "x", "y"), "symbolic link"),
        (remove("link"), "symbolic link"),
        (add("link", "y"), "symbolic link"),
        (add("dangling", "y"), "symbolic link"),
        (add("folder/new", "y"), "symbolic link"),
        (edit("folder/secret", "x", "y"), "symbolic link"),
        (remove("inner/b"), "symbolic link"),
        (edit("second-name", "x", "y"), "hard links"),
        (edit("pipe", "x", "y"), "pipe"),
    ] {
        let failed = world.apply(std::slice::from_ref(&op));
        let Err(PatchError::Unfit(faults)) = failed else { panic!("{op:?}: {failed:?}") };
        assert!(faults[0].message.contains(what), "{op:?}: {faults:?}");
    }
    assert_eq!(world.files(), before);
    assert_eq!(fs::read_to_string(outside.join("secret")).expect("there"), "x");
    assert_eq!(fs::read_dir(&outside).expect("a folder").count(), 1);
}

#[test]
fn a_file_may_become_a_folder_and_the_other_way_round() {
    let world = PatchFixture::new(&[("a", "x"), ("d/b", "x")]);
    let applied = world.apply(&[remove("a"), add("a/b", "y"), remove("d/b"), add("e", "z")]).expect("applied");
    assert_eq!(world.files(), ["a/b", "e"]);
    world.apply_patch(applied.inverse).expect("taken back");
    assert_eq!(world.files(), ["a", "d/b"]);
}

#[test]
fn one_patch_at_a_time() {
    let world = PatchFixture::new(&[("a", "x")]);
    let first = world.patcher();
    assert!(matches!(Patcher::open(&world.path()), Err(PatchError::Busy { .. })));
    drop(first);
    world.patcher();
}

#[test]
fn what_an_interruption_leaves_is_finished_by_the_next_run() {
    let world = PatchFixture::new(&[("a", "1\n"), ("b", "2\n"), ("c", "3\n")]);
    let patch = Patch { ops: vec![edit("a", "1", "one"), edit("b", "2", "two"), remove("c"), add("c/d", "4\n")] };
    let changes = world.changes(patch);
    let finished = |world: &PatchFixture| {
        assert!(world.patcher().finished_earlier);
        assert_eq!(world.files(), ["a", "b", "c/d"]);
        assert_eq!(world.read("b").as_deref(), Some("two\n"));
        assert!(!world.patcher().finished_earlier, "once");
    };
    // Only the journal is written.
    world.leave_journal(&changes);
    finished(&world);
    // Half of it is done, and there is a temporary file.
    let beside = PatchJournalRecord { nonce: NONCE, changes: changes.as_slice().into() }.beside(1);
    let world = PatchFixture::new(&[("a", "one\n"), ("b", "2\n"), (&beside, "tw"), (".assize/x", "")]);
    world.leave_journal(&changes);
    finished(&world);
    // Everything is done except removing the journal. Checking a patch changes nothing.
    world.leave_journal(&changes);
    let input = PatchInput::Operations(Patch { ops: vec![edit("a", "one", "1")] });
    let checked = check(&world.path(), &PatchTerms::default(), &input).expect_err("no tree to look at");
    assert!(matches!(checked, PatchError::Unfinished { .. }), "{checked}");
    assert!(world.patcher().finished_earlier);
    check(&world.path(), &PatchTerms::default(), &input).expect("it fits");
}

#[test]
fn what_was_changed_after_an_interruption_is_not_overwritten() {
    let world = PatchFixture::new(&[("a", "1\n"), ("b", "2\n")]);
    let patch = Patch { ops: vec![edit("a", "1", "one"), edit("b", "2", "two")] };
    world.leave_journal(&world.changes(patch));
    world.write("b", "something else\n");
    let failed = Patcher::open(&world.path()).err().expect("stuck");
    assert!(matches!(&failed, PatchError::Stuck { path, .. } if path == "b"), "{failed}");
    assert_eq!(world.read("a").as_deref(), Some("1\n"));
    assert_eq!(world.read("b").as_deref(), Some("something else\n"));
}

const NONCE: u64 = 7;

/// A tree, and a patch with every kind of operation.
fn small() -> (PatchFixture, Patch) {
    let files = [("a", "1\n"), ("b", "2\n"), ("c", "3\n"), ("d/e/f", "4\n"), ("g/h", "5\n"), ("g/i", "6\n")];
    let world = PatchFixture::new(&files);
    fs::set_permissions(world.at("b"), fs::Permissions::from_mode(0o640)).expect("mode");
    let script = Op::Add { path: "a".into(), content: "1\n".into(), encoding: None, executable: Some(true) };
    let ops = vec![
        remove("a"),
        script,
        edit("b", "2", "two"),
        remove("c"),
        add("c/new/x", "x\n"),
        add("c/y", "y\n"),
        remove("d/e/f"),
        add("d2", "z\n"),
        remove("g/h"),
    ];
    (world, Patch { ops })
}

/// Applies a patch and stops before a change to the disk, as a kill would. Returns whether it was completed.
fn applied_until(world: &PatchFixture, patch: &Patch, changes: usize) -> bool {
    let input = PatchInput::Operations(patch.clone());
    Patcher::open_with_fuse(&world.path(), Fuse::of(changes))
        .is_ok_and(|patcher| patcher.apply(&PatchTerms::default(), &input).is_ok())
}

#[test]
fn a_kill_before_any_single_change_to_the_disk_leaves_all_or_nothing() {
    let (world, patch) = small();
    let old = world.all();
    assert!(applied_until(&world, &patch, usize::MAX));
    let new = world.all();
    assert_eq!((&old.1, &new.1), (&vec![], &vec![]));
    let mut outcomes = [0, 0];
    for changes in 0.. {
        let (world, patch) = small();
        if applied_until(&world, &patch, changes) {
            assert_eq!(world.all(), new);
            break;
        }
        // Every seventh time, the process that finishes it is killed as well, before each of its own changes.
        if changes % 7 == 0 {
            (0..).find(|changes| Patcher::open_with_fuse(&world.path(), Fuse::of(*changes)).is_ok());
        }
        drop(world.patcher());
        let all = world.all();
        assert!(all == old || all == new, "stopped before change {changes}: {all:?}");
        outcomes[usize::from(all == new)] += 1;
    }
    // Four changes until the journal has its name; then the files and their folders.
    assert_eq!(outcomes[0], 4);
    assert!(outcomes[1] > 25, "{outcomes:?}");
}

#[test]
fn a_journal_that_is_damaged_changes_nothing_and_says_so() {
    let (world, patch) = small();
    let old = world.all().0;
    assert!(!applied_until(&world, &patch, 5), "the journal stands, and nothing else is done");
    let path = world.at(".assize/patch.journal");
    let whole = fs::read(&path).expect("read");
    let cut = (0..whole.len()).step_by(31).map(|length| whole[..length].to_vec());
    let changed = (0..whole.len()).step_by(29).map(|at| {
        let mut changed = whole.clone();
        changed[at] ^= 0x20;
        changed
    });
    for bytes in cut.chain(changed) {
        fs::write(&path, &bytes).expect("written");
        let input = PatchInput::Operations(patch.clone());
        let checked = check(&world.path(), &PatchTerms::default(), &input).err();
        assert!(matches!(checked, Some(PatchError::Unfinished { .. })), "{checked:?}");
        let failed = Patcher::open(&world.path()).err();
        assert!(matches!(failed, Some(PatchError::Journal(PatchJournalError::Damaged { .. }))), "{failed:?}");
        assert_eq!(world.all().0, old);
    }
    fs::remove_file(&path).expect("removed");
    assert!(applied_until(&world, &patch, usize::MAX), "once it is gone");
}

#[test]
fn operations_that_nobody_checked_stay_below_the_root() {
    let world = PatchFixture::new(&[("a", "x")]);
    let outside = world.folder.path().join("b");
    for path in ["../b", "a/../../b", ".git/hooks/x", ".assize/patch.journal", "", outside.to_str().expect("text")] {
        let failed = world.apply(&[add(path, "x")]);
        let Err(PatchError::Unfit(faults)) = failed else { panic!("{path}: {failed:?}") };
        assert_eq!(faults[0].at, "ops[0].path");
    }
    assert_eq!(world.files(), ["a"]);
    assert!(!outside.exists());
}

#[test]
fn a_deep_tree_and_a_wide_one_need_few_open_folders() {
    let deep = "d/".repeat(400) + "f";
    let wide: Vec<String> = (0..200).map(|number| format!("w{number}/f")).collect();
    let world = PatchFixture::new(&[("a", "x")]);
    let terms = PatchTerms { limits: PatchLimits { ops_max: 1_000, ..PatchLimits::default() }, ..Default::default() };
    let patcher = world.patcher();
    let ops = wide.iter().map(String::as_str).chain([deep.as_str()]).map(|path| add(path, "x")).collect();
    let applied = patcher.apply(&terms, &PatchInput::Operations(Patch { ops })).expect("applied");
    assert_eq!(world.read(&deep).as_deref(), Some("x"));
    assert!(patcher.root.is_within_limit());
    patcher.apply(&terms, &PatchInput::Operations(applied.inverse)).expect("taken back");
    assert_eq!(world.files(), ["a"]);
    assert!(patcher.root.is_within_limit());
}

#[test]
fn a_link_in_the_place_of_our_own_folder_is_not_followed() {
    let world = PatchFixture::new(&[("a", "x")]);
    let outside = world.folder.path().join("outside");
    fs::create_dir(&outside).expect("a folder");
    symlink(&outside, world.at(STATE_FOLDER)).expect("a link");
    assert!(matches!(Patcher::open(&world.path()), Err(PatchError::Io { .. })));
    fs::remove_file(world.at(STATE_FOLDER)).expect("removed");
    drop(world.patcher());
    // Links in the places of its files, which may come with a tree.
    symlink(outside.join("lock"), world.at(".assize/patch.lock")).expect("a link");
    assert!(Patcher::open(&world.path()).is_err());
    fs::remove_file(world.at(".assize/patch.lock")).expect("removed");
    symlink(outside.join("journal"), world.at(".assize/patch.journal")).expect("a link");
    assert!(Patcher::open(&world.path()).is_err());
    assert_eq!(fs::read_dir(&outside).expect("a folder").count(), 0);
}

#[test]
fn what_cannot_be_written_changes_nothing() {
    let world = PatchFixture::new(&[("a", "1\n"), ("z/b", "2\n"), (".assize/x", "")]);
    let patch = Patch { ops: vec![edit("a", "1", "one"), edit("z/b", "2", "two")] };
    let before = world.all();
    // Five changes make the journal; from the twelfth on, files are moved to their places.
    for changes in 5..12 {
        let input = PatchInput::Operations(patch.clone());
        let patcher = Patcher::open_with_fuse(&world.path(), Fuse::failing_once(changes)).expect("opened");
        let failed = patcher.apply(&PatchTerms::default(), &input).expect_err("refused");
        assert!(matches!(failed, PatchError::Io { .. }), "{changes}: {failed}");
        drop(patcher);
        assert_eq!(world.all(), before, "{changes}");
        assert!(!world.patcher().finished_earlier, "{changes}: nothing is left to be done");
    }
}

#[test]
fn an_unfinished_patch_is_resumed_later() {
    let world = PatchFixture::new(&[("a", "1\n"), ("z/b", "2\n"), (".assize/x", "")]);
    let patch = Patch { ops: vec![edit("a", "1", "one"), edit("z/b", "2", "two")] };
    let before = world.all();
    world.leave_journal(&world.changes(patch));
    for changes in 0..7 {
        let failed = Patcher::open_with_fuse(&world.path(), Fuse::failing_once(changes)).err().expect("not finished");
        assert!(matches!(failed, PatchError::Unfinishable { .. }), "{changes}: {failed}");
        let (files, mut others) = world.all();
        others.sort();
        assert_eq!(files, before.0, "{changes}");
        assert_eq!(others, [".assize/patch.journal", ".assize/x"], "{changes}: nothing of it takes up room");
    }
    assert!(world.patcher().finished_earlier);
    assert_eq!(world.read("z/b").as_deref(), Some("two\n"));
}
