//! Changes of small shops in five languages.

use assize_syntax::testing::TestProject;
use proptest::prelude::*;

use super::*;
use crate::brief::Analysis;
use crate::naming::SUPPORT_MIN;

/// Words of the shop's domain: each has a file.
const DOMAIN: [&str; 6] = ["order", "ledger", "invoice", "customer", "shipment", "warehouse"];

/// A shop in one language: what each file says of its word, in small letters (`{w}`) and with a capital (`{W}`).
struct LanguageSample {
    path: &'static str,
    text: &'static str,
    /// A new file that fits.
    good: (&'static str, &'static str),
    /// The same with names in another casing, with other words, and in a file of another name.
    other_casing: &'static str,
    other_words: &'static str,
    other_path: &'static str,
    /// What is said of it.
    said: [&'static str; 3],
}

const SHOPS: [LanguageSample; 5] = [
    LanguageSample {
        path: "src/{w}_desk.rs",
        text: "pub struct {W}Desk;\npub fn fetch_{w}(the_{w}: u32) -> u32 {\n    the_{w}\n}\n",
        good: (
            "src/refund_desk.rs",
            "fn fetch_ledger_order() -> u32 {\n    1\n}\npub fn run() {\n    fetch_ledger_order();\n}\n",
        ),
        other_casing: "fn fetchLedgerOrder() -> u32 {\n    1\n}\npub fn run() {\n    fetchLedgerOrder();\n}\n",
        other_words: "fn fetch_journal_order() -> u32 {\n    1\n}\npub fn run() {\n    fetch_journal_order();\n}\n",
        other_path: "src/refundHandling.rs",
        said: [
            "`fetchLedgerOrder` is camelCase; snake_case is usual for function names (6 of 6)",
            "`journal` in `fetch_journal_order` is a word that no name of the base has",
            "`refundHandling.rs` does not end in `_desk` like the files around it (6 of 6)",
        ],
    },
    LanguageSample {
        path: "shop/{w}_desk.py",
        text: "class {W}Desk:\n    pass\n\ndef fetch_{w}(the_{w}):\n    return the_{w}\n",
        good: ("shop/refund_desk.py", "def fetch_ledger_order():\n    pass\n\nfetch_ledger_order()\n"),
        other_casing: "def fetchLedgerOrder():\n    pass\n\nfetchLedgerOrder()\n",
        other_words: "def fetch_journal_order():\n    pass\n\nfetch_journal_order()\n",
        other_path: "shop/RefundDesk.py",
        said: [
            "`fetchLedgerOrder` is camelCase; snake_case is usual for function names (6 of 6)",
            "`journal` in `fetch_journal_order` is a word that no name of the base has",
            "`RefundDesk.py` does not end in `_desk` like the files around it (6 of 6)",
        ],
    },
    LanguageSample {
        path: "src/services/{w}.service.ts",
        text: "export class {W}Desk {}\nexport function fetch{W}(the{W}: number) {\n  return the{W};\n}\n",
        good: ("src/services/refund.service.ts", "function fetchLedgerOrder() {}\nfetchLedgerOrder();\n"),
        other_casing: "function fetch_ledger_order() {}\nfetch_ledger_order();\n",
        other_words: "function fetchJournalOrder() {}\nfetchJournalOrder();\n",
        other_path: "src/services/refundService.ts",
        said: [
            "`fetch_ledger_order` is snake_case; camelCase is usual for function names (6 of 6)",
            "`journal` in `fetchJournalOrder` is a word that no name of the base has",
            "`refundService.ts` does not end in `.service` like the files around it (6 of 6)",
        ],
    },
    LanguageSample {
        path: "desk/{w}_desk.go",
        text: "package desk\n\ntype {W}Desk struct{}\n\nfunc fetch{W}(the{W} int) int {\n\treturn the{W}\n}\n",
        good: (
            "desk/refund_desk.go",
            "package desk\n\nfunc fetchLedgerOrder() {}\n\nfunc run() {\n\tfetchLedgerOrder()\n}\n",
        ),
        other_casing: "package desk\n\nfunc fetch_ledger_order() {}\n\nfunc run() {\n\tfetch_ledger_order()\n}\n",
        other_words: "package desk\n\nfunc fetchJournalOrder() {}\n\nfunc run() {\n\tfetchJournalOrder()\n}\n",
        other_path: "desk/refundDesk.go",
        said: [
            "`fetch_ledger_order` is snake_case; camelCase is usual for function names (6 of 6)",
            "`journal` in `fetchJournalOrder` is a word that no name of the base has",
            "`refundDesk.go` is camelCase; snake_case is usual for the files around it (6 of 6)",
        ],
    },
    LanguageSample {
        path: "src/main/java/shop/{W}Service.java",
        text: "package shop;\n\npublic class {W}Service {\n  int fetch{W}(int the{W}) {\n    return the{W};\n  }\n}\n",
        good: (
            "src/main/java/shop/OrderLedgerService.java",
            "package shop;\n\nclass OrderLedgerService {\n  \
             int fetchLedgerOrder() {\n    return fetchLedgerOrder();\n  }\n}\n",
        ),
        other_casing: "package shop;\n\nclass OrderLedgerService {\n  \
                       int Fetch_order() {\n    return Fetch_order();\n  }\n}\n",
        other_words: "package shop;\n\nclass OrderJournalService {\n  \
                      int fetchOrder() {\n    return fetchOrder();\n  }\n}\n",
        other_path: "src/main/java/shop/OrderLedgers.java",
        said: [
            "`Fetch_order` is mixed; camelCase is usual for method names (6 of 6)",
            "`journal` in `OrderJournalService` is a word that no name of the base has",
            "`OrderLedgers.java` does not end in `Service` like the files around it (6 of 6)",
        ],
    },
];

impl LanguageSample {
    fn files(&self) -> Vec<(String, String)> {
        let fill = |text: &str, word: &str| {
            let capital = word[..1].to_uppercase() + &word[1..];
            text.replace("{w}", word).replace("{W}", &capital)
        };
        DOMAIN.iter().map(|word| (fill(self.path, word), fill(self.text, word))).collect()
    }

    fn score(&self, files: &[(&str, &str)]) -> ConventionScore {
        scored(
            &self.files(),
            files,
            &ConventionChange { boundary_breaks: Some(0), schema_faults: Some(0), ..ConventionChange::default() },
        )
    }
}

/// Scores files of which every line is new.
fn scored(base: &[(String, String)], files: &[(&str, &str)], change: &ConventionChange<'_>) -> ConventionScore {
    let added: BTreeSet<u32> = (1..=1_000).collect();
    let files: Vec<ChangedSource<'_>> =
        files.iter().map(|&(path, text)| ChangedSource { path, text, added: &added }).collect();
    scored_lines(base, &ConventionChange { files: &files, ..*change })
}

fn scored_lines(base: &[(String, String)], change: &ConventionChange<'_>) -> ConventionScore {
    let project = TestProject::read(base.to_vec());
    let tree = project.tree();
    let analysis = Analysis::of(&tree);
    let brief = analysis.brief();
    score(&BaseConventions::of(&tree, analysis.roles(), &brief), change)
}

/// Scores a new Rust file of the shop.
fn rust(text: &str) -> ConventionScore {
    SHOPS[0].score(&[("src/refund_desk.rs", text)])
}

fn messages(score: &ConventionScore, about: RemarkTopic) -> Vec<&str> {
    score.remarks.iter().filter(|remark| remark.about == about).map(|remark| remark.message.as_str()).collect()
}

#[test]
fn what_fits_is_worth_more_in_each_part() {
    for shop in SHOPS {
        let (path, text) = shop.good;
        let good = shop.score(&[(path, text)]);
        assert_eq!(good.remarks, [], "{path}");
        assert_eq!((good.fit, good.total(ExecSignal::Clean)), (Some(1.0), 1.0), "{path}");
        let identifiers = &good.identifiers;
        assert_eq!((identifiers.glossary_overlap, identifiers.casing), (Some(1.0), Some(1.0)), "{path}");
        assert!(identifiers.jaccard.is_some_and(|value| value > 0.0 && value < 1.0), "{identifiers:?}");

        let [casing_said, glossary_said, path_said] = shop.said;
        let casing = shop.score(&[(path, shop.other_casing)]);
        assert_eq!(messages(&casing, RemarkTopic::Casing), [casing_said]);
        assert!(casing.identifiers.casing < Some(1.0) && casing.identifiers.value < identifiers.value, "{casing:?}");
        let words = shop.score(&[(path, shop.other_words)]);
        assert_eq!(messages(&words, RemarkTopic::Glossary), [glossary_said]);
        assert!(words.identifiers.glossary_overlap < Some(1.0), "{words:?}");
        let named = shop.score(&[(shop.other_path, text)]);
        assert!(messages(&named, RemarkTopic::FilePattern).contains(&path_said), "{named:?}");
        assert_eq!(named.file_pattern, FilePattern { value: Some(FILE_PATTERN_BROKEN), counted: 1, broken: 1 });
        for worse in [casing, words, named] {
            assert!(worse.fit < good.fit, "{path}: {worse:?}");
        }
    }
}

#[test]
fn the_weights_are_the_published_ones() {
    let parts = |values: [Option<f64>; 4]| ConventionScore {
        identifiers: Identifiers { value: values[0], ..Identifiers::default() },
        boundaries: values[1],
        schema: values[2],
        file_pattern: FilePattern { value: values[3], ..FilePattern::default() },
        ..ConventionScore::default()
    };
    let all = Some(1.0);
    for (values, exec, expected) in [
        ([all, all, all, all], ExecSignal::Clean, 1.0),
        ([all, all, all, all], ExecSignal::Noisy, 0.92),
        ([all, all, all, all], ExecSignal::Failing, 0.84),
        ([Some(0.5), all, all, all], ExecSignal::Clean, 0.825),
        ([all, Some(0.0), all, all], ExecSignal::Clean, 0.8),
        ([all, all, Some(0.0), all], ExecSignal::Clean, 0.85),
        ([all, all, all, Some(0.7)], ExecSignal::Clean, 0.97),
        // What is unknown counts neither way: 0.2 of 0.4, 0.12 of 0.2.
        ([None, Some(0.0), None, None], ExecSignal::Clean, 0.5),
        ([None; 4], ExecSignal::Noisy, 0.6),
    ] {
        let total = parts(values).total(exec);
        assert!((total - expected).abs() < 1e-12, "{values:?} {exec:?}: {total}");
    }
    let names = [(GLOSSARY_WEIGHT, Some(1.0)), (CASING_WEIGHT, Some(0.0))];
    assert_eq!((mean(&names), mean(&[names[1]]), mean(&[])), (Some(0.6), Some(0.0), None));
    let all = [IDENTIFIERS_WEIGHT, BOUNDARIES_WEIGHT, SCHEMA_WEIGHT, FILE_PATTERN_WEIGHT, EXEC_WEIGHT];
    assert!((all.iter().sum::<f64>() - 1.0).abs() < 1e-12 && GLOSSARY_WEIGHT + CASING_WEIGHT == 1.0);
}

#[test]
fn the_book_says_the_same() {
    let book = include_str!("../../../../docs/src/internals/convention.md");
    for (part, weight) in [
        ("identifiers", IDENTIFIERS_WEIGHT),
        ("glossary overlap", IDENTIFIERS_WEIGHT * GLOSSARY_WEIGHT),
        ("casing", IDENTIFIERS_WEIGHT * CASING_WEIGHT),
        ("boundaries", BOUNDARIES_WEIGHT),
        ("schema", SCHEMA_WEIGHT),
        ("file pattern", FILE_PATTERN_WEIGHT),
        ("exec signals", EXEC_WEIGHT),
    ] {
        assert!(book.contains(&format!("| {part} | {weight:.2} |")), "{part}");
    }
    for said in [
        format!("else {FILE_PATTERN_BROKEN}"),
        format!("{FILES_MAX} files"),
        format!("{REMARKS_EACH_MAX} remarks"),
        format!("{:.1} when all is clean", ExecSignal::Clean.value()),
        format!("{} when tests pass", ExecSignal::Noisy.value()),
        format!("{} when tests fail", ExecSignal::Failing.value()),
        format!("{SUPPORT_MIN} files"),
    ] {
        assert!(book.contains(&said), "{said}");
    }
}

#[test]
fn where_there_is_nothing_to_measure_a_part_is_unknown() {
    let shop = &SHOPS[0];
    let nothing = ConventionChange::default();
    let empty = scored(&shop.files(), &[], &nothing);
    assert_eq!(empty, ConventionScore::default());
    let no_base = scored(&[], &[shop.good], &nothing);
    assert_eq!(no_base.fit, None, "{no_base:?}");
    let (path, text) = &shop.files()[0];
    let known = shop.score(&[(path, text)]);
    assert_eq!((&known.identifiers, known.fit), (&Identifiers::default(), Some(1.0)), "the base declares all of it");
    for (files, file_pattern) in [
        // Languages that are not read, files of others, names that a language prescribes, a file without kin.
        (vec![("README.md", "# x")], None),
        (vec![("vendor/a.rs", "fn aB() {}")], None),
        (vec![("src/mod.rs", "")], None),
        (vec![("src/aB.py", "")], None),
        (vec![("src/new_desk.rs", "")], Some(1.0)),
    ] {
        let found = scored(&shop.files(), &files, &nothing);
        assert_eq!((found.identifiers.value, found.file_pattern.value), (None, file_pattern), "{files:?}");
    }
}

#[test]
fn boundaries_and_schemas_come_in_as_counts() {
    let shop = &SHOPS[0];
    for (count, expected) in [(None, None), (Some(0), Some(1.0)), (Some(1), Some(0.0)), (Some(9), Some(0.0))] {
        let change = ConventionChange { boundary_breaks: count, schema_faults: Some(0), ..ConventionChange::default() };
        assert_eq!(scored(&shop.files(), &[], &change).boundaries, expected);
        let change = ConventionChange { boundary_breaks: Some(0), schema_faults: count, ..ConventionChange::default() };
        let found = scored(&shop.files(), &[], &change);
        assert_eq!((found.schema, found.boundaries), (expected, Some(1.0)));
    }
}

#[test]
fn names_count_in_favour_only_when_they_are_used() {
    let used = "fn fetch_order() {}\nfn run() { fetch_order(); }\n";
    for (more, right, wrong, foreign) in [
        ("", 1, 0, 0),
        ("fn ledger_invoice() {}\n", 1, 0, 0),
        ("// ledger_invoice\nfn ledger_invoice() { let s = \"ledger_invoice\"; }\n", 1, 0, 0),
        ("fn ledger_invoice() {}\nfn again() { fn ledger_invoice() {} }\n", 1, 0, 0),
        ("fn ledger_invoice() { ledger_invoice(); }\n", 2, 0, 0),
        ("fn ledgerInvoice() {}\n", 1, 1, 0),
        ("fn ledger_journal() {}\n", 1, 0, 1),
        ("#[test]\nfn ledger_invoices_add_up() {}\n", 1, 0, 0),
    ] {
        let found = rust(&format!("{used}{more}")).identifiers;
        // `run` is of one word, fits and is not used.
        assert_eq!((found.cased_right, found.cased_wrong, found.words_foreign), (right, wrong, foreign), "{more}");
    }
    let dead = rust("fn order_ledger() {}\n");
    assert_eq!((dead.identifiers.value, dead.identifiers.unused), (None, 1), "{dead:?}");
}

#[test]
fn only_what_the_change_brings_counts() {
    let base = SHOPS[0].files();
    let (path, text) = &base[0];
    let text = format!("{text}fn oldName() {{}}\nfn newName(the_order: u32) {{}}\n");
    for (lines, wrong) in [(vec![], 0), (vec![5], 1), (vec![6], 1), (vec![5, 6], 2), (vec![1, 2, 3, 4], 0)] {
        let added: BTreeSet<u32> = lines.into_iter().collect();
        let files = [ChangedSource { path, text: &text, added: &added }];
        let found = scored_lines(&base, &ConventionChange { files: &files, ..ConventionChange::default() });
        assert_eq!((found.identifiers.cased_wrong, found.identifiers.cased_right), (wrong, 0), "{added:?}");
    }
    // A name that the base has in another file is no news, however it is written.
    let mut base = base;
    base.push(("src/odd_desk.rs".to_owned(), "fn oldName() {}\n".to_owned()));
    let found =
        scored(&base, &[("src/new_desk.rs", "fn oldName() {}\nfn newName() {}\n")], &ConventionChange::default());
    assert_eq!(found.identifiers.cased_wrong, 1, "{found:?}");
}

#[test]
fn variables_in_capital_letters_are_held_against_constants() {
    let plain: String = DOMAIN.map(|word| format!("MAX_{} = 1\n", word.to_uppercase())).concat();
    let odd: String = DOMAIN.map(|word| format!("the_{word} = 1\n")).concat();
    let variables: String = DOMAIN.map(|word| format!("my_{word} = open(1)\n")).concat();
    let text = "ORDER_LEDGER = open(1)\nprint(ORDER_LEDGER)\nwarehouseOrder = open(1)\n";
    for (constants, right) in [(plain, 1), (odd, 0), (String::new(), 0)] {
        let base = [("shop/desk.py".to_owned(), format!("{constants}{variables}"))];
        let found = scored(&base, &[("shop/new.py", text)], &ConventionChange::default());
        let counts = (found.identifiers.cased_right, found.identifiers.cased_wrong);
        assert_eq!(counts, (right, 1), "{constants}: {:?}", found.remarks);
    }
}

#[test]
fn words_of_the_task_are_known() {
    let text = "fn fetch_journal() { fetch_journal(); }\n";
    for (task, expected) in [("", 0.0), ("Keep a diary.", 0.0), ("Keep the Journals in order.", 1.0)] {
        let found =
            scored(&SHOPS[0].files(), &[("src/a.rs", text)], &ConventionChange { task, ..ConventionChange::default() });
        assert_eq!(found.identifiers.glossary_overlap, Some(expected), "{task}");
    }
}

#[test]
fn a_large_glossary_does_not_pull_a_small_change_down() {
    // Sixty words more, each in a file: the published overlap falls, and containment stays.
    let (path, text) = SHOPS[0].good;
    let small = SHOPS[0].score(&[(path, text)]).identifiers;
    let mut base = SHOPS[0].files();
    let letters = "bcdfghklmnprst".chars();
    let syllables: Vec<String> =
        letters.flat_map(|one| ["arn", "elk", "ost", "uld"].map(|end| format!("{one}{end}"))).collect();
    base.extend(syllables.iter().map(|word| {
        (format!("src/{word}_desk.rs"), format!("struct The{word};\nfn a_{word}(the_{word}: u8, my_{word}: u8) {{}}\n"))
    }));
    let large = scored(&base, &[(path, text)], &ConventionChange::default()).identifiers;
    assert_eq!((small.glossary_overlap, large.glossary_overlap), (Some(1.0), Some(1.0)));
    assert!(large.jaccard < small.jaccard.map(|value| value / 3.0), "{small:?} {large:?}");
}

#[test]
fn new_files_are_held_against_those_around_them() {
    let mut base: Vec<(String, String)> = Vec::new();
    for word in DOMAIN {
        for path in [
            format!("app/{word}/api/{word}_routes.py"),
            format!("app/tasks/{word}.py"),
            format!("tests/test_{word}.py"),
            format!("web/use{}List.ts", word[..1].to_uppercase() + &word[1..]),
        ] {
            base.push((path, String::new()));
        }
    }
    for (path, expected) in [
        // Folders of the same name.
        ("app/refund/api/refund_routes.py", Some(1.0)),
        ("app/refund/api/refund.py", Some(FILE_PATTERN_BROKEN)),
        // In this folder there is no more of a pattern than that of all files.
        ("app/tasks/new_task.py", Some(1.0)),
        ("app/tasks/newTask.py", Some(FILE_PATTERN_BROKEN)),
        ("app/tasks/__init__.py", None),
        ("tests/test_refund.py", Some(1.0)),
        ("tests/refund_checks.py", Some(FILE_PATTERN_BROKEN)),
        ("tests/conftest.py", None),
        ("web/useRefundList.ts", Some(1.0)),
        ("web/refundList.ts", Some(FILE_PATTERN_BROKEN)),
        // Tests of a language that has none yet.
        ("web/useOrderList.spec.ts", None),
    ] {
        let found = scored(&base, &[(path, "")], &ConventionChange::default());
        assert_eq!(found.file_pattern.value, expected, "{path}: {:?}", found.remarks);
    }
    // One bad name is enough, however many good ones stand beside it.
    let several = [("tests/test_refund.py", ""), ("tests/refund_checks.py", ""), ("tests/test_cart.py", "")];
    let found = scored(&base, &several, &ConventionChange::default()).file_pattern;
    assert_eq!(found, FilePattern { value: Some(FILE_PATTERN_BROKEN), counted: 3, broken: 1 });
}

#[test]
fn remarks_are_limited() {
    for (count, left_out) in [(REMARKS_EACH_MAX, 0), (REMARKS_EACH_MAX + 1, 1)] {
        let text: String = (0..count).map(|number| format!("fn orderLedger{}() {{}}\n", "_".repeat(number))).collect();
        let found = rust(&text);
        assert_eq!(found.identifiers.cased_wrong as usize, count);
        assert_eq!((found.remarks.len(), found.remarks_left_out), (REMARKS_EACH_MAX, left_out));
    }
}

#[test]
fn files_are_limited() {
    let paths: Vec<String> = (0..=FILES_MAX).map(|number| format!("src/f{number:04}_desk.rs")).collect();
    let all: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "fn aB() {}")).collect();
    for (files, left_out) in [(&all[..FILES_MAX], 0), (&all[..], 1)] {
        let found = SHOPS[0].score(files);
        assert_eq!((found.files_left_out, found.file_pattern.counted as usize), (left_out, FILES_MAX));
    }
    let generated = rust("// Code generated by protoc. DO NOT EDIT.\nfn aB() {}\n");
    assert_eq!((generated.files_left_out, generated.identifiers.cased_wrong), (1, 0), "{generated:?}");
}

#[test]
fn the_score_reads_back_as_it_was_written() {
    let found = SHOPS[0].score(&[(SHOPS[0].other_path, SHOPS[0].other_casing)]);
    let kept = serde_json::to_string(&found).expect("it is JSON");
    assert_eq!(serde_json::from_str::<ConventionScore>(&kept).expect("it reads back"), found);
    let remark = serde_json::to_value(&found.remarks[0]).expect("it is JSON");
    assert_eq!(remark["about"], "file_pattern");
}

/// A Rust function with a name, mentioned or not.
fn function((name, is_used): &(&'static str, bool)) -> String {
    let call = if *is_used { format!("{name}();") } else { String::new() };
    format!("fn {name}() {{ {call} }}\n")
}

fn functions() -> impl Strategy<Value = Vec<(&'static str, bool)>> {
    let names =
        ["fetch_order", "ledger_total", "orderLedger", "FetchIt", "journal_of", "diary", "get_it", "warehouses"];
    prop::collection::vec((prop::sample::select(names.to_vec()), any::<bool>()), 0..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_files_does_not_matter(chosen in functions(), turn in 0_usize..6) {
        let texts: Vec<(String, String)> =
            chosen.iter().enumerate().map(|(at, one)| (format!("src/f{at}.rs"), function(one))).collect();
        let mut files: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let one = SHOPS[0].score(&files);
        let turn = turn.min(files.len());
        files.rotate_left(turn);
        prop_assert_eq!(&SHOPS[0].score(&files), &one);
        files.reverse();
        prop_assert_eq!(&SHOPS[0].score(&files), &one);
        for value in [one.fit, one.identifiers.value, one.identifiers.jaccard].into_iter().flatten() {
            prop_assert!((0.0..=1.0).contains(&value));
        }
    }

    #[test]
    fn what_is_wrong_or_unused_raises_nothing(chosen in functions(), is_used: bool) {
        let text: String = chosen.iter().map(function).collect();
        // A low score beside it, so that there is something to raise.
        let change = ConventionChange { boundary_breaks: Some(1), ..ConventionChange::default() };
        let rust = |text: &str| scored(&SHOPS[0].files(), &[("src/refundDesk.rs", text)], &change);
        let before = rust(&text);
        let cased = rust(&format!("{text}{}", function(&("anOrderOfMine", is_used)))).identifiers.casing;
        prop_assert!(cased.is_some() && cased <= before.identifiers.casing.or(Some(1.0)));
        for name in ["customer_invoice", "shipment_ledger_order", "anInvoice", "gazette"] {
            let after = rust(&format!("{text}{}", function(&(name, false))));
            prop_assert!(after.fit <= before.fit, "{}: {:?} {:?}", name, before, after);
            prop_assert!(after.total(ExecSignal::Noisy) <= before.total(ExecSignal::Noisy));
        }
    }
}
