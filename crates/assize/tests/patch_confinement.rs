//! What a patch does to nothing but its own files, all of them or none: whoever kills it, swaps folders for links meanwhile, or
//! names paths that lead out.
//!
//! Kills and swaps are few here; `cargo xtask torture` runs the same two tests with more.

#![expect(clippy::print_stdout, reason = "whoever runs these with more wants to see the figures")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use assize_engine::patch::{PatchError, PatchTerms, Patcher, PreparedPatch, check};
use assize_patch::{NamePolicy, Op, Patch, PatchForm, PatchInput, PatchLimits, PathState, check_path};
use proptest::prelude::*;

/// How many applies are killed, unless the environment says more.
const KILLS: usize = 12;
/// How often something is swapped for a link, unless the environment says more.
const SWAPS: usize = 3_000;

fn count(variable: &str, usual: usize) -> usize {
    std::env::var(variable).ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

/// A thing below a folder: its mode, and what stands in it or where it leads.
type Listing = BTreeMap<String, (u32, Vec<u8>)>;

fn walk(folder: &Path, see: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        see(&entry.path());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&entry.path(), see);
        }
    }
}

fn below(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).expect("below").to_string_lossy().into_owned()
}

/// Returns everything below a folder but Assize's own; a folder has no bytes.
fn listed(root: &Path) -> Listing {
    let mut listing = Listing::new();
    walk(root, &mut |path| {
        let stat = fs::symlink_metadata(path).expect("there");
        let bytes = if stat.is_file() { fs::read(path).expect("read") } else { Vec::new() };
        let shown = below(root, path);
        if shown.split('/').next() != Some(".assize") {
            listing.insert(shown, (stat.mode(), bytes));
        }
    });
    listing
}

/// Returns what cannot stay the same when something is written, made or taken away below a folder, even for a moment.
fn watched(root: &Path) -> BTreeMap<PathBuf, (u64, u64, i64, i64, i64, i64)> {
    let mut seen = BTreeMap::new();
    let mut see = |path: &Path| {
        let stat = fs::symlink_metadata(path).expect("there");
        let times = (stat.mtime(), stat.mtime_nsec(), stat.ctime(), stat.ctime_nsec());
        seen.insert(path.to_owned(), (stat.ino(), stat.size(), times.0, times.1, times.2, times.3));
    };
    see(root);
    walk(root, &mut see);
    seen
}

/// Returns a folder in memory where the system has a place for it: what these tests are about needs no disk, and each apply waits for
/// all that others have written to one.
fn in_memory() -> tempfile::TempDir {
    let place = Path::new("/dev/shm");
    if place.is_dir() { tempfile::tempdir_in(place) } else { tempfile::tempdir() }.expect("a folder")
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
    fs::write(path, text).expect("written");
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

fn terms() -> PatchTerms {
    PatchTerms { limits: PatchLimits { ops_max: 1_000, bytes_max: 1 << 20 }, ..PatchTerms::default() }
}

fn handed(ops: &[Op]) -> PatchInput {
    PatchInput::Operations(Patch { ops: ops.to_vec() })
}

fn apply(tree: &Path, ops: &[Op]) -> Result<PreparedPatch, PatchError> {
    Patcher::open(tree)?.apply(&terms(), &handed(ops))
}

/// Numbers that look random, and are the same each time.
struct PatchRng(u64);

impl PatchRng {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// A tree of 300 files, and a patch that changes 200 of them: edits, new and emptied folders, modes, files that become folders.
fn large(tree: &Path) -> Vec<Op> {
    let text = |number: usize| format!("first of {number}\n").repeat(20) + &format!("line of {number}\nlast\n");
    let mut ops = Vec::new();
    for number in 0..110 {
        let path = format!("edited/m{}/f{number}.txt", number % 12);
        write(tree, &path, &text(number));
        ops.push(edit(&path, &format!("line of {number}\n"), &"longer\n".repeat(number)));
    }
    for number in 0..30 {
        let path = format!("gone/g{}/f{number}.txt", number % 6);
        write(tree, &path, &text(number));
        ops.push(remove(&path));
        ops.push(add(&format!("new/n{}/deep/f{number}.txt", number % 7), &text(number)));
    }
    for number in 0..10 {
        let (script, swapped) = (format!("mode/f{number}.sh"), format!("swapped/{number}"));
        write(tree, &script, &text(number));
        write(tree, &swapped, &text(number));
        let executable = Some(true);
        ops.push(remove(&script));
        ops.push(Op::Add { path: script, content: text(number), encoding: None, executable });
        ops.push(remove(&swapped));
        ops.push(add(&format!("{swapped}/inner"), &text(number)));
    }
    for number in 0..130 {
        write(tree, &format!("edited/m{}/untouched{number}.txt", number % 12), &text(number));
    }
    ops
}

/// The program, with a patch on its way into a tree.
fn program(tree: &Path, action: &str, patch: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assize"));
    command.args(["patch", action, "--ops-max", "1000", "--bytes-max", "1000000"]).arg(patch).current_dir(tree);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

#[test]
fn an_apply_that_is_killed_leaves_all_or_nothing_once_the_next_run_is_done() {
    let folder = tempfile::tempdir().expect("a folder");
    let tree = folder.path().join("tree");
    fs::create_dir_all(tree.join(".git")).expect("folders");
    let ops = large(&tree);
    let fits = check(&tree, &terms(), &handed(&ops)).expect("it fits");
    assert_eq!(fits.plan.changes.len(), 200);
    let documents = [
        ("there.json", fits.patch),
        ("back.json", fits.inverse),
        ("misfit.json", Patch { ops: vec![remove("nowhere")] }),
    ]
    .map(|(name, patch)| {
        write(folder.path(), name, &serde_json::to_string(&patch).expect("JSON"));
        folder.path().join(name)
    });
    let timed = |document: &Path| {
        let began = Instant::now();
        assert!(program(&tree, "apply", document).status().expect("it runs").success());
        began.elapsed()
    };
    let old = listed(&tree);
    timed(&documents[0]);
    let states = [old, listed(&tree)];
    let mut usual = timed(&documents[1]);
    assert_eq!(listed(&tree), states[0], "it is taken back");

    let kills = count("ASSIZE_KILLS", KILLS);
    let (mut numbers, mut at, began) = (PatchRng(7), 0, Instant::now());
    let (mut died, mut intact, mut left) = (0, 0, [0, 0]);
    for number in 0.. {
        if died == kills {
            break;
        }
        assert!(number < kills * 4, "{died} of {number} applies were killed before their end");
        if number % 10 == 9 {
            // How long it takes changes with what else the machine does.
            usual = timed(&documents[at]);
            at = 1 - at;
        }
        let mut child = program(&tree, "apply", &documents[at]).spawn().expect("it runs");
        thread::sleep(usual.mul_f64(numbers.below(1_000) as f64 / 1_000.0));
        child.kill().expect("killed, or at its end already");
        let is_done = child.wait().expect("it ended").success();
        let is_decided = tree.join(".assize/patch.journal").exists();
        // Whoever comes next, with a patch that does not fit.
        match number % 3 {
            0 => drop(Patcher::open(&tree).expect("opened")),
            1 => {
                // Whoever only looks says that a patch is to be finished first, and touches nothing.
                let (left, code) = (listed(&tree), if is_decided { 2 } else { 1 });
                assert_eq!(program(&tree, "check", &documents[2]).status().expect("it runs").code(), Some(code));
                assert_eq!(listed(&tree), left, "kill {number}: it was only looked at");
                drop(Patcher::open(&tree).expect("opened"));
            }
            _ => assert_eq!(program(&tree, "apply", &documents[2]).status().expect("it runs").code(), Some(1)),
        }
        let found = listed(&tree);
        let is_new = found == states[1 - at];
        assert!(is_new || found == states[at], "kill {number} left half of it");
        assert!(is_new || !is_done && !is_decided, "kill {number} lost what was done or decided");
        left[usize::from(is_new)] += usize::from(!is_done);
        died += usize::from(!is_done);
        intact += usize::from(is_decided);
        at = if is_new { 1 - at } else { at };
        // Checking leaves alone what a kill before the journal left; whoever writes takes it away.
        drop(Patcher::open(&tree).expect("opened"));
        assert_eq!(fs::read_dir(tree.join(".assize")).expect("listed").count(), 0, "kill {number} left something");
    }
    println!(
        "{died} applies to 200 files each died by kill -9 at random moments of some {} ms, {intact} of them with a journal; \
         {} left all as it was, {} all as it was to be, 0 anything else; {:.1} s",
        usual.as_millis(),
        left[0],
        left[1],
        began.elapsed().as_secs_f64()
    );
}

/// Something in the tree that is swapped for a link: where it is, and where the link leads.
const SWAPPED: [(&str, &str); 6] = [
    ("d", "d"),
    ("d/e", "d/e"),
    ("d/e/f.txt", "d/e/f.txt"),
    ("top.txt", "top.txt"),
    (".assize", "state"),
    ("new", "d"),
];

/// Files that the patch of this race is about, as they are before it.
const RACED: [&str; 4] = ["d/e/f.txt", "d/e/goes.txt", "d/g.txt", "top.txt"];

/// Puts a tree right in which swaps have mixed what was before a patch with what came after. No link is in it.
fn begin_anew(tree: &Path) {
    for path in [".assize/patch.journal", "d/added.txt", "new/n.txt"] {
        let _ = fs::remove_file(tree.join(path));
    }
    RACED.iter().for_each(|path| write(tree, path, "one\n"));
}

/// Swaps one thing after the other for a link and back, each in one step as far as the system can.
fn swap(tree: &Path, outside: &Path, swaps: usize) {
    let parked = tree.with_file_name("parked");
    let exchange = |path: &Path| {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        renameat_with(CWD, path, CWD, &parked, RenameFlags::EXCHANGE)
    };
    let mut numbers = PatchRng(11);
    let mut wait = |micros: u64| {
        let end = Instant::now() + Duration::from_micros(numbers.below(micros));
        while Instant::now() < end {
            std::hint::spin_loop();
        }
    };
    for number in 0..swaps / 2 {
        if number % 16 == 0 {
            begin_anew(tree);
        }
        let (path, leads_to) = SWAPPED[number % SWAPPED.len()];
        let path = tree.join(path);
        let _ = fs::remove_file(&parked);
        symlink(outside.join(leads_to), &parked).expect("a link");
        if exchange(&path).is_ok() {
            wait(150);
            // A file that was moved over the link is the newer one, and stays.
            if path.is_symlink() {
                exchange(&path).expect("swapped back");
            }
        } else {
            // Nothing is there: the link comes first, and is in the way.
            let _ = fs::rename(&parked, &path);
            wait(150);
            if path.is_symlink() {
                fs::remove_file(&path).expect("removed");
            }
        }
        // Longer than some applies take, and shorter than others.
        wait(2_500);
    }
}

#[test]
fn links_that_are_swapped_in_meanwhile_lead_nothing_out_of_the_tree() {
    let folder = in_memory();
    let (tree, outside) = (folder.path().join("tree"), folder.path().join("outside"));
    // What lies outside is what the patch would fit as well.
    for root in [&tree, &outside] {
        begin_anew(root);
    }
    write(&outside, "state/patch.journal", "no journal");
    let there = [
        edit("d/e/f.txt", "one", "two"),
        remove("d/e/goes.txt"),
        edit("d/g.txt", "one", "two"),
        add("d/added.txt", "two\n"),
        edit("top.txt", "one", "two"),
        add("new/n.txt", "two\n"),
    ];
    let back = apply(&tree, &there).expect("applied").inverse.ops;
    apply(&tree, &back).expect("taken back");
    let (before, seen) = (listed(&outside), watched(&outside));
    let (swaps, began, is_over) = (count("ASSIZE_SWAPS", SWAPS), Instant::now(), AtomicBool::new(false));
    let (mut applied, mut refused, mut stuck) = (0, 0, 0);
    thread::scope(|scope| {
        scope.spawn(|| {
            swap(&tree, &outside, swaps);
            is_over.store(true, Ordering::Relaxed);
        });
        while !is_over.load(Ordering::Relaxed) {
            for ops in [&there[..], &back] {
                match apply(&tree, ops) {
                    Ok(prepared) => applied += usize::from(!prepared.plan.is_applied),
                    Err(PatchError::Stuck { .. } | PatchError::Interrupted { .. }) => stuck += 1,
                    Err(_) => refused += 1,
                }
            }
            assert_eq!(watched(&outside), seen, "something was done outside");
        }
    });
    assert_eq!((listed(&outside), watched(&outside)), (before, seen));
    println!(
        "{swaps} swaps of folders and files for links out of the tree, beside {} applies: {applied} applied, {refused} refused, \
         {stuck} stopped in the middle; nothing outside was touched; {:.1} s",
        applied + refused + stuck,
        began.elapsed().as_secs_f64()
    );
    assert!(applied > 0 && refused + stuck > 0, "they did not meet");
}

/// Texts that somebody may take for the way to the folder above, or to somewhere else altogether.
const LEADS: [&str; 58] = [
    "../",
    "..\\",
    "..//",
    "./../",
    ".././",
    "%2e%2e/",
    "%2e%2e%2f",
    "..%2f",
    "..%5c",
    "%252e%252e/",
    "%c0%ae%c0%ae/",
    "..%c0%af",
    "..;/",
    "..\0/",
    "..\u{2215}",
    "..\u{2044}",
    "..\u{ff0f}",
    "..\u{29f8}",
    "\u{ff0e}\u{ff0e}/",
    "\u{2025}/",
    "\u{2024}\u{2024}/",
    "\u{2026}/",
    "\u{3002}\u{3002}/",
    "..\u{200b}/",
    "\u{feff}../",
    "\u{202e}../",
    "..\u{ad}/",
    "..\u{e0041}/",
    ".\u{301}./",
    ". ./",
    ".. /",
    " ../",
    ".../",
    "..../",
    "..\t/",
    "..\n/",
    "..\r/",
    "x/../../",
    "/",
    "//",
    "///",
    "/./",
    "~/",
    "~root/",
    "~+/",
    "C:/",
    "C:\\",
    "c:",
    "\\\\server\\share\\",
    "\\\\?\\C:\\",
    "//?/C:/",
    "file:///",
    "/proc/self/cwd/../",
    "/dev/fd/3/",
    "$HOME/",
    "${PWD}/../",
    "link/",
    "-/",
];

/// Ways to write the name of a folder that git or Assize keeps for itself, or nearly so. `N` is the name without its dot.
const SPELLINGS: [&str; 24] = [
    ".N",
    ".N.",
    ".N ",
    ".N. .",
    ".N::$INDEX_ALLOCATION",
    ".N:x",
    "N~1",
    "N~2",
    "N~1.",
    ".N\0",
    ".N\n",
    "\u{200c}.N",
    ".\u{200d}N",
    ".N\u{206f}",
    "\u{feff}.N",
    ".N\u{fe0f}",
    ".\u{ad}N",
    ".N\u{e0020}",
    "\u{ff0e}N",
    ".N%00",
    "%2eN",
    "..N",
    "./.N",
    ".N/.",
];

const BELOW: [&str; 6] = ["", "config", "hooks/pre-commit", "patch.journal", "a/../config", "HEAD.lock"];
const BEFORE: [&str; 5] = ["", "real/", "a/b/", "real/../", "deep"];
const AIMS: [&str; 5] = ["outside/kept.txt", "planted.txt", "tree/.git/config", "etc/passwd", ".assize/patch.journal"];

/// Returns names in many mixtures of upper and lower case, and of letters that only look or compare like them.
fn cased(name: &str) -> Vec<String> {
    let upper = name.to_uppercase();
    let mixed = |odd: bool| {
        let letter =
            |(at, letter): (usize, char)| if (at % 2 == 1) == odd { letter.to_ascii_uppercase() } else { letter };
        name.chars().enumerate().map(letter).collect()
    };
    let wide: String = name.chars().filter_map(|letter| char::from_u32(u32::from(letter) + 0xfee0)).collect();
    vec![
        name.to_owned(),
        upper,
        mixed(true),
        mixed(false),
        wide,
        name.replace('i', "\u{131}"),
        name.replace('s', "\u{17f}"),
    ]
}

/// Returns 5,000 texts that lead out of a tree or into what no patch may touch, or look as if they did.
fn hostile() -> Vec<String> {
    let mut paths = BTreeSet::new();
    for lead in LEADS {
        for times in [1, 2, 3, 9, 40] {
            for before in BEFORE {
                let before = if before == "deep" { "d/".repeat(40) } else { before.to_owned() };
                paths.extend(AIMS.map(|aim| format!("{before}{}{aim}", lead.repeat(times))));
            }
        }
    }
    for name in ["git", "assize"].into_iter().flat_map(cased) {
        for spelling in SPELLINGS {
            for before in ["", "real/", "a/b/"] {
                paths.extend(BELOW.map(|below| format!("{before}{}/{below}", spelling.replace('N', &name))));
            }
        }
    }
    let mut numbers = PatchRng(3);
    let mut shuffled: Vec<(u64, String)> =
        paths.into_iter().map(|path| (numbers.below(u64::MAX >> 33), path)).collect();
    shuffled.sort();
    let long = ["../", "d/", "%2e%2e/"].map(|part| part.repeat(1_000) + "x").into_iter().chain(["x".repeat(256)]);
    let single = ["", ".", "..", "/", "\\", "~", "real", "real/", "link", ".git", ".assize", "nul", "COM1.txt"]
        .map(str::to_owned);
    single.into_iter().chain(long).chain(shuffled.into_iter().map(|(_, path)| path)).take(5_000).collect()
}

#[test]
fn five_thousand_ways_out_are_refused_or_lead_below_the_root() {
    let folder = in_memory();
    let tree = folder.path().join("tree");
    write(folder.path(), "outside/kept.txt", "one\n");
    write(&tree, "real/kept.txt", "one\n");
    write(&tree, ".git/config", "one\n");
    write(&tree, ".git/hooks/pre-commit", "one\n");
    symlink(folder.path().join("outside"), tree.join("link")).expect("a link");
    let around = || {
        (
            listed(&folder.path().join("outside")),
            listed(&tree.join(".git")),
            fs::read_dir(folder.path()).expect("listed").count(),
        )
    };
    let (before, untouched) = (listed(&tree), around());
    let paths = hostile();
    assert_eq!(paths.len(), 5_000);
    let (mut refused, mut written) = (0, 0);
    let patcher = Patcher::open(&tree).expect("opened");
    for path in &paths {
        let splice = Op::Splice { path: path.clone(), start: 0, delete_count: 1, insert: None };
        for op in [edit(path, "one", "two"), remove(path), splice] {
            let failed = patcher.apply(&terms(), &handed(std::slice::from_ref(&op)));
            assert!(matches!(failed, Err(PatchError::Unfit(_))), "{op:?}: {failed:?}");
        }
        let document = serde_json::to_string(&Patch { ops: vec![add(path, "two\n")] }).expect("JSON");
        let is_read = PatchInput::read(document.as_bytes(), PatchForm::Guessed, &terms().limits).is_ok();
        assert_eq!(is_read, check_path(path).is_ok(), "{path:?}");
        match patcher.apply(&terms(), &handed(&[add(path, "two\n")])) {
            Err(PatchError::Unfit(_)) => refused += 1,
            Err(error) => panic!("{path:?}: {error}"),
            Ok(prepared) => {
                assert!(is_read, "{path:?} is written, though no document may name it");
                let mut made = listed(&tree);
                made.retain(|path, (mode, _)| !before.contains_key(path) && *mode & 0o170_000 == 0o100_000);
                assert_eq!(made.keys().collect::<Vec<_>>(), [path]);
                assert_eq!(around(), untouched, "{path:?}");
                patcher.apply(&terms(), &PatchInput::Operations(prepared.inverse)).expect("taken back");
                written += 1;
            }
        }
    }
    drop(patcher);
    assert_eq!((listed(&tree), around()), (before, untouched));
    assert!(!tree.join(".assize").join("config").exists());
    println!("{} paths: {refused} refused, {written} lead below the root", paths.len());
    assert!(refused > 3_500 && written > 100, "{refused} refused, {written} written");
}

const PATHS: [&str; 10] = ["a", "A", "b.txt", "d/a", "d/b", "d/e/c", "f/g/h", "D/a", "a/x", "d"];
const LINES: [&str; 6] = ["one", "two", "  three", "", "caf\u{e9}", "}"];

fn text() -> impl Strategy<Value = String> {
    let lines = prop::collection::vec((prop::sample::select(&LINES[..]), prop::bool::weighted(0.2)), 0..6);
    (lines, any::<bool>()).prop_map(|(lines, is_open)| {
        let mut text: String =
            lines.into_iter().map(|(line, is_dos)| format!("{line}{}", if is_dos { "\r\n" } else { "\n" })).collect();
        if is_open {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        text
    })
}

fn op() -> impl Strategy<Value = Op> {
    let path = || prop::sample::select(&PATHS[..]).prop_map(str::to_owned);
    let find = prop::sample::select(&LINES[..4]).prop_map(str::to_owned);
    let executable = prop::option::of(any::<bool>());
    prop_oneof![
        2 => (path(), text(), executable)
            .prop_map(|(path, content, executable)| Op::Add { path, content, encoding: None, executable }),
        1 => path().prop_map(|path| Op::Remove { path }),
        3 => (path(), find, text(), prop::option::of(1..3_u32))
            .prop_map(|(path, find, replace, occurrences)| Op::Edit { path, find, replace, occurrences }),
        3 => (path(), 0..4_u32, 0..3_u32, prop::option::of(text()))
            .prop_map(|(path, start, delete_count, insert)| Op::Splice { path, start, delete_count, insert }),
    ]
}

/// Files by path: whether each can be executed, and its bytes.
type TreeContents = BTreeMap<String, (bool, Vec<u8>)>;

/// Returns every file, and the folders with nothing in them.
fn files(tree: &Path) -> (TreeContents, Vec<String>) {
    let listing = listed(tree);
    let is_folder = |mode: u32| mode & 0o170_000 == 0o040_000;
    let is_empty = |folder: &str| !listing.keys().any(|path| path.starts_with(&format!("{folder}/")));
    let empty = listing.iter().filter(|(path, (mode, _))| is_folder(*mode) && is_empty(path));
    let empty = empty.map(|(path, _)| path.clone()).collect();
    let files = listing.into_iter().filter(|(_, (mode, _))| !is_folder(*mode));
    (files.map(|(path, (mode, bytes))| (path, (mode & 0o100 != 0, bytes))).collect(), empty)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_checked_is_applied_exactly_and_taken_back(
        contents in prop::collection::btree_map(prop::sample::select(&PATHS[..8]), (text(), any::<bool>()), 1..7),
        ops in prop::collection::vec(op(), 1..4),
    ) {
        let folder = in_memory();
        let tree = folder.path();
        for (path, (text, executable)) in &contents {
            write(tree, path, text);
            let mode = fs::Permissions::from_mode(if *executable { 0o750 } else { 0o640 });
            fs::set_permissions(tree.join(path), mode).expect("a mode");
        }
        let before = files(tree);
        let checked = check(tree, &terms(), &handed(&ops));
        prop_assert_eq!(&files(tree), &before);
        let applied = apply(tree, &ops);
        prop_assert_eq!(checked.is_ok(), applied.is_ok());
        let Ok(applied) = applied else {
            prop_assert_eq!(files(tree), before);
            return Ok(());
        };
        let mut expected = before.clone();
        for change in &applied.plan.changes {
            let is_same = matches!(applied.tree.entry(&change.path), PathState::File(_)) == change.before.is_some();
            prop_assert!(is_same, "{} is not what it was pinned for", change.path);
            match &change.after {
                Some(file) => expected.0.insert(change.path.clone(), (file.executable, file.bytes.clone())),
                None => expected.0.remove(&change.path),
            };
            // A file that stays keeps what else its mode says.
            if change.before.is_some() && change.after.is_some() {
                let mode = fs::metadata(tree.join(&change.path)).expect("there").mode();
                prop_assert_eq!(mode & 0o666, 0o640);
            }
        }
        prop_assert_eq!(&files(tree), &expected);
        prop_assert_eq!(checked.ok().map(|checked| checked.plan), Some(applied.plan));
        if !applied.inverse.ops.is_empty() {
            // Beside a name that some file systems take for the same, nothing is put back unless it is asked for.
            let terms = PatchTerms { names: NamePolicy::Any, ..terms() };
            let patcher = Patcher::open(tree).expect("a tree");
            patcher.apply(&terms, &handed(&applied.inverse.ops)).expect("the inverse fits");
        }
        prop_assert_eq!(files(tree), before);
    }
}
