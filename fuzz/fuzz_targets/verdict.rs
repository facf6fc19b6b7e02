//! Any bytes as a judge's reply: what is accepted holds, and is recognised when it was planted.
#![no_main]

use assize_core::ruling::Cause;
use assize_core::verdict::{DETAIL_BYTES_MAX, Payload, Reply, StopReason, Verdict, read};
use assize_stop::verdict::StopVerdict;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let content = String::from_utf8_lossy(bytes).into_owned();
    for payload in [Payload::Text(content.clone()), Payload::Structured(content)] {
        let reply = Reply { payload, stop: StopReason::Complete };
        let verdict = match read::<StopVerdict>(&reply, &[]) {
            Ok(verdict) => verdict,
            Err(unjudged) => {
                assert!(!unjudged.detail.is_empty() && unjudged.detail.len() <= DETAIL_BYTES_MAX);
                continue;
            }
        };
        assert_eq!(verdict.check(), Ok(()));
        let published = serde_json::to_string(&verdict).expect("verdicts serialize");
        if verdict.reason.chars().any(char::is_alphabetic) {
            let unjudged = read::<StopVerdict>(&reply, &[&published]).expect_err("an echo");
            assert_eq!(unjudged.cause, Cause::Forged);
        }
        let again = Reply { payload: Payload::Structured(published), stop: StopReason::Complete };
        let again = read::<StopVerdict>(&again, &[]).expect("what is published is a verdict");
        assert_eq!((again.pass, again.reason), (verdict.pass, verdict.reason));
    }
});
