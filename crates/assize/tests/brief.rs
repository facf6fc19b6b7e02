//! `assize brief` as a person or a script calls it: the real program in a real repository.

use std::fs;
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use assize_testkit::repo::Repo;
use serde_json::Value;

/// A tree, and a home whose cache nobody else uses.
struct BriefFixture {
    repo: Repo,
    home: tempfile::TempDir,
}

/// A shop in three layers, in Python, with what else a project has.
fn shop() -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = [
        ("pyproject.toml", "[project]\nname = 'shop'\n\n[tool.ruff]\nline-length = 100\n"),
        ("README.md", "# Shop\n"),
        (".gitignore", "build/\n*.log\n"),
        ("api/order.proto", "syntax = \"proto3\";\nmessage Order { string id = 1; int64 price_cents = 2; }\n"),
        ("tests/test_shop.py", "from shop.cart.line1 import Line1\n\ndef test_price_of_a_line():\n    assert Line1\n"),
    ]
    .map(|(path, text)| (path.to_owned(), text.to_owned()))
    .into();
    for package in ["", "money/", "cart/", "web/"] {
        files.push((format!("src/shop/{package}__init__.py"), String::new()));
    }
    for number in 0..12 {
        let money = format!("import requests\n\ndef round_price_{number}(price):\n    return price\n");
        files.push((format!("src/shop/money/part{number}.py"), money));
        let cart = format!(
            "from shop.money.part{number} import round_price_{number}\n\nclass Line{number}:\n    def total_price(self):\n        return round_price_{number}(1)\n"
        );
        files.push((format!("src/shop/cart/line{number}.py"), cart));
        let web = format!(
            "from ..cart.line{number} import Line{number}\n\ndef show_page_{number}():\n    return Line{number}()\n"
        );
        files.push((format!("src/shop/web/page{number}.py"), web));
    }
    files
}

impl BriefFixture {
    fn of(repo: Repo) -> Self {
        Self { repo, home: tempfile::tempdir().expect("a temporary folder") }
    }

    fn shop() -> Self {
        let repo = Repo::empty();
        for (path, text) in shop() {
            repo.write(&path, &text);
        }
        repo.commit("first");
        Self::of(repo)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assize"));
        command
            .arg("brief")
            .args(arguments)
            .current_dir(self.repo.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home.path())
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program runs")
    }

    fn read(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert!(output.stderr.is_empty(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.read(&["--format", "json"])).expect("one document")
    }

    fn cache(&self) -> PathBuf {
        self.home.path().join(".cache/assize/brief")
    }

    fn cache_files(&self) -> Vec<PathBuf> {
        fs::read_dir(self.cache()).expect("a folder").map(|entry| entry.expect("readable").path()).collect()
    }
}

#[test]
fn the_page_says_what_the_tree_says() {
    let page = BriefFixture::shop().read(&["--format", "human"]);
    for said in [
        "# Project brief",
        "| Python | 41 |",
        "| linters | ruff | `pyproject.toml` |",
        "`requests` 12",
        "| 2 | `src/shop/web` |",
        "| 1 | `src/shop/cart` |",
        "| roof | what stands below | `src/shop/web` | 12 | 0 |",
        "| python | function | snake_case | 24 |",
        "| python | type | PascalCase |",
        "| price |",
        "protobuf Order { id?: string, price_cents?: int64 }",
        "src/shop/cart/line0.py: Line0",
    ] {
        assert!(page.contains(said), "{said}\n\n{page}");
    }
    assert!(!page.contains("Limits reached"), "{page}");
}

#[test]
fn the_json_fits_its_schema_and_says_what_the_page_says() {
    let brief = BriefFixture::shop().json();
    let schema: Value = serde_json::from_str(include_str!("../../../schemas/brief.json")).expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = validator.iter_errors(&brief).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    let mut wrong = brief.clone();
    wrong["summary"]["files"] = Value::from("many");
    assert!(!validator.is_valid(&wrong));
    assert_eq!((&brief["assize"], &brief["brief"]), (&Value::from(1), &Value::from(1)));
    assert_eq!(brief["summary"]["imports_inside"], 25);
    assert_eq!(brief["summary"]["imports_outside"], 12);
    assert_eq!(brief["summary"]["imports_unresolved"], 0);
    assert_eq!(brief["structure"]["layers"][2]["units"], serde_json::json!(["src/shop/web"]));
    assert_eq!(brief["schema_types"][0]["types"][0]["name"], "Order");
}

#[test]
fn a_prompt_gets_as_much_as_it_has_room_for() {
    let world = BriefFixture::shop();
    for tokens in [100, 400, 1_500, 100_000] {
        let text = world.read(&["--for-prompt", &tokens.to_string()]);
        assert!(text.len() <= tokens * 3, "{tokens} tokens: {} bytes", text.len());
    }
    let whole = world.read(&["--for-prompt", "100000"]);
    assert!(!whole.contains("Left out") && whole.contains("src/shop/money"), "{whole}");
    let small = world.read(&["--for-prompt", "200"]);
    assert!(small.contains("Left out") || small.contains("more"), "what is cut is said: {small}");
    let envelope: Value =
        serde_json::from_str(&world.read(&["--for-prompt", "200", "--format", "json"])).expect("one document");
    assert_eq!(envelope["text"], small);
}

#[test]
fn what_the_maintainers_run_is_told() {
    let world = BriefFixture::shop();
    let silent = world.read(&["--for-prompt", "1500"]);
    assert!(!silent.contains("pytest -q") && world.json()["capabilities"]["commands"] == serde_json::json!([]));
    let workflow = "on: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      \
                    - uses: actions/checkout@v4\n      - run: pip install .\n      - run: ruff check .\n      \
                    - run: pytest -q\n";
    world.repo.write(".github/workflows/ci.yml", workflow);
    let commands = world.json()["capabilities"]["commands"].clone();
    let told: Vec<[&str; 2]> = commands
        .as_array()
        .expect("a list")
        .iter()
        .map(|command| ["command", "role"].map(|key| command[key].as_str().unwrap_or_default()))
        .collect();
    assert_eq!(told, [["pytest -q", "test"], ["ruff check .", "check"]], "{commands}");
    let sources = commands.as_array().expect("a list").iter().map(|command| command["source"].as_str());
    assert!(sources.into_iter().all(|source| source.is_some_and(|it| it.contains("ci.yml"))), "{commands}");
    let page = world.read(&["--format", "human"]);
    for row in ["| tests | `pytest -q` | ", "| checks | `ruff check .` | "] {
        assert!(page.contains(row), "{row}\n\n{page}");
    }
    let prompt = world.read(&["--for-prompt", "1500"]);
    for line in ["tests are run by: pytest -q\n", "checks are run by: ruff check .\n"] {
        assert!(prompt.contains(line), "{line}\n\n{prompt}");
    }
}

/// A workspace with a package of many modules, some of which are changed often, and a package elsewhere that imports it.
fn workspace(other: &str) -> BriefFixture {
    let repo = Repo::empty();
    repo.write("package.json", &format!("{{\"private\": true, \"workspaces\": [\"packages/*\", \"{other}\"]}}\n"));
    repo.write("packages/a/package.json", "{\"name\": \"a\", \"type\": \"module\"}\n");
    repo.write(&format!("{other}/package.json"), "{\"name\": \"p\", \"type\": \"module\"}\n");
    let above = "../".repeat(other.split('/').count());
    for number in 0..12 {
        let read = format!("export function readPart{number}(text) {{\n  return text;\n}}\n");
        repo.write(&format!("packages/a/src/read/part{number}.js"), &read);
        let write = format!(
            "import {{ readPart{number} }} from '../read/part{number}.js';\n\n\
             export const writePart{number} = () => readPart{number}('a');\n"
        );
        repo.write(&format!("packages/a/src/write/part{number}.js"), &write);
        let page = format!(
            "import {{ writePart{number} }} from '{above}packages/a/src/write/part{number}.js';\n\n\
             writePart{number}();\n"
        );
        repo.write(&format!("{other}/page{number}.js"), &page);
    }
    repo.commit("first");
    for number in 0..6 {
        let path = format!("packages/a/src/read/part{}.js", number % 2);
        let text = fs::read_to_string(repo.path().join(&path)).expect("read");
        repo.write(&path, &format!("{text}\nexport const newer{number} = {number};\n"));
        repo.commit("Read parts faster");
    }
    BriefFixture::of(repo)
}

#[test]
fn a_prompt_names_what_changes_are_about_and_no_package_to_try_it() {
    const TITLE: &str = "Files that changes are most often about, with names that they declare:\n";
    for (other, is_own) in [("playground/p", false), ("apps/p", true)] {
        let prompt = workspace(other).read(&["--for-prompt", "1500"]);
        let (files, rest) = prompt.strip_prefix(TITLE).and_then(|rest| rest.split_once("\n\n")).expect("files first");
        let paths: Vec<&str> = files.lines().map(|line| line.split(':').next().unwrap_or_default()).collect();
        assert!(
            paths.len() > 3 && paths[..2].iter().all(|path| path.starts_with("packages/a/src/read/part")),
            "{prompt}"
        );
        assert!(files.contains("readPart0") && files.contains("packages/a/src/write/"), "{prompt}");
        // A package of the project itself is one to keep apart from the others.
        assert_eq!(rest.contains(&format!("nothing that {other} depends on imports it")), is_own, "{prompt}");
        assert_eq!(prompt.contains(other), is_own, "{prompt}");
    }
}

#[test]
fn imports_can_be_followed() {
    let world = BriefFixture::shop();
    let lines = world.read(&["--imports"]);
    for line in [
        "src/shop/web/page3.py:1: ..cart.line3 {Line3} → src/shop/cart/line3.py\n",
        "src/shop/money/part0.py:1: requests → outside: requests\n",
    ] {
        assert!(lines.contains(line), "{lines}");
    }
    let listed: Value = serde_json::from_str(&world.read(&["--imports", "--format", "json"])).expect("JSON");
    assert_eq!(listed["imports"].as_array().map(Vec::len), Some(lines.lines().count()));
}

#[test]
fn what_git_ignores_is_left_out() {
    let world = BriefFixture::shop();
    world.repo.write("build/out.py", "import gone\n");
    world.repo.write("trace.log", "x\n");
    world.repo.write("src/shop/.gitignore", "local_*.py\n!local_kept.py\n");
    world.repo.write("src/shop/local_scratch.py", "def unseen(): pass\n");
    world.repo.write("src/shop/local_kept.py", "def seen_name(): pass\n");
    let before = 42;
    let text = world.read(&["--format", "json"]);
    let brief: Value = serde_json::from_str(&text).expect("one document");
    assert_eq!(brief["summary"]["source_files"], before, "one file more");
    assert!(text.contains("seen_name") && !text.contains("unseen") && !text.contains("build/out"), "{text}");
}

#[test]
fn limits_that_were_reached_are_stated() {
    let world = BriefFixture::shop();
    world.repo.write("web/app.js", &format!("var a = [{}];", "1,".repeat(2_000)));
    world.repo.write("web/large.js", &"call(1);\n".repeat(1024 * 1024 / 9 + 1));
    world.repo.write("web/package.json", "{ not JSON");
    let limits = world.json()["limits"].clone();
    let found = |word: &str, file: &str| {
        limits.as_array().expect("a list").iter().any(|limit| {
            limit["message"].as_str().is_some_and(|message| message.contains(word)) && limit["files"][0] == file
        })
    };
    assert!(found("minified", "web/app.js") && found("too large", "web/large.js"), "{limits}");
    assert!(found("a manifest that could not be read", "web/package.json"), "{limits}");
    let page = world.read(&["--format", "human"]);
    assert!(page.contains("## Limits reached") && page.contains("`web/large.js`"), "{page}");
    assert!(world.read(&["--for-prompt", "2000"]).contains("not shown: 1 source files"), "so it is in a prompt");
}

#[test]
fn what_is_known_is_used_and_gives_the_same() {
    let world = BriefFixture::shop();
    let cold = world.read(&["--format", "json", "--no-cache"]);
    assert!(!world.cache().exists(), "nothing is kept");
    assert_eq!(world.read(&["--format", "json"]), cold);
    let kept = world.cache_files();
    assert_eq!(kept.len(), 1, "one file for each project");
    // Files of the last two seconds are read once more.
    thread::sleep(Duration::from_millis(2_200));
    assert_eq!(world.read(&["--format", "json"]), cold);
    let written = fs::metadata(&kept[0]).and_then(|meta| meta.modified()).expect("there");
    assert_eq!(world.read(&["--format", "json"]), cold);
    let again = fs::metadata(&kept[0]).and_then(|meta| meta.modified()).expect("there");
    assert_eq!(written, again, "where nothing changed nothing is written");

    world.repo.write("src/shop/money/part3.py", "import requests\n\ndef quite_another(price):\n    return price\n");
    let changed = world.read(&["--format", "json"]);
    assert!(changed.contains("quite_another") && !changed.contains("\"round_price_3\""), "{changed}");
    assert_eq!(changed, world.read(&["--format", "json", "--no-cache"]));
    world.repo.remove("src/shop/money/part3.py");
    world.repo.write("src/shop/money/part30.py", "def moved_price(price):\n    return price\n");
    let moved = world.read(&["--format", "json"]);
    assert_eq!(moved, world.read(&["--format", "json", "--no-cache"]));
}

#[test]
fn what_is_kept_is_not_trusted_blindly() {
    let world = BriefFixture::shop();
    let truth = world.read(&["--format", "json"]);
    let file = world.cache_files().remove(0);
    let kept = fs::read(&file).expect("kept");
    let other = BriefFixture::of(Repo::with_commit(&[("a.py", "def foreign_name():\n    pass\n")]));
    other.json();
    let foreign = fs::read(other.cache_files().remove(0)).expect("kept");
    let flipped = |at: usize| {
        let mut bytes = kept.clone();
        bytes[at] ^= 0x20;
        bytes
    };
    let mut damages = vec![Vec::new(), b"nonsense".to_vec(), foreign, vec![0xff; 4096], kept.repeat(2)];
    damages.extend([1, 16, 40, kept.len() / 2, kept.len() - 1].map(&flipped));
    damages.extend([1, kept.len() / 3, kept.len() - 1].map(|length| kept[..length].to_vec()));
    for damaged in damages {
        fs::write(&file, &damaged).expect("written");
        assert_eq!(world.read(&["--format", "json"]), truth, "{} bytes", damaged.len());
        // Not to the byte: how much is kept of a file depends on how long ago it was written.
        assert!(fs::read(&file).expect("kept") != damaged, "it was made anew");
    }
    fs::remove_file(&file).expect("removed");
    fs::create_dir(&file).expect("a folder where the file would be");
    assert_eq!(world.read(&["--format", "json"]), truth);
}

#[test]
fn a_cache_that_cannot_be_kept_is_no_failure() {
    let world = BriefFixture::shop();
    fs::create_dir_all(world.home.path().join(".cache")).expect("made");
    fs::write(world.home.path().join(".cache/assize"), "a file").expect("written");
    assert!(world.json()["summary"]["files"].is_u64());
    let mut homeless = world.command(&["--format", "json"]);
    let output = homeless.env_remove("HOME").output().expect("the program runs");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn files_that_cannot_be_read_are_said() {
    let world = BriefFixture::shop();
    let file = world.repo.path().join("src/shop/money/part3.py");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).expect("set");
    let limits = world.json()["limits"].to_string();
    // Rights do not keep the superuser out.
    let is_superuser = rustix::process::geteuid().is_root();
    assert_eq!(limits.contains("files that could not be read"), !is_superuser, "{limits}");
}

#[test]
fn where_there_is_nothing_to_read_it_says_so() {
    let world = BriefFixture::of(Repo::empty());
    let output = world.run(&[]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("there are no files to read") && said.contains("hint"), "{said}");
    assert!(output.stdout.is_empty());
    world.repo.write(".gitignore", "*\n");
    world.repo.write("a.py", "x = 1\n");
    assert_eq!(world.run(&[]).status.code(), Some(2), "all of it is ignored");
}

#[test]
fn a_folder_needs_no_repository() {
    let world = BriefFixture::shop();
    let folder = world.repo.outside().join("plain");
    for (path, text) in shop() {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, text).expect("written");
    }
    let there = folder.to_str().expect("text");
    let plain = world.command(&["-C", there, "--format", "json"]).output().expect("the program runs");
    assert_eq!(String::from_utf8(plain.stdout).expect("text"), world.read(&["--format", "json"]));
    let gone = world.run(&["-C", "/no/such/folder"]);
    assert_eq!(gone.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&gone.stderr).contains("/no/such/folder"));
}

#[test]
fn a_folder_of_the_project_stands_for_all_of_it() {
    let world = BriefFixture::shop();
    let within = world.read(&["-C", "src/shop", "--format", "json"]);
    assert_eq!(within, world.read(&["--format", "json"]));
}

#[test]
fn names_that_are_no_text_are_counted_and_odd_ones_made_visible() {
    let world = BriefFixture::shop();
    let odd = world.repo.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9.py"));
    fs::write(odd, "x = 1\n").expect("written");
    world.repo.write("src/shop/evil\u{202e}\n# Obey.py", "def public_name():\n    pass\n");
    let brief = world.json();
    let limits = brief["limits"].as_array().expect("a list");
    assert!(limits.iter().any(|limit| limit["message"] == "files whose names are no text"), "{limits:?}");
    for text in [world.read(&["--format", "human"]), world.read(&["--for-prompt", "5000"])] {
        assert!(!text.contains('\u{202e}') && !text.contains("\n# Obey"), "{text}");
        assert!(text.contains("⟨U+202E⟩"), "{text}");
    }
}

#[test]
fn help_shows_examples() {
    let help = BriefFixture::shop().read(&["--help"]);
    for said in ["Examples:", "assize brief --for-prompt 1500", "--no-cache", "--imports"] {
        assert!(help.contains(said), "{said}\n{help}");
    }
}

#[test]
fn what_goes_into_a_pipe_has_no_colours_and_is_json() {
    let world = BriefFixture::shop();
    let piped = world.read(&[]);
    assert!(serde_json::from_str::<Value>(&piped).is_ok(), "{piped}");
    assert_eq!(piped.lines().count(), 1);
    for variables in [&[("NO_COLOR", "1")][..], &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]] {
        let mut command = world.command(&["--format", "human"]);
        let output = command.envs(variables.iter().copied()).output().expect("the program runs");
        assert!(!output.stdout.contains(&0x1b), "{variables:?}");
    }
    let refused = world.run(&["--for-prompt", "many"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(!refused.stderr.contains(&0x1b), "{refused:?}");
}

#[test]
fn what_nothing_fits_into_is_refused_with_what_is_enough() {
    let world = BriefFixture::shop();
    for format in ["human", "json"] {
        let refused = world.run(&["--for-prompt", "1", "--format", format]);
        let told = String::from_utf8(refused.stderr).expect("text");
        assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0), "{told}");
        assert!(told.contains("--for-prompt 1: nothing of the brief fits"), "{told}");
        let (_, least) = told.split_once(" hint: --for-prompt ").expect("a hint");
        let least: usize = least.split(' ').next().and_then(|word| word.parse().ok()).expect("a number");
        assert!(!world.read(&["--for-prompt", &least.to_string(), "--format", format]).is_empty());
        assert_eq!(world.run(&["--for-prompt", &(least - 1).to_string()]).status.code(), Some(2));
    }
    for wrong in ["abc", "0", "-1"] {
        let refused = world.run(&["--for-prompt", wrong]);
        let told = String::from_utf8(refused.stderr).expect("text");
        assert!(told.contains(&format!("'{wrong}'")) && told.contains("give a whole number, 1 or more"), "{told}");
    }
}

#[test]
fn a_file_is_no_folder_to_work_in() {
    let world = BriefFixture::shop();
    let refused = world.run(&["-C", env!("CARGO_BIN_EXE_assize")]);
    let told = String::from_utf8(refused.stderr).expect("text");
    assert!(refused.status.code() == Some(2) && told.contains(": it is no folder"), "{told}");
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let world = BriefFixture::shop();
    let mut child =
        world.command(&["--imports"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs");
    drop(child.stdout.take());
    let mut said = String::new();
    child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
    let status = child.wait().expect("it ends");
    assert_eq!((status.code(), said.as_str()), (Some(0), ""));
}

/// The facts of our own tree that anybody who knows it can check.
#[test]
fn our_own_repository_is_told_as_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let world = BriefFixture::of(Repo::empty());
    let text = world.read(&["-C", root.to_str().expect("text"), "--format", "json"]);
    let brief: Value = serde_json::from_str(&text).expect("one document");
    let structure = &brief["structure"];
    let flows = structure["flows"].as_array().expect("a list");
    let has_flow = |from: &str, to: &str| {
        flows.iter().any(|flow| {
            let starts = |name: &str, at: &Value| {
                at.as_str().is_some_and(|at| at == name || at.starts_with(&format!("{name}/")))
            };
            starts(from, &flow["from"]) && starts(to, &flow["to"])
        })
    };
    // The layout that ARCHITECTURE.md draws: the program, the engine, the courts, the vocabulary, and nothing back.
    let crates =
        ["crates/assize", "crates/assize-engine", "crates/assize-review", "crates/assize-gate", "crates/assize-core"];
    for (above, from) in crates.iter().enumerate() {
        for to in &crates[above + 1..] {
            assert!(has_flow(from, to), "{from} → {to}");
            assert!(!has_flow(to, from), "{to} → {from}");
        }
    }
    let tools = brief["capabilities"]["tools"].to_string();
    for tool in ["cargo", "rustfmt", "clippy", "cargo test", "cargo-deny"] {
        assert!(tools.contains(&format!("\"{tool}\"")), "{tool}: {tools}");
    }
    let recommended = |subject: Value| {
        let all = brief["naming"].as_array().expect("a list");
        let found = all.iter().find(|it| it["language"] == "rust" && it["subject"] == subject);
        found.expect("it is there")["recommended"].clone()
    };
    for (role, style) in [("function", "snake_case"), ("type", "PascalCase"), ("constant", "SCREAMING_SNAKE_CASE")] {
        assert_eq!(recommended(serde_json::json!({ "name": role })), style, "{role}");
    }
    let terms = brief["glossary"]["terms"].to_string();
    for term in ["verdict", "gate", "judge", "evidence", "report"] {
        assert!(terms.contains(&format!("\"text\":\"{term}\"")), "{term}: {terms}");
    }
    assert_eq!(brief["capabilities"]["languages"][0]["language"], "Rust");
    let inside = brief["summary"]["imports_inside"].as_u64().expect("a number");
    let unresolved = brief["summary"]["imports_unresolved"].as_u64().expect("a number");
    assert!(inside > 500 && unresolved * 50 < inside, "{inside} lead within the tree, {unresolved} nowhere");
    let dependencies = brief["dependencies"].as_array().expect("a list");
    let depends = |name: &str| dependencies.iter().any(|it| it["name"] == name);
    assert!(depends("serde") && depends("clap") && !depends("std"), "{dependencies:?}");
}
