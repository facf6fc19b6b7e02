//! Manifests, lock files, settings and source: whatever the bytes are, nothing panics, and what did not change has no fault.
#![no_main]

use assize_core::finding::Severity;
use assize_check::security::{RequestedChanges, SecurityChange, FileVersions, findings, hidden, reads, secret};
use libfuzzer_sys::fuzz_target;

const PATHS: [&str; 26] = [
    "Cargo.toml",
    "Cargo.lock",
    "package.json",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "pyproject.toml",
    "Pipfile",
    "Pipfile.lock",
    "poetry.lock",
    "uv.lock",
    "requirements.txt",
    "go.mod",
    "go.sum",
    "pom.xml",
    "build.gradle",
    "gradle/libs.versions.toml",
    ".npmrc",
    "setup.py",
    ".github/workflows/a.yml",
    "Jenkinsfile",
    ".claude/settings.json",
    ".codex/config.toml",
    ".gitmodules",
    ".gitattributes",
    ".vscode/tasks.json",
];

fuzz_target!(|data: &[u8]| {
    let Some((first, bytes)) = data.split_first() else { return };
    let path = PATHS[usize::from(*first) % PATHS.len()];
    assert!(reads(path));
    let text = String::from_utf8_lossy(bytes);
    let middle = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (before, after) = text.split_at(middle);
    let look = |before: &str, after: &str| {
        let file =
            FileVersions { path: path.to_owned(), before: Some(before.to_owned()), after: Some(after.to_owned()) };
        let change = SecurityChange { files: vec![file], beside: Vec::new(), base_known: true };
        findings(&change, &RequestedChanges::by(before))
    };
    look(before, after);
    // A file that cannot be read is worth a word even so.
    assert!(look(after, after).iter().all(|finding| finding.severity < Severity::Error));
    let lines: Vec<(u32, &str)> = (1..).zip(text.lines()).collect();
    for start in 0..lines.len() {
        let leak = secret::find(&lines[start..], path);
        assert!(leak.is_none_or(|leak| leak.head.len() <= 4 && secret::may_leak(lines[start].1)));
    }
    assert!(hidden::in_words(&text).is_empty() || hidden::may_hide(&text));
    hidden::in_name(&text);
});
