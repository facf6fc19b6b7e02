//! Rust: crates from `Cargo.toml`, modules from `mod`, names through `use`.
//!
//! The granularity is the file that holds a module. Re-exports are followed, so that
//! `use engine::Ledger` leads to the file of the module that the ledger stands in. Not seen are
//! names that macros make, and renames (`use a as b`) of what is used under the new name only.

use assize_core::path::{file_name, folders_above, is_within, join, parent, without_ending};
use assize_ecosystem::FileRole;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::{Reason, Resolved};
use crate::facts::{Import, ImportKind, Role};
use crate::manifest::{Manifests, dig};
use crate::tree::{FileId, SourceTree};

/// The most re-exports that are followed one after the other.
const HOPS_MAX: usize = 32;

/// The most modules, counted once for every target that they belong to.
const MODULES_MAX: usize = 400_000;

/// Crates that come with the compiler.
const BUILT_IN: [&str; 5] = ["std", "core", "alloc", "proc_macro", "test"];

/// Tables of the crates that a package is built with.
const BUILD_TABLES: [&str; 2] = ["dependencies", "build-dependencies"];
const DEPENDENCY_TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

type ModuleId = usize;

#[derive(Debug)]
struct Module {
    file: FileId,
    parent: Option<ModuleId>,
    root: ModuleId,
    package: Option<usize>,
    /// Whether it is written out within a file instead of having one of its own.
    inline: bool,
}

#[derive(Debug)]
struct RustPackage<'a> {
    folder: &'a str,
    /// The name by which the library is used.
    name: String,
    lib: Option<ModuleId>,
    /// The crates that it names, and the folder of those that stand in the tree.
    dependencies: HashMap<String, Option<String>>,
    /// Their names without underscores: `md-5` is used as `md5`, which only its own manifest says.
    bare: HashSet<String>,
}

/// What a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RustPathTarget<'a> {
    Module(ModuleId),
    Item(FileId),
    External(&'a str),
}

/// Where a path was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PathFailure {
    /// In a module that is the right one, whatever the name there means.
    Within(ModuleId),
    /// On the way, and why.
    For(Reason),
}

/// The crates and modules of a tree.
pub(super) struct RustResolver<'t, 'a> {
    tree: &'t SourceTree<'a>,
    modules_max: usize,
    packages: Vec<RustPackage<'a>>,
    package_by_folder: HashMap<&'a str, usize>,
    modules: Vec<Module>,
    children: HashMap<(ModuleId, &'a str), ModuleId>,
    module_of: HashMap<FileId, ModuleId>,
    declared_files: HashMap<(FileId, usize), FileId>,
    scopes: HashMap<FileId, RustFileNames<'a>>,
    known: HashMap<(ModuleId, &'a str), Option<RustPathTarget<'a>>>,
}

/// The names that a file declares or brings in.
#[derive(Debug, Default)]
struct RustFileNames<'a> {
    declared: HashMap<&'a str, Role>,
    imported: HashMap<&'a str, Vec<&'a Import>>,
    globs: Vec<&'a Import>,
}

impl<'t, 'a> RustResolver<'t, 'a> {
    pub(super) fn new(tree: &'t SourceTree<'a>, manifests: &Manifests<'a>) -> Self {
        Self::with_limit(tree, manifests, MODULES_MAX)
    }

    fn with_limit(tree: &'t SourceTree<'a>, manifests: &Manifests<'a>, modules_max: usize) -> Self {
        let mut rust = Self {
            tree,
            modules_max,
            packages: Vec::new(),
            package_by_folder: HashMap::new(),
            modules: Vec::new(),
            children: HashMap::new(),
            module_of: HashMap::new(),
            declared_files: HashMap::new(),
            scopes: HashMap::new(),
            known: HashMap::new(),
        };
        rust.read_packages(manifests);
        for (package, table) in rust.tables(manifests) {
            for (position, root) in targets(tree, rust.packages[package].folder, table).into_iter().enumerate() {
                let module = rust.build_target(root, Some(package));
                // The library is listed first, when there is one.
                if position == 0 && Some(root) == library(tree, rust.packages[package].folder, table) {
                    rust.packages[package].lib = module;
                }
            }
        }
        let sources = || tree.files().filter(|(_, file)| file.path.ends_with(".rs"));
        for (file, _) in sources().filter(|(_, file)| is_root(file.path)) {
            rust.adopt(file);
        }
        for (file, _) in sources() {
            rust.adopt(file);
        }
        rust
    }

    fn tables<'m>(&self, manifests: &'m Manifests<'a>) -> Vec<(usize, &'m toml::Table)> {
        let package = |id: FileId| self.package_by_folder.get(parent(self.tree.path(id))).copied();
        manifests.cargo.iter().filter_map(|(id, table)| Some((package(*id)?, table))).collect()
    }

    fn read_packages(&mut self, manifests: &Manifests<'a>) {
        let workspaces = workspaces(self.tree, manifests);
        for (id, table) in &manifests.cargo {
            let manifest = self.tree.path(*id);
            let Some(name) = dig(table, &["package", "name"]).and_then(toml::Value::as_str) else { continue };
            let own_name = dig(table, &["lib", "name"]).and_then(toml::Value::as_str).unwrap_or(name);
            let workspace = workspace_of(manifest, &workspaces);
            self.package_by_folder.insert(parent(manifest), self.packages.len());
            let dependencies = dependencies(parent(manifest), table, &DEPENDENCY_TABLES, workspace);
            self.packages.push(RustPackage {
                folder: parent(manifest),
                name: identifier(own_name),
                lib: None,
                bare: dependencies.keys().filter(|key| key.contains('_')).map(|key| key.replace('_', "")).collect(),
                dependencies,
            });
        }
        self.name_dependencies(manifests);
    }

    /// A library may call itself otherwise than its package: who depends on it uses that name.
    fn name_dependencies(&mut self, manifests: &Manifests<'a>) {
        let renamed: HashMap<String, (String, String)> = manifests
            .cargo
            .iter()
            .filter_map(|(id, table)| {
                let package = dig(table, &["package", "name"])?.as_str()?;
                let library = dig(table, &["lib", "name"])?.as_str()?;
                let folder = parent(self.tree.path(*id)).to_owned();
                (identifier(package) != identifier(library))
                    .then(|| (folder, (identifier(package), identifier(library))))
            })
            .collect();
        for package in &mut self.packages {
            let mut added = Vec::new();
            for (name, folder) in &package.dependencies {
                if let Some((before, after)) = folder.as_ref().and_then(|folder| renamed.get(folder))
                    && name == before
                {
                    added.push((after.clone(), folder.clone()));
                }
            }
            added.sort();
            package.dependencies.extend(added);
        }
    }

    fn add_module(&mut self, module: Module) -> ModuleId {
        let id = self.modules.len();
        if !module.inline {
            self.module_of.entry(module.file).or_insert(id);
        }
        self.modules.push(module);
        id
    }

    /// Walks the modules of a target from its root file. `None` when there are too many modules.
    fn build_target(&mut self, root: FileId, package: Option<usize>) -> Option<ModuleId> {
        if self.modules.len() >= self.modules_max {
            return None;
        }
        let id = self.modules.len();
        self.add_module(Module { file: root, parent: None, root: id, package, inline: false });
        self.grow(id, parent(self.tree.path(root)).to_owned());
        Some(id)
    }

    /// Adds the modules that a module declares, and those that they declare.
    fn grow(&mut self, from: ModuleId, folder: String) {
        let (root, package) = (self.modules[from].root, self.modules[from].package);
        let mut seen = HashMap::from_iter([(self.modules[from].file, from)]);
        let mut open = vec![(from, folder)];
        while let Some((module, folder)) = open.pop() {
            let file = self.modules[module].file;
            for (position, import) in self.tree.imports(file).iter().enumerate() {
                if import.kind != ImportKind::Declaration || self.modules.len() >= self.modules_max {
                    continue;
                }
                let Some((child, own_folder)) = self.declared_file(file, &folder, import) else { continue };
                self.declared_files.entry((file, position)).or_insert(child);
                let (above, name) = match import.path.rsplit_once("::") {
                    Some((inline, name)) => (self.inline_module(module, inline), name),
                    None => (module, import.path.as_str()),
                };
                let known = seen.get(&child).or_else(|| self.module_of.get(&child));
                if let Some(&known) = known.filter(|known| self.modules[**known].root == root) {
                    self.children.entry((above, name)).or_insert(known);
                    continue;
                }
                let added = self.add_module(Module { file: child, parent: Some(above), root, package, inline: false });
                seen.insert(child, added);
                self.children.entry((above, name)).or_insert(added);
                open.push((added, own_folder));
            }
        }
    }

    /// Finds the file of `mod name;`, and the folder in which its own children stand.
    fn declared_file(&self, file: FileId, folder: &str, import: &'a Import) -> Option<(FileId, String)> {
        let (inline, name) = import.path.rsplit_once("::").unwrap_or(("", &import.path));
        let inline = inline.replace("::", "/");
        if let Some(written) = import.names.first() {
            let base = if inline.is_empty() { parent(self.tree.path(file)).to_owned() } else { join(folder, &inline)? };
            let path = join(&base, written)?;
            let own_folder = parent(&path).to_owned();
            return Some((self.tree.find(&path)?, own_folder));
        }
        let stem = join(&join(folder, &inline)?, name.trim_start_matches("r#"))?;
        let found = self.tree.find(&format!("{stem}.rs")).or_else(|| self.tree.find(&format!("{stem}/mod.rs")))?;
        Some((found, stem))
    }

    /// Returns the module written out within a file, made when it is not there yet.
    fn inline_module(&mut self, module: ModuleId, path: &'a str) -> ModuleId {
        path.split("::").fold(module, |above, name| {
            if let Some(&known) = self.children.get(&(above, name)) {
                return known;
            }
            let Module { file, root, package, .. } = self.modules[above];
            let added = self.add_module(Module { file, parent: Some(above), root, package, inline: true });
            self.children.insert((above, name), added);
            added
        })
    }

    /// Finds a place for a file that no `mod` names: macros may declare it, or a script includes it.
    fn adopt(&mut self, file: FileId) -> Option<ModuleId> {
        if let Some(&module) = self.module_of.get(&file) {
            return Some(module);
        }
        let path = self.tree.path(file);
        let folder = parent(path);
        let package = folders_above(path).find_map(|above| self.package_by_folder.get(above).copied());
        let root = folders_above(path).filter(|_| !is_root(path)).find_map(|above| {
            ["lib.rs", "main.rs"].iter().find_map(|name| {
                let root = *self.module_of.get(&self.tree.find(&join(above, name)?)?)?;
                (self.modules[root].parent.is_none() && self.modules[root].package == package).then_some((root, above))
            })
        });
        let Some((root, top)) = root else {
            return self.build_target(file, package);
        };
        let (name, holder) = if file_name(path) == "mod.rs" {
            (file_name(folder), parent(folder))
        } else {
            (file_name(without_ending(path)), folder)
        };
        let above = if holder == top || !is_within(holder, top) { root } else { self.module_of_folder(holder, root) };
        if self.modules.len() >= self.modules_max {
            return None;
        }
        let added = self.add_module(Module {
            file,
            parent: Some(above),
            root: self.modules[above].root,
            package: self.modules[above].package,
            inline: false,
        });
        self.children.entry((above, name)).or_insert(added);
        let own_folder = if file_name(path) == "mod.rs" { folder } else { without_ending(path) };
        self.grow(added, own_folder.to_owned());
        Some(added)
    }

    /// Returns the module whose children stand in a folder: that of `a.rs` or `a/mod.rs` for `a`.
    fn module_of_folder(&mut self, folder: &str, root: ModuleId) -> ModuleId {
        let beside = self.tree.find(&format!("{folder}.rs"));
        let within = || self.tree.find(&format!("{folder}/mod.rs"));
        beside.or_else(within).and_then(|file| self.adopt(file)).unwrap_or(root)
    }

    pub(super) fn resolve(&mut self, from: FileId, position: usize, import: &'a Import, found: &mut Vec<Resolved<'a>>) {
        if import.kind == ImportKind::Declaration {
            let file = self.declared_files.get(&(from, position));
            found.push(file.map_or(Resolved::Unresolved(Reason::NoSuchFile), |file| Resolved::File(*file)));
            return;
        }
        let Some(module) = self.adopt(from) else {
            found.push(Resolved::Unresolved(Reason::NoSuchModule));
            return;
        };
        let base: Vec<&'a str> = import.path.split("::").collect();
        if import.names.is_empty() {
            found.push(self.leads_to(module, &base));
        }
        for name in &import.names {
            if name == "self" || name == "*" {
                found.push(self.leads_to(module, &base));
            } else {
                let mut path = base.clone();
                path.push(name);
                found.push(self.leads_to(module, &path));
            }
        }
    }

    fn leads_to(&mut self, module: ModuleId, path: &[&'a str]) -> Resolved<'a> {
        match self.follow(module, path, 0) {
            Ok(RustPathTarget::Module(module)) => Resolved::File(self.modules[module].file),
            Ok(RustPathTarget::Item(file)) => Resolved::File(file),
            Ok(RustPathTarget::External(name)) => Resolved::External(name),
            Err(reason) => Resolved::Unresolved(reason),
        }
    }

    /// Follows a path from a module as far as it is known.
    fn follow(&mut self, module: ModuleId, path: &[&'a str], hops: usize) -> Result<RustPathTarget<'a>, Reason> {
        self.trace(module, path, hops).or_else(|lost| match lost {
            PathFailure::Within(module) => Ok(RustPathTarget::Item(self.modules[module].file)),
            PathFailure::For(reason) => Err(reason),
        })
    }

    /// Follows a path from a module, name by name.
    fn trace(&mut self, module: ModuleId, path: &[&'a str], hops: usize) -> Result<RustPathTarget<'a>, PathFailure> {
        let (mut place, mut rest) = self.start(module, path, hops).map_err(PathFailure::For)?;
        while let (RustPathTarget::Module(at), Some((name, after))) = (place, rest.split_first()) {
            match self.look_up(at, name, hops) {
                Some(next) => place = next,
                // The last name may be made by a macro, a type may have another name here, and modules
                // written out within a file are not looked into: it is the right file all the same.
                None if after.is_empty() || is_type(name) || self.modules[at].inline => {
                    return Err(PathFailure::Within(at));
                }
                None => return self.outside(at).ok_or(PathFailure::For(Reason::NoSuchModule)),
            }
            rest = after;
        }
        Ok(place)
    }

    fn start<'p>(
        &mut self,
        module: ModuleId,
        path: &'p [&'a str],
        hops: usize,
    ) -> Result<(RustPathTarget<'a>, &'p [&'a str]), Reason> {
        let Some((&first, rest)) = path.split_first() else { return Err(Reason::NoSuchModule) };
        let root = self.modules[module].root;
        match first {
            "crate" | "$crate" => return Ok((RustPathTarget::Module(root), rest)),
            "self" => {
                let climbs = rest.iter().take_while(|name| **name == "super").count();
                return Ok((RustPathTarget::Module(self.climb(module, climbs)?), &rest[climbs..]));
            }
            "super" => {
                let climbs = path.iter().take_while(|name| **name == "super").count();
                return Ok((RustPathTarget::Module(self.climb(module, climbs)?), &path[climbs..]));
            }
            "" => {
                let Some((&name, after)) = rest.split_first() else { return Err(Reason::UnknownName) };
                let place = self.named_crate(module, name).or_else(|| self.look_up(root, name, hops));
                return place.map(|place| (place, after)).ok_or(Reason::UnknownName);
            }
            _ => {}
        }
        if let Some(&child) = self.children.get(&(module, first)) {
            return Ok((RustPathTarget::Module(child), rest));
        }
        let in_reach = self.named_crate(module, first).or_else(|| self.look_up(module, first, hops));
        // Before the edition of 2018, paths began at the root of the crate.
        let place = in_reach.or_else(|| self.look_up(root, first, hops));
        if let Some(place) = place {
            return Ok((place, rest));
        }
        if is_type(first) && !rest.is_empty() {
            return Ok((RustPathTarget::Item(self.modules[module].file), rest));
        }
        match self.modules[module].package {
            Some(_) => self.outside(module).map(|place| (place, rest)).ok_or(Reason::UnknownName),
            None => Ok((RustPathTarget::External(first), rest)),
        }
    }

    /// Returns the crate all of whose names a module takes in: what is not known may come from there.
    fn outside(&mut self, module: ModuleId) -> Option<RustPathTarget<'a>> {
        let file = self.modules[module].file;
        let globs = self.scope(file).globs.len();
        (0..globs).find_map(|position| {
            let name = self.scope(file).globs[position].path.split("::").find(|name| !name.is_empty())?;
            self.named_crate(module, name).filter(|place| matches!(place, RustPathTarget::External(_)))
        })
    }

    fn climb(&self, module: ModuleId, steps: usize) -> Result<ModuleId, Reason> {
        (0..steps).try_fold(module, |at, _| self.modules[at].parent).ok_or(Reason::OutsideTree)
    }

    /// Returns the crate that a name stands for in the package of a module.
    fn named_crate(&self, module: ModuleId, name: &'a str) -> Option<RustPathTarget<'a>> {
        let package = &self.packages[self.modules[module].package?];
        if let Some(folder) = package.dependencies.get(name) {
            let lib = folder.as_ref().and_then(|folder| self.package_by_folder.get(folder.as_str()));
            return Some(match lib.and_then(|&package| self.packages[package].lib) {
                Some(lib) => RustPathTarget::Module(lib),
                None => RustPathTarget::External(name),
            });
        }
        if package.name == name {
            return package.lib.map(RustPathTarget::Module);
        }
        if is_standard(name) {
            return Some(RustPathTarget::External(name));
        }
        package.bare.contains(name).then_some(RustPathTarget::External(name))
    }

    /// Finds what a name stands for within a module: a child, an import, an item.
    fn look_up(&mut self, module: ModuleId, name: &'a str, hops: usize) -> Option<RustPathTarget<'a>> {
        if let Some(&child) = self.children.get(&(module, name)) {
            return Some(RustPathTarget::Module(child));
        }
        if let Some(&known) = self.known.get(&(module, name)) {
            return known;
        }
        if hops >= HOPS_MAX {
            return None;
        }
        // A lookup of the same name within this search is a cycle, and finds nothing.
        self.known.insert((module, name), None);
        let place = self.search(module, name, hops + 1);
        self.known.insert((module, name), place);
        place
    }

    fn search(&mut self, module: ModuleId, name: &'a str, hops: usize) -> Option<RustPathTarget<'a>> {
        let file = self.modules[module].file;
        let home = self.module_of.get(&file).copied().unwrap_or(module);
        let scope = self.scope(file);
        let imported = scope.imported.get(name).cloned().unwrap_or_default();
        match scope.declared.get(name) {
            // What a module that is written out within the file takes in stands among the file's imports.
            Some(Role::Module) => return Some(RustPathTarget::Module(self.inline_module(module, name))),
            Some(_) => return Some(RustPathTarget::Item(file)),
            None => {}
        }
        let mut nearly = Vec::new();
        // The same name may be taken in for other platforms, or by a module within the file.
        for import in imported {
            let mut path: Vec<&'a str> = import.path.split("::").collect();
            let is_itself =
                path.last() == Some(&name) && (import.names.is_empty() || import.names.iter().any(|own| own == "self"));
            if !is_itself {
                path.push(name);
            }
            match self.trace(home, &path, hops) {
                Ok(place) => return Some(place),
                Err(PathFailure::Within(module)) => nearly.push(self.modules[module].file),
                Err(PathFailure::For(_)) => {}
            }
        }
        if let Some(elsewhere) = nearly.iter().find(|other| **other != file) {
            return Some(RustPathTarget::Item(*elsewhere));
        }
        // Of a file that was not read, every name is taken to stand in it.
        if self.tree.facts(file).is_some_and(|facts| facts.passed_over.is_some()) {
            return Some(RustPathTarget::Item(file));
        }
        let globs = self.scope(file).globs.len();
        for position in 0..globs {
            let import = self.scope(file).globs[position];
            let path: Vec<&'a str> = import.path.split("::").collect();
            if let Ok(RustPathTarget::Module(target)) = self.follow(home, &path, hops)
                && target != module
                && let Some(place) = self.look_up(target, name, hops)
            {
                return Some(place);
            }
        }
        nearly.first().map(|file| RustPathTarget::Item(*file))
    }

    fn scope(&mut self, file: FileId) -> &RustFileNames<'a> {
        let tree = self.tree;
        self.scopes.entry(file).or_insert_with(|| {
            let mut scope = RustFileNames::default();
            if let Some(facts) = tree.facts(file) {
                let items = facts.names.iter().filter(|name| name.owner.is_none() && is_item(name.role));
                scope.declared = items.map(|name| (name.text, name.role)).collect();
            }
            // What tests take in is in no other file's reach.
            let counts = |import: &&Import| import.kind != ImportKind::Declaration && !import.test_only;
            for import in tree.imports(file).iter().filter(counts) {
                let last = import.path.rsplit("::").next().unwrap_or_default();
                if import.names.is_empty() {
                    scope.imported.entry(last).or_default().push(import);
                }
                for name in &import.names {
                    match name.as_str() {
                        "*" => scope.globs.push(import),
                        "self" => {
                            scope.imported.entry(last).or_default().push(import);
                        }
                        name => {
                            scope.imported.entry(name).or_default().push(import);
                        }
                    }
                }
            }
            scope
        })
    }
}

fn is_item(role: Role) -> bool {
    use Role::{Component, Constant, Enum, Function, Interface, Module, Test, Type, Variable};
    matches!(role, Component | Constant | Enum | Function | Interface | Module | Test | Type | Variable)
}

/// Returns whether a crate comes with the compiler.
pub(super) fn is_standard(name: &str) -> bool {
    BUILT_IN.contains(&name) || name.starts_with("rustc_")
}

/// Types begin with a capital letter; the compiler warns of others.
fn is_type(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

fn is_root(path: &str) -> bool {
    matches!(file_name(path), "lib.rs" | "main.rs")
}

fn identifier(name: &str) -> String {
    name.replace('-', "_")
}

/// Returns the manifests of workspaces, by their folders.
fn workspaces<'a, 'm>(tree: &SourceTree<'a>, manifests: &'m Manifests<'a>) -> HashMap<&'a str, &'m toml::Table> {
    let roots = manifests.cargo.iter().filter(|(_, table)| table.contains_key("workspace"));
    roots.map(|(id, table)| (parent(tree.path(*id)), table)).collect()
}

fn workspace_of<'a, 'm>(
    manifest: &'a str,
    workspaces: &HashMap<&'a str, &'m toml::Table>,
) -> Option<(&'a str, &'m toml::Table)> {
    folders_above(manifest).find_map(|folder| Some((folder, *workspaces.get(folder)?)))
}

/// Returns the root files of the libraries and programs that the project consists of, as Cargo builds them: those of
/// packages outside of folders for tests, and of each package that one of these is built with.
pub(super) fn product_roots(tree: &SourceTree<'_>, manifests: &Manifests<'_>) -> Vec<FileId> {
    let workspaces = workspaces(tree, manifests);
    let packages: HashMap<&str, (&str, &toml::Table)> = manifests
        .cargo
        .iter()
        .filter(|(_, table)| table.contains_key("package"))
        .map(|(id, table)| (parent(tree.path(*id)), (tree.path(*id), table)))
        .collect();
    let by_path = packages.iter().filter(|(_, (manifest, _))| FileRole::of(manifest).is_production());
    let mut open: Vec<&str> = by_path.map(|(folder, _)| *folder).collect();
    let mut seen: HashSet<&str> = open.iter().copied().collect();
    let mut roots = Vec::new();
    while let Some(folder) = open.pop() {
        let (manifest, table) = packages[folder];
        roots.extend(product_targets(tree, folder, table));
        let named = dependencies(folder, table, &BUILD_TABLES, workspace_of(manifest, &workspaces));
        for folder in named.into_values().flatten() {
            if let Some((&folder, _)) = packages.get_key_value(folder.as_str())
                && seen.insert(folder)
            {
                open.push(folder);
            }
        }
    }
    roots.sort_unstable();
    roots
}

/// Reads the crates that a manifest names in these tables, with the folder of those given by their path.
fn dependencies(
    folder: &str,
    table: &toml::Table,
    tables: &[&str],
    workspace: Option<(&str, &toml::Table)>,
) -> HashMap<String, Option<String>> {
    let mut found = HashMap::new();
    let targets = table.get("target").and_then(toml::Value::as_table);
    let per_target = targets.into_iter().flat_map(|targets| targets.values()).filter_map(toml::Value::as_table);
    for owner in std::iter::once(table).chain(per_target) {
        let tables = tables.iter().filter_map(|key| owner.get(*key)?.as_table());
        for (key, spec) in tables.flatten() {
            found.insert(identifier(key), dependency_folder(folder, key, spec, workspace));
        }
    }
    found
}

fn dependency_folder(
    folder: &str,
    key: &str,
    spec: &toml::Value,
    workspace: Option<(&str, &toml::Table)>,
) -> Option<String> {
    if let Some(path) = spec.get("path").and_then(toml::Value::as_str) {
        return join(folder, path);
    }
    let (root, root_table) = workspace?;
    let inherited = spec.get("workspace").and_then(toml::Value::as_bool).unwrap_or(false);
    let shared = dig(root_table, &["workspace", "dependencies", key]).filter(|_| inherited);
    if let Some(path) = shared.and_then(|shared| shared.get("path")?.as_str()) {
        return join(root, path);
    }
    let name = |spec: &toml::Value| Some(spec.get("package")?.as_str()?.to_owned());
    let package = shared.and_then(name).or_else(|| name(spec)).unwrap_or_else(|| key.to_owned());
    let patch = dig(root_table, &["patch", "crates-io", &package, "path"])?;
    join(root, patch.as_str()?)
}

fn library(tree: &SourceTree<'_>, folder: &str, table: &toml::Table) -> Option<FileId> {
    let written = dig(table, &["lib", "path"]).and_then(toml::Value::as_str);
    tree.find(&join(folder, written.unwrap_or("src/lib.rs"))?)
}

/// Returns the root files of a package's library and programs, the library first.
fn product_targets(tree: &SourceTree<'_>, folder: &str, table: &toml::Table) -> Vec<FileId> {
    let mut roots: Vec<FileId> = library(tree, folder, table).into_iter().collect();
    roots.extend(join(folder, "src/main.rs").and_then(|path| tree.find(&path)));
    roots.extend(written_targets(tree, folder, table, "bin"));
    roots.extend(files_at(tree, folder, "src/bin"));
    roots
}

/// Returns the root files of the targets that a manifest lists under a key.
fn written_targets(tree: &SourceTree<'_>, folder: &str, table: &toml::Table, key: &str) -> Vec<FileId> {
    let entries = table.get(key).and_then(toml::Value::as_array);
    let paths = entries.into_iter().flatten().filter_map(|entry| entry.get("path")?.as_str());
    paths.filter_map(|path| tree.find(&join(folder, path)?)).collect()
}

/// Returns the source files that lie in a folder of a package.
fn files_at(tree: &SourceTree<'_>, folder: &str, place: &str) -> Vec<FileId> {
    let Some(id) = join(folder, place).and_then(|place| tree.find_folder(&place)) else { return Vec::new() };
    tree.files_in(id).iter().copied().filter(|&file| tree.path(file).ends_with(".rs")).collect()
}

/// Returns the root files of a package's targets, the library first.
fn targets(tree: &SourceTree<'_>, folder: &str, table: &toml::Table) -> Vec<FileId> {
    let mut roots = product_targets(tree, folder, table);
    roots.extend(["test", "example", "bench"].iter().flat_map(|key| written_targets(tree, folder, table, key)));
    roots.extend(["tests", "examples", "benches"].iter().flat_map(|place| files_at(tree, folder, place)));
    let build = dig(table, &["package", "build"]).and_then(toml::Value::as_str);
    roots.extend(join(folder, build.unwrap_or("build.rs")).and_then(|path| tree.find(&path)));
    let mut seen = HashSet::new();
    roots.retain(|root| seen.insert(*root));
    roots
}

#[cfg(test)]
mod tests {
    use crate::import::tests::check;

    /// A workspace with globs, a renamed dependency, a library with a name of its own, and modules in
    /// both styles.
    const TREE: &[(&str, &str)] = &[
        (
            "Cargo.toml",
            "[workspace]\nmembers = ['crates/*']\n[workspace.dependencies]\nshop-core = { path = 'crates/shop-core' }\n\
             serde = '1'\n[patch.crates-io]\npatched = { path = 'crates/patched' }\n",
        ),
        (
            "crates/shop-core/Cargo.toml",
            "[package]\nname = 'shop-core'\n[dependencies]\nserde.workspace = true\nmd-5 = '1'\nlibc = '1'\n",
        ),
        (
            "crates/shop-core/src/lib.rs",
            "mod cart\npub cart::line {Line}\nmod stock\npub stock {*}\nmod unix {platform/unix.rs}\nmod outer::deep\nclass Shop\n\
             module prelude\npub crate::prelude {Cart}\npub crate::cart {Cart}",
        ),
        ("crates/shop-core/src/cart.rs", "mod line\nclass Cart\nuse std::fmt"),
        ("crates/shop-core/src/cart/line.rs", "class Line"),
        (
            "crates/shop-core/src/stock/mod.rs",
            "mod shelf\npub self::shelf {Shelf}\nclass Stock\ntest crate::cart {InTests}",
        ),
        ("crates/shop-core/src/stock/shelf.rs", "class Shelf\nuse super {Stock}"),
        ("crates/shop-core/src/platform/unix.rs", "mod signal"),
        ("crates/shop-core/src/platform/signal.rs", "class Signal"),
        ("crates/shop-core/src/outer/deep.rs", "class Deep"),
        ("crates/shop-core/src/by_macro/mod.rs", "mod inner"),
        ("crates/shop-core/src/by_macro/inner.rs", "class Inner"),
        ("crates/shop-core/src/bin/tool.rs", ""),
        ("crates/shop-core/src/sys.rs", "use libc {*}"),
        ("crates/shop-core/tests/api.rs", "mod common"),
        ("crates/shop-core/tests/common/mod.rs", "class Bench"),
        (
            "crates/shop-web/Cargo.toml",
            "[package]\nname = 'shop-web'\n[dependencies]\nshop-core.workspace = true\n\
             store = { package = 'shop-store', path = '../shop-store' }\npatched = '1'\n\
             [target.'cfg(unix)'.dev-dependencies]\nshop-store = { path = '../shop-store' }\nouter = { path = '../../../outer' }\n",
        ),
        ("crates/shop-web/src/main.rs", "mod page"),
        ("crates/shop-web/src/page.rs", "class Page"),
        (
            "crates/shop-store/Cargo.toml",
            "[package]\nname = 'shop-store'\n[lib]\nname = 'storage'\npath = 'lib/mod.rs'\n",
        ),
        ("crates/shop-store/lib/mod.rs", "mod disk"),
        ("crates/shop-store/lib/disk.rs", "class Disk"),
        ("crates/patched/Cargo.toml", "[package]\nname = 'patched'\n"),
        ("crates/patched/src/lib.rs", "class Patched"),
    ];

    #[test]
    fn paths_within_a_crate() {
        check(
            TREE,
            "crates/shop-core/src/cart.rs",
            &[
                ("use crate {Shop}", "crates/shop-core/src/lib.rs"),
                ("use crate::stock", "crates/shop-core/src/stock/mod.rs"),
                ("use crate::stock {Stock}", "crates/shop-core/src/stock/mod.rs"),
                ("use crate::stock::shelf {Shelf}", "crates/shop-core/src/stock/shelf.rs"),
                ("use self::line {Line}", "crates/shop-core/src/cart/line.rs"),
                ("use line {Line}", "crates/shop-core/src/cart/line.rs"),
                ("use super::stock {self}", "crates/shop-core/src/stock/mod.rs"),
                ("use super {*}", "crates/shop-core/src/lib.rs"),
                ("use super::super {x}", "? it leads out of the tree"),
                ("use crate::outer::deep {Deep}", "crates/shop-core/src/outer/deep.rs"),
                ("use crate::unix::signal {Signal}", "crates/shop-core/src/platform/signal.rs"),
                ("use crate::by_macro::inner {Inner}", "crates/shop-core/src/by_macro/inner.rs"),
                ("use crate::gone::x {y}", "? no such module"),
                ("use crate {some_macro}", "crates/shop-core/src/lib.rs"),
                ("use crate::Shop::Variant {A}", "crates/shop-core/src/lib.rs"),
                ("use crate::sys::c_long {x}", "<libc>"),
                ("use fmt {Display}", "<std>"),
                ("use serde {Serialize}", "<serde>"),
                ("use ::serde {Serialize}", "<serde>"),
                ("use md5 {Md5}", "<md5>"),
                ("use core::fmt", "<core>"),
                ("use shop_core {Shop}", "crates/shop-core/src/lib.rs"),
                ("use rustc_span {Span}", "<rustc_span>"),
                ("use crate::Renamed {new}", "crates/shop-core/src/lib.rs"),
                ("use unheard_of {X}", "? neither a dependency nor a name in reach"),
                ("mod line", "crates/shop-core/src/cart/line.rs"),
                ("mod gone", "? no such file"),
            ],
        );
    }

    #[test]
    fn re_exports_lead_to_the_module_that_holds_the_name() {
        check(
            TREE,
            "crates/shop-core/src/outer/deep.rs",
            &[
                ("use crate {Line}", "crates/shop-core/src/cart/line.rs"),
                ("use crate::stock {Shelf}", "crates/shop-core/src/stock/shelf.rs"),
                ("use crate {Shelf}", "crates/shop-core/src/stock/shelf.rs"),
                ("use crate {Line, Shop}", "crates/shop-core/src/cart/line.rs crates/shop-core/src/lib.rs"),
                ("use crate::cart::fmt {Result}", "<std>"),
                ("use crate::prelude {Cart}", "crates/shop-core/src/cart.rs"),
                ("use crate::prelude {*}", "crates/shop-core/src/lib.rs"),
                ("use crate::prelude::inner::made {x}", "crates/shop-core/src/lib.rs"),
                ("use crate::stock {InTests}", "crates/shop-core/src/stock/mod.rs"),
                ("use super::super::cart {Cart}", "crates/shop-core/src/cart.rs"),
            ],
        );
    }

    #[test]
    fn crates_of_the_workspace_are_found_by_the_names_they_are_given() {
        check(
            TREE,
            "crates/shop-web/src/page.rs",
            &[
                ("use shop_core::cart {Cart}", "crates/shop-core/src/cart.rs"),
                ("use shop_core {Line}", "crates/shop-core/src/cart/line.rs"),
                ("use store::disk {Disk}", "crates/shop-store/lib/disk.rs"),
                ("use storage::disk {Disk}", "crates/shop-store/lib/disk.rs"),
                ("use patched {Patched}", "crates/patched/src/lib.rs"),
                ("use outer {X}", "<outer>"),
                ("use crate::page {Page}", "crates/shop-web/src/page.rs"),
                ("use super {x}", "crates/shop-web/src/main.rs"),
            ],
        );
    }

    #[test]
    fn every_target_is_a_crate_of_its_own() {
        check(
            TREE,
            "crates/shop-core/src/bin/tool.rs",
            &[
                ("use crate {X}", "crates/shop-core/src/bin/tool.rs"),
                ("use shop_core::cart {Cart}", "crates/shop-core/src/cart.rs"),
            ],
        );
        check(
            TREE,
            "crates/shop-core/tests/api.rs",
            &[
                ("use crate::common {Bench}", "crates/shop-core/tests/common/mod.rs"),
                ("use common {Bench}", "crates/shop-core/tests/common/mod.rs"),
                ("use shop_core {Shop}", "crates/shop-core/src/lib.rs"),
            ],
        );
        check(TREE, "crates/shop-core/src/by_macro/mod.rs", &[("mod inner", "crates/shop-core/src/by_macro/inner.rs")]);
        check(TREE, "crates/shop-core/build.rs", &[("use crate {X}", "crates/shop-core/build.rs")]);
    }

    #[test]
    fn a_circle_of_re_exports_ends() {
        let tree = [
            ("Cargo.toml", "[package]\nname = 'a'\n"),
            ("src/lib.rs", "mod x\nmod y\npub x {*}\npub y {Loop}"),
            ("src/x.rs", "pub super::y {*}\npub crate {Loop}"),
            ("src/y.rs", "pub super::x {*}\npub super {Loop}"),
        ];
        check(&tree, "src/z.rs", &[("use crate {Loop}", "src/y.rs"), ("use crate {Gone}", "src/lib.rs")]);
    }

    #[test]
    fn a_chain_of_re_exports_is_followed_up_to_a_limit() {
        for (length, found) in [(super::HOPS_MAX, true), (super::HOPS_MAX + 1, false)] {
            let names: Vec<String> = (0..=length).map(|number| format!("src/m{number:02}.rs")).collect();
            let text = |number| format!("pub crate::m{:02} {{X}}", number + 1);
            let texts: Vec<String> = (0..length).map(text).chain(["class X".to_owned()]).collect();
            let mut tree = vec![("Cargo.toml", "[package]\nname = 'a'\n"), ("src/lib.rs", "")];
            tree.extend(names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)));
            let end = &names[if found { length } else { super::HOPS_MAX }];
            // `a.rs` comes first, before anything is known of the chain.
            check(&tree, "src/a.rs", &[("use crate::m00 {X}", end)]);
        }
    }

    #[test]
    fn modules_are_limited() {
        let fixture = crate::testing::Fixture::new(&[
            ("Cargo.toml", "[package]\nname = 'a'\n"),
            ("src/lib.rs", "mod a\nmod b"),
            ("src/a.rs", ""),
            ("src/b.rs", ""),
            ("src/bin/c.rs", ""),
        ]);
        let tree = fixture.tree();
        let manifests = crate::manifest::Manifests::read(&tree);
        let known = |modules_max: usize| super::RustResolver::with_limit(&tree, &manifests, modules_max).modules.len();
        assert_eq!((known(4), known(3), known(100)), (4, 3, 4));
    }

    #[test]
    fn without_a_manifest_files_are_crates() {
        let tree = [("a/main.rs", "mod util"), ("a/util.rs", ""), ("b.rs", "")];
        check(&tree, "a/util.rs", &[("use crate::util {x}", "a/util.rs"), ("use serde {X}", "<serde>")]);
        check(&tree, "b.rs", &[("use crate {x}", "b.rs")]);
    }
}
