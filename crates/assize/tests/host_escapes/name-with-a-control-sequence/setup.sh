#!/bin/sh
set -eu
printf 'def broken(:\n' > "$(printf 'spans/\033]0;taken\007.py')"
