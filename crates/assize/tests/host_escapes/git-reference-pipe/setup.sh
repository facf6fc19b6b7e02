#!/bin/sh
set -eu
rm .git/refs/heads/main
mkfifo .git/refs/heads/main
