/// What can go wrong.
#[derive(Debug)]
pub enum Error {
    Missing(String),
    Busy,
}
