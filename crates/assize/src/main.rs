//! The `assize` program: parses the command line, calls a command, exits.

mod approvals;
mod cli;
mod command;
mod config;
mod court;
mod demo_repository;
mod exit;
mod hook;
mod host;
mod judges;
mod number;
mod output;
mod own_file;
mod pages;
mod record;
mod render;
mod revision;
mod spelling;
mod verification;
mod watch;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cli::main()
}
