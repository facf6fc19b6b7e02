#!/bin/sh
set -eu
git config include.path ../tools/gitconfig
