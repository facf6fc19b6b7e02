//! Tokens as services make them, and what only looks like one.

use super::*;

/// Characters without order, the same at every run.
pub(super) fn noise(alphabet: &str, length: usize) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let digits: Vec<char> = letters.iter().copied().filter(char::is_ascii_digit).collect();
    let mut state = 7_usize;
    (0..length)
        .map(|index| {
            state = (state * 75 + 74) % 65_537;
            let from = if index % 5 == 4 && !digits.is_empty() { &digits } else { &letters };
            from[state % from.len()]
        })
        .collect()
}

/// Makes up a key after a sample; `short` leaves one character out of its last random part.
fn made_up(sample: &[&str], short: bool) -> String {
    const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
    const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let last = sample.iter().rposition(|part| part.starts_with('<')).unwrap_or(usize::MAX);
    let part = |(index, part): (usize, &&str)| {
        let Some(inner) = part.strip_prefix('<').and_then(|part| part.strip_suffix('>')) else {
            return (*part).to_owned();
        };
        let length: usize = inner[1..].parse().expect("a length");
        let mixed = format!("{LOWER}{UPPER}");
        let alphabet = match &inner[..1] {
            "a" => &mixed,
            "w" => &format!("{mixed}_-"),
            "l" => LOWER,
            "u" => UPPER,
            "h" => "0123456789abcdef",
            "g" => "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
            "d" => "0123456789",
            other => panic!("no alphabet is called {other}"),
        };
        noise(alphabet, length - usize::from(short && index == last))
    };
    sample.iter().enumerate().map(part).collect()
}

fn found(line: &str) -> Option<(&'static str, Certainty)> {
    find(&[(1, line)], "src/client.py").map(|leak| (leak.name, leak.certainty))
}

#[test]
fn a_word_within_letters_at_random_is_no_placeholder() {
    for (value, expected) in [
        ("pGornCB2XXxxfCwHhrcQkXWBc6TYKKqzgvo7", false),
        ("pGornCB2tEsTfCwHhrcQkXWBc6TYKKqzgvo7", false),
        ("pGornCB2XXXXfCwHhrcQkXWBc6TYKKqzgvo7", true),
        ("myTestTokenOfTheYear", true),
        ("YOUR_TOKEN_HERE", true),
        ("your-token-here", true),
    ] {
        assert_eq!(is_placeholder(value), expected, "{value}");
    }
}

#[test]
fn each_form_is_found_and_told_from_the_others() {
    for form in FORMS {
        let key = made_up(form.sample, false);
        let line = if form.beside.is_some() { key.clone() } else { format!("value = \"{key}\"") };
        assert_eq!(found(&line), Some((form.name, form.certainty)), "{line}");
        assert!(form.words.iter().any(|word| line.contains(word)), "{}: {line}", form.name);
        // A message shows its beginning and nothing that could be used.
        let leak = find(&[(1, &line)], "src/client.py").expect("just found");
        assert!(leak.head.len() <= 4 && leak.length > 12, "{leak:?}");
    }
}

#[test]
fn what_is_too_short_or_stands_for_a_key_is_none() {
    for form in FORMS {
        let hidden = made_up(form.sample, false);
        let random = form.sample.iter().filter(|part| part.starts_with('<'));
        let crossed = form.sample.iter().fold(String::new(), |mut text, part| {
            text.push_str(&if part.starts_with('<') {
                "x".repeat(part[2..part.len() - 1].parse().expect("a length"))
            } else {
                (*part).to_owned()
            });
            text
        });
        if random.count() > 0 {
            assert_ne!(crossed, hidden);
            assert_eq!(found(&format!("value = \"{crossed}\"")), None, "{}", form.name);
        }
        // The words alone, in code that looks for such keys.
        for word in form.words {
            assert_eq!(found(&format!("if text.startswith('{word}'):")), None, "{word}");
        }
    }
}

#[test]
fn a_length_that_is_fixed_is_kept() {
    // One character fewer is another thing, for all forms whose last part has a fixed length.
    let fixed = [
        "a Google OAuth secret",
        "a DigitalOcean token",
        "a Netlify token",
        "an npm token",
        "a RubyGems key",
        "a Groq key",
        "a Pulumi token",
        "a Shopify token",
        "a Hugging Face token",
        "a New Relic key",
        "a Clojars token",
        "an EasyPost key",
    ];
    for name in fixed {
        let form = FORMS.iter().find(|form| form.name == name).unwrap_or_else(|| panic!("no form is called {name}"));
        assert_eq!(found(&format!("value = \"{}\"", made_up(form.sample, true))), None, "{name}");
    }
}

#[test]
fn forms_are_gated_by_words() {
    assert!(FORMS.len() >= 90, "{}", FORMS.len());
    for form in FORMS {
        assert!(!form.words.is_empty() && form.words.iter().all(|word| !word.is_empty()), "{}", form.name);
        assert!(form.name.starts_with("a ") || form.name.starts_with("an "), "{}", form.name);
    }
    let hints = hints();
    for form in FORMS {
        let line = made_up(form.sample, false);
        assert!(hints.iter().any(|hint| line.contains(hint)), "{}", form.name);
    }
}

#[test]
fn ordinary_lines_have_none() {
    for line in [
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "uuid = \"123e4567-e89b-12d3-a456-426614174000\"",
        "integrity=\"sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC\"",
        "class sk-loading-indicator-animation-container-wrapper { }",
        "const SKIP_EMPTY_VALUES_IN_RESPONSES = 0x12ab34cd56ef;",
        "version = \"v1.0-rc.1\"",
        "key-value-store-with-a-long-name-and-more",
        "api_url = \"https://api.service.io/v1/API-REFERENCE-AND-EXAMPLES\"",
        "discord.gg/invite",
        "the patient.history of 2026",
        "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904",
        "dapitest = compute()",
        "from social import SLACK_TOKEN_NAME",
    ] {
        assert_eq!(found(line), None, "{line}");
    }
}

#[test]
fn a_form_that_says_little_needs_its_service_beside_it() {
    for form in FORMS.iter().filter(|form| form.beside.is_some()) {
        let key = made_up(form.sample, false);
        let service = form.beside.expect("filtered");
        let elsewhere = key.replace(service, "other");
        let name = found(&elsewhere).map(|(name, _)| name);
        assert_ne!(name, Some(form.name), "{elsewhere}");
    }
}

#[test]
fn entropy_grows_with_disorder() {
    let noisy = noise("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 40);
    assert!(entropy("aaaaaaaa") < 0.1 && entropy("abababab") < 1.1 && entropy(&noisy) > 4.0);
}

#[test]
fn samples_before_a_key_are_passed_over_up_to_their_limit() {
    let key = format!("AKIA{}", noise("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16));
    let of = |samples: usize| {
        let line = format!("{}{key}", "AKIAIOSFODNN7EXAMPLE ".repeat(samples));
        find(&[(1, line.as_str())], "src/a.rs").is_some()
    };
    assert!(of(0) && of(MATCHES_MAX - 1));
    assert!(!of(MATCHES_MAX));
}
