//! Reads out of what runners and compilers say which name they did not find.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

/// How they say that a name is not there. The group is the name.
const SAYINGS: [&str; 20] = [
    // Python.
    r"cannot import name '(\w+)'",
    r"has no attribute '(\w+)'",
    r"\bname '(\w+)' is not defined",
    // JavaScript and TypeScript.
    r"does not provide an export named '([\w$]+)'",
    r"\b([\w$]+)\)? is not (?:a function|a constructor|defined)\b",
    r"has no exported member (?:named )?'([\w$]+)'",
    r"\bProperty '([\w$]+)' does not exist",
    r"\bCannot find name '([\w$]+)'",
    r"'([\w$]+)' does not exist in type",
    // Rust.
    r"\bcannot find [a-z, ]+ `(\w+)`",
    r"\bunresolved imports? `(?:\w+::)*(\w+)`",
    r"\bno `(\w+)` in ",
    r"\bno [a-z, ]+ named `(\w+)` found",
    r"\bno field `(\w+)` on type",
    r"\bhas no field named `(\w+)`",
    // Go.
    r"\bundefined: (?:\w+\.)?(\w+)",
    r"has no field or method (\w+)",
    r"\bunknown field (\w+) in struct literal",
    r"\bundefined \(type \S+ has no field or method (\w+)",
    // Java.
    r"\bsymbol:\s+(?:class|method|variable) (\w+)",
];

/// Returns the names that a text says are not there.
pub fn missing_names(text: &str) -> BTreeSet<&str> {
    static PATTERNS: LazyLock<Vec<Regex>> =
        LazyLock::new(|| SAYINGS.iter().map(|saying| Regex::new(saying).expect("valid pattern")).collect());
    let found = PATTERNS.iter().flat_map(|pattern| pattern.captures_iter(text));
    found.filter_map(|groups| groups.get(1)).map(|name| name.as_str()).collect()
}

/// How they say that a module is not there. The group is the last part of its name, without an ending.
const MODULE_SAYINGS: [&str; 3] = [
    r"\bNo module named '(?:[\w.]*\.)?(\w+)'",
    r"\bCannot find module '(?:[^'\n]*/)?([\w$-]+)(?:\.\w+)*'",
    "\\bFailed to resolve import \"(?:[^\"\n]*/)?([\\w$-]+)(?:\\.\\w+)*\"",
];

/// Returns the modules that a text says are not there, each by the last part of its name.
pub fn missing_modules(text: &str) -> BTreeSet<&str> {
    static PATTERNS: LazyLock<Vec<Regex>> =
        LazyLock::new(|| MODULE_SAYINGS.iter().map(|saying| Regex::new(saying).expect("valid pattern")).collect());
    let found = PATTERNS.iter().flat_map(|pattern| pattern.captures_iter(text));
    found.filter_map(|groups| groups.get(1)).map(|name| name.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_that_is_not_there_is_named_by_its_last_part() {
        for (said, name) in [
            ("ModuleNotFoundError: No module named 'lib.strip'", "strip"),
            ("Error: Cannot find module '../lib/strip'", "strip"),
            ("Cannot find module '/x/lib/strip.js' imported from /x/test/a.js", "strip"),
            ("error TS2307: Cannot find module './strip' or its corresponding type declarations.", "strip"),
            ("Error: Failed to resolve import \"./strip.ts\" from \"a.test.ts\".", "strip"),
        ] {
            assert_eq!(missing_modules(said).into_iter().collect::<Vec<_>>(), [name], "{said}");
        }
        assert!(missing_modules("cannot import name 'strip' from 'a'").is_empty());
    }

    #[test]
    fn each_language_names_what_it_does_not_find() {
        for (said, name) in [
            ("ImportError: cannot import name 'strip' from 'a' (/x/a.py)", "strip"),
            ("AttributeError: module 'a' has no attribute 'strip'", "strip"),
            ("AttributeError: type object 'A' has no attribute 'strip'", "strip"),
            ("NameError: name 'strip' is not defined", "strip"),
            ("SyntaxError: The requested module './a.js' does not provide an export named 'strip'", "strip"),
            ("TypeError: (0 , __vite_ssr_import_0__.strip) is not a function", "strip"),
            ("TypeError: a.Strip is not a constructor", "Strip"),
            ("error TS2305: Module '\"./a\"' has no exported member 'strip'.", "strip"),
            ("error[E0425]: cannot find function `strip` in crate `a`", "strip"),
            ("error[E0432]: unresolved import `a::strip`", "strip"),
            ("error[E0599]: no method named `strip` found for struct `A`", "strip"),
            ("error[E0599]: no function or associated item named `strip` found", "strip"),
            ("error[E0609]: no field `strip` on type `A`", "strip"),
            ("error[E0560]: struct `A` has no field named `strip`", "strip"),
            ("./a_test.go:9:7: undefined: Strip", "Strip"),
            ("./a_test.go:9:7: unknown field Strip in struct literal of type A", "Strip"),
            (
                "error TS2353: Object literal may only specify known properties, and 'strip' does not exist in type 'A'.",
                "strip",
            ),
            ("a.Strip undefined (type A has no field or method Strip)", "Strip"),
            ("  symbol:   method strip(String)", "strip"),
        ] {
            assert!(missing_names(said).contains(name), "{said}: {:?}", missing_names(said));
        }
        for said in ["AssertionError: 'strip' != 'strap'", "expected strip to be a function of x", "strip() failed"] {
            assert_eq!(missing_names(said), BTreeSet::new(), "{said}");
        }
    }
}
