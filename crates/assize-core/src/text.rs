//! Text that somebody else wrote.
//!
//! Everything that comes from an agent, a model or the judged tree is [`Untrusted`]. Rules may
//! [`inspect`](Untrusted::inspect) it to match patterns; only `prompt.rs` may open it for a
//! reader, fenced and with hidden characters made visible. This module must not know what the
//! text is about.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// A value written by the judged party, or copied from its tree.
///
/// The wrapper has no `Display`, so that it cannot slip into a message by accident.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Untrusted<T>(T);

impl Untrusted<String> {
    /// Wraps text from outside.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Lends the text for pattern matching. The result must not reach a prompt or a message
    /// except through [`quote`].
    pub fn inspect(&self) -> &str {
        &self.0
    }

    /// Lends the text to the prompt renderer, which fences it.
    pub fn open(&self) -> &str {
        &self.0
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Why a character is made visible before anybody reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hidden {
    /// A control character other than tab, line feed and carriage return.
    Control,
    /// A character that changes the reading direction.
    Bidi,
    /// A character without width.
    ZeroWidth,
    /// A Unicode tag character, invisible and able to spell words.
    Tag,
}

impl Hidden {
    /// Classifies a character; `None` when it is visible or ordinary white space.
    pub fn of(character: char) -> Option<Self> {
        match character {
            '\t' | '\n' | '\r' => None,
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => Some(Self::Control),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{61c}' | '\u{200e}' | '\u{200f}' => Some(Self::Bidi),
            '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{180e}' | '\u{ad}' => {
                Some(Self::ZeroWidth)
            }
            '\u{e0000}'..='\u{e007f}' => Some(Self::Tag),
            _ => None,
        }
    }
}

/// Returns whether a text has bytes that hidden characters consist of. Most texts have none, and are looked through by the hundred
/// thousand: this goes byte by byte, many at a time.
pub(crate) fn may_hide(text: &str) -> bool {
    text.bytes()
        .fold(false, |found, byte| found | (byte >= 0x7f) | ((byte < b' ') & !matches!(byte, b'\t' | b'\n' | b'\r')))
}

/// Returns the text with every hidden character spelled out as `⟨U+200B⟩`.
pub fn make_visible(text: &str) -> Cow<'_, str> {
    if !may_hide(text) || !text.chars().any(|character| Hidden::of(character).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if Hidden::of(character).is_some() {
            let _ = write!(visible, "⟨U+{:04X}⟩", character as u32);
        } else {
            visible.push(character);
        }
    }
    Cow::Owned(visible)
}

/// Longest quotation of judged text inside one of our own messages, in characters.
pub const QUOTE_CHARS_MAX: usize = 120;

/// Quotes judged text inside a message of ours: one line, hidden characters visible, cut at
/// [`QUOTE_CHARS_MAX`].
pub fn quote(text: &str) -> String {
    format!("`{}`", beginning(&make_visible(&first_line(text)), QUOTE_CHARS_MAX))
}

/// Small numbers as people spell them, as alternatives of a pattern; the first is 1.
pub const NUMBER_WORDS: &str = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve";

/// Reads a whole number, in digits or spelled as one of [`NUMBER_WORDS`].
pub fn number(text: &str) -> Option<usize> {
    let spelled = || NUMBER_WORDS.split('|').position(|word| word.eq_ignore_ascii_case(text)).map(|at| at + 1);
    text.parse().ok().or_else(spelled)
}

/// Stands where something was left off of what a person is shown.
const LEFT_OFF: char = '…';

/// Keeps the beginning of what a person is shown: at most `chars_max` characters, the last of them `…` where something was
/// left off.
pub fn beginning(text: &str, chars_max: usize) -> Cow<'_, str> {
    if text.chars().nth(chars_max).is_none() {
        return Cow::Borrowed(text);
    }
    let kept = text.char_indices().nth(chars_max.saturating_sub(1)).map_or(0, |(end, _)| end);
    Cow::Owned(format!("{}{LEFT_OFF}", text[..kept].trim_end()))
}

/// Keeps the end of what a person is shown, as [`beginning`] does its beginning.
pub fn ending(text: &str, chars_max: usize) -> Cow<'_, str> {
    if text.chars().nth(chars_max).is_none() {
        return Cow::Borrowed(text);
    }
    let left_out = text.chars().count().saturating_sub(chars_max.saturating_sub(1));
    let kept = text.char_indices().nth(left_out).map_or(text.len(), |(start, _)| start);
    Cow::Owned(format!("{LEFT_OFF}{}", text[kept..].trim_start()))
}

/// Lists names for a person: the first of them, and how many more there are.
pub fn listed<T: AsRef<str>>(names: &[T], shown_max: usize) -> String {
    let (shown, more) = names.split_at(names.len().min(shown_max));
    let shown = shown.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    if more.is_empty() { shown } else { format!("{shown} and {} more", more.len()) }
}

/// Keeps the first line of what a person is shown, with `…` where others follow.
pub fn first_line(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    match text.split_once('\n') {
        Some((line, _)) => Cow::Owned(format!("{}{LEFT_OFF}", line.trim_end())),
        None => Cow::Borrowed(text),
    }
}

/// Cuts text to at most `bytes_max` bytes at a character boundary, from the front.
pub fn head(text: &str, bytes_max: usize) -> &str {
    if text.len() <= bytes_max {
        return text;
    }
    let mut end = bytes_max;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Keeps at most the last `bytes_max` bytes of a text, from a character boundary on.
pub fn tail(text: &str, bytes_max: usize) -> &str {
    if text.len() <= bytes_max {
        return text;
    }
    let mut start = text.len() - bytes_max;
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// Replaces escapes of JSON that are half of a pair. JavaScript and Python write them for a text that was cut in the middle of
/// an emoji, or that is no Unicode, and no reader that is strict takes them.
pub fn without_lone_surrogates(json: &str) -> Cow<'_, str> {
    const REPLACEMENT: &str = "\\ufffd";
    let unit = |at: usize| -> Option<u32> {
        let digits = json.get(at..)?.strip_prefix("\\u")?.get(..4)?;
        u32::from_str_radix(digits, 16).ok()
    };
    let mut repaired = String::new();
    let mut kept = 0;
    let mut at = 0;
    while let Some(found) = json[at..].find('\\') {
        let start = at + found;
        at = match unit(start) {
            Some(0xd800..=0xdbff) if matches!(unit(start + 6), Some(0xdc00..=0xdfff)) => start + 12,
            Some(0xd800..=0xdfff) => {
                repaired.push_str(&json[kept..start]);
                repaired.push_str(REPLACEMENT);
                kept = start + 6;
                kept
            }
            Some(_) => start + 6,
            // The escaped character may have several bytes only if this is no JSON at all.
            None => start + 1 + json[start + 1..].chars().next().map_or(0, char::len_utf8),
        };
    }
    if kept == 0 {
        return Cow::Borrowed(json);
    }
    repaired.push_str(&json[kept..]);
    Cow::Owned(repaired)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_hides_is_seen_at_a_glance() {
        for character in (0..=0x10_ffff).filter_map(char::from_u32) {
            let glance = may_hide(character.encode_utf8(&mut [0; 4]));
            assert!(glance || Hidden::of(character).is_none(), "U+{:04X}", character as u32);
        }
        assert!(!may_hide("plain\ttext\r\n~"));
    }

    #[test]
    fn hidden_characters_become_visible() {
        assert_eq!(make_visible("a\u{200b}b\u{202e}c\u{e0041}"), "a⟨U+200B⟩b⟨U+202E⟩c⟨U+E0041⟩");
        assert!(matches!(make_visible("plain\ttext\r\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn quotes_are_one_short_line() {
        assert_eq!(quote("  one\ntwo"), "`one…`");
        assert_eq!(quote(&"x".repeat(QUOTE_CHARS_MAX)), format!("`{}`", "x".repeat(QUOTE_CHARS_MAX)));
        assert_eq!(quote(&"x".repeat(QUOTE_CHARS_MAX + 1)), format!("`{}…`", "x".repeat(QUOTE_CHARS_MAX - 1)));
    }

    #[test]
    fn whatever_is_left_off_leaves_a_mark() {
        for (text, first, last) in [
            ("", "", ""),
            ("äöü", "äöü", "äöü"),
            ("äöüß", "äö…", "…üß"),
            ("a bcd", "a…", "…cd"),
            ("a b  c", "a…", "…c"),
        ] {
            assert_eq!((&*beginning(text, 3), &*ending(text, 3)), (first, last), "{text}");
        }
        for (text, expected) in [("", ""), (" one \n", "one"), ("one\r\ntwo", "one…"), ("one \n\n", "one")] {
            assert_eq!(first_line(text), expected);
        }
    }

    #[test]
    fn cuts_respect_character_boundaries() {
        assert_eq!(head("aé", 2), "a");
        assert_eq!(tail("éa", 2), "a");
        assert_eq!(head("abc", 3), "abc");
        assert_eq!(tail("abc", 2), "bc");
    }

    #[test]
    fn a_list_says_how_many_more_there_are() {
        let names = ["a", "b", "c"];
        for (shown_max, expected) in [(0, " and 3 more"), (2, "a, b and 1 more"), (3, "a, b, c"), (4, "a, b, c")] {
            assert_eq!(listed(&names, shown_max), expected);
        }
        assert_eq!(listed::<&str>(&[], 2), "");
    }

    #[test]
    fn lone_surrogates_are_looked_for_in_any_text() {
        for text in ["\\", "\\\\", "\\u", "\\ud83", "\\ud83d", "\\ud83d\\u", "\\ü", "\\ud8ü", "a\\"] {
            without_lone_surrogates(text);
        }
    }
}
