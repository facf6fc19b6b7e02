//! Decides, once a part of the work has passed, whether to continue, to begin anew with a fresh view, or to end.
//!
//! Work that belongs together is done together: the run continues as long as something is open that touches what was
//! just changed. Other open work is left to a run that does not carry all of this along. This module must not know how
//! the work is done.

use std::collections::BTreeSet;

use super::bid::PlannedChange;

/// What comes next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RotationDecision {
    /// Nothing: everything that was demanded is done.
    Complete,
    /// These requirements, which belong to what was just done.
    Continue(Vec<String>),
    /// Another run, from the beginning: what is open belongs to something else.
    Rotate,
    /// A person: what is open belongs to what was just done, and no iteration is left.
    Attention(Vec<String>),
}

/// Decides what comes next.
///
/// `open` are the boxes that are still open, by their ids; `planned` is what any bid would change for them; `touched` are the files that
/// were just changed. An open box belongs to what was done where a bid has it in a file that was touched, or in a module of
/// one.
pub fn onward(
    open: &[String],
    planned: &[PlannedChange],
    touched: &BTreeSet<String>,
    module_of: &dyn Fn(&str) -> String,
    iterations_left: u32,
) -> RotationDecision {
    if open.is_empty() {
        return RotationDecision::Complete;
    }
    let modules: BTreeSet<String> = touched.iter().map(|path| module_of(path)).collect();
    let is_for = |change: &PlannedChange, id: &str| {
        let of_part = |named: &str| named.strip_prefix(id).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        change.requirements.iter().any(|named| of_part(named))
    };
    let is_near = |change: &PlannedChange| touched.contains(&change.path) || modules.contains(&module_of(&change.path));
    let belongs = |id: &&String| planned.iter().any(|change| is_for(change, id) && is_near(change));
    let related: Vec<String> = open.iter().filter(belongs).cloned().collect();
    match (related.is_empty(), iterations_left) {
        (true, _) => RotationDecision::Rotate,
        (false, 0) => RotationDecision::Attention(related),
        (false, _) => RotationDecision::Continue(related),
    }
}

#[cfg(test)]
mod tests {
    use super::super::bid::ChangeKind;
    use super::super::bid::tests::change;
    use super::*;

    fn next(open: &[&str], iterations_left: u32) -> RotationDecision {
        let planned = [
            change("auth/token.rs", ChangeKind::Edit, &["req_1", "req_2.1"]),
            change("auth/log.rs", ChangeKind::Add, &["req_3"]),
            change("web.rs", ChangeKind::Edit, &["req_10", "req_4"]),
        ];
        let touched = BTreeSet::from(["auth/token.rs".to_owned()]);
        let module = |path: &str| path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let open: Vec<String> = open.iter().map(|id| (*id).to_owned()).collect();
        onward(&open, &planned, &touched, &module, iterations_left)
    }

    #[test]
    fn what_belongs_together_is_done_together() {
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        for (open, left, wanted) in [
            (&[][..], 3, RotationDecision::Complete),
            (&["req_2", "req_4"], 3, RotationDecision::Continue(ids(&["req_2"]))),
            (&["req_3"], 3, RotationDecision::Continue(ids(&["req_3"]))),
            (&["req_4"], 3, RotationDecision::Rotate),
            (&["req_9"], 3, RotationDecision::Rotate),
            (&["req_2"], 0, RotationDecision::Attention(ids(&["req_2"]))),
            (&["req_4"], 0, RotationDecision::Rotate),
        ] {
            assert_eq!(next(open, left), wanted, "{open:?}");
        }
    }
}
