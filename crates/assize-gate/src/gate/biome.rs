//! `biome ci`: lints and formatting of JavaScript and others, where the project configures Biome.

use assize_core::path::{is_below, parent};
use assize_ecosystem::is_generated;
use assize_report::{ReportError, ToolReport, biome};

use super::javascript;
use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, listed};

/// A linter and formatter of JavaScript.
pub struct Biome;

impl Gate for Biome {
    fn id(&self) -> &'static str {
        "biome"
    }

    fn summary(&self) -> &'static str {
        "checks lints and formatting with Biome"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::Style]
    }

    fn calls(&self) -> &'static [&'static str] {
        &["biome"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        let tool = listed("biome");
        let mut setups: Vec<Setup> = Vec::new();
        let mut configured: Vec<&String> =
            project.files.iter().filter(|path| tool.is_told_by(path) && !is_generated(path)).collect();
        configured.sort_by_key(|path| path.matches('/').count());
        for path in configured {
            if !setups.iter().any(|setup| is_below(path, &setup.folder)) {
                let because = format!("there is a {path}");
                setups.push(Setup { folder: parent(path).to_owned(), because, detail: String::new() });
            }
        }
        // Without settings it works as well, where it is called.
        for called in javascript::checked_setups(project, "biome", &["ci", "check", "lint"]) {
            if !setups.iter().any(|setup| is_below(&called.folder, &setup.folder)) {
                setups.push(called);
            }
        }
        setups
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        javascript::command(
            setup,
            project,
            "biome",
            &["ci", "--reporter=json", "--max-diagnostics=20000", "--colors=off", "."],
        )
    }

    fn rewrite(&self, setup: &Setup, project: &Project, files: &[&str]) -> Option<GateCommand> {
        // Its reports do not say which fixes are safe; it applies no others unless told to.
        javascript::command(setup, project, "biome", &["check", "--write", "--colors=off"]).on(files)
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        Ok(javascript::place(biome::parse(&output.stdout)?, setup, output))
    }
}
