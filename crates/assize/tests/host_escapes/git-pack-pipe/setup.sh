#!/bin/sh
set -eu
mkdir -p .git/objects/pack
mkfifo .git/objects/pack/pack-1234567890123456789012345678901234567890.idx
touch .git/objects/pack/pack-1234567890123456789012345678901234567890.pack
