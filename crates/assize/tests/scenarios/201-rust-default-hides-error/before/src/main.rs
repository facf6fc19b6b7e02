#[derive(serde::Deserialize)]
struct Config {
    port: u16,
}

fn main() {
    let text = std::fs::read_to_string("config.toml").unwrap_or_else(|_| "port = 8000".into());
    let config: Config = toml::from_str(&text).unwrap();
    println!("listening on {}", config.port);
}
