//! What runs when a package is built or installed.

use std::sync::LazyLock;

use assize_core::path::file_name;
use assize_core::text::quote;
use regex::Regex;
use serde_json::Value;

use crate::security::download::is_download_and_run;
use crate::security::{FileVersions, FindingCollector, RequestedChanges};
use assize_ecosystem::document::{at, entries, json, line_with, text, toml};

/// Returns whether the file of a path can run something when a package is built or installed.
pub(super) fn reads(path: &str) -> bool {
    matches!(file_name(path), "build.rs" | "setup.py" | "package.json" | "Cargo.toml" | "binding.gyp")
}

/// Looks for scripts that are new.
pub(super) fn look(file: &FileVersions, asked: &RequestedChanges, report: &mut FindingCollector) {
    let Some(after) = &file.after else { return };
    let before = file.before.as_deref();
    match file_name(&file.path) {
        "package.json" => npm(file, before, after, asked, report),
        "Cargo.toml" => cargo(file, before, after, report),
        "build.rs" if before.is_none() => {
            let message = "A build script is new: it runs with every build, on every machine that builds.".to_owned();
            report.note("build-script", &file.path, None, message);
        }
        "setup.py" => python(file, before.unwrap_or_default(), after, report),
        "binding.gyp" if before.is_none() => {
            let message = "The package gets native parts, which npm builds when it is installed.".to_owned();
            report.note("install-script", &file.path, None, message);
        }
        _ => {}
    }
}

/// Scripts that npm runs automatically.
const BY_ITSELF: [&str; 8] =
    ["preinstall", "install", "postinstall", "prepare", "prepublish", "preprepare", "postprepare", "dependencies"];

fn npm(
    file: &FileVersions,
    before: Option<&str>,
    after: &str,
    asked: &RequestedChanges,
    report: &mut FindingCollector,
) {
    let Some(now) = json(after) else { return };
    let then = before.and_then(json).unwrap_or(Value::Null);
    for name in BY_ITSELF {
        let (old, new) = (text(&then, &["scripts", name]), text(&now, &["scripts", name]));
        if new.is_empty() || old == new {
            continue;
        }
        let line = line_with(after, &[&format!("\"{name}\"")]);
        let command = quote(new);
        if is_download_and_run(new) {
            let message = format!(
                "The script `{name}` runs what it downloads, on every machine that installs this: {command}. Put what is needed into the tree."
            );
            let certainty = asked.soften(&file.path, &["install script", name]);
            report.fault("install-script", certainty, &file.path, line, message);
        } else {
            let what = if old.is_empty() { "is new" } else { "is another one" };
            let message =
                format!("The script `{name}` {what}; it runs on every machine that installs this: {command}.");
            report.note("install-script", &file.path, line, message);
        }
    }
    let trusted = |value: &Value| -> Vec<String> {
        let list = at(value, &["trustedDependencies"]).or_else(|| at(value, &["pnpm", "onlyBuiltDependencies"]));
        list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let old = trusted(&then);
    let new: Vec<String> = trusted(&now).into_iter().filter(|name| !old.contains(name)).collect();
    if !new.is_empty() {
        let message =
            format!("Packages that may run scripts when they are installed: {}.", crate::security::listed(new));
        report.note("install-script", &file.path, None, message);
    }
}

fn cargo(file: &FileVersions, before: Option<&str>, after: &str, report: &mut FindingCollector) {
    let Some(now) = toml(after) else { return };
    let then = before.and_then(toml).unwrap_or(Value::Null);
    if at(&now, &["lib", "proc-macro"]) == Some(&Value::Bool(true)) && at(&then, &["lib", "proc-macro"]).is_none() {
        let message = "The crate holds procedural macros: its code runs while others are compiled.".to_owned();
        report.note("build-script", &file.path, line_with(after, &["proc-macro"]), message);
    }
    let (old, new) = (text(&then, &["package", "build"]), text(&now, &["package", "build"]));
    if !new.is_empty() && old != new {
        let message = format!("The build script is {} now: it runs with every build.", quote(new));
        report.note("build-script", &file.path, line_with(after, &["build"]), message);
    }
    let needs =
        |value: &Value| entries(value, &["build-dependencies"]).map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let known = needs(&then);
    let fresh: Vec<String> = needs(&now).into_iter().filter(|name| !known.contains(name)).collect();
    if !fresh.is_empty() {
        let message = format!("Packages that run while this is built are new: {}.", crate::security::listed(fresh));
        report.note("build-script", &file.path, line_with(after, &["build-dependencies"]), message);
    }
}

/// What a `setup.py` does besides to describe its package.
fn python(file: &FileVersions, before: &str, after: &str, report: &mut FindingCollector) {
    static ACTS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:subprocess|os\.(?:system|popen|exec\w*|environ)|urllib|requests\.|socket|exec\(|eval\(|base64|cmdclass|__import__|compile\(|shutil\.|ctypes)")
            .expect("valid pattern")
    });
    let known: Vec<&str> = before.lines().map(str::trim).collect();
    let mut new = (1..).zip(after.lines()).filter(|(_, line)| !known.contains(&line.trim()) && ACTS.is_match(line));
    if let Some((number, line)) = new.next() {
        let message = format!(
            "The setup script does more than to describe its package, on every machine that installs it: {}.",
            quote(line)
        );
        report.note("install-script", &file.path, Some(number), message);
    }
}
