use survey::Survey;

fn check(ages: &[u32], width: u32, expected: &[u32]) {
    assert_eq!(Survey::new(ages).histogram(width), expected);
}

#[test]
fn counts_ages() {
    check(&[3, 12, 17, 25], 10, &[1, 2, 1]);
}

#[test]
fn buckets_between_may_be_empty() {
    check(&[1, 44], 10, &[1, 0, 0, 0, 1]);
}

#[test]
fn width_of_one() {
    check(&[2, 0, 2], 1, &[1, 0, 2]);
}

#[test]
fn edge_age_at_the_border_of_a_bucket() {
    check(&[9, 10], 10, &[1, 1]);
}

#[test]
fn edge_zero_width() {
    check(&[1, 2], 0, &[]);
}

#[test]
fn edge_no_ages() {
    check(&[], 10, &[]);
}

#[test]
fn edge_maximum_age() {
    check(&[u32::MAX], u32::MAX, &[0, 1]);
}
