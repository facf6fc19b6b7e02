//! Our entries in other programs' settings files.
//!
//! A settings file belongs to the person: every byte that is not ours stays as it is, and removing
//! our entries from what `install` wrote gives back what was there, to the byte, without a note
//! anywhere of what that was. The text is therefore never printed anew. Whole items are inserted
//! and cut out, and where they stand says what was there before:
//!
//! - An item is added at the end of its list, behind comments on the line of the item before. The
//!   white space in front of it is ours; so is the comma of the item before, unless the list ended
//!   in one, in which case ours ends in one too.
//! - A list that was empty gets a blank line in front of its first item, which one that we made
//!   does not have. Lists that we made go when our item was the only one; others stay.
//! - A file's `version` is added with the `hooks` that we make, behind them; one in front of them,
//!   or without hooks of our making, is not ours.
//!
//! An entry is ours if it runs a program called `assize` with `hook` and the agent's id as the last
//! words. People may move and change it; then the bytes are no longer promised, but nothing of
//! theirs goes. This module must not know any agent.

use std::path::Path;

use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Range;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::SettingsError;

/// Largest settings file that is read or written, in bytes.
pub(super) const SETTINGS_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Most entries of ours in one file; a file with more is refused.
pub(super) const ENTRIES_MAX: usize = 100;
/// The file name by which our program is known.
const PROGRAM: &str = "assize";
/// Fields of an entry in which agents have its command.
const COMMAND_FIELDS: [&str; 4] = ["command", "bash", "powershell", "exec"];
/// Widest indentation that is taken over.
const INDENT_MAX: usize = 8;

/// What stands where in an agent's settings.
pub(super) struct Layout {
    /// The agent, the last word of our command.
    pub(super) agent: &'static str,
    /// How entries are nested.
    pub(super) nesting: Nesting,
    /// The `version` of the file, where it needs one.
    pub(super) version: Option<u32>,
    /// The hooks that we need.
    pub(super) events: &'static [EventHook],
}

/// How entries are nested.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Nesting {
    /// An event has entries.
    Flat,
    /// An event has groups, which have entries under `hooks`.
    Grouped,
}

/// One hook that we need.
pub(super) struct EventHook {
    /// The agent's name for the event.
    pub(super) event: &'static str,
    /// Of which tools the event is wanted, for events of tools.
    pub(super) matcher: Option<&'static str>,
    /// The entry.
    pub(super) fields: &'static [(&'static str, EntryField)],
}

/// What a field of an entry says.
pub(super) enum EntryField {
    /// How to run us.
    Command,
    /// A text.
    Text(&'static str),
    /// A number.
    Number(u32),
}

/// Adds the hooks of a layout.
pub(super) fn install(layout: &Layout, settings: &str, program: &Path) -> Result<String, SettingsError> {
    let command = command_line(layout, program)?;
    edit(settings, |text| {
        let mut text = refresh(layout, text, &command)?;
        for hook in layout.events {
            text = add(layout, text, hook, &command)?;
        }
        Ok(text)
    })
}

/// Fails if a text has a comment or a trailing comma, for agents that read nothing of such a file.
pub(super) fn check_strict(layout: &Layout, settings: &str) -> Result<(), SettingsError> {
    let body = settings.strip_prefix('\u{feff}').unwrap_or(settings);
    // What is no JSON in other ways either is told with its place elsewhere.
    let is_close = SettingsDocument::parse(body, layout).is_ok();
    match serde_json::from_str::<serde::de::IgnoredAny>(body) {
        Err(wrong) if is_close && !body.trim().is_empty() => Err(error(format!(
            "line {}, column {}: a comment or a trailing comma; the agent reads nothing of such a file, and no hook in it runs: remove it first",
            wrong.line(),
            wrong.column()
        ))),
        _ => Ok(()),
    }
}

/// Returns whether a text has the hook of an event.
pub(super) fn has(layout: &Layout, settings: &str, event: &str) -> bool {
    let body = settings.strip_prefix('\u{feff}').unwrap_or(settings);
    let ours = SettingsDocument::parse(body, layout).and_then(|document| document.ours());
    ours.is_ok_and(|ours| ours.iter().any(|entry| entry.event == event))
}

/// Removes the hooks of a layout.
pub(super) fn uninstall(layout: &Layout, settings: &str) -> Result<String, SettingsError> {
    edit(settings, |mut text| {
        loop {
            let document = SettingsDocument::parse(&text, layout)?;
            let Some(last) = document.ours()?.pop() else { return Ok(text) };
            text = document.without(&last)?;
        }
    })
}

/// Applies a change to a text within our limit and without its byte order mark.
fn edit(settings: &str, change: impl FnOnce(String) -> Result<String, SettingsError>) -> Result<String, SettingsError> {
    let within_limit = |text: &str| {
        let is_within = text.len() <= SETTINGS_BYTES_MAX;
        is_within.then_some(()).ok_or_else(|| error(format!("the file has more than {SETTINGS_BYTES_MAX} bytes")))
    };
    within_limit(settings)?;
    let body = settings.strip_prefix('\u{feff}').unwrap_or(settings);
    let mark = &settings[..settings.len() - body.len()];
    let changed = format!("{mark}{}", change(body.to_owned())?);
    // There has to be a way back.
    within_limit(&changed)?;
    Ok(changed)
}

/// Brings entries of ours up to date that are there already: one for each event that we need.
fn refresh(layout: &Layout, mut text: String, command: &str) -> Result<String, SettingsError> {
    loop {
        let document = SettingsDocument::parse(&text, layout)?;
        let ours = document.ours()?;
        let superfluous = ours.iter().enumerate().rev().find(|(index, entry)| {
            let needed = layout.events.iter().any(|hook| hook.event == entry.event);
            !needed || ours[..*index].iter().any(|earlier| earlier.event == entry.event)
        });
        if let Some((_, entry)) = superfluous {
            text = document.without(entry)?;
            continue;
        }
        let Some(stale) = ours.iter().rev().find(|entry| entry.command.as_deref() != Some(command)) else {
            return Ok(text);
        };
        let hook = layout.events.iter().find(|hook| hook.event == stale.event);
        let (range, fresh) = match (stale.command_range, hook) {
            (Some(range), _) => (range, json(command)),
            (None, Some(hook)) => (stale.range, entry_text(hook, command)),
            (None, None) => return Ok(text),
        };
        text.replace_range(range.start..range.end, &fresh);
    }
}

/// Adds one hook, with all the others if there are none at all.
fn add(layout: &Layout, text: String, hook: &EventHook, command: &str) -> Result<String, SettingsError> {
    let document = SettingsDocument::parse(&text, layout)?;
    if document.ours()?.iter().any(|entry| entry.event == hook.event) {
        return Ok(text);
    }
    let Some(root) = &document.root else { return new_document(layout, &text, command) };
    let Some(hooks) = document.hooks() else {
        let with_hooks = Container::from(root).append(&text, |spread| hooks_text(layout, command, spread));
        let Some(version) = layout.version.filter(|_| root.get("version").is_none()) else { return Ok(with_hooks) };
        let document = SettingsDocument::parse(&with_hooks, layout)?;
        let Some(root) = &document.root else { return Ok(with_hooks) };
        return Ok(Container::from(root).append(&with_hooks, |_| version_text(version)));
    };
    Ok(match hooks.get_array(hook.event) {
        Some(entries) => Container::from(entries).append(&text, |_| item_text(layout, hook, command)),
        None => Container::from(hooks).append(&text, |_| event_text(layout, hook, command)),
    })
}

/// A settings file.
struct SettingsDocument<'a> {
    text: &'a str,
    layout: &'a Layout,
    root: Option<Object<'a>>,
}

/// An entry of ours.
struct SettingsEntry {
    event: String,
    /// Its place: the property of the event, the item of it, the entry of the item's group.
    event_index: usize,
    item_index: usize,
    entry_index: Option<usize>,
    range: Range,
    /// What it runs, and where that stands, if it is one command line.
    command: Option<String>,
    command_range: Option<Range>,
}

impl<'a> SettingsDocument<'a> {
    /// Reads a text and makes sure that what we look at has the types that it should have.
    fn parse(text: &'a str, layout: &'a Layout) -> Result<Self, SettingsError> {
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let parsed = parse_to_ast(text, &CollectOptions::default(), &options).map_err(|cause| {
            let (line, column) = (cause.line_display(), cause.column_display());
            error(format!("line {line}, column {column}: {}", lowercase_first(&cause.kind().to_string())))
        })?;
        let root = match parsed.value {
            None => None,
            Some(Value::Object(root)) => Some(root),
            Some(other) => return Err(wrong_type(text, range_of(&other), "the file", "an object")),
        };
        let document = Self { text, layout, root };
        document.check()?;
        Ok(document)
    }

    fn check(&self) -> Result<(), SettingsError> {
        let Some(root) = &self.root else { return Ok(()) };
        self.single(root, "hooks")?;
        self.single(root, "version")?;
        let Some(property) = root.get("hooks") else { return Ok(()) };
        let Value::Object(hooks) = &property.value else {
            return Err(wrong_type(self.text, range_of(&property.value), "`hooks`", "an object"));
        };
        for hook in self.layout.events {
            self.single(hooks, hook.event)?;
            let Some(property) = hooks.get(hook.event) else { continue };
            if !matches!(property.value, Value::Array(_)) {
                let name = format!("`hooks.{}`", hook.event);
                return Err(wrong_type(self.text, range_of(&property.value), &name, "a list"));
            }
        }
        Ok(())
    }

    /// Makes sure that a key is there at most once: of two, it is unknown which one counts.
    fn single(&self, object: &Object<'_>, key: &str) -> Result<(), SettingsError> {
        match object.properties.iter().filter(|property| property.name.as_str() == key).nth(1) {
            None => Ok(()),
            Some(second) => {
                let (line, column) = place(self.text, second.range.start);
                Err(error(format!("line {line}, column {column}: `{key}` is there twice")))
            }
        }
    }

    fn hooks(&self) -> Option<&Object<'a>> {
        self.root.as_ref()?.get_object("hooks")
    }

    /// Returns our entries in the order of the file.
    fn ours(&self) -> Result<Vec<SettingsEntry>, SettingsError> {
        let mut found = Vec::new();
        let properties = self.hooks().map_or(&[][..], |hooks| &hooks.properties);
        for (event_index, property) in properties.iter().enumerate() {
            let Value::Array(items) = &property.value else { continue };
            for (item_index, item) in items.elements.iter().enumerate() {
                let entries: Vec<(Option<usize>, &Object<'_>)> = match entries_of(item) {
                    Some(entries) => {
                        let objects = entries.elements.iter().enumerate();
                        objects.filter_map(|(index, entry)| Some((Some(index), entry.as_object()?))).collect()
                    }
                    None => item.as_object().map(|entry| (None, entry)).into_iter().collect(),
                };
                let ours = entries.into_iter().filter(|(_, entry)| is_ours(entry, self.layout.agent));
                found.extend(ours.map(|(entry_index, entry)| {
                    let command = self.command_of(entry);
                    SettingsEntry {
                        event: property.name.as_str().to_owned(),
                        event_index,
                        item_index,
                        entry_index,
                        range: entry.range,
                        command_range: command.as_ref().map(|(range, _)| *range),
                        command: command.map(|(_, command)| command),
                    }
                }));
            }
        }
        if found.len() > ENTRIES_MAX {
            return Err(error(format!("there are more than {ENTRIES_MAX} entries of ours")));
        }
        Ok(found)
    }

    /// Returns the command of an entry if it stands where this layout has it, in one piece.
    fn command_of(&self, entry: &Object<'_>) -> Option<(Range, String)> {
        let fields = self.layout.events.iter().flat_map(|hook| hook.fields);
        let key = fields.filter(|(_, field)| matches!(field, EntryField::Command)).map(|(key, _)| *key).next()?;
        let command = entry.get_string(key)?;
        entry.get("args").is_none().then(|| (command.range, command.value.to_string()))
    }

    /// Returns the text without an entry, and without what we made around it.
    fn without(&self, entry: &SettingsEntry) -> Result<String, SettingsError> {
        // The text must get shorter, so that a caller that repeats this until no entry is left comes to an end.
        let shorter = self.cut_out(entry).filter(|text| text.len() < self.text.len());
        shorter.ok_or_else(|| {
            let (line, column) = place(self.text, entry.range.start);
            error(format!("line {line}, column {column}: our entry cannot be removed"))
        })
    }

    fn cut_out(&self, entry: &SettingsEntry) -> Option<String> {
        let (root, hooks) = (self.root.as_ref()?, self.hooks()?);
        let items = hooks.properties.get(entry.event_index)?.value.as_array()?;
        if let (Some(index), Some(entries)) =
            (entry.entry_index, items.elements.get(entry.item_index).and_then(entries_of))
            && entries.elements.len() > 1
        {
            return Some(Container::from(entries).remove(self.text, index));
        }
        let items = Container::from(items);
        if !items.goes_with_its_only_item(self.text) {
            return Some(items.remove(self.text, entry.item_index));
        }
        let events = Container::from(hooks);
        if !events.goes_with_its_only_item(self.text) {
            return Some(events.remove(self.text, entry.event_index));
        }
        let sections = Container::from(root);
        let index = root.properties.iter().position(|property| property.name.as_str() == "hooks")?;
        // Ours follows the hooks that we made; once it is gone, those are the next to go.
        if root.properties.get(index + 1).is_some_and(|next| self.is_version(next)) {
            return Some(sections.remove(self.text, index + 1));
        }
        if !sections.goes_with_its_only_item(self.text) {
            return Some(sections.remove(self.text, index));
        }
        let behind = &self.text[root.range.end..];
        let behind = behind.strip_prefix("\r\n").or_else(|| behind.strip_prefix('\n')).unwrap_or(behind);
        Some(format!("{}{behind}", &self.text[..root.range.start]))
    }

    fn is_version(&self, property: &ObjectProp<'_>) -> bool {
        let value = property.value.as_number_lit().map(|number| number.value);
        property.name.as_str() == "version"
            && self.layout.version.is_some_and(|version| value == Some(version.to_string().as_str()))
    }
}

/// Braces or brackets with what they hold.
struct Container {
    /// Where the opening one ends and the closing one begins.
    inside: Range,
    items: Vec<Range>,
}

impl From<&Object<'_>> for Container {
    fn from(object: &Object<'_>) -> Self {
        let items = object.properties.iter().map(|property| property.range).collect();
        Self { inside: Range::new(object.range.start + 1, object.range.end - 1), items }
    }
}

impl From<&Array<'_>> for Container {
    fn from(array: &Array<'_>) -> Self {
        let items = array.elements.iter().map(range_of).collect();
        Self { inside: Range::new(array.range.start + 1, array.range.end - 1), items }
    }
}

/// How an item is spread over lines.
enum LineLayout<'a> {
    OneLine,
    Lines { newline: &'a str, indent: &'a str, unit: &'a str },
}

impl Container {
    /// Adds an item at the end.
    fn append(&self, text: &str, item: impl FnOnce(&LineLayout<'_>) -> String) -> String {
        let newline = newline_of(text);
        let unit = unit_of(text);
        let outer = line_indent(text, self.inside.start);
        let Some((first, last)) = self.items.first().zip(self.items.last()) else {
            let indent = format!("{outer}{unit}");
            let item = item(&LineLayout::Lines { newline, indent: &indent, unit: &unit });
            let (before, after) = text.split_at(self.inside.end);
            return format!("{before}{newline}{newline}{indent}{item}{newline}{outer}{after}");
        };
        let gap = pieces(text, last.end, self.inside.end);
        let at =
            gap.iter().rev().find(|piece| piece.kind != TriviaKind::Space).map_or(last.end, |piece| piece.range.end);
        let has_comma = gap.iter().any(|piece| piece.kind == TriviaKind::Comma);
        let (comma_before, comma_after) = if has_comma { ("", ",") } else { (",", "") };
        let is_broken = |start: usize, end: usize| text[start..end].contains(['\n', '\r']);
        let in_lines = is_broken(self.inside.start, first.start) || is_broken(last.end, self.inside.end);
        let (space, item) = if in_lines {
            let indent = own_indent(text, first.start).map_or_else(|| format!("{outer}{unit}"), str::to_owned);
            let item = item(&LineLayout::Lines { newline, indent: &indent, unit: &unit });
            (format!("{newline}{indent}"), item)
        } else {
            (" ".to_owned(), item(&LineLayout::OneLine))
        };
        let (before, between, after) = (&text[..last.end], &text[last.end..at], &text[at..]);
        format!("{before}{comma_before}{between}{space}{item}{comma_after}{after}")
    }

    /// Returns whether the container is to be removed with the one item that it holds: the container
    /// was not there before, and no other text was written into it.
    fn goes_with_its_only_item(&self, text: &str) -> bool {
        let [item] = self.items[..] else { return false };
        let (before, after) = (pieces(text, self.inside.start, item.start), pieces(text, item.end, self.inside.end));
        let is_commented = before.iter().chain(&after).any(|piece| piece.kind.is_comment());
        !is_commented && text[self.inside.start..item.start].matches('\n').count() < 2
    }

    /// Returns the text without an item.
    fn remove(&self, text: &str, index: usize) -> String {
        let item = self.items[index];
        let start = if index == 0 { self.inside.start } else { self.items[index - 1].end };
        let end = self.items.get(index + 1).map_or(self.inside.end, |next| next.start);
        let (before, after) = (pieces(text, start, item.start), pieces(text, item.end, end));
        let comma = |pieces: &[TriviaPiece]| {
            pieces.iter().find(|piece| piece.kind == TriviaKind::Comma).map(|comma| comma.range)
        };
        let comma_after = comma(&after);
        let is_last = index + 1 == self.items.len();
        let mut cuts = vec![item];
        cuts.extend(comma_after.or_else(|| comma(&before).filter(|_| is_last)));
        let (space, behind_comment) = match &before[..] {
            [.., comment, space] if space.kind == TriviaKind::Space => {
                (Some(space.range), comment.kind == TriviaKind::LineComment)
            }
            [space] if space.kind == TriviaKind::Space => (Some(space.range), false),
            _ => (None, false),
        };
        let Some(space) = space else { return cut(text, cuts) };
        // Nothing may end up in a comment that ends with its line.
        let blank = blank_line(&text[space.start..space.end]);
        let blank = blank.filter(|at| self.items.len() == 1 && (*at > 0 || !behind_comment));
        let rest = &text[comma_after.filter(|comma| comma.start == item.end).unwrap_or(item).end..];
        match blank {
            // The container was empty, apart from what stands in front of our blank line.
            Some(at) => {
                cuts.push(Range::new(space.start + at, space.end));
                if !after.iter().any(|piece| piece.kind.is_comment()) {
                    cuts.extend(after.iter().filter(|piece| piece.kind == TriviaKind::Space).map(|piece| piece.range));
                }
            }
            None if !behind_comment || rest.starts_with(['\n', '\r']) => cuts.push(space),
            None => {}
        }
        cut(text, cuts)
    }
}

/// Returns where the blank line begins that we add before the first item of an empty container: at
/// the last but one line end of this white space.
fn blank_line(space: &str) -> Option<usize> {
    let last = space.rfind('\n')?;
    let newline = if space[..last].ends_with('\r') { "\r\n" } else { "\n" };
    let before = &space[..last + 1 - newline.len()];
    before.strip_suffix(newline).map(str::len)
}

/// What stands between two items.
struct TriviaPiece {
    kind: TriviaKind,
    range: Range,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TriviaKind {
    Space,
    LineComment,
    BlockComment,
    Comma,
    /// Not between two items of a text that could be parsed.
    Unknown,
}

impl TriviaKind {
    fn is_comment(self) -> bool {
        matches!(self, Self::LineComment | Self::BlockComment)
    }
}

/// Takes apart what stands between two items.
fn pieces(text: &str, start: usize, end: usize) -> Vec<TriviaPiece> {
    let mut pieces = Vec::new();
    let mut at = start;
    while at < end {
        let rest = &text[at..end];
        let space = rest.find(|character: char| !character.is_whitespace()).unwrap_or(rest.len());
        let (kind, length) = if space > 0 {
            (TriviaKind::Space, space)
        } else if rest.starts_with("//") {
            (TriviaKind::LineComment, rest.find(['\n', '\r']).unwrap_or(rest.len()))
        } else if let Some(comment) = rest.strip_prefix("/*") {
            (TriviaKind::BlockComment, comment.find("*/").map_or(rest.len(), |close| close + 4))
        } else {
            let kind = if rest.starts_with(',') { TriviaKind::Comma } else { TriviaKind::Unknown };
            (kind, rest.chars().next().map_or(1, char::len_utf8))
        };
        pieces.push(TriviaPiece { kind, range: Range::new(at, at + length) });
        at += length;
    }
    pieces
}

/// Cuts ranges, which must not overlap, out of a text.
fn cut(text: &str, mut ranges: Vec<Range>) -> String {
    ranges.sort_by_key(|range| range.start);
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        kept.push_str(&text[at..range.start]);
        at = range.end;
    }
    kept.push_str(&text[at..]);
    kept
}

/// Writes the file for a text that has no value in it.
fn new_document(layout: &Layout, text: &str, command: &str) -> Result<String, SettingsError> {
    let newline = newline_of(text);
    if pieces(text, 0, text.len()).last().is_some_and(|piece| piece.kind == TriviaKind::LineComment) {
        let (line, column) = place(text, text.len());
        return Err(error(format!("line {line}, column {column}: the comment needs a line end")));
    }
    let spread = LineLayout::Lines { newline, indent: "  ", unit: "  " };
    let mut sections = vec![hooks_text(layout, command, &spread)];
    sections.extend(layout.version.map(version_text));
    let sections = sections.join(&format!(",{newline}  "));
    Ok(format!("{text}{{{newline}  {sections}{newline}}}{newline}"))
}

/// Writes the property that has all hooks.
fn hooks_text(layout: &Layout, command: &str, spread: &LineLayout<'_>) -> String {
    let events: Vec<String> = layout.events.iter().map(|hook| event_text(layout, hook, command)).collect();
    match spread {
        LineLayout::OneLine => format!("\"hooks\": {{{}}}", events.join(", ")),
        LineLayout::Lines { newline, indent, unit } => {
            let line = format!("{newline}{indent}{unit}");
            format!("\"hooks\": {{{line}{}{newline}{indent}}}", events.join(&format!(",{line}")))
        }
    }
}

fn version_text(version: u32) -> String {
    format!("\"version\": {version}")
}

/// Writes the property of an event. It stays on one line, so that a diff of it is short.
fn event_text(layout: &Layout, hook: &EventHook, command: &str) -> String {
    format!("{}: [{}]", json(hook.event), item_text(layout, hook, command))
}

/// Writes what an event has a list of.
fn item_text(layout: &Layout, hook: &EventHook, command: &str) -> String {
    let entry = entry_text(hook, command);
    match layout.nesting {
        Nesting::Flat => entry,
        Nesting::Grouped => {
            let matcher = hook.matcher.map(|matcher| format!("\"matcher\": {}, ", json(matcher)));
            format!("{{{}\"hooks\": [{entry}]}}", matcher.unwrap_or_default())
        }
    }
}

fn entry_text(hook: &EventHook, command: &str) -> String {
    let fields: Vec<String> = hook
        .fields
        .iter()
        .map(|(key, field)| match field {
            EntryField::Command => format!("{}: {}", json(key), json(command)),
            EntryField::Text(text) => format!("{}: {}", json(key), json(text)),
            EntryField::Number(number) => format!("{}: {number}", json(key)),
        })
        .collect();
    format!("{{{}}}", fields.join(", "))
}

/// Writes the command line that runs us.
fn command_line(layout: &Layout, program: &Path) -> Result<String, SettingsError> {
    let shown = program.display();
    if !program.is_absolute() {
        return Err(error(format!("the path of the program is not absolute: {shown}")));
    }
    if !is_program(program) {
        let detail = format!("the program has to be called {PROGRAM} for its hooks to be found again: {shown}");
        return Err(error(detail));
    }
    let path = program.to_str().ok_or_else(|| error(format!("the path of the program is not UTF-8: {shown}")))?;
    let path =
        shlex::try_quote(path).map_err(|_| error(format!("the path of the program has a zero byte: {shown}")))?;
    Ok(format!("{path} hook {}", layout.agent))
}

/// Returns whether an entry runs us for this agent.
fn is_ours(entry: &Object<'_>, agent: &str) -> bool {
    COMMAND_FIELDS.iter().filter_map(|field| entry.get_string(field)).any(|command| {
        let mut words = match entry.get_array("args") {
            None => shlex::split(&command.value).unwrap_or_default(),
            Some(arguments) => {
                let arguments = arguments.elements.iter().filter_map(|argument| argument.as_string_lit());
                let arguments = arguments.map(|argument| argument.value.to_string());
                std::iter::once(command.value.to_string()).chain(arguments).collect()
            }
        };
        let last = words.pop();
        let verb = words.pop();
        last.as_deref() == Some(agent)
            && verb.as_deref() == Some("hook")
            && words.first().is_some_and(|program| is_program(Path::new(program)))
    })
}

fn is_program(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.strip_suffix(".exe").unwrap_or(name) == PROGRAM)
}

/// Returns the entries of a group.
fn entries_of<'b, 'a>(item: &'b Value<'a>) -> Option<&'b Array<'a>> {
    item.as_object()?.get_array("hooks")
}

/// Returns the line end that a text has.
fn newline_of(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Returns by how much a text indents.
fn unit_of(text: &str) -> String {
    let indents = text.lines().filter(|line| !line.trim().is_empty()).map(|line| line_indent(line, 0));
    match indents.map(|indent| indent.to_owned()).find(|indent| !indent.is_empty()) {
        Some(indent) if indent.starts_with('\t') => "\t".to_owned(),
        Some(indent) if indent.len() <= INDENT_MAX => indent,
        _ => "  ".to_owned(),
    }
}

/// Returns the indentation of the line of a place.
fn line_indent(text: &str, at: usize) -> &str {
    let line = &text[text[..at].rfind('\n').map_or(0, |newline| newline + 1)..];
    &line[..line.find(|character| !matches!(character, ' ' | '\t')).unwrap_or(line.len())]
}

/// Returns the indentation of a place that is the first of its line.
fn own_indent(text: &str, at: usize) -> Option<&str> {
    let line = &text[text[..at].rfind('\n')? + 1..at];
    line.chars().all(|character| matches!(character, ' ' | '\t')).then_some(line)
}

/// Returns line and column, from one.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let line = before.rfind('\n').map_or(before, |newline| &before[newline + 1..]);
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}

fn range_of(value: &Value<'_>) -> Range {
    match value {
        Value::StringLit(node) => node.range,
        Value::NumberLit(node) => node.range,
        Value::BooleanLit(node) => node.range,
        Value::Object(node) => node.range,
        Value::Array(node) => node.range,
        Value::NullKeyword(node) => node.range,
    }
}

fn wrong_type(text: &str, range: Range, what: &str, wanted: &str) -> SettingsError {
    let (line, column) = place(text, range.start);
    error(format!("line {line}, column {column}: {what} is not {wanted}"))
}

fn lowercase_first(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map(|first| first.to_lowercase().chain(characters).collect()).unwrap_or_default()
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn error(detail: String) -> SettingsError {
    SettingsError { detail }
}

#[cfg(test)]
mod tests;
