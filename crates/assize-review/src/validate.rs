//! Checks of a review's documents that others hand in: its verdict, and the patch that answers it.
//!
//! Every fault is listed by its place. What is accepted here is exactly what the parsers of verdicts and patches accept. This module must
//! not know where a document came from.

use std::collections::BTreeMap;

use assize_core::tree_paths::TreePaths;
use assize_core::verdict::document::{Checker, DocumentPlace, parse};
use assize_core::verdict::{REPLY_BYTES_MAX, Verdict as _};
use assize_core::violation::Violation;
use assize_patch::validate::{patch_bytes_max, patch_of};
use assize_patch::{Patch, PatchLimits, check_path};
use serde::Deserialize as _;
use serde_json::Value;

use crate::verdict::{
    EXPLANATION_CHARS_MAX, FixOperation, PATH_CHARS_MAX, ReviewVerdict, STEP_CHARS_MAX, STEPS_MAX, Scores,
    against_acceptance, misplaced,
};

/// Checks the verdict of a review. Where the judged tree is known, its fix plan is held to it: what is edited or removed
/// exists, what is added does not.
///
/// # Errors
///
/// Lists every fault with its place.
pub fn validate_verdict(text: &str, tree: Option<&TreePaths>) -> Result<ReviewVerdict, Vec<Violation>> {
    verdict_of(&parse(text, REPLY_BYTES_MAX)?, tree)
}

fn verdict_of(value: &Value, tree: Option<&TreePaths>) -> Result<ReviewVerdict, Vec<Violation>> {
    let mut checker = Checker::default();
    let root = DocumentPlace::root(value);
    if checker.object(&root, &["verdict", "scores", "explanations", "fix_plan"]) {
        checker.one_of(&root.field("verdict"), &["accept", "revise", "reject"]);
        let scores = root.field("scores");
        let names = Scores::DIMENSIONS.map(assize_gate::gate::Dimension::as_str);
        if checker.object(&scores, &names) {
            for (index, name) in names.into_iter().enumerate() {
                let score = scores.field(name);
                // What nothing has measured is `null`. The last two need not be there.
                let is_unknown = score.value.map_or(index >= Scores::STATED.len(), Value::is_null);
                if !is_unknown {
                    checker.score(&score);
                }
            }
        }
        let explanations = root.field("explanations");
        if checker.object(&explanations, &["root_cause", "minimal_fix"]) {
            checker.text(&explanations.field("root_cause"), EXPLANATION_CHARS_MAX);
            checker.text(&explanations.field("minimal_fix"), EXPLANATION_CHARS_MAX);
        }
        let plan = root.field("fix_plan");
        checker.list(&plan, STEPS_MAX);
        for step in plan.items() {
            if checker.object(&step, &["file", "operation", "brief"]) {
                checker.text(&step.field("file"), PATH_CHARS_MAX);
                let file = step.field("file");
                let path = file.value.and_then(Value::as_str);
                let operation = step.field("operation");
                checker.one_of(&operation, &["edit", "add", "remove"]);
                match path.map(check_path) {
                    Some(Err(fault)) => checker.say(&file.at, fault),
                    Some(Ok(())) => {
                        let wanted = operation.value.and_then(|kind| FixOperation::deserialize(kind).ok());
                        let place = path.zip(wanted).zip(tree);
                        let fault = place.and_then(|((path, wanted), tree)| misplaced(path, wanted, tree));
                        fault.into_iter().for_each(|fault| checker.say(&file.at, fault));
                    }
                    None => {}
                }
                checker.text(&step.field("brief"), STEP_CHARS_MAX);
            }
        }
        // How the parts go together. Each part is read separately, whatever is wrong with the others.
        if accepts(&root) {
            let is_zero = |dimension: &assize_gate::gate::Dimension| {
                scores.field(dimension.as_str()).value.and_then(Value::as_f64) == Some(0.0)
            };
            let zeroed = Scores::DIMENSIONS.into_iter().filter(is_zero);
            checker.found.extend(against_acceptance(zeroed, plan.items().count()));
        }
    }
    let verdict: ReviewVerdict = checker.read(value)?;
    // The verdict parser has the last word on what is accepted.
    verdict.check().map_err(|message| vec![Violation::new("", message)])?;
    Ok(verdict)
}

fn accepts(verdict: &DocumentPlace<'_>) -> bool {
    verdict.field("verdict").value.and_then(Value::as_str) == Some("accept")
}

/// Checks a verdict and the patch that answers it. Each of them is checked alone. Then both are checked together: an
/// accepted or rejected change must not be patched, and the patch must do only what the plan names for each file.
///
/// # Errors
///
/// Lists every fault with its place; places begin with `verdict` and `patch`.
pub fn validate_both(
    verdict: &str,
    patch: &str,
    limits: &PatchLimits,
    tree: Option<&TreePaths>,
) -> Result<(ReviewVerdict, Patch), Vec<Violation>> {
    let under = |name: &str, found: Vec<Violation>| -> Vec<Violation> {
        found
            .into_iter()
            .map(|fault| {
                let at = if fault.at.is_empty() { name.to_owned() } else { format!("{name}.{}", fault.at) };
                Violation { at, ..fault }
            })
            .collect()
    };
    let (verdict, patch) = (parse(verdict, REPLY_BYTES_MAX), parse(patch, patch_bytes_max(limits)));
    let between = match (&verdict, &patch) {
        (Ok(verdict), Ok(patch)) => under("patch", unanswered(verdict, patch)),
        _ => Vec::new(),
    };
    let verdict = verdict.and_then(|value| verdict_of(&value, tree)).map_err(|found| under("verdict", found));
    let patch = patch
        .and_then(|value| patch_of(&value, limits).map_err(|unsound| unsound.faults))
        .map_err(|found| under("patch", found));
    match (verdict, patch) {
        (Ok(verdict), Ok(patch)) if between.is_empty() => Ok((verdict, patch)),
        (verdict, patch) => Err([verdict.err(), patch.err(), Some(between)].into_iter().flatten().flatten().collect()),
    }
}

/// Returns whether an operation of a patch is what a fix plan asks for. A step to change a file may write it anew.
fn answers(kind: &str, wanted: &str) -> bool {
    match wanted {
        "edit" => kind != "remove",
        "add" => kind == "add",
        "remove" => kind == "remove",
        _ => true,
    }
}

/// Names where a patch does not answer its verdict, as far as both can be read.
fn unanswered(verdict: &Value, patch: &Value) -> Vec<Violation> {
    let (verdict, ops) = (DocumentPlace::root(verdict), DocumentPlace::root(patch).field("ops"));
    let mut checker = Checker::default();
    let outcome = verdict.field("verdict").value.and_then(Value::as_str);
    if matches!(outcome, Some("accept" | "reject")) && ops.items().next().is_some() {
        checker.say(&ops.at, format!("changes what the verdict {}s", outcome.unwrap_or_default()));
    }
    // A plan with a file that cannot be read may name anything.
    let plan = verdict.field("fix_plan");
    let text = |place: &DocumentPlace<'_>| place.value.and_then(Value::as_str).map(str::to_owned);
    let planned: Option<BTreeMap<String, Option<String>>> =
        plan.items().map(|step| Some((text(&step.field("file"))?, text(&step.field("operation"))))).collect();
    let Some(planned) = planned.filter(|planned| !planned.is_empty()) else { return checker.found };
    for op in ops.items() {
        let (path, kind) = (op.field("path"), text(&op.field("kind")));
        let Some(named) = text(&path) else { continue };
        match (planned.get(&named), kind.as_deref()) {
            (None, _) => checker.say(&path.at, format!("{named:?} is not in the verdict's fix plan")),
            (Some(Some(wanted)), Some(kind)) if !answers(kind, wanted) => {
                checker.say(&op.at, format!("is {kind:?}, where the verdict's fix plan has {wanted:?} for {named:?}"));
            }
            _ => {}
        }
    }
    checker.found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const GOOD: &str = r#"{"verdict":"revise","scores":{"compilation":0,"tests_functional":1,"tests_edge":1,"types":0,"style":1,"security":1},"explanations":{"root_cause":"r","minimal_fix":"m"},"fix_plan":[{"file":"src/a.ts","operation":"edit","brief":"b"}]}"#;
    const PATCH: &str =
        r#"{"ops":[{"kind":"edit","path":"src/a.ts","find":"const foo","replace":"const foo: number"}]}"#;

    fn places<T: std::fmt::Debug>(result: Result<T, Vec<Violation>>) -> Vec<String> {
        result.expect_err("faults").into_iter().map(|fault| fault.at).collect()
    }

    #[test]
    fn sound_documents_pass() {
        assert!(validate_verdict(GOOD, None).is_ok());
        assert!(validate_both(GOOD, PATCH, &PatchLimits::default(), None).is_ok());
    }

    #[test]
    fn every_fault_is_listed_with_its_place() {
        let bad = r#"{"verdict":"ok","scores":{"compilation":2,"tests_functional":"1","types":0,"style":1,"security":1,"speed":1},"explanations":{"root_cause":"  "},"fix_plan":[{"file":"a","operation":"rename","brief":""},7]}"#;
        assert_eq!(
            places(validate_verdict(bad, None)),
            [
                "verdict",
                "scores.speed",
                "scores.compilation",
                "scores.tests_functional",
                "scores.tests_edge",
                "explanations.root_cause",
                "explanations.minimal_fix",
                "fix_plan[0].operation",
                "fix_plan[0].brief",
                "fix_plan[1]"
            ]
        );
    }

    #[test]
    fn everything_that_is_wrong_with_a_text_is_said() {
        let long = format!("\\u0007{}", "-".repeat(EXPLANATION_CHARS_MAX));
        let bad = GOOD.replace("\"r\"", &format!("\"{long}\""));
        let messages: Vec<String> =
            validate_verdict(&bad, None).expect_err("faults").iter().map(ToString::to_string).collect();
        assert_eq!(
            messages,
            [
                format!(
                    "explanations.root_cause: has {} where {EXPLANATION_CHARS_MAX} is the most",
                    EXPLANATION_CHARS_MAX + 1
                ),
                "explanations.root_cause: contains the character U+0007".to_owned(),
                "explanations.root_cause: has no words".to_owned(),
            ]
        );
    }

    #[test]
    fn parts_must_go_together() {
        let accepts = GOOD.replace("revise", "accept");
        let odd = |from: &str, to: &str| accepts.replace(from, to);
        for (verdict, expected) in [
            (accepts.clone(), vec!["scores.compilation", "scores.types", "fix_plan"]),
            // What is wrong elsewhere hides nothing of it.
            (odd("\"r\"", "7"), vec!["explanations.root_cause", "scores.compilation", "scores.types", "fix_plan"]),
            (odd("\"types\":0", "\"types\":-1"), vec!["scores.types", "scores.compilation", "fix_plan"]),
            (
                odd("\"edit\"", "\"move\""),
                vec!["fix_plan[0].operation", "scores.compilation", "scores.types", "fix_plan"],
            ),
            (odd("[{", "7,\"more\":[{"), vec!["more", "fix_plan", "scores.compilation", "scores.types"]),
            (odd("\"accept\"", "\"accepted\""), vec!["verdict"]),
        ] {
            assert_eq!(places(validate_verdict(&verdict, None)), expected, "{verdict}");
        }
    }

    #[test]
    fn a_patch_must_answer_its_verdict() {
        let accepts = GOOD.replace("revise", "accept").replace(":0", ":1");
        let nothing_planned = accepts.replace(r#"{"file":"src/a.ts","operation":"edit","brief":"b"}"#, "");
        let elsewhere = PATCH.replace("src/a.ts", "src/b.ts");
        for (verdict, patch, expected) in [
            (GOOD.to_owned(), elsewhere.clone(), vec!["patch.ops[0].path"]),
            (nothing_planned, PATCH.to_owned(), vec!["patch.ops"]),
            (accepts, elsewhere.clone(), vec!["verdict.fix_plan", "patch.ops", "patch.ops[0].path"]),
            ("{".to_owned(), "[]".to_owned(), vec!["verdict", "patch"]),
            ("{".to_owned(), elsewhere.clone(), vec!["verdict"]),
            // What is wrong with one of them does not hide that they do not fit each other.
            (
                GOOD.replace("\"r\"", "7"),
                elsewhere.clone(),
                vec!["verdict.explanations.root_cause", "patch.ops[0].path"],
            ),
            (GOOD.to_owned(), elsewhere.replace("const foo\"", "\""), vec!["patch.ops[0].find", "patch.ops[0].path"]),
            // It is unknown which files such a plan names.
            (GOOD.replace("\"src/a.ts\"", "7"), elsewhere, vec!["verdict.fix_plan[0].file"]),
        ] {
            assert_eq!(
                places(validate_both(&verdict, &patch, &PatchLimits::default(), None)),
                expected,
                "{verdict} {patch}"
            );
        }
    }

    #[test]
    fn a_plan_fits_the_tree_and_the_patch_fits_the_plan() {
        let tree: TreePaths = ["src/a.ts", "src/b.ts"].into_iter().collect();
        let step = |file: &str, operation: &str| {
            GOOD.replace("src/a.ts", file).replace("\"edit\"", &format!("\"{operation}\""))
        };
        let at_file = vec!["fix_plan[0].file".to_owned()];
        for (file, operation, expected) in [
            ("src/a.ts", "edit", Vec::new()),
            ("src/c.ts", "add", Vec::new()),
            ("src/a.ts", "remove", Vec::new()),
            ("src", "edit", at_file.clone()),
            ("src/c.ts", "edit", at_file.clone()),
            ("src/c.ts", "remove", at_file.clone()),
            ("src/a.ts", "add", at_file.clone()),
            ("/etc/passwd", "edit", at_file.clone()),
            ("../x", "add", at_file.clone()),
            (".git/hooks/pre-commit", "add", at_file.clone()),
            ("./src/a.ts", "edit", at_file),
        ] {
            let found = validate_verdict(&step(file, operation), Some(&tree)).err().unwrap_or_default();
            assert_eq!(found.into_iter().map(|fault| fault.at).collect::<Vec<_>>(), expected, "{operation} {file}");
        }
        let patch = |kind: &str| format!(r#"{{"ops":[{{"kind":"{kind}","path":"src/a.ts"}}]}}"#);
        let both = |verdict: &str, patch: &str| {
            let result = validate_both(verdict, patch, &PatchLimits::default(), Some(&tree));
            result.err().unwrap_or_default().iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(
            both(GOOD, &patch("remove")),
            [r#"patch.ops[0]: is "remove", where the verdict's fix plan has "edit" for "src/a.ts""#]
        );
        assert_eq!(both(&step("src/a.ts", "remove"), &patch("remove")), Vec::<String>::new());
        let rejected = GOOD.replace("revise", "reject");
        assert_eq!(both(&rejected, PATCH), ["patch.ops: changes what the verdict rejects"]);
    }

    #[test]
    fn a_key_twice_is_no_document() {
        let twice = GOOD.replacen("\"verdict\":\"revise\"", "\"verdict\":\"revise\",\"verdict\":\"accept\"", 1);
        assert_eq!(places(validate_verdict(&twice, None)), [""]);
    }

    proptest! {
        #[test]
        fn the_list_of_faults_agrees_with_the_parser(
            from in prop::sample::select(&["revise", "accept", "0", "1", "\"r\"", "\"edit\"", "src/a.ts", "fix_plan", "[", "}"][..]),
            to in prop::sample::select(&["accept", "reject", "0.5", "2", "-1", "\"\"", "null", "\"add\"", "x", "{}", "", "]"][..]),
            nth in 0..6_usize,
        ) {
            let mut at = 0;
            let mut changed = GOOD.to_owned();
            for (count, (start, _)) in GOOD.match_indices(from).enumerate() {
                if count == nth { at = start; }
            }
            if at > 0 { changed.replace_range(at..at + from.len(), to); }
            let strict = assize_core::verdict::parse::<ReviewVerdict>(&changed);
            prop_assert_eq!(validate_verdict(&changed, None).is_ok(), strict.is_ok(), "{} {:?}", changed, strict.err());
        }
    }
}
