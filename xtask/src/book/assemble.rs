//! The sources of the book: what is written, and what is generated beside it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use assize_core::page::{Page, Subject};
use regex::Regex;

use crate::shell::Result;

/// The table of contents.
pub const SUMMARY: &str = "SUMMARY.md";

/// The page of commands.
pub const COMMANDS: &str = "reference/commands.md";
/// The page of schemas.
pub const SCHEMAS: &str = "reference/schemas.md";

/// The folder of the pages about a subject.
fn folder(subject: Subject) -> &'static str {
    match subject {
        Subject::Rule => "reference/rules",
        Subject::Gate => "reference/gates",
        Subject::Cause => "reference/causes",
    }
}

/// Returns the sources of the book by their paths: the written ones, completed by the pages, and by what is
/// generated for the end of a written page.
pub fn book(
    written: &BTreeMap<String, String>,
    pages: &[Page],
    generated: &[(&str, String)],
) -> Result<BTreeMap<String, String>> {
    let mut book = written.clone();
    for page in pages {
        let path = format!("{}/{}.md", folder(page.subject), page.id());
        if book.insert(path.clone(), page.text.to_owned()).is_some() {
            return Err(format!("{path}: two pages have this path"));
        }
    }
    for subject in Subject::ALL {
        let pages = of(pages, subject);
        append(&mut book, &format!("{}/README.md", folder(subject)), &list(&pages))?;
    }
    for (path, text) in generated {
        append(&mut book, path, text)?;
    }
    let summary = book.get(SUMMARY).ok_or("docs/src/SUMMARY.md is missing")?;
    let summary = summary_with(summary, pages);
    book.insert(SUMMARY.to_owned(), summary);
    Ok(book)
}

/// Writes the sources into a folder, which then has nothing else, as mdBook reads them: the page of a folder
/// is `index.md`.
pub fn write(book: &BTreeMap<String, String>, folder: &Path) -> Result {
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| failed(folder, error))?;
    }
    for (path, text) in book {
        let text = if path.ends_with(".md") { as_index(text)? } else { text.clone() };
        let path = folder.join(as_index(path)?);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| failed(parent, error))?;
        fs::write(&path, text).map_err(|error| failed(&path, error))?;
    }
    Ok(())
}

/// Names the page of a folder, and where links lead to one, as mdBook needs it: it makes `index.html` of a
/// `README.md`, and leaves the links to `README.html` in place.
fn as_index(text: &str) -> Result<String> {
    let page = Regex::new(r"(^|[(/])README\.md([)#]|$)").map_err(|error| error.to_string())?;
    Ok(page.replace_all(text, "${1}index.md${2}").into_owned())
}

fn of(pages: &[Page], subject: Subject) -> Vec<&Page> {
    let mut pages: Vec<&Page> = pages.iter().filter(|page| page.subject == subject).collect();
    pages.sort_by_key(|page| page.id());
    pages
}

fn append(book: &mut BTreeMap<String, String>, path: &str, text: &str) -> Result {
    let page = book.get_mut(path).ok_or_else(|| format!("docs/src/{path} is missing"))?;
    page.push('\n');
    page.push_str(text);
    Ok(())
}

/// The pages with their summaries, one on each line.
fn list(pages: &[&Page]) -> String {
    let ids = |page: &Page| page.ids.iter().skip(1).map(|id| format!(", `{id}`")).collect::<String>();
    let line = |page: &&Page| format!("- [`{0}`]({0}.md){1}: {2}\n", page.id(), ids(page), page.summary());
    pages.iter().map(line).collect()
}

/// The table of contents with the pages below the page of their subject.
fn summary_with(summary: &str, pages: &[Page]) -> String {
    let mut text = String::new();
    for line in summary.lines() {
        text.push_str(line);
        text.push('\n');
        let is_of = |subject: &Subject| line.ends_with(&format!("({}/README.md)", folder(*subject)));
        for page in Subject::ALL.into_iter().find(is_of).into_iter().flat_map(|subject| of(pages, subject)) {
            text.push_str(&format!("  - [{0}]({1}/{0}.md)\n", page.id(), folder(page.subject)));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written() -> BTreeMap<String, String> {
        let summary =
            "- [Rules](reference/rules/README.md)\n- [Gates](reference/gates/README.md)\n- [Trust](trust.md)\n";
        let pages = [
            (SUMMARY, summary),
            (COMMANDS, "# Commands\n"),
            ("reference/rules/README.md", "# Rules\n"),
            ("reference/gates/README.md", "# Gates\n"),
            ("reference/causes/README.md", "# Causes\n"),
        ];
        pages.map(|(path, text)| (path.to_owned(), text.to_owned())).into()
    }

    #[test]
    fn pages_are_listed_and_have_a_place_in_the_table_of_contents() {
        let page = |subject, ids: &[&'static str], text| Page { subject, ids: ids.to_vec(), text };
        let pages = [
            page(Subject::Rule, &["secret", "key"], "# `secret`\n\nA secret is\nadded.\n"),
            page(Subject::Rule, &["deferral"], "# `deferral`\n\nWork is deferred.\n"),
            page(Subject::Gate, &["pytest"], "# `pytest`\n\nRuns pytest.\n"),
        ];
        let book = book(&written(), &pages, &[(COMMANDS, "## `assize`\n".to_owned())]).expect("a book");
        assert_eq!(book["reference/rules/secret.md"], pages[0].text);
        assert_eq!(
            book["reference/rules/README.md"],
            "# Rules\n\n- [`deferral`](deferral.md): Work is deferred.\n- [`secret`](secret.md), `key`: A secret is added.\n"
        );
        assert_eq!(
            book[SUMMARY],
            "- [Rules](reference/rules/README.md)\n  - [deferral](reference/rules/deferral.md)\n  \
             - [secret](reference/rules/secret.md)\n- [Gates](reference/gates/README.md)\n  \
             - [pytest](reference/gates/pytest.md)\n- [Trust](trust.md)\n"
        );
        assert_eq!(book[COMMANDS], "# Commands\n\n## `assize`\n");
    }

    #[test]
    fn the_page_of_a_folder_is_its_index() {
        for (text, expected) in [
            ("reference/rules/README.md", "reference/rules/index.md"),
            ("README.md", "index.md"),
            ("[a](../README.md) [b](a/README.md#x) [c](README.md)", "[a](../index.md) [b](a/index.md#x) [c](index.md)"),
            (
                "`README.md` stays, and so does OLD-README.md in a text.",
                "`README.md` stays, and so does OLD-README.md in a text.",
            ),
        ] {
            assert_eq!(as_index(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_has_no_place_is_an_error() {
        let page = |id| Page { subject: Subject::Cause, ids: vec![id], text: "" };
        assert!(book(&written(), &[page("timeout"), page("timeout")], &[]).is_err());
        for missing in [SUMMARY, COMMANDS, "reference/causes/README.md"] {
            let mut written = written();
            written.remove(missing);
            assert!(
                book(&written, &[], &[(COMMANDS, String::new())]).is_err_and(|error| error.contains(missing)),
                "{missing}"
            );
        }
    }
}
