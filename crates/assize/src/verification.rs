//! Runs the project's checks for a stop, by the configuration.

use assize_engine::court::stop::verification::{VerificationTerms, verify};
use assize_engine::process::end_with_us;
use assize_engine::work_tree::WorkTree;
use assize_stop::verification::{StopVerification, VerificationRequest};

use crate::config::Config;
use crate::host::Host;

/// Runs the checks that a stop calls for. What keeps them from running is part of the result.
pub fn run_checks(request: &VerificationRequest, config: &Config, host: &Host) -> StopVerification {
    let terms = match config.review_terms(host, Vec::new(), &[], None) {
        Ok(terms) => terms,
        Err(failure) => {
            return StopVerification { asked: request.kinds.clone(), ..StopVerification::not_run(failure.what) };
        }
    };
    // A hook that is ended leaves nothing running.
    let _ = end_with_us();
    let terms = VerificationTerms { gates: &terms.gates, limit: config.verify_limit };
    verify(request, &terms, &WorkTree::project(&host.folder))
}
