//! A round of the market with two bidders that are scripts: the one that is ranked first fails, and the other takes over.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use assize_market::envelope::COURT;

use super::play::{Expected, Player, Step};
use super::{Need, Part, Result, shop};
use crate::demo_repository::DemoRepository;
use crate::exit::{Exit, Failure};

const ISSUE: &str = include_str!("../../../demo/market/issue.md");
const BIDDERS: [(&str, &str, &str); 2] = [
    ("hasty", include_str!("../../../demo/market/hasty.sh"), "whole-cart.patch"),
    ("careful", include_str!("../../../demo/market/careful.sh"), "each-item.patch"),
];

/// The part.
pub const PART: Part = Part {
    title: "Market: two scripts bid for an issue. The bid that is ranked first fails its review; the other one takes over.",
    courts: &[COURT],
    needs: &[Need::Python, Need::Sandbox],
    play,
    next: "assize market run --spec issue.md --check",
};

fn play(player: &Player<'_>) -> Result<Vec<Step>> {
    let repository = shop::repository()?;
    repository.write_beside("issue.md", ISSUE)?;
    repository.write_beside("home/.gitconfig", "[user]\n\tname = Assize\n\temail = assize@example.org\n")?;
    let mut settings = "[gates]\nsandbox = \"require\"\n".to_owned();
    for (id, script, patch) in BIDDERS {
        settings.push_str(&bidder(&repository, id, script, patch)?);
    }
    repository.write_beside("market.toml", &settings)?;
    let run = Expected {
        exit: Exit::Done,
        lines: &[
            "Received 2 proposals",
            "Failure: test_failures",
            "Weight delta: -0.15 (failure)",
            "Tests: ✓ 9/9 passed",
            "Weight delta: +0.12 (success after a failure)",
            "Result: SUCCESS",
        ],
    };
    let status = Expected { exit: Exit::Done, lines: &["careful   0.600", "hasty     0.400"] };
    let config = ["market", "--config", "../market.toml"];
    let run_arguments = [&config[..], &["run", "--spec", "../issue.md", "--seed", "7"]].concat();
    Ok(vec![
        player.assize(&repository, &run_arguments, &run)?,
        player.assize(&repository, &[&config[..], &["status"]].concat(), &status)?,
    ])
}

/// Writes the script of a bidder, and returns its settings.
fn bidder(repository: &DemoRepository, id: &str, script: &str, patch: &str) -> Result<String> {
    let name = format!("{id}.sh");
    repository.write_beside(&name, script)?;
    let path = repository.beside(&name);
    let executable = fs::set_permissions(&path, fs::Permissions::from_mode(0o755));
    executable.map_err(|error| Failure::new(format!("{}: {error}", path.display())))?;
    let [path, patch] = [path, repository.beside(patch)].map(|path| toml::Value::from(path.display().to_string()));
    Ok(format!(
        "\n[[bidder]]\nid = \"{id}\"\nbid = {{ argv = [{path}, \"bid\"] }}\nimplement = {{ argv = [{path}, \"implement\", {patch}] }}\n"
    ))
}
