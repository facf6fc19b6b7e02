//! Looks up the places that bids name: the files of a tree, their units, and their public names.
//!
//! This module must not know what a bid is worth.

use std::collections::BTreeSet;

use assize_market::bid::RepositoryIndex;

use crate::brief::TreeSurvey;

/// Lookups in a survey.
pub struct SurveyLookup<'a> {
    survey: &'a TreeSurvey,
    /// The paths of its units, the longest first.
    units: Vec<String>,
}

impl<'a> SurveyLookup<'a> {
    /// Makes lookups in a survey.
    pub fn of(survey: &'a TreeSurvey) -> Self {
        let mut units: Vec<String> = survey.brief().structure.units.into_iter().map(|unit| unit.name).collect();
        units.sort_by(|one, other| other.len().cmp(&one.len()).then(one.cmp(other)));
        Self { survey, units }
    }
}

impl RepositoryIndex for SurveyLookup<'_> {
    fn has_file(&self, path: &str) -> bool {
        self.survey.has(path)
    }

    fn module_of(&self, path: &str) -> String {
        let within = |unit: &&String| path.strip_prefix(unit.as_str()).is_some_and(|rest| rest.starts_with('/'));
        let folder = || path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        self.units.iter().filter(|unit| !unit.is_empty()).find(within).cloned().unwrap_or_else(folder)
    }

    fn public_names(&self, path: &str) -> BTreeSet<String> {
        let full = |name: assize_brief::public::PublicName| match name.owner {
            Some(owner) => format!("{owner}.{}", name.name),
            None => name.name,
        };
        self.survey.public_names_of(path).into_iter().map(full).collect()
    }
}

#[cfg(test)]
mod tests {
    use assize_testkit::repo::Repo;

    use super::*;
    use crate::brief::survey;

    #[test]
    fn bid_places_are_looked_up() {
        let repo = Repo::with_commit(&[
            ("Cargo.toml", "[package]\nname = \"small\"\nversion = \"0.1.0\"\n"),
            ("src/lib.rs", "pub mod auth;\n"),
            (
                "src/auth/mod.rs",
                "pub fn mint() {}\nfn quiet() {}\npub struct Token;\nimpl Token {\n    pub fn verify(&self) {}\n}\n",
            ),
        ]);
        let survey = survey(&repo.path(), None);
        let lookup = SurveyLookup::of(&survey);
        assert!(lookup.has_file("src/auth/mod.rs") && !lookup.has_file("src/auth/gone.rs"));
        let names: Vec<String> = lookup.public_names("src/auth/mod.rs").into_iter().collect();
        assert_eq!(names, ["Token", "Token.verify", "mint"]);
        assert!(lookup.public_names("src/auth/gone.rs").is_empty());
        let modules =
            ["src/auth/mod.rs", "src/auth/new.rs", "docs/new.md", "new.md"].map(|path| lookup.module_of(path));
        assert_eq!(modules[0], modules[1]);
        assert_eq!((modules[2].as_str(), modules[3].as_str()), ("docs", ""));
    }
}
