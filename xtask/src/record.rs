//! Installs tools in many versions and records what they leave behind, for the tests of reports.
//!
//! The plan is `crates/assize-gate/tests/reports/record.toml`; which tool is had how stands in its `[tool]`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::shell::{Result, cargo, command, read, root, run as execute, target};

/// Where the plan lies.
const PLAN: &str = "crates/assize-gate/tests/reports/record.toml";

/// What is to be recorded.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Only cases whose folder holds one of these words; all of them without one.
    words: Vec<String>,
    /// A folder with the programs of a tool that is already there.
    #[arg(long = "bin", value_name = "NAME=FOLDER")]
    bins: Vec<String>,
    /// Only tools whose name holds this.
    #[arg(long)]
    tool: Option<String>,
}

/// Records, and writes the table in `docs/src/reference/reports.md`.
pub fn run(arguments: &Arguments) -> Result {
    let given: BTreeMap<&str, &str> = arguments.bins.iter().filter_map(|pair| pair.split_once('=')).collect();
    let mut folders = String::new();
    for (name, how) in tools()? {
        if arguments.tool.as_ref().is_some_and(|wanted| !name.contains(wanted.as_str())) {
            continue;
        }
        let folder = given.get(name.as_str()).map(|folder| Ok(PathBuf::from(folder)));
        match folder.unwrap_or_else(|| install(&name, &how)) {
            Ok(folder) => folders.push_str(&format!("{name}={}\n", folder.display())),
            Err(error) => eprintln!("{name} is left out: {error}"),
        }
    }
    let mut record = cargo(&["test", "--package", "assize-gate", "--test", "record_reports", "--"]);
    record.args(["--include-ignored", "--nocapture"]);
    record.env("ASSIZE_RECORD_TOOLS", folders).env("ASSIZE_RECORD_ONLY", arguments.words.join(" "));
    execute(record)?;
    let mut table = cargo(&["test", "--package", "assize-gate", "--test", "recorded_reports"]);
    table.env("ASSIZE_RECORD_TABLE", "1");
    execute(table)
}

/// The tools of the plan, and how each is had.
fn tools() -> Result<BTreeMap<String, Value>> {
    let text = fs::read_to_string(root().join(PLAN)).map_err(|error| format!("{PLAN}: {error}"))?;
    let plan: toml::Table = toml::from_str(&text).map_err(|error| format!("{PLAN}: {error}"))?;
    let tools = plan.get("tool").cloned().unwrap_or_else(|| toml::Table::new().into());
    let tools = serde_json::to_value(tools).map_err(|error| error.to_string())?;
    serde_json::from_value(tools).map_err(|error| format!("{PLAN}: {error}"))
}

/// Returns the folder with a tool's programs, which is made where it is not there.
fn install(name: &str, how: &Value) -> Result<PathBuf> {
    let words = |key: &str| -> Option<Vec<&str>> { how[key].as_array()?.iter().map(Value::as_str).collect() };
    let folder = target("tools/record").join(name);
    if let Some(packages) = words("pip") {
        let version = how["python"].as_str().ok_or("`python` says which version")?;
        python(&folder, version, &packages)?;
        return Ok(folder.join(how["folder"].as_str().unwrap_or("bin")));
    }
    if let Some(packages) = words("npm") {
        npm(&folder, &packages)?;
        return Ok(folder.join(how["folder"].as_str().unwrap_or("node_modules/.bin")));
    }
    if let Some(toolchain) = how["rustup"].as_str() {
        let rustc = read(command("rustup", &["which", "--toolchain", toolchain, "rustc"]))?;
        return folder_of(Path::new(rustc.trim()));
    }
    let program = how["system"].as_str().ok_or("nothing says how it is had")?;
    let said = [["--version"], ["version"]].iter().find_map(|words| read(command(program, words)).ok());
    let wanted = how["says"].as_str().unwrap_or_default();
    if !said.unwrap_or_default().contains(wanted) {
        return Err(format!("{program} is not there, or does not say `{wanted}`"));
    }
    let path = read(command("sh", &["-c", &format!("command -v {program}")]))?;
    folder_of(Path::new(path.trim()))
}

fn folder_of(program: &Path) -> Result<PathBuf> {
    program.parent().map(Path::to_owned).ok_or_else(|| format!("{} has no folder", program.display()))
}

/// An environment of a version of Python with packages.
fn python(folder: &Path, version: &str, packages: &[&str]) -> Result {
    if folder.join("bin/python").exists() {
        return Ok(());
    }
    execute(command(format!("python{version}"), &["-m", "venv", &folder.to_string_lossy()]))?;
    if packages.is_empty() {
        return Ok(());
    }
    let mut install = command(folder.join("bin/python"), &["-m", "pip", "install", "--quiet"]);
    install.args(packages);
    execute(install)
}

fn npm(folder: &Path, packages: &[&str]) -> Result {
    if folder.join("node_modules").exists() {
        return Ok(());
    }
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let prefix = folder.to_string_lossy().into_owned();
    let mut install = command("npm", &["install", "--no-save", "--no-audit", "--no-fund", "--prefix", &prefix]);
    install.args(packages);
    execute(install)
}
