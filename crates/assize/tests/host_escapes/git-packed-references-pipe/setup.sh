#!/bin/sh
set -eu
git branch other
mkfifo .git/packed-refs
