//! A gate that a project declares in its configuration: any command that leaves a report in a format that is known.
//!
//! What is wrong with a declaration is said when it is read, not when it is run. It must not know any tool.

use assize_report::{self, CaseList, ReportError, TestRun, ToolReport};
use serde::Deserialize;
use serde::de::Error as _;

use super::{Dimension, Gate, GateCommand, GateOutput, Project, Setup};

/// Longest id of a declared gate, in bytes.
pub const ID_BYTES_MAX: usize = 64;
/// Formats whose tools write to both streams, so that only both together are the report.
const ON_BOTH_STREAMS: [&str; 5] = ["black", "go-vet", "prettier", "ruff-format", "rustfmt"];

/// A check that the project's own configuration describes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Declaration")]
pub struct DeclaredGate {
    /// The id that users type, in kebab case.
    pub id: String,
    /// The program and its arguments. [`super::REPORTS`] stands for the folder that takes the reports.
    pub command: Vec<String>,
    /// What its objections count against.
    pub dimension: Dimension,
    /// The name of the report's format, one of [`assize_report::FORMATS`].
    pub report: String,
    /// The folder that it runs in, relative to the root.
    pub folder: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Declaration {
    id: String,
    command: Vec<String>,
    dimension: Dimension,
    report: String,
    #[serde(default)]
    folder: String,
}

impl TryFrom<Declaration> for DeclaredGate {
    type Error = serde::de::value::Error;

    fn try_from(raw: Declaration) -> Result<Self, Self::Error> {
        let Declaration { id, command, dimension, report, folder } = raw;
        let wrong = |detail: String| Err(Self::Error::custom(format!("[[gate]] `{id}`: {detail}")));
        let is_kebab = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if id.is_empty() || id.len() > ID_BYTES_MAX || !id.chars().all(is_kebab) {
            return wrong(format!("an id is 1 to {ID_BYTES_MAX} small letters, digits and hyphens"));
        }
        if command.first().is_none_or(|program| program.trim().is_empty()) {
            return wrong("`command` needs a program, such as [\"make\", \"check\"]".to_owned());
        }
        if assize_report::format(&report).is_none() {
            let names: Vec<&str> = assize_report::FORMATS.iter().map(|format| format.name).collect();
            return wrong(format!("there is no format `{report}`; there are {}", names.join(", ")));
        }
        let folder = folder.trim_start_matches("./").trim_end_matches('/').to_owned();
        if folder.starts_with('/') || folder.split('/').any(|part| part == "..") {
            return wrong("`folder` must lie below the root of the project".to_owned());
        }
        Ok(Self { id, command, dimension, report, folder })
    }
}

impl Gate for DeclaredGate {
    fn id(&self) -> &str {
        &self.id
    }

    fn summary(&self) -> &str {
        "is declared by the project's own configuration"
    }

    fn dimensions(&self) -> &[Dimension] {
        std::slice::from_ref(&self.dimension)
    }

    fn detect(&self, _project: &Project) -> Vec<Setup> {
        let because = "the configuration declares it".to_owned();
        vec![Setup { folder: self.folder.clone(), because, detail: String::new() }]
    }

    fn command(&self, _setup: &Setup, _project: &Project) -> GateCommand {
        let mut words = self.command.iter().cloned();
        GateCommand {
            program: words.next().unwrap_or_default(),
            arguments: words.collect(),
            folder: self.folder.clone(),
            environment: [("CI", "1"), ("NO_COLOR", "1")].map(|(name, value)| (name.into(), value.into())).into(),
            provided: [].into(),
        }
    }

    fn parse(&self, setup: &Setup, output: &GateOutput) -> Result<ToolReport, ReportError> {
        let parse = assize_report::format(&self.report).map(|format| format.parse);
        let parse = parse.ok_or_else(|| ReportError::MissingTool(format!("no format {}", self.report)))?;
        let report = if !output.reports.is_empty() {
            let reports = output.reports.values().map(|bytes| parse(bytes)).collect::<Result<Vec<_>, _>>()?;
            together(reports)?
        } else if ON_BOTH_STREAMS.contains(&self.report.as_str()) {
            parse(&[&output.stdout[..], b"\n", &output.stderr].concat())?
        } else {
            parse(&output.stdout)?
        };
        Ok(placed(report, setup, output))
    }

    fn ordinary_statuses(&self) -> &'static [i32] {
        // The declaration does not say by which status its tool reports that it did not work. A status other than 0
        // without a fault in the report is a contradiction anyway.
        &[0, 1, 2, 3, 4]
    }
}

/// Puts the reports of one run together: some tools leave one for each file of tests.
pub(super) fn together(reports: Vec<ToolReport>) -> Result<ToolReport, ReportError> {
    let mut all = ToolReport::default();
    let mut cases: Option<CaseList> = None;
    for report in reports {
        report.diagnostics.into_iter().for_each(|diagnostic| all.object(diagnostic));
        all.diagnostics_left_out += report.diagnostics_left_out;
        all.coverage_pct = report.coverage_pct.or(all.coverage_pct);
        if let Some(run) = report.tests {
            run.check()?;
            let cases = cases.get_or_insert_default();
            for case in run.cases {
                cases.add(case)?;
            }
        }
    }
    all.tests = cases.map(|cases| TestRun { cases: cases.finish(), ..TestRun::default() });
    Ok(all)
}

/// Makes the places in a report relative to the root.
pub(super) fn placed(mut report: ToolReport, setup: &Setup, output: &GateOutput) -> ToolReport {
    for found in &mut report.diagnostics {
        output.place(found, &setup.folder);
        found.message = without_root(&found.message, output);
    }
    for case in report.tests.iter_mut().flat_map(|run| &mut run.cases) {
        case.path = case.path.take().map(|path| output.relative(&path, &setup.folder));
        case.message = case.message.take().map(|text| without_root(&text, output));
    }
    report
}

/// Takes the root of the tree out of a message: it differs from run to run.
pub(super) fn without_root(text: &str, output: &GateOutput) -> String {
    if output.root.is_empty() { text.to_owned() } else { text.replace(&format!("{}/", output.root), "") }
}

#[cfg(test)]
mod tests {
    use super::super::{GateRun, GateState};
    use super::*;

    fn declare(text: &str) -> Result<DeclaredGate, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    fn sound() -> DeclaredGate {
        declare(
            "id = \"make-check\"\ncommand = [\"make\", \"check\", \"OUT={reports}\"]\ndimension = \"tests_functional\"\n\
             report = \"junit\"\nfolder = \"./pkg/\"\n",
        )
        .unwrap()
    }

    #[test]
    fn a_declaration_becomes_a_gate() {
        let gate = sound();
        let setup = &gate.detect(&Project::default())[0];
        let command = gate.command(setup, &Project::default());
        assert_eq!((gate.id(), setup.folder.as_str(), command.folder.as_str()), ("make-check", "pkg", "pkg"));
        assert_eq!(
            (command.program.as_str(), &command.arguments[..]),
            ("make", &["check", "OUT={reports}"].map(str::to_owned)[..])
        );
        assert_eq!(gate.dimensions(), [Dimension::TestsFunctional]);
    }

    #[test]
    fn what_is_wrong_is_said_when_it_is_read() {
        let long = "a".repeat(ID_BYTES_MAX + 1);
        for (id, command, report, folder, more, says) in [
            ("A", "[\"x\"]", "junit", "", "", "small letters"),
            ("", "[\"x\"]", "junit", "", "", "small letters"),
            (&long, "[\"x\"]", "junit", "", "", "small letters"),
            ("a", "[]", "junit", "", "", "needs a program"),
            ("a", "[\" \"]", "junit", "", "", "needs a program"),
            ("a", "[\"x\"]", "html", "", "", "there are biome"),
            ("a", "[\"x\"]", "junit", "../b", "", "below the root"),
            ("a", "[\"x\"]", "junit", "/b", "", "below the root"),
            ("a", "[\"x\"]", "junit", "", "shell = true", "unknown field"),
        ] {
            let text = format!(
                "id = \"{id}\"\ncommand = {command}\ndimension = \"style\"\nreport = \"{report}\"\nfolder = \"{folder}\"\n{more}\n"
            );
            let found = declare(&text).unwrap_err();
            assert!(found.contains(says), "{text}: {found}");
        }
        let longest = "a".repeat(ID_BYTES_MAX);
        let text = format!("id = \"{longest}\"\ncommand = [\"x\"]\ndimension = \"style\"\nreport = \"sarif\"\n");
        assert_eq!(declare(&text).unwrap().folder, "");
    }

    #[test]
    fn reports_are_read_from_files_or_from_the_output() {
        let (red, green) = (
            br#"<testsuite><testcase name="x"><failure/></testcase></testsuite>"#.to_vec(),
            br#"<testsuite><testcase name="x"/></testsuite>"#.to_vec(),
        );
        let gate = sound();
        let setup = &gate.detect(&Project::default())[0];
        let state = |status: i32, stdout: &[u8], reports: &[&Vec<u8>]| {
            let reports = reports.iter().enumerate().map(|(at, bytes)| (at.to_string(), (*bytes).clone())).collect();
            let output = GateOutput { status: Some(status), stdout: stdout.to_vec(), reports, ..GateOutput::default() };
            GateRun::of(&gate, setup, &output, None).state
        };
        assert_eq!(state(0, &green, &[]), GateState::Passed);
        assert_eq!(state(1, &red, &[]), GateState::Failed);
        assert_eq!(state(0, b"noise", &[&green]), GateState::Passed);
        assert_eq!(state(1, b"noise", &[&green, &red]), GateState::Failed);
        assert_eq!(state(0, &green, &[&red]), GateState::Errored, "a fault and status 0");
        assert_eq!(state(1, b"", &[&green]), GateState::Errored, "no fault and status 1");
        assert_eq!(state(0, b"", &[]), GateState::Errored, "no report");
        assert_eq!(state(0, b"", &[&green, &b"<testsuite>".to_vec()]), GateState::Errored, "half a report");
        assert_eq!(state(9, &green, &[]), GateState::Errored, "no ordinary end");
    }
}
