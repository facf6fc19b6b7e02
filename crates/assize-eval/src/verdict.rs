//! What judges and correctors of the data-set court answer.

pub mod correction;
pub mod record;
pub mod template;
