#!/bin/sh
set -eu
name=$(basename '@MARKER@')
echo text > "$name"
git add "$name"
git -c user.name=a -c user.email=a@example.org commit --quiet --message more
rm "$name"
git config core.worktree "$(dirname '@MARKER@')"
