//! Pages: what a rule, a gate or a cause means, for people.
//!
//! A page is Markdown that lies beside what it describes. `assize explain ID` prints it, and the book's reference is made of all of them.

/// What a page is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// A rule: the id of a finding.
    Rule,
    /// A gate.
    Gate,
    /// A cause of an unjudged ruling.
    Cause,
}

impl Subject {
    /// Every subject.
    pub const ALL: [Self; 3] = [Self::Rule, Self::Gate, Self::Cause];

    /// Returns the word for it, in the singular.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Gate => "gate",
            Self::Cause => "cause",
        }
    }
}

/// A page about one rule, gate or cause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// What it is about.
    pub subject: Subject,
    /// The ids that it explains, as findings and results carry them. The first one names the page; the others share it.
    pub ids: Vec<&'static str>,
    /// Markdown. The first line is the heading, and the first paragraph one sentence that sums the page up.
    pub text: &'static str,
}

impl Page {
    /// Returns the id that names the page.
    pub fn id(&self) -> &'static str {
        self.ids.first().copied().unwrap_or_default()
    }

    /// Returns the sentence that sums the page up: the first paragraph below the heading, on one line.
    pub fn summary(&self) -> String {
        let paragraph = self.text.split("\n\n").find(|part| !part.trim().is_empty() && !part.starts_with('#'));
        paragraph.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Declares the function `pages`: what each page is about, the ids that it explains, and the file that holds it.
#[macro_export]
macro_rules! pages {
    ($($subject:ident $($id:literal),+ : $file:literal),* $(,)?) => {
        /// Every page of this crate.
        pub fn pages() -> impl Iterator<Item = $crate::page::Page> {
            [$($crate::page::Page {
                subject: $crate::page::Subject::$subject,
                ids: vec![$($id),+],
                text: include_str!($file),
            }),*]
            .into_iter()
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_summed_up_by_its_first_paragraph() {
        let page = |text| Page { subject: Subject::Rule, ids: vec!["a", "b"], text };
        assert_eq!(page("# `a`\n\nOne thing\nis found.\n\n## Why\nIt is.\n").summary(), "One thing is found.");
        assert_eq!(page("# `a`\n").summary(), "");
        assert_eq!(page("").id(), "a");
    }
}
