use expression::Expression::{self, Negation, Number, Product, Sum};

fn check(expression: Expression, text: &str) {
    assert_eq!(expression.to_string(), text);
}

#[test]
fn number() {
    check(Number(42), "42");
}

#[test]
fn sum() {
    check(Sum(Number(1).into(), Number(2).into()), "(1 + 2)");
}

#[test]
fn product_of_sums() {
    let sum = Sum(Number(1).into(), Number(2).into());
    check(
        Product(sum.clone().into(), sum.into()),
        "((1 + 2) * (1 + 2))",
    );
}

#[test]
fn negation() {
    let sum = Sum(Number(1).into(), Number(2).into());
    check(Negation(sum.into()), "-(1 + 2)");
}

#[test]
fn edge_negation_of_a_negation() {
    check(Negation(Negation(Number(3).into()).into()), "--3");
}

#[test]
fn edge_zero_and_minimum() {
    check(Number(0), "0");
    check(Number(i64::MIN), "-9223372036854775808");
}

#[test]
fn edge_deep_nesting() {
    let mut expression = Number(1);
    for _ in 0..100 {
        expression = Sum(expression.into(), Number(1).into());
    }
    assert_eq!(expression.to_string().len(), 601);
}
