//! Shell text, split into the simple commands that it runs.
//!
//! Conditions and loops are taken as if all of their commands ran. It must not know what the commands are.

use assize_core::path::parent;

/// A simple command of a shell text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ShellCommand {
    /// The program and its arguments, without quotes.
    pub words: Vec<String>,
    /// The folder that it runs in, relative to the root. `None` where a variable or a folder outside of the project says
    /// so.
    pub folder: Option<String>,
}

/// Words that begin or join commands and are none themselves. What some of them are told by options goes with them.
const BEFORE: [&str; 18] = [
    "!", "(", "command", "do", "elif", "else", "env", "exec", "if", "nice", "sudo", "then", "time", "until", "while",
    "xvfb-run", "{", "@",
];
/// Words whose line is no command.
const NOT_RUN: [&str; 10] = [")", "case", "done", "esac", "export", "fi", "for", "function", "set", "}"];

/// Splits a text; its commands start in `folder`. Where the shell goes within brackets it comes back from.
pub(super) fn commands(text: &str, folder: &str) -> Vec<ShellCommand> {
    let mut at = Some(folder.to_owned());
    let (mut left, mut pushed) = (Vec::new(), Vec::new());
    let mut found = Vec::new();
    for part in split(text) {
        let words = match part {
            ShellPart::Open => {
                left.push(at.clone());
                continue;
            }
            ShellPart::Close => {
                at = left.pop().unwrap_or(at);
                continue;
            }
            ShellPart::Command(words) => stripped(words),
        };
        match words.first().map(String::as_str) {
            None => {}
            Some("popd") => at = pushed.pop().unwrap_or(at),
            Some(go @ ("cd" | "pushd")) => {
                if go == "pushd" {
                    pushed.push(at.clone());
                }
                at = at.and_then(|at| words.get(1).and_then(|to| joined(&at, to)));
            }
            Some(first) if NOT_RUN.contains(&first) => {}
            Some(_) => found.push(ShellCommand { words, folder: at.clone() }),
        }
    }
    found
}

/// Returns a folder that a command names; `None` where it lies outside or is not known.
pub(super) fn joined(folder: &str, to: &str) -> Option<String> {
    let to = to.strip_prefix("$GITHUB_WORKSPACE").map_or(to, |rest| rest.trim_start_matches('/'));
    if to.starts_with(['/', '$', '~', '-']) {
        return None;
    }
    let mut at = folder.to_owned();
    for part in to.split('/') {
        match part {
            "" | "." => {}
            ".." if at.is_empty() => return None,
            ".." => at = parent(&at).to_owned(),
            part if at.is_empty() => part.clone_into(&mut at),
            part => at = format!("{at}/{part}"),
        }
    }
    Some(at)
}

/// Takes away what only stands before a command: words of the shell with their options, variables.
fn stripped(mut words: Vec<String>) -> Vec<String> {
    let mut count = 0;
    let mut takes_options = false;
    for word in &words {
        let is_option = takes_options && word.starts_with('-');
        if !(is_option || BEFORE.contains(&word.as_str()) || is_assignment(word)) {
            break;
        }
        takes_options |= matches!(word.as_str(), "env" | "nice" | "sudo" | "time" | "xvfb-run");
        count += 1;
    }
    words.drain(..count);
    if let Some(first) = words.first_mut() {
        // Marks of make.
        let plain = first.trim_start_matches(['@', '-', '+']).to_owned();
        *first = plain;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns whether a word sets a variable.
pub(super) fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
}

/// A part of a shell text.
enum ShellPart {
    Command(Vec<String>),
    /// A bracket that commands of a shell of their own stand in.
    Open,
    Close,
}

/// Splits a text into commands and these into words.
fn split(text: &str) -> Vec<ShellPart> {
    let mut splitter = Splitter::default();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        splitter.line(line);
        // A document within the text is no command.
        if let Some(end) = splitter.document.take() {
            lines.find(|line| line.trim() == end);
        }
    }
    splitter.end_command();
    splitter.parts
}

#[derive(Default)]
struct Splitter {
    parts: Vec<ShellPart>,
    words: Vec<String>,
    word: Option<String>,
    quote: Option<char>,
    /// How many brackets of `$(` are open.
    nested: usize,
    /// The word that ends a document that begins on the next line.
    document: Option<String>,
}

impl Splitter {
    fn line(&mut self, line: &str) {
        let mut letters = line.chars().peekable();
        while let Some(letter) = letters.next() {
            match (self.quote, letter) {
                (Some(quote), _) if letter == quote => self.quote = None,
                (None | Some('"'), '\\') => match letters.next() {
                    // The next line continues this one.
                    None => {
                        self.end_word();
                        return;
                    }
                    Some(next) => self.push(next),
                },
                (Some(_), _) => self.push(letter),
                (None, '\'' | '"') => {
                    self.quote = Some(letter);
                    self.word.get_or_insert_default();
                }
                (None, '(') if self.nested > 0 || self.word.as_deref().is_some_and(|word| word.ends_with('$')) => {
                    self.nested += 1;
                    self.push(letter);
                }
                (None, ')') if self.nested > 0 => {
                    self.nested -= 1;
                    self.push(letter);
                }
                (None, _) if self.nested > 0 => self.push(letter),
                (None, '#') if self.word.is_none() => break,
                (None, '<') if letters.peek() == Some(&'<') => {
                    self.end_word();
                    let rest: String = letters.by_ref().collect();
                    // A text that stands on the line itself.
                    if let Some(text) = rest.strip_prefix("<<") {
                        let text: String = text.trim_start().trim_matches('"').to_owned();
                        self.words.push(text.split([';', '|', '&']).next().unwrap_or_default().to_owned());
                        break;
                    }
                    let rest = rest.trim_start_matches(['<', '-', ' ']);
                    let name: String =
                        rest.chars().take_while(|c| !c.is_whitespace() && !";|&>".contains(*c)).collect();
                    self.document = Some(name.trim_matches(['\'', '"']).to_owned());
                    break;
                }
                (None, '<' | '>') => {
                    // The number before it and the name behind it are no words of the command.
                    self.word = None;
                    while letters.next_if(|next| matches!(next, '>' | '&' | ' ')).is_some() {}
                    while letters.next_if(|next| !next.is_whitespace() && !";|&)".contains(*next)).is_some() {}
                }
                (None, '(' | ')') => {
                    self.end_command();
                    self.parts.push(if letter == '(' { ShellPart::Open } else { ShellPart::Close });
                }
                (None, ';' | '|' | '&') => self.end_command(),
                (None, letter) if letter.is_whitespace() => self.end_word(),
                (None, letter) => self.push(letter),
            }
        }
        if self.quote.is_some() || self.nested > 0 {
            self.push('\n');
        } else {
            self.end_command();
        }
    }

    fn push(&mut self, letter: char) {
        self.word.get_or_insert_default().push(letter);
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }

    fn end_command(&mut self) {
        self.end_word();
        if !self.words.is_empty() {
            self.parts.push(ShellPart::Command(std::mem::take(&mut self.words)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let shown = |command: ShellCommand| match command.folder {
            Some(folder) if folder.is_empty() => command.words.join(" "),
            Some(folder) => format!("{folder}: {}", command.words.join(" ")),
            None => format!("?: {}", command.words.join(" ")),
        };
        commands(text, "").into_iter().map(shown).collect()
    }

    #[test]
    fn a_text_is_split_into_its_commands() {
        for (text, expected) in [
            ("pytest -x tests", &["pytest -x tests"][..]),
            ("a && b || c; d | e & f", &["a", "b", "c", "d", "e", "f"]),
            ("a \\\n  --b 'c d' \"e f\"", &["a --b c d e f"]),
            ("# a\na # b\n", &["a"]),
            ("A=1 B='2 3' pytest", &["pytest"]),
            ("if [ -f x ]; then\n  cargo test\nfi", &["[ -f x ]", "cargo test"]),
            ("for x in a b; do\n  cargo test -p $x\ndone", &["cargo test -p $x"]),
            ("a > out.txt 2>&1\nb 2>/dev/null < in", &["a", "b"]),
            ("cat <<'EOF' > x\nrm\nEOF\nb", &["cat", "b"]),
            ("echo \"$(git log | head; x)\" && b $(a | b) c", &["echo $(git log | head; x)", "b $(a | b) c"]),
            ("cd web && npm test\ncd ..\ncd \"$HOME\"\nb", &["web: npm test", "?: b"]),
            ("cd ..\na", &["?: a"]),
            ("@go vet ./...\n-rm x", &["go vet ./...", "rm x"]),
            ("sudo -E env A=1 time make", &["make"]),
            ("(cd docs && npm ci)\nnpx eslint .", &["docs: npm ci", "npx eslint ."]),
            ("pushd a\nb\npopd\nc", &["a: b", "c"]),
            ("grep x <<< \"$V\"\nmypy", &["grep x $V", "mypy"]),
            ("'open", &["open\n"]),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
