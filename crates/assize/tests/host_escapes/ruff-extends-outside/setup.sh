#!/bin/sh
set -eu
echo 'pass word = correct-horse-battery' > '@MARKER@.secret'
printf 'extend = "%s"\n' '@MARKER@.secret' > ruff.toml
