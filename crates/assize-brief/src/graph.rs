//! The graph of imports: of files, and of the units that they make up.
//!
//! It holds what was found and counts it. It must not know what order is wanted.

use std::collections::BTreeMap;

use assize_core::path::{file_name, is_declarations, is_within, parent, without_ending};
use assize_ecosystem::FileRole;
use assize_syntax::facts::{Import, ImportKind};
use assize_syntax::import::{Link, Resolved};
use assize_syntax::tree::{FileId, FolderId, SourceTree};
use foldhash::{HashMap, HashSet, HashSetExt};
use petgraph::graph::{DiGraph, NodeIndex};

use crate::unit::{Partition, parts};

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
    /// The part that each file plays, by its id.
    pub parts: Vec<FileRole>,
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
    pub fn of(tree: &SourceTree<'_>, links: &[Link<'_>]) -> Self {
        let mut graph =
            Self { edges: Vec::with_capacity(links.len()), parts: parts(tree), counts: ImportCounts::default() };
        for link in links {
            let own =
                !matches!(graph.parts[link.from.index()], FileRole::Vendored | FileRole::Generated | FileRole::Fixture);
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
            let exempt = exempt(tree, &graph.parts, link.from, to, import);
            graph.edges.push(Edge { from: link.from, to, line: import.line, exempt });
        }
        graph
    }
}

fn exempt(
    tree: &SourceTree<'_>,
    parts: &[FileRole],
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
        ImportTarget::File(file) => (is_source(&file), parts[file.index()].is_production()),
        ImportTarget::Folder(folder) => {
            let sources = || tree.files_in(folder).iter().filter(|file| is_source(file));
            // The folder of a package that a build is needed for may hold no source itself.
            let production = sources().next().is_none() || sources().any(|file| parts[file.index()].is_production());
            (true, production)
        }
    };
    if !source {
        return Some(Exempt::NoSource);
    }
    if import.test_only || !parts[from.index()].is_production() || !production {
        return Some(Exempt::Part);
    }
    is_facade_of(tree, from, to, import).then_some(Exempt::Facade)
}

/// Returns whether the file is the door to what it imports: parents and children of modules know each
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
        let production = |id: &FileId| tree.facts(*id).is_some() && files.parts[id.index()].is_production();
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
