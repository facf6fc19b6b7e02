//! A directive asks for something that has a file of its own kind, and the change has no such file.

use std::sync::LazyLock;

use assize_core::diff::{Diff, FileChange};
use regex::Regex;

use crate::claim::sentences;

/// What is asked for, and by what its file is known: a part of the path, in lower case, or of a line that came.
const KINDS: [(&str, &str, &[&str]); 10] = [
    ("make target", r"make ?(?:file )?(?:target|rule)s?|make-targets?", &["makefile", ".mk"]),
    ("package script", r"(?:npm|pnpm|yarn|package(?:\.json)?) scripts?", &["package.json"]),
    ("rake task", r"rake[ -]tasks?|tâche rake|tarea (?:de )?rake", &["rakefile", ".rake"]),
    ("recipe", r"just recipes?|recipe (?:in|to) the justfile", &["justfile"]),
    ("workflow", r"github (?:actions? )?workflow|(?:github )?actions workflow|ci (?:workflow|job)", &[".github/", ".gitlab-ci", "circleci", "jenkinsfile", "pipelines"]),
    ("migration", r"(?:(?:database|db|schema|sql|alembic|rails|django|flyway|knex|prisma|ecto) )?migration", &["migrat", "alembic", "changelog/", "/versions/", "schema"]),
    ("Dockerfile", r"dockerfile", &["dockerfile", "containerfile"]),
    ("benchmark", r"(?:micro-?)?benchmark", &["bench", "perf", "jmh"]),
    ("story", r"storybook (?:story|stories)|stories for", &[".stories."]),
    ("man page", r"man[ -]?page", &["man/", ".1", ".adoc", ".scd", ".ronn"]),
];

/// Returns what a text asks to be written and the change has nothing of.
pub(super) fn missing(request: &str, diff: &Diff) -> Option<&'static str> {
    static ORDERS: LazyLock<Vec<(&str, Regex, &[&str])>> = LazyLock::new(|| {
        let verbs = r"(?:add|create|write|need|want|make|provide|introduce|set up|generate|il (?:me|nous) faut|ajoute[rz]?|añade|crea|füge|schreib(?:e|en)?|leg(?:e|en)?|brauch(?:e|en)?)";
        let form = |thing: &str| Regex::new(&format!(r"(?i-u)^[ -/:-@]*\ban? (?:new )?(?:{thing})\b|\b{verbs}\b[ -~]{{0,24}}?\b(?:a|an|one|the|une?|un|eine?n?|new|neue?n?)\b (?:[\w.-]+ ){{0,2}}?(?:{thing})\b")).expect("valid pattern");
        KINDS.iter().map(|(name, thing, marks)| (*name, form(thing), *marks)).collect()
    });
    static UNLESS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:no|not|don(?:'|’)?t|without|if|unless|when|later|maybe|could|optional\w*|after|before|like|existing|already|see)\b|\?").expect("valid pattern")
    });
    let is_there = |marks: &[&str]| {
        let has = |file: &FileChange| {
            let path = file.path.to_lowercase();
            marks.iter().any(|mark| path.contains(mark)) || file.added_lines().any(|(_, line)| marks.iter().any(|mark| line.to_lowercase().contains(mark)))
        };
        diff.files.iter().any(has)
    };
    let asked: Vec<&str> = sentences(request).filter(|sentence| !UNLESS.is_match(sentence)).collect();
    let wanted = |order: &Regex| asked.iter().any(|sentence| order.is_match(sentence));
    ORDERS.iter().find(|(_, order, marks)| wanted(order) && !is_there(marks)).map(|(name, ..)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::{modified, with_files};

    #[test]
    fn what_has_a_file_of_its_own_is_looked_for_by_it() {
        for (request, path, expected) in [
            ("Add a make target for the docs.", "docs/conf.py", Some("make target")),
            ("Add a make target for the docs.", "Makefile", None),
            ("Il me faut une tâche rake `sessions:purge`.", "lib/session.rb", Some("rake task")),
            ("Il me faut une tâche rake `sessions:purge`.", "lib/tasks/sessions.rake", None),
            ("For ops:\n- --dry-run\n- a make target payouts-dry", "payouts/__main__.py", Some("make target")),
            ("Rename the column. Write a migration.", "app/models/user.rb", Some("migration")),
            ("Rename the column. Write a migration.", "db/migrate/1_rename.rb", None),
            ("Rename the column, no migration needed.", "app/models/user.rb", None),
            ("Speed it up and add a benchmark for it.", "src/lib.rs", Some("benchmark")),
            ("Run the benchmark before and after.", "src/lib.rs", None),
            ("Fix the migration of last week.", "app/models/user.rb", None),
        ] {
            let evidence = with_files(vec![modified(path, "+x\n")]);
            assert_eq!(missing(request, evidence.diff.get().unwrap()), expected, "{request} {path}");
        }
    }
}
