#!/bin/sh
set -eu
mkdir -p -- '--config=tools'
cp -- tools/rules.mjs '--config=tools/rules.mjs'
