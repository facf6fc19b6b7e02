//! Files of protocol buffers: proto2, proto3 and editions.
//!
//! The grammar is that of the language's specification (protobuf.dev, "Language Specification"). The first thing that it
//! does not allow is kept as the file's fault; the statement that it stands in is passed over, so that it does not hide
//! the others. What values options take, and whether a name is known, is not looked at here.

mod token;

use std::collections::BTreeSet;

use super::{SchemaType, SchemaTypeKind, Types};
use token::{ProtobufToken, ProtobufTokenKind, tokens};

/// How deep messages may be nested; `protoc` takes no more either.
pub const DEPTH_MAX: usize = 32;
/// Longest name, and longest name with those around it, in bytes.
pub const NAME_BYTES_MAX: usize = 1_000;
/// Most messages and enumerations of one file.
pub const DECLARATIONS_MAX: usize = 20_000;

/// Which rules a file follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProtobufSyntax {
    /// `syntax = "proto2"`, or nothing.
    #[default]
    Proto2,
    /// `syntax = "proto3"`
    Proto3,
    /// `edition = "2023"` and later.
    Edition,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProtobufFile {
    /// Which rules it follows.
    pub syntax: ProtobufSyntax,
    /// Its package; empty where it has none.
    pub package: String,
    /// What it imports.
    pub imports: Vec<ProtobufImport>,
    /// Its messages and enumerations.
    pub types: ProtobufTypes,
    /// Its services.
    pub services: Vec<ProtobufService>,
    /// The first thing that the language does not allow.
    pub fault: Option<ProtobufFault>,
}

/// An import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtobufImport {
    /// The path, as it is written.
    pub path: String,
    /// Whether files that import this file import that one as well.
    pub is_public: bool,
}

/// Messages and enumerations, in the order of the text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProtobufTypes {
    /// The messages.
    pub messages: Vec<ProtobufMessage>,
    /// The enumerations.
    pub enums: Vec<ProtobufEnum>,
}

/// A message or group.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProtobufMessage {
    /// Its name.
    pub name: String,
    /// The line of its name, counted from 1.
    pub line: u32,
    /// Its fields, those of a `oneof` included.
    pub fields: Vec<ProtobufField>,
    /// What is declared within it.
    pub types: ProtobufTypes,
    /// Numbers and names that are not to be used.
    pub reserved: ProtobufReserved,
}

/// A field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtobufField {
    /// Its name.
    pub name: String,
    /// The line of its name, counted from 1.
    pub line: u32,
    /// How often it may be there.
    pub label: ProtobufLabel,
    /// Its type as it is written: `int32`, `.shop.Line`, `map<string, Line>`. A group has its own name.
    pub type_text: String,
    /// Whether it is a group.
    pub is_group: bool,
    /// Its number.
    pub number: i64,
}

/// How often a field may be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProtobufLabel {
    /// Once or not at all.
    #[default]
    Optional,
    /// Once.
    Required,
    /// Any number of times; so is a map.
    Repeated,
}

/// Numbers and names that are not to be used.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProtobufReserved {
    /// Ranges of numbers, from the first to the last, in their order; none touches another.
    pub numbers: Vec<(i64, i64)>,
    /// Names.
    pub names: BTreeSet<String>,
}

impl ProtobufReserved {
    /// Returns whether a number is not to be used.
    pub fn has_number(&self, number: i64) -> bool {
        let after = self.numbers.partition_point(|(first, _)| *first <= number);
        after > 0 && number <= self.numbers[after - 1].1
    }

    /// Brings the ranges into their order, those that touch as one.
    fn settle(&mut self) {
        self.numbers.sort_unstable();
        self.numbers.dedup_by(|next, before| {
            let touches = next.0 <= before.1.saturating_add(1);
            if touches {
                before.1 = before.1.max(next.1);
            }
            touches
        });
    }
}

/// An enumeration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProtobufEnum {
    /// Its name.
    pub name: String,
    /// The line of its name, counted from 1.
    pub line: u32,
    /// Its values.
    pub values: Vec<ProtobufValue>,
    /// Whether several values may have one number.
    pub allows_alias: bool,
    /// Numbers and names that are not to be used.
    pub reserved: ProtobufReserved,
}

/// A value of an enumeration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtobufValue {
    /// Its name.
    pub name: String,
    /// The line of its name, counted from 1.
    pub line: u32,
    /// Its number.
    pub number: i64,
}

/// A service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtobufService {
    /// Its name.
    pub name: String,
    /// The line of its name, counted from 1.
    pub line: u32,
    /// Its calls.
    pub calls: Vec<ProtobufCall>,
}

/// A call of a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtobufCall {
    /// Its name.
    pub name: String,
    /// The line of its name, counted from 1.
    pub line: u32,
    /// What it takes: `Order`, `stream Order`.
    pub request: String,
    /// What it returns.
    pub response: String,
}

/// What the language does not allow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProtobufFault {
    /// The line, counted from 1.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

/// Reads a file.
pub fn read(text: &str) -> ProtobufFile {
    let list = tokens(text);
    let mut parser = Parser { list: &list, at: 0, declarations: 0, file: ProtobufFile::default() };
    parser.file();
    parser.file
}

/// Makes types of what a file declares.
pub(super) fn types(text: &str) -> Types {
    let file = read(text);
    let mut found = Vec::new();
    schema_types("", &file.types, &mut found);
    for service in &file.services {
        let mut of = SchemaType::new(&service.name, SchemaTypeKind::Service, service.line);
        for call in &service.calls {
            of.field(&call.name, &format!("{} -> {}", call.request, call.response), false, call.line);
        }
        found.push(of);
    }
    found.sort_by_key(|of| of.line);
    let mut types = Types::default();
    found.into_iter().for_each(|of| {
        types.push(of);
    });
    types
}

fn schema_types(around: &str, types: &ProtobufTypes, found: &mut Vec<SchemaType>) {
    let full = |name: &str| if around.is_empty() { name.to_owned() } else { format!("{around}.{name}") };
    for message in &types.messages {
        let name = full(&message.name);
        let mut of = SchemaType::new(&name, SchemaTypeKind::Object, message.line);
        for field in &message.fields {
            let is_list = field.label == ProtobufLabel::Repeated && !field.is_group && !field.is_map();
            let text = if is_list { format!("repeated {}", field.type_text) } else { field.type_text.clone() };
            of.field(&field.name, &text, field.label == ProtobufLabel::Required, field.line);
        }
        found.push(of);
        schema_types(&name, &message.types, found);
    }
    for of in &types.enums {
        let mut enumeration = SchemaType::new(&full(&of.name), SchemaTypeKind::Enum, of.line);
        of.values.iter().for_each(|value| enumeration.field(&value.name, "", false, value.line));
        found.push(enumeration);
    }
}

impl ProtobufField {
    /// Returns whether it is a map.
    pub fn is_map(&self) -> bool {
        self.type_text.ends_with('>')
    }
}

type Parsed<T = ()> = Result<T, ProtobufFault>;

struct Parser<'a, 't> {
    list: &'a [ProtobufToken<'t>],
    at: usize,
    /// How many messages and enumerations were read.
    declarations: usize,
    file: ProtobufFile,
}

/// What is declared around a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Message,
    Oneof,
    Extend,
}

impl<'t> Parser<'_, 't> {
    fn peek(&self) -> Option<ProtobufToken<'t>> {
        self.list.get(self.at).copied()
    }

    fn is(&self, text: &str) -> bool {
        self.is_ahead(0, text)
    }

    fn is_ahead(&self, places: usize, text: &str) -> bool {
        self.list.get(self.at + places).is_some_and(|token| token.kind != ProtobufTokenKind::Text && token.text == text)
    }

    fn take(&mut self, text: &str) -> bool {
        let is_it = self.is(text);
        self.at += usize::from(is_it);
        is_it
    }

    fn take_kind(&mut self, kind: ProtobufTokenKind) -> Option<ProtobufToken<'t>> {
        let token = self.peek().filter(|token| token.kind == kind)?;
        self.at += 1;
        Some(token)
    }

    fn fault<T>(&self, message: String) -> Parsed<T> {
        let line = self.peek().or(self.list.last().copied()).map_or(1, |token| token.line);
        Err(ProtobufFault { line, message })
    }

    /// Keeps a fault after which the meaning is still clear, so that the parser continues.
    fn note(&mut self, message: &str) {
        if let Err(fault) = self.fault::<()>(message.to_owned()) {
            self.file.fault.get_or_insert(fault);
        }
    }

    fn expected<T>(&self, what: &str) -> Parsed<T> {
        match self.peek() {
            Some(ProtobufToken { kind: ProtobufTokenKind::Bad, text, .. }) if text.starts_with("/*") => {
                self.fault("a comment has no end".to_owned())
            }
            Some(ProtobufToken { kind: ProtobufTokenKind::Bad, text, .. }) if text.starts_with(['"', '\'']) => {
                self.fault("a string has no end".to_owned())
            }
            Some(token) => self.fault(format!("expected {what}, found `{}`", super::shortened(token.text))),
            None => self.fault(format!("expected {what}, found the end of the file")),
        }
    }

    fn sign(&mut self, text: &str) -> Parsed {
        if self.take(text) { Ok(()) } else { self.expected(&format!("`{text}`")) }
    }

    fn name(&mut self) -> Parsed<ProtobufToken<'t>> {
        match self.take_kind(ProtobufTokenKind::Word) {
            Some(name) if name.text.len() > NAME_BYTES_MAX => {
                self.fault(format!("a name is longer than {NAME_BYTES_MAX} bytes"))
            }
            Some(name) => Ok(name),
            None => self.expected("a name"),
        }
    }

    fn text(&mut self) -> Parsed<String> {
        let mut text = String::new();
        let first = self.at;
        while let Some(part) = self.take_kind(ProtobufTokenKind::Text) {
            text.push_str(&part.text[1..part.text.len() - 1]);
        }
        if self.at == first { self.expected("a string") } else { Ok(text) }
    }

    /// `a.b.C`, or `.a.b.C` where it may begin at the root.
    fn full_name(&mut self, may_be_absolute: bool) -> Parsed<String> {
        let mut name = String::new();
        if may_be_absolute && self.take(".") {
            name.push('.');
        }
        name.push_str(self.name()?.text);
        while self.take(".") {
            name.push('.');
            name.push_str(self.name()?.text);
            if name.len() > NAME_BYTES_MAX {
                return self.fault(format!("a name is longer than {NAME_BYTES_MAX} bytes"));
            }
        }
        Ok(name)
    }

    fn integer(&mut self) -> Parsed<i64> {
        let start = self.at;
        let is_negative = self.take("-");
        let digits = self.take_kind(ProtobufTokenKind::Number).map(|number| number.text);
        let magnitude = digits.and_then(|digits| {
            let lower = digits.to_ascii_lowercase();
            match lower.strip_prefix("0x") {
                Some(hex) => i64::from_str_radix(hex, 16).ok(),
                None if lower.len() > 1 && lower.starts_with('0') => i64::from_str_radix(&lower, 8).ok(),
                None => lower.parse().ok(),
            }
        });
        match magnitude {
            Some(magnitude) => Ok(if is_negative { -magnitude } else { magnitude }),
            None => {
                self.at = start;
                self.expected("a number")
            }
        }
    }

    /// Passes the statement at hand over: up to its semicolon, or over its block.
    fn skip_statement(&mut self) {
        while let Some(token) = self.peek() {
            match token.text {
                ";" => {
                    self.at += 1;
                    return;
                }
                "{" => return self.skip_block(),
                "}" => return,
                _ => self.at += 1,
            }
        }
    }

    fn skip_block(&mut self) {
        let mut depth = 0_usize;
        while let Some(token) = self.peek() {
            self.at += 1;
            match token.text {
                "{" => depth += 1,
                "}" if depth <= 1 => return,
                "}" => depth -= 1,
                _ => {}
            }
        }
    }

    /// Keeps the first fault, and continues behind the statement that contains it.
    fn recover(&mut self, start: usize, parsed: Parsed) {
        if let Err(fault) = parsed {
            self.file.fault.get_or_insert(fault);
            self.skip_statement();
            self.at = self.at.max(start + 1);
        }
    }

    /// What stands between braces, statement by statement.
    fn block(&mut self, mut statement: impl FnMut(&mut Self) -> Parsed) -> Parsed {
        self.sign("{")?;
        while self.at < self.list.len() {
            if self.take("}") {
                return Ok(());
            }
            let start = self.at;
            let parsed = if self.take(";") { Ok(()) } else { statement(self) };
            self.recover(start, parsed);
        }
        let unclosed = self.expected("`}`");
        self.recover(self.at, unclosed);
        Ok(())
    }

    fn file(&mut self) {
        let start = self.at;
        let header = self.header();
        self.recover(start, header);
        while self.at < self.list.len() {
            let start = self.at;
            let parsed = self.top_level();
            self.recover(start, parsed);
        }
    }

    fn header(&mut self) -> Parsed {
        let is_edition = self.is("edition");
        if !is_edition && !self.is("syntax") {
            return Ok(());
        }
        self.at += 1;
        self.sign("=")?;
        let start = self.at;
        let value = self.text()?;
        self.file.syntax = match (is_edition, value.as_str()) {
            (true, _) => ProtobufSyntax::Edition,
            (false, "proto2") => ProtobufSyntax::Proto2,
            (false, "proto3") => ProtobufSyntax::Proto3,
            _ => {
                self.at = start;
                return self.fault(format!("the syntax `{}` is not known", super::shortened(&value)));
            }
        };
        self.sign(";")
    }

    fn top_level(&mut self) -> Parsed {
        let Some(first) = self.peek() else { return Ok(()) };
        match first.text {
            ";" => self.at += 1,
            "import" => {
                self.at += 1;
                let is_public = self.take("public");
                let _ = is_public || self.take("weak") || self.take("option");
                let path = self.text()?;
                self.file.imports.push(ProtobufImport { path, is_public });
                return self.sign(";");
            }
            "package" => {
                self.at += 1;
                self.file.package = self.full_name(false)?;
                return self.sign(";");
            }
            "option" => return self.option_statement(),
            "service" => return self.service(),
            word => {
                let mut types = std::mem::take(&mut self.file.types);
                let parsed = match word {
                    "extend" => self.extend(&mut types, 0).map(|()| true),
                    _ => self.declaration(&mut types, 0),
                };
                self.file.types = types;
                return if parsed? { Ok(()) } else { self.expected("a declaration") };
            }
        }
        Ok(())
    }

    /// A message or enumeration, if one comes next.
    fn declaration(&mut self, types: &mut ProtobufTypes, depth: usize) -> Parsed<bool> {
        // Editions say who may see a type.
        let sees = usize::from(self.is("export") || self.is("local"));
        let is_message = self.is_ahead(sees, "message");
        if !is_message && !self.is_ahead(sees, "enum") {
            return Ok(false);
        }
        self.declarations += 1;
        if self.declarations > DECLARATIONS_MAX {
            return self.fault(format!("there are more than {DECLARATIONS_MAX} messages and enumerations"));
        }
        self.at += sees + 1;
        let name = self.name()?;
        if is_message {
            let message = self.message(name, depth)?;
            types.messages.push(message);
        } else {
            let of = self.enumeration(name)?;
            types.enums.push(of);
        }
        Ok(true)
    }

    /// What stands between a message's braces.
    fn message(&mut self, name: ProtobufToken<'_>, depth: usize) -> Parsed<ProtobufMessage> {
        if depth == DEPTH_MAX {
            return self.fault(format!("messages are nested deeper than {DEPTH_MAX} levels"));
        }
        let mut message = ProtobufMessage { name: name.text.to_owned(), line: name.line, ..ProtobufMessage::default() };
        self.block(|parser| parser.member(&mut message, depth))?;
        message.reserved.settle();
        Ok(message)
    }

    fn member(&mut self, message: &mut ProtobufMessage, depth: usize) -> Parsed {
        let Some(first) = self.peek() else { return Ok(()) };
        match first.text {
            "option" => self.option_statement(),
            "extend" => self.extend(&mut message.types, depth + 1),
            "extensions" => {
                self.at += 1;
                self.ranges()?;
                self.bracketed_options()?;
                self.sign(";")
            }
            "reserved" => {
                self.at += 1;
                self.reserved(&mut message.reserved)
            }
            "oneof" => {
                self.at += 1;
                self.name()?;
                self.block(|parser| match parser.is("option") {
                    true => parser.option_statement(),
                    false => parser.field(Around::Oneof, &mut message.fields, &mut message.types, depth),
                })
            }
            _ if self.declaration(&mut message.types, depth + 1)? => Ok(()),
            _ => self.field(Around::Message, &mut message.fields, &mut message.types, depth),
        }
    }

    /// `extend Other { optional int32 more = 126; }`: its fields belong elsewhere, its groups here.
    fn extend(&mut self, types: &mut ProtobufTypes, depth: usize) -> Parsed {
        self.at += 1;
        self.full_name(true)?;
        self.block(|parser| parser.field(Around::Extend, &mut Vec::new(), types, depth))
    }

    fn field(
        &mut self,
        around: Around,
        fields: &mut Vec<ProtobufField>,
        types: &mut ProtobufTypes,
        depth: usize,
    ) -> Parsed {
        let label = self.label(around);
        if self.is("map") && self.is_ahead(1, "<") {
            return self.map(around, label, fields);
        }
        if self.is("group") && !self.is_ahead(1, ".") {
            return self.group(label, fields, types, depth);
        }
        let type_text = self.full_name(true)?;
        if label.is_none() && around != Around::Oneof && self.file.syntax == ProtobufSyntax::Proto2 {
            self.note("a field of proto2 is `optional`, `required` or `repeated`");
        }
        let (name, number) = self.name_and_number()?;
        self.bracketed_options()?;
        self.sign(";")?;
        let (name, line) = (name.text.to_owned(), name.line);
        fields.push(ProtobufField { name, line, label: label.unwrap_or_default(), type_text, is_group: false, number });
        Ok(())
    }

    /// `optional`, `required` or `repeated`, where the syntax has it.
    fn label(&mut self, around: Around) -> Option<ProtobufLabel> {
        let label = match self.peek().map(|token| token.text) {
            Some("optional") => ProtobufLabel::Optional,
            Some("required") => ProtobufLabel::Required,
            Some("repeated") => ProtobufLabel::Repeated,
            _ => return None,
        };
        match (self.file.syntax, label) {
            _ if around == Around::Oneof => self.note("a field of a `oneof` has no label"),
            (ProtobufSyntax::Proto3, ProtobufLabel::Required) => self.note("proto3 has no `required`"),
            (ProtobufSyntax::Edition, ProtobufLabel::Required | ProtobufLabel::Optional) => {
                self.note("editions have no `optional` and no `required`");
            }
            _ => {}
        }
        self.at += 1;
        Some(label)
    }

    fn name_and_number(&mut self) -> Parsed<(ProtobufToken<'t>, i64)> {
        let name = self.name()?;
        self.sign("=")?;
        Ok((name, self.integer()?))
    }

    /// `map<string, Line> lines = 4;`
    fn map(&mut self, around: Around, label: Option<ProtobufLabel>, fields: &mut Vec<ProtobufField>) -> Parsed {
        if label.is_some() || around != Around::Message {
            self.note("a map has no label, and is neither in a `oneof` nor an extension");
        }
        self.at += 2;
        let key = self.full_name(true)?;
        self.sign(",")?;
        let value = self.full_name(true)?;
        self.sign(">")?;
        let (name, number) = self.name_and_number()?;
        self.bracketed_options()?;
        self.sign(";")?;
        fields.push(ProtobufField {
            name: name.text.to_owned(),
            line: name.line,
            label: ProtobufLabel::Repeated,
            type_text: format!("map<{key}, {value}>"),
            is_group: false,
            number,
        });
        Ok(())
    }

    /// `repeated group Extra = 8 { … }`
    fn group(
        &mut self,
        label: Option<ProtobufLabel>,
        fields: &mut Vec<ProtobufField>,
        types: &mut ProtobufTypes,
        depth: usize,
    ) -> Parsed {
        if self.file.syntax != ProtobufSyntax::Proto2 {
            self.note("only proto2 has groups");
        }
        self.at += 1;
        let (name, number) = self.name_and_number()?;
        self.bracketed_options()?;
        fields.push(ProtobufField {
            name: name.text.to_owned(),
            line: name.line,
            label: label.unwrap_or_default(),
            type_text: name.text.to_owned(),
            is_group: true,
            number,
        });
        let message = self.message(name, depth + 1)?;
        types.messages.push(message);
        Ok(())
    }

    fn enumeration(&mut self, name: ProtobufToken<'_>) -> Parsed<ProtobufEnum> {
        let mut found = ProtobufEnum { name: name.text.to_owned(), line: name.line, ..ProtobufEnum::default() };
        self.block(|parser| parser.value(&mut found))?;
        found.reserved.settle();
        Ok(found)
    }

    fn value(&mut self, found: &mut ProtobufEnum) -> Parsed {
        if self.is("option") {
            let start = self.at;
            self.option_statement()?;
            let texts = self.list[start..self.at].iter().map(|token| token.text);
            found.allows_alias |= texts.eq(["option", "allow_alias", "=", "true", ";"]);
            return Ok(());
        }
        if self.take("reserved") {
            return self.reserved(&mut found.reserved);
        }
        let (name, number) = self.name_and_number()?;
        self.bracketed_options()?;
        self.sign(";")?;
        found.values.push(ProtobufValue { name: name.text.to_owned(), line: name.line, number });
        Ok(())
    }

    /// `2, 5 to 7, 100 to max`
    fn ranges(&mut self) -> Parsed<Vec<(i64, i64)>> {
        let mut ranges = Vec::new();
        loop {
            let first = self.integer()?;
            let last = match self.take("to") {
                true if self.take("max") => i64::MAX,
                true => self.integer()?,
                false => first,
            };
            ranges.push((first, last));
            if !self.take(",") {
                return Ok(ranges);
            }
        }
    }

    fn reserved(&mut self, reserved: &mut ProtobufReserved) -> Parsed {
        match self.peek().map(|token| token.kind) {
            Some(ProtobufTokenKind::Text | ProtobufTokenKind::Word) => loop {
                // Editions write names without quotes.
                let is_word = self.file.syntax == ProtobufSyntax::Edition;
                let name = if is_word { self.name()?.text.to_owned() } else { self.text()? };
                reserved.names.insert(name);
                if !self.take(",") {
                    break;
                }
            },
            _ => reserved.numbers.extend(self.ranges()?),
        }
        self.sign(";")
    }

    fn service(&mut self) -> Parsed {
        self.at += 1;
        let name = self.name()?;
        let mut calls = Vec::new();
        self.block(|parser| match parser.peek().map(|token| token.text) {
            Some("option") => parser.option_statement(),
            Some("rpc") => parser.call(&mut calls),
            _ => parser.expected("`rpc`"),
        })?;
        self.file.services.push(ProtobufService { name: name.text.to_owned(), line: name.line, calls });
        Ok(())
    }

    /// `rpc Name (stream A) returns (B);` or `{ … }`
    fn call(&mut self, calls: &mut Vec<ProtobufCall>) -> Parsed {
        self.at += 1;
        let name = self.name()?;
        let request = self.message_of_call()?;
        self.sign("returns")?;
        let response = self.message_of_call()?;
        if self.is("{") {
            self.block(Self::option_statement)?;
        } else {
            self.sign(";")?;
        }
        calls.push(ProtobufCall { name: name.text.to_owned(), line: name.line, request, response });
        Ok(())
    }

    fn message_of_call(&mut self) -> Parsed<String> {
        self.sign("(")?;
        let is_stream = self.take("stream");
        let name = self.full_name(true)?;
        self.sign(")")?;
        Ok(if is_stream { format!("stream {name}") } else { name })
    }

    /// `option (http).get = "/v1";`
    fn option_statement(&mut self) -> Parsed {
        self.sign("option")?;
        self.option()?;
        self.sign(";")
    }

    /// `[packed = true, (x).y = { a: 1 }]`, if it comes next.
    fn bracketed_options(&mut self) -> Parsed {
        if !self.take("[") {
            return Ok(());
        }
        loop {
            self.option()?;
            if !self.take(",") {
                return self.sign("]");
            }
        }
    }

    fn option(&mut self) -> Parsed {
        loop {
            if self.take("(") {
                self.full_name(true)?;
                self.sign(")")?;
            } else {
                self.name()?;
            }
            if !self.take(".") {
                break;
            }
        }
        self.sign("=")?;
        self.constant()
    }

    fn constant(&mut self) -> Parsed {
        if self.is("{") {
            self.skip_block();
            return Ok(());
        }
        let is_signed = self.take("-") || self.take("+");
        match self.peek().map(|token| token.kind) {
            Some(ProtobufTokenKind::Number) => self.at += 1,
            Some(ProtobufTokenKind::Word) => {
                self.at += 1;
                while self.take(".") {
                    self.name()?;
                }
            }
            Some(ProtobufTokenKind::Text) if !is_signed => {
                self.text()?;
            }
            _ => return self.expected("a value"),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
