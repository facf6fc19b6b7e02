//! Keys, tokens and passwords in added lines.
//!
//! A known form is certain; a random-looking value under a telling name is likely. Placeholders, samples and what is
//! marked as harmless are let pass. One implementation for the rule of the stop court and for the review court; it must
//! not know either.

mod form;

use std::collections::HashMap;
use std::sync::LazyLock;

use assize_core::finding::Certainty;
use assize_core::path::{file_name, is_prose};
use assize_ecosystem::FileRole;
use regex::Regex;

use form::{FORMS, pattern};

/// What a line gives away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leak {
    /// What it is, with its article.
    pub name: &'static str,
    /// Whether nothing else looks like this.
    pub certainty: Certainty,
    /// The first characters, which do not reveal the rest.
    pub head: String,
    /// How many characters it has.
    pub length: usize,
}

impl Leak {
    fn new(name: &'static str, certainty: Certainty, secret: &str) -> Self {
        const SHOWN: usize = 4;
        let head = secret.chars().take(SHOWN).filter(|character| character.is_ascii_graphic()).collect();
        Self { name, certainty, head, length: secret.chars().count() }
    }
}

/// At least one of these, or a word of a form, stands in every line that has a leak.
const HINTS: [&str; 21] = [
    "PRIVATE KEY",
    "://",
    "pwd",
    "Pwd",
    "PWD",
    "Basic ",
    "Bearer ",
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

/// Lists texts of which one stands in every line that has a leak, for a first look.
pub fn hints() -> Vec<&'static str> {
    let words = FORMS.iter().flat_map(|form| form.words).copied();
    let mut hints: Vec<&'static str> = HINTS.into_iter().chain(words).collect();
    hints.sort_unstable();
    hints.dedup();
    hints
}

/// Returns whether a line may have a leak, with one look for all hints. Made for many lines: to build it costs more than to look
/// at a few.
pub fn may_leak(line: &str) -> bool {
    static ANY: LazyLock<Regex> = LazyLock::new(|| {
        let words: Vec<String> = hints().into_iter().map(regex::escape).collect();
        Regex::new(&words.join("|")).expect("valid pattern")
    });
    ANY.is_match(line)
}

/// Finds what the first of a run of lines gives away; the lines after it may hold the body of a key that begins there.
pub fn find(lines: &[(u32, &str)], path: &str) -> Option<Leak> {
    let (_, line) = lines.first()?;
    private_key(lines)
        .or_else(|| known(line))
        .or_else(|| password_in_url(line))
        .or_else(|| if holds_samples(path) { None } else { by_name(line, path) })
}

/// What only its name or its surroundings give away: in samples, tests and prose every such value is made up.
fn by_name(line: &str, path: &str) -> Option<Leak> {
    connection(line).or_else(|| header(line)).or_else(|| assigned(line, path))
}

/// Returns whether a line is marked as harmless, in a way that scanners know.
pub fn is_marked_harmless(line: &str) -> bool {
    ["allowlist", "gitleaks:allow", "nosec", "noqa: S"].iter().any(|mark| line.contains(mark))
}

/// Returns whether samples of keys are ordinary in a file.
pub fn holds_samples(path: &str) -> bool {
    let name = file_name(path).to_ascii_lowercase();
    const PARTS: [&str; 7] = [".example", ".sample", ".template", ".dist", "example.", "sample.", "examples"];
    let sample = PARTS.iter().any(|part| name.contains(part));
    const FOLDERS: [&str; 6] = ["mocks", "mock", "fakes", "cassettes", "certs", "testcerts"];
    let folder = path.split('/').rev().skip(1).any(|folder| FOLDERS.contains(&folder));
    let role = FileRole::of(path);
    sample || folder || role.is_for_tests() || role == FileRole::Example || is_prose(path)
}

/// A key whose form gives it away.
fn known(line: &str) -> Option<Leak> {
    let mut lower = None;
    FORMS.iter().enumerate().filter(|(_, form)| form.words.iter().any(|word| line.contains(word))).find_map(
        |(index, form)| {
            if let Some(beside) = form.beside
                && !lower.get_or_insert_with(|| line.to_ascii_lowercase()).contains(beside)
            {
                return None;
            }
            // A sample in front of it does not hide a key.
            let secrets = pattern(index).captures_iter(line).filter_map(|found| Some(found.get(1)?.as_str()));
            let secret = secrets.take(MATCHES_MAX).find(|secret| is_real(form, secret))?;
            Some(Leak::new(form.name, form.certainty, secret))
        },
    )
}

/// Most matches of one form that are looked at in a line.
const MATCHES_MAX: usize = 1_000;

/// Returns whether what has the form of a key is disorderly enough to be one.
fn is_real(form: &form::SecretForm, secret: &str) -> bool {
    // The words of a form say nothing of whether what follows them stands for a key.
    let random_part = form.words.iter().find_map(|word| secret.strip_prefix(word)).unwrap_or(secret);
    // Access keys of AWS are written in letters and few digits, all others have some.
    !is_placeholder(random_part)
        && entropy(secret) >= FORM_ENTROPY_MIN
        && (has_digit(secret) || secret.starts_with('A'))
}

/// Least disorder of a key of a known form, in bits a character.
const FORM_ENTROPY_MIN: f64 = 3.0;

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

/// `Server=…;User Id=…;Password=…;`
fn connection(line: &str) -> Option<Leak> {
    static PASSWORD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?i)\b(?:server|data source|host|uid|user id|username|database)\s*=[^;"']+;(?:[^"']*;)?\s*(?:password|pwd)\s*=\s*([^;"'\s<>${}%]{8,100})"#)
            .expect("valid pattern")
    });
    if !line.contains(';') || !line.contains('=') {
        return None;
    }
    let password = PASSWORD.captures(line)?.get(1)?.as_str();
    let local =
        ["localhost", "127.0.0.1", "(local)", "example"].iter().any(|host| line.to_ascii_lowercase().contains(host));
    (!local && !is_placeholder(password) && has_digit(password) && entropy(password) >= 2.7)
        .then(|| Leak::new("a password in a connection string", Certainty::Likely, password))
}

/// `Authorization: Basic …` and `Authorization: Bearer …`
fn header(line: &str) -> Option<Leak> {
    static HEADER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?i)authorization["']?\s*[:=,]\s*["'`]?(?:Basic ([A-Za-z0-9+/]{16,}={0,2})|Bearer ([A-Za-z0-9_.~+/-]{24,}={0,2}))["'`\s]?"#)
            .expect("valid pattern")
    });
    if !line.contains("asic ") && !line.contains("earer ") {
        return None;
    }
    let found = HEADER.captures(line)?;
    let (basic, bearer) = (found.get(1), found.get(2));
    let value = basic.or(bearer)?.as_str();
    let name = if basic.is_some() { "a password in a header" } else { "a token in a header" };
    is_random(value).then(|| Leak::new(name, Certainty::Likely, value))
}

/// A value that looks random, under a name that says it is secret.
fn assigned(line: &str, path: &str) -> Option<Leak> {
    static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?i)(?:passw(?:or)?d|secret|api_?-?key|access_?-?key|auth_?-?token|token|private_?-?key|credential)[a-z0-9_-]{0,20}["'\]]?\s*(?::=|=>|[:=])\s*(?:[a-z_:.]{1,20}\()?["'`]([^"'`\s]{16,200})["'`]"#)
            .expect("valid pattern")
    });
    static BARE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^\s*(?:export\s+)?[A-Za-z0-9_.-]*(?i:password|passwd|secret|api_?key|access_?key|token|private_?key)[A-Za-z0-9_.-]*\s*[:=]\s*([^\s\x22'`#]{16,200})\s*$")
            .expect("valid pattern")
    });
    let quoted = || line.contains(['"', '\'', '`']).then(|| QUOTED.captures(line)).flatten();
    let found = quoted().or_else(|| if is_plain_setting(path) { BARE.captures(line) } else { None })?;
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
        || is_identifier(value)
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

/// A UUID, a path, or a digest that says what it is: they name things and open none.
fn is_identifier(value: &str) -> bool {
    let groups: Vec<&str> = value.split('-').collect();
    let hex = |group: &&str| group.bytes().all(|byte| byte.is_ascii_hexdigit());
    let uuid = groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12]) && groups.iter().all(hex);
    uuid || ["sha1-", "sha256-", "sha384-", "sha512-", "sha256:", "ssh-", "urn:", "./", "../", "/"]
        .iter()
        .any(|start| value.starts_with(start))
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
    // In letters that are drawn at random, a word has capitals anywhere.
    let is_written = |word: &str| {
        let (first, rest) = word.split_at(1);
        let forms = [word.to_owned(), word.to_ascii_uppercase(), first.to_ascii_uppercase() + rest];
        forms.iter().any(|form| value.contains(form))
    };
    words.iter().any(|word| lower.contains(word) && is_written(word)) || has_long_run(&lower)
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
mod tests;
