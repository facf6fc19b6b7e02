//! Gemini CLI.
//!
//! Events, replies and settings follow `docs/hooks/reference.md` of `google-gemini/gemini-cli` and
//! the code behind it (`packages/core/src/hooks`, and `client.ts` for when `AfterAgent` fires).
//! `AfterAgent` fires once for the outermost turn, not when the user interrupts, with all that the
//! agent said in the turn as `prompt_response`; `[no response text]` stands for nothing said.
//! There is no id of the prompt and no count of retries; the turns of one prompt are bounded, at a
//! hundred, by something that is not about hooks. A context is freed of `<` and `>` by Gemini.
//!
//! Entries have a `name`, which is how Gemini lists them and how people switch them off. Inferred:
//! that a subagent's turns fire none of these events.

use std::path::{Path, PathBuf};

use assize_stop::transcript::TranscriptKind;

use super::event::EventFields;
use super::reply::ReplyDialect;
use super::settings::EntryField::{Command, Number, Text};
use super::settings::{self, EventHook, Layout, Nesting};
use super::{Adapter, HookError, HookEvent, HookEventKind, HookOutput, HookReply, SessionStore, SettingsScope, SettingsError};

const ID: &str = "gemini";
/// What Gemini sends in place of an answer that has no text.
const NO_RESPONSE: &str = "[no response text]";

/// Timeouts are in milliseconds.
const LAYOUT: Layout = Layout {
    agent: ID,
    nesting: Nesting::Grouped,
    version: None,
    events: &[
        EventHook {
            event: "SessionStart",
            matcher: None,
            fields: &[
                ("name", Text("assize")),
                ("type", Text("command")),
                ("command", Command),
                ("timeout", Number(30_000)),
            ],
        },
        EventHook {
            event: "BeforeAgent",
            matcher: None,
            fields: &[
                ("name", Text("assize")),
                ("type", Text("command")),
                ("command", Command),
                ("timeout", Number(30_000)),
            ],
        },
        EventHook {
            event: "AfterAgent",
            matcher: None,
            fields: &[
                ("name", Text("assize")),
                ("type", Text("command")),
                ("command", Command),
                ("timeout", Number(600_000)),
            ],
        },
        EventHook {
            event: "SessionEnd",
            matcher: None,
            fields: &[
                ("name", Text("assize")),
                ("type", Text("command")),
                ("command", Command),
                ("timeout", Number(10_000)),
            ],
        },
    ],
};

const DIALECT: ReplyDialect = ReplyDialect { decision: "deny", prompt_event: "BeforeAgent" };

/// Gemini CLI.
#[derive(Debug)]
pub struct Gemini;

impl Adapter for Gemini {
    fn id(&self) -> &'static str {
        ID
    }

    fn name(&self) -> &'static str {
        "Gemini CLI"
    }

    fn transcript_kind(&self) -> TranscriptKind {
        TranscriptKind::Gemini
    }

    fn session_store(&self) -> SessionStore {
        SessionStore { folder: ".gemini", variable: None, below: "tmp", pattern: "*/chats/session-*" }
    }

    fn block_cap(&self) -> Option<u32> {
        None
    }

    fn read(&self, event: &[u8]) -> Result<HookEvent, HookError> {
        let fields = EventFields::parse(ID, event)?;
        let name = fields.required(&["hook_event_name"])?;
        let kind = match name.as_str() {
            "SessionStart" => HookEventKind::SessionStart { source: fields.text(&["source"]).unwrap_or_default() },
            "BeforeAgent" => HookEventKind::Prompt { text: fields.prompt(&["prompt"]) },
            "AfterAgent" => HookEventKind::Stop {
                final_message: fields.text(&["prompt_response"]).filter(|text| text != NO_RESPONSE),
                sent_back_before: fields.flag(&["stop_hook_active"]),
                background_tasks: Vec::new(),
                planning: false,
                interrupted: false,
            },
            "SessionEnd" => HookEventKind::SessionEnd { reason: fields.text(&["reason"]).unwrap_or_default() },
            _ => HookEventKind::Other { name },
        };
        let folder = PathBuf::from(fields.required(&["cwd"])?);
        fields.event(&["session_id"], folder, None, fields.path(&["transcript_path"]), kind)
    }

    fn reply(&self, to: &HookEventKind, reply: &HookReply) -> HookOutput {
        DIALECT.write(to, reply)
    }

    /// A project has one file, which may be committed; the program's path is one of this machine.
    fn settings_path(&self, _scope: SettingsScope, base: &Path) -> PathBuf {
        base.join(".gemini").join("settings.json")
    }

    fn install(&self, settings: &str, program: &Path) -> Result<String, SettingsError> {
        settings::install(&LAYOUT, settings, program)
    }

    fn uninstall(&self, settings: &str) -> Result<String, SettingsError> {
        settings::uninstall(&LAYOUT, settings)
    }

    fn after_install(&self) -> Option<&'static str> {
        Some(
            "Start Gemini CLI anew and see with `/hooks panel` that hooks are enabled and `assize` is among them. \
             Hooks of a project run in trusted folders only; Gemini names them once when it first sees them.",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ExpectedEvent, check_events, check_replies, check_settings};
    use super::*;

    fn event(name: &str, more: &str) -> String {
        format!(
            r#"{{"session_id":"a1b2","transcript_path":"/home/ada/.gemini/tmp/app/chats/session-a1b2.json","cwd":"/src/app",
            "hook_event_name":"{name}","timestamp":"2026-10-01T10:00:00.000Z"{more}}}"#
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
            &Gemini,
            &ExpectedEvent {
                session: "a1b2",
                prompt_id: None,
                folder: "/src/app",
                transcript: Some("/home/ada/.gemini/tmp/app/chats/session-a1b2.json"),
            },
            &[
                (
                    event("SessionStart", r#","source":"startup""#),
                    HookEventKind::SessionStart { source: "startup".into() },
                ),
                (event("BeforeAgent", r#","prompt":"Fix it.""#), HookEventKind::Prompt { text: "Fix it.".into() }),
                (
                    event("AfterAgent", r#","prompt":"Fix it.","prompt_response":"Fixed.","stop_hook_active":false"#),
                    stop(Some("Fixed."), false),
                ),
                (
                    event(
                        "AfterAgent",
                        r#","prompt":"Fix it.","prompt_response":"[no response text]","stop_hook_active":true"#,
                    ),
                    stop(None, true),
                ),
                (event("SessionEnd", r#","reason":"exit""#), HookEventKind::SessionEnd { reason: "exit".into() }),
                (event("BeforeTool", r#","tool_name":"replace","tool_input":{}"#), other("BeforeTool")),
                (event("Stop", ""), other("Stop")),
            ],
            &[
                (r#"{"cwd":"/a","hook_event_name":"AfterAgent"}"#, "it has no `session_id`"),
                (r#"{"session_id":"s","hook_event_name":"AfterAgent"}"#, "it has no `cwd`"),
            ],
        );
    }

    #[test]
    fn an_empty_transcript_path_is_none() {
        let event = Gemini
            .read(br#"{"session_id":"s","cwd":"/a","hook_event_name":"AfterAgent","transcript_path":""}"#)
            .unwrap();
        assert_eq!(event.transcript, None);
    }

    #[test]
    fn replies_are_written() {
        check_replies(
            &Gemini,
            "{\"decision\":\"deny\",\"reason\":\"Run the tests.\"}\n",
            &[
                (
                    "prompt",
                    "context",
                    "{\"hookSpecificOutput\":{\"hookEventName\":\"BeforeAgent\",\"additionalContext\":\"Two directives are open.\"}}\n",
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
            &Gemini,
            [".gemini/settings.json", ".gemini/settings.json"],
            r#"{
  "hooks": {
    "SessionStart": [{"hooks": [{"name": "assize", "type": "command", "command": "/opt/assize/bin/assize hook gemini", "timeout": 30000}]}],
    "BeforeAgent": [{"hooks": [{"name": "assize", "type": "command", "command": "/opt/assize/bin/assize hook gemini", "timeout": 30000}]}],
    "AfterAgent": [{"hooks": [{"name": "assize", "type": "command", "command": "/opt/assize/bin/assize hook gemini", "timeout": 600000}]}],
    "SessionEnd": [{"hooks": [{"name": "assize", "type": "command", "command": "/opt/assize/bin/assize hook gemini", "timeout": 10000}]}]
  }
}
"#,
            (
                r#"{
  // how it looks
  "ui": { "theme": "Dracula" },
  "hooks": {
    "disabled": ["old"], // switched off
  },
}
"#,
                r#"{
  // how it looks
  "ui": { "theme": "Dracula" },
  "hooks": {
    "disabled": ["old"], // switched off
    "SessionStart": [{"hooks": [{"name": "assize", "type": "command", "command": "/opt/assize/bin/assize hook gemini", "timeout": 30000}]}],
    "BeforeAgent": [{"hooks": [{"name": "assize", "type": "command", "command": "/opt/assize/bin/assize hook gemini", "timeout": 30000}]}],
    "AfterAgent": [{"hooks": [{"name": "assize", "type": "command", "command": "/opt/assize/bin/assize hook gemini", "timeout": 600000}]}],
    "SessionEnd": [{"hooks": [{"name": "assize", "type": "command", "command": "/opt/assize/bin/assize hook gemini", "timeout": 10000}]}],
  },
}
"#,
            ),
        );
    }
}
