//! `gradle test`: builds Java and Kotlin code and runs its tests with Gradle.

use super::javascript::within;
use super::maven::outermost;
use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, surefire};
use crate::report::{Report, ReportError};

/// A builder of Java and Kotlin projects.
pub struct Gradle;

/// Has every task for tests leave its report where we look for it, whatever the build says.
const SETTINGS: &str = r#"allprojects {
    tasks.withType(Test).configureEach {
        reports.junitXml.required = true
        reports.junitXml.outputLocation = new File(System.getenv('ASSIZE_REPORTS'), path.replace(':', '_'))
        ignoreFailures = false
        outputs.upToDateWhen { false }
    }
}
"#;

impl Gate for Gradle {
    fn id(&self) -> &'static str {
        "gradle"
    }

    fn summary(&self) -> &'static str {
        "builds Java and Kotlin code and runs its tests with Gradle"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::TestsFunctional]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        outermost(project, &["settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts"])
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let wrapper = within(&setup.folder, "gradlew");
        let shell = project.files.contains(&wrapper) && !project.programs.contains("gradle");
        let own = if shell { vec!["./gradlew"] } else { Vec::new() };
        let options =
            ["--offline", "--no-daemon", "--continue", "--console=plain", "-I", "{reports}/reports.gradle", "test"];
        GateCommand {
            program: if shell { "sh" } else { "gradle" }.to_owned(),
            arguments: own.into_iter().chain(options).map(str::to_owned).collect(),
            folder: setup.folder.clone(),
            environment: [("ASSIZE_REPORTS".to_owned(), super::REPORTS.to_owned())].into(),
            provided: [("reports.gradle".to_owned(), SETTINGS.to_owned())].into(),
        }
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<Report, ReportError> {
        surefire::report(setup, output)
    }
}
