//! `assize sandbox-launch`: a phase of the sandbox, in which the program starts itself anew.
//!
//! No person types this command, so that it is no part of the command line's parser. A phase has to
//! start fast and must not depend on a current folder, a configuration or the environment.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
use assize_engine::sandbox::{COMMAND, LauncherPhase, launch};

/// Runs the phase that the command line names, if it names one.
#[cfg(target_os = "linux")]
pub fn intercept() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let folder = (arguments.next()? == COMMAND).then(|| arguments.next())??;
    let folder = LauncherPhase::named(folder.to_str()?)?;
    Some(ExitCode::from(launch(folder, &[COMMAND.into()])))
}

/// There is no sandbox on other systems.
#[cfg(not(target_os = "linux"))]
pub fn intercept() -> Option<ExitCode> {
    None
}
