#!/bin/sh
set -eu
mkdir '@MARKER@.d'
ln -s '@MARKER@.d' .assize
