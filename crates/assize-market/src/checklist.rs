//! The boxes of a specification in Markdown, and how one of them is ticked.
//!
//! A box is what GitHub takes for one (GitHub Flavored Markdown, 5.3 "Task list items"): at the beginning of a list item, whatever its
//! marker and however deep, and neither in code nor in the middle of a line. Ticking changes the one character within the bracket and
//! nothing else. What a box demands must not be known here.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use serde::{Deserialize, Serialize};

/// Largest specification, in bytes: GitHub takes 65,536 characters.
pub const SPECIFICATION_BYTES_MAX: usize = 512 * 1024;
/// Most boxes of a specification.
pub const BOXES_MAX: usize = 500;

/// A box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkbox {
    /// What stands beside it, on one line, without marks of emphasis.
    pub text: String,
    /// Which of the boxes with this text it is, from 0.
    pub nth: usize,
    /// Whether it is ticked.
    pub ticked: bool,
    /// Items below it that have no box of their own.
    pub parts: Vec<String>,
    /// Its line, from 1.
    pub line: usize,
    /// Where the character within its bracket stands.
    at: usize,
}

/// How a box is named: by what it says, since its line changes when others edit.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BoxName {
    /// What stands beside it.
    pub text: String,
    /// Which of the boxes with this text it is, from 0.
    #[serde(default)]
    pub nth: usize,
}

/// Why a specification cannot be read, or a box not be ticked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChecklistError {
    /// It is too large.
    #[error("the specification has {0} bytes where {SPECIFICATION_BYTES_MAX} is the most")]
    TooLarge(usize),
    /// It has too many boxes.
    #[error("the specification has more than {BOXES_MAX} boxes")]
    TooMany,
    /// The box is not there.
    #[error("there is no box `{0}` any more")]
    Gone(String),
}

/// Returns the boxes of a specification, from top to bottom.
///
/// # Errors
///
/// Fails where it is too large, or has too many.
pub fn boxes(specification: &str) -> Result<Vec<Checkbox>, ChecklistError> {
    if specification.len() > SPECIFICATION_BYTES_MAX {
        return Err(ChecklistError::TooLarge(specification.len()));
    }
    let mut reading = ChecklistReader { specification, boxes: Vec::new(), items: Vec::new() };
    for (event, range) in Parser::new_ext(specification, Options::ENABLE_TASKLISTS).into_offset_iter() {
        reading.see(event, range);
        if reading.boxes.len() > BOXES_MAX {
            return Err(ChecklistError::TooMany);
        }
    }
    Ok(reading.finish())
}

/// Ticks a box, or takes the tick away, and changes nothing else; `None` where it is as wanted.
///
/// # Errors
///
/// Fails where the box is not there, or the specification cannot be read.
pub fn set(specification: &str, name: &BoxName, ticked: bool) -> Result<Option<String>, ChecklistError> {
    let found = boxes(specification)?.into_iter().find(|found| found.text == name.text && found.nth == name.nth);
    let found = found.ok_or_else(|| ChecklistError::Gone(name.text.clone()))?;
    if found.ticked == ticked {
        return Ok(None);
    }
    let (before, after) = (&specification[..found.at], &specification[found.at + 1..]);
    Ok(Some(format!("{before}{}{after}", if ticked { 'x' } else { ' ' })))
}

impl Checkbox {
    /// Returns its name.
    pub fn name(&self) -> BoxName {
        BoxName { text: self.text.clone(), nth: self.nth }
    }
}

/// An item of a list that is being read.
struct ListItem {
    /// The box at its beginning, by its place among the boxes.
    checkbox: Option<usize>,
    text: String,
    /// Whether its first paragraph is over.
    told: bool,
}

struct ChecklistReader<'a> {
    specification: &'a str,
    boxes: Vec<Checkbox>,
    /// The items that are open, the innermost last.
    items: Vec<ListItem>,
}

impl ChecklistReader<'_> {
    fn see(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::Item) => self.items.push(ListItem { checkbox: None, text: String::new(), told: false }),
            Event::End(TagEnd::Item) => self.end_item(),
            Event::TaskListMarker(ticked) => {
                let line = self.specification[..range.start].matches('\n').count() + 1;
                let at = range.start + 1;
                let found = Checkbox { text: String::new(), nth: 0, ticked, parts: Vec::new(), line, at };
                if let Some(item) = self.items.last_mut() {
                    item.checkbox = Some(self.boxes.len());
                    self.boxes.push(found);
                }
            }
            Event::Text(text) | Event::Code(text) | Event::InlineHtml(text) => self.tell(&text),
            Event::SoftBreak | Event::HardBreak => self.tell(" "),
            // A paragraph that ends, or a block that begins, ends what stands beside a box.
            Event::End(TagEnd::Paragraph)
            | Event::Start(
                Tag::List(_) | Tag::CodeBlock(_) | Tag::BlockQuote(_) | Tag::HtmlBlock | Tag::Heading { .. },
            ) => {
                if let Some(item) = self.items.last_mut() {
                    item.told |= !item.text.trim().is_empty();
                }
            }
            _ => {}
        }
    }

    fn tell(&mut self, text: &str) {
        if let Some(item) = self.items.last_mut().filter(|item| !item.told) {
            item.text.push_str(text);
        }
    }

    fn end_item(&mut self) {
        let Some(item) = self.items.pop() else { return };
        let text = item.text.split_whitespace().collect::<Vec<_>>().join(" ");
        match item.checkbox {
            Some(at) => self.boxes[at].text = text,
            None if !text.is_empty() => {
                // It belongs to the nearest box that it stands below.
                if let Some(at) = self.items.iter().rev().find_map(|item| item.checkbox) {
                    self.boxes[at].parts.push(text);
                }
            }
            None => {}
        }
    }

    fn finish(mut self) -> Vec<Checkbox> {
        for at in 0..self.boxes.len() {
            self.boxes[at].nth = self.boxes[..at].iter().filter(|earlier| earlier.text == self.boxes[at].text).count();
        }
        self.boxes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(specification: &str) -> Vec<(String, bool, usize)> {
        let boxes = boxes(specification).expect("readable");
        boxes.into_iter().map(|found| (found.text, found.ticked, found.line)).collect()
    }

    #[test]
    fn a_box_is_what_github_takes_for_one() {
        let specification = "\
# Work
- [ ] one
* [x] two
+ [X] three
1. [ ] four
2) [ ] five
   - [ ] six, below
     - [x] seven, deeper

- [ ]
  eight, on the next line
> - [ ] nine, quoted

- [ ] **ten** with `code` and
  more of it
";
        let texts: Vec<(&str, bool, usize)> = vec![
            ("one", false, 2),
            ("two", true, 3),
            ("three", true, 4),
            ("four", false, 5),
            ("five", false, 6),
            ("six, below", false, 7),
            ("seven, deeper", true, 8),
        ];
        let all = found(specification);
        let begin: Vec<(&str, bool, usize)> =
            all.iter().take(7).map(|(text, ticked, line)| (text.as_str(), *ticked, *line)).collect();
        assert_eq!(begin, texts);
        assert!(all.iter().any(|(text, ..)| text == "nine, quoted"), "{all:?}");
        assert!(all.iter().any(|(text, ..)| text == "ten with code and more of it"), "{all:?}");
    }

    #[test]
    fn what_only_looks_like_a_box_is_none() {
        for text in [
            "```\n- [ ] in a fence\n```\n",
            "    - [ ] in indented code\n",
            "- a `- [ ] b` in code\n",
            "- say [ ] in the middle\n",
            "[ ] without a list\n",
            "-[ ] without a space\n",
            "- [] without a space within\n",
            "- [ ]without a space after\n",
            "- [y] with another letter\n",
            "- \\[ ] escaped\n",
            "<!--\n- [ ] in a comment\n-->\n",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }

    #[test]
    fn parts_of_a_box_are_the_items_below_it() {
        let specification = "- [ ] Log in\n  - an endpoint\n  - a token\n    - that expires\n  - [ ] Log out\n    - everywhere\n- no box\n";
        let boxes = boxes(specification).expect("readable");
        let parts: Vec<(&str, Vec<&str>)> =
            boxes.iter().map(|found| (found.text.as_str(), found.parts.iter().map(String::as_str).collect())).collect();
        assert_eq!(
            parts,
            [("Log in", vec!["an endpoint", "that expires", "a token"]), ("Log out", vec!["everywhere"])]
        );
    }

    #[test]
    fn ticking_changes_one_character() {
        let specification = "Two\r\n- [ ] same\r\n- [ ] same\r\n\tlast – line without end";
        let second = BoxName { text: "same last – line without end".to_owned(), nth: 0 };
        let ticked = set(specification, &second, true).expect("there").expect("changed");
        assert_eq!(ticked, specification.replacen("- [ ] same\r\n\t", "- [x] same\r\n\t", 1));
        assert_eq!(set(&ticked, &second, true), Ok(None));
        assert_eq!(set(&ticked, &second, false), Ok(Some(specification.to_owned())));
        let gone = BoxName { text: "other".to_owned(), nth: 0 };
        assert_eq!(set(specification, &gone, true), Err(ChecklistError::Gone("other".to_owned())));
    }

    #[test]
    fn boxes_with_the_same_words_are_counted() {
        let specification = "- [ ] same\n- [x] same\n- [ ] same\n";
        let third = BoxName { text: "same".to_owned(), nth: 2 };
        assert_eq!(set(specification, &third, true), Ok(Some("- [ ] same\n- [x] same\n- [x] same\n".to_owned())));
    }

    #[test]
    fn a_specification_has_limits() {
        let long = |bytes: usize| "x".repeat(bytes);
        assert!(boxes(&long(SPECIFICATION_BYTES_MAX)).is_ok());
        assert_eq!(
            boxes(&long(SPECIFICATION_BYTES_MAX + 1)),
            Err(ChecklistError::TooLarge(SPECIFICATION_BYTES_MAX + 1))
        );
        let many = |count: usize| "- [ ] a\n".repeat(count);
        assert_eq!(boxes(&many(BOXES_MAX)).map(|boxes| boxes.len()), Ok(BOXES_MAX));
        assert_eq!(boxes(&many(BOXES_MAX + 1)), Err(ChecklistError::TooMany));
    }

    proptest! {
        #[test]
        fn ticking_one_leaves_all_others(lines in prop::collection::vec(prop::sample::select(&[
            "- [ ] a", "* [x] b", "1. [ ] c", "  - [ ] d", "text [ ] e", "```", "", "> - [ ] f", "    - [ ] g", "- h", "## i", "\t- [X] j",
        ][..]), 0..14), nth in 0..8_usize) {
            let specification = lines.join("\n");
            let before = boxes(&specification).expect("readable");
            if let Some(chosen) = before.get(nth) {
                let after = set(&specification, &chosen.name(), !chosen.ticked).expect("there").expect("changed");
                prop_assert_eq!(after.len(), specification.len());
                let changed = after.bytes().zip(specification.bytes()).filter(|(one, other)| one != other).count();
                prop_assert_eq!(changed, 1);
                let mut wanted = before.clone();
                wanted[nth].ticked = !chosen.ticked;
                prop_assert_eq!(boxes(&after).expect("readable"), wanted);
            }
        }
    }
}
