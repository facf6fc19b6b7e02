//! JSON Schemas: whether they are valid, and whether a document fits one.
//!
//! The work is that of the crate `jsonschema`; here it is given only what is bounded, and what it says becomes short
//! sentences with places. Patterns run in linear time; one that needs more is taken out and said to be unchecked.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::finding::Certainty;
use assize_core::text::quote;
use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, Retrieve, Uri, ValidationError, Validator};
use serde_json::Value;

use super::document::ParsedDocument;
use super::effort::{EffortExceeded, visits};
use super::library::{Library, ReferenceTarget, SchemaDocument, SchemaPart, is_absolute, join_uri, parts, references};

/// Most faults of one document that are told.
pub const FAULTS_MAX: usize = 50;
/// Most patterns of one schema.
pub const PATTERNS_MAX: usize = 2_000;
/// Largest pattern, in bytes, and about what it may take when it is compiled.
pub const PATTERN_BYTES_MAX: usize = 4_000;
const PATTERN_COMPILED_BYTES_MAX: usize = 2 * 1024 * 1024;

/// Something that is wrong with a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaViolation {
    /// Where, as a JSON pointer.
    pub pointer: String,
    /// What.
    pub message: String,
    /// How sure that is.
    pub certainty: Certainty,
}

/// Holds a schema against what its draft says of schemas. Without a draft it has to fit one of them.
pub fn against_meta_schema(entry: &SchemaDocument) -> Vec<SchemaViolation> {
    let value = &entry.document.value;
    if let Some(draft) = entry.draft {
        return meta_faults(draft, value);
    }
    let drafts = [Draft::Draft202012, Draft::Draft7, Draft::Draft4];
    let found = drafts.map(|draft| meta_faults(draft, value));
    found.into_iter().min_by_key(Vec::len).unwrap_or_default()
}

fn meta_faults(draft: Draft, schema: &Value) -> Vec<SchemaViolation> {
    let validator = match draft {
        Draft::Draft4 => jsonschema::draft4::meta::validator(),
        Draft::Draft6 => jsonschema::draft6::meta::validator(),
        Draft::Draft7 => jsonschema::draft7::meta::validator(),
        Draft::Draft201909 => jsonschema::draft201909::meta::validator(),
        _ => jsonschema::draft202012::meta::validator(),
    };
    if validator.is_valid(schema) {
        return Vec::new();
    }
    let mut wrong = told(validator.iter_errors(schema));
    // A part may be written in another draft than what is around it.
    wrong.retain(|found| !in_other_dialect(schema, &found.pointer));
    wrong
}

fn in_other_dialect(schema: &Value, pointer: &str) -> bool {
    let own = schema.get("$schema");
    let ends = pointer.match_indices('/').map(|(at, _)| at).chain([pointer.len()]).filter(|at| *at > 0);
    let mut around = ends.filter_map(|end| schema.pointer(&pointer[..end]));
    around.any(|part| part.get("$schema").is_some_and(|named| named.is_string() && Some(named) != own))
}

/// Finds references of a schema that lead nowhere, and counts those that lead out of the tree.
pub fn broken_references(library: &Library<'_>, path: &str) -> (Vec<SchemaViolation>, usize) {
    let Some(entry) = library.entry(path) else { return (Vec::new(), 0) };
    let (mut wrong, mut remote) = (Vec::new(), 0);
    for part in parts(&entry.document.value) {
        for reference in references(part.value) {
            match library.resolve(path, &part.base, reference) {
                ReferenceTarget::Missing(why) => wrong.push(SchemaViolation {
                    pointer: place_of(&part, reference),
                    message: format!("the reference {} leads nowhere: {why}", quote(reference)),
                    certainty: Certainty::Certain,
                }),
                ReferenceTarget::Remote if draft_reference(reference) => {}
                ReferenceTarget::Remote => remote += 1,
                ReferenceTarget::Found { .. } | ReferenceTarget::Outside => {}
            }
        }
    }
    wrong.truncate(FAULTS_MAX);
    (wrong, remote)
}

fn place_of(part: &SchemaPart<'_>, reference: &str) -> String {
    let says = |key: &&str| part.value.get(*key).and_then(Value::as_str) == Some(reference);
    let key = ["$ref", "$dynamicRef"].into_iter().find(says).unwrap_or("$ref");
    format!("{}/{key}", part.pointer)
}

fn draft_reference(reference: &str) -> bool {
    reference.contains("://json-schema.org/")
}

/// A schema made ready to hold documents against it.
pub struct CompiledSchema {
    validator: Validator,
    /// Patterns that were taken out.
    pub unchecked_patterns: usize,
    /// Whether the schema knows a property `$schema` at its root.
    names_schema: bool,
}

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unusable {
    /// It refers to something that is not looked up.
    Remote,
    /// It cannot be compiled, or a document that it refers to is missing.
    Faulty,
    /// It is beyond a limit.
    OverLimit,
}

/// Makes a schema ready.
///
/// # Errors
///
/// Says why it cannot be used.
pub fn ready(library: &Library<'_>, path: &str) -> Result<CompiledSchema, Unusable> {
    let entry = library.entry(path).ok_or(Unusable::Faulty)?;
    let mut shelf = BTreeMap::new();
    let mut unchecked = 0;
    let mut patterns = 0;
    // A validator asks for a document under the URI that the referring document gives it.
    let mut due = vec![(path.to_owned(), tree_uri(path))];
    let mut seen: BTreeSet<(String, String)> = due.iter().cloned().collect();
    while let Some((from, uri)) = due.pop() {
        let Some(entry) = library.entry(&from) else { continue };
        let root = root_uri(&uri, &entry.document.value);
        for part in parts(&entry.document.value) {
            patterns += patterns_of(part.value).count();
            for reference in references(part.value) {
                let to = match library.resolve(&from, &part.base, reference) {
                    ReferenceTarget::Found { path, .. } => path,
                    ReferenceTarget::Remote if draft_reference(reference) => continue,
                    ReferenceTarget::Remote | ReferenceTarget::Outside => return Err(Unusable::Remote),
                    ReferenceTarget::Missing(_) => return Err(Unusable::Faulty),
                };
                if to == from {
                    continue;
                }
                let (document, _) = reference.split_once('#').unwrap_or((reference, ""));
                let uri = join_uri(part.base.id.as_deref().unwrap_or(&root), document);
                if let Some(entry) = library.entry(&to).filter(|_| !shelf.contains_key(&uri)) {
                    shelf.insert(uri.clone(), within_reach(&entry.document.value, &mut unchecked));
                }
                if shelf.len() <= super::library::DOCUMENTS_MAX && seen.insert((to.clone(), uri.clone())) {
                    due.push((to, uri));
                }
            }
        }
    }
    if patterns > PATTERNS_MAX {
        return Err(Unusable::OverLimit);
    }
    let schema = within_reach(&entry.document.value, &mut unchecked);
    let mut options = jsonschema::options()
        .with_base_uri(tree_uri(path))
        .with_retriever(ReferencedDocuments(shelf))
        .should_validate_formats(false)
        .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_COMPILED_BYTES_MAX));
    if let Some(draft) = entry.draft {
        options = options.with_draft(draft);
    } else if !meta_faults(Draft::Draft202012, &schema).is_empty() {
        options = options.with_draft(Draft::Draft7);
    }
    let validator = options.build(&schema).map_err(|_| Unusable::Faulty)?;
    let properties = schema.get("properties");
    let names_schema = properties.is_some_and(|properties| properties.get("$schema").is_some());
    Ok(CompiledSchema { validator, unchecked_patterns: unchecked, names_schema })
}

/// Documents of the tree, by the URI under which a validator asks for them. There is nothing else to ask.
struct ReferencedDocuments(BTreeMap<String, Value>);

impl Retrieve for ReferencedDocuments {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        self.0.get(uri.as_str()).cloned().ok_or_else(|| format!("{uri} is not in the tree").into())
    }
}

fn tree_uri(path: &str) -> String {
    let mut uri = "tree:///".to_owned();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// The URI of a document, which may correct the one that it was asked for by.
fn root_uri(asked: &str, root: &Value) -> String {
    let own = asked.to_owned();
    let id = root.get("$id").or_else(|| root.get("id")).and_then(Value::as_str);
    let id = id.and_then(|id| id.split('#').next()).filter(|id| !id.is_empty());
    id.map_or_else(|| own.clone(), |id| if is_absolute(id) { id.to_owned() } else { join_uri(&own, id) })
}

/// The patterns that stand in a part itself.
fn patterns_of(part: &Value) -> impl Iterator<Item = &str> {
    let own = part.get("pattern").and_then(Value::as_str);
    let names = part.get("patternProperties").and_then(Value::as_object);
    own.into_iter().chain(names.into_iter().flatten().map(|(name, _)| name.as_str()))
}

/// A schema without the patterns that cannot be run in linear time. Where names go by such a pattern, whether others are
/// allowed is not checked either.
fn within_reach(schema: &Value, unchecked: &mut usize) -> Value {
    let mut changed = schema.clone();
    let hard: Vec<String> = parts(schema)
        .into_iter()
        .filter(|part| patterns_of(part.value).any(|pattern| !is_linear(pattern)))
        .map(|part| part.pointer)
        .collect();
    for pointer in hard {
        let Some(Value::Object(part)) = changed.pointer_mut(&pointer) else { continue };
        *unchecked += 1;
        if part.get("pattern").and_then(Value::as_str).is_some_and(|pattern| !is_linear(pattern)) {
            part.remove("pattern");
        }
        if let Some(Value::Object(names)) = part.get_mut("patternProperties") {
            let before = names.len();
            names.retain(|name, _| is_linear(name));
            if names.len() < before {
                part.remove("additionalProperties");
                part.remove("unevaluatedProperties");
            }
        }
    }
    changed
}

/// Returns whether a pattern needs neither to look around nor to look back.
fn is_linear(pattern: &str) -> bool {
    let looks = ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|mark| pattern.contains(mark));
    let refers = pattern.as_bytes().windows(2).enumerate().any(|(at, pair)| {
        let escaped = at > 0 && pattern.as_bytes()[at - 1] == b'\\';
        pair[0] == b'\\' && !escaped && (pair[1].is_ascii_digit() && pair[1] != b'0' || pair[1] == b'k')
    });
    !looks && !refers && pattern.len() <= PATTERN_BYTES_MAX
}

/// Holds a document against a schema.
///
/// # Errors
///
/// Says why that is not done.
pub fn against(
    library: &Library<'_>,
    path: &str,
    ready: &CompiledSchema,
    document: &ParsedDocument,
) -> Result<Vec<SchemaViolation>, EffortExceeded> {
    let mut instance = std::borrow::Cow::Borrowed(&document.value);
    // That a document names its schema is for editors, whether the schema knows of it or not.
    if !ready.names_schema
        && instance.get("$schema").is_some_and(Value::is_string)
        && let Value::Object(map) = instance.to_mut()
    {
        map.shift_remove("$schema");
    }
    visits(library, path, &instance)?;
    if ready.validator.is_valid(&instance) {
        return Ok(Vec::new());
    }
    let mut wrong = told(ready.validator.iter_errors(&instance));
    for found in &mut wrong {
        let around = |place: &String| found.pointer == *place || place.starts_with(&format!("{}/", found.pointer));
        if document.ambiguous.iter().any(around) {
            found.certainty = Certainty::Likely;
        }
    }
    Ok(wrong)
}

/// Holds a value against a part of a document that is a schema, on its own.
pub fn part_against(schema: &Value, draft: Draft, instance: &Value) -> Option<Vec<SchemaViolation>> {
    let hard = parts(schema).iter().flat_map(|part| patterns_of(part.value)).any(|pattern| !is_linear(pattern));
    if hard {
        return None;
    }
    let validator = jsonschema::options()
        .with_draft(draft)
        .with_retriever(ReferencedDocuments(BTreeMap::new()))
        .should_validate_formats(false)
        .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_COMPILED_BYTES_MAX))
        .build(schema)
        .ok()?;
    Some(told(validator.iter_errors(instance)))
}

fn told<'e>(errors: impl Iterator<Item = ValidationError<'e>>) -> Vec<SchemaViolation> {
    let mut wrong: Vec<SchemaViolation> = Vec::new();
    for error in errors {
        let found = sentence(&error, 0);
        // A reference that is no well-formed URI by the standard is not reported.
        if found.certainty == Certainty::Likely && found.message.contains("\"uri") {
            continue;
        }
        if !wrong.contains(&found) {
            wrong.push(found);
        }
        if wrong.len() == FAULTS_MAX {
            break;
        }
    }
    wrong
}

/// How deep the choices of a failed choice are looked into.
const CHOICES_DEPTH_MAX: usize = 8;

/// Says in one sentence what is wrong. Of a choice that nothing fits, the part that goes furthest is told.
fn sentence(error: &ValidationError<'_>, depth: usize) -> SchemaViolation {
    let pointer = error.instance_path().to_string();
    if let ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } = error.kind()
        && depth < CHOICES_DEPTH_MAX
    {
        let length = |error: &ValidationError<'_>| error.instance_path().to_string().len();
        let deepest = |branch: &&Vec<ValidationError<'static>>| branch.iter().map(length).max().unwrap_or(0);
        let furthest = context.iter().filter(|branch| !branch.is_empty()).max_by_key(deepest);
        let inner = furthest.and_then(|branch| branch.iter().max_by_key(|error| length(error)));
        if let Some(inner) = inner.filter(|inner| length(inner) > pointer.len()) {
            return sentence(inner, depth + 1);
        }
        let simple = context.iter().filter_map(|branch| branch.first()).map(|inner| sentence(inner, depth + 1).message);
        let simple: BTreeSet<String> = simple.collect();
        if (1..=3).contains(&simple.len()) {
            let message = simple.into_iter().collect::<Vec<_>>().join("; or ");
            return SchemaViolation { pointer, message, certainty: Certainty::Certain };
        }
    }
    let is_format = matches!(error.kind(), ValidationErrorKind::Format { .. });
    let certainty = if is_format { Certainty::Likely } else { Certainty::Certain };
    let shown = short(error.instance());
    let message = match error.kind() {
        ValidationErrorKind::AdditionalProperties { .. }
        | ValidationErrorKind::UnevaluatedProperties { .. }
        | ValidationErrorKind::Required { .. }
        | ValidationErrorKind::FalseSchema => first_line(&error.to_string()),
        _ => first_line(&error.masked_with(shown.as_str()).to_string()),
    };
    SchemaViolation { pointer, message, certainty }
}

/// A value in few words.
fn short(value: &Value) -> String {
    match value {
        Value::Object(_) => "this object".to_owned(),
        Value::Array(_) => "this list".to_owned(),
        other => quote(&other.to_string()),
    }
}

fn first_line(message: &str) -> String {
    let visible = assize_core::text::make_visible(message.lines().next().unwrap_or_default());
    let mut cut: String = visible.chars().take(300).collect();
    if visible.chars().nth(300).is_some() {
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests;
