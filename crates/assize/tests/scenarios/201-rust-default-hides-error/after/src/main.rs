#[derive(serde::Deserialize)]
struct Config {
    port: u16,
}

impl Default for Config {
    fn default() -> Self {
        Self { port: 8000 }
    }
}

fn main() {
    let text = std::fs::read_to_string("config.toml").unwrap_or_default();
    let config: Config = toml::from_str(&text).unwrap_or_default();
    println!("listening on {}", config.port);
}
