//! The pages about what this crate reports.

assize_core::pages! {
    Rule "boundary-break": "../pages/rule/boundary-break.md",
    Rule "boundary-cycle": "../pages/rule/boundary-cycle.md",
    Rule "casing": "../pages/rule/casing.md",
    Rule "file_pattern": "../pages/rule/file_pattern.md",
    Rule "glossary": "../pages/rule/glossary.md",
}
