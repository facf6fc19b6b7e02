//! The I/O shell of Assize: carries out the effects that courts ask for.
//!
//! Processes, git, HTTP, the ledger and the clock are here. Nothing here decides what the judged work is worth. The
//! pure crates decide that, so that each decision can be tested and replayed without any I/O.
//!
//! # Example
//!
//! A patch is applied to a folder completely or not at all. The result includes the inverse patch.
//!
//! ```rust
//! use assize_engine::patch::{PatchError, PatchTerms, Patcher};
//! use assize_patch::{PatchForm, PatchInput, PatchLimits};
//!
//! let folder = tempfile::tempdir()?;
//! let file = folder.path().join("price.py");
//! std::fs::write(&file, "def total(net):\n    return net\n")?;
//! let edit = |find: &str, replace: &str| {
//!     let op = serde_json::json!({"kind": "edit", "path": "price.py", "find": find, "replace": replace});
//!     let document = serde_json::json!({"ops": [op]}).to_string();
//!     PatchInput::read(document.as_bytes(), PatchForm::Json, &PatchLimits::default()).expect("a sound document")
//! };
//!
//! let patcher = Patcher::open(folder.path())?;
//! let applied = patcher.apply(&PatchTerms::default(), &edit("return net", "return net * 1.19"))?;
//! assert_eq!(std::fs::read_to_string(&file)?, "def total(net):\n    return net * 1.19\n");
//!
//! let unfit = patcher.apply(&PatchTerms::default(), &edit("return gross", "return 0")).err();
//! assert!(matches!(unfit, Some(PatchError::Unfit(faults)) if faults[0].at == "ops[0].find"));
//!
//! patcher.apply(&PatchTerms::default(), &PatchInput::Operations(applied.inverse))?;
//! assert_eq!(std::fs::read_to_string(&file)?, "def total(net):\n    return net\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod brief;
pub mod court;
pub mod database;
pub mod evidence;
pub mod expand;
pub mod fix;
pub mod fixer;
pub mod gate;
pub mod generation;
pub mod git;
pub mod judge;
pub mod ledger;
pub mod ledger_place;
pub mod market;
pub mod own_snapshot;
pub mod patch;
pub mod private_file;
pub mod process;
mod process_tree;
pub mod random;
pub mod records;
pub mod regular_file;
#[cfg(target_os = "linux")]
pub mod sandbox;
pub mod schema;
pub mod scratch;
pub mod search_path;
pub mod security;
pub mod session_files;
pub mod syntax;
pub mod transcript;
pub mod tree;
pub mod tree_journal;
pub mod work_copy;
pub mod work_tree;
