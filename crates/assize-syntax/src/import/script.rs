//! JavaScript and TypeScript: relative files, `tsconfig` paths, packages of the same tree.
//!
//! Where a package's entry is a file that a build makes, the source that it is made from is looked
//! for. Aliases that bundlers define in programs (`vite.config.ts`) are not read; the customary ones
//! (`@/`, `~/`) are tried, and count only if the file is there.

use assize_core::path::{
    ending, file_name, folders_above, is_declarations, is_plain, is_within, join, parent, without_ending,
};
use assize_ecosystem::FileRole;
use foldhash::{HashMap, HashMapExt};
use serde_json::Value;

use super::facade::{Facades, Through};
use super::{Reason, Resolved};
use crate::facts::Import;
use crate::manifest::Manifests;
use crate::tree::{FileId, SourceTree};

/// The most `extends` and `references` that are followed from one configuration file.
const CONFIGS_MAX: usize = 32;

/// The deepest nesting of conditions in `exports` that is looked into.
const CONDITIONS_DEPTH_MAX: usize = 8;

/// Endings in the order in which they are tried.
const ENDINGS: [&str; 13] =
    ["ts", "tsx", "mts", "cts", "d.ts", "js", "jsx", "mjs", "cjs", "d.mts", "d.cts", "vue", "svelte"];

/// Conditions of `exports` in the order in which they are tried: sources before what is built.
const CONDITIONS: [&str; 10] =
    ["source", "development", "types", "import", "module", "node", "default", "require", "browser", "svelte"];

/// Fields of `package.json` that name the entry, sources first.
const ENTRY_FIELDS: [&str; 6] = ["source", "types", "typings", "module", "main", "browser"];

/// Modules that come with Node, as they were named before `node:`.
const BUILT_IN: &str = "\
    assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain \
    events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl \
    stream string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib";

/// Folders that builds write to.
const BUILT: [&str; 10] = ["dist", "lib", "build", "out", "esm", "cjs", "es", "output", "dist-types", "types"];

/// The files, packages and aliases of a tree.
pub(super) struct ScriptResolver<'t, 'a> {
    index: ScriptIndex<'t, 'a>,
    facades: Facades<'t, 'a>,
}

struct ScriptIndex<'t, 'a> {
    tree: &'t SourceTree<'a>,
    /// Sources by their path without the ending, the preferred one first.
    stems: HashMap<&'a str, Vec<FileId>>,
    /// Packages by their folder.
    packages: HashMap<&'a str, Value>,
    /// The folder of each package by its name.
    folder_of: HashMap<String, &'a str>,
    /// Aliases by the folder of the configuration file that governs it.
    aliases: HashMap<&'a str, Vec<Aliases>>,
    known: HashMap<(&'a str, &'a str), Resolved<'a>>,
}

/// What a `tsconfig.json` says of paths.
#[derive(Debug, Clone, Default)]
struct Aliases {
    /// The folder that names which are not relative are looked up in.
    base: Option<String>,
    /// Patterns and the paths, within the tree, that they stand for.
    paths: Vec<(String, Vec<String>)>,
}

impl<'t, 'a> ScriptResolver<'t, 'a> {
    pub(super) fn new(tree: &'t SourceTree<'a>, manifests: &Manifests<'a>) -> Self {
        Self { index: ScriptIndex::new(tree, manifests), facades: Facades::new(tree, Through::ReExports) }
    }

    pub(super) fn resolve(&mut self, from: FileId, import: &'a Import, found: &mut Vec<Resolved<'a>>) {
        let leads_to = self.index.leads_to(from, &import.path);
        let Resolved::File(file) = leads_to else {
            found.push(leads_to);
            return;
        };
        if import.names.is_empty() {
            found.push(leads_to);
        }
        for name in &import.names {
            if name == "*" || name == "default" {
                found.push(leads_to);
                continue;
            }
            let Self { index, facades } = self;
            let mut follow = |facade: FileId, import: &'a Import, _: &str| index.leads_to(facade, &import.path);
            found.push(Resolved::File(facades.origin(file, name, &mut follow)));
        }
    }
}

impl<'t, 'a> ScriptIndex<'t, 'a> {
    fn new(tree: &'t SourceTree<'a>, manifests: &Manifests<'a>) -> Self {
        let mut index = Self {
            tree,
            stems: HashMap::new(),
            packages: HashMap::new(),
            folder_of: HashMap::new(),
            aliases: HashMap::new(),
            known: HashMap::new(),
        };
        for (id, file) in tree.files() {
            if rank(file.path).is_some() {
                index.stems.entry(without_ending(file.path)).or_default().push(id);
            }
        }
        for files in index.stems.values_mut().filter(|files| files.len() > 1) {
            files.sort_by_key(|file| rank(tree.path(*file)));
        }
        for (id, value) in &manifests.package {
            let folder = parent(tree.path(*id));
            if let Some(name) = value.get("name").and_then(Value::as_str) {
                // A copy in `node_modules` is not what the tree means by the name.
                if !tree.path(*id).split('/').any(|part| part == "node_modules") {
                    index.folder_of.entry(name.to_owned()).or_insert(folder);
                }
            }
            index.packages.insert(folder, value.clone());
        }
        index.read_aliases(manifests);
        index
    }

    fn read_aliases(&mut self, manifests: &Manifests<'a>) {
        let configs: HashMap<&'a str, &Value> =
            manifests.tsconfig.iter().map(|(id, value)| (self.tree.path(*id), value)).collect();
        // `tsconfig.json` governs its folder, then `jsconfig.json`, then `tsconfig.app.json` and others.
        let mut paths: Vec<&'a str> = configs.keys().copied().collect();
        paths.sort_by_key(|path| {
            let name = file_name(path);
            let order = ["tsconfig.json", "jsconfig.json", "tsconfig.app.json", "tsconfig.base.json"];
            (parent(path), order.iter().position(|known| *known == name).unwrap_or(order.len()), name)
        });
        for path in paths {
            let mut budget = CONFIGS_MAX;
            let mut aliases = Aliases::default();
            self.read_config(&configs, path, parent(path), &mut aliases, &mut budget);
            if aliases.base.is_some() || !aliases.paths.is_empty() {
                self.aliases.entry(parent(path)).or_default().push(aliases);
            }
        }
    }

    /// Reads a configuration file over those that it extends.
    fn read_config(
        &self,
        configs: &HashMap<&'a str, &Value>,
        path: &str,
        home: &str,
        aliases: &mut Aliases,
        budget: &mut usize,
    ) {
        let Some(config) = configs.get(path) else { return };
        if *budget == 0 {
            return;
        }
        *budget -= 1;
        let folder = parent(path);
        for extended in texts(config.get("extends")) {
            if let Some(path) = self.extended(configs, folder, extended) {
                self.read_config(configs, &path, home, aliases, budget);
            }
        }
        let Some(options) = config.get("compilerOptions") else { return };
        let place = |folder: &str, written: &str| match written.strip_prefix("${configDir}") {
            Some(rest) => join(home, rest.trim_start_matches('/')),
            None => join(folder, written),
        };
        let written_base = options.get("baseUrl").and_then(Value::as_str);
        if let Some(base) = written_base {
            aliases.base = place(folder, base);
        }
        if let Some(paths) = options.get("paths").and_then(Value::as_object) {
            let base = aliases.base.clone().unwrap_or_else(|| folder.to_owned());
            aliases.paths = paths
                .iter()
                .map(|(pattern, targets)| {
                    let targets = texts(Some(targets)).into_iter().filter_map(|target| place(&base, target));
                    (pattern.clone(), targets.collect())
                })
                .collect();
        }
    }

    fn extended(&self, configs: &HashMap<&'a str, &Value>, folder: &str, written: &str) -> Option<String> {
        let path = if written.starts_with('.') {
            join(folder, written)?
        } else {
            let (package, rest) = split_package(written);
            join(self.folder_of.get(package)?, rest)?
        };
        let tries = [path.clone(), format!("{path}.json"), format!("{path}/tsconfig.json")];
        tries.into_iter().find(|path| configs.contains_key(path.as_str()))
    }

    fn leads_to(&mut self, from: FileId, path: &'a str) -> Resolved<'a> {
        let own = self.tree.path(from);
        let key = (parent(own), path);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let resolved = self.work_out(own, path);
        self.known.insert(key, resolved);
        resolved
    }

    fn work_out(&self, own: &str, written: &'a str) -> Resolved<'a> {
        // Bundlers take queries and loaders: `./a.svg?raw`, `raw-loader!./a`.
        let path = written.rsplit('!').next().unwrap_or(written);
        let path = path.split('?').next().unwrap_or(path);
        if path.starts_with("./") || path.starts_with("../") || matches!(path, "." | "..") {
            return match join(parent(own), path) {
                Some(path) => self.file(&path).map_or(Resolved::Unresolved(Reason::NoSuchFile), Resolved::File),
                None => Resolved::Unresolved(Reason::OutsideTree),
            };
        }
        if path.starts_with('#') {
            return match self.internal(own, path).or_else(|| self.by_alias(own, path)) {
                Some(file) => Resolved::File(file),
                None => Resolved::Unresolved(Reason::UnknownAlias),
            };
        }
        if let Some(file) = self.by_alias(own, path) {
            return Resolved::File(file);
        }
        if let Some(rest) = path.strip_prefix("@/").or_else(|| path.strip_prefix("~/")) {
            let file = self.customary(own, rest);
            return file.map_or(Resolved::Unresolved(Reason::UnknownAlias), Resolved::File);
        }
        if path.starts_with('/') {
            return Resolved::Unresolved(Reason::OutsideTree);
        }
        if path.starts_with("node:") {
            return Resolved::External(path.split('/').next().unwrap_or(path));
        }
        let (package, rest) = split_package(path);
        match self.folder_of.get(package) {
            Some(folder) => self.of_package(folder, rest),
            None => Resolved::External(package),
        }
    }

    /// Finds a source or another file by a path that may leave out its ending or mean a folder.
    fn file(&self, path: &str) -> Option<FileId> {
        let exact = self.tree.find(path);
        // `./a.js` may mean `a.ts`; the source counts where both are there, and what declares it where neither is.
        if let Some(written @ ("js" | "jsx" | "mjs" | "cjs")) = ending(path) {
            let files = self.stems.get(without_ending(path)).map_or(&[][..], |files| &files[..]);
            let meant = |declares: bool| {
                let fits = |file: &&FileId| {
                    let path = self.tree.path(**file);
                    let fits = match written {
                        "js" | "jsx" => matches!(ending(path), Some("ts" | "tsx")),
                        "mjs" => ending(path) == Some("mts"),
                        _ => ending(path) == Some("cts"),
                    };
                    fits && is_declarations(path) == declares
                };
                files.iter().find(fits).copied()
            };
            if let Some(file) = meant(false).or(exact).or_else(|| meant(true)) {
                return Some(file);
            }
        }
        let first = |stem: &str| self.stems.get(stem).and_then(|files| files.first().copied());
        let written_out = matches!(ending(path), Some("ts" | "tsx" | "mts" | "cts"));
        exact
            .or_else(|| first(path))
            // `./a.ts` in a declaration file is what `a.d.ts` declares.
            .or_else(|| written_out.then(|| first(without_ending(path))).flatten())
            .or_else(|| self.in_folder(path))
            .or_else(|| self.tree.find(&format!("{path}.json")))
    }

    /// Finds what a folder stands for: the entry of its package, or its index.
    fn in_folder(&self, path: &str) -> Option<FileId> {
        self.tree.find_folder(path)?;
        if let Some(package) = self.packages.get(path)
            && let Resolved::File(file) = self.of_package_entry(path, package, "")
        {
            return Some(file);
        }
        let index = join(path, "index")?;
        let source = self.stems.get(index.as_str()).and_then(|files| files.first().copied());
        source.or_else(|| self.tree.find(&format!("{index}.json")))
    }

    /// Applies the nearest configuration files that have aliases.
    fn by_alias(&self, own: &str, path: &str) -> Option<FileId> {
        for aliases in folders_above(own).filter_map(|folder| self.aliases.get(folder)).flatten() {
            if let Some(file) = self.by_pattern(aliases, path) {
                return Some(file);
            }
            if let Some(file) = aliases.base.as_ref().and_then(|base| self.file(&join(base, path)?)) {
                return Some(file);
            }
        }
        None
    }

    fn by_pattern(&self, aliases: &Aliases, path: &str) -> Option<FileId> {
        let matched = aliases.paths.iter().filter_map(|(pattern, targets)| {
            let (before, star) = fit(pattern, path)?;
            Some((before, star, targets))
        });
        // An exact pattern first, then the one with the longest text before its star.
        let (_, star, targets) = matched.max_by_key(|(before, _, _)| *before)?;
        targets.iter().find_map(|target| {
            let path = target.replacen('*', star, 1);
            is_plain(&path).then(|| self.file(&path)).flatten()
        })
    }

    /// `@/x` by custom is `src/x` of the package, or `x` beside its manifest.
    fn customary(&self, own: &str, rest: &str) -> Option<FileId> {
        let folder = folders_above(own).find(|folder| self.packages.contains_key(*folder)).unwrap_or_default();
        ["src", "", "app"].iter().find_map(|place| self.file(&join(&join(folder, place)?, rest)?))
    }

    /// `#x`, explained by `imports` of the package.
    fn internal(&self, own: &str, path: &str) -> Option<FileId> {
        let folder = folders_above(own).find(|folder| self.packages.contains_key(*folder))?;
        let imports = self.packages[folder].get("imports")?.as_object()?;
        self.mapped(folder, imports, path)
    }

    fn of_package(&self, folder: &'a str, rest: &str) -> Resolved<'a> {
        let Some(package) = self.packages.get(folder) else { return Resolved::Unresolved(Reason::NoSuchFile) };
        self.of_package_entry(folder, package, rest)
    }

    /// Finds what `name` or `name/rest` means for a package of the tree.
    fn of_package_entry(&self, folder: &str, package: &Value, rest: &str) -> Resolved<'a> {
        let key = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
        let exported = match package.get("exports") {
            Some(Value::Object(map)) if map.keys().any(|key| key.starts_with('.')) => self.mapped(folder, map, &key),
            Some(value) if rest.is_empty() => self.target(folder, value, "", 0),
            _ => None,
        };
        if let Some(file) = exported {
            return Resolved::File(file);
        }
        let file = if rest.is_empty() {
            let entries = ENTRY_FIELDS.iter().filter_map(|field| package.get(*field)?.as_str());
            let by_field = entries.filter_map(|entry| self.source_of(folder, entry)).next();
            by_field.or_else(|| {
                ["src/index", "index", "src/main", "lib/index", "mod"].iter().find_map(|stem| {
                    let stem = join(folder, stem)?;
                    self.stems.get(stem.as_str()).and_then(|files| files.first().copied())
                })
            })
        } else {
            self.source_of(folder, rest).or_else(|| self.file(&join(&join(folder, "src")?, rest)?))
        };
        if let Some(file) = file {
            return Resolved::File(file);
        }
        // What is exported is not there before a build: the package's folder stands for it.
        let promised = rest.is_empty() || exports_name(package, &key);
        match self.tree.find_folder(folder) {
            Some(folder) if promised => Resolved::Folder(folder),
            _ => Resolved::Unresolved(Reason::NoSuchFile),
        }
    }

    /// Applies a map of `exports` or `imports`.
    fn mapped(&self, folder: &str, map: &serde_json::Map<String, Value>, path: &str) -> Option<FileId> {
        if let Some(value) = map.get(path) {
            return self.target(folder, value, "", 0);
        }
        let matched = map.iter().filter_map(|(pattern, value)| {
            let (before, star) = fit(pattern, path)?;
            Some((before, star, value))
        });
        let (_, star, value) = matched.max_by_key(|(before, _, _)| *before)?;
        self.target(folder, value, star, 0)
    }

    /// Chooses among the conditions of an entry.
    fn target(&self, folder: &str, value: &Value, star: &str, depth: usize) -> Option<FileId> {
        if depth > CONDITIONS_DEPTH_MAX {
            return None;
        }
        match value {
            Value::String(text) => self.source_of(folder, &text.replace('*', star)),
            Value::Array(list) => list.iter().find_map(|value| self.target(folder, value, star, depth + 1)),
            Value::Object(map) => {
                let known = CONDITIONS.iter().filter_map(|condition| map.get(*condition));
                known.chain(map.values()).find_map(|value| self.target(folder, value, star, depth + 1))
            }
            _ => None,
        }
    }

    /// Finds a file of a package, or the source that it is built from.
    fn source_of(&self, folder: &str, written: &str) -> Option<FileId> {
        let path = join(folder, written)?;
        if !is_within(&path, folder) {
            return None;
        }
        let built = path[folder.len()..].trim_start_matches('/').to_owned();
        let (first, rest) = built.split_once('/').unwrap_or(("", &built));
        if !BUILT.contains(&first) {
            return self.file(&path);
        }
        // `dist/esm/a.js` is made from `src/a.ts`.
        let made_from = |place: &str, rest: &str| {
            let stem = join(&join(folder, place)?, without_ending(rest))?;
            self.stems.get(stem.as_str())?.first().copied()
        };
        let mut shortened = vec![rest];
        while let Some((next, after)) = shortened.last().and_then(|rest| rest.split_once('/')) {
            if !BUILT.contains(&next) {
                break;
            }
            shortened.push(after);
        }
        let source = shortened.iter().find_map(|rest| made_from("src", rest));
        source.or_else(|| self.file(&path)).or_else(|| shortened.iter().find_map(|rest| made_from("", rest)))
    }
}

/// Returns whether a module comes with Node.
pub(super) fn is_standard(name: &str) -> bool {
    name.starts_with("node:") || BUILT_IN.split(' ').any(|known| known == name)
}

/// Returns the place of the file's ending in the order of trial.
fn rank(path: &str) -> Option<usize> {
    let name = file_name(path);
    let full = name.strip_prefix(file_name(without_ending(path)))?.strip_prefix('.')?;
    ENDINGS.iter().position(|ending| *ending == full)
}

/// Splits a specifier into the name of its package and the path within.
fn split_package(path: &str) -> (&str, &str) {
    let slashes = if path.starts_with('@') { 2 } else { 1 };
    match path.match_indices('/').nth(slashes - 1) {
        Some((at, _)) => (&path[..at], &path[at + 1..]),
        None => (path, ""),
    }
}

/// Fits a path to a pattern with at most one star: the length of what stands before it, and what it
/// stands for.
fn fit<'p>(pattern: &str, path: &'p str) -> Option<(usize, &'p str)> {
    match pattern.split_once('*') {
        None => (pattern == path).then_some((usize::MAX, "")),
        Some((before, after)) => {
            let star = path.strip_prefix(before)?.strip_suffix(after)?;
            Some((before.len(), star))
        }
    }
}

/// Returns the files of the tree that packages outside of folders for tests hand out.
pub(super) fn product_roots(tree: &SourceTree<'_>, manifests: &Manifests<'_>) -> Vec<FileId> {
    const KEYS: [&str; 7] = ["main", "module", "browser", "types", "typings", "bin", "exports"];
    let mut roots = Vec::new();
    for (id, package) in manifests.package.iter().filter(|(id, _)| FileRole::of(tree.path(*id)).is_production()) {
        let mut open: Vec<&Value> = KEYS.iter().filter_map(|key| package.get(key)).collect();
        while let Some(value) = open.pop() {
            match value {
                Value::String(written) => {
                    roots.extend(join(parent(tree.path(*id)), written).and_then(|path| tree.find(&path)));
                }
                Value::Array(values) => open.extend(values),
                Value::Object(values) => open.extend(values.values()),
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
    }
    roots
}

/// Returns whether `exports` names the path, whatever it leads to.
fn exports_name(package: &Value, path: &str) -> bool {
    let exports = package.get("exports").and_then(Value::as_object);
    exports.is_some_and(|map| map.keys().any(|pattern| fit(pattern, path).is_some()))
}

fn texts(value: Option<&Value>) -> Vec<&str> {
    match value {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::import::tests::check;

    /// A monorepo: an application with aliases, a library with `exports`, shared configuration.
    const TREE: &[(&str, &str)] = &[
        ("package.json", r#"{"private": true, "workspaces": ["packages/*"]}"#),
        (
            "tsconfig.base.json",
            "{ /* shared */ \"compilerOptions\": { \"paths\": { \"@shop/*\": [\"./packages/*/src\"], }, }, }",
        ),
        (
            "packages/app/package.json",
            r##"{"name": "@shop/app", "imports": {"#db": "./src/db.ts", "#lib/*": {"default": "./src/lib/*.js"}}}"##,
        ),
        (
            "packages/app/tsconfig.json",
            r#"{"extends": ["@shop/tsconfig/base.json", "../../tsconfig.base"], "compilerOptions": {"baseUrl": "src", "paths": {"~lib/*": ["lib/*"], "~lib/special": ["special.ts"], "gone/*": ["nowhere/*"]}}}"#,
        ),
        ("packages/tsconfig/package.json", r#"{"name": "@shop/tsconfig"}"#),
        ("packages/tsconfig/base.json", r#"{"compilerOptions": {"strict": true}}"#),
        ("packages/app/src/main.ts", ""),
        ("packages/app/src/db.ts", ""),
        ("packages/app/src/special.ts", ""),
        ("packages/app/src/lib/util.ts", ""),
        ("packages/app/src/lib/util.js", ""),
        ("packages/app/src/lib/plain.js", ""),
        ("packages/app/src/lib/types.d.ts", ""),
        ("packages/app/src/view/index.tsx", "pub ./button {Button}\npub ./list {*}\npub ./menu {default}"),
        ("packages/app/src/view/button.tsx", "class Button"),
        ("packages/app/src/view/list.tsx", "class List"),
        ("packages/app/src/view/menu.tsx", "class x"),
        ("packages/app/src/view/style.css", ""),
        ("packages/app/src/data.json", ""),
        ("packages/app/src/module.mts", ""),
        (
            "packages/ui/package.json",
            r#"{"name": "@shop/ui", "exports": {".": {"types": "./dist/index.d.ts", "import": "./dist/esm/index.js"}, "./theme/*": "./dist/theme/*.js", "./css": "./dist/style.css"}}"#,
        ),
        ("packages/ui/src/index.ts", "pub ./button {Button}"),
        ("packages/ui/src/button.ts", "class Button"),
        ("packages/ui/src/theme/dark.ts", ""),
        ("packages/old/package.json", r#"{"name": "old", "main": "lib/index.js"}"#),
        ("packages/old/lib/index.js", ""),
        ("packages/old/extra.js", ""),
        ("packages/built/package.json", r#"{"name": "built", "main": "dist/index.js"}"#),
        ("packages/vue/package.json", r#"{"name": "web"}"#),
        ("packages/vue/src/App.vue", ""),
        ("packages/vue/src/main.js", ""),
        ("packages/solution/tsconfig.json", r#"{"files": [], "references": [{"path": "./tsconfig.app.json"}]}"#),
        ("packages/solution/tsconfig.app.json", r#"{"compilerOptions": {"paths": {"@/*": ["${configDir}/code/*"]}}}"#),
        ("packages/solution/code/a.ts", ""),
    ];

    #[test]
    fn relative_files() {
        check(
            TREE,
            "packages/app/src/main.ts",
            &[
                ("use ./db", "packages/app/src/db.ts"),
                ("use ./db.js", "packages/app/src/db.ts"),
                ("use ./module.mjs", "packages/app/src/module.mts"),
                ("use ./lib/util", "packages/app/src/lib/util.ts"),
                ("use ./lib/util.js", "packages/app/src/lib/util.ts"),
                ("use ./lib/plain.js", "packages/app/src/lib/plain.js"),
                ("use ./lib/types", "packages/app/src/lib/types.d.ts"),
                ("use ./lib/types.ts", "packages/app/src/lib/types.d.ts"),
                ("use ./view", "packages/app/src/view/index.tsx"),
                ("use ./view/", "packages/app/src/view/index.tsx"),
                ("use ./view/style.css?inline", "packages/app/src/view/style.css"),
                ("use ./data", "packages/app/src/data.json"),
                ("use ./data.json", "packages/app/src/data.json"),
                ("use ../../ui/src", "packages/ui/src/index.ts"),
                ("use ../../ui", "packages/ui/src/index.ts"),
                ("use ./gone", "? no such file"),
                ("use ../../../../gone", "? it leads out of the tree"),
            ],
        );
        check(
            TREE,
            "packages/app/src/view/button.tsx",
            &[("use .", "packages/app/src/view/index.tsx"), ("use ..", "? no such file")],
        );
    }

    #[test]
    fn what_runs_comes_before_what_declares_it() {
        let files = [
            ("build/a.cjs", ""),
            ("build/b.cjs", ""),
            ("build/b.d.cts", ""),
            ("build/c.js", ""),
            ("build/c.d.ts", ""),
            ("build/d.d.ts", ""),
            ("build/e.ts", ""),
            ("build/e.js", ""),
        ];
        let cases = [
            ("use ./b.cjs", "build/b.cjs"),
            ("use ./c.js", "build/c.js"),
            ("use ./d.js", "build/d.d.ts"),
            ("use ./e.js", "build/e.ts"),
        ];
        check(&files, "build/a.cjs", &cases);
    }

    #[test]
    fn names_are_traced_through_index_files() {
        check(
            TREE,
            "packages/app/src/main.ts",
            &[
                ("use ./view {Button}", "packages/app/src/view/button.tsx"),
                ("use ./view {List}", "packages/app/src/view/list.tsx"),
                ("use ./view {menu}", "packages/app/src/view/menu.tsx"),
                ("use ./view {Gone}", "packages/app/src/view/index.tsx"),
                ("use ./view {*}", "packages/app/src/view/index.tsx"),
                ("use @shop/ui {Button}", "packages/ui/src/button.ts"),
            ],
        );
    }

    #[test]
    fn aliases_and_packages_of_the_tree() {
        check(
            TREE,
            "packages/app/src/main.ts",
            &[
                ("use ~lib/util", "packages/app/src/lib/util.ts"),
                ("use ~lib/special", "packages/app/src/special.ts"),
                ("use db", "packages/app/src/db.ts"),
                ("use #db", "packages/app/src/db.ts"),
                ("use #lib/util", "packages/app/src/lib/util.ts"),
                ("use #gone", "? an alias that no configuration file explains"),
                ("use @shop/ui", "packages/ui/src/index.ts"),
                ("use @shop/ui/theme/dark", "packages/ui/src/theme/dark.ts"),
                ("use @shop/ui/css", "packages/ui/"),
                ("use @shop/ui/gone", "? no such file"),
                ("use old", "packages/old/lib/index.js"),
                ("use old/extra", "packages/old/extra.js"),
                ("use built", "packages/built/"),
                ("use react", "<react>"),
                ("use react/jsx-runtime", "<react>"),
                ("use @scope/name/deep", "<@scope/name>"),
                ("use node:fs/promises", "<node:fs>"),
                ("use fs", "<fs>"),
                ("use @/anything", "? an alias that no configuration file explains"),
                ("use /abs", "? it leads out of the tree"),
            ],
        );
        check(
            TREE,
            "packages/vue/src/main.js",
            &[("use @/App.vue", "packages/vue/src/App.vue"), ("use ~/src/App.vue", "packages/vue/src/App.vue")],
        );
        check(TREE, "packages/solution/code/b.ts", &[("use @/a", "packages/solution/code/a.ts")]);
    }

    #[test]
    fn paths_of_a_configuration_that_is_extended_are_relative_to_it() {
        let tree = [
            ("config/tsconfig.base.json", r#"{"compilerOptions": {"paths": {"@core/*": ["../core/*"]}}}"#),
            ("app/tsconfig.json", r#"{"extends": "../config/tsconfig.base.json"}"#),
            ("core/a.ts", ""),
        ];
        check(&tree, "app/main.ts", &[("use @core/a", "core/a.ts")]);
    }

    #[test]
    fn configurations_are_followed_up_to_a_limit() {
        for (length, expected) in [(super::CONFIGS_MAX, "src/a.ts"), (super::CONFIGS_MAX + 1, "<core>")] {
            let name = |number: usize| {
                if number == 0 { "tsconfig.json".into() } else { format!("base/tsconfig.{number}.json") }
            };
            let mut files: Vec<(String, String)> = (0..length - 1)
                .map(|number| {
                    let next = name(number + 1);
                    let next = if number == 0 { next } else { next.replace("base/", "") };
                    (name(number), format!(r#"{{"extends": "./{next}"}}"#))
                })
                .collect();
            files.push((name(length - 1), r#"{"compilerOptions": {"paths": {"core/*": ["../src/*"]}}}"#.into()));
            files.push(("src/a.ts".into(), String::new()));
            let tree: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            check(&tree, "main.ts", &[("use core/a", expected)]);
        }
    }

    #[test]
    fn conditions_are_looked_into_up_to_a_limit() {
        for (depth, expected) in [(super::CONDITIONS_DEPTH_MAX, "lib/a.js"), (super::CONDITIONS_DEPTH_MAX + 1, "lib/")]
        {
            let nested = format!("{}\"./a.js\"{}", r#"{"import": "#.repeat(depth), "}".repeat(depth));
            let manifest = format!(r#"{{"name": "lib", "exports": {{".": {nested}}}}}"#);
            let tree = [("lib/package.json", manifest.as_str()), ("lib/a.js", "")];
            check(&tree, "main.ts", &[("use lib", expected)]);
        }
    }

    #[test]
    fn a_circle_of_configurations_ends() {
        let tree = [
            ("tsconfig.json", r#"{"extends": "./tsconfig.b.json", "compilerOptions": {"baseUrl": "."}}"#),
            ("tsconfig.b.json", r#"{"extends": ["./tsconfig.json", "./tsconfig.json"]}"#),
            ("a.ts", ""),
        ];
        check(&tree, "b.ts", &[("use a", "a.ts")]);
    }
}
