//! What copies get back from the base, and what is reported if they do not.

use std::fs;
use std::os::unix::fs::symlink;

use assize_core::diff::FileStatus;

use super::*;

fn copy(files: &[(&str, &str)]) -> WorkCopy {
    let mut copy = WorkCopy::of_folder(Path::new("/"), Vec::new()).expect("a copy");
    for (path, text) in files {
        copy.write(path, text).expect("written");
    }
    copy
}

/// A text that is padded with line breaks up to a length.
fn padded(text: &str, bytes: u64) -> String {
    format!("{text}{}", "\n".repeat(usize::try_from(bytes).expect("it fits") - text.len()))
}

const STRICT: &str = "[tool.ruff]\nselect = ['ALL']\n";
const LAX: &str = "[tool.ruff]\nselect = []\n";

#[test]
fn a_manifest_is_read_up_to_its_limit_and_beyond_it_is_that_of_the_base() {
    let of = |base: Option<&str>, change: &str, bytes: u64| {
        let mut change = copy(&[("pyproject.toml", &padded(change, bytes)), ("notes.txt", &padded("", bytes))]);
        let base = base.map(|text| copy(&[("pyproject.toml", text)]));
        let mut limits = Vec::new();
        let large = replace_large_manifests(&mut change, base.as_ref(), &mut limits).expect("replaced");
        let text = change.text("pyproject.toml", u64::MAX).expect("a text");
        (large.len(), text.trim_end() == STRICT.trim_end(), limits)
    };
    let limit = |instead: &str| vec![format!("pyproject.toml is larger than {MANIFEST_BYTES_MAX} bytes: {instead}")];
    assert_eq!(of(Some(STRICT), LAX, MANIFEST_BYTES_MAX), (0, false, vec![]));
    assert_eq!(of(Some(STRICT), LAX, MANIFEST_BYTES_MAX + 1), (1, true, limit("gates ran with the base's")));
    assert_eq!(of(None, LAX, MANIFEST_BYTES_MAX + 1), (1, false, limit("no gate was recognized by it")));
}

#[test]
fn settings_come_from_the_base_however_the_manifest_is_written() {
    let tests = r#"{"scripts":{"test":"vitest"}}"#;
    let none = r#"{"scripts":{"test":"true"}}"#;
    let of = |write: &dyn Fn(&Path)| {
        let base = copy(&[("package.json", tests)]);
        let mut change = copy(&[("package.json", none)]);
        write(&change.path().join("package.json"));
        let plan = CopyPlan { merge: ["package.json".to_owned()].into(), ..CopyPlan::default() };
        let mut limits = Vec::new();
        restore(&mut change, &base, &plan, &BTreeSet::new(), &mut limits).expect("restored");
        let text = change.text("package.json", MANIFEST_BYTES_MAX).expect("a text");
        (text.contains("vitest"), limits.len())
    };
    let write = |path: &Path, bytes: &[u8]| fs::write(path, bytes).expect("written");
    assert_eq!(of(&|_| ()), (true, 1));
    assert_eq!(of(&|path| write(path, format!("\u{feff}{none}").as_bytes())), (true, 1), "behind a mark");
    assert_eq!(of(&|path| write(path, &[none.as_bytes(), b"\xff"].concat())), (true, 1), "no text");
    let linked = |path: &Path| {
        let other = path.with_file_name("other.json");
        fs::rename(path, &other).expect("moved");
        symlink(other, path).expect("a link");
    };
    assert_eq!(of(&linked), (true, 1), "a link");
    assert_eq!(of(&|path| write(path, tests.as_bytes())), (true, 0), "nothing differs");
}

#[test]
fn a_manifest_that_went_does_not_come_back_unless_a_new_one_tells_its_tools_something() {
    let base = copy(&[("setup.cfg", "[metadata]\nname = a\n[tool:pytest]\nfilterwarnings = error\n")]);
    let plan = CopyPlan { merge: ["setup.cfg".to_owned()].into(), ..CopyPlan::default() };
    let mut limits = Vec::new();
    let mut change = copy(&[]);
    restore(&mut change, &base, &plan, &BTreeSet::new(), &mut limits).expect("restored");
    assert_eq!((change.files().len(), limits.len()), (0, 0));

    let mut change = copy(&[("pyproject.toml", "[project]\nname = \"a\"\n\n[tool.pytest.ini_options]\n")]);
    let overruling = [("pyproject.toml".to_owned(), BTreeSet::from(["pytest"]))].into();
    let plan = CopyPlan { overruling, ..plan };
    restore(&mut change, &base, &plan, &BTreeSet::new(), &mut limits).expect("restored");
    let text = |path: &str| change.text(path, 1_000).expect("a text");
    assert_eq!(text("setup.cfg"), "[tool:pytest]\nfilterwarnings = error\n");
    assert_eq!(text("pyproject.toml"), "[project]\nname = \"a\"\n\n[tool]\n");
    assert_eq!(limits.len(), 1, "{limits:?}");
}

#[test]
fn inline_tests_are_searched_up_to_a_limit() {
    let (with, weak) = ("#[cfg(test)]\nmod tests { fn a() { assert!(b()); } }\n", "#[cfg(test)]\nmod tests { }\n");
    let of = |before: &str, after: &str, bytes: u64| {
        let (base, change) = (copy(&[("src/lib.rs", before)]), copy(&[("src/lib.rs", &padded(after, bytes))]));
        let file = FileChange::new("src/lib.rs", FileStatus::Modified);
        let mut limits = Vec::new();
        (inline_tests(&change, &base, [&file].into_iter(), &mut limits).len(), limits.len())
    };
    let most = FILE_BYTES_MAX as u64;
    assert_eq!(of(with, weak, most), (1, 0));
    assert_eq!(of(with, weak, most + 1), (0, 1));
    assert_eq!(of("fn b() {}\n", weak, most + 1), (0, 0), "the base has no tests there");
    assert_eq!(of(&padded(with, most + 1), weak, 100), (0, 1), "the base is too large");
}

#[test]
fn tests_are_alone_where_no_other_file_uses_them() {
    let plan = |held: &[&str]| CopyPlan {
        held_restore: held.iter().map(|path| (*path).to_owned()).collect(),
        ..CopyPlan::default()
    };
    let uses = |from: &str, to: &str| Uses {
        imports: vec![Use { from: from.to_owned(), to: Used::File(to.to_owned()), in_test: false }],
        ..Uses::default()
    };
    let inline = ("src/lib.rs".to_owned(), String::new());
    for (held, inline, uses, alone) in [
        (&["tests/test_a.py"][..], &[][..], Uses::default(), true),
        (&["tests/test_a.py"], &[], uses("tests/test_b.py", "tests/test_a.py"), false),
        (&["tests/test_a.py", "tests/test_b.py"], &[], uses("tests/test_b.py", "tests/test_a.py"), true),
        (&["tests/data.json"], &[], Uses::default(), false),
        (&[], std::slice::from_ref(&inline), uses("src/main.rs", "src/lib.rs"), true),
        (&[], &[], Uses::default(), false),
    ] {
        assert_eq!(touches_tests_alone(&plan(held), inline, &uses), alone, "{held:?}");
    }
}

#[test]
fn a_skipped_helper_search_is_reported() {
    let base = copy(&[("a.py", "import b\n")]);
    let of = |survey: Option<&brief::TreeSurvey>| {
        let mut limits = Vec::new();
        uses_of(&base, survey, &base, &Diff::default(), &mut limits);
        limits
    };
    let limit = "the test helpers are those of the change: the base has more than 20000 files";
    assert_eq!(of(brief::survey_copy_within_limit(&base).as_ref()), [""; 0]);
    assert_eq!(of(None), [limit]);
}
