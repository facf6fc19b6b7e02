//! Says where in the configuration a fault is: the line, the table and the key, and what would be right there.

use std::ops::Range;

use assize_core::text::make_visible;
use assize_engine::judge::JudgeConfig;
use assize_gate::gate::declared::DeclaredGate;
use serde::Deserialize as _;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error, ValueDeserializer};

/// What serde calls the types of settings, and what they are called here.
const TYPES: [(&str, &str); 7] = [
    ("u32", "a whole number from 0 to 4294967295"),
    ("u64", "a whole number from 0"),
    ("usize", "a whole number from 0"),
    ("f64", "a number"),
    ("a sequence", "a list"),
    ("a map", "a table"),
    ("variant identifier", "a string"),
];

/// A fault, and where it is.
struct ConfigFault {
    error: Error,
    span: Range<usize>,
    is_of_judge: bool,
}

/// The table in which something is, as its header is written, and the key. The top level has no header.
struct ConfigPlace {
    table: String,
    key: Option<String>,
}

/// Describes the error of a text that could not be read.
pub fn describe(text: &str, error: &Error) -> String {
    let Some(span) = error.span() else { return in_plain_words(error.message(), false) };
    let root = DeTable::parse(text).map(Spanned::into_inner).unwrap_or_default();
    let first = ConfigFault { error: error.clone(), span: span.clone(), is_of_judge: false };
    let fault = read_again(&root, &span).unwrap_or(first);
    let message = in_plain_words(fault.error.message(), fault.is_of_judge);
    let names_key = message.starts_with("unknown key ");
    let place = match find(&root, "", "", &fault.span) {
        // A gate that is refused names its table.
        _ if message.starts_with('[') => String::new(),
        Some(ConfigPlace { table, key }) => {
            let parts = [Some(table), key.filter(|_| !names_key)];
            let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
            if parts.is_empty() { String::new() } else { format!("{}: ", parts.join(" ")) }
        }
        None => String::new(),
    };
    let described = format!("line {}: {place}{message}", line(text, fault.span.start));
    make_visible(&described).replace(['\n', '\r'], " ")
}

/// Returns the number of the line in which a byte is. The end of the text belongs to its last line.
pub fn line(text: &str, at: usize) -> usize {
    let before = &text.as_bytes()[..at.min(text.len().saturating_sub(1))];
    before.iter().filter(|byte| **byte == b'\n').count() + 1
}

/// Reads the tables of a list again, one after the other. Of some, serde finds the fault when their places are forgotten: it
/// then names the whole list. Returns the first fault, if `span` is that of such a list or table.
fn read_again(root: &DeTable<'_>, span: &Range<usize>) -> Option<ConfigFault> {
    let named = |name: &str| {
        let list = root.get(name)?;
        let tables = list.get_ref().as_array()?;
        (list.span() == *span || tables.iter().any(|table| table.span() == *span)).then_some(tables)
    };
    let bidders = root.get("bidder").and_then(|list| list.get_ref().as_array());
    let holders = bidders.into_iter().flat_map(|list| list.iter()).chain(root.get("fixer"));
    let models = holders.filter_map(|holder| holder.get_ref().get("model")).filter(|model| model.span() == *span);
    for judge in named("judge").into_iter().flat_map(|list| list.iter()).chain(models) {
        // Of a judge without a kind, or of an unknown one, serde names the place itself.
        if let Err(error) = as_its_kind(judge)? {
            return Some(ConfigFault { span: error.span().unwrap_or_else(|| judge.span()), error, is_of_judge: true });
        }
    }
    named("gate")?.iter().find_map(|gate| {
        let error = DeclaredGate::deserialize(ValueDeserializer::from(gate.clone())).err()?;
        Some(ConfigFault { span: error.span().unwrap_or_else(|| gate.span()), error, is_of_judge: false })
    })
}

/// Reads a judge by its kind; `None` if the kind is missing or unknown.
fn as_its_kind(judge: &Spanned<DeValue<'_>>) -> Option<Result<JudgeConfig, Error>> {
    let DeValue::Table(mut settings) = judge.get_ref().clone() else { return None };
    let kind = settings.remove("kind")?;
    let settings = ValueDeserializer::from(Spanned::new(judge.span(), DeValue::Table(settings)));
    JudgeConfig::of_kind(kind.get_ref().as_str()?, settings)
}

/// Finds the key, the value or the table at a place of the text, in a table with this path and this header.
fn find(table: &DeTable<'_>, path: &str, header: &str, at: &Range<usize>) -> Option<ConfigPlace> {
    table.iter().find_map(|(key, value)| {
        let name: &str = key.get_ref();
        let here = || ConfigPlace { table: header.to_owned(), key: Some(name.to_owned()) };
        if key.span() == *at {
            return Some(here());
        }
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        let within = match value.get_ref() {
            DeValue::Table(_) => find_within(value, &path, format!("[{path}]"), at),
            DeValue::Array(items) => items.iter().find_map(|item| find_within(item, &path, format!("[[{path}]]"), at)),
            _ => None,
        };
        within.or_else(|| value.span().contains(&at.start).then(here))
    })
}

/// Looks for a place in a value that may be a table.
fn find_within(value: &Spanned<DeValue<'_>>, path: &str, header: String, at: &Range<usize>) -> Option<ConfigPlace> {
    let table = value.get_ref().as_table()?;
    let found = find(table, path, &header, at);
    found.or_else(|| (value.span() == *at).then_some(ConfigPlace { table: header, key: None }))
}

/// Words an error of serde for people who write settings.
fn in_plain_words(message: &str, is_of_judge: bool) -> String {
    let Some((what, expected)) = message.rsplit_once(", expected ") else {
        return match message.strip_prefix("missing field ") {
            Some(key) => format!("missing key {key}"),
            None if message == "wanted string or table" => "invalid type, expected a string".to_owned(),
            None => message.to_owned(),
        };
    };
    if let Some(key) = what.strip_prefix("unknown field ") {
        let known = expected.split('`').skip(1).step_by(2).chain(is_of_judge.then_some("kind"));
        return format!("unknown key {key}; known keys: `{}`", known.collect::<Vec<_>>().join("`, `"));
    }
    let what = match what.strip_prefix("unknown variant ") {
        Some(value) => format!("unknown value {value}"),
        None => what.to_owned(),
    };
    let is_table = expected.starts_with("struct ") || expected.contains("tagged enum ");
    let expected = match TYPES.iter().find(|(name, _)| *name == expected) {
        Some((_, plain)) => *plain,
        None if is_table => "a table",
        None => expected,
    };
    format!("{what}, expected {expected}")
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    fn error(text: &str) -> String {
        Config::parse(text, "assize.toml").expect_err("refused").what
    }

    const CLAUDE: &str = "[[judge]]\nid = 'a'\nkind = 'claude'\n";
    const GATE: &str = "[[gate]]\nid = 'a'\ncommand = ['x']\ndimension = 'types'\nreport = 'junit'\n";
    const OF_CLAUDE: &str =
        "unknown key `modell`; known keys: `id`, `program`, `model`, `args`, `max_cost_usd`, `kind`";

    #[test]
    fn an_unknown_key_has_its_line_its_table_and_the_known_keys() {
        let limits =
            "`same_blocks_max`, `prompt_blocks_max`, `failures_max`, `stagnation_max`, `regress_max`".to_owned();
        let budget = "`bytes_max`, `file_bytes_max`".to_owned();
        for (text, place, known) in [
            (
                "[stop]\nmdoe = 1\n",
                "line 2: [stop]: unknown key `mdoe`",
                "`mode`, `on_unjudged`, `block_on`, `panel`, `limits`, `diff_budget`, `verify`, `verify_s`, `judges`, `deadline_s`"
                    .to_owned(),
            ),
            (
                "\n[review]\njudges = []\nmdoe = 1\n",
                "line 4: [review]: unknown key `mdoe`",
                "`panel`, `diff_budget`, `block_on`, `require`, `adapted_tests`, `judges`, `deadline_s`".to_owned(),
            ),
            ("[stop.limits]\nx = 1\n", "line 2: [stop.limits]: unknown key `x`", limits.clone()),
            ("stop.limits.x = 1\n", "line 1: [stop.limits]: unknown key `x`", limits.clone()),
            ("[stop]\nlimits = { x = 1 }\n", "line 2: [stop.limits]: unknown key `x`", limits),
            ("[review.diff_budget]\nx = 1\n", "line 2: [review.diff_budget]: unknown key `x`", budget),
            ("[budget]\nusd = 1\n", "line 2: [budget]: unknown key `usd`", "`usd_per_day`".to_owned()),
            (
                "[[override]]\n\n\"a\\nb\" = 1\n",
                "line 3: [[override]]: unknown key `a b`",
                "`paths`, `rules`".to_owned(),
            ),
        ] {
            assert_eq!(error(text), format!("assize.toml: {place}; known keys: {known}"), "{text}");
        }
        let top = error("[stop]\n[stpo]\n");
        assert!(top.starts_with("assize.toml: line 2: unknown key `stpo`; known keys: `stop`, `review`, "), "{top}");
    }

    #[test]
    fn a_fault_of_a_judge_is_at_its_key() {
        for (text, expected) in [
            (format!("{CLAUDE}\nmodell = 'x'\n"), format!("line 5: [[judge]]: {OF_CLAUDE}")),
            (
                format!("{CLAUDE}\n{}modell = 'x'\n", CLAUDE.replace("'a'", "'b'")),
                format!("line 8: [[judge]]: {OF_CLAUDE}"),
            ),
            (
                format!("{CLAUDE}max_cost_usd = 'x'\n"),
                "line 4: [[judge]] max_cost_usd: invalid type: string \"x\", expected a number".to_owned(),
            ),
            (
                format!("{CLAUDE}[[judge]]\nkind = 'openai'\nmodel = 'm'\n"),
                "line 4: [[judge]]: missing key `id`".to_owned(),
            ),
            (format!("{CLAUDE}[[judge]]\nid = 'b'\n"), "line 4: [[judge]]: missing key `kind`".to_owned()),
            (
                "[[judge]]\nid = 'a'\nkind = 'oracle'\n".to_owned(),
                "line 3: [[judge]] kind: unknown value `oracle`, expected one of `claude`, `openai`, `anthropic`, \
                 `command`, `replay`"
                    .to_owned(),
            ),
            (
                format!("{}modell = 'x'\n", CLAUDE.replace("[[judge]]", "[fixer.model]")),
                format!("line 4: [fixer.model]: {OF_CLAUDE}"),
            ),
            (
                format!("[[bidder]]\nid = 'a'\n{}modell = 'x'\n", CLAUDE.replace("[[judge]]", "[bidder.model]")),
                format!("line 6: [bidder.model]: {OF_CLAUDE}"),
            ),
            (
                "[[bidder]]\nid = 'a'\nmodel = { id = 'x', kind = 'claude', modell = 'x' }\n".to_owned(),
                format!("line 3: [bidder.model]: {OF_CLAUDE}"),
            ),
        ] {
            assert_eq!(error(&text), format!("assize.toml: {expected}"), "{text}");
        }
    }

    #[test]
    fn a_wrong_value_has_its_line_its_table_and_its_key() {
        for (text, expected) in [
            (
                "[stop]\n\nmode = 'shadwo'\n",
                "line 3: [stop] mode: unknown value `shadwo`, expected `enforce` or `shadow`",
            ),
            ("[stop]\nblock_on = 3\n", "line 2: [stop] block_on: invalid type, expected a string"),
            (
                "[stop]\ndeadline_s = -1\n",
                "line 2: [stop] deadline_s: invalid value: integer `-1`, expected a whole number from 0",
            ),
            ("[[judge]]\nkind = 3\n", "line 2: [[judge]] kind: invalid type: integer `3`, expected a string"),
            ("stop = 1\n", "line 1: stop: invalid type: integer `1`, expected a table"),
            ("judge = [1]\n", "line 1: judge: invalid type: integer `1`, expected a table"),
            ("[eval]\njudges = 'a'\n", "line 2: [eval] judges: invalid type: string \"a\", expected a list"),
            (
                "[rules]\nx = 'no'\n",
                "line 2: [rules] x: unknown value `no`, expected one of `off`, `likely`, `certain`",
            ),
            ("[[override]]\nrules = {}\n", "line 1: [[override]]: missing key `paths`"),
        ] {
            assert_eq!(error(text), format!("assize.toml: {expected}"), "{text}");
        }
    }

    #[test]
    fn a_gate_that_is_refused_is_found_among_others() {
        let second = error(&format!("{GATE}{}", GATE.replace("'a'", "'B'")));
        assert!(second.starts_with("assize.toml: line 6: [[gate]] `B`: an id is"), "{second}");
        let unknown = error(&format!("{GATE}{}x = 1\n", GATE.replace("'a'", "'b'")));
        assert!(
            unknown.starts_with("assize.toml: line 11: [[gate]]: unknown key `x`; known keys: `id`, "),
            "{unknown}"
        );
    }

    #[test]
    fn what_is_no_toml_has_a_line() {
        for (text, expected) in
            [("[stop\n", "line 1: "), ("[stop]\nmode = 'x\n", "line 2: "), ("a = 1\na = 2\n", "line 2: ")]
        {
            let error = error(text);
            assert!(error.starts_with(&format!("assize.toml: {expected}")), "{error}");
        }
        assert_eq!((line("", 0), line("a\nb\n", 4), line("a\nb", 2)), (1, 2, 2));
    }
}
