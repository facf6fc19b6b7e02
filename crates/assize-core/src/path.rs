//! Work on paths: their parts, joining them, and what a path says about the role of its file, whatever the language.
//!
//! Paths are relative to the root of the tree, with forward slashes. This module must not know whether a file exists. What is a test, or
//! written by a tool, depends on the ecosystem: see the crate `assize-ecosystem`.

/// Returns the last component.
pub fn file_name(path: &str) -> &str {
    last_slash(path).map_or(path, |slash| &path[slash + 1..])
}

/// Finds the last slash. Names are short: going through them byte by byte is faster than to search.
fn last_slash(path: &str) -> Option<usize> {
    path.bytes().rposition(|byte| byte == b'/')
}

/// Returns the folder that holds the file or folder; the root is the empty string.
pub fn parent(path: &str) -> &str {
    last_slash(path).map_or("", |slash| &path[..slash])
}

/// Returns the folders above, the nearest first, the root (the empty string) last.
pub fn folders_above(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = (!path.is_empty()).then_some(path);
    std::iter::from_fn(move || {
        let folder = parent(rest?);
        rest = (!folder.is_empty()).then_some(folder);
        Some(folder)
    })
}

/// Returns the file's ending without the dot, in the sense of the last dot of its name.
pub fn ending(path: &str) -> Option<&str> {
    let name = file_name(path);
    let dot = name.bytes().rposition(|byte| byte == b'.')?;
    (dot > 0).then(|| &name[dot + 1..])
}

/// Returns the path without its ending. `a/b.d.ts` becomes `a/b`.
pub fn without_ending(path: &str) -> &str {
    let Some(ending) = ending(path) else { return path };
    let stem = &path[..path.len() - ending.len() - 1];
    match stem.strip_suffix(".d") {
        Some(declared) if matches!(ending, "ts" | "mts" | "cts") && !file_name(declared).is_empty() => declared,
        _ => stem,
    }
}

/// Returns whether a path lies in a folder or is it; everything lies in the root.
pub fn is_within(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns whether a path lies in a folder and is not the folder itself; everything lies in the root.
pub fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns a path as it is called from a folder that it lies in; the folder itself is the empty string.
pub fn relative_to<'a>(path: &'a str, folder: &str) -> &'a str {
    path.strip_prefix(folder).unwrap_or(path).trim_start_matches('/')
}

/// Joins a folder and what stands in it; the folder itself may be the root of the tree, the empty string.
pub fn within(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Joins a folder and a relative path, with `.` and `..` worked out.
///
/// `None` means that the path leads out of the tree.
pub fn join(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = if folder.is_empty() { Vec::new() } else { folder.split('/').collect() };
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Returns whether the path is one that a tree can hold: relative, and without `.`, `..` and empty parts.
pub fn is_plain(path: &str) -> bool {
    !path.is_empty() && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// Returns whether a file holds the types of others and nothing that runs.
pub fn is_declarations(path: &str) -> bool {
    [".d.ts", ".d.mts", ".d.cts", ".pyi"].iter().any(|ending| path.ends_with(ending))
}

/// Returns whether the file is documentation or prose.
pub fn is_prose(path: &str) -> bool {
    let name = file_name(path);
    let lower = name.to_ascii_lowercase();
    [".md", ".mdx", ".rst", ".txt", ".adoc"].iter().any(|ending| lower.ends_with(ending))
        || lower.starts_with("license")
        || lower.starts_with("changelog")
        || lower == "readme"
}

/// Returns whether the file is an example, benchmark, script or demonstration, where stand-ins
/// and printing are ordinary.
pub fn is_example(path: &str) -> bool {
    path.split('/').rev().skip(1).any(|folder| {
        matches!(
            folder,
            "example"
                | "examples"
                | "bench"
                | "benches"
                | "benchmarks"
                | "demo"
                | "demos"
                | "scripts"
                | "samples"
                | "stories"
                | "playground"
        )
    }) || file_name(path).contains(".stories.")
}

/// Returns whether the file configures continuous integration.
pub fn is_ci(path: &str) -> bool {
    path.starts_with(".github/workflows/")
        || path.starts_with(".github/actions/")
        || path.starts_with(".circleci/")
        || path.starts_with(".buildkite/")
        || path.starts_with(".ci/")
        || matches!(
            path,
            ".gitlab-ci.yml"
                | "azure-pipelines.yml"
                | "Jenkinsfile"
                | ".travis.yml"
                | "bitbucket-pipelines.yml"
                | ".pre-commit-config.yaml"
                | "codecov.yml"
                | ".codecov.yml"
        )
        || path.starts_with(".husky/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_joined_and_stay_within() {
        let cases = [
            ("a/b", "./c", Some("a/b/c")),
            ("a/b", "../c", Some("a/c")),
            ("a", "..", Some("")),
            ("a", "../..", None),
            ("", "x//y/./z", Some("x/y/z")),
        ];
        for (folder, relative, expected) in cases {
            assert_eq!(join(folder, relative).as_deref(), expected, "{folder} {relative}");
        }
    }

    #[test]
    fn paths_are_taken_apart() {
        assert_eq!(folders_above("a/b/c.rs").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(folders_above("c.rs").collect::<Vec<_>>(), [""]);
        assert_eq!(folders_above("").count(), 0);
        assert_eq!(without_ending("a/b.d.ts"), "a/b");
        assert_eq!(without_ending("a/b.test.ts"), "a/b.test");
        assert_eq!(without_ending("a.b/c"), "a.b/c");
        assert_eq!(without_ending("a/.d.ts"), "a/.d");
        assert_eq!(ending(".gitignore"), None);
        assert!(is_within("a/b", "a") && is_within("a", "a") && is_within("a", "") && !is_within("ab", "a"));
        for path in ["", "/a", "a//b", "a/../b", "./a", "a/"] {
            assert!(!is_plain(path), "{path}");
        }
        assert!(is_plain("a/b.c"));
    }

    #[test]
    fn roles_follow_conventions() {
        assert!(is_ci(".github/workflows/ci.yml") && !is_ci(".github/CODEOWNERS"));
        assert!(is_prose("README") && is_prose("docs/a.md") && !is_prose("src/readme.rs.in"));
        assert!(is_example("examples/a.rs") && !is_example("src/example.rs"));
    }
}
