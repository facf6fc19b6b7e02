#!/bin/sh
# A fixer: a program that edits the copy in which it runs. A coding agent or a model would take its place.
set -eu
here=$(dirname "$0")
git apply --reverse "$here/whole-cart.patch"
git apply "$here/each-item.patch"
