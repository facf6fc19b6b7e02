//! `mvn test`: builds Java code and runs its tests with Maven.

use assize_core::path::{file_name, is_below, parent, within};
use assize_ecosystem::is_generated;
use assize_report::{ToolReport, ReportError};

use super::{Dimension, Gate, GateCommand, GateOutput, Project, REPORTS, Setup, surefire};

/// A builder of Java projects.
pub struct Maven;

/// Our script, which gathers the reports.
const SCRIPT: &str = "maven.sh";
/// Offline, each module for itself, and no setting that leaves tests out or lets them fail. A fork with tests has the time of
/// four: surefire has no limit for one alone.
const OPTIONS: &[&str] = &[
    "-B",
    "-o",
    "-ntp",
    "-fae",
    "-DtrimStackTrace=true",
    "-DskipTests=false",
    "-Dmaven.test.skip=false",
    "-Dmaven.test.failure.ignore=false",
    "-Dsurefire.timeout={package_seconds}",
    "test",
];

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

    fn calls(&self) -> &'static [&'static str] {
        &["mvn"]
    }

    fn detect(&self, project: &Project) -> Vec<Setup> {
        outermost(project, &["pom.xml"])
    }

    fn command(&self, setup: &Setup, project: &Project) -> GateCommand {
        let wrapper = within(&setup.folder, "mvnw");
        let own = ["sh", "./mvnw"];
        // A wrapper would fetch Maven, which it cannot here; it is taken where there is no other.
        let maven: &[&str] =
            if project.files.contains(&wrapper) && !project.programs.contains("mvn") { &own } else { &["mvn"] };
        // What is not there is to be missed by its name.
        let is_there = maven.iter().all(|word| *word == "./mvnw" || project.programs.contains(*word));
        let script = format!("{REPORTS}/{SCRIPT}");
        let first: &[&str] = if is_there { &["sh", &script, REPORTS] } else { &[] };
        let mut words = first.iter().chain(maven).chain(OPTIONS).map(|word| (*word).to_owned());
        GateCommand {
            program: words.next().unwrap_or_default(),
            arguments: words.collect(),
            folder: setup.folder.clone(),
            environment: [].into(),
            provided: [(SCRIPT.to_owned(), include_str!("../../drivers/maven.sh").to_owned())].into(),
        }
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
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
    use super::super::GateTrouble::{Contradiction, NoReport, NoTests};
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
        let state = |status: i32, said: &str, reports: &[&str]| {
            let named =
                reports.iter().enumerate().map(|(at, text)| (format!("TEST-{at}.xml"), text.as_bytes().to_vec()));
            let stdout = said.as_bytes().to_vec();
            let output = GateOutput { status: Some(status), stdout, reports: named.collect(), ..GateOutput::default() };
            let run = GateRun::of(&Maven, &setup, &output, None);
            (run.state, run.trouble.map(|(kind, _)| kind))
        };
        let (green, red) = (
            r#"<testsuite><testcase name="x" classname="A"/></testsuite>"#,
            r#"<testsuite><testcase name="y" classname="B"><failure/></testcase></testsuite>"#,
        );
        let unbuilt = "[ERROR] /p/A.java:[3,9] cannot find symbol\n";
        let (passed, failed) = ((GateState::Passed, None), (GateState::Failed, None));
        let errored = |kind| (GateState::Errored, Some(kind));
        assert_eq!(state(0, "", &[green]), passed);
        assert_eq!(state(1, "", &[green, red]), failed);
        assert_eq!(state(0, "", &[green, red]), errored(Contradiction), "a fault and status 0");
        assert_eq!(state(0, "BUILD SUCCESS", &[]), errored(NoTests));
        assert_eq!(state(1, unbuilt, &[]), failed, "it does not compile");
        assert_eq!(state(1, unbuilt, &[green]), failed, "a module does not compile");
        assert_eq!(state(1, "[ERROR] No plugin.", &[]), errored(NoReport), "nobody knows whose fault it is");
        assert_eq!(state(1, "", &[green]), errored(Contradiction), "nobody knows what failed");
        assert_eq!(state(1, "[INFO] Running C\n", &[green]), failed, "a class was left");
    }

    #[test]
    fn maven_is_called_by_our_script_where_it_is_there() {
        for (files, programs, expected) in [
            (&["pom.xml"][..], &["sh", "mvn"][..], "sh {reports}/maven.sh {reports} mvn -B"),
            (&["pom.xml", "mvnw"], &["sh", "mvn"], "sh {reports}/maven.sh {reports} mvn -B"),
            (&["pom.xml", "mvnw"], &["sh"], "sh {reports}/maven.sh {reports} sh ./mvnw"),
            (&["pom.xml"], &["sh"], "mvn -B"),
        ] {
            let project = project(&[], files, programs);
            let command = Maven.command(&Maven.detect(&project)[0], &project);
            let shown = format!("{} {}", command.program, command.arguments.join(" "));
            assert!(shown.starts_with(expected), "{shown}");
        }
    }
}
