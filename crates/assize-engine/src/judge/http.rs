//! Sends a JSON request to a model server, within limits.
//!
//! Nothing is set up before the first call. An HTTP status is classified as temporary or permanent failure. Redirects
//! are not followed, because they would send the key to another server. Proxies of the environment are used, but never
//! for the local machine. This module must not know what is asked.

use std::error::Error as _;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use assize_core::ruling::{Cause, Unjudged};
use assize_core::text::{head, make_visible};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Response, Url};
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;

use super::{ApiKey, CallError, RESPONSE_BYTES_MAX, SecretText, time_left};

/// The longest time for establishing a connection.
pub(super) const CONNECT_TIME_MAX: Duration = Duration::from_secs(10);
/// The most idle connections that are kept for further calls.
const CALLS_AT_ONCE_MAX: usize = 512;
/// The most bytes of an error body that are read.
const ERROR_BYTES_MAX: usize = 64 * 1024;
/// The longest wait for the body of an error.
const ERROR_TIME_MAX: Duration = Duration::from_secs(2);
/// The most bytes of a server's message that are shown.
const MESSAGE_BYTES_MAX: usize = 240;

/// The address of requests, with their headers.
pub struct Endpoint {
    url: Url,
    loopback: bool,
    headers: HeaderMap,
    key: ApiKey,
}

/// Returns advice for a status and message of the server, if any is known.
pub type Hint = fn(u16, &str) -> Option<&'static str>;

/// Checks the address of a server. Returns it without a slash at its end.
///
/// # Errors
///
/// Says what is wrong with it, without repeating it, because it may contain a password.
pub(super) fn check_base_url(base_url: &str) -> Result<String, String> {
    let wrong = |what: &str| Err(format!("base_url {what}"));
    // The URL parser accepts more than servers do.
    if base_url.chars().any(|character| character.is_whitespace() || character.is_control()) {
        return wrong("is no URL");
    }
    let begins = |scheme: &str| base_url.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    let url = match base_url.parse::<Url>() {
        Ok(url) if begins("http://") || begins("https://") => url,
        Ok(_) => return wrong("does not begin with http:// or https://"),
        Err(_) if base_url.contains("://") => return wrong("is no URL"),
        Err(_) => return wrong("does not begin with http:// or https://"),
    };
    if base_url.contains('@') || !url.username().is_empty() || url.password().is_some() {
        return wrong("holds a user name or password; put the key into a variable of the environment");
    }
    if base_url.contains(['?', '#']) {
        return wrong("has a query or a fragment");
    }
    Ok(base_url.trim_end_matches('/').to_owned())
}

impl Endpoint {
    /// Makes the endpoint for a path on a server whose address was checked. Each request has these headers, and the
    /// key in the header `key_in`.
    pub(super) fn new(
        base_url: &str,
        path: &str,
        headers: &[(&'static str, &'static str)],
        key: ApiKey,
        key_in: impl FnOnce(&str) -> (&'static str, String),
    ) -> Result<Self, String> {
        let url: Url = format!("{base_url}{path}").parse().map_err(|_| "base_url is no URL".to_owned())?;
        let mut sent = HeaderMap::new();
        sent.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        sent.insert(ACCEPT, HeaderValue::from_static("application/json"));
        for (name, value) in headers {
            sent.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        if let ApiKey::Found(SecretText(word)) = &key {
            let (name, value) = key_in(word);
            let mut value = HeaderValue::from_str(&value).map_err(|_| "the API key cannot be sent".to_owned())?;
            value.set_sensitive(true);
            sent.insert(HeaderName::from_static(name), value);
        }
        Ok(Self { loopback: url.host_str().is_some_and(is_loopback), url, headers: sent, key })
    }

    /// Sends a request and returns the body of the response.
    ///
    /// # Errors
    ///
    /// Says why there is none, and whether another attempt may help.
    pub(super) async fn post(
        &self,
        web: &HttpClient,
        body: Vec<u8>,
        hint: Hint,
        deadline: Instant,
    ) -> Result<Vec<u8>, CallError> {
        self.key.get()?;
        let time_left = time_left(deadline).ok_or_else(CallError::timeout)?;
        let client = web.client(self.loopback)?;
        let request = client.post(self.url.clone()).headers(self.headers.clone()).body(body);
        let exchange = async {
            let response = request.send().await.map_err(|error| failure(&error, time_left))?;
            if response.status().is_success() {
                return whole(response).await.map_err(|broken| match broken {
                    BodyError::TooLarge => CallError::too_large(),
                    BodyError::Off(error) => failure(&error, time_left),
                });
            }
            let (status, after) = (response.status().as_u16(), wait_of(response.headers(), SystemTime::now()));
            let error_body = ErrorBody::read(&beginning(response, time_left).await, self.secret());
            Err(refusal(status, &error_body.message, error_body.is_final, hint(status, &error_body.message), after))
        };
        tokio::time::timeout(time_left, exchange).await.unwrap_or_else(|_| Err(CallError::timeout()))
    }

    /// Describes a response with status 200 that is not an answer.
    pub(super) fn not_an_answer(&self, what: &str, body: &[u8]) -> CallError {
        let error_body = ErrorBody::read(body, self.secret()).message;
        let unjudged = Unjudged::new(Cause::Unavailable, format!("the server did not send {what}: {error_body}"));
        CallError::Final { unjudged, cost_usd: None }
    }

    fn secret(&self) -> Option<&SecretText> {
        self.key.get().ok().flatten()
    }
}

/// Why a body cannot be read to its end.
enum BodyError {
    TooLarge,
    Off(reqwest::Error),
}

async fn whole(mut response: Response) -> Result<Vec<u8>, BodyError> {
    let announced = response.content_length().and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
    let mut body = Vec::with_capacity(announced.min(RESPONSE_BYTES_MAX));
    while let Some(chunk) = response.chunk().await.map_err(BodyError::Off)? {
        if body.len() + chunk.len() > RESPONSE_BYTES_MAX {
            return Err(BodyError::TooLarge);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Reads the beginning of an error body. If it ends early or does not arrive, less is returned: the status is
/// informative enough.
async fn beginning(mut response: Response, time_left: Duration) -> Vec<u8> {
    let mut body = Vec::new();
    let read = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            body.extend_from_slice(&chunk[..chunk.len().min(ERROR_BYTES_MAX - body.len())]);
            if body.len() == ERROR_BYTES_MAX {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(ERROR_TIME_MAX.min(time_left / 2), read).await;
    body
}

/// The connections of one runtime, which are reused. They end with the runtime.
#[derive(Default)]
pub struct HttpClient {
    direct: OnceLock<Client>,
    proxied: OnceLock<Client>,
}

impl HttpClient {
    fn client(&self, loopback: bool) -> Result<&Client, CallError> {
        let cell = if loopback { &self.direct } else { &self.proxied };
        if let Some(client) = cell.get() {
            return Ok(client);
        }
        let client = new_client(loopback);
        let client = client.map_err(|what| CallError::unavailable(format!("no server can be asked: {what}")))?;
        Ok(cell.get_or_init(|| client))
    }
}

fn new_client(loopback: bool) -> Result<Client, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let roots = RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    let tls = tls.map_err(|error| error.to_string())?.with_root_certificates(roots).with_no_client_auth();
    let client = Client::builder().tls_backend_preconfigured(tls).http1_only();
    let client = client.redirect(reqwest::redirect::Policy::none()).retry(reqwest::retry::never()).referer(false);
    // As many connections are kept as calls may run concurrently.
    let client = client.connect_timeout(CONNECT_TIME_MAX).pool_max_idle_per_host(CALLS_AT_ONCE_MAX);
    let client = client.user_agent(concat!("assize/", env!("CARGO_PKG_VERSION")));
    let client = if loopback { client.no_proxy() } else { client };
    client.build().map_err(|error| error.to_string())
}

/// Returns whether a host is the local machine.
fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.').to_ascii_lowercase();
    match host.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// Classifies a transport error. `time_left` is the time that the request had.
fn failure(error: &reqwest::Error, time_left: Duration) -> CallError {
    let again = |detail: String, cost_usd| CallError::Retryable { after: None, busy: false, detail, cost_usd };
    let causes: Vec<&(dyn std::error::Error + 'static)> =
        std::iter::successors(error.source(), |cause| (*cause).source()).collect();
    let io = causes.iter().find_map(|cause| cause.downcast_ref::<io::Error>()).map(io::Error::kind);
    let says = |what: &str| causes.iter().any(|cause| cause.to_string().starts_with(what));
    let http = causes.iter().find_map(|cause| cause.downcast_ref::<hyper::Error>());
    if error.is_connect() {
        return match io {
            _ if error.is_timeout() && time_left <= CONNECT_TIME_MAX => CallError::timeout(),
            _ if error.is_timeout() => {
                again("the server cannot be reached: no connection in time".to_owned(), Some(0.0))
            }
            _ if says("dns error") => again("the server's name cannot be resolved".to_owned(), Some(0.0)),
            // A message of a proxy may repeat the password in its address.
            _ if says("tunnel error") => {
                CallError::unavailable("the proxy of the environment does not let the request through")
            }
            Some(io::ErrorKind::ConnectionRefused) => {
                again("the server refuses the connection; is it running?".to_owned(), Some(0.0))
            }
            _ if causes.iter().any(|cause| is_of_tls(*cause)) => {
                CallError::unavailable("the server cannot be asked: no secure connection comes about")
            }
            _ => again("the server cannot be reached".to_owned(), Some(0.0)),
        };
    }
    match http {
        _ if error.is_timeout() => CallError::timeout(),
        Some(http) if http.is_parse() => again("the server does not speak HTTP as it should".to_owned(), None),
        _ if error.is_request() || error.is_body() || error.is_decode() => {
            let kind = io.unwrap_or(io::ErrorKind::UnexpectedEof);
            again(format!("the connection broke: {kind}"), None)
        }
        _ => CallError::unavailable(format!("the server cannot be asked: {error}")),
    }
}

/// Returns whether an error is a TLS error, including those wrapped in I/O errors.
fn is_of_tls(error: &(dyn std::error::Error + 'static)) -> bool {
    error.is::<rustls::Error>()
        || error.downcast_ref::<io::Error>().and_then(io::Error::get_ref).is_some_and(|inner| is_of_tls(inner))
}

/// Classifies a response that is not a success.
fn refusal(
    status: u16,
    message: &str,
    is_final: bool,
    hint: Option<&'static str>,
    after: Option<Duration>,
) -> CallError {
    let mut detail = format!("the server answered {status}");
    if !message.is_empty() {
        detail = format!("{detail}: {message}");
    }
    if let Some(hint) = hint {
        detail = format!("{detail} ({hint})");
    }
    let passing = matches!(status, 408 | 409 | 425 | 429 | 500..=599);
    if passing && !is_final { CallError::passing(status, after, detail) } else { CallError::unavailable(detail) }
}

/// The relevant content of an error body.
#[derive(Debug, Default, PartialEq)]
struct ErrorBody {
    message: String,
    /// Whether waiting does not help.
    is_final: bool,
}

impl ErrorBody {
    fn read(body: &[u8], secret: Option<&SecretText>) -> Self {
        let text = String::from_utf8_lossy(body);
        // Before the text is cut, because a part of the key must not remain either.
        let text = secret.map_or_else(|| text.to_string(), |secret| secret.redact(&text));
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        let error = &value["error"];
        let message =
            [&error["message"], error, &value["message"], &value["detail"]].into_iter().find_map(Value::as_str);
        let line = message.unwrap_or(&text).split_whitespace().collect::<Vec<_>>().join(" ");
        // Again, because JSON can spell the key with escapes.
        let line = secret.map_or_else(|| line.clone(), |secret| secret.redact(&line));
        Self {
            message: head(&make_visible(&line), MESSAGE_BYTES_MAX).to_owned(),
            is_final: ["code", "type"].iter().any(|field| error[field] == "insufficient_quota"),
        }
    }
}

/// Returns how long the server asks clients to wait: seconds, or a date.
fn wait_of(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<u32>() {
        return Some(Duration::from_secs(seconds.into()));
    }
    let now_s = now.duration_since(UNIX_EPOCH).ok()?.as_secs();
    Some(Duration::from_secs(http_date(value)?.saturating_sub(now_s)))
}

/// Parses an HTTP date in the one form that may still be sent (RFC 9110, 5.6.7). Returns seconds since 1970.
fn http_date(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (_weekday, rest) = text.split_once(", ")?;
    let [day, month, year, time, "GMT"] = rest.split(' ').collect::<Vec<_>>()[..] else { return None };
    let number = |text: &str, range: std::ops::RangeInclusive<u64>| {
        text.parse().ok().filter(|number| range.contains(number) && text.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let month = MONTHS.iter().position(|name| *name == month)? as u64 + 1;
    let (day, year) = (number(day, 1..=31)?, number(year, 1970..=9999)?);
    let [hour, minute, second] = time.split(':').collect::<Vec<_>>()[..] else { return None };
    let (hour, minute, second) = (number(hour, 0..=23)?, number(minute, 0..=59)?, number(second, 0..=60)?);
    // Days since 1970, counted in years that begin in March, so that the leap day is the last one.
    let shifted = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + day_of_year - 719_468;
    Some(days * 86_400 + hour * 3_600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use assize_testkit::model_server::{ModelScript, ModelServer, ScriptedReply};
    use serde_json::json;

    use super::*;
    use crate::judge::testing::far;

    fn ask() -> Value {
        json!({"model": "m", "messages": [{"role": "user", "content": "?"}]})
    }

    fn endpoint(base_url: &str) -> Endpoint {
        let key = ApiKey::Found(SecretText("sk-1".to_owned()));
        let bearer = |key: &str| ("authorization", format!("Bearer {key}"));
        Endpoint::new(base_url, "/chat/completions", &[], key, bearer).expect("an address")
    }

    fn post_to(endpoint: &Endpoint, deadline: Instant) -> Result<Vec<u8>, CallError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let web = HttpClient::default();
        runtime.block_on(endpoint.post(&web, ask().to_string().into_bytes(), |_, _| None, deadline))
    }

    fn post(server: &ModelServer, deadline: Instant) -> Result<Vec<u8>, CallError> {
        post_to(&endpoint(&server.openai_base_url()), deadline)
    }

    fn status(code: u16, headers: &[(&str, &str)], body: &str) -> ScriptedReply {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        ScriptedReply::Status { code, headers, body: body.to_owned() }
    }

    #[test]
    fn addresses_are_checked_and_never_repeated() {
        for (url, checked) in [
            ("https://api.openai.com/v1/", "https://api.openai.com/v1"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://[::1]:8080/v1", "http://[::1]:8080/v1"),
        ] {
            assert_eq!(check_base_url(url).as_deref(), Ok(checked));
        }
        for url in [
            "",
            "api.openai.com",
            "/v1",
            "ftp://host/v1",
            "file:///etc/passwd",
            "https://user:hunter2@host/v1",
            "https://host/v1?key=hunter2",
            "https://host/v1#x",
            "https://ho st/",
        ] {
            let error = check_base_url(url).expect_err(url);
            assert!(error.starts_with("base_url ") && !error.contains("hunter2"), "{url}: {error}");
        }
    }

    #[test]
    fn this_machine_is_recognised() {
        for host in [
            "localhost",
            "LOCALHOST",
            "a.localhost",
            "localhost.",
            "127.0.0.1",
            "127.8.9.1",
            "[::1]",
            "::1",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(is_loopback(host), "{host}");
        }
        for host in
            ["localhost.example.com", "10.0.0.1", "128.0.0.1", "0.0.0.0", "example.com", "[::2]", "127.0.0.1.nip.io"]
        {
            assert!(!is_loopback(host), "{host}");
        }
    }

    #[test]
    fn requests_to_this_machine_go_past_the_proxy() {
        // The environment of a running test cannot be changed, so the test starts another process.
        const VARIABLE: &str = "ASSIZE_TEST_PROXIED";
        let server = ModelServer::start(ModelScript::always(ScriptedReply::text("hi")));
        if let Ok(url) = std::env::var(VARIABLE) {
            post_to(&endpoint(&url), far()).expect("a direct answer");
            let error = post_to(&endpoint("http://judge.invalid"), far()).expect_err("the proxy is not there");
            let refused = |detail: &str| detail.contains("refuses the connection");
            assert!(matches!(&error, CallError::Retryable { detail, .. } if refused(detail)), "{error:?}");
            return;
        }
        let mut child = std::process::Command::new(std::env::current_exe().expect("this test"));
        child.args(["--exact", "judge::http::tests::requests_to_this_machine_go_past_the_proxy"]);
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"] {
            child.env(name, "http://127.0.0.1:9");
        }
        let output = child.env_remove("NO_PROXY").env(VARIABLE, server.openai_base_url()).output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        assert_eq!(server.model_requests().len(), 1);
    }

    #[test]
    fn statuses_are_sorted() {
        for (code, retryable) in [
            (400, false),
            (401, false),
            (403, false),
            (404, false),
            (408, true),
            (413, false),
            (422, false),
            (425, true),
        ]
        .into_iter()
        .chain([(429, true), (500, true), (502, true), (503, true), (529, true), (307, false)])
        {
            let server =
                ModelServer::start(ModelScript::always(ScriptedReply::error(code, "no\u{202e}  such\nluck sk-1")));
            match post(&server, far()).expect_err("no success") {
                CallError::Retryable { after, busy, detail, cost_usd } => {
                    assert!(retryable, "{code}");
                    assert_eq!(busy, [429, 503, 529].contains(&code), "{code}");
                    assert_eq!((after, cost_usd), (None, Some(0.0)));
                    assert_eq!(detail, format!("the server answered {code}: no⟨U+202E⟩ such luck [secret]"));
                }
                CallError::Final { unjudged, cost_usd } => {
                    assert!(!retryable, "{code}");
                    assert_eq!((unjudged.cause, cost_usd), (Cause::Unavailable, Some(0.0)));
                }
            }
            assert_eq!(server.model_requests().len(), 1, "{code}");
        }
    }

    #[test]
    fn without_a_secure_connection_nothing_is_tried_again() {
        // It speaks HTTP where TLS is expected.
        let server = ModelServer::start(ModelScript::always(ScriptedReply::text("hi")));
        let secure = server.openai_base_url().replace("http://", "https://");
        let CallError::Final { unjudged, cost_usd } = post_to(&endpoint(&secure), far()).expect_err("no TLS") else {
            panic!("another attempt would not help");
        };
        assert_eq!((unjudged.cause, cost_usd), (Cause::Unavailable, Some(0.0)));
        assert!(unjudged.detail.contains("no secure connection"), "{unjudged}");
    }

    #[test]
    fn a_redirect_does_not_get_the_key() {
        let other = ModelServer::start(ModelScript::always(ScriptedReply::text("hi")));
        let to = format!("{}/chat/completions", other.openai_base_url());
        for code in [301, 302, 307, 308] {
            let server = ModelServer::start(ModelScript::always(status(code, &[("location", &to)], "")));
            assert!(matches!(post(&server, far()), Err(CallError::Final { .. })), "{code}");
        }
        assert_eq!(other.requests(), []);
    }

    #[test]
    fn a_used_up_account_is_not_waited_for() {
        let body = r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota"}}"#;
        let server = ModelServer::start(ModelScript::always(status(429, &[("retry-after", "1")], body)));
        assert!(matches!(post(&server, far()), Err(CallError::Final { .. })));
    }

    #[test]
    fn the_wait_is_read_from_seconds_and_dates() {
        let headers = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("retry-after", value.parse().expect("a header"));
            headers
        };
        let now = UNIX_EPOCH + Duration::from_secs(784_111_770);
        for (value, seconds) in [
            ("0", Some(0)),
            ("120", Some(120)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(7)),
            ("Sun, 06 Nov 1994 08:49:00 GMT", Some(0)),
            ("-1", None),
            ("soon", None),
            ("1.5", None),
            ("99999999999", None),
            ("Sun, 06 Nov 1994 08:49:37 CET", None),
            ("Sun, 32 Nov 1994 08:49:37 GMT", None),
            ("Sun, 06 Nov +994 08:49:37 GMT", None),
        ] {
            assert_eq!(wait_of(&headers(value), now), seconds.map(Duration::from_secs), "{value}");
        }
        assert_eq!(wait_of(&HeaderMap::new(), now), None);
        for (date, seconds) in [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799),
            ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800),
            ("Fri, 31 Dec 2100 12:00:00 GMT", 4_133_937_600),
        ] {
            assert_eq!(http_date(date), Some(seconds), "{date}");
        }
    }

    #[test]
    fn an_answer_is_read_up_to_its_limit() {
        let body = |bytes: usize| ModelServer::start(ModelScript::always(ScriptedReply::RawBody(" ".repeat(bytes))));
        assert_eq!(post(&body(RESPONSE_BYTES_MAX), far()).map(|body| body.len()), Ok(RESPONSE_BYTES_MAX));
        let error = post(&body(RESPONSE_BYTES_MAX + 1), far()).expect_err("too large");
        assert_eq!(error, CallError::too_large());
        assert_eq!(post(&body(2 * RESPONSE_BYTES_MAX), far()), Err(CallError::too_large()));
    }

    #[test]
    fn the_head_of_an_answer_has_a_limit() {
        let with_head = |bytes: usize| {
            let head = [("x-long", "y".repeat(bytes))];
            let headers = head.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>();
            post(&ModelServer::start(ModelScript::always(status(200, &headers, "{}"))), far())
        };
        assert!(with_head(64 * 1024).is_ok());
        let error = with_head(1 << 20).expect_err("too large");
        let says = |detail: &str| detail.contains("does not speak HTTP as it should");
        assert!(matches!(&error, CallError::Retryable { detail, .. } if says(detail)), "{error:?}");
    }

    #[test]
    fn nothing_lasts_longer_than_the_deadline() {
        for reply in [
            ScriptedReply::Hang,
            ScriptedReply::text("x".repeat(2_000)).slowly(1, 20),
            ScriptedReply::text("x").late(60_000),
        ] {
            let server = ModelServer::start(ModelScript::always(reply.clone()));
            let begin = Instant::now();
            assert_eq!(post(&server, begin + Duration::from_millis(300)), Err(CallError::timeout()), "{reply:?}");
            assert!(begin.elapsed() < Duration::from_secs(5), "{reply:?}: {:?}", begin.elapsed());
        }
        let server = ModelServer::start(ModelScript::of([]));
        assert_eq!(post(&server, Instant::now()), Err(CallError::timeout()));
        assert_eq!(server.requests(), []);
    }

    #[test]
    fn an_error_without_body_is_classified_by_status() {
        let busy = status(429, &[("retry-after", "7")], &"x".repeat(5_000)).slowly(1, 20);
        let server = ModelServer::start(ModelScript::always(busy));
        let begin = Instant::now();
        let error = post(&server, far()).expect_err("busy");
        assert!(begin.elapsed() < 10 * ERROR_TIME_MAX, "{:?}", begin.elapsed());
        let CallError::Retryable { after, busy, cost_usd, .. } = error else { panic!("{error:?}") };
        assert_eq!((after, busy, cost_usd), (Some(Duration::from_secs(7)), true, Some(0.0)));
    }

    #[test]
    fn a_key_is_hidden_in_whatever_letters_it_comes_back() {
        let secret = SecretText("sk-/1".to_owned());
        for body in [
            r#"{"error":{"message":"bad key sk-\/1"}}"#,
            r#"{"error":{"message":"bad key sk\u002d/1"}}"#,
            "bad key sk-/1",
        ] {
            assert_eq!(ErrorBody::read(body.as_bytes(), Some(&secret)).message, "bad key [secret]", "{body}");
        }
    }

    #[test]
    fn a_broken_connection_may_be_tried_again() {
        for reply in [ScriptedReply::DropConnection, ScriptedReply::text("x").cut_off(10)] {
            let server = ModelServer::start(ModelScript::always(reply));
            let error = post(&server, far()).expect_err("broken");
            assert!(matches!(error, CallError::Retryable { after: None, cost_usd: None, .. }), "{error:?}");
        }
        let server = ModelServer::start(ModelScript::of([]));
        let endpoint = endpoint(&server.openai_base_url());
        drop(server);
        let error = post_to(&endpoint, far()).expect_err("nobody is there");
        assert!(matches!(error, CallError::Retryable { cost_usd: Some(0.0), .. }), "{error:?}");
    }

    #[test]
    fn messages_are_found_in_the_usual_places() {
        for (body, message) in [
            (r#"{"error":{"message":"a"}}"#, "a"),
            (r#"{"error":"b"}"#, "b"),
            (r#"{"message":"c"}"#, "c"),
            (r#"{"detail":"d"}"#, "d"),
            ("<h1>e</h1>\n", "<h1>e</h1>"),
            ("", ""),
        ] {
            assert_eq!(ErrorBody::read(body.as_bytes(), None).message, message);
        }
        assert_eq!(ErrorBody::read("x".repeat(MESSAGE_BYTES_MAX).as_bytes(), None).message.len(), MESSAGE_BYTES_MAX);
        assert_eq!(
            ErrorBody::read("x".repeat(MESSAGE_BYTES_MAX + 1).as_bytes(), None).message.len(),
            MESSAGE_BYTES_MAX
        );
    }
}
