#!/bin/sh
set -eu
rm -f .git/info/exclude
mkdir -p .git/info
mkfifo .git/info/exclude
