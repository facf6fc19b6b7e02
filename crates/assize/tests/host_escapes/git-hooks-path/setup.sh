#!/bin/sh
set -eu
git config core.hooksPath tools/hooks
