#!/bin/sh
# Bids for two boxes and does the first of them alone; what it planned for the second stays as it is.
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

bid() {
    if is_early; then
        cat <<'BID'
{
  "approach": "Comments are cut off before a line is read. How amounts are read is said at the root, where other modules find it.",
  "pseudo_code": "line = line.until('#').trim()\nlib: fn amount(text) = groups of digits between underscores",
  "changes": [
    {
      "path": "src/parse.rs",
      "kind": "edit",
      "brief": "Cuts comments off.",
      "requirements": ["req_1", "req_1.1", "req_1.2"]
    },
    {
      "path": "src/lib.rs",
      "kind": "edit",
      "brief": "Reads amounts.",
      "requirements": ["req_2", "req_2.1"]
    },
    {
      "path": "tests/notes.rs",
      "kind": "add",
      "brief": "Tests of comments.",
      "requirements": ["req_1", "req_1.1", "req_1.2"]
    }
  ],
  "estimated_lines": 45,
  "risk": "A name with a hash in it loses its end.",
  "success_probability": 0.8
}
BID
    else
        cat <<'BID'
{
  "approach": "A report is made of a list, of which the mean is a part.",
  "pseudo_code": "report = head + entries + mean + foot",
  "changes": [
    {"path": "src/total.rs", "kind": "edit", "brief": "For reports.", "requirements": ["req_3", "req_3.1"]},
    {"path": "src/report.rs", "kind": "add", "brief": "Reports.", "requirements": ["req_3"]},
    {"path": "src/head.rs", "kind": "add", "brief": "Their beginning.", "requirements": ["req_3"]},
    {"path": "src/foot.rs", "kind": "add", "brief": "Their end.", "requirements": ["req_3"]},
    {"path": "src/lib.rs", "kind": "edit", "brief": "New modules.", "requirements": ["req_3"]},
    {"path": "src/parse.rs", "kind": "edit", "brief": "What reports ask for.", "requirements": ["req_3"]},
    {"path": "tests/report.rs", "kind": "add", "brief": "Tests of reports.", "requirements": ["req_3"]}
  ],
  "estimated_lines": 520,
  "risk": "It is a lot at once.",
  "success_probability": 0.6
}
BID
    fi
}

implement() {
    # A report is more than it can do.
    is_early || exit 0
    edit src/parse.rs "s/= line\.trim();/= line.split('#').next().unwrap_or_default().trim();/"
    mkdir -p tests
    cat >tests/notes.rs <<'FILE'
//! Lists with comments in them.

use tally::parse::parse;

#[test]
fn the_end_of_a_line_may_be_a_comment() {
    let entries = parse("rent 700 # cold\n").expect("a list");
    assert_eq!(entries.len(), 1);
    assert_eq!((entries[0].name.as_str(), entries[0].amount), ("rent", 700));
}

#[test]
fn a_comment_alone_is_no_entry() {
    assert_eq!(parse("# May\n  # cold\n"), Ok(Vec::new()));
}
FILE
}

"$1"
