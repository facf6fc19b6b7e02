use report::tour;

#[test]
fn legs_and_total() {
    let text = tour(&[("up", 1200.0), ("down", 3450.0)]);
    assert_eq!(text, "up: 1.20 km\ndown: 3.45 km\ntotal: 4.65 km\n");
}

#[test]
fn edge_no_legs() {
    assert_eq!(tour(&[]), "total: 0.00 km\n");
}
