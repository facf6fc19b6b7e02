//! What the gates of Go projects have in common: where modules stand, and how the tool is called.
//!
//! It must not know any of the gates.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use assize_core::path::{file_name, is_below, parent, within};
use assize_ecosystem::{holds_tests, is_generated};
use assize_report::{ReportError, ToolReport, go_vet};
use regex::Regex;

use super::{GateCommand, GateOutput, Project, REPORTS, Setup};

/// The detail of a setup: the package belongs to no module.
const NO_MODULE: &str = "no module";
/// Stands in provided files for the version of the language that the installed tool has, such as `1.24`.
pub const GO_LANGUAGE: &str = "{go_language}";
/// What the detail begins with where such packages import each other by a path, which follows.
const IMPORTED_AS: &str = "imported as ";

/// Finds the modules that hold code.
pub(super) fn setups(project: &Project, is_code: impl Fn(&str) -> bool) -> Vec<Setup> {
    let modules = module_folders(&project.files);
    let has_code =
        |folder: &str| project.files.iter().any(|path| is_below(path, folder) && is_code(path) && !is_generated(path));
    let found: Vec<Setup> = modules
        .iter()
        .filter(|folder| has_code(folder))
        .map(|folder| Setup {
            folder: (*folder).to_owned(),
            because: format!("there is a {}", within(folder, "go.mod")),
            detail: String::new(),
        })
        .collect();
    if modules.contains("") {
        return found;
    }
    // Packages of before Go 1.11 are found without a module where they need nothing but the standard library and each other.
    let is_outside = |path: &&String| !modules.iter().any(|folder| is_below(path, folder));
    let is_of_go = |path: &&String| self::is_code(path) && !is_generated(path) && is_outside(path);
    let is_of_package = |path: &&String| parent(path).is_empty() && is_of_go(path);
    let is_foreign = |path: &String| assize_ecosystem::is_code(path) && !is_generated(path) && !self::is_code(path);
    let is_project_of_go = || project.imported_as.is_some() || !project.files.iter().any(is_foreign);
    let package = project.files.iter().find(is_of_package);
    let package = package.or_else(|| project.files.iter().find(is_of_go).filter(|_| is_project_of_go()));
    // Beside a module, code without tests is a sample.
    let is_tested = || project.files.iter().filter(is_outside).any(|path| self::is_code(path) && holds_tests(path));
    let has_own = || project.files.iter().filter(is_outside).any(|path| is_code(path) && !is_generated(path));
    let package = package.filter(|_| has_own() && (found.is_empty() || is_tested()));
    let detail = project.imported_as.as_ref().map(|path| format!("{IMPORTED_AS}{path}"));
    let package = package.map(|path| Setup {
        folder: String::new(),
        because: format!("there is a {path}, and no go.mod"),
        detail: detail.unwrap_or_else(|| NO_MODULE.to_owned()),
    });
    found.into_iter().chain(package).collect()
}

/// The folders of modules, those of samples left out.
fn module_folders(files: &BTreeSet<String>) -> BTreeSet<&str> {
    let is_module = |path: &&String| {
        file_name(path) == "go.mod" && !is_generated(path) && !path.split('/').any(|part| part == "testdata")
    };
    files.iter().filter(is_module).map(|path| parent(path)).collect()
}

/// Returns the path by which packages of Go import each other where no module says it: what stands before one of their folders
/// in most imports, or what tests beside a package import it by. `text_of` reads a file of the project.
pub fn imported_as(files: &BTreeSet<String>, text_of: impl Fn(&str) -> Option<String>) -> Option<String> {
    let modules = module_folders(files);
    if modules.contains("") {
        return None;
    }
    let is_outside = |path: &&String| !modules.iter().any(|folder| is_below(path, folder));
    let code = || files.iter().filter(|path| path.ends_with(".go")).filter(is_outside);
    let folders: BTreeSet<&str> = code().map(|path| parent(path)).collect();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for path in code() {
        let Some(text) = text_of(path) else { continue };
        for import in IMPORT.captures_iter(&text).map(|found| found["path"].to_owned()) {
            let inside = folders.iter().filter_map(|folder| {
                let before = import.strip_suffix(folder)?.strip_suffix('/')?;
                (!folder.is_empty()).then_some(before)
            });
            let beside = parent(path).is_empty()
                && import.rsplit('/').next().is_some_and(|name| text.contains(&format!("package {name}_test\n")));
            let of_own = inside.min_by_key(|before| before.len()).or(beside.then_some(&import));
            if let Some(own) =
                of_own.filter(|own| own.contains('/') && own.split('/').next().is_some_and(|host| host.contains('.')))
            {
                *counts.entry(own.to_owned()).or_default() += 1;
            }
        }
    }
    counts.into_iter().max_by_key(|(own, count)| (*count, std::cmp::Reverse(own.len()))).map(|(own, _)| own)
}

/// An import of Go by the path of a host: `"example.com/a/b"` on a line of its own or behind `import`.
static IMPORT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?m)^(?:import|[ \t])[ \t]*(?:[\w.]+[ \t]+)?"(?<path>[\w-]+\.[\w./-]+)"[ \t]*(?://.*)?$"#)
        .expect("valid pattern")
});

/// Returns whether a file is Go code.
pub(super) fn is_code(path: &str) -> bool {
    path.ends_with(".go")
}

/// The path by which a module is imported.
pub(super) fn module(setup: &Setup, project: &Project) -> Option<String> {
    if let Some(path) = setup.detail.strip_prefix(IMPORTED_AS) {
        return Some(path.to_owned());
    }
    let text = project.manifests.get(&within(&setup.folder, "go.mod"))?;
    let name = text.lines().find_map(|line| line.trim().strip_prefix("module "))?;
    Some(name.split("//").next()?.trim().trim_matches('"').to_owned())
}

/// The version of Go that a module is written for.
pub(super) fn version(project: &Project, folder: &str) -> Option<(u32, u32)> {
    let text = project.manifests.get(&within(folder, "go.mod"))?;
    let version = text.lines().find_map(|line| line.trim().strip_prefix("go "))?.trim();
    let mut parts = version.split(|character: char| !character.is_ascii_digit()).map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}

/// A command of the tool. It must not fetch another version of itself, nor change the list of dependencies.
pub(super) fn command(setup: &Setup, program: &str, arguments: &[&str]) -> GateCommand {
    let modules = if setup.detail == NO_MODULE { "off" } else { "on" };
    // The tool is shown a module that is not there.
    let imported_as = setup.detail.strip_prefix(IMPORTED_AS);
    let flags = imported_as.map_or_else(String::new, |_| format!("-mod=mod -overlay={REPORTS}/overlay.json"));
    let provided = imported_as.map(|path| {
        let overlay = format!(r#"{{"Replace":{{"go.mod":"{REPORTS}/go.mod"}}}}"#);
        [("go.mod".to_owned(), format!("module {path}\n\ngo {GO_LANGUAGE}\n")), ("overlay.json".to_owned(), overlay)]
    });
    GateCommand {
        program: program.to_owned(),
        arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
        folder: setup.folder.clone(),
        environment: [("GOTOOLCHAIN", "local"), ("GOFLAGS", &flags), ("GO111MODULE", modules)]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        provided: provided.into_iter().flatten().collect(),
    }
}

/// A version that the module asks for and the installed tool is older than: `note: module requires Go 1.21`, which stands
/// below what does not compile, or `go: go.mod requires go >= 1.23 (running go 1.21.1; GOTOOLCHAIN=local)`. Before 1.21, a
/// version in three parts could not be read.
static VERSION: LazyLock<Regex> = LazyLock::new(|| {
    let said = r"note: module requires Go |go: .*requires go >= |\S*go\.(?:mod|work):\d+: invalid go version '";
    Regex::new(&format!(r"(?m)^(?:{said})(?<version>\d[\d.]*\w*)")).expect("valid pattern")
});

/// What stands in a `go.mod` only since a version.
static DIRECTIVE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\S*go\.(?:mod|work):\d+: unknown (?:directive|block type): (?<name>\w+)$").expect("valid pattern")
});
const DIRECTIVES: &[(&str, &str)] = &[("toolchain", "1.21"), ("godebug", "1.23"), ("tool", "1.24"), ("ignore", "1.25")];

/// A package of the standard library that an older one does not have: `package slices is not in GOROOT (/usr/lib/go-1.19/…)`.
static PACKAGE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m): package (?<name>[\w/]+) is not in (?:GOROOT|std)\b").expect("valid pattern"));
const PACKAGES: &[(&str, &str)] = &[
    ("cmp", "1.21"),
    ("crypto/ecdh", "1.20"),
    ("crypto/fips140", "1.24"),
    ("crypto/hkdf", "1.24"),
    ("crypto/mlkem", "1.24"),
    ("crypto/pbkdf2", "1.24"),
    ("crypto/sha3", "1.24"),
    ("go/version", "1.22"),
    ("iter", "1.23"),
    ("log/slog", "1.21"),
    ("maps", "1.21"),
    ("math/rand/v2", "1.22"),
    ("runtime/coverage", "1.20"),
    ("slices", "1.21"),
    ("structs", "1.23"),
    ("testing/slogtest", "1.21"),
    ("testing/synctest", "1.25"),
    ("unique", "1.23"),
    ("weak", "1.24"),
];

/// A module that cannot be had: `a.go:19:2: example.com/m@v1.1.1: Get "https://…": dial tcp: lookup …`.
static MODULE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^(?:go|\S+\.go:\d+(?::\d+)?): .*(?:: dial tcp|: read-only file system|GOPROXY=off|cannot find package \S+ in any of:)")
        .expect("valid pattern")
});

/// Fails if the tool could not look at the code as it is: it is older than the module asks for, or a module cannot be had.
/// What it says of the code then is no fault of the code.
pub(super) fn looked(output: &GateOutput) -> Result<(), ReportError> {
    let text = format!("{}{}", String::from_utf8_lossy(&output.stderr), of_builds(&output.stdout));
    let since = |table: &[(&str, &str)], pattern: &Regex| {
        let name = pattern.captures(&text)?["name"].to_owned();
        table.iter().find(|(newer, _)| *newer == name).map(|(_, version)| (*version).to_owned())
    };
    let newer = VERSION.captures(&text).map(|found| found["version"].to_owned());
    let newer = newer.or_else(|| since(DIRECTIVES, &DIRECTIVE)).or_else(|| since(PACKAGES, &PACKAGE));
    if let Some(version) = newer {
        return Err(ReportError::MissingTool(format!("Go {version} or newer is not installed")));
    }
    match MODULE.find(&text) {
        None => Ok(()),
        Some(found) => {
            Err(ReportError::Malformed { format: "what Go says of code", detail: found.as_str().to_owned() })
        }
    }
}

/// What builds printed, which newer versions tell as events of the tests.
fn of_builds(stdout: &[u8]) -> String {
    let text = String::from_utf8_lossy(stdout);
    let events = text.lines().filter(|line| line.contains("\"build-output\""));
    let events = events.filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    events.filter_map(|event| event.get("Output")?.as_str().map(str::to_owned)).collect()
}

/// Reads what `go build` and `go vet` print.
pub(super) fn objections(setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
    looked(output)?;
    Ok(place(go_vet::parse(&output.stderr)?, setup, output))
}

/// Makes the places that lines of a text begin with relative to the root.
pub(super) fn with_places(text: &str, setup: &Setup, output: &GateOutput) -> String {
    let placed = |line: &str| match line.split_once(".go:") {
        Some((path, rest)) if !path.contains(char::is_whitespace) => {
            format!("{}:{rest}", output.relative(&format!("{path}.go"), &setup.folder))
        }
        _ => line.to_owned(),
    };
    text.lines().map(placed).collect::<Vec<_>>().join("\n")
}

/// Makes the places of diagnostics relative to the root.
pub(super) fn place(report: ToolReport, setup: &Setup, output: &GateOutput) -> ToolReport {
    super::declared::placed(report, setup, output)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looked_at(stderr: &str) -> Result<(), ReportError> {
        looked(&GateOutput { stderr: stderr.into(), ..GateOutput::default() })
    }

    #[test]
    fn a_package_needs_no_module() {
        let found = |paths: &[&str]| {
            let files = paths.iter().map(|path| (*path).to_owned()).collect();
            let project = Project::new(files, BTreeMap::new(), ["go".to_owned()].into());
            let setups = setups(&project, is_code);
            let modules = |setup: &Setup| command(setup, "go", &["vet"]).environment["GO111MODULE"].clone();
            setups.iter().map(|setup| format!("{}:{}", setup.folder, modules(setup))).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(found(&["go.mod", "a.go"]), ":on");
        assert_eq!(found(&["a.go", "b/b.go"]), ":off");
        assert_eq!(found(&["a.go", "b/go.mod", "b/b.go"]), "b:on", "what belongs to no module beside one is a sample");
        assert_eq!(found(&["main.py", "samples/a.go"]), "");
        assert_eq!(found(&["README.md", "scanner/a.go"]), ":off");
        assert_eq!(found(&["a.go", "a_test.go", "tools/go.mod", "tools/b.go"]), "tools:on :off");
    }

    #[test]
    fn packages_without_a_module_that_import_each_other_are_shown_one() {
        let files = ["main.py", "scan/a.go"].map(str::to_owned).into();
        let mut project = Project::new(files, BTreeMap::new(), ["go".to_owned()].into());
        project.imported_as = Some("example.com/a/css".to_owned());
        let setup = setups(&project, is_code).remove(0);
        let command = command(&setup, "go", &["test"]);
        assert_eq!(module(&setup, &project).as_deref(), Some("example.com/a/css"));
        assert_eq!(command.environment["GOFLAGS"], "-mod=mod -overlay={reports}/overlay.json");
        assert_eq!(command.provided["go.mod"], "module example.com/a/css\n\ngo {go_language}\n");
        assert_eq!(command.provided["overlay.json"], r#"{"Replace":{"go.mod":"{reports}/go.mod"}}"#);
    }

    #[test]
    fn packages_of_go_say_by_what_they_are_imported() {
        let of = |files: &[(&str, &str)]| {
            let texts: BTreeMap<&str, &str> = files.iter().copied().collect();
            let paths = files.iter().map(|(path, _)| (*path).to_owned()).collect();
            imported_as(&paths, |path| texts.get(path).map(|text| (*text).to_owned()))
        };
        let glob = [
            ("glob.go", "package glob\n\nimport (\n\t\"strings\"\n\t\"example.com/g/glob/match\"\n)\n"),
            ("match/any.go", "package match\n\nimport \"example.com/g/glob/util/runes\"\n"),
            ("util/runes/r.go", "package runes\n"),
        ];
        assert_eq!(of(&glob).as_deref(), Some("example.com/g/glob"));
        let errors = [
            ("errors.go", "package errors\n"),
            ("example_test.go", "package errors_test\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/pkg/errors\"\n)\n"),
        ];
        assert_eq!(of(&errors).as_deref(), Some("example.com/pkg/errors"));
        assert_eq!(of(&[("a.go", "package a\n\nimport \"example.com/other/b\"\n")]), None);
        assert_eq!(of(&[("a.go", "package a\n\nimport \"net/http\"\n"), ("http/b.go", "package http\n")]), None);
        assert_eq!(of(&[&glob[..], &[("go.mod", "module a\n")]].concat()), None);
    }

    #[test]
    fn what_the_compiler_says_begins_with_a_place_of_the_project() {
        let setup = Setup { folder: "b".to_owned(), because: String::new(), detail: String::new() };
        let output = GateOutput { root: "/p".to_owned(), ..GateOutput::default() };
        for (said, expected) in [
            ("./a_test.go:9:7: undefined: A", "b/a_test.go:9:7: undefined: A"),
            ("c/a_test.go:9:7: x\n\thave a.go:1", "b/c/a_test.go:9:7: x\n\thave a.go:1"),
            ("/p/b/a.go:1:2: x", "b/a.go:1:2: x"),
            ("[build failed]", "[build failed]"),
        ] {
            assert_eq!(with_places(said, &setup, &output), expected);
        }
    }

    #[test]
    fn a_tool_that_is_too_old_says_nothing_of_the_code() {
        for said in [
            "# example.com/m\n./a_test.go:9:8: time.Time.Compare undefined\nnote: module requires Go 1.21\n",
            "go: go.mod requires go >= 1.21 (running go 1.20.1; GOTOOLCHAIN=local)\n",
            "go: module ./b listed in go.work file requires go >= 1.21, but go.work lists go 1.20\n",
            "go: errors parsing go.mod:\n/x/go.mod:3: invalid go version '1.21': must match format 1.23\n",
            "go: errors parsing go.mod:\n/x/go.mod:5: unknown directive: toolchain\n",
            "context.go:6:2: package slices is not in GOROOT (/usr/lib/go-1.19/src/slices)\n",
            "context.go:6:2: package log/slog is not in std (/usr/lib/go-1.20/src/log/slog)\n",
        ] {
            let Err(ReportError::MissingTool(detail)) = looked_at(said) else { panic!("{said}") };
            assert_eq!(detail, "Go 1.21 or newer is not installed");
        }
        assert_eq!(
            looked_at("# example.com/m\n./a.go:9:8: \"note: module requires Go 1.21\" (untyped string)\n"),
            Ok(())
        );
    }

    #[test]
    fn a_module_that_cannot_be_had_is_no_fault_of_the_code() {
        let lookup = "gjson.go:19:2: example.com/m@v1.1.1: Get \"https://proxy.golang.org/m.mod\": dial tcp: lookup proxy.golang.org: no such host\n";
        let read_only = "a.go:3: mkdir /root/go/pkg/mod/cache: read-only file system\n";
        let off = "go: example.com/m@v1.1.1: module lookup disabled by GOPROXY=off\n";
        let no_path = "a.go:2:8: cannot find package \"example.com/y\" in any of:\n\t/usr/lib/go-1.19/src/example.com/y (from $GOROOT)\n";
        for said in [lookup, read_only, off, no_path] {
            assert!(looked_at(said).is_err(), "{said}");
        }
        let event = serde_json::json!({"ImportPath": "m", "Action": "build-output", "Output": lookup}).to_string();
        let printed = event.replace("build-output", "output");
        for (stdout, is_told) in [(event, true), (printed, false)] {
            let output = GateOutput { stdout: stdout.clone().into(), ..GateOutput::default() };
            assert_eq!(looked(&output).is_err(), is_told, "{stdout}");
        }
        for of_code in [
            "a.go:3:8: no required module provides package example.com/x; to add it:\n\tgo get example.com/x\n",
            "a.go:3:8: package foo is not in GOROOT (/usr/lib/go-1.19/src/foo)\n",
            "go: errors parsing go.mod:\n/x/go.mod:5: unknown block type: nonsense\n",
            "go: errors parsing go.mod:\n/x/go.mod:3: invalid go version 'new': must match format 1.23\n",
        ] {
            assert_eq!(looked_at(of_code), Ok(()), "{of_code}");
        }
    }
}
