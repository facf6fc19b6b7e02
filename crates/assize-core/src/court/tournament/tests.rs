//! That evidence decides, and the order of candidates never.

use super::*;
use crate::court::review::ReviewInputs;
use crate::court::standing::Measure;
use crate::opinion::JudgeRecord;
use crate::ruling::{Cause, Unjudged};

fn standing(failing: usize, convention: u32) -> Standing {
    let holds = Measure::Holds;
    Standing {
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

fn assessment(standing: Standing) -> Assessment {
    Assessment {
        standing,
        review: Box::new(ReviewRecord::of(ReviewInputs::default())),
        convention: Conformity::default(),
        stopped: None,
    }
}

/// Candidates by their tree and standing; without a standing one cannot be laid out.
fn inputs(candidates: &[(&str, Option<Standing>)]) -> TournamentInputs {
    let mut inputs = TournamentInputs::default();
    for (index, (tree, standing)) in candidates.iter().enumerate() {
        let laid = if standing.is_some() { Ok((*tree).to_owned()) } else { Err(vec!["it does not fit".to_owned()]) };
        inputs.candidates.push(Candidate { name: format!("c{index}"), tree: laid, patch: None });
        if let Some(standing) = standing
            && inputs.original(index) == Some(index)
        {
            inputs.assess(index, assessment(*standing));
        }
    }
    inputs
}

fn compared(first: usize, second: usize, choices: &[(&str, Option<PairChoice>)]) -> Comparison {
    let opinion = |(judge, choice): &(&str, Option<PairChoice>)| Opinion {
        judge: JudgeRecord { id: (*judge).to_owned(), ..JudgeRecord::default() },
        reply: None,
        verdict: choice
            .map(|choice| PairVerdict { reason: "It is.".to_owned(), choice })
            .ok_or_else(|| Unjudged::new(Cause::Timeout, "late")),
    };
    Comparison { first, second, opinions: choices.iter().map(opinion).collect() }
}

#[test]
fn evidence_comes_before_taste() {
    let works = standing(0, 200_000);
    let handsome = standing(1, 1_000_000);
    let ranking = rank(&inputs(&[("a", Some(handsome)), ("b", None), ("c", Some(works))]));
    assert_eq!((ranking.winner_index, ranking.outcome), (Some(2), Outcome::Accept));
    let order: Vec<usize> = ranking.places.iter().map(|place| place.index).collect();
    assert_eq!(order, [2, 0, 1]);
    let ranks: Vec<usize> = ranking.places.iter().map(|place| place.rank).collect();
    assert_eq!(ranks, [1, 2, 3]);
}

#[test]
fn a_winner_need_not_be_good_enough_but_has_to_be_there() {
    let ranking = rank(&inputs(&[("a", Some(standing(2, 0))), ("b", Some(standing(1, 0)))]));
    assert_eq!((ranking.winner_index, ranking.outcome), (Some(1), Outcome::Revise));
    let none = rank(&inputs(&[("a", None), ("b", None)]));
    assert_eq!((none.winner_index, none.outcome, none.tied.len()), (None, Outcome::Revise, 0));
    assert_eq!(rank(&TournamentInputs::default()).winner_index, None);
}

#[test]
fn the_order_of_candidates_says_nothing() {
    let all = [
        ("a", Some(standing(0, 500_000))),
        ("b", Some(standing(0, 500_000))),
        ("c", Some(standing(1, 900_000))),
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
    let best = Some(standing(0, 1));
    let mut court = TournamentCourt::new(inputs(&[("a", best), ("b", best), ("a", best)]), false);
    court.inputs.assessments.clear();
    assert_eq!(court.begin(), TournamentEffect::Assess(vec![0, 1]));
    let judged = |candidate, failing| TournamentEvent::Assessed {
        candidate,
        assessment: Box::new(assessment(standing(failing, 1))),
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
    let pairs = |candidates: &[(&str, Option<Standing>)], has_judges| {
        let last = candidates.len() - 1;
        let mut given = inputs(candidates);
        let assessment = Box::new(given.assessments[last].take().expect("judged"));
        match TournamentCourt::new(given, has_judges).step(TournamentEvent::Assessed { candidate: last, assessment }) {
            Some(TournamentEffect::Compare(pairs)) => pairs,
            _ => Vec::new(),
        }
    };
    let (one, other, worse) = (Some(standing(0, 1)), Some(standing(0, 900)), Some(standing(1, 1)));
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
        let like = Some(standing(0, 5));
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
    let like = Some(standing(0, 5));
    let three =
        |choice| [("j", Some(choice)), ("k", Some(choice)), ("l", Some(if choice == First { Second } else { First }))];
    let mut given = inputs(&[("b", like), ("a", like)]);
    given.comparisons = vec![compared(0, 1, &three(First)), compared(1, 0, &three(Second))];
    assert_eq!(rank(&given).winner_index, Some(0));
    let mut given = inputs(&[("b", Some(standing(1, 5))), ("a", like)]);
    given.comparisons = vec![compared(0, 1, &three(First)), compared(1, 0, &three(Second))];
    assert_eq!(rank(&given).winner_index, Some(1));
}

#[test]
fn what_cannot_win_any_more_is_known_by_its_faults_alone() {
    let best = standing(0, 0);
    let unknown = Standing { target_tests: Measure::Unknown, ruling: Outcome::Unjudged, ..standing(0, 0) };
    let broken = Standing { builds: Measure::Faults(1), ..unknown };
    assert!(unknown.at_best() >= best);
    assert!(broken.at_best() < best);
    assert!(broken.at_best() > Standing { builds: Measure::Faults(2), ..best });
}
