//! Any program as a fixer: a coding agent, or a script.
//!
//! The program runs in a copy of the tree, which is a git repository of one commit for as long. It reads the question as text
//! from standard input. It edits files in the copy, whether it commits them or not, or prints a patch in one of the formats that `assize patch` reads. Its edits are turned into a patch by
//! comparison, so that they pass the same checks as any other patch. It is started without a shell. When it ends, all
//! processes that it started are ended as far as they can be found, so that the copy does not change during the
//! comparison. If one is still running, nothing is compared.

use std::io::{self, ErrorKind};
use std::process::Command;
use std::time::Duration;

use assize_core::ruling::Cause;
use assize_core::text::{ending, make_visible};
use assize_patch::PatchInput;
use assize_review::fix::prompt::fix_question;
use serde::Deserialize;
use serde_json::json;

use super::throw_away_repository::ThrowAwayRepository;
use super::{EditedTree, FixAnswer, FixRequest, Fixer, NoPatch, task, unavailable};
use crate::judge::JUDGE_VARIABLE;
use crate::process::{ProcessLimits, ProcessResult, TIME_S, check_configured, run_to_the_last};
use crate::random::fresh_nonce;

/// The most bytes of output that are read.
pub const OUTPUT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The most characters of standard error in a message.
const COMPLAINT_CHARS_MAX: usize = 300;

/// The configuration `[fixer.command]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandFixerConfig {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The most seconds for one patch.
    #[serde(default = "usual_time")]
    pub time_s: u64,
    /// The price of one patch, in US dollars.
    #[serde(default)]
    pub price_usd_per_call: Option<f64>,
}

fn usual_time() -> u64 {
    TIME_S
}

impl CommandFixerConfig {
    /// Checks what the types cannot.
    ///
    /// # Errors
    ///
    /// Names the invalid setting.
    pub fn check(&self) -> Result<(), String> {
        check_configured(&self.argv, self.time_s)?;
        match self.price_usd_per_call {
            Some(price) if !(price.is_finite() && price >= 0.0) => {
                Err(format!("price_usd_per_call is {price}, not an amount"))
            }
            _ => Ok(()),
        }
    }
}

/// A program as a fixer.
pub struct CommandFixer {
    config: CommandFixerConfig,
    /// The search path for the program.
    search_path: Option<String>,
}

impl CommandFixer {
    /// Makes a fixer from a program, which is found on `search_path`.
    pub fn new(config: CommandFixerConfig, search_path: Option<String>) -> Self {
        Self { config, search_path }
    }

    fn start(&self, request: &FixRequest<'_>) -> io::Result<ProcessResult> {
        let question = fix_question(request.record, request.attachments, &request.limits, &fresh_nonce());
        let input = task(&question);
        let mut command = Command::new(&self.config.argv[0]);
        command.args(&self.config.argv[1..]).current_dir(request.tree).env(JUDGE_VARIABLE, "1");
        if let Some(path) = &self.search_path {
            command.env("PATH", path);
        }
        let time = Duration::from_secs(self.config.time_s);
        let limits = ProcessLimits { time, stdout_bytes_max: OUTPUT_BYTES_MAX, stderr_bytes_max: 64 * 1024 };
        let _repository = ThrowAwayRepository::make(request.tree);
        run_to_the_last(command, input.as_bytes(), &limits)
    }

    /// Returns why the program could not be started, and the cost: a missing program costs nothing.
    fn not_started(&self, error: &io::Error) -> FixAnswer {
        let program = &self.config.argv[0];
        let (detail, cost_usd) = match error.kind() {
            ErrorKind::NotFound => (format!("`{program}` is not there; `argv` begins with the program"), Some(0.0)),
            ErrorKind::PermissionDenied => (format!("`{program}` cannot be started: {error}"), Some(0.0)),
            _ => (format!("`{program}` cannot be started: {error}"), self.config.price_usd_per_call),
        };
        FixAnswer { patch: Err(unavailable(Cause::Unavailable, detail)), record: None, cost_usd }
    }

    fn patch(&self, request: &FixRequest<'_>, finished: &ProcessResult) -> Result<PatchInput, NoPatch> {
        self.check_end(finished)?;
        let edited = EditedTree {
            program: &self.config.argv[0],
            original: request.original,
            tree: request.tree,
            printed: &finished.stdout,
            cut_at: finished.stdout_cut.then_some(OUTPUT_BYTES_MAX as u64),
        };
        edited.patch(&request.limits, |what| unavailable(Cause::Unavailable, what))
    }

    /// Checks that the program and all processes that it started have ended.
    fn check_end(&self, finished: &ProcessResult) -> Result<(), NoPatch> {
        let program = &self.config.argv[0];
        match finished.status {
            _ if finished.has_survivors => {
                Err(unavailable(Cause::Unavailable, format!("a process of `{program}` is still running")))
            }
            None => Err(unavailable(Cause::Timeout, format!("`{program}` took longer than {} s", self.config.time_s))),
            Some(status) if !status.success() => {
                let complaint = finished.complaint();
                let complaint = make_visible(&ending(&complaint, COMPLAINT_CHARS_MAX)).into_owned();
                Err(unavailable(Cause::Unavailable, format!("`{program}` failed ({status}): {complaint}")))
            }
            Some(_) => Ok(()),
        }
    }
}

impl Fixer for CommandFixer {
    fn identity(&self) -> String {
        json!({"kind": "command", "argv": self.config.argv}).to_string()
    }

    fn ask(&self, request: &FixRequest<'_>) -> FixAnswer {
        match self.start(request) {
            Ok(finished) => {
                let patch = self.patch(request, &finished);
                FixAnswer { patch, record: None, cost_usd: self.config.price_usd_per_call }
            }
            Err(error) => self.not_started(&error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::ExitStatus;

    use assize_patch::PatchLimits;
    use assize_review::case::ReviewInputs;
    use assize_review::court::ReviewRecord;
    use assize_review::fix::prompt::FixAttachments;

    use super::*;

    /// Returns the answer of a program that ended, and edited a file or did not.
    fn answer(edits: bool, finished: &ProcessResult) -> Result<PatchInput, NoPatch> {
        let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let texts = [if edits { "new\n" } else { "old\n" }, "old\n"];
        for (folder, text) in folders.iter().zip(texts) {
            fs::write(folder.path().join("a.txt"), text).expect("written");
        }
        let config = CommandFixerConfig { argv: vec!["fixes".to_owned()], time_s: 9, price_usd_per_call: None };
        let [tree, original] = &folders;
        let request = FixRequest {
            tree: tree.path(),
            original: original.path(),
            record: &ReviewRecord::of(ReviewInputs::default()),
            attachments: &FixAttachments::default(),
            limits: PatchLimits::default(),
        };
        CommandFixer::new(config, None).patch(&request, finished)
    }

    fn finished(code: i32) -> ProcessResult {
        let status = Some(ExitStatus::from_raw(code << 8));
        ProcessResult { status, stdout: Vec::new(), stderr: Vec::new(), stdout_cut: false, has_survivors: false }
    }

    #[test]
    fn edits_need_no_output_and_an_answer_without_them_does() {
        let cut = || ProcessResult { stdout_cut: true, ..finished(0) };
        assert!(matches!(answer(true, &cut()), Ok(PatchInput::Operations(edits)) if edits.ops.len() == 1));
        assert!(matches!(answer(false, &cut()), Err(NoPatch::Unreadable(why)) if why[0].contains("4194304 bytes")));
        assert_eq!(answer(false, &finished(0)), Err(NoPatch::Nothing));
        // The failure counts, whatever was printed.
        let failed = answer(true, &ProcessResult { status: finished(3).status, ..cut() });
        assert!(matches!(failed, Err(NoPatch::Unavailable(why)) if why.detail.contains("failed")));
    }

    #[test]
    fn nothing_is_compared_while_something_is_still_at_work() {
        let busy = answer(true, &ProcessResult { has_survivors: true, ..finished(0) });
        let words = "a process of `fixes` is still running";
        assert!(matches!(busy, Err(NoPatch::Unavailable(why)) if why.detail == words));
    }
}
