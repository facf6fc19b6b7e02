//! One kind of question that is asked in many cases: about each record of a run, or about each record to correct.
//!
//! The caller that carries out a run knows how to ask, how to store replies and how to count costs. Only the
//! [`Inquiry`] knows what a case is, and what a reply to it must contain.

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

    /// Makes the verdict parser for replies to a question.
    fn verdict_parser(self: Arc<Self>, case: &Self::Case, question: &Arc<Question>) -> VerdictParser<Self::Reading>;
}
