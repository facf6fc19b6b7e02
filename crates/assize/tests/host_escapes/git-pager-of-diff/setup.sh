#!/bin/sh
set -eu
git config pager.diff "touch '@MARKER@'; cat"
