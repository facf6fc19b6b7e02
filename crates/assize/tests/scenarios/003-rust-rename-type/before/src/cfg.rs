//! Where the relay listens and sends to.

#[derive(Debug, Clone)]
pub struct Cfg {
    pub listen: String,
    pub upstream: String,
}

impl Cfg {
    pub fn from_env() -> Self {
        let var = |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_string());
        Self { listen: var("LISTEN", "127.0.0.1:7000"), upstream: var("UPSTREAM", "127.0.0.1:7001") }
    }
}
