#!/bin/sh
set -eu
git config extensions.worktreeConfig true
git config --worktree core.fsmonitor "touch '@MARKER@'; false"
