//! `assize eval run RUBRIC DATA`: judges every record of a data set by a rubric.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use assize_core::opinion::PanelRule;
use assize_engine::court::eval::replies::ReplyKey;
use assize_eval::envelope::TallyEnvelope;
use assize_eval::envelope::NeedEnvelope;
use assize_eval::requests::{RequestEstimate, RequestTotals};
use assize_eval::court::{COURT, EvalTerms, RecordOpinion, RubricRef};
use assize_eval::judge_evaluation::tally::RulingTally;
use assize_eval::prompt::record::RecordPrompt;
use assize_eval::record::selection::{Draw, Offered, Selection};
use assize_eval::record::{DatasetDigest, Record as CaseRecord};
use assize_eval::rubric::Rubric;
use assize_eval::rubric::clause::{Condition, EVALUATION_STACK};
use assize_eval::verdict::record::RecordVerdict;
use assize_ledger::event::LedgerEvent;
use serde_json::{Map, json};

use super::asking::{RequestBuilder, JudgeArguments, CaseLookup, Submit, Registry, PromptedJudges};
use super::input::{self, DataArguments, Extent, Names};
use super::rulings::{Rulings, RulingsArguments, Shape};
use super::ruling_pipeline::{Message, PendingRecord, Ruled, RulingPipeline};
use crate::config::Config;
use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::number::whole_from;
use crate::output::{Format, Output, print};
use crate::own_file;
use crate::record::{self, StepRecorder};
use crate::render;

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
    #[arg(long, value_name = "N", value_parser = whole_from(0_usize))]
    sample: Option<usize>,
    /// The seed that draws the sample; the same seed draws the same one.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole_from(0_u64))]
    seed: u64,
    /// Verdicts that were made elsewhere, in place of judges: rulings of this court, or lines of `id`, `labels` and
    /// `overall_quality_score`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["judges", "clauses_only", "repeats", "calls", "budget_usd", "again", "dry_run"])]
    verdicts: Option<PathBuf>,
    #[command(flatten)]
    judges: JudgeArguments,
    /// Make no calls; say how many questions there are, and the least and the most that they would cost.
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

Clauses are computed; the judges of assize.toml are asked about the rest, which is unjudged where no judge answered.
Starting an interrupted run again resumes it, and pays for no answer twice.

Exit codes: 0 every record is accepted \u{b7} 1 a record is rejected \u{b7} 2 something cannot be read \u{b7} 3 none is rejected, and some are unjudged";

/// Most messages that wait for the pipeline; whatever sends more waits as well.
const MESSAGES_MAX: usize = 1_024;

/// Where the opinions on the records come from.
enum OpinionSource {
    /// From nowhere: clauses alone decide.
    Nothing,
    /// From verdicts that were handed in, in the order of the records.
    Verdicts(Vec<Vec<RecordOpinion>>),
    /// From the replies of judges.
    Judges(Box<(Registry, PromptedJudges<RecordPrompt>)>),
}

impl OpinionSource {
    /// Returns the opinions on a record, given with its number.
    fn opinions(&self, at: usize, record: &CaseRecord) -> std::result::Result<Vec<RecordOpinion>, String> {
        match self {
            Self::Nothing => Ok(Vec::new()),
            Self::Verdicts(opinions) => Ok(opinions.get(at).cloned().unwrap_or_default()),
            Self::Judges(judges) => judges.1.opinions(&judges.0, record),
        }
    }
}

/// What is known of the data when it has been read once.
struct Survey {
    selection: Selection,
    need: RequestEstimate,
    /// Of what the records hold, all together.
    digest: String,
    /// Records that `--where` could not be computed of.
    unknown: u64,
    /// Whether the data hold no record at all.
    is_empty: bool,
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
    let mut source = opinion_source(arguments, &data, &rubric, host, output)?;
    let keeps = matches!(source, OpinionSource::Judges(_)) && !arguments.dry_run;
    let (survey, ledger) = thread::scope(|scope| {
        // What cannot be kept must not be paid for; whether it can is found out while the data are read.
        let ledger = keeps.then(|| scope.spawn(|| record::ledger(host)));
        let survey = survey(arguments, &data, &rubric, host, &source);
        let broke_off = |_| Err(Failure::new("the ledger could not be opened".to_owned()));
        (survey, ledger.map(|ledger| ledger.join().unwrap_or_else(broke_off)))
    });
    let (survey, ledger) = (survey?, ledger.transpose()?);
    if survey.is_empty {
        output.note(&format!("the data {} hold no record; nothing is judged", arguments.data.data.display()));
    }
    if survey.unknown > 0 {
        let count = survey.unknown;
        output.note(&format!("--where cannot be computed of {count} records, which are left out"));
    }
    if arguments.dry_run {
        print(&match output.format {
            Format::Json => format!("{}\n", json!(NeedEnvelope::of(&rubric, &survey.need))),
            Format::Human | Format::Markdown => render::eval::need_text(&survey.need),
        });
        return Ok(Exit::Done);
    }
    let rulings = Rulings::open(host, &arguments.rulings, &rubric)?;
    let (shape, pipeline) = (rulings.shape(), RulingPipeline::new(rulings));
    let mut terms = EvalTerms { rubric: &rubric, clauses: &clauses, reference: &reference, panel: PanelRule::AnyFail };
    let mut asked = None;
    let pipeline = match &mut source {
        OpinionSource::Judges(judges) => {
            let (registry, judges) = &mut **judges;
            terms.panel = registry.panel();
            let run = judges.run(&format!("{} {}", reference.hash, survey.digest));
            let court = EvalRun { terms: &terms, shape, data: &data, selection: &survey.selection, host };
            let (pipeline, asking) = court.ask(pipeline, registry, (judges, run), &survey.need, output)?;
            asked = Some(asking);
            pipeline
        }
        OpinionSource::Nothing | OpinionSource::Verdicts(_) => {
            let court = EvalRun { terms: &terms, shape, data: &data, selection: &survey.selection, host };
            court.rule(pipeline, &|at, record| source.opinions(at, record))?
        }
    };
    let tally = pipeline.finish()?;
    if let (OpinionSource::Judges(judges), Some(asked), Some(ledger)) = (&source, &asked, ledger) {
        let (registry, judges) = &**judges;
        let event = LedgerEvent::EvalRuled(Box::new(judges.record(registry, &reference, &survey.digest, asked, &tally)));
        StepRecorder::begin(ledger, COURT, &event)?;
    }
    tell(arguments, &rubric, &tally, asked.as_ref(), output);
    Ok(Exit::of(tally.outcome()))
}

/// Finds the opinions on a record, by its number in the data.
type Opinions<'a> = &'a (dyn Fn(usize, &CaseRecord) -> std::result::Result<Vec<RecordOpinion>, String> + Sync);

/// What is ruled on, and by what.
struct EvalRun<'a> {
    terms: &'a EvalTerms<'a>,
    shape: Shape,
    data: &'a DataArguments,
    selection: &'a Selection,
    host: &'a Host,
}

impl EvalRun<'_> {
    /// Rules on all records by the opinions that are there already.
    fn rule(&self, mut pipeline: RulingPipeline, opinions: Opinions<'_>) -> Result<RulingPipeline> {
        let rule = |at: usize, record: CaseRecord| {
            if !self.selection.takes(&record) {
                return Ok(None);
            }
            Ok(Some(Ruled::on(&record, opinions(at, &record)?, self.terms, self.shape)))
        };
        let mut numbers = 0..;
        self.data.map_records((self.host, self.terms.rubric), Extent::Whole, &rule, &mut |ruled| {
            if let Some((at, ruled)) = ruled.and_then(|ruled| Some((numbers.next()?, ruled))) {
                pipeline.add(at, ruled);
            }
            Ok(())
        })?;
        Ok(pipeline)
    }

    /// Asks about the records on which opinions are missing, and rules on each as soon as all are there.
    fn ask(
        &self,
        mut pipeline: RulingPipeline,
        registry: &mut Registry,
        (judges, run): (&PromptedJudges<RecordPrompt>, ReplyKey),
        need: &RequestEstimate,
        output: Output,
    ) -> Result<(RulingPipeline, RequestTotals)> {
        if need.answered == need.questions {
            let asked = registry.ask_all((judges, run), need, (self.host, output), [])?;
            let pipeline = self.rule(pipeline, &|_, record| judges.opinions(registry, record))?;
            return Ok((pipeline, asked));
        }
        let (sender, messages) = sync_channel(MESSAGES_MAX);
        thread::scope(|scope| {
            // A clause is computed on a stack of its own where the thread's does not suffice.
            let thread = thread::Builder::new().name("rulings".to_owned()).stack_size(2 * EVALUATION_STACK).spawn_scoped(
                scope,
                || {
                    pipeline.receive(messages, self.terms, self.shape);
                    pipeline
                },
            );
            let thread = thread.map_err(|error| Failure::new(format!("the ruling pipeline cannot be started: {error}")))?;
            let hears = {
                let sender = sender.clone();
                Box::new(move |settled| {
                    // Where the pipeline is gone, the run ends for a reason of its own.
                    let _ = sender.send(Message::Replies(settled));
                })
            };
            let mut sender = Some(sender);
            let asked = registry.ask((judges, run), need, (self.host, output), hears, &mut |builder, submit| {
                // The pipeline ends when its last sender is gone.
                sender.take().map_or(Ok(()), |sender| self.submit_records(judges, builder, &sender, submit))
            });
            drop(sender);
            let pipeline = thread.join().map_err(|_| Failure::new("the ruling pipeline failed".to_owned()))?;
            Ok((pipeline, asked?))
        })
    }

    /// Reads the records, sends each to the pipeline, and submits the missing requests.
    fn submit_records(
        &self,
        judges: &PromptedJudges<RecordPrompt>,
        builder: &RequestBuilder<'_, RecordPrompt>,
        court: &SyncSender<Message>,
        submit: Submit<'_, RecordVerdict>,
    ) -> Result<()> {
        let look = |_: usize, record: CaseRecord| {
            if !self.selection.takes(&record) {
                return Ok(None);
            }
            let CaseLookup { stored, missing } = builder.prepare(&record)?;
            let mut opinions = vec![None; judges.places()];
            for (place, said) in stored {
                opinions[place] = Some(judges.opinion(said, &record));
            }
            Ok(Some((Box::new(PendingRecord { record, opinions }), missing)))
        };
        let mut numbers = 0..;
        self.data.map_records((self.host, self.terms.rubric), Extent::Whole, &look, &mut |looked| {
            let Some((number, (pending, missing))) = looked.and_then(|looked| Some((numbers.next()?, looked))) else {
                return Ok(());
            };
            let tell = |pending| court.send(Message::Record(number, pending)).map_err(|_| "the ruling pipeline ended".to_owned());
            if missing.is_none() {
                submit(number, None)?;
                return tell(pending);
            }
            tell(pending)?;
            submit(number, missing)
        })
    }
}

fn tell(arguments: &Arguments, rubric: &Rubric, tally: &RulingTally, asked: Option<&RequestTotals>, output: Output) {
    let text = match output.format {
        Format::Json => format!("{}\n", json!(TallyEnvelope::of(rubric, tally, asked))),
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

/// Finds out where the opinions on the records come from.
fn opinion_source(arguments: &Arguments, data: &DataArguments, rubric: &Rubric, host: &Host, output: Output) -> Result<OpinionSource> {
    let Some(path) = &arguments.verdicts else {
        let config = Config::load(&host.project(), host.configuration.as_deref())?;
        let settings = arguments.judges.settings(&config)?;
        let Some(judges) = PromptedJudges::of_records(&settings.judges, rubric, settings.repeats, host)? else {
            if rubric.asked().next().is_some() && !arguments.judges.asks_nobody() {
                output.note("note: no judge is asked, so that only clauses are judged; a [[judge]] in assize.toml makes one, `judges` below [eval] chooses, and --verdicts reads what others said");
            }
            return Ok(OpinionSource::Nothing);
        };
        let registry = Registry::open(&arguments.judges, settings, &config, host)?;
        return Ok(OpinionSource::Judges(Box::new((registry, judges))));
    };
    let index = data.indexed(host, rubric, &mut |_| {})?;
    let (opinions, by_name_alone) = input::opinions(host, &index, rubric, path, "--verdicts")?;
    if by_name_alone > 0 {
        output.note(&format!(
            "{by_name_alone} verdicts have no `record`, the hash of its content: that it was the same then is taken on trust"
        ));
    }
    Ok(OpinionSource::Verdicts(opinions))
}

/// Reads the data once: whether it can be read, which records are taken, and what asking about them takes.
fn survey(arguments: &Arguments, data: &DataArguments, rubric: &Rubric, host: &Host, source: &OpinionSource) -> Result<Survey> {
    let condition = match &arguments.condition {
        Some(expression) => {
            let wrong = |error: String| Failure::new(format!("--where: {error}"));
            Some(Condition::read(expression).map_err(wrong)?)
        }
        None => None,
    };
    let weighs_content = match source {
        OpinionSource::Judges(judges) => judges.0.weighs_content(arguments.dry_run),
        OpinionSource::Nothing | OpinionSource::Verdicts(_) => false,
    };
    let extent = if weighs_content || condition.is_some() { Extent::Whole } else { Extent::Name };
    let selection = Selection::new(condition);
    let mut draw = arguments.sample.map(|size| Draw::new(size, arguments.seed));
    let (mut names, mut unknown, mut is_empty) = (Names::default(), 0, true);
    let (mut need, mut digest) = (RequestEstimate::nothing(), DatasetDigest::default());
    let weigh = |record: &CaseRecord| {
        let OpinionSource::Judges(judges) = source else { return Ok(RequestEstimate::nothing()) };
        let (registry, judges) = &**judges;
        registry.weigh(judges, record, arguments.dry_run)
    };
    let mut take = |record: &CaseRecord, weight: RequestEstimate| {
        digest.add(record);
        need.add(weight);
    };
    // Which records a sample holds is not known before the end.
    let is_sample = draw.is_some();
    let look = |_: usize, record: CaseRecord| {
        let offered = selection.looks_at(&record);
        let weight = if offered == Offered::Eligible && !is_sample { Some(weigh(&record)?) } else { None };
        // No later step looks at the fields, so that the thread that read the record drops them.
        Ok((CaseRecord { fields: Map::new(), ..record }, offered, weight))
    };
    data.map_records((host, rubric), extent, &look, &mut |(record, offered, weight)| {
        is_empty = false;
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
    Ok(Survey { selection, need, digest: digest.finish(), unknown, is_empty })
}
