//! Frames: four bytes of length, then as many bytes.

/// Why bytes are no frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameError {
    /// More bytes are needed.
    Incomplete,
    /// The length is larger than [`LENGTH_MAX`].
    TooLong(usize),
}

/// The most bytes that a frame holds.
pub const LENGTH_MAX: usize = 1 << 16;

/// Puts the length in front.
pub fn encode(bytes: &[u8]) -> Result<Vec<u8>, FrameError> {
    if bytes.len() > LENGTH_MAX {
        return Err(FrameError::TooLong(bytes.len()));
    }
    let mut frame = (bytes.len() as u32).to_be_bytes().to_vec();
    frame.extend_from_slice(bytes);
    Ok(frame)
}

/// Takes one frame off the front: what it holds, and what is left.
pub fn decode(bytes: &[u8]) -> Result<(&[u8], &[u8]), FrameError> {
    let Some((head, rest)) = bytes.split_first_chunk::<4>() else {
        return Err(FrameError::Incomplete);
    };
    let length = u32::from_be_bytes(*head) as usize;
    if length > LENGTH_MAX {
        return Err(FrameError::TooLong(length));
    }
    if rest.len() < length {
        return Err(FrameError::Incomplete);
    }
    Ok(rest.split_at(length))
}

/// Returns the length that a frame announces.
pub fn length_of(bytes: &[u8]) -> Result<usize, FrameError> {
    let head = bytes.first_chunk::<4>().ok_or(FrameError::Incomplete)?;
    Ok(u32::from_be_bytes(*head) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_comes_first() {
        assert_eq!(encode(b"abc"), Ok(vec![0, 0, 0, 3, b'a', b'b', b'c']));
        assert_eq!(encode(b""), Ok(vec![0, 0, 0, 0]));
    }

    #[test]
    fn a_frame_that_is_cut_is_incomplete() {
        assert_eq!(decode(&[0, 0]), Err(FrameError::Incomplete));
        assert_eq!(decode(&[0, 0, 0, 2, 9]), Err(FrameError::Incomplete));
    }
}
