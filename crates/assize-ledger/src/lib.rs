//! The record: the events of all courts, how a session's state is folded from them, and the chain of hashes that holds them.
//!
//! # Example
//!
//! ```rust
//! use assize_ledger::chain::{Damage, GENESIS, Header, Verifier, entry_hash};
//! use assize_ledger::event::{LedgerEvent, session_state};
//!
//! let line = r#"{"kind": "prompted", "agent": "codex", "prompt_id": "p1",
//!                "directive": {"id": "d1", "kind": "initial", "text": "Add a parser"}}"#;
//! let event = LedgerEvent::from_json(line)?;
//! assert_eq!(event.kind(), "prompted");
//! let state = session_state([&event]);
//! assert_eq!((state.prompt_id.as_str(), state.active.len()), ("p1", 1));
//!
//! // Each entry has a hash over its header and its payload, so a later change is noticed.
//! let (court, session) = ("stop".to_owned(), "s1".to_owned());
//! let header = Header { seq: 1, at_ms: 0, court, session, kind: event.kind().to_owned(), outcome: None };
//! let hash = entry_hash(&GENESIS, &header, line.as_bytes());
//! let check = |payload: &str| Verifier::default().step(&header, payload.as_bytes(), &GENESIS, &hash);
//! assert_eq!(check(line), Ok(()));
//! assert_eq!(check(&line.replace("parser", "lexer")), Err(Damage::Altered(1)));
//! # Ok::<(), serde_json::Error>(())
//! ```

pub mod anchor;
pub mod chain;
pub mod document;
pub mod event;
pub mod labels;
pub mod succession;
