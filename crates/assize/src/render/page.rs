//! How pages about rules, gates and causes are shown.

use std::fmt::Write as _;

use assize_core::page::{Page, Subject};

use crate::output::{QUIET, STRONG, quiet, styled};

/// Spaces in front of code.
const CODE_INDENT: &str = "    ";

/// Shows a page at a terminal: headings and emphasis bold, code indented.
pub fn human(page: &Page) -> String {
    let mut text = String::new();
    let mut in_code = false;
    for line in page.text.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if in_code {
            let _ = writeln!(text, "{CODE_INDENT}{}", styled(QUIET, line));
        } else if let Some(heading) = heading(line) {
            let _ = writeln!(text, "{}", styled(STRONG, heading));
        } else {
            let _ = writeln!(text, "{}", emphasized(line));
        }
    }
    text
}

/// Returns the words of a heading; `None` where the line is none.
fn heading(line: &str) -> Option<&str> {
    let words = line.trim_start_matches('#');
    words.strip_prefix(' ').filter(|_| words.len() < line.len())
}

/// Makes what stands between double asterisks bold. Asterisks within code are code.
fn emphasized(line: &str) -> String {
    let mut text = String::new();
    for (index, part) in line.split('`').enumerate() {
        if index > 0 {
            text.push('`');
        }
        if index % 2 == 1 {
            text.push_str(part);
            continue;
        }
        let pieces: Vec<&str> = part.split("**").collect();
        // One that is not closed on its line is shown as it is.
        if pieces.len().is_multiple_of(2) {
            text.push_str(part);
            continue;
        }
        for (index, piece) in pieces.into_iter().enumerate() {
            if index % 2 == 1 { text.push_str(&styled(STRONG, piece)) } else { text.push_str(piece) }
        }
    }
    text
}

/// Lists pages for a person, by subject.
pub fn list_human(pages: &[Page]) -> String {
    let width = pages.iter().flat_map(|page| &page.ids).map(|id| id.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (subject, pages) in by_subject(pages) {
        let _ = writeln!(text, "{}", styled(STRONG, plural(subject)));
        for page in pages {
            let _ = writeln!(text, "  {:width$}  {}", page.id(), page.summary());
            for other in page.ids.iter().skip(1) {
                let _ = writeln!(text, "  {other:width$}  {}", quiet(&format!("see {}", page.id())));
            }
        }
        text.push('\n');
    }
    text.push_str("assize explain ID prints the page of one of them\n");
    text
}

/// Lists pages as Markdown, by subject.
pub fn list_markdown(pages: &[Page]) -> String {
    let mut text = String::new();
    for (subject, pages) in by_subject(pages) {
        let _ = writeln!(text, "## {}\n", plural(subject));
        for page in pages {
            let ids: Vec<String> = page.ids.iter().map(|id| format!("`{id}`")).collect();
            let _ = writeln!(text, "- {}: {}", ids.join(", "), page.summary());
        }
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// Groups pages by subject, in the order of the subjects; those about which there is no page are left out.
fn by_subject(pages: &[Page]) -> Vec<(Subject, Vec<&Page>)> {
    let of = |subject| (subject, pages.iter().filter(|page| page.subject == subject).collect::<Vec<_>>());
    Subject::ALL.into_iter().map(of).filter(|(_, pages)| !pages.is_empty()).collect()
}

fn plural(subject: Subject) -> &'static str {
    match subject {
        Subject::Rule => "Rules",
        Subject::Gate => "Gates",
        Subject::Cause => "Causes",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &'static str) -> Page {
        Page { subject: Subject::Rule, ids: vec!["a", "b"], text }
    }

    #[test]
    fn headings_are_bold_and_code_is_indented() {
        let shown = human(&page("# `a`\n\nIt **is** `**so**`, #1.\n\n```text\n# x\n```\n"));
        let plain = anstream::adapter::strip_str(&shown).to_string();
        assert_eq!(plain, "`a`\n\nIt is `**so**`, #1.\n\n    # x\n");
        assert!(shown.contains(&styled(STRONG, "is")), "{shown:?}");
        assert!(shown.starts_with(&styled(STRONG, "`a`")), "{shown:?}");
        assert!(shown.contains(&styled(QUIET, "# x")), "{shown:?}");
    }

    #[test]
    fn what_is_not_closed_stays_as_it_is() {
        for line in ["a ** b", "a **b", "**a** **b", "#no heading", "x `**"] {
            let plain = anstream::adapter::strip_str(&emphasized(line)).to_string();
            assert_eq!(plain, line);
        }
        assert_eq!(heading("## A b"), Some("A b"));
        assert_eq!(heading("#no"), None);
        assert_eq!(heading(" x"), None);
    }

    #[test]
    fn pages_are_listed_by_subject_with_all_their_ids() {
        let gate = Page { subject: Subject::Gate, ids: vec!["g"], text: "# `g`\n\nRuns g.\n" };
        let pages = [gate, page("# `a`\n\nFinds a.\n")];
        assert_eq!(list_markdown(&pages), "## Rules\n\n- `a`, `b`: Finds a.\n\n## Gates\n\n- `g`: Runs g.\n");
        let plain = anstream::adapter::strip_str(&list_human(&pages)).to_string();
        let expected = "Rules\n  a  Finds a.\n  b  see a\n\nGates\n  g  Runs g.\n\nassize explain ID prints the page of one of them\n";
        assert_eq!(plain, expected);
    }
}
