#[derive(Debug, PartialEq, Eq)]
pub struct Frame(pub Vec<u8>);

#[derive(Debug, PartialEq, Eq)]
pub enum DecodeError {
    Short,
}

impl Frame {
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = (self.0.len() as u32).to_be_bytes().to_vec();
        bytes.extend(&self.0);
        bytes
    }

    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let (prefix, rest) = bytes.split_first_chunk::<4>().ok_or(DecodeError::Short)?;
        let length = u32::from_be_bytes(*prefix) as usize;
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
}
