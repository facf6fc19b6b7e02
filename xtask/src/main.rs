//! The project's own chores. `cargo xtask ci` is CI.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "chores talk to the person who runs them")]

mod bench;
mod book;
mod browser;
mod ci;
mod claude;
mod collection;
mod corpus;
mod coverage;
mod files;
mod first_try;
mod fuzz;
mod local_model;
mod record;
mod scenarios;
mod schema;
mod shell;
mod simulate;
mod stub_model;
mod syntax;
mod tidy;
mod tools;
mod torture;

use std::process::ExitCode;

use clap::Parser;

/// The project's own chores.
#[derive(Debug, Parser)]
enum Xtask {
    /// Everything that has to hold before a change goes in.
    Ci,
    /// Write the JSON Schemas anew, or check that they are fresh.
    Schema {
        /// Only check.
        #[arg(long)]
        check: bool,
    },
    /// Check what no compiler checks: layers, names, words, sizes.
    Tidy,
    /// Assemble the book, check its links, widths and ids, and build it with mdBook in target/book/html.
    Book,
    /// Run each fuzz target for a while.
    Fuzz {
        /// Seconds for each target.
        #[arg(long, default_value_t = 60)]
        seconds: u32,
    },
    /// Measure, side by side in one run.
    Bench {
        /// What is measured.
        what: bench::BenchmarkKind,
        /// Rounds [default: 40 of the hook, 5 of the brief, 11 of the patch, 3 of the review].
        #[arg(long)]
        rounds: Option<usize>,
        /// Of `review`, the newest commits of the clones in this folder in place of the packages; of `stops`, the transcripts in it,
        /// a folder for each project.
        #[arg(long, value_name = "FOLDER")]
        clones: Option<std::path::PathBuf>,
        /// Of `stops`, the pairs in this folder in place of those of the project.
        #[arg(long, value_name = "FOLDER", conflicts_with = "clones")]
        pairs: Option<std::path::PathBuf>,
        /// Of `stops`, also name the pairs that were missed or blocked falsely: only those that rules may be tuned on.
        #[arg(long)]
        named: bool,
    },
    /// A model server that answers at once, and a client that only calls: what `bench eval` measures against.
    #[command(hide = true)]
    StubModel(stub_model::ServerArguments),
    /// Calls a model server once for each record.
    #[command(hide = true)]
    BareClient(stub_model::ClientArguments),
    /// Find Chromium, or install it, and run the tests that look at pages in it.
    Browser,
    /// Install the real `claude` program and run the tests that need it.
    Claude,
    /// Install the runners of tests of several languages and compare what they collect with what is called a test.
    Collection,
    /// Install a real model server with real weights and have it judge.
    LocalModel(local_model::Arguments),
    /// Review whole corpora with the real tools of each language.
    Corpus {
        /// Which: `pairs`, `cheats`, `first-try`, …; all of them but the last without it.
        name: Option<String>,
        /// Only cases whose name contains this.
        #[arg(long)]
        only: Option<String>,
        /// Run one case of so many, the next ones with each commit.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        one_of: Option<u32>,
        /// Of `first-try`, the projects that are looked at once, at the end.
        #[arg(long)]
        kept: bool,
        /// Of `first-try`, review the newest commits of the clones in this folder in place of the packages.
        #[arg(long, value_name = "FOLDER", conflicts_with = "kept")]
        clones: Option<std::path::PathBuf>,
        /// Of `first-try`, put faults in first: `wrong` ones that tests can tell must not be accepted, `fixable` ones that
        /// the projects' own tools fix must be fixed.
        #[arg(long, value_name = "KIND")]
        faults: Option<first_try::FaultKind>,
        /// Run none; write the table of tricks into docs/src/internals/tricks.md.
        #[arg(long, conflicts_with_all = ["name", "only", "one_of"])]
        write_table: bool,
    },
    /// Count how often the intervals of calibration hold the true figure.
    Coverage(coverage::Arguments),
    /// Install tools in many versions and record what they leave behind, for the tests of reports.
    Record(record::Arguments),
    /// Crowd the ledger with hooks and kill them at random moments; kill patches, and swap links in below them.
    Torture(torture::Arguments),
    /// Play sessions of several agents and a person in one work tree, with kills and lost state.
    Simulate(simulate::Arguments),
    /// Judge the scenarios and print what was caught and what was blocked falsely.
    Scenarios {
        /// Write the table into docs/src/internals/evidence-judge.md.
        #[arg(long)]
        write: bool,
    },
}

fn main() -> ExitCode {
    let done = match Xtask::parse() {
        Xtask::Ci => ci::run(),
        Xtask::Schema { check } => schema::run(check),
        Xtask::Tidy => tidy::run(),
        Xtask::Book => book::run(),
        Xtask::Fuzz { seconds } => fuzz::run(seconds),
        Xtask::Bench { what, rounds, clones, pairs, named } => {
            bench::run(what, rounds, clones.as_deref(), pairs.as_deref(), named)
        }
        Xtask::StubModel(arguments) => stub_model::serve_for_ever(&arguments),
        Xtask::BareClient(arguments) => stub_model::call_for_each(&arguments),
        Xtask::Browser => browser::run(),
        Xtask::Claude => claude::run(),
        Xtask::Collection => collection::run(),
        Xtask::LocalModel(arguments) => local_model::run(&arguments),
        Xtask::Corpus { write_table: true, .. } => corpus::write_table(),
        Xtask::Corpus { name: Some(name), only, one_of, kept, clones, faults, .. } if name == "first-try" => {
            let (only, clones, faults) = (only.as_deref(), clones.as_deref(), faults.unwrap_or_default());
            corpus::first_try(first_try::FirstTrySelection { only, kept, clones, share: None, faults }, one_of)
        }
        Xtask::Corpus { name, only, one_of, .. } => corpus::run(name.as_deref(), only.as_deref(), one_of),
        Xtask::Coverage(arguments) => coverage::run(&arguments),
        Xtask::Record(arguments) => record::run(&arguments),
        Xtask::Torture(arguments) => torture::run(&arguments),
        Xtask::Simulate(arguments) => simulate::run(&arguments),
        Xtask::Scenarios { write } => scenarios::run(write),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn every_chore_stands_in_contributing() {
        let page = include_str!("../../CONTRIBUTING.md");
        let chores = Xtask::command();
        let is_missing = |name: &&str| !page.contains(&format!("`cargo xtask {name}")) && *name != "ci";
        let missing: Vec<&str> = chores.get_subcommands().map(clap::Command::get_name).filter(is_missing).collect();
        assert_eq!(missing, [""; 0]);
    }
}
