//! A function that came leaves a parameter unused, and its own words say that something is to come, or the directive asked for the
//! function by its name.

use std::sync::LazyLock;

use assize_core::diff::FileChange;
use assize_core::finding::{Certainty, Severity};
use assize_core::path::file_name;
use assize_core::text::{listed, quote};
use assize_ecosystem::Language;
use regex::Regex;

use super::empty_body::{EMPTY_WANTED, FunctionContext, is_productive, place};
use super::function_shape::{WholeFunction, is_docstring, whole_function};
use crate::seen_failures::parts;
use super::reading::{CodeLine, DiffSide, DirectiveWish, MovedLines, has_word, is_reason, read};
use super::{Findings, Needs, Rule};
use crate::claim::{claims_remaining_work, sentences, defers_work, leaves_undone};
use crate::evidence::Evidence;

/// See the module.
pub struct UnusedParameter;

impl Rule for UnusedParameter {
    fn id(&self) -> &'static str {
        "unused-parameter"
    }

    fn needs(&self) -> Needs {
        Needs::Diff
    }

    fn check(&self, evidence: &Evidence, findings: &mut Findings<'_>) {
        let Some(diff) = evidence.diff.get() else { return };
        let asked = DirectiveWish::new(evidence, &EMPTY_WANTED);
        let mut moved = MovedLines::new(diff);
        let named = NamedFunctions::of(evidence);
        for file in diff.files.iter().filter(|file| is_productive(&file.path) && adds_call(file)) {
            check_file(file, evidence, (&asked, &named), &mut moved, findings);
        }
    }
}

/// Returns whether a line came that may begin a function, or call one. A look before the file is read.
fn adds_call(file: &FileChange) -> bool {
    file.added_lines().any(|(_, line)| line.contains('('))
}

/// What stands in a body that fails when it is called.
const FAILING: [&str; 8] = ["todo!", "unimplemented!", "panic", "throw ", "raise ", "NotImplemented", "UnsupportedOperation", "fatalError"];

/// Lines of code in a body that may be a stub.
const BODY_LINES_MAX: usize = 8;

fn check_file(
    file: &FileChange,
    evidence: &Evidence,
    (asked, named): (&DirectiveWish<'_>, &NamedFunctions<'_>),
    moved: &mut MovedLines<'_>,
    findings: &mut Findings<'_>,
) {
    let Some(language) = Language::of(&file.path) else { return };
    for lines in &read(file, DiffSide::New) {
        for open in (0..lines.len()).filter(|open| !lines[*open].in_test && !lines[*open].is_bare()) {
            let Some(function) = whole_function(lines, open, language) else { continue };
            let came = function.body.iter().filter(|line| !line.is_bare()).any(|line| line.changed) || function.body.is_empty() && function.heading[0].changed;
            let unused = unused(&function);
            // Of a long body more is written than is left out.
            let length = function.body.iter().filter(|line| !line.is_bare()).count();
            // What fails when it is called is no secret, and the business of another rule.
            let fails = function.body.iter().any(|line| FAILING.iter().any(|word| line.code.contains(word)));
            if unused.is_empty() || !came || fails || length > BODY_LINES_MAX {
                continue;
            }
            let promised = place(lines, open, language) == FunctionContext::Contract;
            let ground = match promise(&function, &lines[..open], promised) {
                Some(said) if moved.take(said.raw) => continue,
                Some(said) => format!("says: {}", quote(said.raw.trim())),
                None if !promised && takes_in_vain(&function, &unused, evidence) => {
                    "the change hands it what it ignores".to_owned()
                }
                None if named.ask_for(&function, &unused, (&file.path, &lines[..open])) && !is_overridden(&function, evidence) && !(promised && (answers_always(&function) || unused.len() < function.parameters.len())) => "the directive asks for it by its name".to_owned(),
                None => continue,
            };
            // What the message admits is no secret.
            let message = evidence.message();
            let admits = leaves_undone(message).is_some() || claims_remaining_work(message).is_some() || defers_work(message).is_some();
            let certainty = if admits || message.trim().is_empty() { Certainty::Likely } else { Certainty::Certain };
            let certainty = if is_wished(evidence, asked, &function.name, &lines[..open]) { asked.soften(certainty) } else { Some(certainty) };
            let Some(certainty) = certainty else { continue };
            let names: Vec<String> = unused.iter().map(|name| quote(name)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            findings.at(
                file,
                Some(lines[open].number),
                Severity::Error,
                certainty,
                format!(
                    "{} takes {} and does not use {}, and {ground}. Write what is missing, or say in the final message that it is.",
                    quote(&function.name),
                    listed(&names, 3),
                    if names.len() == 1 { "it" } else { "them" },
                ),
            );
        }
    }
}

/// Returns whether a function of one file alone makes something constant of nothing that it takes, with a word of what it would do, and the
/// change calls it with all of that. What others see may be there for them.
fn takes_in_vain(function: &WholeFunction<'_, '_>, unused: &[String], evidence: &Evidence) -> bool {
    let heading = &function.heading[0];
    let keywords = heading.code.split_whitespace().take(2).collect::<Vec<_>>();
    let is_seen = ["pub", "export", "public", "open", "internal"].iter().any(|word| keywords.first().is_some_and(|first| first.starts_with(word)))
        || keywords.first() == Some(&"func") && keywords.get(1).is_some_and(|name| name.starts_with(|first: char| first.is_ascii_uppercase()));
    let is_said = || function.body.iter().any(|line| !line.comment.trim().is_empty());
    let is_own = !is_seen && heading.indent() == 0 && (is_said() || function.body.iter().any(|line| is_hollow(&line.code)));
    let is_new = is_own && function.heading.iter().all(|line| line.changed);
    let ignores_all = unused.len() == function.parameters.len() && !unused.is_empty() && is_constant(function) && !is_idle(&function.name, "", &[]);
    let call = format!("{}(", function.name);
    let is_call = |line: &str| {
        let heading = function.heading.iter().any(|own| own.raw == line);
        let handed = line.split_once(&call).map(|(_, rest)| rest.trim_start());
        !heading && handed.is_some_and(|rest| !rest.is_empty() && !rest.starts_with(')'))
    };
    let files = evidence.diff.get().map_or(&[][..], |diff| &diff.files);
    is_new && ignores_all && files.iter().filter(|file| is_productive(&file.path)).flat_map(FileChange::added_lines).any(|(_, line)| is_call(line))
}

/// Returns whether a function says yes or no and nothing else, as one of several that a type promises may.
fn answers_always(function: &WholeFunction<'_, '_>) -> bool {
    let beside = function.heading.last().map_or("", |line| line.code.rsplit(['{', '>', '=']).next().unwrap_or_default());
    let lines = function.body.iter().map(|line| line.code.as_str()).chain([beside]);
    let words = |code: &str| code.trim().trim_matches(['{', '}', ';', ' ']).trim_start_matches("return ").trim().to_owned();
    lines.map(words).filter(|word| !word.is_empty()).all(|word| matches!(&*word, "true" | "false" | "True" | "False"))
}

/// Returns whether a function that does nothing at all is there for others to replace: the change has it a second time.
fn is_overridden(function: &WholeFunction<'_, '_>, evidence: &Evidence) -> bool {
    let begins = function.heading[0].raw.trim_start();
    let begins = &begins[..begins.find('(').map_or(begins.len(), |open| open + 1)];
    let files = evidence.diff.get().map_or(&[][..], |diff| &diff.files);
    let lines = files.iter().flat_map(FileChange::added_lines);
    is_constant(function) && lines.filter(|(_, line)| line.trim_start().starts_with(begins)).count() > 1
}

/// What the directive says of functions.
struct NamedFunctions<'a> {
    /// Its sentences that let no function do nothing.
    sentences: Vec<&'a str>,
}

impl<'a> NamedFunctions<'a> {
    fn of(evidence: &'a Evidence) -> Self {
        static IDLE: LazyLock<Regex> = LazyLock::new(|| {
            Regex::new(r"(?i-u)\b(?:nothing|no-?op|ignor|unused|always|constant|default|placeholder|dummy|fake|mock|stub|empty|not implemented|NotImplemented\w*|later|for now|skeleton|scaffold|return(?:s|ing)? (?:true|false|null|none|nil|an empty|zero|0)|hard-?coded)").expect("valid pattern")
        });
        let sentences = evidence.user_texts().flat_map(sentences).filter(|sentence| !IDLE.is_match(sentence)).collect();
        Self { sentences }
    }

    /// Returns whether the directive asks for a function, and for one of these parameters: both in one sentence, or for the function in
    /// words, where it makes nothing of all that it takes.
    fn ask_for(&self, function: &WholeFunction<'_, '_>, unused: &[String], (path, above): (&str, &[CodeLine<'_>])) -> bool {
        let plain = |name: &str| name.trim_matches('_').to_owned();
        let (name, unused): (String, Vec<String>) = (plain(&function.name), unused.iter().map(|name| plain(name)).collect());
        if name.len() < NAME_MIN || is_idle(&function.name, path, above) {
            return false;
        }
        let with_parameter = |sentence: &str| {
            let taken = taken(sentence, &name);
            let is_own = |parameter: &&String| parameter.len() > 1 && !HANDED.contains(&parameter.to_lowercase().as_str());
            unused.iter().filter(is_own).any(|parameter| taken.is_some_and(|taken| has_word(taken, parameter)))
        };
        if self.sentences.iter().any(|sentence| with_parameter(sentence)) {
            return true;
        }
        let takes_nothing = unused.len() == function.parameters.len()
            && unused.iter().all(|parameter| parameter.len() > 2 && !HANDED.contains(&parameter.to_lowercase().as_str()))
            && !function.parameters.iter().any(|parameter| parameter.starts_with('_'));
        let words: Vec<String> = parts(&name).collect();
        let in_words = |sentence: &str| {
            let said: Vec<String> = parts(sentence).collect();
            words.iter().all(|word| said.contains(word))
        };
        takes_nothing && !words.is_empty() && self.sentences.iter().any(|sentence| in_words(sentence))
    }
}

/// What stands in parentheses behind the name of a function.
fn taken<'a>(sentence: &'a str, name: &str) -> Option<&'a str> {
    let rest = sentence.match_indices(name).map(|(at, _)| &sentence[at + name.len()..]).find(|rest| rest.starts_with('('))?;
    Some(&rest[1..rest.find(')').unwrap_or(rest.len())])
}

/// Shortest name of a function that is told from other words.
const NAME_MIN: usize = 4;

/// What a framework hands to a function, whether it needs it or not.
const HANDED: [&str; 35] = [
    "request", "req", "response", "res", "reply", "context", "ctx", "event", "events", "args", "kwargs", "argv", "props", "state", "next",
    "sender", "options", "opts", "config", "command", "done", "session", "info", "parent", "parser", "database", "app", "router", "client",
    "server", "type", "signum", "signal", "sig", "frame",
];

/// The line that begins the type which a function stands in, as far as it is shown.
fn type_of<'l>(above: &'l [CodeLine<'_>]) -> &'l str {
    static TYPE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?-u)\b(?:class|struct|impl|object|interface|trait|extends|implements)\b").expect("valid pattern")
    });
    above.iter().rev().find(|line| TYPE.is_match(&line.code)).map_or("", |line| &line.code)
}

/// Returns whether a function, its file or the type that it stands in is one that does nothing by its name.
pub(super) fn is_idle(name: &str, path: &str, above: &[CodeLine<'_>]) -> bool {
    static IDLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)null|no_?op|dummy|fake|mock|stub|silent|disabled|empty|blackhole|void|console|logging|memory|noauth|always|never|nothing|dry_?run").expect("valid pattern")
    });
    [name, file_name(path), type_of(above)].iter().any(|text| IDLE.is_match(text))
}

/// Returns whether the user asked for a function that does nothing: this one, where functions are named, or where others do not go by
/// words of its name.
fn is_wished(evidence: &Evidence, asked: &DirectiveWish<'_>, name: &str, above: &[CodeLine<'_>]) -> bool {
    let own: Vec<String> = parts(name).chain(parts(type_of(above))).filter(|word| !TYPE_WORDS.contains(&word.as_str())).collect();
    let words_of_it = |sentence: &&str| {
        let said: Vec<String> = parts(sentence).collect();
        own.iter().filter(|word| said.contains(word)).count()
    };
    let (wishes, others): (Vec<&str>, Vec<&str>) =
        evidence.user_texts().flat_map(sentences).partition(|sentence| EMPTY_WANTED.is_match(sentence));
    let most = |sentences: &[&str]| sentences.iter().map(&words_of_it).max().unwrap_or(0);
    if most(&others) > most(&wishes) {
        return false;
    }
    let names_another = |sentence: &&str| {
        let mut quoted = sentence.split('`').skip(1).step_by(2).peekable();
        quoted.peek().is_some() && !quoted.any(|span| has_word(span, name))
    };
    asked.is_asked() && !wishes.iter().all(names_another)
}

/// Words at the beginning of a type that are no part of its name.
const TYPE_WORDS: [&str; 13] =
    ["class", "struct", "impl", "object", "interface", "trait", "extends", "implements", "public", "final", "export", "static", "abstract"];

/// The parameters of which the body makes nothing, but perhaps a line of a log.
pub(super) fn unused(function: &WholeFunction<'_, '_>) -> Vec<String> {
    static LOGS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?-u)^\s*(?:await )?(?:(?:self|this)\.)?_?(?:console\.[a-z]+\(|log(?:ger|ging)?\.[A-Za-z]+\(|log\(|print(?:ln|f)?!?\(|eprintln!\(|fmt\.Print[a-z]*\(|slog\.[A-Za-z]+\(|",
            r"(?:tracing::)?(?:info|debug|warn|error|trace)!\(|System\.out\.|Log\.[a-z]\(|NSLog\(|Rails\.logger)",
        ))
        .expect("valid pattern")
    });
    let is_used = |name: &str| {
        let lines = || function.body.iter().filter(|line| !LOGS.is_match(&line.code) && !is_docstring(line) && !is_discarded(&line.code));
        let own = lines().any(|line| has_word(line.without_comment(), name));
        // What stands behind the heading on its last line belongs to the body.
        let beside = function.heading.last().is_some_and(|line| line.code.rsplit_once(['{', '=']).is_some_and(|(_, rest)| has_word(rest, name)));
        own || beside
    };
    function.parameters.iter().filter(|name| !is_used(name)).cloned().collect()
}

/// The comment in which a function says that something is to come, or what it does though it does nothing. Where a type promises the
/// function, it may be there for that alone: then it has to speak of a value that it has.
fn promise<'l, 'a>(function: &WholeFunction<'l, 'a>, lines: &'l [CodeLine<'a>], promised: bool) -> Option<&'l CodeLine<'a>> {
    static LATER: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i-u)\b(?:todo|fixme|later|for now|not yet|once|placeholder|stub|first[.!]?\s*$|eventually|(?:will|would|should) (?:be|come|go|follow|need|do|use|call)|to be (?:done|added|written|filled)|",
            r"(?:follows?|goes|go|comes?|plugs? in|hooks? in|belongs?|lives?) here|left (?:to|for)|leaves? (?:it |this )?(?:to|for)|real (?:implementation|version|one|call|check)|in (?:a )?(?:production|real)|",
            r"simplif|simulat|pretend|dummy|fake|missing|still|next (?:step|version)|nachher|später|plus tard)\b",
        ))
        .expect("valid pattern")
    });
    static NOTHING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i-u)\b(?:nothing|no-?op|not (?:needed|necessary|supported|required|used|applicable|relevant)|does(?:n't| not)|do(?:n't| not)|ignor|unused|always|never|intention|deliberate|by design|because|since|no [a-z]+ (?:in|for|here|to)|nop|required by|only|compat|deprecat|part of the|called (?:when|by|on|after|before|once)|use this|override|see also|restart)").expect("valid pattern")
    });
    // A comment of several lines explains something; a stub says in one what it lacks.
    let comments = |line: Option<&CodeLine<'_>>| line.is_some_and(|line| !line.comment.trim().is_empty());
    let is_alone = |at: usize| !comments(at.checked_sub(1).and_then(|above| function.body.get(above))) && !comments(function.body.get(at + 1));
    let commented = |(at, line): &(usize, &CodeLine<'_>)| line.changed && is_reason(&line.comment) && is_alone(*at);
    let own = || function.body.iter().enumerate().filter(commented).map(|(_, line)| line);
    if let Some(line) = own().find(|line| LATER.is_match(&line.comment) && !NOTHING.is_match(&line.comment)) {
        return Some(line);
    }
    if !is_constant(function) {
        return None;
    }
    let above = lines.iter().rev().take_while(|line| line.is_bare() && !line.comment.trim().is_empty());
    let mut above = above.filter(|line| line.changed);
    above.find(|line| LATER.is_match(&line.comment) && !NOTHING.is_match(&line.comment)).or_else(|| {
        let speaks_of_own = |comment: &str| ["this.", "self."].iter().any(|word| comment.contains(word));
        own().find(|line| !NOTHING.is_match(&line.comment) && (!promised || speaks_of_own(&line.comment)))
    })
}

/// Returns whether a line computes something of which nothing is made.
fn is_discarded(code: &str) -> bool {
    static DISCARDS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?-u)^\s*(?:let |var |val )?_(?:: [ -~]+?)? :?= |^\s*(?:\(void\) ?\w+;|void \w+;|del \w+)").expect("valid pattern"));
    DISCARDS.is_match(code)
}

/// Returns whether an expression is a value of several parts, and all of these are empty: a type, its fields, and nothing in them.
fn is_hollow(code: &str) -> bool {
    static WORD: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"(?-u)[A-Za-z_]\w*").expect("valid pattern"));
    const EMPTY: [&str; 14] =
        ["return", "new", "default", "empty", "emptyList", "emptyMap", "emptySet", "of", "null", "nil", "false", "vec", "undefined", "None"];
    let code = code.trim().trim_end_matches([';', ',']);
    let is_part = |found: regex::Match<'_>| {
        let (word, rest) = (found.as_str(), code[found.end()..].trim_start());
        let is_field = (rest.starts_with(':') && !rest.starts_with("::") || rest.starts_with("=") && !rest.starts_with("==")) && rest.len() > 1;
        word.starts_with(|first: char| first.is_ascii_uppercase()) || EMPTY.contains(&word) || is_field
    };
    let holds = code.contains(['(', '{', '[']);
    holds && !code.bytes().any(|byte| byte.is_ascii_digit() && byte != b'0') && WORD.find_iter(code).all(is_part)
}

/// Returns whether a body does nothing but return something constant.
fn is_constant(function: &WholeFunction<'_, '_>) -> bool {
    static CONSTANT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^(?:return\s*)?(?:true|false|True|False|None|null|nil|undefined|-?[0-9]+(?:\.[0-9]+)?|[\x22'][\x22']|\[\]|\{\}|Ok\((?:\(\)|true|false|None)?\)|Some\(\(\)\)|Unit|pass|\.\.\.|",
            r"Promise\.resolve\(\)|String::new\(\)|Vec::new\(\)|vec!\[\]|Default::default\(\)|)\s*;?$",
        ))
        .expect("valid pattern")
    });
    let beside = function.heading.last().and_then(|line| line.code.split_once('{')).map_or("", |(_, rest)| rest);
    let lines = function.body.iter().filter(|line| !is_docstring(line)).map(|line| line.code.as_str()).chain([beside]);
    let is_one = |code: &str| CONSTANT.is_match(code.trim().trim_matches(['{', '}', ' '])) || is_hollow(code) || is_discarded(code);
    lines.into_iter().all(is_one)
}

#[cfg(test)]
mod tests {
    use assize_core::text::Untrusted;

    use super::*;
    use crate::rule::testing::{asked, changed, grades};
    use Certainty::{Certain, Likely};

    fn check(path: &str, lines: &str, message: &str) -> Vec<Certainty> {
        let evidence = changed(path, lines);
        grades(&UnusedParameter, &Evidence { final_message: Some(Untrusted::new(message)), ..evidence })
    }

    #[test]
    fn what_a_function_takes_and_leaves_for_later_is_found() {
        for (path, lines) in [
            ("a.py", "+def valid(headers, body):\n+    if not headers:\n+        return False\n+    # The comparison plugs in here.\n+    return True\n"),
            ("src/a.rs", "+fn row(&self, _out: &mut W, _r: &Reading) -> io::Result<()> {\n+    // needs string escaping first\n+    Ok(())\n+}\n"),
            ("a.ts", "+  allow(ip: string): boolean {\n+    // sliding window over this.tries\n+    return true;\n+  }\n"),
            ("a.ts", "+export async function send(mailer: Mailer, posts: Post[]): Promise<number> {\n+  // hand over to the mailer once templates are settled\n+  return posts.length;\n+}\n"),
            ("a.go", "+// Delete satisfies Store. Files are left to the cleanup.\n+func (d DirStore) Delete(key string) error { return nil }\n"),
        ] {
            assert_eq!(check(path, lines, "Implemented."), [Certain], "{path}: {lines}");
            assert_eq!(check(path, lines, "Implemented. The rest is not yet done."), [Likely], "{path}: {lines}");
        }
    }

    #[test]
    fn what_the_directive_names_has_to_use_what_it_takes() {
        let check = |prompt: &str, path: &str, lines: &str| {
            let evidence = Evidence { directives: asked(prompt, "").directives, ..changed(path, lines) };
            grades(&UnusedParameter, &Evidence { final_message: Some(Untrusted::new("Implemented.")), ..evidence })
        };
        let list = "+    public List<String> list(String prefix) {\n+        return List.of();\n+    }\n";
        let prompt = "Add `List<String> list(String prefix)` to Storage and implement it everywhere.";
        assert_eq!(check(prompt, "src/Disk.java", &format!(" public class Disk implements Storage {{\n{list} }}\n")), [Certain]);
        assert_eq!(check(prompt, "src/Nothing.java", &format!(" public class NullStorage implements Storage {{\n{list} }}\n")), []);
        assert_eq!(check("Add `list(String prefix)`, which always returns an empty list.", "src/Disk.java", list), []);
        assert_eq!(check("Add a listing of what is stored.", "src/Disk.java", list), []);
        let logged = "+def delete_prefix(self, prefix):\n+    log.info(\"deleting %s\", prefix)\n+    return 0\n";
        assert_eq!(check("add delete_prefix(prefix) to the stores", "store.py", logged), [Certain]);
        assert_eq!(check("Tidy the stores.", "store.py", logged), []);
        let hook = "+class Base:\n+    def on_post(self, text):\n+        \"\"\"Called for each post.\"\"\"\n";
        let own = "+class Echo(Base):\n+    def on_post(self, text):\n+        self.send(text)\n";
        assert_eq!(check("A base class with on_post(text), and an echo.", "agent.py", &format!("{hook}{own}")), []);
        assert_eq!(check("Add on_post(text).", "agent.py", hook), [Certain]);
        let ics = "+def to_ics(shifts):\n+    lines = [\"BEGIN:VCALENDAR\"]\n+    return lines\n";
        assert_eq!(check("Besides json we need csv and ics.", "export.py", ics), [Certain]);
        let handler = "+def healthz(request):\n+    return Response(\"ok\")\n";
        assert_eq!(check("Add a healthz route.", "views.py", handler), []);
    }

    #[test]
    fn what_is_handed_to_a_new_function_has_to_be_used() {
        let lines = "+pub fn summarize(fixes: &[Fix]) -> f64 {\n+    fixes.windows(2).map(|leg| leg_km(leg[0], leg[1])).sum()\n+}\n+\n\
                     +fn leg_km(_a: Fix, _b: Fix) -> f64 {\n+    // haversine\n+    0.0\n+}\n";
        assert_eq!(check("src/lib.rs", lines, "Implemented."), [Certain]);
        let hollow = "+pub fn decode(bytes: &[u8]) -> Option<Frame> {\n+    status(&bytes[2..])\n+}\n+\n\
                      +fn status(body: &[u8]) -> Option<Frame> {\n+    let _: [u8; 6] = take(body, 0)?;\n+    Some(Frame::Status { callsign: String::new(), text: String::new() })\n+}\n";
        assert_eq!(check("src/lib.rs", hollow, "Implemented."), [Certain]);
        assert_eq!(check("src/lib.rs", &hollow.replace("text: String::new()", "text: read(body)"), "Implemented."), []);
        assert_eq!(check("src/lib.rs", &lines.replace("leg_km(leg[0], leg[1])", "leg.len() as f64"), "Implemented."), []);
        assert_eq!(check("src/lib.rs", &lines.replace("    0.0", "    (_a.lat - _b.lat).abs()"), "Implemented."), []);
    }

    #[test]
    fn counter_examples() {
        for (path, lines) in [
            ("a.py", "+def valid(headers, body):\n+    # later ones go first\n+    return check(headers, body)\n"),
            ("src/a.rs", "+/// No header in this format.\n+fn begin(&self, _out: &mut W) -> io::Result<()> {\n+    Ok(())\n+}\n"),
            ("a.ts", "+  flush(key: string): void {\n+    // nothing to do, writes are not buffered\n+  }\n"),
            ("a.go", "+// Close does nothing.\n+func (d DirStore) Close(now bool) error { return nil }\n"),
            ("a.py", "+def render(name):\n+    return f\"hello {name}\"  # for now in English\n"),
            ("a.swift", "+class AppDelegate: UIResponder, UIApplicationDelegate {\n+    func applicationDidBecomeActive(_ application: UIApplication) {\n+        // Refresh the user interface that was left in the background\n+    }\n+}\n"),
            ("a.ts", "+// The rest lands later, once they can be had.\n+export function reason(repo: {\n+  provider: string;\n+}): string | null {\n+  if (repo.provider === 'x') return null;\n+  return 'none';\n+}\n"),
            ("a_test.go", "+func fake(key string) error {\n+\t// later\n+\treturn nil\n+}\n"),
        ] {
            assert_eq!(check(path, lines, "Implemented."), [], "{path}: {lines}");
        }
    }
}
