//! Finds Chromium, installs axe-core, and runs the tests that look at pages in a browser.

use std::path::{Path, PathBuf};

use crate::shell::{Result, integration_test, run as execute, target};
use crate::tools;

/// Finds barriers in pages; newer versions may find others.
const AXE_PACKAGE: &str = "axe-core";
const AXE_VERSION: &str = "4.14.1";

const CHROMIUM_VARIABLE: &str = "ASSIZE_CHROMIUM";
const AXE_VARIABLE: &str = "ASSIZE_AXE";
/// Where the tests put pictures, if it is set.
const PICTURES_VARIABLE: &str = "ASSIZE_SCREENSHOTS";

/// Installs what is missing, and runs the tests.
pub fn run() -> Result {
    let mut tests = integration_test("eval_browser");
    tests.env(CHROMIUM_VARIABLE, chromium()?).env(AXE_VARIABLE, axe()?);
    if let Some(folder) = std::env::var_os(PICTURES_VARIABLE) {
        // The tests run in another folder than this.
        let folder =
            std::path::absolute(&folder).map_err(|error| format!("{}: {error}", Path::new(&folder).display()))?;
        tests.env(PICTURES_VARIABLE, folder);
    }
    execute(tests)
}

fn chromium() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os(CHROMIUM_VARIABLE) {
        return Ok(path.into());
    }
    if let Some(path) = on_path() {
        return Ok(path);
    }
    tools::apt(&["chromium"])?;
    on_path().ok_or_else(|| format!("Chromium was not installed; {CHROMIUM_VARIABLE} names one that is there"))
}

fn on_path() -> Option<PathBuf> {
    tools::on_path(&["chromium", "chromium-browser", "google-chrome"])
}

fn axe() -> Result<PathBuf> {
    let folder = target("browser");
    let package = folder.join("node_modules").join(AXE_PACKAGE);
    let script = package.join("axe.min.js");
    let card = std::fs::read_to_string(package.join("package.json")).unwrap_or_default();
    if card.contains(&format!("\"version\": \"{AXE_VERSION}\"")) && script.is_file() {
        return Ok(script);
    }
    tools::npm_without_scripts(&folder, &format!("{AXE_PACKAGE}@{AXE_VERSION}"))?;
    if script.is_file() { Ok(script) } else { Err(format!("{} was not installed", script.display())) }
}
