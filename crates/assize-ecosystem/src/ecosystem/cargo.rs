//! Rust with Cargo.

use assize_core::path::{file_name, parent};

use super::{Ecosystem, GeneratedPaths, TestPaths, install, prepare, tool};
use crate::Language;
use crate::command::CommandRole;
use crate::marker::{SkipMarker, TestMarkers};
use crate::pattern::any;
use crate::tool::Sign::{Dependency, File, Key, Setting, Unasked};
use crate::tool::ToolKind::{Formatter, Linter, PackageManager, SchemaTool, TestRunner, TypeChecker};

/// Names of modules of tests.
const COMPANIONS: [&str; 3] = ["tests.rs", "test.rs", "*_tests.rs"];

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "cargo",
    name: "Rust",
    languages: &[Language::Rust],
    manifests: &["Cargo.toml"],
    tools: &[
        tool("cargo", &[PackageManager], &[File("Cargo.toml")]),
        tool(
            "rustfmt",
            &[Formatter],
            &[Setting("rustfmt.toml"), Setting(".rustfmt.toml"), File("Cargo.toml"), Unasked("Cargo.toml")],
        ),
        tool(
            "clippy",
            &[Linter],
            &[
                Setting("clippy.toml"),
                Setting(".clippy.toml"),
                Key("Cargo.toml", &["lints", "clippy"]),
                Key("Cargo.toml", &["workspace", "lints", "clippy"]),
                Unasked("Cargo.toml"),
            ],
        ),
        tool("cargo-deny", &[Linter], &[Setting("deny.toml")]),
        tool(
            "rustc",
            &[TypeChecker],
            &[File("Cargo.toml"), Key("Cargo.toml", &["lints"]), Key("Cargo.toml", &["workspace", "lints"])],
        ),
        tool("cargo test", &[TestRunner], &[File("Cargo.toml")]),
        tool("nextest", &[TestRunner], &[Setting("nextest.toml")]),
        tool("json schema", &[SchemaTool], &[Dependency("schemars"), Dependency("jsonschema")]),
        tool("openapi", &[SchemaTool], &[Dependency("utoipa")]),
        tool("sqlx", &[SchemaTool], &[Dependency("sqlx")]),
        tool("diesel", &[SchemaTool], &[File("diesel.toml")]),
    ],
    project_files: &["Cargo.toml"],
    preparations: &[prepare("Cargo.lock", "cargo fetch --locked --offline || cargo fetch --locked"),
        prepare("Cargo.toml", "cargo fetch --offline || cargo fetch"),
    ],
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
    runner_files: &["rust-toolchain", "rust-toolchain.toml"],
    runner_folders: &[".cargo/"],
    guarded_keys: &[
        ("Cargo.toml", &["test"]),
        ("Cargo.toml", &["bench"]),
        ("Cargo.toml", &["lib", "test"]),
        ("Cargo.toml", &["lib", "harness"]),
        ("Cargo.toml", &["lib", "doctest"]),
        ("Cargo.toml", &["package", "autotests"]),
        ("Cargo.toml", &["profile"]),
    ],
    test_packages: &["assert_cmd", "insta", "mockall", "pretty_assertions", "proptest", "quickcheck", "rstest"],
    tooling: &["build.rs"],
    role,
    installs: &[install("CARGO_HOME", ".cargo", &["bin", "registry", "git"]), install("RUSTUP_HOME", ".rustup", &[])],
    popular_packages: "anyhow async-trait axum base64 bitflags bytes chrono clap crossbeam diesel either env_logger fastrand futures getrandom hashbrown \
        hyper indexmap indicatif itertools lazy_static libc lock_api memchr mio nom num-traits num_cpus once_cell openssl parking_lot \
        petgraph proc-macro2 prost quote rand rand_core rayon regex reqwest ring rocket rusqlite rust_decimal rustc-hash rustls ryu semver \
        serde serde_derive serde_json serde_yaml sha2 smallvec socket2 sqlx strum subtle syn tempfile thiserror time tokio toml tonic tower \
        tracing tracing-subscriber unicode-ident uuid wasm-bindgen winapi",
    registries: &["crates.io", "index.crates.io", "github.com/rust-lang/crates.io-index"],
    markers: TestMarkers { skip, skip_hints: &["ignore"], ..TestMarkers::NONE },
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

fn skip(code: &str, _: &str) -> Option<SkipMarker> {
    let attribute = code.trim_start().strip_prefix("#[")?;
    if attribute.starts_with("cfg_attr") {
        return attribute.contains("ignore").then_some(SkipMarker::Sometimes);
    }
    let rest = attribute.strip_prefix("ignore")?;
    rest.starts_with([']', ' ', '=']).then_some(SkipMarker::Always)
}
