//! Examples and counter-examples of every rule, in every language that it reads.
//!
//! They stand in `cases/*.txt`: a line `== rule grade [path]`, then the code. Grades are `certain` (and an error),
//! `warning` and `note` (certain as well), `likely`, and `silent`: nothing of this rule, and nothing certain of any. Where
//! a rule finds several things, the worst counts.

use std::collections::BTreeMap;

use super::{RULES, Weakness, WeaknessFamily, WeaknessSeverity, find};

const FILES: [(&str, &str); 5] = [
    ("py", include_str!("cases/python.txt")),
    ("ts", include_str!("cases/script.txt")),
    ("go", include_str!("cases/go.txt")),
    ("java", include_str!("cases/java.txt")),
    ("rs", include_str!("cases/rust.txt")),
];

struct WeaknessCase<'a> {
    rule: &'a str,
    grade: &'a str,
    path: String,
    code: &'a str,
}

fn cases(language: &'static str, file: &'static str) -> Vec<WeaknessCase<'static>> {
    let blocks = file.split("\n== ").skip(1);
    blocks
        .map(|block| {
            let (head, code) = block.split_once('\n').expect("a heading and code");
            let mut words = head.split_whitespace();
            let (rule, grade) = (words.next().expect("a rule"), words.next().expect("a grade"));
            let path = words.next().map_or_else(|| format!("src/shop/basket.{language}"), str::to_owned);
            WeaknessCase { rule, grade, path, code }
        })
        .collect()
}

fn grade(weakness: &Weakness) -> &'static str {
    match (weakness.certain, weakness.severity) {
        (true, WeaknessSeverity::Error) => "certain",
        (true, WeaknessSeverity::Warning) => "warning",
        (true, WeaknessSeverity::Note) => "note",
        (false, _) => "likely",
    }
}

#[test]
fn every_case_has_its_grade() {
    let mut wrong = Vec::new();
    for (language, file) in FILES {
        for case in cases(language, file) {
            let found = find(&case.path, case.code);
            let own: Vec<&str> = found.iter().filter(|weakness| weakness.rule == case.rule).map(grade).collect();
            let sound = match case.grade {
                "silent" => {
                    own.is_empty() && found.iter().all(|weakness| grade(weakness) != "certain" || weakness.in_test)
                }
                grade => {
                    ["certain", "warning", "likely", "note"].into_iter().find(|rank| own.contains(rank)) == Some(grade)
                }
            };
            if !sound {
                let all: Vec<String> = found.iter().map(|found| format!("{} {}", grade(found), found.rule)).collect();
                wrong.push(format!("{language}: {} must be {}, found {all:?}:\n{}", case.rule, case.grade, case.code));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong\n\n{}", wrong.len(), wrong.join("\n---\n"));
}

#[test]
fn every_rule_has_examples_and_counter_examples_in_each_of_its_languages() {
    let mut counts: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    for (language, file) in FILES {
        for case in cases(language, file) {
            assert!(RULES.iter().any(|rule| rule.id == case.rule), "{} is no rule", case.rule);
            let count = counts.entry((case.rule, language)).or_default();
            if case.grade == "silent" { count.1 += 1 } else { count.0 += 1 }
        }
    }
    for rule in RULES {
        for language in rule.languages {
            let (hits, misses) = counts.remove(&(rule.id, *language)).unwrap_or_default();
            assert!(hits >= 1 && misses >= 2, "{} in {language}: {hits} examples, {misses} counter-examples", rule.id);
        }
    }
    assert!(counts.is_empty(), "cases for languages that the rule does not name: {counts:?}");
}

#[test]
fn comments_and_texts_are_not_code() {
    for (language, file) in FILES {
        let mark = if language == "py" { "# " } else { "// " };
        for case in cases(language, file).into_iter().filter(|case| case.grade == "certain") {
            let commented: Vec<String> = case.code.lines().map(|line| format!("{mark}{line}")).collect();
            assert_eq!(find(&case.path, &commented.join("\n")), [], "{language}: {}", case.code);
        }
    }
}

#[test]
fn what_is_found_says_where_it_stands() {
    let code =
        "import requests\n\n\ndef load(url):\n    return requests.get(\n        url,\n        verify=False,\n    )\n";
    let found = find("src/a.py", code);
    assert_eq!(found.len(), 1);
    let weakness = &found[0];
    assert_eq!((weakness.line, weakness.end_line), (7, 7));
    assert_eq!((weakness.family, weakness.certain), (WeaknessFamily::Weakness, true));
    assert_eq!(weakness.excerpt, "requests.get( url, verify=False, )");
}

#[test]
fn tests_inside_of_a_file_are_marked() {
    let body = "std::process::Command::new(\"sh\").arg(\"-c\").arg(format!(\"ls {x}\"));";
    let code = format!("fn a(x: &str) {{ {body} }}\n#[cfg(test)]\nmod tests {{\n    fn b(x: &str) {{ {body} }}\n}}\n");
    let marks: Vec<bool> = find("src/a.rs", &code).into_iter().map(|weakness| weakness.in_test).collect();
    assert_eq!(marks, [false, true]);
    let code = "import unittest\nimport requests\nclass T(unittest.TestCase):\n    def test_a(self):\n        requests.get('https://localhost', verify=False)\n";
    let found = find("src/a.py", code);
    assert!(found.iter().any(|weakness| weakness.rule == "tls-unverified" && weakness.in_test));
}
