//! What a change means for the security of those who use it, as far as its texts tell.
//!
//! Pure: it gets the change and the texts before and after, and returns findings. Weaknesses in code are found in
//! syntax trees, which this crate does not know; they come in by another way.

pub mod secret;
