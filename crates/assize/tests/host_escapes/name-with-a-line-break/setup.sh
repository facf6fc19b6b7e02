#!/bin/sh
set -eu
name=$(printf 'x\n%s' '@MARKER@')
mkdir -p "$(dirname "$name")"
echo text > "$name"
