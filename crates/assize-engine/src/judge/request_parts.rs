//! Caches the parts that the requests of a run share.
//!
//! A run can ask a hundred thousand questions with the same rules and the same schema; only the case differs. Each
//! kind of judge knows which parts are shared and how they are serialized.

use std::sync::{Arc, Mutex, PoisonError};

use assize_core::prompt::Question;
use serde_json::Value;

/// The serialized parts for the latest rules and schema.
pub(super) struct RequestPartsCache<T>(Mutex<Option<CachedRequestParts<T>>>);

struct CachedRequestParts<T> {
    rules: Arc<str>,
    schema: Arc<Value>,
    schema_name: &'static str,
    written: Arc<T>,
}

impl<T> RequestPartsCache<T> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Returns the shared parts for a question. Serializes them unless the previous question had the same rules and
    /// schema.
    pub(super) fn of(
        &self,
        question: &Question,
        write: impl FnOnce() -> Result<T, serde_json::Error>,
    ) -> Result<Arc<T>, serde_json::Error> {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |cached: &&CachedRequestParts<T>| {
            Arc::ptr_eq(&cached.rules, &question.system)
                && Arc::ptr_eq(&cached.schema, &question.schema)
                && cached.schema_name == question.schema_name
        };
        if let Some(cached) = cached.as_ref().filter(same) {
            return Ok(Arc::clone(&cached.written));
        }
        let written = Arc::new(write()?);
        let (rules, schema) = (Arc::clone(&question.system), Arc::clone(&question.schema));
        *cached = Some(CachedRequestParts {
            rules,
            schema,
            schema_name: question.schema_name,
            written: Arc::clone(&written),
        });
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::testing::question;

    #[test]
    fn the_same_rules_and_schema_are_written_once() {
        let cache = RequestPartsCache::new();
        let written = |question: &Question, text: &str| cache.of(question, || Ok(text.to_owned())).expect("written");
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
