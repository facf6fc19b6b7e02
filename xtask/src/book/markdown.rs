//! What one Markdown file links to, and the anchors that it has.

use std::collections::BTreeSet;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// The links and the anchors of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MarkdownPage {
    /// Where each link leads, with its line.
    pub links: Vec<(usize, String)>,
    /// The anchors of its headings.
    pub anchors: BTreeSet<String>,
}

/// Reads a file as mdBook does.
pub fn read(text: &str) -> MarkdownPage {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_SMART_PUNCTUATION;
    let mut page = MarkdownPage::default();
    let mut heading: Option<(HeadingLevel, Option<String>, String)> = None;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                let line = text[..range.start].matches('\n').count() + 1;
                page.links.push((line, dest_url.into_string()));
            }
            Event::Start(Tag::Heading { level, id, .. }) => {
                heading = Some((level, id.map(|id| id.into_string()), String::new()));
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some((_, id, words)) = heading.take() {
                    let anchor = unique(id.unwrap_or_else(|| anchor(&words)), &page.anchors);
                    page.anchors.insert(anchor);
                }
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some((_, _, heading)) = &mut heading {
                    heading.push_str(&words);
                }
            }
            _ => {}
        }
    }
    page
}

/// The anchor of a heading, as mdBook and GitHub make it.
fn anchor(heading: &str) -> String {
    let kept = heading.trim().to_lowercase();
    kept.chars()
        .filter(|letter| letter.is_alphanumeric() || letter.is_whitespace() || matches!(letter, '_' | '-'))
        .map(|letter| if letter.is_whitespace() { '-' } else { letter })
        .collect()
}

/// The anchor with a number behind it, where another heading has it already.
fn unique(anchor: String, known: &BTreeSet<String>) -> String {
    let numbered = (1..).map(|number| format!("{anchor}-{number}"));
    std::iter::once(anchor.clone()).chain(numbered).find(|anchor| !known.contains(anchor)).unwrap_or(anchor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_become_anchors() {
        for (text, expected) in [
            ("# Exit codes", &["exit-codes"][..]),
            ("## `[rules]` and `[[override]]`", &["rules-and-override"]),
            ("## `assize eval run`", &["assize-eval-run"]),
            ("## What it isn't: 20 % of *it*", &["what-it-isnt-20--of-it"]),
            ("## `bad_configuration`", &["bad_configuration"]),
            ("## Again\n\n## Again\n\n## Again", &["again", "again-1", "again-2"]),
            ("## Named {#other}", &["other"]),
            ("Über\n====", &["über"]),
            ("```\n# no heading\n```", &[]),
        ] {
            assert_eq!(read(text).anchors.into_iter().collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn links_have_their_lines() {
        let text = "One [a](a.md) and\n[b](b.md#x).\n\n![c](c.png) [d][d] `[e](e.md)`\n\n```\n[f](f.md)\n```\n\n\
                    | g |\n|---|\n| [g](g.md) |\n\n[d]: d.md\n";
        let links = [(1, "a.md"), (2, "b.md#x"), (4, "c.png"), (4, "d.md"), (12, "g.md")];
        assert_eq!(read(text).links, links.map(|(line, to)| (line, to.to_owned())));
    }
}
