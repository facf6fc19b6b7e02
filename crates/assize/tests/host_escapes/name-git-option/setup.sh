#!/bin/sh
set -eu
mkdir -p -- "$(dirname -- '--output=@MARKER@')"
echo text > '--output=@MARKER@'
