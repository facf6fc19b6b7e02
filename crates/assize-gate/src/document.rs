//! The list of gates as programs read it.

use std::collections::BTreeMap;

use assize_core::envelope::VERSION;
use serde::Serialize;

use crate::gate::{GATES, Gate, Setup};

/// What `assize gates --list` prints.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GateList<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The gates that the project uses.
    pub used: Vec<UsedGate<'a>>,
    /// Every gate: what it is, by its id.
    pub known: BTreeMap<&'static str, &'static str>,
}

/// A gate that the project uses.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UsedGate<'a> {
    /// Its id.
    pub id: &'a str,
    /// The folder that it runs in, relative to the root; empty for the root itself.
    pub folder: &'a str,
    /// What it was recognized by.
    pub because: &'a str,
}

impl<'a> GateList<'a> {
    /// Makes the document of the gates that a project uses.
    pub fn of(used: &'a [(&'a dyn Gate, Setup)]) -> Self {
        let used =
            used.iter().map(|(gate, setup)| UsedGate { id: gate.id(), folder: &setup.folder, because: &setup.because });
        let known = GATES.iter().map(|gate| (gate.id(), gate.summary())).collect();
        Self { assize: VERSION, used: used.collect(), known }
    }
}
