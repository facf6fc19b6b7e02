//! `.gitattributes` and `.gitmodules`: where git fetches modules from, and what it runs or hides.

use std::collections::BTreeMap;

use assize_core::text::quote;

use super::ConfigurationFile;
use crate::security::FindingCollector;
use crate::security::address::without_login;

/// Looks at the new lines of git's own settings.
pub(super) fn look(about: &ConfigurationFile<'_>, report: &mut FindingCollector) {
    let path = &about.file.path;
    if path.ends_with(".gitattributes") {
        for (number, line) in about.new_lines().filter(|(_, line)| !line.trim_start().starts_with('#')) {
            let hides = line.split_whitespace().skip(1).any(|word| {
                matches!(
                    word,
                    "-diff" | "binary" | "linguist-generated" | "linguist-generated=true" | "linguist-vendored"
                )
            });
            let pattern = line.split_whitespace().next().unwrap_or_default();
            if hides && reaches_code(pattern) {
                let message = format!("{} hides changes of code from reviewers.", quote(line));
                report.warn("hidden-from-review", path, Some(number), message);
            }
        }
        return;
    }
    let (then, now) = (modules(about.file.before.as_deref()), modules(about.file.after.as_deref()));
    for (key, (value, number)) in &now {
        if then.get(key).is_some_and(|(old, _)| old == value) {
            continue;
        }
        let runs = key.ends_with(".update") && value.starts_with('!')
            || key.ends_with(".url") && (value.starts_with("ext::") || value.starts_with('-'))
            || key.ends_with(".path") && value.starts_with('-');
        if runs {
            let message = format!(
                "{} makes git run a command when the module is fetched. Take it out.",
                quote(&format!("{key} = {value}"))
            );
            report.fault("submodule", about.certainty(), path, Some(*number), message);
        } else if key.ends_with(".url") {
            let what = if then.contains_key(key) { "comes from elsewhere now" } else { "is new" };
            report.note(
                "submodule",
                path,
                Some(*number),
                format!("A module {what}: {}.", quote(&without_login(value))),
            );
        }
    }
}

/// Returns whether a pattern takes in files of code, as far as its ending tells.
fn reaches_code(pattern: &str) -> bool {
    let name = assize_core::path::file_name(pattern);
    matches!(name, "*" | "**")
        || assize_ecosystem::is_code(&name.replace('*', "a")) && !assize_ecosystem::is_generated(pattern)
}

/// `[submodule "x"]` and its settings, as `x.url`, each with its line.
fn modules(text: Option<&str>) -> BTreeMap<String, (String, u32)> {
    let mut section = String::new();
    let mut all = BTreeMap::new();
    for (number, line) in (1..).zip(text.unwrap_or_default().lines()) {
        let line = line.trim();
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']']).replace("submodule", "").trim().trim_matches('"').to_owned();
        } else if let Some((key, value)) = line.split_once('=') {
            let key = format!("{section}.{}", key.trim().to_ascii_lowercase());
            all.insert(key, (value.trim().trim_matches('"').to_owned(), number));
        }
    }
    all
}
