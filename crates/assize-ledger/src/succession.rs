//! Which sessions a session continues that begins after one was cleared.
//!
//! Clearing begins a session with another id, and the hooks at the end of the one and at the start of the other may have been killed.

use std::collections::BTreeSet;

use crate::event::LedgerEvent;

/// Sessions that were cleared, one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClearedSessions {
    /// The last one that was heard to begin.
    pub heard: Option<String>,
    /// Those after it.
    pub unheard: Vec<String>,
}

impl ClearedSessions {
    /// The sessions that were cleared last, where none has followed them yet, by the latest events of the sessions of one agent, oldest
    /// first. `begins` says whether a session was heard to begin.
    pub fn last<'e>(
        recent: impl DoubleEndedIterator<Item = (&'e str, &'e LedgerEvent)>,
        begins: impl Fn(&str) -> bool,
    ) -> Self {
        let mut cleared = Self::default();
        for (session, event) in recent.rev() {
            match event {
                LedgerEvent::SessionEnded { reason } if reason == "clear" && begins(session) => {
                    cleared.heard = Some(session.to_owned());
                    break;
                }
                LedgerEvent::SessionEnded { reason } if reason == "clear" => cleared.unheard.push(session.to_owned()),
                LedgerEvent::SessionStarted { source, .. } if source == "clear" => break,
                _ => {}
            }
        }
        cleared
    }

    /// Returns whether nothing was cleared.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The one session, but for `own`, whose end was not heard; `None` where there are several. Where another one begins since a session
/// was cleared, it must have been this one.
pub fn only_open<'e>(recent: impl Iterator<Item = (&'e str, &'e LedgerEvent)>, own: &str) -> Option<&'e str> {
    let mut open = BTreeSet::new();
    for (session, event) in recent {
        match event {
            LedgerEvent::SessionEnded { .. } => open.remove(session),
            _ => open.insert(session),
        };
    }
    open.remove(own);
    open.pop_first().filter(|_| open.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(reason: &str) -> LedgerEvent {
        LedgerEvent::SessionEnded { reason: reason.to_owned() }
    }

    fn started(source: &str) -> LedgerEvent {
        let (agent, source) = ("claude-code".to_owned(), source.to_owned());
        LedgerEvent::SessionStarted { agent, source, baseline: None, transcript: None }
    }

    #[test]
    fn the_session_that_was_cleared_last_is_followed_once() {
        let of = |events: &[(&str, LedgerEvent)], heard: &[&str]| {
            let events = events.iter().map(|(session, event)| (*session, event));
            let cleared = ClearedSessions::last(events, |session| heard.contains(&session));
            (cleared.heard, cleared.unheard.join(" "))
        };
        let a = Some("a".to_owned());
        assert_eq!(of(&[("a", started("startup")), ("a", ended("clear"))], &["a"]), (a.clone(), String::new()));
        assert_eq!(of(&[("a", ended("clear")), ("b", ended("clear"))], &["a"]), (a.clone(), "b".to_owned()));
        assert_eq!(of(&[("b", ended("clear"))], &[]), (None, "b".to_owned()));
        assert_eq!(of(&[("a", ended("other"))], &["a"]), (None, String::new()));
        let followed = [("a", ended("clear")), ("b", started("clear"))];
        assert_eq!(of(&followed, &["a", "b"]), (None, String::new()));
        let beside = [("a", ended("clear")), ("b", started("startup"))];
        assert_eq!(of(&beside, &["a", "b"]), (a, String::new()), "another one that begins follows nothing");
    }

    #[test]
    fn only_one_open_session_is_known() {
        let of = |events: &[(&str, LedgerEvent)]| {
            let events = events.iter().map(|(session, event)| (*session, event));
            only_open(events, "own").map(str::to_owned)
        };
        assert_eq!(of(&[("a", started("startup")), ("own", started("clear"))]).as_deref(), Some("a"));
        assert_eq!(of(&[("a", started("startup")), ("b", started("startup"))]), None);
        let over = [("a", started("startup")), ("b", started("startup")), ("b", ended("other"))];
        assert_eq!(of(&over).as_deref(), Some("a"));
        assert_eq!(of(&[]), None);
    }
}
