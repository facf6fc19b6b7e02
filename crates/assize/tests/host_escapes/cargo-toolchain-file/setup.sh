#!/bin/sh
set -eu
printf '[toolchain]\npath = "%s/tools/stable"\n' "$PWD" > rust-toolchain.toml
