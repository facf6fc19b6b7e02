//! Looks at text for people who cannot see it.
