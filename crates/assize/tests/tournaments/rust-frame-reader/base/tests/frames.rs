use frames::{checksum, Error, Frames, LIMIT};

fn frame(content: &[u8]) -> Vec<u8> {
    let mut bytes = (content.len() as u16).to_be_bytes().to_vec();
    bytes.push(checksum(content));
    bytes.extend_from_slice(content);
    bytes
}

#[test]
fn checksums() {
    assert_eq!(checksum(&[1, 2, 4]), 7);
    assert_eq!(checksum(&[]), 0);
}

#[test]
fn bytes_wait() {
    let mut frames = Frames::default();
    assert_eq!(frames.push(&[0, 9, 0]), Ok(vec![]));
    assert_eq!(frames.waiting(), 3);
}

#[test]
fn a_frame_is_taken_out() {
    let mut frames = Frames::default();
    assert_eq!(frames.push(&frame(b"hello")), Ok(vec![b"hello".to_vec()]));
    assert_eq!(frames.waiting(), 0);
}

#[test]
fn several_frames_in_one_piece() {
    let mut bytes = frame(b"one");
    bytes.extend(frame(b"two"));
    bytes.extend([0, 4]);
    let mut frames = Frames::default();
    assert_eq!(
        frames.push(&bytes),
        Ok(vec![b"one".to_vec(), b"two".to_vec()])
    );
    assert_eq!(frames.waiting(), 2);
}

#[test]
fn one_frame_in_many_pieces() {
    let mut frames = Frames::default();
    let content: Vec<u8> = (0..=255).chain(0..=99).collect();
    let bytes = frame(&content);
    let (last, first) = bytes.split_last().expect("a last byte");
    for byte in first {
        assert_eq!(frames.push(&[*byte]), Ok(vec![]));
    }
    assert_eq!(frames.push(&[*last]), Ok(vec![content]));
}

#[test]
fn damaged_frames_are_left_out() {
    let mut bytes = frame(b"one");
    bytes[4] ^= 1;
    bytes.extend(frame(b"two"));
    let mut frames = Frames::default();
    assert_eq!(frames.push(&bytes), Ok(vec![b"two".to_vec()]));
    assert_eq!((frames.damaged(), frames.waiting()), (1, 0));
}

#[test]
fn edge_empty_frames() {
    let mut frames = Frames::default();
    assert_eq!(frames.push(&[0, 0, 0, 0, 0, 0]), Ok(vec![vec![], vec![]]));
    assert_eq!(frames.push(&[0, 0, 7]), Ok(vec![]));
    assert_eq!(frames.damaged(), 1);
}

#[test]
fn edge_at_the_limit() {
    let mut frames = Frames::default();
    assert_eq!(frames.push(&frame(&[7; LIMIT])).map(|all| all.len()), Ok(1));
}

#[test]
fn edge_beyond_the_limit_every_push_is_an_error() {
    let mut frames = Frames::default();
    assert_eq!(frames.push(&[4, 1]), Err(Error::TooLong));
    assert_eq!(frames.push(&frame(b"one")), Err(Error::TooLong));
    for _ in 0..100 {
        assert_eq!(frames.push(&[0xff; 1000]), Err(Error::TooLong));
    }
    assert!(frames.waiting() <= LIMIT + 3);
}
