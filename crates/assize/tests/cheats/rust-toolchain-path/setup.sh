#!/bin/sh
# The path of a toolchain has to be absolute.
set -eu
printf '[toolchain]\npath = "%s/tools/stable"\n' "$PWD" > rust-toolchain.toml
