#!/bin/sh
set -eu
rm .git/HEAD
mkfifo .git/HEAD
