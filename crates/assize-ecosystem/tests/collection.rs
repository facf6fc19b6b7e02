//! Whether the tables of tests say what the runners do: each runner collects from a project of many names, and its list is compared.
//!
//! A runner works with its default configuration. Every file of a project holds one test that passes, so that the name and the folder
//! decide. Maven is the one of Debian: it takes its plugins out of `/usr/share/maven-repo`. Failsafe is not among them.

#![expect(clippy::print_stdout, reason = "the figures are printed for the person who compares")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use assize_ecosystem::{FileRole, holds_tests, is_test, pattern};
use serde_json::Value;

/// The variable that names the folder of tools.
const TOOLS_VARIABLE: &str = "ASSIZE_TEST_TOOLS";

/// Names without their endings.
const STEMS: &str = "test_list load_test mod testing spec specs fixtures e2e conftest tests test latest contest attest testimony \
    testify test_ _test test2 a_test a_tests a_spec a-test test-utils test_utils a.test a.spec a.e2e a.e2e-spec a.cy a.test-d \
    a.test.helper a.bench test.helper index main helper FooTest TestFoo FooTests FooTestCase FooIT ITFoo FooITCase TestUtils Testing \
    Testimony Latest Greatest Contest Attest Test Unit";

/// Folders of every language; `.` is the root.
const FOLDERS: &str = ". src lib tests test __tests__ spec e2e fixtures testdata examples benchmarks docs vendor/x tests/unit \
    tests/fixtures __tests__/deep src/test src/tests src/__tests__ src/testing src/spec src/fixtures src/e2e src/testdata";

/// Folders of Maven: what lies in `src/main` is compiled as product.
const MAVEN_FOLDERS: &str = "src/main/java src/main/java/product src/main/java/com/example/test src/test/java src/test/java/checks \
    src/test/java/fixtures src/test/java/com/example";

/// Folders in which the code of a product lies.
const PRODUCT_FOLDERS: &str = ". src lib src/testing src/spec src/fixtures src/e2e src/main/java src/main/java/product";

/// Differences on purpose: paths, with a slash in front, and the reason.
struct Exception {
    is_of: fn(&str) -> bool,
    reason: &'static str,
}

const FIXTURES: Exception = Exception {
    is_of: |path| ["/fixtures/*", "/tests/fixtures/*", "/testdata/*"].iter().any(|folder| pattern::fits(folder, path)),
    reason: "what tests read is no test of the project: its suite leaves it out, and no gate may follow from it",
};
const COPIES: Exception = Exception {
    is_of: |path| path.starts_with("/vendor/"),
    reason: "the tests of somebody else's code are not the project's",
};

/// A project in a temporary folder.
struct SampleProject {
    folder: tempfile::TempDir,
}

impl SampleProject {
    fn new() -> Self {
        // A name without a dot in front: runners pass over hidden folders.
        let folder = tempfile::Builder::new().prefix("collection-").tempdir().expect("a temporary folder");
        let project = Self { folder };
        fs::create_dir(project.home()).expect("a home folder");
        fs::create_dir(project.root()).expect("a project folder");
        project
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("a path in a folder")).expect("a folder is made");
        fs::write(path, text).expect("a file is written");
    }

    /// Makes a command that runs in the project and knows nothing of this machine but where programs are.
    fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        command.current_dir(self.root()).env_clear().env("HOME", self.home());
        command.env("PATH", std::env::var_os("PATH").expect("PATH is set"));
        command
    }

    /// Returns a path as it is from the root of the project.
    fn relative(&self, path: &str) -> String {
        let root = fs::canonicalize(self.root()).expect("the project is there");
        let path = Path::new(path);
        path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
    }
}

/// Runs a command to its end and returns what it prints.
fn read(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
    let (printed, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?} ended with {}:\n{printed}\n{said}", output.status);
    printed.into_owned()
}

fn tools() -> PathBuf {
    PathBuf::from(std::env::var_os(TOOLS_VARIABLE).expect("`cargo xtask collection` names the folder of tools"))
}

/// Every name in every folder, with every ending.
fn paths(folders: &[&str], endings: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for folder in folders.iter().flat_map(|folders| folders.split_whitespace()) {
        for stem in STEMS.split_whitespace() {
            let names = endings.iter().map(|ending| format!("{stem}.{ending}"));
            found.extend(names.map(|name| if folder == "." { name } else { format!("{folder}/{name}") }));
        }
    }
    found
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(".", |(folder, _)| folder)
}

/// Says how our answer differs from what the runner did, if it does.
fn difference(path: &str, is_collected: bool) -> Option<&'static str> {
    if is_collected != holds_tests(path) {
        return Some(if is_collected {
            "collected, but not called a test"
        } else {
            "called a test, but not collected"
        });
    }
    let is_product = PRODUCT_FOLDERS.split_whitespace().any(|folder| folder == folder_of(path));
    (!is_collected && is_product && is_test(path))
        .then_some("not collected from the product, but called part of the tests")
}

/// Compares our answers with a runner's list. Each exception has to be needed.
fn compare(runner: &str, files: &[String], collected: &BTreeSet<String>, exceptions: &[Exception]) {
    assert!(!collected.is_empty(), "{runner} collects nothing");
    let unknown: Vec<&String> = collected.iter().filter(|path| !files.contains(path)).collect();
    assert!(unknown.is_empty(), "{runner} collects what was not written: {unknown:?}");
    let (mut wrong, mut excepted) = (Vec::new(), vec![0; exceptions.len()]);
    for path in files {
        let Some(what) = difference(path, collected.contains(path)) else { continue };
        match exceptions.iter().position(|exception| (exception.is_of)(&format!("/{path}"))) {
            Some(at) => excepted[at] += 1,
            None => wrong.push(format!("{path} ({:?}): {what}", FileRole::of(path))),
        }
    }
    println!("{runner}: {} files, {} collected, {} differ", files.len(), collected.len(), wrong.len());
    for (Exception { reason, .. }, count) in exceptions.iter().zip(excepted) {
        println!("{runner}: {count} differ on purpose: {reason}");
        assert_ne!(count, 0, "{runner}: an exception is no longer needed: {reason}");
    }
    assert!(wrong.is_empty(), "{runner}: {} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// The differences of pytest.
const OF_PYTEST: [Exception; 4] = [
    FIXTURES,
    COPIES,
    Exception {
        is_of: |path| path.ends_with("/conftest.py"),
        reason: "pytest loads it for the tests beside it, and collects nothing from it",
    },
    Exception {
        is_of: |path| path.ends_with("/test.py") || path.ends_with("/tests.py"),
        reason: "unittest and Django collect them",
    },
];

/// The differences of vitest and jest.
const OF_SCRIPTS: [Exception; 5] = [
    FIXTURES,
    COPIES,
    Exception {
        is_of: |path| [".cy.", ".e2e.", ".e2e-spec."].iter().any(|part| path.contains(part)),
        reason: "Cypress, Stencil, Detox or Nest collect them",
    },
    Exception { is_of: |path| path.contains(".test-d."), reason: "vitest collects them when it checks types" },
    Exception {
        is_of: |path| path.contains("/a.test.helper."),
        reason: "a helper that is called after its test belongs to it",
    },
];

/// The differences of `go test`.
const OF_GO: [Exception; 1] = [Exception {
    is_of: |path| path.ends_with("/_test.go"),
    reason: "Go passes over it, so that it is no product either",
}];

/// The differences of Surefire.
const OF_SUREFIRE: [Exception; 2] = [
    Exception {
        is_of: |path| !path.contains("/java/") && (path.contains("Test") || path.contains("IT")),
        reason: "Maven sees source sets alone: where a project has none, the name decides",
    },
    Exception {
        is_of: |path| {
            ["/src/test/*/FooIT.java", "/src/test/*/ITFoo.java", "/src/test/*/FooITCase.java"]
                .iter()
                .any(|it| pattern::fits(it, path))
        },
        reason: "Failsafe collects them",
    },
];

#[test]
#[ignore = "needs the runners: cargo xtask collection"]
fn pytest_collects_what_is_called_a_test() {
    let files = paths(&[FOLDERS, "node_modules/x"], &["py"]);
    let project = SampleProject::new();
    for path in &files {
        project.write(path, "def test_passes():\n    pass\n");
        // With packages, files of one name do not stand in each other's way.
        for (at, _) in path.match_indices('/') {
            project.write(&format!("{}/__init__.py", &path[..at]), "");
        }
    }
    let mut pytest = project.command(tools().join("python/bin/python"));
    let printed = read(pytest.args(["-m", "pytest", "--collect-only", "--quiet"]));
    let collected = printed.lines().filter_map(|line| line.split_once("::")).map(|(path, _)| path.to_owned()).collect();
    compare("pytest", &files, &collected, &OF_PYTEST);
}

/// A project may have either runner: a file is collected if one of them does.
#[test]
#[ignore = "needs the runners: cargo xtask collection"]
fn vitest_and_jest_collect_what_is_called_a_test() {
    let endings = ["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"];
    let files = paths(&[FOLDERS, "node_modules/x"], &endings);
    let project = SampleProject::new();
    project.write("package.json", "{}");
    for path in &files {
        project.write(path, "test('passes', () => {});\n");
    }
    let mut vitest = project.command("node");
    vitest.arg(tools().join("node/node_modules/vitest/vitest.mjs")).args(["list", "--filesOnly", "--json"]);
    let listed: Value = serde_json::from_str(&read(&mut vitest)).expect("vitest lists files as JSON");
    let listed = listed.as_array().expect("a list of files").iter();
    let by_vitest: BTreeSet<String> =
        listed.map(|file| project.relative(file["file"].as_str().expect("a path"))).collect();
    let mut jest = project.command("node");
    jest.arg(tools().join("jest/node_modules/jest/bin/jest.js")).arg("--listTests");
    let by_jest: BTreeSet<String> = read(&mut jest).lines().map(|path| project.relative(path)).collect();
    println!("vitest collects {}, jest {}", by_vitest.len(), by_jest.len());
    assert!(!by_vitest.is_empty() && !by_jest.is_empty(), "both collect");
    compare("vitest and jest", &files, &by_vitest.union(&by_jest).cloned().collect(), &OF_SCRIPTS);
}

#[test]
#[ignore = "needs the runners: cargo xtask collection"]
fn go_test_collects_what_is_called_a_test() {
    let mut files = paths(&[FOLDERS, "_old .hidden"], &["go"]);
    // Go refuses a package with two names that differ in case alone.
    let mut seen = BTreeSet::new();
    files.retain(|path| seen.insert(path.to_lowercase()));
    let project = SampleProject::new();
    project.write("go.mod", "module example.com/p\n\ngo 1.19\n");
    for (index, path) in files.iter().enumerate() {
        let text = format!("package p\n\nimport \"testing\"\n\nfunc TestPasses{index}(t *testing.T) {{}}\n");
        project.write(path, &text);
    }
    let each = "{{range .TestGoFiles}}{{$.Dir}}/{{.}}\n{{end}}{{range .XTestGoFiles}}{{$.Dir}}/{{.}}\n{{end}}";
    let printed = read(project.command("go").args(["list", "-f", each, "./..."]));
    let lines = printed.lines().filter(|line| !line.is_empty());
    compare("go test", &files, &lines.map(|path| project.relative(path)).collect(), &OF_GO);
}

#[test]
#[ignore = "needs the runners: cargo xtask collection"]
fn surefire_collects_what_is_called_a_test() {
    let mut files = paths(&[FOLDERS, MAVEN_FOLDERS], &["java"]);
    let class_of = |path: &str| path.rsplit('/').next().and_then(|name| name.strip_suffix(".java")).map(str::to_owned);
    files.retain(|path| class_of(path).is_some_and(|class| !class.contains(['.', '-'])));
    let project = SampleProject::new();
    for path in &files {
        let package = folder_of(path).split_once("/java/").map(|(_, package)| package.replace('/', "."));
        let package = package.map_or(String::new(), |package| format!("package {package};\n"));
        let class = class_of(path).expect("only classes are left");
        let text = format!("{package}public class {class} {{ @org.junit.Test public void passes() {{}} }}\n");
        project.write(path, &text);
    }
    project.write("pom.xml", POM);
    let repository = project.home().join("repository");
    let settings = project.home().join("settings.xml");
    fs::write(&settings, SETTINGS.replace("LOCAL", &repository.to_string_lossy())).expect("settings are written");
    let mut maven = project.command("mvn");
    maven.args(["--batch-mode", "--settings"]).arg(&settings).arg("--global-settings").arg(&settings);
    read(maven.arg("test"));
    let reports = fs::read_dir(project.root().join("target/surefire-reports")).expect("Surefire writes reports");
    let names = reports.map(|report| report.expect("a report").file_name().to_string_lossy().into_owned());
    let classes = names.filter_map(|name| Some(name.strip_prefix("TEST-")?.strip_suffix(".xml")?.replace('.', "/")));
    let collected = classes.map(|class| format!("src/test/java/{class}.java")).collect();
    compare("Surefire", &files, &collected, &OF_SUREFIRE);
}

const POM: &str = r#"<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId>
  <artifactId>p</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source>
    <maven.compiler.target>17</maven.compiler.target>
  </properties>
  <dependencies>
    <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version></dependency>
  </dependencies>
</project>
"#;

/// Has Maven take everything from the system's packages.
const SETTINGS: &str = r"<settings>
  <localRepository>LOCAL</localRepository>
  <mirrors>
    <mirror><id>debian</id><mirrorOf>*</mirrorOf><url>file:///usr/share/maven-repo</url></mirror>
  </mirrors>
</settings>
";

/// Modules of the product whose names sound like tests.
const PRODUCT_MODULES: &str =
    "test_list load_test latest contest attest testimony testify test_utils conftest helper specs test2";

/// A package of Cargo. `HOLDS` stands for a test that is named after its file.
const PACKAGE: [(&str, &str); 18] = [
    ("Cargo.toml", "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
    ("src/testing/mod.rs", ""),
    ("src/spec/mod.rs", ""),
    ("src/fixtures/mod.rs", ""),
    ("src/e2e/mod.rs", ""),
    ("src/rule/mod.rs", "#[cfg(test)] mod tests; #[cfg(test)] mod more_tests; pub mod test_kind;"),
    ("src/rule/test_kind.rs", ""),
    ("src/rule/tests/mod.rs", "mod deep; HOLDS"),
    ("src/rule/tests/deep.rs", "HOLDS"),
    ("src/rule/more_tests.rs", "HOLDS"),
    ("src/tests.rs", "HOLDS"),
    ("src/bin/tool.rs", "fn main() {}"),
    ("tests/api.rs", "mod common; HOLDS"),
    ("tests/common/mod.rs", "pub mod helper;"),
    ("tests/common/helper.rs", ""),
    ("tests/suite/main.rs", "HOLDS"),
    ("benches/tests.rs", ""),
    ("examples/tests.rs", "fn main() {}"),
];

/// What cargo compiled, and what the compiled tests list.
struct CompiledPackage {
    roles: BTreeMap<String, FileRole>,
    collected: BTreeSet<String>,
}

/// Here a file of the product holds no test: cargo would collect it from any module. The compiler says which files each target is made of.
#[test]
#[ignore = "needs the runners: cargo xtask collection"]
fn cargo_compiles_files_for_what_they_are_called() {
    let project = SampleProject::new();
    let modules: Vec<&str> = PRODUCT_MODULES.split(' ').chain(["testing", "spec", "fixtures", "e2e", "rule"]).collect();
    let declared: String = modules.iter().map(|module| format!("pub mod {module};\n")).collect();
    let mut texts: Vec<(String, String)> =
        PACKAGE.iter().map(|(path, text)| ((*path).to_owned(), text.replace("HOLDS", &holder(path)))).collect();
    texts.extend(PRODUCT_MODULES.split(' ').map(|module| (format!("src/{module}.rs"), String::new())));
    texts.push(("src/lib.rs".to_owned(), format!("{declared}#[cfg(test)] mod tests;\n")));
    for (path, text) in &texts {
        project.write(path, text);
    }
    let files: Vec<String> = texts.into_iter().map(|(path, _)| path).filter(|path| path.ends_with(".rs")).collect();
    let compiled = compile(&project, &files);
    assert_eq!(compiled.roles.len(), files.len(), "cargo compiles every file: {:?}", compiled.roles);
    let wrong: Vec<String> = compiled
        .roles
        .iter()
        .filter(|(path, role)| FileRole::of(path) != **role)
        .map(|(path, role)| format!("{path}: compiled as {role:?}, called {:?}", FileRole::of(path)))
        .collect();
    assert!(wrong.is_empty(), "cargo: {} differ:\n{}", wrong.len(), wrong.join("\n"));
    compare("cargo test", &files, &compiled.collected, &[]);
}

/// The name of the test in a file.
fn test_name(path: &str) -> String {
    path.trim_end_matches(".rs").replace('/', "_")
}

fn holder(path: &str) -> String {
    format!("#[test] fn {}() {{}}", test_name(path))
}

fn compile(project: &SampleProject, files: &[String]) -> CompiledPackage {
    let program = PathBuf::from(std::env::var_os("CARGO").expect("cargo runs the tests"));
    let cargo = |arguments: &[&str]| {
        let mut command = project.command(&program);
        // Where `rustc` on the path is a link of rustup, it asks the home folder which toolchain is meant.
        let beside = program.with_file_name("rustc");
        if beside.is_file() {
            command.env("RUSTC", beside);
        }
        read(command.args(arguments).arg("--offline"))
    };
    // Only a build notes what programs and examples are made of.
    cargo(&["build", "--bins", "--examples"]);
    let printed = cargo(&["test", "--no-run", "--all-targets", "--message-format=json"]);
    let messages = printed.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let artifacts: Vec<Value> = messages.filter(|message| message["reason"] == "compiler-artifact").collect();
    let (mut roles, mut collected) = (BTreeMap::new(), BTreeSet::new());
    for artifact in &artifacts {
        let is_test_build = artifact["profile"]["test"] == true;
        let role = match artifact["target"]["kind"][0].as_str().expect("a kind of target") {
            "bench" => FileRole::Benchmark,
            "example" => FileRole::Example,
            "lib" | "bin" if !is_test_build => FileRole::Production,
            _ => FileRole::Test,
        };
        for path in sources(project, artifact) {
            // What is compiled for the product belongs to it, even though its tests compile it again.
            let known = roles.entry(path).or_insert(role);
            if role == FileRole::Production {
                *known = role;
            }
        }
        let Some(program) = artifact["executable"].as_str().filter(|_| role == FileRole::Test) else { continue };
        let listed = read(project.command(program).arg("--list"));
        let is_listed = |path: &&String| listed.contains(&format!("{}: test", test_name(path)));
        collected.extend(files.iter().filter(is_listed).cloned());
    }
    CompiledPackage { roles, collected }
}

/// The files that an artifact is made of, as the compiler notes them beside it.
fn sources(project: &SampleProject, artifact: &Value) -> Vec<String> {
    let file = artifact["filenames"][0].as_str().expect("an artifact is a file").replace("/deps/libp-", "/deps/p-");
    let file = Path::new(&file).with_extension("d");
    let noted = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let (_, sources) = noted.lines().next().and_then(|line| line.split_once(": ")).expect("a line of sources");
    sources.split_whitespace().map(|path| project.relative(path)).collect()
}
