//! The number of calls that a judge is given at a time.
//!
//! How much a server can take is not known beforehand. A run begins with a few calls at a time. It doubles them for as
//! long as that brings more answers a second; then it tries small increases. A server that says it is asked too much
//! gets fewer calls at once, as in TCP's additive increase and multiplicative decrease (Chiu and Jain 1989). Time comes
//! in as an argument. This module must not know what the calls are about.

use std::time::Duration;

/// Calls at a time that a run begins with.
pub const BEGIN: usize = 8;
/// Answers that a round has at least: of fewer the rate says little.
const ROUND_MIN: usize = 8;
/// By how much a round has to be faster for more calls to have helped.
const FASTER: f64 = 1.1;
/// Rounds after which it is tried again whether more calls help.
const ROUNDS_HELD: u32 = 8;
/// What is left where the server is asked too much.
const CUT: f64 = 0.6;
/// How long a cut holds before there can be another one: the answers in between are to calls of before.
const CUT_HOLDS: Duration = Duration::from_millis(500);

/// How many calls a judge is given at a time.
#[derive(Debug, Clone)]
pub struct ConcurrencyLimit {
    limit: usize,
    most: usize,
    phase: Phase,
    round_began: Duration,
    answers: usize,
    cut_at: Option<Duration>,
}

/// What a round is made for. Rates are answers a second.
#[derive(Debug, Clone, Copy)]
enum Phase {
    /// Twice as many as the round before, which had this limit and this rate.
    Doubling { before: usize, rate: f64 },
    /// As many as before.
    Holding { rate: f64, rounds: u32 },
    /// Some more, to see whether they help.
    Trying { before: usize, rate: f64 },
}

impl ConcurrencyLimit {
    /// Begins with a few calls, and never gives more than `most` at a time.
    pub fn new(most: usize) -> Self {
        let most = most.max(1);
        let limit = BEGIN.min(most);
        let phase = Phase::Doubling { before: limit, rate: 0.0 };
        Self { limit, most, phase, round_began: Duration::ZERO, answers: 0, cut_at: None }
    }

    /// Returns how many calls may be under way.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Takes in an answer. `full` says that as many calls were under way as may be: what is slow for want of questions says
    /// nothing of the server.
    pub fn answered(&mut self, now: Duration, full: bool) {
        self.answers += 1;
        if self.answers < self.limit.max(ROUND_MIN) {
            return;
        }
        let seconds = now.saturating_sub(self.round_began).as_secs_f64().max(1e-6);
        let rate = self.answers as f64 / seconds;
        (self.round_began, self.answers) = (now, 0);
        if full {
            self.next_round(rate);
        }
    }

    /// Decides what the next round is for, from the rate of this one.
    fn next_round(&mut self, rate: f64) {
        let limit = self.limit;
        let held = |rate| Phase::Holding { rate, rounds: 0 };
        (self.limit, self.phase) = match self.phase {
            Phase::Doubling { rate: before, .. } if rate > before * FASTER && limit < self.most => {
                ((limit * 2).min(self.most), Phase::Doubling { before: limit, rate })
            }
            Phase::Doubling { rate: before, .. } | Phase::Trying { rate: before, .. } if rate > before * FASTER => {
                (limit, Phase::Holding { rate, rounds: ROUNDS_HELD })
            }
            Phase::Doubling { before, rate } | Phase::Trying { before, rate } => (before, held(rate)),
            Phase::Holding { rounds: ROUNDS_HELD.., rate: before } if limit < self.most => {
                let more = (limit + (limit / 4).max(1)).min(self.most);
                (more, Phase::Trying { before: limit, rate: before.max(rate) })
            }
            Phase::Holding { rate: before, rounds } => {
                (limit, Phase::Holding { rate: (4.0 * before + rate) / 5.0, rounds: rounds + 1 })
            }
        };
    }

    /// Takes in that the server is asked too much.
    pub fn busy(&mut self, now: Duration) {
        if self.cut_at.is_some_and(|cut_at| now.saturating_sub(cut_at) < CUT_HOLDS) {
            return;
        }
        self.cut_at = Some(now);
        self.limit = ((self.limit as f64 * CUT) as usize).max(1);
        self.phase = Phase::Holding { rate: 0.0, rounds: 0 };
        (self.round_began, self.answers) = (now, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server with so many places, each of which takes as long for an answer: how many calls it is given in the end.
    fn settles_at(places: usize, answer: Duration, most: usize) -> usize {
        let mut pace = ConcurrencyLimit::new(most);
        let mut now = Duration::ZERO;
        for _ in 0..400 {
            let limit = pace.limit();
            // A call that finds no place waits.
            let rounds = limit.div_ceil(places) as u32;
            now += answer * rounds;
            for _ in 0..limit {
                pace.answered(now, true);
            }
        }
        pace.limit()
    }

    #[test]
    fn it_goes_up_for_as_long_as_that_helps() {
        let answer = Duration::from_millis(20);
        assert_eq!(settles_at(1_000, answer, 64), 64);
        for places in [4, 16, 32] {
            let limit = settles_at(places, answer, 512);
            assert!(limit >= places && limit <= 8 * places, "{places} places, {limit} calls");
        }
    }

    #[test]
    fn it_never_passes_its_bounds() {
        assert_eq!(ConcurrencyLimit::new(3).limit(), 3);
        assert_eq!(ConcurrencyLimit::new(0).limit(), 1);
        assert_eq!(settles_at(1_000, Duration::ZERO, 1), 1);
        let mut pace = ConcurrencyLimit::new(64);
        for second in 0..100 {
            pace.busy(Duration::from_secs(second));
        }
        assert_eq!(pace.limit(), 1);
    }

    #[test]
    fn one_burst_of_refusals_is_one_cut() {
        let mut pace = ConcurrencyLimit::new(64);
        let now = Duration::from_secs(10);
        for _ in 0..8 {
            pace.busy(now);
        }
        assert_eq!(pace.limit(), 4);
        pace.busy(now + CUT_HOLDS);
        assert_eq!(pace.limit(), 2);
    }

    #[test]
    fn a_run_without_questions_says_nothing_of_the_server() {
        let mut pace = ConcurrencyLimit::new(64);
        for answer in 0..100_u64 {
            pace.answered(Duration::from_secs(answer), false);
        }
        assert_eq!(pace.limit(), BEGIN);
    }
}
