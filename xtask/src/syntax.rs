//! Rust sources as syntax trees, for checks of names, texts and calls.

use assize_syntax::language;
use tree_sitter::{Node, Tree};

use crate::shell::Result;

/// A parsed source file.
#[derive(Debug)]
pub struct RustSource {
    /// Its path from the root.
    pub path: String,
    /// What it holds.
    pub text: String,
    /// Whether it is compiled for tests alone.
    pub is_test: bool,
    tree: Tree,
}

impl RustSource {
    /// Parses a file.
    pub fn parse(path: &str, text: String) -> Result<Self> {
        let parsed = language::parse(path, &text).ok_or_else(|| format!("{path}: it cannot be parsed"))?;
        Ok(Self { path: path.to_owned(), text, is_test: false, tree: parsed.tree })
    }

    /// Returns what a node spans.
    pub fn of(&self, node: Node<'_>) -> &str {
        &self.text[node.byte_range()]
    }

    /// Visits every node in the order of the text; where `enter` returns false, what is below the node is passed over.
    pub fn visit<'t>(&'t self, enter: &mut impl FnMut(Node<'t>) -> bool) {
        let mut cursor = self.tree.walk();
        loop {
            if enter(cursor.node()) && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    /// Returns whether an item is compiled for tests alone: it carries `#[cfg(test)]` or `#[test]`.
    pub fn is_test_only(&self, item: Node<'_>) -> bool {
        let mut before = item.prev_sibling();
        while let Some(node) = before.filter(|node| matches!(node.kind(), "attribute_item" | "line_comment")) {
            if matches!(self.of(node), "#[cfg(test)]" | "#[test]") {
                return true;
            }
            before = node.prev_sibling();
        }
        false
    }

    /// Lists the files of the modules that this file declares for tests alone, by their paths from the root.
    pub fn test_modules(&self) -> Vec<String> {
        let mut found = Vec::new();
        let folder = module_folder(&self.path);
        self.visit(&mut |node| {
            if node.kind() == "mod_item" && node.child_by_field_name("body").is_none() && self.is_test_only(node) {
                let name = node.child_by_field_name("name").map_or("", |name| self.of(name));
                found.extend([format!("{folder}/{name}.rs"), format!("{folder}/{name}/")]);
            }
            true
        });
        found
    }
}

/// Returns the line of a node, counted from 1.
pub fn line(node: Node<'_>) -> usize {
    node.start_position().row + 1
}

/// The folder in which the modules that a file declares lie.
fn module_folder(path: &str) -> String {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    match file {
        "mod.rs" | "lib.rs" | "main.rs" => folder.to_owned(),
        _ => path.trim_end_matches(".rs").to_owned(),
    }
}

/// Parses files, and marks those that are compiled for tests alone.
pub fn parse_all(files: &[(String, String)]) -> Result<Vec<RustSource>> {
    let parsed = files.iter().map(|(path, text)| RustSource::parse(path, text.clone()));
    let mut sources: Vec<RustSource> = parsed.collect::<Result<_>>()?;
    let of_tests: Vec<String> = sources.iter().flat_map(RustSource::test_modules).collect();
    for source in &mut sources {
        let path = source.path.as_str();
        source.is_test = path.contains("/tests/")
            || path.starts_with("crates/assize-testkit/")
            || of_tests.iter().any(|of| path == of || (of.ends_with('/') && path.starts_with(of.as_str())));
    }
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_of_tests_are_known_by_their_declaration() {
        let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        let files = [
            file("crates/a/src/lib.rs", "mod one;\n#[cfg(test)]\nmod cases;\n"),
            file("crates/a/src/one.rs", "/// For tests.\n#[cfg(test)]\npub(crate) mod tests;\n"),
            file("crates/a/src/cases.rs", ""),
            file("crates/a/src/cases/deep.rs", ""),
            file("crates/a/src/one/tests.rs", ""),
            file("crates/a/tests/a.rs", ""),
        ];
        let sources = parse_all(&files).expect("parsed");
        let product: Vec<&str> =
            sources.iter().filter(|source| !source.is_test).map(|source| source.path.as_str()).collect();
        assert_eq!(product, ["crates/a/src/lib.rs", "crates/a/src/one.rs"]);
    }
}
