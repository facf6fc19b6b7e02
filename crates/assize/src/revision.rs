//! What is said of a revision that names no commit.

use assize_engine::git::Repository;

use crate::exit::Failure;
use crate::spelling;

/// Says that a revision names no commit, and what may have been meant.
pub fn unknown(option: &str, revision: &str, repository: &Repository) -> Failure {
    let failure = Failure::new(format!("{option} {revision}: no such commit in {}", repository.root().display()));
    // Without the names it is just as unknown.
    let names = repository.branches_and_tags().unwrap_or_default();
    match near(revision, &names)[..] {
        [] if repository.is_shallow() => {
            failure.hint("this is a shallow clone, which has only its last commits; fetch more of them")
        }
        [] => failure.hint("it is no branch, no tag and no commit here; `git branch --all` and `git tag` list some"),
        ref near => {
            let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
            failure.hint(format!("there is {}", near.join(", ")))
        }
    }
}

/// Names what is spelled nearly like a revision, nearest first. `main~2` is looked for as `main`, and a branch that only
/// somebody else has, as in `origin/main`, is near to its own name.
fn near<'a>(revision: &str, names: &'a [String]) -> Vec<&'a str> {
    let wanted = revision.split(['~', '^', '@', ':']).next().unwrap_or_default();
    spelling::near(wanted, names.iter().map(String::as_str), |wanted, name| {
        let own = name.split_once('/').map_or(name, |(_, own)| own);
        strsim::osa_distance(wanted, name).min(strsim::osa_distance(wanted, own))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_near_up_to_a_third_of_their_letters() {
        let names = ["main", "origin/main", "release-1.0", "release-1.1", "release-1.2", "release-1.3", "v2"];
        let names = names.map(str::to_owned);
        for (revision, expected) in [
            ("mian", &["main", "origin/main"][..]),
            ("mian~3", &["main", "origin/main"]),
            ("mmaain", &["main", "origin/main"]),
            ("mmmaain", &[]),
            ("orign/main", &["origin/main"]),
            ("release-1.4", &["release-1.0", "release-1.1", "release-1.2"]),
            ("v3", &[]),
            ("nope", &[]),
            ("", &[]),
        ] {
            assert_eq!(near(revision, &names), expected, "{revision}");
        }
    }
}
