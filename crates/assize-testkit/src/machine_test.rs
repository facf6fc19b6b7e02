//! Tests that find out while they run that this machine cannot run them. They are reported as ignored, with the reason.
//!
//! A test program that uses them has `harness = false` in its manifest, and a `main` that names its tests.

pub use libtest_mimic::Trial as MachineTest;
use libtest_mimic::{Arguments, Completion};

/// Why this machine cannot run a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CannotRun(pub String);

/// What a test comes to, unless it panics.
pub type Tested = Result<(), CannotRun>;

/// Makes a test.
pub fn test(name: impl Into<String>, run: impl FnOnce() -> Tested + Send + 'static) -> MachineTest {
    MachineTest::ignorable_test(name, move || {
        Ok(match run() {
            Ok(()) => Completion::Completed,
            Err(CannotRun(reason)) => Completion::ignored_with(reason),
        })
    })
}

/// Runs what the arguments of this process ask for, and ends the process.
pub fn run(tests: Vec<MachineTest>) -> ! {
    libtest_mimic::run(&Arguments::from_args(), tests).exit()
}
