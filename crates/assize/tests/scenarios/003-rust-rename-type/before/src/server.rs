use std::net::TcpListener;

use crate::cfg::Cfg;

pub fn serve(cfg: &Cfg) {
    let listener = TcpListener::bind(&cfg.listen).expect("address is free");
    for stream in listener.incoming().flatten() {
        println!("{:?} -> {}", stream.peer_addr(), cfg.upstream);
    }
}
