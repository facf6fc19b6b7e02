//! Terms out of names.

use assize_syntax::facts::{DeclaredName, NameTable, SkipReason};

use super::*;

fn facts(names: &[(&str, Role)]) -> FileFacts {
    let name =
        |(text, role): &(&'static str, Role)| DeclaredName { text, owner: None, role: *role, public: false, line: 1 };
    // The lifetime of the table's texts is that of the test's literals.
    let names: NameTable =
        names.iter().map(|(text, role)| name(&(Box::leak((*text).to_owned().into_boxed_str()), *role))).collect();
    FileFacts { names, ..FileFacts::default() }
}

fn tally(files: &[(&str, &[(&str, Role)])]) -> GlossaryTally {
    let mut tally = GlossaryTally::default();
    for (path, names) in files {
        tally.add(path, &facts(names));
    }
    tally
}

fn terms(files: &[(&str, &[(&str, Role)])]) -> Vec<(String, u32, u32)> {
    let glossary = tally(files).glossary();
    glossary.terms.into_iter().map(|term| (term.text, term.occurrences, term.files)).collect()
}

#[test]
fn words_of_the_domain_are_counted() {
    let found = terms(&[
        (
            "a.rs",
            &[
                ("Ledger", Role::Type),
                ("open_ledger", Role::Function),
                ("ledgers", Role::Variable),
                ("get_value", Role::Function),
                ("is_type", Role::Variable),
            ],
        ),
        ("b.py", &[("LedgerEntry", Role::Type), ("value", Role::Variable), ("db", Role::Parameter)]),
    ]);
    assert_eq!(found, [("ledger".to_owned(), 4, 2)]);
}

#[test]
fn a_keyword_is_one_in_its_own_language_only() {
    let names = &[("crate_judge", Role::Function), ("judge_crate", Role::Variable), ("CrateJudge", Role::Type)];
    let with = |path: &str| terms(&[(path, names)]).into_iter().map(|(text, ..)| text).collect::<Vec<_>>();
    assert_eq!(with("a.rs"), ["judge"]);
    assert_eq!(with("a.go"), ["crate", "judge"]);
}

#[test]
fn a_name_counts_once_in_a_file_for_each_role() {
    let names = &[
        ("verdict", Role::Variable),
        ("verdict", Role::Variable),
        ("verdict", Role::Parameter),
        ("Verdict", Role::Type),
        ("T_verdict", Role::TypeParameter),
        ("test_verdict", Role::Test),
    ];
    let glossary = tally(&[("a.rs", names)]).glossary();
    assert_eq!(glossary.terms[0].occurrences, 3);
    let roles: Vec<_> = glossary.terms[0].roles.iter().map(|(role, count)| (*role, *count)).collect();
    assert_eq!(roles, [(Role::Type, 1), (Role::Variable, 1), (Role::Parameter, 1)]);
}

#[test]
fn tests_and_files_that_were_not_read_say_nothing() {
    let names: &[(&str, Role)] = &[("Verdict", Role::Type), ("verdict", Role::Field), ("verdicts", Role::Variable)];
    assert_eq!(terms(&[("tests/a.rs", names), ("a.txt", names)]), []);
    let mut tally = GlossaryTally::default();
    tally.add("a.rs", &FileFacts { passed_over: Some(SkipReason::Minified), ..facts(names) });
    assert_eq!(tally.glossary(), Glossary::default());
}

#[test]
fn the_weight_is_the_formula() {
    let glossary = tally(&[
        ("a.rs", &[("Ruling", Role::Type), ("ruling", Role::Variable)]),
        ("b.rs", &[("ruling", Role::Variable)]),
        ("c.rs", &[]),
    ])
    .glossary();
    let expected = (1.0 + 5_f64.ln() + 1.0) * (1.0 + 3.0 / 2.0_f64).ln();
    assert!((glossary.terms[0].weight - expected).abs() < 0.002, "{} {expected}", glossary.terms[0].weight);
}

#[test]
fn a_word_of_many_files_weighs_more_than_one_that_a_single_file_repeats() {
    let common: &[(&str, Role)] = &[("Juror", Role::Type)];
    let repeated: &[(&str, Role)] =
        &[("Bailiff", Role::Type), ("bailiff_a", Role::Variable), ("bailiff_b", Role::Variable), ("Juror", Role::Type)];
    let found = terms(&[("a.rs", repeated), ("b.rs", common), ("c.rs", common), ("d.rs", common)]);
    assert_eq!(found, [("juror".to_owned(), 4, 4), ("bailiff".to_owned(), 3, 1)]);
}

#[test]
fn a_type_weighs_more_than_a_parameter() {
    let found = terms(&[(
        "a.rs",
        &[
            ("juror_a", Role::Parameter),
            ("juror_b", Role::Parameter),
            ("juror_c", Role::Parameter),
            ("BailiffA", Role::Type),
            ("BailiffB", Role::Type),
            ("BailiffC", Role::Type),
        ],
    )]);
    assert_eq!(found[0].0, "bailiff");
}

#[test]
fn words_have_a_length_and_terms_a_number() {
    let long = |letters: usize| "x".repeat(letters);
    for (word, expected) in [
        ("ab".to_owned(), false),
        ("abc".to_owned(), true),
        (long(WORD_CHARS_MAX), true),
        (long(WORD_CHARS_MAX + 1), false),
        ("3ab".to_owned(), false),
        ("value".to_owned(), false),
        ("parsed".to_owned(), false),
        ("closed".to_owned(), false),
        ("dropping".to_owned(), false),
        ("bed".to_owned(), true),
        ("pricing".to_owned(), true),
        ("名".to_owned(), true),
    ] {
        assert_eq!(is_word(&word), expected, "{word}");
    }
    let twice: &[(&str, Role)] = &[("juror", Role::Variable), ("Juror", Role::Type)];
    assert_eq!(terms(&[("a.rs", twice)]), []);
    assert_eq!(terms(&[("a.rs", twice), ("b.rs", &twice[..1])]).len(), 1);

    let glossary = |words: usize| {
        let names: Vec<String> =
            (0..words).flat_map(|n| ["a", "b", "c"].map(|end| format!("juror{n}x_{end}"))).collect();
        let names: Vec<(&str, Role)> = names.iter().map(|name| (name.as_str(), Role::Field)).collect();
        let glossary = tally(&[("a.rs", &names)]).glossary();
        (glossary.terms.len(), glossary.terms_left_out)
    };
    assert_eq!(glossary(TERMS_MAX), (TERMS_MAX, 0));
    assert_eq!(glossary(TERMS_MAX + 1), (TERMS_MAX, 1));
}

#[test]
fn two_words_that_stand_side_by_side_are_a_term() {
    let names: Vec<String> = (0..5)
        .flat_map(|n| [format!("access_token_{n}"), format!("juror_{n}_bailiff"), format!("ledger_verdict{n}")])
        .collect();
    let names: Vec<(&str, Role)> = names.iter().map(|name| (name.as_str(), Role::Field)).collect();
    let one = tally(&[("a.rs", &names)]).glossary();
    assert_eq!(one.pairs, [], "one file is not enough");
    let two = tally(&[("a.rs", &names[..6]), ("b.rs", &names[6..])]).glossary();
    let pairs: Vec<_> = two.pairs.iter().map(|pair| (pair.text.as_str(), pair.occurrences, pair.files)).collect();
    assert_eq!(pairs, [("access token", 5, 2)]);
    let fewer = tally(&[("a.rs", &names[..6]), ("b.rs", &names[6..12])]).glossary();
    assert_eq!(fewer.pairs, [], "four times is not enough");
}

#[test]
fn pairs_are_bounded() {
    let with = |pairs: usize| {
        let names: Vec<String> =
            (0..pairs).flat_map(|n| (0..5).map(move |m| format!("juror{n}a_bailiff{n}b_{m}"))).collect();
        let names: Vec<(&str, Role)> = names.iter().map(|name| (name.as_str(), Role::Field)).collect();
        tally(&[("a.rs", &names[..3]), ("b.rs", &names[3..])]).glossary();
        let halves: (Vec<_>, Vec<_>) = names.iter().partition(|(name, _)| name.ends_with('0'));
        tally(&[("a.rs", &halves.0), ("b.rs", &halves.1)]).glossary().pairs.len()
    };
    assert_eq!(with(PAIRS_MAX), PAIRS_MAX);
    assert_eq!(with(PAIRS_MAX + 1), PAIRS_MAX);
}

#[test]
fn the_ratio_is_that_of_dunning() {
    // From a table of four cells: 110, 2442, 111 and 29114 (the article's "the swiss" has 270.72 by these counts).
    let ratio = log_likelihood(110, 110 + 2442, 110 + 111, 110 + 2442 + 111 + 29114);
    assert!((ratio - 270.72).abs() < 0.01, "{ratio}");
    assert_eq!(log_likelihood(1, 10, 10, 100), 0.0);
    assert_eq!(log_likelihood(5, 5, 5, 5), 0.0);
}

#[test]
fn what_was_added_can_be_taken_away_and_merged() {
    let one = facts(&[("Ledger", Role::Type), ("ledger_entry_hash", Role::Field), ("access_token", Role::Field)]);
    let other = facts(&[("Verdict", Role::Type), ("ledger_verdict", Role::Field), ("verdict_token", Role::Field)]);
    let mut alone = GlossaryTally::default();
    alone.add("a.rs", &one);
    let mut both = alone.clone();
    both.add("b.rs", &other);
    let mut second = GlossaryTally::default();
    second.add("b.rs", &other);
    second.merge(alone.clone());
    assert_eq!(second.glossary(), both.glossary());
    both.remove("b.rs", &other);
    assert_eq!(both.glossary(), alone.glossary());
    assert_eq!((both.files, &both.pairs), (alone.files, &alone.pairs));
}

#[test]
fn the_generic_words_are_singular_and_there_once() {
    let mut seen = std::collections::HashSet::new();
    for word in GENERIC_WORDS.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace) {
        assert!(seen.insert(word), "{word} is there twice");
        assert!(
            word.len() >= WORD_CHARS_MIN
                && word.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
        );
        assert_eq!(singular(word), word, "{word} is never looked up");
    }
    assert!(seen.len() > 500);
}
