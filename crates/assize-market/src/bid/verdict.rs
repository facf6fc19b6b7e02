//! A bid as the answer of a model: it is read by the same parser as a verdict.

use assize_core::verdict::Verdict;
use serde_json::Value;

use super::Bid;

impl Verdict for Bid {
    const NAME: &'static str = "bid";
    const MARK: &'static str = "success_probability";

    fn schema() -> Value {
        let mut schema: Value = schemars::schema_for!(Self).into();
        schema["properties"]["success_probability"]["minimum"] = 0.into();
        schema["properties"]["success_probability"]["maximum"] = 1.into();
        schema["properties"]["changes"]["minItems"] = 1.into();
        schema
    }

    fn check(&self) -> Result<(), String> {
        self.fault().map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_core::verdict::{Payload, Reply, StopReason, read};

    #[test]
    fn a_bid_is_parsed_once_and_whole() {
        let bid = r#"{"approach":"Add it.","changes":[{"path":"a.py","kind":"edit","requirements":["req_1"]}],"estimated_lines":4,"risk":"None.","success_probability":0.9}"#;
        let read = |text: &str| {
            read::<Bid>(&Reply { payload: Payload::Text(text.to_owned()), stop: StopReason::Complete }, &[])
        };
        assert!(read(bid).is_ok_and(|bid| bid.changes.len() == 1), "{:?}", read(bid));
        assert!(read(&format!("{bid}\n{bid}")).is_err(), "which of them?");
        assert!(read(&bid.replace("0.9", "1.1")).is_err());
        assert!(read(&bid.replace("\"edit\"", "\"rewrite\"")).is_err());
    }
}
