//! The names that a change brings, and whether its lines mention them more often than they declare them.
//!
//! A mention is an identifier in code, told from the syntax tree: comments and texts mention nothing. It is by the
//! letters of the name and not by scope. It must not know what fits.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::HashMap;

use super::habits::Habits;
use super::{ChangedFile, FILES_MAX};
use crate::facts::{FileFacts, Role};
use crate::language::{LanguageId, Reader};
use crate::naming::Subject;
use crate::path::Part;
use crate::tally::Counted;

/// A file of a change that was read.
pub(super) struct Source<'c> {
    pub(super) path: &'c str,
    pub(super) language: LanguageId,
    pub(super) part: Part,
    added: &'c BTreeSet<u32>,
    facts: FileFacts,
    /// How often an identifier stands on the added lines, declarations included.
    mentions: HashMap<String, usize>,
}

/// A name that a change brings. What occurs several times stands here once, with its first place.
pub(super) struct Brought<'s> {
    pub(super) text: &'s str,
    pub(super) language: LanguageId,
    pub(super) subject: Subject,
    pub(super) role: Role,
    pub(super) path: &'s str,
    pub(super) line: u32,
    /// Whether it is declared outside of tests, examples and the like.
    pub(super) in_production: bool,
    /// Whether the change mentions it beyond its declarations.
    pub(super) is_used: bool,
}

impl<'c> Source<'c> {
    /// Reads the files that the project's own people write, in the order of their paths; with them, how many of them
    /// were left out.
    pub(super) fn read(habits: &Habits<'_>, files: &[ChangedFile<'c>]) -> (Vec<Self>, u32) {
        let mut files: Vec<&ChangedFile<'c>> = files.iter().collect();
        files.sort_by_key(|file| file.path);
        let mut left_out = files.len().saturating_sub(FILES_MAX);
        let mut reader = Reader::new();
        let mut sources = Vec::new();
        for file in files.into_iter().take(FILES_MAX) {
            let part = habits.part(file.path);
            if Counted::of(part) == Counted::Not {
                continue;
            }
            let Some(facts) = reader.read(file.path, file.text) else { continue };
            let parsed = reader.parse(file.path, file.text).filter(|_| facts.passed_over.is_none());
            let Some(parsed) = parsed else {
                left_out += 1;
                continue;
            };
            sources.push(Self {
                path: file.path,
                language: parsed.language,
                part,
                added: file.added,
                facts,
                mentions: mentions(&parsed.tree, file),
            });
        }
        (sources, left_out as u32)
    }
}

/// Counts the identifiers on the added lines of a file.
fn mentions(tree: &tree_sitter::Tree, file: &ChangedFile<'_>) -> HashMap<String, usize> {
    let mut found = HashMap::default();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        // Every grammar calls them so: `identifier`, `type_identifier`, `shorthand_property_identifier`.
        let is_identifier = node.child_count() == 0 && node.kind().contains("identifier");
        if is_identifier && file.added.contains(&(node.start_position().row as u32 + 1)) {
            let text = &file.text[node.byte_range()];
            let text = text.strip_prefix("r#").unwrap_or(text).trim_start_matches('#');
            *found.entry(text.to_owned()).or_default() += 1;
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

/// The names that a change brings: what its lines declare and the base does not declare in the same file.
pub(super) fn names<'s>(habits: &Habits<'_>, sources: &'s [Source<'_>]) -> Vec<Brought<'s>> {
    let mut found: BTreeMap<(LanguageId, Subject, &str), Brought<'s>> = BTreeMap::new();
    let mut declared: HashMap<&str, usize> = HashMap::default();
    for source in sources {
        let before = habits.declared(source.path);
        for name in source.facts.names.iter().filter(|name| source.added.contains(&name.line)) {
            *declared.entry(name.text).or_default() += 1;
            if before.contains(name.text) {
                continue;
            }
            let subject = Subject::of(name, source.language);
            let in_production = source.part == Part::Production;
            let brought = found.entry((source.language, subject, name.text)).or_insert(Brought {
                text: name.text,
                language: source.language,
                subject,
                role: name.role,
                path: source.path,
                line: name.line,
                in_production,
                is_used: false,
            });
            brought.in_production |= in_production;
        }
    }
    let mut names: Vec<Brought<'s>> = found.into_values().collect();
    for name in &mut names {
        let mentioned: usize = sources.iter().filter_map(|source| source.mentions.get(name.text)).sum();
        name.is_used = mentioned > declared.get(name.text).copied().unwrap_or_default();
    }
    names
}
