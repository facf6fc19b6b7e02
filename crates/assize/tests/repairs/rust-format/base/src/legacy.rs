//! What was there before.

/// Returns a caption.
pub fn caption( text:&str )->String {
  text.to_uppercase()
}
