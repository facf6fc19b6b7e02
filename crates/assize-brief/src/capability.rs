//! What a project works with: languages, package managers, formatters, linters, type checkers, test
//! runners, schema tools and CI.
//!
//! Everything is told from files that are there and from what manifests name, by one table; each
//! answer comes with the file that shows it. Nothing is run, and it must not know whether a tool is
//! installed.

use std::collections::BTreeMap;

use assize_core::path::{ending, file_name, parent};
use assize_ecosystem::FileRole;
use assize_syntax::manifest::{Manifests, dig};
use assize_syntax::tree::{FileId, SourceTree};
use foldhash::{HashMap, HashMapExt, HashSet};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a tool is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ToolKind {
    /// Gets dependencies and builds.
    PackageManager,
    /// Writes code in one form.
    Formatter,
    /// Finds faults without running the code.
    Linter,
    /// Checks types.
    TypeChecker,
    /// Runs tests.
    TestRunner,
    /// Describes data: schemas and what is generated from them.
    SchemaTool,
    /// Runs all of it on a server.
    Ci,
}

impl ToolKind {
    /// Every kind, in the order in which they are shown.
    pub const ALL: [Self; 7] = [
        Self::PackageManager,
        Self::Formatter,
        Self::Linter,
        Self::TypeChecker,
        Self::TestRunner,
        Self::SchemaTool,
        Self::Ci,
    ];

    /// Returns the kind's name in the plural.
    pub fn label(self) -> &'static str {
        match self {
            Self::PackageManager => "package managers",
            Self::Formatter => "formatters",
            Self::Linter => "linters",
            Self::TypeChecker => "type checkers",
            Self::TestRunner => "test runners",
            Self::SchemaTool => "schema tools",
            Self::Ci => "CI",
        }
    }
}

/// A tool that the project uses, and what shows it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DetectedTool {
    /// What it is for.
    pub kind: ToolKind,
    /// Its name, in small letters.
    pub id: String,
    /// The file that shows it; of several the one nearest to the root.
    pub shown_by: String,
}

/// How much there is of a language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LanguageShare {
    /// The language's name.
    pub language: String,
    /// Its files, without vendored and generated ones and what tests read.
    pub files: u32,
    /// Their lines, as far as they are known.
    pub lines: u32,
    /// The lines of tests among them.
    pub test_lines: u32,
}

/// What a project works with.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Capabilities {
    /// Languages, the one with most lines first.
    pub languages: Vec<LanguageShare>,
    /// Tools, by kind and name.
    pub tools: Vec<DetectedTool>,
}

/// What shows a tool.
enum Sign {
    /// A file of this name.
    File(&'static str),
    /// A file whose name begins so.
    FileStart(&'static str),
    /// A file whose name ends so.
    FileEnd(&'static str),
    /// A file below this folder.
    Below(&'static str),
    /// These keys in a `Cargo.toml`.
    Cargo(&'static [&'static str]),
    /// A dependency of a `Cargo.toml`.
    CargoNeeds(&'static str),
    /// These keys in a `pyproject.toml`.
    Pyproject(&'static [&'static str]),
    /// A dependency of a Python project, wherever it is listed.
    PythonNeeds(&'static str),
    /// A section of `setup.cfg` or `tox.ini`.
    Ini(&'static str),
    /// A dependency of a `package.json`.
    NpmNeeds(&'static str),
    /// A key of a `package.json`.
    NpmKey(&'static str),
    /// A script of a `package.json` that holds this.
    NpmScript(&'static str),
    /// A word in `pom.xml` or `build.gradle`.
    Jvm(&'static str),
}

use Sign::{
    Below, Cargo, CargoNeeds, File, FileEnd, FileStart, Ini, Jvm, NpmKey, NpmNeeds, NpmScript, Pyproject, PythonNeeds,
};
use ToolKind::{Ci, Formatter, Linter, PackageManager, SchemaTool, TestRunner, TypeChecker};

/// Tools and what shows them.
const TOOLS: &[(ToolKind, &str, &[Sign])] = &[
    (PackageManager, "cargo", &[File("Cargo.toml")]),
    (PackageManager, "npm", &[File("package-lock.json"), File("npm-shrinkwrap.json")]),
    (PackageManager, "pnpm", &[File("pnpm-lock.yaml"), File("pnpm-workspace.yaml")]),
    (PackageManager, "yarn", &[File("yarn.lock"), File(".yarnrc.yml")]),
    (PackageManager, "bun", &[File("bun.lock"), File("bun.lockb")]),
    (PackageManager, "deno", &[File("deno.json"), File("deno.jsonc")]),
    (PackageManager, "uv", &[File("uv.lock"), Pyproject(&["tool", "uv"])]),
    (PackageManager, "poetry", &[File("poetry.lock"), Pyproject(&["tool", "poetry"])]),
    (PackageManager, "pdm", &[File("pdm.lock"), Pyproject(&["tool", "pdm"])]),
    (PackageManager, "hatch", &[Pyproject(&["tool", "hatch"])]),
    (PackageManager, "pipenv", &[File("Pipfile")]),
    (PackageManager, "conda", &[File("environment.yml"), File("conda.yaml")]),
    (PackageManager, "pip", &[FileStart("requirements"), File("setup.py"), Pyproject(&["project"])]),
    (PackageManager, "go", &[File("go.mod")]),
    (PackageManager, "maven", &[File("pom.xml")]),
    (PackageManager, "gradle", &[File("build.gradle"), File("build.gradle.kts"), File("settings.gradle.kts")]),
    (PackageManager, "bundler", &[File("Gemfile")]),
    (PackageManager, "composer", &[File("composer.json")]),
    (Formatter, "rustfmt", &[File("rustfmt.toml"), File(".rustfmt.toml"), File("Cargo.toml")]),
    (Formatter, "gofmt", &[File("go.mod")]),
    (
        Formatter,
        "prettier",
        &[FileStart(".prettierrc"), FileStart("prettier.config."), NpmKey("prettier"), NpmNeeds("prettier")],
    ),
    (Formatter, "biome", &[File("biome.json"), File("biome.jsonc"), NpmNeeds("@biomejs/biome")]),
    (Formatter, "dprint", &[File("dprint.json"), File(".dprint.json")]),
    (Formatter, "black", &[Pyproject(&["tool", "black"]), PythonNeeds("black")]),
    (Formatter, "ruff format", &[Pyproject(&["tool", "ruff", "format"])]),
    (Formatter, "isort", &[Pyproject(&["tool", "isort"]), File(".isort.cfg"), Ini("isort"), PythonNeeds("isort")]),
    (Formatter, "yapf", &[File(".style.yapf"), Pyproject(&["tool", "yapf"])]),
    (Formatter, "clang-format", &[File(".clang-format")]),
    (Formatter, "spotless", &[Jvm("spotless")]),
    (Formatter, "google-java-format", &[Jvm("google-java-format"), Jvm("googleJavaFormat")]),
    (Formatter, "editorconfig", &[File(".editorconfig")]),
    (
        Linter,
        "clippy",
        &[
            File("clippy.toml"),
            File(".clippy.toml"),
            Cargo(&["lints", "clippy"]),
            Cargo(&["workspace", "lints", "clippy"]),
        ],
    ),
    (Linter, "cargo-deny", &[File("deny.toml")]),
    (
        Linter,
        "eslint",
        &[FileStart(".eslintrc"), FileStart("eslint.config."), NpmKey("eslintConfig"), NpmNeeds("eslint")],
    ),
    (Linter, "biome", &[File("biome.json"), File("biome.jsonc"), NpmNeeds("@biomejs/biome")]),
    (Linter, "oxlint", &[File(".oxlintrc.json"), NpmNeeds("oxlint")]),
    (Linter, "tslint", &[File("tslint.json")]),
    (Linter, "stylelint", &[FileStart(".stylelintrc"), NpmNeeds("stylelint")]),
    (Linter, "ruff", &[File("ruff.toml"), File(".ruff.toml"), Pyproject(&["tool", "ruff"]), PythonNeeds("ruff")]),
    (Linter, "flake8", &[File(".flake8"), Ini("flake8"), PythonNeeds("flake8")]),
    (Linter, "pylint", &[File(".pylintrc"), File("pylintrc"), Pyproject(&["tool", "pylint"]), PythonNeeds("pylint")]),
    (Linter, "bandit", &[File(".bandit"), Pyproject(&["tool", "bandit"])]),
    (Linter, "import-linter", &[File(".importlinter"), Pyproject(&["tool", "importlinter"])]),
    (Linter, "dependency-cruiser", &[FileStart(".dependency-cruiser."), NpmNeeds("dependency-cruiser")]),
    (Linter, "golangci-lint", &[FileStart(".golangci.")]),
    (Linter, "go vet", &[File("go.mod")]),
    (Linter, "checkstyle", &[File("checkstyle.xml"), Jvm("checkstyle")]),
    (Linter, "spotbugs", &[Jvm("spotbugs")]),
    (Linter, "error-prone", &[Jvm("error_prone"), Jvm("errorprone")]),
    (Linter, "archunit", &[Jvm("archunit")]),
    (Linter, "pre-commit", &[File(".pre-commit-config.yaml")]),
    (Linter, "shellcheck", &[File(".shellcheckrc")]),
    (TypeChecker, "rustc", &[File("Cargo.toml")]),
    (TypeChecker, "tsc", &[File("tsconfig.json"), FileStart("tsconfig."), NpmNeeds("typescript")]),
    (TypeChecker, "flow", &[File(".flowconfig")]),
    (
        TypeChecker,
        "mypy",
        &[File("mypy.ini"), File(".mypy.ini"), Pyproject(&["tool", "mypy"]), Ini("mypy"), PythonNeeds("mypy")],
    ),
    (TypeChecker, "pyright", &[File("pyrightconfig.json"), Pyproject(&["tool", "pyright"]), PythonNeeds("pyright")]),
    (TypeChecker, "basedpyright", &[Pyproject(&["tool", "basedpyright"]), PythonNeeds("basedpyright")]),
    (TypeChecker, "ty", &[File("ty.toml"), Pyproject(&["tool", "ty"])]),
    (TypeChecker, "pyrefly", &[File("pyrefly.toml"), Pyproject(&["tool", "pyrefly"])]),
    (TypeChecker, "go", &[File("go.mod")]),
    (TypeChecker, "javac", &[File("pom.xml"), FileStart("build.gradle")]),
    (TestRunner, "cargo test", &[File("Cargo.toml")]),
    (TestRunner, "nextest", &[File("nextest.toml")]),
    (TestRunner, "vitest", &[FileStart("vitest.config."), FileStart("vitest.workspace."), NpmNeeds("vitest")]),
    (TestRunner, "jest", &[FileStart("jest.config."), NpmKey("jest"), NpmNeeds("jest")]),
    (TestRunner, "mocha", &[FileStart(".mocharc"), NpmNeeds("mocha")]),
    (TestRunner, "ava", &[NpmKey("ava"), NpmNeeds("ava")]),
    (TestRunner, "node:test", &[NpmScript("node --test")]),
    (TestRunner, "karma", &[FileStart("karma.conf.")]),
    (TestRunner, "playwright", &[FileStart("playwright.config."), NpmNeeds("@playwright/test")]),
    (TestRunner, "cypress", &[FileStart("cypress.config."), NpmNeeds("cypress")]),
    (
        TestRunner,
        "pytest",
        &[
            File("pytest.ini"),
            File("conftest.py"),
            Pyproject(&["tool", "pytest"]),
            Ini("tool:pytest"),
            Ini("pytest"),
            PythonNeeds("pytest"),
        ],
    ),
    (TestRunner, "tox", &[File("tox.ini"), Pyproject(&["tool", "tox"])]),
    (TestRunner, "nox", &[File("noxfile.py")]),
    (TestRunner, "go test", &[File("go.mod")]),
    (TestRunner, "junit", &[Jvm("junit")]),
    (TestRunner, "testng", &[Jvm("testng")]),
    (SchemaTool, "protobuf", &[FileEnd(".proto")]),
    (SchemaTool, "buf", &[File("buf.yaml"), File("buf.gen.yaml")]),
    (SchemaTool, "graphql", &[FileEnd(".graphql"), FileEnd(".graphqls"), FileEnd(".gql")]),
    (
        SchemaTool,
        "json schema",
        &[
            FileEnd(".schema.json"),
            CargoNeeds("schemars"),
            CargoNeeds("jsonschema"),
            NpmNeeds("ajv"),
            PythonNeeds("jsonschema"),
        ],
    ),
    (
        SchemaTool,
        "openapi",
        &[FileStart("openapi."), FileStart("swagger."), CargoNeeds("utoipa"), NpmNeeds("openapi-typescript")],
    ),
    (SchemaTool, "pydantic", &[PythonNeeds("pydantic")]),
    (SchemaTool, "zod", &[NpmNeeds("zod")]),
    (SchemaTool, "prisma", &[FileEnd(".prisma")]),
    (SchemaTool, "drizzle", &[FileStart("drizzle.config.")]),
    (SchemaTool, "alembic", &[File("alembic.ini")]),
    (SchemaTool, "sqlx", &[CargoNeeds("sqlx")]),
    (SchemaTool, "diesel", &[File("diesel.toml")]),
    (SchemaTool, "flyway", &[Jvm("flyway")]),
    (SchemaTool, "avro", &[FileEnd(".avsc")]),
    (Ci, "github actions", &[Below(".github/workflows/")]),
    (Ci, "gitlab", &[File(".gitlab-ci.yml")]),
    (Ci, "circleci", &[Below(".circleci/")]),
    (Ci, "azure pipelines", &[FileStart("azure-pipelines")]),
    (Ci, "jenkins", &[File("Jenkinsfile")]),
    (Ci, "travis", &[File(".travis.yml")]),
    (Ci, "buildkite", &[Below(".buildkite/")]),
    (Ci, "drone", &[File(".drone.yml")]),
    (Ci, "woodpecker", &[Below(".woodpecker/"), File(".woodpecker.yml")]),
    (Ci, "forgejo actions", &[Below(".forgejo/workflows/")]),
    (Ci, "own script", &[Below(".ci/")]),
];

/// Languages by the endings of their files.
const LANGUAGES: &[(&str, &[&str])] = &[
    ("Rust", &["rs"]),
    ("Python", &["py", "pyi"]),
    ("TypeScript", &["ts", "mts", "cts", "tsx"]),
    ("JavaScript", &["js", "mjs", "cjs", "jsx"]),
    ("Go", &["go"]),
    ("Java", &["java"]),
    ("Kotlin", &["kt", "kts"]),
    ("Scala", &["scala"]),
    ("C", &["c", "h"]),
    ("C++", &["cc", "cpp", "cxx", "hh", "hpp"]),
    ("C#", &["cs"]),
    ("Ruby", &["rb"]),
    ("PHP", &["php"]),
    ("Swift", &["swift"]),
    ("Shell", &["sh", "bash", "zsh"]),
    ("Vue", &["vue"]),
    ("Svelte", &["svelte"]),
    ("SQL", &["sql"]),
    ("Protocol Buffers", &["proto"]),
    ("GraphQL", &["graphql", "graphqls", "gql"]),
    ("HTML", &["html", "htm"]),
    ("CSS", &["css", "scss", "sass", "less"]),
    ("Markdown", &["md", "mdx"]),
    ("YAML", &["yml", "yaml"]),
    ("TOML", &["toml"]),
    ("JSON", &["json", "jsonc"]),
];

/// Returns whether the lines of this file count for the share of its language.
pub fn counts_lines(path: &str) -> bool {
    ending(path).is_some_and(|ending| LANGUAGES.iter().any(|(_, endings)| endings.contains(&ending)))
}

/// Finds out what a project works with.
pub fn capabilities(tree: &SourceTree<'_>, manifests: &Manifests<'_>, roles: &[FileRole]) -> Capabilities {
    Capabilities { languages: languages(tree, roles), tools: Search::new(tree, manifests, roles).tools() }
}

fn languages(tree: &SourceTree<'_>, roles: &[FileRole]) -> Vec<LanguageShare> {
    let by_ending: HashMap<&str, &str> =
        LANGUAGES.iter().flat_map(|(language, endings)| endings.iter().map(|ending| (*ending, *language))).collect();
    let mut shares: BTreeMap<&str, LanguageShare> = BTreeMap::new();
    for (id, file) in tree.files() {
        let role = roles[id.index()];
        if matches!(role, FileRole::Vendored | FileRole::Generated | FileRole::Fixture) {
            continue;
        }
        let Some(language) = ending(file.path).and_then(|ending| by_ending.get(ending)) else { continue };
        let share = shares.entry(language).or_insert_with(|| LanguageShare {
            language: (*language).to_owned(),
            files: 0,
            lines: 0,
            test_lines: 0,
        });
        let lines = file.facts.map(|facts| facts.lines).or(file.lines).unwrap_or(0);
        share.files += 1;
        share.lines = share.lines.saturating_add(lines);
        if role == FileRole::Test {
            share.test_lines = share.test_lines.saturating_add(lines);
        }
    }
    let mut shares: Vec<LanguageShare> = shares.into_values().collect();
    shares
        .sort_by(|one, other| (other.lines, other.files, &one.language).cmp(&(one.lines, one.files, &other.language)));
    shares
}

/// What manifests name, gathered once for the whole table.
struct Search<'m, 'a> {
    tree: &'m SourceTree<'a>,
    manifests: &'m Manifests<'a>,
    /// The files that count, the nearest to the root first.
    files: Vec<FileId>,
    by_name: HashMap<&'a str, FileId>,
    cargo: HashMap<String, FileId>,
    npm: HashMap<String, FileId>,
    python: HashMap<String, FileId>,
    counted: HashSet<FileId>,
}

impl<'m, 'a> Search<'m, 'a> {
    fn new(tree: &'m SourceTree<'a>, manifests: &'m Manifests<'a>, roles: &[FileRole]) -> Self {
        // A configuration file among fixtures or vendored code configures nothing of the project.
        let counts = |id: FileId| match roles[id.index()] {
            FileRole::Production | FileRole::Tooling => true,
            // That of the outermost folder of tests, not of what is tested.
            FileRole::Test => {
                let path = tree.path(id);
                file_name(path) == "conftest.py" && FileRole::of(parent(path)) != FileRole::Test
            }
            _ => false,
        };
        let mut files: Vec<FileId> = tree.files().map(|(id, _)| id).filter(|id| counts(*id)).collect();
        files.sort_by_cached_key(|id| (tree.path(*id).matches('/').count(), *id));
        let mut by_name = HashMap::new();
        for id in &files {
            by_name.entry(file_name(tree.path(*id))).or_insert(*id);
        }
        let counted = files.iter().copied().collect();
        let mut search = Self {
            tree,
            manifests,
            files,
            by_name,
            cargo: HashMap::new(),
            npm: HashMap::new(),
            python: HashMap::new(),
            counted,
        };
        search.read_dependencies();
        search
    }

    fn read_dependencies(&mut self) {
        let counted = &self.counted;
        let nearer = |tree: &SourceTree<'_>, map: &mut HashMap<String, FileId>, name: String, id: FileId| {
            let depth = |id: FileId| (tree.path(id).matches('/').count(), id);
            let entry = map.entry(name).or_insert(id);
            if depth(id) < depth(*entry) {
                *entry = id;
            }
        };
        for (id, table) in self.manifests.cargo.iter().filter(|(id, _)| counted.contains(id)) {
            for keys in [&["dependencies"][..], &["dev-dependencies"], &["workspace", "dependencies"]] {
                for (name, _) in dig(table, keys).and_then(toml::Value::as_table).into_iter().flatten() {
                    nearer(self.tree, &mut self.cargo, name.clone(), *id);
                }
            }
        }
        for (id, value) in self.manifests.package.iter().filter(|(id, _)| counted.contains(id)) {
            for key in ["dependencies", "devDependencies", "peerDependencies"] {
                for (name, _) in value.get(key).and_then(Value::as_object).into_iter().flatten() {
                    nearer(self.tree, &mut self.npm, name.clone(), *id);
                }
            }
        }
        for (id, table) in self.manifests.pyproject.iter().filter(|(id, _)| counted.contains(id)) {
            for name in python_dependencies(table) {
                nearer(self.tree, &mut self.python, name, *id);
            }
        }
        for (id, ini) in self.manifests.ini.iter().filter(|(id, _)| counted.contains(id)) {
            for line in ini.get("options", "install_requires").iter().chain(ini.get("testenv", "deps")) {
                nearer(self.tree, &mut self.python, requirement(line), *id);
            }
        }
        let texts = self.manifests.text.iter().filter(|(id, _)| self.tree.path(*id).ends_with(".txt"));
        for (id, text) in texts.filter(|(id, _)| counted.contains(id)) {
            for line in text.lines() {
                nearer(self.tree, &mut self.python, requirement(line), *id);
            }
        }
    }

    fn tools(&self) -> Vec<DetectedTool> {
        let mut tools: Vec<DetectedTool> = TOOLS
            .iter()
            .filter_map(|(kind, id, signs)| {
                let shown_by = signs.iter().find_map(|sign| self.find(sign))?;
                Some(DetectedTool { kind: *kind, id: (*id).to_owned(), shown_by: self.tree.path(shown_by).to_owned() })
            })
            .collect();
        tools.sort();
        tools
    }

    fn find(&self, sign: &Sign) -> Option<FileId> {
        let file = |test: &dyn Fn(&str) -> bool| self.files.iter().copied().find(|id| test(self.tree.path(*id)));
        match *sign {
            File(name) => self.by_name.get(name).copied(),
            FileStart(start) => file(&|path| file_name(path).starts_with(start)),
            FileEnd(end) => file(&|path| path.ends_with(end)),
            Below(folder) => file(&|path| path.starts_with(folder)),
            CargoNeeds(name) => self.cargo.get(name).copied(),
            NpmNeeds(name) => self.npm.get(name).copied(),
            PythonNeeds(name) => self.python.get(name).copied(),
            Cargo(keys) => self.first(&self.manifests.cargo, |table| dig(table, keys).is_some()),
            Pyproject(keys) => self.first(&self.manifests.pyproject, |table| dig(table, keys).is_some()),
            Ini(section) => self.first(&self.manifests.ini, |ini| ini.has_section(section)),
            NpmKey(key) => self.first(&self.manifests.package, |value| value.get(key).is_some()),
            NpmScript(command) => self.first(&self.manifests.package, |value| {
                let scripts = value.get("scripts").and_then(Value::as_object);
                scripts.is_some_and(|map| map.values().filter_map(Value::as_str).any(|text| text.contains(command)))
            }),
            Jvm(word) => {
                let found = self.first(&self.manifests.text, |text| text.contains(word));
                found.filter(|id| !self.tree.path(*id).ends_with(".txt"))
            }
        }
    }

    fn first<T>(&self, list: &[(FileId, T)], test: impl Fn(&T) -> bool) -> Option<FileId> {
        let found = list.iter().filter(|(id, value)| self.counted.contains(id) && test(value)).map(|(id, _)| *id);
        found.min_by_key(|id| (self.tree.path(*id).matches('/').count(), *id))
    }
}

/// Every distribution that a `pyproject.toml` names.
fn python_dependencies(table: &toml::Table) -> Vec<String> {
    let mut found = Vec::new();
    let mut add_list = |value: Option<&toml::Value>| {
        let list = value.and_then(toml::Value::as_array).into_iter().flatten();
        found.extend(list.filter_map(toml::Value::as_str).map(requirement));
    };
    add_list(dig(table, &["project", "dependencies"]));
    for keys in [&["project", "optional-dependencies"][..], &["dependency-groups"]] {
        for (_, list) in dig(table, keys).and_then(toml::Value::as_table).into_iter().flatten() {
            add_list(Some(list));
        }
    }
    add_list(dig(table, &["tool", "uv", "dev-dependencies"]));
    let groups = dig(table, &["tool", "poetry", "group"]).and_then(toml::Value::as_table);
    let poetry = [&["tool", "poetry", "dependencies"][..], &["tool", "poetry", "dev-dependencies"]];
    let tables = poetry.iter().filter_map(|keys| dig(table, keys)?.as_table());
    let tables =
        tables.chain(groups.into_iter().flatten().filter_map(|(_, group)| group.get("dependencies")?.as_table()));
    found.extend(tables.flat_map(|table| table.keys().map(|name| requirement(name))));
    found
}

/// Returns the name of a requirement: `Ruff>=0.5 ; python_version > '3'` becomes `ruff`.
fn requirement(line: &str) -> String {
    let end = line.find(|letter: char| !letter.is_ascii_alphanumeric() && !matches!(letter, '-' | '_' | '.'));
    line[..end.unwrap_or(line.len())].to_ascii_lowercase().replace('_', "-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::roles;
    use assize_syntax::testing::Fixture;

    fn found(files: &[(&str, &str)]) -> Capabilities {
        let fixture = Fixture::new(files);
        let tree = fixture.tree();
        capabilities(&tree, &Manifests::read(&tree), &roles(&tree))
    }

    fn tools(files: &[(&str, &str)]) -> Vec<String> {
        found(files).tools.iter().map(|tool| format!("{:?} {} {}", tool.kind, tool.id, tool.shown_by)).collect()
    }

    #[test]
    fn tools_are_told_from_files_and_manifests() {
        type CapabilityTestFiles<'a> = &'a [(&'a str, &'a str)];
        let cases: &[(CapabilityTestFiles<'_>, &[&str])] = &[
            (
                &[
                    ("Cargo.toml", "[workspace.lints.clippy]\nall = 'warn'\n[workspace.dependencies]\nschemars = '1'"),
                    (".config/nextest.toml", ""),
                ],
                &[
                    "PackageManager cargo Cargo.toml",
                    "Formatter rustfmt Cargo.toml",
                    "Linter clippy Cargo.toml",
                    "TypeChecker rustc Cargo.toml",
                    "TestRunner cargo test Cargo.toml",
                    "TestRunner nextest .config/nextest.toml",
                    "SchemaTool json schema Cargo.toml",
                ],
            ),
            (
                &[(
                    "pyproject.toml",
                    "[project]\ndependencies = ['Pydantic>=2']\n[dependency-groups]\ndev = ['pytest>8', 'mypy']\n[tool.ruff.format]\n",
                )],
                &[
                    "PackageManager pip pyproject.toml",
                    "Formatter ruff format pyproject.toml",
                    "Linter ruff pyproject.toml",
                    "TypeChecker mypy pyproject.toml",
                    "TestRunner pytest pyproject.toml",
                    "SchemaTool pydantic pyproject.toml",
                ],
            ),
            (
                &[
                    ("setup.cfg", "[flake8]\n[tool:pytest]\n[mypy]\n"),
                    ("requirements-dev.txt", "black==24.1 # why\n-r other.txt\n"),
                ],
                &[
                    "PackageManager pip requirements-dev.txt",
                    "Formatter black requirements-dev.txt",
                    "Linter flake8 setup.cfg",
                    "TypeChecker mypy setup.cfg",
                    "TestRunner pytest setup.cfg",
                ],
            ),
            (
                &[
                    (
                        "package.json",
                        r#"{"devDependencies": {"eslint": "9", "typescript": "5"}, "scripts": {"test": "node --test"}, "prettier": {}}"#,
                    ),
                    ("web/package.json", r#"{"devDependencies": {"eslint": "9", "vitest": "3"}}"#),
                    ("pnpm-lock.yaml", ""),
                    (".github/workflows/ci.yml", ""),
                ],
                &[
                    "PackageManager pnpm pnpm-lock.yaml",
                    "Formatter prettier package.json",
                    "Linter eslint package.json",
                    "TypeChecker tsc package.json",
                    "TestRunner node:test package.json",
                    "TestRunner vitest web/package.json",
                    "Ci github actions .github/workflows/ci.yml",
                ],
            ),
            (
                &[
                    ("pom.xml", "<artifactId>junit</artifactId><artifactId>spotless-maven-plugin</artifactId>"),
                    ("a.proto", ""),
                ],
                &[
                    "PackageManager maven pom.xml",
                    "Formatter spotless pom.xml",
                    "TypeChecker javac pom.xml",
                    "TestRunner junit pom.xml",
                    "SchemaTool protobuf a.proto",
                ],
            ),
            (
                &[
                    ("tests/conftest.py", ""),
                    ("tests/cases/1/conftest.py", ""),
                    ("tests/cases/2/Cargo.toml", "[package]"),
                ],
                &["TestRunner pytest tests/conftest.py"],
            ),
            (&[("tests/fixtures/Cargo.toml", "[package]"), ("node_modules/a/package.json", "{}")], &[]),
        ];
        for (files, expected) in cases {
            assert_eq!(tools(files), *expected);
        }
    }

    #[test]
    fn languages_are_counted_by_lines() {
        let long = "use a\n".repeat(30);
        let languages = found(&[
            ("a.py", &long),
            ("tests/test_a.py", "use a\nuse b"),
            ("b.rs", "use std\n"),
            ("tests/fixtures/c.go", &long),
            ("README.md", "text"),
        ])
        .languages;
        let shown: Vec<String> = languages
            .iter()
            .map(|share| format!("{} {} {} {}", share.language, share.files, share.lines, share.test_lines))
            .collect();
        assert_eq!(shown, ["Python 2 32 2", "Rust 1 1 0", "Markdown 1 0 0"]);
    }

    #[test]
    fn requirements_have_one_form() {
        for (line, name) in
            [("Ruff>=0.5 ; x", "ruff"), ("typing_extensions", "typing-extensions"), ("a[b]", "a"), ("", "")]
        {
            assert_eq!(requirement(line), name);
        }
    }
}
