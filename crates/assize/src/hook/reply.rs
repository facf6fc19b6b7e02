//! What replies have in common.
//!
//! Each text has one channel: an agent that is told the same thing twice, or in a field that its schema
//! does not know, may drop all of it. Allowing is silence. This module must not know any agent.

use serde_json::Value;

use super::{HookEventKind, HookOutput, HookReply};

/// Longest text that is handed to an agent. Claude Code cuts there, counted as JavaScript counts;
/// Cursor drops what is longer. The others state no limit.
pub(super) const REPLY_CHARS_MAX: usize = 10_000;
/// What stands at the end of a text that was cut.
const CUT: &str = "\n[cut here: the rest is in the ledger]";
/// The field for what the person at the terminal is told.
const NOTICE_FIELD: &str = "systemMessage";
/// What is said when a block has no reason, which some agents refuse.
const NO_REASON: &str = "Assize did not accept this stop. `assize ledger show` says why.";

/// The words of an agent whose replies have the shape of Claude Code's.
pub(super) struct ReplyDialect {
    /// The decision that blocks the agent.
    pub(super) decision: &'static str,
    /// The name of the event of a prompt.
    pub(super) prompt_event: &'static str,
}

impl ReplyDialect {
    /// Writes a reply.
    pub(super) fn write(&self, to: &HookEventKind, reply: &HookReply) -> HookOutput {
        match (reply, to) {
            (HookReply::Block { reason, notice }, to) if can_block(to) => {
                print_block(self.decision, reason, notice.as_deref())
            }
            // The end of a session is not waited for, and nothing is known of other events.
            (HookReply::Notice { text }, HookEventKind::SessionEnd { .. } | HookEventKind::Other { .. }) => tell(text),
            (HookReply::Notice { text }, _) => print(&[(NOTICE_FIELD, &capped(text))]),
            (HookReply::Context { text, notice }, HookEventKind::SessionStart { .. }) => {
                print_context("SessionStart", text, notice.as_deref())
            }
            (HookReply::Context { text, notice }, HookEventKind::Prompt { .. }) => {
                print_context(self.prompt_event, text, notice.as_deref())
            }
            (HookReply::Silent | HookReply::Block { .. } | HookReply::Context { .. }, _) => silence(),
        }
    }
}

/// Returns whether a block means something as an answer to this event: only an agent that stops of
/// its own accord can be blocked.
pub(super) fn can_block(kind: &HookEventKind) -> bool {
    matches!(kind, HookEventKind::Stop { interrupted: false, .. })
}

/// Says nothing.
pub(super) fn silence() -> HookOutput {
    HookOutput::default()
}

/// Prints one object whose fields are all texts. The order is kept.
pub(super) fn print(fields: &[(&str, &str)]) -> HookOutput {
    let fields: Vec<String> = fields.iter().map(|(key, text)| format!("{}:{}", quoted(key), quoted(text))).collect();
    HookOutput { stdout: format!("{{{}}}\n", fields.join(",")), ..HookOutput::default() }
}

/// Prints a block: the word for it, the reason, and what the person is told.
pub(super) fn print_block(decision: &str, reason: &str, notice: Option<&str>) -> HookOutput {
    let (reason, notice) = (reason_of(reason), notice.map(capped));
    let mut fields = vec![("decision", decision), ("reason", reason.as_str())];
    fields.extend(notice.as_deref().map(|notice| (NOTICE_FIELD, notice)));
    print(&fields)
}

/// Prints a context in the way of Claude Code, which others have taken over, and what the person is told.
fn print_context(event: &str, text: &str, notice: Option<&str>) -> HookOutput {
    let (event, text) = (quoted(event), quoted(&capped(text)));
    let notice = notice.map_or_else(String::new, |notice| format!(",\"{NOTICE_FIELD}\":{}", quoted(&capped(notice))));
    let context = format!("{{\"hookEventName\":{event},\"additionalContext\":{text}}}");
    HookOutput { stdout: format!("{{\"hookSpecificOutput\":{context}{notice}}}\n"), ..HookOutput::default() }
}

/// Adds what the person is told on standard error, for want of a channel.
pub(super) fn with_notice(output: HookOutput, notice: Option<&str>) -> HookOutput {
    HookOutput { stderr: notice.map_or_else(String::new, |notice| tell(notice).stderr), ..output }
}

/// Tells the person on standard error, for want of a channel.
pub(super) fn tell(text: &str) -> HookOutput {
    HookOutput { stderr: format!("assize: {}\n", text.trim_end()), ..HookOutput::default() }
}

/// Returns a reason that every agent takes: not blank, not too long.
pub(super) fn reason_of(reason: &str) -> String {
    if reason.trim().is_empty() { NO_REASON.to_owned() } else { capped(reason) }
}

/// Cuts a text at the agents' limit, at a character.
pub(super) fn capped(text: &str) -> String {
    let length = |text: &str| text.chars().map(char::len_utf16).sum::<usize>();
    if length(text) <= REPLY_CHARS_MAX {
        return text.to_owned();
    }
    let mut room = REPLY_CHARS_MAX - length(CUT);
    let kept = text.chars().take_while(|character| {
        let fits = character.len_utf16() <= room;
        room = room.saturating_sub(character.len_utf16());
        fits
    });
    kept.chain(CUT.chars()).collect()
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_holds_at_it_and_one_past_it() {
        let at = "ä".repeat(REPLY_CHARS_MAX);
        assert_eq!(capped(&at), at);
        let past = capped(&"ä".repeat(REPLY_CHARS_MAX + 1));
        assert_eq!(past.encode_utf16().count(), REPLY_CHARS_MAX);
        assert!(past.ends_with(CUT));
    }

    #[test]
    fn a_pair_is_not_cut_in_two() {
        for lead in ["", "x"] {
            let past = capped(&format!("{lead}{}", "😀".repeat(REPLY_CHARS_MAX)));
            assert!(past.encode_utf16().count() <= REPLY_CHARS_MAX);
            assert!(past.encode_utf16().count() >= REPLY_CHARS_MAX - 1);
            assert!(past.ends_with(CUT));
        }
    }

    #[test]
    fn a_reason_is_never_blank() {
        assert_eq!(reason_of(" \n"), NO_REASON);
        assert_eq!(reason_of("Tests fail."), "Tests fail.");
    }

    #[test]
    fn texts_are_escaped_and_stay_on_one_line() {
        let output = print_block("block", "a \"b\"\n\u{1}\u{2028}</x>", None);
        assert_eq!(output.stdout, "{\"decision\":\"block\",\"reason\":\"a \\\"b\\\"\\n\\u0001\u{2028}</x>\"}\n");
        assert_eq!(output.status, 0);
    }
}
