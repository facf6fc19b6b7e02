//! Which names have to be looked up in the work tree: those that a final message says are there, those that it leaves to the user or
//! lists as changed, and those that a change took the definition of.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use assize_core::diff::{DiffLineKind, FileChange};
use assize_core::path::file_name;
use assize_ecosystem::{Language, is_code, is_generated, is_test};
use regex::Regex;

use crate::answer_rows::rows;
use crate::claim::{hedged, sentences, statements, without_code};
use crate::evidence::Evidence;
use crate::names::{Name, NameKind, NameSource, definition, words};
use crate::phrases::Meaning;
use crate::sibling_names::siblings;

/// Changed files that make a list one of changes.
const CHANGED_BESIDE_MIN: usize = 2;

/// Names that are looked up at a stop.
pub const NAMES_MAX: usize = 24;

/// Lists the names that have to be looked up.
pub fn names_to_look_up(evidence: &Evidence) -> Vec<Name> {
    let mut names: BTreeSet<Name> = removed_definitions(evidence).into_iter().collect();
    if evidence.changed() == Some(true) {
        names.extend(evidence.directives.iter().flat_map(|directive| requested(directive.text.inspect())));
        names.extend(evidence.directives.iter().flat_map(|directive| paired(directive.text.inspect(), evidence)));
    }
    names.extend(rows(evidence));
    names.extend(siblings(evidence));
    names.extend(absent(evidence).map(|(_, name)| name));
    names.extend(evidence.user_texts().flat_map(renamed));
    // Names stand in marks of code.
    if evidence.changed() == Some(true) && evidence.message().contains('`') {
        names.extend(claimed(evidence.message()));
        names.extend(handed_back(evidence));
        names.extend(rest_of_series(evidence));
        names.extend(listed_as_changed(evidence));
    }
    names.into_iter().take(NAMES_MAX).collect()
}

/// The names that a prompt asks for and that can stand for nothing else: variables of the environment, settings and constants.
fn requested(prompt: &str) -> Vec<Name> {
    static VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?-u)\b(?:[Vv]ariable|[Ee]nv(?:ironment)?|ENV|[Ss]etting|[Cc]onstant|[Kk]onstante|[Uu]mgebungsvariable|d'environnement|de entorno|de ambiente)s?[ (:]+",
            r"(?:called |named |namens |appelée |llamada )?[`'\x22]?([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b|",
            r"\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)[`'\x22]? (?:in|from|aus|dans|en) (?:the |der |l'|el )?(?:[Ee]nv(?:ironment)?\b|Umgebung|entorno)",
        ))
        .expect("valid pattern")
    });
    static FILE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:(?:ha(?:s|ve) to|must|should|shall|needs? to|to) (?:be|live|stand|go|come|end up) in(?:to)?|(?:put|write|save|store|move) (?:it|them|that|those|both|all|this|these) (?:in(?:to)?|to|under)|(?:goes|go|belongs?) in(?:to)?|",
            r"(?:create|add|write|make) (?:a |an |the )?(?:new )?(?:file )?|(?:file|script|module|page|config) (?:called|named)) ?[`'\x22]?((?-u:(?:[\w.-]+/)+[\w-]+\.[a-z]{1,5}))\b",
        ))
        .expect("valid pattern")
    });
    static OPTION: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:add|give|need|want|with|introduce|an?|new|accept|take|support)\b[ -~]{0,24}?\b(?:option|flag|switch|argument)s? [`'\x22]?(?-u:(--[a-z][\w-]{2,}))|",
            r"\b(?:add|give|need|want|introduce|accept|take|support)s?\b[ -~]{0,24}? [`'\x22]?(?-u:(--[a-z][\w-]{2,}))",
        ))
        .expect("valid pattern")
    });
    // A thing of code with its name in marks, and perhaps where it has to stand.
    static THING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:as|add|write|create|need|want|make|introduce|into|build|implement|provide|expose|extract)\b[ -~]{0,20}?\ban? (?:new |small |own |separate |shared |pure |public |little )*(?:class|function|method|helper|module|struct|type|interface|trait|enum|hook|component|decorator|macro|exception|column|field|property|metric|event|table|index|subcommand|command|fixture|permission|role|parameter|attribute|setting|variable|constant|job)",
            r" (?:called |named )?`([A-Za-z_]\w{3,60})[ -_a-~]{0,60}`(?: in [`]?((?-u:(?:[\w.-]+/)+[\w-]+\.[a-z]{1,5})))?",
        ))
        .expect("valid pattern")
    });
    // A type that is new, or that is to be thrown.
    static TYPE: LazyLock<Regex> = LazyLock::new(|| {
        const NAME: &str = "((?-u:[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+))";
        Regex::new(&format!(
            r"(?u)\bnew (?:class|exception|error|type|struct|interface|enum|record|component) `?{NAME}\b|\b{NAME}`? \((?:an? |the )?new\b|(?:\b(?:to|must|should|shall) |^)(?i-u:throw|raise) an? (?:new )?`?((?-u:[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)*(?:Exception|Error)))\b"
        ))
        .expect("valid pattern")
    });
    // What goes, what is compared with, and what only might be is not asked for.
    static OTHERS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:remov|delet|drop|renam|replac|instead|rather|like|such as|similar|e\.g|for example|already|existing|without|unless|maybe|perhaps|could|might|or\b|never|don(?:'|’)?t|do not|not)|\?$").expect("valid pattern")
    });
    let asked = |sentence: &str, found: regex::Match<'_>| !OTHERS.is_match(&sentence[..found.start()]);
    let mut names = Vec::new();
    for sentence in sentences(prompt).filter(|sentence| !sentence.ends_with('?')) {
        for found in
            THING.captures_iter(sentence).filter(|found| found.get(0).is_some_and(|whole| asked(sentence, whole)))
        {
            let name = |found: Option<regex::Match<'_>>, kind| {
                found.map(|found| Name { source: NameSource::Requested, kind, text: found.as_str().to_owned() })
            };
            names.extend(name(found.get(1), NameKind::Word));
            names.extend(name(found.get(2), NameKind::File));
        }
        for (pattern, kind) in
            [(&VARIABLE, NameKind::Word), (&FILE, NameKind::File), (&OPTION, NameKind::Word), (&TYPE, NameKind::Word)]
        {
            let found = pattern.captures_iter(sentence).filter_map(|found| found.iter().skip(1).flatten().next());
            let found = found.filter(|found| asked(sentence, *found));
            names.extend(found.map(|found| Name {
                source: NameSource::Requested,
                kind,
                text: found.as_str().to_owned(),
            }));
        }
    }
    names.extend(synopsis(prompt));
    for name in code_names(prompt, |sentence, at| !OTHERS.is_match(&sentence[..at])) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The names that a prompt marks as code, or spells as only code is spelled, where nothing before them says that they are not asked for.
fn code_names(prompt: &str, is_asked: impl Fn(&str, usize) -> bool) -> Vec<Name> {
    static MARKED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?-u)`([ -_a-~]{3,80})`").expect("valid pattern"));
    static SPELLED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?-u)\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b").expect("valid pattern"));
    let name = |text: &str| Name { source: NameSource::Requested, kind: NameKind::Word, text: text.to_owned() };
    let is_code = |word: &&str| word.len() > 4 && (word.trim_matches('_').contains('_') || humps(word) > 0);
    let mut names = Vec::new();
    for sentence in sentences(prompt).filter(|sentence| !sentence.ends_with('?')) {
        let marked = MARKED.captures_iter(sentence).filter_map(|found| found.get(1));
        let marked = marked.filter(|span| is_asked(sentence, span.start()));
        names.extend(marked.flat_map(|span| words(span.as_str()).filter(is_code)).map(name));
        let spelled = SPELLED.find_iter(sentence).filter(|word| is_asked(sentence, word.start()));
        names.extend(spelled.map(|word| name(word.as_str())));
    }
    names
}

/// The files beside changed ones, where a prompt wants the same of both by their names: of `public AND admin`, `admin.go` beside `public.go`.
fn paired(prompt: &str, evidence: &Evidence) -> Vec<Name> {
    static PAIR: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)\b([A-Za-z][\w-]{2,30})(?: (?:and|AND|und|et|y|e|&)(?: the| in)? |/)([A-Za-z][\w-]{2,30})\b")
            .expect("valid pattern")
    });
    static BOTH: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\bAND\b|(?i-u)\b(?:both|each|all|every|everywhere|alle|beide|beiden|toutes?|tous|les deux|todos|ambos|ambas)\b").expect("valid pattern")
    });
    static FILES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)(?:^|[ `(:])((?:[\w-]+/)*[\w-]+\.[a-z]{1,4})[`]?(?: (?:and|und|et|y|&) [`]?|, [`]?)((?:[\w-]+/)*[\w-]+\.[a-z]{1,4})\b").expect("valid pattern")
    });
    static WORK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:should|must|have to|need to|shall|convert|move|change|update|adapt|fix|switch|migrate|port|rename|both|make|let|give)\b").expect("valid pattern")
    });
    static AS_SOURCE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:see|read|like|as in|from|per|according|use|uses|using|look|check|if|not|never|except|or|between|into)\b|n(?:'|’)t\b|\?").expect("valid pattern")
    });
    let Some(diff) = evidence.diff.get() else { return Vec::new() };
    let code = || diff.files.iter().filter(|file| is_code(&file.path) && !is_test(&file.path));
    let stem = |path: &str| file_name(path).split('.').next().unwrap_or_default().to_lowercase();
    let is_changed = |word: &str| code().any(|file| stem(&file.path) == word.to_lowercase());
    let mut names = Vec::new();
    for sentence in sentences(prompt).filter(|sentence| WORK.is_match(sentence) && !AS_SOURCE.is_match(sentence)) {
        for pair in FILES.captures_iter(sentence) {
            let (Some(one), Some(other)) = (pair.get(1), pair.get(2)) else { continue };
            let is_touched = |path: &str| diff.files.iter().any(|file| file.path.ends_with(path));
            for (there, missing) in [(one.as_str(), other.as_str()), (other.as_str(), one.as_str())] {
                if is_touched(there) && !is_touched(missing) && is_code(there) && is_code(missing) {
                    let text = file_name(missing).to_owned();
                    names.push(Name { source: NameSource::Paired, kind: NameKind::File, text });
                }
            }
        }
    }
    for sentence in sentences(prompt).filter(|sentence| !sentence.ends_with('?') && BOTH.is_match(sentence)) {
        for pair in PAIR.captures_iter(sentence) {
            let (Some(one), Some(other)) = (pair.get(1), pair.get(2)) else { continue };
            for (there, missing) in [(one.as_str(), other.as_str()), (other.as_str(), one.as_str())] {
                let Some(file) = code().find(|file| stem(&file.path) == there.to_lowercase()) else { continue };
                if is_changed(missing) {
                    continue;
                }
                let ending = file_name(&file.path).split_once('.').map_or("", |(_, ending)| ending);
                let is_capital = file_name(&file.path).starts_with(|first: char| first.is_ascii_uppercase());
                let first = missing[..1].to_uppercase();
                let text = if is_capital {
                    format!("{first}{}.{ending}", &missing[1..])
                } else {
                    format!("{}.{ending}", missing.to_lowercase())
                };
                names.push(Name { source: NameSource::Paired, kind: NameKind::File, text });
            }
        }
    }
    names
}

/// The options of a command that a prompt asks for and shows on a line of its own.
fn synopsis(prompt: &str) -> impl Iterator<Item = Name> {
    static COMMAND: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:add|implement|write|build|create|make|need|want)\b[ -~]{0,30}\b(?:sub-?commands?|commands?|cli|tool|script)\b").expect("valid pattern")
    });
    static LINE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)^\s*[`$]*\s*[a-z][\w./-]* (?:[\w.|<>\[\]-]+ )*?\[?--[a-z]").expect("valid pattern")
    });
    static OPTION: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?-u)--[a-z][\w-]{2,}").expect("valid pattern"));
    let shown = if prompt.contains("--") && COMMAND.is_match(prompt) { prompt } else { "" };
    let lines = shown.lines().filter(|line| LINE.is_match(line));
    let options = lines.flat_map(|line| OPTION.find_iter(line));
    options.map(|option| Name { source: NameSource::Requested, kind: NameKind::Word, text: option.as_str().to_owned() })
}

/// The names that a message says are there, in marks of code.
fn claimed(message: &str) -> Vec<Name> {
    static CALL: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)`(?:[A-Za-z_]\w*(?:\.|::|#|->))*([A-Za-z_]\w{2,60})\((?:[\w, ]{0,40})\)`")
            .expect("valid pattern")
    });
    static SHAPED: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?-u)`([A-Za-z0-9]+(?:_[A-Za-z0-9]+){2,})`").expect("valid pattern"));
    static PATH: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)`((?:\.?[A-Za-z_][\w.-]*/)+[\w.-]+\.(?:rs|py|jsx?|mjs|cjs|tsx?|go|java|kts?|cs|rb|php|swift|c|h|cc|cpp|hpp|sh|sql|toml|ya?ml|json|md|html|css|exs?))(?::\d+)?`").expect("valid pattern")
    });
    static ANY: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?-u)`((?:[a-z]+_[a-z0-9_]+|[A-Za-z]*[a-z][A-Z]\w+|--[a-z][\w-]{2,}|[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+))`",
        )
        .expect("valid pattern")
    });
    // Of a route the last part that is no parameter.
    static ROUTE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)`(?:GET|POST|PUT|PATCH|DELETE) (?:/[\w.:{}-]+)*?/([A-Za-z][\w.-]{2,})(?:/[:{][\w}]+)*/?`")
            .expect("valid pattern")
    });
    static ADDS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?i-u)\b(?:add(?:s|ed)?|new|introduc\w+|creat\w+|implement\w*|defin\w+|expos\w+|registers?|registered)\b",
        )
        .expect("valid pattern")
    });
    let mut names = Vec::new();
    for sentence in statements(message).filter(|sentence| !is_about_others(sentence)) {
        let found = |pattern: &LazyLock<Regex>, kind: NameKind| -> Vec<Name> {
            let texts = pattern.captures_iter(sentence).filter_map(|found| found.get(1));
            texts.map(|text| Name { source: NameSource::Claimed, kind, text: text.as_str().to_owned() }).collect()
        };
        names.extend(found(&PATH, NameKind::File));
        names.extend(found(&CALL, NameKind::Word));
        names.extend(found(&SHAPED, NameKind::Word));
        names.extend(found(&ROUTE, NameKind::Word));
        if ADDS.is_match(sentence) {
            names.extend(found(&ANY, NameKind::Word));
        }
    }
    names
}

/// The names of code that a prompt has renamed everywhere.
fn renamed(prompt: &str) -> Vec<Name> {
    static RENAME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?i-u)\b(?:rename|change the name of|benenne?|umbenennen|renomme[rz]?|renombra[r]?)\b (?:the |das |die |le |la |el )?(?:[a-z]+ ){0,2}?[`'\x22]?([A-Za-z_]\w{3,60})[`'\x22]? (?:to|into|in|zu|en|a) [`'\x22]?([A-Za-z_]\w{2,60})",
        )
        .expect("valid pattern")
    });
    static EVERYWHERE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:everywhere|throughout|all (?:the )?(?:uses?|usages?|references?|occurrences?|places|files|callers?)|(?:whole|entire) (?:repo|project|code ?base)|in the repo|überall|partout|en todas? partes)").expect("valid pattern")
    });
    let is_code =
        |name: &str| name.contains('_') || humps(name) > 0 || name.chars().all(|character| !character.is_lowercase());
    let of_all = sentences(prompt).filter(|sentence| EVERYWHERE.is_match(sentence));
    let names = of_all
        .flat_map(|sentence| RENAME.captures_iter(sentence))
        .filter_map(|found| found.get(1))
        .map(|name| name.as_str());
    let name = |text: &str| Name { source: NameSource::Renamed, kind: NameKind::Word, text: text.to_owned() };
    names.filter(|text| is_code(text)).map(name).collect()
}

/// The sentences in which the message says that nothing uses something any more that the change took uses of, each with its name.
pub(crate) fn absent(evidence: &Evidence) -> impl Iterator<Item = (&str, Name)> {
    static ABSENT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:nothing|no(?:body| one| other)?(?: \w+)?)\b[ -~]{0,40}?\b(?:uses?|imports?|calls?|references?|needs?|depends? on|mentions?)\b|",
            r"\bno longer (?:uses?|used|imports?|imported|calls?|called|referenced|references?|depends?|needed)\b|",
            r"\b(?:all|every|the last|remaining) (?:\w+ )?(?:uses?|usages?|references?|calls?|imports?|occurrences?|callers?)\b[ -~]{0,60}?\b(?:gone|removed|replaced|migrated|converted|ported|updated|renamed)|",
            r"\b(?:replaced?|removed?|migrated|dropped|gone|switched)\b[ -~]{0,60}?\b(?:everywhere|entirely|completely|throughout)\b",
        ))
        .expect("valid pattern")
    });
    // What the prompt has go may be named without marks of code.
    static GOING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:replac\w*|remov\w*|drop\w*|migrat\w* (?:away )?from|get rid of|rip out|switch\w* from|away from) (?:all |every |the |our )?(?:uses? of |calls? (?:to|of) )?[`'\x22]?([A-Za-z_]\w{3,60})").expect("valid pattern")
    });
    let going: BTreeSet<&str> = evidence
        .user_texts()
        .flat_map(|text| GOING.captures_iter(text))
        .filter_map(|found| found.get(1))
        .map(|word| word.as_str())
        .collect();
    let files = evidence.diff.get().map_or(&[][..], |diff| &diff.files);
    let went = |word: &str| {
        let code = files.iter().filter(|file| is_code(&file.path) && !is_test(&file.path));
        code.flat_map(FileChange::removed_lines).any(|(_, line)| words(line).any(|own| own == word))
    };
    // What the prompt wants nowhere is gone wherever the message says that it is.
    static GONE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:replaced|removed|gone|converted|migrated|swapped|switched|no (?:more|longer))\b")
            .expect("valid pattern")
    });
    let banned: BTreeSet<&str> = evidence.user_texts().flat_map(banned).collect();
    let is_of_banned = |sentence: &str| GONE.is_match(sentence) && words(sentence).any(|word| banned.contains(word));
    let is_meant = |sentence: &&str| (ABSENT.is_match(sentence) || is_of_banned(sentence)) && !hedged(sentence);
    let sentences: Vec<&str> = statements(evidence.message()).filter(is_meant).collect();
    sentences.into_iter().flat_map(move |sentence| {
        let marked = sentence.split('`').skip(1).step_by(2).map(|span| span.trim_end_matches("()"));
        let is_name = |span: &&str| {
            span.len() > 3 && span.chars().all(|character| character.is_alphanumeric() || character == '_')
        };
        let plain = words(sentence).filter(|word| going.contains(word));
        let names: BTreeSet<&str> = marked.filter(is_name).chain(plain).filter(|word| went(word)).collect();
        names
            .into_iter()
            .map(move |text| {
                (sentence, Name { source: NameSource::Absent, kind: NameKind::Word, text: text.to_owned() })
            })
            .collect::<Vec<_>>()
    })
}

/// The names of code that a prompt wants nowhere any more.
fn banned(prompt: &str) -> Vec<&str> {
    static BANNED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:no more|(?:get|getting) rid of|replac\w+|remov\w+|ban|without(?: any)?) (?:all |every |each |the |any |uses? of |calls? (?:to|of) )*",
            r"((?-u:`?[A-Za-z_]\w{2,60}(?:\(\))?`?(?:,? (?:and|or|nor) |, ?)?){1,6})[ -~]{0,24}?\b(?:anywhere|everywhere|throughout|at all|in [`]?(?:src|lib|app|the (?:code|project|repo))\b)",
        ))
        .expect("valid pattern")
    });
    let lists = BANNED.captures_iter(prompt).filter_map(|found| found.get(1));
    lists.flat_map(|list| words(list.as_str())).filter(|word| word.len() > 3).collect()
}

/// Returns whether a sentence speaks of what is not there, not any more, not yet, or elsewhere.
fn is_about_others(sentence: &str) -> bool {
    static OTHERS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:no|not|never|none|nothing|neither|without|un(?:used|needed)|remov\w*|delet\w*|dropped|gone|replac\w*|renam\w*|instead|rather|used to|old|previous\w*|former\w*|",
            r"would|could|should|can|might|may|must|if|you|until|unless|upstream|librar\w*|built-?ins?|std\w*|standard|docs?|see|unlike|consider|suggest\w*|",
            r"recommend\w*|next|later|to-?dos?|follow-?up|missing|absent|lacks?|for example|for instance|such as|e\.g|equivalent|alternative\w*)\b|n(?:'|’)t\b|\?$",
        ))
        .expect("valid pattern")
    });
    OTHERS.is_match(&without_code(sentence))
}

/// The names that a prompt has and that the message tells the user to do something about.
fn handed_back(evidence: &Evidence) -> Vec<Name> {
    static NAME: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)(?:[A-Za-z_.][\w.-]*/)+[\w.-]*\w|\b[A-Za-z_]\w{3,60}").expect("valid pattern")
    });
    let message = evidence.message();
    let told = instructions(message);
    let spoken: Vec<&str> = statements(message).filter(|sentence| !explains(sentence)).collect();
    let mut names = Vec::new();
    for directive in &evidence.directives {
        let text = directive.text.inspect();
        for found in NAME.find_iter(text) {
            let word = found.as_str();
            let is_path = word.contains('/');
            let is_code = is_path || text[found.end()..].starts_with("()") || humps(word) > 0 || word.contains('_');
            let names_it = |sentence: &&str| words_with_dots(sentence).any(|own| own == word);
            let spoken_of = || {
                told.iter().any(&names_it) || is_path && is_ordered(text, found.start()) && spoken.iter().any(&names_it)
            };
            if is_code && spoken_of() {
                let kind = if is_path { NameKind::File } else { NameKind::Word };
                names.push(Name { source: NameSource::HandedBack, kind, text: word.to_owned() });
            }
        }
    }
    names
}

/// The files that a message leaves to the user, where the change has one that lies beside them, and the prompt names them or their folder.
fn rest_of_series(evidence: &Evidence) -> Vec<Name> {
    static FILE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?-u)`([\w./-]*\w\.[a-z]{1,5})`").expect("valid pattern"));
    static LEAVES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)^\s*(?:[-*+]|[0-9]+[.)]) *(?:\*\*)?(?:chang|replac|updat|convert|migrat|adapt|edit|renam|repeat|do|apply|adjust|fix|port|rewrit)\w*\b|",
            r"\b(?:you (?:can|could|may|need to|have to|should|will)|please|yourself)\b[ -~]{0,30}?\b(?:chang|replac|updat|convert|migrat|adapt|edit|renam|repeat|do|apply|adjust|fix|port|rewrit)\w*\b|",
            r"\bsame (?:way|pattern|change)\b",
        ))
        .expect("valid pattern")
    });
    let Some(diff) = evidence.diff.get() else { return Vec::new() };
    let ending = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let stem = |name: &str| file_name(name).split('.').next().unwrap_or_default().to_lowercase();
    let orders: Vec<String> = evidence.directives.iter().map(|one| one.text.inspect().to_lowercase()).collect();
    let is_ordered = |word: &str| word.len() > 2 && orders.iter().any(|text| words(text).any(|own| own == word));
    let is_changed = |name: &str| diff.files.iter().any(|file| file_name(&file.path) == file_name(name));
    let is_of_series = |name: &str| {
        diff.files.iter().any(|file| {
            let folder = file.path.rsplit('/').nth(1).unwrap_or_default();
            let is_named = is_ordered(&stem(name)) && is_ordered(&stem(&file.path));
            !folder.is_empty() && ending(&file.path) == ending(name) && (is_named || is_ordered(folder))
        })
    };
    let told = evidence.message().lines().filter(|line| LEAVES.is_match(line));
    let files = told.flat_map(|line| FILE.captures_iter(line)).filter_map(|found| Some(found.get(1)?.as_str()));
    files
        .filter(|name| !is_changed(name) && is_of_series(name))
        .map(|name| Name { source: NameSource::HandedBack, kind: NameKind::File, text: name.to_owned() })
        .collect()
}

/// The files that a message lists beside others that were changed, and that the change does not have.
fn listed_as_changed(evidence: &Evidence) -> Vec<Name> {
    static HEAD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)^ *(?:[-*+]|\d+[.)]|\|) *(?:\*\*)?(`[ -_a-~]+`(?:(?:,| and| und| et| y| e| &| /) `[ -_a-~]+`)*)(?:\*\*)?(?: \([ -~]+\))? ?[:|]").expect("valid pattern")
    });
    static FILE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?-u)`([\w./-]*\w\.[a-z]{1,5})`").expect("valid pattern"));
    let Some(diff) = evidence.diff.get() else { return Vec::new() };
    let is_changed = |name: &str| diff.files.iter().any(|file| file_name(&file.path) == file_name(name));
    let mut heads: Vec<(&str, bool)> = Vec::new();
    for line in evidence.message().lines() {
        let Some(head) = HEAD.captures(line).and_then(|found| found.get(1)) else { continue };
        let told = sentences(line).next().is_some_and(explains);
        heads.extend(FILE.captures_iter(head.as_str()).filter_map(|found| Some((found.get(1)?.as_str(), told))));
    }
    if heads.iter().filter(|(name, _)| is_changed(name)).count() < CHANGED_BESIDE_MIN {
        return Vec::new();
    }
    let unchanged = heads.into_iter().filter(|(name, told)| !told && !is_changed(name));
    unchanged
        .map(|(name, _)| Name { source: NameSource::HandedBack, kind: NameKind::File, text: name.to_owned() })
        .collect()
}

/// Returns whether a prompt without a question orders something in the line of a place.
fn is_ordered(text: &str, at: usize) -> bool {
    // The thing itself, at the head of an item or behind a verb and where to; not what it is for, like or from.
    static INTO: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)^[ -/:-@]*(?:[0-9a-z][.)] )?[`]?$|\b(?:add|regist|put|chang|updat|writ|insert|extend|list|document|convert|go(?:es)? through|rebuild|fix|finish|sync)\w*(?: [\w'-]+){0,4} (?:in|to|into)? ?[`(]*$|",
            r"\b(?:convert|update|rebuild|regenerate|rewrite|extend|finish|go through|edit) (?:the )?(?:file )?[`]?$|\([`]?$|(?:, | and |[`] )[`]?$",
        ))
        .expect("valid pattern")
    });
    // At the head of a sentence or behind a comma it may be what the next words tell about.
    static BARE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?-u)(?:^[ -/:-@]*(?:[0-9a-z][.)] )?[`]?|, [`]?)$").expect("valid pattern"));
    static TOLD_ABOUT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?-u)^[`]? [a-z]+").expect("valid pattern"));
    static LISTED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)^[`]? (?:and|or|und|oder|et|ou|y|o|e|to|too|also|as well|with)\b").expect("valid pattern")
    });
    let start = text[..at].rfind('\n').map_or(0, |line| line + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let behind = text[at..].trim_start_matches(|letter: char| letter.is_alphanumeric() || "/._-".contains(letter));
    let is_subject = BARE.is_match(&text[start..at]) && TOLD_ABOUT.is_match(behind) && !LISTED.is_match(behind)
        || SUBJECT.is_match(line);
    !text.contains(['?', '？']) && INTO.is_match(&text[start..at]) && !is_subject
}

/// Words that make a file the subject or the model of other work.
static SUBJECT: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i-u)\b(?:tests?|docs?|documentation) (?:for|of|to)\b|\bin the style of\b|\blike\b|\bsame as\b|\baccording to\b|\bsee\b|\b(?:reads?|uses?|used|loads?|imports?) (?:by|from|in)\b").expect("valid pattern")
});

/// Returns whether a sentence about a file says that it stays, or where a fault was.
fn explains(sentence: &str) -> bool {
    static EXPLAINS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:no|not|nothing|none|never|already|exist(?:s|ing)?|unchanged|untouched|unaffected|same|as before|cannot|skipped|left|was|were|bug|cause[ds]?|because|reason|problem|issue|wrong|",
            r"fails?|failed|error|follow\w*|accord\w*|as in|per|see|read|like|based on|defined|comes? from|from)\b|n(?:'|’)t\b",
        ))
        .expect("valid pattern")
    });
    EXPLAINS.is_match(sentence) || Meaning::SaysUnchanged.is_in(sentence)
}

fn words_with_dots(sentence: &str) -> impl Iterator<Item = &str> {
    let paths = sentence.split(|letter: char| letter.is_whitespace() || "`\"'(),:;".contains(letter));
    paths.chain(words(sentence))
}

/// The sentences of a message that tell the user to change something, and the code that stands under them.
fn instructions(message: &str) -> Vec<&str> {
    static TELLS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)(?:: |\b(?:you (?:can|could|may|need to|have to|should|only have to)|just|please|next step (?:is|would be) to|left is to|remains to)\b[ -~]{0,40}?\b|^(?:then )?)",
            r"(?:replace|paste|insert|plug|run it|run this|append|put)\b",
        ))
        .expect("valid pattern")
    });
    let mut told = Vec::new();
    let (mut fenced, mut under) = (false, false);
    for line in message.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            told.extend(under.then_some(line));
            continue;
        }
        let tells = |sentence: &&str| TELLS.is_match(sentence) || Meaning::TellsToChange.is_in(sentence);
        let own: Vec<&str> = sentences(line).filter(tells).collect();
        if !line.trim().is_empty() {
            under = !own.is_empty() && line.trim_end().ends_with([':', '：']);
        }
        told.extend(own);
    }
    told
}

/// The names that a change defined nowhere any more, where they are long enough to be told from others.
fn removed_definitions(evidence: &Evidence) -> Vec<Name> {
    let Some(diff) = evidence.diff.get() else { return Vec::new() };
    let own =
        || diff.files.iter().filter(|file| is_code(&file.path) && !is_generated(&file.path) && file.lines_cut == 0);
    let added: BTreeSet<&str> = own().flat_map(FileChange::added_lines).flat_map(|(_, line)| words(line)).collect();
    let mut names = Vec::new();
    for file in own().filter(|file| !is_test(&file.path)) {
        if Language::of(&file.path).is_none() {
            continue;
        }
        for hunk in &file.hunks {
            let lines: Vec<&str> = hunk.lines.iter().map(|line| line.text.inspect()).collect();
            for (at, line) in hunk.lines.iter().enumerate().filter(|(_, line)| line.kind == DiffLineKind::Removed) {
                let Some(name) =
                    definition(line.text.inspect()).filter(|name| is_telling(name) && !added.contains(name))
                else {
                    continue;
                };
                let kind = kind_of_definition(&lines[..=at]);
                names.push(Name { source: NameSource::Removed, kind, text: name.to_owned() });
            }
        }
    }
    names
}

/// What the last of some lines defines.
fn kind_of_definition(lines: &[&str]) -> NameKind {
    static CLASS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)^\s*(?:[a-z]+ )*(?:class|struct|module|object|trait|impl) +\w+\s*(?:\(\s*\)\s*)?[:{]?\s*$")
            .expect("valid pattern")
    });
    let indent = |line: &str| line.len() - line.trim_start().len();
    let Some((line, before)) = lines.split_last() else { return NameKind::Word };
    if indent(line) == 0 {
        return NameKind::Function;
    }
    let head = before.iter().rev().find(|above| !above.trim().is_empty() && indent(above) < indent(line));
    // What another class hands down may be what stays in use.
    if head.is_some_and(|head| CLASS.is_match(head)) { NameKind::Method } else { NameKind::Word }
}

/// How often a small letter stands before a capital.
fn humps(name: &str) -> usize {
    name.as_bytes().windows(2).filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()).count()
}

/// Returns whether a name can hardly be another thing: it is long, and made of several words.
fn is_telling(name: &str) -> bool {
    let parts = name.trim_matches('_').split('_').filter(|part| !part.is_empty()).count();
    name.len() >= 8 && !name.starts_with("test") && !name.starts_with("Test") && parts + humps(name) >= 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::testing::{modified, says, with_files};

    fn names(message: &str) -> Vec<String> {
        claimed(message).into_iter().map(|name| name.text).collect()
    }

    #[test]
    fn what_a_message_says_is_there_is_looked_up() {
        assert_eq!(names("`trim()` runs after each push and drops the oldest steps."), ["trim"]);
        assert_eq!(
            names("- **Database**: migration `20240611_add_unique_index` adds it."),
            ["20240611_add_unique_index"]
        );
        assert_eq!(names("`.github/workflows/test.yml` runs the tests on each push."), [".github/workflows/test.yml"]);
        assert_eq!(names("`Store::put_all(items)` is new."), ["put_all"]);
        assert_eq!(names("- `GET /listo` → 200"), ["listo"]);
        assert_eq!(names("`DELETE /api/sessions/:id` is there."), ["sessions"]);
        for message in [
            "`trim()` would run after each push.",
            "I removed `legacy_format_name()`.",
            "You can call `trim()` yourself.",
            "`npm test` passes.",
            "```\ntrim()\n```",
            "`value`",
            "`parse()` was replaced.",
        ] {
            assert_eq!(names(message), [] as [&str; 0], "{message}");
        }
    }

    #[test]
    fn files_and_options_that_a_prompt_asks_for_are_looked_up() {
        let asked = |prompt: &str| requested(prompt).into_iter().map(|name| name.text).collect::<Vec<_>>();
        assert_eq!(asked("Both have to be in config/retention.php, an array."), ["config/retention.php"]);
        assert_eq!(asked("Create docs/api.md with the routes."), ["docs/api.md"]);
        assert_eq!(asked("Add an option --since to the export."), ["--since"]);
        assert_eq!(asked("The export needs --since."), ["--since"]);
        let shown = "Add a subcommand to the tool:\n\nparish export --format csv|json --since DAY\n";
        assert_eq!(asked(shown), ["--format", "--since"]);
        assert_eq!(asked("It fails:\n\nparish export --format csv\n"), [] as [&str; 0]);
        for prompt in [
            "It should work like config/stream.php.",
            "Read docs/api.md first.",
            "Run it with --since.",
            "Remove --since.",
            "Should it be in a/b.md?",
        ] {
            assert_eq!(asked(prompt), [] as [&str; 0], "{prompt}");
        }
    }

    #[test]
    fn names_in_marks_of_code_are_looked_up() {
        let asked = |prompt: &str| requested(prompt).into_iter().map(|name| name.text).collect::<Vec<_>>();
        assert_eq!(asked("`from kontakte import normalize_phone` has to work."), ["normalize_phone"]);
        assert_eq!(asked("Cron sets VAULT_KEEP_DAYS, take it."), ["VAULT_KEEP_DAYS"]);
        for prompt in ["Remove `old_name()`.", "Does `parse_row` work?", "It is like `other_module`.", "Fix `run`."] {
            assert_eq!(asked(prompt), [] as [&str; 0], "{prompt}");
        }
    }

    #[test]
    fn of_two_files_that_are_named_the_other_one_is_looked_up() {
        let paired_with = |prompt: &str, files: &[&str]| {
            let files = files.iter().map(|path| modified(path, "+x\n")).collect();
            let evidence = with_files(files);
            paired(prompt, &evidence).into_iter().map(|name| name.text).collect::<Vec<_>>()
        };
        let both = "1. unknown locker must be a 404, public AND admin";
        assert_eq!(paired_with(both, &["public.go"]), ["admin.go"]);
        assert_eq!(paired_with(both, &["public.go", "admin.go"]), [] as [&str; 0]);
        assert_eq!(paired_with(both, &["lockers.go"]), [] as [&str; 0]);
        assert_eq!(paired_with("public and admin differ", &["public.go"]), [] as [&str; 0]);
        assert_eq!(paired_with("Both public and admin need it", &["src/Public.java"]), ["Admin.java"]);
        let files = "store.rs and card.rs should return Result instead of unwrap";
        assert_eq!(paired_with(files, &["src/store.rs"]), ["card.rs"]);
        assert_eq!(paired_with(files, &["src/store.rs", "src/card.rs"]), [] as [&str; 0]);
        assert_eq!(paired_with("store.rs should read it like card.rs and main.rs", &["src/card.rs"]), [] as [&str; 0]);
    }

    #[test]
    fn the_rest_of_a_series_is_looked_up() {
        let files = || vec![modified("renew.d/museum.conf", "+METHOD=dns\n")];
        let rest = |prompt: &str, message: &str| {
            let spoken = crate::rule::testing::asked(prompt, message);
            let evidence = Evidence { diff: with_files(files()).diff, ..spoken };
            rest_of_series(&evidence).into_iter().map(|name| name.text).collect::<Vec<_>>()
        };
        let prompt = "The sites (museum, library, pool) move. Convert all three.";
        assert_eq!(
            rest(prompt, "1. Change `library.conf` and `pool.conf` in the same way"),
            ["library.conf", "pool.conf"]
        );
        assert_eq!(rest(prompt, "1. Change `other.conf` in the same way"), [] as [&str; 0]);
        assert_eq!(rest(prompt, "1. Change `library.txt` in the same way"), [] as [&str; 0]);
        assert_eq!(rest(prompt, "`library.conf` was a dns one already, as you said."), [] as [&str; 0]);
    }

    #[test]
    fn what_the_user_is_told_to_do_is_looked_up() {
        let handed = |directive: &str, message: &str| {
            handed_back(&crate::rule::testing::asked(directive, message))
                .into_iter()
                .map(|name| name.text)
                .collect::<Vec<_>>()
        };
        let ask = "make the retries of deliver() back off, and convert data/days.csv";
        assert_eq!(handed(ask, "You can now use it in `deliver()`: replace `sleep(1)` by `delay()`."), ["deliver"]);
        assert_eq!(
            handed(ask, "Run it once, just run it:\n\n```\ngo run ./tools data/days.csv\n```"),
            ["data/days.csv"]
        );
        assert_eq!(
            handed("InvoiceText soll eine Zeile drucken", "Bitte noch in `InvoiceText.render()` einfügen:"),
            ["InvoiceText"]
        );
        assert_eq!(handed(ask, "The dates in `data/days.csv` are ISO ones."), ["data/days.csv"]);
        assert_eq!(
            handed(ask, "`deliver()` backs off now. `data/days.csv` is unchanged: it had ISO dates."),
            [] as [&str; 0]
        );
    }

    #[test]
    fn a_file_that_is_listed_among_the_changed_ones_is_looked_up() {
        let listed = |message: &str| {
            let files = vec![modified("src/Item.kt", "+x\n"), modified("src/PickList.kt", "+x\n")];
            let evidence = Evidence { final_message: says(message).final_message, ..with_files(files) };
            listed_as_changed(&evidence).into_iter().map(|name| name.text).collect::<Vec<_>>()
        };
        let both = "- `Item.kt`: property\n- `PickList.kt`: reads it\n";
        assert_eq!(
            listed(&format!("{both}- `Label.kt` and `Report.kt`: here it becomes `quantity`")),
            ["Label.kt", "Report.kt"]
        );
        assert_eq!(listed(&format!("{both}- `Label.kt`: unchanged, it has no quantity")), [] as [&str; 0]);
        assert_eq!(listed("- `Item.kt`: property\n- `Label.kt`: prints it\n"), [] as [&str; 0]);
    }

    #[test]
    fn what_the_prompt_wants_nowhere_is_looked_up() {
        let files = || {
            vec![modified(
                "src/topic.c",
                "-    strcpy(out, site);\n-    strcat(out, sensor);\n+    snprintf(out, 9, site);\n",
            )]
        };
        let gone = |prompt: &str, message: &str| {
            let evidence = Evidence { diff: with_files(files()).diff, ..crate::rule::testing::asked(prompt, message) };
            absent(&evidence).map(|(_, name)| name.text).collect::<Vec<_>>()
        };
        let prompt = "no more strcpy, strcat, sprintf anywhere in src/. use snprintf.";
        assert_eq!(gone(prompt, "`strcpy` and `strcat` in `src/` are replaced by `snprintf`."), ["strcat", "strcpy"]);
        assert_eq!(gone(prompt, "`topic_join` cuts off."), [] as [&str; 0]);
        assert_eq!(gone("Fix the topic.", "`strcpy` is replaced by `snprintf` there."), [] as [&str; 0]);
    }

    #[test]
    fn a_definition_that_goes_is_looked_up() {
        let removed = |path: &str, lines: &str| {
            let mut evidence = with_files(vec![modified(path, lines)]);
            evidence.final_message = says("Done.").final_message;
            names_to_look_up(&evidence).into_iter().map(|name| name.text).collect::<Vec<_>>()
        };
        assert_eq!(removed("lib/report.rb", "-    def to_csv_legacy\n-      rows\n-    end\n"), ["to_csv_legacy"]);
        assert_eq!(removed("src/a.ts", "-export async function bookRefund(event) {\n"), ["bookRefund"]);
        assert_eq!(removed("a.go", "-func (s *Store) putAllItems(x int) {\n"), ["putAllItems"]);
        for (path, lines) in [
            ("lib/report.rb", "-    def rows\n"),
            ("lib/report.rb", "-    def to_csv_legacy\n+    def to_csv_legacy(x)\n"),
            ("tests/test_a.py", "-def make_long_name():\n"),
            ("README.md", "-def to_csv_legacy\n"),
        ] {
            assert_eq!(removed(path, lines), [] as [&str; 0], "{lines}");
        }
    }

    #[test]
    fn names_that_a_prompt_asks_for_are_told_from_those_that_it_only_has() {
        for (prompt, expected) in [
            ("If it isn't given, take it from the environment variable WORKLOG_SINCE.", &["WORKLOG_SINCE"][..]),
            ("Die Umgebungsvariable LOG_LEVEL soll gelten.", &["LOG_LEVEL"]),
            // What a function is called in the end may be another name.
            ("Add a method evict_expired() and call it.", &[]),
            ("- REPORT_DIR in the environment as the default for `--dir`", &["REPORT_DIR"]),
            ("N from the option, else from the environment (VAULT_KEEP_DAYS, as cron sets it)", &["VAULT_KEEP_DAYS"]),
            (
                "At the limit it has to throw a RenewalLimitException (new class, unchecked).",
                &["RenewalLimitException"],
            ),
            ("Add a new class LoanLimit for it.", &["LoanLimit"]),
            ("It throws a NullPointerException, see below.", &[]),
            ("It must raise a LimitError.", &["LimitError"]),
            ("The postgres test skips itself without PG_URL.", &[]),
            ("Remove the setting OLD_FLAG.", &[]),
            ("Is there a variable LOG_LEVEL?", &[]),
            ("Rename the function fooBar() to bazQux().", &[]),
        ] {
            let found: Vec<String> = requested(prompt).into_iter().map(|name| name.text).collect();
            assert_eq!(found, expected, "{prompt}");
        }
    }
}
