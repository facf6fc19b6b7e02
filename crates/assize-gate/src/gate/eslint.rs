//! `eslint --format json`: lints of JavaScript and TypeScript, where the project configures them.

use assize_core::path::parent;
use assize_report::{ReportError, ToolReport, eslint};

use super::javascript;
use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, mentions};

/// What runs ESLint with the project's own settings.
const CALLS: &[&str] = &[
    "eslint",
    "eslint_d",
    "dts lint",
    "expo lint",
    "gts check",
    "gts lint",
    "next lint",
    "ng lint",
    "tsdx lint",
    "vue-cli-service lint",
    "wp-scripts lint-js",
];

/// A linter of JavaScript.
pub struct Eslint;

impl Gate for Eslint {
    fn id(&self) -> &'static str {
        "eslint"
    }

    fn summary(&self) -> &'static str {
        "runs ESLint's rules on JavaScript and TypeScript code"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Style]
    }

    fn calls(&self) -> &'static [&'static str] {
        CALLS
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        javascript::configured_setups(project, "eslint")
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let mut arguments = vec!["--format", "json", "--output-file", "{reports}/eslint.json", "--no-color"];
        let endings = if is_old(project, &setup.folder) { endings(project, &setup.folder) } else { None };
        arguments.extend(endings.iter().flat_map(|endings| ["--ext", endings]));
        let mut command = javascript::command(setup, project, "eslint", &arguments);
        command.arguments.extend(mentions::named_paths(project, &setup.folder, self.calls(), true));
        command
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        Ok(javascript::place(eslint::parse(output.report("eslint.json")?)?, setup, output))
    }
}

/// The endings of the files that the maintainers' calls lint; `None` where they name none. Without being told, ESLint up to
/// version 8 lints `.js` alone, and what its settings name.
fn endings(project: &Project, folder: &str) -> Option<String> {
    let calls = mentions::calls_in(project, folder, &["eslint"]);
    if calls.is_empty() {
        return Some(".js,.cjs,.mjs,.jsx,.ts,.cts,.mts,.tsx".to_owned());
    }
    let mut named: Vec<&str> = Vec::new();
    for call in calls {
        let mut words = call.words.iter();
        while let Some(word) = words.next() {
            let value = if word == "--ext" { words.next().map(String::as_str) } else { word.strip_prefix("--ext=") };
            let endings = value.into_iter().flat_map(|value| value.split(','));
            named.extend(endings.filter(|ending| !named.contains(ending)).collect::<Vec<_>>());
        }
    }
    (!named.is_empty()).then(|| named.join(","))
}

fn is_old_config(name: &str) -> bool {
    name == ".eslintrc" || name.starts_with(".eslintrc.")
}

/// Returns whether only the old kind of configuration is there.
fn is_old(project: &Project, folder: &str) -> bool {
    let here = |test: fn(&str) -> bool| {
        let mut paths = project.files.iter().filter(|path| parent(path) == folder);
        paths.any(|path| test(assize_core::path::file_name(path)))
    };
    !here(|name| name.starts_with("eslint.config."))
        && (here(is_old_config) || javascript::package(project, folder).key("eslintConfig").is_some())
}

#[cfg(test)]
mod tests {
    use super::super::python::tests::project;
    use super::*;

    #[test]
    fn it_is_used_where_it_is_configured() {
        for (manifests, files, because, old) in [
            (&[("package.json", "{}")][..], &["eslint.config.mjs"][..], "there is a eslint.config.mjs", false),
            (&[("package.json", "{}")], &[".eslintrc.json"], "there is a .eslintrc.json", true),
            (&[("package.json", r#"{"eslintConfig":{}}"#)], &[], "package.json has `eslintConfig`", true),
            (&[("package.json", r#"{"devDependencies":{"eslint":"9"}}"#)], &[], "", false),
            (&[("package.json", "{}")], &["a/eslint.config.mjs"], "", false),
            (&[("package.json", "{}")], &[".eslintrc-auto-import.json"], "", false),
        ] {
            let project = project(manifests, files, &["node_modules/.bin/eslint"]);
            let found = Eslint.detect(&project);
            assert_eq!(found.first().map_or("", |setup| setup.because.as_str()), because, "{manifests:?} {files:?}");
            if let Some(setup) = found.first() {
                assert_eq!(Eslint.command(setup, &project).arguments.contains(&"--ext".to_owned()), old);
            }
        }
    }

    #[test]
    fn files_have_the_endings_that_the_maintainers_name() {
        for (lint, more, expected) in [
            ("eslint src", "", None),
            ("eslint --ext .js,.ts src", "", Some(".js,.ts")),
            ("eslint --ext=.ts .", "eslint --ext .ts,.tsx lib", Some(".ts,.tsx")),
            ("gts lint", "", Some(".js,.cjs,.mjs,.jsx,.ts,.cts,.mts,.tsx")),
        ] {
            let manifest = serde_json::json!({"scripts": {"lint": lint, "test": more}}).to_string();
            let project = project(&[("package.json", &manifest)], &[".eslintrc", "src/a.js"], &[]);
            let command = Eslint.command(&Eslint.detect(&project)[0], &project);
            let named = command.arguments.iter().skip_while(|word| *word != "--ext").nth(1);
            assert_eq!(named.map(String::as_str), expected, "{lint}");
        }
    }

    #[test]
    fn packages_below_a_configuration_belong_to_it() {
        let project = project(
            &[("package.json", "{}"), ("p/a/package.json", "{}")],
            &["eslint.config.js", "p/a/eslint.config.js"],
            &[],
        );
        assert_eq!(Eslint.detect(&project).len(), 1);
    }
}
