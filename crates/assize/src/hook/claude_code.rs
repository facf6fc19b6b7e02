//! Claude Code.
//!
//! Events and replies follow the hooks reference of Claude Code and were seen from version 2.1.197;
//! `last_assistant_message` is there since 2.1.47, `background_tasks` since 2.1.145, `prompt_id`
//! since 2.1.196.
//!
//! The handler is a command line, not the exec form (`args`), which came with 2.1.139. An agent that
//! does not know that form runs the bare program. Without a command the program exits with 2, which
//! blocks every stop and swallows every prompt. This does not concern older versions alone: Cursor
//! and Copilot read Claude Code's settings too. Their events then arrive here in the shape of Claude
//! Code's, with a transcript that this adapter cannot read. This adapter leaves them to their own
//! adapters. How it tells them apart is inferred from their documentation. Cursor always sends its
//! version. Copilot sends a time stamp, which Claude Code does not, and no transcript path or one of
//! its own.

use std::path::{Path, PathBuf};

use assize_stop::observation::{CallEvent, IntendedEdit, ReplacedPart};
use assize_stop::transcript::TranscriptKind;

use serde_json::Value;

use super::event::EventFields;
use super::reply::ReplyDialect;
use super::settings::EntryField::{Command, Number, Text};
use super::settings::{self, EventHook, Layout, Nesting};
use super::{Adapter, HookError, HookEvent, HookEventKind, HookOutput, HookReply, SessionStore, SettingsScope, SettingsError};

const ID: &str = "claude-code";

/// Timeouts are in seconds. The stop has what Claude Code gives by default; the end of a session
/// has 1.5 s unless a hook asks for more.
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
            event: "PreToolUse",
            matcher: Some(WRITERS),
            fields: &[("type", Text("command")), ("command", Command), ("timeout", Number(30))],
        },
        EventHook {
            event: "PostToolUse",
            matcher: Some(WRITERS),
            fields: &[("type", Text("command")), ("command", Command), ("timeout", Number(30))],
        },
        // A call that fails has no other event, and may have written.
        EventHook {
            event: "PostToolUseFailure",
            matcher: Some(WRITERS),
            fields: &[("type", Text("command")), ("command", Command), ("timeout", Number(30))],
        },
        EventHook {
            event: "Stop",
            matcher: None,
            fields: &[("type", Text("command")), ("command", Command), ("timeout", Number(600))],
        },
        EventHook {
            event: "SubagentStop",
            matcher: None,
            fields: &[("type", Text("command")), ("command", Command), ("timeout", Number(600))],
        },
        EventHook {
            event: "SessionEnd",
            matcher: None,
            fields: &[("type", Text("command")), ("command", Command), ("timeout", Number(10))],
        },
    ],
};

/// The tools that can write.
const WRITERS: &str = "Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit|mcp__.*";

const DIALECT: ReplyDialect = ReplyDialect { decision: "block", prompt_event: "UserPromptSubmit" };

/// Claude Code.
#[derive(Debug)]
pub struct ClaudeCode;

impl Adapter for ClaudeCode {
    fn id(&self) -> &'static str {
        ID
    }

    fn name(&self) -> &'static str {
        "Claude Code"
    }

    fn transcript_kind(&self) -> TranscriptKind {
        TranscriptKind::ClaudeCode
    }

    fn subagent_transcript_kind(&self) -> TranscriptKind {
        TranscriptKind::ClaudeCodeSubagent
    }

    fn session_store(&self) -> SessionStore {
        SessionStore { folder: ".claude", variable: Some("CLAUDE_CONFIG_DIR"), below: "projects", pattern: "*/????????-????-????-????-????????????.jsonl" }
    }

    fn block_cap(&self) -> Option<u32> {
        Some(8)
    }

    fn read(&self, event: &[u8]) -> Result<HookEvent, HookError> {
        let fields = EventFields::parse(ID, event)?;
        let name = fields.required(&["hook_event_name"])?;
        if let Some(stranger) = stranger(&fields) {
            let folder = fields.path(&["cwd"]).or_else(|| fields.first_of("workspace_roots").map(PathBuf::from));
            let folder = folder.unwrap_or_else(|| PathBuf::from("."));
            let kind = HookEventKind::Other { name: format!("{name} of {stranger}") };
            return fields.event(&["session_id", "conversation_id"], folder, None, None, kind);
        }
        let call = || fields.text(&["tool_use_id"]).unwrap_or_default();
        let is_subagent = name == "SubagentStop" && fields.has("agent_id") && fields.has("agent_transcript_path");
        let kind = match name.as_str() {
            // What a subagent writes counts as its parent's.
            "PreToolUse" => {
                let path = ["file_path", "notebook_path"].iter().find_map(|key| fields.text_within("tool_input", key));
                let edit = path.as_ref().and_then(|_| file_edit(fields.get("tool_input")?));
                HookEventKind::Tool(CallEvent::Began { call: call(), path, edit })
            }
            "PostToolUse" | "PostToolUseFailure" => {
                let task = fields.text_within("tool_response", "backgroundTaskId");
                HookEventKind::Tool(CallEvent::Ended { call: call(), task })
            }
            "SubagentStop" if is_subagent => stop(&fields),
            // What else happens inside a subagent is the business of the agent that sent it.
            _ if fields.has("agent_id") => HookEventKind::Other { name },
            "SessionStart" => HookEventKind::SessionStart { source: fields.text(&["source"]).unwrap_or_default() },
            "UserPromptSubmit" => HookEventKind::Prompt { text: fields.prompt(&["prompt"]) },
            "Stop" => stop(&fields),
            "SessionEnd" => HookEventKind::SessionEnd { reason: fields.text(&["reason"]).unwrap_or_default() },
            _ => HookEventKind::Other { name },
        };
        let folder = PathBuf::from(fields.required(&["cwd"])?);
        let transcript = fields.path(&[if is_subagent { "agent_transcript_path" } else { "transcript_path" }]);
        let event = fields.event(&["session_id"], folder, fields.text(&["prompt_id"]), transcript, kind)?;
        Ok(HookEvent { subagent: fields.text(&["agent_id"]).filter(|_| is_subagent), ..event })
    }

    fn reply(&self, to: &HookEventKind, reply: &HookReply) -> HookOutput {
        DIALECT.write(to, reply)
    }

    /// A project's own settings are committed, and a path of this machine has no place there: the
    /// local ones are not.
    fn settings_path(&self, scope: SettingsScope, base: &Path) -> PathBuf {
        base.join(".claude").join(match scope {
            SettingsScope::Project => "settings.local.json",
            SettingsScope::User => "settings.json",
        })
    }

    fn install(&self, settings: &str, program: &Path) -> Result<String, SettingsError> {
        settings::install(&LAYOUT, settings, program)
    }

    fn uninstall(&self, settings: &str) -> Result<String, SettingsError> {
        settings::uninstall(&LAYOUT, settings)
    }

    /// Claude Code reads nothing of a file with a comment or a trailing comma.
    fn reads(&self, settings: &str) -> Result<(), SettingsError> {
        settings::check_strict(&LAYOUT, settings)
    }

    fn sees_tools(&self, settings: &str) -> bool {
        settings::has(&LAYOUT, settings, "PostToolUse")
    }

    fn after_install(&self) -> Option<&'static str> {
        Some(
            "Start a new session of Claude Code. If it asks whether you trust this folder, say yes: \
             until then hooks of the project do not run. `/hooks` lists them.",
        )
    }
}

fn stop(fields: &EventFields) -> HookEventKind {
    HookEventKind::Stop {
        final_message: fields.text(&["last_assistant_message"]),
        sent_back_before: fields.flag(&["stop_hook_active"]),
        background_tasks: fields.running_tasks("background_tasks"),
        planning: fields.text(&["permission_mode"]).as_deref() == Some("plan"),
        interrupted: false,
    }
}

/// Returns whose event this is, if another agent runs Claude Code's hooks.
fn stranger(fields: &EventFields) -> Option<&'static str> {
    let transcript = fields.path(&["transcript_path"]);
    let lies_below = |folder: &str| {
        transcript.iter().flat_map(|path| path.components()).any(|component| component.as_os_str() == folder)
    };
    if fields.has("cursor_version") || lies_below(".cursor") {
        Some("Cursor")
    } else if fields.has("timestamp") && (transcript.is_none() || lies_below(".copilot")) {
        Some("Copilot CLI")
    } else {
        None
    }
}

/// What `Write`, `Edit` and `MultiEdit` are to make of a file.
fn file_edit(input: &Value) -> Option<IntendedEdit> {
    let text = |of: &Value, key: &str| of.get(key).and_then(Value::as_str).map(str::to_owned);
    let part = |of: &Value| {
        let everywhere = of.get("replace_all") == Some(&Value::Bool(true));
        Some(ReplacedPart { old: text(of, "old_string")?, new: text(of, "new_string")?, everywhere })
    };
    if let Some(contents) = text(input, "content") {
        return Some(IntendedEdit::Whole(contents));
    }
    let parts: Vec<ReplacedPart> = match input.get("edits").and_then(Value::as_array) {
        Some(edits) => edits.iter().map(part).collect::<Option<_>>()?,
        None => vec![part(input)?],
    };
    Some(IntendedEdit::Parts(parts))
}

#[cfg(test)]
mod tests {
    use assize_stop::background::BackgroundTask;

    use super::super::tests::{ExpectedEvent, check_events, check_replies, check_settings};
    use super::*;

    /// The fields that version 2.1.197 sends with every event of a prompt.
    fn event(name: &str, more: &str) -> String {
        format!(
            r#"{{"session_id":"5c0f","transcript_path":"/home/ada/.claude/projects/-src-app/5c0f.jsonl","cwd":"/src/app",
            "prompt_id":"p-1","permission_mode":"acceptEdits","effort":{{"level":"high"}},"hook_event_name":"{name}"{more}}}"#
        )
    }

    #[test]
    fn the_edits_of_a_call_are_read() {
        let part = |old: &str, new: &str, everywhere| ReplacedPart { old: old.into(), new: new.into(), everywhere };
        for (input, expected) in [
            (r#"{"content":"a"}"#, Some(IntendedEdit::Whole("a".into()))),
            (r#"{"old_string":"a","new_string":"b"}"#, Some(IntendedEdit::Parts(vec![part("a", "b", false)]))),
            (
                r#"{"edits":[{"old_string":"a","new_string":"b","replace_all":true},{"old_string":"c","new_string":""}]}"#,
                Some(IntendedEdit::Parts(vec![part("a", "b", true), part("c", "", false)])),
            ),
            (r#"{"edits":[{"old_string":"a"}]}"#, None),
            (r#"{"new_source":"a"}"#, None),
        ] {
            assert_eq!(file_edit(&serde_json::from_str(input).expect("an input")), expected, "{input}");
        }
    }

    #[test]
    fn events_are_read() {
        let stop = |final_message: Option<&str>, sent_back_before, tasks: &[BackgroundTask]| HookEventKind::Stop {
            final_message: final_message.map(str::to_owned),
            sent_back_before,
            background_tasks: tasks.to_vec(),
            planning: false,
            interrupted: false,
        };
        let server =
            BackgroundTask { description: "Dev server".to_owned(), command: Some("npm run dev".to_owned()) };
        let other = |name: &str| HookEventKind::Other { name: name.to_owned() };
        check_events(
            &ClaudeCode,
            &ExpectedEvent {
                session: "5c0f",
                prompt_id: Some("p-1"),
                folder: "/src/app",
                transcript: Some("/home/ada/.claude/projects/-src-app/5c0f.jsonl"),
            },
            &[
                (
                    event("SessionStart", r#","source":"startup""#),
                    HookEventKind::SessionStart { source: "startup".into() },
                ),
                (
                    event("SessionStart", r#","source":"compact","model":"opus""#),
                    HookEventKind::SessionStart { source: "compact".into() },
                ),
                (
                    event("UserPromptSubmit", r#","prompt":"Make add() add.""#),
                    HookEventKind::Prompt { text: "Make add() add.".into() },
                ),
                (event("UserPromptSubmit", r#","prompt":"""#), HookEventKind::Prompt { text: String::new() }),
                (
                    event(
                        "Stop",
                        r#","stop_hook_active":false,"last_assistant_message":"Done.","background_tasks":[],"session_crons":[]"#,
                    ),
                    stop(Some("Done."), false, &[]),
                ),
                (
                    event(
                        "Stop",
                        r#","stop_hook_active":true,"background_tasks":[
                        {"id":"b1","type":"shell","status":"running","description":"Dev server","command":"npm run dev"},
                        {"id":"b2","type":"shell","status":"completed","description":"Build"}]"#,
                    ),
                    stop(None, true, &[server]),
                ),
                (event("Stop", ""), stop(None, false, &[])),
                (
                    event(
                        "Stop",
                        r#","stop_hook_active":"true","last_assistant_message":"  ","background_tasks":null"#,
                    ),
                    stop(None, true, &[]),
                ),
                (event("SessionEnd", r#","reason":"other""#), HookEventKind::SessionEnd { reason: "other".into() }),
                // Without its transcript a subagent is judged with its parent.
                (
                    event("SubagentStop", r#","agent_id":"a1","agent_type":"Explore","stop_hook_active":false"#),
                    other("SubagentStop"),
                ),
                (event("UserPromptSubmit", r#","agent_id":"a1","prompt":"Look around.""#), other("UserPromptSubmit")),
                (event("Stop", r#","agent_type":"reviewer""#), stop(None, false, &[])),
                (event("StopFailure", r#","error":"rate_limit""#), other("StopFailure")),
                (
                    event("PreToolUse", r#","tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"make"}"#),
                    HookEventKind::Tool(CallEvent::Began { call: "t1".into(), path: None, edit: None }),
                ),
                (
                    event("PreToolUse", r#","tool_name":"Edit","tool_use_id":"t2","tool_input":{"file_path":"/src/app/a.rs"}"#),
                    HookEventKind::Tool(CallEvent::Began { call: "t2".into(), path: Some("/src/app/a.rs".into()), edit: None }),
                ),
                (
                    event("PostToolUse", r#","agent_id":"a1","tool_name":"Write","tool_use_id":"t1","tool_response":{}"#),
                    HookEventKind::Tool(CallEvent::Ended { call: "t1".into(), task: None }),
                ),
                (
                    event("PostToolUse", r#","tool_use_id":"t1","tool_response":{"backgroundTaskId":"b1"}"#),
                    HookEventKind::Tool(CallEvent::Ended { call: "t1".into(), task: Some("b1".into()) }),
                ),
                (
                    event("PostToolUseFailure", r#","tool_use_id":"t1","error":"Exit code 1","is_interrupt":false"#),
                    HookEventKind::Tool(CallEvent::Ended { call: "t1".into(), task: None }),
                ),
                (event("SomethingNew", r#","field":[{}]"#), other("SomethingNew")),
            ],
            &[
                (r#"{"cwd":"/a","hook_event_name":"Stop"}"#, "it has no `session_id`"),
                (r#"{"session_id":"s","hook_event_name":"Stop"}"#, "it has no `cwd`"),
                (r#"{"session_id":"s","cwd":"/a"}"#, "it has no `hook_event_name`"),
                (r#"{"session_id":null,"cwd":"/a","hook_event_name":"Stop"}"#, "it has no `session_id`"),
            ],
        );
    }

    #[test]
    fn events_of_agents_that_read_our_settings_are_left_to_them() {
        for (event, name) in [
            (
                r#"{"conversation_id":"c","generation_id":"g","hook_event_name":"Stop","cursor_version":"3.7.21",
                "workspace_roots":["/src/app"],"transcript_path":null,"status":"completed","loop_count":0}"#,
                "Stop of Cursor",
            ),
            (
                r#"{"hook_event_name":"Stop","session_id":"s","timestamp":"2026-10-01T10:00:00Z","cwd":"/src/app",
                "transcript_path":"/home/ada/.copilot/session-state/s/events.jsonl","stop_reason":"end_turn"}"#,
                "Stop of Copilot CLI",
            ),
            (
                r#"{"hook_event_name":"UserPromptSubmit","session_id":"s","timestamp":"2026-10-01T10:00:00Z","cwd":"/src/app",
                "prompt":"Hello."}"#,
                "UserPromptSubmit of Copilot CLI",
            ),
        ] {
            let event = ClaudeCode.read(event.as_bytes()).unwrap();
            assert_eq!(event.kind, HookEventKind::Other { name: name.to_owned() });
            assert_eq!(event.folder, Path::new("/src/app"));
        }
        let with_time = event("Stop", r#","timestamp":"2026-10-01T10:00:00Z""#);
        assert!(matches!(ClaudeCode.read(with_time.as_bytes()).unwrap().kind, HookEventKind::Stop { .. }));
    }

    #[test]
    fn replies_are_written() {
        check_replies(
            &ClaudeCode,
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
            &ClaudeCode,
            [".claude/settings.local.json", ".claude/settings.json"],
            r#"{
  "hooks": {
    "SessionStart": [{"hooks": [{"type": "command", "command": "/opt/assize/bin/assize hook claude-code", "timeout": 30}]}],
    "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "/opt/assize/bin/assize hook claude-code", "timeout": 30}]}],
    "PreToolUse": [{"matcher": "Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit|mcp__.*", "hooks": [{"type": "command", "command": "/opt/assize/bin/assize hook claude-code", "timeout": 30}]}],
    "PostToolUse": [{"matcher": "Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit|mcp__.*", "hooks": [{"type": "command", "command": "/opt/assize/bin/assize hook claude-code", "timeout": 30}]}],
    "PostToolUseFailure": [{"matcher": "Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit|mcp__.*", "hooks": [{"type": "command", "command": "/opt/assize/bin/assize hook claude-code", "timeout": 30}]}],
    "Stop": [{"hooks": [{"type": "command", "command": "/opt/assize/bin/assize hook claude-code", "timeout": 600}]}],
    "SubagentStop": [{"hooks": [{"type": "command", "command": "/opt/assize/bin/assize hook claude-code", "timeout": 600}]}],
    "SessionEnd": [{"hooks": [{"type": "command", "command": "/opt/assize/bin/assize hook claude-code", "timeout": 10}]}]
  }
}
"#,
            (
                r#"{
    "permissions": { "allow": ["Bash(cargo test:*)"] },
    "hooks": {
        "Stop": [
            {
                "hooks": [ { "type": "command", "command": "say done" } ]
            }
        ]
    }
}
"#,
                r#"{
    "permissions": { "allow": ["Bash(cargo test:*)"] },
    "hooks": {
        "Stop": [
            {
                "hooks": [ { "type": "command", "command": "say done" } ]
            },
            {"hooks": [{"type": "command", "command": "/opt/assize/bin/assize hook claude-code", "timeout": 600}]}
        ],
        "SessionStart": [{"hooks": [{"type": "command", "command": "/opt/assize/bin/assize hook claude-code", "timeout": 30}]}],
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": "/opt/assize/bin/assize hook claude-code", "timeout": 30}]}],
        "PreToolUse": [{"matcher": "Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit|mcp__.*", "hooks": [{"type": "command", "command": "/opt/assize/bin/assize hook claude-code", "timeout": 30}]}],
        "PostToolUse": [{"matcher": "Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit|mcp__.*", "hooks": [{"type": "command", "command": "/opt/assize/bin/assize hook claude-code", "timeout": 30}]}],
        "PostToolUseFailure": [{"matcher": "Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit|mcp__.*", "hooks": [{"type": "command", "command": "/opt/assize/bin/assize hook claude-code", "timeout": 30}]}],
        "SubagentStop": [{"hooks": [{"type": "command", "command": "/opt/assize/bin/assize hook claude-code", "timeout": 600}]}],
        "SessionEnd": [{"hooks": [{"type": "command", "command": "/opt/assize/bin/assize hook claude-code", "timeout": 10}]}]
    }
}
"#,
            ),
        );
    }
}
