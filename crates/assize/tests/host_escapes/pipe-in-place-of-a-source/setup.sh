#!/bin/sh
set -eu
rm spans/merge.py
mkfifo spans/merge.py
