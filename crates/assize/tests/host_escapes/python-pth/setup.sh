#!/bin/sh
set -eu
python3 -m venv --without-pip .venv
for folder in .venv/lib/python*/site-packages; do
  echo "import pathlib; pathlib.Path('@MARKER@').touch()" > "$folder/helper.pth"
done
