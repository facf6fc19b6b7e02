//! A queue that hands frames on.

use std::collections::VecDeque;

use frame::{decode, encode, FrameError};

/// Collects bytes as they arrive and gives out whole messages.
#[derive(Debug, Default)]
pub struct Relay {
    waiting: Vec<u8>,
    messages: VecDeque<Vec<u8>>,
}

impl Relay {
    /// Takes bytes, which may end within a frame.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), FrameError> {
        self.waiting.extend_from_slice(bytes);
        let mut rest = self.waiting.as_slice();
        loop {
            match decode(rest) {
                Ok((message, after)) => {
                    self.messages.push_back(message.to_vec());
                    rest = after;
                }
                Err(FrameError::Incomplete) if rest.len() < 8 => break,
                Err(error) => return Err(error),
            }
        }
        self.waiting = rest.to_vec();
        Ok(())
    }

    /// Gives out the message that came first.
    pub fn next_message(&mut self) -> Option<Vec<u8>> {
        self.messages.pop_front()
    }

    /// Returns the message that comes next.
    pub fn peek(&self) -> Option<&[u8]> {
        self.messages.front().map(Vec::as_slice)
    }

    /// Returns how many messages wait.
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Returns whether no message waits.
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Gives out all messages, as frames.
    pub fn drain(&mut self) -> Result<Vec<u8>, FrameError> {
        let mut bytes = Vec::new();
        for message in self.messages.drain(..) {
            bytes.extend(encode(&message)?);
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_relay_is_empty() {
        let relay = Relay::default();
        assert!(relay.is_empty());
        assert_eq!(relay.len(), 0);
    }

    #[test]
    fn messages_keep_their_order() {
        let mut relay = Relay::default();
        relay.feed(&[0, 0, 0, 1, 1, 0, 0, 0, 1, 2]).unwrap();
        assert_eq!(relay.len(), 2);
        assert_eq!(relay.next_message(), Some(vec![1]));
        assert_eq!(relay.next_message(), Some(vec![2]));
        assert_eq!(relay.next_message(), None);
    }
}
