//! GitHub Copilot CLI.
//!
//! Events, replies and settings follow the hooks reference in `github/docs`
//! (`content/copilot/reference/hooks-reference.md`, autumn 2026). The case of an event's name in the
//! settings decides what is sent: `agentStop` gets camelCase fields and no name of the event, `Stop`
//! gets snake_case fields and the name. The second is what is installed, since the name is needed;
//! others saw it work with 1.0.41 and later. Both are read; without a name the event is known by
//! its fields, which is inferred from the reference. `stop_hook_active` is there since 1.0.72.
//!
//! A stop is blocked by JSON only, since exit status 2 is a mere warning; after 8 blocks in a row
//! the agent stops anyway. The start of a session takes context; what a prompt's hook prints is
//! dropped. There is no field for telling the person something.

use std::path::{Path, PathBuf};

use assize_stop::transcript::TranscriptKind;

use super::event::EventFields;
use super::reply::{can_block, capped, print, print_block, silence, tell, with_notice};
use super::settings::EntryField::{Command, Number, Text};
use super::settings::{self, EventHook, Layout, Nesting};
use super::{Adapter, HookError, HookEvent, HookEventKind, HookOutput, HookReply, SessionStore, SettingsScope, SettingsError};

const ID: &str = "copilot";

/// Timeouts are in seconds.
const LAYOUT: Layout = Layout {
    agent: ID,
    nesting: Nesting::Flat,
    version: Some(1),
    events: &[
        EventHook {
            event: "SessionStart",
            matcher: None,
            fields: &[("type", Text("command")), ("bash", Command), ("timeoutSec", Number(30))],
        },
        EventHook {
            event: "UserPromptSubmit",
            matcher: None,
            fields: &[("type", Text("command")), ("bash", Command), ("timeoutSec", Number(30))],
        },
        EventHook {
            event: "Stop",
            matcher: None,
            fields: &[("type", Text("command")), ("bash", Command), ("timeoutSec", Number(600))],
        },
        EventHook {
            event: "SessionEnd",
            matcher: None,
            fields: &[("type", Text("command")), ("bash", Command), ("timeoutSec", Number(10))],
        },
    ],
};

/// GitHub Copilot CLI.
#[derive(Debug)]
pub struct Copilot;

impl Adapter for Copilot {
    fn id(&self) -> &'static str {
        ID
    }

    fn name(&self) -> &'static str {
        "GitHub Copilot CLI"
    }

    fn transcript_kind(&self) -> TranscriptKind {
        TranscriptKind::Copilot
    }

    fn session_store(&self) -> SessionStore {
        SessionStore { folder: ".copilot", variable: None, below: "session-state", pattern: "*/events.jsonl" }
    }

    fn block_cap(&self) -> Option<u32> {
        Some(8)
    }

    fn read(&self, event: &[u8]) -> Result<HookEvent, HookError> {
        let fields = EventFields::parse(ID, event)?;
        let name = fields.text(&["hook_event_name", "hookEventName", "hookName"]);
        let name = name.unwrap_or_else(|| name_of(&fields).to_owned());
        let kind = match name.as_str() {
            "SessionStart" | "sessionStart" => {
                HookEventKind::SessionStart { source: fields.text(&["source"]).unwrap_or_default() }
            }
            "UserPromptSubmit" | "userPromptSubmitted" => HookEventKind::Prompt { text: fields.prompt(&["prompt"]) },
            "Stop" | "agentStop" => HookEventKind::Stop {
                final_message: fields.text(&["last_assistant_message", "lastAssistantMessage"]),
                sent_back_before: fields.flag(&["stop_hook_active", "stopHookActive"]),
                background_tasks: Vec::new(),
                planning: false,
                interrupted: false,
            },
            "SessionEnd" | "sessionEnd" => {
                HookEventKind::SessionEnd { reason: fields.text(&["reason"]).unwrap_or_default() }
            }
            _ => HookEventKind::Other { name },
        };
        let folder = PathBuf::from(fields.required(&["cwd"])?);
        let transcript = fields.path(&["transcript_path", "transcriptPath"]);
        fields.event(&["session_id", "sessionId"], folder, None, transcript, kind)
    }

    fn reply(&self, to: &HookEventKind, reply: &HookReply) -> HookOutput {
        match (reply, to) {
            (HookReply::Block { reason, notice }, to) if can_block(to) => {
                with_notice(print_block("block", reason, None), notice.as_deref())
            }
            (HookReply::Notice { text }, _) => tell(text),
            (HookReply::Context { text, notice }, HookEventKind::SessionStart { .. }) => {
                with_notice(print(&[("additionalContext", &capped(text))]), notice.as_deref())
            }
            (HookReply::Silent | HookReply::Block { .. } | HookReply::Context { .. }, _) => silence(),
        }
    }

    /// Copilot reads every file of a folder of hooks, so that ours is our own.
    fn settings_path(&self, scope: SettingsScope, base: &Path) -> PathBuf {
        let folder = match scope {
            SettingsScope::Project => ".github",
            SettingsScope::User => ".copilot",
        };
        base.join(folder).join("hooks").join("assize.json")
    }

    fn install(&self, settings: &str, program: &Path) -> Result<String, SettingsError> {
        settings::install(&LAYOUT, settings, program)
    }

    fn uninstall(&self, settings: &str) -> Result<String, SettingsError> {
        settings::uninstall(&LAYOUT, settings)
    }

    fn after_install(&self) -> Option<&'static str> {
        Some(
            "Restart Copilot CLI: it reads hooks when it starts. A file under .github/hooks holds a path of this machine; \
             do not commit it, or Copilot's cloud agent will look for the program in vain.",
        )
    }
}

/// Names an event by its fields.
fn name_of(fields: &EventFields) -> &'static str {
    if fields.has("agentName") || fields.has("agentId") {
        "subagent"
    } else if fields.has("toolName") {
        "tool"
    } else if fields.has("error") {
        "errorOccurred"
    } else if fields.has("stopReason") {
        "agentStop"
    } else if fields.has("transformedPrompt") {
        "userPromptTransformed"
    } else if fields.has("prompt") {
        "userPromptSubmitted"
    } else if fields.has("source") {
        "sessionStart"
    } else if fields.has("reason") {
        "sessionEnd"
    } else {
        "unknown"
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ExpectedEvent, check_events, check_replies, check_settings};
    use super::*;

    fn camel(more: &str) -> String {
        format!(
            r#"{{"sessionId":"9f","timestamp":1790000000000,"cwd":"/src/app",
            "transcriptPath":"/home/ada/.copilot/session-state/9f/events.jsonl"{more}}}"#
        )
    }

    fn snake(name: &str, more: &str) -> String {
        format!(
            r#"{{"hook_event_name":"{name}","session_id":"9f","timestamp":"2026-10-01T10:00:00Z","cwd":"/src/app",
            "transcript_path":"/home/ada/.copilot/session-state/9f/events.jsonl"{more}}}"#
        )
    }

    #[test]
    fn events_are_read_in_both_spellings() {
        let stop = |sent_back_before| HookEventKind::Stop {
            final_message: None,
            sent_back_before,
            background_tasks: Vec::new(),
                planning: false,
            interrupted: false,
        };
        let start = |source: &str| HookEventKind::SessionStart { source: source.to_owned() };
        let prompt = || HookEventKind::Prompt { text: "Fix it.".to_owned() };
        let end = || HookEventKind::SessionEnd { reason: "user_exit".to_owned() };
        let other = |name: &str| HookEventKind::Other { name: name.to_owned() };
        check_events(
            &Copilot,
            &ExpectedEvent {
                session: "9f",
                prompt_id: None,
                folder: "/src/app",
                transcript: Some("/home/ada/.copilot/session-state/9f/events.jsonl"),
            },
            &[
                (camel(r#","source":"new","initialPrompt":"Fix it.""#), start("new")),
                (camel(r#","prompt":"Fix it.""#), prompt()),
                (camel(r#","stopReason":"end_turn","stop_hook_active":true"#), stop(true)),
                (camel(r#","stopReason":"end_turn""#), stop(false)),
                (camel(r#","reason":"user_exit""#), end()),
                (
                    camel(r#","agentId":"a","agentName":"explore","response":"…","stopReason":"end_turn""#),
                    other("subagent"),
                ),
                (camel(r#","toolName":"bash","toolArgs":{}"#), other("tool")),
                (camel(r#","error":{"message":"m","name":"n"},"recoverable":true"#), other("errorOccurred")),
                (camel(r#","prompt":"a","transformedPrompt":"b""#), other("userPromptTransformed")),
                (camel(""), other("unknown")),
                (snake("SessionStart", r#","source":"resume""#), start("resume")),
                (snake("UserPromptSubmit", r#","prompt":"Fix it.""#), prompt()),
                (snake("Stop", r#","stop_reason":"end_turn","stop_hook_active":false"#), stop(false)),
                (snake("Stop", r#","stop_reason":"end_turn","stop_hook_active":true"#), stop(true)),
                (snake("SessionEnd", r#","reason":"user_exit""#), end()),
                (snake("SubagentStop", r#","agent_id":"a","stop_reason":"end_turn""#), other("SubagentStop")),
                (snake("Notification", r#","message":"m","notification_type":"agent_idle""#), other("Notification")),
            ],
            &[
                (r#"{"cwd":"/a","stopReason":"end_turn"}"#, "it has no `session_id`"),
                (r#"{"sessionId":"s","stopReason":"end_turn"}"#, "it has no `cwd`"),
            ],
        );
    }

    #[test]
    fn replies_are_written() {
        check_replies(
            &Copilot,
            "{\"decision\":\"block\",\"reason\":\"Run the tests.\"}\n",
            &[
                ("start", "context", "{\"additionalContext\":\"Two directives are open.\"}\n", ""),
                ("start", "notice", "", "assize: Nothing was judged.\n"),
                ("prompt", "notice", "", "assize: Nothing was judged.\n"),
                ("stop", "notice", "", "assize: Nothing was judged.\n"),
                ("interrupted", "notice", "", "assize: Nothing was judged.\n"),
                ("end", "notice", "", "assize: Nothing was judged.\n"),
                ("other", "notice", "", "assize: Nothing was judged.\n"),
            ],
        );
    }

    #[test]
    fn settings_are_kept() {
        check_settings(
            &Copilot,
            [".github/hooks/assize.json", ".copilot/hooks/assize.json"],
            r#"{
  "hooks": {
    "SessionStart": [{"type": "command", "bash": "/opt/assize/bin/assize hook copilot", "timeoutSec": 30}],
    "UserPromptSubmit": [{"type": "command", "bash": "/opt/assize/bin/assize hook copilot", "timeoutSec": 30}],
    "Stop": [{"type": "command", "bash": "/opt/assize/bin/assize hook copilot", "timeoutSec": 600}],
    "SessionEnd": [{"type": "command", "bash": "/opt/assize/bin/assize hook copilot", "timeoutSec": 10}]
  },
  "version": 1
}
"#,
            (
                r#"{"version":1,"hooks":{"Stop":[{"type":"command","bash":"true"}]}}"#,
                r#"{"version":1,"hooks":{"Stop":[{"type":"command","bash":"true"}, {"type": "command", "bash": "/opt/assize/bin/assize hook copilot", "timeoutSec": 600}], "SessionStart": [{"type": "command", "bash": "/opt/assize/bin/assize hook copilot", "timeoutSec": 30}], "UserPromptSubmit": [{"type": "command", "bash": "/opt/assize/bin/assize hook copilot", "timeoutSec": 30}], "SessionEnd": [{"type": "command", "bash": "/opt/assize/bin/assize hook copilot", "timeoutSec": 10}]}}"#,
            ),
        );
    }
}
