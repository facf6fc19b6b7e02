//! Java and Kotlin with Maven or Gradle, and what else runs on their machine.

use std::sync::LazyLock;

use assize_core::path::file_name;
use regex::Regex;

use super::{Ecosystem, GeneratedPaths, TestPaths, install, prepare, tool};
use crate::Language;
use crate::command::CommandRole;
use crate::marker::{SkipMarker, TestMarkers};
use crate::pattern::any;
use crate::tool::Sign::{File, Setting, Text};
use crate::tool::ToolKind::{Coverage, Formatter, Linter, PackageManager, SchemaTool, TestRunner, TypeChecker};

/// Names that hold tests where tests lie, and elsewhere may be anything.
const NAMES_AMONG_TESTS: [&str; 6] = ["Test*.java", "Test*.kt", "IT*.java", "IT*.kt", "*ITCase.java", "*ITCase.kt"];

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "jvm",
    name: "Java or Kotlin",
    languages: &[Language::Java, Language::Kotlin],
    manifests: &[
        "pom.xml",
        "build.gradle",
        "build.gradle.kts",
        "settings.gradle",
        "settings.gradle.kts",
        "*.versions.toml",
    ],
    tools: &[
        tool("maven", &[PackageManager], &[File("pom.xml")]),
        tool(
            "gradle",
            &[PackageManager],
            &[File("build.gradle"), File("build.gradle.kts"), File("settings.gradle"), File("settings.gradle.kts")],
        ),
        tool("spotless", &[Formatter], &[Text("spotless")]),
        tool(
            "spring-javaformat",
            &[Formatter],
            &[Text("spring-javaformat"), Text("io.spring.javaformat"), Setting(".springjavaformatconfig")],
        ),
        tool("palantir-java-format", &[Formatter], &[Text("palantir-java-format"), Text("palantirJavaFormat")]),
        tool("ktlint", &[Formatter, Linter], &[Text("ktlint")]),
        tool("google-java-format", &[Formatter], &[Text("google-java-format"), Text("googleJavaFormat")]),
        tool("checkstyle", &[Linter], &[Setting("checkstyle.xml"), Text("checkstyle")]),
        tool("spotbugs", &[Linter], &[Text("spotbugs")]),
        tool("error-prone", &[Linter], &[Text("error_prone"), Text("errorprone")]),
        tool("archunit", &[Linter], &[Text("archunit")]),
        tool("javac", &[TypeChecker], &[File("pom.xml"), File("build.gradle*")]),
        tool("junit", &[TestRunner], &[Text("junit")]),
        tool("testng", &[TestRunner], &[Text("testng")]),
        tool("jacoco", &[Coverage], &[Text("jacoco")]),
        tool("flyway", &[SchemaTool], &[Text("flyway")]),
    ],
    project_files: &["pom.xml", "build.gradle"],
    preparations: &[
        prepare("gradlew", "./gradlew testClasses"),
        prepare("build.gradle", "gradle testClasses"),
        prepare("build.gradle.kts", "gradle testClasses"),
        prepare("mvnw", "./mvnw -B -DskipTests test"),
        prepare("pom.xml", "mvn -B -DskipTests test"),
    ],
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
    test_packages: &["assertj", "org.assertj", "org.hamcrest", "org.junit", "org.mockito"],
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
    markers: TestMarkers { skip, skip_hints: &["Disabled", "Enabled", "Ignore"], ..TestMarkers::NONE },
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

fn skip(code: &str, _: &str) -> Option<SkipMarker> {
    static ALWAYS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"@(?:Disabled|Ignored?)(?:\s|\(|$)").expect("valid pattern"));
    let sometimes = ["@DisabledOn", "@EnabledOn", "@DisabledIf", "@EnabledIf", "@DisabledFor", "@EnabledFor"];
    if sometimes.iter().any(|annotation| code.contains(annotation)) {
        return Some(SkipMarker::Sometimes);
    }
    ALWAYS.is_match(code).then_some(SkipMarker::Always)
}
