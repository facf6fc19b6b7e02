//! The properties that are checked after each stop, by who wrote each faulty line and what was lost.

use std::sync::LazyLock;

use regex::Regex;

use super::answer::{BlockingFinding, SimulatedAnswer, is_uncertain_about};
use super::fault::{FaultAuthor, PlantKind, PlantedFault};
use super::loss::{LostPart, StateLoss};
use super::machine::SimulatedMachine;

/// Lines around a finding in which the word of a fault is looked for, the nearest first.
const NEAR: [isize; 6] = [0, 1, -1, -2, 2, -3];

impl SimulatedMachine {
    /// Checks the answer to a stop of an agent.
    pub fn check_stop(&mut self, who: usize, answer: &SimulatedAnswer) {
        let own = self.own_faults(who);
        match answer {
            SimulatedAnswer::Killed => {}
            SimulatedAnswer::Blocked(findings) => {
                self.tally.count("stops", "blocked");
                for finding in findings {
                    self.check_finding(who, finding);
                }
            }
            SimulatedAnswer::Notice(notice) => match answer.release() {
                Some((heading, why)) => {
                    self.check_unjudged(who, heading, &why, notice);
                    self.tally.count(heading, why);
                    // The work was accepted, with a word about some files.
                    if is_uncertain_about(notice, "") {
                        let is_silent = |fault: &PlantedFault| {
                            self.place_of(fault).is_some_and(|path| !is_uncertain_about(notice, path))
                        };
                        let silent: Vec<PlantedFault> = own.into_iter().filter(is_silent).collect();
                        self.check_silence(who, &silent, "with a notice about another file");
                    }
                }
                None => self.check_silence(who, &own, &format!("with the notice `{notice}`")),
            },
            SimulatedAnswer::Silent | SimulatedAnswer::Context => self.check_silence(who, &own, "without a word"),
        }
    }

    /// The faults of an agent that are in the work tree.
    pub fn own_faults(&self, who: usize) -> Vec<PlantedFault> {
        let is_own = |fault: &&PlantedFault| fault.author == FaultAuthor::Agent(who) && self.is_there(fault);
        self.faults.iter().filter(is_own).cloned().collect()
    }

    /// A stop that is let pass in silence has no fault of its agent in the tree.
    fn check_silence(&mut self, who: usize, own: &[PlantedFault], how: &str) {
        self.tally.count("stops", "accepted");
        let certain: Vec<&PlantedFault> = own.iter().filter(|fault| self.is_certain(fault)).collect();
        if let Some(excused) = certain.iter().find_map(|fault| fault.excused)
            && certain.iter().all(|fault| fault.excused.is_some())
        {
            self.tally.count("faults passed over as documented", excused);
            return;
        }
        let Some(fault) = certain.iter().find(|fault| fault.excused.is_none()) else { return };
        let PlantedFault { number, kind, how: written, .. } = fault;
        let path = self.place_of(fault).unwrap_or_default();
        let suspect = self.suspect_of_silence(who, fault);
        let what = format!(
            "agent {who} stops {how}, and its fault {number} ({kind:?}, {written}) is in {path}{}",
            self.circumstances(who)
        );
        self.violated('B', suspect, what);
        self.show_last_stop(who);
    }

    /// What may be behind a fault that was passed over.
    fn suspect_of_silence(&self, who: usize, fault: &PlantedFault) -> &'static str {
        let killed = |event: &str| self.agents[who].killed.iter().any(|killed| killed == event);
        let has_lost = |part: LostPart| self.losses.iter().any(|loss| loss.part == part);
        if fault.how.contains("killed") {
            "the hook before the call was killed"
        } else if fault.is_claimed {
            "an edit of the same file by another agent was open"
        } else if fault.formatted_by.iter().any(|by| *by != fault.author) {
            "formatted by somebody else"
        } else if self.is_of_moved_file(Some(&fault.path)) {
            "in a file that was moved"
        } else if self.is_alike(fault) {
            "lines that others have written as well"
        } else if has_lost(LostPart::Contents) {
            "contents of the journal were lost"
        } else if has_lost(LostPart::AgentSettings) {
            "the settings of the agents were lost"
        } else if killed("UserPromptSubmit") {
            "the hook of a prompt was killed"
        } else {
            "unknown"
        }
    }

    /// What may be behind a block for the faults of others.
    fn suspect_of_blame(&self, who: usize, finding: &BlockingFinding, about: &[PlantedFault]) -> &'static str {
        let any = |is: &dyn Fn(&PlantedFault) -> bool| about.iter().any(is);
        if self.lacks_journal(who) {
            "the journal lacks something, and nothing was lost"
        } else if any(&|fault| self.agents[who].uncommitted.contains(&fault.number)) {
            "uncommitted when the session began"
        } else if self.is_of_moved_file(finding.path.as_deref())
            || any(&|fault| self.is_of_moved_file(Some(&fault.path)))
        {
            "in a file that was moved"
        } else if any(&|fault| fault.formatted_by.contains(&FaultAuthor::Agent(who))) {
            "formatted by the agent"
        } else if any(&|fault| self.is_alike(fault)) {
            "lines that others have written as well"
        } else {
            "unknown"
        }
    }

    /// Whether somebody else has written a line of a fault in the same file.
    fn is_alike(&self, fault: &PlantedFault) -> bool {
        let is_other =
            |other: &PlantedFault| other.kind == fault.kind && other.path == fault.path && other.author != fault.author;
        let has_common_lines =
            matches!(fault.kind, PlantKind::ConflictMarker | PlantKind::SkippedTest | PlantKind::EmptyAssertion);
        has_common_lines && self.faults.iter().any(is_other)
    }

    /// What happened to the session that may explain a violation.
    fn circumstances(&self, who: usize) -> String {
        let mut told = String::new();
        if !self.agents[who].killed.is_empty() {
            told.push_str(&format!("; killed: {}", self.agents[who].killed.join(", ")));
        }
        let others: Vec<&str> = (self.agents.iter().enumerate())
            .filter(|(at, _)| *at != who)
            .flat_map(|(_, agent)| agent.killed.iter().map(String::as_str))
            .collect();
        if !others.is_empty() {
            told.push_str(&format!("; of others killed: {}", others.join(", ")));
        }
        if !self.losses.is_empty() {
            told.push_str(&format!("; lost: {:?}", self.losses));
        }
        told
    }

    /// Whether the rules are certain about a fault, whatever others did to its file.
    fn is_certain(&self, fault: &PlantedFault) -> bool {
        let is_broken_by_others = || {
            self.faults.iter().any(|other| {
                let breaks = matches!(other.kind, PlantKind::Syntax | PlantKind::Unmerged);
                breaks && other.path == fault.path && other.author != fault.author
            })
        };
        match fault.kind {
            // Certain only if the whole change adds no test.
            PlantKind::DeletedTest => false,
            // A file that did not parse before is not reported.
            PlantKind::Syntax => !is_broken_by_others(),
            _ => true,
        }
    }

    /// A certain finding is about a fault of the agent.
    fn check_finding(&mut self, who: usize, finding: &BlockingFinding) {
        self.tally.count("blocking findings", &finding.rule);
        let about: Vec<PlantedFault> = self.faults_of(finding).into_iter().cloned().collect();
        let is_own = |fault: &PlantedFault| fault.author == FaultAuthor::Agent(who) || fault.may_blame.contains(&who);
        if about.iter().any(is_own) {
            return;
        }
        let agent = &self.agents[who];
        // Without the settings of the agents, no call is told of.
        let takes_authors = |(at, loss): &(usize, &StateLoss)| {
            loss.part == LostPart::AgentSettings || (*at >= agent.losses_before && loss.takes_authors())
        };
        let lost = self.losses.iter().enumerate().find(takes_authors).map(|(_, loss)| loss);
        if let Some(lost) = lost {
            self.tally.count("blamed for others, as documented, for want of", format!("{:?}", lost.part));
            return;
        }
        if !agent.is_start_seen {
            self.tally.count("blamed for others, as documented, for want of", "the session's start");
            return;
        }
        let whose = match about.first() {
            Some(fault) => format!("fault {} of {:?} ({:?}, {})", fault.number, fault.author, fault.kind, fault.how),
            None => "no fault".to_owned(),
        };
        let suspect = self.suspect_of_blame(who, finding, &about);
        let what = format!("agent {who} is blocked for {whose}: {}{}", finding.text, self.circumstances(who));
        self.violated('A', suspect, what);
        self.show_last_stop(who);
    }

    /// The faults that a finding may be about.
    pub fn faults_of(&self, finding: &BlockingFinding) -> Vec<&PlantedFault> {
        static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?i)(?:fault|base)_\d+").expect("a pattern"));
        let Some(path) = &finding.path else { return Vec::new() };
        let of_word = |word: &str| {
            let word = word.to_lowercase();
            self.faults.iter().filter(move |fault| fault.word() == word)
        };
        let named: Vec<&PlantedFault> = WORD.find_iter(&finding.text).flat_map(|word| of_word(word.as_str())).collect();
        if !named.is_empty() {
            return named;
        }
        let text = self.text(path);
        let lines: Vec<&str> = text.lines().collect();
        let at = |offset: isize| finding.line?.checked_add_signed(offset - 1).and_then(|at| lines.get(at));
        let near = NEAR.iter().filter_map(|offset| at(*offset)).flat_map(|line| WORD.find_iter(line));
        let near = near.filter_map(|word| of_word(word.as_str()).next()).next();
        let kind = match finding.rule.as_str() {
            "syntax-error" => Some([PlantKind::Syntax, PlantKind::Unmerged]),
            "conflict-marker" => Some([PlantKind::ConflictMarker, PlantKind::Unmerged]),
            _ => None,
        };
        let of_kind = self
            .faults
            .iter()
            .filter(|fault| self.may_be_in(fault, path) && kind.is_some_and(|kinds| kinds.contains(&fault.kind)));
        near.into_iter().chain(of_kind).collect()
    }

    /// Kills alone do no harm to the ledger.
    pub fn check_ledger(&mut self) {
        let is_begun = self.agents.iter().any(|agent| agent.is_start_seen);
        if !is_begun || self.losses.iter().any(|loss| loss.explains("ledger_unavailable")) {
            return;
        }
        let verified = self.hooks.run(&["ledger", "verify"]);
        if !verified.status.success() {
            let said = String::from_utf8_lossy(&verified.stdout).trim().to_owned();
            self.violated('C', "the ledger", format!("the ledger is damaged, and nothing was lost: {said}"));
        }
    }

    /// What is not judged was lost.
    fn check_unjudged(&mut self, who: usize, heading: &str, why: &str, notice: &str) {
        let cause = why.split(':').next().unwrap_or_default();
        let is_explained = self.losses.iter().any(|loss| loss.explains(cause))
            || (cause == "evidence_missing" && !self.agents[who].is_start_seen)
            || (why.contains("background tasks") && !self.agents[who].tasks.is_empty());
        if heading == "unjudged" && !is_explained {
            let what =
                format!("agent {who} is not judged although nothing was lost: {notice}{}", self.circumstances(who));
            self.violated('C', "the cause", what);
        }
    }
}
