#!/bin/sh
set -eu
git checkout --quiet README.md
git branch other
echo 'One line.' >> README.md
git -c user.name=a -c user.email=a@example.org commit --quiet --all --message one
git checkout --quiet other
echo 'Another line.' >> README.md
git -c user.name=a -c user.email=a@example.org commit --quiet --all --message another
git checkout --quiet -
echo '*.md merge=tidy' > .gitattributes
git config merge.tidy.driver "touch '@MARKER@'; true"
