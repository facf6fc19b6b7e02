//! Python: absolute imports from source roots, relative ones by levels.
//!
//! Source roots are what the manifests name, the project folders with their `src`, and the folders
//! above top-level packages. A name that no root explains is external. Not seen is what changes
//! `sys.path` or `__path__` while the program runs.

use std::sync::LazyLock;

use assize_core::path::{file_name, folders_above, join, parent, without_ending};
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::facade::{Facades, Through};
use super::{Reason, Resolved};
use crate::facts::{Import, ImportKind};
use crate::manifest::{Manifests, dig};
use crate::tree::{FileId, FolderId, SourceTree};

/// Files that make a folder the folder of a project.
const PROJECT_FILES: [&str; 6] =
    ["pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "requirements.txt", "manage.py"];

/// Folders below a project in which sources stand by custom.
const SOURCE_FOLDERS: [&str; 3] = ["src", "lib", "python"];

/// The most other projects of the tree that are searched for a name.
const OTHER_ROOTS_MAX: usize = 64;

/// Top-level modules of the standard library, as of Python 3.14.
const STANDARD: &str = "\
    __future__ _thread abc aifc annotationlib antigravity argparse array ast asyncio atexit audioop base64 bdb \
    binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections \
    colorsys compileall compression concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes \
    curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno \
    faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext \
    glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress \
    itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap \
    modulefinder msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os \
    ossaudiodev pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint \
    profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib \
    resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr \
    socket socketserver spwd sqlite3 ssl stat statistics string stringprep struct subprocess sunau symtable sys \
    sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit tkinter token \
    tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib uu \
    uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport \
    zlib zoneinfo";

static STANDARD_NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| STANDARD.split_whitespace().collect());

/// The modules of a tree and where they may be imported from.
pub(super) struct PythonResolver<'t, 'a> {
    index: PythonIndex<'t, 'a>,
    facades: Facades<'t, 'a>,
}

struct PythonIndex<'t, 'a> {
    tree: &'t SourceTree<'a>,
    /// Modules by their path without the ending; packages by that of their folder.
    modules: HashMap<&'a str, FileId>,
    /// Folders with Python code somewhere below.
    folders: HashSet<&'a str>,
    /// The source roots of each project, by the project's folder.
    projects: HashMap<&'a str, Vec<String>>,
    /// The source roots in which a top-level name is found, over all projects.
    roots_of_name: HashMap<&'a str, Vec<String>>,
    /// The last part of every module's and folder's path: what has none of these names is external.
    names: HashSet<&'a str>,
    known: HashMap<(FolderId, &'a str), DottedNameTarget<'a>>,
}

/// What a dotted name leads to.
#[derive(Debug, Clone, Copy)]
enum DottedNameTarget<'a> {
    Module(FileId),
    Package(FileId, &'a str),
    Namespace(FolderId),
    External,
    Missing,
}

impl<'t, 'a> PythonResolver<'t, 'a> {
    pub(super) fn new(tree: &'t SourceTree<'a>, manifests: &Manifests<'a>) -> Self {
        Self { index: PythonIndex::new(tree, manifests), facades: Facades::new(tree, Through::AnyImport) }
    }

    pub(super) fn resolve(&mut self, from: FileId, import: &'a Import, found: &mut Vec<Resolved<'a>>) {
        let place = match self.index.place(from, &import.path) {
            Ok(place) => place,
            Err(reason) => {
                found.push(Resolved::Unresolved(reason));
                return;
            }
        };
        if import.names.is_empty() || import.names.iter().any(|name| name == "*") {
            found.push(self.index.whole(place, import));
        }
        for name in import.names.iter().filter(|name| *name != "*") {
            let leads_to = match self.index.name_in(place, name, import) {
                Resolved::File(file) if matches!(place, DottedNameTarget::Package(package, _) if package == file) => {
                    let Self { index, facades } = self;
                    let mut follow = |facade: FileId, import: &'a Import, name: &str| index.step(facade, import, name);
                    Resolved::File(facades.origin(file, name, &mut follow))
                }
                other => other,
            };
            found.push(leads_to);
        }
    }
}

impl<'t, 'a> PythonIndex<'t, 'a> {
    fn new(tree: &'t SourceTree<'a>, manifests: &Manifests<'a>) -> Self {
        let mut index = Self {
            tree,
            modules: HashMap::new(),
            folders: HashSet::new(),
            projects: HashMap::new(),
            roots_of_name: HashMap::new(),
            names: HashSet::new(),
            known: HashMap::new(),
        };
        index.add_modules();
        index.add_projects(manifests);
        index.add_names();
        index
    }

    fn add_modules(&mut self) {
        // Sources first, then stubs, then what is compiled: the first one keeps the name.
        for endings in [&["py"][..], &["pyi"], &["pyx", "pyd", "so"]] {
            for (id, file) in self.tree.files() {
                let Some(ending) = assize_core::path::ending(file.path) else { continue };
                if !endings.contains(&ending) {
                    continue;
                }
                let stem = without_ending(file.path);
                let key = if file_name(stem) == "__init__" { parent(stem) } else { stem };
                self.names.insert(file_name(key));
                // A package hides a module of its name.
                if file_name(stem) == "__init__" && ending == "py" {
                    self.modules.insert(key, id);
                } else {
                    self.modules.entry(key).or_insert(id);
                }
                for folder in folders_above(file.path) {
                    if !self.folders.insert(folder) {
                        break;
                    }
                    self.names.insert(file_name(folder));
                }
            }
        }
    }

    fn add_projects(&mut self, manifests: &Manifests<'a>) {
        let mut configured: HashMap<&str, Vec<String>> = HashMap::new();
        for (id, table) in &manifests.pyproject {
            configured.entry(parent(self.tree.path(*id))).or_default().extend(roots_of_pyproject(table));
        }
        for (id, ini) in &manifests.ini {
            let folders = configured.entry(parent(self.tree.path(*id))).or_default();
            folders.extend(ini.get("options.packages.find", "where").iter().map(|value| (*value).to_owned()));
            let mapped = ini.get("options", "package_dir").iter().filter_map(|line| line.strip_prefix('='));
            folders.extend(mapped.map(|value| value.trim().to_owned()));
            folders.extend(ini.get("tool:pytest", "pythonpath").iter().map(|value| (*value).to_owned()));
        }
        let folders = self.tree.files().filter(|(_, file)| PROJECT_FILES.contains(&file_name(file.path)));
        let folders: Vec<&str> = folders.map(|(_, file)| parent(file.path)).chain([""]).collect();
        for folder in folders {
            if self.projects.contains_key(folder) {
                continue;
            }
            let named = configured.remove(folder).unwrap_or_default();
            let customary = SOURCE_FOLDERS.iter().map(|name| (*name).to_owned());
            let mut roots: Vec<String> = named.into_iter().filter_map(|name| join(folder, &name)).collect();
            roots.push(folder.to_owned());
            roots.extend(customary.filter_map(|name| join(folder, &name)));
            roots.retain(|root| self.folders.contains(root.as_str()));
            let mut seen = HashSet::new();
            roots.retain(|root| seen.insert(root.clone()));
            self.projects.insert(folder, roots);
        }
    }

    /// Notes which top-level names each source root offers.
    fn add_names(&mut self) {
        let mut roots: Vec<&String> = self.projects.values().flatten().collect();
        roots.sort();
        roots.dedup();
        let roots: HashSet<&str> = roots.into_iter().map(String::as_str).collect();
        let mut found: Vec<(&'a str, &'a str)> = Vec::new();
        for key in self.modules.keys().chain(self.folders.iter()) {
            if !key.is_empty() && roots.contains(parent(key)) {
                found.push((file_name(key), parent(key)));
            }
        }
        found.sort_unstable();
        found.dedup();
        for (name, root) in found {
            let roots = self.roots_of_name.entry(name).or_default();
            if roots.len() < OTHER_ROOTS_MAX {
                roots.push(root.to_owned());
            }
        }
    }

    /// Finds what `from path import …` is about.
    fn place(&mut self, from: FileId, path: &'a str) -> Result<DottedNameTarget<'a>, Reason> {
        let folder = parent(self.tree.path(from));
        let id = self.tree.find_folder(folder).ok_or(Reason::OutsideTree)?;
        let found = match self.known.get(&(id, path)) {
            Some(&known) => known,
            None => {
                let levels = path.len() - path.trim_start_matches('.').len();
                let found = match levels {
                    0 => self.absolute(folder, path),
                    _ => self.relative(folder, levels, &path[levels..])?,
                };
                self.known.insert((id, path), found);
                found
            }
        };
        match found {
            DottedNameTarget::Missing => Err(Reason::NoSuchModule),
            found => Ok(found),
        }
    }

    fn relative(&self, folder: &str, levels: usize, rest: &str) -> Result<DottedNameTarget<'a>, Reason> {
        // One dot is the package itself, each further one the package around it.
        let mut base = folder;
        for _ in 1..levels {
            if base.is_empty() {
                return Err(Reason::OutsideTree);
            }
            base = parent(base);
        }
        Ok(self.at(base, rest).unwrap_or(DottedNameTarget::Missing))
    }

    fn absolute(&self, folder: &str, path: &'a str) -> DottedNameTarget<'a> {
        let top = path.split('.').next().unwrap_or(path);
        if !self.names.contains(top) {
            return DottedNameTarget::External;
        }
        if path == "conftest" {
            let places = std::iter::once(folder).chain(folders_above(folder));
            return places.into_iter().find_map(|place| self.at(place, path)).unwrap_or(DottedNameTarget::External);
        }
        let mut namespace = None;
        for root in self.roots_for(folder, top) {
            let regular = join(&root, top).is_some_and(|path| self.modules.contains_key(path.as_str()));
            match self.at(&root, path) {
                // A folder without `__init__.py` is a package only if nothing better has its name.
                Some(found) if regular || !matches!(found, DottedNameTarget::Namespace(_)) => return found,
                Some(found) => namespace = namespace.or(Some(found)),
                // The first root that has the name decides, as `sys.path` does.
                None if regular => return DottedNameTarget::Missing,
                None => {}
            }
        }
        namespace.unwrap_or(DottedNameTarget::External)
    }

    /// Returns where a top-level name may be found from a folder, in the order of precedence.
    fn roots_for(&self, folder: &str, top: &str) -> Vec<String> {
        let mut roots = Vec::new();
        let is_package = |folder: &str| self.tree.find(&join(folder, "__init__.py").unwrap_or_default()).is_some();
        // A script finds what stands beside it; a package is found from the folder above it.
        let mut own = folder;
        while is_package(own) && !own.is_empty() {
            own = parent(own);
        }
        roots.push(own.to_owned());
        if is_standard(top) {
            return roots;
        }
        for above in std::iter::once(folder).chain(folders_above(folder)) {
            roots.extend(self.projects.get(above).into_iter().flatten().cloned());
        }
        roots.extend(self.roots_of_name.get(top).into_iter().flatten().cloned());
        let mut seen = HashSet::new();
        roots.retain(|root| seen.insert(root.clone()));
        roots
    }

    /// Looks a dotted name up below a folder.
    fn at(&self, folder: &str, dotted: &str) -> Option<DottedNameTarget<'a>> {
        let path = join(folder, &dotted.replace('.', "/"))?;
        if let Some((key, &file)) = self.modules.get_key_value(path.as_str()) {
            let name = file_name(self.tree.path(file));
            let package = name.starts_with("__init__.");
            return Some(if package { DottedNameTarget::Package(file, key) } else { DottedNameTarget::Module(file) });
        }
        let namespace = self.folders.contains(path.as_str()).then(|| self.tree.find_folder(&path)).flatten();
        namespace.map(DottedNameTarget::Namespace)
    }

    /// What an import of all of it leads to.
    fn whole(&self, place: DottedNameTarget<'a>, import: &'a Import) -> Resolved<'a> {
        let top = import.path.split('.').next().unwrap_or(&import.path);
        match place {
            DottedNameTarget::Module(file) | DottedNameTarget::Package(file, _) => Resolved::File(file),
            // A folder that happens to have the name of a library is no package of its own.
            DottedNameTarget::Namespace(_) if top == import.path => Resolved::External(top),
            DottedNameTarget::Namespace(folder) => Resolved::Folder(folder),
            DottedNameTarget::External => Resolved::External(top),
            DottedNameTarget::Missing => Resolved::Unresolved(Reason::NoSuchModule),
        }
    }

    /// What an import of one name out of it leads to: a module below it, or the file itself.
    fn name_in(&self, place: DottedNameTarget<'a>, name: &str, import: &'a Import) -> Resolved<'a> {
        let folder = match place {
            DottedNameTarget::Package(_, folder) => folder,
            DottedNameTarget::Namespace(folder) => self.tree.folder_path(folder),
            other => return self.whole(other, import),
        };
        match (self.at(folder, name), place) {
            (Some(DottedNameTarget::Module(file) | DottedNameTarget::Package(file, _)), _) => Resolved::File(file),
            (Some(DottedNameTarget::Namespace(folder)), DottedNameTarget::Namespace(_)) => Resolved::Folder(folder),
            (_, DottedNameTarget::Namespace(_)) if import.path.starts_with('.') => {
                Resolved::Unresolved(Reason::NoSuchModule)
            }
            // Namespace packages are open: other distributions put modules into them.
            (_, DottedNameTarget::Namespace(_)) => {
                Resolved::External(import.path.split('.').next().unwrap_or(&import.path))
            }
            _ => self.whole(place, import),
        }
    }

    /// One step of a name through a package's `__init__`.
    fn step(&mut self, facade: FileId, import: &'a Import, name: &str) -> Resolved<'a> {
        if import.kind == ImportKind::Dynamic {
            return Resolved::Unresolved(Reason::NoSuchModule);
        }
        match self.place(facade, &import.path) {
            Ok(place) => self.name_in(place, name, import),
            Err(reason) => Resolved::Unresolved(reason),
        }
    }
}

/// Returns whether a module belongs to the standard library.
pub(super) fn is_standard(name: &str) -> bool {
    STANDARD_NAMES.contains(name)
}

/// Reads the source roots that a `pyproject.toml` names.
fn roots_of_pyproject(table: &toml::Table) -> Vec<String> {
    let mut roots = Vec::new();
    let texts = |value: &toml::Value| -> Vec<String> {
        match value {
            toml::Value::String(text) => text.split_whitespace().map(str::to_owned).collect(),
            toml::Value::Array(list) => list.iter().filter_map(|item| Some(item.as_str()?.to_owned())).collect(),
            _ => Vec::new(),
        }
    };
    for keys in [
        &["tool", "setuptools", "packages", "find", "where"][..],
        &["tool", "setuptools", "package-dir", ""],
        &["tool", "maturin", "python-source"],
        &["tool", "pdm", "build", "package-dir"],
        &["tool", "pytest", "ini_options", "pythonpath"],
        &["tool", "pyright", "extraPaths"],
        &["tool", "mypy", "mypy_path"],
        &["tool", "ruff", "src"],
    ] {
        roots.extend(dig(table, keys).map(texts).unwrap_or_default());
    }
    let poetry = dig(table, &["tool", "poetry", "packages"]).and_then(toml::Value::as_array);
    roots.extend(poetry.into_iter().flatten().filter_map(|package| Some(package.get("from")?.as_str()?.to_owned())));
    for keys in
        [&["tool", "hatch", "build", "targets", "wheel", "packages"][..], &["tool", "hatch", "build", "packages"]]
    {
        let packages = dig(table, keys).map(texts).unwrap_or_default();
        roots.extend(packages.iter().map(|package| parent(package).to_owned()).filter(|root| !root.is_empty()));
    }
    roots
}

#[cfg(test)]
mod tests {
    use crate::import::tests::check;

    /// A package in `src`, tests beside it, a script folder and a second project.
    const TREE: &[(&str, &str)] = &[
        ("pyproject.toml", "[project]\nname = 'shop'\n"),
        ("src/shop/__init__.py", "use .cart {Cart}\nuse .stock {*}\ndef version"),
        ("src/shop/cart.py", "class Cart"),
        ("src/shop/stock/__init__.py", "use .shelf {Shelf}"),
        ("src/shop/stock/shelf.py", "class Shelf"),
        ("src/shop/_fast.pyi", "def add"),
        ("src/shop/json/__init__.py", ""),
        ("src/shop/deep/a/b.py", ""),
        ("tests/conftest.py", "def client"),
        ("tests/helpers.py", ""),
        ("tests/unit/test_cart.py", ""),
        ("tools/run.py", ""),
        ("tools/logging.py", ""),
        ("docker/build.py", ""),
        ("libs/store/setup.cfg", "[options]\npackage_dir =\n    = code\n"),
        ("libs/store/code/store/__init__.py", ""),
        ("libs/store/code/store/disk.py", ""),
        ("libs/odd/lib/odd/__init__.py", ""),
        ("libs/poet/pyproject.toml", "[[tool.poetry.packages]]\ninclude = 'poet'\nfrom = 'source'\n"),
        ("libs/poet/source/poet.py", ""),
    ];

    #[test]
    fn absolute_and_relative_imports() {
        check(
            TREE,
            "src/shop/order.py",
            &[
                ("use shop", "src/shop/__init__.py"),
                ("use shop.cart", "src/shop/cart.py"),
                ("use shop.cart {Cart}", "src/shop/cart.py"),
                ("use shop {cart}", "src/shop/cart.py"),
                ("use shop {version, cart}", "src/shop/__init__.py src/shop/cart.py"),
                ("use shop {Cart}", "src/shop/cart.py"),
                ("use shop {Shelf}", "src/shop/stock/shelf.py"),
                ("use shop {unknown}", "src/shop/__init__.py"),
                ("use . {cart}", "src/shop/cart.py"),
                ("use .cart {Cart}", "src/shop/cart.py"),
                ("use .stock {Shelf}", "src/shop/stock/shelf.py"),
                ("use .stock.shelf {*}", "src/shop/stock/shelf.py"),
                ("use ._fast {add}", "src/shop/_fast.pyi"),
                ("use .deep.a {b}", "src/shop/deep/a/b.py"),
                ("use shop.deep.a.b", "src/shop/deep/a/b.py"),
                ("use .gone {x}", "? no such module"),
                ("use .deep {gone}", "? no such module"),
                ("use shop.gone", "? no such module"),
                ("use json", "<json>"),
                ("use json.decoder {JSONDecoder}", "<json>"),
                ("use logging", "<logging>"),
                ("use numpy.linalg {norm}", "<numpy>"),
                ("use docker", "<docker>"),
                ("use docker {from_env}", "<docker>"),
                ("use ....up {x}", "? it leads out of the tree"),
                ("use store.disk", "libs/store/code/store/disk.py"),
                ("use poet", "libs/poet/source/poet.py"),
            ],
        );
        check(
            TREE,
            "src/shop/stock/shelf.py",
            &[
                ("use ..cart {Cart}", "src/shop/cart.py"),
                ("use .. {json}", "src/shop/json/__init__.py"),
                ("use .. {Cart}", "src/shop/cart.py"),
            ],
        );
        check(TREE, "src/shop/stock/__init__.py", &[("use . {shelf}", "src/shop/stock/shelf.py")]);
    }

    #[test]
    fn other_projects_are_searched_up_to_a_limit() {
        let paths: Vec<String> = (0..=super::OTHER_ROOTS_MAX)
            .flat_map(|number| [format!("p{number:02}/setup.py"), format!("p{number:02}/shared/m{number:02}.py")])
            .collect();
        let tree: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "")).collect();
        check(&tree, "app/main.py", &[("use shared.m63", "p63/shared/m63.py"), ("use shared.m64", "<shared>")]);
    }

    #[test]
    fn packages_within_packages_are_traced_up_to_a_limit() {
        let length = crate::import::facade::HOPS_MAX;
        for (depth, found) in [(length - 1, true), (length, false)] {
            let folder = |number: usize| format!("a/{}", (1..=number).map(|n| format!("p{n}/")).collect::<String>());
            let mut files: Vec<(String, String)> = (0..depth)
                .map(|number| (format!("{}__init__.py", folder(number)), format!("use .p{} {{X}}", number + 1)))
                .collect();
            files.push((format!("{}__init__.py", folder(depth)), "class X".into()));
            let tree: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            let end =
                if found { format!("{}__init__.py", folder(depth)) } else { format!("{}__init__.py", folder(length)) };
            check(&tree, "main.py", &[("use a {X}", &end)]);
        }
    }

    #[test]
    fn scripts_and_tests_find_what_stands_beside_them() {
        check(TREE, "tools/other.py", &[("use run", "tools/run.py"), ("use logging", "tools/logging.py")]);
        check(
            TREE,
            "tests/unit/test_cart.py",
            &[
                ("use conftest {client}", "tests/conftest.py"),
                ("use shop.cart {Cart}", "src/shop/cart.py"),
                ("use tests.helpers", "tests/helpers.py"),
                ("use helpers", "<helpers>"),
            ],
        );
        check(TREE, "libs/odd/lib/odd/main.py", &[("use odd", "libs/odd/lib/odd/__init__.py")]);
    }
}
