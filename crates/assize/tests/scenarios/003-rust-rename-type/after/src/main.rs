mod server;
mod settings;

use settings::Settings;

fn main() {
    let settings = Settings::from_env();
    server::serve(&settings);
}
