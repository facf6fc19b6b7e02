#!/bin/sh
set -eu
object=$(git rev-parse HEAD:README.md)
git config extensions.partialClone origin
git config remote.origin.url 'ext::touch @MARKER@'
git config remote.origin.promisor true
git config protocol.ext.allow always
rm -f ".git/objects/$(echo "$object" | cut -c1-2)/$(echo "$object" | cut -c3-)"
