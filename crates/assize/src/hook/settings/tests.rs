//! Settings files of all kinds, and that nothing of theirs is lost.

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::Value as Json;

use super::super::tests::PROGRAM;
use super::super::{ADAPTERS, Adapter, adapter};
use super::*;

fn claude() -> &'static dyn Adapter {
    adapter("claude-code").unwrap()
}

fn installed(text: &str) -> String {
    claude().install(text, Path::new(PROGRAM)).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// How many hooks an agent needs.
fn needed(adapter: &dyn Adapter) -> usize {
    let alone = adapter.install("", Path::new(PROGRAM)).unwrap();
    alone.matches(&format!("hook {}", adapter.id())).count()
}

/// Checks that there is a way to our hooks and back, for every agent.
fn check_way_back(text: &str) {
    for adapter in ADAPTERS {
        let id = adapter.id();
        let there = adapter.install(text, Path::new(PROGRAM)).unwrap_or_else(|error| panic!("{id}: {error}: {text:?}"));
        assert_eq!(adapter.install(&there, Path::new(PROGRAM)).unwrap(), there, "{id}: twice is not once: {text:?}");
        assert_eq!(adapter.uninstall(&there).unwrap(), text, "{id}: {there}");
        let moved = adapter.install(&there, Path::new("/a b/it's/assize")).unwrap();
        assert_eq!(moved.matches(&format!("hook {id}")).count(), needed(*adapter), "{id}: {moved}");
        assert_eq!(adapter.uninstall(&moved).unwrap(), text, "{id}: {moved}");
    }
}

#[test]
fn empty_things_stay_what_they_were() {
    let things = [
        "",
        "\n",
        "\r\n",
        "  ",
        "\n\n",
        "/* none */",
        "// none\n",
        "// none\r\n",
        "\u{feff}",
        "\u{feff}{}",
        "{}",
        "{}\n",
        "{ }",
        "{\n}",
        "{\n}\n",
        "{\r\n}\r\n",
        "{\n\n}",
        "{\n\n\n  }",
        "{\r}",
        "{ // none\n}",
        "{ // none\r}",
        "{/* none */}",
        "{\n  // none\n}",
        "{\t}",
        "  {}",
        "\n{}\n",
        "{/*/ not yet the end, } */}",
        "{}\n// end",
        "// start\n{}",
        "{\"hooks\":{}}",
        "{\"hooks\": {}}\n",
        "{\"hooks\": {\n}}",
        "{\n  \"hooks\": {}\n}\n",
        "{\n  \"hooks\": {\n  }\n}\n",
        "{\n\n  \"hooks\": {}\n}",
        "{\n  \"hooks\": { // none\n  }\n}\n",
        "{\n  \"hooks\": {\n    // none yet\n  }\n}\n",
        "{\r\n\t\"hooks\": {\r\n\t}\r\n}",
        "{\"version\": 1}",
        "{\"version\":1,\"hooks\":{}}",
        "{\"hooks\":{},\"version\":1}",
        "{\n  \"hooks\": {},\n  \"version\": 1\n}\n",
        "{\n  \"version\": 1\n}\n",
        "{\"version\": 2}",
    ];
    for thing in things {
        check_way_back(thing);
    }
}

#[test]
fn empty_lists_of_events_stay() {
    for event in ["SessionStart", "Stop", "AfterAgent", "stop", "sessionEnd"] {
        for list in ["[]", "[ ]", "[\n]", "[\n\n    ]", "[ // none\n ]", "[/**/]", "[\r\n]"] {
            check_way_back(&format!("{{\"hooks\": {{\"{event}\": {list}}}}}"));
            check_way_back(&format!("{{\n  \"hooks\": {{\n    \"{event}\": {list},\n  }}\n}}\n"));
            check_way_back(&format!("{{\n  \"hooks\": {{\n    \"{event}\": {list} // mine\n  }}, \"version\": 1\n}}"));
        }
    }
}

#[test]
fn comments_stay_with_what_they_are_about() {
    let text = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": []} // mine\n      /* last */\n    ] // all\n  } // hooks\n}\n";
    assert_eq!(
        installed(text),
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": []}, // mine\n      /* last */\n      \
         {\"hooks\": [{\"type\": \"command\", \"command\": \"/opt/assize/bin/assize hook claude-code\", \"timeout\": 600}]}\n    \
         ], // all\n    \
         \"SessionStart\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"/opt/assize/bin/assize hook claude-code\", \"timeout\": 30}]}],\n    \
         \"UserPromptSubmit\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"/opt/assize/bin/assize hook claude-code\", \"timeout\": 30}]}],\n    \
         \"PreToolUse\": [{\"matcher\": \"Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit|mcp__.*\", \"hooks\": [{\"type\": \"command\", \"command\": \"/opt/assize/bin/assize hook claude-code\", \"timeout\": 30}]}],\n    \
         \"PostToolUse\": [{\"matcher\": \"Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit|mcp__.*\", \"hooks\": [{\"type\": \"command\", \"command\": \"/opt/assize/bin/assize hook claude-code\", \"timeout\": 30}]}],\n    \
         \"PostToolUseFailure\": [{\"matcher\": \"Bash|PowerShell|Write|Edit|MultiEdit|NotebookEdit|mcp__.*\", \"hooks\": [{\"type\": \"command\", \"command\": \"/opt/assize/bin/assize hook claude-code\", \"timeout\": 30}]}],\n    \
         \"SubagentStop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"/opt/assize/bin/assize hook claude-code\", \"timeout\": 600}]}],\n    \
         \"SessionEnd\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"/opt/assize/bin/assize hook claude-code\", \"timeout\": 10}]}]\n  \
         } // hooks\n}\n"
    );
    check_way_back(text);
}

#[test]
fn trailing_commas_stay_the_only_ones() {
    for text in [
        "{\"a\": 1,}",
        "{\r\"a\": 1\r// one\r}",
        "{\n  \"a\": 1,\n}\n",
        "{\n  \"a\": 1, // one\n}\n",
        "{\n  \"a\": 1 // one\n  ,\n}\n",
        "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": []},\n    ],\n  },\n}\n",
        "{\"hooks\":{\"Stop\":[{\"hooks\":[]} , /* x */ ],},}",
    ] {
        check_way_back(text);
    }
    assert!(serde_json::from_str::<Json>(&installed("{\n\t\"a\": {\"b\": []}\n}")).is_ok());
}

#[test]
fn a_way_that_others_walk_too() {
    // Somebody added an entry behind ours, another in our group, and one in front.
    let text = "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"first\"}]}\n    ]\n  }\n}\n";
    let ours = "{\"hooks\": [{\"type\": \"command\", \"command\": \"/opt/assize/bin/assize hook claude-code\", \"timeout\": 600}]}";
    let theirs = "{\"hooks\": [{\"type\": \"command\", \"command\": \"last\"}]}";
    let more = installed(text).replacen(ours, &format!("{ours},\n      {theirs}"), 1);
    let left = claude().uninstall(&more).unwrap();
    assert_eq!(
        left,
        text.replace(
            "\"first\"}]}",
            "\"first\"}]},\n      {\"hooks\": [{\"type\": \"command\", \"command\": \"last\"}]}"
        )
    );

    let shared = installed("{}").replacen(
        "\"timeout\": 600}]",
        "\"timeout\": 600}, {\"type\": \"command\", \"command\": \"x\"}]",
        1,
    );
    let left: Json = serde_json::from_str(&claude().uninstall(&shared).unwrap()).unwrap();
    assert_eq!(left, serde_json::json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}));
}

#[test]
fn comments_that_others_wrote_near_ours_swallow_nothing() {
    let fresh = installed("");
    for (from, to) in [
        ("{\n  \"hooks\"", "{ // mine\n  \"hooks\""),
        ("{\n  \"hooks\"", "{ // mine\n\n  \"hooks\""),
        ("\"hooks\": {\n", "\"hooks\": { // mine\n"),
        ("\"hooks\": {\n", "\"hooks\": { // mine\n\n"),
        ("\"Stop\": [", "\"Stop\": [ // mine\n"),
        ("\"Stop\": [", "\"Stop\": [ // mine\n\n"),
        ("\"timeout\": 600}]}]", "\"timeout\": 600}]} // mine\n]"),
        ("\"timeout\": 600}]}]", "\"timeout\": 600}]}, // mine\n\"other\"]"),
        ("\"Stop\": [", "\"Stop\": [{}, // mine\n"),
        ("\"timeout\": 10}]}]\n  }", "\"timeout\": 10}]}] // mine\n }"),
        ("\"timeout\": 10}]}]\n  }", "\"timeout\": 10}]}], // mine\n }"),
        ("}\n}\n", "} // mine\n}\n"),
        ("}\n}\n", "}} // mine\n"),
    ] {
        let text = fresh.replacen(from, to, 1);
        assert_ne!(text, fresh, "{from}");
        let left = claude().uninstall(&text).unwrap();
        assert!(left.contains("// mine"), "{text} became {left}");
        assert!(!left.contains("assize"), "{text} became {left}");
        assert_eq!(left.contains("\"other\""), text.contains("\"other\""), "{text} became {left}");
        assert!(claude().install(&left, Path::new(PROGRAM)).is_ok(), "{text} became {left}");
    }
}

#[test]
fn a_formatter_may_have_been_here() {
    let text = installed("{\"model\": \"opus\"}");
    let value: Json = serde_json::from_str(&text).unwrap();
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    let left: Json = serde_json::from_str(&claude().uninstall(&pretty).unwrap()).unwrap();
    assert_eq!(left, serde_json::json!({"model": "opus"}));
    let compact = serde_json::to_string(&value).unwrap();
    assert_eq!(claude().uninstall(&compact).unwrap(), "{\"model\":\"opus\"}");
}

#[test]
fn entries_of_ours_are_known_by_their_command() {
    let claude_entry = |entry: &str| format!("{{\"hooks\": {{\"Stop\": [{{\"hooks\": [{entry}]}}]}}}}");
    for command in [
        "assize hook claude-code",
        "/usr/bin/assize hook claude-code",
        "'/a b/assize' hook claude-code",
        "\\\"/a b/assize\\\"  hook  claude-code ",
        "/a/assize.exe hook claude-code",
        "/a/assize -C /b hook claude-code",
    ] {
        let text = claude_entry(&format!("{{\"type\": \"command\", \"command\": \"{command}\"}}"));
        assert_eq!(claude().uninstall(&text).unwrap(), "", "{command}");
    }
    let exec = claude_entry("{\"command\": \"/a b/assize\", \"args\": [\"hook\", \"claude-code\"]}");
    assert_eq!(claude().uninstall(&exec).unwrap(), "");
    for command in [
        "assize hook codex",
        "assize hook claude-code --verbose",
        "/a/assize-old hook claude-code",
        "sh -c 'assize hook claude-code'",
        "run assize hook claude-code",
        "assize",
        "hook claude-code",
        "'assize hook claude-code",
    ] {
        let text = claude_entry(&format!("{{\"type\": \"command\", \"command\": \"{command}\"}}"));
        assert_eq!(claude().uninstall(&text).unwrap(), text, "{command}");
    }
}

#[test]
fn what_a_person_changed_about_an_entry_is_kept() {
    let tuned = installed("{}").replace("\"timeout\": 600", "\"timeout\": 900, \"statusMessage\": \"Judging\"");
    let moved = claude().install(&tuned, Path::new("/new/assize")).unwrap();
    assert_eq!(moved, tuned.replace(PROGRAM, "/new/assize"));
}

#[test]
fn entries_that_are_too_many_go_and_odd_ones_are_written_anew() {
    let entry = "{\"hooks\": [{\"type\": \"command\", \"command\": \"/old/assize hook claude-code\"}]}";
    let text = format!(
        "{{\"hooks\": {{\"Stop\": [{entry}, {entry}], \"PreCompact\": [{entry}], \"SessionEnd\": [{{\"hooks\": [{{\"command\": \"/old/assize\", \"args\": [\"hook\", \"claude-code\"]}}]}}]}}}}"
    );
    let fresh = installed(&text);
    assert_eq!(fresh.matches("assize hook claude-code").count(), needed(claude()), "{fresh}");
    assert!(!fresh.contains("/old/") && !fresh.contains("PreCompact") && !fresh.contains("args"), "{fresh}");
    assert_eq!(claude().uninstall(&fresh).unwrap(), "");
}

#[test]
fn other_agents_and_others_hooks_are_left_alone() {
    let text = "{\"hooks\": {\"enabled\": true, \"disabled\": [\"a\"], \"Stop\": [1, null, {\"hooks\": {}}, {\"hooks\": [\"x\"]}], \"X\": {}}}";
    assert_eq!(claude().uninstall(text).unwrap(), text);
    assert_eq!(claude().uninstall(&installed(text)).unwrap(), text);
    let both = adapter("codex").unwrap().install(&installed("{}"), Path::new(PROGRAM)).unwrap();
    assert_eq!(claude().uninstall(&both).unwrap().matches("hook codex").count(), 4);
}

#[test]
fn what_cannot_be_understood_is_said_and_where() {
    for (text, detail) in [
        ("{\n  \"a\": 1\n  \"b\": 2\n}", "line 2, column 9: expected comma"),
        ("{\"a\":\n", "line 2, column 1: expected value after colon in object property"),
        ("[]", "line 1, column 1: the file is not an object"),
        ("\"text\"", "line 1, column 1: the file is not an object"),
        ("{} {}", "line 1, column 4: text cannot contain more than one JSON value"),
        ("{'a': 1}", "line 1, column 2: single-quoted strings are not allowed"),
        ("{\n\t\"hooks\": []\n}", "line 2, column 11: `hooks` is not an object"),
        ("{\"hooks\": null}", "line 1, column 11: `hooks` is not an object"),
        ("{\"hooks\": {\"Stop\": {}}}", "line 1, column 20: `hooks.Stop` is not a list"),
        ("{\"ä\": 1,\n \"hooks\": {}, \"hoo\\u006bs\": {}}", "line 2, column 15: `hooks` is there twice"),
        ("{\"hooks\": {\"Stop\": [], \"Stop\": []}}", "line 1, column 24: `Stop` is there twice"),
    ] {
        let expected = Err(error(detail.to_owned()));
        assert_eq!(claude().install(text, Path::new(PROGRAM)), expected, "{text}");
        assert_eq!(claude().uninstall(text), expected, "{text}");
    }
    let open = "// a comment and no more";
    let detail = "line 1, column 25: the comment needs a line end";
    assert_eq!(claude().install(open, Path::new(PROGRAM)), Err(error(detail.to_owned())));
    assert_eq!(claude().uninstall(open).unwrap(), open);
    let message = claude().install("[]", Path::new(PROGRAM)).unwrap_err().to_string();
    assert_eq!(message, "the settings cannot be changed: line 1, column 1: the file is not an object");
}

#[test]
fn depth_and_size_have_limits() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let detail = claude().install(&format!("{{\"a\": {deep}}}"), Path::new(PROGRAM)).unwrap_err().detail;
    assert!(detail.ends_with("maximum nesting depth exceeded"), "{detail}");

    let room = SETTINGS_BYTES_MAX - installed("{}").len();
    let at = installed(&format!("{{}}{}", " ".repeat(room)));
    assert_eq!(at.len(), SETTINGS_BYTES_MAX);
    assert_eq!(claude().uninstall(&at).unwrap().len(), room + 2);
    for past in [format!("{{}}{}", " ".repeat(room + 1)), " ".repeat(SETTINGS_BYTES_MAX + 1)] {
        let detail = claude().install(&past, Path::new(PROGRAM)).unwrap_err().detail;
        assert_eq!(detail, format!("the file has more than {SETTINGS_BYTES_MAX} bytes"));
    }
}

#[test]
fn entries_of_ours_have_a_limit() {
    let with = |count: usize| {
        let entry = "{\"hooks\": [{\"command\": \"assize hook claude-code\"}]}";
        format!("{{\"hooks\": {{\"Stop\": [{}]}}}}", vec![entry; count].join(","))
    };
    assert_eq!(claude().uninstall(&with(ENTRIES_MAX)).unwrap(), "");
    let detail = claude().uninstall(&with(ENTRIES_MAX + 1)).unwrap_err().detail;
    assert_eq!(detail, format!("there are more than {ENTRIES_MAX} entries of ours"));
}

#[test]
fn a_program_that_would_not_be_found_again_is_refused() {
    for (program, detail) in [
        ("assize", "the path of the program is not absolute: assize"),
        ("/usr/bin/judge", "the program has to be called assize for its hooks to be found again: /usr/bin/judge"),
        ("/a\0b/assize", "the path of the program has a zero byte: /a\0b/assize"),
    ] {
        assert_eq!(claude().install("{}", Path::new(program)), Err(error(detail.to_owned())));
    }
}

#[cfg(unix)]
#[test]
fn a_shell_runs_the_program_whatever_its_path() {
    for folder in [
        "plain",
        "with space",
        "it's",
        "a \"b\"",
        "$HOME",
        "a;b",
        "back\\slash",
        "ünï",
        "new\nline",
        "!x",
        "#x",
        "~",
        "*",
    ] {
        let program = format!("/{folder}/assize");
        let text = claude().install("", Path::new(&program)).unwrap();
        let value: Json = serde_json::from_str(&text).unwrap();
        let command = value["hooks"]["Stop"][0]["hooks"][0]["command"].as_str().unwrap();
        let script = format!("for word in {command}; do printf '%s|' \"$word\"; done");
        let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{program}|hook|claude-code|"));
        assert_eq!(claude().uninstall(&text).unwrap(), "", "{program}");
    }
}

/// A document of any formatting. `Style` says how odd it may be.
#[derive(Debug, Clone)]
enum SampleNode {
    Leaf(String),
    List(Vec<SampleNode>),
    Object(Vec<(String, SampleNode)>),
}

#[derive(Debug, Clone, Copy)]
struct SampleStyle {
    newline: &'static str,
    comments: bool,
    trailing_commas: bool,
}

fn leaf() -> impl Strategy<Value = SampleNode> {
    prop_oneof![
        Just("true".to_owned()),
        Just("null".to_owned()),
        any::<i16>().prop_map(|number| number.to_string()),
        prop_oneof!["[ -~]{0,6}", Just("// no comment, \"quoted\" {[".to_owned()), Just("é\n".to_owned())]
            .prop_map(|text| json(&text)),
    ]
    .prop_map(SampleNode::Leaf)
}

fn node() -> impl Strategy<Value = SampleNode> {
    leaf().prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(SampleNode::List),
            proptest::collection::vec(("[a-z]{1,3}", inner), 0..4).prop_map(SampleNode::Object),
        ]
    })
}

fn text(text: &str) -> SampleNode {
    SampleNode::Leaf(json(text))
}

/// Entries of others, in the way of any agent.
fn entries() -> impl Strategy<Value = SampleNode> {
    let entry = prop_oneof!["[a-z./ -]{1,12}", Just("assize hook emacs".to_owned()), Just("assize judge".to_owned())]
        .prop_map(|command| {
            SampleNode::Object(vec![("type".to_owned(), text("command")), ("command".to_owned(), text(&command))])
        });
    let group = proptest::collection::vec(entry.clone(), 0..3).prop_map(|entries| {
        SampleNode::Object(vec![("matcher".to_owned(), text("*")), ("hooks".to_owned(), SampleNode::List(entries))])
    });
    proptest::collection::vec(prop_oneof![entry, group, leaf()], 0..3).prop_map(SampleNode::List)
}

fn hooks() -> impl Strategy<Value = SampleNode> {
    const EVENTS: [&str; 8] =
        ["SessionStart", "Stop", "SessionEnd", "AfterAgent", "stop", "beforeSubmitPrompt", "PreToolUse", "Odd"];
    proptest::sample::subsequence(EVENTS.to_vec(), 0..5).prop_shuffle().prop_flat_map(|events| {
        let length = events.len();
        proptest::collection::vec(entries(), length).prop_map(move |entries| {
            SampleNode::Object(events.iter().map(|event| (*event).to_owned()).zip(entries).collect())
        })
    })
}

fn document() -> impl Strategy<Value = SampleNode> {
    let version =
        prop_oneof![Just("1".to_owned()), Just("2".to_owned()), Just("1.0".to_owned())].prop_map(SampleNode::Leaf);
    let others = proptest::collection::vec(("[a-z]{4,6}", node()), 0..3);
    (others, proptest::option::of(hooks()), proptest::option::of(version)).prop_flat_map(
        |(mut fields, hooks, version)| {
            fields.retain(|(key, _)| key != "hooks");
            fields.extend(hooks.map(|hooks| ("hooks".to_owned(), hooks)));
            fields.extend(version.map(|version| ("version".to_owned(), version)));
            Just(fields).prop_shuffle().prop_map(SampleNode::Object)
        },
    )
}

fn style() -> impl Strategy<Value = SampleStyle> {
    (prop_oneof![Just("\n"), Just("\r\n"), Just("\n"), Just("\r")], any::<bool>(), any::<bool>())
        .prop_map(|(newline, comments, trailing_commas)| SampleStyle { newline, comments, trailing_commas })
}

/// Writes a document with white space and comments that `odds` decides on, byte by byte.
struct Writer<'a> {
    style: SampleStyle,
    odds: std::iter::Cycle<std::slice::Iter<'a, u8>>,
    out: String,
}

impl Writer<'_> {
    fn odd(&mut self) -> u8 {
        self.odds.next().copied().unwrap_or(0)
    }

    fn gap(&mut self) {
        for _ in 0..self.odd() % 3 {
            let newline = self.style.newline;
            match self.odd() % 12 {
                0..=2 => self.out.push_str(newline),
                3 | 4 => self.out.push_str("  "),
                5 => self.out.push('\t'),
                6 => self.out.push(' '),
                7 => write!(self.out, "{newline}    ").unwrap(),
                8 => write!(self.out, "{newline}{newline}\t").unwrap(),
                9 if self.style.comments => write!(self.out, "// a comment, \"with\" }}]{newline}").unwrap(),
                10 if self.style.comments => self.out.push_str("/* a, comment {[ */"),
                11 if self.style.comments => write!(self.out, "/* lines{newline}// */").unwrap(),
                _ => {}
            }
        }
    }

    fn items(&mut self, open: char, close: char, length: usize, mut each: impl FnMut(&mut Self, usize)) {
        self.out.push(open);
        for index in 0..length {
            self.gap();
            each(self, index);
            self.gap();
            if index + 1 < length || (self.style.trailing_commas && self.odd().is_multiple_of(2)) {
                self.out.push(',');
            }
        }
        self.gap();
        self.out.push(close);
    }

    fn node(&mut self, node: &SampleNode) {
        match node {
            SampleNode::Leaf(text) => self.out.push_str(text),
            SampleNode::List(items) => self.items('[', ']', items.len(), |writer, index| writer.node(&items[index])),
            SampleNode::Object(fields) => self.items('{', '}', fields.len(), |writer, index| {
                let (key, value) = &fields[index];
                writer.out.push_str(&json(key));
                writer.gap();
                writer.out.push(':');
                writer.gap();
                writer.node(value);
            }),
        }
    }
}

fn written(node: &SampleNode, style: SampleStyle, odds: &[u8]) -> String {
    let mut writer = Writer { style, odds: odds.iter().cycle(), out: String::new() };
    writer.gap();
    writer.node(node);
    writer.gap();
    writer.out
}

/// Drops comments and trailing commas.
fn strict(text: &str) -> Json {
    fn plain(value: &Value<'_>) -> Json {
        match value {
            Value::NullKeyword(_) => Json::Null,
            Value::BooleanLit(literal) => literal.value.into(),
            Value::NumberLit(literal) => literal.value.into(),
            Value::StringLit(literal) => literal.value.as_ref().into(),
            Value::Array(array) => array.elements.iter().map(plain).collect(),
            Value::Object(object) => object
                .properties
                .iter()
                .map(|property| (property.name.as_str().to_owned(), plain(&property.value)))
                .collect(),
        }
    }
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default()).unwrap();
    parsed.value.as_ref().map_or(Json::Null, plain)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn there_is_a_way_back_from_any_document(
        node in document(),
        style in style(),
        odds in proptest::collection::vec(any::<u8>(), 1..60),
    ) {
        check_way_back(&written(&node, style, &odds));
    }

    #[test]
    fn ours_is_there_and_all_else_is_what_it_was(
        node in document(),
        style in style(),
        odds in proptest::collection::vec(any::<u8>(), 1..60),
        which in 0..ADAPTERS.len(),
    ) {
        let adapter = ADAPTERS[which];
        let text = written(&node, style, &odds);
        let there = adapter.install(&text, Path::new(PROGRAM)).unwrap();
        let ours = format!("{PROGRAM} hook {}", adapter.id());
        prop_assert_eq!(there.matches(&ours).count(), needed(adapter));
        for comment in ["// a comment, \"with\" }]", "/* a, comment {[ */", "/* lines"] {
            prop_assert_eq!(there.matches(comment).count(), text.matches(comment).count());
        }
        if serde_json::from_str::<Json>(&text).is_ok() {
            prop_assert!(serde_json::from_str::<Json>(&there).is_ok(), "no longer strict: {}", there);
        }
    }

    #[test]
    fn any_text_is_understood_or_refused(text in "[{}\\[\\]\",:/* \n\r\thoksStp1]{0,40}") {
        if let Ok(there) = claude().install(&text, Path::new(PROGRAM)) {
            prop_assert_eq!(claude().uninstall(&there).unwrap(), text);
        }
    }

    /// Others may do what they like to a file that has our entries, as long as it is JSON.
    #[test]
    fn a_changed_file_loses_nothing_of_theirs(
        node in document(),
        style in style(),
        odds in proptest::collection::vec(any::<u8>(), 1..60),
        which in 0..ADAPTERS.len(),
        at in any::<proptest::sample::Index>(),
        what in prop_oneof![Just("\n"), Just(" "), Just("/* new */"), Just("// new\n"), Just("\n\n"), Just("\t\n")],
    ) {
        let adapter = ADAPTERS[which];
        let there = adapter.install(&written(&node, style, &odds), Path::new(PROGRAM)).unwrap();
        let mut changed = there.clone();
        let mut at = at.index(there.len());
        while !there.is_char_boundary(at) {
            at -= 1;
        }
        changed.insert_str(at, what);
        let Ok(left) = adapter.uninstall(&changed) else { return Ok(()) };
        let installed = adapter.install(&left, Path::new(PROGRAM));
        prop_assert!(installed.is_ok(), "{changed:?} became {left:?}");
        let ours = format!("hook {}", adapter.id());
        if changed.matches(&ours).count() == 4 && adapter.install(&changed, Path::new(PROGRAM)).as_ref() == Ok(&changed) {
            prop_assert!(!left.contains(&ours));
            prop_assert_eq!(without_ours(strict(&changed), adapter.id()), without_ours(strict(&left), adapter.id()));
        }
    }
}

/// Takes out our entries, and then all that is empty, which is where the bytes are not promised.
fn without_ours(value: Json, agent: &str) -> Json {
    match value {
        Json::Object(fields) => {
            let fields = fields.into_iter().map(|(key, value)| (key, without_ours(value, agent)));
            let kept: serde_json::Map<String, Json> =
                fields.filter(|(key, value)| !is_empty(value) && (key != "version" || value != "1")).collect();
            let ours =
                kept.values().filter_map(Json::as_str).any(|text| text.ends_with(&format!("assize hook {agent}")));
            if ours { Json::Null } else { Json::Object(kept) }
        }
        Json::Array(items) => Json::Array(
            items.into_iter().map(|item| without_ours(item, agent)).filter(|item| !is_empty(item)).collect(),
        ),
        other => other,
    }
}

fn is_empty(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::Object(fields) => fields.is_empty(),
        Json::Array(items) => items.is_empty(),
        _ => false,
    }
}
