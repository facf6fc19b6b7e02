//! Units: the parts of a tree between which layers and boundaries are looked for.
//!
//! A unit is a folder or a file, given by its path, so that the units of one tree can be found again
//! in another. Go and Java have packages. Elsewhere it begins with projects (a crate, a package with
//! a manifest) and goes deeper where one part holds much of the whole.

use std::collections::BTreeSet;

use assize_core::path::{file_name, folders_above, is_within, parent, without_ending};
use assize_ecosystem::{FileRole, is_project_file, is_script, is_tried_or_copied};
use assize_syntax::facts::SkipReason;
use assize_syntax::tree::{FileId, SourceTree};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};
use serde::{Deserialize, Serialize};

/// The most units of a tree.
pub const UNITS_MAX: usize = 1_000;

/// A unit with folders in it is divided when it holds more of the source files than this.
pub const SPLIT_SHARE_MIN: f64 = 0.25;

/// A folder of nothing but files is divided only when it holds more of the source files than this.
pub const FLAT_SPLIT_SHARE_MIN: f64 = 0.8;

/// As long as there are fewer units than this, the largest with folders in it is divided.
pub const UNITS_WANTED: usize = 8;

/// A unit of fewer files is not divided.
pub const SPLIT_FILES_MIN: usize = 4;

/// A part that holds more of a divided unit than this is divided with it.
const TRUNK_SHARE_MIN: f64 = 0.8;

/// How a tree is divided into units.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Partition {
    /// The folders of projects; everything outside of them belongs to the root, the empty path.
    pub projects: BTreeSet<String>,
    /// The folders that are divided: what stands in them are units of their own.
    pub divided: BTreeSet<String>,
    /// Whether [`UNITS_MAX`] kept a unit from being divided.
    #[serde(default)]
    pub limited: bool,
}

/// Returns whether files of this language belong to the package that their folder is.
fn has_packages(path: &str) -> bool {
    path.ends_with(".go") || path.ends_with(".java")
}

/// Returns whether a compiler wrote the script: it has put a map to the sources beside it. Declarations go with the
/// script that they are of.
fn is_compiled(tree: &SourceTree<'_>, path: &str) -> bool {
    let has_map = |path: &str| tree.find(&format!("{path}.map")).is_some();
    let declared = [(".d.ts", ".js"), (".d.mts", ".mjs"), (".d.cts", ".cjs")].into_iter();
    let of_script = declared.filter_map(|(ending, script)| Some(format!("{}{script}", path.strip_suffix(ending)?)));
    has_map(path) || of_script.into_iter().any(|script| has_map(&script))
}

fn is_in_tests(folder: &str) -> bool {
    !folder.is_empty() && FileRole::of(folder) == FileRole::Test
}

/// Finds the folders of tests that hold projects: what the tests are about. It is each project, and the folders around
/// it that hold nothing but folders: of a corpus of projects some may lack their manifest.
fn corpora<'a>(tree: &SourceTree<'a>) -> HashSet<&'a str> {
    let holds_source = |folder: &str| {
        let files = tree.find_folder(folder).into_iter().flat_map(|id| tree.files_in(id));
        files.into_iter().any(|file| tree.facts(*file).is_some())
    };
    let mut found = HashSet::new();
    for (_, file) in tree.files().filter(|(_, file)| is_project_file(file.path)) {
        let mut around = folders_above(file.path).take_while(|folder| is_in_tests(folder));
        found.extend(around.next());
        found.extend(around.take_while(|folder| !holds_source(folder)));
    }
    found
}

/// Finds the folders of packages that are there to try the project, or to be copied.
fn tried_or_copied<'a>(tree: &SourceTree<'a>) -> HashSet<&'a str> {
    let projects = tree.files().filter(|(_, file)| is_project_file(file.path));
    let around = projects.flat_map(|(_, file)| folders_above(file.path));
    around.filter(|folder| is_tried_or_copied(file_name(folder))).collect()
}

/// Tells the role of every file, by its path, by what it says of itself, and by the manifests
/// around it: a project within tests is what the tests are about.
pub fn roles(tree: &SourceTree<'_>) -> Vec<FileRole> {
    let (corpora, aside) = (corpora(tree), tried_or_copied(tree));
    let is_aside = |path: &str| !aside.is_empty() && folders_above(path).any(|folder| aside.contains(folder));
    let mut fixtures: HashMap<&str, bool> = HashMap::new();
    let role = |(id, file): (FileId, &assize_syntax::tree::TreeFile<'_>)| {
        let passed_over = tree.facts(id).and_then(|facts| facts.passed_over);
        if matches!(passed_over, Some(SkipReason::Generated | SkipReason::Minified)) {
            return FileRole::Generated;
        }
        let role = FileRole::of(file.path);
        if is_script(file.path) && is_compiled(tree, file.path) {
            return if role == FileRole::Vendored { role } else { FileRole::Generated };
        }
        if role != FileRole::Test {
            let is_own = matches!(role, FileRole::Production | FileRole::Tooling);
            return if is_own && is_aside(file.path) { FileRole::Example } else { role };
        }
        let folder = parent(tree.path(id));
        let within = fixtures.entry(folder).or_insert_with(|| {
            let around = std::iter::once(folder).chain(folders_above(folder));
            around.take_while(|folder| is_in_tests(folder)).any(|folder| corpora.contains(folder))
        });
        if *within { FileRole::Fixture } else { role }
    };
    tree.files().map(role).collect()
}

impl Partition {
    /// Divides a tree by the source files that the project consists of.
    pub fn of(tree: &SourceTree<'_>, roles: &[FileRole]) -> Self {
        let counted = |file: &FileId| roles[file.index()].is_production();
        let sources: Vec<&str> =
            tree.files().filter(|(id, file)| file.facts.is_some() && counted(id)).map(|(_, file)| file.path).collect();
        let mut partition = Self::default();
        for (id, file) in tree.files() {
            if is_project_file(file.path) && roles[id.index()].is_production() {
                partition.projects.insert(parent(file.path).to_owned());
            }
        }
        partition.divide_packages(&sources);
        partition.divide_by_share(&sources);
        partition
    }

    /// Makes every package of Go and Java a unit, unless there are too many.
    fn divide_packages(&mut self, sources: &[&str]) {
        let packages: BTreeSet<&str> =
            sources.iter().filter(|path| has_packages(path)).map(|path| parent(path)).collect();
        if packages.len() > UNITS_MAX / 2 {
            self.limited = true;
            return;
        }
        for package in packages {
            let project = self.project_of(package);
            let between = std::iter::once(package).chain(folders_above(package));
            let folders: Vec<String> =
                between.take_while(|folder| is_within(folder, project)).map(str::to_owned).collect();
            self.divided.extend(folders);
        }
    }

    fn divide_by_share(&mut self, sources: &[&str]) {
        let mut units: HashMap<&str, Vec<&str>> = HashMap::new();
        for path in sources {
            units.entry(self.unit_of(path)).or_default().push(path);
        }
        loop {
            let few = units.len() < UNITS_WANTED;
            let divisible = units.iter().filter(|(unit, files)| is_divisible(unit, files, sources.len(), few));
            // The largest first; of equal ones the first by name, so that the order is always the same.
            let largest = divisible.max_by_key(|(unit, files)| (files.len(), std::cmp::Reverse(**unit)));
            let Some(unit) = largest.map(|(unit, _)| *unit) else { return };
            if !self.divide(unit, &mut units, sources.len()) {
                return;
            }
        }
    }

    /// Divides a unit, and the part of it that holds nearly all. Says whether the limit allowed it.
    fn divide<'a>(&mut self, unit: &'a str, units: &mut HashMap<&'a str, Vec<&'a str>>, all: usize) -> bool {
        let mut open = vec![unit];
        while let Some(unit) = open.pop() {
            let files = units.remove(unit).unwrap_or_default();
            self.divided.insert(unit.to_owned());
            let mut children: HashMap<&str, Vec<&str>> = HashMap::new();
            for path in &files {
                children.entry(self.unit_of(path)).or_default().push(path);
            }
            if units.len() + children.len() > UNITS_MAX {
                self.divided.remove(unit);
                units.insert(unit, files);
                self.limited = true;
                return false;
            }
            let trunk = files.len() as f64 * TRUNK_SHARE_MIN;
            for (child, files) in children {
                if files.len() as f64 > trunk && is_divisible(child, &files, all, true) {
                    open.push(child);
                }
                units.entry(child).or_default().extend(files);
            }
        }
        true
    }

    /// Returns the folder of the project that a path belongs to.
    fn project_of<'p>(&self, path: &'p str) -> &'p str {
        let mut folders = std::iter::once(path).chain(folders_above(path));
        folders.find(|folder| self.projects.contains(*folder)).unwrap_or_default()
    }

    /// Returns the unit of a file: a prefix of its path. The root is the empty string.
    pub fn unit_of<'p>(&self, path: &'p str) -> &'p str {
        let package = if has_packages(path) { Some(parent(path)) } else { None };
        self.descend(path, parent(path), package).unwrap_or_else(|| without_ending(path))
    }

    /// Returns the unit of a folder.
    pub fn unit_of_folder<'p>(&self, path: &'p str) -> &'p str {
        self.descend(path, path, Some(path)).unwrap_or(path)
    }

    /// Goes down from the project's folder as long as folders are divided.
    fn descend<'p>(&self, path: &'p str, folder: &'p str, stop: Option<&str>) -> Option<&'p str> {
        let mut unit = self.project_of(folder);
        while self.divided.contains(unit) && stop != Some(unit) {
            let start = if unit.is_empty() { 0 } else { unit.len() + 1 };
            unit = &path[..start + path.get(start..)?.find('/')?];
        }
        Some(unit)
    }
}

/// Returns whether a unit is to be divided, given its files and how many there are in all.
fn is_divisible(unit: &str, files: &[&str], all: usize, few: bool) -> bool {
    if files.len() < SPLIT_FILES_MIN {
        return false;
    }
    let share = files.len() as f64 / all as f64;
    let below = |path: &&str| {
        let folder = if has_packages(path) { parent(parent(path)) } else { parent(path) };
        is_within(folder, unit) && folder.len() > unit.len()
    };
    if files.iter().any(below) {
        return few || share > SPLIT_SHARE_MIN;
    }
    let directly = |path: &&str| !has_packages(path) && is_within(parent(path), unit);
    share > FLAT_SPLIT_SHARE_MIN && files.iter().any(directly)
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_syntax::testing::Fixture;

    fn units(paths: &[String]) -> Vec<String> {
        let files: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "")).collect();
        let files: Vec<(&str, &str)> =
            files.into_iter().map(|(path, _)| (path, if path.ends_with(".json") { "{}" } else { "" })).collect();
        let fixture = Fixture::new(&files);
        let tree = fixture.tree();
        let roles = roles(&tree);
        let partition = Partition::of(&tree, &roles);
        let sources = tree.files().filter(|(_, file)| file.facts.is_some());
        let units: BTreeSet<&str> = sources.map(|(_, file)| partition.unit_of(file.path)).collect();
        units.into_iter().map(str::to_owned).collect()
    }

    fn paths(groups: &[(&str, usize, &str)]) -> Vec<String> {
        let group = |(folder, count, ending): &(&str, usize, &str)| -> Vec<String> {
            (0..*count).map(|number| format!("{folder}/f{number}.{ending}")).collect()
        };
        groups.iter().flat_map(group).collect()
    }

    #[test]
    fn a_crate_that_holds_most_is_divided_into_modules() {
        let mut all =
            paths(&[("a/src/rule", 20, "rs"), ("a/src/court", 9, "rs"), ("b/src", 6, "rs"), ("c/src", 6, "rs")]);
        for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
            all.push(format!("{name}/Cargo.toml"));
            all.push(format!("{name}/src/lib.rs"));
        }
        all.push("a/src/rule.rs".into());
        all.push("a/build.rs".into());
        let found = units(&all);
        // `rule.rs` and `rule/` are one unit, and it is not divided: what else there is holds enough.
        assert_eq!(found[..3], ["a/build", "a/src/court", "a/src/lib"]);
        assert!(found.contains(&"b".to_owned()) && found.contains(&"h".to_owned()), "{found:?}");
    }

    #[test]
    fn a_flat_package_has_its_files_as_units() {
        let mut all = paths(&[("src/shop", 5, "py"), ("src/shop/stock", 2, "py"), ("tests", 9, "py")]);
        all.push("pyproject.toml".into());
        assert_eq!(
            units(&all),
            ["src/shop/f0", "src/shop/f1", "src/shop/f2", "src/shop/f3", "src/shop/f4", "src/shop/stock", "tests"]
        );
    }

    #[test]
    fn packages_are_units_in_go_and_java() {
        let mut all =
            paths(&[("cmd/shop", 1, "go"), ("cart", 3, "go"), ("cart/internal/line", 30, "go"), ("web/app", 3, "ts")]);
        all.push("go.mod".into());
        all.push("main.go".into());
        let found = units(&all);
        assert_eq!(found[..4], ["", "cart", "cart/internal/line", "cmd/shop"], "{found:?}");
    }

    #[test]
    fn new_files_find_their_place_in_an_old_partition() {
        let divided = ["", "src", "src/shop"].map(str::to_owned).into();
        let partition = Partition { projects: [String::new()].into(), divided, limited: false };
        for (path, unit) in [
            ("src/shop/cart.py", "src/shop/cart"),
            ("src/shop/new/deep/a.py", "src/shop/new"),
            ("src/shop/new.py", "src/shop/new"),
            ("other/a.py", "other"),
            ("src/a.go", "src"),
            ("src/shop/a.b.ts", "src/shop/a.b"),
        ] {
            assert_eq!(partition.unit_of(path), unit, "{path}");
        }
        assert_eq!(partition.unit_of_folder("src/shop/new/deep"), "src/shop/new");
        assert_eq!(partition.unit_of_folder("src"), "src");
        let nested = Partition { projects: ["", "a/b"].map(str::to_owned).into(), ..Partition::default() };
        assert_eq!((nested.unit_of_folder("a/b"), nested.unit_of_folder("a")), ("a/b", ""));
    }

    #[test]
    fn units_are_limited() {
        let folders =
            |count: usize| -> Vec<String> { (0..count).map(|number| format!("p/d{number:05}/a.py")).collect() };
        let at = units(&folders(UNITS_MAX));
        let past = units(&folders(UNITS_MAX + 1));
        assert_eq!((at.len(), past.len()), (UNITS_MAX, 1));
    }

    #[test]
    fn packages_are_limited() {
        let folders =
            |count: usize| -> Vec<String> { (0..count).map(|number| format!("p/d{number:05}/a.go")).collect() };
        assert_eq!(units(&folders(UNITS_MAX / 2)).len(), UNITS_MAX / 2);
        assert!(units(&folders(UNITS_MAX / 2 + 1)).len() <= UNITS_MAX);
    }
}
