//! Computes the results that ways of choosing bidders would have had: policies over a table of what each bidder did
//! with each task.
//!
//! A market implements one bid and not the others, so that it does not show how the others would have done. A table of
//! the past shows this for every bidder. A policy sees only the part of the table that a market would show. Its regret
//! is how much it loses to the one bidder that would have been best throughout (Robbins 1952). This module must not
//! know how such a table comes about.

use serde::Serialize;

use super::blind::order;
use super::simplex::project;
use crate::reputation::Deltas;

/// Most tasks of a table, and most bidders.
pub const TASKS_MAX: usize = 100_000;
/// See there.
pub const BIDDERS_MAX: usize = 500;

/// What each bidder did with each task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastOutcomes {
    bidders: Vec<String>,
    /// For each task, whether each bidder's implementation passed.
    passed: Vec<Vec<bool>>,
}

/// Why a table is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TableError(String);

impl PastOutcomes {
    /// Reads a table in CSV: a column for each bidder behind one that names the task; 1 where it passed, 0 where it did not.
    ///
    /// # Errors
    ///
    /// Names the line that is none.
    pub fn read(text: &str) -> Result<Self, TableError> {
        let wrong = |line: u64, what: String| TableError(format!("line {line}: {what}"));
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let header = reader.headers().map_err(|error| wrong(1, error.to_string()))?.clone();
        let bidders: Vec<String> = header.iter().skip(1).map(str::to_owned).collect();
        if bidders.is_empty() || bidders.len() > BIDDERS_MAX {
            return Err(wrong(
                1,
                format!("it names {} bidders behind the task, not 1 to {BIDDERS_MAX}", bidders.len()),
            ));
        }
        let mut passed = Vec::new();
        for row in reader.records() {
            let row = row.map_err(|error| wrong(error.position().map_or(0, csv::Position::line), error.to_string()))?;
            let line = row.position().map_or(0, csv::Position::line);
            if passed.len() == TASKS_MAX {
                return Err(wrong(line, format!("there are more than {TASKS_MAX} tasks")));
            }
            let cell = |cell: &str| match cell {
                "1" => Ok(true),
                "0" => Ok(false),
                other => Err(wrong(line, format!("`{other}` is neither 1 nor 0"))),
            };
            passed.push(row.iter().skip(1).map(cell).collect::<Result<Vec<bool>, TableError>>()?);
        }
        if passed.is_empty() { Err(wrong(2, "there is no task".to_owned())) } else { Ok(Self { bidders, passed }) }
    }

    /// Returns the bidders.
    pub fn bidders(&self) -> &[String] {
        &self.bidders
    }

    /// Returns how many tasks there are.
    pub fn tasks(&self) -> usize {
        self.passed.len()
    }

    /// Returns who would have been best throughout, and with how many tasks; of several the first.
    pub fn best(&self) -> (usize, usize) {
        let of = |bidder: usize| self.passed.iter().filter(|task| task[bidder]).count();
        let counts = (0..self.bidders.len()).map(|bidder| (bidder, of(bidder)));
        counts.fold((0, 0), |best, next| if next.1 > best.1 { next } else { best })
    }
}

/// A way of choosing whose bid is implemented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// The bidder with the highest weight, as the market moves weights.
    Market,
    /// The bidder with the highest share of successes, one success and one failure counted beforehand.
    Leader,
    /// The bidder with the highest bound on its share of successes (UCB1; Auer, Cesa-Bianchi and Fischer 2002, figure 1).
    Ucb1,
    /// Any bidder.
    Random,
}

impl Policy {
    /// Every policy.
    pub const ALL: [Self; 4] = [Self::Market, Self::Leader, Self::Ucb1, Self::Random];
}

/// What a policy came to, over several orders of the tasks.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PolicyResult {
    /// The policy.
    pub policy: Policy,
    /// Tasks that passed at the first choice, as a share of all.
    pub first: f64,
    /// Tasks that passed at the first choice or, where that failed, at the second.
    pub with_replan: f64,
    /// By how much fewer tasks passed at the first choice than the best bidder would have passed, for each round, up to a number of rounds.
    pub regret: Vec<RegretAfter>,
}

/// The regret after so many rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegretAfter {
    /// Rounds.
    pub rounds: usize,
    /// Tasks lost for each of them.
    pub per_round: f64,
}

/// Plays a policy over a table, once for each of `runs` orders of the tasks, which follow from the seed.
pub fn simulate(table: &PastOutcomes, policy: Policy, deltas: &Deltas, runs: u32, seed: u64) -> PolicyResult {
    let (best, _) = table.best();
    let stops = stops(table.tasks());
    let mut lost = vec![0_i64; stops.len()];
    let (mut first, mut second) = (0_u64, 0_u64);
    for run in 0..runs {
        let tasks = order(seed, &format!("tasks of run {run}"), table.tasks());
        let lots = order(seed, &format!("bidders of run {run}"), table.bidders.len());
        let mut chooser = Chooser::new(policy, table.bidders.len(), lots, seed.wrapping_add(run.into()));
        let mut behind = 0_i64;
        for (round, task) in tasks.into_iter().enumerate() {
            let passed = &table.passed[task];
            let chosen = chooser.choose(round, None);
            chooser.see(chosen, passed[chosen], None, deltas);
            first += u64::from(passed[chosen]);
            behind += i64::from(passed[best]) - i64::from(passed[chosen]);
            if !passed[chosen] && table.bidders.len() > 1 {
                let next = chooser.choose(round, Some(chosen));
                chooser.see(next, passed[next], Some(chosen), deltas);
                second += u64::from(passed[next]);
            }
            if let Some(at) = stops.iter().position(|stop| *stop == round + 1) {
                lost[at] += behind;
            }
        }
    }
    let all = f64::from(runs.max(1)) * table.tasks() as f64;
    let after = |(rounds, lost): (&usize, &i64)| RegretAfter {
        rounds: *rounds,
        per_round: *lost as f64 / (f64::from(runs.max(1)) * *rounds as f64),
    };
    PolicyResult {
        policy,
        first: first as f64 / all,
        with_replan: (first + second) as f64 / all,
        regret: stops.iter().zip(&lost).map(after).collect(),
    }
}

/// Rounds after which regret is told: each twice the one before, and the last.
fn stops(tasks: usize) -> Vec<usize> {
    let mut stops: Vec<usize> =
        std::iter::successors(Some(8), |stop| Some(stop * 2)).take_while(|stop| *stop < tasks).collect();
    stops.push(tasks);
    stops
}

/// A policy at work: what it has seen.
struct Chooser {
    policy: Policy,
    weights: Vec<f64>,
    tried: Vec<u32>,
    passed: Vec<u32>,
    /// For those who are equal: the place of each in an order that was drawn.
    lots: Vec<usize>,
    seed: u64,
}

impl Chooser {
    fn new(policy: Policy, bidders: usize, lots: Vec<usize>, seed: u64) -> Self {
        let weights = project(&vec![1.0 / bidders as f64; bidders]);
        Self { policy, weights, tried: vec![0; bidders], passed: vec![0; bidders], lots, seed }
    }

    fn choose(&self, round: usize, failed: Option<usize>) -> usize {
        if self.policy == Policy::Random {
            let drawn = order(self.seed, &format!("round {round}"), self.weights.len());
            return drawn.into_iter().find(|bidder| Some(*bidder) != failed).unwrap_or(0);
        }
        let worth = |bidder: usize| match self.policy {
            Policy::Market => self.weights[bidder],
            Policy::Leader => f64::from(self.passed[bidder] + 1) / f64::from(self.tried[bidder] + 2),
            Policy::Ucb1 => self.upper_bound(bidder),
            Policy::Random => 0.0,
        };
        let open = (0..self.weights.len()).filter(|bidder| Some(*bidder) != failed);
        let better = |one: &usize, other: &usize| {
            worth(*one).total_cmp(&worth(*other)).then(self.lots[*other].cmp(&self.lots[*one]))
        };
        open.max_by(better).unwrap_or(0)
    }

    fn upper_bound(&self, bidder: usize) -> f64 {
        let all: u32 = self.tried.iter().sum();
        match self.tried[bidder] {
            0 => f64::INFINITY,
            tried => {
                f64::from(self.passed[bidder]) / f64::from(tried)
                    + (2.0 * f64::from(all).ln() / f64::from(tried)).sqrt()
            }
        }
    }

    /// Takes in what became of a choice; `failed` had been chosen before it.
    fn see(&mut self, chosen: usize, passed: bool, failed: Option<usize>, deltas: &Deltas) {
        self.tried[chosen] += 1;
        self.passed[chosen] += u32::from(passed);
        if self.policy != Policy::Market {
            return;
        }
        match (failed, passed) {
            (None, true) => {
                self.weights.iter_mut().for_each(|weight| *weight += deltas.not_selected);
                self.weights[chosen] += deltas.success - deltas.not_selected;
            }
            (None, false) => self.weights[chosen] += deltas.failure,
            (Some(_), true) => self.weights[chosen] += deltas.replan_success,
            (Some(_), false) => {
                self.weights.iter_mut().for_each(|weight| *weight += deltas.collective_failure);
                self.weights[chosen] += deltas.failure;
            }
        }
        self.weights = project(&self.weights);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> PastOutcomes {
        PastOutcomes::read(text).expect("a table")
    }

    /// So many tasks, of which bidders pass shares that differ, in turns that do not go together.
    fn made(tasks: usize, percents: &[usize]) -> PastOutcomes {
        let names: Vec<String> = (0..percents.len()).map(|bidder| format!("b{bidder}")).collect();
        let row = |task: usize| {
            let cells = percents.iter().enumerate().map(|(bidder, percent)| {
                let lot = order((task * 1_000 + bidder) as u64, "made", 100)[0];
                if lot < *percent { "1" } else { "0" }
            });
            format!("t{task},{}\n", cells.collect::<Vec<_>>().join(","))
        };
        table(&format!("task,{}\n{}", names.join(","), (0..tasks).map(row).collect::<String>()))
    }

    #[test]
    fn a_table_is_read() {
        let read = table("task, a, b\nt1, 1, 0\nt2, 1, 1\n");
        assert_eq!((read.tasks(), read.best(), read.bidders()), (2, (0, 2), &["a".to_owned(), "b".to_owned()][..]));
        for (text, says) in [
            ("task\nt1\n", "line 1: it names 0 bidders"),
            ("task,a\n", "line 2: there is no task"),
            ("task,a\nt1,yes\n", "line 2: `yes` is neither 1 nor 0"),
            ("task,a,b\nt1,1\n", "line 2"),
        ] {
            let error = PastOutcomes::read(text).expect_err(says).to_string();
            assert!(error.contains(says), "{error}");
        }
        let wide = |count: usize| format!("task{}\nt{}\n", ",b".repeat(count), ",1".repeat(count));
        assert!(PastOutcomes::read(&wide(BIDDERS_MAX)).is_ok());
        assert!(PastOutcomes::read(&wide(BIDDERS_MAX + 1)).is_err());
        let long = |count: usize| format!("task,a\n{}", "t,1\n".repeat(count));
        assert!(PastOutcomes::read(&long(TASKS_MAX)).is_ok());
        assert!(PastOutcomes::read(&long(TASKS_MAX + 1)).is_err());
    }

    #[test]
    fn who_always_passes_is_found_and_kept() {
        let table = made(200, &[0, 0, 100, 0]);
        for policy in [Policy::Market, Policy::Leader] {
            let simulated = simulate(&table, policy, &Deltas::default(), 5, 7);
            let last = simulated.regret.last().expect("rounds");
            assert!(simulated.first > 0.95 && last.per_round < 0.05, "{simulated:?}");
            assert!(simulated.with_replan >= simulated.first);
        }
    }

    #[test]
    fn regret_falls_with_rounds_unless_nothing_is_learnt() {
        let table = made(512, &[20, 40, 80, 30, 50, 10]);
        for policy in [Policy::Market, Policy::Leader, Policy::Ucb1] {
            let regret = simulate(&table, policy, &Deltas::default(), 20, 7).regret;
            assert!(regret[regret.len() - 1].per_round < regret[0].per_round, "{policy:?}: {regret:?}");
        }
        let random = simulate(&table, Policy::Random, &Deltas::default(), 20, 7);
        let expected = 0.80 - (20 + 40 + 80 + 30 + 50 + 10) as f64 / 600.0;
        assert!((random.regret.last().expect("rounds").per_round - expected).abs() < 0.05, "{random:?}");
    }

    #[test]
    fn a_simulation_follows_from_its_seed() {
        let table = made(60, &[20, 40, 80]);
        let of = |seed| simulate(&table, Policy::Market, &Deltas::default(), 3, seed);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        assert_eq!(stops(60), [8, 16, 32, 60]);
        assert_eq!(stops(5), [5]);
    }

    #[test]
    fn one_bidder_alone_has_nobody_to_take_over() {
        let simulated = simulate(&table("task,a\nt1,0\nt2,1\n"), Policy::Market, &Deltas::default(), 2, 1);
        assert_eq!((simulated.first, simulated.with_replan), (0.5, 0.5));
    }
}
