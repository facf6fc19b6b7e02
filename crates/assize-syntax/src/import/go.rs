//! Go: module paths from `go.mod`, a package is a folder.
//!
//! Modules that stand in the tree are found by their path whether or not `go.work` or a `replace`
//! names them: what is read here is how the project hangs together, not which version is built.

use assize_core::path::{file_name, folders_above, join, parent};
use foldhash::{HashMap, HashMapExt};

use super::{Reason, Resolved};
use crate::facts::Import;
use crate::manifest::Manifests;
use crate::tree::{FileId, SourceTree};

/// The modules of a tree.
pub(super) struct GoResolver<'t, 'a> {
    tree: &'t SourceTree<'a>,
    /// The folder of each module, by its path.
    modules: HashMap<&'a str, &'a str>,
    /// What each module replaces by a folder, by the folder of the module.
    replaced: HashMap<&'a str, Vec<(&'a str, String)>>,
}

impl<'t, 'a> GoResolver<'t, 'a> {
    pub(super) fn new(tree: &'t SourceTree<'a>, manifests: &Manifests<'a>) -> Self {
        let mut go = Self { tree, modules: HashMap::new(), replaced: HashMap::new() };
        for &(id, text) in &manifests.go {
            let path = tree.path(id);
            if file_name(path) == "go.mod"
                && let Some(module) = directives(text, "module").next()
            {
                go.modules.entry(unquoted(module)).or_insert(parent(path));
            }
            // A `go.work` replaces for every module below it.
            for line in directives(text, "replace") {
                let Some((old, new)) = line.split_once("=>") else { continue };
                let old = unquoted(old.split_whitespace().next().unwrap_or_default());
                let new = unquoted(new.split_whitespace().next().unwrap_or_default());
                if new.starts_with('.')
                    && let Some(folder) = join(parent(path), new)
                {
                    go.replaced.entry(parent(path)).or_default().push((old, folder));
                }
            }
        }
        go
    }

    pub(super) fn resolve(&self, from: FileId, import: &'a Import, found: &mut Vec<Resolved<'a>>) {
        found.push(self.leads_to(from, &import.path));
    }

    fn leads_to(&self, from: FileId, path: &'a str) -> Resolved<'a> {
        let own = self.tree.path(from);
        if path.starts_with("./") || path.starts_with("../") || path == "." || path == ".." {
            return match join(parent(own), path) {
                Some(folder) => self.folder(&folder),
                None => Resolved::Unresolved(Reason::OutsideTree),
            };
        }
        for above in folders_above(own) {
            for (old, folder) in self.replaced.get(above).into_iter().flatten() {
                if let Some(rest) = below(path, old) {
                    return match join(folder, rest) {
                        Some(folder) if self.tree.find_folder(&folder).is_some() => self.folder(&folder),
                        _ => Resolved::External(path),
                    };
                }
            }
        }
        // The longest path of a module that fits: modules may lie within modules.
        let mut prefix = path;
        loop {
            if let Some(folder) = self.modules.get(prefix) {
                let rest = below(path, prefix).unwrap_or_default();
                return join(folder, rest).map_or(Resolved::Unresolved(Reason::OutsideTree), |it| self.folder(&it));
            }
            match prefix.rsplit_once('/') {
                Some((shorter, _)) => prefix = shorter,
                None => return Resolved::External(path),
            }
        }
    }

    fn folder(&self, path: &str) -> Resolved<'a> {
        let Some(folder) = self.tree.find_folder(path) else { return Resolved::Unresolved(Reason::NoSuchFile) };
        let has_code = self.tree.files_in(folder).iter().any(|&file| self.tree.path(file).ends_with(".go"));
        if has_code { Resolved::Folder(folder) } else { Resolved::Unresolved(Reason::NoSuchFile) }
    }
}

/// Returns what follows a module's path in the path of a package.
fn below<'p>(path: &'p str, module: &str) -> Option<&'p str> {
    let rest = path.strip_prefix(module)?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
}

/// Returns whether a package belongs to the standard library: the others begin with a domain.
pub(super) fn is_standard(name: &str) -> bool {
    name == "C" || !name.split('/').next().unwrap_or_default().contains('.')
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '`'])
}

/// Returns what follows a directive, on its line or in its block in brackets.
fn directives<'x>(text: &'x str, directive: &'x str) -> impl Iterator<Item = &'x str> {
    let mut in_block = false;
    text.lines().filter_map(move |line| {
        let line = line.split("//").next().unwrap_or_default().trim();
        if in_block {
            in_block = line != ")";
            return (in_block && !line.is_empty()).then_some(line);
        }
        let rest = line.strip_prefix(directive)?;
        if !rest.starts_with([' ', '\t', '(']) {
            return None;
        }
        let rest = rest.trim();
        if rest == "(" {
            in_block = true;
            return None;
        }
        (!rest.is_empty()).then_some(rest)
    })
}

#[cfg(test)]
mod tests {
    use crate::import::tests::check;

    const TREE: &[(&str, &str)] = &[
        ("go.work", "go 1.22\n\nuse (\n\t.\n\t./tools\n)\nreplace example.com/w => ./forks/w\n"),
        (
            "go.mod",
            "module example.com/shop // the shop\n\ngo 1.22\n\nreplace (\n\texample.com/fork v1.0.0 => ./forks/fork\n\texample.com/out => ../out\n)\n",
        ),
        ("main.go", "package main"),
        ("cart/cart.go", "package cart"),
        ("cart/cart_test.go", "package cart_test"),
        ("assets/logo.svg", ""),
        ("tools/go.mod", "module \"example.com/shop/tools\"\n"),
        ("tools/gen/gen.go", "package main"),
        ("forks/fork/go.mod", "module example.com/fork\n"),
        ("forks/fork/x/x.go", "package x"),
        ("forks/w/w.go", "package w"),
    ];

    #[test]
    fn packages_are_folders() {
        check(
            TREE,
            "main.go",
            &[
                ("use example.com/shop/cart", "cart/"),
                ("use example.com/shop", "/"),
                ("use example.com/shop/tools/gen", "tools/gen/"),
                ("use example.com/fork/x", "forks/fork/x/"),
                ("use example.com/w", "forks/w/"),
                ("use example.com/out/y", "<example.com/out/y>"),
                ("use example.com/shopping/cart", "<example.com/shopping/cart>"),
                ("use fmt", "<fmt>"),
                ("use C", "<C>"),
                ("use ./cart", "cart/"),
                ("use ../cart", "? it leads out of the tree"),
                ("use example.com/shop/gone", "? no such file"),
                ("use example.com/shop/assets", "? no such file"),
            ],
        );
        check(TREE, "tools/gen/gen.go", &[("use example.com/shop/cart", "cart/"), ("use example.com/w", "forks/w/")]);
    }

    #[test]
    fn without_a_module_everything_is_outside() {
        check(&[("a/a.go", "package a")], "main.go", &[("use a", "<a>"), ("use ./a", "a/")]);
    }
}
