#!/bin/sh
touch '@MARKER@'
exec cc "$@"
