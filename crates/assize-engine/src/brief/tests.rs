//! Surveys of trees on disk, with and without a cache.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use assize_core::finding::{Certainty, Severity};
use assize_syntax::facts::SkipReason;
use assize_syntax::language::FILE_BYTES_MAX;

use super::scan::{PriorSurvey, ScanBounds, ScanContext};
use super::structure::{BriefAudience, COPY_FILES_MAX, PROMPT_TOKENS};
use super::*;

/// A folder with a tree, and a folder for the cache.
struct SurveyFixture(tempfile::TempDir);

impl SurveyFixture {
    fn with(files: &[(&str, &str)]) -> Self {
        let place = Self(tempfile::tempdir().expect("a temporary folder"));
        fs::create_dir(place.root()).expect("made");
        for (path, text) in files {
            place.write(path, text);
        }
        place
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("tree")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("it lies in the root")).expect("made");
        fs::write(path, text).expect("written");
    }

    fn cache(&self) -> PathBuf {
        self.0.path().join("cache")
    }

    fn cache_file(&self) -> PathBuf {
        let mut entries = fs::read_dir(self.cache()).expect("the folder is there");
        let file = entries.next().expect("a file is kept").expect("readable").path();
        assert!(entries.next().is_none(), "one file for each project");
        file
    }

    fn survey(&self) -> TreeSurvey {
        survey(&self.root(), Some(&self.cache()))
    }

    /// Waits until the times of the files are reliable.
    fn wait_until_old(&self) {
        std::thread::sleep(Duration::from_millis(2_100));
    }
}

fn paths(survey: &TreeSurvey) -> Vec<&str> {
    survey.files.iter().map(|file| file.path.as_str()).collect()
}

fn limits(survey: &TreeSurvey) -> Vec<(String, u32)> {
    survey.limits().iter().map(|limit| (limit.message.clone(), limit.left_out)).collect()
}

const EVERYTHING: &[(&str, &str)] = &[
    ("src/a.py", "import os\n\nclass Order:\n    def price(self):\n        return 1\n"),
    ("api/order.proto", "message Order { string id = 1; }\n"),
    ("pyproject.toml", "[project]\nname = 'shop'\n"),
    ("README.md", "# Shop\n"),
];

#[test]
fn files_that_did_not_change_are_neither_read_nor_parsed_again() {
    let place = SurveyFixture::with(EVERYTHING);
    let nothing = Effort::default();
    let all = Effort { read: 4, parsed: 4 };
    assert_eq!(place.survey().effort(), all);
    // Their times are too fresh to be reliable, but their contents are cached.
    assert_eq!(place.survey().effort(), Effort { read: 4, parsed: 0 });
    place.wait_until_old();
    assert_eq!(place.survey().effort(), Effort { read: 4, parsed: 0 });
    assert_eq!(place.survey().effort(), nothing);
    let before = place.survey();
    place.write("src/a.py", "def changed():\n    pass\n");
    let after = place.survey();
    assert_eq!(after.effort(), Effort { read: 1, parsed: 1 });
    assert_ne!(before.brief(), after.brief());
    assert_eq!(survey(&place.root(), None).brief(), after.brief());
    assert_eq!(survey(&place.root(), None).effort(), all);
}

#[test]
fn a_change_of_the_same_size_and_modification_time_is_seen() {
    let place = SurveyFixture::with(&[("a.py", "one = 1\n")]);
    place.wait_until_old();
    place.survey();
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    place.write("a.py", "two = 2\n");
    fs::File::options()
        .append(true)
        .open(place.root().join("a.py"))
        .and_then(|file| file.set_modified(old))
        .expect("set");
    assert_eq!(place.survey().effort(), Effort { read: 1, parsed: 1 });
}

#[test]
fn the_cache_gives_the_same_brief() {
    let place = SurveyFixture::with(EVERYTHING);
    let cold = place.survey();
    let warm = place.survey();
    assert_eq!(warm.effort().parsed, 0);
    let summary = |survey: &TreeSurvey| survey.files.iter().map(|file| file.summary.clone()).collect::<Vec<_>>();
    assert_eq!(summary(&warm), summary(&cold));
    assert_eq!(warm.brief(), cold.brief());
    assert_eq!(warm.brief().schema_types[0].file.types[0].name, "Order");
}

#[test]
fn a_damaged_cache_is_begun_anew() {
    let place = SurveyFixture::with(EVERYTHING);
    let sound = place.survey().brief();
    let file = place.cache_file();
    let cached = fs::read(&file).expect("kept");
    let flipped = |at: usize| {
        let mut damaged = cached.clone();
        damaged[at] ^= 1;
        damaged
    };
    let foreign = postcard::to_stdvec(&([0_u8; 16], vec![0_u8; 0])).expect("bytes");
    let foreign = [&b"assize brief 2\n"[..], blake3::hash(&foreign).as_bytes(), &foreign].concat();
    let beginning = [
        Vec::new(),
        b"assize brief 1\n".to_vec(),
        cached[..cached.len() - 1].to_vec(),
        flipped(0),
        flipped(20),
        foreign,
    ];
    for damaged in beginning {
        fs::write(&file, &damaged).expect("written");
        let found = place.survey();
        assert_eq!((found.effort().parsed, found.brief()), (4, sound.clone()));
        assert_eq!(place.survey().effort().parsed, 0, "it was made anew");
    }
}

#[test]
fn a_damaged_cache_never_changes_the_brief() {
    let place = SurveyFixture::with(EVERYTHING);
    let sound = place.survey().brief();
    let file = place.cache_file();
    let cached = fs::read(&file).expect("kept");
    // Behind the index, damaged parts are replaced.
    for at in (0..cached.len()).step_by(cached.len() / 40) {
        let mut damaged = cached.clone();
        damaged[at] ^= 1;
        fs::write(&file, &damaged).expect("written");
        assert_eq!(place.survey().brief(), sound, "damaged at {at}");
    }
}

#[test]
fn a_cache_that_is_too_large_is_not_read() {
    let place = SurveyFixture::with(&[]);
    let file = place.0.path().join("large");
    for (bytes, read) in [(16, true), (17, false)] {
        fs::write(&file, vec![0; bytes]).expect("written");
        assert_eq!(cache::load_within(&file, 16).is_empty(), !read);
    }
}

#[test]
fn a_cache_that_cannot_be_written_costs_nothing_but_time() {
    let place = SurveyFixture::with(EVERYTHING);
    fs::write(place.cache(), "a file where the folder would be").expect("written");
    assert_eq!(place.survey().brief(), survey(&place.root(), None).brief());
}

#[test]
fn only_its_owner_may_read_the_cache() {
    use std::os::unix::fs::PermissionsExt as _;

    let place = SurveyFixture::with(EVERYTHING);
    place.survey();
    let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
    assert_eq!((mode(&place.cache()), mode(&place.cache_file())), (0o700, 0o600));
}

#[test]
fn files_that_are_gone_are_forgotten() {
    let place = SurveyFixture::with(EVERYTHING);
    place.survey();
    let before = fs::metadata(place.cache_file()).expect("there").len();
    fs::remove_file(place.root().join("src/a.py")).expect("removed");
    assert_eq!(paths(&place.survey()), ["README.md", "api/order.proto", "pyproject.toml"]);
    assert!(fs::metadata(place.cache_file()).expect("there").len() < before);
}

#[test]
fn ignored_files_links_and_pipes_are_skipped() {
    let place = SurveyFixture::with(&[
        (".gitignore", "build/\n*.log\n"),
        (".github/workflows/ci.yml", "on: push\n"),
        (".git/config", "[core]\n"),
        (".assize/ledger.db", "x"),
        ("build/out.py", "x = 1\n"),
        ("sub/.gitignore", "!keep.log\nlocal.py\n"),
        ("sub/keep.log", ""),
        ("sub/local.py", "x = 1\n"),
        ("sub/a.py", "x = 1\n"),
        ("b.log", ""),
    ]);
    let secret = place.0.path().join("outside.py");
    fs::write(&secret, "secret_name = 1\n").expect("written");
    symlink(&secret, place.root().join("link.py")).expect("a link");
    symlink(place.0.path(), place.root().join("folder")).expect("a link");
    std::process::Command::new("mkfifo").arg(place.root().join("pipe.py")).status().expect("a pipe");
    let found = place.survey();
    assert_eq!(paths(&found), [".github/workflows/ci.yml", ".gitignore", "sub/.gitignore", "sub/a.py", "sub/keep.log"]);
    assert_eq!(limits(&found), []);
}

#[test]
fn files_beyond_the_limits_are_counted() {
    let place = SurveyFixture::with(&[("a.py", "a = 1\n"), ("b.py", "b = 1\n"), ("c.txt", "c\n")]);
    let within = |paths: usize, bytes: u64| survey_within(&place.root(), None, ScanBounds { paths, bytes });
    assert_eq!(limits(&within(3, 12)), []);
    assert_eq!(limits(&within(2, 12)), [("files beyond the first 2 that were met".to_owned(), 1)]);
    let past = within(3, 11);
    assert_eq!(limits(&past), [("files beyond 11 bytes in all".to_owned(), 1)]);
    assert_eq!(past.brief().limits[0], past.limits()[0]);
    assert_eq!(past.files.iter().filter(|file| file.summary.is_some()).count(), 1);
}

#[test]
fn of_a_file_that_is_too_large_only_the_lines_are_counted() {
    let line = "x = 1234\n";
    let fits = line.repeat(FILE_BYTES_MAX / line.len());
    let past = line.repeat(FILE_BYTES_MAX / line.len() + 1);
    assert!(fits.len() <= FILE_BYTES_MAX && past.len() > FILE_BYTES_MAX);
    let place = SurveyFixture::with(&[("fits.py", &fits), ("past.py", &past)]);
    for _ in 0..2 {
        let found = place.survey();
        let facts = |path: &str| found.find(path).and_then(|(_, summary)| summary.facts.clone()).expect("facts");
        assert_eq!((facts("fits.py").passed_over, facts("past.py").passed_over), (None, Some(SkipReason::TooLarge)));
        assert_eq!(facts("past.py").lines as usize, past.len() / line.len());
    }
}

#[test]
fn lines_are_counted_where_there_is_no_grammar_as_well() {
    let long = "x\n".repeat(FILE_BYTES_MAX / 2 + 3);
    let place = SurveyFixture::with(&[("a.md", "one\ntwo"), ("b.rb", "x\n"), ("long.c", &long), ("d.bin", "x\n")]);
    let found = place.survey();
    let lines = |path: &str| found.find(path).map(|(_, summary)| summary.lines as usize);
    assert_eq!((lines("a.md"), lines("b.rb"), lines("d.bin")), (Some(2), Some(1), None));
    assert_eq!(lines("long.c"), Some(long.len() / 2));
}

#[test]
fn text_that_is_not_utf8_is_read_all_the_same() {
    let place = SurveyFixture::with(&[]);
    fs::write(place.root().join("a.py"), b"# caf\xe9\ndef brew():\n    pass\n").expect("written");
    let found = place.survey();
    let (_, summary) = found.find("a.py").expect("it is there");
    assert!(summary.facts.as_ref().is_some_and(|facts| facts.names.iter().any(|name| name.text == "brew")));
}

#[test]
fn an_unreadable_root_is_reported() {
    let place = SurveyFixture::with(&[]);
    let found = survey(&place.root().join("gone"), None);
    assert_eq!((paths(&found).len(), limits(&found)), (0, vec![("files that could not be read".to_owned(), 1)]));
}

fn copy_of(files: &[(String, String)]) -> WorkCopy {
    let mut copy = WorkCopy::of_folder(Path::new("/"), Vec::new()).expect("a copy");
    for (path, text) in files {
        copy.write(path, text).expect("written");
    }
    copy
}

/// A shop in three layers: pages use carts, carts use texts.
fn shop() -> Vec<(String, String)> {
    let mut files = vec![("pyproject.toml".to_owned(), "[project]\nname = 'shop'\n".to_owned())];
    for package in ["", "text/", "cart/", "web/"] {
        files.push((format!("src/shop/{package}__init__.py"), String::new()));
    }
    for number in 0..12 {
        let text = format!("def shorten_{number}(title):\n    return title\n");
        files.push((format!("src/shop/text/part{number}.py"), text));
        let cart = format!("from shop.text.part{number} import shorten_{number}\n");
        files.push((format!("src/shop/cart/line{number}.py"), cart));
        let web = format!("from shop.cart.line{number} import shorten_{number}\n");
        files.push((format!("src/shop/web/page{number}.py"), web));
    }
    files
}

#[test]
fn a_broken_boundary_is_found_and_an_honest_change_is_not() {
    let base = copy_of(&shop());
    let mut files = shop();
    files.push(("src/shop/web/page9.py".into(), "from shop.cart.line1 import shorten_1\n".into()));
    assert_eq!(boundary_findings(&base, &copy_of(&files)), (Vec::new(), true));

    files.push(("src/shop/text/part9.py".into(), "import re\nfrom shop.web.page3 import shorten_3\n".into()));
    let (findings, has_boundaries) = boundary_findings(&base, &copy_of(&files));
    assert!(has_boundaries);
    let place = (Some("src/shop/text/part9.py".to_owned()), Some(2));
    // The import breaks a boundary and closes a cycle: that is one finding.
    let [finding] = &findings[..] else { panic!("{findings:?}") };
    assert_eq!((finding.rule.as_str(), &(finding.path.clone(), finding.line)), ("boundary-break", &place));
    assert_eq!((finding.severity, finding.certainty), (Severity::Error, Certainty::Certain));
    for words in ["may not import", "It closes a cycle that the base has not: "] {
        assert!(finding.message.contains(words), "{}", finding.message);
    }
    // A boundary that the base already breaks is not a finding.
    assert_eq!(boundary_findings(&copy_of(&files), &copy_of(&files)).0, []);
}

#[test]
fn an_import_that_runs_late_closes_no_cycle_for_sure() {
    let shelf = |text: &str| {
        let files =
            [("a/__init__.py", ""), ("a/one.py", "from b.two import two\n"), ("b/__init__.py", ""), ("b/two.py", text)];
        copy_of(&files.map(|(path, text)| (path.to_owned(), text.to_owned())))
    };
    let base = shelf("def two():\n    return 2\n");
    for (text, certainty) in [
        ("from a.one import x\n\ndef two():\n    return 2\n", Certainty::Certain),
        ("def two():\n    from a.one import x\n    return 2\n", Certainty::Likely),
    ] {
        let (findings, _) = boundary_findings(&base, &shelf(text));
        let found: Vec<_> = findings.iter().map(|it| (it.rule.as_str(), it.certainty)).collect();
        assert_eq!(found, [("boundary-cycle", certainty)], "{text}");
    }
}

#[test]
fn a_cycle_that_breaks_no_boundary_is_found_by_itself() {
    let pages = |text: &str| {
        let files =
            [("go.mod", "module shop\n"), ("cart/a.go", "package cart\n\nimport \"shop/text\"\n"), ("text/b.go", text)];
        copy_of(&files.map(|(path, text)| (path.to_owned(), text.to_owned())))
    };
    let (base, change) = (pages("package text\n"), pages("package text\n\nimport \"shop/cart\"\n"));
    let (findings, _) = boundary_findings(&base, &change);
    let shown: Vec<_> = findings.iter().map(|it| (it.rule.as_str(), it.path.as_deref(), it.line)).collect();
    assert_eq!(shown, [("boundary-cycle", Some("text/b.go"), Some(3))]);
}

#[test]
fn a_tree_without_boundaries_has_none_to_look_at() {
    let files = [("a.py".to_owned(), "x = 1\n".to_owned())];
    assert_eq!(boundary_findings(&copy_of(&files), &copy_of(&files)), (Vec::new(), false));
}

#[test]
fn trees_beyond_the_limit_are_skipped() {
    assert!(structure::is_within_limit(COPY_FILES_MAX));
    assert!(!structure::is_within_limit(COPY_FILES_MAX + 1));
}

#[test]
fn judges_are_shown_the_brief_of_the_base() {
    let base = copy_of(&shop());
    let change = copy_of(&[("src/shop/text/renamed.py".to_owned(), "def somethingElse():\n    pass\n".to_owned())]);
    let shown = |base, reader| look(base, None, &change, reader).brief.inspect().to_owned();
    let of_base = shown(Some(&base), BriefAudience::Judges);
    assert!(of_base.contains("src/shop/web") && of_base.len() <= PROMPT_TOKENS * assize_brief::budget::BYTES_PER_TOKEN);
    assert_ne!(shown(None, BriefAudience::Judges), of_base);
    assert_eq!(shown(Some(&base), BriefAudience::Nobody), "");
}

#[test]
fn what_a_copy_shares_with_the_base_is_parsed_once() {
    let base = copy_of(&shop());
    let mut files = shop();
    files.push(("src/shop/web/new.py".into(), "x = 1\n".into()));
    let first = survey_copy(&base);
    let second = survey_copy_like(&copy_of(&files), &first);
    assert_eq!((first.effort().parsed, second.effort().parsed), (shop().len(), 1));
}

#[test]
fn files_of_a_copy_behind_a_link_are_not_read() {
    let place = SurveyFixture::with(&[("a.py", "secret_name = 1\n")]);
    let mut copy = copy_of(&[("b.py".to_owned(), "x = 1\n".to_owned()), ("d/a.py".to_owned(), String::new())]);
    copy.remove("d/a.py").expect("removed");
    fs::remove_dir(copy.path().join("d")).expect("empty");
    symlink(place.root(), copy.path().join("d")).expect("a link");
    symlink(place.root().join("a.py"), copy.path().join("c.py")).expect("a link");
    let root = copy.path();
    let context = ScanContext::new(&root, PriorSurvey::Nothing, ScanBounds::default());
    context.go_through(&["b.py", "c.py", "d/a.py"].map(str::to_owned).into());
    assert_eq!(paths(&context.finish().survey()), ["b.py"]);
}
