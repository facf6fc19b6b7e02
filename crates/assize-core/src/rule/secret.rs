//! A key or password stands in the tree.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::Regex;

use super::reading::{Moved, opens_rust_tests};
use super::{Findings, Needs, Rule};
use crate::diff::FileChange;
use crate::evidence::Evidence;
use crate::finding::{Certainty, Severity};
use crate::path::{Language, file_name, is_generated, is_prose, is_test};

/// See the module.
pub struct Secret;

impl Rule for Secret {
    fn id(&self) -> &'static str {
        "secret"
    }

    fn summary(&self) -> &'static str {
        "A key, token or password was written into the tree."
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(diff) = evidence.diff.get() else { return };
        let mut moved = Moved::new(diff);
        let glance = findings.glance;
        for file in glance.adding(&[&HINTS[..], &KNOWN_HINTS].concat()).filter(|file| !is_generated(&file.path)) {
            check_file(file, &mut moved, findings);
        }
    }
}

/// At least one of these, or of [`KNOWN_HINTS`], stands in every line that the rule finds.
const HINTS: [&str; 17] = [
    "PRIVATE KEY",
    "hooks.slack",
    "://",
    "pass",
    "Pass",
    "PASS",
    "secret",
    "Secret",
    "SECRET",
    "token",
    "Token",
    "TOKEN",
    "key",
    "Key",
    "KEY",
    "redential",
    "CREDENTIAL",
];

/// At least one of these stands in every key of a known form.
const KNOWN_HINTS: [&str; 24] = [
    "AKIA",
    "ASIA",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxa-",
    "xoxb-",
    "xoxp-",
    "xoxr-",
    "xoxs-",
    "sk_live_",
    "rk_live_",
    "AIza",
    "sk-",
    "npm_",
    "pypi-",
    "SG.",
    "hf_",
    "eyJ",
    "hooks.slack",
];

fn holds_any(text: &str, hints: &[&str]) -> bool {
    hints.iter().any(|hint| text.contains(hint))
}

/// The keys whose form gives them away, by what they are called.
static KNOWN: LazyLock<[(&str, Certainty, Regex); 15]> = LazyLock::new(|| {
    let known = |name, certainty, pattern: &str| (name, certainty, Regex::new(pattern).expect("valid pattern"));
    let (certain, likely) = (Certainty::Certain, Certainty::Likely);
    [
        known("an AWS access key", certain, r"\b((?:AKIA|ASIA)[0-9A-Z]{16})\b"),
        known("a GitHub token", certain, r"\b(gh[pousr]_[A-Za-z0-9]{36,})\b"),
        known("a GitHub token", certain, r"\b(github_pat_[A-Za-z0-9_]{60,})\b"),
        known("a GitLab token", certain, r"\b(glpat-[A-Za-z0-9_-]{20,})"),
        known("a Slack token", certain, r"\b(xox[abprs]-[0-9]{6,}-[A-Za-z0-9-]{10,})"),
        known("a Stripe live key", certain, r"\b([sr]k_live_[A-Za-z0-9]{20,})\b"),
        known("an Anthropic key", certain, r"\b(sk-ant-[A-Za-z0-9_-]{24,})"),
        known("an OpenAI key", certain, r"\b(sk-(?:proj-|svcacct-)?[A-Za-z0-9_-]{32,})"),
        known("an npm token", certain, r"\b(npm_[A-Za-z0-9]{36})\b"),
        known("a PyPI token", certain, r"\b(pypi-AgE[A-Za-z0-9_-]{40,})"),
        known("a SendGrid key", certain, r"\b(SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{40,46})"),
        known("a Hugging Face token", certain, r"\b(hf_[A-Za-z0-9]{34})\b"),
        known("a Slack webhook", certain, r"(hooks\.slack\.com/services/T[A-Z0-9]{7,}/B[A-Z0-9]{7,}/[A-Za-z0-9]{20,})"),
        // Web front ends publish these two on purpose.
        known("a Google API key", likely, r"\b(AIza[0-9A-Za-z_-]{35})"),
        known("a JSON Web Token", likely, r"\b(eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,})"),
    ]
});

/// What a line gives away.
struct Leak {
    name: &'static str,
    certainty: Certainty,
    /// The first characters of the secret, and how long it is.
    head: String,
    length: usize,
}

impl Leak {
    fn new(name: &'static str, certainty: Certainty, secret: &str) -> Self {
        const SHOWN: usize = 4;
        let head = secret.chars().take(SHOWN).filter(|character| character.is_ascii_graphic()).collect();
        Self { name, certainty, head, length: secret.chars().count() }
    }
}

fn check_file(file: &FileChange, moved: &mut Moved<'_>, findings: &mut Findings<'_>) {
    let mut aside = is_aside(&file.path);
    let rust = Language::of(&file.path) == Some(Language::Rust);
    let lines: Vec<(u32, &str)> = file.added_lines().collect();
    for (index, (number, line)) in lines.iter().enumerate() {
        aside |= rust && opens_rust_tests(line);
        if !holds_any(line, &HINTS) && !holds_any(line, &KNOWN_HINTS) {
            continue;
        }
        let Some(leak) = private_key(&lines[index..]).or_else(|| leak(line, file)) else { continue };
        if moved.take(line) {
            continue;
        }
        let excused =
            aside || ["allowlist", "gitleaks:allow", "nosec", "noqa: S"].iter().any(|mark| line.contains(mark));
        let certainty = if excused { Certainty::Likely } else { leak.certainty };
        let message = format!(
            "The line seems to hold {} (`{}…`, {} characters). Take it out and read it from the environment or a secret store, and tell the user that it has to be revoked if it was ever real.",
            leak.name, leak.head, leak.length
        );
        findings.at(file, Some(*number), Severity::Error, certainty, message);
    }
}

/// Places where samples of keys are ordinary.
fn is_aside(path: &str) -> bool {
    let name = file_name(path).to_ascii_lowercase();
    let sample =
        [".example", ".sample", ".template", ".dist", "example.", "sample."].iter().any(|part| name.contains(part));
    let folder = path.split('/').rev().skip(1).any(|folder| {
        matches!(
            folder,
            "docs"
                | "doc"
                | "example"
                | "examples"
                | "samples"
                | "demo"
                | "demos"
                | "mocks"
                | "mock"
                | "fakes"
                | "cassettes"
                | "fixtures"
                | "certs"
                | "testcerts"
        )
    });
    sample || folder || is_test(path) || is_prose(path)
}

/// A private key in its armour, with some of its contents.
fn private_key(lines: &[(u32, &str)]) -> Option<Leak> {
    let (_, line) = lines.first()?;
    let start = line.find("-----BEGIN ")?;
    let rest = &line[start..];
    if !rest.contains("PRIVATE KEY") {
        return None;
    }
    let after = rest.split_once("PRIVATE KEY")?.1;
    let same_line = after.trim_start_matches([' ', 'B', 'L', 'O', 'C', 'K', '-', '\\', 'n', 'r']);
    let body = |text: &str| {
        let text = text.trim().trim_matches(['"', '\'', '+', ',', '\\']);
        let run = text
            .split(|character: char| !character.is_ascii_alphanumeric() && !matches!(character, '+' | '/' | '='))
            .map(str::len)
            .max();
        run.unwrap_or(0) >= 40 && !is_placeholder(text)
    };
    // Some armours have headings before their contents.
    let found = body(same_line) || lines[1..].iter().take(6).any(|(_, line)| body(line));
    found.then(|| Leak {
        name: "a private key",
        certainty: Certainty::Certain,
        head: "----".to_owned(),
        length: rest.len(),
    })
}

fn leak(line: &str, file: &FileChange) -> Option<Leak> {
    let known = || {
        KNOWN.iter().find_map(|(name, certainty, pattern)| {
            let secret = pattern.captures(line)?.get(1)?.as_str();
            // Access keys of AWS are written in letters and few digits, all others have some.
            let random =
                !is_placeholder(secret) && entropy(secret) >= 3.0 && (has_digit(secret) || secret.starts_with("AK"));
            random.then(|| Leak::new(name, *certainty, secret))
        })
    };
    let known = holds_any(line, &KNOWN_HINTS).then(known).flatten();
    known.or_else(|| password_in_url(line)).or_else(|| assigned(line, file))
}

fn has_digit(text: &str) -> bool {
    text.chars().any(|character| character.is_ascii_digit())
}

/// `scheme://user:password@host`.
fn password_in_url(line: &str) -> Option<Leak> {
    static URL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"[a-z][a-z0-9+]{2,}://[A-Za-z0-9_.%-]+:([^\s:/@\x22'`<>${}]{8,})@([A-Za-z0-9_.-]+)")
            .expect("valid pattern")
    });
    if !line.contains("://") || !line.contains('@') {
        return None;
    }
    let found = URL.captures(line)?;
    let (password, host) = (found.get(1)?.as_str(), found.get(2)?.as_str());
    // A host without a domain is a neighbour on the same machine or in the same set of containers.
    let local =
        !host.contains('.') || host.starts_with("127.") || host.starts_with("0.0.0.0") || host.contains("example");
    (!local && !is_placeholder(password) && has_digit(password) && entropy(password) >= 2.7)
        .then(|| Leak::new("a password in an address", Certainty::Likely, password))
}

/// A value that looks random, under a name that says it is secret.
fn assigned(line: &str, file: &FileChange) -> Option<Leak> {
    static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?i)(?:passw(?:or)?d|secret|api_?-?key|access_?-?key|auth_?-?token|token|private_?-?key|credential)[a-z0-9_-]{0,20}["'\]]?\s*(?::=|=>|[:=])\s*(?:[a-z_:.]{1,20}\()?["'`]([^"'`\s]{16,200})["'`]"#)
            .expect("valid pattern")
    });
    static BARE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\s*(?:export\s+)?[A-Za-z0-9_.-]*(?i:password|passwd|secret|api_?key|access_?key|token|private_?key)[A-Za-z0-9_.-]*\s*[:=]\s*([^\s\x22'`#]{16,200})\s*$")
            .expect("valid pattern")
    });
    let quoted = || line.contains(['"', '\'', '`']).then(|| QUOTED.captures(line)).flatten();
    let found = quoted().or_else(|| if is_plain_setting(&file.path) { BARE.captures(line) } else { None })?;
    let value = found.get(1)?.as_str();
    is_random(value).then(|| Leak::new("a secret", Certainty::Likely, value))
}

fn is_plain_setting(path: &str) -> bool {
    let name = file_name(path);
    name.starts_with(".env")
        || [".yml", ".yaml", ".properties", ".ini", ".env", ".conf", ".cfg", ".toml"]
            .iter()
            .any(|ending| name.ends_with(ending))
}

/// Returns whether a value is too disorderly to be a name, a path or a word.
fn is_random(value: &str) -> bool {
    const ENTROPY_MIN: f64 = 3.5;
    const HEX_ENTROPY_MIN: f64 = 3.0;
    let token =
        value.chars().all(|character| character.is_ascii_alphanumeric() || "+/=_-.!@#%^&*~".contains(character));
    if !token
        || is_placeholder(value)
        || !has_digit(value)
        || !value.chars().any(|character| character.is_ascii_alphabetic())
    {
        return false;
    }
    let hex = value.chars().all(|character| character.is_ascii_hexdigit());
    // Names are made of words: long runs of letters of one case.
    let words = value
        .split(|character: char| !character.is_ascii_lowercase())
        .filter(|run| run.len() >= 5)
        .map(str::len)
        .sum::<usize>();
    entropy(value) >= if hex { HEX_ENTROPY_MIN } else { ENTROPY_MIN } && words * 2 < value.len()
}

/// Text that stands for a secret without being one.
fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let words = [
        "example",
        "your",
        "xxxx",
        "placeholder",
        "changeme",
        "change-me",
        "change_me",
        "dummy",
        "fake",
        "redacted",
        "sample",
        "test",
        "insert",
        "replace",
        "todo",
        "password",
        "abcdef",
        "abcd1234",
        "123456789",
        "secret",
        "<",
        ">",
        "${",
        "{{",
        "...",
        "***",
        "foobar",
        "deadbeef",
        "0000000",
        "process.env",
        "goes-here",
        "goes_here",
    ];
    words.iter().any(|word| lower.contains(word)) || has_long_run(&lower)
}

/// `aaaaaa`: nothing random repeats like that.
fn has_long_run(text: &str) -> bool {
    const RUN_MAX: usize = 5;
    let bytes = text.as_bytes();
    bytes.windows(RUN_MAX).any(|window| window.iter().all(|byte| *byte == window[0]))
}

/// Shannon entropy in bits a character.
fn entropy(text: &str) -> f64 {
    let mut counts: HashMap<char, u32> = HashMap::new();
    for character in text.chars() {
        *counts.entry(character).or_default() += 1;
    }
    let total = f64::from(counts.values().sum::<u32>());
    counts.values().map(|count| f64::from(*count) / total).map(|share| -share * share.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::{changed, found, grades};
    use Certainty::{Certain, Likely};

    fn check(path: &str, lines: &str) -> Vec<Certainty> {
        grades(&Secret, &changed(path, lines))
    }

    /// Characters without order, the same at every run.
    fn noise(length: usize) -> String {
        let alphabet: Vec<char> = ('A'..='Z').chain('a'..='z').chain('0'..='9').collect();
        let mut state = 7_usize;
        let mut next = |characters: &[char]| {
            state = (state * 75 + 74) % 65_537;
            characters[state % characters.len()]
        };
        let digits = &alphabet[52..];
        (0..length).map(|index| next(if index % 5 == 4 { digits } else { &alphabet })).collect()
    }

    fn upper_noise(length: usize) -> String {
        noise(length).to_ascii_uppercase()
    }

    fn known_keys() -> Vec<String> {
        vec![
            format!("{}{}", "AKI", format_args!("A{}", upper_noise(16))),
            format!("gh{}{}", "p_", noise(36)),
            format!("github_{}{}", "pat_", noise(82)),
            format!("gl{}{}", "pat-", noise(20)),
            format!("xo{}{}-{}", "xb-", "2847561093", noise(24)),
            format!("sk_{}{}", "live_", noise(24)),
            format!("sk-{}{}", "ant-api03-", noise(80)),
            format!("sk-{}{}", "proj-", noise(48)),
            format!("np{}{}", "m_", noise(36)),
            format!("py{}{}", "pi-AgEIcHlwaS5vcmc", noise(60)),
            format!("S{}{}.{}", "G.", noise(22), noise(43)),
        ]
    }

    #[test]
    fn known_keys_are_certain() {
        for key in known_keys() {
            assert_eq!(check("src/client.py", &format!("+KEY = \"{key}\"\n")), [Certain], "{key}");
            assert_eq!(check("config/app.yaml", &format!("+  value: {key}\n")), [Certain], "{key}");
        }
        assert_eq!(check("scripts/release.ts", &format!("+const token = 'gh{}{}';\n", "p_", noise(36))), [Certain]);
        let body = noise(64);
        let armour = format!("+-----BEGIN {} KEY-----\n+{body}\n+{body}\n", "RSA PRIVATE");
        assert_eq!(check("deploy/id", &armour), [Certain]);
        let line = format!("+KEY = \"-----BEGIN {} KEY-----\\n{body}\\n\"\n", "PRIVATE");
        assert_eq!(check("src/a.py", &line), [Certain]);
    }

    #[test]
    fn a_message_never_repeats_the_secret() {
        for key in known_keys() {
            let finding = &found(&Secret, &changed("src/a.py", &format!("+KEY = \"{key}\"\n")))[0];
            assert!(!finding.message.contains(&key[..6]), "{}", finding.message);
            assert!(finding.message.contains(&format!("{} characters", key.len())), "{}", finding.message);
        }
    }

    #[test]
    fn generic_secrets_and_samples_are_likely() {
        let value = noise(32);
        for (path, line) in [
            ("src/a.py", format!("+API_KEY = \"{value}\"\n")),
            ("src/a.ts", format!("+  authToken: '{value}',\n")),
            ("src/a.rs", format!("+const SECRET: &str = \"x\"; let client_secret = \"{value}\";\n")),
            ("config/.env", format!("+DB_PASSWORD={value}\n")),
            ("src/a.py", format!("+URL = \"postgres://app:{}@db1.internal.corp/app\"\n", noise(14))),
            ("src/firebase.ts", format!("+  apiKey: \"AI{}{}\",\n", "za", noise(35))),
            (
                "src/a.ts",
                format!(
                    "+const jwt = 'ey{}.ey{}.{}';\n",
                    format_args!("J{}", noise(20)),
                    format_args!("J{}", noise(30)),
                    noise(40)
                ),
            ),
            ("tests/test_a.py", format!("+KEY = \"gh{}{}\"\n", "p_", noise(36))),
            ("docs/setup.md", format!("+export TOKEN=gh{}{}\n", "p_", noise(36))),
            (".env.example", format!("+TOKEN=gh{}{}\n", "p_", noise(36))),
            (
                "src/a.rs",
                format!("+#[cfg(test)]\n+mod tests {{\n+    const KEY: &str = \"gh{}{}\";\n", "p_", noise(36)),
            ),
        ] {
            let path = if path == "config/.env" { ".env" } else { path };
            let grades = check(path, &line);
            assert_eq!(grades, [Likely], "{path}: {line}");
        }
    }

    #[test]
    fn counter_examples() {
        let ghp = format!("gh{}", "p_");
        for (path, lines) in [
            ("src/a.py", format!("+KEY = \"{}{}\"\n", "AKIA", "IOSFODNN7EXAMPLE")),
            ("src/a.py", format!("+KEY = \"{ghp}{}\"\n", "x".repeat(36))),
            ("src/a.py", "+API_KEY = \"your-key-here-0123\"\n".to_owned()),
            ("src/a.py", "+api_key = os.environ[\"SERVICE_API_KEY_V2\"]\n".to_owned()),
            ("src/a.ts", "+const token = process.env.GITHUB_TOKEN_2;\n".to_owned()),
            ("docker-compose.yml", "+  POSTGRES_PASSWORD: ${POSTGRES_PASSWORD:-x1}\n".to_owned()),
            ("src/a.ts", "+const tokenUrl = 'https://auth.service.io/oauth2/token';\n".to_owned()),
            ("src/scan.rs", format!("+static TOKEN: &str = r\"{ghp}[A-Za-z0-9]{{36}}\";\n")),
            (
                "src/a.py",
                format!("+if text.startswith(\"-----BEGIN {} KEY-----\"):\n+    return load(text)\n", "PRIVATE"),
            ),
            ("src/a.py", "+URL = \"postgres://postgres:postgres1@localhost:5432/app\"\n".to_owned()),
            ("src/a.ts", "+  tokenType: 'urn:ietf:params:oauth:token-type:jwt2',\n".to_owned()),
            ("src/i18n.ts", "+  passwordTooShort: 'passwordMustHave12Characters',\n".to_owned()),
            ("Cargo.lock", format!("+checksum = \"{}\"\n", noise(64))),
            ("src/a.py", format!("-KEY = \"{ghp}{0}\"\n+    KEY = \"{ghp}{0}\"\n", noise(36))),
            ("src/a.css", "+.sk-circle-fade-dot { color: red }\n".to_owned()),
            ("src/a.ts", "+const secretKeyRef = 'aws/prod/service/db-credentials-v2';\n".to_owned()),
            ("web/a.html", format!("+<script integrity=\"sha384-{}\"></script>\n", noise(64))),
        ] {
            assert_eq!(check(path, &lines), [], "{path}: {lines}");
        }
    }

    #[test]
    fn entropy_grows_with_disorder() {
        assert!(entropy("aaaaaaaa") < 0.1 && entropy("abababab") < 1.1 && entropy(&noise(40)) > 4.0);
    }
}
