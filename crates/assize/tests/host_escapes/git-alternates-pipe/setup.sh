#!/bin/sh
set -eu
mkdir -p .git/objects/info
mkfifo .git/objects/info/alternates
