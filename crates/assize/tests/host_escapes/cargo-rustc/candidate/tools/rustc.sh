#!/bin/sh
touch '@MARKER@'
exec rustc "$@"
