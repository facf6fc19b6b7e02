//! Tests that nothing is paid for twice, and that a fixer that cannot be asked makes no candidate.

use assize_patch::Op;

use super::*;

fn patch(path: &str) -> Patch {
    Patch { ops: vec![Op::Remove { path: path.to_owned() }] }
}

/// A step that costs a quarter of a dollar and a second.
fn step(number: usize, proposal: Proposal) -> GenerationStep {
    let patch = matches!(proposal, Proposal::Fits { .. }).then(|| patch(&format!("f{number}")));
    GenerationStep {
        number,
        proposed: Proposed { proposal, time_ms: 1_000, cost_usd: Some(0.25) },
        patch,
        fixer: Some(JudgeRecord { tokens_in: 100, tokens_out: 10, ..JudgeRecord::default() }),
    }
}

fn fits(number: usize) -> GenerationStep {
    step(number, Proposal::Fits { tree: format!("t{number}") })
}

fn unfit(number: usize) -> GenerationStep {
    step(number, Proposal::Unfit(vec!["is no patch".to_owned()]))
}

fn out(number: usize) -> GenerationStep {
    step(number, Proposal::Unavailable(Unjudged::new(Cause::Unavailable, "the server is down")))
}

fn ask(number: usize, faults: &[&str]) -> GenerationEffect {
    GenerationEffect::Ask { number, faults: faults.iter().map(|fault| (*fault).to_owned()).collect() }
}

/// Takes steps, each of which has to be the one that is asked for; returns the machine.
fn after(policy: FixPolicy, asked_for: usize, steps: &[GenerationStep]) -> Generation {
    let mut generation = Generation::begin(policy, asked_for, &[]);
    for step in steps {
        let GenerationEffect::Ask { number, .. } = generation.effect() else { panic!("nobody asks for {step:?}") };
        assert_eq!(number, step.number);
        generation.take(step);
    }
    generation
}

#[test]
fn each_is_asked_for_in_turn_and_an_answer_that_does_not_fit_once_more() {
    let policy = FixPolicy::default();
    assert_eq!(after(policy, 2, &[]).effect(), ask(1, &[]));
    assert_eq!(after(policy, 2, &[unfit(1)]).effect(), ask(1, &["is no patch"]));
    assert_eq!(after(policy, 2, &[unfit(1), unfit(1)]).effect(), ask(2, &[]));
    assert_eq!(after(policy, 2, &[unfit(1), fits(1), out(2)]).effect(), GenerationEffect::End);
    assert_eq!(after(policy, 2, &[step(1, Proposal::Nothing), fits(2)]).effect(), GenerationEffect::End);
}

#[test]
fn what_became_of_each_is_told_with_its_costs() {
    let steps = [fits(1), unfit(2), unfit(2), out(3), step(4, Proposal::Nothing), unfit(5), fits(5)];
    let (generated, patches) = after(FixPolicy::default(), 5, &steps).end(2);
    assert_eq!((generated.asked_for, generated.made), (5, 2));
    assert_eq!(patches, [(1, patch("f1")), (5, patch("f5"))]);
    let told: Vec<_> = generated.attempts.iter().map(|attempt| (attempt.index, attempt.costs.requests)).collect();
    assert_eq!(told, [(Some(2), 1), (None, 2), (None, 1), (None, 1), (Some(3), 2)]);
    let causes: Vec<Cause> = generated.missing().map(|(_, why)| why.cause).collect();
    assert_eq!(causes, [Cause::Malformed, Cause::Unavailable, Cause::NotBeforeCourt]);
    assert_eq!(generated.costs_of(3).map(|costs| costs.spent.cost_usd), Some(Some(0.5)));
    assert_eq!((generated.costs.requests, generated.costs.tokens_in), (7, 700));
    assert_eq!(generated.why_none(), None);
}

#[test]
fn no_candidate_at_all_has_a_reason() {
    let (generated, patches) = after(FixPolicy::default(), 2, &[out(1), out(2)]).end(0);
    assert!(patches.is_empty());
    let why = generated.why_none().expect("a reason");
    assert_eq!(
        (why.cause, why.detail.as_str()),
        (Cause::Unavailable, "no candidate could be made: the server is down")
    );
}

#[test]
fn the_budget_ends_it_at_its_limit_and_not_before() {
    let money = |most| FixPolicy { cost_usd_max: Some(most), ..FixPolicy::default() };
    assert_eq!(after(money(0.26), 3, &[fits(1)]).effect(), ask(2, &[]));
    assert_eq!(after(money(0.25), 3, &[fits(1)]).effect(), GenerationEffect::End);
    assert_eq!(after(money(0.0), 3, &[]).effect(), GenerationEffect::End);
    let time = |time_s_max| FixPolicy { time_s_max, ..FixPolicy::default() };
    assert_eq!(after(time(2), 3, &[fits(1)]).effect(), ask(2, &[]));
    assert_eq!(after(time(1), 3, &[fits(1)]).effect(), GenerationEffect::End);
    let (generated, _) = after(money(0.5), 3, &[fits(1), unfit(2)]).end(0);
    let told: Vec<_> = generated.missing().map(|(attempt, why)| (attempt.number, why.cause)).collect();
    assert_eq!(told, [(2, Cause::Malformed), (3, Cause::OverBudget)], "an answer is the better reason");
    let mut unknown = fits(1);
    unknown.proposed.cost_usd = None;
    assert_eq!(after(money(9.0), 3, std::slice::from_ref(&unknown)).effect(), GenerationEffect::End);
    assert_eq!(after(FixPolicy::default(), 3, &[unknown]).effect(), ask(2, &[]));
}

#[test]
fn an_interrupted_one_goes_on_and_asks_again_only_for_what_it_could_not_ask_for() {
    let policy = FixPolicy::default();
    let steps = [fits(1), out(2), unfit(3), unfit(3), step(4, Proposal::Nothing), unfit(5)];
    let mut again = Generation::begin(policy, 6, &steps);
    assert_eq!((again.made(), again.effect()), (1, ask(2, &[])));
    again.take(&fits(2));
    assert_eq!(again.effect(), ask(5, &["is no patch"]));
    again.take(&unfit(5));
    assert_eq!(again.effect(), ask(6, &[]));
    again.take(&fits(6));
    let (generated, patches) = again.end(0);
    assert_eq!((generated.costs.requests, generated.made, patches.len()), (9, 3, 3));
    let twice = Generation::begin(policy, 2, &[out(1), out(2), fits(1)]);
    assert_eq!((twice.made(), twice.effect()), (1, ask(2, &[])), "it was interrupted twice");
    // The same steps, and wherever it was interrupted: what is asked for in all is the same.
    let all = [fits(1), unfit(2), fits(2), step(3, Proposal::Nothing), unfit(4), unfit(4)];
    let whole = after(policy, 4, &all);
    for cut in 0..=all.len() {
        let mut resumed = Generation::begin(policy, 4, &all[..cut]);
        for step in &all[cut..] {
            assert!(matches!(resumed.effect(), GenerationEffect::Ask { number, .. } if number == step.number), "{cut}");
            resumed.take(step);
        }
        assert_eq!(resumed, whole, "{cut}");
    }
}

#[test]
fn a_step_that_nobody_waits_for_changes_nothing() {
    let mut generation = after(FixPolicy::default(), 2, &[fits(1)]);
    let before = generation.clone();
    for step in [fits(1), fits(0), fits(3)] {
        generation.take(&step);
    }
    assert_eq!(generation, before);
}

/// An answer that could not be tried.
fn untried(number: usize) -> GenerationStep {
    let proposal = Proposal::Untried(Unjudged::new(Cause::Unavailable, "the disk is full"));
    GenerationStep { patch: Some(patch("untried")), ..step(number, proposal) }
}

#[test]
fn an_answer_that_could_not_be_tried_is_tried_and_not_asked_for_again() {
    let broke = FixPolicy { cost_usd_max: Some(0.5), ..FixPolicy::default() };
    let steps = [fits(1), untried(2)];
    let mut again = Generation::begin(broke, 3, &steps);
    let again_two = GenerationEffect::Try { number: 2, patch: patch("untried") };
    assert_eq!((again.made(), again.effect()), (1, again_two.clone()), "it is paid for");
    let free = |proposal| {
        let step = step(2, proposal);
        let proposed = Proposed { cost_usd: Some(0.0), ..step.proposed };
        GenerationStep { proposed, fixer: None, ..step }
    };
    let once_more = GenerationStep { patch: Some(patch("untried")), ..free(untried(2).proposed.proposal) };
    again.take(&once_more);
    let mut later = Generation::begin(broke, 3, &[fits(1), untried(2), once_more]);
    assert_eq!(later.effect(), again_two);
    later.take(&free(Proposal::Fits { tree: "t2".to_owned() }));
    assert_eq!(later.effect(), GenerationEffect::End, "no money is left for the third");
    let (generated, patches) = later.end(0);
    assert_eq!((generated.made, patches.len(), generated.costs.requests), (2, 2, 2));
    assert_eq!((generated.attempts[1].costs.requests, generated.costs.spent.cost_usd), (1, Some(0.5)));
    let mut unfit = Generation::begin(FixPolicy::default(), 2, &steps);
    unfit.take(&free(Proposal::Unfit(vec!["is no patch".to_owned()])));
    assert_eq!(unfit.effect(), ask(2, &["is no patch"]));
}
