//! Finds what was left for later: `todo!()`, `unimplemented!()` and FIXME comments.

use crate::Report;

const MACROS: [&str; 2] = ["todo!(", "unimplemented!("];

pub fn check(source: &str) -> Vec<Report> {
    let mut reports = Vec::new();
    for (index, line) in source.lines().enumerate() {
        let (code, comment) = split_comment(line);
        let code = without_strings(code);
        for name in MACROS {
            if code.contains(name) {
                reports.push(Report { line: index + 1, message: format!("`{name})` left in the code") });
            }
        }
        if comment.contains("FIXME") {
            reports.push(Report { line: index + 1, message: "FIXME comment".into() });
        }
    }
    reports
}

fn split_comment(line: &str) -> (&str, &str) {
    match without_strings(line).find("//") {
        Some(at) => line.split_at(at),
        None => (line, ""),
    }
}

/// Blanks string literals, so that `"todo!()"` is no leftover. Columns stay where they are.
fn without_strings(line: &str) -> String {
    let mut inside = false;
    let blank = |c: char| {
        if c == '"' {
            inside = !inside;
        }
        if inside && c != '"' { ' ' } else { c }
    };
    line.chars().map(blank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(source: &str) -> Vec<usize> {
        check(source).into_iter().map(|report| report.line).collect()
    }

    #[test]
    fn finds_macros() {
        assert_eq!(lines("fn a() {\n    todo!()\n}\nfn b() { unimplemented!(\"later\") }"), [2, 4]);
    }

    #[test]
    fn finds_fixme_comments() {
        assert_eq!(lines("let a = 1; // FIXME: wrong\n// fine"), [1]);
    }

    #[test]
    fn ignores_strings() {
        assert_eq!(lines("let s = \"todo!() and // FIXME\";"), [] as [usize; 0]);
    }

    #[test]
    fn sees_code_after_a_string() {
        let source = r#"
            log("starting");
            let x = parse("a") + todo!();
        "#;
        assert_eq!(lines(source), [3]);
    }
}
