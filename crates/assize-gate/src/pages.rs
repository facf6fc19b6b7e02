//! The pages about what this crate reports.

assize_core::pages! {
    Rule "failed-test": "../pages/rule/failed-test.md",
    Rule "gate-removed": "../pages/rule/gate-removed.md",
    Rule "gate-trouble": "../pages/rule/gate-trouble.md",
    Rule "hollow-tests": "../pages/rule/hollow-tests.md",
    Rule "passes-anyway": "../pages/rule/passes-anyway.md",
    Rule "tests-adapted": "../pages/rule/tests-adapted.md",
    Rule "tool-default-codes": "../pages/rule/tool-default-codes.md",
    Rule "vanished-tests": "../pages/rule/vanished-tests.md",
    Rule "without-twins": "../pages/rule/without-twins.md",
}
