//! JavaScript and TypeScript with npm, pnpm, yarn, bun or deno.

use assize_core::path::parent;

use super::{Ecosystem, GeneratedPaths, TestPaths, install};
use crate::Language;
use crate::command::{CommandRole, names_tests};

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
    languages: &[Language::JavaScript, Language::TypeScript, Language::Tsx],
    manifests: &["package.json"],
    settings: &[
        "tsconfig.json",
        "tsconfig.*.json",
        "biome.json",
        "biome.jsonc",
        "jest.config.json",
        ".prettierrc",
        ".prettierrc.json",
        ".eslintrc",
        ".eslintrc.json",
    ],
    lock_files: &["package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb"],
    dependency_folders: &["node_modules"],
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
        collects: |path, is_named| is_named || parent(path).split('/').any(|folder| folder == "__tests__"),
        ..TestPaths::NONE
    },
    runner_files: &[
        ".mocharc",
        ".mocharc.*",
        ".npmrc",
        ".yarnrc",
        ".yarnrc.yml",
        ".pnpmfile.cjs",
        "vitest.*",
        "jest.config.*",
        "jest.setup.*",
        "ava.config.*",
        "karma.conf.*",
        "playwright.config.*",
    ],
    runner_folders: &["node_modules/"],
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
    ..Ecosystem::EMPTY
};

fn role(program: &str, arguments: &[&str]) -> Option<CommandRole> {
    Some(match program {
        "jest" | "vitest" | "mocha" | "ava" | "karma" | "playwright" | "cypress" | "tap" => CommandRole::Test,
        "npm" | "pnpm" | "yarn" | "bun" | "deno" => script(arguments),
        "node" | "tsx" | "ts-node" => {
            if arguments.contains(&"--test") || names_tests(arguments) { CommandRole::Test } else { CommandRole::Script }
        }
        "tsc" | "eslint" | "biome" | "prettier" | "vue-tsc" | "next" | "vite" | "webpack" | "tsup" | "esbuild" => {
            CommandRole::Check
        }
        _ => return None,
    })
}

/// Reads the script names of a package manager.
fn script(arguments: &[&str]) -> CommandRole {
    let mut words = arguments.iter().filter(|word| !word.starts_with('-'));
    let mut name = words.next().copied().unwrap_or_default();
    if matches!(name, "run" | "run-script" | "exec" | "dlx" | "x" | "task" | "workspace") {
        name = words.next().copied().unwrap_or_default();
    }
    let runs = |parts: &[&str]| parts.iter().any(|part| name.contains(part));
    if name == "t" || runs(&["test"]) || matches!(name, "vitest" | "jest" | "mocha" | "e2e" | "playwright" | "cypress") {
        CommandRole::Test
    } else if runs(&["build", "lint", "check", "type", "tsc", "format", "eslint"]) {
        CommandRole::Check
    } else if matches!(name, "install" | "i" | "ci" | "add" | "remove" | "view" | "ls" | "init" | "") {
        CommandRole::Other
    } else {
        CommandRole::Script
    }
}
