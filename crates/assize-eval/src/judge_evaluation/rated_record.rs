//! A record, as a judge and a person rate it.

/// One record, as a judge and a person see it. For each mode, in the order of the rubric: whether it fails.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RatedRecord {
    /// What the judge says; `None` where it did not judge.
    pub judge: Vec<Option<bool>>,
    /// What the person says; `None` where the person did not say.
    pub person: Vec<Option<bool>>,
    /// Its value of each field by which records are told apart.
    pub strata: Vec<String>,
}

impl RatedRecord {
    /// Returns whether the person has said of every mode whether the record fails.
    pub fn is_labelled(&self, modes: usize) -> bool {
        (0..modes).all(|mode| label(&self.person, mode).is_some())
    }
}

/// Returns what a list of labels says of a mode.
pub fn label(labels: &[Option<bool>], mode: usize) -> Option<bool> {
    labels.get(mode).copied().flatten()
}
