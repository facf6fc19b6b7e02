//! Every page about a rule, a gate or a cause, and how one is found by an id.
//!
//! Each court and each set of checks keeps its own pages. To add some, add the function that lists them to `pages!` below.

use assize_core::page::Page;

use crate::spelling::near;

/// Declares the functions that list pages.
macro_rules! pages {
    ($($list:path,)*) => {
        /// Every page, in the order of the lists.
        pub fn all() -> Vec<Page> {
            let mut pages = Vec::new();
            $(pages.extend($list());)*
            pages
        }
    };
}

pages! {
    assize_stop::rule::pages,
    assize_gate::gate::pages,
    assize_gate::pages::pages,
    assize_check::pages::pages,
    assize_brief::pages::pages,
    assize_eval::pages::pages,
    assize_core::pages::pages,
}

/// Returns the pages that explain an id. Further forms write an id behind a category or a gate, as in `security/secret`,
/// `pytest/failed-test` or `schema-json/invalid`: where the whole is unknown, both parts joined count, and then the last part that is known.
pub fn about(id: &str) -> Vec<Page> {
    let all = all();
    let explains = |id: &str| -> Vec<Page> { all.iter().filter(|page| page.ids.contains(&id)).cloned().collect() };
    let joined = id.replace('/', "-");
    let parts = id.rsplit('/').filter(|part| *part != id);
    [id, &joined].into_iter().chain(parts).map(explains).find(|pages| !pages.is_empty()).unwrap_or_default()
}

/// Names the ids that are spelled nearly like an unknown one, or that contain it; nearest first.
pub fn similar(id: &str) -> Vec<&'static str> {
    let mut ids: Vec<&'static str> = all().into_iter().flat_map(|page| page.ids).collect();
    ids.sort_unstable();
    ids.dedup();
    let found = near(id, ids.iter().copied(), strsim::osa_distance);
    let contains = |known: &&str| !id.is_empty() && known.split('-').any(|word| word == id);
    if found.is_empty() { ids.into_iter().filter(contains).take(crate::spelling::OFFERED_MAX).collect() } else { found }
}

/// Returns the line that says how to read about one of these ids; `None` where no page is about any of them.
pub fn pointer<'a>(ids: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let all = all();
    let page = |id: &'a str| all.iter().find(|page| page.ids.contains(&id)).map(|page| (page.subject, id));
    let (subject, id) = ids.into_iter().find_map(page)?;
    Some(format!("explain a {}: assize explain {id}", subject.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_found_by_an_id_and_behind_a_category() {
        let named = |id: &str| about(id).iter().map(Page::id).collect::<Vec<_>>();
        for (id, expected) in [
            ("placeholder-added", &["placeholder-added"][..]),
            ("pytest/failed-test", &["failed-test"]),
            ("pytest/no-such-code", &["pytest"]),
            ("schema-json/invalid", &["schema-json-invalid"]),
            ("work/test-deleted", &["test-deleted"]),
            ("nothing-of-the-kind", &[]),
            ("", &[]),
        ] {
            assert_eq!(named(id), expected, "{id}");
        }
    }

    #[test]
    fn an_unknown_id_is_near_to_what_may_be_meant() {
        for (id, expected) in [
            ("placeholder-aded", &["placeholder-added"][..]),
            ("pytst", &["pytest"]),
            ("tampered", &["gate-tampered"]),
            ("zzzzzz", &[]),
            ("", &[]),
        ] {
            assert_eq!(similar(id), expected, "{id}");
        }
    }

    #[test]
    fn a_result_points_to_the_first_id_that_is_explained() {
        let pointed = |ids: &[&'static str]| pointer(ids.iter().copied());
        assert_eq!(pointed(&["no-page", "mypy", "secret"]).as_deref(), Some("explain a gate: assize explain mypy"));
        assert_eq!(pointed(&["secret", "mypy"]).as_deref(), Some("explain a rule: assize explain secret"));
        assert_eq!(pointed(&["no-page"]), None);
    }

    #[test]
    fn no_two_pages_of_a_subject_share_an_id() {
        let mut ids: Vec<_> =
            all().into_iter().flat_map(|page| page.ids.into_iter().map(move |id| (page.subject, id))).collect();
        ids.sort_unstable();
        let before = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), before);
    }
}
