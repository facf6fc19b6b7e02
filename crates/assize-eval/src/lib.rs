//! The data-set court: which records are good, and how far the judge that says so can be trusted.
//!
//! # Examples
//!
//! A rubric says in which modes a record can fail. A clause of it is computed; no judge is asked.
//!
//! ```rust
//! use assize_eval::record::Record;
//! use assize_eval::rubric::Rubric;
//!
//! let (rubric, clauses) = Rubric::read(
//!     r#"
//!     rubric = 1
//!     id = "answers"
//!     subject = "an answer to a customer"
//!
//!     [[mode]]
//!     id = "terse"
//!     asks = "Does the answer say enough?"
//!
//!     [[mode.clause]]
//!     fails = "words(record.answer) < 3"
//!     says = "fewer than 3 words"
//!     "#,
//! )
//! .expect("a sound rubric");
//! let record = Record::of(serde_json::json!({"id": 7, "answer": "Restart it."}), "id")?;
//! let failed = clauses.broken_by(&record.fields);
//! assert_eq!(rubric.modes[failed[0].mode].clauses[failed[0].clause].says, "fewer than 3 words");
//! # Ok::<(), String>(())
//! ```
//!
//! A judge is calibrated against labels of people. It is trusted only where enough labels show that it
//! agrees with them.
//!
//! ```rust
//! use assize_eval::judge_evaluation::calibrate::{Belief, try_judge};
//! use assize_eval::judge_evaluation::rated_record::RatedRecord;
//! use assize_eval::rubric::Trust;
//!
//! // Whether a record fails by the judge and by a person, and how many such records there are.
//! let counts = [(true, true, 40), (true, false, 2), (false, true, 2), (false, false, 56)];
//! let rated = |(judge, person, count)| {
//!     let record = RatedRecord { judge: vec![Some(judge)], person: vec![Some(person)], strata: Vec::new() };
//!     vec![record; count]
//! };
//! let records: Vec<RatedRecord> = counts.into_iter().flat_map(rated).collect();
//!
//! let evaluation = try_judge(&["terse"], &[], &records, &Trust::default());
//! assert_eq!(evaluation.belief, Belief::Trusted);
//! assert!(evaluation.modes[0].kappa.is_some_and(|kappa| kappa.low > 0.6));
//!
//! let too_few = try_judge(&["terse"], &[], &records[30..50], &Trust::default());
//! assert_eq!(too_few.belief, Belief::Inconclusive);
//! ```

pub mod calibration;
pub mod court;
pub mod envelope;
pub mod judge_evaluation;
pub mod pages;
pub mod prompt;
pub mod record;
pub mod requests;
pub mod rubric;
pub mod run;
pub mod verdict;
