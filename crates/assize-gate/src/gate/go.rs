//! What the gates of Go projects have in common: where modules stand, and how the tool is called.
//!
//! It must not know any of the gates.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use assize_core::path::{file_name, is_below, parent, within};
use assize_ecosystem::is_generated;
use assize_report::{ReportError, ToolReport, go_vet};
use regex::Regex;

use super::{GateCommand, GateOutput, Project, Setup};

/// The detail of a setup: the package belongs to no module.
const NO_MODULE: &str = "no module";

/// Finds the modules that hold code.
pub(super) fn setups(project: &Project, is_code: impl Fn(&str) -> bool) -> Vec<Setup> {
    let has_code =
        |folder: &str| project.files.iter().any(|path| is_below(path, folder) && is_code(path) && !is_generated(path));
    let modules = project.files.iter().filter(|path| {
        file_name(path) == "go.mod" && !is_generated(path) && !path.split('/').any(|part| part == "testdata")
    });
    let found: Vec<Setup> = modules
        .filter(|path| has_code(parent(path)))
        .map(|path| Setup {
            folder: parent(path).to_owned(),
            because: format!("there is a {path}"),
            detail: String::new(),
        })
        .collect();
    // A package of before Go 1.11 is found without a module where it needs nothing but the standard library.
    let is_of_package = |path: &&String| parent(path).is_empty() && self::is_code(path) && !is_generated(path);
    let package = project.files.iter().find(is_of_package).filter(|_| found.is_empty() && has_code(""));
    let package = package.map(|path| Setup {
        folder: String::new(),
        because: format!("there is a {path}, and no go.mod"),
        detail: NO_MODULE.to_owned(),
    });
    found.into_iter().chain(package).collect()
}

/// Returns whether a file is Go code.
pub(super) fn is_code(path: &str) -> bool {
    path.ends_with(".go")
}

/// The path by which a module is imported.
pub(super) fn module(project: &Project, folder: &str) -> Option<String> {
    let text = project.manifests.get(&within(folder, "go.mod"))?;
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
    GateCommand {
        program: program.to_owned(),
        arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
        folder: setup.folder.clone(),
        environment: [("GOTOOLCHAIN", "local"), ("GOFLAGS", ""), ("GO111MODULE", modules)]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        provided: BTreeMap::new(),
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
