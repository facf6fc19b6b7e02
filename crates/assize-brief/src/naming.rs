//! How a project writes its names: casing, prefixes and suffixes, by language and role.
//!
//! Counts come first: what is recommended follows from them by two thresholds, and below those nothing is
//! recommended. No style guide is known here; what the project does is its convention.

use std::fmt;

use assize_ecosystem::Language;
use assize_syntax::facts::{DeclaredName, FileFacts, Role};
use assize_syntax::language::language_of;
use foldhash::HashMap;
use serde::{Deserialize, Serialize};

use crate::words::words;

/// Names that must tell a style apart from others before it is recommended.
pub const SUPPORT_MIN: u32 = 5;
/// Share of names that must agree with a style before it is recommended, of those that tell it and of all.
pub const SHARE_MIN: f64 = 0.8;
/// Names of one word that there must be, and no others, before a single word is recommended. Most names are of
/// one word: a few of them agree by chance.
pub const SINGLE_WORD_SUPPORT_MIN: u32 = 20;
/// Names that must share a prefix or suffix before it is mentioned.
pub const AFFIX_COUNT_MIN: u32 = 5;
/// Share of names that must have a prefix or suffix before it is mentioned.
pub const AFFIX_SHARE_MIN: f64 = 0.05;
/// Prefixes and suffixes that are mentioned of one subject.
pub const AFFIXES_MAX: usize = 6;

/// How the words of a name are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum NameStyle {
    /// One word in small letters. It fits every style that begins small.
    #[serde(rename = "flat")]
    Flat,
    /// One word in capital letters. It fits [`NameStyle::Pascal`] and [`NameStyle::Screaming`].
    #[serde(rename = "FLAT")]
    Upper,
    /// `snake_case`
    #[serde(rename = "snake_case")]
    Snake,
    /// `camelCase`
    #[serde(rename = "camelCase")]
    Camel,
    /// `PascalCase`
    #[serde(rename = "PascalCase")]
    Pascal,
    /// `SCREAMING_SNAKE_CASE`
    #[serde(rename = "SCREAMING_SNAKE_CASE")]
    Screaming,
    /// `kebab-case`
    #[serde(rename = "kebab-case")]
    Kebab,
    /// None of these, or several at once.
    #[serde(rename = "mixed")]
    Mixed,
}

impl NameStyle {
    /// Every style.
    pub const ALL: [Self; 8] =
        [Self::Flat, Self::Upper, Self::Snake, Self::Camel, Self::Pascal, Self::Screaming, Self::Kebab, Self::Mixed];

    /// The style that a name is written in; `None` where it has no letters, and for `__names__` that a
    /// language gives a meaning to.
    ///
    /// Underscores and dollar signs around a name are prefixes and no part of its style.
    pub fn of(name: &str) -> Option<Self> {
        if name.starts_with("__") && name.ends_with("__") {
            return None;
        }
        let name = name.trim_matches(['_', '$']);
        let (mut small, mut capital, mut uncased, mut underscore, mut hyphen, mut other) = Default::default();
        for letter in name.chars() {
            match letter {
                'a'..='z' => small = true,
                'A'..='Z' => capital = true,
                '_' => underscore = true,
                '-' => hyphen = true,
                '0'..='9' => {}
                _ if letter.is_lowercase() => small = true,
                _ if letter.is_uppercase() => capital = true,
                _ if letter.is_alphabetic() => uncased = true,
                _ => other = true,
            }
        }
        if !(small || capital || uncased) {
            return None;
        }
        Some(match (underscore, hyphen, capital) {
            _ if other => Self::Mixed,
            (true, true, _) | (false, true, true) => Self::Mixed,
            (false, true, false) => Self::Kebab,
            (true, false, false) => Self::Snake,
            (true, false, true) if small => Self::Mixed,
            (true, false, true) => Self::Screaming,
            (false, false, false) => Self::Flat,
            (false, false, true) if !small => Self::Upper,
            (false, false, true) if name.starts_with(char::is_uppercase) => Self::Pascal,
            (false, false, true) => Self::Camel,
        })
    }

    /// Returns whether a name that is written in the style `written` agrees with this one.
    pub fn admits(self, written: Self) -> bool {
        match self {
            Self::Snake | Self::Camel | Self::Kebab => written == self || written == Self::Flat,
            Self::Pascal | Self::Screaming => written == self || written == Self::Upper,
            Self::Flat | Self::Upper => written == self,
            Self::Mixed => false,
        }
    }

    /// Returns whether the style tells how words are put together: one word alone does not.
    pub(crate) fn tells(self) -> bool {
        !matches!(self, Self::Flat | Self::Upper)
    }

    /// The style, written in itself.
    pub fn label(self) -> &'static str {
        match self {
            Self::Flat => "flat",
            Self::Upper => "FLAT",
            Self::Snake => "snake_case",
            Self::Camel => "camelCase",
            Self::Pascal => "PascalCase",
            Self::Screaming => "SCREAMING_SNAKE_CASE",
            Self::Kebab => "kebab-case",
            Self::Mixed => "mixed",
        }
    }
}

impl fmt::Display for NameStyle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.label())
    }
}

/// What a convention is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ConventionSubject {
    /// The names of files, without what follows the first dot.
    File,
    /// What has a role.
    Name(Role),
    /// What has a role and is public, where the language says so by a capital letter. Then [`ConventionSubject::Name`] is
    /// what is not.
    Public(Role),
}

impl ConventionSubject {
    pub(crate) fn of(name: DeclaredName<'_>, language: Language) -> Self {
        let by_case = language == Language::Go && name.text.starts_with(char::is_uppercase);
        if by_case { Self::Public(name.role) } else { Self::Name(name.role) }
    }

    fn index(self) -> usize {
        match self {
            Self::File => 0,
            Self::Name(role) => 1 + role as usize,
            Self::Public(role) => 1 + Role::ALL.len() + role as usize,
        }
    }
}

impl fmt::Display for ConventionSubject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => formatter.write_str("file"),
            Self::Name(role) => formatter.write_str(role.id()),
            Self::Public(role) => write!(formatter, "public {}", role.id()),
        }
    }
}

/// How the names of one kind are written in one language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Convention {
    /// The language.
    pub language: Language,
    /// Which names.
    pub subject: ConventionSubject,
    /// How many there are. A name that occurs several times in a file counts once there.
    pub total: u32,
    /// The styles that occur, the most frequent first.
    pub styles: Vec<StyleShare>,
    /// The style that is recommended, where enough names agree.
    pub recommended: Option<NameStyle>,
    /// Prefixes and suffixes that recur, the most frequent first.
    pub affixes: Vec<Affix>,
}

impl Convention {
    /// Returns how many names agree with a style, and of how many: of those that tell how words are put together. Where the
    /// style is that of single words, all names tell.
    pub fn agreeing(&self, style: NameStyle) -> (u32, u32) {
        let tells = |share: &&StyleShare| !style.tells() || share.style.tells();
        let total = self.styles.iter().filter(tells).map(|share| share.count).sum();
        let own = self.styles.iter().filter(tells).filter(|share| style.admits(share.style));
        (own.map(|share| share.count).sum(), total)
    }
}

/// How often a style occurs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StyleShare {
    /// The style.
    pub style: NameStyle,
    /// Names that are written in it.
    pub count: u32,
    /// Their share of all.
    pub share: f64,
}

/// A prefix or suffix that recurs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Affix {
    /// Where it stands.
    pub position: AffixPosition,
    /// What it is, its joint included: `test_`, `I`, `Error`, `_id`, `.spec`.
    pub text: String,
    /// Names that have it.
    pub count: u32,
    /// Their share of all.
    pub share: f64,
}

/// Where an affix stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AffixPosition {
    /// At the beginning.
    Prefix,
    /// At the end.
    Suffix,
}

/// Counts names, file by file. What was added can be taken away again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(from = "Vec<PackedNaming>", into = "Vec<PackedNaming>")]
pub struct NamingTally {
    counts: HashMap<(Language, ConventionSubject), NamingCounts>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
struct NamingCounts {
    styles: [u32; NameStyle::ALL.len()],
    prefixes: HashMap<String, u32>,
    suffixes: HashMap<String, u32>,
}

/// The form in which the counts of one subject are kept: a key of JSON is a text, and this one is none.
type PackedNaming = (Language, ConventionSubject, NamingCounts);

impl From<NamingTally> for Vec<PackedNaming> {
    fn from(tally: NamingTally) -> Self {
        tally.counts.into_iter().map(|((language, subject), counts)| (language, subject, counts)).collect()
    }
}

impl From<Vec<PackedNaming>> for NamingTally {
    fn from(packed: Vec<PackedNaming>) -> Self {
        let counts = packed.into_iter().map(|(language, subject, counts)| ((language, subject), counts));
        Self { counts: counts.collect() }
    }
}

/// What is looked up of a name once, however often it occurs.
#[derive(Clone, Copy)]
pub(crate) struct NameShape<'a> {
    pub(crate) style: Option<NameStyle>,
    pub(crate) prefix: Option<&'a str>,
    pub(crate) suffix: Option<&'a str>,
}

impl<'a> NameShape<'a> {
    fn of(name: &'a str) -> Self {
        let style = NameStyle::of(name);
        let core = name.trim_start_matches(['_', '$']);
        if core.len() < name.len() {
            return Self { style, prefix: Some(&name[..name.len() - core.len()]), suffix: None };
        }
        let mut parts = words(core);
        let Some(first) = parts.next() else { return Self { style, prefix: None, suffix: None } };
        let Some(last) = parts.last() else { return Self { style, prefix: None, suffix: None } };
        // Slices of one text: where they stand says where their joints are.
        let starts = |part: &str| part.as_ptr().addr() - core.as_ptr().addr();
        let first_end = starts(first) + first.len();
        let joint = core[first_end..].chars().next().filter(|next| matches!(next, '_' | '-')).map_or(0, char::len_utf8);
        let last_start = starts(last);
        let joined = core[..last_start].ends_with(['_', '-']);
        Self {
            style,
            prefix: Some(&core[..first_end + joint]),
            suffix: Some(&core[last_start - usize::from(joined)..]),
        }
    }

    /// The shape of a file's name: what stands between its first and its last dot is a suffix.
    pub(crate) fn of_file(path: &'a str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let name = name.rsplit_once('.').map_or(name, |(name, _)| name);
        match name.find('.') {
            Some(dot) => Self { suffix: Some(&name[dot..]), prefix: None, style: NameStyle::of(&name[..dot]) },
            None => Self::of(name),
        }
    }
}

impl NamingTally {
    /// Counts what a file declares.
    pub fn add(&mut self, path: &str, facts: &FileFacts) {
        self.count(path, facts, |count| *count += 1);
    }

    /// Takes away what [`NamingTally::add`] counted of a file.
    pub fn remove(&mut self, path: &str, facts: &FileFacts) {
        self.count(path, facts, |count| *count = count.saturating_sub(1));
        for counts in self.counts.values_mut() {
            counts.prefixes.retain(|_, count| *count > 0);
            counts.suffixes.retain(|_, count| *count > 0);
        }
        self.counts.retain(|_, counts| counts.styles != [0; NameStyle::ALL.len()]);
    }

    /// Takes over what another tally counted of other files.
    pub fn merge(&mut self, other: Self) {
        for (key, counts) in other.counts {
            let own = self.counts.entry(key).or_default();
            for (count, more) in own.styles.iter_mut().zip(counts.styles) {
                *count += more;
            }
            for (affix, more) in counts.prefixes {
                *own.prefixes.entry(affix).or_default() += more;
            }
            for (affix, more) in counts.suffixes {
                *own.suffixes.entry(affix).or_default() += more;
            }
        }
    }

    fn count(&mut self, path: &str, facts: &FileFacts, change: impl Fn(&mut u32)) {
        let Some(language) = language_of(path).filter(|_| facts.passed_over.is_none()) else { return };
        let shapes: Vec<NameShape<'_>> = facts.names.texts().map(NameShape::of).collect();
        // By name, a bit for each subject.
        let mut seen = vec![0_u32; shapes.len()];
        let file = (ConventionSubject::File, NameShape::of_file(path));
        let names = facts.names.indexed().filter_map(|(index, name)| {
            let subject = ConventionSubject::of(name, language);
            let bit = 1 << subject.index();
            let first = seen[index] & bit == 0;
            seen[index] |= bit;
            first.then_some((subject, shapes[index]))
        });
        for (subject, shape) in names.chain([file]) {
            let Some(style) = shape.style else { continue };
            let counts = self.counts.entry((language, subject)).or_default();
            change(&mut counts.styles[style as usize]);
            for (affix, counted) in [(shape.prefix, &mut counts.prefixes), (shape.suffix, &mut counts.suffixes)] {
                let Some(affix) = affix else { continue };
                match counted.get_mut(affix) {
                    Some(count) => change(count),
                    None => change(counted.entry(affix.to_owned()).or_default()),
                }
            }
        }
    }

    /// What the counts say, by language and subject.
    pub fn conventions(&self) -> Vec<Convention> {
        let mut found: Vec<Convention> = self
            .counts
            .iter()
            .map(|((language, subject), counts)| {
                let total = counts.styles.iter().sum();
                Convention {
                    language: *language,
                    subject: *subject,
                    total,
                    styles: counts.shares(total),
                    recommended: counts.recommended(total),
                    affixes: counts.affixes(total),
                }
            })
            .collect();
        found.sort_by_key(|convention| (convention.language, convention.subject));
        found
    }
}

impl NamingCounts {
    fn shares(&self, total: u32) -> Vec<StyleShare> {
        let mut shares: Vec<StyleShare> = NameStyle::ALL
            .into_iter()
            .map(|style| (style, self.styles[style as usize]))
            .filter(|(_, count)| *count > 0)
            .map(|(style, count)| StyleShare { style, count, share: share(count, total) })
            .collect();
        shares.sort_by_key(|style| std::cmp::Reverse(style.count));
        shares
    }

    fn recommended(&self, total: u32) -> Option<NameStyle> {
        let count = |style: NameStyle| self.styles[style as usize];
        let telling: u32 = NameStyle::ALL.into_iter().filter(|style| style.tells()).map(count).sum();
        if telling == 0 {
            let best =
                if count(NameStyle::Flat) >= count(NameStyle::Upper) { NameStyle::Flat } else { NameStyle::Upper };
            let enough = count(best) >= SINGLE_WORD_SUPPORT_MIN && share(count(best), total) >= SHARE_MIN;
            return enough.then_some(best);
        }
        let agreeing = |style: NameStyle| -> u32 {
            NameStyle::ALL.into_iter().filter(|written| style.admits(*written)).map(count).sum()
        };
        NameStyle::ALL.into_iter().filter(|style| style.tells()).find(|style| {
            count(*style) >= SUPPORT_MIN
                && share(count(*style), telling) >= SHARE_MIN
                && share(agreeing(*style), total) >= SHARE_MIN
        })
    }

    fn affixes(&self, total: u32) -> Vec<Affix> {
        let prefixes = self.prefixes.iter().map(|(text, count)| (AffixPosition::Prefix, text, *count));
        let suffixes = self.suffixes.iter().map(|(text, count)| (AffixPosition::Suffix, text, *count));
        let mut found: Vec<Affix> = prefixes
            .chain(suffixes)
            .filter(|(_, _, count)| *count >= AFFIX_COUNT_MIN && share(*count, total) >= AFFIX_SHARE_MIN)
            .map(|(position, text, count)| Affix { position, text: text.clone(), count, share: share(count, total) })
            .collect();
        found.sort_by(|one, other| {
            (other.count, one.position, &one.text).cmp(&(one.count, other.position, &other.text))
        });
        found.truncate(AFFIXES_MAX);
        found
    }
}

fn share(count: u32, total: u32) -> f64 {
    if total == 0 { 0.0 } else { f64::from(count) / f64::from(total) }
}

/// The convention of a subject, and the style that new names have to keep to.
///
/// That names are of one word so far is no rule for the next one: it may need two.
pub(crate) fn expected(
    conventions: &[Convention],
    language: Language,
    subject: ConventionSubject,
) -> Option<(&Convention, NameStyle)> {
    let of_subject = |convention: &&Convention| convention.language == language && convention.subject == subject;
    let convention = conventions.iter().find(of_subject)?;
    Some((convention, convention.recommended.filter(|style| style.tells())?))
}

#[cfg(test)]
mod tests;
