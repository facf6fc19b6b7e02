//! A corrector at work: failing records go to it, and what it makes of them to another judge.

use std::collections::{BTreeSet, HashMap};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use assize_core::opinion::PanelRule;
use assize_core::ruling::{Outcome, Unjudged};
use assize_engine::court::eval::replies::ReplyKey;
use assize_engine::judge::{Judge, JudgeAnswer, JudgeConfig};
use assize_engine::records::DataFormat;
use assize_eval::envelope::{CorrectingEnvelope, CorrectionSummary};
use assize_eval::envelope::NeedEnvelope;
use assize_eval::requests::{RequestEstimate, RequestTotals};
use assize_eval::court::{COURT, EvalTerms, RecordOpinion, RecordRuling, RubricRef, decide};
use assize_eval::judge_evaluation::correct::{Corrected, Correcting, FailingRecords};
use assize_eval::prompt::correction::{CorrectionPrompt, FaultyRecord};
use assize_eval::prompt::record::RecordPrompt;
use assize_eval::prompt::template::{FailedTemplate, TemplatePrompt};
use assize_eval::record::selection::{Draw, Selection};
use assize_eval::record::{DatasetDigest, Record};
use assize_eval::rubric::{Clauses, Rubric};
use assize_eval::run::{CorrectionRecord, SeatedJudge};
use assize_eval::verdict::template::{TEMPLATE_CHARS_MAX, TemplateRevision};
use assize_ledger::event::LedgerEvent;
use serde_json::json;

use crate::command::eval::asking::{BYTES_OF_TOKEN, JudgeArguments, Registry, PromptedJudges, named};
use crate::command::eval::input::{self, DataArguments};
use crate::config::{Config, EvalSettings};
use crate::exit::{Exit, Failure, Result};
use crate::host::Host;
use crate::judges::Judges;
use crate::number::whole_from;
use crate::output::{Format, Output, print};
use crate::own_file::{self, PendingFile};
use crate::record::{self as ledger, StepRecorder};
use crate::render;
use crate::render::eval::correction::{work_human, work_markdown};

/// Who corrects, what is kept from it, and where the result goes.
#[derive(Debug, Clone, clap::Args)]
pub struct CorrectorArguments {
    /// Have this judge of the configuration correct the failing records.
    #[arg(long, value_name = "ID", conflicts_with = "corrected")]
    pub corrector: Option<String>,
    /// Write all records to this file, one JSON document a line, with the corrected ones in the place of the others.
    #[arg(long, short, value_name = "FILE", requires = "corrector")]
    output: Option<PathBuf>,
    /// Keep this share of the failing records from the corrector, to see what passes without it.
    #[arg(long, value_name = "SHARE", default_value_t = 0.2, value_parser = share)]
    hold_out: f64,
    /// The seed that draws what is held out.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = whole_from(0_u64))]
    seed: u64,
    /// Write the names of the records that are held out to this file, as JSON, one a line.
    #[arg(long, value_name = "FILE", requires = "corrector")]
    held_out: Option<PathBuf>,
    /// Have the template revised that the records were generated with, by what they failed in.
    #[arg(long, value_name = "FILE", requires_all = ["corrector", "revised"])]
    template: Option<PathBuf>,
    /// Write the revised template to this file.
    #[arg(long, value_name = "FILE", requires = "template")]
    revised: Option<PathBuf>,
    /// Make no calls; say how many questions the corrector would get, and the least and the most that they would cost.
    #[arg(long, requires = "corrector")]
    dry_run: bool,
    #[command(flatten)]
    judges: JudgeArguments,
}

/// Tokens of a correction, about.
const TOKENS_OF_CORRECTION: u64 = 400;
/// Bytes of a template at most: each character can have four.
const TEMPLATE_BYTES_MAX: u64 = 4 * TEMPLATE_CHARS_MAX as u64;

fn share(text: &str) -> std::result::Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "it is no number".to_owned())?;
    if (0.0..=0.9).contains(&share) { Ok(share) } else { Err("it lies between 0 and 0.9".to_owned()) }
}

/// What is known before anybody is asked.
struct CorrectionTask<'a> {
    rubric: &'a Rubric,
    clauses: &'a Clauses,
    reference: RubricRef,
    panel: PanelRule,
    host: &'a Host,
    output: Output,
    /// Failing records that the corrector sees.
    given: Vec<FaultyRecord>,
    /// Failing records that are kept from it.
    held_out: Vec<FaultyRecord>,
    /// The hash of all failing records, in their order.
    digest: String,
    /// All records.
    records: u64,
    /// Records that were unjudged.
    unjudged: u64,
}

/// What the corrector made of a record.
type Answered = std::result::Result<(Option<Record>, String), Unjudged>;

/// The judges of the correction: as they are asked of a corrected record, and of one that is held out, twice as often.
struct Seconds {
    once: PromptedJudges<RecordPrompt>,
    twice: PromptedJudges<RecordPrompt>,
    repeats: u32,
}

/// Runs `assize eval correct` with a corrector.
pub fn run(
    data: &DataArguments,
    verdicts: &Path,
    arguments: &CorrectorArguments,
    host: &Host,
    output: Output,
) -> Result {
    own_file::one_standard_input([("the data", Some(&data.data)), ("--verdicts", Some(&verdicts.to_owned()))])?;
    let (data, _kept) = data.kept()?;
    let (rubric, clauses) = data.rubric(host)?;
    let outputs = Outputs::begin(host, &data, verdicts, arguments)?;
    let template = arguments.template.as_ref().map(|path| read_template(host, path)).transpose()?;
    let index = data.indexed(host, &rubric, &mut |_| {})?;
    let (opinions, _) = input::opinions(host, &index, &rubric, verdicts, "--verdicts")?;
    let config = Config::load(&host.project(), host.configuration.as_deref())?;
    let corrector = named(&config, arguments.corrector.as_deref().unwrap_or_default(), "--corrector")?;
    let taken = Taken::by(&corrector, &opinions, &config, host)?;
    let settings = taken.others(arguments.judges.settings(&config)?, &arguments.judges, &rubric, host)?;
    let task = task((&rubric, &clauses), settings.panel, &data, opinions, arguments, host, output)?;
    let judges = PromptedJudges::new(&[corrector], CorrectionPrompt::of(&rubric), 1, TOKENS_OF_CORRECTION, host)?;
    let repeats = settings.repeats;
    let of_records = |repeats| PromptedJudges::of_records(&settings.judges, &rubric, repeats, host);
    let seconds = of_records(repeats)?.zip(of_records(2 * repeats)?);
    let seconds = seconds.map(|(once, twice)| Seconds { once, twice, repeats });
    let registry = Registry::open(&arguments.judges, settings, &config, host)?;
    let run = judges.run(&task.about(arguments, seconds.as_ref(), template.as_ref()));
    let mut work = AtWork { task, registry, run, asked: RequestTotals::default(), open: Vec::new() };
    let mut need = work.need(&judges, arguments.dry_run)?;
    let of_seconds = work.need_of(seconds.as_ref(), arguments.dry_run)?;
    // Before the corrector is paid it has to be known that its work can be judged.
    work.registry.check_prices(&of_seconds)?;
    if arguments.dry_run {
        need.add(of_seconds);
        print(&match output.format {
            Format::Json => format!("{}\n", json!(NeedEnvelope::of(&rubric, &need))),
            Format::Human | Format::Markdown => render::eval::need_text(&need),
        });
        return Ok(Exit::Done);
    }
    let answers = work.correct(&judges, &need)?;
    let revision = match &template {
        Some((name, text)) => work.revise(&judges, name, text)?,
        None => None,
    };
    outputs.write(&data, &work.task, &answers, revision.as_ref())?;
    let hands = work.judge(seconds.as_ref(), answers)?;
    let modes: Vec<&str> = rubric.modes.iter().map(|mode| mode.id.as_str()).collect();
    let correcting = Correcting::of(&modes, &hands);
    let record = work.record(&judges, seconds.as_ref(), &correcting, revision.as_ref());
    StepRecorder::begin(ledger::ledger(host)?, COURT, &LedgerEvent::EvalCorrected(Box::new(record)))?;
    let shown = CorrectionSummary {
        rubric: &rubric,
        correcting: &correcting,
        asked: &work.asked,
        open: &work.open,
        revision: revision.as_ref(),
    };
    print(&match output.format {
        Format::Json => format!("{}\n", json!(CorrectingEnvelope::of(&shown))),
        Format::Human => work_human(&shown),
        Format::Markdown => work_markdown(&shown),
    });
    Ok(Exit::of(correcting.outcome()))
}

fn read_template(host: &Host, path: &Path) -> Result<(String, String)> {
    let text = own_file::read_text(host, path, "--template", TEMPLATE_BYTES_MAX)?;
    if text.chars().count() > TEMPLATE_CHARS_MAX {
        let what = format!("--template {}: it has more than {TEMPLATE_CHARS_MAX} characters", path.display());
        return Err(Failure::new(what));
    }
    Ok((path.display().to_string(), text))
}

/// Who has a part in the correction, and cannot judge it: the corrector, and those whose verdicts it goes by.
struct Taken {
    ids: BTreeSet<String>,
    models: BTreeSet<String>,
    identities: BTreeSet<String>,
}

impl Taken {
    fn by(corrector: &JudgeConfig, opinions: &[Vec<RecordOpinion>], config: &Config, host: &Host) -> Result<Self> {
        let said = || opinions.iter().flatten().map(|opinion| &opinion.judge);
        let mut ids: BTreeSet<String> = said().map(|judge| judge.id.clone()).collect();
        ids.insert(corrector.id().to_owned());
        let mut models: BTreeSet<String> = said().filter_map(|judge| judge.model.clone()).collect();
        let known = config.eval.judges.iter().chain(&config.all_judges).filter(|judge| ids.contains(judge.id()));
        let built = Judges::of_eval(&known.cloned().collect::<Vec<_>>(), host)?;
        models.extend(built.iter().filter_map(|judge| judge.model().map(str::to_owned)));
        Ok(Self { ids, models, identities: built.iter().map(|judge| judge.identity()).collect() })
    }

    fn holds(&self, judge: &dyn Judge) -> bool {
        let is_model = |model: &str| self.models.iter().any(|taken| is_same_model(taken, model));
        self.ids.contains(judge.id())
            || self.identities.contains(&judge.identity())
            || judge.model().is_some_and(is_model)
    }

    /// Leaves them out of the judges.
    fn others(
        &self,
        mut settings: EvalSettings,
        arguments: &JudgeArguments,
        rubric: &Rubric,
        host: &Host,
    ) -> Result<EvalSettings> {
        let built = Judges::of_eval(&settings.judges, host)?;
        let (mut free, mut refused) = (Vec::new(), Vec::new());
        for (config, judge) in settings.judges.iter().zip(&built) {
            if self.holds(&**judge) { refused.push(judge.id().to_owned()) } else { free.push(config.clone()) }
        }
        let nobody = free.is_empty() && !arguments.asks_nobody() && rubric.asked().next().is_some();
        if nobody || (arguments.names_judges() && !refused.is_empty()) {
            let who = if refused.is_empty() { "no other judge is configured".to_owned() } else { refused.join(", ") };
            let what = format!(
                "the corrector, a judge that failed the records, or the same model under another name cannot judge the correction: {who}"
            );
            return Err(Failure::new(what)
                .hint("name another judge with --judge, or count what clauses say of it with --clauses-only"));
        }
        settings.judges = free;
        Ok(settings)
    }
}

/// Returns whether two names mean one model: servers add the date of an edition to the name that was asked for.
fn is_same_model(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let Some(rest) = long.strip_prefix(short) else { return false };
    let is_edition = |rest: &str| {
        ["latest", "preview"].contains(&rest)
            || (rest.len() >= 4 && rest.chars().all(|character| character.is_ascii_digit() || character == '-'))
    };
    rest.is_empty() || rest.strip_prefix(['-', '@', ':']).is_some_and(is_edition)
}

/// Finds the failing records, and sets some of them aside.
fn task<'a>(
    (rubric, clauses): (&'a Rubric, &'a Clauses),
    panel: PanelRule,
    data: &DataArguments,
    opinions: Vec<Vec<RecordOpinion>>,
    arguments: &CorrectorArguments,
    host: &'a Host,
    output: Output,
) -> Result<CorrectionTask<'a>> {
    let reference = RubricRef::of(rubric);
    let terms = EvalTerms { rubric, clauses, reference: &reference, panel };
    let (mut faulty, mut records, mut unjudged) = (Vec::new(), 0, 0);
    let (mut opinions, mut digest) = (opinions.into_iter(), DatasetDigest::default());
    data.each_record(host, rubric, &mut |record| {
        let ruling = decide(&terms, &record, opinions.next().unwrap_or_default());
        unjudged += u64::from(ruling.outcome == Outcome::Unjudged);
        if let Some(case) = FaultyRecord::of(&record, &ruling) {
            digest.add(&case.record);
            faulty.push(case);
        }
        records += 1;
        Ok(())
    })?;
    let kept = held_out_of(faulty.len(), arguments.hold_out);
    let mut draw = Draw::new(kept, arguments.seed);
    faulty.iter().for_each(|case| draw.offer(&case.record));
    let selection = Selection::default().drawn(&draw);
    let (held_out, given) = faulty.into_iter().partition(|case| selection.takes(&case.record));
    let digest = digest.finish();
    Ok(CorrectionTask { rubric, clauses, reference, panel, host, output, given, held_out, digest, records, unjudged })
}

/// Returns how many of so many records are held out: one at least where a share is wanted, and never all.
fn held_out_of(records: usize, share: f64) -> usize {
    let wanted = (records as f64 * share).round() as usize;
    wanted.max(usize::from(share > 0.0)).min(records.saturating_sub(1))
}

impl CorrectionTask<'_> {
    /// Says what the run is about: with other terms it is another run, with a budget of its own.
    fn about(
        &self,
        arguments: &CorrectorArguments,
        seconds: Option<&Seconds>,
        template: Option<&(String, String)>,
    ) -> String {
        let faults: Vec<&str> =
            self.given.iter().flat_map(|case| &case.faults).map(|fault| fault.reason.as_str()).collect();
        let judges: Vec<String> =
            seconds.iter().flat_map(|seconds| seconds.twice.judges()).map(|judge| judge.identity).collect();
        let repeats = seconds.map_or(0, |seconds| seconds.repeats);
        let (hold_out, seed) = (arguments.hold_out, arguments.seed);
        let template = template.map_or("", |(_, text)| text);
        format!(
            "{} {} {hold_out} {seed} {repeats}\n{}\n{}\n{template}",
            self.reference.hash,
            self.digest,
            judges.join("\n"),
            faults.join("\n")
        )
    }

    fn rule(&self, record: &Record, opinions: Vec<RecordOpinion>) -> RecordRuling {
        let Self { rubric, clauses, reference, panel, .. } = self;
        decide(&EvalTerms { rubric, clauses, reference, panel: *panel }, record, opinions)
    }
}

/// The corrector and the judges, while they are asked.
struct AtWork<'a> {
    task: CorrectionTask<'a>,
    registry: Registry,
    /// All that is asked is one run, with one budget.
    run: ReplyKey,
    asked: RequestTotals,
    /// Records that have no correction, and why.
    open: Vec<(String, String)>,
}

impl AtWork<'_> {
    /// What the corrector takes.
    fn need(&self, judges: &PromptedJudges<CorrectionPrompt>, dry_run: bool) -> Result<RequestEstimate> {
        let mut need = RequestEstimate::nothing();
        for case in &self.task.given {
            need.add(self.registry.weigh(judges, case, dry_run).map_err(Failure::new)?);
        }
        Ok(need)
    }

    /// What the judges take, about: each record as it is, and once more as it will be.
    fn need_of(&self, seconds: Option<&Seconds>, dry_run: bool) -> Result<RequestEstimate> {
        let mut need = RequestEstimate::nothing();
        let Some(Seconds { twice, .. }) = seconds else { return Ok(need) };
        let CorrectionTask { given, held_out, .. } = &self.task;
        // Without a budget nothing has to be known of prices.
        let cases = given.iter().chain(held_out).take(if dry_run { usize::MAX } else { 1 });
        for case in cases {
            need.add(self.registry.weigh(twice, &case.record, dry_run).map_err(Failure::new)?);
        }
        Ok(need)
    }

    /// Asks the corrector about each record that it is given.
    fn correct(&mut self, judges: &PromptedJudges<CorrectionPrompt>, need: &RequestEstimate) -> Result<Vec<Answered>> {
        let Self { task: CorrectionTask { given, host, output, .. }, registry, run, .. } = self;
        let asked = registry.ask_all((judges, *run), need, (host, *output), &*given)?;
        self.asked.add(asked);
        let answered = |case: &FaultyRecord| {
            let said = self.registry.said(judges, case).map_err(Failure::new)?;
            let read = |answer: &JudgeAnswer| judges.prompt().read(&answer.reply, case);
            let read = said.into_iter().next().map(|said| said.read(read).what);
            Ok(read.unwrap_or_else(|| Ok((None, String::new()))))
        };
        self.task.given.iter().map(answered).collect()
    }

    /// Asks the corrector to revise the template, by the records that it was given.
    fn revise(
        &mut self,
        corrector: &PromptedJudges<CorrectionPrompt>,
        name: &str,
        template: &str,
    ) -> Result<Option<TemplateRevision>> {
        let CorrectionTask { rubric, given, held_out, records, host, output, .. } = &self.task;
        if given.is_empty() {
            return Ok(None);
        }
        let seen = records - held_out.len() as u64;
        let case = FailedTemplate::of(rubric, name, template, seen, &given.iter().collect::<Vec<_>>());
        let reply_tokens = template.len() as u64 / BYTES_OF_TOKEN + TOKENS_OF_CORRECTION;
        let judges = corrector.asked_by(TemplatePrompt::of(rubric), reply_tokens);
        let need = self.registry.weigh(&judges, &case, false).map_err(Failure::new)?;
        let asked = self.registry.ask_all((&judges, self.run), &need, (host, *output), [&case])?;
        self.asked.add(asked);
        let said = self.registry.said(&judges, &case).map_err(Failure::new)?.into_iter().next();
        match said.map(|said| said.read(|answer| judges.prompt().read(&answer.reply, &case)).what) {
            Some(Ok(revision)) => Ok(Some(revision)),
            Some(Err(unjudged)) => {
                self.open.push((format!("the template {name}"), unjudged.to_string()));
                Ok(None)
            }
            None => Ok(None),
        }
    }

    /// Has the records judged as they were and as they are; those that are as they were, twice.
    fn judge(&mut self, seconds: Option<&Seconds>, answers: Vec<Answered>) -> Result<FailingRecords> {
        let mut hands = FailingRecords { unjudged: self.task.unjudged, ..FailingRecords::default() };
        let (mut pairs, mut unchanged) = (Vec::new(), Vec::new());
        for (case, answered) in std::mem::take(&mut self.task.given).into_iter().zip(answers) {
            match answered {
                Ok((Some(record), _)) => {
                    pairs.push((case.record, record));
                    continue;
                }
                Ok((None, summary)) => {
                    hands.left += 1;
                    self.open.push((case.record.id.clone(), format!("left as it is: {summary}")));
                }
                Err(unjudged) => {
                    *hands.uncorrected.entry(unjudged.cause).or_default() += 1;
                    self.open.push((case.record.id.clone(), unjudged.to_string()));
                }
            }
            unchanged.push(case.record);
        }
        let held_out: Vec<Record> =
            std::mem::take(&mut self.task.held_out).into_iter().map(|case| case.record).collect();
        // Where nothing was corrected there is nothing to judge.
        let seconds = seconds.filter(|_| !pairs.is_empty());
        if let Some(Seconds { once, twice, .. }) = seconds {
            self.ask_judges(once, pairs.iter().flat_map(|(before, after)| [before, after]))?;
            self.ask_judges(twice, unchanged.iter().chain(&held_out))?;
        }
        for (before, after) in pairs {
            let rule = |record: &Record| {
                let opinions = match seconds {
                    Some(Seconds { once, .. }) => once.opinions(&self.registry, record).map_err(Failure::new)?,
                    None => Vec::new(),
                };
                Ok::<RecordRuling, Failure>(self.task.rule(record, opinions))
            };
            hands.corrected.push(Corrected::ruled(&rule(&before)?, &rule(&after)?));
        }
        hands.unchanged = self.twice(seconds, &unchanged)?;
        hands.held_out = self.twice(seconds, &held_out)?;
        Ok(hands)
    }

    /// Rules twice on each record, by what was said the first and the second time.
    fn twice(&self, seconds: Option<&Seconds>, records: &[Record]) -> Result<Vec<Corrected>> {
        let ruled = |record: &Record| {
            let said = match seconds {
                Some(Seconds { twice, .. }) => twice.opinions(&self.registry, record).map_err(Failure::new)?,
                None => Vec::new(),
            };
            let repeats = seconds.map_or(0, |seconds| seconds.repeats);
            let is_early = |opinion: &RecordOpinion| opinion.judge.repeat.is_none_or(|repeat| repeat <= repeats);
            let (early, late) = said.into_iter().partition(is_early);
            Ok(Corrected::ruled(&self.task.rule(record, early), &self.task.rule(record, late)))
        };
        records.iter().map(ruled).collect()
    }

    fn ask_judges<'r>(
        &mut self,
        judges: &PromptedJudges<RecordPrompt>,
        records: impl Iterator<Item = &'r Record>,
    ) -> Result<()> {
        let records: Vec<&Record> = records.collect();
        let mut need = RequestEstimate::nothing();
        for record in &records {
            need.add(self.registry.weigh(judges, record, false).map_err(Failure::new)?);
        }
        let CorrectionTask { host, output, .. } = self.task;
        let asked = self.registry.ask_all((judges, self.run), &need, (host, output), records)?;
        self.asked.add(asked);
        Ok(())
    }

    fn record(
        &self,
        corrector: &PromptedJudges<CorrectionPrompt>,
        seconds: Option<&Seconds>,
        correcting: &Correcting,
        revision: Option<&TemplateRevision>,
    ) -> CorrectionRecord {
        let nobody = || SeatedJudge { id: String::new(), identity: String::new() };
        CorrectionRecord {
            rubric: self.task.reference.clone(),
            data: self.task.digest.clone(),
            corrector: corrector.judges().next().unwrap_or_else(nobody),
            judges: seconds.into_iter().flat_map(|seconds| seconds.once.judges()).collect(),
            calls: self.asked.calls,
            spent_usd: self.asked.spent_usd,
            lost: (self.asked.interrupted.len() + self.asked.stuck.len()) as u64,
            outcome: correcting.outcome(),
            counts: correcting.counts.clone(),
            template: revision.map(TemplateRevision::hash),
        }
    }
}

/// Files that are written, which are begun before anybody is paid: of what cannot be written it is said at once.
struct Outputs<'a> {
    host: &'a Host,
    records: Option<(String, PendingFile)>,
    held_out: Option<(String, PendingFile)>,
    revised: Option<(String, PendingFile)>,
}

impl<'a> Outputs<'a> {
    fn begin(host: &'a Host, data: &DataArguments, verdicts: &Path, arguments: &CorrectorArguments) -> Result<Self> {
        let CorrectorArguments { output, held_out, template, revised, dry_run, .. } = arguments;
        let settings = host.configuration.clone().unwrap_or_else(|| host.project().join("assize.toml"));
        let inputs = [Some(&data.rubric), Some(&data.data), template.as_ref(), Some(&settings)];
        let mut taken: Vec<&Path> = inputs.into_iter().flatten().map(PathBuf::as_path).chain([verdicts]).collect();
        let mut begun = Vec::new();
        for (option, path) in [("--output", output), ("--held-out", held_out), ("--revised", revised)] {
            let Some(path) = path else {
                begun.push(None);
                continue;
            };
            let place = format!("{option} {}", path.display());
            if input::is_one_of(host, path, &taken) {
                return Err(Failure::new(format!("{place}: that is what is read")));
            }
            if path == Path::new("-") || taken.contains(&path.as_path()) {
                return Err(Failure::new(format!("{place}: name a file of its own")));
            }
            let is_table = matches!(DataFormat::of_name(path), Some(DataFormat::Csv | DataFormat::Parquet));
            if option == "--output" && is_table {
                let what = format!("{place}: records are written as JSON lines, and later commands go by the name");
                return Err(Failure::new(what).hint("let it end in .jsonl"));
            }
            taken.push(path);
            let draft = PendingFile::begin(host, path).map_err(|error| Failure::new(format!("{place}: {error}")))?;
            begun.push(Some((place, draft)).filter(|_| !dry_run));
        }
        let mut begun = begun.into_iter();
        let mut next = || begun.next().flatten();
        Ok(Self { host, records: next(), held_out: next(), revised: next() })
    }

    /// Writes what was asked for: the records, the names of those that were held out, the template.
    fn write(
        self,
        data: &DataArguments,
        task: &CorrectionTask<'_>,
        answers: &[Answered],
        revision: Option<&TemplateRevision>,
    ) -> Result<()> {
        let failed = |place: &str, error: std::io::Error| Failure::new(format!("{place}: {error}"));
        if let Some((place, mut draft)) = self.records {
            let corrected = task.given.iter().zip(answers).filter_map(|(case, answered)| {
                let (record, _) = answered.as_ref().ok()?;
                Some((case.record.id.as_str(), record.as_ref()?))
            });
            let corrected: HashMap<&str, &Record> = corrected.collect();
            data.each_record(self.host, task.rubric, &mut |record| {
                let fields = corrected.get(record.id.as_str()).map_or(&record.fields, |record| &record.fields);
                let written = serde_json::to_writer(&mut draft, fields).map_err(std::io::Error::from);
                written.and_then(|()| draft.write_all(b"\n")).map_err(|error| format!("cannot be written: {error}"))
            })?;
            draft.keep().map_err(|error| failed(&place, error))?;
        }
        let names: String = task.held_out.iter().map(|case| format!("{}\n", json!(case.record.id))).collect();
        let texts = [
            (self.held_out, Some(names.as_str())),
            (self.revised, revision.map(|revision| revision.template.as_str())),
        ];
        for (file, text) in texts {
            if let (Some((place, mut draft)), Some(text)) = (file, text) {
                let written = draft.write_all(text.as_bytes()).and_then(|()| draft.keep());
                written.map_err(|error| failed(&place, error))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_held_out_at_least_and_never_all() {
        for (records, share, held_out) in
            [(0, 0.2, 0), (1, 0.2, 0), (2, 0.2, 1), (2, 0.9, 1), (10, 0.2, 2), (10, 0.0, 0), (3, 0.9, 2)]
        {
            assert_eq!(held_out_of(records, share), held_out, "{share} of {records}");
        }
        assert!(share("0.9").is_ok() && share("0").is_ok());
        assert!(share("0.91").is_err() && share("-0.1").is_err() && share("NaN").is_err());
    }

    #[test]
    fn the_edition_of_a_model_is_no_other_model() {
        for (one, other, same) in [
            ("gpt-4o", "gpt-4o", true),
            ("gpt-4o", "gpt-4o-2024-08-06", true),
            ("claude-x-latest", "claude-x", true),
            ("m@20250101", "m", true),
            ("gpt-4o", "gpt-4o-mini", false),
            ("gpt-4", "gpt-4o", false),
            ("a", "b", false),
            ("m-1", "m-12", false),
        ] {
            assert_eq!(is_same_model(one, other), same, "{one} {other}");
            assert_eq!(is_same_model(other, one), same, "{other} {one}");
        }
    }
}
