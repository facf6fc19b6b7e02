//! The courts, each a state machine: `step(event) -> effects`.
//!
//! A court decides; the engine carries out its effects and reports back. Time, randomness and
//! everything gathered arrive as arguments.

pub mod eval;
pub mod generation;
mod hearing;
pub mod loop_control;
pub mod review;
pub mod standing;
pub mod stop;
pub mod tournament;
