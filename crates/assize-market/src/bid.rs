//! What a bidder hands in: how it would do the work, where, and how sure it is.
//!
//! A bid is text by a stranger. What it is measured by are the places and requirements that it names, which can be looked up; what it says of
//! itself is a claim. Who it is by must not be known here.

mod verdict;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::requirement::{ExplicitRequirement, Requirements};

/// Most changes of a bid.
pub const CHANGES_MAX: usize = 200;
/// Longest text of a bid, in characters.
pub const TEXT_CHARS_MAX: usize = 8_000;
/// Largest bid, in bytes.
pub const BID_BYTES_MAX: usize = 256 * 1024;
/// Most lines that a bid may foresee.
pub const LINES_MAX: u64 = 1_000_000;

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It is new.
    Add,
    /// It is changed.
    Edit,
    /// It goes.
    Remove,
}

/// A change that a bid foresees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlannedChange {
    /// The file, from the root of the repository.
    pub path: String,
    /// What is done to it.
    pub kind: ChangeKind,
    /// What for.
    #[serde(default)]
    pub brief: String,
    /// The requirements that it is for, by their ids: `req_1`, `req_1.2`, `req_implicit_1`.
    #[serde(default)]
    pub requirements: Vec<String>,
}

/// A bid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bid {
    /// How the work would be done, and why so.
    pub approach: String,
    /// The heart of it in pseudo-code.
    #[serde(default)]
    pub pseudo_code: String,
    /// The files that would change.
    pub changes: Vec<PlannedChange>,
    /// Lines that would be added or removed, about.
    pub estimated_lines: u64,
    /// What could go wrong, for security in particular.
    pub risk: String,
    /// How probable it is that the implementation passes, from 0 to 1.
    pub success_probability: f64,
}

impl Bid {
    /// Reads a bid.
    ///
    /// # Errors
    ///
    /// Says in one sentence what is wrong with it.
    pub fn read(json: &str) -> Result<Self, String> {
        if json.len() > BID_BYTES_MAX {
            return Err(format!("it has {} bytes where {BID_BYTES_MAX} is the most", json.len()));
        }
        let bid: Self =
            serde_json::from_str(json).map_err(|error| format!("it does not fit the form of a bid: {error}"))?;
        match bid.fault() {
            Some(fault) => Err(fault),
            None => Ok(bid),
        }
    }

    /// Says in one sentence what is wrong with it that its form allows.
    pub(crate) fn fault(&self) -> Option<String> {
        if self.changes.is_empty() {
            return Some("it changes nothing".to_owned());
        }
        if self.changes.len() > CHANGES_MAX {
            return Some(format!("it has {} changes where {CHANGES_MAX} is the most", self.changes.len()));
        }
        let texts = [("approach", &self.approach), ("pseudo_code", &self.pseudo_code), ("risk", &self.risk)];
        for (name, text) in texts {
            let chars = text.chars().count();
            if chars > TEXT_CHARS_MAX {
                return Some(format!("`{name}` has {chars} characters where {TEXT_CHARS_MAX} is the most"));
            }
        }
        if self.approach.trim().is_empty() {
            return Some("`approach` says nothing".to_owned());
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = self.changes.iter().find(|change| !seen.insert(&change.path)) {
            return Some(format!("`{}` is changed twice", twice.path));
        }
        if self.estimated_lines > LINES_MAX {
            return Some(format!("`estimated_lines` is {} where {LINES_MAX} is the most", self.estimated_lines));
        }
        if !(0.0..=1.0).contains(&self.success_probability) {
            return Some("`success_probability` lies between 0 and 1".to_owned());
        }
        None
    }

    /// Returns how alike two bids are, from 0 to 1. They differ by the files, kinds of change and requirements that they name: the share of those that both
    /// name, of those that the shorter one does (Szymkiewicz 1934, Simpson 1960), so that nothing is new because something was added. Where both
    /// give pseudo-code, they differ by its words as well (Jaccard 1912): another way of doing it in the same places is new. What they say of it in prose
    /// is left out: a bid is not new because it is worded anew.
    pub fn likeness(&self, other: &Self) -> f64 {
        let (one, two) = (self.planned(), other.planned());
        let shorter = one.len().min(two.len());
        let places = if shorter == 0 { 1.0 } else { one.intersection(&two).count() as f64 / shorter as f64 };
        let (code, others) = (words(&self.pseudo_code), words(&other.pseudo_code));
        if code.is_empty() || others.is_empty() {
            return places;
        }
        places.min(code.intersection(&others).count() as f64 / code.union(&others).count() as f64)
    }

    /// Returns the changes that are for a requirement or for one of its components.
    pub fn planned_for(&self, requirement: &ExplicitRequirement) -> impl Iterator<Item = &PlannedChange> {
        self.changes.iter().filter(|change| change.requirements.iter().any(|id| requirement.has(id)))
    }

    /// Returns whether it is to do a requirement: it names it, or each of its components.
    pub fn addresses(&self, requirement: &ExplicitRequirement) -> bool {
        let names = |id: &str| self.changes.iter().any(|change| change.requirements.iter().any(|named| named == id));
        let mut components = (0..requirement.components.len()).map(|at| requirement.component_id(at)).peekable();
        names(&requirement.id) || (components.peek().is_some() && components.all(|id| names(&id)))
    }

    fn planned(&self) -> BTreeSet<(&str, ChangeKind, Option<&str>)> {
        fn of(change: &PlannedChange) -> impl Iterator<Item = (&str, ChangeKind, Option<&str>)> {
            let parts = change.requirements.iter().map(|id| Some(id.as_str()));
            std::iter::once(None).chain(parts).map(|part| (change.path.as_str(), change.kind, part))
        }
        self.changes.iter().flat_map(of).collect()
    }
}

/// What a repository is known to hold, as far as bids are measured by it.
pub trait RepositoryIndex {
    /// Returns whether there is a file.
    fn has_file(&self, path: &str) -> bool;
    /// Returns the module, package or folder that a path belongs to.
    fn module_of(&self, path: &str) -> String;
    /// Returns what everybody can use of a file, by name; nothing where there is no such file.
    fn public_names(&self, path: &str) -> BTreeSet<String>;
}

/// What the places and requirements that a bid names come to, once they were looked up.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct BidFootprint {
    /// Boxes that a change is for.
    pub boxes: usize,
    /// Components that a change is for.
    pub components: usize,
    /// Implicit requirements that a change is for.
    pub implicit: usize,
    /// Files.
    pub files: usize,
    /// Modules that they belong to.
    pub modules: usize,
    /// Names that everybody can use, of all files that are changed or go: any of them may break.
    pub public_names: usize,
    /// What the bid names that is not there, or could not be: such changes are for nothing.
    pub unreal: Vec<String>,
}

impl BidFootprint {
    /// Looks up what a bid names. A requirement counts where a change that can be made is for it; a box counts as well where all of
    /// its components do.
    pub fn of(bid: &Bid, requirements: &Requirements, tree: &dyn RepositoryIndex) -> Self {
        let mut measured = Self::default();
        let (mut named, mut modules, mut names) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for change in &bid.changes {
            measured.files += 1;
            modules.insert(tree.module_of(&change.path));
            let there = tree.has_file(&change.path);
            if there == (change.kind == ChangeKind::Add) || !is_within(&change.path) {
                measured.unreal.push(change.path.clone());
                continue;
            }
            named.extend(change.requirements.iter().map(String::as_str));
            names.extend(tree.public_names(&change.path).into_iter().map(|name| (&change.path, name)));
        }
        measured.modules = modules.len();
        measured.public_names = names.len();
        let mut unknown = named.clone();
        for requirement in &requirements.explicit_requirements {
            let ids: Vec<String> = (0..requirement.components.len()).map(|at| requirement.component_id(at)).collect();
            let addressed = ids.iter().filter(|id| named.contains(id.as_str())).count();
            let whole = named.contains(requirement.id.as_str());
            measured.components += addressed;
            measured.boxes += usize::from(whole || (addressed > 0 && addressed == ids.len()));
            unknown.remove(requirement.id.as_str());
            ids.iter().for_each(|id| {
                unknown.remove(id.as_str());
            });
        }
        for requirement in &requirements.implicit_requirements {
            measured.implicit += usize::from(named.contains(requirement.id.as_str()));
            unknown.remove(requirement.id.as_str());
        }
        measured.unreal.extend(unknown.into_iter().map(str::to_owned));
        measured
    }
}

/// The words and numbers of a text.
fn words(text: &str) -> BTreeSet<&str> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    text.split(|character| !is_part(character)).filter(|word| !word.is_empty()).collect()
}

/// Returns whether a path stays within the repository.
fn is_within(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('/') && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::checklist::boxes;
    use super::super::requirement::Guideline;
    use super::*;

    /// Two files, of which one has two public names.
    pub(crate) struct TwoFileRepository;

    impl RepositoryIndex for TwoFileRepository {
        fn has_file(&self, path: &str) -> bool {
            ["auth/token.rs", "auth/mod.rs", "web.rs"].contains(&path)
        }

        fn module_of(&self, path: &str) -> String {
            path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned()
        }

        fn public_names(&self, path: &str) -> BTreeSet<String> {
            let names = if path == "auth/token.rs" { vec!["mint", "verify"] } else { Vec::new() };
            names.into_iter().map(str::to_owned).collect()
        }
    }

    pub(crate) fn requirements() -> Requirements {
        let boxes = boxes("- [ ] Log in\n  - an endpoint\n  - a token\n- [ ] Log out\n").expect("readable");
        let guideline = Guideline { path: "CLAUDE.md".to_owned(), text: "It must be tested.".to_owned() };
        Requirements::by_rules(&boxes, &[guideline])
    }

    pub(crate) fn change(path: &str, kind: ChangeKind, requirements: &[&str]) -> PlannedChange {
        let requirements = requirements.iter().map(|id| (*id).to_owned()).collect();
        PlannedChange { path: path.to_owned(), kind, brief: String::new(), requirements }
    }

    pub(crate) fn bid(changes: Vec<PlannedChange>) -> Bid {
        Bid {
            approach: "Tokens in the header.".to_owned(),
            pseudo_code: String::new(),
            changes,
            estimated_lines: 40,
            risk: "A token could leak.".to_owned(),
            success_probability: 0.8,
        }
    }

    #[test]
    fn a_bid_is_measured_by_what_is_there() {
        let bid = bid(vec![
            change("auth/token.rs", ChangeKind::Edit, &["req_1.1", "req_1.2"]),
            change("auth/session.rs", ChangeKind::Add, &["req_implicit_1", "req_9"]),
            change("auth/gone.rs", ChangeKind::Edit, &["req_2"]),
            change("web.rs", ChangeKind::Add, &["req_2"]),
            change("../web.rs", ChangeKind::Add, &["req_2"]),
        ]);
        let measured = BidFootprint::of(&bid, &requirements(), &TwoFileRepository);
        assert_eq!((measured.boxes, measured.components, measured.implicit), (1, 2, 1));
        assert_eq!((measured.files, measured.modules, measured.public_names), (5, 3, 2));
        assert_eq!(measured.unreal, ["auth/gone.rs", "web.rs", "../web.rs", "req_9"]);
    }

    #[test]
    fn a_box_counts_by_its_name_or_by_all_its_parts() {
        for (ids, boxes, components) in [
            (&["req_1"][..], 1, 0),
            (&["req_1.1"], 0, 1),
            (&["req_1.1", "req_1.2"], 1, 2),
            (&["req_2", "req_2.1"], 1, 1),
        ] {
            let measured = BidFootprint::of(
                &bid(vec![change("web.rs", ChangeKind::Edit, ids)]),
                &requirements(),
                &TwoFileRepository,
            );
            assert_eq!((measured.boxes, measured.components), (boxes, components), "{ids:?}");
        }
    }

    #[test]
    fn likeness_is_of_deeds_and_not_of_words() {
        let one = bid(vec![change("web.rs", ChangeKind::Edit, &["req_1"])]);
        let worded = Bid { approach: "Quite another idea.".to_owned(), pseudo_code: "x".to_owned(), ..one.clone() };
        assert!((one.likeness(&worded) - 1.0).abs() < 1e-12);
        let other = bid(vec![change("web.rs", ChangeKind::Edit, &["req_2"])]);
        assert!((one.likeness(&other) - 1.0 / 2.0).abs() < 1e-12);
        assert!(one.likeness(&bid(vec![change("auth/mod.rs", ChangeKind::Edit, &["req_1"])])).abs() < 1e-12);
        // What is only added makes nothing new; another way in the same places does.
        let more = bid(vec![change("web.rs", ChangeKind::Edit, &["req_1"]), change("dummy.rs", ChangeKind::Add, &[])]);
        assert!((one.likeness(&more) - 1.0).abs() < 1e-12);
        let code = |code: &str| Bid { pseudo_code: code.to_owned(), ..one.clone() };
        let alike = code("sort(all); take(first)").likeness(&code("take(first) of sort(all)"));
        let apart = code("sort(all); take(first)").likeness(&code("heap = heapify(items); pop(heap)"));
        assert!((alike - 0.8).abs() < 1e-12 && apart.abs() < 1e-12, "{alike} {apart}");
    }

    #[test]
    fn what_is_no_bid_is_refused() {
        let sound = bid(vec![change("web.rs", ChangeKind::Edit, &["req_1"])]);
        let read = |bid: &Bid| Bid::read(&serde_json::to_string(bid).expect("JSON"));
        assert_eq!(read(&sound).as_ref(), Ok(&sound));
        let many = |count: usize| bid((0..count).map(|at| change(&format!("{at}"), ChangeKind::Add, &[])).collect());
        assert!(read(&many(CHANGES_MAX)).is_ok());
        let long = |chars: usize| Bid { approach: "é".repeat(chars), ..sound.clone() };
        assert!(read(&long(TEXT_CHARS_MAX)).is_ok());
        let twice = bid(vec![change("a", ChangeKind::Add, &[]), change("a", ChangeKind::Edit, &[])]);
        let lines = |lines: u64| Bid { estimated_lines: lines, ..sound.clone() };
        assert!(read(&lines(LINES_MAX)).is_ok());
        for (wrong, says) in [
            (bid(Vec::new()), "changes nothing"),
            (many(CHANGES_MAX + 1), "201 changes"),
            (long(TEXT_CHARS_MAX + 1), "`approach` has 8001"),
            (Bid { approach: " ".to_owned(), ..sound.clone() }, "`approach` says nothing"),
            (twice, "`a` is changed twice"),
            (lines(LINES_MAX + 1), "`estimated_lines`"),
            (Bid { success_probability: 1.1, ..sound.clone() }, "`success_probability`"),
        ] {
            let error = read(&wrong).expect_err(says);
            assert!(error.contains(says), "{error}");
        }
        let padded = |bytes: usize| {
            let json = serde_json::to_string(&sound).expect("JSON");
            format!("{}{json}", " ".repeat(bytes - json.len()))
        };
        assert!(Bid::read(&padded(BID_BYTES_MAX)).is_ok());
        assert!(Bid::read(&padded(BID_BYTES_MAX + 1)).expect_err("too large").contains("bytes"));
        assert!(Bid::read("{}").expect_err("no bid").contains("does not fit"));
    }
}
