mod cfg;
mod server;

use cfg::Cfg;

fn main() {
    let cfg = Cfg::from_env();
    server::serve(&cfg);
}
