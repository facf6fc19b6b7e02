//! Stands in for tests while they are ported.

#[test]
fn works() {}
