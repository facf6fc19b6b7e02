//! Conventions out of counts.

use assize_syntax::facts::NameTable;

use super::*;

fn facts<'a>(role: Role, names: impl IntoIterator<Item = &'a str>) -> FileFacts {
    let name = |text| DeclaredName { text, owner: None, role, public: false, line: 7 };
    FileFacts { names: names.into_iter().map(name).collect::<NameTable>(), ..FileFacts::default() }
}

fn convention(path: &str, role: Role, names: &[&str]) -> Convention {
    let mut tally = NamingTally::default();
    tally.add(path, &facts(role, names.iter().copied()));
    let of_role = |convention: &Convention| matches!(convention.subject, ConventionSubject::Name(of) if of == role);
    tally.conventions().into_iter().find(of_role).expect("names were counted")
}

#[test]
fn a_name_is_written_in_one_style() {
    for (name, expected) in [
        ("ledger", Some(NameStyle::Flat)),
        ("ledger2", Some(NameStyle::Flat)),
        ("ledger_entry", Some(NameStyle::Snake)),
        ("_ledger_entry", Some(NameStyle::Snake)),
        ("ledger_2", Some(NameStyle::Snake)),
        ("ledgerEntry", Some(NameStyle::Camel)),
        ("$ledgerEntry", Some(NameStyle::Camel)),
        ("__ledgerEntry", Some(NameStyle::Camel)),
        ("LedgerEntry", Some(NameStyle::Pascal)),
        ("Ledger", Some(NameStyle::Pascal)),
        ("HTTPServer", Some(NameStyle::Pascal)),
        ("T", Some(NameStyle::Upper)),
        ("URL", Some(NameStyle::Upper)),
        ("T1", Some(NameStyle::Upper)),
        ("LEDGER_MAX", Some(NameStyle::Screaming)),
        ("ledger-entry", Some(NameStyle::Kebab)),
        ("Ledger_entry", Some(NameStyle::Mixed)),
        ("ledger_Entry", Some(NameStyle::Mixed)),
        ("Ledger-Entry", Some(NameStyle::Mixed)),
        ("ledger-entry_2", Some(NameStyle::Mixed)),
        ("ledger entry", Some(NameStyle::Mixed)),
        ("größe_ändern", Some(NameStyle::Snake)),
        ("名前", Some(NameStyle::Flat)),
        ("__init__", None),
        ("_", None),
        ("_1", None),
        ("", None),
    ] {
        assert_eq!(NameStyle::of(name), expected, "{name}");
    }
}

#[test]
fn one_word_fits_several_styles() {
    for (style, admitted) in [
        (NameStyle::Flat, vec![NameStyle::Flat]),
        (NameStyle::Upper, vec![NameStyle::Upper]),
        (NameStyle::Snake, vec![NameStyle::Flat, NameStyle::Snake]),
        (NameStyle::Camel, vec![NameStyle::Flat, NameStyle::Camel]),
        (NameStyle::Pascal, vec![NameStyle::Upper, NameStyle::Pascal]),
        (NameStyle::Screaming, vec![NameStyle::Upper, NameStyle::Screaming]),
        (NameStyle::Kebab, vec![NameStyle::Flat, NameStyle::Kebab]),
        (NameStyle::Mixed, vec![]),
    ] {
        assert_eq!(NameStyle::ALL.into_iter().filter(|written| style.admits(*written)).collect::<Vec<_>>(), admitted);
        assert_eq!(serde_json::to_value(style).expect("a style is a text"), style.label());
    }
}

#[test]
fn a_style_is_recommended_when_enough_names_agree() {
    let snake = ["a_b", "b_c", "c_d", "d_e", "e_f", "f_g", "g_h", "h_i"];
    for (names, expected) in [
        // At the least support and one below.
        (snake[..SUPPORT_MIN as usize].to_vec(), Some(NameStyle::Snake)),
        (snake[..SUPPORT_MIN as usize - 1].to_vec(), None),
        // At the least share and one below: eight of ten, seven of nine.
        ([&snake[..], &["xY", "yZ"]].concat(), Some(NameStyle::Snake)),
        ([&snake[..7], &["xY", "yZ"]].concat(), None),
        // Names of one word agree with it and tell nothing.
        ([&snake[..5], &["a", "b", "c", "d", "e", "f", "g"]].concat(), Some(NameStyle::Snake)),
        (vec!["a", "b", "c", "d", "e", "f_g"], None),
        // They disagree with a style that begins with a capital letter.
        (vec!["A_B", "B_C", "C_D", "D_E", "E_F", "F"], Some(NameStyle::Screaming)),
        (vec!["A_B", "B_C", "C_D", "D_E", "E_F", "a", "b"], None),
        (vec!["AbC", "BcD", "Cd", "Db", "Ez", "T", "U"], Some(NameStyle::Pascal)),
    ] {
        let found = convention("a.py", Role::Variable, &names);
        assert_eq!(found.recommended, expected, "{names:?}");
        assert_eq!(found.total as usize, names.len());
    }
}

#[test]
fn names_of_one_word_do_not_count_for_a_style_of_several() {
    let found = convention("a.py", Role::Function, &["a_b", "b_c", "c_d", "d_e", "eF", "a", "b", "c"]);
    assert_eq!(found.agreeing(NameStyle::Snake), (4, 5));
    assert_eq!(found.agreeing(NameStyle::Flat), (3, 8));
}

#[test]
fn a_single_word_is_recommended_when_there_is_nothing_else() {
    let words: Vec<String> = (0..SINGLE_WORD_SUPPORT_MIN).map(|number| format!("word{number}")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    assert_eq!(convention("a.go", Role::Module, &words).recommended, Some(NameStyle::Flat));
    assert_eq!(convention("a.go", Role::Module, &words[1..]).recommended, None);
    let mut two = words.clone();
    two.push("two_words");
    assert_eq!(convention("a.rs", Role::Module, &two).recommended, None);
}

#[test]
fn shares_are_of_all_names_and_a_name_counts_once_in_a_file() {
    let found = convention("a.py", Role::Function, &["a_b", "a_b", "c", "dE", "f_g"]);
    let shares: Vec<_> = found.styles.iter().map(|style| (style.style, style.count, style.share)).collect();
    assert_eq!(shares, [(NameStyle::Snake, 2, 0.5), (NameStyle::Flat, 1, 0.25), (NameStyle::Camel, 1, 0.25)]);
}

#[test]
fn a_capital_letter_that_means_public_makes_two_conventions() {
    let mut tally = NamingTally::default();
    tally.add(
        "ledger.go",
        &facts(Role::Function, ["OpenIt", "CloseIt", "ReadIt", "SumIt", "PayIt", "openAll", "payAll"]),
    );
    let styles: Vec<_> = tally
        .conventions()
        .into_iter()
        .map(|convention| (convention.subject, convention.total, convention.recommended))
        .collect();
    assert_eq!(
        styles,
        [
            (ConventionSubject::File, 1, None),
            (ConventionSubject::Name(Role::Function), 2, None),
            (ConventionSubject::Public(Role::Function), 5, Some(NameStyle::Pascal)),
        ]
    );
}

#[test]
fn files_have_a_convention() {
    let mut tally = NamingTally::default();
    for path in [
        "src/order-list.ts",
        "src/order-line.ts",
        "src/price.service.ts",
        "src/tax-rate.service.ts",
        "a-b.service.ts",
        "c-d.service.ts",
        "e-f.service.ts",
        "src/index.ts",
    ] {
        tally.add(path, &FileFacts::default());
    }
    let [files] = tally.conventions().try_into().expect("files alone were counted");
    assert_eq!((files.language, files.subject, files.total), (Language::TypeScript, ConventionSubject::File, 8));
    assert_eq!(files.recommended, Some(NameStyle::Kebab));
    assert_eq!((files.affixes[0].text.as_str(), files.affixes[0].count), (".service", 5));
}

#[test]
fn affixes_recur() {
    for (role, names, expected) in [
        (Role::Interface, vec!["IStore", "ICache", "IClock", "IQueue", "ILedger"], vec![("I", 5)]),
        (Role::Field, vec!["_a", "_b", "_c_d", "_e", "_f", "g"], vec![("_", 5)]),
        (Role::Test, vec!["test_a", "test_b", "test_c", "test_d_e", "test_f"], vec![("test_", 5)]),
        (
            Role::Type,
            vec!["ReadError", "WriteError", "ParseError", "OpenError", "Error", "CloseError"],
            vec![("Error", 5)],
        ),
        (Role::Field, vec!["user_id", "order_id", "line_id", "cart_id", "item_id"], vec![("_id", 5)]),
        (Role::Type, vec!["ReadError", "WriteError", "ParseError", "OpenError"], vec![]),
    ] {
        let found = convention("a.py", role, &names);
        let affixes: Vec<_> = found.affixes.iter().map(|affix| (affix.text.as_str(), affix.count)).collect();
        assert_eq!(affixes, expected, "{names:?}");
    }
}

#[test]
fn affixes_that_are_rare_are_not_mentioned_and_not_more_than_the_limit() {
    let with = |others: usize| {
        let names: Vec<String> =
            (0..5).map(|n| format!("is_a{n}")).chain((0..others).map(|n| format!("word{n}"))).collect();
        convention("a.py", Role::Function, &names.iter().map(String::as_str).collect::<Vec<_>>()).affixes.len()
    };
    assert_eq!(with(95), 1);
    assert_eq!(with(96), 0);
    let many: Vec<String> =
        (0..=AFFIXES_MAX).flat_map(|affix| (0..5).map(move |n| format!("p{affix}x_a{affix}{n}"))).collect();
    let found = convention("a.py", Role::Function, &many.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(found.affixes.len(), AFFIXES_MAX);
}

#[test]
fn what_was_added_can_be_taken_away_and_merged() {
    let one = facts(Role::Function, ["open_it", "close_it", "x"]);
    let other = facts(Role::Type, ["OpenError", "URL"]);
    let mut both = NamingTally::default();
    both.add("a.py", &one);
    let alone = both.clone();
    both.add("b-c.py", &other);
    let mut second = NamingTally::default();
    second.add("b-c.py", &other);
    let mut merged = alone.clone();
    merged.merge(second);
    assert_eq!(merged, both);
    both.remove("b-c.py", &other);
    assert_eq!(both, alone);
    both.remove("a.py", &one);
    assert_eq!(both, NamingTally::default());
}

#[test]
fn what_is_not_read_is_not_counted() {
    let mut tally = NamingTally::default();
    tally.add("a.txt", &facts(Role::Type, ["A"]));
    tally.add(
        "a.py",
        &FileFacts { passed_over: Some(assize_syntax::facts::SkipReason::Generated), ..FileFacts::default() },
    );
    assert_eq!(tally.conventions(), []);
}
