//! `assize eval run RUBRIC DATA`: judges every record of a data set by a rubric.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use assize_core::court::eval::{RecordOpinion, RecordRuling, RubricRef, Terms, decide};
use assize_core::opinion::Panel;
use assize_core::trial::tally::Tally;

use super::input::{self, DataArguments};
use crate::cli::{Output, print};
use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::own_file::Draft;
use crate::render::{self, Format};

/// Arguments of `assize eval run`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    /// Verdicts that were made elsewhere: rulings of this court, or lines of `id`, `labels` and `overall_quality_score`.
    #[arg(long, value_name = "FILE")]
    verdicts: Option<PathBuf>,
    /// Write the ruling on each record to this file, one JSON document a line; `-` for standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  assize eval run home-repair-strict guides.jsonl
  assize eval run rubric.toml records.csv --output rulings.jsonl
  assize eval run rubric.toml records.jsonl --verdicts verdicts.jsonl --format json

Clauses are computed; what only a judge can say is unjudged where nobody said it.

Exit codes: 0 every record is accepted \u{b7} 1 a record is rejected \u{b7} 2 something cannot be read \u{b7} 3 none is rejected, and some are unjudged";

/// Runs `assize eval run`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let (rubric, clauses) = arguments.data.rubric(host)?;
    let mut opinions: HashMap<usize, Vec<RecordOpinion>> = HashMap::new();
    if let Some(path) = &arguments.verdicts {
        if arguments.data.data == Path::new("-") {
            return Err(Failure::new("--verdicts: the records have to be a file, since they are read twice"));
        }
        let handed = input::verdicts(host, path, "--verdicts", &rubric)?;
        let index = arguments.data.each_record(host, &rubric, &mut |_| {})?;
        let joined = input::joined(&index, &rubric, handed, path, "--verdicts")?;
        if joined.by_name_alone > 0 {
            output.note(&format!(
                "{} verdicts name their record and not its content: that it was the same then is taken on trust",
                joined.by_name_alone
            ));
        }
        for (at, _, opinion) in joined.said {
            opinions.entry(at).or_default().extend(opinion);
        }
    }
    let reference = RubricRef::of(&rubric);
    let terms = Terms { rubric: &rubric, clauses: &clauses, reference: &reference, panel: Panel::AnyFail };
    if let Some(path) = arguments.output.as_deref().filter(|path| is_input(host, arguments, path)) {
        return Err(Failure::new(format!("--output {}: that is what is read", path.display())));
    }
    let mut rulings = Rulings::open(host, arguments.output.as_deref())?;
    let mut tally = Tally::default();
    let mut at = 0;
    arguments.data.each_record(host, &rubric, &mut |record| {
        let ruling = decide(&terms, &record, opinions.remove(&at).unwrap_or_default());
        tally.add(&ruling);
        rulings.write(&ruling);
        at += 1;
    })?;
    rulings.finish()?;
    let text = match output.format {
        Format::Json => render::eval::tally_envelope(&rubric, &tally).to_string() + "\n",
        Format::Human => render::eval::tally_human(&rubric, &tally),
        Format::Markdown => render::eval::tally_markdown(&rubric, &tally),
    };
    // Standard output is taken where the rulings go there.
    if arguments.output.as_deref() == Some(Path::new("-")) {
        output.note(text.trim_end());
    } else {
        print(&text);
    }
    Ok(Exit::of(tally.outcome()))
}

/// Returns whether a file is one of those that are read: it would be gone.
fn is_input(host: &Host, arguments: &Arguments, path: &Path) -> bool {
    let real = |path: &Path| host.folder.join(path).canonicalize().ok();
    let inputs = [Some(&arguments.data.rubric), Some(&arguments.data.data), arguments.verdicts.as_ref()];
    real(path).is_some_and(|path| inputs.into_iter().flatten().any(|input| real(input).as_ref() == Some(&path)))
}

/// Where rulings go, one a line: nowhere, to standard output, or to a file that takes its name when it is whole.
struct Rulings {
    sink: Option<Sink>,
    /// How the place is named in an error.
    place: String,
    failed: Option<io::Error>,
}

enum Sink {
    Printed(BufWriter<io::Stdout>),
    Draft(Draft),
}

impl Rulings {
    fn open(host: &Host, path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self { sink: None, place: String::new(), failed: None }) };
        if path == Path::new("-") {
            let sink = Some(Sink::Printed(BufWriter::new(io::stdout())));
            return Ok(Self { sink, place: "standard output".to_owned(), failed: None });
        }
        let place = format!("--output {}", path.display());
        let full = host.folder.join(path);
        if full.exists() && !full.is_file() {
            let what = format!("{place}: it is there already, and no file");
            return Err(Failure::new(what).hint("`-` stands for standard output"));
        }
        let draft = Draft::begin(host, path).map_err(|error| Failure::new(format!("{place}: {error}")))?;
        Ok(Self { sink: Some(Sink::Draft(draft)), place, failed: None })
    }

    /// Writes a ruling; the first failure is told at the end.
    fn write(&mut self, ruling: &RecordRuling) {
        let writer: &mut dyn Write = match &mut self.sink {
            None => return,
            Some(Sink::Printed(writer)) => writer,
            Some(Sink::Draft(draft)) => draft,
        };
        if self.failed.is_none() {
            let written = serde_json::to_writer(&mut *writer, ruling).map_err(io::Error::from);
            self.failed = written.and_then(|()| writer.write_all(b"\n")).err();
        }
    }

    fn finish(self) -> Result<()> {
        let written = match (self.failed, self.sink) {
            (Some(error), _) => Err(error),
            (None, None) => Ok(()),
            (None, Some(Sink::Printed(mut writer))) => writer.flush(),
            (None, Some(Sink::Draft(draft))) => draft.keep(),
        };
        match written {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::new(format!("{}: {error}", self.place)))
            }
            _ => Ok(()),
        }
    }
}
