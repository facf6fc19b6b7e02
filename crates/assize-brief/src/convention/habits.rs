//! What a base shows of its habits, looked up once for all changes that are measured by it. It knows no change.

use std::collections::BTreeMap;

use foldhash::{HashSet, HashSetExt};

use super::brought::Brought;
use super::pattern::{Kin, is_prescribed};
use crate::brief::Brief;
use crate::facts::Role;
use crate::glossary::{role_weight, term};
use crate::language::{LanguageId, language_of};
use crate::naming::{Convention, Style, Subject, expected};
use crate::path::Part;
use crate::tally::Counted;
use crate::tree::Tree;
use crate::words::words;

/// What a base shows of its habits.
#[derive(Debug)]
pub struct Habits<'a> {
    tree: &'a Tree<'a>,
    parts: &'a [Part],
    naming: &'a [Convention],
    /// Terms of the glossary.
    pub(super) terms: HashSet<&'a str>,
    /// Every word of the names of its production code.
    pub(super) words: HashSet<String>,
    /// Names that it has although they break its own convention.
    exceptions: HashSet<(LanguageId, Subject, &'a str)>,
    /// Files that can show how a new one is named, by their language and whether they are tests.
    pub(super) kin: BTreeMap<(LanguageId, bool), Kin<'a>>,
}

/// How a name fits the convention of its kind.
pub(super) enum Fit {
    /// There is no convention, the name tells nothing of it, or the base has this very name.
    Unknown,
    /// It follows.
    Right,
    /// It does not.
    Wrong {
        /// How it is written.
        written: Style,
        /// What is usual, in words.
        usual: String,
    },
}

impl<'a> Habits<'a> {
    /// Looks up what a tree, the parts that its files play ([`crate::unit::parts`]) and its brief say.
    pub fn of(tree: &'a Tree<'a>, parts: &'a [Part], brief: &'a Brief) -> Self {
        let mut habits = Self {
            tree,
            parts,
            naming: &brief.naming,
            terms: brief.glossary.terms.iter().map(|term| term.text.as_str()).collect(),
            words: HashSet::new(),
            exceptions: HashSet::new(),
            kin: BTreeMap::new(),
        };
        let mut lower = String::new();
        for (id, file) in tree.files() {
            let (Some(language), Some(facts)) = (language_of(file.path), file.facts) else { continue };
            let part = parts[id.index()];
            let counted = Counted::of(part);
            if counted == Counted::Not || facts.passed_over.is_some() {
                continue;
            }
            if !is_prescribed(file.path) {
                habits.kin.entry((language, part == Part::Test)).or_default().paths.push(file.path);
            }
            let mut seen = HashSet::new();
            for name in &facts.names {
                let subject = Subject::of(name, language);
                if !seen.insert((subject, name.text)) {
                    continue;
                }
                let style = expected(habits.naming, language, subject).map(|(_, style)| style);
                if style.zip(Style::of(name.text)).is_some_and(|(style, written)| !style.admits(written)) {
                    habits.exceptions.insert((language, subject, name.text));
                }
                if counted < Counted::NamingAndGlossary || role_weight(name.role) == 0 {
                    continue;
                }
                for word in words(name.text) {
                    let word = term(word, language.keywords(), &mut lower);
                    if let Some(word) = word.filter(|word| !habits.words.contains(word.as_ref())) {
                        habits.words.insert(word.into_owned());
                    }
                }
            }
        }
        for kin in habits.kin.values_mut() {
            kin.count();
        }
        habits
    }

    /// The part that a file of a change plays: for one that the base has, what the base says.
    pub(super) fn part(&self, path: &str) -> Part {
        self.tree.find(path).map_or_else(|| Part::of(path), |id| self.parts[id.index()])
    }

    pub(super) fn is_new(&self, path: &str) -> bool {
        self.tree.find(path).is_none()
    }

    /// The names that the base declares in a file.
    pub(super) fn declared(&self, path: &str) -> HashSet<&'a str> {
        let facts = self.tree.find(path).and_then(|id| self.tree.facts(id));
        facts.into_iter().flat_map(|facts| facts.names.texts()).collect()
    }

    /// Holds a name against the convention of its kind.
    pub(super) fn fit(&self, name: &Brought<'_>) -> Fit {
        let Some((convention, style)) = expected(self.naming, name.language, name.subject) else { return Fit::Unknown };
        let Some(written) = Style::of(name.text) else { return Fit::Unknown };
        if style.admits(written) {
            return Fit::Right;
        }
        if is_meant_for_a_constant(name, written) {
            let constants = expected(self.naming, name.language, Subject::Name(Role::Constant));
            let fits = constants.is_some_and(|(_, style)| style.admits(written));
            return if fits { Fit::Right } else { Fit::Unknown };
        }
        if self.exceptions.contains(&(name.language, name.subject, name.text)) {
            return Fit::Unknown;
        }
        let agreeing = agreeing(convention, style);
        let usual = format!("{style} is usual for {} names ({agreeing} of {})", name.subject, convention.total);
        Fit::Wrong { written, usual }
    }
}

/// Returns whether a variable is written in capital letters where the language does not say what is constant: such a
/// name is read as a constant only when its value is plain.
fn is_meant_for_a_constant(name: &Brought<'_>, written: Style) -> bool {
    let says_nothing =
        matches!(name.language, LanguageId::Python | LanguageId::JavaScript | LanguageId::TypeScript | LanguageId::Tsx);
    says_nothing
        && matches!(name.role, Role::Variable | Role::Field)
        && matches!(written, Style::Upper | Style::Screaming)
}

/// How many of the names that a convention is made of agree with a style.
pub(super) fn agreeing(convention: &Convention, style: Style) -> u32 {
    convention.styles.iter().filter(|share| style.admits(share.style)).map(|share| share.count).sum()
}
