#!/bin/sh
set -eu
git symbolic-ref HEAD refs/heads/none
