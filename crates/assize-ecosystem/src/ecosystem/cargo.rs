//! Rust with Cargo.

use assize_core::path::{file_name, parent};

use super::{Ecosystem, GeneratedPaths, TestPaths, install};
use crate::Language;
use crate::command::CommandRole;
use crate::pattern::any;

/// Names of modules of tests.
const COMPANIONS: [&str; 3] = ["tests.rs", "test.rs", "*_tests.rs"];

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "cargo",
    languages: &[Language::Rust],
    manifests: &["Cargo.toml"],
    settings: &["rustfmt.toml", ".rustfmt.toml", "clippy.toml", ".clippy.toml", "nextest.toml"],
    lock_files: &["Cargo.lock"],
    generated: GeneratedPaths {
        names: &["*.pb.rs", "*.gen.rs", "*_generated.rs", "*.generated.rs"],
        folders: &["target"],
    },
    // Cargo takes targets from `tests/*.rs` and `tests/*/main.rs`, and passes over `tests/common/mod.rs`. A module of tests beside the code
    // is called `tests` or `test`, or ends so; whether it is declared under `#[cfg(test)]` stands in the file that declares it.
    tests: TestPaths {
        companions: &COMPANIONS,
        folders: &["tests"],
        outer_folders: &["test", "testdata", "fixtures"],
        collects,
        ..TestPaths::NONE
    },
    runner_files: &["nextest.toml", "rust-toolchain", "rust-toolchain.toml"],
    runner_folders: &[".cargo/"],
    tooling: &["build.rs"],
    role,
    installs: &[install("CARGO_HOME", ".cargo", &["bin", "registry", "git"]), install("RUSTUP_HOME", ".rustup", &[])],
    popular_packages: "anyhow async-trait axum base64 bitflags bytes chrono clap crossbeam diesel either env_logger fastrand futures getrandom hashbrown \
        hyper indexmap indicatif itertools lazy_static libc lock_api memchr mio nom num-traits num_cpus once_cell openssl parking_lot \
        petgraph proc-macro2 prost quote rand rand_core rayon regex reqwest ring rocket rusqlite rust_decimal rustc-hash rustls ryu semver \
        serde serde_derive serde_json serde_yaml sha2 smallvec socket2 sqlx strum subtle syn tempfile thiserror time tokio toml tonic tower \
        tracing tracing-subscriber unicode-ident uuid wasm-bindgen winapi",
    registries: &["crates.io", "index.crates.io", "github.com/rust-lang/crates.io-index"],
    ..Ecosystem::EMPTY
};

fn collects(path: &str, _: bool) -> bool {
    let (folder, name) = (parent(path), file_name(path));
    let is_in_tests = |folder: &str| file_name(folder) == "tests";
    any(&COMPANIONS, name) || is_in_tests(folder) || name == "main.rs" && is_in_tests(parent(folder))
}

fn role(program: &str, arguments: &[&str]) -> Option<CommandRole> {
    Some(match program {
        "cargo-nextest" | "trybuild" => CommandRole::Test,
        "cargo" => match crate::command::subcommand(arguments) {
            "test" | "nextest" | "t" | "miri" | "llvm-cov" | "mutants" | "tarpaulin" => CommandRole::Test,
            "build" | "check" | "clippy" | "b" | "c" | "doc" | "fmt" | "deny" => CommandRole::Check,
            "run" | "r" | "xtask" | "bench" => CommandRole::Script,
            _ => CommandRole::Other,
        },
        "rustfmt" | "rustc" => CommandRole::Check,
        _ => return None,
    })
}
