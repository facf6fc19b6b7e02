//! The report about a tour.

use units::{format_length, Length};

/// Writes one line per leg and the total.
pub fn tour(legs: &[(&str, f64)]) -> String {
    let mut text = String::new();
    for (name, metres) in legs {
        let length = format_length(*metres, Length::Kilometre);
        text.push_str(&format!("{name}: {length}\n"));
    }
    let total = legs.iter().fold(0.0, |sum, (_, metres)| sum + metres);
    text.push_str(&format!(
        "total: {}\n",
        format_length(total, Length::Kilometre, 0)
    ));
    text
}
