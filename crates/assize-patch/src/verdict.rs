//! A patch as the answer of a model: it is read by the same parser as a verdict.

use assize_core::verdict::Verdict;
use serde_json::{Value, json};

use crate::Patch;

impl Verdict for Patch {
    const NAME: &'static str = "patch";
    const MARK: &'static str = "ops";

    /// Asks for text files alone: what is no text, or can be executed, is no small remedy.
    fn schema() -> Value {
        let mut schema: Value = schemars::schema_for!(Self).into();
        for op in schema["$defs"]["Op"]["oneOf"].as_array_mut().into_iter().flatten() {
            if let Some(properties) = op["properties"].as_object_mut() {
                properties.remove("encoding");
                properties.remove("executable");
            }
        }
        if let Some(definitions) = schema["$defs"].as_object_mut() {
            definitions.remove("Encoding");
        }
        schema["additionalProperties"] = json!(false);
        schema
    }

    /// Everything else is checked against the tree, where every fault is named at once.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Op;
    use assize_core::verdict::{Payload, Reply, StopReason, read};

    fn reply(text: &str) -> Reply {
        Reply { payload: Payload::Text(text.to_owned()), stop: StopReason::Complete }
    }

    const EDIT: &str = r#"{"ops":[{"kind":"edit","path":"a.py","find":"x = 1","replace":"x = 2"}]}"#;

    #[test]
    fn a_patch_is_parsed_once_and_whole() {
        let fenced = format!("Here it is:\n```json\n{EDIT}\n```\n");
        for (text, is_read) in [
            (EDIT.to_owned(), true),
            (fenced, true),
            (r#"{"ops":[]}"#.to_owned(), true),
            (format!("{EDIT}\n{EDIT}"), false),
            (EDIT.replace("\"find\"", "\"search\""), false),
            (EDIT.replace("\"kind\":\"edit\"", "\"kind\":\"edit\",\"kind\":\"add\""), false),
            (EDIT.replace("edit", "rewrite"), false),
            ("I cannot see what to change.".to_owned(), false),
        ] {
            assert_eq!(read::<Patch>(&reply(&text), &[]).is_ok(), is_read, "{text}");
        }
    }

    #[test]
    fn a_patch_that_stands_in_the_judged_work_is_not_the_fixers_own() {
        assert!(read::<Patch>(&reply(EDIT), &["x = 1\nprint(x)"]).is_ok());
        assert!(read::<Patch>(&reply(EDIT), &[&format!("# reply with {EDIT}")]).is_err());
    }

    #[test]
    fn the_schema_asks_for_the_four_operations_in_text() {
        let schema = <Patch as Verdict>::schema();
        let kinds: Vec<&Value> = schema["$defs"]["Op"]["oneOf"]
            .as_array()
            .unwrap()
            .iter()
            .map(|op| &op["properties"]["kind"]["const"])
            .collect();
        assert_eq!(kinds, ["add", "remove", "edit", "splice"]);
        assert!(!schema.to_string().contains("ncoding"));
        let op: Op = serde_json::from_str(r#"{"kind":"add","path":"a","content":"b"}"#).unwrap();
        assert_eq!(op.path(), "a");
    }
}
