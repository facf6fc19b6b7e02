#!/bin/sh
set -eu
mkdir -p .git/info
echo '*.md filter=tidy' > .git/info/attributes
git config filter.tidy.process "touch '@MARKER@'; false"
git config filter.tidy.required false
