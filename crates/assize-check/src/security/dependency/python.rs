//! `pyproject.toml`, `Pipfile`, requirements, and the lock files of poetry, uv and pipenv.

use assize_ecosystem::{Language, of_language};
use std::sync::LazyLock;

use assize_core::path::file_name;
use regex::Regex;
use serde_json::Value;

use super::{DeclaredDependency, LockedPackage, PackageSource};
use assize_ecosystem::document::{at, entries, items, json, text, toml};

/// Returns whether a file lists requirements for pip.
pub(super) fn is_requirements(path: &str) -> bool {
    let name = file_name(path);
    let stem = name.strip_suffix(".txt").or_else(|| name.strip_suffix(".in"));
    stem.is_some_and(|stem| {
        stem.contains("requirements") || stem.contains("constraints") || path.contains("requirements/")
    })
}

/// Reads a manifest.
pub(super) fn manifest(path: &str, source: &str) -> Option<Vec<DeclaredDependency>> {
    if is_requirements(path) {
        return Some(source.lines().filter_map(requirement).collect());
    }
    let root = toml(source)?;
    let mut all = Vec::new();
    let mut add =
        |list: &mut dyn Iterator<Item = &Value>| all.extend(list.filter_map(Value::as_str).filter_map(requirement));
    add(&mut items(&root, &["project", "dependencies"]));
    add(&mut items(&root, &["build-system", "requires"]));
    for way in [&["project", "optional-dependencies"][..], &["dependency-groups"]] {
        add(&mut entries(&root, way).flat_map(|(_, list)| items(list, &[])));
    }
    let poetry = ["tool", "poetry"];
    let groups = entries(&root, &["tool", "poetry", "group"]).flat_map(|(_, group)| entries(group, &["dependencies"]));
    let own = ["dependencies", "dev-dependencies"];
    let own = own.iter().flat_map(|group| at(&root, &poetry).into_iter().flat_map(|poetry| entries(poetry, &[*group])));
    let pipfile = ["packages", "dev-packages"].iter().flat_map(|group| entries(&root, &[*group]));
    all.extend(
        groups.chain(own).chain(pipfile).filter(|(name, _)| *name != "python").map(|(name, value)| table(name, value)),
    );
    // uv says elsewhere where a package comes from.
    for (name, source) in entries(&root, &["tool", "uv", "sources"]) {
        let origin = table(name, source).origin;
        for one in all.iter_mut().filter(|one| one.name == normal(name) && origin != PackageSource::Registry) {
            one.origin = origin.clone();
        }
    }
    Some(all)
}

fn table(name: &str, value: &Value) -> DeclaredDependency {
    let version = value.as_str().unwrap_or_else(|| text(value, &["version"]));
    let given = |key: &str| Some(text(value, &[key])).filter(|text| !text.is_empty());
    let origin = if let Some(address) = given("git") {
        PackageSource::Git(address.to_owned())
    } else if let Some(address) = given("url").or_else(|| given("file").filter(|file| file.contains("://"))) {
        PackageSource::Address(address.to_owned())
    } else if given("path").is_some() || given("file").is_some() || at(value, &["workspace"]).is_some() {
        PackageSource::Folder
    } else {
        PackageSource::Registry
    };
    DeclaredDependency::new(normal(name), version, origin)
}

/// Names of packages are the same whatever separates their words.
fn normal(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

/// Reads a requirement as pip and PEP 508 write it: `name[extra] >= 1 ; marker`, `name @ address`, `git+address#egg=name`.
fn requirement(line: &str) -> Option<DeclaredDependency> {
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(.*)$").expect("valid pattern")
    });
    let line = line.split(" #").next().unwrap_or_default().trim();
    if line.starts_with('#') || line.is_empty() {
        return None;
    }
    let editable = line.strip_prefix("-e ").or_else(|| line.strip_prefix("--editable "));
    let wanted = editable.unwrap_or(line).trim();
    if wanted.starts_with('-') {
        return None;
    }
    let address = |address: &str| {
        let address = address.split(" ;").next().unwrap_or_default().trim();
        match address.split_once('+') {
            Some(("git" | "hg" | "svn" | "bzr", _)) => PackageSource::Git(address.to_owned()),
            _ if address.starts_with("file:") || !address.contains("://") => PackageSource::Folder,
            _ => PackageSource::Address(address.to_owned()),
        }
    };
    if wanted.contains("://") && !wanted.contains(" @ ") {
        let name = wanted.rsplit_once("egg=").map_or(wanted, |(_, name)| name);
        return Some(DeclaredDependency::new(normal(name), "", address(wanted)));
    }
    if editable.is_some() || wanted.starts_with(['.', '/']) {
        return Some(DeclaredDependency::new(wanted, "", PackageSource::Folder));
    }
    let found = NAME.captures(wanted)?;
    let rest = found.get(2).map_or("", |rest| rest.as_str());
    if let Some(place) = rest.strip_prefix('@') {
        return Some(DeclaredDependency::new(normal(&found[1]), "", address(place.trim())));
    }
    let version = rest.split([';', '\\']).next().unwrap_or_default().split("--hash").next().unwrap_or_default().trim();
    Some(DeclaredDependency::new(normal(&found[1]), version, PackageSource::Registry))
}

/// Reads the lock file of poetry or uv.
pub(super) fn lock(source: &str) -> Option<Vec<LockedPackage>> {
    let root = toml(source)?;
    let one = |package: &Value| {
        let given = |key: &str| Some(text(package, &["source", key])).filter(|text| !text.is_empty());
        let origin = ["registry", "url", "git"].into_iter().find_map(given);
        let folder = ["path", "editable", "virtual", "directory"].into_iter().find_map(given).map(|_| "file:");
        // A file may come from elsewhere than the package as a whole.
        let files = || items(package, &["wheels"]).chain(items(package, &["files"])).chain(at(package, &["sdist"]));
        let astray = files().map(|file| text(file, &["url"])).find(|url| !url.is_empty() && !is_pypi(url));
        let source =
            astray.filter(|_| origin.is_none_or(is_pypi)).or(origin).or(folder).unwrap_or("https://pypi.org/simple");
        LockedPackage {
            name: text(package, &["name"]).to_owned(),
            version: text(package, &["version"]).to_owned(),
            source: source.to_owned(),
            sums: files().map(|file| text(file, &["hash"]).to_owned()).filter(|sum| !sum.is_empty()).collect(),
            script: false,
        }
    };
    let mut all: Vec<LockedPackage> = items(&root, &["package"]).map(one).collect();
    // Older files of poetry keep the sums apart.
    for (name, files) in entries(&root, &["metadata", "files"]) {
        let sums = || items(files, &[]).map(|file| text(file, &["hash"]).to_owned());
        for entry in all.iter_mut().filter(|entry| entry.name == *name) {
            entry.sums.extend(sums());
        }
    }
    Some(all)
}

fn is_pypi(url: &str) -> bool {
    super::is_registry(of_language(Language::Python), url)
}

/// Reads the lock file of pipenv.
pub(super) fn pipfile_lock(source: &str) -> Option<Vec<LockedPackage>> {
    let root = json(source)?;
    let address = |index: &str| {
        let named = items(&root, &["_meta", "sources"]).find(|source| text(source, &["name"]) == index);
        named.map_or_else(String::new, |source| text(source, &["url"]).to_owned())
    };
    let one = |(name, entry): (&String, &Value)| {
        let index = text(entry, &["index"]);
        let git = text(entry, &["git"]);
        LockedPackage {
            name: name.clone(),
            version: text(entry, &["version"]).trim_start_matches("==").to_owned(),
            source: if git.is_empty() {
                address(if index.is_empty() { "pypi" } else { index })
            } else {
                git.to_owned()
            },
            sums: items(entry, &["hashes"]).filter_map(Value::as_str).map(str::to_owned).collect(),
            script: false,
        }
    };
    Some(["default", "develop"].iter().flat_map(|group| entries(&root, &[group])).map(one).collect())
}
