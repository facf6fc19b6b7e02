//! What the commands of the data-set court read: rubrics, records, verdicts, labels.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, BufRead as _, Read};
use std::path::{Path, PathBuf};

use assize_core::text::make_visible;
use assize_engine::records::{self, DataFormat, Each, RawRecord};
use assize_eval::court::{RecordOpinion, RecordRuling};
use assize_eval::judge_evaluation::drift::DriftSide;
use assize_eval::judge_evaluation::handed::{ImportedVerdict, fails_by};
use assize_eval::judge_evaluation::import::{self, LOG_BYTES_MAX};
use assize_eval::judge_evaluation::join::{Joined, RecordIndex, RecordStatement, Unjoined, join};
use assize_eval::judge_evaluation::label::{self, LABELS_BYTES_MAX, PersonLabels};
use assize_eval::judge_evaluation::rated_record::RatedRecord;
use assize_eval::record::Record;
use assize_eval::record::glance::glance;
use assize_eval::rubric::{BUILT_IN, Clauses, RUBRIC_BYTES_MAX, Rubric};
use serde_json::Value;
use tempfile::NamedTempFile;

use crate::exit::{Failure, Result};
use crate::host::Host;
use crate::own_file;

/// How much of a record is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    Whole,
    /// Its name, and the hash of its content.
    Name,
}

/// The records that are judged.
#[derive(Debug, Clone, clap::Args)]
pub struct DataArguments {
    /// The rubric: a TOML file, or the name of one that is built in.
    pub rubric: PathBuf,
    /// The records, or `-` for standard input: JSON lines, a JSON array, CSV with a header, or Parquet.
    pub data: PathBuf,
    /// Format of the records [default: detected from the file].
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub from: Option<String>,
    /// The field that names a record [default: that of the rubric].
    #[arg(long, value_name = "FIELD")]
    pub id: Option<String>,
}

fn formats() -> Vec<&'static str> {
    DataFormat::ALL.iter().map(|(id, _)| *id).collect()
}

/// Reads a rubric.
///
/// # Errors
///
/// Lists everything that is wrong with it.
pub fn rubric(host: &Host, path: &Path) -> Result<(Rubric, Clauses)> {
    let built_in = BUILT_IN.into_iter().find(|(name, _)| Path::new(name) == path && !host.folder.join(path).exists());
    let text = match built_in {
        Some((_, text)) => text.to_owned(),
        None => own_file::read_text(host, path, "the rubric", RUBRIC_BYTES_MAX as u64).map_err(|failure| {
            let names = BUILT_IN.map(|(name, _)| name).join(", ");
            failure.hint(format!("name a TOML file, or one of those that are built in: {names}"))
        })?,
    };
    Rubric::read(&text).map_err(|faults| {
        let faults: Vec<String> = faults.iter().map(|fault| make_visible(&fault.to_string()).into_owned()).collect();
        Failure::new(format!("the rubric {}: {}", path.display(), faults.join("\n  ")))
            .hint("docs/src/tasks/eval.md shows how a rubric is written")
    })
}

impl DataArguments {
    /// Reads the rubric.
    ///
    /// # Errors
    ///
    /// Lists everything that is wrong with it.
    pub fn rubric(&self, host: &Host) -> Result<(Rubric, Clauses)> {
        let (mut rubric, clauses) = rubric(host, &self.rubric)?;
        if let Some(id) = &self.id {
            rubric.record.id.clone_from(id);
        }
        Ok((rubric, clauses))
    }

    /// Reads the records one after the other, and notes who they are.
    ///
    /// # Errors
    ///
    /// Says which record cannot be read, and why.
    pub fn indexed(&self, host: &Host, rubric: &Rubric, each: &mut dyn FnMut(Record)) -> Result<RecordIndex> {
        let mut index = RecordIndex::default();
        self.each_record(host, rubric, &mut |record| {
            index.add(&record.id, &record.hash).map_err(|earlier| repeats(&record.id, earlier + 1))?;
            each(record);
            Ok(())
        })?;
        Ok(index)
    }

    /// Returns the form that is named, or that the name of the file stands for.
    fn format(&self) -> Option<DataFormat> {
        self.from.as_deref().and_then(DataFormat::named).or_else(|| DataFormat::of_name(&self.data))
    }

    /// Reads the records one after the other. Two may have the same name; what is held does not grow with their number.
    ///
    /// # Errors
    ///
    /// Says which record cannot be read, and why; also where `each` refuses one.
    pub fn each_record(
        &self,
        host: &Host,
        rubric: &Rubric,
        each: &mut dyn FnMut(Record) -> std::result::Result<(), String>,
    ) -> Result<()> {
        let mut take = |value| each(Record::of(value, &rubric.record.id)?);
        read_values(host, &self.data, "the data", self.format(), &mut take)
    }

    /// Reads the records and works on many of them at a time; `map` is given a record and its number, counted from 0, and `each` what
    /// came of it, in their order. Standard input has to be kept first. Where no more than the names is needed, a record may come without its
    /// fields.
    ///
    /// # Errors
    ///
    /// Says which record is the first that cannot be read, and why; also where `map` or `each` refuses one.
    pub fn map_records<T: Send>(
        &self,
        (host, rubric): (&Host, &Rubric),
        extent: Extent,
        map: &(dyn Fn(usize, Record) -> std::result::Result<T, String> + Sync),
        each: &mut dyn FnMut(T) -> std::result::Result<(), String>,
    ) -> Result<()> {
        let wrong = |error: &str| Failure::new(format!("the data {}: {}", self.data.display(), make_visible(error)));
        let file = own_file::open(host, &self.data).map_err(|error| wrong(&error.to_string()))?;
        let id = &rubric.record.id;
        let of_record = |at: usize, item: RawRecord| {
            let glanced = item.json().filter(|_| extent == Extent::Name).and_then(|json| glance(json, id));
            map(at, glanced.map_or_else(|| Record::of(item.value()?, id), Ok)?)
        };
        records::map_file(file, self.format(), &of_record, each).map_err(|error| wrong(&error.to_string()))
    }

    /// Keeps what comes from standard input, so that it can be read more than once: for as long as the file beside it is held.
    ///
    /// # Errors
    ///
    /// Fails when it cannot be read or kept.
    pub fn kept(&self) -> Result<(Self, Option<NamedTempFile>)> {
        if self.data != Path::new("-") {
            return Ok((self.clone(), None));
        }
        let keep = || -> io::Result<NamedTempFile> {
            let mut file = NamedTempFile::new()?;
            io::copy(&mut io::stdin().lock(), &mut file)?;
            Ok(file)
        };
        let file = keep().map_err(|error| Failure::new(format!("the data -: {error}")))?;
        Ok((Self { data: file.path().to_owned(), ..self.clone() }, Some(file)))
    }
}

/// Returns whether a file that is to be written is one of those that are read: it would be gone.
pub fn is_one_of(host: &Host, path: &Path, inputs: &[&Path]) -> bool {
    let real = |path: &Path| host.folder.join(path).canonicalize().ok();
    real(path).is_some_and(|path| inputs.iter().any(|input| real(input).as_ref() == Some(&path)))
}

fn repeats(id: &str, earlier: usize) -> String {
    format!("has the name of record {earlier}: {}", assize_core::text::quote(id))
}

/// Names that have to differ, by eight bytes each: a million of them must not fill the memory.
#[derive(Debug, Default)]
pub struct Names {
    fingerprints: Vec<u64>,
}

impl Names {
    /// Adds the next name.
    pub fn add(&mut self, id: &str) {
        self.fingerprints.push(fingerprint(id));
    }

    /// Looks for names that repeat; those that could are read again.
    ///
    /// # Errors
    ///
    /// Names the first record that has the name of another.
    pub fn check(mut self, host: &Host, data: &DataArguments, rubric: &Rubric) -> Result<()> {
        self.fingerprints.sort_unstable();
        let twice = self.fingerprints.windows(2).filter(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
        let doubtful: HashSet<u64> = twice.collect();
        if doubtful.is_empty() {
            return Ok(());
        }
        let (mut seen, mut at) = (HashMap::new(), 0);
        data.each_record(host, rubric, &mut |record| {
            at += 1;
            if !doubtful.contains(&fingerprint(&record.id)) {
                return Ok(());
            }
            seen.insert(record.id.clone(), at).map_or(Ok(()), |earlier| Err(repeats(&record.id, earlier)))
        })
    }
}

fn fingerprint(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

fn read_values(host: &Host, path: &Path, what: &str, format: Option<DataFormat>, each: Each<'_>) -> Result<()> {
    let wrong = |error: &str| Failure::new(format!("{what} {}: {}", path.display(), make_visible(error)));
    let read = if path == Path::new("-") {
        records::read(io::stdin().lock(), format, each)
    } else {
        records::read_file(own_file::open(host, path).map_err(|error| wrong(&error.to_string()))?, format, each)
    };
    read.map_err(|error| wrong(&error.to_string()))
}

/// Reads verdicts that were made elsewhere or by an earlier run.
///
/// # Errors
///
/// Says which line is none.
pub fn verdicts(host: &Host, path: &Path, option: &str, rubric: &Rubric) -> Result<Vec<ImportedVerdict>> {
    if let Some(log) = log(host, path, option, rubric)? {
        return Ok(log);
    }
    if let Some(DataFormat::Csv | DataFormat::Parquet) = DataFormat::of_name(path) {
        let what = format!("{option} {}: a table holds no verdicts that can be read", path.display());
        return Err(Failure::new(what).hint("rulings that are written with `--to jsonl` do"));
    }
    let mut all = Vec::new();
    let mut take = |value| {
        all.push(ImportedVerdict::read(&value, rubric)?);
        Ok(())
    };
    read_values(host, path, option, None, &mut take)?;
    Ok(all)
}

/// Reads verdicts out of the log of another program; `None` where it is none. Such a log is one document, over many lines or on one.
fn log(host: &Host, path: &Path, option: &str, rubric: &Rubric) -> Result<Option<Vec<ImportedVerdict>>> {
    let wrong = |what: String| Failure::new(format!("{option} {}: {}", path.display(), make_visible(&what)));
    if path == Path::new("-") {
        return Ok(None);
    }
    let mut beginning = String::new();
    let file = own_file::open(host, path).map_err(|error| wrong(error.to_string()))?;
    let mut lines = io::BufReader::new(file.take(LOG_BYTES_MAX + 1));
    // A line that holds a whole object is a verdict, unless it holds the frame of a log.
    let read = lines.read_line(&mut beginning);
    let frame = |value: &Value| {
        ["results", "samples", "testCases", "testRunData", "test_results"].iter().any(|name| value.get(name).is_some())
    };
    match serde_json::from_str::<Value>(&import::without_nan(&beginning)) {
        _ if read.is_err() || !beginning.trim_start().starts_with('{') => return Ok(None),
        Ok(value) if !frame(&value) => return Ok(None),
        _ => {}
    }
    let mut rest = String::new();
    lines.read_to_string(&mut rest).map_err(|error| wrong(error.to_string()))?;
    if (beginning.len() + rest.len()) as u64 > LOG_BYTES_MAX {
        return Err(wrong(format!("a log has at most {LOG_BYTES_MAX} bytes")));
    }
    let text = beginning + &rest;
    let Ok(document) = serde_json::from_str(&import::without_nan(&text)) else { return Ok(None) };
    import::read(&document, rubric).transpose().map_err(wrong)
}

/// Reads rulings of a run, as one side of a comparison.
///
/// # Errors
///
/// Says which line is no ruling.
pub fn rulings(host: &Host, path: &Path, option: &str, modes: &[&str]) -> Result<DriftSide> {
    let mut side = DriftSide::default();
    let mut take = |value| {
        let ruling: RecordRuling =
            serde_json::from_value(value).map_err(|error| format!("is no ruling of `assize eval run`: {error}"))?;
        side.add(&ruling, modes);
        Ok(())
    };
    read_values(host, path, option, None, &mut take)?;
    Ok(side)
}

/// Joins opinions with the records that they belong to. A line that holds none is joined all the same: it may belong nowhere.
///
/// # Errors
///
/// Counts those that belong to none.
pub fn joined(
    index: &RecordIndex,
    rubric: &Rubric,
    handed: Vec<ImportedVerdict>,
    path: &Path,
    option: &str,
) -> Result<Joined<Option<RecordOpinion>>> {
    let said = handed.into_iter().flat_map(|ImportedVerdict { record, rubric, opinions }| {
        let opinions = if opinions.is_empty() { vec![None] } else { opinions.into_iter().map(Some).collect() };
        opinions.into_iter().map(move |what| RecordStatement {
            record: record.clone(),
            rubric: rubric.clone(),
            by: what.as_ref().map_or(String::new(), |opinion| opinion.judge.id.clone()),
            what,
        })
    });
    let (joined, unjoined) = join(index, &rubric.hash(), said.collect());
    refuse(&unjoined, path, option)?;
    Ok(joined)
}

/// Reads verdicts and returns what is said of each record, in the order of the records; beside it, how many name no content.
///
/// # Errors
///
/// Says which line is no verdict, and counts those that belong to no record.
pub fn opinions(
    host: &Host,
    index: &RecordIndex,
    rubric: &Rubric,
    path: &Path,
    option: &str,
) -> Result<(Vec<Vec<RecordOpinion>>, usize)> {
    let joined = joined(index, rubric, verdicts(host, path, option, rubric)?, path, option)?;
    let mut opinions = vec![Vec::new(); index.len()];
    for (at, _, opinion) in joined.said {
        opinions[at].extend(opinion);
    }
    Ok((opinions, joined.by_name_alone))
}

fn refuse(unjoined: &Unjoined, path: &Path, option: &str) -> Result<()> {
    if unjoined.is_empty() {
        return Ok(());
    }
    let what = format!("{option} {}: {}", path.display(), make_visible(&unjoined.to_string()));
    let hint = match unjoined {
        Unjoined { duplicate, .. } if !duplicate.is_empty() && option == "--labels" => {
            "leave all but one out, or give each its own `rater`"
        }
        Unjoined { duplicate, .. } if !duplicate.is_empty() => "leave all but one out, or name the judge of each in `judge`",
        Unjoined { other_rubric, .. } if !other_rubric.is_empty() => "name the rubric that they were made by",
        _ => "figures are made only of what belongs to the records; leave the others out, or name their data",
    };
    Err(Failure::new(what).hint(hint))
}

/// What people say of the records, as one.
pub struct Labels {
    /// For each labelled record: whether it fails in each mode.
    pub fails: HashMap<usize, Vec<Option<bool>>>,
    /// Who labelled.
    pub raters: Vec<String>,
    /// Labels on which raters differ: they count for neither side.
    pub disputed: usize,
    /// How many named no content.
    pub by_name_alone: usize,
}

/// Reads labels and joins them with the records that they belong to.
///
/// # Errors
///
/// Says which line is none, and counts those that belong to no record.
pub fn labels(host: &Host, path: &Path, rubric: &Rubric, index: &RecordIndex) -> Result<Labels> {
    let text = own_file::read_text(host, path, "--labels", LABELS_BYTES_MAX as u64)?;
    let read = label::read(&text, rubric)
        .map_err(|error| Failure::new(format!("--labels {}: {}", path.display(), make_visible(&error))))?;
    let said = read.into_iter().map(|PersonLabels { record, rubric, rater, fails }| RecordStatement {
        record,
        rubric,
        by: rater,
        what: fails,
    });
    let (joined, unjoined) = join(index, &rubric.hash(), said.collect());
    refuse(&unjoined, path, "--labels")?;
    let by_name_alone = joined.by_name_alone;
    let mut raters: Vec<String> = Vec::new();
    let mut by_record: HashMap<usize, Vec<Vec<Option<bool>>>> = HashMap::new();
    for (at, rater, fails) in joined.said {
        if !raters.contains(&rater) {
            raters.push(rater);
        }
        by_record.entry(at).or_default().push(fails);
    }
    raters.sort();
    let mut disputed = 0;
    let agreed = |(at, of_raters): (usize, Vec<Vec<Option<bool>>>)| {
        let (fails, differ) = label::consensus(&of_raters);
        disputed += differ;
        (at, fails)
    };
    let fails = by_record.into_iter().map(agreed).collect();
    Ok(Labels { fails, raters, disputed, by_name_alone })
}

/// Keeps the labels of the modes that judges are asked about.
fn of_asked(rubric: &Rubric, fails: &[Option<bool>]) -> Vec<Option<bool>> {
    let asked = rubric.modes.iter().zip(fails).filter(|(mode, _)| mode.is_asked());
    asked.map(|(_, fails)| *fails).collect()
}

/// What a judge is tried by: files, and which judge.
#[derive(Debug, Clone, Copy)]
pub struct LabelSources<'a> {
    /// What judges said.
    pub verdicts: Option<&'a Path>,
    /// What people say.
    pub labels: Option<&'a Path>,
    /// The judge to evaluate, if the verdicts are of several.
    pub judge: Option<&'a str>,
}

/// The records of a data set as a judge and people see them.
pub struct Case {
    /// The rubric.
    pub rubric: Rubric,
    /// The name and the hash of each record.
    pub records: Vec<(String, String)>,
    /// What is said of each record.
    pub seen: Vec<RatedRecord>,
    /// The evaluated judge; `None` without verdicts.
    pub judge: Option<String>,
    /// Who labelled.
    pub raters: Vec<String>,
    /// Labels on which raters differ.
    pub disputed: usize,
    /// Verdicts and labels that name no content.
    pub by_name_alone: usize,
}

impl Case {
    /// Reads records, verdicts and labels, and joins them.
    ///
    /// # Errors
    ///
    /// Says what cannot be read, and counts what cannot be joined.
    pub fn read(host: &Host, data: &DataArguments, evidence: LabelSources<'_>) -> Result<Self> {
        let (rubric, _) = data.rubric(host)?;
        let modes: Vec<&str> = rubric.asked().map(|mode| mode.id.as_str()).collect();
        let mut records = Vec::new();
        let mut seen: Vec<RatedRecord> = Vec::new();
        let index = data.indexed(host, &rubric, &mut |record| {
            let strata = rubric.record.strata.iter().map(|field| record.text_of(field)).collect();
            seen.push(RatedRecord { strata, ..RatedRecord::default() });
            records.push((record.id, record.hash));
        })?;
        let (mut judge, mut raters, mut disputed, mut by_name_alone) = (None, Vec::new(), 0, 0);
        if let Some(path) = evidence.verdicts {
            let handed = verdicts(host, path, "--verdicts", &rubric)?;
            let evaluated_judge = evaluated_judge(&handed, evidence.judge)?;
            let joined = joined(&index, &rubric, handed, path, "--verdicts")?;
            by_name_alone += joined.by_name_alone;
            for (at, _, opinion) in joined.said.iter().filter(|(_, by, _)| *by == evaluated_judge) {
                seen[*at].judge = opinion.as_ref().map(|opinion| fails_by(opinion, &modes)).unwrap_or_default();
            }
            judge = Some(evaluated_judge);
        }
        if let Some(path) = evidence.labels {
            let labels = labels(host, path, &rubric, &index)?;
            for (at, fails) in labels.fails {
                seen[at].person = of_asked(&rubric, &fails);
            }
            (raters, disputed) = (labels.raters, labels.disputed);
            by_name_alone += labels.by_name_alone;
        }
        Ok(Self { rubric, records, seen, judge, raters, disputed, by_name_alone })
    }

    /// Returns the ids of the modes that judges are asked about, in order; the other modes are computed.
    pub fn modes(&self) -> Vec<&str> {
        self.rubric.asked().map(|mode| mode.id.as_str()).collect()
    }
}

/// Returns the judge that is evaluated.
fn evaluated_judge(handed: &[ImportedVerdict], named: Option<&str>) -> Result<String> {
    let judges: BTreeSet<&str> =
        handed.iter().flat_map(|handed| &handed.opinions).map(|opinion| opinion.judge.id.as_str()).collect();
    let listed = || judges.iter().copied().collect::<Vec<_>>().join(", ");
    match (named, judges.len()) {
        (Some(named), _) if judges.contains(named) => Ok(named.to_owned()),
        (Some(named), _) => Err(Failure::new(format!("--judge {named}: the verdicts are of {}", listed()))),
        (None, 1) => Ok(listed()),
        (None, 0) => Err(Failure::new("--verdicts: no judge said anything")),
        (None, _) => {
            let what = format!("--verdicts: they are of several judges: {}", listed());
            Err(Failure::new(what).hint("name the judge to evaluate with --judge"))
        }
    }
}
