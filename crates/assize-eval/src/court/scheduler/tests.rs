//! Tests of the scheduler against servers of every kind, in simulated time.

use proptest::prelude::*;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn terms() -> SchedulerTerms {
    SchedulerTerms {
        attempts_max: 5,
        backoff_base: Duration::from_millis(500),
        backoff_max: 20 * SECOND,
        call_time_max: 60 * SECOND,
        outage_max: 900 * SECOND,
        budget_nanousd: None,
    }
}

fn unjudged(cause: Cause) -> Unjudged {
    Unjudged::new(cause, "as the server said")
}

fn failed(busy: bool, after: Option<Duration>) -> CallOutcome {
    CallOutcome::Failed { unjudged: unjudged(Cause::Unavailable), after, busy }
}

/// What a server does with a call: how long it takes, how it ends, and what it costs.
type SimulatedServer<'a> = &'a mut dyn FnMut(&ScheduledCall, Duration) -> (Duration, CallOutcome, Option<u64>);

/// How a run went.
#[derive(Debug, Default)]
struct SimulatedRun {
    replied: Vec<Task>,
    given_up: Vec<(Task, Cause)>,
    calls: usize,
    most_at_once: usize,
    most_announced: usize,
    most_committed: u64,
    /// When the last question ended.
    took: Duration,
}

/// Asks `count` questions of one server, as a caller with as many hands as are wanted does.
fn run(scheduler: &mut RequestScheduler, count: u64, worst: u64, server: SimulatedServer<'_>) -> SimulatedRun {
    for task in 0..count {
        scheduler.enter(task, 0, worst);
    }
    let mut went = SimulatedRun::default();
    let mut now = Duration::ZERO;
    let mut under_way: BTreeMap<(Duration, u64), (ScheduledCall, CallOutcome, Option<u64>)> = BTreeMap::new();
    let mut announced: VecDeque<u64> = VecDeque::new();
    while scheduler.open() > 0 {
        went.most_committed = went.most_committed.max(scheduler.committed_nanousd());
        let wake = match scheduler.next(now) {
            SchedulerAction::Announce(call) => {
                announced.push_back(call.id);
                went.most_announced = went.most_announced.max(announced.len());
                // Now and then one is written down, and not at once.
                if announced.len() > 3 {
                    announced.drain(..2).for_each(|id| scheduler.written(id));
                }
                continue;
            }
            SchedulerAction::Withdraw(_) => continue,
            SchedulerAction::Make(call) => {
                let (takes, ending, cost) = server(&call, now);
                under_way.insert((now + takes, call.id), (call, ending, cost));
                went.calls += 1;
                went.most_at_once = went.most_at_once.max(under_way.len());
                continue;
            }
            SchedulerAction::GivenUp(task, unjudged) => {
                went.given_up.push((task, unjudged.cause));
                went.took = now;
                continue;
            }
            SchedulerAction::Wait(_) if !announced.is_empty() => {
                announced.drain(..).for_each(|id| scheduler.written(id));
                continue;
            }
            SchedulerAction::Wait(wake) => wake,
        };
        let first = under_way.keys().next().map(|(at, _)| *at);
        let then = [wake, first].into_iter().flatten().min().expect("something has to happen");
        assert!(then >= now, "time goes on");
        now = then;
        while let Some(entry) = under_way.first_entry()
            && entry.key().0 <= now
        {
            let (call, ending, cost) = entry.remove();
            match scheduler.ended(call.id, ending, cost, now) {
                After::Replied => went.replied.push(call.task),
                After::GivenUp(unjudged) => went.given_up.push((call.task, unjudged.cause)),
                After::Again | After::Late => continue,
            }
            went.took = now;
        }
    }
    went.most_committed = went.most_committed.max(scheduler.committed_nanousd());
    went
}

fn simple(terms: SchedulerTerms, count: u64, server: SimulatedServer<'_>) -> SimulatedRun {
    run(&mut RequestScheduler::new(terms, &[32], 0, 1), count, 0, server)
}

fn once_each(went: &SimulatedRun, count: u64) {
    let mut ended: Vec<Task> =
        went.replied.iter().copied().chain(went.given_up.iter().map(|(task, _)| *task)).collect();
    ended.sort_unstable();
    assert_eq!(ended, (0..count).collect::<Vec<_>>(), "every question ends once");
}

#[test]
fn first_answers_that_are_none_are_asked_for_once_more() {
    let mut asked: HashMap<Task, u32> = HashMap::new();
    let mut server = |call: &ScheduledCall, _| {
        let time = asked.entry(call.task).or_default();
        *time += 1;
        let ending = match (call.task % 20, *time) {
            (0 | 1, 1) => failed(true, Some(SECOND)),
            (2 | 3, 1) => failed(true, None),
            (4 | 5, 1) => CallOutcome::Unread(unjudged(Cause::Empty)),
            (6 | 7, 1) => CallOutcome::Unread(unjudged(Cause::Truncated)),
            (8, 1) => failed(false, None),
            (9, 1) => CallOutcome::Unread(unjudged(Cause::Refused)),
            _ => CallOutcome::Judged,
        };
        (SECOND / 50, ending, Some(0))
    };
    let went = simple(terms(), 1_000, &mut server);
    once_each(&went, 1_000);
    assert_eq!(went.replied.len(), 1_000);
    assert_eq!(went.calls, 1_500);
}

#[test]
fn a_reply_that_holds_no_verdict_twice_counts_as_it_is() {
    let mut server = |_: &ScheduledCall, _| (SECOND, CallOutcome::Unread(unjudged(Cause::Malformed)), Some(0));
    let went = simple(terms(), 10, &mut server);
    assert_eq!((went.replied.len(), went.calls), (10, 20));
    let mut forger = |_: &ScheduledCall, _| (SECOND, CallOutcome::Unread(unjudged(Cause::Forged)), Some(0));
    assert_eq!(simple(terms(), 10, &mut forger).calls, 10, "a planted verdict is not asked for again");
}

#[test]
fn an_outage_of_ten_minutes_loses_nothing() {
    for (begin, end) in [(0, 600), (2, 602), (1, 890)] {
        let mut calls_in_outage = 0;
        let mut server = |_: &ScheduledCall, now: Duration| {
            let out = now >= begin * SECOND && now < end * SECOND;
            calls_in_outage += usize::from(out);
            (SECOND / 10, if out { failed(false, None) } else { CallOutcome::Judged }, Some(0))
        };
        let went = simple(terms(), 1_000, &mut server);
        once_each(&went, 1_000);
        assert_eq!(went.replied.len(), 1_000, "an outage from {begin} to {end} s: {:?}", went.given_up);
        assert!(went.took <= (end + 60) * SECOND, "{:?}", went.took);
        assert!(calls_in_outage <= 64, "{calls_in_outage} calls to a server that is out");
    }
}

#[test]
fn a_judge_that_stays_away_is_given_up_at_the_limit_and_not_before() {
    let mut server = |_: &ScheduledCall, _| (SECOND / 10, failed(false, None), Some(0));
    let went = simple(terms(), 100, &mut server);
    once_each(&went, 100);
    assert_eq!(went.given_up.len(), 100);
    assert!(went.took >= 900 * SECOND && went.took <= 1_000 * SECOND, "{:?}", went.took);
    let mut busy = |_: &ScheduledCall, _| (SECOND / 10, failed(true, None), Some(0));
    let went = simple(terms(), 100, &mut busy);
    assert!(went.took >= 900 * SECOND && went.took <= 1_000 * SECOND, "{:?}", went.took);
}

#[test]
fn a_judge_that_is_given_up_is_said_to_fail_for_what_it_failed() {
    let mut scheduler = RequestScheduler::new(SchedulerTerms { outage_max: SECOND, ..terms() }, &[1], 0, 1);
    scheduler.enter(0, 0, 0);
    for now in [SECOND, 300 * SECOND] {
        let SchedulerAction::Announce(call) = scheduler.next(now) else { panic!("a call is due at {now:?}") };
        scheduler.written(call.id);
        assert_eq!(scheduler.next(now), SchedulerAction::Make(call));
        assert_eq!(scheduler.ended(call.id, failed(false, None), Some(0), now), After::Again);
    }
    let SchedulerAction::GivenUp(0, unjudged) = scheduler.next(600 * SECOND) else { panic!("nothing is given up") };
    let expected = "the judge has not replied for 299 s: as the server said; run it again when it does";
    assert_eq!((unjudged.cause, unjudged.detail.as_str()), (Cause::Unavailable, expected));
}

#[test]
fn a_judge_that_cannot_be_used_is_not_asked_a_thousand_times() {
    let mut server = |_: &ScheduledCall, _| (SECOND, CallOutcome::Unusable(unjudged(Cause::Unavailable)), Some(0));
    let went = simple(terms(), 1_000, &mut server);
    once_each(&went, 1_000);
    assert_eq!(went.given_up.len(), 1_000);
    assert!(went.calls <= 8, "{} calls", went.calls);
}

#[test]
fn a_question_that_alone_fails_is_given_up_alone() {
    let mut calls = 0;
    let mut server = |call: &ScheduledCall, _| {
        calls += u32::from(call.task == 7);
        (SECOND / 10, if call.task == 7 { failed(false, None) } else { CallOutcome::Judged }, Some(0))
    };
    let went = simple(terms(), 200, &mut server);
    assert_eq!(went.given_up, [(7, Cause::Unavailable)]);
    assert_eq!(calls, terms().attempts_max);
}

#[test]
fn what_is_never_answered_holds_nothing_up() {
    let mut calls = 0_u64;
    let mut server = |_: &ScheduledCall, _| {
        calls += 1;
        let hangs = calls.is_multiple_of(100);
        let late = failed(false, None);
        if hangs { (60 * SECOND, late, None) } else { (SECOND / 20, CallOutcome::Judged, Some(0)) }
    };
    for count in [300, 5_000] {
        let went = simple(terms(), count, &mut server);
        once_each(&went, count);
        assert_eq!(went.replied.len() as u64, count);
        assert!(went.took < 60 * SECOND, "{count} questions took {:?}", went.took);
    }
}

#[test]
fn a_server_that_is_slow_throughout_is_not_asked_twice() {
    let mut random = 7;
    let mut server =
        |_: &ScheduledCall, _| (SECOND * (5 + (next_random(&mut random) % 5) as u32), CallOutcome::Judged, Some(0));
    let went = simple(terms(), 500, &mut server);
    assert_eq!(went.calls, 500);
}

#[test]
fn a_pause_that_is_asked_for_is_kept() {
    let mut server = |call: &ScheduledCall, now: Duration| match call.id {
        0 => (SECOND, failed(true, Some(30 * SECOND)), Some(0)),
        _ => {
            assert!(now < SECOND || now >= 31 * SECOND, "asked at {now:?}");
            (SECOND, CallOutcome::Judged, Some(0))
        }
    };
    assert_eq!(simple(terms(), 100, &mut server).replied.len(), 100);
}

#[test]
fn the_budget_is_used_and_never_passed() {
    let budget = |nanousd| SchedulerTerms { budget_nanousd: Some(nanousd), ..terms() };
    for (most, judged) in [(0, 0), (99, 0), (100, 1), (1_000, 91), (9_999, 990), (10_100, 1_000)] {
        let mut server = |_: &ScheduledCall, _| (SECOND, CallOutcome::Judged, Some(10));
        let mut scheduler = RequestScheduler::new(budget(most), &[32], 0, 1);
        let went = run(&mut scheduler, 1_000, 100, &mut server);
        once_each(&went, 1_000);
        assert!(went.most_committed <= most, "{} of {most}", went.most_committed);
        assert_eq!(went.replied.len(), judged, "with {most}");
        assert!(went.given_up.iter().all(|(_, cause)| *cause == Cause::OverBudget));
    }
    // What was spent before counts, and what free calls cost does not.
    let mut server = |_: &ScheduledCall, _| (SECOND, CallOutcome::Judged, Some(0));
    let spent = run(&mut RequestScheduler::new(budget(100), &[32], 1, 1), 3, 100, &mut server);
    assert_eq!(spent.replied.len(), 0);
    let free = run(&mut RequestScheduler::new(budget(100), &[32], 200, 1), 3, 0, &mut server);
    assert_eq!(free.replied.len(), 3);
}

#[test]
fn several_judges_are_asked_beside_each_other() {
    let mut scheduler = RequestScheduler::new(terms(), &[4, 2], 0, 1);
    for task in 0..10 {
        scheduler.enter(task, usize::from(task >= 5), 0);
    }
    let (mut announced, mut under_way) = ([0, 0], [0, 0]);
    loop {
        match scheduler.next(Duration::ZERO) {
            SchedulerAction::Announce(call) => {
                announced[call.judge] += 1;
                scheduler.written(call.id);
            }
            SchedulerAction::Make(call) => under_way[call.judge] += 1,
            _ => break,
        }
    }
    assert_eq!((announced, under_way), ([4, 2], [4, 2]));
    for id in 0..3 {
        scheduler.ended(id, CallOutcome::Unusable(unjudged(Cause::Unavailable)), None, SECOND);
    }
    assert!(matches!(scheduler.next(SECOND), SchedulerAction::GivenUp(..)), "the first judge cannot be used");
    assert_eq!(scheduler.failing_since(1), None);
}

#[test]
fn calls_are_announced_ahead_of_those_that_are_made() {
    let mut scheduler = RequestScheduler::new(terms(), &[32], 0, 1);
    (0..100).for_each(|task| scheduler.enter(task, 0, 0));
    let mut announced = Vec::new();
    while let SchedulerAction::Announce(call) = scheduler.next(Duration::ZERO) {
        announced.push(call);
    }
    assert_eq!((announced.len(), scheduler.calls()), (32, 0), "no call is made that is not written down");
    announced.iter().for_each(|call| scheduler.written(call.id));
    let mut made = Vec::new();
    while let SchedulerAction::Make(call) = scheduler.next(Duration::ZERO) {
        made.push(call);
    }
    assert_eq!(made, announced[..super::super::pace::BEGIN], "in the order in which they were announced");
    assert_eq!(scheduler.calls(), made.len());
}

#[test]
fn what_was_announced_of_a_question_that_has_ended_is_withdrawn() {
    let mut scheduler = RequestScheduler::new(SchedulerTerms { budget_nanousd: Some(1_000), ..terms() }, &[1], 0, 1);
    let mut server = |_: &ScheduledCall, _| (SECOND, CallOutcome::Judged, Some(0));
    run(&mut scheduler, 40, 10, &mut server);
    scheduler.enter(100, 0, 10);
    let SchedulerAction::Announce(first) = scheduler.next(100 * SECOND) else { panic!("a question is open") };
    scheduler.written(first.id);
    assert_eq!(scheduler.next(100 * SECOND), SchedulerAction::Make(first));
    let SchedulerAction::Announce(second) = scheduler.next(110 * SECOND) else { panic!("the call is stuck") };
    assert_eq!((second.task, scheduler.committed_nanousd()), (100, 20));
    assert_eq!(scheduler.ended(first.id, CallOutcome::Judged, Some(10), 110 * SECOND), After::Replied);
    scheduler.written(second.id);
    assert_eq!(scheduler.next(110 * SECOND), SchedulerAction::Withdraw(second.id));
    assert_eq!((scheduler.committed_nanousd(), scheduler.open(), scheduler.calls()), (10, 0, 0));
    assert_eq!(scheduler.next(110 * SECOND), SchedulerAction::Wait(None));
}

#[test]
fn what_was_announced_to_a_judge_that_is_not_asked_any_more_is_given_up() {
    let mut scheduler = RequestScheduler::new(terms(), &[16], 0, 1);
    (0..20).for_each(|task| scheduler.enter(task, 0, 0));
    let (mut made, mut withdrawn, mut given_up) = (Vec::new(), 0, 0);
    loop {
        match scheduler.next(Duration::ZERO) {
            SchedulerAction::Announce(call) => scheduler.written(call.id),
            SchedulerAction::Make(call) => made.push(call.id),
            SchedulerAction::Withdraw(_) => withdrawn += 1,
            SchedulerAction::GivenUp(..) => given_up += 1,
            SchedulerAction::Wait(_) => match made.pop() {
                Some(id) => {
                    _ = scheduler.ended(id, CallOutcome::Unusable(unjudged(Cause::Unavailable)), None, Duration::ZERO);
                }
                None => break,
            },
        }
    }
    assert_eq!((scheduler.open(), scheduler.calls()), (0, 0));
    assert!(
        withdrawn > 0 && withdrawn + 8 <= 20 && given_up >= withdrawn,
        "{withdrawn} withdrawn, {given_up} given up"
    );
}

/// A scheduler with `calls_max` calls at a time and one question. Two calls for it are under way, since the first takes
/// so long.
fn asked_twice(calls_max: usize) -> (RequestScheduler, [u64; 2]) {
    let mut scheduler = RequestScheduler::new(terms(), &[calls_max], 0, 1);
    let mut server = |_: &ScheduledCall, _| (SECOND, CallOutcome::Judged, Some(0));
    run(&mut scheduler, 40, 10, &mut server);
    scheduler.enter(100, 0, 10);
    let made = [100 * SECOND, 110 * SECOND].map(|now| {
        let SchedulerAction::Announce(call) = scheduler.next(now) else { panic!("a call is due at {now:?}") };
        scheduler.written(call.id);
        assert_eq!(scheduler.next(now), SchedulerAction::Make(call));
        call.id
    });
    (scheduler, made)
}

#[test]
fn of_a_question_that_has_ended_no_other_call_is_announced() {
    let (mut scheduler, made) = asked_twice(1);
    assert_eq!(scheduler.ended(made[0], CallOutcome::Judged, Some(10), 111 * SECOND), After::Replied);
    // The second call takes long, too; the scheduler does not wait for it.
    assert_eq!(scheduler.next(200 * SECOND), SchedulerAction::Wait(None));
    assert_eq!(scheduler.ended(made[1], CallOutcome::Judged, Some(10), 201 * SECOND), After::Late);
    assert_eq!((scheduler.open(), scheduler.calls()), (0, 0));
}

#[test]
fn a_question_stands_in_the_queue_once() {
    let (mut scheduler, made) = asked_twice(2);
    let malformed = CallOutcome::Unread(unjudged(Cause::Malformed));
    assert_eq!(scheduler.ended(made[0], malformed, Some(0), 111 * SECOND), After::Again);
    assert_eq!(scheduler.ended(made[1], failed(false, None), Some(0), 111 * SECOND), After::Again);
    assert!(matches!(scheduler.next(111 * SECOND), SchedulerAction::Announce(_)), "it is asked again");
    assert_eq!(scheduler.next(111 * SECOND), SchedulerAction::Wait(None), "once");
}

#[test]
fn a_judge_that_asks_to_be_left_alone_for_too_long_is_given_up() {
    for (after, judged) in [(900_u32, 3), (901, 0), (u32::MAX, 0)] {
        let mut calls = 0;
        let mut server = |_: &ScheduledCall, _| {
            calls += 1;
            let ending = if calls == 1 { failed(true, Some(after * SECOND)) } else { CallOutcome::Judged };
            (SECOND / 10, ending, Some(0))
        };
        let went = run(&mut RequestScheduler::new(terms(), &[1], 0, 1), 3, 0, &mut server);
        once_each(&went, 3);
        assert_eq!(went.replied.len(), judged, "{after} s");
    }
}

#[test]
fn within_a_budget_few_calls_are_announced_ahead() {
    for (budget_nanousd, ahead) in [(None, 64), (Some(u64::MAX), super::super::pace::BEGIN + AHEAD_WITHIN_BUDGET)] {
        let mut scheduler = RequestScheduler::new(SchedulerTerms { budget_nanousd, ..terms() }, &[64], 0, 1);
        (0..100).for_each(|task| scheduler.enter(task, 0, 1));
        let announced = std::iter::from_fn(|| match scheduler.next(Duration::ZERO) {
            SchedulerAction::Announce(call) => Some(call),
            _ => None,
        });
        assert_eq!(announced.count(), ahead);
    }
}

proptest! {
    /// Whatever servers do, every question ends once, in time that has a limit, within the budget and the calls at a time.
    #[test]
    fn every_question_ends_once(
        seed in any::<u64>(),
        count in 1_u64..200,
        most in 1_usize..40,
        budget in prop::option::of(0_u64..20_000),
        weights in prop::array::uniform7(0_u64..10),
    ) {
        let mut random = seed;
        let sum: u64 = weights.iter().sum::<u64>().max(1);
        let mut server = |call: &ScheduledCall, _: Duration| {
            let mut at = next_random(&mut random) % sum;
            let kind = weights.iter().position(|weight| {
                let found = at < *weight;
                at = at.saturating_sub(*weight);
                found
            });
            let takes = Duration::from_millis(next_random(&mut random) % 3_000);
            let cost = next_random(&mut random) % (call.worst_nanousd + 1);
            match kind {
                Some(1) => (takes, failed(true, None), Some(0)),
                Some(2) => (takes, failed(true, Some(takes)), Some(0)),
                Some(3) => (takes, failed(false, None), None),
                Some(4) => (takes, CallOutcome::Unread(unjudged(Cause::Malformed)), Some(cost)),
                Some(5) => (60 * SECOND, failed(false, None), None),
                Some(6) => (takes, CallOutcome::Unusable(unjudged(Cause::Unavailable)), Some(0)),
                _ => (takes, CallOutcome::Judged, Some(cost)),
            }
        };
        let terms = SchedulerTerms { budget_nanousd: budget, ..terms() };
        let mut scheduler = RequestScheduler::new(terms, &[most], 0, seed);
        let went = run(&mut scheduler, count, 100, &mut server);
        once_each(&went, count);
        prop_assert!(budget.is_none_or(|budget| went.most_committed <= budget));
        prop_assert!(went.most_announced <= most + 1 + went.calls / 20 + 3);
        // Those that are stuck hold no place.
        prop_assert!(went.most_at_once <= most + 3 + went.calls / 20);
        prop_assert!(went.took <= Duration::from_secs(24 * 60 * 60), "{:?}", went.took);
    }
}
