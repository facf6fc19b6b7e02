#!/bin/sh
set -eu
echo '* filter=tidy' > .git/info/attributes
git config filter.tidy.smudge "touch '@MARKER@'; cat"
