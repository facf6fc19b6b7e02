//! The pages of `assize eval label` and `assize eval report` in a real browser: by keyboard alone, with text of
//! strangers, in both colour schemes, on a narrow screen and on paper. The ranking of `assize tournament` as well.
//!
//! They need Chromium and axe-core: `cargo xtask browser` finds both and runs these tests. `ASSIZE_SCREENSHOTS` names a
//! folder for pictures of what they see.

use std::cell::{Cell, OnceCell, RefCell};
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use serde_json::{Value, json};

/// How long anything that a test waits for may take.
const PATIENCE: Duration = Duration::from_secs(60);
/// How many notes a report is made of: enough for a rate to be corrected by what people say.
const NOTES: usize = 160;

/// A picture of one dot, which both pages may show.
const LAST: &str = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

const RUBRIC: &str = r#"
rubric = 1
id = "notes"
subject = "a note"

[record]
strata = ["kind"]

[[mode]]
id = "rude"
asks = "Is it polite?"
fails_if = ["It insults somebody."]

[[mode.example]]
shows = "You fool."
fails = true
because = "It insults whoever reads it."

[[mode]]
id = "vague"
asks = "Does it name what it speaks of?"
fails_if = ["It could be about anything."]
"#;

/// What strangers write. Each would show itself: by an element, a request, a dialog, or text that runs the wrong way.
const HOSTILE: [&str; 8] = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "--></textarea></style><svg onload=alert(3)>",
    "<a href=\"javascript:alert(4)\">here</a>",
    "\"><iframe src=http://evil.example/></iframe>' onfocus='alert(5)' autofocus x='",
    "\u{202e}txet sdrawkcab\u{202c} \u{2066}isolated\u{2069} zero\u{200b}width",
    "aWordThatIsTooLongForAnyScreenAndCannotBeBroken",
    "{{ data }} {{ title }} ${alert(6)} `alert(7)` <!--<script>",
];

fn hostile() -> String {
    HOSTILE.join(" ")
}

/// A folder with a rubric, records and what is said of them.
struct BrowserFixture {
    folder: tempfile::TempDir,
}

impl BrowserFixture {
    fn new(records: impl IntoIterator<Item = Value>) -> Self {
        let fixture = Self { folder: tempfile::tempdir().expect("a folder") };
        fixture.write("rubric.toml", RUBRIC);
        fixture.write("notes.jsonl", &lines(records));
        fixture
    }

    /// So many harmless notes, of four kinds.
    fn with_notes(count: usize) -> Self {
        let kinds = ["letter", "memo", "minutes", "post"];
        let text =
            |at: usize| format!("This is note {at}. It has a second sentence, so that there is something to read.");
        Self::new((0..count).map(|at| json!({"id": format!("n{at}"), "kind": kinds[at % 4], "text": text(at)})))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("written");
    }

    /// Verdicts of a judge on notes: every third is rude, every fourth vague, the last one is not judged.
    fn verdicts(&self, count: usize, reason: &str) {
        let label = |mode: &str, fails: bool, at: usize| {
            let reason = format!("{reason} ({mode} {at})");
            json!({"mode": mode, "label": u8::from(fails), "reason": reason})
        };
        let verdict = |at: usize| {
            let labels = [label("rude", at.is_multiple_of(3), at), label("vague", at.is_multiple_of(4), at)];
            json!({"id": format!("n{at}"), "labels": labels, "overall_quality_score": 1 + at % 5})
        };
        self.write("verdicts.jsonl", &lines((0..count - 1).map(verdict)));
    }

    /// Labels of half of the notes, by a person who is of another mind than the judge on every tenth.
    fn people(&self, count: usize) {
        let rude = |at: usize| u8::from(at.is_multiple_of(3) != at.is_multiple_of(10));
        let row = |at: usize| format!("n{at},{},{}\n", rude(at), u8::from(at.is_multiple_of(4)));
        let drawn = (0..count).filter(|at| at * 37 % count < count / 2);
        self.write("people.csv", &format!("id,rude,vague\n{}", drawn.map(row).collect::<String>()));
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assize"));
        command.arg("eval").args(arguments).current_dir(self.folder.path());
        command.env_clear().env("HOME", self.folder.path());
        command
    }

    /// Makes a report on a file as a page and returns its address, and the same as JSON.
    fn report(&self, data: &str, more: &[&str]) -> (String, Value) {
        let fixed = ["report", "rubric.toml", data, "--verdicts", "verdicts.jsonl"];
        let wanted = ["--output", "report.html", "--format", "json"];
        let output: Output = self.command(&[&fixed, more, &wanted].concat()).output().expect("the program runs");
        let report = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
        let page = fs::canonicalize(self.path("report.html")).expect("written");
        (format!("file://{}", page.display()), report)
    }

    /// A report on these notes, of which people have labelled half.
    fn whole_report(&self) -> (String, Value) {
        self.verdicts(NOTES, "A judge says so.");
        self.people(NOTES);
        self.report("notes.jsonl", &["--labels", "people.csv"])
    }

    /// The lines that are in the file of labels by now.
    fn labels(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("labels.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    }
}

fn lines(values: impl IntoIterator<Item = Value>) -> String {
    values.into_iter().map(|value| value.to_string() + "\n").collect()
}

/// The labelling page's server, until it is dropped.
struct LabelPageServer {
    child: Child,
    address: String,
}

impl LabelPageServer {
    fn start(fixture: &BrowserFixture, rater: &str) -> Self {
        let mut command = fixture.command(&["label", "rubric.toml", "notes.jsonl", "--rater", rater]);
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the program runs");
        let stderr = BufReader::new(child.stderr.take().expect("standard error"));
        let line = stderr.lines().map_while(Result::ok).find(|line| line.contains("http://")).expect("an address");
        Self { child, address: line.trim().to_owned() }
    }

    fn origin(&self) -> &str {
        self.address.split_once("#token=").expect("a token").0
    }
}

impl Drop for LabelPageServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a page did that its reader would not see.
#[derive(Debug, Default)]
struct PageActivity {
    requests: Vec<String>,
    /// Messages of the console, exceptions, dialogs, windows.
    troubles: Vec<String>,
}

/// A browser with one page. It speaks the DevTools protocol over a pair of pipes: JSON, each message ended by a zero.
struct BrowserPage {
    child: Child,
    commands: RefCell<ChildStdin>,
    messages: Receiver<Value>,
    calls: Cell<u64>,
    session: OnceCell<String>,
    seen: RefCell<PageActivity>,
    _home: tempfile::TempDir,
}

impl BrowserPage {
    fn new() -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let mut child = launch(home.path());
        let commands = RefCell::new(child.stdin.take().expect("a pipe"));
        let (send, messages) = mpsc::channel();
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        thread::spawn(move || {
            let read = answers.split(0).map_while(Result::ok);
            let _ = read.map_while(|message| serde_json::from_slice(&message).ok()).try_for_each(|one| send.send(one));
        });
        let (calls, session, seen) = (Cell::new(0), OnceCell::new(), RefCell::default());
        let page = Self { child, commands, messages, calls, session, seen, _home: home };
        let target = page.call("Target.createTarget", &json!({"url": "about:blank"}))["targetId"].clone();
        let attached = page.call("Target.attachToTarget", &json!({"targetId": target, "flatten": true}));
        page.session.set(attached["sessionId"].as_str().expect("a session").to_owned()).expect("the first");
        for domain in ["Page", "Network", "Log", "Runtime"] {
            page.call(&format!("{domain}.enable"), &json!({}));
        }
        page.size(1280, 900);
        page
    }

    fn send(&self, method: &str, arguments: &Value) -> u64 {
        let id = self.calls.get() + 1;
        self.calls.set(id);
        let mut message = json!({"id": id, "method": method, "params": arguments});
        if let Some(session) = self.session.get() {
            message["sessionId"] = json!(session);
        }
        let sent = self.commands.borrow_mut().write_all(format!("{message}\0").as_bytes());
        sent.unwrap_or_else(|error| panic!("{method}: {error}"));
        id
    }

    fn try_call(&self, method: &str, arguments: &Value) -> Result<Value, String> {
        let id = self.send(method, arguments);
        loop {
            let mut message = self.hear().unwrap_or_else(|error| panic!("{method}: {error}; {:?}", self.seen));
            if message["id"] == id {
                let error = &message["error"];
                return if error.is_null() { Ok(message["result"].take()) } else { Err(error.to_string()) };
            }
        }
    }

    /// Calls a method of the DevTools protocol.
    fn call(&self, method: &str, arguments: &Value) -> Value {
        self.try_call(method, arguments).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Takes the next message, and notes what it tells of the page.
    fn hear(&self) -> Result<Value, mpsc::RecvTimeoutError> {
        let message = self.messages.recv_timeout(PATIENCE)?;
        let (method, told) = (message["method"].as_str().unwrap_or_default(), &message["params"]);
        let mut seen = self.seen.borrow_mut();
        let url = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match method {
            "Network.requestWillBeSent" => seen.requests.push(url(&told["request"]["url"])),
            "Network.webSocketCreated" | "Network.webTransportCreated" => seen.requests.push(url(&told["url"])),
            "Runtime.consoleAPICalled"
            | "Runtime.exceptionThrown"
            | "Log.entryAdded"
            | "Page.windowOpen"
            | "Page.javascriptDialogOpening"
            | "Inspector.targetCrashed" => {
                seen.troubles.push(format!("{method}: {told}"));
            }
            _ => {}
        }
        if method == "Page.javascriptDialogOpening" {
            // An open dialog holds everything up.
            self.send("Page.handleJavaScriptDialog", &json!({"accept": true}));
        }
        Ok(message)
    }

    fn size(&self, width: u32, height: u32) {
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.call("Emulation.setDeviceMetricsOverride", &size);
    }

    fn media(&self, media: &str, scheme: &str) {
        let scheme = json!({"name": "prefers-color-scheme", "value": scheme});
        let still = json!({"name": "prefers-reduced-motion", "value": "reduce"});
        self.call("Emulation.setEmulatedMedia", &json!({"media": media, "features": [scheme, still]}));
    }

    fn go_offline(&self) {
        let nothing = json!({"offline": true, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1});
        self.call("Network.emulateNetworkConditions", &nothing);
    }

    /// Opens an address and waits until something is true of the page.
    fn open(&self, address: &str, ready: &str) {
        let opened = self.call("Page.navigate", &json!({"url": address}));
        assert!(opened["errorText"].is_null(), "{address}: {opened}");
        self.wait(ready);
    }

    /// Loads the page anew and waits until something is true of the new one.
    fn reload(&self, ready: &str) {
        self.read("window.isTheOldOne = true");
        self.call("Page.reload", &json!({}));
        self.wait(&format!("!window.isTheOldOne && ({ready})"));
    }

    fn try_read(&self, expression: &str) -> Result<Value, String> {
        let wanted = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let mut answer = self.try_call("Runtime.evaluate", &wanted)?;
        let thrown = &answer["exceptionDetails"];
        if thrown.is_null() { Ok(answer["result"]["value"].take()) } else { Err(thrown.to_string()) }
    }

    /// Reads something off the page.
    fn read(&self, expression: &str) -> Value {
        self.try_read(expression).unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    fn text(&self, selector: &str) -> String {
        let text = self.read(&format!("document.querySelector({})?.innerText ?? ''", json!(selector)));
        text.as_str().expect("a text").to_owned()
    }

    /// Waits until something is true of the page.
    fn wait(&self, condition: &str) {
        let begun = Instant::now();
        loop {
            let is = self.try_read(&format!("Boolean({condition})"));
            if is == Ok(json!(true)) {
                return;
            }
            if begun.elapsed() > PATIENCE {
                let text = self.try_read("document.body.innerText");
                panic!("never true: {condition}: {is:?}\n{text:?}\n{:?}", self.seen);
            }
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Presses keys, one after the other.
    fn press(&self, keys: &[&str]) {
        for key in keys {
            let (code, number, text) = match *key {
                "Enter" => ("Enter".to_owned(), 13, "\r"),
                "Escape" => ("Escape".to_owned(), 27, ""),
                "ArrowUp" => ("ArrowUp".to_owned(), 38, ""),
                "ArrowDown" => ("ArrowDown".to_owned(), 40, ""),
                "?" => ("Slash".to_owned(), 191, "?"),
                letter => (format!("Key{}", letter.to_uppercase()), letter.to_uppercase().as_bytes()[0], letter),
            };
            let code = if key.parse::<u8>().is_ok() { format!("Digit{key}") } else { code };
            let kind = if text.is_empty() { "rawKeyDown" } else { "keyDown" };
            let mut event =
                json!({"type": kind, "key": key, "code": code, "windowsVirtualKeyCode": number, "text": text});
            self.call("Input.dispatchKeyEvent", &event);
            event["type"] = json!("keyUp");
            self.call("Input.dispatchKeyEvent", &event);
        }
    }

    /// Types a text, character by character; what the keys do else is for `press`.
    fn type_text(&self, text: &str) {
        for one in text.chars().map(String::from) {
            self.call("Input.dispatchKeyEvent", &json!({"type": "keyDown", "key": one, "text": one}));
            self.call("Input.dispatchKeyEvent", &json!({"type": "keyUp", "key": one}));
        }
    }

    /// Fails if the page asked for anything but these addresses, or if there was any trouble.
    fn kept_to(&self, may_ask: &dyn Fn(&str) -> bool) {
        // Once the last request is seen, so are those before it.
        self.read(&format!("void (new Image().src = '{LAST}')"));
        self.wait_to_see("the last request", &|seen| seen.requests.iter().any(|url| url == LAST));
        let seen = self.seen.borrow();
        let strange: Vec<_> = seen.requests.iter().filter(|url| !url.starts_with("data:") && !may_ask(url)).collect();
        assert!(strange.is_empty() && seen.troubles.is_empty(), "{strange:#?} {:#?}", seen.troubles);
        assert!(seen.requests.iter().any(|url| may_ask(url)), "nothing was seen at all");
    }

    fn wait_to_see(&self, what: &str, is_there: &dyn Fn(&PageActivity) -> bool) {
        while !is_there(&self.seen.borrow()) {
            self.hear().unwrap_or_else(|error| panic!("not seen: {what}: {error}: {:?}", self.seen));
        }
    }

    /// Makes the page do what it must not do, and fails unless that is seen: `kept_to` is not blind.
    fn shows_what_it_must_not_do(&self, ready: &str) {
        let trouble = |what: &str| self.wait_to_see(what, &|seen| seen.troubles.iter().any(|one| one.contains(what)));
        let image = "void (new Image().src = 'http://control.invalid/image')";
        self.read(image);
        trouble("Content Security Policy");
        self.read("console.error('a control')");
        trouble("a control");
        self.read("void setTimeout(() => { throw new Error('thrown as a control'); })");
        trouble("thrown as a control");
        self.read("void setTimeout(() => alert('shown as a control'))");
        trouble("shown as a control");
        self.call("Page.setBypassCSP", &json!({"enabled": true}));
        self.reload(ready);
        self.read(image);
        self.wait_to_see("a request", &|seen| seen.requests.iter().any(|url| url == "http://control.invalid/image"));
    }

    /// Puts a picture of the whole page into the folder that is named for them.
    fn picture(&self, name: &str) {
        if std::env::var_os(PICTURES).is_none() {
            return;
        }
        let size = "[innerWidth, innerHeight, document.documentElement.scrollHeight]";
        let [width, height, whole]: [u32; 3] = serde_json::from_value(self.read(size)).expect("a size");
        // What is not on the screen is not drawn.
        self.size(width, whole);
        let frame = "await new Promise(requestAnimationFrame);";
        self.read(&format!("(async () => {{ {} return true; }})()", frame.repeat(3)));
        let picture = self.call("Page.captureScreenshot", &json!({"format": "png"}));
        self.size(width, height);
        keep(name, &bytes(&picture["data"]));
    }

    /// The page as it is printed.
    fn paper(&self) -> Vec<u8> {
        bytes(&self.call("Page.printToPDF", &json!({}))["data"])
    }

    /// What axe finds wrong, as rules and places.
    fn barriers(&self) -> Vec<String> {
        let path = required("ASSIZE_AXE");
        let axe = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        self.read(&format!("{axe}; void 0"));
        let found = self.read(
            "axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations.flatMap((rule) => \
             rule.nodes.map((node) => `${rule.id}: ${node.target.join(' ')}: ${node.failureSummary}`)))",
        );
        found.as_array().expect("a list").iter().map(|one| one.as_str().unwrap_or_default().to_owned()).collect()
    }
}

impl Drop for BrowserPage {
    fn drop(&mut self) {
        // Its own end takes all its processes along, and nothing writes into its folder any more.
        let _ = self.commands.borrow_mut().write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(10) {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The folder for pictures.
const PICTURES: &str = "ASSIZE_SCREENSHOTS";

fn keep(name: &str, picture: &[u8]) {
    let Some(folder) = std::env::var_os(PICTURES) else { return };
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(Path::new(&folder).join(name), picture).expect("written");
}

fn bytes(base64: &Value) -> Vec<u8> {
    base64::prelude::BASE64_STANDARD.decode(base64.as_str().expect("a text")).expect("base64")
}

fn required(variable: &str) -> PathBuf {
    let missing = || panic!("{variable} is not set; `cargo xtask browser` sets it");
    PathBuf::from(std::env::var_os(variable).unwrap_or_else(missing))
}

/// As a program without a screen, with no way out by any name, with a mouse, and with scroll bars that take no room.
const ARGUMENTS: [&str; 12] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--no-first-run",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--lang=en",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
    "--remote-debugging-pipe",
];

/// Starts Chromium with a home of its own and an empty environment. It reads from descriptor 3 and writes to 4.
fn launch(home: &Path) -> Child {
    let mut command = Command::new("sh");
    command.args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 0</dev/null 1>/dev/null"]).arg(required("ASSIZE_CHROMIUM"));
    command.args(ARGUMENTS).arg(format!("--user-data-dir={}", home.join("profile").display())).arg("about:blank");
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", home).env("TMPDIR", home);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().expect("a shell")
}

/// What holds of the labelling page when this record can be labelled.
fn shows(at: usize) -> String {
    format!("document.querySelector('#record h2')?.textContent === 'n{at}' && {RESTS}")
}

const RESTS: &str = "document.querySelector('#main').getAttribute('aria-busy') === 'false'";
const ALL_DONE: &str = "/^All \\d+ records are labelled/.test(document.querySelector('#full-title')?.textContent)";
/// What holds of the report when all its charts are drawn.
const DRAWN: &str = "document.querySelector('#foot p') && [...document.querySelectorAll('.chart')].every((chart) => \
                     chart.querySelector('svg')) && document.querySelector('.chart')";

/// What is to be typed for a record: is it rude, is it vague.
fn wanted(at: usize) -> (u8, u8) {
    (u8::from(at.is_multiple_of(3)), u8::from(at % 4 == 1))
}

/// Labels the record on the page, by keys that differ from record to record.
fn label_by_keys(page: &BrowserPage, at: usize) {
    let key = |label: u8| ["p", "f"][usize::from(label)];
    let digit = |label: u8| ["0", "1"][usize::from(label)];
    let (rude, vague) = wanted(at);
    match at {
        // Labels wrongly, changes its mind, and looks at the keys and the examples on the way.
        4 => page.press(&["f", "?", "Escape", "x", "e", "u", "p", "ArrowDown", key(vague)]),
        // Up and down, and what is left passes.
        6 => page.press(&["j", "k", key(rude), "a"]),
        at if at % 2 == 0 => page.press(&[key(rude), "j", key(vague)]),
        _ => page.press(&[digit(rude), "ArrowDown", digit(vague)]),
    }
}

#[test]
#[ignore = "needs Chromium: cargo xtask browser"]
fn records_are_labelled_by_keyboard_alone() {
    let fixture = BrowserFixture::with_notes(20);
    fixture.verdicts(20, "WHAT-THE-JUDGE-SAYS");
    let server = LabelPageServer::start(&fixture, "ann");
    let page = BrowserPage::new();
    page.open(&server.address, &shows(0));
    let of = |at: usize| {
        let labels = fixture.labels();
        let line = labels.iter().find(|line| line["id"] == format!("n{at}")).cloned().unwrap_or_default();
        (line["labels"]["rude"].clone(), line["labels"]["vague"].clone(), line["note"].clone())
    };
    for at in 0..20 {
        page.wait(&shows(at));
        assert_eq!(
            page.read("document.querySelectorAll('.mode.fails, .mode.passes').length"),
            0,
            "nothing is suggested"
        );
        assert!(!page.read("document.documentElement.outerHTML").to_string().contains("WHAT-THE-JUDGE-SAYS"));
        label_by_keys(&page, at);
        if at == 9 {
            page.press(&["c"]);
            page.type_text("Hm: f, p & \u{201e}n\u{201c}?");
            page.press(&["Escape"]);
        }
        if at == 13 {
            page.press(&["c", "x", "Escape", "u"]);
        }
        let next = if at == 19 { ALL_DONE.to_owned() } else { shows(at + 1) };
        page.press(&["Enter"]);
        page.wait(&next);
        let note = if at == 9 { json!("Hm: f, p & \u{201e}n\u{201c}?") } else { json!(null) };
        assert_eq!(
            of(at),
            (json!(wanted(at).0), json!(wanted(at).1), note),
            "it is in the file before the page goes on"
        );
        if at == 11 {
            page.reload(&shows(12));
            assert_eq!(page.text("#progress-text"), "12 of 20 done");
        }
        if at == 14 {
            // Back by three records, another label there, and on again.
            page.press(&["b"]);
            page.wait(&shows(14));
            page.press(&["b"]);
            page.wait(&shows(13));
            page.press(&["b"]);
            page.wait(&shows(12));
            assert_eq!(of(12).0, 1);
            page.press(&["k", "p", "Enter"]);
            page.wait(&shows(15));
        }
    }
    assert_eq!(of(12), (json!(0), json!(wanted(12).1), json!(null)), "what was changed later");
    let labels = fixture.labels();
    assert_eq!(labels.len(), 20, "{labels:?}");
    assert!(labels.iter().all(|line| line["rater"] == "ann"), "{labels:?}");
    page.reload(ALL_DONE);
    assert_eq!(page.text("#progress-text"), "20 of 20 done");
    assert_eq!(fixture.labels(), labels, "to look changes nothing");
    page.kept_to(&|url| url.starts_with(server.origin()));
}

/// Fails if anything on the page was made of what strangers wrote, or if that cannot be read there.
fn holds_only_text(page: &BrowserPage, place: &str, scripts: usize) {
    let made = "img, iframe, object, embed, base, form[action], a[href^='javascript:'], [onerror], [onload], \
                [onfocus], [autofocus]";
    assert_eq!(page.read(&format!("document.querySelectorAll({}).length", json!(made))), 0);
    assert_eq!(page.read("document.scripts.length"), scripts);
    let text = page.read(&format!("document.querySelector('{place}').textContent"));
    let text = text.as_str().expect("a text");
    for hostile in HOSTILE.iter().filter(|hostile| hostile.is_ascii()) {
        assert!(text.contains(hostile), "{hostile} is not to be read in {text}");
    }
    assert!(text.contains("txet sdrawkcab"), "{text}");
    let unseen = "/[\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]/\
                  .exec(document.title + document.body.innerText)?.input ?? null";
    assert_eq!(page.read(unseen), json!(null), "what turns text around is written out");
}

fn hostile_fixture() -> BrowserFixture {
    let id = |at: usize| format!("n{at} {}", hostile());
    let note = |at: usize| json!({"id": id(at), "kind": hostile(), "text": hostile(), hostile(): [hostile()]});
    let fixture = BrowserFixture::new((0..2).map(note));
    let quoted = json!(hostile()).to_string();
    let rubric = RUBRIC.replace("\"a note\"", &quoted).replace("\"It insults somebody.\"", &quoted);
    let rubric = rubric.replace("\"Is it polite?\"", &quoted).replace("\"You fool.\"", &quoted);
    fixture.write("rubric.toml", &rubric);
    let verdict = |at: usize| {
        let label = |mode: &str| json!({"mode": mode, "label": 1, "reason": hostile()});
        json!({"id": id(at), "labels": [label("rude"), label("vague")], "overall_quality_score": 1})
    };
    fixture.write("verdicts.jsonl", &lines((0..2).map(verdict)));
    fixture
}

#[test]
#[ignore = "needs Chromium: cargo xtask browser"]
fn what_strangers_wrote_stays_text_when_it_is_labelled() {
    let fixture = hostile_fixture();
    let server = LabelPageServer::start(&fixture, &hostile());
    let page = BrowserPage::new();
    page.open(
        &server.address,
        &format!("document.querySelector('#record h2')?.textContent.startsWith('n0') && {RESTS}"),
    );
    for place in ["#record", "#record h2", "#record dl", "#mode-list", "#subject", "#who", "#jump"] {
        holds_only_text(&page, place, 1);
    }
    page.press(&["e", "f", "j", "p", "c"]);
    page.type_text(HOSTILE[0]);
    page.size(360, 800);
    fits(&page, "label", 360);
    page.press(&["Escape", "Enter"]);
    page.wait(&format!("document.querySelector('#record h2')?.textContent.startsWith('n1') && {RESTS}"));
    holds_only_text(&page, "#record", 1);
    page.press(&["b"]);
    page.wait(&format!("document.querySelector('#record h2')?.textContent.startsWith('n0') && {RESTS}"));
    assert_eq!(page.read("document.querySelector('#note').value"), HOSTILE[0]);
    page.kept_to(&|url| url.starts_with(server.origin()));
}

#[test]
#[ignore = "needs Chromium: cargo xtask browser"]
fn what_strangers_wrote_stays_text_in_a_report() {
    let fixture = hostile_fixture();
    let file = "<img src=x onerror=alert(8)> &amp; \u{202e}eman.jsonl";
    fs::rename(fixture.path("notes.jsonl"), fixture.path(file)).expect("renamed");
    let (address, _) = fixture.report(file, &["--by", "kind"]);
    let page = BrowserPage::new();
    page.open(&address, DRAWN);
    page.read("[...document.querySelectorAll('details')].forEach((one) => { one.open = true; })");
    page.wait("document.querySelectorAll('.record .reasons li').length === 4");
    assert!(page.text("h1").starts_with("<img src=x onerror=alert(8)> &amp; "), "{}", page.text("h1"));
    for place in ["#r0", "#r0 .body", "#r1 .reasons", "#modes", "#meta"] {
        holds_only_text(&page, place, 3);
    }
    page.size(360, 800);
    page.wait(DRAWN);
    fits(&page, "report", 360);
    page.kept_to(&|url| url == address);
}

#[test]
#[ignore = "needs Chromium: cargo xtask browser"]
fn the_labelling_page_asks_nobody_but_its_own_server() {
    let fixture = BrowserFixture::with_notes(2);
    let server = LabelPageServer::start(&fixture, "ann");
    let page = BrowserPage::new();
    page.open(&server.address, &shows(0));
    page.press(&["a", "Enter"]);
    page.wait(&shows(1));
    page.press(&["f", "a", "Enter"]);
    page.wait(ALL_DONE);
    page.kept_to(&|url| url.starts_with(server.origin()));
    assert!(!page.read("location.href").to_string().contains("token"), "the token does not stay in the address");
    page.shows_what_it_must_not_do(ALL_DONE);
}

#[test]
#[ignore = "needs Chromium: cargo xtask browser"]
fn a_report_asks_nobody_for_anything() {
    let fixture = BrowserFixture::with_notes(NOTES);
    let (address, _) = fixture.whole_report();
    let page = BrowserPage::new();
    page.go_offline();
    page.open(&address, DRAWN);
    page.read("[...document.querySelectorAll('details')].forEach((one) => { one.open = true; })");
    page.wait("document.querySelector('.record .reasons li')");
    page.kept_to(&|url| url == address);
    page.shows_what_it_must_not_do(DRAWN);
}

/// How well a text can be told from what is behind it, by WCAG; the least of all these elements.
const CONTRAST: &str = "((selector) => {
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const parts = (color) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = (color) => {
        const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        const [r, g, b] = color.map((part) => linear(part / 255));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (node) => {
        if (!node) return [255, 255, 255];
        const color = parts(getComputedStyle(node).backgroundColor);
        return color[3] === 255 ? color : behind(node.parentElement);
    };
    return Math.min(...[...document.querySelectorAll(selector)].map((node) => {
        const [one, other] = [light(parts(getComputedStyle(node).color)), light(behind(node))];
        return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    }));
})";

/// Fails if anything makes the page wider than the screen.
fn fits(page: &BrowserPage, name: &str, width: u32) {
    let widths = "[document.documentElement.scrollWidth, document.body.scrollWidth, innerWidth]";
    let widths: Vec<u32> = serde_json::from_value(page.read(widths)).expect("numbers");
    let out = "[...document.body.querySelectorAll('*')].filter((one) => \
               one.getBoundingClientRect().right > innerWidth && \
               !one.closest('.scroll, .chart, .out')).map((one) => `${one.localName}#${one.id}.${one.className}`)";
    let fits = widths[0] <= width && widths[1] <= width && widths[2] == width;
    assert!(fits, "{name} {widths:?}: sticks out: {}", page.read(out));
}

/// Looks at a page in both colour schemes, on a narrow screen and on paper. `settled` is true of it when all is drawn.
fn looks_right(page: &BrowserPage, name: &str, texts: &str, settled: &str) {
    let mut backgrounds = Vec::new();
    for scheme in ["light", "dark"] {
        page.media("screen", scheme);
        page.wait(settled);
        fits(page, name, 1280);
        let contrast = page.read(&format!("{CONTRAST}({})", json!(texts))).as_f64().expect("there is text");
        assert!(contrast >= 4.5, "{name} {scheme}: contrast {contrast}");
        let behind = "[document.body, document.documentElement].map((node) => getComputedStyle(node).backgroundColor)";
        backgrounds.push(page.read(behind));
        page.picture(&format!("{name}-{scheme}.png"));
    }
    assert_ne!(backgrounds[0], backgrounds[1], "{name}: dark is not light");
    for (scheme, width) in [("light", 320), ("dark", 360), ("light", 360)] {
        page.media("screen", scheme);
        page.size(width, 800);
        page.wait(&format!("innerWidth === {width} && ({settled})"));
        fits(page, name, width);
        page.picture(&format!("{name}-narrow{}.png", if scheme == "dark" { "-dark" } else { "" }));
    }
    page.size(1280, 900);
    page.media("print", "dark");
    page.wait(settled);
    page.picture(&format!("{name}-print.png"));
    page.media("", "light");
    let paper = page.paper();
    let sheets = paper.windows(12).filter(|part| part.starts_with(b"/Type /Page") && part[11] != b's').count();
    assert!(paper.starts_with(b"%PDF-") && sheets >= 1, "{name}: {sheets} sheets");
    keep(&format!("{name}.pdf"), &paper);
}

#[test]
#[ignore = "needs Chromium: cargo xtask browser"]
fn the_labelling_page_looks_right_in_any_light_and_size() {
    let fixture = BrowserFixture::with_notes(20);
    let server = LabelPageServer::start(&fixture, "ann");
    let page = BrowserPage::new();
    page.open(&server.address, &shows(0));
    page.press(&["f", "e"]);
    let texts = "body, .quiet, #record dt, #record dd, .mode h3, .mode li, .option span, .example, button, footer p";
    looks_right(&page, "label", texts, RESTS);
    page.press(&["?"]);
    page.wait("document.querySelector('#keys').open");
    page.picture("label-keys.png");
    page.press(&["Escape", "Enter"]);
    page.wait(&shows(1));
    page.kept_to(&|url| url.starts_with(server.origin()));
}

#[test]
#[ignore = "needs Chromium: cargo xtask browser"]
fn a_report_looks_right_in_any_light_and_size() {
    let fixture = BrowserFixture::with_notes(NOTES);
    let (address, _) = fixture.whole_report();
    let page = BrowserPage::new();
    page.media("screen", "light");
    page.open(&address, DRAWN);
    let drawn = format!(
        "({DRAWN}) && [...document.querySelectorAll('.chart svg')].every((chart) => {{ \
         const [box, place] = [chart.getBoundingClientRect(), chart.closest('.chart')]; \
         return box.width > 100 && box.height > 30 && box.width <= place.scrollWidth; }})"
    );
    let texts = "body, p, td, th, dt, dd, summary, .quiet, .outcome, nav a, button, select, footer";
    looks_right(&page, "report", texts, &drawn);
    let charts = page.read("document.querySelectorAll('.chart svg').length").as_u64();
    assert!(charts >= Some(3), "rates, fields and modes that fail together: {charts:?}");
    page.kept_to(&|url| url == address);
}

#[test]
#[ignore = "needs Chromium: cargo xtask browser"]
fn the_labelling_page_has_no_barriers() {
    let fixture = BrowserFixture::with_notes(2);
    let server = LabelPageServer::start(&fixture, "ann");
    let page = BrowserPage::new();
    page.open(&server.address, &shows(0));
    let free = |state: &str| {
        for (scheme, width) in [("light", 1280), ("dark", 1280), ("light", 360)] {
            page.media("screen", scheme);
            page.size(width, 800);
            let barriers = page.barriers();
            assert!(barriers.is_empty(), "{state}, {scheme}, {width}: {barriers:#?}");
        }
    };
    free("a record");
    page.press(&["f", "e", "j", "p"]);
    free("a record with labels");
    page.press(&["?"]);
    page.wait("document.querySelector('#keys').open");
    free("the keys");
    page.press(&["Escape", "Enter"]);
    page.wait(&shows(1));
    page.press(&["a", "Enter"]);
    page.wait(ALL_DONE);
    free("the end");
    page.read("document.querySelector('#main').insertAdjacentHTML('beforeend', '<img src=\"data:,\">')");
    assert!(!page.barriers().is_empty(), "axe sees a picture without a word for it");
}

#[test]
#[ignore = "needs Chromium: cargo xtask browser"]
fn a_report_has_no_barriers() {
    let fixture = BrowserFixture::with_notes(NOTES);
    let (address, _) = fixture.whole_report();
    let page = BrowserPage::new();
    page.open(&address, DRAWN);
    let free = |state: &str| {
        for (scheme, width) in [("light", 1280), ("dark", 1280), ("light", 360)] {
            page.media("screen", scheme);
            page.size(width, 800);
            page.wait(DRAWN);
            let barriers = page.barriers();
            assert!(barriers.is_empty(), "{state}, {scheme}, {width}: {barriers:#?}");
        }
    };
    free("as it opens");
    page.read("[...document.querySelectorAll('details')].forEach((one) => { one.open = true; })");
    page.wait("document.querySelector('.record .reasons li')");
    free("with all records open");
}

#[test]
#[ignore = "needs Chromium: cargo xtask browser"]
fn a_report_shows_its_figures_and_why_records_fail() {
    let fixture = BrowserFixture::with_notes(NOTES);
    let (address, report) = fixture.whole_report();
    let page = BrowserPage::new();
    page.open(&address, DRAWN);
    let figures = page.read(
        "Object.fromEntries([...document.querySelectorAll('.figures > div')].map((one) => \
         [one.querySelector('dt').textContent, one.querySelector('dd').firstChild.textContent]))",
    );
    let tally = &report["tally"];
    for name in ["records", "accepted", "rejected", "unjudged"] {
        assert_eq!(figures[name], tally[name].to_string(), "{name}: {figures}");
    }
    assert!(tally["rejected"].as_u64() > Some(0) && tally["unjudged"] == 1, "{tally}");
    let percent = |value: &Value| format!("{:.1}", value.as_f64().expect("a number") * 100.0);
    let rates = page.text("#rates table");
    for rate in report["rates"].as_array().expect("rates") {
        let of = |kind: &str| {
            let estimate = &rate[kind];
            let [value, low, high] = ["value", "low", "high"].map(|name| percent(&estimate[name]));
            format!("{value}\u{202f}%\n{low} to {high}")
        };
        let row = page.read(&format!(
            "[...document.querySelectorAll('#rates tbody tr')].find((row) => row.cells[0].innerText === {})?.innerText",
            rate["name"]
        ));
        let row = row.as_str().unwrap_or_else(|| panic!("{} is not in {rates}", rate["name"]));
        assert!(row.contains(&of("judge")), "{rate}: {row}");
        assert!(rate["corrected"].is_null() || row.contains(&of("corrected")), "{rate}: {row}");
    }
    let records = report["records"].as_array().expect("records");
    assert_eq!(page.read("document.querySelectorAll('.record').length"), records.len());
    page.read("[...document.querySelectorAll('.record')].forEach((one) => { one.open = true; })");
    // What is not on the screen has no text.
    page.size(1280, 30_000);
    page.wait("[...document.querySelectorAll('.record')].every((one) => one.querySelector('.body')?.innerText)");
    let shown = page.read("[...document.querySelectorAll('.record')].map((one) => one.innerText)");
    for (record, shown) in records.iter().zip(shown.as_array().expect("texts")) {
        let shown = shown.as_str().expect("a text");
        assert!(shown.contains(record["id"].as_str().expect("a name")), "{record}: {shown}");
        for mode in record["modes"].as_array().expect("modes").iter().filter(|mode| mode["outcome"] == "reject") {
            let reason = mode["reason"].as_str().expect("a reason");
            let mode = mode["mode"].as_str().expect("a mode");
            assert!(shown.contains(reason) && shown.contains(mode), "{reason}: {shown}");
        }
    }
}

#[test]
#[ignore = "needs Chromium: cargo xtask browser"]
fn a_ranking_of_four_is_seen_whole_in_a_narrow_window() {
    let repo = assize_testkit::repo::Repo::empty();
    repo.write("assize.toml", "[review]\nrequire = []\n[gates]\nsandbox = \"off\"\n");
    repo.write("a.txt", "one\n");
    repo.commit("base");
    let names = ["a-candidate-with-a-long-name", "b", "c", "d"];
    for name in names {
        repo.git(&["checkout", "--quiet", "-b", name, "main"]);
        repo.write("a.txt", &format!("{name}\n"));
        repo.commit(name);
    }
    let ranking = repo.outside().join("ranking.html");
    let mut command = Command::new(env!("CARGO_BIN_EXE_assize"));
    command.args(["tournament", "--base", "main", "--html"]).arg(&ranking).args(names).current_dir(repo.path());
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default()).env("HOME", repo.outside());
    let output = command.output().expect("the program runs");
    assert!(ranking.is_file(), "{output:?}");
    let page = BrowserPage::new();
    page.open(&format!("file://{}", ranking.display()), "document.querySelectorAll('tbody tr').length === 4");
    let is_whole =
        "(() => { const it = document.querySelector('.scroll'); return it.scrollWidth <= it.clientWidth; })()";
    for width in [1_100, 800] {
        page.size(width, 900);
        page.picture(&format!("ranking-{width}"));
        assert_eq!(page.read(is_whole), json!(true), "{width}");
    }
}
