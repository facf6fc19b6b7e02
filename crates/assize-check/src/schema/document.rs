//! JSON, YAML and TOML as values that know their lines.
//!
//! Every format becomes the same value, as a validator of JSON Schema wants it; beside it stands the line of every
//! place, by its JSON pointer. Aliases of YAML are followed up to a limit. It must not know what a document is for.

use std::collections::BTreeMap;

use jsonc_parser::ast;
use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Number, Value};
use toml::de::{DeTable, DeValue};

/// How deep maps and lists may be nested.
pub const DEPTH_MAX: usize = 100;
/// Most values of one document, those that aliases stand for included.
pub const NODES_MAX: usize = 400_000;
/// Most documents of one file: parts of a YAML stream, or lines of JSON.
pub const DOCUMENTS_MAX: usize = 20_000;

/// A document.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ParsedDocument {
    /// What it says.
    pub value: Value,
    /// The line of every value, by its pointer, counted from 1.
    pub(super) lines: BTreeMap<String, u32>,
    /// Places whose type readers of YAML do not agree on, such as `yes`.
    pub ambiguous: Vec<String>,
    /// What strict readers would not take, with its line.
    pub oddities: Vec<(u32, String)>,
}

impl ParsedDocument {
    /// Returns the line of a place, or that of the nearest one around it.
    pub fn line(&self, pointer: &str) -> u32 {
        let mut pointer = pointer;
        loop {
            if let Some(line) = self.lines.get(pointer) {
                return *line;
            }
            match pointer.rfind('/') {
                Some(end) => pointer = &pointer[..end],
                None => return 1,
            }
        }
    }
}

/// How a file writes its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentSyntax {
    /// JSON.
    Json,
    /// JSON in which comments are usual.
    JsonWithComments,
    /// A JSON document on each line.
    JsonLines,
    /// YAML, one document or several.
    Yaml,
    /// TOML.
    Toml,
}

impl DocumentSyntax {
    /// Tells it by the file's name.
    pub fn of(path: &str) -> Option<Self> {
        let name = assize_core::path::file_name(path);
        let (stem, extension) = name.rsplit_once('.')?;
        let commented = || {
            ["tsconfig", "jsconfig", "devcontainer", "deno", "api-extractor", ".eslintrc", ".swcrc", ".babelrc"]
                .iter()
                .any(|known| stem.starts_with(known))
                || path.split('/').any(|folder| matches!(folder, ".vscode" | ".devcontainer" | ".zed"))
                || stem.ends_with(".code-workspace")
        };
        Some(match extension {
            "json" if commented() => Self::JsonWithComments,
            "json" => Self::Json,
            "jsonc" | "json5" | "code-workspace" => Self::JsonWithComments,
            "jsonl" | "ndjson" => Self::JsonLines,
            "yaml" | "yml" => Self::Yaml,
            "toml" => Self::Toml,
            _ => return None,
        })
    }
}

/// Why a document could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnreadDocument {
    /// It is not what its name says.
    Malformed {
        /// The line at which that shows.
        line: u32,
        /// What is wrong.
        message: String,
    },
    /// It is beyond a limit.
    OverLimit(String),
}

/// Adds a step to a JSON pointer.
pub fn join(pointer: &str, step: &str) -> String {
    if step.contains(['~', '/']) {
        format!("{pointer}/{}", step.replace('~', "~0").replace('/', "~1"))
    } else {
        format!("{pointer}/{step}")
    }
}

/// Reads the documents of a file.
///
/// # Errors
///
/// Says where it is not what its name says, or which limit it is beyond.
pub fn read(syntax: DocumentSyntax, text: &str) -> Result<Vec<ParsedDocument>, UnreadDocument> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match syntax {
        DocumentSyntax::Json => Ok(vec![json(text, 0, false)?]),
        DocumentSyntax::JsonWithComments => Ok(vec![json(text, 0, true)?]),
        DocumentSyntax::JsonLines => {
            let filled = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
            let documents: Result<Vec<_>, _> =
                filled.take(DOCUMENTS_MAX + 1).map(|(number, line)| json(line, number, false)).collect();
            within(documents?)
        }
        DocumentSyntax::Yaml => within(yaml(text)?),
        DocumentSyntax::Toml => Ok(vec![toml(text)?]),
    }
}

fn within(documents: Vec<ParsedDocument>) -> Result<Vec<ParsedDocument>, UnreadDocument> {
    if documents.len() > DOCUMENTS_MAX {
        return Err(UnreadDocument::OverLimit(format!("more than {DOCUMENTS_MAX} documents")));
    }
    Ok(documents)
}

fn number_of(line: usize) -> u32 {
    u32::try_from(line).unwrap_or(u32::MAX)
}

/// Where the lines of a text begin.
struct LineStarts(Vec<usize>);

impl LineStarts {
    fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    fn at(&self, offset: usize) -> u32 {
        number_of(self.0.partition_point(|end| *end < offset) + 1)
    }
}

/// Puts a document together.
#[derive(Default)]
struct Builder {
    document: ParsedDocument,
    nodes: usize,
}

impl Builder {
    fn note(&mut self, pointer: &str, line: u32, depth: usize) -> Result<(), UnreadDocument> {
        self.nodes += 1;
        if self.nodes > NODES_MAX {
            return Err(UnreadDocument::OverLimit(format!("more than {NODES_MAX} values")));
        }
        if depth > DEPTH_MAX {
            return Err(UnreadDocument::OverLimit(format!("nested deeper than {DEPTH_MAX} levels")));
        }
        self.document.lines.insert(pointer.to_owned(), line);
        Ok(())
    }
}

fn options(lenient: bool) -> jsonc_parser::ParseOptions {
    jsonc_parser::ParseOptions {
        allow_comments: lenient,
        allow_trailing_commas: lenient,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// Reads JSON. What only lenient readers take is noted as odd where it is not usual.
fn json(text: &str, line_before: usize, comments_usual: bool) -> Result<ParsedDocument, UnreadDocument> {
    let lines = LineStarts::of(text);
    let at = |offset| lines.at(offset) + number_of(line_before);
    let collect = jsonc_parser::CollectOptions::default();
    let mut builder = Builder::default();
    let parsed = match jsonc_parser::parse_to_ast(text, &collect, &options(comments_usual)) {
        Ok(parsed) => parsed,
        Err(strict) => {
            let wrong =
                UnreadDocument::Malformed { line: at(strict.range().start), message: strict.kind().to_string() };
            if matches!(strict.kind(), jsonc_parser::errors::ParseErrorKind::NestingDepthExceeded) {
                return Err(UnreadDocument::OverLimit(format!("nested deeper than {DEPTH_MAX} levels")));
            }
            let Ok(parsed) = jsonc_parser::parse_to_ast(text, &collect, &options(true)) else { return Err(wrong) };
            builder.document.oddities.push((at(strict.range().start), strict.kind().to_string()));
            parsed
        }
    };
    let root = parsed
        .value
        .ok_or_else(|| UnreadDocument::Malformed { line: at(0), message: "the file is empty".to_owned() })?;
    builder.document.value = json_value(&root, "", 0, &at, &mut builder)?;
    Ok(builder.document)
}

fn json_value(
    value: &ast::Value<'_>,
    pointer: &str,
    depth: usize,
    at: &impl Fn(usize) -> u32,
    builder: &mut Builder,
) -> Result<Value, UnreadDocument> {
    let start = jsonc_parser::common::Ranged::start(value);
    if !pointer.is_empty() && builder.document.lines.contains_key(pointer) {
        // The line of a property is that of its name.
        builder.nodes += 1;
    } else {
        builder.note(pointer, at(start), depth)?;
    }
    Ok(match value {
        ast::Value::StringLit(text) => Value::String(text.value.to_string()),
        ast::Value::NumberLit(number) => serde_json::from_str(number.value).map_err(|_| UnreadDocument::Malformed {
            line: at(start),
            message: format!("the number {} cannot be represented", assize_core::text::quote(number.value)),
        })?,
        ast::Value::BooleanLit(truth) => Value::Bool(truth.value),
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::Object(object) => {
            let mut map = Map::new();
            for property in &object.properties {
                let name = property.name.as_str();
                let inner = join(pointer, name);
                let line = at(property.range.start);
                if map.contains_key(name) {
                    let message = format!("{} stands twice in one object", assize_core::text::quote(name));
                    builder.document.oddities.push((line, message));
                }
                builder.note(&inner, line, depth + 1)?;
                map.insert(name.to_owned(), json_value(&property.value, &inner, depth + 1, at, builder)?);
            }
            Value::Object(map)
        }
        ast::Value::Array(array) => {
            let items = array.elements.iter().enumerate();
            let items: Result<_, _> = items
                .map(|(index, item)| json_value(item, &format!("{pointer}/{index}"), depth + 1, at, builder))
                .collect();
            Value::Array(items?)
        }
    })
}

/// A value of YAML before it has its place.
#[derive(Debug, Clone)]
enum YamlNode {
    Scalar { text: String, plain: bool, tag: Option<String> },
    List(Vec<(u32, YamlNode)>),
    Map(Vec<((u32, YamlNode), (u32, YamlNode))>),
}

/// A list or map whose end has not come yet.
struct OpenYamlNode {
    line: u32,
    is_map: bool,
    anchor: usize,
    /// What it holds so far; in a map keys and values in turn.
    items: Vec<(u32, YamlNode)>,
}

/// Reads all documents of a YAML stream.
fn yaml(text: &str) -> Result<Vec<ParsedDocument>, UnreadDocument> {
    let mut documents = Vec::new();
    let mut open: Vec<OpenYamlNode> = Vec::new();
    let mut anchors: BTreeMap<usize, YamlNode> = BTreeMap::new();
    let mut copied = 0;
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let message = error.info().to_owned();
            // It has a limit of its own for brackets.
            if ["recursion", "nest", "depth", "deep"].iter().any(|word| message.contains(word)) {
                return UnreadDocument::OverLimit(format!("nested deeper than {DEPTH_MAX} levels"));
            }
            UnreadDocument::Malformed { line: number_of(error.marker().line()), message }
        })?;
        let line = number_of(span.start.line());
        let (anchor, line, node) = match event {
            Event::Scalar(text, style, anchor, tag) => {
                let tag = tag.map(|tag| format!("{}{}", tag.handle, tag.suffix));
                (anchor, line, YamlNode::Scalar { text: text.into_owned(), plain: style == ScalarStyle::Plain, tag })
            }
            Event::Alias(to) => {
                let node = anchors.get(&to).cloned().unwrap_or(YamlNode::List(Vec::new()));
                copied += size(&node);
                if copied > NODES_MAX {
                    return Err(UnreadDocument::OverLimit(format!("more than {NODES_MAX} values")));
                }
                (0, line, node)
            }
            Event::SequenceStart(anchor, _) | Event::MappingStart(anchor, _) => {
                if open.len() == DEPTH_MAX {
                    return Err(UnreadDocument::OverLimit(format!("nested deeper than {DEPTH_MAX} levels")));
                }
                open.push(OpenYamlNode {
                    line,
                    is_map: matches!(event, Event::MappingStart(..)),
                    anchor,
                    items: Vec::new(),
                });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(OpenYamlNode { line, is_map, anchor, items }) = open.pop() else { continue };
                (anchor, line, if is_map { YamlNode::Map(pairs(items)) } else { YamlNode::List(items) })
            }
            _ => continue,
        };
        if anchor != 0 {
            anchors.insert(anchor, node.clone());
        }
        match open.last_mut() {
            Some(around) => around.items.push((line, node)),
            None => {
                let mut builder = Builder::default();
                builder.document.value = yaml_value(&node, String::new(), line, 0, &mut builder)?;
                documents.push(builder.document);
                if documents.len() > DOCUMENTS_MAX {
                    break;
                }
            }
        }
    }
    if documents.is_empty() {
        return Err(UnreadDocument::Malformed { line: 1, message: "the file is empty".to_owned() });
    }
    Ok(documents)
}

fn pairs(items: Vec<(u32, YamlNode)>) -> Vec<((u32, YamlNode), (u32, YamlNode))> {
    let mut items = items.into_iter();
    let mut pairs = Vec::new();
    while let (Some(key), Some(value)) = (items.next(), items.next()) {
        pairs.push((key, value));
    }
    pairs
}

fn size(node: &YamlNode) -> usize {
    1 + match node {
        YamlNode::Scalar { .. } => 0,
        YamlNode::List(items) => items.iter().map(|(_, item)| size(item)).sum(),
        YamlNode::Map(pairs) => pairs.iter().map(|((_, key), (_, value))| size(key) + size(value)).sum(),
    }
}

fn yaml_value(
    node: &YamlNode,
    pointer: String,
    line: u32,
    depth: usize,
    builder: &mut Builder,
) -> Result<Value, UnreadDocument> {
    builder.note(&pointer, line, depth)?;
    match node {
        YamlNode::Scalar { text, plain, tag } => {
            let as_text = !plain || tag.as_deref().is_some_and(|tag| tag.ends_with("str"));
            if as_text || tag.is_some() {
                return Ok(Value::String(text.clone()));
            }
            if is_ambiguous(text) {
                builder.document.ambiguous.push(pointer);
            }
            Ok(plain_scalar(text))
        }
        YamlNode::List(items) => {
            let items = items.iter().enumerate();
            let items: Result<_, _> = items
                .map(|(index, (line, item))| yaml_value(item, format!("{pointer}/{index}"), *line, depth + 1, builder))
                .collect();
            Ok(Value::Array(items?))
        }
        YamlNode::Map(pairs) => {
            let mut map = Map::new();
            let mut merged: Vec<&YamlNode> = Vec::new();
            for ((line, key), (_, value)) in pairs {
                let YamlNode::Scalar { text: name, plain, .. } = key else {
                    builder.document.oddities.push((*line, "a key that is no text".to_owned()));
                    continue;
                };
                if *plain && name == "<<" {
                    merged.push(value);
                    continue;
                }
                if map.contains_key(name) {
                    let message = format!("{} stands twice in one map", assize_core::text::quote(name));
                    builder.document.oddities.push((*line, message));
                }
                let inner = yaml_value(value, join(&pointer, name), *line, depth + 1, builder)?;
                map.insert(name.clone(), inner);
            }
            for source in merged {
                merge(source, &pointer, line, depth, &mut map, builder)?;
            }
            Ok(Value::Object(map))
        }
    }
}

/// Takes over what a map of its own does not say: `<<: *defaults`.
fn merge(
    source: &YamlNode,
    pointer: &str,
    line: u32,
    depth: usize,
    map: &mut Map<String, Value>,
    builder: &mut Builder,
) -> Result<(), UnreadDocument> {
    let sources: Vec<&YamlNode> = match source {
        YamlNode::List(items) => items.iter().map(|(_, item)| item).collect(),
        other => vec![other],
    };
    for source in sources {
        let Value::Object(taken) = yaml_value(source, pointer.to_owned(), line, depth, builder)? else { continue };
        for (name, value) in taken {
            map.entry(name).or_insert(value);
        }
    }
    Ok(())
}

/// Returns whether YAML 1.1 takes it for something else than YAML 1.2.
fn is_ambiguous(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let octal = text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
    let sexagesimal = text.contains(':') && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    let grouped = text.contains('_') && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let date = text.len() >= 8 && text.bytes().next().is_some_and(|byte| byte.is_ascii_digit()) && text.contains('-');
    matches!(&*lower, "yes" | "no" | "on" | "off" | "y" | "n") || octal || sexagesimal || grouped || date
}

/// The core schema of YAML 1.2.
fn plain_scalar(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let radix = [("0x", 16), ("0o", 8)].into_iter().find_map(|(mark, radix)| Some((text.strip_prefix(mark)?, radix)));
    if let Some(number) = radix.and_then(|(digits, radix)| i64::from_str_radix(digits, radix).ok()) {
        return Value::from(number);
    }
    let begins_like_number = unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.');
    if !begins_like_number || unsigned.starts_with("..") {
        return Value::String(text.to_owned());
    }
    let plain = text.strip_prefix('+').unwrap_or(text);
    if let Ok(number) = plain.parse::<i64>() {
        return Value::from(number);
    }
    let is_float =
        unsigned.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    let float = plain.parse::<f64>().ok().filter(|_| is_float).and_then(Number::from_f64);
    float.map_or_else(|| Value::String(text.to_owned()), Value::Number)
}

fn toml(text: &str) -> Result<ParsedDocument, UnreadDocument> {
    let lines = LineStarts::of(text);
    let table = DeTable::parse(text).map_err(|error| UnreadDocument::Malformed {
        line: error.span().map_or(1, |span| lines.at(span.start)),
        message: error.message().to_owned(),
    })?;
    let mut builder = Builder::default();
    let value = DeValue::Table(table.into_inner());
    builder.document.value = toml_value(&value, "", 1, 0, &lines, &mut builder)?;
    Ok(builder.document)
}

fn toml_value(
    value: &DeValue<'_>,
    pointer: &str,
    line: u32,
    depth: usize,
    lines: &LineStarts,
    builder: &mut Builder,
) -> Result<Value, UnreadDocument> {
    builder.note(pointer, line, depth)?;
    let float = |number: f64| Number::from_f64(number).map_or(Value::Null, Value::Number);
    Ok(match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => {
            let digits = number.as_str();
            i64::from_str_radix(digits, number.radix()).map_or_else(|_| Value::String(digits.to_owned()), Value::from)
        }
        DeValue::Float(number) => number.as_str().parse().map_or(Value::Null, float),
        DeValue::Boolean(truth) => Value::Bool(*truth),
        DeValue::Datetime(time) => Value::String(time.to_string()),
        DeValue::Array(items) => {
            let mut list = Vec::new();
            for (index, item) in items.iter().enumerate() {
                let line = lines.at(item.span().start);
                let inner = format!("{pointer}/{index}");
                list.push(toml_value(item.get_ref(), &inner, line, depth + 1, lines, builder)?);
            }
            Value::Array(list)
        }
        DeValue::Table(table) => {
            let mut map = Map::new();
            for (key, item) in table.iter() {
                let line = lines.at(key.span().start);
                let inner = join(pointer, key.get_ref());
                map.insert(
                    key.get_ref().to_string(),
                    toml_value(item.get_ref(), &inner, line, depth + 1, lines, builder)?,
                );
            }
            Value::Object(map)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn one(syntax: DocumentSyntax, text: &str) -> ParsedDocument {
        read(syntax, text).expect("readable").remove(0)
    }

    #[test]
    fn every_format_gives_the_same_value_and_knows_its_lines() {
        let expected = json!({"name": "a", "sizes": [1, 2.5], "on": true});
        for (syntax, text, line) in [
            (DocumentSyntax::Json, "{\n  \"name\": \"a\",\n  \"sizes\": [1,\n    2.5],\n  \"on\": true\n}", 4),
            (DocumentSyntax::JsonWithComments, "{ // why\n \"name\": \"a\",\n \"sizes\": [1, 2.5,], \"on\": true}", 3),
            (DocumentSyntax::Yaml, "name: a\nsizes:\n  - 1\n  - 2.5\n\"on\": true\n", 4),
            (DocumentSyntax::Toml, "name = \"a\"\nsizes = [1, 2.5]\non = true\n", 2),
        ] {
            let document = one(syntax, text);
            assert_eq!(document.value, expected, "{syntax:?}");
            assert_eq!(document.line("/sizes/1"), line, "{syntax:?}");
            assert_eq!(document.line("/sizes/1/deeper"), line, "{syntax:?}");
            assert!(document.oddities.is_empty());
        }
    }

    #[test]
    fn what_strict_readers_refuse_is_odd() {
        assert_eq!(one(DocumentSyntax::Json, "{\"a\": 1, // b\n}").oddities.len(), 1);
        assert_eq!(
            one(DocumentSyntax::Json, "{\"a\": 1,\n\"a\": 2}").oddities,
            [(2, "`a` stands twice in one object".to_owned())]
        );
        assert!(matches!(read(DocumentSyntax::Json, "{\"a\": }"), Err(UnreadDocument::Malformed { line: 1, .. })));
        assert!(matches!(
            read(DocumentSyntax::Json, "{\n\"a\": 1 \"b\": 2}"),
            Err(UnreadDocument::Malformed { line: 2, .. })
        ));
        assert!(read(DocumentSyntax::Json, "").is_err() && read(DocumentSyntax::Yaml, "# nothing\n").is_err());
    }

    #[test]
    fn scalars_of_yaml_have_the_types_of_its_core_schema() {
        for (text, value) in [
            ("1", json!(1)),
            ("-7", json!(-7)),
            ("+7", json!(7)),
            ("0x1F", json!(31)),
            ("1.5e3", json!(1500.0)),
            ("1.2.3", json!("1.2.3")),
            ("v1", json!("v1")),
            ("~", json!(null)),
            ("yes", json!("yes")),
            ("'1'", json!("1")),
            ("!!str 1", json!("1")),
            ("2026-01-01", json!("2026-01-01")),
            (".5", json!(0.5)),
            ("...x", json!("...x")),
        ] {
            assert_eq!(one(DocumentSyntax::Yaml, &format!("a: {text}\n")).value, json!({"a": value}), "{text}");
        }
        assert_eq!(one(DocumentSyntax::Yaml, "a: yes\nb: 'yes'\nc: 010\n").ambiguous, ["/a", "/c"]);
    }

    #[test]
    fn aliases_are_followed_and_maps_merged() {
        let text = "base: &base {a: 1, b: 2}\nuse:\n  <<: *base\n  b: 3\ncopy: *base\n";
        let expected = json!({"base": {"a": 1, "b": 2}, "use": {"b": 3, "a": 1}, "copy": {"a": 1, "b": 2}});
        assert_eq!(one(DocumentSyntax::Yaml, text).value, expected);
        assert_eq!(read(DocumentSyntax::Yaml, "a: 1\n---\na: 2\n").expect("readable").len(), 2);
    }

    #[test]
    fn lines_of_json_keep_their_numbers() {
        let documents = read(DocumentSyntax::JsonLines, "{\"a\": 1}\n\n{\"a\": 2}\n").expect("readable");
        assert_eq!(documents.iter().map(|document| document.line("/a")).collect::<Vec<_>>(), [1, 3]);
        assert!(matches!(read(DocumentSyntax::JsonLines, "{}\n{\n"), Err(UnreadDocument::Malformed { line: 2, .. })));
    }

    #[test]
    fn limits_hold() {
        let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        for syntax in [DocumentSyntax::Json, DocumentSyntax::Yaml] {
            assert!(read(syntax, &deep(DEPTH_MAX)).is_ok(), "{syntax:?}");
            assert!(matches!(read(syntax, &deep(DEPTH_MAX + 2)), Err(UnreadDocument::OverLimit(_))), "{syntax:?}");
            assert!(matches!(read(syntax, &deep(5_000)), Err(UnreadDocument::OverLimit(_))), "{syntax:?}");
        }
        let wide = |count: usize| format!("[{}1]", "1,".repeat(count - 2));
        assert!(read(DocumentSyntax::Json, &wide(NODES_MAX)).is_ok());
        assert!(matches!(read(DocumentSyntax::Json, &wide(NODES_MAX + 1)), Err(UnreadDocument::OverLimit(_))));
        let many = |count: usize| "1\n".repeat(count);
        assert!(read(DocumentSyntax::JsonLines, &many(DOCUMENTS_MAX)).is_ok());
        assert!(matches!(read(DocumentSyntax::JsonLines, &many(DOCUMENTS_MAX + 1)), Err(UnreadDocument::OverLimit(_))));
        // A bomb: each line stands for nine of the one before.
        let mut bomb = "a0: &a0 x\n".to_owned();
        for level in 1..12 {
            let of = level - 1;
            bomb.push_str(&format!("a{level}: &a{level} [{}]\n", vec![format!("*a{of}"); 9].join(", ")));
        }
        assert!(matches!(read(DocumentSyntax::Yaml, &bomb), Err(UnreadDocument::OverLimit(_))));
    }
}
