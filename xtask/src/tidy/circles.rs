//! No circles: of the modules that share a parent, none depends on another that depends on it, through however many others.
//!
//! What a parent and its own child need of each other does not count. Neither do tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use assize_brief::brief::Analysis;
use assize_brief::graph::components;
use assize_syntax::facts::{FileFacts, ImportKind};
use assize_syntax::import::Resolved;
use assize_syntax::manifest::wants_text;
use assize_syntax::tree::{FileId, SourceTree, TreeFile};

use crate::shell::{Result, command, read, root};

/// A module by its path within its crate; its crate comes first.
type ModulePath = Vec<String>;

/// Names every circle with the imports that make it.
pub fn circles(sources: &[String]) -> Result<Vec<String>> {
    let manifests = read(command("git", &["ls-files", "*Cargo.toml"]))?;
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for path in sources.iter().map(String::as_str).chain(manifests.lines()).filter(|path| !path.contains("/tests/")) {
        let text = fs::read_to_string(root().join(path)).map_err(|error| format!("{path}: {error}"))?;
        texts.insert(path.to_owned(), text);
    }
    let facts: BTreeMap<&str, FileFacts> = texts
        .iter()
        .filter_map(|(path, text)| Some((path.as_str(), assize_syntax::language::read(path, text)?)))
        .collect();
    let tree = SourceTree::new(texts.iter().map(|(path, text)| TreeFile {
        path,
        facts: facts.get(path.as_str()),
        text: wants_text(path).then_some(text.as_str()),
        ..TreeFile::default()
    }));
    Ok(between_siblings(&uses(&tree)))
}

/// Which module uses which, with the place of one such import.
fn uses(tree: &SourceTree<'_>) -> BTreeMap<(ModulePath, ModulePath), String> {
    let analysis = Analysis::of(tree);
    let links: Vec<(FileId, FileId, ImportKind, bool, u32)> = analysis
        .links()
        .iter()
        .filter_map(|link| {
            let import = tree.imports(link.from).get(link.import as usize)?;
            let Resolved::File(to) = link.to else { return None };
            Some((link.from, to, import.kind, import.test_only, import.line))
        })
        .collect();
    let tests: BTreeSet<ModulePath> = links
        .iter()
        .filter(|(_, _, kind, test_only, _)| *kind == ImportKind::Declaration && *test_only)
        .filter_map(|(_, to, ..)| module(tree.path(*to)))
        .collect();
    let in_tests = |module: &ModulePath| (0..=module.len()).any(|end| tests.contains(&module[..end]));
    let mut uses = BTreeMap::new();
    for (from, to, kind, test_only, line) in links {
        let (Some(user), Some(used)) = (module(tree.path(from)), module(tree.path(to))) else { continue };
        if kind == ImportKind::Declaration || test_only || in_tests(&user) {
            continue;
        }
        uses.entry((user, used)).or_insert_with(|| format!("{}:{line}", tree.path(from)));
    }
    uses
}

/// The module that a file is.
fn module(path: &str) -> Option<ModulePath> {
    let (package, inner) = path.split_once("/src/")?;
    let inner = inner.strip_suffix(".rs")?;
    let mut parts = vec![package.rsplit('/').next()?.to_owned()];
    parts.extend(inner.split('/').map(str::to_owned));
    if matches!(parts.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        parts.pop();
    }
    Some(parts)
}

/// Which sibling uses which, with the places.
type Edges<'a> = BTreeMap<(&'a str, &'a str), Vec<&'a str>>;

/// For each parent, the circles of its children; what is below a child counts as the child.
fn between_siblings(uses: &BTreeMap<(ModulePath, ModulePath), String>) -> Vec<String> {
    let mut below: BTreeMap<&[String], Edges<'_>> = BTreeMap::new();
    for ((user, used), place) in uses {
        let shared = user.iter().zip(used).take_while(|(one, other)| one == other).count();
        // Crates are kept apart by their manifests, and a module may use those that it is made of.
        if shared == 0 || shared == user.len() || shared == used.len() {
            continue;
        }
        let siblings = below.entry(&user[..shared]).or_default();
        siblings.entry((&user[shared], &used[shared])).or_default().push(place);
    }
    let mut found = Vec::new();
    for (parent, edges) in below {
        let names: Vec<&str> =
            edges.keys().flat_map(|(user, used)| [*user, *used]).collect::<BTreeSet<_>>().into_iter().collect();
        let index = |name: &str| names.binary_search(&name).expect("every end of an edge has its name");
        let pairs = edges.keys().map(|(user, used)| (index(user), index(used)));
        for circle in components(names.len(), pairs).into_iter().filter(|circle| circle.len() > 1) {
            let members: Vec<&str> = circle.iter().map(|at| names[*at]).collect();
            let inside = |name: &str| members.contains(&name);
            let places = edges
                .iter()
                .filter(|((user, used), _)| inside(user) && inside(used))
                .map(|((user, used), places)| format!("      {user} → {used}: {}", places.join(", ")));
            let places: Vec<String> = places.collect();
            found.push(format!("{}: {} are a circle\n{}", parent.join("::"), members.join(", "), places.join("\n")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uses(pairs: &[(&str, &str)]) -> BTreeMap<(ModulePath, ModulePath), String> {
        let module = |path: &str| path.split("::").map(str::to_owned).collect::<ModulePath>();
        pairs.iter().map(|(user, used)| ((module(user), module(used)), "place".to_owned())).collect()
    }

    #[test]
    fn siblings_form_circles_and_parents_with_their_children_do_not() {
        for (pairs, circles) in [
            (&[("c::a", "c::b"), ("c::b", "c::a")][..], 1),
            (&[("c::a::x", "c::b"), ("c::b", "c::a::y")], 1),
            (&[("c::a", "c::b"), ("c::b", "c::d"), ("c::d", "c::a")], 1),
            (&[("c::a", "c::a::x"), ("c::a::x", "c::a")], 0),
            (&[("c", "c::a"), ("c::a", "c")], 0),
            (&[("c::a", "c::b"), ("c::a", "c::d"), ("c::b", "c::d")], 0),
            (&[("c::a", "d::a"), ("d::a", "c::a")], 0),
        ] {
            assert_eq!(between_siblings(&uses(pairs)).len(), circles, "{pairs:?}");
        }
    }

    #[test]
    fn a_file_is_a_module() {
        for (path, expected) in [
            ("crates/assize-stop/src/rule/mod.rs", Some("assize-stop::rule")),
            ("crates/assize-stop/src/rule/secret.rs", Some("assize-stop::rule::secret")),
            ("crates/assize-stop/src/lib.rs", Some("assize-stop")),
            ("xtask/src/main.rs", Some("xtask")),
            ("crates/assize/tests/hook.rs", None),
        ] {
            assert_eq!(module(path).map(|parts| parts.join("::")).as_deref(), expected, "{path}");
        }
    }
}
