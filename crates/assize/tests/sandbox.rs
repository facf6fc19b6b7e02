//! The sandbox, attacked from inside and looked at from outside.

#[cfg(target_os = "linux")]
#[path = "sandbox/linux.rs"]
mod linux;

fn main() {
    #[cfg(target_os = "linux")]
    linux::main();
}
