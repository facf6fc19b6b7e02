#!/bin/sh
set -eu
printf 'CC="%s/tools/cc"\nCGO_ENABLED=1\n' "$PWD" > go.env
