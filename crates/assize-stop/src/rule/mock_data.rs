//! Made-up data stands where a real result should be computed or fetched.

use std::sync::LazyLock;

use regex::Regex;
use assize_core::diff::FileChange;
use assize_core::finding::{Certainty, Severity};
use assize_ecosystem::{Language, is_code, is_generated, is_test};
use assize_core::path::is_example;
use assize_core::text::quote;

use super::reading::{DirectiveWish, CodeLine, MovedLines, DiffSide, read};
use super::{Findings, Needs, Rule};
use super::function_shape::whole_function;
use crate::claim::sentences;
use crate::evidence::Evidence;

/// See the module.
pub struct MockData;

impl Rule for MockData {
    fn id(&self) -> &'static str {
        "mock-data"
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(diff) = evidence.diff.get() else { return };
        let asked = DirectiveWish::new(evidence, &WANTED);
        let mut moved = MovedLines::new(diff);
        let glance = findings.glance;
        for file in glance.adding(&HINTS).filter(|file| is_productive(&file.path)) {
            check_file(file, &asked, &mut moved, findings);
        }
        if asks_for_service(evidence) {
            for file in glance.adding(&DELAYS).filter(|file| is_productive(&file.path)) {
                pretended_waits(file, findings);
            }
            for file in glance.adding(&FETCHES).filter(|file| is_productive(&file.path)) {
                pretended_answers(file, findings);
            }
        }
    }
}

static WANTED: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:mock(?:s|ed|up|ups|ing)?|fak(?:e|es|ed|er)|dummy|sample|samples|seed(?:s|ed)?|demo|prototype|stub(?:s|bed)?|placeholders?|lorem|fixtures?|hard-?cod(?:e|ed)|simulat[a-z]+)\b")
        .expect("valid pattern")
});

/// At least one of these stands in everything that the rule finds.
const HINTS: [&str; 24] = [
    "mock",
    "Mock",
    "MOCK",
    "fake",
    "Fake",
    "FAKE",
    "dummy",
    "Dummy",
    "DUMMY",
    "sample",
    "Sample",
    "SAMPLE",
    "lorem",
    "Lorem",
    "hardcoded",
    "Hardcoded",
    "hard-coded",
    "Hard-coded",
    "simulat",
    "Simulat",
    "@example.",
    "@test.",
    "n Doe",
    "n Smith",
];

/// At least one of these stands in every line that the rule finds, in lower case.
const LINE_HINTS: [&str; 14] = [
    "mock",
    "fake",
    "dummy",
    "sample",
    "lorem",
    "hardcoded",
    "hard-coded",
    "simulat",
    "made-up",
    "madeup",
    "@example.",
    "@test.",
    "n doe",
    "n smith",
];

/// Returns whether the file is to work in earnest.
fn is_productive(path: &str) -> bool {
    const ASIDE: [&str; 13] = [
        "mock", "fake", "fixture", "dummy", "stub", "sample", "seed", "demo", "storybook", "faker", "factory",
        "factorie",
        "testutil",
    ];
    let lower = path.to_ascii_lowercase();
    let mut words = lower.split(|character: char| !character.is_ascii_alphanumeric());
    let is_aside = words.any(|word| {
        let word = word.strip_suffix('s').unwrap_or(word);
        ASIDE.iter().any(|aside| word.starts_with(aside) || word.ends_with(aside))
    });
    is_code(path) && !is_generated(path) && !is_test(path) && !is_example(path) && !is_aside
}

fn check_file(file: &FileChange, asked: &DirectiveWish<'_>, moved: &mut MovedLines<'_>, findings: &mut Findings<'_>) {
    for lines in &read(file, DiffSide::New) {
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.changed && !line.in_test) {
            if !is_made_up(lines, index) || moved.take(line.raw) {
                continue;
            }
            let Some(certainty) = asked.soften(Certainty::Likely) else { continue };
            let message = format!(
                "{} looks like made-up data in place of a real result. Compute or fetch the result, or say in the final message that it is made up.",
                quote(line.raw)
            );
            findings.at(file, Some(line.number), Severity::Warning, certainty, message);
        }
    }
}

/// At least one of these stands in a line that waits.
const DELAYS: [&str; 4] = ["setTimeout", "sleep(", "delay(", "Delay("];

/// Returns whether the user wants something that others answer, and nothing in its place.
fn asks_for_service(evidence: &Evidence) -> bool {
    static SERVICE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:api|apis|endpoints?|server|backend|gateway|upstream|webservice|web service|rest|graphql|live data)\b").expect("valid pattern")
    });
    static PRETENDED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:mock\w*|fak(?:e|es|ed)|dummy|stub\w*|simulat\w*|prototype|placeholder\w*|seed\w*|fixtures?)\b").expect("valid pattern")
    });
    // What stands in for it in tests is another matter.
    let pretends = |sentence: &str| PRETENDED.is_match(sentence) && !sentence.to_lowercase().contains("test");
    let asks = evidence.user_texts().any(|text| SERVICE.is_match(text));
    asks && !evidence.user_texts().flat_map(sentences).any(pretends)
}

/// Finds functions that wait for a while, ask none, and return values that stand in the code: they play a service that answers.
fn pretended_waits(file: &FileChange, findings: &mut Findings<'_>) {
    static WAITS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)\bawait new Promise\([ -~]*setTimeout\(|\bawait (?:sleep|delay|wait|asyncio\.sleep|Task\.Delay|timers\.setTimeout)\(|^\s*(?:time\.|Thread\.|std::thread::|thread::)?sleep\(|\bdelay\([0-9]")
            .expect("valid pattern")
    });
    static ASKS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)fetch|axios|http|request|client|query|execut|socket|connect|\bsend|\bget\(|\bpost\(|invoke|subprocess|retry|attempt|poll|backoff|while\b")
            .expect("valid pattern")
    });
    const NEAR: usize = 10;
    for lines in &read(file, DiffSide::New) {
        for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.changed && !line.in_test) {
            if !WAITS.is_match(line.raw) {
                continue;
            }
            let indent = line.indent();
            let is_inside = |other: &&CodeLine<'_>| other.is_bare() || other.indent() >= indent;
            let below: Vec<&CodeLine<'_>> = lines[index + 1..].iter().take(NEAR).take_while(is_inside).collect();
            let above: Vec<&CodeLine<'_>> = lines[..index].iter().rev().take(NEAR).take_while(is_inside).collect();
            let waits_again = |code: &str| code.contains("await ") || code.contains("yield");
            let asks = above.iter().chain(&below).any(|other| ASKS.is_match(&other.code) || waits_again(&other.code));
            let returns = below.iter().any(|other| other.code.trim_start().starts_with("return ") || other.code.contains("resolve("));
            if asks || !returns {
                continue;
            }
            let message = format!(
                "{} waits, nothing is asked, and what is returned stands in the code: that plays a service that answers. Ask the real one, or say in the final message that it is made up.",
                quote(line.raw)
            );
            findings.at(file, Some(line.number), Severity::Error, Certainty::Certain, message);
        }
    }
}

/// At least one of these stands in the name of a function that asks others.
const FETCHES: [&str; 8] = ["fetch", "Fetch", "load", "Load", "request", "Request", "query", "download"];

/// Finds new functions that are named after asking somebody and hold nothing but the records that they return.
fn pretended_answers(file: &FileChange, findings: &mut Findings<'_>) {
    static RECORD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?-u)^(?:new )?[\w.]*[{(\[](?:[ -~]*["'0-9][ -~]*,){1,}[ -~]*[})\]],?$"#).expect("valid pattern")
    });
    static FRAME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)^(?:(?:return\b ?)?(?:await )?(?:Promise\.resolve\()?(?:\[|\{|listOf\(|List\.of\(|vec!\[|new [\w<>\[\]]+ ?\{?|Ok\(vec!\[)?|[\])}]+;?)$").expect("valid pattern")
    });
    const NAMES: [&str; 5] = ["fetch", "load", "request", "query", "download"];
    /// Fewest records that are no default.
    const RECORDS_MIN: usize = 2;
    let Some(language) = Language::of(&file.path) else { return };
    for lines in &read(file, DiffSide::New) {
        for open in (0..lines.len()).filter(|open| lines[*open].changed && !lines[*open].in_test) {
            let Some(function) = whole_function(lines, open, language) else { continue };
            let name = function.name.trim_start_matches('_').to_lowercase();
            let body: Vec<&str> = function.body.iter().filter(|line| !line.is_bare()).map(|line| line.raw.trim()).collect();
            let records = body.iter().filter(|line| RECORD.is_match(line)).count();
            let is_all = body.iter().all(|line| RECORD.is_match(line) || FRAME.is_match(line));
            if NAMES.iter().any(|word| name.starts_with(word)) && is_all && records >= RECORDS_MIN && function.body.iter().all(|line| line.changed) {
                let message = format!(
                    "The function {} asks none, and what it returns stands in the code: that plays a service that answers. Ask the real one, or say in the final message that it is made up.",
                    quote(&function.name)
                );
                findings.at(file, Some(lines[open].number), Severity::Error, Certainty::Certain, message);
            }
        }
    }
}

fn is_made_up(lines: &[CodeLine<'_>], index: usize) -> bool {
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        let noun = "(?:data|users?|items?|products?|orders?|responses?|results?|records?|rows?|values?|entries|payload|posts?|list|customers?|accounts?|messages?|events?|transactions?)";
        let title = "(?:Data|Users?|Items?|Products?|Orders?|Responses?|Results?|Records?|Rows?|Values?|Entries|Payload|Posts?|List|Customers?|Accounts?|Messages?|Events?|Transactions?)";
        Regex::new(&format!(
            r"\b(?:(?:get|create|generate|build|make)_?)?(?:(?:[Mm]ock|[Ff]ake|[Dd]ummy|[Ss]ample){title}|mock[A-Z][A-Za-z]*|mock_[a-z_]+|(?:mock|fake|dummy|sample)_{noun}|(?:MOCK|FAKE|DUMMY)_[A-Z]+|SAMPLE_(?:DATA|USERS|ITEMS|RESPONSES?|RESULTS?|RECORDS))\b"
        ))
        .expect("valid pattern")
    });
    static USE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\b(?:return|const|let|var|val|static|final|yield)\b|:?=[^=]|=>").expect("valid pattern")
    });
    let line = &lines[index];
    let lower = line.raw.to_ascii_lowercase();
    if !LINE_HINTS.iter().any(|hint| lower.contains(hint)) {
        return false;
    }
    if NAME.is_match(&line.code) && USE.is_match(&line.code) {
        return true;
    }
    if admits(lines, index) {
        return true;
    }
    // A string on its own documents.
    let shown = line.code.chars().any(char::is_alphanumeric);
    is_invented_person(lines, index) || shown && lower.contains("lorem ipsum")
}

/// A comment that calls the value beside it made up.
fn admits(lines: &[CodeLine<'_>], index: usize) -> bool {
    static ADMISSION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i)^(?:(?:return|use|using|generate|create)[a-z]*\s+)?(?:an? |some |the )?(?:(?:mock(?:ed)?|fake|dummy|made-?up)\b(?: (?:data|values?|results?|responses?|users?|list|for now|implementation|return|api).*)?",
            r"|sample data.*|hard-?coded(?: (?:for now|value|until|data).*)?)[.:]?$",
            r"|(?i)^simulat(?:e|es|ed|ing) (?:an? |the |some )?(?:api|network|server|backend|database|db|async|response|request|fetch|call|delay|processing|latency)",
        ))
        .expect("valid pattern")
    });
    let line = &lines[index];
    if line.comment.is_empty() || !ADMISSION.is_match(line.comment.trim()) {
        return false;
    }
    // A remark on its own line speaks of the code below it.
    !line.is_bare() || lines.get(index + 1).is_some_and(|next| !next.is_bare() && next.changed)
}

/// Whether a returned value holds an invented person or e-mail address.
fn is_invented_person(lines: &[CodeLine<'_>], index: usize) -> bool {
    static PERSON: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"["'`](?:(?:John|Jane) (?:Doe|Smith)|(?:user|test|admin|foo|john|jane|john\.doe|jane\.doe)[0-9]*@(?:example|test)\.(?:com|org|net))["'`]"#)
            .expect("valid pattern")
    });
    let line = &lines[index];
    if !PERSON.is_match(line.raw) || line.is_bare() {
        return false;
    }
    let lower = line.raw.to_ascii_lowercase();
    let shown = ["placeholder", "example:", "example=", "help", "label", "default", "hint", "description"]
        .iter()
        .any(|word| lower.contains(word));
    let returned = lines[index.saturating_sub(6)..=index].iter().any(|line| {
        let code = line.code.trim_start();
        code.contains("return") || code.ends_with("=> ({") || code.ends_with("=> [") || code.ends_with("Ok(vec![")
    });
    !shown && returned
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::directive::Directive;
    use crate::rule::testing::{changed, grades};
    use Certainty::Likely;

    fn check(path: &str, lines: &str) -> Vec<Certainty> {
        grades(&MockData, &changed(path, lines))
    }

    #[test]
    fn a_wait_before_values_of_the_code_plays_a_service() {
        let asked = |directive: &str, path: &str, lines: &str| {
            let mut evidence = changed(path, lines);
            evidence.directives.extend(Directive::from_prompt(directive, 1, Vec::new()));
            grades(&MockData, &evidence)
        };
        let wait = "+export async function beds(hut) {\n+  await new Promise((resolve) => setTimeout(resolve, 150));\n+  return HUTS[hut];\n+}\n";
        let python = "+async def beds(hut):\n+    await asyncio.sleep(0.2)\n+    return HUTS[hut]\n";
        for (directive, path, lines, expected) in [
            ("The API is live, hook it up.", "src/beds.js", wait, &[Certainty::Certain][..]),
            ("The API is live, hook it up.", "src/beds.py", python, &[Certainty::Certain]),
            ("Simulate the API until it is live.", "src/beds.js", wait, &[]),
            ("Let the animation end first.", "src/beds.js", wait, &[]),
            ("The API is slow, try again.", "src/beds.js", "+  await new Promise((resolve) => setTimeout(resolve, 150));\n+  return fetch(url);\n", &[]),
            ("The API is live.", "src/beds.test.js", wait, &[]),
        ] {
            assert_eq!(asked(directive, path, lines), expected, "{directive} {lines}");
        }
    }

    #[test]
    fn a_function_that_answers_for_a_service_is_reported() {
        let check = |directive: &str, lines: &str| {
            let mut evidence = changed("src/useLifts.js", lines);
            evidence.directives.extend(Directive::from_prompt(directive, 1, Vec::new()));
            grades(&MockData, &evidence)
        };
        let records = "+function fetchLifts() {\n+  return Promise.resolve([\n+    { id: 1, name: 'A', wait: 12 },\n+    { id: 2, name: 'B', wait: 0 },\n+  ]);\n+}\n";
        let wire = "Wire load() up to the lifts endpoint, you can stub fetch in the test";
        assert_eq!(check(wire, records), [Certainty::Certain]);
        assert_eq!(check("Mock the lifts endpoint for now", records), []);
        assert_eq!(check("Sort the lifts", records), [], "nobody is to be asked");
        let asks = "+function fetchLifts() {\n+  return fetch('/api/lifts').then((it) => it.json());\n+}\n";
        assert_eq!(check(wire, asks), []);
    }

    #[test]
    fn made_up_results_are_likely() {
        for (path, lines) in [
            ("src/api.ts", "+  return []; // mock\n"),
            ("src/api.ts", "+const mockUsers = [{ id: 1 }];\n"),
            ("src/api.py", "+    return fake_response\n"),
            ("src/api.py", "+    # Return mock data for now\n+    return {'total': 3}\n"),
            ("src/api.py", "+    return {'email': 'user@example.com'}\n"),
            ("src/api.ts", "+  return {\n+    name: 'John Doe',\n+  };\n"),
            ("src/api.ts", "+  return mockMembers;\n"),
            ("src/api.rs", "+    let dummy_data = vec![1, 2, 3];\n"),
            ("src/page.tsx", "+  <p>{\"Lorem ipsum dolor sit amet\"}</p>\n"),
            ("src/api.ts", "+  // Simulate API call\n+  await new Promise((done) => setTimeout(done, 500));\n"),
            ("pkg/a.go", "+\treturn sampleResults, nil\n"),
            ("src/A.java", "+    private static final List<User> MOCK_USERS = List.of();\n"),
            ("src/api.py", "+    return 42  # hardcoded\n"),
        ] {
            assert_eq!(check(path, lines), [Likely], "{lines}");
        }
    }

    #[test]
    fn what_was_asked_for_is_dropped() {
        let mut evidence = changed("src/api.ts", "+const mockUsers = [{ id: 1 }];\n");
        evidence.directives.extend(Directive::from_prompt("Build the page with mock data first", 1, Vec::new()));
        assert_eq!(grades(&MockData, &evidence), []);
    }

    #[test]
    fn counter_examples() {
        for (path, lines) in [
            ("src/api.test.ts", "+const mockUsers = [];\n"),
            ("src/__mocks__/api.ts", "+const mockUsers = [];\n"),
            ("src/mocks/handlers.ts", "+const mockUsers = [];\n"),
            ("examples/a.py", "+    return fake_response\n"),
            ("src/audio.py", "+    sample_rate = 44100\n+    sample_size = len(samples)\n"),
            ("src/quic.rs", "+const SAMPLE_LEN: usize = 16;\n"),
            ("src/stats.py", "+    dummies = pd.get_dummies(frame)\n"),
            ("src/a.rs", "+    // The sample is taken without replacement.\n+    let chosen = choose(rng);\n"),
            ("src/form.tsx", "+  <input placeholder=\"user@example.com\" />\n"),
            ("src/form.tsx", "+  return <input placeholder='John Doe' name=\"John Doe\" />;\n"),
            ("src/lib.rs", " mod tests {\n+        let dummy_data = vec![1];\n"),
            ("src/api.ts", "-const mockUsers = [];\n+  const mockUsers = [];\n"),
            ("docs/a.md", "+Lorem ipsum dolor\n"),
            ("src/linalg.py", "+    # Simulated annealing\n+    return anneal(x)\n"),
            ("src/a.py", "+    \"\"\"Returns mock data when offline.\"\"\"\n"),
            ("src/utils.py", "+    \"\"\"Generate some lorem ipsum.\"\"\"\n"),
            ("src/lib.rs", "+//! Sample values from an array.\n+pub fn sample() -> u8 {\n"),
            ("src/roots.py", "+    # hard-coded results for the fifth degree\n+    return table[n]\n"),
            ("prisma/seed.ts", "+const sampleUsers = [];\n"),
            ("src/a.go", "+\tif isMockResponse(x) {\n"),
        ] {
            assert_eq!(check(path, lines), [], "{path}: {lines}");
        }
    }
}
