#!/bin/sh
set -eu
mkdir -p '@MARKER@.d'
echo correct-horse-battery > '@MARKER@.d/key.txt'
ln -s '@MARKER@.d' node_modules
echo /node_modules >> .git/info/exclude
