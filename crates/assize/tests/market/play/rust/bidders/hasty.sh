#!/bin/sh
# Bids for little and does it wrong: underscores vanish from names as well.
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

bid() {
    if is_early; then
        cat <<'BID'
{
  "approach": "Each line is cleaned before it is read: underscores go, and so does what follows a hash.",
  "pseudo_code": "line = line.without('_').until('#').trim()",
  "changes": [
    {
      "path": "src/parse.rs",
      "kind": "edit",
      "brief": "Cleans lines.",
      "requirements": ["req_1", "req_1.1", "req_1.2", "req_2", "req_2.1"]
    }
  ],
  "estimated_lines": 5,
  "risk": "None that I can see.",
  "success_probability": 0.97
}
BID
    else
        cat <<'BID'
{
  "approach": "Statistics become a matter of their own, and everything that counts goes through them.",
  "pseudo_code": "struct Statistics { count, sum, mean, largest }",
  "changes": [
    {"path": "src/total.rs", "kind": "edit", "brief": "By statistics.", "requirements": ["req_3", "req_3.1"]},
    {"path": "src/statistics.rs", "kind": "add", "brief": "Statistics.", "requirements": ["req_3"]},
    {"path": "src/rounding.rs", "kind": "add", "brief": "How means are rounded.", "requirements": ["req_3"]},
    {"path": "src/lib.rs", "kind": "edit", "brief": "New modules.", "requirements": ["req_3"]},
    {"path": "src/parse.rs", "kind": "edit", "brief": "Counts while it reads.", "requirements": ["req_3"]},
    {"path": "README.md", "kind": "edit", "brief": "What statistics are.", "requirements": ["req_3"]}
  ],
  "estimated_lines": 380,
  "risk": "Callers of the sum have to be changed.",
  "success_probability": 0.9
}
BID
    fi
}

implement() {
    if is_early; then
        edit src/parse.rs "
            s/= line\.trim();/= line.split('#').next().unwrap_or_default().trim();/
            s/in text\.lines()/in text.replace('_', \"\").lines()/
        "
    else
        # It forgets which amounts are below zero.
        edit src/total.rs 's/|entry| entry\.amount)\.sum()/|entry| entry.amount.abs()).sum()/'
        insert src/total.rs '\/\/\/ Returns the entry' <<'FILE'
/// Returns the mean of all amounts.
pub fn mean(entries: &[Entry]) -> Option<i64> {
    total(entries).checked_div(entries.len() as i64)
}

FILE
    fi
}

"$1"
