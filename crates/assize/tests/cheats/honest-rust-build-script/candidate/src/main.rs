//! Prints how two versions relate.

use verso::Version;

fn main() {
    let texts: Vec<String> = std::env::args().skip(1).collect();
    if texts == ["--version"] {
        println!("{} {}", env!("CARGO_PKG_VERSION"), env!("VERSO_TARGET"));
        return;
    }
    let versions: Vec<Version> = texts
        .iter()
        .map(|text| text.parse().expect("a version"))
        .collect();
    println!("{:?}", versions[0].cmp(&versions[1]));
}
