#!/bin/sh
set -eu
rm .git/index
mkfifo .git/index
