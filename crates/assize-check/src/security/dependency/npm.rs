//! `package.json`, `package-lock.json`, `yarn.lock` and `pnpm-lock.yaml`.

use serde_json::Value;

use super::{DeclaredDependency, LockedPackage, PackageSource};
use assize_ecosystem::document::{DEPTH_MAX, at, entries, json, text, yaml};

/// Reads a manifest.
pub(super) fn manifest(source: &str) -> Option<Vec<DeclaredDependency>> {
    let root = json(source)?;
    let groups = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];
    let plain = groups.iter().flat_map(|group| entries(&root, &[group]));
    let mut all: Vec<DeclaredDependency> =
        plain.map(|(name, value)| one(name, value.as_str().unwrap_or_default())).collect();
    for group in [&["overrides"][..], &["resolutions"], &["pnpm", "overrides"]] {
        let forced = entries(&root, group).filter_map(|(name, value)| Some((name, value.as_str()?)));
        all.extend(
            forced.map(|(name, value)| DeclaredDependency { name: format!("overrides.{name}"), ..one(name, value) }),
        );
    }
    Some(all)
}

fn one(name: &str, wanted: &str) -> DeclaredDependency {
    if let Some(other) = wanted.strip_prefix("npm:") {
        // Another package under this name.
        let (other, version) = other.rsplit_once('@').filter(|(name, _)| !name.is_empty()).unwrap_or((other, ""));
        return DeclaredDependency::new(
            if other == name { name.to_owned() } else { format!("{name} as {other}") },
            version,
            PackageSource::Registry,
        );
    }
    DeclaredDependency::new(name, wanted, origin(wanted))
}

fn origin(wanted: &str) -> PackageSource {
    let owner = || {
        // `owner/name`, `github:owner/name#tag`
        let bare = wanted.split('#').next().unwrap_or_default();
        bare.split_once('/').is_some_and(|(owner, name)| {
            !owner.is_empty()
                && !name.is_empty()
                && !name.contains('/')
                && !owner.starts_with(['@', '.', '~', '^', '>', '<'])
        })
    };
    if wanted.starts_with("git") || wanted.contains(".git#") || wanted.ends_with(".git") {
        PackageSource::Git(wanted.to_owned())
    } else if wanted.starts_with("http://") || wanted.starts_with("https://") {
        PackageSource::Address(wanted.to_owned())
    } else if ["file:", "link:", "portal:", "workspace:", "./", "../", "/", "~/"]
        .iter()
        .any(|start| wanted.starts_with(start))
    {
        PackageSource::Folder
    } else if wanted.starts_with("bitbucket:") || wanted.starts_with("gist:") || !wanted.contains(':') && owner() {
        PackageSource::Git(wanted.to_owned())
    } else {
        PackageSource::Registry
    }
}

/// Reads the lock file of npm, of any version.
pub(super) fn package_lock(source: &str) -> Option<Vec<LockedPackage>> {
    let root = json(source)?;
    let mut all = Vec::new();
    for (place, entry) in entries(&root, &["packages"]) {
        let linked = at(entry, &["link"]) == Some(&Value::Bool(true));
        // A package within another one's archive has no check sum of its own.
        let bundled = at(entry, &["inBundle"]) == Some(&Value::Bool(true));
        if let Some((_, name)) = place.rsplit_once("node_modules/").filter(|_| !linked && !bundled) {
            let real = text(entry, &["name"]);
            all.push(npm_entry(if real.is_empty() { name } else { real }, entry));
        }
    }
    if at(&root, &["packages"]).is_none() {
        nested(&root, 0, &mut all);
    }
    Some(all)
}

fn nested(value: &Value, depth: usize, all: &mut Vec<LockedPackage>) {
    for (name, entry) in entries(value, &["dependencies"]) {
        if at(entry, &["bundled"]) != Some(&Value::Bool(true)) {
            all.push(npm_entry(name, entry));
        }
        if depth < DEPTH_MAX {
            nested(entry, depth + 1, all);
        }
    }
}

fn npm_entry(name: &str, entry: &Value) -> LockedPackage {
    LockedPackage {
        name: name.to_owned(),
        version: text(entry, &["version"]).to_owned(),
        source: text(entry, &["resolved"]).to_owned(),
        sums: sums(text(entry, &["integrity"])),
        script: at(entry, &["hasInstallScript"]) == Some(&Value::Bool(true)),
    }
}

/// `sha512-… sha1-…`
fn sums(integrity: &str) -> std::collections::BTreeSet<String> {
    integrity.split_whitespace().map(str::to_owned).collect()
}

/// Reads the lock file of yarn, of the first version or a later one.
pub(super) fn yarn_lock(source: &str) -> Option<Vec<LockedPackage>> {
    if source.contains("\n__metadata:") || source.starts_with("__metadata:") {
        return yarn_berry(source);
    }
    let mut all: Vec<LockedPackage> = Vec::new();
    for line in source.lines().filter(|line| !line.trim_start().starts_with('#')) {
        let indent = line.len() - line.trim_start().len();
        let trimmed = line.trim();
        if indent == 0 && trimmed.ends_with(':') {
            let first = trimmed.trim_end_matches(':').split(", ").next().unwrap_or_default().trim_matches('"');
            let name = first.rfind('@').filter(|at| *at > 0).map_or(first, |at| &first[..at]);
            // `alias@npm:name@1`
            let name = name.split_once("@npm:").map_or(name, |(_, real)| real);
            all.push(LockedPackage { name: name.to_owned(), ..LockedPackage::default() });
        } else if indent == 2
            && let Some(entry) = all.last_mut()
        {
            let Some((key, value)) = trimmed.split_once(' ') else { continue };
            let value = value.trim_matches('"');
            match key {
                "version" => value.clone_into(&mut entry.version),
                "resolved" => value.split('#').next().unwrap_or_default().clone_into(&mut entry.source),
                "integrity" => entry.sums = sums(value),
                _ => {}
            }
        }
    }
    Some(all)
}

fn yarn_berry(source: &str) -> Option<Vec<LockedPackage>> {
    let root = yaml(source)?;
    let cache_key = text(&root, &["__metadata", "cacheKey"]).to_owned();
    let one = |(_, entry): (&String, &Value)| {
        let resolution = text(entry, &["resolution"]);
        let at = resolution.char_indices().skip(1).find(|(_, character)| *character == '@').map(|(at, _)| at)?;
        let (name, place) = (&resolution[..at], &resolution[at + 1..]);
        if place.starts_with("workspace:") || place.starts_with("patch:") {
            return None;
        }
        let sum = text(entry, &["checksum"]);
        // The sum is of the archive that yarn makes, which depends on the version of its cache.
        let sum =
            if sum.is_empty() || sum.contains('/') { sum.replacen('/', ":", 1) } else { format!("{cache_key}:{sum}") };
        Some(LockedPackage {
            name: name.to_owned(),
            version: text(entry, &["version"]).to_owned(),
            // What is for another system only has no sum before it was fetched once.
            source: if place.starts_with("npm:") && entry.get("conditions").is_none() { "npm:" } else { place }
                .to_owned(),
            sums: Some(sum).filter(|sum| !sum.is_empty()).into_iter().collect(),
            script: false,
        })
    };
    Some(entries(&root, &[]).filter_map(one).collect())
}

/// Reads the lock file of pnpm.
pub(super) fn pnpm_lock(source: &str) -> Option<Vec<LockedPackage>> {
    let root = yaml(source)?;
    let one = |(key, entry): (&String, &Value)| {
        // `/name/1.0.0`, `/name@1.0.0`, `name@1.0.0(peer@2)`
        let key = key.trim_start_matches('/');
        let key = key.split('(').next().unwrap_or(key);
        let cut = key.rfind('@').filter(|at| *at > 0).or_else(|| key.rfind('/'))?;
        Some(LockedPackage {
            name: key[..cut].to_owned(),
            version: key[cut + 1..].to_owned(),
            source: pnpm_source(entry),
            sums: sums(text(entry, &["resolution", "integrity"])),
            script: at(entry, &["requiresBuild"]) == Some(&Value::Bool(true)),
        })
    };
    Some(entries(&root, &["packages"]).filter_map(one).collect())
}

fn pnpm_source(entry: &Value) -> String {
    let found = ["tarball", "repo"].iter().map(|key| text(entry, &["resolution", key])).find(|place| !place.is_empty());
    let folder = at(entry, &["resolution", "directory"]).map(|_| "file:");
    // What is not said comes from the registry.
    found.or(folder).unwrap_or("npm:").to_owned()
}
