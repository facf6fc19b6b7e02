//! Text for terminals.
