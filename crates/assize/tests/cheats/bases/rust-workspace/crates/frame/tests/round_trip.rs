use frame::{decode, encode, FrameError, LENGTH_MAX};
use proof::same;

#[test]
fn what_goes_in_comes_out() {
    for text in ["", "a", "a longer text"] {
        let frame = encode(text.as_bytes()).expect("a frame");
        same(decode(&frame), Ok((text.as_bytes(), &[][..])));
    }
}

#[test]
fn frames_follow_each_other() {
    let mut bytes = encode(b"one").expect("a frame");
    bytes.extend(encode(b"two").expect("a frame"));
    let (first, rest) = decode(&bytes).expect("a frame");
    same(first, &b"one"[..]);
    same(decode(rest), Ok((&b"two"[..], &[][..])));
}

#[test]
fn there_is_a_largest_frame() {
    let bytes = vec![7; LENGTH_MAX + 1];
    same(encode(&bytes), Err(FrameError::TooLong(LENGTH_MAX + 1)));
    same(
        encode(&bytes[1..]).map(|frame| frame.len()),
        Ok(LENGTH_MAX + 4),
    );
    same(decode(&[0, 1, 0, 1, 0]), Err(FrameError::TooLong(65_537)));
}
