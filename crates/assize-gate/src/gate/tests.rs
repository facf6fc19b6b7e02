//! Tests of what all gates have in common: how their commands are filled in, and which of them rewrite files.

use super::*;

#[test]
fn a_command_gets_the_time_of_a_test_wherever_it_has_a_place_for_it() {
    let command = GateCommand {
        program: "runner".to_owned(),
        arguments: vec![format!("--file={FILE_OF_TESTS}"), "plain".to_owned()],
        folder: String::new(),
        environment: [("SECONDS".to_owned(), ONE_TEST.to_owned())].into(),
        provided: [("plug-in".to_owned(), format!("a {PACKAGE_OF_TESTS} b {PACKAGE_OF_TESTS}"))].into(),
    };
    let timed = command.with_test_seconds(TEST_SECONDS_MAX);
    assert_eq!(timed.arguments, ["--file=14400000", "plain"]);
    assert_eq!(timed.environment["SECONDS"], "3600");
    assert_eq!(timed.provided["plug-in"], "a 14400 b 14400");
}

/// The setup of a change is asked for what it means on the base as well, where its scripts and files may be missing.
#[test]
fn every_gate_takes_a_setup_that_does_not_fit_the_project() {
    let manifest = r#"{"scripts": {"lint": "eslint .", "empty": ""}}"#;
    let files = BTreeMap::from([("package.json".to_owned(), manifest.to_owned())]);
    let with_manifest = Project::new(files.keys().cloned().collect(), files, BTreeSet::new());
    for project in [Project::default(), with_manifest] {
        for (folder, detail) in [("", "gone"), ("", "empty && gone"), ("", "lint"), ("gone", ""), ("gone/too", "test")]
        {
            let setup = Setup { folder: folder.to_owned(), because: String::new(), detail: detail.to_owned() };
            for gate in GATES {
                let command = gate.command(&setup, &project);
                assert!(!command.program.is_empty(), "{} {setup:?}", gate.id());
                for files in [&["test/a.test.js"][..], &["gone/a.test.js"], &[]] {
                    let _ = (gate.command_for(&setup, &project, files), gate.rewrite(&setup, &project, files));
                }
                let _ = (gate.built(&setup, &project), gate.canary(&setup, &project, "word"), gate.fails_at(&setup));
                let _ = gate.test_ids(&setup, &project, &[("test/a.test.js".to_owned(), "a".to_owned())]);
            }
        }
    }
}

/// What is called to rewrite files, in one line.
fn rewriting(gate: &str, folder: &str, files: &[&str]) -> Option<String> {
    let gate = GATES.iter().find(|known| known.id() == gate).expect("a gate");
    let setup = Setup { folder: folder.to_owned(), because: String::new(), detail: String::new() };
    let programs = ["ruff", "black", "biome", "prettier"].map(str::to_owned).into();
    let command = gate.rewrite(&setup, &Project { programs, ..Project::default() }, files)?;
    assert_eq!(command.folder, folder);
    Some(format!("{} {}", command.program, command.arguments.join(" ")))
}

#[test]
fn formatters_rewrite_the_files_that_they_object_to() {
    for (gate, folder, files, expected) in [
        ("cargo-fmt", "p", &["p/src/a.rs"][..], Some("cargo fmt --all")),
        ("cargo-fmt", "", &[], None),
        ("ruff-format", "", &["a.py", "b/c d.py"], Some("ruff format --no-cache ./a.py ./b/c d.py")),
        ("ruff-format", "b", &["a.py", "b/c.py", "bc/d.py"], Some("ruff format --no-cache ./c.py")),
        ("ruff-format", "b", &["a.py"], None),
        ("black", "", &["--help"], Some("black --no-color ./--help")),
        ("gofmt", "", &["a.go"], Some("gofmt -w ./a.go")),
        ("biome", "", &["a.js"], Some("biome check --write --colors=off ./a.js")),
        ("prettier", "p/q", &["p/q/a.md"], Some("prettier --write --no-color ./a.md")),
        // What these offer stands in their reports.
        ("ruff-check", "", &["a.py"], None),
        ("eslint", "", &["a.js"], None),
        ("cargo-clippy", "", &["src/a.rs"], None),
    ] {
        assert_eq!(rewriting(gate, folder, files).as_deref(), expected, "{gate} {folder} {files:?}");
    }
}

#[test]
fn an_older_tool_is_run_without_the_options_that_it_does_not_know() {
    let gate = GATES.iter().find(|known| known.id() == "cargo-check").expect("a gate");
    let setup = Setup { folder: String::new(), because: String::new(), detail: String::new() };
    let command = gate.command(&setup, &Project::default());
    let options = |status, stderr: &str| {
        let output = GateOutput { status: Some(status), stderr: stderr.into(), ..GateOutput::default() };
        command.without_unknown(gate.newer_options(), &output).map(|command| command.arguments.join(" "))
    };
    let without = Some("check --workspace --all-targets --message-format=json --offline".to_owned());
    // cargo 1.63 and 1.73.
    let old = "error: Found argument '--keep-going' which wasn't expected, or isn't valid in this context\n";
    assert_eq!(options(1, old), without);
    assert_eq!(options(1, "error: unexpected argument '--keep-going' found\n"), without);
    assert_eq!(options(0, old), None, "a test may print this");
    assert_eq!(options(1, "error: unexpected argument '--offline' found\n"), None);
    assert_eq!(options(101, "error: could not compile `a` (lib); try --keep-going\n"), None);
}

#[test]
fn so_many_files_are_named_at_once() {
    for (files, named) in [(NAMED_FILES_MAX, NAMED_FILES_MAX), (NAMED_FILES_MAX + 1, NAMED_FILES_MAX)] {
        let files: Vec<String> = (0..files).map(|number| format!("{number}.go")).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let command = rewriting("gofmt", "", &files).expect("a command");
        assert_eq!(command.matches("./").count(), named);
    }
}

/// What a gate's run is worth that ended in this way.
fn ended(gate: &dyn Gate, status: Option<i32>, stdout: &str, stderr: &str) -> GateRun {
    let setup = Setup { folder: String::new(), because: String::new(), detail: String::new() };
    let output = GateOutput { status, stdout: stdout.into(), stderr: stderr.into(), ..GateOutput::default() };
    GateRun::of(gate, &setup, &output, None)
}

#[test]
fn a_complaint_is_the_error_and_not_where_it_came_from() {
    let said = |stderr: &str| complaint(&GateOutput { stderr: stderr.into(), ..GateOutput::default() });
    let node = "file:///a.js:1\nimport x\n\nSyntaxError: no export 'x'\n    at a (b:1)\n\nNode.js v20.1.0\n";
    assert_eq!(said(node), ": SyntaxError: no export 'x'");
    let required = "Error: Cannot find module 'x'\nRequire stack:\n- /a/b.js\n    at a {\n  code: 'M',\n}\n";
    assert_eq!(said(required), ": Error: Cannot find module 'x'");
    assert_eq!(said("Error [ERR_X]: gone\n  at a\n"), ": Error [ERR_X]: gone");
    assert_eq!(said("Traceback:\n  File\npkg.own.Exception: e\n"), ": pkg.own.Exception: e");
    assert_eq!(said("first\nan Error: of somebody\n"), ": first\nan Error: of somebody");
    assert_eq!(said("NoError\n"), ": NoError");
    let explained =
        "ReferenceError: require is not defined\nThis file is being treated as an ES module.\n    at a.js:1\n";
    assert_eq!(said(explained), ": ReferenceError: require is not defined");
    assert_eq!(said("a.XException: old\nTests have no end\n"), ": a.XException: old\nTests have no end");
    assert_eq!(said(""), "");
    let long = format!("RangeError: {}", "x".repeat(COMPLAINT_CHARS_MAX));
    assert_eq!(said(&long).chars().count(), ": ".len() + COMPLAINT_CHARS_MAX);
}

#[test]
fn a_fault_of_the_machine_is_one_to_every_gate() {
    let mut wrong = Vec::new();
    for gate in GATES {
        for said in [
            "error: could not create temp file /home/a/.rustup/tmp/x_file: Read-only file system (os error 30)",
            "Error: EROFS: read-only file system, open '/home/a/.cache/x'",
            "fatal: write error: No space left on device",
            "OSError: [Errno 12] Cannot allocate memory",
            "Temporary failure in name resolution",
        ] {
            // A signal may end what runs out of memory.
            for status in [1, 2, 9, 101].map(Some).into_iter().chain([None]) {
                for (stdout, stderr) in [("", said), (said, "")] {
                    let trouble = ended(*gate, status, stdout, stderr).trouble.map(|(kind, _)| kind);
                    if trouble != Some(GateTrouble::Machine) {
                        wrong.push(format!("{} {status:?} {trouble:?}: {said}", gate.id()));
                    }
                }
            }
        }
        let killed = ended(*gate, None, "", "").trouble.map(|(kind, _)| kind);
        assert_ne!(killed, Some(GateTrouble::Machine), "{}: a signal alone tells nothing", gate.id());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
