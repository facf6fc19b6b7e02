//! Facades: files whose names come from elsewhere (`__init__.py`, `index.ts`).
//!
//! An import of a name from a facade is traced to the file that the facade takes the name from.
//! Nothing here knows a language: the caller says what an import of the facade leads to.

use assize_core::path::file_name;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::Resolved;
use crate::facts::{Import, ImportKind};
use crate::tree::{FileId, SourceTree};

/// The most facades that are followed one after the other.
pub(super) const HOPS_MAX: usize = 16;

/// Which imports of a facade bring names in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Through {
    /// Every import: what a module of Python imports can be imported from it.
    AnyImport,
    /// Those that pass names on.
    ReExports,
}

/// The facades of a tree, looked at when they are first needed.
pub(super) struct Facades<'t, 'a> {
    tree: &'t SourceTree<'a>,
    through: Through,
    seen: HashMap<FileId, Facade<'a>>,
}

#[derive(Default)]
struct Facade<'a> {
    declared: HashSet<&'a str>,
    named: HashMap<&'a str, &'a Import>,
    globs: Vec<&'a Import>,
    defaults: Vec<&'a Import>,
}

impl<'t, 'a> Facades<'t, 'a> {
    pub(super) fn new(tree: &'t SourceTree<'a>, through: Through) -> Self {
        Self { tree, through, seen: HashMap::new() }
    }

    /// Returns the file that a name of a facade comes from; the facade itself when that is not known.
    pub(super) fn origin(
        &mut self,
        facade: FileId,
        name: &str,
        leads_to: &mut dyn FnMut(FileId, &'a Import, &str) -> Resolved<'a>,
    ) -> FileId {
        self.search(facade, name, leads_to, &mut HashSet::new(), 0).unwrap_or(facade)
    }

    fn search(
        &mut self,
        facade: FileId,
        name: &str,
        leads_to: &mut dyn FnMut(FileId, &'a Import, &str) -> Resolved<'a>,
        visited: &mut HashSet<FileId>,
        hops: usize,
    ) -> Option<FileId> {
        if hops >= HOPS_MAX || !visited.insert(facade) {
            return None;
        }
        let looked_at = self.look_at(facade);
        if looked_at.declared.contains(name) {
            return Some(facade);
        }
        let named = looked_at.named.get(name).copied().or_else(|| looked_at.default_for(name));
        if let Some(import) = named {
            return match leads_to(facade, import, name) {
                Resolved::File(file) => Some(self.search(file, name, leads_to, visited, hops + 1).unwrap_or(file)),
                _ => Some(facade),
            };
        }
        for position in 0..looked_at.globs.len() {
            let import = self.look_at(facade).globs[position];
            if let Resolved::File(file) = leads_to(facade, import, "*")
                && let Some(origin) = self.search(file, name, leads_to, visited, hops + 1)
            {
                return Some(origin);
            }
        }
        None
    }

    fn look_at(&mut self, file: FileId) -> &Facade<'a> {
        let (tree, through) = (self.tree, self.through);
        self.seen.entry(file).or_insert_with(|| {
            let mut facade = Facade::default();
            if let Some(facts) = tree.facts(file) {
                facade.declared =
                    facts.names.iter().filter(|name| name.owner.is_none()).map(|name| name.text).collect();
            }
            let passed_on = |import: &&Import| through == Through::AnyImport || import.kind == ImportKind::ReExport;
            for import in tree.imports(file).iter().filter(passed_on) {
                for name in &import.names {
                    match name.as_str() {
                        "*" => facade.globs.push(import),
                        "default" => facade.defaults.push(import),
                        name => {
                            facade.named.entry(name).or_insert(import);
                        }
                    }
                }
            }
            facade
        })
    }
}

impl<'a> Facade<'a> {
    /// `export { default as Button } from './Button'` gives the default another name, as a rule that
    /// of the file.
    fn default_for(&self, name: &str) -> Option<&'a Import> {
        let stem = |import: &&&Import| file_name(&import.path).split('.').next() == Some(name);
        self.defaults.iter().find(stem).copied()
    }
}
