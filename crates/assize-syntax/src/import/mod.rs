//! Imports: what each of them means, given every path of the tree and its manifests.
//!
//! One file per language's rules. An import leads to a file or folder of the tree, to something
//! outside, or to nothing that could be found; the third is a value of its own and never guessed
//! away. It must not know what imports are used for.

mod facade;
mod go;
mod java;
mod python;
mod rust;
mod script;

use crate::language::ResolutionFamily;
use crate::manifest::Manifests;
use crate::tree::{FileId, FolderId, SourceTree};

/// What an import leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resolved<'a> {
    /// A file of the tree.
    File(FileId),
    /// All of a folder: a package of Go, of Java with `*`, a namespace package of Python.
    Folder(FolderId),
    /// Something outside of the tree: the name of the crate, package or module.
    External(&'a str),
    /// Something of the tree that could not be found.
    Unresolved(Reason),
}

/// Why an import leads nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// The path belongs to the tree, and no file has it.
    NoSuchFile,
    /// The path begins at a module of the tree that has no such child.
    NoSuchModule,
    /// Its first name is that of no dependency and of nothing in reach.
    UnknownName,
    /// It climbs out of the tree, or out of what it belongs to.
    OutsideTree,
    /// It goes through an alias that only a program knows.
    UnknownAlias,
}

impl Reason {
    /// Says it in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::NoSuchFile => "no such file",
            Self::NoSuchModule => "no such module",
            Self::UnknownName => "neither a dependency nor a name in reach",
            Self::OutsideTree => "it leads out of the tree",
            Self::UnknownAlias => "an alias that no configuration file explains",
        }
    }
}

/// One import and one of the things that it leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link<'a> {
    /// The file that imports.
    pub from: FileId,
    /// The position of the import among the file's imports.
    pub import: u32,
    /// What it leads to. Several names of one import may lead to several files.
    pub to: Resolved<'a>,
}

/// Returns whether something outside of the tree comes with the language.
pub fn is_standard(path: &str, name: &str) -> bool {
    match ResolutionFamily::of(path) {
        Some(ResolutionFamily::Rust) => rust::is_standard(name),
        Some(ResolutionFamily::Python) => python::is_standard(name),
        Some(ResolutionFamily::Script) => script::is_standard(name),
        Some(ResolutionFamily::Go) => go::is_standard(name),
        Some(ResolutionFamily::Java) => java::is_standard(name),
        None => false,
    }
}

/// Returns the files through which the project is used, as its manifests say, whatever their paths look like: roots of
/// crates and programs, and what a package hands out.
pub fn product_roots(tree: &SourceTree<'_>, manifests: &Manifests<'_>) -> Vec<FileId> {
    let mut roots = rust::product_roots(tree, manifests);
    roots.extend(script::product_roots(tree, manifests));
    roots
}

/// Says what every import of the tree leads to, in the order of files and imports.
pub fn resolve<'a>(tree: &SourceTree<'a>, manifests: &Manifests<'a>) -> Vec<Link<'a>> {
    let mut links = Vec::new();
    let mut rust = None;
    let mut python = None;
    let mut script = None;
    let mut go = None;
    let mut java = None;
    let mut found = Vec::new();
    for (from, file) in tree.files() {
        let Some(family) = ResolutionFamily::of(file.path) else { continue };
        for (position, import) in tree.imports(from).iter().enumerate() {
            match family {
                ResolutionFamily::Rust => rust
                    .get_or_insert_with(|| rust::RustResolver::new(tree, manifests))
                    .resolve(from, position, import, &mut found),
                ResolutionFamily::Python => {
                    python
                        .get_or_insert_with(|| python::PythonResolver::new(tree, manifests))
                        .resolve(from, import, &mut found);
                }
                ResolutionFamily::Script => {
                    script
                        .get_or_insert_with(|| script::ScriptResolver::new(tree, manifests))
                        .resolve(from, import, &mut found);
                }
                ResolutionFamily::Go => {
                    go.get_or_insert_with(|| go::GoResolver::new(tree, manifests)).resolve(from, import, &mut found);
                }
                ResolutionFamily::Java => {
                    java.get_or_insert_with(|| java::JavaResolver::new(tree)).resolve(from, import, &mut found);
                }
            }
            found.sort_unstable();
            found.dedup();
            links.extend(found.drain(..).map(|to| Link { from, import: position as u32, to }));
        }
    }
    links
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::Fixture;

    proptest! {
        /// Imports are written by the judged party: whatever they are, they lead somewhere or nowhere.
        #[test]
        fn no_import_is_too_odd(
            imports in prop::collection::vec("[a-c.:/@#*~ß{}-]{0,12}|(super::|crate::|self::){1,4}[a-c:]{0,6}", 1..12),
            names in prop::collection::vec("[a-cX*.]{0,3}|self|default", 0..4),
            folders in prop::collection::vec("([a-c]/){0,3}", 1..6),
        ) {
            let lines: Vec<String> = imports
                .iter()
                .filter(|path| !path.is_empty() && !path.contains(" {"))
                .map(|path| format!("pub {path} {{{}}}\nmod {path}", names.join(",")))
                .collect();
            let text = lines.join("\n");
            let mut files = vec![
                ("Cargo.toml".to_owned(), "[package]\nname = 'a'\n[dependencies]\nb = {path = 'b'}".to_owned()),
                ("package.json".to_owned(), r##"{"name": "a", "exports": {"./*": "./*.js"}, "imports": {"#*": "./*"}}"##.to_owned()),
                ("tsconfig.json".to_owned(), r#"{"compilerOptions": {"baseUrl": ".", "paths": {"@*": ["./*"]}}}"#.to_owned()),
                ("go.mod".to_owned(), "module a\nreplace b => ./b".to_owned()),
            ];
            for folder in &folders {
                for name in ["a.rs", "lib.rs", "mod.rs", "__init__.py", "b.py", "index.ts", "c.js", "a.go", "A.java"] {
                    files.push((format!("{folder}{name}"), text.clone()));
                }
            }
            let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            let fixture = Fixture::new(&files);
            let tree = fixture.tree();
            let links = resolve(&tree, &Manifests::read(&tree));
            prop_assert!(links.is_sorted());
            let answered: std::collections::HashSet<(FileId, u32)> =
                links.iter().map(|link| (link.from, link.import)).collect();
            let asked: usize = tree.files().map(|(id, _)| tree.imports(id).len()).sum();
            prop_assert_eq!(answered.len(), asked);
        }
    }

    /// Checks each import alone. Its line is added to the file as [`crate::testing::facts`] reads it, and the targets
    /// to which it leads are given with blanks between.
    pub(crate) fn check(files: &[(&str, &str)], path: &str, cases: &[(&str, &str)]) {
        let own = files.iter().find(|(name, _)| *name == path).map_or("", |(_, text)| *text);
        let mut wrong = Vec::new();
        for (line, expected) in cases {
            let text = format!("{own}\n{line}");
            let mut files: Vec<(&str, &str)> = files.iter().filter(|(name, _)| *name != path).copied().collect();
            files.push((path, &text));
            let found = last_import(&Fixture::new(&files), path);
            if found != *expected {
                wrong.push(format!("{path}: {line}\n    expected {expected}\n    found    {found}"));
            }
        }
        assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    }

    #[test]
    fn what_comes_with_a_language_is_known() {
        for (path, standard, other) in [
            ("a.rs", "std", "serde"),
            ("a.py", "json", "requests"),
            ("a.ts", "node:fs", "react"),
            ("a.js", "fs", "fs-extra"),
            ("a.go", "net/http", "github.com/a/b"),
            ("a.java", "java.util", "org.junit"),
        ] {
            assert!(is_standard(path, standard) && !is_standard(path, other), "{path}");
        }
        assert!(!is_standard("a.txt", "std"));
    }

    fn last_import(fixture: &Fixture, path: &str) -> String {
        let tree = fixture.tree();
        let manifests = Manifests::read(&tree);
        assert_eq!(manifests.unread, []);
        let from = tree.find(path).expect("the file was put there");
        let last = tree.imports(from).len() as u32 - 1;
        let links = resolve(&tree, &manifests);
        let own = links.iter().filter(|link| link.from == from && link.import == last);
        let shown = own.map(|link| match link.to {
            Resolved::File(file) => tree.path(file).to_owned(),
            Resolved::Folder(folder) => format!("{}/", tree.folder_path(folder)),
            Resolved::External(name) => format!("<{name}>"),
            Resolved::Unresolved(reason) => format!("? {}", reason.words()),
        });
        shown.collect::<Vec<_>>().join(" ")
    }
}
