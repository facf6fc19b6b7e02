//! The conventions that a base shows, looked up once for all changes that are measured by them. It knows no change.

use std::collections::BTreeMap;

use assize_ecosystem::FileRole;
use assize_ecosystem::Language;
use assize_syntax::facts::Role;
use assize_syntax::language::keywords;
use assize_syntax::language::language_of;
use assize_syntax::tree::SourceTree;
use foldhash::{HashSet, HashSetExt};

use super::added_name::AddedName;
use super::pattern::{SiblingFiles, is_prescribed};
use crate::brief::Brief;
use crate::glossary::{role_weight, term};
use crate::naming::{Convention, ConventionSubject, NameStyle, expected};
use crate::tally::CountedFor;
use crate::words::words;

/// What a base shows of its conventions.
#[derive(Debug)]
pub struct BaseConventions<'a> {
    tree: &'a SourceTree<'a>,
    roles: &'a [FileRole],
    naming: &'a [Convention],
    /// Terms of the glossary.
    pub(super) terms: HashSet<&'a str>,
    /// Every word of the names of its production code.
    pub(super) words: HashSet<String>,
    /// Names that it has although they break its own convention.
    exceptions: HashSet<(Language, ConventionSubject, &'a str)>,
    /// Files that can show how a new one is named, by their language and whether they are tests.
    siblings: BTreeMap<(Language, bool), SiblingFiles<'a>>,
}

/// How a name fits the convention of its kind.
pub(super) enum NameFit {
    /// There is no convention, the name tells nothing of it, or the base has this very name.
    Unknown,
    /// It follows.
    Right,
    /// It does not.
    Wrong {
        /// How it is written.
        written: NameStyle,
        /// What is usual, in words.
        usual: String,
    },
}

impl<'a> BaseConventions<'a> {
    /// Looks up what a tree, the roles of its files ([`crate::unit::roles`]) and its brief say.
    pub fn of(tree: &'a SourceTree<'a>, roles: &'a [FileRole], brief: &'a Brief) -> Self {
        let mut conventions = Self {
            tree,
            roles,
            naming: &brief.naming,
            terms: brief.glossary.terms.iter().map(|term| term.text.as_str()).collect(),
            words: HashSet::new(),
            exceptions: HashSet::new(),
            siblings: BTreeMap::new(),
        };
        let mut lower = String::new();
        for (id, file) in tree.files() {
            let (Some(language), Some(facts)) = (language_of(file.path), file.facts) else { continue };
            let role = roles[id.index()];
            let counted = CountedFor::of(role);
            if counted == CountedFor::Not || facts.passed_over.is_some() {
                continue;
            }
            if !is_prescribed(file.path) {
                conventions.siblings.entry((language, role == FileRole::Test)).or_default().paths.push(file.path);
            }
            let mut seen = HashSet::new();
            for name in &facts.names {
                let subject = ConventionSubject::of(name, language);
                if !seen.insert((subject, name.text)) {
                    continue;
                }
                let style = expected(conventions.naming, language, subject).map(|(_, style)| style);
                if style.zip(NameStyle::of(name.text)).is_some_and(|(style, written)| !style.admits(written)) {
                    conventions.exceptions.insert((language, subject, name.text));
                }
                if counted < CountedFor::NamingAndGlossary || role_weight(name.role) == 0 {
                    continue;
                }
                for word in words(name.text) {
                    let word = term(word, keywords(language), &mut lower);
                    if let Some(word) = word.filter(|word| !conventions.words.contains(word.as_ref())) {
                        conventions.words.insert(word.into_owned());
                    }
                }
            }
        }
        for siblings in conventions.siblings.values_mut() {
            siblings.count();
        }
        conventions
    }

    /// The role that a file of a change plays: for one that the base has, what the base says.
    pub(super) fn role(&self, path: &str) -> FileRole {
        self.tree.find(path).map_or_else(|| FileRole::of(path), |id| self.roles[id.index()])
    }

    /// The files that can show how a file of this kind is named.
    pub(super) fn siblings(&self, language: Language, is_test: bool) -> Option<&SiblingFiles<'a>> {
        self.siblings.get(&(language, is_test))
    }

    /// Returns whether the base has no such file.
    pub(super) fn is_new(&self, path: &str) -> bool {
        self.tree.find(path).is_none()
    }

    /// The names that the base declares in a file.
    pub(super) fn declared(&self, path: &str) -> HashSet<&'a str> {
        let facts = self.tree.find(path).and_then(|id| self.tree.facts(id));
        facts.into_iter().flat_map(|facts| facts.names.texts()).collect()
    }

    /// Holds a name against the convention of its kind.
    pub(super) fn fit(&self, name: &AddedName<'_>) -> NameFit {
        let Some((convention, style)) = expected(self.naming, name.language, name.subject) else {
            return NameFit::Unknown;
        };
        let Some(written) = NameStyle::of(name.text) else { return NameFit::Unknown };
        if style.admits(written) {
            return NameFit::Right;
        }
        if is_meant_for_a_constant(name, written) {
            let constants = expected(self.naming, name.language, ConventionSubject::Name(Role::Constant));
            let fits = constants.is_some_and(|(_, style)| style.admits(written));
            return if fits { NameFit::Right } else { NameFit::Unknown };
        }
        if self.exceptions.contains(&(name.language, name.subject, name.text)) {
            return NameFit::Unknown;
        }
        let (agreeing, total) = convention.agreeing(style);
        let usual = format!("{style} is usual for {} names ({agreeing} of {total})", name.subject);
        NameFit::Wrong { written, usual }
    }
}

/// Returns whether a variable is written in capital letters where the language does not say what is constant: such a
/// name is read as a constant only when its value is plain.
fn is_meant_for_a_constant(name: &AddedName<'_>, written: NameStyle) -> bool {
    let says_nothing =
        matches!(name.language, Language::Python | Language::JavaScript | Language::TypeScript | Language::Tsx);
    says_nothing
        && matches!(name.role, Role::Variable | Role::Field)
        && matches!(written, NameStyle::Upper | NameStyle::Screaming)
}
