//! `assize gates`, and the check of documents, as a script calls them: the real program, and standard error no terminal.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use assize_testkit::repo::Repo;
use serde_json::{Value, json};

/// One gate that always passes; it runs without a sandbox, so that it runs everywhere.
const SETTINGS: &str = "[gates]\nsandbox = \"off\"\n\n[[gate]]\nid = \"mine\"\ncommand = [\"cat\", \"clean.sarif\"]\n\
                        dimension = \"style\"\nreport = \"sarif\"\n";
const CLEAN: &str = "{\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"mine\"}},\"results\":[]}]}\n";

fn project() -> Repo {
    Repo::with_commit(&[("assize.toml", SETTINGS), ("clean.sarif", CLEAN), ("README.md", "# A thing\n")])
}

fn assize(repo: &Repo, folder: &Path, input: &str, arguments: &[&str]) -> Output {
    let file = repo.outside().join("standard-input");
    fs::write(&file, input).expect("written");
    Command::new(env!("CARGO_BIN_EXE_assize"))
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", repo.outside())
        .env("XDG_CACHE_HOME", repo.outside().join("cache"))
        .stdin(Stdio::from(fs::File::open(file).expect("opened")))
        .output()
        .expect("the program runs")
}

fn gates(repo: &Repo, arguments: &[&str]) -> (Option<i32>, String) {
    let all: Vec<&str> = ["gates"].iter().chain(arguments).copied().collect();
    let output = assize(repo, &repo.path(), "", &all);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}: progress is for terminals");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A key of a well-known form, put together so that none stands in this file.
fn key() -> String {
    format!("KEY = \"gh{}_{}\"\n", "p", "9fK2mQ7xW4bR8tY1vL6nZ3cJ5hD0sA9gE2uP")
}

#[test]
fn what_gates_find_is_shown_and_counts() {
    let repo = project();
    for format in ["human", "json", "markdown"] {
        assert_eq!(gates(&repo, &["--format", format]).0, Some(0), "{format}");
    }
    repo.write("src/client.py", &key());
    for scope in [&[][..], &["--base", "HEAD"]] {
        for (format, words) in [
            ("human", &["mine", "src/client.py:1", "[secret]"][..]),
            ("json", &["\"id\":\"mine\"", "\"rule\":\"secret\"", "\"limits\":[", "\"missing\":["]),
            ("markdown", &["| mine | ✅ passed |", "Found:", "src/client.py:1", "(`secret`)"]),
        ] {
            let arguments: Vec<&str> = ["--format", format].iter().chain(scope).copied().collect();
            let (code, text) = gates(&repo, &arguments);
            assert_eq!(code, Some(1), "{arguments:?}: {text}");
            for word in words {
                assert!(text.contains(word), "{word}: {text}");
            }
        }
    }
    repo.commit("taken in");
    assert_eq!(gates(&repo, &["--base", "HEAD"]).0, Some(0), "what the base has is not this change's doing");
}

#[test]
fn one_gate_can_be_run_alone_and_is_named_to_be_run_again() {
    let repo = project();
    repo.write("test_a.py", "def test_a():\n    assert 1 == 2\n");
    let state = |text: &str, id: &str| {
        let result: Value = serde_json::from_str(text).expect("JSON");
        let gates = result["exec"]["gates"].as_array().expect("a list").clone();
        gates.into_iter().find(|gate| gate["id"] == id).map(|gate| gate["state"].clone())
    };
    let (code, text) = gates(&repo, &["--only", "mine", "--format", "json"]);
    assert_eq!(
        (code, state(&text, "mine"), state(&text, "python-compile")),
        (Some(0), Some("passed".into()), Some("absent".into()))
    );
    let (_, text) = gates(&repo, &["--only", "python-compile", "--format", "json"]);
    assert_eq!((state(&text, "mine"), state(&text, "python-compile")), (Some("absent".into()), Some("passed".into())));
    assert!(text.contains("\"command\":\"assize gates --only python-compile\""), "{text}");
    for arguments in [&["gates", "--only", "nobody"][..], &["gates", "--only", "mine", "--skip", "mypy"]] {
        assert_eq!(assize(&repo, &repo.path(), "", arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_gate_of_one_folder_is_left_out_by_the_name_that_results_show() {
    let names = |settings: &str| {
        let manifest = |name: &str| format!("[project]\nname = \"{name}\"\nversion = \"1\"\n");
        let test =
            "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(1, 1)\n";
        let repo = Repo::with_commit(&[
            ("assize.toml", settings),
            ("one/pyproject.toml", &manifest("one")),
            ("one/tests/test_one.py", test),
            ("two/pyproject.toml", &manifest("two")),
            ("two/tests/test_two.py", test),
        ]);
        let output = assize(&repo, &repo.path(), "", &["gates", "--list", "--format", "human"]);
        assert_eq!(output.status.code(), Some(0), "{settings}: {}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let names = text.lines().filter_map(|line| Some(line.split_once("  ")?.0.to_owned()));
        names.filter(|name| name.starts_with("unittest in ")).collect::<Vec<_>>()
    };
    assert_eq!(names(""), ["unittest in one", "unittest in two"]);
    assert_eq!(names("[gates]\nskip = [\"unittest in two\"]\n"), ["unittest in one"]);
    assert_eq!(names("[gates]\nskip = [\"unittest\"]\n"), [""; 0]);
}

/// A program is found by its absolute path where nothing else of its folder is on the search path, in the sandbox, too.
#[test]
fn a_declared_gate_is_called_by_its_absolute_path() {
    let settings = "[review]\nrequire = []\n\n[[gate]]\nid = \"mine\"\ncommand = [\"PROGRAM\", \"CLEAN\"]\n\
                    dimension = \"style\"\nreport = \"sarif\"\n";
    for program in ["/bin/sh", "/bin/cat", "own"] {
        for demand in ["prefer", "off"] {
            let repo =
                Repo::with_commit(&[("clean.sarif", CLEAN), ("print.sh", "cat clean.sarif\n"), ("a.txt", "a\n")]);
            let own = repo.outside().join("elsewhere/print");
            fs::create_dir_all(repo.outside().join("elsewhere")).expect("a folder");
            fs::write(&own, "#!/bin/sh\ncat \"$1\"\n").expect("written");
            fs::set_permissions(&own, fs::Permissions::from_mode(0o755)).expect("executable");
            let path = if program == "own" { own.display().to_string() } else { program.to_owned() };
            let file = if program == "/bin/sh" { "print.sh" } else { "clean.sarif" };
            repo.write("assize.toml", &settings.replace("PROGRAM", &path).replace("CLEAN", file));
            repo.commit("settings");
            repo.write("a.txt", "b\n");
            let (code, text) = gates(&repo, &["--only", "mine", "--sandbox", demand, "--format", "json"]);
            let result: Value = serde_json::from_str(&text).expect("JSON");
            let gate = result["exec"]["gates"].as_array().expect("a list").iter().find(|gate| gate["id"] == "mine");
            assert_eq!(
                (code, &gate.expect("the gate")["state"]),
                (Some(0), &"passed".into()),
                "{program} {demand}: {text}"
            );
        }
    }
}

#[test]
fn a_gate_that_the_change_takes_away_is_shown() {
    let repo = project();
    repo.write("lib/a.py", "A = 1\n");
    repo.commit("with Python");
    repo.remove("lib/a.py");
    for (format, word) in
        [("human", "[gate-removed]"), ("json", "\"rule\":\"gate-removed\""), ("markdown", "(`gate-removed`)")]
    {
        let (code, text) = gates(&repo, &["--base", "HEAD", "--format", format]);
        assert!(text.contains(word), "{text}");
        // It is likely, and counts where that blocks.
        assert_eq!(code, Some(0), "{text}");
    }
    repo.write("assize.toml", &format!("[review]\nblock_on = \"likely\"\n\n{SETTINGS}"));
    assert_eq!(gates(&repo, &["--base", "HEAD", "--trust-config"]).0, Some(1));
}

#[test]
fn no_gate_is_no_acceptance() {
    let repo = Repo::with_commit(&[("README.md", "# A thing\n")]);
    let (code, text) = gates(&repo, &["--format", "human"]);
    assert_eq!(code, Some(3), "{text}");
    assert!(text.contains("no gate is recognized"), "{text}");
}

#[test]
fn all_gates_are_listed() {
    let repo = project();
    let (code, text) = gates(&repo, &["--list", "--format", "human", "--skip", "mypy"]);
    assert_eq!(code, Some(0));
    assert!(text.starts_with("mine  "), "{text}");
    let of_json: Value = serde_json::from_str(&gates(&repo, &["--list", "--format", "json"]).1).expect("JSON");
    for (id, summary) in of_json["known"].as_object().expect("known gates") {
        let why = if id == "mypy" { "left out by `skip`" } else { "not used here" };
        let line = format!("{id}  {why}; it {}", summary.as_str().expect("a summary"));
        assert!(text.lines().any(|shown| shown == line), "{line}: {text}");
    }
}

/// A verdict; `accept` with two errors and something to do.
const VERDICT: &str = r#"{"verdict":"accept","scores":{"compilation":0,"tests_functional":1,"tests_edge":1,"types":0,"style":1,"security":1},"explanations":{"root_cause":"r","minimal_fix":"m"},"fix_plan":[{"file":"a.ts","operation":"edit","brief":"b"}]}"#;
const PATCH: &str = r#"{"ops":[{"kind":"remove","path":"b.ts"}]}"#;

fn listed(output: &Output) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout);
    let read: Value = serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr)));
    let errors = read["errors"].as_array().expect("errors");
    errors.iter().filter_map(|error| error["at"].as_str()).map(str::to_owned).collect()
}

#[test]
fn every_fault_of_a_document_is_listed_wherever_it_comes_from() {
    let repo = project();
    repo.write("sub/verdict.json", VERDICT);
    repo.write("sub/patch.json", PATCH);
    repo.write("a.ts", "const a = 1;\n");
    let folder = repo.path().join("sub");
    let in_folder = folder.to_string_lossy().into_owned();
    let of_verdict = ["scores.compilation", "scores.types", "fix_plan"];
    let of_both =
        ["verdict.scores.compilation", "verdict.scores.types", "verdict.fix_plan", "patch.ops", "patch.ops[0].path"];
    for (input, arguments, expected) in [
        ("", &["--check-verdict", "verdict.json"][..], &of_verdict[..]),
        ("", &["-C", &in_folder, "--check-verdict", "verdict.json"], &of_verdict),
        (VERDICT, &["--check-verdict", "-"], &of_verdict),
        ("", &["--check-verdict", "verdict.json", "--check-patch", "patch.json"], &of_both),
        (PATCH, &["--check-verdict", "verdict.json", "--check-patch", "-"], &of_both),
        ("[]", &["--check-patch", "-"], &[""]),
        (PATCH, &["--check-patch", "-"], &[]),
    ] {
        let folder = if arguments.contains(&"-C") { Path::new("/") } else { folder.as_path() };
        let all: Vec<&str> = ["review", "--format", "json"].iter().chain(arguments).copied().collect();
        let output = assize(&repo, folder, input, &all);
        assert_eq!(listed(&output), expected, "{arguments:?}");
        assert_eq!(output.status.code(), Some(i32::from(!expected.is_empty())), "{arguments:?}");
    }
}

/// A verdict with nothing wrong but what its plan names.
fn planned(steps: &[(&str, &str)]) -> String {
    let step = |(file, operation): &(&str, &str)| json!({"file": file, "operation": operation, "brief": "b"});
    let scores = json!({
        "compilation": 1, "tests_functional": 0, "tests_edge": null, "types": null, "style": null, "security": 1
    });
    let explanations = json!({"root_cause": "r", "minimal_fix": "m"});
    let plan: Vec<Value> = steps.iter().map(step).collect();
    json!({"verdict": "revise", "scores": scores, "explanations": explanations, "fix_plan": plan}).to_string()
}

#[test]
fn a_plan_of_a_document_is_held_to_the_tree() {
    let repo = project();
    repo.write("src/a.ts", "const a = 1;\n");
    let plain = repo.outside().join("plain");
    fs::create_dir(&plain).expect("a folder");
    let wrong = planned(&[
        ("src/b.ts", "edit"),
        ("src/a.ts", "edit"),
        ("src/a.ts", "add"),
        ("README.md", "add"),
        ("src", "edit"),
        ("src", "add"),
        ("README.md/a.md", "add"),
    ]);
    let right = planned(&[("src/a.ts", "edit"), ("README.md", "edit"), ("src/b.ts", "add"), ("lib/a.ts", "add")]);
    let faults = [0, 2, 3, 4, 5, 6].map(|step| format!("fix_plan[{step}].file"));
    for (document, folder, expected) in [
        (&wrong, repo.path(), &faults[..]),
        (&wrong, repo.path().join("src"), &faults),
        (&right, repo.path(), &[]),
        // Without a repository no tree is known.
        (&wrong, plain, &[]),
    ] {
        let output = assize(&repo, &folder, document, &["review", "--format", "json", "--check-verdict", "-"]);
        assert_eq!(listed(&output), expected, "{}: {document}", folder.display());
        assert_eq!(output.status.code(), Some(i32::from(!expected.is_empty())), "{}", folder.display());
    }
}

/// Stands for a model: its first plan is for the first file among its arguments, and the next one for the other file.
const PLANNER: &str = r#"here=$(dirname "$0")
cat >> "$here/asked"
echo >> "$here/asked"
file=$1
if [ "$(wc -l < "$here/asked")" -gt 1 ]; then file=$2; fi
sed "s|FILE|$file|" "$here/verdict.json"
"#;

#[test]
fn a_judge_is_asked_again_about_a_plan_for_a_file_that_is_not_there() {
    for (files, calls, outcome) in [
        (["src/a.txt", "src/a.txt"], 1, "revise"),
        (["src/b.txt", "src/a.txt"], 2, "revise"),
        (["src", "src/a.txt"], 2, "revise"),
        // What git lists and the change has removed is not there either.
        (["src/gone.txt", "src/b.txt"], 2, "unjudged"),
    ] {
        let repo = project();
        let here = repo.outside();
        fs::write(here.join("judge.sh"), PLANNER).expect("written");
        fs::write(here.join("verdict.json"), planned(&[("FILE", "edit")])).expect("written");
        let argv = json!(["sh", here.join("judge.sh"), files[0], files[1]]);
        let judge = format!("[review]\nrequire = []\n[[judge]]\nid = \"planner\"\nkind = \"command\"\nargv = {argv}\n");
        repo.write("assize.toml", &format!("{SETTINGS}\n{judge}"));
        repo.write("src/a.txt", "one\n");
        repo.write("src/gone.txt", "one\n");
        repo.commit("with a judge");
        repo.write("src/a.txt", "two\n");
        repo.remove("src/gone.txt");
        let output = assize(&repo, &repo.path(), "", &["review", "--format", "json"]);
        let envelope: Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        let asked = fs::read_to_string(here.join("asked")).expect("asked");
        let asked: Vec<Value> = asked.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!((asked.len(), &envelope["outcome"]), (calls, &outcome.into()), "{files:?}: {envelope}");
        let told = asked.get(1).map(|question| question["reask"].as_str().unwrap_or_default());
        let expected = format!("`fix_plan.file` \"{}\"", files[0]);
        assert!(told.is_none_or(|told| told.contains(&expected)), "{files:?}: {told:?}");
        let planned = &envelope["verdict"]["fix_plan"][0]["file"];
        assert_eq!(planned, &if outcome == "revise" { files[1].into() } else { Value::Null }, "{envelope:#}");
    }
}

#[test]
fn a_document_that_cannot_be_read_is_bad_input() {
    let repo = project();
    repo.write("verdict.json", VERDICT);
    symlink("verdict.json", repo.path().join("link.json")).expect("a link");
    let pipe = repo.path().join("pipe.json");
    assert!(Command::new("mkfifo").arg(pipe).status().expect("mkfifo").success());
    for (arguments, complaint) in [
        (&["--check-verdict", "link.json"][..], "--check-verdict link.json: "),
        (&["--check-verdict", "pipe.json"], "--check-verdict pipe.json: "),
        (&["--check-patch", "none.json"], "--check-patch none.json: "),
        (&["--check-verdict", "-", "--check-patch", "-"], "only one of --check-verdict and --check-patch"),
        (&["--spec", "-", "--notes", "-"], "only one of --spec and --notes"),
    ] {
        let all: Vec<&str> = ["review"].iter().chain(arguments).copied().collect();
        let output = assize(&repo, &repo.path(), "", &all);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.contains(complaint), "{arguments:?}: {said}");
    }
}

#[test]
fn a_document_is_read_up_to_its_limit() {
    const DOCUMENT_BYTES_MAX: usize = 4 * 1024 * 1024;
    let repo = project();
    for (bytes, code) in [(DOCUMENT_BYTES_MAX, 1), (DOCUMENT_BYTES_MAX + 1, 2)] {
        repo.write("long.json", &format!("{PATCH}{}", " ".repeat(bytes - PATCH.len())));
        let output = assize(&repo, &repo.path(), "", &["review", "--check-patch", "long.json"]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert_eq!(said.contains("more than 4194304 bytes"), code == 2, "{said}");
    }
}

/// A review that is killed while a judge thinks leaves folders, and the next one that needs a folder removes them.
#[test]
fn what_a_killed_review_left_is_gone_after_the_next_one() {
    let repo = project();
    let claude = repo.outside().join("claude");
    let asked = repo.outside().join("asked");
    fs::write(&claude, format!("#!/bin/sh\ntouch '{}'\nexec sleep 60\n", asked.display())).expect("written");
    fs::set_permissions(&claude, fs::Permissions::from_mode(0o755)).expect("executable");
    let judge = format!(
        "\n[review]\nrequire = []\n\n[[judge]]\nid = \"slow\"\nkind = \"claude\"\nprogram = \"{}\"\n",
        claude.display()
    );
    let settings = repo.outside().join("judging.toml");
    fs::write(&settings, format!("{SETTINGS}{judge}")).expect("written");
    repo.write("a.py", "A = 1\n");
    let temporary = repo.outside().join("temporary");
    fs::create_dir_all(&temporary).expect("made");
    let review = |settings: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assize"));
        command.args(["review", "--format", "json", "--config"]).arg(settings).current_dir(repo.path());
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", repo.outside()).env("TMPDIR", &temporary).stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let left = || fs::read_dir(&temporary).expect("a folder").count();
    let mut killed = review(&settings).spawn().expect("the program runs");
    for _ in 0..600 {
        if asked.exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    killed.kill().expect("killed");
    killed.wait().expect("ended");
    assert!(asked.exists() && left() > 0, "it was killed while the judge thought");
    let plain = repo.outside().join("plain.toml");
    fs::write(&plain, SETTINGS).expect("written");
    review(&plain).status().expect("the program runs");
    assert_eq!(left(), 0);
}
