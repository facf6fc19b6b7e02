//! What the requests of a run have in common, written once.
//!
//! A run puts a hundred thousand questions with the same rules and the same schema; only the case is another one each time. Which parts of a
//! request stay the same, and in what dialect they are written, each kind of judge knows for itself.

use std::sync::{Arc, Mutex, PoisonError};

use assize_core::prompt::Question;
use serde_json::Value;

/// What was written of the rules and the schema that were asked for last.
pub(super) struct Spoken<T>(Mutex<Option<Kept<T>>>);

struct Kept<T> {
    rules: Arc<str>,
    schema: Arc<Value>,
    schema_name: &'static str,
    written: Arc<T>,
}

impl<T> Spoken<T> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Returns what is written of the rules and the schema of a question; writes it unless the question before had the very same.
    pub(super) fn of(
        &self,
        question: &Question,
        write: impl FnOnce() -> Result<T, serde_json::Error>,
    ) -> Result<Arc<T>, serde_json::Error> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |kept: &&Kept<T>| {
            Arc::ptr_eq(&kept.rules, &question.system)
                && Arc::ptr_eq(&kept.schema, &question.schema)
                && kept.schema_name == question.schema_name
        };
        if let Some(kept) = kept.as_ref().filter(same) {
            return Ok(Arc::clone(&kept.written));
        }
        let written = Arc::new(write()?);
        let (rules, schema) = (Arc::clone(&question.system), Arc::clone(&question.schema));
        *kept = Some(Kept { rules, schema, schema_name: question.schema_name, written: Arc::clone(&written) });
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::testing::question;

    #[test]
    fn the_same_rules_and_schema_are_written_once() {
        let spoken = Spoken::new();
        let written = |question: &Question, text: &str| spoken.of(question, || Ok(text.to_owned())).expect("written");
        let first = question();
        assert_eq!(*written(&first, "a"), "a");
        assert_eq!(*written(&Question { prompt: "another case".to_owned(), ..first.clone() }, "b"), "a");
        let other_rules = Question { system: "Judge otherwise.".into(), ..first.clone() };
        assert_eq!(*written(&other_rules, "c"), "c");
        assert_eq!(*written(&first, "d"), "d", "only the last ones are kept");
        let other_schema = Question { schema: Arc::new(Value::Null), ..first.clone() };
        assert_eq!(*written(&other_schema, "e"), "e");
        assert_eq!(*written(&Question { schema_name: "other", ..other_schema }, "f"), "f");
    }
}
