//! `mvn test`: builds Java code and runs its tests with Maven.

use super::javascript::{is_below, parent, within};
use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup, surefire};
use crate::path::{file_name, is_generated};
use crate::report::{Report, ReportError};

/// A builder of Java projects.
pub struct Maven;

impl Gate for Maven {
    fn id(&self) -> &'static str {
        "maven"
    }

    fn summary(&self) -> &'static str {
        "builds Java code and runs its tests with Maven"
    }

    fn dimensions(&self) -> &'static [Dimension] {
        &[Dimension::TestsFunctional]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        outermost(project, &["pom.xml"])
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let wrapper = within(&setup.folder, "mvnw");
        // A wrapper would fetch Maven, which it cannot here; it is taken where there is no other.
        let shell = project.files.contains(&wrapper) && !project.programs.contains("mvn");
        let program = if shell { "sh" } else { "mvn" };
        let options =
            ["-B", "-o", "-ntp", "-fae", "-DtrimStackTrace=true", "-Dsurefire.reportsDirectory={reports}", "test"];
        let own = if shell { vec!["./mvnw"] } else { Vec::new() };
        GateCommand {
            program: program.to_owned(),
            arguments: own.into_iter().chain(options).map(str::to_owned).collect(),
            folder: setup.folder.clone(),
            environment: [].into(),
            provided: [].into(),
        }
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<Report, ReportError> {
        surefire::report(setup, output)
    }
}

/// The outermost folders that hold one of these files: projects below them belong to their build.
pub(super) fn outermost(project: &Project, names: &[&str]) -> Vec<Setup> {
    let mut found: Vec<&String> =
        project.files.iter().filter(|path| names.contains(&file_name(path)) && !is_generated(path)).collect();
    found.sort_by_key(|path| (path.matches('/').count(), path.to_owned()));
    let mut setups: Vec<Setup> = Vec::new();
    for path in found {
        if !setups.iter().any(|setup| is_below(path, &setup.folder)) {
            let because = format!("there is a {path}");
            setups.push(Setup { folder: parent(path).to_owned(), because, detail: String::new() });
        }
    }
    setups
}

#[cfg(test)]
mod tests {
    use super::super::python::tests::project;
    use super::super::{GateRun, GateState};
    use super::*;

    #[test]
    fn modules_belong_to_the_build_above() {
        let files = ["a/pom.xml", "a/b/pom.xml", "c/pom.xml"];
        let found = Maven.detect(&project(&[], &files, &["mvn"]));
        assert_eq!(found.iter().map(|setup| setup.folder.as_str()).collect::<Vec<_>>(), ["a", "c"]);
    }

    #[test]
    fn a_build_is_worth_what_its_tests_say() {
        let setup = Setup { folder: String::new(), because: String::new(), detail: String::new() };
        let state = |status: i32, reports: &[&str]| {
            let named =
                reports.iter().enumerate().map(|(at, text)| (format!("TEST-{at}.xml"), text.as_bytes().to_vec()));
            let output = GateOutput { status: Some(status), reports: named.collect(), ..GateOutput::default() };
            GateRun::of(&Maven, &setup, &output, None).state
        };
        let (green, red) = (
            r#"<testsuite><testcase name="x" classname="A"/></testsuite>"#,
            r#"<testsuite><testcase name="y" classname="B"><failure/></testcase></testsuite>"#,
        );
        assert_eq!(state(0, &[green]), GateState::Passed);
        assert_eq!(state(1, &[green, red]), GateState::Failed);
        assert_eq!(state(0, &[green, red]), GateState::Errored, "a fault and status 0");
        assert_eq!(state(0, &[]), GateState::Errored, "no test");
        assert_eq!(state(1, &[]), GateState::Failed, "it does not compile");
        assert_eq!(state(1, &[green]), GateState::Errored, "nobody knows what failed");
    }
}
