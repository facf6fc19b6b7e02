//! `assize eval run RUBRIC DATA`: judges every record of a data set by a rubric.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use assize_core::court::eval::{COURT, RecordOpinion, RecordRuling, RubricRef, Terms, decide};
use assize_core::opinion::Panel;
use assize_core::record::Digest;
use assize_core::record::selection::{Offered, Selection};
use assize_core::rubric::Rubric;
use assize_core::rubric::clause::Condition;
use assize_core::session::Event;
use assize_core::trial::tally::Tally;

use super::asking::{Asked, JudgeArguments, Need, Seated};
use super::input::{self, DataArguments, Names};
use crate::cli::{Output, print};
use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::own_file::Draft;
use crate::record::{self, Record};
use crate::render::{self, Format};

/// Arguments of `assize eval run`.
#[derive(Debug, Clone, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    data: DataArguments,
    /// Judge only records of which this expression in CEL holds, such as `record.lang == "en"`.
    #[arg(long = "where", value_name = "EXPRESSION")]
    condition: Option<String>,
    /// Judge a random sample of so many records.
    #[arg(long, value_name = "N")]
    sample: Option<usize>,
    /// The seed that draws the sample; the same seed draws the same one.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Verdicts that were made elsewhere, in place of judges: rulings of this court, or lines of `id`, `labels` and
    /// `overall_quality_score`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["judges", "repeats", "calls", "budget_usd", "again", "dry_run"])]
    verdicts: Option<PathBuf>,
    #[command(flatten)]
    judges: JudgeArguments,
    /// Ask nobody; say how many questions there are, and between what they would cost.
    #[arg(long)]
    dry_run: bool,
    /// Write the ruling on each record to this file, one JSON document a line; `-` for standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  assize eval run home-repair-strict guides.jsonl
  assize eval run rubric.toml records.csv --dry-run
  assize eval run rubric.toml records.jsonl --budget-usd 5 --output rulings.jsonl
  assize eval run rubric.toml records.jsonl --sample 100 --seed 7 --judge strict --repeats 3
  assize eval run rubric.toml records.jsonl --verdicts verdicts.jsonl --format json

Clauses are computed; the judges of assize.toml are asked about the rest, which is unjudged where nobody said it.
A run that was interrupted goes on when it is started again, and pays for no answer twice.

Exit codes: 0 every record is accepted \u{b7} 1 a record is rejected \u{b7} 2 something cannot be read \u{b7} 3 none is rejected, and some are unjudged";

/// What is said of each record, and by whom.
enum Said {
    /// Nothing: clauses alone decide.
    Nothing,
    /// What was handed in, in the order of the records.
    Handed(Vec<Vec<RecordOpinion>>),
    /// What judges replied.
    Replied(Box<Seated>),
}

/// What is known of the data when it has been read once.
struct Survey {
    selection: Selection,
    need: Need,
    /// Of what the records hold, all together.
    digest: String,
    /// Records that `--where` could not be computed of.
    unknown: u64,
}

/// Runs `assize eval run`.
pub fn run(arguments: &Arguments, host: &Host, output: Output) -> Result {
    let (rubric, clauses) = arguments.data.rubric(host)?;
    if let Some(path) = arguments.output.as_deref().filter(|path| is_input(host, arguments, path)) {
        return Err(Failure::new(format!("--output {}: that is what is read", path.display())));
    }
    let (data, _kept) = arguments.data.kept()?;
    let reference = RubricRef::of(&rubric);
    let mut said = said(arguments, &data, &rubric, host, output)?;
    let survey = survey(arguments, &data, &rubric, host, &mut said)?;
    if survey.unknown > 0 {
        let count = survey.unknown;
        output.note(&format!("--where cannot be computed of {count} records, which are left out"));
    }
    if arguments.dry_run {
        print(&match output.format {
            Format::Json => render::eval::need_envelope(&rubric, &survey.need).to_string() + "\n",
            Format::Human | Format::Markdown => render::eval::need_text(&survey.need),
        });
        return Ok(Exit::Done);
    }
    let mut rulings = Rulings::open(host, arguments.output.as_deref())?;
    let mut asked = None;
    let mut panel = Panel::AnyFail;
    if let Said::Replied(seated) = &mut said {
        panel = seated.panel();
        asked = Some(seated.ask((&reference, &survey.digest), &survey.need, host, output, &mut |each| {
            data.each_record(host, &rubric, &mut |record| {
                if survey.selection.takes(&record) { each(&record) } else { Ok(()) }
            })
        })?);
    }
    let terms = Terms { rubric: &rubric, clauses: &clauses, reference: &reference, panel };
    let (mut tally, mut at) = (Tally::default(), 0);
    data.each_record(host, &rubric, &mut |record| {
        at += 1;
        if !survey.selection.takes(&record) {
            return Ok(());
        }
        let opinions = match &mut said {
            Said::Nothing => Vec::new(),
            Said::Handed(opinions) => opinions.get_mut(at - 1).map(std::mem::take).unwrap_or_default(),
            Said::Replied(seated) => seated.opinions(&record)?,
        };
        let ruling = decide(&terms, &record, opinions);
        tally.add(&ruling);
        rulings.write(&ruling);
        Ok(())
    })?;
    rulings.finish()?;
    if let (Said::Replied(seated), Some(asked)) = (&said, &asked) {
        let event = Event::EvalRuled(Box::new(seated.record(&reference, &survey.digest, asked, &tally)));
        Record::begin(record::ledger(host)?, COURT, &event)?;
    }
    tell(arguments, &rubric, &tally, asked.as_ref(), output);
    Ok(Exit::of(tally.outcome()))
}

fn tell(arguments: &Arguments, rubric: &Rubric, tally: &Tally, asked: Option<&Asked>, output: Output) {
    let text = match output.format {
        Format::Json => render::eval::tally_envelope(rubric, tally, asked).to_string() + "\n",
        Format::Human => render::eval::tally_human(rubric, tally, asked),
        Format::Markdown => render::eval::tally_markdown(rubric, tally, asked),
    };
    // Standard output is taken where the rulings go there.
    if arguments.output.as_deref() == Some(Path::new("-")) {
        output.note(text.trim_end());
    } else {
        print(&text);
    }
}

/// Finds out who says something of the records.
fn said(arguments: &Arguments, data: &DataArguments, rubric: &Rubric, host: &Host, output: Output) -> Result<Said> {
    let Some(path) = &arguments.verdicts else {
        let seated = Seated::new(&arguments.judges, rubric, host)?;
        return Ok(seated.map_or(Said::Nothing, |seated| Said::Replied(Box::new(seated))));
    };
    let index = data.indexed(host, rubric, &mut |_| {})?;
    let (opinions, by_name_alone) = input::opinions(host, &index, rubric, path, "--verdicts")?;
    if by_name_alone > 0 {
        output.note(&format!(
            "{by_name_alone} verdicts name their record and not its content: that it was the same then is taken on trust"
        ));
    }
    Ok(Said::Handed(opinions))
}

/// Reads the data once: whether it can be read, which records are taken, and what asking about them takes.
fn survey(
    arguments: &Arguments,
    data: &DataArguments,
    rubric: &Rubric,
    host: &Host,
    said: &mut Said,
) -> Result<Survey> {
    let condition = match &arguments.condition {
        Some(expression) => {
            let wrong = |error: String| Failure::new(format!("--where: {error}"));
            Some(Condition::read(expression).map_err(wrong)?)
        }
        None => None,
    };
    let mut selection = Selection::new(condition, arguments.sample.map(|size| (size, arguments.seed)));
    let (mut names, mut unknown) = (Names::default(), 0);
    let (mut need, mut digest) = (Need::nothing(), Digest::default());
    let mut weigh = |record: &assize_core::record::Record| {
        digest.add(record);
        let Said::Replied(seated) = &mut *said else { return Ok(()) };
        seated.prepare(record)?;
        seated.count(record, &mut need, arguments.dry_run)
    };
    // Of a sample nobody knows who is in it before the end.
    let drawn = arguments.sample.is_some();
    data.each_record(host, rubric, &mut |record| {
        names.add(&record.id);
        let offered = selection.offer(&record);
        unknown += u64::from(offered == Offered::Unknown);
        if offered == Offered::Eligible && !drawn { weigh(&record) } else { Ok(()) }
    })?;
    names.check(host, data, rubric)?;
    if drawn {
        data.each_record(host, rubric, &mut |record| {
            if selection.takes(&record) { weigh(&record) } else { Ok(()) }
        })?;
    }
    Ok(Survey { selection, need, digest: digest.finish(), unknown })
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
