//! The script `build` of a `package.json`, where no tool stands behind it that is a gate of its own.

use assize_report::{ToolReport, ReportError};

use super::javascript::NodePackage;
use super::package_script::{self, STATUSES};
use super::script::ScriptStep;
use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup};

/// How a package is built.
pub struct PackageBuild;

impl Gate for PackageBuild {
    fn id(&self) -> &'static str {
        "package-build"
    }

    fn summary(&self) -> &'static str {
        "runs the script `build` of a package"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Compilation]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        package_script::setups(project, &["build"], is_covered)
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
