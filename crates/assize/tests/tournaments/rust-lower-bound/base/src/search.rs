//! The searches.

use std::ops::Range;

/// Returns the place of the first value that is at least `wanted`.
pub fn first_at_least(values: &[i64], wanted: i64) -> usize {
    match values.binary_search(&wanted) {
        Ok(place) | Err(place) => place,
    }
}

/// Returns the places of all values that equal `wanted`.
pub fn span(values: &[i64], wanted: i64) -> Range<usize> {
    let place = first_at_least(values, wanted);
    place..place
}

/// Returns the place of the value that is nearest to `wanted`.
pub fn nearest(values: &[i64], wanted: i64) -> Option<usize> {
    (!values.is_empty()).then(|| first_at_least(values, wanted))
}
