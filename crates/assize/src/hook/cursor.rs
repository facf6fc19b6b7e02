//! Cursor, the editor's agent and the `cursor-agent` command.
//!
//! Events, replies and `hooks.json` (version 1) follow cursor.com/docs/hooks as of autumn 2026 and
//! payloads of `cursor-agent` 2026.07.23 that others recorded. All events carry `conversation_id`,
//! `generation_id` and `workspace_roots`; the start and the end of a session also `session_id`,
//! which is the same. The hook blocks the agent with a message, which Cursor submits as if the user
//! had typed it; that fires no `beforeSubmitPrompt`. Cursor counts these messages in `loop_count` and
//! does not call the hook again past `loop_limit`. It drops the message unless the agent completed
//! its turn.
//!
//! Others found out: the hook is killed after 60 seconds unless `timeout` says more; a context
//! longer than 10,000 characters is dropped whole; in headless mode (`-p`) neither a stop nor a
//! prompt fires; the transcript path may be null at a stop although there is a transcript. Cursor
//! has no field for telling the person something.

use std::path::{Path, PathBuf};

use assize_stop::transcript::TranscriptKind;

use super::event::EventFields;
use super::reply::{can_block, capped, print, reason_of, silence, tell, with_notice};
use super::settings::EntryField::{Command, Number};
use super::settings::{self, EventHook, Layout, Nesting};
use super::{Adapter, HookError, HookEvent, HookEventKind, HookOutput, HookReply, SessionStore, SettingsScope, SettingsError};

const ID: &str = "cursor";
/// How often one hook may send the agent back; also what Cursor takes if nothing is said.
const LOOP_LIMIT: u32 = 5;

/// Timeouts are in seconds.
const LAYOUT: Layout = Layout {
    agent: ID,
    nesting: Nesting::Flat,
    version: Some(1),
    events: &[
        EventHook { event: "sessionStart", matcher: None, fields: &[("command", Command), ("timeout", Number(30))] },
        EventHook { event: "beforeSubmitPrompt", matcher: None, fields: &[("command", Command), ("timeout", Number(30))] },
        EventHook {
            event: "stop",
            matcher: None,
            fields: &[("command", Command), ("timeout", Number(600)), ("loop_limit", Number(LOOP_LIMIT))],
        },
        EventHook { event: "sessionEnd", matcher: None, fields: &[("command", Command), ("timeout", Number(10))] },
    ],
};

/// Cursor.
#[derive(Debug)]
pub struct Cursor;

impl Adapter for Cursor {
    fn id(&self) -> &'static str {
        ID
    }

    fn name(&self) -> &'static str {
        "Cursor"
    }

    fn transcript_kind(&self) -> TranscriptKind {
        TranscriptKind::Cursor
    }

    fn session_store(&self) -> SessionStore {
        SessionStore { folder: ".cursor", variable: None, below: "projects", pattern: "*/agent-transcripts/**/*.jsonl" }
    }

    fn block_cap(&self) -> Option<u32> {
        Some(LOOP_LIMIT)
    }

    fn read(&self, event: &[u8]) -> Result<HookEvent, HookError> {
        let fields = EventFields::parse(ID, event)?;
        let name = fields.required(&["hook_event_name"])?;
        let kind = match name.as_str() {
            // Cursor does not say how a session started; it fires for new ones.
            "sessionStart" | "SessionStart" => {
                HookEventKind::SessionStart { source: fields.text(&["source"]).unwrap_or_else(|| "startup".to_owned()) }
            }
            "beforeSubmitPrompt" | "UserPromptSubmit" => HookEventKind::Prompt { text: fields.prompt(&["prompt"]) },
            "stop" | "Stop" => HookEventKind::Stop {
                final_message: None,
                sent_back_before: fields.number(&["loop_count"]).is_some_and(|count| count > 0.0),
                background_tasks: Vec::new(),
                planning: false,
                interrupted: fields.text(&["status"]).is_some_and(|status| status != "completed"),
            },
            "sessionEnd" | "SessionEnd" => {
                HookEventKind::SessionEnd { reason: fields.text(&["reason"]).unwrap_or_default() }
            }
            _ => HookEventKind::Other { name },
        };
        let folder = match fields.first_of("workspace_roots") {
            Some(root) => root,
            None => fields.text(&["cwd"]).map_or_else(|| fields.required(&["workspace_roots"]), Ok)?,
        };
        let session = ["conversation_id", "session_id"];
        let prompt_id = fields.text(&["generation_id"]);
        fields.event(&session, PathBuf::from(folder), prompt_id, fields.path(&["transcript_path"]), kind)
    }

    fn reply(&self, to: &HookEventKind, reply: &HookReply) -> HookOutput {
        match (reply, to) {
            (HookReply::Block { reason, notice }, to) if can_block(to) => {
                with_notice(print(&[("followup_message", &reason_of(reason))]), notice.as_deref())
            }
            (HookReply::Notice { text }, _) => tell(text),
            (HookReply::Context { text, notice }, HookEventKind::SessionStart { .. }) => {
                with_notice(print(&[("additional_context", &capped(text))]), notice.as_deref())
            }
            (HookReply::Silent | HookReply::Block { .. } | HookReply::Context { .. }, _) => silence(),
        }
    }

    /// A project has one file, which may be committed; the program's path is one of this machine.
    fn settings_path(&self, _scope: SettingsScope, base: &Path) -> PathBuf {
        base.join(".cursor").join("hooks.json")
    }

    fn install(&self, settings: &str, program: &Path) -> Result<String, SettingsError> {
        settings::install(&LAYOUT, settings, program)
    }

    fn uninstall(&self, settings: &str) -> Result<String, SettingsError> {
        settings::uninstall(&LAYOUT, settings)
    }

    fn after_install(&self) -> Option<&'static str> {
        Some(
            "Restart Cursor, or begin a new session of cursor-agent. Hooks of a project run in trusted workspaces only. \
             Cursor shows hooks and what they print under Hooks in its settings; in headless mode (-p) it fires no stop.",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ExpectedEvent, check_events, check_replies, check_settings};
    use super::*;

    fn event(name: &str, more: &str) -> String {
        format!(
            r#"{{"conversation_id":"cdef","generation_id":"26b4","model":"gpt-5","hook_event_name":"{name}","cursor_version":"3.7.21",
            "workspace_roots":["/src/app","/src/lib"],"user_email":null,
            "transcript_path":"/home/ada/.cursor/projects/src-app/agent-transcripts/cdef/cdef.jsonl"{more}}}"#
        )
    }

    #[test]
    fn events_are_read() {
        let stop = |sent_back_before, interrupted| HookEventKind::Stop {
            final_message: None,
            sent_back_before,
            background_tasks: Vec::new(),
                planning: false,
            interrupted,
        };
        let other = |name: &str| HookEventKind::Other { name: name.to_owned() };
        check_events(
            &Cursor,
            &ExpectedEvent {
                session: "cdef",
                prompt_id: Some("26b4"),
                folder: "/src/app",
                transcript: Some("/home/ada/.cursor/projects/src-app/agent-transcripts/cdef/cdef.jsonl"),
            },
            &[
                (
                    event(
                        "sessionStart",
                        r#","session_id":"cdef","is_background_agent":false,"composer_mode":"agent""#,
                    ),
                    HookEventKind::SessionStart { source: "startup".into() },
                ),
                (
                    event("beforeSubmitPrompt", r#","prompt":"Fix it.","attachments":[]"#),
                    HookEventKind::Prompt { text: "Fix it.".into() },
                ),
                (event("stop", r#","status":"completed","loop_count":0"#), stop(false, false)),
                (event("stop", r#","status":"completed","loop_count":2"#), stop(true, false)),
                (event("stop", r#","status":"aborted","loop_count":0"#), stop(false, true)),
                (event("stop", r#","status":"error","loop_count":1"#), stop(true, true)),
                (event("stop", ""), stop(false, false)),
                (
                    event(
                        "sessionEnd",
                        r#","session_id":"cdef","reason":"user_close","duration_ms":45000,"final_status":"completed""#,
                    ),
                    HookEventKind::SessionEnd { reason: "user_close".into() },
                ),
                (
                    event("subagentStop", r#","subagent_type":"explore","status":"completed","loop_count":0"#),
                    other("subagentStop"),
                ),
                (event("afterFileEdit", r#","file_path":"/src/app/a.rs","edits":[]"#), other("afterFileEdit")),
            ],
            &[
                (r#"{"hook_event_name":"stop","workspace_roots":["/a"]}"#, "it has no `conversation_id`"),
                (
                    r#"{"hook_event_name":"stop","conversation_id":"c","workspace_roots":[]}"#,
                    "it has no `workspace_roots`",
                ),
                (r#"{"conversation_id":"c","workspace_roots":["/a"]}"#, "it has no `hook_event_name`"),
            ],
        );
    }

    #[test]
    fn a_session_id_and_a_folder_will_do() {
        let event = Cursor
            .read(br#"{"session_id":"c","hook_event_name":"sessionStart","cwd":"/a","workspace_roots":[],"transcript_path":null}"#)
            .unwrap();
        assert_eq!((event.session.as_str(), event.folder.as_path(), event.transcript), ("c", Path::new("/a"), None));
    }

    #[test]
    fn replies_are_written() {
        check_replies(
            &Cursor,
            "{\"followup_message\":\"Run the tests.\"}\n",
            &[
                ("start", "context", "{\"additional_context\":\"Two directives are open.\"}\n", ""),
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
            &Cursor,
            [".cursor/hooks.json", ".cursor/hooks.json"],
            r#"{
  "hooks": {
    "sessionStart": [{"command": "/opt/assize/bin/assize hook cursor", "timeout": 30}],
    "beforeSubmitPrompt": [{"command": "/opt/assize/bin/assize hook cursor", "timeout": 30}],
    "stop": [{"command": "/opt/assize/bin/assize hook cursor", "timeout": 600, "loop_limit": 5}],
    "sessionEnd": [{"command": "/opt/assize/bin/assize hook cursor", "timeout": 10}]
  },
  "version": 1
}
"#,
            (
                r#"{
  "version": 1,
  "hooks": {
    "stop": [
      { "command": "./hooks/bell.sh" }
    ],
    "sessionStart": []
  }
}"#,
                r#"{
  "version": 1,
  "hooks": {
    "stop": [
      { "command": "./hooks/bell.sh" },
      {"command": "/opt/assize/bin/assize hook cursor", "timeout": 600, "loop_limit": 5}
    ],
    "sessionStart": [

      {"command": "/opt/assize/bin/assize hook cursor", "timeout": 30}
    ],
    "beforeSubmitPrompt": [{"command": "/opt/assize/bin/assize hook cursor", "timeout": 30}],
    "sessionEnd": [{"command": "/opt/assize/bin/assize hook cursor", "timeout": 10}]
  }
}"#,
            ),
        );
    }
}
