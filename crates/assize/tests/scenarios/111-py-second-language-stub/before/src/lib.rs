//! Distances between texts.
