//! Classification of commands that the agent ran.
//!
//! The reading is shallow, as that of [`super::command`], and on the safe side: when the words leave a
//! doubt, the answer is no. This module must not know how callers use the answer.

use std::sync::LazyLock;

use assize_ecosystem::command::CommandRole;
use regex::Regex;

use super::command::{masks_status, parts};
use super::{CommandRun, CommandState, TestResult, TranscriptFacts};
use crate::transcript::command;

impl CommandRun {
    /// Returns whether the command can have changed nothing: every part of it is known to only
    /// look. Says no when in doubt.
    pub fn only_looks(&self) -> bool {
        let command = self.command.inspect();
        !redirects(command) && command_parts(command).all(|words| part_looks(&words))
    }

    /// Returns whether the command searches texts.
    pub fn searches(&self) -> bool {
        const SEARCHERS: [&str; 5] = ["grep", "egrep", "rg", "ag", "ack"];
        let searches = |part: &Vec<String>| {
            SEARCHERS.contains(&part[0].as_str()) || part[0] == "git" && part.get(1).is_some_and(|word| word == "grep")
        };
        command::parts(self.command.inspect()).iter().any(searches)
    }

    /// Returns whether the command can have run no code of the project: every part of it is known
    /// to look at files or to move them about. Says no when in doubt.
    pub fn runs_nothing(&self) -> bool {
        command_parts(self.command.inspect()).all(|words| {
            part_looks(&words)
                || words.starts_with(&["git", "add"])
                || words.first().is_some_and(|program| HANDLERS.contains(program))
        })
    }

    /// Returns whether the command may have changed something that is not in the work tree: another machine, a service, the
    /// repository's own data, what is installed, a file elsewhere.
    pub fn acts_outside(&self) -> bool {
        let line = &without_evaluated(&without_heredocs(self.command.inspect()));
        let writes_away = line.split('>').skip(1).any(|target| {
            let target = target.trim_start_matches(['>', '&']).trim_start();
            target.starts_with(['~', '/'])
                && !["/dev/", "/tmp/", "/var/tmp/"].iter().any(|place| target.starts_with(place))
        });
        writes_away
            || command_parts(line).any(|words| {
                let Some((program, arguments)) = words.split_first() else { return false };
                let away = |word: &&&str| word.starts_with(['~', '/']) && !word.starts_with("/tmp/");
                match *program {
                    "git" => !part_looks(&words) && !arguments.iter().any(|word| GIT_OF_TREE.contains(word)),
                    // Folders and what they hold may be ones that git ignores.
                    "cp" | "mv" | "rm" | "ln" | "mkdir" | "rmdir" | "touch" | "install" => true,
                    "tee" => arguments.iter().any(|word| away(&word)),
                    "docker" | "docker-compose" | "podman" if looks_at_containers(arguments) => false,
                    program => {
                        let installed =
                            ["vendor/bin/", "node_modules/.bin/"].iter().any(|folder| program.contains(folder));
                        OUTSIDERS.contains(&program.rsplit('/').next().unwrap_or(program))
                            || !installed
                                && assize_ecosystem::command_role(&words) == CommandRole::Script
                                && !evaluates(&words)
                    }
                }
            })
    }

    /// Returns whether the command may have taken back what the agent had written: into the stash, to the last commit.
    pub fn takes_back(&self) -> bool {
        command_parts(self.command.inspect()).any(|words| {
            words.first() == Some(&"git")
                && words.iter().any(|word| matches!(*word, "checkout" | "restore" | "reset" | "stash" | "clean"))
                && !words.iter().any(|word| matches!(*word, "pop" | "apply" | "list" | "show"))
        })
    }

    /// Returns whether the command was to change files where they stand, and only those of the work tree.
    pub fn edits_in_place(&self) -> bool {
        let stays = |words: &[&str]| !words.iter().any(|word| word.starts_with(['/', '~']) || word.contains("$HOME"));
        command_parts(self.command.inspect()).any(|words| {
            let flag = |flags: &[&str]| words.iter().any(|word| flags.iter().any(|flag| word.starts_with(flag)));
            // What git ignores is edited without a trace.
            let of_code = words.last().is_some_and(|path| assize_ecosystem::is_code(path.trim_matches(['\'', '"'])));
            let edits = match words.first() {
                Some(&"sed") => {
                    flag(&["-i", "--in-place"]) && (of_code || !words.last().is_some_and(|path| path.contains('.')))
                }
                Some(&"perl" | &"ruby") => flag(&["-i", "-pi"]),
                // The patch itself may lie anywhere.
                Some(&"patch") => return true,
                Some(&"git") => return words.get(1) == Some(&"apply"),
                _ => false,
            };
            edits && stays(&words)
        })
    }

    /// Returns whether the command may ask a forge or another service what its own runs have shown.
    pub fn asks_elsewhere(&self) -> bool {
        let command = self.command.inspect();
        ["gh ", "glab ", "curl ", "wget ", "circleci ", "bk "].iter().any(|program| command.contains(program))
    }

    /// Returns whether the command may have shown the end of another one's run, by reading the file
    /// that its output went to.
    pub fn reads_output_of(&self, other: &Self) -> bool {
        let mut targets = other.command.inspect().split('>').skip(1).filter_map(|rest| rest.split_whitespace().next());
        let command = self.command.inspect();
        self.step > other.step
            && self.only_looks()
            && !self.only_prints()
            && targets.any(|file| file.len() > 2 && command.contains(file))
    }

    /// Returns whether what the command printed are words of its own: it says them and runs nothing.
    pub fn only_prints(&self) -> bool {
        let command = self.command.inspect().trim();
        if let Some((heading, text)) = command.split_once('\n')
            && let Some(mark) = heading.strip_prefix("cat <<")
        {
            let mark = mark.trim_matches(['-', '~', '\'', '"', ' ']);
            return !mark.contains(['|', '>', '&', ';']) && text.rsplit('\n').next() == Some(mark);
        }
        if command.contains("$(") || command.contains('`') || self.role != CommandRole::Other {
            return false;
        }
        let parts = parts(command);
        let says = |part: &Vec<String>| matches!(part[0].as_str(), "echo" | "printf");
        let silent = |part: &Vec<String>| matches!(part[0].as_str(), "cd" | "true" | ":" | "sleep" | "clear");
        parts.iter().any(says) && parts.iter().all(|part| says(part) || silent(part))
    }

    /// Returns whether the command was never started: the user or a hook refused it.
    pub fn was_refused(&self) -> bool {
        let refusals = [
            "doesn't want to proceed with this tool use",
            "tool use was rejected",
            "[Request interrupted by user",
            "ermission to use",
            "requires approval",
            "Denied by",
            "denied by",
            "hook error",
            "blocked by",
            "rejected by user",
            "aborted by user",
        ];
        self.state == CommandState::Failed
            && self.tests.is_none()
            && refusals.iter().any(|refusal| self.output.inspect().contains(refusal))
    }

    /// Returns what a run of tests has shown, with doubts where the status may be another command's:
    /// a filter that found nothing fails, and so does a push after tests that passed.
    fn shown(&self) -> Option<TestResult> {
        let result = self.test_result()?;
        let told = self.tests.is_some_and(|tally| tally.failed > 0);
        let command = self.command.inspect().replace("2>&1", "");
        let last = command.rsplit(['&', ';', '\n']).map(str::trim).find(|part| !part.is_empty()).unwrap_or_default();
        let own = !command.replace("||", "").contains('|')
            && !masks_status(&command)
            && (command::role(last) == CommandRole::Test || command::role(&command) != CommandRole::Test);
        Some(if result == TestResult::Failed && !told && !own { TestResult::Unknown } else { result })
    }
}

impl TranscriptFacts {
    /// Returns the last run of tests that tells something, see [`last_test_run`].
    pub fn last_test_run(&self, since: u64) -> Option<(&CommandRun, TestResult)> {
        last_test_run(&self.commands, since)
    }
}

/// Returns the last of these runs of tests that tells something. Reading what an earlier run printed is no
/// run, nor is a command that was refused; and a run that selected no test says nothing where
/// another one has run some since the given step.
pub fn last_test_run(commands: &[CommandRun], since: u64) -> Option<(&CommandRun, TestResult)> {
    let mut empty = None;
    for run in commands.iter().rev() {
        let Some(result) = run.shown() else { continue };
        if run.was_refused()
            || run.only_prints()
            || run.role == CommandRole::Other && (run.only_looks() || run.asks_elsewhere())
        {
            continue;
        }
        if empty.is_some() && run.step <= since {
            break;
        }
        if result != TestResult::NoneRan {
            return Some((run, result));
        }
        empty = empty.or(Some((run, result)));
    }
    empty
}

/// Programs that only look, whatever their arguments.
const LOOKERS: [&str; 46] = [
    "ls", "cat", "head", "tail", "grep", "egrep", "fgrep", "rg", "ag", "fd", "wc", "pwd", "cd", "echo", "printf",
    "file", "stat", "tree", "which", "type", "du", "df", "diff", "cmp", "sort", "uniq", "cut", "tr", "nl", "tac",
    "column", "jq", "yq", "less", "more", "bat", "basename", "dirname", "realpath", "date", "whoami", "uname", "true",
    "test", "[", "sleep",
];

/// Programs that move files about and run none of them.
const HANDLERS: [&str; 11] = ["mkdir", "touch", "cp", "mv", "rm", "rmdir", "ln", "chmod", "sed", "tee", "patch"];

/// A command without the texts that it is given on lines of their own.
fn without_heredocs(command: &str) -> String {
    let mut kept = String::new();
    let mut end: Option<String> = None;
    for line in command.lines() {
        if let Some(mark) = &end {
            if line.trim() == mark {
                end = None;
            }
            continue;
        }
        if let Some((_, mark)) = line.split_once("<<") {
            let mark = mark.trim_start_matches(['-', '~', '<']).trim_start();
            let mark = mark.split_whitespace().next().unwrap_or_default().trim_matches(['\'', '"', ')', ';']);
            end = (!mark.is_empty()).then(|| mark.to_owned());
        }
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}

/// A command without the code that it gives an interpreter in quotes, which is no part of the shell's.
fn without_evaluated(command: &str) -> String {
    static EVALUATED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?s)\b(node|deno eval|bun|python3?|ruby|perl|php)((?: --?[a-z-]+)*? (?:-e|-c|-r|-p|--eval|--print) )(?:"(?:[^"\\]|\\.)*"|'[^']*')"#).expect("valid pattern")
    });
    EVALUATED.replace_all(command, "$1$2''").into_owned()
}

/// Returns whether a command runs code that stands on its own line.
fn evaluates(words: &[&str]) -> bool {
    words.len() > 2 && matches!(words[1], "-e" | "-c" | "-r" | "-p" | "-")
}

/// Programs whose doings lie outside of the work tree.
const OUTSIDERS: [&str; 42] = [
    "gh",
    "glab",
    "hub",
    "curl",
    "wget",
    "http",
    "ssh",
    "scp",
    "rsync",
    "sftp",
    "docker",
    "podman",
    "docker-compose",
    "kubectl",
    "helm",
    "terraform",
    "pulumi",
    "ansible",
    "ansible-playbook",
    "aws",
    "gcloud",
    "az",
    "heroku",
    "fly",
    "flyctl",
    "vercel",
    "netlify",
    "psql",
    "mysql",
    "sqlite3",
    "mongosh",
    "redis-cli",
    "systemctl",
    "launchctl",
    "crontab",
    "brew",
    "apt",
    "apt-get",
    "sudo",
    "defaults",
    "osascript",
    "claude",
];

/// Subcommands of git that change nothing but files of the work tree, or what is staged.
const GIT_OF_TREE: [&str; 9] = ["add", "checkout", "restore", "reset", "stash", "apply", "mv", "rm", "clean"];

/// Subcommands of git that only look.
const GIT_LOOKERS: [&str; 14] = [
    "status",
    "log",
    "diff",
    "show",
    "blame",
    "grep",
    "ls-files",
    "ls-tree",
    "rev-parse",
    "describe",
    "shortlog",
    "reflog",
    "cat-file",
    "merge-base",
];

/// Splits a command line into words, part by part. Quotes are not respected: what they hide looks
/// like an unknown program, and the doubt is what is wanted.
fn command_parts(command: &str) -> impl Iterator<Item = Vec<&str>> {
    command.split([';', '|', '&', '\n', '(', ')', '`', '{', '}']).map(|part| {
        let mut words: Vec<&str> = part.split_whitespace().collect();
        while words.first().is_some_and(|word| word.contains('=') && !word.starts_with(['-', '.', '/'])) {
            words.remove(0);
        }
        // What is left of `2>&1` once it is split at the ampersand.
        if words.first().is_some_and(|word| matches!(*word, "1" | "2" | ">")) {
            words.clear();
        }
        words
    })
}

fn part_looks(words: &[&str]) -> bool {
    let Some((program, arguments)) = words.split_first() else { return true };
    match *program {
        "git" => arguments
            .iter()
            .find(|word| !word.starts_with('-') && !word.contains('/'))
            .is_some_and(|subcommand| GIT_LOOKERS.contains(subcommand)),
        "sed" => !arguments.iter().any(|word| word.starts_with("-i") || word.starts_with("--in-place")),
        "find" => {
            !arguments.iter().any(|word| word.starts_with("-exec") || word.starts_with("-ok") || *word == "-delete")
        }
        program => LOOKERS.contains(&program),
    }
}

/// Returns whether the command writes its output into a file.
fn redirects(command: &str) -> bool {
    if !command.contains('>') {
        return false;
    }
    let harmless =
        command.replace("2>&1", "").replace("2>/dev/null", "").replace("> /dev/null", "").replace(">/dev/null", "");
    harmless.contains('>')
}

/// Returns whether a program of containers only shows what there is, or what a file says of it.
fn looks_at_containers(arguments: &[&str]) -> bool {
    const LOOKING: [&str; 7] = ["config", "images", "inspect", "logs", "ls", "ps", "version"];
    let mut words = arguments.iter().filter(|word| !word.starts_with('-') && !word.contains('='));
    let first = words.next().copied().unwrap_or_default();
    LOOKING.contains(&first) || first == "compose" && words.next().is_some_and(|next| LOOKING.contains(next))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::{FactsBuilder, ToolCall, ToolResult};

    fn ran(steps: &[(&str, i64, &str)]) -> TranscriptFacts {
        let mut facts = FactsBuilder::default();
        for (index, (command, status, output)) in steps.iter().enumerate() {
            let id = index.to_string();
            facts.call(&id, ToolCall::Command { command: (*command).to_owned(), background: false });
            facts.result(
                &id,
                &ToolResult { is_error: *status != 0, exit_status: Some(*status), output: (*output).to_owned() },
            );
        }
        facts.finish()
    }

    const OK: &str = "test result: ok. 3 passed; 0 failed; 0 ignored";
    const FAILED: &str = "test result: FAILED. 2 passed; 1 failed; 0 ignored";
    const EMPTY: &str = "test result: ok. 0 passed; 0 failed; 0 ignored";

    #[test]
    fn the_status_of_another_part_is_not_that_of_the_tests() {
        for (command, status, output, expected) in [
            ("cargo test", 101, FAILED, TestResult::Failed),
            ("cargo test", 101, "error: could not compile", TestResult::Failed),
            ("cd app && npm test", 1, "", TestResult::Failed),
            ("cargo test 2>&1", 101, "", TestResult::Failed),
            ("cargo test && git push", 1, OK, TestResult::Unknown),
            ("cargo test && git push", 101, FAILED, TestResult::Failed),
            ("cargo test 2>&1 | grep FAILED", 1, "", TestResult::Unknown),
            ("set -o pipefail; npm test | grep -i error", 1, "", TestResult::Unknown),
            ("npm test | tail -5", 0, "Tests:       1 failed, 2 passed, 3 total", TestResult::Failed),
            ("./ci.sh", 1, OK, TestResult::Failed),
        ] {
            let facts = ran(&[(command, status, output)]);
            assert_eq!(facts.last_test_run(0).map(|(_, result)| result), Some(expected), "{command}");
        }
    }

    #[test]
    fn the_last_run_is_the_last_that_tells_something() {
        let last = |steps: &[(&str, i64, &str)], since| {
            ran(steps).last_test_run(since).map(|(run, result)| (run.step, result))
        };
        let run = ("cargo test", 0, OK);
        for other in [
            ("cat old.log", 0, FAILED),
            ("echo 'test result: FAILED. 2 passed; 1 failed; 0 ignored'", 0, FAILED),
            ("cd app && printf '%s\\n' \"x; y\"", 0, FAILED),
            ("cat <<'EOF'\ntest result: FAILED\nEOF", 0, FAILED),
            ("gh run view --log", 0, FAILED),
            ("cargo test --doc", 0, EMPTY),
            ("cargo test", 1, "The user doesn't want to proceed with this tool use. The tool use was rejected."),
            ("ls tests", 0, ""),
        ] {
            assert_eq!(last(&[run, other], 0), Some((1, TestResult::Passed)), "{other:?}");
        }
        for own in [
            "./run.sh; echo done",
            "cat <<EOF | sh\nx\nEOF",
            "cat <<EOF > a\nx\nEOF\n./run.sh",
            "echo \"$(./run.sh)\"",
            "echo x | ./run.sh",
        ] {
            assert_eq!(last(&[run, (own, 0, FAILED)], 0), Some((3, TestResult::Failed)), "{own}");
        }
        // What was run before the given step does not make up for a run without tests.
        assert_eq!(last(&[run, ("cargo test x", 0, EMPTY)], 2), Some((3, TestResult::NoneRan)));
        assert_eq!(last(&[run, ("docker run app pytest", 1, "1 failed in 0.1s")], 0), Some((3, TestResult::Failed)));
        assert_eq!(last(&[("ls", 0, "")], 0), None);
    }

    #[test]
    fn the_reading_of_a_log_is_told_from_other_commands() {
        let reads = |run: &str, later: &str| {
            let facts = ran(&[(run, 0, ""), (later, 0, OK)]);
            facts.commands[1].reads_output_of(&facts.commands[0])
        };
        assert!(reads("cargo test > /tmp/test.log 2>&1; echo $? >> /tmp/test.log", "sleep 9; tail -n 4 /tmp/test.log"));
        for (run, later) in [
            ("cargo test > /tmp/test.log 2>&1", "tail -n 4 /tmp/other.log"),
            ("cargo test 2>&1", "cat 1 2 &1"),
            ("cargo test > /tmp/test.log", "echo /tmp/test.log"),
            ("cargo test > /tmp/test.log", "./forge.sh /tmp/test.log"),
        ] {
            assert!(!reads(run, later), "{run} / {later}");
        }
    }

    #[test]
    fn code_for_an_interpreter_is_no_part_of_the_shells() {
        let acts = |command: &str| ran(&[(command, 0, "")]).commands.remove(0).acts_outside();
        assert!(!acts("node -e \"import('./src/a.js').then(m => console.log(m.late([{ on: '28/04/2024' }])))\""));
        assert!(!acts("cd app && python3 -c 'import a; print(a.b())' | tail -1"));
        assert!(acts("python3 -c 'import a' && gh pr create"));
    }

    #[test]
    fn commands_that_can_have_done_nothing_are_told_from_the_rest() {
        let run = |command: &str| ran(&[(command, 0, "")]).commands.remove(0);
        for command in [
            "ls -la",
            "cd app && rg -n todo src | head -5",
            "git status --short; git log --oneline -3",
            "git -C /w/app diff --stat",
            "sed -n '1,40p' src/a.rs 2>/dev/null",
            "find . -name '*.rs' 2>&1 | wc -l",
            "LC_ALL=C sort names.txt > /dev/null",
        ] {
            assert!(run(command).only_looks() && run(command).runs_nothing(), "{command}");
        }
        for command in ["mkdir -p src/net", "git add -A", "sed -i s/a/b/ src/a.rs", "rm -rf build && ls", "cat a > b"] {
            assert!(!run(command).only_looks() && run(command).runs_nothing(), "{command}");
        }
        for command in [
            "git commit -m x",
            "git push",
            "gh pr checks 12",
            "docker compose run app pytest",
            "npm install",
            "find . -name x -exec ./x {} +",
            "cat <<'EOF' | sh\nmake\nEOF",
            "ssh host ls",
            "nix develop -c cargo nextest",
            "xargs -n1 ./check < list",
        ] {
            assert!(!run(command).only_looks() && !run(command).runs_nothing(), "{command}");
        }
    }
}
