use std::net::TcpListener;

use crate::settings::Settings;

pub fn serve(settings: &Settings) {
    let listener = TcpListener::bind(&settings.listen).expect("address is free");
    for stream in listener.incoming().flatten() {
        println!("{:?} -> {}", stream.peer_addr(), settings.upstream);
    }
}
