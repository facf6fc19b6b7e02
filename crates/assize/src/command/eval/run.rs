//! `assize eval run RUBRIC DATA`: judges every record of a data set by a rubric.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use assize_core::court::eval::{COURT, RecordOpinion, RubricRef, Terms};
use assize_core::opinion::Panel;
use assize_core::prompt::record::RecordPrompt;
use assize_core::record::selection::{Draw, Offered, Selection};
use assize_core::record::{Digest, Record as CaseRecord};
use assize_core::rubric::Rubric;
use assize_core::rubric::clause::{Condition, EVALUATION_STACK};
use assize_core::session::Event;
use assize_core::trial::tally::Tally;
use assize_core::verdict::RecordVerdict;
use assize_engine::court::eval::replies::Key;
use serde_json::Map;

use super::asking::{Asked, Intake, JudgeArguments, Known, Need, Put, Registry, Seated};
use super::input::{self, DataArguments, Extent, Names};
use super::rulings::{Rulings, RulingsArguments, Shape};
use super::sitting::{Heard, News, Outcome, Ruled};
use crate::cli::{Output, print};
use crate::config::Config;
use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::own_file;
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
    #[arg(long, value_name = "FILE", conflicts_with_all = ["judges", "clauses_only", "repeats", "calls", "budget_usd", "again", "dry_run"])]
    verdicts: Option<PathBuf>,
    #[command(flatten)]
    judges: JudgeArguments,
    /// Ask nobody; say how many questions there are, and between what they would cost.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    rulings: RulingsArguments,
}

const EXAMPLES: &str = "\
Examples:
  assize eval run home-repair-strict guides.jsonl
  assize eval run rubric.toml records.csv --dry-run
  assize eval run rubric.toml records.jsonl --budget-usd 5 --output rulings.jsonl
  assize eval run rubric.toml records.parquet --output rulings.csv
  assize eval run rubric.toml records.jsonl --sample 100 --seed 7 --judge strict --repeats 3
  assize eval run rubric.toml records.jsonl --verdicts verdicts.jsonl --format json

Clauses are computed; the judges of assize.toml are asked about the rest, which is unjudged where nobody said it.
A run that was interrupted goes on when it is started again, and pays for no answer twice.

Exit codes: 0 every record is accepted \u{b7} 1 a record is rejected \u{b7} 2 something cannot be read \u{b7} 3 none is rejected, and some are unjudged";

/// What the court has not yet heard, at most; whoever tells it more waits.
const NEWS_MAX: usize = 1_024;

/// What is said of each record, and by whom.
enum Said {
    /// Nothing: clauses alone decide.
    Nothing,
    /// What was handed in, in the order of the records.
    Handed(Vec<Vec<RecordOpinion>>),
    /// What judges replied.
    Replied(Box<(Registry, Seated<RecordPrompt>)>),
}

impl Said {
    /// Returns what is said of a record, which is the one of this number.
    fn opinions(&self, at: usize, record: &CaseRecord) -> std::result::Result<Vec<RecordOpinion>, String> {
        match self {
            Self::Nothing => Ok(Vec::new()),
            Self::Handed(opinions) => Ok(opinions.get(at).cloned().unwrap_or_default()),
            Self::Replied(judges) => judges.1.opinions(&judges.0, record),
        }
    }
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
    let inputs = [Some(&arguments.data.rubric), Some(&arguments.data.data), arguments.verdicts.as_ref()];
    let inputs: Vec<&Path> = inputs.into_iter().flatten().map(PathBuf::as_path).collect();
    if let Some(path) = arguments.rulings.output.as_deref().filter(|path| input::is_one_of(host, path, &inputs)) {
        return Err(Failure::new(format!("--output {}: that is what is read", path.display())));
    }
    own_file::one_standard_input([
        ("the data", Some(&arguments.data.data)),
        ("--verdicts", arguments.verdicts.as_ref()),
    ])?;
    let (data, _kept) = arguments.data.kept()?;
    let reference = RubricRef::of(&rubric);
    let mut said = said(arguments, &data, &rubric, host, output)?;
    let keeps = matches!(said, Said::Replied(_)) && !arguments.dry_run;
    let (survey, ledger) = thread::scope(|scope| {
        // What cannot be kept must not be paid for; whether it can is found out while the data are read.
        let ledger = keeps.then(|| scope.spawn(|| record::ledger(host)));
        let survey = survey(arguments, &data, &rubric, host, &said);
        let broke_off = |_| Err(Failure::new("the ledger could not be opened".to_owned()));
        (survey, ledger.map(|ledger| ledger.join().unwrap_or_else(broke_off)))
    });
    let (survey, ledger) = (survey?, ledger.transpose()?);
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
    let rulings = Rulings::open(host, &arguments.rulings, &rubric)?;
    let (shape, outcome) = (rulings.shape(), Outcome::new(rulings));
    let mut terms = Terms { rubric: &rubric, clauses: &clauses, reference: &reference, panel: Panel::AnyFail };
    let mut asked = None;
    let outcome = match &mut said {
        Said::Replied(judges) => {
            let (registry, seated) = &mut **judges;
            terms.panel = registry.panel();
            let run = seated.run(&format!("{} {}", reference.hash, survey.digest));
            let court = Court { terms: &terms, shape, data: &data, selection: &survey.selection, host };
            let (outcome, asking) = court.ask(outcome, registry, (seated, run), &survey.need, output)?;
            asked = Some(asking);
            outcome
        }
        Said::Nothing | Said::Handed(_) => {
            let court = Court { terms: &terms, shape, data: &data, selection: &survey.selection, host };
            court.rule(outcome, &|at, record| said.opinions(at, record))?
        }
    };
    let tally = outcome.finish()?;
    if let (Said::Replied(judges), Some(asked), Some(ledger)) = (&said, &asked, ledger) {
        let (registry, seated) = &**judges;
        let event = Event::EvalRuled(Box::new(seated.record(registry, &reference, &survey.digest, asked, &tally)));
        Record::begin(ledger, COURT, &event)?;
    }
    tell(arguments, &rubric, &tally, asked.as_ref(), output);
    Ok(Exit::of(tally.outcome()))
}

/// Finds what is said of a record, by its number in the data.
type Opinions<'a> = &'a (dyn Fn(usize, &CaseRecord) -> std::result::Result<Vec<RecordOpinion>, String> + Sync);

/// What is ruled on, and by what.
struct Court<'a> {
    terms: &'a Terms<'a>,
    shape: Shape,
    data: &'a DataArguments,
    selection: &'a Selection,
    host: &'a Host,
}

impl Court<'_> {
    /// Rules on all records by what is said of them already.
    fn rule(&self, mut outcome: Outcome, said: Opinions<'_>) -> Result<Outcome> {
        let rule = |at: usize, record: CaseRecord| {
            if !self.selection.takes(&record) {
                return Ok(None);
            }
            Ok(Some(Ruled::on(&record, said(at, &record)?, self.terms, self.shape)))
        };
        let mut numbers = 0..;
        self.data.map_records((self.host, self.terms.rubric), Extent::Whole, &rule, &mut |ruled| {
            if let Some((at, ruled)) = ruled.and_then(|ruled| Some((numbers.next()?, ruled))) {
                outcome.take(at, ruled);
            }
            Ok(())
        })?;
        Ok(outcome)
    }

    /// Asks about the records of which not everything is said, and rules on each as soon as it is.
    fn ask(
        &self,
        mut outcome: Outcome,
        registry: &mut Registry,
        (seated, run): (&Seated<RecordPrompt>, Key),
        need: &Need,
        output: Output,
    ) -> Result<(Outcome, Asked)> {
        if need.answered == need.questions {
            let asked = registry.ask_all((seated, run), need, (self.host, output), [])?;
            let outcome = self.rule(outcome, &|_, record| seated.opinions(registry, record))?;
            return Ok((outcome, asked));
        }
        let (sender, news) = sync_channel(NEWS_MAX);
        thread::scope(|scope| {
            // A clause is computed on a stack of its own where the thread's does not suffice.
            let court = thread::Builder::new().name("court".to_owned()).stack_size(2 * EVALUATION_STACK).spawn_scoped(
                scope,
                || {
                    outcome.hear(news, self.terms, self.shape);
                    outcome
                },
            );
            let court = court.map_err(|error| Failure::new(format!("nobody can rule: {error}")))?;
            let hears = {
                let sender = sender.clone();
                Box::new(move |settled| {
                    // Where nobody hears it any more, the run breaks off for a reason of its own.
                    let _ = sender.send(News::Said(settled));
                })
            };
            let mut sender = Some(sender);
            let asked = registry.ask((seated, run), need, (self.host, output), hears, &mut |intake, put| {
                // The court ends when nobody can tell it anything any more.
                sender.take().map_or(Ok(()), |sender| self.take_in(seated, intake, &sender, put))
            });
            drop(sender);
            let outcome = court.join().map_err(|_| Failure::new("the court broke off".to_owned()))?;
            Ok((outcome, asked?))
        })
    }

    /// Reads the records, tells the court of each, and puts what there is to be asked.
    fn take_in(
        &self,
        seated: &Seated<RecordPrompt>,
        intake: &Intake<'_, RecordPrompt>,
        court: &SyncSender<News>,
        put: Put<'_, RecordVerdict>,
    ) -> Result<()> {
        let look = |_: usize, record: CaseRecord| {
            if !self.selection.takes(&record) {
                return Ok(None);
            }
            let Known { kept, missing } = intake.look(&record)?;
            let mut opinions = vec![None; seated.places()];
            for (place, said) in kept {
                opinions[place] = Some(seated.opinion(said, &record));
            }
            Ok(Some((Box::new(Heard { record, opinions }), missing)))
        };
        let mut numbers = 0..;
        self.data.map_records((self.host, self.terms.rubric), Extent::Whole, &look, &mut |looked| {
            let Some((number, (heard, missing))) = looked.and_then(|looked| Some((numbers.next()?, looked))) else {
                return Ok(());
            };
            let tell = |heard| court.send(News::Record(number, heard)).map_err(|_| "nobody rules on it".to_owned());
            if missing.is_none() {
                put(number, None)?;
                return tell(heard);
            }
            tell(heard)?;
            put(number, missing)
        })
    }
}

fn tell(arguments: &Arguments, rubric: &Rubric, tally: &Tally, asked: Option<&Asked>, output: Output) {
    let text = match output.format {
        Format::Json => render::eval::tally_envelope(rubric, tally, asked).to_string() + "\n",
        Format::Human => render::eval::tally_human(rubric, tally, asked),
        Format::Markdown => render::eval::tally_markdown(rubric, tally, asked),
    };
    // Standard output is taken where the rulings go there.
    if arguments.rulings.output.as_deref() == Some(Path::new("-")) {
        output.note(text.trim_end());
    } else {
        print(&text);
    }
}

/// Finds out who says something of the records.
fn said(arguments: &Arguments, data: &DataArguments, rubric: &Rubric, host: &Host, output: Output) -> Result<Said> {
    let Some(path) = &arguments.verdicts else {
        let config = Config::load(&host.project(), host.configuration.as_deref())?;
        let settings = arguments.judges.settings(&config)?;
        let Some(seated) = Seated::of_records(&settings.judges, rubric, settings.repeats, host)? else {
            return Ok(Said::Nothing);
        };
        let registry = Registry::open(&arguments.judges, settings, &config, host)?;
        return Ok(Said::Replied(Box::new((registry, seated))));
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
fn survey(arguments: &Arguments, data: &DataArguments, rubric: &Rubric, host: &Host, said: &Said) -> Result<Survey> {
    let condition = match &arguments.condition {
        Some(expression) => {
            let wrong = |error: String| Failure::new(format!("--where: {error}"));
            Some(Condition::read(expression).map_err(wrong)?)
        }
        None => None,
    };
    let weighs_content = match said {
        Said::Replied(judges) => judges.0.weighs_content(arguments.dry_run),
        Said::Nothing | Said::Handed(_) => false,
    };
    let extent = if weighs_content || condition.is_some() { Extent::Whole } else { Extent::Name };
    let selection = Selection::new(condition);
    let mut draw = arguments.sample.map(|size| Draw::new(size, arguments.seed));
    let (mut names, mut unknown) = (Names::default(), 0);
    let (mut need, mut digest) = (Need::nothing(), Digest::default());
    let weigh = |record: &CaseRecord| {
        let Said::Replied(judges) = said else { return Ok(Need::nothing()) };
        let (registry, seated) = &**judges;
        registry.weigh(seated, record, arguments.dry_run)
    };
    let mut take = |record: &CaseRecord, weight: Need| {
        digest.add(record);
        need.add(weight);
    };
    // Of a sample nobody knows who is in it before the end.
    let is_sample = draw.is_some();
    let look = |_: usize, record: CaseRecord| {
        let offered = selection.looks_at(&record);
        let weight = if offered == Offered::Eligible && !is_sample { Some(weigh(&record)?) } else { None };
        // What it holds is not looked at again, and let go of by whoever read it.
        Ok((CaseRecord { fields: Map::new(), ..record }, offered, weight))
    };
    data.map_records((host, rubric), extent, &look, &mut |(record, offered, weight)| {
        names.add(&record.id);
        unknown += u64::from(offered == Offered::Unknown);
        if let Some(draw) = draw.as_mut().filter(|_| offered == Offered::Eligible) {
            draw.offer(&record);
        }
        if let Some(weight) = weight {
            take(&record, weight);
        }
        Ok(())
    })?;
    names.check(host, data, rubric)?;
    let selection = draw.iter().fold(selection, Selection::drawn);
    if is_sample {
        data.map_records(
            (host, rubric),
            extent,
            &|_, record| {
                if selection.takes(&record) { weigh(&record).map(|weight| Some((record, weight))) } else { Ok(None) }
            },
            &mut |taken| {
                if let Some((record, weight)) = taken {
                    take(&record, weight);
                }
                Ok(())
            },
        )?;
    }
    Ok(Survey { selection, need, digest: digest.finish(), unknown })
}
