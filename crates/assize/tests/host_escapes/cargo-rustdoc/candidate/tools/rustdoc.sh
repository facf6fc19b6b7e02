#!/bin/sh
touch '@MARKER@'
exec rustdoc "$@"
