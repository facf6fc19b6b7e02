//! Which program has the last word on whether a file parses: that of the language itself.
//!
//! Our grammars lag behind the languages, and are at times wrong. So a file that seems not to parse is shown to the
//! language's own parser, if that is installed. This module must not run anything.

use std::collections::BTreeMap;

use assize_ecosystem::Language;

use crate::gate::GateCommand;

/// Parsers by their language: the program, and what stands before the path. Status 0 says that the file parses.
const PARSERS: [(Language, &str, &[&str]); 4] = [
    (Language::JavaScript, "node", &["--check"]),
    (Language::Python, "python3", &["-c", "import ast, sys; ast.parse(open(sys.argv[1], 'rb').read())"]),
    (Language::Go, "gofmt", &["-e", "-l"]),
    (Language::Rust, "rustfmt", &["--edition", "2024", "--emit", "stdout"]),
];

/// Returns the command of the parser of a file; `None` for a language without one.
pub fn command(path: &str) -> Option<GateCommand> {
    let language = Language::of(path)?;
    let (_, program, arguments) = PARSERS.iter().find(|(of, ..)| *of == language)?;
    Some(GateCommand {
        program: (*program).to_owned(),
        arguments: arguments.iter().map(|argument| (*argument).to_owned()).chain([path.to_owned()]).collect(),
        folder: String::new(),
        environment: BTreeMap::new(),
        provided: BTreeMap::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_shown_to_the_parser_of_its_language() {
        for (path, shown) in [
            ("lib/a.js", Some("node --check lib/a.js")),
            ("a.mjs", Some("node --check a.mjs")),
            ("a.go", Some("gofmt -e -l a.go")),
            ("src/a.rs", Some("rustfmt --edition 2024 --emit stdout src/a.rs")),
            ("a.ts", None),
            ("README.md", None),
        ] {
            let words = command(path).map(|command| format!("{} {}", command.program, command.arguments.join(" ")));
            assert_eq!(words.as_deref(), shown, "{path}");
        }
    }
}
