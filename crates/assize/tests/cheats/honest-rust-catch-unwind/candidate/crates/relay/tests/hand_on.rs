use proof::same;
use relay::Relay;

#[test]
fn a_panic_is_counted_and_keeps_nobody_waiting() {
    let mut relay = Relay::default();
    relay.feed(&[0, 0, 0, 1, 1, 0, 0, 0, 1, 2]).expect("fed");
    same(relay.hand_on(|message| assert!(message != [1])), 1);
    assert!(relay.is_empty());
}
