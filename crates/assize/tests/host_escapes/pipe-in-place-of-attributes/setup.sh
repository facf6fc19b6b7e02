#!/bin/sh
set -eu
echo '"""More."""' >> spans/total.py
mkfifo spans/.gitattributes
