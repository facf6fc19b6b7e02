//! What cargo prints with `--message-format=json`: the diagnostics of rustc and clippy, and how the build ended.
//!
//! One object stands on each line. Lines between them come from elsewhere: a procedural macro may print
//! what it likes, and whatever a build is followed by (tests) comes after. It must not know what
//! the build was for.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::LazyLock;

use regex::Regex;
use serde::Deserialize;
use assize_core::finding::Severity;

use super::{Diagnostic, Offer, OfferedEdit, Position, ToolReport, ReportError, message, plain::plain, json};

const FORMAT: &str = "cargo's JSON messages";

/// What cargo says of a build.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Build {
    /// The diagnostics.
    pub report: ToolReport,
    /// Whether it was done; when it was not, there is at least one diagnostic that is an error.
    pub success: bool,
    /// The programs of tests that it made, in cargo's order.
    pub tests: Vec<TestProgram>,
}

/// A program of tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestProgram {
    /// Where it lies.
    pub executable: String,
    /// The package and target that it belongs to, in the way of `cargo nextest`: `package` for a library,
    /// `package::name` for a file of tests, `package::bin/name` for a program.
    pub id: String,
    /// The file that its source begins with, as cargo names it.
    pub source: String,
}

#[derive(Deserialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
enum CargoLine {
    CompilerMessage {
        message: RustcMessage,
    },
    CompilerArtifact(CargoArtifact),
    BuildFinished {
        success: bool,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct CargoArtifact {
    package_id: String,
    target: CargoTarget,
    profile: Profile,
    executable: Option<String>,
}

#[derive(Deserialize)]
struct CargoTarget {
    kind: Vec<String>,
    name: String,
    src_path: String,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

#[derive(Deserialize)]
struct RustcMessage {
    message: String,
    code: Option<RustcCode>,
    level: String,
    #[serde(default)]
    spans: Vec<Span>,
    /// Notes, and fixes that the compiler suggests.
    #[serde(default)]
    children: Vec<RustcChild>,
}

#[derive(Deserialize)]
struct RustcChild {
    #[serde(default)]
    spans: Vec<Span>,
}

#[derive(Deserialize)]
struct RustcCode {
    code: String,
}

#[derive(Deserialize)]
struct Span {
    file_name: String,
    line_start: u32,
    column_start: u32,
    #[serde(default)]
    is_primary: bool,
    label: Option<String>,
    expansion: Option<Box<Expansion>>,
    #[serde(default)]
    byte_start: u32,
    #[serde(default)]
    byte_end: u32,
    suggested_replacement: Option<String>,
    suggestion_applicability: Option<String>,
}

#[derive(Deserialize)]
struct Expansion {
    span: Span,
}

/// Reads a build and nothing after it.
///
/// # Errors
///
/// A message of cargo's cannot be read, the build's end is missing, or something of cargo's follows it.
pub fn parse(output: &[u8]) -> Result<ToolReport, ReportError> {
    let (build, _) = parse_build(&plain(output)?)?;
    Ok(build.report)
}

/// Reads a build, and returns what follows its end.
///
/// # Errors
///
/// A message of cargo's cannot be read, the build's end is missing, or it is said twice.
pub fn parse_build(text: &str) -> Result<(Build, &str), ReportError> {
    if text.trim().is_empty() {
        return Err(ReportError::Empty);
    }
    let mut reader = CargoMessageReader::default();
    let mut offset = 0;
    let mut end = None;
    for line in text.split_inclusive('\n') {
        offset += line.len();
        // A macro that prints an unfinished line leaves it in front of cargo's.
        let Some(at) = line.find("{\"reason\":\"") else { continue };
        let object = line[at..].trim_end();
        let parsed: CargoLine = json::value(object)
            .map_err(|error| ReportError::Malformed { format: FORMAT, detail: error.to_string() })?;
        if end.is_some() {
            return Err(ReportError::Contradictory("messages follow the end of the build".to_owned()));
        }
        if let Some(success) = reader.take(parsed) {
            reader.build.success = success;
            end = Some(offset);
        }
    }
    let Some(end) = end else {
        return Err(ReportError::Truncated("cargo did not say how the build ended".to_owned()));
    };
    Ok((reader.done(), &text[end..]))
}

/// Reads the errors that the compiler prints for people, where there is no other way; never none.
///
/// # Errors
///
/// The output is larger than what is read.
pub fn parse_text(output: &[u8]) -> Result<ToolReport, ReportError> {
    static PLACE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^\s*--> (.+?):(\d+):\d+$").expect("valid pattern"));
    static ERROR: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"^error(?:\[(E\d+)\])?: (.+)$").expect("valid pattern"));
    let text = plain(output)?;
    let mut report = ToolReport::default();
    let mut fault: Option<Diagnostic> = None;
    let mut general = None;
    for line in text.lines() {
        if let Some(found) = ERROR.captures(line) {
            general = general.or(fault.take().map(|fault| fault.message));
            let code = found.get(1).map_or("rustc", |code| code.as_str()).to_owned();
            let message = message(&found[2]);
            fault = Some(Diagnostic { code, severity: Severity::Error, path: None, line: None, message, offer: None });
        } else if let Some(found) = PLACE.captures(line)
            && let Some(fault) = fault.take()
        {
            report.object(Diagnostic { path: Some(found[1].to_owned()), line: found[2].parse().ok(), ..fault });
        }
    }
    if report.diagnostics.is_empty() {
        let said = general.or(fault.map(|fault| fault.message));
        let text = said.unwrap_or_else(|| "the build failed, and does not say why".to_owned());
        report.object(Diagnostic {
            code: "cargo".to_owned(),
            severity: Severity::Error,
            path: None,
            line: None,
            message: text,
            offer: None,
        });
    }
    Ok(report)
}

#[derive(Default)]
struct CargoMessageReader {
    build: Build,
    /// The same fault is found once for the library and once for its tests: which one of the report it is, and whether
    /// what is offered differs.
    seen: BTreeMap<(Diagnostic, u32), (usize, bool)>,
}

impl CargoMessageReader {
    /// Takes one message in; returns how the build ended when it says so.
    fn take(&mut self, line: CargoLine) -> Option<bool> {
        match line {
            CargoLine::CompilerMessage { message } => self.diagnostic(&message),
            CargoLine::CompilerArtifact(artifact) => self.artifact(artifact),
            CargoLine::BuildFinished { success } => return Some(success),
            CargoLine::Other => {}
        }
        None
    }

    fn diagnostic(&mut self, found: &RustcMessage) {
        let severity = match found.level.as_str() {
            "error" | "error: internal compiler error" => Severity::Error,
            "warning" => Severity::Warning,
            // A note to what was said before.
            "failure-note" => return,
            _ => Severity::Note,
        };
        // The compiler's own sums: "aborting due to 2 previous errors", "3 warnings emitted".
        let sum = found.message.starts_with("aborting due to ") || found.message.ends_with(" emitted");
        if sum && found.spans.is_empty() && found.code.is_none() {
            return;
        }
        let primary = found.spans.iter().find(|span| span.is_primary);
        let place = primary.map(Span::in_the_tree);
        let text = match primary.and_then(|span| span.label.as_deref()) {
            Some(label) if !label.is_empty() => format!("{}: {label}", found.message),
            _ => found.message.clone(),
        };
        let mut diagnostic = Diagnostic {
            code: found.code.as_ref().map_or_else(|| "rustc".to_owned(), |code| code.code.clone()),
            severity,
            path: place.map(|span| span.file_name.replace('\\', "/")),
            line: place.map(|span| span.line_start),
            message: message(&text),
            offer: None,
        };
        let offer = found.offer();
        let key = (diagnostic.clone(), place.map_or(0, |span| span.column_start));
        let known = &mut self.build.report.diagnostics;
        match self.seen.entry(key) {
            Entry::Occupied(mut entry) => {
                let (at, is_disputed) = entry.get_mut();
                let Some(first) = known.get_mut(*at) else { return };
                // The library and its tests can report the same fault. If their offers differ, neither is kept. Where
                // tests are built, the compiler offers less, so a missing offer disputes nothing.
                *is_disputed |= first.offer.is_some() && offer.is_some() && first.offer != offer;
                first.offer = first.offer.take().or(offer).filter(|_| !*is_disputed);
            }
            Entry::Vacant(first) => {
                first.insert((known.len(), false));
                diagnostic.offer = offer;
                self.build.report.object(diagnostic);
            }
        }
    }

    fn artifact(&mut self, artifact: CargoArtifact) {
        let (true, Some(executable)) = (artifact.profile.test, artifact.executable) else { return };
        let package = package_name(&artifact.package_id);
        let name = artifact.target.name;
        let id = match artifact.target.kind.first().map(String::as_str) {
            Some("test") => format!("{package}::{name}"),
            Some(kind @ ("bin" | "example" | "bench")) => format!("{package}::{kind}/{name}"),
            _ => package,
        };
        self.build.tests.push(TestProgram { executable, id, source: artifact.target.src_path.replace('\\', "/") });
    }

    fn done(mut self) -> Build {
        let report = &mut self.build.report;
        let has_error = report.diagnostics.iter().any(|found| found.severity == Severity::Error);
        if !self.build.success && !has_error && report.diagnostics_left_out == 0 {
            report.diagnostics.push(Diagnostic {
                code: "cargo".to_owned(),
                severity: Severity::Error,
                path: None,
                line: None,
                message: "the build failed, and the compiler does not say why".to_owned(),
                offer: None,
            });
        }
        self.build
    }
}

impl RustcMessage {
    /// Returns the fix that the compiler calls applicable by a machine. Of several such fixes it takes none.
    fn offer(&self) -> Option<Offer> {
        let is_applicable = |span: &Span| span.suggestion_applicability.as_deref() == Some("MachineApplicable");
        let mut offers = self.children.iter().filter(|child| child.spans.iter().any(is_applicable));
        let (Some(child), None) = (offers.next(), offers.next()) else { return None };
        let edits = child.spans.iter().map(|span| span.edit().filter(|_| is_applicable(span)));
        Offer::of(edits.collect::<Option<Vec<_>>>()?)
    }
}

impl Span {
    /// What is to stand here. The place of what a macro wrote is that of the macro's own text.
    fn edit(&self) -> Option<OfferedEdit> {
        let is_foreign = self.file_name.starts_with(['/', '<']) || self.expansion.is_some();
        let replacement = self.suggested_replacement.clone().filter(|_| !is_foreign)?;
        let (start, end) = (Position::Byte(self.byte_start), Position::Byte(self.byte_end));
        Some(OfferedEdit { path: self.file_name.clone(), start, end, replacement })
    }

    /// The place where the code of a foreign macro was called.
    fn in_the_tree(&self) -> &Self {
        let mut span = self;
        while span.file_name.starts_with(['/', '<'])
            && let Some(expansion) = &span.expansion
        {
            span = &expansion.span;
        }
        span
    }
}

/// The name within `path+file:///a/b#name@1.0.0`, `path+file:///a/name#1.0.0` or the older `name 1.0.0 (path+…)`.
fn package_name(id: &str) -> String {
    let Some((source, fragment)) = id.rsplit_once('#') else {
        return id.split(' ').next().unwrap_or(id).to_owned();
    };
    match fragment.rsplit_once('@') {
        Some((name, _)) => name.to_owned(),
        None if fragment.starts_with(|first: char| first.is_ascii_digit()) => {
            let source = source.split('?').next().unwrap_or(source);
            source.trim_end_matches('/').rsplit('/').next().unwrap_or(source).to_owned()
        }
        None => fragment.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DIAGNOSTICS_MAX;

    fn fault(level: &str, text: &str, line: u32) -> String {
        format!(
            r#"{{"reason":"compiler-message","package_id":"p","message":{{"message":"{text}","code":{{"code":"E0308","explanation":""}},"level":"{level}","spans":[{{"file_name":"src/lib.rs","line_start":{line},"column_start":5,"is_primary":true,"label":"expected `u32`","expansion":null}}],"children":[],"rendered":"x"}}}}"#
        )
    }

    const DONE: &str = r#"{"reason":"build-finished","success":true}"#;
    const UNDONE: &str = r#"{"reason":"build-finished","success":false}"#;

    #[test]
    fn diagnostics_have_place_code_and_label() {
        let text = format!("{}\n{}\n{UNDONE}\n", fault("error", "mismatched types", 3), fault("warning", "odd", 9));
        let report = parse(text.as_bytes()).unwrap();
        assert_eq!(
            report.diagnostics,
            [
                Diagnostic {
                    code: "E0308".into(),
                    severity: Severity::Error,
                    path: Some("src/lib.rs".into()),
                    line: Some(3),
                    message: "mismatched types: expected `u32`".into(),
                    offer: None,
                },
                Diagnostic {
                    code: "E0308".into(),
                    severity: Severity::Warning,
                    path: Some("src/lib.rs".into()),
                    line: Some(9),
                    message: "odd: expected `u32`".into(),
                    offer: None,
                },
            ]
        );
    }

    #[test]
    fn a_fault_of_library_and_tests_is_one() {
        let text = format!("{0}\n{0}\n{1}\n{DONE}\n", fault("warning", "odd", 9), fault("warning", "odd", 10));
        assert_eq!(parse(text.as_bytes()).unwrap().diagnostics.len(), 2);
    }

    /// A warning with its suggested fixes: children of spans, each with its applicability, and more of its fields.
    fn offered(children: &[&[(&str, &str)]]) -> String {
        let span = |(at, (applicability, more)): (usize, &(&str, &str))| {
            format!(
                r#"{{"file_name":"src/lib.rs","line_start":1,"column_start":1,"byte_start":{at},"byte_end":9,"suggested_replacement":"x","suggestion_applicability":"{applicability}"{more}}}"#
            )
        };
        let child = |spans: &&[(&str, &str)]| {
            let spans: Vec<String> = spans.iter().enumerate().map(span).collect();
            format!(r#"{{"message":"help","spans":[{}]}}"#, spans.join(","))
        };
        let children: Vec<String> = children.iter().map(child).collect();
        fault("warning", "odd", 9).replace(r#""children":[]"#, &format!(r#""children":[{}]"#, children.join(",")))
    }

    #[test]
    fn only_what_one_may_do_without_looking_is_an_offer() {
        let (safe, unsure) = (("MachineApplicable", ""), ("MaybeIncorrect", ""));
        let in_a_macro = r#","expansion":{"span":{"file_name":"src/lib.rs","line_start":2,"column_start":1}}"#;
        for (children, edits) in [
            (&[&[safe][..]][..], 1),
            (&[&[safe, safe]], 2),
            (&[&[safe], &[unsure], &[]], 1),
            (&[&[unsure]], 0),
            (&[&[safe], &[safe]], 0),
            (&[&[safe, unsure]], 0),
            (&[&[("MachineApplicable", in_a_macro)]], 0),
            (&[], 0),
        ] {
            let text = format!("{}\n{DONE}\n", offered(children));
            let found = parse(text.as_bytes()).unwrap().diagnostics.remove(0).offer;
            assert_eq!(found.map_or(0, |offer| offer.edits.len()), edits, "{children:?}");
        }
    }

    #[test]
    fn an_offer_for_the_library_must_not_be_another_for_its_tests() {
        let safe = ("MachineApplicable", "");
        let (one, two, none) = (offered(&[&[safe]]), offered(&[&[safe, safe]]), offered(&[]));
        for (all, is_kept) in [
            ([&one, &one, &one], true),
            ([&one, &two, &one], false),
            ([&one, &two, &none], false),
            ([&one, &none, &none], true),
            ([&none, &none, &one], true),
        ] {
            let text = all.map(String::as_str).join("\n");
            let report = parse(format!("{text}\n{DONE}\n").as_bytes()).unwrap();
            assert_eq!((report.diagnostics.len(), report.diagnostics[0].offer.is_some()), (1, is_kept), "{all:?}");
        }
    }

    #[test]
    fn sums_of_the_compiler_are_no_faults() {
        let sum = |text: &str, level: &str| {
            format!(
                r#"{{"reason":"compiler-message","message":{{"message":"{text}","code":null,"level":"{level}","spans":[]}}}}"#
            )
        };
        let text = format!(
            "{}\n{}\n{}\n{}\n{UNDONE}\n",
            fault("error", "bad", 1),
            sum("aborting due to 1 previous error; 1 warning emitted", "error"),
            sum("1 warning emitted", "warning"),
            sum("For more information about this error, try `rustc --explain E0308`.", "failure-note"),
        );
        assert_eq!(parse(text.as_bytes()).unwrap().diagnostics.len(), 1);
    }

    #[test]
    fn errors_for_people_have_places_too() {
        let read = |text: &str| {
            let found = parse_text(text.as_bytes()).unwrap().diagnostics;
            found.into_iter().map(|found| (found.code, found.path, found.line, found.message)).collect::<Vec<_>>()
        };
        let own = |text: &str| text.to_owned();
        let text = "error[E0308]: mismatched types\n  --> src/lib.rs:8:16\n   |\nerror: could not compile `x` (lib)\n";
        assert_eq!(read(text), [(own("E0308"), Some(own("src/lib.rs")), Some(8), own("mismatched types"))]);
        let text = "error: failed to run custom build command for `x`\nCaused by:\n";
        assert_eq!(read(text), [(own("cargo"), None, None, own("failed to run custom build command for `x`"))]);
        assert_eq!(read("").len(), 1);
    }

    #[test]
    fn a_failed_build_is_never_without_an_error() {
        let report = parse(UNDONE.as_bytes()).unwrap();
        assert_eq!((report.diagnostics.len(), report.diagnostics[0].severity), (1, Severity::Error));
        let text = format!("{}\n{UNDONE}", fault("warning", "odd", 9));
        assert_eq!(parse(text.as_bytes()).unwrap().diagnostics.len(), 2);
    }

    #[test]
    fn what_is_no_whole_build_is_refused() {
        let fault = fault("error", "bad", 1);
        for (text, error) in [
            (String::new(), "the report is empty"),
            (" \n".to_owned(), "the report is empty"),
            (fault.clone(), "stops before its end"),
            ("error: no such command\n".to_owned(), "stops before its end"),
            (format!("{}\n{DONE}\n", &fault[..60]), "cannot be read"),
            (format!("noise{}\n{DONE}\n", &fault[..60]), "cannot be read"),
            (format!("{DONE}\n{UNDONE}\n"), "messages follow the end"),
            (format!("{DONE}\n{fault}\n"), "messages follow the end"),
            (r#"{"reason":"build-finished"}"#.to_owned(), "cannot be read"),
        ] {
            let found = parse(text.as_bytes()).unwrap_err().to_string();
            assert!(found.contains(error), "{text}: {found}");
        }
    }

    #[test]
    fn lines_between_are_no_messages() {
        let text = format!("hello\n{{\"a\": 1}}\nno newline{}\n{DONE}\nrunning 0 tests\n", fault("warning", "odd", 2));
        let (build, rest) = parse_build(&text).unwrap();
        assert_eq!((build.report.diagnostics.len(), build.success, rest), (1, true, "running 0 tests\n"));
    }

    #[test]
    fn programs_of_tests_are_named_by_package_and_target() {
        let artifact = |package: &str, kind: &str, name: &str, test: bool, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","package_id":"{package}","target":{{"kind":["{kind}"],"name":"{name}","src_path":"/p/x.rs"}},"profile":{{"test":{test}}},"executable":{executable}}}"#
            )
        };
        let text = [
            artifact("path+file:///p/one#0.1.0", "lib", "one", true, r#""/t/one-1""#),
            artifact("path+file:///p/a#two@0.1.0", "proc-macro", "two", true, r#""/t/two-1""#),
            artifact("path+file:///p/a#two@0.1.0", "bin", "main", true, r#""/t/main-1""#),
            artifact("one 0.1.0 (path+file:///p/one)", "test", "api", true, r#""/t/api-1""#),
            artifact("path+file:///p/one#0.1.0", "lib", "one", false, "null"),
            artifact("path+file:///p/one#0.1.0", "bin", "tool", false, r#""/t/tool""#),
            DONE.to_owned(),
        ];
        let text = text.join("\n");
        let (build, _) = parse_build(&text).unwrap();
        let ids: Vec<&str> = build.tests.iter().map(|program| program.id.as_str()).collect();
        assert_eq!(ids, ["one", "two", "two::bin/main", "one::api"]);
    }

    #[test]
    fn the_place_is_where_a_foreign_macro_was_called() {
        let text = format!(
            r#"{{"reason":"compiler-message","message":{{"message":"m","code":null,"level":"error","spans":[{{"file_name":"/registry/m.rs","line_start":1,"column_start":1,"is_primary":true,"label":null,"expansion":{{"span":{{"file_name":"src/a.rs","line_start":7,"column_start":1,"is_primary":false,"label":null,"expansion":null}}}}}}]}}}}
{UNDONE}"#
        );
        let report = parse(text.as_bytes()).unwrap();
        assert_eq!((report.diagnostics[0].path.as_deref(), report.diagnostics[0].line), (Some("src/a.rs"), Some(7)));
    }

    #[test]
    fn diagnostics_are_kept_up_to_their_limit() {
        let lines: Vec<String> = (1..=DIAGNOSTICS_MAX as u32 + 1).map(|line| fault("error", "bad", line)).collect();
        let text = format!("{}\n{UNDONE}\n", lines[..DIAGNOSTICS_MAX].join("\n"));
        let report = parse(text.as_bytes()).unwrap();
        assert_eq!((report.diagnostics.len(), report.diagnostics_left_out), (DIAGNOSTICS_MAX, 0));
        let text = format!("{}\n{UNDONE}\n", lines.join("\n"));
        let report = parse(text.as_bytes()).unwrap();
        assert_eq!((report.diagnostics.len(), report.diagnostics_left_out), (DIAGNOSTICS_MAX, 1));
    }
}
