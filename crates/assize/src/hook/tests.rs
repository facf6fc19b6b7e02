//! What holds for every agent, and the tables that each agent's tests fill.

use std::path::Path;

use proptest::prelude::*;

use super::*;

/// Where our program lies in tests.
pub(super) const PROGRAM: &str = "/opt/assize/bin/assize";

/// What all events of a table have in common.
pub(super) struct ExpectedEvent {
    pub(super) session: &'static str,
    pub(super) prompt_id: Option<&'static str>,
    pub(super) folder: &'static str,
    pub(super) transcript: Option<&'static str>,
}

/// Checks what events are read as, and what is said of those that cannot be read.
pub(super) fn check_events(
    adapter: &dyn Adapter,
    expected: &ExpectedEvent,
    events: &[(String, HookEventKind)],
    errors: &[(&str, &str)],
) {
    for (json, kind) in events {
        let event = adapter.read(json.as_bytes()).unwrap_or_else(|error| panic!("{error}: {json}"));
        let common = HookEvent {
            session: expected.session.to_owned(),
            prompt_id: expected.prompt_id.map(str::to_owned),
            folder: PathBuf::from(expected.folder),
            transcript: expected.transcript.map(PathBuf::from),
            subagent: None,
            kind: kind.clone(),
        };
        assert_eq!(event, common, "{json}");
    }
    for (json, detail) in errors {
        let error = adapter.read(json.as_bytes()).expect_err(json);
        assert_eq!((error.agent, error.detail.as_str()), (adapter.id(), *detail), "{json}");
    }
}

fn kinds() -> [(&'static str, HookEventKind); 6] {
    let stop = |interrupted| HookEventKind::Stop {
        final_message: None,
        sent_back_before: false,
        background_tasks: Vec::new(),
        planning: false,
        interrupted,
    };
    [
        ("start", HookEventKind::SessionStart { source: "startup".to_owned() }),
        ("prompt", HookEventKind::Prompt { text: "Fix it.".to_owned() }),
        ("stop", stop(false)),
        ("interrupted", stop(true)),
        ("end", HookEventKind::SessionEnd { reason: "other".to_owned() }),
        ("other", HookEventKind::Other { name: "PreToolUse".to_owned() }),
    ]
}

fn replies() -> [(&'static str, HookReply); 4] {
    [
        ("silent", HookReply::Silent),
        ("block", HookReply::Block { reason: "Run the tests.".to_owned(), notice: None }),
        ("notice", HookReply::Notice { text: "Nothing was judged.".to_owned() }),
        ("context", HookReply::Context { text: "Two directives are open.".to_owned(), notice: None }),
    ]
}

/// Checks every reply to every kind of event: a block of a stop prints `block`, those of the table
/// print what it says on standard output and standard error, and all others print nothing.
pub(super) fn check_replies(adapter: &dyn Adapter, block: &str, table: &[(&str, &str, &str, &str)]) {
    for (kind_name, kind) in kinds() {
        for (reply_name, reply) in replies() {
            let (stdout, stderr) = match (kind_name, reply_name) {
                ("stop", "block") => (block, ""),
                _ => table
                    .iter()
                    .find(|(kind, reply, ..)| (*kind, *reply) == (kind_name, reply_name))
                    .map_or(("", ""), |(_, _, stdout, stderr)| (*stdout, *stderr)),
            };
            let expected = HookOutput { stdout: stdout.to_owned(), stderr: stderr.to_owned(), status: 0 };
            assert_eq!(adapter.reply(&kind, &reply), expected, "{reply_name} to {kind_name}");
        }
    }
}

/// Checks where settings are, what a new file looks like and how a file of somebody changes, and
/// that there is a way back from each.
pub(super) fn check_settings(
    adapter: &dyn Adapter,
    [project, user]: [&str; 2],
    fresh: &str,
    (before, after): (&str, &str),
) {
    let base = Path::new("/base");
    assert_eq!(adapter.settings_path(SettingsScope::Project, base), base.join(project));
    assert_eq!(adapter.settings_path(SettingsScope::User, base), base.join(user));
    for (before, after) in [("", fresh), (before, after)] {
        let installed = adapter.install(before, Path::new(PROGRAM)).unwrap();
        assert_eq!(installed, after);
        assert_eq!(adapter.install(after, Path::new(PROGRAM)).unwrap(), after, "twice is not once");
        assert_eq!(adapter.uninstall(after).unwrap(), before);
        assert_eq!(adapter.uninstall(before).unwrap(), before);

        let moved = adapter.install(after, Path::new("/home/ada/my \"own\" 'tools'/assize")).unwrap();
        assert_eq!(moved.matches(" hook ").count(), after.matches(" hook ").count());
        assert!(!moved.contains(PROGRAM));
        assert_eq!(adapter.uninstall(&moved).unwrap(), before);
        assert_eq!(adapter.install(&moved, Path::new(PROGRAM)).unwrap(), after);
    }
    assert!(serde_json::from_str::<serde_json::Value>(fresh).is_ok());
    assert!(adapter.after_install().is_some());
}

#[test]
fn agents_are_found_by_the_ids_that_users_type() {
    let ids: Vec<&str> = ADAPTERS.iter().map(|adapter| adapter.id()).collect();
    assert_eq!(ids, ["claude-code", "codex", "gemini", "cursor", "copilot"]);
    for id in ids {
        assert_eq!(adapter(id).map(Adapter::id), Some(id));
    }
    assert!(adapter("emacs").is_none());
    let source = include_str!("mod.rs");
    for adapter in ADAPTERS {
        assert!(source.contains(&format!("    {}::", adapter.id().replace('-', "_"))), "{} has no file", adapter.id());
    }
}

#[test]
fn what_every_agent_says_is_cut_at_the_limit() {
    for adapter in ADAPTERS {
        for (_, kind) in kinds() {
            let long = || "é".repeat(reply::REPLY_CHARS_MAX + 1);
            for reply in [
                HookReply::Block { reason: long(), notice: None },
                HookReply::Block { reason: "Run the tests.".to_owned(), notice: Some(long()) },
                HookReply::Notice { text: long() },
                HookReply::Context { text: long(), notice: None },
                HookReply::Context { text: "Two directives are open.".to_owned(), notice: Some(long()) },
            ] {
                let output = adapter.reply(&kind, &reply);
                if output.stdout.is_empty() {
                    continue;
                }
                let value: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
                // What an agent has no field for is on standard error.
                if output.stderr.is_empty() {
                    assert_eq!(longest(&value), reply::REPLY_CHARS_MAX, "{}", adapter.id());
                }
            }
        }
    }
}

#[test]
fn the_person_is_told_beside_the_agent() {
    let [(_, start), _, (_, stop), ..] = kinds();
    let notice = || Some("The file is broken.".to_owned());
    let block = HookReply::Block { reason: "Run the tests.".to_owned(), notice: notice() };
    let context = HookReply::Context { text: "Two directives are open.".to_owned(), notice: notice() };
    for adapter in ADAPTERS {
        for (kind, reply, words) in [(&stop, &block, "Run the tests."), (&start, &context, "Two directives are open.")]
        {
            let output = adapter.reply(kind, reply);
            let value: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
            assert!(output.stdout.contains(words), "{output:?}");
            let has_field = ["claude-code", "codex", "gemini"].contains(&adapter.id());
            let (field, stderr) =
                if has_field { (Some("The file is broken."), "") } else { (None, "assize: The file is broken.\n") };
            assert_eq!((value["systemMessage"].as_str(), output.stderr.as_str()), (field, stderr), "{}", adapter.id());
        }
    }
}

#[test]
fn a_block_always_has_a_reason() {
    let [_, _, (_, stop), ..] = kinds();
    for adapter in ADAPTERS {
        let output = adapter.reply(&stop, &HookReply::Block { reason: "\n".to_owned(), notice: None });
        let value: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        assert!(longest(&value) > 10, "{}", adapter.id());
    }
}

fn longest(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::String(text) => text.encode_utf16().count(),
        serde_json::Value::Object(fields) => fields.values().map(longest).max().unwrap_or(0),
        _ => 0,
    }
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i32>().prop_map(serde_json::Value::from),
        ".{0,8}".prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(2, 12, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            proptest::collection::hash_map("status|text|description|x", inner, 0..4)
                .prop_map(|fields| serde_json::Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        for adapter in ADAPTERS {
            let _ = adapter.read(&bytes);
        }
    }

    #[test]
    fn fields_of_any_type_are_tolerated(values in proptest::collection::vec(json(), 16), name in 0_usize..12) {
        const NAMES: [&str; 12] = [
            "SessionStart", "UserPromptSubmit", "Stop", "SessionEnd", "BeforeAgent", "AfterAgent", "sessionStart",
            "beforeSubmitPrompt", "stop", "sessionEnd", "agentStop", "userPromptSubmitted",
        ];
        const KEYS: [&str; 16] = [
            "source", "prompt", "last_assistant_message", "stop_hook_active", "background_tasks", "reason", "prompt_id",
            "transcript_path", "turn_id", "prompt_response", "loop_count", "status", "generation_id", "stopReason",
            "transcriptPath", "timestamp",
        ];
        let mut event: serde_json::Map<String, serde_json::Value> =
            KEYS.iter().zip(values).map(|(key, value)| ((*key).to_owned(), value)).collect();
        event.insert("hook_event_name".to_owned(), NAMES[name].into());
        for key in ["session_id", "sessionId", "conversation_id"] {
            event.insert(key.to_owned(), "s".into());
        }
        event.insert("cwd".to_owned(), "/src".into());
        event.insert("workspace_roots".to_owned(), serde_json::json!(["/src"]));
        let event = serde_json::Value::Object(event).to_string();
        for adapter in ADAPTERS {
            let event = adapter.read(event.as_bytes()).unwrap();
            prop_assert_eq!(event.session.as_str(), "s");
            prop_assert_eq!(event.folder.as_path(), Path::new("/src"));
        }
    }
}
