//! How rulings on records, and the evaluation of their judge, are shown to people and programs.

pub mod correction;

use std::fmt::Write as _;

use anstyle::Style;
use assize_core::finding::{Finding, Severity};
use assize_core::ruling::Outcome;
use assize_core::text::make_visible;
use assize_eval::calibration::interval::Estimate;
use assize_eval::court::repeat::Noise;
use assize_eval::envelope::EvaluationSubject;
use assize_eval::judge_evaluation::calibrate::{AgreementPart, Belief, JudgeEvaluation, Method};
use assize_eval::judge_evaluation::compare::{JudgementComparison, ModeComparison};
use assize_eval::judge_evaluation::drift::RunDrift;
use assize_eval::judge_evaluation::plan::LabelPlan;
use assize_eval::judge_evaluation::tally::RulingTally;
use assize_eval::requests::{RequestEstimate, RequestTotals};
use assize_eval::rubric::Rubric;

use super::columns::Columns;
use super::comment::escape;
use super::{count, outcome};
use crate::output::{BAD, DOUBTFUL, GOOD, STRONG, quiet, styled};

/// Contradictions and flips that are listed for a person; the JSON has more.
const LISTED_MAX: usize = 20;
/// What stands for a figure that has no value.
const UNDEFINED: &str = "undefined";

fn visible(text: &str) -> String {
    make_visible(text).replace(['\n', '\r', '\t'], " ")
}

fn figure(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(
        || UNDEFINED.to_owned(),
        |Estimate { value, low, high }| format!("{} [{}, {}]", decimals(value), decimals(low), decimals(high)),
    )
}

/// Three decimals, as such coefficients are written; no minus before nothing.
fn decimals(value: f64) -> String {
    let text = format!("{value:.3}");
    if text == "-0.000" { "0.000".to_owned() } else { text }
}

/// A probability; the smallest are all the same to a reader.
fn probability(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { decimals(p) }
}

fn percent(estimate: Option<Estimate>) -> String {
    estimate.map_or_else(
        || UNDEFINED.to_owned(),
        |Estimate { value, low, high }| format!("{:.1} % [{:.1}, {:.1}]", value * 100.0, low * 100.0, high * 100.0),
    )
}

fn lint_headline(rubric: &Rubric, findings: &[Finding]) -> String {
    let warnings = findings.iter().filter(|finding| finding.severity >= Severity::Warning).count();
    let modes = count(rubric.modes.len() as u64, "mode", "modes");
    match warnings {
        0 => format!("{}: {modes}, nothing to warn of", rubric.id),
        _ => format!("{}: {modes}, {}", rubric.id, count(warnings as u64, "warning", "warnings")),
    }
}

/// Shows what a rubric is warned of to a person.
pub fn lint_human(rubric: &Rubric, findings: &[Finding]) -> String {
    let mut text = format!("{}\n", styled(STRONG, &lint_headline(rubric, findings)));
    for finding in findings {
        let (style, mark) =
            if finding.severity >= Severity::Warning { (DOUBTFUL, "warning") } else { (Style::new().dimmed(), "note") };
        let _ = writeln!(
            text,
            "  {} {} {}",
            styled(style, mark),
            visible(&finding.message),
            quiet(&format!("[{}]", finding.rule))
        );
    }
    text
}

/// Shows what a rubric is warned of as Markdown.
pub fn lint_markdown(rubric: &Rubric, findings: &[Finding]) -> String {
    let mut text = format!("## Assize: {}\n\n", escape(&lint_headline(rubric, findings)));
    for finding in findings {
        let _ = writeln!(text, "- {} (`{}`)", escape(&finding.message), finding.rule);
    }
    text
}

/// Says what a run would take.
pub fn need_text(need: &RequestEstimate) -> String {
    let open = need.questions - need.answered;
    let mut text =
        format!("{}, of which {} have a reply", count(need.questions, "question", "questions"), need.answered);
    let _ = write!(text, "; {} would be asked, with about {} tokens to read", open, need.tokens_in);
    let dollars = |usd: f64| if usd < 0.1 { format!("{usd:.4}") } else { format!("{usd:.2}") };
    let _ = match (need.usd_low, need.usd_high) {
        (Some(low), Some(high)) => writeln!(text, ": {} to {} US dollars", dollars(low), dollars(high)),
        (None, Some(high)) => writeln!(text, ": at most {} US dollars", dollars(high)),
        (_, None) => writeln!(text, "; what that costs is not known, since a judge has no price"),
    };
    text
}

/// Says what asking came to.
fn asked_lines(asked: &RequestTotals) -> Vec<String> {
    let new = asked.questions - asked.answered_before;
    let mut line = format!("{} asked", count(new, "question", "questions"));
    if asked.answered_before > 0 {
        let _ = write!(line, ", {} asked in an earlier run, whose replies were kept", asked.answered_before);
    }
    let _ = write!(line, "; {} of this run", count(asked.calls, "call", "calls"));
    if asked.spent_usd > 0.0 {
        let _ = write!(line, " for {:.4} US dollars", asked.spent_usd);
    }
    let mut lines = vec![line];
    let why = [
        (
            &asked.interrupted,
            "were under way when the run was interrupted, may have been paid for, and were made again",
        ),
        (&asked.stuck, "were never answered, and may have been paid for"),
    ];
    for (calls, what) in why.into_iter().filter(|(calls, _)| !calls.is_empty()) {
        let named: Vec<String> =
            calls.iter().take(LISTED_MAX).map(|call| format!("{} ({})", visible(&call.record), call.judge)).collect();
        let more = if calls.len() > LISTED_MAX { ", …" } else { "" };
        lines.push(format!("{} {what}: {}{more}", count(calls.len() as u64, "call", "calls"), named.join(", ")));
    }
    lines
}

fn tally_headline(rubric: &Rubric, tally: &RulingTally) -> String {
    let records = count(tally.records, "record", "records");
    let RulingTally { accepted, rejected, unjudged, .. } = tally;
    format!("{records} by {}: {accepted} accepted, {rejected} rejected, {unjudged} unjudged", rubric.id)
}

fn tally_table(tally: &RulingTally) -> Columns {
    let judges: Vec<String> = tally.judges.keys().map(|judge| format!("{} fails", visible(judge))).collect();
    let mut heading = vec!["mode", "fails", "by clause", "passes", "unjudged"];
    heading.extend(judges.iter().map(String::as_str));
    let mut table = Columns::new(&heading);
    for (at, mode) in tally.modes.iter().enumerate() {
        let mut cells = vec![mode.mode.clone()];
        cells.extend([mode.fails, mode.computed, mode.passes, mode.unjudged].map(|count| count.to_string()));
        let said =
            |modes: &[Option<u64>]| modes.get(at).copied().flatten().map_or("-".to_owned(), |fails| fails.to_string());
        cells.extend(tally.judges.values().map(|judge| said(&judge.modes)));
        table.row(cells);
    }
    table
}

fn judge_lines(tally: &RulingTally) -> Vec<String> {
    let line = |(name, judge): (&String, &assize_eval::judge_evaluation::tally::JudgeTally)| {
        let mut line = format!(
            "{} fails {} of {} labels, in {} of {}",
            visible(name),
            judge.fails,
            judge.labels,
            judge.records_failed,
            count(judge.judged, "record", "records")
        );
        if let Some(score) = judge.mean_score() {
            let _ = write!(line, "; its scores are {score:.2} on average");
        }
        if judge.unjudged > 0 {
            let _ = write!(line, "; it did not judge {}", judge.unjudged);
        }
        let mut noise = Noise::default();
        judge.noise.iter().for_each(|of_mode| noise += *of_mode);
        if let Some(share) = noise.share() {
            let _ = write!(line, "; asked again, it says otherwise of {:.1} % of labels", share * 100.0);
        }
        line
    };
    let mut lines: Vec<String> = tally.judges.iter().map(line).collect();
    if tally.judges.is_empty() {
        let open: Vec<&str> =
            tally.modes.iter().filter(|mode| mode.unjudged > 0).map(|mode| mode.mode.as_str()).collect();
        if !open.is_empty() {
            lines.push(format!("unjudged for want of a verdict: {}", open.join(", ")));
        }
    }
    for (cause, count) in &tally.causes {
        let example = tally
            .examples
            .get(cause)
            .map(|(record, detail)| format!(", such as {}: {}", visible(record), visible(detail)));
        lines.push(format!("unjudged: {count} × {cause}{}", example.unwrap_or_default()));
    }
    lines
}

/// Shows a run to a person.
pub fn tally_human(rubric: &Rubric, tally: &RulingTally, asked: Option<&RequestTotals>) -> String {
    let mut text = format!("{}  {}\n\n", outcome(tally.outcome()), tally_headline(rubric, tally));
    text.push_str(&tally_table(tally).human());
    text.push('\n');
    for line in judge_lines(tally).into_iter().chain(asked.map(asked_lines).unwrap_or_default()) {
        let _ = writeln!(text, "  {line}");
    }
    for (record, finding) in tally.contradictions.iter().take(LISTED_MAX) {
        let mark = styled(BAD, "contradicted");
        let _ = writeln!(
            text,
            "  {mark} {}: {} {}",
            visible(record),
            visible(&finding.message),
            quiet(&format!("[{}]", finding.rule))
        );
    }
    if let Some(more) = tally.contradictions.len().checked_sub(LISTED_MAX).filter(|more| *more > 0) {
        let _ = writeln!(text, "  {}", quiet(&format!("… and {more} more contradictions: see --format json")));
    }
    text
}

/// Shows a run as Markdown.
pub fn tally_markdown(rubric: &Rubric, tally: &RulingTally, asked: Option<&RequestTotals>) -> String {
    let mut text = format!("## Assize: {}\n\n", escape(&tally_headline(rubric, tally)));
    text.push_str(&tally_table(tally).markdown());
    text.push('\n');
    for line in judge_lines(tally).into_iter().chain(asked.map(asked_lines).unwrap_or_default()) {
        let _ = writeln!(text, "- {}", escape(&line));
    }
    for (record, finding) in &tally.contradictions {
        let _ = writeln!(text, "- **{}**: {} (`{}`)", escape(record), escape(&finding.message), finding.rule);
    }
    text
}

fn drift_headline(drift: &RunDrift) -> String {
    let flipped = drift.flipped.map_or(UNDEFINED.to_owned(), |share| format!("{:.1} %", share * 100.0));
    let state = if drift.reasons.is_empty() { "nothing drifted" } else { "it drifted" };
    format!("{state}: {} compared, {flipped} of their labels flipped", count(drift.compared, "record", "records"))
}

/// Shows what drifted to a person.
pub fn drift_human(outcome: Outcome, drift: &RunDrift) -> String {
    let mut text = format!("{}  {}\n", super::outcome(outcome), drift_headline(drift));
    for reason in &drift.reasons {
        let _ = writeln!(text, "  {} {}", styled(BAD, "drift"), visible(reason));
    }
    if !drift.comparison.flips.is_empty() {
        text.push('\n');
        text.push_str(&comparison_human(&drift.comparison));
    }
    text
}

/// Shows what drifted as Markdown.
pub fn drift_markdown(drift: &RunDrift) -> String {
    let mut text = format!("## Assize: {}\n\n", escape(&drift_headline(drift)));
    for reason in &drift.reasons {
        let _ = writeln!(text, "- {}", escape(reason));
    }
    text
}

fn parts(evaluation: &JudgeEvaluation) -> impl Iterator<Item = &AgreementPart> {
    evaluation.modes.iter().chain([&evaluation.pooled, &evaluation.whole])
}

fn agreement_table(evaluation: &JudgeEvaluation) -> Columns {
    let mut table = Columns::new(&[
        "",
        "both fail",
        "judge only",
        "person only",
        "both pass",
        "unjudged",
        "agreement",
        "constant guess",
        "kappa",
        "AC1",
    ]);
    for part in parts(evaluation) {
        let counts = &part.counts;
        let mut cells = vec![part.name.clone()];
        cells.extend(
            [counts.both_fail, counts.judge_only, counts.person_only, counts.both_pass, part.unjudged]
                .map(|n| n.to_string()),
        );
        cells.push(figure(part.agreement));
        cells.push(part.constant_guess.map_or_else(|| UNDEFINED.to_owned(), decimals));
        cells.extend([figure(part.kappa), figure(part.ac1)]);
        table.row(cells);
    }
    table
}

fn error_table(evaluation: &JudgeEvaluation) -> Columns {
    let mut table = Columns::new(&["", "sensitivity", "specificity", "belief", "why"]);
    for part in evaluation.modes.iter().chain([&evaluation.pooled]) {
        let belief = part.belief.as_str().to_owned();
        table.row(vec![
            part.name.clone(),
            figure(part.sensitivity),
            figure(part.specificity),
            belief,
            part.why.clone(),
        ]);
    }
    table
}

fn rate_table(evaluation: &JudgeEvaluation) -> Columns {
    let mut table = Columns::new(&[
        "share that fails",
        "as the judge has it",
        "people alone",
        "Rogan–Gladen",
        "PPI++",
        "worth labels",
    ]);
    for part in parts(evaluation) {
        let rates = &part.rates;
        let worth = rates
            .prediction_powered
            .map_or_else(|| UNDEFINED.to_owned(), |both| format!("{:.0}", both.effective_labels));
        table.row(vec![
            part.name.clone(),
            percent(rates.judge),
            percent(rates.human_only),
            percent(rates.rogan_gladen),
            percent(rates.prediction_powered.map(|both| both.rate)),
            worth,
        ]);
    }
    table
}

fn evaluation_headline(about: &EvaluationSubject<'_>, evaluation: &JudgeEvaluation) -> String {
    format!(
        "{} by {}: {} of {} labelled by {}",
        visible(about.judge),
        about.rubric.id,
        evaluation.labelled,
        count(evaluation.records, "record", "records"),
        if about.raters.is_empty() { "none".to_owned() } else { visible(&about.raters.join(", ")) }
    )
}

fn evaluation_notes(about: &EvaluationSubject<'_>, evaluation: &JudgeEvaluation) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    let unjudged = evaluation.pooled.unjudged;
    if unjudged > 0 {
        notes.push(format!(
            "labels of people without a verdict beside them, which count for nothing: {unjudged}; `assize eval run` says why"
        ));
    }
    notes.extend(evaluation.reasons.iter().cloned());
    notes.extend(evaluation.audit.faults.iter().cloned());
    if evaluation.audit.first_only {
        notes.push("`assize eval plan` draws a sample".to_owned());
    }
    if !evaluation.audit.unseen.is_empty() {
        notes.push(format!("the labels say nothing of records with {}", evaluation.audit.unseen.join(", ")));
    }
    notes.extend(evaluation.audit.uneven.iter().map(|where_to| format!("errors are uneven: {where_to}")));
    notes.extend(
        evaluation
            .audit
            .too_many_values
            .iter()
            .map(|field| format!("`{field}` has too many values to tell records apart by")),
    );
    notes.push(match evaluation.advice.method {
        None if evaluation.audit.faults.is_empty() => {
            format!("no rate of all records can be relied on: {}", evaluation.advice.why)
        }
        None => "no rate of all records can be relied on: what is seen on such labels holds for them alone".to_owned(),
        Some(Method::HumanOnly) => format!("rely on the rate of people alone: {}", evaluation.advice.why),
        Some(Method::PredictionPowered) => format!("rely on PPI++: {}", evaluation.advice.why),
    });
    if about.disputed > 0 {
        notes.push(format!(
            "raters differ on {}, which count for nothing",
            count(about.disputed as u64, "label", "labels")
        ));
    }
    if about.by_name_alone > 0 {
        notes.push(format!(
            "{} lines have no `record`, the hash of its content: that it was the same then is taken on trust",
            about.by_name_alone
        ));
    }
    notes
}

/// Shows a judge evaluation to a person.
pub fn evaluation_human(about: &EvaluationSubject<'_>, evaluation: &JudgeEvaluation) -> String {
    let mark = match evaluation.belief {
        Belief::Trusted => styled(GOOD, "✓ trusted"),
        Belief::Untrusted => styled(BAD, "✗ untrusted"),
        Belief::Inconclusive => styled(DOUBTFUL, "? inconclusive"),
    };
    let mut text = format!("{mark}  {}\n", evaluation_headline(about, evaluation));
    for note in evaluation_notes(about, evaluation) {
        let _ = writeln!(text, "  {}", visible(&note));
    }
    for table in [agreement_table(evaluation), error_table(evaluation), rate_table(evaluation)] {
        let _ = write!(text, "\n{}", table.human());
    }
    text
}

/// Shows a judge evaluation as Markdown.
pub fn evaluation_markdown(about: &EvaluationSubject<'_>, evaluation: &JudgeEvaluation) -> String {
    let mut text =
        format!("## Assize: {}, {}\n\n", evaluation.belief.as_str(), escape(&evaluation_headline(about, evaluation)));
    for note in evaluation_notes(about, evaluation) {
        let _ = writeln!(text, "- {}", escape(&note));
    }
    for table in [agreement_table(evaluation), error_table(evaluation), rate_table(evaluation)] {
        let _ = write!(text, "\n{}", table.markdown());
    }
    text
}

fn moved_parts(comparison: &JudgementComparison) -> impl Iterator<Item = &ModeComparison> {
    comparison.modes.iter().chain([&comparison.pooled])
}

fn rates(comparison: &JudgementComparison) -> Columns {
    let mut table = Columns::new(&[
        "",
        "first fails",
        "second fails",
        "first only",
        "second only",
        "p",
        "p of all",
        "first kappa",
        "second kappa",
    ]);
    for part in moved_parts(comparison) {
        let [first, second] = part.rates;
        let [first_kappa, second_kappa] = part.kappas;
        table.row(vec![
            part.name.clone(),
            percent(first),
            percent(second),
            part.only_first.to_string(),
            part.only_second.to_string(),
            probability(part.p),
            part.p_adjusted.map_or_else(|| "-".to_owned(), probability),
            figure(first_kappa),
            figure(second_kappa),
        ]);
    }
    table
}

/// Shows a comparison to a person.
pub fn comparison_human(comparison: &JudgementComparison) -> String {
    let flips = count(comparison.flips.len() as u64, "label", "labels");
    let mut text = format!("{}\n\n", styled(STRONG, &format!("{flips} moved")));
    text.push_str(&rates(comparison).human());
    for warning in &comparison.warnings {
        let _ = writeln!(text, "\n  {} {warning}", styled(DOUBTFUL, "warning"));
    }
    if !comparison.flips.is_empty() {
        text.push('\n');
    }
    for flip in comparison.flips.iter().take(LISTED_MAX) {
        let now = if flip.fails { styled(BAD, "fails now ") } else { styled(GOOD, "passes now") };
        let person =
            flip.person.map(|fails| if fails { "  people fail it" } else { "  people pass it" }).unwrap_or_default();
        let _ = writeln!(text, "  {now} {} {}{}", flip.mode, visible(&flip.record), quiet(person));
    }
    if let Some(more) = comparison.flips.len().checked_sub(LISTED_MAX).filter(|more| *more > 0) {
        let _ = writeln!(text, "  {}", quiet(&format!("… and {more} more: see --format json")));
    }
    text
}

/// Shows a comparison as Markdown.
pub fn comparison_markdown(comparison: &JudgementComparison) -> String {
    let flips = count(comparison.flips.len() as u64, "label", "labels");
    let mut text = format!("## Assize: {flips} moved\n\n{}\n", rates(comparison).markdown());
    for warning in &comparison.warnings {
        let _ = writeln!(text, "- **{}**", escape(warning));
    }
    for flip in &comparison.flips {
        let now = if flip.fails { "fails now" } else { "passes now" };
        let _ = writeln!(text, "- {}: `{}` {now}", escape(&flip.record), flip.mode);
    }
    text
}

fn plan_lines(plan: &LabelPlan) -> Vec<String> {
    let LabelPlan { within, sample, all, labelled, labelled_outside, next } = plan;
    let goal = format!("for a rate that is off by at most {:.1} points on either side", within * 100.0);
    let mut lines = vec![if *all {
        format!("{goal} all {sample} records have to be labelled")
    } else {
        format!("{goal}, {} have to be labelled", count(*sample, "record", "records"))
    }];
    lines.push(format!("{labelled} of them are, and {} are next", next.len()));
    if *labelled_outside > 0 {
        lines.push(format!(
            "{labelled_outside} labelled records were not drawn: leave their labels out where a rate of all records is wanted"
        ));
    }
    lines
}

/// Shows a plan to a person.
pub fn plan_human(plan: &LabelPlan) -> String {
    let mut text = String::new();
    for (at, line) in plan_lines(plan).iter().enumerate() {
        let _ = if at == 0 { writeln!(text, "{}", styled(STRONG, line)) } else { writeln!(text, "  {line}") };
    }
    for id in plan.next.iter().take(LISTED_MAX) {
        let _ = writeln!(text, "  {}", visible(id));
    }
    if let Some(more) = plan.next.len().checked_sub(LISTED_MAX).filter(|more| *more > 0) {
        let _ = writeln!(text, "  {}", quiet(&format!("… and {more} more: see --output or --format json")));
    }
    text
}

/// Shows a plan as Markdown.
pub fn plan_markdown(plan: &LabelPlan) -> String {
    let mut text = "## Assize: what to label next\n\n".to_owned();
    for line in plan_lines(plan) {
        let _ = writeln!(text, "- {}", escape(&line));
    }
    text.push('\n');
    for id in &plan.next {
        let _ = writeln!(text, "1. {}", escape(id));
    }
    text
}
