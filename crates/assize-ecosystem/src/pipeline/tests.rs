//! Holds what is read of pipelines, and of what they call, to whole projects.

use super::*;

fn pipeline(files: &[(&str, &str)]) -> Pipeline {
    let manifests = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    Pipeline::read(&manifests)
}

/// A workflow with one job of these steps.
fn workflow(steps: &[&str]) -> String {
    let steps: String = steps.iter().map(|step| format!("      - run: {step}\n")).collect();
    format!("on: [push]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n{steps}")
}

fn shown(files: &[(&str, &str)], steps: &[&str]) -> Vec<String> {
    let workflow = workflow(steps);
    let files: Vec<(&str, &str)> =
        files.iter().copied().chain([(".github/workflows/ci.yml", workflow.as_str())]).collect();
    let line = |command: &PipelineCommand| match command.folder.as_str() {
        "" => command.text(),
        folder => format!("{folder}: {}", command.text()),
    };
    pipeline(&files).commands.iter().map(line).collect()
}

#[test]
fn task_runners_are_followed_to_what_they_run() {
    let tox = "[tox]\nenvlist = py{311,312},lint\n[testenv]\ncommands =\n    pytest {posargs:-x} {toxinidir}/tests\n    cov: coverage report\n[testenv:lint]\ncommands = ruff check .\n";
    let native = "[tool.tox]\nenv_list = ['3.12', 'type']\n[tool.tox.env_run_base]\ncommands = [['pytest', '-x']]\n[tool.tox.env.type]\ncommands = [['mypy', 'src']]\n";
    let nox = "import nox\n\n@nox.session(python=['3.12'])\ndef tests(session):\n    session.install('.')\n    session.run('pytest', *session.posargs, env={'A': 'b'})\n\n@nox.session(name=\"lint\")\ndef check(session: nox.Session) -> None:\n    session.run(\n        \"ruff\",\n        \"check\",  # all\n    )\n    types(session)\n\ndef types(session):\n    session.run('mypy', 'src')\n";
    let make = "PY ?= python3\nall: lint test\nlint:\n\truff check .\ntest: build\n\t@$(PY) -m pytest\nbuild:\n\t$(MAKE) -C web dist\n";
    let just = "flags := '-D warnings'\ndefault: lint\nlint *args: fmt\n    cargo clippy -- {{flags}}\nfmt:\n    cargo fmt --check\n";
    let poe = "[tool.poe.tasks]\ncheck = ['lint', 'types']\nlint = 'ruff check'\ntypes = {cmd = 'mypy src'}\n[tool.hatch.envs.default.scripts]\ntest = 'pytest {args}'\nall = ['test', 'mypy']\n";
    let hooks = "repos:\n- repo: a\n  hooks:\n  - {id: ruff, args: [--fix]}\n  - {id: ruff-format}\n  - {id: slow, stages: [manual]}\n- repo: local\n  hooks:\n  - {id: x, entry: uv run mypy}\n";
    for (files, step, expected) in [
        (vec![("tox.ini", tox)], "tox", &["tox", "pytest -x ./tests", "ruff check ."][..]),
        (
            vec![("tox.ini", tox)],
            "uvx --with tox-uv tox -e py311-cov",
            &["tox -e py311-cov", "pytest -x ./tests", "coverage report"],
        ),
        (vec![("tox.ini", tox)], "tox -elint", &["tox -elint", "ruff check ."]),
        (vec![("pyproject.toml", native)], "tox run", &["tox run", "pytest -x", "mypy src"]),
        (
            vec![("noxfile.py", nox)],
            "nox -s tests-3.12 lint",
            &["nox -s tests-3.12 lint", "ruff check", "mypy src", "pytest"],
        ),
        (vec![("noxfile.py", nox)], "nox --session=lint", &["nox --session=lint", "ruff check", "mypy src"]),
        (vec![("noxfile.py", nox)], "nox -s $SESSION", &["nox -s $SESSION", "ruff check", "mypy src", "pytest"]),
        (
            vec![("sub/Makefile", "lint: ## test it\n\tcd x && mypy\n\truff check\n")],
            "make --directory=sub lint",
            &["make --directory=sub lint", "sub/x: mypy", "sub: ruff check"],
        ),
        (vec![("sub/Makefile", "lint:\n\tmypy\n")], "make -Csub lint", &["make -Csub lint", "sub: mypy"]),
        (
            vec![(
                "tox.ini",
                "[tox]\nenvlist = py{311,312}-dj{4,5}\n[testenv]\ncommands =\n  dj4: mypy 4\n  py312-dj5: mypy 5\n",
            )],
            "tox",
            &["tox", "mypy 4", "mypy 5"],
        ),
        (vec![("Makefile", make)], "make test", &["make test", "pytest", "make -C web dist"]),
        (vec![("Makefile", make)], "make", &["make", "ruff check .", "pytest", "make -C web dist"]),
        (vec![("justfile", just)], "just lint", &["just lint", "cargo clippy -- -D warnings", "cargo fmt --check"]),
        (
            vec![("pyproject.toml", poe)],
            "uv run poe check",
            &["poe check", "poe lint", "ruff check", "poe types", "mypy src"],
        ),
        (vec![("pyproject.toml", poe)], "hatch run test -x", &["hatch run test -x", "pytest"]),
        (
            vec![(".golangci.yml", "linters:\n  enable: [govet, gofumpt]\n")],
            "golangci-lint run",
            &["golangci-lint run", "gofmt -l ."],
        ),
        (
            vec![("sub/.golangci.toml", "[formatters]\nenable = ['goimports']\n")],
            "cd sub && golangci-lint run",
            &["sub: golangci-lint run", "sub: gofmt -l ."],
        ),
        (
            vec![(".golangci.yaml", "linters: {enable-all: true}\n")],
            "cd a/b && golangci-lint run",
            &["a/b: golangci-lint run", "a/b: gofmt -l ."],
        ),
        (
            vec![(".pre-commit-config.yaml", hooks)],
            "pre-commit run -a",
            &["pre-commit run -a", "ruff --fix", "ruff format", "mypy"],
        ),
    ] {
        let found = shown(&files, &[step]);
        assert_eq!(&found[..expected.len().min(found.len())], expected, "{step}");
    }
}

#[test]
fn golangci_lint_formats_nothing_unasked() {
    for settings in [
        "run:\n  tests: false\n",
        "linters: {enable: [errcheck], disable: [gofmt]}\n",
        "linters: {enable-all: false}\n",
    ] {
        assert_eq!(shown(&[(".golangci.yml", settings)], &["golangci-lint run"]), ["golangci-lint run"], "{settings}");
    }
}

#[test]
fn settings_of_a_manifest_stand_in_its_scripts() {
    let manifest = r#"{"config":{"paths":"src/**/*.ts test","paths_too":"lib"},"scripts":{"lint":"eslint $npm_package_config_paths","more":"eslint $npm_package_config_paths_too $npm_package_config_gone"}}"#;
    let files = [("package.json", manifest)];
    let seen = |script: &str| shown(&files, &[script]).last().cloned().unwrap_or_default();
    assert_eq!(seen("npm run lint"), "eslint src/**/*.ts test");
    assert!(seen("npm run more").starts_with("eslint lib "), "{}", seen("npm run more"));
}

#[test]
fn scripts_of_packages_are_followed_into_their_workspace() {
    let root = r#"{"workspaces":["packages/*"],"scripts":{"test":"npm run lint && npm run unit --workspaces","lint":"eslint .","all":"run-s lint unit:*","unit:a":"vitest"}}"#;
    let one = r#"{"name":"@x/one","scripts":{"unit":"vitest run","build":"tsc"}}"#;
    let files = [
        ("package.json", root),
        ("packages/one/package.json", one),
        ("packages/two/package.json", r#"{"name":"two","scripts":{"build":"vite build"}}"#),
        ("play/package.json", r#"{"scripts":{"build":"x"}}"#),
    ];
    for (step, expected) in [
        (
            "npm test",
            &["npm test", "npm run lint", "eslint .", "npm run unit --workspaces", "packages/one: vitest run"][..],
        ),
        ("npm run all", &["npm run all", "run-s lint unit:*", "eslint .", "vitest"]),
        ("pnpm -r build", &["pnpm -r build", "packages/one: tsc", "packages/two: vite build"]),
        ("pnpm --filter '@x/*' build", &["pnpm --filter @x/* build", "packages/one: tsc"]),
        (
            "pnpm -r --filter=./packages/two run build",
            &["pnpm -r --filter=./packages/two run build", "packages/two: vite build"],
        ),
        ("turbo build --filter=!two", &["turbo build --filter=!two", "packages/one: tsc"]),
        ("cd packages/one && yarn build", &["packages/one: yarn build", "packages/one: tsc"]),
        ("yarn eslint .", &["yarn eslint .", "eslint ."]),
        ("pnpm -r exec eslint .", &["pnpm -r exec eslint .", "packages/one: eslint .", "packages/two: eslint ."]),
        (
            "npx turbo run build unit",
            &["turbo run build unit", "packages/one: vitest run", "packages/one: tsc", "packages/two: vite build"],
        ),
        ("nx affected -t build", &["nx affected -t build", "packages/one: tsc", "packages/two: vite build"]),
    ] {
        assert_eq!(shown(&files, &[step]), expected, "{step}");
    }
}

#[test]
fn what_installs_packages_calls_no_script() {
    let files = [("package.json", r#"{"scripts":{"install":"x","ci":"y","test":"z"}}"#)];
    let steps = ["npm ci", "npm install --prefix packages/one", "yarn install", "pytest"];
    assert_eq!(shown(&files, &steps), steps);
    assert_eq!(shown(&files, &["npm ci"]), ["npm ci", "z"], "nothing says what checks a change");
}

#[test]
fn a_pipeline_is_complete_where_all_of_it_could_be_read() {
    let is_complete = |steps: &[&str]| {
        let text = workflow(steps);
        pipeline(&[(".github/workflows/ci.yml", &text)]).is_complete
    };
    assert!(is_complete(&["pytest", "pip install x"]));
    assert!(!is_complete(&["pip install x"]), "nothing is checked");
    assert!(!is_complete(&["pytest", "./ci/lint.sh"]));
    assert!(!is_complete(&["pytest", "cargo xtask ci"]));
    assert!(!is_complete(&["pytest", "scripts/check"]));
    assert!(is_complete(&["pytest", "./scripts/install-deps.sh"]));
    assert!(!is_complete(&["pytest", "mise run lint"]));
    assert!(!is_complete(&["pytest", "make lint-all"]), "there is no such rule");
    assert!(!is_complete(&["pytest", "${{ inputs.command }}"]));
    assert!(is_complete(&["pytest ${{ inputs.options }}"]));
    assert!(!pipeline(&[("tox.ini", "[testenv]\ncommands = pytest\n")]).is_complete);
    let broken = pipeline(&[(".github/workflows/a.yml", "a: ["), (".github/workflows/b.yml", &workflow(&["pytest"]))]);
    assert_eq!((broken.is_complete, broken.unread.len()), (false, 1));
}

#[test]
fn without_a_pipeline_everything_that_runners_know_counts() {
    let found = pipeline(&[
        ("tox.ini", "[testenv]\ncommands = pytest\n[testenv:lint]\ncommands = mypy\n"),
        ("Makefile", "lint:\n\truff check\n"),
    ]);
    let texts: Vec<String> = found.commands.iter().map(PipelineCommand::text).collect();
    assert_eq!(texts, ["pytest", "ruff check"]);
    assert_eq!(found.commands[0].source, "tox.ini, environment `py`");
}

#[test]
fn runners_that_call_each_other_come_to_an_end() {
    let files = [
        ("Makefile", "test:\n\tnpm test\n"),
        ("package.json", r#"{"scripts":{"test":"make test && npm test && tox"}}"#),
        ("tox.ini", "[testenv]\ncommands = make test\n"),
    ];
    assert_eq!(shown(&files, &["make test"]), ["make test", "npm test", "tox"]);
    let chain = |length: usize| {
        let scripts: Vec<String> = (0..length).map(|at| format!(r#""s{at}":"npm run s{}""#, at + 1)).collect();
        shown(
            &[("package.json", &format!(r#"{{"scripts":{{{},"s{length}":"pytest"}}}}"#, scripts.join(",")))],
            &["npm run s0"],
        )
    };
    assert!(chain(DEPTH_MAX - 1).contains(&"pytest".to_owned()));
    assert!(!chain(DEPTH_MAX).contains(&"pytest".to_owned()));
    let many = |count: usize| {
        let steps: Vec<String> = (0..count).map(|at| format!("a {at}")).collect();
        shown(&[], &steps.iter().map(String::as_str).collect::<Vec<_>>()).len()
    };
    assert_eq!((many(COMMANDS_MAX), many(COMMANDS_MAX + 1)), (COMMANDS_MAX, COMMANDS_MAX));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 256, failure_persistence: None, ..Default::default() })]
    #[test]
    fn any_text_can_be_read(text in "[\\[\\]{}():,\"'a-c&*!|>#=\n\t$@\\\\ -]{0,120}") {
        for path in [".github/workflows/a.yml", "tox.ini", "Makefile", "justfile", "noxfile.py", "package.json", ".pre-commit-config.yaml", "Taskfile.yml"] {
            let _ = pipeline(&[(path, &text), ("pyproject.toml", &text), (".gitlab-ci.yml", "a: {script: [make, just, tox, nox, npm test]}")]);
        }
    }
}

#[test]
fn what_an_earlier_state_calls_is_still_called() {
    let read = |makefile: &str| {
        let workflow = "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make check\n";
        let files = [(".github/workflows/a.yml", workflow), ("Makefile", makefile)];
        Pipeline::read(&files.map(|(path, text)| (path.to_owned(), text.to_owned())).into())
    };
    let base = read("check:\n\truff check src\n\tmypy\n");
    let joined = read("check:\n\tmypy\n\truff check docs\n").after(&base);
    let texts: Vec<String> = joined.commands.iter().map(|command| command.text()).collect();
    let called: Vec<&str> = texts.iter().map(String::as_str).filter(|text| !text.starts_with("make")).collect();
    assert_eq!(called, ["ruff check src", "mypy", "ruff check docs"]);
    let of_mypy = |command: &PipelineCommand| command.begins_with("mypy");
    assert_eq!((joined.calls(of_mypy).len(), joined.after(&Pipeline::default()).calls(of_mypy).len()), (1, 0));
    assert_eq!(base.clone().after(&base), Pipeline { from_base: Some(3), ..base });
}
