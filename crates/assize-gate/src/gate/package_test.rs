//! The script `test` of a `package.json` whose runner is not a gate of its own.
//!
//! Status 0 proves nothing: it does not tell whether any test ran. So this gate can be red, and is green only where a
//! review finds out more; see [`crate::status_alone`]. A project whose runner writes a report in a known format declares a gate for it.

use assize_core::path::is_below;
use assize_ecosystem::pipeline::PackageScript;
use assize_report::{ToolReport, ReportError};

use super::node_test::is_placeholder;
use super::package_script::{self, STATUSES};
use super::script::ScriptStep;
use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, ava, borp, javascript, jest, mocha, node_test, runner, tap, tape, vitest};

/// How a package is tested, when it is not known by what.
pub struct PackageTest;

impl Gate for PackageTest {
    fn id(&self) -> &'static str {
        "package-test"
    }

    fn summary(&self) -> &'static str {
        "runs the script `test` of a package whose runner is not known"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::TestsFunctional]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        let runners: [&dyn Gate; 8] =
            [&node_test::NodeTest, &borp::Borp, &ava::Ava, &vitest::Vitest, &jest::Jest, &mocha::Mocha, &tap::Tap, &tape::Tape];
        let known: Vec<Setup> = runners.iter().flat_map(|gate| gate.detect(project)).collect();
        let mut setups = package_script::setups(project, &["test"], |_, _| false);
        setups.retain(|setup| {
            let placeholder = javascript::package(project, &setup.folder).script("test").is_some_and(is_placeholder);
            // A runner that is only set up, in a package below the root, does not run where the maintainers call the script.
            let is_called = |script: &PackageScript| script.folder == setup.folder && script.name == setup.detail;
            let pipeline = &project.pipeline;
            let is_own = !setup.folder.is_empty() && pipeline.is_complete && pipeline.scripts.iter().any(is_called);
            let stands_for = |other: &Setup| other.folder == setup.folder && !(is_own && other.detail.is_empty());
            !placeholder && !known.iter().any(stands_for)
        });
        // The script of the outermost package often does nothing but call those of the others.
        let inner = |setup: &Setup| known.iter().any(|other| is_below(&other.folder, &setup.folder));
        setups.retain(|setup| !inner(setup));
        setups
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let environment = javascript::runner_environment();
        // What rewrites the files hides what it finds, and tests must be those that were handed in.
        let rewrites = |step: &ScriptStep| {
            runner::is_check(step) && step.arguments().iter().any(|word| matches!(&*word.text, "--fix" | "--write"))
        };
        GateCommand { environment, ..package_script::command_without(setup, project, rewrites) }
    }

    fn built(&self, setup: &Setup, project: &Project) -> Option<Setup> {
        runner::built(setup, project)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        let report = package_script::report(setup, output)?;
        if report.diagnostics.is_empty() {
            return Err(ReportError::StatusAlone(format!(
                "it is unknown which tests the script `{}` ran; a [[gate]] can name a command that writes a report",
                setup.detail
            )));
        }
        Ok(report)
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        STATUSES
    }
}
