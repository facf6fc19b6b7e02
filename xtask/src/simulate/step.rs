//! What happens in a simulated session: tools are called, files are edited, agents stop, and things are lost.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::answer::SimulatedAnswer;
use super::fault::{FaultAuthor, MENU, PlantKind, PlantedFault, SHAPE, SOURCES, TESTS};
use super::loss::{Harm, LostPart, StateLoss};
use super::machine::{SimulatedMachine, ToolCallAtWork};

/// Files that are edited.
const EDITED: [&str; 5] = [SOURCES[0], SOURCES[1], SHAPE, MENU, TESTS];
/// How often an agent tries to stop in a row.
const STOPS_IN_A_ROW_MAX: usize = 4;

/// What a call of a tool does.
enum ToolWork {
    /// Writes a fault.
    Fault(PlantedFault),
    /// Writes something good into a file.
    Good(String),
    /// Changes the indentation of all sources.
    Format,
    /// Runs git.
    Git,
    /// Takes the agent's own faults out.
    Fix(Vec<PlantedFault>),
    /// Leaves a task in the background, which writes a fault later.
    Task(PlantedFault),
    /// Moves a source file.
    Move,
}

impl SimulatedMachine {
    /// Plays the session to its end.
    pub fn play(&mut self) {
        for _ in 0..self.rng.usize(5..=13) {
            self.step();
        }
        let asked: Vec<usize> = (0..self.agents.len()).filter(|who| self.agents[*who].is_asked).collect();
        if self.rng.bool() {
            self.stop_at_once(&asked);
        } else {
            for who in asked {
                self.stop(who);
            }
        }
        self.check_ledger();
    }

    /// Several agents stop at the same moment.
    fn stop_at_once(&mut self, agents: &[usize]) {
        let start = |who: &usize| {
            let fields = self.stop_fields(*who, 0);
            (*who, self.start(*who, "Stop", fields))
        };
        let started: Vec<_> = agents.iter().map(start).collect();
        for (who, child) in started {
            let answer = self.answer(who, "Stop", child);
            self.check_stop(who, &answer);
        }
    }

    fn step(&mut self) {
        let who = self.rng.usize(..self.agents.len());
        match self.rng.u8(..20) {
            0..=8 => self.works(who),
            9 => self.ends_task(who),
            10..=13 => self.stop(who),
            14..=16 => self.person(),
            17 if self.rng.bool() => self.lose(),
            17 if self.agents[who].prompts > 0 => self.clear(who),
            18 if self.agents[who].prompts > 0 => {
                let source = if self.rng.bool() { "resume" } else { "compact" };
                let answer = self.send(who, "SessionStart", json!({"source": source}));
                if answer != SimulatedAnswer::Killed {
                    self.agents[who].open.retain(|call| call.is_task);
                }
            }
            _ => self.git_step(FaultAuthor::Person),
        }
    }

    /// The person types into a file, formats, or runs git. No hook sees it.
    fn person(&mut self) {
        match self.rng.u8(..8) {
            0..=3 => {
                let fault = self.draw_fault(FaultAuthor::Person);
                self.plant(fault, "typed");
            }
            4..=5 => {
                let path = EDITED[self.rng.usize(..EDITED.len())];
                self.add_good(path);
            }
            6 if self.rng.bool() => self.format(FaultAuthor::Person),
            6 => self.moves(FaultAuthor::Person),
            _ => self.git_step(FaultAuthor::Person),
        }
    }

    /// The user asks for something; the session begins if it has not.
    fn prompt(&mut self, who: usize) {
        if self.agents[who].prompts == 0 {
            let answer = self.send(who, "SessionStart", json!({"source": "startup"}));
            self.begins(who, &answer);
        }
        self.agents[who].prompts += 1;
        let number = self.agents[who].prompts;
        let text = format!("Continue with step {number} of the plan.");
        self.writes(who, &json!({"type": "user", "message": {"role": "user", "content": text}}));
        self.renew_baseline(who);
        let answer = self.send(who, "UserPromptSubmit", json!({"prompt": text, "prompt_id": format!("p{number}")}));
        if number == 1 {
            self.begins(who, &answer);
        }
        let agent = &mut self.agents[who];
        agent.is_asked = true;
        if answer != SimulatedAnswer::Killed {
            agent.open.retain(|call| call.is_task);
        }
    }

    /// The user clears the session: another one begins, and takes over what is open.
    fn clear(&mut self, who: usize) {
        let end = self.send(who, "SessionEnd", json!({"reason": "clear"}));
        if end == SimulatedAnswer::Killed && self.agents.len() > 1 {
            let own = self.faults.iter_mut().filter(|fault| fault.author == FaultAuthor::Agent(who));
            own.for_each(|fault| {
                fault.excused = Some("the end of a cleared session was not heard, and there were others");
            });
        }
        let number = self.number();
        let agent = &mut self.agents[who];
        agent.session = format!("agent-{who}-{number}");
        agent.open.clear();
        agent.tasks.clear();
        agent.is_asked = false;
        // The harness begins another transcript.
        let _ = std::fs::remove_file(self.transcript(who));
        self.send(who, "SessionStart", json!({"source": "clear"}));
    }

    /// A task in the background does its work.
    fn ends_task(&mut self, who: usize) {
        match self.agents[who].tasks.pop() {
            Some(fault) => {
                let how = format!("by a task that was left {}", fault.how);
                self.plant(fault, &how);
            }
            None => self.works(who),
        }
    }

    fn begins(&mut self, who: usize, answer: &SimulatedAnswer) {
        if self.agents[who].is_start_seen || *answer == SimulatedAnswer::Killed {
            return;
        }
        let (losses, uncommitted) = (self.losses.len(), self.uncommitted_faults());
        let agent = &mut self.agents[who];
        agent.is_start_seen = true;
        agent.losses_before = losses;
        agent.uncommitted = uncommitted;
    }

    /// The faults in the tree whose files differ from the commit that is checked out.
    fn uncommitted_faults(&self) -> BTreeSet<usize> {
        let status = self.git_reads(&["status", "--porcelain", "--untracked-files=all"]);
        let is_listed = |fault: &&PlantedFault| status.contains(&fault.path) && self.is_there(fault);
        self.faults.iter().filter(is_listed).map(|fault| fault.number).collect()
    }

    /// Where everything is settled and another commit is checked out, a new baseline begins.
    fn renew_baseline(&mut self, who: usize) {
        let Some(settled_at) = self.agents[who].settled_at.take() else { return };
        if settled_at == self.git_reads(&["rev-parse", "HEAD"]) {
            return;
        }
        let uncommitted = self.uncommitted_faults();
        self.agents[who].uncommitted.extend(uncommitted);
        for fault in self.faults.iter_mut().filter(|fault| fault.author == FaultAuthor::Agent(who)) {
            fault.excused = Some("another commit was checked out after an accepted stop");
        }
    }

    /// An agent calls a tool.
    fn works(&mut self, who: usize) {
        if !self.agents[who].is_asked {
            self.prompt(who);
        }
        let work = match self.rng.u8(..14) {
            12 => ToolWork::Task(self.draw_fault(FaultAuthor::Agent(who))),
            13 => ToolWork::Move,
            0..=4 => ToolWork::Fault(self.draw_fault(FaultAuthor::Agent(who))),
            5..=7 => ToolWork::Good(EDITED[self.rng.usize(..EDITED.len())].to_owned()),
            8 => ToolWork::Format,
            _ => ToolWork::Git,
        };
        self.call(who, work, true);
    }

    /// A call of a tool, with the hooks before and after it, and perhaps others at work meanwhile.
    fn call(&mut self, who: usize, work: ToolWork, may_nest: bool) {
        let id = format!("call-{}", self.number());
        let path = match &work {
            ToolWork::Fault(fault) if self.rng.bool() => Some(fault.path.clone()),
            ToolWork::Good(path) if self.rng.bool() => Some(path.clone()),
            _ => None,
        };
        let (tool, input) = match &path {
            Some(path) => ("Write", json!({"file_path": self.hooks.repo().path().join(path), "content": ""})),
            None => ("Bash", json!({"command": format!("./{id}")})),
        };
        let is_of_subagent = self.rng.u8(..6) == 0;
        let fields = |more: Value| {
            let mut fields = json!({"tool_name": tool, "tool_use_id": id, "tool_input": input});
            if is_of_subagent {
                fields["agent_id"] = json!("sub-1");
            }
            if let (Some(fields), Value::Object(more)) = (fields.as_object_mut(), more) {
                fields.extend(more);
            }
            fields
        };
        let line = |kind: &str, block: &Value| json!({"type": kind, "isSidechain": is_of_subagent, "message": {"role": kind, "content": [block]}});
        let call = json!({"type": "tool_use", "id": id, "name": tool, "input": input});
        self.writes(who, &line("assistant", &call));
        self.agents[who].open.push(ToolCallAtWork { id: id.clone(), path, is_task: false });
        let before = self.send(who, "PreToolUse", fields(json!({})));
        self.meanwhile(who, may_nest);
        let by = if is_of_subagent { "a subagent's" } else { "its" };
        let seen = if before == SimulatedAnswer::Killed { ", whose PreToolUse was killed" } else { "" };
        let planted = match &work {
            ToolWork::Fault(fault) | ToolWork::Task(fault) => Some(fault.number),
            _ => None,
        };
        let response = self.does(who, work, &format!("by {by} {tool}{seen}"));
        self.meanwhile(who, may_nest);
        if self.rng.u8(..20) == 0 {
            self.show(|| format!("agent {who}: {id} never returns"));
            // No harness knows of a task whose call was interrupted.
            if response.get("backgroundTaskId").is_some() {
                self.agents[who].tasks.pop();
            }
            return;
        }
        let is_task = response.get("backgroundTaskId").is_some();
        let name = if self.rng.u8(..10) == 0 && !is_task { "PostToolUseFailure" } else { "PostToolUse" };
        let after = self.send(who, name, fields(json!({"tool_response": response})));
        if before == SimulatedAnswer::Killed && after == SimulatedAnswer::Killed {
            let written = self.faults.iter_mut().chain(&mut self.agents[who].tasks);
            for fault in written.filter(|fault| Some(fault.number) == planted) {
                fault.excused = Some("both hooks of its call were killed");
            }
        }
        if after != SimulatedAnswer::Killed {
            let open = &mut self.agents[who].open;
            open.retain(|call| is_task || call.id != id);
            for call in open.iter_mut().filter(|call| call.id == id) {
                call.is_task = true;
            }
        }
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": "done", "is_error": false});
        self.writes(who, &line("user", &result));
    }

    /// Does the work of a call, and returns what the tool responds.
    fn does(&mut self, who: usize, work: ToolWork, how: &str) -> Value {
        match work {
            ToolWork::Fault(fault) => self.plant(fault, how),
            ToolWork::Good(path) => self.add_good(&path),
            ToolWork::Task(fault) => {
                let task = format!("task-{}", fault.number);
                self.agents[who].tasks.push(PlantedFault { how: how.to_owned(), ..fault });
                return json!({"backgroundTaskId": task});
            }
            ToolWork::Move => self.moves(FaultAuthor::Agent(who)),
            ToolWork::Format => self.format(FaultAuthor::Agent(who)),
            ToolWork::Git => self.git_step(FaultAuthor::Agent(who)),
            ToolWork::Fix(faults) => {
                for fault in faults {
                    let Some(path) = self.place_of(&fault).map(str::to_owned) else { continue };
                    let text = fault.fix(&self.text(&path), &mut self.rng);
                    self.hooks.repo().write(&path, &text);
                    if fault.kind == PlantKind::Unmerged {
                        self.git(&["add", &path]);
                    }
                    self.show(|| format!("agent {who} fixes fault {} in {path}", fault.number));
                }
            }
        }
        json!({})
    }

    /// Others are at work while a call of an agent is open.
    fn meanwhile(&mut self, who: usize, may_nest: bool) {
        if !may_nest || self.rng.u8(..6) != 0 {
            return;
        }
        let other = self.rng.usize(..self.agents.len());
        if other == who && self.rng.bool() {
            return self.person();
        }
        if !self.agents[other].is_asked {
            self.prompt(other);
        }
        if other != who && self.rng.u8(..5) == 0 {
            return self.stop(other);
        }
        let fault = self.draw_fault(FaultAuthor::Agent(other));
        let work = if self.rng.bool() { ToolWork::Fault(fault) } else { ToolWork::Good(fault.path) };
        self.call(other, work, false);
    }

    /// A formatter changes the indentation of all sources.
    fn format(&mut self, by: FaultAuthor) {
        for path in [SOURCES[0], SOURCES[1], SHAPE] {
            let text = self.text(path);
            let is_wide = text.contains("\n    ");
            let (old, new) = if is_wide { ("    ", "  ") } else { ("  ", "    ") };
            let lines = text.lines().map(|line| match line.strip_prefix(old) {
                Some(rest) => format!("{new}{rest}\n"),
                None => format!("{line}\n"),
            });
            let formatted: String = lines.collect();
            self.hooks.repo().write(path, &formatted);
            // What is formatted while calls of others are open may be theirs.
            let mut may_blame = self.open_for(path);
            if let FaultAuthor::Agent(who) = by {
                may_blame.remove(&who);
            }
            for fault in self.faults.iter_mut().filter(|fault| fault.path == path && fault.is_in(&formatted)) {
                fault.formatted_by.insert(by);
                fault.may_blame.extend(&may_blame);
            }
        }
        self.show(|| format!("{by:?} formats all sources"));
    }

    /// Moves a source file, with git or without.
    fn moves(&mut self, by: FaultAuthor) {
        let from = SOURCES[self.rng.usize(..SOURCES.len())];
        let to = format!("src/moved_{}.rs", self.number());
        let repo = self.hooks.repo().path();
        let is_moved = if self.rng.bool() {
            self.git(&["mv", from, &to])
        } else {
            std::fs::rename(repo.join(from), repo.join(&to)).is_ok()
        };
        if !is_moved {
            return;
        }
        self.show(|| format!("{by:?} moves {from} to {to}"));
        // What is moved while calls of others are open may be theirs.
        let mut may_blame = self.open_for(&to);
        if let FaultAuthor::Agent(who) = by {
            may_blame.remove(&who);
        }
        for fault in self.faults.iter_mut().filter(|fault| fault.path == from) {
            fault.may_blame.extend(&may_blame);
        }
        self.moved.push((from, to));
    }

    /// What an event of a stop says. The final message is in the transcript by then.
    fn stop_fields(&self, who: usize, attempt: usize) -> Value {
        let agent = &self.agents[who];
        let message = format!("Step {} is through.", agent.prompts);
        let block = json!({"type": "text", "text": message});
        self.writes(who, &json!({"type": "assistant", "message": {"role": "assistant", "content": [block]}}));
        let task = |fault: &PlantedFault| json!({"id": format!("task-{}", fault.number), "status": "running", "description": "tests", "command": "cargo test"});
        let tasks: Vec<Value> = agent.tasks.iter().map(task).collect();
        json!({"stop_hook_active": attempt > 0, "last_assistant_message": message, "background_tasks": tasks})
    }

    /// An agent stops. Where it is blocked, it corrects its work or tries again.
    fn stop(&mut self, who: usize) {
        if !self.agents[who].is_asked {
            return;
        }
        while !self.agents[who].tasks.is_empty() && self.rng.u8(..3) > 0 {
            self.ends_task(who);
        }
        for attempt in 0..STOPS_IN_A_ROW_MAX {
            let fields = self.stop_fields(who, attempt);
            let answer = self.send(who, "Stop", fields);
            if answer == SimulatedAnswer::Killed {
                self.tally.count("stops", "killed");
            } else {
                let agent = &mut self.agents[who];
                let is_waiting = !agent.tasks.is_empty();
                agent.open.retain(|call| is_waiting && call.is_task);
            }
            self.check_stop(who, &answer);
            if !matches!(answer, SimulatedAnswer::Blocked(_)) {
                let is_settled = answer.is_settled();
                let head = self.git_reads(&["rev-parse", "HEAD"]);
                let agent = &mut self.agents[who];
                agent.is_asked = false;
                agent.settled_at = is_settled.then_some(head);
                return;
            }
            let SimulatedAnswer::Blocked(findings) = &answer else { return };
            let named: BTreeSet<usize> =
                findings.iter().flat_map(|finding| self.faults_of(finding)).map(|fault| fault.number).collect();
            let mut own = self.own_faults(who);
            own.retain(|fault| named.contains(&fault.number));
            if self.rng.u8(..3) > 0 && !own.is_empty() {
                self.call(who, ToolWork::Fix(own), false);
            }
        }
    }

    /// Something of the machine's state is lost, and perhaps a person repairs it.
    fn lose(&mut self) {
        let loss = StateLoss::draw(self.agents.len(), &mut self.rng);
        let (state, home) = (self.hooks.state(), self.hooks.repo().outside().to_owned());
        loss.happen(&state, &home, &self.hooks.repo().path());
        self.lost(loss);
        if self.rng.bool() {
            return;
        }
        match loss.part {
            LostPart::Ledger | LostPart::Projects => {
                let anchored = self.hooks.run(&["ledger", "anchor"]).status.success();
                self.show(|| format!("assize ledger anchor: {anchored}"));
                if anchored {
                    self.excuse_all("a person took the ledger as it is");
                }
            }
            LostPart::GitFolder => {
                self.git(&["init", "--quiet", "--initial-branch=main"]);
                self.git(&["add", "--all"]);
                self.git(&["commit", "--quiet", "--message", "anew"]);
            }
            LostPart::Head => {
                self.hooks.repo().write_git("HEAD", "ref: refs/heads/main\n");
                self.show(|| "HEAD is written anew".to_owned());
            }
            LostPart::Index => {
                let _ = std::fs::remove_file(self.hooks.repo().path().join(".git/index"));
                self.git(&["reset", "--quiet"]);
            }
            _ => {}
        }
    }

    /// Notes a loss.
    pub fn lost(&mut self, loss: StateLoss) {
        self.show(|| format!("lost: {loss:?}"));
        self.tally.count("losses", format!("{:?}", loss.part).split('(').next().unwrap_or_default());
        self.losses.push(loss);
        let has_lost = |part: LostPart| self.losses.iter().any(|loss| loss.part == part);
        let is_ledger_lost = has_lost(LostPart::Ledger) || has_lost(LostPart::Projects);
        if has_lost(LostPart::StateFolder) || (is_ledger_lost && has_lost(LostPart::Anchors)) {
            self.excuse_all("the whole state folder was lost");
        }
    }

    fn excuse_all(&mut self, why: &'static str) {
        for fault in &mut self.faults {
            fault.excused = Some(why);
        }
    }

    /// Notes that the settings of the agents are gone, where git took them.
    pub fn look_for_settings(&mut self) {
        let home = self.hooks.repo().outside().join(".claude/settings.json");
        let project = self.hooks.repo().path().join(".claude/settings.local.json");
        let is_lost = |loss: &StateLoss| loss.part == LostPart::AgentSettings;
        if !home.exists() && !project.exists() && !self.losses.iter().any(is_lost) {
            self.lost(StateLoss { part: LostPart::AgentSettings, harm: Harm::Removed });
        }
    }
}
