//! The toolchain of Rust that rustup chooses for a project.
//!
//! Where a project asks for components that are not installed, rustup installs them with every call, and fails in a gate.
//! It does not do so for a toolchain that it is told by name.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::work_copy::WorkCopy;

/// The largest file that is read, in bytes.
const FILE_BYTES_MAX: u64 = 64 * 1024;

/// Returns the name of the toolchain that the project chooses, if it is installed.
pub fn chosen_by(copy: &WorkCopy) -> Option<String> {
    let file = ["rust-toolchain", "rust-toolchain.toml"].iter().find_map(|name| copy.text(name, FILE_BYTES_MAX))?;
    let home = std::env::var_os("RUSTUP_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".rustup")))?;
    let settings = fs::read_to_string(home.join("settings.toml")).unwrap_or_default();
    let entries = fs::read_dir(home.join("toolchains")).ok()?.flatten();
    let installed = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    choose(&file, &settings, &installed)
}

/// Chooses a toolchain by the project's file, then by rustup's settings.
fn choose(file: &str, settings: &str, installed: &BTreeSet<String>) -> Option<String> {
    let text = |table: &toml::Table, key: &str| Some(table.get(key)?.as_str()?.to_owned());
    let default = || text(&settings.parse().ok()?, "default_toolchain");
    let wanted = match file.parse::<toml::Table>() {
        Ok(table) => {
            let table = table.get("toolchain")?.as_table().filter(|table| !table.contains_key("path"))?;
            text(table, "channel").or_else(default)?
        }
        // The old form has nothing but the name.
        Err(_) => file.trim().to_owned(),
    };
    let is_it =
        |name: &&String| name.strip_prefix(&wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'));
    installed.iter().find(is_it).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolchain_is_chosen_where_it_is_installed() {
        let installed: BTreeSet<String> = ["1.95-x86_64", "stable-x86_64"].map(str::to_owned).into();
        let settings = "default_toolchain = \"stable-x86_64\"\n";
        for (file, expected) in [
            ("[toolchain]\ncomponents = [\"rust-src\"]\n", Some("stable-x86_64")),
            ("[toolchain]\nchannel = \"1.95\"\n", Some("1.95-x86_64")),
            ("[toolchain]\nchannel = \"1.9\"\n", None),
            ("[toolchain]\nchannel = \"nightly\"\n", None),
            ("[toolchain]\npath = \"mine\"\n", None),
            ("stable\n", Some("stable-x86_64")),
            ("[other]\n", None),
        ] {
            assert_eq!(choose(file, settings, &installed).as_deref(), expected, "{file}");
        }
    }
}
