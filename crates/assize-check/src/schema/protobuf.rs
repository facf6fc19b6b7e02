//! Protocol buffers: whether a file can be read, whether its numbers are in order, and what a change breaks on the wire.
//!
//! The crate `protox-parse` reads the files, one by one; what they import need not be there. Who has sent messages of an
//! older state is not known, so whatever gives a number another meaning breaks somebody.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::finding::Certainty;
use assize_core::text::quote;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto};

use super::{Aspect, Checked, SchemaFault, SchemaTree};

/// Largest number of a field.
pub const NUMBER_MAX: i32 = 536_870_911;
/// Numbers that belong to the makers of the format.
pub const NUMBERS_RESERVED: std::ops::RangeInclusive<i32> = 19_000..=19_999;

/// Looks at every file.
pub(super) fn check(tree: &SchemaTree<'_>, checked: &mut Checked) {
    let mut files = Vec::new();
    for (path, text) in proto_files(tree) {
        match parse(path, text) {
            ParsedProtobuf::File(file, lines) => files.push((path, file, lines)),
            ParsedProtobuf::Unknown => checked
                .limit(format!("{} is written in an edition or has options that are not known here", quote(path))),
            ParsedProtobuf::Broken(line, message) => {
                checked.saw(Aspect::Protobuf);
                checked.fault(Aspect::Protobuf, "unreadable", (path, line), Certainty::Certain, message);
            }
        }
    }
    let names: Vec<String> = files.iter().flat_map(|(_, file, _)| type_names(file)).collect();
    let known = endings(names.iter().map(String::as_str), '.');
    let there = endings(files.iter().map(|(path, ..)| *path), '/');
    // What is imported in public is handed on to whoever imports the file.
    let hands_on = |file: &FileDescriptorProto| {
        let mut public =
            file.public_dependency.iter().filter_map(|index| file.dependency.get(usize::try_from(*index).ok()?));
        public.any(|import| !is_there(&there, import))
    };
    let opened = files.iter().any(|(_, file, _)| hands_on(file));
    for (path, file, lines) in &files {
        checked.saw(Aspect::Protobuf);
        // The format's own files may be told apart from what is brought along with compilers.
        let own = file.package().starts_with("google.") || file.package() == "google";
        let closed = !own && !opened && file.dependency.iter().all(|import| is_there(&there, import));
        let mut look = ProtobufCheck { path, lines, known: &known, closed, checked };
        look.file(file);
    }
}

/// Every name with everything that it ends with from a separator on: `a.b.C`, `b.C`, `C`.
fn endings<'n>(names: impl Iterator<Item = &'n str>, separator: char) -> BTreeSet<&'n str> {
    let mut found = BTreeSet::new();
    for name in names {
        let mut rest = name;
        found.insert(rest);
        while let Some((_, after)) = rest.split_once(separator) {
            rest = after;
            found.insert(rest);
        }
    }
    found
}

/// Returns whether an import can be known: it lies in the tree, or is a part of the format.
fn is_there(there: &BTreeSet<&str>, import: &str) -> bool {
    import.starts_with("google/protobuf/") || there.contains(import)
}

fn proto_files<'a>(tree: &SchemaTree<'a>) -> impl Iterator<Item = (&'a str, &'a str)> {
    tree.texts.iter().filter(|(path, _)| path.ends_with(".proto")).map(|(path, text)| (path.as_str(), text.as_str()))
}

enum ParsedProtobuf {
    File(Box<FileDescriptorProto>, BTreeMap<Vec<i32>, u32>),
    Unknown,
    Broken(u32, String),
}

fn parse(path: &str, text: &str) -> ParsedProtobuf {
    let edition = text
        .lines()
        .any(|line| line.trim_start().strip_prefix("edition").is_some_and(|rest| rest.trim_start().starts_with('=')));
    if edition {
        return ParsedProtobuf::Unknown;
    }
    match protox_parse::parse(path, text) {
        Ok(mut file) => {
            let places = file.source_code_info.take().unwrap_or_default().location;
            let line = |span: &[i32]| span.first().and_then(|line| u32::try_from(line + 1).ok()).unwrap_or(1);
            let lines = places.iter().map(|place| (place.path.clone(), line(&place.span))).collect();
            ParsedProtobuf::File(Box::new(file), lines)
        }
        // Options of ranges, which the parser does not know.
        Err(error) if error.to_string().ends_with("found '['") => ParsedProtobuf::Unknown,
        Err(error) => {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or(text);
            let line = u32::try_from(before.matches('\n').count() + 1).unwrap_or(u32::MAX);
            ParsedProtobuf::Broken(line, error.to_string())
        }
    }
}

/// The full names of all types of a file.
fn type_names(file: &FileDescriptorProto) -> Vec<String> {
    let mut names = Vec::new();
    let mut left: Vec<(String, &DescriptorProto)> =
        file.message_type.iter().map(|message| (file.package().to_owned(), message)).collect();
    names.extend(file.enum_type.iter().map(|of| format!("{}.{}", file.package(), of.name())));
    while let Some((around, message)) = left.pop() {
        let name = format!("{around}.{}", message.name());
        names.extend(message.enum_type.iter().map(|of| format!("{name}.{}", of.name())));
        left.extend(message.nested_type.iter().map(|inner| (name.clone(), inner)));
        names.push(name);
    }
    names
}

struct ProtobufCheck<'l, 'c> {
    path: &'l str,
    lines: &'l BTreeMap<Vec<i32>, u32>,
    known: &'l BTreeSet<&'l str>,
    closed: bool,
    checked: &'c mut Checked,
}

impl ProtobufCheck<'_, '_> {
    fn fault(&mut self, code: &str, place: &[i32], message: String) {
        let line = (0..=place.len()).rev().find_map(|length| self.lines.get(&place[..length])).copied().unwrap_or(1);
        self.checked.fault(Aspect::Protobuf, code, (self.path, line), Certainty::Certain, message);
    }

    fn file(&mut self, file: &FileDescriptorProto) {
        let mut names = BTreeMap::new();
        for (index, message) in file.message_type.iter().enumerate() {
            let place = vec![4, number(index)];
            self.once(&mut names, message.name(), &place, "this file");
            self.message(message, &place, file.syntax());
        }
        for (index, of) in file.enum_type.iter().enumerate() {
            let place = vec![5, number(index)];
            self.once(&mut names, of.name(), &place, "this file");
            self.enumeration(of, &place, file.syntax());
        }
    }

    /// Notes a name, and files a fault where it is taken.
    fn once(&mut self, names: &mut BTreeMap<String, ()>, name: &str, place: &[i32], within: &str) {
        if names.insert(name.to_owned(), ()).is_some() {
            self.fault("duplicate-name", place, format!("{} is defined twice in {within}", quote(name)));
        }
    }

    fn message(&mut self, message: &DescriptorProto, place: &[i32], syntax: &str) {
        let within = quote(message.name());
        let mut names = BTreeMap::new();
        let mut numbers: BTreeMap<i32, &str> = BTreeMap::new();
        for (index, field) in message.field.iter().enumerate() {
            let place = [place, &[2, number(index)]].concat();
            self.once(&mut names, field.name(), &place, &within);
            if let Some(other) = numbers.insert(field.number(), field.name()) {
                let message = format!("{} has the number {} of {}", quote(field.name()), field.number(), quote(other));
                self.fault("duplicate-number", &place, message);
            }
            self.number_of(field, message, &place);
            self.type_of(field, &place);
        }
        for (index, inner) in message.nested_type.iter().enumerate() {
            let place = [place, &[3, number(index)]].concat();
            let is_map = inner.options.as_ref().is_some_and(|options| options.map_entry());
            if !is_map {
                self.once(&mut names, inner.name(), &place, &within);
                self.message(inner, &place, syntax);
            }
        }
        for (index, of) in message.enum_type.iter().enumerate() {
            let place = [place, &[4, number(index)]].concat();
            self.once(&mut names, of.name(), &place, &within);
            self.enumeration(of, &place, syntax);
        }
    }

    fn number_of(&mut self, field: &FieldDescriptorProto, message: &DescriptorProto, place: &[i32]) {
        let number = field.number();
        if !(1..=NUMBER_MAX).contains(&number) || NUMBERS_RESERVED.contains(&number) {
            let message = format!(
                "{} has the number {number}; numbers go from 1 to {NUMBER_MAX}, without {} to {}",
                quote(field.name()),
                NUMBERS_RESERVED.start(),
                NUMBERS_RESERVED.end()
            );
            self.fault("number-out-of-range", place, message);
        }
        if message.reserved_range.iter().any(|range| (range.start()..range.end()).contains(&number)) {
            self.fault(
                "reserved",
                place,
                format!("{} has the number {number}, which is reserved", quote(field.name())),
            );
        }
        if message.reserved_name.iter().any(|name| name == field.name()) {
            self.fault("reserved", place, format!("the name {} is reserved", quote(field.name())));
        }
    }

    /// A type that no file of the tree defines, where all imports are there.
    fn type_of(&mut self, field: &FieldDescriptorProto, place: &[i32]) {
        let named = field.type_name().trim_start_matches('.');
        if named.is_empty() || !self.closed || named.contains("google.protobuf.") {
            return;
        }
        let relative_to_google = named.starts_with("protobuf.");
        if !self.known.contains(named) && !relative_to_google {
            self.fault("unknown-type", place, format!("no file defines the type {}", quote(named)));
        }
    }

    fn enumeration(&mut self, of: &EnumDescriptorProto, place: &[i32], syntax: &str) {
        let within = quote(of.name());
        // Options are handed on as they were written.
        let says_aliases = |option: &prost_types::UninterpretedOption| {
            let name = option.name.first().map(|part| part.name_part.as_str());
            name == Some("allow_alias") && option.identifier_value() == "true"
        };
        let aliases = of
            .options
            .as_ref()
            .is_some_and(|options| options.allow_alias() || options.uninterpreted_option.iter().any(says_aliases));
        let mut names = BTreeMap::new();
        let mut numbers: BTreeMap<i32, &str> = BTreeMap::new();
        for (index, value) in of.value.iter().enumerate() {
            let place = [place, &[2, number(index)]].concat();
            self.once(&mut names, value.name(), &place, &within);
            if let Some(other) = numbers.insert(value.number(), value.name()).filter(|_| !aliases) {
                let message = format!("{} has the number {} of {}", quote(value.name()), value.number(), quote(other));
                self.fault("duplicate-number", &place, message);
            }
            let reserved = of.reserved_range.iter();
            let reserved = reserved.clone().any(|range| (range.start()..=range.end()).contains(&value.number()))
                || of.reserved_name.iter().any(|name| name == value.name());
            if reserved {
                self.fault("reserved", &place, format!("{} or its number is reserved", quote(value.name())));
            }
        }
        let first = of.value.first().map(|value| value.number());
        if syntax == "proto3" && first.is_some_and(|first| first != 0) {
            let place = [place, &[2, 0]].concat();
            self.fault("first-not-zero", &place, format!("the first value of {within} is not 0, as proto3 wants it"));
        }
    }
}

fn number(index: usize) -> i32 {
    i32::try_from(index).unwrap_or(i32::MAX)
}

/// A message as it is on the wire.
#[derive(Debug, Clone, Default)]
struct Wire {
    path: String,
    line: u32,
    fields: BTreeMap<i32, WireField>,
    reserved: Vec<(i32, i32)>,
    /// Its package calls itself unfinished.
    unstable: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct WireField {
    name: String,
    kind: String,
    group: &'static str,
    repeated: bool,
    line: u32,
}

/// Says what a change breaks on the wire.
pub fn breaks(before: &SchemaTree<'_>, after: &SchemaTree<'_>) -> Vec<SchemaFault> {
    let (old, new) = (wires(before), wires(after));
    let mut checked = Checked::default();
    for (name, was) in &old {
        // A message that is gone as a whole has no number that could be used again.
        let Some(is) = new.get(name) else { continue };
        for (number, field) in &was.fields {
            let sure = if was.unstable || is.unstable { Certainty::Likely } else { Certainty::Certain };
            match is.fields.get(number) {
                None if is.reserved.iter().any(|(from, to)| (*from..*to).contains(number)) => {}
                None => {
                    let message = format!(
                        "number {number} ({}) of {} is gone and not reserved: it could be used again for something else",
                        quote(&field.name),
                        quote(name)
                    );
                    checked.fault(Aspect::Protobuf, "number-removed", (&is.path, is.line), sure, message);
                }
                Some(now) => changed(&mut checked, name, *number, (field, now), (is, &new), sure),
            }
        }
    }
    checked.faults
}

fn changed(
    checked: &mut Checked,
    name: &str,
    number: i32,
    (was, now): (&WireField, &WireField),
    (message, all): (&Wire, &BTreeMap<String, Wire>),
    sure: Certainty,
) {
    let place = (message.path.as_str(), now.line);
    let moved = was.name != now.name && message.fields.values().any(|field| field.name == was.name);
    if moved {
        let what =
            format!("number {number} of {} was {} and is now {}", quote(name), quote(&was.name), quote(&now.name));
        checked.fault(Aspect::Protobuf, "number-reused", place, sure, what);
        return;
    }
    let same_kind = was.kind == now.kind;
    if same_kind && was.repeated == now.repeated {
        return;
    }
    // A message or enumeration that was renamed is the same on the wire.
    let known = |kind: &str| all.keys().any(|known| known.rsplit('.').next() == Some(kind));
    let renamed = was.group == "named" && now.group == "named" && !known(last(&was.kind));
    let compatible = renamed || same_kind || was.group == now.group && was.group != "named";
    let certainty = if compatible { Certainty::Likely } else { sure };
    let shown = |field: &WireField| format!("{}{}", if field.repeated { "repeated " } else { "" }, field.kind);
    let what = format!(
        "number {number} ({}) of {} was {} and is now {}",
        quote(&now.name),
        quote(name),
        quote(&shown(was)),
        quote(&shown(now))
    );
    checked.fault(Aspect::Protobuf, "type-changed", place, certainty, what);
}

fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

fn wires(tree: &SchemaTree<'_>) -> BTreeMap<String, Wire> {
    let mut found = BTreeMap::new();
    for (path, text) in proto_files(tree) {
        let ParsedProtobuf::File(file, lines) = parse(path, text) else { continue };
        let package = file.package().to_owned();
        let unstable = package.rsplit('.').next().is_some_and(|last| last.contains("alpha") || last.contains("beta"));
        let mut left: Vec<(String, Vec<i32>, &DescriptorProto)> = file
            .message_type
            .iter()
            .enumerate()
            .map(|(index, message)| (package.clone(), vec![4, number(index)], message))
            .collect();
        while let Some((around, place, message)) = left.pop() {
            let name =
                if around.is_empty() { message.name().to_owned() } else { format!("{around}.{}", message.name()) };
            for (index, inner) in message.nested_type.iter().enumerate() {
                left.push((name.clone(), [place.as_slice(), &[3, number(index)]].concat(), inner));
            }
            let line = |place: &[i32]| lines.get(place).copied().unwrap_or(1);
            let fields = message.field.iter().enumerate().map(|(index, field)| {
                let place = [place.as_slice(), &[2, number(index)]].concat();
                (field.number(), wire_field(field, line(&place)))
            });
            let reserved = message.reserved_range.iter().map(|range| (range.start(), range.end())).collect();
            let wire = Wire { path: path.to_owned(), line: line(&place), fields: fields.collect(), reserved, unstable };
            found.insert(name, wire);
        }
    }
    found
}

/// A field with the group of types that read each other's bytes.
fn wire_field(field: &FieldDescriptorProto, line: u32) -> WireField {
    let plain = field.r#type.and_then(|kind| Type::try_from(kind).ok());
    let named = !field.type_name().is_empty();
    let group = match plain {
        _ if named => "named",
        Some(Type::Int32 | Type::Int64 | Type::Uint32 | Type::Uint64 | Type::Bool) => "varint",
        Some(Type::Sint32 | Type::Sint64) => "zigzag",
        Some(Type::Fixed32 | Type::Sfixed32) => "fixed32",
        Some(Type::Fixed64 | Type::Sfixed64) => "fixed64",
        Some(Type::String | Type::Bytes) => "bytes",
        Some(Type::Float) => "float",
        Some(Type::Double) => "double",
        _ => "named",
    };
    let kind = match plain {
        Some(kind) if !named => kind.as_str_name().trim_start_matches("TYPE_").to_ascii_lowercase(),
        _ => last(field.type_name()).to_owned(),
    };
    WireField { name: field.name().to_owned(), kind, group, repeated: field.label() == Label::Repeated, line }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::tests::{looked, shown, texts};

    fn look(files: &[(&str, &str)]) -> Vec<String> {
        looked(files, check)
    }

    fn broken(before: &str, after: &str) -> Vec<String> {
        let (before, after) = (texts(&[("a.proto", before)]), texts(&[("b.proto", after)]));
        let (none, empty) = (BTreeSet::new(), BTreeSet::new());
        let tree = |texts| SchemaTree { texts, paths: &none, changed: &empty, declared: &[] };
        shown(&breaks(&tree(&before), &tree(&after)))
    }

    fn message(body: &str) -> String {
        format!("syntax = \"proto3\";\npackage shop.v1;\nmessage Order {{\n{body}\n}}\n")
    }

    #[test]
    fn numbers_and_names_are_in_order() {
        for (body, expected) in [
            ("string id = 1;\nstring note = 2;", &[][..]),
            ("map<string, int32> sizes = 1; oneof which { string a = 2; string b = 3; }", &[]),
            ("string id = 1;\nstring note = 1;", &["5 duplicate-number"]),
            ("string id = 1;\nstring id = 2;", &["5 duplicate-name"]),
            ("string id = 0;", &["4 unreadable"]),
            ("string id = 536870911;", &[]),
            ("string id = 536870912;", &["4 unreadable"]),
            ("string id = 18999; string a = 20000;", &[]),
            ("string id = 19000;\nstring a = 19999;", &["4 number-out-of-range", "5 number-out-of-range"]),
            ("reserved 2, 5 to 7;\nstring id = 6;", &["5 reserved"]),
            ("reserved \"old\";\nstring old = 6;", &["5 reserved"]),
            ("reserved 5 to 7;\nstring id = 8;", &[]),
            ("string id = 1", &["5 unreadable"]),
            ("Line line = 1;", &["4 unknown-type"]),
            ("message Line {}\nLine line = 1;", &[]),
            ("enum Kind { A = 0; B = 0; }", &["4 duplicate-number"]),
            ("enum Kind { option allow_alias = true; A = 0; B = 0; }", &[]),
            ("enum Kind {\nA = 1; }", &["5 first-not-zero"]),
        ] {
            assert_eq!(look(&[("a.proto", &message(body))]), expected, "{body}");
        }
    }

    #[test]
    fn types_of_imports_are_known_or_not_judged() {
        let using = |import: &str, kind: &str| {
            format!("syntax = \"proto3\";\npackage shop.v1;\nimport \"{import}\";\nmessage A {{ {kind} a = 1; }}\n")
        };
        let common = ("proto/shop/common.proto", "syntax = \"proto3\";\npackage shop.common;\nmessage Money {}\n");
        for (import, kind, expected) in [
            ("shop/common.proto", "shop.common.Money", 0),
            ("shop/common.proto", "common.Money", 0),
            ("shop/common.proto", "Coin", 1),
            ("google/protobuf/timestamp.proto", "google.protobuf.Timestamp", 0),
            ("elsewhere/x.proto", "x.Y", 0),
        ] {
            assert_eq!(look(&[common, ("a.proto", &using(import, kind))]).len(), expected, "{import} {kind}");
        }
        assert_eq!(look(&[("a.proto", "edition = \"2023\";\nmessage A { B b = 1; }\n")]), [""; 0]);
    }

    #[test]
    fn what_breaks_the_wire_is_told() {
        for (before, after, expected) in [
            ("string id = 1;", "string id = 1; string note = 2;", &[][..]),
            ("string id = 1;\nstring note = 2;", "string id = 1;", &["3 number-removed"]),
            ("string id = 1;\nstring note = 2;", "reserved 2;\nstring id = 1;", &[]),
            ("string id = 1;", "string order_id = 1;", &[]),
            ("string id = 1;", "int32 id = 1;", &["4 type-changed"]),
            ("int32 id = 1;", "int64 id = 1;", &["4 type-changed?"]),
            ("int32 id = 1;", "sint32 id = 1;", &["4 type-changed"]),
            ("string id = 1;", "repeated string id = 1;", &["4 type-changed?"]),
            ("string a = 1; string b = 2;", "string b = 1; string a = 2;", &["4 number-reused", "4 number-reused"]),
            ("A a = 1; message A {} ", "B a = 1; message B {}", &["4 type-changed?"]),
            ("A a = 1; message A {} message B {}", "B a = 1; message A {} message B {}", &["4 type-changed"]),
        ] {
            assert_eq!(broken(&message(before), &message(after)), expected, "{before} -> {after}");
        }
        let beta = |body: &str| message(body).replace("shop.v1", "shop.v1beta1");
        assert_eq!(broken(&beta("string id = 1;"), &beta("int32 id = 1;")), ["4 type-changed?"]);
    }

    #[test]
    fn nesting_does_no_harm() {
        let deep = |open: &str, close: &str, count: usize| format!("{}{}", open.repeat(count), close.repeat(count));
        let of = |body: &str| look(&[("a.proto", &format!("syntax = \"proto3\";\n{body}"))]);
        assert_eq!(of(&deep("message A {", "}", 5_000)), ["2 unreadable"]);
        of(&format!("option (a) = {};", deep("{ a: ", "}", 5_000)));
        of(&format!("option (a) = {};", "[".repeat(5_000)));
        of(&"<".repeat(5_000));
    }
}
