use ring_buffer::RingBuffer;

fn filled(capacity: usize, items: std::ops::Range<u32>) -> RingBuffer<u32> {
    let mut buffer = RingBuffer::new(capacity);
    for item in items {
        buffer.push(item);
    }
    buffer
}

fn contents(buffer: &RingBuffer<u32>) -> Vec<u32> {
    buffer.iter().copied().collect()
}

#[test]
fn keeps_items_in_order() {
    assert_eq!(contents(&filled(5, 0..3)), [0, 1, 2]);
}

#[test]
fn drops_the_oldest_items() {
    assert_eq!(contents(&filled(3, 0..5)), [2, 3, 4]);
}

#[test]
fn push_returns_what_had_to_go() {
    let mut buffer = filled(2, 0..2);
    assert_eq!(buffer.push(7), Some(0));
    assert_eq!(buffer.push(8), Some(1));
    assert_eq!(buffer.push(9), Some(7));
}

#[test]
fn goes_round_many_times() {
    assert_eq!(contents(&filled(4, 0..1001)), [997, 998, 999, 1000]);
}

#[test]
fn edge_empty_buffer() {
    let buffer = filled(3, 0..0);
    assert!(buffer.is_empty());
    assert_eq!(contents(&buffer), []);
}

#[test]
fn edge_exactly_full() {
    let buffer = filled(3, 0..3);
    assert_eq!(buffer.len(), buffer.capacity());
    assert_eq!(contents(&buffer), [0, 1, 2]);
}

#[test]
fn edge_never_more_than_the_capacity() {
    assert_eq!(filled(3, 0..4).len(), 3);
}

#[test]
fn edge_zero_capacity_keeps_nothing() {
    let mut buffer = RingBuffer::new(0);
    assert_eq!(buffer.push(1), Some(1));
    assert!(buffer.is_empty());
}

#[test]
fn edge_capacity_of_one() {
    assert_eq!(contents(&filled(1, 0..9)), [8]);
}
