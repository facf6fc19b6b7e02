#!/bin/sh
set -eu
mkdir -p .assize
mkfifo .assize/ledger.db-journal
