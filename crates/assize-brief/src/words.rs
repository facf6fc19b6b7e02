//! The words that names are made of.
//!
//! Where a word ends and what its singular is, by rules and short lists. It knows nothing of languages.

use std::borrow::Cow;

/// Splits a name into its words: `parse_HTTPServer2` into `parse`, `HTTP` and `Server2`.
///
/// A word ends at what is neither letter nor digit, before a capital letter, and before the last of several
/// capital letters when a small one follows. Digits belong to what is before them. The plural of an acronym is
/// one word: `userIDs` is `user` and `IDs`.
pub fn words(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = name;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|letter: char| !letter.is_alphanumeric());
        if rest.is_empty() {
            return None;
        }
        let (word, after) = rest.split_at(word_end(rest));
        rest = after;
        Some(word)
    })
}

/// Words whose capital letters follow no rule.
const WHOLE: &[&str] = &["IPv4", "IPv6", "OAuth"];

/// Where the first word of a text ends, which begins with a letter or digit.
fn word_end(text: &str) -> usize {
    let rest_of = |word: &&str| text.strip_prefix(*word).filter(|rest| !rest.starts_with(char::is_lowercase));
    if let Some(rest) = WHOLE.iter().find_map(rest_of) {
        return text.len() - rest.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
    }
    let mut letters = text.char_indices().peekable();
    let mut before = None;
    // Where the run of capital letters began that the present letter is in.
    let mut capitals = 0;
    while let Some((at, letter)) = letters.next() {
        if !letter.is_alphanumeric() {
            return at;
        }
        let Some((before_at, previous)) = before.replace((at, letter)) else {
            capitals = usize::from(letter.is_uppercase());
            continue;
        };
        if letter.is_uppercase() {
            if !char::is_uppercase(previous) {
                return at;
            }
            capitals += 1;
        } else {
            if letter.is_lowercase() && capitals > 1 {
                let ends = letters.peek().is_none_or(|(_, next)| !next.is_lowercase() && !next.is_ascii_digit());
                if !(letter == 's' && ends) {
                    return before_at;
                }
            }
            capitals = 0;
        }
    }
    text.len()
}

/// Plurals that follow no rule, each with its singular.
const IRREGULAR: &[(&str, &str)] = &[
    ("analyses", "analysis"),
    ("apis", "api"),
    ("appendices", "appendix"),
    ("axes", "axis"),
    ("brownies", "brownie"),
    ("caches", "cache"),
    ("calories", "calorie"),
    ("calves", "calf"),
    ("children", "child"),
    ("cookies", "cookie"),
    ("cpus", "cpu"),
    ("crises", "crisis"),
    ("criteria", "criterion"),
    ("dbs", "db"),
    ("diagnoses", "diagnosis"),
    ("dies", "die"),
    ("echoes", "echo"),
    ("elves", "elf"),
    ("emojis", "emoji"),
    ("feet", "foot"),
    ("formulae", "formula"),
    ("geese", "goose"),
    ("gpus", "gpu"),
    ("halves", "half"),
    ("headaches", "headache"),
    ("heroes", "hero"),
    ("hypotheses", "hypothesis"),
    ("ids", "id"),
    ("indices", "index"),
    ("ips", "ip"),
    ("knives", "knife"),
    ("leaves", "leaf"),
    ("lies", "lie"),
    ("loaves", "loaf"),
    ("matrices", "matrix"),
    ("men", "man"),
    ("menus", "menu"),
    ("mice", "mouse"),
    ("movies", "movie"),
    ("niches", "niche"),
    ("nuclei", "nucleus"),
    ("ops", "op"),
    ("parentheses", "parenthesis"),
    ("people", "person"),
    ("phenomena", "phenomenon"),
    ("pies", "pie"),
    ("potatoes", "potato"),
    ("quizzes", "quiz"),
    ("radii", "radius"),
    ("scarves", "scarf"),
    ("selves", "self"),
    ("shelves", "shelf"),
    ("teeth", "tooth"),
    ("thieves", "thief"),
    ("ties", "tie"),
    ("tomatoes", "tomato"),
    ("uis", "ui"),
    ("urls", "url"),
    ("vertices", "vertex"),
    ("vetoes", "veto"),
    ("wives", "wife"),
    ("wolves", "wolf"),
    ("women", "woman"),
    ("zombies", "zombie"),
];

/// Words that end in `s` and are no plurals. Whatever else ends in `ss`, `us` or `is` is none either; those of
/// them that stand here have a plural in `es`.
const SINGULAR: &[&str] = &[
    "abacus",
    "across",
    "afterwards",
    "alias",
    "always",
    "analytics",
    "apparatus",
    "as",
    "atlas",
    "aws",
    "besides",
    "bias",
    "bonus",
    "bus",
    "campus",
    "canvas",
    "census",
    "chaos",
    "chorus",
    "christmas",
    "circus",
    "consensus",
    "corpus",
    "cos",
    "cosmos",
    "crocus",
    "css",
    "cursus",
    "dns",
    "does",
    "ethos",
    "focus",
    "gas",
    "genus",
    "gps",
    "gras",
    "has",
    "headquarters",
    "https",
    "ios",
    "iris",
    "jenkins",
    "js",
    "kubernetes",
    "kudos",
    "lens",
    "lexis",
    "locus",
    "macos",
    "mathematics",
    "means",
    "modulus",
    "news",
    "nexus",
    "octopus",
    "opus",
    "os",
    "pancreas",
    "pandas",
    "perhaps",
    "physics",
    "pos",
    "postgres",
    "prospectus",
    "radius",
    "regards",
    "res",
    "rhinoceros",
    "sas",
    "series",
    "sms",
    "species",
    "status",
    "stimulus",
    "surplus",
    "sys",
    "texas",
    "tls",
    "towards",
    "virus",
    "vs",
    "walrus",
    "was",
    "whereas",
    "windows",
    "yes",
];

/// The singular of a word in small letters, as far as the rules go; other words come back as they are.
///
/// It takes nothing off where that would be a guess: `status`, `class`, `analysis`, `alias` stay.
pub fn singular(word: &str) -> Cow<'_, str> {
    if let Ok(place) = IRREGULAR.binary_search_by_key(&word, |(plural, _)| plural) {
        return Cow::Borrowed(IRREGULAR[place].1);
    }
    let Some(stem) = word.strip_suffix('s').filter(|stem| stem.len() > 2 && stem.is_ascii()) else {
        return Cow::Borrowed(word);
    };
    let is_singular =
        ["ss", "us", "is", "js", "tls"].iter().any(|end| word.ends_with(end)) || SINGULAR.binary_search(&word).is_ok();
    if is_singular || !stem.ends_with(|letter: char| letter.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    if let Some(stem) = stem.strip_suffix('e') {
        if let Some(stem) = stem.strip_suffix('i').filter(|stem| stem.len() > 1) {
            return Cow::Owned(format!("{stem}y"));
        }
        let hisses = ["ss", "sh", "ch", "x", "zz"].iter().any(|end| stem.ends_with(end));
        if hisses || SINGULAR.binary_search(&stem).is_ok() {
            return Cow::Borrowed(stem);
        }
    }
    Cow::Borrowed(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_where_a_word_ends() {
        for (name, expected) in [
            ("", ""),
            ("_", ""),
            ("ledger", "ledger"),
            ("ledger_entry", "ledger entry"),
            ("ledger-entry", "ledger entry"),
            ("__ledger__entry__", "ledger entry"),
            ("LedgerEntry", "Ledger Entry"),
            ("ledgerEntry", "ledger Entry"),
            ("LEDGER_ENTRY_MAX", "LEDGER ENTRY MAX"),
            ("HTTPServer", "HTTP Server"),
            ("parseHTTPResponse", "parse HTTP Response"),
            ("XMLHttpRequest", "XML Http Request"),
            ("parse_HTTPServer2", "parse HTTP Server2"),
            ("userID", "user ID"),
            ("userIDs", "user IDs"),
            ("userIDsOfAll", "user IDs Of All"),
            ("IStore", "I Store"),
            ("parseIPv4Address", "parse IPv4 Address"),
            ("OAuth2Client", "OAuth2 Client"),
            ("OAuthority", "O Authority"),
            ("sha256sum", "sha256sum"),
            ("sha256Sum", "sha256 Sum"),
            ("vector3D", "vector3 D"),
            ("base64", "base64"),
            ("$scope", "scope"),
            ("größeÄndern", "größe Ändern"),
            ("名前", "名前"),
            ("a", "a"),
            ("A", "A"),
            ("AB", "AB"),
            ("aB", "a B"),
        ] {
            assert_eq!(words(name).collect::<Vec<_>>().join(" "), expected, "{name}");
        }
    }

    #[test]
    fn plurals_lose_their_ending() {
        for (plural, expected) in [
            ("ledgers", "ledger"),
            ("entries", "entry"),
            ("queries", "query"),
            ("keys", "key"),
            ("classes", "class"),
            ("addresses", "address"),
            ("boxes", "box"),
            ("indexes", "index"),
            ("indices", "index"),
            ("matches", "match"),
            ("hashes", "hash"),
            ("caches", "cache"),
            ("databases", "database"),
            ("cases", "case"),
            ("responses", "response"),
            ("uses", "use"),
            ("clauses", "clause"),
            ("statuses", "status"),
            ("aliases", "alias"),
            ("canvases", "canvas"),
            ("lenses", "lens"),
            ("sizes", "size"),
            ("types", "type"),
            ("names", "name"),
            ("movies", "movie"),
            ("cookies", "cookie"),
            ("children", "child"),
            ("people", "person"),
            ("axes", "axis"),
            ("curves", "curve"),
            ("leaves", "leaf"),
            ("shoes", "shoe"),
            ("heroes", "hero"),
            ("ids", "id"),
            ("urls", "url"),
            ("metrics", "metric"),
            ("verdicts", "verdict"),
        ] {
            assert_eq!(singular(plural), expected, "{plural}");
        }
    }

    #[test]
    fn what_is_no_plural_stays() {
        assert_eq!(
            (singular("rustls"), singular("mtls"), singular("details")),
            ("rustls".into(), "mtls".into(), "detail".into())
        );
        for word in [
            "status",
            "class",
            "address",
            "process",
            "access",
            "analysis",
            "basis",
            "alias",
            "bias",
            "canvas",
            "bus",
            "focus",
            "radius",
            "this",
            "is",
            "redis",
            "postgres",
            "kubernetes",
            "news",
            "series",
            "species",
            "lens",
            "always",
            "across",
            "https",
            "css",
            "dns",
            "tls",
            "os",
            "js",
            "nodejs",
            "gas",
            "abs",
            "pos",
            "sha256s",
            "s",
            "",
            "ledger",
            "data",
            "größes",
            "previous",
            "windows",
        ] {
            assert_eq!(singular(word), word, "{word}");
        }
    }

    #[test]
    fn the_lists_are_sorted() {
        assert!(IRREGULAR.is_sorted_by_key(|(plural, _)| plural));
        assert!(SINGULAR.is_sorted());
    }
}
