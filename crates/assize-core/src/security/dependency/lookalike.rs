//! Names one letter away from a package that everybody knows.
//!
//! A note for a reader: most such names are honest.

use super::Ecosystem;

/// Packages that many projects use, and whose names have been imitated.
const CRATES: &str = "anyhow async-trait axum base64 bitflags bytes chrono clap crossbeam diesel either env_logger fastrand futures getrandom hashbrown hyper indexmap indicatif itertools lazy_static libc lock_api memchr mio nom num-traits num_cpus once_cell openssl parking_lot petgraph proc-macro2 prost quote rand rand_core rayon regex reqwest ring rocket rusqlite rust_decimal rustc-hash rustls ryu semver serde serde_derive serde_json serde_yaml sha2 smallvec socket2 sqlx strum subtle syn tempfile thiserror time tokio toml tonic tower tracing tracing-subscriber unicode-ident uuid wasm-bindgen winapi";
const NPM: &str = "@babel/core @types/node @types/react angular async axios babel-core bcrypt bluebird body-parser bootstrap chai chalk cheerio classnames colors commander core-js cors cross-env cross-spawn crypto-js d3 date-fns dayjs debug discord.js dotenv ejs electron electron-native-notify esbuild eslint ethers event-stream express fs-extra glob graphql handlebars immutable inquirer jest jquery js-yaml jsonwebtoken koa left-pad lodash lru-cache minimist mkdirp mocha moment mongodb mongoose mysql next nodemailer node-fetch npm passport postcss prettier prop-types puppeteer ramda react react-dom react-router redis redux request rimraf rollup rxjs sass semver sequelize sharp shelljs socket.io sqlite3 styled-components tailwindcss three tslib twilio typescript ua-parser-js underscore uuid validator vite vue web3 webpack winston ws yargs zod";
const PYPI: &str = "aiohttp alembic ansible asyncio attrs beautifulsoup4 black boto3 botocore celery certifi cffi chardet charset-normalizer click colorama coloredlogs coverage cryptography django djangorestframework docker fastapi flask gevent grpcio gunicorn httpx idna importlib-metadata ipython jinja2 jsonschema jupyter keras lxml markupsafe matplotlib mypy numpy opencv-python openai packaging pandas paramiko pillow pip poetry protobuf psutil psycopg2 pyasn1 pydantic pygments pyjwt pymongo pymysql pytest python-dateutil pytz pyyaml redis requests rsa ruff scikit-learn scipy scrapy selenium setuptools six sqlalchemy starlette sympy tensorflow toml torch tornado tqdm transformers typing-extensions urllib3 uvicorn virtualenv websockets werkzeug wheel";

/// Shortest name that is compared: short ones are near to each other by nature.
const NAME_CHARS_MIN: usize = 5;

/// Finds the well-known package that a name is one letter away from; `None` where it is that package, or near to none.
pub(super) fn of(ecosystem: Ecosystem, name: &str) -> Option<&'static str> {
    let known = match ecosystem {
        Ecosystem::Cargo => CRATES,
        Ecosystem::Npm => NPM,
        Ecosystem::Python => PYPI,
        Ecosystem::Go | Ecosystem::Jvm => return None,
    };
    let name = plain(name);
    if name.chars().count() < NAME_CHARS_MIN || known.split(' ').any(|one| plain(one) == name) {
        return None;
    }
    known.split(' ').filter(|one| one.len() >= NAME_CHARS_MIN).find(|one| is_near(&plain(one), &name))
}

/// `_`, `-` and `.` are the same for the eye.
fn plain(name: &str) -> String {
    name.to_ascii_lowercase().replace(['_', '.'], "-")
}

/// Returns whether one letter was put in, left out or replaced, or two neighbours changed places.
fn is_near(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let (short, long) = if one.len() <= other.len() { (&one, &other) } else { (&other, &one) };
    if long.len() - short.len() > 1 {
        return false;
    }
    let same = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let (short_rest, long_rest) = (&short[same..], &long[same..]);
    if short.len() < long.len() {
        return *short_rest == long_rest[1..];
    }
    let replaced = !short_rest.is_empty() && short_rest[1..] == long_rest[1..];
    let swapped = short_rest.len() >= 2
        && short_rest[0] == long_rest[1]
        && short_rest[1] == long_rest[0]
        && short_rest[2..] == long_rest[2..];
    replaced || swapped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_one_letter_away_is_seen() {
        for (ecosystem, name, expected) in [
            (Ecosystem::Npm, "lodahs", Some("lodash")),
            (Ecosystem::Npm, "expres", Some("express")),
            (Ecosystem::Npm, "cross_env", None),
            (Ecosystem::Npm, "crossenv", Some("cross-env")),
            (Ecosystem::Python, "reqeusts", Some("requests")),
            (Ecosystem::Python, "request", Some("requests")),
            (Ecosystem::Python, "Requests", None),
            (Ecosystem::Cargo, "rustdecimal", Some("rust_decimal")),
            (Ecosystem::Cargo, "serde_jsom", Some("serde_json")),
            (Ecosystem::Cargo, "serde", None),
            (Ecosystem::Cargo, "rang", None),
            (Ecosystem::Cargo, "petgraphs-extra", None),
            (Ecosystem::Go, "lodahs", None),
        ] {
            assert_eq!(of(ecosystem, name), expected, "{name}");
        }
    }
}
