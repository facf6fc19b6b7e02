//! The rules of the stop court at real stops: published sessions of agents, read from their transcripts; and at commits of people,
//! as if an agent had been asked for them and had made them.
//!
//! The work trees of published sessions are not there; the change is what the editing tools were given, see [`SessionEdits`]. A stop
//! before which nothing was written has an empty change. A commit has no transcript, so that only what a rule reads in
//! the change counts. Every other project is not tuned on: of those only the numbers are shown.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use assize_core::diff::Diff;
use assize_core::finding::{Certainty, Finding};
use assize_core::gathered::{EvidencePart, Fingerprint};
use assize_core::path::file_name;
use assize_core::text::quote;
use assize_ecosystem::is_code;
use assize_stop::directive::Directive;
use assize_stop::evidence::Evidence;
use assize_stop::names::{Name, NameKind, NameSighting, NameSource};
use assize_stop::rule::{self, RuleSettings};
use assize_stop::spoken_names::names_to_look_up;
use assize_stop::transcript::{FactsBuilder, TranscriptFacts, TranscriptKind, kind_of};

use super::session_edits::SessionEdits;
use crate::shell::{self, Result, command};

#[derive(Default)]
struct StopTally {
    stops: u32,
    certain: u32,
    likely: u32,
    by_rule: BTreeMap<String, (u32, u32)>,
}

/// Commits of each clone that are judged, the newest ones that change code.
const COMMITS: usize = 12;

/// Judges the stops of all sessions, or the commits of all clones, below a folder and prints what was found.
pub fn run(folder: &Path, named: bool) -> Result {
    let mut projects: Vec<_> = fs::read_dir(folder)
        .map_err(|error| format!("{}: {error}", folder.display()))?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    projects.retain(|path| path.is_dir());
    projects.sort();
    let mut sets = [StopTally::default(), StopTally::default()];
    // It is built once, and only where it is called.
    let mut program: Option<PathBuf> = None;
    for project in &projects {
        let name = project.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let set = usize::from(name.bytes().map(u32::from).sum::<u32>() % 2 == 1);
        if project.join(".git").exists() || project.join("objects").is_dir() {
            if program.is_none() {
                program = Some(shell::program()?);
            }
            let Some(program) = &program else { continue };
            judge_commits(project, program, &mut sets[set], named && set == 0)?;
            continue;
        }
        let mut files = Vec::new();
        transcripts(project, &mut files)?;
        for file in &files {
            judge_session(file, &mut sets[set], named && set == 0)?;
        }
    }
    for (what, tally) in ["known", "unseen"].into_iter().zip(&sets) {
        let share = |part: u32| 100.0 * f64::from(part) / f64::from(tally.stops.max(1));
        println!(
            "\n{what}: {} stops, {} with a certain finding ({:.1} %), {} with likely ones alone ({:.1} %)",
            tally.stops,
            tally.certain,
            share(tally.certain),
            tally.likely,
            share(tally.likely)
        );
        println!("| rule | certain | likely |\n|---|---:|---:|");
        for (rule, (certain, likely)) in &tally.by_rule {
            println!("| {rule} | {certain} | {likely} |");
        }
    }
    Ok(())
}

impl StopTally {
    fn add(&mut self, findings: &[Finding]) {
        let has = |certainty| findings.iter().any(|finding| finding.certainty == certainty);
        self.stops += 1;
        self.certain += u32::from(has(Certainty::Certain));
        self.likely += u32::from(!has(Certainty::Certain) && has(Certainty::Likely));
        for finding in findings {
            let counts = self.by_rule.entry(finding.rule.clone()).or_default();
            if finding.certainty == Certainty::Certain {
                counts.0 += 1;
            } else {
                counts.1 += 1;
            }
        }
    }
}

fn judge_commits(repository: &Path, program: &Path, tally: &mut StopTally, named: bool) -> Result {
    let place = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (tree, home) = (place.path().join("tree"), place.path().join("home"));
    fs::create_dir(&home).map_err(|error| error.to_string())?;
    let settings = home.join("assize.toml");
    fs::write(&settings, "[stop]\nverify = \"never\"\n").map_err(|error| error.to_string())?;
    let to = tree.to_string_lossy().into_owned();
    let from = repository.to_string_lossy();
    shell::read(command("git", &["-c", "safe.directory=*", "clone", "--quiet", "--no-checkout", &from, &to]))?;
    let git = |arguments: &[&str]| shell::read(command("git", &[&["-C", &to], arguments].concat()));
    let mut judged = 0;
    for commit in git(&["log", "--no-merges", "--format=%H", "--max-count=60"])?.lines() {
        let parent = format!("{commit}~1");
        let changed = git(&["show", "--name-only", "--no-renames", "--format=", commit]).unwrap_or_default();
        if judged == COMMITS
            || git(&["rev-parse", "--quiet", "--verify", &parent]).is_err()
            || !changed.lines().any(is_code)
        {
            continue;
        }
        // A clone can lack files of some commits.
        if git(&["checkout", "--quiet", "--force", commit]).is_err() {
            continue;
        }
        judged += 1;
        let message = git(&["log", "--max-count=1", "--format=%B", commit])?;
        let done = format!("Done: {}", message.lines().next().unwrap_or_default());
        let mut stop = command(program, &["--format", "json", "stop", "--directive", message.trim()]);
        stop.args(["--base", &parent, "--message", &done]).arg("--config").arg(&settings);
        stop.current_dir(&tree)
            .env_clear()
            .env("HOME", &home)
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let output = stop.output().map_err(|error| error.to_string())?;
        let Ok(envelope) = serde_json::from_slice::<serde_json::Value>(&output.stdout) else {
            println!("not judged: {} {commit}: {}", repository.display(), String::from_utf8_lossy(&output.stderr));
            continue;
        };
        let findings: Vec<Finding> =
            serde_json::from_value(envelope["findings"].clone()).map_err(|error| format!("{commit}: {error}"))?;
        tally.add(&findings);
        for finding in findings.iter().filter(|_| named) {
            println!("{} {}: {:?} {}", repository.display(), &commit[..8], finding.certainty, finding.with_id());
        }
    }
    Ok(())
}

/// Finds the transcripts that are lines, below a folder.
fn transcripts(folder: &Path, files: &mut Vec<PathBuf>) -> Result {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).map_err(failed)?.flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            transcripts(&path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            files.push(path);
        }
    }
    Ok(())
}

fn judge_session(file: &Path, tally: &mut StopTally, named: bool) -> Result {
    let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let first = bytes.split(|byte| *byte == b'\n').take(50).filter_map(|line| serde_json::from_slice(line).ok());
    let Some(kind) = kind_of(&first.collect::<Vec<_>>()) else { return Ok(()) };
    for (line, facts, prompts, diff) in stops(&bytes, kind) {
        let Some(mut evidence) = evidence(facts, prompts, diff) else { continue };
        evidence.names = sightings(&evidence, &bytes, line);
        let report = rule::run(&evidence, &RuleSettings::default());
        tally.add(&report.findings);
        for finding in &report.findings {
            if named {
                let asked =
                    evidence.directives.last().map_or(String::new(), |directive| quote(directive.text.inspect()));
                println!(
                    "{}:{line}: {:?} {}: {}\n    asked: {asked}\n    said: …{}",
                    file.display(),
                    finding.certainty,
                    finding.rule,
                    finding.message,
                    quote(assize_core::text::tail(evidence.message(), 300))
                );
            }
        }
    }
    Ok(())
}

/// Where the names are that a stop's message claims: somewhere in the session before it, as far as its text shows. Nothing is
/// known of others.
fn sightings(evidence: &Evidence, bytes: &[u8], line: u64) -> Vec<NameSighting> {
    let before: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').zip(1..line).map(|(text, _)| text).collect();
    // What a prompt names as a file of code is taken to be there.
    let is_file = |name: &Name| name.kind == NameKind::File && is_code(&name.text);
    let wanted = |name: &Name| match name.source {
        NameSource::Claimed | NameSource::Requested => true,
        NameSource::HandedBack => is_file(name),
        _ => false,
    };
    // The prompt that asks for a name has it, and shows no place.
    let is_prompt = |text: &[u8]| {
        let has = |word: &str| memchr::memmem::find(text, word.as_bytes()).is_some();
        has("\"role\":\"user\"") && !has("tool_result")
    };
    let claimed = names_to_look_up(evidence).into_iter().filter(wanted);
    let sighting = |name: Name| {
        if name.source == NameSource::HandedBack {
            return NameSighting { places: vec![name.text.clone()], name };
        }
        let has = |text: &&&[u8]| memchr::memmem::find(text, file_name(&name.text).as_bytes()).is_some();
        let is_seen = before.iter().filter(has).any(|text| name.source == NameSource::Claimed || !is_prompt(text));
        NameSighting { places: is_seen.then(|| "seen in the session".to_owned()).into_iter().collect(), name }
    };
    claimed.map(sighting).collect()
}

/// The stops of a session: the line, what was known then, and how many prompts had come before the stop before it.
fn stops(bytes: &[u8], kind: TranscriptKind) -> Vec<(u64, TranscriptFacts, usize, Diff)> {
    let lines = || bytes.split(|byte| *byte == b'\n');
    let (mut all, mut format) = (FactsBuilder::of_all_stops(), kind.format());
    for line in lines() {
        all.next_line();
        format.line(line, &mut all);
    }
    let places: Vec<u64> = all.finish_with_stops().1.iter().map(|stop| stop.line).collect();
    let (mut builder, mut format, mut found, mut before) = (FactsBuilder::default(), kind.format(), Vec::new(), 0);
    let mut edits = SessionEdits::default();
    for (line, number) in lines().zip(1_u64..) {
        format.line(line, &mut builder);
        edits.line(line);
        if places.contains(&number) {
            let facts = builder.clone().finish();
            let prompts = facts.prompts.len();
            found.push((number, facts, before, edits.diff()));
            before = prompts;
        }
    }
    found
}

/// The evidence of a stop whose work tree is not there. Nothing, where no prompt of a user is open.
fn evidence(facts: TranscriptFacts, before: usize, diff: Diff) -> Option<Evidence> {
    let prompts = facts.prompts.iter().skip(before.min(facts.prompts.len().saturating_sub(1)));
    let directives: Vec<Directive> = prompts
        .enumerate()
        .filter_map(|(index, words)| Directive::from_prompt(words.inspect(), before + index + 1, Vec::new()))
        .collect();
    if directives.is_empty() || facts.interrupted {
        return None;
    }
    let since = facts.last_prompt_step;
    let wrote =
        facts.edits.iter().any(|edit| edit.step > since) || facts.commands_after(since).any(|run| !run.only_looks());
    let fingerprint = Fingerprint::default();
    let diff = match (wrote, diff.is_empty()) {
        (false, _) => EvidencePart::Gathered(Diff { baseline: Some("b".repeat(40)), ..Diff::default() }),
        (true, true) => EvidencePart::Missing("the work tree is not there".to_owned()),
        (true, false) => EvidencePart::Gathered(diff),
    };
    Some(Evidence {
        directives,
        diff,
        start: EvidencePart::Gathered(()),
        accepted_fingerprint: (!wrote).then(|| fingerprint.clone()),
        fingerprint,
        final_message: facts.last_message.clone(),
        transcript: EvidencePart::Gathered(facts),
        ..Evidence::missing("")
    })
}
