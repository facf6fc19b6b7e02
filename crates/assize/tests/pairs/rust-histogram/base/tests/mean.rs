use survey::Survey;

#[test]
fn mean_age() {
    assert_eq!(Survey::new([20, 30, 40]).mean(), Some(30.0));
}

#[test]
fn edge_nobody_answered() {
    assert_eq!(Survey::new([]).mean(), None);
}
