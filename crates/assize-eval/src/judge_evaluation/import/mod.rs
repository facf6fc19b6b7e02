//! Verdicts out of the logs of other programs that judge records.
//!
//! What an assertion, a scorer or a metric says is a label where its name is that of a mode. Their errors look like failures in places; here they
//! are what they are, and a record with one is unjudged. Each program is one file, named by it. Where a log comes from must
//! not be known here.

mod deepeval;
mod inspect;
mod promptfoo;

use std::borrow::Cow;

use assize_core::ruling::{Cause, Unjudged};
use assize_core::text::{beginning, make_visible};
use serde_json::Value;

use super::handed::ImportedVerdict;
use crate::court::{RecordJudge, RecordOpinion, repeat};
use crate::record::RecordRef;
use crate::rubric::{Rubric, SCORES};
use crate::verdict::record::{ModeLabel, RECORD_REASON_CHARS_MAX, RecordVerdict};

/// Largest log that is read, in bytes.
pub const LOG_BYTES_MAX: u64 = 512 * 1024 * 1024;
/// What is judged under this name is the score of a record, where it is a whole number from 1 to 5.
const SCORE: &str = "overall_quality_score";
/// Characters of an error that are kept.
const ERROR_CHARS_MAX: usize = 300;

/// What a log says of one record.
#[derive(Debug, Clone, PartialEq, Default)]
struct ImportedCase {
    /// The name of the record.
    id: String,
    /// The judge, by its own name.
    judge: String,
    /// What was said under each name.
    said: Vec<ImportedScore>,
    /// Why nothing was judged.
    error: Option<String>,
}

/// What an assertion, a scorer or a metric says.
#[derive(Debug, Clone, PartialEq)]
struct ImportedScore {
    name: String,
    /// Whether the record passes; or why that is not known.
    passes: Result<bool, String>,
    reason: String,
    score: Option<f64>,
}

/// Reads a log, where it is one of a program that is known; `None` where it is not.
///
/// # Errors
///
/// Says why it holds nothing that can be joined with records.
pub fn read(document: &Value, rubric: &Rubric) -> Option<Result<Vec<ImportedVerdict>, String>> {
    let readers = [promptfoo::cases, inspect::cases, deepeval::cases];
    let cases = readers.into_iter().find_map(|cases| cases(document, &rubric.record.id))?;
    Some(cases.and_then(|cases| handed(cases, rubric)))
}

/// Replaces what is no JSON and stands in such logs all the same: numbers that are none.
pub fn without_nan(text: &str) -> Cow<'_, str> {
    let mut clean = String::new();
    let (mut copied, mut in_string, mut escaped) = (0, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'N' | b'I' if !in_string && at >= copied => {
                let Some(word) = ["NaN", "Infinity"].into_iter().find(|word| text[at..].starts_with(word)) else {
                    continue;
                };
                let begin = at - usize::from(text[..at].ends_with('-'));
                clean.push_str(&text[copied..begin]);
                clean.push_str("null");
                copied = at + word.len();
            }
            _ => {}
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    clean.push_str(&text[copied..]);
    Cow::Owned(clean)
}

fn handed(cases: Vec<ImportedCase>, rubric: &Rubric) -> Result<Vec<ImportedVerdict>, String> {
    let named = |name: &str| rubric.asked().any(|mode| mode.id == name);
    if !cases.is_empty() && !cases.iter().flat_map(|case| &case.said).any(|said| named(&said.name)) {
        let modes: Vec<&str> = rubric.asked().map(|mode| mode.id.as_str()).collect();
        return Err(format!("nothing in it is named as a mode of the rubric is; there are {}", modes.join(", ")));
    }
    let mut all: Vec<ImportedVerdict> = Vec::new();
    for case in cases {
        let record = RecordRef { id: case.id.clone(), hash: None };
        let opinion = opinion(case, rubric);
        match all.iter_mut().find(|handed| handed.record == record) {
            Some(handed) => handed.opinions.push(opinion),
            None => all.push(ImportedVerdict { record, rubric: None, opinions: vec![opinion] }),
        }
    }
    all.iter_mut().filter(|handed| handed.opinions.len() > 1).for_each(settle);
    Ok(all)
}

/// Makes one opinion of a judge that was asked several times.
fn settle(handed: &mut ImportedVerdict) {
    let mut times: Vec<(String, u32)> = Vec::new();
    for opinion in &mut handed.opinions {
        let known = times.iter().position(|(judge, _)| *judge == opinion.judge.id);
        let at = known.unwrap_or_else(|| {
            times.push((opinion.judge.id.clone(), 0));
            times.len() - 1
        });
        times[at].1 += 1;
        opinion.judge.repeat = Some(times[at].1);
    }
    handed.opinions = repeat::settled(&handed.opinions).into_owned();
}

fn opinion(case: ImportedCase, rubric: &Rubric) -> RecordOpinion {
    let short = |text: &str| beginning(&make_visible(text), ERROR_CHARS_MAX).into_owned();
    let verdict = match &case.error {
        Some(error) => Err(Unjudged::new(Cause::Unavailable, short(error))),
        None => verdict(&case, rubric).map_err(|Unjudged { cause, detail }| Unjudged::new(cause, short(&detail))),
    };
    RecordOpinion { judge: RecordJudge { id: case.judge, ..RecordJudge::default() }, verdict }
}

fn verdict(case: &ImportedCase, rubric: &Rubric) -> Result<RecordVerdict, Unjudged> {
    let malformed = |detail: String| Unjudged::new(Cause::Malformed, detail);
    let label = |mode: &str| {
        let mut said = case.said.iter().filter(|said| said.name == mode);
        let first = said.next().ok_or_else(|| malformed(format!("{mode} has no label")))?;
        if said.next().is_some() {
            return Err(malformed(format!("`{mode}` has two labels")));
        }
        let passes =
            first.passes.as_ref().map_err(|error| Unjudged::new(Cause::Unavailable, format!("`{mode}`: {error}")))?;
        let words = if first.reason.chars().any(char::is_alphanumeric) {
            make_visible(&first.reason).into_owned()
        } else {
            "no reason was given".to_owned()
        };
        let reason = beginning(&words, RECORD_REASON_CHARS_MAX).into_owned();
        Ok(ModeLabel { mode: mode.to_owned(), label: u8::from(!passes), reason })
    };
    let labels = rubric.asked().map(|mode| label(&mode.id)).collect::<Result<Vec<ModeLabel>, Unjudged>>()?;
    let score = case.said.iter().find(|said| said.name == SCORE).and_then(|said| said.score);
    let overall_quality_score = score.and_then(|score| SCORES.into_iter().find(|known| f64::from(*known) == score));
    Ok(RecordVerdict { labels, overall_quality_score })
}

/// A text or a number, as the name of a record.
fn name(value: &Value) -> Option<String> {
    match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The name of a record, or that it has none.
fn named(found: Option<String>, place: usize, field: &str) -> Result<String, String> {
    found.ok_or_else(|| format!("item {place} names no record: nothing in it is called `{field}`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rubric::tests::SMALL;

    const PROMPTFOO: &str = include_str!("../../../tests/data/logs/promptfoo.json");
    const INSPECT: &str = include_str!("../../../tests/data/logs/inspect.json");
    const DEEPEVAL: [&str; 3] = [
        include_str!("../../../tests/data/logs/deepeval.json"),
        include_str!("../../../tests/data/logs/deepeval_latest_test_run.json"),
        include_str!("../../../tests/data/logs/deepeval_evaluation_result.json"),
    ];

    fn rubric(id: &str) -> Rubric {
        let mut rubric = Rubric::read(SMALL).expect("sound").0;
        rubric.record.id = id.to_owned();
        rubric
    }

    fn import(log: &str, id: &str) -> Vec<ImportedVerdict> {
        let document: Value = serde_json::from_str(&without_nan(log)).expect("JSON");
        read(&document, &rubric(id)).expect("a known log").expect("it can be read")
    }

    /// The labels of each record, or the cause.
    fn labels(handed: &[ImportedVerdict]) -> Vec<(&str, Result<Vec<u8>, Cause>)> {
        let of = |handed: &'_ ImportedVerdict| match &handed.opinions[0].verdict {
            Ok(verdict) => Ok(verdict.labels.iter().map(|label| label.label).collect()),
            Err(unjudged) => Err(unjudged.cause),
        };
        handed.iter().map(|handed| (handed.record.id.as_str(), of(handed))).collect()
    }

    #[test]
    fn errors_are_no_failures() {
        let unavailable = Err(Cause::Unavailable);
        for log in DEEPEVAL.into_iter().chain([PROMPTFOO]) {
            let handed = import(log, "record_id");
            assert_eq!(
                labels(&handed),
                [
                    ("r-001", Ok(vec![0, 0])),
                    ("r-002", Ok(vec![1, 1])),
                    ("r-003", unavailable.clone()),
                    ("r-004", unavailable.clone()),
                ]
            );
            let failed = handed[1].opinions[0].verdict.as_ref().expect("judged");
            assert_eq!(failed.label("too_long").expect("labelled").reason, "Says the same thing three times.");
        }
        let handed = import(INSPECT, "id");
        assert_eq!(labels(&handed)[3], ("r-004", Ok(vec![1, 0])));
        assert_eq!(labels(&handed)[2], ("r-003", unavailable));
        assert_eq!(handed[0].opinions[0].judge.id, "openai/inspect-judge");
    }

    #[test]
    fn what_is_asked_several_times_is_one_opinion() {
        let mut document: Value = serde_json::from_str(INSPECT).expect("JSON");
        let samples = document["samples"].as_array_mut().expect("a list");
        let again = samples[3].clone();
        samples.extend([again.clone(), again]);
        samples[4]["epoch"] = 2.into();
        samples[4]["scores"]["too_long"]["value"] = "C".into();
        let handed = read(&document, &rubric("id")).expect("known").expect("readable");
        assert_eq!((handed.len(), handed[3].opinions.len()), (4, 1));
        assert_eq!(labels(&handed)[3], ("r-004", Ok(vec![1, 0])));
    }

    #[test]
    fn what_names_no_record_or_no_mode_is_refused() {
        let document: Value = serde_json::from_str(PROMPTFOO).expect("JSON");
        let error = read(&document, &rubric("uuid")).expect("known").expect_err("no such name");
        assert!(error.contains("item 1") && error.contains("`uuid`"), "{error}");
        let other = SMALL.replace("\"too_long\"", "\"wordy\"").replace("\"vague\"", "\"dim\"");
        let mut other = Rubric::read(&other).expect("sound").0;
        other.record.id = "record_id".to_owned();
        let error = read(&document, &other).expect("known").expect_err("no mode");
        assert!(error.contains("wordy, dim"), "{error}");
        assert!(read(&serde_json::json!({"id": "a"}), &rubric("id")).is_none());
    }

    #[test]
    fn numbers_that_are_none_are_nothing() {
        let text = r#"{"a": NaN, "b": [-Infinity, Infinity], "c": "NaN \" NaN", "N": 1}"#;
        assert_eq!(without_nan(text), r#"{"a": null, "b": [null, null], "c": "NaN \" NaN", "N": 1}"#);
        assert!(matches!(without_nan(r#"{"a": 1}"#), Cow::Borrowed(_)));
    }
}
