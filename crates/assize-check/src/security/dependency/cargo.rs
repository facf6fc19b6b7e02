//! `Cargo.toml` and `Cargo.lock`.

use serde_json::Value;

use super::{DeclaredDependency, LockedPackage, PackageSource};
use assize_ecosystem::document::{at, entries, items, text, toml};

/// Reads a manifest.
pub(super) fn manifest(source: &str) -> Option<Vec<DeclaredDependency>> {
    let root = toml(source)?;
    let mut all = Vec::new();
    let tables =
        [&["dependencies"][..], &["dev-dependencies"], &["build-dependencies"], &["workspace", "dependencies"]];
    for way in tables {
        all.extend(entries(&root, way).map(|(name, value)| one(name, value)));
    }
    for (_, target) in entries(&root, &["target"]) {
        for group in ["dependencies", "dev-dependencies", "build-dependencies"] {
            all.extend(entries(target, &[group]).map(|(name, value)| one(name, value)));
        }
    }
    // A patch replaces a package for everybody who depends on it.
    for (registry, patches) in entries(&root, &["patch"]) {
        all.extend(entries(patches, &[]).map(|(name, value)| one(&format!("patch.{registry}.{name}"), value)));
    }
    all.extend(entries(&root, &["replace"]).map(|(name, value)| one(&format!("replace.{name}"), value)));
    Some(all)
}

fn one(name: &str, value: &Value) -> DeclaredDependency {
    let version = value.as_str().unwrap_or_else(|| text(value, &["version"]));
    let real = Some(text(value, &["package"])).filter(|real| !real.is_empty()).unwrap_or(name);
    let origin = if let Some(address) = at(value, &["git"]).and_then(Value::as_str) {
        PackageSource::Git(address.to_owned())
    } else if at(value, &["path"]).is_some() {
        PackageSource::Folder
    } else if let Some(registry) = at(value, &["registry-index"]).and_then(Value::as_str) {
        PackageSource::Address(registry.to_owned())
    } else {
        PackageSource::Registry
    };
    DeclaredDependency::new(real, version, origin)
}

/// Reads a lock file.
pub(super) fn lock(source: &str) -> Option<Vec<LockedPackage>> {
    let root = toml(source)?;
    let one = |package: &Value| {
        let address = text(package, &["source"]);
        // `git+https://…#commit`, `registry+https://…`, `sparse+https://…`
        LockedPackage {
            name: text(package, &["name"]).to_owned(),
            version: text(package, &["version"]).to_owned(),
            source: address
                .strip_prefix("registry+")
                .or_else(|| address.strip_prefix("sparse+"))
                .unwrap_or(address)
                .to_owned(),
            sums: at(package, &["checksum"])
                .and_then(Value::as_str)
                .map(|sum| format!("sha256:{sum}"))
                .into_iter()
                .collect(),
            script: false,
        }
    };
    Some(items(&root, &["package"]).map(one).collect())
}
