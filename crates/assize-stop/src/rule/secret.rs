//! A key or password stands in the tree.

use assize_core::diff::FileChange;
use assize_core::finding::{Certainty, Severity};
use assize_ecosystem::{Language, is_generated};
use assize_check::security::secret;

use super::reading::{MovedLines, opens_rust_tests};
use super::{Findings, Needs, Rule};
use crate::evidence::Evidence;

/// See the module.
pub struct Secret;

impl Rule for Secret {
    fn id(&self) -> &'static str {
        "secret"
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(diff) = evidence.diff.get() else { return };
        let mut moved = MovedLines::new(diff);
        let glance = findings.glance;
        let hints = secret::hints();
        for file in glance.adding(&hints).filter(|file| !is_generated(&file.path)) {
            check_file(file, &hints, &mut moved, findings);
        }
    }
}

/// Lines of a file from which on it pays to build one search for all hints.
const MANY_LINES_MIN: usize = 500;

fn check_file(file: &FileChange, hints: &[&str], moved: &mut MovedLines<'_>, findings: &mut Findings<'_>) {
    let mut aside = secret::holds_samples(&file.path);
    let rust = Language::of(&file.path) == Some(Language::Rust);
    let lines: Vec<(u32, &str)> = file.added_lines().collect();
    // One search for all hints is quicker, once it is built.
    let many = lines.len() > MANY_LINES_MIN;
    for (index, (number, line)) in lines.iter().enumerate() {
        aside |= rust && opens_rust_tests(line);
        let hinted = if many { secret::may_leak(line) } else { hints.iter().any(|hint| line.contains(hint)) };
        if !hinted {
            continue;
        }
        let Some(leak) = secret::find(&lines[index..], &file.path) else { continue };
        if moved.take(line) {
            continue;
        }
        let excused = aside || secret::is_marked_harmless(line);
        let certainty = if excused { Certainty::Likely } else { leak.certainty };
        let message = format!(
            "The line seems to hold {} (`{}…`, {} characters). Take it out and read it from the environment or a secret store, and tell the user that it has to be revoked if it was ever real.",
            leak.name, leak.head, leak.length
        );
        findings.at(file, Some(*number), Severity::Error, certainty, message);
    }
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
}
