//! Hands the target over to the program.

fn main() {
    let target = std::env::var("TARGET").expect("cargo sets it");
    println!("cargo::rustc-env=VERSO_TARGET={target}");
    println!("cargo::rerun-if-changed=build.rs");
}
