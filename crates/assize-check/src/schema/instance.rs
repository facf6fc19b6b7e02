//! Documents that belong to a schema: which ones they are, and whether they fit.
//!
//! A document belongs to a schema of the tree because it says so (`$schema`, a comment for a language server), because
//! an editor or the project is told so, or by its name. What only editors are told counts like the rest: somebody meant it.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::finding::Certainty;
use assize_core::path::file_name;
use assize_core::text::quote;
use globset::{GlobBuilder, GlobMatcher};
use serde_json::Value;

use super::document::{DocumentSyntax, ParsedDocument, UnreadDocument, read};
use super::effort::EffortExceeded;
use super::json_schema::{self, CompiledSchema, Unusable};
use super::library::{Library, beside, is_absolute};
use super::{Aspect, Checked, SchemaTree};

/// Most documents that are held against schemas.
pub const INSTANCES_MAX: usize = 5_000;
/// Most faults of one document that are told: one schema that changed may concern every line.
pub const FAULTS_MAX: usize = 20;
/// Lines at a file's beginning in which a comment may name its schema.
pub const HEAD_LINES_MAX: usize = 10;

const SETTINGS: &str = ".vscode/settings.json";

/// A document and its schema.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct SchemaAssignment {
    instance: String,
    schema: String,
    /// By what it is known.
    because: String,
}

/// Holds documents against their schemas.
pub(super) fn check(tree: &SchemaTree<'_>, library: &Library<'_>, checked: &mut Checked) {
    let (mut pairs, remote) = pairs(tree, library, checked);
    if remote > 0 {
        let files = if remote == 1 { "1 document names".to_owned() } else { format!("{remote} documents name") };
        checked.limit(format!("{files} a schema on the network, which is never asked: not judged"));
    }
    pairs.sort_by_key(|pair| !tree.changed.contains(&pair.instance) && !tree.changed.contains(&pair.schema));
    if pairs.len() > INSTANCES_MAX {
        checked.limit(format!("only {INSTANCES_MAX} of {} documents were held against their schemas", pairs.len()));
        pairs.truncate(INSTANCES_MAX);
    }
    let mut known: BTreeMap<String, Option<CompiledSchema>> = BTreeMap::new();
    // A library of its own, for schemas that are known as such only because a document names them.
    let more: BTreeSet<&String> = pairs.iter().map(|pair| &pair.schema).collect();
    let entries = more.into_iter().filter_map(|path| {
        let document = match library.entry(path) {
            Some(entry) => entry.document.clone(),
            None => read(DocumentSyntax::of(path)?, tree.texts.get(path)?).ok()?.into_iter().next()?,
        };
        Some((path.clone(), super::library::SchemaDocument::new(document)))
    });
    let all = library.entries().map(|(path, entry)| (path.to_owned(), entry.clone())).chain(entries).collect();
    let library = Library::new(tree.texts, tree.paths, all);
    for pair in &pairs {
        let ready = known.entry(pair.schema.clone()).or_insert_with(|| prepare(&library, &pair.schema, checked));
        if let Some(ready) = ready {
            hold(tree, &library, pair, ready, checked);
        }
    }
}

fn prepare(library: &Library<'_>, schema: &str, checked: &mut Checked) -> Option<CompiledSchema> {
    match json_schema::ready(library, schema) {
        Ok(ready) => {
            if ready.unchecked_patterns > 0 {
                checked.limit(format!("patterns of {} look around or back, which is not checked", quote(schema)));
            }
            Some(ready)
        }
        Err(why) => {
            let why = match why {
                Unusable::Remote => "it refers to something outside of the tree",
                Unusable::Faulty => "it is itself not usable",
                Unusable::OverLimit => "it has too many patterns",
            };
            checked.limit(format!("documents of {} were not held against it: {why}", quote(schema)));
            None
        }
    }
}

/// Holds one document against its schema.
fn hold(
    tree: &SchemaTree<'_>,
    library: &Library<'_>,
    pair: &SchemaAssignment,
    ready: &CompiledSchema,
    checked: &mut Checked,
) {
    let Some((syntax, text)) = DocumentSyntax::of(&pair.instance).zip(tree.texts.get(&pair.instance)) else { return };
    checked.saw(Aspect::Instances);
    let place = |line: u32| (pair.instance.as_str(), line);
    let documents = match read(syntax, text) {
        Ok(documents) => documents,
        Err(UnreadDocument::OverLimit(limit)) => {
            checked.limit(format!("{} was not held against its schema: {limit}", quote(&pair.instance)));
            return;
        }
        Err(UnreadDocument::Malformed { line, message }) => {
            checked.fault(Aspect::Instances, "unreadable", place(line), Certainty::Certain, message);
            return;
        }
    };
    let mut told = 0;
    for document in &documents {
        for (line, what) in document.oddities.iter().take(FAULTS_MAX - told.min(FAULTS_MAX)) {
            let message = format!("strict readers refuse this: {what}");
            checked.fault(Aspect::Instances, "not-strict", place(*line), Certainty::Likely, message);
        }
        match json_schema::against(library, &pair.schema, ready, document) {
            Ok(wrong) => {
                for found in wrong.iter().take(FAULTS_MAX.saturating_sub(told)) {
                    let message = format!(
                        "{}{}; its schema, by {}, is {}",
                        found.message,
                        super::at(&found.pointer),
                        pair.because,
                        quote(&pair.schema)
                    );
                    let at = place(document.line(&found.pointer));
                    checked.fault(Aspect::Instances, "does-not-fit", at, found.certainty, message);
                }
                told += wrong.len();
            }
            Err(EffortExceeded::Endless) => {
                checked.limit(format!(
                    "references of {} lead in a circle: no document was held against it",
                    quote(&pair.schema)
                ));
                return;
            }
            Err(EffortExceeded::TooMuch) => {
                checked.limit(format!(
                    "{} was not held against {}: that takes more than {} steps",
                    quote(&pair.instance),
                    quote(&pair.schema),
                    super::effort::VISITS_MAX
                ));
                return;
            }
        }
        if told >= FAULTS_MAX {
            break;
        }
    }
}

/// Finds which documents belong to which schemas of the tree; with it, how many name one on the network.
fn pairs(tree: &SchemaTree<'_>, library: &Library<'_>, checked: &mut Checked) -> (Vec<SchemaAssignment>, usize) {
    let mut pairs: BTreeMap<String, SchemaAssignment> = BTreeMap::new();
    let mut remote = 0;
    let mut add = |instance: &str, schema: &str, because: &str| {
        let pair =
            SchemaAssignment { instance: instance.to_owned(), schema: schema.to_owned(), because: because.to_owned() };
        if instance != schema && tree.texts.contains_key(instance) && tree.texts.contains_key(schema) {
            pairs.entry(instance.to_owned()).or_insert(pair);
        }
    };
    // What is said most plainly comes first.
    for declared in tree.declared {
        let Some(glob) = declared.instances.as_deref() else { continue };
        let Some(matcher) = matcher(glob) else { continue };
        for path in tree.texts.keys().filter(|path| matcher.is_match(path) && DocumentSyntax::of(path).is_some()) {
            add(path, &declared.schema, "assize.toml");
        }
    }
    for (path, text) in tree.texts {
        let Some(named) = DocumentSyntax::of(path).and_then(|syntax| named_in(syntax, text)) else { continue };
        match meant(tree, library, path, &named) {
            SchemaName::Schema(schema) => add(path, &schema, "its own word"),
            SchemaName::Network if is_draft(&named) => {}
            SchemaName::Network => remote += 1,
            SchemaName::Nothing => {
                let message = format!("it names {} as its schema, which is not there", quote(&named));
                checked.fault(Aspect::Instances, "no-schema", (path, 1), Certainty::Likely, message);
            }
            SchemaName::Outside => {}
        }
    }
    for (globs, schema) in tree.texts.get(SETTINGS).map(|text| settings(text)).unwrap_or_default() {
        let Some(schema) = beside("settings", &schema).filter(|schema| tree.texts.contains_key(schema)) else {
            continue;
        };
        for matcher in globs.iter().filter_map(|glob| editor_matcher(glob)) {
            for path in tree.texts.keys().filter(|path| matcher.is_match(path) && DocumentSyntax::of(path).is_some()) {
                add(path, &schema, "the editor's settings");
            }
        }
    }
    for schema in tree.texts.keys() {
        let Some(stem) = schema_stem(schema) else { continue };
        for extension in ["json", "jsonc", "yaml", "yml", "toml", "jsonl", "ndjson"] {
            add(&format!("{stem}.{extension}"), schema, "its name");
        }
    }
    (pairs.into_values().collect(), remote)
}

/// `a/order` for `a/order.schema.json`.
fn schema_stem(path: &str) -> Option<&str> {
    [".schema.json", ".schema.yaml", ".schema.yml"].iter().find_map(|ending| path.strip_suffix(ending))
}

fn matcher(glob: &str) -> Option<GlobMatcher> {
    GlobBuilder::new(glob.trim_start_matches("./"))
        .literal_separator(true)
        .build()
        .ok()
        .map(|glob| glob.compile_matcher())
}

/// Editors mean files of that name anywhere.
fn editor_matcher(glob: &str) -> Option<GlobMatcher> {
    let glob = glob.trim_start_matches("./");
    match glob.strip_prefix('/') {
        Some(rooted) => matcher(rooted),
        None if glob.starts_with("**/") => matcher(glob),
        None => matcher(&format!("**/{glob}")),
    }
}

/// What the name of a schema means.
enum SchemaName {
    Schema(String),
    Network,
    Outside,
    Nothing,
}

fn meant(tree: &SchemaTree<'_>, library: &Library<'_>, path: &str, named: &str) -> SchemaName {
    if is_absolute(named) {
        return library.by_id(named).map_or(SchemaName::Network, |schema| SchemaName::Schema(schema.to_owned()));
    }
    let Some(file) = beside(path, named) else { return SchemaName::Outside };
    let ignored = named.contains("node_modules/");
    match (tree.texts.contains_key(&file), tree.paths.contains(&file) || ignored) {
        (true, _) => SchemaName::Schema(file),
        (false, true) => SchemaName::Outside,
        (false, false) => SchemaName::Nothing,
    }
}

fn is_draft(uri: &str) -> bool {
    uri.contains("://json-schema.org/")
}

/// The schema that a file names itself: in a comment, or under `$schema` at its root.
fn named_in(syntax: DocumentSyntax, text: &str) -> Option<String> {
    let head = text.lines().take(HEAD_LINES_MAX);
    let mark = match syntax {
        DocumentSyntax::Yaml => "yaml-language-server:",
        DocumentSyntax::Toml => "#:schema",
        _ => "",
    };
    if !mark.is_empty() {
        for line in head.filter(|line| line.trim_start().starts_with('#')) {
            let Some((_, rest)) = line.split_once(mark) else { continue };
            let rest = rest.trim();
            let name = if syntax == DocumentSyntax::Yaml { rest.strip_prefix("$schema=")?.trim() } else { rest };
            let name = name.split_whitespace().next().unwrap_or_default();
            return (!name.is_empty()).then(|| name.to_owned());
        }
    }
    // Without it there is nothing to be found, and the file need not be parsed.
    if !text.contains("$schema") || syntax == DocumentSyntax::JsonLines {
        return None;
    }
    let documents: Vec<ParsedDocument> = read(syntax, text).ok()?;
    let named = documents.first()?.value.get("$schema")?.as_str()?;
    (!named.is_empty()).then(|| named.to_owned())
}

/// What the settings of an editor say: globs, and the path of a schema from the root.
fn settings(text: &str) -> Vec<(Vec<String>, String)> {
    let Ok(mut documents) = read(DocumentSyntax::JsonWithComments, text) else { return Vec::new() };
    let settings = documents.remove(0).value;
    let globs = |value: &Value| -> Vec<String> {
        match value {
            Value::String(one) => vec![one.clone()],
            Value::Array(list) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        }
    };
    let json = settings.get("json.schemas").and_then(Value::as_array).into_iter().flatten();
    let json = json.filter_map(|entry| Some((globs(entry.get("fileMatch")?), entry.get("url")?.as_str()?.to_owned())));
    let yaml = settings.get("yaml.schemas").and_then(Value::as_object).into_iter().flatten();
    let yaml = yaml.map(|(schema, files)| (globs(files), schema.clone()));
    json.chain(yaml).filter(|(_, schema)| !is_absolute(schema) && !file_name(schema).is_empty()).collect()
}
