//! What the book, the template and the files for other programs say is what the program does.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use assize_check::schema::document::{self, DocumentSyntax};
use assize_check::schema::{FILE_FAULTS_MAX, effort, instance, json_schema, library, open_api, sql};
use assize_ecosystem::test_kind::EDGE_WORDS;
use assize_engine::judge::KINDS;
use assize_engine::schema::{ALL_BYTES_MAX, CODE_FILES_MAX, FILE_BYTES_MAX, FILES_MAX};
use assize_patch::{self, PatchLimits};
use assize_report::FORMATS;
use assize_syntax::schema_type::{graphql, protobuf};
use assize_testkit::change::{CorpusCase, cases, search_path};
use assize_testkit::repo::Repo;
use serde_json::Value;

/// Has the table of tricks written instead of compared.
const WRITE_TABLE_VARIABLE: &str = "ASSIZE_TEST_WRITE_TABLE";
const TEMPLATE: &str = include_str!("../assize.template.toml");
const CONFIGURATION: &str = include_str!("../../../docs/src/reference/settings.md");
const GATES: &str = include_str!("../../../docs/src/tasks/gates.md");
const TRICKS: &str = include_str!("../../../docs/src/internals/tricks.md");
const PATCH: &str = include_str!("../../../docs/src/tasks/patch.md");
const EXIT_CODES: &str = include_str!("../../../docs/src/reference/exit-codes.md");
const JUDGES: &str = include_str!("../../../docs/src/tasks/judges.md");
const STOP: &str = include_str!("../../../docs/src/tasks/stop.md");
const GETTING_STARTED: &str = include_str!("../../../docs/src/getting-started.md");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The cells of a table of the book, below its head; it is known by the first cell of the head.
fn table(book: &str, head: &str) -> Vec<Vec<String>> {
    let lines = book.lines().skip_while(|line| !line.starts_with(&format!("| {head} |"))).skip(2);
    let rows = lines.take_while(|line| line.starts_with('|'));
    rows.map(|row| row.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// The names in the first column of a table.
fn names(book: &str, head: &str) -> BTreeSet<String> {
    table(book, head).iter().map(|row| row[0].trim_matches('`').to_owned()).collect()
}

fn set<'a>(names: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    names.into_iter().map(str::to_owned).collect()
}

/// Text between two lines.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = text.split_once(from).unwrap_or_else(|| panic!("there is no {from}"));
    rest.split_once(to).unwrap_or_else(|| panic!("there is no {to}")).0
}

/// Lists the gates of an empty folder under a configuration.
fn under(configuration: &str) -> Output {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("settings.toml");
    fs::write(&file, configuration).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_assize"));
    command.args(["gates", "--list", "--config"]).arg(file).current_dir(folder.path());
    command.env("HOME", folder.path()).output().expect("the program runs")
}

/// The help of a command, on one line.
fn help(command: &str) -> String {
    let arguments = command.split_whitespace().chain(["--help"]);
    let output = Command::new(env!("CARGO_BIN_EXE_assize")).args(arguments).output().expect("the program runs");
    assert!(output.status.success(), "{command}");
    on_one_line(&String::from_utf8(output.stdout).expect("text"))
}

/// The exit codes that a help lists; `None` if it lists none.
fn exit_codes(help: &str) -> Option<BTreeSet<String>> {
    let (_, codes) = help.split_once("Exit codes: ")?;
    let codes = codes.split(" Examples: ").next()?.split(" \u{b7} ");
    Some(codes.filter_map(|code| code.split(' ').next()).map(str::to_owned).collect())
}

#[test]
fn the_book_has_the_exit_codes_of_every_help() {
    let rows = EXIT_CODES.lines().skip_while(|line| !line.starts_with("| command |")).skip(2);
    let mut compared = 0;
    for row in rows.take_while(|line| line.starts_with('|')) {
        let cells: Vec<&str> = row.split('|').skip(1).map(str::trim).collect();
        let expected: BTreeSet<String> =
            (0..4_usize).filter(|code| !cells[code + 1].is_empty()).map(|code| code.to_string()).collect();
        for command in cells[0].split('`').skip(1).step_by(2).filter(|command| !command.contains("--")) {
            if let Some(codes) = exit_codes(&help(command)) {
                assert_eq!(codes, expected, "{command}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 15, "{compared}");
    assert_eq!(exit_codes(&help("")), Some(names(EXIT_CODES, "code")));
}

/// The keys of a section, as the program names them when it meets one that it does not know.
fn keys(section: &str) -> BTreeSet<String> {
    let complaint = under(&format!("{section}\nno_such_key = 1\n")).stderr;
    let complaint = String::from_utf8(complaint).expect("text");
    let (_, known) = complaint.split_once("known keys: ").unwrap_or_else(|| panic!("{section}: {complaint}"));
    set(known.split('`').skip(1).step_by(2))
}

/// Every section but `[rules]`, whose keys are the rules, and `[[judge]]` and `[fixer.model]`, whose keys depend on the
/// kind.
const SECTIONS: [&str; 21] = [
    "",
    "[stop]",
    "[stop.limits]",
    "[stop.diff_budget]",
    "[review]",
    "[review.diff_budget]",
    "[prepare]",
    "[gates]",
    "[gates.limits]",
    "[[gate]]",
    "[[schema]]",
    "[[override]]",
    "[budget]",
    "[fix]",
    "[fixer.command]",
    "[eval]",
    "[market]",
    "[market.dimensions]",
    "[market.parts]",
    "[market.deltas]",
    "[[bidder]]",
];

#[test]
fn every_setting_stands_in_the_book() {
    let book = format!("{CONFIGURATION}\n{GATES}");
    for section in [
        "[stop]",
        "[stop.limits]",
        "[review]",
        "[gates]",
        "[gates.limits]",
        "[[gate]]",
        "[[schema]]",
        "[fix]",
        "[fixer.command]",
        "[eval]",
        "[market]",
        "[market.dimensions]",
        "[market.parts]",
        "[market.deltas]",
        "[[bidder]]",
    ] {
        let mut expected = keys(section);
        expected.remove("limits");
        if expected.remove("diff_budget") {
            let budget = keys(&section.replace(']', ".diff_budget]"));
            expected.extend(budget.iter().map(|name| format!("diff_budget.{name}")));
        }
        assert_eq!(names(&book, &format!("`{section}`")), expected, "{section}");
    }
    let judges = KINDS.iter().map(|kind| ("[[judge]]", format!("[[judge]]\nid = \"a\"\nkind = \"{kind}\"")));
    let others = ["[[override]]", "[budget]"].map(|section| (section, section.to_owned()));
    for (section, head) in others.into_iter().chain(judges) {
        let (_, text) = CONFIGURATION.split_once(&format!("`{section}`")).expect("a heading");
        let text = text.split("\n## ").next().unwrap_or_default();
        let missing: Vec<_> = keys(&head).into_iter().filter(|name| !text.contains(name.as_str())).collect();
        assert_eq!(missing, [""; 0], "{head}");
    }
    for name in keys("") {
        let known = [format!("[{name}]"), format!("[[{name}]]")];
        let is_known = known.iter().any(|section| SECTIONS.contains(&section.as_str()));
        assert!(is_known || ["rules", "judge", "fixer"].contains(&name.as_str()), "{name} is not compared");
    }
}

/// The template with its comments that are settings taken for settings.
fn uncommented() -> toml::Table {
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|letter| "_-".contains(letter) || letter.is_alphanumeric());
    let is_setting =
        |line: &str| line.starts_with('[') || line.split_once(" = ").is_some_and(|(name, _)| is_name(name));
    let lines = TEMPLATE.lines().map(|line| line.strip_prefix("# ").filter(|line| is_setting(line)).unwrap_or(line));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    let output = under(&text);
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    toml::from_str(&text).expect("the program has read it")
}

#[test]
fn every_setting_stands_in_the_template() {
    let template = uncommented();
    for section in SECTIONS {
        let mut place = &toml::Value::Table(template.clone());
        for part in section.trim_matches(['[', ']']).split('.').filter(|part| !part.is_empty()) {
            place = &place[part];
        }
        place = place.as_array().map_or(place, |list| &list[0]);
        let have: BTreeSet<String> = place.as_table().expect("a section").keys().cloned().collect();
        let mut wanted = keys(section);
        if section == "[[bidder]]" {
            // It stands in the place of `bid`.
            wanted.remove("model");
        }
        assert_eq!(have, wanted, "{section}");
    }
}

#[test]
fn the_book_says_the_defaults() {
    let template: toml::Table = toml::from_str(TEMPLATE).expect("valid");
    let mut compared = 0;
    let sections = ["[stop]", "[stop.limits]", "[review]", "[gates]", "[gates.limits]", "[fix]", "[market]"];
    let tables = ["[market.dimensions]", "[market.parts]", "[market.deltas]"];
    for section in sections.into_iter().chain(tables) {
        for row in table(CONFIGURATION, &format!("`{section}`")) {
            let path = format!("{}.{}", section.trim_matches(['[', ']']), row[0].trim_matches('`'));
            let mut place = Some(&toml::Value::Table(template.clone()));
            for part in path.split('.') {
                place = place.and_then(|place| place.get(part));
            }
            let Some(default) = place.filter(|place| !place.is_table()) else { continue };
            let said = row[1].split('`').nth(1).unwrap_or_default();
            assert_eq!(said, default.to_string(), "{path}");
            compared += 1;
        }
    }
    assert!(compared >= 30, "{compared}");
    let words = between(CONFIGURATION, "<!-- edge words: begin -->\n```text\n", "```\n<!-- edge words: end -->");
    assert_eq!(words.split_whitespace().collect::<Vec<_>>(), EDGE_WORDS);
}

#[test]
fn every_format_of_reports_stands_in_the_book() {
    assert_eq!(names(GATES, "format"), set(FORMATS.iter().map(|format| format.name)));
    let example = between(between(GATES, "## Gates of your own", "| `[[gate]]`"), "```toml\n", "```");
    let output = under(example);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A number as the book writes it: with a space before each three digits.
fn spaced(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().ok().expect("a number that is not negative").to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

#[test]
fn limits_of_schemas_are_those_of_the_program() {
    const MIB: u64 = 1024 * 1024;
    let list = |numbers: &[u64]| numbers.iter().map(|number| spaced(*number)).collect::<Vec<_>>().join(", ");
    let documents = [document::DEPTH_MAX, document::NODES_MAX, document::DOCUMENTS_MAX].map(|limit| limit as u64);
    let declarations =
        [protobuf::DEPTH_MAX, protobuf::DECLARATIONS_MAX, protobuf::NAME_BYTES_MAX].map(|limit| limit as u64);
    let efforts = [effort::VISITS_MAX, effort::PAIRS_MAX as u64, effort::DEPTH_MAX as u64];
    let expected = [
        ("files that are read", format!("{}, {} MiB", spaced(FILES_MAX), ALL_BYTES_MAX as u64 / MIB)),
        ("one file", format!("{} MiB", FILE_BYTES_MAX / MIB)),
        ("nesting of a document", list(&documents)),
        ("documents that are held", format!("{}; {}", spaced(instance::INSTANCES_MAX), instance::FAULTS_MAX)),
        ("faults that are told of a schema", spaced(FILE_FAULTS_MAX)),
        ("work for one document", list(&efforts)),
        ("parts of a schema", spaced(library::PARTS_MAX)),
        (
            "patterns of a schema",
            format!("{}, each of {} bytes", spaced(json_schema::PATTERNS_MAX), spaced(json_schema::PATTERN_BYTES_MAX)),
        ),
        ("documents that references", spaced(library::DOCUMENTS_MAX)),
        ("operations of an OpenAPI", spaced(open_api::OPERATIONS_MAX)),
        ("GraphQL", list(&[graphql::TOKENS_MAX as u64, graphql::DEPTH_MAX as u64])),
        ("protobuf", list(&declarations)),
        ("SQL", spaced(sql::STATEMENTS_MAX as u64)),
        ("files of code", spaced(CODE_FILES_MAX)),
    ];
    let rows = table(GATES, "limit");
    assert_eq!(rows.len(), expected.len());
    for (row, (what, value)) in rows.iter().zip(expected) {
        assert!(row[0].starts_with(what) && row[1].starts_with(&value), "{row:?} instead of {what}: {value}");
    }
}

/// Protections, in the order in which the README of the corpus explains them. The page says what each name means.
const LAYERS: [&str; 9] =
    ["base-tests", "ids", "canary", "twins", "report-channel", "plug-in", "static-rule", "exit-status", "sandbox"];
const LANGUAGES: [&str; 4] = ["python", "javascript", "typescript", "rust"];

/// Longest line of a generated list, in characters.
const LINE_MAX: usize = 100;

/// An item of a list, on as many lines as it needs.
fn item(text: &str) -> String {
    let mut lines = vec!["-".to_owned()];
    for word in text.split(' ') {
        let fits = |line: &String| line.chars().count() + 1 + word.chars().count() <= LINE_MAX;
        match lines.last_mut().filter(|line| fits(line)) {
            Some(line) => line.push_str(&format!(" {word}")),
            None => lines.push(format!("  {word}")),
        }
    }
    lines.join("\n") + "\n"
}

/// Counts the tricks of the corpus by what is meant to stop them first, and names those that nothing stops.
fn tricks() -> String {
    let corpus = |name: &str| cases(&root().join("crates/assize/tests").join(name));
    let tricks: Vec<CorpusCase> = corpus("cheats").into_iter().filter(|case| case.word("trick").is_some()).collect();
    let count = |is_one: &dyn Fn(&CorpusCase) -> bool| match tricks.iter().filter(|case| is_one(case)).count() {
        0 => String::new(),
        count => count.to_string(),
    };
    let row = |first: &str, is_one: &dyn Fn(&CorpusCase) -> bool, last: &str| {
        let by_language = LANGUAGES.map(|it| count(&|case| is_one(case) && case.word("language") == Some(it)));
        format!("| {first} | {} | {last} |\n", by_language.join(" | "))
    };
    let mut text = format!("| stopped first by | {} | seen as well |\n", LANGUAGES.join(" | "));
    text.push_str("|---|---|---|---|---|---|\n");
    let mut examples = String::new();
    for layer in LAYERS {
        let first = |case: &CorpusCase| case.word("layer") == Some(layer);
        let of = |language: &&str| tricks.iter().find(|case| first(case) && case.word("language") == Some(language));
        let such: Vec<_> = LANGUAGES.iter().filter_map(of).map(|case| format!("`{}`", case.name)).collect();
        examples.push_str(&item(&format!("`{layer}`: {}", such.join(", "))));
        text.push_str(&row(&format!("`{layer}`"), &first, &count(&|case| case.words("also").contains(&layer))));
    }
    text.push_str(&row("in all", &|_| true, ""));
    let _ = write!(text, "\nThe first example for each language:\n\n{examples}");
    let known: BTreeSet<_> = LAYERS.into_iter().map(Some).collect();
    assert!(tricks.iter().all(|case| known.contains(&case.word("layer"))), "a layer that the book does not know");
    let limits = corpus("cheats-known-limits");
    let (open, none): (Vec<_>, Vec<_>) =
        limits.iter().partition(|case| case.settings.get("open").and_then(toml::Value::as_bool) == Some(true));
    for (title, cases) in [
        ("Not stopped, and no gate can: the code gives the right answers where it is asked, and no others.", none),
        ("Not stopped, though a gate could:", open),
    ] {
        let _ = writeln!(text, "\n{title}\n");
        for case in cases {
            text.push_str(&item(&format!("`{}`: {}.", case.name, case.word("trick").expect("what is done"))));
        }
    }
    text
}

#[test]
fn the_table_of_tricks_is_fresh() {
    const FROM: &str = "<!-- table: cargo xtask corpus --write-table -->\n";
    const TO: &str = "<!-- end of table -->\n";
    assert_eq!(names(TRICKS, "name"), set(LAYERS), "the page says what each name means");
    let fresh = format!("\n{}\n", tricks());
    let old = between(TRICKS, FROM, TO);
    if std::env::var_os(WRITE_TABLE_VARIABLE).is_some() {
        let text = TRICKS.replace(&format!("{FROM}{old}{TO}"), &format!("{FROM}{fresh}{TO}"));
        fs::write(root().join("docs/src/internals/tricks.md"), text).expect("written");
    } else {
        assert_eq!(old, fresh, "`cargo xtask corpus --write-table` writes it anew");
    }
}

/// Reads a file of YAML at the root.
fn yaml(path: &str) -> Value {
    let text = fs::read_to_string(root().join(path)).expect("a file");
    let mut documents = document::read(DocumentSyntax::Yaml, &text).unwrap_or_else(|error| panic!("{path}: {error:?}"));
    assert_eq!(documents.len(), 1, "{path}");
    documents.remove(0).value
}

/// No gate has to run: texts alone are judged.
const SETTINGS: &str = "[review]\nrequire = []\n\n[gates]\nsandbox = \"off\"\n";
const CI: &str = ".github/workflows/ci.yml";
const TESTED: &str = "on: push\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n      - run: pytest -q\n";
const UNTESTED: &str = "on: push\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n";
/// What makes a workflow without tests no fault.
const ASKED: &str = "Remove the step with pytest from .github/workflows/ci.yml.\n";

/// A repository whose second commit takes the tests out of its workflow; `task` is what the first and the second say that
/// the task is.
fn weakened(task: [&str; 2]) -> (Repo, String) {
    let repo = Repo::with_commit(&[("assize.toml", SETTINGS), (CI, TESTED), ("task.md", task[0])]);
    let first = repo.head();
    repo.write(CI, UNTESTED);
    repo.write("task.md", task[1]);
    repo.commit("second");
    (repo, first)
}

/// A command in a repository, with the program first on the search path.
fn with_program(repo: &Repo, program: &str) -> Command {
    let folder = repo.outside().join("runner/assize/bin");
    if !folder.is_dir() {
        fs::create_dir_all(&folder).expect("a folder");
        symlink(env!("CARGO_BIN_EXE_assize"), folder.join("assize")).expect("a link");
    }
    let mut command = Command::new(program);
    command.current_dir(repo.path()).env_clear().env("PATH", search_path(&[folder])).env("HOME", repo.outside());
    command
}

fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A text on one line.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_recorded_reply_of_the_book_is_repeated() {
    let repo = Repo::with_commit(&[("a.txt", "one\n")]);
    let script = between(JUDGES, "broken here for reading:\n\n```sh\n", "```");
    let written = with_program(&repo, "sh").args(["-c", script]).output().expect("a shell");
    assert!(written.status.success(), "{}", told(&written));
    let path = repo.outside().join("replies.jsonl");
    repo.write("assize.toml", &format!("[[judge]]\nid = \"recorded\"\nkind = \"replay\"\npath = {path:?}\n"));
    let mut command = with_program(&repo, "assize");
    command.args(["stop", "--directive", "Test minutes", "--message", "Done.", "--format", "human"]);
    let output = command.output().expect("it runs");
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
    assert!(told(&output).contains("There is no test of minutes."), "{}", told(&output));
}

#[test]
fn the_hook_can_be_called_by_hand_as_the_book_shows() {
    let repo = Repo::empty();
    let script = between(STOP, "in a new folder:\n\n```sh\n", "```");
    let mut shell = with_program(&repo, "sh");
    let output = shell.args(["-c", script]).current_dir(repo.outside()).output().expect("a shell");
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    assert_eq!(answer["decision"], "block");
    assert!(answer["reason"].as_str().is_some_and(|reason| reason.contains("parse.rs:2: `todo!()`")), "{answer}");
    let adapter = include_str!("../src/hook/claude_code.rs");
    let fields = names(STOP, "field");
    assert!(fields.len() > 10, "{fields:?}");
    for field in fields {
        assert!(adapter.contains(&format!("\"{field}\"")), "{field} is not read");
    }
}

#[test]
fn getting_started_shows_what_init_prints() {
    let repo = Repo::with_commit(&[("Cargo.toml", "[package]\nname = \"clock\"\nversion = \"0.1.0\"\n")]);
    fs::create_dir(repo.path().join(".claude")).expect("a folder");
    let output = with_program(&repo, "assize").arg("init").output().expect("it runs");
    let project = repo.path().canonicalize().expect("a folder").display().to_string();
    let mut shown = on_one_line(between(GETTING_STARTED, "$ assize init\n", "```"));
    // A program that is not installed says so; the page is about one that is.
    for line in told(&output).lines().filter(|line| !line.starts_with("note: the hooks call ")) {
        let line = on_one_line(&line.replace(&project, "/home/me/clock"));
        assert!(shown.contains(&line), "{line}\n{shown}");
        shown = shown.replacen(&line, "", 1);
    }
    assert_eq!(on_one_line(&shown), "", "the program does not print it");
}

#[test]
fn the_action_takes_the_text_of_a_pull_request_for_a_claim() {
    let action = yaml("action.yml");
    let steps = action["runs"]["steps"].as_array().expect("steps");
    let step = steps.iter().find(|step| step["id"] == "review").expect("the step that judges");
    let script = step["run"].as_str().expect("a script");
    let given = step["env"].as_object().expect("variables").keys().map(String::as_str);
    assert_eq!(set(given), set(["BASE", "SPEC", "SANDBOX", "ARGUMENTS", "TITLE", "BODY"]));
    let nothing = "Do something else.\n";
    let outside = "a file outside of the tree";
    for (title, spec, task, status) in [
        ("", "", [ASKED, ASKED], 1),
        (ASKED, "", [nothing, nothing], 1),
        ("", "task.md", [nothing, ASKED], 1),
        ("", "task.md", [ASKED, nothing], 0),
        (nothing, outside, [nothing, nothing], 0),
    ] {
        let (repo, base) = weakened(task);
        let asked = repo.outside().join("asked.md");
        fs::write(&asked, ASKED).expect("written");
        let (spec, runner) =
            (if spec == outside { asked.as_os_str() } else { spec.as_ref() }, repo.outside().join("runner"));
        let mut command = with_program(&repo, "bash");
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]).env("RUNNER_TEMP", &runner);
        command.envs([("BASE", base.as_str()), ("SANDBOX", "off"), ("ARGUMENTS", "--skip schema"), ("TITLE", title)]);
        command.env("BODY", title).env("SPEC", spec).env("GITHUB_STEP_SUMMARY", repo.outside().join("summary"));
        let output = command.env("GITHUB_OUTPUT", repo.outside().join("output")).output().expect("bash runs");
        let result = fs::read_to_string(runner.join("assize-result/assize.json")).unwrap_or_default();
        assert_eq!(output.status.code(), Some(status), "{title} {spec:?} {task:?}: {}{result}", told(&output));
        let written = fs::read_to_string(repo.outside().join("output")).expect("outputs");
        let outputs = action["outputs"].as_object().expect("outputs").keys();
        assert!(outputs.into_iter().all(|name| written.contains(&format!("{name}="))), "{written}");
        assert_eq!(runner.join("assize-result/notes.md").exists(), !title.is_empty());
    }
}

#[test]
fn the_action_builds_the_program_once_for_each_state_of_its_sources() {
    let action = yaml("action.yml");
    let steps = action["runs"]["steps"].as_array().expect("steps");
    let one = |what: &str, is_it: &dyn Fn(&Value) -> bool| {
        let found: Vec<usize> = (0..steps.len()).filter(|at| is_it(&steps[*at])).collect();
        assert_eq!(found.len(), 1, "{what}");
        found[0]
    };
    let text = |step: usize, key: &str| steps[step][key].as_str().unwrap_or_default();
    let cache = one("the cache", &|step| step["uses"].as_str().is_some_and(|it| it.starts_with("actions/cache@")));
    let build = one("the build", &|step| step["run"].as_str().is_some_and(|it| it.contains("cargo install")));
    let review = one("the review", &|step| step["id"] == "review");
    assert!(cache < build && build < review, "{cache} {build} {review}");
    assert_eq!(text(build, "if"), format!("steps.{}.outputs.cache-hit != 'true'", text(cache, "id")));
    // What is kept is what is installed, and what is called.
    let cached = &steps[cache]["with"];
    let place = cached["path"].as_str().and_then(|path| path.strip_prefix("${{ runner.temp }}/")).expect("a path");
    let installed = format!(
        "cargo install --quiet --locked --path \"$GITHUB_ACTION_PATH/crates/assize\" --root \"$RUNNER_TEMP/{place}\"\n"
    );
    assert!(text(build, "run").contains(&installed), "{installed}");
    assert!(text(review, "run").contains(&format!("\n\"$RUNNER_TEMP/{place}/bin/assize\" review ")), "{place}");
    let key = cached["key"].as_str().expect("a key");
    for part in ["${{ runner.os }}", "${{ runner.arch }}"] {
        assert!(key.contains(part), "{part}: {key}");
    }
    assert!(cached.get("restore-keys").is_none(), "a program of other sources is none");
    let source = one("the step of the key", &|step| {
        step["id"].as_str().is_some_and(|id| !id.is_empty() && key.contains(&format!("${{{{ steps.{id}.outputs.")))
    });
    assert!(source < cache, "{source} {cache}");
    let name = between(key, &format!("steps.{}.outputs.", text(source, "id")), " }}");
    let sources = tempfile::tempdir().expect("a temporary folder");
    let key_of = || {
        let outputs = sources.path().join("outputs");
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", text(source, "run")]);
        bash.env("GITHUB_ACTION_PATH", sources.path()).env("GITHUB_OUTPUT", &outputs);
        let output = bash.output().expect("bash runs");
        assert!(output.status.success(), "{}", told(&output));
        let written = fs::read_to_string(&outputs).expect("outputs");
        fs::remove_file(outputs).expect("removed");
        let value = written.lines().find_map(|line| line.strip_prefix(&format!("{name}="))).expect("a key");
        assert!(value.len() >= 32, "{value}");
        value.to_owned()
    };
    let write = |path: &str, text: &str| {
        let path = sources.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    };
    for path in ["Cargo.toml", "Cargo.lock", "README.md", "crates/assize/src/main.rs"] {
        write(path, "one\n");
    }
    let mut keys = BTreeSet::from([key_of()]);
    write("README.md", "two\n");
    assert!(!keys.insert(key_of()), "the program is not built from this");
    for path in ["Cargo.toml", "Cargo.lock", "crates/assize/src/main.rs", "crates/assize/src/new file.rs"] {
        write(path, "two\n");
        assert!(keys.insert(key_of()), "{path} makes another program");
        assert!(!keys.insert(key_of()), "{path}");
    }
    fs::rename(sources.path().join("crates/assize/src/main.rs"), sources.path().join("crates/assize/src/moved.rs"))
        .expect("moved");
    assert!(keys.insert(key_of()), "a file that is called otherwise makes another program");
}

#[test]
fn the_action_says_who_installs_the_packages_of_the_project() {
    let action = yaml("action.yml");
    let description = on_one_line(action["description"].as_str().expect("a description"));
    assert!(description.contains("the project's packages are installed by the review"), "{description}");
    let page = on_one_line(&fs::read_to_string(root().join("docs/src/tasks/ci.md")).expect("a page"));
    assert!(page.contains("The review installs the project's packages itself"), "{page}");
}

/// Stands for a review: it leaves what it is told to leave, and ends with a status.
const STAND_IN: &str = "#!/bin/sh\necho '## Assize'\ncd \"$RUNNER_TEMP/assize-result\"\n";

#[test]
fn the_action_ends_with_the_status_of_the_review_whatever_it_left() {
    let action = yaml("action.yml");
    let steps = action["runs"]["steps"].as_array().expect("steps");
    let step = steps.iter().find(|step| step["id"] == "review").expect("the step that judges");
    let script = step["run"].as_str().expect("a script");
    let leave = |outcome: &str| format!("echo '{{\"outcome\":\"{outcome}\"}}' > assize.json\n: > annotations\n");
    for (does, arguments, status, outcome) in [
        // The program itself, which leaves nothing after bad usage.
        (None, "--no-such-option", 2, "unjudged"),
        (Some(String::new()), "", 2, "unjudged"),
        (Some(String::new()), "", 3, "unjudged"),
        (Some(String::new()), "", 101, "unjudged"),
        (Some(": > assize.json\n".to_owned()), "", 3, "unjudged"),
        (Some("printf '{' > assize.json\n: > annotations\n".to_owned()), "", 2, "unjudged"),
        (Some(leave("accept")), "", 0, "accept"),
        (Some(leave("revise")), "", 1, "revise"),
        (Some(leave("unjudged")), "", 3, "unjudged"),
    ] {
        let (repo, base) = weakened(["", ""]);
        let runner = repo.outside().join("runner");
        if let Some(does) = &does {
            let program = runner.join("assize/bin/assize");
            fs::create_dir_all(runner.join("assize/bin")).expect("a folder");
            fs::write(&program, format!("{STAND_IN}{does}exit {status}\n")).expect("written");
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("executable");
        }
        let mut command = with_program(&repo, "bash");
        command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]).env("RUNNER_TEMP", &runner);
        command.envs([("BASE", base.as_str()), ("SANDBOX", "off"), ("ARGUMENTS", arguments), ("TITLE", "")]);
        command.env("BODY", "").env("SPEC", "").env("GITHUB_STEP_SUMMARY", repo.outside().join("summary"));
        let output = command.env("GITHUB_OUTPUT", repo.outside().join("output")).output().expect("bash runs");
        assert_eq!(output.status.code(), Some(status), "{does:?} {arguments}: {}", told(&output));
        let written = fs::read_to_string(repo.outside().join("output")).expect("outputs");
        assert!(written.contains(&format!("outcome={outcome}\n")), "{does:?} {arguments}: {written}");
    }
}

/// The words of a hook's command, as pre-commit takes them apart.
fn hook(id: &str) -> Vec<String> {
    let hooks = yaml(".pre-commit-hooks.yaml");
    let hook = hooks.as_array().and_then(|hooks| hooks.iter().find(|hook| hook["id"] == id)).expect("a hook");
    shlex::split(hook["entry"].as_str().expect("a command")).expect("words")
}

#[test]
fn what_is_about_to_be_pushed_is_judged() {
    let words = hook("assize-review");
    let (repo, first) = weakened(["", ""]);
    let second = repo.head();
    repo.write("README.md", "# A thing\n");
    repo.commit("third");
    let third = repo.head();
    let remote = ("PRE_COMMIT_REMOTE_NAME", "origin");
    for (variables, arguments, status) in [
        (vec![("PRE_COMMIT_FROM_REF", first.as_str()), ("PRE_COMMIT_TO_REF", &third), remote], vec![], 1),
        (vec![("PRE_COMMIT_FROM_REF", &second), ("PRE_COMMIT_TO_REF", &third), remote], vec![], 0),
        // Another branch is pushed than is checked out.
        (vec![("PRE_COMMIT_FROM_REF", &first), ("PRE_COMMIT_TO_REF", &second), remote], vec![], 3),
        (vec![("PRE_COMMIT_FROM_REF", &first), ("PRE_COMMIT_TO_REF", "main"), remote], vec![], 1),
        // By hand: nothing differs from the last commit.
        (vec![], vec![], 0),
        (vec![], vec!["--base", first.as_str()], 1),
    ] {
        let mut command = with_program(&repo, &words[0]);
        let output = command.args(&words[1..]).args(&arguments).envs(variables.clone()).output().expect("it runs");
        assert_eq!(output.status.code(), Some(status), "{variables:?} {arguments:?}: {}", told(&output));
    }
    // All of the branch is new to the other side.
    let repo = Repo::with_commit(&[("assize.toml", SETTINGS), (".npmrc", "strict-ssl=false\n")]);
    for (variables, status) in [(vec![remote], 1), (vec![], 0)] {
        let mut command = with_program(&repo, &words[0]);
        let output = command.args(&words[1..]).envs(variables).output().expect("it runs");
        assert_eq!(output.status.code(), Some(status), "{}", told(&output));
    }
}

#[test]
fn what_is_about_to_be_committed_is_checked() {
    let words = hook("assize-gates");
    let (repo, _) = weakened(["", ""]);
    repo.write("order.schema.json", "{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\"}\n");
    repo.commit("third");
    let run = || with_program(&repo, &words[0]).args(&words[1..]).output().expect("it runs");
    let output = run();
    assert_eq!(output.status.code(), Some(0), "{}", told(&output));
    repo.write("order.schema.json", "{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\", \"type\": 1}\n");
    let output = run();
    assert_eq!(output.status.code(), Some(1), "{}", told(&output));
}

#[test]
fn limits_of_patches_are_those_of_the_program() {
    let mib = |bytes: usize| format!("{} MiB", bytes / (1024 * 1024));
    let limits = PatchLimits::default();
    for said in [
        format!("At most {} operations, and {} bytes", limits.ops_max, spaced(limits.bytes_max as u64)),
        format!("replaced in {} places", spaced(assize_patch::MATCHES_MAX as u64)),
        format!("no file larger than {}", mib(assize_patch::FILE_BYTES_MAX)),
        format!("may add at most {} beyond", mib(assize_patch::GROWTH_BYTES_MAX)),
    ] {
        assert!(PATCH.contains(&said), "docs/src/tasks/patch.md does not say: {said}");
    }
}
