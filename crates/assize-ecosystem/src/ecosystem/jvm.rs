//! Java and Kotlin with Maven or Gradle, and what else runs on their machine.

use super::{Ecosystem, GeneratedPaths, TestPaths, install};
use crate::Language;
use crate::command::CommandRole;

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "jvm",
    languages: &[Language::Java, Language::Kotlin],
    manifests: &["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "*.versions.toml"],
    lock_files: &["gradle.lockfile"],
    generated: GeneratedPaths { names: &[], folders: &[] },
    // Maven and Gradle compile each source set by itself: what lies in `src/main` is no test, whatever it is called.
    tests: TestPaths {
        names: &[
            "*Test.java",
            "*Tests.java",
            "*TestCase.java",
            "*IT.java",
            "*Test.kt",
            "*Tests.kt",
            "*IT.kt",
        ],
        helpers: &[],
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
