//! Judges that call a model server.
//!
//! Each kind only writes requests and reads responses; sending them is the same for all. Many concurrent calls are
//! made on one thread; a single call is waited for. This module must not know what is asked.

use std::sync::Arc;
use std::time::Instant;

use assize_core::prompt::Question;

use super::http::{Endpoint, Hint, HttpClient};
use super::{CallError, Judge, JudgeAnswer};

/// A judge that calls a model server.
pub trait HttpJudge: Sync {
    /// Returns the address of requests.
    #[doc(hidden)]
    fn endpoint(&self) -> &Endpoint;

    /// Returns the function that gives advice if the server rejects a request.
    #[doc(hidden)]
    fn hint(&self) -> Hint;

    /// Writes the request.
    ///
    /// # Errors
    ///
    /// Fails if the question cannot be written as JSON.
    fn write(&self, question: &Question, reask: Option<&str>) -> serde_json::Result<Vec<u8>>;

    /// Reads the response.
    ///
    /// # Errors
    ///
    /// Says why it is not an answer.
    fn read(&self, body: &[u8]) -> Result<JudgeAnswer, CallError>;
}

/// Calls a judge without blocking the thread. A judge that is a program gets a thread of the runtime.
///
/// # Errors
///
/// Says why there is no reply, and whether another attempt may help.
pub async fn call(
    web: &HttpClient,
    judge: &Arc<dyn Judge>,
    question: &Arc<Question>,
    reask: Option<&str>,
    deadline: Instant,
) -> Result<JudgeAnswer, CallError> {
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
/// Says why there is no reply, and whether another attempt may help.
pub(super) fn wait_for(
    server: &dyn HttpJudge,
    question: &Question,
    reask: Option<&str>,
    deadline: Instant,
) -> Result<JudgeAnswer, CallError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| CallError::unavailable(format!("no server can be asked: {error}")))?;
    let answer = runtime.block_on(ask(&HttpClient::default(), server, question, reask, deadline));
    // Does not wait for a DNS query in progress.
    runtime.shutdown_background();
    answer
}

async fn ask(
    web: &HttpClient,
    server: &dyn HttpJudge,
    question: &Question,
    reask: Option<&str>,
    deadline: Instant,
) -> Result<JudgeAnswer, CallError> {
    let request = server.write(question, reask).map_err(|error| CallError::unavailable(error.to_string()))?;
    let body = server.endpoint().post(web, request, server.hint(), deadline).await?;
    server.read(&body)
}
