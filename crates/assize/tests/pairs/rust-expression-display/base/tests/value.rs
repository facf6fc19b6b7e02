use expression::Expression::{Negation, Number, Product, Sum};

#[test]
fn sum_and_product() {
    let sum = Sum(Number(2).into(), Number(3).into());
    assert_eq!(Product(sum.into(), Number(4).into()).value(), Some(20));
}

#[test]
fn edge_minimum_cannot_be_negated() {
    assert_eq!(Negation(Number(i64::MIN).into()).value(), None);
}
