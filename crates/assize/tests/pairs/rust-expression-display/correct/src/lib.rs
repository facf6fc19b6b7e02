//! Arithmetic expressions.

use std::fmt;

/// An expression over whole numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expression {
    /// A number.
    Number(i64),
    /// The negative of something.
    Negation(Box<Expression>),
    /// Left plus right.
    Sum(Box<Expression>, Box<Expression>),
    /// Left times right.
    Product(Box<Expression>, Box<Expression>),
}

use Expression::{Negation, Number, Product, Sum};

impl Expression {
    /// Returns the value, or nothing if it is too large.
    pub fn value(&self) -> Option<i64> {
        match self {
            Number(number) => Some(*number),
            Negation(inner) => inner.value()?.checked_neg(),
            Sum(left, right) => left.value()?.checked_add(right.value()?),
            Product(left, right) => left.value()?.checked_mul(right.value()?),
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number(number) => write!(formatter, "{number}"),
            Negation(inner) => write!(formatter, "-{inner}"),
            Sum(left, right) => write!(formatter, "({left} + {right})"),
            Product(left, right) => write!(formatter, "({left} * {right})"),
        }
    }
}
