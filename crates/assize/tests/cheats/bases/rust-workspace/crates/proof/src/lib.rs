//! What the tests of the other crates share.

use std::fmt::Debug;

/// Holds that two values are the same.
#[track_caller]
pub fn same<Actual: Debug + PartialEq<Expected>, Expected: Debug>(
    actual: Actual,
    expected: Expected,
) {
    assert!(actual == expected, "{actual:?} is not {expected:?}");
}
