//! The graph of imports: of files, and of the units that they make up.
//!
//! It holds what was found and counts it. It must not know what order is wanted.

use std::collections::BTreeMap;

use assize_core::path::{file_name, is_declarations, is_within, join, parent, without_ending};
use assize_ecosystem::{FileRole, Language, is_test_package};
use assize_syntax::facts::{Import, ImportKind, Role};
use assize_syntax::import::{Link, Resolved, product_roots};
use assize_syntax::manifest::Manifests;
use assize_syntax::tree::{FileId, FolderId, SourceTree};
use foldhash::{HashMap, HashSet, HashSetExt};
use petgraph::graph::{DiGraph, NodeIndex};

use crate::unit::{Partition, roles};

/// What one file imports of the tree, by one import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The file that imports.
    pub from: FileId,
    /// What it imports.
    pub to: ImportTarget,
    /// The line of the import.
    pub line: u32,
    /// Why it says nothing about layers, if that is so.
    pub exempt: Option<Exempt>,
}

/// What is imported: a file, or a folder that is a package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ImportTarget {
    /// A file.
    File(FileId),
    /// All of a folder.
    Folder(FolderId),
}

/// Why an import doesn't count for layers and boundaries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Exempt {
    /// It says which modules there are and uses none (`mod a;`).
    Declaration,
    /// It is gone when the program runs.
    TypeOnly,
    /// Tests, examples, benches, generated and vendored code may import what they like.
    Part,
    /// A facade takes in what stands behind it.
    Facade,
    /// What is imported is no source code that was read: a style sheet, an image, data.
    NoSource,
}

/// The imports of files, as far as they lead to something in the tree.
#[derive(Debug)]
pub struct FileGraph {
    /// Every edge, in the order of files and lines.
    pub edges: Vec<Edge>,
    /// The role of each file, by its id.
    pub roles: Vec<FileRole>,
    /// How many imports of the project's own files lead where.
    pub counts: ImportCounts,
}

/// How many imports lead where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportCounts {
    /// To files and folders of the tree.
    pub inside: usize,
    /// Out of the tree.
    pub outside: usize,
    /// To nothing that could be found.
    pub unresolved: usize,
}

impl FileGraph {
    /// Makes the graph of what the imports lead to.
    pub fn of(tree: &SourceTree<'_>, manifests: &Manifests<'_>, links: &[Link<'_>]) -> Self {
        let mut roles = roles(tree);
        let roots = product_roots(tree, manifests);
        promote(tree, links, &roots, &mut roles);
        demote(tree, links, &roots, &mut roles);
        let mut graph = Self { edges: Vec::with_capacity(links.len()), roles, counts: ImportCounts::default() };
        for link in links {
            let own =
                !matches!(graph.roles[link.from.index()], FileRole::Vendored | FileRole::Generated | FileRole::Fixture);
            let counts = &mut graph.counts;
            let (count, to) = match link.to {
                Resolved::File(file) => (&mut counts.inside, Some(ImportTarget::File(file))),
                Resolved::Folder(folder) => (&mut counts.inside, Some(ImportTarget::Folder(folder))),
                Resolved::External(_) => (&mut counts.outside, None),
                Resolved::Unresolved(_) => (&mut counts.unresolved, None),
            };
            *count += usize::from(own);
            let Some(to) = to else { continue };
            if to == ImportTarget::File(link.from) {
                continue;
            }
            let import = &tree.imports(link.from)[link.import as usize];
            let exempt = exempt(tree, &graph.roles, link.from, to, import);
            graph.edges.push(Edge { from: link.from, to, line: import.line, exempt });
        }
        graph
    }
}

/// Makes production code of files whose paths say that they are for tests, and that the project consists of all the same:
/// its manifests say so, or code of the product uses them.
///
/// In Rust no name makes a file a test: `mod test;` compiles `src/test.rs` into the program. A module that holds test
/// functions and offers nothing to others stays a test, also where `#[cfg(test)]` was forgotten. In other languages
/// runners go by names, and folders such as `fixtures` say nothing of what product code imports. Where a module is imported by
/// its name, `test.js` beside the product is part of it too, if it offers something and imports no runner.
fn promote(tree: &SourceTree<'_>, links: &[Link<'_>], roots: &[FileId], roles: &mut [FileRole]) {
    let is_rust = |file: FileId| Language::of(tree.path(file)) == Some(Language::Rust);
    let holds_tests_alone = |file: FileId| {
        let names = || tree.facts(file).into_iter().flat_map(|facts| facts.names.iter());
        names().any(|name| name.role == Role::Test) && !names().any(|name| name.public && name.role != Role::Test)
    };
    let may_be_product = |from: FileId, to: FileId| match (is_rust(from), is_rust(to)) {
        (true, true) => !holds_tests_alone(to),
        _ => FileRole::of_imported(tree.path(to)).is_production() || is_only_named_as_test(tree, to),
    };
    let mut uses: HashMap<FileId, Vec<FileId>> = HashMap::default();
    for link in links.iter().filter(|link| !tree.imports(link.from)[link.import as usize].test_only) {
        let files = match &link.to {
            Resolved::File(file) => std::slice::from_ref(file),
            Resolved::Folder(folder) => tree.files_in(*folder),
            Resolved::External(_) | Resolved::Unresolved(_) => &[],
        };
        let product = files.iter().filter(|to| roles[to.index()].is_for_tests() && may_be_product(link.from, **to));
        uses.entry(link.from).or_default().extend(product);
    }
    for (from, _) in tree.files() {
        let included = |path: &String| tree.find(&join(parent(tree.path(from)), path)?);
        let files = tree.facts(from).into_iter().flat_map(|facts| facts.includes.iter().filter_map(included));
        uses.entry(from).or_default().extend(files.filter(|file| roles[file.index()].is_for_tests()));
    }
    for role in roots.iter().map(|root| root.index()) {
        if roles[role].is_for_tests() {
            roles[role] = FileRole::Production;
        }
    }
    let mut open: Vec<FileId> = uses.keys().copied().filter(|from| roles[from.index()].is_production()).collect();
    while let Some(from) = open.pop() {
        for to in uses.remove(&from).unwrap_or_default() {
            if !roles[to.index()].is_production() {
                roles[to.index()] = FileRole::Production;
                open.push(to);
            }
        }
    }
}

/// Returns whether nothing but its name makes a module a test: no folder does, it holds none, imports no runner and offers something.
fn is_only_named_as_test(tree: &SourceTree<'_>, file: FileId) -> bool {
    let path = tree.path(file);
    let goes_by_imports =
        Language::of(path).is_some_and(|language| language.is_script() || language == Language::Python);
    let Some(facts) = tree.facts(file).filter(|_| goes_by_imports && FileRole::of_folders(path).is_none()) else {
        return false;
    };
    let runs_tests = facts.imports.iter().any(|import| is_test_package(&import.path));
    let offers = facts.names.iter().any(|name| name.public);
    offers && !runs_tests && !facts.names.iter().any(|name| name.role == Role::Test)
}

/// Makes tests of the modules of Rust that are compiled for tests alone, whatever their names.
fn demote(tree: &SourceTree<'_>, links: &[Link<'_>], roots: &[FileId], roles: &mut [FileRole]) {
    let mut declared: HashMap<FileId, Vec<(FileId, bool)>> = HashMap::default();
    for link in links {
        let import = &tree.imports(link.from)[link.import as usize];
        if let Resolved::File(to) = link.to
            && import.kind == ImportKind::Declaration
        {
            declared.entry(to).or_default().push((link.from, import.test_only));
        }
    }
    declared.retain(|file, _| !roots.contains(file));
    loop {
        let for_tests = |(from, test_only): &(FileId, bool)| *test_only || roles[from.index()].is_for_tests();
        let is_found = |file: &FileId| roles[file.index()].is_production() && declared[file].iter().all(for_tests);
        let found: Vec<FileId> = declared.keys().copied().filter(is_found).collect();
        if found.is_empty() {
            return;
        }
        for file in found {
            roles[file.index()] = FileRole::Test;
        }
    }
}

fn exempt(
    tree: &SourceTree<'_>,
    roles: &[FileRole],
    from: FileId,
    to: ImportTarget,
    import: &Import,
) -> Option<Exempt> {
    match import.kind {
        ImportKind::Declaration => return Some(Exempt::Declaration),
        ImportKind::TypeOnly => return Some(Exempt::TypeOnly),
        ImportKind::Plain | ImportKind::ReExport | ImportKind::Dynamic => {}
    }
    if is_declarations(tree.path(from)) {
        return Some(Exempt::TypeOnly);
    }
    let is_source = |file: &FileId| tree.facts(*file).is_some();
    let (source, production) = match to {
        ImportTarget::File(file) => (is_source(&file), roles[file.index()].is_production()),
        ImportTarget::Folder(folder) => {
            let sources = || tree.files_in(folder).iter().filter(|file| is_source(file));
            // The folder of a package that a build is needed for may hold no source itself.
            let production = sources().next().is_none() || sources().any(|file| roles[file.index()].is_production());
            (true, production)
        }
    };
    if !source {
        return Some(Exempt::NoSource);
    }
    if import.test_only || !roles[from.index()].is_production() || !production {
        return Some(Exempt::Part);
    }
    is_facade_of(tree, from, to, import).then_some(Exempt::Facade)
}

/// Returns whether other files reach what the file imports through it: parents and children of modules know each
/// other, and that says nothing of an order.
fn is_facade_of(tree: &SourceTree<'_>, from: FileId, to: ImportTarget, import: &Import) -> bool {
    let path = tree.path(from);
    let (behind, passes_on) = match file_name(without_ending(path)) {
        "lib" | "mod" | "__init__" | "index" => (parent(path), true),
        "main" => (parent(path), import.kind == ImportKind::ReExport),
        _ => (without_ending(path), import.kind == ImportKind::ReExport),
    };
    let target = match to {
        ImportTarget::File(file) => tree.path(file),
        ImportTarget::Folder(folder) => tree.folder_path(folder),
    };
    passes_on && is_within(target, behind)
}

/// The position of a unit in its graph.
pub type UnitId = usize;

/// A unit and what it consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitNode {
    /// Its path; the root is the empty string.
    pub name: String,
    /// The source files that belong to the project.
    pub files: u32,
    /// Their lines.
    pub lines: u32,
}

/// One import that crosses from one unit into another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Crossing {
    /// The unit that imports.
    pub from: UnitId,
    /// The unit that is imported.
    pub to: UnitId,
    /// The import itself.
    pub edge: Edge,
}

/// The units of a tree and the imports between them, as far as they count.
#[derive(Debug)]
pub struct UnitGraph {
    /// The units, in the order of their names.
    pub units: Vec<UnitNode>,
    /// Every import that crosses and counts.
    pub crossings: Vec<Crossing>,
    /// How many pairs of a file and what it imports go from one unit to another.
    pub flows: BTreeMap<(UnitId, UnitId), u32>,
}

impl UnitGraph {
    /// Gathers the imports of files between the units of a partition.
    pub fn of(tree: &SourceTree<'_>, files: &FileGraph, partition: &Partition) -> Self {
        let mut names: Vec<(&str, u32)> = Vec::new();
        let production = |id: &FileId| tree.facts(*id).is_some() && files.roles[id.index()].is_production();
        for (_, file) in tree.files().filter(|(id, _)| production(id)) {
            names.push((partition.unit_of(file.path), file.facts.map_or(0, |facts| facts.lines)));
        }
        let folders = files.edges.iter().filter(|edge| edge.exempt.is_none()).filter_map(|edge| match edge.to {
            ImportTarget::Folder(folder) => Some(partition.unit_of_folder(tree.folder_path(folder))),
            ImportTarget::File(_) => None,
        });
        let mut units: BTreeMap<&str, (u32, u32)> = folders.map(|name| (name, (0, 0))).collect();
        for (name, lines) in names {
            let (files, total) = units.entry(name).or_default();
            *files += 1;
            *total = total.saturating_add(lines);
        }
        let ids: HashMap<&str, UnitId> = units.keys().enumerate().map(|(id, name)| (*name, id)).collect();
        let nodes = units
            .iter()
            .map(|(name, (files, lines))| UnitNode { name: (*name).to_owned(), files: *files, lines: *lines })
            .collect();
        let mut graph = Self { units: nodes, crossings: Vec::new(), flows: BTreeMap::new() };
        let mut seen = HashSet::new();
        for edge in files.edges.iter().filter(|edge| edge.exempt.is_none()) {
            let from = ids[partition.unit_of(tree.path(edge.from))];
            let to = match edge.to {
                ImportTarget::File(file) => ids[partition.unit_of(tree.path(file))],
                ImportTarget::Folder(folder) => ids[partition.unit_of_folder(tree.folder_path(folder))],
            };
            if from == to {
                continue;
            }
            graph.crossings.push(Crossing { from, to, edge: *edge });
            if seen.insert((edge.from, edge.to)) {
                *graph.flows.entry((from, to)).or_default() += 1;
            }
        }
        graph
    }
}

/// Returns the components that are strongly connected, each with its members in order, components
/// in the order of their first members.
pub fn components(nodes: usize, edges: impl Iterator<Item = (usize, usize)>) -> Vec<Vec<usize>> {
    let mut graph: DiGraph<(), ()> = DiGraph::new();
    for _ in 0..nodes {
        graph.add_node(());
    }
    for (from, to) in edges {
        graph.add_edge(NodeIndex::new(from), NodeIndex::new(to), ());
    }
    // Kosaraju's, because it doesn't recurse: a tree decides how deep a graph is.
    let mut found: Vec<Vec<usize>> = petgraph::algo::kosaraju_scc(&graph)
        .into_iter()
        .map(|component| {
            let mut members: Vec<usize> = component.into_iter().map(NodeIndex::index).collect();
            members.sort_unstable();
            members
        })
        .collect();
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use crate::brief::Analysis;
    use assize_syntax::language::FactsReader;
    use assize_syntax::manifest::wants_text;
    use assize_syntax::tree::{SourceTree, TreeFile};

    /// Returns the paths that are for tests, of a package of Rust with these files.
    fn for_tests(files: &[(&str, &str)]) -> Vec<String> {
        let manifest = ("Cargo.toml", "[package]\nname = \"a\"\n");
        for_tests_of(&[&[manifest], files].concat())
    }

    /// Returns the paths that are for tests, of a tree with these files.
    fn for_tests_of(files: &[(&str, &str)]) -> Vec<String> {
        let mut reader = FactsReader::new();
        let facts: Vec<_> = files.iter().map(|(path, text)| reader.read(path, text)).collect();
        let sources = files.iter().zip(&facts);
        let tree = SourceTree::new(sources.map(|((path, text), facts)| TreeFile {
            path,
            facts: facts.as_ref(),
            schema: None,
            text: wants_text(path).then_some(text),
            lines: None,
        }));
        let analysis = Analysis::of(&tree);
        let files = tree.files().filter(|(id, _)| analysis.roles()[id.index()].is_for_tests());
        files.map(|(_, file)| file.path.to_owned()).collect()
    }

    #[test]
    fn cargo_says_what_the_product_consists_of() {
        let member = |folder: &str, table: &str| {
            let app = format!("[package]\nname = \"app\"\n[{table}]\nm = {{ path = \"../{folder}\" }}\n");
            let (manifest, lib, deep) =
                (format!("{folder}/Cargo.toml"), format!("{folder}/src/lib.rs"), format!("{folder}/src/deep.rs"));
            for_tests_of(&[
                ("Cargo.toml", "[workspace]\nmembers = [\"app\", \"*\"]\n"),
                ("app/Cargo.toml", &app),
                ("app/src/lib.rs", "pub fn a() -> u8 { m::double(1) }\n"),
                (&manifest, "[package]\nname = \"m\"\n"),
                (&lib, "pub mod deep;\n"),
                (&deep, "pub fn double(a: u8) -> u8 { a * 2 }\n"),
            ])
        };
        for folder in ["fixtures", "test", "crates/testdata", "tests/m"] {
            assert_eq!(member(folder, "dependencies"), [format!("{folder}/Cargo.toml")], "{folder}");
            assert_eq!(member(folder, "dev-dependencies").len(), 3, "{folder}");
        }
        let manifest = |path: &str| format!("[package]\nname = \"a\"\n[lib]\npath = \"{path}\"\n");
        for folder in ["tests", "test", "fixtures", "testdata"] {
            let (lib, deep) = (format!("{folder}/lib.rs"), format!("{folder}/calc.rs"));
            let files = [("Cargo.toml", &*manifest(&lib)), (&*lib, "pub mod calc;\n"), (&*deep, "pub fn a() {}\n")];
            assert_eq!(for_tests_of(&files), [""; 0], "{folder}");
        }
        let of_condition = |condition: &str| {
            let root = format!("#[cfg({condition})]\npub mod test;\n");
            for_tests(&[("src/lib.rs", &root), ("src/test.rs", "pub fn a() {}\n")])
        };
        let including =
            |code: &str| for_tests(&[("src/lib.rs", code), ("src/tests/words.txt", ""), ("fixtures/table.rs", "1")]);
        let both = "const A: &str = include_str!(\"tests/words.txt\");\nconst B: u8 = std::include!(\"../fixtures/table.rs\");\n";
        assert_eq!(including(both), [""; 0]);
        assert_eq!(
            including(&format!("#[cfg(test)]\nmod tests {{ {both} }}\n")),
            ["fixtures/table.rs", "src/tests/words.txt"]
        );
        assert_eq!(of_condition("any(test, unix)"), [""; 0]);
        assert_eq!(of_condition("any(test, feature = \"testing\")"), ["src/test.rs"]);
    }

    #[test]
    fn a_module_that_is_only_named_as_a_test_is_product_where_the_product_imports_it() {
        let of_script = |user: &str, name: &str, text: &str| {
            for_tests_of(&[
                ("package.json", "{}"),
                (user, "module.exports = require(\"../lib/test.js\");\n"),
                (name, text),
            ])
        };
        let offering = "exports.double = (number) => number * 2;\n";
        assert_eq!(of_script("src/index.js", "lib/test.js", offering), [""; 0]);
        // Tests alone import it, or it holds some.
        assert_eq!(of_script("test/index.test.js", "lib/test.js", offering).len(), 2);
        assert_eq!(
            of_script("src/index.js", "lib/test.js", &format!("const test = require(\"node:test\");\n{offering}")),
            ["lib/test.js"]
        );
        let of_python = |text: &str| {
            for_tests_of(&[("shop/__init__.py", "from shop.load_test import load\n"), ("shop/load_test.py", text)])
        };
        assert_eq!(of_python("def load():\n    return 1\n"), [""; 0]);
        assert_eq!(
            of_python("def load():\n    return 1\n\n\ndef test_load():\n    assert load()\n"),
            ["shop/load_test.py"]
        );
    }

    #[test]
    fn product_code_that_is_used_is_no_fixture() {
        let core = "def total():\n    return 1\n";
        let of_python = |user: &str| {
            for_tests_of(&[
                (user, "from shop.scenarios import core\n"),
                ("shop/__init__.py", ""),
                ("shop/scenarios/__init__.py", ""),
                ("shop/scenarios/core.py", core),
            ])
        };
        assert!(!of_python("shop/main.py").contains(&"shop/scenarios/core.py".to_owned()));
        assert!(of_python("tests/test_core.py").contains(&"shop/scenarios/core.py".to_owned()));
        let of_script = |manifest: &str| {
            for_tests_of(&[("package.json", manifest), ("snapshots/take.js", "export const a = 1;\n")])
        };
        assert_eq!(of_script(r#"{"name": "a", "exports": {".": {"import": "./snapshots/take.js"}}}"#), [""; 0]);
        assert_eq!(of_script(r#"{"name": "a"}"#), ["snapshots/take.js"]);
        let of_go = |user: &str| {
            let code = "package main\nimport \"m/e2e\"\nvar _ = e2e.Run\n";
            for_tests_of(&[("go.mod", "module m\n"), (user, code), ("e2e/run.go", "package e2e\nfunc Run() {}\n")])
        };
        assert_eq!(of_go("main.go"), [""; 0]);
        assert_eq!(of_go("main_test.go"), ["e2e/run.go", "main_test.go"]);
        let helper =
            [("src/a.js", "import \"../test/fixtures/b.js\";\n"), ("test/fixtures/b.js", "export const a = 1;\n")];
        assert_eq!(for_tests_of(&helper), ["test/fixtures/b.js"], "it lies among tests");
    }

    #[test]
    fn declarations_decide_what_is_a_test_in_rust() {
        let test = "#[test]\nfn a() {}\n";
        let of_root = |root: &str, module: &str| for_tests(&[("src/lib.rs", root), ("src/tests.rs", module)]);
        assert_eq!(of_root("#[cfg(test)]\nmod tests;\n", test), ["src/tests.rs"]);
        assert_eq!(of_root("mod tests;\n", test), ["src/tests.rs"], "no code can use it");
        assert_eq!(of_root("mod tests;\n", &format!("{test}pub fn b() {{}}\n")), [""; 0]);
        assert_eq!(of_root("mod tests;\n", "fn b() {}\n"), [""; 0]);
        assert_eq!(of_root("", "fn b() {}\n"), ["src/tests.rs"], "nothing declares it");

        let support = [
            ("src/lib.rs", "#[cfg(test)]\nmod support;\n"),
            ("src/support.rs", "mod deep;\n"),
            ("src/support/deep.rs", "pub fn same() {}\n"),
        ];
        assert_eq!(for_tests(&support), ["src/support.rs", "src/support/deep.rs"], "whatever it is called");

        let nested = [
            ("src/lib.rs", "mod test;\n"),
            ("src/test.rs", "mod tests;\n#[cfg(test)]\nmod more_tests;\n"),
            ("src/test/tests.rs", "pub fn b() {}\n"),
            ("src/test/more_tests.rs", "use super::c;\n"),
            ("tests/api.rs", "mod tests;\n"),
            ("tests/tests.rs", "pub fn b() {}\n"),
        ];
        assert_eq!(for_tests(&nested), ["src/test/more_tests.rs", "tests/api.rs", "tests/tests.rs"]);
    }
}
