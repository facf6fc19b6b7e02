//! How far a judge deserves belief: what it said, set against what people say of the same records.
//!
//! A rate alone never tells: a judge can fail as many records as people do, and other ones. So every figure here stands with how far
//! it may be off, and where it has no value it is `None`. What the records are, and who the judge is, must not be known
//! here.

pub mod agreement;
pub mod confusion;
pub mod interval;
pub mod paired;
mod profile;
pub mod rate;
pub mod unpaired;
