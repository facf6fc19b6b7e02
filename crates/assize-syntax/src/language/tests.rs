//! What files say, language by language, and the limits.

use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::facts::{Import, ImportKind, Role};

/// A path that a sample may have; where the language tells tests by their path, one of a test.
fn sample_path(language: Language) -> String {
    match language {
        Language::Python => "test_a.py".to_owned(),
        Language::Go => "a_test.go".to_owned(),
        _ => format!("src/a.{}", language.extensions()[0]),
    }
}

fn facts(path: &str, text: &str) -> FileFacts {
    read(path, text).expect("a language knows the extension")
}

fn shown_import(import: &Import) -> String {
    let test_only = if import.test_only { " test" } else { "" };
    format!("{:?} {} [{}]{test_only}", import.kind, import.path, import.names.join(" "))
}

/// Everything that a file says, a line for each.
fn shown(facts: &FileFacts) -> String {
    let mut lines = format!("package {:?}, errors {}\n", facts.package, facts.has_errors);
    for import in &facts.imports {
        let _ = writeln!(lines, "{:>3} {}", import.line, shown_import(import));
    }
    for name in &facts.names {
        let owner = name.owner.map(|owner| format!("{owner}.")).unwrap_or_default();
        let mark = if name.public { "+" } else { " " };
        let _ = writeln!(lines, "{:>3} {mark}{} {owner}{}", name.line, name.role.id(), name.text);
    }
    lines
}

#[test]
fn each_language_reads_its_sample() {
    for &(language, text) in SAMPLES {
        insta::assert_snapshot!(language.id(), shown(&facts(&sample_path(language), text)));
    }
}

#[test]
fn imports_are_noted_as_they_are_resolved() {
    for (path, text, expected) in [
        ("a.rs", "use crate::a::{b, c::D};", vec!["Plain crate::a [b]", "Plain crate::a::c [D]"]),
        ("a.rs", "mod tests { use super::*; }", vec!["Plain self [*]"]),
        ("a.rs", "mod x { use self::y::z; }", vec!["Plain self::x::y [z]"]),
        ("a.rs", "mod x { use super::super::y; }", vec!["Plain super [y]"]),
        ("a.rs", "mod a;", vec!["Declaration a []"]),
        ("a.rs", "mod b { mod a; }", vec!["Declaration b::a []"]),
        ("a.rs", "#[path = \"x/y.rs\"]\nmod a;", vec!["Declaration a [x/y.rs]"]),
        ("a.rs", "extern crate foo as bar;", vec!["Plain foo []"]),
        ("a.rs", "fn f() { crate::a::g(); crate::a::g(); }", vec!["Plain crate::a [g]"]),
        ("a.rs", "fn f() { assert!(super::x::T); }", vec!["Plain super::x [T]"]),
        ("a.rs", "#[cfg(test)]\nuse a::b;", vec!["Plain a [b] test"]),
        ("a.rs", "#[cfg(not(test))]\nuse a::b;", vec!["Plain a [b]"]),
        ("a.rs", "pub(crate) use r#a::b as c;", vec!["ReExport a [b]"]),
        ("a.py", "import a.b as c", vec!["Plain a.b []"]),
        ("a.py", "from ..a import b as c, d", vec!["Plain ..a [b d]"]),
        ("a.py", "from . import x", vec!["Plain . [x]"]),
        ("a.py", "from .a import *", vec!["Plain .a [*]"]),
        ("a.py", "if typing.TYPE_CHECKING:\n    import a\n", vec!["TypeOnly a []"]),
        ("a.py", "def f():\n    import a\n", vec!["Dynamic a []"]),
        ("a.py", "import importlib\nimportlib.import_module('a.b')", vec!["Plain importlib []", "Dynamic a.b []"]),
        ("a.py", "from a import b\n__all__ = ['b']\n", vec!["ReExport a [b]"]),
        ("a.js", "import a, {b as c} from './d'", vec!["Plain ./d [default b]"]),
        ("a.js", "export * from './a'; export {b} from './b'", vec!["ReExport ./a [*]", "ReExport ./b [b]"]),
        ("a.js", "const a = require('./a'); function f() { require('./b') }", vec!["Plain ./a []", "Dynamic ./b []"]),
        ("a.js", "import('./a')", vec!["Dynamic ./a []"]),
        (
            "a.ts",
            "import type {A} from './a'; import {type B, c} from './b'",
            vec!["TypeOnly ./a [A]", "Plain ./b [B c]"],
        ),
        ("a.ts", "import x = require('./a')", vec!["Plain ./a []"]),
        ("a.go", "package a\nimport x \"example.com/m/a\"\n", vec!["Plain example.com/m/a []"]),
        ("A.java", "import a.b.C; import a.b.*;", vec!["Plain a.b.C []", "Plain a.b [*]"]),
        ("A.java", "import static a.b.C.d; import static a.b.C.*;", vec!["Plain a.b.C [d]", "Plain a.b.C [*]"]),
    ] {
        let found: Vec<String> = facts(path, text).imports.iter().map(shown_import).collect();
        assert_eq!(found, expected, "{path}: {text}");
    }
}

#[test]
fn who_may_use_a_name_follows_the_language() {
    for (path, text, name, public) in [
        ("a.rs", "pub fn open() {}", "open", true),
        ("a.rs", "pub(crate) fn open() {}", "open", false),
        ("a.rs", "struct A; impl A { pub fn open() {} }", "open", false),
        ("a.rs", "pub struct A; impl B for A { fn open() {} }", "open", false),
        ("a.py", "def open_it(): pass", "open_it", true),
        ("a.py", "def _open(): pass", "_open", false),
        ("a.py", "__all__ = []\ndef open_it(): pass", "open_it", false),
        ("a.py", "__all__ = ['_open']\ndef _open(): pass", "_open", true),
        ("a.ts", "export function open() {}", "open", true),
        ("a.ts", "function open() {}\nexport { open }", "open", true),
        ("a.ts", "function open() {}", "open", false),
        ("a.js", "module.exports.open = function () {}", "open", true),
        ("a.go", "package a\nfunc Open() {}\n", "Open", true),
        ("a.go", "package a\nfunc open() {}\n", "open", false),
        ("A.java", "public class A { public void open() {} }", "open", true),
        ("A.java", "class A { public void open() {} }", "open", false),
        ("A.java", "public interface A { void open(); }", "open", true),
    ] {
        let facts = facts(path, text);
        let found = facts.names.iter().find(|found| found.text == name).expect("it is declared");
        assert_eq!(found.public, public, "{path}: {text}");
    }
}

#[test]
fn a_language_is_told_by_the_extension() {
    for (path, expected) in [
        ("src/a.rs", Some(Language::Rust)),
        ("a.pyi", Some(Language::Python)),
        ("a.mjs", Some(Language::JavaScript)),
        ("a.jsx", Some(Language::JavaScript)),
        ("a.test.cts", Some(Language::TypeScript)),
        ("a.d.ts", Some(Language::TypeScript)),
        ("a.tsx", Some(Language::Tsx)),
        ("a.go", Some(Language::Go)),
        ("A.java", Some(Language::Java)),
        ("a.txt", None),
        ("rs", None),
        (".rs", None),
        ("a.rs/b", None),
        ("", None),
    ] {
        assert_eq!(language_of(path), expected, "{path}");
    }
    assert!(read("a.txt", "fn a() {}").is_none());
    assert!(parse("a.txt", "fn a() {}").is_none());
}

#[test]
fn ids_and_keywords_are_in_order() {
    for language in READ {
        assert_eq!(serde_json::to_value(language).expect("an id is a text"), language.id());
        assert!(keywords(*language).is_sorted(), "{language}");
    }
}

#[test]
fn errors_are_found_and_sound_code_has_none() {
    for (path, sound, broken) in [
        ("a.rs", "fn a() {}\n", "fn a() {\n"),
        ("a.py", "def a():\n    pass\n", "def a(:\n    pass\n"),
        ("a.js", "function a() {}\n", "function a( {}\n"),
        ("a.ts", "let a: number = 1;\n", "let a: = ;\n"),
        ("a.tsx", "const a = <b>c</b>;\n", "const a = <b>c;\n"),
        ("a.go", "package a\n\nfunc a() {}\n", "package a\n\nfunc a( {}\n"),
        ("A.java", "class A { void a() {} }\n", "class A { void a( {} }\n"),
    ] {
        assert_eq!(errors(path, sound), [], "{path}");
        assert!(!errors(path, broken).is_empty(), "{path}");
        assert!(facts(path, broken).has_errors, "{path}");
    }
    assert_eq!(errors("a.py", "a = 1\n  def b(:\n"), [(2, "def b(:".to_owned())]);
    assert_eq!(errors("a.txt", "fn a( {"), []);
    for path in ["a.d.ts", "src/a.d.mts", "a.d.cts"] {
        // The grammar is wrong about sound declarations: what it says of them is worth nothing.
        assert_eq!(
            (errors(path, "let a: = ;\n"), facts(path, "let a: = ;\n").has_errors),
            (Vec::new(), false),
            "{path}"
        );
    }
}

#[test]
fn errors_are_limited_in_number_and_length() {
    let broken = |count: usize| "fn a() { let = 1; }\n".repeat(count);
    assert_eq!(errors("a.rs", &broken(ERRORS_MAX)).len(), ERRORS_MAX);
    assert_eq!(errors("a.rs", &broken(ERRORS_MAX + 1)).len(), ERRORS_MAX);
    let shown = |length: usize| {
        let line = format!("let = {};", "1".repeat(length - "let = ;".len()));
        errors("a.rs", &format!("fn a() {{\n{line}\n}}\n"))[0].1.len()
    };
    assert_eq!(shown(ERROR_BYTES_MAX - 1), ERROR_BYTES_MAX - 1);
    assert_eq!(shown(ERROR_BYTES_MAX), ERROR_BYTES_MAX);
    assert_eq!(shown(ERROR_BYTES_MAX + 1), ERROR_BYTES_MAX);
}

#[test]
fn a_file_is_read_up_to_its_limit() {
    let of = |path: &str, text: &str, bytes: usize| {
        let padded = format!("{}{}", text.repeat(bytes / text.len()), " ".repeat(bytes % text.len()));
        assert_eq!(padded.len(), bytes);
        (facts(path, &padded).passed_over, parse(path, &padded).is_some())
    };
    for (path, text, most) in
        [("a.rs", "fn a() {}\n", FILE_BYTES_MAX), ("a.kt", "fun a() {}\n", bytes_max(Language::Kotlin))]
    {
        assert_eq!(of(path, text, most), (None, true), "{path}");
        assert_eq!(of(path, text, most + 1), (Some(SkipReason::TooLarge), false), "{path}");
    }
    let large = facts("a.rs", &"fn a() {}\n".repeat(FILE_BYTES_MAX / 10 + 1));
    assert_eq!((large.lines as usize, large.names.len()), (FILE_BYTES_MAX / 10 + 1, 0));
}

#[test]
fn long_lines_are_passed_over_and_generated_files() {
    let of = |mean: usize| {
        let line = |bytes: usize| format!("let a = \"{}\";\n", "x".repeat(bytes - "let a = \"\";\n".len()));
        facts("a.js", &(line(LINE_BYTES_MEAN_MAX) + &line(mean))).passed_over
    };
    assert_eq!(of(LINE_BYTES_MEAN_MAX), None);
    assert_eq!(of(LINE_BYTES_MEAN_MAX + 1), Some(SkipReason::Minified));
    assert_eq!(
        facts("a.go", "// Code generated by x. DO NOT EDIT.\npackage a\n").passed_over,
        Some(SkipReason::Generated)
    );
    // `parse` reads generated files as well.
    assert!(parse("a.go", "// Code generated by x. DO NOT EDIT.\npackage a\n").is_some());
}

#[test]
fn lines_are_counted_as_editors_do() {
    for (text, lines) in [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("a\r\nb\r\n", 2), ("\n\n", 2)] {
        assert_eq!(facts("a.py", text).lines, lines, "{text:?}");
    }
}

#[test]
fn a_parser_takes_as_many_steps_as_it_may_and_no_more() {
    let mut parser = Parser::new();
    parser.set_language(&grammar(Language::Rust).expect("it is read")).expect("the grammar is known");
    let text = "fn a(b: u8) -> u8 { b + 1 }\n".repeat(500);
    let mut within = |steps: usize| {
        parser.reset();
        parse_within(&mut parser, &text, steps).is_some()
    };
    // Within a hundred: the parser reports no more often.
    let (mut too_few, mut needed) = (0, steps_max(&text) / 100 * 100);
    assert!(within(needed));
    while needed - too_few > 100 {
        let middle = (too_few + needed) / 200 * 100;
        if within(middle) { needed = middle } else { too_few = middle }
    }
    assert!(!within(needed - 100));
    assert!(needed > 100, "{needed}");
    // What sound code needs is far from what it may take.
    assert!(needed * 10 < steps_max(&text), "{needed} steps for {} bytes", text.len());
}

#[test]
fn a_reader_keeps_nothing_of_the_file_before() {
    let mut reader = FactsReader::new();
    for &(language, text) in SAMPLES.iter().chain(SAMPLES) {
        let path = &sample_path(language);
        let parser = reader.parsers[language as usize].get_or_insert_with(|| {
            let mut parser = Parser::new();
            parser.set_language(&grammar(language).expect("it is read")).expect("the grammar is known");
            parser
        });
        // Broken off in the middle.
        let _ = parse_within(parser, &"x ".repeat(10_000), 100);
        parser.reset();
        assert_eq!(reader.read(path, text), read(path, text), "{path}");
    }
}

#[test]
fn deep_nesting_is_survived() {
    for (path, open, close) in [
        ("a.rs", "mod a { ", "}"),
        ("a.rs", "fn a() { ", "}"),
        ("a.rs", "use a::{", "};"),
        ("a.py", "x = (", ")"),
        ("a.js", "(() => { ", "})"),
        ("a.ts", "namespace a { ", "}"),
        ("a.tsx", "<a>", "</a>"),
        ("a.go", "package a; func a() { func() { ", "}()}"),
        ("A.java", "class A { ", "}"),
    ] {
        for close in [close, ""] {
            let text = format!("{}\n{}", format!("{open}\n").repeat(1_000), format!("{close}\n").repeat(1_000));
            assert!(read(path, &text).is_some(), "{path}");
            errors(path, &text);
        }
    }
}

#[test]
fn a_path_in_a_macro_is_found_and_a_declaration_is_not() {
    let facts = facts("a.rs", "fn a() { vec![crate::b::c()]; m! { fn inner() {} } }");
    assert_eq!(facts.imports.iter().map(shown_import).collect::<Vec<_>>(), ["Plain crate::b [c]"]);
    assert_eq!(facts.names.iter().map(|name| (name.role, name.text)).collect::<Vec<_>>(), [(Role::Function, "a")]);
    assert_eq!(facts.imports[0].kind, ImportKind::Plain);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn whatever_a_text_holds_it_is_read(text in "\\PC{0,200}|[a-z(){}\\[\\];:.,'\"#@=<>*&|\\\\\n ]{0,300}") {
        for (language, _) in SAMPLES {
            let path = &sample_path(*language);
            let facts = facts(path, &text);
            prop_assert!(facts.names.iter().all(|name| name.line >= 1 && name.line <= facts.lines.max(1)));
            prop_assert!(errors(path, &text).len() <= ERRORS_MAX);
        }
    }

    #[test]
    fn a_text_that_is_cut_or_put_together_wrongly_is_read(start in 0.0..1.0, end in 0.0..1.0, other in 0..SAMPLES.len()) {
        for (language, text) in SAMPLES {
            let path = &sample_path(*language);
            let place = |share: f64| text.floor_char_boundary((text.len() as f64 * share) as usize);
            let (start, end) = (place(start), place(end));
            let facts = facts(path, &format!("{}{}{}", &text[start.min(end)..end], SAMPLES[other].1, &text[start..]));
            let kept = serde_json::to_string(&facts).expect("facts are JSON");
            prop_assert_eq!(serde_json::from_str::<FileFacts>(&kept).expect("they read back"), facts);
        }
    }
}
