#!/bin/sh
set -eu
mkfifo spans/.gitignore
