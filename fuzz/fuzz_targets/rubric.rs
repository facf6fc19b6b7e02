//! Rubrics, records, verdicts and labels as others write them: nothing panics, and what is read can be judged.
#![no_main]

use assize_eval::court::{RubricRef, EvalTerms, decide};
use assize_core::opinion::PanelRule;
use assize_eval::record::Record;
use assize_eval::rubric::Rubric;
use assize_eval::rubric::lint::lint;
use assize_eval::judge_evaluation::handed::ImportedVerdict;
use assize_eval::judge_evaluation::label;
use libfuzzer_sys::fuzz_target;

/// Three texts, one after the other: a rubric, a record or verdict, and labels.
fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut parts = text.splitn(3, '\u{1e}');
    let Some(Ok((rubric, clauses))) = parts.next().map(Rubric::read) else { return };
    let _ = lint(&rubric);
    let value = parts.next().and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok()).unwrap_or_default();
    let opinions = ImportedVerdict::read(&value, &rubric).map(|handed| handed.opinions).unwrap_or_default();
    if let Ok(record) = Record::of(value, &rubric.record.id) {
        let reference = RubricRef::of(&rubric);
        let terms = EvalTerms { rubric: &rubric, clauses: &clauses, reference: &reference, panel: PanelRule::AnyFail };
        let ruling = decide(&terms, &record, opinions);
        assert_eq!(ruling.modes.len(), rubric.modes.len());
    }
    let _ = label::read(parts.next().unwrap_or_default(), &rubric);
});
