//! A review as the machine envelope, indented.

use assize_review::court::ReviewRecord;
use assize_review::envelope::ReviewEnvelope;
use serde_json::json;

use super::Form;
use crate::exit::Failure;

/// The machine envelope.
pub struct Json;

impl Form for Json {
    fn id(&self) -> &'static str {
        "json"
    }

    fn write(&self, record: &ReviewRecord) -> Result<String, Failure> {
        Ok(format!("{:#}\n", json!(ReviewEnvelope::of(record))))
    }
}
