//! The files that patches are made of, and numbers that look random and are the same each time.

use std::fs;
use std::path::Path;

use similar::{Algorithm, ChangeTag, capture_diff_slices, group_diff_ops};

/// Most files of a release that are taken, and most lines and hunks of one.
const FILES_PER_RELEASE_MAX: usize = 3;
const LINES_MAX: usize = 4_000;
const HUNKS_MAX: usize = 8;
const CHANGED_MAX: usize = 150;

/// A file that differs between two releases.
pub struct SourceFile {
    pub release: String,
    pub path: String,
    pub before: String,
    pub after: String,
}

/// A hunk: where it begins, counted from 0, and its lines with their sign.
#[derive(Clone)]
pub struct SourceHunk {
    pub start: usize,
    pub new_start: usize,
    pub lines: Vec<(char, String)>,
}

impl SourceHunk {
    pub fn side(&self, gone: char) -> Vec<String> {
        self.lines.iter().filter(|(sign, _)| *sign != gone).map(|(_, line)| line.clone()).collect()
    }

    pub fn old(&self) -> Vec<String> {
        self.side('+')
    }

    pub fn fresh(&self) -> Vec<String> {
        self.side('-')
    }
}

impl SourceFile {
    pub fn project(&self) -> &str {
        self.release.split('@').next().unwrap_or_default()
    }

    /// Returns the hunks between both texts.
    pub fn hunks(&self, context: usize) -> Vec<SourceHunk> {
        hunks(&self.before, &self.after, context)
    }
}

pub fn hunks(before: &str, after: &str, context: usize) -> Vec<SourceHunk> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let mut found = Vec::new();
    for group in group_diff_ops(capture_diff_slices(Algorithm::Myers, &old, &new), context) {
        let (Some(first), false) = (group.first(), group.is_empty()) else { continue };
        let lines = group.iter().flat_map(|step| step.iter_changes(&old, &new)).map(|change| {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            (sign, change.value().to_owned())
        });
        found.push(SourceHunk {
            start: first.old_range().start,
            new_start: first.new_range().start,
            lines: lines.collect(),
        });
    }
    found
}

fn all_files(folder: &Path, prefix: &str, found: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            all_files(&entry.path(), &format!("{name}/"), found);
        } else {
            found.push(name);
        }
    }
}

fn source_file(release: &str, folder: &Path, path: &str) -> Option<SourceFile> {
    let before = fs::read_to_string(folder.join("before").join(path)).ok()?;
    let after = fs::read_to_string(folder.join("after").join(path)).ok()?;
    let is_plain = |text: &str| text.ends_with('\n') && !text.contains('\r') && text.lines().count() <= LINES_MAX;
    if before == after || !is_plain(&before) || !is_plain(&after) {
        return None;
    }
    let file = SourceFile { release: release.to_owned(), path: path.to_owned(), before, after };
    let hunks = file.hunks(3);
    let changed = hunks.iter().flat_map(|hunk| &hunk.lines).filter(|(sign, _)| *sign != ' ').count();
    let is_usual =
        hunks.len() <= HUNKS_MAX && changed <= CHANGED_MAX && hunks.iter().all(|hunk| !hunk.old().is_empty());
    is_usual.then_some(file)
}

/// Returns the files of all releases, or of those of one half of the projects.
pub fn source_files(folder: &Path, half: Option<usize>) -> std::io::Result<Vec<SourceFile>> {
    let mut releases: Vec<String> = Vec::new();
    for entry in fs::read_dir(folder)? {
        releases.push(entry?.file_name().to_string_lossy().into_owned());
    }
    releases.sort();
    let project = |release: &String| release.split('@').next().unwrap_or_default().to_owned();
    let mut projects: Vec<String> = releases.iter().map(project).collect();
    projects.dedup();
    let mut found = Vec::new();
    for release in releases {
        let number = projects.iter().position(|one| *one == project(&release)).unwrap_or_default();
        if half.is_some_and(|half| number % 2 != half) {
            continue;
        }
        let mut paths = Vec::new();
        all_files(&folder.join(&release).join("before"), "", &mut paths);
        paths.sort();
        Random::of(&release).shuffle(&mut paths);
        let files = paths.iter().filter_map(|path| source_file(&release, &folder.join(&release), path));
        found.extend(files.take(FILES_PER_RELEASE_MAX));
    }
    Ok(found)
}

/// Numbers that follow from a text.
pub struct Random(u64);

impl Random {
    pub fn of(text: &str) -> Self {
        Self(
            text.bytes()
                .fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)),
        )
    }

    pub fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) >> 1).unwrap_or_default() % count.max(1)
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for index in (1..items.len()).rev() {
            items.swap(index, self.below(index + 1));
        }
    }
}
