//! Measures what becomes of patches that are written as models write them.
//!
//! ```text
//! cargo run --release -p assize-patch --example mutated_patches -- FOLDER [work|held-out] [--write FOLDER] [--show CLASS]
//! ```
//!
//! `FOLDER` has a folder `PROJECT@FROM..TO` for each of many releases or commits, with `before/` and `after/` in it. A patch is
//! made of each file that differs, and changed in every way that [`mutation::CLASSES`] lists. What Assize makes of it is right (byte
//! for byte the file that is meant), refused, or wrong. The projects are parted in two halves, so that one can be left
//! unseen. `--write` writes the cases for other programs.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it prints a table")]

#[path = "mutated_patches/mutation.rs"]
mod mutation;
#[path = "mutated_patches/source.rs"]
mod source;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use assize_core::violation::Violation;
use assize_patch::{FileContent, PatchForm, PatchInput, PatchLimits, Snapshot};

use mutation::{CLASSES, MutatedCase};
use source::{Random, SourceFile, source_files};

/// What became of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CaseOutcome {
    Right,
    Refused,
    Wrong,
}

/// What is asked for.
#[derive(Default)]
struct MeasureArguments {
    folder: PathBuf,
    half: Option<usize>,
    write: Option<PathBuf>,
    show: Option<String>,
}

fn arguments() -> Option<MeasureArguments> {
    let mut given = std::env::args().skip(1);
    let mut arguments = MeasureArguments { folder: given.next()?.into(), ..MeasureArguments::default() };
    while let Some(one) = given.next() {
        match one.as_str() {
            "work" => arguments.half = Some(0),
            "held-out" => arguments.half = Some(1),
            "--write" => arguments.write = Some(given.next()?.into()),
            "--show" => arguments.show = Some(given.next()?),
            _ => return None,
        }
    }
    Some(arguments)
}

/// Applies a case; returns the file that comes of it, or why none does.
fn applied(case: &MutatedCase) -> Result<Vec<u8>, String> {
    let tree = Snapshot::of_files([(case.path.clone(), FileContent::plain(case.before.as_bytes()))]);
    let said = |faults: Vec<Violation>| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    let input = PatchInput::read(case.patch.as_bytes(), PatchForm::Guessed, &PatchLimits::NONE);
    let fit = input.map_err(|unsound| said(unsound.faults))?.settle(&tree).map_err(said)?;
    let plan = assize_patch::plan(&fit.patch, &tree).map_err(said)?;
    let after = plan.changes.into_iter().find(|change| change.path == case.path).and_then(|change| change.after);
    Ok(after.map_or_else(|| case.before.clone().into_bytes(), |file| file.bytes))
}

fn written(folder: &Path, class: &str, number: usize, case: &MutatedCase) -> std::io::Result<()> {
    let folder = folder.join(class).join(number.to_string());
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("path"), &case.path)?;
    fs::write(folder.join("before"), &case.before)?;
    fs::write(folder.join("after"), case.after.as_deref().unwrap_or_default())?;
    fs::write(folder.join("patch"), &case.patch)
}

/// Says where a file differs from what is meant.
fn first_difference(bytes: &[u8], case: &MutatedCase) -> String {
    let made = String::from_utf8_lossy(bytes);
    let meant = case.after.as_deref().unwrap_or("nothing");
    let pairs = made.lines().zip(meant.lines()).enumerate();
    let differs = pairs.into_iter().find(|(_, (one, other))| one != other);
    differs.map_or_else(
        || "at its end".to_owned(),
        |(at, (one, other))| format!("line {}: {one:?}, not {other:?}", at + 1),
    )
}

fn main() -> std::io::Result<()> {
    let Some(arguments) = arguments() else {
        eprintln!("usage: mutated_patches FOLDER [work|held-out] [--write FOLDER] [--show CLASS]");
        std::process::exit(2);
    };
    let files: Vec<SourceFile> = source_files(&arguments.folder, arguments.half)?;
    let mut table: BTreeMap<usize, [usize; 3]> = BTreeMap::new();
    let is_asked = |class: &str| arguments.show.as_deref().is_none_or(|show| show == class);
    for (index, (class, mutate)) in CLASSES.iter().enumerate().filter(|(_, (class, _))| is_asked(class)) {
        for (number, file) in files.iter().enumerate() {
            let mut random = Random::of(&format!("{class} {} {}", file.release, file.path));
            let Some(case) = mutate(file, &mut random) else { continue };
            if let Some(folder) = &arguments.write {
                written(folder, class, number, &case)?;
            }
            let made = applied(&case);
            let outcome = match &made {
                Err(_) => CaseOutcome::Refused,
                Ok(bytes) if case.after.as_ref().is_some_and(|after| after.as_bytes() == bytes) => CaseOutcome::Right,
                Ok(_) => CaseOutcome::Wrong,
            };
            table.entry(index).or_default()[outcome as usize] += 1;
            if arguments.show.is_some() && outcome != CaseOutcome::Right {
                let said = made.map_or_else(|error| error, |bytes| first_difference(&bytes, &case));
                println!("--- {} {} {number}: {outcome:?} {said}", file.release, file.path);
            }
        }
    }
    let releases: std::collections::BTreeSet<&str> = files.iter().map(|file| file.release.as_str()).collect();
    let projects: std::collections::BTreeSet<&str> = files.iter().map(SourceFile::project).collect();
    println!("{} files, {} releases, {} projects", files.len(), releases.len(), projects.len());
    println!("{:<34} {:>6} {:>6} {:>8} {:>6}", "class", "cases", "right", "refused", "wrong");
    let mut sums = [0; 3];
    for (index, counts) in &table {
        let [right, refused, wrong] = counts;
        println!("{:<34} {:>6} {right:>6} {refused:>8} {wrong:>6}", CLASSES[*index].0, right + refused + wrong);
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    println!("{:<34} {:>6} {:>6} {:>8} {:>6}", "all", sums.iter().sum::<usize>(), sums[0], sums[1], sums[2]);
    Ok(())
}
