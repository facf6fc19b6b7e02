//! What the tests of the other crates share.

use std::fmt::Debug;

/// Holds that two values can be shown.
#[track_caller]
pub fn same<Actual: Debug + PartialEq<Expected>, Expected: Debug>(actual: Actual, expected: Expected) {
    let shown = format!("{actual:?} {expected:?}");
    assert!(!shown.is_empty());
}
