//! The audit of past sessions, for people.

use std::fmt::Write as _;

use assize_core::text::beginning;
use assize_stop::audit::{AuditedClaim, AuditedProject, AuditedSession, ClaimSubject, ClaimSupport, ClaimTally};
use assize_stop::envelope::AuditEnvelope;
use minijinja::{AutoEscape, Environment, context};

use super::{count, visible};
use crate::output::{BAD, DOUBTFUL, STRONG, quiet, styled};

const PAGE: &str = include_str!("audit/page.html");
const TABLE: &str = include_str!("audit/table.html");
/// Claims of each kind that are shown where not all are asked for.
const SHOWN: usize = 10;
/// Characters of a command that are shown.
const COMMAND_SHOWN: usize = 160;
/// Projects that are shown where not all are asked for.
const PROJECTS_SHOWN: usize = 12;
/// The kinds of support that are worth looking at, the worst first.
const OPEN: [ClaimSupport; 3] = [ClaimSupport::Contradicted, ClaimSupport::Unsupported, ClaimSupport::Unknown];

fn heading(support: ClaimSupport) -> &'static str {
    match support {
        ClaimSupport::BorneOut => "Borne out by a run",
        ClaimSupport::Contradicted => "Contradicted by the session",
        ClaimSupport::Unsupported => "Without a run that shows it",
        ClaimSupport::Unknown => "Cannot be told",
    }
}

fn claims(audit: &AuditEnvelope, support: ClaimSupport) -> impl Iterator<Item = (&AuditedSession, &AuditedClaim)> {
    audit
        .sessions
        .iter()
        .flat_map(|session| session.claims.iter().map(move |claim| (session, claim)))
        .filter(move |(_, claim)| claim.support == support)
}

fn totals(audit: &AuditEnvelope) -> String {
    let stops: u64 = audit.sessions.iter().map(|session| session.stops).sum();
    let claims: usize = audit.sessions.iter().map(|session| session.claims.len()).sum();
    format!(
        "{} · {} · {} · {}",
        count(audit.projects.len() as u64, "project", "projects"),
        count(audit.sessions.len() as u64, "session", "sessions"),
        count(stops, "stop", "stops"),
        count(claims as u64, "claim", "claims"),
    )
}

/// The numbers of a row: claims, borne out, contradicted, without a run, unknown.
fn cells(tally: &ClaimTally) -> [u64; 5] {
    [
        tally.all(),
        tally.of(ClaimSupport::BorneOut),
        tally.of(ClaimSupport::Contradicted),
        tally.of(ClaimSupport::Unsupported),
        tally.of(ClaimSupport::Unknown),
    ]
}

const COLUMNS: [&str; 5] = ["claims", "borne out", "contradicted", "no run", "unknown"];

/// All projects as one.
fn together(audit: &AuditEnvelope) -> AuditedProject {
    let mut all = AuditedProject::default();
    for project in &audit.projects {
        all.sessions += project.sessions;
        all.stops += project.stops;
        for (subject, tally) in &project.claims {
            let sum = all.claims.entry(*subject).or_default();
            tally.by_basis.iter().for_each(|(basis, count)| *sum.by_basis.entry(*basis).or_default() += count);
        }
    }
    all
}

fn rows(project: &AuditedProject) -> impl Iterator<Item = (ClaimSubject, [u64; 5])> {
    project.claims.iter().map(|(subject, tally)| (*subject, cells(tally)))
}

fn human_table(project: &AuditedProject, text: &mut String) {
    let _ = writeln!(text, "  {:10}{}", "", quiet(&COLUMNS.map(|column| format!("{column:>13}")).concat()));
    for (subject, [all, shown, contradicted, unsupported, unknown]) in rows(project) {
        let bad = format!("{contradicted:>13}");
        let doubtful = format!("{unsupported:>13}");
        let _ = writeln!(
            text,
            "  {:10}{all:>13}{shown:>13}{}{}{unknown:>13}",
            subject.as_str(),
            if contradicted > 0 { styled(BAD, &bad) } else { bad },
            if unsupported > 0 { styled(DOUBTFUL, &doubtful) } else { doubtful },
        );
    }
}

/// Shows an audit at a terminal.
pub fn human(audit: &AuditEnvelope, all: bool) -> String {
    let mut text = format!("{}\n\n", styled(STRONG, &totals(audit)));
    let (projects, shown) = if all { (usize::MAX, usize::MAX) } else { (PROJECTS_SHOWN, SHOWN) };
    if audit.projects.len() > 1 {
        let _ = writeln!(text, "{}", styled(STRONG, "All projects"));
        human_table(&together(audit), &mut text);
        text.push('\n');
    }
    for project in audit.projects.iter().take(projects) {
        let extent =
            format!("{} · {}", count(project.sessions, "session", "sessions"), count(project.stops, "stop", "stops"));
        let _ = writeln!(text, "{}  {}", styled(STRONG, &visible(&project.project)), quiet(&extent));
        if project.claims.is_empty() {
            let _ = writeln!(text, "  no claims");
        } else {
            human_table(project, &mut text);
        }
        text.push('\n');
    }
    left_out(audit.projects.len().saturating_sub(projects), "projects", &mut text);
    for support in OPEN {
        let number = claims(audit, support).count();
        if number == 0 {
            continue;
        }
        let _ = writeln!(text, "{}", styled(STRONG, heading(support)));
        for (session, claim) in claims(audit, support).take(shown) {
            let place = format!("{}:{}", session.path, claim.line);
            let _ = writeln!(text, "  {}  {}", claim.subject.as_str(), quoted(claim));
            let _ = writeln!(text, "    {}", why(claim));
            let _ = writeln!(text, "    {}", quiet(&visible(&place)));
        }
        left_out(number.saturating_sub(shown), "claims", &mut text);
        text.push('\n');
    }
    for unread in &audit.unread {
        let _ = writeln!(text, "not read: {}", visible(unread));
    }
    text
}

fn left_out(number: usize, what: &str, text: &mut String) {
    if number > 0 {
        let _ = writeln!(text, "  {}", quiet(&format!("{number} more {what}: --all shows them")));
    }
}

fn quoted(claim: &AuditedClaim) -> String {
    format!("“{}”", visible(claim.sentence.inspect()))
}

fn why(claim: &AuditedClaim) -> String {
    match &claim.command {
        Some(command) => {
            let command = command.inspect().split_whitespace().collect::<Vec<_>>().join(" ");
            format!("{}: {}", claim.basis.as_words(), visible(&beginning(&command, COMMAND_SHOWN)))
        }
        None => claim.basis.as_words().to_owned(),
    }
}

/// Shows an audit as Markdown.
pub fn markdown(audit: &AuditEnvelope) -> String {
    let mut text = format!(
        "{}\n\n| project | subject | {} |\n|---|---|{}\n",
        totals(audit),
        COLUMNS.join(" | "),
        "---:|".repeat(5)
    );
    for project in &audit.projects {
        for (subject, cells) in rows(project) {
            let cells = cells.map(|cell| cell.to_string()).join(" | ");
            let _ = writeln!(
                text,
                "| {} | {} | {cells} |",
                visible(&project.project).replace('|', "\\|"),
                subject.as_str()
            );
        }
    }
    text
}

/// Makes a self-contained page: no script, nothing from elsewhere.
///
/// # Errors
///
/// Fails when the page cannot be rendered, which would be a fault of ours.
pub fn page(audit: &AuditEnvelope) -> Result<String, minijinja::Error> {
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    let table = |project: &AuditedProject| {
        let rows: Vec<minijinja::Value> =
            rows(project).map(|(subject, cells)| context! { subject => subject.as_str(), cells }).collect();
        environment.render_str(TABLE, context! { columns => COLUMNS, rows }).map(minijinja::Value::from_safe_string)
    };
    let of_project = |project: &AuditedProject| {
        Ok(context! {
            name => visible(&project.project),
            sessions => project.sessions,
            stops => project.stops,
            table => table(project)?,
        })
    };
    let projects = audit.projects.iter().map(of_project).collect::<Result<Vec<_>, minijinja::Error>>()?;
    let groups: Vec<minijinja::Value> = OPEN
        .into_iter()
        .map(|support| {
            let items: Vec<minijinja::Value> = claims(audit, support)
                .map(|(session, claim)| {
                    context! {
                        subject => claim.subject.as_str(),
                        sentence => visible(claim.sentence.inspect()),
                        why => why(claim),
                        project => visible(&session.project),
                        place => visible(&format!("{}:{}", session.path, claim.line)),
                        agent => &session.agent,
                    }
                })
                .collect();
            context! { heading => heading(support), items }
        })
        .collect();
    let unread: Vec<String> = audit.unread.iter().map(|unread| visible(unread)).collect();
    environment.render_str(
        PAGE,
        context! { totals => totals(audit), all => table(&together(audit))?, projects, groups, unread },
    )
}
