//! `assize patch`: whether a patch fits the tree, and applying it, all of it or nothing.

use std::path::PathBuf;

use anstream::eprintln;
use assize_core::text::make_visible;
use assize_engine::patch::{PatchError, PatchTerms, Patcher, PreparedPatch, SyntaxPolicy, check, faults};
use assize_patch::import::FORMATS;
use assize_patch::{JSON, NamePolicy, PatchDocument, PatchForm, PatchInput, PatchLimits, Protection, unified};
use serde_json::json;

use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::number::whole_from;
use crate::output::{Format, Output, print, print_bytes};
use crate::own_file;
use crate::render;

/// Largest document that is read, in bytes. Patches themselves have tighter limits.
pub const DOCUMENT_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Largest specification that is read, in bytes.
const SPECIFICATION_BYTES_MAX: u64 = 1024 * 1024;

/// Arguments of `assize patch`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  assize patch check fix.json                          list every reason why it does not fit
  assize patch diff fix.json                           show it as a unified diff
  assize patch apply fix.json --inverse undo.json      apply it, and write a patch that undoes it")]
pub struct Arguments {
    #[command(subcommand)]
    action: PatchAction,
}

#[derive(Debug, clap::Subcommand)]
enum PatchAction {
    /// Say whether a patch fits, and list everything that is wrong with it. Nothing is written.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Handing),
    /// Print what a patch would change as a unified diff, which `git apply` takes.
    #[command(after_help = DIFF_EXAMPLES)]
    Diff(Handing),
    /// Apply a patch: all of it or nothing.
    #[command(after_help = APPLY_EXAMPLES)]
    Apply {
        #[command(flatten)]
        handing: Handing,
        /// Write the inverse patch to this file.
        #[arg(long, value_name = "FILE")]
        inverse: Option<PathBuf>,
    },
}

const CHECK_EXAMPLES: &str = "\
Examples:
  assize patch check fix.json
  git diff main..fix | assize patch check -
  assize patch check reply.txt --from search-replace --format json

Exit codes: 0 it fits, or is applied already \u{b7} 1 it does not fit \u{b7} 2 it cannot be read";

const DIFF_EXAMPLES: &str = "\
Examples:
  assize patch diff fix.json
  assize patch diff reply.txt --from fenced | git apply

Exit codes: 0 it fits \u{b7} 1 it does not fit, or holds what a diff cannot show \u{b7} 2 it cannot be read";

const APPLY_EXAMPLES: &str = "\
Examples:
  assize patch apply fix.json --inverse undo.json
  assize patch apply undo.json
  git diff main..fix | assize patch apply - --spec task.md

Files are changed all together or not at all, also when the machine stops in the middle: the next run finishes what is left.
Pipelines, hooks, agents' settings, lock files and tests are protected, unless the specification asks to change them.

Exit codes: 0 it is applied \u{b7} 1 it does not fit, and nothing was changed \u{b7} 2 it cannot be read or written";

/// A patch that is handed in.
#[derive(Debug, clap::Args)]
struct Handing {
    /// The patch, or `-` for standard input: a JSON document of operations, or a text in another format.
    #[arg(value_name = "FILE")]
    patch: PathBuf,
    /// Format of the patch [default: detected from the text].
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    from: Option<String>,
    /// What was asked for; it opens the protected files that it asks to change.
    #[arg(long, value_name = "FILE")]
    spec: Option<PathBuf>,
    /// Most operations.
    #[arg(
        long,
        value_name = "N",
        default_value_t = PatchLimits::default().ops_max,
        value_parser = whole_from(0_usize)
    )]
    ops_max: usize,
    /// Most bytes of all its strings together.
    #[arg(
        long,
        value_name = "N",
        default_value_t = PatchLimits::default().bytes_max,
        value_parser = whole_from(0_usize)
    )]
    bytes_max: usize,
    /// Let it break the syntax of a file.
    #[arg(long)]
    allow_broken_syntax: bool,
    /// Let it add a name beside another that some file systems take for the same, such as `a` beside `A`. What takes a patch
    /// back may need it, in a tree that has such names.
    #[arg(long)]
    allow_like_names: bool,
}

fn formats() -> Vec<&'static str> {
    std::iter::once(JSON).chain(FORMATS.iter().map(|format| format.id())).collect()
}

/// Runs `assize patch`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let (handing, inverse) = match &arguments.action {
        PatchAction::Check(handing) | PatchAction::Diff(handing) => (handing, None),
        PatchAction::Apply { handing, inverse } => (handing, inverse.as_ref()),
    };
    own_file::one_standard_input([("the patch", Some(&handing.patch)), ("--spec", handing.spec.as_ref())])?;
    let terms = handing.terms(host)?;
    let document = own_file::read(host, &handing.patch, "the patch", DOCUMENT_BYTES_MAX)?;
    let handed = match PatchInput::read(&document, handing.form(), &terms.limits) {
        Ok(handed) => handed,
        Err(unsound) => {
            if let Some(failure) = handing.unreadable(&document) {
                return Err(failure);
            }
            let unfit = faults(&host.project(), &terms, &unsound).map(PatchError::Unfit).unwrap_or_else(|error| error);
            return match arguments.action {
                PatchAction::Diff(_) => diff(Err(unfit), output),
                PatchAction::Check(_) | PatchAction::Apply { .. } => told(Err(unfit), false, output),
            };
        }
    };
    match arguments.action {
        PatchAction::Check(_) => return told(check(&host.project(), &terms, &handed), false, output),
        PatchAction::Diff(_) => return diff(check(&host.project(), &terms, &handed), output),
        PatchAction::Apply { .. } => {}
    }
    let patcher = match Patcher::open(&host.project()) {
        Ok(patcher) => patcher,
        Err(error) => return told(Err(error), false, output),
    };
    if patcher.finished_earlier() {
        output.note("an earlier patch had been interrupted; it was finished first");
    }
    // What takes it back is there before anything changes.
    if inverse.is_some_and(|path| host.folder.join(path) == host.folder.join(&handing.patch)) {
        return Err(Failure::new(format!("--inverse {}: that is the patch itself", handing.patch.display())));
    }
    // Of a patch that changes nothing, because it is applied already perhaps, an earlier run has written it.
    if let Some(path) = inverse
        && let Ok(prepared) = patcher.prepare(&terms, &handed)
        && !prepared.plan.changes.is_empty()
    {
        let text = serde_json::to_string_pretty(&prepared.inverse).map_err(|error| Failure::new(error.to_string()))?;
        own_file::write(host, path, &format!("{text}\n"))
            .map_err(|error| Failure::new(format!("--inverse {}: {error}; nothing was changed", path.display())))?;
    }
    told(patcher.apply(&terms, &handed), true, output)
}

impl Handing {
    fn terms(&self, host: &Host) -> Result<PatchTerms> {
        let specification = match &self.spec {
            Some(path) => own_file::read_text(host, path, "--spec", SPECIFICATION_BYTES_MAX)?,
            None => String::new(),
        };
        let limits = PatchLimits { ops_max: self.ops_max, bytes_max: self.bytes_max };
        let syntax = if self.allow_broken_syntax { SyntaxPolicy::Free } else { SyntaxPolicy::Guarded };
        let names = if self.allow_like_names { NamePolicy::Any } else { NamePolicy::Portable };
        Ok(PatchTerms { limits, protection: Protection::by(&specification), syntax, names, pins: None })
    }

    fn form(&self) -> PatchForm {
        self.from.as_deref().and_then(PatchForm::named).unwrap_or_default()
    }

    /// Says why a document cannot be read as a patch at all, whatever the tree and the limits; `None` if it can, or if only
    /// parts of it are wrong.
    fn unreadable(&self, document: &[u8]) -> Option<Failure> {
        let no_limits = PatchLimits { ops_max: usize::MAX, bytes_max: usize::MAX };
        let unsound = PatchInput::read(document, self.form(), &no_limits).err()?;
        let is_whole = unsound.sound.is_empty() && unsound.faults.iter().all(|fault| fault.at.is_empty());
        let why = unsound.faults.first().filter(|_| is_whole)?.message.as_str();
        let is_piped = self.patch.as_os_str() == "-";
        let name = if is_piped { "on standard input".to_owned() } else { self.patch.display().to_string() };
        // A fault of the document as a whole may begin with its verb.
        let colon = if why.starts_with("is ") { "" } else { ":" };
        let what = format!("the patch {name}{colon} {why}");
        Some(Failure::new(make_visible(&what)).hint(
            "hand in a JSON document of operations, or a text in another format; --from names the format if it is not \
             recognized, and docs/src/tasks/patch.md shows all of them",
        ))
    }
}

fn diff(prepared: std::result::Result<PreparedPatch, PatchError>, output: Output) -> Result {
    let shown = prepared.and_then(|prepared| unified(&prepared.plan, &prepared.tree).map_err(PatchError::Unfit));
    match shown {
        Ok(diff) => {
            print_bytes(&diff);
            Ok(Exit::Done)
        }
        // Standard output is for the diff: its reader must not take anything else for a diff.
        Err(PatchError::Unfit(faults)) => {
            for fault in &faults {
                eprintln!("{}", make_visible(&fault.to_string()));
            }
            Ok(Exit::NotAccepted)
        }
        Err(error) => told(Err(error), false, output),
    }
}

/// Says what came of it. What does not fit is an answer; what cannot be read or written is a failure.
fn told(prepared: std::result::Result<PreparedPatch, PatchError>, is_written: bool, output: Output) -> Result {
    let (exit, text) = match prepared {
        Ok(prepared) => {
            let text = match output.format {
                Format::Json => format!("{}\n", json!(fitting(&prepared, is_written))),
                Format::Human => render::patch::human(&prepared, is_written),
                Format::Markdown => render::patch::markdown(&prepared, is_written),
            };
            (Exit::Done, text)
        }
        Err(PatchError::Unfit(faults)) => {
            let text = match output.format {
                Format::Json => format!("{}\n", json!(PatchDocument::unfit(&faults))),
                Format::Human => render::patch::human_unfit(&faults),
                Format::Markdown => render::patch::markdown_unfit(&faults),
            };
            (Exit::NotAccepted, text)
        }
        Err(error) => return Err(Failure::new(error.to_string())),
    };
    print(&text);
    Ok(exit)
}

fn fitting(prepared: &PreparedPatch, is_written: bool) -> PatchDocument<'_> {
    PatchDocument::fits(&prepared.plan, &prepared.patch, &prepared.inverse, is_written)
}
