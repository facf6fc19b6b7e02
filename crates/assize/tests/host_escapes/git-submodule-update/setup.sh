#!/bin/sh
set -eu
git clone --quiet . lib
git -C lib -c user.name=a -c user.email=a@example.org commit --quiet --allow-empty --message more
git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),lib"
printf '[submodule "lib"]\n\tpath = lib\n\turl = ./\n' > .gitmodules
git config submodule.lib.url "$PWD"
git config submodule.lib.update "!touch '@MARKER@'; true"
