//! `assize fix`, as people and scripts call it: the real program, real git, and scripts in the place of models.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use assize_testkit::repo::Repo;
use serde_json::Value;

/// A gate that objects to every line with the word BAD. It is slow while a file lies beside the tree.
const CHECK: &str = r#"
while [ -e "$(dirname "$0")/../slow" ] || [ -e "$SLOW" ]; do sleep 0.05; done
printf '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"mine"}},"results":['
awk '/BAD/ { printf "%s{\"ruleId\":\"bad\",\"level\":\"error\",\"message\":{\"text\":\"%s\"},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"src/a.txt\"},\"region\":{\"startLine\":%d}}}]}", sep, $0, NR; sep="," }' src/a.txt
printf ']}]}\n'
"#;
const GATES: &str = "[review]\nrequire = []\n[gates]\nsandbox = \"off\"\n[[gate]]\nid = \"mine\"\ncommand = [\"sh\", \"check.sh\"]\n\
                     dimension = \"style\"\nreport = \"sarif\"\n";
const CHANGED: &str = "one\nBAD two\nBAD three\n";

/// A project with two faults in its work tree, and a fixer.
struct FixFixture {
    repo: Repo,
}

impl FixFixture {
    /// `script` is what the fixer does; it runs in a copy of the tree and finds its folder in `$HERE`.
    fn new(settings: &str, script: &str) -> Self {
        let repo = Repo::empty();
        let here = repo.outside().display().to_string();
        let fixer = format!("HERE='{here}'\necho called >> \"$HERE/calls\"\ncat > \"$HERE/asked\"\n{script}\n");
        fs::write(repo.outside().join("fixer.sh"), fixer).expect("written");
        repo.write("assize.toml", &format!("{GATES}{}", settings.replace("FIXER", &format!("{here}/fixer.sh"))));
        repo.write("check.sh", &CHECK.replace("$SLOW", &format!("{here}/slow")));
        repo.write("src/a.txt", "one\ntwo\nthree\n");
        repo.write("tests/test_a.txt", "a test\n");
        repo.commit("base");
        repo.write("src/a.txt", CHANGED);
        Self { repo }
    }

    /// A fixer that is a program.
    fn with_program(script: &str) -> Self {
        Self::new("[fixer.command]\nargv = [\"sh\", \"FIXER\"]\n", script)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assize"));
        command
            .args(arguments)
            .current_dir(self.repo.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.repo.outside())
            .env("XDG_CACHE_HOME", self.repo.outside().join("cache"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn fix(&self, arguments: &[&str]) -> (Output, Value) {
        let all: Vec<&str> = ["fix", "--format", "json"].iter().chain(arguments).copied().collect();
        let output = self.command(&all).output().expect("the program runs");
        let result = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        (output, result)
    }

    fn text(&self) -> String {
        fs::read_to_string(self.repo.path().join("src/a.txt")).expect("read")
    }

    fn beside(&self, name: &str) -> PathBuf {
        self.repo.outside().join(name)
    }

    fn calls(&self) -> usize {
        fs::read_to_string(self.beside("calls")).unwrap_or_default().lines().count()
    }

    /// What the program shows in a form.
    fn shown(&self, form: &str, arguments: &[&str]) -> (Option<i32>, String) {
        let output = self.command(&[arguments, &["--format", form]].concat()).output().expect("the program runs");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Returns whether the process is alive that wrote its id into a file beside the tree.
    fn is_alive(&self, name: &str) -> bool {
        let pid = fs::read_to_string(self.beside(name)).expect("it was started").trim().to_owned();
        fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
    }
}

/// Starts a process in a session of its own, whose parent is gone, and waits until it is there.
const DAEMON: &str = "(setsid sh -c 'echo $$ > \"$0\"; exec sleep 600' \"$HERE/daemon\" >/dev/null 2>&1 &)\n\
                      while [ ! -s \"$HERE/daemon\" ]; do sleep 0.05; done";

const MENDS: &str = "sed -i 's/BAD //' src/a.txt";
/// Prints a patch instead of editing.
const PRINTS: &str =
    r#"printf '%s' '{"ops":[{"kind":"edit","path":"src/a.txt","find":"BAD two\nBAD three","replace":"two\nthree"}]}'"#;

#[test]
fn what_is_accepted_is_written_back() {
    // An agent may commit what it did; the words of a model stand around its patch.
    let commits = format!("{MENDS} && git commit --quiet --all --message done && test -z \"$(git status --short)\"");
    let fenced = format!("echo 'Here it is:'; echo '```json'; {PRINTS}; echo; echo '```'");
    for script in [MENDS, PRINTS, &commits, &fenced] {
        let world = FixFixture::with_program(script);
        let (output, result) = world.fix(&["--yes"]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        assert_eq!((&result["outcome"], &result["fix"]["written"]), (&"accept".into(), &true.into()), "{result}");
        assert_eq!(world.text(), "one\ntwo\nthree\n");
        let asked = fs::read_to_string(world.beside("asked")).expect("asked");
        for words in ["src/a.txt:2: BAD two [bad]", "    3 | BAD three", "at most 50 operations"] {
            assert!(asked.contains(words), "{words}: {asked}");
        }
        let ledger = world.command(&["ledger", "show", "--format", "human"]).output().expect("the ledger");
        let shown = String::from_utf8_lossy(&ledger.stdout).into_owned();
        for words in ["fix began", "2 objections", "patch  1 operations", "patch applied", "written into the tree"] {
            assert!(shown.contains(words), "{words}: {shown}");
        }
        // The way back is on record before anything is written.
        let at = |words: &str| shown.find(words).unwrap_or_else(|| panic!("{words}: {shown}"));
        assert!(at("patch to be applied  1 operations") < at("patch applied  1 operations"), "{shown}");
        let (_, intended) = world.shown("json", &["ledger", "show", "6"]);
        assert!(intended.contains("patch_intended") && intended.contains("BAD two"), "{intended}");
        // Begun, judged, nothing from the tools, a patch, judged, to be applied, applied, over.
        for (entry, is_same) in [("2", true), ("5", true), ("8", true), ("4", false)] {
            let again = world.command(&["ledger", "replay", entry, "--format", "json"]).output().expect("the ledger");
            assert_eq!(String::from_utf8_lossy(&again.stdout).contains("\"same\":true"), is_same, "{entry}: {again:?}");
        }
    }
}

#[test]
fn what_is_not_accepted_is_left_alone_unless_the_best_is_wanted() {
    let world = FixFixture::with_program("sed -i 's/BAD two/two/' src/a.txt");
    let (output, result) = world.fix(&["--yes", "--rounds", "1"]);
    assert_eq!((output.status.code(), &result["outcome"]), (Some(1), &"revise".into()), "{output:?}");
    assert_eq!(world.text(), CHANGED);
    assert_eq!(result["fix"]["after"]["other_faults"]["faults"], 1, "{result}");
    let (output, result) = world.fix(&["--yes", "--rounds", "1", "--keep-best"]);
    assert_eq!((output.status.code(), &result["fix"]["written"]), (Some(1), &true.into()), "{output:?}");
    assert_eq!(world.text(), "one\ntwo\nBAD three\n");
}

#[test]
fn a_patch_that_makes_it_worse_is_dropped() {
    let world = FixFixture::with_program("echo 'BAD four' >> src/a.txt");
    let (output, result) = world.fix(&["--yes", "--keep-best"]);
    assert_eq!((output.status.code(), &result["fix"]["best"]), (Some(1), &0.into()), "{output:?}");
    assert_eq!((world.text(), &result["fix"]["ending"]), (CHANGED.to_owned(), &"repeats".into()));
    assert_eq!(world.calls(), 2, "the second patch led to where the first had led");
}

#[test]
fn a_patch_that_does_not_fit_is_asked_for_once_more_with_its_faults() {
    let again =
        format!("if grep -q 'Your last answer' \"$HERE/asked\"; then {PRINTS}; else printf 'I would rewrite it.'; fi");
    let world = FixFixture::with_program(&again);
    let (output, result) = world.fix(&["--yes"]);
    assert_eq!((output.status.code(), world.calls()), (Some(0), 2), "{output:?} {result}");
    // A round that was lost is told of, so that the next question is another one.
    let later = format!(
        "if grep -q 'could not be used: is neither' \"$HERE/asked\"; then {PRINTS}; else printf 'I would rewrite it.'; fi"
    );
    let world = FixFixture::with_program(&later);
    let (output, result) = world.fix(&["--yes"]);
    assert_eq!((output.status.code(), world.calls()), (Some(0), 3), "{output:?} {result}");
    let test = r#"printf '%s' '{"ops":[{"kind":"edit","path":"tests/test_a.txt","find":"test","replace":"toast"}]}'"#;
    let world = FixFixture::with_program(test);
    let (output, result) = world.fix(&["--yes", "--rounds", "1"]);
    assert_eq!((output.status.code(), world.calls()), (Some(1), 2), "{output:?}");
    assert!(result["fix"]["rounds"][1]["came"]["unfit"][0].as_str().is_some_and(|fault| fault.contains("protected")));
    assert!(fs::read_to_string(world.beside("asked")).expect("asked").contains("is protected"));
}

#[test]
fn a_fixer_that_fails_says_so_and_changes_nothing() {
    for (script, words) in [
        ("echo no credit >&2; exit 3", "no credit"),
        ("sed -i 's/BAD //' src/a.txt; exit 1", "failed"),
        ("true", "no fixer offers anything more"),
    ] {
        let world = FixFixture::with_program(script);
        let output = world.command(&["fix", "--yes", "--format", "human"]).output().expect("the program runs");
        assert_eq!(output.status.code(), Some(1), "{script}: {output:?}");
        let shown = String::from_utf8_lossy(&output.stdout);
        assert!(shown.contains(words), "{script}: {shown}");
        assert_eq!(world.text(), CHANGED, "{script}");
    }
}

#[test]
fn a_fixer_may_be_as_noisy_as_it_likes_while_it_edits() {
    let prints = |bytes: usize, to: &str| format!("head -c {bytes} /dev/zero | tr '\\0' x >&{to}");
    let (stderr, stdout) = (64 * 1024, 4 * 1024 * 1024);
    for (bytes, to) in [(stderr, "2"), (stderr + 1, "2"), (stdout, "1"), (stdout + 1, "1")] {
        let world = FixFixture::with_program(&format!("{MENDS}; {}", prints(bytes, to)));
        let (output, result) = world.fix(&["--yes"]);
        assert_eq!((output.status.code(), world.calls()), (Some(0), 1), "{bytes} {to}: {result}");
    }
    // Without edits what it prints is its answer.
    for (bytes, words) in [(stdout, "the document has 4194304 bytes"), (stdout + 1, "printed more than 4194304 bytes")]
    {
        let world = FixFixture::with_program(&prints(bytes, "1"));
        let (_, result) = world.fix(&["--yes", "--rounds", "1"]);
        let unfit = result["fix"]["rounds"][1]["came"]["unfit"][0].to_string();
        assert!(unfit.contains(words), "{unfit}");
    }
}

#[test]
fn a_fixer_that_could_not_be_asked_is_asked_again_by_the_next_call() {
    let script = "case $(wc -l < \"$HERE/calls\") in\n1) sed -i 's/BAD two/two/' src/a.txt;;\n2) exit 1;;\n\
                  *) sed -i 's/BAD //' src/a.txt;;\nesac";
    let settings = "[fixer.command]\nargv = [\"sh\", \"FIXER\"]\nprice_usd_per_call = 0.25\n";
    let world = FixFixture::new(settings, script);
    let (output, result) = world.fix(&["--yes"]);
    assert_eq!((output.status.code(), world.calls(), world.text().as_str()), (Some(1), 2, CHANGED), "{result}");
    assert!(result["fix"]["ending"]["unavailable"].is_object(), "{result}");
    // What was spent before counts, also what the outage has cost.
    let (output, result) = world.fix(&["--yes"]);
    assert_eq!((output.status.code(), world.calls(), world.text().as_str()), (Some(0), 3, "one\ntwo\nthree\n"));
    assert_eq!(result["fix"]["cost_usd"], 0.75, "{result}");
    let again = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(again.contains("is on record and is resumed"), "{again}");
    let (_, ledger) = world.shown("json", &["ledger", "show"]);
    let (_, replayed) = world.shown("json", &["ledger", "replay", &ledger.lines().count().to_string()]);
    assert!(replayed.contains("\"same\":true"), "{replayed}");
}

#[test]
fn an_answer_that_could_not_be_tried_is_kept_and_tried_by_the_next_call() {
    let settings = "[fixer.command]\nargv = [\"sh\", \"FIXER\"]\nprice_usd_per_call = 0.25\n";
    // Without its head nobody can read the repository.
    let world = FixFixture::new(settings, &format!("{MENDS}; mv HERE_TREE/.git/HEAD \"$HERE/head\""));
    let script = fs::read_to_string(world.beside("fixer.sh")).expect("read");
    let tree = format!("'{}'", world.repo.path().display());
    fs::write(world.beside("fixer.sh"), script.replace("HERE_TREE", &tree)).expect("written");
    let (output, _) = world.fix(&["--yes", "--max-cost", "0.25"]);
    assert_eq!((output.status.code(), world.calls()), (Some(2), 1), "{output:?}");
    let (_, ledger) = world.shown("human", &["ledger", "show"]);
    assert!(ledger.contains("untried patch"), "{ledger}");
    fs::rename(world.beside("head"), world.repo.path().join(".git/HEAD")).expect("moved back");
    let (output, result) = world.fix(&["--yes", "--max-cost", "0.25"]);
    assert_eq!((output.status.code(), world.calls()), (Some(0), 1), "{output:?}");
    assert_eq!((world.text().as_str(), &result["fix"]["cost_usd"]), ("one\ntwo\nthree\n", &0.25.into()));
}

#[test]
fn a_dry_run_writes_nothing_and_another_call_takes_it_without_asking_again() {
    let world = FixFixture::with_program(MENDS);
    let output = world.command(&["fix", "--dry-run", "--format", "human"]).output().expect("the program runs");
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains("-BAD two") && shown.contains("+two") && shown.contains("would change"), "{shown}");
    assert_eq!((world.text(), world.calls()), (CHANGED.to_owned(), 1));
    let (output, result) = world.fix(&["--yes"]);
    assert_eq!((output.status.code(), world.calls(), &result["fix"]["written"]), (Some(0), 1, &true.into()));
    assert!(String::from_utf8_lossy(&output.stderr).contains("is on record and is resumed"), "{output:?}");
    let (_, result) = world.fix(&["--yes"]);
    assert_eq!(result["fix"]["rounds"].as_array().map(Vec::len), Some(0), "nothing is left to mend: {result}");
}

#[test]
fn what_nobody_would_judge_is_not_written() {
    // The fixer hides its new file from git, and with it from every gate.
    let hides = format!("{MENDS}; echo 'BAD' > secret.txt; echo secret.txt > .gitignore");
    let world = FixFixture::with_program(&hides);
    let (output, result) = world.fix(&["--yes"]);
    assert_eq!(output.status.code(), Some(0), "{output:?} {result}");
    assert!(!world.repo.path().join("secret.txt").exists(), "what is ignored is no part of the patch");
    let prints = r#"printf '%s' '{"ops":[{"kind":"add","path":"built/a.txt","content":"BAD"},{"kind":"add","path":".gitignore","content":"built\n"}]}'"#;
    let world = FixFixture::with_program(prints);
    let (output, result) = world.fix(&["--yes", "--rounds", "1", "--keep-best"]);
    let unfit = &result["fix"]["rounds"][1]["came"]["unfit"][0];
    assert!(unfit.as_str().is_some_and(|fault| fault.contains("git would ignore")), "{output:?} {result}");
    assert!(!world.repo.path().join("built").exists());
}

#[test]
fn links_that_a_fixer_leaves_behind_lead_nowhere() {
    for script in [
        "rm src/a.txt; ln -s /etc/hostname src/a.txt",
        "mv src lib; ln -s lib src",
        "there=$(pwd); cd ..; mv \"$there\" moved; ln -s /etc \"$there\"",
    ] {
        let world = FixFixture::with_program(script);
        let (output, result) = world.fix(&["--yes", "--keep-best"]);
        assert_eq!((output.status.code(), world.text()), (Some(1), CHANGED.to_owned()), "{script}: {output:?}");
        let ending = result["fix"]["ending"].to_string();
        assert!(ending.contains("link"), "{script}: {ending}");
    }
}

#[test]
fn the_tree_has_to_be_what_was_judged() {
    let world = FixFixture::with_program(&format!("{MENDS}; echo 'BAD four' >> HERE_TREE/src/b.txt"));
    let script = fs::read_to_string(world.beside("fixer.sh")).expect("read");
    let tree = world.repo.path().display().to_string().replace(' ', "\\ ");
    fs::write(world.beside("fixer.sh"), script.replace("HERE_TREE", &tree)).expect("written");
    let (output, _) = world.fix(&["--yes"]);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && complaint.contains("changed meanwhile"), "{complaint}");
    assert_eq!(world.text(), CHANGED);
}

#[test]
fn whoever_interrupts_a_fix_finds_nothing_left_behind() {
    let world = FixFixture::with_program(&format!("{DAEMON}; touch \"$HERE/ready\"; sleep 600"));
    let temporary = world.beside("temporary");
    fs::create_dir(&temporary).expect("a folder");
    let mut command = world.command(&["fix", "--yes"]);
    let mut child = command.env("TMPDIR", &temporary).process_group(0).spawn().expect("the program runs");
    let begin = Instant::now();
    while !world.beside("ready").exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "the fixer was not called");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(world.is_alive("daemon"));
    let listed =
        || fs::read_dir(&temporary).expect("a folder").flatten().map(|entry| entry.file_name()).collect::<Vec<_>>();
    assert!(!listed().is_empty(), "the copies lie there");
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupt.expect("kill").success());
    assert_eq!(child.wait().expect("ended").code(), Some(130));
    assert_eq!(listed(), Vec::<std::ffi::OsString>::new());
    assert_eq!((world.text(), world.is_alive("daemon")), (CHANGED.to_owned(), false));
}

#[test]
fn nothing_that_a_fixer_has_started_outlives_it() {
    for (then, time_s, code) in [(MENDS, 600, 0), ("exit 3", 600, 1), ("sleep 600", 2, 1)] {
        let settings = format!("[fixer.command]\nargv = [\"sh\", \"FIXER\"]\ntime_s = {time_s}\n");
        let world = FixFixture::new(&settings, &format!("{DAEMON}\n{then}"));
        let (output, _) = world.fix(&["--yes"]);
        assert_eq!((output.status.code(), world.is_alive("daemon")), (Some(code), false), "{then}: {output:?}");
    }
}

#[test]
fn what_was_there_before_a_fixer_is_left_alone() {
    let world = FixFixture::with_program(&format!("{DAEMON}\n{MENDS}"));
    // Whoever calls us by `exec` leaves us its children.
    let script = "sleep 600 >/dev/null 2>&1 & echo $! > \"$0/other\"; exec \"$1\" fix --yes";
    let here = world.beside("").display().to_string();
    let command = world.command(&[]);
    let output = Command::new("sh")
        .args(["-c", script, &here])
        .arg(command.get_program())
        .current_dir(world.repo.path())
        .envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .output()
        .expect("the program runs");
    let alive = ["other", "daemon"].map(|name| world.is_alive(name));
    let other = fs::read_to_string(world.beside("other")).expect("it was started");
    assert!(Command::new("kill").arg(other.trim()).status().expect("kill").success());
    assert_eq!((output.status.code(), alive), (Some(0), [true, false]), "{output:?}");
}

#[test]
fn where_nothing_differs_there_is_nothing_to_fix() {
    let world = FixFixture::with_program(MENDS);
    world.repo.write("src/a.txt", "one\ntwo\nthree\n");
    let (output, result) = world.fix(&["--yes"]);
    assert_eq!((output.status.code(), &result["fix"]["ending"]), (Some(0), &"unchanged".into()), "{output:?}");
    assert_eq!(world.shown("human", &["review"]).0, Some(0), "as a review has it");
    let base = &world.repo.head()[..10];
    let (code, shown) = world.shown("human", &["fix", "--anew"]);
    let words = format!("there is nothing to fix, since nothing differs from {base}");
    assert!(code == Some(0) && shown.contains(&words), "{shown}");
    // What the base itself is faulted for can still be mended.
    world.repo.write("check.sh", "exit 0\n");
    world.repo.commit("a gate that says nothing");
    let (code, shown) = world.shown("human", &["fix", "--anew"]);
    assert_eq!((code, world.shown("human", &["review"]).0, world.calls()), (Some(0), Some(0), 0), "{shown}");
    assert!(shown.contains("there is nothing to fix"), "{shown}");
}

#[test]
fn an_outcome_is_shown_as_markdown() {
    let world = FixFixture::with_program("sed -i 's/BAD two/two/' src/a.txt");
    let (code, shown) = world.shown("markdown", &["fix", "--yes", "--rounds", "1"]);
    assert_eq!(code, Some(1), "{shown}");
    let lines = [
        "## Assize fix: revise",
        "| 1 | tools | nothing to offer |",
        "| 2 | fixer | a patch that helps |",
        "```diff",
        "-BAD two",
        "### What is left",
        "| mine | ❌ failed |  | 1 | 0 |",
    ];
    assert!(lines.iter().all(|line| shown.contains(line)), "{shown}");
    assert_eq!(shown.matches("-BAD two").count(), 1, "{shown}");
    assert!(!shown.contains('\u{1b}'), "{shown}");
}

#[test]
fn of_several_interrupted_fixes_the_one_goes_on_that_is_meant() {
    let world = FixFixture::with_program(MENDS);
    let base = world.repo.head();
    world.repo.git(&["commit", "--quiet", "--allow-empty", "--message", "another base"]);
    assert_eq!(world.shown("human", &["fix", "--resume"]), (Some(0), "no fix can be resumed\n".to_owned()));
    // What is not written can go on.
    let first = ["--dry-run", "--base", &base];
    assert_eq!(world.fix(&first).0.status.code(), Some(0));
    fs::write(world.beside("task.md"), "Mend it.").expect("written");
    let specification = world.beside("task.md").display().to_string();
    let (output, _) = world.fix(&["--dry-run", "--spec", &specification]);
    let noted = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        noted.contains("other fixes of this tree can be resumed") && noted.contains("another base, specification"),
        "{noted}"
    );
    assert_eq!(world.calls(), 2);
    // The newest one began otherwise.
    let (output, result) = world.fix(&first);
    assert_eq!((output.status.code(), world.calls(), &result["outcome"]), (Some(0), 2, &"accept".into()));
    let (_, listed) = world.fix(&["--resume"]);
    let listed = listed["open"].as_array().expect("a list").clone();
    let asked: Vec<&str> = listed.iter().filter_map(|fix| fix["specification"].as_str()).collect();
    assert_eq!(asked, ["Mend it.", ""], "{listed:?}");
    assert!(listed.iter().all(|fix| fix["of_this_tree"] == true), "{listed:?}");
    let id = listed[0]["id"].as_str().expect("an id").to_owned();
    for form in ["human", "markdown"] {
        let (_, shown) = world.shown(form, &["fix", "--resume"]);
        assert!(shown.contains(&id) && shown.contains("Mend it.") && shown.contains("this tree"), "{shown}");
    }
    // It has its specification on record.
    let (output, result) = world.fix(&["--yes", "--resume", &id]);
    assert_eq!(
        (output.status.code(), world.calls(), &result["fix"]["written"]),
        (Some(0), 2, &true.into()),
        "{output:?}"
    );
    let (output, _) = world.fix(&["--resume", &id]);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && complaint.contains("no fix with this id"), "{complaint}");
    let rest = listed[1]["id"].as_str().expect("an id");
    let (output, _) = world.fix(&["--resume", rest]);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && complaint.contains("began with another tree"), "{complaint}");
}

#[test]
fn a_base_that_is_not_there_is_answered_with_what_is() {
    let world = FixFixture::with_program(MENDS);
    world.repo.git(&["branch", "trunk"]);
    for (base, words) in [("trnk", "there is `trunk`"), ("trunk~9", "there is `trunk`"), ("nope", "it is no branch")] {
        for command in [&["fix"][..], &["review"], &["stop", "--directive", "Mend it."]] {
            let output = world.command(&[command, &["--base", base]].concat()).output().expect("the program runs");
            let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.code() == Some(2) && complaint.contains(words), "{command:?} {base}: {complaint}");
            assert!(!complaint.contains("shallow"), "{complaint}");
        }
    }
    world.repo.write_git("shallow", &world.repo.head());
    let output = world.command(&["fix", "--base", "nope"]).output().expect("the program runs");
    assert!(String::from_utf8_lossy(&output.stderr).contains("shallow clone"), "{output:?}");
}

#[test]
fn one_fix_is_at_work_at_a_time() {
    let world = FixFixture::with_program("touch \"$HERE/slow\"");
    fs::write(world.beside("slow"), "").expect("written");
    let mut first = world.command(&["fix", "--yes"]).process_group(0).spawn().expect("the program runs");
    let lock = world.repo.path().join(".assize/fix.lock");
    let begin = Instant::now();
    while !lock.exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "nothing is locked");
        std::thread::sleep(Duration::from_millis(10));
    }
    let is_locked = || fs::File::open(&lock).expect("there").try_lock().is_err();
    while !is_locked() {
        assert!(begin.elapsed() < Duration::from_secs(60), "nothing is locked");
        std::thread::sleep(Duration::from_millis(10));
    }
    let (output, _) = world.fix(&["--yes"]);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && complaint.contains("is at work"), "{complaint}");
    first.kill().expect("killed");
    first.wait().expect("ended");
}

#[test]
fn settings_in_a_folder_of_a_repository_hold_for_that_repository() {
    let world = FixFixture::with_program(MENDS);
    world.repo.write("service/assize.toml", "");
    let (output, _) = world.fix(&["--yes", "-C", "service"]);
    assert_eq!((output.status.code(), world.text()), (Some(0), "one\ntwo\nthree\n".to_owned()), "{output:?}");
}

#[test]
fn a_fix_that_was_killed_goes_on_and_pays_for_nothing_twice() {
    let world = FixFixture::with_program(&format!("{MENDS}; touch \"$HERE/slow\""));
    let mut command = world.command(&["fix", "--yes", "--format", "json"]);
    let mut child = command.process_group(0).spawn().expect("the program runs");
    let begin = Instant::now();
    while !world.beside("slow").exists() {
        assert!(begin.elapsed() < Duration::from_secs(60), "the fixer was not called");
        std::thread::sleep(Duration::from_millis(10));
    }
    // The answer is on record as soon as the next judging has begun, which now waits.
    let recorded = || {
        let shown = world.command(&["ledger", "show", "--format", "human"]).output().expect("the ledger");
        String::from_utf8_lossy(&shown.stdout).contains("patch  1 operations")
    };
    while !recorded() {
        assert!(begin.elapsed() < Duration::from_secs(60), "the answer was not recorded");
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
    fs::remove_file(world.beside("slow")).expect("removed");
    assert_eq!((world.text(), world.calls()), (CHANGED.to_owned(), 1));
    fs::write(world.beside("fixer.sh"), "echo 'nobody asks again' >&2; exit 9\n").expect("written");
    let (output, result) = world.fix(&["--yes"]);
    assert_eq!((output.status.code(), &result["outcome"]), (Some(0), &"accept".into()), "{output:?}");
    assert_eq!((world.text(), world.calls()), ("one\ntwo\nthree\n".to_owned(), 1));
}

#[test]
fn a_model_answers_with_a_patch_and_is_not_its_only_judge() {
    let model = "id = \"m\"\nkind = \"command\"\nargv = [\"sh\", \"FIXER\"]\n";
    let world = FixFixture::new(&format!("[fixer.model]\n{model}price_usd_per_call = 0.25\n"), PRINTS);
    let (output, result) = world.fix(&["--yes"]);
    assert_eq!((output.status.code(), &result["fix"]["cost_usd"]), (Some(0), &0.25.into()), "{output:?} {result}");
    let world = FixFixture::new(&format!("[fixer.model]\n{model}[[judge]]\n{model}"), PRINTS);
    let (output, _) = world.fix(&["--yes"]);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && complaint.contains("its own patches alone"), "{complaint}");
}

#[test]
fn limits_and_settings_that_make_no_sense_are_refused() {
    let both = "[fixer.command]\nargv = [\"a\"]\n[fixer.model]\nid = \"m\"\nkind = \"command\"\nargv = [\"a\"]\n";
    for (settings, arguments, words) in [
        (both, &[][..], "one of them fixes"),
        ("[fixer.command]\nargv = []\n", &[], "names no program"),
        ("[fixer.command]\nargv = [\"a\"]\ntime_s = 0\n", &[], "time_s is 0"),
        ("[fix]\nrounds_max = 101\n", &[], "more than 100"),
        ("[fix]\nround = 1\n", &[], "round"),
        ("", &["--time", "0"], "time_s_max is 0"),
        ("", &["--max-cost", "-1"], "-1"),
        ("", &["--spec", "gone.md"], "gone.md"),
        ("", &["--base", "gone"], "gone"),
    ] {
        let world = FixFixture::new(settings, "true");
        let (output, _) = world.fix(arguments);
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(2) && complaint.contains(words), "{settings} {arguments:?}: {complaint}");
    }
}
