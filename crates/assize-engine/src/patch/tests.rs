//! Patches in real folders: what is written, what is refused, and what an interruption leaves.

use std::os::unix::fs::{PermissionsExt as _, symlink};

use assize_core::patch::Op;

use super::*;

struct World {
    folder: tempfile::TempDir,
}

impl World {
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

    fn apply(&self, ops: &[Op]) -> Result<Prepared, PatchError> {
        self.apply_patch(Patch { ops: ops.to_vec() })
    }

    fn apply_patch(&self, patch: Patch) -> Result<Prepared, PatchError> {
        self.patcher().apply(&PatchTerms::default(), &Handed::Operations(patch))
    }

    fn steps(&self, patch: Patch) -> Vec<Step> {
        let prepared = self.patcher().prepare(&PatchTerms::default(), &Handed::Operations(patch)).expect("it fits");
        prepared.plan.changes.iter().map(Step::of).collect()
    }

    /// Returns every file but our own, with what stands in it.
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
    let world = World::new(&[("a.txt", "one\n"), ("d/b.txt", "two\n")]);
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
    let world = World::new(&[("a", "one\n"), ("b", "two\n")]);
    let failed = world.apply(&[edit("a", "one", "1"), edit("b", "three", "3")]);
    let Err(PatchError::Unfit(faults)) = failed else { panic!("{failed:?}") };
    assert_eq!(faults.len(), 1);
    assert_eq!(world.read("a").as_deref(), Some("one\n"));
}

#[test]
fn modes_survive() {
    let world = World::new(&[("run", "one\n"), ("quiet", "one\n")]);
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
    let world = World::new(&[("a", "x"), ("d/b", "x")]);
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
    let world = World::new(&[("a", "x"), ("d/b", "x")]);
    let applied = world.apply(&[remove("a"), add("a/b", "y"), remove("d/b"), add("e", "z")]).expect("applied");
    assert_eq!(world.files(), ["a/b", "e"]);
    world.apply_patch(applied.inverse).expect("taken back");
    assert_eq!(world.files(), ["a", "d/b"]);
}

#[test]
fn one_patch_at_a_time() {
    let world = World::new(&[("a", "x")]);
    let first = world.patcher();
    assert!(matches!(Patcher::open(&world.path()), Err(PatchError::Busy { .. })));
    drop(first);
    world.patcher();
}

#[test]
fn what_an_interruption_leaves_is_finished_by_the_next_run() {
    let world = World::new(&[("a", "1\n"), ("b", "2\n"), ("c", "3\n")]);
    let patch = Patch { ops: vec![edit("a", "1", "one"), edit("b", "2", "two"), remove("c"), add("c/d", "4\n")] };
    let steps = world.steps(patch);
    let state = world.at(STATE_FOLDER);
    let finished = |world: &World| {
        assert!(world.patcher().finished_earlier);
        assert_eq!(world.files(), ["a", "b", "c/d"]);
        assert_eq!(world.read("b").as_deref(), Some("two\n"));
        assert!(!world.patcher().finished_earlier, "once");
    };
    // Nothing is done but the journal.
    Journal::within(&state).write(&steps).expect("written");
    finished(&world);
    // Half of it is done, and a file lies beside its place.
    let world = World::new(&[("a", "one\n"), ("b", "2\n"), (".assize-patch-1", "tw"), (".assize/x", "")]);
    Journal::within(&world.at(STATE_FOLDER)).write(&steps).expect("written");
    finished(&world);
    // All is done but taking the journal away.
    Journal::within(&world.at(STATE_FOLDER)).write(&steps).expect("written");
    finished(&world);
}

#[test]
fn what_was_changed_after_an_interruption_is_not_overwritten() {
    let world = World::new(&[("a", "1\n"), ("b", "2\n")]);
    let patch = Patch { ops: vec![edit("a", "1", "one"), edit("b", "2", "two")] };
    let steps = world.steps(patch);
    Journal::within(&world.at(STATE_FOLDER)).write(&steps).expect("written");
    world.write("b", "something else\n");
    let failed = Patcher::open(&world.path()).err().expect("stuck");
    assert!(matches!(&failed, PatchError::Stuck { path, .. } if path == "b"), "{failed}");
    assert_eq!(world.read("a").as_deref(), Some("1\n"));
    assert_eq!(world.read("b").as_deref(), Some("something else\n"));
}
