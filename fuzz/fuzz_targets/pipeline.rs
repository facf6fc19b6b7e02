//! What maintainers run, as any text of a workflow, a task runner or a manifest says it: nothing panics, and every command
//! that is read has a program.
#![no_main]

use std::collections::BTreeMap;

use assize_ecosystem::pipeline::{COMMANDS_MAX, Pipeline};
use libfuzzer_sys::fuzz_target;

/// The files that the parts of an input become, divided by NUL bytes.
const FILES: [&str; 10] = [
    ".github/workflows/ci.yml",
    "tox.ini",
    "Makefile",
    "package.json",
    "pyproject.toml",
    "noxfile.py",
    "justfile",
    ".pre-commit-config.yaml",
    "Taskfile.yml",
    "packages/a/package.json",
];

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let files: BTreeMap<String, String> =
        FILES.iter().zip(text.split('\0')).map(|(path, text)| ((*path).to_owned(), text.to_owned())).collect();
    let pipeline = Pipeline::read(&files);
    assert!(pipeline.commands.len() <= COMMANDS_MAX);
    assert!(pipeline.commands.iter().all(|command| !command.words.is_empty()));
});
