//! Where the rulings of a run are written, and in which form.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use assize_engine::records::DataFormat;
use assize_engine::records::cell::Cell;
use assize_engine::records::table::{TableFormat, TableWriter};
use assize_eval::court::RecordRuling;
use assize_eval::rubric::Rubric;

use crate::exit::{Failure, Result};
use crate::host::Host;
use crate::own_file::PendingFile;
use crate::render;

/// Where rulings are written.
#[derive(Debug, Clone, clap::Args)]
pub struct RulingsArguments {
    /// Write the ruling on each record to this file; `-` for standard output.
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Format of that file: one JSON document a line, or a table [default: by the name of the file, else JSON lines].
    #[arg(long, value_name = "FORMAT", value_parser = ["jsonl", "csv", "parquet"], requires = "output")]
    to: Option<String>,
}

/// A ruling in the form in which it is written.
pub enum Written {
    /// Not at all.
    Nothing,
    /// A line, with its end.
    Line(serde_json::Result<Vec<u8>>),
    /// A row.
    Row(Vec<Cell>),
}

/// Rulings that are being written: nowhere, to standard output, or to a file that takes its name when it is whole.
pub struct Rulings {
    form: Option<RulingSink>,
    /// How the place is named in an error.
    place: String,
    failed: Option<io::Error>,
}

/// In which form rulings are written; it is shared among those who prepare them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Not at all.
    Nothing,
    /// As lines.
    Line,
    /// As rows.
    Row,
}

impl Shape {
    /// Brings a ruling into this form.
    pub fn of(self, ruling: &RecordRuling) -> Written {
        match self {
            Self::Nothing => Written::Nothing,
            Self::Row => Written::Row(render::table::row(ruling)),
            Self::Line => Written::Line(serde_json::to_vec(ruling).map(|mut line| {
                line.push(b'\n');
                line
            })),
        }
    }
}

enum RulingSink {
    /// A ruling a line, whole.
    Lines(Sink),
    /// A ruling a row: what was decided, not what each judge said.
    Table(TableWriter<Sink>),
}

enum Sink {
    Printed(BufWriter<io::Stdout>),
    Draft(PendingFile),
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Printed(writer) => writer.write(bytes),
            Self::Draft(draft) => draft.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Printed(writer) => writer.flush(),
            Self::Draft(draft) => draft.flush(),
        }
    }
}

impl Sink {
    fn keep(self) -> io::Result<()> {
        match self {
            Self::Printed(mut writer) => writer.flush(),
            Self::Draft(draft) => draft.keep(),
        }
    }
}

impl Rulings {
    /// Begins to write.
    ///
    /// # Errors
    ///
    /// Fails where nothing can be written.
    pub fn open(host: &Host, arguments: &RulingsArguments, rubric: &Rubric) -> Result<Self> {
        let Some(path) = &arguments.output else { return Ok(Self { form: None, place: String::new(), failed: None }) };
        let to_standard_output = path == Path::new("-");
        let place =
            if to_standard_output { "standard output".to_owned() } else { format!("--output {}", path.display()) };
        let full = host.folder.join(path);
        if !to_standard_output && full.exists() && !full.is_file() {
            let what = format!("{place}: it is there already, and no file");
            return Err(Failure::new(what).hint("`-` stands for standard output"));
        }
        let failed = |error: io::Error| Failure::new(format!("{place}: {error}"));
        let sink = if to_standard_output {
            Sink::Printed(BufWriter::new(io::stdout()))
        } else {
            Sink::Draft(PendingFile::begin(host, path).map_err(failed)?)
        };
        let named = arguments.to.as_deref().and_then(DataFormat::named).or_else(|| DataFormat::of_name(path));
        let format = match named {
            Some(DataFormat::Csv) => Some(TableFormat::Csv),
            Some(DataFormat::Parquet) => Some(TableFormat::Parquet),
            Some(DataFormat::JsonLines | DataFormat::JsonArray) | None => None,
        };
        let form = match format {
            None => RulingSink::Lines(sink),
            Some(format) => {
                let columns = render::table::columns(rubric);
                RulingSink::Table(TableWriter::begin(sink, format, &columns).map_err(failed)?)
            }
        };
        Ok(Self { form: Some(form), place, failed: None })
    }

    /// Returns in which form rulings are written.
    pub fn shape(&self) -> Shape {
        match &self.form {
            None => Shape::Nothing,
            Some(RulingSink::Lines(_)) => Shape::Line,
            Some(RulingSink::Table(_)) => Shape::Row,
        }
    }

    /// Writes a ruling; the first failure is told at the end.
    pub fn write(&mut self, written: Written) {
        if self.failed.is_some() {
            return;
        }
        let written = match (&mut self.form, written) {
            (Some(RulingSink::Table(table)), Written::Row(row)) => table.write(row),
            (Some(RulingSink::Lines(sink)), Written::Line(line)) => {
                line.map_err(io::Error::from).and_then(|line| sink.write_all(&line))
            }
            _ => Ok(()),
        };
        self.failed = written.err();
    }

    /// Brings what is written so far to the disk, where that can be done; the first failure is told at the end.
    pub fn settle(&mut self) {
        if let (None, Some(RulingSink::Lines(Sink::Draft(draft)))) = (&self.failed, &mut self.form) {
            self.failed = draft.settle().err();
        }
    }

    /// Ends: the file takes its name.
    ///
    /// # Errors
    ///
    /// Fails where not everything could be written.
    pub fn finish(self) -> Result<()> {
        let written = match (self.failed, self.form) {
            (Some(error), _) => Err(error),
            (None, None) => Ok(()),
            (None, Some(RulingSink::Lines(sink))) => sink.keep(),
            (None, Some(RulingSink::Table(table))) => table.finish().and_then(Sink::keep),
        };
        match written {
            // The reader has closed the pipe and wants no more.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => written.map_err(|error| Failure::new(format!("{}: {error}", self.place))),
        }
    }
}
