#!/bin/sh
set -eu
mkdir -p docs/.git/info
mkfifo docs/.git/info/exclude
echo notes > docs/notes.md
