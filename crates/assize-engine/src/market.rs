//! What the market keeps of its history, and what it knows of a tree.

pub mod events;
pub mod known;
