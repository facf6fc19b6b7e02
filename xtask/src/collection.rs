//! Installs the runners of tests of several languages, and compares what they collect with what is called a test.

use std::path::Path;

use crate::shell::{Result, command, integration_test, read, run as execute};
use crate::tools;

/// jest has a folder of its own, because the corpora do without it.
const JEST: &str = "jest@30.5.2";

/// Where Debian keeps the artifacts of Maven.
const MAVEN_REPOSITORY: &str = "/usr/share/maven-repo";

/// What the runners need of the system: what is looked for (a program, or a folder of Maven's artifacts), and the packages that bring it.
const SYSTEM: [(&str, &[&str]); 9] = [
    ("go", &["golang-go"]),
    ("node", &["nodejs"]),
    ("npm", &["npm"]),
    ("javac", &["default-jdk-headless"]),
    ("mvn", &["maven"]),
    ("org/apache/maven/plugins/maven-surefire-plugin", &["libsurefire-java"]),
    ("org/apache/maven/plugins/maven-compiler-plugin", &["libmaven-compiler-plugin-java"]),
    ("org/apache/maven/plugins/maven-resources-plugin", &["libmaven-resources-plugin-java"]),
    ("junit/junit/4.x", &["junit4"]),
];

/// Installs what is missing, and runs the tests.
pub fn run() -> Result {
    let mut missing: Vec<&str> =
        SYSTEM.iter().filter(|(what, _)| !is_there(what)).flat_map(|(_, packages)| *packages).copied().collect();
    if read(command("python3", &["-c", "import ensurepip, venv"])).is_err() {
        missing.push("python3-venv");
    }
    if !missing.is_empty() {
        tools::apt(&missing)?;
    }
    tools::python()?;
    tools::node()?;
    tools::npm("jest", &[JEST])?;
    let mut tests = integration_test("collection");
    tests.arg("--nocapture").env(tools::VARIABLE, tools::folder());
    execute(tests)?;
    // What a stop court makes of Maven needs the same.
    let mut tests = integration_test("verification");
    tests.arg("maven");
    execute(tests)
}

fn is_there(what: &str) -> bool {
    if what.contains('/') { Path::new(MAVEN_REPOSITORY).join(what).is_dir() } else { tools::on_path(&[what]).is_some() }
}
