//! `assize hook AGENT`: the command that an agent's hook calls.
//!
//! Whatever goes wrong in here, the agent gets an answer in time, and a gate that could not judge
//! says so. The hook gives no block that the ledger could not count: the count keeps an agent from
//! being blocked for ever.

use std::collections::BTreeSet;
use std::io::{IsTerminal as _, Read as _, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::slice;

use assize_core::finding::Finding;
use assize_core::opinion::Opinion;
use assize_core::ruling::{Cause, Outcome, Unjudged};
use assize_core::text::head;
use assize_engine::court::stop::hold;
use assize_engine::evidence::{JudgedSession, Sources, baseline, snapshot_baseline};
use assize_engine::own_snapshot;
use assize_engine::expand::attachments;
use assize_engine::git::head_of;
use assize_engine::judge::{JUDGE_VARIABLE, serves_a_judge};
use assize_engine::ledger::{Filter, Ledger, LedgerError};
use assize_engine::transcript::read_facts;
use assize_engine::tree_journal::TreeJournal;
use assize_engine::work_tree::WorkTree;
use assize_ledger::event::{self, LedgerEvent, session_state};
use assize_ledger::succession::{ClearedSessions, only_open};
use assize_stop::attribution::{NOT_CERTAIN, NOT_JUDGED};
use assize_stop::court::{Disposition, StopCase, StopInputs, StopRecord};
use assize_stop::directive::{Attachment, Directive, OVERRULE_MARKER, overrules};
use assize_stop::observation::CallEvent;
use assize_stop::requested_checks;
use assize_stop::rule::RuleSettings;
use assize_stop::session::{Baseline, BaselineScope, SessionState};
use assize_stop::verification::VerificationRequest;

use super::pause::is_paused;
use crate::approvals::{self, SaidByPeople};
use crate::config::{self, Config};
use crate::court::stop::ID;
use crate::exit::{Exit, Failure, Result};
use crate::hook::{ADAPTERS, Adapter, HookEvent, HookEventKind, HookOutput, HookReply, SettingsScope, adapter};
use crate::host::{Host, now_ms};
use crate::judges::Judges;
use crate::output::Output;
use crate::verification::run_checks;

/// Largest event that is read, in bytes.
pub const EVENT_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Bytes of an unreadable event that are recorded.
const EXCERPT_BYTES_MAX: usize = 500;
/// Entries among which a cleared session is looked for.
const RECENT_ENTRIES: u32 = 20;

/// Arguments of `assize hook`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  assize hook claude-code < event.json    the reply that the agent would get

`assize init` writes this call into the agent's settings.")]
pub struct Arguments {
    /// The agent: claude-code, codex, gemini, cursor or copilot.
    pub agent: String,
}

/// Runs the command.
pub fn run(arguments: &Arguments, host: &Host, _output: Output) -> Result {
    let Some(adapter) = adapter(&arguments.agent) else {
        let known: Vec<&str> = ADAPTERS.iter().map(|adapter| adapter.id()).collect();
        return Err(Failure::new(format!("no agent is called `{}`", arguments.agent))
            .hint(format!("one of {}", known.join(", "))));
    };
    // A judge that is itself an agent must not call its own judge.
    if host.variable(JUDGE_VARIABLE).is_some() && serves_a_judge() {
        return Ok(Exit::Done);
    }
    if std::io::stdin().is_terminal() {
        return Err(Failure::new("an agent's event is expected on standard input")
            .hint("agents call this; `assize stop` judges by hand"));
    }
    let mut event = Vec::new();
    // An event that cannot be read to its end is malformed, and is handled as such.
    let _ = std::io::stdin().lock().take(EVENT_BYTES_MAX + 1).read_to_end(&mut event);
    let output = answer(adapter, &event, host);
    // A write fails when the agent no longer listens, and no other reader is there to tell.
    let _ = std::io::stdout().write_all(output.stdout.as_bytes());
    let _ = std::io::stderr().write_all(output.stderr.as_bytes());
    Ok(if output.status == 0 { Exit::Done } else { Exit::NotAccepted })
}

/// Answers one event.
pub fn answer(adapter: &dyn Adapter, bytes: &[u8], host: &Host) -> HookOutput {
    let too_large = bytes.len() as u64 > EVENT_BYTES_MAX;
    let read = if too_large {
        Err(format!("the event has more than {EVENT_BYTES_MAX} bytes"))
    } else {
        adapter.read(bytes).map_err(|error| error.to_string())
    };
    match read {
        Ok(event) => {
            let reply = EventHandler::new(adapter, &event, host).handle(&event.kind);
            adapter.reply(&event.kind, &reply)
        }
        Err(error) => malformed(adapter, bytes, &error, host),
    }
}

/// A malformed event allows whatever it was about, and is recorded.
fn malformed(adapter: &dyn Adapter, bytes: &[u8], error: &str, host: &Host) -> HookOutput {
    let excerpt = head(&String::from_utf8_lossy(bytes), EXCERPT_BYTES_MAX).to_owned();
    let event = LedgerEvent::EventMalformed { agent: adapter.id().to_owned(), error: error.to_owned(), excerpt };
    let recorded = Ledger::open(&host.ledger()).and_then(|mut ledger| ledger.append(now_ms(), ID, "-", &event));
    let unrecorded =
        recorded.err().map(|error| format!("\nassize: this was not recorded: {error}")).unwrap_or_default();
    HookOutput { stderr: format!("assize: nothing was judged: {error}{unrecorded}\n"), ..HookOutput::default() }
}

/// Handles one event.
struct EventHandler<'a> {
    adapter: &'a dyn Adapter,
    host: Host,
    event: &'a HookEvent,
    session: String,
    /// The session whose calls the event belongs to: the same, but for a subagent.
    parent: String,
    now: i64,
}

impl<'a> EventHandler<'a> {
    fn new(adapter: &'a dyn Adapter, event: &'a HookEvent, host: &Host) -> Self {
        let parent = format!("{}/{}", adapter.id(), event.session);
        // A subagent has an account of its own: what was asked of it, what it did, how often it was blocked.
        let session = event.subagent.as_ref().map_or_else(|| parent.clone(), |subagent| format!("{parent}/{subagent}"));
        Self { adapter, host: host.at(&project_of(event, host)), event, session, parent, now: now_ms() }
    }

    fn handle(&self, kind: &HookEventKind) -> HookReply {
        let handled = match kind {
            HookEventKind::SessionStart { source } => self.session_start(source),
            HookEventKind::Prompt { text } => self.prompt(text),
            HookEventKind::Stop { .. } => return self.stop(),
            HookEventKind::SessionEnd { reason } => {
                self.observe(&CallEvent::Idle);
                self.append(&LedgerEvent::SessionEnded { reason: reason.clone() })
            }
            HookEventKind::Tool(call) => {
                // What is not observed counts as the session's own: the stop says so.
                let _ = self.observe(call);
                return HookReply::Silent;
            }
            HookEventKind::Other { .. } => Ok(HookReply::Silent),
        };
        handled.unwrap_or_else(|error| HookReply::Notice { text: format!("Assize could not record this: {error}") })
    }

    fn append(&self, event: &LedgerEvent) -> std::result::Result<HookReply, LedgerError> {
        Ledger::open(&self.host.ledger())?.append(self.now, ID, &self.session, event)?;
        Ok(HookReply::Silent)
    }

    fn session_start(&self, source: &str) -> std::result::Result<HookReply, LedgerError> {
        let mut ledger = Ledger::open(&self.host.ledger())?;
        let mut state = session_state(&ledger.session_events(&self.session, None)?);
        let cleared = match source {
            "clear" if state.directives_seen == 0 => {
                let recent = self.recent_events(&ledger)?;
                let cleared = Self::cleared_last(&ledger, &recent);
                let only = || only_open(pairs(&recent), &self.session).map(str::to_owned);
                if cleared.is_empty() { ClearedSessions { heard: only(), ..cleared } } else { cleared }
            }
            _ => ClearedSessions::default(),
        };
        let unheard = cleared.unheard.clone();
        let mut carried = self.cleared_session(&ledger, cleared)?;
        let observed = self.observe(&CallEvent::Waits { running: usize::MAX });
        let carried_baseline = carried.baseline.take();
        let baseline = state.baseline.is_none().then(|| carried_baseline.unwrap_or_else(|| self.baseline(observed, Some(unheard))));
        let agent = self.adapter.id().to_owned();
        let transcript = self.transcript();
        let source = source.to_owned();
        let mut events = vec![LedgerEvent::SessionStarted { agent: agent.clone(), source, baseline, transcript }];
        events.extend(carried.active.into_iter().map(|directive| LedgerEvent::Prompted {
            agent: agent.clone(),
            prompt_id: "carried-over".to_owned(),
            directive: Some(directive),
            overrules: false,
            baseline: None,
            transcript: None,
        }));
        for event in &events {
            ledger.append(self.now, ID, &self.session, event)?;
            event::apply(&mut state, event);
        }
        let notice = self.configuration_notice(state.baseline.as_ref());
        // What was asked for must outlive the agent's memory of it.
        Ok(match (open_directives(&state), notice) {
            (Some(text), notice) => HookReply::Context { text, notice },
            (None, Some(text)) => HookReply::Notice { text },
            (None, None) => HookReply::Silent,
        })
    }

    /// Clearing begins a session with another id. Returns the state of the one that was cleared just before.
    fn cleared_session(&self, ledger: &Ledger, cleared: ClearedSessions) -> std::result::Result<SessionState, LedgerError> {
        let Some(heard) = cleared.heard else { return Ok(SessionState::default()) };
        let mut state = session_state(&ledger.session_events(&heard, None)?);
        if let Some(baseline) = &mut state.baseline {
            baseline.continues.push(heard);
            baseline.continues.extend(cleared.unheard);
        }
        Ok(state)
    }

    /// The latest events of the sessions of this agent, oldest first. A subagent's are left out: its name has one more part.
    fn recent_events(&self, ledger: &Ledger) -> std::result::Result<Vec<(String, LedgerEvent)>, LedgerError> {
        let recent = ledger.entries(&Filter { last: Some(RECENT_ENTRIES), ..Filter::default() })?;
        let agent = format!("{}/", self.adapter.id());
        let is_of_agent = |session: &str| session.strip_prefix(&agent).is_some_and(|name| !name.contains('/'));
        let own = recent.into_iter().filter(|entry| is_of_agent(&entry.header.session));
        // What cannot be read is for the verification of the ledger to tell.
        Ok(own.filter_map(|entry| Some((entry.header.session.clone(), ledger.event(&entry).ok()?))).collect())
    }

    fn cleared_last(ledger: &Ledger, recent: &[(String, LedgerEvent)]) -> ClearedSessions {
        let begins = |session: &str| {
            ledger.session_events(session, None).is_ok_and(|events| session_state(&events).baseline.is_some())
        };
        ClearedSessions::last(pairs(recent), begins)
    }

    fn prompt(&self, text: &str) -> std::result::Result<HookReply, LedgerError> {
        // What the user typed between two prompts is the user's.
        let observed = self.observe(&CallEvent::Waits { running: usize::MAX });
        let overrules = overrules(text);
        let mut ledger = Ledger::open(&self.host.ledger())?;
        let mut seen = ledger.session_size(&self.session)?;
        if seen.entries == 0 && !Self::cleared_last(&ledger, &self.recent_events(&ledger)?).is_empty() {
            drop(ledger);
            // The start of this session was not heard.
            self.session_start("clear")?;
            ledger = Ledger::open(&self.host.ledger())?;
            seen = ledger.session_size(&self.session)?;
        }
        let directive = Directive::from_prompt(text, seen.prompts + 1, self.attachments(text));
        if directive.is_none() && !overrules {
            return Ok(HookReply::Silent);
        }
        let prompt_id = self.event.prompt_id.clone().unwrap_or_else(|| format!("prompt-{}", seen.prompts + 1));
        let begins = seen.entries == 0 || self.others_committed(&ledger)?;
        let baseline = begins.then(|| self.baseline(observed, (seen.entries == 0).then(Vec::new)));
        // The start of a session says it as well, but not every agent announced that one.
        let notice = if seen.entries == 0 { self.configuration_notice(baseline.as_ref()) } else { None };
        let agent = self.adapter.id().to_owned();
        ledger.append(
            self.now,
            ID,
            &self.session,
            &LedgerEvent::Prompted { agent, prompt_id, directive, overrules, baseline, transcript: self.transcript() },
        )?;
        Ok(notice.map_or(HookReply::Silent, |text| HookReply::Notice { text }))
    }

    fn attachments(&self, prompt: &str) -> Vec<Attachment> {
        attachments(prompt, &self.host.project(), self.host.home().as_deref())
    }

    /// Returns whether everything that was asked for is settled and another commit has been
    /// checked out since: what came with it is not this session's doing.
    fn others_committed(&self, ledger: &Ledger) -> std::result::Result<bool, LedgerError> {
        let latest = Filter { session: Some(self.session.clone()), last: Some(3), ..Filter::default() };
        for entry in ledger.entries(&latest)?.iter().rev() {
            match ledger.event(entry)? {
                LedgerEvent::StopRuled(record) => {
                    let settled = record.decision.ruling.outcome == Outcome::Accept;
                    let then = record.inputs.evidence.and_then(|evidence| evidence.head);
                    return Ok(settled && head_of(&self.host.folder).is_ok_and(|now| now.is_some() && now != then));
                }
                LedgerEvent::SessionStarted { .. } | LedgerEvent::SessionEnded { .. } => {}
                _ => return Ok(false),
            }
        }
        Ok(false)
    }

    /// Looks at the work tree, and takes an event of the session's calls into account. Returns how many observations there are;
    /// `None` where nothing is observed.
    fn observe(&self, event: &CallEvent) -> Option<u64> {
        let tells = matches!(self.event.kind, HookEventKind::Tool(_)) || self.sees_tools();
        let journal = self.journal().filter(|_| tells)?;
        journal.record(self.now, &self.session, event).ok()
    }

    /// Looks at the work tree when the agent waits. Where the settings no longer send the events of its tools, it is not known who
    /// changed what since the last look.
    fn observe_waiting(&self, running: usize, baseline: Option<&Baseline>) {
        let was_observed = baseline.is_some_and(|baseline| baseline.observations.is_some());
        let event = match self.sees_tools() {
            true => CallEvent::Waits { running },
            false if was_observed => CallEvent::WaitsUnheard,
            false => return,
        };
        // What is not observed counts as the session's own: the stop says so.
        let _ = self.journal().map(|journal| journal.record(self.now, &self.session, &event));
    }

    fn journal(&self) -> Option<TreeJournal> {
        TreeJournal::of(&self.host.ledger(), &self.host.project())
    }

    /// Returns whether the agent's settings send the events of its tools.
    fn sees_tools(&self) -> bool {
        let scopes = [(SettingsScope::Project, Some(self.host.project())), (SettingsScope::User, self.host.home())];
        scopes.into_iter().any(|(scope, base)| {
            let path = base.map(|base| self.adapter.settings_path(scope, &base));
            let text = path.and_then(|path| std::fs::read_to_string(path).ok());
            text.is_some_and(|text| self.adapter.sees_tools(&text))
        })
    }

    /// Without a baseline the change is measured from the last commit, which the record then says.
    /// `observed` is what a look at the tree came to just before. What the session did before its first baseline is its own, and so
    /// is what others did that it continues and that were not heard to begin.
    fn baseline(&self, observed: Option<u64>, continued: Option<Vec<String>>) -> Baseline {
        let mut baseline = baseline(&self.host.folder).unwrap_or_default();
        baseline.continues = continued.clone().unwrap_or_default();
        if baseline.measured == BaselineScope::Folder {
            baseline = self.snapshot().unwrap_or(baseline);
        }
        if observed.is_some() {
            let sessions = continued.map(|continued| [continued, vec![self.session.clone()]].concat());
            let earlier = self.journal().zip(sessions).and_then(|(journal, sessions)| journal.earlier(&sessions));
            if let Some(earlier) = &earlier {
                baseline.dirty.retain(|(path, _)| !earlier.paths.contains(path));
            }
            let dirty: Vec<&str> = baseline.dirty.iter().map(|(path, _)| path.as_str()).collect();
            let mark = self.journal().and_then(|journal| journal.note(self.now, &dirty).ok());
            let before = earlier.map_or(u64::MAX, |earlier| earlier.before);
            baseline.observations = mark.as_ref().map(|mark| mark.observations.min(before));
            baseline.journal = mark.map(|mark| mark.journal);
        }
        baseline.approvals = approvals::committed(&self.host.project());
        baseline.configuration = config::read(&self.host.project(), self.host.configuration.as_deref()).ok();
        baseline
    }

    /// Takes a snapshot of a project without git. `None` where it is too large, or there is no place for one.
    fn snapshot(&self) -> Option<Baseline> {
        let (home, project) = (own_snapshot::home(&self.host.ledger())?, self.host.project());
        own_snapshot::take(&home, &project).ok()?;
        snapshot_baseline(&home, &project).ok()
    }

    fn stop(&self) -> HookReply {
        // What a subagent found out is for its parent to judge; what it wrote and says of it is judged here.
        if self.event.subagent.is_some() && !self.has_edited() {
            return HookReply::Silent;
        }
        // A fault of ours is no verdict about anybody's work.
        let judged = catch_unwind(AssertUnwindSafe(|| self.judge())).unwrap_or_else(|_| {
            Err(Unjudged::new(Cause::EvidenceMissing, "a fault of Assize itself; please report it"))
        });
        match judged {
            Ok((record, prior, notices)) => self.conclude(record, &prior, &notices),
            Err(barred) => {
                let prior = SessionState::default();
                let case = StopCase { barred: Some(barred), ..self.case(&prior, false) };
                self.conclude(StopRecord::of(StopInputs::without_evidence(case), &prior), &prior, &[])
            }
        }
    }

    fn has_edited(&self) -> bool {
        let read = self.sources(&SessionState::default()).transcript.map(|(path, kind)| read_facts(&path, kind, None));
        read.is_some_and(|read| read.is_ok_and(|facts| !facts.edits.is_empty()))
    }

    /// Judges the stop. Returns the record, the state of the session before it, and what the person is told of a
    /// configuration that cannot be used, and of what was to silence the court.
    fn judge(&self) -> std::result::Result<(StopRecord, SessionState, Vec<String>), Unjudged> {
        let unavailable = |error: LedgerError| Unjudged::new(Cause::LedgerUnavailable, error.to_string());
        let mut ledger = Ledger::open(&self.host.ledger()).map_err(unavailable)?;
        let running = match &self.event.kind {
            HookEventKind::Stop { background_tasks, .. } => background_tasks.len(),
            _ => 0,
        };
        let events = ledger.session_events(&self.session, None).map_err(unavailable)?;
        let mut state = session_state(&events);
        let known = directives_of(&events);
        let unfounded = self.unfounded_overrules(&events, &state);
        if unfounded {
            state = session_state(&without_overrules(events));
        }
        if self.event.subagent.is_none() {
            self.observe_waiting(running, state.baseline.as_ref());
        } else if state.baseline.is_none() {
            let parent = ledger.session_events(&self.parent, None).map_err(unavailable)?;
            state.baseline = session_state(&parent).baseline;
        }
        if state.active.is_empty() {
            let prompts = self.prompts_on_record(&state, &known)?;
            self.catch_up(&mut ledger, &mut state, &prompts).map_err(unavailable)?;
        }
        let last_pause = ledger.last_pause().map_err(unavailable)?;
        let said = SaidByPeople::read(&ledger, &self.host.project(), state.baseline.as_ref()).map_err(unavailable)?;
        drop(ledger);
        let case = self.case(&state, is_paused(last_pause.as_ref(), self.now));
        let mut notices = Vec::new();
        if unfounded {
            notices.push(format!("Assize was sent a prompt with `{OVERRULE_MARKER}` that is not in the transcript of the session; it does not count."));
        }
        if self.host.variable(JUDGE_VARIABLE).is_some() {
            notices.push(format!("{JUDGE_VARIABLE} is set, although no judge of Assize runs here; it does not count."));
        }
        Ok(match self.config(state.baseline.as_ref()) {
            Ok((config, judges)) => {
                notices.extend(said.fault.clone());
                let terms = said.terms(self.policy(&config), config.rules.clone(), judges.ids());
                let mut verify = |request: &VerificationRequest| run_checks(request, &config, &self.host);
                let record =
                    hold(case, terms, state.clone(), &self.sources(&state), &mut verify, &mut |ids, question, each| {
                        judges.ask(ids, question, each);
                    });
                notices.extend(uncertain_notice(&record).or_else(|| unverified_notice(&record)));
                (record, state, notices)
            }
            Err(failure) => {
                let record = self.judge_without_configuration(case, state.clone(), said, &failure);
                notices.push(configuration_notice(&failure));
                (record, state, notices)
            }
        })
    }

    /// Returns what the person is told if the configuration cannot be used.
    fn configuration_notice(&self, baseline: Option<&Baseline>) -> Option<String> {
        self.config(baseline).err().map(|failure| configuration_notice(&failure))
    }

    /// A configuration that cannot be read does not switch the court off: the evidence judge works
    /// with the defaults. Where it finds nothing, the ruling is `unjudged`.
    fn judge_without_configuration(
        &self,
        case: StopCase,
        state: SessionState,
        said: SaidByPeople,
        failure: &Failure,
    ) -> StopRecord {
        let id = "configuration".to_owned();
        let terms = said.terms(self.policy(&Config::default()), RuleSettings::default(), vec![id.clone()]);
        let detail = format!("{}; fix it, it is read again at the next stop", failure.what);
        let sources = self.sources(&state);
        let mut verify =
            |request: &VerificationRequest| run_checks(request, &Config::default(), &self.host);
        hold(case, terms, state, &sources, &mut verify, &mut |_, _, each| {
            each(Opinion::of(id.clone(), Err(Unjudged::new(Cause::BadConfiguration, detail.clone()))));
        })
    }

    /// The prompts of the transcript after the last one that was heard, with their numbers. A session of which no prompt is known
    /// is not judged where its calls changed something.
    fn prompts_on_record(
        &self,
        state: &SessionState,
        known: &[Directive],
    ) -> std::result::Result<Vec<(usize, String)>, Unjudged> {
        let Some((path, kind)) = self.sources(state).transcript else { return Ok(Vec::new()) };
        let prompts = read_facts(&path, kind, None).map(|facts| facts.prompts).unwrap_or_default();
        let prompts: Vec<String> = prompts.iter().map(|prompt| prompt.inspect().to_owned()).collect();
        let has_changed = || self.journal().and_then(|journal| journal.earlier(slice::from_ref(&self.session))).is_some();
        if prompts.is_empty() && known.is_empty() && has_changed() {
            let why = "no prompt was heard, and the transcript has none";
            return Err(Unjudged::new(Cause::EvidenceMissing, why));
        }
        let is_known = |words: &str| {
            let directive = Directive::from_prompt(words, 1, Vec::new());
            directive.is_some_and(|said| known.iter().any(|known| known.text == said.text))
        };
        let heard = match prompts.iter().rposition(|prompt| is_known(prompt)) {
            Some(last) => last + 1,
            None if known.is_empty() => 0,
            None => prompts.len(),
        };
        Ok(prompts.into_iter().enumerate().skip(heard).collect())
    }

    /// A session whose prompts the hook never saw, because it was set up later, the ledger was removed, or a hook was killed, is
    /// no session without wishes: the transcript has them.
    fn catch_up(
        &self,
        ledger: &mut Ledger,
        state: &mut SessionState,
        prompts: &[(usize, String)],
    ) -> std::result::Result<(), LedgerError> {
        for (index, words) in prompts {
            let event = LedgerEvent::Prompted {
                agent: self.adapter.id().to_owned(),
                prompt_id: self.event.prompt_id.clone().unwrap_or_else(|| format!("prompt-{}", index + 1)),
                directive: Directive::from_prompt(words, index + 1, self.attachments(words)),
                // A marker in a transcript proves nothing: the agent can write there.
                overrules: false,
                baseline: None,
                transcript: self.transcript(),
            };
            ledger.append(self.now, ID, &self.session, &event)?;
            event::apply(state, &event);
        }
        Ok(())
    }

    /// The configuration with which the session began stays in force, so that the work cannot switch
    /// off what it is judged by. If that configuration could not be used, it protects nothing, and the
    /// present one is read.
    fn config(&self, baseline: Option<&Baseline>) -> Result<(Config, Judges)> {
        let usable = |config: Config| Judges::of_stop(&config, &self.host).map(|judges| (config, judges));
        let first = baseline.and_then(|baseline| baseline.configuration.as_ref());
        if let Some(Ok(first)) = first.map(|text| Config::parse(text, config::FILE_NAME).and_then(usable)) {
            return Ok(first);
        }
        Config::load(&self.host.project(), self.host.configuration.as_deref()).and_then(usable)
    }

    /// The agent's own harness has a cap on blocks; ours stays below it.
    fn policy(&self, config: &Config) -> assize_stop::court::StopPolicy {
        let mut policy = config.stop.clone();
        if let Some(cap) = self.adapter.block_cap() {
            let limit = &mut policy.limits.prompt_blocks_max;
            *limit = (*limit).min(cap.saturating_sub(1));
        }
        policy
    }

    fn case(&self, state: &SessionState, paused: bool) -> StopCase {
        let (running, interrupted, planning) = match &self.event.kind {
            HookEventKind::Stop { background_tasks, interrupted, planning, .. } => {
                (&background_tasks[..], *interrupted, *planning)
            }
            _ => (&[][..], false, false),
        };
        let awaited = running.iter().filter(|task| task.is_awaited());
        let background_tasks = awaited.map(|task| task.description.clone()).collect();
        StopCase {
            agent: self.adapter.id().to_owned(),
            prompt_id: state.prompt_id.clone(),
            background_tasks,
            interrupted,
            planning,
            paused,
            barred: None,
        }
    }

    /// Where the event says that the transcript lies.
    fn transcript(&self) -> Option<String> {
        self.event.transcript.as_ref().and_then(|path| path.to_str()).map(str::to_owned)
    }

    /// Returns whether a prompt that lets the state pass came in, and the transcript does not have it.
    fn unfounded_overrules(&self, events: &[LedgerEvent], state: &SessionState) -> bool {
        let came_in = events.iter().filter(|event| matches!(event, LedgerEvent::Prompted { overrules: true, .. })).count();
        let facts = || self.sources(state).transcript.map(|(path, kind)| read_facts(&path, kind, None));
        // Where an agent never names a transcript, no one can look there.
        came_in > 0
            && facts().is_some_and(|facts| facts.map_or(true, |facts| !facts.bears_out_overrules(came_in)))
    }

    fn sources(&self, state: &SessionState) -> Sources {
        let final_message = match &self.event.kind {
            HookEventKind::Stop { final_message, .. } => final_message.clone(),
            _ => None,
        };
        let is_subagent = self.event.subagent.is_some();
        let kind =
            if is_subagent { self.adapter.subagent_transcript_kind() } else { self.adapter.transcript_kind() };
        let named = self.event.transcript.clone().or_else(|| state.transcript.as_ref().map(PathBuf::from));
        let transcript = named.map(|path| (path, kind));
        let judged = self.journal().map(|journal| JudgedSession { journal, session: self.parent.clone() });
        let snapshot = state.baseline.as_ref().filter(|baseline| baseline.measured == BaselineScope::Snapshot);
        let work_tree = match snapshot.and_then(|_| own_snapshot::home(&self.host.ledger())) {
            Some(home) => WorkTree::with_snapshot(&self.host.project(), &home),
            None => WorkTree::project(&self.host.folder),
        };
        Sources { work_tree, transcript, final_message, cache: self.host.cache(), judged, edited_alone: is_subagent }
    }

    /// Records the ruling and answers. If it cannot be recorded, it is made anew without the power
    /// to block. `notices` are what the person is told besides.
    fn conclude(&self, mut record: StopRecord, prior: &SessionState, notices: &[String]) -> HookReply {
        let event = LedgerEvent::StopRuled(Box::new(record.clone()));
        if let Err(error) = self.append(&event) {
            record.inputs.case.barred = Some(Unjudged::new(Cause::LedgerUnavailable, error.to_string()));
            record = StopRecord::of(record.inputs, prior);
        }
        // Where no evidence was looked at, no configuration was needed.
        let notice = Some(notices.join("\n")).filter(|text| !text.is_empty() && record.inputs.evidence.is_some());
        let cause = record.decision.ruling.unjudged.as_ref().map(|unjudged| unjudged.cause);
        match record.decision.disposition {
            Disposition::Block { message } => HookReply::Block { reason: message, notice },
            // The ruling itself says what is wrong with the configuration.
            Disposition::Allow { notice: Some(text), .. } if cause == Some(Cause::BadConfiguration) => {
                HookReply::Notice { text }
            }
            Disposition::Allow { notice: Some(text), .. } => {
                let parts: Vec<String> = [Some(text), notice].into_iter().flatten().collect();
                HookReply::Notice { text: parts.join("\n") }
            }
            Disposition::Allow { notice: None, .. } => notice.map_or(HookReply::Silent, |text| HookReply::Notice { text }),
        }
    }
}

/// Returns the folder whose court an event belongs to. An agent moves about as it works; where its
/// harness says in which project the session began, a repository made below that does not have a
/// court of its own.
fn project_of(event: &HookEvent, host: &Host) -> PathBuf {
    let project = host.variable("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    project
        .filter(|project| project.is_absolute() && event.folder.starts_with(project))
        .unwrap_or_else(|| event.folder.clone())
}

/// The rule that finds what git left unmerged, with anyone at work in the file.
const UNMERGED_RULE: &str = "conflict-marker";

/// Says what would have blocked if it were known that the session did it. Of files that are not judged nothing is found but what git
/// left unmerged.
fn uncertain_notice(record: &StopRecord) -> Option<String> {
    let is_accepted = record.decision.ruling.outcome == Outcome::Accept;
    let limits = &record.inputs.evidence.as_ref().filter(|_| is_accepted)?.limits;
    let findings = &record.inputs.findings;
    let is_told = |finding: &Finding, paths: &str, is_judged: bool| {
        let is_named = finding.path.as_deref().is_some_and(|path| paths.split(", ").any(|named| named == path));
        is_named && (is_judged || finding.rule == UNMERGED_RULE)
    };
    let mut uncertain: Vec<(&str, Vec<&Finding>)> = Vec::new();
    for limit in limits {
        let (parted, is_judged) = match limit.split_once(NOT_CERTAIN) {
            Some(parted) => (Some(parted), true),
            None => (limit.split_once(NOT_JUDGED), false),
        };
        let Some((why, paths)) = parted else { continue };
        let found: Vec<&Finding> = findings.iter().filter(|finding| is_told(finding, paths, is_judged)).collect();
        uncertain.extend((!found.is_empty()).then_some((why, found)));
    }
    let first = findings.iter().find(|finding| uncertain.iter().any(|(_, found)| found.contains(finding)))?;
    let told = uncertain.iter().map(|(why, found)| {
        let paths: BTreeSet<&str> = found.iter().filter_map(|finding| finding.path.as_deref()).collect();
        format!("{why}: {}", paths.into_iter().collect::<Vec<_>>().join(", "))
    });
    let told = told.collect::<Vec<_>>().join("; ");
    Some(format!("Assize let this stop pass and is not certain ({told}): {}", first.with_id()))
}

/// Says that a claim of an accepted stop was not borne out by a run, and why.
fn unverified_notice(record: &StopRecord) -> Option<String> {
    let is_accepted = record.decision.ruling.outcome == Outcome::Accept;
    let shown = record.inputs.findings.iter().find(|finding| requested_checks::RULES.contains(&&*finding.rule));
    if let Some(finding) = shown.filter(|_| is_accepted) {
        return Some(format!("Assize let this stop pass and is not certain: {}", finding.with_id()));
    }
    let gap = record.inputs.evidence.as_ref().filter(|_| is_accepted)?.verification.as_ref()?.gap()?;
    Some(format!("Assize let this stop pass and could not verify what it claims by running it ({gap})."))
}

fn pairs(recent: &[(String, LedgerEvent)]) -> impl DoubleEndedIterator<Item = (&str, &LedgerEvent)> {
    recent.iter().map(|(session, event)| (session.as_str(), event))
}

/// What was asked for in the events of a session.
fn directives_of(events: &[LedgerEvent]) -> Vec<Directive> {
    let directive = |event: &LedgerEvent| match event {
        LedgerEvent::Prompted { directive, .. } => directive.clone(),
        _ => None,
    };
    events.iter().filter_map(directive).collect()
}

/// Takes out of the events of a session that a person let its state pass.
fn without_overrules(mut events: Vec<LedgerEvent>) -> Vec<LedgerEvent> {
    for event in &mut events {
        if let LedgerEvent::Prompted { overrules, .. } = event {
            *overrules = false;
        }
    }
    events
}

/// Says what is wrong with a configuration that cannot be used, and what holds until it is fixed.
fn configuration_notice(failure: &Failure) -> String {
    format!(
        "Assize cannot use its configuration: {}. The evidence judge works with the defaults; the file is read again at each stop.",
        failure.what.trim_end_matches('.')
    )
}

/// Lists what is still open, as a fact, for an agent whose memory was cleared.
fn open_directives(state: &SessionState) -> Option<String> {
    if state.active.is_empty() {
        return None;
    }
    let mut text = String::from("Directives of the user in this session that no accepted stop has covered yet:");
    for directive in &state.active {
        let words = assize_core::text::quote(directive.text.inspect());
        text.push_str(&format!("\n- {} ({}): {words}", directive.id, directive.kind.as_str()));
    }
    Some(text)
}

/// Answers an event as the hook of an agent would, for `assize demo` and `assize doctor`.
pub fn rehearse(agent: &str, event: &serde_json::Value, host: &Host) -> HookOutput {
    match adapter(agent) {
        Some(adapter) => answer(adapter, event.to_string().as_bytes(), host),
        None => HookOutput::default(),
    }
}
