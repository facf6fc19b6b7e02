//! A name that a change adds.

use assize_ecosystem::Language;
use assize_syntax::facts::Role;

use crate::naming::ConventionSubject;

/// A name that a change adds. What occurs several times stands here once, with its first place.
pub(super) struct AddedName<'s> {
    pub(super) text: &'s str,
    pub(super) language: Language,
    pub(super) subject: ConventionSubject,
    pub(super) role: Role,
    pub(super) path: &'s str,
    pub(super) line: u32,
    /// Whether it is declared outside of tests, examples and the like.
    pub(super) in_production: bool,
    /// Whether the change mentions it beyond its declarations.
    pub(super) is_used: bool,
}
