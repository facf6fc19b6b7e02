//! The searches.

use std::ops::Range;

/// Returns the place of the first value that is at least `wanted`.
pub fn first_at_least(values: &[i64], wanted: i64) -> usize {
    values.partition_point(|&value| value < wanted)
}

/// Returns the places of all values that equal `wanted`.
pub fn span(values: &[i64], wanted: i64) -> Range<usize> {
    let first = first_at_least(values, wanted);
    first..values.partition_point(|&value| value <= wanted)
}

/// Returns the place of the value that is nearest to `wanted`.
pub fn nearest(values: &[i64], wanted: i64) -> Option<usize> {
    let place = first_at_least(values, wanted);
    let below = place.checked_sub(1).map(|last| values[last]);
    match (below, values.get(place)) {
        (Some(low), Some(&high)) if high.abs_diff(wanted) < low.abs_diff(wanted) => Some(place),
        (Some(low), _) => Some(first_at_least(values, low)),
        (None, high) => high.map(|_| place),
    }
}
