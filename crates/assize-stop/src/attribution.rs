//! Who wrote which line of a change.
//!
//! The work tree is looked at before and after each tool call of an agent that can write. What changed between two looks
//! belongs to the calls that were open then; what changed while none was open belongs to someone else. From the
//! contents of a file at each look follows who added and who removed each of its lines. Only the lines of the session that
//! is judged stay in its change: the others are shown as others'.

mod line_changes;

use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use assize_core::diff::{DiffHunk, DiffLine, DiffLineKind, FileChange, FileStatus};
use assize_core::text::Untrusted;
use serde::{Deserialize, Serialize};

use line_changes::{LineChange, line_changes};

/// So many letters and digits have to be in lines that are recognized wherever they come back.
const TELLING: usize = 16;
/// So many versions of a file are remembered, should it get their contents again.
const PAST_MAX: usize = 32;
/// The most lines that are kept of what went with a return to what was before.
const FORGONE_MAX: usize = 10_000;
/// Lines of context around the lines of a hunk.
const CONTEXT: usize = 3;

/// Stands in a limit between why something is not certain and the paths where it is not.
pub const NOT_CERTAIN: &str = ", and not certain: ";
/// Stands in a limit between whose something is and the paths where it is not judged.
pub const NOT_JUDGED: &str = ", and not judged: ";

/// Whose a change is, as the session that is judged sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Author {
    /// The session's own: a call of its was open, and none of another one.
    Own,
    /// Calls of the session and of another one were open at once.
    Unclear,
    /// Another session's.
    Session,
    /// No call was open: a person's, or that of a program that no session started.
    Person,
    /// Brought by git: the contents were in the repository before.
    Git,
}

impl Author {
    /// Whether the session may have written it.
    pub fn may_be_own(self) -> bool {
        matches!(self, Self::Own | Self::Unclear)
    }

    /// How a person is told of it.
    pub fn as_words(self) -> &'static str {
        match self {
            Self::Own => "changed by this session",
            Self::Unclear => "changed by this session or by another one at the same time",
            Self::Session => "changed by another session",
            Self::Person => "changed by no tool call: by a person or another program",
            Self::Git => "brought by git",
        }
    }
}

/// A file after one of its changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileVersion {
    /// Whose the change is.
    pub author: Author,
    /// The contents; `None` if the file was gone.
    pub text: Option<String>,
    /// Contents whose lines count as brought by git in any case: those of another side of a merge.
    pub brought: Vec<String>,
    /// Whether git moved something: then lines that were there at some time come back as whose they were.
    pub is_of_git: bool,
}

impl FileVersion {
    /// Makes a version of which git brought nothing.
    pub fn new(author: Author, text: Option<&str>) -> Self {
        Self { author, text: text.map(str::to_owned), brought: Vec::new(), is_of_git: false }
    }
}

/// A line that is there, or was.
#[derive(Debug, Clone)]
struct TracedLine {
    text: String,
    /// Who added it, and with which version; `None` for a line of the beginning.
    added: Option<(Author, usize)>,
    /// Which line of the beginning it is, or was before it got other space.
    beginning: Option<usize>,
    /// Who removed it, and with which version, counted from 1; `None` while it is there.
    removed: Option<(Author, usize)>,
}

impl TracedLine {
    fn added_by(&self) -> Option<Author> {
        self.added.map(|(author, _)| author)
    }

    fn removed_by(&self) -> Option<Author> {
        self.removed.map(|(author, _)| author)
    }

    /// Whether two lines were added together, and removed together.
    fn went_with(&self, other: &Self) -> bool {
        (self.added, self.removed) == (other.added, other.removed)
    }
}

/// The history of a file, line by line.
#[derive(Debug, Default)]
pub struct LineHistory {
    lines: Vec<TracedLine>,
    /// Lines that somebody wrote, and that went because the file became what it had been before.
    forgone: Vec<TracedLine>,
    versions: usize,
    /// What it was like with its last versions.
    past: VecDeque<PastVersion>,
    existed: bool,
    exists: bool,
    /// Who created or removed it last.
    last: Option<Author>,
}

/// The history of a file up to one of its versions.
#[derive(Debug)]
struct PastVersion {
    text: String,
    lines: Vec<TracedLine>,
    last: Option<Author>,
}

impl LineHistory {
    /// Begins with the contents when the session began; `None` if there was no file.
    pub fn new(start: Option<&str>) -> Self {
        let traced = |(number, line): (usize, &str)| TracedLine {
            text: line.to_owned(),
            added: None,
            beginning: Some(number),
            removed: None,
        };
        let lines = start.map_or_else(Vec::new, |text| text.lines().enumerate().map(traced).collect());
        let mut history = Self { lines, existed: start.is_some(), exists: start.is_some(), ..Self::default() };
        history.keep(start);
        history
    }

    /// Takes in the next version of the file. Lines that come back where they were removed were never away: one by one for those
    /// of the beginning that their remover brings back, else only as a whole. Other lines at that place may be alike by chance.
    ///
    /// A file that gets contents again that it had before has the authors of then.
    pub fn follow(&mut self, version: &FileVersion) {
        self.versions += 1;
        let past = self.past.iter().rfind(|past| version.text.as_ref() == Some(&past.text));
        if let Some(PastVersion { lines, last, .. }) = past {
            let before = std::mem::replace(&mut self.lines, lines.clone());
            (self.last, self.exists) = (*last, true);
            let went = before.into_iter().filter(|line| line.added.is_some());
            let removed = Some((version.author, self.versions));
            self.forgone.extend(went.map(|line| TracedLine { removed: line.removed.or(removed), ..line }));
            self.forgone.drain(..self.forgone.len().saturating_sub(FORGONE_MAX));
            return;
        }
        let there: Vec<&TracedLine> = self.lines.iter().filter(|line| line.removed.is_none()).collect();
        let is_together = |at: usize| {
            let pair = at.checked_sub(1).and_then(|before| there.get(before)).zip(there.get(at));
            pair.is_some_and(|(one, other)| one.added.is_some() && one.added == other.added)
        };
        let old: Vec<&str> = there.iter().map(|line| line.text.as_str()).collect();
        let new: Vec<&str> = version.text.as_deref().map_or_else(Vec::new, |text| text.lines().collect());
        let changes = line_changes(&old, &new, is_together);
        let arrivals = Arrivals {
            version,
            number: self.versions,
            lines: &new,
            from_git: FromGit::of(version, &new),
            known: if version.is_of_git { self.written() } else { HashMap::new() },
        };
        let mut rest = std::mem::take(&mut self.lines).into_iter().peekable();
        let mut done: Vec<TracedLine> = Vec::new();
        let mut at = 0;
        for LineChange { gone, come } in changes {
            pass(&mut rest, &mut done, gone.start - at, None);
            at = gone.end;
            let first_gone = done.len();
            pass(&mut rest, &mut done, gone.len(), Some((version.author, arrivals.number)));
            // A stash or a checkout takes lines along.
            for line in done[first_gone..].iter_mut().filter(|_| version.is_of_git) {
                if line.removed.is_some_and(|(_, number)| number == arrivals.number) && arrivals.from_git.took(line) {
                    line.removed = Some((Author::Git, arrivals.number));
                }
            }
            let is_there = |line: &TracedLine| line.removed.is_none();
            let start =
                if gone.is_empty() { done.iter().rposition(is_there).map_or(0, |at| at + 1) } else { first_gone };
            let mut away: Vec<TracedLine> = done.drain(start..).collect();
            while let Some(line) = rest.next_if(|line| !is_there(line)) {
                away.push(line);
            }
            let come = arrivals.run(come, &mut away);
            put_among(away, come, &mut done);
        }
        done.extend(rest);
        self.lines = done;
        if self.exists != version.text.is_some() {
            self.exists = version.text.is_some();
            self.last = Some(version.author);
        }
        self.keep(version.text.as_deref());
    }

    /// Keeps what the file is like, should it get the same contents again.
    fn keep(&mut self, text: Option<&str>) {
        let Some(text) = text else { return };
        if self.past.len() == PAST_MAX {
            self.past.pop_front();
        }
        self.past.push_back(PastVersion { text: text.to_owned(), lines: self.lines.clone(), last: self.last });
    }

    /// What was written at once since the beginning, and is away, by its first line.
    fn written(&self) -> HashMap<String, Vec<Vec<TracedLine>>> {
        let mut written: HashMap<String, Vec<Vec<TracedLine>>> = HashMap::new();
        let runs = [&self.forgone, &self.lines].into_iter().flat_map(|lines| lines.chunk_by(TracedLine::went_with));
        for run in runs.filter(|run| run[0].added.is_some() && run[0].removed.is_some()) {
            // A line such as `assert!(true);` may be anyone's.
            let says: usize = run.iter().map(|line| line.text.chars().filter(|it| it.is_alphanumeric()).count()).sum();
            if says >= TELLING {
                written.entry(run[0].text.clone()).or_default().push(run.to_vec());
            }
        }
        written
    }

    /// The file moves to another path by an author: what it had there before is his there, but for what others wrote since the
    /// beginning.
    pub fn arrive_elsewhere(&mut self, author: Author) {
        self.lines.retain(|line| line.removed.is_none());
        self.forgone.clear();
        for line in &mut self.lines {
            if line.added.is_none() || line.beginning.is_some() {
                line.added = Some((author, self.versions));
            }
        }
        self.existed = false;
        self.last = Some(author);
        self.past.clear();
    }

    /// Returns who else changed the file, each once.
    pub fn others(&self) -> Vec<Author> {
        let mut others: Vec<Author> = self
            .lines
            .iter()
            .flat_map(|line| [line.added_by(), line.removed_by()])
            .flatten()
            .filter(|by| *by != Author::Own)
            .collect();
        others.extend(self.last.filter(|author| *author != Author::Own));
        others.sort_unstable();
        others.dedup();
        others
    }

    /// Returns the session's part of a file's change; `None` if it has none.
    pub fn own_part(&self, change: &FileChange) -> Option<FileChange> {
        let is_own = |author: Option<Author>| author.is_some_and(Author::may_be_own);
        let was_there =
            |line: &TracedLine| !is_own(line.added_by()) && (line.removed.is_none() || is_own(line.removed_by()));
        let status = match (self.existed_for_others(), self.exists) {
            (false, false) => return None,
            (false, true) => FileStatus::Added,
            (true, false) if is_own(self.last) => FileStatus::Deleted,
            (true, false) => return None,
            (true, true) if change.status == FileStatus::Added => FileStatus::Modified,
            (true, true) => change.status,
        };
        let lines = self.answered_for().into_iter().filter_map(|line| {
            let kind = match (was_there(line), line.removed.is_none()) {
                (true, true) => DiffLineKind::Context,
                (true, false) => DiffLineKind::Removed,
                (false, true) => DiffLineKind::Added,
                (false, false) => return None,
            };
            Some(DiffLine { kind, text: Untrusted::new(line.text.clone()) })
        });
        let hunks = hunks(&lines.collect::<Vec<_>>());
        let is_changed = !hunks.is_empty() || matches!(status, FileStatus::Added | FileStatus::Deleted);
        let is_certain = !self.others().contains(&Author::Unclear);
        is_changed.then(|| FileChange {
            status,
            old_known: change.old_known && is_certain,
            hunks,
            syntax_errors: Vec::new(),
            ..change.clone()
        })
    }

    /// The lines without those that it is not the session's to answer for, although it may have removed them.
    fn answered_for(&self) -> Vec<&TracedLine> {
        let may_be_own = |author: Option<Author>| author.is_some_and(Author::may_be_own);
        // A line of the beginning that only got other space was removed by the one who removed it then.
        let is_of_others =
            |line: &&TracedLine| line.added.is_some() && line.removed.is_some() && !may_be_own(line.removed_by());
        let removed_by_others: HashSet<usize> =
            self.lines.iter().filter(is_of_others).filter_map(|line| line.beginning).collect();
        let is_written = |line: &&TracedLine| may_be_own(line.added_by()) && line.removed.is_none();
        let written: HashSet<&str> = self.lines.iter().filter(is_written).map(|line| line.text.trim()).collect();
        let is_left_out = |line: &&TracedLine| {
            let is_unclear = line.removed_by() == Some(Author::Unclear);
            match line.added_by() {
                // What the session perhaps took away does not pay for what it wrote.
                None if is_unclear && written.contains(line.text.trim()) => true,
                None => {
                    line.removed.is_some() && line.beginning.is_some_and(|number| removed_by_others.contains(&number))
                }
                // Others may have taken away themselves what they wrote.
                by => is_unclear && !may_be_own(by),
            }
        };
        self.lines.iter().filter(|line| !is_left_out(line)).collect()
    }

    /// Whether the file would be there without the session.
    fn existed_for_others(&self) -> bool {
        let has_lines_of_others = || self.lines.iter().any(|line| line.added_by().is_some_and(|by| !by.may_be_own()));
        match self.last {
            None => self.existed,
            Some(author) if author.may_be_own() => self.existed || (!self.exists && has_lines_of_others()),
            Some(_) => self.exists,
        }
    }
}

/// What git brought to a version.
#[derive(Default)]
struct FromGit<'a> {
    /// Lines of the version that stand in contents that git brought as well.
    lines: HashSet<usize>,
    /// Those that stand there with other space: something formatted them before anybody looked.
    spaced: HashSet<usize>,
    /// The lines of those contents that are the most like it: what they lack, git took along.
    nearest: Option<HashSet<&'a str>>,
}

impl<'a> FromGit<'a> {
    fn of(version: &'a FileVersion, new: &[&str]) -> Self {
        let mut from_git = Self::default();
        let mut most = 0;
        let spaceless = |lines: &[&str]| lines.iter().map(|line| words(line)).collect::<Vec<String>>();
        let new_words = spaceless(new);
        for text in &version.brought {
            let theirs: Vec<&str> = text.lines().collect();
            let alike = same_lines(&theirs, new);
            let spaced = same_lines(&refs(&spaceless(&theirs)), &refs(&new_words));
            from_git.spaced.extend(spaced.into_iter().filter(|at| !new_words[*at].is_empty()));
            if alike.len() > most {
                most = alike.len();
                from_git.nearest = Some(theirs.into_iter().collect());
            }
            from_git.lines.extend(alike);
        }
        from_git
    }

    /// Whether git took a line along that went.
    fn took(&self, line: &TracedLine) -> bool {
        match line.added_by() {
            Some(by) => !by.may_be_own(),
            None => self.nearest.as_ref().is_some_and(|nearest| !nearest.contains(line.text.as_str())),
        }
    }
}

/// The lines of a text that another one has as well, in the same order.
fn same_lines(old: &[&str], new: &[&str]) -> HashSet<usize> {
    let mut same = HashSet::new();
    let mut at = 0;
    for LineChange { come, .. } in line_changes(old, new, |_| false) {
        same.extend(at..come.start);
        at = come.end;
    }
    same.extend(at..new.len());
    same
}

/// A line without more space than its words need.
fn words(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn refs(lines: &[String]) -> Vec<&str> {
    lines.iter().map(String::as_str).collect()
}

/// The lines that come with a version.
struct Arrivals<'a> {
    version: &'a FileVersion,
    /// The version, counted from 1.
    number: usize,
    /// All of its lines.
    lines: &'a [&'a str],
    from_git: FromGit<'a>,
    /// Runs of lines that come back as whose they were, by the first one.
    known: HashMap<String, Vec<Vec<TracedLine>>>,
}

impl Arrivals<'_> {
    /// The lines that come in the place of those that are away.
    fn run(&self, mut come: Range<usize>, away: &mut Vec<TracedLine>) -> Vec<TracedLine> {
        let mut found = Vec::with_capacity(come.len());
        while let Some(index) = come.next() {
            let is_back = |run: &&Vec<TracedLine>| {
                let lines = self.lines.get(index..index + run.len());
                index + run.len() <= come.end
                    && lines.is_some_and(|lines| run.iter().zip(lines).all(|(line, text)| line.text == **text))
            };
            let runs = self.known.get(self.lines[index]).filter(|_| !self.from_git.lines.contains(&index));
            let back = runs.and_then(|runs| runs.iter().filter(is_back).max_by_key(|run| run.len()));
            match back {
                Some(run) => {
                    found.extend(run.iter().map(|line| TracedLine { removed: None, ..line.clone() }));
                    come.by_ref().take(run.len() - 1).for_each(drop);
                }
                None => found.push(self.of(index, away)),
            }
        }
        found
    }

    /// A line that comes in the place of those that are away. One that only gets other space is still its author's.
    fn of(&self, index: usize, away: &mut Vec<TracedLine>) -> TracedLine {
        let text = self.lines[index];
        let own = words(text);
        let is_same = |line: &TracedLine| {
            let goes = line.removed.is_some_and(|(_, number)| number == self.number);
            goes && line.text != text && words(&line.text) == own
        };
        let spaced = away.iter().position(is_same).filter(|_| !own.is_empty());
        let beginning = spaced.and_then(|at| away[at].beginning);
        // What got other space was not taken along.
        if let Some(line) = spaced.and_then(|at| away.get_mut(at)) {
            line.removed = Some((self.version.author, self.number));
        }
        let of_before = spaced.filter(|at| away[*at].added.is_some()).and_then(|at| away.remove(at).added);
        let is_brought =
            self.from_git.lines.contains(&index) || spaced.is_none() && self.from_git.spaced.contains(&index);
        let brought = is_brought.then_some((Author::Git, self.number));
        let added = brought.or(of_before).unwrap_or((self.version.author, self.number));
        TracedLine { text: text.to_owned(), added: Some(added), beginning, removed: None }
    }
}

/// Passes on lines that are there, as many as said, with those before them that are away. They are removed as `removed` says, if
/// at all.
fn pass(
    rest: &mut impl Iterator<Item = TracedLine>,
    done: &mut Vec<TracedLine>,
    mut count: usize,
    removed: Option<(Author, usize)>,
) {
    while count > 0
        && let Some(mut line) = rest.next()
    {
        if line.removed.is_none() {
            count -= 1;
            line.removed = removed;
        }
        done.push(line);
    }
}

/// Puts lines that come among those that are away at the same place. Those that are away already and come again are back.
fn put_among(away: Vec<TracedLine>, come: Vec<TracedLine>, done: &mut Vec<TracedLine>) {
    let (mut away, mut come) = (away.into_iter(), come.into_iter());
    let mut new = Vec::new();
    while !come.as_slice().is_empty() {
        let back = |at| Some(at).zip(returning(away.as_slice(), at, come.as_slice()));
        let Some((at, count)) = (0..away.len()).find_map(back) else {
            new.extend(come.next());
            continue;
        };
        done.extend(away.by_ref().take(at));
        done.append(&mut new);
        done.extend(away.by_ref().take(count).map(|line| TracedLine { removed: None, ..line }));
        come.by_ref().take(count).for_each(drop);
    }
    done.extend(away);
    done.append(&mut new);
}

/// How many of the lines that are away, from a place on, the next ones that come bring back.
fn returning(away: &[TracedLine], at: usize, come: &[TracedLine]) -> Option<usize> {
    let first = &away[at];
    let count = match first.added {
        None if first.removed_by() == come[0].added_by() => 1,
        _ if at > 0 && first.went_with(&away[at - 1]) => return None,
        _ => away[at..].iter().take_while(|line| first.went_with(line)).count(),
    };
    let is_same = |(line, other): (&TracedLine, &TracedLine)| line.text == other.text;
    (count <= come.len() && away[at..at + count].iter().zip(come).all(is_same)).then_some(count)
}

/// Puts the changed lines of a file together with the lines around them.
fn hunks(lines: &[DiffLine]) -> Vec<DiffHunk> {
    let is_changed = |line: &DiffLine| line.kind != DiffLineKind::Context;
    let mut hunks = Vec::new();
    let (mut old, mut new) = (1, 1);
    let mut at = 0;
    while let Some(first) = lines[at..].iter().position(is_changed).map(|offset| at + offset) {
        let start = first.saturating_sub(CONTEXT).max(at);
        let passed = u32::try_from(start - at).unwrap_or(u32::MAX);
        (old, new) = (old + passed, new + passed);
        let mut end = first + 1;
        // Changes with few lines between them share a hunk.
        while let Some(next) = lines[end..].iter().take(2 * CONTEXT + 1).position(is_changed) {
            end += next + 1;
        }
        end = (end + CONTEXT).min(lines.len());
        let hunk = DiffHunk { old_start: old, new_start: new, lines: lines[start..end].to_vec() };
        for line in &hunk.lines {
            old += u32::from(line.kind != DiffLineKind::Added);
            new += u32::from(line.kind != DiffLineKind::Removed);
        }
        hunks.push(hunk);
        at = end;
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn history(start: Option<&str>, versions: &[(Author, Option<&str>)]) -> LineHistory {
        let mut history = LineHistory::new(start);
        for (author, text) in versions {
            history.follow(&FileVersion::new(*author, *text));
        }
        history
    }

    /// The session's part, as a patch: ` `, `+` and `-` in front of each line.
    fn part(
        status: FileStatus,
        start: Option<&str>,
        versions: &[(Author, Option<&str>)],
    ) -> Option<(FileStatus, String)> {
        let own = history(start, versions).own_part(&FileChange::new("a", status))?;
        let line = |line: &DiffLine| {
            let sign = match line.kind {
                DiffLineKind::Context => ' ',
                DiffLineKind::Added => '+',
                DiffLineKind::Removed => '-',
            };
            format!("{sign}{}", line.text.inspect())
        };
        let lines: Vec<String> = own.hunks.iter().flat_map(|hunk| &hunk.lines).map(line).collect();
        Some((own.status, lines.join("\n")))
    }

    #[test]
    fn only_the_lines_of_the_session_stay_in_its_change() {
        use Author::{Git, Own, Person, Session};
        use FileStatus::{Added, Deleted, Modified};
        let start = Some("a\nb\nc");
        let own = |status, text: &str| Some((status, text.to_owned()));
        for other in [Git, Person, Session] {
            assert_eq!(part(Modified, start, &[(other, Some("a\nB\nc"))]), None);
            let both = [(other, Some("a\nB\nc")), (Own, Some("a\nB\nc\nd"))];
            assert_eq!(part(Modified, start, &both), own(Modified, " a\n B\n c\n+d"));
            let both = [(Own, Some("a\nb\nc\nd")), (other, Some("a\nB\nc\nd"))];
            assert_eq!(part(Modified, start, &both), own(Modified, " a\n B\n c\n+d"));
            // What the session writes over is the other's line.
            let both = [(other, Some("a\nB\nc")), (Own, Some("a\nX\nc"))];
            assert_eq!(part(Modified, start, &both), own(Modified, " a\n-B\n+X\n c"));
            let both = [(Own, Some("a\nX\nc")), (other, Some("a\nB\nc"))];
            assert_eq!(part(Modified, start, &both), own(Modified, " a\n-b\n B\n c"));
            assert_eq!(part(Added, None, &[(other, Some("x")), (Own, Some("x\ny"))]), own(Modified, " x\n+y"));
            assert_eq!(part(Added, None, &[(Own, Some("x")), (other, Some("x\ny"))]), own(Added, "+x\n y"));
            assert_eq!(part(Deleted, start, &[(other, None)]), None);
            assert_eq!(part(Deleted, start, &[(other, Some("a")), (Own, None)]), own(Deleted, "-a"));
        }
        assert_eq!(part(Modified, start, &[(Own, Some("a\nc"))]), own(Modified, " a\n-b\n c"));
        assert_eq!(part(Added, None, &[(Own, Some("x"))]), own(Added, "+x"));
        assert_eq!(part(Deleted, start, &[(Own, None)]), own(Deleted, "-a\n-b\n-c"));
        for back in [Own, Git, Person] {
            let is_back = [(Own, Some("a\nc")), (back, Some("a\nb\nc"))];
            assert_eq!(part(Modified, start, &is_back), None);
            assert_eq!(part(Modified, start, &[(Own, None), (back, Some("a\nb\nc"))]), None);
        }
    }

    #[test]
    fn lines_that_are_like_others_that_were_there_are_not_back() {
        use Author::{Own, Person};
        let start = Some("a\n");
        let of = |stub: &str| format!("a\nfn {stub}() {{\n    todo!()\n}}\n");
        for (first, second, expected) in [
            (Own, Person, None),
            (Person, Own, Some((FileStatus::Modified, " a\n+fn two() {\n+    todo!()\n+}".to_owned()))),
        ] {
            let (one, two) = (of("one"), of("two"));
            let versions = [(first, Some(&*one)), (first, start), (second, Some(&*two))];
            assert_eq!(part(FileStatus::Modified, start, &versions), expected);
            // What comes back as a whole is who wrote it first's, no matter who brings it.
            let versions = [(second, Some(&*two)), (first, start), (first, Some(&*two))];
            assert_eq!(part(FileStatus::Modified, start, &versions), expected);
        }
    }

    #[test]
    fn a_file_that_is_as_it_was_has_the_authors_of_then() {
        use Author::{Own, Person, Session};
        let (own, both) = (Some("a\nown"), Some("a\nown\ntheirs"));
        let versions = [(Own, own), (Session, both), (Person, Some("x")), (Person, both)];
        assert_eq!(part(FileStatus::Modified, Some("a"), &versions).expect("a part").1, " a\n+own\n theirs");
        let versions = [(Own, own), (Person, Some("a")), (Session, own)];
        assert_eq!(part(FileStatus::Modified, Some("a"), &versions).expect("a part").1, " a\n+own");
    }

    #[test]
    fn a_line_that_only_gets_other_space_stays_its_authors() {
        use Author::{Own, Person};
        let added = |versions: &[(Author, Option<&str>)]| {
            let own = history(Some("a"), versions).own_part(&FileChange::new("a", FileStatus::Modified))?;
            Some(own.added_lines().map(|(_, line)| line.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(
            added(&[(Own, Some("a\nx = 1")), (Person, Some("a\n  x  =  1"))]),
            Some(vec!["  x  =  1".to_owned()])
        );
        assert_eq!(added(&[(Person, Some("a\nx = 1")), (Own, Some("a\n  x  =  1"))]), None);
        assert_eq!(added(&[(Own, Some("a\nx = 1")), (Person, Some("a\nx = 2"))]), None);
    }

    #[test]
    fn lines_of_another_side_of_a_merge_are_brought_by_git() {
        let mut history = LineHistory::new(Some("a\nb"));
        let brought = vec!["a\ntheirs\nb".to_owned()];
        history.follow(&FileVersion { brought, ..FileVersion::new(Author::Own, Some("a\ntheirs\nb\nown")) });
        let own = history.own_part(&FileChange::new("a", FileStatus::Modified)).expect("a part");
        let added: Vec<&str> = own.added_lines().map(|(_, line)| line).collect();
        assert_eq!((added, history.others()), (vec!["own"], vec![Author::Git]));
    }

    #[test]
    fn lines_that_git_brought_are_not_of_the_one_who_formats_them_at_once() {
        let mut history = LineHistory::new(Some("a {\n  b\n}"));
        let version =
            FileVersion { is_of_git: true, ..FileVersion::new(Author::Own, Some("a {\n    b\n    c\n    d\n}")) };
        history.follow(&FileVersion { brought: vec!["a {\n  b\n  c\n}".to_owned()], ..version });
        let own = history.own_part(&FileChange::new("a", FileStatus::Modified)).expect("a part");
        let added: Vec<&str> = own.added_lines().map(|(_, line)| line).collect();
        assert_eq!((added, own.removed_lines().count()), (vec!["    b", "    d"], 1));
    }

    #[test]
    fn what_others_wrote_stays_theirs_where_the_file_moves() {
        let mut moved = history(Some("a"), &[(Author::Person, Some("a\nb"))]);
        moved.arrive_elsewhere(Author::Own);
        moved.follow(&FileVersion::new(Author::Own, Some("a\nb\nc")));
        let own = moved.own_part(&FileChange::new("a", FileStatus::Added)).expect("a part");
        let added: Vec<&str> = own.added_lines().map(|(_, line)| line).collect();
        assert_eq!((own.status, added), (FileStatus::Added, vec!["a", "c"]));
    }

    #[test]
    fn lines_of_the_beginning_with_other_space_are_no_ones_where_the_file_moves() {
        let mut moved = history(Some("a\n b"), &[(Author::Own, Some("a\nb")), (Author::Person, Some("a\n  b"))]);
        moved.arrive_elsewhere(Author::Session);
        assert_eq!(moved.own_part(&FileChange::new("a", FileStatus::Added)), None);
    }

    #[test]
    fn lines_that_git_brings_back_are_whose_they_were() {
        let added = |is_of_git: bool| {
            let theirs = "a\nfn written_by_the_person()\n#\n";
            let mut history = history(Some("a\n"), &[(Author::Person, Some(theirs)), (Author::Own, Some("x\n"))]);
            let text = "x\ny\nfn written_by_the_person()\n#\n";
            history.follow(&FileVersion { is_of_git, ..FileVersion::new(Author::Own, Some(text)) });
            let own = history.own_part(&FileChange::new("a", FileStatus::Modified)).expect("a part");
            own.added_lines().map(|(_, line)| line.to_owned()).collect::<Vec<_>>()
        };
        let others = ["fn written_by_the_person()", "#"];
        assert_eq!(
            (added(true), added(false)),
            (vec!["x".to_owned(), "y".to_owned()], ["x", "y", others[0], others[1]].map(str::to_owned).to_vec())
        );
    }

    #[test]
    fn what_was_taken_out_and_git_brings_back_is_whose_it_was() {
        let (start, own) = ("a\nb\n", "a\nfn written_by_the_session()\nb\n");
        let mut history = history(Some(start), &[(Author::Own, Some(own)), (Author::Git, Some(start))]);
        let text = "a\nfn written_by_the_session()\nb\nc\n";
        history.follow(&FileVersion { is_of_git: true, ..FileVersion::new(Author::Person, Some(text)) });
        let part = history.own_part(&FileChange::new("a", FileStatus::Modified)).expect("a part");
        let added: Vec<&str> = part.added_lines().map(|(_, line)| line).collect();
        assert_eq!(added, ["fn written_by_the_session()"]);
    }

    #[test]
    fn what_others_wrote_and_git_takes_along_is_not_removed_by_the_session() {
        let part = |is_of_git: bool| {
            let mut history = history(Some("a\n"), &[(Author::Person, Some("a\nb\n"))]);
            history.follow(&FileVersion { is_of_git, ..FileVersion::new(Author::Own, Some("z\na\n")) });
            history.own_part(&FileChange::new("a", FileStatus::Modified)).map(|own| own.removed_lines().count())
        };
        assert_eq!((part(true), part(false)), (Some(0), Some(1)));
        // The file had uncommitted lines when the session began.
        let part = |brought: &str| {
            let mut history = LineHistory::new(Some("a\nassert!(true);\nb\nc\n"));
            let text = "a\nb\nc\nassert!(true);\n";
            let version = FileVersion { is_of_git: true, ..FileVersion::new(Author::Own, Some(text)) };
            history.follow(&FileVersion { brought: vec![brought.to_owned()], ..version });
            let own = history.own_part(&FileChange::new("a", FileStatus::Modified)).expect("a part");
            (own.added_count(), own.removed_lines().count())
        };
        assert_eq!((part("a\nb\nc\n"), part("a\nassert!(true);\nb\nc\n")), ((1, 0), (1, 1)));
    }

    #[test]
    fn a_block_goes_with_its_own_lines() {
        use Author::{Own, Session};
        let block = |name: &str| format!("#[test]\nfn {name}() {{\n    assert!(true);\n}}\n");
        let (one, two) = (block("one"), block("two"));
        let both = format!("{one}{two}");
        let versions = [(Session, Some(&*one)), (Own, Some(&*both)), (Session, Some(&*two))];
        let own = part(FileStatus::Modified, Some(""), &versions).expect("a part").1;
        assert_eq!(own, "+#[test]\n+fn two() {\n+    assert!(true);\n+}");
    }

    #[test]
    fn what_is_unclear_stays_and_is_not_certain() {
        let both = history(Some("a"), &[(Author::Unclear, Some("a\nb"))]);
        let own = both.own_part(&FileChange::new("a", FileStatus::Modified)).expect("a part");
        assert_eq!((own.added_count(), own.old_known), (1, false));
    }

    #[test]
    fn an_uncommitted_line_that_gets_other_space_in_a_step_of_git_is_not_new() {
        let mut history = LineHistory::new(Some("a\nb\nc\nx = 1"));
        let version = FileVersion { is_of_git: true, ..FileVersion::new(Author::Own, Some("a\nb\nc\n  x  =  1")) };
        history.follow(&FileVersion { brought: vec!["a\nb\nc".to_owned()], ..version });
        let own = history.own_part(&FileChange::new("a", FileStatus::Modified)).expect("a part");
        assert_eq!((own.added_count(), own.removed_lines().count()), (1, 1));
    }

    #[test]
    fn a_line_that_git_gives_its_old_space_back_is_still_its_authors() {
        let mut history = history(Some("a"), &[(Author::Person, Some("a\n  b")), (Author::Own, Some("a\nb"))]);
        history.follow(&FileVersion { is_of_git: true, ..FileVersion::new(Author::Own, Some("a\n  b")) });
        assert_eq!(history.own_part(&FileChange::new("a", FileStatus::Modified)), None);
    }

    #[test]
    fn a_line_that_got_other_space_is_removed_by_the_one_who_removes_it() {
        let versions = [(Author::Own, Some("a\n  b\nc")), (Author::Person, Some("a\nc"))];
        assert_eq!(part(FileStatus::Modified, Some("a\nb"), &versions).expect("a part").1, " a\n+c");
        let versions = [(Author::Person, Some("a\n  b")), (Author::Own, Some("a"))];
        assert_eq!(part(FileStatus::Modified, Some("a\nb"), &versions).expect("a part").1, " a\n-  b");
    }

    #[test]
    fn what_others_wrote_and_perhaps_removed_is_no_part_of_the_change() {
        let versions = [
            (Author::Own, Some("a\nassert!(true);")),
            (Author::Session, Some("assert!(true);\na\nassert!(true);")),
            (Author::Unclear, Some("a\nassert!(true);")),
        ];
        let own = part(FileStatus::Modified, Some("a"), &versions).expect("a part").1;
        assert_eq!(own, " a\n+assert!(true);");
        let versions =
            [(Author::Own, Some("assert!(true);\na\nassert!(true);")), (Author::Unclear, Some("a\nassert!(true);"))];
        let own = part(FileStatus::Modified, Some("assert!(true);\na"), &versions).expect("a part").1;
        assert_eq!(own, " a\n+assert!(true);");
    }

    #[test]
    fn distant_changes_have_hunks_of_their_own() {
        let start: Vec<String> = (0..40).map(|number| format!("line {number}")).collect();
        let mut end = start.clone();
        end[5] = "first".to_owned();
        end.insert(30, "second".to_owned());
        let both = history(Some(&start.join("\n")), &[(Author::Own, Some(&end.join("\n")))]);
        let own = both.own_part(&FileChange::new("a", FileStatus::Modified)).expect("a part");
        let starts: Vec<(u32, u32)> = own.hunks.iter().map(|hunk| (hunk.old_start, hunk.new_start)).collect();
        assert_eq!(starts, [(3, 3), (28, 28)]);
        assert_eq!(own.added_lines().collect::<Vec<_>>(), [(6, "first"), (31, "second")]);
    }

    proptest! {
        /// What is there at the end is the last version, and all numbers of the session's lines are right.
        #[test]
        fn every_history_ends_with_its_last_version(
            start in "[abc\n]{0,12}",
            versions in proptest::collection::vec(("[abcd\n]{0,12}", 0_usize..4), 1..6),
        ) {
            let authors = [Author::Own, Author::Session, Author::Person, Author::Git];
            let versions: Vec<(Author, Option<&str>)> =
                versions.iter().map(|(text, author)| (authors[*author], Some(text.as_str()))).collect();
            let history = history(Some(&start), &versions);
            let there: Vec<&str> =
                history.lines.iter().filter(|line| line.removed.is_none()).map(|line| line.text.as_str()).collect();
            let last: Vec<&str> = versions.last().and_then(|(_, text)| *text).unwrap_or_default().lines().collect();
            prop_assert_eq!(&there, &last);
            let own = history.own_part(&FileChange::new("a", FileStatus::Modified));
            for (number, line) in own.iter().flat_map(FileChange::added_lines) {
                prop_assert_eq!(last.get(number as usize - 1), Some(&line));
            }
            if versions.iter().all(|(author, _)| *author != Author::Own) {
                prop_assert_eq!(own, None);
            }
        }
    }
}
