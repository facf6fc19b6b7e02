//! Checks of documents that others hand in, with every fault listed by its place.
//!
//! The strict door stops at the first fault, since a judge is asked again anyway. Whoever writes a
//! judge or a fixer wants to see all of them. What is accepted here is exactly what the door
//! and the patch reader accept. This module must not know where a document came from.

use std::collections::BTreeSet;

use serde_json::Value;

use super::json::Unambiguous;
use super::review::{
    EXPLANATION_CHARS_MAX, PATH_CHARS_MAX, ReviewVerdict, STEP_CHARS_MAX, STEPS_MAX, Scores, against_acceptance,
};
use super::{REPLY_BYTES_MAX, Verdict as _, text_faults, too_many};
use crate::patch::{Op, Patch, PatchLimits, Unsound, check_path, decoded};
use crate::violation::Violation;

/// Collects faults, and knows where it is.
#[derive(Default)]
struct Checker {
    found: Vec<Violation>,
}

/// A part of a document: what it is called, and what stands there.
struct Place<'a> {
    at: String,
    value: Option<&'a Value>,
}

impl<'a> Place<'a> {
    fn root(value: &'a Value) -> Self {
        Self { at: String::new(), value: Some(value) }
    }

    fn field(&self, name: &str) -> Self {
        let at = if self.at.is_empty() { name.to_owned() } else { format!("{}.{name}", self.at) };
        Self { at, value: self.value.and_then(|value| value.get(name)) }
    }

    fn items(&self) -> impl Iterator<Item = Self> {
        let items = self.value.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        items.iter().enumerate().map(|(index, value)| Self { at: format!("{}[{index}]", self.at), value: Some(value) })
    }
}

impl Checker {
    fn say(&mut self, at: &str, message: impl Into<String>) {
        self.found.push(Violation { at: at.to_owned(), message: message.into() });
    }

    /// Checks that an object is there and has no fields but the known ones.
    fn object(&mut self, place: &Place<'_>, known: &[&str]) -> bool {
        match place.value {
            Some(Value::Object(object)) => {
                for name in object.keys().filter(|name| !known.contains(&name.as_str())) {
                    let names = known.join(", ");
                    self.say(&place.field(name).at, format!("is no known field; there are {names}"));
                }
                true
            }
            value => {
                self.say(&place.at, expected("an object", value));
                false
            }
        }
    }

    fn list(&mut self, place: &Place<'_>, most: usize) {
        match place.value {
            Some(Value::Array(items)) => {
                if let Some(fault) = too_many(items.len(), most) {
                    self.say(&place.at, fault);
                }
            }
            value => self.say(&place.at, expected("a list", value)),
        }
    }

    fn string<'a>(&mut self, place: &Place<'a>) -> Option<&'a str> {
        match place.value {
            Some(Value::String(text)) => Some(text),
            value => {
                self.say(&place.at, expected("a string", value));
                None
            }
        }
    }

    /// Checks a text that has to say something.
    fn text(&mut self, place: &Place<'_>, chars_max: usize) {
        for fault in self.string(place).into_iter().flat_map(|text| text_faults(text, chars_max)) {
            self.say(&place.at, fault);
        }
    }

    fn one_of(&mut self, place: &Place<'_>, words: &[&str]) {
        if let Some(word) = self.string(place)
            && !words.contains(&word)
        {
            self.say(&place.at, format!("is {word:?}, not one of {}", words.join(", ")));
        }
    }

    fn score(&mut self, place: &Place<'_>) {
        match place.value.and_then(Value::as_f64) {
            Some(score) if (0.0..=1.0).contains(&score) && !score.is_sign_negative() => {}
            Some(score) => self.say(&place.at, format!("is {score}, not between 0 and 1")),
            None => self.say(&place.at, expected("a number", place.value)),
        }
    }

    /// Checks a whole number that fits its field.
    fn count(&mut self, place: &Place<'_>, least: u64) {
        match place.value.and_then(Value::as_u64) {
            Some(count) if (least..=u64::from(u32::MAX)).contains(&count) => {}
            Some(count) => self.say(&place.at, format!("is {count}, not between {least} and {}", u32::MAX)),
            None => self.say(&place.at, expected("a whole number", place.value)),
        }
    }

    /// Reads what was found in order, so that what passes here is what the types hold.
    fn read<T: serde::de::DeserializeOwned>(self, value: &Value) -> Result<T, Vec<Violation>> {
        if !self.found.is_empty() {
            return Err(self.found);
        }
        serde_json::from_value(value.clone()).map_err(|error| vec![Violation::new("", error.to_string())])
    }
}

fn expected(what: &str, value: Option<&Value>) -> String {
    let found = match value {
        None => return format!("is missing; {what} is expected"),
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "true or false",
        Some(Value::Number(_)) => "another number",
        Some(Value::String(_)) => "a string",
        Some(Value::Array(_)) => "a list",
        Some(Value::Object(_)) => "an object",
    };
    format!("is {found} where {what} is expected")
}

/// Reads JSON in which every key stands once.
fn parse(text: &str, bytes_max: usize) -> Result<Value, Vec<Violation>> {
    let whole = |message: String| vec![Violation { at: String::new(), message }];
    if text.len() > bytes_max {
        return Err(whole(format!("the document has {} bytes, more than {bytes_max}", text.len())));
    }
    let Unambiguous(value) =
        serde_json::from_str(text).map_err(|error| whole(format!("the document is no JSON: {error}")))?;
    Ok(value)
}

/// Checks the verdict of a review.
///
/// # Errors
///
/// Lists every fault with its place.
pub fn validate_verdict(text: &str) -> Result<ReviewVerdict, Vec<Violation>> {
    verdict_of(&parse(text, REPLY_BYTES_MAX)?)
}

fn verdict_of(value: &Value) -> Result<ReviewVerdict, Vec<Violation>> {
    let mut checker = Checker::default();
    let root = Place::root(value);
    if checker.object(&root, &["verdict", "scores", "explanations", "fix_plan"]) {
        checker.one_of(&root.field("verdict"), &["accept", "revise", "reject"]);
        let scores = root.field("scores");
        let names = Scores::DIMENSIONS.map(crate::gate::Dimension::as_str);
        if checker.object(&scores, &names) {
            for (index, name) in names.into_iter().enumerate() {
                let score = scores.field(name);
                // The last two need not be there.
                if index < 6 || !matches!(score.value, None | Some(Value::Null)) {
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
                checker.one_of(&step.field("operation"), &["edit", "add", "remove"]);
                checker.text(&step.field("brief"), STEP_CHARS_MAX);
            }
        }
        // How the parts go together: each is read by itself, whatever is wrong with the others.
        if accepts(&root) {
            let is_zero = |dimension: &crate::gate::Dimension| {
                scores.field(dimension.as_str()).value.and_then(Value::as_f64) == Some(0.0)
            };
            let zeroed = Scores::DIMENSIONS.into_iter().filter(is_zero);
            checker.found.extend(against_acceptance(zeroed, plan.items().count()));
        }
    }
    let verdict: ReviewVerdict = checker.read(value)?;
    // The door has the last word on what is accepted.
    verdict.check().map_err(|message| vec![Violation::new("", message)])?;
    Ok(verdict)
}

fn accepts(verdict: &Place<'_>) -> bool {
    verdict.field("verdict").value.and_then(Value::as_str) == Some("accept")
}

/// Checks a patch document.
///
/// # Errors
///
/// Lists every fault with its place.
pub fn validate_patch(text: &str, limits: &PatchLimits) -> Result<Patch, Vec<Violation>> {
    read_patch(text, limits).map_err(|unsound| unsound.faults)
}

/// Reads a patch document.
///
/// # Errors
///
/// Lists every fault with its place, and what is sound in spite of them.
pub fn read_patch(text: &str, limits: &PatchLimits) -> Result<Patch, Unsound> {
    patch_of(&parse(text, patch_bytes_max(limits))?, limits)
}

/// Longest patch document. Escapes make it up to six times as long as what it says.
fn patch_bytes_max(limits: &PatchLimits) -> usize {
    limits.bytes_max.saturating_mul(6).saturating_add(limits.ops_max.saturating_mul(256))
}

fn patch_of(value: &Value, limits: &PatchLimits) -> Result<Patch, Unsound> {
    let mut checker = Checker::default();
    let root = Place::root(value);
    let mut sound: Vec<(usize, Op)> = Vec::new();
    let mut unsound: Vec<String> = Vec::new();
    if checker.object(&root, &["ops"]) {
        let ops = root.field("ops");
        checker.list(&ops, limits.ops_max);
        let mut bytes = 0_usize;
        for (index, op) in ops.items().enumerate() {
            let faults = checker.found.len();
            operation(&mut checker, &op, &mut bytes);
            let read = op.value.and_then(|value| serde_json::from_value(value.clone()).ok());
            match read.filter(|_| checker.found.len() == faults) {
                Some(read) => sound.push((index, read)),
                None => unsound.extend(op.field("path").value.and_then(Value::as_str).map(str::to_owned)),
            }
        }
        let is_too_large = bytes > limits.bytes_max;
        if is_too_large {
            let most = limits.bytes_max;
            checker.say(&ops.at, format!("its strings have {bytes} bytes together where {most} is the most"));
        }
        // What is too large is not worked on.
        if is_too_large || ops.items().count() > limits.ops_max {
            sound.clear();
        }
    }
    checker.read(value).map_err(|faults| {
        sound.retain(|(_, op)| !unsound.iter().any(|path| path == op.path()));
        Unsound { faults, sound }
    })
}

fn operation(checker: &mut Checker, op: &Place<'_>, bytes: &mut usize) {
    let kind = op.field("kind").value.and_then(Value::as_str).unwrap_or_default().to_owned();
    let fields: &[&str] = match kind.as_str() {
        "add" => &["kind", "path", "content", "encoding", "executable"],
        "remove" => &["kind", "path"],
        "edit" => &["kind", "path", "find", "replace", "occurrences"],
        "splice" => &["kind", "path", "start", "deleteCount", "insert"],
        _ => {
            if matches!(op.value, Some(Value::Object(_))) {
                checker.one_of(&op.field("kind"), &["add", "remove", "edit", "splice"]);
            } else {
                checker.say(&op.at, expected("an object", op.value));
            }
            return;
        }
    };
    checker.object(op, fields);
    let mut string = |checker: &mut Checker, name: &str| {
        let text = checker.string(&op.field(name));
        *bytes = bytes.saturating_add(text.map_or(0, str::len));
        text.map(str::to_owned)
    };
    if let Some(path) = string(checker, "path")
        && let Err(message) = check_path(&path)
    {
        checker.say(&op.field("path").at, format!("{path:?} {message}"));
    }
    match kind.as_str() {
        "add" => {
            let content = string(checker, "content");
            let encoding = op.field("encoding");
            if !matches!(encoding.value, None | Some(Value::Null)) {
                checker.one_of(&encoding, &["base64"]);
                let is_base64 = encoding.value.and_then(Value::as_str) == Some("base64");
                if is_base64 && content.is_some_and(|content| decoded(&content).is_none()) {
                    checker.say(&op.field("content").at, "is no base64");
                }
            }
            if !matches!(op.field("executable").value, None | Some(Value::Null | Value::Bool(_))) {
                checker.say(&op.field("executable").at, expected("true or false", op.field("executable").value));
            }
        }
        "edit" => {
            let find = string(checker, "find");
            let replace = string(checker, "replace");
            if find.as_deref() == Some("") {
                checker.say(&op.field("find").at, "is empty; it would match everywhere");
            } else if find.is_some() && find == replace {
                checker.say(&op.field("replace").at, "is what is there already");
            }
            if !matches!(op.field("occurrences").value, None | Some(Value::Null)) {
                checker.count(&op.field("occurrences"), 1);
            }
        }
        "splice" => {
            checker.count(&op.field("start"), 0);
            checker.count(&op.field("deleteCount"), 0);
            if !matches!(op.field("insert").value, None | Some(Value::Null)) {
                string(checker, "insert");
            } else if op.field("deleteCount").value.and_then(Value::as_u64) == Some(0) {
                checker.say(&op.at, "neither deletes nor inserts a line");
            }
        }
        _ => {}
    }
}

/// Checks a verdict and the patch that answers it, both together: each by itself, and that an accepted change is not
/// patched, and that the patch touches no file which the plan does not name.
///
/// # Errors
///
/// Lists every fault with its place; places begin with `verdict` and `patch`.
pub fn validate_both(
    verdict: &str,
    patch: &str,
    limits: &PatchLimits,
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
    let verdict = verdict.and_then(|value| verdict_of(&value)).map_err(|found| under("verdict", found));
    let patch = patch
        .and_then(|value| patch_of(&value, limits).map_err(|unsound| unsound.faults))
        .map_err(|found| under("patch", found));
    match (verdict, patch) {
        (Ok(verdict), Ok(patch)) if between.is_empty() => Ok((verdict, patch)),
        (verdict, patch) => Err([verdict.err(), patch.err(), Some(between)].into_iter().flatten().flatten().collect()),
    }
}

/// Names where a patch does not answer its verdict, as far as both can be read.
fn unanswered(verdict: &Value, patch: &Value) -> Vec<Violation> {
    let (verdict, ops) = (Place::root(verdict), Place::root(patch).field("ops"));
    let mut checker = Checker::default();
    if accepts(&verdict) && ops.items().next().is_some() {
        checker.say(&ops.at, "changes what the verdict accepts");
    }
    // A plan with a file that cannot be read may name anything.
    let plan = verdict.field("fix_plan");
    let planned: Option<BTreeSet<&str>> =
        plan.items().map(|step| step.field("file").value.and_then(Value::as_str)).collect();
    let Some(planned) = planned.filter(|planned| !planned.is_empty()) else { return checker.found };
    for path in ops.items().map(|op| op.field("path")) {
        if let Some(named) = path.value.and_then(Value::as_str).filter(|named| !planned.contains(named)) {
            checker.say(&path.at, format!("{named:?} is not in the verdict's fix plan"));
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
        assert!(validate_verdict(GOOD).is_ok());
        assert!(validate_patch(PATCH, &PatchLimits::default()).is_ok());
        assert!(validate_both(GOOD, PATCH, &PatchLimits::default()).is_ok());
    }

    #[test]
    fn every_fault_is_listed_with_its_place() {
        let bad = r#"{"verdict":"ok","scores":{"compilation":2,"tests_functional":"1","types":0,"style":1,"security":1,"speed":1},"explanations":{"root_cause":"  "},"fix_plan":[{"file":"a","operation":"rename","brief":""},7]}"#;
        assert_eq!(
            places(validate_verdict(bad)),
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
        let bad = r#"{"ops":[{"kind":"add","path":"/a"},{"kind":"move","path":"b"},{"kind":"edit","path":"c","find":"","replace":"x","occurrences":0},{"kind":"splice","path":"d","start":-1,"deleteCount":0}],"more":1}"#;
        assert_eq!(
            places(validate_patch(bad, &PatchLimits::default())),
            [
                "more",
                "ops[0].path",
                "ops[0].content",
                "ops[1].kind",
                "ops[2].find",
                "ops[2].occurrences",
                "ops[3].start",
                "ops[3]"
            ]
        );
    }

    #[test]
    fn everything_that_is_wrong_with_a_text_is_said() {
        let long = format!("\\u0007{}", "-".repeat(EXPLANATION_CHARS_MAX));
        let bad = GOOD.replace("\"r\"", &format!("\"{long}\""));
        let messages: Vec<String> =
            validate_verdict(&bad).expect_err("faults").iter().map(ToString::to_string).collect();
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
            assert_eq!(places(validate_verdict(&verdict)), expected, "{verdict}");
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
            // Nobody knows which files such a plan means.
            (GOOD.replace("\"src/a.ts\"", "7"), elsewhere, vec!["verdict.fix_plan[0].file"]),
        ] {
            assert_eq!(places(validate_both(&verdict, &patch, &PatchLimits::default())), expected, "{verdict} {patch}");
        }
    }

    #[test]
    fn a_key_twice_is_no_document() {
        let twice = GOOD.replacen("\"verdict\":\"revise\"", "\"verdict\":\"revise\",\"verdict\":\"accept\"", 1);
        assert_eq!(places(validate_verdict(&twice)), [""]);
    }

    #[test]
    fn a_patch_is_read_up_to_its_limits() {
        let ops = |count: usize| {
            let op = r#"{"kind":"remove","path":"a"}"#;
            format!("{{\"ops\":[{}]}}", vec![op; count].join(","))
        };
        let limits = PatchLimits::default();
        assert!(validate_patch(&ops(limits.ops_max), &limits).is_ok());
        assert_eq!(places(validate_patch(&ops(limits.ops_max + 1), &limits)), ["ops"]);
        let sized =
            |bytes: usize| format!(r#"{{"ops":[{{"kind":"add","path":"a","content":"{}"}}]}}"#, "x".repeat(bytes));
        assert!(validate_patch(&sized(limits.bytes_max - 1), &limits).is_ok());
        assert_eq!(places(validate_patch(&sized(limits.bytes_max), &limits)), ["ops"]);
    }

    proptest! {
        #[test]
        fn the_list_of_faults_agrees_with_the_strict_door(
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
            let strict = super::super::parse::<ReviewVerdict>(&changed);
            prop_assert_eq!(validate_verdict(&changed).is_ok(), strict.is_ok(), "{} {:?}", changed, strict.err());
        }
    }
}
