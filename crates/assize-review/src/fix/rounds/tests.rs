//! How fixes go: by tables for what has to happen when, and by simulation for what must never happen.

use assize_core::ruling::Cause;

use super::*;
use crate::fix::policy::FixEnding;
use crate::fix::policy::FixPolicy;
use crate::ranking_key::Measure;

/// A standing with some faults; none is accepted.
fn ranking_key(faults: u32) -> RankingKey {
    let holds = Measure::Holds;
    RankingKey {
        applies: holds,
        builds: holds,
        regressions: holds,
        target_tests: Measure::of(faults as usize),
        edge_tests: holds,
        security_and_boundaries: holds,
        ruling: if faults == 0 { Outcome::Accept } else { Outcome::Revise },
        other_faults: holds,
        convention: 0,
        size: Some(1),
    }
}

fn judged(faults: &[&str]) -> FixEvent {
    let mut objections = ObjectionCounts::new();
    for fault in faults {
        *objections.entry((*fault).to_owned()).or_default() += 1;
    }
    let ranking_key = ranking_key(u32::try_from(faults.len()).unwrap());
    FixEvent::Judged(JudgedState { ranking_key, objections, unchanged: false, time_ms: 1, cost_usd: Some(0.0) })
}

fn ruled(outcome: Outcome) -> FixEvent {
    let ranking_key = RankingKey { ruling: outcome, ..ranking_key(1) };
    let objections = ObjectionCounts::new();
    FixEvent::Judged(JudgedState { ranking_key, objections, unchanged: false, time_ms: 1, cost_usd: Some(0.0) })
}

/// The same of a tree in which nothing differs from the base.
fn unchanged(event: FixEvent) -> FixEvent {
    match event {
        FixEvent::Judged(judged) => FixEvent::Judged(JudgedState { unchanged: true, ..judged }),
        event => event,
    }
}

fn offered(proposal: Proposal) -> FixEvent {
    FixEvent::Proposed(Proposed { proposal, time_ms: 1, cost_usd: Some(0.5) })
}

fn fits(tree: &str) -> FixEvent {
    offered(Proposal::Fits { tree: tree.to_owned() })
}

fn unfit() -> FixEvent {
    offered(Proposal::Unfit(vec!["ops[0].find: does not occur".to_owned()]))
}

fn propose(by: PatchOrigin, from: usize) -> FixEffect {
    FixEffect::Propose { by, from, faults: Vec::new() }
}

/// Feeds events to a fix, and returns the last effect with the best state.
fn after(policy: FixPolicy, configured: bool, events: Vec<FixEvent>) -> (FixEffect, usize) {
    let (mut rounds, mut effect) = Rounds::begin(policy, configured, "tree 0");
    for event in events {
        effect = rounds.step(event);
    }
    (effect, rounds.best())
}

#[test]
fn what_happens_next() {
    use FixEffect::{End, Judge};
    use PatchOrigin::{Configured, Mechanical};
    let nothing = || offered(Proposal::Nothing);
    let again = FixEffect::Propose { by: Configured, from: 0, faults: vec!["ops[0].find: does not occur".to_owned()] };
    let silent = Unjudged::new(Cause::Unavailable, "no answer");
    let one = || vec![judged(&["a", "b"]), nothing()];
    let then = |events: Vec<FixEvent>, more: Vec<FixEvent>| [events, more].concat();
    for (what, configured, events, effect, best) in [
        ("the tree is judged first", true, vec![], Judge(0), 0),
        ("work that is accepted is left alone", true, vec![judged(&[])], End(FixEnding::Accepted), 0),
        ("work that is rejected is not mended", true, vec![ruled(Outcome::Reject)], End(FixEnding::Rejected), 0),
        ("nor is what nobody judged", true, vec![ruled(Outcome::Unjudged)], End(FixEnding::Unjudged), 0),
        ("nothing differs", true, vec![unchanged(judged(&[]))], End(FixEnding::Unchanged), 0),
        (
            "nobody judged, and nothing differs",
            true,
            vec![unchanged(ruled(Outcome::Unjudged))],
            End(FixEnding::Unchanged),
            0,
        ),
        ("what the base has is mended, too", true, vec![unchanged(judged(&["a"]))], propose(Mechanical, 0), 0),
        (
            "a patch that leads back to the base mends the change",
            true,
            then(one(), vec![fits("1"), unchanged(judged(&[]))]),
            End(FixEnding::Accepted),
            1,
        ),
        ("tools are asked first", true, vec![judged(&["a"])], propose(Mechanical, 0), 0),
        ("then the fixer", true, one(), propose(Configured, 0), 0),
        ("without one it is over", false, one(), End(FixEnding::NothingOffered), 0),
        ("a patch that fits is judged", true, then(one(), vec![fits("1")]), Judge(1), 0),
        (
            "tools have another look at what is better",
            true,
            then(one(), vec![fits("1"), judged(&["a"])]),
            propose(Mechanical, 1),
            1,
        ),
        (
            "what is worse is dropped",
            true,
            then(one(), vec![fits("1"), judged(&["a", "b", "c"])]),
            propose(Configured, 0),
            0,
        ),
        ("what is accepted ends it", true, then(one(), vec![fits("1"), judged(&[])]), End(FixEnding::Accepted), 1),
        ("a patch that does not fit is asked for again", true, then(one(), vec![unfit()]), again, 0),
        ("but only once", true, then(one(), vec![unfit(), unfit()]), propose(Configured, 0), 0),
        (
            "the same objections again end it",
            true,
            then(one(), vec![fits("1"), judged(&["a", "b"])]),
            End(FixEnding::Repeats),
            0,
        ),
        ("so does the same tree", true, then(one(), vec![fits("tree 0")]), End(FixEnding::Repeats), 0),
        (
            "and one of a dropped patch",
            true,
            then(one(), vec![fits("1"), judged(&["a", "b", "c"]), fits("1")]),
            End(FixEnding::Repeats),
            0,
        ),
        ("a fixer without an idea ends it", true, then(one(), vec![nothing()]), End(FixEnding::NothingOffered), 0),
        (
            "or one that cannot be asked",
            true,
            then(one(), vec![offered(Proposal::Unavailable(silent.clone()))]),
            End(FixEnding::Unavailable(silent)),
            0,
        ),
        (
            "tools that change nothing are passed over",
            true,
            vec![judged(&["a"]), fits("tree 0")],
            propose(Configured, 0),
            0,
        ),
        (
            "tools that change nothing that counts are, too",
            true,
            vec![judged(&["a"]), fits("1"), judged(&["a"])],
            propose(Configured, 0),
            0,
        ),
        (
            "tools go on from what is as good, since it may uncover the next thing",
            true,
            vec![judged(&["a"]), fits("1"), judged(&["b"])],
            propose(Mechanical, 1),
            0,
        ),
        (
            "but a fixer begins at the best",
            true,
            vec![judged(&["a"]), fits("1"), judged(&["b"]), nothing()],
            propose(Configured, 0),
            0,
        ),
        (
            "nobody judges a better one: it is kept",
            true,
            then(one(), vec![fits("1"), ruled(Outcome::Unjudged)]),
            End(FixEnding::Unjudged),
            1,
        ),
    ] {
        assert_eq!(after(FixPolicy::default(), configured, events), (effect, best), "{what}");
    }
}

#[test]
fn a_missing_tool_does_not_hide_what_tools_fixed() {
    // A linter objects, and a type checker that the policy requires is not there: with the lint fault gone, the change
    // is unjudged.
    let styled = |faults: usize, ruling: Outcome| {
        let key = RankingKey {
            builds: Measure::Unknown,
            ruling,
            other_faults: Measure::of(faults),
            convention: 7,
            ..ranking_key(0)
        };
        let objections = (0..faults).map(|fault| (format!("fault {fault}"), 1)).collect();
        FixEvent::Judged(JudgedState {
            ranking_key: key,
            objections,
            unchanged: false,
            time_ms: 1,
            cost_usd: Some(0.0),
        })
    };
    for (before, after_tools, ruling, expected) in [
        (1, 0, Outcome::Unjudged, (FixEffect::End(FixEnding::Unjudged), 1)),
        (2, 1, Outcome::Revise, (propose(PatchOrigin::Mechanical, 1), 1)),
        // That a judge did not answer this time is no step forward.
        (0, 0, Outcome::Unjudged, (FixEffect::End(FixEnding::NothingOffered), 0)),
    ] {
        let events = vec![styled(before, Outcome::Revise), fits("1"), styled(after_tools, ruling)];
        assert_eq!(after(FixPolicy::default(), false, events), expected, "{before} {after_tools}");
    }
}

#[test]
fn limits_end_it_at_the_limit_and_not_before() {
    let worse = |tree: &str, faults: &[&str]| vec![fits(tree), judged(faults)];
    let start = || vec![judged(&["a"]), offered(Proposal::Nothing)];
    let rounds = |count: usize| -> Vec<FixEvent> {
        let all = [worse("1", &["b", "c"]), worse("2", &["d", "e"]), worse("3", &["f", "g"])];
        [start(), all[..count].concat()].concat()
    };
    let policy = FixPolicy::default();
    assert_eq!(after(policy, true, rounds(2)).0, propose(PatchOrigin::Configured, 0));
    assert_eq!(after(policy, true, rounds(3)).0, FixEffect::End(FixEnding::RoundsSpent));
    assert_eq!(
        after(FixPolicy { rounds_max: 0, ..policy }, true, vec![judged(&["a"])]).0,
        FixEffect::End(FixEnding::RoundsSpent)
    );
    // The start costs half a dollar, each round as much.
    let money = |most| FixPolicy { cost_usd_max: Some(most), ..policy };
    assert_eq!(after(money(0.51), true, rounds(0)).0, propose(PatchOrigin::Configured, 0));
    assert_eq!(after(money(0.5), true, rounds(0)).0, FixEffect::End(FixEnding::MoneySpent));
    let unpriced = FixEvent::Proposed(Proposed { proposal: Proposal::Nothing, time_ms: 1, cost_usd: None });
    assert_eq!(
        after(money(9.0), true, vec![judged(&["a"]), unpriced.clone()]).0,
        FixEffect::End(FixEnding::PriceUnknown)
    );
    assert_eq!(after(policy, true, vec![judged(&["a"]), unpriced]).0, propose(PatchOrigin::Configured, 0));
    let slow = |time_ms| {
        let FixEvent::Judged(first) = judged(&["a"]) else { unreachable!() };
        vec![FixEvent::Judged(JudgedState { time_ms, ..first })]
    };
    let brief = FixPolicy { time_s_max: 2, ..policy };
    assert_eq!(after(brief, true, slow(1_999)).0, propose(PatchOrigin::Mechanical, 0));
    assert_eq!(after(brief, true, slow(2_000)).0, FixEffect::End(FixEnding::TimeSpent));
}

/// Numbers that look random and are the same for every run (Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
/// Generators", OOPSLA 2014: the finalizer of SplitMix64).
struct SimulationRng(u64);

impl SimulationRng {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }
}

/// A tree is a set of faults; tools fix the first four kinds.
const OF_TOOLS: u32 = 0b1111;

/// One simulated fix: what fixers and judges do is rolled.
struct SimulatedFix {
    dice: SimulationRng,
    trees: Vec<u32>,
    pending: u32,
    temper: u64,
    /// Whether the first tree is that of the base.
    unchanged: bool,
}

impl SimulatedFix {
    fn judge(&mut self, state: usize) -> FixEvent {
        if state == self.trees.len() {
            self.trees.push(self.pending);
        }
        let tree = self.trees[state];
        let names = (0..16).filter(|bit| tree & (1 << bit) != 0).map(|bit| (format!("fault {bit}"), 1));
        let mut ranking_key = ranking_key(tree.count_ones());
        match self.dice.roll(120) {
            0..3 => ranking_key.ruling = Outcome::Unjudged,
            3..5 => ranking_key.ruling = Outcome::Reject,
            _ => {}
        }
        let cost_usd = if self.dice.roll(60) == 0 { None } else { Some(self.dice.roll(3) as f64 * 0.01) };
        let time_ms = self.dice.roll(200_000);
        let unchanged = self.unchanged && tree == self.trees[0];
        FixEvent::Judged(JudgedState { ranking_key, objections: names.collect(), unchanged, time_ms, cost_usd })
    }

    fn propose(&mut self, by: PatchOrigin, from: usize) -> FixEvent {
        let tree = self.trees[from];
        let (one, other) = (1_u32 << self.dice.roll(16), 1_u32 << self.dice.roll(16));
        let any = self.dice.roll(1 << 16) as u32;
        let earlier = self.trees[self.dice.roll(self.trees.len() as u64) as usize];
        let proposal = match by {
            PatchOrigin::Mechanical if tree & OF_TOOLS == 0 => Proposal::Nothing,
            PatchOrigin::Mechanical if self.dice.roll(20) == 0 => {
                Proposal::Unfit(vec!["the tool broke the file".to_owned()])
            }
            PatchOrigin::Mechanical => self.made(tree & !OF_TOOLS | tree & any & OF_TOOLS),
            PatchOrigin::Configured => match (self.dice.roll(10) + self.temper) % 10 {
                0 | 1 => Proposal::Unfit(vec!["ops: is empty".to_owned()]),
                2 => Proposal::Nothing,
                3 if self.dice.roll(3) == 0 => Proposal::Untried(Unjudged::new(Cause::Unavailable, "no room")),
                3 => Proposal::Unavailable(Unjudged::new(Cause::Unavailable, "no answer")),
                4 => self.made(earlier),
                5 => self.made(tree | one),
                6 | 7 => self.made(tree & !one & !other),
                8 => self.made(any),
                _ => self.made(0),
            },
        };
        let cost_usd = match by {
            PatchOrigin::Mechanical => Some(0.0),
            PatchOrigin::Configured if self.dice.roll(30) == 0 => None,
            PatchOrigin::Configured => Some(self.dice.roll(40) as f64 * 0.01),
        };
        FixEvent::Proposed(Proposed { proposal, time_ms: self.dice.roll(200_000), cost_usd })
    }

    fn made(&mut self, tree: u32) -> Proposal {
        self.pending = tree;
        Proposal::Fits { tree: format!("{tree:x}") }
    }
}

/// Carries a fix to its end, and checks at every step what must always hold.
fn live(seed: u64) -> FixEnding {
    let mut dice = SimulationRng(seed);
    let policy = FixPolicy {
        rounds_max: dice.roll(6) as u32,
        time_s_max: 1 + dice.roll(3_000),
        cost_usd_max: (dice.roll(2) == 0).then(|| dice.roll(100) as f64 * 0.01),
    };
    let configured = dice.roll(5) > 0;
    let start = dice.roll(1 << 16) as u32;
    let crash = dice.roll(30);
    // Later calls, which ask a fixer again that could not be asked.
    let mut calls = dice.roll(3);
    let unchanged = dice.roll(3) == 0;
    let mut world = SimulatedFix { temper: dice.roll(10), dice, trees: Vec::new(), pending: start, unchanged };
    let begin = || Rounds::begin(policy, configured, format!("{start:x}"));
    let (mut rounds, mut effect) = begin();
    let mut events: Vec<FixEvent> = Vec::new();
    let mut asked = (0, 0);
    let mut again = false;
    loop {
        if events.len() as u64 == crash {
            // A call after a crash has the events and nothing else.
            let stored = serde_json::to_string(&events).unwrap();
            let (mut resumed, mut next) = begin();
            for event in serde_json::from_str::<Vec<FixEvent>>(&stored).unwrap() {
                next = resumed.step(event);
            }
            if again {
                next = resumed.retry();
            }
            assert_eq!((&resumed, &next), (&rounds, &effect), "seed {seed}");
            (rounds, effect) = (resumed, next);
        }
        let event = match &effect {
            FixEffect::Judge(state) => world.judge(*state),
            FixEffect::Propose { by, from, faults } => {
                let (best, front) = (rounds.judged(rounds.best()), rounds.judged(*from));
                let ties = best.zip(front).is_some_and(|(best, front)| best.ranking_key.ties_with(&front.ranking_key));
                assert!(
                    *from == rounds.best() || *by == PatchOrigin::Mechanical && ties,
                    "seed {seed}: it builds on what is worse"
                );
                // An answer that could not be tried is paid for.
                let untried = |event: &FixEvent| {
                    matches!(event, FixEvent::Proposed(Proposed { proposal: Proposal::Untried(_), .. }))
                };
                let paid = again && events.last().is_some_and(untried);
                let Spending { time_ms: spent_ms, cost_usd: spent_usd } = rounds.spent();
                assert!(paid || spent_ms < policy.time_s_max * 1_000, "seed {seed}: no time was left");
                match by {
                    PatchOrigin::Mechanical => asked.0 += 1,
                    PatchOrigin::Configured => {
                        asked.1 += u32::from(faults.is_empty() && !again);
                        assert!(configured, "seed {seed}");
                        if let Some(most) = policy.cost_usd_max {
                            let left = spent_usd.is_some_and(|spent| spent < most);
                            assert!(paid || left, "seed {seed}: no money was left");
                        }
                        let free = rounds
                            .rounds()
                            .iter()
                            .any(|round| round.by == PatchOrigin::Mechanical && round.from == *from);
                        assert!(free || asked.0 == policy.rounds_max, "seed {seed}: tools come first");
                    }
                }
                world.propose(*by, *from)
            }
            FixEffect::End(FixEnding::Unavailable(_)) if calls > 0 => {
                calls -= 1;
                again = true;
                effect = rounds.retry();
                continue;
            }
            FixEffect::End(ending) => {
                check_end(seed, &rounds, &world, ending);
                assert!(asked.0 <= policy.rounds_max && asked.1 <= policy.rounds_max, "seed {seed}: {asked:?}");
                return ending.clone();
            }
        };
        again = false;
        events.push(event.clone());
        effect = rounds.step(event);
        assert!(events.len() <= 40, "seed {seed}: it does not end");
    }
}

fn check_end(seed: u64, rounds: &Rounds, world: &SimulatedFix, ending: &FixEnding) {
    let best = rounds.judged(rounds.best()).expect("judged");
    for state in 0..world.trees.len() {
        let other = rounds.judged(state).expect("judged");
        assert!(
            state == rounds.best() || other.ranking_key.improves_on(&best.ranking_key).is_none(),
            "seed {seed}: state {state} is better than the best"
        );
    }
    if *ending == FixEnding::Unchanged {
        assert!(world.trees.len() == 1 && best.ranking_key.ruling >= Outcome::Unjudged, "seed {seed}");
    } else {
        assert_eq!(*ending == FixEnding::Accepted, best.ranking_key.ruling == Outcome::Accept, "seed {seed}");
    }
    let distinct: BTreeSet<u32> = world.trees.iter().copied().collect();
    assert_eq!(distinct.len(), world.trees.len(), "seed {seed}: a tree was judged twice");
    let mut again = rounds.clone();
    assert_eq!(again.step(judged(&[])), FixEffect::End(ending.clone()), "seed {seed}: it goes on after its end");
    assert_eq!(again, *rounds, "seed {seed}");
}

#[test]
fn whatever_fixers_and_judges_do_the_fix_gets_no_worse_and_ends() {
    let mut endings: BTreeMap<String, u32> = BTreeMap::new();
    for seed in 0..20_000 {
        let ending = live(seed);
        let name = ending.sentence().split(':').next().unwrap_or_default().to_owned();
        *endings.entry(name).or_default() += 1;
    }
    // Every way in which a fix can end was seen, and none is rare.
    assert_eq!(endings.len(), 11, "{endings:#?}");
    assert!(endings.values().all(|count| *count >= 100), "{endings:#?}");
}

#[test]
fn a_fixer_that_could_not_be_asked_is_asked_again_by_the_next_call() {
    let silent = || Unjudged::new(Cause::Unavailable, "no answer");
    let out = || offered(Proposal::Unavailable(silent()));
    let untried = || offered(Proposal::Untried(silent()));
    let over = || FixEffect::End(FixEnding::Unavailable(silent()));
    let start = || vec![judged(&["a", "b"]), offered(Proposal::Nothing)];
    let again = || FixEffect::Propose {
        by: PatchOrigin::Configured,
        from: 0,
        faults: vec!["ops[0].find: does not occur".to_owned()],
    };
    // Half a dollar was spent before, and each answer costs as much.
    for (what, most, before, retried) in [
        ("it is asked again", None, vec![out()], propose(PatchOrigin::Configured, 0)),
        ("however often it was silent", None, vec![out(), out()], propose(PatchOrigin::Configured, 0)),
        ("with what was wrong", None, vec![unfit(), out()], again()),
        ("and only once more", None, vec![unfit(), out(), unfit()], propose(PatchOrigin::Configured, 0)),
        ("as long as money is left", Some(1.01), vec![out()], propose(PatchOrigin::Configured, 0)),
        ("and no longer", Some(1.0), vec![out()], FixEffect::End(FixEnding::MoneySpent)),
        ("what is paid for is tried all the same", Some(1.0), vec![untried()], propose(PatchOrigin::Configured, 0)),
        ("what else is over stays over", None, vec![nothing()], FixEffect::End(FixEnding::NothingOffered)),
    ] {
        let policy = FixPolicy { cost_usd_max: most, ..FixPolicy::default() };
        let (mut rounds, _) = Rounds::begin(policy, true, "tree 0");
        for event in [start(), before].concat() {
            rounds.step(event);
        }
        let spent = rounds.spent();
        assert_eq!(rounds.retry(), retried, "{what}");
        assert_eq!((rounds.spent(), rounds.retry()), (spent, retried), "{what}");
    }
    // A later call has the events and nothing else.
    let (mut rounds, _) = Rounds::begin(FixPolicy::default(), true, "tree 0");
    let events = [start(), vec![unfit(), out()]].concat();
    assert_eq!(events.iter().map(|event| rounds.step(event.clone())).last(), Some(over()));
    rounds.retry();
    let next = rounds.step(fits("1"));
    assert_eq!(next, FixEffect::Judge(1));
    let (mut later, _) = Rounds::begin(FixPolicy::default(), true, "tree 0");
    let effect = [events, vec![fits("1")]].concat().into_iter().map(|event| later.step(event)).last();
    assert_eq!((effect, &later), (Some(next), &rounds));
    assert_eq!(rounds.rounds().len(), 2, "it is one round");
}

fn nothing() -> FixEvent {
    offered(Proposal::Nothing)
}
