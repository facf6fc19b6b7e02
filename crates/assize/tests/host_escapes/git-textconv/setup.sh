#!/bin/sh
set -eu
echo '*.md diff=tidy' > .gitattributes
git config diff.tidy.textconv "touch '@MARKER@'; cat"
