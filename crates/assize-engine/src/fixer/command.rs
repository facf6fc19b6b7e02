//! Any program as a fixer: a coding agent, or a script.
//!
//! The program runs in a copy of the tree, and gets what a model would be shown as text on its standard input. It edits
//! files there, or prints a patch in one of the formats that `assize patch` reads. Its edits become a patch by
//! comparison, so that they pass the same checks as any other. It is started without a shell, and what can be found of all
//! that it has started ends with it: nothing is to change the copy while it is compared. Where something of it is still at
//! work, nothing is compared.

use std::io::{self, ErrorKind};
use std::process::Command;
use std::time::Duration;

use assize_core::patch::Handed;
use assize_core::prompt::fix::fix_question;
use assize_core::ruling::Cause;
use assize_core::text::{ending, make_visible};
use serde::Deserialize;
use serde_json::json;

use super::{Answer, Fixer, Left, NoPatch, Request, task, unavailable};
use crate::court::fresh_nonce;
use crate::judge::JUDGE_VARIABLE;
use crate::process::{Finished, Limits, TIME_S, check_configured, run_to_the_last};

/// Bytes that are read of what the program prints.
pub const OUTPUT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Most characters of a complaint that are repeated.
const COMPLAINT_CHARS_MAX: usize = 300;

/// The configuration: `[fixer.command]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Seconds that it may take for one patch.
    #[serde(default = "usual_time")]
    pub time_s: u64,
    /// What one patch costs, in US dollars.
    #[serde(default)]
    pub price_usd_per_call: Option<f64>,
}

fn usual_time() -> u64 {
    TIME_S
}

impl Config {
    /// Checks what types cannot.
    ///
    /// # Errors
    ///
    /// Says which setting is wrong.
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

/// A program that fixes.
pub struct Program {
    config: Config,
    /// Where it is looked for.
    search_path: Option<String>,
}

impl Program {
    /// Makes a fixer of a program, which is looked for on `search_path`.
    pub fn new(config: Config, search_path: Option<String>) -> Self {
        Self { config, search_path }
    }

    fn start(&self, request: &Request<'_>) -> io::Result<Finished> {
        let question = fix_question(request.record, request.exhibits, &request.limits, &fresh_nonce());
        let input = task(&question);
        let mut command = Command::new(&self.config.argv[0]);
        command.args(&self.config.argv[1..]).current_dir(request.tree).env(JUDGE_VARIABLE, "1");
        if let Some(path) = &self.search_path {
            command.env("PATH", path);
        }
        let time = Duration::from_secs(self.config.time_s);
        let limits = Limits { time, stdout_bytes_max: OUTPUT_BYTES_MAX, stderr_bytes_max: 64 * 1024 };
        run_to_the_last(command, input.as_bytes(), &limits)
    }

    /// Says why the program could not be asked, and what that has cost: what is not there was not paid.
    fn not_started(&self, error: &io::Error) -> Answer {
        let program = &self.config.argv[0];
        let (detail, cost_usd) = match error.kind() {
            ErrorKind::NotFound => (format!("`{program}` is not there; `argv` begins with the program"), Some(0.0)),
            ErrorKind::PermissionDenied => (format!("`{program}` cannot be started: {error}"), Some(0.0)),
            _ => (format!("`{program}` cannot be started: {error}"), self.config.price_usd_per_call),
        };
        Answer { patch: Err(unavailable(Cause::Unavailable, detail)), record: None, cost_usd }
    }

    fn patch(&self, request: &Request<'_>, finished: &Finished) -> Result<Handed, NoPatch> {
        self.check_end(finished)?;
        let left = Left {
            program: &self.config.argv[0],
            original: request.original,
            tree: request.tree,
            printed: &finished.stdout,
            cut_at: finished.stdout_cut.then_some(OUTPUT_BYTES_MAX as u64),
        };
        left.patch(&request.limits, |what| unavailable(Cause::Unavailable, what))
    }

    /// Looks whether it came to its end, and all that it has started with it.
    fn check_end(&self, finished: &Finished) -> Result<(), NoPatch> {
        let program = &self.config.argv[0];
        match finished.status {
            _ if finished.left_behind => {
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

impl Fixer for Program {
    fn identity(&self) -> String {
        json!({"kind": "command", "argv": self.config.argv}).to_string()
    }

    fn ask(&self, request: &Request<'_>) -> Answer {
        match self.start(request) {
            Ok(finished) => {
                let patch = self.patch(request, &finished);
                Answer { patch, record: None, cost_usd: self.config.price_usd_per_call }
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

    use assize_core::court::review::{ReviewInputs, ReviewRecord};
    use assize_core::patch::PatchLimits;
    use assize_core::prompt::fix::FixExhibits;

    use super::*;

    /// What comes of a program that has edited a file, or has not, and came to an end.
    fn answer(edits: bool, finished: &Finished) -> Result<Handed, NoPatch> {
        let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
        let texts = [if edits { "new\n" } else { "old\n" }, "old\n"];
        for (folder, text) in folders.iter().zip(texts) {
            fs::write(folder.path().join("a.txt"), text).expect("written");
        }
        let config = Config { argv: vec!["fixes".to_owned()], time_s: 9, price_usd_per_call: None };
        let [tree, original] = &folders;
        let request = Request {
            tree: tree.path(),
            original: original.path(),
            record: &ReviewRecord::of(ReviewInputs::default()),
            exhibits: &FixExhibits::default(),
            limits: PatchLimits::default(),
        };
        Program::new(config, None).patch(&request, finished)
    }

    fn finished(code: i32) -> Finished {
        let status = Some(ExitStatus::from_raw(code << 8));
        Finished { status, stdout: Vec::new(), stderr: Vec::new(), stdout_cut: false, left_behind: false }
    }

    #[test]
    fn edits_need_no_output_and_an_answer_without_them_does() {
        let cut = || Finished { stdout_cut: true, ..finished(0) };
        assert!(matches!(answer(true, &cut()), Ok(Handed::Operations(edits)) if edits.ops.len() == 1));
        assert!(matches!(answer(false, &cut()), Err(NoPatch::Unreadable(why)) if why[0].contains("4194304 bytes")));
        assert_eq!(answer(false, &finished(0)), Err(NoPatch::Nothing));
        // Whoever fails has said so, however much it printed.
        let failed = answer(true, &Finished { status: finished(3).status, ..cut() });
        assert!(matches!(failed, Err(NoPatch::Unavailable(why)) if why.detail.contains("failed")));
    }

    #[test]
    fn nothing_is_compared_while_something_is_still_at_work() {
        let busy = answer(true, &Finished { left_behind: true, ..finished(0) });
        let words = "a process of `fixes` is still running";
        assert!(matches!(busy, Err(NoPatch::Unavailable(why)) if why.detail == words));
    }
}
