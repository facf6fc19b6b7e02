//! What a manifest wants that it did not want before.

use std::collections::BTreeMap;

use assize_core::text::quote;

use super::{DeclaredDependency, Ecosystem, PackageSource, lookalike, wanted};
use crate::security::{FileVersions, FindingCollector, SecurityChange, listed};
use assize_ecosystem::document::line_with;

/// Lists packages that came, went, changed their version, or come from elsewhere.
pub(super) fn look(
    file: &FileVersions,
    ecosystem: &'static Ecosystem,
    change: &SecurityChange,
    report: &mut FindingCollector,
) {
    let path = &file.path;
    let text = file.after.as_deref().unwrap_or_default();
    let read = |text: Option<&String>| text.and_then(|text| wanted(path, text));
    let (before, after) = (by_name(read(file.before.as_ref())), by_name(read(file.after.as_ref())));
    let line = |name: &str| line_with(text, &[name]);
    let new: Vec<&DeclaredDependency> =
        after.iter().filter(|(name, _)| !before.contains_key(*name)).map(|(_, one)| one).collect();
    if let Some(first) = new.first() {
        let names = listed(new.iter().map(|one| shown(one)));
        report.note("dependency-added", path, line(&first.name), format!("New dependencies: {names}."));
    }
    let gone: Vec<&DeclaredDependency> =
        before.iter().filter(|(name, _)| !after.contains_key(*name)).map(|(_, one)| one).collect();
    if !gone.is_empty() && file.after.is_some() {
        let names = listed(gone.iter().map(|one| one.name.clone()));
        report.note("dependency-removed", path, None, format!("Dependencies that went: {names}."));
    }
    let kept = || after.iter().filter_map(|(name, now)| Some((before.get(name)?, now)));
    let versions: Vec<String> = kept()
        .filter(|(then, now)| then.version != now.version && then.origin == now.origin)
        .map(|(then, now)| format!("{} {} → {}", now.name, then.version, now.version))
        .collect();
    if !versions.is_empty() {
        report.note("dependency-changed", path, None, format!("Other versions are wanted: {}.", listed(versions)));
    }
    for (then, now) in kept().filter(|(then, now)| then.origin != now.origin) {
        let message = format!(
            "{} came from {} and now comes from {}.",
            quote(&now.name),
            then.origin.describe(),
            now.origin.describe()
        );
        elsewhere(&now.origin, path, line(&now.name), message, report);
    }
    for one in new.iter().filter(|one| matches!(one.origin, PackageSource::Git(_) | PackageSource::Address(_))) {
        let message =
            format!("{} is new and comes from {}, not from a registry.", quote(&one.name), one.origin.describe());
        elsewhere(&one.origin, path, line(&one.name), message, report);
    }
    for one in &new {
        let local = change.files.iter().any(|file| file.path.contains(&format!("/{}/", one.name)));
        if let Some(known) =
            lookalike::of(ecosystem, &one.name).filter(|_| !local && one.origin == PackageSource::Registry)
        {
            let message = format!(
                "{} is new, and one letter away from the well-known {}: see that it is meant.",
                quote(&one.name),
                quote(known)
            );
            report.note("dependency-lookalike", path, line(&one.name), message);
        }
    }
}

/// What no registry holds fast is worth a look; what comes back to one is not.
fn elsewhere(origin: &PackageSource, path: &str, line: Option<u32>, message: String, report: &mut FindingCollector) {
    match origin {
        PackageSource::Git(_) | PackageSource::Address(_) => report.warn("dependency-source", path, line, message),
        PackageSource::Registry | PackageSource::Folder => report.note("dependency-source", path, line, message),
    }
}

fn by_name(all: Option<Vec<DeclaredDependency>>) -> BTreeMap<String, DeclaredDependency> {
    all.unwrap_or_default().into_iter().map(|one| (one.name.clone(), one)).collect()
}

fn shown(one: &DeclaredDependency) -> String {
    if one.version.is_empty() { one.name.clone() } else { format!("{} {}", one.name, one.version) }
}
