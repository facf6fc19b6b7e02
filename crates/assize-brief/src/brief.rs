//! The project brief: all that a tree says of itself, in one value.
//!
//! It is made of borrowed facts in one go and depends on nothing else, so that the same tree always
//! gives the same brief, to the byte. [`Analysis`] is the working value; [`Brief`] is what is kept,
//! shown and handed on.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use assize_core::envelope::VERSION;
use assize_ecosystem::FileRole;
use assize_syntax::import::{Link, Resolved, is_standard, resolve};
use assize_syntax::manifest::Manifests;
use assize_syntax::schema_type::SchemaFile;
use assize_syntax::tree::{FILES_MAX, FileId, IMPORTS_PER_FILE_MAX, SourceTree};
use serde::{Deserialize, Serialize};

use crate::boundary::{Boundaries, Boundary, Break, Cycle, NewCycle, PAIRS_LISTED_MAX, new_breaks};
use crate::capability::{Capabilities, capabilities};
use crate::glossary::{Glossary, TERMS_MAX};
use crate::graph::{FileGraph, UnitGraph, UnitId};
use crate::naming::Convention;
use crate::public::{PUBLIC_NAMES_MAX, PublicNames, public_names};
use crate::relevance::{ChangeHistory, RelevantFile, relevant_files};
use crate::tally::{CountedFor, NameTally};
use crate::unit::{Partition, UNITS_MAX};

/// The version of the brief's form. It changes when a reader of the old form would misread the new.
pub const BRIEF_VERSION: u32 = 1;

/// The most dependencies that are listed.
pub const DEPENDENCIES_MAX: usize = 200;

/// The most schema types that are kept, over all files.
pub const SCHEMA_TYPES_MAX: usize = 5_000;

/// The most files that are named for one limit.
pub const LIMIT_FILES_MAX: usize = 10;

/// What a source tree says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Brief {
    /// [`BRIEF_VERSION`].
    pub brief: u32,
    /// How much there is.
    pub summary: ProjectSummary,
    /// What was left out, and why.
    pub limits: Vec<ReachedLimit>,
    /// What the project works with.
    pub capabilities: Capabilities,
    /// What it depends on, the most used first; what comes with the language is left out.
    pub dependencies: Vec<Dependency>,
    /// How it hangs together.
    pub structure: Structure,
    /// How its names are written.
    pub naming: Vec<Convention>,
    /// The words of its domain.
    pub glossary: Glossary,
    /// The types of its schemas, by file.
    pub schema_types: Vec<SchemaSource>,
    /// What it offers to others.
    pub public_names: PublicNames,
}

/// A brief as it is printed: the version of the outer contract, and beside it all that the brief holds.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BriefEnvelope<'a> {
    /// The version of the envelope, 1.
    pub assize: u32,
    /// What the tree says of itself.
    #[serde(flatten)]
    pub brief: Cow<'a, Brief>,
}

impl<'a> BriefEnvelope<'a> {
    /// Puts a brief into an envelope.
    pub fn of(brief: &'a Brief) -> Self {
        Self { assize: 1, brief: Cow::Borrowed(brief) }
    }
}

/// What `assize brief --imports` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImportsDocument<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// Every import, in the order of files and lines.
    pub imports: &'a [ResolvedImport],
}

impl<'a> ImportsDocument<'a> {
    /// Makes the document of these imports.
    pub fn of(imports: &'a [ResolvedImport]) -> Self {
        Self { assize: VERSION, imports }
    }
}

/// What `assize brief --for-prompt` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PromptBrief {
    /// The version of this shape: 1.
    pub assize: u32,
    /// Most tokens that the text may have.
    pub tokens_max: usize,
    /// The best part of the brief that fits.
    pub text: String,
}

impl PromptBrief {
    /// Makes the document of such a text.
    pub fn of(tokens_max: usize, text: String) -> Self {
        Self { assize: VERSION, tokens_max, text }
    }
}

/// A schema and the types that it declares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SchemaSource {
    /// The file.
    pub path: String,
    /// What it declares.
    #[serde(flatten)]
    pub file: SchemaFile,
}

/// How much there is of a project.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProjectSummary {
    /// All files.
    pub files: u32,
    /// Files of source code that were read.
    pub source_files: u32,
    /// Their lines.
    pub source_lines: u32,
    /// Tests among these files.
    pub test_files: u32,
    /// Generated and vendored ones among them.
    pub foreign_files: u32,
    /// Files whose grammar found errors, fixtures left out.
    pub files_with_errors: u32,
    /// Imports that lead to the tree.
    pub imports_inside: u32,
    /// Imports that lead out of it.
    pub imports_outside: u32,
    /// Imports that lead to nothing that could be found.
    pub imports_unresolved: u32,
}

/// A limit that was reached.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReachedLimit {
    /// What was left out, and the limit that it is beyond.
    pub message: String,
    /// How much was left out.
    pub left_out: u32,
    /// Some of the files that it is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// Something outside of the tree that it imports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Dependency {
    /// The name of the crate, package or module.
    pub name: String,
    /// The files that import it.
    pub files: u32,
}

/// How a project hangs together.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Structure {
    /// How the tree is divided into units.
    pub partition: Partition,
    /// The units, in the order of their names.
    pub units: Vec<Unit>,
    /// The imports between units, in the order of their names.
    pub flows: Vec<Flow>,
    /// The layers, the lowest first.
    pub layers: Vec<Layer>,
    /// The boundaries that are enforced.
    pub boundaries: Vec<Boundary>,
    /// Flows that go against a boundary all the same.
    pub exceptions: Vec<Flow>,
    /// The cycles between units.
    pub cycles: Vec<Cycle>,
}

/// A unit of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unit {
    /// Its path; the root is the empty text.
    pub name: String,
    /// Its files, without tests.
    pub files: u32,
    /// Their lines.
    pub lines: u32,
}

/// Imports from one unit to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Flow {
    /// The unit that imports.
    pub from: String,
    /// The unit that is imported.
    pub to: String,
    /// How many pairs of a file and what it imports there are.
    pub imports: u32,
}

/// Units that stand on one level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Layer {
    /// The level. What imports nothing stands on level 0.
    pub level: u32,
    /// The units, in the order of their names.
    pub units: Vec<String>,
}

/// An import and its destination, for programs that follow imports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResolvedImport {
    /// The file that imports.
    pub path: String,
    /// The line of the import.
    pub line: u32,
    /// The import as it is written: its path, and the names that are taken out of it.
    pub import: String,
    /// How it ends.
    pub end: ImportDestination,
    /// The file or folder of the tree, the name of what lies outside, or why nothing could be found.
    pub to: String,
}

/// How an import ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ImportDestination {
    /// At a file of the tree.
    File,
    /// At a folder of the tree, as a whole.
    Folder,
    /// Outside of the tree.
    Outside,
    /// Nowhere that could be found.
    Nowhere,
}

/// What a change does to the structure of a project.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StructureChanges {
    /// Imports over boundaries that the base has not.
    pub breaks: Vec<Break>,
    /// Cycles between units that had none.
    pub cycles: Vec<NewCycle>,
}

/// All that is worked out of a tree on the way to its brief.
#[derive(Debug)]
pub struct Analysis<'t, 'a> {
    tree: &'t SourceTree<'a>,
    manifests: Manifests<'a>,
    links: Vec<Link<'a>>,
    files: FileGraph,
    partition: Partition,
    units: UnitGraph,
    boundaries: Boundaries,
}

impl<'t, 'a> Analysis<'t, 'a> {
    /// Works out how a tree hangs together.
    pub fn of(tree: &'t SourceTree<'a>) -> Self {
        let manifests = Manifests::read(tree);
        let links = resolve(tree, &manifests);
        let files = FileGraph::of(tree, &manifests, &links);
        let partition = Partition::of(tree, &files.roles);
        let units = UnitGraph::of(tree, &files, &partition);
        let boundaries = Boundaries::infer(&units);
        Self { tree, manifests, links, files, partition, units, boundaries }
    }

    /// Returns what every import leads to.
    pub fn links(&self) -> &[Link<'a>] {
        &self.links
    }

    /// Returns every import with what it leads to, in the order of files and lines.
    pub fn followed(&self) -> Vec<ResolvedImport> {
        let follow = |link: &Link<'_>| {
            let import = &self.tree.imports(link.from)[link.import as usize];
            let (end, to) = match link.to {
                Resolved::File(file) => (ImportDestination::File, self.tree.path(file)),
                Resolved::Folder(folder) => (ImportDestination::Folder, self.tree.folder_path(folder)),
                Resolved::External(name) => (ImportDestination::Outside, name),
                Resolved::Unresolved(reason) => (ImportDestination::Nowhere, reason.words()),
            };
            let names =
                if import.names.is_empty() { String::new() } else { format!(" {{{}}}", import.names.join(", ")) };
            ResolvedImport {
                path: self.tree.path(link.from).to_owned(),
                line: import.line,
                import: format!("{}{names}", import.path),
                end,
                to: to.to_owned(),
            }
        };
        self.links.iter().map(follow).collect()
    }

    /// Returns the imports of files.
    pub fn files(&self) -> &FileGraph {
        &self.files
    }

    /// Ranks the files for a task; see [`crate::relevance`].
    pub fn relevant_files(&self, history: &ChangeHistory, task: &str) -> Vec<RelevantFile> {
        relevant_files(self.tree, &self.files, history, task)
    }

    /// Returns the role of each file, by its id.
    pub fn roles(&self) -> &[FileRole] {
        &self.files.roles
    }

    /// Returns the units and the imports between them.
    pub fn units(&self) -> &UnitGraph {
        &self.units
    }

    /// Returns the boundaries of the tree.
    pub fn boundaries(&self) -> &Boundaries {
        &self.boundaries
    }

    /// Finds the imports that go over the boundaries of a base, those that the base has itself included.
    pub fn breaks(&self, base: &Structure) -> Vec<Break> {
        let units = UnitGraph::of(self.tree, &self.files, &base.partition);
        base.boundaries().breaks(self.tree, &units)
    }

    /// Says what a change from a base to this tree does to the structure.
    pub fn changes_since(&self, base: &Analysis<'_, '_>) -> StructureChanges {
        let before = base.boundaries.breaks(base.tree, &base.units);
        let units = UnitGraph::of(self.tree, &self.files, &base.partition);
        StructureChanges {
            breaks: new_breaks(&before, base.boundaries.breaks(self.tree, &units)),
            cycles: base.boundaries.new_cycles(self.tree, &units),
        }
    }

    /// Returns the structure in the form in which it is kept.
    pub fn structure(&self) -> Structure {
        let name = |unit: UnitId| self.units.units[unit].name.clone();
        let flow =
            |(&(from, to), &imports): (&(UnitId, UnitId), &u32)| Flow { from: name(from), to: name(to), imports };
        let order = self.boundaries.order();
        let mut layers: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for unit in 0..self.units.units.len() {
            layers.entry(order.layer(unit)).or_default().push(name(unit));
        }
        let unit =
            |unit: &crate::graph::UnitNode| Unit { name: unit.name.clone(), files: unit.files, lines: unit.lines };
        Structure {
            partition: self.partition.clone(),
            units: self.units.units.iter().map(unit).collect(),
            flows: self.units.flows.iter().map(flow).collect(),
            layers: layers.into_iter().map(|(level, units)| Layer { level: level as u32, units }).collect(),
            boundaries: self.boundaries.list(),
            exceptions: self
                .units
                .flows
                .iter()
                .filter(|(pair, _)| order.exceptions.contains(*pair))
                .map(flow)
                .collect(),
            cycles: self.boundaries.cycles(),
        }
    }

    /// Makes the brief.
    pub fn brief(&self) -> Brief {
        let mut tally = NameTally::default();
        for (id, file) in self.tree.files() {
            if let Some(facts) = file.facts {
                tally.add(file.path, facts, CountedFor::of(self.role(id)));
            }
        }
        self.brief_of(&tally)
    }

    /// Makes the brief with names that are counted already: those of this very tree.
    pub fn brief_of(&self, tally: &NameTally) -> Brief {
        let (naming, glossary) = tally.words();
        let structure = self.structure();
        let offers = |part: FileRole| matches!(part, FileRole::Production);
        let files = self.tree.files().filter(|(id, _)| offers(self.role(*id)));
        let public_names = public_names(files.filter_map(|(_, file)| Some((file.path, file.facts?))));
        let (summary, unread) = self.summary();
        let mut limits = self.limits(&structure, &glossary, &public_names);
        limits.extend(unread);
        let (schema_types, schemas_left_out) = self.schema_types();
        limits.extend(schemas_left_out);
        Brief {
            brief: BRIEF_VERSION,
            summary,
            limits,
            capabilities: capabilities(self.tree, &self.manifests, &self.files.roles),
            dependencies: self.dependencies(),
            structure,
            naming,
            glossary,
            schema_types,
            public_names,
        }
    }

    /// Gathers the types of schemas, file by file, as many as are kept.
    fn schema_types(&self) -> (Vec<SchemaSource>, Option<ReachedLimit>) {
        let mut sources = Vec::new();
        let (mut kept, mut left_out) = (0, 0);
        let foreign = |part: FileRole| matches!(part, FileRole::Vendored | FileRole::Fixture);
        for (id, file) in self.tree.files().filter(|(id, _)| !foreign(self.role(*id))) {
            let Some(schema) = file.schema else { continue };
            let mut schema = schema.clone();
            let room = SCHEMA_TYPES_MAX - kept;
            left_out += schema.types.len().saturating_sub(room);
            schema.types.truncate(room);
            kept += schema.types.len();
            sources.push(SchemaSource { path: self.tree.path(id).to_owned(), file: schema });
        }
        let limit = (left_out > 0).then(|| ReachedLimit {
            message: format!("schema types beyond the first {SCHEMA_TYPES_MAX}"),
            left_out: left_out as u32,
            files: Vec::new(),
        });
        (sources, limit)
    }

    fn role(&self, file: FileId) -> FileRole {
        self.files.roles[file.index()]
    }

    fn summary(&self) -> (ProjectSummary, Vec<ReachedLimit>) {
        let mut summary = ProjectSummary {
            files: self.tree.len() as u32,
            imports_inside: self.files.counts.inside as u32,
            imports_outside: self.files.counts.outside as u32,
            imports_unresolved: self.files.counts.unresolved as u32,
            ..ProjectSummary::default()
        };
        let mut passed_over: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut unparsed: Vec<&str> = Vec::new();
        for (id, file) in self.tree.files() {
            let Some(facts) = file.facts else { continue };
            let role = self.role(id);
            summary.source_files += 1;
            summary.source_lines = summary.source_lines.saturating_add(facts.lines);
            summary.test_files += u32::from(role == FileRole::Test);
            summary.foreign_files += u32::from(matches!(role, FileRole::Generated | FileRole::Vendored));
            summary.files_with_errors += u32::from(facts.has_errors && role != FileRole::Fixture);
            if let Some(why) = facts.passed_over {
                passed_over.entry(why.words()).or_default().push(file.path);
            } else if facts.has_errors && role != FileRole::Fixture {
                unparsed.push(file.path);
            }
        }
        let limit = |message: String, files: &[&str]| ReachedLimit {
            message,
            left_out: files.len() as u32,
            files: files.iter().take(LIMIT_FILES_MAX).map(|path| (*path).to_owned()).collect(),
        };
        let lines_alone = |(why, files): (&str, Vec<&str>)| {
            limit(format!("source files of which only the lines were counted: {why}"), &files)
        };
        let mut limits: Vec<ReachedLimit> = passed_over.into_iter().map(lines_alone).collect();
        if !unparsed.is_empty() {
            let message = "source files of which a part could not be parsed; what stands there is not counted";
            limits.push(limit(message.to_owned(), &unparsed));
        }
        (summary, limits)
    }

    fn limits(&self, structure: &Structure, glossary: &Glossary, public_names: &PublicNames) -> Vec<ReachedLimit> {
        let mut limits = Vec::new();
        let mut note = |left_out: usize, message: String| {
            if left_out > 0 {
                limits.push(ReachedLimit { message, left_out: left_out as u32, files: Vec::new() });
            }
        };
        note(self.tree.left_out(), format!("files beyond the first {FILES_MAX}"));
        note(self.tree.odd_paths(), "files whose paths cannot be those of a tree".to_owned());
        let crowded = self.tree.files().filter_map(|(_, file)| file.facts);
        let beyond: usize = crowded.map(|facts| facts.imports.len().saturating_sub(IMPORTS_PER_FILE_MAX)).sum();
        note(beyond, format!("imports beyond the first {IMPORTS_PER_FILE_MAX} of a file"));
        note(
            usize::from(structure.partition.limited),
            format!("units would be finer, but there would be more than {UNITS_MAX}"),
        );
        let pairs = self.boundaries.pairs_enforced();
        note(
            pairs.saturating_sub(PAIRS_LISTED_MAX),
            format!("boundaries of pairs beyond the {PAIRS_LISTED_MAX} surest are enforced but not listed"),
        );
        note(glossary.terms_left_out, format!("terms beyond the {TERMS_MAX} heaviest"));
        note(
            public_names.total.saturating_sub(public_names.names.len()),
            format!("public names beyond the first {PUBLIC_NAMES_MAX}"),
        );
        limits.extend(self.manifests.unread.iter().map(|unread| ReachedLimit {
            message: format!("a manifest that could not be read: {}", unread.message),
            left_out: 1,
            files: vec![unread.path.clone()],
        }));
        limits
    }

    fn dependencies(&self) -> Vec<Dependency> {
        let mut importers: BTreeMap<&str, BTreeSet<FileId>> = BTreeMap::new();
        for link in &self.links {
            let counts = !matches!(self.role(link.from), FileRole::Vendored | FileRole::Generated | FileRole::Fixture);
            if let Resolved::External(name) = link.to
                && counts
                && !is_standard(self.tree.path(link.from), name)
            {
                importers.entry(name).or_default().insert(link.from);
            }
        }
        let mut found: Vec<Dependency> = importers
            .into_iter()
            .map(|(name, files)| Dependency { name: name.to_owned(), files: files.len() as u32 })
            .collect();
        found.sort_by(|one, other| other.files.cmp(&one.files).then_with(|| one.name.cmp(&other.name)));
        found.truncate(DEPENDENCIES_MAX);
        found
    }
}

impl Brief {
    /// Makes the brief of a tree.
    pub fn of(tree: &SourceTree<'_>) -> Self {
        Analysis::of(tree).brief()
    }
}

impl Structure {
    /// Returns the boundaries that were inferred with this structure, all of them.
    pub fn boundaries(&self) -> Boundaries {
        let names: Vec<String> = self.units.iter().map(|unit| unit.name.clone()).collect();
        let ids: BTreeMap<&str, UnitId> = names.iter().enumerate().map(|(id, name)| (name.as_str(), id)).collect();
        let flow = |flow: &Flow| Some(((*ids.get(flow.from.as_str())?, *ids.get(flow.to.as_str())?), flow.imports));
        let flows = self.flows.iter().filter_map(flow).collect();
        Boundaries::of_flows(names, flows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_syntax::testing::{TestProject, shop};
    use assize_syntax::tree::TreeFile;

    fn brief(files: Vec<(String, String)>) -> Brief {
        Brief::of(&TestProject::read(files).tree())
    }

    #[test]
    fn the_same_tree_gives_the_same_brief() {
        let mut turned = shop();
        turned.reverse();
        let json = |brief: &Brief| serde_json::to_string(brief).expect("a brief is JSON");
        let (one, other) = (brief(shop()), brief(turned));
        assert_eq!(json(&one), json(&other));
        assert_eq!(serde_json::from_str::<Brief>(&json(&one)).expect("it reads back"), one);
    }

    #[test]
    fn the_brief_holds_what_the_tree_says() {
        let brief = brief(shop());
        let summary = &brief.summary;
        assert_eq!((summary.files, summary.source_files, summary.test_files), (22, 19, 1));
        assert_eq!(summary.imports_unresolved, 0);
        assert_eq!(brief.dependencies, [Dependency { name: "requests".into(), files: 1 }]);
        let layers: Vec<String> = brief.structure.layers.iter().map(|layer| layer.units.join(" ")).collect();
        assert_eq!(layers, ["src/shop/__init__ src/shop/text", "src/shop/cart", "src/shop/web"]);
        assert_eq!(brief.schema_types[0].path, "api/order.proto");
        assert_eq!(brief.schema_types[0].file.types[0].name, "Order");
        assert!(brief.glossary.terms.iter().any(|term| term.text == "page"), "{:?}", brief.glossary);
        assert!(!brief.naming.is_empty() && !brief.public_names.names.is_empty());
        assert_eq!(brief.limits, []);
    }

    #[cfg(feature = "schema")]
    #[test]
    fn the_brief_has_a_schema() {
        let schema = serde_json::to_value(schemars::schema_for!(Brief)).expect("a schema is JSON");
        let properties = schema["properties"].as_object().expect("it has properties");
        for name in ["brief", "summary", "limits", "capabilities", "structure", "naming", "glossary", "schema_types"] {
            assert!(properties.contains_key(name), "{name}");
        }
    }

    #[test]
    fn imports_can_be_followed_one_by_one() {
        let files = [
            ("a/__init__.py", ""),
            ("a/b.py", "import requests\nfrom . import c\nfrom .gone import d\n"),
            ("a/c.py", ""),
        ];
        let project = TestProject::read(files.map(|(path, text)| (path.to_owned(), text.to_owned())).into());
        let tree = project.tree();
        let followed = Analysis::of(&tree).followed();
        let shown: Vec<String> =
            followed.iter().map(|it| format!("{}:{} {} {:?} {}", it.path, it.line, it.import, it.end, it.to)).collect();
        assert_eq!(
            shown,
            [
                "a/b.py:1 requests Outside requests",
                "a/b.py:2 . {c} File a/c.py",
                "a/b.py:3 .gone {d} Nowhere no such module"
            ]
        );
    }

    #[test]
    fn limits_are_stated() {
        let minified = format!("var a = [{}];", "1,".repeat(2_000));
        let mut files = shop();
        files.push(("web/app.js".into(), minified));
        files.push(("web/package.json".into(), "{".into()));
        files.push(("src/broken.py".into(), "def a(:\n".into()));
        files.push(("tests/fixtures/broken.py".into(), "def a(:\n".into()));
        let found = brief(files);
        let limits = found.limits;
        let shown: Vec<String> = limits.iter().map(|limit| format!("{} {:?}", limit.left_out, limit.files)).collect();
        assert_eq!(shown, ["1 [\"web/package.json\"]", "1 [\"web/app.js\"]", "1 [\"src/broken.py\"]"]);
        assert_eq!(found.summary.files_with_errors, 1);
        assert!(limits[2].message.contains("could not be parsed"));
        assert!(limits[0].message.starts_with("a manifest that could not be read: "));
        assert!(limits[1].message.ends_with("minified"));
    }

    #[test]
    fn few_files_are_named_for_a_limit() {
        for (count, named) in [(LIMIT_FILES_MAX, LIMIT_FILES_MAX), (LIMIT_FILES_MAX + 1, LIMIT_FILES_MAX)] {
            let minified = format!("var a = [{}];", "1,".repeat(2_000));
            let limits = brief((0..count).map(|number| (format!("{number}.js"), minified.clone())).collect()).limits;
            assert_eq!((limits[0].left_out as usize, limits[0].files.len()), (count, named));
        }
    }

    #[test]
    fn schema_types_are_limited() {
        let declared: String =
            (0..SCHEMA_TYPES_MAX / 4 + 1).map(|number| format!("message M{number} {{}}\n")).collect();
        let files = |count: usize| (0..count).map(|number| (format!("{number}.proto"), declared.clone())).collect();
        let at = brief(files(3));
        let past = brief(files(4));
        assert_eq!(at.limits, []);
        let kept: usize = past.schema_types.iter().map(|source| source.file.types.len()).sum();
        assert_eq!((kept, past.limits[0].left_out), (SCHEMA_TYPES_MAX, 4));
    }

    #[test]
    fn dependencies_are_limited() {
        let text = |count: usize| (0..count).map(|number| format!("import lib{number:04}\n")).collect::<String>();
        for (count, kept) in [(DEPENDENCIES_MAX, DEPENDENCIES_MAX), (DEPENDENCIES_MAX + 1, DEPENDENCIES_MAX)] {
            assert_eq!(brief(vec![("a.py".into(), text(count))]).dependencies.len(), kept);
        }
    }

    #[test]
    fn what_a_change_breaks_is_found_from_the_kept_form_as_well() {
        let base = TestProject::read(shop());
        let mut files = shop();
        files.push(("src/shop/text/new.py".into(), "\nfrom shop.web.page3 import open_page\n".into()));
        let changed = TestProject::read(files);
        let (base_tree, changed_tree) = (base.tree(), changed.tree());
        let (base, changed) = (Analysis::of(&base_tree), Analysis::of(&changed_tree));
        let changes = changed.changes_since(&base);
        let places: Vec<String> =
            changes.breaks.iter().map(|found| format!("{}:{} {}", found.path, found.line, found.to)).collect();
        assert_eq!(places, ["src/shop/text/new.py:2 src/shop/web"]);
        assert_eq!(changes.cycles.len(), 1);
        let kept = serde_json::to_string(&base.brief()).expect("a brief is JSON");
        let kept: Brief = serde_json::from_str(&kept).expect("it reads back");
        assert_eq!(changed.breaks(&kept.structure), changes.breaks);
        assert_eq!(base.breaks(&kept.structure), []);
    }

    #[test]
    fn fixtures_say_nothing_of_the_project() {
        let mut files = shop();
        files.push(("tests/fixtures/app/BadNames.py".into(), "import gone\nfrom . import missing\n".into()));
        files.push(("tests/cases/1/package.json".into(), "{}".into()));
        files.push(("tests/cases/1/src/a.js".into(), "import {a} from './gone'\n".into()));
        // One of a corpus that has no manifest of its own.
        files.push(("tests/cases/2/src/b.js".into(), "import {b} from 'gone'\n".into()));
        let (with, without) = (brief(files), brief(shop()));
        assert_eq!(
            (&with.naming, &with.glossary, &with.dependencies),
            (&without.naming, &without.glossary, &without.dependencies)
        );
        assert_eq!(with.summary.imports_unresolved, 0);
        assert_eq!(with.structure, without.structure);
    }

    #[test]
    fn what_a_compiler_wrote_beside_its_maps_is_not_the_project() {
        let files = [
            ("src/a.ts", "export function readPage() {}\n"),
            ("build/a.js", "export function readPage() {}\n"),
            ("build/a.js.map", "{}"),
            ("build/a.d.ts", "export declare function readPage(): void;\n"),
            ("build/own.js", "export function writeAll() {}\n"),
        ];
        let brief = brief(files.map(|(path, text)| (path.to_owned(), text.to_owned())).into());
        let offered: Vec<&str> = brief.public_names.names.iter().map(|name| name.path.as_str()).collect();
        assert_eq!((offered, brief.summary.foreign_files), (vec!["build/own.js", "src/a.ts"], 2));
    }

    #[test]
    fn tests_beside_a_project_that_they_read_stay_tests() {
        let files = [
            ("tests/unit/test_a.py", "import pytest\n"),
            ("tests/unit/data/app/setup.py", "import gone\n"),
            ("tests/unit/data/other/b.py", "import gone\n"),
        ];
        let brief = brief(files.map(|(path, text)| (path.to_owned(), text.to_owned())).into());
        assert_eq!(brief.dependencies, [Dependency { name: "pytest".into(), files: 1 }]);
        assert_eq!(brief.summary.test_files, 1);
    }

    #[test]
    fn an_empty_tree_has_a_brief() {
        let brief = Brief::of(&SourceTree::new([TreeFile { path: "README.md", ..TreeFile::default() }]));
        assert_eq!((brief.summary.files, brief.summary.source_files), (1, 0));
        assert_eq!(brief.structure.units, []);
    }
}
