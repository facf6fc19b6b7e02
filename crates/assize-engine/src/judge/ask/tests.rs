//! Asking judges, with scripted judges and a scripted server.

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

use assize_core::tree_paths::TreePaths;
use assize_core::verdict::StopReason;
use assize_review::verdict::ReviewVerdict;
use assize_stop::verdict::StopVerdict;
use assize_testkit::model_server::{ModelScript, ModelServer, ScriptedReply, TokenUsage};
use serde_json::json;

use super::*;
use crate::judge::testing::{self, GOOD, NOW_MS, PASSING, Scripted, answer, cause, question};

/// Terms with negligible pauses.
fn terms() -> JudgeTerms {
    JudgeTerms {
        backoff_base: Duration::from_millis(1),
        backoff_max: Duration::from_millis(4),
        ..JudgeTerms::new(Duration::from_secs(60), None, None)
    }
}

fn terms_at(folder: &tempfile::TempDir) -> JudgeTerms {
    JudgeTerms { folder: Some(folder.path().join("assize")), ..terms() }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn put(judge: &dyn Judge, terms: &JudgeTerms) -> Opinion<StopVerdict> {
    ask(judge, &question(), terms, NOW_MS)
}

fn detail(opinion: &Opinion<StopVerdict>) -> &str {
    &opinion.verdict.as_ref().expect_err("no verdict").detail
}

fn busy(after: Option<Duration>) -> Result<JudgeAnswer, CallError> {
    Err(CallError::passing(429, after, "busy"))
}

fn stopped(stop: StopReason) -> Result<JudgeAnswer, CallError> {
    let mut answer = answer(GOOD);
    answer.reply.stop = stop;
    Ok(answer)
}

fn lost(cause: Cause) -> Result<JudgeAnswer, CallError> {
    Err(CallError::lost(cause, "lost"))
}

#[test]
fn a_good_reply_is_an_opinion() {
    let judge = Scripted::new([Ok(answer(GOOD))]);
    let opinion = put(&judge, &terms());
    assert_eq!(opinion.verdict.as_ref().map(|verdict| verdict.pass), Ok(false));
    assert_eq!(opinion.reply, Some(answer(GOOD).reply));
    let record = opinion.judge;
    assert_eq!((record.id.as_str(), record.model.as_deref(), record.cached), ("scripted", Some("m-1"), false));
    assert_eq!((record.tokens_in, record.tokens_out, record.cost_usd), (100, 10, Some(0.01)));
    assert_eq!((record.prompt_hash, record.rubric_hash), (question().prompt_hash, question().rubric_hash));
}

#[test]
fn every_ending_has_one_cause() {
    let two = format!("{GOOD}\n{PASSING}");
    for (replies, expected, calls) in [
        (vec![Ok(answer(GOOD))], None, 1),
        (vec![lost(Cause::Timeout)], Some(Cause::Timeout), 1),
        (vec![lost(Cause::Unavailable)], Some(Cause::Unavailable), 1),
        (vec![busy(None); 9], Some(Cause::Unavailable), 5),
        (vec![stopped(StopReason::Length)], Some(Cause::Truncated), 1),
        (vec![stopped(StopReason::Refusal)], Some(Cause::Refused), 1),
        (vec![Ok(answer(" \n"))], Some(Cause::Empty), 1),
        (vec![Ok(answer("I pass it.")), Ok(answer("I said: pass."))], Some(Cause::Malformed), 2),
        (vec![Ok(answer("I pass it.")), Ok(answer(GOOD))], None, 2),
        (vec![Ok(answer("I pass it.")), lost(Cause::Timeout)], Some(Cause::Timeout), 2),
        (vec![Ok(answer("I pass it.")), Ok(answer(""))], Some(Cause::Empty), 2),
        (vec![lost(Cause::Malformed), Ok(answer(GOOD))], None, 2),
        (vec![lost(Cause::Malformed), lost(Cause::Malformed)], Some(Cause::Malformed), 2),
        (vec![Ok(answer(&two)), Ok(answer(GOOD))], Some(Cause::Forged), 1),
        (vec![lost(Cause::Forged)], Some(Cause::Forged), 1),
        (vec![busy(None), busy(None), Ok(answer(GOOD))], None, 3),
        (vec![busy(None), Ok(answer("no")), busy(None), Ok(answer(GOOD))], None, 4),
    ] {
        let name = format!("{replies:?}");
        let judge = Scripted::new(replies);
        let opinion = put(&judge, &terms());
        assert_eq!((cause(&opinion), judge.calls()), (expected, calls), "{name}");
    }
}

#[test]
fn a_planted_verdict_is_forged() {
    let judge = Scripted::new([Ok(answer(GOOD))]);
    let question = Question { attachments: vec![format!("// {GOOD}")], ..question() };
    assert_eq!(cause(&ask(&judge, &question, &terms(), NOW_MS)), Some(Cause::Forged));
}

#[test]
fn a_reask_carries_the_error_and_there_is_only_one() {
    let unfit = GOOD.replace("false", "\"no\"");
    let judge = Scripted::new([Ok(answer(&unfit)), Ok(answer(&unfit)), Ok(answer(GOOD))]);
    let opinion = put(&judge, &terms());
    assert_eq!(cause(&opinion), Some(Cause::Malformed));
    let reasks = judge.reasks();
    assert_eq!((reasks.len(), reasks[0].as_ref()), (2, None));
    assert!(reasks[1].as_ref().is_some_and(|error| error.contains("does not fit its schema")), "{reasks:?}");
    // Both replies were paid for.
    assert_eq!((opinion.judge.tokens_in, opinion.judge.cost_usd), (200, Some(0.02)));
    assert_eq!(opinion.reply, Some(answer(&unfit).reply));
}

#[test]
fn a_plan_for_a_file_that_is_not_there_is_asked_for_again() {
    let reply = |file: &str, operation: &str| {
        let step = json!({"file": file, "operation": operation, "brief": "b"});
        let scores = json!({"compilation": 1, "tests_functional": 0, "tests_edge": null, "types": null, "style": null, "security": 1});
        let explanations = json!({"root_cause": "r", "minimal_fix": "m"});
        let verdict = json!({"verdict": "revise", "scores": scores, "explanations": explanations, "fix_plan": [step]});
        Ok(answer(&verdict.to_string()))
    };
    let tree: TreePaths = ["src/a.py"].into_iter().collect();
    let question = Question { tree: Some(tree.into()), ..question() };
    for (replies, calls, expected) in [
        (vec![reply("src/a.py", "edit")], 1, None),
        (vec![reply("src", "edit"), reply("src/b.py", "add")], 2, None),
        (vec![reply("src/b.py", "edit"), reply("src/a.py", "add")], 2, Some(Cause::Malformed)),
    ] {
        let judge = Scripted::new(replies);
        let opinion: Opinion<ReviewVerdict> = ask(&judge, &question, &terms(), NOW_MS);
        let cause = opinion.verdict.as_ref().err().map(|unjudged| unjudged.cause);
        assert_eq!((judge.calls(), cause), (calls, expected));
        let told = judge.reasks().get(1).cloned().flatten();
        assert!(told.is_none_or(|told| told.starts_with("`fix_plan.file` \"src")), "{:?}", judge.reasks());
    }
}

#[test]
fn an_unknown_cost_makes_the_sum_unknown() {
    let unknown = JudgeAnswer { cost_usd: None, ..answer("no verdict") };
    for replies in [
        vec![Ok(unknown.clone()), Ok(answer(GOOD))],
        vec![Ok(answer("no verdict")), Ok(JudgeAnswer { cost_usd: None, ..answer(GOOD) })],
    ] {
        let opinion = put(&Scripted::new(replies), &terms());
        assert_eq!((cause(&opinion), opinion.judge.cost_usd), (None, None));
    }
    let failed = put(&Scripted::new([busy(None), Ok(answer(GOOD))]), &terms());
    assert_eq!(failed.judge.cost_usd, Some(0.01));
}

#[test]
fn attempts_are_counted() {
    for (attempts_max, expected) in [(2, Some(Cause::Unavailable)), (3, None)] {
        let judge = Scripted::new([busy(None), busy(None), Ok(answer(GOOD))]);
        let opinion = put(&judge, &JudgeTerms { attempts_max, ..terms() });
        assert_eq!((cause(&opinion), judge.calls()), (expected, attempts_max.try_into().expect("small")));
    }
    let opinion = put(&Scripted::new(vec![busy(None); 9]), &terms());
    assert_eq!(detail(&opinion), "busy; 5 attempts were made");
    let judge = Scripted::new([Ok(answer("no verdict"))]);
    let opinion = put(&judge, &JudgeTerms { attempts_max: 1, ..terms() });
    assert_eq!((cause(&opinion), judge.calls()), (Some(Cause::Malformed), 1));
    assert!(detail(&opinion).ends_with("it was not asked again: all 1 attempts were used"), "{}", detail(&opinion));
}

#[test]
fn a_requested_wait_is_respected() {
    let begin = Instant::now();
    let judge = Scripted::new([busy(Some(Duration::from_millis(150))), Ok(answer(GOOD))]);
    assert_eq!(cause(&put(&judge, &terms())), None);
    assert!(begin.elapsed() >= Duration::from_millis(150));
}

#[test]
fn a_wait_beyond_the_deadline_is_not_begun() {
    let begin = Instant::now();
    let judge = Scripted::new([busy(Some(Duration::from_secs(120))), Ok(answer(GOOD))]);
    let opinion = put(&judge, &terms());
    assert_eq!((cause(&opinion), judge.calls()), (Some(Cause::Unavailable), 1));
    assert_eq!(detail(&opinion), "busy; it can be asked again in 120 s, later than this opinion is needed");
    assert!(begin.elapsed() < Duration::from_secs(10));

    let slow = JudgeTerms { backoff_base: TIME_MAX, backoff_max: TIME_MAX, time: Duration::from_secs(2), ..terms() };
    let judge = Scripted::new(vec![busy(None); 9]);
    assert_eq!(detail(&put(&judge, &slow)), "busy; no time is left for another attempt");
    assert_eq!(judge.calls(), 1);
}

#[test]
fn without_time_nobody_is_asked() {
    let judge = Scripted::new([Ok(answer(GOOD))]);
    let opinion = put(&judge, &JudgeTerms { time: Duration::ZERO, ..terms() });
    assert_eq!((cause(&opinion), judge.calls()), (Some(Cause::Timeout), 0));
    assert_eq!(cause(&put(&judge, &JudgeTerms { time: Duration::MAX, ..terms() })), None);
}

#[test]
fn a_reask_that_comes_too_late_leaves_the_first_reason() {
    let judge = Scripted::new([Ok(answer("no verdict")), Ok(answer(GOOD))]).thinking(1_100);
    let opinion = put(&judge, &JudgeTerms { time: Duration::from_secs(1), ..terms() });
    assert_eq!((cause(&opinion), judge.calls()), (Some(Cause::Malformed), 1));
    assert!(detail(&opinion).ends_with("it was not asked again: no time was left to ask"), "{}", detail(&opinion));
}

#[test]
fn waits_grow_up_to_their_ceiling_and_are_spread() {
    let (base, most) = (Duration::from_millis(100), Duration::from_secs(1));
    let longest = |attempt| backoff(attempt, base, most, u64::MAX);
    let millis: Vec<u128> = (0..6).map(|attempt| longest(attempt).as_millis()).collect();
    assert_eq!(millis, [100, 200, 400, 800, 1_000, 1_000]);
    assert_eq!(longest(u32::MAX), most);
    assert_eq!(backoff(3, base, most, 0), Duration::ZERO);
    assert_eq!(backoff(0, base, most, u64::MAX / 2).as_millis(), 50);
    assert_eq!(backoff(5, Duration::MAX, Duration::MAX, 0), Duration::ZERO);
}

#[test]
fn a_good_reply_is_paid_for_once() {
    let folder = folder();
    let judge = Scripted::new([Ok(answer(GOOD)), Ok(answer(PASSING))]);
    let first = put(&judge, &terms_at(&folder));
    let second = put(&judge, &terms_at(&folder));
    assert_eq!(judge.calls(), 1);
    assert_eq!((first.verdict.ok(), first.reply), (second.verdict.ok(), second.reply));
    let record = second.judge;
    assert_eq!((record.cached, record.tokens_in, record.tokens_out, record.cost_usd), (true, 0, 0, Some(0.0)));
    assert_eq!(record.model.as_deref(), Some("m-1"));
    let fresh = JudgeTerms { replies: ReplyReuse::Fresh, ..terms_at(&folder) };
    let third = put(&judge, &fresh);
    assert_eq!((third.judge.cached, third.verdict.map(|verdict| verdict.pass)), (false, Ok(true)));
    let fourth = put(&judge, &terms_at(&folder));
    assert_eq!((judge.calls(), fourth.verdict.map(|verdict| verdict.pass)), (2, Ok(true)));
}

#[test]
fn only_valid_verdicts_are_cached() {
    let folder = folder();
    for bad in [stopped(StopReason::Length), stopped(StopReason::Refusal), Ok(answer("")), lost(Cause::Forged)] {
        let judge = Scripted::new([bad.clone(), Ok(answer(GOOD))]);
        assert!(put(&judge, &terms_at(&folder)).verdict.is_err());
        assert_eq!(fs::read_dir(folder.path().join("assize/replies")).expect("a folder").count(), 0, "{bad:?}");
    }
    let judge = Scripted::new([Ok(answer("no verdict")), Ok(answer(GOOD))]);
    assert_eq!(cause(&put(&judge, &terms_at(&folder))), None);
    assert_eq!(put(&judge, &terms_at(&folder)).reply, Some(answer(GOOD).reply), "the one that passed");
}

#[test]
fn a_cached_reply_is_parsed_again() {
    let folder = folder();
    let judge = Scripted::new([Ok(answer(GOOD)), Ok(answer(PASSING))]);
    put(&judge, &terms_at(&folder));
    let question = Question { attachments: vec![GOOD.to_owned()], ..question() };
    let opinion: Opinion<StopVerdict> = ask(&judge, &question, &terms_at(&folder), NOW_MS);
    assert_eq!((judge.calls(), opinion.verdict.map(|verdict| verdict.pass)), (2, Ok(true)));
}

#[test]
fn a_folder_that_cannot_be_used_costs_only_the_cache() {
    let folder = folder();
    let file = folder.path().join("file");
    fs::write(&file, "").expect("written");
    let unusable = JudgeTerms { folder: Some(file), ..terms() };
    let judge = Scripted::new([Ok(answer(GOOD)), Ok(answer(GOOD))]).costing(0.01);
    assert_eq!(cause(&put(&judge, &unusable)), None);
    let counted = JudgeTerms { budget_usd_per_day: Some(1.0), ..unusable };
    assert_eq!(cause(&put(&judge, &counted)), Some(Cause::OverBudget), "money must be counted");
}

#[test]
fn the_budget_is_enforced() {
    let folder = folder();
    let terms = JudgeTerms { budget_usd_per_day: Some(0.055), replies: ReplyReuse::Fresh, ..terms_at(&folder) };
    let judge = Scripted::new(vec![Ok(answer(GOOD)); 9]).costing(0.03);
    // A call costs 0.01: after three of them less than 0.03 remains.
    let causes: Vec<_> = (0..5).map(|_| cause(&put(&judge, &terms))).collect();
    assert_eq!(causes, [None, None, None, Some(Cause::OverBudget), Some(Cause::OverBudget)]);
    assert_eq!(judge.calls(), 3);
    let tomorrow: Opinion<StopVerdict> = ask(&judge, &question(), &terms, NOW_MS + 24 * 60 * 60 * 1_000);
    assert_eq!(cause(&tomorrow), None);
}

#[test]
fn what_may_have_been_paid_for_is_counted() {
    let folder = folder();
    let terms = JudgeTerms { budget_usd_per_day: Some(1.0), ..terms_at(&folder) };
    let spent = || {
        Budget::open(&folder.path().join("assize"), 1.0)
            .and_then(|budget| budget.spent_usd(NOW_MS).map_err(std::io::Error::other))
            .expect("readable")
    };
    let judge = |replies| Scripted::new(replies).costing(0.1);
    put(&judge(vec![busy(None), busy(None), lost(Cause::Timeout)]), &terms);
    assert_eq!(spent(), 0.1, "the call that was lost, and not those that were turned away");
    put(&judge(vec![Ok(answer("no verdict")), Ok(answer(GOOD))]), &terms);
    assert!((spent() - 0.12).abs() < 1e-9, "{}", spent());
}

#[test]
fn a_budget_needs_prices_and_a_folder() {
    let folder = folder();
    let judge = Scripted::new([Ok(answer(GOOD))]);
    let opinion = put(&judge, &JudgeTerms { budget_usd_per_day: Some(1.0), ..terms_at(&folder) });
    assert_eq!(cause(&opinion), Some(Cause::OverBudget));
    assert_eq!(
        detail(&opinion),
        "there is a budget, and the price of judge `scripted` is not known: set price_per_word"
    );
    let opinion = put(&judge, &JudgeTerms { budget_usd_per_day: Some(1.0), ..terms() });
    assert!(detail(&opinion).contains("no folder"), "{}", detail(&opinion));
    assert_eq!(judge.calls(), 0);
}

#[test]
fn a_reask_that_cannot_be_paid_leaves_the_first_reason() {
    let folder = folder();
    let judge = Scripted::new([Ok(answer("no verdict")), Ok(answer(GOOD))]).costing(0.03);
    let opinion = put(&judge, &JudgeTerms { budget_usd_per_day: Some(0.035), ..terms_at(&folder) });
    assert_eq!((cause(&opinion), judge.calls()), (Some(Cause::Malformed), 1));
    assert!(detail(&opinion).contains("it was not asked again: a call can cost 0.0300"), "{}", detail(&opinion));
}

#[test]
fn a_failing_judge_is_not_called() {
    let folder = folder();
    let fail = || lost(Cause::Unavailable);
    let judge = Scripted::new([fail(), lost(Cause::Timeout), fail(), fail(), Ok(answer(GOOD)), fail()]);
    let at = |after_ms: i64| {
        let terms = JudgeTerms { replies: ReplyReuse::Fresh, ..terms_at(&folder) };
        cause(&ask::<StopVerdict>(&judge, &question(), &terms, NOW_MS + after_ms))
    };
    assert_eq!([at(0), at(0), at(0)], [Some(Cause::Unavailable), Some(Cause::Timeout), Some(Cause::Unavailable)]);
    assert_eq!((at(1_000), judge.calls()), (Some(Cause::Unavailable), 3));
    // One probe, which fails.
    assert_eq!((at(70_000), judge.calls()), (Some(Cause::Unavailable), 4));
    assert_eq!((at(80_000), judge.calls()), (Some(Cause::Unavailable), 4));
    // Another one, which succeeds.
    assert_eq!((at(140_000), judge.calls()), (None, 5));
    assert_eq!((at(140_000), judge.calls()), (Some(Cause::Unavailable), 6));
}

#[test]
fn a_probe_that_did_not_start_changes_nothing() {
    let folder = folder();
    let judge = Scripted::new(vec![lost(Cause::Unavailable); 9]);
    let at = |after_ms: i64, budget_usd_per_day: Option<f64>| {
        let terms = JudgeTerms { budget_usd_per_day, ..terms_at(&folder) };
        cause(&ask::<StopVerdict>(&judge, &question(), &terms, NOW_MS + after_ms))
    };
    assert_eq!([at(0, None), at(0, None), at(0, None)], [Some(Cause::Unavailable); 3]);
    assert_eq!((at(70_000, Some(1.0)), judge.calls()), (Some(Cause::OverBudget), 3));
    assert_eq!((at(70_000, None), judge.calls()), (Some(Cause::Unavailable), 4));
    assert_eq!((at(71_000, None), judge.calls()), (Some(Cause::Unavailable), 4));
}

#[test]
fn a_cached_reply_needs_no_call() {
    let folder = folder();
    let fail = || lost(Cause::Unavailable);
    let judge = Scripted::new([Ok(answer(GOOD)), fail(), fail(), fail()]);
    put(&judge, &terms_at(&folder));
    let fresh = JudgeTerms { replies: ReplyReuse::Fresh, ..terms_at(&folder) };
    (0..4).for_each(|_| drop(put(&judge, &fresh)));
    assert_eq!(judge.calls(), 4);
    let from_cache = put(&judge, &terms_at(&folder));
    assert_eq!((cause(&from_cache), from_cache.judge.cached), (None, true));
}

#[test]
fn a_judge_that_replies_badly_has_not_failed() {
    let folder = folder();
    let judge = Scripted::new(vec![stopped(StopReason::Refusal); 9]);
    (0..5).for_each(|_| drop(put(&judge, &terms_at(&folder))));
    assert_eq!(judge.calls(), 5);
}

#[test]
fn details_and_replies_are_bounded() {
    let long = Err(CallError::unavailable(format!("\u{202e}{}", "é".repeat(DETAIL_BYTES_MAX))));
    let opinion = put(&Scripted::new([long]), &terms());
    assert!(detail(&opinion).starts_with("⟨U+202E⟩é") && detail(&opinion).len() <= DETAIL_BYTES_MAX);
    let from_cache = |bytes: usize| {
        let reply = answer(&"é".repeat(bytes / 2));
        let opinion = put(&Scripted::new([Ok(reply.clone()), Ok(reply)]), &terms());
        assert_eq!(cause(&opinion), Some(Cause::Malformed));
        let Some(Reply { payload: Payload::Text(text), .. }) = opinion.reply else { panic!("a text") };
        text.len()
    };
    assert_eq!(from_cache(REPLY_BYTES_MAX + 2), REPLY_BYTES_MAX + 2);
    assert_eq!(from_cache(REPLY_BYTES_MAX + 4), REPLY_BYTES_MAX + 2);
}

/// A judge that replies only after another one of its kind has been asked as well.
struct RendezvousJudge<'a>(&'a Mutex<usize>, &'a Condvar);

impl Judge for RendezvousJudge<'_> {
    fn id(&self) -> &str {
        "sociable"
    }

    fn model(&self) -> Option<&str> {
        None
    }

    fn identity(&self) -> String {
        "sociable".to_owned()
    }

    fn worst_cost_usd(&self, _: &Question) -> Option<f64> {
        None
    }

    fn price_settings(&self) -> &'static str {
        ""
    }

    fn call(&self, _: &Question, _: Option<&str>, _: Instant) -> Result<JudgeAnswer, CallError> {
        let mut present = self.0.lock().expect("no panic");
        *present += 1;
        self.1.notify_all();
        let (_present, alone) = self
            .1
            .wait_timeout_while(present, Duration::from_secs(30), |present| *present < 2)
            .map(|(present, waited)| (present, waited.timed_out()))
            .expect("no panic");
        if alone { lost(Cause::Timeout) } else { Ok(answer(GOOD)) }
    }
}

#[test]
fn judges_are_asked_at_the_same_time() {
    let (present, changed) = (Mutex::new(0), Condvar::new());
    let (first, second) = (RendezvousJudge(&present, &changed), RendezvousJudge(&present, &changed));
    let blank = Scripted::new([Ok(answer(""))]);
    let mut opinions = Vec::new();
    let judges: [&dyn Judge; 3] = [&first, &blank, &second];
    ask_all::<StopVerdict>(&judges, &question(), &terms(), NOW_MS, &mut |opinion| {
        opinions.push((opinion.judge.id.clone(), cause(&opinion)));
    });
    opinions.sort_by_key(|(id, _)| id.clone());
    let of = |id: &str, cause| (id.to_owned(), cause);
    assert_eq!(opinions, [of("scripted", Some(Cause::Empty)), of("sociable", None), of("sociable", None)]);
    ask_all::<StopVerdict>(&[], &question(), &terms(), NOW_MS, &mut |_| panic!("nobody was asked"));
}

#[test]
fn threads_together_keep_the_budget() {
    let folder = folder();
    let terms = JudgeTerms { budget_usd_per_day: Some(0.5), replies: ReplyReuse::Fresh, ..terms_at(&folder) };
    let judges: Vec<Scripted> =
        (0..8).map(|_| Scripted::new([Ok(JudgeAnswer { cost_usd: Some(0.1), ..answer(GOOD) })]).costing(0.1)).collect();
    let judges: Vec<&dyn Judge> = judges.iter().map(|judge| judge as &dyn Judge).collect();
    let asked = AtomicUsize::new(0);
    ask_all::<StopVerdict>(&judges, &question(), &terms, NOW_MS, &mut |opinion| match cause(&opinion) {
        None => drop(asked.fetch_add(1, Ordering::SeqCst)),
        cause => assert_eq!(cause, Some(Cause::OverBudget)),
    });
    assert_eq!(asked.load(Ordering::SeqCst), 5);
}

// The whole way, over HTTP.

fn openai(server: &ModelServer) -> Box<dyn Judge> {
    testing::judge(&json!({
        "id": "o", "kind": "openai", "model": "m", "base_url": server.openai_base_url(),
        "price_in_usd_per_mtok": 1.0, "price_out_usd_per_mtok": 2.0,
    }))
}

fn anthropic(server: &ModelServer) -> Box<dyn Judge> {
    testing::judge(&json!({
        "id": "a", "kind": "anthropic", "model": "m", "base_url": server.base_url(), "api_key_env": "TEST_KEY",
        "price_in_usd_per_mtok": 1.0, "price_out_usd_per_mtok": 2.0,
    }))
}

fn over_http(replies: &[ScriptedReply], time: Duration) -> BTreeMap<&'static str, (Option<Cause>, usize)> {
    let mut endings = BTreeMap::new();
    for (name, build) in [("openai", openai as fn(&ModelServer) -> Box<dyn Judge>), ("anthropic", anthropic)] {
        let server = ModelServer::start(ModelScript::of(replies.to_vec()).usage(TokenUsage::new(1_000, 100)));
        let opinion = put(&*build(&server), &JudgeTerms { time, ..terms() });
        endings.insert(name, (cause(&opinion), server.model_requests().len()));
    }
    endings
}

#[test]
fn every_ending_over_http_has_one_cause() {
    let (second, minute) = (Duration::from_secs(1), Duration::from_secs(60));
    let later = |code: u16, seconds: &str| ScriptedReply::Status {
        code,
        headers: vec![("retry-after".to_owned(), seconds.to_owned())],
        body: String::new(),
    };
    let two = format!("{GOOD}\n{PASSING}");
    for (name, replies, time, cause, requests) in [
        ("good", vec![ScriptedReply::text(GOOD)], minute, None, 1),
        ("rate limit", vec![later(429, "0"), ScriptedReply::text(GOOD)], minute, None, 2),
        ("long rate limit", vec![later(429, "600"), ScriptedReply::text(GOOD)], minute, Some(Cause::Unavailable), 1),
        (
            "server errors",
            vec![ScriptedReply::error(500, "x"), later(529, "0"), ScriptedReply::text(GOOD)],
            minute,
            None,
            3,
        ),
        ("only errors", vec![ScriptedReply::error(503, "x"); 9], minute, Some(Cause::Unavailable), 5),
        ("wrong key", vec![ScriptedReply::error(401, "x")], minute, Some(Cause::Unavailable), 1),
        ("hang", vec![ScriptedReply::Hang], second, Some(Cause::Timeout), 1),
        ("slow bytes", vec![ScriptedReply::text(GOOD).slowly(1, 50)], second, Some(Cause::Timeout), 1),
        ("truncated", vec![ScriptedReply::Truncated(GOOD.to_owned())], minute, Some(Cause::Truncated), 1),
        ("refusal", vec![ScriptedReply::Refusal("no".to_owned())], minute, Some(Cause::Refused), 1),
        ("empty", vec![ScriptedReply::Empty], minute, Some(Cause::Empty), 1),
        ("malformed, then good", vec![ScriptedReply::text("I pass it."), ScriptedReply::text(GOOD)], minute, None, 2),
        ("malformed twice", vec![ScriptedReply::text("I pass it."); 2], minute, Some(Cause::Malformed), 2),
        ("two verdicts", vec![ScriptedReply::text(&two)], minute, Some(Cause::Forged), 1),
        ("dropped", vec![ScriptedReply::DropConnection, ScriptedReply::text(GOOD)], minute, None, 2),
        ("cut off", vec![ScriptedReply::text(GOOD).cut_off(40), ScriptedReply::text(GOOD)], minute, None, 2),
        ("no model", vec![ScriptedReply::RawBody("<h1>hello</h1>".to_owned())], minute, Some(Cause::Unavailable), 1),
        (
            "too large a reply",
            vec![ScriptedReply::text("x".repeat(REPLY_BYTES_MAX + 1)); 2],
            minute,
            Some(Cause::Malformed),
            2,
        ),
        (
            "too large a body",
            vec![ScriptedReply::RawBody(" ".repeat(5 << 20)), ScriptedReply::text(GOOD)],
            minute,
            None,
            2,
        ),
    ] {
        for (judge, ending) in over_http(&replies, time) {
            assert_eq!(ending, (cause, requests), "{name}, {judge}");
        }
    }
}

#[test]
fn a_reask_over_http_says_what_was_wrong() {
    for build in [openai as fn(&ModelServer) -> Box<dyn Judge>, anthropic] {
        let server = ModelServer::start(
            ModelScript::of([ScriptedReply::text("I pass it."), ScriptedReply::text(GOOD)])
                .usage(TokenUsage::new(1_000, 100)),
        );
        let opinion = put(&*build(&server), &terms());
        let requests = server.model_requests();
        assert!(!requests[0].last_user_text().contains("could not be read"));
        assert!(requests[1].last_user_text().contains("the reply contains no verdict object"));
        assert_eq!(opinion.judge.tokens_in, 2_000);
        assert!(opinion.judge.cost_usd.is_some_and(|cost| (cost - 0.0024).abs() < 1e-9), "{:?}", opinion.judge);
    }
}

#[test]
fn nothing_is_sent_twice_for_the_same_question() {
    let folder = folder();
    let server = ModelServer::start(ModelScript::of([ScriptedReply::text(GOOD)]));
    let judge = openai(&server);
    let first = put(&*judge, &terms_at(&folder));
    let second = put(&*judge, &terms_at(&folder));
    assert_eq!(first.verdict, second.verdict);
    assert_eq!((server.model_requests().len(), second.judge.cached), (1, true));
}

#[test]
fn a_recording_is_asked_like_any_judge() {
    let folder = folder();
    let path = folder.path().join("recording.jsonl");
    let line = |reply: &str| json!({"prompt_hash": question().prompt_hash, "answer": answer(reply)}).to_string();
    fs::write(&path, format!("{}\n{}\n", line("no verdict"), line(GOOD))).expect("written");
    let judge = testing::judge(&json!({"id": "r", "kind": "replay", "path": path}));
    let opinion = put(&*judge, &JudgeTerms { budget_usd_per_day: Some(0.0), ..terms_at(&folder) });
    assert_eq!((cause(&opinion), opinion.judge.cost_usd), (None, Some(0.0)));
    let again = put(&*judge, &terms_at(&folder));
    assert!(!again.judge.cached);
    let unknown = Question { prompt_hash: "unknown".to_owned(), ..question() };
    for _ in 0..5 {
        assert_eq!(cause(&ask(&*judge, &unknown, &terms_at(&folder), NOW_MS)), Some(Cause::Unavailable));
    }
    assert_eq!(cause(&put(&*judge, &terms_at(&folder))), None, "a missing reply says nothing of the others");
}
