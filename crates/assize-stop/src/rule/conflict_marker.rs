//! A merge left its markers in a file.

use assize_core::diff::{FileChange, FileStatus};
use assize_core::finding::{Certainty, Severity};
use assize_ecosystem::{is_generated, is_test};
use assize_core::path::is_prose;

use super::reading::{CodeLine, MovedLines, DiffSide, read};
use super::{Findings, Needs, Rule};
use crate::evidence::Evidence;

/// See the module.
pub struct ConflictMarker;

impl Rule for ConflictMarker {
    fn id(&self) -> &'static str {
        "conflict-marker"
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(diff) = evidence.diff.get() else { return };
        let mut moved = MovedLines::new(diff);
        let glance = findings.glance;
        for (file, added) in glance.added() {
            if file.status == FileStatus::Unmerged {
                findings.at(
                    file,
                    None,
                    Severity::Error,
                    Certainty::Certain,
                    "Git lists the file as unmerged. Resolve the conflict and add the file.",
                );
            } else if !is_generated(&file.path) && has_marker(added) {
                check_file(file, &mut moved, findings);
            }
        }
    }
}

const OURS: &str = "<<<<<<<";
const MIDDLE: &str = "=======";
const THEIRS: &str = ">>>>>>>";

fn has_marker(text: &str) -> bool {
    text.contains(OURS) || text.contains(THEIRS)
}

fn check_file(file: &FileChange, moved: &mut MovedLines<'_>, findings: &mut Findings<'_>) {
    let hunks = read(file, DiffSide::New);
    let lines: Vec<&CodeLine<'_>> = hunks.iter().flatten().collect();
    let mut marked = markers(&lines);
    marked.retain(|(_, line)| line.changed && !moved.take(line.raw));
    let Some((_, first)) = marked.first() else { return };
    let trio = in_order(&marked);
    // Prose explains markers in code blocks, and tests of merge tools hold them as input.
    let quoted = is_test(&file.path) || is_prose(&file.path) && in_fence(&lines, first.number);
    if trio {
        let certainty = if quoted { Certainty::Likely } else { Certainty::Certain };
        findings.at(
            file,
            Some(first.number),
            Severity::Error,
            certainty,
            "The change leaves conflict markers in the file. Decide which side holds and remove them.",
        );
    } else if !quoted && !is_prose(&file.path) {
        findings.at(
            file,
            Some(first.number),
            Severity::Error,
            Certainty::Likely,
            "A line of the file looks like a conflict marker that was left over. Remove it.",
        );
    }
}

/// Lists the lines that are markers, `=======` only between the other two.
fn markers<'a, 'b>(lines: &[&'b CodeLine<'a>]) -> Vec<(&'static str, &'b CodeLine<'a>)> {
    let mut marked: Vec<(&'static str, &CodeLine<'_>)> = Vec::new();
    let mut open = false;
    for line in lines {
        // A marker inside a string is text, and the reader leaves no code of it.
        if line.code.is_empty() && line.comment.is_empty() {
            continue;
        }
        if is_marker(line.raw, OURS) {
            open = true;
            marked.push((OURS, line));
        } else if open && line.raw.trim_end() == MIDDLE {
            marked.push((MIDDLE, line));
        } else if is_marker(line.raw, THEIRS) {
            open = false;
            marked.push((THEIRS, line));
        }
    }
    marked
}

/// Seven characters and the name of a side, at the very beginning of a line.
fn is_marker(line: &str, marker: &str) -> bool {
    line.strip_prefix(marker).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ') && rest.len() > 1)
}

fn in_order(marked: &[(&'static str, &CodeLine<'_>)]) -> bool {
    let kinds: Vec<&str> = marked.iter().map(|(kind, _)| *kind).collect();
    kinds.windows(3).any(|trio| trio == [OURS, MIDDLE, THEIRS])
}

fn in_fence(lines: &[&CodeLine<'_>], number: u32) -> bool {
    let fences = lines.iter().filter(|line| line.number < number && line.raw.trim_start().starts_with("```")).count();
    fences % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::{changed, grades, with_files};

    fn check(path: &str, lines: &str) -> Vec<Certainty> {
        grades(&ConflictMarker, &changed(path, lines))
    }

    const TRIO: &str = "+<<<<<<< HEAD\n+let a = 1;\n+=======\n+let a = 2;\n+>>>>>>> feature/x\n";

    #[test]
    fn a_trio_is_certain() {
        for path in ["src/a.rs", "src/a.py", "web/a.tsx", "Makefile", "config/app.yaml", "docs/guide.md", "a.go"] {
            assert_eq!(check(path, TRIO), [Certainty::Certain], "{path}");
        }
        let diff3 = "+<<<<<<< ours\n+a\n+||||||| base\n+b\n+=======\n+c\n+>>>>>>> theirs\n";
        assert_eq!(check("a.c", diff3), [Certainty::Certain]);
    }

    #[test]
    fn an_unmerged_file_is_certain() {
        let file = FileChange::new("src/a.rs", FileStatus::Unmerged);
        assert_eq!(grades(&ConflictMarker, &with_files(vec![file])), [Certainty::Certain]);
    }

    #[test]
    fn a_single_marker_and_quoted_trios_are_likely() {
        for (path, lines) in [
            ("src/a.rs", "+>>>>>>> feature\n"),
            ("src/a.py", "+<<<<<<< HEAD\n+x = 1\n"),
            ("tests/merge.rs", TRIO),
            ("testdata/conflict.txt", TRIO),
        ] {
            assert_eq!(check(path, lines), [Certainty::Likely], "{path}");
        }
        assert_eq!(check("docs/merging.md", &format!("+```\n{TRIO}+```\n")), [Certainty::Likely]);
    }

    #[test]
    fn counter_examples() {
        for (path, lines) in [
            ("README.md", "+Title\n+=======\n"),
            ("docs/a.rst", "+=======\n+Title\n+=======\n"),
            ("src/a.rs", "+// =======\n+// Parsing\n+// =======\n"),
            ("src/a.rs", "+const OURS: &str = \"<<<<<<<\";\n+const THEIRS: &str = \">>>>>>>\";\n"),
            ("src/a.cpp", "+    std::cout << x <<<<<<< y;\n"),
            ("src/a.rs", " <<<<<<< HEAD\n a\n =======\n b\n >>>>>>> x\n+c\n"),
            ("src/a.rs", "-<<<<<<< HEAD\n-a\n-=======\n b\n->>>>>>> x\n"),
            ("src/merge.rs", "+let sample = r#\"\n+<<<<<<< a\n+x\n+=======\n+y\n+>>>>>>> b\n+\"#;\n"),
            ("src/a.py", "+text = '''\n+<<<<<<< a\n+=======\n+>>>>>>> b\n+'''\n"),
            ("src/a.sh", "+cat <<EOF\n+=======\n+EOF\n"),
            ("src/log.txt", "+========\n+>>>>>>>>>> begin\n"),
            ("docs/a.md", "+>>>>>>> quoted seven deep\n"),
        ] {
            assert_eq!(check(path, lines), [], "{path}: {lines}");
        }
    }
}
