#!/bin/sh
set -eu
rm .git/config
mkfifo .git/config
