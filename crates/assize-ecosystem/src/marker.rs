//! Marks in code by which tests are left out of a run, or single tests are run alone.

/// How a mark takes a test out of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkipMarker {
    /// On every machine.
    Always,
    /// From a statement in its body on.
    Call,
    /// Where a condition holds.
    Sometimes,
    /// Runs it and lets it fail.
    Failing,
    /// Announces a test that is not written yet.
    Announced,
}

/// How an ecosystem marks its tests. Code comes a line at a time, without its comments and with its strings emptied.
#[derive(Debug, Clone, Copy)]
pub struct TestMarkers {
    /// Tells a mark that leaves a test out. Marks that stand in comments are told from the line as it was written.
    pub skip: fn(code: &str, raw: &str) -> Option<SkipMarker>,
    /// At least one of these stands in every such mark.
    pub skip_hints: &'static [&'static str],
    /// Tells a mark that leaves the other tests out.
    pub focus: fn(code: &str) -> bool,
    /// At least one of these stands in every such mark.
    pub focus_hints: &'static [&'static str],
}

impl TestMarkers {
    /// No marks.
    pub const NONE: Self = Self { skip: |_, _| None, skip_hints: &[], focus: |_| false, focus_hints: &[] };
}
