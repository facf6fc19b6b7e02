//! Links that lead nowhere.

use std::collections::BTreeMap;

use super::markdown::{MarkdownPage, read};

/// Names the broken links of some files, each with its place. `files` are the texts of a tree by their paths;
/// links between them and to their headings are looked at, others are not. `shown` turns a path into the one
/// that is reported.
pub fn broken<'a>(
    files: &BTreeMap<String, String>,
    of: impl Iterator<Item = &'a str>,
    shown: impl Fn(&str) -> String,
) -> Vec<String> {
    let is_page = |path: &str| path.ends_with(".md");
    let pages: BTreeMap<&str, MarkdownPage> =
        files.iter().filter(|(path, _)| is_page(path)).map(|(path, text)| (path.as_str(), read(text))).collect();
    let mut broken = Vec::new();
    for path in of.filter(|path| is_page(path)) {
        let Some(page) = pages.get(path) else { continue };
        for (line, link) in &page.links {
            if let Some(why) = fault(link, path, files, &pages) {
                broken.push(format!("{}:{line}: the link `{link}` is broken: {why}", shown(path)));
            }
        }
    }
    broken
}

/// Says what is wrong with a link of a file.
fn fault(
    link: &str,
    from: &str,
    files: &BTreeMap<String, String>,
    pages: &BTreeMap<&str, MarkdownPage>,
) -> Option<String> {
    let (path, anchor) = link.split_once('#').map_or((link, None), |(path, anchor)| (path, Some(anchor)));
    if path.split('/').next().is_some_and(|first| first.contains(':')) {
        return None;
    }
    let to = if path.is_empty() { from.to_owned() } else { resolved(path, from) };
    if to.starts_with("../") || to.starts_with('/') {
        return Some("it leads out of the tree".to_owned());
    }
    let folder = format!("{}/", to.trim_end_matches('/'));
    match (pages.get(to.as_str()), anchor) {
        (Some(page), Some(anchor)) if !page.anchors.contains(anchor) => {
            Some(format!("no heading of `{to}` has this anchor"))
        }
        (Some(_), _) => None,
        (None, None) if files.contains_key(&to) || files.keys().any(|path| path.starts_with(&folder)) => None,
        (None, _) => Some(format!("there is no page `{to}`")),
    }
}

/// Returns the path that a link of a file means, from the root of the tree; what leads out of it begins with `../`.
pub fn resolved(link: &str, from: &str) -> String {
    if link.starts_with('/') {
        return link.to_owned();
    }
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." | "" => {}
            ".." => match parts.last() {
                Some(&"..") | None => parts.push(".."),
                Some(_) => {
                    parts.pop();
                }
            },
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_a_file_and_to_a_heading() {
        for (link, expected) in [
            ("other.md", None),
            ("other.md#two-words", None),
            ("../README.md#top", None),
            ("#here", None),
            ("../image.png", None),
            ("../a/", None),
            ("https://example.org/a#b", None),
            ("mailto:a@example.org", None),
            ("gone.md", Some("there is no page `a/gone.md`")),
            ("other.md#gone", Some("no heading of `a/other.md` has this anchor")),
            ("#gone", Some("no heading of `a/page.md` has this anchor")),
            ("../image.png#gone", Some("there is no page `image.png`")),
            ("../../outside.md", Some("it leads out of the tree")),
            ("/etc/passwd", Some("it leads out of the tree")),
        ] {
            let page = format!("# Here\n\n[text]({link})\n");
            let files = [
                ("a/page.md", page.as_str()),
                ("a/other.md", "# Two words\n"),
                ("README.md", "# Top\n[never looked at](gone.md)\n"),
                ("image.png", ""),
            ];
            let files = files.map(|(path, text)| (path.to_owned(), text.to_owned())).into();
            let found = broken(&files, ["a/page.md"].into_iter(), |path| format!("docs/{path}"));
            let expected = expected.map(|why| format!("docs/a/page.md:3: the link `{link}` is broken: {why}"));
            assert_eq!(found, Vec::from_iter(expected), "{link}");
        }
    }
}
