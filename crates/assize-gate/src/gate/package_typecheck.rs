//! The script `typecheck` of a `package.json`, where no tool stands behind it that is a gate of its own.

use assize_report::{ToolReport, ReportError};

use super::javascript::NodePackage;
use super::package_script::{self, STATUSES};
use super::runner;
use super::script::ScriptStep;
use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup};

/// What a package has its types checked with.
pub struct PackageTypecheck;

impl Gate for PackageTypecheck {
    fn id(&self) -> &'static str {
        "package-typecheck"
    }

    fn summary(&self) -> &'static str {
        "runs the script `typecheck` of a package"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Types]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        package_script::setups(project, &["typecheck", "type-check", "check-types", "types", "tsc"], is_covered)
    }

    fn built(&self, setup: &Setup, project: &Project) -> Option<Setup> {
        runner::built(setup, project)
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        package_script::command(setup, project)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        package_script::report(setup, output)
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        STATUSES
    }
}

fn is_covered(_package: &NodePackage, step: &ScriptStep) -> bool {
    step.head() == "tsc"
}
