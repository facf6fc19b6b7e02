//! The user asked for a change of something, the final message speaks of it, and it is as it was.

use assize_core::finding::{Certainty, Severity};
use assize_core::text::quote;

use super::failing_check::is_alone;
use super::{Findings, Needs, Rule};
use crate::claim::{asks_user, names_obstacle};
use crate::evidence::Evidence;
use crate::names::NameSource;

/// See the module.
pub struct HandedBack;

impl Rule for HandedBack {
    fn id(&self) -> &'static str {
        "handed-back"
    }

    fn needs(&self) -> Needs {
        Needs::DiffAndTranscript
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let (Some(diff), Some(facts)) = (evidence.diff.get(), evidence.transcript.get()) else { return };
        let message = evidence.message();
        if names_obstacle(message).is_some() || asks_user(message).is_some() || evidence.changed() != Some(true) {
            return;
        }
        for sighting in evidence.names.iter().filter(|sighting| sighting.name.source == NameSource::HandedBack) {
            // A command that names the file may have changed it, or put it into a commit.
            let by_command = |place: &str| facts.commands.iter().any(|run| !run.only_looks() && run.command.inspect().contains(place));
            let is_touched = |place: &String| diff.file(place).is_some() || facts.edits.iter().any(|edit| edit.path == *place) || by_command(place);
            let [place] = sighting.places.as_slice() else { continue };
            if is_touched(place) {
                continue;
            }
            let sure = is_alone(evidence) && facts.delegation_step.is_none();
            findings.file(
                Severity::Error,
                if sure { Certainty::Certain } else { Certainty::Likely },
                format!(
                    "The final message speaks of {} as part of the work, and {} is as it was. Do what was asked for there, or say why nothing had to change.",
                    quote(&sighting.name.text),
                    quote(place)
                ),
            );
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::{Name, NameKind, NameSighting};
    use crate::rule::testing::{changed, grades};

    fn after(places: &[&str], path: &str) -> Vec<Certainty> {
        let name = Name { source: NameSource::HandedBack, kind: NameKind::Word, text: "deliver".to_owned() };
        let names = vec![NameSighting { name, places: places.iter().map(|place| (*place).to_owned()).collect() }];
        grades(&HandedBack, &Evidence { names, ..changed(path, "+x\n") })
    }

    #[test]
    fn what_the_user_is_told_to_do_was_not_done() {
        assert_eq!(after(&["hooks/sender.py"], "hooks/backoff.py"), [Certainty::Certain]);
        assert_eq!(after(&["hooks/sender.py"], "hooks/sender.py"), []);
        assert_eq!(after(&["hooks/sender.py", "hooks/other.py"], "hooks/backoff.py"), []);
        assert_eq!(after(&[], "hooks/backoff.py"), []);
    }
}
