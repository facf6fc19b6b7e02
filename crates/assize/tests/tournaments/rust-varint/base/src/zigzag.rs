//! Signs in the lowest bit.

/// Makes small numbers of numbers near zero.
pub fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)) as u64
}

/// Takes [`zigzag`] back.
pub fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}
