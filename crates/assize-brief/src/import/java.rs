//! Java: packages and classes by what the files declare.
//!
//! Folders don't matter, the `package` line does. Uses within one package need no import and are
//! not seen; they never leave the package.

use foldhash::{HashMap, HashMapExt};

use super::{Reason, Resolved};
use crate::facts::{Import, Role};
use crate::path::{file_name, parent, without_ending};
use crate::tree::{FileId, FolderId, Tree};

/// The classes and packages of a tree.
pub(super) struct Java<'t, 'a> {
    tree: &'t Tree<'a>,
    /// More than one file where a tree holds variants of a class.
    classes: HashMap<(&'a str, &'a str), Vec<FileId>>,
    packages: HashMap<&'a str, Vec<FolderId>>,
}

impl<'t, 'a> Java<'t, 'a> {
    pub(super) fn new(tree: &'t Tree<'a>) -> Self {
        let mut java = Self { tree, classes: HashMap::new(), packages: HashMap::new() };
        let sources = || tree.files().filter(|(_, file)| file.path.ends_with(".java"));
        // A public class has the name of its file; that rule is kept for all first.
        for (id, file) in sources() {
            let package = package_of(tree, id);
            java.classes.entry((package, file_name(without_ending(file.path)))).or_default().push(id);
            if let Some(folder) = tree.find_folder(parent(file.path)) {
                let folders = java.packages.entry(package).or_default();
                if !folders.contains(&folder) {
                    folders.push(folder);
                }
            }
        }
        for (id, _) in sources() {
            let Some(facts) = tree.facts(id) else { continue };
            for name in facts.names.iter().filter(|name| name.owner.is_none()) {
                if matches!(name.role, Role::Type | Role::Interface | Role::Enum) {
                    java.classes.entry((package_of(tree, id), name.text)).or_insert_with(|| vec![id]);
                }
            }
        }
        java
    }

    pub(super) fn resolve(&self, from: FileId, import: &'a Import, found: &mut Vec<Resolved<'a>>) {
        let (own, path) = (self.tree.path(from), import.path.as_str());
        if let Some(folders) = self.packages.get(path).filter(|_| import.names.iter().any(|name| name == "*")) {
            let near = |folder: &FolderId| shared(own, self.tree.folder_path(*folder));
            let nearest = folders.iter().map(near).max();
            let chosen = folders.iter().filter(|folder| Some(near(folder)) == nearest);
            found.extend(chosen.map(|folder| Resolved::Folder(*folder)));
            return;
        }
        found.push(self.leads_to(own, path));
    }

    /// Finds the class, which may be followed by the names of inner classes and members.
    fn leads_to(&self, own: &str, path: &'a str) -> Resolved<'a> {
        let mut rest = path;
        while let Some((package, class)) = rest.rsplit_once('.') {
            let variants = self.classes.get(&(package, class)).into_iter().flatten();
            // Of equally near ones the one with the shortest path, then the first.
            if let Some(file) = variants.rev().max_by_key(|file| {
                let path = self.tree.path(**file);
                (shared(own, path), std::cmp::Reverse(path.matches('/').count()))
            }) {
                return Resolved::File(*file);
            }
            rest = package;
        }
        // Packages begin with small letters and classes don't; few conventions are kept so well.
        let small = path.split('.').take_while(|part| part.starts_with(|first: char| !first.is_uppercase()));
        let bytes: usize = small.map(|part| part.len() + 1).sum();
        let package = &path[..bytes.saturating_sub(1)];
        if package.is_empty() {
            return Resolved::External(path);
        }
        match self.packages.contains_key(package) {
            true => Resolved::Unresolved(Reason::NoSuchFile),
            false => Resolved::External(package),
        }
    }
}

/// Returns whether a package comes with the language.
pub(super) fn is_standard(name: &str) -> bool {
    ["java", "javax", "jdk", "sun"].contains(&name.split('.').next().unwrap_or_default())
}

/// Returns how many folders two paths share from the root on.
fn shared(one: &str, other: &str) -> usize {
    one.split('/').zip(other.split('/')).take_while(|(one, other)| one == other).count()
}

fn package_of<'a>(tree: &Tree<'a>, file: FileId) -> &'a str {
    tree.facts(file).and_then(|facts| facts.package.as_deref()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::import::tests::check;

    #[test]
    fn of_variants_the_nearest_is_meant() {
        let tree = [
            ("aside/old/src/a/One.java", "package a"),
            ("android/src/a/One.java", "package a"),
            ("jre/src/a/One.java", "package a"),
        ];
        check(&tree, "jre/src/b/Two.java", &[("use a.One", "jre/src/a/One.java"), ("use a {*}", "jre/src/a/")]);
        check(
            &tree,
            "other/b/Two.java",
            &[("use a.One", "android/src/a/One.java"), ("use a {*}", "android/src/a/ aside/old/src/a/ jre/src/a/")],
        );
    }

    const TREE: &[(&str, &str)] = &[
        ("core/src/main/java/org/shop/cart/Cart.java", "package org.shop.cart\nclass Cart\nclass CartHelper"),
        ("core/src/main/java/org/shop/cart/Line.java", "package org.shop.cart"),
        ("core/src/test/java/org/shop/cart/CartTest.java", "package org.shop.cart"),
        ("web/src/main/java/org/shop/web/Page.java", "package org.shop.web"),
        ("Script.java", "class Script"),
    ];

    #[test]
    fn classes_are_found_by_package() {
        check(
            TREE,
            "web/src/main/java/org/shop/web/App.java",
            &[
                ("use org.shop.cart.Cart", "core/src/main/java/org/shop/cart/Cart.java"),
                ("use org.shop.cart.Cart.Total", "core/src/main/java/org/shop/cart/Cart.java"),
                ("use org.shop.cart.Cart {MAX}", "core/src/main/java/org/shop/cart/Cart.java"),
                ("use org.shop.cart.Cart {*}", "core/src/main/java/org/shop/cart/Cart.java"),
                ("use org.shop.cart.Cart.Kind {A}", "core/src/main/java/org/shop/cart/Cart.java"),
                ("use org.shop.cart.CartHelper", "core/src/main/java/org/shop/cart/Cart.java"),
                ("use org.shop.cart {*}", "core/src/main/java/org/shop/cart/ core/src/test/java/org/shop/cart/"),
                ("use org.shop.cart.Gone", "? no such file"),
                ("use org.shop.cart.made.Row", "<org.shop.cart.made>"),
                ("use java.util.List", "<java.util>"),
                ("use java.util {*}", "<java.util>"),
                ("use org.junit.Assert {*}", "<org.junit>"),
                ("use Script", "<Script>"),
            ],
        );
    }
}
