#!/bin/sh
set -eu
echo 'pass word = correct-horse-battery' > '@MARKER@.secret'
ln -s '@MARKER@.secret' assize.toml
