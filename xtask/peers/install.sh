#!/bin/sh
# Installs the four tools, at fixed versions, into the folder $1:
#   $1/venv   Inspect, DeepEval, autoevals (Python, with pip)
#   $1/node   promptfoo (Node), with a Node of its own, for promptfoo 0.123 wants Node 22.22 or later
# Wants python3 (3.10 or later, with venv), npm and a reachable PyPI and npm registry.
set -eu

PROMPTFOO=0.123.1
NODE=22.23.3
INSPECT=0.3.285
DEEPEVAL=4.3.1
AUTOEVALS=0.4.1
OPENAI=3.54.0

[ $# -eq 1 ] || { echo "usage: install.sh FOLDER" >&2; exit 2; }
mkdir -p "$1"
folder=$(cd "$1" && pwd)

export PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1 DEEPEVAL_TELEMETRY_OPT_OUT=1 DO_NOT_TRACK=1
export PIP_DISABLE_PIP_VERSION_CHECK=1 NPM_CONFIG_UPDATE_NOTIFIER=false

[ -x "$folder/venv/bin/pip" ] || python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet \
    "inspect-ai==$INSPECT" "deepeval==$DEEPEVAL" "autoevals==$AUTOEVALS" "openai==$OPENAI"

# npm itself runs with the system's Node and warns of the engines; promptfoo is run with the Node installed here.
npm install --prefix "$folder/node" --no-audit --no-fund --loglevel=error "node@$NODE" "promptfoo@$PROMPTFOO"

"$folder/venv/bin/pip" list 2>/dev/null | grep -iE '^(inspect.ai|deepeval|autoevals|openai) '
PATH="$folder/node/node_modules/.bin:$PATH" node --version
PATH="$folder/node/node_modules/.bin:$PATH" NODE_NO_WARNINGS=1 promptfoo --version
