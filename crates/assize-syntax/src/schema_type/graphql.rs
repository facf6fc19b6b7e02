//! The schema definition language of GraphQL.
//!
//! The crate `apollo-parser` parses the text, and continues after a fault. Queries and fragments declare nothing.

use apollo_parser::cst::{
    CstNode, Definition, EnumValuesDefinition, FieldsDefinition, ImplementsInterfaces, InputFieldsDefinition, Name,
    NamedType, Type, UnionMemberTypes,
};
use apollo_parser::{Parser, SyntaxNode};

use super::{SchemaType, SchemaTypeKind, Types};

/// Most tokens of one file.
pub const TOKENS_MAX: usize = 500_000;
/// How deep types and values may be nested.
pub const DEPTH_MAX: usize = 200;

/// A file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GraphqlFile {
    /// Its definitions, queries and fragments left out.
    pub definitions: Vec<GraphqlDefinition>,
    /// Whether there are queries or fragments in it.
    pub has_queries: bool,
    /// The first thing that the language does not allow.
    pub fault: Option<GraphqlFault>,
}

/// What the language does not allow, or what is beyond the limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphqlFault {
    /// The line, counted from 1.
    pub line: u32,
    /// What is wrong.
    pub message: String,
    /// Whether it is beyond [`TOKENS_MAX`] or [`DEPTH_MAX`].
    pub is_limit: bool,
}

/// A definition, or an extension of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphqlDefinition {
    /// Its name; empty for a `schema`.
    pub name: String,
    /// The line of its name, counted from 1.
    pub line: u32,
    /// What type it declares; nothing for a directive or a `schema`.
    pub kind: Option<SchemaTypeKind>,
    /// Whether it extends what is defined elsewhere.
    pub is_extension: bool,
    /// Its fields or values.
    pub fields: Vec<GraphqlField>,
    /// The interfaces that it implements, or the members of a union.
    pub parts: Vec<String>,
    /// Every type that it names, with its line.
    pub uses: Vec<(String, u32)>,
}

/// A field, or a value of an enumeration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphqlField {
    /// Its name.
    pub name: String,
    /// The line of its name, counted from 1.
    pub line: u32,
    /// Its type; empty for a value.
    pub type_text: String,
    /// Whether it always has a value, or must be given one.
    pub is_required: bool,
}

/// Reads a file.
pub fn read(text: &str) -> GraphqlFile {
    let tree = Parser::new(text).recursion_limit(DEPTH_MAX).token_limit(TOKENS_MAX).parse();
    let lines = Lines(text.match_indices('\n').map(|(at, _)| at).collect());
    let mut file = GraphqlFile::default();
    for definition in tree.document().definitions() {
        match kind(&definition) {
            GraphqlKind::Query => file.has_queries = true,
            GraphqlKind::Declaration(kind) => file.definitions.push(lines.definition(definition.syntax(), kind)),
        }
    }
    let limit = tree.errors().find(|error| error.is_limit());
    file.fault = limit.or_else(|| tree.errors().next()).map(|error| GraphqlFault {
        line: lines.of(error.index()),
        message: super::shortened(error.message().lines().next().unwrap_or_default()),
        is_limit: error.is_limit(),
    });
    file
}

/// Makes types of what a file declares.
pub(super) fn types(text: &str) -> Types {
    let mut types = Types::default();
    for definition in read(text).definitions {
        let Some(kind) = definition.kind.filter(|_| !definition.name.is_empty()) else { continue };
        let extended = types.list.iter().position(|known| definition.is_extension && known.name == definition.name);
        let new = || SchemaType::new(&definition.name, kind, definition.line);
        let Some(place) = extended.or_else(|| types.push(new())) else { continue };
        let found = &mut types.list[place];
        for field in &definition.fields {
            found.field(&field.name, &field.type_text, field.is_required, field.line);
        }
        definition.parts.iter().for_each(|part| found.part(part));
    }
    types
}

enum GraphqlKind {
    Query,
    Declaration(Option<SchemaTypeKind>),
}

fn kind(definition: &Definition) -> GraphqlKind {
    use Definition as D;
    GraphqlKind::Declaration(match definition {
        D::OperationDefinition(_) | D::FragmentDefinition(_) => return GraphqlKind::Query,
        D::ObjectTypeDefinition(_) | D::ObjectTypeExtension(_) => Some(SchemaTypeKind::Object),
        D::InterfaceTypeDefinition(_) | D::InterfaceTypeExtension(_) => Some(SchemaTypeKind::Interface),
        D::InputObjectTypeDefinition(_) | D::InputObjectTypeExtension(_) => Some(SchemaTypeKind::Input),
        D::EnumTypeDefinition(_) | D::EnumTypeExtension(_) => Some(SchemaTypeKind::Enum),
        D::UnionTypeDefinition(_) | D::UnionTypeExtension(_) => Some(SchemaTypeKind::Union),
        D::ScalarTypeDefinition(_) | D::ScalarTypeExtension(_) => Some(SchemaTypeKind::Scalar),
        D::DirectiveDefinition(_) | D::SchemaDefinition(_) | D::SchemaExtension(_) => None,
    })
}

/// The places at which the lines of a text end.
struct Lines(Vec<usize>);

impl Lines {
    /// The line of a place, counted from 1.
    fn of(&self, place: usize) -> u32 {
        u32::try_from(self.0.partition_point(|end| *end < place) + 1).unwrap_or(u32::MAX)
    }

    fn definition(&self, node: &SyntaxNode, kind: Option<SchemaTypeKind>) -> GraphqlDefinition {
        let (name, line) = self.name(node);
        let mut found = GraphqlDefinition {
            name,
            line,
            kind,
            is_extension: node.first_token().is_some_and(|first| first.text() == "extend"),
            fields: Vec::new(),
            parts: Vec::new(),
            uses: node.descendants().filter_map(NamedType::cast).map(|named| self.name(named.syntax())).collect(),
        };
        for child in node.children() {
            if let Some(list) = FieldsDefinition::cast(child.clone()) {
                let fields = list.field_definitions();
                found.fields.extend(fields.map(|field| self.field(field.syntax(), field.ty(), false)));
            } else if let Some(list) = InputFieldsDefinition::cast(child.clone()) {
                let fields = list.input_value_definitions();
                let has_default = |field: &apollo_parser::cst::InputValueDefinition| field.default_value().is_some();
                found.fields.extend(fields.map(|field| self.field(field.syntax(), field.ty(), has_default(&field))));
            } else if let Some(list) = EnumValuesDefinition::cast(child.clone()) {
                let values = list.enum_value_definitions().filter_map(|value| value.enum_value());
                found.fields.extend(values.map(|value| self.field(value.syntax(), None, false)));
            } else if let Some(list) = ImplementsInterfaces::cast(child.clone()) {
                found.parts.extend(list.named_types().map(|named| self.name(named.syntax()).0));
            } else if let Some(list) = UnionMemberTypes::cast(child) {
                found.parts.extend(list.named_types().map(|named| self.name(named.syntax()).0));
            }
        }
        found
    }

    fn field(&self, node: &SyntaxNode, of: Option<Type>, has_default: bool) -> GraphqlField {
        let (name, line) = self.name(node);
        let type_text = of.map(type_text).unwrap_or_default();
        GraphqlField { is_required: type_text.ends_with('!') && !has_default, name, line, type_text }
    }

    /// The name that a node has, and its line; that of the node where it has none.
    fn name(&self, node: &SyntaxNode) -> (String, u32) {
        let name = node.children().find_map(Name::cast);
        let text = name.as_ref().map(|name| name.text().to_string()).unwrap_or_default();
        let place = name.map_or(node.text_range(), |name| name.syntax().text_range());
        (text, self.of(usize::from(place.start())))
    }
}

/// `[Line!]!`, without blanks and comments.
fn type_text(of: Type) -> String {
    let named =
        |of: Option<NamedType>| of.and_then(|of| of.name()).map(|name| name.text().to_string()).unwrap_or_default();
    match of {
        Type::NamedType(of) => named(Some(of)),
        Type::ListType(of) => format!("[{}]", of.ty().map(type_text).unwrap_or_default()),
        Type::NonNullType(of) => match of.list_type() {
            Some(list) => format!("{}!", type_text(Type::ListType(list))),
            None => format!("{}!", named(of.named_type())),
        },
    }
}
