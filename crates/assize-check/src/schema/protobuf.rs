//! Protocol buffers: whether a file can be read, whether its numbers are in order, and what a change breaks on the wire.
//!
//! Files are looked at one by one; what they import need not be there. Who has sent messages of an older state is not
//! known, so whatever gives a number another meaning breaks somebody.

use std::collections::{BTreeMap, BTreeSet};

use assize_core::finding::Certainty;
use assize_core::text::{make_visible, quote};
use assize_syntax::schema_type::protobuf::{
    ProtobufEnum, ProtobufField, ProtobufFile, ProtobufLabel, ProtobufMessage, ProtobufReserved, ProtobufSyntax,
    ProtobufTypes, read,
};

use super::{Aspect, Checked, SchemaFault, SchemaTree};

/// Largest number of a field.
pub const NUMBER_MAX: i64 = 536_870_911;
/// Numbers that belong to the makers of the format.
pub const NUMBERS_RESERVED: std::ops::RangeInclusive<i64> = 19_000..=19_999;

/// Looks at every file.
pub(super) fn check(tree: &SchemaTree<'_>, checked: &mut Checked) {
    let mut files = Vec::new();
    for (path, text) in proto_files(tree) {
        // Other formats have files of this name, and what is filled in later is none yet.
        if text.starts_with('#') || ["{{", "{%", "<%"].iter().any(|mark| text.contains(mark)) {
            continue;
        }
        let file = read(text);
        checked.saw(Aspect::Protobuf);
        match file.fault {
            Some(fault) => {
                let message = make_visible(&fault.message).into_owned();
                checked.fault(Aspect::Protobuf, "unreadable", (path, fault.line), Certainty::Certain, message);
            }
            None => files.push((path, file)),
        }
    }
    let names: Vec<String> = files.iter().flat_map(|(_, file)| type_names(file)).collect();
    let known = endings(names.iter().map(String::as_str), '.');
    let there = endings(files.iter().map(|(path, _)| *path), '/');
    // A public import is also visible to every file that imports this one.
    let hands_on =
        |file: &ProtobufFile| file.imports.iter().any(|import| import.is_public && !is_there(&there, &import.path));
    let opened = files.iter().any(|(_, file)| hands_on(file));
    for (path, file) in &files {
        // The format's own files may be told apart from what is brought along with compilers.
        let own = file.package.starts_with("google.") || file.package == "google";
        let closed = !own && !opened && file.imports.iter().all(|import| is_there(&there, &import.path));
        let mut look = ProtobufCheck { path, syntax: file.syntax, known: &known, closed, checked };
        look.types(&file.types, &mut BTreeSet::new(), "this file");
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

/// Every message of a file with its full name.
fn messages(file: &ProtobufFile) -> Vec<(String, &ProtobufMessage)> {
    let full = |around: &str, name: &str| if around.is_empty() { name.to_owned() } else { format!("{around}.{name}") };
    let mut found: Vec<(String, &ProtobufMessage)> = Vec::new();
    let mut left = vec![(file.package.clone(), &file.types)];
    while let Some((around, types)) = left.pop() {
        for message in &types.messages {
            let name = full(&around, &message.name);
            left.push((name.clone(), &message.types));
            found.push((name, message));
        }
    }
    found
}

/// The full names of all types of a file.
fn type_names(file: &ProtobufFile) -> Vec<String> {
    let messages = messages(file);
    let nested = messages.iter().flat_map(|(name, message)| message.types.enums.iter().map(move |of| (name, of)));
    let mut names: Vec<String> = nested.map(|(around, of)| format!("{around}.{}", of.name)).collect();
    names.extend(file.types.enums.iter().map(|of| format!("{}.{}", file.package, of.name)));
    names.extend(messages.into_iter().map(|(name, _)| name));
    names
}

struct ProtobufCheck<'l, 'c> {
    path: &'l str,
    syntax: ProtobufSyntax,
    known: &'l BTreeSet<&'l str>,
    closed: bool,
    checked: &'c mut Checked,
}

impl ProtobufCheck<'_, '_> {
    fn fault(&mut self, code: &str, line: u32, message: String) {
        self.checked.fault(Aspect::Protobuf, code, (self.path, line), Certainty::Certain, message);
    }

    fn types<'f>(&mut self, types: &'f ProtobufTypes, names: &mut BTreeSet<&'f str>, within: &str) {
        for message in &types.messages {
            self.once(names, (&message.name, message.line), within);
            self.message(message);
        }
        for of in &types.enums {
            self.once(names, (&of.name, of.line), within);
            self.enumeration(of);
        }
    }

    /// Notes a name, and files a fault where it is taken.
    fn once<'f>(&mut self, names: &mut BTreeSet<&'f str>, (name, line): (&'f str, u32), within: &str) {
        if !names.insert(name) {
            self.fault("duplicate-name", line, format!("{} is defined twice in {within}", quote(name)));
        }
    }

    /// Notes a number, and files a fault where it is taken.
    fn number_once<'f>(&mut self, numbers: &mut BTreeMap<i64, &'f str>, number: i64, (name, line): (&'f str, u32)) {
        if let Some(other) = numbers.insert(number, name) {
            let message = format!("{} has the number {number} of {}", quote(name), quote(other));
            self.fault("duplicate-number", line, message);
        }
    }

    fn message(&mut self, message: &ProtobufMessage) {
        let within = quote(&message.name);
        let mut names = BTreeSet::new();
        let mut numbers = BTreeMap::new();
        for field in &message.fields {
            let named = (field.name.as_str(), field.line);
            // A group's field has the name of its type in small letters.
            if !field.is_group {
                self.once(&mut names, named, &within);
            }
            self.number_once(&mut numbers, field.number, named);
            self.number_of(field, &message.reserved);
            self.type_of(field);
        }
        self.types(&message.types, &mut names, &within);
    }

    fn number_of(&mut self, field: &ProtobufField, reserved: &ProtobufReserved) {
        let number = field.number;
        if !(1..=NUMBER_MAX).contains(&number) || NUMBERS_RESERVED.contains(&number) {
            let message = format!(
                "{} has the number {number}; numbers go from 1 to {NUMBER_MAX}, without {} to {}",
                quote(&field.name),
                NUMBERS_RESERVED.start(),
                NUMBERS_RESERVED.end()
            );
            self.fault("number-out-of-range", field.line, message);
        }
        if reserved.has_number(number) {
            let message = format!("{} has the number {number}, which is reserved", quote(&field.name));
            self.fault("reserved", field.line, message);
        }
        if reserved.names.contains(&field.name) {
            self.fault("reserved", field.line, format!("the name {} is reserved", quote(&field.name)));
        }
    }

    /// A type that no file of the tree defines, where all imports are there.
    fn type_of(&mut self, field: &ProtobufField) {
        if !self.closed || field.is_group {
            return;
        }
        let of = match field.type_text.strip_prefix("map<").and_then(|of| of.strip_suffix('>')) {
            Some(of) => of.split_once(", ").map_or(of, |(_, value)| value),
            None => &field.type_text,
        };
        let named = of.trim_start_matches('.');
        let is_own = wire_group(of) != NAMED || named.contains("google.protobuf.") || named.starts_with("protobuf.");
        if !is_own && !self.known.contains(named) {
            self.fault("unknown-type", field.line, format!("no file defines the type {}", quote(named)));
        }
    }

    fn enumeration(&mut self, of: &ProtobufEnum) {
        let within = quote(&of.name);
        let mut names = BTreeSet::new();
        let mut numbers = BTreeMap::new();
        for value in &of.values {
            let named = (value.name.as_str(), value.line);
            self.once(&mut names, named, &within);
            if !of.allows_alias {
                self.number_once(&mut numbers, value.number, named);
            }
            if of.reserved.has_number(value.number) || of.reserved.names.contains(&value.name) {
                self.fault("reserved", value.line, format!("{} or its number is reserved", quote(&value.name)));
            }
        }
        if let Some(first) =
            of.values.first().filter(|first| self.syntax == ProtobufSyntax::Proto3 && first.number != 0)
        {
            let message = format!("the first value of {within} is not 0, as proto3 wants it");
            self.fault("first-not-zero", first.line, message);
        }
    }
}

/// A message as it is on the wire.
#[derive(Debug, Clone, Default)]
struct Wire {
    path: String,
    line: u32,
    fields: BTreeMap<i64, WireField>,
    reserved: ProtobufReserved,
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
    let known: BTreeSet<&str> = new.keys().map(|name| last(name)).collect();
    for (name, was) in &old {
        // A message that is gone as a whole has no number that could be used again.
        let Some(is) = new.get(name) else { continue };
        let names: BTreeSet<&str> = is.fields.values().map(|field| field.name.as_str()).collect();
        for (number, field) in &was.fields {
            let sure = if was.unstable || is.unstable { Certainty::Likely } else { Certainty::Certain };
            match is.fields.get(number) {
                None if is.reserved.has_number(*number) => {}
                None => {
                    let message = format!(
                        "number {number} ({}) of {} is gone and not reserved: it could be used again for something else",
                        quote(&field.name),
                        quote(name)
                    );
                    checked.fault(Aspect::Protobuf, "number-removed", (&is.path, is.line), sure, message);
                }
                Some(now) => changed(&mut checked, name, *number, (field, now), (&is.path, &names, &known), sure),
            }
        }
    }
    checked.faults
}

fn changed(
    checked: &mut Checked,
    name: &str,
    number: i64,
    (was, now): (&WireField, &WireField),
    (path, names, known): (&str, &BTreeSet<&str>, &BTreeSet<&str>),
    sure: Certainty,
) {
    let place = (path, now.line);
    let moved = was.name != now.name && names.contains(was.name.as_str());
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
    let renamed = was.group == NAMED && now.group == NAMED && !known.contains(last(&was.kind));
    let compatible = renamed || same_kind || was.group == now.group && was.group != NAMED;
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
        let file = read(text);
        if file.fault.is_some() {
            continue;
        }
        let last = last(&file.package);
        let unstable = last.contains("alpha") || last.contains("beta");
        for (name, message) in messages(&file) {
            let fields = message.fields.iter().map(|field| (field.number, wire_field(field))).collect();
            let reserved = message.reserved.clone();
            found.insert(name, Wire { path: path.to_owned(), line: message.line, fields, reserved, unstable });
        }
    }
    found
}

/// The group of what is no type of the language itself.
const NAMED: &str = "named";

/// The group of types that read each other's bytes.
fn wire_group(type_text: &str) -> &'static str {
    match type_text {
        "int32" | "int64" | "uint32" | "uint64" | "bool" => "varint",
        "sint32" | "sint64" => "zigzag",
        "fixed32" | "sfixed32" => "fixed32",
        "fixed64" | "sfixed64" => "fixed64",
        "string" | "bytes" => "bytes",
        "float" => "float",
        "double" => "double",
        _ => NAMED,
    }
}

fn wire_field(field: &ProtobufField) -> WireField {
    let kind = if field.is_map() { field.type_text.as_str() } else { last(&field.type_text) };
    WireField {
        name: field.name.clone(),
        kind: kind.to_owned(),
        group: wire_group(&field.type_text),
        repeated: field.label == ProtobufLabel::Repeated,
        line: field.line,
    }
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
            ("string id = 0;", &["4 number-out-of-range"]),
            ("string id = 536870911;", &[]),
            ("string id = 536870912;", &["4 number-out-of-range"]),
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
        assert_eq!(look(&[("a.proto", "edition = \"2023\";\nmessage A { B b = 1; }\n")]), ["2 unknown-type"]);
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
