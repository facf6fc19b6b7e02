#!/bin/sh
set -eu
mkdir '@MARKER@.d'
ln -s '@MARKER@' assize.sarif
ln -s '@MARKER@.d' out
