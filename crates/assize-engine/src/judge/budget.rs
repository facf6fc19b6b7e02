//! The daily budget of judges, shared by all processes of a user.
//!
//! Before a judge is called, the highest possible cost of the call is reserved. Afterwards the unspent rest is
//! released. If a process dies in between, its reservation counts as spent. Days are those of UTC. This module must
//! not know who is paid.

use std::collections::BTreeMap;
use std::io;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::folder::{Durable, PrivateFolder};

/// How many days are stored: a reservation may be settled after midnight.
pub const DAYS_MAX: usize = 8;
/// How long to wait for other processes that hold the file before a call is refused.
pub const LOCK_TIME_MAX: Duration = Duration::from_secs(5);
/// The most bytes of the file that are read.
const FILE_BYTES_MAX: usize = 64 * 1024;

const FILE: &str = "spent.json";
const LOCK: &str = "spent.lock";
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;
const NANOS_PER_USD: f64 = 1e9;

/// A daily budget.
#[derive(Debug)]
pub struct Budget {
    folder: PrivateFolder,
    limit_nanousd: u64,
}

/// Why nothing could be reserved.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BudgetError {
    /// The remaining budget is too small.
    #[error("a call can cost {needed_usd:.4} US dollars, and {remaining_usd:.4} of the {limit_usd} a day are left")]
    Exceeded {
        /// The most that the call can cost.
        needed_usd: f64,
        /// What remains today.
        remaining_usd: f64,
        /// The daily budget.
        limit_usd: f64,
    },
    /// The spending cannot be read or written, so nothing may be spent.
    #[error("what was spent today cannot be counted: {0}")]
    Uncounted(String),
}

/// The file: the amount that was spent or reserved on each day, in billionths of a US dollar.
#[derive(Debug, Default, Serialize, Deserialize)]
struct DailySpending {
    assize: u32,
    days: BTreeMap<i64, u64>,
}

/// A reserved amount. If it is not settled, it counts as spent.
#[derive(Debug)]
#[must_use = "money that is not settled counts as spent"]
pub struct Reservation<B> {
    budget: B,
    day: i64,
    nanousd: u64,
}

impl Budget {
    /// Opens the budget below a folder.
    ///
    /// # Errors
    ///
    /// Fails if there is no folder that only the current user can write to.
    pub fn open(folder: &Path, usd_per_day: f64) -> io::Result<Self> {
        Ok(Self {
            folder: PrivateFolder::open(folder.join("budget"))?,
            limit_nanousd: (usd_per_day * NANOS_PER_USD) as u64,
        })
    }

    /// Reserves an amount.
    ///
    /// # Errors
    ///
    /// Fails if the amount exceeds the remaining budget, or if the spending cannot be read or written.
    pub fn reserve(&self, worst_usd: f64, now_ms: i64) -> Result<Reservation<&Self>, BudgetError> {
        let (day, nanousd) = self.set_aside(worst_usd, now_ms)?;
        Ok(Reservation { budget: self, day, nanousd })
    }

    /// Reserves an amount of a budget that threads share.
    ///
    /// # Errors
    ///
    /// See [`Budget::reserve`].
    pub fn reserve_shared(
        shared: &Arc<Self>,
        worst_usd: f64,
        now_ms: i64,
    ) -> Result<Reservation<Arc<Self>>, BudgetError> {
        let (day, nanousd) = shared.set_aside(worst_usd, now_ms)?;
        Ok(Reservation { budget: Arc::clone(shared), day, nanousd })
    }

    /// Reserves an amount. Returns the day and the amount.
    fn set_aside(&self, worst_usd: f64, now_ms: i64) -> Result<(i64, u64), BudgetError> {
        let day = now_ms.div_euclid(DAY_MS);
        // NaN and negative amounts cannot be reserved.
        let nanousd = if worst_usd >= 0.0 { (worst_usd * NANOS_PER_USD).ceil() as u64 } else { u64::MAX };
        self.change(day, |spent| {
            let left = self.limit_nanousd.saturating_sub(spent);
            if nanousd > left {
                return Err(BudgetError::Exceeded {
                    needed_usd: nanousd as f64 / NANOS_PER_USD,
                    remaining_usd: left as f64 / NANOS_PER_USD,
                    limit_usd: self.limit_nanousd as f64 / NANOS_PER_USD,
                });
            }
            Ok(spent + nanousd)
        })?;
        Ok((day, nanousd))
    }

    /// Returns what is spent or reserved on the day of a moment, in US dollars.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be read.
    pub fn spent_usd(&self, now_ms: i64) -> Result<f64, BudgetError> {
        let spent = self.read()?;
        Ok(spent.days.get(&now_ms.div_euclid(DAY_MS)).copied().unwrap_or(0) as f64 / NANOS_PER_USD)
    }

    fn change(&self, day: i64, amount: impl FnOnce(u64) -> Result<u64, BudgetError>) -> Result<(), BudgetError> {
        let _lock = self.folder.lock(LOCK, Instant::now() + LOCK_TIME_MAX).map_err(|error| self.uncounted(&error))?;
        let mut spent = self.read()?;
        let of_day = spent.days.entry(day).or_default();
        *of_day = amount(*of_day)?;
        while spent.days.len() > DAYS_MAX {
            spent.days.pop_first();
        }
        spent.assize = 1;
        let bytes = serde_json::to_vec(&spent).map_err(|error| self.uncounted(&error.into()))?;
        self.folder.write(FILE, &bytes, Durable::Yes).map_err(|error| self.uncounted(&error))
    }

    fn read(&self) -> Result<DailySpending, BudgetError> {
        let bytes = self.folder.read(FILE, FILE_BYTES_MAX).map_err(|error| self.uncounted(&error))?;
        let Some(bytes) = bytes else { return Ok(DailySpending::default()) };
        // A damaged file must not count as zero spending.
        serde_json::from_slice(&bytes).map_err(|error| self.uncounted(&error.into()))
    }

    fn uncounted(&self, error: &io::Error) -> BudgetError {
        let path = self.folder.file(FILE);
        BudgetError::Uncounted(format!("{}: {error}; remove the file to begin anew", path.display()))
    }
}

impl<B: Deref<Target = Budget>> Reservation<B> {
    /// Releases the unspent rest, or adds what was spent in excess. An unknown cost counts as the whole reservation.
    ///
    /// # Errors
    ///
    /// Fails if that cannot be written; then the reservation counts as spent.
    pub fn settle(self, cost_usd: Option<f64>) -> Result<(), BudgetError> {
        let cost = cost_usd.filter(|cost| *cost >= 0.0).map(|cost| (cost * NANOS_PER_USD).ceil() as u64);
        match cost {
            Some(cost) if cost != self.nanousd => {
                self.budget.change(self.day, |spent| Ok(spent.saturating_sub(self.nanousd).saturating_add(cost)))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;
    use crate::judge::testing::NOW_MS;

    fn budget(usd: f64) -> (tempfile::TempDir, Budget) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let budget = Budget::open(folder.path(), usd).expect("a new account");
        (folder, budget)
    }

    #[test]
    fn the_remaining_budget_can_be_spent() {
        let (_folder, budget) = budget(1.0);
        let _reservation = budget.reserve(0.4, NOW_MS).expect("enough");
        assert!(matches!(budget.reserve(0.600_000_001, NOW_MS), Err(BudgetError::Exceeded { .. })));
        let rest = budget.reserve(0.6, NOW_MS).expect("exactly the rest");
        let error = budget.reserve(0.000_000_001, NOW_MS).expect_err("nothing left").to_string();
        assert!(error.contains("0.0000 of the 1 a day are left"), "{error}");
        let _free = budget.reserve(0.0, NOW_MS).expect("nothing costs nothing");
        rest.settle(Some(0.1)).expect("settled");
        assert_eq!(budget.spent_usd(NOW_MS), Ok(0.5));
        let _again = budget.reserve(0.5, NOW_MS).expect("given back");
    }

    #[test]
    fn a_reservation_that_is_never_settled_is_spent() {
        let (_folder, budget) = budget(1.0);
        drop(budget.reserve(0.75, NOW_MS).expect("enough"));
        assert_eq!(budget.spent_usd(NOW_MS), Ok(0.75));
        budget.reserve(0.25, NOW_MS).expect("enough").settle(None).expect("settled");
        assert_eq!(budget.spent_usd(NOW_MS), Ok(1.0));
    }

    #[test]
    fn what_costs_more_than_was_set_aside_is_counted_as_well() {
        let (_folder, budget) = budget(1.0);
        budget.reserve(0.5, NOW_MS).expect("enough").settle(Some(2.0)).expect("settled");
        assert_eq!(budget.spent_usd(NOW_MS), Ok(2.0));
        assert!(budget.reserve(0.1, NOW_MS).is_err());
    }

    #[test]
    fn every_day_has_its_own_money() {
        let (_folder, budget) = budget(1.0);
        let midnight = (NOW_MS / DAY_MS + 1) * DAY_MS;
        let late = budget.reserve(1.0, midnight - 1).expect("today");
        let _early = budget.reserve(1.0, midnight).expect("tomorrow");
        late.settle(Some(0.25)).expect("settled");
        assert_eq!((budget.spent_usd(midnight - 1), budget.spent_usd(midnight)), (Ok(0.25), Ok(1.0)));
        for day in 1..DAYS_MAX as i64 {
            let _ = budget.reserve(0.5, midnight + day * DAY_MS);
        }
        assert_eq!((budget.spent_usd(midnight - 1), budget.spent_usd(midnight)), (Ok(0.0), Ok(1.0)));
    }

    #[test]
    fn what_is_no_price_is_not_set_aside() {
        let (_folder, budget) = budget(1.0);
        for price in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(budget.reserve(price, NOW_MS).is_err(), "{price}");
        }
    }

    #[test]
    fn a_damaged_account_is_not_an_empty_one() {
        let (_folder, budget) = budget(1.0);
        fs::write(budget.folder.file(FILE), b"{\"assize\":1,\"days\":{\"20").expect("written");
        let error = budget.reserve(0.1, NOW_MS).expect_err("refused").to_string();
        assert!(error.contains("spent.json") && error.contains("remove the file"), "{error}");
    }

    #[test]
    fn threads_never_spend_more_than_there_is() {
        let (folder, _) = budget(1.0);
        let granted = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let budget = Budget::open(folder.path(), 1.0).expect("the account");
                    for _ in 0..5 {
                        if let Ok(reservation) = budget.reserve(0.1, NOW_MS) {
                            granted.fetch_add(1, Ordering::SeqCst);
                            reservation.settle(Some(0.05)).expect("settled");
                        }
                    }
                });
            }
        });
        let budget = Budget::open(folder.path(), 1.0).expect("the account");
        let spent = budget.spent_usd(NOW_MS).expect("readable");
        let granted = f64::from(granted.load(Ordering::SeqCst));
        assert!((spent - granted * 0.05).abs() < 1e-9 && spent <= 1.0, "{granted} granted, {spent} spent");
        // The whole budget can be spent, whichever thread comes first.
        assert!(granted >= 10.0, "{granted}");
    }

    #[test]
    fn reservations_of_threads_that_do_not_settle_stop_at_the_limit() {
        let (folder, _) = budget(1.0);
        let granted = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let budget = Budget::open(folder.path(), 1.0).expect("the account");
                    for _ in 0..3 {
                        granted.fetch_add(u32::from(budget.reserve(0.1, NOW_MS).is_ok()), Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(granted.load(Ordering::SeqCst), 10);
    }
}
