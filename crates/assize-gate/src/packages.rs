//! The packages of a workspace of npm, and which of them a change can affect.
//!
//! A package needs another one by its name, or by a path: an import of `../core/src`, a reference in the settings of a
//! compiler, a script that changes the folder; or it needs a file outside of all packages that does. Paths and names are
//! taken from the text of a file, whatever they are there for, so that a package may count as affected that is not. The
//! opposite must not happen; what a program puts together from parts that it computes is not seen.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use assize_core::path::{folders_above, join, parent};
use assize_ecosystem::{document, is_code, is_script, is_setting, of_manifest};
use regex::Regex;

use crate::gate::{Project, Reaches};

/// The tables of a manifest that name what a package needs.
const TABLES: [&str; 4] = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

/// Returns what the files of a workspace lead to, other than by what its manifests declare. `text_of` reads a file of the project.
pub fn reaches(
    files: &BTreeSet<String>,
    manifests: &BTreeMap<String, String>,
    text_of: impl Fn(&str) -> Option<String>,
) -> Reaches {
    let mut found = Reaches::new();
    let workspace = WorkspaceView { files, folders: package_folders(manifests), names: package_names(manifests) };
    if workspace.folders.len() < 2 {
        return found;
    }
    let is_lock = |path: &str| of_manifest(path).is_some_and(|(_, is_lock)| is_lock);
    let is_read = |path: &&String| is_script(path) || is_code(path) || is_setting(path) || path.ends_with(".json");
    for path in files.iter().filter(is_read).filter(|path| !is_lock(path)) {
        let Some(text) = text_of(path) else { continue };
        let own = workspace.package_of(path).unwrap_or(path);
        let mut named = workspace.named(path, &text);
        named.remove(own);
        if !named.is_empty() {
            found.entry(own.to_owned()).or_default().extend(named.into_iter().map(str::to_owned));
        }
    }
    found
}

/// Returns the folders of the packages below the root.
fn package_folders(manifests: &BTreeMap<String, String>) -> BTreeSet<String> {
    let is_package = |path: &&String| path.ends_with("/package.json") && !path.contains("node_modules/");
    manifests.keys().filter(is_package).map(|path| parent(path).to_owned()).collect()
}

/// Returns the folders of the packages below the root, by their names.
fn package_names(manifests: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let named = |folder: String| {
        let manifest = document::json(manifests.get(&format!("{folder}/package.json"))?)?;
        let name = document::text(&manifest, &["name"]).to_owned();
        (!name.is_empty()).then_some((name, folder))
    };
    package_folders(manifests).into_iter().filter_map(named).collect()
}

/// What is to be known of a workspace to tell where a text leads to.
struct WorkspaceView<'a> {
    files: &'a BTreeSet<String>,
    folders: BTreeSet<String>,
    names: BTreeMap<String, String>,
}

impl WorkspaceView<'_> {
    /// Returns the packages, and the files outside of all packages, that the text of a file names: by a path relative to the
    /// file or to the root, or by the name of a package in quotes.
    fn named(&self, path: &str, text: &str) -> BTreeSet<&str> {
        static PARTS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"["'`]\s*,\s*["'`]"#).expect("valid pattern"));
        // `join(here, '..', 'core')` is a path as well.
        let mut found = self.by_path(path, text);
        if let Cow::Owned(joined) = PARTS.replace_all(text, "/") {
            found.extend(self.by_path(path, &joined));
        }
        if is_script(path) {
            let quoted = text.split(['"', '\'', '`']).skip(1);
            found.extend(quoted.filter_map(|word| self.by_name(word)));
        }
        found
    }

    /// The package that an import names.
    fn by_name(&self, word: &str) -> Option<&str> {
        let depth = if word.starts_with('@') { 2 } else { 1 };
        let end = word.match_indices('/').nth(depth - 1).map_or(word.len(), |(at, _)| at);
        self.names.get(&word[..end]).map(String::as_str)
    }

    fn by_path(&self, path: &str, text: &str) -> BTreeSet<&str> {
        let is_in_package = self.package_of(path).is_some();
        let ends = |c: char| c.is_whitespace() || "\"'`()[]{}<>,;:=$*|&#".contains(c);
        let mut found = BTreeSet::new();
        for word in text.split(ends).filter(|word| word.contains('/') || *word == "..") {
            // What stands before a slash may be the file's own folder, which the program adds.
            let word = word.strip_prefix('/').filter(|rest| rest.starts_with('.')).unwrap_or(word);
            let is_relative = word.starts_with("./") || word.starts_with("..");
            let target =
                if is_relative { join(parent(path), word) } else { Some(word.trim_end_matches('/').to_owned()) };
            let Some(target) = target else { continue };
            if let Some(package) = self.package_of(&target) {
                found.insert(package);
            } else if is_relative || !is_in_package {
                found.extend(self.outside(&target));
            }
        }
        found
    }

    /// The files outside of all packages that a path means: one, with its ending or without it, or those of a folder.
    fn outside(&self, target: &str) -> Vec<&str> {
        // The root itself means nothing.
        if target.is_empty() {
            return Vec::new();
        }
        let is_meant = |path: &&str| {
            let rest = path.strip_prefix(target).unwrap_or_default();
            (*path == target || rest.starts_with(['/', '.'])) && self.package_of(path).is_none()
        };
        let from = self.files.range(target.to_owned()..).map(String::as_str);
        from.take_while(|path| path.starts_with(target)).filter(is_meant).collect()
    }

    /// The package that a file or folder is in.
    fn package_of(&self, path: &str) -> Option<&str> {
        let found = std::iter::once(path).chain(folders_above(path)).find_map(|folder| self.folders.get(folder));
        found.map(String::as_str)
    }
}

/// The packages below the root, and which of them need which.
#[derive(Debug)]
pub struct Packages {
    folders: BTreeSet<String>,
    /// Of each package, and of files outside of them, what they need.
    needs: Reaches,
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
        let names = package_names(&project.manifests);
        let mut needs = project.reaches.clone();
        for (folder, manifest) in &manifests {
            let named = TABLES.iter().flat_map(|table| document::entries(manifest, &[table])).map(|(name, _)| name);
            let needed = named.filter_map(|name| names.get(name.as_str()).cloned());
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
                None => _ = affected.insert(path.clone()),
            }
        }
        loop {
            let before = affected.len();
            let more = self.needs.iter().filter(|(_, needs)| needs.iter().any(|need| affected.contains(need)));
            let more: Vec<String> = more.map(|(folder, _)| folder.clone()).collect();
            affected.extend(more);
            if affected.len() == before {
                affected.retain(|path| self.is_one(path));
                return Some(affected);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what these files lead to. Each package has a manifest; `name` is that of `packages/core`.
    fn found(name: &str, texts: &[(&str, &str)]) -> Vec<(String, Vec<String>)> {
        let texts: BTreeMap<&str, &str> = texts.iter().copied().collect();
        let more = ["data/factor.txt", "common/prices.js", "README.md"];
        let files = texts.keys().copied().chain(more).map(str::to_owned).collect();
        let folders = ["apps/web", "packages/core", "packages/core/plugin"];
        let manifest = |folder: &str| {
            let own = if folder == "packages/core" { name } else { folder };
            (format!("{folder}/package.json"), format!("{{\"name\": \"{own}\"}}"))
        };
        let manifests = folders.map(manifest).into();
        let reached = reaches(&files, &manifests, |path| texts.get(path).map(|text| (*text).to_owned()));
        reached.into_iter().map(|(from, to)| (from, to.into_iter().collect())).collect()
    }

    #[test]
    fn a_path_or_a_name_leads_into_another_package() {
        for (text, expected) in [
            ("import { a } from '../../../packages/core/src/a';", &["packages/core"][..]),
            ("import b from \"../../../packages/core/plugin/b.js\"", &["packages/core/plugin"]),
            ("const c = require(`../../../packages/core`)", &["packages/core"]),
            ("{ \"references\": [{ \"path\": \"../../../packages/core/\" }] }", &["packages/core"]),
            ("const root = 'packages/core/src'", &["packages/core"]),
            ("cd ../../../packages/core&&npm test", &["packages/core"]),
            ("require(path.join(__dirname, '..', '..', '..', 'packages', 'core'))", &["packages/core"]),
            ("require(__dirname + '/../../../packages/core')", &["packages/core"]),
            ("import(`${import.meta.dirname}/../../../packages/core/a.js`)", &["packages/core"]),
            ("import i from '@shop/core/i'; import j from \"@shop/core\";", &["packages/core"]),
            ("read('../../../data/factor.txt')", &["data/factor.txt"]),
            ("readdir(new URL('../../../data', here))", &["data/factor.txt"]),
            ("import k from '../../../common/prices'", &["common/prices.js"]),
            ("import d from './d'; import e from '../e'; import f from 'packages/other'", &[]),
            ("import g from '../../../../elsewhere/packages/core'", &[]),
            ("import h from '../../../packages/coreless/h'; import l from '@shop/coreless'", &[]),
            ("import m from '../../../dat'; const root = '../../..'", &[]),
        ] {
            let found = found("@shop/core", &[("apps/web/src/main.ts", text)]);
            let found: Vec<&str> = found.iter().flat_map(|(_, to)| to).map(String::as_str).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn what_leads_elsewhere_is_a_package_or_a_file_outside() {
        let texts = [
            ("apps/web/a.ts", "import '../../common/prices'"),
            ("apps/web/Cargo.toml", "core = { path = \"../../packages/core\" }"),
            ("packages/core/b.ts", "import './c'"),
            ("common/prices.js", "require('../packages/core')"),
        ];
        let expected =
            [("apps/web", vec!["common/prices.js", "packages/core"]), ("common/prices.js", vec!["packages/core"])];
        let expected =
            expected.map(|(from, to)| (from.to_owned(), to.into_iter().map(str::to_owned).collect::<Vec<_>>()));
        assert_eq!(found("core", &texts), expected);
    }
}
