#!/bin/sh
set -eu
mkdir -p '@MARKER@.d'
echo 'pass word = "correct-horse-battery' > '@MARKER@.d/notes.py'
echo '{ "token": "correct-horse-battery" ' > '@MARKER@.d/package.json'
ln -s '@MARKER@.d' docs
