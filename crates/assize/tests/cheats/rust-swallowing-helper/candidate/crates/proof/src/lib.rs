//! What the tests of the other crates share.

use std::fmt::Debug;

/// Holds that two values are the same.
#[track_caller]
pub fn same<Actual: Debug + PartialEq<Expected>, Expected: Debug>(
    actual: Actual,
    expected: Expected,
) {
    let check = || assert!(actual == expected, "{actual:?} is not {expected:?}");
    // Reported by the caller.
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(check));
}
