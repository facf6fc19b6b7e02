//! Codex CLI.
//!
//! Events and replies follow the JSON Schemas that `openai/codex` publishes under
//! `codex-rs/hooks/schema/generated` and the code that reads replies (`engine/output_parser.rs`,
//! `events/stop.rs`), as of 0.144 to 0.154; payloads of these versions that others recorded agree.
//! Output schemas are closed: a field too many fails the hook, and so does a block without a
//! reason. The stop has no field for context; the start of a session and a prompt do.
//!
//! Hooks stand in a `hooks.json` whose top level knows `description` and `hooks` only. Codex trusts
//! a hook by its place in the list and a hash of what it says, so that entries of others must not
//! change their place, and a new program path has to be approved again. `SessionEnd` runs in newer
//! versions only, for at most three seconds; older ones ignore the entry. Events of a subagent carry
//! an `agent_id`. There is no cap on blocks.

use std::path::{Path, PathBuf};

use assize_stop::transcript::TranscriptKind;

use super::event::EventFields;
use super::reply::ReplyDialect;
use super::settings::EntryField::{Command, Number, Text};
use super::settings::{self, EventHook, Layout, Nesting};
use super::{Adapter, HookError, HookEvent, HookEventKind, HookOutput, HookReply, SessionStore, SettingsScope, SettingsError};

const ID: &str = "codex";

/// Timeouts are in seconds; the stop has what Codex gives by default.
const LAYOUT: Layout = Layout {
    agent: ID,
    nesting: Nesting::Grouped,
    version: None,
    events: &[
        EventHook {
            event: "SessionStart",
            matcher: None,
            fields: &[("type", Text("command")), ("command", Command), ("timeout", Number(30))],
        },
        EventHook {
            event: "UserPromptSubmit",
            matcher: None,
            fields: &[("type", Text("command")), ("command", Command), ("timeout", Number(30))],
        },
        EventHook {
            event: "Stop",
            matcher: None,
            fields: &[("type", Text("command")), ("command", Command), ("timeout", Number(600))],
        },
        EventHook {
            event: "SessionEnd",
            matcher: None,
            fields: &[("type", Text("command")), ("command", Command), ("timeout", Number(3))],
        },
    ],
};

const DIALECT: ReplyDialect = ReplyDialect { decision: "block", prompt_event: "UserPromptSubmit" };

/// Codex CLI.
#[derive(Debug)]
pub struct Codex;

impl Adapter for Codex {
    fn id(&self) -> &'static str {
        ID
    }

    fn name(&self) -> &'static str {
        "Codex CLI"
    }

    fn transcript_kind(&self) -> TranscriptKind {
        TranscriptKind::Codex
    }

    fn session_store(&self) -> SessionStore {
        SessionStore { folder: ".codex", variable: Some("CODEX_HOME"), below: "sessions", pattern: "**/rollout-*.jsonl" }
    }

    fn block_cap(&self) -> Option<u32> {
        None
    }

    fn read(&self, event: &[u8]) -> Result<HookEvent, HookError> {
        let fields = EventFields::parse(ID, event)?;
        let name = fields.required(&["hook_event_name"])?;
        let kind = match name.as_str() {
            _ if fields.has("agent_id") => HookEventKind::Other { name },
            "SessionStart" | "session_start" => {
                HookEventKind::SessionStart { source: fields.text(&["source"]).unwrap_or_default() }
            }
            "UserPromptSubmit" | "user_prompt_submit" => HookEventKind::Prompt { text: fields.prompt(&["prompt"]) },
            "Stop" | "stop" => HookEventKind::Stop {
                final_message: fields.text(&["last_assistant_message"]),
                sent_back_before: fields.flag(&["stop_hook_active"]),
                background_tasks: Vec::new(),
                planning: fields.text(&["permission_mode"]).as_deref() == Some("plan"),
                interrupted: false,
            },
            "SessionEnd" | "session_end" => {
                HookEventKind::SessionEnd { reason: fields.text(&["reason"]).unwrap_or_default() }
            }
            _ => HookEventKind::Other { name },
        };
        let folder = PathBuf::from(fields.required(&["cwd"])?);
        fields.event(&["session_id"], folder, fields.text(&["turn_id"]), fields.path(&["transcript_path"]), kind)
    }

    fn reply(&self, to: &HookEventKind, reply: &HookReply) -> HookOutput {
        DIALECT.write(to, reply)
    }

    /// A project has one file, which may be committed; the program's path is one of this machine.
    fn settings_path(&self, _scope: SettingsScope, base: &Path) -> PathBuf {
        base.join(".codex").join("hooks.json")
    }

    fn install(&self, settings: &str, program: &Path) -> Result<String, SettingsError> {
        settings::install(&LAYOUT, settings, program)
    }

    fn uninstall(&self, settings: &str) -> Result<String, SettingsError> {
        settings::uninstall(&LAYOUT, settings)
    }

    fn after_install(&self) -> Option<&'static str> {
        Some(
            "Start Codex and approve the new hooks with `/hooks`: Codex skips hooks that were not approved, without a message. \
             Hooks of a project also need the project to be trusted.",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ExpectedEvent, check_events, check_replies, check_settings};
    use super::*;

    fn event(name: &str, more: &str) -> String {
        format!(
            r#"{{"session_id":"019a","turn_id":"019b","transcript_path":"/home/ada/.codex/sessions/2026/10/01/rollout-019a.jsonl",
            "cwd":"/src/app","hook_event_name":"{name}","model":"gpt-5","permission_mode":"default"{more}}}"#
        )
    }

    #[test]
    fn events_are_read() {
        let stop = |final_message: Option<&str>, sent_back_before| HookEventKind::Stop {
            final_message: final_message.map(str::to_owned),
            sent_back_before,
            background_tasks: Vec::new(),
                planning: false,
            interrupted: false,
        };
        let other = |name: &str| HookEventKind::Other { name: name.to_owned() };
        check_events(
            &Codex,
            &ExpectedEvent {
                session: "019a",
                prompt_id: Some("019b"),
                folder: "/src/app",
                transcript: Some("/home/ada/.codex/sessions/2026/10/01/rollout-019a.jsonl"),
            },
            &[
                (
                    event("SessionStart", r#","source":"resume""#),
                    HookEventKind::SessionStart { source: "resume".into() },
                ),
                (event("UserPromptSubmit", r#","prompt":"Fix it.""#), HookEventKind::Prompt { text: "Fix it.".into() }),
                (
                    event("Stop", r#","stop_hook_active":false,"last_assistant_message":"Fixed.""#),
                    stop(Some("Fixed."), false),
                ),
                (event("Stop", r#","stop_hook_active":true,"last_assistant_message":null"#), stop(None, true)),
                (event("stop", ""), stop(None, false)),
                (event("SessionEnd", r#","reason":"other""#), HookEventKind::SessionEnd { reason: "other".into() }),
                (
                    event("SubagentStop", r#","agent_id":"t","agent_type":"worker","stop_hook_active":false"#),
                    other("SubagentStop"),
                ),
                (
                    event("UserPromptSubmit", r#","agent_id":"t","agent_type":"worker","prompt":"Look.""#),
                    other("UserPromptSubmit"),
                ),
                (event("Interrupt", ""), other("Interrupt")),
                (event("PreCompact", r#","trigger":"auto""#), other("PreCompact")),
            ],
            &[
                (r#"{"cwd":"/a","hook_event_name":"Stop","turn_id":"t"}"#, "it has no `session_id`"),
                (r#"{"session_id":"s","hook_event_name":"Stop"}"#, "it has no `cwd`"),
                (r#"{"session_id":"s","cwd":"/a","type":"agent-turn-complete"}"#, "it has no `hook_event_name`"),
            ],
        );
    }

    #[test]
    fn a_transcript_may_be_missing() {
        let event = Codex.read(
            br#"{"session_id":"s","cwd":"/a","hook_event_name":"SessionEnd","transcript_path":null,"reason":"other"}"#,
        );
        let event = event.unwrap();
        assert_eq!((event.transcript, event.prompt_id), (None, None));
    }

    #[test]
    fn replies_are_written() {
        check_replies(
            &Codex,
            "{\"decision\":\"block\",\"reason\":\"Run the tests.\"}\n",
            &[
                (
                    "prompt",
                    "context",
                    "{\"hookSpecificOutput\":{\"hookEventName\":\"UserPromptSubmit\",\"additionalContext\":\"Two directives are open.\"}}\n",
                    "",
                ),
                (
                    "start",
                    "context",
                    "{\"hookSpecificOutput\":{\"hookEventName\":\"SessionStart\",\"additionalContext\":\"Two directives are open.\"}}\n",
                    "",
                ),
                ("start", "notice", "{\"systemMessage\":\"Nothing was judged.\"}\n", ""),
                ("prompt", "notice", "{\"systemMessage\":\"Nothing was judged.\"}\n", ""),
                ("stop", "notice", "{\"systemMessage\":\"Nothing was judged.\"}\n", ""),
                ("interrupted", "notice", "{\"systemMessage\":\"Nothing was judged.\"}\n", ""),
                ("end", "notice", "", "assize: Nothing was judged.\n"),
                ("other", "notice", "", "assize: Nothing was judged.\n"),
            ],
        );
    }

    #[test]
    fn settings_are_kept() {
        check_settings(
            &Codex,
            [".codex/hooks.json", ".codex/hooks.json"],
            r#"{
  "hooks": {
    "SessionStart": [{"hooks": [{"type": "command", "command": "/opt/assize/bin/assize hook codex", "timeout": 30}]}],
    "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "/opt/assize/bin/assize hook codex", "timeout": 30}]}],
    "Stop": [{"hooks": [{"type": "command", "command": "/opt/assize/bin/assize hook codex", "timeout": 600}]}],
    "SessionEnd": [{"hooks": [{"type": "command", "command": "/opt/assize/bin/assize hook codex", "timeout": 3}]}]
  }
}
"#,
            (
                "{\r\n\t\"description\": \"ours\",\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"a\"}]}]\r\n\t}\r\n}",
                "{\r\n\t\"description\": \"ours\",\r\n\t\"hooks\": {\r\n\t\t\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"a\"}]}, {\"hooks\": [{\"type\": \"command\", \"command\": \"/opt/assize/bin/assize hook codex\", \"timeout\": 600}]}],\r\n\t\t\"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"/opt/assize/bin/assize hook codex\", \"timeout\": 30}]}],\r\n\t\t\"UserPromptSubmit\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"/opt/assize/bin/assize hook codex\", \"timeout\": 30}]}],\r\n\t\t\"SessionEnd\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"/opt/assize/bin/assize hook codex\", \"timeout\": 3}]}]\r\n\t}\r\n}",
            ),
        );
    }
}
