//! The requirements of an issue: what its boxes say, and what the project demands of everything.
//!
//! A judge may read more out of a box than it says. Without a judge, the boxes, the items below them and the
//! guidelines' own sentences are taken as they stand, and the result says that no judge read them. This module must not
//! know how issues are fetched.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation as _;

use super::checklist::{BoxName, Checkbox};
use crate::verdict::requirements::{ReadDemand, RequirementsVerdict};

/// Most requirements that are read out of the guidelines.
pub const IMPLICIT_MAX: usize = 30;
/// Most components of a requirement.
pub const COMPONENTS_MAX: usize = 30;
/// Longest sentence of the guidelines that is taken for a requirement, in characters.
pub const SENTENCE_CHARS_MAX: usize = 300;

/// What an issue demands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Requirements {
    /// What its open boxes demand.
    pub explicit_requirements: Vec<ExplicitRequirement>,
    /// What the project demands of everything.
    pub implicit_requirements: Vec<ImplicitRequirement>,
    /// Who read them out of the text.
    #[serde(default)]
    pub extracted_by: ExtractedBy,
}

/// Who read requirements out of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExtractedBy {
    /// Rules: boxes, the items below them, and sentences that say what must be.
    #[default]
    Rules,
    /// A judge.
    Judge,
}

/// What an open box demands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplicitRequirement {
    /// Its id: `req_1`.
    pub id: String,
    /// What the box says.
    pub checkbox: String,
    /// Which of the boxes that say so it is, from 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub nth: usize,
    /// What has to be done for it, one by one; the first has the id `req_1.1`.
    pub components: Vec<String>,
}

/// What the project demands of everything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ImplicitRequirement {
    /// Its id: `req_implicit_1`.
    pub id: String,
    /// What it demands.
    pub text: String,
    /// Where that comes from.
    pub reasoning: String,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A file in which a project says how it wants to be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guideline {
    /// Its path.
    pub path: String,
    /// What it says, in Markdown.
    pub text: String,
}

impl ExplicitRequirement {
    /// Returns the name of its box.
    pub fn box_name(&self) -> BoxName {
        BoxName { text: self.checkbox.clone(), nth: self.nth }
    }

    /// Returns whether an id is its own, or that of one of its components.
    pub fn has(&self, id: &str) -> bool {
        id.strip_prefix(&self.id).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// Returns the id of a component, by its place from 0.
    pub fn component_id(&self, at: usize) -> String {
        format!("{}.{}", self.id, at + 1)
    }
}

impl Requirements {
    /// Reads requirements by rules alone. Boxes that are ticked demand nothing any more; those that are open keep the number of
    /// their place, so that an id stands for the same box after others were ticked.
    pub fn by_rules(boxes: &[Checkbox], guidelines: &[Guideline]) -> Self {
        let explicit = |(at, open): (usize, &Checkbox)| ExplicitRequirement {
            id: format!("req_{}", at + 1),
            checkbox: open.text.clone(),
            nth: open.nth,
            components: components(open),
        };
        let open = boxes.iter().enumerate().filter(|(_, found)| !found.ticked);
        let demands = guidelines.iter().flat_map(demands);
        let mut seen = BTreeSet::new();
        let demands = demands.filter(|(text, _)| seen.insert(text.to_lowercase())).take(IMPLICIT_MAX);
        let implicit = |(at, (text, reasoning)): (usize, (String, String))| ImplicitRequirement {
            id: format!("req_implicit_{}", at + 1),
            text,
            reasoning,
        };
        Self {
            explicit_requirements: open.map(explicit).collect(),
            implicit_requirements: demands.enumerate().map(implicit).collect(),
            extracted_by: ExtractedBy::Rules,
        }
    }

    /// Returns the same boxes as a judge reads them; `None` where it does not speak of each of them, and of no other.
    pub fn read_by(&self, verdict: RequirementsVerdict) -> Option<Self> {
        let mut read: BTreeMap<String, Vec<String>> =
            verdict.explicit_requirements.into_iter().map(|found| (found.id, found.components)).collect();
        let explicit = self.explicit_requirements.iter().map(|requirement| {
            Some(ExplicitRequirement { components: read.remove(&requirement.id)?, ..requirement.clone() })
        });
        let explicit_requirements = explicit.collect::<Option<Vec<_>>>()?;
        let implicit = |(at, demand): (usize, ReadDemand)| ImplicitRequirement {
            id: format!("req_implicit_{}", at + 1),
            text: demand.text,
            reasoning: demand.reasoning,
        };
        let implicit_requirements = verdict.implicit_requirements.into_iter().enumerate().map(implicit).collect();
        let extracted_by = ExtractedBy::Judge;
        read.is_empty().then_some(Self { explicit_requirements, implicit_requirements, extracted_by })
    }

    /// Returns how many components all boxes have.
    pub fn components(&self) -> usize {
        self.explicit_requirements.iter().map(|requirement| requirement.components.len()).sum()
    }
}

/// The parts of a box: the items below it, or else its sentences.
fn components(found: &Checkbox) -> Vec<String> {
    let parts = if found.parts.is_empty() { sentences(&found.text) } else { found.parts.clone() };
    parts.into_iter().take(COMPONENTS_MAX).collect()
}

/// Sentences that say something (Unicode annex 29), and those that a semicolon parts.
fn sentences(text: &str) -> Vec<String> {
    let parts = text.unicode_sentences().flat_map(|sentence| sentence.split(';')).map(str::trim);
    parts.filter(|part| part.chars().any(char::is_alphanumeric)).map(str::to_owned).collect()
}

/// How a guideline says that something must be.
const DEMANDING: [&str; 9] = ["must", "never", "always", "required", "requires", "shall", "do not", "don't", "may not"];

fn is_demand(sentence: &str) -> bool {
    let words: Vec<String> = sentence.unicode_words().map(str::to_lowercase).collect();
    let says = |demand: &&str| {
        let demand: Vec<&str> = demand.split(' ').collect();
        words.windows(demand.len()).any(|window| window.iter().zip(&demand).all(|(word, demand)| word == demand))
    };
    sentence.chars().count() <= SENTENCE_CHARS_MAX && DEMANDING.iter().any(says)
}

/// Returns the sentences of a guideline that demand something, each with the reason why it is asked for. What stands in code or in
/// a quotation is an example of something.
fn demands(guideline: &Guideline) -> Vec<(String, String)> {
    let mut demands = Vec::new();
    let (mut block, mut line, mut quoted) = (String::new(), 1, 0_usize);
    let mut end = |block: &mut String, line: usize| {
        let block = std::mem::take(block);
        for sentence in sentences(&block).into_iter().filter(|sentence| is_demand(sentence)) {
            demands.push((sentence, format!("`{}` demands it in line {line}", guideline.path)));
        }
    };
    for (event, range) in Parser::new(&guideline.text).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::BlockQuote(_)) => {
                end(&mut block, line);
                quoted += 1;
            }
            Event::End(TagEnd::CodeBlock | TagEnd::BlockQuote(_)) => quoted -= 1,
            Event::Start(Tag::Paragraph | Tag::Item | Tag::Heading { .. })
            | Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::Heading(_)) => {
                end(&mut block, line);
            }
            Event::Text(text) | Event::Code(text) if quoted == 0 => {
                if block.is_empty() {
                    line = guideline.text[..range.start].matches('\n').count() + 1;
                }
                block.push_str(&text);
            }
            Event::SoftBreak | Event::HardBreak => block.push(' '),
            _ => {}
        }
    }
    end(&mut block, line);
    demands
}

#[cfg(test)]
mod tests {
    use super::super::checklist::boxes;
    use super::*;

    fn read(specification: &str, guidelines: &str) -> Requirements {
        let guideline = Guideline { path: "CLAUDE.md".to_owned(), text: guidelines.to_owned() };
        Requirements::by_rules(&boxes(specification).expect("readable"), &[guideline])
    }

    #[test]
    fn open_boxes_demand_what_they_say() {
        let specification = "- [ ] Add an endpoint. It needs a token; and a test.\n- [x] Done\n- [ ] Log out\n  - one device\n  - all devices\n";
        let requirements = read(specification, "");
        let explicit: Vec<(&str, &str, Vec<&str>)> = requirements
            .explicit_requirements
            .iter()
            .map(|one| (one.id.as_str(), one.checkbox.as_str(), one.components.iter().map(String::as_str).collect()))
            .collect();
        assert_eq!(
            explicit,
            [
                (
                    "req_1",
                    "Add an endpoint. It needs a token; and a test.",
                    vec!["Add an endpoint.", "It needs a token", "and a test."]
                ),
                ("req_3", "Log out", vec!["one device", "all devices"]),
            ]
        );
        assert_eq!(requirements.explicit_requirements[1].component_id(1), "req_3.2");
        assert_eq!((requirements.components(), requirements.extracted_by), (5, ExtractedBy::Rules));
    }

    #[test]
    fn a_judge_speaks_of_each_open_box_and_of_no_other() {
        use crate::verdict::requirements::ReadBox;
        let rules = read("- [x] done\n- [ ] a\n- [ ] b\n", "");
        let of = |ids: &[&str]| {
            let one =
                |id: &&str| ReadBox { id: (*id).to_owned(), components: vec!["one".to_owned(), "two".to_owned()] };
            let demand = ReadDemand { text: "Test it.".to_owned(), reasoning: "It is about money.".to_owned() };
            rules.read_by(RequirementsVerdict {
                explicit_requirements: ids.iter().map(one).collect(),
                implicit_requirements: vec![demand],
            })
        };
        let found = of(&["req_3", "req_2"]).expect("both");
        assert_eq!((found.components(), found.extracted_by), (4, ExtractedBy::Judge));
        assert_eq!(found.explicit_requirements[0].checkbox, "a", "what a box says is not the judge's to change");
        assert_eq!(found.implicit_requirements[0].id, "req_implicit_1");
        for ids in [&["req_2"][..], &["req_1", "req_2", "req_3"], &["req_2", "req_3", "req_4"], &[]] {
            assert_eq!(of(ids), None, "{ids:?}");
        }
    }

    #[test]
    fn guidelines_demand_what_they_say_must_be() {
        let guidelines = "\
# House rules

Security-critical code must have tests. We like tea.
- Never log a token
- Names are full words; public functions are always documented.

```
you must not read this
```
> never mind
- Never log a token

Coverage stays at 90 %.
";
        let requirements = read("- [ ] a\n", guidelines);
        let implicit: Vec<(&str, &str)> =
            requirements.implicit_requirements.iter().map(|one| (one.text.as_str(), one.reasoning.as_str())).collect();
        assert_eq!(
            implicit,
            [
                ("Security-critical code must have tests.", "`CLAUDE.md` demands it in line 3"),
                ("Never log a token", "`CLAUDE.md` demands it in line 4"),
                ("public functions are always documented.", "`CLAUDE.md` demands it in line 5"),
            ]
        );
        assert_eq!(requirements.implicit_requirements[2].id, "req_implicit_3");
    }

    #[test]
    fn what_is_read_out_of_guidelines_has_limits() {
        let lines = |count: usize| (0..count).map(|at| format!("- Line {at} must be.\n")).collect::<String>();
        assert_eq!(read("", &lines(IMPLICIT_MAX + 1)).implicit_requirements.len(), IMPLICIT_MAX);
        let long = |chars: usize| format!("It must {}", "x".repeat(chars - 8));
        assert_eq!(read("", &long(SENTENCE_CHARS_MAX)).implicit_requirements.len(), 1);
        assert_eq!(read("", &long(SENTENCE_CHARS_MAX + 1)).implicit_requirements.len(), 0);
        let parts = format!("- [ ] a\n{}", "  - b\n".repeat(COMPONENTS_MAX + 1));
        assert_eq!(read(&parts, "").components(), COMPONENTS_MAX);
    }

    #[test]
    fn requirements_are_written_as_the_market_prints_them() {
        let requirements = read("- [ ] Add it\n", "It must be tested.");
        let json = serde_json::to_value(&requirements).expect("JSON");
        assert_eq!(
            json,
            serde_json::json!({
                "explicit_requirements": [{"id": "req_1", "checkbox": "Add it", "components": ["Add it"]}],
                "implicit_requirements": [{
                    "id": "req_implicit_1", "text": "It must be tested.", "reasoning": "`CLAUDE.md` demands it in line 1",
                }],
                "extracted_by": "rules",
            })
        );
    }
}
