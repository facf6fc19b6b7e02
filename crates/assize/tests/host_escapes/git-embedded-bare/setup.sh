#!/bin/sh
set -eu
mkdir -p docs/store/objects docs/store/refs
echo 'ref: refs/heads/main' > docs/store/HEAD
printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n' > docs/store/config
git config --file docs/store/config core.fsmonitor "touch '@MARKER@'; false"
echo text > docs/page.md
