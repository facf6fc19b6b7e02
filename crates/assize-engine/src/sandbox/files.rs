//! Landlock: restricts a job's access to files, TCP ports, signals and abstract sockets.
//!
//! It uses what the running kernel supports, and reports that version. This module must not know whether it is the
//! only barrier or an additional one.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, PathFd, RestrictionStatus, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
};

use super::wire::FileRules;

/// The newest version that these rules support.
const LATEST_ABI: ABI = ABI::V9;

/// Restricts this process and everything that it becomes or starts. Returns the version in force; 0 if the kernel has
/// none.
pub(super) fn restrict(rules: &FileRules) -> Result<u8, String> {
    let status = restricted(rules).map_err(|error| error.to_string())?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return Ok(0);
    }
    Ok(match status.landlock {
        LandlockStatus::Available { effective_abi, .. } => effective_abi as u8,
        _ => 0,
    })
}

fn restricted(rules: &FileRules) -> Result<RestrictionStatus, RulesetError> {
    let all = AccessFs::from_all(LATEST_ABI);
    let mut ruleset = Ruleset::default().handle_access(all)?.scope(Scope::AbstractUnixSocket | Scope::Signal)?;
    if rules.no_tcp {
        ruleset = ruleset.handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp)?;
    }
    let mut created = ruleset.create()?;
    for path in &rules.read {
        // A socket is not covered by these rights: reading its metadata is harmless.
        created = allow(created, path, AccessFs::from_read(LATEST_ABI))?;
    }
    for path in &rules.write {
        created = allow(created, path, all)?;
    }
    created.restrict_self()
}

fn allow(ruleset: RulesetCreated, path: &PathBuf, access: BitFlags<AccessFs>) -> Result<RulesetCreated, RulesetError> {
    // A path that does not exist needs no rule.
    let Ok(opened) = PathFd::new(path) else { return Ok(ruleset) };
    let access = if Path::is_dir(path) { access } else { access & AccessFs::from_file(LATEST_ABI) };
    ruleset.add_rule(PathBeneath::new(opened, access))
}
