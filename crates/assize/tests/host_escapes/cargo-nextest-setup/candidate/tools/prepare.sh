#!/bin/sh
touch '@MARKER@'
