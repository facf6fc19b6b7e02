//! Judges behind a model server.
//!
//! What a server is sent and how its answer is read are values; carrying them is the same for all. Who makes many calls at a time makes them
//! on one thread, and who makes one waits for it. What is asked must not be known here.

use std::sync::Arc;
use std::time::Instant;

use assize_core::prompt::Question;

use super::http::{Endpoint, Hint, Web};
use super::{Answer, CallError, Judge};

/// A judge behind a model server.
pub trait Server: Sync {
    /// Where requests go.
    #[doc(hidden)]
    fn endpoint(&self) -> &Endpoint;

    /// Says what helps when the server does not accept a request.
    #[doc(hidden)]
    fn hint(&self) -> Hint;

    /// Writes the request.
    ///
    /// # Errors
    ///
    /// Fails where the question cannot be written as JSON.
    fn write(&self, question: &Question, reask: Option<&str>) -> serde_json::Result<Vec<u8>>;

    /// Reads the answer.
    ///
    /// # Errors
    ///
    /// Says why it is none.
    fn read(&self, body: &[u8]) -> Result<Answer, CallError>;
}

/// Calls a judge without keeping a thread waiting, as far as that can be: a program takes a thread of the runtime's own.
///
/// # Errors
///
/// Says why there is no reply, and whether another attempt could help.
pub async fn call(
    web: &Web,
    judge: &Arc<dyn Judge>,
    question: &Arc<Question>,
    reask: Option<&str>,
    deadline: Instant,
) -> Result<Answer, CallError> {
    if let Some(server) = judge.server() {
        return ask(web, server, question, reask, deadline).await;
    }
    let (judge, question, reask) = (Arc::clone(judge), Arc::clone(question), reask.map(str::to_owned));
    let called = tokio::task::spawn_blocking(move || judge.call(&question, reask.as_deref(), deadline));
    called.await.unwrap_or_else(|error| Err(CallError::unavailable(format!("the judge broke off: {error}"))))
}

/// Calls a server and waits.
///
/// # Errors
///
/// Says why there is no reply, and whether another attempt could help.
pub(super) fn wait_for(
    server: &dyn Server,
    question: &Question,
    reask: Option<&str>,
    deadline: Instant,
) -> Result<Answer, CallError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| CallError::unavailable(format!("no server can be asked: {error}")))?;
    let answer = runtime.block_on(ask(&Web::default(), server, question, reask, deadline));
    // A name that is still looked up is not waited for.
    runtime.shutdown_background();
    answer
}

async fn ask(
    web: &Web,
    server: &dyn Server,
    question: &Question,
    reask: Option<&str>,
    deadline: Instant,
) -> Result<Answer, CallError> {
    let request = server.write(question, reask).map_err(|error| CallError::unavailable(error.to_string()))?;
    let body = server.endpoint().post(web, request, server.hint(), deadline).await?;
    server.read(&body)
}
