//! Java and Kotlin with Maven or Gradle, and what else runs on their machine.

use assize_core::path::file_name;

use super::{Ecosystem, GeneratedPaths, TestPaths, install};
use crate::Language;
use crate::command::CommandRole;
use crate::pattern::any;

/// Names that hold tests where tests lie, and elsewhere may be anything.
const NAMES_AMONG_TESTS: [&str; 6] = ["Test*.java", "Test*.kt", "IT*.java", "IT*.kt", "*ITCase.java", "*ITCase.kt"];

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "jvm",
    languages: &[Language::Java, Language::Kotlin],
    manifests: &["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "*.versions.toml"],
    lock_files: &["gradle.lockfile"],
    generated: GeneratedPaths { names: &[], folders: &[] },
    // Maven and Gradle compile each source set on its own: what lies in `src/main` is no test, whatever it is called. Surefire collects `Test*`,
    // `*Test`, `*Tests` and `*TestCase` from `src/test`, and Failsafe `IT*`, `*IT` and `*ITCase`. `Testing` is a common name of a product, so
    // names are told by their beginning only where tests lie.
    tests: TestPaths {
        names: &[
            "*Test.java",
            "*Tests.java",
            "*TestCase.java",
            "*IT.java",
            "*Test.kt",
            "*Tests.kt",
            "*TestCase.kt",
            "*IT.kt",
        ],
        folders: &[],
        outer_folders: &["test", "tests", "testdata", "fixtures"],
        source_sets: &[
            ("src", "test"),
            ("src", "it"),
            ("src", "integrationTest"),
            ("src", "functionalTest"),
            ("src", "testFixtures"),
            ("src", "androidTest"),
            ("src", "commonTest"),
            ("src", "jvmTest"),
        ],
        product_sets: &[("src", "main"), ("src", "commonMain"), ("src", "jvmMain")],
        collects: |path, is_named| is_named || any(&NAMES_AMONG_TESTS, file_name(path)),
        ..TestPaths::NONE
    },
    role,
    installs: &[
        install("GRADLE_USER_HOME", ".gradle", &["wrapper", "caches", "jdks", "native"]),
        install("SDKMAN_DIR", ".sdkman", &["bin", "candidates", "libexec", "src"]),
        install("", ".m2", &["repository", "wrapper"]),
        install("", ".ivy2", &["cache", "local"]),
        install("", ".cache/coursier", &[]),
        install("", ".jenv", &[]),
    ],
    registries: &[
        "repo.maven.apache.org",
        "repo1.maven.org",
        "maven.google.com",
        "plugins.gradle.org",
        "central.sonatype.com",
        "jitpack.io",
    ],
    ..Ecosystem::EMPTY
};

fn role(program: &str, arguments: &[&str]) -> Option<CommandRole> {
    Some(match program {
        "mvn" | "mvnw" | "gradle" | "gradlew" | "sbt" | "ant" => {
            let runs_tests =
                |word: &&str| word.contains("test") || matches!(*word, "verify" | "install" | "check" | "package");
            if arguments.iter().any(runs_tests) { CommandRole::Test } else { CommandRole::Check }
        }
        "lein" => crate::command::test_or_check(arguments),
        "javac" => CommandRole::Check,
        _ => return None,
    })
}
