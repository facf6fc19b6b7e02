//! The best part of a brief within a number of tokens.
//!
//! Tokens are estimated from bytes: one for every [`BYTES_PER_TOKEN`]. That is on the safe side: briefs
//! of six projects in five languages have 3.2 to 4.2 bytes to a token with the encodings `o200k` and
//! `cl100k`. Bytes are what is kept to exactly.
//!
//! Items are taken greedily by value for each byte. An item is worth its section's weight, less the
//! more of the section is there already: the tenth boundary tells less than the first. What is cut
//! is counted where it is cut.

use std::fmt::Write as _;

use crate::brief::Brief;
use crate::relevance::RelevantFile;
use crate::render::{BriefSection, Topic, sections, visible};

/// Bytes that are counted as one token.
pub const BYTES_PER_TOKEN: usize = 3;

/// How many items of a section are looked at before it is begun.
const ITEMS_AHEAD: usize = 4;

/// What a section is worth, and after how many items the next one is worth half of the first.
fn weight(topic: Topic) -> (f64, f64) {
    match topic {
        Topic::Project => (20.0, 8.0),
        Topic::Boundaries => (18.0, 6.0),
        Topic::Naming => (10.0, 8.0),
        Topic::Layers => (10.0, 10.0),
        Topic::SchemaTypes => (8.0, 6.0),
        Topic::Cycles => (6.0, 2.0),
        Topic::PublicNames => (6.0, 10.0),
        Topic::Glossary => (2.0, 20.0),
        Topic::Dependencies => (1.5, 10.0),
    }
}

/// Returns as much of a brief as fits into a number of tokens, the best first.
pub fn for_prompt(brief: &Brief, tokens_max: usize) -> String {
    within(&sections(brief), tokens_max.saturating_mul(BYTES_PER_TOKEN))
}

/// How much of the room the files take that a task is likely about, in per cent; the rest is for what holds everywhere.
const TASK_FILES_PERCENT: usize = 85;
/// How much of it the files take that changes are most often about, where no task is given.
const USUAL_FILES_PERCENT: usize = 30;
/// How many names a file is shown with, by its rank; after the last of them, none.
type NamesByRank = &'static [(usize, usize)];
const TASK_NAMES: NamesByRank = &[(2, 45), (5, 28), (9, 14), (14, 6)];
const USUAL_NAMES: NamesByRank = &[(5, 8), (15, 4)];
/// The line above these files.
const TASK_FILES_TITLE: &str = "Files, the likeliest first, with names that they declare:\n";
/// The line above those that changes are most often about.
const USUAL_FILES_TITLE: &str = "Files that changes are most often about, with names that they declare:\n";

/// Returns what a task is likely about, and as much of the brief as fits beside it into a number of tokens.
pub fn for_task(brief: &Brief, files: &[RelevantFile], tokens_max: usize) -> String {
    let bytes_max = tokens_max.saturating_mul(BYTES_PER_TOKEN);
    let files = likely_files(TASK_FILES_TITLE, TASK_NAMES, files, bytes_max / 100 * TASK_FILES_PERCENT);
    let rest = within(&sections(brief), bytes_max - files.len());
    files + &rest
}

/// Returns as much of a brief as fits into a number of tokens, with the files above it that changes are most often about.
pub fn for_any_task(brief: &Brief, files: &[RelevantFile], tokens_max: usize) -> String {
    let bytes_max = tokens_max.saturating_mul(BYTES_PER_TOKEN);
    let files = likely_files(USUAL_FILES_TITLE, USUAL_NAMES, files, bytes_max / 100 * USUAL_FILES_PERCENT);
    let rest = within(&sections(brief), bytes_max - files.len());
    if rest.is_empty() { within(&sections(brief), bytes_max) } else { files + &rest }
}

/// The files with their names, as many as fit.
fn likely_files(title: &str, names_by_rank: NamesByRank, files: &[RelevantFile], bytes_max: usize) -> String {
    let mut text = String::new();
    for (rank, file) in files.iter().enumerate() {
        let count = names_by_rank.iter().find(|(last, _)| rank < *last).map_or(0, |(_, count)| *count);
        let names: Vec<String> = file.names.iter().take(count).map(|name| visible(name)).collect();
        let names = if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) };
        let whole = format!("{}{names}\n", visible(&file.path));
        let short = format!("{}\n", visible(&file.path));
        let room = bytes_max.saturating_sub(title.len() + 1 + text.len());
        match [whole, short].into_iter().find(|line| line.len() <= room) {
            Some(line) => text.push_str(&line),
            None => break,
        }
    }
    if text.is_empty() { text } else { format!("{title}{text}\n") }
}

/// How many items of a section are taken, and what that costs.
struct SectionSelection<'s> {
    section: &'s BriefSection,
    count: usize,
    /// The bytes of the items with what stands between them.
    bytes: usize,
    /// The next item does not fit.
    full: bool,
}

impl SectionSelection<'_> {
    fn rest(&self) -> usize {
        self.section.items.len() - self.count
    }

    /// The bytes of the section with `more` further items: title, items, what is said of the rest, blank line.
    fn cost(&self, more: usize) -> usize {
        let count = self.count + more;
        if count == 0 {
            return 0;
        }
        let joint = self.section.topic.joint().len();
        let added: usize = self.section.items[self.count..count].iter().map(|item| item.len() + joint).sum();
        let rest = self.section.items.len() - count;
        let note = if rest > 0 { rest_note(self.section.topic, rest).len() } else { 0 };
        // The first item has no joint before it.
        self.section.topic.title().len() + ":\n".len() + self.bytes + added - joint + note + "\n\n".len()
    }

    /// What the item at a position is worth.
    fn value(&self, position: usize) -> f64 {
        let (weight, half) = weight(self.section.topic);
        weight / (1.0 + position as f64 / half)
    }

    /// What the next item is worth for each byte. A section is begun for its first few items, so that
    /// its title doesn't count against the first alone.
    fn worth(&self) -> f64 {
        let ahead = if self.count == 0 { ITEMS_AHEAD.min(self.rest()) } else { 1 };
        let value: f64 = (self.count..self.count + ahead).map(|position| self.value(position)).sum();
        // The last item may be shorter than what was said of the rest.
        value / self.cost(ahead).saturating_sub(self.cost(0)).max(1) as f64
    }
}

fn rest_note(topic: Topic, rest: usize) -> String {
    format!("{}… {rest} more", topic.joint())
}

/// What is said of the sections of which nothing is there.
fn left_out(taken: &[SectionSelection<'_>], but: Option<usize>) -> String {
    let words: Vec<&str> = taken
        .iter()
        .enumerate()
        .filter(|(position, section)| section.count == 0 && Some(*position) != but)
        .map(|(_, section)| section.section.topic.word())
        .collect();
    if words.is_empty() { String::new() } else { format!("Left out: {}.\n", words.join(", ")) }
}

fn within(sections: &[BriefSection], bytes_max: usize) -> String {
    let mut taken: Vec<SectionSelection<'_>> =
        sections.iter().map(|section| SectionSelection { section, count: 0, bytes: 0, full: false }).collect();
    let mut used = left_out(&taken, None).len();
    if used > bytes_max {
        return String::new();
    }
    while let Some(best) = best(&taken) {
        let section = &taken[best];
        let mut after = used + section.cost(1) - section.cost(0);
        if section.count == 0 {
            after = after + left_out(&taken, Some(best)).len() - left_out(&taken, None).len();
        }
        let section = &mut taken[best];
        if after > bytes_max {
            section.full = true;
            continue;
        }
        section.bytes += section.section.items[section.count].len() + section.section.topic.joint().len();
        section.count += 1;
        used = after;
    }
    let text = assembled(&taken);
    debug_assert_eq!(text.len(), used);
    text
}

/// Finds the section whose next item is worth most for its bytes.
fn best(taken: &[SectionSelection<'_>]) -> Option<usize> {
    let open = taken.iter().enumerate().filter(|(_, section)| !section.full && section.rest() > 0);
    // Of equally good ones the first.
    open.map(|(position, section)| (position, section.worth()))
        .reduce(|best, next| if next.1 > best.1 { next } else { best })
        .map(|(position, _)| position)
}

fn assembled(taken: &[SectionSelection<'_>]) -> String {
    let mut text = String::new();
    for section in taken.iter().filter(|section| section.count > 0) {
        let topic = section.section.topic;
        let items = section.section.items[..section.count].join(topic.joint());
        let note = if section.rest() > 0 { rest_note(topic, section.rest()) } else { String::new() };
        let _ = write!(text, "{}:\n{items}{note}\n\n", topic.title());
    }
    text.push_str(&left_out(taken, None));
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use assize_syntax::testing::{TestProject, shop};

    fn brief() -> Brief {
        Brief::of(&TestProject::read(shop()).tree())
    }

    #[test]
    fn a_large_budget_holds_everything() {
        let brief = brief();
        assert_eq!(for_prompt(&brief, usize::MAX), crate::render::plain(&brief));
    }

    #[test]
    fn cuts_are_stated() {
        insta::assert_snapshot!(for_prompt(&brief(), 250));
    }

    #[test]
    fn the_limit_is_kept_to_the_byte() {
        let sections = sections(&brief());
        let whole = within(&sections, usize::MAX);
        assert_eq!(within(&sections, whole.len()), whole);
        assert!(within(&sections, whole.len() - 1).len() < whole.len());
        let least = within(&sections, 0);
        assert_eq!(least, "");
    }

    #[test]
    fn files_of_a_task_come_first_and_leave_room() {
        let file =
            |path: &str| RelevantFile { path: path.to_owned(), score: 1.0, names: vec!["cart_total".to_owned()] };
        let files: Vec<RelevantFile> = (0..200).map(|number| file(&format!("shop/part_{number}.py"))).collect();
        let text = for_task(&brief(), &files, 500);
        assert!(text.starts_with(&format!("{TASK_FILES_TITLE}shop/part_0.py: cart_total\n")), "{text}");
        assert!(text.contains("\nshop/part_20.py\n") && text.contains("\nProject:\n"), "{text}");
        assert!(text.len() <= 500 * BYTES_PER_TOKEN, "{}", text.len());
        assert_eq!(for_task(&brief(), &[], 500), for_prompt(&brief(), 500));
        assert_eq!(for_task(&brief(), &files, 0), "");
        let text = for_any_task(&brief(), &files, 500);
        assert!(text.starts_with(USUAL_FILES_TITLE) && text.contains("\nProject:\n"), "{text}");
        assert!(text.len() <= 500 * BYTES_PER_TOKEN && text.matches("shop/part_").count() < 30, "{text}");
        let least = (1..500).find(|tokens| !for_prompt(&brief(), *tokens).is_empty()).unwrap_or_default();
        assert_eq!(for_any_task(&brief(), &files, least), for_prompt(&brief(), least), "the brief goes before files");
    }

    fn any_sections() -> impl Strategy<Value = Vec<BriefSection>> {
        let topics = [Topic::Project, Topic::Boundaries, Topic::Glossary, Topic::PublicNames, Topic::Cycles];
        let items = prop::collection::vec("[a-zäß …]{1,60}", 1..40);
        prop::collection::vec(items, 0..topics.len()).prop_map(move |lists| {
            lists.into_iter().zip(topics).map(|(items, topic)| BriefSection { topic, items }).collect()
        })
    }

    proptest! {
        #[test]
        fn no_budget_is_overdrawn(sections in any_sections(), bytes in 0usize..6_000) {
            let text = within(&sections, bytes);
            prop_assert!(text.len() <= bytes);
        }

        #[test]
        fn every_item_is_there_or_counted(sections in any_sections(), bytes in 0usize..6_000) {
            let text = within(&sections, bytes);
            for section in &sections {
                if text.is_empty() {
                    continue;
                }
                let title = format!("{}:\n", section.topic.title());
                let Some(start) = text.find(&title) else {
                    prop_assert!(text.contains("Left out: ") && text.contains(section.topic.word()));
                    continue;
                };
                let body = text[start + title.len()..].split("\n\n").next().unwrap_or_default();
                let joint = section.topic.joint();
                let (kept, rest) = match body.rsplit_once(&format!("{joint}… ")) {
                    Some((kept, more)) if more.ends_with(" more") => {
                        (kept, more.trim_end_matches(" more").parse::<usize>().unwrap_or(0))
                    }
                    _ => (body, 0),
                };
                let count = section.items.len() - rest;
                prop_assert_eq!(kept, section.items[..count].join(joint));
            }
        }

        #[test]
        fn a_larger_budget_is_never_emptier(sections in any_sections(), bytes in 0usize..4_000) {
            let (small, large) = (within(&sections, bytes), within(&sections, bytes * 2));
            prop_assert!(small.is_empty() || !large.is_empty());
        }
    }
}
