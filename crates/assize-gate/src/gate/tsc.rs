//! `tsc --noEmit`: types of TypeScript, where a `tsconfig.json` says how.

use assize_core::path::{file_name, is_below, join, parent, relative_to, within};
use assize_report::{ToolReport, ReportError, tsc};

use super::runner::{self, BUILD, named};
use super::{javascript, script};
use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, up_from};

/// The compiler of TypeScript.
pub struct Tsc;

impl Gate for Tsc {
    fn id(&self) -> &'static str {
        "tsc"
    }

    fn summary(&self) -> &'static str {
        "checks the types of TypeScript code with tsc"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Types, Dimension::Compilation]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["tsc", "vue-tsc"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        let configured: Vec<&str> = project
            .files
            .iter()
            .filter(|path| file_name(path) == "tsconfig.json" && !assize_ecosystem::is_generated(path))
            .map(|path| parent(path))
            .filter(|folder| has_sources(project, folder))
            .collect();
        // A tsconfig.json below another one is left to that, unless a package of its own stands there.
        let is_own = |folder: &&&str| {
            let packaged = project.files.contains(&within(folder, "package.json"));
            let above = configured.iter().any(|other| other != *folder && is_below(folder, other));
            packaged || !above
        };
        configured
            .iter()
            .filter(is_own)
            .map(|folder| Setup {
                folder: (*folder).to_owned(),
                because: format!("there is a {}", within(folder, "tsconfig.json")),
                detail: String::new(),
            })
            .collect()
    }

    fn built(&self, setup: &Setup, project: &Project) -> Option<Setup> {
        let package = javascript::package_around(project, &setup.folder).filter(|_| setup.detail.is_empty())?;
        runner::after_build(setup, &package, BUILD.to_owned())
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let plain = Self::plain_command(setup, project);
        if setup.detail == BUILD { after_build(plain, project) } else { plain }
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        Ok(javascript::place(tsc::parse(&output.stdout)?, setup, output))
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        // 2: faults, and something was emitted all the same.
        &[0, 1, 2]
    }
}

impl Tsc {
    fn plain_command(setup: &Setup, project: &Project) -> GateCommand {
        let called = called_with(project, &setup.folder);
        let common = ["--noEmit", "--pretty", "false", "--incremental", "false"];
        if is_solution(project, &setup.folder) {
            // A project of projects is built, since nothing else follows its references; it is built in a copy.
            return javascript::command(setup, project, "tsc", &["--build", "--force", "--pretty", "false"]);
        }
        let arguments: Vec<&str> = if is_composite(project, &setup.folder) {
            // Such a project must be incremental; what it would remember goes elsewhere.
            let info = ["--tsBuildInfoFile", concat!("{reports}", "/tsbuildinfo")];
            ["-p", called.as_deref().unwrap_or(".")].into_iter().chain(common[..3].iter().copied()).chain(info).collect()
        } else {
            ["-p", called.as_deref().unwrap_or(".")].into_iter().chain(common).collect()
        };
        javascript::command(setup, project, "tsc", &arguments)
    }
}

/// Builds the package before a command. Whether that works is another gate's to say.
fn after_build(command: GateCommand, project: &Project) -> GateCommand {
    let Some(package) = javascript::package_around(project, &command.folder) else { return command };
    let steps = script::steps(&package, BUILD).unwrap_or_default();
    let steps: Vec<String> =
        steps.into_iter().map(|step| named(project, &package.folder, step).shell()).collect();
    let up = up_from(relative_to(&command.folder, &package.folder));
    let build = format!("(cd ./{up} && {}) > {{reports}}/build.log 2>&1", steps.join(" && "));
    let mut arguments = vec!["-c".to_owned(), format!("{build}\nexec \"$@\""), "sh".to_owned(), command.program_from_folder()];
    arguments.extend(command.arguments.iter().cloned());
    GateCommand { program: "sh".to_owned(), arguments, ..command }
}

/// The settings with which the maintainers check a folder, where no call takes those that tsc finds by default.
fn called_with(project: &Project, folder: &str) -> Option<String> {
    let calls = project.pipeline.settled().iter().filter(|call| call.begins_with("tsc"));
    let settings = calls.filter_map(|call| {
        let mut words = call.words.iter().map(String::as_str);
        let named = words.find(|word| matches!(*word, "-p" | "--project")).and_then(|_| words.next());
        let path = join(&call.folder, named.unwrap_or("."))?;
        match path.strip_suffix(".json") {
            // What a call names and is not there tells nothing.
            Some(_) => (parent(&path) == folder && project.files.contains(&path)).then(|| Some(file_name(&path).to_owned())),
            None => (path == folder).then_some(None),
        }
    });
    let all: Vec<Option<String>> = settings.collect();
    if all.contains(&None) { None } else { all.into_iter().next().flatten() }
}

/// A folder of nothing but settings that others extend has nothing to check.
fn has_sources(project: &Project, folder: &str) -> bool {
    is_solution(project, folder)
        || project.files.iter().any(|path| is_below(path, folder) && javascript::is_code(path))
}

fn settings(project: &Project, folder: &str) -> Option<serde_json::Value> {
    let text = project.manifests.get(&within(folder, "tsconfig.json"))?;
    jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default()).ok()
}

/// Returns whether a configuration only refers to others.
fn is_solution(project: &Project, folder: &str) -> bool {
    settings(project, folder).is_some_and(|all| {
        let empty = |key: &str| all.get(key).and_then(serde_json::Value::as_array).is_some_and(Vec::is_empty);
        all.get("references").is_some() && (empty("files") || empty("include"))
    })
}

fn is_composite(project: &Project, folder: &str) -> bool {
    let composite = |all: serde_json::Value| all.get("compilerOptions")?.get("composite")?.as_bool();
    settings(project, folder).and_then(composite).unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::super::python::tests::project;
    use super::*;

    #[test]
    fn each_project_is_checked_once() {
        let found = |files: &[&str]| -> Vec<String> {
            Tsc.detect(&project(&[], files, &[])).into_iter().map(|setup| setup.folder).collect()
        };
        assert_eq!(found(&["tsconfig.json", "src/a.ts"]), [""]);
        assert_eq!(found(&["tsconfig.json", "src/a.ts", "test/tsconfig.json", "test/a.ts"]), [""]);
        assert_eq!(found(&["tsconfig.json", "p/a/package.json", "p/a/tsconfig.json", "p/a/a.ts"]), ["p/a", ""]);
        assert_eq!(found(&["p/tsconfig.json", "p/a.ts"]), ["p"]);
        assert!(found(&["tsconfig.base.json", "a.ts"]).is_empty());
        assert!(found(&["tsconfig.json"]).is_empty());
        assert!(found(&["node_modules/x/tsconfig.json", "node_modules/x/a.ts"]).is_empty());
    }

    #[test]
    fn the_settings_that_the_maintainers_name_are_taken() {
        let command = |test: &str| {
            let manifest = serde_json::json!({"scripts": {"test": test}}).to_string();
            let manifests = [("package.json", manifest.as_str()), ("t/tsconfig.json", "{}"), ("t/tsconfig.esm.json", "{}")];
            let project = project(&manifests, &["t/a.ts"], &["node_modules/.bin/tsc"]);
            Tsc.command(&Tsc.detect(&project)[0], &project).arguments[1].clone()
        };
        assert_eq!(command("tsc -p t/tsconfig.esm.json"), "tsconfig.esm.json");
        assert_eq!(command("tsc -p t/tsconfig.esm.json && tsc -p t"), ".");
        assert_eq!(command("tsc -p t/tsconfig.gone.json"), ".");
        assert_eq!(command("tsc -p other/tsconfig.esm.json"), ".");
    }

    #[test]
    fn the_package_is_built_before_it() {
        let manifest = r#"{"scripts": {"build": "node build.js && cp a b"}}"#;
        let of = |folder: &str, manifest: &str| {
            let settings = within(folder, "tsconfig.json");
            let project = project(&[("package.json", manifest), (&settings, "{}")], &[&within(folder, "a.ts")], &["node_modules/.bin/tsc"]);
            let built = Tsc.built(&Tsc.detect(&project)[0], &project)?;
            assert_eq!(Tsc.built(&built, &project), None, "once");
            Some(Tsc.command(&built, &project).arguments)
        };
        let command = of("t/types", manifest).expect("it builds");
        assert_eq!(command[1], "(cd ./../../ && node build.js && cp a b) > {reports}/build.log 2>&1\nexec \"$@\"");
        assert_eq!(command[3..6], ["../../node_modules/.bin/tsc", "-p", "."]);
        assert!(of("", manifest).expect("it builds")[1].starts_with("(cd ./ && node build.js"));
        assert_eq!(of("", "{}"), None);
    }

    #[test]
    fn nothing_is_written_into_the_tree() {
        for (text, expected) in [
            ("{}", "-p . --noEmit --pretty false --incremental false"),
            (
                "{ // as usual\n \"compilerOptions\": {\"composite\": true,}}",
                "-p . --noEmit --pretty false --tsBuildInfoFile {reports}/tsbuildinfo",
            ),
            ("{\"files\": [], \"references\": [{\"path\": \"a\"}]}", "--build --force --pretty false"),
        ] {
            let project = project(&[("tsconfig.json", text)], &["a.ts"], &["node_modules/.bin/tsc"]);
            let command = Tsc.command(&Tsc.detect(&project)[0], &project);
            assert_eq!(
                (command.program.as_str(), command.arguments.join(" ")),
                ("node_modules/.bin/tsc", expected.to_owned())
            );
        }
    }
}
