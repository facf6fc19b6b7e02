//! `go.mod` and `go.sum`.

use super::{DeclaredDependency, LockedPackage, PackageSource};

/// Reads a manifest: the modules that it requires, and those that replace others.
pub(super) fn manifest(source: &str) -> Vec<DeclaredDependency> {
    let mut all = Vec::new();
    let mut block = "";
    for line in source.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let mut words = line.split_whitespace();
        let inside = !block.is_empty();
        let verb = if inside { block } else { words.next().unwrap_or_default() };
        let rest: Vec<&str> = words.collect();
        match (verb, &rest[..]) {
            (verb @ ("require" | "replace" | "exclude" | "tool"), ["("]) if !inside => block = verb,
            (_, [")"]) => block = "",
            ("require", [name, version, ..]) => {
                all.push(DeclaredDependency::new(*name, *version, PackageSource::Registry));
            }
            ("replace", words) => all.extend(replaced(words)),
            _ => {}
        }
    }
    all
}

/// `old [version] => new [version]`
fn replaced(words: &[&str]) -> Option<DeclaredDependency> {
    let arrow = words.iter().position(|word| *word == "=>")?;
    let (old, new) = (words.first()?, words.get(arrow + 1)?);
    let local = new.starts_with('.') || new.starts_with('/');
    let origin = if local { PackageSource::Folder } else { PackageSource::Address((*new).to_owned()) };
    Some(DeclaredDependency::new(format!("replace.{old}"), words.get(arrow + 2).copied().unwrap_or_default(), origin))
}

/// Reads the check sums.
pub(super) fn sums(source: &str) -> Vec<LockedPackage> {
    let one = |line: &str| {
        let mut words = line.split_whitespace();
        let (name, version, sum) = (words.next()?, words.next()?, words.next()?);
        Some(LockedPackage {
            name: name.to_owned(),
            version: version.to_owned(),
            sums: [sum.to_owned()].into(),
            ..LockedPackage::default()
        })
    };
    source.lines().filter_map(one).collect()
}
