#!/bin/sh
set -eu
rm -rf .git
mkfifo .git
