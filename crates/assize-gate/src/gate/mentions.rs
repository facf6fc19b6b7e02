//! What a project has its tools called by, and with which paths.
//!
//! A tool that the maintainers call is in use even if nothing configures it, and it looks at what their calls name. This
//! must not know what tools there are.

use assize_core::path::within;
use assize_ecosystem::pipeline::PipelineCommand;

use super::Project;

/// Options of checkers that take their value as the next word.
const VALUED: [&str; 34] = [
    "--cache-dir",
    "--cache-file",
    "--cache-location",
    "--config",
    "--config-file",
    "--config-path",
    "--exclude",
    "--ext",
    "--extend-exclude",
    "--extend-select",
    "--format",
    "--ignore",
    "--ignore-path",
    "--ignore-pattern",
    "--line-length",
    "--max-warnings",
    "--output-file",
    "--output-format",
    "--parser",
    "--plugin",
    "--project",
    "--python-executable",
    "--python-version",
    "--pythonpath",
    "--pythonversion",
    "--rule",
    "--rulesdir",
    "--select",
    "--target-version",
    "--workers",
    "-c",
    "-l",
    "-p",
    "-t",
];

/// Finds the first command that begins with one of these words, and says where it stands.
pub(super) fn mentioned(project: &Project, words: &[&str]) -> Option<String> {
    project.pipeline.commands.iter().find_map(|command| {
        let words = words.iter().find(|words| command.begins_with(words))?;
        Some(format!("{} calls `{words}`", command.source))
    })
}

/// Returns the maintainers' calls of a tool in a folder, or those of scripts if no pipeline calls it.
pub(super) fn calls_in<'p>(project: &'p Project, folder: &str, calls: &[&str]) -> Vec<&'p PipelineCommand> {
    let called =
        |command: &PipelineCommand| command.folder == folder && calls.iter().any(|call| command.begins_with(call));
    let commands = project.pipeline.calls(called);
    if !commands.is_empty() {
        return commands;
    }
    // What people have it look at.
    project.pipeline.in_scripts.iter().filter(|command| called(command)).collect()
}

/// Returns the paths that the maintainers' calls of a tool in a folder name, or scripts if no pipeline calls it; `.` where
/// one of them names none, and where there is none. With `patterns`, words that the tool itself takes for patterns of paths count as well.
pub(super) fn named_paths(project: &Project, folder: &str, calls: &[&str], patterns: bool) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for command in calls_in(project, folder, calls) {
        let named = paths_of(project, folder, command, patterns);
        if named.is_empty() || named.iter().any(|path| path == ".") {
            return vec![".".to_owned()];
        }
        found.extend(named.into_iter().filter(|path| !found.contains(path)).collect::<Vec<_>>());
    }
    if found.is_empty() { vec![".".to_owned()] } else { found }
}

fn paths_of(project: &Project, folder: &str, command: &PipelineCommand, patterns: bool) -> Vec<String> {
    let mut paths = Vec::new();
    let mut words = command.words.iter().skip(1).take_while(|word| *word != "--");
    while let Some(word) = words.next() {
        if word.starts_with('-') {
            if VALUED.contains(&word.as_str()) {
                words.next();
            }
            continue;
        }
        let path = word.trim_start_matches("./").trim_end_matches('/');
        let full = within(folder, path);
        let below = format!("{full}/");
        let is_there = project.files.contains(&full)
            || project.files.range(below.clone()..).next().is_some_and(|file| file.starts_with(&below));
        let is_pattern = patterns && path.contains(['*', '{']) && !path.starts_with(['!', '/']) && !path.contains("..");
        if path.is_empty() || path == "." {
            paths.push(".".to_owned());
        } else if is_there || is_pattern {
            paths.push(path.to_owned());
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::super::python::tests::project;
    use super::*;

    #[test]
    fn a_tool_looks_at_what_the_maintainers_name() {
        for (calls, patterns, expected) in [
            (&["ruff check src tests/"][..], false, "src tests"),
            (&["ruff check ./src", "ruff check tests src"], false, "src tests"),
            (&["ruff check"], false, "."),
            (&["ruff check src", "ruff check ."], false, "."),
            (&["ruff check --config setup.cfg src"], false, "src"),
            (&["ruff check --config=setup.cfg --fix"], false, "."),
            (&["ruff check nowhere"], false, "."),
            (&["ruff check 'src/*.py'"], false, "."),
            (&["ruff check 'src/*.py'"], true, "src/*.py"),
            (&["ruff check '../*.py' '!x*'"], true, "."),
            (&["mypy src"], false, "."),
        ] {
            let commands: String = calls.iter().map(|call| format!("    {call}\n")).collect();
            let tox = format!("[testenv]\ncommands =\n{commands}");
            let project = project(&[("tox.ini", &tox), ("setup.cfg", "")], &["src/a.py", "tests/test_a.py"], &[]);
            assert_eq!(named_paths(&project, "", &["ruff check"], patterns).join(" "), expected, "{calls:?}");
        }
    }

    #[test]
    fn without_a_pipeline_scripts_say_what_people_have_it_look_at() {
        let of = |scripts: &str, more: &[(&str, &str)]| {
            let manifest = format!("{{\"scripts\": {{{scripts}}}}}");
            project(&[&[("package.json", manifest.as_str())], more].concat(), &["src/a.ts", "tests/a.ts"], &[])
        };
        let paths = |project: &Project| named_paths(project, "", &["prettier"], true).join(" ");
        let format = r#""fmt": "prettier ./src/** ./tests/** -w""#;
        let workflow = |call: &str| format!("on: push\njobs:\n  a:\n    steps:\n      - run: {call}\n");
        assert_eq!(paths(&of(format, &[])), "src/** tests/**");
        assert_eq!(paths(&of(r#""fmt": "prettier --write .""#, &[])), ".");
        assert_eq!(paths(&of(r#""test": "vitest""#, &[])), ".");
        let checked = workflow("npx prettier --check src");
        assert_eq!(paths(&of(format, &[(".github/workflows/ci.yml", &checked)])), "src");
        let mut change = of(format, &[]);
        change.pipeline = change.pipeline.after(&of(r#""test": "vitest""#, &[]).pipeline);
        assert_eq!(paths(&change), ".", "a change does not say so");
    }
}
