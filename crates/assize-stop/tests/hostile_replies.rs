//! Runs every reply under `replies/` through the door.
//!
//! One file, one reply: what it is `about`, its `payload` (`text` or `structured`: a string, or a
//! list of strings and repetitions, put together), how it ended (`stop`, complete unless said
//! otherwise), the `attachments` that the judge was shown, and what is to `expect`: the verdict to
//! the letter, or the cause for which there is none.

use std::collections::BTreeSet;
use std::panic::catch_unwind;
use std::path::Path;

use assize_core::ruling::{Cause, Unjudged};
use assize_core::verdict::{DETAIL_BYTES_MAX, Payload, Reply, StopReason, Verdict, read};
use assize_stop::verdict::StopVerdict;
use serde::Deserialize;
use serde_json::Value;

/// Cases that must be there, so that a wrong path does not pass for a clean run.
const CASES_MIN: usize = 60;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HostileReply {
    about: String,
    payload: CasePayload,
    #[serde(default = "complete")]
    stop: StopReason,
    #[serde(default)]
    attachments: Vec<String>,
    expect: ExpectedReading,
}

fn complete() -> StopReason {
    StopReason::Complete
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum CasePayload {
    Text(CaseText),
    Structured(CaseText),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum CaseText {
    Whole(String),
    Parts(Vec<PayloadPart>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum PayloadPart {
    Once(String),
    Often { repeat: String, times: usize },
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ExpectedReading {
    Cause(Cause),
    Verdict(Value),
}

impl CaseText {
    fn put_together(self) -> String {
        match self {
            Self::Whole(text) => text,
            Self::Parts(parts) => parts
                .into_iter()
                .map(|part| match part {
                    PayloadPart::Once(text) => text,
                    PayloadPart::Often { repeat, times } => repeat.repeat(times),
                })
                .collect(),
        }
    }
}

/// Reads one case, and says what was expected instead if the door is wrong.
fn judge(case: HostileReply) -> Result<ExpectedReading, String> {
    let payload = match case.payload {
        CasePayload::Text(text) => Payload::Text(text.put_together()),
        CasePayload::Structured(text) => Payload::Structured(text.put_together()),
    };
    let reply = Reply { payload, stop: case.stop };
    let attachments: Vec<&str> = case.attachments.iter().map(String::as_str).collect();
    let got = read::<StopVerdict>(&reply, &attachments);
    if let Ok(verdict) = &got {
        verdict.check().map_err(|error| format!("{}: the accepted verdict does not hold: {error}", case.about))?;
    }
    if let Err(Unjudged { detail, .. }) = &got
        && (detail.is_empty() || detail.len() > DETAIL_BYTES_MAX)
    {
        return Err(format!("{}: the detail has {} bytes", case.about, detail.len()));
    }
    let is = match &got {
        Ok(verdict) => ExpectedReading::Verdict(serde_json::to_value(verdict).expect("verdicts serialize")),
        Err(unjudged) => ExpectedReading::Cause(unjudged.cause),
    };
    if is == case.expect { Ok(is) } else { Err(format!("{}: expected {:?}, got {got:?}", case.about, case.expect)) }
}

#[test]
fn every_reply_is_read_as_expected() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replies");
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder of replies")
        .map(|entry| entry.expect("an entry of the folder").path())
        .collect();
    files.sort();
    assert!(files.len() >= CASES_MIN, "{} has only {} replies", folder.display(), files.len());

    let mut causes = BTreeSet::new();
    let mut accepted = 0;
    let mut failures = Vec::new();
    for file in &files {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(file).expect("a readable reply");
        let case: HostileReply = match serde_json::from_str(&text) {
            Ok(case) => case,
            Err(error) => {
                failures.push(format!("{name}: not a case: {error}"));
                continue;
            }
        };
        match catch_unwind(|| judge(case)) {
            Ok(Ok(ExpectedReading::Cause(cause))) => {
                causes.insert(cause.as_str());
            }
            Ok(Ok(ExpectedReading::Verdict(_))) => accepted += 1,
            Ok(Err(failure)) => failures.push(format!("{name}: {failure}")),
            Err(_) => failures.push(format!("{name}: panicked")),
        }
    }
    assert!(failures.is_empty(), "{} of {} replies:\n{}", failures.len(), files.len(), failures.join("\n"));
    assert_eq!(causes, BTreeSet::from(["empty", "forged", "malformed", "refused", "truncated"]));
    assert!(accepted > 0, "no reply is accepted");
}
