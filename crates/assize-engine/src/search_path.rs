//! The folders in which programs are found that run outside the sandbox.
//!
//! A search path entry inside the judged tree belongs to the candidate: a `git` in `node_modules/.bin`, a `claude` in
//! `.venv/bin`. Relative entries can lead there too, and an empty entry means the current folder. All of these are
//! left out. This module must not know what the programs are for.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

/// The search path if `PATH` is not set.
pub const PATH_DEFAULT: &str = "/usr/local/bin:/usr/bin:/bin";

/// The folders of a search path that are outside a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchPath {
    folders: Vec<PathBuf>,
    tree: PathBuf,
}

impl SearchPath {
    /// Keeps the entries that are absolute, exist, and do not lead into the tree by name or through links.
    pub fn outside(path: &OsStr, tree: &Path) -> Self {
        let real = tree.canonicalize().unwrap_or_else(|_| tree.to_owned());
        // A link inside the tree that leads out of it belongs to the candidate, too.
        let passes_through = |folder: &Path| {
            let real_of = |part: &Path| part.canonicalize().is_ok_and(|part| part.starts_with(&real));
            folder.ancestors().any(real_of)
        };
        let leads_outside = |folder: &PathBuf| folder.is_absolute() && folder.is_dir() && !passes_through(folder);
        Self { folders: std::env::split_paths(path).filter(leads_outside).collect(), tree: real }
    }

    /// Keeps those entries of this process's own search path.
    pub fn of_process(tree: &Path) -> Self {
        Self::outside(&std::env::var_os("PATH").unwrap_or_else(|| PATH_DEFAULT.into()), tree)
    }

    /// Returns the folders, in order.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Finds a program by its bare name. Links that lead into the tree are skipped.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        let mut parts = Path::new(name).components();
        let (Some(Component::Normal(_)), None) = (parts.next(), parts.next()) else { return None };
        self.folders.iter().map(|folder| folder.join(name)).find(|file| self.is_program(file))
    }

    fn is_program(&self, file: &Path) -> bool {
        let executable = fs::metadata(file).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0);
        executable && file.canonicalize().is_ok_and(|file| !file.starts_with(&self.tree))
    }

    /// Returns the search path for programs that run outside the sandbox. It is never empty, because an empty one
    /// means the current folder.
    pub fn variable(&self) -> OsString {
        // They came from such a variable, so joining them works.
        let left = std::env::join_paths(&self.folders).unwrap_or_default();
        if left.is_empty() { PATH_DEFAULT.into() } else { left }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// A folder with a tree in it, and programs called `git` inside and outside the tree.
    struct SearchPathFixture(tempfile::TempDir);

    impl SearchPathFixture {
        fn new() -> Self {
            let world = Self(tempfile::tempdir().expect("a temporary folder"));
            for (folder, mode) in
                [("tree/node_modules/.bin", 0o755), ("tree/tools", 0o755), ("with", 0o755), ("without", 0o644)]
            {
                fs::create_dir_all(world.at(folder)).expect("made");
                let program = world.at(folder).join("git");
                fs::write(&program, "#!/bin/sh\n").expect("written");
                fs::set_permissions(program, fs::Permissions::from_mode(mode)).expect("set");
            }
            fs::create_dir(world.at("linked")).expect("made");
            symlink(world.at("tree/tools/git"), world.at("linked/git")).expect("a link");
            symlink(world.at("tree/tools"), world.at("tools")).expect("a link");
            symlink(world.at("with"), world.at("tree/with")).expect("a link");
            symlink(world.at("tree"), world.at("alias")).expect("a link");
            world
        }

        fn at(&self, path: &str) -> PathBuf {
            self.0.path().join(path)
        }

        fn seen_from(&self, tree: &str, entries: &[&str]) -> SearchPath {
            let entries = entries
                .iter()
                .map(|entry| if entry.starts_with('.') || entry.is_empty() { entry.into() } else { self.at(entry) });
            let path = std::env::join_paths(entries).expect("a path");
            SearchPath::outside(&path, &self.at(tree))
        }
    }

    #[test]
    fn folders_in_the_tree_are_removed() {
        let world = SearchPathFixture::new();
        let cases: [(&[&str], Option<&str>); 11] = [
            (&["with"], Some("with/git")),
            (&["without", "with"], Some("with/git")),
            (&["tree/node_modules/.bin", "with"], Some("with/git")),
            (&["tree", "tree/tools"], None),
            (&["tree/../tree/tools", "with"], Some("with/git")),
            (&["tools", "with"], Some("with/git")),
            (&["tree/with"], None),
            (&["alias/tools"], None),
            (&["", ".", "./tools"], None),
            (&["linked", "with"], Some("with/git")),
            (&["gone", "without"], None),
        ];
        for tree in ["tree", "alias"] {
            for (entries, expected) in cases {
                let found = world.seen_from(tree, entries).find("git");
                assert_eq!(found, expected.map(|path| world.at(path)), "{entries:?} seen from {tree}");
            }
        }
    }

    #[test]
    fn only_bare_names_are_searched() {
        let world = SearchPathFixture::new();
        let path = world.seen_from("tree", &["with"]);
        for name in ["", ".", "..", "../with/git", "/bin/sh", "no-such-program"] {
            assert_eq!(path.find(name), None, "{name}");
        }
    }

    #[test]
    fn programs_get_the_cleaned_path() {
        let world = SearchPathFixture::new();
        let path = world.seen_from("tree", &["tree/tools", "", "with", "without"]);
        assert_eq!(path.variable(), std::env::join_paths([world.at("with"), world.at("without")]).expect("a path"));
        assert_eq!(path.folders(), [world.at("with"), world.at("without")]);
        assert_eq!(world.seen_from("tree", &["tree/tools"]).variable(), PATH_DEFAULT);
    }
}
