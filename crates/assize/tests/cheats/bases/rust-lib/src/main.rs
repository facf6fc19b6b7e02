//! Prints how two versions relate.

use verso::Version;

fn main() {
    let versions: Vec<Version> = std::env::args()
        .skip(1)
        .map(|text| text.parse().expect("a version"))
        .collect();
    println!("{:?}", versions[0].cmp(&versions[1]));
}
