#!/usr/bin/env python3
"""inspect_run.py FOLDER_OF_INSTALL BASE_URL RECORDS_FILE OUT_DIR

One model call a record: the model is the judge, and a scorer reads its verdict. `generate()` makes the call.
PEER_LOG is "eval" (the default of Inspect), "json" or "both"; PEER_CONCURRENCY the number of calls at a time.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def main(base_url, records, out):
    os.environ.update(OPENAI_BASE_URL=base_url, OPENAI_API_KEY="dummy", INSPECT_LOG_LEVEL="warning", DO_NOT_TRACK="1")
    # What Inspect keeps of the run besides the log (its trace files and its buffer) belongs into OUT_DIR, too.
    os.environ.update(XDG_DATA_HOME=out + "/data", XDG_CACHE_HOME=out + "/cache", XDG_STATE_HOME=out + "/state")
    import json

    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.log import convert_eval_logs
    from inspect_ai.scorer import Score, mean, scorer
    from inspect_ai.solver import generate, system_message

    @scorer(metrics=[mean()], name="quality")
    def quality():
        async def score(state, target):
            verdict = json.loads(state.output.completion)
            return Score(value=verdict["score"], answer=state.output.completion, explanation=verdict["reason"])

        return score

    with open(os.path.join(HERE, "rules.txt"), encoding="utf-8") as file:
        rules = file.read()
    with open(records, encoding="utf-8") as file:
        samples = [Sample(id=json.loads(line)["id"], input=line.strip()) for line in file]
    calls = int(os.environ.get("PEER_CONCURRENCY", "32"))
    kind = os.environ.get("PEER_LOG", "eval")
    task = Task(name="peer", dataset=MemoryDataset(samples), scorer=quality(),
                solver=[system_message(rules.replace("{", "{{").replace("}", "}}")), generate(cache=False)])
    logs = eval(task, model="openai/peer-score", model_args={"responses_api": False}, display="none", log_dir=out + "/logs",
                log_format="json" if kind == "json" else "eval", max_connections=calls,
                max_samples=int(os.environ.get("PEER_SAMPLES", calls)), fail_on_error=False,
                log_realtime=os.environ.get("PEER_REALTIME", "0") == "1")
    if kind == "both":
        convert_eval_logs(out + "/logs", "json", out + "/json", overwrite=True)
    if logs[0].status != "success":
        sys.exit(f"{logs[0].status}: {logs[0].error}")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    python = os.path.join(sys.argv[1], "venv", "bin", "python")
    if os.path.realpath(sys.prefix) != os.path.realpath(os.path.join(sys.argv[1], "venv")):
        os.execv(python, [python, *sys.argv])
    os.makedirs(sys.argv[4], exist_ok=True)
    main(sys.argv[2], sys.argv[3], os.path.abspath(sys.argv[4]))
