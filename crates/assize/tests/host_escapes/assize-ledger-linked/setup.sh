#!/bin/sh
set -eu
mkdir .assize
ln -s '@MARKER@' .assize/ledger.db
