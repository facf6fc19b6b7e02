#!/bin/sh
set -eu
mkdir -p '@MARKER@.d'
ln -s '@MARKER@' '@MARKER@.d/.rustc_info.json'
ln -s '@MARKER@.d' target
