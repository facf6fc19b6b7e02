//! The words of the domain, by weight.
//!
//! Declared names are split into words, and what any program says is left out ([`GENERIC_WORDS`], the language's
//! keywords). What remains is weighed:
//!
//! ```text
//! weight(t) = ( Σ over files f of  1 + ln tf(t, f) ) · ln(1 + N / df(t))
//! ```
//!
//! `tf(t, f)` is how often the word occurs in the names of a file, each occurrence counted as much as its role
//! weighs; `df(t)` is the number of files that have it, `N` the number of all. Within a file occurrences
//! are dampened (a word that one file says a hundred times is not a hundred times as important), and a word
//! that every file says weighs less than its frequency. These are the logarithmic term weight and the inverse
//! document frequency of Manning, Raghavan and Schütze, *Introduction to Information Retrieval* (2008), sections
//! 6.4.1 and 6.2.1, the latter with one added so that a word of all files keeps some weight; summed over the files,
//! since the glossary is of all of them.
//!
//! Two words that stand side by side more often than chance has it are a term of their own. The measure is the
//! log-likelihood ratio of Dunning, *Accurate Methods for the Statistics of Surprise and Coincidence* (Computational
//! Linguistics 19, 1993), which holds for small counts as well.
//!
//! Names of test functions and of test files are left out: they describe and do not name.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use assize_ecosystem::FileRole;
use assize_syntax::facts::{FileFacts, Role};
use assize_syntax::language::keywords;
use assize_syntax::language::language_of;
use foldhash::{HashMap, HashMapExt, HashSet};
use serde::{Deserialize, Serialize};

use crate::words::{singular, words};

/// Words that any program uses, and why each group is there.
pub const GENERIC_WORDS: &str = include_str!("../data/generic_words.txt");

/// Terms that a glossary has at most.
pub const TERMS_MAX: usize = 100;
/// Terms of two words that a glossary has at most.
pub const PAIRS_MAX: usize = 50;
/// Letters that a word must have.
pub const WORD_CHARS_MIN: usize = 3;
/// Letters that a word may have: what is longer is no word.
pub const WORD_CHARS_MAX: usize = 40;
/// Names that must have a word before it is a term.
pub const OCCURRENCES_MIN: u32 = 3;
/// Names that must have two words side by side before they are a term.
pub const PAIR_OCCURRENCES_MIN: u32 = 5;
/// Files that must have two words side by side before they are a term.
pub const PAIR_FILES_MIN: u32 = 2;
/// Least log-likelihood ratio of two words that are a term: one in a thousand pairs of chance reaches it (the χ²
/// distribution with one degree of freedom).
pub const PAIR_STRENGTH_MIN: f64 = 10.83;

static GENERIC: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    GENERIC_WORDS.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect()
});

/// The words of the domain.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Glossary {
    /// The terms, the heaviest first.
    pub terms: Vec<Term>,
    /// The terms of two words, the most firmly bound first.
    pub pairs: Vec<WordPair>,
    /// Terms that were left out because there are more than the limit.
    pub terms_left_out: usize,
}

/// A word of the domain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Term {
    /// The word, singular, in small letters.
    pub text: String,
    /// How much it weighs.
    pub weight: f64,
    /// Names that have it. A name that occurs several times in a file counts once there.
    pub occurrences: u32,
    /// Files that have it.
    pub files: u32,
    /// What the names stand for.
    pub roles: BTreeMap<Role, u32>,
}

/// Two words that belong together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WordPair {
    /// The words, with a blank between them.
    pub text: String,
    /// Names that have them side by side.
    pub occurrences: u32,
    /// Files that have them side by side.
    pub files: u32,
    /// How firmly they are bound: the log-likelihood ratio.
    pub strength: f64,
}

/// Counts words, file by file. What was added can be taken away again.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(try_from = "PackedGlossary", into = "PackedGlossary")]
pub struct GlossaryTally {
    files: u32,
    /// Words by their number.
    texts: Vec<String>,
    numbers: HashMap<String, u32>,
    words: Vec<WordCounts>,
    pairs: HashMap<(u32, u32), PairCounts>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct WordCounts {
    occurrences: u32,
    files: u32,
    /// The sum of dampened occurrences, in thousandths: whole numbers, so that taking away undoes adding.
    dampened: u64,
    roles: [u32; Role::ALL.len()],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct PairCounts {
    occurrences: u32,
    files: u32,
}

/// Occurrences of a word, files, dampened occurrences, and by role those that occur.
type PackedCounts = (u32, u32, u64, Vec<(u8, u32)>);

/// The form in which the counts are kept.
#[derive(Serialize, Deserialize)]
struct PackedGlossary {
    files: u32,
    words: Vec<(String, PackedCounts)>,
    /// Both words by their place, occurrences, files.
    pairs: Vec<(u32, u32, (u32, u32))>,
}

impl From<GlossaryTally> for PackedGlossary {
    fn from(tally: GlossaryTally) -> Self {
        let words = tally.texts.into_iter().zip(&tally.words).map(|(text, counts)| {
            let roles = (0_u8..).zip(counts.roles).filter(|(_, count)| *count > 0).collect();
            (text, (counts.occurrences, counts.files, counts.dampened, roles))
        });
        let pairs = tally.pairs.iter().map(|((one, next), counts)| (*one, *next, (counts.occurrences, counts.files)));
        Self { files: tally.files, words: words.collect(), pairs: pairs.collect() }
    }
}

impl TryFrom<PackedGlossary> for GlossaryTally {
    type Error = &'static str;

    fn try_from(packed: PackedGlossary) -> Result<Self, Self::Error> {
        let mut tally = Self { files: packed.files, ..Self::default() };
        tally.numbers.reserve(packed.words.len());
        for (text, (occurrences, files, dampened, roles)) in packed.words {
            let mut counts = WordCounts { occurrences, files, dampened, ..WordCounts::default() };
            for (role, count) in roles {
                *counts.roles.get_mut(usize::from(role)).ok_or("a word has a role that does not exist")? = count;
            }
            let number = tally.number(&text);
            tally.words[number as usize] = counts;
        }
        tally.pairs.reserve(packed.pairs.len());
        for (one, next, (occurrences, files)) in packed.pairs {
            if one.max(next) as usize >= tally.words.len() {
                return Err("a pair has a word that does not exist");
            }
            tally.pairs.insert((one, next), PairCounts { occurrences, files });
        }
        Ok(tally)
    }
}

/// What a file adds.
#[derive(Default)]
struct FileCounts {
    /// By word: how much its occurrences weigh and what they stand for.
    words: BTreeMap<u32, (u32, [u32; Role::ALL.len()])>,
    pairs: BTreeMap<(u32, u32), u32>,
}

/// How much a name counts. What is named for good says more of the domain than what is named in passing.
pub(crate) fn role_weight(role: Role) -> u32 {
    match role {
        Role::Type | Role::Interface | Role::Enum | Role::Component => 4,
        Role::Module | Role::Variant | Role::Constant => 3,
        Role::Function | Role::Method | Role::Field => 2,
        Role::Variable | Role::Parameter => 1,
        Role::TypeParameter | Role::Test => 0,
    }
}

/// The dampened weight of a file's occurrences, in thousandths.
fn dampened(weight: u32) -> u64 {
    // At most some thousands: the conversion loses nothing.
    ((1.0 + f64::from(weight.max(1)).ln()) * 1000.0).round() as u64
}

impl GlossaryTally {
    /// Counts the words of a file's names.
    pub fn add(&mut self, path: &str, facts: &FileFacts) {
        let Some(counts) = self.count(path, facts) else { return };
        self.files += 1;
        for (word, (weight, roles)) in counts.words {
            let own = &mut self.words[word as usize];
            own.files += 1;
            own.dampened += dampened(weight);
            own.occurrences += roles.iter().sum::<u32>();
            for (count, more) in own.roles.iter_mut().zip(roles) {
                *count += more;
            }
        }
        for (pair, occurrences) in counts.pairs {
            let own = self.pairs.entry(pair).or_default();
            own.files += 1;
            own.occurrences += occurrences;
        }
    }

    /// Takes away what [`GlossaryTally::add`] counted of a file.
    pub fn remove(&mut self, path: &str, facts: &FileFacts) {
        let Some(counts) = self.count(path, facts) else { return };
        self.files = self.files.saturating_sub(1);
        for (word, (weight, roles)) in counts.words {
            let own = &mut self.words[word as usize];
            own.files = own.files.saturating_sub(1);
            own.dampened = own.dampened.saturating_sub(dampened(weight));
            own.occurrences = own.occurrences.saturating_sub(roles.iter().sum::<u32>());
            for (count, less) in own.roles.iter_mut().zip(roles) {
                *count = count.saturating_sub(less);
            }
        }
        for (pair, occurrences) in counts.pairs {
            if let Some(own) = self.pairs.get_mut(&pair) {
                own.files = own.files.saturating_sub(1);
                own.occurrences = own.occurrences.saturating_sub(occurrences);
            }
        }
        self.pairs.retain(|_, counts| counts.files > 0);
    }

    /// Takes over what another tally counted of other files.
    pub fn merge(&mut self, other: Self) {
        self.files += other.files;
        let numbers: Vec<u32> = other.texts.iter().map(|text| self.number(text)).collect();
        for (number, counts) in numbers.iter().zip(other.words) {
            let own = &mut self.words[*number as usize];
            own.occurrences += counts.occurrences;
            own.files += counts.files;
            own.dampened += counts.dampened;
            for (count, more) in own.roles.iter_mut().zip(counts.roles) {
                *count += more;
            }
        }
        for ((one, next), counts) in other.pairs {
            let own = self.pairs.entry((numbers[one as usize], numbers[next as usize])).or_default();
            own.files += counts.files;
            own.occurrences += counts.occurrences;
        }
    }

    fn number(&mut self, word: &str) -> u32 {
        if let Some(number) = self.numbers.get(word) {
            return *number;
        }
        let number = u32::try_from(self.texts.len()).unwrap_or(u32::MAX);
        self.texts.push(word.to_owned());
        self.words.push(WordCounts::default());
        self.numbers.insert(word.to_owned(), number);
        number
    }

    fn count(&mut self, path: &str, facts: &FileFacts) -> Option<FileCounts> {
        let language =
            language_of(path).filter(|_| facts.passed_over.is_none() && !FileRole::of(path).is_for_tests())?;
        // Each text is taken apart once: the words of all, one after the other, and where those of each end. A word
        // that is left out parts what is around it.
        let mut parts: Vec<Option<u32>> = Vec::new();
        let mut ends = Vec::with_capacity(facts.names.texts().len());
        let mut lower = String::new();
        for text in facts.names.texts() {
            for word in words(text) {
                parts.push(term(word, keywords(language), &mut lower).map(|word| self.number(&word)));
            }
            ends.push(parts.len());
        }
        let mut counts = FileCounts::default();
        // By text, a bit for each role.
        let mut seen = vec![0_u16; ends.len()];
        for (text, name) in facts.names.indexed() {
            let (weight, bit) = (role_weight(name.role), 1 << name.role as usize);
            if weight == 0 || seen[text] & bit != 0 {
                continue;
            }
            seen[text] |= bit;
            let start = text.checked_sub(1).map_or(0, |before| ends[before]);
            let words = &parts[start..ends[text]];
            for word in words.iter().flatten() {
                let (sum, roles) = counts.words.entry(*word).or_default();
                *sum += weight;
                roles[name.role as usize] += 1;
            }
            for pair in words.windows(2) {
                if let [Some(one), Some(next)] = pair {
                    *counts.pairs.entry((*one, *next)).or_default() += 1;
                }
            }
        }
        Some(counts)
    }

    /// What the counts say.
    pub fn glossary(&self) -> Glossary {
        let mut terms: Vec<Term> = self
            .texts
            .iter()
            .zip(&self.words)
            .filter(|(_, counts)| counts.occurrences >= OCCURRENCES_MIN)
            .map(|(text, counts)| self.term(text, counts))
            .collect();
        terms.sort_by(|one, other| other.weight.total_cmp(&one.weight).then_with(|| one.text.cmp(&other.text)));
        let terms_left_out = terms.len().saturating_sub(TERMS_MAX);
        terms.truncate(TERMS_MAX);
        Glossary { terms, pairs: self.strong_pairs(), terms_left_out }
    }

    fn term(&self, text: &str, counts: &WordCounts) -> Term {
        let spread = (1.0 + f64::from(self.files) / f64::from(counts.files.max(1))).ln();
        let roles = Role::ALL.into_iter().map(|role| (role, counts.roles[role as usize]));
        Term {
            text: text.to_owned(),
            weight: rounded(counts.dampened as f64 / 1000.0 * spread),
            occurrences: counts.occurrences,
            files: counts.files,
            roles: roles.filter(|(_, count)| *count > 0).collect(),
        }
    }

    fn strong_pairs(&self) -> Vec<WordPair> {
        let mut first: HashMap<u32, u64> = HashMap::new();
        let mut second: HashMap<u32, u64> = HashMap::new();
        let mut total = 0;
        for ((one, next), counts) in &self.pairs {
            *first.entry(*one).or_default() += u64::from(counts.occurrences);
            *second.entry(*next).or_default() += u64::from(counts.occurrences);
            total += u64::from(counts.occurrences);
        }
        let mut found: Vec<WordPair> = self
            .pairs
            .iter()
            .filter(|(_, counts)| counts.occurrences >= PAIR_OCCURRENCES_MIN && counts.files >= PAIR_FILES_MIN)
            .filter_map(|((one, next), counts)| {
                let strength = log_likelihood(u64::from(counts.occurrences), first[one], second[next], total);
                let text = format!("{} {}", self.texts[*one as usize], self.texts[*next as usize]);
                (strength >= PAIR_STRENGTH_MIN).then_some(WordPair {
                    text,
                    occurrences: counts.occurrences,
                    files: counts.files,
                    strength: rounded(strength),
                })
            })
            .collect();
        found.sort_by(|one, other| other.strength.total_cmp(&one.strength).then_with(|| one.text.cmp(&other.text)));
        found.truncate(PAIRS_MAX);
        found
    }
}

/// The term that a word of a name is: singular, in small letters. `None` for a word of any program and for a keyword.
///
/// `lower` is room that is used again from word to word.
pub(crate) fn term<'l>(word: &str, keywords: &[&str], lower: &'l mut String) -> Option<Cow<'l, str>> {
    lower.clear();
    lower.extend(word.chars().flat_map(char::to_lowercase));
    let lower: &'l str = lower;
    let word = singular(lower);
    (is_word(&word) && keywords.binary_search(&lower).is_err()).then_some(word)
}

/// Returns whether a word in small letters may be a term.
fn is_word(word: &str) -> bool {
    let letters = word.chars().count();
    // Words without case are written with fewer signs.
    let min = if word.is_ascii() { WORD_CHARS_MIN } else { 1 };
    (min..=WORD_CHARS_MAX).contains(&letters)
        && !word.starts_with(|first: char| first.is_numeric())
        && !is_generic(word)
}

/// Returns whether a word, or the verb that it is a form of, is one of any program: `closed`, `matching`.
fn is_generic(word: &str) -> bool {
    let is_verb = |stem: &str| {
        let mut letters = stem.chars().rev();
        let doubled = letters.next().is_some_and(|last| letters.next() == Some(last));
        GENERIC.contains(stem)
            || GENERIC.contains(format!("{stem}e").as_str())
            || doubled && GENERIC.contains(&stem[..stem.len() - 1])
    };
    GENERIC.contains(word)
        || ["ed", "ing"].iter().any(|end| {
            word.strip_suffix(end).is_some_and(|stem| stem.len() >= WORD_CHARS_MIN && stem.is_ascii() && is_verb(stem))
        })
}

/// The log-likelihood ratio of two words: `both` times side by side, of `total` pairs `first` begin with the one and
/// `second` end with the other. Zero where they stand side by side no more often than chance has it.
fn log_likelihood(both: u64, first: u64, second: u64, total: u64) -> f64 {
    let cell = |observed: u64, row: u64, column: u64| {
        let expected = row as f64 * column as f64 / total as f64;
        if observed == 0 { 0.0 } else { observed as f64 * (observed as f64 / expected).ln() }
    };
    if both as f64 * total as f64 <= first as f64 * second as f64 {
        return 0.0;
    }
    let (not_first, not_second) = (total - first, total - second);
    2.0 * (cell(both, first, second)
        + cell(first - both, first, not_second)
        + cell(second - both, not_first, second)
        + cell(total + both - first - second, not_first, not_second))
}

/// To a thousandth: the last bits of a logarithm differ between machines.
fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests;
