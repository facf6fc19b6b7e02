//! Whether a rubric holds together: everything its shape does not say.

use std::collections::HashSet;

use assize_core::violation::Violation;

use super::{FailureMode, ID_CHARS_MAX, ITEMS_MAX, MODES_MAX, Rubric, SCORES, TEXT_CHARS_MAX, VERSION};

/// Names of columns and fields that stand beside labels.
const RESERVED: [&str; 7] = ["id", "labels", "rater", "record", "rubric", "note", "at"];

/// Returns everything that is wrong with a rubric, but for its expressions.
pub(super) fn faults(rubric: &Rubric) -> Vec<Violation> {
    let mut faults = Faults::default();
    if rubric.rubric != VERSION {
        faults.say("rubric", format!("is {}, and only {VERSION} is known", rubric.rubric));
    }
    faults.id("id", &rubric.id, true);
    faults.text("subject", &rubric.subject);
    let strictness = &rubric.strictness;
    for (at, text) in [
        ("strictness.identity", &strictness.identity),
        ("strictness.expectation", &strictness.expectation),
        ("strictness.doubt", &strictness.doubt),
        ("score.expectation", &rubric.score.expectation),
    ] {
        text.iter().for_each(|text| faults.text(at, text));
    }
    let (words, scores) = (&rubric.score.words, SCORES.count());
    if !words.is_empty() && words.len() != scores {
        faults.say("score.words", format!("has {} where {scores} are asked for, one for each score", words.len()));
    }
    faults.texts("score.words", words.iter());
    faults.texts("record.shown", rubric.record.shown.iter());
    faults.texts("record.strata", rubric.record.strata.iter());
    faults.text("record.id", &rubric.record.id);
    trust(&mut faults, rubric);
    match rubric.modes.len() {
        0 => faults.say("mode", "there is none"),
        count => faults.count("mode", count, MODES_MAX),
    }
    let mut seen = HashSet::new();
    for (index, mode) in rubric.modes.iter().enumerate() {
        let at = format!("mode[{index}]");
        if RESERVED.contains(&mode.id.as_str()) || mode.id == rubric.record.id {
            faults.say(&format!("{at}.id"), format!("is `{}`, which stands for something else beside labels", mode.id));
        }
        if !seen.insert(&mode.id) {
            faults.say(&format!("{at}.id"), format!("is `{}`, as that of an earlier mode", mode.id));
        }
        mode_faults(&mut faults, &at, mode);
    }
    faults.0
}

fn trust(faults: &mut Faults, rubric: &Rubric) {
    let trust = &rubric.trust;
    let shares = [
        ("trust.kappa_min", Some(trust.kappa_min)),
        ("trust.sensitivity_min", trust.sensitivity_min),
        ("trust.specificity_min", trust.specificity_min),
    ];
    for (at, share) in shares.into_iter().filter_map(|(at, share)| Some((at, share?))) {
        if !(0.0..=1.0).contains(&share) {
            faults.say(at, format!("is {share}, not between 0 and 1"));
        }
    }
}

fn mode_faults(faults: &mut Faults, at: &str, mode: &FailureMode) {
    faults.id(&format!("{at}.id"), &mode.id, false);
    faults.text(&format!("{at}.asks"), &mode.asks);
    faults.texts(&format!("{at}.fails_if"), mode.fails_if.iter());
    faults.texts(&format!("{at}.clause.says"), mode.clauses.iter().map(|clause| &clause.says));
    faults.texts(&format!("{at}.example.shows"), mode.examples.iter().map(|example| &example.shows));
    faults.texts(&format!("{at}.example.because"), mode.examples.iter().map(|example| &example.because));
}

#[derive(Default)]
struct Faults(Vec<Violation>);

impl Faults {
    fn say(&mut self, at: &str, message: impl Into<String>) {
        self.0.push(Violation::new(at, message));
    }

    fn count(&mut self, at: &str, count: usize, most: usize) {
        if count > most {
            self.say(at, format!("has {count} where {most} is the most"));
        }
    }

    fn text(&mut self, at: &str, text: &str) {
        self.count(at, text.chars().count(), TEXT_CHARS_MAX);
        if text.trim().is_empty() {
            self.say(at, "is blank");
        }
    }

    fn texts<'a>(&mut self, at: &str, texts: impl ExactSizeIterator<Item = &'a String>) {
        self.count(at, texts.len(), ITEMS_MAX);
        for (index, text) in texts.enumerate() {
            self.text(&format!("{at}[{index}]"), text);
        }
    }

    fn id(&mut self, at: &str, id: &str, hyphen: bool) {
        self.count(at, id.chars().count(), ID_CHARS_MAX);
        let fits = |character: char| {
            character.is_ascii_lowercase()
                || character.is_ascii_digit()
                || character == '_'
                || (hyphen && character == '-')
        };
        if !id.starts_with(|first: char| first.is_ascii_lowercase()) || !id.chars().all(fits) {
            let rest = if hyphen { "digits, `-` and `_`" } else { "digits and `_`" };
            self.say(at, format!("is `{id}`; ids are lower-case letters, {rest}, a letter first"));
        }
    }
}
