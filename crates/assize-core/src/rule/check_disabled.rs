//! A check that guards the tree was switched off or told to look away.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use super::reading::{Asked, Line, Moved, Side, adds, is_fixture, is_reason, joined, read, remarks};
use super::{Findings, Needs, Rule};
use crate::diff::{Diff, FileChange, FileStatus, LineKind};
use crate::evidence::Evidence;
use crate::finding::{Certainty, Severity};
use crate::path::{Language, file_name, is_ci, is_code, is_example, is_generated, is_prose, is_test};
use crate::text::quote;

/// See the module.
pub struct CheckDisabled;

impl Rule for CheckDisabled {
    fn id(&self) -> &'static str {
        "check-disabled"
    }

    fn summary(&self) -> &'static str {
        "A linter, type checker, coverage threshold or CI step was switched off or told to look away."
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(diff) = evidence.diff.get() else { return };
        let mut court = Reader { diff, asked: Asked::new(evidence, &WANTED), moved: Moved::new(diff), findings };
        for file in diff.files.iter().filter(|file| !is_generated(&file.path) && !is_prose(&file.path)) {
            if is_code(&file.path) && adds(file, &SUPPRESSION_HINT) {
                court.check_suppressions(file);
            }
            if is_ci(&file.path) {
                court.check_ci(file);
            }
            if is_setting(&file.path) {
                court.check_settings(file);
            }
        }
    }
}

/// Wording that concerns the checks themselves.
static WANTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:lint(?:s|er|ers|ing)?|eslint|clippy|mypy|pyright|pylint|ruff|flake8|rubocop|golangci|shellcheck|biome|type.?check[a-z]*|strict(?: mode)?|",
        r"coverage|threshold|pre-?commit|husky|ci|workflows?|pipelines?|github actions?|suppress[a-z]*|nolint|noqa|ts-ignore|ts-nocheck|dead.code|warnings?|no-verify)\b",
        r"[^.\n]{0,120}",
    ))
    .expect("valid pattern")
});

/// Wording that lowers or lifts them.
static RELAXES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\b(?:disabl|suppress|ignor|silenc|allow|remov|delet|drop|skip|lower|reduc|relax|loosen|turn(?:ed)? off|switch off|migrat|mov|replac|",
        r"non-?blocking|optional|don[’']?t fail|off)[a-z]*\b",
    ))
    .expect("valid pattern")
});

struct Reader<'a, 'f, 'g> {
    diff: &'a Diff,
    asked: Asked<'a>,
    moved: Moved<'a>,
    findings: &'f mut Findings<'g>,
}
