#!/bin/sh
# Bids for much in the first round and for less after a failure, and does it right.
set -eu

# Whether what the bidder is told holds a text; spaces aside.
told() { [ -n "${ASSIZE_CASE:-}" ] && tr -d ' \n\r\t' <"$ASSIZE_CASE" | grep -qF "$1"; }

# Whether the first two boxes are to be done, and not only the third.
is_early() { [ -z "${ASSIZE_CASE:-}" ] || told '"id":"req_1"' || told '"id":"req_2"'; }

# Edits a file by a script for sed.
edit() {
    sed "$2" "$1" >"$1.new"
    cat "$1.new" >"$1"
    rm "$1.new"
}

# Inserts what it reads before the first line of a file that begins with a text.
insert() {
    { sed "/^$2/,\$d" "$1" && cat && sed -n "/^$2/,\$p" "$1"; } >"$1.new"
    cat "$1.new" >"$1"
    rm "$1.new"
}

# Whether a round has failed before.
is_replan() { told '"failure":{'; }

bid() {
    if is_early && is_replan; then
        cat <<'BID'
{
  "approach": "Comments are cut off before a line is read, and underscores are looked at in the amount alone, so that names keep theirs.",
  "pseudo_code": "line = line.until('#').trim()\namount(text) = none unless every group between underscores is digits\n              else text.without('_')",
  "changes": [
    {
      "path": "src/parse.rs",
      "kind": "edit",
      "brief": "Cuts comments off, and reads groups of digits.",
      "requirements": ["req_1", "req_1.1", "req_1.2", "req_2", "req_2.1"]
    },
    {
      "path": "tests/lists.rs",
      "kind": "add",
      "brief": "Tests of both.",
      "requirements": ["req_1", "req_1.1", "req_1.2", "req_2", "req_2.1"]
    }
  ],
  "estimated_lines": 60,
  "risk": "A name with a hash in it loses its end.",
  "success_probability": 0.9
}
BID
    elif is_early; then
        cat <<'BID'
{
  "approach": "Comments are cut off before a line is read, underscores are looked at in the amount alone, and the documentation says both. Each has tests in a file of its own.",
  "pseudo_code": "line = line.until('#').trim()\namount(text) = none unless every group between underscores is digits\n              else text.without('_')",
  "changes": [
    {
      "path": "src/parse.rs",
      "kind": "edit",
      "brief": "Cuts comments off, and reads groups of digits.",
      "requirements": ["req_1", "req_1.1", "req_1.2", "req_2", "req_2.1"]
    },
    {
      "path": "README.md",
      "kind": "edit",
      "brief": "Says what a list may hold.",
      "requirements": ["req_1", "req_2"]
    },
    {
      "path": "tests/comments.rs",
      "kind": "add",
      "brief": "Tests of comments.",
      "requirements": ["req_1", "req_1.1", "req_1.2"]
    },
    {
      "path": "tests/amounts.rs",
      "kind": "add",
      "brief": "Tests of amounts.",
      "requirements": ["req_2", "req_2.1"]
    }
  ],
  "estimated_lines": 70,
  "risk": "A name with a hash in it loses its end.",
  "success_probability": 0.85
}
BID
    else
        cat <<'BID'
{
  "approach": "A function beside the sum divides it by how many entries there are; without entries there is no mean.",
  "pseudo_code": "mean(entries) = none if entries is empty else total(entries) / entries.len()",
  "changes": [
    {
      "path": "src/total.rs",
      "kind": "edit",
      "brief": "A function for the mean.",
      "requirements": ["req_3", "req_3.1"]
    },
    {
      "path": "tests/mean.rs",
      "kind": "add",
      "brief": "Tests of it.",
      "requirements": ["req_3", "req_3.1"]
    }
  ],
  "estimated_lines": 25,
  "risk": "None for what is there: sums stay as they are.",
  "success_probability": 0.95
}
BID
    fi
}

# Prints the beginning of a file of tests, which are about what is said.
tests_of() {
    cat <<FILE
//! $1

use tally::parse::{parse, Entry};

fn entry(name: &str, amount: i64) -> Entry {
    let name = name.to_owned();
    Entry { name, amount }
}
FILE
}

comment_tests() {
    cat <<'FILE'

#[test]
fn the_end_of_a_line_may_be_a_comment() {
    let entries = parse("rent 700 # cold\nshoes -85# both\n");
    let wanted = vec![entry("rent", 700), entry("shoes", -85)];
    assert_eq!(entries, Ok(wanted));
}

#[test]
fn a_comment_alone_is_a_blank_line() {
    assert_eq!(parse("# May\n  # cold\n"), Ok(Vec::new()));
    let error = parse("# May\nrent # 700\n").unwrap_err();
    assert_eq!(error.line, 2);
}
FILE
}

amount_tests() {
    cat <<'FILE'

#[test]
fn digits_may_be_grouped() {
    let entries = parse("night_train 1_700\ndebt -2_000_000\n");
    let wanted = vec![entry("night_train", 1_700), entry("debt", -2_000_000)];
    assert_eq!(entries, Ok(wanted));
}

#[test]
fn an_underscore_stands_between_digits() {
    for amount in ["_", "_1", "1_", "1__0", "-_1", "1_-1"] {
        let error = parse(&format!("rent {amount}")).unwrap_err();
        assert_eq!(error.reason, format!("`{amount}` is no amount"));
    }
}
FILE
}

implement() {
    mkdir -p tests
    if is_early; then
        edit src/parse.rs "
            s/= line\.trim();/= line.split('#').next().unwrap_or_default().trim();/
            s/^\(\/\/\/ Reads a list\.\) Blank lines/\1 Comments and blank lines/
            /^    let amount = amount$/{
                N
                N
                s/amount\n *\.parse()\n *\.map_err(|_|/read_amount(amount).ok_or_else(||/
            }
        "
        insert src/parse.rs '#\[cfg(test)\]' <<'FILE'
/// Reads an amount, in which underscores may stand between digits.
fn read_amount(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !digits.split('_').all(is_number) {
        return None;
    }
    text.replace('_', "").parse().ok()
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

FILE
        if is_replan; then
            { tests_of "Lists with comments, and with grouped amounts." && comment_tests && amount_tests; } \
                >tests/lists.rs
        else
            { tests_of "Lists with comments in them." && comment_tests; } >tests/comments.rs
            { tests_of "Lists with grouped amounts." && amount_tests; } >tests/amounts.rs
            cat >>README.md <<'FILE'

What follows a `#` is a comment. Digits of an amount may be grouped with underscores, such as `1_700`.
FILE
        fi
    else
        insert src/total.rs '\/\/\/ Returns the entry' <<'FILE'
/// Returns the mean of all amounts, rounded towards zero; `None` where there are none.
pub fn mean(entries: &[Entry]) -> Option<i64> {
    let count = i64::try_from(entries.len()).ok()?;
    total(entries).checked_div(count)
}

FILE
        cat >tests/mean.rs <<'FILE'
//! What the mean of a list is.

use tally::parse::parse;
use tally::total::mean;

fn mean_of(list: &str) -> Option<i64> {
    mean(&parse(list).expect("a list"))
}

#[test]
fn the_mean_is_rounded_towards_zero() {
    assert_eq!(mean_of("rent 700\nshoes 101\n"), Some(400));
    assert_eq!(mean_of("rent -700\nshoes -101\n"), Some(-400));
}

#[test]
fn nothing_has_no_mean() {
    assert_eq!(mean_of(""), None);
}
FILE
    fi
}

"$1"
