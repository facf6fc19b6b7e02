//! Where Node says that a file could not be loaded, for runners that come to no report then.
//!
//! This module must not know any runner.

use assize_core::finding::Severity;
use assize_report::{Diagnostic, ToolReport};

use super::{GateOutput, names_error};

/// Returns the fault that kept Node from loading a file: its error, at the first place of the project that it names.
pub(super) fn unloaded(output: &GateOutput) -> Option<ToolReport> {
    let text = String::from_utf8_lossy(&output.stderr);
    // Mocha puts words before it.
    let mut said = text.lines().map(|line| line.trim_start_matches(" Exception during run: "));
    let error = said.find(|line| names_error(line))?;
    let root = format!("{}/", output.root);
    let places = text.match_indices(&root).map(|(at, _)| &text[at + root.len()..]);
    let (path, line) = places.filter_map(place).find(|(path, _)| !path.contains("node_modules/"))?;
    let found = Diagnostic {
        code: "unloaded".to_owned(),
        severity: Severity::Error,
        path: Some(path.to_owned()),
        line,
        message: error.trim().to_owned(),
        offer: None,
    };
    Some(ToolReport { diagnostics: vec![found], ..ToolReport::default() })
}

/// Reads `path:line`, `path` alone in a line, or `path` in quotes at the beginning of a text.
fn place(text: &str) -> Option<(&str, Option<u32>)> {
    let line = text.lines().next()?;
    let end = line.find([':', '\'', '"', ')']).unwrap_or(line.len());
    let (path, rest) = line.split_at(end);
    let digits = rest.strip_prefix(':').and_then(|rest| rest.split(':').next());
    assize_ecosystem::is_code(path).then(|| (path, digits.and_then(|digits| digits.parse().ok())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(stderr: &str) -> Option<(String, Option<u32>, String)> {
        let output = GateOutput { stderr: stderr.into(), root: "/p".to_owned(), ..GateOutput::default() };
        let found = unloaded(&output)?.diagnostics.remove(0);
        Some((found.path?, found.line, found.message))
    }

    #[test]
    fn the_first_place_of_the_project_is_where_a_file_is_not_loaded() {
        let module = "\nReferenceError: require is not defined in ES module scope\nThis file is one, and '/p/package.json' \
                      says so.\n    at file:///p/test/a.js:1:14\n    at /p/node_modules/mocha/lib/b.js:7:1\n";
        let error = "ReferenceError: require is not defined in ES module scope".to_owned();
        assert_eq!(told(module), Some(("test/a.js".to_owned(), Some(1), error)));
        let missing = "Error: Cannot find module '../lib/old'\nRequire stack:\n- /p/test/a.js\n- /p/node_modules/m.js\n    \
                       at Module._load (node:internal:1:1)\n";
        let error = "Error: Cannot find module '../lib/old'".to_owned();
        assert_eq!(told(missing), Some(("test/a.js".to_owned(), None, error)));
        assert_eq!(told(&format!(" Exception during run: {missing}")), told(missing));
        let syntax = "/p/lib/b.js:12\nexport x\n^\n\nSyntaxError: Unexpected token 'export'\n    at /p/test/a.js:3:1\n";
        assert_eq!(told(syntax).map(|(path, line, _)| (path, line)), Some(("lib/b.js".to_owned(), Some(12))));
        assert_eq!(told("TypeError: x\n    at /p/node_modules/m.js:1:1\n"), None);
        assert_eq!(told("    at /p/test/a.js:3:1\n"), None, "nothing says what is wrong");
    }
}
