//! That evidence decides, and the order of candidates never.

use assize_core::finding::Severity;
use assize_core::ruling::{Cause, Unjudged};
use assize_gate::gate::Dimension;
use assize_report::Diagnostic;

use super::*;
use crate::case::{PatchedFile, ReviewInputs};
use crate::ranking_key::Measure;

fn ranking_key(failing: usize, convention: u32) -> RankingKey {
    let holds = Measure::Holds;
    RankingKey {
        applies: holds,
        builds: holds,
        regressions: holds,
        target_tests: Measure::of(failing),
        edge_tests: holds,
        security_and_boundaries: holds,
        ruling: if failing == 0 { Outcome::Accept } else { Outcome::Revise },
        other_faults: holds,
        convention,
        size: Some(10),
    }
}

fn assessment(ranking_key: RankingKey) -> Assessment {
    Assessment {
        ranking_key,
        review: Box::new(ReviewRecord::of(ReviewInputs::default())),
        convention: Conformity::default(),
        stopped: None,
    }
}

/// Candidates by their tree and standing; without a standing one cannot be laid out.
fn inputs(candidates: &[(&str, Option<RankingKey>)]) -> TournamentInputs {
    let mut inputs = TournamentInputs::default();
    for (index, (tree, ranking_key)) in candidates.iter().enumerate() {
        let laid = if ranking_key.is_some() { Ok((*tree).to_owned()) } else { Err(vec!["it does not fit".to_owned()]) };
        inputs.candidates.push(TournamentCandidate { name: format!("c{index}"), tree: laid, patch: None });
        if let Some(ranking_key) = ranking_key
            && inputs.original(index) == Some(index)
        {
            inputs.assess(index, assessment(*ranking_key));
        }
    }
    inputs
}

fn compared(first: usize, second: usize, choices: &[(&str, Option<PairChoice>)]) -> PairComparison {
    let opinion = |(judge, choice): &(&str, Option<PairChoice>)| {
        let verdict = choice.map(|choice| PairVerdict { reason: "It is.".to_owned(), choice });
        Opinion::of(*judge, verdict.ok_or_else(|| Unjudged::new(Cause::Timeout, "late")))
    };
    PairComparison { first, second, opinions: choices.iter().map(opinion).collect() }
}

#[test]
fn evidence_comes_before_taste() {
    let works = ranking_key(0, 200_000);
    let handsome = ranking_key(1, 1_000_000);
    let ranking = rank(&inputs(&[("a", Some(handsome)), ("b", None), ("c", Some(works))]));
    assert_eq!((ranking.winner_index, ranking.outcome), (Some(2), Outcome::Accept));
    let order: Vec<usize> = ranking.places.iter().map(|place| place.index).collect();
    assert_eq!(order, [2, 0, 1]);
    let ranks: Vec<usize> = ranking.places.iter().map(|place| place.rank).collect();
    assert_eq!(ranks, [1, 2, 3]);
}

#[test]
fn a_winner_need_not_be_good_enough_but_has_to_be_there() {
    let ranking = rank(&inputs(&[("a", Some(ranking_key(2, 0))), ("b", Some(ranking_key(1, 0)))]));
    assert_eq!((ranking.winner_index, ranking.outcome), (Some(1), Outcome::Revise));
    let none = rank(&inputs(&[("a", None), ("b", None)]));
    assert_eq!((none.winner_index, none.outcome, none.tied.len()), (None, Outcome::Revise, 0));
    let nobody = rank(&TournamentInputs::default());
    assert_eq!((nobody.winner_index, nobody.outcome), (None, Outcome::Unjudged));
}

#[test]
fn the_order_of_candidates_says_nothing() {
    let all = [
        ("a", Some(ranking_key(0, 500_000))),
        ("b", Some(ranking_key(0, 500_000))),
        ("c", Some(ranking_key(1, 900_000))),
        ("d", None),
    ];
    let names = |order: &[usize]| {
        let candidates: Vec<_> = order.iter().map(|index| all[*index]).collect();
        let ranking = rank(&inputs(&candidates));
        let of = |index: usize| candidates[index].0;
        let places: Vec<(&str, usize)> = ranking.places.iter().map(|place| (of(place.index), place.rank)).collect();
        (ranking.winner_index.map(of), ranking.tied.iter().map(|index| of(*index)).collect::<Vec<_>>(), places)
    };
    let expected = (Some("a"), vec!["b"], vec![("a", 1), ("b", 1), ("c", 3), ("d", 4)]);
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 1, 3, 0]] {
        assert_eq!(names(&order), expected, "{order:?}");
    }
}

#[test]
fn the_same_tree_is_judged_once_and_shares_its_rank() {
    let best = Some(ranking_key(0, 1));
    let mut court = TournamentCourt::new(inputs(&[("a", best), ("b", best), ("a", best)]), false);
    court.inputs.assessments.clear();
    assert_eq!(court.begin(), TournamentEffect::Assess(vec![0, 1]));
    let judged = |candidate, failing| TournamentEvent::Assessed {
        candidate,
        assessment: Box::new(assessment(ranking_key(failing, 1))),
        course: GateProgress::default(),
    };
    assert_eq!(court.step(judged(1, 1)), None);
    let Some(TournamentEffect::Rule(record)) = court.step(judged(0, 0)) else { panic!("all are judged") };
    let places: Vec<_> =
        record.ranking.places.iter().map(|place| (place.index, place.rank, place.duplicate_of)).collect();
    assert_eq!(places, [(0, 1, None), (2, 1, Some(0)), (1, 3, None)]);
    assert!(record.ranking.tied.is_empty());
}

#[test]
fn judges_are_asked_only_about_those_that_evidence_cannot_tell_apart() {
    let pairs = |candidates: &[(&str, Option<RankingKey>)], has_judges| {
        let last = candidates.len() - 1;
        let mut given = inputs(candidates);
        let assessment = Box::new(given.assessments[last].take().expect("judged"));
        let course = GateProgress::default();
        let judged = TournamentEvent::Assessed { candidate: last, assessment, course };
        match TournamentCourt::new(given, has_judges).step(judged) {
            Some(TournamentEffect::Compare(pairs)) => pairs,
            _ => Vec::new(),
        }
    };
    let (one, other, worse) = (Some(ranking_key(0, 1)), Some(ranking_key(0, 900)), Some(ranking_key(1, 1)));
    assert_eq!(pairs(&[("a", one), ("b", worse), ("c", other)], true), [(0, 2), (2, 0)]);
    assert!(pairs(&[("a", one), ("b", worse), ("c", other)], false).is_empty());
    assert!(pairs(&[("a", one), ("b", worse)], true).is_empty());
    let names: Vec<String> = (0..=COMPARED_MAX).map(|index| format!("t{index}")).collect();
    let many = |count: usize| names[..count].iter().map(|name| (name.as_str(), one)).collect::<Vec<_>>();
    assert_eq!(pairs(&many(COMPARED_MAX), true).len(), COMPARED_MAX * (COMPARED_MAX - 1));
    assert!(pairs(&many(COMPARED_MAX + 1), true).is_empty());
}

#[test]
fn a_judge_that_changes_its_mind_with_the_order_does_not_know() {
    use PairChoice::{First, Second, Tie};
    let both = |one: Option<PairChoice>, other: Option<PairChoice>| {
        let like = Some(ranking_key(0, 5));
        let mut given = inputs(&[("b", like), ("a", like)]);
        given.comparisons = vec![compared(0, 1, &[("j", one)]), compared(1, 0, &[("j", other)])];
        let ranking = rank(&given);
        (ranking.winner_index, ranking.tied.len())
    };
    // Without a preference they tie; the tree then says who is named first.
    for (one, other, expected) in [
        (Some(First), Some(Second), (Some(0), 0)),
        (Some(Second), Some(First), (Some(1), 0)),
        (Some(First), Some(First), (Some(1), 1)),
        (Some(Second), Some(Second), (Some(1), 1)),
        (Some(Tie), Some(Second), (Some(1), 1)),
        (None, Some(Second), (Some(1), 1)),
        (None, None, (Some(1), 1)),
    ] {
        assert_eq!(both(one, other), expected, "{one:?} {other:?}");
    }
}

#[test]
fn more_judges_outvote_fewer_and_evidence_outvotes_all() {
    use PairChoice::{First, Second};
    let like = Some(ranking_key(0, 5));
    let three =
        |choice| [("j", Some(choice)), ("k", Some(choice)), ("l", Some(if choice == First { Second } else { First }))];
    let mut given = inputs(&[("b", like), ("a", like)]);
    given.comparisons = vec![compared(0, 1, &three(First)), compared(1, 0, &three(Second))];
    assert_eq!(rank(&given).winner_index, Some(0));
    let mut given = inputs(&[("b", Some(ranking_key(1, 5))), ("a", like)]);
    given.comparisons = vec![compared(0, 1, &three(First)), compared(1, 0, &three(Second))];
    assert_eq!(rank(&given).winner_index, Some(1));
}

#[test]
fn what_cannot_win_any_more_is_known_by_its_faults_alone() {
    let best = ranking_key(0, 0);
    let unknown = RankingKey { target_tests: Measure::Unknown, ruling: Outcome::Unjudged, ..ranking_key(0, 0) };
    let broken = RankingKey { builds: Measure::Faults(1), ..unknown };
    assert!(unknown.at_best() >= best);
    assert!(broken.at_best() < best);
    assert!(broken.at_best() > RankingKey { builds: Measure::Faults(2), ..best });
}

/// What the gates of a candidate would say if all of them ran, and whether another one ran whose result counts for nothing.
#[derive(Debug, Clone)]
struct GateScript {
    gates: Vec<GateResult>,
    /// Looked at without running anything.
    built_in: GateResult,
    size: usize,
}

/// Numbers that are the same for the same seed.
struct TournamentRng(u64);

impl TournamentRng {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % most
    }
}

fn gate(id: &str, dimension: Dimension, faults: usize) -> GateResult {
    let text = format!(
        r#"{{"id":"{id}","because":"","dimensions":["{}"],"state":"{}","time_ms":1,"command":"x"}}"#,
        dimension.as_str(),
        if faults == 0 { "passed" } else { "failed" }
    );
    let fault = |number| Diagnostic {
        path: Some("a.rs".to_owned()),
        line: Some(number),
        code: "E1".to_owned(),
        severity: Severity::Error,
        message: "m".to_owned(),
        offer: None,
    };
    let new = (0..u32::try_from(faults).unwrap_or_default()).map(fault).collect();
    GateResult { new, ..serde_json::from_str(&text).expect("a result") }
}

fn script(random: &mut TournamentRng) -> GateScript {
    const KINDS: [(&str, Dimension); 4] = [
        ("check", Dimension::Compilation),
        ("lint", Dimension::Style),
        ("audit", Dimension::Security),
        ("test", Dimension::TestsFunctional),
    ];
    let kinds = KINDS.iter().take(1 + random.below(4));
    GateScript {
        gates: kinds.map(|(id, dimension)| gate(id, *dimension, random.below(4).saturating_sub(1))).collect(),
        built_in: gate("schema", Dimension::Schema, random.below(8) / 7),
        size: random.below(3),
    }
}

/// What a review that was broken off after some gates puts on record.
fn reviewed(script: &GateScript, ran: usize) -> ReviewInputs {
    let results = script.gates[..ran].iter().chain([&script.built_in]).cloned().collect();
    let mut exec = ExecReport::of(results, None);
    exec.boundary_errors.push("a.rs: breaks a boundary".to_owned());
    for id in ["check", "lint", "audit", "test", "never"] {
        if exec.gates.iter().all(|gate| gate.id != id) {
            exec.gates.push(GateResult { state: GateState::Absent, ..gate(id, Dimension::Style, 0) });
        }
    }
    let changed = PatchedFile { path: "a.rs".to_owned(), added: script.size, removed: 0, gone: false, held: false };
    let mut limits = vec!["a file was left out".to_owned()];
    if ran < script.gates.len() {
        limits.push(STOPPED_EARLY.to_owned());
    }
    ReviewInputs { exec, limits, patch_summary: vec![changed], ..ReviewInputs::default() }
}

/// Holds a tournament in which the candidates take turns by chance; says how many were stopped early besides.
fn held(scripts: &[GateScript], jobs: usize, random: &mut TournamentRng) -> (TournamentRecord, usize) {
    let mut inputs = TournamentInputs::default();
    for index in 0..scripts.len() {
        inputs.candidates.push(TournamentCandidate {
            name: format!("c{index}"),
            tree: Ok(format!("t{index}")),
            patch: None,
        });
    }
    let mut court = TournamentCourt::new(inputs, false);
    let TournamentEffect::Assess(mut due) = court.begin() else { panic!("there are candidates") };
    let mut at_work: Vec<(usize, GateProgress)> = Vec::new();
    let mut stopped = 0;
    loop {
        while at_work.len() < jobs && !due.is_empty() {
            let next = random.below(due.len());
            at_work.push((due.remove(next), GateProgress { limits: 1, ..GateProgress::default() }));
        }
        let turn = random.below(at_work.len());
        let (candidate, course) = &mut at_work[turn];
        let script = &scripts[*candidate];
        course.gates += 1;
        if course.gates < script.gates.len() {
            let exec = ExecReport::of(script.gates[..course.gates].to_vec(), None);
            let bound = bound(&ReviewInputs { exec, ..ReviewInputs::default() });
            course.checkpoints.push(GateCheckpoint { gates: course.gates, bound });
            if court.best().is_none_or(|best| bound >= best) {
                continue;
            }
            stopped += 1;
        }
        let (candidate, course) = at_work.remove(turn);
        let convention = Conformity { total: Some(course.gates as f64), ..Conformity::default() };
        let assessment = Box::new(Assessment::of(ReviewRecord::of(reviewed(script, course.gates)), convention));
        if let Some(effect) = court.step(TournamentEvent::Assessed { candidate, assessment, course }) {
            let TournamentEffect::Rule(record) = effect else { panic!("nobody compares") };
            return (*record, stopped);
        }
    }
}

#[test]
fn whoever_is_faster_nothing_that_is_told_is_another_one() {
    let mut stopped_in_all = 0;
    for seed in 0..300 {
        let mut random = TournamentRng(seed);
        let count = 2 + random.below(6);
        let scripts: Vec<GateScript> = (0..count).map(|_| script(&mut random)).collect();
        let (first, _) = held(&scripts, 1, &mut TournamentRng(seed));
        let best = scripts.iter().map(|script| {
            let review = ReviewRecord::of(reviewed(script, script.gates.len()));
            RankingKey::of(&review.inputs, review.ruling.outcome, None)
        });
        let winner = first.ranking.winner_index.expect("a winner");
        assert_eq!(first.ranking.places[0].ranking_key, best.max().expect("there are some"), "seed {seed}");
        assert!(first.inputs.assessments[winner].as_ref().is_some_and(|known| known.stopped.is_none()));
        for round in 0..20 {
            let (other, stopped) = held(&scripts, 1 + random.below(4), &mut random);
            stopped_in_all += stopped;
            assert_eq!(other.ranking, first.ranking, "seed {seed}, round {round}");
            assert_eq!(other, first, "seed {seed}, round {round}");
        }
        assert_eq!(rank(&first.inputs), first.ranking, "seed {seed}");
    }
    assert!(stopped_in_all > 1_000, "only {stopped_in_all} were stopped early");
}

#[test]
fn an_assessment_is_read_out_of_its_review() {
    let limits = |limits: &[&str]| limits.iter().map(|limit| (*limit).to_owned()).collect();
    let of = |limits: Vec<String>, fit| {
        let review = ReviewRecord::of(ReviewInputs { limits, ..ReviewInputs::default() });
        Assessment::of(review, Conformity { fit, ..Conformity::default() })
    };
    let whole = of(limits(&["a file was left out"]), Some(0.25));
    assert_eq!((whole.stopped.as_deref(), whole.ranking_key.convention), (None, 250_000));
    assert_eq!(whole.ranking_key.ruling, whole.review.ruling.outcome);
    assert_eq!(of(limits(&["a file was left out", STOPPED_EARLY]), None).stopped.as_deref(), Some(STOPPED_EARLY));
}

#[test]
fn what_is_known_after_it_was_behind_is_taken_back() {
    let good = GateScript {
        gates: vec![gate("check", Dimension::Compilation, 0)],
        built_in: gate("schema", Dimension::Schema, 0),
        size: 1,
    };
    let bad = GateScript {
        gates: vec![gate("check", Dimension::Compilation, 1), gate("test", Dimension::TestsFunctional, 3)],
        ..good.clone()
    };
    let (record, _) = held(&[good, bad], 1, &mut TournamentRng(1));
    let known = record.inputs.assessments[1].as_ref().expect("judged");
    let gates: Vec<&str> = known.review.inputs.exec.gates.iter().map(|gate| gate.id.as_str()).collect();
    assert_eq!(gates, ["check", "schema"]);
    assert_eq!((known.stopped.as_deref(), known.ranking_key.target_tests), (Some(STOPPED_EARLY), Measure::Unknown));
    assert_eq!(known.review.inputs.limits, ["a file was left out", STOPPED_EARLY]);
    assert_eq!(known.review.inputs.exec.boundary_errors, ["a.rs: breaks a boundary"]);
    let absent: Vec<&str> = record.inputs.absent.iter().map(|gate| gate.id.as_str()).collect();
    assert_eq!(absent, ["lint", "audit", "test", "never"], "what is absent stands in one place");
}
