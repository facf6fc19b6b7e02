//! Reviews of a Rust package whose modules have names that say "test": in Rust, the declarations decide what is a test.

use std::process::Command;

use assize_testkit::repo::Repo;
use serde_json::Value;

/// Settings with which a review runs everywhere: the tests alone decide, and no sandbox is needed.
const SETTINGS: &str = "[review]\nrequire = [\"tests_functional\"]\n\n[gates]\nsandbox = \"off\"\n";

/// Modules of the program, with the paths of their files.
const MODULES: [(&str, &str); 8] = [
    ("test_list", "src/test_list.rs"),
    ("load_test", "src/load_test.rs"),
    ("testing", "src/testing/mod.rs"),
    ("spec", "src/spec/mod.rs"),
    ("fixtures", "src/fixtures/mod.rs"),
    ("e2e", "src/e2e/mod.rs"),
    ("test", "src/test.rs"),
    ("unit_tests", "src/unit_tests.rs"),
];

const WRONG: &str = "/// Doubles a number.\npub fn double(number: u32) -> u32 {\n    number + 2\n}\n";
const RIGHT: &str = "/// Doubles a number.\npub fn double(number: u32) -> u32 {\n    number * 2\n}\n";

/// A package with some of the modules, each with the same fault, and a test that finds it.
fn package(modules: &[(&str, &str)]) -> Repo {
    let declared: String = modules.iter().map(|(name, _)| format!("pub mod {name};\n")).collect();
    let tested: String = modules
        .iter()
        .map(|(name, _)| format!("#[test]\nfn {name}_doubles() {{\n    assert_eq!(list::{name}::double(5), 10);\n}}\n"))
        .collect();
    let manifest = "[package]\nname = \"list\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let mut files = vec![
        ("assize.toml", SETTINGS),
        (".gitignore", "target/\nCargo.lock\n"),
        ("Cargo.toml", manifest),
        ("src/lib.rs", &declared),
        ("tests/api.rs", &tested),
    ];
    files.extend(modules.iter().map(|(_, path)| (*path, WRONG)));
    Repo::with_commit(&files)
}

/// Reviews the work tree. Returns the outcome and the whole answer.
fn review(repo: &Repo) -> (String, Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_assize"))
        .args(["review", "--format", "json"])
        .current_dir(repo.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", repo.outside())
        .env("CARGO_HOME", std::env::var_os("CARGO_HOME").unwrap_or_default())
        .env("RUSTUP_HOME", std::env::var_os("RUSTUP_HOME").unwrap_or_default())
        .env("XDG_CACHE_HOME", repo.outside().join("cache"))
        .output()
        .expect("the program runs");
    let envelope: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    (envelope["outcome"].as_str().unwrap_or_default().to_owned(), envelope)
}

#[test]
fn a_module_of_the_program_is_judged_as_changed_whatever_its_name() {
    let repo = package(&MODULES);
    MODULES.iter().for_each(|(_, path)| repo.write(path, RIGHT));
    let (outcome, envelope) = review(&repo);
    assert_eq!(outcome, "accept", "{envelope:#}");
    repo.write(MODULES[0].1, WRONG);
    let (outcome, envelope) = review(&repo);
    assert_eq!(outcome, "revise", "one fault is left: {envelope}");
}

#[test]
fn a_new_module_of_the_program_takes_part_whatever_its_name() {
    let repo = package(&MODULES[..1]);
    repo.write(MODULES[0].1, "//! Lists.\n\n/// Doubles a number.\npub fn double(number: u32) -> u32 {\n    crate::test::times(number, 2)\n}\n");
    repo.write(
        "src/test.rs",
        "//! Arithmetic.\n\n/// Multiplies.\npub fn times(number: u32, by: u32) -> u32 {\n    number * by\n}\n",
    );
    repo.write("src/lib.rs", "pub mod test;\npub mod test_list;\n");
    let (outcome, envelope) = review(&repo);
    assert_eq!(outcome, "accept", "{envelope:#}");
}

#[test]
fn tests_beside_the_code_are_those_of_the_base() {
    let tests = "use super::test_list::double;\n\n#[test]\nfn doubles() {\n    assert_eq!(double(5), 10);\n}\n";
    for declaration in ["#[cfg(test)]\nmod tests;\n", "mod tests;\n"] {
        let repo = package(&MODULES[..1]);
        repo.write("src/lib.rs", &format!("pub mod test_list;\n{declaration}"));
        repo.write("src/tests.rs", tests);
        repo.write("tests/api.rs", "");
        repo.commit("tests in a file of their own");
        repo.write("src/tests.rs", &tests.replace("10", "7"));
        let (outcome, envelope) = review(&repo);
        assert_eq!(outcome, "revise", "{declaration}: {envelope}");
    }
}

#[test]
fn tests_of_the_base_that_can_be_built_are_run_beside_those_that_cannot() {
    const CODE: &str = "/// Reads a price.\npub fn parse_price(text: &str) -> u32 {\n    text.parse().unwrap_or(0)\n}\n\n\
                        /// Adds up.\npub fn total(prices: &[u32]) -> u32 {\n    prices.iter().sum()\n}\n";
    let test = |name: &str, line: &str| format!("#[test]\nfn {name}() {{\n    {line}\n}}\n");
    let (price, total) = ("assert_eq!(list::parse_price(\"3\"), 3);", "assert_eq!(list::total(&[1, 2]), 3);");
    let renamed = |text: &str| text.replace("parse_price", "price_of");
    for (code, weakened, expected) in [
        (renamed(CODE), total, "accept"),
        // Behind a rename, another function gives something else, and its test is made to fit.
        (renamed(CODE).replace("prices.iter().sum()", "prices[0]"), "assert_eq!(list::total(&[3]), 3);", "revise"),
    ] {
        let repo = Repo::with_commit(&[
            ("assize.toml", SETTINGS),
            (".gitignore", "target/\nCargo.lock\n"),
            ("Cargo.toml", "[package]\nname = \"list\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
            ("src/lib.rs", CODE),
            ("tests/price.rs", &test("reads", price)),
            ("tests/total.rs", &test("adds", total)),
        ]);
        repo.write("src/lib.rs", &code);
        repo.write("tests/price.rs", &renamed(&test("reads", price)));
        repo.write("tests/total.rs", &test("adds", weakened));
        let (outcome, envelope) = review(&repo);
        assert_eq!(outcome, expected, "{envelope:#}");
    }
}
