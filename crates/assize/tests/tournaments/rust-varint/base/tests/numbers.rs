use varint::{read, read_signed, unzigzag, write, write_signed, zigzag, Error};

fn written(number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(number, &mut bytes);
    bytes
}

#[test]
fn signs_go_to_the_lowest_bit() {
    assert_eq!([0, -1, 1, -2].map(zigzag), [0, 1, 2, 3]);
    assert_eq!(unzigzag(zigzag(i64::MIN)), i64::MIN);
}

#[test]
fn small_numbers_are_one_byte() {
    assert_eq!(written(5), [5]);
    assert_eq!(read(&[5, 6]), Ok((5, &[6][..])));
}

#[test]
fn larger_numbers_are_more_bytes() {
    assert_eq!(written(300), [0xac, 0x02]);
    assert_eq!(read(&[0xac, 0x02, 9]), Ok((300, &[9][..])));
}

#[test]
fn what_is_written_can_be_read() {
    for shift in 0..64 {
        for number in [1 << shift, (1 << shift) - 1, u64::MAX >> shift] {
            let mut bytes = written(number);
            bytes.push(0xff);
            assert_eq!(read(&bytes), Ok((number, &[0xff][..])));
        }
    }
}

#[test]
fn signed_numbers() {
    for number in [0, 1, -1, 63, -64, 64, 1 << 40, -(1 << 40)] {
        let mut bytes = Vec::new();
        write_signed(number, &mut bytes);
        assert_eq!(read_signed(&bytes), Ok((number, &[][..])));
    }
    let mut bytes = Vec::new();
    write_signed(-64, &mut bytes);
    assert_eq!(bytes, [127]);
}

#[test]
fn edge_zero_is_a_single_byte() {
    assert_eq!(written(0), [0]);
    assert_eq!(read(&[0]), Ok((0, &[][..])));
}

#[test]
fn edge_maximum_and_minimum() {
    assert_eq!(written(u64::MAX).len(), 10);
    let mut bytes = Vec::new();
    write_signed(i64::MIN, &mut bytes);
    assert_eq!(read_signed(&bytes), Ok((i64::MIN, &[][..])));
}

#[test]
fn edge_truncated() {
    assert_eq!(read(&[]), Err(Error::Truncated));
    assert_eq!(read(&[0x80]), Err(Error::Truncated));
    assert_eq!(read(&[0xff; 9]), Err(Error::Truncated));
}

#[test]
fn edge_overflow() {
    assert_eq!(
        read(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2]),
        Err(Error::Overflow)
    );
    assert_eq!(read(&[0xff; 40]), Err(Error::Overflow));
    assert_eq!(read(&[0x80; 40]), Err(Error::Overflow));
}

#[test]
fn edge_overlong_is_an_error() {
    assert_eq!(read(&[0x80, 0x00]), Err(Error::Overlong));
    assert_eq!(read(&[0xff, 0x80, 0x00]), Err(Error::Overlong));
}
