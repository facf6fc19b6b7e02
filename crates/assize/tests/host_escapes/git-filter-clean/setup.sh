#!/bin/sh
set -eu
echo '* filter=tidy' > .gitattributes
git config filter.tidy.clean "touch '@MARKER@'; cat"
