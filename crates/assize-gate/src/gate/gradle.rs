//! `gradle test`: builds Java and Kotlin code and runs its tests with Gradle.

use assize_core::path::within;
use assize_report::{ToolReport, ReportError};

use super::maven::outermost;
use super::{Dimension, Gate, GateCommand, GateOutput, Project, REPORTS, Setup, surefire};

/// A builder of Java and Kotlin projects.
pub struct Gradle;

/// Has every task for tests leave its report where we look for it, and end in time, whatever the build says: it is asked
/// last. Names of settings changed between versions 4 and 8. A process of tests that leaves with status 0 is no fault to
/// Gradle 4; its tests have begun all the same.
const SETTINGS: &str = r#"gradle.taskGraph.whenReady { graph ->
    graph.allTasks.findAll { it instanceof org.gradle.api.tasks.testing.Test }.each { task ->
        def xml = task.reports.junitXml
        def folder = new File(System.getenv('ASSIZE_REPORTS'), task.path.replace(':', '_'))
        if (xml.hasProperty('required')) {
            xml.required = true
            xml.outputLocation = folder
        } else {
            xml.enabled = true
            xml.destination = folder
        }
        if (task.hasProperty('timeout')) {
            task.timeout = java.time.Duration.ofSeconds({package_seconds})
        }
        task.ignoreFailures = false
        task.outputs.upToDateWhen { false }
        def open = new java.util.concurrent.atomic.AtomicInteger()
        task.beforeTest { open.incrementAndGet() }
        task.afterTest { test, result -> open.decrementAndGet() }
        task.doLast {
            if (open.get() != 0) {
                throw new GradleException("${open.get()} tests were begun and have no end")
            }
        }
    }
}
"#;

/// Our script, which gives Gradle a home that it can write to.
const SCRIPT: &str = "gradle.sh";
/// Our settings look at tasks, which a cache of the configuration does not allow.
const OPTIONS: &[&str] = &[
    "--offline",
    "--no-daemon",
    "--continue",
    "--console=plain",
    "-Dorg.gradle.configuration-cache=false",
    "-I",
    "{reports}/reports.gradle",
    "test",
];

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

    fn calls(&self) -> &'static [&'static str] {
        &["gradle"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        outermost(project, &["settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts"])
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let wrapper = within(&setup.folder, "gradlew");
        let own = ["sh", "./gradlew"];
        let gradle: &[&str] =
            if project.files.contains(&wrapper) && !project.programs.contains("gradle") { &own } else { &["gradle"] };
        // What is not there is to be missed by its name.
        let is_there = gradle.iter().all(|word| *word == "./gradlew" || project.programs.contains(*word));
        let script = format!("{REPORTS}/{SCRIPT}");
        let first: &[&str] = if is_there { &["sh", &script] } else { &[] };
        let mut words = first.iter().chain(gradle).chain(OPTIONS).map(|word| (*word).to_owned());
        let provided = [(SCRIPT, include_str!("../../drivers/gradle.sh")), ("reports.gradle", SETTINGS)];
        GateCommand {
            program: words.next().unwrap_or_default(),
            arguments: words.collect(),
            folder: setup.folder.clone(),
            environment: [("ASSIZE_REPORTS".to_owned(), REPORTS.to_owned())].into(),
            provided: provided.map(|(name, text)| (name.to_owned(), text.to_owned())).into(),
        }
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        surefire::report(setup, output)
    }
}

#[cfg(test)]
mod tests {
    use super::super::python::tests::project;
    use super::*;

    #[test]
    fn gradle_is_called_by_our_script_where_it_is_there() {
        for (files, programs, expected) in [
            (&["build.gradle"][..], &["sh", "gradle"][..], "sh {reports}/gradle.sh gradle --offline"),
            (&["build.gradle", "gradlew"], &["sh", "gradle"], "sh {reports}/gradle.sh gradle --offline"),
            (&["build.gradle", "gradlew"], &["sh"], "sh {reports}/gradle.sh sh ./gradlew --offline"),
            (&["build.gradle"], &["sh"], "gradle --offline"),
        ] {
            let project = project(&[], files, programs);
            let command = Gradle.command(&Gradle.detect(&project)[0], &project);
            let shown = format!("{} {}", command.program, command.arguments.join(" "));
            assert!(shown.starts_with(expected), "{shown}");
        }
    }
}
