use budget::Budget;

fn after(limit: u32, expenses: &[u32]) -> Budget {
    let mut budget = Budget::new(limit);
    for cents in expenses {
        budget.spend(*cents);
    }
    budget
}

#[test]
fn remaining_is_what_was_not_spent() {
    assert_eq!(after(1000, &[200, 50]).remaining(), 750);
}

#[test]
fn nothing_spent() {
    assert_eq!(after(1000, &[]).remaining(), 1000);
}

#[test]
fn overdrawn_is_noticed() {
    assert!(after(10, &[11]).is_overdrawn());
    assert!(!after(10, &[10]).is_overdrawn());
}

#[test]
fn edge_all_spent() {
    assert_eq!(after(100, &[60, 40]).remaining(), 0);
}

#[test]
fn edge_zero_limit() {
    assert_eq!(after(0, &[0]).remaining(), 0);
}

#[test]
fn edge_overdrawn_by_one() {
    assert_eq!(after(100, &[101]).remaining(), 0);
}

#[test]
fn edge_overdrawn_by_the_maximum() {
    assert_eq!(after(0, &[u32::MAX, u32::MAX]).remaining(), 0);
}
