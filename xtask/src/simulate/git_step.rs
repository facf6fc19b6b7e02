//! What git does in a simulated session, for an agent or for the person.

use std::collections::BTreeSet;

use super::fault::{FaultAuthor, PlantKind, PlantedFault, has_conflict};
use super::machine::SimulatedMachine;

/// Commands that need no name.
const COMMANDS: [&[&str]; 19] = [
    &["commit", "--quiet", "--all", "--message", "work"],
    &["commit", "--quiet", "--all", "--message", "work"],
    &["commit", "--quiet", "--all", "--amend", "--no-edit"],
    &["checkout", "--quiet", "theirs"],
    &["checkout", "--quiet", "main"],
    &["checkout", "--quiet", "side"],
    &["checkout", "--quiet", "theirs", "--", "src"],
    &["merge", "--quiet", "--no-edit", "theirs"],
    &["merge", "--quiet", "--no-edit", "side"],
    &["merge", "--quiet", "--no-edit", "main"],
    &["cherry-pick", "theirs"],
    &["stash", "--quiet"],
    &["stash", "--quiet", "--include-untracked"],
    &["stash", "pop", "--quiet"],
    &["reset", "--quiet", "--hard"],
    &["reset", "--quiet", "--soft", "HEAD~1"],
    &["clean", "-xfdq"],
    &["rebase", "--quiet", "theirs"],
    &["pull", "--quiet", "--no-rebase", "--no-edit", "origin", "main"],
];

impl SimulatedMachine {
    /// Runs one command of git, or two. A conflict is taken back or left.
    pub fn git_step(&mut self, author: FaultAuthor) {
        match self.rng.usize(..COMMANDS.len() + 3) {
            at if at < COMMANDS.len() => {
                let command = COMMANDS[at];
                if command[0] == "pull" {
                    self.colleague_pushes();
                }
                if !self.git(command) {
                    self.conflict(author, command[0]);
                }
                self.look_for_settings();
            }
            at if at == COMMANDS.len() => {
                let branch = format!("work-{}", self.number());
                self.git(&["checkout", "--quiet", "-b", &branch]);
            }
            at => {
                self.git(&["add", "--all"]);
                self.git(&["commit", "--quiet", "--message", "all of it"]);
                if at > COMMANDS.len() + 1 && self.git(&["checkout", "--quiet", "main"]) {
                    self.git(&["merge", "--quiet", "--no-edit", "@{-1}"]);
                }
            }
        }
    }

    /// Takes a conflict back, or leaves it as a fault of the one who ran git.
    fn conflict(&mut self, author: FaultAuthor, command: &str) {
        let listed = self.git_reads(&["diff", "--name-only", "--diff-filter=U"]);
        let paths: BTreeSet<&str> = listed.lines().collect();
        if paths.is_empty() {
            return;
        }
        if self.rng.bool() {
            match command {
                "pull" => self.git(&["merge", "--abort"]),
                "merge" | "rebase" | "cherry-pick" => self.git(&[command, "--abort"]),
                _ => self.git(&["reset", "--quiet", "--hard"]),
            };
            return;
        }
        for path in paths {
            let is_listed = |fault: &PlantedFault| fault.kind == PlantKind::Unmerged && fault.path == path;
            if !has_conflict(&self.text(path)) || self.faults.iter().any(is_listed) {
                continue;
            }
            let fault = self.draw_fault(author);
            let may_blame = self.open_for(path);
            self.show(|| format!("{author:?} leaves a conflict in {path}"));
            self.tally.count("faults", author.as_words());
            self.faults.push(PlantedFault {
                kind: PlantKind::Unmerged,
                path: path.to_owned(),
                may_blame,
                how: format!("left by git {command}"),
                ..fault
            });
        }
    }
}
