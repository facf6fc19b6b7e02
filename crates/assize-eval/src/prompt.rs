//! What model judges and correctors of the data-set court are shown.

pub mod correction;
pub mod record;
pub mod template;
