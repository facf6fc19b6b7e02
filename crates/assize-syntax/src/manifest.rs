//! Manifests and configuration files, read once for everybody who needs them.
//!
//! What cannot be read is noted and passed over: a broken manifest must not hide the rest of the
//! tree. It must not know what the contents are used for.

use assize_core::path::{ending, file_name, parent};
use serde_json::Value;

use crate::tree::{FileId, SourceTree};

/// The longest manifest that is read, in bytes.
pub const MANIFEST_BYTES_MAX: usize = 1024 * 1024;

/// The most manifests of one kind that are read.
pub const MANIFESTS_MAX: usize = 5_000;

/// A file that could not be read, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadManifest {
    /// The file's path.
    pub path: String,
    /// What is wrong with it.
    pub message: String,
}

/// The manifests of a tree, each kind in the order of the paths.
#[derive(Debug, Default)]
pub struct Manifests<'a> {
    /// Every `Cargo.toml`.
    pub cargo: Vec<(FileId, toml::Table)>,
    /// Every `pyproject.toml`.
    pub pyproject: Vec<(FileId, toml::Table)>,
    /// Every `package.json`.
    pub package: Vec<(FileId, Value)>,
    /// Every `tsconfig*.json` and `jsconfig*.json`, and what such files may extend.
    pub tsconfig: Vec<(FileId, Value)>,
    /// Every `go.mod` and `go.work`.
    pub go: Vec<(FileId, &'a str)>,
    /// Every INI file that configures Python tools.
    pub ini: Vec<(FileId, Ini<'a>)>,
    /// Every other text that was asked for: `requirements*.txt`, `pom.xml`, `build.gradle`.
    pub text: Vec<(FileId, &'a str)>,
    /// What could not be read.
    pub unread: Vec<UnreadManifest>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ManifestKind {
    Cargo,
    Pyproject,
    Package,
    Tsconfig,
    Go,
    Ini,
    Text,
}

/// Returns whether a brief reads the text of this file, apart from schemas.
pub fn wants_text(path: &str) -> bool {
    kind(path).is_some() || assize_ecosystem::calls_tools(path)
}

fn kind(path: &str) -> Option<ManifestKind> {
    // Most files are source code: one look at the ending spares them the rest.
    match ending(path)? {
        "toml" => match file_name(path) {
            "Cargo.toml" => Some(ManifestKind::Cargo),
            "pyproject.toml" => Some(ManifestKind::Pyproject),
            "ruff.toml" | ".ruff.toml" => Some(ManifestKind::Text),
            _ => None,
        },
        "json" => match file_name(path) {
            "package.json" => Some(ManifestKind::Package),
            name if is_config_of_scripts(name) => Some(ManifestKind::Tsconfig),
            _ if file_name(parent(path)).contains("tsconfig") => Some(ManifestKind::Tsconfig),
            _ if file_name(parent(path)).contains("typescript-config") => Some(ManifestKind::Tsconfig),
            _ => None,
        },
        "mod" | "work" => matches!(file_name(path), "go.mod" | "go.work").then_some(ManifestKind::Go),
        "cfg" | "ini" => matches!(file_name(path), "setup.cfg" | "tox.ini").then_some(ManifestKind::Ini),
        "txt" => file_name(path).starts_with("requirements").then_some(ManifestKind::Text),
        "xml" => (file_name(path) == "pom.xml").then_some(ManifestKind::Text),
        "gradle" | "kts" => file_name(path).starts_with("build.gradle").then_some(ManifestKind::Text),
        _ => None,
    }
}

fn is_config_of_scripts(name: &str) -> bool {
    name.contains("tsconfig") || name.contains("jsconfig")
}

impl<'a> Manifests<'a> {
    /// Reads the manifests of a tree, as far as their texts were handed in.
    pub fn read(tree: &SourceTree<'a>) -> Self {
        let mut manifests = Self::default();
        for (id, file) in tree.files() {
            let Some((text, kind)) = file.text.zip(kind(file.path)) else { continue };
            if let Err(message) = manifests.add(id, text, kind) {
                manifests.unread.push(UnreadManifest { path: file.path.to_owned(), message });
            }
        }
        manifests
    }

    fn add(&mut self, id: FileId, text: &'a str, kind: ManifestKind) -> Result<(), String> {
        if text.len() > MANIFEST_BYTES_MAX {
            return Err(format!("longer than {MANIFEST_BYTES_MAX} bytes"));
        }
        let full = match kind {
            ManifestKind::Cargo => push(&mut self.cargo, id, table(text)?),
            ManifestKind::Pyproject => push(&mut self.pyproject, id, table(text)?),
            ManifestKind::Package => push(&mut self.package, id, json(text)?),
            ManifestKind::Tsconfig => push(&mut self.tsconfig, id, json_with_comments(text)?),
            ManifestKind::Go => push(&mut self.go, id, text),
            ManifestKind::Ini => push(&mut self.ini, id, Ini::read(text)),
            ManifestKind::Text => push(&mut self.text, id, text),
        };
        if full { Err(format!("more than {MANIFESTS_MAX} files of its kind")) } else { Ok(()) }
    }
}

fn push<T>(list: &mut Vec<(FileId, T)>, id: FileId, value: T) -> bool {
    let full = list.len() >= MANIFESTS_MAX;
    if !full {
        list.push((id, value));
    }
    full
}

fn table(text: &str) -> Result<toml::Table, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    toml::from_str(text).map_err(|error| error.message().to_owned())
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text.strip_prefix('\u{feff}').unwrap_or(text)).map_err(|error| error.to_string())
}

fn json_with_comments(text: &str) -> Result<Value, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    jsonc_parser::parse_to_serde_value::<Value>(text, &jsonc_parser::ParseOptions::default())
        .map_err(|error| error.to_string())
}

/// An INI file as Python's tools read it: sections, keys and values that may go on in indented lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Ini<'a> {
    entries: Vec<(&'a str, &'a str, Vec<&'a str>)>,
    sections: Vec<&'a str>,
}

impl<'a> Ini<'a> {
    /// Reads the text; lines that fit nowhere are passed over.
    pub fn read(text: &'a str) -> Self {
        let mut ini = Self::default();
        for line in text.lines() {
            let trimmed = line.trim();
            if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
                continue;
            }
            let indented = line.starts_with([' ', '\t']);
            if let Some(section) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'))
                && !indented
            {
                ini.sections.push(section.trim());
            } else if let Some((_, _, values)) = ini.entries.last_mut().filter(|_| indented) {
                values.push(trimmed);
            } else if let Some((key, value)) = trimmed.split_once(['=', ':']) {
                let section = ini.sections.last().copied().unwrap_or_default();
                let value = value.trim();
                let values = if value.is_empty() { Vec::new() } else { vec![value] };
                ini.entries.push((section, key.trim(), values));
            }
        }
        ini
    }

    /// Returns whether there is such a section.
    pub fn has_section(&self, section: &str) -> bool {
        self.sections.contains(&section)
    }

    /// Returns the lines of a value.
    pub fn get(&self, section: &str, key: &str) -> &[&'a str] {
        self.entries
            .iter()
            .find(|(in_section, name, _)| *in_section == section && *name == key)
            .map_or(&[], |(_, _, values)| values)
    }
}

/// Follows keys down into a TOML table.
pub fn dig<'t>(table: &'t toml::Table, keys: &[&str]) -> Option<&'t toml::Value> {
    let (first, rest) = keys.split_first()?;
    rest.iter().try_fold(table.get(*first)?, |value, key| value.get(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::TreeFile;

    fn read<'a>(files: &[(&'a str, &'a str)]) -> (SourceTree<'a>, Manifests<'a>) {
        let tree = SourceTree::new(files.iter().map(|&(path, text)| TreeFile {
            path,
            text: Some(text),
            ..TreeFile::default()
        }));
        let manifests = Manifests::read(&tree);
        (tree, manifests)
    }

    #[test]
    fn each_kind_is_read() {
        let (_, manifests) = read(&[
            ("Cargo.toml", "[package]\nname = 'a'"),
            ("pyproject.toml", "\u{feff}[project]\nname = 'a'"),
            ("package.json", "{\"name\": \"a\"}"),
            ("tsconfig.json", "{ // why\n \"compilerOptions\": {\"baseUrl\": \".\",}, }"),
            ("packages/tsconfig/base.json", "{}"),
            ("go.mod", "module a"),
            ("setup.cfg", "[options]\npackage_dir =\n    = src\n"),
            ("requirements-dev.txt", "pytest"),
            ("data.json", "{"),
        ]);
        assert_eq!(manifests.unread, []);
        assert_eq!((manifests.cargo.len(), manifests.pyproject.len(), manifests.package.len()), (1, 1, 1));
        assert_eq!((manifests.tsconfig.len(), manifests.go.len(), manifests.text.len()), (2, 1, 1));
        assert_eq!(manifests.ini[0].1.get("options", "package_dir"), ["= src"]);
    }

    #[test]
    fn what_is_broken_is_noted_and_hides_nothing() {
        let (_, manifests) =
            read(&[("a/Cargo.toml", "[package"), ("b/Cargo.toml", "[package]"), ("package.json", "{")]);
        assert_eq!(manifests.cargo.len(), 1);
        let paths: Vec<&str> = manifests.unread.iter().map(|unread| unread.path.as_str()).collect();
        assert_eq!(paths, ["a/Cargo.toml", "package.json"]);
    }

    #[test]
    fn manifests_are_limited() {
        let padded = |bytes: usize| format!("{{}}{}", " ".repeat(bytes - 2));
        let (at, past) = (padded(MANIFEST_BYTES_MAX), padded(MANIFEST_BYTES_MAX + 1));
        assert_eq!(read(&[("package.json", &at)]).1.unread, []);
        assert_eq!(read(&[("package.json", &past)]).1.unread.len(), 1);

        let paths: Vec<String> = (0..=MANIFESTS_MAX).map(|number| format!("{number}/go.mod")).collect();
        for (count, unread) in [(MANIFESTS_MAX, 0), (MANIFESTS_MAX + 1, 1)] {
            let files: Vec<(&str, &str)> = paths[..count].iter().map(|path| (path.as_str(), "module a")).collect();
            assert_eq!(read(&files).1.unread.len(), unread);
        }
    }

    #[test]
    fn ini_files_are_read_as_python_tools_do() {
        let ini = Ini::read("top = 1\n[a]\nx: 1\ny = \n  p\n  # no\n  q = r\n[b:c]\n");
        assert_eq!(ini.get("a", "x"), ["1"]);
        assert_eq!(ini.get("a", "y"), ["p", "q = r"]);
        assert!(ini.has_section("b:c") && !ini.has_section("c"));
        assert_eq!(ini.get("", "top"), ["1"]);
    }
}
