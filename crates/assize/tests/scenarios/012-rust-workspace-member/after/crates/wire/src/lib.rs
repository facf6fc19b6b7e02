#[derive(Debug, PartialEq, Eq)]
pub struct Frame(pub Vec<u8>);

#[derive(Debug, PartialEq, Eq)]
pub enum DecodeError {
    Short,
    TooLong,
}

/// Longest body of a frame.
pub const FRAME_BYTES_MAX: usize = 64 * 1024;

impl Frame {
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = (self.0.len() as u32).to_be_bytes().to_vec();
        bytes.extend(&self.0);
        bytes
    }

    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (prefix, rest) = bytes.split_first_chunk::<4>().ok_or(DecodeError::Short)?;
        let length = u32::from_be_bytes(*prefix) as usize;
        if length > FRAME_BYTES_MAX {
            return Err(DecodeError::TooLong);
        }
        rest.get(..length).map(|body| Self(body.to_vec())).ok_or(DecodeError::Short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip() {
        let frame = Frame(b"hello".to_vec());
        assert_eq!(Frame::decode(&frame.encode()), Ok(frame));
    }

    #[test]
    fn short_input_is_an_error() {
        assert_eq!(Frame::decode(&[0, 0, 0, 9, 1]), Err(DecodeError::Short));
    }

    #[test]
    fn too_long_is_an_error() {
        let longest = Frame(vec![7; FRAME_BYTES_MAX]);
        assert_eq!(Frame::decode(&longest.encode()), Ok(longest));
        let over = Frame(vec![7; FRAME_BYTES_MAX + 1]);
        assert_eq!(Frame::decode(&over.encode()), Err(DecodeError::TooLong));
    }
}
