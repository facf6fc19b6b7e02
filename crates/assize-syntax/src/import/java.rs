//! Java and the languages beside it: packages, and what the files declare in them.
//!
//! Folders don't matter, the `package` line does. Uses within one package need no import and are
//! not seen; they never leave the package. Java imports classes. Other languages also import the
//! functions, constants and variables of a package.

use assize_core::path::{ending, file_name, parent, without_ending};
use foldhash::{HashMap, HashMapExt};

use super::{Reason, Resolved};
use crate::facts::{DeclaredName, Import, Role};
use crate::language::ResolutionFamily;
use crate::tree::{FileId, FolderId, SourceTree};

/// What the packages of a tree declare.
pub(super) struct JavaResolver<'t, 'a> {
    tree: &'t SourceTree<'a>,
    /// By package and name. More than one file where a tree holds variants of a class.
    declared: HashMap<(&'a str, &'a str), Vec<FileId>>,
    /// Files by package and the class as which Java sees their functions: `TextKt` of `text.kt`.
    functions: HashMap<(&'a str, String), Vec<FileId>>,
    packages: HashMap<&'a str, Vec<FolderId>>,
}

impl<'t, 'a> JavaResolver<'t, 'a> {
    pub(super) fn new(tree: &'t SourceTree<'a>) -> Self {
        let (declared, functions, packages) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut java = Self { tree, declared, functions, packages };
        let sources = || {
            let family = |path| ResolutionFamily::of(path) == Some(ResolutionFamily::Java);
            tree.files().filter(move |(_, file)| family(file.path)).map(|(id, file)| (id, file.path))
        };
        for (id, path) in sources() {
            let package = package_of(tree, id);
            let file = file_name(without_ending(path));
            // A public class of Java has the name of its file; that rule is kept for all first.
            if is_java(path) {
                java.declared.entry((package, file)).or_default().push(id);
            } else {
                java.functions.entry((package, class_of_functions(file))).or_default().push(id);
            }
            if let Some(folder) = tree.find_folder(parent(path)) {
                let folders = java.packages.entry(package).or_default();
                if !folders.contains(&folder) {
                    folders.push(folder);
                }
            }
        }
        for (id, path) in sources() {
            let Some(facts) = tree.facts(id) else { continue };
            for name in facts.names.iter().filter(is_imported) {
                let files = java.declared.entry((package_of(tree, id), name.text)).or_default();
                if files.is_empty() || !is_java(path) && files.last() != Some(&id) {
                    files.push(id);
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
        found.push(self.leads_to(own, import));
    }

    /// Finds what is declared, which may be followed by the names of inner classes and members.
    fn leads_to(&self, own: &str, import: &'a Import) -> Resolved<'a> {
        let path = import.path.as_str();
        let mut rest = path;
        while let Some((package, name)) = rest.rsplit_once('.') {
            // Of equally near ones the one with the shortest path, then the first.
            if let Some(file) = self.variants(package, name).iter().rev().max_by_key(|file| {
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
        let package = match &path[..bytes.saturating_sub(1)] {
            // What is imported without names is declared in a package and none itself.
            all if all == path && import.names.is_empty() => path.rsplit_once('.').map_or("", |(package, _)| package),
            package => package,
        };
        if package.is_empty() {
            return Resolved::External(path);
        }
        match self.packages.contains_key(package) {
            true => Resolved::Unresolved(Reason::NoSuchFile),
            false => Resolved::External(package),
        }
    }

    /// The files that declare a name in a package, or whose functions are a class of that name.
    fn variants(&self, package: &'a str, name: &'a str) -> &[FileId] {
        let as_class = || self.functions.get(&(package, name.to_owned()));
        self.declared.get(&(package, name)).or_else(as_class).map_or(&[], Vec::as_slice)
    }
}

/// Returns whether other files can import a name by its package.
fn is_imported(name: &DeclaredName<'_>) -> bool {
    match name.role {
        Role::Type | Role::Interface | Role::Enum | Role::Constant => name.owner.is_none(),
        // One with an owner extends that type, but the package declares it.
        Role::Function | Role::Component => true,
        // The others are those of a function.
        Role::Variable => name.public,
        _ => false,
    }
}

/// Returns the class as which Java sees the functions of a file of Kotlin.
fn class_of_functions(file: &str) -> String {
    let mut characters = file.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).chain("Kt".chars()).collect()
}

fn is_java(path: &str) -> bool {
    ending(path) == Some("java")
}

/// Returns whether a package comes with the language.
pub(super) fn is_standard(name: &str) -> bool {
    ["java", "javax", "jdk", "kotlin", "sun"].contains(&name.split('.').next().unwrap_or_default())
}

/// Returns how many folders two paths share from the root on.
fn shared(one: &str, other: &str) -> usize {
    one.split('/').zip(other.split('/')).take_while(|(one, other)| one == other).count()
}

fn package_of<'a>(tree: &SourceTree<'a>, file: FileId) -> &'a str {
    tree.facts(file).and_then(|facts| facts.package.as_deref()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::is_imported;
    use crate::facts::{DeclaredName, Role};
    use crate::import::tests::check;

    #[test]
    fn what_a_package_declares_can_be_imported() {
        for (role, owner, public, expected) in [
            (Role::Type, None, false, true),
            (Role::Type, Some("Cart"), true, false),
            (Role::Function, None, true, true),
            (Role::Function, Some("Cart"), true, true),
            (Role::Method, Some("Cart"), true, false),
            (Role::Component, Some("Row"), true, true),
            (Role::Constant, None, true, true),
            (Role::Constant, Some("Cart"), true, false),
            (Role::Variable, Some("Cart"), true, true),
            (Role::Variable, None, false, false),
            (Role::Parameter, None, false, false),
        ] {
            let name = DeclaredName { text: "name", owner, role, public, line: 1 };
            assert_eq!(is_imported(&name), expected, "{name:?}");
        }
    }

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
        (
            "core/src/main/java/org/shop/cart/Cart.java",
            "package org.shop.cart\nclass Cart\nclass CartHelper\ndef open_cart",
        ),
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
                ("use org.shop.cart.open_cart", "core/src/main/java/org/shop/cart/Cart.java"),
                ("use org.shop.cart.gone", "? no such file"),
                ("use org.other.open", "<org.other>"),
                ("use org.other {*}", "<org.other>"),
                ("use other", "<other>"),
            ],
        );
    }
}
