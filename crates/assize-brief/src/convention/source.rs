//! The names that a change brings, and whether its lines mention them more often than they declare them.
//!
//! A mention is an identifier in code, told from the syntax tree: comments and texts mention nothing. It is by the
//! letters of the name and not by scope. It must not know what fits.

use std::collections::{BTreeMap, BTreeSet};

use assize_ecosystem::FileRole;
use assize_ecosystem::Language;
use assize_syntax::facts::FileFacts;
use assize_syntax::language::FactsReader;
use foldhash::HashMap;

use super::added_name::AddedName;
use super::base::BaseConventions;
use super::{ChangedSource, FILES_MAX};
use crate::naming::ConventionSubject;
use crate::tally::CountedFor;

/// A file of a change that was read.
pub(super) struct ParsedSource<'c> {
    pub(super) path: &'c str,
    pub(super) language: Language,
    pub(super) role: FileRole,
    added: &'c BTreeSet<u32>,
    facts: FileFacts,
    /// How often an identifier stands on the added lines, declarations included.
    mentions: HashMap<String, usize>,
}

impl<'c> ParsedSource<'c> {
    /// Reads the files that the project's own people write, in the order of their paths; with them, how many of them
    /// were left out.
    pub(super) fn read(base: &BaseConventions<'_>, files: &[ChangedSource<'c>]) -> (Vec<Self>, u32) {
        let mut files: Vec<&ChangedSource<'c>> = files.iter().collect();
        files.sort_by_key(|file| file.path);
        let mut left_out = files.len().saturating_sub(FILES_MAX);
        let mut reader = FactsReader::new();
        let mut sources = Vec::new();
        for file in files.into_iter().take(FILES_MAX) {
            let role = base.role(file.path);
            if CountedFor::of(role) == CountedFor::Not {
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
                role,
                added: file.added,
                facts,
                mentions: mentions(&parsed.tree, file),
            });
        }
        (sources, left_out as u32)
    }
}

/// Counts the identifiers on the added lines of a file.
fn mentions(tree: &tree_sitter::Tree, file: &ChangedSource<'_>) -> HashMap<String, usize> {
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
pub(super) fn names<'s>(base: &BaseConventions<'_>, sources: &'s [ParsedSource<'_>]) -> Vec<AddedName<'s>> {
    let mut found: BTreeMap<(Language, ConventionSubject, &str), AddedName<'s>> = BTreeMap::new();
    let mut declared: HashMap<&str, usize> = HashMap::default();
    for source in sources {
        let before = base.declared(source.path);
        for name in source.facts.names.iter().filter(|name| source.added.contains(&name.line)) {
            *declared.entry(name.text).or_default() += 1;
            if before.contains(name.text) {
                continue;
            }
            let subject = ConventionSubject::of(name, source.language);
            let in_production = source.role == FileRole::Production;
            let brought = found.entry((source.language, subject, name.text)).or_insert(AddedName {
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
    let mut names: Vec<AddedName<'s>> = found.into_values().collect();
    for name in &mut names {
        let mentioned: usize = sources.iter().filter_map(|source| source.mentions.get(name.text)).sum();
        name.is_used = mentioned > declared.get(name.text).copied().unwrap_or_default();
    }
    names
}
