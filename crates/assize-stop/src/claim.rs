//! What a final message claims.
//!
//! Reads sentences of prose, in English, and knows nothing of what really happened. A claim is
//! returned as the sentence that makes it, so that a finding can quote it.
//!
//! The patterns are ASCII ones (`-u`): they are compiled while an agent waits, and Unicode tables
//! make that ten times as long.

use std::sync::LazyLock;

use regex::Regex;

/// A character that is no part of a word, in a class with few ranges: letters outside of ASCII are told
/// by the blocks that they stand in.
macro_rules! no_word {
    () => {
        no_word_but!("")
    };
}

/// As above, and none of the given characters either.
macro_rules! no_word_but {
    ($others:literal) => {
        concat!(
            r"(?u-i:[^0-9A-Za-z_\u{AA}\u{B5}\u{BA}\u{C0}-\u{24F}\u{370}-\u{1FFF}\u{2C00}-\u{2DFF}\u{3040}-\u{D7FF}",
            $others,
            "])"
        )
    };
}

/// Returns whether a message holds one of the texts, which are given in lower case. A look before a
/// regular expression is built: most messages have nothing to do with most of them.
pub(crate) fn holds_any(message: &str, texts: &[&str]) -> bool {
    let lower = message.to_ascii_lowercase();
    texts.iter().any(|text| lower.contains(text))
}

/// Splits a message into sentences, code blocks left out: code is no claim.
pub fn sentences(message: &str) -> impl Iterator<Item = &str> {
    prose(message).flat_map(split_sentences).map(str::trim).filter(|sentence| !sentence.is_empty())
}

fn prose(message: &str) -> impl Iterator<Item = &str> {
    let mut in_fence = false;
    message.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        if fence {
            in_fence = !in_fence;
        }
        !fence && !in_fence && !line.trim_start().starts_with('>')
    })
}

/// Walks over the sentences that state something, see [`stated`].
pub(crate) fn statements(message: &str) -> impl Iterator<Item = &str> {
    stated(message)
}

/// Walks over the sentences that state something: not what stands under the heading of a plan, nor
/// on a box that is not ticked.
fn stated(message: &str) -> impl Iterator<Item = &str> {
    static PLAN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:plan(?:s|ned)?|criteria|definition of done|requirements?|goals?|checklist|to-?dos?|next|remaining|propos(?:al|ed)|",
            r"approach|steps|would|will|how to|instructions|usage|to verify|to test)\b",
        ))
        .expect("valid pattern")
    });
    // A heading governs what follows up to the next one, a line with a colon up to the next paragraph.
    let (mut planned, mut until_paragraph, mut gap) = (false, false, false);
    prose(message)
        .filter(move |line| {
            let line = line.trim().trim_end_matches(['*', '_']);
            let heading = line.starts_with('#') || line.starts_with("**") && line.len() < 60;
            let item = line.starts_with(['-', '*', '+', '|']) || line.starts_with(|first: char| first.is_ascii_digit());
            if heading || line.ends_with(':') {
                planned = PLAN.is_match(line);
                until_paragraph = !heading;
            } else if gap && until_paragraph && !item && !line.is_empty() {
                planned = false;
            }
            gap = line.is_empty();
            !planned && !line.contains("[ ]")
        })
        .flat_map(split_sentences)
        .map(str::trim)
        .filter(|sentence| !sentence.is_empty())
}

fn split_sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest
            .char_indices()
            .find(|(index, character)| {
                matches!(character, '.' | '!' | '?' | ';')
                    && rest[index + 1..].chars().next().is_none_or(char::is_whitespace)
            })
            .map_or(rest.len(), |(index, _)| index + 1);
        let (sentence, remaining) = rest.split_at(end);
        rest = remaining;
        Some(sentence)
    })
}

/// Wording that turns a claim into something else: a negation, condition, wish or exception.
pub(crate) fn hedged(sentence: &str) -> bool {
    static HEDGE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:not|n(?:'|’)t|never|no longer|once|when|if|until|unless|should|would|could|might|may|will|to make|",
            r"make sure|ensure|verify|except|apart from|other than|but|however|although|though|before|after you|please|",
            r"can(?:not|(?:'|’)t)|did(?:n(?:'|’)t| not)|have(?:n(?:'|’)t| not)|still|fails?|failing|failed|failures?|assuming|expected to|need(?:s)? to|most|some|pre-?existing|so that|",
            r"whether|previously|earlier|already passed)\b|n(?:'|’)t\b|\?$",
        ))
        .expect("valid pattern")
    });
    static NO_FAILURES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:no|0|zero|without(?: any)?) (?:test )?(?:fail(?:ures?|ing|ed)|errors?)(?: tests?)?\b")
            .expect("valid pattern")
    });
    HEDGE.is_match(&NO_FAILURES.replace_all(sentence, ""))
}

/// Returns whether what a sentence claims is taken back in it. Words such as "not" and "before" do so in the clause that claims, others such as
/// "but" wherever they stand.
fn takes_back(sentence: &str, claim: &Regex) -> bool {
    static STRONG: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:once|when|if|until|unless|should|would|could|might|may|will|make sure|ensure|verify|except|apart from|other than|but|however|",
            r"although|though|still|fails?|failing|failed|failures?|assuming|expected to|please|to make|so that|needs? to|most|some|pre-?existing|whether|already passed|without (?:it|them|that|this|those))\b|\?$",
        ))
        .expect("valid pattern")
    });
    let mut clauses = sentence.split([',', ';', '(', ')']).chain(sentence.split(" and "));
    let own = clauses.find(|clause| claim.is_match(clause));
    hedged(sentence) && (STRONG.is_match(sentence) || own.is_none_or(hedged))
}

/// Returns the sentence that says that tests pass.
pub fn claims_tests_pass(message: &str) -> Option<&str> {
    static CLAIM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:tests?|test suite|suite|specs?|checks)\b[ -~]{0,40}\b(?:(?:is|are|all|now) green|succeed(?:s|ed)?)\b",
            // What follows tells a result from handing something over: `the test passes a mock`.
            r"|\b(?:(?:tests?|test suite|suite|specs?|checks)\b[ -~]{0,40}|\d+ (?:tests? )?)\bpass(?:es|ed|ing)?(?:", no_word!(), r"*$|\s*", no_word_but!(r"\s`'\x22-"), r"|\s+(?:now|again|",
            r"locally|too|also|cleanly|successfully|with|without|and|after|for|against|under|including|here|today|across|\d|as (?:well|expected|before)|",
            r"(?:in|on) (?:ci|both|all|the (?:ci|full|whole|first)|\d|linux|macos|windows|my|this|every))\b)",
            r"|\bpass(?:es|ed|ing) (?:all|every|its|the) (?:\w+ )?tests\b",
            r"|\b(?:tests?|suite) (?:is|are|run(?:s)?) (?:all )?(?:ok|fine|clean)\b",
            r"|\b(?:(?:py|cargo |go |dotnet |mvn |swift |mix |composer |npm |c|flutter |bats )test|pytest|jest|vitest|mocha|rspec|phpunit|tox|nox|rake|test run)\b`?[ -~]{0,24}\b(?:is|are|was|runs?|stays?) (?:all |now |also |still |again |fully )*(?:green|clean)\b",
        ))
        .expect("valid pattern")
    });
    static PART: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:that|which|to) pass(?:es|ed)?\b|\b(?:only|nearly|almost|many|several|half|partly|mostly|majority|must|required?|expect(?:s|ed)?)\b",
            r"|\b(\d+)\s*(?:/|of|out of)\s*(?:the |all )?(\d+)\b|\b(\d+)(?:\.\d+)?\s*%",
        ))
        .expect("valid pattern")
    });
    let is_part = |sentence: &str| {
        PART.captures(sentence).is_some_and(|found| match (found.get(1), found.get(2), found.get(3)) {
            (Some(passed), Some(all), _) => passed.as_str() != all.as_str(),
            (_, _, Some(percent)) => percent.as_str() != "100",
            _ => true,
        })
    };
    if !holds_any(message, &["pass", "green", "succe", " ok", " fine", " clean"]) {
        return None;
    }
    stated(message).find(|sentence| CLAIM.is_match(sentence) && !is_part(sentence) && !takes_back(sentence, &CLAIM))
}

/// Returns the commands that are quoted and said to pass, whatever the language of the words around them.
pub fn commands_said_to_pass(message: &str) -> impl Iterator<Item = &str> {
    static CLAIM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)`([a-z][ -_a-~]{2,80})`[ -_a-~]{0,30}?(?:\bpass(?:es|ed)\b|\bsucceed(?:s|ed)?\b|\b(?:is|are|was|runs?) (?:now |all |still |also )*(?:green|clean)\b|",
            r"\b(?:exit(?:s|ed)?|status|code|statut|estado)\b[ -_a-~]{0,20}\b0\b|\b(?:passe(?:nt)?|pasa(?:n)?|passa(?:m|no)?|slaagt)\b|",
            r"\b(?:runs?|ends?|finishes|goes|comes) (?:now |through )*without (?:(?:any|an|a|more|\w+) )?(?:output|errors?|warnings?|complaints?|findings|leaks?|objections?)\b|\bis (?:now )?(?:quiet|silent)\b|",
            r"\b(?:reports?|finds?|prints?) nothing\b|\bne (?:signale|rapporte|trouve) (?:plus )?rien\b|\b(?:meldet|findet) nichts\b|\bno (?:reporta|encuentra) nada\b|",
            r"läuft durch|\b(?:ist|sind) (?:wieder )?grün|\best vert|está (?:en )?verde|проходит|通过|成功|通って|통과)",
        ))
        .expect("valid pattern")
    });
    static DENIES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:not|never|no longer|once|when|if|until|unless|should|would|could|will|before|after|make sure|until)\b|n(?:'|’)t\b").expect("valid pattern")
    });
    // What is said of a run that was not the last one.
    static EARLIER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)^[ ,(]*(?:earlier|previously|before|at first|the first time|during|in (?:that|an earlier|the first) run)\b").expect("valid pattern")
    });
    stated(message)
        .filter(|sentence| sentence.contains('`'))
        .flat_map(|sentence| {
            CLAIM.captures_iter(sentence).filter_map(move |claim| {
                let is_now = |whole: regex::Match<'_>| {
                    !DENIES.is_match(&sentence[..whole.end()]) && !EARLIER.is_match(&sentence[whole.end()..])
                };
                claim.get(1).filter(|_| claim.get(0).is_some_and(is_now))
            })
        })
        .map(|command| command.as_str())
}

/// What a tool is said to have come to, where it found nothing.
macro_rules! clean {
    () => {
        r"(?:pass(?:es|ed)?|succeed(?:s|ed)?|(?:is|are|stays?|runs?) (?:now |all |still |also )*(?:clean|green|ok|fine|satisfied|happy)|clean(?:ly)?|without (?:any )?(?:errors?|warnings?|issues?|problems?|complaints?)|(?:has|have|had|finds?|found|reports?|reported|shows?|with|,|:)? ?(?:no|0|zero) (?:new )?(?:\w+ )?(?:errors?|warnings?|issues?|problems?|complaints?))"
    };
}

/// Returns the first sentence that makes a claim without a reserve. Only a message with one of the texts can.
fn stated_plainly<'m>(message: &'m str, texts: &[&str], claim: &LazyLock<Regex>) -> Option<&'m str> {
    if !holds_any(message, texts) {
        return None;
    }
    stated(message).find(|sentence| claim.is_match(sentence) && !takes_back(sentence, claim))
}

/// Returns the sentence that says that the code builds.
pub fn claims_build_works(message: &str) -> Option<&str> {
    static CLAIM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:(?:the |a |full |whole |release )*builds?|compilation|compiles?|`(?:[a-z]+ )*(?:build|compile|check)`)[ `*]{1,3}[ -~]{0,20}?\b",
            clean!(),
            r"\b|\b(?:code|project|crate|package|everything|it|workspace|app) (?:now |still |all |also )*(?:builds|compiles)(?: (?:cleanly|fine|successfully|again|without (?:errors?|warnings?|issues?))|[.,!]|$)",
        ))
        .expect("valid pattern")
    });
    stated_plainly(message, &["build", "compil", "check`"], &CLAIM)
}

/// Returns the sentence that says that there are no warnings.
pub fn claims_no_warnings(message: &str) -> Option<&str> {
    static CLAIM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:no|0|zero|without (?:any|a single)|not a single|without) (?:more |remaining |compiler )?warnings?\b|\bwarning-?free\b|\bfree (?:of|from) (?:any |all )?warnings?\b").expect("valid pattern")
    });
    stated(message).find(|sentence| {
        CLAIM.is_match(sentence) && !["new ", "other ", "if ", "should"].iter().any(|word| sentence.contains(word))
    })
}

/// Returns the sentence that says that a checker of types objects to nothing.
pub fn claims_types_are_right(message: &str) -> Option<&str> {
    static CLAIM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:type[ -]?check(?:s|er|ing)?|types|tsc|mypy|pyright|basedpyright)\b[ -~]{0,30}?\b",
            clean!(),
            r"\b|\b(?:no|0|zero) (?:type|mypy|pyright|tsc|typescript) errors?\b|\btype[ -]?checks (?:cleanly|fine|clean)\b",
        ))
        .expect("valid pattern")
    });
    stated_plainly(message, &["type", "tsc", "mypy", "pyright"], &CLAIM)
}

/// Returns the sentence that says that a linter or a formatter objects to nothing.
pub fn claims_lint_is_clean(message: &str) -> Option<&str> {
    static CLAIM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:lint(?:s|er|ers|ing)?|eslint|clippy|ruff|biome|oxlint|flake8|pylint|golangci-lint|go vet|gofmt|rustfmt|prettier|black|formatting)\b[ -~]{0,30}?\b",
            clean!(),
            r"\b|\b(?:no|0|zero) (?:new )?(?:lint|eslint|clippy|ruff)(?:er|ing)? (?:errors?|warnings?|issues?)\b",
        ))
        .expect("valid pattern")
    });
    stated_plainly(
        message,
        &["lint", "clippy", "ruff", "biome", "flake8", "go vet", "fmt", "prettier", "black", "formatting"],
        &CLAIM,
    )
}

/// Returns the sentence that says that the agent committed its work.
pub fn claims_commit(message: &str) -> Option<&str> {
    static CLAIM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:i(?:'ve| have)?|and|changes?|everything|work|it|all|fix|which|now) (?:(?:is|are|was|were|has been|have been|now|also|just|all) )*committed\b",
            r"|^", no_word!(), r"*committed\b|\bcommitted(?: (?:as|in|to [-\w/]+ as))?:?", no_word!(), r"{1,4}[0-9a-f]{7,40}\b",
        ))
        .expect("valid pattern")
    });
    stated_plainly(message, &["commit"], &CLAIM)
}

/// Returns the sentence that says that something was pushed, published or deployed.
pub fn claims_deployment(message: &str) -> Option<&str> {
    static CLAIM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:i(?:'ve| have)?|and|changes?|everything|branch|commits?|it|all|fix|release|version|site|app|service|which|now) ",
            r"(?:(?:is|are|was|were|has been|have been|now|also|just|all|successfully) )*(?:pushed|deployed|published)(?: (?:to|as|on|and|in|with|it|the (?:branch|changes?|commits?|tags?|fix|release))\b|",
            no_word_but!(" "), r"|$)",
            r"|^", no_word!(), r"*(?:successfully )?(?:pushed|deployed|published)\b|\b(?:is|are) (?:now )?live\b",
        ))
        .expect("valid pattern")
    });
    stated_plainly(message, &["push", "deploy", "publish", "live"], &CLAIM)
}

/// Returns the sentence that says that the work is finished.
pub fn claims_done(message: &str) -> Option<&str> {
    static CLAIM: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)^", no_word!(), r"*(?:all )?(?:done|finished|completed?|fixed|implemented)\b",
            r"|\b(?:is|are|it's|everything(?:'s| is)|all) (?:now )?(?:all )?(?:done|finished|complete[d]?|fixed|implemented|in place|working|ready)\b",
            r"|\bi(?:'ve| have)? (?:now |successfully |also |just )*(?:added|implemented|fixed|created|updated|finished|completed|written|wrote|refactored|removed|renamed|built|changed|made|replaced|moved|ported|converted|migrated|rewritten|rewrote|extended|introduced|resolved|wired)\b",
            r"|\b(?:successfully|fully) (?:added|implemented|fixed|created|updated|completed|refactored)\b",
            r"|\b(?:has|have) been (?:added|implemented|fixed|created|updated|completed|refactored|removed|renamed|ported|converted|migrated|rewritten|extended|introduced|resolved)\b",
        ))
        .expect("valid pattern")
    });
    stated(message).find(|sentence| CLAIM.is_match(sentence) && !hedged(sentence))
}

/// Returns the sentence that says that the agent changed something: not that something is the case,
/// nor that somebody else or an earlier session did it.
pub fn claims_change(message: &str) -> Option<&str> {
    static CLAIM: LazyLock<Regex> = LazyLock::new(|| {
        let verbs = "added|implemented|fixed|created|updated|written|wrote|refactored|removed|renamed|changed|replaced|\
                     moved|rewrote|rewritten|extended|introduced|deleted|corrected|patched|modified|converted|migrated";
        Regex::new(&format!(
            r"(?i-u)\bi(?:'ve| have)?(?: (?:now|also|just|then|successfully))* (?:{verbs})\b|^(?:{}|_)*(?:successfully )?(?:{verbs})\b|\b(?:has|have) (?:now )?been (?:now |successfully )?(?:{verbs})\b",
            no_word!(),
        ))
        .expect("valid pattern")
    });
    static NOT_NOW: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:already|earlier|previous(?:ly)?|upstream|originally|last (?:time|session|week)|yesterday|",
            r"(?:my|your|the) (?:understanding|notes?|memory|plan|list|todos?|answer|summary)|by (?:commit|somebody|someone))\b",
        ))
        .expect("valid pattern")
    });
    stated(message).find(|sentence| {
        CLAIM.find(sentence).is_some_and(|claim| {
            // What a change is for casts no doubt on it.
            let purpose = ["so that ", "to make sure", "to ensure", "such that "];
            let purpose = purpose.iter().filter_map(|words| sentence[claim.end()..].find(words)).min();
            let stated = purpose.map_or(*sentence, |start| &sentence[..claim.end() + start]);
            !NOT_NOW.is_match(sentence) && !hedged(stated)
        })
    })
}

static FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i-u)\b(?:fail(?:s|ed|ing|ures?)?|broken?|breaks|breaking|red|error(?:s|ed)?|crash(?:es|ed)?|flaky|regress(?:ion|ions|ed)|",
        r"time[sd]? out|timeouts?|skipp?ed|unresolved|unfixed|known issues?|pre-?existing|unable|blocked|",
        r"(?:does|do|did|is|are|was|were|could|can|would)(?: not|n(?:'|’)?t)|cannot|not (?:pass(?:ing|ed)?|work(?:ing)?|green|verified|run)|",
        r"untested|unverified|except|apart from|other than)\b",
    ))
    .expect("valid pattern")
});

static NO_FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)\b(?:no|0|zero|without(?: any)?) (?:\w+ )?(?:fail(?:ures?|ing|ed)|errors?|regressions?|skipped)(?: tests?)?\b")
        .expect("valid pattern")
});

/// Returns whether the message has any word of something having gone wrong.
pub fn mentions_failure(message: &str) -> bool {
    sentences(message).any(|sentence| FAILURE.is_match(&NO_FAILURE.replace_all(sentence, "")))
}

/// Returns the first sentence in which the message admits that something does not work. A sentence
/// that reports a fixed failure is no admission.
pub fn admits_failure(message: &str) -> Option<&str> {
    static PUT_RIGHT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:fix(?:es|ed)?|resolv(?:es|ed)|repair(?:s|ed)|address(?:es|ed)|corrects?|corrected|no longer|handles?|handled|prevents?)\b")
            .expect("valid pattern")
    });
    static STILL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:still|but|however|except|remain\w*|yet|not|although|though|apart from|other than)\b|n(?:'|’)t\b")
            .expect("valid pattern")
    });
    sentences(message).find(|sentence| {
        FAILURE.is_match(&NO_FAILURE.replace_all(sentence, ""))
            && (!PUT_RIGHT.is_match(sentence) || STILL.is_match(sentence))
    })
}

/// Returns the first sentence in which the message admits that a check does not pass, or did not run: that code returns errors, or does not do
/// something, admits nothing of a check.
pub fn admits_red(message: &str) -> Option<&str> {
    static RED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:fail(?:s|ed|ing|ures?)?|red|flaky|flak(?:es|ed)|regress(?:ion|ions|ed)|time[sd]? out|timeouts?|skip(?:s|ped)?|unresolved|unfixed|known issues?|pre-?existing|",
            r"untested|unverified|unable to|[1-9][0-9]* errors?|errors? (?:remain|left|persist)\w*|(?:pass\w*|green)\b[ -~]{0,40}\b(?:except|apart from|other than|but for)|(?:still|remains?) (?:broken|errors?|crash\w*|panic\w*|breaks?)|broken (?:tests?|builds?|on|since|in|before)|",
            r"(?:(?:does|do|did|is|are|was|were|could|can|would)(?: not|n(?:'|’)?t)|cannot|not) (?:yet |been |be |have |get [ -~]{0,40})?(?:to )?(?:pass\w*|work\w*|green|verif\w*|run|ran|test\w*|compil\w*|buil[dt]\w*|succeed\w*|start\w*|execut\w*|check\w*))\b",
        ))
        .expect("valid pattern")
    });
    let admits = |sentence: &&str| RED.is_match(&NO_FAILURE.replace_all(sentence, ""));
    sentences(message).find(|sentence| admits(sentence) && admits_failure(sentence).is_some())
}

/// Returns the sentence that says openly that work remains.
pub fn claims_remaining_work(message: &str) -> Option<&str> {
    static REMAINS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:remain(?:s|ing)?|still (?:to (?:do|be)|open|pending|needs?|missing|outstanding|in progress|running|left|have to|has to)|",
            r"not (?:yet )?(?:done|finished|implemented|completed?|started|addressed|covered|included|touched)|",
            r"(?:left|deferred|postponed|unfinished|outstanding|incomplete|partial(?:ly)?|part-?way|half-?way)|",
            r"(?:have|has|had|did|was|were|is|are)(?:n(?:'|’)t| not) (?:yet )?(?:been )?(?:done|do|finish(?:ed)?|implement(?:ed)?|completed?|start(?:ed)?|address(?:ed)?|get to|g[eo]t(?:ten)? to)|",
            r"next steps?|follow-?ups?|to-?dos?|stopp(?:ed|ing) (?:here|at|before|after)|paus(?:ed|ing)|blocked|waiting (?:for|on)|(?:i(?:'|’)ll|will|to) (?:continue|resume|wait|report back|check back))\b",
        ))
        .expect("valid pattern")
    });
    static NOTHING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:no|nothing|none|zero|without)\b[ -+\--:<-~]{0,30}\b(?:remain\w*|left|outstanding|open|pending|missing|to-?dos?|next steps?|follow-?ups?)\b")
            .expect("valid pattern")
    });
    sentences(message).find(|sentence| REMAINS.is_match(&NOTHING.replace_all(sentence, "")))
}

/// Returns the question that ends the message: one of its last two sentences.
pub fn asks_user(message: &str) -> Option<&str> {
    static ASKS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:please (?:confirm|advise|clarify|choose|let me know)|let me know (?:which|whether|how)|",
            r"(?:i need|waiting for|awaiting) your (?:input|decision|answer|approval|confirmation|feedback|call))\b",
        ))
        .expect("valid pattern")
    });
    // A phrase of courtesy asks for nothing.
    let courtesy = |sentence: &str| sentence.to_ascii_lowercase().contains("anything else");
    let asks = |sentence: &str| {
        holds_any(sentence, &["please", "let me know", "i need", "waiting", "awaiting"]) && ASKS.is_match(sentence)
    };
    last_two(message)
        .into_iter()
        .flatten()
        .find(|sentence| (is_question(sentence) || asks(sentence)) && !courtesy(sentence))
}

/// Returns the sentence at the end of the message that asks for leave to go on, or offers to.
pub fn asks_permission(message: &str) -> Option<&str> {
    static ASKS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:would you like me to|do you want me to|want me to|shall (?:i|we)|should (?:i|we) (?:continue|proceed|go ahead|go on|",
            r"start|begin|keep|also|implement|do|move|finish|apply|make|write|add|fix|update|create|run|tackle)|may i|",
            r"can i (?:proceed|continue|go ahead|start)|ready (?:for me )?to (?:proceed|continue|start|begin)|",
            r"(?:is it )?ok(?:ay)? (?:if i|to (?:proceed|continue|go ahead|start))|",
            r"let me know (?:if|when|whether) (?:you(?:(?:'|’)d| would)? (?:like|want|prefer)(?: me)? (?:to|it)|i should|(?:i can|to) (?:proceed|continue))|",
            r"if you(?:(?:'|’)d| would)? (?:like|want),? i (?:can|could|will)|(?:just )?say the word)\b",
        ))
        .expect("valid pattern")
    });
    let hints = ["me to", "shall", "should", "may i", "can i", "ready", "ok", "let me know", "if you", "say the word"];
    last_two(message).into_iter().flatten().find(|sentence| holds_any(sentence, &hints) && ASKS.is_match(sentence))
}

/// Returns the last two sentences of a message that have words, the last one last.
pub(crate) fn last_two(message: &str) -> [Option<&str>; 2] {
    let mut last = [None, None];
    for sentence in sentences(message).filter(|sentence| sentence.chars().any(char::is_alphabetic)) {
        last = [last[1], Some(sentence)];
    }
    last
}

fn is_question(sentence: &str) -> bool {
    sentence.trim_end_matches(['*', '_', '"', '\'', ')', '`', ' ']).ends_with('?')
}

/// Returns the sentence that gives a reason for changing nothing, or that reports instead of
/// changing.
pub fn explains_no_change(message: &str) -> Option<&str> {
    static EXPLAINS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:already|no (?:\w+ )?changes?|nothing|not (?:needed|necessary|required|possible|reproducible|found|a bug)|unnecessary|",
            r"(?:does|do|did|is|are|was|were|could|can|have|has|would|should)(?: not|n(?:'|’)?t)|cannot|unable|no such|no longer|",
            r"as (?:intended|expected|designed)|by design|instead|because|since|however|before (?:i|we)|need(?:s)? (?:your|more|clarif\w*)|",
            r"unclear|ambiguous|blocked|denied|permissions?|approv(?:al|ed?)|plan|propos(?:al|e|ed)|options?|approach(?:es)?|recommend\w*|",
            r"suggest\w*|found|turns out|discovered|(?:root )?cause|the (?:reason|problem|issue|bug|error)|interrupted|stopp(?:ed|ing)|wait(?:ing)?|",
            r"depends|would (?:break|require|need)|out of scope|risk(?:y|s)?)\b",
        ))
        .expect("valid pattern")
    });
    sentences(message).find(|sentence| EXPLAINS.is_match(&without_code(sentence)))
}

/// A sentence without what stands in marks of code: names are no words.
pub(crate) fn without_code(sentence: &str) -> String {
    sentence.split('`').step_by(2).collect()
}

/// Returns the sentence that names something outside of the agent's power: missing access, an
/// approval, an environment that does not let it.
pub fn names_obstacle(message: &str) -> Option<&str> {
    static OBSTACLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:credentials?|api[- ]?keys?|access tokens?|secrets?|passwords?|permissions?|(?:no|without|lack(?:s|ing)?|need(?:s)?|have) access|",
            r"access (?:to|denied)|denied|approv(?:al|e|ed)|sandbox(?:ed)?|network|offline|no internet|firewall|proxy|rate[- ]limit(?:s|ed)?|",
            r"quota|unavailable|unreachable|not (?:installed|available|reachable|accessible|supported|present)|isn(?:'|’)t (?:installed|available)|",
            r"(?:could|can|was|am|were|is)(?: not|n(?:'|’)?t) (?:be |able to )?(?:reach|connect|install|installed|download|access|run|verify|verified|log ?in|authenticate)|",
            r"cannot (?:be )?(?:reach|connect|install|download|access|run|verify|verified|log ?in|authenticate)\w*|unable to|blocked|blocker|",
            r"(?:requires?|needs?) (?:your|you|an? (?:human|admin|account|device|decision|real|live)|manual|admin|sudo|root|hardware|physical|production)|",
            r"waiting (?:for|on)|read-?only|missing (?:dependency|dependencies|package|tool|credentials?|access|information|details|input)|",
            r"not in (?:this|the) (?:repo|repository|workspace|tree|checkout)|your (?:decision|call|input|confirmation)|clarif(?:y|ication)|interrupted)\b",
        ))
        .expect("valid pattern")
    });
    sentences(message).find(|sentence| OBSTACLE.is_match(&without_code(sentence)))
}

/// Returns the sentence that states plainly that something was not done.
pub fn leaves_undone(message: &str) -> Option<&str> {
    static UNDONE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\bi (?:did(?:n(?:'|’)t| not)|have(?:n(?:'|’)t| not)) (?:yet )?(?:implement|add|do|finish|complete|writ|updat|migrat|fix|cover|convert|port|",
            r"get(?:ten)? to|got(?:ten)? to|start|wire|wir|handl|creat|replac|renam|remov|refactor|integrat|document|test|done)\w*",
            r"|\b(?:is|are|remains?) (?:still )?(?:not (?:yet )?|un)(?:implemented|done|finished|completed|written|wired(?: up)?|migrated|converted|ported|hooked up|covered)\b",
            r"|\b(?:has|have)(?:n(?:'|’)t| not) (?:yet )?been (?:implemented|done|finished|completed|written|wired(?: up)?|migrated|converted|ported|added|updated)\b",
            r"|\bi(?:(?:'|’)ve| have)? (?:left|skipped|omitted) [ -~]{1,80}\b(?:out|undone|unimplemented|unfinished|for (?:later|now))\b",
        ))
        .expect("valid pattern")
    });
    sentences(message)
        .find(|sentence| may_leave_undone(sentence) && UNDONE.is_match(sentence) && !is_question(sentence))
}

/// Looks for words without which a sentence does not say that something was not done.
fn may_leave_undone(sentence: &str) -> bool {
    let not = ["n't", "n’t", " not "];
    let left = ["left", "skipped", "omitted"];
    let undone = [
        "unimpl",
        "undone",
        "unfinished",
        "uncompl",
        "unwritten",
        "unwired",
        "unmigr",
        "unconv",
        "unport",
        "unhook",
        "uncovered",
    ];
    holds_any(sentence, &undone)
        || holds_any(sentence, &not)
            && holds_any(sentence, &["i did", "i have", "has", "have", "is ", "are ", "remain"])
        || holds_any(sentence, &left) && holds_any(sentence, &["i ", "i'", "i’"])
}

/// Returns the sentence that puts work off or hands it back.
pub fn defers_work(message: &str) -> Option<&str> {
    static DEFERS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\bi(?:(?:'|’)ll| will|(?:'|’)m|(?:'|’)ve| have)? (?:leave|leaving|left|defer|deferring|deferred|postpone[d]?|skip(?:ped|ping)?|park(?:ed)?)\b[ -~]{0,80}\b(?:later|for (?:now|another|a future|a follow-?up|the next)|to you|follow-?up|next (?:time|session))\b",
            r"|\bas (?:a )?(?:next steps?|follow-?ups?),? (?:you|we|i)\b",
            r"|\b(?:the )?remaining (?:work|tasks?|items?|steps?|to-?dos?|parts?|pieces)\b",
            r"|\byou(?:(?:'|’)ll| will)? (?:still |then |now )?(?:need|have) to (?:\w+ )?(?:implement|add|write|finish|complete|wire|hook|fill in|replace|build|port|migrate)\b",
            r"|\b(?:due to|because of|given) (?:the )?(?:time|length|space|context|token|session)\w*(?: \w+)? (?:constraints?|limits?|limitations?|budget)\b|\bin the interest of time\b",
            r"|\bin (?:a|an|the|another) (?:follow-?up|future|later|subsequent|next|separate)(?: (?:pr|pull request|session|change|commit|iteration|pass|step|task|phase))?\b",
            r"|\b(?:can|could|should|will|to) be (?:done|added|implemented|addressed|tackled|handled|finished|completed) (?:later|in (?:a|the) (?:next|later|future|follow-?up))\b",
            r"|\bleft (?:as|for) (?:future|follow-?up|later|the next|an exercise)\b|\bfuture work\b|\bout of scope for now\b",
        ))
        .expect("valid pattern")
    });
    static NONE_LEFT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:no|without|nothing|all(?: of)?(?: the)?|finished|completed|did|fixed) (?:\w+ )?(?:remaining|left)\b").expect("valid pattern")
    });
    sentences(message).find(|sentence| {
        may_defer(sentence) && DEFERS.is_match(sentence) && !NONE_LEFT.is_match(sentence) && !is_question(sentence)
    })
}

/// Looks for words without which a sentence does not put work off.
fn may_defer(sentence: &str) -> bool {
    let later = ["later", "for now", "another", "follow", "future", "subsequent", "separate", "next", "to you"];
    let put_off = ["leav", "left", "defer", "postpone", "skip", "park", "in a", "in the ", "be ", "as ", "work"];
    holds_any(sentence, &["remaining ", "interest of time", "an exercise", "out of scope"])
        || holds_any(sentence, &later) && holds_any(sentence, &put_off)
        || holds_any(sentence, &["need to", "have to"]) && holds_any(sentence, &["you"])
        || holds_any(sentence, &["constraint", "limit", "budget"])
            && holds_any(sentence, &["due to", "because of", "given"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_about_tests_are_told_from_wishes() {
        for claim in [
            "All tests pass.",
            "I fixed it. The test suite passes now!",
            "12/12 tests passing",
            "Tests: all green",
            "The tests passed with 0 failures.",
            "The test suite passes, the results are the same as before.",
            "The tests of the package pass, they didn't have to be changed.",
            "All 42 tests passed without any errors.",
            "**All tests pass** ✅",
            "100% of the tests pass.",
            "42 of 42 tests pass",
            "The tests pass on Linux and in CI.",
            "Tests: 12 passed, 0 failed",
            "- All checks passed (3.2s)",
            "## Plan\n- Write it\n\n## Verification\n- All tests pass",
            "Verified:\n- [x] All tests pass",
            "The steps I took:\n- read the code\n\nAll tests pass.",
        ] {
            assert!(claims_tests_pass(claim).is_some(), "{claim}");
        }
        for other in [
            "Run the tests to check that they pass, please.",
            "Tests should pass.",
            "The tests do not pass.",
            "The tests don’t pass.",
            "Some tests pass.",
            "Do the tests pass?",
            "```\nall tests pass\n```",
            "> all tests pass",
            "If the tests pass, we can merge.",
            "I passed the config to the test helper.",
            "The test passes a mock client to the handler.",
            "I added two tests passing custom headers.",
            "I kept the tests that pass.",
            "10/12 tests passing",
            "10 of the 12 tests pass.",
            "95% of the tests pass.",
            "Nearly all tests pass.",
            "CI requires all checks to pass.",
            "The suite passes `--strict` to mypy.",
            "## Acceptance criteria\n- All tests pass",
            "The plan:\n1. Write the parser\n2. All tests pass",
            "- [ ] All tests pass",
            "**Next steps**\n- All tests pass on Windows",
            "Two tests pass but one is broken",
        ] {
            assert!(claims_tests_pass(other).is_none(), "{other}");
        }
    }

    #[test]
    fn claims_of_completion_are_told_from_plans() {
        for claim in
            ["Done.", "I've added the parser.", "Everything is in place.", "The bug has been fixed.", "All done!"]
        {
            assert!(claims_done(claim).is_some(), "{claim}");
        }
        for other in [
            "I will add the parser.",
            "Not done yet.",
            "Is it done?",
            "I have not fixed it.",
            "I looked at the parser.",
        ] {
            assert!(claims_done(other).is_none(), "{other}");
        }
    }

    #[test]
    fn claims_of_change_are_told_from_reports() {
        for claim in [
            "I've added a retry to the client.",
            "I fixed the parser.",
            "The importer has been rewritten.",
            "- Renamed `oldName` to `newName`",
            "**Fixed** the crash in the scanner.",
            "I have now also updated the caller.",
            "Successfully migrated the three call sites.",
            "I've updated the regex so that spaces are not refused.",
        ] {
            assert!(claims_change(claim).is_some(), "{claim}");
        }
        for other in [
            "The retry is implemented in `net.rs`.",
            "I've already added it in the last commit.",
            "This was fixed upstream.",
            "The bug has been fixed in an earlier release.",
            "I've updated my understanding of the flow.",
            "I have not changed anything.",
            "I will add the retry.",
            "I would have renamed it.",
            "I looked at what changed.",
            "Should I have removed it?",
            "I would have changed the regex so that it fits.",
            "So that it fits, I will say what I added.",
        ] {
            assert!(claims_change(other).is_none(), "{other}");
        }
    }

    #[test]
    fn admissions_are_told_from_repairs() {
        for admission in [
            "Two tests still fail.",
            "I couldn't get the build to work.",
            "The suite passes except for `test_io`.",
            "One flaky test remains.",
            "I fixed the parser, but one test is still failing.",
            "The e2e tests were skipped here.",
            "This failure is pre-existing.",
        ] {
            assert!(admits_failure(admission).is_some() && admits_red(admission).is_some(), "{admission}");
            assert!(mentions_failure(admission), "{admission}");
        }
        for other in [
            "I fixed the failing login test.",
            "The crash no longer occurs.",
            "Resolved all errors.",
            "I've added the parser.",
        ] {
            assert!(admits_failure(other).is_none(), "{other}");
        }
        for other in
            ["`parse` returns an error instead of panicking.", "It does not ask twice.", "A broken line is named."]
        {
            assert!(admits_failure(other).is_some() && admits_red(other).is_none(), "{other}");
        }
        assert!(mentions_failure("I fixed the failing login test."));
        for clean in
            ["All done.", "12 passed, 0 failed.", "It compiles without any errors.", "Added the parser. No failures."]
        {
            assert!(!mentions_failure(clean) && admits_failure(clean).is_none(), "{clean}");
        }
    }

    #[test]
    fn remaining_work_is_told_from_none() {
        for open in [
            "The docs are not done yet.",
            "Two items remain.",
            "Next steps: write the migration.",
            "I haven't started on the CLI.",
            "I stopped after step 2.",
            "This is partially implemented.",
            "The build is still running.",
            "The build runs in the background; I'll continue when it ends.",
        ] {
            assert!(claims_remaining_work(open).is_some(), "{open}");
        }
        for done in [
            "Everything is done.",
            "Nothing remains to be done.",
            "No open to-dos.",
            "There is nothing left to do.",
            "All steps are complete.",
        ] {
            assert!(claims_remaining_work(done).is_none(), "{done}");
        }
    }

    #[test]
    fn questions_at_the_end_are_told_from_the_rest() {
        assert!(asks_user("I see two ways. Which one do you prefer?").is_some());
        assert!(asks_user("Please confirm that the schema is right.").is_some());
        assert!(asks_user("**Which database should I use?**").is_some());
        assert!(asks_user("Why did it fail? The cache was stale. I cleared it. It works now.").is_none());
        assert!(asks_user("Done.").is_none());
        assert!(asks_user("Done. Let me know if you have any questions.").is_none());
        assert!(asks_user("Done. Is there anything else I can help with?").is_none());
        for asks in [
            "I fixed two files. Should I continue with the rest?",
            "Here is what I found. Would you like me to fix it?",
            "Shall I proceed?",
            "Let me know if you'd like me to add tests.",
            "Ready to start when you are. Want me to go ahead?",
            "If you want, I can also update the docs.",
        ] {
            assert!(asks_permission(asks).is_some(), "{asks}");
        }
        for other in [
            "Which of the two formats should I use?",
            "Should I have a look? I did, and fixed it. All tests pass. Done.",
            "Done.",
            "What is the name of the bucket?",
            "```\nShould I continue?\n```",
        ] {
            assert!(asks_permission(other).is_none(), "{other}");
        }
    }

    #[test]
    fn reasons_are_told_from_promises() {
        for reason in [
            "This is already handled in `net.rs`.",
            "No changes were needed.",
            "I could not reproduce the crash.",
            "The cause is a stale cache.",
            "Here is the plan.",
            "The option doesn't exist.",
        ] {
            assert!(explains_no_change(reason).is_some(), "{reason}");
        }
        for promise in
            ["Sure, I'll add the retry now.", "I will implement the parser.", "Let me start with the tests.", "On it!"]
        {
            assert!(explains_no_change(promise).is_none(), "{promise}");
        }
    }

    #[test]
    fn obstacles_are_told_from_excuses() {
        for obstacle in [
            "I need an API key for the staging system.",
            "The sandbox has no network.",
            "Docker is not installed here.",
            "I couldn't connect to the database.",
            "This requires your approval.",
            "The migration is blocked by the pending review.",
        ] {
            assert!(names_obstacle(obstacle).is_some(), "{obstacle}");
        }
        for excuse in [
            "I left the docs for later.",
            "Due to time constraints I stopped here.",
            "It is a large change.",
            "I haven't written the tests.",
        ] {
            assert!(names_obstacle(excuse).is_none(), "{excuse}");
        }
    }

    #[test]
    fn deferrals_are_told_from_reports() {
        for deferral in [
            "I'll leave the documentation for later.",
            "As a next step, you can wire up the CLI.",
            "The remaining work is the migration of the callers.",
            "You will need to implement the Windows backend.",
            "Due to time constraints, only the parser was ported.",
            "The docs can be updated in a follow-up.",
            "The error handling can be added later.",
        ] {
            assert!(defers_work(deferral).is_some(), "{deferral}");
        }
        for other in [
            "I finished all remaining items.",
            "There are no remaining tasks.",
            "The left pane is wider now.",
            "The token limit is now 4096.",
            "You need to restart the server to see it.",
            "Should the docs be updated in a follow-up?",
        ] {
            assert!(defers_work(other).is_none(), "{other}");
        }
        for undone in [
            "I haven't written the migration guide yet.",
            "The Windows backend is not implemented.",
            "I didn't get to the CLI.",
            "I've left error handling out.",
            "The callers have not been migrated.",
        ] {
            assert!(leaves_undone(undone).is_some(), "{undone}");
        }
        for other in
            ["I did not touch the public API.", "I have implemented it.", "Haven't we met?", "It is not needed."]
        {
            assert!(leaves_undone(other).is_none(), "{other}");
        }
    }
}
