//! The list of gates as programs read it.

use std::collections::BTreeMap;

use assize_core::envelope::VERSION;
use serde::Serialize;

use crate::gate::{GATES, Project};
use crate::plan::{GatePlan, LeftOutGate};

/// What `assize gates --list` and `--plan` print.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GateList<'a> {
    /// The version of this shape: 1.
    pub assize: u32,
    /// The gates that the project uses.
    pub used: Vec<UsedGate<'a>>,
    /// The gates that were recognized and do not run.
    pub left_out: &'a [LeftOutGate],
    /// What could not be read of what the maintainers run, in words.
    pub unread: &'a [String],
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
    /// What calls for it: a command that the maintainers run, or what it was recognized by.
    pub because: &'a str,
    /// Its command, for a shell.
    pub command: String,
}

impl<'a> GateList<'a> {
    /// Makes the document of the gates that a project uses.
    pub fn of(plan: &'a GatePlan<'a>, project: &'a Project) -> Self {
        let used = plan.due.iter().map(|(gate, setup)| UsedGate {
            id: gate.id(),
            folder: &setup.folder,
            because: &setup.because,
            command: gate.command(setup, project).again(gate.id()),
        });
        let known = GATES.iter().map(|gate| (gate.id(), gate.summary())).collect();
        Self {
            assize: VERSION,
            used: used.collect(),
            left_out: &plan.left_out,
            unread: &project.pipeline.unread,
            known,
        }
    }
}
