pub mod json;
#[cfg(feature = "xml")]
pub mod xml;
