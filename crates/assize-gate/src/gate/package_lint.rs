//! The script `lint` of a `package.json`, where no tool stands behind it that is a gate of its own.

use assize_report::{ToolReport, ReportError};

use super::biome::Biome;
use super::eslint::Eslint;
use super::javascript::NodePackage;
use super::oxfmt::Oxfmt;
use super::oxlint::Oxlint;
use super::package_script::{self, STATUSES};
use super::prettier::Prettier;
use super::script::ScriptStep;
use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup};

/// Checks that are gates of their own, with the names of their programs.
const CHECKS: [&dyn Gate; 5] = [&Biome, &Eslint, &Oxfmt, &Oxlint, &Prettier];

/// What a package has its code linted with.
pub struct PackageLint;

impl Gate for PackageLint {
    fn id(&self) -> &'static str {
        "package-lint"
    }

    fn summary(&self) -> &'static str {
        "runs the script `lint` of a package"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Style]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        package_script::setups(project, &["lint"], is_covered)
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        // Nothing is checked twice.
        let is_due = |gate: &&&dyn Gate| gate.detect(project).iter().any(|other| other.folder == setup.folder);
        let due: Vec<&str> = CHECKS.iter().filter(is_due).map(|gate| gate.id()).collect();
        package_script::command_without(setup, project, |step| due.contains(&step.head()))
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        package_script::report(setup, output)
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        STATUSES
    }
}

fn is_covered(_package: &NodePackage, step: &ScriptStep) -> bool {
    step.head() == "tsc" || CHECKS.iter().any(|gate| gate.id() == step.head())
}
