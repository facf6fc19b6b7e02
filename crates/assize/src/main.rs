//! The `assize` program: parses the command line, calls a command, exits.

mod cli;
mod command;
mod config;
mod exit;
mod hook;
mod host;
mod judges;
mod own_file;
mod record;
mod render;
mod revision;
mod stage;
mod watch;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cli::main()
}
