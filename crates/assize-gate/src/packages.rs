//! The packages of a workspace of npm, and which of them a change can affect.
//!
//! A package needs another one by its name, or by a path: an import of `../core/src`, a reference in the settings of a
//! compiler, a script that changes the folder. Paths are taken from the text of a file, whatever they are there for, so
//! that a package may count as affected that is not. The opposite must not happen.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::path::{folders_above, join, parent};
use assize_ecosystem::{document, is_code, is_script, is_setting, of_manifest};

use crate::gate::Project;

/// The tables of a manifest that name what a package needs.
const TABLES: [&str; 4] = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

/// Returns which packages of a workspace lead into which others by paths, by their folders. `text_of` reads a file of the
/// project.
pub fn reached_packages(
    files: &BTreeSet<String>,
    manifests: &BTreeMap<String, String>,
    text_of: impl Fn(&str) -> Option<String>,
) -> BTreeMap<String, BTreeSet<String>> {
    let (folders, mut reached) = (package_folders(manifests), BTreeMap::<String, BTreeSet<String>>::new());
    if folders.len() < 2 {
        return reached;
    }
    for path in files.iter().filter(|path| is_script(path) || path.ends_with(".json")) {
        let Some((own, text)) = package_of(path, &folders).zip(text_of(path)) else { continue };
        let found = packages_named(path, &text, &folders);
        if !found.is_empty() {
            reached.entry(own.to_owned()).or_default().extend(found.into_iter().map(str::to_owned));
        }
    }
    reached
}

/// Returns the folders of the packages below the root.
fn package_folders(manifests: &BTreeMap<String, String>) -> BTreeSet<String> {
    let is_package = |path: &&String| path.ends_with("/package.json") && !path.contains("node_modules/");
    manifests.keys().filter(is_package).map(|path| parent(path).to_owned()).collect()
}

/// Returns the packages that the text of a file leads into by a path, relative to the file or to the root, apart from the
/// package that the file is in.
fn packages_named<'f>(path: &str, text: &str, folders: &'f BTreeSet<String>) -> BTreeSet<&'f str> {
    let own = package_of(path, folders);
    let ends = |c: char| c.is_whitespace() || "\"'`()[]{}<>,;:=$*|&#".contains(c);
    let paths = text.split(ends).filter(|word| word.contains('/')).filter_map(|word| {
        if word.starts_with("./") || word.starts_with("../") {
            join(parent(path), word)
        } else {
            Some(word.trim_end_matches('/').to_owned())
        }
    });
    paths.filter_map(|path| package_of(&path, folders)).filter(|found| Some(*found) != own).collect()
}

/// The package that a file or folder is in.
fn package_of<'f>(path: &str, folders: &'f BTreeSet<String>) -> Option<&'f str> {
    let found = std::iter::once(path).chain(folders_above(path)).find_map(|folder| folders.get(folder));
    found.map(String::as_str)
}

/// The packages below the root, and which of them need which.
#[derive(Debug)]
pub struct Packages {
    folders: BTreeSet<String>,
    /// Of each package the folders of those that it needs.
    needs: BTreeMap<String, BTreeSet<String>>,
}

impl Packages {
    /// Reads the manifests of a project.
    pub fn of(project: &Project) -> Self {
        let folders = package_folders(&project.manifests);
        let manifests: BTreeMap<&str, serde_json::Value> = folders
            .iter()
            .filter_map(|folder| {
                Some((&**folder, document::json(project.manifests.get(&format!("{folder}/package.json"))?)?))
            })
            .collect();
        let names: BTreeMap<&str, &str> =
            manifests.iter().map(|(folder, manifest)| (document::text(manifest, &["name"]), *folder)).collect();
        let mut needs = project.reached_packages.clone();
        for (folder, manifest) in &manifests {
            let named = TABLES.iter().flat_map(|table| document::entries(manifest, &[table])).map(|(name, _)| name);
            let needed = named.filter_map(|name| names.get(name.as_str())).map(|folder| (*folder).to_owned());
            needs.entry((*folder).to_owned()).or_default().extend(needed);
        }
        Self { folders, needs }
    }

    /// Returns whether a package stands in this folder.
    pub fn is_one(&self, folder: &str) -> bool {
        self.folders.contains(folder)
    }

    /// The packages that a change can affect: those that it touches, and those that need one of these. `None` where it touches what
    /// every package may depend on.
    pub fn affected(&self, changed: &BTreeSet<String>) -> Option<BTreeSet<String>> {
        let mut affected: BTreeSet<String> = BTreeSet::new();
        for path in changed {
            match folders_above(path).find(|at| self.is_one(at)) {
                Some(folder) => _ = affected.insert(folder.to_owned()),
                None if is_code(path) || is_setting(path) || of_manifest(path).is_some() => return None,
                None => {}
            }
        }
        loop {
            let before = affected.len();
            let more = self.needs.iter().filter(|(_, needs)| needs.iter().any(|need| affected.contains(need)));
            let more: Vec<String> = more.map(|(folder, _)| folder.clone()).collect();
            affected.extend(more);
            if affected.len() == before {
                return Some(affected);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_into_another_package() {
        let folders: BTreeSet<String> = ["apps/web", "packages/core", "packages/core/plugin"].map(str::to_owned).into();
        for (text, expected) in [
            ("import { a } from '../../../packages/core/src/a';", &["packages/core"][..]),
            ("import b from \"../../../packages/core/plugin/b.js\"", &["packages/core/plugin"]),
            ("const c = require(`../../../packages/core`)", &["packages/core"]),
            ("{ \"references\": [{ \"path\": \"../../../packages/core/\" }] }", &["packages/core"]),
            ("const root = 'packages/core/src'", &["packages/core"]),
            ("cd ../../../packages/core&&npm test", &["packages/core"]),
            ("import d from './d'; import e from '../e'; import f from 'packages/other'", &[]),
            ("import g from '../../../../elsewhere/packages/core'", &[]),
            ("import h from '../../../packages/coreless/h'", &[]),
        ] {
            let found: Vec<&str> = packages_named("apps/web/src/main.ts", text, &folders).into_iter().collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn what_a_package_reaches_is_kept_by_its_folder() {
        let texts = BTreeMap::from([
            ("apps/web/a.ts", "import '../../packages/core/b'"),
            ("apps/web/b.ts", "import './b'"),
            ("scripts/c.ts", "import '../packages/core/b'"),
        ]);
        let files = texts.keys().map(|path| (*path).to_owned()).collect();
        let manifests =
            ["apps/web", "packages/core"].map(|folder| (format!("{folder}/package.json"), "{}".to_owned())).into();
        let reached = reached_packages(&files, &manifests, |path| texts.get(path).map(|text| (*text).to_owned()));
        assert_eq!(reached, [("apps/web".to_owned(), ["packages/core".to_owned()].into())].into());
    }
}
