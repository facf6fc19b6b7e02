//! The courts in operation: carries out their effects and returns the results to them.

pub mod eval;
pub mod review;
pub mod stop;
pub mod tournament;
