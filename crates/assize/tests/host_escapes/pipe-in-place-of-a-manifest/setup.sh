#!/bin/sh
set -eu
rm package.json
mkfifo package.json
