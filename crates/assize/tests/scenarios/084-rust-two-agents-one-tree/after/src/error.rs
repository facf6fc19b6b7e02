use std::fmt;

/// What can go wrong.
#[derive(Debug)]
pub enum Error {
    Missing(String),
    Busy,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(what) => write!(f, "{what} is missing"),
            Self::Busy => f.write_str("busy, try again"),
        }
    }
}

impl std::error::Error for Error {}
