//! What is found in a change without running anything: secrets and other dangers, faults of schemas, weaknesses of tests and code.
//!
//! # Example
//!
//! ```rust
//! use assize_check::security::{FileVersions, RequestedChanges, SecurityChange, findings};
//! use assize_check::weakness::find;
//!
//! let code = "import requests\n\ndef load(url):\n    return requests.get(url, verify=False)\n";
//! let weaknesses = find("client.py", code);
//! assert_eq!((weaknesses[0].rule.as_str(), weaknesses[0].line), ("tls-unverified", 4));
//! assert!(weaknesses[0].certain);
//!
//! // A change adds a dependency whose name is easily taken for that of a known package.
//! let requirements = FileVersions {
//!     path: "requirements.txt".to_owned(),
//!     before: Some("flask==3.0.0\n".to_owned()),
//!     after: Some("flask==3.0.0\nreqeusts==2.32.0\n".to_owned()),
//! };
//! let change = SecurityChange { files: vec![requirements], beside: Vec::new(), base_known: true };
//! let found = findings(&change, &RequestedChanges::by("Load prices from the shop's server."));
//! let rules: Vec<&str> = found.iter().map(|finding| finding.rule.as_str()).collect();
//! assert_eq!(rules, ["security-dependency-added", "security-dependency-lookalike"]);
//! ```

pub mod pages;
pub mod record_type;
pub mod schema;
pub mod security;
pub mod weakness;
