#!/bin/sh
set -eu
rm tests/test_merge.py
ln -s '@MARKER@' tests/test_merge.py
