//! The pages about what this crate reports.

crate::pages! {
    Cause "bad_configuration": "../pages/cause/bad_configuration.md",
    Cause "disagreement": "../pages/cause/disagreement.md",
    Cause "empty": "../pages/cause/empty.md",
    Cause "evidence_missing": "../pages/cause/evidence_missing.md",
    Cause "forged": "../pages/cause/forged.md",
    Cause "ledger_unavailable": "../pages/cause/ledger_unavailable.md",
    Cause "malformed": "../pages/cause/malformed.md",
    Cause "malformed_event": "../pages/cause/malformed_event.md",
    Cause "not_before_court": "../pages/cause/not_before_court.md",
    Cause "over_budget": "../pages/cause/over_budget.md",
    Cause "recursion": "../pages/cause/recursion.md",
    Cause "refused": "../pages/cause/refused.md",
    Cause "timeout": "../pages/cause/timeout.md",
    Cause "truncated": "../pages/cause/truncated.md",
    Cause "unavailable": "../pages/cause/unavailable.md",
}
