#!/bin/sh
set -eu
mkfifo assize.toml
