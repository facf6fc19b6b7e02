//! Fixes that could go on: those that were interrupted, and those of which nothing was written.

use assize_engine::ledger::Ledger;
use assize_ledger::event::LedgerEvent;
use assize_review::fix::record::FixStart;

use crate::court::fix::ID;
use crate::exit::{Failure, Result};
use crate::record::{self, OPEN_MAX};

/// With what a fix is over.
const OVER: [&str; 2] = ["fix_ended", "patch_applied"];
/// Most fixes that are listed, the newest ones.
pub const LISTED_MAX: u32 = 20;

/// A fix that could go on.
#[derive(Debug)]
pub struct Open {
    /// Where it stands in the ledger.
    pub session: String,
    /// When it began.
    pub at_ms: i64,
    /// What it began with.
    pub start: FixStart,
}

impl Open {
    /// Returns what people call it by.
    pub fn id(&self) -> &str {
        self.session.split_once('/').map_or(&self.session, |(_, id)| id)
    }

    /// Names the parts in which `start` differs from the start of this fix. Resuming the fix needs the very same start.
    pub fn differences(&self, start: &FixStart) -> Vec<&'static str> {
        let (own, case) = (&self.start, &start.case);
        let parts = [
            ("tree", own.tree == start.tree),
            ("base", own.case.base == case.base),
            ("specification", own.case.specification == case.specification),
            ("settings", own.settings == start.settings),
            ("limits", own.policy == start.policy),
            ("fixer", own.fixer == start.fixer),
        ];
        parts.into_iter().filter(|(_, is_same)| !is_same).map(|(name, _)| name).collect()
    }
}

/// Lists the newest `most` fixes that could go on, newest first.
pub fn open(ledger: &Ledger, most: u32) -> Result<Vec<Open>> {
    let open = record::open(ledger, ID, OVER, most)?.into_iter();
    let fix = |open: record::ResumableCase| match open.start {
        LedgerEvent::FixStarted(start) => Some(Open { session: open.session, at_ms: open.at_ms, start: *start }),
        _ => None,
    };
    Ok(open.filter_map(fix).collect())
}

/// Returns the one that people call by an id.
pub fn find(ledger: &Ledger, id: &str) -> Result<Open> {
    let mut open = open(ledger, OPEN_MAX)?.into_iter();
    open.find(|open| open.id() == id || open.session == id).ok_or_else(|| {
        Failure::new(format!("--resume {id}: no fix with this id can be resumed"))
            .hint("`assize fix --resume` lists them")
    })
}

#[cfg(test)]
mod tests {
    use assize_core::text::Untrusted;
    use assize_engine::ledger_place::LedgerPlace;
    use assize_patch::Patch;
    use assize_review::case::ReviewCase;
    use assize_review::fix::policy::FixPolicy;

    use super::*;

    fn start(tree: &str) -> FixStart {
        FixStart {
            case: ReviewCase::default(),
            tree: tree.to_owned(),
            settings: String::new(),
            policy: FixPolicy::default(),
            fixer: None,
        }
    }

    #[test]
    fn open_fixes_are_found_newest_first_and_up_to_a_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut ledger = Ledger::open(&LedgerPlace::unanchored(folder.path().join("ledger.db"))).expect("a ledger");
        let mut begin = |session: String| {
            let event = LedgerEvent::FixStarted(Box::new(start(&session)));
            ledger.append(0, ID, &session, &event).expect("recorded");
        };
        let most = LISTED_MAX;
        (0..=most).for_each(|number| begin(format!("fix/{number}")));
        let ids = |ledger: &Ledger| {
            let open = open(ledger, LISTED_MAX).expect("read");
            open.iter().map(|open| open.id().to_owned()).collect::<Vec<_>>()
        };
        let newest: Vec<String> = (1..=most).rev().map(|number| number.to_string()).collect();
        assert_eq!(ids(&ledger), newest);
        // What is not listed any more can go on all the same, by its id and by what it began with.
        assert_eq!(find(&ledger, "0").expect("found").start.tree, "fix/0");
        let all = open(&ledger, OPEN_MAX).expect("read");
        assert!(all.iter().any(|open| open.differences(&start("fix/0")).is_empty()));
        let none = || Patch { ops: Vec::new() };
        let intended = LedgerEvent::PatchIntended { patch: none(), inverse: none() };
        ledger.append(0, ID, &format!("fix/{most}"), &intended).expect("recorded");
        assert!(find(&ledger, &most.to_string()).is_ok(), "nobody knows whether it is written");
        let written = LedgerEvent::PatchApplied { patch: none(), inverse: none() };
        ledger.append(0, ID, &format!("fix/{most}"), &written).expect("recorded");
        let rest: Vec<String> = (0..most).rev().map(|number| number.to_string()).collect();
        assert_eq!(ids(&ledger), rest);
        assert_eq!(find(&ledger, "3").expect("found").start.tree, "fix/3");
        assert_eq!(find(&ledger, "fix/3").expect("found").id(), "3");
        assert!(find(&ledger, &most.to_string()).is_err() && find(&ledger, "").is_err());
        let book = include_str!("../../../../../docs/src/tasks/fix.md");
        assert!(book.contains(&format!("lists the newest {LISTED_MAX}\n")));
        assert!(book.contains(&format!("among the newest {},{:03} ", OPEN_MAX / 1_000, OPEN_MAX % 1_000)));
    }

    #[test]
    fn whatever_differs_is_named() {
        let open = Open { session: "fix/1".to_owned(), at_ms: 0, start: start("a") };
        assert_eq!(open.differences(&start("a")), [""; 0]);
        let case = ReviewCase {
            specification: Untrusted::new("mend it"),
            base: Some("c0ffee".to_owned()),
            ..ReviewCase::default()
        };
        let other = FixStart {
            case,
            settings: "b".to_owned(),
            policy: FixPolicy { rounds_max: 9, ..FixPolicy::default() },
            fixer: Some("c".to_owned()),
            ..start("b")
        };
        let all = ["tree", "base", "specification", "settings", "limits", "fixer"];
        assert_eq!(open.differences(&other), all);
    }
}
