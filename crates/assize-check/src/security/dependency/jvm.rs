//! `pom.xml`, the build files of Gradle, and its catalogue of versions.

use std::sync::LazyLock;

use assize_core::path::file_name;
use quick_xml::events::Event;
use regex::Regex;

use super::{DeclaredDependency, PackageSource};
use assize_ecosystem::document::{entries, text, toml};

/// Reads a manifest.
pub(super) fn manifest(path: &str, source: &str) -> Option<Vec<DeclaredDependency>> {
    match file_name(path) {
        "pom.xml" => pom(source),
        "libs.versions.toml" => catalogue(source),
        _ => Some(gradle(source)),
    }
}

fn gradle(source: &str) -> Vec<DeclaredDependency> {
    static DEPENDENCY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?m)^\s*(?:[a-zA-Z]*(?:[iI]mplementation|[aA]pi|[oO]nly|[pP]rocessor|[cC]lasspath)|kapt|ksp|compile|runtime)\b[\s(]*(?:platform\(|enforcedPlatform\()?["']([A-Za-z0-9_.-]+:[A-Za-z0-9_.-]+)(?::([^"':]+))?"#)
            .expect("valid pattern")
    });
    static PLUGIN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?m)^\s*id[\s(]+["']([A-Za-z0-9_.-]+)["']\)?\s+version\s+["']([^"']+)"#).expect("valid pattern")
    });
    let version = |found: &regex::Captures<'_>| found.get(2).map_or("", |version| version.as_str()).to_owned();
    let plain = DEPENDENCY
        .captures_iter(source)
        .map(|found| DeclaredDependency::new(&found[1], version(&found), PackageSource::Registry));
    let plugins = PLUGIN.captures_iter(source).map(|found| {
        DeclaredDependency::new(format!("the plugin {}", &found[1]), version(&found), PackageSource::Registry)
    });
    plain.chain(plugins).collect()
}

fn catalogue(source: &str) -> Option<Vec<DeclaredDependency>> {
    let root = toml(source)?;
    let one = |(name, value): (&String, &serde_json::Value)| {
        let module = value.as_str().unwrap_or_else(|| text(value, &["module"]));
        let mut parts = module.splitn(3, ':');
        let (group, artifact) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        let full = if artifact.is_empty() {
            format!("{}:{}", text(value, &["group"]), text(value, &["name"]))
        } else {
            format!("{group}:{artifact}")
        };
        let inline = parts.next().unwrap_or_else(|| text(value, &["version"]));
        DeclaredDependency::new(if full == ":" { name.clone() } else { full }, inline, PackageSource::Registry)
    };
    Some(["libraries", "plugins"].iter().flat_map(|group| entries(&root, &[group])).map(one).collect())
}

/// Reads dependencies and plugins of Maven.
fn pom(source: &str) -> Option<Vec<DeclaredDependency>> {
    const TEXT_BYTES_MAX: usize = 500;
    let mut reader = quick_xml::Reader::from_str(source);
    let mut way: Vec<String> = Vec::new();
    let mut current: [String; 3] = Default::default();
    let mut all = Vec::new();
    loop {
        match reader.read_event().ok()? {
            Event::Start(tag) => {
                let name = tag.local_name().as_ref().to_owned();
                if matches!(&*name, "dependency" | "plugin" | "extension") {
                    current = Default::default();
                }
                way.push(name);
                if way.len() > crate::security::DEPTH_MAX {
                    return None;
                }
            }
            Event::Text(content) => {
                let slot = match way.last().map(String::as_str) {
                    Some("groupId") => 0,
                    Some("artifactId") => 1,
                    Some("version") => 2,
                    _ => continue,
                };
                let inside = way.len() >= 2 && matches!(&*way[way.len() - 2], "dependency" | "plugin" | "extension");
                if inside && content.len() <= TEXT_BYTES_MAX {
                    current[slot] = content.trim().to_owned();
                }
            }
            Event::End(_) => {
                let name = way.pop()?;
                if matches!(&*name, "dependency" | "plugin" | "extension") && !current[1].is_empty() {
                    let [group, artifact, version] = std::mem::take(&mut current);
                    let full = if group.is_empty() { artifact } else { format!("{group}:{artifact}") };
                    all.push(DeclaredDependency::new(full, version, PackageSource::Registry));
                }
            }
            Event::Eof => return Some(all),
            _ => {}
        }
    }
}
