#!/bin/sh
set -eu
git config 'includeIf.gitdir:/**.path' ../tools/gitconfig
