//! `assize eval`, as people and scripts call it: the real program on real files.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};

/// A folder with recipes, what a judge says of them, and what people say.
struct EvalFixture {
    folder: tempfile::TempDir,
}

const RUBRIC: &str = r#"
rubric = 1
id = "recipes"
subject = "a recipe"

[trust]
labels_min = 4

[[mode]]
id = "too_long"
asks = "Can a beginner follow it?"
fails_if = ["A beginner would lose the thread, as one does after more than eight steps."]

[[mode.clause]]
fails = 'record.level == "beginner" && size(record.steps) > 8'
says = "more than 8 steps for a beginner"

[[mode]]
id = "vague"
asks = "Does it name amounts?"
fails_if = ["An ingredient stands there without an amount, such as \"some flour\"."]
"#;

fn recipe(id: &str, steps: usize) -> Value {
    json!({"id": id, "level": "beginner", "steps": vec!["Stir."; steps]})
}

fn verdict(id: &str, too_long: u8, vague: u8, reason: &str) -> Value {
    json!({
        "id": id,
        "labels": [
            {"mode": "too_long", "label": too_long, "reason": reason},
            {"mode": "vague", "label": vague, "reason": "As the amounts show."},
        ],
        "overall_quality_score": 3,
    })
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

impl EvalFixture {
    fn new() -> Self {
        let kitchen = Self { folder: tempfile::tempdir().expect("a folder") };
        kitchen.write("rubric.toml", RUBRIC);
        let recipes: Vec<Value> =
            [("soup", 3), ("bread", 9), ("stew", 4), ("cake", 5)].map(|(id, steps)| recipe(id, steps)).into();
        kitchen.write("recipes.jsonl", &lines(&recipes));
        let verdicts = [
            verdict("soup", 0, 0, "Three steps are few."),
            verdict("bread", 0, 1, "It does not exceed 8 steps."),
            verdict("stew", 1, 0, "One step would do."),
        ];
        kitchen.write("verdicts.jsonl", &lines(&verdicts));
        kitchen.write("people.csv", "id,too_long,vague\nsoup,0,0\nbread,1,1\nstew,0,0\ncake,0,1\n");
        kitchen
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("written");
    }

    fn eval(&self, arguments: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_assize"))
            .arg("eval")
            .args(arguments.split_whitespace())
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path())
            .output()
            .expect("the program runs")
    }

    /// Runs a command that prints one document.
    fn document(&self, arguments: &str, status: i32) -> Value {
        let output = self.eval(arguments);
        assert_eq!(output.status.code(), Some(status), "{arguments}: {output:?}");
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{arguments}: {error}: {output:?}"))
    }

    /// Runs a command that fails, and returns what it says.
    fn refused(&self, arguments: &str) -> String {
        let output = self.eval(arguments);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments}: {output:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    }
}

#[test]
fn clauses_are_computed_and_what_nobody_judged_is_unjudged() {
    let kitchen = EvalFixture::new();
    let document = kitchen.document("run rubric.toml recipes.jsonl --output rulings.jsonl", 1);
    let tally = &document["tally"];
    assert_eq!(
        [&tally["records"], &tally["accepted"], &tally["rejected"], &tally["unjudged"]],
        [4, 0, 1, 3],
        "{tally}"
    );
    assert_eq!(tally["causes"], json!({"not_before_court": 3}));
    let rulings = fs::read_to_string(kitchen.path("rulings.jsonl")).expect("written");
    let outcomes: Vec<Value> =
        rulings.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["outcome"].clone()).collect();
    assert_eq!(outcomes, ["unjudged", "reject", "unjudged", "unjudged"]);
    // Without a record that fails by a clause nothing is rejected, and something is open.
    kitchen.write("one.json", &json!([recipe("soup", 3)]).to_string());
    assert_eq!(kitchen.document("run rubric.toml one.json", 3)["outcome"], "unjudged");
}

#[test]
fn verdicts_are_joined_and_held_against_the_clauses() {
    let kitchen = EvalFixture::new();
    let document =
        kitchen.document("run rubric.toml recipes.jsonl --verdicts verdicts.jsonl --output rulings.jsonl", 1);
    let tally = &document["tally"];
    assert_eq!([&tally["accepted"], &tally["rejected"], &tally["unjudged"]], [1, 2, 1], "{tally}");
    let judge = &tally["judges"]["handed-in"];
    assert_eq!([&judge["fails"], &judge["labels"], &judge["records_failed"]], [2, 6, 2], "{judge}");
    let rules: Vec<&str> = tally["contradictions"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|found| found[1]["rule"].as_str())
        .collect();
    assert_eq!(rules, ["clause-contradicted", "count-contradicted"]);
    // What a run wrote can be handed in again, and says the same.
    let again = kitchen.document("run rubric.toml recipes.jsonl --verdicts rulings.jsonl", 1);
    assert_eq!(again["tally"], *tally);
}

#[test]
fn a_judge_is_tried_by_what_people_say() {
    let kitchen = EvalFixture::new();
    let document =
        kitchen.document("calibrate rubric.toml recipes.jsonl --verdicts verdicts.jsonl --labels people.csv", 3);
    let evaluation = &document["trial"];
    assert_eq!(
        (&evaluation["belief"], &evaluation["labelled"], &evaluation["judged"]),
        (&"inconclusive".into(), &4.into(), &3.into())
    );
    let counts = |part: &Value| {
        ["both_fail", "judge_only", "person_only", "both_pass"].map(|name| part["counts"][name].as_u64())
    };
    assert_eq!(counts(&evaluation["modes"][0]), [Some(0), Some(1), Some(1), Some(1)]);
    assert_eq!(counts(&evaluation["modes"][1]), [Some(1), Some(0), Some(0), Some(2)]);
    assert_eq!(counts(&evaluation["pooled"]), [Some(1), Some(1), Some(1), Some(3)]);
    assert_eq!(evaluation["pooled"]["unjudged"], 2, "the cake was not judged");
    let human = kitchen
        .eval("calibrate rubric.toml recipes.jsonl --verdicts verdicts.jsonl --labels people.csv --format human");
    assert!(
        String::from_utf8_lossy(&human.stdout).starts_with("? inconclusive  handed-in by recipes: 4 of 4 records"),
        "{human:?}"
    );
}

#[test]
fn what_does_not_join_is_refused_with_counts() {
    let kitchen = EvalFixture::new();
    kitchen.write("others.jsonl", &lines(&[verdict("pie", 0, 0, "Short."), verdict("soup", 0, 0, "Short.")]));
    assert!(
        kitchen
            .refused("run rubric.toml recipes.jsonl --verdicts others.jsonl")
            .contains("1 of 2 name no record of the data (`pie`)")
    );
    kitchen.write("twice.csv", "id,vague\nsoup,0\nsoup,0\n");
    let calibrate = "calibrate rubric.toml recipes.jsonl --verdicts verdicts.jsonl --labels";
    assert!(
        kitchen
            .refused(&format!("{calibrate} twice.csv"))
            .contains("1 of 2 are the second of one judge or rater on their record")
    );
    kitchen.write("words.csv", "id,vague\nsoup,maybe\n");
    assert!(kitchen.refused(&format!("{calibrate} words.csv")).contains("line 2: `vague`: `maybe` is no label"));
    // Rulings know the content of their record and the rubric that they were made by.
    kitchen.document("run rubric.toml recipes.jsonl --verdicts verdicts.jsonl --output rulings.jsonl", 1);
    kitchen.write(
        "edited.jsonl",
        &fs::read_to_string(kitchen.path("recipes.jsonl")).expect("read").replacen("Stir.", "Whisk.", 1),
    );
    assert!(
        kitchen
            .refused("run rubric.toml edited.jsonl --verdicts rulings.jsonl")
            .contains("1 of 4 belong to another edition of their record (`soup`)")
    );
    kitchen.write("other.toml", &RUBRIC.replace("> 8'", "> 9'"));
    assert!(
        kitchen
            .refused("run other.toml recipes.jsonl --verdicts rulings.jsonl")
            .contains("4 of 4 were made by another rubric")
    );
}

#[test]
fn a_report_by_a_field_that_no_record_has_is_refused() {
    let kitchen = EvalFixture::new();
    let report = "report rubric.toml recipes.jsonl --verdicts verdicts.jsonl --output report.html --by";
    assert!(kitchen.refused(&format!("{report} crusine")).contains("--by crusine: no record has this field"));
    assert!(!kitchen.path("report.html").exists());
}

#[test]
fn two_judgements_are_set_side_by_side() {
    let kitchen = EvalFixture::new();
    let after = [verdict("soup", 0, 1, "Short."), verdict("bread", 1, 1, "Long."), verdict("stew", 0, 0, "Short.")];
    kitchen.write("after.jsonl", &lines(&after));
    let compare = "compare rubric.toml recipes.jsonl --verdicts verdicts.jsonl --with after.jsonl --labels people.csv";
    let comparison = &kitchen.document(compare, 0)["comparison"];
    let pooled = &comparison["pooled"];
    assert_eq!(
        [&pooled["remaining"], &pooled["only_first"], &pooled["only_second"], &pooled["neither"]],
        [1, 1, 2, 2],
        "{pooled}"
    );
    assert_eq!(pooled["unjudged"], 2);
    assert_eq!(comparison["flips"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_correction_is_told_by_what_moved() {
    let kitchen = EvalFixture::new();
    let recipes = fs::read_to_string(kitchen.path("recipes.jsonl")).expect("read");
    let correct = "correct rubric.toml recipes.jsonl --verdicts verdicts.jsonl --corrected corrected.jsonl --corrected-verdicts after.jsonl";
    let after = [
        verdict("soup", 0, 0, "Short."),
        verdict("bread", 0, 0, "Short."),
        verdict("stew", 0, 0, "Short."),
        verdict("cake", 0, 0, "Short."),
    ];
    kitchen.write("after.jsonl", &lines(&after));
    kitchen.write("corrected.jsonl", &recipes);
    assert!(kitchen.refused(correct).contains("no record was changed"));
    kitchen.write("corrected.jsonl", &recipes.replace("\"bread\"", "\"loaf\""));
    assert!(
        kitchen.refused(correct).contains("after.jsonl: 1 of 4 name no record"),
        "the verdicts are of other records"
    );
    let shorter: Vec<Value> = [recipe("soup", 3), recipe("bread", 8), recipe("stew", 4), recipe("cake", 5)].into();
    kitchen.write("corrected.jsonl", &lines(&shorter));
    let correction = &kitchen.document(correct, 1)["correction"];
    assert_eq!([&correction["changed"], &correction["unchanged"], &correction["noise"]], [1, 3, 1], "{correction}");
    let pooled = &correction["comparison"]["pooled"];
    assert_eq!([&pooled["only_first"], &pooled["only_second"], &pooled["remaining"]], [1, 0, 1], "{pooled}");
    assert_eq!((&correction["noise"], &correction["by_clause"]), (&1.into(), &json!([1, 0])), "{correction}");
    // What nobody judged is not mended.
    kitchen.write("after.jsonl", "");
    assert_eq!(kitchen.document(correct, 1)["correction"]["unjudged_left"], 4);
    let only_bread: Vec<Value> = [recipe("bread", 8)].into();
    kitchen.write("recipes.jsonl", &lines(&[recipe("bread", 9)]));
    kitchen.write("corrected.jsonl", &lines(&only_bread));
    kitchen.write("verdicts.jsonl", "");
    assert_eq!(kitchen.document(correct, 3)["outcome"], "unjudged");
}

#[test]
fn a_plan_says_what_to_label_and_is_filled_in() {
    let kitchen = EvalFixture::new();
    let plan = &kitchen.document("plan rubric.toml recipes.jsonl --labels people.csv", 0)["plan"];
    assert_eq!((&plan["sample"], &plan["all"], &plan["labelled"]), (&4.into(), &true.into(), &4.into()), "{plan}");
    let plan = &kitchen.document("plan rubric.toml recipes.jsonl --within 0.2 --output to-label.csv", 0)["plan"];
    assert_eq!(plan["next"].as_array().map(Vec::len), Some(4), "{plan}");
    let table = fs::read_to_string(kitchen.path("to-label.csv")).expect("written");
    assert!(table.starts_with("id,record,too_long,vague\n") && table.lines().count() == 5, "{table}");
    // It can be handed in as it is: nobody has said anything yet.
    let calibrate = "calibrate rubric.toml recipes.jsonl --verdicts verdicts.jsonl --labels to-label.csv";
    assert_eq!(kitchen.document(calibrate, 3)["trial"]["labelled"], 0);
    kitchen.write("to-label.csv", &table.replace(",,", ",1,0"));
    assert_eq!(kitchen.document(calibrate, 3)["trial"]["labelled"], 4);
    assert!(kitchen.refused("plan rubric.toml recipes.jsonl --within 0.5").contains("between 0 and 0.5"));
}

#[test]
fn a_rubric_is_warned_of_and_refused() {
    let kitchen = EvalFixture::new();
    let findings = kitchen.document("lint rubric.toml", 1)["findings"].clone();
    let unset = findings.as_array().expect("a list").iter().filter(|finding| finding["rule"] == "lever-not-set");
    assert_eq!(unset.count(), 5);
    let lenient = kitchen.document("lint home-repair-lenient", 1);
    let strict = kitchen.document("lint home-repair-strict", 0);
    assert!(lenient["findings"].as_array().map(Vec::len) > strict["findings"].as_array().map(Vec::len));
    kitchen.write("broken.toml", &RUBRIC.replace("size(record.steps)", "length(record.steps)"));
    let said = kitchen.refused("lint broken.toml");
    assert!(said.contains("mode[0].clause[0].fails: calls `length`, which there is not"), "{said}");
    assert!(said.contains("docs/src/tasks/eval.md shows how a rubric is written"), "{said}");
    assert!(kitchen.refused("lint nowhere").contains("home-repair-strict, home-repair-lenient"));
}

#[test]
fn of_nothing_nothing_is_said() {
    let kitchen = EvalFixture::new();
    kitchen.write("empty.jsonl", "");
    let nothing = kitchen.eval("run rubric.toml empty.jsonl --format human");
    let told = String::from_utf8_lossy(&nothing.stderr);
    assert!(told.contains("the data empty.jsonl hold no record; nothing is judged"), "{told}");
    let some = kitchen.eval("run rubric.toml recipes.jsonl");
    assert!(!String::from_utf8_lossy(&some.stderr).contains("hold no record"), "{some:?}");
    assert_eq!(kitchen.document("run rubric.toml empty.jsonl", 3)["outcome"], "unjudged");
    assert!(kitchen.refused("plan rubric.toml empty.jsonl").contains("there is no record to label"));
    let compared =
        kitchen.document("compare rubric.toml recipes.jsonl --verdicts verdicts.jsonl --with empty.jsonl", 3);
    assert!(
        compared["comparison"]["warnings"][0].as_str().is_some_and(|warning| warning.starts_with("8 of 8 labels")),
        "{compared}"
    );
}

#[test]
fn what_is_read_is_not_written_over() {
    let kitchen = EvalFixture::new();
    assert!(kitchen.refused("run rubric.toml recipes.jsonl --output ./recipes.jsonl").contains("that is what is read"));
    assert!(kitchen.refused("run rubric.toml recipes.jsonl --output /dev/null").contains("no file"));
    assert!(fs::read_to_string(kitchen.path("recipes.jsonl")).expect("read").contains("soup"));
}

#[test]
fn nothing_of_a_record_reaches_the_terminal_as_it_is() {
    let kitchen = EvalFixture::new();
    kitchen.write("rubric.toml", &RUBRIC.replace("[trust]", "[record]\nstrata = [\"level\"]\n[trust]"));
    let evil = fs::read_to_string(kitchen.path("recipes.jsonl")).expect("read").replacen(
        "beginner",
        "\\u001b[31mx\\u202e\\ny",
        1,
    );
    kitchen.write("recipes.jsonl", &evil);
    kitchen.write("people.csv", "id,too_long,vague\nbread,1,1\n");
    let output = kitchen.eval("calibrate rubric.toml recipes.jsonl --verdicts verdicts.jsonl --labels people.csv --format human --color never");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("⟨U+001B⟩[31mx") && !text.contains(['\u{1b}', '\u{202e}']), "{text}");
}

#[test]
fn records_that_cannot_be_read_are_named_by_their_place() {
    let kitchen = EvalFixture::new();
    kitchen.write("twice.jsonl", &lines(&[recipe("soup", 3), recipe("soup", 4)]));
    assert!(kitchen.refused("run rubric.toml twice.jsonl").contains("line 2: has the name of record 1: `soup`"));
    kitchen.write("half.jsonl", "{\"id\": \"soup\"}\n{\"id\":");
    assert!(kitchen.refused("run rubric.toml half.jsonl --output rulings.jsonl").contains("line 2: is no JSON"));
    assert!(!kitchen.path("rulings.jsonl").exists(), "half of the rulings are none");
    assert!(kitchen.refused("run rubric.toml recipes.jsonl --id name").contains("line 1: has no field `name`"));
}
