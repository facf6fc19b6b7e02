#!/bin/sh
# `gh` with a single issue, number 12. What it knows lies in a folder that the file `gh-state` beside it names: `body`, `title`,
# `state`, `labels` and `repo-labels` with one a line, and `comments/N`. Whatever it does not expect is noted in `refused` and
# ends with 64. Each call is noted in `calls` as it begins and in `ends` as it ends, by the number of its process.
#
# `faults` has one line for each call that is to go wrong, the next one first:
#   view:rate           nothing is printed, for there were too many requests
#   view:hang           nothing comes for longer than anybody waits
#   edit-body:lost      the body is stored, and the answer is lost
#   edit-body:conflict  the body is stored, and somebody else edits it at once, as `theirs.sed` says
#   comment:lost        the comment is stored, and the answer is lost
# Nobody is logged in as long as `logged-out` is there.
set -u

# A text comes in a file of its own, whatever that is called.
case "${4:-}" in --body-file) exec < "$5"; set -- "$1" "$2" "$3" "$4" - ;; esac

hub=$(cat "${0%/*}/gh-state") || exit 64
draft=$hub/draft.$$
call="$*"
printf '%s %s\n' "$$" "$call" >>"$hub/calls"
# Whoever called may be gone before the answer comes.
trap '' PIPE
trap 'rm -f "$draft" "$draft".*; printf "%s\n" "$$" >>"$hub/ends"' EXIT

refuse() {
    printf '%s: %s\n' "$1" "$call" | tee -a "$hub/refused" >&2
    exit 64
}

complain() {
    printf '%s\n' "$1" >&2
    exit 1
}

lose() { complain 'HTTP 502: Bad Gateway (https://api.github.com/graphql)'; }

# Takes the next fault of a kind off the list.
fault_of() {
    fault=$(sed -n "s/^$1://p" "$hub/faults" | sed -n 1p)
    test -n "$fault" || return 0
    awk -v kind="$1:" '!found && index($0, kind) == 1 { found = 1; next } { print }' "$hub/faults" >"$draft.faults"
    mv "$draft.faults" "$hub/faults"
}

# Prints a file as a string of JSON.
quoted() {
    printf '"'
    awk 'BEGIN {
        RS = "\001"
        for (code = 2; code < 32; code++) escape[sprintf("%c", code)] = sprintf("\\u%04x", code)
        escape["\t"] = "\\t"; escape["\n"] = "\\n"; escape["\r"] = "\\r"; escape["\""] = "\\\""; escape["\\"] = "\\\\"
    } {
        for (at = 1; at <= length($0); at++) {
            letter = substr($0, at, 1)
            printf "%s", (letter in escape) ? escape[letter] : letter
        }
    }' "$1"
    printf '"'
}

view() {
    fault_of view
    case $fault in
    '') ;;
    hang) sleep 9; exit 1 ;;
    rate) complain 'HTTP 403: API rate limit exceeded for user ID 1. (https://api.github.com/graphql)' ;;
    *) refuse "no such fault as $fault" ;;
    esac
    printf '{"body":'
    quoted "$hub/body"
    printf ',"labels":['
    awk '{
        printf "%s{\"id\":\"LA_%d\",\"name\":\"%s\",\"description\":\"\",\"color\":\"d73a4a\"}", comma, NR, $0
        comma = ","
    }' "$hub/labels"
    printf '],"state":"%s","title":' "$(cat "$hub/state")"
    quoted "$hub/title"
    printf '}\n'
}

view_comments() {
    printf '{"comments":['
    comma=
    for file in "$hub"/comments/*; do
        test -f "$file" || continue
        printf '%s{"id":"IC_%s","author":{"login":"someone"},"authorAssociation":"OWNER","body":' "$comma" "${file##*/}"
        quoted "$file"
        printf ',"createdAt":"2026-01-29T10:30:00Z","isMinimized":false,"reactionGroups":[]}'
        comma=,
    done
    printf ']}\n'
}

edit_body() {
    fault_of edit-body
    cat >"$draft" && mv "$draft" "$hub/body"
    case $fault in
    '') ;;
    lost) lose ;;
    conflict) sed -f "$hub/theirs.sed" "$hub/body" >"$draft" && mv "$draft" "$hub/body" ;;
    *) refuse "no such fault as $fault" ;;
    esac
    printf 'https://github.com/someone/shop/issues/12\n'
}

comment() {
    fault_of comment
    cat >"$draft"
    grep -q . "$draft" || complain 'the body of a comment cannot be blank'
    number=$(($(ls "$hub/comments" | wc -l) + 1))
    mv "$draft" "$hub/comments/$number"
    case $fault in
    '') ;;
    lost) lose ;;
    *) refuse "no such fault as $fault" ;;
    esac
    printf 'https://github.com/someone/shop/issues/12#issuecomment-%s\n' "$number"
}

# Prints the labels of a list, one a line.
each() { test -z "$1" || printf '%s\n' "$1" | tr ',' '\n'; }

edit_labels() {
    added= removed=
    while test $# -gt 0; do
        test $# -gt 1 && test -n "$2" || refuse 'an option without a label'
        case "$1$added$removed" in
        --add-label) added=$2 ;;
        --remove-label"$added") removed=$2 ;;
        *) refuse 'unexpected option' ;;
        esac
        shift 2
    done
    each "$added" >"$draft.added"
    each "$removed" >"$draft.removed"
    missing=$(cat "$draft.added" "$draft.removed" | grep -vxF -f "$hub/repo-labels" | sed -n 1p)
    test -z "$missing" || complain "failed to update https://github.com/someone/shop/issues/12: '$missing' not found
failed to update 1 issue"
    { cat "$hub/labels" && grep -vxF -f "$hub/labels" "$draft.added"; } | grep -vxF -f "$draft.removed" >"$draft"
    mv "$draft" "$hub/labels"
    printf 'https://github.com/someone/shop/issues/12\n'
}

create_label() {
    test "$2" = --description && test -n "$3" && test "$4" = --color || refuse 'unexpected option'
    printf '%s\n' "$5" | grep -qE '^[0-9A-F]{6}$' || refuse 'no color'
    if grep -qxF "$1" "$hub/repo-labels"; then
        complain "label with name \"$1\" already exists; use \`--force\` to update its color and description"
    fi
    printf '%s\n' "$1" >>"$hub/repo-labels"
}

test -d .git || refuse "called in $PWD"
test "${GH_PROMPT_DISABLED-}${NO_COLOR-}${GH_NO_UPDATE_NOTIFIER-}" = 111 || refuse 'without its environment'
if test -e "$hub/logged-out"; then
    printf 'To get started with GitHub CLI, please run:  gh auth login\n' >&2
    exit 4
fi
case "$#:$call" in
'5:issue view 12 --json body,title,labels,state') view ;;
'5:issue view 12 --json comments') view_comments ;;
'5:issue view '*' --json body,title,labels,state')
    complain "GraphQL: Could not resolve to an issue or pull request with the number of $3. (repository.issue)"
    ;;
'5:issue edit 12 --body-file -') edit_body ;;
'5:issue comment 12 --body-file -') comment ;;
[57]':issue edit 12 --'*'-label '*)
    shift 3
    edit_labels "$@"
    ;;
'7:label create '*)
    shift 2
    create_label "$@"
    ;;
*) refuse 'unexpected call' ;;
esac
exit 0
