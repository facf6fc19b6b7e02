//! Serves the page on which a person labels records, to this machine alone and only with the token.
//!
//! A page of another site can send requests here, too. It does not know the token, its requests name another host, and its
//! origin is another one. This module does not know what labels mean.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{DefaultBodyLimit, Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::label_store::{LabelStore, Refused};
use crate::exit::{Failure, Result};

const PAGE: &str = include_str!("page.html");
/// Largest request, in bytes.
pub const REQUEST_BYTES_MAX: usize = 256 * 1024;
const TOKEN_HEADER: &str = "x-assize-token";
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; \
                      img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

struct Shared {
    store: Mutex<LabelStore>,
    token: String,
    /// How this server may be named.
    hosts: [String; 2],
}

/// Serves until the process is ended; `ready` gets the port.
///
/// # Errors
///
/// Fails when the port cannot be had.
pub fn serve(store: LabelStore, token: &str, port: u16, ready: &mut dyn FnMut(u16)) -> Result<()> {
    let failed = |error: std::io::Error| Failure::new(format!("the page cannot be served: {error}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().map_err(failed)?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|error| {
            Failure::new(format!("--port {port}: {error}")).hint("without --port, the command takes any free port")
        })?;
        let port = listener.local_addr().map_err(failed)?.port();
        ready(port);
        let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        let shared = Arc::new(Shared { store: Mutex::new(store), token: token.to_owned(), hosts });
        axum::serve(listener, router(shared)).await.map_err(failed)
    })
}

fn router(shared: Arc<Shared>) -> Router {
    let api = Router::new()
        .route("/api/task", get(task))
        .route("/api/record/{at}", get(record).post(store_labels))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), check_token));
    Router::new()
        .route("/", get(async || Html(PAGE)))
        .merge(api)
        .layer(DefaultBodyLimit::max(REQUEST_BYTES_MAX))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), check_origin))
        .with_state(shared)
}

/// Lets requests through that mean this server and come from its own page, and keeps the page to itself.
async fn check_origin(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let mut response = match wrong_place(&shared.hosts, request.headers()) {
        Some(why) => refused(StatusCode::FORBIDDEN, why),
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn wrong_place(hosts: &[String; 2], headers: &HeaderMap) -> Option<&'static str> {
    let text = |name| headers.get(name).map(|value: &HeaderValue| value.to_str().unwrap_or_default());
    if !text(header::HOST).is_some_and(|host| hosts.iter().any(|known| known == host)) {
        return Some("the request names another host than this server");
    }
    match text(header::ORIGIN) {
        Some(origin) if !hosts.iter().any(|host| origin.strip_prefix("http://") == Some(host)) => {
            Some("the request comes from another page")
        }
        _ => None,
    }
}

/// Lets requests through that carry the token.
async fn check_token(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let token = request.headers().get(TOKEN_HEADER).map(HeaderValue::as_bytes).unwrap_or_default();
    if same(token, shared.token.as_bytes()) {
        next.run(request).await
    } else {
        refused(StatusCode::UNAUTHORIZED, "the token is missing or wrong; open the address that the command printed")
    }
}

/// Compares in a time that says nothing of where two texts differ.
fn same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && one.iter().zip(other).fold(0, |differ, (one, other)| differ | (one ^ other)) == 0
}

fn refused(status: StatusCode, why: &str) -> Response {
    (status, Json(json!({ "error": why }))).into_response()
}

async fn task(State(shared): State<Arc<Shared>>) -> Json<Value> {
    Json(shared.store.lock().unwrap_or_else(PoisonError::into_inner).task())
}

async fn record(State(shared): State<Arc<Shared>>, Path(at): Path<usize>) -> Response {
    match shared.store.lock().unwrap_or_else(PoisonError::into_inner).record(at) {
        Some(record) => Json(record).into_response(),
        None => refused(StatusCode::NOT_FOUND, "no such record"),
    }
}

/// The labels of a record, as the page sends them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LabelRequest {
    labels: Map<String, Value>,
    #[serde(default)]
    note: String,
    /// The version of the record that the person saw.
    #[serde(default)]
    version: Option<u64>,
}

async fn store_labels(State(shared): State<Arc<Shared>>, Path(at): Path<usize>, request: Json<LabelRequest>) -> Response {
    let mut store = shared.store.lock().unwrap_or_else(PoisonError::into_inner);
    match store.store(at, &request.labels, &request.note, request.version) {
        Ok(stored) => Json(json!(stored)).into_response(),
        Err(Refused::Overtaken) => {
            refused(StatusCode::CONFLICT, "labels of this record were stored from another window meanwhile; reload it")
        }
        Err(Refused::Wrong(error)) => refused(StatusCode::UNPROCESSABLE_ENTITY, &error),
    }
}
