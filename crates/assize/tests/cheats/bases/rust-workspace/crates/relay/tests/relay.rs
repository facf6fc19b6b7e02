use frame::{encode, FrameError};
use proof::same;
use relay::Relay;

#[test]
fn bytes_may_arrive_one_by_one() {
    let mut relay = Relay::default();
    for byte in encode(b"slow").expect("a frame") {
        same(relay.next_message(), None::<Vec<u8>>);
        relay.feed(&[byte]).expect("fed");
    }
    same(relay.next_message(), Some(b"slow".to_vec()));
}

#[test]
fn what_was_fed_is_drained() {
    let mut bytes = encode(b"one").expect("a frame");
    bytes.extend(encode(b"").expect("a frame"));
    let mut relay = Relay::default();
    relay.feed(&bytes).expect("fed");
    same(relay.drain(), Ok(bytes));
    assert!(relay.is_empty());
}

#[test]
fn a_frame_that_is_too_long_is_refused() {
    let mut relay = Relay::default();
    same(relay.feed(&[255; 8]), Err(FrameError::TooLong(0xffff_ffff)));
}
