//! The result of the stop court as programs read it.

use assize_core::envelope::Envelope;

use crate::court::StopRecord;
use crate::verdict::StopVerdict;

/// Puts a ruling of the stop court into its outer shape.
pub fn envelope(record: &StopRecord) -> Envelope<StopVerdict> {
    let inputs = &record.inputs;
    Envelope {
        fingerprint: inputs.evidence.as_ref().map(|evidence| evidence.fingerprint.clone()),
        ..Envelope::new("stop", &record.decision.ruling, &inputs.findings, &inputs.opinions)
    }
}
