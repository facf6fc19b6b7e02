//! Formats, brought into operations.
