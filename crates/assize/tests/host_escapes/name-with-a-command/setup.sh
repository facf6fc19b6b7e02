#!/bin/sh
set -eu
name='tests/test_$(touch @MARKER@).py'
mkdir -p "$(dirname "$name")"
echo text > "$name"
name='`touch @MARKER@`;touch @MARKER@;.py'
mkdir -p "$(dirname "$name")"
echo text > "$name"
