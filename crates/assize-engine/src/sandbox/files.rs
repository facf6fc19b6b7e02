//! Landlock: what a job may do with files, TCP ports, signals and abstract sockets.
//!
//! Uses what the running kernel has, and says which version that is. This module must not know
//! whether it is the only wall or the second one.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, PathFd, RestrictionStatus, Ruleset,
    RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope,
};

use super::wire::FileRules;

/// The newest version that these rules were written for.
const KNOWN: ABI = ABI::V9;

/// Restricts this process and all that it becomes or starts. Returns the version that is in force;
/// 0 when the kernel has none.
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
    let all = AccessFs::from_all(KNOWN);
    let mut ruleset = Ruleset::default().handle_access(all)?.scope(Scope::AbstractUnixSocket | Scope::Signal)?;
    if rules.no_tcp {
        ruleset = ruleset.handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp)?;
    }
    let mut created = ruleset.create()?;
    for path in &rules.read {
        // A socket is no file: looking at one is no harm, connecting to it is.
        created = allow(created, path, AccessFs::from_read(KNOWN))?;
    }
    for path in &rules.write {
        created = allow(created, path, all)?;
    }
    created.restrict_self()
}

fn allow(ruleset: RulesetCreated, path: &PathBuf, access: BitFlags<AccessFs>) -> Result<RulesetCreated, RulesetError> {
    // What isn't there needs no permission.
    let Ok(opened) = PathFd::new(path) else { return Ok(ruleset) };
    let access = if Path::is_dir(path) { access } else { access & AccessFs::from_file(KNOWN) };
    ruleset.add_rule(PathBeneath::new(opened, access))
}
