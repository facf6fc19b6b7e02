#!/bin/sh
set -eu
mkfifo task.md
