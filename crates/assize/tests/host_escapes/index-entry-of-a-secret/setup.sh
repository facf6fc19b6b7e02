#!/bin/sh
set -eu
mkdir -p '@MARKER@.d' spans/data
echo correct-horse-battery > '@MARKER@.d/key.txt'
echo ours > spans/data/key.txt
git add spans/data/key.txt
rm -r spans/data
ln -s '@MARKER@.d' spans/data
