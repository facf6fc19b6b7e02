//! What a project works with: languages, package managers, formatters, linters, type checkers, test
//! runners, schema tools and CI.
//!
//! Everything is told from files that are there and from what manifests name, by one table; each
//! answer comes with the file that shows it. Nothing is run, and it must not know whether a tool is
//! installed.

use std::collections::BTreeMap;

use assize_core::path::{ending, file_name, parent};
use assize_ecosystem::command::CommandRole;
use assize_ecosystem::pattern::fits;
use assize_ecosystem::pipeline::Pipeline;
use assize_ecosystem::tool::{Sign, Tool, ToolKind};
use assize_ecosystem::{ECOSYSTEMS, Ecosystem, FileRole};
use assize_syntax::manifest::{Manifests, dig};
use assize_syntax::tree::{FileId, SourceTree};
use foldhash::{HashMap, HashMapExt, HashSet};
use serde::{Deserialize, Serialize};
use serde_json::Value;

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
    /// How the maintainers test and check every change, as their pipelines and scripts say, tests first.
    #[serde(default)]
    pub commands: Vec<MaintainerCommand>,
}

/// The most commands that are kept.
pub const COMMANDS_MAX: usize = 20;

/// A command with which the maintainers test or check a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MaintainerCommand {
    /// The command.
    pub command: String,
    /// The folder that it runs in, relative to the root; empty for the root.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub folder: String,
    /// What it is for.
    pub role: CommandRole,
    /// Where it is written.
    pub source: String,
}

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
    let texts = tree.files().filter_map(|(_, file)| Some((file.path.to_owned(), file.text?.to_owned())));
    let pipeline = Pipeline::read(&texts.collect());
    let tools = Search::new(tree, manifests, roles).tools(&pipeline);
    Capabilities { languages: languages(tree, roles), tools, commands: commands(&pipeline) }
}

/// Reads what the maintainers call, tests before checks, each once.
fn commands(pipeline: &Pipeline) -> Vec<MaintainerCommand> {
    let mut found: Vec<MaintainerCommand> = Vec::new();
    for role in [CommandRole::Test, CommandRole::Check] {
        for command in pipeline.commands.iter().filter(|command| command.role() == role) {
            let text = command.text();
            if !found.iter().any(|other| other.command == text && other.folder == command.folder) {
                let (folder, source) = (command.folder.clone(), command.source.clone());
                found.push(MaintainerCommand { command: text, folder, role, source });
            }
        }
    }
    found.truncate(COMMANDS_MAX);
    found
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
    /// What manifests depend on: ecosystem and package.
    packages: HashMap<(&'static str, String), FileId>,
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
        let mut search = Self { tree, manifests, files, by_name, packages: HashMap::new(), counted };
        search.read_dependencies();
        search
    }

    fn read_dependencies(&mut self) {
        let mut found: Vec<(&'static str, String, FileId)> = Vec::new();
        for (id, table) in &self.manifests.cargo {
            for keys in [&["dependencies"][..], &["dev-dependencies"], &["workspace", "dependencies"]] {
                let names = dig(table, keys).and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::keys);
                found.extend(names.map(|name| ("cargo", name.clone(), *id)));
            }
        }
        for (id, value) in &self.manifests.package {
            for key in ["dependencies", "devDependencies", "peerDependencies"] {
                let names = value.get(key).and_then(Value::as_object).into_iter().flat_map(serde_json::Map::keys);
                found.extend(names.map(|name| ("node", name.clone(), *id)));
            }
        }
        for (id, table) in &self.manifests.pyproject {
            found.extend(python_dependencies(table).into_iter().map(|name| ("python", name, *id)));
        }
        for (id, ini) in &self.manifests.ini {
            let lines = ini.get("options", "install_requires").iter().chain(ini.get("testenv", "deps"));
            found.extend(lines.map(|line| ("python", requirement(line), *id)));
        }
        let texts = self.manifests.text.iter().filter(|(id, _)| self.tree.path(*id).ends_with(".txt"));
        found.extend(texts.flat_map(|(id, text)| text.lines().map(|line| ("python", requirement(line), *id))));
        found.retain(|(_, _, id)| self.counted.contains(id));
        found.sort_by_key(|(_, _, id)| self.distance(*id));
        for (ecosystem, name, id) in found {
            self.packages.entry((ecosystem, name)).or_insert(id);
        }
    }

    /// The tools, with what shows each. What the maintainers call shows a formatter as well as its settings do; where there is
    /// such a one, another that is merely among the dependencies is not the project's.
    fn tools(&self, pipeline: &Pipeline) -> Vec<DetectedTool> {
        let listed = ECOSYSTEMS.iter().flat_map(|ecosystem| ecosystem.tools.iter().map(move |tool| (ecosystem, tool)));
        let mut found: Vec<FoundTool> =
            listed.flat_map(|(ecosystem, tool)| self.found(ecosystem, tool, pipeline)).collect();
        let chosen: HashSet<&str> =
            found.iter().filter(|it| it.is_chosen && it.is_formatter()).map(|it| it.ecosystem).collect();
        found.retain(|it| it.is_chosen || !it.is_formatter() || !chosen.contains(it.ecosystem));
        let depth = |it: &FoundTool| it.tool.shown_by.matches('/').count();
        found.sort_by(|one, other| {
            (one.tool.kind, &one.tool.id, depth(one), &one.tool.shown_by).cmp(&(
                other.tool.kind,
                &other.tool.id,
                depth(other),
                &other.tool.shown_by,
            ))
        });
        let mut tools: Vec<DetectedTool> = found.into_iter().map(|found| found.tool).collect();
        tools.dedup_by(|one, other| one.kind == other.kind && one.id == other.id);
        tools
    }

    /// What shows a tool, once for each of its kinds.
    fn found(&self, ecosystem: &Ecosystem, tool: &Tool, pipeline: &Pipeline) -> Vec<FoundTool> {
        let of = |is_meant: fn(&&Sign) -> bool| {
            tool.signs.iter().filter(is_meant).find_map(|sign| self.find(ecosystem, *sign))
        };
        let called = if tool.kinds.contains(&ToolKind::Formatter) { called_in(pipeline, tool) } else { None };
        let is_chosen = called.is_some() || of(|sign| !matches!(sign, Sign::Dependency(_))).is_some();
        let Some(shown_by) = of(|_| true).map(|id| self.tree.path(id).to_owned()).or(called) else { return Vec::new() };
        let of_kind = |kind: &ToolKind| FoundTool {
            ecosystem: ecosystem.id,
            is_chosen,
            tool: DetectedTool { kind: *kind, id: tool.id.to_owned(), shown_by: shown_by.clone() },
        };
        tool.kinds.iter().map(of_kind).collect()
    }

    /// How far a file is from the root of the tree.
    fn distance(&self, id: FileId) -> (usize, FileId) {
        (self.tree.path(id).matches('/').count(), id)
    }

    fn find(&self, ecosystem: &Ecosystem, sign: Sign) -> Option<FileId> {
        let file = |test: &dyn Fn(&str) -> bool| self.files.iter().copied().find(|id| test(self.tree.path(*id)));
        let manifests = self.manifests;
        match sign {
            Sign::Setting(name) | Sign::File(name) if name.contains('*') => file(&|path| fits(name, file_name(path))),
            Sign::Setting(name) | Sign::File(name) => self.by_name.get(name).copied(),
            Sign::Below(folder) => file(&|path| path.starts_with(folder)),
            Sign::Dependency(name) => self.packages.get(&(ecosystem.id, name.to_owned())).copied(),
            Sign::Key("Cargo.toml", keys) => self.first(&manifests.cargo, |table| dig(table, keys).is_some()),
            Sign::Key("package.json", keys) => self
                .first(&manifests.package, |value| keys.iter().try_fold(value, |value, key| value.get(key)).is_some()),
            Sign::Key(_, keys) => self.first(&manifests.pyproject, |table| dig(table, keys).is_some()),
            Sign::Section(section) => self.first(&manifests.ini, |ini| ini.has_section(section)),
            Sign::Script(command) => self.first(&manifests.package, |value| {
                let scripts = value.get("scripts").and_then(Value::as_object);
                scripts.is_some_and(|map| map.values().filter_map(Value::as_str).any(|text| text.contains(command)))
            }),
            Sign::Text(text) => {
                let found = self.first(&manifests.text, |manifest| manifest.contains(text));
                found.filter(|id| !self.tree.path(*id).ends_with(".txt"))
            }
            Sign::AlsoReads(_) | Sign::Unasked(_) => None,
        }
    }

    fn first<T>(&self, list: &[(FileId, T)], test: impl Fn(&T) -> bool) -> Option<FileId> {
        let found = list.iter().filter(|(id, value)| self.counted.contains(id) && test(value)).map(|(id, _)| *id);
        found.min_by_key(|id| self.distance(*id))
    }
}

/// A tool that something shows.
struct FoundTool {
    ecosystem: &'static str,
    /// Whether the project has chosen it: it has settings, or is called. A dependency alone may be another tool's.
    is_chosen: bool,
    tool: DetectedTool,
}

impl FoundTool {
    fn is_formatter(&self) -> bool {
        self.tool.kind == ToolKind::Formatter
    }
}

/// Returns the file in which the maintainers call a tool by its name.
fn called_in(pipeline: &Pipeline, tool: &Tool) -> Option<String> {
    let call = pipeline.commands.iter().find(|command| command.begins_with(tool.id))?;
    Some(call.source.split(", ").next().unwrap_or_default().to_owned())
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
    fn formatters_of_java_are_told_from_the_build() {
        for (files, expected) in [
            (
                [(
                    "pom.xml",
                    "<groupId>io.spring.javaformat</groupId><artifactId>spring-javaformat-maven-plugin</artifactId>",
                )],
                vec![
                    "PackageManager maven pom.xml",
                    "Formatter spring-javaformat pom.xml",
                    "TypeChecker javac pom.xml",
                ],
            ),
            (
                [("build.gradle", "plugins {\n  id 'java'\n  id 'io.spring.javaformat' version '0.0.43'\n}\n")],
                vec![
                    "PackageManager gradle build.gradle",
                    "Formatter spring-javaformat build.gradle",
                    "TypeChecker javac build.gradle",
                ],
            ),
        ] {
            assert_eq!(tools(&files), expected, "{files:?}");
        }
    }

    type CapabilityTestFiles<'a> = &'a [(&'a str, &'a str)];

    #[test]
    fn tools_are_told_from_files_and_manifests() {
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
    fn what_is_copied_or_only_builds_shows_no_tool() {
        let cases: &[(CapabilityTestFiles<'_>, &[&str])] = &[
            // What is copied into other projects, and what is there to try this one.
            (
                &[
                    ("packages/create/package.json", "{}"),
                    ("packages/create/template-a/package.json", r#"{"devDependencies": {"oxlint": "1"}}"#),
                    ("packages/create/template-a/eslint.config.js", ""),
                    ("playground/package.json", "{}"),
                    ("playground/tsconfig.json", "{}"),
                ],
                &[],
            ),
            // Folders of the project's own code may have such names.
            (
                &[("package.json", "{}"), ("src/templates/eslint.config.js", "")],
                &["Linter eslint src/templates/eslint.config.js"],
            ),
            // Build backends install nothing.
            (
                &[("pyproject.toml", "[project]\n[tool.hatch.build]\n[tool.hatch.version]\n")],
                &["PackageManager pip pyproject.toml"],
            ),
            (&[("pyproject.toml", "[project]\n[tool.pdm.version]\n")], &["PackageManager pip pyproject.toml"]),
            (
                &[(
                    "pyproject.toml",
                    "[build-system]\nbuild-backend = \"uv_build\"\n[project]\n[tool.uv.build-backend]\n",
                )],
                &["PackageManager pip pyproject.toml"],
            ),
            (
                &[("pyproject.toml", "[project]\n[tool.poetry]\npackages = []\n")],
                &["PackageManager pip pyproject.toml"],
            ),
            (
                &[(
                    "pyproject.toml",
                    "[tool.poetry]\n[tool.poetry.group.dev.dependencies]\n[tool.hatch.envs.default]\n",
                )],
                &["PackageManager hatch pyproject.toml", "PackageManager poetry pyproject.toml"],
            ),
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
            ("tests/fixtures/c.ts", &long),
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
