#!/bin/sh
set -eu
rm -rf .git
