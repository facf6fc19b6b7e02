#!/bin/sh
# promptfoo.sh FOLDER_OF_INSTALL BASE_URL RECORDS_FILE OUT_DIR
# One model call a record. The records' texts exist already, so they come from the provider "echo" (which calls nobody), and
# the judge is an `llm-rubric` assertion. PEER_JUDGE=provider lets the model under test be the judge and a JavaScript
# assertion read its score instead.
set -eu
[ $# -eq 4 ] || { echo "usage: promptfoo.sh INSTALL BASE_URL RECORDS OUT" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
install=$(cd "$1" && pwd)
base=$2
records=$(cd "$(dirname "$3")" && pwd)/$(basename "$3")
mkdir -p "$4"
out=$(cd "$4" && pwd)

export PROMPTFOO_DISABLE_TELEMETRY=1 PROMPTFOO_DISABLE_UPDATE=1 PROMPTFOO_DISABLE_SHARING=1 PROMPTFOO_DISABLE_REMOTE_GENERATION=1
export PROMPTFOO_DISABLE_DEBUG_LOG=1 PROMPTFOO_CACHE_ENABLED=false PROMPTFOO_CONFIG_DIR="$out/.promptfoo" DO_NOT_TRACK=1
export OPENAI_API_KEY=dummy OPENAI_BASE_URL="$base" NODE_NO_WARNINGS=1

PEER_BASE="$base" PEER_JUDGE="${PEER_JUDGE:-rubric}" python3 - "$here/rules.txt" "$records" "$out" <<'PY'
import json, os, sys
rules_file, records, out = sys.argv[1:]
rules = open(rules_file, encoding="utf-8").read()
model = {"id": "openai:chat:peer-score", "config": {"apiBaseUrl": os.environ["PEER_BASE"], "apiKey": "dummy", "temperature": 0}}
with open(records, encoding="utf-8") as lines, open(out + "/tests.jsonl", "w", encoding="utf-8") as tests:
    for line in lines:
        record = json.loads(line)
        # Lists among the vars would be multiplied out into one test for each of their items, so the record is one string.
        # `{% raw %}` keeps braces of the record out of the template engine.
        test = {"vars": {"id": record["id"], "record": line.strip()}, "metadata": {"id": record["id"]}}
        tests.write(json.dumps(test) + "\n")
if os.environ["PEER_JUDGE"] == "provider":
    config = {"prompts": [rules.replace("{", "{ ").replace("}", " }") + "\n{{record}}"], "providers": [model],
              "defaultTest": {"assert": [{"type": "javascript", "metric": "quality", "value": "JSON.parse(output).score >= 5"}]}}
else:
    config = {"prompts": ["{{record}}"], "providers": ["echo"],
              "defaultTest": {"options": {"provider": model},
                              "assert": [{"type": "llm-rubric", "metric": "quality", "value": rules}]}}
config = {"description": "peer", **config, "tests": "file://tests.jsonl"}
json.dump(config, open(out + "/promptfooconfig.json", "w", encoding="utf-8"), indent=1)
PY

cd "$out"
PATH="$install/node/node_modules/.bin:$PATH"
status=0
promptfoo eval -c promptfooconfig.json -o results.json -j "${PEER_CONCURRENCY:-32}" --no-cache --no-table --no-progress-bar --no-share \
    ${PEER_PROMPTFOO_ARGS:---no-write} >promptfoo.out 2>promptfoo.err || status=$?
# 100 means that a test failed, which is no error of the run.
[ "$status" -eq 0 ] || [ "$status" -eq 100 ] || { tail -5 promptfoo.err promptfoo.out >&2; exit "$status"; }
