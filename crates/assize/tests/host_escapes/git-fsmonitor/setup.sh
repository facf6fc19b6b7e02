#!/bin/sh
set -eu
git config core.fsmonitor "touch '@MARKER@'; false"
