//! Says in which run we are.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(nightly_run)");
    if std::env::var_os("NIGHTLY_RUN").is_some() {
        println!("cargo::rustc-cfg=nightly_run");
    }
}
