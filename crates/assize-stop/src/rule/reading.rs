//! How rules read a diff: code told from comments and strings, lines that only moved, the tests
//! that a hunk shows, and what the directives ask for.
//!
//! Only what several rules share stands here; it must not know any rule. Everything is read line
//! by line out of hunks, so it is a good guess and no parse: rules must stay right when it errs.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use assize_core::diff::{Diff, DiffHunk, DiffLineKind, FileChange, FileStatus};
use assize_core::finding::Certainty;
use assize_core::path::file_name;
use assize_core::text::quote;
use assize_ecosystem::{Language, is_code, is_test, tested_stem};
use regex::Regex;

use crate::claim::sentences;
use crate::evidence::Evidence;
pub(super) use crate::names::has_word;

/// The state of a file that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DiffSide {
    /// Before the change.
    Old,
    /// After the change.
    New,
}

/// One line of a file, as far as a hunk shows it.
#[derive(Debug)]
pub(super) struct CodeLine<'a> {
    /// The number on its side, counted from 1.
    pub(super) number: u32,
    /// The line as it stands.
    pub(super) raw: &'a str,
    /// The line without comments and with empty strings.
    pub(super) code: String,
    /// The text of its comments, without their marks.
    pub(super) comment: String,
    /// Whether the line is on this side only.
    pub(super) changed: bool,
    /// Whether lines of the other side stood right before this one.
    pub(super) after_gap: bool,
    /// Whether the line belongs to a test.
    pub(super) in_test: bool,
}

impl<'a> CodeLine<'a> {
    /// The line as it stands, without its comment and the marks of it.
    pub(super) fn without_comment(&self) -> &'a str {
        let comment = self.comment.trim();
        let start = if comment.is_empty() { None } else { self.raw.rfind(comment) };
        start.map_or(self.raw, |at| self.raw[..at].trim_end_matches(['/', '#', '*', '-', ' ', '\t']))
    }

    /// Returns whether the line holds no code.
    pub(super) fn is_bare(&self) -> bool {
        self.code.trim().is_empty() && !self.in_string()
    }

    /// Returns whether the line is the inside of a string.
    fn in_string(&self) -> bool {
        self.code.trim().is_empty() && self.comment.is_empty() && !self.raw.trim().is_empty()
    }

    /// Counts the white space at the beginning.
    pub(super) fn indent(&self) -> usize {
        self.raw.len() - self.raw.trim_start().len()
    }
}

/// Reads one side of a file's hunks.
pub(super) fn read(file: &FileChange, side: DiffSide) -> Vec<Vec<CodeLine<'_>>> {
    let language = Language::of(&file.path);
    let mut in_test = is_test(&file.path);
    file.hunks.iter().map(|hunk| read_hunk(hunk, side, language, &mut in_test)).collect()
}

fn read_hunk<'a>(
    hunk: &'a DiffHunk,
    side: DiffSide,
    language: Option<Language>,
    in_test: &mut bool,
) -> Vec<CodeLine<'a>> {
    let (mut number, own, other) = match side {
        DiffSide::Old => (hunk.old_start, DiffLineKind::Removed, DiffLineKind::Added),
        DiffSide::New => (hunk.new_start, DiffLineKind::Added, DiffLineKind::Removed),
    };
    let texts: Vec<&str> =
        hunk.lines.iter().filter(|line| line.kind != other).map(|line| line.text.inspect()).collect();
    let mut scanner = Scanner::begin(language, &texts, number <= 1);
    let mut lines = Vec::with_capacity(texts.len());
    let mut after_gap = false;
    for line in &hunk.lines {
        if line.kind == other {
            after_gap = true;
            continue;
        }
        let raw = line.text.inspect();
        let (code, comment) = scanner.line(raw);
        *in_test |= language == Some(Language::Rust) && opens_rust_tests(&code);
        let changed = line.kind == own;
        lines.push(CodeLine { number, raw, code, comment, changed, after_gap, in_test: *in_test });
        after_gap = false;
        number += 1;
    }
    lines
}

/// In Rust the tests of a file stand at its end, in a module of their own.
pub(super) fn opens_rust_tests(code: &str) -> bool {
    let code = code.trim_start();
    code.starts_with("mod tests") || is_rust_test_attribute(code)
}

/// Empties the strings of a single line and drops its comments.
pub(super) fn code_of(line: &str, language: Option<Language>) -> String {
    Scanner::begin(language, &[line], true).line(line).0
}

/// How a language writes comments and strings.
#[derive(Debug, Clone, Copy)]
struct CommentSyntax {
    /// `//` and `/* */` are comments.
    slashes: bool,
    /// `#` begins a comment.
    hash: bool,
    /// `'` delimits strings and not single characters.
    single: bool,
    /// `` ` `` delimits strings over lines.
    backtick: bool,
    /// `"""` delimits strings over lines, `'''` where `'` does.
    triple: bool,
    /// `<<NAME` begins a string.
    heredoc: bool,
    language: Option<Language>,
}

impl CommentSyntax {
    fn of(language: Option<Language>) -> Self {
        use Language as L;
        let script = language.is_some_and(Language::is_script);
        let hash = matches!(language, None | Some(L::Python | L::Ruby | L::Shell | L::Php));
        Self {
            slashes: !matches!(language, None | Some(L::Python | L::Ruby | L::Shell)),
            hash,
            single: hash || script,
            backtick: script || language == Some(L::Go),
            triple: matches!(language, Some(L::Python | L::Java | L::Kotlin | L::CSharp | L::Swift)),
            heredoc: matches!(language, Some(L::Ruby | L::Shell | L::Php)),
            language,
        }
    }

    fn is(&self, language: Language) -> bool {
        self.language == Some(language)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ScanState {
    Code,
    Comment,
    Text { close: String, escapes: bool, spans_lines: bool },
    Heredoc(String),
}

/// Tells code from comments and strings, line after line.
struct Scanner {
    syntax: CommentSyntax,
    state: ScanState,
    heredoc: Option<String>,
}

impl Scanner {
    /// Begins at the first line of a hunk, which may lie inside a comment or string.
    fn begin(language: Option<Language>, lines: &[&str], at_top: bool) -> Self {
        let syntax = CommentSyntax::of(language);
        let state = if at_top { ScanState::Code } else { state_before(syntax, lines) };
        Self { syntax, state, heredoc: None }
    }

    /// Returns the code and the comments of the next line.
    fn line(&mut self, line: &str) -> (String, String) {
        let mut code = String::with_capacity(line.len());
        let mut comment = String::new();
        if let ScanState::Heredoc(name) = &self.state {
            if line.trim().trim_end_matches([';', ',', ')']) == name {
                self.state = ScanState::Code;
            }
            return (code, comment);
        }
        if self.state == ScanState::Code && self.syntax.slashes && continues_comment(line) {
            return (code, line.trim().trim_matches(['*', '/']).trim().to_owned());
        }
        let mut at = 0;
        while at < line.len() {
            at += match self.state {
                ScanState::Comment => self.in_comment(&line[at..], &mut comment),
                ScanState::Text { .. } => self.in_text(&line[at..], &mut code),
                ScanState::Code | ScanState::Heredoc(_) => self.in_code(line, at, &mut code, &mut comment),
            };
        }
        if matches!(self.state, ScanState::Text { spans_lines: false, .. }) {
            self.state = ScanState::Code;
        }
        if let Some(name) = self.heredoc.take() {
            self.state = ScanState::Heredoc(name);
        }
        (code, comment.trim().to_owned())
    }

    fn in_comment(&mut self, rest: &str, comment: &mut String) -> usize {
        let end = rest.find("*/");
        comment.push_str(rest[..end.unwrap_or(rest.len())].trim_start().trim_start_matches('*'));
        match end {
            Some(end) => {
                self.state = ScanState::Code;
                end + 2
            }
            None => rest.len(),
        }
    }

    fn in_text(&mut self, rest: &str, code: &mut String) -> usize {
        let ScanState::Text { close, escapes, .. } = &self.state else { return rest.len() };
        let mut characters = rest.char_indices();
        while let Some((index, character)) = characters.next() {
            if *escapes && character == '\\' {
                characters.next();
            } else if rest[index..].starts_with(close.as_str()) {
                let end = index + close.len();
                code.extend(close.chars().next());
                self.state = ScanState::Code;
                return end;
            }
        }
        rest.len()
    }

    fn in_code(&mut self, line: &str, at: usize, code: &mut String, comment: &mut String) -> usize {
        let rest = &line[at..];
        let plain = rest
            .bytes()
            .position(|byte| matches!(byte, b'"' | b'\'' | b'`' | b'/' | b'#' | b'<'))
            .unwrap_or(rest.len());
        if plain > 0 {
            code.push_str(&rest[..plain]);
            return plain;
        }
        let before = line[..at].chars().next_back();
        if let Some(text) = self.line_comment(rest, before) {
            comment.push_str(text);
            return rest.len();
        }
        if self.syntax.slashes && rest.starts_with("/*") {
            self.state = ScanState::Comment;
            return 2;
        }
        if let Some((length, state)) = self.opening(rest, before, code) {
            code.extend(rest[..length].chars().next_back());
            self.state = state;
            return length;
        }
        if let Some(length) = self.literal(rest, code) {
            code.push_str("''");
            return length;
        }
        if self.syntax.heredoc && self.heredoc.is_none() {
            self.heredoc = heredoc_name(rest).map(str::to_owned);
        }
        code.push_str(&rest[..1]);
        1
    }

    fn line_comment<'a>(&self, rest: &'a str, before: Option<char>) -> Option<&'a str> {
        let apart = before.is_none_or(char::is_whitespace);
        if rest.starts_with("//") && (self.syntax.slashes || self.syntax.language.is_none() && apart) {
            return Some(rest.trim_start_matches(['/', '!']));
        }
        let attribute = self.syntax.is(Language::Php) && rest.starts_with("#[");
        let hash = self.syntax.hash && rest.starts_with('#') && (apart || self.syntax.is(Language::Python));
        (hash && !attribute).then(|| rest.trim_start_matches(['#', '!']))
    }

    /// Returns the length and the state that a string literal opens.
    fn opening(&self, rest: &str, before: Option<char>, code: &mut String) -> Option<(usize, ScanState)> {
        let text =
            |close: &str, escapes, spans_lines| ScanState::Text { close: close.to_owned(), escapes, spans_lines };
        let syntax = &self.syntax;
        let within_word = before.is_some_and(|before| before.is_alphanumeric() || before == '_');
        if syntax.is(Language::Rust) && within_word && rest.starts_with(['"', '#']) {
            let count = rest.len() - rest.trim_start_matches('#').len();
            let prefix = ["br", "cr", "r"].iter().find(|prefix| ends_with_word(code, prefix));
            if let Some(prefix) = prefix.filter(|_| rest[count..].starts_with('"')) {
                code.truncate(code.len() - prefix.len());
                return Some((count + 1, text(&format!("\"{}", "#".repeat(count)), false, true)));
            }
        }
        for triple in [r#"""""#, "'''"] {
            if syntax.triple && rest.starts_with(triple) && (syntax.single || triple.starts_with('"')) {
                return Some((3, text(triple, true, true)));
            }
        }
        match rest.chars().next()? {
            '"' => Some((1, text("\"", true, syntax.is(Language::Rust)))),
            // In prose-like formats an apostrophe inside a word opens nothing.
            '\'' if syntax.single && !(syntax.language.is_none() && within_word) => {
                Some((1, text("'", !syntax.is(Language::Shell), false)))
            }
            '`' if syntax.backtick => Some((1, text("`", !syntax.is(Language::Go), true))),
            _ => None,
        }
    }

    /// Returns the length of a character or regular expression literal.
    fn literal(&self, rest: &str, code: &str) -> Option<usize> {
        if rest.starts_with('\'') && !self.syntax.single {
            return character_literal(rest);
        }
        let script = self.syntax.language.is_some_and(Language::is_script);
        let before = code.trim_end();
        let operand = before.is_empty()
            || before.ends_with(['(', ',', '=', ':', '[', '!', '&', '|', '?', '{', ';'])
            || before.ends_with("return");
        (script && operand && rest.starts_with('/')).then(|| regex_literal(rest)).flatten()
    }
}

fn ends_with_word(code: &str, word: &str) -> bool {
    let part = |character: char| character.is_alphanumeric() || character == '_';
    code.strip_suffix(word).is_some_and(|before| !before.ends_with(part))
}

/// Returns whether a line continues a block comment that began above the hunk.
fn continues_comment(line: &str) -> bool {
    let line = line.trim();
    line == "*" || line.starts_with("* ")
}

/// Guesses whether a hunk begins inside a comment or a string.
fn state_before(syntax: CommentSyntax, lines: &[&str]) -> ScanState {
    if syntax.slashes {
        let opening = lines.iter().position(|line| line.contains("/*"));
        let closing = lines.iter().position(|line| line.contains("*/") && !line.contains("/*"));
        if closing.is_some_and(|closing| opening.is_none_or(|opening| closing < opening)) {
            return ScanState::Comment;
        }
    }
    let triple = r#"""""#;
    if syntax.triple && lines.iter().map(|line| line.matches(triple).count()).sum::<usize>() % 2 == 1 {
        let first = lines.iter().position(|line| line.contains(triple)).unwrap_or_default();
        // A lone delimiter opens a string after a heading, and closes one after anything else.
        let opens = lines[..first]
            .iter()
            .rev()
            .find(|line| !line.trim().is_empty())
            .is_some_and(|line| line.trim_end().ends_with([':', '(', '=', ',', '>']));
        if lines[first].trim() == triple && !opens {
            return ScanState::Text { close: triple.to_owned(), escapes: true, spans_lines: true };
        }
    }
    ScanState::Code
}

/// `'x'` or `'\n'`, but not a lifetime.
fn character_literal(rest: &str) -> Option<usize> {
    let mut characters = rest.char_indices().skip(1);
    let (_, first) = characters.next()?;
    if first == '\\' {
        let end = rest.char_indices().skip(3).take(10).find(|(_, character)| *character == '\'')?.0;
        return Some(end + 1);
    }
    let (end, second) = characters.next()?;
    (second == '\'').then_some(end + 1)
}

fn regex_literal(rest: &str) -> Option<usize> {
    let mut in_class = false;
    let mut characters = rest.char_indices().skip(1);
    while let Some((index, character)) = characters.next() {
        match character {
            '\\' => {
                characters.next();
            }
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return Some(index + 1),
            _ => {}
        }
    }
    None
}

/// The NAME of `<<NAME`, `<<~NAME`, `<<-'NAME'` or `<<<NAME` at the beginning of the text.
fn heredoc_name(rest: &str) -> Option<&str> {
    let name = rest.strip_prefix("<<")?.trim_start_matches(['<', '~', '-']).trim_start_matches(['\'', '"']);
    let end = name.find(|character: char| !character.is_ascii_uppercase() && character != '_').unwrap_or(name.len());
    (end > 1).then(|| &name[..end])
}

/// Joins the lines of one kind, for a first look with one search.
pub(super) fn joined(file: &FileChange, kind: DiffLineKind) -> String {
    let mut text = String::new();
    for line in file.hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == kind) {
        text.push_str(line.text.inspect());
        text.push('\n');
    }
    text
}

/// Returns whether the added lines of a file hold one of the given texts.
pub(super) fn adds_any(file: &FileChange, hints: &[&str]) -> bool {
    let added = joined(file, DiffLineKind::Added);
    hints.iter().any(|hint| added.contains(hint))
}

/// Tells lines that moved or were indented from new ones: each removed line accounts for one added
/// line with the same text, in whatever file.
pub(super) struct MovedLines<'a> {
    diff: &'a Diff,
    left: Option<HashMap<&'a str, usize>>,
}

impl<'a> MovedLines<'a> {
    /// Reads nothing until the first question.
    pub(super) fn new(diff: &'a Diff) -> Self {
        Self { diff, left: None }
    }

    /// Returns whether the line was taken from elsewhere, and counts it off. A call that a formatter spread over lines was taken
    /// from the line that held all of it.
    pub(super) fn take(&mut self, line: &str) -> bool {
        if self.take_all(&[line]) {
            return true;
        }
        let opening = line.trim();
        let (true, Some(left)) = (opening.ends_with('('), &mut self.left) else { return false };
        let whole = left.iter_mut().find(|(removed, count)| **count > 0 && removed.starts_with(opening));
        whole.is_some_and(|(_, count)| {
            *count -= 1;
            true
        })
    }

    /// Returns whether all the lines were taken from elsewhere, and counts them off if so.
    pub(super) fn take_all(&mut self, lines: &[&str]) -> bool {
        let diff = self.diff;
        let left = self.left.get_or_insert_with(|| count_removed(diff));
        if !lines.iter().all(|line| left.get(line.trim()).is_some_and(|count| *count > 0)) {
            return false;
        }
        for line in lines {
            if let Some(count) = left.get_mut(line.trim()) {
                *count = count.saturating_sub(1);
            }
        }
        true
    }
}

fn count_removed(diff: &Diff) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for (_, line) in diff.files.iter().flat_map(FileChange::removed_lines) {
        *counts.entry(line.trim()).or_default() += 1;
    }
    counts
}

/// A wish that directives may hold, looked up once and only when it matters.
pub(super) struct DirectiveWish<'a> {
    evidence: &'a Evidence,
    wish: &'static LazyLock<Regex>,
    answer: OnceCell<bool>,
}

impl<'a> DirectiveWish<'a> {
    /// Reads nothing until the first question.
    pub(super) fn new(evidence: &'a Evidence, wish: &'static LazyLock<Regex>) -> Self {
        Self { evidence, wish, answer: OnceCell::new() }
    }

    /// Returns whether a directive holds the wish.
    pub(super) fn is_asked(&self) -> bool {
        *self.answer.get_or_init(|| asked_for(self.evidence, self.wish))
    }

    /// Takes one degree of certainty off a finding that was asked for; a likely one is dropped.
    pub(super) fn soften(&self, certainty: Certainty) -> Option<Certainty> {
        match (self.is_asked(), certainty) {
            (false, certainty) => Some(certainty),
            (true, Certainty::Certain) => Some(Certainty::Likely),
            (true, Certainty::Likely) => None,
        }
    }
}

/// Returns whether a directive holds the wording, outside of a prohibition: "do not skip tests" is
/// no wish for skipped tests.
pub(super) fn asked_for(evidence: &Evidence, wish: &Regex) -> bool {
    let mut texts = evidence.directives.iter().flat_map(|directive| directive.all_text());
    texts.any(|text| wish.find_iter(text).any(|found| !prohibited(&text[..found.start()])))
}

/// Returns whether the tests that a file lost stand in others, or went with what they test.
pub(super) fn lives_on(file: &FileChange, diff: &Diff) -> bool {
    file.status == FileStatus::Deleted && goes_with_subject(file, diff) || keeps_values(file, diff)
}

/// Returns whether a file that a file of tests is named after, or imports, was deleted as well.
fn goes_with_subject(test: &FileChange, diff: &Diff) -> bool {
    let subject = tested_stem(&test.path);
    let gone = |file: &&FileChange| file.status == FileStatus::Deleted && !is_test(&file.path) && is_code(&file.path);
    let stem = |path: &str| file_name(path).split('.').next().unwrap_or_default().to_owned();
    let imports = |name: &str| {
        test.removed_lines()
            .any(|(_, line)| (line.contains("import") || line.contains("require")) && has_word(line, name))
    };
    diff.files
        .iter()
        .filter(gone)
        .map(|file| stem(&file.path))
        .any(|name| name.eq_ignore_ascii_case(subject) || imports(&name))
}

/// Returns whether the values that tests had in the lines a file lost stand in lines that tests gained: they became rows of a table, or
/// moved. Two values at least, since one stands anywhere.
fn keeps_values(file: &FileChange, diff: &Diff) -> bool {
    static VALUE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?-u)\b\d+(?:\.\d+)?\b|"[ !#-~]{2,}?"|'[ -&(-~]{2,}?'"#).expect("valid pattern")
    });
    fn values<'l>(lines: impl Iterator<Item = &'l str>) -> HashSet<&'l str> {
        lines.flat_map(|line| VALUE.find_iter(line)).map(|value| value.as_str().trim_matches(['"', '\''])).collect()
    }
    let asserts = |line: &&str| {
        ["assert", "expect", "should", "equal", "Equal", "EXPECT", "CHECK"].iter().any(|word| line.contains(word))
    };
    let lost = values(file.removed_lines().map(|(_, line)| line).filter(asserts));
    let tests = diff.files.iter().filter(|other| is_test(&other.path) || other.path == file.path);
    let gained = values(tests.flat_map(FileChange::added_lines).map(|(_, line)| line));
    lost.len() > 1 && lost.is_subset(&gained)
}

/// Returns whether a prompt takes something out of a check: one of its words stands in a sentence with such a wish, or beside one.
pub(super) fn takes_out_of_check(prompts: &[&str], words: &[&str]) -> bool {
    static TAKES_OUT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:off|out|away|without|exclude|ignore|skip|disable|suppress|allow|omit|drop|leave|ohne|aus|sans|sin|unhappy|bypass)\b").expect("valid pattern")
    });
    prompts.iter().any(|text| {
        let sentences: Vec<String> = sentences(text).map(str::to_lowercase).collect();
        let names =
            |sentence: &String| words.iter().any(|word| word.len() > 2 && sentence.contains(&word.to_lowercase()));
        let takes_out = |sentence: &String| TAKES_OUT.is_match(sentence);
        let beside = |pair: &[String]| pair.iter().any(names) && pair.iter().any(takes_out);
        sentences.iter().any(|sentence| names(sentence) && takes_out(sentence)) || sentences.windows(2).any(beside)
    })
}

/// Returns whether the clause that ends here forbids what follows.
fn prohibited(before: &str) -> bool {
    static BREAK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"[.;!?:]\s|\n|(?i:\b(?:but|just|instead,|so|then|please)\b|\b(?:if|when|since|because|unless)\b[^,\n]*,)",
        )
        .expect("valid pattern")
    });
    static PROHIBITION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i)\b(?:do not|don[’']?t|must not|mustn[’']?t|should not|shouldn[’']?t|may not|you can(?:not|[’']?t)|never|",
            r"without|avoid|refrain|instead of|rather than|not to|forbidden|prohibited)\b|\b(?:no|not)\s*$|",
            // Who wants to be rid of something does not ask for it.
            r"\b(?:(?:get|be|got) rid of|remov(?:e|es|ing)|drop|delet(?:e|ing)|lift|take (?:out|away|off)|re-?enabl(?:e|ing)) (?:[a-z]+ ){0,2}$",
        ))
        .expect("valid pattern")
    });
    let clause_start = BREAK.find_iter(before).last().map_or(0, |found| found.end());
    PROHIBITION.is_match(&before[clause_start..])
}

/// Returns whether a directive names a function, in a way that can be no ordinary word.
pub(super) fn names_function(evidence: &Evidence, name: &str) -> bool {
    let shaped = name.contains('_') || name.chars().skip(1).any(|character| character.is_ascii_uppercase());
    let called = format!("{name}(");
    let quoted = format!("`{name}`");
    let part = |character: char| character.is_alphanumeric() || character == '_';
    let calls = |text: &str| text.match_indices(&called).any(|(start, _)| !text[..start].ends_with(part));
    // As a member of something: `Store::verify`, `store.verify`, `Store#verify`.
    let is_member = |text: &str| {
        text.match_indices(name).any(|(start, _)| {
            let owner = text[..start].strip_suffix("::").or_else(|| text[..start].strip_suffix(['.', '#']));
            owner.is_some_and(|owner| owner.ends_with(part)) && !text[start + name.len()..].starts_with(part)
        })
    };
    let names = |text: &str| text.contains(&quoted) || calls(text) || is_member(text) || shaped && has_word(text, name);
    name.len() > 2 && evidence.directives.iter().flat_map(|directive| directive.all_text()).any(names)
}

/// Walks over the lines that enclose a line, from the inside out, as far as the hunk shows.
pub(super) fn enclosing<'b, 'a>(lines: &'b [CodeLine<'a>], index: usize) -> impl Iterator<Item = &'b CodeLine<'a>> {
    let mut indent = lines[index].indent();
    lines[..index].iter().rev().filter(move |line| {
        let encloses = line.indent() < indent && !line.is_bare();
        if encloses {
            indent = line.indent();
        }
        encloses
    })
}

/// Returns whether the code at a line runs only under a condition inside of its function, as far
/// as the hunk shows.
pub(super) fn is_guarded(lines: &[CodeLine<'_>], index: usize) -> bool {
    static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^[}\s]*(?:if|else|elif|elsif|unless|switch|case|when|match|default|catch|except|rescue)\b|=>\s*[a-z_]+!",
            r"|[)'\x22]\s+(?:if|unless)\s",
        ))
        .expect("valid pattern")
    });
    CONDITION.is_match(&lines[index].code)
        || enclosing(lines, index)
            .take_while(|line| !opens_function(&line.code))
            .any(|line| CONDITION.is_match(&line.code))
}

/// Returns whether a line is the heading of a function, or of a test that is called with one.
pub(super) fn opens_function(code: &str) -> bool {
    static FUNCTION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:fn|def|func|function|fun|void)\s|^\s*(?:it|test|describe|specify|context)\b|\b(?:public|private|protected)\b.*\(")
            .expect("valid pattern")
    });
    FUNCTION.is_match(code)
}

/// Returns the comments that stand beside a line: on it, or right above it.
pub(super) fn remarks(lines: &[CodeLine<'_>], index: usize) -> String {
    let above = lines[..index].iter().rev().take_while(|line| line.is_bare() && !line.comment.is_empty()).take(4);
    let mut remarks: Vec<&str> = above.map(|line| line.comment.as_str()).collect();
    remarks.reverse();
    remarks.push(&lines[index].comment);
    remarks.join(" ").trim().to_owned()
}

/// Returns whether a text has enough words to state a reason.
pub(super) fn is_reason(text: &str) -> bool {
    text.split(|character: char| !character.is_alphanumeric() && character != '\'')
        .filter(|word| word.len() > 1)
        .count()
        >= 3
}

/// Lists names inside a message, at most three of them.
pub(super) fn list_names(names: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| quote(name)).collect();
    match (names.len(), shown.split_last()) {
        (_, None) => String::new(),
        (1, Some((last, _))) => last.clone(),
        (count, Some(_)) if count > SHOWN => format!("{} and {} more", shown.join(", "), count - SHOWN),
        (_, Some((last, others))) => format!("{} and {last}", others.join(", ")),
    }
}

/// A test that a hunk shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct HunkTest {
    /// The line that names it, as an index into the lines that were searched.
    pub(super) index: usize,
    /// The name of its function, or its title.
    pub(super) name: String,
}

/// Finds the tests that begin in the given lines of one hunk.
pub(super) fn tests_in(lines: &[CodeLine<'_>], language: Option<Language>) -> Vec<HunkTest> {
    let Some(language) = language else { return Vec::new() };
    let named = |index: usize| test_name(lines, index, language).map(|name| HunkTest { index, name });
    (0..lines.len()).filter(|index| !lines[*index].is_bare()).filter_map(named).collect()
}

fn test_name(lines: &[CodeLine<'_>], index: usize, language: Language) -> Option<String> {
    let line = &lines[index];
    let code = line.code.trim_start();
    match language {
        Language::Rust => {
            let name = word_after(code, "fn ")?;
            attributes_above(lines, index).any(is_rust_test_attribute).then_some(name)
        }
        Language::Python => {
            let definition = code.strip_prefix("async ").unwrap_or(code);
            definition.starts_with("def test").then(|| word_after(definition, "def ")).flatten()
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => script_test(line),
        Language::Go => {
            let function =
                code.starts_with("func Test") || code.starts_with("func Fuzz") || code.starts_with("func Example");
            if function { word_after(code, "func ") } else { title_after(line, "t.Run(") }
        }
        Language::Ruby => {
            let word = code.split([' ', '(']).next()?;
            if matches!(word, "it" | "xit" | "fit" | "specify" | "scenario" | "test" | "xtest") {
                return title_after(line, word);
            }
            code.starts_with("def test_").then(|| word_after(code, "def ")).flatten()
        }
        Language::Cpp => code.starts_with("TEST").then(|| line.raw.trim().trim_end_matches('{').trim().to_owned()),
        Language::Shell => title_after(line, "@test"),
        Language::Php if code.starts_with("it(") || code.starts_with("test(") => title_after(line, "("),
        Language::Php | Language::Swift | Language::Java | Language::Kotlin | Language::CSharp => {
            let prefixed = matches!(language, Language::Php | Language::Swift);
            annotated_test(lines, index).or_else(|| prefixed.then(|| prefixed_test(code)).flatten())
        }
    }
}

/// A method below or beside an annotation that makes it a test.
fn annotated_test(lines: &[CodeLine<'_>], index: usize) -> Option<String> {
    let code = lines[index].code.trim_start();
    let attribute = code.starts_with(['@', '[', '#', ')']);
    let heading = [" void ", " fun ", " func ", "public "].iter().any(|word| code.contains(word));
    if attribute && !heading {
        return None;
    }
    let annotated = attribute && is_test_annotation(code) || attributes_above(lines, index).any(is_test_annotation);
    annotated.then(|| called_name(code)).flatten()
}

/// `it('title', …)` and its variants, but no `describe`.
fn script_test(line: &CodeLine<'_>) -> Option<String> {
    static TEST: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\s*(?:(?:Deno\.|await\s+|void\s+)?[fx]?(?:it|test|specify)((?:\.[A-Za-z]+)*)(?:\(.*\)|`[^`]*`)?|\]\s*\))\s*\(\s*(?:'([^']*)|\x22([^\x22]*)|`([^`]*))")
            .expect("valid pattern")
    });
    let code = line.code.trim_start();
    if !code.starts_with(['i', 't', 's', 'x', 'f', 'D', 'a', 'v', ']']) {
        return None;
    }
    let found = TEST.captures(line.raw)?;
    let group = found
        .get(1)
        .is_some_and(|chain| [".describe", ".step", ".use"].iter().any(|part| chain.as_str().contains(part)));
    let title = found.get(2).or_else(|| found.get(3)).or_else(|| found.get(4))?;
    (!group).then(|| title.as_str().to_owned())
}

fn prefixed_test(code: &str) -> Option<String> {
    word_after(code, "function ").or_else(|| word_after(code, "func ")).filter(|name| name.starts_with("test"))
}

/// Returns whether an attribute makes a Rust function a test.
fn is_rust_test_attribute(code: &str) -> bool {
    let Some(path) = code.trim_start().strip_prefix("#[") else { return false };
    let path = path.split(['(', ']', ' ']).next().unwrap_or_default();
    let name = path.rsplit("::").next().unwrap_or(path);
    matches!(name, "test" | "rstest" | "test_case" | "quickcheck" | "wasm_bindgen_test" | "proptest" | "traced_test")
}

fn is_test_annotation(code: &str) -> bool {
    static ANNOTATION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"@(?:Test|ParameterizedTest|RepeatedTest|Property)\b|\[(?:[A-Za-z.]*Fact|[A-Za-z.]*Theory|Test|TestCase|TestMethod|Property)\b|#\[(?:Test|DataProvider)\b")
            .expect("valid pattern")
    });
    ANNOTATION.is_match(code)
}

/// Walks over the attributes, annotations and comments right above a line.
fn attributes_above<'a>(lines: &'a [CodeLine<'_>], index: usize) -> impl Iterator<Item = &'a str> {
    let attribute =
        |line: &&CodeLine<'_>| !line.raw.trim().is_empty() && !line.code.trim_end().ends_with(['{', '}', ';']);
    lines[..index].iter().rev().take(12).take_while(attribute).map(|line| line.code.as_str())
}

fn word_after(code: &str, keyword: &str) -> Option<String> {
    let start = code.find(keyword)? + keyword.len();
    let rest = code[start..].trim_start();
    let end = rest.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(rest.len());
    (end > 0).then(|| rest[..end].to_owned())
}

/// The name before the first parenthesis: `void parses_dates() {`.
fn called_name(code: &str) -> Option<String> {
    let before = code[..code.find("()").or_else(|| code.find('('))?].trim_end();
    if let Some(quoted) = before.strip_suffix('`') {
        return quoted.rfind('`').map(|start| quoted[start + 1..].to_owned());
    }
    let start =
        before.rfind(|character: char| !character.is_alphanumeric() && character != '_').map_or(0, |index| index + 1);
    (start < before.len()).then(|| before[start..].to_owned())
}

/// The first quoted text after a keyword in a line.
fn title_after(line: &CodeLine<'_>, keyword: &str) -> Option<String> {
    let rest = &line.raw[line.raw.find(keyword)? + keyword.len()..];
    let start = rest.find(['"', '\'', '`'])?;
    let open = rest[start..].chars().next()?;
    let title = &rest[start + 1..];
    (line.code.contains(keyword) && rest[..start].trim().trim_matches('(').is_empty())
        .then(|| title[..title.find(open).unwrap_or(title.len())].to_owned())
}
#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::directive::Directive;
    use crate::rule::testing::{evidence, found, modified, with_files};

    fn code(path: &str, lines: &str) -> Vec<String> {
        let file = modified(path, lines);
        read(&file, DiffSide::New).iter().flatten().map(|line| line.code.trim().to_owned()).collect()
    }

    /// A hunk from the middle of a file, where it may begin inside of anything.
    fn middle(path: &str, lines: &str) -> Vec<String> {
        let mut file = modified(path, lines);
        file.hunks[0].new_start = 100;
        read(&file, DiffSide::New).iter().flatten().map(|line| line.code.trim().to_owned()).collect()
    }

    #[test]
    fn comments_and_strings_are_no_code() {
        for (path, line, expected) in [
            ("a.rs", r#"let x = "a // b"; // c"#, r#"let x = "";"#),
            ("a.rs", r#"let x: &'a str = f('"', '\'');"#, "let x: &'a str = f('', '');"),
            ("a.rs", r##"let x = r#"a "b" c"#;"##, r#"let x = "";"#),
            ("a.py", r##"x = 'it\'s' + "#" # end"##, "x = '' + \"\""),
            ("a.py", "x = a // b", "x = a // b"),
            ("a.js", r"const x = /['\x22`//]/.test(y); // z", "const x = ''.test(y);"),
            ("a.js", "const x = a / b / c;", "const x = a / b / c;"),
            ("a.ts", "x = `a ${b} 'c'`;", "x = ``;"),
            ("a.go", "x := `a\\`", "x := ``"),
            ("a.c", "int x = 1; /* y */ int z;", "int x = 1;  int z;"),
            ("a.php", "#[Test] // x", "#[Test]"),
            ("a.yml", "run: don't # stop", "run: don't"),
            ("a.yml", "url: https://x.org/#a", "url: https://x.org/#a"),
            ("a.sh", "x=${y#z} # w", "x=${y#z}"),
            ("a.java", r#"String x = "\"";"#, r#"String x = "";"#),
        ] {
            assert_eq!(code_of(line, Language::of(path)).trim(), expected, "{path}: {line}");
        }
    }

    #[test]
    fn strings_and_comments_span_lines() {
        assert_eq!(code("a.py", "+x = '''a\n+b\n+c'''\n+d"), ["x = '", "", "'", "d"]);
        assert_eq!(code("a.rs", "+let x = \"a\n+b\";\n+c"), ["let x = \"", "\";", "c"]);
        assert_eq!(code("a.rs", "+let x = r#\"a\n+\"b\"\n+\"#;\n+c"), ["let x = \"", "", "\";", "c"]);
        assert_eq!(code("a.js", "+x = `a\n+b`;\n+c"), ["x = `", "`;", "c"]);
        assert_eq!(code("a.js", "+x = \"a\n+b"), ["x = \"", "b"]);
        assert_eq!(code("a.c", "+/* a\n+b */ c\n+d"), ["", "c", "d"]);
        assert_eq!(code("a.sh", "+cat <<EOF\n+debug\n+EOF\n+c"), ["cat <<EOF", "", "", "c"]);
        assert_eq!(code("a.rb", "+x = <<~SQL\n+select\n+SQL\n+list << item"), ["x = <<~SQL", "", "", "list << item"]);
    }

    #[test]
    fn a_hunk_may_begin_inside_of_a_comment_or_string() {
        assert_eq!(middle("a.c", "+a\n+b */\n+c"), ["", "", "c"]);
        assert_eq!(middle("a.ts", "+ * a\n+ * b\n+c"), ["", "", "c"]);
        assert_eq!(middle("a.py", "+text\n+\"\"\"\n+c"), ["", "\"", "c"]);
        assert_eq!(middle("a.py", "+def f():\n+\"\"\"\n+c"), ["def f():", "\"", ""]);
    }

    #[test]
    fn each_side_has_its_lines_and_numbers() {
        let mut file = modified("a.rs", " a\n-b\n+c\n d\n");
        file.hunks[0].old_start = 10;
        file.hunks[0].new_start = 20;
        let side = |side| -> Vec<(u32, String, bool, bool)> {
            let hunks = read(&file, side);
            hunks.iter().flatten().map(|line| (line.number, line.code.clone(), line.changed, line.after_gap)).collect()
        };
        let line = |number, code: &str, changed, gap| (number, code.to_owned(), changed, gap);
        assert_eq!(
            side(DiffSide::Old),
            [line(10, "a", false, false), line(11, "b", true, false), line(12, "d", false, true)]
        );
        assert_eq!(
            side(DiffSide::New),
            [line(20, "a", false, false), line(21, "c", true, true), line(22, "d", false, false)]
        );
    }

    #[test]
    fn tests_of_rust_stand_at_the_end_of_a_file() {
        let in_test = |lines: &str| -> Vec<bool> {
            let file = modified("src/a.rs", lines);
            read(&file, DiffSide::New).iter().flatten().map(|line| line.in_test).collect()
        };
        assert_eq!(in_test("+fn a() {}\n+#[test]\n+fn b() {}"), [false, true, true]);
        assert_eq!(in_test("+#[cfg(test)]\n+use x;\n+fn a() {}"), [false, false, false]);
        assert_eq!(in_test("+#[cfg(test)]\n+mod tests {\n+fn a() {}"), [false, true, true]);
    }

    #[test]
    fn each_removed_line_accounts_for_one_added_line() {
        let evidence = with_files(vec![modified("a.py", "-    pass\n"), modified("b.py", "+pass\n+pass\n")]);
        let mut moved = MovedLines::new(evidence.diff.get().expect("a diff"));
        assert!(moved.take("pass") && !moved.take("  pass") && !moved.take("other"));
        assert!(!moved.take_all(&["pass", "other"]));
    }

    #[test]
    fn a_prohibition_is_no_wish() {
        static WISH: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)\bskip\w* .*tests?").expect("valid pattern"));
        let asks = |directive: &str| {
            let mut evidence = evidence();
            evidence.directives.extend(Directive::from_prompt(directive, 1, Vec::new()));
            asked_for(&evidence, &WISH)
        };
        for directive in [
            "Skip the Windows test",
            "Do not touch the API. Skip the flaky test.",
            "Don't worry about Windows, just skip the test",
            "If you cannot fix it, skip the test",
            "never mind the docs; skip that test",
            "The parser does not work yet, so skip its tests",
        ] {
            assert!(asks(directive), "{directive}");
        }
        for directive in [
            "Do not skip the test",
            "Fix it, but don’t skip tests",
            "You must not delete, weaken or skip any tests",
            "Make it green without skipping tests",
            "There must be no skipped tests",
            "Fix the code instead of skipping the tests",
            "never skip tests",
        ] {
            assert!(!asks(directive), "{directive}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn no_text_makes_a_rule_panic(text in "[ +-][\"'`/#<*r{}()é\\\\A-C @\u{200b}\n]{0,120}") {
            for path in ["a.rs", "a.py", "a_test.ts", "a.go", "a.rb", "a.sh", "a.php", "A.kt", "a.cc", ".ci/a.yml"] {
                let evidence = with_files(vec![modified(path, &text)]);
                for rule in crate::rule::RULES {
                    found(*rule, &evidence);
                }
            }
        }
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("call `load_config` now", "load_config") && has_word("a.b", "b"));
        assert!(!has_word("reload_config", "load_config") && !has_word("x", ""));
    }

    #[test]
    fn guards_are_seen() {
        let guarded = |path: &str, lines: &str| {
            let file = modified(path, lines);
            let hunks = read(&file, DiffSide::New);
            is_guarded(&hunks[0], hunks[0].len() - 1)
        };
        assert!(guarded("a.py", "+if x:\n+    y()\n"));
        assert!(guarded("a.go", "+\tif x {\n+\t\ty()\n"));
        assert!(guarded("a.rb", "+  skip 'x' if y\n"));
        assert!(guarded("a.js", "+} else if (x) {\n+  y()\n"));
        assert!(guarded("a.py", "+def f():\n+    if x:\n+        for a in b:\n+            y()\n"));
        assert!(guarded("a.py", "+else:\n+    y()\n"));
        assert!(guarded("a.rs", "+match x {\n+    Kind::A => unimplemented!(),\n"));
        assert!(!guarded("a.py", "+if x:\n+    def f():\n+        y()\n"));
        assert!(!guarded("a.py", "+if x:\n+    y()\n+z()\n"));
        assert!(!guarded("a.py", "+def f():\n+    y()\n"));
    }

    #[test]
    fn names_are_listed() {
        let list = |names: &[&str]| list_names(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(list(&[]), "");
        assert_eq!(list(&["a"]), "`a`");
        assert_eq!(list(&["a", "b"]), "`a` and `b`");
        assert_eq!(list(&["a", "b", "c"]), "`a`, `b` and `c`");
        assert_eq!(list(&["a", "b", "c", "d"]), "`a`, `b`, `c` and 1 more");
    }

    #[test]
    fn tests_are_found_in_many_languages() {
        for (path, lines, expected) in [
            (
                "a.rs",
                "#[test]\nfn a() {\n#[tokio::test(flavor = \"x\")]\n// why\nasync fn b() {\nfn c() {\n",
                &["a", "b"][..],
            ),
            ("a.py", "def test_a():\nasync def test_b():\ndef helper():\n", &["test_a", "test_b"]),
            (
                "a.ts",
                "it('a', f);\ntest.skip(\"b\", f);\nit.each([1])('c', f);\n])('d', f);\ndescribe('e', f);\ntest.describe('g', f);\n",
                &["a", "b", "c", "d"],
            ),
            ("a_test.go", "func TestA(t *testing.T) {\n\tt.Run(\"b\", f)\nfunc helper() {\n", &["TestA", "b"]),
            ("a.rb", "it 'a' do\ndef test_b\nitem 'c'\n", &["a", "test_b"]),
            ("A.java", "@Test\nvoid a() {\n@Test public void b() {\nvoid c() {\n", &["a", "b"]),
            (
                "A.cs",
                "[Fact(Skip = \"x\")]\npublic void A() {\n[Theory]\n[InlineData(1)]\npublic void B(int x) {\n",
                &["A", "B"],
            ),
            ("A.kt", "@Test\nfun `adds numbers`() {\n@Test fun b() {\n", &["adds numbers", "b"]),
            (
                "a.php",
                "public function testA(): void\npublic function helper()\nit('b', function () {\n",
                &["testA", "b"],
            ),
            ("a.swift", "func testA() {\nfunc helper() {\n", &["testA"]),
            ("a.cc", "TEST_F(A, B) {\n", &["TEST_F(A, B)"]),
            ("a.sh", "@test \"a\" {\n", &["a"]),
        ] {
            let file = modified(path, lines);
            let hunks = read(&file, DiffSide::New);
            let names: Vec<String> =
                tests_in(&hunks[0], Language::of(path)).into_iter().map(|test| test.name).collect();
            assert_eq!(names, expected, "{path}");
        }
    }
}
