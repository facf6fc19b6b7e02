#!/bin/sh
set -eu
ln -s . deep
ln -s b a
ln -s a b
ln -s ../.. spans/up
