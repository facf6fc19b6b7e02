//! Faults that are planted into files: each has a number that is found again wherever git or a formatter moves its lines.

use std::collections::BTreeSet;

use fastrand::Rng;

/// Tests that every file of tests has when a session begins.
pub const BASE_TESTS: usize = 12;
/// The file of tests.
pub const TESTS: &str = "tests/a.rs";
/// The source files that every repository has.
pub const SOURCES: [&str; 2] = ["src/lib.rs", "src/more.rs"];
/// The file that may have syntax errors. No other fault is planted there, because a file that does not parse hides others.
pub const SHAPE: &str = "src/shape.rs";
/// A file that no compiler reads.
pub const MENU: &str = "conf/menu.yaml";

/// What kind of fault is planted. The rules of all of them are certain on their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlantKind {
    /// A stub.
    Placeholder,
    /// A token that looks real.
    Secret,
    /// A breakpoint.
    Breakpoint,
    /// A name with a character without width.
    HiddenCharacter,
    /// A function that does not parse.
    Syntax,
    /// Markers of a conflict that were typed.
    ConflictMarker,
    /// A test that is no longer run.
    SkippedTest,
    /// A test that is gone.
    DeletedTest,
    /// A test that cannot fail.
    EmptyAssertion,
    /// A conflict that git left.
    Unmerged,
}

/// What is planted; conflicts come about by themselves.
const PLANTED: [PlantKind; 9] = [
    PlantKind::Placeholder,
    PlantKind::Secret,
    PlantKind::Breakpoint,
    PlantKind::HiddenCharacter,
    PlantKind::Syntax,
    PlantKind::ConflictMarker,
    PlantKind::SkippedTest,
    PlantKind::DeletedTest,
    PlantKind::EmptyAssertion,
];

/// Who wrote a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultAuthor {
    /// An agent of the session, by its number.
    Agent(usize),
    /// The person at the machine.
    Person,
    /// A person whose commits were there before.
    Colleague,
}

impl FaultAuthor {
    /// Names the author in a table.
    pub fn as_words(self) -> &'static str {
        match self {
            Self::Agent(_) => "an agent",
            Self::Person => "the person",
            Self::Colleague => "a colleague",
        }
    }
}

/// A fault that was written into a file.
#[derive(Debug, Clone)]
pub struct PlantedFault {
    /// Its number in the session.
    pub number: usize,
    /// What it is.
    pub kind: PlantKind,
    /// Who wrote it.
    pub author: FaultAuthor,
    /// The file.
    pub path: String,
    /// The test that it concerns.
    pub test: usize,
    /// Agents that may be blamed for it by the documented rules, because their calls were open when it was written.
    pub may_blame: BTreeSet<usize>,
    /// Whether an edit of the same file by another agent was open when it was written.
    pub is_claimed: bool,
    /// Why a stop may pass it over in silence, if the documentation says so.
    pub excused: Option<&'static str>,
    /// How it was written, for the report.
    pub how: String,
    /// Who changed the indentation of its lines.
    pub formatted_by: BTreeSet<FaultAuthor>,
}

impl PlantedFault {
    /// Draws a kind and the file that it is written into.
    pub fn draw(number: usize, author: FaultAuthor, rng: &mut Rng) -> Self {
        let kind = PLANTED[rng.usize(..PLANTED.len())];
        let path = match kind {
            PlantKind::SkippedTest | PlantKind::DeletedTest | PlantKind::EmptyAssertion => TESTS.to_owned(),
            PlantKind::Syntax if rng.bool() => SHAPE.to_owned(),
            PlantKind::ConflictMarker | PlantKind::Unmerged => MENU.to_owned(),
            _ if kind == PlantKind::Syntax || rng.u8(..4) == 0 => format!("src/new_{number}.rs"),
            _ => SOURCES[rng.usize(..SOURCES.len())].to_owned(),
        };
        let test = rng.usize(..BASE_TESTS);
        let (may_blame, formatted_by) = (BTreeSet::new(), BTreeSet::new());
        Self {
            number,
            kind,
            author,
            path,
            test,
            may_blame,
            is_claimed: false,
            excused: None,
            how: String::new(),
            formatted_by,
        }
    }

    /// Returns the word by which a finding about it is recognized.
    pub fn word(&self) -> String {
        match self.kind {
            PlantKind::SkippedTest | PlantKind::DeletedTest => format!("base_{}", self.test),
            _ => format!("fault_{}", self.number),
        }
    }

    fn block(&self, rng: &mut Rng) -> String {
        let number = self.number;
        match self.kind {
            PlantKind::Placeholder => format!("pub fn fault_{number}() -> u8 {{\n    todo!(\"fault_{number}\")\n}}"),
            PlantKind::Secret => {
                // A real token has a digit in it.
                let token: String = (0..35).map(|_| rng.alphanumeric()).collect();
                format!("pub const FAULT_{number}: &str = \"ghp_{token}7\";")
            }
            PlantKind::Breakpoint => {
                format!("pub fn at_{number}(fault_{number}: u8) -> u8 {{\n    dbg!(fault_{number})\n}}")
            }
            PlantKind::HiddenCharacter => {
                format!("pub fn at_{number}() -> u8 {{\n    let fault_{number}\u{200c}a = {number};\n    7\n}}")
            }
            PlantKind::Syntax => format!("pub fn fault_{number}( -> u8 {{"),
            PlantKind::EmptyAssertion => format!("#[test]\nfn fault_{number}() {{\n    assert!(true);\n}}"),
            PlantKind::ConflictMarker => format!(
                "<<<<<<< fault_{number}\nfault_{number}_a: 1\n=======\nfault_{number}_b: 1\n>>>>>>> fault_{number}"
            ),
            PlantKind::SkippedTest | PlantKind::DeletedTest | PlantKind::Unmerged => String::new(),
        }
    }

    /// Writes the fault into a text; `None` where it does not fit in.
    pub fn plant(&self, text: &str, rng: &mut Rng) -> Option<String> {
        let fits = || self.test_line(text).filter(|_| !self.is_in(text));
        match self.kind {
            PlantKind::SkippedTest => {
                let at = fits()?;
                let mut lines: Vec<&str> = text.lines().collect();
                lines.insert(at, "#[ignore]");
                Some(lines.join("\n") + "\n")
            }
            PlantKind::DeletedTest => {
                fits()?;
                Some(without_block(text, &format!("fn {}()", self.word())))
            }
            PlantKind::Unmerged => None,
            _ => Some(with_block(text, &self.block(rng), rng)),
        }
    }

    /// Takes the fault out of a text.
    pub fn fix(&self, text: &str, rng: &mut Rng) -> String {
        match self.kind {
            PlantKind::SkippedTest => {
                let at = self.test_line(text);
                let kept = text.lines().enumerate().filter(|(line, _)| Some(line + 1) != at);
                kept.map(|(_, line)| format!("{line}\n")).collect()
            }
            PlantKind::DeletedTest => with_block(text, &base_test(self.test), rng),
            PlantKind::Unmerged => one_side(text),
            PlantKind::Secret => without_block(text, &format!("FAULT_{}", self.number)),
            _ => without_block(text, &format!("fault_{}", self.number)),
        }
    }

    /// Returns whether a text has the fault.
    pub fn is_in(&self, text: &str) -> bool {
        let has = |words: &[String]| words.iter().all(|word| text.contains(word.as_str()));
        let number = self.number;
        match self.kind {
            PlantKind::Placeholder => has(&[format!("todo!(\"fault_{number}\")")]),
            PlantKind::Secret => has(&[format!("FAULT_{number}: &str = \"ghp_")]),
            PlantKind::Breakpoint => has(&[format!("dbg!(fault_{number})")]),
            PlantKind::HiddenCharacter => has(&[format!("fault_{number}\u{200c}a")]),
            PlantKind::Syntax => has(&[format!("pub fn fault_{number}( -> u8 {{")]),
            PlantKind::EmptyAssertion => has(&[format!("fn fault_{number}()")]),
            PlantKind::ConflictMarker => {
                has(&[format!("<<<<<<< fault_{number}\n"), format!(">>>>>>> fault_{number}\n")])
            }
            PlantKind::SkippedTest => {
                let at = self.test_line(text).and_then(|at| at.checked_sub(1));
                at.and_then(|at| text.lines().nth(at)).is_some_and(|line| line.trim() == "#[ignore]")
            }
            PlantKind::DeletedTest => self.test_line(text).is_none(),
            PlantKind::Unmerged => has_conflict(text),
        }
    }

    fn test_line(&self, text: &str) -> Option<usize> {
        let start = format!("fn base_{}()", self.test);
        text.lines().position(|line| line.trim_start().starts_with(&start))
    }
}

/// Returns whether a text has a conflict that git wrote.
pub fn has_conflict(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("<<<<<<< ") && !line.starts_with("<<<<<<< fault_"))
}

/// A test that every repository has.
pub fn base_test(number: usize) -> String {
    format!("#[test]\nfn base_{number}() {{\n    assert_eq!(shop::base(), {number});\n}}")
}

/// A function without a fault.
pub fn good_function(number: usize, value: usize) -> String {
    format!("pub fn good_{number}() -> usize {{\n    {value}\n}}")
}

fn blocks(text: &str) -> Vec<&str> {
    text.trim_end().split("\n\n").filter(|block| !block.is_empty()).collect()
}

fn joined(blocks: &[&str]) -> String {
    blocks.join("\n\n") + "\n"
}

/// Puts a block between two others, or at an end.
pub fn with_block(text: &str, block: &str, rng: &mut Rng) -> String {
    let mut blocks = blocks(text);
    blocks.insert(rng.usize(..=blocks.len()), block);
    joined(&blocks)
}

/// Takes out the blocks that have a word in them.
fn without_block(text: &str, word: &str) -> String {
    let is_named = |block: &str| {
        block.match_indices(word).any(|(at, _)| !block[at + word.len()..].starts_with(|c: char| c.is_ascii_digit()))
    };
    let left: Vec<&str> = blocks(text).into_iter().filter(|block| !is_named(block)).collect();
    joined(&left)
}

/// Takes the first side of each conflict that git wrote.
fn one_side(text: &str) -> String {
    let (mut resolved, mut is_open, mut is_first) = (String::new(), false, true);
    for line in text.lines() {
        if line.starts_with("<<<<<<< ") && !line.starts_with("<<<<<<< fault_") {
            (is_open, is_first) = (true, true);
        } else if is_open && line == "=======" {
            is_first = false;
        } else if is_open && line.starts_with(">>>>>>> ") {
            is_open = false;
        } else if !is_open || is_first {
            resolved.push_str(line);
            resolved.push('\n');
        }
    }
    resolved
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base() -> String {
        let tests: Vec<String> = (0..BASE_TESTS).map(base_test).collect();
        tests.join("\n\n") + "\n"
    }

    #[test]
    fn a_fault_is_found_until_it_is_fixed() {
        let mut rng = Rng::with_seed(1);
        let mut seen = Vec::new();
        for number in 1..200 {
            let fault = PlantedFault::draw(number, FaultAuthor::Person, &mut rng);
            let text = if fault.path == TESTS { base() } else { good_function(7, 7) };
            assert!(!fault.is_in(&text), "{fault:?}");
            let planted = fault.plant(&text, &mut rng).expect("it fits in");
            assert!(fault.is_in(&planted), "{fault:?}: {planted}");
            assert!(!fault.is_in(&fault.fix(&planted, &mut rng)), "{fault:?}: {planted}");
            if !seen.contains(&fault.kind) {
                seen.push(fault.kind);
            }
        }
        assert_eq!(seen.len(), PLANTED.len());
    }

    #[test]
    fn a_fix_takes_out_no_other_fault() {
        let mut rng = Rng::with_seed(1);
        let draw = |number, kind| PlantedFault {
            kind,
            ..PlantedFault::draw(number, FaultAuthor::Person, &mut Rng::with_seed(2))
        };
        let faults = [draw(1, PlantKind::Secret), draw(12, PlantKind::Secret), draw(13, PlantKind::Placeholder)];
        let text =
            faults.iter().fold(good_function(7, 7), |text, fault| fault.plant(&text, &mut rng).expect("it fits in"));
        let fixed = faults[0].fix(&text, &mut rng);
        assert_eq!(faults.map(|fault| fault.is_in(&fixed)), [false, true, true]);
    }

    #[test]
    fn one_side_of_a_conflict_is_left() {
        let typed = "<<<<<<< fault_1\nfault_1_a: 1\n=======\nfault_1_b: 1\n>>>>>>> fault_1\n";
        let text = format!("a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n{typed}d\n");
        assert!(has_conflict(&text) && !has_conflict(typed));
        assert_eq!(one_side(&text), format!("a\nb\n{typed}d\n"));
    }
}
