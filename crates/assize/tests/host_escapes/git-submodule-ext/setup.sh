#!/bin/sh
set -eu
git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),lib"
printf '[submodule "lib"]\n\tpath = lib\n\turl = "ext::touch %s"\n' '@MARKER@' > .gitmodules
git config protocol.ext.allow always
