//! Lists whose lines begin with the name of a thing: the change has all of them but one.

use std::sync::LazyLock;

use assize_core::diff::{Diff, FileChange};
use regex::Regex;

/// Fewest lines that make a list.
const LINES_MIN: usize = 3;

/// Returns the name at the head of the one line of a list of which the change has nothing, where it has the heads of all others.
pub(super) fn left_out<'d>(directive: &'d str, diff: &Diff) -> Option<&'d str> {
    let lists = lists(directive);
    if lists.is_empty() {
        return None;
    }
    let texts = diff.files.iter().flat_map(|file| file.hunks.iter().flat_map(|hunk| &hunk.lines)).map(|line| line.text.inspect().to_lowercase());
    let texts: Vec<String> = texts.chain(diff.files.iter().map(|file| file.path.to_lowercase())).collect();
    let added: Vec<String> = diff.files.iter().flat_map(FileChange::added_lines).map(|(_, line)| line.to_lowercase()).collect();
    let is_in = |texts: &[String], head: &str| texts.iter().any(|text| text.contains(&core_of(head)));
    lists.into_iter().find_map(|heads| {
        let missing: Vec<&str> = heads.iter().copied().filter(|head| !is_in(&added, head)).collect();
        match missing[..] {
            [one] if !is_in(&texts, one) => Some(one),
            _ => None,
        }
    })
}

/// What of a name has to stand somewhere: an option loses its dashes, and a call its brackets.
fn core_of(head: &str) -> String {
    head.trim_matches(['-', '`', '(', ')']).to_lowercase()
}

/// The heads of the lines of each list, where all of them are names of code.
fn lists(directive: &str) -> Vec<Vec<&str>> {
    static HEAD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)^[ \t]*(?:[-*+] |\d+[.)] )?(?:`([\w.:/()-]{3,40})`|([A-Z][A-Z0-9_]{2,30})\b|(--[a-z][\w-]{2,30})|([a-z]\w*(?:_\w+|[A-Z]\w*)(?:\(\))?))[ :,(-]").expect("valid pattern")
    });
    let head = |line: &'_ str| -> Option<(usize, usize)> {
        let found = HEAD.captures(line)?.iter().skip(1).flatten().next()?;
        Some((found.start(), found.end()))
    };
    let mut lists: Vec<Vec<&str>> = vec![Vec::new()];
    for line in directive.lines() {
        match head(line) {
            Some((start, end)) => lists.last_mut().expect("there is one").push(&line[start..end]),
            None => lists.push(Vec::new()),
        }
    }
    lists.retain(|list| list.len() >= LINES_MIN);
    lists
}
