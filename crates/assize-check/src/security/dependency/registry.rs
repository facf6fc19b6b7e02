//! Where packages are fetched from: settings of package managers.
//!
//! Another registry delivers other packages under the same names. That is worth a look. To fetch without looking at a
//! certificate is a fault.

use std::sync::LazyLock;

use assize_core::path::file_name;
use assize_core::text::quote;
use regex::Regex;

use crate::security::address::without_login;
use crate::security::{FileVersions, FindingCollector, RequestedChanges};

/// Settings that do nothing else.
const SETTINGS: [&str; 12] = [
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    "bunfig.toml",
    "pip.conf",
    "pip.ini",
    ".pypirc",
    "uv.toml",
    "settings.xml",
    "settings.gradle",
    "settings.gradle.kts",
];

/// Returns whether the file of a path says where packages come from.
pub(super) fn reads(path: &str) -> bool {
    let name = file_name(path);
    SETTINGS.contains(&name)
        || path.contains(".cargo/config")
        || matches!(name, "pyproject.toml" | "Pipfile" | "pom.xml" | "build.gradle" | "build.gradle.kts" | "go.env")
        || super::python::is_requirements(path)
        || name == "Cargo.toml"
        || name == "package.json"
}

/// Lines that choose a registry, with the address.
static CHOICE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?i)^\s*(?:"?(?:@[\w.-]+:)?registry"?\s*[:=]|(?:-i|--index-url|--extra-index-url|--find-links|-f)[\s=]|(?:extra-)?index-url\s*=|find-links\s*=|"#,
        r#"npmRegistryServer\s*:|replace-with\s*=|(?:index|registry|url)\s*=\s*["'](?:sparse\+|registry\+)?https?://|<url>|(?:maven\s*\{\s*)?(?:url|setUrl)\b.{0,12}["']https?://|GOPROXY\s*=)"#,
    ))
    .expect("valid pattern")
});

/// Lines that fetch without looking at a certificate or a check sum.
static UNVERIFIED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r#"(?i)^\s*(?:strict-ssl"?\s*[:=]\s*"?(?:false|no)|"?strict-ssl"?\s+"?false|enableStrictSsl\s*:\s*false|unsafeHttpWhitelist\s*:|--?trusted-host\b|trusted-host\s*=|"#,
        r"verify_ssl\s*=\s*false|check-revoke\s*=\s*false|allow-insecure-host\s*=|checksumBehavior\s*:\s*(?:ignore|update)|GOINSECURE\s*=\s*\S|GOFLAGS\s*=.*-insecure|GOSUMDB\s*=\s*off|",
        r"allowInsecureProtocol\s*=?\s*\(?true|isAllowInsecureProtocol\s*=\s*true)",
    ))
    .expect("valid pattern")
});

/// Looks at the new lines of settings.
pub(super) fn look(file: &FileVersions, asked: &RequestedChanges, report: &mut FindingCollector) {
    if !reads(&file.path) {
        return;
    }
    let (path, name) = (&file.path, file_name(&file.path));
    // `<url>` and `url = …` say other things as well in manifests.
    let dedicated = SETTINGS.contains(&name) || path.contains(".cargo/config") || super::python::is_requirements(path);
    let chooses = |line: &str, section: &str| {
        CHOICE.is_match(line)
            && (dedicated || section.contains("repositor") || section.contains("source") || section.contains("index"))
    };
    let before: Vec<&str> = file.before.iter().flat_map(|text| text.lines()).map(str::trim).collect();
    let mut section = String::new();
    for (number, line) in (1..).zip(file.after.iter().flat_map(|text| text.lines())) {
        track(&mut section, line);
        if before.contains(&line.trim())
            || line.trim_start().starts_with(['#', ';'])
            || line.trim_start().starts_with("//") && !line.contains("registry")
        {
            continue;
        }
        if UNVERIFIED.is_match(line) {
            let message =
                format!("{} fetches packages without looking at who delivers them. Take it out.", quote(line));
            let certainty = asked.soften(path, &["certificate", "tls", "ssl", "insecure", "trusted-host"]);
            report.fault("registry-unverified", certainty, path, Some(number), message);
        } else if chooses(line, &section) && !assize_ecosystem::registries().any(|host| line.contains(host)) {
            // What logs in is not repeated.
            let shown = line.split("://").count() > 1;
            let line = if shown {
                line.split_whitespace().map(without_login_in).collect::<Vec<_>>().join(" ")
            } else {
                line.to_owned()
            };
            let message = format!("{} chooses where packages are fetched from.", quote(&line));
            report.warn("registry", path, Some(number), message);
        }
    }
}

fn without_login_in(word: &str) -> String {
    match word.find("http") {
        Some(start) => format!("{}{}", &word[..start], without_login(&word[start..])),
        None => word.to_owned(),
    }
}

/// Follows sections of TOML, blocks of Gradle and elements of Maven.
fn track(section: &mut String, line: &str) {
    let line = line.trim();
    if line.starts_with('[') {
        line.clone_into(section);
    } else if line.starts_with("repositories") || line.starts_with("<repositor") || line.starts_with("<pluginRepositor")
    {
        "repositories".clone_into(section);
    } else if line.starts_with("</repositor")
        || line.starts_with("</pluginRepositor")
        || line.starts_with("dependencies")
    {
        section.clear();
    }
}
