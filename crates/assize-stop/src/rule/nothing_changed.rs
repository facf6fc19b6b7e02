//! A change was asked for, and nothing changed.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use assize_core::finding::{Certainty, Severity};
use assize_core::text::quote;

use super::{Findings, Needs, Rule};
use crate::claim::{asks_permission, asks_user, claims_change, claims_done, explains_no_change, last_two, names_obstacle, sentences};
use crate::directive::says_go_ahead;
use crate::evidence::Evidence;
use crate::phrases::Meaning::{AsksLeave, AsksPolitely, ClaimsChange, Order, SaysUnchanged};
use crate::transcript::{CommandRun, TranscriptFacts};

/// See the module.
pub struct NothingChanged;

impl Rule for NothingChanged {
    fn id(&self) -> &'static str {
        "nothing-changed"
    }

    fn needs(&self) -> Needs {
        Needs::DiffAndTranscript
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(facts) = evidence.transcript.get() else { return };
        let message = evidence.message();
        // The message answers the last directive; that an earlier one is open is not its fault.
        let Some(directive) = evidence.directives.last() else { return };
        let since = facts.last_prompt_step;
        let edited = facts.edits.iter().rfind(|edit| edit.step > since);
        // What was written and is not there may lie where git does not look, unless it was taken back.
        let touched = edited.is_some_and(|edit| !facts.commands_after(edit.step).any(CommandRun::takes_back));
        if evidence.changed() != Some(false) || touched || message.trim().is_empty() || facts.interrupted {
            return;
        }
        let words = directive.text.inspect();
        // What nothing in the whole session has changed no earlier prompt had changed either.
        let never = facts.edits.is_empty() && evidence.accepted_fingerprint.is_none() && facts.prompts.len() <= 1;
        let orders = asks_for_change(words)
            || orders_elsewise(words)
            || sentences(words).any(says_go_ahead)
            || demands(words)
            || tells_to_change(words)
            || never && is_task(words);
        let tried = facts.commands_after(since).any(CommandRun::edits_in_place);
        let claim = claim_of(message, tried, orders);
        let calls_for_it = orders || claim.is_some() && COMPLAINS.is_match(words) && !words.contains('?');
        // Who says that the work comes next takes the prompt for an order.
        let announced = announces(message) && never && !ASKS_FOR_WORDS.is_match(words);
        let asks = calls_for_it || announced || claim.is_some_and(|claim| tried || never && claim.contains('`'));
        if !asks || OUTSIDE.is_match(&without_members(words)) || ASSURANCE.is_match(words) || is_bare_command(words) {
            return;
        }
        let elsewhere = may_have_worked_elsewhere(facts, since);
        let complete = evidence.diff.get().is_some_and(|diff| diff.limits.is_empty());
        if let Some(handed_back) = handed_back(message, words)
            && (orders || announced)
            && !elsewhere
            && (handed_back == SHOWN || never || !ELSEWHERE.is_match(words))
            && names_obstacle(message).is_none()
            && gives_no_reason(message)
            && complete
        {
            findings.file(
                Severity::Error,
                Certainty::Certain,
                format!("Directive {} asks for a change, the work tree is as it was before, and the final message {handed_back}. Make the change, or say what stands in the way.", directive.id),
            );
            return;
        }
        if asks_user(message).is_some() {
            return;
        }
        if elsewhere && ELSEWHERE.is_match(words) {
            return;
        }
        if let Some(claim) = claim {
            let sure = !elsewhere
                && gives_no_reason(message)
                && names_obstacle(message).is_none()
                && !SaysUnchanged.is_in(claim)
                && !ELSEWHERE.is_match(claim)
                && !OUTSIDE.is_match(message)
                && complete;
            if !sure && !calls_for_it {
                return;
            }
            findings.file(
                Severity::Error,
                if sure { Certainty::Certain } else { Certainty::Likely },
                format!("The final message says that a change was made, but the work tree is as it was before ({}). Make the change, or say that none was made and why.", quote(claim)),
            );
        } else if !elsewhere && explains_no_change(message).is_none() && (never || !ELSEWHERE.is_match(words)) {
            let is_ordered = tells_to_change(words) && STANDS.is_match(message) || is_task(words);
            let sure = never && is_ordered && complete && gives_no_reason(message) && names_obstacle(message).is_none() && !SaysUnchanged.is_in(message);
            findings.file(
                Severity::Error,
                if sure { Certainty::Certain } else { Certainty::Likely },
                format!("Directive {} asks for a change, and the work tree is as it was before. Make the change, or say why none is needed.", directive.id),
            );
        }
    }
}

/// A wish to know that something is as it should be: the answer may be what is to be changed.
static ASSURANCE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)\b(?:want|like|need) to (?:be|make) (?:really |very |quite )?(?:sure|certain)\b").expect("valid pattern")
});

/// Returns whether a prompt is the name of a command and nothing more: what it stands for, such as a procedure with questions of its own,
/// is not known here.
fn is_bare_command(words: &str) -> bool {
    let has_arguments = words.split_once("<command-args>").is_some_and(|(_, rest)| !rest.trim_start().starts_with("</command-args>"));
    words.trim_start().starts_with("<command-") && !has_arguments
}

/// The sentence that says that something was changed, in any language. Where commands were to edit files, it is enough that the
/// work is said to be done.
fn claim_of(message: &str, tried: bool, ordered: bool) -> Option<&str> {
    let denies = |sentence: &str| {
        let lower = format!(" {}", sentence.to_lowercase());
        [" nothing", " no "].iter().any(|word| lower.contains(word))
    };
    claims_change(message)
        .filter(|sentence| !denies(sentence))
        .or_else(|| ClaimsChange.find(sentences(message)))
        .or_else(|| claims_done(message).filter(|_| tried))
        .or_else(|| sentences(message).find(|sentence| ordered && STATES.is_match(sentence)))
}

/// A message that says how things are now, where they were to be changed.
static STATES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i-u)^[ -/:-@]*(?:all )?(?:done|fixed|updated|all set|ready|finished|changed|removed|added|renamed)\b|\b(?:is|are|has|have|does|gets?|gives?|returns?|uses?|handles?|shows?|takes?|accepts?|raises?|throws?|supports?|",
        r"works?|reads?|writes?|prints?|keeps?|waits?|sends?|goes|runs?) (?:[a-z0-9.]+ ){0,3}?now\b|\bnow (?:is|are|has|have|[a-z]{3,}s)\b|\b(?:is|are) (?:all )?in place\b",
    ))
    .expect("valid pattern")
});

/// Returns whether a prompt in another language than English orders a change, and asks nothing.
pub(super) fn orders_elsewise(words: &str) -> bool {
    let orders = |sentence: &str| !sentence.ends_with(['?', '？']) || AsksPolitely.is_in(sentence);
    sentences(words).any(|sentence| Order.is_in(sentence) && orders(sentence)) && !SaysUnchanged.is_in(words)
}

/// Returns whether a prompt says how something has to be, and asks nothing.
fn demands(words: &str) -> bool {
    static DEMAND: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:(?:it|they|this|that) |the (?:\w+ ){1,4}?)(?:should|must|has to|have to|needs? to) (?:[a-z]+ )?[a-z]{3,}\b").expect("valid pattern")
    });
    static ASKS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\?|\b(?:should (?:i|we)|what|why|how|whether|think|opinion|explain|review|look at|plan)\b").expect("valid pattern")
    });
    DEMAND.is_match(words) && !ASKS.is_match(words)
}

/// Words of a prompt that is answered with words.
static ASKS_FOR_WORDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i-u)\?|\b(?:explain|review|analy[sz]e|investigate|describe|summari[sz]e|plan|propose|suggest|opinion|think|discuss|brainstorm|compare|estimate|evaluate|",
        r"audit|research|look (?:at|into|for)|find out|tell me|show me|list (?:all|the|every|of what)|report (?:back|on)|what|why|how|which|whether|who|where)\b|",
            // What has to stay as it is leaves the rest to be changed.
            r"\b(?:don'?t|do not|without|no) (?:\w+ )?(?:chang|edit|writ|modif|touch|implement|cod)\w*(?: (?:anything|any|(?:the |any )?(?:code|files?)|yet|it|that|now|here)\b|[ -/:-@]*$|[.,;!])|\bdry[- ]run\b",
    ))
    .expect("valid pattern")
});

/// Returns whether the first prompt of a session hands a piece of work on the code over: it names something of the code, and neither asks
/// nor wants words, a look or a run.
fn is_task(words: &str) -> bool {
    static RUNS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:run|start|stop|restart|open|launch|deploy|commit|push|merge|pull|rebase|try|install|check|verify|read|find|see|make sure|ensure|confirm|(?:re-?)?generat\w*|format|compile|bundle|download|fetch|sync|dump|record|capture|benchmark|profile|measure|train|understand|learn|help|thanks?|great|context|continue|proceed|wait|hello|hi|do nothing|i(?:'|’)?(?:m|ve|ll)|i (?:am|have|will|was|want to)|let(?:'|’)?s)\b|",
            r"^(?:ok(?:ay)?|yes|no|good|nice)\b",
        ))
        .expect("valid pattern")
    });
    static OF_CODE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)`[ -_a-~]+`|\b\w+\(\)|(?:^|\s)--[a-z]|\b\w+\.(?:[a-z]{1,4})\b|\b[a-z0-9]+_[a-z0-9_]+\b|\b[A-Z]?[a-z0-9]+[A-Z]\w+|\b(?:[Tt]ests?|[Bb]ug|[Ff]unction|[Ee]rror|[Ff]ile|[Ll]og|API|CLI|JSON|CSV|[Oo]ption|[Ff]lag|[Ee]ndpoint|[Rr]oute|[Bb]uild)\b").expect("valid pattern")
    });
    let is_order = |sentence: &str| sentence.split_whitespace().count() > 4 && OF_CODE.is_match(sentence) && !RUNS.is_match(sentence);
    !ASKS_FOR_WORDS.is_match(words) && sentences(words).any(is_order)
}

/// Says that something is as it was to become.
static STANDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)\b(?:keeps? to|is (?:tested|covered|handled|checked|in place)|are (?:tested|covered|handled|checked))\b").expect("valid pattern")
});

/// Returns whether a prompt tells what to do with the code, and asks for no words.
fn tells_to_change(words: &str) -> bool {
    static TELLS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)^(?:(?:please|pls|then|and|also|so|just|instead)[ ,]+)*(?:cut|skip|keep|put|round|sort|ignore|accept|reject|return|throw|raise|wrap|limit|cap|require|allow|warn|",
            r"respond|retry|treat|trim|strip|escape|quote|filter|include|exclude|mark|map|encode|decode|parse|guard|block|swap|combine|separate|align|reduce|prevent|respect|honou?r|",
            r"insert|append|unify|group|inject|pin)\b",
        ))
        .expect("valid pattern")
    });
    !ASKS_FOR_WORDS.is_match(words) && sentences(words).any(|sentence| TELLS.is_match(sentence) || asks_for_change(sentence))
}

/// What a message does that holds the change as code.
const SHOWN: &str = "shows it instead";

/// What the message does with the work in place of doing it: announces it, or asks for leave.
fn handed_back(message: &str, words: &str) -> Option<&'static str> {
    if announces(message) {
        return Some("only announces it");
    }
    // What stands before the question is its occasion, and no condition.
    let question = |sentence: &'_ str| {
        let at = ["shall i", "should i", "do you want me to", "would you like me to", "want me to", "may i"].iter().filter_map(|words| sentence.to_ascii_lowercase().find(words)).min();
        // Which of several things is meant, only the user knows.
        let chooses = ["which ", "where ", "how many "].iter().any(|word| sentence.to_ascii_lowercase()[..at.unwrap_or(0)].contains(word));
        !chooses && !is_conditional(&sentence[at.unwrap_or(0)..])
    };
    if asks_permission(message).is_some_and(question) {
        return Some("asks whether to make it");
    }
    if AsksLeave.find(last_two(message).into_iter().flatten()).is_some() && !SaysUnchanged.is_in(message) {
        return Some("asks whether to make it");
    }
    (shows_change(message, words) && asks_user(message).is_none()).then_some(SHOWN)
}

/// Returns whether the message ends with what is to come.
fn announces(message: &str) -> bool {
    static ANNOUNCES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\bi(?:(?:'|’)m| am) (?:now|just) [a-z]+ing\b|\b(?:i(?:(?:'|’)ll| will)|i(?:(?:'|’)m| am) (?:now )?going to|let me|next,? i(?:(?:'|’)ll| will)) (?:now |next |then |start by |begin by |begin with |go ahead and )*",
            r"(?:implement|add|fix|write|create|build|refactor|update|change|replace|move|rename|remove|start|begin|apply|make|wire|port|convert|extend|edit|put|do|set|split|extract|register|adapt|introduce|drop|switch|turn|adding|implementing|fixing|writing|updating|making|changing|applying)\b|",
            r"^[ -/:-@]*(?:now )?(?:making|applying|implementing|writing|adding|fixing|starting) (?:on |with )?(?:these|this|those|that|the|it|them|all)\b",
        ))
        .expect("valid pattern")
    });
    last_two(message).into_iter().flatten().any(|sentence| ANNOUNCES.is_match(sentence) && !is_conditional(sentence))
}

/// Returns whether the message holds code for a file that it names, or that the prompt does: the change, in words.
fn shows_change(message: &str, words: &str) -> bool {
    static FILE: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?-u)`[\w./-]+\.[a-z]{1,5}(?::\d+)?`").expect("valid pattern"));
    static NAMED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?-u)\b(?:[\w-]+/)*[\w-]+\.[a-z]{1,5}\b").expect("valid pattern"));
    static IS_TO: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\bfix(?:es)?\b|\b(?:change|replace|use|add)\b|\bonce you(?:(?:'|’)ve| have)\b|\b(?:has|have|needs?|ought) to\b|\b(?:should|must) be\b").expect("valid pattern")
    });
    const SHELL: [&str; 6] = ["```sh", "```bash", "```shell", "```console", "```text", "```output"];
    let mut fences = message.lines().map(str::trim_start).filter(|line| line.starts_with("```"));
    let shows_code = fences.any(|fence| fence.len() > 3 && !SHELL.contains(&fence.trim_end()));
    shows_code && (FILE.is_match(message) || NAMED.is_match(words)) && sentences(message).any(|sentence| IS_TO.is_match(sentence))
}

/// Returns whether the message does not say that the thing is there already, or is none.
fn gives_no_reason(message: &str) -> bool {
    static REASON: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:(?:is|are|was|were|it|does|did|has|have|do|client|code|function)(?:(?:'|’)s)? already|already (?:there|done|fixed|implemented|exists?|has|have|handles?|supports?|in place|present|retries|works?|correct|true|the case)|",
            r"no longer|any ?more|nothing (?:to (?:do|change|fix|add|commit)|had|has to|needs? (?:to|changing)|was|needed)|no (?:\w+ )?changes?|chang(?:e|ed) nothing|identical|no difference|same result|up[- ]to[- ]date|not (?:needed|necessary|required|possible|reproducible|a bug|chang(?:e|ed)|made)|unnecessary|",
            r"(?:was|were|been) (?:fixed|added|done|removed|changed) (?:in|by|with) (?:[0-9a-f]{7}|#|commit|pr\b|v?\d)|as (?:intended|designed)|by design|could(?: not|n'?t) (?:reproduce|find)|(?:did|do|have|has)(?: not|n(?:'|’)?t) (?:chang|touch|edit|mad|writ)\w*|does(?: not|n'?t) (?:happen|occur|exist|reproduce))\b|\b(?:the |a )?(?:problem|issue|cause) (?:was|is)\b",
        ))
        .expect("valid pattern")
    });
    !sentences(message).any(|sentence| REASON.is_match(sentence))
}

/// Returns whether a sentence makes what it says depend on something.
fn is_conditional(sentence: &str) -> bool {
    static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:if|once|when|until|unless|before|depending|whether|which|or|instead)\b|\bafter (?:you|the|a|an|your|we)\b").expect("valid pattern")
    });
    CONDITION.is_match(sentence)
}

/// Returns whether something may have been changed that is not in the work tree.
fn may_have_worked_elsewhere(facts: &TranscriptFacts, since: u64) -> bool {
    !facts.limits.is_empty()
        || facts.todos_step > since
        || facts.delegation_step.is_some_and(|step| step > since)
        || facts.commands_after(since).any(CommandRun::acts_outside)
}

/// A report that something does not work, which calls for a change as much as a wish does.
static COMPLAINS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i-u)\bstill (?:fail|break|crash|broken|wrong|not |doesn'?t|does not|the same|throw|get)|\b(?:does|do|did)(?:n'?t| not) work\b|\bnot working\b|\bis (?:still )?broken\b|",
        r"\b(?:fails?|crash(?:es)?|breaks?) (?:with|for|on|when|if)\b|\byou (?:forgot|missed|broke|skipped)\b",
    ))
    .expect("valid pattern")
});

/// A text without the names of code that have an owner, such as `Task.Delay`.
fn without_members(text: &str) -> Cow<'_, str> {
    static MEMBER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b[A-Z]\w*(?:\.|::|<)\w+").expect("valid pattern"));
    MEMBER.replace_all(text, " ")
}

/// Things that no tool call has to show when they change.
static OUTSIDE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)\b(?:memor(?:y|ies)|remember that|notes?|(?:bash|zsh|vim|nvim|npm|yarn|input|screen|wget|curl)rc|dotfiles?|plans?|todos?|to-?do list|tasks?)\b|~/|/(?:etc|usr|var|tmp|opt)/")
        .expect("valid pattern")
});

/// Things that can be changed without changing a file of the work tree.
static ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i-u)\b(?:prs?|pull requests?|merge requests?|issues?|tickets?|branch(?:es)?|tags?|releases?|labels?|milestones?|commit(?:s|ted)?|",
        r"push(?:ed)?|deploy\w*|servers?|databases?|db|tables?|buckets?|clusters?|containers?|pods?|dns|domains?|secrets?|env(?:ironment)?|",
        r"cron\w*|calendar|slack|jira|linear|notion|confluence|wiki|e-?mails?|memor(?:y|ies)|remember|notes?|install(?:ed)?|venv|virtualenv|",
        r"worktrees?|stash|remotes?|origin|git(?:hub|lab)?|vms?|machine|home|desktop|(?:bash|zsh|vim|nvim|npm|yarn|input|screen|wget|curl)rc|dotfiles?|alias(?:es)?|gists?|(?:spread)?sheets?|figma|",
        r"ignored|gitignored|submodules?|another (?:repo|repository|project)|other (?:repo|repository)|plans?|todos?|to-?do list|tasks?)\b|~/|/(?:etc|usr|var|tmp|opt)/",
    ))
    .expect("valid pattern")
});

/// Returns whether the words ask for files to be changed, and for nothing else: a prompt that also
/// asks a question or for a look may be answered without changing anything.
pub(super) fn asks_for_change(words: &str) -> bool {
    static POLITE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)^(?:(?u:[\W_\d])*(?:please|pls|now|then|next|also|and|ok(?:ay)?|great|thanks|hi|hey|so|yes|first|finally|just|go ahead(?: and)?|",
            r"(?:can|could|would|will) you(?: please)?|i(?:'d| would) like you to|i (?:want|need) you to|you (?:should|must|need to)|",
            r"we (?:should|must|need to)|let'?s|help me(?: to)?|your task is to|the task is to|task:)\b)*(?u:[\W_\d])*",
        ))
        .expect("valid pattern")
    });
    static CHANGE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)^(?:add|fix|implement|create|write|build|refactor|rename|remove|delete|update|change|replace|convert|migrate|move|extract|",
            r"port|make|improve|optimi[sz]e|rewrite|introduce|support|integrate|extend|clean up|bump|upgrade|set up|wire|adjust|correct|",
            r"handle|split|inline|simplify|modify|redesign|restyle|translate|document|scaffold|patch|repair|finish|complete|enable|disable|raise|lower|increase|decrease|double|halve|shorten|lengthen|turn|switch|drop|cache|log|validate|show|hide)\b",
        ))
        .expect("valid pattern")
    });
    // What these verbs make is an answer, not a file.
    static ANSWER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)^(?:make sure|update me|write (?:me )?(?:up|down|out)|(?:\w+ ){1,6}?(?:summary|report|review|message|comment|description|explanation|answer|reply|",
            r"list|haiku|poem|joke|story|essay|proposal|analysis|estimate|prompt|query|one-liner|snippet|example|command|diagram|outline|overview)\b)",
        ))
        .expect("valid pattern")
    });
    static LOOK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)^(?:explain|review|analy[sz]e|investigate|describe|summari[sz]e|plan|propose|suggest|tell|show|find|look|check|list|compare|read|",
            r"audit|research|brainstorm|design|draft|discuss|think|consider|evaluate|estimate|verify|test|run|debug|diagnose|answer|what|why|",
            r"how|which|where|who|when|is|are|does|do you|did|should|has|have|was|were|any)\b",
            r"|(?i-u)\b(?:don'?t|do not|without|no) (?:\w+ )?(?:chang|edit|writ|modif|touch|implement|cod)\w*\b|(?i-u)\bplan mode\b|(?i-u)\bdry[- ]run\b",
        ))
        .expect("valid pattern")
    });
    let mut asks = false;
    for sentence in sentences(words) {
        let rest = POLITE.replace(sentence, "");
        if LOOK.is_match(&rest) {
            return false;
        }
        asks |= CHANGE.is_match(&rest) && !ANSWER.is_match(&rest);
    }
    asks
}

#[cfg(test)]
mod tests {
    use super::*;
    use assize_core::gathered::{Fingerprint, EvidencePart};
    use crate::rule::testing::{asked, grades, modified};
    use crate::transcript::{FactsBuilder, ToolCall, ToolResult};

    fn after(directive: &str, message: &str, commands: &[&str]) -> Evidence {
        let mut facts = FactsBuilder::default();
        facts.prompt("Go on");
        for (index, command) in commands.iter().enumerate() {
            let id = index.to_string();
            facts.call(&id, ToolCall::Command { command: (*command).to_owned(), background: false });
            facts.result(&id, &ToolResult { exit_status: Some(0), ..ToolResult::default() });
        }
        Evidence { transcript: EvidencePart::Gathered(facts.finish()), ..asked(directive, message) }
    }

    fn check(directive: &str, message: &str, commands: &[&str]) -> Vec<Certainty> {
        grades(&NothingChanged, &after(directive, message, commands))
    }

    #[test]
    fn a_claim_of_a_change_that_is_not_there_is_certain() {
        for (directive, message, commands) in [
            ("Add a retry to the HTTP client.", "I've added the retry to `client.rs`.", &[][..]),
            (
                "Fix the off-by-one in the pager",
                "Fixed the off-by-one. The pager shows the last page again.",
                &["rg -n page src"],
            ),
            (
                "Please rename `Foo` to `Bar` everywhere.",
                "I renamed `Foo` to `Bar` in all files.",
                &["git grep Foo", "ls"],
            ),
            ("Can you implement the CSV importer?", "The CSV importer has been implemented.", &[]),
            (
                "Refactor parse_line into smaller functions. Update the callers.",
                "I have now refactored `parse_line`.",
                &["cat src/a.rs"],
            ),
            ("ok, now remove the unused imports", "Done. I removed the unused imports.", &[]),
            (
                "rename the env var DB_URL to DATABASE_URL in the config",
                "I've renamed `DB_URL` in `config.go`. Remember to update your deployment accordingly.",
                &["grep -rn DB_URL ."],
            ),
            (
                "still fails for '1 299,00' with a space",
                "Good catch! I've updated the regex in `parse_price` so that spaces are accepted.",
                &[],
            ),
            ("You forgot the Windows path", "Fixed the Windows path as well.", &["ls src"]),
            ("Customer without mail address. Skip those, and dont count them.", "Fixed. Orders without an address are skipped now.", &["dotnet test"]),
            ("Cut the name with an ellipsis. Test it please.", "The receipt keeps to its width. It is tested by `rows`.", &["dart test"]),
        ] {
            assert_eq!(check(directive, message, commands), [Certainty::Certain], "{directive}");
        }
    }

    #[test]
    fn a_claim_that_may_be_about_something_else_is_likely() {
        for (directive, message, commands) in [
            ("Add a retry to the HTTP client.", "I've added the retry.", &["./scripts/apply.sh"][..]),
            ("Add a retry to the HTTP client.", "I've added the retry on the branch `retry`.", &[]),
            ("Fix the pager.", "The problem was a stale cache. I've updated the entry.", &[]),
        ] {
            assert_eq!(check(directive, message, commands), [Certainty::Likely], "{message}");
        }
    }

    #[test]
    fn a_promise_or_a_needless_question_instead_of_work_is_certain() {
        for (directive, message, expected) in [
            ("Add a retry to the HTTP client.", "Sure, I'll add the retry to the client.", Certainty::Certain),
            ("Add a retry to the HTTP client.", "The change is small. Shall I apply this?", Certainty::Certain),
            ("Fix the pager.", "I've found the place. I will now fix it in `pager.rs`.", Certainty::Certain),
            ("Implement the CSV importer.", "Let me start by reading the code.", Certainty::Certain),
            ("The office wants the list as csv: GET /members.csv", "It fits in well. I'm now adding `memberCsv()`. After that I'll write the test.", Certainty::Certain),
            ("Fix the off-by-one in the pager.", "On it!", Certainty::Likely),
            (
                "Fix page() in src/feed.ts and add a test for it.",
                "The cursor is only the time. Change these lines in `page()`:\n\n```ts\nconst rest = posts;\n```\n\nOnce you have put that in, the test passes.",
                Certainty::Certain,
            ),
            ("Clubs book weekly: add `Calendar.weekly()`. Time stays local.", "It goes next to `book()`. I'm now putting this into `Calendar.php`.", Certainty::Certain),
            ("Members with no address get a blank line in `label.py`, not two", "A line comes for each part, and empty parts count as parts.", Certainty::Certain),
        ] {
            assert_eq!(check(directive, message, &["ls"]), [expected], "{message}");
        }
    }

    #[test]
    fn a_condition_or_an_obstacle_makes_a_promise_fair() {
        for (directive, message) in [
            ("Add a retry to the HTTP client.", "Once you have picked a library, I'll add the retry."),
            ("Add a retry to the HTTP client.", "I need access to the registry. I'll add the retry then."),
            ("Add a retry to the HTTP client.", "Should I add it to the sync or to the async client?"),
            (
                "Add a retry to the HTTP client.",
                "The client already retries three times, so nothing had to change. Do you want me to add jitter as well?",
            ),
            (
                "Fix the crash in the pager.",
                "The crash does not happen any more: it was fixed in 1a2b3c4. Shall I add a regression test?",
            ),
        ] {
            assert!(!check(directive, message, &["ls"]).contains(&Certainty::Certain), "{message}");
        }
    }

    #[test]
    fn counter_examples() {
        for (directive, message, commands) in [
            ("Why does the pager skip the last page?", "I've added nothing; the pager rounds down.", &[][..]),
            ("Fix the pager. First explain why it is wrong.", "It rounds down in `pages()`.", &[]),
            ("Review the change and list what you would fix", "I fixed my view: three points remain.", &[]),
            ("Run the tests", "All 12 tests pass.", &["cargo test"]),
            ("Make a plan for the importer, don't write code yet", "Here is the plan.", &[]),
            ("Add a retry to the HTTP client.", "The client already retries: see `client.rs`.", &["rg retry"]),
            ("Add a retry to the HTTP client.", "Which status codes should be retried?", &[]),
            ("Fix the crash in the scanner.", "I could not reproduce the crash.", &["./scan"]),
            ("Add a label to the issue", "I've added the label.", &["gh issue edit 3 --add-label bug"]),
            ("Create a branch and push it", "I've created the branch.", &["git push"]),
            ("Update my ~/.zshrc", "I've updated it.", &[]),
            ("Write a summary of the module", "The module reads lines.", &[]),
            ("Make sure the tests pass", "They do: all tests pass.", &["cargo test"]),
            ("Explain the parser", "I've added no code. It is a recursive descent parser.", &[]),
            ("thanks!", "You're welcome.", &[]),
            ("Ensure quality gate passed and create PR\n", "Done.\n\nQuality gate passed:\n- `bin/rubocop`: no offenses\n\nPR created and verified:\n- [PR #22: Add RubyLLM](https://github.com/a/b/pull/22)", &[]),
            ("still fails for '1 299,00'", "It passes here: `1 299,00` gives 1299.", &["python price.py"]),
            ("still fails for '1 299,00'", "That's the non-breaking space.", &[]),
            ("does it still fail for you?", "I fixed it in the last change.", &[]),
            ("rename the env var DB_URL on the server", "I've renamed it.", &["ssh host ./rename"]),
            ("Add a label to the issue", "On it!", &["gh issue edit 3 --add-label bug"]),
        ] {
            assert_eq!(check(directive, message, commands), [], "{directive} / {message}");
        }
    }

    #[test]
    fn a_tree_that_changed_is_fine() {
        let mut evidence = after("Add a retry to the HTTP client.", "I've added the retry.", &[]);
        if let EvidencePart::Gathered(diff) = &mut evidence.diff {
            diff.files.push(modified("src/client.rs", "+retry();"));
        }
        assert_eq!(grades(&NothingChanged, &evidence), []);
        // It changed before the last prompt and has not since.
        evidence.fingerprint = Fingerprint("a".into());
        evidence.accepted_fingerprint = Some(Fingerprint("a".into()));
        assert_eq!(grades(&NothingChanged, &evidence), [Certainty::Certain]);
        evidence.fingerprint = Fingerprint("b".into());
        assert_eq!(grades(&NothingChanged, &evidence), []);
    }

    #[test]
    fn edits_that_left_no_trace_are_not_nothing() {
        let mut facts = FactsBuilder::default();
        facts.prompt("Go on");
        facts.call("1", ToolCall::Edit { paths: vec![".env".into()] });
        facts.result("1", &ToolResult::default());
        let evidence = Evidence {
            transcript: EvidencePart::Gathered(facts.finish()),
            ..asked("Change the port to 8080.", "I've changed the port.")
        };
        assert_eq!(grades(&NothingChanged, &evidence), []);
    }

    #[test]
    fn requests_for_change_are_told_from_the_rest() {
        for words in [
            "add tests",
            "1. Fix the bug\n2. Update the docs",
            "Could you please rewrite it in Go?",
            "- [ ] Implement retry",
            "I want you to port it",
        ] {
            assert!(asks_for_change(words), "{words}");
        }
        for words in [
            "addition",
            "what does add do?",
            "Update me on the status",
            "Look into it and fix it if it is easy. Show me first.",
            "the build is red",
            "don't change anything, add a comment in chat",
        ] {
            assert!(!asks_for_change(words), "{words}");
        }
    }
}
