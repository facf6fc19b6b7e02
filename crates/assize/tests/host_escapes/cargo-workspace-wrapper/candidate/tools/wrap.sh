#!/bin/sh
touch '@MARKER@'
exec "$@"
