//! What the market reads from others: specifications, guidelines, bids, events, tables of outcomes, and what `gh` prints.

#![no_main]

use assize_market::bid::Bid;
use assize_market::checklist::{boxes, set};
use assize_market::event::MarketEvent;
use assize_market::policy::PastOutcomes;
use assize_market::requirement::{Guideline, Requirements};
use assize_engine::market::source::github::issue_of;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((kind, data)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(data) else { return };
    match kind % 5 {
        0 => {
            let Ok(found) = boxes(text) else { return };
            let guideline = Guideline { path: "CLAUDE.md".to_owned(), text: text.to_owned() };
            let requirements = Requirements::by_rules(&found, &[guideline]);
            assert!(requirements.explicit_requirements.len() <= found.len());
            // Ticking one box changes one byte, and no other box.
            if let Some(chosen) = found.first() {
                let ticked = set(text, &chosen.name(), !chosen.ticked).expect("it is there").expect("it changes");
                assert_eq!(ticked.bytes().zip(text.bytes()).filter(|(one, other)| one != other).count(), 1);
                let again = boxes(&ticked).expect("it can be read again");
                let states = |all: &[assize_market::checklist::Checkbox]| {
                    all.iter().map(|one| one.ticked).collect::<Vec<_>>()
                };
                assert_eq!(states(&again)[1..], states(&found)[1..]);
            }
        }
        1 => {
            if let Ok(bid) = Bid::read(text) {
                assert_eq!(Bid::read(&serde_json::to_string(&bid).expect("JSON")), Ok(bid));
            }
        }
        2 => {
            if let Ok(event) = MarketEvent::read(text) {
                assert_eq!(MarketEvent::read(&event.to_json()), Ok(event.clone()));
                assert!(!event.file_name().contains('/'));
            }
        }
        3 => {
            let _ = PastOutcomes::read(text);
        }
        _ => {
            if let Ok(issue) = issue_of(text) {
                let _ = boxes(&issue.body);
            }
        }
    }
});
