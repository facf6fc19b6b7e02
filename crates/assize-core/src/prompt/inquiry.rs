//! One kind of question, put in many cases: about each record of a run, or about each one that is to be corrected.
//!
//! Whoever carries a run out knows how to ask, to keep replies and to count money. What a case is, and what a reply to it has to hold, is
//! known here alone.

use std::sync::Arc;

use super::{Nonce, Question};
use crate::ruling::Unjudged;
use crate::verdict::Reply;

/// Reads a reply; where it does not count, says why.
pub type VerdictParser<T> = Box<dyn Fn(&Reply) -> Result<T, Unjudged> + Send + Sync>;

/// What is asked in each case of a run.
pub trait Inquiry: Send + Sync + 'static {
    /// What a question is about.
    type Case;
    /// What a reply that counts says.
    type Reading: Send + 'static;

    /// Returns the name of a case, for people.
    fn name<'a>(&self, case: &'a Self::Case) -> &'a str;

    /// Returns the hash of what is asked in a case: replies are kept under it.
    fn hash(&self, case: &Self::Case) -> String;

    /// Renders the question.
    ///
    /// # Errors
    ///
    /// Says why it cannot be asked.
    fn question(&self, case: &Self::Case, nonce: &Nonce) -> Result<Question, Unjudged>;

    /// Makes the door for replies to a question.
    fn verdict_parser(self: Arc<Self>, case: &Self::Case, question: &Arc<Question>) -> VerdictParser<Self::Reading>;
}
