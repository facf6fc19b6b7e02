//! A review as Markdown, short enough for a comment on a change.

use assize_review::court::ReviewRecord;

use super::Form;
use crate::exit::Failure;
use crate::render::comment;

/// Markdown.
pub struct Markdown;

impl Form for Markdown {
    fn id(&self) -> &'static str {
        "markdown"
    }

    fn write(&self, record: &ReviewRecord) -> Result<String, Failure> {
        Ok(comment::review(record))
    }
}
