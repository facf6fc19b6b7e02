//! A GitHub issue, through the `gh` program.
//!
//! `gh` holds the login and knows to which repository a folder belongs, so that no token is stored here. GitHub
//! replaces the body of an issue as a whole, and the last writer wins. A write whose response is lost may have
//! happened. So each attempt begins by reading the current state. This module must not know what boxes, labels and
//! comments mean.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use assize_core::text::make_visible;
use assize_market::checklist::{BoxName, ChecklistError};
use serde::Deserialize;
use tempfile::NamedTempFile;

use super::{
    BoxTicking, EDITS_MAX, Issue, RetryPolicy, SourceError, SpecificationSource, TickAction, TickReport, check_labels,
    label_changes,
};
use crate::process::{ProcessLimits, ProcessResult, run};

/// The most bytes of output of `gh` that are read.
pub const OUTPUT_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The default for the longest time of one call of `gh`.
pub const DEADLINE_DEFAULT: Duration = Duration::from_secs(60);
/// The most bytes of standard error of `gh` that are read.
const COMPLAINT_BYTES_MAX: usize = 64 * 1024;
/// The program.
const PROGRAM: &str = "gh";
/// Disables prompts, colours and update notices.
const ENVIRONMENT: [(&str, &str); 3] = [("GH_PROMPT_DISABLED", "1"), ("NO_COLOR", "1"), ("GH_NO_UPDATE_NOTIFIER", "1")];
/// Variables that would make it print more.
const ENVIRONMENT_REMOVED: [&str; 4] = ["GH_FORCE_TTY", "CLICOLOR_FORCE", "GH_DEBUG", "DEBUG"];
/// The status with which it reports a missing login.
const NOT_LOGGED_IN: i32 = 4;
/// Its messages about temporary failures, in lower case.
const PASSING: [&str; 18] = [
    "rate limit",
    "was submitted too quickly",
    "abuse detection",
    "http 429",
    "http 500",
    "http 502",
    "http 503",
    "http 504",
    "something went wrong while executing your query",
    "error connecting to",
    "i/o timeout",
    "tls handshake timeout",
    "client.timeout exceeded",
    "context deadline exceeded",
    "connection reset",
    "connection refused",
    "unexpected eof",
    "\": eof",
];
/// The description of a label that is created.
const LABEL_DESCRIPTION: &str = "Set by Assize";
/// The colour of such a label.
const LABEL_COLOR: &str = "D93F0B";

/// A GitHub issue of the repository to which a folder belongs.
#[derive(Debug, Clone)]
pub struct GithubIssue {
    number: u64,
    folder: PathBuf,
    /// The search path for `gh`.
    search_path: Option<String>,
    patience: RetryPolicy,
    deadline: Duration,
}

/// Why an attempt failed.
#[derive(Debug)]
enum GhFailure {
    /// A temporary failure, described by this text. What was to be written may have been written.
    Passing(String),
    /// A permanent failure.
    Lasting(SourceError),
}

impl From<SourceError> for GhFailure {
    fn from(error: SourceError) -> Self {
        Self::Lasting(error)
    }
}

impl From<ChecklistError> for GhFailure {
    fn from(error: ChecklistError) -> Self {
        Self::Lasting(error.into())
    }
}

impl GhFailure {
    /// Returns whether the failure says that the repository does not have a label.
    fn is_missing(&self, label: &str) -> bool {
        self.contains(&format!("'{label}' not found"))
    }

    fn contains(&self, words: &str) -> bool {
        matches!(self, Self::Lasting(SourceError::Failed { complaint, .. }) if complaint.contains(words))
    }
}

impl GithubIssue {
    /// Makes a source from an issue. `gh` is found on `search_path`, runs in `folder`, and has `deadline` as the limit
    /// of each call.
    pub fn new(
        number: u64,
        folder: &Path,
        search_path: Option<String>,
        patience: RetryPolicy,
        deadline: Duration,
    ) -> Self {
        Self { number, folder: folder.to_owned(), search_path, patience, deadline }
    }

    /// Repeats an attempt while its failures are temporary. An attempt that writes must first check the current state,
    /// because an earlier attempt may have succeeded.
    fn patiently<T>(&self, mut attempt: impl FnMut() -> Result<T, GhFailure>) -> Result<T, SourceError> {
        let mut tries = 0;
        loop {
            tries += 1;
            match attempt() {
                Ok(done) => return Ok(done),
                Err(GhFailure::Lasting(error)) => return Err(error),
                Err(GhFailure::Passing(last)) if tries >= self.patience.tries => {
                    return Err(SourceError::Busy { name: self.name(), tries, last });
                }
                Err(GhFailure::Passing(_)) => thread::sleep(self.patience.wait(tries)),
            }
        }
    }

    /// Calls `gh` once.
    fn call(&self, arguments: &[&str]) -> Result<String, GhFailure> {
        let mut command = Command::new(PROGRAM);
        command.args(arguments).current_dir(&self.folder).envs(ENVIRONMENT);
        for variable in ENVIRONMENT_REMOVED {
            command.env_remove(variable);
        }
        if let Some(path) = &self.search_path {
            command.env("PATH", path);
        }
        let limits = ProcessLimits {
            time: self.deadline,
            stdout_bytes_max: OUTPUT_BYTES_MAX,
            stderr_bytes_max: COMPLAINT_BYTES_MAX,
        };
        let finished = run(command, b"", &limits).map_err(|error| self.not_started(error))?;
        self.check_end(arguments, &finished)?;
        if finished.stdout_cut {
            return Err(self.unreadable(format!("`gh` printed more than {OUTPUT_BYTES_MAX} bytes")).into());
        }
        String::from_utf8(finished.stdout)
            .map_err(|_| self.unreadable("what `gh` printed is no UTF-8".to_owned()).into())
    }

    fn not_started(&self, error: io::Error) -> SourceError {
        match error.kind() {
            // A missing working folder causes the same error.
            io::ErrorKind::NotFound if self.folder.is_dir() => SourceError::NotThere(self.name()),
            io::ErrorKind::NotFound => SourceError::Io { path: self.folder.clone(), error },
            _ => SourceError::Io { path: PROGRAM.into(), error },
        }
    }

    fn unreadable(&self, what: String) -> SourceError {
        SourceError::Unreadable { name: self.name(), what }
    }

    /// Checks how a call ended.
    fn check_end(&self, arguments: &[&str], finished: &ProcessResult) -> Result<(), GhFailure> {
        let Some(status) = finished.status else {
            return Err(GhFailure::Passing(format!("`gh` took longer than {:?}", self.deadline)));
        };
        if status.success() {
            return Ok(());
        }
        let words = String::from_utf8_lossy(&finished.stderr).to_lowercase();
        let complaint = || make_visible(&finished.complaint()).replace('\n', " ");
        if words.contains("could not resolve to an issue") {
            return Err(SourceError::NoIssue(self.name()).into());
        }
        if status.code() == Some(NOT_LOGGED_IN) || words.contains("gh auth login") || words.contains("http 401") {
            return Err(SourceError::NotLoggedIn(self.name()).into());
        }
        if PASSING.iter().any(|sign| words.contains(sign)) {
            return Err(GhFailure::Passing(complaint()));
        }
        let (name, call, status) = (self.name(), arguments.join(" "), status.to_string());
        Err(SourceError::Failed { name, call, status, complaint: complaint() }.into())
    }

    fn view(&self) -> Result<Issue, GhFailure> {
        let json = self.call(&["issue", "view", &self.number.to_string(), "--json", "body,title,labels,state"])?;
        issue_of(&json).map_err(|what| self.unreadable(what).into())
    }

    fn write_body(&self, body: &str) -> Result<(), GhFailure> {
        self.say("edit", body)
    }

    /// Passes a text as a complete file, so that a signal cannot truncate it.
    fn say(&self, what: &str, text: &str) -> Result<(), GhFailure> {
        let write = || {
            let file = NamedTempFile::new()?;
            fs::write(file.path(), text)?;
            Ok(file)
        };
        let file = write().map_err(|error| SourceError::Io { path: std::env::temp_dir(), error })?;
        let path = file.path().to_string_lossy();
        self.call(&["issue", what, &self.number.to_string(), "--body-file", &path]).map(drop)
    }

    /// Returns whether a comment contains the marker.
    fn has_comment(&self, marker: &str) -> Result<bool, GhFailure> {
        let json = self.call(&["issue", "view", &self.number.to_string(), "--json", "comments"])?;
        let comments = comments_of(&json).map_err(|what| self.unreadable(what))?;
        Ok(comments.iter().any(|comment| comment.contains(marker)))
    }

    /// Edits labels, and creates those that the repository does not have.
    fn edit_labels(&self, add: &[&str], remove: &[&str]) -> Result<(), GhFailure> {
        let (number, added, removed) = (self.number.to_string(), add.join(","), remove.join(","));
        let mut arguments = vec!["issue", "edit", &number];
        for (option, labels) in [("--add-label", &added), ("--remove-label", &removed)] {
            if !labels.is_empty() {
                arguments.extend([option, labels.as_str()]);
            }
        }
        // `gh` reports one missing label at a time.
        let mut unmade = add.to_vec();
        loop {
            let Err(trouble) = self.call(&arguments) else { return Ok(()) };
            let Some(at) = unmade.iter().position(|label| trouble.is_missing(label)) else { return Err(trouble) };
            self.make_label(unmade.swap_remove(at))?;
        }
    }

    fn make_label(&self, label: &str) -> Result<(), GhFailure> {
        let options = ["--description", LABEL_DESCRIPTION, "--color", LABEL_COLOR];
        match self.call(&[&["label", "create", label][..], &options[..]].concat()) {
            // Another person created it in the meantime, or the response to an earlier attempt was lost.
            Err(trouble) if trouble.contains("already exists") => Ok(()),
            outcome => outcome.map(drop),
        }
    }
}

impl SpecificationSource for GithubIssue {
    fn name(&self) -> String {
        format!("issue {}", self.number)
    }

    fn number(&self) -> Option<u64> {
        Some(self.number)
    }

    fn place(&self) -> Option<&Path> {
        None
    }

    fn read(&self) -> Result<Issue, SourceError> {
        self.patiently(|| self.view())
    }

    /// Ticks boxes and changes nothing else. GitHub keeps the last write: an edit by others between the read and the
    /// write is lost, so the write follows the read at once.
    fn tick(&self, boxes: &[BoxName]) -> Result<TickReport, SourceError> {
        let mut ticking = BoxTicking::new(boxes);
        for edits in 0..EDITS_MAX {
            if edits > 0 {
                thread::sleep(self.patience.wait(edits));
            }
            let stands = self.patiently(|| match ticking.look(&self.view()?.body)? {
                TickAction::Stands(ticked) => Ok(Some(ticked)),
                TickAction::Write(body) => self.write_body(&body).map(|()| None),
            })?;
            if let Some(ticked) = stands {
                return Ok(ticked);
            }
            // Other differences from the written text are edits by others, or white space at the end.
            if let TickAction::Stands(ticked) = ticking.look(&self.read()?.body)? {
                return Ok(ticked);
            }
        }
        Err(SourceError::Contended { name: self.name(), edits: EDITS_MAX })
    }

    fn label(&self, add: &[&str], remove: &[&str]) -> Result<(), SourceError> {
        check_labels(add)?;
        check_labels(remove)?;
        self.patiently(|| {
            let current = self.view()?.labels;
            match label_changes(&current, add, remove) {
                (missing, leaving) if missing.is_empty() && leaving.is_empty() => Ok(()),
                (missing, leaving) => self.edit_labels(&missing, &leaving),
            }
        })
    }

    fn comment(&self, marker: &str, text: &str) -> Result<bool, SourceError> {
        let comment = format!("{}\n\n{marker}\n", text.trim());
        let mut sent = false;
        self.patiently(|| {
            if self.has_comment(marker)? {
                return Ok(sent);
            }
            sent = true;
            self.say("comment", &comment).map(|()| true)
        })
    }
}

/// Parses the output of `gh issue view --json body,title,labels,state`.
///
/// # Errors
///
/// Says what is wrong with it.
pub fn issue_of(json: &str) -> Result<Issue, String> {
    #[derive(Deserialize)]
    struct IssueJson {
        title: String,
        body: String,
        labels: Vec<Label>,
        state: String,
    }
    #[derive(Deserialize)]
    struct Label {
        name: String,
    }
    let IssueJson { title, body, labels, state } =
        serde_json::from_str(json).map_err(|error| format!("what `gh` printed is no issue: {error}"))?;
    let is_open = match state.as_str() {
        "OPEN" => true,
        "CLOSED" => false,
        _ => return Err("what `gh` printed is no issue: its state is neither OPEN nor CLOSED".to_owned()),
    };
    Ok(Issue { title, body, labels: labels.into_iter().map(|label| label.name).collect(), is_open })
}

/// Parses the output of `gh issue view --json comments`.
fn comments_of(json: &str) -> Result<Vec<String>, String> {
    #[derive(Deserialize)]
    struct CommentsJson {
        comments: Vec<Comment>,
    }
    #[derive(Deserialize)]
    struct Comment {
        body: String,
    }
    let printed: CommentsJson =
        serde_json::from_str(json).map_err(|error| format!("what `gh` printed is no list of comments: {error}"))?;
    Ok(printed.comments.into_iter().map(|comment| comment.body).collect())
}

#[cfg(test)]
mod tests {

    use tempfile::TempDir;

    use super::*;

    const MARKER: &str = "<!-- assize: 01J/failure -->";
    const VIEW: &str = "issue view 12 --json body,title,labels,state";
    const COMMENTS: &str = "issue view 12 --json comments";
    const EDIT: &str = "issue edit 12 --body-file -";
    const COMMENT: &str = "issue comment 12 --body-file -";

    /// A fake GitHub with one issue, number 12. Its state is in files beside it. Unexpected calls end with status 64.
    ///
    /// `fail-next` contains the beginning of the calls that fail, whether they fail `before` or `after` they are
    /// carried out, a status or `hang`, how many times, and the message. `on-edit` is another person who edits after
    /// each edit of the body. `raw` is printed instead of the issue.
    const SCRIPT: &str = r#"#!/bin/sh
here=${0%/*}
# A text comes in a file of its own, whatever that is called.
case "$4" in --body-file) exec < "$5"; set -- "$1" "$2" "$3" "$4" - ;; esac
call="$*"
printf '%s\n' "$call" >> "$here/calls"
pwd -P >> "$here/folders"

refuse() {
    printf 'unexpected: %s\n' "$1" >&2
    exit 64
}

complain() {
    printf '%s\n' "$1" >&2
    exit 1
}

fault() {
    test -f "$here/fail-next" || return 0
    { read -r begins; read -r when; read -r code; read -r often; said=$(cat); } < "$here/fail-next"
    case "$call" in "$begins"*) ;; *) return 0 ;; esac
    test "$when" = "$1" || return 0
    if test "$often" = 1; then
        rm "$here/fail-next"
    else
        printf '%s\n' "$begins" "$when" "$code" $((often - 1)) "$said" > "$here/fail-next"
    fi
    if test "$code" = hang; then exec sleep 30; fi
    printf '%s\n' "$said" >&2
    exit "$code"
}

quoted() {
    printf '"'
    awk 'BEGIN { RS = "\001" } {
        for (at = 1; at <= length($0); at++) {
            c = substr($0, at, 1)
            if (c == "\\" || c == "\"") c = "\\" c
            else if (c == "\n") c = "\\n"
            else if (c == "\r") c = "\\r"
            else if (c == "\t") c = "\\t"
            printf "%s", c
        }
    }' "$1"
    printf '"'
}

# Which labels of a list, one a line.
each() { printf '%s\n' "$1" | tr ',' '\n'; }

test "$GH_PROMPT_DISABLED$NO_COLOR$GH_NO_UPDATE_NOTIFIER" = 111 || refuse 'environment'
fault before
case "$call" in
'issue view 12 --json body,title,labels,state')
    if test -f "$here/raw"; then
        cat "$here/raw"
    else
        printf '{"body":'
        quoted "$here/body"
        printf ',"labels":['
        awk '{ printf "%s{\"id\":\"L%d\",\"name\":\"%s\"}", comma, NR, $0; comma = "," }' "$here/labels"
        printf '],"state":"%s","title":' "$(cat "$here/state")"
        quoted "$here/title"
        printf '}\n'
    fi
    ;;
'issue view 12 --json comments')
    printf '{"comments":['
    comma=
    for file in "$here"/comments/*; do
        test -f "$file" || continue
        printf '%s{"author":{"login":"someone"},"body":' "$comma"
        quoted "$file"
        printf '}'
        comma=,
    done
    printf ']}\n'
    ;;
'issue view '*)
    complain "GraphQL: Could not resolve to an issue or pull request with the number of $3. (repository.issue)"
    ;;
'issue edit 12 --body-file -')
    cat > "$here/draft" && mv "$here/draft" "$here/body"
    if test -f "$here/on-edit"; then sh "$here/on-edit" "$here"; fi
    ;;
'issue comment 12 --body-file -')
    count=$(ls "$here/comments" | wc -l)
    cat > "$here/comments/$((count + 1))"
    ;;
'issue edit 12 --add-label '* | 'issue edit 12 --remove-label '*)
    shift 3
    added= removed=
    if test "$1" = --add-label; then added=$2; shift 2; fi
    if test "$1" = --remove-label; then removed=$2; shift 2; fi
    test $# = 0 || refuse "$call"
    each "$added" | while read -r label; do
        test -z "$label" || grep -qxF "$label" "$here/known" || complain "'$label' not found"
    done || exit 1
    { cat "$here/labels"; each "$added"; } | grep . > "$here/draft"
    each "$removed" | grep . > "$here/leaving"
    grep -vxF -f "$here/leaving" "$here/draft" > "$here/labels"
    ;;
'label create '*)
    test $# = 7 && test "$4$6" = --description--color && test -n "$5" || refuse "$call"
    printf '%s' "$7" | grep -qE '^[0-9A-F]{6}$' || refuse "$call"
    if grep -qxF "$3" "$here/known"; then
        complain "label with name \"$3\" already exists; use \`--force\` to update its color and description"
    fi
    printf '%s\n' "$3" >> "$here/known"
    ;;
*)
    refuse "$call"
    ;;
esac
fault after
exit 0
"#;

    struct FakeGh(TempDir);

    impl FakeGh {
        fn new(body: &str) -> Self {
            let hub = Self(tempfile::tempdir().expect("a folder"));
            for folder in ["comments", "project"] {
                fs::create_dir(hub.0.path().join(folder)).expect("made");
            }
            let files = [("body", body), ("title", "A title"), ("labels", ""), ("known", "bug\n"), ("state", "OPEN")];
            for (name, text) in files {
                hub.write(name, text);
            }
            hub.write("script", SCRIPT);
            // Another process writes it: a program that is open for writing cannot be started, and programs that other
            // tests start at that moment would inherit the open file.
            let installed = Command::new("install")
                .args(["-m", "755"])
                .args(["script", "gh"].map(|name| hub.0.path().join(name)))
                .status()
                .expect("installed");
            assert!(installed.success());
            hub
        }

        fn write(&self, name: &str, text: &str) {
            fs::write(self.0.path().join(name), text).expect("written");
        }

        fn text(&self, name: &str) -> String {
            fs::read_to_string(self.0.path().join(name)).unwrap_or_default()
        }

        fn fails(&self, begins: &str, when: &str, code: &str, often: u32, expected_message: &str) {
            self.write("fail-next", &format!("{begins}\n{when}\n{code}\n{often}\n{expected_message}\n"));
        }

        /// Returns the calls since the last time.
        fn calls(&self) -> Vec<String> {
            let calls = self.text("calls").lines().map(str::to_owned).collect();
            self.write("calls", "");
            calls
        }

        fn comments(&self) -> usize {
            fs::read_dir(self.0.path().join("comments")).expect("a folder").count()
        }

        fn source_of(&self, number: u64, deadline: Duration) -> GithubIssue {
            let system = std::env::var("PATH").expect("a search path");
            let path = format!("{}:{system}", self.0.path().display());
            let patience =
                RetryPolicy { tries: 3, first_wait: Duration::from_millis(1), wait_max: Duration::from_millis(4) };
            GithubIssue::new(number, &self.0.path().join("project"), Some(path), patience, deadline)
        }

        fn source(&self) -> GithubIssue {
            self.source_of(12, Duration::from_secs(20))
        }

        /// Returns a source with a short deadline, for calls that hang.
        fn hasty(&self) -> GithubIssue {
            self.source_of(12, Duration::from_secs(2))
        }
    }

    fn named(text: &str) -> BoxName {
        BoxName { text: text.to_owned(), nth: 0 }
    }

    fn ticked(texts: &[&str]) -> TickReport {
        TickReport { ticked: texts.iter().copied().map(named).collect(), ..TickReport::default() }
    }

    #[test]
    fn an_issue_is_read() {
        let body = "# \"Quoted\" \\ größer\r\n\n\t- [ ] one\r\n- [x] two";
        let hub = FakeGh::new(body);
        hub.write("labels", "bug\nhelp wanted\n");
        let issue = hub.source().read().expect("readable");
        let labels = ["bug", "help wanted"].map(str::to_owned).to_vec();
        assert_eq!(issue, Issue { title: "A title".to_owned(), body: body.to_owned(), labels, is_open: true });
        hub.write("state", "CLOSED");
        assert!(!hub.source().read().expect("readable").is_open);
        assert_eq!(hub.calls(), [VIEW, VIEW]);
        assert_eq!((hub.source().name().as_str(), hub.source().number()), ("issue 12", Some(12)));
        let project = hub.0.path().join("project").canonicalize().expect("a folder");
        assert_eq!(hub.text("folders").lines().next().map(Path::new), Some(project.as_path()));
    }

    #[test]
    fn what_is_no_issue_is_refused() {
        let good = r#"{"title":"t","body":"","labels":[{"name":"a","color":"fff"}],"state":"OPEN","more":1}"#;
        assert_eq!(issue_of(good).map(|issue| issue.labels), Ok(vec!["a".to_owned()]));
        let bad = [
            good.replace("OPEN", "MERGED"),
            good.replace("\"title\"", "\"name\""),
            good.replace("\"body\":\"\"", "\"body\":null"),
            good.replace("[{", "{").replace("}]", "}"),
            good.replace(r#"{"name":"a","color":"fff"}"#, "\"a\""),
            good[..good.len() - 1].to_owned(),
            format!("{good}{good}"),
            "[]".to_owned(),
            String::new(),
        ];
        for json in bad {
            let error = issue_of(&json).expect_err(&json);
            assert!(error.contains("is no issue"), "{json}: {error}");
        }
        for json in ["", "{}", r#"{"comments":["a"]}"#, r#"{"comments":null}"#] {
            assert!(comments_of(json).is_err(), "{json}");
        }
        let hub = FakeGh::new("");
        hub.write("raw", "no JSON");
        let error = hub.source().read().expect_err("unreadable").to_string();
        assert!(error.starts_with("issue 12 cannot be read since what `gh` printed is no issue"), "{error}");
        assert_eq!(hub.calls(), [VIEW]);
    }

    #[test]
    fn ticking_keeps_every_other_byte() {
        let body = "# T\r\n- [ ] one\r\n* [ ] two \n- [x] three\n\ttrailing  \r\nno end";
        let hub = FakeGh::new(body);
        let boxes = ["two", "one", "gone", "one"].map(named);
        let done = hub.source().tick(&boxes).expect("ticked");
        assert_eq!(done, TickReport { gone: vec![named("gone")], ..ticked(&["one", "two"]) });
        assert_eq!(hub.text("body"), body.replace("[ ]", "[x]"));
        assert_eq!(hub.calls(), [VIEW, EDIT, VIEW]);
        let again = hub.source().tick(&boxes).expect("ticked");
        assert_eq!((again.ticked, again.already), (vec![], ["one", "two"].map(named).into()));
        assert_eq!(hub.calls(), [VIEW], "nothing is written");
    }

    #[test]
    fn what_github_does_to_the_end_of_a_body_is_no_edit() {
        let hub = FakeGh::new("- [ ] one\n\n");
        hub.write("on-edit", "printf '%s' \"$(cat \"$1/body\")\" > \"$1/draft\" && mv \"$1/draft\" \"$1/body\"\n");
        assert_eq!(hub.source().tick(&[named("one")]).expect("ticked"), ticked(&["one"]));
        assert_eq!((hub.text("body").as_str(), hub.calls().len()), ("- [x] one", 3));
    }

    #[test]
    fn ticks_are_made_again_where_others_edit() {
        // Another person saves an open copy: at the limit and one past it.
        for (times, stands) in [(0, true), (1, true), (EDITS_MAX - 1, true), (EDITS_MAX, false)] {
            let hub = FakeGh::new("- [ ] one\n");
            let theirs = format!(
                "count=$(cat \"$1/count\" 2>/dev/null || echo 0)\ntest \"$count\" -lt {times} || exit 0\n\
                 echo $((count + 1)) > \"$1/count\"\nprintf -- '- [ ] one\\n- [ ] theirs\\n' > \"$1/body\"\n"
            );
            hub.write("on-edit", &theirs);
            let outcome = hub.source().tick(&[named("one")]);
            let edits = hub.calls().iter().filter(|call| *call == EDIT).count();
            assert_eq!(edits, (times + 1).min(EDITS_MAX) as usize);
            match outcome {
                Ok(done) => assert!(stands && done == ticked(&["one"]), "{times}: {done:?}"),
                Err(error) => assert!(!stands && matches!(error, SourceError::Contended { .. }), "{times}: {error}"),
            }
            assert_eq!(hub.text("body").contains("theirs"), times > 0);
        }
        // If the ticks are still set, edits by others are not touched.
        let hub = FakeGh::new("- [ ] one\n- [ ] two\n");
        hub.write("on-edit", "printf -- '- [x] one\\n\\nmore\\n' > \"$1/body\"\n");
        let done = hub.source().tick(&["one", "two"].map(named)).expect("ticked");
        assert_eq!(done, TickReport { gone: vec![named("two")], ..ticked(&["one"]) });
        assert_eq!((hub.text("body").as_str(), hub.calls().len()), ("- [x] one\n\nmore\n", 3));
    }

    #[test]
    fn the_body_is_read_anew_before_an_edit_is_tried_again() {
        for (when, code, calls) in [
            ("before", "1", &[VIEW, EDIT, VIEW, EDIT, VIEW][..]),
            ("before", "hang", &[VIEW, EDIT, VIEW, EDIT, VIEW]),
            ("after", "1", &[VIEW, EDIT, VIEW]),
            ("after", "hang", &[VIEW, EDIT, VIEW]),
        ] {
            let hub = FakeGh::new("- [ ] one\n");
            hub.fails(EDIT, when, code, 1, "read tcp 10.0.0.1:443: connection reset by peer");
            assert_eq!(hub.hasty().tick(&[named("one")]).expect("ticked"), ticked(&["one"]), "{when} {code}");
            assert_eq!(hub.calls(), calls, "{when} {code}");
            assert_eq!(hub.text("body"), "- [x] one\n");
        }
    }

    #[test]
    fn a_comment_is_posted_once() {
        let hub = FakeGh::new("");
        assert!(hub.source().comment(MARKER, "It \"failed\".\n\nTwice.\n").expect("said"));
        assert_eq!(hub.text("comments/1"), format!("It \"failed\".\n\nTwice.\n\n{MARKER}\n"));
        assert_eq!(hub.calls(), [COMMENTS, COMMENT]);
        assert!(!hub.source().comment(MARKER, "It failed again.").expect("said before"));
        assert_eq!(hub.calls(), [COMMENTS]);
        assert!(hub.source().comment("<!-- other -->", "More.").expect("said"));
        assert_eq!(hub.comments(), 2);
    }

    #[test]
    fn a_comment_with_a_lost_answer_is_posted_once() {
        for (when, code, calls) in [
            ("before", "1", &[COMMENTS, COMMENT, COMMENTS, COMMENT][..]),
            ("before", "hang", &[COMMENTS, COMMENT, COMMENTS, COMMENT]),
            ("after", "1", &[COMMENTS, COMMENT, COMMENTS]),
            ("after", "hang", &[COMMENTS, COMMENT, COMMENTS]),
        ] {
            let hub = FakeGh::new("");
            hub.fails(COMMENT, when, code, 1, "HTTP 502: Bad Gateway (https://api.github.com/graphql)");
            assert!(hub.hasty().comment(MARKER, "It failed.").expect("said"), "{when} {code}");
            assert_eq!(hub.calls(), calls, "{when} {code}");
            assert_eq!(hub.comments(), 1);
        }
    }

    #[test]
    fn passing_trouble_is_tried_again() {
        let hub = FakeGh::new("- [ ] one\n");
        for expected_message in [
            "HTTP 403: API rate limit exceeded for user ID 1. (https://api.github.com/graphql)",
            "GraphQL: API rate limit exceeded for user ID 1.",
            "HTTP 403: You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
            "GraphQL: was submitted too quickly (addComment)",
            "HTTP 429: Too Many Requests",
            "HTTP 502: Bad Gateway",
            "error connecting to api.github.com\ncheck your internet connection or https://githubstatus.com",
            "dial tcp 140.82.121.6:443: i/o timeout",
            "read: connection reset by peer",
            "Post \"https://api.github.com/graphql\": EOF",
        ] {
            hub.fails("", "before", "1", 2, expected_message);
            assert!(hub.source().read().is_ok(), "{expected_message}");
            assert_eq!(hub.calls().len(), 3, "{expected_message}");
            hub.fails("", "before", "1", 3, expected_message);
            let Err(SourceError::Busy { tries: 3, last, .. }) = hub.source().read() else {
                panic!("{expected_message}")
            };
            assert_eq!((last, hub.calls().len()), (expected_message.replace('\n', " "), 3));
        }
        hub.fails("", "before", "hang", 1, "");
        assert!(hub.hasty().read().is_ok());
        assert_eq!(hub.calls().len(), 2);
    }

    #[test]
    fn permanent_errors_are_reported_at_once() {
        let hub = FakeGh::new("");
        for (code, expected_message, is_final) in [
            ("4", "To get started with GitHub CLI, please run:  gh auth login", "run `gh auth login`"),
            ("4", "no", "run `gh auth login`"),
            ("1", "HTTP 401: Bad credentials (https://api.github.com/graphql)", "run `gh auth login`"),
            ("1", "HTTP 403: Resource not accessible by integration", "not accessible by integration"),
            ("1", "no git remotes found", "`gh issue view 12 --json body,title,labels,state` failed (exit status: 1)"),
        ] {
            hub.fails("", "before", code, 1, expected_message);
            let error = hub.source().read().expect_err("a failure").to_string();
            assert!(error.starts_with("issue 12 ") && error.contains(is_final), "{error}");
            assert_eq!(hub.calls().len(), 1, "{expected_message}");
        }
        let other = hub.source_of(13, DEADLINE_DEFAULT);
        assert!(matches!(other.read(), Err(SourceError::NoIssue(name)) if name == "issue 13"));
        assert_eq!(hub.calls().len(), 1);
    }

    #[test]
    fn what_is_needed_has_to_be_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().display().to_string();
        let read = |folder: &Path| {
            GithubIssue::new(12, folder, Some(path.clone()), RetryPolicy::default(), DEADLINE_DEFAULT)
                .read()
                .expect_err("absent")
        };
        let error = read(folder.path());
        assert!(matches!(error, SourceError::NotThere(_)) && error.to_string().contains("install it"), "{error}");
        let absent = folder.path().join("absent");
        assert!(matches!(read(&absent), SourceError::Io { path, .. } if path == absent));
    }

    #[test]
    fn correct_labels_are_not_changed() {
        let hub = FakeGh::new("");
        hub.write("known", "bug\nhelp wanted\nold\n");
        hub.write("labels", "bug\nold\n");
        let source = hub.source();
        source.label(&["bug"], &["absent"]).expect("nothing to do");
        assert_eq!(hub.calls(), [VIEW]);
        source.label(&["bug", "help wanted"], &["old", "absent"]).expect("labelled");
        assert_eq!(hub.calls(), [VIEW, "issue edit 12 --add-label help wanted --remove-label old"]);
        assert_eq!(hub.text("labels"), "bug\nhelp wanted\n");
        source.label(&[], &["BUG"]).expect("labelled");
        assert_eq!(hub.calls(), [VIEW, "issue edit 12 --remove-label bug"]);
        assert!(matches!(source.label(&["a,b"], &[]), Err(SourceError::NoLabel(_))));
        assert!(hub.calls().is_empty());
    }

    #[test]
    fn labels_that_the_repository_does_not_have_are_made() {
        let hub = FakeGh::new("");
        let source = hub.source();
        source.label(&["one", "bug", "two"], &[]).expect("labelled");
        assert_eq!(hub.text("labels"), "one\nbug\ntwo\n");
        assert_eq!(hub.text("known"), "bug\none\ntwo\n");
        let edit = "issue edit 12 --add-label one,bug,two";
        let made = |name: &str| format!("label create {name} --description Set by Assize --color D93F0B");
        assert_eq!(hub.calls(), [VIEW, edit, &made("one"), edit, &made("two"), edit]);
        // Another person created it between the two calls.
        hub.write("labels", "");
        hub.fails("issue edit", "before", "1", 1, "failed to update https://github.com/o/r/issues/12: 'two' not found");
        source.label(&["two"], &[]).expect("labelled");
        assert_eq!(hub.text("labels"), "two\n");
        // A label that is not found although it was created is not created again and again.
        hub.write("labels", "");
        hub.fails("issue edit", "before", "1", 9, "'two' not found");
        assert!(matches!(source.label(&["two"], &[]), Err(SourceError::Failed { .. })));
    }

    #[test]
    fn output_has_a_limit() {
        let hub = FakeGh::new("");
        let json = r#"{"title":"t","body":"","labels":[],"state":"OPEN"}"#;
        let padded = |bytes: usize| format!("{json}{}", " ".repeat(bytes - json.len()));
        hub.write("raw", &padded(OUTPUT_BYTES_MAX));
        assert!(hub.source().read().is_ok());
        hub.write("raw", &padded(OUTPUT_BYTES_MAX + 1));
        let error = hub.source().read().expect_err("too much").to_string();
        assert!(error.contains("printed more than 4194304 bytes"), "{error}");
    }
}
