//! What a corrector is shown that revises the template of a generator.
//!
//! Records that fail in the same way often do so because nothing told their generator not to. The reasons are brought together by mode; no
//! record is shown, so that the revision speaks of none.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use assize_core::prompt::inquiry::{Inquiry, VerdictParser};
use assize_core::prompt::{Nonce, Question, fence, hash_of, render};
use assize_core::ruling::{Cause, Unjudged};
use assize_core::text::head;
use assize_core::verdict::{DETAIL_BYTES_MAX, Reply, Verdict as _, read};
use minijinja::context;
use regex::Regex;

use super::correction::{FaultyRecord, modes, on_one_line};
use crate::record::HASH_DIGITS;
use crate::rubric::Rubric;
use crate::verdict::template::TemplateRevision;

const RUBRIC: &str = include_str!("../../prompts/template-rubric.md");
const CASE: &str = include_str!("../../prompts/template-case.md");

/// Reasons that are shown of each mode.
pub const REASONS_SHOWN_MAX: usize = 12;
/// Bytes of a reason that are shown.
const REASON_BYTES_MAX: usize = 400;

/// A template, and why the records that it brought forth failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedTemplate {
    /// What people call it.
    pub name: String,
    /// The template.
    pub template: String,
    /// How many records were looked at.
    pub records: u64,
    /// How many of them failed.
    pub failed: u64,
    /// For each mode that any fails in: its id, how many fail in it, and reasons.
    pub reasons: Vec<(String, u64, Vec<String>)>,
}

impl FailedTemplate {
    /// Brings together why records failed, mode by mode in the order of the rubric. Reasons that say the same are shown once.
    pub fn of(rubric: &Rubric, name: &str, template: &str, records: u64, faulty: &[&FaultyRecord]) -> Self {
        let of_mode = |id: &String| {
            let said = || faulty.iter().flat_map(|case| &case.faults).filter(move |fault| fault.mode == *id);
            let mut seen = BTreeSet::new();
            let new = said().filter(|fault| seen.insert(&fault.reason)).take(REASONS_SHOWN_MAX);
            let reasons: Vec<String> = new.map(|fault| shortened(&fault.reason)).collect();
            (!reasons.is_empty()).then(|| (id.clone(), said().count() as u64, reasons))
        };
        Self {
            name: name.to_owned(),
            template: template.to_owned(),
            records,
            failed: faulty.len() as u64,
            reasons: rubric.modes.iter().filter_map(|mode| of_mode(&mode.id)).collect(),
        }
    }

    fn listed(&self) -> String {
        let of_mode = |(mode, count, reasons): &(String, u64, Vec<String>)| {
            let lines: Vec<String> = reasons.iter().map(|reason| format!("- {reason}")).collect();
            format!(
                "{mode}: {count} of them; different reasons, at most {REASONS_SHOWN_MAX} of which are shown\n{}",
                lines.join("\n")
            )
        };
        self.reasons.iter().map(of_mode).collect::<Vec<_>>().join("\n\n")
    }
}

/// How a corrector is asked to revise a template.
#[derive(Debug, Clone)]
pub struct TemplatePrompt {
    system: Arc<str>,
    modes: Vec<String>,
}

impl TemplatePrompt {
    /// Prepares the question.
    pub fn of(rubric: &Rubric) -> Self {
        let (subject, shown) = (rubric.subject.clone(), modes(rubric));
        let system = render(RUBRIC, &context! { subject, modes => shown });
        Self { system: system.into(), modes: rubric.modes.iter().map(|mode| mode.id.clone()).collect() }
    }

    /// Reads a reply.
    ///
    /// # Errors
    ///
    /// Says why it holds no revision: a placeholder that is lost or new, a rule for an unknown mode, or no difference.
    pub fn read(&self, reply: &Reply, case: &FailedTemplate) -> Result<TemplateRevision, Unjudged> {
        let revision: TemplateRevision = read(reply, &[&case.template, &case.listed()])?;
        let malformed = |error: String| Err(Unjudged::new(Cause::Malformed, head(&error, DETAIL_BYTES_MAX)));
        let (before, after) = (placeholders(&case.template), placeholders(&revision.template));
        if let Some(lost) = before.difference(&after).next() {
            return malformed(format!("the placeholder `{lost}` is lost"));
        }
        if let Some(new) = after.difference(&before).next() {
            return malformed(format!("`{new}` is no placeholder of the template"));
        }
        if let Some(rule) = revision.rules.iter().find(|rule| !self.modes.contains(&rule.mode)) {
            return malformed(format!("`{}` is no mode of the rubric", rule.mode));
        }
        if revision.template.trim() == case.template.trim() {
            return malformed("the template is the same as before".to_owned());
        }
        Ok(revision)
    }
}

impl Inquiry for TemplatePrompt {
    type Case = FailedTemplate;
    type Reading = TemplateRevision;

    fn name<'a>(&self, case: &'a FailedTemplate) -> &'a str {
        &case.name
    }

    fn hash(&self, case: &FailedTemplate) -> String {
        let counts = format!("{} {}", case.records, case.failed);
        let schema = TemplateRevision::schema().to_string();
        let parts = [&self.system, CASE, &schema, &case.template, &case.listed(), &counts];
        hash_of(&parts)[..HASH_DIGITS].to_owned()
    }

    fn question(&self, case: &FailedTemplate, nonce: &Nonce) -> Result<Question, Unjudged> {
        let reasons = case.listed();
        let found: Vec<String> = placeholders(&case.template).into_iter().collect();
        let found = if found.is_empty() { "none".to_owned() } else { found.join("\n") };
        let prompt = render(
            CASE,
            &context! {
                template => fence("template", &case.template, nonce),
                placeholders => fence("placeholders", &found, nonce),
                records => case.records,
                failed => case.failed,
                reasons => fence("reasons", &reasons, nonce),
            },
        );
        Ok(Question {
            rubric_hash: hash_of(&[&self.system, CASE]),
            system: Arc::clone(&self.system),
            prompt,
            schema_name: TemplateRevision::NAME,
            schema: TemplateRevision::schema().into(),
            prompt_hash: self.hash(case),
            attachments: vec![case.template.clone(), reasons],
            tree: None,
        })
    }

    fn verdict_parser(self: Arc<Self>, case: &FailedTemplate, _: &Arc<Question>) -> VerdictParser<Self::Reading> {
        let case = case.clone();
        Box::new(move |reply| self.read(reply, &case))
    }
}

/// Brings a reason onto one line, and says where it was cut.
fn shortened(reason: &str) -> String {
    let line = on_one_line(reason);
    let shown = head(&line, REASON_BYTES_MAX);
    if shown.len() < line.len() { format!("{shown} [cut]") } else { line }
}

/// What stands in a template for something else, as Jinja, Python, the shell and JavaScript write it.
static PLACEHOLDER: LazyLock<Regex> = LazyLock::new(|| {
    let forms = r#"\{\{[^{}\n]{1,200}\}\}|\{%[^%\n]{1,200}%\}|\$\{\w[\w.]*\}|\{\w[\w.\[\]]*(?:![rsa])?(?::[^{}\s"]*)?\}|<<\w+>>|%\(\w+\)[sd]"#;
    Regex::new(forms).expect("a pattern")
});

fn placeholders(template: &str) -> BTreeSet<String> {
    PLACEHOLDER.find_iter(template).map(|found| found.as_str().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompt::correction::ModeFault;
    use crate::record::Record;
    use crate::rubric::tests::SMALL;
    use assize_core::verdict::{Payload, StopReason};
    use serde_json::{Value, json};

    const TEMPLATE: &str = "Write a guide on {topic} for {{ reader }}.\nAnswer as JSON: {\"id\": \"…\"}";

    fn case(records: usize) -> FailedTemplate {
        let faulty = |at: usize| {
            let fault = |mode: &str, reason: String| ModeFault { mode: mode.to_owned(), reason };
            let record = Record::of(json!({"id": at}), "id").expect("a record");
            let faults = vec![fault("vague", format!("Reason {at}.")), fault("too_long", "The same.".to_owned())];
            FaultyRecord { record, faults }
        };
        let faulty: Vec<FaultyRecord> = (0..records).map(faulty).collect();
        let rubric = Rubric::read(SMALL).expect("sound").0;
        FailedTemplate::of(&rubric, "guide.txt", TEMPLATE, 40, &faulty.iter().collect::<Vec<_>>())
    }

    fn prompt() -> TemplatePrompt {
        TemplatePrompt::of(&Rubric::read(SMALL).expect("sound").0)
    }

    #[test]
    fn reasons_are_brought_together_by_mode() {
        let case = case(REASONS_SHOWN_MAX + 3);
        let shown: Vec<(&str, u64, usize)> =
            case.reasons.iter().map(|(mode, count, reasons)| (mode.as_str(), *count, reasons.len())).collect();
        assert_eq!(shown, [("too_long", 15, 1), ("vague", 15, REASONS_SHOWN_MAX)]);
        let question = prompt().question(&case, &Nonce::new([7; 16])).expect("a question");
        for part in ["Of 40 records 15 failed.", "vague: 15 of them", "\n- Reason 0.", "on {topic} for", "\n{topic}\n"]
        {
            assert!(question.prompt.contains(part), "{part}: {}", question.prompt);
        }
        assert!(
            !question.system.contains("{topic}"),
            "what strangers wrote stands behind a fence: {}",
            question.system
        );
        let cut = |chars: usize| shortened(&"x".repeat(chars)).ends_with("[cut]");
        assert!(!cut(REASON_BYTES_MAX) && cut(REASON_BYTES_MAX + 1));
    }

    #[test]
    fn placeholders_stay_as_they_are() {
        let read = |template: &str, mode: &str| {
            let answer: Value = json!({"template": template, "rules": [{"mode": mode, "rule": "Name the part."}]});
            let reply = Reply { payload: Payload::Structured(answer.to_string()), stop: StopReason::Complete };
            prompt().read(&reply, &case(1)).map_err(|unjudged| unjudged.detail)
        };
        let good = format!("{TEMPLATE}\nName every part.");
        assert_eq!(read(&good, "vague").expect("a revision").template, good);
        for (template, mode, says) in [
            (good.replace("{topic}", "taps"), "vague", "the placeholder `{topic}` is lost"),
            (good.replace("{{ reader }}", "{reader}"), "vague", "`{{ reader }}` is lost"),
            (format!("{good} {{tone}}"), "vague", "`{tone}` is no placeholder"),
            (good.clone(), "rude", "`rude` is no mode"),
            (TEMPLATE.to_owned(), "vague", "the same as before"),
        ] {
            let error = read(&template, mode).expect_err(says);
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn placeholders_of_many_forms_are_known_and_braces_of_json_are_none() {
        let found = placeholders(
            "{a} {{ b.c }} ${d} <<e>> %(f)s {\"g\": 1} {} { h } {{i|upper}} {j.k} {l:02d} {m!r} {n[0]} {{ o | default(\"p\") }} {% if q %}",
        );
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        let expected = [
            "${d}",
            "%(f)s",
            "<<e>>",
            "{% if q %}",
            "{a}",
            "{j.k}",
            "{l:02d}",
            "{m!r}",
            "{n[0]}",
            "{{ b.c }}",
            "{{ o | default(\"p\") }}",
            "{{i|upper}}",
        ];
        assert_eq!(found, expected);
    }
}
