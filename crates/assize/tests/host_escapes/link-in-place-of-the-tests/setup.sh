#!/bin/sh
set -eu
rm -r tests
mkdir -p '@MARKER@.d'
ln -s '@MARKER@' '@MARKER@.d/test_merge.py'
ln -s '@MARKER@.d' tests
