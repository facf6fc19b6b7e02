//! Links of the built book that lead nowhere: what the sources promise, mdBook has to keep.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use regex::Regex;

use super::links::resolved;
use crate::shell::Result;

/// Pages of mdBook's own, whose links are those of the others.
const OWN_PAGES: [&str; 3] = ["404.html", "print.html", "toc.html"];

/// Names the broken links of the pages in a folder.
pub fn broken(folder: &Path) -> Result<Vec<String>> {
    let mut files = BTreeMap::new();
    read(folder, "", &mut files)?;
    broken_of(&files)
}

/// Reads the pages below a folder, and notes the names of other files.
fn read(folder: &Path, prefix: &str, files: &mut BTreeMap<String, String>) -> Result {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            read(&entry.path(), &format!("{path}/"), files)?;
            continue;
        }
        let is_page = path.ends_with(".html") && !OWN_PAGES.contains(&path.as_str());
        let text = if is_page { fs::read_to_string(entry.path()).map_err(failed)? } else { String::new() };
        files.insert(path, text);
    }
    Ok(())
}

fn broken_of(files: &BTreeMap<String, String>) -> Result<Vec<String>> {
    let pattern = |pattern: &str| Regex::new(pattern).map_err(|error| error.to_string());
    let (id, link) = (pattern(r#"\sid="([^"]+)""#)?, pattern(r#"<a\s[^>]*href="([^"]+)""#)?);
    let all = |pattern: &Regex, text: &str| -> BTreeSet<String> {
        pattern.captures_iter(text).map(|found| found[1].replace("&amp;", "&")).collect()
    };
    let anchors: BTreeMap<&str, BTreeSet<String>> =
        files.iter().map(|(path, text)| (path.as_str(), all(&id, text))).collect();
    let mut broken = Vec::new();
    for (from, text) in files {
        for link in all(&link, text) {
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            if path.contains(':') {
                continue;
            }
            let to = if path.is_empty() { from.clone() } else { resolved(path, from) };
            let is_there = anchors.get(to.as_str()).is_some_and(|ids| anchor.is_empty() || ids.contains(anchor));
            if !is_there {
                broken.push(format!("target/book/html/{from}: the link `{link}` is broken"));
            }
        }
    }
    Ok(broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_anchors_are_where_links_lead() {
        for (link, is_broken) in [
            ("b.html", false),
            ("b.html#top", false),
            ("#here", false),
            ("../style.css", false),
            ("https://example.org/", false),
            ("b.html#gone", true),
            ("README.html", true),
            ("#gone", true),
        ] {
            let page = format!("<h1 id=\"here\"><a class=\"header\" href=\"{link}\">Here</a></h1>");
            let files = [("a/a.html", page.as_str()), ("a/b.html", "<h1 id=\"top\">B</h1>"), ("style.css", "")];
            let files = files.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
            assert_eq!(broken_of(&files).expect("read").len(), usize::from(is_broken), "{link}");
        }
    }

    #[test]
    fn pages_in_folders_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("a")).expect("a folder");
        fs::write(folder.path().join("a/a.html"), "<a href=\"../index.html\">").expect("written");
        assert_eq!(broken(folder.path()).expect("read").len(), 1);
        fs::write(folder.path().join("index.html"), "").expect("written");
        assert_eq!(broken(folder.path()).expect("read"), [""; 0]);
    }
}
