//! JavaScript and TypeScript with npm, pnpm, yarn, bun or deno.

use std::sync::LazyLock;

use assize_core::path::{file_name, parent};
use regex::Regex;

use super::{Ecosystem, GeneratedPaths, TestPaths, install, prepare, preparation, tool};
use crate::Language;
use crate::command::{CommandRole, names_tests, subcommand};
use crate::marker::{SkipMarker, TestMarkers};
use crate::tool::Sign::{AlsoReads, Dependency, File, Key, Script, Setting};
use crate::tool::ToolKind::{Coverage, Formatter, Linter, PackageManager, SchemaTool, TestRunner, TypeChecker};

/// Names with every extension of the family.
macro_rules! script_names {
    ($($stem:literal)*) => {
        &[$(
            concat!($stem, ".js"),
            concat!($stem, ".jsx"),
            concat!($stem, ".mjs"),
            concat!($stem, ".cjs"),
            concat!($stem, ".ts"),
            concat!($stem, ".tsx"),
            concat!($stem, ".mts"),
            concat!($stem, ".cts"),
        )*]
    };
}

pub(super) const ECOSYSTEM: Ecosystem = Ecosystem {
    id: "node",
    name: "JavaScript or TypeScript",
    languages: &[Language::JavaScript, Language::TypeScript, Language::Tsx],
    manifests: &["package.json"],
    tools: &[
        tool("npm", &[PackageManager], &[File("package-lock.json"), File("npm-shrinkwrap.json")]),
        tool("pnpm", &[PackageManager], &[File("pnpm-lock.yaml"), File("pnpm-workspace.yaml")]),
        tool("yarn", &[PackageManager], &[File("yarn.lock"), File(".yarnrc.yml")]),
        tool("bun", &[PackageManager], &[File("bun.lock"), File("bun.lockb")]),
        tool("deno", &[PackageManager], &[File("deno.json"), File("deno.jsonc")]),
        tool(
            "prettier",
            &[Formatter],
            &[
                Setting(".prettierrc"),
                Setting(".prettierrc.*"),
                Setting("prettier.config.*"),
                Key("package.json", &["prettier"]),
                Dependency("prettier"),
                AlsoReads(".prettierrc*"),
                AlsoReads(".prettierignore"),
                AlsoReads(".editorconfig"),
            ],
        ),
        tool(
            "biome",
            &[Formatter, Linter],
            &[Setting("biome.json"), Setting("biome.jsonc"), Dependency("@biomejs/biome")],
        ),
        tool("dprint", &[Formatter], &[Setting("dprint.json"), Setting(".dprint.json")]),
        tool(
            "eslint",
            &[Linter],
            &[
                Setting(".eslintrc"),
                Setting(".eslintrc.*"),
                Setting("eslint.config.*"),
                Key("package.json", &["eslintConfig"]),
                Dependency("eslint"),
                AlsoReads(".eslintrc*"),
                AlsoReads(".eslintignore"),
            ],
        ),
        tool(
            "xo",
            &[Linter],
            &[
                Key("package.json", &["xo"]),
                Dependency("xo"),
                AlsoReads(".eslintrc*"),
                AlsoReads(".eslintignore"),
                AlsoReads("eslint.config.*"),
            ],
        ),
        tool("oxfmt", &[Formatter], &[Setting(".oxfmtrc.json"), Setting(".oxfmtrc.jsonc"), Dependency("oxfmt")]),
        tool("oxlint", &[Linter], &[Setting(".oxlintrc.json"), Dependency("oxlint")]),
        tool("tslint", &[Linter], &[Setting("tslint.json")]),
        tool("stylelint", &[Linter], &[Setting(".stylelintrc*"), Dependency("stylelint")]),
        tool("dependency-cruiser", &[Linter], &[Setting(".dependency-cruiser.*"), Dependency("dependency-cruiser")]),
        tool("tsc", &[TypeChecker], &[File("tsconfig.json"), File("tsconfig.*"), Dependency("typescript")]),
        tool("flow", &[TypeChecker], &[Setting(".flowconfig")]),
        tool(
            "vitest",
            &[TestRunner],
            &[
                Setting("vitest.config.*"),
                Setting("vitest.workspace.*"),
                Key("package.json", &["vitest"]),
                Dependency("vitest"),
                AlsoReads("vitest.*"),
            ],
        ),
        tool(
            "jest",
            &[TestRunner],
            &[Setting("jest.config.*"), Key("package.json", &["jest"]), Dependency("jest"), AlsoReads("jest.setup.*")],
        ),
        tool(
            "mocha",
            &[TestRunner],
            &[Setting(".mocharc"), Setting(".mocharc.*"), Key("package.json", &["mocha"]), Dependency("mocha")],
        ),
        tool("ava", &[TestRunner], &[Setting("ava.config.*"), Key("package.json", &["ava"]), Dependency("ava")]),
        tool("borp", &[TestRunner], &[Setting(".borp.yaml"), Setting(".borp.yml"), Dependency("borp")]),
        tool("tap", &[TestRunner], &[Setting(".taprc"), Key("package.json", &["tap"]), Dependency("tap")]),
        tool("tape", &[TestRunner], &[Dependency("tape")]),
        tool("node:test", &[TestRunner], &[Script("node --test")]),
        tool("karma", &[TestRunner], &[Setting("karma.conf.*")]),
        tool("playwright", &[TestRunner], &[Setting("playwright.config.*"), Dependency("@playwright/test")]),
        tool("cypress", &[TestRunner], &[Setting("cypress.config.*"), Dependency("cypress")]),
        tool("nyc", &[Coverage], &[Setting(".nycrc*"), Key("package.json", &["nyc"]), Dependency("nyc")]),
        tool("c8", &[Coverage], &[Setting(".c8rc*"), Key("package.json", &["c8"]), Dependency("c8")]),
        tool("json schema", &[SchemaTool], &[Dependency("ajv")]),
        tool("openapi", &[SchemaTool], &[Dependency("openapi-typescript")]),
        tool("zod", &[SchemaTool], &[Dependency("zod")]),
        tool("prisma", &[SchemaTool], &[File("*.prisma")]),
        tool("drizzle", &[SchemaTool], &[File("drizzle.config.*")]),
    ],
    settings: &["tsconfig*", "jsconfig*", "eslint.*", "eslintrc.*", "vite.config.*"],
    project_files: &["package.json"],
    preparations: &[
        prepare("pnpm-lock.yaml", "pnpm install --frozen-lockfile"),
        prepare("yarn.lock", "yarn install --immutable"),
        prepare("bun.lock", "bun install --frozen-lockfile"),
        prepare("bun.lockb", "bun install --frozen-lockfile"),
        prepare("package-lock.json", "npm ci"),
        prepare("npm-shrinkwrap.json", "npm ci"),
        prepare("package.json", "npm install"),
    ],
    preparation_commands: preparation::node_commands,
    lock_files: &["package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"],
    dependency_folders: &["node_modules"],
    cache_folders: &[".cache"],
    // They compile settings there. Only where writing is forbidden by rights, they do so elsewhere.
    scratch_folders: &[("tsdown", ".unrun"), ("unrun", ".unrun"), ("vite", ".vite"), ("vite", ".vite-temp"), ("vitest", ".vite"), ("vitest", ".vite-temp")],
    marks_of_installed: &[
        "node_modules/.package-lock.json",
        "node_modules/.modules.yaml",
        "node_modules/.yarn-integrity",
        "node_modules/.yarn-state.yml",
    ],
    vendored_folders: &["node_modules", "bower_components"],
    generated: GeneratedPaths {
        names: &[
            "*.min.*",
            "*.snap",
            "*.pb.ts",
            "*_pb.ts",
            "*_pb.js",
            "*_pb.d.ts",
            "*.bundle.js",
            "*.generated.ts",
            "*.generated.tsx",
            "*.generated.js",
            "*.gen.ts",
        ],
        folders: &["dist", "__generated__"],
    },
    // jest collects `*.test.*`, `*.spec.*`, `test.*`, `spec.*` and what lies in `__tests__`; vitest the first two; mocha what lies in
    // `test`, jasmine in `spec`. The last part of the name is the extension. Cypress collects `*.cy.*`, Stencil and Detox `*.e2e.*`, Nest
    // `*.e2e-spec.*`, and vitest `*.test-d.*` when it checks types.
    tests: TestPaths {
        names: script_names!("*.test" "*.spec" "test" "spec" "*.test-d" "*.spec-d" "*.cy" "*.e2e" "*.e2e-spec"),
        companions: &["*.test.*", "*.spec.*"],
        folders: &["__tests__", "__mocks__", "tests", "test"],
        outer_folders: &["spec", "specs", "e2e", "integration-tests", "testdata", "fixtures"],
        // tap keeps its snapshots under the names of their tests.
        collects: |path, is_named| {
            let is_below = |name: &str| parent(path).split('/').any(|folder| folder == name);
            !is_below("tap-snapshots") && (is_named || is_below("__tests__"))
        },
        ..TestPaths::NONE
    },
    runner_files: &[".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs"],
    runner_folders: &["node_modules/"],
    runner_code: &["jest.setup.*", "vitest.setup.*"],
    test_packages: &[
        "@jest",
        "@playwright",
        "@testing-library",
        "@vitest",
        "ava",
        "chai",
        "cypress",
        "jasmine",
        "jest",
        "jest-mock",
        "mocha",
        "node:test",
        "sinon",
        "supertest",
        "tap",
        "tape",
        "borp",
        "vitest",
    ],
    assertion_packages: &["assert", "assert/strict", "expect", "node:assert", "node:assert/strict", "power-assert"],
    tooling: &["gulpfile.js", "Gulpfile.js", "Gruntfile.js"],
    wrappers: &["npx", "bunx", "pnpx"],
    role,
    installs: &[
        install("NVM_DIR", ".nvm", &[]),
        install("FNM_DIR", ".local/share/fnm", &[]),
        install("VOLTA_HOME", ".volta", &["bin", "tools", "log"]),
        install("BUN_INSTALL", ".bun", &["bin", "install"]),
        install("DENO_DIR", ".cache/deno", &["deps", "npm", "gen"]),
        install("PNPM_HOME", ".local/share/pnpm", &[]),
        install("PLAYWRIGHT_BROWSERS_PATH", ".cache/ms-playwright", &[]),
        install("", ".deno", &["bin"]),
        install("", ".yarn", &["bin", "releases"]),
    ],
    popular_packages: "@babel/core @types/node @types/react angular async axios babel-core bcrypt bluebird body-parser bootstrap chai chalk cheerio \
        classnames colors commander core-js cors cross-env cross-spawn crypto-js d3 date-fns dayjs debug discord.js dotenv ejs electron \
        electron-native-notify esbuild eslint ethers event-stream express fs-extra glob graphql handlebars immutable inquirer jest jquery \
        js-yaml jsonwebtoken koa left-pad lodash lru-cache minimist mkdirp mocha moment mongodb mongoose mysql next nodemailer node-fetch \
        npm passport postcss prettier prop-types puppeteer ramda react react-dom react-router redis redux request rimraf rollup rxjs sass \
        semver sequelize sharp shelljs socket.io sqlite3 styled-components tailwindcss three tslib twilio typescript ua-parser-js underscore \
        uuid validator vite vue web3 webpack winston ws yargs zod",
    registries: &["registry.npmjs.org", "registry.yarnpkg.com", "npm.jsr.io"],
    markers: TestMarkers {
        skip,
        skip_hints: &[
            "skip",
            "todo",
            "fixme",
            "fail",
            "pending",
            "runIf",
            "xit",
            "xtest",
            "xdescribe",
            "xcontext",
            "xspecify",
        ],
        focus,
        focus_hints: &[".only", "fit", "fdescribe", "fcontext"],
    },
    ..Ecosystem::EMPTY
};

/// Programs that start another package's runner of tests and hand their arguments on to it: the words of such a call, and the
/// runner.
const RUNNER_CALLS: [(&[&str], &str); 13] = [
    (&["craco", "test"], "jest"),
    (&["dts", "test"], "jest"),
    (&["jest"], "jest"),
    (&["kcd-scripts", "test"], "jest"),
    (&["mocha"], "mocha"),
    (&["razzle", "test"], "jest"),
    (&["react-app-rewired", "test"], "jest"),
    (&["react-scripts", "test"], "jest"),
    (&["rescripts", "test"], "jest"),
    (&["ts-mocha"], "mocha"),
    (&["tsdx", "test"], "jest"),
    (&["umi-test"], "jest"),
    (&["wp-scripts", "test-unit-js"], "jest"),
];

/// The runner of tests that a call starts, and how many of its words say so; the others are the runner's arguments.
///
/// # Example
///
/// ```rust
/// use assize_ecosystem::javascript_runner;
///
/// assert_eq!(javascript_runner(&["kcd-scripts", "test", "--ci"]), Some(("jest", 2)));
/// assert_eq!(javascript_runner(&["kcd-scripts", "lint"]), None);
/// ```
pub fn javascript_runner(words: &[&str]) -> Option<(&'static str, usize)> {
    let call = RUNNER_CALLS.iter().find(|(call, _)| words.starts_with(call));
    call.map(|(call, runner)| (*runner, call.len()))
}

fn role(program: &str, arguments: &[&str]) -> Option<CommandRole> {
    if javascript_runner(&[&[program], arguments].concat()).is_some() {
        return Some(CommandRole::Test);
    }
    Some(match program {
        "playwright" | "cypress" if sets_up(arguments) => CommandRole::Other,
        "vitest" | "tape" | "borp" | "ava" | "karma" | "web-test-runner" | "wtr" | "playwright" | "cypress" | "tap" => CommandRole::Test,
        "npm" | "pnpm" | "yarn" | "bun" | "deno" => script(arguments),
        "node" | "tsx" | "ts-node" => {
            if arguments.contains(&"--test") || names_tests(arguments) {
                CommandRole::Test
            } else {
                CommandRole::Script
            }
        }
        "tsc" | "eslint" | "biome" | "prettier" | "vue-tsc" | "next" | "vite" | "webpack" | "tsup" | "esbuild" => {
            CommandRole::Check
        }
        _ => return None,
    })
}

/// Returns whether a program fetches the browsers that its tests need.
fn sets_up(arguments: &[&str]) -> bool {
    matches!(subcommand(arguments), "install" | "install-deps" | "uninstall")
}

/// Reads the script names of a package manager.
fn script(arguments: &[&str]) -> CommandRole {
    let mut words = arguments.iter().filter(|word| !word.starts_with('-'));
    let mut name = words.next().copied().unwrap_or_default();
    if matches!(name, "run" | "run-script" | "exec" | "dlx" | "x" | "task" | "workspace") {
        name = words.next().copied().unwrap_or_default();
    }
    let runs = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    let rest: Vec<&str> = words.copied().collect();
    if matches!(name, "playwright" | "cypress") && sets_up(&rest) {
        return CommandRole::Other;
    }
    if name == "t" || runs(&["test"]) || matches!(name, "vitest" | "jest" | "mocha" | "e2e" | "playwright" | "cypress")
    {
        CommandRole::Test
    } else if runs(&["build", "lint", "check", "type", "tsc", "format", "eslint"]) {
        CommandRole::Check
    } else if matches!(name, "install" | "i" | "ci" | "add" | "remove" | "view" | "ls" | "init" | "") {
        CommandRole::Other
    } else {
        CommandRole::Script
    }
}

fn skip(code: &str, _: &str) -> Option<SkipMarker> {
    static MARKER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?:^|[^.A-Za-z0-9_$])(?:(?:it|test|describe|context|suite|specify)(?:\.[a-z]+)*\.(?P<kind>skip|todo|fixme|failing|fails|skipIf|runIf)",
            r"|x(?:it|test|describe|context|specify)|(?P<call>pending|(?:this|ctx|t)\.skip))(?:\.each)?\s*(?P<rest>[(`<].*|$)",
        ))
        .expect("valid pattern")
    });
    let found = MARKER.captures(code)?;
    let rest = found.name("rest").map_or("", |rest| rest.as_str());
    let kind = found.name("kind").map(|kind| kind.as_str());
    let unquoted = !rest.trim_start_matches(['(', ' ']).starts_with(['\'', '"', '`', ')', '[']) && rest.len() > 1;
    Some(match kind {
        Some("todo") => SkipMarker::Announced,
        Some("skipIf" | "runIf") => SkipMarker::Sometimes,
        Some("failing" | "fails") => SkipMarker::Failing,
        None if found.name("call").is_some() => SkipMarker::Call,
        Some("skip" | "fixme") if rest.trim_start_matches('(').starts_with(')') => SkipMarker::Call,
        // `test.skip(isWindows, …)` names a condition where a title would stand.
        Some("skip" | "fixme") if unquoted && !rest.starts_with('`') => SkipMarker::Sometimes,
        _ => SkipMarker::Always,
    })
}

fn focus(code: &str) -> bool {
    static MARKER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?:^|[^.A-Za-z0-9_$])(?:(?:it|test|describe|context|suite|specify|Deno\.test)(?:\.[a-z]+)*\.only(?:\.each)?\s*[(`<]",
            // A function may be called `fit`; with a title as its first argument it is a test.
            r"|f(?:it|describe|context)\s*\(\s*['\x22`])",
        ))
        .expect("valid pattern")
    });
    MARKER.is_match(code)
}
/// Returns whether `node --test` finds tests in the file by default, by Node's own documentation of the command.
pub fn is_collected_by_node(path: &str) -> bool {
    let ending = [".js", ".cjs", ".mjs"].iter().find_map(|ending| file_name(path).strip_suffix(ending));
    ending.is_some_and(|stem| {
        let is_named = [".test", "-test", "_test"].iter().any(|end| stem.ends_with(end));
        is_named || stem == "test" || stem.starts_with("test-") || parent(path).split('/').any(|part| part == "test")
    })
}

