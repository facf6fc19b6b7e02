//! Node: the package manager that the lock file names, also where it is not installed.

use std::sync::LazyLock;

use assize_core::path::{folders_above, within};
use regex::Regex;

use super::{Preparation, ProjectView};
use crate::{Language, of_language};

/// Package managers that can be had from the registry, with the package that is taken where a project names no version.
const MANAGERS: [(&str, &str); 3] = [("pnpm", "pnpm@10"), ("yarn", "yarn@1"), ("bun", "bun@1")];

/// Returns whether a folder above is a workspace whose lock file says what is installed for its members.
fn is_member(view: &ProjectView<'_>, folder: &str) -> bool {
    let is_workspace = |above: &str| {
        let has = |name: &str| view.files.contains(&within(above, name));
        let lists_members =
            (view.text)(&within(above, "package.json")).is_some_and(|text| text.contains("\"workspaces\""));
        (lists_members || has("pnpm-workspace.yaml"))
            && of_language(Language::JavaScript).lock_files.iter().any(|name| has(name))
    };
    folders_above(folder).any(is_workspace)
}

/// Returns the commands, none where the manifest names no package: the listed one, by the version of the manager that
/// the manifest names. A script that fails when packages are installed, such as one that sets up git hooks, does not
/// matter, nor does a lock file that does not fit the manifest: what it does not name is looked up.
pub(crate) fn commands(view: &ProjectView<'_>, folder: &str, preparation: &Preparation) -> Vec<String> {
    let listed = preparation.command;
    let Some((name, arguments)) = listed.split_once(' ') else { return vec![listed.to_owned()] };
    let manifest = within(folder, "package.json");
    if preparation.file == "package.json" && is_member(view, folder) {
        return Vec::new();
    }
    if !(view.text)(&manifest).is_some_and(names_packages) {
        return Vec::new();
    }
    let named = (view.text)(&manifest).and_then(|text| packaged_manager(text, name));
    let berry = name == "yarn" && view.files.contains(&within(folder, ".yarnrc.yml"));
    let call = match (MANAGERS.iter().find(|(manager, _)| *manager == name), named) {
        (Some(_), Some(_)) if berry => "npx --yes @yarnpkg/cli-dist@4".to_owned(),
        (Some(_), Some(named)) => format!("npx --yes {named}"),
        (Some((_, usual)), None) if !(view.has_program)(name) => {
            let usual = if berry { "@yarnpkg/cli-dist@4" } else { usual };
            format!("npx --yes {usual}")
        }
        _ => name.to_owned(),
    };
    let arguments = match (name, berry) {
        ("yarn", false) => "install --frozen-lockfile",
        // Without a lock file none is written, so that the tree stays as it is.
        ("npm", _) if arguments == "install" => "install --no-package-lock",
        _ => arguments,
    };
    let quiet = if berry { "--mode=skip-build" } else { "--ignore-scripts" };
    let unlocked = match (name, berry) {
        ("pnpm", _) => Some("install --no-frozen-lockfile"),
        ("yarn", true) => Some("install --no-immutable"),
        ("yarn" | "bun", _) => Some("install"),
        ("npm", _) if arguments == "ci" => Some("install"),
        _ => None,
    };
    // Packages that disagree on which others they go with are installed all the same.
    let disagreeing = (name == "npm").then(|| (unlocked.unwrap_or(arguments), "--ignore-scripts --legacy-peer-deps"));
    let unlocked = unlocked.map(|unlocked| (unlocked, quiet));
    let tries = [Some((arguments, "")), Some((arguments, quiet)), unlocked, disagreeing];
    let lines = tries.into_iter().flatten().map(|(arguments, quiet)| format!("{call} {arguments} {quiet}"));
    vec![lines.map(|line| line.trim_end().to_owned()).collect::<Vec<_>>().join(" || ")]
}

/// Returns whether a manifest names packages, or packages of its own that may.
fn names_packages(manifest: &str) -> bool {
    static NAMING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#""(?:d|devD|optionalD)ependencies"\s*:\s*\{\s*"|"workspaces"\s*:"#).expect("valid pattern")
    });
    NAMING.is_match(manifest)
}

/// Returns what `packageManager` names, if it is this manager: `pnpm@9.1.0` without the hash behind it.
fn packaged_manager(manifest: &str, name: &str) -> Option<String> {
    let (_, rest) = manifest.split_once("\"packageManager\"")?;
    let value = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let value = value.split(['"', '+']).next()?;
    let plain = value.chars().all(|character| character.is_ascii_alphanumeric() || "@.-".contains(character));
    (plain && value.strip_prefix(name)?.starts_with('@')).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::tests::planned;
    use crate::Language;

    const NEEDS: &str = r#"{ "devDependencies": { "mocha": "1" } }"#;

    #[test]
    fn the_manager_is_the_one_that_the_project_names() {
        for (files, programs, line, unlocked) in [
            (&[("package.json", NEEDS)][..], &["npm"][..], "npm install --no-package-lock", ""),
            (&[("package.json", NEEDS), ("package-lock.json", "")], &["npm"], "npm ci", " || npm install"),
            (
                &[("package.json", NEEDS), ("pnpm-lock.yaml", "")],
                &["npm"],
                "npx --yes pnpm@10 install --frozen-lockfile",
                " || npx --yes pnpm@10 install --no-frozen-lockfile",
            ),
            (
                &[("package.json", NEEDS), ("pnpm-lock.yaml", "")],
                &["pnpm"],
                "pnpm install --frozen-lockfile",
                " || pnpm install --no-frozen-lockfile",
            ),
            (
                &[
                    ("package.json", r#"{ "packageManager": "pnpm@9.1.0+sha512.x", "workspaces": [] }"#),
                    ("pnpm-lock.yaml", ""),
                ],
                &["pnpm"],
                "npx --yes pnpm@9.1.0 install --frozen-lockfile",
                " || npx --yes pnpm@9.1.0 install --no-frozen-lockfile",
            ),
            (
                &[("package.json", NEEDS), ("yarn.lock", "")],
                &[],
                "npx --yes yarn@1 install --frozen-lockfile",
                " || npx --yes yarn@1 install",
            ),
        ] {
            let plan = planned(Language::TypeScript, "", files, programs).expect("a plan");
            let mut tries = format!("{line} || {line} --ignore-scripts");
            if !unlocked.is_empty() {
                tries += &format!("{unlocked} --ignore-scripts");
            }
            if line.starts_with("npm ") {
                let last = tries.rsplit(" || ").next().unwrap_or_default().to_owned();
                tries += &format!(" || {last} --legacy-peer-deps");
            }
            assert_eq!(plan.line(), tries);
            assert_eq!(plan.line_with_missing(""), line);
            assert_eq!(plan.creates, ["node_modules"]);
        }
        assert_eq!(planned(Language::TypeScript, "", &[("package.json", "{}")], &["npm"]), None);
        let root = r#"{ "workspaces": ["p/*"], "devDependencies": { "vitest": "1" } }"#;
        let at = |member: &str, lock: &str| {
            let files = [("package.json", root), (lock, ""), ("p/a/package.json", member)];
            planned(Language::TypeScript, "p/a", &files, &["npm"]).map(|plan| plan.because)
        };
        for (member, lock, because) in [
            ("{}", "package-lock.json", "package-lock.json"),
            (NEEDS, "package-lock.json", "package-lock.json"),
            (NEEDS, "README.md", "p/a/package.json"),
            ("{}", "README.md", "package.json"),
        ] {
            assert_eq!(at(member, lock).as_deref(), Some(because), "{member} {lock}");
        }
        let berry = [("package.json", NEEDS), ("yarn.lock", ""), (".yarnrc.yml", "")];
        let line = planned(Language::JavaScript, "", &berry, &[]).expect("a plan").line();
        assert!(line.starts_with("npx --yes @yarnpkg/cli-dist@4 install --immutable ||"), "{line}");
        assert!(line.ends_with("install --no-immutable --mode=skip-build"), "{line}");
    }
}
