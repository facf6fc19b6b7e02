//! One JSON request to a model server, within limits.
//!
//! Nothing is set up before the first call. A status is no error of its own: it is sorted into
//! what may be tried again and what may not. Redirects are not followed, because they would carry
//! the key to somebody else; proxies of the environment are used, but never for this very
//! machine. This module must not know what is asked.

use std::io::Read as _;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use assize_core::ruling::{Cause, Unjudged};
use assize_core::text::{head, make_visible};
use serde_json::Value;
use ureq::config::Config;
use ureq::http::{HeaderMap, Uri};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{Connector as _, DefaultConnector, NextTimeout};
use ureq::{Agent, Timeout};

use super::corked::Corking;
use super::{CallError, RESPONSE_BYTES_MAX, Secret, time_left};

/// How long a connection may take to come about.
pub(super) const CONNECT_TIME_MAX: Duration = Duration::from_secs(10);
/// Connections that are kept for the next call.
const CALLS_AT_ONCE_MAX: usize = 512;
/// Bytes that a connection has room for, each way, before they are sent or read.
const BUFFER_BYTES: usize = 32 * 1024;
/// Bytes that the head of an answer may have: it has to fit.
const HEAD_BYTES_MAX: usize = BUFFER_BYTES - 1;
/// How long a name stands for what it was found to stand for.
const NAME_HOLDS: Duration = Duration::from_secs(30);
/// Bytes of an error's body that are read.
const ERROR_BYTES_MAX: u64 = 64 * 1024;
/// Bytes of a server's message that are repeated.
const MESSAGE_BYTES_MAX: usize = 240;

/// Where requests go.
pub(super) struct Endpoint {
    url: String,
    loopback: bool,
    agent: OnceLock<Agent>,
}

/// Says what a person can do about an answer of the server, where that is known: given its status
/// and message.
pub(super) type Hint = fn(u16, &str) -> Option<&'static str>;

/// Checks the address of a server; returns it without a slash at its end.
///
/// # Errors
///
/// Says what is wrong with it, without repeating it: it may hold a password.
pub(super) fn check_base_url(base_url: &str) -> Result<String, String> {
    let wrong = |what: &str| Err(format!("base_url {what}"));
    let Ok(uri) = base_url.parse::<Uri>() else { return wrong("is no URL") };
    let Some(authority) = uri.authority().filter(|authority| !authority.host().is_empty()) else {
        return wrong("names no server");
    };
    if !matches!(uri.scheme_str(), Some("http" | "https")) {
        return wrong("does not begin with http:// or https://");
    }
    if authority.as_str().contains('@') {
        return wrong("holds a user name or password; put the key into a variable of the environment");
    }
    if base_url.contains(['?', '#']) {
        return wrong("has a query or a fragment");
    }
    Ok(base_url.trim_end_matches('/').to_owned())
}

impl Endpoint {
    /// Names a place on a server whose address was checked.
    pub(super) fn new(base_url: &str, path: &str) -> Self {
        let url = format!("{base_url}{path}");
        let loopback = url.parse::<Uri>().is_ok_and(|uri| uri.host().is_some_and(is_loopback));
        Self { url, loopback, agent: OnceLock::new() }
    }

    /// Sends a request and returns the body of the answer.
    ///
    /// # Errors
    ///
    /// Says why there is none, and whether another attempt could help.
    pub(super) fn post(
        &self,
        headers: &[(&str, &str)],
        secret: Option<&Secret>,
        body: &[u8],
        hint: Hint,
        deadline: Instant,
    ) -> Result<Vec<u8>, CallError> {
        let left = time_left(deadline).ok_or_else(CallError::timeout)?;
        let agent = self.agent.get_or_init(|| new_agent(self.loopback));
        let mut request = agent
            .post(&self.url)
            .config()
            .timeout_global(Some(left))
            .timeout_connect(Some(CONNECT_TIME_MAX.min(left)))
            .build()
            .header("content-type", "application/json")
            .header("accept", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut response = request.send(body).map_err(|error| failure(&error, left))?;
        let status = response.status().as_u16();
        if response.status().is_success() {
            let said = response.body().content_length().and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
            let mut body = Vec::with_capacity(said.min(RESPONSE_BYTES_MAX));
            let mut reader = response.body_mut().with_config().limit(RESPONSE_BYTES_MAX as u64 + 1).reader();
            let read = reader.read_to_end(&mut body).map_err(ureq::Error::from);
            read.map_err(|error| failure(&error, left))?;
            return if body.len() > RESPONSE_BYTES_MAX { Err(CallError::too_large()) } else { Ok(body) };
        }
        let after = wait_of(response.headers(), SystemTime::now());
        let body = response.body_mut().with_config().limit(ERROR_BYTES_MAX).read_to_vec().unwrap_or_default();
        let told = Told::read(&body, secret);
        Err(refusal(status, &told.message, told.is_final, hint(status, &told.message), after))
    }
}

fn new_agent(loopback: bool) -> Agent {
    let config = Agent::config_builder().http_status_as_error(false).max_redirects(0);
    // As many calls as there may be at a time go on over the connections of those before.
    let config = config.max_idle_connections(CALLS_AT_ONCE_MAX).max_idle_connections_per_host(CALLS_AT_ONCE_MAX);
    let config = if loopback { config.proxy(None) } else { config };
    let config = config.input_buffer_size(BUFFER_BYTES).output_buffer_size(BUFFER_BYTES);
    let config = config.max_response_header_size(HEAD_BYTES_MAX);
    let config = config.user_agent(concat!("assize/", env!("CARGO_PKG_VERSION"))).build();
    Agent::with_parts(config, DefaultConnector::default().chain(Corking), Remembering::default())
}

/// Looks names up, and remembers for a while what it found: the library looks anew for every request, in a thread of its own, also
/// where a connection is there already.
#[derive(Debug, Default)]
struct Remembering {
    inner: DefaultResolver,
    found: Mutex<Option<Found>>,
}

/// What a name stood for, and when that was looked up.
#[derive(Debug)]
struct Found {
    authority: String,
    addresses: Vec<SocketAddr>,
    at: Instant,
}

impl Resolver for Remembering {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let authority = uri.authority().map(ToString::to_string).unwrap_or_default();
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*found
            && known.authority == authority
            && known.at.elapsed() < NAME_HOLDS
        {
            let mut addresses = self.empty();
            known.addresses.iter().for_each(|address| addresses.push(*address));
            return Ok(addresses);
        }
        // Nobody waits for another one's name: whoever comes meanwhile looks it up as well.
        drop(found);
        let addresses = self.inner.resolve(uri, config, timeout)?;
        found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        *found = Some(Found { authority, addresses: addresses.to_vec(), at: Instant::now() });
        Ok(addresses)
    }
}

/// Returns whether a host is this very machine.
fn is_loopback(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
    match host.parse::<IpAddr>() {
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// Sorts what went wrong on the way. `left` is the time that the request had.
fn failure(error: &ureq::Error, left: Duration) -> CallError {
    let again = |detail: String, cost_usd| CallError::Retryable { after: None, busy: false, detail, cost_usd };
    match error {
        ureq::Error::Timeout(Timeout::Connect | Timeout::Resolve) if left > CONNECT_TIME_MAX => {
            again("the server cannot be reached: no connection in time".to_owned(), Some(0.0))
        }
        ureq::Error::Timeout(_) => CallError::timeout(),
        ureq::Error::BodyExceedsLimit(_) => CallError::too_large(),
        ureq::Error::HostNotFound => again("the server's name cannot be resolved".to_owned(), Some(0.0)),
        ureq::Error::ConnectionFailed => again("the server cannot be reached".to_owned(), Some(0.0)),
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
            again("the server refuses the connection; is it running?".to_owned(), Some(0.0))
        }
        ureq::Error::Io(error) => again(format!("the connection broke: {}", error.kind()), None),
        ureq::Error::Protocol(_) => again("the server does not speak HTTP as it should".to_owned(), None),
        // What a proxy says may repeat the password that is in its address.
        ureq::Error::ConnectProxyFailed(_) | ureq::Error::InvalidProxyUrl => {
            CallError::unavailable("the proxy of the environment does not let the request through")
        }
        error => CallError::unavailable(format!("the server cannot be asked: {error}")),
    }
}

/// Sorts an answer that is not a success.
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

/// What the body of an error tells.
#[derive(Debug, Default, PartialEq)]
struct Told {
    message: String,
    /// Whether waiting does not help.
    is_final: bool,
}

impl Told {
    fn read(body: &[u8], secret: Option<&Secret>) -> Self {
        let text = String::from_utf8_lossy(body);
        // Before anything is cut: half a key is a part of it, too.
        let text = secret.map_or_else(|| text.to_string(), |secret| secret.redact(&text));
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        let error = &value["error"];
        let message =
            [&error["message"], error, &value["message"], &value["detail"]].into_iter().find_map(Value::as_str);
        let line = message.unwrap_or(&text).split_whitespace().collect::<Vec<_>>().join(" ");
        Self {
            message: head(&make_visible(&line), MESSAGE_BYTES_MAX).to_owned(),
            is_final: ["code", "type"].iter().any(|field| error[field] == "insufficient_quota"),
        }
    }
}

/// Reads how long the server asks to be left alone: seconds, or a date.
fn wait_of(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = headers.get("retry-after")?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<u32>() {
        return Some(Duration::from_secs(seconds.into()));
    }
    let now_s = now.duration_since(UNIX_EPOCH).ok()?.as_secs();
    Some(Duration::from_secs(http_date(value)?.saturating_sub(now_s)))
}

/// Reads a date in the one form that may still be sent (RFC 9110, 5.6.7), as seconds since 1970.
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

/// An answer that has status 200 and is none all the same.
pub(super) fn not_an_answer(what: &str, secret: Option<&Secret>, body: &[u8]) -> CallError {
    let told = Told::read(body, secret).message;
    let unjudged = Unjudged::new(Cause::Unavailable, format!("the server did not send {what}: {told}"));
    CallError::Final { unjudged, cost_usd: None }
}

#[cfg(test)]
mod tests {
    use assize_testkit::model_server::{ModelServer, Reply, Script};
    use serde_json::json;

    use super::*;
    use crate::judge::testing::far;

    fn ask() -> Value {
        json!({"model": "m", "messages": [{"role": "user", "content": "?"}]})
    }

    fn post(server: &ModelServer, deadline: Instant) -> Result<Vec<u8>, CallError> {
        let endpoint = Endpoint::new(&server.openai_base_url(), "/chat/completions");
        let secret = Secret("sk-1".to_owned());
        endpoint.post(
            &[("authorization", "Bearer sk-1")],
            Some(&secret),
            ask().to_string().as_bytes(),
            |_, _| None,
            deadline,
        )
    }

    fn status(code: u16, headers: &[(&str, &str)], body: &str) -> Reply {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Reply::Status { code, headers, body: body.to_owned() }
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
        for host in
            ["localhost", "LOCALHOST", "a.localhost", "127.0.0.1", "127.8.9.1", "[::1]", "::1", "[::ffff:127.0.0.1]"]
        {
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
        // The environment of a running test cannot be changed; that of another one can.
        const VARIABLE: &str = "ASSIZE_TEST_PROXIED";
        let server = ModelServer::start(Script::always(Reply::text("hi")));
        if let Ok(url) = std::env::var(VARIABLE) {
            let endpoint = Endpoint::new(&url, "/chat/completions");
            endpoint.post(&[], None, ask().to_string().as_bytes(), |_, _| None, far()).expect("a direct answer");
            let elsewhere = new_agent(false);
            assert!(elsewhere.config().proxy().is_some(), "another machine is reached through the proxy");
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
            let server = ModelServer::start(Script::always(Reply::error(code, "no\u{202e}  such\nluck sk-1")));
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
    fn a_redirect_does_not_get_the_key() {
        let other = ModelServer::start(Script::always(Reply::text("hi")));
        let to = format!("{}/chat/completions", other.openai_base_url());
        for code in [301, 302, 307, 308] {
            let server = ModelServer::start(Script::always(status(code, &[("location", &to)], "")));
            assert!(matches!(post(&server, far()), Err(CallError::Final { .. })), "{code}");
        }
        assert_eq!(other.requests(), []);
    }

    #[test]
    fn a_used_up_account_is_not_waited_for() {
        let body = r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota"}}"#;
        let server = ModelServer::start(Script::always(status(429, &[("retry-after", "1")], body)));
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
        let body = |bytes: usize| ModelServer::start(Script::always(Reply::RawBody(" ".repeat(bytes))));
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
            post(&ModelServer::start(Script::always(status(200, &headers, "{}"))), far())
        };
        // Room for what else stands in a head.
        assert!(with_head(HEAD_BYTES_MAX - 1_000).is_ok());
        let error = with_head(HEAD_BYTES_MAX + 1).expect_err("too large");
        assert!(matches!(&error, CallError::Final { unjudged, .. } if unjudged.detail.contains("header")), "{error:?}");
        assert!(with_head(3 * HEAD_BYTES_MAX).is_err());
    }

    #[test]
    fn nothing_lasts_longer_than_the_deadline() {
        for reply in [Reply::Hang, Reply::text("x".repeat(2_000)).slowly(1, 20), Reply::text("x").late(60_000)] {
            let server = ModelServer::start(Script::always(reply.clone()));
            let begin = Instant::now();
            assert_eq!(post(&server, begin + Duration::from_millis(300)), Err(CallError::timeout()), "{reply:?}");
            assert!(begin.elapsed() < Duration::from_secs(5), "{reply:?}: {:?}", begin.elapsed());
        }
        let server = ModelServer::start(Script::of([]));
        assert_eq!(post(&server, Instant::now()), Err(CallError::timeout()));
        assert_eq!(server.requests(), []);
    }

    #[test]
    fn a_broken_connection_may_be_tried_again() {
        for reply in [Reply::DropConnection, Reply::text("x").cut_off(10)] {
            let server = ModelServer::start(Script::always(reply));
            let error = post(&server, far()).expect_err("broken");
            assert!(matches!(error, CallError::Retryable { after: None, cost_usd: None, .. }), "{error:?}");
        }
        let server = ModelServer::start(Script::of([]));
        let endpoint = Endpoint::new(&server.openai_base_url(), "/chat/completions");
        drop(server);
        let error =
            endpoint.post(&[], None, ask().to_string().as_bytes(), |_, _| None, far()).expect_err("nobody is there");
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
            assert_eq!(Told::read(body.as_bytes(), None).message, message);
        }
        assert_eq!(Told::read("x".repeat(MESSAGE_BYTES_MAX).as_bytes(), None).message.len(), MESSAGE_BYTES_MAX);
        assert_eq!(Told::read("x".repeat(MESSAGE_BYTES_MAX + 1).as_bytes(), None).message.len(), MESSAGE_BYTES_MAX);
    }
}
