//! What a corrector answers that revises the template of a generator.

use assize_core::verdict::{Verdict, at_most, check_text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::record::HASH_DIGITS;

/// Most characters of a template.
pub const TEMPLATE_CHARS_MAX: usize = 100_000;
/// Most rules that are listed.
const RULES_MAX: usize = 100;
/// Most characters of a rule.
const RULE_CHARS_MAX: usize = 4_000;

/// A template as it was revised.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TemplateRevision {
    /// The whole template.
    pub template: String,
    /// What was added or changed.
    pub rules: Vec<TemplateRule>,
}

/// A rule that was added to a template, or changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TemplateRule {
    /// The mode that it is for.
    pub mode: String,
    /// What changed.
    pub rule: String,
}

impl TemplateRevision {
    /// Returns the hash of the template.
    pub fn hash(&self) -> String {
        blake3::hash(self.template.as_bytes()).to_hex()[..HASH_DIGITS].to_owned()
    }
}

impl Verdict for TemplateRevision {
    const NAME: &'static str = "template_revision";
    const MARK: &'static str = "rules";

    fn schema() -> Value {
        let mut schema: Value = schemars::schema_for!(Self).into();
        schema["properties"]["rules"]["maxItems"] = RULES_MAX.into();
        schema
    }

    fn check(&self) -> Result<(), String> {
        check_text("template", &self.template, TEMPLATE_CHARS_MAX)?;
        at_most("rules", self.rules.len(), RULES_MAX)?;
        self.rules.iter().try_for_each(|rule| check_text("rule", &rule.rule, RULE_CHARS_MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_has_its_limits() {
        let of = |chars: usize, rules: usize, says: &str| TemplateRevision {
            template: "x".repeat(chars),
            rules: (0..rules).map(|_| TemplateRule { mode: "m".to_owned(), rule: says.to_owned() }).collect(),
        };
        for (revision, says) in [
            (of(TEMPLATE_CHARS_MAX, RULES_MAX, "Say it."), ""),
            (of(1, 0, ""), ""),
            (of(TEMPLATE_CHARS_MAX + 1, 0, ""), "`template` has 100001"),
            (of(0, 0, ""), "`template` has no words"),
            (of(1, RULES_MAX + 1, "Say it."), "`rules` has 101"),
            (of(1, 1, "…"), "`rule` has no words"),
            (of(1, 1, &"x".repeat(RULE_CHARS_MAX + 1)), "`rule` has 4001"),
        ] {
            let found = revision.check().err().unwrap_or_default();
            assert!(found.starts_with(says) && found.is_empty() == says.is_empty(), "{says}: {found}");
        }
    }
}
