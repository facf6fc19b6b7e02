#!/bin/sh
set -eu
mkdir -p '@MARKER@.d' docs
echo mine > '@MARKER@.d/notes.md'
echo ours > docs/notes.md
git add docs/notes.md
rm -r docs
ln -s '@MARKER@.d' docs
