//! Invisible characters, and letters that look like others.
//!
//! Text can appear in another order than a compiler reads it (CVE-2021-42574). A name can hold a letter of another
//! alphabet or one without width, and whole programs fit into variation selectors. Honest uses are many: emoji are
//! joined, Persian and Hebrew text needs marks, a file may begin with a byte order mark. The stop court's rule and
//! the review court share this implementation; it must not know either.

use assize_core::finding::Certainty;
use assize_core::path::{is_ci, is_prose};
use assize_core::text::Hidden;
use assize_ecosystem::{Language, is_code, is_test};

/// What is wrong with a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HiddenKind {
    /// A control character; an escape sequence changes what a terminal shows.
    Control,
    /// It changes the reading direction.
    Bidi,
    /// It has no width.
    ZeroWidth,
    /// An invisible tag character.
    Tag,
    /// A selector of variants with nothing to select: it carries data.
    Variation,
    /// A letter that is shown as nothing.
    Filler,
    /// A letter of another alphabet that looks like one of the word around it.
    Lookalike,
}

/// One character that has no good reason to be there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenCharacterHit {
    /// What is wrong with it.
    pub kind: HiddenKind,
    /// The character.
    pub character: char,
    /// Whether it misleads for sure.
    pub certainty: Certainty,
}

impl HiddenCharacterHit {
    /// Says what it is, with its code point.
    pub fn describe(&self) -> String {
        let what = match self.kind {
            HiddenKind::Control => "a control character",
            HiddenKind::Bidi => "a character that turns the reading direction",
            HiddenKind::ZeroWidth => "a character without width",
            HiddenKind::Tag => "an invisible tag character",
            HiddenKind::Variation => "variation selectors that select nothing and can carry hidden data",
            HiddenKind::Filler => "a letter that is shown as nothing",
            HiddenKind::Lookalike => "a name in which a letter of another alphabet looks like a Latin one",
        };
        format!("{what}, U+{:04X}", self.character as u32)
    }
}

/// A line as a reader of source sees it.
#[derive(Debug, Clone, Copy)]
pub struct SourceLine<'a> {
    /// The line as it stands there.
    pub raw: &'a str,
    /// The same without comments and the contents of strings.
    pub code: &'a str,
    /// Whether it is the first of its file.
    pub first: bool,
}

/// A quick look at the bytes: control characters, or anything outside of ASCII.
pub fn may_hide(text: &str) -> bool {
    text.bytes().any(|byte| byte >= 0x7f || byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c))
}

/// Lists what a line of a file hides.
pub fn in_line(line: SourceLine<'_>, path: &str) -> Vec<HiddenCharacterHit> {
    if !may_hide(line.raw) {
        return Vec::new();
    }
    let sight =
        |(kind, character)| HiddenCharacterHit { kind, character, certainty: certainty(kind, character, line, path) };
    let mut sights: Vec<HiddenCharacterHit> = hidden_in(line.raw, line.first)
        .into_iter()
        .filter(|(kind, character)| concerns(*kind, path) && !is_translated(*kind, *character, line.raw, path))
        .map(sight)
        .collect();
    if is_code(path) && !line.code.is_ascii() {
        sights.extend(lookalikes(line.code, Language::of(path)).into_iter().map(|(character, sure)| {
            HiddenCharacterHit {
                kind: HiddenKind::Lookalike,
                character,
                certainty: if sure && !is_test(path) { Certainty::Certain } else { Certainty::Likely },
            }
        }));
    }
    sights
}

/// Lists the characters that a message or a command hides from its reader.
pub fn in_words(text: &str) -> Vec<HiddenCharacterHit> {
    if !may_hide(text) {
        return Vec::new();
    }
    let hidden = text.lines().flat_map(|line| hidden_in(line, false));
    let steers = |(kind, character): &(HiddenKind, char)| match kind {
        HiddenKind::Bidi => !is_mark(*character),
        kind => matches!(kind, HiddenKind::Tag | HiddenKind::Variation),
    };
    hidden
        .filter(steers)
        .map(|(kind, character)| HiddenCharacterHit { kind, character, certainty: Certainty::Likely })
        .collect()
}

/// Finds what the name of a file hides. A name is code: it is imported, run and looked for.
pub fn in_name(path: &str) -> Option<HiddenCharacterHit> {
    if !may_hide(path) && !path.contains(['\t', '\n', '\r', '\u{c}']) {
        return None;
    }
    let breaks = path.chars().find(|character| matches!(character, '\t' | '\n' | '\r' | '\u{c}'));
    let hidden = breaks.map(|character| (HiddenKind::Control, character));
    // In a test file's name such a character is only likely to mislead: it may be a sample for a test.
    let sure = if is_test(path) { Certainty::Likely } else { Certainty::Certain };
    let hidden = hidden.or_else(|| hidden_in(path, false).into_iter().next()).map(|(kind, character)| {
        let misleads = !(kind == HiddenKind::Bidi && path.chars().any(is_right_to_left));
        HiddenCharacterHit { kind, character, certainty: if misleads { sure } else { Certainty::Likely } }
    });
    hidden.or_else(|| {
        let (character, certain) = lookalikes(path, None).into_iter().next()?;
        Some(HiddenCharacterHit {
            kind: HiddenKind::Lookalike,
            character,
            certainty: if certain { sure } else { Certainty::Likely },
        })
    })
}

fn kind_of(character: char) -> Option<HiddenKind> {
    Some(match character {
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => HiddenKind::Variation,
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => HiddenKind::Filler,
        _ => match Hidden::of(character)? {
            Hidden::Control => HiddenKind::Control,
            Hidden::Bidi => HiddenKind::Bidi,
            Hidden::ZeroWidth => HiddenKind::ZeroWidth,
            Hidden::Tag => HiddenKind::Tag,
        },
    })
}

/// Lists the hidden characters of a line that have no good reason to be there.
fn hidden_in(line: &str, first_line: bool) -> Vec<(HiddenKind, char)> {
    if !may_hide(line) {
        return Vec::new();
    }
    let characters: Vec<char> = line.chars().collect();
    let hidden = |index: usize| kind_of(characters[index]).map(|kind| (index, kind));
    (0..characters.len())
        .filter_map(hidden)
        .filter(|(index, kind)| !is_at_home(&characters, *index, *kind, first_line))
        .map(|(index, kind)| (kind, characters[index]))
        .collect()
}

fn is_at_home(characters: &[char], index: usize, kind: HiddenKind, first_line: bool) -> bool {
    let before = index.checked_sub(1).map(|before| characters[before]);
    let after = characters.get(index + 1).copied();
    match (kind, characters[index]) {
        (HiddenKind::Control, '\u{c}') => true,
        (HiddenKind::ZeroWidth, '\u{feff}') => first_line && index == 0,
        // A joiner between the parts of an emoji, or between letters of a script that needs it.
        (HiddenKind::ZeroWidth, '\u{200c}' | '\u{200d}') => before.is_some_and(joins) && after.is_none_or(joins),
        (HiddenKind::Tag, _) => ends_flag(characters, index),
        (HiddenKind::Variation, _) => selects(before),
        // Letters of Korean that stand alone are written with a filler for what is missing.
        (HiddenKind::Filler, _) => before.is_some_and(is_hangul) || after.is_some_and(is_hangul),
        _ => false,
    }
}

/// Returns whether a variation selector has something before it to choose a variant of.
fn selects(before: Option<char>) -> bool {
    before.is_some_and(|before| {
        // `#️⃣` and `1️⃣` are spelled with a selector; ideographs, Mongolian and mathematical signs have variants.
        matches!(before, '#' | '*' | '0'..='9') || !before.is_ascii() && kind_of(before).is_none()
    })
}

fn is_hangul(character: char) -> bool {
    matches!(character, '\u{1100}'..='\u{11ff}' | '\u{3131}'..='\u{318e}' | '\u{ac00}'..='\u{d7fb}' | '\u{ffa1}'..='\u{ffdc}')
        && kind_of(character).is_none()
}

/// Emoji with their modifiers, and the letters of scripts whose shapes joiners govern.
fn joins(character: char) -> bool {
    matches!(character,
        '\u{fe0f}' | '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}' | '\u{200d}'
        | '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{18af}' | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}')
}

/// The flags of England, Scotland and Wales are spelled in tag characters after a black flag.
fn ends_flag(characters: &[char], index: usize) -> bool {
    let is_tag = |character: &char| kind_of(*character) == Some(HiddenKind::Tag);
    let start = characters[..index].iter().rposition(|character| !is_tag(character));
    let length = characters[index..].iter().take_while(|character| is_tag(character)).count();
    let spelled = start.map_or(0, |start| index + length - start - 1);
    start.is_some_and(|start| characters[start] == '\u{1f3f4}')
        && spelled <= 7
        && characters[index + length - 1] == '\u{e007f}'
}

/// Marks that steer a single place, which text in two directions needs.
fn is_mark(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{61c}')
}

/// Prose may break and join words without a trace; only what can hide instructions counts there.
fn concerns(kind: HiddenKind, path: &str) -> bool {
    matches!(kind, HiddenKind::Tag | HiddenKind::Variation)
        || is_code(path)
        || is_ci(path)
        || !is_prose(path) && kind == HiddenKind::Bidi
}

fn certainty(kind: HiddenKind, character: char, line: SourceLine<'_>, path: &str) -> Certainty {
    let misleads = match kind {
        // Text that is written from right to left needs its direction said.
        HiddenKind::Bidi => !is_mark(character) && !line.raw.chars().any(is_right_to_left) && !is_translation(path),
        HiddenKind::Tag => true,
        HiddenKind::ZeroWidth => splits_name(line.code, character),
        // Outside of strings it is an invisible name.
        HiddenKind::Filler => line.code.contains(character),
        HiddenKind::Variation => {
            line.raw.chars().filter(|other| kind_of(*other) == Some(HiddenKind::Variation)).count() >= SMUGGLED_MIN
        }
        HiddenKind::Control | HiddenKind::Lookalike => false,
    };
    if misleads && is_code(path) && !is_test(path) { Certainty::Certain } else { Certainty::Likely }
}

/// Least variation selectors of a line, one without anything to select among them, that are no slip.
const SMUGGLED_MIN: usize = 4;

/// Returns whether a character makes two names out of one that looks the same.
fn splits_name(code: &str, character: char) -> bool {
    let part = |neighbour: char| neighbour.is_ascii_alphanumeric() || neighbour == '_';
    code.match_indices(character)
        .any(|(start, found)| code[..start].ends_with(part) && code[start + found.len()..].starts_with(part))
}

fn is_right_to_left(character: char) -> bool {
    matches!(character, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
        && character.is_alphabetic()
}

/// Translations into Arabic, Hebrew, Persian or Kurdish have to say which way their parts run.
fn is_translated(kind: HiddenKind, character: char, raw: &str, path: &str) -> bool {
    // An override turns letters round whatever they are; no translation needs it.
    let overrides = matches!(character, '\u{202d}' | '\u{202e}');
    kind == HiddenKind::Bidi
        && !overrides
        && is_translation(path)
        && (is_mark(character) || !is_code(path) && (raw.chars().any(is_right_to_left) || is_for_right_to_left(path)))
}

/// Returns whether a path names a language that is written from right to left.
fn is_for_right_to_left(path: &str) -> bool {
    const LANGUAGES: [&str; 9] = ["ar", "ckb", "dv", "fa", "he", "iw", "ps", "ur", "yi"];
    path.split(['/', '.', '-', '_']).any(|part| LANGUAGES.contains(&part))
}

fn is_translation(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    ["locale", "i18n", "l10n", "lang", "translation", "bidi"].iter().any(|word| lower.contains(word))
}

/// Cyrillic letters that look like Latin ones.
const CYRILLIC: &str = "асеорхуіјѕһԁԛԝАВСЕНІЈКМОРЅТХУԚԜ";
/// Greek letters that look like Latin ones and are no usual signs of mathematics.
const GREEK: &str = "οΑΒΕΖΗΙΚΜΝΟΡΤΥΧ";

/// Finds words in which a letter of another alphabet stands among Latin ones and looks like one of them. Says as well
/// whether it misleads for sure. A word in one alphabet, or with letters that look like no others, is a word.
fn lookalikes(code: &str, language: Option<Language>) -> Vec<(char, bool)> {
    let mut found = Vec::new();
    for word in code.split(|character: char| !character.is_alphabetic()).filter(|word| !word.is_ascii()) {
        let foreign = || word.chars().filter(|character| !character.is_ascii());
        let alike = |character: char| CYRILLIC.contains(character) || GREEK.contains(character);
        let mixed = word.chars().any(|character| character.is_ascii_alphabetic());
        if mixed && foreign().all(alike) {
            let cyrillic = foreign().find(|character| CYRILLIC.contains(*character));
            found.extend(cyrillic.or_else(|| foreign().next()).map(|first| (first, cyrillic.is_some())));
        } else if foreign().all(is_styled) && word.chars().count() >= STYLED_MIN {
            // Python reads such letters as the plain ones: `𝐞𝐱𝐞𝐜` is `exec`.
            found.extend(foreign().next().map(|first| (first, language == Some(Language::Python))));
        }
    }
    found
}

/// Least letters of a word in mathematical or wide letters that is taken for a word; fewer are signs of a formula.
const STYLED_MIN: usize = 3;

fn is_styled(character: char) -> bool {
    matches!(character, '\u{1d400}'..='\u{1d7ff}' | '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use Certainty::{Certain, Likely};
    use proptest::prelude::*;

    fn seen(path: &str, raw: &str, code: &str) -> Vec<(HiddenKind, Certainty)> {
        let line = SourceLine { raw, code, first: false };
        in_line(line, path).into_iter().map(|sight| (sight.kind, sight.certainty)).collect()
    }

    #[test]
    fn letters_of_another_alphabet_within_a_word_are_seen() {
        for (path, code, expected) in [
            ("src/a.rs", "let pаssword = 1;", Some(Certain)), // Cyrillic а
            ("src/a.py", "def аdmin():", Some(Certain)),      // Cyrillic а
            ("src/a.js", "if (envirοnment) {", Some(Likely)), // Greek ο
            ("tests/test_a.py", "def аdmin():", Some(Likely)),
            ("src/a.py", "𝐞𝐱𝐞𝐜(code)", Some(Certain)),
            ("src/a.js", "ｅｖａｌ(code)", Some(Likely)),
            // Words of one alphabet, and formulas.
            ("src/a.py", "имя = 1", None),
            ("src/a.py", "данные_x = 1", None),
            ("src/a.py", "Δx = μ_max + σ2", None),
            ("src/a.jl", "νe = 1", None),
            ("src/a.py", "naïve_Größe = 1", None),
            ("src/a.py", "𝐱 = 1", None),
            ("src/a.py", "тест_abc = 1", None),
        ] {
            let found = seen(path, code, code).into_iter().map(|(_, certainty)| certainty).next();
            assert_eq!(found, expected, "{path}: {code}");
        }
        // Within strings and comments every word may stand.
        assert_eq!(seen("src/a.py", "x = 'pаssword'", "x = ''"), []);
    }

    #[test]
    fn variation_selectors_select_or_smuggle() {
        let smuggled = format!("const x = decode(`{}`);", "\u{e0101}\u{e0142}\u{e0120}\u{e0133}");
        assert!(
            seen("src/a.js", &smuggled, "const x = decode(``);")
                .iter()
                .all(|seen| *seen == (HiddenKind::Variation, Certain))
        );
        assert!(!seen("src/a.js", &smuggled, "").is_empty());
        assert_eq!(seen("README.md", &smuggled, "")[0], (HiddenKind::Variation, Likely));
        assert_eq!(seen("src/a.js", "x = 'a\u{fe0f}'", "x = ''"), [(HiddenKind::Variation, Likely)]);
        for honest in ["x = '❤\u{fe0f}'", "x = '1\u{fe0f}\u{20e3}'", "x = '葛\u{e0100}'", "x = '☎\u{fe0e}'"] {
            assert_eq!(seen("src/a.js", honest, "x = ''"), [], "{honest}");
        }
    }

    #[test]
    fn letters_that_are_shown_as_nothing_are_names_that_nobody_sees() {
        assert_eq!(
            seen("src/a.js", "const {a,\u{3164}} = query;", "const {a,\u{3164}} = query;"),
            [(HiddenKind::Filler, Certain)]
        );
        assert_eq!(seen("src/a.js", "x = '\u{3164}'", "x = ''"), [(HiddenKind::Filler, Likely)]);
        assert_eq!(seen("src/a.js", "x = '\u{115f}\u{1161}'", "x = ''"), []);
    }

    #[test]
    fn names_of_files_hide_nothing() {
        for (path, expected) in [
            ("src/inv\u{200b}oice.py", Some((HiddenKind::ZeroWidth, Certain))),
            ("docs/invoice\u{202e}cod.exe", Some((HiddenKind::Bidi, Certain))),
            ("src/a\u{1b}[2K.rs", Some((HiddenKind::Control, Certain))),
            ("src/a\nb.rs", Some((HiddenKind::Control, Certain))),
            ("src/аdmin.py", Some((HiddenKind::Lookalike, Certain))),
            ("testdata/a\u{202e}b.txt", Some((HiddenKind::Bidi, Likely))),
            ("docs/שלום\u{200f}.md", Some((HiddenKind::Bidi, Likely))),
            ("src/наш/файл.py", None),
            ("docs/日本語 – naïve.md", None),
            ("a b/c.rs", None),
        ] {
            let found = in_name(path).map(|sight| (sight.kind, sight.certainty));
            assert_eq!(found, expected, "{path:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn any_text_can_be_looked_at(text in "(?s).{0,60}", path in "[a-z/.]{1,12}") {
            let _ = (in_name(&text), in_words(&text));
            let sights = in_line(SourceLine { raw: &text, code: &text, first: true }, &path);
            prop_assert!(sights.is_empty() || may_hide(&text));
        }
    }
}
