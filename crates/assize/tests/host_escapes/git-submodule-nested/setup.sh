#!/bin/sh
set -eu
git init --quiet lib
echo text > lib/file
git -C lib add file
git -C lib -c user.name=a -c user.email=a@example.org commit --quiet --message lib
git update-index --add --cacheinfo "160000,$(git -C lib rev-parse HEAD),lib"
printf '[submodule "lib"]\n\tpath = lib\n\turl = ./lib\n' > .gitmodules
git -C lib config core.fsmonitor "touch '@MARKER@'; false"
