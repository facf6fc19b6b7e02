#!/bin/sh
set -eu
git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),lib"
printf '[submodule "lib"]\n\tpath = lib\n\turl = ./\n' > .gitmodules
git config submodule.lib.url "$PWD"
git config submodule.lib.active true
git config protocol.file.allow always
git config submodule.lib.update "!touch '@MARKER@'; true"
