//! The pages about what this crate reports.

assize_core::pages! {
    Rule "clause-broken": "../pages/rule/clause-broken.md",
    Rule "clause-contradicted": "../pages/rule/clause-contradicted.md",
    Rule "clause-unknown": "../pages/rule/clause-unknown.md",
    Rule "count-contradicted": "../pages/rule/count-contradicted.md",
    Rule "countable": "../pages/rule/countable.md",
    Rule "lever-not-set": "../pages/rule/lever-not-set.md",
    Rule "no-criteria": "../pages/rule/no-criteria.md",
    Rule "no-example": "../pages/rule/no-example.md",
    Rule "no-threshold": "../pages/rule/no-threshold.md",
    Rule "unmeasured-word": "../pages/rule/unmeasured-word.md",
    Rule "vague-criterion": "../pages/rule/vague-criterion.md",
}
